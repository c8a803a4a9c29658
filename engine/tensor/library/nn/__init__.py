"""Layers: objects with weights that are called with a tensor. Weights start as torch's do."""
from tinygrad.dtype import dtypes
from tinygrad.helpers import TRAINING, flatten, make_tuple, prod
from tinygrad.tensor import Tensor
from tinygrad.nn import optim, state


class Linear:
    """x · Wᵀ + b.  (…, in) → (…, out)"""
    def __init__(self, in_features, out_features, bias=True):
        bound = in_features ** -0.5
        self.weight = Tensor.uniform(out_features, in_features, low=-bound, high=bound)
        self.bias = Tensor.uniform(out_features, low=-bound, high=bound) if bias else None

    def __call__(self, x): return x.linear(self.weight.transpose(), self.bias)


class Conv2d:
    """A convolution with weights.  (b, in, y, x) → (b, out, y', x'); padding "same" keeps the sizes"""
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True):
        self.kernel_size = make_tuple(kernel_size, 2)
        if isinstance(padding, str):
            if padding.lower() != "same":
                raise ValueError(f"Invalid padding string {padding!r}, only 'same' is supported")
            if stride != 1:
                raise ValueError("padding='same' is not supported for strided convolutions")
            whole = [d * (k - 1) for d, k in zip(make_tuple(dilation, len(self.kernel_size)), self.kernel_size[::-1])]
            padding = tuple(flatten((n // 2, n - n // 2) for n in whole))
        self.stride, self.dilation, self.groups, self.padding = stride, dilation, groups, padding
        bound = (in_channels * prod(self.kernel_size)) ** -0.5
        self.weight = Tensor.uniform(out_channels, in_channels // groups, *self.kernel_size, low=-bound, high=bound)
        self.bias = Tensor.uniform(out_channels, low=-bound, high=bound) if bias else None

    def __call__(self, x): return x.conv2d(self.weight, self.bias, self.groups, self.stride, self.dilation, self.padding)


def Conv1d(in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True):
    """A convolution along one axis."""
    return Conv2d(in_channels, out_channels, (kernel_size,), stride, padding, dilation, groups, bias)


class ConvTranspose2d(Conv2d):
    """A transposed convolution with weights.  (b, in, y, x) → (b, out, y', x')"""
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, dilation=1, groups=1, bias=True):
        super().__init__(in_channels, out_channels, kernel_size, stride, padding, dilation, groups, bias)
        bound = (in_channels * prod(self.kernel_size)) ** -0.5
        self.weight = Tensor.uniform(in_channels, out_channels // groups, *self.kernel_size, low=-bound, high=bound)
        self.output_padding = output_padding

    def __call__(self, x):
        return x.conv_transpose2d(self.weight, self.bias, self.groups, self.stride, self.dilation, self.padding, self.output_padding)


def ConvTranspose1d(in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, dilation=1, groups=1, bias=True):
    """A transposed convolution along one axis."""
    return ConvTranspose2d(in_channels, out_channels, (kernel_size,), stride, padding, output_padding, dilation, groups, bias)


class BatchNorm:
    """(x - mean) / √(variance + eps) · weight + bias for each channel, axis 1; the statistics are the batch's while training, and running ones else.
    https://arxiv.org/abs/1502.03167"""
    def __init__(self, sz, eps=1e-5, affine=True, track_running_stats=True, momentum=0.1):
        self.eps, self.track_running_stats, self.momentum = eps, track_running_stats, momentum
        self.weight = Tensor.ones(sz) if affine else None
        self.bias = Tensor.zeros(sz) if affine else None
        self.num_batches_tracked = Tensor.zeros(dtype=dtypes.int64).is_param_(False)
        if track_running_stats:
            self.running_mean, self.running_var = Tensor.zeros(sz).is_param_(False), Tensor.ones(sz).is_param_(False)

    def calc_stats(self, x):
        """(mean, variance) of each channel"""
        shape = (1, -1) + (1,) * (x.ndim - 2)
        if self.track_running_stats and not TRAINING:
            return self.running_mean, self.running_var.reshape(shape)
        axes = tuple([axis for axis in range(x.ndim) if axis != 1])
        mean = x.mean(axes)
        y = x - mean.detach().reshape(shape)      # the variance does not change with the mean
        return mean, (y * y).mean(axes)

    def __call__(self, x):
        mean, variance = self.calc_stats(x)
        if self.track_running_stats and TRAINING:
            m, n = self.momentum, x.numel()
            self.running_mean.assign((1 - m) * self.running_mean + m * mean.detach())
            self.running_var.assign((1 - m) * self.running_var + m * n / (n - x.shape[1]) * variance.detach())
            self.num_batches_tracked += 1
        return x.batchnorm(self.weight, self.bias, mean, variance.add(self.eps).rsqrt())


BatchNorm2d = BatchNorm3d = BatchNorm


class GroupNorm:
    """Each group of channels normalized.  https://arxiv.org/abs/1803.08494"""
    def __init__(self, num_groups, num_channels, eps=1e-5, affine=True):
        if num_groups < 1 or num_channels % num_groups:
            raise ValueError(f"GroupNorm: {num_channels} channels are no {num_groups} groups")
        self.num_groups, self.num_channels, self.eps = num_groups, num_channels, eps
        self.weight = Tensor.ones(num_channels) if affine else None
        self.bias = Tensor.zeros(num_channels) if affine else None

    def __call__(self, x):
        x = x.reshape(x.shape[0], self.num_groups, -1).layernorm(eps=self.eps).reshape(x.shape)
        if self.weight is None or self.bias is None:
            return x
        shape = (1, -1) + (1,) * (x.ndim - 2)
        return x * self.weight.reshape(shape) + self.bias.reshape(shape)


class InstanceNorm(GroupNorm):
    """Each channel normalized separately.  https://arxiv.org/abs/1607.08022"""
    def __init__(self, num_features, eps=1e-5, affine=True):
        super().__init__(num_features, num_features, eps, affine)
        self.num_features = num_features


class LayerNorm:
    """The last axes normalized.  https://arxiv.org/abs/1607.06450"""
    def __init__(self, normalized_shape, eps=1e-5, elementwise_affine=True):
        self.normalized_shape = make_tuple(normalized_shape, 1)
        self.axis, self.eps = tuple([-1 - i for i in range(len(self.normalized_shape))]), eps
        self.weight = Tensor.ones(*self.normalized_shape) if elementwise_affine else None
        self.bias = Tensor.zeros(*self.normalized_shape) if elementwise_affine else None

    def __call__(self, x):
        if self.normalized_shape != x.shape[-len(self.normalized_shape):]:
            raise AssertionError(f"last dimensions of {x.shape} must match {self.normalized_shape}")
        x = x.layernorm(eps=self.eps, axis=self.axis)
        return x if self.weight is None or self.bias is None else x * self.weight + self.bias


class LayerNorm2d(LayerNorm):
    """The channels, axis 1, normalized at each pixel.  (b, c, y, x) → (b, c, y, x)"""
    def __call__(self, x): return super().__call__(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class RMSNorm:
    """x / √(mean x² + eps) · weight along the last axis.  https://arxiv.org/abs/1910.07467"""
    def __init__(self, dim, eps=1e-6, elementwise_affine=True):
        self.eps = eps
        self.weight = Tensor.ones(dim) if elementwise_affine else None

    def _norm(self, x): return x * (x.square().mean(-1, keepdim=True) + self.eps).rsqrt()

    def __call__(self, x):
        x = self._norm(x.float()).cast(x.dtype)
        return x if self.weight is None else x * self.weight


class Embedding:
    """A row of a table for each index: the rows, each where its number is the index, summed.  (…) → (…, embed_size)"""
    def __init__(self, vocab_size, embed_size):
        self.vocab_sz, self.embed_sz = vocab_size, embed_size
        self.weight = Tensor.glorot_uniform(vocab_size, embed_size)

    def __call__(self, idx):
        if not idx.dtype.is_int:
            raise TypeError(f"Expected integer dtype for index in embedding, got {idx.dtype}")
        rows = Tensor.arange(self.weight.shape[0]).eq(idx.unsqueeze(-1)).unsqueeze(-1)
        return rows.where(self.weight, 0).sum(-2, dtype=self.weight.dtype)


class LSTMCell:
    """One step of a long short-term memory: c' = σ(f) c + σ(i) tanh(g), h' = σ(o) tanh(c').  https://www.bioinf.jku.at/publications/older/2604.pdf"""
    def __init__(self, input_size, hidden_size, bias=True):
        bound = hidden_size ** -0.5
        self.weight_ih = Tensor.uniform(hidden_size * 4, input_size, low=-bound, high=bound)
        self.weight_hh = Tensor.uniform(hidden_size * 4, hidden_size, low=-bound, high=bound)
        self.bias_ih = Tensor.zeros(hidden_size * 4) if bias else None
        self.bias_hh = Tensor.zeros(hidden_size * 4) if bias else None

    def __call__(self, x, hc=None):
        if hc is None:
            hc = (Tensor.zeros(x.shape[0], self.weight_hh.shape[1], dtype=x.dtype, buffer=False),) * 2
        gates = x.linear(self.weight_ih.T, self.bias_ih) + hc[0].linear(self.weight_hh.T, self.bias_hh)
        i, f, g, o = gates.chunk(4, dim=1)
        c = f.sigmoid() * hc[1] + i.sigmoid() * g.tanh()
        return o.sigmoid() * c.tanh(), c


def __getattr__(name):
    if name == "datasets":
        import tinygrad.nn.datasets as datasets
        return datasets
    if name[:2] == "__":
        raise AttributeError(name)
    from tinygrad.helpers import missing
    raise missing("tinygrad.nn", name, globals())
