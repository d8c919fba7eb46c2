"""The vector dialect, on vectors of one dimension."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    FloatAttr,
    IntegerAttr,
    VectorType,
    i32,
    i64,
)
from xdsl.dialects.vector import CombiningKindAttr
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion.convert_to_llvm.arith import compare, fast_math
from kc.conversion.convert_to_llvm.function import FunctionLowering, LlvmPattern
from kc.conversion.convert_to_llvm.memref import (
    access,
    emit_load,
    emit_store,
    from_storage,
    to_storage,
)
from kc.conversion.convert_to_llvm.types import (
    convert_type,
    dense,
    element_size,
    require_wide,
    storage_type,
    unsupported_type,
)
from kc.conversion.convert_to_llvm.values import Constant
from kc.dialects import llvm


def _vector_type(value: SSAValue) -> VectorType:
    """The llvm type of the old value ``value``, which is a vector."""
    ty = convert_type(value.type)
    assert isinstance(ty, VectorType)
    return ty


def _lanes(ty: VectorType) -> int:
    (count,) = ty.get_shape()
    return count


def _shuffle(s: FunctionLowering, lhs: SSAValue, rhs: SSAValue, mask: Sequence[int]) -> SSAValue:
    """Lanes picked from ``lhs`` followed by ``rhs``; -1 is poison."""
    assert isinstance(lhs.type, VectorType)
    ty = VectorType(lhs.type.element_type, [len(mask)])
    properties: dict[str, Attribute] = {"mask": DenseArrayBase.from_list(i32, mask)}
    return s.emit(llvm.ShuffleVectorOp, [lhs, rhs], ty, properties)


def _splat(s: FunctionLowering, value: SSAValue, ty: VectorType) -> SSAValue:
    """``value`` in every lane."""
    poison = s.emit(llvm.PoisonOp, [], ty)
    first = s.emit(llvm.InsertElementOp, [poison, value, s.int_constant(0, i32)], ty)
    return _shuffle(s, first, poison, [0] * _lanes(ty))


class LowerBroadcast(LlvmPattern):
    """One value in every lane; a constant stays one.

    ::

        %v = vector.broadcast %a : f32 to vector<4xf32>

    becomes ::

        llvm.insertelement, llvm.shufflevector
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.BroadcastOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        (source,), (result,) = op.operands, op.results
        ty = _vector_type(result)
        if isinstance(source.type, VectorType):
            value = s.value(source)
            if value.type != ty:
                value = _shuffle(s, value, value, [0] * _lanes(ty))
            s.define(result, value)
            return
        lowered = s.lowered(source)
        if isinstance(lowered, Constant) and isinstance(lowered.value, IntegerAttr | FloatAttr):
            number = lowered.value.value.data
            s.define(result, Constant(dense(ty, [number]), ty))
        else:
            s.define(result, _splat(s, s.value(source), ty))


def _position(s: FunctionLowering, op: Operation, dynamic: Sequence[SSAValue]) -> SSAValue | None:
    """The lane that an extract or insert names; None where it means the whole vector."""
    static = op.properties["static_position"]
    assert isinstance(static, DenseArrayBase)
    positions = static.get_values()
    if not positions:
        return None
    (position,) = positions
    if position == DYNAMIC_INDEX:
        return s.value(dynamic[0])
    return s.int_constant(int(position), i32)


class LowerExtract(LlvmPattern):
    """A lane, or the whole vector.

    ::

        %a = vector.extract %v[2] : f32 from vector<4xf32>

    becomes ::

        %a = llvm.extractelement %v[2 : i32]
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.ExtractOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        source, *dynamic = op.operands
        position = _position(s, op, dynamic)
        if position is None:
            s.define(op.results[0], s.lowered(source))
        else:
            s.replace_by(op, llvm.ExtractElementOp, [s.value(source), position])


class LowerInsert(LlvmPattern):
    """A vector with another lane, or another vector.

    ::

        %w = vector.insert %a, %v[2]    ->    %w = llvm.insertelement %a, %v[2 : i32]
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.InsertOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        source, target, *dynamic = op.operands
        position = _position(s, op, dynamic)
        if position is None:
            s.define(op.results[0], s.lowered(source))
        else:
            s.replace_by(op, llvm.InsertElementOp, [s.value(target), s.value(source), position])


class LowerShuffle(LlvmPattern):
    """Lanes of two vectors, which llvm wants to have one type.

    ::

        %w = vector.shuffle %a, %b [0, 4]    ->    %w = llvm.shufflevector %a, %b [0, 4]
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.ShuffleOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        mask = op.properties["mask"]
        assert isinstance(mask, DenseArrayBase)
        lhs, rhs = (s.value(operand) for operand in op.operands)
        assert isinstance(lhs.type, VectorType)
        assert isinstance(rhs.type, VectorType)
        left, right = _lanes(lhs.type), _lanes(rhs.type)
        lanes = [int(lane) for lane in mask.iter_values()]
        if left != right:
            # llvm wants operands of one type: the shorter one gets lanes that nobody picks.
            width = max(left, right)
            lanes = [lane if lane < left else lane - left + width for lane in lanes]
            if left < width:
                lhs = _shuffle(s, lhs, lhs, [*range(left), *[-1] * (width - left)])
            else:
                rhs = _shuffle(s, rhs, rhs, [*range(right), *[-1] * (width - right)])
        s.define(op.results[0], _shuffle(s, lhs, rhs, lanes))


class LowerFma(LlvmPattern):
    """A multiplication and an addition, rounded once.

    ::

        %d = vector.fma %a, %b, %c    ->    %d = llvm.intr.fma(%a, %b, %c)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.FMAOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        s.replace_by(op, llvm.FMAOp, [s.value(operand) for operand in op.operands])


class LowerBitcast(LlvmPattern):
    """The same bits as lanes of another type.

    ::

        %b = vector.bitcast %a : vector<4xf32> to vector<4xi32>    ->    %b = llvm.bitcast %a
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.BitcastOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        value, (result,) = s.value(op.operands[0]), op.results
        if value.type == convert_type(result.type):
            s.define(result, value)
        else:
            s.replace_by(op, llvm.BitcastOp, [value])


class LowerCreateMask(LlvmPattern):
    """The lanes below an index.

    ::

        %m = vector.create_mask %n : vector<4xi1>    ->    %m = llvm.icmp "slt" [0, 1, 2, 3], %n
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.CreateMaskOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        (result,) = op.results
        mask = _vector_type(result)
        ty = VectorType(i64, mask.shape)
        lanes = s.constant(dense(ty, range(_lanes(ty))), ty)
        s.define(result, compare(s, "slt", lanes, _splat(s, s.value(op.operands[0]), ty)))


_INTEGER_REDUCTIONS: dict[str, tuple[type[IRDLOperation], type[IRDLOperation]]] = {
    "add": (llvm.VectorReduceAddOp, llvm.AddOp),
    "mul": (llvm.VectorReduceMulOp, llvm.MulOp),
    "and": (llvm.VectorReduceAndOp, llvm.AndOp),
    "or": (llvm.VectorReduceOrOp, llvm.OrOp),
    "xor": (llvm.VectorReduceXorOp, llvm.XOrOp),
    "minsi": (llvm.VectorReduceSMinOp, llvm.SMinOp),
    "maxsi": (llvm.VectorReduceSMaxOp, llvm.SMaxOp),
    "minui": (llvm.VectorReduceUMinOp, llvm.UMinOp),
    "maxui": (llvm.VectorReduceUMaxOp, llvm.UMaxOp),
}
_FLOAT_REDUCTIONS: dict[str, tuple[type[IRDLOperation], type[IRDLOperation]]] = {
    "minnumf": (llvm.VectorReduceFMinOp, llvm.MinNumOp),
    "maxnumf": (llvm.VectorReduceFMaxOp, llvm.MaxNumOp),
    "minimumf": (llvm.VectorReduceFMinimumOp, llvm.MinimumOp),
    "maximumf": (llvm.VectorReduceFMaximumOp, llvm.MaximumOp),
}
# Of floats, from a start value: in the order of the lanes unless the flags allow another.
_ORDERED_REDUCTIONS: dict[str, tuple[type[IRDLOperation], float]] = {
    "add": (llvm.VectorReduceFAddOp, -0.0),
    "mul": (llvm.VectorReduceFMulOp, 1.0),
}


class LowerReduction(LlvmPattern):
    """The lanes combined; of floats in order, unless the flags allow another.

    ::

        %s = vector.reduction <add>, %v    ->    %s = llvm.intr.vector.reduce.add(%v)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.ReductionOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        kind = op.properties["kind"]
        assert isinstance(kind, CombiningKindAttr)
        vector, *accumulator = (s.value(operand) for operand in op.operands)
        (result,) = op.results
        require_wide(op)
        ty = convert_type(result.type)
        is_float = isinstance(ty, llvm.LLVM_FLOATS)
        flags = fast_math(op) if is_float else {}
        if is_float and kind.data.value in _ORDERED_REDUCTIONS:
            reduce, neutral = _ORDERED_REDUCTIONS[kind.data.value]
            start = accumulator[0] if accumulator else s.float_constant(neutral, ty)
            s.replace_by(op, reduce, [start, vector], flags)
            return
        table = _FLOAT_REDUCTIONS if is_float else _INTEGER_REDUCTIONS
        if kind.data.value not in table:
            raise unsupported_type(vector.type, f"it has no reduction '{kind.data.value}'")
        reduce, combine = table[kind.data.value]
        value = s.emit(reduce, [vector], ty, flags)
        if accumulator:
            value = s.emit(combine, [value, accumulator[0]], ty, flags)
        s.define(result, value)


class LowerVectorLoad(LlvmPattern):
    """Neighbours in memory, from any element on.

    ::

        %v = vector.load %A[%i] : memref<8xf32>, vector<4xf32>    ->    llvm.load {alignment = 4}
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.LoadOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        emit_load(s, op, s.memref(op.operands[0]), op.operands[1:])


class LowerVectorStore(LlvmPattern):
    """Write neighbours in memory, from any element on.

    ::

        vector.store %v, %A[%i]    ->    llvm.store {alignment = 4}
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.StoreOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        emit_store(s, op, op.operands[0], s.memref(op.operands[1]), op.operands[2:])


def _masked(op: Operation, operands: int) -> tuple[Sequence[SSAValue], list[SSAValue]]:
    """The indices of a masked access, and what follows them: the last ``operands`` operands."""
    return op.operands[1:-operands], list(op.operands[-operands:])


class LowerMaskedLoad(LlvmPattern):
    """The lanes that a mask names; the others are not accessed.

    ::

        %v = vector.maskedload %A[%i], %m, %p    ->    %v = llvm.intr.masked.load
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.MaskedLoadOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        memref, (result,) = s.memref(op.operands[0]), op.results
        indices, (mask, pass_thru) = _masked(op, 2)
        alignment = IntegerAttr(element_size(memref.type), i32)
        loaded = s.emit(
            llvm.MaskedLoadOp,
            [access(s, memref, indices), s.value(mask), to_storage(s, s.value(pass_thru))],
            storage_type(result.type),
            {"alignment": alignment},
        )
        s.define(result, from_storage(s, loaded, result.type))


class LowerMaskedStore(LlvmPattern):
    """Write the lanes that a mask names.

    ::

        vector.maskedstore %A[%i], %m, %v    ->    llvm.intr.masked.store
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.MaskedStoreOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        memref = s.memref(op.operands[0])
        memref.origin.written = True
        indices, (mask, old) = _masked(op, 2)
        value = to_storage(s, s.value(old))
        pointer = access(s, memref, indices)
        s.insert(llvm.MaskedStoreOp(value, pointer, s.value(mask), element_size(memref.type)))


PATTERNS: tuple[type[RewritePattern], ...] = (
    LowerBroadcast,
    LowerExtract,
    LowerInsert,
    LowerShuffle,
    LowerFma,
    LowerBitcast,
    LowerCreateMask,
    LowerReduction,
    LowerVectorLoad,
    LowerVectorStore,
    LowerMaskedLoad,
    LowerMaskedStore,
)
