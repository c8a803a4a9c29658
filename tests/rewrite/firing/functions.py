# exp2, log2 and sin of every float (TRANSCENDENTAL=2).
from tinygrad import Tensor, dtypes

for dtype in (dtypes.half, dtypes.bfloat16, dtypes.float, dtypes.double):
    v = Tensor([0.5, 1.0, 2.75, 3.0, -1.25]).cast(dtype).realize()
    print(v.exp2().tolist(), v.abs().log2().tolist(), v.sin().tolist())
