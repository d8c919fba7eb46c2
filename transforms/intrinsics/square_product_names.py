"""The names of the tensor intrinsics for the AArch64 instructions that multiply two rows by two
columns: smmla, ummla, usmmla and bfmmla.

The registry uses this module for lookups, and imports the text of an intrinsic only on use.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

SIZE = 2
"""The number of rows, and of columns, of the square of sums in a register."""


@dataclass(frozen=True)
class SquareProduct:
    """``C[2 i + j] += A[i, k] * B[j, k]`` of bytes or bf16, with sums of 32 bits."""

    feature: str
    """The feature that the CPU must have."""
    call: str
    """The intrinsic of LLVM."""
    step: int
    """The number of products that are added to each sum."""
    element: str
    sums: str
    extensions: tuple[str, str]
    """The operations that extend elements of A and of B."""


_SIGNED, _UNSIGNED, _FLOAT = "arith.extsi", "arith.extui", "arith.extf"

SQUARE_PRODUCTS: Mapping[str, SquareProduct] = {
    "neon_bfmmla_square": SquareProduct(
        "bf16", "llvm.aarch64.neon.bfmmla", 4, "bf16", "f32", (_FLOAT, _FLOAT)
    ),
    **{
        f"neon_{name}_square": SquareProduct(
            "i8mm", f"llvm.aarch64.neon.{name}.v4i32.v16i8", 8, "i8", "i32", extensions
        )
        for name, extensions in (
            ("smmla", (_SIGNED, _SIGNED)),
            ("ummla", (_UNSIGNED, _UNSIGNED)),
            ("usmmla", (_UNSIGNED, _SIGNED)),
        )
    },
}
"""The products by name."""

ROWS_OF_SQUARES: Mapping[str, str] = {
    f"rows_of_squares_{element}_2x4": element for element in ("i32", "f32")
}
"""The intrinsics that convert two adjacent squares to two rows of four elements, with their element
types.
"""


def square_intrins() -> tuple[str, ...]:
    """The names of the intrinsics."""
    return (*SQUARE_PRODUCTS, *ROWS_OF_SQUARES)
