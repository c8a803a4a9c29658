# An argument dies when the function lets go of it, recorded or not.
from tinygrad import Tensor
class Big:
    def __del__(self): print("freed")
def f(data, x):
    y = x + 1
    data = None
    print("after")
    return y + 1
print(f(Big(), Tensor([1.0])).tolist())
