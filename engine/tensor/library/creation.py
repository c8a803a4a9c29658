"""Making tensors: constants, ranges, memory, and tensors like others."""
import _lazyscope
from _lazyscope import Node, ShapeError, const
from tinygrad.device import canonicalize
from tinygrad.dtype import dtypes, strong_dtype, to_dtype
from tinygrad.helpers import argfix, ceildiv
from tinygrad.variable import BoundVariable, Unbound


def checked_shape(shape, what):
    """A shape as a tuple of sizes, none of them negative."""
    if not all(isinstance(size, (int, Unbound)) for size in shape):
        raise TypeError(f"{what}: sizes are integers, not {shape}")
    if any(size < 0 for size in shape):
        raise ShapeError(f"{what}: {shape} has a negative size")
    return shape


class Creation:
    __slots__ = ()

    @classmethod
    def const(cls, value, dtype=None):
        """A number as a tensor of shape ()."""
        return const(cls, value, dtypes.from_py(value) if dtype is None else dtype)

    def const_like(self, value, dtype=None):
        """A number over the shape of this tensor, without memory."""
        return const(type(self), value, dtype or self.dtype)._broadcast_to(self.shape)

    @classmethod
    def empty(cls, *shape, device=None, dtype=None, requires_grad=None):
        """Memory of this shape whose contents are not defined."""
        canonicalize(device)
        x = _lazyscope.empty(cls, checked_shape(argfix(*shape), "empty"), to_dtype(dtype) if dtype is not None else dtypes.default_float)
        x.requires_grad = requires_grad
        return x

    @classmethod
    def full(cls, shape, fill_value, dtype=None, device=None, buffer=True, requires_grad=None):
        """One value everywhere: a constant, reshaped and expanded."""
        canonicalize(device)
        shape = checked_shape(argfix(shape), "full")
        if isinstance(fill_value, Node):
            x = fill_value if dtype is None else fill_value.cast(dtype)
        else:
            dtype = to_dtype(dtype) if dtype is not None else strong_dtype(dtypes.from_py(fill_value))
            x = const(cls, fill_value, dtype)
        x = x.reshape((1,) * len(shape)).expand(shape)
        x = x._own() if buffer and x.dtype.is_float else x
        x.requires_grad = requires_grad
        return x

    @classmethod
    def zeros(cls, *shape, **kwargs):
        """Zeros; float unless a dtype is given."""
        return cls.full(argfix(*shape), 0.0, **kwargs)

    @classmethod
    def ones(cls, *shape, **kwargs):
        """Ones; float unless a dtype is given."""
        return cls.full(argfix(*shape), 1.0, **kwargs)

    def full_like(self, fill_value, dtype=None, device=None, buffer=True, requires_grad=None):
        """One value in this tensor's shape, and in its dtype unless one is given."""
        return type(self).full(self.shape, fill_value, dtype=dtype or self.dtype, device=device, buffer=buffer, requires_grad=requires_grad)

    def zeros_like(self, **kwargs):
        """Zeros in this tensor's shape and dtype."""
        return self.full_like(0, **kwargs)

    def ones_like(self, **kwargs):
        """Ones in this tensor's shape and dtype."""
        return self.full_like(1, **kwargs)

    def empty_like(self, dtype=None, device=None):
        """Memory in this tensor's shape and dtype."""
        return type(self).empty(self.shape, dtype=dtype or strong_dtype(self.dtype), device=device)

    @classmethod
    def arange(cls, start, stop=None, step=1, dtype=None, device=None, requires_grad=None):
        """start, start + step, … up to but without stop: a running sum of steps, moved to the start.  arange(2, 8, 3) → [2, 5]"""
        canonicalize(device)
        if stop is None:
            start, stop = 0, start
        if step == 0:
            raise ZeroDivisionError("arange: the step is 0")
        least, most = (start, stop - step) if step > 0 else (stop - step, start)
        if dtype is None:
            dtype = dtypes.default_float if any(isinstance(x, float) for x in (start, stop, step)) else dtypes.default_int
            if dtype is dtypes.default_int and (least < dtypes.min(dtype) or most > dtypes.max(dtype)):
                dtype = dtypes.int64
        dtype = to_dtype(dtype)
        if least < dtypes.min(dtype) or most > dtypes.max(dtype):
            raise OverflowError(f"arange [{start}, {stop}) is not representable in dtype {dtype}")
        n = ceildiv(stop - start, step)
        if n <= 0:
            return cls.full((0,), 0, dtype=dtype, buffer=False, requires_grad=requires_grad)
        sums = cls.full((n,), step, dtype=dtype, buffer=False)._cumulate("ADD", 0)
        x = (sums + (start - step) if start != step else sums).cast(dtype)
        return x.requires_grad_(requires_grad)

    @classmethod
    def linspace(cls, start, stop, steps, dtype=None, device=None, requires_grad=None):
        """This many values from start to stop, both included, at equal distances."""
        if not isinstance(steps, int):
            raise TypeError(f"number of steps must be an integer, not {steps!r}")
        if steps < 0:
            raise ValueError(f"number of steps must be non-negative, not {steps}")
        dtype = to_dtype(dtype) if dtype is not None else dtypes.default_float
        if dtype.is_bool:
            raise ValueError("linspace with bool dtype is not supported")
        if steps == 1:
            return cls.full((1,), start, dtype=dtype, buffer=False).requires_grad_(requires_grad)
        x = (start + cls.arange(steps, dtype=dtypes.default_float) * ((stop - start) / (steps - 1) if steps else 0)).cast(dtype)
        return x.requires_grad_(requires_grad)

    @classmethod
    def eye(cls, n, m=None, dtype=None, device=None, requires_grad=None):
        """Ones where row and column are equal.  (n, m), m = n by default"""
        m = n if m is None else m
        checked_shape((n, m), "eye")
        x = cls.arange(n).unsqueeze(-1).eq(cls.arange(m)).cast(dtype if dtype is not None else dtypes.default_float)
        return x.requires_grad_(requires_grad)

    @classmethod
    def _tri(cls, rows, columns, diagonal=0):
        """Whether row + diagonal ≤ column."""
        row = cls._counted(rows).unsqueeze(-1)
        return (row + diagonal if diagonal else row) <= cls._counted(columns)

    @classmethod
    def _counted(cls, n):
        """0, 1, 2, … to below n, in the shape (n,); n is a number or a variable."""
        return cls.arange(n.vmax)[:n] if isinstance(n, (BoundVariable, Unbound)) else cls.arange(n)

    def triu(self, diagonal=0):
        """The elements on and above a diagonal; below it zeros. 1 is the diagonal above the main one."""
        self._matrix("triu")
        return self._tri(self.shape[-2], self.shape[-1], diagonal).where(self, self.const_like(0))

    def tril(self, diagonal=0):
        """The elements on and below a diagonal; above it zeros."""
        self._matrix("tril")
        return self._tri(self.shape[-2], self.shape[-1], diagonal + 1).where(self.const_like(0), self)

    def _matrix(self, what):
        if self.ndim < 2:
            raise IndexError(f"{what}: needs at least two axes, and the shape is {self.shape}")
