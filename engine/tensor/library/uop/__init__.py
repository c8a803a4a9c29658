"""UOps as objects."""
from tinygrad.uop.ops import Ops, PatternMatcher, UOp, UPat, graph_rewrite
