"""The module in which older programs find UOps."""
from tinygrad.uop.ops import Ops, PatternMatcher, UOp, UPat, graph_rewrite
