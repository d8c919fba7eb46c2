"""The gradients of activations."""

from __future__ import annotations

from typing import Any

from xdsl.ir import SSAValue

from kc.dialects.graph.declaration import OperatorOp
from kc.graph.gradients import Emitter, Gradients, gradient


@gradient("nn.relu")
def relu(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """The head where the operand is positive."""
    (x,) = op.inputs
    return [at("where", at("greater", x, at.number(0, x)), head, at.zeros(head))]


@gradient("nn.leaky_relu")
def leaky_relu(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """The head, times ``alpha`` where the operand is not positive."""
    (x,) = op.inputs
    operator: Any = op.operator
    scaled = at("multiply", head, at.number(operator.alpha, head))
    return [at("where", at("greater", x, at.number(0, x)), head, scaled)]


@gradient("nn.softmax")
def softmax(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """``(head - sum(head * y)) * y``."""
    operator: Any = op.operator
    y = op.result
    total = at("sum", at("multiply", head, y), axis=(operator.axis,), keepdims=True)
    return [at("multiply", at("subtract", head, total), y)]


@gradient("nn.log_softmax")
def log_softmax(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """``head - sum(head) * exp(y)``."""
    operator: Any = op.operator
    total = at("sum", head, axis=(operator.axis,), keepdims=True)
    return [at("subtract", head, at("multiply", total, at("exp", op.result)))]
