"""`TinyJit`: a function of tensors that programs mark for replay. Here every call runs the function, so that every call can be followed, and its results are
realized. So values are those of the function: numbers and branches are not frozen at the second call, and a function that cannot be replayed is not an error.
"""
from _lazyscope import Node, note


class JitError(Exception):
    """Arguments that a jitted function cannot have."""


class TinyJit:
    """Calls the function, and realizes the tensors it returns."""
    def __init__(self, fxn=None, captured=None, prune=False, optimize=False):
        self.fxn, self.cnt, self.captured, self.jit_cache, self.prune = fxn, 0, None, [], prune
        self.__name__, self.__doc__ = getattr(fxn, "__name__", "TinyJit"), getattr(fxn, "__doc__", None)

    def reset(self):
        """Resets the number of calls."""
        self.cnt = 0

    def __get__(self, instance, owner):
        """As a method, it is called with the instance as first argument."""
        from functools import partial
        return self if instance is None else partial(self, instance)

    def __call__(self, *args, **kwargs):
        note("TinyJit calls its function each time; it does not capture, so that every call can be followed")
        tensors = list(tensors_of(args)) + list(tensors_of(kwargs))
        if tensors:
            tensors[0].realize(*tensors[1:])
        result = self.fxn(*args, **kwargs)
        tensors = list(tensors_of(result))
        if tensors:
            tensors[0].realize(*tensors[1:])
        self.cnt += 1
        return result


def tensors_of(value):
    """The tensors in nested lists, tuples and dicts."""
    if isinstance(value, Node):
        yield value
    elif isinstance(value, (list, tuple, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from tensors_of(item)
