"""Tensors in Python: programs say `from tinygrad import Tensor`."""
from tinygrad.device import Device
from tinygrad.dtype import dtypes
from tinygrad.helpers import Context, GlobalCounters, fetch, getenv, missing
from tinygrad.jit import TinyJit
from tinygrad.tensor import Tensor
from tinygrad.variable import Variable


def function(wrapped=None, **options):
    """A decorator without effect: functions of tensors are recorded directly."""
    return wrapped if wrapped is not None else lambda wrapped: wrapped


def __getattr__(name):
    if name == "nn":
        import tinygrad.nn as nn
        return nn
    if name == "UOp":
        from tinygrad.uop.ops import UOp
        return UOp
    if name[:2] == "__":
        raise AttributeError(name)
    raise missing("tinygrad", name, [*globals(), "nn", "UOp"])
