"""The interpreter of te, tir and the standard dialects below them: the oracle of the tests.

It evaluates a program by its definition, one scalar at a time: floats are rounded at each op,
integers wrap, every access is checked, memory starts as garbage, and undefined behaviour raises
:class:`ExecutionError`. :func:`run` is the entry point.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kc.analysis.interpreter.errors import (
    DomainError,
    ExecutionError,
    OutOfBoundsError,
    PoisonError,
    UninterpretableError,
)

if TYPE_CHECKING:
    from kc.analysis.interpreter.running import KernelInterpreter, call, make_interpreter, run

__all__ = [
    "DomainError",
    "ExecutionError",
    "KernelInterpreter",
    "OutOfBoundsError",
    "PoisonError",
    "UninterpretableError",
    "call",
    "make_interpreter",
    "run",
]


def __getattr__(name: str) -> Any:
    # Only code that runs functions needs all dialects: see :mod:`.scalars`. (An imported module
    # becomes an attribute of its package, so no module has the name of a function.)
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import kc.analysis.interpreter.running

    return getattr(kc.analysis.interpreter.running, name)
