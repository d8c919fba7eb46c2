"""Numbers that emit IR: each operation on a number adds an operation to the program.

:class:`Real` numbers are values of f32 or f64, or vectors of them. The emitted operations of
``arith`` and ``math`` exist on every machine: sums, products, quotients, square roots, fused
multiply-adds, rounding, comparisons, and bit operations on floats. They have no fast-math flags,
because some of them compute rounding errors exactly, which another order of the operations would
destroy.
"""

from __future__ import annotations

import math as python_math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, getcontext

from xdsl.dialects import arith, math, scf, vector
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    Float32Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    VectorType,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from kc.dialects.arith import CmpfOp, CmpiOp, SelectOp, like, vector_class
from kc.dialects.direct_access import new_operation
from kc.dialects.llvm.call import CallIntrinsicOp
from kc.dialects.scf import WhileOp
from kc.dialects.vector import ExtractStridedSliceOp, InsertStridedSliceOp

getcontext().prec = 90
LN2 = Decimal("0.693147180559945309417232121458176568075500134360255254120680")
LOG10_2 = Decimal("0.301029995663981195213738894724493026768189881462108541310427")
PI = Decimal(
    "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211"
)

LANES = 16
"""The number of f32 lanes in a vector of AVX-512."""

_NO_FLAGS = arith.FastMathFlagsAttr("none")

Coefficients = tuple[Sequence[float], Sequence[float]]
"""The coefficients of a polynomial, from the lowest power on, for f32 and for f64."""


@dataclass
class Code:
    """The insertion point of operations, and the properties of the target machine."""

    emit: Callable[[Operation], None]
    has_fma: bool = True
    """True if a fused multiply-add is one instruction."""
    has_exponents: bool = False
    """True if the target has the AVX-512 instructions that scale vectors of f32 by powers of 2, and
    that extract exponents and fractions.
    """
    has_slow_quotients: bool = False
    """True if a division takes much longer than a product with a reciprocal and its correction."""
    has_slow_subnormals: bool = True
    """True if the target may handle subnormal numbers in microcode, as CPUs do and GPUs do not."""
    library: Callable[[SSAValue], SSAValue] | None = None
    """The function of the C library; None if the target has no such function."""
    constants: dict[tuple[Attribute, float], SSAValue] = field(default_factory=dict)

    def add(self, op: Operation) -> SSAValue:
        """Insert an operation, and return its result."""
        self.emit(op)
        return op.results[0]

    def constant(self, value: float, type_: Attribute) -> SSAValue:
        """A constant. Equal constants share an operation."""
        key = (type_, value)
        if value == 0 or value != value or key not in self.constants:
            properties = {"value": _attribute(value, type_)}
            op = new_operation(arith.ConstantOp, (), [type_], properties)
            self.constants[key] = self.add(op)
        return self.constants[key]


def _attribute(value: float, type_: Attribute) -> Attribute:
    if isinstance(type_, VectorType):
        return DenseIntOrFPElementsAttr.from_list(type_, [value])  # pyright: ignore
    if isinstance(type_, IntegerType):
        return IntegerAttr(int(value), type_)
    return FloatAttr(value, type_)  # pyright: ignore


class Value:
    """A value, and the code to which its operations are added."""

    def __init__(self, value: SSAValue, code: Code) -> None:
        self.value = value
        self.code = code

    @property
    def element(self) -> Attribute:
        """The type of the value, or of its lanes."""
        type_ = self.value.type
        return type_.element_type if isinstance(type_, VectorType) else type_

    @property
    def is_vector(self) -> bool:
        """True if the value has lanes. Values without lanes must not branch, because LLVM
        vectorizes loops over scalars only without branches.
        """
        return isinstance(self.value.type, VectorType)

    def constant(self, value: float, element: Attribute) -> SSAValue:
        """A constant in the shape of this value."""
        return self.code.constant(value, like(self.value.type, element))


class Bool(Value):
    """A condition."""

    def __and__(self, second: Bool) -> Bool:
        return Bool(self.code.add(arith.AndIOp(self.value, second.value)), self.code)

    def __or__(self, second: Bool) -> Bool:
        return Bool(self.code.add(arith.OrIOp(self.value, second.value)), self.code)

    def __xor__(self, second: Bool) -> Bool:
        return Bool(self.code.add(arith.XOrIOp(self.value, second.value)), self.code)

    def choose(self, yes: Real, no: Real | float) -> Real:
        """``yes`` where the condition holds, and ``no`` elsewhere."""
        operands = [self.value, yes.value, yes.real(no).value]
        return yes.of(self.code.add(new_operation(SelectOp, operands, [yes.value.type], {})))

    def pick(self, yes: Integer, no: Integer) -> Integer:
        """``yes`` where the condition holds, and ``no`` elsewhere."""
        operands = [self.value, yes.value, no.value]
        op = new_operation(SelectOp, operands, [yes.value.type], {})
        return Integer(self.code.add(op), self.code)

    def any(self) -> SSAValue:
        """True if the condition holds in any lane."""
        if not isinstance(self.value.type, VectorType):
            return self.value
        kind = vector.CombiningKindAttr(vector.CombiningKindFlag.OR)
        return self.code.add(
            vector.ReductionOp.create(
                operands=[self.value], result_types=[i1], properties={"kind": kind}
            )
        )


class Integer(Value):
    """An integer as wide as a float."""

    def _with(self, kind: type[Operation], second: Integer | int) -> Integer:
        if isinstance(second, int):
            second = Integer(self.constant(second, self.element), self.code)
        return Integer(self.code.add(kind(self.value, second.value)), self.code)  # pyright: ignore

    def __add__(self, second: Integer | int) -> Integer:
        return self._with(arith.AddiOp, second)

    def __sub__(self, second: Integer | int) -> Integer:
        return self._with(arith.SubiOp, second)

    def __and__(self, second: Integer | int) -> Integer:
        return self._with(arith.AndIOp, second)

    def __or__(self, second: Integer | int) -> Integer:
        return self._with(arith.OrIOp, second)

    def __xor__(self, second: Integer | int) -> Integer:
        return self._with(arith.XOrIOp, second)

    def __lshift__(self, second: int) -> Integer:
        return self._with(arith.ShLIOp, second)

    def __rshift__(self, second: int) -> Integer:
        """The bits shifted to the right, with zeros from the left."""
        return self._with(arith.ShRUIOp, second)

    def is_(self, value: int) -> Bool:
        """True if the integer equals ``value``."""
        number = self.constant(value, self.element)
        return Bool(self.code.add(CmpiOp(self.value, number, "eq")), self.code)

    def narrow(self) -> Integer:
        """The low 32 of 64 bits."""
        kind = vector_class(arith.TruncIOp)
        op = kind.create(operands=[self.value], result_types=[like(self.value.type, i32)])
        return Integer(self.code.add(op), self.code)

    def bits(self, like: Real) -> Real:
        """The float with these bits."""
        op = new_operation(arith.BitcastOp, [self.value], [like.value.type], {})
        return like.of(self.code.add(op))


class Real(Value):
    """A float of 32 or 64 bits, or a vector of them."""

    def of(self, value: SSAValue) -> Real:
        """``value`` as a Real that adds its operations to the same code."""
        return Real(value, self.code)

    def real(self, number: Real | float | Decimal) -> Real:
        """``number``, or a constant of this type."""
        if isinstance(number, Real):
            return number
        return self.of(self.constant(float(number), self.element))

    @property
    def is_single(self) -> bool:
        """True if an element has 32 bits."""
        return isinstance(self.element, Float32Type)

    @property
    def mantissa(self) -> int:
        """The number of bits of the fraction."""
        return 23 if self.is_single else 52

    @property
    def bias(self) -> int:
        """The bias of the exponent."""
        return 127 if self.is_single else 1023

    @property
    def least_normal(self) -> float:
        """The smallest positive number that is not subnormal."""
        return 2.0 ** (1 - self.bias)

    @property
    def least_exponent(self) -> int:
        """The exponent of the smallest subnormal number."""
        return 1 - self.bias - self.mantissa

    # Arithmetic

    def _with(self, kind: type[Operation], *further: Real | float | Decimal) -> Real:
        operands = [self.value, *[self.real(number).value for number in further]]
        op = new_operation(kind, operands, [self.value.type], {"fastmath": _NO_FLAGS})
        return self.of(self.code.add(op))

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
        return self._with(arith.NegfOp)

    def times_plus(self, factor: Real | float | Decimal, term: Real | float | Decimal) -> Real:
        """``self * factor + term``, rounded once if the machine has an fma."""
        if not self.code.has_fma:
            return self * factor + term
        return self._with(math.FmaOp, factor, term)

    def product(self, factor: Real) -> tuple[Real, Real]:
        """The rounded product, and its rounding error (without an fma by the method of T. J.
        Dekker).
        """
        high = self * factor
        if self.code.has_fma:
            return high, self.times_plus(factor, -high)
        a, a_rest = self.halves()
        b, b_rest = factor.halves()
        return high, ((a * b - high) + a * b_rest + a_rest * b) + a_rest * b_rest

    def halves(self) -> tuple[Real, Real]:
        """A number with the upper half of the digits, and the rest."""
        mask = -(1 << (12 if self.is_single else 27))
        upper = (self.bits() & mask).bits(self)
        return upper, self - upper

    def plus(self, lesser: Real) -> tuple[Real, Real]:
        """The rounded sum with a number of at most this magnitude, and its rounding error."""
        total = self + lesser
        return total, lesser - (total - self)

    def sum(self, second: Real) -> tuple[Real, Real]:
        """The rounded sum with any number, and its rounding error (D. E. Knuth)."""
        total = self + second
        part = total - self
        return total, (self - (total - part)) + (second - part)

    def polynomial(self, coefficients: Coefficients) -> Real:
        """A polynomial of this number, with the coefficients for its type, by Horner's rule."""
        *rest, last = coefficients[0 if self.is_single else 1]
        result = self.real(last)
        for coefficient in reversed(rest):
            result = result.times_plus(self, coefficient)
        return result

    def polynomial_in_pairs(self, coefficients: Coefficients) -> Real:
        """A polynomial of this number by squares of squares (G. Estrin). This takes a few more
        products than :meth:`polynomial`, but a shorter chain of dependent operations. The number
        must be 0 or of moderate size.
        """
        numbers = coefficients[0 if self.is_single else 1]
        pairs = [
            self.times_plus(numbers[n + 1], numbers[n]) if n + 1 < len(numbers) else numbers[n]
            for n in range(0, len(numbers), 2)
        ]
        power = self
        while len(pairs) > 1:
            power = power * power
            pairs = [
                power.times_plus(pairs[n + 1], pairs[n]) if n + 1 < len(pairs) else pairs[n]
                for n in range(0, len(pairs), 2)
            ]
        return self.real(pairs[0])

    def abs(self) -> Real:
        return self.of(self.code.add(math.AbsFOp(self.value)))

    def sqrt(self) -> Real:
        return self.of(self.code.add(math.SqrtOp(self.value)))

    def floor(self) -> Real:
        return self.of(self.code.add(math.FloorOp(self.value)))

    def truncated(self) -> Real:
        """The number rounded towards 0 to a whole number."""
        return self.of(self.code.add(math.TruncOp(self.value)))

    def with_sign_of(self, second: Real) -> Real:
        return self.of(self.code.add(math.CopySignOp(self.value, second.value)))

    def flipped(self, condition: Bool) -> Real:
        """The number, negated where a condition holds."""
        return condition.choose(-self, self)

    # Comparisons: false for NaN

    def _compare(self, second: Real | float, kind: str) -> Bool:
        return Bool(self.code.add(CmpfOp(self.value, self.real(second).value, kind)), self.code)

    def __lt__(self, second: Real | float) -> Bool:
        return self._compare(second, "olt")

    def __le__(self, second: Real | float) -> Bool:
        return self._compare(second, "ole")

    def __gt__(self, second: Real | float) -> Bool:
        return self._compare(second, "ogt")

    def __ge__(self, second: Real | float) -> Bool:
        return self._compare(second, "oge")

    def is_no_less(self, second: Real | float) -> Bool:
        """True if the number is at least ``second``, or if either is NaN."""
        return self._compare(second, "uge")

    def is_less(self, second: Real | float) -> Bool:
        """True if the number is less than ``second``, or if either is NaN."""
        return self._compare(second, "ult")

    def is_(self, second: Real | float) -> Bool:
        """True if the number equals ``second``."""
        return self._compare(second, "oeq")

    def is_nan(self) -> Bool:
        return self._compare(self, "uno")

    def least(self, limit: Real | float) -> Real:
        """The lesser of two numbers; this number if it is NaN. Most machines have an instruction
        for it.
        """
        return (self > limit).choose(self.real(limit), self)

    def greatest(self, limit: Real | float) -> Real:
        """The greater of two numbers; this number if it is NaN."""
        return (self < limit).choose(self.real(limit), self)

    def without_tiny(self, single: int, double: int) -> Real:
        """The number, or 0 where its magnitude is less than 2**-single in f32 (2**-double in
        f64).
        """
        return self.is_tiny(single, double).choose(self.real(0.0), self)

    def is_tiny(self, single: int, double: int) -> Bool:
        """True if the magnitude is less than 2**-single in f32, or 2**-double in f64."""
        return self.abs() < 2.0 ** -(single if self.is_single else double)

    # Subnormal numbers: many processors compute with one, or one as a result, by microcode, in some
    # 150 cycles. So they are made and read as integers; comparisons and choices take no longer.

    def is_subnormal(self) -> Bool:
        """True if the number is subnormal or 0."""
        return self.abs() < self.least_normal

    def is_nearly_subnormal(self) -> Bool:
        """True if the magnitude is less than 8 times the least normal number. The test reads all
        bits of the exponent except the low three, and is one instruction. (LLVM recognizes a test
        of all bits of the exponent as a test of the class of a float, which takes several
        instructions.)
        """
        mask = (2 * self.bias + 1 - 7) << self.mantissa
        return (self.bits() & mask).is_(0)

    def subnormal_times(self, exponent: int = 0) -> Real:
        """The number times 2**(bias - 1 + exponent) if it is subnormal or 0; undefined for
        others.
        """
        unit = (self.bias + exponent) << self.mantissa
        return (self.bits() | unit).bits(self) - self.real(2.0**exponent).with_sign_of(self)

    def lowered(self, scale: int, *, is_positive: bool = False) -> Real:
        """The number times 2**-scale, rounded once, if the product is subnormal or 0; undefined
        otherwise. The added power of 2 shifts out the digits that a subnormal number lacks, so that
        the remaining digits are at the same places as in the result.
        """
        unit = 1 - self.bias + scale
        least = self.real(2.0**unit)
        pushed = self + (least if is_positive else least.with_sign_of(self))
        return (pushed.bits() - ((self.bias + unit) << self.mantissa)).bits(self)

    def lowered_where(self, condition: Bool, scale: int) -> Real:
        """A positive number, :meth:`lowered` where a condition holds. Selected constants are added
        and subtracted, which are instructions with masks.
        """
        unit = 1 - self.bias + scale
        pushed = condition.choose(self + 2.0**unit, self)
        bits = pushed.bits()
        taken = bits - ((self.bias + unit) << self.mantissa)
        return condition.pick(taken, bits).bits(self)

    def divided(self, exponent: int) -> Real:
        """The number divided by 2**exponent, if it and the quotient are normal numbers; undefined
        otherwise. The division is an integer subtraction, because a product would be subnormal for
        the undefined cases even if a select discards it: LLVM multiplies before it selects.
        """
        return (self.bits() - (exponent << self.mantissa)).bits(self)

    def halved(self) -> Real:
        """Half of a number, rounded once."""
        is_low = self.abs() < 2 * self.least_normal
        size = self.abs().bits()
        half = (size >> 1) + (size & (size >> 1) & 1)
        return is_low.choose(half.bits(self).with_sign_of(self), self.divided(1))

    # Bits

    def bits(self) -> Integer:
        """The bits of the number as an integer."""
        integer = i32 if self.is_single else i64
        type_ = like(self.value.type, integer)
        op = new_operation(arith.BitcastOp, [self.value], [type_], {})
        return Integer(self.code.add(op), self.code)

    @property
    def magic(self) -> float:
        """The addend that rounds a number to an integer, and leaves the integer in the low bits of
        the sum. The addition replaces a conversion to integers, which not all machines have for
        vectors, and a rounding instruction.
        """
        return 1.5 * 2.0**self.mantissa

    def rounded(self, factor: Real | float | Decimal = 1.0) -> tuple[Real, Integer]:
        """The whole number closest to ``self * factor``, as a float and as the low bits of an
        integer (whose high bits are undefined).
        """
        pushed = self.times_plus(factor, self.magic) if factor != 1.0 else self + self.magic
        return pushed - self.magic, pushed.bits()

    def power_of_2(self, exponent: Integer) -> Real:
        """2**n for an n in the range of normal numbers, which the low bits of ``exponent`` hold."""
        bits_of_1 = self.bias << self.mantissa
        return ((exponent << self.mantissa) + bits_of_1).bits(self)

    @property
    def lift(self) -> int:
        """The exponent of the power of 2 by which subnormal numbers are multiplied to become
        normal.
        """
        return 96 if self.is_single else 960

    def half_rounded(self) -> Integer:
        """A whole number close to half of this number, as the low bits of an integer."""
        return self.times_plus(0.5, self.magic).bits()

    def scaled_in_steps(self, number: Real, exponent: Integer) -> Real:
        """This number times 2**n, which may be out of range. n is passed as a float and as an
        integer. The product is computed in two steps, so that it is rounded once, and may be
        subnormal.
        """
        half = number.half_rounded()
        return self * self.power_of_2(half) * self.power_of_2(exponent - half)

    def scaled(
        self, number: Real, exponent: Integer, is_low: Bool | None = None, lift: int | None = None
    ) -> Real:
        """This number times 2**n, which may overflow, and times 2**lift where ``is_low``. n is
        passed as a float and as an integer. The product must not be subnormal.
        """
        lift = self.lift if lift is None else lift
        if self._has_instructions:
            if is_low is not None:
                number = is_low.choose(number + float(lift), number)
            return self._scaled_by(number)
        # 2**bias is the largest power of 2; 2**(bias + 1) overflows.
        above = number > 0.0
        exponent = above.pick(exponent - 1, exponent)
        if is_low is not None:
            exponent = is_low.pick(exponent + lift, exponent)
        return above.choose(self + self, self) * self.power_of_2(exponent)

    def over(self, divisor: Real, rest: Real | None = None) -> Real:
        """``self / (divisor + rest)``, with nearly correct rounding. The divisor and the quotient
        must be of moderate size, and ``rest`` small in comparison with the divisor.

        AVX-512 computes an inverse to 14 bits (in f64 it is refined to 28). The residual of the
        product with this inverse is exact to as many bits as the inverse lacks.
        """
        if rest is None and not (self._has_instructions and self.code.has_slow_quotients):
            return self / divisor
        inverse = divisor.near_inverse()
        quotient = self * inverse
        if self.code.has_fma:
            missing = quotient.times_plus(-divisor, self)
        else:
            high, low = quotient.product(divisor)
            missing = (self - high) - low
        if rest is not None:
            missing = quotient.times_plus(-rest, missing)
        return missing.times_plus(inverse, quotient)

    def near_inverse(self) -> Real:
        """1 / this number, to 14 bits in f32 and to 28 bits in f64; with AVX-512 by an
        instruction.
        """
        if not self._has_instructions:
            return 1.0 / self
        inverse = self._by_instruction("rcp14", [self.value], [], rounds=False)
        if self.is_single:
            return inverse
        return inverse.times_plus(inverse.times_plus(-self, 1.0), inverse)

    def times_power_of_2(self, exponent: Integer) -> Real:
        """This number times 2**n for normal numbers and normal products. The low bits of
        ``exponent`` hold n.
        """
        return (self.bits() + (exponent << self.mantissa)).bits(self)

    @property
    def has_exponent(self) -> bool:
        """True if instructions compute :meth:`exponent_and_fraction`."""
        return self._has_instructions and self.is_single

    @property
    def _has_instructions(self) -> bool:
        """True if the value is a vector that the instructions of AVX-512 accept."""
        type_ = self.value.type
        lanes = type_.get_shape() if isinstance(type_, VectorType) else ()
        return self.code.has_exponents and len(lanes) == 1 and lanes[0] % self._lanes == 0

    @property
    def _lanes(self) -> int:
        """The number of elements in a vector of AVX-512."""
        return LANES if self.is_single else LANES // 2

    def exponent_and_fraction(self) -> tuple[Real, Real]:
        """e and m with this number = 2**e m, m from 0.75 up to 1.5, by instructions.

        Subnormal numbers are supported. For 0 and infinity, e is -infinity and infinity, and m is 1
        (-1 for -0). For negative numbers and NaN, m is NaN.
        """
        interval_and_sign = 0b1011
        m = self._taken_apart("getmant", interval_and_sign)
        return self._taken_apart("getexp") - m._taken_apart("getexp"), m

    def _taken_apart(self, what: str, *immediates: int) -> Real:
        """The result of an instruction of AVX-512 for all lanes, in the current rounding mode."""
        more = [self.code.constant(number, i32) for number in immediates]
        return self._by_instruction(what, [self.value], more)

    def _scaled_by(self, power: Real) -> Real:
        """The number times 2**power, for a whole number ``power``."""
        return self._by_instruction("scalef", [self.value, power.value], [])

    def _by_instruction(
        self,
        name: str,
        vectors: Sequence[SSAValue],
        more: Sequence[SSAValue],
        *,
        rounds: bool = True,
    ) -> Real:
        """The result of an instruction of AVX-512, called for as many lanes at a time as it
        takes.
        """
        code, type_ = self.code, self.value.type
        assert isinstance(type_, VectorType)
        piece = VectorType(type_.element_type, [self._lanes])
        zero, all_lanes = code.constant(0.0, piece), code.constant(-1, IntegerType(self._lanes))
        prefix = "mask." if rounds else ""
        intrinsic = f"llvm.x86.avx512.{prefix}{name}.p{'s' if self.is_single else 'd'}.512"
        rounding = [code.constant(4, i32)] if rounds else []

        def call(parts: Sequence[SSAValue]) -> SSAValue:
            operands = [*parts, *more, zero, all_lanes, *rounding]
            return code.add(CallIntrinsicOp(intrinsic, operands, [piece]))

        if type_ == piece:
            return self.of(call(vectors))
        result = self.real(0.0).value
        for start in range(0, type_.get_shape()[0], self._lanes):
            offsets, sizes, strides = (
                ArrayAttr([IntegerAttr(number, i64)]) for number in (start, self._lanes, 1)
            )
            parts = [
                code.add(
                    ExtractStridedSliceOp.create(
                        operands=[vector],
                        result_types=[piece],
                        properties={"offsets": offsets, "sizes": sizes, "strides": strides},
                    )
                )
                for vector in vectors
            ]
            whole = InsertStridedSliceOp.create(
                operands=[call(parts), result],
                result_types=[type_],
                properties={"offsets": offsets, "strides": strides},
            )
            result = code.add(whole)
        return self.of(result)

    def wide(self) -> Real:
        """The number extended to 64 bits."""
        if not self.is_single:
            return self
        return self.of(self.code.add(arith.ExtFOp(self.value, like(self.value.type, f64))))

    def as_(self, like: Real) -> Real:
        """The number converted to the type of another."""
        if self.is_single == like.is_single:
            return self
        return self.of(self.code.add(arith.TruncFOp(self.value, like.value.type)))

    def parts(self, number: Decimal, *bits: int) -> list[float]:
        """A constant as a sum of constants. The leading ones have the numbers of bits in
        ``bits``.
        """
        parts: list[float] = []
        for count in bits:
            _, exponent = python_math.frexp(float(number))
            scale = Decimal(2) ** (count - exponent)
            part = (number * scale).to_integral_value() / scale
            parts.append(float(part))
            number -= part
        return [*parts, float(number)]

    def unless(self, condition: Bool, rare: Callable[[], Real]) -> Real:
        """This number, or the result of ``rare`` for all lanes if the condition holds in any lane.
        ``rare`` is computed in a branch.
        """
        (result,) = either(condition, lambda: [rare()], lambda: [self])
        return self.of(result)


def either(
    condition: Bool, rare: Callable[[], Sequence[Value]], usual: Callable[[], Sequence[Value]]
) -> list[SSAValue]:
    """The results of ``rare`` for all lanes if the condition holds in any lane, and of ``usual``
    otherwise. Each is computed in its own branch.
    """
    code, test = condition.code, condition.any()
    outer, constants = code.emit, code.constants
    blocks: list[Block] = []
    types: list[Attribute] = []
    for values in (rare, usual):
        block = Block()
        code.emit, code.constants = block.add_op, dict(constants)
        results = [result.value for result in values()]
        block.add_op(scf.YieldOp(*results))
        blocks.append(block)
        types = [result.type for result in results]
    code.emit, code.constants = outer, constants
    then, otherwise = map(Region, blocks)
    branch = scf.IfOp(test, types, then, otherwise)
    code.emit(branch)
    return list(branch.results)


def repeated(
    values: Sequence[Real], step: Callable[..., tuple[Bool, Sequence[Real]]]
) -> list[Real]:
    """The numbers after the last step of a loop, which ends when the condition of a step holds in
    no lane.

    ``step`` takes the numbers, and returns the condition and the next numbers.
    """
    code = values[0].code
    types = [number.value.type for number in values]
    outer, constants = code.emit, dict(code.constants)
    body, again = Block(arg_types=types), Block(arg_types=types)
    code.emit = body.add_op
    condition, following = step(*(Real(arg, code) for arg in body.args))
    body.add_op(scf.ConditionOp(condition.any(), *(number.value for number in following)))
    again.add_op(scf.YieldOp(*again.args))
    code.emit, code.constants = outer, constants
    initial = [number.value for number in values]
    loop = WhileOp(initial, types, Region(body), Region(again))
    code.emit(loop)
    return [Real(result, code) for result in loop.results]


INFINITY = python_math.inf
NAN = python_math.nan
