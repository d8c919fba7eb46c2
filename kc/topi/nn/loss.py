"""Losses."""

from __future__ import annotations

from typing import Any

from kc.expr.constructors import Expr, const, if_then_else
from kc.expr.dtypes import UINTS
from kc.expr.tags import INJECTIVE
from kc.expr.tensor import Tensor
from kc.te.computes import compute
from kc.topi.arguments import index_tensor, inside, rank, same_size, tensor, whole, word
from kc.topi.elementwise import FLOAT
from kc.topi.reduction import summed
from kc.topi.table import operator


@operator(
    "comm_reduce", FLOAT, 'nn.nll_loss(T(4, 3), T(4, dtype="int32"), T(3), "mean", -100)',
    onnx="NegativeLogLikelihoodLoss", torch="nll_loss", formula="-predictions[n, t] * weights[t]",
)  # fmt: skip
def nll_loss(
    predictions: Tensor, targets: Tensor, weights: Tensor, reduction: str, ignore_index: int
) -> Tensor:
    """The negative log likelihood of the classes in ``targets``.

    ``predictions`` is (N, C, d1, ...), ``targets`` (N, d1, ...) of integers, ``weights`` (C,). An
    element is ``-predictions[n, t, ...] * weights[t]``, 0 if ``t`` is ``ignore_index``.
    ``reduction``: "none"; "sum"; "mean", which divides by the sum of the used weights (0 / 0 = NaN
    if all are ignored). A target out of range is clamped to the nearest class, so nothing out of
    bounds is read.
    """
    word(reduction, ("none", "sum", "mean"), "reduction")
    ignored = whole(ignore_index, "ignore_index")
    index_tensor(targets, "targets")
    tensor(weights, "weights", 1, FLOAT)
    if predictions.ndim < 1 or predictions.ndim != targets.ndim + 1 - (predictions.ndim == 1):
        rank(predictions, "predictions", targets.ndim + 1)
    batched = predictions.ndim > 1
    channel = 1 if batched else 0
    same_size(predictions, channel, weights, 0, "there is a weight for each class")
    for n in range(targets.ndim):
        if batched:
            same_size(predictions, n + (n > 0), targets, n, "there is a target for each prediction")
    dtype, classes = predictions.dtype, predictions.shape[channel]
    zero = const(0.0, dtype)
    never = targets.dtype in UINTS and ignored < 0

    def at(place: tuple[Any, ...], value: Any) -> Expr:
        target = targets(*place)
        safe = inside(target, classes)
        if never:
            return value(place, safe)
        return if_then_else(target.equal(const(ignored, target.dtype)), zero, value(place, safe))

    def loss(place: tuple[Any, ...], target: Expr) -> Expr:
        own = predictions(place[0], target, *place[1:]) if batched else predictions(target)
        return -own * weights(target)

    losses = compute(targets.shape, lambda *place: at(place, loss), "nll_loss", tag=INJECTIVE)
    if reduction == "none":
        return losses
    total = summed(losses, "nll_loss_sum")
    if reduction == "sum":
        return total
    used = compute(
        targets.shape,
        lambda *place: at(place, lambda _, target: weights(target)),
        "nll_loss_weights",
        tag=INJECTIVE,
    )
    divisor = summed(used, "nll_loss_weight")
    return compute((), lambda: total() / divisor(), "nll_loss_mean", tag=INJECTIVE)
