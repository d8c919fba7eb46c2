"""The IR types of floating-point elements, by the dtype names of users."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float16Type,
    Float32Type,
    Float64Type,
)
from xdsl.ir import Attribute

FLOAT_TYPES: dict[str, AnyFloat] = {
    "float8_e4m3fn": Float8E4M3FNType(),
    "float8_e5m2": Float8E5M2Type(),
    "float16": Float16Type(),
    "bfloat16": BFloat16Type(),
    "float32": Float32Type(),
    "float64": Float64Type(),
}
"""The type of each dtype."""

_NAMES: dict[Attribute, str] = {type_: name for name, type_ in FLOAT_TYPES.items()}


def float_dtype(type_: Attribute) -> str | None:
    """The dtype of a float type; None for another type."""
    return _NAMES.get(type_)
