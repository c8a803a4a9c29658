"""The kernels of a realization before it runs: `Tensor.schedule()` returns a list of `ScheduleItem`."""
import _lazyscope
from tinygrad.helpers import dedup, flatten
from tinygrad.lazydata import Buffer, LazyBuffer
from tinygrad.variable import Variable


class ScheduleItem:
    """A kernel before it is made: its tree (ast), its buffers (bufs, the result's first), the node that it computes, and the reason of the schedule (reason)."""
    metadata = ()      # the recording has the methods that made the nodes of a kernel

    def __init__(self, ast, bufs, node, reason, wanted):
        self.ast, self.bufs, self.node, self.reason, self.wanted = ast, bufs, node, reason, wanted

    @property
    def outputs(self): return self.bufs[:len(self.ast.src)]      # the SINK has a store for each
    @property
    def inputs(self): return self.bufs[len(self.ast.src):]
    def __repr__(self): return f"ScheduleItem(ast={self.ast!r}, bufs={self.bufs!r})"


def buffer_of(number, size, dtype, allocated):
    buffer = Buffer((number, size), "CPU", size, dtype)
    buffer.allocated = allocated
    return buffer


def create_schedule(outs, seen=None):
    """The items of several tensors, lazy buffers or UOps, in the order in which they are launched. Nothing is computed. Data of the program is in memory already: it has no item; neither has a value that another schedule has."""
    wanted = [out.uop if isinstance(out, LazyBuffer) else out for out in outs]
    wanted = [out for out in wanted if getattr(out, "uop", out) not in LazyBuffer.scheduled]
    LazyBuffer.scheduled.update([getattr(out, "uop", out) for out in wanted])
    if not wanted:
        return []
    return [ScheduleItem(ast, tuple([buffer_of(*buffer) for buffer in buffers]), node, reason, wanted) for ast, buffers, node, reason in _lazyscope.schedule(wanted)]


def create_schedule_with_vars(outs, seen=None):
    """The items, and the value of each variable that is bound in them."""
    items = create_schedule(outs, seen)
    return items, variables_of([out.uop if isinstance(out, LazyBuffer) else out for out in outs])


def variables_of(nodes):
    """{variable: value} for the variables bound below the nodes."""
    found = {}
    for node in dedup(flatten([(x.uop if isinstance(x, _lazyscope.Node) else x).toposort() for x in nodes])):
        if node.op.name == "BIND":
            _, _, _, now, unbound = _lazyscope.size_facts(_lazyscope.of_uop(_lazyscope.Node, node))
            if unbound is None:
                found[Variable(*node.arg[:3])] = now
    return found
