"""The C functions of this process, and the C types of their arguments."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

C_SCALARS: dict[str, Any] = {
    "bool": ctypes.c_int8,
    "float32": ctypes.c_float,
    "float64": ctypes.c_double,
    **{f"int{bits}": getattr(ctypes, f"c_int{bits}") for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": getattr(ctypes, f"c_uint{bits}") for bits in (8, 16, 32, 64)},
}
"""The C types that pass values of an element type. Values of other element types cannot be
passed.
"""


@cache
def _system_libraries() -> list[ctypes.CDLL]:
    """The process itself, then the libraries that compiled code may need and the process may not
    have loaded.
    """
    libraries = [ctypes.CDLL(None)]
    for name in ("libm.so.6", "libgcc_s.so.1"):
        try:
            libraries.append(ctypes.CDLL(name))
        except OSError:
            continue  # not available on this system; missing symbols are reported
    return libraries


def find_symbol(name: str) -> int | None:
    """The address of a function or variable of this process or of the system's libraries."""
    for library in _system_libraries():
        try:
            return ctypes.cast(getattr(library, name), ctypes.c_void_p).value
        except AttributeError:
            continue
    return None
