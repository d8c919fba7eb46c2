"""The gradients of products of matrices."""

from __future__ import annotations

from typing import Any

from xdsl.ir import SSAValue

from kc.dialects.graph.declaration import OperatorOp
from kc.graph.gradients import Emitter, Gradients, gradient, spec
from kc.graph.gradients.shape import reshape

gradient("nn.batch_flatten")(reshape)


def _has_own_dtype(op: OperatorOp) -> bool:
    """True if operands and result have one element type."""
    dtypes = {spec(value).dtype for value in (*op.inputs, op.result)}
    return len(dtypes) == 1


@gradient("nn.dense")
def dense(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """``head . weight`` and ``head^T . data``."""
    data, weight = op.inputs
    if not _has_own_dtype(op) or spec(data).rank != 2:
        return NotImplemented
    return [
        at("nn.matmul", head, weight),
        at("nn.matmul", head, data, transpose_a=True),
    ]


def _products(at: Emitter, op: OperatorOp, head: SSAValue, name: str) -> Gradients:
    """The gradients of ``op(a) . op(b)``: products of the head with the other operand."""
    operator: Any = op.operator
    a, b = op.inputs
    ta, tb = operator.transpose_a, operator.transpose_b
    if ta:
        left = at(name, b, head, transpose_a=tb, transpose_b=True)
    else:
        left = at(name, head, b, transpose_a=False, transpose_b=not tb)
    if tb:
        right = at(name, head, a, transpose_a=True, transpose_b=ta)
    else:
        right = at(name, a, head, transpose_a=not ta, transpose_b=False)
    return [left, right]


@gradient("nn.matmul")
def matmul(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """Products of the head with the other operand."""
    if not _has_own_dtype(op) or spec(op.inputs[0]).rank != 2:
        return NotImplemented
    return _products(at, op, head, "nn.matmul")


@gradient("nn.batch_matmul")
def batch_matmul(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """Products of the head with the other operand; an operand of one batch gets their sum."""
    if not _has_own_dtype(op):
        return NotImplemented
    left, right = _products(at, op, head, "nn.batch_matmul")
    assert left is not None
    assert right is not None
    return [at.summed(left, op.inputs[0]), at.summed(right, op.inputs[1])]


@gradient("nn.bias_add")
def bias_add(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """The head, and its sum over all axes but the bias's."""
    operator: Any = op.operator
    bias = at("sum", head, axis=(operator.axis,), exclude=True) if spec(head).rank > 1 else head
    return [head, bias]
