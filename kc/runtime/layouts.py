"""How the elements of arrays lie in memory: strides, spans, and what shares what."""

from __future__ import annotations

import ctypes
import math
from typing import Any

from kc.runtime.operand import Operand
from kc.runtime.signature import ArgSpec


def strides_of(found: Operand, spec: ArgSpec) -> tuple[int, ...]:
    """The strides in elements; 0 where a dimension has no neighbours."""
    size = spec.element.size
    return tuple(
        stride // size if extent > 1 else 0
        for extent, stride in zip(found.shape, found.strides, strict=True)
    )


def dense_strides(found: Operand, spec: ArgSpec) -> tuple[int, ...]:
    """The strides in bytes that the array had if it were dense."""
    shape, size = found.shape, spec.element.size
    return tuple(size * math.prod(shape[d + 1 :]) for d in range(len(shape)))


def strides_to_declare(found: Operand, spec: ArgSpec) -> str:
    """Strides to declare that the array has: 1 where it does, and variables."""
    size, last = spec.element.size, len(found.shape) - 1
    names = [f'te.var("s{d}")' for d in range(len(found.shape))]
    if found.strides[last:] == (size,):
        names[last] = "1"
    return ", ".join(names)


def on_itself(found: Operand, size: int) -> list[int]:
    """The dimensions along which elements may be the same memory; those of a view never are.

    Each stride must leave the span of the smaller ones behind: what slices and transposes have.
    """
    if 0 in found.shape:
        return []
    order = [d for d, extent in enumerate(found.shape) if extent > 1]
    reach, wrong = size, []
    for d in sorted(order, key=lambda d: abs(found.strides[d])):
        if abs(found.strides[d]) < reach:
            wrong.append(d)
        reach += abs(found.strides[d]) * (found.shape[d] - 1)
    return sorted(wrong)


def span(found: Operand, size: int) -> tuple[int, int]:
    """The bytes from the first to behind the last element."""
    if 0 in found.shape:
        return found.address, found.address
    steps = [(n - 1) * stride for n, stride in zip(found.shape, found.strides, strict=True)]
    low = sum(min(0, one) for one in steps)
    return found.address + low, found.address + sum(max(0, one) for one in steps) + size


SHARING_WORK = 1_000_000
"""What is done at most to tell whether two views share memory, see ``np.shares_memory``."""


def share_memory(one: Operand, other: Operand, sizes: tuple[int, int]) -> bool | None:
    """Whether two views share a byte; None where that takes too long to tell."""
    import numpy as np

    def view(found: Operand, size: int) -> Any:
        begin, end = span(found, size)
        memory: Any = (ctypes.c_char * (end - begin)).from_address(begin)
        offset = found.address - begin
        return np.ndarray(found.shape, f"V{size}", memory, offset, found.strides)

    work: Any = SHARING_WORK
    try:
        return bool(np.shares_memory(view(one, sizes[0]), view(other, sizes[1]), work))
    except np.exceptions.TooHardError:
        return None
