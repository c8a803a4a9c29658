# A step of training LeNet: two convolutions, pooling, three layers, cross entropy, SGD. Its buffers are too large to be kept whole.
from tinygrad import Tensor, nn

class LeNet:
  def __init__(self):
    self.c1, self.c2 = nn.Conv2d(1, 6, 5), nn.Conv2d(6, 16, 5)
    self.l1, self.l2, self.l3 = nn.Linear(256, 120), nn.Linear(120, 84), nn.Linear(84, 10)
  def __call__(self, x):
    x = self.c1(x).relu().max_pool2d((2, 2))
    x = self.c2(x).relu().max_pool2d((2, 2)).flatten(1)
    return self.l3(self.l2(self.l1(x).relu()).relu())

Tensor.manual_seed(7)
model = LeNet()
optimizer = nn.optim.SGD(nn.state.get_parameters(model), lr=0.01)
with Tensor.train():
  x, y = Tensor.rand(8, 1, 28, 28), Tensor([1, 2, 3, 4, 5, 6, 7, 8])
  optimizer.zero_grad()
  loss = model(x).sparse_categorical_crossentropy(y).backward()
  optimizer.step()
  print(loss.item())
