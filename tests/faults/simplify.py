from tinygrad.uop.ops import UOp
a = UOp.variable("a", 0, 10)
for e in (a + 0, (a * 2) // 2, (a * 4 + 2) // 2, a * 4 % 4, a + a):
    print(e.simplify().render(simplify=False))
