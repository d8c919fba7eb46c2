"""The names of the tensor intrinsics on x86's tile registers (AMX), and what each of them is.

The registry asks for them when an intrinsic is looked up, and imports no text before it is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

ROWS = 16
"""Rows of a tile register, at most."""

ROW_BYTES = 64
"""Bytes of a row of a tile register, at most."""

TILES = 8
"""Tile registers of a thread."""

SCOPE = "amx.tile"
"""The memory scope of buffers that are tile registers."""

PRODUCTS = {
    "u8i8": ("tdpbusd", "amx-int8"),
    "i8u8": ("tdpbsud", "amx-int8"),
    "i8i8": ("tdpbssd", "amx-int8"),
    "u8u8": ("tdpbuud", "amx-int8"),
    "bf16": ("tdpbf16ps", "amx-bf16"),
    "f16": ("tdpfp16ps", "amx-fp16"),
}
"""The types of A and B -> the instruction, and the feature that it needs."""


class TileIntrin(NamedTuple):
    """An intrinsic for tiles. Its role is to ``load``, ``fill`` or ``store`` a tile, or to compute
    C += A * B of tiles in registers (``sync``) or in memory (``dot``).
    """

    role: str
    rows: int
    """Rows of the tile; of a product, those of A and C."""
    matrix: str
    """``a``, ``b`` or ``c``: which operand of a product the tile is."""
    types: str
    """The type of the elements of the tile; of a product, a key of :data:`PRODUCTS`."""
    space: str = "global"
    """The memory that the tile is stored to."""

    @property
    def group(self) -> int:
        """Elements of A and B in a word, whose products are added to a sum at once."""
        return group_of(self.types)

    @property
    def extents(self) -> tuple[int, ...]:
        """The loops of the intrinsic, without those of one iteration."""
        if self.role in ("sync", "dot"):
            loops = (self.rows, ROWS, ROWS * self.group)
        elif self.matrix == "b":
            loops = (ROWS, ROWS, self.group)
        else:
            loops = (self.rows, ROWS * (1 if self.matrix == "c" else self.group))
        return tuple(extent for extent in loops if extent != 1)


def group_of(types: str) -> int:
    """Elements of A and B of such types in a word of 32 bits."""
    return 4 if "8" in types else 2


def load_a_name(element: str, rows: int = ROWS) -> str:
    """The load of a tile of A, whose rows are rows of the matrix."""
    return f"amx_load_{rows}x{ROWS * group_of(element)}_{element}"


def load_b_name(element: str) -> str:
    """The load of a tile of B, in groups: ``B[k / group, j, k % group]``."""
    return f"amx_load_{ROWS}x{ROWS}x{group_of(element)}_{element}"


def sync_name(types: str, rows: int = ROWS) -> str:
    """The product of tiles in registers."""
    return f"amx_sync_{rows}x{ROWS}x{ROWS * group_of(types)}_{types}"


def fill_name(total: str, rows: int = ROWS) -> str:
    """The tile of sums that are zero."""
    return f"amx_fill_{rows}x{ROWS}_{total}"


def store_name(total: str, rows: int = ROWS, space: str = "global") -> str:
    """The store of a tile of sums to ``global`` or ``local`` memory."""
    return f"amx_store_{rows}x{ROWS}_{total}{'' if space == 'global' else f'_{space}'}"


@cache
def tile_intrins() -> Mapping[str, TileIntrin]:
    """The intrinsics by name."""
    intrins = {load_b_name(it): TileIntrin("load", ROWS, "b", it) for it in ("i8", "bf16", "f16")}
    for rows in range(1, ROWS + 1):
        for element in ("i8", "bf16", "f16"):
            intrins[load_a_name(element, rows)] = TileIntrin("load", rows, "a", element)
        for total in ("i32", "f32"):
            name = f"amx_load_{rows}x{ROWS}_{total}"
            intrins[name] = TileIntrin("load", rows, "c", total)
            intrins[fill_name(total, rows)] = TileIntrin("fill", rows, "c", total)
            for space in ("global", "local"):
                name = store_name(total, rows, space)
                intrins[name] = TileIntrin("store", rows, "c", total, space)
        for types in PRODUCTS:
            intrins[sync_name(types, rows)] = TileIntrin("sync", rows, "c", types)
    for types in PRODUCTS:
        name = f"amx_dot_{ROWS}x{ROWS}x{ROWS * group_of(types)}_{types}"
        intrins[name] = TileIntrin("dot", ROWS, "c", types)
    return intrins


# Packing ----------------------------------------------------------------------------------------


def pack_columns_name(element: str) -> str:
    """``C[k / group, j, k % group] = A[j, k]``: a matrix of words, transposed."""
    return f"pack_columns_{ROWS}x{ROWS * group_of(element)}_{element}"


@cache
def packing_intrins() -> Mapping[str, str]:
    """The intrinsics that put elements into groups for tiles: the type of the elements by name."""
    return {pack_columns_name(element): element for element in ("i8", "bf16", "f16")}
