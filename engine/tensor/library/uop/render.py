"""Graphs as text, under the name that tinygrad's module has."""
from tinygrad.uop.ops import pyrender      # noqa: F401
