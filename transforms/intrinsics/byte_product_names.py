"""The names of the tensor intrinsics for products of bytes that are generated.

The registry asks for them when an intrinsic is looked up, and imports no text before it is used.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class ByteProduct:
    """``C[i] += A[k] * B[i, k]`` of bytes, with sums of 32 bits."""

    feature: str
    """What the CPU must have."""
    call: str
    """The intrinsic of LLVM."""
    lanes: int
    """Sums of a register."""
    step: int
    """Products that are added to each: 4 of bytes, 2 of bytes that become 16 bits."""
    rows: str
    columns: str
    """The types of A and B: ``u8`` or ``i8``."""


SIGNS = ("u8", "i8")


@cache
def byte_products() -> Mapping[str, ByteProduct]:
    """The intrinsics by name."""
    dot, madd = "llvm.x86.avx512.vpdpbusd", "llvm.x86.avx2.pmadd.wd"
    wide = "llvm.x86.avx512.pmaddw.d.512"
    products = {
        "avx512_vnni_dot_16x4_i8u8": ByteProduct("avx512vnni", f"{dot}.512", 16, 4, "i8", "u8"),
        "avx_vnni_dot_8x4_i8u8": ByteProduct("avxvnni", f"{dot}.256", 8, 4, "i8", "u8"),
    }
    for rows in SIGNS:
        for columns in SIGNS:
            kinds = f"{rows}{columns}"
            products[f"avx512_madd_dot_16x2_{kinds}"] = ByteProduct(
                "avx512bw", wide, 16, 2, rows, columns
            )
            products[f"avx2_madd_dot_8x2_{kinds}"] = ByteProduct("avx2", madd, 8, 2, rows, columns)
    return products
