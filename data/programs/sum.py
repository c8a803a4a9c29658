# A sum of 4096 numbers. Its kernel has one loop, whose accumulator is split over lanes and unrolled iterations; compare `acc=scalar` with `acc=vector`
# to see what the order of the additions costs.
# kernel: 2
from tinygrad import Tensor

x = Tensor.arange(2 ** 12).cast("float").clone().realize()
print(f"{x.sum().item():.0f}")
