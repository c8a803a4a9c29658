# Softmax over rows: two reductions (a maximum, a sum) with elementwise work between. The schedule shows why one kernel
# cannot do it all: the result of a reduction, expanded back to the rows, is realized first.
from tinygrad import Tensor

x = ((Tensor.arange(24) * 7 % 10).cast("float") * 0.5 - 2).reshape(4, 6).clone().realize()
y = x.softmax()
print(y.tolist())
print(y.sum(axis=1).tolist())
