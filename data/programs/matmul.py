# A 64 x 64 matrix product. There is no matmul op: rows and columns are laid along a third axis by RESHAPE, PERMUTE and
# EXPAND, multiplied, and summed. Step through `simplify` to see the index arithmetic of three axes shrink, and
# through `expand` to see lanes appear.
from tinygrad import Tensor

n = 64
a = ((Tensor.arange(n * n) * 7 % 23).cast("float") * 0.0625 - 0.5).reshape(n, n).clone().realize()
b = ((Tensor.arange(n * n) * 5 % 19).cast("float") * 0.0625 - 0.5).reshape(n, n).clone().realize()
c = (a @ b).realize()
print(c[0, :4].tolist())
print(c[n - 1, n - 4:].tolist())
