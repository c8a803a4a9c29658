# Sizes and places that variables say.
from tinygrad import Tensor, Variable

x = (Tensor.arange(24).cast("float") * 0.5).clone().realize().reshape(6, 4)
n, i = Variable("n", 1, 6), Variable("i", 0, 4)
for value in (2, 5):
    print(x[:n.bind(value)].sum().item(), (x[:n.bind(value)] * 2).tolist())
for value in (0, 3):
    print((x[i.bind(value)] + 1).tolist(), (x[i.bind(value):i.bind(value) + 2] + 1).tolist())
    print((x.pad(((1, 0), None))[i.bind(value)] + Tensor.arange(8)[i.bind(value):i.bind(value) + 4] + Tensor.ones(9, 4).pad(((1, 1), None))[i.bind(value)]).tolist())
    print((x[0] * i.bind(value)).tolist(), ((x[0] * 0 + i.bind(value)).pad(((1, 1),)) + 1).tolist(), (Tensor(i.bind(value)).expand(3).pad(((1, 1),)) + 0).tolist())
y = Tensor.ones(6, 4).contiguous().realize()
y[i.bind(2)] = x[0]
y[:n.bind(2)] = x[4] * 3
print(y.tolist())
z = (Tensor.arange(12).cast("float") - 5).reshape(6, 2).clone().realize()
z.requires_grad = True
((z[:n.bind(3)] * 2).max(0).sum() + (z[i.bind(4)] * z[:n.bind(2)]).sum() + z[:n.bind(2)].prod(0).sum()).backward()
print(z.grad.tolist())
