"""The computation of each operator of a graph, as tensor expressions of :mod:`kc.topi`.

A module for each family has functions of the operator's attributes and its tensors::

    @lowering("nn.dense")
    def dense(op: Dense, data: Tensor, weight: Tensor) -> Tensor: ...

They are loaded when an operator of their family is first lowered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

from kc.dialects.graph.declaration import Operator
from kc.dialects.graph.sizes import MaybeSize, SizeExpr, dimension, evaluate
from kc.dialects.graph.types import Spec, TensorSpec
from kc.expr.nodes import Binary, Cast, Const, Var, walk
from kc.expr.tensor import Tensor
from kc.support import registry
from kc.support.diagnostics import GraphError


@dataclass(frozen=True)
class Bounded:
    """A result whose first size depends on the elements of the operands.

    ``tensor`` is as large as it may get. Only the first ``count`` of its slices are the result;
    ``count`` has the shape (1,).
    """

    tensor: Tensor
    count: Tensor


Computed = Tensor | Bounded


@dataclass(frozen=True)
class Lowering:
    """The computation of an operator."""

    function: Callable[..., Computed | Sequence[Computed]]
    rows: tuple[str, ...]
    """The functions of topi that it uses, by their names in topi's table."""
    takes_result: bool
    """True if it has a parameter ``result``, the type of the result."""


LOWERINGS: dict[str, Lowering] = {}
"""The computations of the families that are loaded, by the name of the operator."""

_F = TypeVar("_F", bound=Callable[..., Any])
_NO_NAMES: Mapping[str, Any] = {}
_names: ContextVar[Mapping[str, Any]] = ContextVar("kc_graph_names", default=_NO_NAMES)  # noqa: B039


def lowering(
    *names: str,
    rows: Sequence[str] | None = None,
    also: Sequence[str] = (),
    takes_result: bool = False,
) -> Callable[[_F], _F]:
    """Enter a function as the computation of operators. A decorator.

    ``rows`` are the functions of topi that it uses; by default that with the operator's name, and
    those in ``also``.
    """

    def enter(function: _F) -> _F:
        for name in names:
            own = (name, *also) if rows is None else tuple(rows)
            LOWERINGS[name] = Lowering(function, own, takes_result)
        return function

    return enter


def lowering_of(operator: Operator | type[Operator]) -> Lowering | None:
    """The computation of an operator; None if there is none."""
    if operator.name not in LOWERINGS:
        family = registry.current().operator_lowerings.get(operator.family)
        if family is not None:
            family.load()
    return LOWERINGS.get(operator.name)


def compute(
    operator: Operator,
    operands: Sequence[Tensor],
    result: Spec | None = None,
    names: Mapping[str, Any] | None = None,
) -> tuple[Computed, ...]:
    """The tensors that an operator computes of tensors; several for a result that is a tuple.

    ``result`` is the type of the result, where the types of the operands do not tell it: that of
    ``dyn.reshape`` depends on the elements of an operand. ``names`` are the variables of te for the
    names of dimensions; by default those in the shapes of the operands.

    Raises KeyError for an operator without a computation, RelationError for operands that do not
    fit, GraphError (KC2411) if a size must be known and is not.
    """
    own = lowering_of(operator)
    if own is None:
        raise KeyError(operator.name)
    more: dict[str, Any] = {}
    if own.takes_result:
        absent = sum(1 for name in operator.inputs if not name.startswith("*")) - len(operands)
        specs = [*map(spec_of_tensor, operands), *([None] * absent)]
        more["result"] = result or operator.infer(*specs)
    with _named(_names_of(operands) if names is None else names):
        computed = own.function(operator, *operands, **more)
    return (computed,) if isinstance(computed, Tensor | Bounded) else tuple(computed)


def spec_of_tensor(tensor: Tensor) -> TensorSpec:
    """The type of a tensor of te in a graph."""
    return TensorSpec(tuple(map(_size_of, tensor.shape)), tensor.dtype)


def _size_of(dim: Any) -> MaybeSize:
    match dim:
        case int():
            return int(dim)
        case Const():
            return int(dim.value)
        case Var():
            return dimension(dim.name)
        case Cast():
            return _size_of(dim.value)
        case Binary(op="add" | "sub" | "mul" as op):
            left, right = _size_of(dim.lhs), _size_of(dim.rhs)
            if left is None or right is None:
                return None
            return left + right if op == "add" else left - right if op == "sub" else left * right
        case Binary(op="floordiv" | "floormod" as op):
            left, right = _size_of(dim.lhs), _size_of(dim.rhs)
            if left is None or not isinstance(right, int) or right <= 0:
                return None
            return left // right if op == "floordiv" else left % right
        case _:
            return None


@contextmanager
def _named(names: Mapping[str, Any]) -> Iterator[None]:
    token = _names.set(names)
    try:
        yield
    finally:
        _names.reset(token)


def _names_of(operands: Sequence[Tensor]) -> dict[str, Var]:
    sizes = [size for operand in operands for size in operand.shape]
    parts = (part for size in sizes if not isinstance(size, int) for part in walk(size))
    return {part.name: part for part in parts if isinstance(part, Var)}


def dims(sizes: Sequence[MaybeSize], what: str) -> list[Any]:
    """Sizes of a graph as dimensions of te. Raises KC2411 for one that is not known."""
    names = _names.get()
    result: list[Any] = []
    for size in sizes:
        missing = sorted(size.names - names.keys()) if isinstance(size, SizeExpr) else []
        if size is None or missing:
            raise GraphError(
                "KC2411",
                f"{what} has a size that is known when it runs",
                why=f"no operand has a dimension {missing[0]}" if missing
                else "the size depends on the elements of an operand",
                hints=["fold the operand into a constant (--fold-constant), or run the graph by "
                       "the interpreter"],
            )  # fmt: skip
        result.append(evaluate(size, names))
    return result


def result_dims(operator: Operator, result: Spec) -> list[Any]:
    """The dimensions of the result of an operator. Raises KC2411 if they are not known."""
    assert isinstance(result, TensorSpec)
    return dims(result.shape, f"the result of {operator.name}")
