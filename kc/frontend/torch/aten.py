"""The computations of :mod:`kc.dialects.graph.operators.aten`: the rules of the importer."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from kc import te
from kc.dialects.graph.operators.aten import Aten
from kc.dialects.graph.sizes import MaybeSize, SizeExpr, evaluate
from kc.dialects.graph.types import Spec, TensorSpec
from kc.expr.tensor import Tensor
from kc.frontend.torch.numerics import Output
from kc.frontend.torch.operators import OPERATORS, Unsupported
from kc.graph.lowering import compute, dims, lowering
from kc.support.diagnostics import GraphError

MOST_RESULTS = 8
"""The most results of an operator of ATen."""


@lowering(*OPERATORS, rows=(), takes_result=True)
def aten(op: Aten, *operands: Tensor, result: Spec) -> list[Tensor]:
    """The rule of an operator, with its arguments and its type as torch has them."""

    def filled(value: Any) -> Any:
        if isinstance(value, str) and value.startswith("%"):
            return operands[int(value[1:])]
        if isinstance(value, SizeExpr):
            return dims([value], f"an argument of {op.name}")[0]
        return [filled(part) for part in value] if isinstance(value, tuple) else value

    node = _output(op, result)
    for place in op.absent:
        node.insert(place, None)
    if op.is_first:
        node = [node] * MOST_RESULTS  # no operation reads the other results
    options = {name: filled(value) for name, value in op.options}
    try:
        computed = OPERATORS[op.name](*map(filled, op.arguments), node=node, **options)
    except Unsupported as error:
        raise GraphError("KC2412", f"{op.name} cannot be computed", why=str(error)) from error
    if op.is_first:
        return [computed[0]]
    if not isinstance(computed, Sequence):
        return [computed]
    return [part for place, part in enumerate(computed) if place not in op.absent]


@lru_cache(1024)
def computed_results(op: Aten, operands: tuple[TensorSpec, ...], result: Spec) -> int:
    """The number of results that the rule of an operator computes: the first ones of torch's.

    ``result`` is the type of all. Raises GraphError KC2412 for arguments that the rule refuses.
    """
    names = sorted({n for spec in operands for size in spec.shape for n in _names(size)})
    variables = {name: te.var(name) for name in names}
    placeholders = [
        te.placeholder([_dim(size, variables) for size in spec.shape], spec.dtype, name=f"p{n}")
        for n, spec in enumerate(operands)
    ]
    return len(compute(op, placeholders, result))


def _names(size: MaybeSize) -> frozenset[str]:
    return size.names if isinstance(size, SizeExpr) else frozenset()


def _dim(size: MaybeSize, variables: dict[str, Any]) -> Any:
    return evaluate(size, variables) if isinstance(size, SizeExpr) else size


def _output(op: Aten, result: Spec) -> Any:
    if isinstance(result, TensorSpec):
        return Output(tuple(dims(result.shape, f"the result of {op.name}")), result.dtype)
    return [_output(op, part) for part in result]
