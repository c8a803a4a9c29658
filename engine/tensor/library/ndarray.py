"""The result of `Tensor.numpy` if numpy is not installed: an array that is indexed and printed like numpy's.

Printing: columns of equal width, the fewest digits that distinguish the elements (at most 8 after the point), exponents when the range is wide, lines of 75
columns, and "..." in the middle of more than 1,000 elements.
"""
import math
import struct
from tinygrad.dtype import dtypes, identifier
from tinygrad.helpers import prod

LINE_WIDTH, THRESHOLD, EDGE, PRECISION = 75, 1000, 3, 8


class DTypeName(str):
    """The dtype as numpy names it: "float32"."""
    def __repr__(self): return f"dtype('{self}')"
    @property
    def name(self): return str(self)


class ndarray:
    """An array in memory, row-major."""
    def __init__(self, data, dtype, shape):
        self.data, self.dtype_, self.shape = bytes(data), dtype, tuple(shape)

    dtype = property(lambda self: DTypeName(identifier(self.dtype_)))
    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: prod(self.shape))
    itemsize = property(lambda self: self.dtype_.itemsize)
    nbytes = property(lambda self: len(self.data))
    T = property(lambda self: self.transpose())

    def _flat(self):
        return struct.unpack(f"={self.size}{self.dtype_.fmt}", self.data)

    def tolist(self):
        """The elements as nested lists."""
        return nest(list(self._flat()), self.shape)

    def item(self):
        """The only element."""
        if self.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return self._flat()[0]

    def tobytes(self): return self.data
    def copy(self): return self
    def reshape(self, *shape):
        shape = tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape
        shape = tuple([self.size // max(1, -prod(shape)) if size == -1 else size for size in shape])
        if prod(shape) != self.size:
            raise ValueError(f"cannot reshape array of size {self.size} into shape {shape}")
        return ndarray(self.data, self.dtype_, shape)

    def flatten(self): return self.reshape(-1)
    def transpose(self):
        """The axes in reverse order."""
        flat, places = self._flat(), [0]
        for size, stride in reversed(list(zip(self.shape, strides(self.shape)))):
            places = [place + i * stride for place in places for i in range(size)]
        return self._of([flat[place] for place in places], self.shape[::-1])

    def _of(self, items, shape):
        return ndarray(struct.pack(f"={len(items)}{self.dtype_.fmt}", *items), self.dtype_, shape)

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __iter__(self): return (self[i] for i in range(len(self)))

    def __getitem__(self, index):
        index = index if isinstance(index, tuple) else (index,)
        if len(index) > self.ndim:
            raise IndexError(f"too many indices for array: array is {self.ndim}-dimensional, but {len(index)} were indexed")
        places, shape = [0], []
        for axis, (size, stride) in enumerate(zip(self.shape, strides(self.shape))):
            each = index[axis] if axis < len(index) else slice(None)
            if isinstance(each, slice):
                chosen = range(size)[each]
                shape.append(len(chosen))
            else:
                if not -size <= each < size:
                    raise IndexError(f"index {each} is out of bounds for axis {axis} with size {size}")
                chosen = [each % size]
            places = [place + i * stride for place in places for i in chosen]
        flat = self._flat()
        if not shape and len(index) == self.ndim:
            return flat[places[0]]
        return self._of([flat[place] for place in places], shape)

    def __float__(self): return float(self.item())
    def __int__(self): return int(self.item())
    def __bool__(self): return bool(self.item())

    def __str__(self):
        if not self.shape:
            value = self.item()
            return shortest_number(value, self.dtype_) if self.dtype_.is_float else str(value)
        return Layout(self).text()

    def __repr__(self):
        kind = "" if self.dtype_ in (dtypes.float64, dtypes.int64, dtypes.bool) and self.size else f"dtype={self.dtype}"
        text = Layout(self).element(self.item()) if not self.shape else Layout(self).text(", ", "array(", "," if kind else ")")
        if not self.size and self.ndim > 1:
            text += f", shape={self.shape}"
        if not kind:
            return f"array({text})"
        last = len("array(" + text) - ("array(" + text).rfind("\n") - 1
        return f"array({text}," + ("\n      " if last + len(kind) + 3 > LINE_WIDTH else " ") + kind + ")"


def strides(shape): return [prod(shape[axis + 1:]) for axis in range(len(shape))]


def nest(flat, shape):
    """A flat list as nested lists."""
    if not shape:
        return flat[0]
    if len(shape) == 1:
        return flat
    step = prod(shape[1:])
    return [nest(flat[i * step:(i + 1) * step], shape[1:]) for i in range(shape[0])]


def rounded(value, dtype):
    """A number as one of that dtype."""
    try:
        return struct.unpack("=" + dtype.fmt, struct.pack("=" + dtype.fmt, value))[0]
    except OverflowError:
        return math.inf


def shortest(value, dtype):
    """The fewest digits that read back as this number of that dtype: (digits, exponent of the first)."""
    low, high = {"d": (15, 17), "e": (1, 5)}.get(dtype.fmt, (1, 9))
    for n in range(low, high + 1):
        text = f"{abs(value):.{n - 1}e}"
        if rounded(float(text), dtype) == abs(value):
            break
    mantissa, exponent = text.split("e")
    return mantissa.replace(".", "").rstrip("0") or "0", int(exponent)


def shortest_number(value, dtype):
    """A number printed by itself: 0.1, 1e-05."""
    if not math.isfinite(value):
        return str(value)
    digits, exponent = shortest(value, dtype)
    return repr(math.copysign(float(f"{digits}e{exponent - len(digits) + 1}"), value))


def fixed(value, dtype):
    """In fixed notation with at most PRECISION digits after the point and no zeros at its end: "0.5", "3."."""
    digits, exponent = shortest(value, dtype)
    if exponent >= len(digits) - 1:
        return f"{abs(value):.0f}."
    places = len(digits) - 1 - exponent
    text = f"{abs(value):.{PRECISION}f}" if places > PRECISION else f"{float(f'{digits}e{exponent - len(digits) + 1}'):.{places}f}"
    return text.rstrip("0") if "." in text else text + "."


class Layout:
    """How the elements of one array are printed: all alike."""
    def __init__(self, array):
        self.array, self.dtype, self.cut = array, array.dtype_, array.size > THRESHOLD
        shown = list(self.shown(array.tolist())) if array.size else []      # those that are printed
        finite = [value for value in shown if self.dtype.is_float and math.isfinite(value)]
        sizes = [abs(value) for value in finite if value != 0]
        self.scientific = bool(sizes) and (max(sizes) >= 1e8 or min(sizes) < 1e-4 or max(sizes) / min(sizes) > 1000)
        self.right = self.width = 0
        if not self.dtype.is_float:
            self.width = 5 if self.dtype.is_bool and array.shape else max([len(str(value)) for value in shown], default=0)
            return
        parts = [self.parts(value) for value in finite]
        self.right = max([len(after) for _, after, _ in parts], default=0)
        left, tail = max([len(before) for before, _, _ in parts], default=0), max([len(tail) for _, _, tail in parts], default=0)
        self.width = max([left + 1 + self.right + tail if parts else 0] + [len(str(value)) for value in shown if not math.isfinite(value)])

    def shown(self, nested):
        """The elements that are printed."""
        if not isinstance(nested, list):
            yield nested
            return
        if self.cut and len(nested) > 2 * EDGE:
            nested = nested[:EDGE] + nested[-EDGE:]
        for item in nested:
            yield from self.shown(item)

    def parts(self, value):
        """(sign and digits before the point, those after it, exponent)"""
        sign = "-" if math.copysign(1, value) < 0 else ""
        if not self.scientific:
            before, after = fixed(value, self.dtype).split(".")
            return sign + before, after, ""
        places = min(len(shortest(value, self.dtype)[0]) - 1, PRECISION)
        mantissa, exponent = f"{abs(value):.{self.right or places}e}".split("e")
        return sign + mantissa[0], mantissa[2:] if self.right else mantissa[2:].rstrip("0"), f"e{int(exponent):+03d}"

    def element(self, value):
        if not self.dtype.is_float or not math.isfinite(value):
            return str(value).rjust(self.width)
        before, after, tail = self.parts(value)
        return f"{before}.{after.ljust(self.right, '0' if self.scientific else ' ')}{tail}".rjust(self.width)

    def text(self, between=" ", prefix="", suffix=""):
        """The array between brackets, with a prefix on the first line and a suffix on the last."""
        if not self.array.size:
            return "[]"
        return self.rows(self.array.tolist(), between, " " + " " * len(prefix), LINE_WIDTH - len(suffix), self.array.ndim)

    def rows(self, nested, between, indent, width, depth):
        pieces = nested if not (self.cut and len(nested) > 2 * EDGE) else nested[:EDGE] + [...] + nested[-EDGE:]
        if depth > 1:
            gap = between.rstrip() + "\n" * (depth - 1) + indent
            return "[" + gap.join("..." if piece is ... else self.rows(piece, between, indent + " ", width - 1, depth - 1) for piece in pieces) + "]"
        out, line = "", indent
        for i, piece in enumerate(pieces):
            word = "..." if piece is ... else self.element(piece)
            if len(line) + len(word) > width - max(len(between.rstrip()), 1) and i:
                out, line = out + line.rstrip() + "\n", indent
            line += word + (between if i + 1 < len(pieces) else "")
        return "[" + (out + line)[len(indent):] + "]"
