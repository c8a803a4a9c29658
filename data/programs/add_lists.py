# Three elements at once. Compare with add_ints.py: the loop over the axis appears (or its three iterations, unrolled,
# depending on the options), and the index goes from 0 to i.
from tinygrad import Tensor

a = Tensor([1, 2, 3])
b = Tensor([2, 5, 6])
print((a + b).numpy())
