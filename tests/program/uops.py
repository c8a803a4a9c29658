"""Rules by op, tags and texts of UOps, under the names that tinygrad has for them."""
from tinygrad import dtypes
from tinygrad.uop.ops import GroupOp, Ops, PatternMatcher, UOp, UOpMetaClass, UPat, graph_rewrite, pyrender
from tinygrad.uop.render import pyrender as same
x = UPat.var("x")
add = lambda x: x
pm = PatternMatcher([(x + 0, add), (UPat((Ops.MUL, Ops.ADD), name="u"), lambda u: None)]) + PatternMatcher("x:int * 1 -> x")
assert [f for t, f in pm.pdict[Ops.ADD]][0] is add and len(pm.pdict[Ops.ADD]) == 2 and len(pm.pdict[Ops.MUL]) == 2
assert pm.pdict[Ops.MUL][1] == ("x:int * 1 -> x", None) and Ops.SUB not in pm.pdict, pm.pdict
i = UOp.variable("i", 0, 3)
assert i.rtag(2) is not i and i.rtag(2).tag == 2 and i.rtag(2) is i.rtag(2) and same is pyrender
assert pyrender(i + 1) == (i + 1).pyrender() and UOp.parse(pyrender(i + 1)) is i + 1
# Tags: texts and numbers, and no tag.
tagged = i.replace(tag="seen")
assert tagged is not i and tagged.tag == "seen" and tagged is i.rtag("seen") and tagged.replace(tag=None) is i and i.tag is None and "seen" in repr(tagged)
assert UOp.parse(pyrender(tagged + 1)) is tagged + 1 and (tagged + 1) is not (i + 1) and UOp(Ops.CONST, dtypes.int, arg=1, tag="a 'quoted' one").tag == "a 'quoted' one"
for wrong in 32768, -1, (1, 2), "a\0b":
    try:
        i.replace(tag=wrong)
    except (ValueError, TypeError):
        continue
    assert False, wrong
# A text in the place of a value, and rules over texts: one pattern for all sources.
a, b = UOp.variable("a", 0, 10), UOp.variable("b", 0, 10)
text = UOp(Ops.NOOP, arg="text")
assert text.arg == "text" and text is UOp(Ops.NOOP, arg="text") and UOp.parse(pyrender(text)) is text and text is not UOp(Ops.NOOP)
renderer = PatternMatcher([
    (UPat(Ops.DEFINE_VAR, name="x"), lambda x: UOp(Ops.NOOP, arg=x.arg[0])), (UPat(Ops.CONST, name="x"), lambda x: UOp(Ops.NOOP, arg=str(x.arg))),
    (UPat(GroupOp.Unary, src=UPat(Ops.NOOP), name="x"), lambda x: UOp(Ops.NOOP, arg=f"{x.op.name}({x.src[0].arg})")),
    (UPat(GroupOp.ALU - GroupOp.Unary, src=UPat(Ops.NOOP), name="x"), lambda ctx, x: UOp(Ops.NOOP, arg="(" + ctx.get(x.op, "?").join(s.arg for s in x.src) + ")")),
])
signs = {Ops.ADD: "+", Ops.MUL: "*"}
assert graph_rewrite(a * 2 + b, renderer, signs).arg == (a * 2 + b).render(simplify=False) == "((a*2)+b)"
assert graph_rewrite(-(a < 3).where(a, b), renderer, signs).arg == "NEG(((a?3)?a?b))"
assert graph_rewrite(UOp(Ops.ADD, dtypes.int, (UOp(Ops.NOOP, arg="p"), UOp(Ops.NOOP, arg="q"))) * 2, renderer, signs).arg == "((p+q)*2)"
assert (a * 2 + 0 * b).render() == "(a*2)" and UOp.range(10, 0).render(simplify=False) == "i" and (a + 1).render(pm=PatternMatcher([(UPat(Ops.ADD, name="x"), lambda x: UOp(Ops.NOOP, arg="sum"))])) == "sum"
# Arguments that a pattern demands.
zero, one = UOp.const(dtypes.int, 0), UOp.const(dtypes.int, 1)
z = UPat(Ops.CONST, arg=0, name="z")
assert z.match(zero, {}) == [{"z": zero}] and z.match(one, {}) == [] and z.match(zero, {"z": one}) == [] and z.match(zero, {"y": one}) == [{"y": one, "z": zero}]
assert UPat(Ops.CONST, arg=-2.5).match(UOp.const(dtypes.float, -2.5), {}) == [{}] and UPat(Ops.CONST, arg=-2.5).match(UOp.const(dtypes.float, 2.5), {}) == []
assert UPat(Ops.CONST, arg=float("inf"), name="c").match(UOp.const(dtypes.float, float("inf")), {}) and not UPat(Ops.CONST, arg=float("inf")).match(UOp.const(dtypes.float, 1.0), {})
assert UPat(Ops.NOOP, arg="text", name="t").match(text, {}) == [{"t": text}] and UPat(Ops.DEFINE_VAR, arg=("a", 0, 10)).match(a, {}) == [{}] and UPat(Ops.DEFINE_VAR, arg=("a", 0, 10)).match(b, {}) == []
r = UOp.range(10, 3)
assert UPat(Ops.RANGE, arg=(3, 0, 0), name="r").match(r, {}) == [{"r": r}] and UPat(Ops.RANGE, arg=(2, 0, 0)).match(r, {}) == []
drop = PatternMatcher([(UPat(Ops.ADD, src=[UPat.var("x"), z]), lambda x, z: x)])
assert drop.rewrite(zero + a) is a and drop.rewrite(a + 0) is a and drop.rewrite(a + 1) is None and graph_rewrite((a + 0) * (b + 0), drop) is a * b
# Sources in any order: of ops that have one as well, and next to sources in their order.
x, y = UPat.var("x"), UPat.cvar("c")
assert UPat(Ops.SUB, src=[x, y]).match(1 - a, {}) == UPat(Ops.SUB, src=[y, x]).match(1 - a, {}) == [{"x": a, "c": one}] and UPat(Ops.SUB, src=(x, y)).match(1 - a, {}) == []
assert UPat(Ops.WHERE, src=[UPat(Ops.CMPLT, name="q"), UPat(Ops.DEFINE_VAR, name="v"), UPat(Ops.CONST, name="k")]).match((a < b).where(1, b), {}) == [{"q": a < b, "v": b, "k": one}]
assert UPat(Ops.MUL, src=(UPat.var("y"), x + 1)).match(b * (1 + a), {}) == [{"y": b, "x": a}] and UPat(Ops.MUL, src=(UPat.var("y"), x + 1)).match((1 + a) * b, {}) == []
for wrong in lambda: UPat(Ops.SINK, src=UPat(Ops.NOOP)), lambda: UPat(src=UPat(Ops.NOOP)), lambda: UPat(Ops.ADD, src=[UPat(Ops.WHERE, src=[UPat(Ops.CONST), UPat(Ops.ADD), UPat(Ops.MUL)]), UPat(Ops.WHERE, src=[UPat(Ops.NEG), UPat(Ops.ADD), UPat(Ops.MUL)]), UPat(Ops.SUB)]):
    try:
        PatternMatcher([(wrong(), lambda: None)])
    except ValueError:
        continue
    assert False, wrong.__code__.co_firstlineno
# One node alone: the first result that is not the node; a function may return anything, and has the context.
names = {a: "a", b: "b"}
pm = PatternMatcher([(UPat(Ops.ADD, name="x"), lambda x: x), (UPat(Ops.ADD, name="x"), lambda ctx, x: f"({ctx[x.src[0]]}+{ctx[x.src[1]]})"), (UPat(Ops.MUL), lambda: (1, None))])
assert pm.rewrite(a + b, names) == "(a+b)" and pm.rewrite(a * b) == (1, None) and pm.rewrite(a - b) is None and pm.rewrite((a + b) * (a + b)) == (1, None)
try:
    pm.rewrite(a + b, {})
except KeyError:
    pass
else:
    assert False
# The nodes of the run.
cache = UOpMetaClass.ucache
keys = [(u.op, u.dtype, u.src, u.arg, u.tag) for u in (a, tagged, a + b, text)]
assert all(key in cache for key in keys) and cache[keys[2]]() is a + b and type(UOp) is UOpMetaClass
n, absent = len(cache), (Ops.ADD, dtypes.int, (b, b), None, "no such")
assert absent not in cache and cache.get(absent) is None and len(cache) == n and "no key" not in cache and (Ops.ADD, dtypes.int, (b,), None, None) not in cache
assert set(keys) <= set(cache) and len(list(cache)) == n and UOp(*absent[:4], tag="no such") is cache[absent]() and len(cache) == n + 1
