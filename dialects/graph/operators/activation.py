"""Activations of networks."""

from __future__ import annotations

from kc.dialects.graph.declaration import Operator, Pattern, operator
from kc.dialects.graph.operators._relations import normal_axis
from kc.dialects.graph.operators.elementwise import Unary
from kc.dialects.graph.types import TensorSpec


@operator
class Relu(Unary):
    """``max(x, 0)`` of each element; a NaN stays."""

    name = "nn.relu"


@operator
class Softmax(Operator):
    """``exp(x) / sum(exp(x))`` along an axis, with the largest element subtracted first."""

    name = "nn.softmax"
    inputs = ("data",)
    pattern = Pattern.OUT_ELEMWISE_FUSABLE

    axis: int = -1

    def infer(self, data: TensorSpec) -> TensorSpec:
        normal_axis(self.axis, data.rank)
        return data
