"""Facts of the tensor library that no table of values shows. Run by lazyscope-cli: an assertion that fails ends it."""
import copy
from tinygrad import GlobalCounters, Tensor, TinyJit, Variable, dtypes
from tinygrad.engine.jit import TinyJit as OlderName


def equal(a, b):
    assert a == b, f"{a!r} is not {b!r}"


# A lazy buffer is printed as in 2024.
t = Tensor([1, 2, 3])
y = t + 2
lazy = y.lazydata
one = "ShapeTracker(views=(View(shape=(3,), strides=({},), offset=0, mask=None, contiguous={}),))"
equal(repr(t.lazydata), "<LB CPU (3,) int (<LoadOps.COPY: 3>, None)>")
equal(repr(t.lazydata.srcs), "(<LB NPY (3,) int (<LoadOps.EMPTY: 1>, <buf real:True device:NPY size:3 dtype:dtypes.int offset:0>)>,)")
equal((t.lazydata.arg, t.lazydata.size, repr(t.lazydata.st), t.lazydata._base), (12, 3, one.format(1, True), None))
equal((repr(lazy.op), lazy.arg, lazy.contiguous_child, lazy.forced_realize), ("<BinaryOps.ADD: 1>", None, None, False))
equal([repr(source) for source in lazy.srcs], ["<LB CPU (3,) int (<LoadOps.COPY: 3>, None)>", f"<LB CPU (3,) int {one.format(0, False)}>"])
equal((repr(lazy.srcs[1].base.op), lazy.srcs[1].base.arg, lazy.srcs[1].base.shape), ("<LoadOps.CONST: 2>", 2, ()))
equal(repr(lazy.buffer), "<buf real:False device:CPU size:3 dtype:dtypes.int offset:0>")
equal((y._ctx, y.grad, y.requires_grad), (None, None, None))
equal(repr(t.pad((1, 1)).lazydata.st.views[0].mask), "((1, 4),)")
equal((t.sum().lazydata.base.op.name, t.sum().lazydata.base.arg, t.float().lazydata.arg), ("SUM", (0,), dtypes.float))
equal((y.uop.is_realized, y.uop.realized, y.uop.base is y.uop, Tensor(y.uop).tolist()), (False, None, True, [3, 4, 5]))
y.realize()
equal((y.uop.is_realized, repr(y.lazydata.realized)), (True, "<buf real:True device:CPU size:3 dtype:dtypes.int offset:0>"))

# Counters start at zero, and count launches and copies.
GlobalCounters.reset()
equal((GlobalCounters.kernel_count, GlobalCounters.global_ops, GlobalCounters.global_mem), (0, 0, 0))
(Tensor([1.0, 2.0, 3.0, 4.0]) * 2).realize()
equal((GlobalCounters.kernel_count, GlobalCounters.global_ops, GlobalCounters.global_mem), (2, 4, 16 + 32))
assert GlobalCounters.time_sum_s > 0 and GlobalCounters.mem_used > 0

# A realized tensor is memory; the same expression written again has its gradient, and so have tensors made from it before.
x = Tensor([1.0, 2.0])
square = x * x
before = square * 3
square.realize()
equal((x * x).sum().gradient(x)[0].tolist(), [2.0, 4.0])
equal((square * 3).sum().gradient(x)[0].tolist(), [0.0, 0.0])
equal((square * 3).sum().gradient(square)[0].tolist(), [3.0, 3.0])
equal([g.tolist() for g in before.sum().gradient(x, square)], [[6.0, 12.0], [3.0, 3.0]])
view = square.reshape(2, 1)
square.assign(square + 1)
equal((square.tolist(), view.tolist()), ([2.0, 5.0], [[2.0], [5.0]]))

# backward: what leads to memory gets a gradient, numbers alone have none; a detached source gets zeros.
scale, a, b = Tensor.arange(2).float(), Tensor(3.0, requires_grad=True), Tensor(3.0, requires_grad=True)
source = Tensor([1.0, 2.0])
(source.detach() * scale * a + source * a * b).sum().backward()
equal((scale.grad, source.grad.tolist(), a.grad.item(), b.grad.item()), (None, [9.0, 9.0], 2.0 + 9.0, 9.0))
# … unless they are asked to have one: equal ones are then tensors of their own.
eyes = [Tensor.eye(2, requires_grad=True), Tensor.eye(2, requires_grad=True), (Tensor.eye(2) * 1).requires_grad_(), Tensor.linspace(0, 1, 2, requires_grad=True), Tensor.arange(2.0, requires_grad=True)]
sum((eye * (i + 1)).sum() for i, eye in enumerate(eyes)).backward()
equal([eye.grad.flatten().tolist() for eye in eyes], [[1.0] * 4, [2.0] * 4, [3.0] * 4, [4.0] * 2, [5.0] * 2])
weight = Tensor([1.0])
weight.detach().mul(source).sum().backward()
equal(weight.grad.tolist(), [0.0])

# Bits written through a view of another dtype.
bits = Tensor([1.0, 2.0]).realize()
bits.bitcast(dtypes.uint32).assign(Tensor([0x40800000, 0x3f800000], dtype=dtypes.uint32))
equal(bits.tolist(), [4.0, 1.0])
bits.bitcast(dtypes.int32).reshape(2, 1).flip(0).assign(Tensor([[0], [0x40000000]]))
equal(bits.tolist(), [2.0, 0.0])

# Numbers at the edges.
equal((dtypes.int8.min, dtypes.int8.max, dtypes.uint64.max, dtypes.bool.max, dtypes.half.min), (-128, 127, 2 ** 64 - 1, True, -float("inf")))
zeros = Tensor([-0.0, 1.0])
equal(str(zeros.cat(zeros).tolist() + Tensor.stack(zeros, zeros)[1].tolist() + zeros.abs().tolist()), "[-0.0, 1.0, -0.0, 1.0, -0.0, 1.0, -0.0, 1.0]")
equal((Tensor([1.0, float("nan"), 3.0]).argmax().item(), Tensor([1.0, float("nan"), 3.0]).argmin().item()), (1, 1))
wide = Tensor([2 ** 64 - 1, 5], dtype=dtypes.uint64)
equal(((wide > -1).tolist(), (wide < -1).tolist(), wide.eq(-1).tolist(), wide.maximum(-3).tolist()), ([True] * 2, [False] * 2, [False] * 2, [2 ** 64 - 1, 5]))
for extreme in (-300.0, 300.0):
    for f in (Tensor.sigmoid, Tensor.tanh, Tensor.gelu, Tensor.quick_gelu, Tensor.silu):
        point = Tensor([extreme])
        equal(f(point).sum().gradient(point)[0].item(), float(extreme > 0 and f not in (Tensor.sigmoid, Tensor.tanh)))

# Copies, a jitted method, a bound variable.
equal(copy.deepcopy(wide).tolist(), wide.tolist())


class Counter:
    def __init__(self): self.total = Tensor([0]).realize()

    @TinyJit
    def add(self, n): return self.total.assign(self.total + n)


counter = Counter()
equal([counter.add(Tensor([n])).item() for n in range(5)], [0, 1, 3, 6, 10])
assert OlderName is TinyJit
n = Variable("n", 1, 10).bind(3)
table = Tensor.arange(12).reshape(6, 2)
equal((tuple(map(int, table[:n].shape)), table[n].tolist(), (table.sum() * n).item(), Tensor.ones(n, 2).sum().item(), int(n + 1)), ((3, 2), [6, 7], 198, 6.0, 4))
# Progress: what a loop says of itself is not drawn.
from tinygrad.helpers import tqdm, trange
turns = trange(3)
for turn in turns:
    turns.set_description(f"loss {turn}")
with tqdm(total=4) as bar:
    bar.update(2)
equal((turn, turns.n, len(turns), bar.n, [2 * x for x in tqdm([1, 2], desc="x")]), (2, 3, 3, 2, [2, 4]))
# Data that is here already: nothing is loaded. The cache is tinygrad's.
import gzip, hashlib, os, pathlib, tempfile
from tinygrad.helpers import fetch
from tinygrad.nn import datasets
with tempfile.TemporaryDirectory() as cache:
    os.environ["XDG_CACHE_HOME"], downloads = cache, pathlib.Path(cache) / "tinygrad" / "downloads"
    downloads.mkdir(parents=True)
    for name, shape in (("train-images-idx3", (3, 28, 28)), ("train-labels-idx1", (3,)), ("t10k-images-idx3", (2, 28, 28)), ("t10k-labels-idx1", (2,))):
        header = bytes([0, 0, 8, len(shape)]) + b"".join(n.to_bytes(4, "big") for n in shape)
        elements = bytes(i % 251 for i in range(shape[0] * (784 if shape[1:] else 1)))
        (downloads / (hashlib.md5(f"{datasets.MNIST}{name}-ubyte.gz".encode()).hexdigest() + ".gunzip")).write_bytes(header + elements)
    X, Y, X_test, Y_test = datasets.mnist()
    equal((X.shape, Y.tolist(), X_test.shape, Y_test.tolist(), X[1, 0, 0, 0].item()), ((3, 1, 28, 28), [0, 1, 2], (2, 1, 28, 28), [0, 1], 784 % 251))
    (downloads / (hashlib.md5(b"http://a/b.gz").hexdigest() + ".gunzip")).write_bytes(gzip.compress(b"abc"))
    equal((Tensor.from_url("http://a/b.gz", gunzip=True).tolist(), fetch("http://a/b.gz", gunzip=True).read_bytes()), ([97, 98, 99], b"abc"))
    try:
        fetch("http://a/c.txt")
    except FileNotFoundError as error:
        assert "save http://a/c.txt as" in str(error)
    else:
        raise AssertionError("what is not here was fetched")
print("the library is as it says")
