"""Ops of the vector dialect that combine elements: reductions, contractions, outer products."""

from __future__ import annotations

import math
from collections.abc import Generator
from typing import TYPE_CHECKING

from xdsl.dialects import vector as xdsl_vector
from xdsl.dialects.builtin import FixedBitwidthType, IntegerType, VectorType
from xdsl.dialects.vector import CombiningKindAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion.convert_to_llvm.arith import Properties, fast_math
from kc.conversion.convert_to_llvm.function import FunctionLowering, LlvmPattern
from kc.conversion.convert_to_llvm.types import convert_type, require_wide, unsupported_type
from kc.conversion.convert_to_llvm.vector_lanes import (
    FLOAT_REDUCTIONS,
    INTEGER_REDUCTIONS,
    ORDERED_REDUCTIONS,
    as_scalar,
    as_vector,
    combining,
    element,
    lane_count,
    lanes,
    pick,
    shuffle,
    splat,
    vector_type,
    widened,
)
from kc.conversion.convert_to_llvm.vector_transfers import (
    lower_gather,
    lower_scatter,
    lower_transfer_read,
    lower_transfer_write,
)
from kc.dialects import llvm, vector
from kc.dialects.llvm import element_type
from kc.dialects.vector import shape_of

if TYPE_CHECKING:
    import numpy as np


def _flags(op: Operation) -> Properties:
    scalar = element_type(convert_type(op.results[0].type))
    return fast_math(op) if isinstance(scalar, llvm.LLVM_FLOATS) else {}


def lower_reduction(
    s: FunctionLowering, op: xdsl_vector.ReductionOp, mask: SSAValue | None = None
) -> None:
    """Combine the lanes of a vector, or the lanes that a mask selects."""
    kind = op.properties["kind"]
    assert isinstance(kind, CombiningKindAttr)
    vector, *accumulator = (s.value(operand) for operand in op.operands)
    (result,) = op.results
    require_wide(op)
    if len(shape_of(op.vector)) > 1:
        raise unsupported_type(op.vector.type, f"{op.name} is of one dimension")
    if mask is not None:
        _reduce_masked(s, op, kind.data.value, vector, mask, accumulator)
        return
    ty = convert_type(result.type)
    is_float = isinstance(ty, llvm.LLVM_FLOATS)
    flags = fast_math(op) if is_float else {}
    if is_float and kind.data.value in ORDERED_REDUCTIONS:
        reduce, _, neutral = ORDERED_REDUCTIONS[kind.data.value]
        start = accumulator[0] if accumulator else s.float_constant(neutral, ty)
        s.replace_by(op, reduce, [start, vector], flags)
        return
    table = FLOAT_REDUCTIONS if is_float else INTEGER_REDUCTIONS
    if kind.data.value not in table:
        raise unsupported_type(vector.type, f"it has no reduction '{kind.data.value}'")
    reduce, combine = table[kind.data.value]
    value = s.emit(reduce, [vector], ty, flags)
    if accumulator:
        value = s.emit(combine, [value, accumulator[0]], ty, flags)
    s.define(result, value)


def _reduce_masked(
    s: FunctionLowering,
    op: xdsl_vector.ReductionOp,
    kind: str,
    value: SSAValue,
    mask: SSAValue,
    accumulator: list[SSAValue],
) -> None:
    """Combine lane by lane; a masked-out lane has no effect, whatever its value."""
    flags, combine = _flags(op), combining(kind, value.type)
    total = accumulator[0] if accumulator else _neutral(s, kind, element_type(value.type))
    for lane in range(lane_count(value.type)):
        combined = s.emit(combine, [total, element(s, value, lane)], total.type, flags)
        active = element(s, mask, lane)
        total = s.emit(llvm.SelectOp, [active, combined, total], total.type)
    s.define(op.results[0], total)


def _neutral(s: FunctionLowering, kind: str, ty: Attribute) -> SSAValue:
    """The neutral element of a combiner."""
    if isinstance(ty, IntegerType):
        highest = (1 << ty.width.data - 1) - 1
        special = {"mul": 1, "and": -1, "minui": -1, "minsi": highest, "maxsi": -highest - 1}
        return s.int_constant(special.get(kind, 0), ty)
    floats = {
        "add": -0.0,
        "mul": 1.0,
        "minnumf": math.nan,
        "maxnumf": math.nan,
        "minimumf": math.inf,
        "maximumf": -math.inf,
    }
    return s.float_constant(floats[kind], ty)


class LowerReduction(LlvmPattern):
    """Combine the lanes; for floats in order, unless the flags permit another order.

    ::

        %s = vector.reduction <add>, %v    ->    %s = llvm.intr.vector.reduce.add(%v)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: xdsl_vector.ReductionOp, rewriter: PatternRewriter, /) -> None:
        lower_reduction(self.conversion, op)


def _accumulate(
    s: FunctionLowering,
    op: vector.MultiReductionOp | vector.ContractionOp,
    terms: Generator[tuple[SSAValue, SSAValue | None], None, None],
) -> None:
    """Combine terms with the accumulator, in order. Each term is a vector of the result's elements,
    with a mask of the active ones.
    """
    flags = _flags(op)
    total = as_vector(s, s.value(op.acc))
    combine = combining(op.kind.data.value, total.type)
    for term, active in terms:
        combined = s.emit(combine, [total, term], total.type, flags)
        if active is not None:
            combined = s.emit(llvm.SelectOp, [active, combined, total], total.type)
        total = combined
    s.define(op.results[0], as_scalar(s, total, op.results[0].type))


def lower_multi_reduction(
    s: FunctionLowering, op: vector.MultiReductionOp, mask: SSAValue | None = None
) -> None:
    """Combine the elements along some dimensions, in index order."""
    require_wide(op)
    shape, reduced = shape_of(op.source), sorted(op.reduced)
    outer = [n for n in range(len(shape)) if n not in reduced]
    own = lanes(shape).transpose([*reduced, *outer])
    rows = own.reshape(-1, int(lanes([shape[n] for n in outer]).size))
    source = s.value(op.source)

    def terms() -> Generator[tuple[SSAValue, SSAValue | None], None, None]:
        for row in rows:
            yield pick(s, source, row), None if mask is None else pick(s, mask, row)

    _accumulate(s, op, terms())


class LowerMultiReduction(LlvmPattern):
    """Combine the elements along some dimensions, in index order.

    ::

        %r = vector.multi_reduction <add>, %v, %acc [0] : vector<2x4xf32> to vector<4xf32>

    becomes ::

        %0 = llvm.fadd %acc, (llvm.shufflevector %v, %v [0, 1, 2, 3])
        %r = llvm.fadd %0, (llvm.shufflevector %v, %v [4, 5, 6, 7])
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.MultiReductionOp, rewriter: PatternRewriter, /) -> None:
        lower_multi_reduction(self.conversion, op)


def _as_wide(s: FunctionLowering, old: SSAValue, acc: SSAValue) -> SSAValue:
    """A factor extended to the element type of the accumulator."""
    value, wide = s.value(old), element_type(convert_type(acc.type))
    narrow = element_type(value.type)
    if narrow == wide:
        return value
    assert isinstance(narrow, FixedBitwidthType)
    assert isinstance(wide, FixedBitwidthType)
    are_integers = {isinstance(type_, IntegerType) for type_ in (narrow, wide)}
    if len(are_integers) != 1 or narrow.bitwidth >= wide.bitwidth:
        raise unsupported_type(acc.type, f"products of {narrow} are combined with it")
    extend = llvm.SExtOp if are_integers == {True} else llvm.FPExtOp
    return s.emit(extend, [value], llvm.same_shape(value.type, wide))


def lower_contraction(
    s: FunctionLowering, op: vector.ContractionOp, mask: SSAValue | None = None
) -> None:
    """Products, combined over the dimensions that the result lacks, in index order."""
    import numpy as np

    require_wide(op)
    extents, (*read, written) = op.extents, op.maps
    reduced = [n for n in range(len(extents)) if n not in written]
    order = [*reduced, *written]
    count = int(lanes([extents[n] for n in written]).size)

    def rows(dims: list[int]) -> np.ndarray:
        """The lanes of an operand with these dimensions, as an array indexed by the reduced
        dimensions and then by the others.
        """
        own = lanes([extents[n] for n in dims]).transpose(np.argsort(dims))
        present = sorted(dims)
        whole = own.reshape([size if n in present else 1 for n, size in enumerate(extents)])
        return np.broadcast_to(whole, extents).transpose(order).reshape(-1, count)

    lhs, rhs = (_as_wide(s, value, op.acc) for value in (op.lhs, op.rhs))
    multiply = combining("mul", lhs.type)
    flags, masked = _flags(op), list(range(len(extents)))

    def terms() -> Generator[tuple[SSAValue, SSAValue | None], None, None]:
        for a, b, active in zip(*map(rows, (*read, masked)), strict=True):
            left, right = pick(s, lhs, a), pick(s, rhs, b)
            product = s.emit(multiply, [left, right], left.type, flags)
            yield product, None if mask is None else pick(s, mask, active)

    _accumulate(s, op, terms())


class LowerContraction(LlvmPattern):
    """Products, combined over the dimensions that the result lacks, in index order.

    ::

        %c = vector.contract {...} %a, %b, %acc : vector<2xf32>, vector<2xf32> into f32

    becomes ::

        %0 = llvm.fadd %acc, %a[0] * %b[0]
        %c = llvm.fadd %0, %a[1] * %b[1]
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.ContractionOp, rewriter: PatternRewriter, /) -> None:
        lower_contraction(self.conversion, op)


def lower_outer_product(
    s: FunctionLowering, op: vector.OuterProductOp, mask: SSAValue | None = None
) -> None:
    """All products of two elements, combined with a vector where the mask is set."""
    import numpy as np

    require_wide(op)
    ty = vector_type(op.result)
    shape = (*shape_of(op.lhs), *(shape_of(op.rhs) or (1,)))
    own = np.indices(shape)
    left = pick(s, s.value(op.lhs), own[0])
    if isinstance(op.rhs.type, VectorType):
        right = pick(s, s.value(op.rhs), own[1])
    else:
        right = splat(s, s.value(op.rhs), ty)
    value = s.emit(combining("mul", ty), [left, right], ty)
    if op.acc is not None:
        start = s.value(op.acc)
        value = s.emit(combining(op.kind.data.value, ty), [start, value], ty)
        if mask is not None:
            value = s.emit(llvm.SelectOp, [mask, value, start], ty)
    s.define(op.result, value)


class LowerOuterProduct(LlvmPattern):
    """All products of two elements, combined with a vector.

    ::

        %c = vector.outerproduct %a, %b, %acc : vector<2xf32>, vector<4xf32>

    becomes ::

        %0 = llvm.fmul (llvm.shufflevector %a, ...), (llvm.shufflevector %b, ...)
        %c = llvm.fadd %acc, %0
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.OuterProductOp, rewriter: PatternRewriter, /) -> None:
        lower_outer_product(self.conversion, op)


class LowerScan(LlvmPattern):
    """Running combination of rows.

    ::

        %d, %a = vector.scan <add>, %v, %start {inclusive = true, reduction_dim = 0 : i64}
            : vector<2x4xf32>, vector<4xf32>

    becomes ::

        %0 = llvm.shufflevector %v, %v [0, 1, 2, 3]
        %a = llvm.fadd %0, (llvm.shufflevector %v, %v [4, 5, 6, 7])
        %d = llvm.shufflevector %0, %a [0, 1, 2, 3, 4, 5, 6, 7]
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.ScanOp, rewriter: PatternRewriter, /) -> None:
        import numpy as np

        s = self.conversion
        require_wide(op)
        own = np.moveaxis(lanes(shape_of(op.source)), op.dim, 0)
        rows = own.reshape(own.shape[0], -1)
        source = s.value(op.source)
        combine = combining(op.kind.data.value, source.type)
        total = pick(s, source, rows[0]) if op.is_inclusive else s.value(op.initial_value)
        width, count = rows.shape[1], rows.size
        whole = widened(s, total, count)
        for n in range(1, len(rows)):
            row = pick(s, source, rows[n if op.is_inclusive else n - 1])
            total = s.emit(combine, [total, row], total.type)
            mask = [count + lane % width if lane // width == n else lane for lane in range(count)]
            whole = shuffle(s, whole, widened(s, total, count), mask)
        s.define(op.dest, pick(s, whole, np.argsort(rows.reshape(-1))))
        s.define(op.accumulated_value, total)


class LowerMask(LlvmPattern):
    """An op on the lanes that a mask selects.

    ::

        %s = vector.mask %m { vector.reduction <add>, %v, %acc : vector<4xf32> into f32 }

    becomes ::

        %0 = llvm.select %m[0], %acc + %v[0], %acc, ...
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.MaskOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        mask, masked = s.value(op.mask), op.masked
        match masked:
            case xdsl_vector.TransferReadOp():
                lower_transfer_read(s, masked, mask)
            case xdsl_vector.TransferWriteOp():
                lower_transfer_write(s, masked, mask)
            case xdsl_vector.ReductionOp():
                lower_reduction(s, masked, mask)
            case vector.GatherOp():
                lower_gather(s, masked, mask)
            case vector.ScatterOp():
                lower_scatter(s, masked, mask)
            case vector.MultiReductionOp():
                lower_multi_reduction(s, masked, mask)
            case vector.ContractionOp():
                lower_contraction(s, masked, mask)
            case vector.OuterProductOp():
                lower_outer_product(s, masked, mask)
        s.has_done_action = True
        end = op.body.block.last_op
        assert isinstance(end, vector.YieldOp)
        for result, value in zip(op.res, end.values, strict=True):
            s.define(result, s.lowered(value))


PATTERNS: tuple[type[RewritePattern], ...] = (
    LowerReduction,
    LowerMultiReduction,
    LowerContraction,
    LowerOuterProduct,
    LowerScan,
    LowerMask,
)
