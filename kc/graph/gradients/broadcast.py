"""The gradients of operators that broadcast their operands."""

from __future__ import annotations

from xdsl.ir import SSAValue

from kc.dialects.graph.declaration import OperatorOp
from kc.graph.gradients import Emitter, Gradients, gradient


@gradient("add")
def add(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """The head for both, summed where they were broadcast."""
    return [at.summed(head, value) for value in op.inputs]


@gradient("subtract")
def subtract(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """The head, and minus the head."""
    left, right = op.inputs
    return [at.summed(head, left), at.summed(at("negative", head), right)]


@gradient("multiply")
def multiply(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """The head times the other operand."""
    left, right = op.inputs
    return [
        at.summed(at("multiply", head, right), left),
        at.summed(at("multiply", head, left), right),
    ]


@gradient("divide")
def divide(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """``head / b``, and ``-head / b * (a / b)``."""
    left, right = op.inputs
    share = at("divide", head, right)
    return [
        at.summed(share, left),
        at.summed(at("negative", at("multiply", share, op.result)), right),
    ]


@gradient("maximum", "minimum")
def maximum(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """The head for the operand that is the result; equal ones leave it to the first."""
    left, right = op.inputs
    compare = "greater_equal" if op.OPERATOR.name == "maximum" else "less_equal"
    is_left = at(compare, left, right)
    zeros = at.zeros(head)
    return [
        at.summed(at("where", is_left, head, zeros), left),
        at.summed(at("where", is_left, zeros, head), right),
    ]


@gradient("where")
def where(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """The head for the operand that was chosen."""
    condition, x, y = op.inputs
    zeros = at.zeros(head)
    return [
        None,
        at.summed(at("where", condition, head, zeros), x),
        at.summed(at("where", condition, zeros, head), y),
    ]


@gradient("broadcast_to", "broadcast_to_like")
def broadcast_to(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """The head, summed."""
    return [at.summed(head, op.inputs[0]), *([None] * (len(op.inputs) - 1))]


@gradient("collapse_sum_to", "collapse_sum_like")
def collapse_sum(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """The head, broadcast."""
    data = op.inputs[0]
    return [at("broadcast_to_like", head, data), *([None] * (len(op.inputs) - 1))]
