# Integers divided by constants, of every width, with and without a sign, and indices (FAST_IDIV=1).
from tinygrad import Tensor, dtypes

x = Tensor([100, -100, 7, -7, 0, 2147483647, -2147483648]).realize()
for dtype in (dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64):
    v = x.cast(dtype).realize()
    for d in (3, 7, 8, 100):
        print((v // d).tolist(), (v % d).tolist(), v.div(d, rounding_mode="trunc").tolist(), v.fmod(d).tolist())
# what is known of the low bits lets the product fit the same integers
r = (x & 31)
print(r.div(7, rounding_mode="trunc").tolist(), r.fmod(7).tolist(), (r - 16).div(7, rounding_mode="trunc").tolist(), r.div(8, rounding_mode="trunc").tolist(), r.fmod(8).tolist())
# rows of 7 from rows of 10, moved by one: quotients and remainders of indices
a = Tensor.arange(70).reshape(7, 10).permute(1, 0).contiguous().realize()
print(a.permute(1, 0).reshape(10, 7).permute(1, 0).tolist())
