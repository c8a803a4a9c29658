"""Compiles a recorded program: each statement tells the recording that it runs, and what it bound.

A mark is a call before the statement (in the condition of a `while`, so that each turn counts); names that a statement binds are handed over
after it. Positions are those of the statement, so that tracebacks show the program as it was written.
"""
import _ast

MARK, BOUND = "__lazyscope_mark__", "__lazyscope_bound__"
LOAD = _ast.Load()
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
    """What a statement binds when it is done, and what it binds before its body."""
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
    def __init__(self, first):
        self.first, self.spans = first, []

    def mark_body(self, body, top=False):
        marked = []
        for position, statement in enumerate(body):
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
            at = {"lineno": line, "col_offset": column, "end_lineno": line, "end_col_offset": column}
            mark = call(MARK, at, self.first + index)
            if isinstance(statement, _ast.While):
                statement.test = place(_ast.BoolOp(_ast.And(), [mark, statement.test]), at)
            else:
                marked.append(place(_ast.Expr(mark), at))
            marked.append(statement)
            if after or before:
                bound = call(BOUND, at, self.first + index, after + before)
                (marked.append if after else lambda node: statement.body.insert(0, node))(place(_ast.Expr(bound), at))
        return marked

    def mark_inside(self, statement):
        for field in ("body", "orelse", "finalbody"):
            inner = getattr(statement, field, None)
            if isinstance(inner, list) and inner:
                setattr(statement, field, self.mark_body(inner))
        for part in getattr(statement, "handlers", []) + getattr(statement, "cases", []):
            part.body = self.mark_body(part.body)


texts = 0      # that were marked in this process


def compile_marked(text, filename):
    """The code, its number in this process, and its statements: (line, column, end_line, end_column, top, names). A mark says (number << 32) + which statement it is of."""
    global texts
    tree = compile(text, filename, "exec", _ast.PyCF_ONLY_AST, dont_inherit=True)
    marker = Marker(texts << 32)
    tree.body = marker.mark_body(tree.body, top=True)
    code = compile(tree, filename, "exec", dont_inherit=True)
    texts += 1
    return code, texts - 1, marker.spans
