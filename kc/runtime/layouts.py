"""The memory layout of arrays: strides, spans, and overlaps."""

from __future__ import annotations

import ctypes
import math
from typing import Any

from kc.runtime.operand import Operand
from kc.runtime.signature import ArgSpec


def strides_of(array: Operand, spec: ArgSpec) -> tuple[int, ...]:
    """The strides in elements; 0 for a dimension without neighbours."""
    size = spec.element.size
    return tuple(
        stride // size if extent > 1 else 0
        for extent, stride in zip(array.shape, array.strides, strict=True)
    )


def dense_strides(array: Operand, spec: ArgSpec) -> tuple[int, ...]:
    """The strides in bytes of a dense array of this shape."""
    shape, size = array.shape, spec.element.size
    return tuple(size * math.prod(shape[d + 1 :]) for d in range(len(shape)))


def strides_to_declare(array: Operand, spec: ArgSpec) -> str:
    """Strides that declare an array's layout: 1 for a stride of 1, and a variable for any other
    stride.
    """
    size, last = spec.element.size, len(array.shape) - 1
    names = [f'te.var("s{d}")' for d in range(len(array.shape))]
    if array.strides[last:] == (size,):
        names[last] = "1"
    return ", ".join(names)


def on_itself(array: Operand, size: int) -> list[int]:
    """The dimensions along which elements may overlap; empty for a proper view.

    Each stride must exceed the span of the smaller ones, as in slices and transposes.
    """
    if 0 in array.shape:
        return []
    order = [d for d, extent in enumerate(array.shape) if extent > 1]
    reach, wrong = size, []
    for d in sorted(order, key=lambda d: abs(array.strides[d])):
        if abs(array.strides[d]) < reach:
            wrong.append(d)
        reach += abs(array.strides[d]) * (array.shape[d] - 1)
    return sorted(wrong)


def span(array: Operand, size: int) -> tuple[int, int]:
    """The address of the first byte, and that after the last byte."""
    if 0 in array.shape:
        return array.address, array.address
    steps = [(n - 1) * stride for n, stride in zip(array.shape, array.strides, strict=True)]
    low = sum(min(0, step) for step in steps)
    return array.address + low, array.address + sum(max(0, step) for step in steps) + size


SHARING_WORK = 1_000_000
"""The work limit of the overlap test, see ``np.shares_memory``."""


def share_memory(first: Operand, second: Operand, sizes: tuple[int, int]) -> bool | None:
    """True if two views share a byte; None if the test exceeds its limit."""
    import numpy as np

    def view(array: Operand, size: int) -> Any:
        begin, end = span(array, size)
        memory: Any = (ctypes.c_char * (end - begin)).from_address(begin)
        offset = array.address - begin
        return np.ndarray(array.shape, f"V{size}", memory, offset, array.strides)

    work: Any = SHARING_WORK
    try:
        return bool(np.shares_memory(view(first, sizes[0]), view(second, sizes[1]), work))
    except np.exceptions.TooHardError:
        return None
