"""The types of elements, by TVM's names: scalars, and vectors of them such as ``float32x4``."""

from __future__ import annotations

import re

from kc.support.diagnostics import TEError, counted, suggest
from kc.support.float_formats import NARROW_FLOATS
from kc.support.locations import caller_location

FLOATS = {
    **{narrow.name: narrow.bits for narrow in NARROW_FLOATS.values()},
    "float32": 32,
    "float64": 64,
}
INTS = {f"int{bits}": bits for bits in (8, 16, 32, 64)}
UINTS = {f"uint{bits}": bits for bits in (8, 16, 32, 64)}
DTYPES = (*FLOATS, *INTS, *UINTS, "bool")
"""The scalar types of elements."""

WITHOUT_BITS = ("float", "int", "uint")
"""Types of 32 bits, in TVM's programs."""

MAX_LANES = 256
"""The largest number of lanes of a vector element."""

_VECTOR = re.compile(r"(.+?)x([0-9]{1,9})")


def check_dtype(dtype: str, *, vectors: bool = False) -> str:
    """The name of an element type. A numpy dtype or scalar type is converted to its name.

    The texts "float", "int" and "uint" are types of 32 bits, as in TVM (types of Python are not).
    With ``vectors`` it may be one of vectors, such as ``float32x4``.
    """
    name = dtype if isinstance(dtype, str) else getattr(dtype, "__name__", None) or str(dtype)
    if dtype in WITHOUT_BITS:
        return f"{dtype}32"
    if name not in DTYPES:
        vector = _VECTOR.fullmatch(name)
        if vector and vector[1] in DTYPES:
            if not 2 <= int(vector[2]) <= MAX_LANES:
                raise TEError(
                    "KC2241",
                    f"the type {name} has {counted(int(vector[2]), 'lane')}",
                    location=caller_location(),
                    why=f"a vector must have 2 to {MAX_LANES} lanes",
                )
            if vectors:
                return name
            raise TEError(
                "KC2242",
                f"{name} is a vector type, but a scalar type is expected here",
                location=caller_location(),
                why="elements of te.placeholder and of te.compute may be vectors",
                hints=[f'"{vector[1]}", with a dimension of {vector[2]} more'],
            )
        raise TEError(
            "KC2001",
            f"unknown element type {name!r}",
            location=caller_location(),
            hints=suggest(name, DTYPES, "the types are"),
        )
    return name


def lanes(dtype: str) -> int:
    """The number of scalars in an element of ``dtype``."""
    vector = None if dtype in DTYPES else _VECTOR.fullmatch(dtype)
    return int(vector[2]) if vector else 1


def scalar(dtype: str) -> str:
    """The type of a lane of ``dtype``."""
    vector = None if dtype in DTYPES else _VECTOR.fullmatch(dtype)
    return vector[1] if vector else dtype


def vector_of(dtype: str, like: str) -> str:
    """The vector type with scalars of ``dtype`` and the lane count of ``like``."""
    return with_lanes(scalar(dtype), lanes(like))


def with_lanes(dtype: str, count: int) -> str:
    """The type of ``count`` scalars of ``dtype``."""
    return dtype if count == 1 else f"{dtype}x{count}"


def total_bits(dtype: str) -> int:
    """The width of a value of ``dtype``, all lanes."""
    return bits(dtype) * lanes(dtype)


def is_float(dtype: str) -> bool:
    """True if ``dtype`` is a floating-point type, or a vector type of floats."""
    return scalar(dtype) in FLOATS


def is_bool(dtype: str) -> bool:
    """True if ``dtype`` is the type of conditions, or a vector type of conditions."""
    return scalar(dtype) == "bool"


def is_signed(dtype: str) -> bool:
    """True if ``dtype`` is a signed integer type, or a vector type of signed integers."""
    return scalar(dtype) in INTS


def bits(dtype: str) -> int:
    """The width of a lane of ``dtype``."""
    name = scalar(dtype)
    return 1 if name == "bool" else {**FLOATS, **INTS, **UINTS}[name]


def integer_limits(dtype: str) -> tuple[int, int]:
    """The lowest and the highest number of a type of integers, or of the lanes of a vector."""
    width = bits(dtype)
    if is_signed(dtype):
        return -(1 << (width - 1)), (1 << (width - 1)) - 1
    return 0, (1 << width) - 1
