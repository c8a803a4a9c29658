from tinygrad import Tensor
w = Tensor([[0.5, 1.0], [2.0, 3.0]], requires_grad=True)
(w > 0).where(w * 2, w * w).sum().backward()
print(w.grad.tolist())
