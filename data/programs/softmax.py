# Softmax over rows: a maximum and a sum, with elementwise work between. The schedule shows why each reduction is a kernel of its own.
# kernel: 2
from tinygrad import Tensor

x = ((Tensor.arange(24) * 7 % 10).cast("float") * 0.5 - 2).reshape(4, 6).clone().realize()
y = x.softmax()
print(y.tolist())
print(y.sum(axis=1).tolist())
