"""Normalizations: by moving moments, by those of the data, by lengths."""

from __future__ import annotations

from dataclasses import dataclass

from kc.dialects.graph.declaration import Operator, Pattern, RelationError, operator
from kc.dialects.graph.operators._relations import (
    FLOATS,
    normal_axes,
    normal_axis,
    require_dtype,
    require_rank,
    require_same,
)
from kc.dialects.graph.types import Spec, TensorSpec


class Normalization(Operator):
    """The base of normalizations with parameters that have an element a place along ``axis``.

    Without ``center`` beta is not added, without ``scale`` gamma is no factor.
    """

    inputs = ("data", "gamma", "beta")
    pattern = Pattern.OUT_ELEMWISE_FUSABLE

    axis: int
    epsilon: float
    center: bool
    scale: bool

    def infer(self, data: TensorSpec, *parameters: TensorSpec) -> Spec:
        require_dtype(data, FLOATS, "data")
        axis = normal_axis(self.axis, data.rank)
        for name, parameter in zip(self.inputs[1:], parameters, strict=True):
            require_rank(parameter, 1, name)
            require_dtype(parameter, FLOATS, name)
            what = f"the sizes of axis {axis} of data and of {name}"
            require_same(data.shape[axis], parameter.shape[0], what)
        return data

    def infer_inputs(self, *operands: TensorSpec | None) -> tuple[TensorSpec | None, ...]:
        data = operands[0]
        if data is None:
            return operands
        size = data.shape[normal_axis(self.axis, data.rank)]
        own = TensorSpec((size,), data.dtype)
        return (data, *(own if each is None else each for each in operands[1:]))


@dataclass(frozen=True)
class AlongChannels(Normalization):
    """The base of normalizations along axis 1 by default."""

    axis: int = 1
    epsilon: float = 1e-5
    center: bool = True
    scale: bool = True


@operator
class BatchNorm(AlongChannels):
    """``(data - moving_mean) / sqrt(moving_var + epsilon) * gamma + beta`` for each channel.

    The results are a tuple: the data, and the moving mean and variance, which do not change.
    """

    name = "nn.batch_norm"
    inputs = ("data", "gamma", "beta", "moving_mean", "moving_var")

    def infer(self, data: TensorSpec, *parameters: TensorSpec) -> Spec:
        result = super().infer(data, *parameters)
        mean, variance = parameters[2:]
        return result, mean, variance

    def result_count(self, operands: int) -> int:
        return 3


@operator
class LayerNorm(Normalization):
    """The data normalized by its mean and variance along ``axis``, times gamma plus beta."""

    name = "nn.layer_norm"

    axis: int = -1
    epsilon: float = 1e-5
    center: bool = True
    scale: bool = True


@operator
class InstanceNorm(AlongChannels):
    """Each channel of each item of the batch (axis 0) normalized by itself."""

    name = "nn.instance_norm"

    def infer(self, data: TensorSpec, *parameters: TensorSpec) -> Spec:
        if data.rank < 3 or normal_axis(self.axis, data.rank) == 0:
            raise RelationError(
                f"data is {data} with channels along axis {self.axis}, but must have a batch along "
                "axis 0, channels and at least one more axis"
            )
        return super().infer(data, *parameters)


@operator
class GroupNorm(Normalization):
    """Groups of the channels of each item of the batch (axis 0), each normalized by itself."""

    name = "nn.group_norm"

    num_groups: int
    axis: int = 1
    epsilon: float = 1e-5
    center: bool = True
    scale: bool = True

    def infer(self, data: TensorSpec, *parameters: TensorSpec) -> Spec:
        axis = normal_axis(self.axis, data.rank)
        channels = data.shape[axis]
        if axis == 0:
            raise RelationError("axis is 0, which is that of the batch")
        if self.num_groups < 1 or (isinstance(channels, int) and channels % self.num_groups):
            raise RelationError(f"{channels} channels do not make {self.num_groups} groups")
        return super().infer(data, *parameters)


@operator
class RmsNorm(Operator):
    """The data over the root of its mean square along ``axis``, times a weight; kc's own."""

    name = "nn.rms_norm"
    inputs = ("data", "weight")
    pattern = Pattern.OUT_ELEMWISE_FUSABLE

    axis: int = -1
    epsilon: float = 1e-5

    def infer(self, data: TensorSpec, weight: TensorSpec) -> TensorSpec:
        require_dtype(data, FLOATS, "data")
        require_dtype(weight, FLOATS, "weight")
        axis = normal_axis(self.axis, data.rank)
        require_rank(weight, 1, "weight")
        what = f"the sizes of axis {axis} of data and of weight"
        require_same(data.shape[axis], weight.shape[0], what)
        return data

    def infer_inputs(
        self, data: TensorSpec | None, weight: TensorSpec | None
    ) -> tuple[TensorSpec | None, ...]:
        if weight is None and data is not None:
            weight = TensorSpec((data.shape[normal_axis(self.axis, data.rank)],), data.dtype)
        return data, weight


@operator
class L2Normalize(Operator):
    """``data / sqrt(max(sum(data^2), eps))`` with the sum along ``axis``, by default along all."""

    name = "nn.l2_normalize"
    inputs = ("data",)
    pattern = Pattern.OUT_ELEMWISE_FUSABLE

    eps: float
    axis: tuple[int, ...] | None = None

    def axes(self, rank: int) -> tuple[int, ...]:
        """The dimensions of a vector. Raises RelationError."""
        return normal_axes(self.axis, rank) if self.axis else tuple(range(rank))

    def infer(self, data: TensorSpec) -> TensorSpec:
        require_dtype(data, FLOATS, "data")
        self.axes(data.rank)
        return data


@operator
class Lrn(Operator):
    """``data / (bias + alpha / size * s)^beta``; s sums the squares of ``size`` elements around
    each along ``axis``."""

    name = "nn.lrn"
    inputs = ("data",)
    pattern = Pattern.OUT_ELEMWISE_FUSABLE

    size: int = 5
    axis: int = 1
    bias: float = 2.0
    alpha: float = 1e-5
    beta: float = 0.75

    def infer(self, data: TensorSpec) -> TensorSpec:
        require_dtype(data, FLOATS, "data")
        normal_axis(self.axis, data.rank)
        if self.size < 1:
            raise RelationError(f"size is {self.size}, but must be at least 1")
        return data
