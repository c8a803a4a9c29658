# Movements that undo or repeat each other, reduces of nothing, and casts that change nothing.
from tinygrad import Tensor, dtypes

x = (Tensor.arange(24).reshape(2, 3, 4) + 0).realize()
print(x.permute(1, 2, 0).permute(1, 0, 2).tolist())
print(x.permute(2, 0, 1).permute(1, 2, 0).tolist())
print(x[:, :1].expand(2, 3, 4).reshape(2, 3, 4).expand(2, 3, 4).sum().item())
print(Tensor([1, 2]).reshape(1, 2).expand(3, 2).reshape(3, 1, 2).expand(3, 4, 2).sum().item())
print(Tensor([1, 2]).realize().reshape(1, 1, 2).expand(3, 1, 2).expand(3, 4, 2).sum().item())
print(x.shrink(((0, 2), (0, 3), (0, 4))).shrink(((1, 2), (0, 3), (1, 3))).tolist())
print(x.pad(((0, 0), (0, 0), (0, 0))).flip(0).flip(0, 1).flip(1).tolist())
print(x.cast(dtypes.int).contiguous().contiguous().tolist())
print(x[:0].sum().item(), x[:, :0].sum(1).tolist(), x[:1].sum(0).tolist(), x[:0].max(0).tolist() if False else 0)
print(x.cast(dtypes.long).cast(dtypes.int).tolist())
print(x.cast(dtypes.float).cast(dtypes.double).cast(dtypes.float).tolist())
print(x.cast(dtypes.float).contiguous().max((0, 2)).tolist())

# the outer one of two reduced axes as lanes
turned = Tensor.arange(72).reshape(3, 6, 4).float().realize().permute(0, 2, 1)
print(turned.sum((1, 2)).tolist(), turned.max((1, 2)).tolist())
# two axes that are reduced and do not become one: options give their loops another order
two = Tensor([float(i % 7) for i in range(4 * 5 * 6)]).reshape(4, 5, 6).realize()
print(two.sum(axis=(0, 2)).tolist(), two.max(axis=(0, 2)).tolist())
