"""Lanes of vectors. Vectors of the llvm dialect have one dimension: all elements in order.

numpy's arrays of lane numbers (``lanes(shape)``) give the lane of each element: a transposed vector
has the lanes of the transposed array.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import DenseArrayBase, VectorType, i1, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation

from kc.conversion.convert_to_llvm.function import FunctionLowering
from kc.conversion.convert_to_llvm.types import convert_type, dense, unsupported_type
from kc.dialects import llvm
from kc.dialects.arith import vector_of

if TYPE_CHECKING:
    import numpy as np

INTEGER_REDUCTIONS: dict[str, tuple[type[IRDLOperation], type[IRDLOperation]]] = {
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
FLOAT_REDUCTIONS: dict[str, tuple[type[IRDLOperation], type[IRDLOperation]]] = {
    "minnumf": (llvm.VectorReduceFMinOp, llvm.MinNumOp),
    "maxnumf": (llvm.VectorReduceFMaxOp, llvm.MaxNumOp),
    "minimumf": (llvm.VectorReduceFMinimumOp, llvm.MinimumOp),
    "maximumf": (llvm.VectorReduceFMaximumOp, llvm.MaximumOp),
}
# Sums of floats with a start value are computed in the order of the lanes, unless the flags allow
# another order.
ORDERED_REDUCTIONS: dict[str, tuple[type[IRDLOperation], type[IRDLOperation], float]] = {
    "add": (llvm.VectorReduceFAddOp, llvm.FAddOp, -0.0),
    "mul": (llvm.VectorReduceFMulOp, llvm.FMulOp, 1.0),
}


def vector_type(value: SSAValue) -> VectorType:
    """The llvm type of the old value ``value``, which is a vector."""
    ty = convert_type(value.type)
    assert isinstance(ty, VectorType)
    return ty


def lane_count(ty: Attribute) -> int:
    """The number of lanes of an llvm vector."""
    assert isinstance(ty, VectorType)
    (count,) = ty.get_shape()
    return count


def lanes(shape: Sequence[int]) -> np.ndarray:
    """The number of the lane of each element of a vector of ``shape``."""
    import numpy as np

    return np.arange(prod(shape)).reshape(shape)


def shuffle(s: FunctionLowering, lhs: SSAValue, rhs: SSAValue, mask: Sequence[int]) -> SSAValue:
    """Lanes picked from ``lhs`` followed by ``rhs``; -1 is poison."""
    assert isinstance(lhs.type, VectorType)
    ty = vector_of(lhs.type.element_type, len(mask))
    properties: dict[str, Attribute] = {"mask": _mask(tuple(mask))}
    return s.emit(llvm.ShuffleVectorOp, [lhs, rhs], ty, properties)


@lru_cache(maxsize=256)  # transposes use few masks, many times
def _mask(lanes: tuple[int, ...]) -> DenseArrayBase:
    return DenseArrayBase.from_list(i32, lanes)


def pick(s: FunctionLowering, value: SSAValue, chosen: np.ndarray) -> SSAValue:
    """A vector of the lanes ``chosen`` of ``value``, in that order."""
    mask = [int(lane) for lane in chosen.reshape(-1)]
    if mask == list(range(lane_count(value.type))):
        return value
    return shuffle(s, value, value, mask)


def widened(s: FunctionLowering, value: SSAValue, count: int) -> SSAValue:
    """``value`` extended to ``count`` lanes; new lanes are poison."""
    own = lane_count(value.type)
    return value if own == count else shuffle(s, value, value, [*range(own), *[-1] * (count - own)])


def splat(s: FunctionLowering, value: SSAValue, ty: VectorType) -> SSAValue:
    """``value`` in every lane."""
    poison = s.emit(llvm.PoisonOp, [], ty)
    first = s.emit(llvm.InsertElementOp, [poison, value, s.int_constant(0, i32)], ty)
    return shuffle(s, first, poison, [0] * lane_count(ty))


def element(s: FunctionLowering, value: SSAValue, lane: int | SSAValue) -> SSAValue:
    """A lane of a vector."""
    assert isinstance(value.type, VectorType)
    at = s.int_constant(lane, i32) if isinstance(lane, int) else lane
    return s.emit(llvm.ExtractElementOp, [value, at], value.type.element_type)


def with_element(
    s: FunctionLowering, value: SSAValue, new: SSAValue, lane: int | SSAValue
) -> SSAValue:
    """A vector with a lane replaced."""
    at = s.int_constant(lane, i32) if isinstance(lane, int) else lane
    return s.emit(llvm.InsertElementOp, [value, new, at], value.type)


def as_vector(s: FunctionLowering, value: SSAValue) -> SSAValue:
    """A scalar as a vector of one lane; a vector itself."""
    return (
        value
        if isinstance(value.type, VectorType)
        else splat(s, value, VectorType(value.type, [1]))
    )


def as_scalar(s: FunctionLowering, value: SSAValue, old: Attribute) -> SSAValue:
    """The inverse of :func:`as_vector`, for a value of the old type ``old``."""
    return value if isinstance(old, VectorType) else element(s, value, 0)


def constant_mask(s: FunctionLowering, active: np.ndarray) -> SSAValue:
    """A vector of booleans."""
    ty = VectorType(i1, [active.size])
    return s.constant(dense(ty, [int(lane) for lane in active.reshape(-1)]), ty)


def combining(kind: str, ty: Attribute) -> type[IRDLOperation]:
    """The op that combines two values, or two vectors, of elements of ``ty``."""
    scalar = llvm.element_type(ty)
    if not isinstance(scalar, llvm.LLVM_FLOATS):
        table = INTEGER_REDUCTIONS
    elif kind in ORDERED_REDUCTIONS:
        return ORDERED_REDUCTIONS[kind][1]
    else:
        table = FLOAT_REDUCTIONS
    if kind not in table:
        raise unsupported_type(ty, f"it has no reduction '{kind}'")
    return table[kind][1]
