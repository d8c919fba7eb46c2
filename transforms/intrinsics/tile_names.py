"""The names and parameters of the tensor intrinsics on x86's tile registers (AMX).

The registry uses this module for lookups, and imports the text of an intrinsic only on use.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

ROWS = 16
"""The maximum number of rows of a tile register."""

ROW_BYTES = 64
"""The maximum number of bytes of a row of a tile register."""

TILES = 8
"""The number of tile registers of a thread."""

SCOPE = "amx.tile"
"""The memory scope of tile registers."""

PRODUCTS = {
    "u8i8": ("tdpbusd", "amx-int8"),
    "i8u8": ("tdpbsud", "amx-int8"),
    "i8i8": ("tdpbssd", "amx-int8"),
    "u8u8": ("tdpbuud", "amx-int8"),
    "bf16": ("tdpbf16ps", "amx-bf16"),
    "f16": ("tdpfp16ps", "amx-fp16"),
}
"""The instruction and the required CPU feature, by the types of A and B."""


class TileIntrin(NamedTuple):
    """An intrinsic for tiles. Its role is to ``load``, ``fill`` or ``store`` a tile, or to compute
    C += A * B of tiles in registers (``sync``) or in memory (``dot``).
    """

    role: str
    rows: int
    """The number of rows of the tile; of a product, the number of rows of A and C."""
    matrix: str
    """The operand of a product that the tile is: ``a``, ``b`` or ``c``."""
    types: str
    """The element type of the tile; of a product, a key of :data:`PRODUCTS`."""
    space: str = "global"
    """The memory of a store."""

    @property
    def group(self) -> int:
        """The number of elements of A and B in a word, whose products an instruction adds to one
        sum.
        """
        return group_of(self.types)

    @property
    def extents(self) -> tuple[int, ...]:
        """The extents of the loops of the intrinsic, without extents of 1."""
        if self.role in ("sync", "dot"):
            loops = (self.rows, ROWS, ROWS * self.group)
        elif self.matrix == "b":
            loops = (ROWS, ROWS, self.group)
        else:
            loops = (self.rows, ROWS * (1 if self.matrix == "c" else self.group))
        return tuple(extent for extent in loops if extent != 1)


def group_of(types: str) -> int:
    """The number of elements of A and B of such types in a word of 32 bits."""
    return 4 if "8" in types else 2


def load_a_name(element: str, rows: int = ROWS) -> str:
    """The name of the load of a tile of A, whose rows are rows of the matrix."""
    return f"amx_load_{rows}x{ROWS * group_of(element)}_{element}"


def load_b_name(element: str) -> str:
    """The name of the load of a tile of B, in groups: ``B[k / group, j, k % group]``."""
    return f"amx_load_{ROWS}x{ROWS}x{group_of(element)}_{element}"


def sync_name(types: str, rows: int = ROWS) -> str:
    """The name of the product of tiles in registers."""
    return f"amx_sync_{rows}x{ROWS}x{ROWS * group_of(types)}_{types}"


def fill_name(total: str, rows: int = ROWS) -> str:
    """The name of the intrinsic that sets a tile of sums to zero."""
    return f"amx_fill_{rows}x{ROWS}_{total}"


def store_name(total: str, rows: int = ROWS, space: str = "global") -> str:
    """The name of the store of a tile of sums to ``global`` or ``local`` memory."""
    return f"amx_store_{rows}x{ROWS}_{total}{'' if space == 'global' else f'_{space}'}"


@cache
def tile_intrins() -> Mapping[str, TileIntrin]:
    """The intrinsics by name."""
    intrins = {
        load_b_name(element): TileIntrin("load", ROWS, "b", element)
        for element in ("i8", "bf16", "f16")
    }
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
    """The name of the intrinsic that transposes a matrix of words: ``C[k / group, j, k % group] =
    A[j, k]``.
    """
    return f"pack_columns_{ROWS}x{ROWS * group_of(element)}_{element}"


@cache
def packing_intrins() -> Mapping[str, str]:
    """The element types of the intrinsics that pack elements into groups for tiles, by name."""
    return {pack_columns_name(element): element for element in ("i8", "bf16", "f16")}
