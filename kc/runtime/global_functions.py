"""The arguments that Python functions under global names are called with (the names:
:mod:`kc.support.global_functions`)."""

from __future__ import annotations

from typing import Any

from kc.support.diagnostics import CallError
from kc.support.global_functions import (
    arrays_become,
    get_global_func,
    list_global_func_names,
    register_func,
    remove_global_func,
)

__all__ = [
    "convert",
    "convert_to_object",
    "get_global_func",
    "list_global_func_names",
    "register_func",
    "remove_global_func",
]


def _shared(value: Any) -> Any:
    """An array of kc.nd on the memory of one of numpy's."""
    from kc.runtime.array import NDArray
    from kc.runtime.device import cpu

    return NDArray(value, cpu())


arrays_become(_shared)


def convert(value: Any) -> Any:
    """``value`` as kernels and registered functions take it: numpy arrays become kc.nd arrays.

    Lists and tuples become tuples of converted values, dicts dicts of them; numbers, text, None,
    functions and kc.nd arrays are what they are. Raises CallError KC5149 for anything else.
    """
    import numpy as np

    from kc.runtime.array import NDArray, array

    if value is None or isinstance(value, bool | int | float | str | NDArray) or callable(value):
        return value
    if isinstance(value, np.ndarray):
        return array(value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, list | tuple):
        return tuple(map(convert, value))
    if isinstance(value, dict):
        return {key: convert(item) for key, item in value.items()}
    raise CallError(
        "KC5149",
        f"convert: functions cannot be called with {type(value).__name__}",
        hints=["numpy and kc.nd arrays, numbers, text, functions, and lists and dicts of them"],
    )


convert_to_object = convert
