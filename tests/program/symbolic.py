"""Random programs with variable sizes and indices, against the same programs with numbers, for every value of the variables; and other promises of symbolic sizes."""
import math
import random
import sys
from tinygrad import Tensor, Variable, TinyJit, dtypes
from tinygrad.helpers import fully_flatten

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 40


def close(a, b):
    a, b = fully_flatten(a), fully_flatten(b)
    return len(a) == len(b) and all(math.isclose(x, y, rel_tol=1e-5, abs_tol=1e-5) or (math.isnan(x) and math.isnan(y)) for x, y in zip(a, b))


def step(rand, x, n, i, is_whole):
    """One more op of a tensor; n: a size from 1 to 5, i: a place from 0 to 3, numbers or variables. is_whole: whether an axis has all 6."""
    k = rand.randrange(26)
    if x.ndim == 0:
        return x.reshape(1, 1).expand(6, n) + 1
    axis = rand.randrange(x.ndim)
    before = (slice(None),) * axis
    if k == 0 and is_whole(x.shape[axis]):
        return x[before + (slice(None, n),)]
    if k == 1 and is_whole(x.shape[axis]):
        return x[before + (i,)]
    if k == 2 and is_whole(x.shape[axis]):
        return x[before + (slice(i, i + 2),)]
    if k == 3 and is_whole(x.shape[axis]):
        return x[before + (slice(i, i + 1),)].expand(tuple(3 if a == axis else size for a, size in enumerate(x.shape)))
    if k == 4:
        return x.sum(axis)
    if k == 5:
        return x.max(axis, keepdim=True)
    if k == 6:
        return x.mean(axis)
    if k == 7:
        return x.softmax(axis)
    if k == 8:
        return x.permute(tuple(rand.sample(range(x.ndim), x.ndim)))
    if k == 9:
        return x.reshape(-1)
    if k == 10:
        return x.flatten()[: 1]
    if k == 11:
        return x.pad(tuple((1, 1) if a == axis else None for a in range(x.ndim)))
    if k == 12:
        return x.flip(axis)
    if k == 13 and x.ndim < 3:
        return (x.unsqueeze(0) * Tensor.ones(2, *(1,) * x.ndim)) + n
    if k == 14:
        return (x > x.mean()).where(x, x * n)
    if k == 15 and x.ndim == 2:
        return x @ x.T
    if k == 16:
        return x.cat(x, dim=axis)
    if k == 17:
        return x.contiguous().realize() - 1
    if k == 18 and x.ndim < 3:
        return x.unsqueeze(axis).expand(x.shape[:axis] + (n,) + x.shape[axis:]).sum(axis)
    if k == 19:
        return x.clip(-3, 3).exp()
    if k == 20:
        return x.pad(tuple((n, i) if a == axis else None for a in range(x.ndim)), value=rand.choice((0, 1.5)))
    if k == 21:
        return x[before + (slice(None, None, -1),)]
    if k == 22 and is_whole(x.shape[axis]):
        return x[before + (slice(None, n),)].cat(x[before + (slice(n, None),)] + 1, dim=axis)
    if k == 23 and is_whole(x.shape[axis]):
        return x[before + (slice(None, n),)].cat(x, x[before + (slice(i, i + 2),)].flip(axis), dim=axis)
    if k == 24 and x.shape[axis] > 1:
        return x.pad(tuple((i, -1) if a == axis else None for a in range(x.ndim)))
    return x * 2 - i


def program(seed, n, i, answers=None):
    """Its result, and which axes were whole: the current value of a size must not choose another way with numbers."""
    rand, given = random.Random(seed), []
    x = data

    def is_whole(size):
        given.append(answers[len(given)] if answers is not None else size == 6)
        return given[-1]
    for _ in range(rand.randrange(2, 7)):
        x = step(rand, x, n, i, is_whole)
    return x.tolist(), given


data = (((Tensor.arange(216) * 7) % 11).cast(dtypes.float32) - 4).clone().realize().reshape(6, 6, 6)
size, place = Variable("n", 1, 5), Variable("i", 0, 3)
for seed in range(ROUNDS):
    for value in range(1, 6):
        at = (value * 3 + seed) % 4
        symbolic, answers = program(seed, size.bind(value), place.bind(at))
        plain, _ = program(seed, value, at, answers)
        assert close([symbolic], [plain]), f"seed {seed}, n={value}, i={at}: {symbolic} is not {plain}"

# Its visible attributes.
n = size.bind(3)
x = data[:n, 0]
assert repr(x.shape) == "(n=3, 6)" and repr(x.T.shape) == "(6, n=3)" and repr(x.reshape(-1).shape) == "((n*6)=18,)", (x.shape, x.T.shape, x.reshape(-1).shape)
assert repr(x.reshape(x.shape[0] * 3, 2).shape) == "((n*3)=9, 2)" and x.shape[0] == size.bind(3) and x.shape[0] != size.bind(4) and x.shape[0] + 1 == 1 + n
assert (n + 2 - n, (n * 4) // 2 == n * 2, int(n * n), n.vmin, n.vmax, (n + 1).vmax, n.unbind(), max(n, 2)) == (2, True, 9, 1, 5, 6, (size, 3), n)
assert x.shape == data[:n, 1].shape and len(x.tolist()) == 3 and x.numel() == n * 6
assert Variable("one", 4, 4).bind(4) == 4      # it has one value
for wrong in (0, 6, True and "3"):
    try:
        size.bind(wrong)
    except (AssertionError, TypeError):
        continue
    assert False, wrong
# Two values of one variable in one kernel.
assert (data[0, 0, size.bind(2)] + data[0, 0, size.bind(4)]).item() == (data[0, 0, 2] + data[0, 0, 4]).item()
# A loop with a cache, as in decoding: a write at an index, and a read up to it.
cache, count = Tensor.zeros(8, 2).contiguous().realize(), Variable("count", 0, 7)


@TinyJit
def decode(cache, value, at):
    cache.shrink(((at, at + 1), None)).assign(value.reshape(1, 2)).realize()
    return cache[: at + 1].sum(0).realize()


total = [0, 0]
for turn in range(8):
    total = [total[0] + turn, total[1] + 2 * turn]
    assert decode(cache, Tensor([turn, 2.0 * turn]), count.bind(turn)).tolist() == total, turn
assert cache.tolist() == [[turn, 2 * turn] for turn in range(8)]
# Triangles of variable sizes, as masks of attention over earlier positions have them; expressions of variables have no dtype of their own; a number beyond 32 bits is kept.
before, rows = Variable("before", 0, 5), Variable("rows", 1, 10).bind(4)
for at in (0, 1, 3):
    start = before.bind(at)
    for triangle, above in (("triu", True), ("tril", False)):
        mask = getattr(Tensor.full((1, 1, rows, start + rows), 2.0), triangle)(start + 1)
        expected = [[2.0 if (column - row >= at + 1 if above else column - row <= at + 1) else 0.0 for column in range(at + 4)] for row in range(4)]
        assert mask.tolist() == [[expected]], (triangle, at, mask.tolist(), expected)
assert (n * 4).dtype is None and Tensor(n * 4).item() == 12 and Tensor(place.bind(0)).item() == 0
assert Tensor(Variable("large", 0, 2**40).bind(2**35)).item() == 2**35 and Tensor(2**35).tolist() == 2**35 and Tensor(2**63).item() == 2**63
assert Tensor(before.bind(3) + 2**35).item() == 2**35 + 3 and Tensor(before.bind(3) * 2**32).item() == 3 << 32
# A variable without a value is a size and an index of tensors that can be inspected, and computed only with a value.
free, at = Variable("free", 1, 6), Variable("at", 0, 3)
lazy = data[:free]
assert repr(lazy.shape) == "(free, 6, 6)" and lazy.shape[0] == free and repr(lazy.flip(0).pad(((1, free), None, None)).shape) == "((free*2+1), 6, 6)"
assert (lazy.sum(0).shape, lazy.softmax(0).shape, data[at].shape, data[at:at + 2].shape[0], Tensor.ones(free, 2).shape[1]) == ((6, 6), lazy.shape, (6, 6), 2, 2)
assert (lazy * 2).sum().gradient(data)[0].shape == data.shape and repr(free * 2 + 1) == "(free*2+1)" and free + 2 - free == 2
assert (free <= 6, free > 0, 7 > free, (free + 1).vmax, free.bind(2) == free, len({free, lazy.shape[0]})) == (True, True, True, 7, False, 1)
for wrong in (lambda: lazy.sum().item(), lambda: lazy.tolist(), lambda: data[at].tolist(), lambda: (data * free).realize(), lambda: Tensor(free).item(), lambda: lazy[::2], lambda: int(free),
              lambda: range(free), lambda: [0] * lazy.shape[0], lambda: free < 3, lambda: Tensor.empty(free), lambda: data.reshape(free, -1), lambda: free % 2):
    try:
        wrong()
    except (TypeError, RuntimeError) as error:
        name = "at" if "at" in wrong.__code__.co_names else "free"
        assert f"variable {name} has no value: bind it, as in {name}.bind(" in str(error) or "can't multiply" in str(error), error
        continue
    assert False, wrong.__code__.co_firstlineno
assert data[: free.bind(2)].sum().item() == data[:2].sum().item()
