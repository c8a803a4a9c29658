"""Compiles a recorded program: each statement reports to the recording that it runs, and the names that it bound.

A mark is a call before the statement (in the condition of a `while`, so that each iteration counts); names that a statement binds are handed over
after it, with the mark of the next statement if there is one. Positions are those of the statement, so that tracebacks show the program as it was written.

Marks are put into the tree of a text. Trees are Python objects, which take four times as long to make, to mark and to compile as the text itself. So a part of a long program
in which each line is a statement without a body has its marks in its code (marks.c).
"""
import gc
import _ast
import _lazyscope
import __future__

MARK, BOUND, NEXT = "__lazyscope_mark__", "__lazyscope_bound__", "__lazyscope_next__"
LOAD = _ast.Load()
FUTURE = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})
INSIDE = _ast.If, _ast.For, _ast.While, _ast.With, _ast.Try, _ast.TryStar, _ast.Match, _ast.FunctionDef, _ast.ClassDef, _ast.AsyncFor, _ast.AsyncWith, _ast.AsyncFunctionDef


def place(node, at):
    node.__dict__.update(at)
    return node


def call(function, at, index, names=()):
    arguments = [place(_ast.Constant(index), at)]
    for name in names:
        arguments.append(place(_ast.Name(name, LOAD), at))
    return place(_ast.Call(place(_ast.Name(function, LOAD), at), arguments, []), at)


def bound_names(target):
    if isinstance(target, _ast.Name):
        return [target.id]
    if isinstance(target, (_ast.Tuple, _ast.List)):
        return [name for item in target.elts for name in bound_names(item)]
    return bound_names(target.value) if isinstance(target, _ast.Starred) else []


def targets(statement):
    """The names that a statement binds when it is done, and those that it binds before its body."""
    kind = type(statement)
    if kind is _ast.Assign:
        return statement.targets, ()
    if kind is _ast.AugAssign or kind is _ast.AnnAssign:
        return ([statement.target] if statement.value else ()), ()
    if kind is _ast.For or kind is _ast.AsyncFor:
        return (), [statement.target]
    if kind is _ast.With or kind is _ast.AsyncWith:
        return (), [item.optional_vars for item in statement.items if item.optional_vars]
    return (), ()


def must_stay_first(statement, position):
    """A docstring, and `from __future__`, which nothing but a docstring may precede."""
    if isinstance(statement, _ast.ImportFrom) and statement.module == "__future__":
        return True
    return position == 0 and isinstance(statement, _ast.Expr) and isinstance(statement.value, _ast.Constant) and isinstance(statement.value.value, str)


class Marker:
    def __init__(self, first, spans):
        self.first, self.spans = first, spans

    def mark_body(self, body, top=False, position=0):
        marked, bound, at = [], (), None      # bound: names that the previous statement bound and that no call has handed over yet
        for position, statement in enumerate(body, position):
            if must_stay_first(statement, position):
                marked.append(statement)
                continue
            index, line, column = len(self.spans), statement.lineno, statement.col_offset
            after, before = targets(statement)
            after, before = [name for target in after for name in bound_names(target)], [name for target in before for name in bound_names(target)]
            first = statement
            if isinstance(statement, INSIDE):
                first = min([statement] + getattr(statement, "decorator_list", []), key=lambda node: node.lineno)
            self.spans.append((first.lineno, min(first.col_offset, column), statement.end_lineno, statement.end_col_offset, top, tuple(after + before)))
            if isinstance(statement, INSIDE):
                self.mark_inside(statement)
            if bound and isinstance(statement, _ast.While):
                marked.append(place(_ast.Expr(call(BOUND, at, self.first + index - 1, bound)), at))
                bound = ()
            at = {"lineno": line, "col_offset": column, "end_lineno": line, "end_col_offset": column}
            mark = call(NEXT if bound else MARK, at, self.first + index, bound)
            if isinstance(statement, _ast.While):
                statement.test = place(_ast.BoolOp(_ast.And(), [mark, statement.test]), at)
            else:
                marked.append(place(_ast.Expr(mark), at))
            marked.append(statement)
            if before:
                statement.body.insert(0, place(_ast.Expr(call(BOUND, at, self.first + index, before)), at))
            bound = after
        if bound:
            marked.append(place(_ast.Expr(call(BOUND, at, self.first + len(self.spans) - 1, bound)), at))
        return marked

    def mark_inside(self, statement):
        for field in ("body", "orelse", "finalbody"):
            inner = getattr(statement, field, None)
            if isinstance(inner, list) and inner:
                setattr(statement, field, self.mark_body(inner))
        for part in getattr(statement, "handlers", []) + getattr(statement, "cases", []):
            part.body = self.mark_body(part.body)


texts = 0      # that were marked in this process
PART = 1000    # lines of a long program that are compiled at a time: trees of Python objects take some 5 KB a statement


def parts(text):
    """(lines before it, text) of each part. Parts may be cut in the middle of a statement: then one does not compile, for no program ends inside brackets, a string or a statement with a body."""
    lines = text.split("\n")
    if len(lines) <= 2 * PART or "\r" in text:
        return [(0, text)]
    starts = [0]
    for at, line in enumerate(lines):
        if at - starts[-1] >= PART and line[:1].isidentifier() and not line.startswith(("else", "elif", "except", "finally")):
            starts.append(at)
    return [(start, "\n".join(lines[start:end])) for start, end in zip(starts, starts[1:] + [len(lines)])]


LINE = None      # a statement without a body, or an assignment to one name; no strings, comments or line joins, whose brackets and signs say nothing
ENCLOSED, ASSIGNED = r"[(\[][^()\[\]]*[)\]]", r"(?<![=<>!])=(?!=)"


def lines_of(first, piece):
    """(line, its length, the name that it binds or None) of each line, or None: some line is not known to be a whole statement."""
    global LINE
    import re      # costs some milliseconds, which short programs need not pay
    LINE = LINE or re.compile(r"(?:([^\W\d]\w*) = |(?=[^\W\d]\w*[.(\[]))([\w .,+\-*/%@&|^~<>=!()\[\]]+)", re.ASCII)
    found = []
    for number, line in enumerate(piece.split("\n"), first + 1):
        if line:
            match = LINE.fullmatch(line)
            if not match or line.count("(") != line.count(")") or line.count("[") != line.count("]"):
                return None
            rest, n = match[2], 1
            while "=" in rest and n:
                rest, n = re.subn(ENCLOSED, "", rest)
            if re.search(ASSIGNED, rest):
                return None
            found.append((number, len(line), match[1]))
    return found


def compile_lines(lines, first, piece, filename, flags, spans, base):
    """The code of lines with their marks, or None. SyntaxError: the text has an error."""
    index, last = base + len(spans), lines[-1][2]
    bound = f";{BOUND}({index + len(lines) - 1}, {last})" if last else ""
    code = compile("\n" * first + piece.rstrip("\n") + bound, filename, "exec", flags, dont_inherit=True)
    slots = {name: slot for slot, name in enumerate(code.co_names)}
    before = [-1] + [slots.get(name, -1) for _, _, name in lines]
    statements = [(number, slot) for (number, _, _), slot in zip(lines, before)]
    made = _lazyscope.with_marks(code.co_code, code.co_linetable, code.co_firstlineno, statements, len(code.co_consts), len(slots), len(slots) + 1)
    if made is None or code.co_exceptiontable:
        return None
    spans.extend((number, 0, number, length, True, (name,) if name else ()) for number, length, name in lines)
    numbers = tuple(range(index, index + len(lines)))
    return code.replace(co_code=made[0], co_linetable=made[1], co_consts=code.co_consts + numbers, co_names=code.co_names + (MARK, NEXT), co_stacksize=max(code.co_stacksize, 4))


def compile_parts(pieces, filename, spans):
    """The code of each part; parts that were cut in the middle of a statement are joined, eight times at most. SyntaxError: the text has an error, or more such cuts."""
    codes, flags, left = [], 0, 8
    marker = Marker(texts << 32, spans)
    pieces.reverse()
    while pieces:
        first, piece = pieces.pop()
        lines = lines_of(first, piece) if first > 0 else None
        try:
            code = compile_lines(lines, first, piece, filename, flags, spans, marker.first) if lines else None
            tree = None if code else compile("\n" * first + piece, filename, "exec", _ast.PyCF_ONLY_AST | flags, dont_inherit=True)
        except SyntaxError:
            if not pieces or left == 0:
                raise
            left -= 1
            pieces[-1] = first, piece + "\n" + pieces[-1][1]
            continue
        if tree:
            tree.body = marker.mark_body(tree.body, top=True, position=first)
            code = compile(tree, filename, "exec", flags, dont_inherit=True)
        codes.append(code)
        flags |= codes[-1].co_flags & FUTURE
    return codes


def compile_marked(text, filename, whole):
    """The codes to be run one after the other (whole: one), their number in this process, and the statements: (line, column, end_line, end_column, top, names).

    A mark says (number << 32) + which statement it is of.
    """
    global texts
    collecting, spans = gc.isenabled(), []
    gc.disable()      # the collector would traverse the trees again and again, which takes most of the time of a long program
    try:
        try:
            codes = compile_parts([(0, text)] if whole else parts(text), filename, spans)
        except SyntaxError:
            spans.clear()
            codes = compile_parts([(0, text)], filename, spans)
    finally:
        if collecting:
            gc.enable()
    texts += 1
    return codes, texts - 1, spans
