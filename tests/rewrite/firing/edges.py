# Cases that bounds alone cannot decide: 64-bit integers, and bounds that touch.
from tinygrad import Tensor, dtypes

l = Tensor([3, -4, 5, 0], dtype=dtypes.long).realize()
u = Tensor([3, 4, 5, 0], dtype=dtypes.ulong).realize()
x = Tensor([3, -4, 5, 0]).realize()
y = Tensor([7, 2, -1, 4]).realize()
z = l * 0
w = u * 0
print((l + z).tolist(), (l & z).tolist(), (l % (z + 1)).tolist(), l.fmod(z + 1).tolist(), l.div(z + 1, rounding_mode='trunc').tolist())
print((u + w).tolist(), (u & w).tolist(), (u % (w + 1)).tolist(), u.fmod(w + 1).tolist(), u.div(w + 1, rounding_mode='trunc').tolist())
print((u // 3).tolist(), (u % 3).tolist(), (u // (u + 1)).tolist(), (u % (u + 1)).tolist(), (u // 4).tolist(), (u % 4).tolist())
# 0 to 3 against 3 to 6
a = x % 4
b = y % 4 + 3
print((a < b).where(a, b).tolist(), (a < b).where(b, a).tolist(), a.maximum(b).tolist(), (b < a).where(a, b).tolist(), (b < a).where(b, a).tolist())
# the same, with casts between
print(x.cast(dtypes.long).cast(dtypes.short).cast(dtypes.int).tolist(), x.cast(dtypes.long).cast(dtypes.int).tolist(), x.cast(dtypes.double).cast(dtypes.int).tolist())
print(x.bitcast(dtypes.uint).bitcast(dtypes.int).tolist())
