# What the examples and the cases have: kernels with long loops, sums of parts, and rules of a program's own.
from tinygrad import Tensor
from tinygrad.uop.ops import UOp

m = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [-2.0, 0.5, 1.0], [3.0, 0.25, -1.0]])
a = Tensor([[1, 2, 3], [4, 5, 6]])
print((m - m.mean(axis=1, keepdim=True)).softmax(axis=0).tolist(), m[1:, 1:][:2, 1:].tolist())
print((m * m - 3).tolist(), (3 - m * m).tolist())
print(Tensor.arange(2 ** 12).cast("float").clone().realize().sum().item())
print((Tensor.arange(600) * 3 % 5).clone().realize().sum().item())
print((Tensor.arange(20) * 7 % 9).reshape(4, 5).clone().realize().cumsum(axis=0).tolist())
print(((Tensor.arange(600) * 3 % 5).cast("float") * 0.5).clone().realize().cumsum()[::50].tolist())
print(a[0].stack(a[1], a[0] + 1).tolist(), Tensor.stack(a, a + 10, dim=2).tolist(), a.cat(a[:1], dim=0).tolist(), a.cat(a[:, :1], dim=1).tolist(), a.roll(1, 1).tolist(), a.repeat(2, 2).tolist())
i = UOp.variable("i", 0, 15)
print((i * 4 + i * 2).render(simplify=False), (i * 4 + i * 2).simplify().arg)
