"""What the peer's tests ask of a newer torch than Debian's, said with what Debian's has: arguments that were added, dtypes that were, one function."""
import math
import torch

old = {name: getattr(torch.Tensor, name) for name in ("all", "any", "var", "std", "matmul")}
old_std_mean, old_max_pool2d = torch.std_mean, torch.nn.functional.max_pool2d


def over_axes(name):
    """`all` and `any` over several axes."""
    def function(x, axis=None, keepdim=False, **kwargs):
        axis = kwargs.get("dim", axis)
        if axis is None:
            return old[name](x)
        for each in sorted((a % x.ndim for a in (axis if isinstance(axis, tuple) else (axis,))), reverse=True):
            x = old[name](x, each, keepdim)
        return x
    return function


def spread(name):
    """`var` and `std` with a correction and keepdim, with or without axes."""
    def function(x, axis=None, correction=1, keepdim=False):
        axis = tuple(range(x.ndim)) if axis is None else axis
        return old[name](x, axis, correction=correction, keepdim=keepdim)
    return function


def std_mean(x, axis=None, correction=1, keepdim=False):
    axis = tuple(range(x.ndim)) if axis is None else axis
    return old_std_mean(x, axis, correction=correction, keepdim=keepdim)


def matmul(x, y):
    """Products of halves, which this torch has not on a CPU: in float, rounded."""
    return old["matmul"](x.float(), y.float()).half() if x.dtype is torch.half else old["matmul"](x, y)


def max_pool2d(x, *args, **kwargs):
    """Of integers, in double."""
    if x.dtype.is_floating_point:
        return old_max_pool2d(x, *args, **kwargs)
    y = old_max_pool2d(x.double(), *args, **kwargs)
    return (y[0].type(x.dtype), y[1]) if isinstance(y, tuple) else y.type(x.dtype)


def scaled_dot_product_attention(q, k, v, attn_mask=None, is_causal=False, enable_gqa=False):
    """softmax(q kᵀ / √d + mask) v, https://arxiv.org/abs/1706.03762"""
    if is_causal and attn_mask is not None:
        raise RuntimeError("a mask and is_causal exclude each other")
    if enable_gqa:
        k, v = (x.repeat_interleave(q.shape[-3] // x.shape[-3], -3) for x in (k, v))
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
    if is_causal:
        scores = scores.masked_fill(~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(), float("-inf"))
    return (scores if attn_mask is None else scores + attn_mask).softmax(-1) @ v


if not hasattr(torch.nn.functional, "scaled_dot_product_attention"):
    for name in ("all", "any"):
        setattr(torch.Tensor, name, over_axes(name))
    for name in ("var", "std"):
        setattr(torch.Tensor, name, spread(name))
    torch.Tensor.matmul, torch.std_mean = matmul, std_mean
    torch.nn.functional.max_pool2d, torch.nn.functional.scaled_dot_product_attention = max_pool2d, scaled_dot_product_attention
