# Views: no element moves. Strides, a permuted order, reversed axes and padding are all said in the index of one load; the
# shape tracker of each load in the kernel's tree says how, and the padding becomes a gate.
from tinygrad import Tensor

x = Tensor.arange(24).reshape(4, 6).clone().realize()
print((x[::2, ::-3] + 0).tolist())
print((x.T[1:3] + 0).tolist())
print((x.pad(((1, 0), (0, 1)))[:3, 3:] + 0).tolist())
print((x[1].reshape(2, 3).expand(2, 3) + x[2, :3]).tolist())
