from _lazyscope import Node, const, nested, tolist, dtypes as _d, realize
class Tensor(Node):
    def __init__(self, data=None, dtype=None):
        self._set(nested(Tensor, data, dtype))
    def reshape(self, *s): return self._reshape(s[0] if isinstance(s[0], tuple) else s)
    def expand(self, *s): return self._expand(s)
    def _broadcasted(self, x):
        if not isinstance(x, Tensor): x = const(Tensor, x, self.dtype)
        x = x.reshape((1,)*self.ndim).expand(*self.shape) if x.ndim == 0 else x
        return self, x
    def add(self, x):
        a, b = self._broadcasted(x)
        return a._binary("ADD", b)
    __add__ = add
    def sum(self): return self._reduce("ADD", tuple(range(self.ndim)))
    def realize(self): realize([self]); return self
    def tolist(self): return tolist(self)
