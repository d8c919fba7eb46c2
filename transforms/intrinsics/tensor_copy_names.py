"""The names and parameters of the tensor intrinsics that copy boxes of tensors (TMA)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

ELEMENT_BYTES = {"f16": 2, "bf16": 2, "f32": 4, "s8": 1, "e4m3": 1, "e5m2": 1}
_ROWS = (8, 16, 32, 64, 96, 128, 192, 256)
_ROW_BYTES = (32, 64, 128)
"""The row sizes in bytes that a swizzle supports."""
_SHARED = {"shared": "shared", "shared_dyn": "shared.dyn"}


class TensorCopyIntrin(NamedTuple):
    """A copy of a box of a matrix: ``load`` from global to shared memory, ``store`` back."""

    role: str
    rows: int
    columns: int
    element: str
    space: str

    @property
    def extents(self) -> tuple[int, int]:
        """The extents of the loops of the copy."""
        return self.rows, self.columns


@cache
def tensor_copy_intrins() -> Mapping[str, TensorCopyIntrin]:
    """The intrinsics by name: ``tma_load_64x64_f16_shared``, ``tma_store_64x32_f32_shared``, ..."""
    return {
        f"tma_{role}_{rows}x{bytes_ // size}_{element}_{suffix}": TensorCopyIntrin(
            role, rows, bytes_ // size, element, space
        )
        for role in ("load", "store")
        for element, size in ELEMENT_BYTES.items()
        for rows in _ROWS
        for bytes_ in _ROW_BYTES
        for suffix, space in _SHARED.items()
    }
