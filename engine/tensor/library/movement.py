"""Movement: other shapes and orders of the same elements. Nothing is computed and nothing is copied; only padding adds elements.

All methods come down to six primitives: _reshape, _expand, _permute, _flip, _pad (with zeros) and _shrink.
"""
from _lazyscope import Node, ShapeError
from tinygrad.dtype import dtypes
from tinygrad.helpers import argfix, argsort, ceildiv, flat_to_grouped, flatten, make_tuple, prod
from tinygrad.variable import BoundVariable, Unbound


def broadcast_shape(*shapes):
    """The shape that all of these expand to: aligned on the right, sizes equal or 1.
    Rules: https://data-apis.org/array-api/latest/API_specification/broadcasting.html"""
    n = max(len(shape) for shape in shapes)
    result = []
    for sizes in zip(*[(1,) * (n - len(shape)) + shape for shape in shapes]):
        others = {size for size in sizes if size != 1}
        if len(others) > 1:
            raise BroadcastError("shapes " + " and ".join(str(shape) for shape in shapes) + " cannot be broadcast to one shape")
        result.append(others.pop() if others else 1)
    return tuple(result)


def check_tensors(what, *operands):
    """Operands that must be tensors."""
    for x in operands:
        if not isinstance(x, Node):
            raise TypeError(f"{what}: a tensor is expected, not a {type(x).__name__}")


class BroadcastError(ShapeError, IndexError):
    """Incompatible shapes; also an IndexError, for the broadcasting of indices."""


class Movement:
    __slots__ = ()

    def _resolve_dim(self, dim, *, extra=False):
        """An axis counted from the front; extra: one past the last is allowed."""
        n = self.ndim + extra
        if not isinstance(dim, int):
            raise TypeError(f"an axis is an integer, not a {type(dim).__name__}")
        if not -max(1, n) <= dim < max(1, n):
            raise IndexError(f"dim={dim} out of range [{-max(1, n)}, {max(1, n) - 1}] for shape {self.shape}")
        return dim + n if dim < 0 else dim

    def _broadcast_to(self, shape):
        """Axes are added on the left, and axes of size 1 repeated, until the shape is this one."""
        if self.shape == shape:
            return self
        if self.ndim > len(shape):
            raise ShapeError(f"cannot broadcast shape {self.shape} to fewer axes: {shape}")
        return self.reshape((1,) * (len(shape) - self.ndim) + self.shape).expand(shape)

    # Primitives, with arguments completed.

    def reshape(self, shape, *args):
        """The same elements in row-major order in another shape with the same number of elements; -1 is computed, None keeps a size.
        (2, 3) → reshape(3, -1) → (3, 2)"""
        new = shape if shape.__class__ is tuple and not args else argfix(shape, *args)
        if None in new:
            if any(size is None and axis >= self.ndim for axis, size in enumerate(new)):
                raise ShapeError(f"reshape: None keeps a size that shape {self.shape} does not have: {new}")
            new = tuple(self.shape[axis] if size is None else size for axis, size in enumerate(new))
        if -1 in new:
            if new.count(-1) > 1:
                raise RuntimeError(f"only one dimension can be inferred using -1, getting {new}")
            known = -prod(new)
            if known == 0:
                raise ShapeError(f"reshape: {new} leaves the size of -1 open for shape {self.shape}")
            new = tuple(prod(self.shape) // known if size == -1 else size for size in new)
        return self if new == self.shape else self._reshape(new)

    def view(self, shape, *args):
        """An alias of `reshape`."""
        return self.reshape(shape, *args)

    def expand(self, shape, *args):
        """Axes of size 1 repeated to the sizes given, without copying; -1 or None keeps a size, and axes may be added on the left.
        (3, 1) → expand(2, 3, 4) → (2, 3, 4)"""
        new = shape if shape.__class__ is tuple and not args else argfix(shape, *args)
        x, old = self, self.shape
        if len(old) != len(new):
            if len(old) > len(new):
                raise ShapeError(f"cannot expand shape {old} to fewer axes: {new}")
            old = (1,) * (len(new) - len(old)) + old
            x = self.reshape(old)
        if -1 in new or None in new:
            new = tuple([a if b == -1 or b is None else b for a, b in zip(old, new)])
        return x._expand(new) if new != old else x

    def permute(self, order, *args):
        """Axes in another order: axis i of the result is axis order[i].  (2, 3, 5) → permute(2, 0, 1) → (5, 2, 3)"""
        order = tuple([self._resolve_dim(dim) for dim in argfix(order, *args)])
        if sorted(order) != list(range(self.ndim)):
            raise RuntimeError(f"order is not a valid permutation of the axes of shape {self.shape}, getting {order}")
        return self if order == tuple(range(self.ndim)) else self._permute(order)

    def flip(self, axis, *args):
        """Reverses the order along these axes."""
        axes = tuple([self._resolve_dim(dim) for dim in argfix(axis, *args)])
        if len(set(axes)) != len(axes):
            raise RuntimeError(f"dim can appear at most once, getting {axes}")
        return self._flip(axes) if axes and self.ndim else self

    def shrink(self, arg):
        """A box cut out: (begin, end) of each axis, or None for all of it.  (5, 4) → shrink(((1, 3), None)) → (2, 4)"""
        if len(arg) != self.ndim:
            raise ShapeError(f"shrink: {len(arg)} bounds for the {self.ndim} axes of shape {self.shape}")
        pairs = tuple([(0, size) if pair is None else tuple(pair) for pair, size in zip(arg, self.shape)])
        return self if all(begin == 0 and end == size for (begin, end), size in zip(pairs, self.shape)) else self._shrink(pairs)

    def _slice(self, arg, value=0):
        """Cuts or pads: (begin, end) of each axis, or None for the whole axis; elements before 0 and after the end get value."""
        pairs = [(0, size) if pair is None else tuple(pair) for pair, size in zip(arg, self.shape)]
        return self.pad(tuple([(-begin, end - size) for (begin, end), size in zip(pairs, self.shape)]), value=float(value) if self.dtype.is_float else value)

    def pad2d(self, padding, value=0):
        """value around the last axes: (left, right, top, bottom, …), from the last axis on. Negative counts remove elements."""
        return self.pad(tuple(padding), value=float(value) if self.dtype.is_float else value)

    def _zero_pad(self, pairs):
        """Zeros before and after each axis; the counts are not negative. A variable count is valid for each of its values."""
        return self._pad(tuple(pairs)) if any(isinstance(count, (BoundVariable, Unbound)) or count for pair in pairs for count in pair) else self

    # Sizes.

    def numel(self):
        """The number of elements: the product of the sizes."""
        return prod(self.shape)

    def size(self, dim=None):
        """The shape, or the size of one axis."""
        return self.shape if dim is None else self.shape[dim]

    def dim(self):
        """The number of axes."""
        return self.ndim

    # Axes of size 1, merged and split axes.

    def squeeze(self, dim=None):
        """Without this axis if its size is 1; without all axes of size 1 when none is named."""
        if dim is None:
            return self.reshape(tuple([size for size in self.shape if size != 1]))
        if isinstance(dim, (tuple, list)):
            axes = {self._resolve_dim(each) for each in dim}
            return self.reshape(tuple([size for axis, size in enumerate(self.shape) if axis not in axes or size != 1]))
        dim = self._resolve_dim(dim)
        return self if not self.ndim or self.shape[dim] != 1 else self.reshape(self.shape[:dim] + self.shape[dim + 1:])

    def unsqueeze(self, dim):
        """With a new axis of size 1 at this place.  (2, 3) → unsqueeze(1) → (2, 1, 3)"""
        dim = self._resolve_dim(dim, extra=True)
        return self.reshape(self.shape[:dim] + (1,) + self.shape[dim:])

    def flatten(self, start_dim=0, end_dim=-1):
        """The axes from start_dim to end_dim as one.  (2, 3, 4) → flatten(1) → (2, 12)"""
        start, end = self._resolve_dim(start_dim), self._resolve_dim(end_dim)
        if start > end and self.ndim:
            raise RuntimeError(f"flatten: axis {start_dim} comes after axis {end_dim} of shape {self.shape}")
        return self.reshape(self.shape[:start] + (prod(self.shape[start:end + 1]),) + self.shape[end + 1:])

    def unflatten(self, dim, sizes):
        """Splits one axis into several; one size may be -1.  (2, 12) → unflatten(1, (3, -1)) → (2, 3, 4)"""
        dim, sizes = self._resolve_dim(dim), tuple(sizes)
        if -1 in sizes and (known := -prod(sizes)) > 0:
            sizes = tuple([self.shape[dim] // known if size == -1 else size for size in sizes])
        return self.reshape(self.shape[:dim] + sizes + self.shape[dim + 1:])

    def transpose(self, dim0=1, dim1=0):
        """Two axes exchanged.  (2, 3) → (3, 2)"""
        order = list(range(self.ndim))
        dim0, dim1 = (self._resolve_dim(dim0), self._resolve_dim(dim1)) if self.ndim else (0, 0)
        if self.ndim:
            order[dim0], order[dim1] = order[dim1], order[dim0]
        return self.permute(tuple(order))

    @property
    def T(self):
        """`transpose()`: the first two axes exchanged."""
        return self.transpose()

    def rearrange(self, formula, **sizes):
        """Axes named, merged with parentheses and reordered: "b (h w) c -> b c h w", h=8. As https://einops.rocks/api/rearrange/"""
        from tinygrad.rearrange import rearrange
        return rearrange(self, formula, sizes)

    # Parts.

    def shrink_to(self, shape, *args):
        """The first elements of each axis, up to the size; None keeps all."""
        return self.shrink(tuple([None if size is None else (0, size) for size in argfix(shape, *args)]))

    def split(self, sizes, dim=0):
        """A tuple of parts along an axis, each of this size (the last may be smaller), or of the sizes listed."""
        dim = self._resolve_dim(dim)
        whole = self.shape[dim]
        if isinstance(sizes, int):
            sizes = [min(sizes, whole - at) for at in range(0, max(1, whole), max(1, sizes))]
        if sum(sizes) != whole:
            raise AssertionError(f"split: sizes {tuple(sizes)} do not sum to {whole}, axis {dim} of shape {self.shape}")
        ends = [sum(sizes[:i + 1]) for i in range(len(sizes))]
        return tuple(self.shrink(tuple([(end - size, end) if axis == dim else None for axis in range(self.ndim)])) for size, end in zip(sizes, ends))

    def chunk(self, chunks, dim=0):
        """A list of at most this many parts of equal size along an axis (the last may be smaller)."""
        dim = self._resolve_dim(dim)
        if chunks <= 0:
            raise AssertionError(f"expect chunks to be greater than 0, got: {chunks}")
        return list(self.split(ceildiv(self.shape[dim], chunks) if self.shape[dim] else [0] * chunks, dim=dim))

    def diagonal(self, offset=0, dim1=0, dim2=1):
        """The elements whose index along dim2 is that along dim1 plus offset, as a new last axis.
        Read in rows one longer than the matrix, its diagonal is the first column."""
        dim1, dim2 = self._resolve_dim(dim1), self._resolve_dim(dim2)
        if dim1 == dim2:
            raise RuntimeError("dim1 and dim2 cannot be the same dimension")
        x = self.permute([axis for axis in range(self.ndim) if axis not in (dim1, dim2)] + [dim1, dim2])
        outer, rows, columns = x.shape[:-2], x.shape[-2], x.shape[-1]
        n = min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns)
        if n <= 0:
            return x.shrink((None,) * len(outer) + ((0, 0), (0, min(1, columns)))).reshape(outer + (0,))
        top, left = max(0, -offset), max(0, offset)
        x = x.shrink((None,) * len(outer) + ((top, top + n), (left, left + n)))
        x = x.flatten(-2).pad_to((None,) * len(outer) + (n * (n + 1),))
        return x.unflatten(-1, (n, n + 1)).shrink_to((None,) * (len(outer) + 1) + (1,)).squeeze(-1)

    def diag(self):
        """A square matrix with these elements on its diagonal.  (n,) → (n, n)"""
        if self.ndim != 1:
            raise ValueError(f"expect input to be 1-D, getting {self.ndim}-D")
        n = self.shape[0]
        return self.unsqueeze(-1).pad_to(None, n + 1).flatten().shrink_to(n * n).reshape(n, n)

    # Repetition.

    def repeat(self, repeats, *args):
        """Repeats each axis this many times.  (2,) → repeat(3, 2) → (3, 4)"""
        repeats = argfix(repeats, *args)
        if len(repeats) < self.ndim:
            raise ShapeError(f"repeat: {len(repeats)} counts {repeats} for the {self.ndim} axes of shape {self.shape}")
        shape = (1,) * (len(repeats) - self.ndim) + self.shape
        ones = flatten((size,) if count == 1 else (1, size) for count, size in zip(repeats, shape))
        each = flatten((size,) if count == 1 else (count, size) for count, size in zip(repeats, shape))
        return self.reshape(tuple(ones)).expand(tuple(each)).reshape(tuple([count * size for count, size in zip(repeats, shape)]))

    def repeat_interleave(self, repeats, dim=None):
        """Repeats each element this many times before the next one.  [1, 2] → repeat_interleave(2) → [1, 1, 2, 2]"""
        x, dim = (self.flatten(), 0) if dim is None else (self, self._resolve_dim(dim))
        shape = x.shape
        x = x.reshape(shape[:dim + 1] + (1,) + shape[dim + 1:]).expand(shape[:dim + 1] + (repeats,) + shape[dim + 1:])
        return x.reshape(shape[:dim] + (shape[dim] * repeats,) + shape[dim + 1:])

    def roll(self, shifts, dims=None):
        """Elements moved along axes; those that leave at the end come in at the beginning."""
        if dims is None:
            return self.flatten().roll(shifts, 0).reshape(self.shape)
        dims, shifts = tuple([self._resolve_dim(dim) for dim in make_tuple(dims, 1)]), make_tuple(shifts, 1)
        if len(dims) != len(shifts):
            raise RuntimeError(f"roll: {len(shifts)} shifts for {len(dims)} axes")
        if 0 in self.shape:
            return self
        bounds = [None] * self.ndim
        for dim, shift in zip(dims, shifts):
            begin = self.shape[dim] - shift % self.shape[dim]
            bounds[dim] = (begin, begin + self.shape[dim])
        return self.repeat(tuple([2 if axis in dims else 1 for axis in range(self.ndim)])).shrink(tuple(bounds))

    def meshgrid(self, *args, indexing="ij"):
        """Vectors as grids: result k varies along axis k only. indexing "xy" exchanges the first two axes."""
        if indexing not in ("ij", "xy"):
            raise RuntimeError(f'indexing must be in ("ij", "xy"), got {indexing}')
        tensors = (self, *args)
        check_tensors("meshgrid", *tensors)
        if len(tensors) == 1:
            return tensors
        places = list(range(len(tensors)))
        if indexing == "xy":
            places[:2] = 1, 0
        columns = [t.reshape((-1,) + (1,) * (len(args) - place)) for place, t in zip(places, tensors)]
        shape = broadcast_shape(*[t.shape for t in columns])
        return tuple(t._broadcast_to(shape) for t in columns)

    # Windows.

    def _pool(self, kernel, stride=1, dilation=1):
        """All windows of the last axes: (..., *sizes) → (..., *windows, *kernel).

        An axis repeated whole, k times, and read in rows a dilation longer than it is begins each row that much later: element j of row i
        is element j + i·dilation. So window and place in the window are two axes, and no element is copied.
        """
        n = len(kernel)
        stride, dilation = make_tuple(stride, n), make_tuple(dilation, n)
        if not len(stride) == len(dilation) == n:
            raise AssertionError(f"stride/dilation mismatch kernel:{kernel} stride:{stride} dilation:{dilation}")
        if any(step < 1 for step in (*stride, *dilation)):
            raise ValueError(f"stride and dilation must be positive: stride {stride}, dilation {dilation}, kernel {kernel}")
        if self.ndim < n:
            raise AssertionError(f"can't pool shape {self.shape} with a kernel of {n} axes: {kernel}")
        outer, sizes = self.shape[:-n] if n else self.shape, self.shape[self.ndim - n:]
        if any(d * (k - 1) + 1 > size for size, k, d in zip(sizes, kernel, dilation)):
            raise AssertionError(f"kernel size cannot be greater than actual input size: kernel {kernel}, dilation {dilation}, input {self.shape}")
        windows = [ceildiv(size - d * (k - 1), s) for size, k, s, d in zip(sizes, kernel, stride, dilation)]
        keep = [None] * len(outer)
        # so many copies of an axis side by side that o windows at stride s are rows of it
        copies = [max(1, ceildiv(o * s - d, size)) for o, s, size, d in zip(windows, stride, sizes, dilation)]
        rows = [size * c + d for size, c, d in zip(sizes, copies, dilation)]
        x = self.repeat([1] * len(outer) + [ceildiv(k * row, size) for k, row, size in zip(kernel, rows, sizes)])
        x = x.shrink_to(keep + [k * row for k, row in zip(kernel, rows)])
        x = x.reshape(keep + flatten(zip(kernel, rows)))
        x = x.shrink_to(keep + flatten((k, o * s) for k, o, s in zip(kernel, windows, stride)))
        if any(s != 1 for s in stride):
            x = x.reshape(keep + flatten(zip(kernel, windows, stride)))
            x = x.shrink_to(keep + flatten((k, o, 1) for k, o in zip(kernel, windows))).reshape(keep + flatten(zip(kernel, windows)))
        first = len(outer)
        return x.permute(list(range(first)) + [first + 2 * i + 1 for i in range(n)] + [first + 2 * i for i in range(n)])

    def unfold(self, dim, size, step):
        """Windows of this size that begin every `step` elements of an axis; the place within a window is a new last axis.
        (8,) → unfold(0, 2, 2) → (4, 2)"""
        if size < 0:
            raise RuntimeError(f"size must be >= 0 but got size={size}")
        if step <= 0:
            raise RuntimeError(f"step must be > 0 but got step={step}")
        dim = self._resolve_dim(dim)
        if not self.ndim or size > self.shape[dim]:
            raise RuntimeError(f"maximum size for axis {dim} of shape {self.shape} is {self.shape[dim] if self.ndim else 1} but size is {size}")
        order = tuple([axis for axis in range(self.ndim) if axis != dim] + [dim])
        return self.permute(order)._pool((size,), step).permute(argsort(order) + (self.ndim,))

    # Padding.

    def pad(self, padding, mode="constant", value=0.0):
        """Elements added around: ((before, after) or None for each axis), or flat as (left, right, top, bottom, …) from the last axis on. Negative counts
        remove elements. mode: "constant" (value), "reflect", "replicate" or "circular"."""
        padding = tuple(padding)
        if not any(isinstance(pair, (tuple, list)) or pair is None for pair in padding):
            if len(padding) % 2 != 0:
                raise ValueError(f"Flat padding must have even number of pads, getting {padding}")
            pairs = ((0, 0),) * (self.ndim - len(padding) // 2) + flat_to_grouped(padding)
        else:
            pairs = tuple([(0, 0) if pair is None else tuple(pair) for pair in padding])
        if len(pairs) != self.ndim:
            raise ValueError(f"padding length is improper: {padding} for the {self.ndim} axes of shape {self.shape}")
        if mode == "constant":
            return self._pad_constant(pairs, value)
        if mode == "circular":
            return self._pad_circular(pairs)
        if mode in ("reflect", "replicate"):
            return self._pad_mirrored(pairs, mode)
        raise NotImplementedError(f"mode={mode!r} is not supported: constant, reflect, replicate and circular are")

    def pad_to(self, shape, *args, value=0):
        """Padded at the end of each axis to this size; None keeps a size."""
        shape = argfix(shape, *args)
        if len(shape) != self.ndim:
            raise ValueError(f"pad_to: {len(shape)} sizes {shape} for the {self.ndim} axes of shape {self.shape}")
        if any(new is not None and new < size for size, new in zip(self.shape, shape)):
            raise ValueError(f"pad_to: shape {self.shape} is larger than {shape}")
        return self._pad_constant(tuple([(0, 0 if new is None else new - size) for size, new in zip(self.shape, shape)]), value)

    def _cut(self, pairs):
        """Negative padding taken off; and the padding that is left."""
        cut = tuple([(-before if before < 0 else 0, size + after if after < 0 else size) for (before, after), size in zip(pairs, self.shape)])
        return self.shrink(cut), tuple([(0 if before < 0 else before, 0 if after < 0 else after) for before, after in pairs])

    def _pad_constant(self, pairs, value):
        """Zeros are a primitive; any other value is chosen where padded ones are missing."""
        x, pairs = self._cut(pairs)
        padded = x._zero_pad(pairs)
        if padded is x or value == 0 and not isinstance(value, Movement):
            return padded
        return x.const_like(True, dtypes.bool)._zero_pad(pairs).where(padded, value)

    def _pad_circular(self, pairs):
        x, pairs = self._cut(pairs)
        if any(before > size or after > size for (before, after), size in zip(pairs, x.shape)):
            raise ValueError("Padding value causes wrapping around more than once.")
        sizes, x = x.shape, x.repeat(tuple([1 + bool(before) + bool(after) for before, after in pairs]))
        return x.shrink(tuple([(size - before if before else 0, whole - size + after if after else whole)
                               for (before, after), size, whole in zip(pairs, sizes, x.shape)]))

    def _pad_mirrored(self, pairs, mode):
        x = self
        for dim, (before, after) in enumerate(pairs):
            size = x.shape[dim]
            if mode == "reflect" and max(before, after) >= size:
                raise ValueError(f"Padding ({before}, {after}) should be less than the input size={size} for dim={dim}.")
            def piece(count, begin, edge):
                if count <= 0:
                    return []
                first, last = (begin, begin + count) if mode == "reflect" else (edge, edge + 1)
                part = x.shrink(tuple([(first, last) if axis == dim else None for axis in range(x.ndim)]))
                return [part.flip(dim) if mode == "reflect" else part.expand(tuple([count if axis == dim else -1 for axis in range(x.ndim)]))]
            pieces = piece(before, 1, 0) + [x] + piece(after, size - 1 - after, size - 1)
            x = pieces[0].cat(*pieces[1:], dim=dim)
        return x._cut(tuple([(min(before, 0), min(after, 0)) for before, after in pairs]))[0]

    # Several tensors as one.

    def cat(self, *args, dim=0):
        """Tensors one after the other along an axis; the other sizes are equal. Each is padded to the whole shape, and they are added; floats are selected by position instead, since 0 + -0.0 is 0."""
        tensors = [self, *argfix(*args)] if args else list(argfix(self))
        check_tensors("cat", *tensors)
        first = tensors[0]
        dim = first._resolve_dim(dim)
        for t in tensors[1:]:
            if t.ndim != first.ndim or any(a != b for axis, (a, b) in enumerate(zip(t.shape, first.shape)) if axis != dim):
                raise CatError(f"cat: shapes {first.shape} and {t.shape} differ in more than axis {dim}")
        if not first.ndim:
            raise IndexError("cat: tensors of shape () have no axis; stack them")
        if len(tensors) == 1:
            return first
        begins = [sum(t.shape[dim] for t in tensors[:i]) for i in range(len(tensors) + 1)]
        pads = [tuple([(begins[i], begins[-1] - begins[i + 1]) if axis == dim else (0, 0) for axis in range(t.ndim)]) for i, t in enumerate(tensors)]
        padded = [t._zero_pad(pad) for t, pad in zip(tensors, pads)]
        if not all(t.dtype.is_float for t in tensors):
            return padded[0].usum(*padded[1:])
        whole = padded[0]
        for t, pad, x in zip(tensors[1:], pads[1:], padded[1:]):
            whole = t.const_like(True, dtypes.bool)._zero_pad(pad).where(x, whole)
        return whole

    def stack(self, *args, dim=0):
        """Tensors of one shape along a new axis."""
        tensors = argfix(self, *args)
        check_tensors("stack", *tensors)
        if any(t.shape != tensors[0].shape for t in tensors):
            raise CatError(f"all shapes must match for stack, got {[t.shape for t in tensors]}")
        dim = tensors[0]._resolve_dim(dim, extra=True)
        return tensors[0].unsqueeze(dim).cat(*[t.unsqueeze(dim) for t in tensors[1:]], dim=dim)


class CatError(ShapeError, AssertionError):
    """The error for tensors whose shapes cannot be concatenated."""
