"""Symbolic sizes: a variable with bounds, and one bound to a value.

There are no symbolic kernels: a bound variable is its value, so that shapes, slices and arithmetic are those of that number, and another value makes
other kernels. A variable that is not bound is an error wherever a number or a size is wanted.
"""


class Variable:
    """An integer between two bounds, Variable("n", 1, 10); `bind` gives it a value, which it then stands for: kernels are made for that value, not for all."""
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
        bound = BoundVariable(value)
        bound.variable, bound.val = self, int(value)
        return bound

    def _no_value(self, *others): raise TypeError(f"variable {self.name} has no value: bind it")
    __index__ = __int__ = __float__ = __neg__ = __add__ = __sub__ = __mul__ = __floordiv__ = __truediv__ = __mod__ = __pow__ = _no_value
    __lt__ = __gt__ = __le__ = __ge__ = __lshift__ = __rshift__ = _no_value

    __radd__ = __rsub__ = __rmul__ = __rfloordiv__ = __rtruediv__ = __rmod__ = _no_value


class BoundVariable(int):
    """A variable's value: an int wherever a number or a size is wanted."""
    def unbind(self): return self.variable, self.val
    @property
    def vmin(self): return self.variable.vmin
    @property
    def vmax(self): return self.variable.vmax
    @property
    def dtype(self): return self.variable.dtype
    @property
    def expr(self): return self.variable.expr
