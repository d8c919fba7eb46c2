"""Reductions of tensors over dimensions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from kc.dialects.graph.declaration import (
    Operator,
    Pattern,
    RelationError,
    declare_all,
    operator,
)
from kc.dialects.graph.operators._relations import (
    BOOL,
    FLOATS,
    NUMBERS,
    broadcast_shapes,
    normal_axes,
    require_dtype,
    require_rank,
)
from kc.dialects.graph.sizes import MaybeSize
from kc.dialects.graph.types import Spec, TensorSpec


@dataclass(frozen=True)
class Reduction(Operator):
    """A reduction over ``axis``, by default over all dimensions; over none if it is ().

    With ``exclude`` it is over the dimensions that ``axis`` does not name. With ``keepdims`` they
    stay as dimensions of 1.
    """

    inputs = ("data",)
    pattern = Pattern.COMM_REDUCE
    dtypes: ClassVar[tuple[str, ...]] = NUMBERS
    """The element types that it takes."""

    axis: tuple[int, ...] | None = None
    keepdims: bool = False
    exclude: bool = False

    def axes(self, rank: int) -> tuple[int, ...]:
        """The dimensions that are reduced, in order. Raises RelationError."""
        if self.axis is None:
            return () if self.exclude else tuple(range(rank))
        named = normal_axes(self.axis, rank)
        return tuple(n for n in range(rank) if (n in named) != self.exclude)

    def reduced_shape(self, data: TensorSpec) -> tuple[MaybeSize, ...]:
        """The shape of the result. Raises RelationError."""
        require_dtype(data, self.dtypes, "data")
        axes = self.axes(data.rank)
        return tuple(
            1 if n in axes else size
            for n, size in enumerate(data.shape)
            if self.keepdims or n not in axes
        )

    def infer(self, data: TensorSpec) -> Spec:
        return TensorSpec(self.reduced_shape(data), data.dtype)


class ReductionOfFloats(Reduction):
    """A reduction of floats."""

    dtypes = FLOATS


class ReductionOfBooleans(Reduction):
    """A reduction of booleans."""

    dtypes = BOOL


declare_all(
    Reduction,
    {
        "sum": "The sum over dimensions, in the type of the elements.",
        "prod": "The product over dimensions, in the type of the elements.",
        "max": "The largest element over dimensions; NaN if one is.",
        "min": "The smallest element over dimensions; NaN if one is.",
        "mean": "The mean over dimensions; of integers, rounded towards 0.",
    },
)
declare_all(
    ReductionOfBooleans,
    {
        "all": "True where all elements over dimensions are.",
        "any": "True where one of the elements over dimensions is.",
    },
)
declare_all(
    ReductionOfFloats,
    {"logsumexp": "The logarithm of the sum of the exponentials over dimensions."},
)


@dataclass(frozen=True)
class ArgReduction(Reduction):
    """A place of an element over dimensions, row-major over several of them, as int32.

    Of equal elements it is the first, with ``select_last_index`` the last.
    """

    select_last_index: bool = False

    def infer(self, data: TensorSpec) -> TensorSpec:
        shape = self.reduced_shape(data)
        for axis in self.axes(data.rank):
            if data.shape[axis] == 0:
                raise RelationError(f"data is {data}: dimension {axis} has no elements")
        return TensorSpec(shape, "int32")


declare_all(
    ArgReduction,
    {
        "argmax": "The place of the largest element over dimensions, as int32.",
        "argmin": "The place of the smallest element over dimensions, as int32.",
    },
)


@dataclass(frozen=True)
class Moment(ReductionOfFloats):
    """A reduction of the squared distances from the mean.

    Their sum is divided by their number, with ``unbiased`` by one less.
    """

    unbiased: bool = False


@operator
class Variance(Moment):
    """The mean of the squared distances from ``mean`` over dimensions.

    ``mean`` has the dimensions of ``data``, those that are reduced being 1. It is the mean of the
    data if it is absent.
    """

    name = "variance"
    inputs = ("data", "mean?")

    def infer(self, data: TensorSpec, mean: TensorSpec | None = None) -> TensorSpec:
        if mean is not None:
            require_rank(mean, data.rank, "mean")
            require_dtype(mean, (data.dtype,), "mean")
            broadcast_shapes(data.shape, mean.shape)
        return TensorSpec(self.reduced_shape(data), data.dtype)


@operator
class Std(Moment):
    """The square root of the variance over dimensions."""

    name = "std"


class TwoMoments(Moment):
    """Two results of a reduction."""

    def infer(self, data: TensorSpec) -> Spec:
        part = TensorSpec(self.reduced_shape(data), data.dtype)
        return part, part

    def result_count(self, operands: int) -> int:
        return 2


declare_all(
    TwoMoments,
    {
        "mean_variance": "The mean and the variance over dimensions: a tuple.",
        "mean_std": "The mean and the root of the variance over dimensions: a tuple.",
    },
)
