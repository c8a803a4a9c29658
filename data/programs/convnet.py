# The forward pass of a small convolutional network. A convolution is a product of shifted views and a sum: the kernel of the second layer has
# reduces over channels and window, with the batch norm and relu fused in.
# kernel: 20
from tinygrad import Tensor, nn


class ConvNet:
    def __init__(self):
        self.first, self.second = nn.Conv2d(1, 8, 3), nn.Conv2d(8, 16, 3)
        self.norm = nn.BatchNorm(16)
        self.last = nn.Linear(16 * 3 * 3, 10)

    def __call__(self, x):
        x = self.first(x).relu().max_pool2d()
        x = self.norm(self.second(x)).relu().max_pool2d()
        return self.last(x.flatten(1))


Tensor.manual_seed(0)
model = ConvNet()
Tensor.realize(*nn.state.get_parameters(model))
images = Tensor.rand(1, 1, 20, 20).realize()
print(model(images).argmax(axis=1).tolist())
