"""`tensor.lazydata`: a tensor's node as the lazy buffers of 2024 showed it: a view of a base, which is an op over other such buffers."""
import _lazyscope
import tinygrad.uop.ops      # whose class nodes are of


class View:
    """How the indices of a shape map to elements: strides, an offset, and for each axis the interval that is backed by memory (mask)."""
    def __init__(self, shape, strides, offset, mask, contiguous):
        self.shape, self.strides, self.offset, self.mask, self.contiguous = shape, strides, offset, mask, contiguous

    def __repr__(self):
        return f"View(shape={self.shape}, strides={self.strides}, offset={self.offset}, mask={self.mask}, contiguous={self.contiguous})"


class ShapeTracker:
    """A chain of views; one is enough unless strides cannot express a reshape."""
    def __init__(self, views): self.views = views
    def __repr__(self): return f"ShapeTracker(views={self.views})"
    def __eq__(self, other): return isinstance(other, ShapeTracker) and repr(self) == repr(other)
    def __hash__(self): return hash(repr(self))
    @property
    def shape(self): return self.views[-1].shape
    @property
    def contiguous(self): return len(self.views) == 1 and self.views[0].contiguous
    def real_strides(self): return self.views[-1].strides if len(self.views) == 1 else (None,) * len(self.shape)


# Ops by kind, in the order of their numbers.
KINDS = {
    "LoadOps": ("EMPTY", "CONST", "COPY", "CONTIGUOUS", "CUSTOM", "ASSIGN", "VIEW", "IOTA"),
    "UnaryOps": ("EXP2", "LOG2", "CAST", "BITCAST", "SIN", "SQRT", "NEG", "RECIP", "NOT", "TRUNC", "CONTIGUOUS_BACKWARD"),
    "BinaryOps": ("ADD", "MUL", "IDIV", "MAX", "MOD", "CMPLT", "CMPNE", "XOR", "SHL", "SHR", "OR", "AND", "SUB", "FDIV", "CMPEQ", "POW", "FLOORDIV", "FLOORMOD"),
    "ReduceOps": ("SUM", "MAX", "PROD"),
    "TernaryOps": ("WHERE", "MULACC")}
RENAMED = {"BUFFER": "EMPTY"}
REDUCES = {"ADD": "SUM", "MAX": "MAX", "MUL": "PROD"}


class LazyOp:
    """The op of a buffer, with its kind."""
    def __init__(self, name, kind=None):
        self.name = RENAMED.get(name, name)
        self.kind = kind or next((kind for kind, names in KINDS.items() if self.name in names), "Ops")
        self.value = KINDS[self.kind].index(self.name) + 1 if self.kind in KINDS else 0

    def __repr__(self): return f"<{self.kind}.{self.name}: {self.value}>"
    def __eq__(self, other): return isinstance(other, LazyOp) and repr(self) == repr(other)
    def __hash__(self): return hash(repr(self))


class Buffer:
    """Memory: whether it is allocated, on which device, and its contents."""
    def __init__(self, known, device, size, dtype):
        self.device, self.size, self.dtype, self.offset = device, size, dtype, 0
        self.number, self.allocated = known[0] if known else None, known is not None

    def is_allocated(self): return self.allocated
    @property
    def nbytes(self): return self.size * self.dtype.itemsize
    def __eq__(self, other): return isinstance(other, Buffer) and self.number is not None and self.number == other.number
    def __hash__(self): return hash(self.number)
    def __repr__(self): return f"<buf real:{self.allocated} device:{self.device} size:{self.size} dtype:{self.dtype} offset:{self.offset}>"


class LazyBuffer:
    """A read-only view of a node. Its attributes are computed from the graph on access; they never change."""
    contiguous_child = None      # equal computations are one node here, so none has to be remembered
    forced_realize = False       # what gets memory is the schedule's decision, which the recording explains
    scheduled = set()            # nodes that a schedule was asked for, which is done once

    def __init__(self, uop, device="CPU"):
        self.uop, self.device = uop, device
        self._base_uop, views, self._known = _lazyscope.lazy(uop)
        self.st = ShapeTracker(tuple([View(*view) for view in views]))
        self.dtype, self.shape = uop.dtype, self.st.shape

    @property
    def size(self):
        """The number of its elements."""
        n = 1
        for size in self.shape:
            n *= size
        return n

    @property
    def base(self):
        """The node that it is a view of; itself if it is not a view."""
        return self if self._base_uop is self.uop else LazyBuffer(self._base_uop, self.device)

    @property
    def _base(self): return None if self._base_uop is self.uop else self.base

    def _own(self, name):
        if self._base_uop is not self.uop:
            raise AttributeError(f"a view has no {name} of its own: its base has")

    @property
    def op(self):
        """The op of a base."""
        self._own("op")
        name = self.uop.op.name
        return LazyOp(REDUCES.get(self.uop.arg[0].name, "SUM"), "ReduceOps") if name == "REDUCE_AXIS" else LazyOp(name)

    @property
    def arg(self):
        """The argument of the op: the number of a constant, the bytes of a copy, the axes of a reduce, the dtype of a cast."""
        self._own("arg")
        name = self.uop.op.name
        if name == "COPY":
            return self.size * self.dtype.itemsize
        if name in ("CAST", "BITCAST"):
            return self.dtype
        return None if name == "BUFFER" else self.uop.arg[1] if name == "REDUCE_AXIS" else self.uop.arg

    @property
    def srcs(self):
        """The lazy buffers that the op reads; host data for a copy."""
        self._own("srcs")
        if self.uop in LazyBuffer.scheduled:
            raise AttributeError("a value that was scheduled has no srcs: its kernel has them, and it is scheduled once")
        return tuple([LazyBuffer(source, "NPY" if self.uop.op.name == "COPY" else self.device) for source in self.uop.src])

    @property
    def buffer(self):
        """The base's memory, allocated or not."""
        base = self.base
        return Buffer(self._known, self.device, base.size, base.dtype)

    @property
    def realized(self):
        """The base's memory if it holds the value, else None."""
        return self.buffer if self._known else None

    def is_unrealized_const(self): return self.realized is None and self.base.uop.op.name == "CONST"

    def schedule(self):
        """The kernels that computing it would launch."""
        from tinygrad.engine.schedule import create_schedule
        return create_schedule([self])

    def __repr__(self):
        what = self.st if self._base_uop is not self.uop else (self.op, self.realized)
        return f"<LB {self.device} {self.shape} {str(self.dtype)[7:]} {what}>"
