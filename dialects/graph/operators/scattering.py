"""Elements that tensors of indices place."""

from __future__ import annotations

from kc.dialects.graph.declaration import (
    Operator,
    Pattern,
    RelationError,
    operator,
)
from kc.dialects.graph.operators._relations import (
    BOOL,
    INTEGERS,
    NUMBERS,
    Size,
    broadcast_shapes,
    checked_sizes,
    normal_axes,
    normal_axis,
    require_dtype,
    require_rank,
    require_same,
    require_word,
)
from kc.dialects.graph.sizes import MaybeSize
from kc.dialects.graph.types import TensorSpec


class Placing(Operator):
    """An operator that places elements in a copy of the data."""

    pattern = Pattern.OPAQUE


class Scattering(Placing):
    """``updates`` at ``indices`` along a dimension; all have the same number of dimensions."""

    inputs = ("data", "indices", "updates")

    def _scattered(self, data: TensorSpec, indices: TensorSpec, updates: TensorSpec, axis: int):
        axis = normal_axis(axis, data.rank)
        require_dtype(indices, INTEGERS, "indices")
        require_rank(indices, data.rank, "indices")
        require_rank(updates, data.rank, "updates")
        require_dtype(updates, (data.dtype,), "updates")
        for n, (size, new) in enumerate(zip(indices.shape, updates.shape, strict=True)):
            require_same(size, new, f"the sizes of dimension {n} of indices and updates")
            own = data.shape[n]
            if n != axis and isinstance(own, int) and isinstance(size, int) and size > own:
                raise RelationError(
                    f"data is {data} and indices is {indices}, which is larger in dimension {n}"
                )
        return TensorSpec(data.shape, data.dtype)


@operator
class Scatter(Scattering):
    """``data`` with ``updates`` at ``indices`` along ``axis``; the last of equal ones wins."""

    name = "scatter"

    axis: int = 0

    def infer(self, data: TensorSpec, indices: TensorSpec, updates: TensorSpec) -> TensorSpec:
        return self._scattered(data, indices, updates, self.axis)


@operator
class ScatterAdd(Scattering):
    """``data`` with ``updates`` added at ``indices`` along ``axis``."""

    name = "scatter_add"

    axis: int = 0

    def infer(self, data: TensorSpec, indices: TensorSpec, updates: TensorSpec) -> TensorSpec:
        require_dtype(data, NUMBERS, "data")
        return self._scattered(data, indices, updates, self.axis)


@operator
class ScatterElements(Scattering):
    """``data`` combined with ``updates`` at ``indices`` along ``axis``.

    ``reduction`` is "update" (the last of equal ones wins), "add", "mul", "min", "max" or "mean".
    """

    name = "scatter_elements"

    axis: int = 0
    reduction: str = "update"

    def infer(self, data: TensorSpec, indices: TensorSpec, updates: TensorSpec) -> TensorSpec:
        words = ("update", "add", "mul", "min", "max", "mean")
        require_word(self.reduction, words, "reduction")
        if self.reduction != "update":
            require_dtype(data, NUMBERS, "data")
        return self._scattered(data, indices, updates, self.axis)


@operator
class ScatterReduce(Scattering):
    """As torch's: ``mode`` is "sum", "prod", "mean", "amax" or "amin", and without ``include_self``
    the data's element is no term where there is an update; kc's own."""

    name = "scatter_reduce"

    axis: int = 0
    mode: str = "sum"
    include_self: bool = True

    def infer(self, data: TensorSpec, indices: TensorSpec, updates: TensorSpec) -> TensorSpec:
        require_word(self.mode, ("sum", "prod", "mean", "amax", "amin"), "mode")
        require_dtype(data, NUMBERS, "data")
        return self._scattered(data, indices, updates, self.axis)


@operator
class ScatterNd(Placing):
    """``data`` combined with ``updates`` at places; the first dimension of ``indices`` has the
    indices of one place.

    ``mode`` is "update" (the last of equal ones wins), "add", "mul", "min" or "max".
    """

    name = "scatter_nd"
    inputs = ("data", "indices", "updates")

    mode: str = "update"

    def infer(self, data: TensorSpec, indices: TensorSpec, updates: TensorSpec) -> TensorSpec:
        require_word(self.mode, ("update", "add", "mul", "min", "max"), "mode")
        if self.mode != "update":
            require_dtype(data, NUMBERS, "data")
        require_dtype(indices, INTEGERS, "indices")
        require_dtype(updates, (data.dtype,), "updates")
        depth = indices.shape[0] if indices.rank else None
        if not isinstance(depth, int) or not 1 <= depth <= data.rank:
            raise RelationError(
                f"indices is {indices}, whose first size must be from 1 to {data.rank}"
            )
        expected = (*indices.shape[1:], *data.shape[depth:])
        require_rank(updates, len(expected), "updates")
        for n, (new, size) in enumerate(zip(updates.shape, expected, strict=True)):
            require_same(new, size, f"dimension {n} of updates, and that of the places,")
        return TensorSpec(data.shape, data.dtype)


@operator
class InvertPermutation(Placing):
    """The place of each number in a permutation."""

    name = "invert_permutation"
    inputs = ("data",)

    def infer(self, data: TensorSpec) -> TensorSpec:
        require_rank(data, 1, "data")
        require_dtype(data, INTEGERS, "data")
        return TensorSpec(data.shape, data.dtype)


@operator
class SparseToDense(Placing):
    """A tensor of ``default_value``, 0 if it is absent, with ``sparse_values`` at places.

    ``sparse_indices`` is one number, (number,) of one dimension, or (number, rank).
    """

    name = "sparse_to_dense"
    inputs = ("sparse_indices", "sparse_values", "default_value?")
    parameters = ("sparse_indices", "output_shape", "sparse_values", "default_value")

    output_shape: tuple[Size, ...]

    def infer(
        self,
        sparse_indices: TensorSpec,
        sparse_values: TensorSpec,
        default_value: TensorSpec | None = None,
    ) -> TensorSpec:
        shape = checked_sizes(self.output_shape, "output_shape")
        return dense_of(sparse_indices, sparse_values, default_value, shape, len(shape))


def dense_of(
    indices: TensorSpec,
    values: TensorSpec,
    default: TensorSpec | None,
    shape: tuple[MaybeSize, ...],
    rank: int,
) -> TensorSpec:
    """The type of the dense tensor. Raises RelationError."""
    require_dtype(indices, INTEGERS, "sparse_indices")
    if indices.rank > 2:
        raise RelationError(f"sparse_indices is {indices}, but has at most 2 dimensions")
    if values.rank > 1:
        raise RelationError(f"sparse_values is {values}, but has at most 1 dimension")
    depth = indices.shape[1] if indices.rank == 2 else 1
    require_same(depth, rank, "the number of indices of a place and that of dimensions")
    if values.rank:
        count = indices.shape[0] if indices.rank else 1
        require_same(count, values.shape[0], "the numbers of places and of values")
    if default is not None:
        require_rank(default, 0, "default_value")
        require_dtype(default, (values.dtype,), "default_value")
    return TensorSpec(shape, values.dtype)


@operator
class IndexPut(Placing):
    """``data`` after ``data[indices] = values``, or ``+=`` with ``accumulate``, as torch's; kc's
    own.

    The indices, which are broadcast together, are those of ``axes``, by default the first ones.
    """

    name = "index_put"
    inputs = ("data", "values", "*indices")

    axes: tuple[int, ...] | None = None
    accumulate: bool = False

    def infer(self, data: TensorSpec, values: TensorSpec, *indices: TensorSpec) -> TensorSpec:
        require_dtype(values, (data.dtype,), "values")
        if self.accumulate:
            require_dtype(data, NUMBERS, "data")
        numbers = tuple(range(len(indices))) if self.axes is None else self.axes
        if not indices or len(numbers) != len(indices):
            raise RelationError(f"axes is {numbers}, but there are {len(indices)} indices")
        axes = normal_axes(numbers, data.rank, "axes")
        for n, index in enumerate(indices):
            require_dtype(index, INTEGERS, f"indices[{n}]")
        places = broadcast_shapes(*(index.shape for index in indices))
        first = min(axes)
        front = first if sorted(axes) == list(range(first, first + len(axes))) else 0
        shape = [size for n, size in enumerate(data.shape) if n not in axes]
        shape[front:front] = places
        if len(values.shape) > len(shape):
            raise RelationError(f"values is {values}, but the part has {len(shape)} dimensions")
        for size, own in zip(reversed(values.shape), reversed(shape), strict=False):
            if size != 1:
                require_same(size, own, "a size of values and that of the part")
        return TensorSpec(data.shape, data.dtype)


@operator
class MaskedScatter(Placing):
    """``data`` with the elements of ``source``, in order, where the mask is true; kc's own."""

    name = "masked_scatter"
    inputs = ("data", "mask", "source")

    def infer(self, data: TensorSpec, mask: TensorSpec, source: TensorSpec) -> TensorSpec:
        require_dtype(mask, BOOL, "mask")
        require_dtype(source, (data.dtype,), "source")
        if mask.rank > data.rank:
            raise RelationError(f"mask is {mask}, but data is {data}")
        for size, own in zip(reversed(mask.shape), reversed(data.shape), strict=False):
            if size != 1:
                require_same(size, own, "a size of mask and that of data")
        return TensorSpec(data.shape, data.dtype)


@operator
class SliceScatter(Operator):
    """``data`` with ``source`` at each ``step``-th place from ``start`` along ``axis``; kc's
    own."""

    name = "slice_scatter"
    inputs = ("data", "source")
    pattern = Pattern.INJECTIVE

    axis: int = 0
    start: int = 0
    step: int = 1

    def infer(self, data: TensorSpec, source: TensorSpec) -> TensorSpec:
        axis = normal_axis(self.axis, data.rank)
        require_rank(source, data.rank, "source")
        require_dtype(source, (data.dtype,), "source")
        if self.step < 1:
            raise RelationError(f"step is {self.step}, but must be at least 1")
        for n, (size, own) in enumerate(zip(source.shape, data.shape, strict=True)):
            if n != axis:
                require_same(size, own, f"the sizes of dimension {n} of source and data")
        size, own = source.shape[axis], data.shape[axis]
        if isinstance(size, int) and isinstance(own, int):
            last = self.start + (size - 1) * self.step
            if size and not 0 <= self.start <= last < own:
                raise RelationError(
                    f"source is placed from {self.start} to {last} along dimension {axis} of {own}"
                )
        return TensorSpec(data.shape, data.dtype)
