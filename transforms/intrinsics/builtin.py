"""The text of kc's own tensor intrinsics: one file per instruction set."""

from __future__ import annotations

from pathlib import Path


def _text(stem: str) -> str:
    return Path(__file__).with_name(f"{stem}.mlir").read_text(encoding="utf-8")


PORTABLE = _text("portable")
"""Vector code for all CPUs."""

X86_64 = _text("x86_64")
"""The intrinsics for instruction-set extensions of x86-64."""


def _of_halves(text: str) -> str:
    """The dot product of bf16 as one of f16, which AVX10.2 has with the same shape."""
    for old, new in (
        ("avx512_bf16_dot_16x2", "avx10_f16_dot_16x2"),
        ('"avx512bf16"', '"avx10.2"'),
        ("llvm.x86.avx512bf16.dpbf16ps.512", "llvm.x86.avx10.vdpphps.512"),
        ("bf16", "f16"),
    ):
        text = text.replace(old, new)
    return text


AVX10 = _of_halves(X86_64[X86_64.index("module @avx512_bf16_dot_16x2") :])
"""The intrinsics of x86-64 CPUs with AVX10.2."""

AARCH64 = _text("aarch64")
"""The intrinsics for instruction-set extensions of AArch64."""
