# A tensor that is unpacked (a, b = x) or iterated inside a function; at the top level it is right.
from tinygrad import Tensor
def f(x):
  a, b = x
  return a + b
print(f(Tensor([[1., 2], [3, 4]]).contiguous()).tolist())      # [4.0, 6.0]
