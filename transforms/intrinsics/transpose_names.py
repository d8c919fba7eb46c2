"""The names of the tensor intrinsics that transpose in registers.

The registry uses this module for lookups, and imports the text of an intrinsic only on use.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

SIZES = {"f32": (16, 8, 4), "f64": (8, 4, 2), "i32": (16, 8, 4)}
"""The numbers of lanes of registers, by element type."""

INTERLEAVED = {
    "i8": ((8, 8), (8, 4), (4, 16), (4, 8), (4, 4), (2, 16), (2, 8)),
    "i16": ((2, 16), (2, 8)),
    "bf16": ((4, 8), (4, 4), (2, 16), (2, 4)),
    "f16": ((2, 16),),
}
"""The numbers of rows, and of elements of a row, of parts that are interleaved, as packing for dot
products and tile registers requires; by element type.
"""


def transpose_name(element: str, rows: int, columns: int) -> str:
    """The name of the intrinsic for ``rows`` registers of ``columns`` elements:
    ``transpose_f32_16x16``.
    """
    return f"transpose_{element}_{rows}x{columns}"


def register_size(element: str, rows: int, columns: int) -> int:
    """The number of elements of the smallest registers that hold the rows and the columns of a
    part.
    """
    return min(size for size in SIZES[element] if size >= max(rows, columns))


@cache
def transpose_intrins() -> Mapping[str, tuple[str, int, int]]:
    """The intrinsics by name: the element type, the number of rows, at least 2, and the number of
    elements of a row.
    """
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
