def f(x):
  return x + 1
for i in range(3):
  print(f"{i} {f(Tensor([i, 2])).tolist()}")
