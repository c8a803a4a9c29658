"""Windows: convolutions, pooling, resizing. All for any number of axes after (batch, channels).

Padding is one number, one for each axis, or (left, right, top, bottom, …) from the last axis on.
"""
from tinygrad.dtype import dtypes
from tinygrad.helpers import all_int, ceildiv, flat_to_grouped, flatten, make_tuple, prod, resolve_pool_pads
from tinygrad.movement import ShapeError, check_tensors


class ChannelError(ShapeError, AssertionError):
    """Weights that do not fit the input."""


class Convolution:
    __slots__ = ()

    def _windows(self, pads, kernel, stride, dilation, value=0.0):
        """Windows of the padded last axes."""
        return self._pad_constant(((0, 0),) * (self.ndim - len(kernel)) + flat_to_grouped(pads), value)._pool(kernel, stride, dilation)

    def conv2d(self, weight, bias=None, groups=1, stride=1, dilation=1, padding=0, dtype=None):
        """Σ over channels and window of x · weight.  (b, c, y, x) with (out, c / groups, h, w) → (b, out, y', x')"""
        check_tensors("conv2d", weight)
        if self.ndim != weight.ndim or self.ndim < 2 or groups * weight.shape[1] != self.shape[1]:
            raise ChannelError(f"Input Tensor shape {self.shape} does not match the shape of the weights {weight.shape} in {groups} groups")
        batch, out, channels, kernel = self.shape[0], weight.shape[0], weight.shape[1], weight.shape[2:]
        n, each = len(kernel), out // groups
        x = self._windows(resolve_pool_pads(padding, n), kernel, stride, dilation)
        sizes = x.shape[2:-n] if n else ()
        x = x.reshape((batch, groups, channels, 1) + sizes + kernel).expand((batch, groups, channels, each) + sizes + kernel)
        x = x.permute([0, 1, 3] + [4 + i for i in range(n)] + [2] + [4 + n + i for i in range(n)])
        product = x * weight.reshape((1, groups, each) + (1,) * n + (channels,) + kernel)
        x = product.sum(tuple([-1 - i for i in range(1 + n)]), keepdim=True, dtype=dtype).reshape((batch, out) + sizes)
        return x if bias is None else x.add(bias.reshape((1, -1) + (1,) * n))

    def conv_transpose2d(self, weight, bias=None, groups=1, stride=1, dilation=1, padding=0, output_padding=0):
        """The gradient of a convolution with respect to its input: zeros between the elements (stride), then a convolution with the flipped weights.
        (b, c, y, x) with (c, out / groups, h, w) → (b, out, y', x')"""
        n, kernel = weight.ndim - 2, weight.shape[2:]
        w = weight.unflatten(0, (groups, -1)).transpose(1, 2).flip(tuple(range(3, weight.ndim + 1)))
        pads = flat_to_grouped(resolve_pool_pads(padding, n))
        stride, dilation, output_padding = (make_tuple(each, n) for each in (stride, dilation, output_padding))
        x = self
        if any(s > 1 for s in stride):
            x = x.reshape([None, None] + flatten((size, 1) for size in x.shape[2:]))
            x = x.pad([None, None] + flatten((None, (0, s - 1)) for s in stride))
            x = x.reshape([None, None] + [size * s for size, s in zip(x.shape[2::2], stride)])
            x = x.shrink_to([None, None] + [size - (s - 1) for size, s in zip(x.shape[2:], stride)])
        pads = flatten(((k - 1) * d - before, (k - 1) * d - after + extra)
                       for k, d, (before, after), extra in reversed(list(zip(kernel, dilation, pads, output_padding))))
        return x.conv2d(w.flatten(end_dim=1), bias, groups, dilation=dilation, padding=pads)

    def _ceil_pads(self, pads, kernel, stride, dilation):
        """Padding at the end so that the last window is full, unless it would begin in that padding. https://arxiv.org/abs/1603.07285, relationship 15"""
        n, result = len(kernel), []
        rows = zip(self.shape[-n:], kernel, make_tuple(stride, n), make_tuple(dilation, n), flat_to_grouped(pads))
        for size, k, s, d, (before, after) in rows:
            reach, padded = d * (k - 1) + 1, size + before + after
            last = s * ceildiv(padded - reach, s)      # where the last window begins
            result.append((before, after + last + reach - padded - max(0, last - (before + size - 1))))
        return flatten(reversed(result))

    def avg_pool2d(self, kernel_size=(2, 2), stride=None, dilation=1, padding=0, ceil_mode=False, count_include_pad=True):
        """The mean of each window; by default, windows do not overlap. Without count_include_pad, padding is not counted."""
        kernel = make_tuple(kernel_size, 2)
        stride, axes, given = kernel if stride is None else stride, tuple(range(-len(kernel), 0)), resolve_pool_pads(padding, len(kernel))
        pads = self._ceil_pads(given, kernel, stride, dilation) if ceil_mode else given
        windows = self._windows(pads, kernel, stride, dilation)
        if count_include_pad and not ceil_mode:
            return windows.mean(axes)
        if count_include_pad:      # elements that fill the last window do not count
            ones = self._pad_constant(((0, 0),) * (self.ndim - len(kernel)) + flat_to_grouped(given), 0.0).const_like(1)
            pads = [a - b for a, b in zip(pads, given)]
        else:
            ones = self.const_like(1)
        return windows.sum(axes) / ones._windows(pads, kernel, stride, dilation).sum(axes)

    def max_pool2d(self, kernel_size=(2, 2), stride=None, dilation=1, padding=0, ceil_mode=False, return_indices=False):
        """The maximum of each window; with return_indices also its index in the flattened last axes."""
        kernel = make_tuple(kernel_size, 2)
        stride, axes, pads = kernel if stride is None else stride, tuple(range(-len(kernel), 0)), resolve_pool_pads(padding, len(kernel))
        if ceil_mode:
            pads = self._ceil_pads(pads, kernel, stride, dilation)
        windows = self._windows(pads, kernel, stride, dilation, dtypes.min(self.dtype))
        if not return_indices:
            return windows.max(axes)
        sizes = self.shape[-len(kernel):]
        down = type(self).arange(prod(sizes), 0, -1).reshape(sizes)._windows(pads, kernel, stride, dilation, dtypes.min(dtypes.int32))
        first = (windows.eq(windows.max(axes, keepdim=True)) * down).max(axes)
        return windows.max(axes), prod(sizes) - first

    def max_unpool2d(self, indices, kernel_size=(2, 2), stride=None, dilation=1, padding=0, output_size=None):
        """Puts each value at its index, zeros elsewhere: the inverse of max_pool2d, as far as it has one."""
        n, (batch, channels) = self.ndim - 2, self.shape[:2]
        if output_size is None:
            stride = kernel_size if stride is None else stride
            pads = flat_to_grouped(resolve_pool_pads(padding, n))
            rows = zip(self.shape[2:], *(make_tuple(each, n) for each in (kernel_size, stride, dilation)), pads)
            output_size = tuple([(size - 1) * s - (before + after) + d * (k - 1) + 1 for size, k, s, d, (before, after) in rows])
        sizes = tuple(output_size[-n:])
        found = indices.reshape(batch, channels, 1, -1)._one_hot_along_dim(prod(sizes), 2)
        return found.where(self.reshape(batch, channels, 1, -1), 0).sum(3).reshape((batch, channels) + sizes)

    def interpolate(self, size, mode="linear", align_corners=False):
        """The last axes resized: "linear", "nearest" or "nearest-exact"; align_corners: the first and last elements stay where they are."""
        if not isinstance(size, (tuple, list)) or not all_int(size) or not 0 < len(size) <= self.ndim:
            raise AssertionError(f"interpolate: invalid {size=} for shape {self.shape}")
        if mode not in ("linear", "nearest", "nearest-exact"):
            raise AssertionError(f"mode={mode!r} is not supported: linear, nearest and nearest-exact are")
        if align_corners and mode != "linear":
            raise AssertionError("align_corners option can only be set with the interpolating mode linear")
        x, shape = self, list(self.shape)
        for i in range(-1, -len(size) - 1, -1):
            old, new = self.shape[i], size[i]
            shape[i] = new
            def along(index): return index.reshape((-1,) + (1,) * (-i - 1)).expand(tuple(shape))
            if mode != "linear":
                at = type(self).arange(new, dtype=dtypes.float32)
                x = x.gather(i, along((old / new * (at + 0.5 if mode == "nearest-exact" else at)).cast(dtypes.int32)))
                continue
            at = type(self).arange(new)
            above, below = (at * (old - 1), new - 1) if align_corners else ((at * 2 + 1) * old - new, new * 2)
            above = above.clip(0, (old - 1) * below)
            low, high, part = along(above // below), along((above + below - 1) // below), along((above % below).cast(dtypes.float32) / below)
            x = x.gather(i, low).lerp(x.gather(i, high), part)
        return x.cast(self.dtype)
