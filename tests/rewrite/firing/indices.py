# Index arithmetic of views of views: diagonals of transposed and of Hankel matrices, windows, digits of reshaped axes. Most of it shows with MERGE_VIEWS=0.
from tinygrad import Tensor, dtypes

x = (Tensor.arange(64).reshape(4, 4, 4) + 0).realize()
m = x[0]
# the same range twice: i + i*4, and with a batch before it
print(m.permute(1, 0).diagonal().tolist(), m.flip(0).permute(1, 0).diagonal().tolist())
d = x.permute(0, 2, 1).reshape(4, 16).pad(((0, 0), (0, 4))).reshape(4, 4, 5)[:, :, 0]
print(d.tolist())
# a Hankel matrix, h[i, j] = v[(i + j) % 7], and its diagonal, v[i + i]
v = (Tensor.arange(7) * 3).realize()
h = v.reshape(1, 7).expand(5, 7).reshape(35).pad(((0, 5),)).reshape(5, 8)[:4, :4]
print(h.tolist())
print(v.reshape(1, 7).expand(4, 7).reshape(28).shrink(((0, 27),)).pad(((0, 5),)).reshape(4, 8)[:, :4].diagonal().tolist())
g = v.reshape(1, 7).expand(8, 7).reshape(56).reshape(7, 8)[:4, :4]
print(g.tolist(), g.reshape(16).pad(((0, 4),)).reshape(4, 5)[:, 0].tolist())
w = (Tensor.arange(28).reshape(4, 7) + 0).realize().reshape(4, 1, 7).expand(4, 8, 7).reshape(4, 7, 8)[:, :4, :4]
print(w.reshape(4, 16).pad(((0, 0), (0, 4))).reshape(4, 4, 5)[:, :, 0].tolist())
# axes cut into digits and put together again
print(x.reshape(2, 2, 16).permute(0, 2, 1).reshape(2, 4, 8).permute(2, 0, 1).reshape(64).sum().item())
print((x.sum(0).reshape(1, 4, 4).expand(4, 4, 4) * 2 + Tensor.arange(64).reshape(4, 4, 4) * 0).tolist()[1][2])
print((x.pad(((0, 2), (2, 0), (2, 2))) * 2 + Tensor.arange(6 * 6 * 8).reshape(6, 6, 8) * 3).permute(2, 1, 0).sum().item())
# counts of the elements that a mask keeps, from its start and to its end
n = 5
one = Tensor.ones(n, dtype=dtypes.int)
print(one.pad(((0, n),)).reshape(1, 2 * n).expand(n, 2 * n).reshape(2 * n * n).pad(((0, n),)).reshape(n, 2 * n + 1)[:, :n].sum(1).tolist())
print(one.pad(((n, 0),)).reshape(1, 2 * n).expand(n, 2 * n).reshape(2 * n * n).pad(((0, n),)).reshape(n, 2 * n + 1)[:, :n].sum(1).tolist())
# the same sums written by the program, over the counted elements
a = Tensor.arange(6)
b = Tensor.arange(5).reshape(5, 1)
print((a + a).tolist(), (a * 2 + a * 3).tolist(), ((b + a) + a).sum().item(), (a - 1).tolist(), (-a).tolist(), (a * -1 + 5).tolist())
# rows and columns exchanged twice, by parts
print((x.permute(0, 2, 1).reshape(4, 16).reshape(4, 4, 4).permute(0, 2, 1).reshape(4, 16) + 1).sum(1).tolist())

# The element at a number: of floats, and of halves, which are summed as floats.
table = (Tensor.arange(24).reshape(8, 3) * 0.5).realize()
chosen = Tensor([1, -1, 7, 9]).realize()
print(table[chosen].tolist(), table.half()[chosen].tolist())
print((chosen.reshape(4, 1) == Tensor.arange(8)).where(table.half()[:, 0], 0).sum(1).tolist())
# loads whose lanes have one gate: of padded rows by fours
print(Tensor.arange(64).reshape(8, 8).float().realize().pad(((1, 1), (4, 4))).contiguous().sum().item())
