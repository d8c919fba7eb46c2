"""Elements that tensors of indices select."""

from __future__ import annotations

from collections.abc import Sequence

from kc.dialects.graph.declaration import (
    Operator,
    Pattern,
    RelationError,
    operator,
)
from kc.dialects.graph.operators._relations import (
    INTEGERS,
    Size,
    broadcast_shapes,
    checked_dtype,
    checked_sizes,
    joined,
    normal_axis,
    require_dtype,
    require_rank,
    require_same,
    require_word,
)
from kc.dialects.graph.sizes import MaybeSize, product_of
from kc.dialects.graph.types import Spec, TensorSpec


def _require_elements(data: TensorSpec, axes: Sequence[int], indices: TensorSpec) -> None:
    """Refuse elements along a dimension that has none. Raises RelationError."""
    for axis in axes:
        if data.shape[axis] == 0 and 0 not in indices.shape:
            raise RelationError(f"data is {data}: dimension {axis} has no elements to take")


@operator
class Take(Operator):
    """The elements of ``data`` at ``indices`` along ``axis``; without it, of the flat tensor.

    In the result, the shape of the indices stands in the place of the axis; ``batch_dims`` leading
    dimensions are shared. An index outside is moved inside by ``mode`` "clip" (and "fast"), or
    wraps around by "wrap".
    """

    name = "take"
    inputs = ("data", "indices")
    pattern = Pattern.INJECTIVE
    parameters = ("data", "indices", "axis", "batch_dims", "mode")

    axis: int | None = None
    batch_dims: int = 0
    mode: str = "clip"

    def infer(self, data: TensorSpec, indices: TensorSpec) -> TensorSpec:
        require_word(self.mode, ("clip", "wrap", "fast"), "mode")
        require_dtype(indices, INTEGERS, "indices")
        if self.axis is None:
            _require_elements(data, range(data.rank), indices)
            return TensorSpec(indices.shape, data.dtype)
        axis = normal_axis(self.axis, data.rank)
        batch = self.batch_dims + (indices.rank if self.batch_dims < 0 else 0)
        if not 0 <= batch <= min(axis, indices.rank):
            raise RelationError(
                f"batch_dims is {self.batch_dims}, but there are {axis} dimensions before axis "
                f"{self.axis}, and {indices.rank} of the indices"
            )
        _require_elements(data, [axis], indices)
        shared = [
            joined(data.shape[n], indices.shape[n], f"dimension {n} of data and indices")
            for n in range(batch)
        ]
        own = (*data.shape[batch:axis], *indices.shape[batch:], *data.shape[axis + 1 :])
        return TensorSpec((*shared, *own), data.dtype)


@operator
class Gather(Operator):
    """The element at its own place, with ``indices`` along ``axis``; negative ones count from the
    end."""

    name = "gather"
    inputs = ("data", "indices")
    pattern = Pattern.INJECTIVE
    parameters = ("data", "axis", "indices")

    axis: int

    def infer(self, data: TensorSpec, indices: TensorSpec) -> TensorSpec:
        axis = normal_axis(self.axis, data.rank)
        require_rank(indices, data.rank, "indices")
        require_dtype(indices, INTEGERS, "indices")
        _require_elements(data, [axis], indices)
        for n, (size, length) in enumerate(zip(indices.shape, data.shape, strict=True)):
            larger = isinstance(size, int) and isinstance(length, int) and size > length
            if n != axis and larger:
                raise RelationError(
                    f"data is {data} and indices is {indices}, which is larger in dimension {n}"
                )
        return TensorSpec(indices.shape, data.dtype)


@operator
class GatherNd(Operator):
    """The elements or parts of ``data`` at places; the first dimension of ``indices`` has the
    indices of one place.

    ``batch_dims`` leading dimensions of ``data`` and of the places are shared.
    """

    name = "gather_nd"
    inputs = ("data", "indices")
    pattern = Pattern.INJECTIVE

    batch_dims: int = 0
    index_rank: int | None = None

    def infer(self, data: TensorSpec, indices: TensorSpec) -> TensorSpec:
        require_dtype(indices, INTEGERS, "indices")
        depth = indices.shape[0] if indices.rank else None
        batch = self.batch_dims
        if not isinstance(depth, int):
            raise RelationError(f"indices is {indices}, whose first size must be a number")
        if not 0 <= batch <= indices.rank - 1 or not 1 <= depth <= data.rank - batch:
            raise RelationError(
                f"data is {data}, indices is {indices} and batch_dims is {batch}: there are "
                f"{data.rank} dimensions, of which {depth} after those are indexed"
            )
        for n in range(batch):
            require_same(
                data.shape[n], indices.shape[n + 1], f"the sizes of the shared dimension {n}"
            )
        _require_elements(data, range(batch, batch + depth), indices)
        return TensorSpec((*indices.shape[1:], *data.shape[batch + depth :]), data.dtype)


@operator
class OneHot(Operator):
    """``on_value`` where the place along a new dimension is the index, else ``off_value``."""

    name = "one_hot"
    inputs = ("indices", "on_value", "off_value")
    pattern = Pattern.OUT_ELEMWISE_FUSABLE

    depth: Size
    axis: int
    dtype: str

    def infer(self, indices: TensorSpec, on_value: TensorSpec, off_value: TensorSpec) -> TensorSpec:
        require_dtype(indices, INTEGERS, "indices")
        require_rank(on_value, 0, "on_value")
        require_rank(off_value, 0, "off_value")
        (depth,) = checked_sizes((self.depth,), "depth")
        axis = normal_axis(self.axis, indices.rank + 1)
        shape = (*indices.shape[:axis], depth, *indices.shape[axis:])
        return TensorSpec(shape, checked_dtype(self.dtype))


@operator
class AdvIndex(Operator):
    """``data[indices]`` of a tuple ``(data, index, ...)``; the indices are broadcast together."""

    name = "adv_index"
    inputs = ("*inputs",)
    pattern = Pattern.INJECTIVE
    takes_tuple = True

    def infer(self, *inputs: TensorSpec) -> TensorSpec:
        if not inputs or not 1 <= len(inputs) - 1 <= inputs[0].rank:
            raise RelationError("it takes data, and an index for one or more of its dimensions")
        data, *indices = inputs
        for n, index in enumerate(indices):
            require_dtype(index, INTEGERS, f"inputs[{n + 1}]")
            _require_elements(data, [n], index)
        shape = broadcast_shapes(*(index.shape for index in indices))
        return TensorSpec((*shape, *data.shape[len(indices) :]), data.dtype)


@operator
class UnravelIndex(Operator):
    """The places of row-major numbers in a shape, which is a tensor: a row for each dimension."""

    name = "unravel_index"
    inputs = ("indices", "shape")
    pattern = Pattern.INJECTIVE

    def infer(self, indices: TensorSpec, shape: TensorSpec) -> TensorSpec:
        require_dtype(indices, INTEGERS, "indices")
        require_dtype(shape, INTEGERS, "shape")
        require_rank(shape, 1, "shape")
        if shape.shape[0] == 0:
            raise RelationError("shape has no sizes: a number is a place in a dimension or more")
        return TensorSpec((shape.shape[0], *indices.shape), indices.dtype)


@operator
class Compress(Operator):
    """The slices along ``axis`` where the condition is true, and their number; kc's own.

    Without an axis, the data is flat. The first result is as long as the data: only the first
    slices count.
    """

    name = "compress"
    inputs = ("condition", "data")
    pattern = Pattern.OPAQUE

    axis: int | None = None

    def infer(self, condition: TensorSpec, data: TensorSpec) -> Spec:
        require_rank(condition, 1, "condition")
        require_dtype(condition, ("bool",), "condition")
        shape: tuple[MaybeSize, ...] = (product_of(data.shape),)
        if self.axis is not None:
            normal_axis(self.axis, data.rank)
            shape = data.shape
        return TensorSpec(shape, data.dtype), TensorSpec((1,), "int32")

    def result_count(self, operands: int) -> int:
        return 2
