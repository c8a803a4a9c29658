"""Random calls of the Tensor API, right and wrong ones, chosen by the bytes CALLS, a name put before this text.

Prints what each call gave. A call may refuse what it is given; an error that is this library's own mistake is printed as "fault".
"""
from tinygrad import Tensor, dtypes

DTYPES = [dtypes.float32, dtypes.int32, dtypes.bool, dtypes.uint8, dtypes.int64, dtypes.float16, dtypes.uint64, dtypes.float64, dtypes.int8, dtypes.uint32, dtypes.bfloat16]
OPERATORS = ["__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__truediv__", "__rtruediv__", "__floordiv__", "__mod__", "__pow__", "__rpow__", "__matmul__",
             "__and__", "__or__", "__xor__", "__lshift__", "__rshift__", "__lt__", "__ge__", "__eq__", "__ne__", "__neg__", "__invert__", "__iadd__", "__imul__",
             "__getitem__", "__setitem__"]
NAMES = OPERATORS + [name for name in dir(Tensor) if not name.startswith("_") and callable(getattr(Tensor, name))]
AXES = {"axis", "dim", "axis0", "axis1", "dim0", "dim1", "dims", "start_dim", "end_dim", "axes", "diagonal", "correction", "offset"}
COUNTS = {"repeats", "n", "k", "num_classes", "chunks", "sizes", "kernel_size", "stride", "dilation", "padding", "groups", "num_samples", "size", "step", "m", "output_padding"}
SHAPES = {"shape", "order", "shrinks", "arg", "size"}
WORDS = ["sum", "mean", "none", "reflect", "constant", "replicate", "circular", "prod", "amax", "ij,jk->ik", "ii->i", "a b -> b a", "nosuch", "", "linear", "nearest", "xy"]
MISTAKES = (NameError, SystemError, RecursionError)


class Choice:
    """Numbers below a bound, byte by byte; 0 once they are used up."""
    def __init__(self, data): self.data, self.at = data, 0

    def below(self, n):
        self.at += 1
        return self.data[self.at - 1] % n if self.at <= len(self.data) else 0

    def of(self, items): return items[self.below(len(items))]

    def left(self): return self.at < len(self.data)


choice = Choice(CALLS)


def small(): return choice.below(7) - 2


def number():
    kind = choice.below(12)
    if kind < 6:
        return small()
    if kind < 9:
        return choice.of([0.5, -1.25, 0.0, 3.75, 100.0, -0.0])
    return choice.of([float("inf"), float("nan"), 2**31, 2**63, -2**63, 2**64, 1e30, True, 255, 2**40, -2**31 - 1, 10**30])


def shape():
    sizes = [choice.of([1, 2, 3, 4, 5, 3, 2, 1, 0, -1, 7, 16]) for _ in range(choice.below(4))]
    if choice.below(40) == 39:
        sizes.append(choice.of([2**31, 2**40, 2**62, 10**6, -2**63, 2**70, 4096]))
    return tuple(sizes)


def tensor():
    if pool and choice.below(3):
        return choice.of(pool)
    sizes = tuple(abs(size) % 6 for size in shape()[:3])
    values, dtype = Tensor.arange(prod(sizes)).reshape(sizes) - choice.below(5), choice.of(DTYPES)
    if choice.below(2):
        values = values * 0.75
    return values.cast(dtype)


def prod(sizes):
    result = 1
    for size in sizes:
        result *= size
    return result


def part():
    kind = choice.below(8)
    if kind < 3:
        return small()
    if kind < 5:
        return slice(*[choice.of([None, small()]) for _ in range(3)])
    return choice.of([None, Ellipsis, True, [0, 1], [0, -1, 7], slice(None)]) if kind < 7 else tensor()


def anything():
    kind = choice.below(10)
    if kind < 3:
        return tensor()
    if kind < 5:
        return number()
    if kind == 5:
        return shape()
    if kind == 6:
        return choice.of(WORDS)
    if kind == 7:
        return choice.of(DTYPES)
    return choice.of([None, True, False, [], (), {}, [1, 2], [[1, 2], [3]], object, print, b"ab", [tensor()], (tensor(), tensor())]) if kind == 8 else part()


def argument(name):
    """Mostly what a parameter of that name takes."""
    if choice.below(12) == 11:
        return anything()
    if name in AXES:
        return small() if choice.below(3) else tuple(small() for _ in range(choice.below(4)))
    if name in COUNTS:
        return choice.below(5) if choice.below(3) else tuple(choice.below(4) for _ in range(choice.below(4)))
    if name in SHAPES:
        return shape()
    if name == "dtype":
        return choice.of(DTYPES)
    if name in ("key", "indices", "idx"):
        return part() if choice.below(2) else tuple(part() for _ in range(choice.below(4)))
    if name in ("mode", "reduction", "reduce", "formula", "equation"):
        return choice.of(WORDS)
    if name in ("padding", "pads"):
        return tuple((choice.below(3), choice.below(3)) for _ in range(choice.below(4)))
    if name in ("fxn", "ll"):
        return choice.of([Tensor.relu, Tensor.exp, len])
    return tensor() if choice.below(5) else number()


def arguments(function):
    bound, function = hasattr(function, "__func__"), getattr(function, "__func__", function)
    code = getattr(function, "__code__", None)
    if code is None:
        return [anything() for _ in range(choice.below(3))], {}
    names = code.co_varnames[bound:code.co_argcount]
    needed = len(names) - len(function.__defaults__ or ())
    given = [argument(name) for name in names[:max(needed, choice.below(len(names) + 1))]]
    if code.co_flags & 4:      # *args
        given += [argument(code.co_varnames[code.co_argcount + code.co_kwonlyargcount]) for _ in range(choice.below(4))]
    named = {name: argument(name) for name in code.co_varnames[code.co_argcount:code.co_argcount + code.co_kwonlyargcount] if not choice.below(3)}
    return given, named


def shown(value):
    if isinstance(value, Tensor):
        if value.numel() > 400:
            return f"{value.shape} {value.dtype}"
        return f"{value.shape} {value.dtype} {value.tolist()}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(shown(item) for item in value[:8]) + "]"
    return repr(value)[:200] if isinstance(value, (int, float, str, bool, bytes)) else type(value).__name__


def fault(error):
    """Whether it is a mistake of the library, which names nothing that was given wrong."""
    trace = error.__traceback__
    while trace.tb_next:
        trace = trace.tb_next
    return (isinstance(error, MISTAKES) or isinstance(error, AssertionError) and not str(error)) and trace.tb_frame.f_code.co_filename.startswith("library/")


def attempt(name, call):
    try:
        result = call()
        print(name, shown(result))
        return result
    except Exception as error:
        print("fault" if fault(error) else "refused", name, type(error).__name__, str(error)[:300])


pool = []
Tensor.manual_seed(CALLS[0] if CALLS else 0)
while choice.left():
    name = NAMES[(choice.below(256) * 256 + choice.below(256)) % len(NAMES)]
    receiver = attempt("tensor", tensor)
    if receiver is None:
        continue
    function = getattr(receiver, name)
    given, named = attempt("arguments", lambda: arguments(function)) or ([], {})
    result = attempt(name, lambda: function(*given, **named))
    pool = (pool + [r for r in (result if isinstance(result, (list, tuple)) else [result]) if isinstance(r, Tensor) and r.numel() <= 400])[-4:]
