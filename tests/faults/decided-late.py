# Planted: a range is split wrongly, and there is no data left to compare the run with.
from tinygrad import Tensor, dtypes
x = (Tensor.arange(16).cast(dtypes.float) * 2 - 1).reshape(2, 8).clone().realize()
y = ((Tensor.arange(16) * 7 + 4) % 13).reshape(8, 2).permute(1, 0).cast(dtypes.float)
x = (x > 0).where(x, y * 0.5)
y = x.reshape(16).sum() + y
print((x.flip(1) + y).tolist())
print(((x @ y.permute(1, 0))).tolist())
print(Tensor.ones(2, 2).tril().tolist())
