"""Products of 16 x 16 sums by the tile registers of x86 (AMX): ``C[i, j] += A[i, k] * B[k, j]``.

A tile register has 16 rows of 64 bytes: 64 bytes of a row of A, or 32 numbers of bf16 or f16. B is
stored in groups, as for the dot products of vectors: what is multiplied with one word of A is side
by side, ``B[k / 4, j, k % 4]`` of bytes. The rows of each operand may be apart in memory. LLVM
chooses the registers and writes their configuration once for a function.

The text of an intrinsic is an attribute of this module with the name of the intrinsic.

(Intel: Architecture Instruction Set Extensions, Advanced Matrix Extensions.)
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from string import Template


@dataclass(frozen=True)
class _Kind:
    """An instruction: the feature that it needs, and what A and B have, extended to sums."""

    instruction: str
    feature: str
    element: str
    extend_a: str
    extend_b: str


_U, _I, _F = "arith.extui", "arith.extsi", "arith.extf"
_KINDS = {
    "amx_dot_16x16x64_u8i8": _Kind("tdpbusd", "amx-int8", "i8", _U, _I),
    "amx_dot_16x16x64_i8i8": _Kind("tdpbssd", "amx-int8", "i8", _I, _I),
    "amx_dot_16x16x64_u8u8": _Kind("tdpbuud", "amx-int8", "i8", _U, _U),
    "amx_dot_16x16x32_bf16": _Kind("tdpbf16ps", "amx-bf16", "bf16", _F, _F),
    "amx_dot_16x16x32_f16": _Kind("tdpfp16ps", "amx-fp16", "f16", _F, _F),
}


def __getattr__(name: str) -> str:
    kind = _KINDS.get(name)
    if kind is None:
        raise AttributeError(f"there is no tensor intrinsic {name!r} in {__name__}")
    template = Path(__file__).with_suffix(".mlir").read_text(encoding="utf-8")
    is_integer = kind.element == "i8"
    group = 4 if is_integer else 2  # products that are added to a sum at once
    return Template(template).substitute(
        vars(kind),
        name=name,
        group=group,
        depth=16 * group,
        bytes=4 // group,
        sums="i32" if is_integer else "f32",
        zero="0" if is_integer else "0.000000e+00",
        multiply="arith.muli" if is_integer else "arith.mulf",
        add="arith.addi" if is_integer else "arith.addf",
    )
