# Causal attention of two heads: softmax(q kᵀ / √d + mask) v. The mask is made of two ranges that are compared, so it needs no memory: look for it in
# the kernel of the scores.
# kernel: 7
from tinygrad import Tensor

Tensor.manual_seed(2)
heads, length, size = 2, 8, 16
q, k, v = (Tensor.randn(heads, length, size).realize() for _ in "qkv")
mask = Tensor.ones(length, length, dtype="bool").tril()
scores = q @ k.transpose(-2, -1) * size ** -0.5
weights = mask.where(scores, -float("inf")).softmax(-1).realize()
y = weights @ v
print([f"{w:.3f}" for w in weights[0, -1].tolist()])
print(f"{y.sum().item():.4f}")
