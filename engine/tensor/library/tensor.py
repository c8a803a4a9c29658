"""`Tensor`, the type that programs compute with. Its base classes have the methods by theme; this file has input and output of values, memory and gradients."""
import _lazyscope
from _lazyscope import Node, ShapeError
from tinygrad.convolution import Convolution
from tinygrad.creation import Creation
from tinygrad.device import canonicalize
from tinygrad.dtype import DTYPES_DICT, _from_np_dtype, _to_np_dtype, dtypes, least_upper_dtype, strong_dtype, to_dtype
from tinygrad.elementwise import Elementwise
from tinygrad.functions import Functions
from tinygrad.helpers import TRAINING, Scope, cast, missing, prod
from tinygrad.indexing import Indexing
from tinygrad.linalg import LinearAlgebra
from tinygrad.losses import Losses
from tinygrad.movement import Movement, check_tensors
from tinygrad.random import Random
from tinygrad.reduce import Reduce
from tinygrad.variable import BoundVariable, Unbound


class TensorType(type):
    """The attributes of the class `Tensor`."""
    @property
    def training(cls):
        """The setting TRAINING, under its older name."""
        return bool(TRAINING)

    @training.setter
    def training(cls, value): TRAINING.value = int(value)

    def __getattr__(cls, name): raise missing("Tensor", name, () if name[:2] == "__" else dir(cls))


class Tensor(Creation, Movement, Elementwise, Functions, Reduce, Indexing, LinearAlgebra, Convolution, Losses, Random, Node, metaclass=TensorType):
    """An array of one dtype. Operations make new tensors and compute nothing; `realize`, `tolist`, `numpy` and `item` compute."""
    __slots__ = ()

    def __init__(self, data=None, device=None, dtype=None, requires_grad=None):
        """Makes a tensor from a number, nested lists of numbers, bytes, a numpy array or another tensor. Default dtype: bool, int or float according to the numbers, uint8 for bytes, the array's own for arrays."""
        canonicalize(device)
        dtype = None if dtype is None else to_dtype(dtype)
        x = self._converted(data, dtype)
        if requires_grad and isinstance(data, (bool, int, float)):      # two parameters of one value have two gradients
            x = x.cast(strong_dtype(x.dtype))._own()
        self._set(x)
        self.requires_grad = requires_grad

    @classmethod
    def _converted(cls, data, dtype):
        if isinstance(data, Node):
            return data if dtype is None else data.cast(dtype)
        if data is None or isinstance(data, (bool, int, float, Unbound)):
            data = 0.0 if data is None else data
            if isinstance(data, (BoundVariable, Unbound)) and dtype is None:
                dtype = data.dtype
            elif dtype is None and isinstance(data, int) and not -1 << 31 <= data < 1 << 31:      # as in a list
                dtype = dtypes.int64 if data < 1 << 63 else dtypes.uint64
            return _lazyscope.const(cls, data, dtypes.from_py(data) if dtype is None else dtype)
        if isinstance(data, _lazyscope.UOp):
            free = next((u for u in data.toposort() if u.op.name == "DEFINE_VAR"), None)
            if free is not None:
                raise RuntimeError(f"UOp variable {free.arg[0]} has no value: Variable({free.arg[0]!r}, {free.arg[1]}, {free.arg[2]}).bind(value), of tinygrad, makes a tensor")
            x = _lazyscope.of_uop(cls, data)
            return x if dtype is None else x.cast(dtype)
        if dtype in dtypes.weaks:
            raise RuntimeError(f"cannot create storage for weak dtype {dtype}")
        if isinstance(data, (list, tuple)):
            x = _lazyscope.nested(cls, _plain(data), dtype)
            if dtype is None and x.dtype in (dtypes.float32, dtypes.int32):
                x = x.cast(dtypes.default_float if x.dtype is dtypes.float32 else dtypes.default_int)
            return x
        if isinstance(data, (bytes, bytearray, memoryview)) and not getattr(data, "shape", (1,))[1:]:
            dtype, data = dtype or dtypes.uint8, bytes(data)
            if len(data) % dtype.itemsize:
                raise ShapeError(f"{len(data)} bytes are not a whole number of {dtype}")
            return _lazyscope.host(cls, data, dtype, (len(data) // dtype.itemsize,))
        if hasattr(data, "__array_interface__") or type(data).__module__ == "tinygrad.ndarray":
            return cls._of_array(data, dtype)
        if hasattr(data, "__fspath__"):
            with open(data, "rb") as file:
                return cls._converted(file.read(), dtype)
        raise RuntimeError(f"can't create Tensor from {data!r} with type {type(data)}")

    @classmethod
    def _of_array(cls, data, dtype):
        if type(data).__module__ == "tinygrad.ndarray":
            x = _lazyscope.host(cls, data.data, data.dtype_, data.shape)
        elif data.shape == ():
            return _lazyscope.const(cls, data.item(), dtype or _from_np_dtype(data.dtype))
        else:
            if dtype is not None and (found := _to_np_dtype(dtype)) is not None:
                data = data.astype(found)
            x = _lazyscope.host(cls, data.astype(data.dtype.newbyteorder("="), order="C", copy=False).tobytes(), _from_np_dtype(data.dtype), data.shape)
        return x if dtype is None else x.cast(dtype)

    def __repr__(self):
        grad = None if self.grad is None else f"<UOp {self.grad.device} {self.grad.shape} {str(self.grad.dtype)[7:]}>"
        return f"<Tensor <UOp {self.device} {self.shape} {str(self.dtype)[7:]}> on {self.device} with grad {grad}>"

    def __bool__(self): raise TypeError("__bool__ on Tensor is not defined: compare with item(), any() or all()")

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of a 0-d tensor")
        return self.shape[0]

    def __iter__(self):
        if not self.shape:
            raise TypeError("iteration over a 0-d tensor")
        return self._rows()

    def _rows(self):
        """A generator: in a recording its calls are named."""
        for i in range(self.shape[0]):
            yield self[i]

    def __contains__(self, x): raise TypeError("`in` a Tensor is not defined: compare, and ask any()")
    def __delitem__(self, indices): raise TypeError("Tensor does not support deleting items")
    def __getattr__(self, name): raise missing("Tensor", name, () if name[:2] == "__" else dir(type(self)))

    # Values.

    def tolist(self):
        """The values as nested lists, computed; a number for shape ()."""
        return self.data().tolist() if self._has_view() else _lazyscope.tolist(self)      # a view has no half, and no second axis without elements

    def item(self):
        """The only value as a number."""
        if self.numel() != 1:
            raise AssertionError(f"must have one element for item: shape {self.shape} has {self.numel()}")
        return self.reshape(()).tolist()

    def data(self):
        """The values as a memoryview in this tensor's shape."""
        dtype = strong_dtype(self.dtype)
        if dtype.fmt is None:
            raise AssertionError(f"no fmt dtype for {dtype}")
        if dtype.fmt == "e":
            raise AssertionError("Python's memoryview has no half: cast to float")
        view = self._data()
        return view.cast(dtype.fmt) if 0 in self.shape else view.cast(dtype.fmt, self.shape)

    def _has_view(self):
        """Whether a memoryview can have its dtype and shape."""
        return self.dtype not in dtypes.weaks and self.dtype.fmt not in (None, "e") and all(isinstance(size, int) and size > 0 for size in self.shape)

    def _data(self):
        """The values as a memoryview of bytes in a row, computed."""
        cpu = self.cast(strong_dtype(self.dtype)).contiguous(own=False).to("CPU").realize(keep=False)
        return memoryview(bytearray(_lazyscope.data(cpu)))

    def numpy(self):
        """The values as a numpy array (where numpy is not installed, as an array that prints and indexes like one)."""
        x = self.cast(strong_dtype(self.dtype))
        if x.dtype.fmt is None:
            x = x.float()
        try:
            import numpy
        except ImportError:
            from tinygrad.ndarray import ndarray
            return ndarray(bytes(x._data()), x.dtype, x.shape)
        return numpy.frombuffer(x._data(), dtype=_to_np_dtype(x.dtype)).reshape(x.shape)

    def __reduce__(self):
        """Pickled and copied by its values."""
        x = self.cast(strong_dtype(self.dtype))
        return _remade, (type(self), _lazyscope.data(x), x.dtype, x.shape, self.requires_grad)

    # Its type.

    @property
    def uop(self):
        """Its node."""
        import tinygrad.uop.ops      # whose class nodes are of
        return _lazyscope.uop(self)

    @property
    def lazydata(self):
        """Its node as a lazy buffer: a view of a base, with op, arg, srcs and buffer."""
        from tinygrad.lazydata import LazyBuffer
        return LazyBuffer(_lazyscope.uop(self))

    @property
    def _ctx(self):
        """None: gradients are rules over the graph, and no function object holds a tensor's parents."""
        return None

    # Memory.

    @property
    def device(self):
        """Its device: "CPU"."""
        return "CPU"

    def realize(self, *others, **kwargs):
        """Computes this tensor and others together. keep=False: they are read once and need not refer to their memory."""
        _lazyscope.realize([self, *others], kwargs.get("keep", True))
        return self

    def schedule_with_vars(self, *others):
        """The kernels that realize() would launch, a list of ScheduleItem (ast, bufs), and the values of bound variables. Nothing is computed."""
        from tinygrad.engine.schedule import create_schedule_with_vars
        return create_schedule_with_vars([self, *others])

    def schedule(self, *others):
        """The kernels that realize() would launch: a list of ScheduleItem (ast, bufs). Nothing is computed; `tinygrad.engine.realize.run_schedule` runs them."""
        return self.schedule_with_vars(*others)[0]

    def contiguous(self, **kwargs):
        """Stored in its own row-major memory. own=False: the tensor itself, which realize() stores so."""
        if not kwargs.get("own", True):
            return _lazyscope.same(self)
        return self if self.dtype in dtypes.weaks else self._contiguous()

    def contiguous_backward(self):
        """The same tensor; its gradient is made contiguous."""
        return self._contiguous_backward()

    def clone(self, device=None):
        """A copy with memory of its own."""
        canonicalize(device)
        x = self.cast(strong_dtype(self.dtype))._clone()
        x.requires_grad = self.requires_grad
        if self.grad is not None:
            x.grad = self.grad.clone()
        return x

    def detach(self):
        """The same tensor; stops the gradient."""
        return self._detach()

    def to(self, device):
        """On another device; there is one."""
        canonicalize(device)
        return _lazyscope.same(self)

    def to_(self, device):
        """On another device, in place; there is one."""
        return self.to(device)

    def shard(self, devices, axis=None):
        """Over several devices; there is one."""
        canonicalize(tuple(dict.fromkeys(devices)) if isinstance(devices, (tuple, list)) else devices)
        return self

    def shard_(self, devices, axis=None):
        """Over several devices, in place; there is one."""
        return self.shard(devices, axis)

    def shard_like(self, y):
        """On the device of y; there is only one."""
        return self

    def replace(self, x, allow_shape_mismatch=False):
        """Makes this object refer to another tensor."""
        if self.shape != x.shape and not allow_shape_mismatch:
            raise AssertionError(f"replace shape mismatch {self.shape} != {x.shape}")
        return self._set(x)

    def assign(self, x):
        """The values become those of x (broadcast; of the same dtype), in the same memory: others that share it see them."""
        if not isinstance(x, Node):
            x = type(self)(x, dtype=strong_dtype(self.dtype))
        if self.dtype in dtypes.weaks:
            self._set(self.clone())
        if x.dtype in dtypes.weaks:
            x = x.cast(least_upper_dtype(self.dtype, x.dtype))
        if x.dtype is not self.dtype:
            raise RuntimeError(f"assign dtype mismatch {self.dtype} != {x.dtype}")
        try:
            x = x._broadcast_to(self.shape)
        except ShapeError:
            raise ShapeError(f"assign: a value of shape {x.shape} does not fit shape {self.shape}") from None
        return self._assign(x)

    # Gradients.

    @property
    def is_param(self):
        """Whether an optimizer changes it."""
        return self.requires_grad is not False

    def is_param_(self, is_param=True):
        """Sets whether an optimizer changes it."""
        self.requires_grad = None if is_param else False
        return self

    def requires_grad_(self, requires_grad=True):
        """Sets whether `backward` gives it a gradient. A tensor of constants only becomes a distinct tensor for this."""
        if requires_grad and self.dtype.is_float and not any(x is self for x in _lazyscope.live(type(self), self)):
            self._set(self.cast(strong_dtype(self.dtype))._own())
        self.requires_grad = requires_grad
        return self

    def gradient(self, *targets, gradient=None, materialize_grads=False):
        """∂self/∂t for each of the targets, zeros where self does not depend on it; the gradient of self is 1 if it is a scalar."""
        if gradient is None and self.shape != ():
            raise AssertionError(f"when no gradient is provided, backward must be called on a scalar tensor, not one of shape {self.shape}")
        check_tensors("gradient", *targets)
        if not self.dtype.is_float or not all(t.dtype.is_float for t in targets):
            raise RuntimeError("only float Tensors have gradient")
        if any(t.dtype in dtypes.weaks for t in targets):
            raise RuntimeError("cannot take gradient wrt a weak Tensor")
        found = _lazyscope.gradient(self, list(targets), self._seed(gradient))
        return [t.const_like(0) if grad is None else grad for t, grad in zip(targets, found)]

    def _seed(self, gradient):
        """The gradient to begin with: 1, or the given one."""
        if gradient is None:
            return self.const_like(1.0)
        same = gradient.reshape(self.shape) if gradient.numel() == self.numel() else gradient._broadcast_to(self.shape)
        return same.cast(self.dtype)

    def backward(self, gradient=None):
        """Adds to the grad of every float tensor that self is made of (unless its requires_grad is False) ∂self/∂it: 0 behind a detach. Tensors of constants only, without memory, get no grad."""
        if not self.dtype.is_float:
            raise RuntimeError("only float Tensors have gradient")
        if gradient is None and self.shape != ():
            raise AssertionError(f"when no gradient is provided, backward must be called on a scalar tensor, not one of shape {self.shape}")
        live = [t for t in _lazyscope.live(type(self), self) if t.dtype.is_float and t.dtype not in dtypes.weaks and t.requires_grad is not False]
        for t, grad in zip(live, _lazyscope.gradient(self, live, self._seed(gradient))):
            grad = t.const_like(0) if grad is None else grad
            t.grad = grad if t.grad is None else t.grad.assign(t.grad + grad)
        return self

    # Training, for older programs.

    class train(Scope):
        """`with Tensor.train():` sets TRAINING for a block."""
        def __init__(self, mode=True): self.mode = mode

        def __enter__(self):
            self.before, TRAINING.value = TRAINING.value, int(self.mode)
            return self

        def __exit__(self, *error): TRAINING.value = self.before

    class test(train):
        """`with Tensor.test():` clears TRAINING for a block."""
        def __init__(self, mode=True): self.mode = not mode

    def sequential(self, layers):
        """Applies the functions in order, each to the result of the one before."""
        x = self
        for layer in layers:
            x = layer(x)
        return x

    @classmethod
    def from_blob(cls, *args, **kwargs):
        """Always an error: foreign memory is not read."""
        raise RuntimeError("from_blob is not supported: make a tensor of bytes or of an array")

    @classmethod
    def from_url(cls, url, gunzip=False, device=None):
        """The bytes, uint8, of a local file; no file is loaded from the network."""
        from tinygrad.helpers import fetched
        return cls(fetched(url, gunzip), device=device)


def _remade(cls, data, dtype, shape, requires_grad):
    x = _lazyscope.host(cls, data, dtype, shape)
    x.requires_grad = requires_grad
    return x


def _plain(data):
    """Nested lists whose items may be arrays, as lists of numbers."""
    return [_plain(item) if isinstance(item, (list, tuple)) else item.tolist() for item in data] \
        if data and (isinstance(data[0], (list, tuple)) or hasattr(data[0], "tolist")) and _has_array(data) else data


def _has_array(data):
    return any(_has_array(item) if isinstance(item, (list, tuple)) else hasattr(item, "tolist") for item in data)
