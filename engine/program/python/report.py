"""The report of a program's failure: the traceback, then file, line and a caret under the expression, and a hint."""
import sys
import _lazyscope

WINDOW = 160


def is_library(filename):
    return filename.startswith("library/") or filename.startswith("<frozen")


def positions(code, instruction):
    for number, position in enumerate(code.co_positions()):
        if number == instruction:
            return position
    return (None, None, None, None)


def frames(traceback):
    """For each frame, outermost first: file, function, line, first and last column in characters from 0 (None: not known)."""
    found = []
    while traceback:
        code = traceback.tb_frame.f_code
        line, end_line, column, end_column = positions(code, traceback.tb_lasti // 2)
        if line is None:
            line = traceback.tb_lineno
        found.append([code.co_filename, code.co_name, line, column, end_column if end_line == line else None, traceback.tb_frame])
        traceback = traceback.tb_next
    return found


class Texts:
    def __init__(self, filename, text):
        self.known = {filename: text.split("\n")}

    def line(self, filename, number):
        if filename not in self.known:
            try:
                with open(filename, encoding="utf-8", errors="replace") as file:
                    self.known[filename] = file.read().split("\n")
            except OSError:
                self.known[filename] = []
        lines = self.known[filename]
        return lines[number - 1].rstrip("\r") if 0 < number <= len(lines) else None


def characters(line, column):
    """A column in bytes as one in characters."""
    return len(line.encode("utf-8", "replace")[:column].decode("utf-8", "ignore"))


def underlined(line, column, end):
    """The line, and a caret with a tail under what is meant; long lines are cut to a window around it. Columns in characters."""
    start = column - WINDOW // 2 if column > WINDOW // 2 and len(line) > WINDOW else 0
    shown = "".join(c if c == "\t" or c >= " " else " " for c in line[start:start + WINDOW])
    before = "".join("\t" if c == "\t" else " " for c in line[start:column])
    return shown + "\n" + before + "^" + "~" * max(0, min(end, start + len(shown)) - column - 1)


def distance(a, b, limit):
    """Edit distance where a swap of neighbours counts as one; limit + 1 where it is more."""
    if abs(len(a) - len(b)) > limit:
        return limit + 1
    before, last = None, list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            row.append(min(row[-1] + 1, last[j] + 1, last[j - 1] + (x.lower() != y.lower())))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                row[j] = min(row[j], before[j - 2] + 1)
        before, last = last, row
    return last[-1]


def closest(name, candidates):
    """The candidate that name was probably meant to be, or None."""
    limit = 1 if len(name) <= 3 else 2 if len(name) <= 6 else 3
    scored = [(distance(name, candidate, limit), candidate) for candidate in candidates if isinstance(candidate, str) and candidate != name]
    best = min(scored, default=(limit + 1, None))
    return best[1] if best[0] <= limit else None


PACKAGES = (f"packages (of Python {'.'.join(map(str, sys.version_info[:2]))}) are found next to the program, in PYTHONPATH, in an active virtual environment, and without one "
            "among those of Debian (apt install python3-NAME)")
NO_GRAD = "backward gives a grad to tensors that have memory: a tensor of constants only has none, unless it is made with requires_grad=True or cloned"


# Names in tinygrad's modules that are missing in ours: module, or module and name, and an alternative.
ABSENT = {
    "tinygrad.engine.realize": "run_schedule(tensor.schedule()) computes a schedule, and `lazyscope-cli show` lists the result of each stage",
    "tinygrad.device.Buffer": "tensor.lazydata.buffer shows a tensor's memory",
    "tinygrad.nn.state.tar_extract": "Python's tarfile reads archives; nn.state.safe_load reads weights",
    "tinygrad.uop.ops.AxisType": "RANGE's argument is (number, type, part), and the kinds of axes are shown by `lazyscope-cli show FILE --stage listing`",
}


def module_hint(name):
    """The library's module that was probably meant: of the same last name in another package, or of nearly the same in this one."""
    package, _, part = name.rpartition(".")
    if same := [m for m in _lazyscope.modules if m.rpartition(".")[2] == part]:
        return same[0]
    near = closest(part, [m.rpartition(".")[2] for m in _lazyscope.modules if m.rpartition(".")[0] == package])
    return f"{package}.{near}" if near and package else None if package else closest(name, _lazyscope.modules)


def import_hint(error):
    name = unimported(error)
    if name and (instead := ABSENT.get(f"{error.name}.{name}") or ABSENT.get(error.name)):
        return instead
    if name:
        return closest(name, dir(sys.modules.get(error.name))) or (f"{error.name} is Lazyscope's own here, and has no '{name}'" if error.name.partition(".")[0] == "tinygrad" else None)
    if not isinstance(error, ModuleNotFoundError):
        return None
    if error.name.partition(".")[0] in ("tinygrad", "lazyscope"):
        return module_hint(error.name)
    if error.name == "tqdm":
        return "from tinygrad.helpers import tqdm, trange: iterates, without drawing a bar"
    near = closest(error.name, [*_lazyscope.modules, *sys.stdlib_module_names])
    return near if near and distance(error.name, near, 1) == 1 else PACKAGES


def import_of(name):
    """The line that would have given the name its meaning, or None."""
    if name in ("np", "numpy"):
        return "import numpy as np"
    if name in sys.stdlib_module_names:
        return f"import {name}"
    import tinygrad
    return f"from tinygrad import {name}" if not name.startswith("_") and hasattr(tinygrad, name) else None


def unimported(error):
    """The name that `from module import name` did not find, or None."""
    before, found, after = str(error).partition("cannot import name '")
    return after.partition("'")[0] if found and not before else None


# Keyword arguments as other libraries call them; those of one function are named with it.
KEYWORDS = {"dim": "axis", "dims": "axis", "axis": "dim", "axes": "axis", "keepdims": "keepdim", "other": "x", "input": "x", "size": "shape"}
NORMAL = "randn() has mean 0 and standard deviation 1; Tensor.normal(*shape, mean=, std=) has others"


def keyword_hint(error, called):
    """For `f() got an unexpected keyword argument 'dim'`: f's name for it. called: the library's function that the program called, or None."""
    text, _, keyword = str(error).partition(" got an unexpected keyword argument '")
    keyword, name = keyword.partition("'")[0], called or text.rpartition(".")[2].partition("(")[0]
    if name == "randn" and keyword in ("mean", "std"):
        return NORMAL
    function = getattr(getattr(sys.modules.get("tinygrad"), "Tensor", None), name, None)
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if not keyword or not code:
        return None
    known = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
    near = KEYWORDS.get(keyword) if KEYWORDS.get(keyword) in known else closest(keyword, known)
    return f"did you mean {near}=?" if near else None


def elsewhere_hint(error):
    """Names that NumPy and PyTorch use, or values that they accept, where a tensor here needs something else."""
    helpers = sys.modules.get("tinygrad.helpers")
    if not helpers:
        return None
    if isinstance(error, helpers.missing) and error.owner == "Tensor" and error.missed in helpers.NAMES_ELSEWHERE:
        return helpers.NAMES_ELSEWHERE[error.missed][1]
    if isinstance(error.obj, (tuple, list)) and hasattr(sys.modules["tinygrad"].Tensor, error.name) and error.obj and all(isinstance(each, sys.modules["tinygrad"].Tensor) for each in error.obj):
        return f"it is a {type(error.obj).__name__} of {len(error.obj)} tensors (sort() and topk() give values and indices): take one, such as [0]"
    return None


def hint_of(error, frame, expression, called=None):
    if isinstance(error, TypeError) and "unexpected keyword argument '" in str(error):
        return keyword_hint(error, called)
    if isinstance(error, TypeError) and "passed to Tensor.__format__" in str(error):
        return "item() gives the number of a tensor with one element, and numbers have formats"
    if isinstance(error, NameError) and getattr(error, "name", None) and frame:
        import builtins
        names = list(frame.f_locals) + list(frame.f_globals) + dir(builtins)
        return import_of(error.name) or closest(error.name, [name for name in names if not name.startswith("__lazyscope")])
    if isinstance(error, AttributeError) and getattr(error, "name", None):
        if error.obj is None and f".grad.{error.name}" in expression:
            return NO_GRAD
        try:
            return elsewhere_hint(error) or closest(error.name, [name for name in dir(error.obj) if not name.startswith("_") or error.name.startswith("_")])
        except Exception:
            return None
    return import_hint(error) if isinstance(error, ImportError) and getattr(error, "name", None) else None


def call_of(stack, last):
    """(the library's method that the program called, shapes of the tensors it was given), or None where what failed is not inside of one."""
    if last + 1 >= len(stack) or not stack[last + 1][0].startswith("library/") or stack[last + 1][0].startswith("library/_") or stack[last + 1][1] in ("__getattr__", "__enter__", "_no_value"):
        return None
    frame = stack[last + 1][5]
    code, name = frame.f_code, frame.f_code.co_name
    given = [frame.f_locals[name] for name in code.co_varnames[:code.co_argcount + bool(code.co_flags & 4)] if name in frame.f_locals]
    given = [item for value in given for item in (value if isinstance(value, (tuple, list)) else (value,))]
    if name in ("__init__", "__call__"):
        name = type(given[0]).__name__ if given else name
    elif name[:2] == "__":
        name = name[2:-2]
        name = name[1:] if name[0] == "r" and name[1:] in OPERATORS else name
    shapes = []
    for value in given[:8]:
        try:
            if isinstance(value, _lazyscope.Node) and len(shapes) < 4:
                shapes.append(value.shape)
        except Exception:      # a tensor that was never given a value
            continue
    return name.lstrip("_"), shapes


OPERATORS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift", "matmul")


def with_call(text, call):
    """A message with the name of the method that failed, and the shapes of its tensors."""
    if not call:
        return text
    name, shapes = call
    if name not in text:
        text = f"{name}: {text}"
    left = list(dict.fromkeys(shape for shape in shapes if str(shape) not in text))
    if not left:
        return text
    listed = ", ".join(map(str, left[:-1])) + (" and " if left[1:] else "") + str(left[-1])
    return f"{text} (given shape{'s' if left[1:] else ''} {listed})"


def message_of(error, call=None):
    if isinstance(error, _lazyscope.Stopped) and not str(error):
        return f"the program ran longer than {_lazyscope.time_limit()} s (--set TIME_S=N allows more)"
    if isinstance(error, MemoryError) and not str(error):
        return "out of memory: the program's objects take more than they may (--set MEMORY_MB=N allows more)"
    of_memory = type(error) is MemoryError or str(error).startswith(("no shared memory", "no memory", "no room"))
    if call and (of_memory or type(error) is RuntimeError and (str(error).startswith(("kernel ", "c=")) or " refused kernel " in str(error))):      # the shapes say nothing about it
        call = call[0], []
    text = with_call(str(error).removesuffix(" (unknown location)"), call)
    if isinstance(error, _lazyscope.ShapeError) or type(error) in (_lazyscope.Stopped, RuntimeError, MemoryError) and text:
        return text
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def headed(texts, filename, line, column, end, message):
    """column and end in characters from 0."""
    shown = texts.line(filename, line)
    text = f"{filename}:{line}:{(column or 0) + 1}: error: {message}"
    return text if shown is None else text + "\n" + underlined(shown, min(column or 0, len(shown)), end if end is not None else (column or 0) + 1)


def folded(names):
    return f"  … {len(names)} frame{'s' if len(names) > 1 else ''} of the library: {', '.join(names[:4])}{', …' if len(names) > 4 else ''}"


MOST_REPEATED = 3


def repeated(times):
    more = times - MOST_REPEATED
    return [f"  [Previous line repeated {more} more time{'s' if more > 1 else ''}]"] if more > 0 else []


def way(texts, outer):
    """Frames above the one that the report ends with, the library's folded, and a recursion's after the third."""
    lines, inside, before, times = [], [], None, 0
    for filename, name, line, column, end, _ in outer:
        if is_library(filename):
            inside.append(name)
            continue
        if inside:
            lines.append(folded(inside))
            inside, before = [], None
        if (filename, name, line) != before:
            lines += repeated(times)
            before, times = (filename, name, line), 0
        times += 1
        if times > MOST_REPEATED:
            continue
        lines.append(f"  File \"{filename}\", line {line}, in {name}")
        shown = texts.line(filename, line)
        if shown is not None:
            lines.append("    " + shown.strip())
    return lines + repeated(times) + ([folded(inside)] if inside else [])


def syntax_report(error, texts, filename):
    where, line = error.filename or filename, error.lineno or 1
    column = max((error.offset or 1) - 1, 0)
    end = error.end_offset - 1 if error.end_offset and error.end_lineno == error.lineno else None
    return headed(texts, where, line, column, end, error.msg), *((line, column + 1) if where == filename else (0, 0))


def report(error, filename, text):
    """(the report, line and column of the program's own text, or 0)"""
    texts = Texts(filename, text)
    stack = frames(error.__traceback__)
    own = [i for i, frame in enumerate(stack) if not is_library(frame[0]) and texts.line(frame[0], frame[2]) is not None]
    main = [i for i in own if stack[i][0] == filename]
    line_of_main = stack[main[-1]][2] if main else 0
    if isinstance(error, SyntaxError) and error.lineno and (not own or error.filename):
        said, line, column = syntax_report(error, texts, filename)
        if line or not main:
            return said, line, column
        return "\n".join(["Traceback (most recent call last):", *way(texts, stack[:own[-1] + 1]), said]), line_of_main, 1      # a module's that the program imports
    if not own:
        return f"{filename}: error: {message_of(error)}", 0, 0
    last = own[-1]
    where, _, line, column, end, frame = stack[last]
    shown = texts.line(where, line)
    column = characters(shown, column) if column is not None else len(shown) - len(shown.lstrip())
    end = characters(shown, end) if end is not None else len(shown)
    outer = stack[:last]
    lines = ["Traceback (most recent call last):"] + way(texts, outer) if any(not is_library(f[0]) for f in outer) else []
    lines.append(headed(texts, where, line, column, end, message_of(error, call_of(stack, last))))
    hint = getattr(error, "hint", None) or hint_of(error, stack[-1][5], shown[column:end], stack[last + 1][1] if last + 1 < len(stack) else None)
    if hint:
        lines.append(f"hint: {hint}" if " " in hint else f"hint: did you mean '{hint}'?")
    for note in getattr(error, "__notes__", []):
        lines.append(f"note: {note}")
    cause = error.__cause__ or (error.__context__ if not error.__suppress_context__ else None)
    if cause and not isinstance(cause, (_lazyscope.Stopped, KeyboardInterrupt)):
        lines.append(f"note: raised while this was handled: {message_of(cause)}")
    return "\n".join(lines), line_of_main, column + 1 if main and main[-1] == last else 1 if main else 0
