"""The interpreter of te, tir and the standard dialects below them: the oracle of the tests.

It computes what a program means, one scalar at a time: floats are rounded at each op, integers
wrap, every access is checked, memory starts as garbage, undefined behaviour raises
:class:`ExecutionError`. :func:`run` is the entry point.
"""

from __future__ import annotations

from kc.analysis.interpreter.call import KernelInterpreter, call, make_interpreter, run
from kc.analysis.interpreter.errors import (
    DomainError,
    ExecutionError,
    OutOfBoundsError,
    PoisonError,
    UninterpretableError,
)

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
