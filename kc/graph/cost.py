"""The cost of an operator of a graph: its arithmetic and its bytes, from its computation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import prod
from typing import Any

from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from kc import te
from kc.analysis.cost import estimate
from kc.dialects.graph.declaration import Operator, OperatorOp
from kc.dialects.graph.sizes import MaybeSize, evaluate
from kc.dialects.graph.types import TensorSpec, spec_of
from kc.dialects.graph.values import numpy_dtype
from kc.graph.lowering import Bounded, compute, lowering_of
from kc.support.diagnostics import KCError

ASSUMED = 256
"""The value of a size that is known at the call only."""


@dataclass(frozen=True)
class OperatorCost:
    """The work of an operator, for sizes that are known; others are :data:`ASSUMED`."""

    operations: int | None
    """Arithmetic operations on elements; None for an operator without a computation."""
    read: int
    """Bytes of the operands."""
    written: int
    """Bytes of the result."""


def cost_of(op: OperatorOp) -> OperatorCost:
    """The cost of an operator with its operands."""
    specs = tuple(_fixed(spec) for spec in op.specs() if spec is not None)
    written = bytes_of_type(op.result.type)
    operations = _operations(op.operator, specs, _declared(spec_of(op.result.type)))
    return OperatorCost(operations, sum(map(_bytes_of_spec, specs)), written)


def _declared(spec: Any) -> Any:
    """The type of a result with numbers as sizes; None if one of them is not known."""
    if isinstance(spec, tuple):
        parts = tuple(map(_declared, spec))
        return None if None in parts else parts
    if not isinstance(spec, TensorSpec) or None in spec.shape:
        return None
    return _fixed(spec)


def bytes_of_type(type_: Attribute) -> int:
    """The bytes of a tensor, or of all tensors of a tuple; 0 for functions."""
    spec = spec_of(type_)
    if spec is None:
        return 0
    specs = [spec] if isinstance(spec, TensorSpec) else spec
    total = 0
    for part in specs:
        total += _bytes_of_spec(_fixed(part)) if isinstance(part, TensorSpec) else 0
    return total


def _bytes_of_spec(spec: TensorSpec) -> int:
    sizes = [size for size in spec.shape if isinstance(size, int)]
    return prod(sizes) * numpy_dtype(spec.dtype).itemsize


def _fixed(spec: TensorSpec) -> TensorSpec:
    """The spec with numbers as sizes."""

    def number(size: MaybeSize) -> int:
        if size is None:
            return ASSUMED
        return evaluate(size, dict.fromkeys(getattr(size, "names", ()), ASSUMED))

    return TensorSpec(tuple(map(number, spec.shape)), spec.dtype)


@lru_cache(1024)
def _operations(operator: Operator, specs: tuple[TensorSpec, ...], result: Any) -> int | None:
    if lowering_of(operator) is None:
        return None
    placeholders = [
        te.placeholder(spec.shape, spec.dtype, name=f"p{n}") for n, spec in enumerate(specs)
    ]
    try:
        parts = compute(operator, placeholders, result)
        tensors = [part.tensor if isinstance(part, Bounded) else part for part in parts]
        module = te.create_prim_func([*placeholders, *tensors]).op
    except KCError:
        return None  # the cost depends on the values of operands
    functions = [op for op in module.walk() if isinstance(op, FuncOp)]
    return sum(estimate(each).operations for each in functions)
