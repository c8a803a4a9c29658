"""Optimizers change parameters by their gradients. SGD and Muon are cases of LARS, Adam and AdamW of LAMB."""
from tinygrad.dtype import dtypes, least_upper_dtype, to_dtype
from tinygrad.helpers import FUSE_OPTIM, TRAINING, dedup, flatten, getenv, unwrap
from tinygrad.tensor import Tensor


class Optimizer:
    """Holds the parameters and the learning rate; `step` changes the parameters. A parameter whose is_param is cleared is only realized."""
    def __init__(self, params, lr, device=None, fused=FUSE_OPTIM):
        if lr < 0:
            raise ValueError(f"Invalid learning rate: {lr}")
        self.params = dedup([x for x in params if x.is_param])
        if not self.params:
            raise AssertionError("optimizer must have at least one param")
        self.buffers = dedup([x for x in params if not x.is_param])
        self.device, self.fused, self.param_dtype = device or self.params[0].device, bool(fused), to_dtype(getenv("OPTIM_DTYPE", "float32"))
        self.lr = Tensor(lr if getenv("CONST_LR") else [lr], dtype=least_upper_dtype(dtypes.default_float, dtypes.float32))
        self.ends = [sum(t.numel() for t in self.params[:i]) for i in range(len(self.params) + 1)]

    def _new_optim_param(self):
        """Zeros for each parameter; of a fused optimizer, for all of them in a row."""
        shapes = [(self.ends[-1],)] if self.fused else [t.shape for t in self.params]
        return [Tensor.zeros(shape, dtype=self.param_dtype).is_param_(False) for shape in shapes]

    def zero_grad(self):
        """Forgets the gradients."""
        for t in self.params:
            t.grad = None

    def step(self):
        """Changes the parameters by their gradients once."""
        Tensor.realize(*self.schedule_step())

    def schedule_step(self):
        """The tensors to realize for one step."""
        if not TRAINING:
            raise RuntimeError(f"TRAINING={TRAINING.value}, TRAINING must be enabled to use the optimizer: `with Context(TRAINING=1):` around step(), or Tensor.training = True")
        if self.fused:
            whole, extra = self._step([Tensor.cat(*[t.flatten() for t in self.params])],
                                      [Tensor.cat(*[unwrap(t.grad).contiguous().flatten() for t in self.params])])
            updates = [whole[0][begin:end].reshape(t.shape) for t, begin, end in zip(self.params, self.ends, self.ends[1:])]
        else:
            updates, extra = self._step(self.params, [unwrap(t.grad) for t in self.params])
        for t, update in zip(self.params, updates):
            t.assign(self._apply_update(t, update))
        return extra + self.params + self.buffers

    def _step(self, params, grads): raise NotImplementedError
    def _apply_update(self, t, update): return t.detach() - update


class OptimizerGroup(Optimizer):
    """Several optimizers as one."""
    def __init__(self, *optimizers):
        self.optimizers = optimizers
        self.params, self.buffers = flatten(o.params for o in optimizers), flatten(o.buffers for o in optimizers)

    def __getitem__(self, i): return self.optimizers[i]

    def zero_grad(self):
        for o in self.optimizers:
            o.zero_grad()

    def schedule_step(self): return [x for o in self.optimizers for x in o.schedule_step()]


def SGD(params, lr=0.001, momentum=0.0, weight_decay=0.0, nesterov=False, classic=False, device=None, fused=FUSE_OPTIM):
    """Stochastic gradient descent: b ← momentum · b + g, t ← t - lr · b; classic: the learning rate is in b."""
    return LARS(params, lr, momentum, weight_decay, 0, None, nesterov, classic=classic, pre_wd=True, tcoef=0.0, device=device, fused=fused)


def Muon(params, lr=0.001, momentum=0.95, weight_decay=0.1, ns_steps=5, ns_coefficients=(3.4445, -4.775, 2.0315), nesterov=True, device=None,
         fused=FUSE_OPTIM):
    """Gradient descent with the momentum made orthogonal by Newton-Schulz steps.  https://kellerjordan.github.io/posts/muon/"""
    if fused:
        raise AssertionError("FUSE_OPTIM not allowed for Muon optimizer")
    return LARS(params, lr, momentum, weight_decay, ns_steps, ns_coefficients, nesterov, classic=False, pre_wd=False, tcoef=0.0, device=device, fused=fused)


class LARS(Optimizer):
    """Layer-wise adaptive rates: the step of each parameter is scaled by ‖t‖ / (‖g‖ + decay · ‖t‖).  https://arxiv.org/abs/1708.03888"""
    def __init__(self, params, lr=0.001, momentum=0.9, weight_decay=1e-4, ns_steps=0, ns_coefficients=None, nesterov=False, classic=True, pre_wd=True,
                 tcoef=0.001, device=None, fused=FUSE_OPTIM):
        if momentum < 0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        super().__init__(params, lr, device, fused)
        self.momentum, self.wd, self.ns_steps, self.ns_coefficients = momentum, weight_decay, ns_steps, ns_coefficients
        self.nesterov, self.classic, self.pre_wd, self.tcoef = nesterov, classic, pre_wd, tcoef
        self.b = self._new_optim_param() if momentum else []

    def _ratio(self, t, g):
        if self.tcoef == 0:
            return 1.0
        length, slope = t.detach().square().sum().sqrt(), g.square().sum().sqrt()
        return (length > 0).where((slope > 0).where(self.tcoef * length / (slope + self.wd * length), 1.0), 1.0)

    def _step(self, params, grads):
        updates = []
        for i, (t, g) in enumerate(zip(params, grads)):
            rate = self._ratio(t, g) * self.lr
            if self.pre_wd and self.wd > 0:
                g = g + self.wd * t.detach()
            if self.classic:
                g = g * rate
            if self.momentum:
                self.b[i].assign(self.momentum * self.b[i] + g)
                g = g + self.momentum * self.b[i] if self.nesterov else self.b[i]
            if self.ns_coefficients:
                g = g.reshape(g.shape[0], -1).newton_schulz(self.ns_steps, self.ns_coefficients).reshape(g.shape)
            if not self.classic:
                g = g * rate
            if not self.pre_wd and self.wd > 0:
                g = g + self.wd * self.lr * t.detach()
            updates.append(g.cast(t.dtype))
        return updates, self.b


def Adam(params, lr=0.001, b1=0.9, b2=0.999, eps=1e-8, device=None, fused=FUSE_OPTIM):
    """Steps along running means of the gradient, divided by the root of those of its square.  https://arxiv.org/abs/1412.6980"""
    return LAMB(params, lr, b1, b2, eps, 0.0, adam=True, device=device, fused=fused)


def AdamW(params, lr=0.001, b1=0.9, b2=0.999, eps=1e-8, weight_decay=0.01, device=None, fused=FUSE_OPTIM):
    """Adam with the parameters decaying.  https://arxiv.org/abs/1711.05101"""
    return LAMB(params, lr, b1, b2, eps, weight_decay, adam=True, device=device, fused=fused)


class LAMB(Optimizer):
    """Adam with the step of each parameter scaled by ‖t‖ / ‖step‖.  https://arxiv.org/abs/1904.00962"""
    def __init__(self, params, lr=0.001, b1=0.9, b2=0.999, eps=1e-6, weight_decay=0.0, adam=False, device=None, fused=FUSE_OPTIM):
        if weight_decay < 0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        super().__init__(params, lr, device, fused)
        self.b1, self.b2, self.eps, self.wd, self.adam = b1, b2, eps, weight_decay, adam
        self.b1_t, self.b2_t = (Tensor.ones((1,), dtype=dtypes.float32).is_param_(False) for _ in range(2))
        self.m, self.v = self._new_optim_param(), self._new_optim_param()

    def _step(self, params, grads):
        updates = []
        self.b1_t *= self.b1
        self.b2_t *= self.b2
        for t, g, m, v in zip(params, grads, self.m, self.v):
            m.assign((self.b1 * m + (1.0 - self.b1) * g).cast(m.dtype))
            v.assign((self.b2 * v + (1.0 - self.b2) * (g * g)).cast(v.dtype))
            update = (m / (1.0 - self.b1_t)) / ((v / (1.0 - self.b2_t)).sqrt() + self.eps) + self.wd * t.detach()
            ratio = 1.0
            if not self.adam:
                length, step = t.detach().square().sum().sqrt(), update.square().sum().sqrt()
                ratio = (length > 0).where((step > 0).where(length / step, 1.0), 1.0)
            updates.append((self.lr * ratio * update).cast(t.dtype))
        return updates, [self.b1_t, self.b2_t] + self.m + self.v
