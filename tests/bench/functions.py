# exp2, log2 and sin of 2^20 floats and doubles: what the engine's own functions are worth (README.md).
from tinygrad import Tensor, dtypes

n = 1 << 20
a = (Tensor.arange(n).cast(dtypes.float32) * 0.0001 + 0.5).contiguous().realize()
d = a.cast(dtypes.float64).contiguous().realize()
a.exp2().realize()
a.log2().realize()
a.sin().realize()
d.exp2().realize()
d.log2().realize()
d.sin().realize()
