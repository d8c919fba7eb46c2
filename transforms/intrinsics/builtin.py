"""The tensor intrinsics that kc has itself, as text: one file an instruction set."""

from __future__ import annotations

from pathlib import Path


def _text(stem: str) -> str:
    return Path(__file__).with_name(f"{stem}.mlir").read_text(encoding="utf-8")


PORTABLE = _text("portable")
"""Vector code for any CPU."""

X86_64 = _text("x86_64")
"""What some x86-64 CPUs have."""

AARCH64 = _text("aarch64")
"""What some AArch64 CPUs have."""
