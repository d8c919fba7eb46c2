"""The gradients of reductions."""

from __future__ import annotations

from typing import Any

from xdsl.ir import SSAValue

from kc.dialects.graph.declaration import OperatorOp
from kc.dialects.graph.sizes import product_of
from kc.graph.gradients import Emitter, Gradients, gradient, spec


def reduced_axes(op: OperatorOp) -> list[int]:
    """The axes that a reduction sums over, from 0."""
    operator: Any = op.operator
    rank = spec(op.inputs[0]).rank
    axes = operator.axis
    if axes is None:
        listed = set(range(rank))
    else:
        listed = {axis % rank for axis in ((axes,) if isinstance(axes, int) else axes)}
    return sorted(set(range(rank)) - listed if operator.exclude else listed)


def expanded(at: Emitter, op: OperatorOp, value: SSAValue) -> SSAValue:
    """A value of the result's shape, broadcast to the shape of the operand."""
    operator: Any = op.operator
    if not operator.keepdims:
        for axis in reduced_axes(op):
            value = at("expand_dims", value, axis=axis)
    return at("broadcast_to_like", value, op.inputs[0])


@gradient("sum")
def total(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """The head of each sum for each of its terms."""
    return [expanded(at, op, head)]


@gradient("mean")
def mean(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """The head of each mean, divided by the number of its terms."""
    data = spec(op.inputs[0])
    count = product_of([data.shape[axis] for axis in reduced_axes(op)])
    if not isinstance(count, int) or count == 0:
        return NotImplemented
    return [expanded(at, op, at("multiply", head, at.number(1 / count, head)))]
