from tinygrad import Tensor, dtypes
print(Tensor([1.0, float("nan"), 3.0]).realize().maximum(Tensor([float("nan"), 2.0, 1.0]).realize()).tolist())
e = Tensor([100, 120, -100], dtype=dtypes.int8).realize()
print(((e + e).cast(dtypes.int) + 1).tolist())
