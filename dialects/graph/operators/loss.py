"""Losses of classes."""

from __future__ import annotations

from kc.dialects.graph.declaration import (
    Operator,
    Pattern,
    RelationError,
    declare_all,
    operator,
)
from kc.dialects.graph.operators._relations import (
    FLOATS,
    INTEGERS,
    require_dtype,
    require_rank,
    require_same,
    require_word,
)
from kc.dialects.graph.types import TensorSpec


@operator
class NllLoss(Operator):
    """``-predictions[n, t, ...] * weights[t]`` of the classes t in ``targets`` (N, ...).

    A target that is ``ignore_index`` counts as 0. ``reduction`` is none, sum, or mean, which
    divides by the sum of the weights that are used.
    """

    name = "nn.nll_loss"
    inputs = ("predictions", "targets", "weights")
    pattern = Pattern.OUT_ELEMWISE_FUSABLE

    reduction: str = "mean"
    ignore_index: int = -100

    def infer(
        self, predictions: TensorSpec, targets: TensorSpec, weights: TensorSpec
    ) -> TensorSpec:
        require_word(self.reduction, ("none", "sum", "mean"), "reduction")
        require_dtype(predictions, FLOATS, "predictions")
        require_dtype(targets, INTEGERS, "targets")
        require_dtype(weights, (predictions.dtype,), "weights")
        require_rank(weights, 1, "weights")
        if not predictions.rank:
            raise RelationError(f"predictions is {predictions}, but must have a class dimension")
        is_batched = predictions.rank > 1
        classes = predictions.shape[1 if is_batched else 0]
        require_same(classes, weights.shape[0], "the classes of predictions and weights")
        places = (predictions.shape[0], *predictions.shape[2:]) if is_batched else ()
        require_rank(targets, len(places), "targets")
        for n, (own, size) in enumerate(zip(places, targets.shape, strict=True)):
            require_same(own, size, f"the sizes of predictions for dimension {n} of targets")
        shape = targets.shape if self.reduction == "none" else ()
        return TensorSpec(shape, predictions.dtype)


class CrossEntropy(Operator):
    """A loss of predictions (N, C) for probabilities (N, C): a number."""

    inputs = ("predictions", "targets")
    pattern = Pattern.OPAQUE

    def infer(self, predictions: TensorSpec, targets: TensorSpec) -> TensorSpec:
        require_rank(predictions, 2, "predictions")
        require_rank(targets, 2, "targets")
        require_dtype(predictions, FLOATS, "predictions")
        require_dtype(targets, (predictions.dtype,), "targets")
        for n in range(2):
            what = f"the sizes of dimension {n} of predictions and targets"
            require_same(predictions.shape[n], targets.shape[n], what)
        return TensorSpec((), predictions.dtype)


declare_all(
    CrossEntropy,
    {
        "nn.cross_entropy": "``-sum(targets * log(predictions)) / N`` of (N, C).",
        "nn.cross_entropy_with_logits": "``-sum(targets * predictions) / N`` of (N, C), where the "
        "predictions are logarithms already.",
    },
)
