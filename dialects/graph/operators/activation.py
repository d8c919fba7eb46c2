"""Activations of networks, and dropout."""

from __future__ import annotations

from dataclasses import dataclass

from kc.dialects.graph.declaration import (
    Operator,
    Pattern,
    RelationError,
    declare_all,
    operator,
)
from kc.dialects.graph.operators._relations import (
    FLOATS,
    normal_axis,
    require_dtype,
    require_rank,
    require_same,
    require_word,
)
from kc.dialects.graph.operators.elementwise import UnaryOfFloats, UnaryOfNumbers
from kc.dialects.graph.types import Spec, TensorSpec


@operator
class Relu(UnaryOfNumbers):
    """``max(x, 0)`` of each element; a NaN stays."""

    name = "nn.relu"


@operator
class LeakyRelu(UnaryOfFloats):
    """Each element; one that is not positive times ``alpha``."""

    name = "nn.leaky_relu"

    alpha: float = 0.25


@operator
class PRelu(Operator):
    """Each element of ``data``; one that is not positive times its place's alpha along ``axis``."""

    name = "nn.prelu"
    inputs = ("data", "alpha")
    pattern = Pattern.BROADCAST

    axis: int = 1

    def infer(self, data: TensorSpec, alpha: TensorSpec) -> TensorSpec:
        require_dtype(data, FLOATS, "data")
        require_dtype(alpha, (data.dtype,), "alpha")
        require_rank(alpha, 1, "alpha")
        axis = normal_axis(self.axis, data.rank)
        require_same(data.shape[axis], alpha.shape[0], f"the sizes of axis {axis} and of alpha")
        return data

    def infer_inputs(
        self, data: TensorSpec | None, alpha: TensorSpec | None
    ) -> tuple[TensorSpec | None, ...]:
        if alpha is None and data is not None:
            alpha = TensorSpec((data.shape[normal_axis(self.axis, data.rank)],), data.dtype)
        return data, alpha


@operator
class Gelu(UnaryOfFloats):
    """``x * F(x)`` with the normal distribution F; ``approximate`` is none or tanh; kc's own."""

    name = "nn.gelu"

    approximate: str = "none"

    def infer(self, data: TensorSpec) -> TensorSpec:
        require_word(self.approximate, ("none", "tanh"), "approximate")
        return super().infer(data)


declare_all(
    UnaryOfFloats,
    {
        "nn.silu": "``x * sigmoid(x)`` of each element; kc's own.",
        "nn.swish": "``x * sigmoid(x)`` of each element; kc's own.",
        "nn.hardswish": "``x * min(max(x + 3, 0), 6) / 6`` of each element; kc's own.",
        "nn.softplus": "``log(1 + exp(x))`` of each element; kc's own.",
        "nn.mish": "``x * tanh(log(1 + exp(x)))`` of each element; kc's own.",
        "nn.softsign": "``x / (1 + abs(x))`` of each element; kc's own.",
    },
)


@operator
class Hardsigmoid(UnaryOfFloats):
    """``min(max(alpha * x + beta, 0), 1)`` of each element; kc's own."""

    name = "nn.hardsigmoid"

    alpha: float = 1 / 6
    beta: float = 0.5


@operator
class Elu(UnaryOfFloats):
    """Each element; ``alpha * (exp(x) - 1)`` of one that is not positive; kc's own."""

    name = "nn.elu"

    alpha: float = 1.0


@operator
class Selu(UnaryOfFloats):
    """``gamma`` times elu of each element; kc's own."""

    name = "nn.selu"

    alpha: float = 1.6732632423543772
    gamma: float = 1.0507009873554805


@operator
class Celu(UnaryOfFloats):
    """Each element; ``alpha * (exp(x / alpha) - 1)`` of one that is not positive; kc's own."""

    name = "nn.celu"

    alpha: float = 1.0

    def infer(self, data: TensorSpec) -> TensorSpec:
        if self.alpha == 0:
            raise RelationError("alpha is 0, by which elements are divided")
        return super().infer(data)


@dataclass(frozen=True)
class Distribution(Operator):
    """The base of functions of vectors along an axis."""

    inputs = ("data",)
    pattern = Pattern.OUT_ELEMWISE_FUSABLE

    axis: int = -1

    def infer(self, data: TensorSpec) -> TensorSpec:
        require_dtype(data, FLOATS, "data")
        normal_axis(self.axis, data.rank)
        return data


declare_all(
    Distribution,
    {
        "nn.softmax": "``exp(x) / sum(exp(x))`` along an axis, the largest element subtracted "
        "first.",
        "nn.fast_softmax": "softmax by an approximation of exp.",
        "nn.log_softmax": "The logarithm of softmax along an axis.",
    },
)


@operator
class Dropout(Operator):
    """The data, and a mask of ones: a tuple. Elements are dropped in training only."""

    name = "nn.dropout"
    inputs = ("data",)
    pattern = Pattern.OPAQUE
    takes_first = True

    rate: float = 0.5

    def infer(self, data: TensorSpec) -> Spec:
        if not 0 <= self.rate <= 1:
            raise RelationError(f"rate is {self.rate}, but must be from 0 to 1")
        return data, data

    def result_count(self, operands: int) -> int:
        return 2
