"""Elementwise arithmetic, comparison, bits and rounding.

Two operands are first brought to one dtype, the least that holds both, and to one shape. A number becomes a constant of that dtype directly.
"""
from _lazyscope import Node, const
from tinygrad.dtype import dtypes, least_upper_dtype, least_upper_float, number_dtype, to_dtype
from tinygrad.helpers import argfix
from tinygrad.movement import BroadcastError, broadcast_shape


class DTypeError(TypeError, RuntimeError):
    """An operation that a dtype does not have."""


class Elementwise:
    __slots__ = ()

    # Dtypes.

    def cast(self, dtype):
        """The values converted to another dtype; floats lose their fraction when they become integers."""
        dtype = to_dtype(dtype)
        return self if dtype is self.dtype else self._cast(dtype)

    def float(self):
        """As float32."""
        return self.cast(dtypes.float32)

    def half(self):
        """As float16."""
        return self.cast(dtypes.float16)

    def double(self):
        """As float64."""
        return self.cast(dtypes.float64)

    def bfloat16(self):
        """As bfloat16."""
        return self.cast(dtypes.bfloat16)

    def int(self):
        """As int32."""
        return self.cast(dtypes.int32)

    def long(self):
        """As int64."""
        return self.cast(dtypes.int64)

    def short(self):
        """As int16."""
        return self.cast(dtypes.int16)

    def bool(self):
        """As bool: is it not zero?"""
        return self.cast(dtypes.bool)

    def bitcast(self, dtype):
        """The same bits read as another dtype. If the sizes differ, the last axis becomes longer or shorter accordingly; its bytes are combined, least significant first."""
        dtype, old = to_dtype(dtype), self.dtype
        if old in dtypes.weaks or dtype in dtypes.weaks:
            raise RuntimeError(f"bitcast requires concrete dtypes, got {old} -> {dtype}")
        if dtype is old:
            return self
        if dtype.itemsize == old.itemsize:
            return self._bitcast(dtype)
        if not self.ndim or self.shape[-1] * old.itemsize % dtype.itemsize:
            raise RuntimeError(f"unsupported size in bitcast: shape {self.shape} of {old} is not a whole number of {dtype}")
        unsigned = {each.itemsize: each for each in dtypes.uints}
        x, narrow, wide = self.bitcast(unsigned[old.itemsize]), unsigned[min(old.itemsize, dtype.itemsize)], unsigned[max(old.itemsize, dtype.itemsize)]
        n, bits = wide.itemsize // narrow.itemsize, 8 * narrow.itemsize
        if dtype.itemsize < old.itemsize:
            parts = [(x >> (i * bits)).cast(narrow) for i in range(n)]
            x = parts[0].stack(*parts[1:], dim=-1).flatten(-2)
        else:
            x = x.unflatten(-1, (-1, n)).cast(wide) << type(self).arange(0, n * bits, bits, dtype=wide)
            x = x._reduced("ADD", -1).cast(wide)
        return x.bitcast(dtype)

    def element_size(self):
        """Bytes of one element."""
        if self.dtype in dtypes.weaks:
            raise RuntimeError(f"element_size requires a concrete dtype, got {self.dtype}")
        return self.dtype.itemsize

    def nbytes(self):
        """Bytes of all elements."""
        return self.numel() * self.element_size()

    def is_floating_point(self):
        """Whether the dtype is one of floats."""
        return self.dtype.is_float

    # Two operands.

    def ufix(self, x):
        """A tensor unchanged; a number as a tensor of shape ()."""
        return x if isinstance(x, Node) else const(type(self), x, dtypes.from_py(x))

    def _broadcasted(self, y, reverse=False, name="broadcast"):
        """Both operands in one dtype and one shape; reverse: the other one first."""
        x, dtype = self, self.dtype
        if isinstance(y, Node):
            if y.dtype is not dtype:
                dtype = least_upper_dtype(dtype, y.dtype)
                x, y = x.cast(dtype), y.cast(dtype)
            shape, other = x.shape, y.shape
            if shape != other:
                try:
                    shape = broadcast_shape(shape, other)
                except BroadcastError:
                    raise BroadcastError(f"{name}: shapes {shape} and {other} cannot be broadcast") from None
                x, y = x._broadcast_to(shape), y._broadcast_to(shape)
        else:
            if (wanted := number_dtype(dtype, y)) is not dtype:
                x = x.cast(wanted)
            y = const(type(self), y, wanted)
            if shape := x.shape:
                y = y.reshape((1,) * len(shape)).expand(shape)
        return (y, x) if reverse else (x, y)

    def _whole(self, y, reverse, name):
        """`_broadcasted` for operations of integers and bools."""
        a, b = self._broadcasted(y, reverse, name)
        if a.dtype.is_float:
            raise DTypeError(f"{name}: needs integers, not {a.dtype}")
        return a, b

    def add(self, x, reverse=False):
        """self + x"""
        a, b = self._broadcasted(x, reverse, "add")
        return a._binary("ADD", b)

    def sub(self, x, reverse=False):
        """self - x; of bools: self or not x"""
        a, b = self._broadcasted(x, reverse, "sub")
        return a._binary("OR", b._unary("NOT")) if a.dtype.is_bool else a._binary("SUB", b)

    def mul(self, x, reverse=False):
        """self · x"""
        a, b = self._broadcasted(x, reverse, "mul")
        return a._binary("MUL", b)

    def div(self, x, reverse=False, rounding_mode=None):
        """self / x in floats; rounding_mode "trunc" or "floor" rounds the quotient, which of integers stays an integer."""
        if rounding_mode not in (None, "trunc", "floor"):
            raise RuntimeError(f"rounding_mode={rounding_mode!r} is not supported: trunc and floor are")
        number = isinstance(x, int) and not rounding_mode and not self.dtype.is_float
        a, b = (self.cast(dtypes.default_float) if number else self)._broadcasted(x, reverse, "div")
        if rounding_mode and a.dtype.is_int:
            return a._binary("IDIV" if rounding_mode == "trunc" else "FLOORDIV", b)
        if not a.dtype.is_float:
            a, b = a.cast(dtypes.default_float), b.cast(dtypes.default_float)
        quotient = a._binary("FDIV", b)
        return quotient.trunc() if rounding_mode == "trunc" else quotient.floor() if rounding_mode else quotient

    def mod(self, x, reverse=False):
        """self - floor(self / x) · x: the remainder with the sign of x"""
        a, b = self._broadcasted(x, reverse, "mod")
        return a._binary("FLOORMOD", b) if a.dtype.is_int else a - a.div(b, rounding_mode="floor") * b

    def fmod(self, x):
        """self - trunc(self / x) · x: the remainder with the sign of self"""
        a, b = self._broadcasted(x, False, "fmod")
        return a._binary("MOD", b) if a.dtype.is_int else a - a.div(b, rounding_mode="trunc") * b

    def pow(self, x, reverse=False):
        """self to the power x. A small constant power is computed by products or a root."""
        if not reverse and isinstance(x, (int, float)) and abs(x) <= 32 and (x == int(x) or abs(x) == 0.5):
            base = self.cast(number_dtype(self.dtype, x))
            if x < 0 and not base.dtype.is_float:
                raise RuntimeError(f"base needs to be float: {self.dtype} to the power {x}")
            return base._constant_power(x)
        a, b = self._broadcasted(x, reverse, "pow")
        if a.dtype.is_float:
            return b.exp2() if reverse and x == 2 and not isinstance(x, Node) else a._binary("POW", b)
        if not isinstance(x, Node) and x < 0 and not reverse:
            raise RuntimeError(f"base needs to be float: {self.dtype} to the power {x}")
        return a.cast(dtypes.float64)._binary("POW", b.cast(dtypes.float64)).cast(a.dtype)

    def _constant_power(self, e):
        """By repeated squaring: x⁵ = x⁴ · x; x^½ = √x; x⁻ⁿ = (1/x)ⁿ, whose derivative at 0 is infinite, where that of 1/xⁿ is infinity times 0."""
        if e == -0.5:
            return self.sqrt().reciprocal()
        if e < 0:
            return self.reciprocal()._constant_power(-e)
        result, square, n = self.sqrt() if e == 0.5 else None, self, int(e)
        while n:
            if n & 1:
                result = square if result is None else result * square
            n >>= 1
            if n:
                square = square * square
        if result is None:
            return self.const_like(1)
        return result

    def maximum(self, x):
        """The larger of the two. A number that an integer dtype cannot hold counts as the nearest one that it can."""
        a, b = self._broadcasted(self._bounded(x), False, "maximum")
        return a._binary("MAX", b)

    def minimum(self, x):
        """The smaller of the two: the negated (of integers complemented, which reverses their order too) maximum of both negated. A number that an integer
        dtype cannot hold counts as the nearest one that it can."""
        a, b = self._broadcasted(self._bounded(x), False, "minimum")
        return a._inverse()._binary("MAX", b._inverse())._inverse()

    def _fitted(self, x):
        """An integer that the tensor's dtype cannot hold meets the tensor in 64 bits, where 300 is larger than any uint8, and -1 less than any uint64."""
        dtype = self.dtype
        if not isinstance(x, int) or not dtype.is_int or dtypes.min(dtype) <= x <= dtypes.max(dtype):
            return self
        return self.cast(dtypes.float64 if dtype is dtypes.uint64 else dtypes.int64)

    def _bounded(self, x):
        """The nearest number to x that the dtype can hold, where both are integers: a bound of -3 is 0 to an unsigned tensor, and one of 300 is 255 to a uint8."""
        return min(max(x, dtypes.min(self.dtype)), dtypes.max(self.dtype)) if self.dtype.is_int and isinstance(x, int) else x

    def _inverse(self):
        return self._unary("NEG") if self.dtype.is_float else self._unary("NOT")

    def usum(self, *others):
        """The sum of this tensor and others (of bools: whether one holds)."""
        result = self
        for x in argfix(*others):
            result = result.bitwise_or(x) if self.dtype.is_bool else result.add(x)
        return result

    def uprod(self, *others):
        """The product of this tensor and others (of bools: whether all hold)."""
        result = self
        for x in argfix(*others):
            result = result.bitwise_and(x) if self.dtype.is_bool else result.mul(x)
        return result

    def where(self, x, y):
        """x where this (of bools) holds, else y; all three are broadcast."""
        if not self.dtype.is_bool:
            raise RuntimeError(f"where cond must be bool, got {self.dtype}")
        if isinstance(x, Node):
            x, y = x._broadcasted(y, False, "where")
        elif isinstance(y, Node):
            x, y = y._broadcasted(x, True, "where")
        else:
            x, y = self.ufix(x)._broadcasted(y)
        condition, shape = self, self.shape
        if shape != x.shape:
            try:
                shape = broadcast_shape(shape, x.shape)
            except BroadcastError:
                raise BroadcastError(f"where: the condition's shape {shape} and {x.shape} cannot be broadcast") from None
            condition, x, y = condition._broadcast_to(shape), x._broadcast_to(shape), y._broadcast_to(shape)
        return condition._where(x, y)

    def masked_fill(self, mask, value):
        """The value where the mask holds, else self."""
        return mask.where(value, self)

    def lerp(self, end, weight):
        """self + (end - self) · weight; of uint8 with weights by tensor, in 7 bits of fraction"""
        if self.dtype is dtypes.uint8 and isinstance(weight, Node):
            steps = (weight * 128 + 0.5).cast(dtypes.int16)
            return (self + (((end - self).cast(dtypes.int8) * steps + 64).cast(dtypes.uint16) >> 7)).cast(dtypes.uint8)
        return self + (end - self) * weight

    def copysign(self, other):
        """The magnitude of self with the sign of other. The sign of a zero is found by its reciprocal."""
        a, b = self._broadcasted(other, False, "copysign")
        magnitude = a.abs()
        return ((b < 0) | (b.reciprocal() < 0)).where(-magnitude, magnitude)

    def logaddexp(self, other):
        """ln(eᵃ + eᵇ) = ln(eᵃ⁻ᵐ + eᵇ⁻ᵐ) + m, m the larger"""
        a, b = (x._as_float() for x in self._broadcasted(other, False, "logaddexp"))
        m = a.maximum(b)
        return ((a - m).exp() + (b - m).exp()).log() + m

    # Comparison.

    def _compared(self, op, x, reverse, name):
        a, b = self._fitted(x)._broadcasted(x, reverse, name)
        return a._binary(op, b)

    def eq(self, x):
        """self = x"""
        return self._compared("CMPEQ", x, False, "eq")

    def ne(self, x):
        """self ≠ x"""
        return self._compared("CMPNE", x, False, "ne")

    def lt(self, x):
        """self < x"""
        return self._compared("CMPLT", x, False, "lt")

    def gt(self, x):
        """self > x, said as x < self"""
        return self._compared("CMPLT", x, True, "gt")

    def ge(self, x):
        """self ≥ x, said as not self < x"""
        return self.lt(x).logical_not()

    def le(self, x):
        """self ≤ x, said as not self > x"""
        return self.gt(x).logical_not()

    def logical_not(self):
        """Whether it is zero."""
        return self.cast(dtypes.bool)._unary("NOT")

    def isnan(self):
        """Whether it is not a number: only that differs from itself."""
        return self != self

    def isinf(self, detect_positive=True, detect_negative=True):
        """Whether it is infinite."""
        return self.eq(float("inf")) * detect_positive + self.eq(float("-inf")) * detect_negative

    def isfinite(self):
        """Whether it is neither infinite nor NaN."""
        return (self.isinf() | self.isnan()).logical_not()

    def isclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
        """|self - other| ≤ atol + rtol · |other|, or the same infinity; NaNs are close to each other when equal_nan is set."""
        other = self.ufix(other)
        close = self.isfinite() & other.isfinite() & ((self - other).abs() <= atol + rtol * other.abs())
        close = close | ((self.isinf() | other.isinf()) & self.eq(other))
        return close | (self.isnan() & other.isnan()) if equal_nan else close

    def allclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
        """Whether all elements are close."""
        return self.isclose(other, rtol=rtol, atol=atol, equal_nan=equal_nan).all()

    # Bits.

    def bitwise_and(self, x, reverse=False):
        """self & x"""
        a, b = self._whole(x, reverse, "bitwise_and")
        return a._binary("AND", b)

    def bitwise_or(self, x, reverse=False):
        """self | x"""
        a, b = self._whole(x, reverse, "bitwise_or")
        return a._binary("OR", b)

    def bitwise_xor(self, x, reverse=False):
        """self ^ x"""
        a, b = self._whole(x, reverse, "bitwise_xor")
        return a._binary("XOR", b)

    def bitwise_not(self):
        """~self"""
        if self.dtype.is_float:
            raise DTypeError(f"bitwise_not: needs integers or bools, not {self.dtype}")
        return self._unary("NOT")

    def lshift(self, x, reverse=False):
        """self << x"""
        a, b = self._whole(x, reverse, "lshift")
        return a._binary("SHL", b)

    def rshift(self, x, reverse=False):
        """self >> x; the sign is kept"""
        a, b = self._whole(x, reverse, "rshift")
        return a._binary("SHR", b)

    # One operand.

    def neg(self):
        """-self; of bools: not self"""
        return self._unary("NOT" if self.dtype.is_bool else "NEG")

    def _float_unary(self, op):
        return self.cast(least_upper_float(self.dtype))._unary(op)

    def reciprocal(self):
        """1 / self"""
        return self._float_unary("RECIP")

    def sqrt(self):
        """√self"""
        return self._float_unary("SQRT")

    def rsqrt(self):
        """1 / √self"""
        return self.sqrt().reciprocal()

    def exp2(self):
        """2 to the power self"""
        return self._float_unary("EXP2")

    def log2(self):
        """The logarithm to base 2."""
        return self._float_unary("LOG2")

    def sin(self):
        """The sine, of radians."""
        return self._float_unary("SIN")

    def square(self):
        """self²"""
        return self * self

    def trunc(self):
        """The integer part: rounds towards zero."""
        return self._unary("TRUNC") if self.dtype.is_float else self

    def ceil(self):
        """The smallest integer that is not less than self."""
        if not self.dtype.is_float:
            return self
        b = self.trunc()
        return (self > b).where(b + 1, b)

    def floor(self):
        """The largest integer that is not greater than self."""
        if not self.dtype.is_float:
            return self
        b = self.trunc()
        return (self < b).where(b - 1, b)

    def round(self):
        """The nearest integer, halves to even: away from zero where the fraction is above ½, or is ½ and the integer odd."""
        if not self.dtype.is_float:
            return self.cast(least_upper_float(self.dtype) if self.dtype in dtypes.weaks else dtypes.weakfloat)
        whole = self.trunc()
        fraction, half = (self - whole).abs(), whole * 0.5
        away = (fraction > 0.5) | (fraction.eq(0.5) & half.trunc().ne(half))
        return away.where((self < 0).where(whole - 1, whole + 1), whole)

    def sign(self):
        """-1, 0 or 1."""
        if self.dtype.is_bool:
            return self
        side = self.const_like(1) if self.dtype.is_unsigned else (self < 0).where(self.const_like(-1), self.const_like(1))
        return self.ne(0).where(side, self.const_like(0))

    def abs(self):
        """|self| = self · sign(self)"""
        return self if self.dtype.is_bool or self.dtype.is_unsigned else self * self.sign()

    def clamp(self, min_=None, max_=None):
        """Not less than min_ and not more than max_; None is not a bound."""
        if min_ is None and max_ is None:
            raise RuntimeError("at least one of 'min_' or 'max_' must not be None")
        min_, max_ = self._bounded(min_), self._bounded(max_)
        x = self if min_ is None else (self < min_).where(min_, self)
        return x if max_ is None else (x > max_).where(max_, x)

    def clip(self, min_=None, max_=None):
        """An alias of `clamp`."""
        return self.clamp(min_, max_)

    # Operators.

    __neg__, __invert__, __abs__ = neg, bitwise_not, abs
    __add__ = add
    def __radd__(self, x): return self.add(x, True)
    __sub__ = sub
    def __rsub__(self, x): return self.sub(x, True)
    __mul__ = mul
    def __rmul__(self, x): return self.mul(x, True)
    __truediv__ = div
    def __rtruediv__(self, x): return self.div(x, True)
    def __floordiv__(self, x): return self.div(x, rounding_mode="floor")
    def __rfloordiv__(self, x): return self.div(x, True, "floor")
    __mod__ = mod
    def __rmod__(self, x): return self.mod(x, True)
    __pow__ = pow
    def __rpow__(self, x): return self.pow(x, True)
    __and__ = bitwise_and
    def __rand__(self, x): return self.bitwise_and(x, True)
    __or__ = bitwise_or
    def __ror__(self, x): return self.bitwise_or(x, True)
    __xor__ = bitwise_xor
    def __rxor__(self, x): return self.bitwise_xor(x, True)
    __lshift__ = lshift
    def __rlshift__(self, x): return self.lshift(x, True)
    __rshift__ = rshift
    def __rrshift__(self, x): return self.rshift(x, True)
    __lt__ = lt
    __gt__ = gt
    __ge__ = ge
    __le__ = le
    __eq__ = eq
    __ne__ = ne
    def __hash__(self): return id(self)

    # In place: the result is assigned.

    def __iadd__(self, x): return self.assign(self.add(x))
    def __isub__(self, x): return self.assign(self.sub(x))
    def __imul__(self, x): return self.assign(self.mul(x))
    def __itruediv__(self, x): return self.assign(self.div(x))
    def __ifloordiv__(self, x): return self.assign(self.div(x, rounding_mode="floor"))
    def __imod__(self, x): return self.assign(self.mod(x))
    def __ipow__(self, x): return self.assign(self.pow(x))
    def __iand__(self, x): return self.assign(self.bitwise_and(x))
    def __ior__(self, x): return self.assign(self.bitwise_or(x))
    def __ixor__(self, x): return self.assign(self.bitwise_xor(x))
    def __ilshift__(self, x): return self.assign(self.lshift(x))
    def __irshift__(self, x): return self.assign(self.rshift(x))
    def __imatmul__(self, x): return self.assign(self.matmul(x))
