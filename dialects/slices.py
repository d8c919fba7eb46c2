"""Checks of ops that name a part of a tensor or a memref by offsets, sizes and strides."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.utils.exceptions import VerifyException


def verify_slice(op: Any, rank: int) -> None:
    """An offset, a size and a stride for each of ``rank`` dimensions; each is a number, or an
    operand. Raises VerifyException."""
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
