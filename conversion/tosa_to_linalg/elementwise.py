"""Element-wise ops of tosa."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import arith, math, tensor
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    i1,
    i32,
    i64,
)
from xdsl.dialects.tosa import NanMode, NanModeAttr, RoundingMode, RoundingModeAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion.tosa_to_linalg.emitter import (
    INDEX,
    Emitter,
    choose,
    clamped,
    compare,
    dims,
    extremes,
    is_float,
    is_nan,
    minus,
    number,
    plus,
    refused,
    resized,
    tensor_type,
    times,
)
from kc.dialects.arith import FPToSIOp, SIToFPOp
from kc.dialects.tosa import ConstOp, TosaOp

Scalar = Callable[..., SSAValue]


def _op(float_op: type | None, integer_op: type | None = None) -> Scalar:
    def body(op: TosaOp, *args: SSAValue) -> SSAValue:
        kind = float_op if is_float(args[0]) else integer_op
        if kind is None:
            raise refused(op, f"it does not support elements of type {args[0].type}")
        return kind(*args).result

    return body


def _abs(op: TosaOp, x: SSAValue) -> SSAValue:
    return (math.AbsFOp if is_float(x) else math.AbsIOp)(x).result


def _bitwise_not(op: TosaOp, x: SSAValue) -> SSAValue:
    return arith.XOrIOp(x, number(-1, x.type)).result


def _reciprocal(op: TosaOp, x: SSAValue) -> SSAValue:
    return arith.DivfOp(number(1, x.type), x).result


def _sigmoid(op: TosaOp, x: SSAValue) -> SSAValue:
    unit = number(1, x.type)
    return arith.DivfOp(unit, plus(unit, math.ExpOp(arith.NegfOp(x).result).result)).result


def _identity(op: TosaOp, x: SSAValue) -> SSAValue:
    return x


def _comparison(predicate: str) -> Scalar:
    return lambda op, a, b: compare(a, predicate, b)


def ignores_nan(op: TosaOp) -> bool:
    """True if a minimum or maximum ignores NaN operands."""
    mode = op.properties.get("nan_mode")
    return isinstance(mode, NanModeAttr) and mode.data == NanMode.IGNORE


def larger(op: TosaOp, a: SSAValue, b: SSAValue) -> SSAValue:
    """The larger of two numbers, by the op's rule for NaN."""
    if is_float(a):
        return (arith.MaxnumfOp if ignores_nan(op) else arith.MaximumfOp)(a, b).result
    return arith.MaxSIOp(a, b).result


def smaller(op: TosaOp, a: SSAValue, b: SSAValue) -> SSAValue:
    """The smaller of two numbers, by the op's rule for NaN."""
    if is_float(a):
        return (arith.MinnumfOp if ignores_nan(op) else arith.MinimumfOp)(a, b).result
    return arith.MinSIOp(a, b).result


def _arithmetic_right_shift(op: TosaOp, a: SSAValue, b: SSAValue) -> SSAValue:
    if is_float(a):
        raise refused(op, f"it does not support elements of type {a.type}")
    shifted = arith.ShRSIOp(a, b).result
    rounds = op.properties["round"]
    if not isinstance(rounds, IntegerAttr) or not rounds.value.data:
        return shifted
    unit, zero = number(1, a.type), number(0, a.type)
    is_shifted = compare(b, "gt", zero)
    before = arith.ShRSIOp(a, choose(is_shifted, minus(b, unit), zero)).result
    last = choose(is_shifted, arith.AndIOp(before, unit).result, zero)
    return plus(shifted, last)


def _clamp(op: TosaOp, x: SSAValue) -> SSAValue:
    if x.type == i1:
        raise refused(op, "it supports floats, and integers of more than one bit")
    limits: list[SSAValue] = []
    for name in ("min_val", "max_val"):
        value = op.properties[name]
        if not isinstance(value, IntegerAttr | FloatAttr):
            raise refused(op, f"its {name} must be a number")
        limits.append(number(value.value.data, x.type))
    return smaller(op, larger(op, x, limits[0]), limits[1])


def _cast(op: TosaOp, x: SSAValue) -> SSAValue:
    result = tensor_type(op.outputs[0]).get_element_type()
    if x.type == result:
        return x
    if isinstance(result, AnyFloat):
        if is_float(x):
            return resized(x, result)
        if x.type == i1:
            return choose(x, number(1, result), number(0, result))
        return SIToFPOp(x, result).result
    assert isinstance(result, IntegerType)
    if result == i1:
        return compare(x, "ne", number(0, x.type))
    if not is_float(x):
        return resized(x, result)
    # To the nearest, ties to even; saturated; 0 for NaN.
    low, high = extremes(result)
    nearest = math.RoundEvenOp(x).result
    beyond = compare(nearest, "ge", number(2.0 ** (result.width.data - 1), x.type))
    below = compare(nearest, "le", number(low, x.type))
    outside = arith.OrIOp(arith.OrIOp(beyond, below).result, is_nan(x)).result
    inside = FPToSIOp(choose(outside, number(0, x.type), nearest), result).result
    at_end = choose(below, number(low, result), inside)
    return choose(beyond, number(high, result), at_end)


BODIES: dict[str, Scalar] = {
    "abs": _abs,
    "bitwise_not": _bitwise_not,
    "logical_not": lambda op, x: arith.XOrIOp(x, number(1, x.type)).result,
    "ceil": _op(math.CeilOp),
    "clz": _op(None, math.CountLeadingZerosOp),
    "cos": _op(math.CosOp),
    "erf": _op(math.ErfOp),
    "exp": _op(math.ExpOp),
    "floor": _op(math.FloorOp),
    "log": _op(math.LogOp),
    "reciprocal": _reciprocal,
    "rsqrt": _op(math.RsqrtOp),
    "sigmoid": _sigmoid,
    "sin": _op(math.SinOp),
    "tanh": _op(math.TanhOp),
    "identity": _identity,
    "cast": _cast,
    "clamp": _clamp,
    "add": lambda op, a, b: plus(a, b),
    "sub": lambda op, a, b: minus(a, b),
    "pow": _op(math.PowFOp),
    "intdiv": _op(None, arith.DivSIOp),
    "bitwise_and": _op(None, arith.AndIOp),
    "bitwise_or": _op(None, arith.OrIOp),
    "bitwise_xor": _op(None, arith.XOrIOp),
    "logical_and": _op(None, arith.AndIOp),
    "logical_or": _op(None, arith.OrIOp),
    "logical_xor": _op(None, arith.XOrIOp),
    "logical_left_shift": _op(None, arith.ShLIOp),
    "logical_right_shift": _op(None, arith.ShRUIOp),
    "arithmetic_right_shift": _arithmetic_right_shift,
    "equal": _comparison("eq"),
    "greater": _comparison("gt"),
    "greater_equal": _comparison("ge"),
    "maximum": larger,
    "minimum": smaller,
    "select": lambda op, condition, a, b: choose(condition, a, b),
}
"""The scalar function of each op."""


def broadcast(
    emitter: Emitter, operands: Sequence[SSAValue]
) -> tuple[list[tuple[SSAValue, list[AffineExpr]]], list[AffineExpr], list[int]]:
    """Operands with the index at which each is read, the loops, and the result's shape.

    An extent of 1 is read at 0 for every element of the result; ranks are equal.
    """
    shapes = [tensor_type(operand).get_shape() for operand in operands]
    if len({len(shape) for shape in shapes}) != 1:
        raise refused(
            emitter.op,
            "its operands must have the same number of dimensions",
            *(f"operand {n} is {operand.type}" for n, operand in enumerate(operands)),
        )
    result = list(tensor_type(emitter.op.results[0]).get_shape())
    every = dims(*range(len(shapes[0])))
    read: list[tuple[SSAValue, list[AffineExpr]]] = []
    for operand, shape in zip(operands, shapes, strict=True):
        exprs = [
            AffineExpr.constant(0) if extent == 1 and whole != 1 else loop
            for extent, whole, loop in zip(shape, result, every, strict=True)
        ]
        read.append((operand, exprs))
    return read, every, result


class ConvertElementwise(RewritePattern):
    """The ops of :data:`BODIES`, with broadcasting of extents of 1."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TosaOp, rewriter: PatternRewriter, /) -> None:
        body = BODIES.get(op.name.removeprefix("tosa."))
        if body is None:
            return
        emitter = Emitter(op, rewriter)
        read, every, shape = broadcast(emitter, op.inputs)
        element = tensor_type(op.outputs[0]).get_element_type()
        values = emitter.generic(read, element, every, lambda *args: body(op, *args), shape=shape)
        emitter.replace(*values)


class ConvertConst(RewritePattern):
    """``tosa.const`` -> ``arith.constant``."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ConstOp, rewriter: PatternRewriter, /) -> None:
        values = op.values
        if not isinstance(values, DenseIntOrFPElementsAttr | DenseResourceAttr):
            raise refused(op, "its values must be dense", f"its values are {values}")
        constant = arith.ConstantOp(values, op.output.type)
        constant.result.name_hint = op.output.name_hint
        rewriter.replace(op, constant)


class ConvertMul(RewritePattern):
    """``tosa.mul``: of floats, or of integers; i32 products may be shifted right with rounding."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TosaOp, rewriter: PatternRewriter, /) -> None:
        if op.name != "tosa.mul":
            return
        emitter = Emitter(op, rewriter)
        element = tensor_type(op.outputs[0]).get_element_type()
        read, every, shape = broadcast(emitter, op.inputs[:2])
        (shift,) = emitter.constants(op.inputs[2], "shift")
        if not 0 <= shift <= 63:
            raise refused(op, "its shift must be from 0 to 63", f"its shift is {shift}")

        def body(a: SSAValue, b: SSAValue) -> SSAValue:
            if is_float(a) or not shift:
                return times(resized(a, element), resized(b, element))
            product = times(resized(a, i64), resized(b, i64))
            rounded = plus(product, number(1 << (shift - 1), i64))
            return resized(arith.ShRSIOp(rounded, number(shift, i64)).result, element)

        emitter.replace(*emitter.generic(read, element, every, body, shape=shape))


class ConvertNegate(RewritePattern):
    """``tosa.negate``: of quantised numbers relative to their zero points, with saturation."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TosaOp, rewriter: PatternRewriter, /) -> None:
        if op.name != "tosa.negate":
            return
        emitter = Emitter(op, rewriter)
        value, zero_in, zero_out = op.inputs
        element = tensor_type(value).get_element_type()
        every = dims(*range(len(tensor_type(value).get_shape())))
        if isinstance(element, AnyFloat):
            negated = emitter.like(element, value, lambda x: arith.NegfOp(x).result)
            emitter.replace(negated)
            return
        assert isinstance(element, IntegerType)
        low, high = extremes(element)
        point = [AffineExpr.constant(0)]

        def body(x: SSAValue, a: SSAValue, b: SSAValue) -> SSAValue:
            if element.width.data >= 32:
                return minus(b, minus(x, a))
            wide = minus(resized(b, i32), minus(resized(x, i32), resized(a, i32)))
            return resized(clamped(wide, int(low), int(high)), element)

        read = [(value, every), (zero_in, point), (zero_out, point)]
        shape = tensor_type(value).get_shape()
        emitter.replace(*emitter.generic(read, element, every, body, shape=shape))


class ConvertTable(RewritePattern):
    """``tosa.table``: for i8, a lookup among 256 elements; for i16, an interpolation in 512
    sections, as i32.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TosaOp, rewriter: PatternRewriter, /) -> None:
        if op.name != "tosa.table":
            return
        emitter = Emitter(op, rewriter)
        value, table = op.inputs
        element = tensor_type(value).get_element_type()
        result = tensor_type(op.outputs[0]).get_element_type()
        assert isinstance(element, IntegerType)
        length = {8: 256, 16: 513}.get(element.width.data)
        if length is None or list(tensor_type(table).get_shape()) != [length]:
            raise refused(
                op,
                "i8 must select one of 256 elements, i16 one of 513",
                f"its operands are {value.type} and {table.type}",
            )

        def at(index: SSAValue) -> SSAValue:
            of = tensor_type(table).get_element_type()
            return tensor.ExtractOp(table, [resized(index, INDEX)], of).result

        def body(x: SSAValue) -> SSAValue:
            wide = resized(x, i32)
            if length == 256:
                return at(plus(wide, number(128, i32)))
            section = plus(arith.ShRSIOp(wide, number(7, i32)).result, number(256, i32))
            rest = arith.AndIOp(wide, number(127, i32)).result
            here = resized(at(section), i32)
            following = resized(at(plus(section, number(1, i32))), i32)
            start = arith.ShLIOp(here, number(7, i32)).result
            return plus(start, times(minus(following, here), rest))

        emitter.replace(emitter.like(result, value, body))


def scaled(value: SSAValue, multiplier: SSAValue, shift: SSAValue, *, is_double: bool) -> SSAValue:
    """``value * multiplier >> shift``, rounded; all i64 (the specification's apply_scale).

    ``is_double``: rounded once more, away from zero, if the shift is above 31.
    """
    unit = number(1, i64)
    product = times(value, multiplier)
    half = arith.ShLIOp(unit, minus(shift, unit)).result
    if is_double:
        more = number(1 << 30, i64)
        signed = choose(compare(value, "ge", number(0, i64)), more, minus(number(0, i64), more))
        is_large = compare(shift, "gt", number(31, i64))
        half = plus(half, choose(is_large, signed, number(0, i64)))
    return arith.ShRSIOp(plus(product, half), shift).result


class ConvertRescale(RewritePattern):
    """``tosa.rescale``: a quantised number in another scale, with saturation."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TosaOp, rewriter: PatternRewriter, /) -> None:
        if op.name != "tosa.rescale":
            return
        emitter = Emitter(op, rewriter)
        value, multiplier, shift, zero_in, zero_out = op.inputs
        flags = {
            name: isinstance(flag := op.properties[name], IntegerAttr) and bool(flag.value.data)
            for name in ("scale32", "per_channel", "input_unsigned", "output_unsigned")
        }
        mode = op.properties["rounding_mode"]
        is_double = isinstance(mode, RoundingModeAttr) and mode.data == RoundingMode.DOUBLE_ROUND
        if is_double and not flags["scale32"]:
            raise refused(op, "DOUBLE_ROUND requires multipliers of 32 bits: scale32 = true")
        result = tensor_type(op.outputs[0]).get_element_type()
        low, high = extremes(result, signed=not flags["output_unsigned"])
        every = dims(*range(len(tensor_type(value).get_shape())))
        point = [AffineExpr.constant(0)]
        channel = every[-1:] if flags["per_channel"] else point
        signed_in, signed_out = not flags["input_unsigned"], not flags["output_unsigned"]

        def body(
            x: SSAValue, scale: SSAValue, bits: SSAValue, a: SSAValue, b: SSAValue
        ) -> SSAValue:
            centred = minus(resized(x, i64, signed=signed_in), resized(a, i64, signed=signed_in))
            rescaled = scaled(centred, resized(scale, i64), resized(bits, i64), is_double=is_double)
            moved = plus(rescaled, resized(b, i64, signed=signed_out))
            return resized(clamped(moved, int(low), int(high)), result)

        read = [(value, every), (multiplier, channel), (shift, channel)]
        read += [(zero_in, point), (zero_out, point)]
        shape = tensor_type(value).get_shape()
        emitter.replace(*emitter.generic(read, result, every, body, shape=shape))


def zero_point_of(value: SSAValue, zero: SSAValue, type_: Attribute) -> SSAValue:
    """A quantised number minus its zero point, in a wider type; a float unchanged."""
    if is_float(value):
        return resized(value, type_)
    return minus(resized(value, type_), resized(zero, type_))


PATTERNS = (
    ConvertConst,
    ConvertElementwise,
    ConvertMul,
    ConvertNegate,
    ConvertTable,
    ConvertRescale,
)
