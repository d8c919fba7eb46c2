"""Conversions between f32 and narrower floats as integer arithmetic, on scalars and on vectors.

Every step is one operation on all lanes, so vector code stays vector code. Rounding is to nearest,
ties to even. Subnormal numbers, infinities and NaN are correct on every CPU, unlike with dedicated
instructions (x86's ``vcvtneps2bf16`` treats subnormal numbers as zero).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FixedBitwidthType,
    Float32Type,
    Float64Type,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    VectorType,
    f32,
    f64,
    i32,
    i64,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from kc.dialects.arith import (
    CmpfOp,
    CmpiOp,
    ExtUIOp,
    SelectOp,
    SIToFPOp,
    TruncIOp,
    UIToFPOp,
    element_of,
    like,
)
from kc.support.float_formats import NARROW_IR_FLOATS, FloatFormat

F32_MANTISSA, F32_BIAS = 23, 127
_OTHER_TYPES = (IntegerType, IndexType, MemRefType, LLVMPointerType, Float32Type, Float64Type)


def format_of(type_: Attribute) -> FloatFormat | None:
    """The format of a narrow float type, or of a vector's elements."""
    if isinstance(type_, _OTHER_TYPES):  # most are, and their texts may be long
        return None
    return NARROW_IR_FLOATS.get(str(element_of(type_)))


def code_attr(value: Attribute, form: FloatFormat) -> IntegerAttr | DenseIntOrFPElementsAttr:
    """The bits of ``value``, a constant in ``form``, as an integer constant."""
    integer = IntegerType(form.bits)

    def code(number: float) -> int:
        bits = form.encode(number)
        return bits - ((bits & form.sign) << 1)  # attributes hold signed integers

    if isinstance(value, FloatAttr):
        return IntegerAttr(code(value.value.data), integer)
    assert isinstance(value, DenseIntOrFPElementsAttr)
    kind = like(value.type, integer)
    codes = [code(number) for number in value.get_values() if isinstance(number, float)]
    return DenseIntOrFPElementsAttr.from_list(
        cast(Any, kind), codes[:1] if value.is_splat() else codes
    )


class BitArithmetic:
    """Inserts operations before ``op``, with its location."""

    def __init__(self, op: Operation) -> None:
        self._op = op

    def insert(self, op: Operation) -> SSAValue:
        """Put ``op`` before the operation; its result."""
        op.location = self._op.location
        Rewriter.insert_op(op, InsertPoint.before(self._op))
        return op.results[0]

    # Pieces --------------------------------------------------------------------------------

    def constant(self, value: int | float, type_: Attribute) -> SSAValue:
        """A constant of an integer or float type; for a vector, in every lane."""
        element = element_of(type_)
        if isinstance(element, IntegerType):
            width = element.width.data
            value = int(value) & (1 << width) - 1
            value -= (value >> (width - 1) & 1) << width  # attributes hold signed integers
        if isinstance(type_, VectorType):
            attr = DenseIntOrFPElementsAttr.from_list(type_, [value])  # pyright: ignore
            return self.insert(arith.ConstantOp(attr, type_))
        if isinstance(type_, IntegerType):
            return self.insert(arith.ConstantOp(IntegerAttr(int(value), type_)))
        assert isinstance(type_, AnyFloat)
        return self.insert(arith.ConstantOp(FloatAttr(float(value), type_)))

    def op(
        self, kind: type[arith.SignlessIntegerBinaryOperation], a: SSAValue, b: SSAValue | int
    ) -> SSAValue:
        """``kind`` of two integers, the second of which may be a constant."""
        return self.insert(kind(a, self.constant(b, a.type) if isinstance(b, int) else b))

    def compare(self, predicate: str, a: SSAValue, b: SSAValue | int) -> SSAValue:
        """A comparison of two integers."""
        return self.insert(
            CmpiOp(a, self.constant(b, a.type) if isinstance(b, int) else b, predicate)
        )

    def choose(self, condition: SSAValue, a: SSAValue, b: SSAValue | int) -> SSAValue:
        """A selection: ``a`` if the condition holds, else ``b``."""
        otherwise = self.constant(b, a.type) if isinstance(b, int) else b
        return self.insert(SelectOp(condition, a, otherwise))

    def convert(self, kind: type[Operation], value: SSAValue, element: Attribute) -> SSAValue:
        """Apply the conversion ``kind`` to a value, to the type ``element`` or a vector of it."""
        result = like(value.type, element)
        return self.insert(kind.create(operands=[value], result_types=[result]))

    def as_type(self, value: SSAValue, element: Attribute) -> SSAValue:
        """A bitcast to another type of the same width."""
        return self.insert(arith.BitcastOp(value, like(value.type, element)))

    def bits_of(self, value: SSAValue) -> SSAValue:
        """The bits of a float as an integer of its width."""
        kind = element_of(value.type)
        assert isinstance(kind, FixedBitwidthType)
        return self.as_type(value, IntegerType(kind.bitwidth))

    # Conversions ---------------------------------------------------------------------------

    def widened(self, value: SSAValue) -> SSAValue:
        """A narrow float as f32, exactly."""
        form = format_of(value.type)
        assert form is not None
        code = self.convert(ExtUIOp, self.bits_of(value), i32)
        if form.bias == F32_BIAS:
            # bfloat16 is the upper half of f32.
            return self.as_type(self.op(arith.ShLIOp, code, 32 - form.bits), f32)
        sign = self.op(arith.ShLIOp, self.op(arith.AndIOp, code, form.sign), 32 - form.bits)
        magnitude = self.op(arith.AndIOp, code, form.sign - 1)
        shifted = self.op(arith.ShLIOp, magnitude, F32_MANTISSA - form.mantissa)
        rebase = (F32_BIAS - form.bias) << F32_MANTISSA
        finite = self.op(arith.AddiOp, shifted, rebase)
        # Subnormal numbers are multiples of the smallest one.
        real = like(value.type, f32)
        count = self.convert(SIToFPOp, magnitude, f32)
        smallest = self.constant(2.0 ** (1 - form.bias - form.mantissa), real)
        tiny = self.bits_of(self.insert(arith.MulfOp(count, smallest)))
        small = self.compare("ult", magnitude, 1 << form.mantissa)
        number = self.choose(small, tiny, finite)
        special = self.op(arith.OrIOp, shifted, 0x7F800000 if form.infinities else 0x7FC00000)
        is_number = self.compare("ult", magnitude, form.beyond)
        return self.as_type(
            self.op(arith.OrIOp, self.choose(is_number, number, special), sign), f32
        )

    def narrowed(self, value: SSAValue, element: Attribute) -> SSAValue:
        """The number of the type ``element`` nearest to an f32."""
        form = format_of(element)
        assert form is not None
        if form.bias == F32_BIAS:
            return self._upper_half(value, element)
        code = self.bits_of(value)
        magnitude = self.op(arith.AndIOp, code, 0x7FFFFFFF)
        dropped = F32_MANTISSA - form.mantissa
        # Adds half of the last place, less one if the last digit is even; a carry runs into the
        # exponent.
        odd = self.op(arith.AndIOp, self.op(arith.ShRUIOp, magnitude, dropped), 1)
        rebase = (F32_BIAS - form.bias) << F32_MANTISSA
        half = (1 << (dropped - 1)) - 1
        near = self.op(arith.AddiOp, self.op(arith.AddiOp, magnitude, half - rebase), odd)
        normal = self.op(arith.MinUIOp, self.op(arith.ShRUIOp, near, dropped), form.beyond)
        # Adding the number to an anchor whose last place is the smallest subnormal number rounds it
        # to a multiple of that; the mantissa of the sum is the multiple.
        real = like(value.type, f32)
        anchor = F32_MANTISSA + 1 - form.bias - form.mantissa
        anchor_code = (anchor + F32_BIAS) << F32_MANTISSA
        # A subnormal f32 has no effect here, but its addition may be a microcode assist.
        size = self.as_type(self.op(arith.MaxUIOp, magnitude, 1 << F32_MANTISSA), f32)
        total = self.insert(arith.AddfOp(size, self.constant(2.0**anchor, real)))
        tiny = self.op(arith.SubiOp, self.bits_of(total), anchor_code)
        small = self.compare("ult", magnitude, (F32_BIAS - form.bias + 1) << F32_MANTISSA)
        rounded = self.choose(small, tiny, normal)
        is_nan = self.compare("ugt", magnitude, 0x7F800000)
        nan = self.constant(form.nan, magnitude.type)
        rounded = self.choose(is_nan, nan, rounded)
        sign = self.op(arith.AndIOp, self.op(arith.ShRUIOp, code, 32 - form.bits), form.sign)
        whole = self.convert(TruncIOp, self.op(arith.OrIOp, rounded, sign), IntegerType(form.bits))
        return self.as_type(whole, element)

    def _upper_half(self, value: SSAValue, element: Attribute) -> SSAValue:
        """The bf16 nearest to an f32: its upper half after rounding."""
        code = self.bits_of(value)
        odd = self.op(arith.AndIOp, self.op(arith.ShRUIOp, code, 16), 1)
        near = self.op(arith.AddiOp, self.op(arith.AddiOp, code, 0x7FFF), odd)
        # A carry could make infinity of NaN, which is made quiet instead.
        is_nan = self.insert(CmpfOp(value, value, "uno"))
        rounded = self.choose(is_nan, self.op(arith.OrIOp, code, 0x400000), near)
        upper = self.op(arith.ShRUIOp, rounded, 16)
        whole = self.convert(TruncIOp, upper, IntegerType(16))
        return self.as_type(whole, element)

    def to_odd(self, value: SSAValue, error: SSAValue | None = None) -> SSAValue:
        """An f64 rounded to odd in f32, so that a second rounding to fewer bits gives the result of
        a single one.

        Source: S. Boldo and G. Melquiond, Emulation of FMA and correctly rounded sums, 2008. With
        ``error`` the f64 is rounded itself, and ``value + error`` is exact.
        """
        if error is not None:
            value = self._odd_sum(value, error)
        near = self.convert(arith.TruncFOp, value, f32)
        back = self.convert(arith.ExtFOp, near, element_of(value.type))
        # Ordered comparisons: NaN is unchanged.
        larger, smaller = (
            self.insert(CmpfOp(self.without_sign(a), self.without_sign(b), "ogt"))
            for a, b in ((back, value), (value, back))
        )
        return self._to_odd(near, larger, smaller)

    def _odd_sum(self, value: SSAValue, error: SSAValue) -> SSAValue:
        """``value + error`` rounded to odd in f64, where ``value`` is the f64 nearest to that
        sum.
        """
        zero = self.constant(0.0, value.type)
        positive, negative = (
            self.insert(CmpfOp(error, zero, predicate)) for predicate in ("ogt", "olt")
        )
        below = self.insert(CmpfOp(value, zero, "olt"))
        # Towards zero if the error has the other sign.
        larger = self.choose(below, positive, negative)
        smaller = self.choose(below, negative, positive)
        return self._to_odd(value, larger, smaller)

    def _to_odd(self, value: SSAValue, larger: SSAValue, smaller: SSAValue) -> SSAValue:
        """The odd neighbour of an even float that is too large, or too small, in magnitude."""
        code = self.bits_of(value)
        even = self.compare("eq", self.op(arith.AndIOp, code, 1), 0)
        step = self.choose(larger, self.constant(-1, code.type), 0)
        step = self.choose(smaller, self.constant(1, code.type), step)
        moved = self.op(arith.AddiOp, code, self.choose(even, step, 0))
        return self.as_type(moved, element_of(value.type))

    def without_sign(self, value: SSAValue) -> SSAValue:
        """A float whose sign bit is cleared."""
        return self._masked(arith.AndIOp, value, lambda sign: sign - 1)

    def with_other_sign(self, value: SSAValue) -> SSAValue:
        """A float whose sign bit is flipped."""
        return self._masked(arith.XOrIOp, value, lambda sign: sign)

    def with_sign_of(self, value: SSAValue, source: SSAValue) -> SSAValue:
        """``value`` with the sign bit of ``source``, which has its type."""
        sign = self._masked(arith.AndIOp, source, lambda bit: bit)
        size = self.bits_of(self.without_sign(value))
        joined = self.op(arith.OrIOp, size, self.bits_of(sign))
        return self.as_type(joined, element_of(value.type))

    def _masked(
        self,
        kind: type[arith.SignlessIntegerBinaryOperation],
        value: SSAValue,
        mask: Callable[[int], int],
    ) -> SSAValue:
        """Apply ``kind`` to the bits of a float and a mask that ``mask`` derives from the sign
        bit.
        """
        code = self.bits_of(value)
        scalar = element_of(code.type)
        assert isinstance(scalar, IntegerType)
        width = scalar.width.data
        number = mask(1 << (width - 1))
        return self.as_type(self.op(kind, code, number), element_of(value.type))

    # Integers and fused operations ---------------------------------------------------------

    def of_integer(self, value: SSAValue, signed: bool) -> SSAValue:
        """An integer as a float that rounds to every narrow type as the integer does."""
        scalar = element_of(value.type)
        assert isinstance(scalar, IntegerType)
        kind = SIToFPOp if signed else UIToFPOp
        if scalar.width.data <= 16:
            return self.convert(kind, value, f32)
        if scalar.width.data <= 32:
            return self.to_odd(self.convert(kind, value, f64))
        # 53 bits are exact; beyond them, the last kept bit records whether any dropped bit is set.
        shift = arith.ShRSIOp if signed else arith.ShRUIOp
        lost = self.compare("ne", self.op(arith.AndIOp, value, 0x7FF), 0)
        sticky = self.convert(ExtUIOp, lost, i64)
        upper = self.op(arith.OrIOp, self.op(shift, value, 11), sticky)
        rounded = self.op(arith.ShLIOp, upper, 11)
        if signed:
            low = self.op(arith.AddiOp, value, 1 << 53)
            exact = self.compare("ule", low, 1 << 54)
        else:
            exact = self.compare("ule", value, 1 << 53)
        return self.to_odd(self.convert(kind, self.choose(exact, value, rounded), f64))

    def fused(self, a: SSAValue, b: SSAValue, c: SSAValue) -> SSAValue:
        """``a * b + c`` of three f32 with narrow values, as an f32 that rounds like the exact
        result.
        """
        x, y, z = (self.convert(arith.ExtFOp, value, f64) for value in (a, b, c))
        product = self.insert(arith.MulfOp(x, y))  # exact: the product fits in 53 bits
        total = self.insert(arith.AddfOp(product, z))
        # The error of the sum (Knuth's two-sum). Infinities make it NaN, which changes nothing.
        part = self.insert(arith.SubfOp(total, product))
        rest = self.insert(arith.SubfOp(product, self.insert(arith.SubfOp(total, part))))
        error = self.insert(arith.AddfOp(self.insert(arith.SubfOp(z, part)), rest))
        return self.to_odd(total, error)
