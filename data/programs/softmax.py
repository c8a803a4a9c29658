# Softmax over rows: a maximum and a sum, with elementwise work between. One kernel computes a row; with FUSE=0 three do, and the schedule says why.
# opens at: 2/ast/9
from tinygrad import Tensor

x = ((Tensor.arange(24) * 7 % 10).cast("float") * 0.5 - 2).reshape(4, 6).clone().realize()
y = x.softmax()
print(y.tolist())
print(y.sum(axis=1).tolist())
