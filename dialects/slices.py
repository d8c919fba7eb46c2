"""Checks of ops that describe a slice of a tensor or memref by offsets, sizes and strides."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import DYNAMIC_INDEX, MemRefType, TensorType
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException


def verify_slice(op: Any, whole: SSAValue, part: SSAValue) -> None:
    """Check an offset, a size and a stride for each dimension of the whole; each is a number or an
    operand. The slice has the same element type. Raises VerifyException.
    """
    types = [value.type for value in (whole, part)]
    shaped = [type_ for type_ in types if isinstance(type_, MemRefType | TensorType)]
    rank = len(shaped[0].get_shape())
    if shaped[0].element_type != shaped[-1].element_type:
        raise VerifyException(f"{op.name}: {types[1]} has other elements than {types[0]}")
    for numbers, values in (
        (op.static_offsets, op.offsets),
        (op.static_sizes, op.sizes),
        (op.static_strides, op.strides),
    ):
        listed = list(numbers.iter_values())
        if len(listed) != rank or listed.count(DYNAMIC_INDEX) != len(values):
            raise VerifyException(
                f"{op.name}: an offset, a size and a stride for each of {rank} dimensions"
            )
