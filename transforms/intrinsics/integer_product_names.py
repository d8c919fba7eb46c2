"""The names of the generated tensor intrinsics for products of narrow integers.

The registry uses this module for lookups, and imports the text of an intrinsic only on use.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class IntegerProduct:
    """``C[i] += A[k] * B[i, k]`` of integers of 8 or 16 bits, with sums of 32 bits."""

    feature: str
    """The feature that the CPU must have."""
    call: str
    """The intrinsic of LLVM."""
    lanes: int
    """The number of sums in a register."""
    step: int
    """The number of products that are added to each sum: 4 of bytes, 2 of 16-bit integers."""
    rows: str
    columns: str
    """The types of A and B: ``u8``, ``i8`` or ``i16``."""

    @property
    def element(self) -> str:
        """The type of the elements in memory."""
        return f"i{self.rows[1:]}"

    @property
    def is_widened(self) -> bool:
        """True if bytes are extended to 16 bits in registers."""
        return self.element == "i8" and self.step == 2

    @property
    def adds(self) -> bool:
        """True if the instruction accumulates into the sums."""
        return ".vpdp" in self.call


SIGNS = ("u8", "i8")


@cache
def integer_products() -> Mapping[str, IntegerProduct]:
    """The intrinsics by name."""
    bytes_, words = "llvm.x86.avx512.vpdpbusd", "llvm.x86.avx512.vpdpwssd"
    madd, wide = "llvm.x86.avx2.pmadd.wd", "llvm.x86.avx512.pmaddw.d.512"
    products = {
        "avx512_vnni_dot_16x4_i8u8": IntegerProduct(
            "avx512vnni", f"{bytes_}.512", 16, 4, "i8", "u8"
        ),
        "avx_vnni_dot_8x4_i8u8": IntegerProduct("avxvnni", f"{bytes_}.256", 8, 4, "i8", "u8"),
        "avx512_vnni_dot_16x2_i16": IntegerProduct(
            "avx512vnni", f"{words}.512", 16, 2, "i16", "i16"
        ),
        "avx_vnni_dot_8x2_i16": IntegerProduct("avxvnni", f"{words}.256", 8, 2, "i16", "i16"),
        "avx512_madd_dot_16x2_i16": IntegerProduct("avx512bw", wide, 16, 2, "i16", "i16"),
        "avx2_madd_dot_8x2_i16": IntegerProduct("avx2", madd, 8, 2, "i16", "i16"),
    }
    for sign, call in (("i8", "vpdpbssd"), ("u8", "vpdpbuud")):
        products[f"avx10_dot_16x4_{sign}{sign}"] = IntegerProduct(
            "avx10.2", f"llvm.x86.avx10.{call}.512", 16, 4, sign, sign
        )
        products[f"avx_vnni_int8_dot_8x4_{sign}{sign}"] = IntegerProduct(
            "avxvnniint8", f"llvm.x86.avx2.{call}.256", 8, 4, sign, sign
        )
    for rows in SIGNS:
        for columns in SIGNS:
            kinds = f"{rows}{columns}"
            products[f"avx512_madd_dot_16x2_{kinds}"] = IntegerProduct(
                "avx512bw", wide, 16, 2, rows, columns
            )
            products[f"avx2_madd_dot_8x2_{kinds}"] = IntegerProduct(
                "avx2", madd, 8, 2, rows, columns
            )
    return products
