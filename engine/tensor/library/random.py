"""Random numbers. The generator is a counter run through the Threefry cipher, so that numbers depend on the seed and on how many were drawn before.

Threefry-2x32-20: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", 2011.
"""
import math
from tinygrad.device import canonicalize
from tinygrad.dtype import dtypes, to_dtype
from tinygrad.helpers import TRAINING, all_int, argfix, ceildiv, prod

ROTATIONS, PARITY, MASK = ((13, 15, 26, 6), (17, 29, 16, 24)), 0x1BD11BDA, 0xFFFFFFFF
DEVICE_KEY = 0x14B81119      # the last word of sha256 of device number 0, in 4 bytes


class _State:
    """The seed, and how many 32-bit words were drawn since it was set."""
    seed, drawn = None, 0


def threefry_numbers(x0, x1, key):
    """The cipher on two numbers."""
    k0, k1 = key
    keys = (k1, k0 ^ k1 ^ PARITY, k0)
    x0, x1 = x0 + k0 & MASK, x1 + k1 & MASK
    for i in range(5):
        for r in ROTATIONS[i % 2]:
            x0 = x0 + x1 & MASK
            x1 = x0 ^ ((x1 << r | x1 >> 32 - r) & MASK)
        x0, x1 = x0 + keys[i % 3] & MASK, x1 + keys[(i + 1) % 3] + i + 1 & MASK
    return x0, x1


class Random:
    __slots__ = ()

    @staticmethod
    def manual_seed(seed=0):
        """The same seed gives the same numbers again."""
        if not isinstance(seed, int):
            raise TypeError(f"manual_seed: a seed is an integer, not a {type(seed).__name__}")
        _State.seed, _State.drawn = seed, 0

    @classmethod
    def _threefry(cls, x0, x1, key):
        """The cipher on two tensors of uint32: five times four rounds of adding and rotating, the key mixed in after each four."""
        words = {}

        def add(x, n):
            if n not in words:
                words[n] = x.const_like(n)
            return x._binary("ADD", words[n])

        def turn(x, r):
            return x._binary("SHL", x.const_like(r))._binary("ADD", x._binary("SHR", x.const_like(32 - r)))
        k0, k1 = key
        keys = (k1, k0 ^ k1 ^ PARITY, k0)
        x0, x1 = add(x0, k0), add(x1, k1)
        for i in range(5):
            for r in ROTATIONS[i % 2]:
                x0 = x0._binary("ADD", x1)
                x1 = x0._binary("XOR", turn(x1, r))
            x0, x1 = add(x0, keys[i % 3]), add(x1, keys[(i + 1) % 3] + i + 1 & MASK)
        return x0, x1

    @classmethod
    def _random_bits(cls, n):
        """n random words of 32 bits: the key is the seed's, enciphered with the count; each call of the cipher gives two."""
        if _State.seed is None:
            import time
            _State.seed = int(time.time())
        key = threefry_numbers(_State.drawn & MASK, _State.drawn >> 32 & MASK, (DEVICE_KEY, _State.seed & MASK))
        _State.drawn += n
        half = ceildiv(n, 2)
        counts = cls.arange(half, dtype=dtypes.uint32)
        x0, x1 = cls._threefry(counts, counts + half, key)
        return x0.cat(x1)

    @classmethod
    def rand(cls, *shape, device=None, dtype=None, contiguous=True, requires_grad=None):
        """Uniform over [0, 1): random bits as the fraction of a float between 1 and 2, less 1."""
        canonicalize(device)
        shape, dtype = argfix(*shape), to_dtype(dtype) if dtype is not None else dtypes.default_float
        if not dtype.is_float or dtype in dtypes.weaks:
            raise ValueError(f"rand only supports concrete float dtypes, got {dtype}")
        if not all_int(shape) or not all(size >= 0 for size in shape):
            raise ValueError(f"invalid input shape={shape}")
        n, mantissa = prod(shape), dtypes.finfo(dtype)[1]
        words = ceildiv(n * dtype.itemsize, 4)
        if not words:
            return cls.full(shape, 0.0, dtype=dtype)
        unsigned = {each.itemsize: each for each in dtypes.uints}[dtype.itemsize]
        one = ((1 << dtypes.finfo(dtype)[0] - 1) - 1) << mantissa
        bits = cls._random_bits(words).shrink(((0, words),)).bitcast(unsigned)
        x = ((bits >> (8 * dtype.itemsize - mantissa)) | one).bitcast(dtype).shrink(((0, n),)) - 1
        x = x.reshape(shape)
        x = x.contiguous() if contiguous else x
        x.requires_grad = requires_grad
        return x

    def rand_like(self, **kwargs):
        """Uniform over [0, 1) in this tensor's shape and dtype."""
        return type(self).rand(*self.shape, **{"dtype": self.dtype, **kwargs})

    @classmethod
    def randn(cls, *shape, dtype=None, requires_grad=None, **kwargs):
        """Normal with mean 0 and deviation 1: √(-2 ln(1 - u₁)) · cos(2π u₀), https://en.wikipedia.org/wiki/Box-Muller_transform"""
        dtype, shape = to_dtype(dtype) if dtype is not None else dtypes.default_float, argfix(*shape)
        if not all_int(shape) or not all(size >= 0 for size in shape):
            raise ValueError(f"invalid input shape={shape}")
        u = cls.rand(2, *shape, dtype=dtypes.float32, **kwargs)
        x = u[0].mul(2 * math.pi).cos().mul((1 - u[1]).log().mul(-2).sqrt()).cast(dtype)
        x.requires_grad = requires_grad
        return x

    def randn_like(self, dtype=None, **kwargs):
        """Normal numbers in this tensor's shape and dtype."""
        dtype = dtype or self.dtype
        if dtype in dtypes.weaks:
            raise ValueError(f"randn_like requires an explicit dtype for {dtype}")
        return type(self).randn(*self.shape, dtype=dtype, **kwargs)

    @classmethod
    def uniform(cls, *shape, low=0.0, high=1.0, dtype=None, requires_grad=None, **kwargs):
        """Uniform over [low, high)."""
        shape = argfix(*shape)
        if not all_int(shape) or not all(size >= 0 for size in shape):
            raise ValueError(f"invalid input shape={shape}")
        if low >= high:
            raise ValueError(f"Tensor.uniform requires low < high, got {low=}, {high=}")
        x = ((high - low) * cls.rand(*shape, **kwargs)).cast(dtype if dtype is not None else dtypes.default_float) + low
        x.requires_grad = requires_grad
        return x

    @classmethod
    def randint(cls, *shape, low=0, high=10, dtype=dtypes.int32, **kwargs):
        """Integers uniform over [low, high)."""
        dtype = to_dtype(dtype)
        if not all_int((low, high)):
            raise TypeError(f"{low=} and {high=} must be integers")
        if not dtype.is_int:
            raise TypeError(f"{dtype=} must be int")
        if low >= high:
            raise ValueError(f"Tensor.randint requires low < high, got {low=}, {high=}")
        return cls.uniform(*shape, low=low, high=high, dtype=dtype, **kwargs)

    @classmethod
    def normal(cls, *shape, mean=0.0, std=1.0, requires_grad=None, **kwargs):
        """Normal with this mean and deviation."""
        if std < 0:
            raise ValueError(f"Tensor.normal requires std >= 0, got {std=}")
        x = std * cls.randn(*shape, **kwargs) + mean
        x.requires_grad = requires_grad
        return x

    @classmethod
    def scaled_uniform(cls, *shape, **kwargs):
        """Uniform over ±1/√n, n the number of elements."""
        return cls.uniform(*shape, low=-1.0, high=1.0, **kwargs).mul(prod(argfix(*shape)) ** -0.5)

    @classmethod
    def glorot_uniform(cls, *shape, **kwargs):
        """Uniform over ±√(6 / (fan in + fan out)), https://proceedings.mlr.press/v9/glorot10a.html"""
        sizes = checked(argfix(*shape))
        bound = (6 / (sizes[0] + prod(sizes[1:]))) ** 0.5
        return cls.uniform(*shape, low=-bound, high=bound, **kwargs)

    @classmethod
    def kaiming_uniform(cls, *shape, a=0.01, **kwargs):
        """Uniform over ±√(6 / ((1 + a²) · fan in)), https://arxiv.org/abs/1502.01852"""
        bound = (6 / (1 + a ** 2) / prod(argfix(*shape)[1:])) ** 0.5
        return cls.uniform(*shape, low=-bound, high=bound, **kwargs)

    @classmethod
    def kaiming_normal(cls, *shape, a=0.01, **kwargs):
        """Normal with deviation √(2 / ((1 + a²) · fan in)), https://arxiv.org/abs/1502.01852"""
        return cls.normal(*shape, mean=0.0, std=(2 / (1 + a ** 2) / prod(argfix(*shape)[1:])) ** 0.5, **kwargs)

    @classmethod
    def randperm(cls, n, device=None, dtype=dtypes.int32, **kwargs):
        """0 … n - 1 in random order: where random numbers go when they are sorted."""
        return cls.rand(n, device=device, **kwargs).argsort().cast(dtype)

    def multinomial(self, num_samples=1, replacement=False):
        """Indices drawn with these weights.  (n,) → (num_samples,), (m, n) → (m, num_samples)
        With replacement: where uniform numbers fall between the running sums. Without: the largest log₂(u) / weight, Efraimidis and Spirakis 2006."""
        if not 1 <= self.ndim <= 2 or num_samples <= 0:
            raise AssertionError(f"multinomial: shape {self.shape} must have 1 or 2 axes, {num_samples=} must be positive")
        weight = self.unsqueeze(0) if self.ndim == 1 else self
        if not replacement and num_samples > weight.shape[1]:
            raise AssertionError(f"no replacement samples must not exceed population size: {num_samples} of {weight.shape[1]}")
        if replacement or num_samples == 1:
            sums = weight.cumsum(1).float()
            part = sums / sums[:, -1].unsqueeze(1)
            indices = (type(self).rand(num_samples, part.shape[0], 1) >= part).sum(2).permute(1, 0)
        else:
            indices = (weight.rand_like(dtype=dtypes.float32).log2() / weight).topk(num_samples, dim=1)[1]
        return (indices.squeeze(0) if self.ndim == 1 else indices).cast(dtypes.int32)

    def dropout(self, p=0.5):
        """Each element 0 with probability p, else divided by 1 - p; while training only. https://jmlr.org/papers/v15/srivastava14a.html"""
        if not 0 <= p <= 1:
            raise ValueError(f"p={p} is out of range [0, 1]")
        if not TRAINING or p == 0:
            return self
        if p == 1:
            return self.const_like(0)
        return (self.rand_like(dtype=dtypes.default_float, contiguous=False) >= p).contiguous().where(self, 0) / (1.0 - p)


def checked(sizes):
    if not sizes or not all_int(sizes) or not all(size >= 0 for size in sizes):
        raise ValueError(f"invalid input shape={sizes}")
    return sizes
