"""UOps as objects, patterns over them, and rewriting by rules: `UOp`, `Ops`, `UPat`, `PatternMatcher`, `graph_rewrite`.

A rule is text of the rule language ("x:int + 0 -> x") or a pattern and a function. Either joins the rules of the run, so that each step of a rewrite is
recorded, shown and asked like those of the compiler.
"""
import itertools
import sys
from collections.abc import Mapping

import _lazyscope
from tinygrad.dtype import dtypes
from tinygrad.helpers import missing, prod

SETS = {}      # how many matchers were made at each line of the program


def program_frame():
    """The frame of the program that the library was called from."""
    frame = sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename.startswith("library/"):
        frame = frame.f_back
    return frame


def pass_name(name):
    """The name of a pass: the call that requested it and the program's line, "simplify@4", in a module of the program's "simplify@module.py:4"."""
    frame = program_frame()
    file = "" if frame.f_globals.get("__name__") == "__main__" else frame.f_code.co_filename.rsplit("/", 1)[-1] + ":"
    return f"{str(name).replace('#', '')}@{file}{frame.f_lineno}"


MOST_CONTEXT, MOST_PARTS = 80, 6      # characters of a context's text, parts of a value in it


def shown(value, level=3):
    """The beginning of a value's text. No code of the program runs for it: a value of its own classes is shown with its fields."""
    kind = type(value)
    inside = lambda parts, more: ("..." if level == 0 else ", ".join([*parts, *["..."] * more]))
    for known, begin, end in (dict, "{", "}"), (list, "[", "]"), (tuple, "(", ")"), (set, "{", "}"), (frozenset, "{", "}"):
        if isinstance(value, known):
            parts = itertools.islice(dict.items(value) if known is dict else known.__iter__(value), MOST_PARTS if level else 0)
            texts = [f"{shown(part[0], level - 1)}: {shown(part[1], level - 1)}" if known is dict else shown(part, level - 1) for part in parts]
            text = begin + inside(texts, known.__len__(value) > MOST_PARTS) + end
            return text if kind is known and known is not frozenset else f"{kind.__name__}({text})"
    if kind in (int, float, bool, type(None), Op) or isinstance(value, _lazyscope.UOp):
        return repr(value)
    if kind in (str, bytes):
        return repr(value[:MOST_CONTEXT])
    if isinstance(value, type) or kind in (type(shown), type(len)):
        return value.__name__
    fields = object.__getattribute__(value, "__dict__") if kind.__dictoffset__ else {}
    return f"{kind.__name__}({inside([f'{name}={shown(field, level - 1)}' for name, field in itertools.islice(fields.items(), MOST_PARTS if level else 0)], len(fields) > MOST_PARTS)})"


def context_text(ctx):
    """One line for the recording, or None: there is no context."""
    if ctx is None:
        return None
    line = " ".join(shown(ctx).split())
    return line if len(line) <= MOST_CONTEXT else line[:MOST_CONTEXT - 1] + "…"


def rewritten(node, name, rules, before_sources=False, ctx=None):
    """A pass of the recording."""
    return _lazyscope.rewrite(node, rules, before_sources, ctx, pass_name(name), context_text(ctx))


def simplified(node, name):
    """A node by the rules of algebra. Integers that cannot wrap are index in between; if one cannot be converted back (its bounds are unknown), they are not changed."""
    wide = rewritten(node, name, "widen")
    if wide is not node:
        narrow = rewritten(rewritten(wide, name, "symbolic"), name, "narrow")
        if not any(u.dtype == dtypes.index for u in narrow.toposort()):
            return narrow
    return rewritten(node, name, "symbolic")


class OpsType:
    """All ops by name: `Ops.ADD`."""
    def __getattr__(self, name):
        if name in _lazyscope.ops:
            return _lazyscope.ops[name]
        raise missing("Ops", name, list(_lazyscope.ops))

    def __iter__(self): return iter(_lazyscope.ops.values())
    def __dir__(self): return list(_lazyscope.ops)


Ops = OpsType()
Op = type(Ops.ADD)


class GroupOp:
    """Sets of ops: `GroupOp.ALU`, `GroupOp.Binary`."""
    Unary, Binary, Ternary, Movement, Defines = ({op for op in Ops if op.group == group} for group in ("Unary", "Binary", "Ternary", "Movement", "Defines"))
    ALU = Unary | Binary | Ternary
    Commutative = {_lazyscope.ops[name] for name in ("ADD", "MUL", "MAX", "AND", "OR", "XOR", "CMPNE", "CMPEQ")}
    Comparison = {_lazyscope.ops[name] for name in ("CMPLT", "CMPNE", "CMPEQ")}
    All = set(Ops)


class Operators:
    """The operators of nodes and patterns: each makes a node, or a pattern, with `alu`."""
    __slots__ = ()

    def __neg__(self): return self.alu("NEG")
    def __add__(self, other): return self.alu("ADD", other)
    def __radd__(self, other): return self.ufix(other).alu("ADD", self)
    def __sub__(self, other): return self.alu("SUB", other)
    def __rsub__(self, other): return self.ufix(other).alu("SUB", self)
    def __mul__(self, other): return self.alu("MUL", other)
    def __rmul__(self, other): return self.ufix(other).alu("MUL", self)
    def __truediv__(self, other): return self.alu("FDIV", other)
    def __rtruediv__(self, other): return self.ufix(other).alu("FDIV", self)
    def __floordiv__(self, other): return self.alu("FLOORDIV", other)
    def __rfloordiv__(self, other): return self.ufix(other).alu("FLOORDIV", self)
    def __mod__(self, other): return self.alu("FLOORMOD", other)
    def __rmod__(self, other): return self.ufix(other).alu("FLOORMOD", self)
    def __and__(self, other): return self.alu("AND", other)
    def __or__(self, other): return self.alu("OR", other)
    def __xor__(self, other): return self.alu("XOR", other)
    def __lshift__(self, other): return self.alu("SHL", other)
    def __rshift__(self, other): return self.alu("SHR", other)
    def __lt__(self, other): return self.alu("CMPLT", other)
    def __gt__(self, other): return self.ufix(other).alu("CMPLT", self)
    def __le__(self, other): return self.ufix(other).alu("CMPLT", self).alu("NOT")
    def __ge__(self, other): return self.alu("CMPLT", other).alu("NOT")
    def ne(self, other): return self.alu("CMPNE", other)
    def eq(self, other): return self.alu("CMPEQ", other)
    def logical_not(self): return self.alu("NOT")
    def maximum(self, other): return self.alu("MAX", other)
    def minimum(self, other):
        """The maximum of negatives, whose bounds are known. The least integer is its own negative: where it may occur, a choice."""
        other = self.ufix(other)
        wraps = dtypes.is_int(self.dtype) and self.dtype != dtypes.index and min(self.vmin, other.vmin) == dtypes.min(self.dtype)
        return (self < other).where(self, other) if wraps else -(-self).maximum(-other)
    def where(self, x, y): return self.alu("WHERE", x, y)
    def sqrt(self): return self.alu("SQRT")
    def exp2(self): return self.alu("EXP2")
    def log2(self): return self.alu("LOG2")
    def sin(self): return self.alu("SIN")
    def reciprocal(self): return self.alu("RECIP")


class Cache(Mapping):
    """The nodes that were made in this run, by (op, dtype, src, arg, tag); a value is called for the node. Nodes stay until the run ends."""
    class Reference:
        """Called, it gives the node, as a weak reference to it does."""
        __slots__ = ("node",)
        def __init__(self, node): self.node = node
        def __call__(self): return self.node
        def __repr__(self): return f"<reference to {self.node!r}>"

    def __getitem__(self, key):
        try:
            node = _lazyscope.find_uop(*key)
        except (TypeError, ValueError, OverflowError):      # no node has such fields
            node = None
        if node is None:
            raise KeyError(key)
        return Cache.Reference(node)

    def __len__(self): return _lazyscope.n_uops()

    def __iter__(self):
        first, end = 0, len(self)      # what is made meanwhile is not met
        while first < end:
            for u in _lazyscope.uops(first, min(first + 1000, end)):
                yield u.op, u.dtype, u.src, u.arg, u.tag
            first += 1000

    def __repr__(self): return f"<UOpMetaClass.ucache: {len(self)} nodes>"


class UOpMetaClass(type):
    """The class of UOp. `UOpMetaClass.ucache` has the nodes of this run: a second node with the same fields is the first one."""
    ucache = Cache()


class UOp(Operators, _lazyscope.UOp, metaclass=UOpMetaClass):
    """A node: `UOp(op, dtype, src, arg)`. Equal nodes are one object."""
    __slots__ = ()

    @staticmethod
    def const(dtype, value):
        """The constant of that dtype."""
        return UOp(Ops.CONST, dtype, (), value)

    @staticmethod
    def variable(name, min_val, max_val, dtype=dtypes.int):
        """An unknown integer from min_val to max_val."""
        if not dtypes.min(dtype) <= min_val <= max_val <= dtypes.max(dtype):
            raise ValueError(f"variable {name}: {dtype} does not hold the interval from {min_val} to {max_val}")
        return UOp(Ops.DEFINE_VAR, dtype, (), (name, min_val, max_val))

    @staticmethod
    def range(end, axis_id, dtype=dtypes.index):
        """A loop's counter, from 0 to below end."""
        return UOp(Ops.RANGE, dtype, (end if isinstance(end, _lazyscope.UOp) else UOp.const(dtype, end),), (axis_id, 0, 0))

    @staticmethod
    def sink(*sources):
        """A SINK that combines several graphs."""
        return UOp(Ops.SINK, dtypes.void, sources)

    def const_like(self, value):
        """A constant of this node's dtype."""
        return UOp.const(self.dtype, value)

    def ufix(self, other):
        """A number as a constant of this node's dtype; a node as it is."""
        return other if isinstance(other, _lazyscope.UOp) else self.const_like(other)

    def alu(self, op, *others):
        """The op on this node and others. Comparisons are bools; WHERE has the dtype of its branches."""
        op = _lazyscope.ops[op] if isinstance(op, str) else op
        if op is Ops.WHERE:
            x, y = others
            x = x if isinstance(x, _lazyscope.UOp) else y.const_like(x)
            return UOp(op, x.dtype, (self, x, x.ufix(y)))
        return UOp(op, dtypes.bool if op in (Ops.CMPLT, Ops.CMPNE, Ops.CMPEQ) else self.dtype, (self, *[self.ufix(other) for other in others]))

    def cast(self, dtype):
        """The value in another dtype."""
        return self if dtype is self.dtype else UOp(Ops.CAST, dtype, (self,))

    def bitcast(self, dtype):
        """The same bits in another dtype."""
        return self if dtype is self.dtype else UOp(Ops.BITCAST, dtype, (self,))

    def substitute(self, nodes):
        """The graph with the keys of a dictionary replaced by their values, all at once."""
        return _lazyscope.substitute(self, list(nodes), list(nodes.values()), pass_name("substitute"))

    def rtag(self, tag=1):
        """The same node with a tag, a text or an int, which tells equal nodes apart; None: without one."""
        return self.replace(tag=tag)

    def simplify(self):
        """Rewritten by the compiler's own rules of algebra; integers by the rules of index if their bounds show that they do not wrap."""
        return simplified(self, "simplify")

    def render(self, simplify=True, pm=None):
        """As an expression. Each node becomes a NOOP with its text, by the rules of pm, or by a rule for every op; this is a pass of the recording."""
        node = simplified(self, "render") if simplify else self
        text = graph_rewrite(node, pm, name="render") if pm else rewritten(node, "render", "text")
        return text.arg if text.op is Ops.NOOP and isinstance(text.arg, str) else text.expression(1000)

    @property
    def ndim(self):
        """The number of axes of a tensor's node."""
        return len(self.shape)

    @property
    def size(self):
        """The number of elements of a tensor's node."""
        return prod(self.shape)

    @property
    def parents(self):
        """The nodes below it, without itself."""
        return {node: None for node in self.toposort() if node is not self}

    def __reduce__(self):
        return UOp.parse, (self.pyrender(),)


MOVEMENT = ("reshape", "view", "expand", "permute", "transpose", "pad", "shrink", "flip", "squeeze", "unsqueeze", "flatten", "unflatten", "repeat")


def _movement(name):
    def moved(self, *args, **kwargs):
        from tinygrad.tensor import Tensor
        return getattr(Tensor(self), name)(*args, **kwargs).uop
    moved.__name__, moved.__doc__ = name, f"Tensor.{name} of a tensor's node."
    return moved


for _name in MOVEMENT:
    setattr(UOp, _name, _movement(_name))
_lazyscope.uop_class(UOp)

COMMUTATIVE = {op.name for op in GroupOp.Commutative}
MOST_ORDERS = 48      # of sources, in one pattern
KINDS = (("num", lambda d: not d.is_bool), ("int", lambda d: d.is_int), ("float", lambda d: d.is_float))
RESERVED = {"self", "given", "with", "when", "and", "not", "class", "ordered", "build", "for", "in", "set", "_"}


class UPat(Operators):
    """A pattern: an op (or several), a dtype, sources (a tuple in their order, a list in any, one pattern for all of them), an argument, a name under which the node is handed to
    the function."""
    __slots__ = ("op", "dtype", "src", "arg", "name", "allow_any_len")

    def __init__(self, op=None, dtype=None, src=None, arg=None, name=None, allow_any_len=False):
        self.op = op if op is None or isinstance(op, (tuple, set, list, frozenset)) else (op,)
        self.dtype = dtype if dtype is None or isinstance(dtype, (tuple, set, list, frozenset)) else (dtype,)
        self.src, self.arg, self.name, self.allow_any_len = src, arg, name, allow_any_len

    @staticmethod
    def var(name=None, dtype=None):
        """Any node."""
        return UPat(None, dtype, name=name)

    @staticmethod
    def cvar(name=None, dtype=None):
        """Any constant."""
        return UPat(Ops.CONST, dtype, name=name)

    @staticmethod
    def const(dtype, value):
        """The constant of that value."""
        return UPat(Ops.CONST, dtype, arg=value)

    def named(self, name):
        """The same pattern with a name."""
        return UPat(self.op, self.dtype, self.src, self.arg, name, self.allow_any_len)

    def ufix(self, other): return other if isinstance(other, UPat) else UPat.const(None, other)

    def alu(self, op, *others):
        """A pattern of an op over this and others: in any order where the op has none."""
        sources = (self, *[self.ufix(other) for other in others])
        return UPat(_lazyscope.ops[op] if isinstance(op, str) else op, src=list(sources) if op in COMMUTATIVE else sources)

    def cast(self, dtype=None): return UPat(Ops.CAST, dtype, (self,))

    def __repr__(self): return f"UPat({Writing().pattern(self, True)})"

    def match(self, uop, store=None):
        """[{name: node}], or [] where the pattern does not match, or where a name of store is another node. A pass of the recording, of this node alone."""
        if self not in MATCHERS:
            MATCHERS[self] = PatternMatcher([(self, captures)])
        found = _lazyscope.rewrite_one(uop, MATCHERS[self].set, None, pass_name("match"), None)
        if found is None or any(found.get(name, node) is not node for name, node in (store or {}).items()):
            return []
        return [{**(store or {}), **found}]


MATCHERS = {}      # of single patterns, as long as the run
def captures(): """The names of the pattern and the nodes that they are bound to."""


class Writing:
    """State of the conversion of a pattern to the rule language."""
    def __init__(self):
        self.names, self.n_any, self.orders = {}, 0, set()
        self.checks = []      # (name, argument): what the rule language cannot say of an argument

    def name(self, name):
        """The name in the text of a name of the program."""
        if name is None:
            self.n_any += 1
            return f"any{self.n_any}"
        for known, original in self.names.items():
            if original == name:
                return known
        known = name if name.isascii() and not name[0].isupper() and name[0] != "_" and name not in RESERVED and name[:3] != "any" else f"n{len(self.names)}_"
        self.names[known] = name
        return known

    def dtypes(self, wanted):
        """":int32", or the class that is just these dtypes."""
        if wanted is None:
            return ""
        if len(wanted) == 1:
            dtype = next(iter(wanted))
            return ":" + next((name for name, known in _lazyscope.dtypes.items() if known == dtype), dtype.name)
        known = {d for d in _lazyscope.dtypes.values() if d.name[:4] != "weak"}
        for name, holds in KINDS:
            if {d for d in known if holds(d)} == {d for d in wanted if d.name[:4] != "weak"}:
                return ":" + name
        raise ValueError(f"a pattern has one dtype, or all integers, all floats, or all numbers; not {', '.join(sorted(d.name for d in wanted))}")

    def pattern(self, p, root=False):
        """The text of a pattern."""
        dtype = self.dtypes(p.dtype)
        if p.op is None:
            if p.src is not None or p.arg is not None:
                raise ValueError("a pattern with sources or an argument has an op")
            if root:
                raise ValueError("the pattern of a rule must begin with an op")
            return self.name(p.name) + dtype
        ops = sorted(op.name for op in p.op)
        if ops == ["CONST"] and not root and p.arg is None:
            return "$" + self.name(p.name) + dtype
        argument = self.argument(p)
        if ops == ["CONST"] and not root and p.name is None and argument:
            return argument + dtype
        name = None if p.name is None else self.name(p.name)
        if p.arg is not None and not argument:      # the function is called where it is equal
            name = name or self.name(None)
            self.checks.append((name, p.arg))
        return ("" if name is None else name + "=") + "|".join(ops) + (f"[{argument}]" if argument else "") + self.sources(p, ops) + dtype

    def argument(self, p):
        """The argument that the pattern demands, as text; "" for one that the rule language cannot say."""
        forms = {op.form for op in p.op}
        form, arg = (forms.pop() if len(forms) == 1 else ""), p.arg
        ints = lambda numbers: all(isinstance(number, int) for number in numbers)
        if form == "number" and isinstance(arg, (int, float)):
            return self.number(arg) if p.op == (Ops.CONST,) or isinstance(arg, int) else ""
        if form == "numbers" and isinstance(arg, tuple) and arg and ints(arg):
            return ", ".join(str(int(number)) for number in arg)
        if form == "op and numbers" and isinstance(arg, tuple) and len(arg) == 2 and isinstance(arg[0], Op) and isinstance(arg[1], tuple) and arg[1] and ints(arg[1]):
            return ", ".join([arg[0].name, *(str(int(number)) for number in arg[1])])
        return ""

    def sources(self, p, ops):
        """"(x, 0, *)"."""
        if p.src is None:
            return "()" if ops == ["CONST"] else "(*)"
        if len(p.src) > 1 and any(op in COMMUTATIVE for op in ops):
            self.orders.add(isinstance(p.src, list))
        elif isinstance(p.src, list) and len(p.src) > 1:
            raise ValueError(f"the sources of {'|'.join(ops)} have an order: give a tuple")
        return "(" + ", ".join([self.pattern(source) for source in p.src] + ["*"] * p.allow_any_len) + ")"

    def number(self, value):
        """A constant as text; "" for one that the rule language does not have."""
        if isinstance(value, float) and (value != value or value in (float("inf"), -float("inf"))):
            return ""
        return repr(value) if isinstance(value, float) else str(int(value))


def orders_of(p, every):
    """The pattern for each order in which its sources may match. A tuple has one. A list of a commutative op stays as it is, unless every is true: the rule tries both orders."""
    if p.src is None:
        return [p]
    ops = [] if p.op is None else list(p.op)
    if isinstance(p.src, UPat):
        if not ops:
            raise ValueError("a pattern with sources has an op")
        varying = [op.name for op in ops if op.arity < 0]
        if varying:
            raise ValueError(f"one pattern for all sources: the number of sources of {', '.join(varying)} varies; give a tuple")
        rows = [(tuple(op for op in ops if op.arity == n), (p.src,) * n) for n in sorted({op.arity for op in ops})]
    elif not isinstance(p.src, list) or len(p.src) < 2 or (len(p.src) == 2 and not every and all(op.name in COMMUTATIVE for op in ops)):
        rows = [(p.op, p.src)]
    else:
        rows, seen = [], set()
        for order in itertools.islice(itertools.permutations(p.src), MOST_ORDERS + 1):
            if tuple(map(id, order)) not in seen:
                seen.add(tuple(map(id, order)))
                rows.append((p.op, order))
    found = []
    for op, src in rows:
        for chosen in itertools.islice(itertools.product(*[orders_of(source, every) for source in src]), MOST_ORDERS + 1):
            found.append(UPat(op, p.dtype, type(src)(chosen), p.arg, p.name, p.allow_any_len))
    if len(found) > MOST_ORDERS:
        raise ValueError(f"the sources of a pattern may be in over {MOST_ORDERS} orders: give tuples")
    return found


def written(pattern):
    """The texts of a pattern, one for each order of its sources, as (text, Writing)."""
    for every in False, True:      # where some sources of commutative ops have an order, each order of the others is a text of its own
        rows = []
        for p in orders_of(pattern, every):
            writing = Writing()
            rows.append((writing.pattern(p, True), writing))
        if not any(writing.orders == {True, False} for _, writing in rows):
            break
    return rows


def _text_of(function):
    """(line, text) of a lambda; of another function its name and first line of documentation."""
    code = function.__code__
    lines = (_lazyscope.source(code.co_filename) or "").split("\n")
    if code.co_name != "<lambda>":
        return code.co_firstlineno, function.__name__ + (": " + function.__doc__.strip().split("\n")[0] if function.__doc__ else "")
    spans = [place for place in code.co_positions() if None not in place and place[0] <= len(lines) and place[2] != place[3]]
    if not spans:
        return code.co_firstlineno, "lambda"
    (line, column), (end_line, end_column) = min((s[0], s[2]) for s in spans), max((s[1], s[3]) for s in spans)
    body = [text.encode() for text in lines[line - 1:end_line]]
    body[-1] = body[-1][:end_column]
    body[0] = body[0][column:]
    shown = " ".join(part.decode(errors="replace").strip() for part in body)
    return code.co_firstlineno, shown if shown.startswith("lambda") else f"lambda {', '.join(code.co_varnames[:code.co_argcount])}: {shown}"


def _checked(function, args):
    """The function, called where the last nodes have these arguments; these are not handed to it."""
    def called(*given):
        nodes, of = given[:len(given) - len(args)], given[len(given) - len(args):]
        return function(*nodes) if all(node.arg == arg for node, arg in zip(of, args)) else None
    return called


class PatternMatcher:
    """Rules: a text of the rule language, or a list of (pattern, function) and of such texts. The first that fires at a node is taken."""
    def __init__(self, patterns):
        self.patterns = [patterns] if isinstance(patterns, str) else list(patterns)
        frame = program_frame()
        line, file = frame.f_lineno, frame.f_code.co_filename
        SETS[line] = SETS.get(line, 0) + 1
        again = SETS[line]
        self.set = f"rules-of-line-{line}" + (f"-{again}" if again > 1 else "")
        texts, terms, lines, made = [], [], [], []
        for number, rule in enumerate(self.patterns):
            name = f"{self.set.replace('rules-of-', '')}-{number + 1}"
            if isinstance(rule, str):
                texts.append(rule if "\n" in rule.strip() else f"# {rule.strip()}\n{name}: {rule.strip()}\n")      # several lines are a rule file's
                lines.append(line)
                made.append(None)
            else:
                for text, term, names, place in self._written(name, *rule):
                    texts.append(text)
                    terms.append(term)
                    lines.append(place)
                    made.append((rule[1], names))
        whole = "\n".join(texts) + "\n"
        try:
            numbers = _lazyscope.rules(self.set, file, whole, lines, terms)
        except ValueError as error:      # it names a line of the text made here
            raise ValueError("in the text of the rules: " + str(error).split("error: ", 1)[-1]) from None
        if len(numbers) == len(made):
            self.rules = [(index, *(of or (None, {}))) for index, of in zip(numbers, made)]
        else:      # a text has several rules
            self.rules = [(index, None, {}) for index in numbers] if not terms else self._mixed()

    @staticmethod
    def _mixed():
        raise ValueError("a text of several rules cannot be combined with patterns: make two matchers, and add them")

    @staticmethod
    def _written(name, pattern, function):
        """For each order of its sources: the rule's text, the term that calls the function, the program's names for the bound nodes, and the function's line."""
        rows = written(pattern)
        for number, (text, writing) in enumerate(rows):
            yield PatternMatcher._rule(name if len(rows) == 1 else f"{name}-{number + 1}", text, writing, function)

    @staticmethod
    def _rule(name, text, writing, function):
        code, defaults = function.__code__, len(function.__defaults__ or ())
        bound = {original: known for known, original in writing.names.items()}
        wanted = tuple(bound) if function is captures else code.co_varnames[:code.co_argcount]
        takes_context = wanted[:1] == ("ctx",) and function is not captures
        wanted = wanted[takes_context:]
        for position, parameter in enumerate(wanted):
            if parameter not in bound and position < len(wanted) - defaults:
                raise ValueError(f"the rule's function asks for '{parameter}', which its pattern does not bind: {', '.join(bound) or 'it binds nothing'}")
        wanted = [parameter for parameter in wanted if parameter in bound]
        line, said = _text_of(function)
        term = name.replace("-", "_")
        given = [bound[parameter] for parameter in wanted] + [known for known, _ in writing.checks]
        called = (lambda *nodes: dict(zip(wanted, nodes))) if function is captures else function
        if writing.checks:
            called = _checked(called, [arg for _, arg in writing.checks])
            said += " (asked where " + ", ".join(f"{known}.arg == {' '.join(repr(arg).split())}" for known, arg in writing.checks) + ")"
        ordered = " ordered" if False in writing.orders else ""
        return f"# {said}\n{name}: {text} -> build {term}({', '.join(given)}){ordered}\n", (term, called, len(given), takes_context, said), writing.names, line

    def rewrite(self, uop, ctx=None):
        """The result of the first rule that fires at this node, or None. A function may return anything here. A pass of the recording, of this node alone."""
        return _lazyscope.rewrite_one(uop, self.set, ctx, pass_name("rewrite"), context_text(ctx))

    @property
    def pdict(self):
        """{op: rules}: at a node only those of its op are tried, in this order. A rule is (text, function), function None if its result is text."""
        rules = {}
        for index, function, _ in self.rules:
            text, ops = _lazyscope.rule_root(index)
            for op in ops:
                rules.setdefault(_lazyscope.ops[op], []).append((text, function))
        return rules

    def __add__(self, other):
        """The rules of both, these first."""
        both = object.__new__(PatternMatcher)
        both.patterns, both.rules, both.set = self.patterns + other.patterns, self.rules + other.rules, f"{self.set}+{other.set}"
        return both


def pyrender(ast):
    """Python text that makes the graph again; UOp.parse reads it."""
    return ast.pyrender()


def graph_rewrite(sink, pm, ctx=None, bottom_up=False, name=None):
    """The graph below sink rewritten until no rule fires: sources first; with bottom_up a node before its sources, as the peer calls it. A pass of the recording."""
    if not isinstance(pm, PatternMatcher):
        raise TypeError(f"graph_rewrite: rules are a PatternMatcher, not a {type(pm).__name__}")
    return rewritten(sink, name or "graph_rewrite", pm.set, bottom_up, ctx)


def __getattr__(name):
    """Names of tinygrad's module that are in other modules here."""
    if name == "Variable":
        from tinygrad.variable import Variable
        return Variable
    if name[:2] == "__":
        raise AttributeError(name)
    raise missing("tinygrad.uop.ops", name, globals())
