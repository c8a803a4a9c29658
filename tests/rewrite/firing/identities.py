# Identities of integers, floats and bools whose constants come to light only in the kernel: z is 0, o is 1, f is false and t is true.
from tinygrad import Tensor, dtypes

x = Tensor([3, -4, 5, 0]).realize()
y = Tensor([7, 2, -1, 4]).realize()
u = x.cast(dtypes.uint).realize()
v = Tensor([1.5, -2.0, 0.0, 8.0]).realize()
b = (x > 0).realize()
c = (y > 2).realize()
z = x * 0
o = z + 1
f = z != 0
t = z == 0
fz = z.cast(dtypes.float)

# sums and products
print((x + z).tolist(), (x - z).tolist(), (x * o).tolist(), ((z + 2) * x).tolist(), ((z + 2) + x).tolist(), (x - x).tolist())
print((v + fz * -1.0).tolist(), (v - fz).tolist(), (v * (fz + 1)).tolist(), (v / (fz + 1)).tolist())
# quotients
print((x // o).tolist(), x.div(o, rounding_mode="trunc").tolist(), (x % o).tolist(), x.fmod(o).tolist(), (z // y).tolist())
print((u // 3).tolist(), (u % 3).tolist(), (u // (u + 1)).tolist(), (u % (u + 1)).tolist())
# bits
print((x ^ x).tolist(), (x ^ z).tolist(), (x & z).tolist(), (x | z).tolist(), (x << z).tolist(), (x >> z).tolist(), (x & x).tolist(), (x | x).tolist())
print((-(-x)).tolist(), x.maximum(x).tolist(), x.bitcast(dtypes.uint).bitcast(dtypes.float).tolist())
# conditions
print((b & t).tolist(), (b & f).tolist(), (b | t).tolist(), (b | f).tolist(), (b != f).tolist(), (b != t).tolist(), (b == t).tolist(), (b == f).tolist())
print((b & b.logical_not()).tolist(), (b | b.logical_not()).tolist(), b.logical_not().logical_not().tolist())
print(((x < 3) & (x < 5)).tolist(), ((x < 3).logical_not() & (x < 5).logical_not()).tolist(), (x < x).tolist(), (x == x).tolist(), (x != x).tolist())
# choices
print(t.where(x, y).tolist(), f.where(x, y).tolist(), b.where(c.where(x, y), y).tolist(), b.where(b.where(x, z), y).tolist(), b.where(x, b.where(z, y)).tolist())
print(b.logical_not().where(x, y).tolist(), b.where(True, False).tolist(), b.where(x, x).tolist())

# products of doubles that are added to, and taken from (fma=1)
p, q, r = (Tensor([0.5, 1.5, 2.5]).cast("double").realize() for _ in range(3))
print((p * q + r).tolist(), (p * q - r).tolist(), (r - p * q).tolist())
