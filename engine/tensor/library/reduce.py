"""Reductions: sums, means, extremes, softmax, running sums.

Integers are summed in 32 bits at least, floats in float32 at least. A reduction keeps its axes as size 1; without keepdim a reshape drops them.
"""
from tinygrad.dtype import dtypes, strong_dtype, sum_acc_dtype, to_dtype
from tinygrad.helpers import ceildiv, make_tuple, prod

SPLIT = 256      # running sums of more than twice as many elements are done in blocks


class Reduce:
    __slots__ = ()

    def _axes(self, axis):
        """Axes counted from the front; all for None."""
        axes = tuple([self._resolve_dim(each) for each in (range(self.ndim) if axis is None else make_tuple(axis, 1))])
        return axes if self.ndim else ()

    def _reduced(self, op, axis=None, keepdim=False):
        x, axes = self.cast(strong_dtype(self.dtype)), self._axes(axis)
        y = x._reduce(op, axes) if axes else x
        return y if keepdim else y.reshape(tuple([size for i, size in enumerate(self.shape) if i not in axes]))

    def _count(self, axis):
        """The number of elements per result."""
        return prod(self.shape[each] for each in self._axes(axis))

    def sum(self, axis=None, keepdim=False, dtype=None):
        """Σ along the axes; a given dtype is used for accumulation and result."""
        x = self.cast(sum_acc_dtype(self.dtype) if dtype is None else dtype)._reduced("ADD", axis, keepdim)
        return x.cast(self.dtype) if dtype is None and self.dtype.is_float and self.dtype.itemsize <= 2 else x

    def prod(self, axis=None, keepdim=False, dtype=None):
        """Π along the axes."""
        return self.cast(self.dtype if dtype is None else dtype)._reduced("MUL", axis, keepdim)

    def max(self, axis=None, keepdim=False):
        """The maximum along the axes."""
        return self._reduced("MAX", axis, keepdim)

    def min(self, axis=None, keepdim=False):
        """The smallest along the axes: the negated (of integers complemented) largest."""
        return self.cast(strong_dtype(self.dtype))._inverse().max(axis, keepdim)._inverse()

    def any(self, axis=None, keepdim=False):
        """Is any element not zero?"""
        return self.bool().max(axis, keepdim)

    def all(self, axis=None, keepdim=False):
        """Are all elements not zero?"""
        return self.bool().prod(axis, keepdim)

    def mean(self, axis=None, keepdim=False):
        """Σx / n, of integers a float"""
        dtype = self.dtype if self.dtype.is_float else dtypes.float32
        return self.cast(sum_acc_dtype(self.dtype)).sum(axis, keepdim).div(self._count(axis)).cast(dtype)

    def var(self, axis=None, keepdim=False, correction=1):
        """Σ(x - mean)² / (n - correction)"""
        dtype = self.dtype if self.dtype.is_float else dtypes.float32
        squares = (self - self.mean(axis, keepdim=True)).square()
        total = squares.cast(sum_acc_dtype(squares.dtype)).sum(axis, keepdim)
        return total.div(max(self._count(axis) - correction, 0)).cast(dtype)

    def std(self, axis=None, keepdim=False, correction=1):
        """The square root of the variance."""
        return self.var(axis, keepdim, correction).sqrt()

    def var_mean(self, axis=None, keepdim=False, correction=1):
        """(variance, mean)"""
        return self.var(axis, keepdim, correction), self.mean(axis, keepdim)

    def std_mean(self, axis=None, keepdim=False, correction=1):
        """(standard deviation, mean)"""
        return self.std(axis, keepdim, correction), self.mean(axis, keepdim)

    def normalize(self, p=2.0, dim=1, eps=1e-12):
        """x / max(‖x‖ₚ, eps) along an axis"""
        norm = self.ne(0).sum(dim, keepdim=True) if p == 0 else self.abs().pow(p).sum(dim, keepdim=True).pow(1 / p)
        return self / norm.maximum(eps)

    # Softmax: shifted by the largest, so that no exponential overflows.

    def logsumexp(self, axis=None, keepdim=False):
        """ln Σ eˣ = ln Σ e^(x - m) + m, m the largest"""
        m = self.max(axis, keepdim=True).detach()._as_float()
        total = (self - m).exp().sum(axis, keepdim)
        return total.log() + (m if keepdim else m.reshape(total.shape))

    def _shifted(self, axis, dtype):
        x = self - self.max(axis, keepdim=True).detach()._as_float()
        return x if dtype is None else x.cast(dtype)

    def softmax(self, axis=-1, dtype=None):
        """eˣ / Σ eˣ along an axis"""
        e = self._shifted(axis, dtype).exp()
        return e / e.sum(axis, keepdim=True)

    def log_softmax(self, axis=-1, dtype=None):
        """x - ln Σ eˣ along an axis"""
        x = self._shifted(axis, dtype)
        return x - x.exp().sum(axis, keepdim=True).log()

    def softmin(self, axis=-1, dtype=None):
        """The softmax of -x."""
        return (-self).softmax(axis, dtype)

    # The indices of the extremes.

    def argmax(self, axis=None, keepdim=False):
        """The index of the largest, of the first among equals; without an axis in the flattened tensor.
        Positions count down from n, so that the largest among the maxima is the first of them. A NaN counts as the largest."""
        if axis is None:
            return self.flatten().argmax(0)
        axis = self._resolve_dim(axis)
        if not self.ndim:
            return self.const_like(0, dtypes.int32)
        n = self.shape[axis]
        if n == 0:
            raise IndexError(f"argmax: axis {axis} of shape {self.shape} is empty")
        down = type(self).arange(n, 0, -1).reshape((n,) + (1,) * (self.ndim - axis - 1))
        largest = self.eq(self.max(axis, keepdim=True))
        first = ((largest | self.isnan() if self.dtype.is_float else largest) * down).max(axis, keepdim)
        return (n - first).cast(dtypes.int32)

    def argmin(self, axis=None, keepdim=False):
        """The index of the smallest, of the first among equals."""
        return self.cast(strong_dtype(self.dtype))._inverse().argmax(axis, keepdim)

    # Running sums, products and maxima.

    def _cumulate(self, op, axis):
        """n - 1 neutral elements are added in front, so the window that ends at element j has all elements up to j, and all windows are reduced at once."""
        n = self.shape[axis]
        x = self.transpose(axis, -1)._pad_constant(((0, 0),) * (self.ndim - 1) + ((n - 1, 0),), self._neutral(op))
        return x._pool((n,))._fold(op).transpose(axis, -1)

    def _fold(self, op):
        return self.sum(-1) if op == "ADD" else self.prod(-1) if op == "MUL" else self.max(-1)

    def _neutral(self, op):
        return 0 if op == "ADD" else dtypes.as_const(1, self.dtype) if op == "MUL" else dtypes.min(self.dtype)

    def _running(self, op, axis):
        """Long axes in two stages: within blocks, then the totals of the blocks before."""
        axis = self._resolve_dim(axis)
        if not self.ndim or 0 in self.shape:
            return self.cast(self.sum().dtype) if op == "ADD" else self
        n = self.shape[axis]
        if n <= 2 * SPLIT:
            return self._cumulate(op, axis)
        outer, value = ((0, 0),) * (self.ndim - 1), self._neutral(op)
        blocks = self.transpose(axis, -1)._pad_constant(outer + ((ceildiv(n, SPLIT) * SPLIT - n, 0),), value).unflatten(-1, (-1, SPLIT))._cumulate(op, -1)
        totals = blocks.shrink((None,) * self.ndim + ((SPLIT - 1, SPLIT),)).squeeze(-1)
        before = totals._running(op, -1)._pad_constant(outer + ((1, -1),), value).unsqueeze(-1)
        x = blocks + before if op == "ADD" else blocks * before if op == "MUL" else blocks.maximum(before)
        x = x.flatten(-2)
        return x.shrink((None,) * (self.ndim - 1) + ((x.shape[-1] - n, x.shape[-1]),)).transpose(axis, -1)

    def cumsum(self, axis=0):
        """yⱼ = x₀ + … + xⱼ along an axis"""
        return self._running("ADD", axis)

    def _cumsum(self, axis=0, _first_zero=False):
        """cumsum; with _first_zero each sum is without its own element."""
        y = self._running("ADD", axis)
        if not _first_zero:
            return y
        y = y.transpose(axis, -1)
        return y.pad((1, -1)).transpose(axis, -1)

    def cumprod(self, axis):
        """yⱼ = x₀ · … · xⱼ along an axis"""
        return self._running("MUL", axis)

    def cummax(self, axis=0):
        """(yⱼ = max(x₀, …, xⱼ), where each was found first)"""
        values, axis = self.cast(strong_dtype(self.dtype))._running("MAX", axis), self._resolve_dim(axis)
        if not self.ndim or 0 in self.shape:
            return values, self.const_like(0, dtypes.int32)
        n = self.shape[axis]
        found = self.transpose(axis, -1).unsqueeze(-1).eq(values.transpose(axis, -1).unsqueeze(-2))
        found = found * type(self).ones(n, n, dtype=dtypes.bool).triu()      # element i is the maximum at j, and comes no later
        index = n - (found * type(self).arange(n, 0, -1).reshape(n, 1)).max(-2)
        return values, index.cast(dtypes.int32).transpose(-1, axis)

    def cummin(self, axis=0):
        """(yⱼ = min(x₀, …, xⱼ), where each was found first)"""
        values, indices = self.cast(strong_dtype(self.dtype))._inverse().cummax(axis)
        return values._inverse(), indices

    def logcumsumexp(self, axis=0):
        """yⱼ = ln(e^x₀ + … + e^xⱼ), each shifted by its own largest"""
        if not self.ndim:
            self._resolve_dim(axis)
            return self
        x = self.transpose(axis, -1)
        n, m = x.shape[-1], x.cummax(-1)[0].detach()
        below = type(self).ones(n, n, dtype=dtypes.bool).tril()
        y = below.where(x.unsqueeze(-2) - m.unsqueeze(-1), dtypes.min(self.dtype)).exp().sum(-1).log() + m
        return y.transpose(-1, axis)

    # Normalization.

    def layernorm(self, axis=-1, eps=1e-5):
        """(x - mean) / √(variance + eps) along the axes, https://arxiv.org/abs/1607.06450"""
        y = self - self.mean(axis, keepdim=True)
        return y.mul((y * y).mean(axis, keepdim=True).add(eps).rsqrt())

    def batchnorm(self, weight, bias, mean, invstd, axis=1):
        """(x - mean) · weight · invstd + bias, each given along these axes, https://arxiv.org/abs/1502.03167"""
        axes = make_tuple(axis, 1)
        shape = tuple([size if i in axes else 1 for i, size in enumerate(self.shape)])
        x = self - mean.reshape(shape)
        if weight is not None:
            x = x * weight.reshape(shape)
        x = x.mul(invstd.reshape(shape) if invstd.ndim == len(axes) else invstd)
        return x if bias is None else x + bias.reshape(shape)
