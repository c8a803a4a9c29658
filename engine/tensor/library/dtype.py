"""Data types: their names, their properties, and promotion.

The dtype objects themselves belong to the engine. A number of the program is *weak*: it takes the dtype of the tensor that it meets, and promotes it only across kinds (a float makes integers floats). A tensor of numbers only has the dtype `weakint` or `weakfloat` until it is realized or bound.
"""
import _lazyscope
from tinygrad.helpers import DEFAULT_FLOAT, DEFAULT_INT, missing
from tinygrad.variable import Unbound

DType = _lazyscope.DType
DTypeLike, ConstType, PyConst = DType | str, float | int | bool, float | int | bool
NAMED = dict(_lazyscope.dtypes)
DTYPES_DICT = {name: dtype for name, dtype in NAMED.items() if name[:4] != "weak"}      # those that memory can have
ALIASES = {"half": "float16", "float": "float32", "double": "float64", "char": "int8", "uchar": "uint8", "short": "int16", "ushort": "uint16",
           "int": "int32", "uint": "uint32", "long": "int64", "ulong": "uint64"}


class AddrSpace:
    """Where what a pointer points to is: memory of the program, of a work group, or registers."""
    GLOBAL, LOCAL, REG = "AddrSpace.GLOBAL", "AddrSpace.LOCAL", "AddrSpace.REG"


class DTypes:
    """All dtypes by name (`dtypes.float32`, `dtypes.int`), groups of dtypes, and functions of a dtype."""
    locals().update(NAMED)
    locals().update((alias, DTYPES_DICT[name]) for alias, name in ALIASES.items())
    void, index = _lazyscope.void, _lazyscope.index      # of nodes that are not tensors: without a value; a number of an element
    weakint = NAMED["weakint"]
    weakfloat = NAMED["weakfloat"]
    uints = tuple(DTYPES_DICT[name] for name in ("uint8", "uint16", "uint32", "uint64"))
    sints = tuple(DTYPES_DICT[name] for name in ("int8", "int16", "int32", "int64"))
    ints = uints + sints
    fp8s = (NAMED["fp8e4m3"], NAMED["fp8e5m2"])
    floats = fp8s + tuple(DTYPES_DICT[name] for name in ("float16", "bfloat16", "float32", "float64"))
    weaks = (weakint, weakfloat)
    all = floats + ints + (DTYPES_DICT["bool"],)

    @property
    def default_float(self):
        """The dtype of the program's floats (setting DEFAULT_FLOAT)."""
        return to_dtype(DEFAULT_FLOAT.value)

    @default_float.setter
    def default_float(self, dtype): DEFAULT_FLOAT.value = identifier(dtype)

    @property
    def default_int(self):
        """The dtype of the program's integers (setting DEFAULT_INT)."""
        return to_dtype(DEFAULT_INT.value)

    @default_int.setter
    def default_int(self, dtype): DEFAULT_INT.value = identifier(dtype)

    @staticmethod
    def is_float(dtype): return dtype.is_float
    @staticmethod
    def is_int(dtype): return dtype.is_int
    @staticmethod
    def is_unsigned(dtype): return dtype.is_unsigned
    @staticmethod
    def is_bool(dtype): return dtype.is_bool

    @staticmethod
    def min(dtype):
        """The smallest value of a dtype: minus infinity for floats, False for bool."""
        return strong_dtype(dtype).min

    @staticmethod
    def max(dtype):
        """The largest value of a dtype: infinity for floats, True for bool."""
        return strong_dtype(dtype).max

    def from_py(self, value):
        """The default dtype of a number, or of a nested list of numbers."""
        if isinstance(value, bool):
            return self.bool
        if isinstance(value, float):
            return self.weakfloat
        if isinstance(value, (int, Unbound)):
            return self.weakint
        if isinstance(value, (list, tuple)):
            return strong_dtype(least_upper_dtype(*[self.from_py(item) for item in value])) if value else self.default_float
        raise no_number(value)

    def as_const(self, value, dtype):
        """A Python number as one of that dtype: float(value), int(value) or bool(value)."""
        return float(value) if dtype.is_float else bool(value) if dtype.is_bool else int(value)

    def finfo(self, dtype):
        """(exponent, mantissa) bits of a float dtype."""
        if not dtype.is_float:
            raise ValueError(f"{dtype} is not a floating point type")
        return {"float16": (5, 10), "bfloat16": (8, 7), "float32": (8, 23), "float64": (11, 52), "fp8e4m3": (4, 3), "fp8e5m2": (5, 2)}[identifier(dtype)]

    def fields(self):
        return DTYPES_DICT

    def __getattr__(self, name):
        raise missing("dtypes", name, dir(type(self)))


dtypes = DTypes()


def identifier(dtype):
    """The name under which `dtypes` holds a dtype: "float32"."""
    return next(name for name, known in NAMED.items() if known is dtype)


def to_dtype(dtype):
    """A dtype, given as such or by name."""
    if isinstance(dtype, DType):
        return dtype
    if not isinstance(dtype, str):
        raise AttributeError(f"a dtype is expected, not {dtype!r}")
    return getattr(dtypes, dtype.lower())


def no_number(value):
    """The error for an operand that is neither a tensor nor a number."""
    return RuntimeError(f"Could not infer dtype of {value!r} with type {type(value)}: a tensor or a number is expected")


def strong_dtype(dtype):
    """The dtype that replaces a weak dtype: the default int or float."""
    return dtypes.default_int if dtype is dtypes.weakint else dtypes.default_float if dtype is dtypes.weakfloat else dtype


# The next dtypes that each dtype is promoted to, as in https://jax.readthedocs.io/en/latest/jep/9407-type-promotion.html
PROMOTIONS = {
    "bool": ("weakint",), "weakint": ("int8", "uint8"),
    "int8": ("int16",), "int16": ("int32",), "int32": ("int64",), "int64": ("weakfloat",),
    "uint8": ("int16", "uint16"), "uint16": ("int32", "uint32"), "uint32": ("int64", "uint64"), "uint64": ("weakfloat",),
    "weakfloat": ("fp8e4m3", "fp8e5m2"), "fp8e4m3": ("float16", "bfloat16"), "fp8e5m2": ("float16", "bfloat16"),
    "float16": ("float32",), "bfloat16": ("float32",), "float32": ("float64",), "float64": ()}
_ORDER = ("bool", "weakint", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "weakfloat", "fp8e4m3", "fp8e5m2",
          "float16", "bfloat16", "float32", "float64")      # from low to high: of several bounds the first is the least


def _above(name, found=None):
    """The names of all dtypes that hold this one, itself included."""
    found = set() if found is None else found
    found.add(name)
    for higher in PROMOTIONS[name]:
        _above(higher, found)
    return found


_known = {}      # promotions that were asked for


def least_upper_dtype(*of):
    """The smallest dtype in the promotion lattice that holds all of these."""
    result = of[0]
    for dtype in of[1:]:
        if dtype is result:
            continue
        pair = (result, dtype)
        if pair not in _known:
            common = _above(identifier(result)) & _above(identifier(dtype))
            _known[pair] = next(getattr(dtypes, name) for name in _ORDER if name in common)
        result = _known[pair]
    return result


def least_upper_float(dtype):
    """The float dtype in which functions of this dtype are computed."""
    return dtypes.weakfloat if dtype is dtypes.weakint else dtype if dtype.is_float else least_upper_dtype(dtype, dtypes.default_float)


def number_dtype(dtype, number):
    """The dtype of an operation between a tensor of this dtype and a number of the program."""
    if isinstance(number, float):
        return dtype if dtype.is_float else dtypes.weakfloat
    if isinstance(number, (int, Unbound)):
        return dtypes.weakint if dtype.is_bool and not isinstance(number, bool) else dtype
    raise no_number(number)


def sum_acc_dtype(dtype):
    """The dtype in which sums are accumulated: the same kind, at least 32 bits."""
    if dtype.is_unsigned:
        return least_upper_dtype(dtype, dtypes.uint32)
    return least_upper_dtype(dtype, dtypes.int32 if dtype.is_int or dtype.is_bool else dtypes.float32)


def can_lossless_cast(source, target):
    """Whether every value of source is one of target."""
    if source is target or source.is_bool:
        return True
    if source.is_float:
        return target.is_float and all(a <= b for a, b in zip(dtypes.finfo(source), dtypes.finfo(target)))
    if target.is_float:
        return 8 * source.itemsize - (not source.is_unsigned) <= dtypes.finfo(target)[1] + 1
    return target.is_int and dtypes.min(target) <= dtypes.min(source) and dtypes.max(source) <= dtypes.max(target)


class _Truncate:
    """`truncate[dtype](number)`: the number as an element of that dtype holds it, integers wrapped and floats rounded."""
    def __getitem__(self, dtype): return lambda number: _lazyscope.scalar(number, dtype)
    def get(self, dtype, default=None): return self[dtype]


truncate = _Truncate()


def float_to_fp16(x):
    """The nearest half, as a float; infinite beyond the largest."""
    return _lazyscope.scalar(x, dtypes.float16)


def float_to_bf16(x):
    """The nearest bfloat16, as a float."""
    return _lazyscope.scalar(x, dtypes.bfloat16)


def float_to_fp8(x, dtype):
    """The byte that stores a number as fp8e4m3 or fp8e5m2."""
    return _lazyscope.bits(x, dtype)


def fp8_to_float(byte, dtype):
    """The number that a byte of fp8e4m3 or fp8e5m2 stores."""
    return _lazyscope.of_bits(byte, dtype)


def _to_np_dtype(dtype):
    """The numpy scalar type that holds a dtype's values (float32 for those that numpy lacks)."""
    import numpy
    return numpy.float32 if dtype.fmt is None and dtype.is_float else numpy.dtype(strong_dtype(dtype).fmt).type


def _from_np_dtype(dtype):
    """The dtype of a numpy array's elements."""
    import numpy
    name = numpy.dtype(dtype).name
    if name not in DTYPES_DICT:
        raise TypeError(f"a tensor cannot hold numpy's {name}")
    return DTYPES_DICT[name]


def _to_torch_dtype(dtype):
    """Torch's dtype for this one, or None if there is none."""
    import torch
    name = {"bool": "bool", "weakint": "int32", "weakfloat": "float32"}.get(identifier(dtype), identifier(dtype))
    return getattr(torch, name, None)


def _from_torch_dtype(dtype):
    """The dtype of a torch tensor's elements."""
    return to_dtype(str(dtype).removeprefix("torch."))
