"""Functions of two tensors, element by element, with numpy's broadcasting."""

from __future__ import annotations

from kc.dialects.graph.declaration import Operator, Pattern, declare_all
from kc.dialects.graph.operators._relations import broadcast_shapes, same_dtype
from kc.dialects.graph.types import TensorSpec


class Binary(Operator):
    """A function of the elements of two tensors of one element type."""

    inputs = ("lhs", "rhs")
    pattern = Pattern.BROADCAST

    def infer(self, lhs: TensorSpec, rhs: TensorSpec) -> TensorSpec:
        dtype = same_dtype((lhs, rhs), self.inputs)
        return TensorSpec(broadcast_shapes(lhs.shape, rhs.shape), dtype)


class Comparison(Binary):
    """A comparison of the elements of two tensors: a tensor of booleans."""

    def infer(self, lhs: TensorSpec, rhs: TensorSpec) -> TensorSpec:
        return TensorSpec(super().infer(lhs, rhs).shape, "bool")


_BINARY = {
    "add": "The sum of two tensors.",
    "subtract": "The difference of two tensors.",
    "multiply": "The product of the elements of two tensors.",
    "divide": "The quotient of the elements of two tensors; of integers, rounded towards 0.",
    "maximum": "The larger of the elements of two tensors; NaN if one of them is.",
    "minimum": "The smaller of the elements of two tensors; NaN if one of them is.",
    "power": "The elements of the first tensor to the power of those of the second.",
}
_COMPARISONS = {
    "greater": "True where the first tensor's element is greater.",
    "less": "True where the first tensor's element is less.",
    "equal": "True where the elements are equal.",
}
declare_all(Binary, _BINARY)
declare_all(Comparison, _COMPARISONS)
