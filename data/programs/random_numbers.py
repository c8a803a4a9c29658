# Random numbers that are the same on every machine: threefry, 20 rounds of additions, rotations and exclusive ors of a counter, and no memory but the
# result. The kernel turns the bits into floats between 0 and 1; the second makes normal ones of two uniform ones.
# kernel: 1
from tinygrad import Tensor

Tensor.manual_seed(42)
print([f"{x:.4f}" for x in Tensor.rand(4).tolist()])
print([f"{x:.4f}" for x in Tensor.randn(4).tolist()])
print(Tensor.randint(6, low=1, high=7).tolist())
