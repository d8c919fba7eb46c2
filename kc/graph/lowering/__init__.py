"""The computation of each operator of a graph, as tensor expressions of :mod:`kc.topi`.

A module for each family has functions of the operator's attributes and its tensors::

    @lowering("nn.dense")
    def dense(op: Dense, data: Tensor, weight: Tensor) -> Tensor: ...

They are loaded when an operator of their family is first lowered.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from kc.dialects.graph.declaration import Operator
from kc.expr.tensor import Tensor
from kc.support import registry

Lowering = Callable[..., Tensor | Sequence[Tensor]]

LOWERINGS: dict[str, Lowering] = {}
"""The functions of the families that are loaded, by the name of the operator."""

_F = TypeVar("_F", bound=Lowering)


def lowering(*names: str) -> Callable[[_F], _F]:
    """Enter a function as the computation of operators. A decorator."""

    def enter(function: _F) -> _F:
        for name in names:
            LOWERINGS[name] = function
        return function

    return enter


def lowering_of(operator: Operator) -> Lowering | None:
    """The function that computes an operator; None if there is none."""
    if operator.name not in LOWERINGS:
        family = registry.current().operator_lowerings.get(operator.family)
        if family is not None:
            family.load()
    return LOWERINGS.get(operator.name)


def compute(operator: Operator, operands: Sequence[Any]) -> tuple[Tensor, ...]:
    """The tensors that an operator computes of tensors; several for a result that is a tuple.

    Raises KeyError for an operator without a computation.
    """
    function = lowering_of(operator)
    if function is None:
        raise KeyError(operator.name)
    result = function(operator, *operands)
    return (result,) if isinstance(result, Tensor) else tuple(result)
