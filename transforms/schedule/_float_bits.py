"""The bits of floating-point numbers. Without the sign, they are ordered like the magnitudes."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, Float64Type

FRACTION_BITS: Mapping[type, int] = {
    BFloat16Type: 7,
    Float16Type: 10,
    Float32Type: 23,
    Float64Type: 52,
}
"""The number of fraction bits by type."""
