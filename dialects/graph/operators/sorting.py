"""Sorting, searching, and what depends on the order of elements; running sums."""

from __future__ import annotations

from kc.dialects.graph.declaration import (
    Operator,
    Pattern,
    RelationError,
    operator,
)
from kc.dialects.graph.operators._relations import (
    ANY,
    NUMBERS,
    checked_dtype,
    normal_axis,
    require_dtype,
    require_rank,
    require_same,
    require_word,
)
from kc.dialects.graph.types import Spec, TensorSpec


class Ordering(Operator):
    """An operator on the order of the numbers of a tensor."""

    inputs = ("data",)
    pattern = Pattern.OPAQUE


@operator
class Sort(Ordering):
    """The elements in order along ``axis``; NaN is last."""

    name = "sort"

    axis: int = -1
    is_ascend: bool = True

    def infer(self, data: TensorSpec) -> TensorSpec:
        require_dtype(data, NUMBERS, "data")
        normal_axis(self.axis, data.rank)
        return TensorSpec(data.shape, data.dtype)


@operator
class Argsort(Ordering):
    """The places of the elements in order along ``axis``; equal ones keep their order."""

    name = "argsort"

    axis: int = -1
    is_ascend: bool = True
    dtype: str = "int32"

    def infer(self, data: TensorSpec) -> TensorSpec:
        require_dtype(data, NUMBERS, "data")
        normal_axis(self.axis, data.rank)
        return TensorSpec(data.shape, checked_dtype(self.dtype, NUMBERS))


def top(data: TensorSpec, k: int | None, axis: int, ret_type: str, dtype: str) -> Spec:
    """The types of the first elements in order: all for a ``k`` below 1. Raises RelationError."""
    require_word(ret_type, ("both", "values", "indices"), "ret_type")
    require_dtype(data, NUMBERS, "data")
    axis = normal_axis(axis, data.rank)
    size = data.shape[axis]
    if isinstance(size, int) and k is not None and k > size:
        raise RelationError(f"k is {k}, but dimension {axis} has {size} elements")
    count = k if k is None or k > 0 else size
    shape = (*data.shape[:axis], count, *data.shape[axis + 1 :])
    values = TensorSpec(shape, data.dtype)
    indices = TensorSpec(shape, checked_dtype(dtype, NUMBERS))
    return (values, indices) if ret_type == "both" else values if ret_type == "values" else indices


@operator
class Topk(Ordering):
    """The ``k`` largest elements (with ``is_ascend`` smallest) along ``axis``, in order; all if k
    is below 1.

    ``ret_type`` is "both", for a tuple of the values and their places, or one of these.
    """

    name = "topk"

    k: int = 1
    axis: int = -1
    ret_type: str = "both"
    is_ascend: bool = False
    dtype: str = "int32"

    def infer(self, data: TensorSpec) -> Spec:
        return top(data, self.k, self.axis, self.ret_type, self.dtype)

    def result_count(self, operands: int) -> int | None:
        return 2 if self.ret_type == "both" else None


@operator
class Searchsorted(Operator):
    """The places where values belong in sorted rows: before equal elements, or after (``right``).

    The rows are one, or those of the values.
    """

    name = "searchsorted"
    inputs = ("sorted_sequence", "values")
    pattern = Pattern.OPAQUE

    right: bool = False
    dtype: str = "int32"

    def infer(self, sorted_sequence: TensorSpec, values: TensorSpec) -> TensorSpec:
        require_dtype(sorted_sequence, NUMBERS, "sorted_sequence")
        require_dtype(values, (sorted_sequence.dtype,), "values")
        if values.rank == 0:
            raise RelationError(f"values is {values}, but must have a dimension or more")
        if sorted_sequence.rank != 1:
            require_rank(sorted_sequence, values.rank, "sorted_sequence")
            for n, size in enumerate(sorted_sequence.shape[:-1]):
                require_same(size, values.shape[n], f"the sizes of dimension {n}")
        return TensorSpec(values.shape, checked_dtype(self.dtype, NUMBERS))


@operator
class Unique(Ordering):
    """The distinct elements of a tensor of one dimension: a tuple.

    It has the elements (in order, or without ``is_sorted`` as they come), the places where each
    comes first, for each element the number of its value, and the number of values; with
    ``return_counts`` also the counts. The results are as long as the data: those beyond the number
    of values are 0.
    """

    name = "unique"

    is_sorted: bool = True
    return_counts: bool = False

    def infer(self, data: TensorSpec) -> Spec:
        require_rank(data, 1, "data")
        require_dtype(data, NUMBERS, "data")
        places = TensorSpec(data.shape, "int32")
        counts = (places,) if self.return_counts else ()
        return (
            TensorSpec(data.shape, data.dtype),
            places,
            places,
            TensorSpec((1,), "int32"),
            *counts,
        )

    def result_count(self, operands: int) -> int:
        return 4 + self.return_counts


@operator
class Argwhere(Operator):
    """The places of the elements that are not 0, row-major: a row of indices each, as int32.

    Their number depends on the elements.
    """

    name = "argwhere"
    inputs = ("condition",)
    pattern = Pattern.OPAQUE
    value_inputs = ("condition",)

    def infer(self, condition: TensorSpec) -> TensorSpec:
        require_dtype(condition, ANY, "condition")
        value = condition.value
        count = None if value is None else int((value != 0).sum())
        return TensorSpec((count, condition.rank), "int32")

    def bound(self, condition: TensorSpec) -> TensorSpec:
        from kc.dialects.graph.sizes import product_of

        return TensorSpec((product_of(condition.shape), condition.rank), "int32")


class Scan(Ordering):
    """The combination of the elements up to each place along a dimension."""


def _scanned(data: TensorSpec, axis: int | None, dtype: str) -> TensorSpec:
    from kc.dialects.graph.sizes import product_of

    require_dtype(data, NUMBERS, "data")
    kind = checked_dtype(dtype or data.dtype, NUMBERS)
    if axis is None:
        return TensorSpec((product_of(data.shape),), kind)
    normal_axis(axis, data.rank)
    return TensorSpec(data.shape, kind)


@operator
class Cumsum(Scan):
    """The running sums along ``axis``; without it, of the flat tensor.

    ``exclusive`` leaves out the element at the place itself.
    """

    name = "cumsum"

    axis: int | None = None
    dtype: str = ""
    exclusive: bool = False

    def infer(self, data: TensorSpec) -> TensorSpec:
        return _scanned(data, self.axis, self.dtype)


@operator
class Cumprod(Scan):
    """The running products along ``axis``; see cumsum."""

    name = "cumprod"

    axis: int | None = None
    dtype: str = ""
    exclusive: bool = False

    def infer(self, data: TensorSpec) -> TensorSpec:
        return _scanned(data, self.axis, self.dtype)
