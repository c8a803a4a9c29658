# Layer normalization: mean, variance and rsqrt per row, then scale and shift. The calls tree of the `layernorm` line shows
# which of its parts made which node; one kernel computes mean and variance of a row in two loops. It stores y for y[0], and the kernel of
# the last line reads it there.
# opens at: 4/ast/10
from tinygrad import Tensor

x = ((Tensor.arange(48) * 11 % 19).cast("float") * 0.25 - 1).reshape(6, 8).clone().realize()
weight = (Tensor.arange(8).cast("float") * 0.1 + 0.5).clone().realize()
bias = (Tensor.arange(8).cast("float") * 0.01).clone().realize()
y = x.layernorm() * weight + bias
print(y[0].tolist())
print(y.mean(axis=1).tolist())
