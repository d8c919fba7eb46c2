"""The vector dialect, on vectors of one dimension."""

from __future__ import annotations

from collections.abc import Sequence

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

from kc.conversion.convert_to_llvm.arith import compare, fast_math
from kc.conversion.convert_to_llvm.function import FunctionLowering, Handler
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


def _lower_broadcast(s: FunctionLowering, op: Operation) -> None:
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


def _lower_extract(s: FunctionLowering, op: Operation) -> None:
    source, *dynamic = op.operands
    position = _position(s, op, dynamic)
    if position is None:
        s.define(op.results[0], s.lowered(source))
    else:
        s.replace(op, llvm.ExtractElementOp, [s.value(source), position])


def _lower_insert(s: FunctionLowering, op: Operation) -> None:
    source, target, *dynamic = op.operands
    position = _position(s, op, dynamic)
    if position is None:
        s.define(op.results[0], s.lowered(source))
    else:
        s.replace(op, llvm.InsertElementOp, [s.value(target), s.value(source), position])


def _lower_shuffle(s: FunctionLowering, op: Operation) -> None:
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


def _lower_fma(s: FunctionLowering, op: Operation) -> None:
    s.replace(op, llvm.FMAOp, [s.value(operand) for operand in op.operands])


def _lower_bitcast(s: FunctionLowering, op: Operation) -> None:
    value, (result,) = s.value(op.operands[0]), op.results
    if value.type == convert_type(result.type):
        s.define(result, value)
    else:
        s.replace(op, llvm.BitcastOp, [value])


def _lower_create_mask(s: FunctionLowering, op: Operation) -> None:
    """The lanes below an index."""
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


def _lower_reduction(s: FunctionLowering, op: Operation) -> None:
    kind = op.properties["kind"]
    assert isinstance(kind, CombiningKindAttr)
    vector, *accumulator = (s.value(operand) for operand in op.operands)
    (result,) = op.results
    ty = convert_type(result.type)
    is_float = isinstance(ty, llvm.LLVM_FLOATS)
    flags = fast_math(op) if is_float else {}
    if is_float and kind.data.value in _ORDERED_REDUCTIONS:
        reduce, neutral = _ORDERED_REDUCTIONS[kind.data.value]
        start = accumulator[0] if accumulator else s.float_constant(neutral, ty)
        s.replace(op, reduce, [start, vector], flags)
        return
    table = _FLOAT_REDUCTIONS if is_float else _INTEGER_REDUCTIONS
    if kind.data.value not in table:
        raise unsupported_type(vector.type, f"it has no reduction '{kind.data.value}'")
    reduce, combine = table[kind.data.value]
    value = s.emit(reduce, [vector], ty, flags)
    if accumulator:
        value = s.emit(combine, [value, accumulator[0]], ty, flags)
    s.define(result, value)


def _lower_load(s: FunctionLowering, op: Operation) -> None:
    emit_load(s, op, s.memref(op.operands[0]), op.operands[1:])


def _lower_store(s: FunctionLowering, op: Operation) -> None:
    emit_store(s, op, op.operands[0], s.memref(op.operands[1]), op.operands[2:])


def _masked(op: Operation, operands: int) -> tuple[Sequence[SSAValue], list[SSAValue]]:
    """The indices of a masked access, and what follows them: the last ``operands`` operands."""
    return op.operands[1:-operands], list(op.operands[-operands:])


def _lower_maskedload(s: FunctionLowering, op: Operation) -> None:
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


def _lower_maskedstore(s: FunctionLowering, op: Operation) -> None:
    memref = s.memref(op.operands[0])
    memref.origin.written = True
    indices, (mask, old) = _masked(op, 2)
    value = to_storage(s, s.value(old))
    pointer = access(s, memref, indices)
    s.insert(llvm.MaskedStoreOp(value, pointer, s.value(mask), element_size(memref.type)))


HANDLERS: dict[str, Handler] = {
    "vector.broadcast": _lower_broadcast,
    "vector.extract": _lower_extract,
    "vector.insert": _lower_insert,
    "vector.shuffle": _lower_shuffle,
    "vector.fma": _lower_fma,
    "vector.bitcast": _lower_bitcast,
    "vector.create_mask": _lower_create_mask,
    "vector.reduction": _lower_reduction,
    "vector.load": _lower_load,
    "vector.store": _lower_store,
    "vector.maskedload": _lower_maskedload,
    "vector.maskedstore": _lower_maskedstore,
}
