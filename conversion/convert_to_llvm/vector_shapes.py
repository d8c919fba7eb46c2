"""Ops of the vector dialect that move elements: reshapes, slices, and construction."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import vector as xdsl_vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    VectorType,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion.convert_to_llvm.arith import compare
from kc.conversion.convert_to_llvm.function import FunctionLowering, LlvmPattern
from kc.conversion.convert_to_llvm.memref import add, multiply
from kc.conversion.convert_to_llvm.neighbouring_loads import joined_load
from kc.conversion.convert_to_llvm.types import dense, unsupported_type
from kc.conversion.convert_to_llvm.values import Constant
from kc.conversion.convert_to_llvm.vector_lanes import (
    constant_mask,
    element,
    lane_count,
    lanes,
    pick,
    shuffle,
    splat,
    vector_type,
    widened,
    with_element,
)
from kc.dialects import llvm, vector
from kc.dialects.vector import shape_of

POISON = -1
"""The index in a position or mask that selects no lane."""


class LowerBroadcast(LlvmPattern):
    """A value in every lane, or a vector repeated; a constant stays constant.

    ::

        %v = vector.broadcast %a : f32 to vector<4xf32>

    becomes ::

        llvm.insertelement, llvm.shufflevector
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: xdsl_vector.BroadcastOp, rewriter: PatternRewriter, /) -> None:
        import numpy as np

        s = self.conversion
        (source,), (result,) = op.operands, op.results
        ty = vector_type(result)
        if isinstance(source.type, VectorType):
            shape, whole = shape_of(source), shape_of(result)
            tail = whole[len(whole) - len(shape) :] if len(shape) <= len(whole) else ()
            if len(tail) != len(shape) or any(
                size not in (1, of) for size, of in zip(shape, tail, strict=True)
            ):
                raise unsupported_type(
                    source.type, f"it is broadcast to {result.type}, whose sizes are others"
                )
            chosen = np.broadcast_to(lanes(shape), whole)
            s.define(result, pick(s, s.value(source), chosen))
            return
        lowered = s.lowered(source)
        if isinstance(lowered, Constant) and isinstance(lowered.value, IntegerAttr | FloatAttr):
            number = lowered.value.value.data
            s.define(result, Constant(dense(ty, [number]), ty))
        else:
            s.define(result, splat(s, s.value(source), ty))


class _Place:
    """The location of a part in a vector of ``shape``, given by its first indices.

    ``start`` is its first lane, or None if no lane is selected. The part has ``count`` consecutive
    lanes.
    """

    def __init__(
        self,
        s: FunctionLowering,
        op: Operation,
        shape: Sequence[int],
        dynamic: Sequence[SSAValue],
    ) -> None:
        static = op.properties["static_position"]
        assert isinstance(static, DenseArrayBase)
        rest = iter(dynamic)
        positions = [
            s.index(next(rest)) if index == DYNAMIC_INDEX else int(index)
            for index in static.iter_values()
        ]
        self.count = int(lanes(shape[len(positions) :]).size)
        self.start: int | SSAValue | None = 0
        for n, (index, size) in enumerate(zip(positions, shape, strict=False)):
            step = self.count * int(lanes(shape[n + 1 : len(positions)]).size)
            if isinstance(index, int) and not 0 <= index < size:
                self.start = None
                return
            self.start = add(s, self.start, multiply(s, index, step))

    def lane(self, s: FunctionLowering, n: int) -> int | SSAValue:
        """The n-th lane of the part."""
        assert self.start is not None
        return add(s, self.start, n)


class LowerExtract(LlvmPattern):
    """Extract a lane, or adjacent lanes.

    ::

        %a = vector.extract %v[2] : f32 from vector<4xf32>

    becomes ::

        %a = llvm.extractelement %v[2 : i32]
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: xdsl_vector.ExtractOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        source, *dynamic = op.operands
        (result,) = op.results
        place = _Place(s, op, shape_of(source), dynamic)
        if source.type == result.type:
            s.define(result, s.lowered(source))
            return
        value, is_vector = s.value(source), isinstance(result.type, VectorType)
        if place.start is None:
            ty = vector_type(result) if is_vector else llvm.element_type(value.type)
            s.define(result, s.emit(llvm.PoisonOp, [], ty))
        elif not is_vector:
            s.define(result, element(s, value, place.start))
        elif isinstance(place.start, int):
            own = range(place.start, place.start + place.count)
            s.define(result, shuffle(s, value, value, [*own]))
        else:
            part = s.emit(llvm.PoisonOp, [], vector_type(result))
            for n in range(place.count):
                part = with_element(s, part, element(s, value, place.lane(s, n)), n)
            s.define(result, part)


class LowerInsert(LlvmPattern):
    """Replace a lane, or adjacent lanes, of a vector.

    ::

        %w = vector.insert %a, %v[2]    ->    %w = llvm.insertelement %a, %v[2 : i32]
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: xdsl_vector.InsertOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        source, target, *dynamic = op.operands
        (result,) = op.results
        place = _Place(s, op, shape_of(target), dynamic)
        if source.type == result.type:
            s.define(result, s.lowered(source))
            return
        value, whole = s.value(source), s.value(target)
        if place.start is None:
            s.define(result, s.emit(llvm.PoisonOp, [], whole.type))
        elif not isinstance(source.type, VectorType):
            s.define(result, with_element(s, whole, value, place.start))
        elif isinstance(place.start, int):
            count = lane_count(whole.type)
            mask = list(range(count))
            mask[place.start : place.start + place.count] = range(count, count + place.count)
            s.define(result, shuffle(s, whole, widened(s, value, count), mask))
        else:
            for n in range(place.count):
                whole = with_element(s, whole, element(s, value, n), place.lane(s, n))
            s.define(result, whole)


class LowerShuffle(LlvmPattern):
    """Rows of two vectors, which must have the same type in llvm.

    ::

        %w = vector.shuffle %a, %b [0, 4]    ->    %w = llvm.shufflevector %a, %b [0, 4]

    On x86, the second step of a transpose is fenced (``llvm.arithmetic.fence``).
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: xdsl_vector.ShuffleOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        mask = op.properties["mask"]
        assert isinstance(mask, DenseArrayBase)
        row = int(lanes(shape_of(op.operands[0])[1:]).size)
        lhs, rhs = (s.value(operand) for operand in op.operands)
        left, right = lane_count(lhs.type), lane_count(rhs.type)
        width = max(left, right)
        chosen: list[int] = []
        for number in mask.iter_values():
            for lane in range(int(number) * row, (int(number) + 1) * row):
                if number < 0 or lane >= left + right:
                    chosen.append(POISON)
                else:
                    chosen.append(lane if lane < left else lane - left + width)
        if chosen == list(range(left + right)):
            whole = joined_load(s, lhs, rhs)
            if whole is not None:
                s.define(op.results[0], whole)
                return
        # llvm requires operands of one type: the shorter one is extended by unused lanes.
        lhs, rhs = widened(s, lhs, width), widened(s, rhs, width)
        value = shuffle(s, lhs, rhs, chosen)
        if s.module.is_x86 and _is_second_step(op):
            assert isinstance(value.type, VectorType)
            name = f"llvm.arithmetic.fence.v{lane_count(value.type)}{value.type.element_type}"
            value = s.insert(llvm.CallIntrinsicOp(name, [value], [value.type])).results[0]
        s.define(op.results[0], value)


def _is_second_step(op: xdsl_vector.ShuffleOp) -> bool:
    """True if ``op`` is in the second step of a transpose: a shuffle of two first-step shuffles,
    used by a third-step shuffle.

    Without a fence, LLVM searches in vain for instructions that combine several steps, which takes
    a quarter of the time of code generation for a convolution.
    """
    kind = op.results[0].type
    assert isinstance(kind, VectorType)
    steps = [operand.owner for operand in op.operands if operand.type == kind]
    return (
        isinstance(kind.element_type, Float32Type | Float64Type)
        and any(isinstance(use.operation, xdsl_vector.ShuffleOp) for use in op.results[0].uses)
        and len({*steps}) == 2
        and all(
            isinstance(step, xdsl_vector.ShuffleOp)
            and not any(
                isinstance(operand.owner, xdsl_vector.ShuffleOp) for operand in step.operands
            )
            for step in steps
        )
    )


class LowerTranspose(LlvmPattern):
    """The lanes in permuted order.

    ::

        %t = vector.transpose %v, [1, 0] : vector<2x2xf32> to vector<2x2xf32>

    becomes ::

        %t = llvm.shufflevector %v, %v [0, 2, 1, 3]
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.TransposeOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        order = [int(dim) for dim in op.permutation.iter_values()]
        chosen = lanes(shape_of(op.vector)).transpose(order)
        s.define(op.result, pick(s, s.value(op.vector), chosen))


class LowerShapeCast(LlvmPattern):
    """The same lanes.

    ::

        %w = vector.shape_cast %v : vector<2x2xf32> to vector<4xf32>    ->    (%v)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.ShapeCastOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        vector_type(op.result)
        s.define(op.result, s.value(op.source))


class LowerExtractStridedSlice(LlvmPattern):
    """The lanes of a slice.

    ::

        %w = vector.extract_strided_slice %v {offsets = [2], sizes = [2], strides = [1]}

    becomes ::

        %w = llvm.shufflevector %v, %v [2, 3]
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: vector.ExtractStridedSliceOp, rewriter: PatternRewriter, /
    ) -> None:
        s = self.conversion
        sizes = shape_of(op.result)
        part = tuple(slice(at, at + size) for at, size in zip(op.starts, sizes, strict=True))
        chosen = lanes(shape_of(op.source))[part]
        s.define(op.result, pick(s, s.value(op.source), chosen))


class LowerInsertStridedSlice(LlvmPattern):
    """Replace the lanes of a slice by those of another vector.

    ::

        %w = vector.insert_strided_slice %p, %v {offsets = [2], strides = [1]}

    becomes ::

        %w = llvm.shufflevector %v, %p [0, 1, 4, 5]
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: vector.InsertStridedSliceOp, rewriter: PatternRewriter, /
    ) -> None:
        s = self.conversion
        whole, part = s.value(op.dest), s.value(op.value_to_store)
        shape = shape_of(op.value_to_store)
        chosen = lanes(shape_of(op.dest))
        sizes = [*[1] * (len(op.starts) - len(shape)), *shape]
        at = tuple(slice(at, at + size) for at, size in zip(op.starts, sizes, strict=True))
        count = lane_count(whole.type)
        chosen[at] = lanes(sizes) + count
        mask = [int(lane) for lane in chosen.reshape(-1)]
        s.define(op.res, shuffle(s, whole, widened(s, part, count), mask))


class LowerInterleave(LlvmPattern):
    """The lanes of two vectors, alternating.

    ::

        %w = vector.interleave %a, %b    ->    %w = llvm.shufflevector %a, %b [0, 2, 1, 3]
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.InterleaveOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        lhs, rhs = s.value(op.lhs), s.value(op.rhs)
        count = lane_count(lhs.type)
        mask = [lane + side for lane in range(count) for side in (0, count)]
        s.define(op.result, shuffle(s, lhs, rhs, mask))


class LowerDeinterleave(LlvmPattern):
    """The even-numbered lanes, and the odd-numbered lanes.

    ::

        %e, %o = vector.deinterleave %v    ->    %e = llvm.shufflevector %v, %v [0, 2]
                                                 %o = llvm.shufflevector %v, %v [1, 3]
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.DeinterleaveOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        value = s.value(op.source)
        for n, result in enumerate(op.results):
            s.define(result, pick(s, value, lanes([lane_count(value.type)])[n::2]))


class LowerFromElements(LlvmPattern):
    """Build a vector from its lanes.

    ::

        %v = vector.from_elements %a, %b : vector<2xf32>    ->    llvm.insertelement, twice
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.FromElementsOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        value = s.emit(llvm.PoisonOp, [], vector_type(op.dest))
        for lane, old in enumerate(op.elements):
            value = with_element(s, value, s.value(old), lane)
        s.define(op.dest, value)


class LowerToElements(LlvmPattern):
    """Extract each lane.

    ::

        %e:2 = vector.to_elements %v : vector<2xf32>    ->    llvm.extractelement, twice
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.ToElementsOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        value = s.value(op.source)
        for lane, result in enumerate(op.elements):
            s.define(result, element(s, value, lane))


class LowerStep(LlvmPattern):
    """The lane numbers.

    ::

        %v = vector.step : vector<4xindex>    ->    llvm.mlir.constant(dense<[0, 1, 2, 3]>)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.StepOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        ty = vector_type(op.result)
        s.define(op.result, Constant(dense(ty, range(lane_count(ty))), ty))


class LowerConstantMask(LlvmPattern):
    """A mask of the lanes below constant sizes.

    ::

        %m = vector.constant_mask [2] : vector<4xi1>

    becomes ::

        llvm.mlir.constant(dense<[true, true, false, false]>)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.ConstantMaskOp, rewriter: PatternRewriter, /) -> None:
        import numpy as np

        s = self.conversion
        shape = shape_of(op.result) or (1,)
        vector_type(op.result)
        active = np.zeros(shape, bool)
        active[tuple(slice(0, int(size)) for size in op.mask_dim_sizes.iter_values())] = True
        s.define(op.result, constant_mask(s, active))


class LowerCreateMask(LlvmPattern):
    """A mask of the lanes below an index in each dimension.

    ::

        %m = vector.create_mask %n : vector<4xi1>    ->    %m = llvm.icmp "slt" [0, 1, 2, 3], %n
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: xdsl_vector.CreateMaskOp, rewriter: PatternRewriter, /) -> None:
        import numpy as np

        s = self.conversion
        (result,) = op.results
        count = lane_count(vector_type(result))
        ty = VectorType(i64, [count])
        mask: SSAValue | None = None
        indices = np.indices(shape_of(result)).reshape(-1, count)
        for index, size in zip(indices, op.operands, strict=True):
            numbers: Attribute = dense(ty, [int(number) for number in index])
            below = compare(s, "slt", s.constant(numbers, ty), splat(s, s.value(size), ty))
            mask = below if mask is None else s.emit(llvm.AndOp, [mask, below], below.type)
        s.define(result, constant_mask(s, np.ones(1, bool)) if mask is None else mask)


PATTERNS: tuple[type[RewritePattern], ...] = (
    LowerBroadcast,
    LowerExtract,
    LowerInsert,
    LowerShuffle,
    LowerTranspose,
    LowerShapeCast,
    LowerExtractStridedSlice,
    LowerInsertStridedSlice,
    LowerInterleave,
    LowerDeinterleave,
    LowerFromElements,
    LowerToElements,
    LowerStep,
    LowerConstantMask,
    LowerCreateMask,
)
