"""Compiles a recorded program: each statement tells the recording that it runs, and what it bound.

A mark is a call before the statement (in the condition of a `while`, so that each turn counts); names that a statement binds are handed over
after it. Positions are those of the statement, so that tracebacks show the program as it was written.
"""
import _ast
import _lazyscope

MARK, BOUND = "__lazyscope_mark__", "__lazyscope_bound__"


def place(node, at):
    node.lineno, node.col_offset, node.end_lineno, node.end_col_offset = at.lineno, at.col_offset, at.lineno, at.col_offset
    return node


def call(function, at, index, names=()):
    load = _ast.Load()
    arguments = [place(_ast.Constant(index), at)] + [place(_ast.Name(name, load), at) for name in names]
    return place(_ast.Call(place(_ast.Name(function, load), at), arguments, []), at)


def bound_names(target):
    if isinstance(target, _ast.Name):
        return [target.id]
    if isinstance(target, (_ast.Tuple, _ast.List)):
        return [name for item in target.elts for name in bound_names(item)]
    return bound_names(target.value) if isinstance(target, _ast.Starred) else []


def targets(statement):
    """What a statement binds when it is done, and what it binds before its body."""
    if isinstance(statement, _ast.Assign):
        return statement.targets, []
    if isinstance(statement, (_ast.AugAssign, _ast.AnnAssign)):
        return ([statement.target] if statement.value else []), []
    if isinstance(statement, (_ast.For, _ast.AsyncFor)):
        return [], [statement.target]
    if isinstance(statement, (_ast.With, _ast.AsyncWith)):
        return [], [item.optional_vars for item in statement.items if item.optional_vars]
    return [], []


def must_stay_first(statement, position):
    """A docstring, and `from __future__`, which nothing but a docstring may precede."""
    if isinstance(statement, _ast.ImportFrom) and statement.module == "__future__":
        return True
    return position == 0 and isinstance(statement, _ast.Expr) and isinstance(statement.value, _ast.Constant) and isinstance(statement.value.value, str)


class Marker:
    def __init__(self):
        self.spans = []
        self.calls = []      # constants that still count from the file's first statement

    def mark_body(self, body, top=False):
        marked = []
        for position, statement in enumerate(body):
            if must_stay_first(statement, position):
                marked.append(statement)
                continue
            index = len(self.spans)
            after, before = [[name for target in group for name in bound_names(target)] for group in targets(statement)]
            first = min([statement] + getattr(statement, "decorator_list", []), key=lambda node: node.lineno)
            self.spans.append((first.lineno, min(first.col_offset, statement.col_offset), statement.end_lineno, statement.end_col_offset, top, tuple(after + before)))
            self.mark_inside(statement)
            mark = call(MARK, statement, index)
            self.calls.append(mark.args[0])
            if isinstance(statement, _ast.While):
                statement.test = place(_ast.BoolOp(_ast.And(), [mark, statement.test]), statement.test)
            else:
                marked.append(place(_ast.Expr(mark), statement))
            marked.append(statement)
            if after or before:
                bound = call(BOUND, statement, index, after + before)
                self.calls.append(bound.args[0])
                (marked.append if after else lambda node: statement.body.insert(0, node))(place(_ast.Expr(bound), statement))
        return marked

    def mark_inside(self, statement):
        for field in ("body", "orelse", "finalbody"):
            inner = getattr(statement, field, None)
            if isinstance(inner, list) and inner:
                setattr(statement, field, self.mark_body(inner))
        for part in getattr(statement, "handlers", []) + getattr(statement, "cases", []):
            part.body = self.mark_body(part.body)


def compile_marked(text, filename):
    tree = compile(text, filename, "exec", _ast.PyCF_ONLY_AST, dont_inherit=True)
    marker = Marker()
    tree.body = marker.mark_body(tree.body, top=True)
    base = _lazyscope.statements(filename, text, marker.spans)
    for constant in marker.calls:
        constant.value += base
    return compile(tree, filename, "exec", dont_inherit=True)
