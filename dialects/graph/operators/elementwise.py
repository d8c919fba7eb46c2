"""Functions of each element of one tensor."""

from __future__ import annotations

from kc.dialects.graph.declaration import Operator, Pattern, declare_all
from kc.dialects.graph.types import TensorSpec


class Unary(Operator):
    """A function of each element, whose result has the operand's type."""

    inputs = ("data",)
    pattern = Pattern.ELEMWISE

    def infer(self, data: TensorSpec) -> TensorSpec:
        return data


_SUMMARIES = {
    "exp": "The exponential of each element.",
    "log": "The natural logarithm of each element.",
    "sqrt": "The square root of each element.",
    "tanh": "The hyperbolic tangent of each element.",
    "sigmoid": "1 / (1 + exp(-x)) of each element.",
    "negative": "Each element with the other sign.",
    "erf": "The error function of each element.",
}
declare_all(Unary, _SUMMARIES)
