"""Values of every dtype against the same functions in double. Run by lazyscope-cli, without options and with several; a difference beyond the bound ends it.

The bound of floats: each function below says how many roundings (k) of the dtype its result may carry, so an element may be off by k · eps · scale, where eps is the
dtype's distance from 1 to the next number and scale the largest magnitude in the reference (or the one that the function names). Inputs are numbers that the dtype
holds, so that both computations begin with the same. A sum of half or bfloat16 adds up in float, and n terms that are added up are off by n · 2^-24 of scale (n · 2^-53 in double). Integers
and the results of comparisons are equal.
"""
import random
from tinygrad import Tensor, dtypes

random.seed(7)
FLOATS = [dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64]
EPS = {dtypes.float16: 2.0 ** -10, dtypes.bfloat16: 2.0 ** -7, dtypes.float32: 2.0 ** -23, dtypes.float64: 2.0 ** -52}
# Half of eps of the dtype that sums are added up in: what each addition may be off by.
ACCUMULATED = {dtypes.float16: 2.0 ** -24, dtypes.bfloat16: 2.0 ** -24, dtypes.float32: 2.0 ** -24, dtypes.float64: 2.0 ** -53}
# The step below the smallest normal number: what is smaller is off by half of it.
TINY = {dtypes.float16: 2.0 ** -24, dtypes.bfloat16: 2.0 ** -133, dtypes.float32: 2.0 ** -149, dtypes.float64: 0.0}
INTS = [dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8, dtypes.uint16, dtypes.uint32, dtypes.uint64]
SIZES = [1, 64, 300, 2100, -300, -5000, -33000]      # of numbers that differ, and of equal ones


def flat(t):
    return t.cast(dtypes.float64).flatten().tolist()


def gradient(f, *xs):
    """The gradients of f's sum, each element with a weight, side by side."""
    y = f(*xs)
    w = (Tensor.arange(y.numel()).reshape(y.shape) % 3 + 1).cast(y.dtype)
    return Tensor.cat(*[g.cast(dtypes.float64).flatten() for g in (y * w).sum().gradient(*xs)])


# name: (function of one vector of n numbers from 0.5 to 2, roundings, whether it adds up n numbers)
FUNCTIONS = {
    "sum": (lambda x: x.sum(), 1, True),
    "sum of rows": (lambda x: x.reshape(-1, x.shape[0]).expand(3, x.shape[0]).sum(axis=1), 1, True),
    "mean": (lambda x: x.mean(), 2, True),
    "var": (lambda x: x.var(correction=0), 6, True),
    "cumsum": (lambda x: x.cumsum(), 1, True),
    "max": (lambda x: x.max(), 0, False),
    "min": (lambda x: x.min(), 0, False),
    "product of few": (lambda x: x[:8].prod(), 8, False),
    "x·x + x": (lambda x: x * x + x, 3, False),
    "1/x": (lambda x: 1 / x, 1, False),
    "x^-3": (lambda x: x ** -3, 5, False),
    "sqrt": (lambda x: x.sqrt(), 1, False),
    "exp": (lambda x: x.exp(), 4, False),
    "log": (lambda x: x.log(), 3, False),
    "sin": (lambda x: x.sin(), 3, False),
    "sigmoid": (lambda x: x.sigmoid(), 6, False),
    "tanh": (lambda x: x.tanh(), 8, False),
    "gelu": (lambda x: x.gelu(), 16, False),
    "softmax": (lambda x: x.softmax(), 8, True),
    "logsumexp": (lambda x: x.logsumexp(), 8, True),
    "layernorm": (lambda x: x.reshape(1, -1).layernorm() if x.shape[0] > 1 else x, 24, True),
    "dot": (lambda x: x.dot(x), 1, True),
    "outer": (lambda x: x[:16].reshape(-1, 1) @ x[:16].reshape(1, -1), 1, False),
    "windows": (lambda x: x.pad((0, -x.shape[0] % 4)).reshape(1, 1, 2, -1).max_pool2d((1, 2)), 0, False),
    "where": (lambda x: (x > 1).where(x, 1 - x), 1, False),
    "clip": (lambda x: x.clip(0.75, 1.5), 0, False),
    "sort": (lambda x: x[:64].sort()[0], 0, False),
    "convolution": (lambda x: x.reshape(1, 1, -1).conv2d(x[:5].reshape(1, 1, -1), padding=(4, 4)) / 4, 3, True),
    "mean pool": (lambda x: x.pad((0, -x.shape[0] % 4)).reshape(1, 1, 2, -1).avg_pool2d((2, 2)), 2, False),
    "deviation": (lambda x: x.std(correction=0), 6, True),
    "norm": (lambda x: (x * x).sum().sqrt(), 3, True),
    "logcumsumexp": (lambda x: x.logcumsumexp(), 12, True),
    "log softmax": (lambda x: x.log_softmax(), 8, True),
    "einsum": (lambda x: Tensor.einsum("i,j->ij", x[:9], x[:7]), 1, False),
    "cross entropy": (lambda x: x.reshape(1, -1).cross_entropy(Tensor([0])), 10, True),
    "attention": (lambda x: Tensor.scaled_dot_product_attention(*[x[:64].reshape(1, -1, 1)] * 3), 24, True),
    "gather": (lambda x: x.gather(0, Tensor.arange(x.shape[0]) // 2), 0, False),
    "argmax": (lambda x: x.argmax(), 0, False),
    "count": (lambda x: (x > 1).sum(), 0, False),
    "count of ones": (lambda x: (x * 0 + 1).sum(), 1, False),
    "mean of ones": (lambda x: (x * 0 + 1).mean(), 1, False),
    "scatter": (lambda x: Tensor.zeros(4, dtype=x.dtype).scatter_reduce(0, Tensor.arange(x.shape[0]) % 4, x, "sum"), 2, True),
    "gradient of sum": (lambda x: gradient(lambda x: x.sum(), x), 1, False),
    "gradient of mean": (lambda x: gradient(lambda x: x.mean(), x), 3, False),
    "gradient of max": (lambda x: gradient(lambda x: x.max(), x), 2, False),
    "gradient of max of equals": (lambda x: gradient(lambda x: (x * 0 + 1).max() * x.max() + (x - x).max(), x), 4, True),
    "gradient of ties": (lambda x: gradient(lambda y: y.reshape(1, 1).expand(x.shape[0], 1).max(axis=0), x[:1]), 4, True),
    "gradient of flat maxima": (lambda x: gradient(lambda x: (x > 0).where(1, x).max() * 2, x), 4, True),
    "gradient of min": (lambda x: gradient(lambda x: x.min(), x), 2, False),
    "gradient of a product": (lambda x: gradient(lambda x: x[:8].prod(), x), 12, False),
    "gradient of softmax": (lambda x: gradient(lambda x: x.softmax() * x, x), 24, True),
    "gradient of squares": (lambda x: gradient(lambda x: (x * x).sum(), x), 3, False),
    "gradient of relu's pool": (lambda x: gradient(lambda x: (x - 1).relu().pad((0, -x.shape[0] % 4)).reshape(1, 1, 2, -1).max_pool2d((2, 2)), x), 4, False),
    "gradient of pow": (lambda x: gradient(lambda x: x ** -2, x), 12, False),
    "gradient of repeats": (lambda x: gradient(lambda y: y.expand(x.shape[0]).sum(), x[:1]), 2, True),
    "gradient of convolution": (lambda x: gradient(lambda x, w: x.reshape(1, 1, -1).conv2d(w.reshape(1, 1, -1)), x[:64], x[:1]), 4, True),
    "gradient of a bias": (lambda x: gradient(lambda b: (x.reshape(-1, 1) + b).sum(axis=0), x[:1]), 2, True),
    "gradient of mean pool": (lambda x: gradient(lambda x: x.pad((0, -x.shape[0] % 4)).reshape(1, 1, 2, -1).avg_pool2d((2, 2)), x), 4, False),
    "gradient of gather": (lambda x: gradient(lambda y: y.gather(0, Tensor.zeros(x.shape[0], dtype=dtypes.int32)), x[:1]), 4, True),
    "gradient of variance": (lambda x: gradient(lambda x: x.var(correction=0), x), 24, True),
    "gradient of cross entropy": (lambda x: gradient(lambda x: x.reshape(1, -1).cross_entropy(Tensor([0])), x), 24, True),
    "gradient of log softmax": (lambda x: gradient(lambda x: x.log_softmax(), x), 24, True),
    "gradient of cumsum": (lambda x: gradient(lambda x: x.cumsum(), x), 4, True),
    "gradient of minimum": (lambda x: gradient(lambda x, y: x.minimum(y), x, x.flip(0)), 2, False),
    "gradient of matmul": (lambda x: gradient(lambda a, b: a.reshape(-1, 1) @ b.reshape(1, -1), x[:300], x[:3]), 4, True),
    "gradient of dot": (lambda x: gradient(lambda x, y: x.dot(y), x, x + 1), 3, False),
}


def check(name, got, want, bound, where):
    assert len(got) == len(want), f"{name} of {where}: {len(got)} elements for {len(want)}"
    for i, (a, b) in enumerate(zip(got, want)):
        assert a == b or abs(a - b) <= bound or (a != a and b != b), f"{name} of {where}: element {i} is {a!r}, in double {b!r}: off by {abs(a - b)!r}, more than {bound!r}"


checked = 0
for dtype in FLOATS:
    for n in SIZES if dtype in (dtypes.float16, dtypes.bfloat16) else SIZES[:4]:
        # sixteenths are numbers of every float; equal ones are more than a small float can count
        values = [random.choice([8, 9, 11, 12, 13, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32]) / 16 for _ in range(abs(n))] if n > 0 else [1.0] * -n
        narrow = Tensor(values, dtype=dtype).realize()
        wide = Tensor(values, dtype=dtypes.float64).realize()
        for name, (function, roundings, adds) in FUNCTIONS.items():
            if n < -5000 and ("cumsum" in name or "gather" in name):
                continue      # each result is a sum of its own: 10^9 additions
            if n < -5000 and dtype is dtypes.float16 and name in ("gradient of softmax", "gradient of log softmax"):
                continue      # along the way stand 66,000 and 1/33,000², which half does not have
            want = flat(function(wide))
            # the terms of log softmax's gradient are weights, of 1 and more, that cancel
            scale = max(abs(v) for v in want + [float(name == "gradient of log softmax")])
            bound = ((roundings + 0.5) * EPS[dtype] + (abs(n) * ACCUMULATED[dtype] if adds else 0)) * scale + TINY[dtype] + 2.0 ** -48      # what double itself is off by
            check(name, flat(function(narrow)), want, bound, f"{abs(n)} {'' if n > 0 else 'equal '}numbers of {dtype}")
            checked += 1

# Integers: in the ring modulo 2^bits, against Python's own.
for dtype in INTS:
    low, high = dtypes.min(dtype), dtypes.max(dtype)
    def wrap(v): return (v - low) % (high - low + 1) + low
    values = [low, high, 0, 1, high - 1, low + 1, 5, 7, high // 3, low // 3] + [random.randint(low, high) for _ in range(30)]
    x = Tensor(values, dtype=dtype).realize()
    y = Tensor(values[::-1], dtype=dtype).realize()
    pairs = list(zip(values, values[::-1]))
    for name, got, want in (
        ("x + y", x + y, [wrap(a + b) for a, b in pairs]), ("x - y", x - y, [wrap(a - b) for a, b in pairs]), ("x · y", x * y, [wrap(a * b) for a, b in pairs]),
        ("max", x.maximum(y), [max(p) for p in pairs]), ("min", x.minimum(y), [min(p) for p in pairs]), ("x < y", (x < y).cast(dtype), [int(a < b) for a, b in pairs]),
        ("x // y", x // (y | 1), [wrap(a // (b | 1)) for a, b in pairs]), ("x % y", x % (y | 1), [wrap(a % (b | 1)) for a, b in pairs]),
        ("largest", x.max().reshape(1), [max(values)]), ("smallest", x.min().reshape(1), [min(values)]),
        ("sum in the dtype", x.sum(dtype=dtype).reshape(1), [wrap(sum(values))]), ("x·x·x", x * x * x, [wrap(a ** 3) for a in values])):
        assert got.tolist() == want, f"{name} of {dtype}: {got.tolist()} is not {want}"
        checked += 1
    # A bound that the dtype cannot hold counts as the nearest that it can.
    for bound in (-3, -(2 ** 70), 300, 2 ** 40, 2 ** 70, 5):
        near = min(max(bound, low), high)
        assert x.minimum(bound).tolist() == [min(v, near) for v in values], f"minimum({bound}) of {dtype}: {x.minimum(bound).tolist()}"
        assert x.maximum(bound).tolist() == [max(v, near) for v in values], f"maximum({bound}) of {dtype}: {x.maximum(bound).tolist()}"
        assert x.clip(bound, bound).tolist() == [near] * len(values), f"clip({bound}) of {dtype}: {x.clip(bound, bound).tolist()}"
        checked += 3
print(checked, "values checked")
