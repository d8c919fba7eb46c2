"""The numbers that define a tensor map, for the driver and for the emulator.

This module only reads operations and therefore has no rewrite pattern; its callers do.
"""

from __future__ import annotations

from typing import NamedTuple

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IntegerType,
    MemRefType,
)
from xdsl.ir import Attribute, SSAValue

from kc.dialects.nvgpu import (
    MAX_RANK,
    OUTSIDE,
    PROMOTIONS,
    SWIZZLES,
    TensorMapDescriptorType,
    TmaCreateDescriptorOp,
)
from kc.support.diagnostics import CodegenError, counted
from kc.support.locations import location_of

MAP_BYTES, MAP_ALIGNMENT = 128, 64
"""The size and alignment of a map in bytes (CUDA driver API, ``CUtensorMap``)."""

# CUtensorMapDataType.
_INTEGERS = {8: 0, 16: 1, 32: 2, 64: 4}
_FLOATS = {
    Float8E4M3FNType: 0,  # bytes, which are copied as they are
    Float8E5M2Type: 0,
    Float16Type: 6,
    Float32Type: 7,
    Float64Type: 8,
    BFloat16Type: 9,
}


class TensorMap(NamedTuple):
    """The array and the parameters of a map, innermost dimension first.

    Sizes and strides are those of the array, which may be known only at run time.
    """

    array: SSAValue
    form: int
    """The type in 8 bits, the rank in 8, the swizzle in 8, the promotion in 8, the fill in 8."""
    box: tuple[int, ...]
    """Elements along each of five dimensions, 1 for missing ones."""


def tensor_map(op: TmaCreateDescriptorOp, pass_name: str) -> TensorMap:
    """The map that ``op`` creates. Raises CodegenError KC4375 if the array cannot have a map."""
    array, type_ = op.array, op.result.type
    assert isinstance(type_, TensorMapDescriptorType)
    why = None
    if array is None:
        why = "its rank is not plain to see: a memref.cast of an array with a rank"
    else:
        assert isinstance(array.type, MemRefType)
        rank = array.type.get_num_dims()
        if rank != type_.tensor.get_num_dims():
            box = type_.tensor.get_num_dims()
            why = f"the array has {counted(rank, 'dimension')}, and the box {box}"
        elif type_.interleave.data != "none":
            why = "interleaved layouts are not known"
    number = _type_number(type_.tensor.element_type)
    if why is None and number is None:
        why = f"tensor maps do not support elements of type {type_.tensor.element_type}"
    if why is not None or number is None or array is None:
        raise CodegenError(
            "KC4375",
            f"{pass_name}: no tensor map is made here",
            location=location_of(op),
            why=why,
        )
    words = (
        number,
        type_.tensor.get_num_dims(),
        SWIZZLES.index(type_.swizzle.data),
        PROMOTIONS.index(type_.l2promo.data),
        OUTSIDE.index(type_.oob.data),
    )
    box = [*reversed(type_.tensor.get_shape())]
    box += [1] * (MAX_RANK - len(box))
    return TensorMap(array, sum(word << 8 * n for n, word in enumerate(words)), tuple(box))


def _type_number(type_: Attribute) -> int | None:
    if isinstance(type_, IntegerType):
        return _INTEGERS.get(type_.width.data)
    return _FLOATS.get(type(type_))
