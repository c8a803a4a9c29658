"""Rules by op, tags and texts of UOps, under the names that tinygrad has for them."""
from tinygrad.uop.ops import Ops, PatternMatcher, UOp, UPat, pyrender
from tinygrad.uop.render import pyrender as same
x = UPat.var("x")
add = lambda x: x
pm = PatternMatcher([(x + 0, add), (UPat((Ops.MUL, Ops.ADD), name="u"), lambda u: None)]) + PatternMatcher("x:int * 1 -> x")
assert [f for t, f in pm.pdict[Ops.ADD]][0] is add and len(pm.pdict[Ops.ADD]) == 2 and len(pm.pdict[Ops.MUL]) == 2
assert pm.pdict[Ops.MUL][1] == ("x:int * 1 -> x", None) and Ops.SUB not in pm.pdict, pm.pdict
i = UOp.variable("i", 0, 3)
assert i.rtag(2) is not i and i.rtag(2).tag == 2 and i.rtag(2) is i.rtag(2) and same is pyrender
assert pyrender(i + 1) == (i + 1).pyrender() and UOp.parse(pyrender(i + 1)) is i + 1
