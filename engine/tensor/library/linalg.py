"""Products of matrices, and factorizations built on them."""
from tinygrad.dtype import dtypes, least_upper_dtype, to_dtype
from tinygrad.helpers import argfix, argsort, merge_dicts
from tinygrad.movement import check_tensors

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


class EinsumError(ValueError, RuntimeError):
    """A formula that does not fit its operands."""


class LinearAlgebra:
    __slots__ = ()

    def dot(self, w, dtype=None):
        """Σₖ x[…, i, k] · w[…, k, j]: rows of x and columns of w are laid along one axis, multiplied and summed.  (m, k) · (k, n) → (m, n)"""
        check_tensors("matmul", w)
        x, dx, dw = self, self.ndim, w.ndim
        if not dx or not dw:
            raise RuntimeError(f"matmul: shapes {x.shape} and {w.shape}: both need at least one axis")
        axis_w = -min(dw, 2)
        if x.shape[-1] != w.shape[axis_w]:
            raise RuntimeError(f"matmul: shapes {x.shape} and {w.shape} do not fit: {x.shape[-1]} columns against {w.shape[axis_w]} rows")
        ones = (1,) * min(dx - 1, dw - 1, 1)
        x = x.reshape(x.shape[:-1] + ones + x.shape[-1:])
        w = w.reshape(w.shape[:-2] + ones + w.shape[axis_w:]).transpose(-1, axis_w)
        return (x * w).sum(-1, dtype=dtype).cast(least_upper_dtype(x.dtype, w.dtype) if dtype is None else dtype)

    def matmul(self, x, reverse=False, dtype=None):
        """The matrix product, of `reverse` x with self."""
        check_tensors("matmul", x)
        return x.dot(self, dtype=dtype) if reverse else self.dot(x, dtype=dtype)

    def __matmul__(self, x): return self.matmul(x)
    def __rmatmul__(self, x): return self.matmul(x, True)

    def linear(self, weight, bias=None, dtype=None):
        """x · weight + bias"""
        if dtype is not None:
            return self.cast(dtype).linear(weight.cast(dtype), bias if bias is None else bias.cast(dtype))
        x = self.mul(weight) if weight.ndim == 1 else self.dot(weight)
        return x if bias is None else x.add(bias)

    @classmethod
    def einsum(cls, formula, *operands, dtype=None):
        """Products summed over the letters that the right side leaves out: "ij,jk->ik" is the matrix product.
        As https://pytorch.org/docs/stable/generated/torch.einsum.html"""
        tensors, formula = list(argfix(*operands)), str(formula).replace(" ", "")
        check_tensors("einsum", *tensors)
        left, arrow, right = formula.partition("->")
        inputs = left.split(",")
        if len(tensors) != len(inputs):
            raise ValueError(f"number of operands doesn't match, expected {len(inputs)}, got {len(tensors)}")
        if not arrow:
            right = "..." * ("..." in left) + "".join(sorted(c for c in set(left) if c.isalpha() and left.count(c) == 1))
        free = [c for c in LETTERS if c not in formula]
        dots = [t.ndim - len(names) + 3 if "..." in names else 0 for names, t in zip(inputs, tensors)]
        inputs = [names.replace("...", "".join(free[max(dots) - n:max(dots)])) for names, n in zip(inputs, dots)]
        right = right.replace("...", "".join(free[:max(dots)]))
        for i, (names, t) in enumerate(zip(inputs, tensors)):
            if len(names) != t.ndim:
                raise EinsumError(f"einsum: {names!r} names {len(names)} axes, and the shape is {t.shape}")
            for c in sorted(set(names)):
                while names.count(c) > 1:      # a letter twice: the diagonal
                    j = names.index(c)
                    k = names.index(c, j + 1)
                    t, names = t.diagonal(0, j, k), names[:j] + names[j + 1:k] + names[k + 1:] + c
            inputs[i], tensors[i] = names, t
        if any(c not in left and c not in free for c in right) or len(set(right)) != len(right):
            raise EinsumError(f"einsum: the right side of {formula!r} names axes that are not on the left, or one twice")
        sizes = merge_dicts([dict(zip(names, t.shape)) for names, t in zip(inputs, tensors)])
        letters = sorted(sizes)
        tensors = [t.permute([names.index(c) for c in sorted(names)]).reshape(tuple([sizes[c] if c in names else 1 for c in letters]))
                   for names, t in zip(inputs, tensors)]
        x = tensors[0].uprod(*tensors[1:])
        return x.sum(tuple([i for i, c in enumerate(letters) if c not in right]), dtype=dtype).permute(argsort(argsort(list(right))))

    def _check_matrix(self, what):
        if self.ndim < 2:
            raise AssertionError(f"{what}: expected two or more dimensions, got shape {self.shape}")

    def newton_schulz(self, steps, params, eps=1.0e-7):
        """An odd polynomial applied again and again: X ← Σᵢ pᵢ (XXᵀ)ⁱ X, from X / (‖X‖ + eps)."""
        self._check_matrix("newton_schulz")
        if not params:
            raise ValueError("newton_schulz: the polynomial has no coefficients")
        if self.shape[-2] > self.shape[-1]:
            return self.transpose(-2, -1).newton_schulz(steps, params, eps).transpose(-2, -1)
        x = self / (self.square().sum((-2, -1), keepdim=True).sqrt() + eps)
        for _ in range(steps):
            square, power, total = x @ x.transpose(-2, -1), x, params[0] * x
            for p in params[1:]:
                power = square @ power
                total = total + p * power
            x = total
        return x

    def qr(self):
        """(Q, R) with QR = x, Q orthogonal, R upper triangular, by Householder reflections.  (…, m, n) → (…, m, m), (…, m, n)
        https://en.wikipedia.org/wiki/QR_decomposition#Using_Householder_reflections"""
        self._check_matrix("qr")
        outer, m, n = self.shape[:-2], self.shape[-2], self.shape[-1]
        r, q, at = self, type(self).eye(m, dtype=self.dtype).expand(outer + (m, m)), type(self).arange(m)
        for i in range(min(m, n)):
            here, x = at.eq(i), (at >= i).where(r[..., :, i], 0)
            norm = x.square().sum(-1, keepdim=True).sqrt()
            head = here.where(x, 0).sum(-1, keepdim=True)
            sign, active = head.ne(0).where(head.sign(), 1), norm.ne(0)
            u = head + sign * norm      # away from zero, so that nothing cancels
            v = (here.where(u, x) / active.where(u, 1)).unsqueeze(-1)
            w = active.where(sign * u / active.where(norm, 1), 0).unsqueeze(-1) * v
            r = r - w @ (v.transpose(-2, -1) @ r)
            q = q - (q @ v) @ w.transpose(-2, -1)
        return q, r

    def svd(self, full_matrices=True):
        """(U, S, Vᵀ) with U · diag(S) · Vᵀ = x, by one-sided Jacobi rotations of the columns of R of a QR decomposition.
        All pairs of columns meet once a sweep, as in a round-robin tournament. https://www.netlib.org/lapack/lawnspdf/lawn169.pdf"""
        self._check_matrix("svd")
        cls, outer, m, n = type(self), self.shape[:-2], self.shape[-2], self.shape[-1]
        q, r = (self if m >= n else self.transpose(-2, -1)).qr()
        k, big, h = min(m, n), max(m, n), min(m, n) // 2
        u = r[..., :k, :k].contiguous()
        identity = cls.eye(k, dtype=self.dtype).expand(outer + (k, k))
        v = identity.contiguous()
        order = list(range(h)) + list(range(k - 1, h - 1, -1))
        for _ in range(4 * k if h else 0):
            left = cls([[float(row == order[i]) for i in range(h)] for row in range(k)], dtype=self.dtype)          # columns that meet
            right = cls([[float(row == order[h + i]) for i in range(h)] for row in range(k)], dtype=self.dtype)
            a, b = u @ left, u @ right
            alpha, beta, gamma = a.square().sum(-2, keepdim=True), b.square().sum(-2, keepdim=True), (a * b).sum(-2, keepdim=True)
            rotate = gamma.ne(0)
            tau = (beta - alpha) / (2 * rotate.where(gamma, 1))
            t = rotate.where(tau.ne(0).where(tau.sign(), 1) / (tau.abs() + (1 + tau.square()).sqrt()), 0)
            c = 1 / (1 + t.square()).sqrt()
            s = c * t
            lt, rt = left.transpose(), right.transpose()
            turn = identity + (left * (c - 1)) @ lt + (right * (c - 1)) @ rt + (left * s) @ rt - (right * s) @ lt
            u, v = (u @ turn).contiguous(), (v @ turn).contiguous()
            order = [(i - 1) % k for i in order] if k % 2 else order[:1] + [(i - 2) % (k - 1) + 1 for i in order[1:]]
        s, index = u.square().sum(-2).sqrt().sort(-1, descending=True)
        index = index.unsqueeze(-2).expand(outer + (k, k))
        u, v = u.gather(-1, index) / s.ne(0).where(s, 1).unsqueeze(-2), v.gather(-1, index)
        pad = ((0, 0),) * len(outer) + ((0, big - k), (0, big - k))
        u = q @ (u.pad(pad) + cls.eye(big, dtype=u.dtype) - cls.eye(k, dtype=u.dtype).pad(pad[len(outer):]))
        if not full_matrices:
            u = u[..., :k]
        return (u, s, v.transpose(-2, -1)) if m >= n else (v, s, u.transpose(-2, -1))

    def scaled_dot_product_attention(self, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, enable_gqa=False):
        """softmax(Q Kᵀ / √d + mask) V, https://arxiv.org/abs/1706.03762
        A mask of bools forbids where it is False; enable_gqa: a key serves several queries."""
        if enable_gqa:
            key, value = (x.repeat_interleave(self.shape[-3] // x.shape[-3], dim=-3) for x in (key, value))
        scores = self.matmul(key.transpose(-2, -1), dtype=least_upper_dtype(self.dtype, key.dtype, dtypes.float32)) / self.shape[-1] ** 0.5
        if is_causal:
            if attn_mask is not None:
                raise RuntimeError("cannot set attn_mask when is_causal=True")
            attn_mask = scores.const_like(True, dtypes.bool).tril()
        if attn_mask is not None:
            scores = scores + (attn_mask.where(0, -float("inf")) if attn_mask.dtype.is_bool else attn_mask)
        return scores.cast(self.dtype).softmax(-1).dropout(dropout_p) @ value
