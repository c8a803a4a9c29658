# Attention of two heads: softmax(q kᵀ / √d) v. The scaling is fused into the kernel of the scores, the softmax takes a maximum, a sum and a division;
# follow a line of the scores' kernel back to the product that it comes from.
# kernel: 7
from tinygrad import Tensor

Tensor.manual_seed(2)
heads, length, size = 2, 8, 16
q, k, v = (Tensor.randn(heads, length, size).realize() for _ in "qkv")
weights = (q @ k.transpose(-2, -1) * size ** -0.5).softmax(-1).realize()
y = weights @ v
print([f"{w:.3f}" for w in weights[0, -1].tolist()])
print(f"{y.sum().item():.4f}")
