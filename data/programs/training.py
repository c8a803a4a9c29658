# One training step of a network of two layers, and its effect on the loss. The gradients are made by rules from the graph of the loss, in the pass
# `gradient`; step through it to see each op send its gradient back, and then see the optimizer write the weights.
# kernel: 12
from tinygrad import Tensor, nn


class Network:
    def __init__(self):
        self.hidden, self.out = nn.Linear(8, 16), nn.Linear(16, 3)

    def __call__(self, x):
        return self.out(self.hidden(x).tanh())


Tensor.manual_seed(1)
x, labels = Tensor.randn(12, 8).realize(), Tensor([0, 1, 2] * 4)
model = Network()
optimizer = nn.optim.SGD(nn.state.get_parameters(model), lr=0.5)
with Tensor.train():
    loss = model(x).sparse_categorical_crossentropy(labels).backward()
    optimizer.step()
print(f"loss {loss.item():.4f}, and after the step {model(x).sparse_categorical_crossentropy(labels).item():.4f}")
