# The forward pass of a network of two layers. Bias and relu are fused into the kernel of their matrix product; follow a
# line of its source back to the program line that it comes from.
from tinygrad import Tensor


def weights(rows, columns, step):
    values = Tensor.arange(rows * columns) * step % 13
    return ((values.cast("float") - 6) * 0.05).reshape(rows, columns).clone().realize()


def layer(x, w, b):
    return (x @ w + b).relu()


x = ((Tensor.arange(4 * 8) * 5 % 11).cast("float") * 0.2 - 1).reshape(4, 8).clone().realize()
h = layer(x, weights(8, 16, 5), Tensor([0.1] * 16))
y = h @ weights(16, 3, 7)
probabilities = y.softmax()
print(y.tolist())
print([f"{p:.4f}" for p in probabilities.max(axis=1).tolist()])
print(probabilities.argmax(axis=1).tolist())
