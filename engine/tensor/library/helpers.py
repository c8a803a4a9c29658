"""Small helpers that programs import: sequences and shapes, settings, counters, time."""
import posix
import sys
import _lazyscope


def prod(items):
    """The product of the items; 1 of none."""
    result = 1
    for item in items:
        result = result * item
    return result


def argfix(*arguments):
    """Arguments given one by one, or as one sequence, as a tuple."""
    if arguments and arguments[0].__class__ in (tuple, list):
        if len(arguments) != 1:
            raise ValueError(f"bad arg {arguments}: give a sequence or its items, not both")
        return tuple(arguments[0])
    return arguments


def make_tuple(x, count): return (x,) * count if isinstance(x, int) else tuple(x)
def to_tuple(x): return x if isinstance(x, tuple) else (x,)
def dedup(items): return list(dict.fromkeys(items))
def flatten(lists): return [item for inner in lists for item in inner]
def all_int(items): return all(isinstance(item, int) for item in items)
def all_same(items): return all(item == items[0] for item in items)
def argsort(items): return type(items)(sorted(range(len(items)), key=items.__getitem__))
def ceildiv(a, b): return int(-(a // -b))
cdiv = ceildiv
def round_up(n, multiple): return ceildiv(n, multiple) * multiple
def round_down(n, multiple): return n // multiple * multiple
def next_power2(n): return 1 if n == 0 else 1 << (n - 1).bit_length()
def pluralize(word, count): return f"{count} {word}" + ("" if count == 1 else "s")


def fully_flatten(nested):
    """The leaves of nested sequences in order."""
    if not hasattr(nested, "__len__") or not hasattr(nested, "__getitem__") or isinstance(nested, str):
        return [nested]
    return [nested[()]] if getattr(nested, "shape", None) == () else [leaf for item in nested for leaf in fully_flatten(item)]


def get_shape(nested):
    """The shape of nested sequences, which must be equally long at each depth."""
    if not hasattr(nested, "__len__") or isinstance(nested, str) or getattr(nested, "shape", None) == ():
        return ()
    inner = [get_shape(item) for item in nested]
    if not all_same(inner):
        raise ValueError(f"inhomogeneous shape from {nested}")
    return (len(inner),) + (inner[0] if inner else ())


def strides_for_shape(shape):
    """Elements to step for one along each axis of a row-major array; 0 for axes of size 1."""
    return tuple(0 if size == 1 else prod(shape[axis + 1:]) for axis, size in enumerate(shape))


def merge_dicts(dicts):
    """One dict of several that agree where they share a key."""
    merged = {}
    for each in dicts:
        for key, value in each.items():
            if merged.setdefault(key, value) != value:
                raise RuntimeError(f"{key} has two different values: {merged[key]} and {value}")
    return merged


def partition(items, wanted):
    """(those for which wanted holds, the others)"""
    items = list(items)
    return [item for item in items if wanted(item)], [item for item in items if not wanted(item)]


def temp(name):
    """A file of this name in the folder for temporary ones."""
    import os, tempfile
    return os.path.join(tempfile.gettempdir(), name)


def unwrap(x):
    """x, which must not be None."""
    if x is None:
        raise AssertionError("a value is expected, not None")
    return x


def get_child(value, key):
    """The member of an object that a dotted name such as "layers.0.weight" names."""
    for part in key.split("."):
        value = value[int(part)] if part.isnumeric() else value[part] if isinstance(value, dict) else getattr(value, part)
    return value


def polyN(x, coefficients):
    """A polynomial of x by Horner's rule, the highest power first."""
    result = 0.0
    for coefficient in coefficients:
        result = result * x + coefficient
    return result


def flat_to_grouped(padding):
    """(left, right, top, bottom, …), last axis first, as ((top, bottom), (left, right))."""
    return tuple(zip(padding[-2::-2], padding[::-2]))


def resolve_pool_pads(padding, n_axes):
    """Padding of windows, given once, by axis or by side, as (left, right, top, bottom, …), last axis first."""
    if isinstance(padding, int):
        return [padding] * 2 * n_axes
    if len(padding) not in (n_axes, 2 * n_axes):
        raise ValueError(f"Padding must be an int or a sequence of length {n_axes} or {2 * n_axes}, but got {padding=}")
    return list(padding) if len(padding) == 2 * n_axes else [side for axis in reversed(padding) for side in (axis, axis)]


def colored(text, color, background=False):
    """The text between terminal escapes; a color in capitals is the bright one."""
    if color is None or NO_COLOR:
        return text
    number = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"].index(color.lower())
    return f"\033[{10 * background + 60 * (color.upper() == color) + 30 + number}m{text}\033[0m"


def colorize_float(x): return colored(f"{x:7.2f}x", "green" if x < 0.75 else "red" if x > 1.15 else "yellow")


def ansistrip(text):
    """The text without terminal escapes."""
    import re
    return re.sub("\033\\[(K|.*?m)", "", text)


def to_function_name(text):
    """A kernel's name as an identifier of C: every other character becomes its code in hex."""
    return "".join(c if c.isascii() and (c.isalnum() or c == "_") else f"{ord(c):02X}" for c in ansistrip(text))


def profile_marker(name, color="gray"):
    """A mark in a time profile. It has no effect here."""
    _lazyscope.note("profile_marker: Lazyscope makes no profile; it has no effect")


def cast(kind, value):
    """typing.cast: returns the value unchanged."""
    return value


def ansilen(text): return len(ansistrip(text))


def time_to_str(seconds, w=8):
    """Seconds as "1.50s ", "1.50ms" or "1.50us"."""
    for factor, unit in ((1, "s "), (1e3, "ms")):
        if seconds > 10 / factor:
            return f"{seconds * factor:{w}.2f}{unit}"
    return f"{seconds * 1e6:{w}.2f}us"


# Names of NumPy and PyTorch for methods of tensors here: the name here ("": there is none), and a sentence.
NAMES_ELSEWHERE = {
    "astype": ("cast", "cast() gives a tensor of another dtype"), "type": ("cast", "cast() gives a tensor of another dtype"),
    "cuda": ("", "programs run on the CPU: leave .cuda() out"), "cpu": ("", "programs run on the CPU: leave .cpu() out"),
    "copy": ("clone", "clone() copies a tensor"), "ravel": ("flatten", "flatten() makes one axis of all"), "mm": ("matmul", "a @ b multiplies matrices"), "bmm": ("matmul", "a @ b multiplies matrices"),
    "swapaxes": ("transpose", "transpose(i, j) swaps two axes"), "concatenate": ("cat", "a.cat(b, dim=0) concatenates tensors"), "power": ("pow", "a ** b and pow() raise to a power"),
    "amax": ("max", "max(axis=0) reduces along an axis"), "amin": ("min", "min(axis=0) reduces along an axis"), "norm": ("", "the norm is x.square().sum().sqrt()"),
    "tobytes": ("data", "data() gives the values as a memoryview, numpy() as an array"), "mT": ("transpose", "transpose(-2, -1) swaps the last two axes"), "take": ("gather", "x[i] takes elements by an index tensor, gather() along an axis"),
    "index_select": ("gather", "x[i] takes elements by an index tensor, gather() along an axis"), "fill_": ("full_like", "x.assign(x.full_like(value)) writes a value everywhere"),
    "zero_": ("zeros_like", "x.assign(x.zeros_like()) writes zeros"), "add_": ("assign", "x.assign(x + y) writes into x"), "mul_": ("assign", "x.assign(x * y) writes into x"),
    "expand_as": ("expand", "expand(*other.shape) repeats along axes of size 1"), "absolute": ("abs", "abs() gives the absolute value"), "negative": ("neg", "-x and neg() change the sign"),
    "floor_divide": ("", "a // b divides and rounds down"), "true_divide": ("div", "a / b divides"), "remainder": ("mod", "a % b gives the remainder"), "equal": ("", "(a == b).all() compares two tensors"),
    "schedule_linear": ("schedule", "schedule() lists the kernels that realize() would launch"), "linear_with_vars": ("schedule_with_vars", "schedule_with_vars() lists the kernels that realize() would launch"),
    "zero_grad": ("", "an optimizer has zero_grad(); of a tensor: x.grad = None"), "grad_fn": ("", "gradients are computed from the graph: x.grad has one after backward()"), "itemsize": ("dtype", "dtype.itemsize is the size of an element in bytes"),
}


class missing(AttributeError):
    """The error for a missing attribute; its text suggests the nearest existing name."""
    def __init__(self, owner, name, known):
        super().__init__()
        self.owner, self.missed, self.known = owner, name, known

    def __str__(self):
        elsewhere = NAMES_ELSEWHERE.get(self.missed) if self.owner == "Tensor" else None
        nearest = elsewhere[0] if elsewhere else _nearest(self.missed, [name for name in self.known if name[:1] != "_"])
        return f"'{self.owner}' object has no attribute '{self.missed}'" + (f"; did you mean '{nearest}'?" if nearest else "")


missing.__name__ = "AttributeError"      # what it is, where it is printed


def _nearest(name, known):
    """The known name with the fewest letters to change, if they are few."""
    best, fewest = None, max(1, len(name) // 3)
    for other in known:
        if abs(len(other) - len(name)) > fewest:
            continue
        row = list(range(len(other) + 1))
        for i, a in enumerate(name, 1):
            previous, row[0] = row[0], i
            for j, b in enumerate(other, 1):
                previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (0 if a == b else 0.5 if a.lower() == b.lower() else 1))
        if row[-1] <= fewest and (best is None or row[-1] < fewest):
            best, fewest = other, row[-1]
    return best


# Settings.

_environment = {}


def getenv(key, default=0):
    """A setting from the environment, as the type of its default."""
    if key not in _environment:
        os = sys.modules.get("os")      # where the program has it, its changes count; importing it takes a third of the library's time
        value = os.environ.get(key) if os else posix.environ.get(key.encode())
        _environment[key] = value.decode() if isinstance(value, bytes) else value
    text = _environment[key]
    return default if text is None else type(default)(text)


class ContextVar:
    """A setting that `Context` changes temporarily."""
    _cache = {}

    def __init__(self, key, default_value):
        ContextVar._cache[key] = self
        self.key, self.value = key, getenv(key, default_value)

    def __repr__(self): return f"ContextVar({self.key}={self.value!r})"
    def tolist(self, obj=None): return [item if obj is None else getattr(obj, item) for item in str(self.value).split(",") if item]
    def __bool__(self): return bool(self.value)
    def __int__(self): return int(self.value)
    def __eq__(self, other): return self.value == other
    def __hash__(self): return id(self)
    def __ge__(self, other): return self.value >= other
    def __gt__(self, other): return self.value > other
    def __le__(self, other): return self.value <= other
    def __lt__(self, other): return self.value < other


class Scope:
    """A context manager that decorates functions too."""
    def __enter__(self): return self
    def __exit__(self, *error): return None

    def __call__(self, function):
        def inside(*args, **kwargs):
            with self:
                return function(*args, **kwargs)
        inside.__name__, inside.__doc__, inside.__wrapped__ = function.__name__, function.__doc__, function
        return inside


class Context(Scope):
    """`with Context(TRAINING=1):` changes settings for a block."""
    def __init__(self, **settings):
        self.settings, self.before = settings, []

    def __enter__(self):
        for key in self.settings:
            if key not in ContextVar._cache:
                raise missing("Context", key, ContextVar._cache)
        self.before.append({key: ContextVar._cache[key].value for key in self.settings})
        for key, value in self.settings.items():
            ContextVar._cache[key].value = value
            text = f"{int(value)}" if isinstance(value, (bool, int)) else f"{value}"
            name, text = ("MEMORY_PLAN", str(int(not value))) if key == "NO_MEMORY_PLANNER" else (key, text)
            changed = _lazyscope.change_setting(name, text)
            if changed is not None:
                self.before[-1][key] = self.before[-1][key], name, changed
            elif key in _environment_of_the_engine:
                _lazyscope.note(f"Context({key}={value!r}): the setting has no such value; it has no effect")
            elif key in _of_the_run and value != self.before[-1][key]:
                _lazyscope.note(f"Context({key}={value!r}): a run has one value of this setting (--set {key}={text}); it has no effect")
            elif key in _unused:
                _lazyscope.note(f"Context({key}={value!r}): Lazyscope has no such setting; it has no effect")
        return self

    def __exit__(self, *error):
        for key, value in self.before.pop().items():
            if isinstance(value, tuple):
                value, name, changed = value
                _lazyscope.change_setting(name, changed)
            ContextVar._cache[key].value = value


# Settings without effect here exist because programs set them.
_settings = {key: ContextVar(key, default) for key, default in {
    "DEBUG": 0, "BEAM": 0, "NOOPT": 0, "IMAGE": 0, "FLOAT16": 0, "JIT": 1, "JIT_BATCH_SIZE": 32, "WINO": 0, "CAPTURING": 1, "TRACEMETA": 1, "NO_COLOR": 0,
    "TRAINING": 0, "TRANSCENDENTAL": 1, "NOLOCALS": 0, "SPLIT_REDUCEOP": 0, "NO_MEMORY_PLANNER": 0, "LRU": 1, "RING": 1, "ALL2ALL": 0, "CACHELEVEL": 2,
    "IGNORE_BEAM_CACHE": 0, "DEVECTORIZE": 1, "DISABLE_FAST_IDIV": 0, "FUSE_OPTIM": 0, "FUSE_ARANGE": 0, "FUSE_CONV_BW": 0, "EMULATED_DTYPES": "",
    "DEFAULT_FLOAT": "float32", "DEFAULT_INT": "int32", "VIZ": 0, "PARALLEL": 0, "PROFILE": 0, "SPEC": 1, "CHECK_OOB": 0, "IGNORE_OOB": 1, "PCONTIG": 0,
    "RANGEIFY": 1, "DEBUG_RANGEIFY": 0, "TUPLE_ORDER": 1, "CCACHE": 1, "SCACHE": 1, "ALLOW_TF32": 0, "USE_ATOMICS": 0, "DISALLOW_BROADCAST": 0,
    "NUM_CPU_THREADS": 1, "ALLOW_DEVICE_USAGE": 1, "MAX_BUFFER_SIZE": 0, "QUANTIZE": 0, "TC": 1, "TC_SELECT": -1, "TC_OPT": 0, "MULTIOUTPUT": 1, "LAZYCACHE": 1}.items()}
globals().update(_settings)
_environment_of_the_engine = {"DEBUG", "SPEC", "NOOPT", "TRANSCENDENTAL", "NOLOCALS", "DEVECTORIZE", "NO_MEMORY_PLANNER", "LAZYCACHE"}
_of_the_run = {"SPLIT_REDUCEOP", "MULTIOUTPUT"}      # a recording has it once, for all schedules
_unused = _settings.keys() - _environment_of_the_engine - _of_the_run - {"NO_COLOR", "TRAINING", "FUSE_OPTIM", "DEFAULT_FLOAT", "DEFAULT_INT", "SPEC"}
_elsewhere = _unused | {"GRAPH", "GRAPHPATH", "SAVE_SCHEDULE", "CUDA", "GPU", "CL", "METAL", "CLANG", "LLVM", "NV", "AMD", "HIP", "WEBGPU", "BEAM_UOPS_MAX", "BEAM_LOCAL_MAX"}


def note_environment():
    """The environment variables that set tinygrad and have no effect here."""
    for key in sorted(_elsewhere):
        value = posix.environ.get(key.encode())
        if value:
            _lazyscope.note(f"{key}={value.decode(errors='replace')} in the environment: Lazyscope has no such setting; it has no effect")
USE_TC, CI, OSX, WIN = _settings["TC"], getenv("CI", "") != "", False, False


class DEV:
    """The default device, as programs query it."""
    device, interface, renderer, arch, value = "CPU", "", "", "", "CPU"


# Counters and time.

class CounterType(type):
    """Each counter counts in the engine since the last reset; it can also be set."""
    def _since(cls, i): return _lazyscope.counters()[i] - cls.before[i]
    def _begin(cls, i, value): cls.before[i] = _lazyscope.counters()[i] - value

    kernel_count = property(lambda cls: cls._since(0), lambda cls, value: cls._begin(0, value), doc="Launches of kernels, and copies of host data.")
    global_ops = property(lambda cls: cls._since(1), lambda cls, value: cls._begin(1, value), doc="Arithmetic of values.")
    global_mem = property(lambda cls: cls._since(2), lambda cls, value: cls._begin(2, value), doc="Bytes read and written.")
    time_sum_s = property(lambda cls: cls._since(3), lambda cls, value: cls._begin(3, value), doc="Seconds that kernels ran.")
    mem_used = property(lambda cls: _lazyscope.counters()[4], doc="Bytes of all buffers.")


class GlobalCounters(metaclass=CounterType):
    """Counters of the run so far."""
    before = [0, 0, 0, 0.0]

    @staticmethod
    def reset():
        """Resets all counters except the memory in use."""
        GlobalCounters.before = list(_lazyscope.counters()[:4])


class Timing(Scope):
    """Prints how long a block took."""
    def __init__(self, prefix="", on_exit=None, enabled=True):
        self.prefix, self.on_exit, self.enabled = prefix, on_exit, enabled

    def __enter__(self):
        import time
        self.st = time.perf_counter_ns()
        return self

    def __exit__(self, *error):
        import time
        self.et = time.perf_counter_ns() - self.st
        if self.enabled:
            print(f"{self.prefix}{self.et * 1e-6:6.2f} ms" + (self.on_exit(self.et) if self.on_exit else ""))


class Profiling(Scope):
    """Accepted without effect: the recording has the times."""
    def __init__(self, *args, **kwargs): pass


def downloaded(url, name=None, subdir=None, gunzip=False):
    """The path of a local file: next to the program with the last part of the address as its name, or in tinygrad's download folder."""
    import hashlib
    import os
    import pathlib
    import sys
    if url.startswith(("/", ".")):
        return pathlib.Path(url)
    folder, last = pathlib.Path(getattr(sys.modules["__main__"], "__file__", "")).parent, url.rstrip("/").rpartition("/")[2]
    kept = name or hashlib.md5(url.encode(), usedforsecurity=False).hexdigest()
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "tinygrad" / "downloads" / (subdir or "") / (kept + (".gunzip" if gunzip else ""))
    for path in (folder / (name or last), folder / last, cache):
        if path.is_file():
            return path
    raise FileNotFoundError(f"fetch: nothing is loaded from the network: save {url} as {folder / (name or last)}")


def fetched(url, gunzip=False):
    """The bytes of a local file; with gunzip, it is decompressed."""
    data = downloaded(url, gunzip=gunzip).read_bytes()
    if gunzip and data[:2] == b"\x1f\x8b":
        import gzip
        return gzip.decompress(data)
    return data


def fetch(url, name=None, subdir=None, gunzip=False, **options):
    """The path of a local file; no file is loaded from the network."""
    path = downloaded(url, name, subdir, gunzip)
    if gunzip and path.read_bytes()[:2] == b"\x1f\x8b":
        import pathlib
        import tempfile
        data, path = fetched(str(path.absolute()), True), pathlib.Path(tempfile.mkdtemp()) / path.stem
        path.write_bytes(data)
    return path


class tqdm:
    """The items of the iterable; no progress is drawn. The last description is printed on stderr at the end."""
    def __init__(self, iterable=None, desc="", disable=False, unit="it", unit_scale=False, total=None, rate=100):
        self.iterable, self.desc, self.n, self.total = iterable, desc, 0, len(iterable) if total is None and hasattr(iterable, "__len__") else total

    def __iter__(self):
        for item in range(self.total) if self.iterable is None else self.iterable:
            yield item
            self.n += 1
        self.close()

    def __len__(self): return self.total
    def __enter__(self): return self
    def __exit__(self, *error): self.close()
    def set_description(self, desc): self.desc = desc
    def set_postfix(self, **values): self.desc = " ".join(f"{name}={value}" for name, value in values.items())

    def update(self, n=0, close=False):
        self.n += n
        if close:
            self.close()

    def close(self):
        """Prints the description again."""
        if self.desc:
            import sys
            print(f"{self.desc} {self.n}/{self.total or '?'}", file=sys.stderr)
        self.desc = ""

    @staticmethod
    def write(text): print(text)


class trange(tqdm):
    """The numbers below n."""
    def __init__(self, n, **options): super().__init__(range(n), **options)


def __getattr__(name):
    if name[:2] == "__":
        raise AttributeError(name)
    raise missing("tinygrad.helpers", name, globals())
