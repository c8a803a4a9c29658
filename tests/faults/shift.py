from tinygrad import Tensor
x = Tensor.arange(16).clone().realize()
print((x * 4 + x).tolist())
