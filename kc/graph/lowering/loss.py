"""The computations of :mod:`kc.dialects.graph.operators.loss`."""

from __future__ import annotations

from kc import topi
from kc.dialects.graph.operators.loss import CrossEntropy, NllLoss
from kc.expr.constructors import as_expr
from kc.expr.tensor import Tensor
from kc.graph.lowering import lowering


@lowering("nn.nll_loss")
def nll_loss(op: NllLoss, predictions: Tensor, targets: Tensor, weights: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.nn.nll_loss(predictions, targets, weights, op.reduction, op.ignore_index)


@lowering(
    "nn.cross_entropy", "nn.cross_entropy_with_logits",
    rows=["log", "multiply", "sum", "full", "divide", "negative"],
)  # fmt: skip
def cross_entropy(op: CrossEntropy, predictions: Tensor, targets: Tensor) -> Tensor:
    """The sum of products, divided by the number of rows."""
    if op.name == "nn.cross_entropy":
        predictions = topi.log(predictions)
    total = topi.sum(topi.multiply(targets, predictions))
    rows = topi.full((), predictions.dtype, as_expr(predictions.shape[0]))
    return topi.negative(topi.divide(total, rows))
