# Rewriting a graph by rules of one's own, as text and as functions; each step is recorded.
# opens at: 0/graph_rewrite@21/1
from tinygrad import dtypes
from tinygrad.uop.ops import Ops, PatternMatcher, UOp, UPat, graph_rewrite

i = UOp.variable("i", 0, 15)
index = (i * 4 + 0) * 1 + i * 2 + (i // 1) * 0
print(index.render(simplify=False))

# A rule as text: a pattern, an arrow, its replacement. The comment says why it is allowed.
neutral = PatternMatcher("""
# Adding zero changes nothing.
plus-zero: x:int + 0 -> x
# One times x is x.
times-one: x * 1 -> x
# Zero times an integer is zero.
times-zero: x:int * 0 -> 0
# Dividing by one changes nothing.
by-one: x // 1 -> x
""")
index = graph_rewrite(index, neutral)
print(index.render(simplify=False))

# A rule as a pattern and a function: the function gets what the pattern's names are bound to.
x, a, b = UPat.var("x"), UPat.cvar("a"), UPat.cvar("b")
factor = PatternMatcher([(x * a + x * b, lambda x, a, b: x * (a.arg + b.arg))])
index = graph_rewrite(index, factor)
print(index.render(simplify=False), "from", index.vmin, "to", index.vmax)

# A matcher by itself says what its first rule makes of a node: here text, sources first.
writer = PatternMatcher([
  (UPat(Ops.CONST, name="u"), lambda u: str(u.arg)),
  (UPat(Ops.SPECIAL, name="u"), lambda u: u.arg),
  (UPat(Ops.MUL, name="u"), lambda ctx, u: f"mul({ctx[u.src[0]]}, {ctx[u.src[1]]})"),
])
texts = {}
for node in index.toposort():
  texts[node] = writer.rewrite(node, texts)
print(texts[index])

print(index.substitute({i: UOp.const(dtypes.int, 7)}).simplify().arg)
print(index.pyrender())
print(UOp.parse(index.pyrender()) is index)
