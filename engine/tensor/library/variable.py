"""Symbolic sizes: a variable with bounds, and one bound to a value.

A bound variable is an int that remembers its variables: kernels take a size or index made of it as an argument and are made once for all of its values. Sums, differences, multiples and exact quotients remain symbolic; other operations use its current number.
A variable that is not bound is a valid size or index of tensors that are inspected and not computed. It is not a number: an operation that needs one is an error, and so is a
comparison that its bounds do not decide.
"""
import _lazyscope


def no_value(name, least):
    return TypeError(f"variable {name} has no value: bind it, as in {name}.bind({least})")


def fits(least, most):
    """Whether a kernel can take it as an argument, which is an int of 32 bits."""
    return -1 << 31 <= least <= most < 1 << 31


def node_of(size):
    return size.node if isinstance(size, (BoundVariable, Unbound)) else int(size)


def sized(op, number, a, b):
    """The result of the op on two sizes, or the number if the result is not symbolic."""
    node = _lazyscope.size(op, node_of(a), node_of(b))
    if node is None or isinstance(node, int):
        return number if node is None else node
    least, most, _, now, unbound = _lazyscope.size_facts(node)
    if unbound:
        return Unbound(node)
    return BoundVariable(now, node) if fits(least, most) else number


class BoundVariable(int):
    """A number given by a variable: an int where a number or a size is needed. It equals an expression of the same variables with the same structure, and no number."""
    def __new__(cls, number, node):
        self = int.__new__(cls, number)
        self.node = node
        return self

    variable = None      # that it is the value of, or several are added up or multiplied in it

    def unbind(self):
        if self.variable is None:
            raise ValueError(f"{self!r} is an expression of variables, not a variable")
        return self.variable, int(self)

    @property
    def val(self): return int(self)
    @property
    def vmin(self): return _lazyscope.size_facts(self.node)[0]
    @property
    def vmax(self): return _lazyscope.size_facts(self.node)[1]
    @property
    def dtype(self): return None if self.variable is None else self.variable.dtype
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


class Unbound:
    """A size or index with at least one variable that has no value."""
    def __init__(self, node):
        self.node = node

    dtype = None

    @property
    def vmin(self): return _lazyscope.size_facts(self.node)[0]
    @property
    def vmax(self): return _lazyscope.size_facts(self.node)[1]
    @property
    def expr(self): return _lazyscope.size_facts(self.node)[2]

    def __repr__(self): return self.expr
    def __eq__(self, other): return isinstance(other, (BoundVariable, Unbound)) and self.node.node_id == other.node.node_id
    def __ne__(self, other): return not self == other
    def __hash__(self): return hash(("variable", self.node.node_id))

    def made(self, op, a, b):
        if not isinstance(a, (int, Unbound)) or not isinstance(b, (int, Unbound)):
            return NotImplemented
        made = sized(op, None, a, b)
        return self._no_value() if made is None else made

    def __add__(self, other): return self.made("ADD", self, other)
    def __sub__(self, other): return self.made("SUB", self, other)
    def __rsub__(self, other): return self.made("SUB", other, self)
    def __mul__(self, other): return self.made("MUL", self, other)
    def __floordiv__(self, other): return self.made("IDIV", self, other)
    def __neg__(self): return self.made("MUL", self, -1)
    __radd__, __rmul__ = __add__, __mul__

    def _no_value(self, *others): raise no_value(*_lazyscope.size_facts(self.node)[4])
    __index__ = __int__ = __float__ = __truediv__ = __mod__ = __pow__ = __lshift__ = __rshift__ = __abs__ = _no_value
    __rfloordiv__ = __rtruediv__ = __rmod__ = __rpow__ = __divmod__ = __rdivmod__ = _no_value

    def sign(self, other):
        """Minimum and maximum of the difference."""
        rest = self - other
        return (rest, rest) if isinstance(rest, int) and not isinstance(rest, BoundVariable) else (rest.vmin, rest.vmax)

    def decided(self, yes, no): return True if yes else False if no else self._no_value()

    def __lt__(self, other):
        least, most = self.sign(other)
        return self.decided(most < 0, least >= 0)

    def __le__(self, other):
        least, most = self.sign(other)
        return self.decided(most <= 0, least > 0)

    def __gt__(self, other): return not self <= other
    def __ge__(self, other): return not self < other
    def __bool__(self): return self.decided(self.vmin > 0 or self.vmax < 0, False)


class Variable(Unbound):
    """An integer between two bounds, Variable("n", 1, 10); `bind` gives it a value, and x[:n.bind(3)] runs the kernel that x[:n.bind(7)] runs."""
    vmin = vmax = expr = None

    def __init__(self, name, min_val, max_val, dtype=None):
        if not isinstance(name, str) or not isinstance(min_val, int) or not isinstance(max_val, int):
            raise TypeError(f"Variable takes a name and two integers, not {name!r}, {min_val!r}, {max_val!r}")
        if min_val > max_val:
            raise ValueError(f"variable {name}: the lower bound {min_val} is above the upper bound {max_val}")
        self.name, self.expr, self.vmin, self.vmax, self.min, self.max, self.dtype = name, name, min_val, max_val, min_val, max_val, dtype

    def __repr__(self): return f"Variable({self.name!r}, {self.vmin}, {self.vmax})"
    def __eq__(self, other):
        return (self.name, self.vmin, self.vmax) == (other.name, other.vmin, other.vmax) if isinstance(other, Variable) else isinstance(other, Unbound) and super().__eq__(other)
    def __hash__(self): return hash(("variable", self.node.node_id)) if self.says_sizes() else hash((self.name, self.vmin, self.vmax))

    def says_sizes(self):
        """Is it a variable that a kernel can take?"""
        return self.vmin < self.vmax and self.name.isascii() and self.name.isidentifier() and fits(self.vmin, self.vmax)

    @property
    def node(self): return _lazyscope.variable(self.name, self.vmin, self.vmax, None) if self.says_sizes() else self._no_value()

    def bind(self, value):
        """The variable with this value, which must be within its bounds."""
        if not isinstance(value, int):
            raise TypeError(f"variable {self.name} is bound to integers, not a {type(value).__name__}")
        if not self.vmin <= value <= self.vmax:
            raise AssertionError(f"bind {value} not in range [{self.vmin}, {self.vmax}] of variable {self.name}")
        value = int(value)
        if not self.says_sizes():
            return value
        bound = BoundVariable(value, _lazyscope.variable(self.name, self.vmin, self.vmax, value))
        bound.variable = self
        return bound

    def _no_value(self, *others): raise no_value(self.name, self.vmin)
    __index__ = __int__ = __float__ = __truediv__ = __mod__ = __pow__ = __lshift__ = __rshift__ = __abs__ = _no_value
    __rfloordiv__ = __rtruediv__ = __rmod__ = __rpow__ = __divmod__ = __rdivmod__ = _no_value


_lazyscope.size_classes(BoundVariable, Unbound)
