# A tensor plus a number. In the tensor graph the number is a CONST of shape (), reshaped and expanded to (3,);
# in the kernel nothing is left of that but the literal 2.
from tinygrad import Tensor

x = Tensor([1, 2, 3])
print((x + 2).tolist())
