# [r.sum() for r in t] in a function
from tinygrad import Tensor
def f(t): return [r.sum() for r in t]
print([v.item() for v in f(Tensor([[1., 2], [3, 4]]))])
