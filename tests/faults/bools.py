from tinygrad import Tensor, dtypes
a, b = (Tensor.arange(8) % 2 == 1).realize(), (Tensor.arange(8) % 4 > 1).realize()
print((a | b).cast(dtypes.int).tolist())
