# Integers divided by constants, 2^20 of them: what FAST_IDIV=1 is worth (README.md).
from tinygrad import Tensor, dtypes
n = 1 << 20
a = (Tensor.arange(n).cast(dtypes.int32) * 2654435 ).contiguous().realize()
u = a.cast(dtypes.uint32).contiguous().realize()
s = a.cast(dtypes.int16).contiguous().realize()
(a // 7).realize()
(a.div(7, rounding_mode="trunc")).realize()
(a % 1000).realize()
(u // 7).realize()
(u % 1000).realize()
(u // 641).realize()
(s // 7).realize()
b = a[:1048000].reshape(1000, 1048)
(b.permute(1, 0).reshape(1000*1048)[:1048000].reshape(524, 2000) + 1).contiguous().realize()
