"""Indexing: parts by integers, slices and tensors; assignment to parts; gather and scatter.

Integers, slices, None and Ellipsis are movement. An index tensor is compared with a range: the element where they are equal is selected and summed with zeros, so an index out of range gives 0.
"""
from _lazyscope import Node
from tinygrad.dtype import dtypes, least_upper_dtype, strong_dtype
from tinygrad.helpers import all_int, ceildiv, flatten, fully_flatten, get_shape, prod, round_up
from tinygrad.movement import BroadcastError, broadcast_shape, check_tensors
from tinygrad.variable import BoundVariable, Unbound


class Axis:
    """The effect of one index on one axis: elements begin, begin + step, … below end (step < 0: the same elements backwards)."""
    def __init__(self, index, size):
        self.index, self.begin, self.end, self.step, self.size, self.drop = index, 0, size, 1, size, False
        if isinstance(index, slice):
            self.slice(index, size)
        elif isinstance(index, (int, Unbound)):
            if not -size <= index < size:
                raise IndexError(f"{index=} is out of bounds with {size=}")
            self.begin = index + size if index < 0 else index
            self.end, self.size, self.drop = self.begin + 1, 1, True

    def slice(self, index, size):
        if not all(part is None or isinstance(part, (int, Unbound)) for part in (index.start, index.stop, index.step)):
            raise TypeError(f"slice {index} is not supported: its parts are integers or None")
        if index.step == 0:
            raise ValueError(f"{index} cannot have 0 as step")
        if index.step in (None, 1) and (isinstance(index.start, (BoundVariable, Unbound)) or isinstance(index.stop, (BoundVariable, Unbound))):
            start, stop = 0 if index.start is None else index.start, size if index.stop is None else index.stop
            if 0 <= start <= stop <= size:      # else as of the numbers
                self.begin, self.end, self.size = start, stop, stop - start
                return
        if isinstance(size, (BoundVariable, Unbound)) and index.start is None and index.stop is None and index.step in (None, 1, -1):
            self.step = index.step or 1
            return
        start, stop, self.step = index.indices(size)
        if self.step * (stop - start) < 0:
            start = stop = 0
        elif self.step < 0:
            start, stop = stop + 1, start + 1
        self.begin, self.end = start, stop
        self.size = ceildiv(stop - start, abs(self.step))


def is_tensor(index):
    return isinstance(index, Node)


class Indexing:
    __slots__ = ()

    def _indices(self, indices):
        """The effect of each index; None for an inserted axis of size 1."""
        if isinstance(indices, list) and all_int(indices) or not isinstance(indices, (tuple, list)):
            indices = [indices]
        indices = list(indices)
        dots = [i for i, index in enumerate(indices) if index is Ellipsis]
        if len(dots) > 1:
            raise IndexError("indices can only have a single ellipsis")
        real = sum(index is not None and index is not Ellipsis for index in indices)
        if real > self.ndim:
            raise IndexError(f"too many indices ({real}) for {self.ndim}D: shape {self.shape}")
        fill = dots[0] if dots else len(indices)
        indices[fill:fill + 1] = [slice(None)] * (self.ndim - real)
        parsed, dim = [], 0
        for index in indices:
            parsed.append(None if index is None else Axis(self._index(index, self.shape[dim]), self.shape[dim]))
            dim += index is not None
        return parsed

    def _index(self, index, size):
        """An index as an integer, a slice, or a tensor that counts from the front."""
        if isinstance(index, (list, tuple)):
            flat = fully_flatten(index)
            if not all_int(flat) or all(isinstance(each, bool) for each in flat):
                raise IndexError(f"{index=} contains non-int element")
            return type(self)([each + size if each < 0 else int(each) for each in flat], dtype=dtypes.default_int).reshape(get_shape(index))
        if isinstance(index, Node):
            if not index.dtype.is_int:
                error = IndexError(f"index dtype {index.dtype} is not supported: integers are")
                if index.dtype == dtypes.bool:
                    error.hint = "x.masked_select(mask) gives the values where the mask is true; mask.where(a, b) chooses between two tensors, so that x.assign(mask.where(0, x)) writes 0 there"
                raise error
            return (index < 0).where(index + size, index)
        if isinstance(index, (int, slice, Unbound)) and not isinstance(index, bool):
            return index
        if not isinstance(index, bool) and (hasattr(index, "__array__") or hasattr(index, "__index__")):
            return index.__index__() if not getattr(index, "shape", ()) else self._index(type(self)(index), size)
        raise IndexError(f"{type(index).__name__} indexing is not supported")

    def _view(self, axes):
        """Shrinks, flips if the step is negative, and takes every step-th element: the first one of each row of `step` elements."""
        x = self.shrink(tuple([(axis.begin, axis.end) for axis in axes])).flip(tuple([i for i, axis in enumerate(axes) if axis.step < 0]))
        steps = [abs(axis.step) for axis in axes]
        if any(step != 1 for step in steps):
            x = x.pad_to(tuple([round_up(size, step) for size, step in zip(x.shape, steps)]))
            x = x.reshape(tuple(flatten((size // step, step) for size, step in zip(x.shape, steps))))
            x = x.shrink_to(tuple(flatten((size, 1) for size in x.shape[::2]))).reshape(x.shape[::2])
        return x

    def __getitem__(self, indices):
        """The part that integers, slices, None, Ellipsis, lists and tensors name; a tensor's index that is out of range gives 0."""
        parsed = self._indices(indices)
        x = self._view([axis for axis in parsed if axis is not None])
        kept = [axis for axis in parsed if axis is None or not axis.drop]
        x = x.reshape(tuple([1 if axis is None else axis.size for axis in kept]))
        dims = [dim for dim, axis in enumerate(kept) if axis is not None and is_tensor(axis.index)]
        if len(dims) > 1 and dims == list(range(dims[0], dims[-1] + 1)):
            return x._take_flat([kept[dim].index for dim in dims], dims[0])
        return x._take(kept)[0] if dims else x

    def _take_flat(self, indices, first):
        """Neighbouring axes indexed together are one axis indexed by row-major positions."""
        sizes = self.shape[first:first + len(indices)]
        try:
            big = broadcast_shape(*[index.shape for index in indices])
        except BroadcastError as error:
            raise IndexError(f"cannot broadcast indices: {error}") from error
        position = (indices[0] * prod(sizes[1:])).usum(*[index * prod(sizes[i + 2:]) for i, index in enumerate(indices[1:])])
        inside = [(index >= 0) & (index < size) for index, size in zip(indices, sizes)]
        inside = inside[0].uprod(*inside[1:])
        x = self.flatten(first, first + len(indices) - 1)[(slice(None),) * first + (inside.where(position, 0),)]
        return inside.reshape(big + (1,) * (self.ndim - first - len(indices))).where(x, 0)

    def _take(self, kept):
        """Elements chosen by index tensors: (the elements, a mask of them over the tensor's axes with the indices' own axes put in front of the first,
        and where the axes of the indices are)."""
        places = [(dim, axis.index) for dim, axis in enumerate(kept) if axis is not None and is_tensor(axis.index)]
        dims, first = [dim for dim, _ in places], places[0][0]
        try:
            big = broadcast_shape(*[index.shape for _, index in places])
        except BroadcastError as error:
            raise IndexError(f"cannot broadcast indices: {error}") from error
        masks = []
        shape = self.shape[:first] + big + self.shape[first:]
        for dim, index in places:
            index = index.reshape(index.shape + (1,) * (self.ndim - first))._broadcast_to(shape)
            masks.append(index._one_hot_along_dim(self.shape[dim], dim - self.ndim))
        mask = masks[0].uprod(*masks[1:])
        x = self.reshape(self.shape[:first] + (1,) * len(big) + self.shape[first:])
        x = mask.where(x, 0).sum(tuple([dim + len(big) for dim in dims]), dtype=self.dtype)
        at = first
        if first and len(dims) > 1 and dims != list(range(first, dims[-1] + 1)):      # indices with an axis between them: their own axes go to the front
            order = list(range(first, first + len(big)))
            at = 0
            x, mask = (y.permute(order + list(range(first)) + list(range(first + len(big), y.ndim))) for y in (x, mask))
        return x, mask, at, len(big), [dim + len(big) for dim in dims]

    def __setitem__(self, indices, value):
        """The named part becomes the value, which is broadcast to it. A view of memory is written to; of other tensors a new whole is made."""
        if self.dtype in dtypes.weaks:
            raise RuntimeError("cannot setitem into a weak tensor; it has no storage")
        if isinstance(value, Node):
            if value.dtype is not self.dtype and value.dtype in dtypes.weaks:
                value = value.cast(least_upper_dtype(self.dtype, value.dtype))
            if value.dtype is not self.dtype:
                raise RuntimeError(f"setitem dtype mismatch: {self.dtype} != {value.dtype}")
        else:
            value = type(self)(value, dtype=self.dtype)
        if not any(isinstance(index, (Node, list)) or hasattr(index, "__array__") for index in (indices if isinstance(indices, tuple) else (indices,))):
            part, before = self[indices], self.node_id
            if part._is_same(value):      # after x[i] += 1 it is
                return
            part.assign(value)
            if self.node_id != before:
                return
        self._assign(self._merged(indices, value))

    def _merged(self, indices, value):
        """This tensor with the value in the named part."""
        parsed = self._indices(indices)
        axes = [axis for axis in parsed if axis is not None]
        kept = [axis for axis in parsed if axis is None or not axis.drop]
        if any(axis is not None and is_tensor(axis.index) for axis in kept):
            x = self._view(axes).reshape(tuple([1 if axis is None else axis.size for axis in kept]))
            taken, mask, at, n, dims = x._take(kept)
            value = value._broadcast_to(broadcast_shape(taken.shape, value.shape))
            for dim in dims:
                value = value.unsqueeze(dim)
            value = x._masked_merge(value, mask, tuple(range(at, at + n)))
        else:
            value = value._broadcast_to(tuple([1 if axis is None else axis.size for axis in kept]))
        value = value.reshape(tuple([axis.size for axis in axes]))
        masks = []
        for dim, axis in enumerate(axes):
            step, length = abs(axis.step), axis.end - axis.begin
            if step != 1 and value.shape[dim] > 1:      # zeros between the elements
                value = value.unsqueeze(dim + 1).pad_to(tuple([step if i == dim + 1 else None for i in range(value.ndim + 1)]))
                value = value.flatten(dim, dim + 1).shrink_to(tuple([length if i == dim else None for i in range(self.ndim)]))
            elif step != 1 and value.shape[dim] == 1:
                value = value.pad_to(tuple([length if i == dim else None for i in range(self.ndim)]))
            if (axis.begin, axis.end, step) != (0, self.shape[dim], 1):
                at = type(self).arange(self.shape[dim]).reshape((-1,) + (1,) * (self.ndim - dim - 1))
                mask = (at >= axis.begin) & (at < axis.end)
                masks.append(mask & (((axis.end - 1 - at) if axis.step < 0 else (at - axis.begin)) % step).eq(0) if step != 1 else mask)
        value = value.flip(tuple([dim for dim, axis in enumerate(axes) if axis.step < 0]))
        value = value._zero_pad([(axis.begin, size - axis.end) for axis, size in zip(axes, self.shape)])
        return masks[0].uprod(*masks[1:]).where(value, self) if masks else value

    def _masked_merge(self, values, mask, axes):
        """If the mask is true anywhere along the axes, the value there (the last of several); else self."""
        for dim in reversed(axes):
            parts = list(zip(mask.split(1, dim), values.split(1, dim)))
            if not parts:
                return self
            mask, values = parts[0]
            for later, value in parts[1:]:
                mask, values = mask | later, later.where(value, values)
        for dim in reversed(axes):
            mask, values = mask.squeeze(dim), values.squeeze(dim)
        return mask.where(values, self)

    def _one_hot_along_dim(self, num_classes, dim=-1):
        """Whether the index is the position along an axis."""
        if not self.dtype.is_int:
            raise RuntimeError(f"_one_hot_along_dim expects int index tensor, getting {self.dtype}")
        return self.eq(type(self).arange(num_classes).reshape((num_classes,) + (1,) * (self.ndim - self._resolve_dim(dim) - 1)))

    def one_hot(self, num_classes):
        """1 at the index along a new last axis, else 0.  (n,) → (n, num_classes)"""
        if not self.dtype.is_int:
            raise RuntimeError(f"expect integer dtype, getting {self.dtype}")
        if num_classes < 0:
            raise ValueError(f"num_classes must be non-negative, got {num_classes}")
        return self.unsqueeze(-1)._one_hot_along_dim(num_classes).where(1, 0)

    def gather(self, dim, index):
        """y[i][j][k] = x[index[i][j][k]][j][k] for dim 0, and so on; the index's other sizes are at most those of x."""
        check_tensors("gather", index)
        if index.ndim != self.ndim:
            raise RuntimeError(f"self.ndim must equal index.ndim: shape {self.shape}, index shape {index.shape}")
        dim = self._resolve_dim(dim)
        if any(size < i for axis, (size, i) in enumerate(zip(self.shape, index.shape)) if axis != dim):
            raise AssertionError(f"gather: the index's shape {index.shape} exceeds shape {self.shape} along an axis other than {dim}")
        x = self.shrink_to(tuple([None if axis == dim else size for axis, size in enumerate(index.shape)])).unsqueeze(-1).transpose(-1, dim)
        return index.unsqueeze(-1)._one_hot_along_dim(self.shape[dim]).where(x, 0).sum(-1, dtype=self.dtype)

    # Scatter.

    def _scattered(self, dim, index, src):
        """(src, mask) over this tensor's shape and a last axis over the scattered elements: mask is true where an element belongs."""
        check_tensors("scatter", index, src)
        dim = self._resolve_dim(dim)
        if not index.ndim == self.ndim == src.ndim:
            raise AssertionError(f"scatter: shape {self.shape}, index {index.shape} and src {src.shape} have different numbers of axes")
        if not all((axis == dim or a >= i) and s >= i for axis, (a, i, s) in enumerate(zip(self.shape, index.shape, src.shape))):
            raise AssertionError(f"scatter: the index's shape {index.shape} exceeds src {src.shape}, or shape {self.shape} along an axis other than {dim}")
        if self.dtype is not src.dtype:
            raise RuntimeError(f"expect dtype {self.dtype} to be equal to src's {src.dtype}")
        src = src.shrink_to(index.shape)
        src = src.unsqueeze(-1).expand(src.shape + (self.shape[dim],)).transpose(-1, dim)
        mask = index.unsqueeze(-1)._one_hot_along_dim(self.shape[dim]).transpose(-1, dim)
        return src.pad_to(self.shape + (None,)), mask.pad_to(self.shape + (None,))

    def scatter(self, dim, index, src, reduce=None):
        """y[index[i][j]][j] = src[i][j] for dim 0, and so on; the last of several wins. A number may be added or multiplied instead (reduce)."""
        if reduce not in (None, "add", "multiply"):
            raise TypeError(f"reduce={reduce!r} must be one of None, 'multiply', or 'add'")
        if not isinstance(src, Node):
            src = type(self).full(index.shape, src, dtype=self.dtype)
        elif reduce:
            raise TypeError("non-scalar src is not supported with reduce arg. use scatter_reduce")
        if reduce:
            return self.scatter_reduce(dim, index, src, "sum" if reduce == "add" else "prod")
        src, mask = self._scattered(dim, index, src)
        return self._masked_merge(src, mask, (-1,))

    def scatter_reduce(self, dim, index, src, reduce, include_self=True):
        """As scatter, but elements with the same index are reduced: "sum", "prod", "mean", "amax" or "amin"."""
        if reduce not in ("sum", "prod", "mean", "amax", "amin"):
            raise RuntimeError(f"reduce={reduce!r} must be one of 'sum', 'prod', 'mean', 'amax', 'amin'")
        src, mask = self._scattered(dim, index, src)
        def own(neutral): return self if include_self else mask.any(-1).where(neutral, self)
        if reduce == "prod":
            return mask.where(src, 1).prod(-1).mul(own(1))
        if reduce == "amax":
            return mask.where(src, dtypes.min(src.dtype)).max(-1).maximum(own(dtypes.min(src.dtype)))
        if reduce == "amin":
            return mask.where(src, dtypes.max(src.dtype)).min(-1).minimum(own(dtypes.max(src.dtype)))
        total = mask.where(src, 0).sum(-1).add(own(0))
        if reduce == "sum":
            return total
        count = mask.where(1, 0).sum(-1)
        return total.div(count + 1 if include_self else count + mask.any(-1).where(0, 1))

    # Selection by mask; the number of elements is read, so the mask is computed at once.

    def masked_select(self, mask, size=None, fill_value=0):
        """The elements where the mask is true, in order.  (…) → (count,), or (size,) cut off or filled up"""
        if not mask.dtype.is_bool:
            raise RuntimeError(f"masked_select expects bool mask tensor, got {mask.dtype}")
        x, mask = self.flatten(), mask._broadcast_to(self.shape).flatten()
        before = mask.cumsum()
        n = size if size is not None else before[-1].item() if mask.numel() else 0
        counts = type(self).zeros(n, dtype=dtypes.int32).scatter(0, before, 1, reduce="add")
        if size is None:
            return x[counts.cumsum()]
        return (type(self).arange(size) < mask.sum()).where(x[counts.cumsum()], fill_value).cast(self.dtype)

    def nonzero(self, size=None, fill_value=0):
        """The indices of the elements that are not zero.  → (count, axes)"""
        if not self.ndim:
            return type(self).zeros(size if size is not None else int(self.ne(0).item()), 0, dtype=dtypes.int32)
        mask = self.ne(0).flatten()
        columns = [type(self).arange(n).reshape((n,) + (1,) * (self.ndim - i - 1)).expand(self.shape).flatten() for i, n in enumerate(self.shape)]
        indices = columns[0].stack(*columns[1:], dim=-1)
        mask = mask.unsqueeze(-1).expand(mask.shape + (self.ndim,))
        return indices.masked_select(mask, size if size is None else size * self.ndim, fill_value).reshape(-1, self.ndim)

    # Sorting.

    def sort(self, dim=-1, descending=False):
        """(the values in order, where each was); equal elements keep their order.
        The network is bitonic: https://en.wikipedia.org/wiki/Bitonic_sorter. An axis of 2ᵏ elements is k axes of 2, so that partners are the two halves of one."""
        dim, x = self._resolve_dim(dim), self.cast(strong_dtype(self.dtype))
        n = self.shape[dim] if self.ndim else 1
        if n <= 1:
            return self, self.const_like(0, dtypes.default_int)
        stages = (n - 1).bit_length()
        pad = tuple([(0, (1 << stages) - n if axis == dim else 0) for axis in range(x.ndim)])
        x = x._pad_constant(pad, dtypes.min(x.dtype) if descending else dtypes.max(x.dtype)).unflatten(dim, (2,) * stages)
        for stage in range(1, stages + 1):
            cross = dim + stages - stage - 1      # of every other block the order is reversed, so that each pair of blocks is bitonic
            flips = tuple([-i for i in range(1, stage + 1 + self.ndim - dim)])
            if stage != stages:
                left, right = x.split(1, cross)
                x = left.cat(right.flip(flips), dim=cross).contiguous()
            for substage in range(stage - 1, -1, -1):
                partner = dim + stages - substage - 1
                a, b = x.split(1, partner)
                larger, smaller = a.maximum(b), a.minimum(b)
                x = (larger.cat(smaller, dim=partner) if descending else smaller.cat(larger, dim=partner)).contiguous()
            if stage != stages:
                left, right = x.split(1, cross)
                x = left.cat(right.flip(flips), dim=cross)
        x = x.flatten(dim, dim + stages - 1).shrink_to(self.shape)
        # an element is where the value is the same and as many equal ones came before it
        earlier = type(self).ones(n, n, dtype=dtypes.bool).tril().reshape((n, n) + (1,) * (self.ndim - dim - 1))
        def rank(t): return (earlier & t.unsqueeze(dim).eq(t.unsqueeze(dim + 1))).sum(dim + 1)
        same = self.unsqueeze(dim + 1).eq(x.unsqueeze(dim)) & rank(self).unsqueeze(dim + 1).eq(rank(x).unsqueeze(dim))
        at = type(self).arange(n).reshape((n, 1) + (1,) * (self.ndim - dim - 1))
        return x, (same * at).sum(dim)

    def argsort(self, dim=-1, descending=False):
        """Where the elements in order were."""
        return self.sort(dim, descending)[1]

    def topk(self, k, dim=-1, largest=True, sorted_=True):
        """(the k largest along an axis, where they are)"""
        if not sorted_:
            raise NotImplementedError("topk with sorted_=False is not supported")
        dim = self._resolve_dim(dim)
        if k > (self.shape[dim] if self.ndim else 1):
            raise ValueError(f"selected index {k=} is out of range for axis {dim} of shape {self.shape}")
        x, index = self.sort(dim, descending=largest)
        to = tuple([k if axis == dim else None for axis in range(self.ndim)])
        return x.shrink_to(to), index.shrink_to(to)
