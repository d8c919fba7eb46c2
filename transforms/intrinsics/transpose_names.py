"""The names of the tensor intrinsics that transpose in registers.

The registry asks for them when an intrinsic is looked up, and imports no text before it is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

SIZES = {"f32": (16, 8, 4), "f64": (8, 4, 2), "i32": (16, 8, 4)}
"""The lanes of registers by the type of their elements."""

INTERLEAVED = {
    "i8": ((8, 8), (8, 4), (4, 16), (4, 8), (4, 4), (2, 16), (2, 8)),
    "i16": ((2, 16), (2, 8)),
    "bf16": ((4, 8), (4, 4), (2, 16), (2, 4)),
    "f16": ((2, 16),),
}
"""Rows, and elements of a row, that are interleaved: what is packed for dot products
and tile registers."""


def transpose_name(element: str, rows: int, columns: int) -> str:
    """The intrinsic for ``rows`` registers of ``columns`` elements: ``transpose_f32_16x16``."""
    return f"transpose_{element}_{rows}x{columns}"


def register_size(element: str, rows: int, columns: int) -> int:
    """The elements of the smallest registers that hold the rows and the columns of such a part."""
    return min(size for size in SIZES[element] if size >= max(rows, columns))


@cache
def transpose_intrins() -> Mapping[str, tuple[str, int, int]]:
    """The intrinsics by name: the element, the rows, of which there are at least two, and the
    elements of a row."""
    shapes = [
        *(
            (element, rows, columns)
            for element, sizes in SIZES.items()
            for columns in range(2, max(sizes) + 1)
            for rows in range(2, max(sizes) + 1)
        ),
        *((element, *shape) for element, several in INTERLEAVED.items() for shape in several),
    ]
    return {transpose_name(*shape): shape for shape in shapes}
