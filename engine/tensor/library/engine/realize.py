"""Runs a schedule."""
import _lazyscope
from tinygrad.helpers import dedup, flatten
from tinygrad.tensor import Tensor


def run_schedule(schedule, var_vals=None, do_update_stats=True):
    """Runs the items, so that their tensors have memory. Bound variables carry their values."""
    wanted = dedup(flatten([item.wanted for item in schedule]))
    Tensor.realize(*[x if isinstance(x, _lazyscope.Node) else Tensor(x) for x in wanted]) if wanted else None
