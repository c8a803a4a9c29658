"""Functions and activations composed of the elementwise ops. A&S: Abramowitz and Stegun, Handbook of Mathematical Functions."""
import math
from tinygrad.dtype import dtypes, least_upper_dtype, least_upper_float
from tinygrad.helpers import polyN


class Functions:
    __slots__ = ()

    def _in_float(self):
        """In float32 at least: a factor such as 1/ln 2 must not be rounded to half."""
        return self._as_float().cast(least_upper_dtype(least_upper_float(self.dtype), dtypes.float32))

    def _as_float(self):
        """Integers as floats, so that they do not wrap when they are negated or subtracted."""
        return self.cast(least_upper_float(self.dtype))

    # Exponentials and logarithms.

    def exp(self):
        """eˣ = 2^(x / ln 2)"""
        return self._in_float().mul(1 / math.log(2)).exp2().cast(least_upper_float(self.dtype))

    def log(self):
        """The natural logarithm, log₂ x · ln 2"""
        return self.log2() * math.log(2)

    def log10(self):
        """The logarithm to base 10, log₂ x · log₁₀ 2"""
        return self.log2() * math.log10(2)

    # Trigonometry.

    def cos(self):
        """cos x = 1 - 2 sin²(x/2); halving is exact, π/2 - x would lose a large x's phase"""
        return (1.0 - 2.0 * (self._in_float() * 0.5).sin().square()).cast(least_upper_float(self.dtype))

    def tan(self):
        """tan x = 2 sin² x / sin 2x: doubling is exact, and nothing cancels near the poles; x itself where sin 2x is 0"""
        x = self._in_float()
        below = (x * 2.0).sin()
        zero = below.eq(0.0)
        return zero.where(x, 2.0 * x.sin().square() / zero.where(1.0, below)).cast(least_upper_float(self.dtype))

    def asin(self):
        """sign(x) · (π/2 - √(1 - |x|) · p(|x|)), A&S 4.4.46"""
        a = self.abs()
        p = polyN(a, [-0.0012624911, 0.0066700901, -0.0170881256, 0.0308918810, -0.0501743046, 0.0889789874, -0.2145988016, 1.5707963050])
        return self.sign() * (math.pi / 2 - (1.0 - a).sqrt() * p)

    def acos(self):
        """π/2 - asin x"""
        return math.pi / 2 - self.asin()

    def atan(self):
        """asin(x / √(1 + x²))"""
        return (self / (1 + self * self).sqrt()).asin()

    def sinh(self):
        """(eˣ - e⁻ˣ) / 2"""
        return (self.exp() - self._as_float().neg().exp()) / 2

    def cosh(self):
        """(eˣ + e⁻ˣ) / 2"""
        return (self.exp() + self._as_float().neg().exp()) / 2

    def tanh(self):
        """2 σ(2x) - 1"""
        return 2.0 * (2.0 * self).sigmoid() - 1.0

    def asinh(self):
        """ln(x + √(x² + 1))"""
        return (self + (self.square() + 1).sqrt()).log()

    def acosh(self):
        """ln(x + √(x² - 1))"""
        return (self + (self._as_float().square() - 1).sqrt()).log()

    def atanh(self):
        """ln((1 + x) / (1 - x)) / 2"""
        return ((1 + self) / (1 - self._as_float())).log() / 2

    def erf(self):
        """The error function: sign(x) · (1 - t·p(t)·e^(-x²)), t = 1 / (1 + 0.3275911·|x|), A&S 7.1.26"""
        t = 1.0 / (1.0 + 0.3275911 * self.abs())
        p = polyN(t, [1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592])
        return self.sign() * (1.0 - t * p * (-self._as_float().square()).exp())

    # Activations.

    def sigmoid(self):
        """σ(x) = 1 / (1 + e⁻ˣ)"""
        return (1 + (self * (-1 / math.log(2))).exp2()).reciprocal()

    def logsigmoid(self):
        """ln σ(x) = -softplus(-x)"""
        return -(-self._as_float()).softplus()

    def relu(self):
        """x where it is positive, else 0"""
        return (self > 0).where(self, 0)

    def relu6(self):
        """relu(x) - relu(x - 6), https://arxiv.org/abs/1704.04861"""
        return self.relu() - (self - 6).relu()

    def leaky_relu(self, neg_slope=0.01):
        """x where it is not negative, else neg_slope · x"""
        return (self < 0).where(neg_slope * self, self)

    def elu(self, alpha=1.0):
        """relu(x) - α · relu(1 - eˣ), https://arxiv.org/abs/1511.07289"""
        return self.relu() - alpha * (1 - self.exp()).relu()

    def celu(self, alpha=1.0):
        """max(x, 0) + min(α (e^(x/α) - 1), 0), https://arxiv.org/abs/1704.07483"""
        return self.maximum(0) + (alpha * ((self / alpha).exp() - 1)).minimum(0)

    def selu(self, alpha=1.67326, gamma=1.0507):
        """γ · (x where it is not negative, else α (eˣ - 1)), https://arxiv.org/abs/1706.02515"""
        return gamma * (self >= 0).where(self, alpha * (self.exp() - 1))

    def swish(self):
        """x · σ(x), https://arxiv.org/abs/1710.05941"""
        return self * self.sigmoid()

    def silu(self):
        """The other name of `swish`."""
        return self.swish()

    def hardswish(self):
        """x · relu6(x + 3) / 6, https://arxiv.org/abs/1905.02244"""
        return self * (self + 3).relu6() * (1 / 6)

    def hardsigmoid(self, alpha=1 / 6, beta=0.5):
        """α x + β between 0 and 1"""
        y = alpha * self + beta
        return y.relu() - (y - 1).relu()

    def hardtanh(self, min_val=-1, max_val=1):
        """x between two bounds"""
        return self.clip(min_val, max_val)

    def gelu(self, approximate="tanh"):
        """x · Φ(x), Φ by tanh(√(2/π) (x + 0.044715 x³)) or ("none") by erf, https://arxiv.org/abs/1606.08415
        (1 + tanh u) / 2 is σ(2u), which keeps its digits where tanh nears -1."""
        if approximate == "tanh":
            return self * (2 * math.sqrt(2 / math.pi) * (self + 0.044715 * self ** 3)).sigmoid()
        if approximate == "none":
            return self * 0.5 * (1.0 + (self / math.sqrt(2)).erf())
        raise RuntimeError(f"approximate={approximate!r} is not supported: tanh and none are")

    def quick_gelu(self):
        """x · σ(1.702 x)"""
        return self * (self * 1.702).sigmoid()

    def softplus(self, beta=1.0):
        """ln(1 + e^(βx)) / β"""
        return (1 / beta) * (self * beta).logaddexp(0.0)

    def mish(self):
        """x · tanh(softplus(x)), https://arxiv.org/abs/1908.08681"""
        return self * self.softplus().tanh()

    def softsign(self):
        """x / (1 + |x|)"""
        return self / (1 + self.abs())
