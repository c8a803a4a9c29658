# for r in x inside __call__
from tinygrad import Tensor
class B:
  def __call__(self, x):
    for r in x: x = x + r
    return x
print(Tensor([[1., 2], [3, 4]]).sequential([B()]).tolist())
