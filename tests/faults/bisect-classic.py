from tinygrad import Tensor
x = (Tensor.arange(48).cast("float") * 0.37).reshape(6, 8).clone().realize()
w = (Tensor.arange(40).cast("float") * 0.11 - 1).reshape(8, 5).clone().realize()
print((x @ w).tolist())
