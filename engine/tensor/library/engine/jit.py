"""`TinyJit` under its older name."""
from tinygrad.jit import JitError, TinyJit
