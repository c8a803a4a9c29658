"""Losses. `reduction` is "mean", "sum" or "none"."""
from tinygrad.dtype import dtypes


class Losses:
    __slots__ = ()

    def _do_reduction(self, reduction="mean"):
        if reduction not in ("mean", "sum", "none"):
            raise ValueError(f"reduction={reduction!r} must be one of ('mean', 'sum', 'none')")
        return self if reduction == "none" else self.sum() if reduction == "sum" else self.mean()

    def binary_crossentropy(self, Y, reduction="mean"):
        """-y ln p - (1 - y) ln(1 - p), self being p"""
        return (-Y * self.log() - (1 - Y) * (1 - self).log())._do_reduction(reduction)

    def binary_crossentropy_logits(self, Y, reduction="mean", pos_weight=None):
        """Binary cross-entropy of p = σ(x), with weighted positive examples."""
        positive = Y * self.logsigmoid()
        if pos_weight is not None:
            positive = pos_weight * positive
        return (-(positive + (1 - Y) * (-self).logsigmoid()))._do_reduction(reduction)

    def sparse_categorical_crossentropy(self, Y, ignore_index=-1, label_smoothing=0.0, reduction="mean"):
        """-ln softmax(x)[y], the classes along the last axis; labels equal to ignore_index do not count."""
        if not 0.0 <= label_smoothing <= 1.0:
            raise AssertionError("label_smoothing must be in [0.0, 1.0]")
        logs = self.log_softmax()
        counted = Y.ne(ignore_index) if ignore_index != -1 else Y.const_like(True, dtypes.bool)
        y = Y.unsqueeze(-1)._one_hot_along_dim(self.shape[-1]) * counted.unsqueeze(-1)
        loss = (1 - label_smoothing) * (logs * y).sum(-1) + label_smoothing * (logs.mean(-1) * counted)
        return -loss.sum() / counted.sum() if reduction == "mean" else -loss._do_reduction(reduction)

    def cross_entropy(self, Y, reduction="mean", label_smoothing=0.0):
        """-Σ y ln softmax(x) over the classes, axis 1; Y are labels, or probabilities of x's shape."""
        if not 0.0 <= label_smoothing <= 1.0:
            raise AssertionError("label_smoothing must be in [0.0, 1.0]")
        axis = 0 if self.ndim == 1 else 1
        if self.shape != Y.shape:
            if self.shape[:axis] + self.shape[axis + 1:] != Y.shape:
                raise RuntimeError(f"cross_entropy: shape mismatch: labels {Y.shape} for {self.shape}")
            Y = Y.unsqueeze(axis)._one_hot_along_dim(self.shape[axis], axis)
        Y = (1 - label_smoothing) * Y + label_smoothing / Y.shape[axis]
        return -self.log_softmax(axis).mul(Y).sum(axis)._do_reduction(reduction)

    def nll_loss(self, Y, weight=None, ignore_index=None, reduction="mean"):
        """-x[y], x being logarithms of probabilities with the classes along axis 1; weight is one number a class."""
        weight = Y.const_like(1) if weight is None else weight.gather(0, Y.flatten()).reshape(Y.shape)
        if ignore_index is not None:
            weight = weight * Y.ne(ignore_index)
        loss = -self.gather(1, Y.unsqueeze(1)).squeeze(1) * weight
        return loss.sum() / weight.sum() if reduction == "mean" else loss._do_reduction(reduction)
