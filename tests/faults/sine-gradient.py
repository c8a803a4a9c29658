# Planted: the gradient of a sine is wrong, and was right by chance where it was looked at.
from tinygrad import Tensor, dtypes
x = (Tensor.arange(12).cast(dtypes.float) * 3 - 7).reshape(6, 2).contiguous().realize()
y = ((Tensor.arange(12) * 7 + 5) % 5).reshape(2, 6).permute(1, 0).cast(dtypes.float).clone().realize()
x = (x > 0).where(x, y * 0.5)
y = (x > y).where(x, y + 1)
print((x.maximum(y) - 1).tolist())
print((y.reshape(-1).sum()).tolist())
w = Tensor([[0.5, -1.0], [2.0, 3.0]], requires_grad=True)
((w * 0.5).sin()).sum().backward()
print(w.grad.tolist())
