"""The ways in which the interpreter of graphs runs an operator, by the names of the registry.

Each is a function of the arguments of a computation (placeholders, then the tensors to compute). It
returns a function of arrays for the placeholders that returns the computed arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kc.backends.interpreter import interpreted
from kc.driver import build, lower
from kc.expr.tensor import Tensor
from kc.transform import PassContext

Runner = Callable[..., Sequence[Any]]


def compiled(arguments: Sequence[Tensor]) -> Runner:
    """The computation as machine code, at the first level of optimisation."""
    with PassContext(opt_level=0):
        return _returning_all(build(arguments))


def interpreter(arguments: Sequence[Tensor]) -> Runner:
    """The computation by the interpreter of loops, which checks each access."""
    with PassContext(opt_level=0):
        return _returning_all(interpreted(lower(arguments).op))


def _returning_all(module: Callable[..., Any]) -> Runner:
    def run(*arrays: Any) -> Sequence[Any]:
        computed = module(*arrays)
        return computed if isinstance(computed, tuple) else (computed,)

    return run
