"""Tensor.schedule() and attributes of UOps and dtypes: reading computes nothing, and later results match."""
from tinygrad import Tensor, Variable, dtypes
from tinygrad.engine.realize import run_schedule
from tinygrad.engine.schedule import create_schedule
from tinygrad.helpers import Context, GlobalCounters
from tinygrad.uop.ops import Ops, UOp

x = Tensor([[1.0, 2.0], [3.0, 4.0]]).realize()
y = (x @ x).softmax()
GlobalCounters.reset()
items, values = y.schedule_with_vars()
assert (len(items), values, GlobalCounters.kernel_count, y.lazydata.realized) == (2, {}, 0, None), (items, GlobalCounters.kernel_count)
for item in items:
    assert item.ast.op is Ops.SINK and item.ast.src[0].op is Ops.STORE and item.bufs == item.outputs + item.inputs and item.reason
    assert not any(u.op in (Ops.BUFFER, Ops.RESHAPE, Ops.EXPAND) for u in item.ast.toposort()), item.ast.pyrender()
    assert not item.bufs[0].is_allocated() and item.node.shape is not None
assert items[0].bufs[1] == x.lazydata.buffer and items[0].bufs[1].is_allocated() and items[0].bufs[0] in items[1].inputs and items[-1].bufs[0].size == 4
assert y.schedule() == [] and create_schedule([y.lazydata]) == [] and not hasattr(y.lazydata.base, "srcs")      # it can be scheduled once
assert hasattr((y + 1).lazydata, "srcs")
run_schedule(items)
assert GlobalCounters.kernel_count == 2 and y.lazydata.realized == items[-1].bufs[0] and y.schedule() == [] and [item.ast for item in y.lazydata.schedule()] == []
assert abs(sum(y[0].tolist()) - 1) < 1e-6
both = (x + 1).schedule(x * 2)      # one kernel with two results
assert len(both) == 1 and len(both[0].outputs) == 2 and both[0].inputs == (x.lazydata.base.buffer,) and x.schedule() == [] and Tensor([1, 2]).schedule() == []
kept = (x + 3).sum()
kept.schedule()
assert kept.item() == 22 and (x + 3).sum().schedule() == []
z = x * 5
assert len(z.schedule()) == 1 and z.tolist() == [[5, 10], [15, 20]]      # it is computed all the same
n = Variable("n", 1, 2)
assert x[:n.bind(1)].sum().schedule_with_vars()[1] == {n: 1} and x[:n.bind(2)].sum().item() == 10
# Movement of nodes; constants of dtypes.
node = x.uop
assert [u.shape for u in (node.reshape(4), node.reshape((1, 4)).expand(3, 4).flip(0), node.permute(1, 0), node.pad(((1, 1), (0, 0))), node.shrink(((0, 1), None)))] == [(4,), (3, 4), (2, 2), (4, 2), (1, 2)]
assert Tensor(node.permute((1, 0)).shrink(((0, 1), None))).tolist() == [[1, 3]] and node.reshape(4) is x.reshape(4).uop
assert (dtypes.half.const(1 / 3), dtypes.int8.const(300), dtypes.bool.const(2), dtypes.int.const(2.7), dtypes.as_const(3, dtypes.float)) == (0.333251953125, 300, True, 2, 3.0)
for wrong in (lambda: node.reshape(5), lambda: UOp.variable("v", 0, 3).permute(1, 0), lambda: Tensor(UOp.variable("v", 0, 3)), lambda: UOp.variable("v", 0, 300, dtypes.int8)):
    try:
        wrong()
    except (RuntimeError, ValueError, IndexError):
        continue
    assert False, wrong.__code__.co_firstlineno
v, r = UOp.variable("v", 0, 10), UOp.range(10, 0)
shown = [u.simplify().render(simplify=False) for u in (v >= 0, v <= 10, v >= 3, v <= 3, v.minimum(20), (r * 4 + 2) // 2)]
assert shown == ["True", "True", "!(v<3)", "!(3<v)", "v", "((i*2)+1)"], shown
for dtype in dtypes.int, dtypes.uint, dtypes.int8, dtypes.uint64:      # the least is its own negative
    least = UOp.const(dtype, dtypes.min(dtype))
    assert [a.minimum(b).simplify().arg for a, b in ((least, UOp.const(dtype, 5)), (UOp.const(dtype, 5), least), (UOp.const(dtype, 7), UOp.const(dtype, 5)))] == [least.arg, least.arg, 5], dtype
assert (v.minimum(3).vmax, r.vmax, node.size, node.ndim) == (3, 9, 4, 2)
# With SPEC=2 a node that is made by hand is checked.
a, b = UOp.const(dtypes.int, 1), UOp.const(dtypes.float, 2.0)
made = (lambda: UOp(Ops.ADD, dtypes.int, (a, b)), lambda: UOp(Ops.CMPLT, dtypes.int, (a, a)), lambda: a + b, lambda: a.replace(dtype=dtypes.void), lambda: UOp.parse(text))
text = made[0]().pyrender()
with Context(SPEC=2):
    for make in made:
        try:
            make()
        except RuntimeError as error:
            assert "violates the spec" in str(error), error
            continue
        assert False, make.__code__.co_firstlineno
    assert (UOp(Ops.ADD, dtypes.int, (a, a)) * 2).simplify().arg == 4 and (x + 5).sum().item() == 30
assert made[0]().op is Ops.ADD
print("schedule: all as expected")
