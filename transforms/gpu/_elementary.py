"""Elementary functions by arithmetic, for machines without a C library.

Each takes :class:`Real` numbers, which are values of f32 or f64, or vectors of them, and adds
operations of ``arith`` and ``math`` that every machine has: sums, products, quotients, square
roots, fused multiplication and addition, rounding, comparisons, and the bits of floats.

Arguments are reduced to a small interval, on which a polynomial of least error is taken (Chebyshev
interpolation, computed with 60 digits; its error is below that of rounding). What is lost in the
reduction is kept in a second number. The results differ from the correctly rounded ones by up to 4
units in the last place (8 for ``pow`` of f64); infinities, zeros, subnormal numbers and NaN are
those of C. Of sine, cosine and tangent the arguments are less than 2**30.

J.-M. Muller, Elementary Functions, is the source of the reductions, W. Kahan that of ``log1p``,
M. Shepherd and J. Laframboise that of the variable of ``erfc``.
"""

from __future__ import annotations

import math as python_math
from collections.abc import Callable, Sequence
from decimal import Decimal, getcontext

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    Float32Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    VectorType,
    f64,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue

from kc.dialects.arith import CmpfOp, CmpiOp, FPToSIOp, SelectOp, SIToFPOp

getcontext().prec = 60
LN2 = Decimal("0.693147180559945309417232121458176568075500134360255254120680")
LOG10_2 = Decimal("0.301029995663981195213738894724493026768189881462108541310427")
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494")

# Coefficients from the lowest power on, for f32 and for f64.
# (exp(r) - 1 - r) / r**2 for |r| <= log(2) / 2
_EXP = (
    (
        0.5, 0.16666576989698775683, 0.041666554617204574203, 0.0083631790527225773704,
        0.0013926183587713494542,
    ),
    (
        0.5, 0.16666666666666666667, 0.041666666666666676774, 0.008333333333333334007,
        0.0013888888888879073994, 0.00019841269841263299129, 0.000024801587336442237861,
        2.7557319247218730776e-6, 2.7557263279088496905e-7, 2.5052071094293546753e-8,
        2.0918137737642736429e-9, 1.6086627956780368844e-10,
    ),
)  # fmt: skip
# (2 * atanh(s) - 2 * s) / s**3 of s**2, for s = f / (2 + f), 1 + f between sqrt(1/2) and sqrt(2)
_LOG = (
    (0.66666666554451646331, 0.4000012187697200149, 0.28550816599711548665, 0.23330581938241893822),
    (
        0.66666666666666666668, 0.39999999999999992495, 0.2857142857143536394,
        0.22222222219857288089, 0.18181818593867599854, 0.15384575115766617685,
        0.13335639386359470587, 0.11688107586595922474, 0.1188214271262731942,
    ),
)  # fmt: skip
# (sin(r) - r) / r**3 and (cos(r) - 1 + r**2 / 2) / r**4 of r**2, for |r| <= pi / 4
_SIN = (
    (
        -0.16666666663854167038, 0.0083333318742737136675, -0.00019840086499593598134,
        2.7249895230611678095e-6,
    ),
    (
        -0.16666666666666666667, 0.0083333333333333333322, -0.00019841269841269837574,
        2.7557319223981097528e-6, -2.5052108382388816503e-8, 1.605904278076985109e-10,
        -7.6469613117100783947e-13, 2.7912422290903088217e-15,
    ),
)  # fmt: skip
_COS = (
    (
        0.041666666664320266605, -0.0013888887671652503855, 0.000024800600180363808652,
        -2.7300933687212943059e-7,
    ),
    (
        0.041666666666666666667, -0.0013888888888888888888, 0.000024801587301587299738,
        -2.755731922398349285e-7, 2.0876756986340884093e-9, -1.1470745069454791838e-11,
        4.7793760797086676772e-14, -1.5518099807987150974e-16,
    ),
)  # fmt: skip
# (atan(r) - r) / r**3 of r**2, for |r| <= tan(pi / 8)
_ATAN = (
    (
        -0.33333331760434555943, 0.19999540314957969397, -0.14263949753605724022,
        0.10743668324830098134, -0.064517188693589580726,
    ),
    (
        -0.33333333333333333329, 0.19999999999999991533, -0.14285714285711515813,
        0.11111111110754405782, -0.090909090669906600315, 0.076923067353214753541,
        -0.066666420049965447944, 0.058819250338777325012, -0.052580394289794814507,
        0.04719381457895136923, -0.041043814178076432259, 0.030634433239014520368,
        -0.013916943217800840977,
    ),
)  # fmt: skip
# erf(x) / x of x**2, for |x| <= 1
_ERF = (
    (
        1.1283791670615434152, -0.37612638468028710398, 0.1128378249523684454,
        -0.026865430727670242894, 0.0052210318078580227973, -0.00084840804055351062944,
        0.00011265959025606608973, -9.6670445714869964152e-6,
    ),
    (
        1.1283791670955125739, -0.37612638903183752463, 0.11283791670955125737,
        -0.026866170645131251042, 0.0052239776254421751585, -0.0008548327023449497065,
        0.00012055332981694495057, -0.000014925650353787866432, 1.6462114205798044774e-6,
        -1.6365840648222766021e-7, 1.4807117719731328578e-8, -1.2289529419960293649e-9,
        9.4125585949928291681e-11, -6.639294901316117616e-12, 4.1173094609706571446e-13,
        -1.746609279318068914e-14,
    ),
)  # fmt: skip
# erfc(x) * exp(x**2) * (1 + 2 * x) of (x - 4) / (x + 4), for x >= 1
_ERFC = (
    (
        1.2329951182855849709, -0.13962112103926445959, 0.015379722493903513903,
        0.068097322295524277569, -0.10104136960526305179, 0.093727787121559743149,
        -0.066303753290422250921, 0.037208271361787216859, -0.016328717823225475519,
        0.0048825754947021337887, -0.00049299906156705750886,
    ),
    (
        1.232995118625552509, -0.13962111684056250597, 0.015379652102620044079,
        0.068097054254691558875, -0.10103906603632538561, 0.093732834998395844589,
        -0.066330365811635588197, 0.0371675155366477134, -0.016197734066176705886,
        0.0050319699858021848475, -0.00075777321729573677586, -0.00019925673480642810114,
        0.00015062129311223413302, -0.000024399105697406553281, -0.00001122069056868466378,
        5.7096349251697099092e-6, 2.9071214445313000081e-7, -8.2568651272645920858e-7,
        7.9354505289665129136e-8, 1.1096560427947510679e-7, -2.2521774578843541884e-8,
        -1.5218017722279079325e-8, 4.484006339695550364e-9, 1.8004815795875079466e-9,
        -6.9977790493993400884e-10, -2.3941230670856549699e-11,
    ),
)  # fmt: skip

Emit = Callable[[Operation], None]


def _like(shape: Attribute, element: Attribute) -> Attribute:
    return VectorType(element, shape.shape) if isinstance(shape, VectorType) else element


class Value:
    """A value, and where operations on it are added."""

    def __init__(self, value: SSAValue, emit: Emit) -> None:
        self.value = value
        self.emit = emit

    def add(self, op: Operation) -> SSAValue:
        """The result of a new operation."""
        self.emit(op)
        return op.results[0]

    def constant(self, value: float, element: Attribute) -> SSAValue:
        """A constant in the shape of this value."""
        type_ = _like(self.value.type, element)
        attribute: Attribute
        if isinstance(type_, VectorType):
            attribute = DenseIntOrFPElementsAttr.from_list(type_, [value])  # pyright: ignore
        elif isinstance(element, IntegerType):
            attribute = IntegerAttr(int(value), element)
        else:
            attribute = FloatAttr(value, element)  # pyright: ignore
        return self.add(arith.ConstantOp(attribute))  # pyright: ignore[reportArgumentType]


class Bool(Value):
    """A condition."""

    def __and__(self, second: Bool) -> Bool:
        return Bool(self.add(arith.AndIOp(self.value, second.value)), self.emit)

    def __or__(self, second: Bool) -> Bool:
        return Bool(self.add(arith.OrIOp(self.value, second.value)), self.emit)

    def choose(self, yes: Real, no: Real | float) -> Real:
        """One of two numbers."""
        return yes.of(self.add(SelectOp(self.value, yes.value, yes.real(no).value)))


class Integer(Value):
    """An integer as wide as a float."""

    @property
    def element(self) -> IntegerType:
        type_ = self.value.type
        element = type_.element_type if isinstance(type_, VectorType) else type_
        assert isinstance(element, IntegerType)
        return element

    def _with(self, kind: type[Operation], second: Integer | int) -> Integer:
        if isinstance(second, int):
            second = Integer(self.constant(second, self.element), self.emit)
        return Integer(self.add(kind(self.value, second.value)), self.emit)  # pyright: ignore

    def __add__(self, second: Integer | int) -> Integer:
        return self._with(arith.AddiOp, second)

    def __sub__(self, second: Integer | int) -> Integer:
        return self._with(arith.SubiOp, second)

    def __and__(self, second: Integer | int) -> Integer:
        return self._with(arith.AndIOp, second)

    def __lshift__(self, second: int) -> Integer:
        return self._with(arith.ShLIOp, second)

    def __rshift__(self, second: int) -> Integer:
        return self._with(arith.ShRSIOp, second)

    def is_(self, value: int) -> Bool:
        """Whether it is that number."""
        number = self.constant(value, self.element)
        return Bool(self.add(CmpiOp(self.value, number, "eq")), self.emit)

    def real(self, like: Real) -> Real:
        """The number as a float."""
        return like.of(self.add(SIToFPOp(self.value, like.value.type)))  # pyright: ignore

    def bits(self, like: Real) -> Real:
        """The float with these bits."""
        return like.of(self.add(arith.BitcastOp(self.value, like.value.type)))


class Real(Value):
    """A float of 32 or 64 bits, or a vector of them."""

    def of(self, value: SSAValue) -> Real:
        """Another number of the type."""
        return Real(value, self.emit)

    def real(self, number: Real | float | Decimal) -> Real:
        """A number, or a constant."""
        if isinstance(number, Real):
            return number
        return self.of(self.constant(float(number), self.element))

    @property
    def element(self) -> Attribute:
        type_ = self.value.type
        return type_.element_type if isinstance(type_, VectorType) else type_

    @property
    def is_single(self) -> bool:
        """Whether it has 32 bits."""
        return isinstance(self.element, Float32Type)

    @property
    def mantissa(self) -> int:
        """The bits of the fraction."""
        return 23 if self.is_single else 52

    @property
    def bias(self) -> int:
        """That of the exponent."""
        return 127 if self.is_single else 1023

    @property
    def least_normal(self) -> float:
        """The least number that is not subnormal."""
        return 2.0 ** (1 - self.bias)

    # Arithmetic

    def _with(self, kind: type[Operation], second: Real | float | Decimal) -> Real:
        return self.of(self.add(kind(self.value, self.real(second).value)))  # pyright: ignore

    def __add__(self, second: Real | float | Decimal) -> Real:
        return self._with(arith.AddfOp, second)

    def __sub__(self, second: Real | float | Decimal) -> Real:
        return self._with(arith.SubfOp, second)

    def __mul__(self, second: Real | float | Decimal) -> Real:
        return self._with(arith.MulfOp, second)

    def __truediv__(self, second: Real | float | Decimal) -> Real:
        return self._with(arith.DivfOp, second)

    def __rsub__(self, first: float) -> Real:
        return self.real(first) - self

    def __rtruediv__(self, first: float) -> Real:
        return self.real(first) / self

    def __neg__(self) -> Real:
        return self.of(self.add(arith.NegfOp(self.value)))

    def times_plus(self, factor: Real | float | Decimal, term: Real | float | Decimal) -> Real:
        """``self * factor + term``, rounded once."""
        op = math.FmaOp(self.value, self.real(factor).value, self.real(term).value)
        return self.of(self.add(op))

    def polynomial(self, coefficients: tuple[Sequence[float], Sequence[float]]) -> Real:
        """A polynomial of this number, whose coefficients are those for its type."""
        *rest, last = coefficients[0 if self.is_single else 1]
        result = self.real(last)
        for coefficient in reversed(rest):
            result = self.times_plus(result, coefficient)
        return result

    def abs(self) -> Real:
        return self.of(self.add(math.AbsFOp(self.value)))

    def sqrt(self) -> Real:
        return self.of(self.add(math.SqrtOp(self.value)))

    def floor(self) -> Real:
        return self.of(self.add(math.FloorOp(self.value)))

    def round(self) -> Real:
        """The nearest whole number."""
        return self.of(self.add(math.RoundEvenOp(self.value)))

    def with_sign_of(self, second: Real) -> Real:
        return self.of(self.add(math.CopySignOp(self.value, second.value)))

    # Comparisons: false for NaN

    def _compare(self, second: Real | float, kind: str) -> Bool:
        return Bool(self.add(CmpfOp(self.value, self.real(second).value, kind)), self.emit)

    def __lt__(self, second: Real | float) -> Bool:
        return self._compare(second, "olt")

    def __le__(self, second: Real | float) -> Bool:
        return self._compare(second, "ole")

    def __gt__(self, second: Real | float) -> Bool:
        return self._compare(second, "ogt")

    def __ge__(self, second: Real | float) -> Bool:
        return self._compare(second, "oge")

    def is_(self, second: Real | float) -> Bool:
        """Whether it is that number."""
        return self._compare(second, "oeq")

    def is_nan(self) -> Bool:
        return self._compare(self, "uno")

    def least(self, second: Real | float) -> Real:
        """The lesser of two numbers, this one if it is NaN."""
        return (self > second).choose(self.real(second), self)

    # Bits

    def bits(self) -> Integer:
        """Its bits."""
        integer = i32 if self.is_single else i64
        return Integer(
            self.add(arith.BitcastOp(self.value, _like(self.value.type, integer))), self.emit
        )

    def whole(self) -> Integer:
        """A whole number that fits in as many bits."""
        integer = i32 if self.is_single else i64
        op = FPToSIOp(self.value, _like(self.value.type, integer))  # pyright: ignore
        return Integer(self.add(op), self.emit)

    def power_of_2(self, exponent: Integer) -> Real:
        """2 to a power that is in the range of normal numbers."""
        return ((exponent + self.bias) << self.mantissa).bits(self)

    def scaled(self, exponent: Integer) -> Real:
        """This number times 2 to a power, which may be out of range: rounded once."""
        half = exponent >> 1
        return self * self.power_of_2(half) * self.power_of_2(exponent - half)

    def wide(self) -> Real:
        """The same number in 64 bits."""
        if not self.is_single:
            return self
        return self.of(self.add(arith.ExtFOp(self.value, _like(self.value.type, f64))))

    def as_(self, like: Real) -> Real:
        """The number in the type of another."""
        if self.is_single == like.is_single:
            return self
        return self.of(self.add(arith.TruncFOp(self.value, like.value.type)))

    def split(self, number: Decimal, bits: int) -> tuple[float, Decimal]:
        """A constant as a number of so many bits, whose products with small integers are exact, and
        the rest."""
        scale = Decimal(2) ** bits
        high = (number * scale).to_integral_value() / scale
        return float(high), number - high


INFINITY = python_math.inf


# Exponentials ---------------------------------------------------------------------------------


def _reduced(x: Real, low: float, high: float) -> tuple[Real, Integer]:
    """r and n with x = n log(2) + r, for x in a range, and 0 for NaN."""
    x = x.is_nan().choose(x.real(0.0), x)
    x = (x < low).choose(x.real(low), x).least(high)
    n = (x * (1 / LN2)).round()
    ln2, rest = x.split(LN2, 12 if x.is_single else 40)
    r = n.times_plus(-ln2, x)
    return n.times_plus(-rest, r), n.whole()


def _range(x: Real) -> tuple[float, float]:
    """Below the first number exp is 0, above the second infinite."""
    return (-105.0, 90.0) if x.is_single else (-750.0, 720.0)


def exp(x: Real) -> Real:
    r, n = _reduced(x, *_range(x))
    y = (r * r).times_plus(r.polynomial(_EXP), r) + 1.0
    return x.is_nan().choose(x, y.scaled(n))


def exp2(x: Real) -> Real:
    low, high = (-160.0, 130.0) if x.is_single else (-1100.0, 1030.0)
    inside = x.is_nan().choose(x.real(0.0), x)
    inside = (inside < low).choose(x.real(low), inside).least(high)
    n = inside.round()
    r = (inside - n) * LN2
    y = (r * r).times_plus(r.polynomial(_EXP), r) + 1.0
    return x.is_nan().choose(x, y.scaled(n.whole()))


def expm1(x: Real) -> Real:
    low = -30.0 if x.is_single else -60.0
    r, n = _reduced(x, low, _range(x)[1])
    y = (r * r).times_plus(r.polynomial(_EXP), r)
    # 2**n y + (2**n - 1); of large numbers 1 is no part, and 2**n may be too large.
    power = x.power_of_2(n)
    is_large = x > (30.0 if x.is_single else 60.0)
    result = is_large.choose((y + 1.0).scaled(n), y.times_plus(power, power - 1.0))
    return (x.is_nan() | x.is_(0.0)).choose(x, result)


def sinh(x: Real) -> Real:
    a = x.abs()
    t = expm1(a)
    small = (t + t / (t + 1.0)) * 0.5
    e = exp(a * 0.5)
    large = (e * 0.5) * e
    y = (a < (80.0 if x.is_single else 700.0)).choose(small, large)
    return x.is_nan().choose(x, y.with_sign_of(x))


def cosh(x: Real) -> Real:
    e = exp(x.abs() * 0.5)
    square = e * e
    small = (square + 1.0 / square) * 0.5
    large = (e * 0.5) * e
    return (x.abs() < (80.0 if x.is_single else 700.0)).choose(small, large)


def tanh(x: Real) -> Real:
    a = x.abs()
    t = expm1(a.least(20.0 if x.is_single else 40.0) * 2.0)
    y = t / (t + 2.0)
    return (x.is_nan() | x.is_(0.0)).choose(x, y.with_sign_of(x))


# Logarithms -----------------------------------------------------------------------------------


def _parts(x: Real) -> tuple[Real, Real, Real, Real]:
    """e, f, s and t with log(x) = e log(2) + f - t and x = 2**e (1 + f), s = f / (2 + f); x > 0."""
    shift = 25 if x.is_single else 54
    tiny = x < x.least_normal
    normal = tiny.choose(x * 2.0**shift, x)
    mantissa = x.mantissa
    root = 0x3F3504F3 if x.is_single else 0x3FE6A09E667F3BCD  # the bits of sqrt(1/2)
    bits = normal.bits()
    exponent = (bits - root) >> mantissa
    f = (bits - (exponent << mantissa)).bits(x) - 1.0
    e = exponent.real(x)
    e = tiny.choose(e - float(shift), e)
    s = f / (f + 2.0)
    z = s * s
    return e, f, s, s * (f - z * z.polynomial(_LOG))


def _log_ends(x: Real, y: Real) -> Real:
    """A logarithm ``y`` where that of ``x`` is a number, else what it is."""
    y = x.is_(0.0).choose(x.real(-INFINITY), y)
    y = x.is_(INFINITY).choose(x, y)
    return (x >= 0.0).choose(y, x.real(python_math.nan))


def log(x: Real) -> Real:
    e, f, _, t = _parts(x)
    ln2, rest = x.split(LN2, 12 if x.is_single else 40)
    return _log_ends(x, e.times_plus(ln2, f - (t - e * rest)))


def log1p(x: Real) -> Real:
    u = x + 1.0
    y = log(u) * (x / (u - 1.0))
    y = (u.is_(1.0) | x.is_(INFINITY) | x.is_nan()).choose(x, y)
    return x.is_(-1.0).choose(x.real(-INFINITY), y)


def log2(x: Real) -> Real:
    e, f, _, t = _parts(x)
    high, rest = x.split(1 / LN2, 12 if x.is_single else 26)
    m = f - t
    return _log_ends(x, e + m.times_plus(high, m * rest))


def log10(x: Real) -> Real:
    e, f, _, t = _parts(x)
    high, rest = x.split(LOG10_2, 12 if x.is_single else 40)
    m = f - t
    return _log_ends(x, e.times_plus(high, m.times_plus(LOG10_2 / LN2, e * rest)))


def asinh(x: Real) -> Real:
    a = x.abs()
    square = a * a
    near = log1p(a + square / ((square + 1.0).sqrt() + 1.0))
    far = log(a) + LN2
    y = (a < (1e10 if x.is_single else 1e100)).choose(near, far)
    return (x.is_nan() | x.is_(0.0)).choose(x, y.with_sign_of(x))


def acosh(x: Real) -> Real:
    t = x - 1.0
    near = log1p(t + (t * 2.0 + t * t).sqrt())
    far = log(x) + LN2
    y = (x < (1e10 if x.is_single else 1e100)).choose(near, far)
    return (x >= 1.0).choose(y, x.real(python_math.nan))


def atanh(x: Real) -> Real:
    a = x.abs()
    y = log1p((a * 2.0) / (1.0 - a)) * 0.5
    return (x.is_nan() | x.is_(0.0)).choose(x, y.with_sign_of(x))


# Powers ---------------------------------------------------------------------------------------


def _exact_log(x: Real) -> tuple[Real, Real]:
    """The logarithm of x > 0, in f64, and what is missing from it."""
    e, f, _, _ = _parts(x)
    d = f + 2.0
    lost = f - (d - 2.0)
    s = f / d
    s_rest = ((-s).times_plus(d, f) - s * lost) / d
    z = s * s
    tail = s * z * z.polynomial(_LOG) + s_rest * 2.0
    ln2, rest = x.split(LN2, 40)
    high = e.times_plus(ln2, s * 2.0)
    low = (e * ln2 - high) + s * 2.0
    low = low + (tail + e * rest)
    total = high + low
    return total, low - (total - high)


def pow(x: Real, y: Real) -> Real:
    a, wide = x.wide().abs(), y.wide()
    if x.is_single:
        high, low = log(a), a.real(0.0)
    else:
        high, low = _exact_log(a)
        is_number = (a > 0.0) & (a < INFINITY)
        high = is_number.choose(high, log(a))
        low = is_number.choose(low, 0.0)
    product = wide * high
    rest = wide.times_plus(high, -product) + wide * low
    rest = (product.abs() < 1e4).choose(rest, 0.0)
    e = exp(product)
    result = (e < INFINITY).choose(e.times_plus(rest, e), e).as_(x)
    is_whole = y.floor().is_(y)
    half = y * 0.5
    is_odd = is_whole & (half.floor() < half)
    result = ((x < 0.0) & (x > -INFINITY)).choose(is_whole.choose(result, python_math.nan), result)
    is_below = x.real(1.0).with_sign_of(x) < 0.0
    result = (is_below & is_odd).choose(-result, result)
    result = (x.abs().is_(1.0) & y.abs().is_(INFINITY)).choose(x.real(1.0), result)
    return (x.is_(1.0) | y.is_(0.0)).choose(x.real(1.0), result)


def cbrt(x: Real) -> Real:
    a = x.abs()
    t = exp(log(a) * (1.0 / 3.0))
    t = t - (t - a / (t * t)) * (1.0 / 3.0)
    is_end = x.is_(0.0) | a.is_(INFINITY) | x.is_nan()
    return is_end.choose(x, t.with_sign_of(x))


def rsqrt(x: Real) -> Real:
    return 1.0 / x.sqrt()


# Angles ---------------------------------------------------------------------------------------


def _quadrant(x: Real) -> tuple[Real, Integer]:
    """r and n with x = n pi / 2 + r, |r| <= pi / 4."""
    wide = x.wide()
    n = (wide * (2 / PI)).round()
    first = float(PI / 2)
    second = float(PI / 2 - Decimal(first))
    third = float(PI / 2 - Decimal(first) - Decimal(second))
    r = n.times_plus(-first, wide)
    r = n.times_plus(-second, r)
    if not x.is_single:
        r = n.times_plus(-third, r)
    n = (n.abs() < 2.0**62).choose(n, 0.0)
    return r.as_(x), n.whole()


def _sin_cos(r: Real) -> tuple[Real, Real]:
    z = r * r
    sine = (r * z).times_plus(z.polynomial(_SIN), r)
    cosine = (z * z).times_plus(z.polynomial(_COS), z * -0.5) + 1.0
    return sine, cosine


def _turned(x: Real, quarter: int) -> Real:
    """The sine of x and so many quarters of a turn."""
    r, n = _quadrant(x)
    n = n + quarter
    sine, cosine = _sin_cos(r)
    y = (n & 1).is_(0).choose(sine, cosine)
    return (n & 2).is_(0).choose(y, -y)


def sin(x: Real) -> Real:
    return x.is_(0.0).choose(x, _turned(x, 0))


def cos(x: Real) -> Real:
    return _turned(x, 1)


def tan(x: Real) -> Real:
    r, n = _quadrant(x)
    sine, cosine = _sin_cos(r)
    y = (n & 1).is_(0).choose(sine / cosine, -cosine / sine)
    return x.is_(0.0).choose(x, y)


def _atan_of_fraction(x: Real) -> Real:
    """The arc tangent for x between 0 and 1."""
    large = x > 0.4142135623730950488
    r = large.choose((x - 1.0) / (x + 1.0), x)
    z = r * r
    y = (r * z).times_plus(z.polynomial(_ATAN), r)
    high = float(PI / 4)
    return large.choose((y + (PI / 4 - Decimal(high))) + high, y)


def atan(x: Real) -> Real:
    a = x.abs()
    large = a > 1.0
    y = _atan_of_fraction(large.choose(1.0 / a, a))
    y = large.choose(x.real(PI / 2) - y, y)
    return x.is_nan().choose(x, y.with_sign_of(x))


def atan2(y: Real, x: Real) -> Real:
    a, b = y.abs(), x.abs()
    steep = a > b
    greater, lesser = steep.choose(a, b), steep.choose(b, a)
    fraction = lesser / greater
    fraction = greater.is_(0.0).choose(x.real(0.0), fraction)
    fraction = (lesser.is_(INFINITY)).choose(x.real(1.0), fraction)
    angle = _atan_of_fraction(fraction)
    angle = steep.choose(x.real(PI / 2) - angle, angle)
    behind = x.real(1.0).with_sign_of(x) < 0.0
    angle = behind.choose(x.real(PI) - angle, angle)
    return (x.is_nan() | y.is_nan()).choose(x + y, angle.with_sign_of(y))


def asin(x: Real) -> Real:
    return atan2(x, ((1.0 - x) * (x + 1.0)).sqrt())


def acos(x: Real) -> Real:
    return atan2((1.0 - x).sqrt(), (x + 1.0).sqrt()) * 2.0


# The error function ---------------------------------------------------------------------------


def erf(x: Real) -> Real:
    a = x.abs()
    near = x * (x * x).polynomial(_ERF)
    t = a.least(5.0 if x.is_single else 7.0)
    y = ((t - 4.0) / (t + 4.0)).polynomial(_ERFC) / (t * 2.0 + 1.0)
    far = (1.0 - exp(-(t * t)) * y).with_sign_of(x)
    return (a < 1.0).choose(near, x.is_nan().choose(x, far))


FUNCTIONS: dict[str, Callable[..., Real]] = {
    "math.acos": acos,
    "math.acosh": acosh,
    "math.asin": asin,
    "math.asinh": asinh,
    "math.atan": atan,
    "math.atan2": atan2,
    "math.atanh": atanh,
    "math.cbrt": cbrt,
    "math.cos": cos,
    "math.cosh": cosh,
    "math.erf": erf,
    "math.exp": exp,
    "math.exp2": exp2,
    "math.expm1": expm1,
    "math.log": log,
    "math.log10": log10,
    "math.log1p": log1p,
    "math.log2": log2,
    "math.powf": pow,
    "math.rsqrt": rsqrt,
    "math.sin": sin,
    "math.sinh": sinh,
    "math.tan": tan,
    "math.tanh": tanh,
}
"""The operations of ``math`` -> the functions."""
