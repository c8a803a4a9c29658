from tinygrad import Tensor, dtypes
x = (Tensor.arange(4).cast(dtypes.float) * 2 - 7).reshape(2, 2)
y = ((Tensor.arange(4) * 7 + 3) % 13).reshape(2, 2).permute(1, 0).cast(dtypes.float)
x = x.softmax(axis=1)
y = x.softmax(axis=1)
x = x.pad(((0, 0), (1, 0)))[:, :-1] * y
print((x.pad(((0, 0), (1, 0)))[:, :-1] * y).tolist())
print(((x @ y.permute(1, 0))).tolist())
print(Tensor.ones(2, 2).tril().tolist())
