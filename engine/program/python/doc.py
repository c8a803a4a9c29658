"""The documentation of a name of the library: its signature, its docstring, its position, its text."""
import _lazyscope


def found(name):
    """(owner, object) of "softmax", "Tensor.softmax", "nn.Linear", "nn.optim.Adam", "UOp.substitute"."""
    import tinygrad
    from tinygrad import Tensor, nn
    import tinygrad.helpers, tinygrad.nn.optim, tinygrad.nn.state, tinygrad.uop.ops
    roots = [("Tensor", Tensor), ("tinygrad", tinygrad), ("nn", nn), ("nn.optim", tinygrad.nn.optim), ("nn.state", tinygrad.nn.state), ("uop.ops", tinygrad.uop.ops),
             ("dtypes", tinygrad.dtypes), ("helpers", tinygrad.helpers)]
    parts = name.removeprefix("tinygrad.").split(".")
    for owner, root in roots:
        rest = parts[len(owner.split(".")):] if parts[:len(owner.split("."))] == owner.split(".") else parts
        value = root
        for part in rest:
            value = vars(value).get(part, None) if isinstance(value, type(tinygrad)) else getattr(value, part, None) if isinstance(value, type) else None
            if value is None:
                break
        if value is not None:
            return owner + "." + ".".join(rest) if rest and owner != "tinygrad" else ".".join(rest) or owner, value
    from tinygrad.helpers import missing
    names = sorted({n for _, root in roots for n in dir(root) if n[0] != "_"})
    hint = str(missing("library", parts[-1], names)).partition("; ")[2]
    raise LookupError(f"the library has no '{name}'" + (f"; {hint}" if hint else ""))


def signature(function):
    """"(self, axis=-1, dtype=None)"."""
    code, defaults = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[:code.co_argcount]
    shown = [name if position < len(names) - len(defaults) else f"{name}={defaults[position - len(names) + len(defaults)]!r}" for position, name in enumerate(names)]
    at = code.co_argcount + code.co_kwonlyargcount
    if code.co_flags & 4:
        shown.append("*" + code.co_varnames[at])
        at += 1
    elif code.co_kwonlyargcount:
        shown.append("*")
    for name in code.co_varnames[code.co_argcount:code.co_argcount + code.co_kwonlyargcount]:
        default = (function.__kwdefaults__ or {}).get(name)
        shown.append(f"{name}={default!r}")
    if code.co_flags & 8:
        shown.append("**" + code.co_varnames[at])
    return "(" + ", ".join(shown) + ")"


def text_of(code):
    """The function's own lines."""
    lines = (_lazyscope.library_text(code.co_filename) or "").split("\n")
    first = code.co_firstlineno - 1
    while first < len(lines) and lines[first].lstrip().startswith("@"):
        first += 1
    indent = len(lines[first]) - len(lines[first].lstrip())
    end = first + 1
    while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > indent):
        end += 1
    while not lines[end - 1].strip():
        end -= 1
    return "\n".join(line[indent:] for line in lines[first:end])


def dedent(text):
    first, *rest = text.strip().split("\n")
    return "\n".join([first.strip()] + [line.strip() for line in rest])


def doc(name):
    if not name:
        from tinygrad import Tensor
        names = [n for n in dir(Tensor) if n[0] != "_" and callable(getattr(Tensor, n)) and getattr(Tensor, n).__doc__]
        return "\n".join(f"{n:<26} {dedent(getattr(Tensor, n).__doc__).splitlines()[0]}" for n in names) + "\n"
    full, value = found(name)
    function = getattr(value, "fget", None) or getattr(value, "__func__", value)
    if isinstance(value, type):
        init = vars(value).get("__init__")
        head = full + (signature(init) if hasattr(init, "__code__") else "")
        function = init if hasattr(init, "__code__") else None
    else:
        head = full + (signature(function) if hasattr(function, "__code__") and not hasattr(value, "fget") else "")
    parts = [head]
    if getattr(value, "__doc__", None) and (isinstance(value, type) or hasattr(function, "__code__")):
        parts.append("  " + dedent(value.__doc__).replace("\n", "\n  "))
    if hasattr(function, "__code__"):
        parts.append(f"\n{function.__code__.co_filename}:{function.__code__.co_firstlineno}\n{text_of(function.__code__)}")
    else:
        parts.append(f"  {value!r}"[:400])
    return "\n".join(parts) + "\n"
