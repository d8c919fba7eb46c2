"""The meanings of the words of scripts in a function that Python executes.

Loops are ranges; memory and mathematics are numpy's. The function is thus its own reference.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any

from kc.expr.dtypes import DTYPES
from kc.tir.script.functions import ceil_div, max_num_threads
from kc.tir.script.names import Word


def _range(*bounds: Any, unsafe: bool = False, annotations: Any = None) -> Iterable[int]:
    del unsafe, annotations
    return range(*bounds)


def _threads(*bounds: Any, thread: str = "") -> Iterable[int]:
    del thread
    return range(*(bound for bound in bounds if not isinstance(bound, str)))


def _grid(*extents: int) -> Iterable[tuple[int, ...]]:
    return itertools.product(*map(range, extents))


def _memory(shape: Any, dtype: str = "float32", scope: str = "") -> Any:
    import numpy as np

    del scope
    return np.zeros(shape, dtype)


def _truncated_quotient(a: Any, b: Any) -> Any:
    """The quotient rounded towards zero. For floats, the truncated quotient; for integers, computed
    from the remainder.
    """
    import numpy as np

    if isinstance(a, float | np.floating) or isinstance(b, float | np.floating):
        return np.trunc(a / b)
    return (a - np.fmod(a, b)) // b


def _names() -> dict[str, Any]:
    import numpy as np

    plain = ("exp", "exp2", "log", "log2", "log10", "sqrt", "tanh", "tan", "sin", "cos", "floor")
    ranges = ("serial", "parallel", "vectorize", "vectorized", "unroll", "unrolled", "const_range")
    return {
        **{name: getattr(np, name) for name in (*plain, "ceil", "trunc", "power", "fmod")},
        **{name: getattr(np, name) for name in DTYPES if hasattr(np, name) and name != "bool"},
        **dict.fromkeys(ranges, _range),
        "bind": _threads,
        "thread_binding": _threads,
        "grid": _grid,
        **dict.fromkeys(("output_tensor", "allocate", "alloc_buffer"), _memory),
        "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
        "rsqrt": lambda x: 1 / np.sqrt(x),
        "popcount": lambda x: int(x).bit_count(),
        "likely": lambda condition: condition,
        "if_then_else": lambda condition, a, b: a if condition else b,
        "floordiv": lambda a, b: a // b,
        "floormod": lambda a, b: a % b,
        "truncdiv": _truncated_quotient,
        "truncmod": np.fmod,
        "ceil_div": ceil_div,
        "max_num_threads": max_num_threads,
    }


def executable(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function`` with the words of scripts that it does not define itself."""
    assert isinstance(function, FunctionType)
    own = function.__globals__
    words = _names()
    executable_words = {
        name: words.get(value.name, value) if isinstance(value, Word) else value
        for name, value in own.items()
    }
    rebuilt = FunctionType(
        function.__code__,
        {**words, **executable_words},
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    rebuilt.__kwdefaults__ = function.__kwdefaults__
    return rebuilt
