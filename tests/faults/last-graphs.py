# Planted: an index is wrong, and no graph after that has a value.
from tinygrad import Tensor, dtypes
x = (Tensor.arange(15).cast(dtypes.float) * 3 - 1).reshape(3, 5).contiguous().realize()
y = ((Tensor.arange(15) * 7 + 4) % 5).reshape(5, 3).permute(1, 0).cast(dtypes.float)
x = x.pad(((0, 0), (1, 0)))[:, :-1] * y
y = x * 3 - y
print((x.maximum(y) - 1).tolist())
print((x.sum(axis=1)).tolist())
w = Tensor([[0.5, -1.0], [2.0, 3.0]], requires_grad=True)
(w.max(axis=1)).sum().backward()
print(w.grad.tolist())
