from tinygrad import Tensor
x = Tensor.ones(1<<26).clone().realize()
print((x*2).sum().item())
