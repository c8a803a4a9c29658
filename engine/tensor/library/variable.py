"""Symbolic sizes: a variable with bounds, and one bound to a value.

A bound variable is an int that knows what it is made of: a size or a place that it says is that of any value, so that kernels take it as an argument and are
made once for all of them. Sums, differences, multiples and quotients without a rest stay so; whatever else is computed of it is the number that it has now.
A variable that is not bound is an error wherever a number or a size is wanted.
"""
import _lazyscope


class Variable:
    """An integer between two bounds, Variable("n", 1, 10); `bind` gives it a value, and x[:n.bind(3)] runs the kernel that x[:n.bind(7)] runs."""
    def __init__(self, name, min_val, max_val, dtype=None):
        if not isinstance(name, str) or not isinstance(min_val, int) or not isinstance(max_val, int):
            raise TypeError(f"Variable takes a name and two integers, not {name!r}, {min_val!r}, {max_val!r}")
        if min_val > max_val:
            raise ValueError(f"variable {name}: the lower bound {min_val} is above the upper bound {max_val}")
        self.name, self.expr, self.vmin, self.vmax, self.min, self.max, self.dtype = name, name, min_val, max_val, min_val, max_val, dtype

    def __repr__(self): return f"Variable({self.name!r}, {self.vmin}, {self.vmax})"
    def __eq__(self, other): return isinstance(other, Variable) and (self.name, self.vmin, self.vmax) == (other.name, other.vmin, other.vmax)
    def __hash__(self): return hash((self.name, self.vmin, self.vmax))

    def bind(self, value):
        """The variable with this value, which must lie within its bounds."""
        if not isinstance(value, int):
            raise TypeError(f"variable {self.name} is bound to integers, not a {type(value).__name__}")
        if not self.vmin <= value <= self.vmax:
            raise AssertionError(f"bind {value} not in range [{self.vmin}, {self.vmax}] of variable {self.name}")
        value = int(value)
        if self.vmin == self.vmax or not self.name.isascii() or not self.name.isidentifier() or not fits(self.vmin, self.vmax):
            return value      # it is no variable, or none that a kernel can take
        bound = BoundVariable(value, _lazyscope.variable(self.name, self.vmin, self.vmax, value))
        bound.variable = self
        return bound

    def _no_value(self, *others): raise TypeError(f"variable {self.name} has no value: bind it")
    __index__ = __int__ = __float__ = __neg__ = __add__ = __sub__ = __mul__ = __floordiv__ = __truediv__ = __mod__ = __pow__ = _no_value
    __lt__ = __gt__ = __le__ = __ge__ = __lshift__ = __rshift__ = _no_value

    __radd__ = __rsub__ = __rmul__ = __rfloordiv__ = __rtruediv__ = __rmod__ = _no_value


def fits(least, most):
    """Whether a kernel can take it as an argument, which is an int of 32 bits."""
    return -1 << 31 <= least <= most < 1 << 31


def sized(op, number, a, b):
    """The number as what the op makes of two sizes, where it makes one."""
    node = _lazyscope.size(op, a.node if isinstance(a, BoundVariable) else a, b.node if isinstance(b, BoundVariable) else b)
    if node is None:
        return number
    least, most, _ = _lazyscope.size_facts(node)
    return BoundVariable(number, node) if fits(least, most) else number


class BoundVariable(int):
    """A number that a variable says: an int wherever a number or a size is wanted. It equals what is made of the same variables in the same way, and no number."""
    def __new__(cls, number, node):
        self = int.__new__(cls, number)
        self.node = node
        return self

    variable = None      # that it is the value of, or several are added up or multiplied in it

    def unbind(self):
        if self.variable is None:
            raise ValueError(f"{self!r} is no variable, but made of some")
        return self.variable, int(self)

    @property
    def val(self): return int(self)
    @property
    def vmin(self): return _lazyscope.size_facts(self.node)[0]
    @property
    def vmax(self): return _lazyscope.size_facts(self.node)[1]
    @property
    def dtype(self): return self.variable and self.variable.dtype
    @property
    def expr(self): return _lazyscope.size_facts(self.node)[2]

    def __repr__(self): return f"{self.expr}={int(self)}"
    def __str__(self): return str(int(self))
    def __eq__(self, other): return isinstance(other, BoundVariable) and self.node.node_id == other.node.node_id
    def __ne__(self, other): return not self == other
    def __hash__(self): return hash(("variable", self.node.node_id))

    def __add__(self, other): return sized("ADD", int(self) + int(other), self, other) if isinstance(other, int) else NotImplemented
    def __sub__(self, other): return sized("SUB", int(self) - int(other), self, other) if isinstance(other, int) else NotImplemented
    def __rsub__(self, other): return sized("SUB", int(other) - int(self), other, self) if isinstance(other, int) else NotImplemented
    def __mul__(self, other): return sized("MUL", int(self) * int(other), self, other) if isinstance(other, int) else NotImplemented
    def __neg__(self): return sized("MUL", -int(self), self, -1)
    __radd__, __rmul__ = __add__, __mul__

    def __floordiv__(self, other):
        if not isinstance(other, int):
            return NotImplemented
        number = int(self) // int(other)
        return number if isinstance(other, BoundVariable) or other < 1 else sized("IDIV", number, self, other)


_lazyscope.size_class(BoundVariable)
