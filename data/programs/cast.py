# A sum of integers converted to float. Watch where the CAST stands: after the ADD, in the same kernel.
from tinygrad import Tensor, dtypes

a = Tensor([1, 3])
b = Tensor([4, 3])
print((a + b).cast(dtypes.float32).numpy())
