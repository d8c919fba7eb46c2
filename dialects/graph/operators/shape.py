"""Operators that move elements: shapes, orders of dimensions, parts, layouts."""

from __future__ import annotations

from kc.dialects.graph.declaration import (
    Operator,
    Pattern,
    RelationError,
    operator,
)
from kc.dialects.graph.operators._layouts import Layout, layout_of
from kc.dialects.graph.operators._relations import (
    INTEGERS,
    NUMBERS,
    Size,
    checked_dtype,
    joined,
    normal_axes,
    normal_axis,
    require_rank,
    require_word,
    same_dtype,
)
from kc.dialects.graph.operators._reshaping import reshaped
from kc.dialects.graph.sizes import MaybeSize, ceil_div, product_of
from kc.dialects.graph.types import Spec, TensorSpec

MOST_DIMENSIONS = 64
"""The largest rank of an array in numpy, and thus in DLPack."""


class Injective(Operator):
    """An operator of one tensor that moves elements."""

    inputs = ("data",)
    pattern = Pattern.INJECTIVE


@operator
class Reshape(Injective):
    """The elements, row-major, in another shape.

    In ``newshape``, 0 is the size at the same place of the data (with ``allowzero`` the size 0), -1
    is computed from the rest, -2 stands for all remaining sizes, -3 is the product of the next two,
    and -4 splits the next size into the two sizes that follow it, one of which may be -1.
    """

    name = "reshape"

    newshape: tuple[Size, ...]
    allowzero: bool = False

    def infer(self, data: TensorSpec) -> TensorSpec:
        return TensorSpec(reshaped(data.shape, self.newshape, self.allowzero), data.dtype)


@operator
class ContribReverseReshape(Injective):
    """``reshape``, with ``newshape`` and the sizes of the data read from right to left."""

    name = "contrib_reverse_reshape"

    newshape: tuple[Size, ...]

    def infer(self, data: TensorSpec) -> TensorSpec:
        if -4 in self.newshape:
            raise RelationError("newshape has -4, which has no meaning from right to left")
        shape = reshaped(data.shape[::-1], self.newshape[::-1])
        return TensorSpec(shape[::-1], data.dtype)


@operator
class ReshapeLike(Operator):
    """The elements of ``data`` in the shape of ``shape_like``.

    The dimensions of ``data`` from ``lhs_begin`` to before ``lhs_end`` become those of
    ``shape_like`` from ``rhs_begin`` to before ``rhs_end``; by default all.
    """

    name = "reshape_like"
    inputs = ("data", "shape_like")
    pattern = Pattern.INJECTIVE

    lhs_begin: int = 0
    lhs_end: int | None = None
    rhs_begin: int = 0
    rhs_end: int | None = None

    def infer(self, data: TensorSpec, shape_like: TensorSpec) -> TensorSpec:
        left = _range(self.lhs_begin, self.lhs_end, data, "lhs")
        right = _range(self.rhs_begin, self.rhs_end, shape_like, "rhs")
        middle = shape_like.shape[right]
        shape = (*data.shape[: left.start], *middle, *data.shape[left.stop :])
        counts = product_of(data.shape[left]), product_of(middle)
        if all(isinstance(count, int) for count in counts) and counts[0] != counts[1]:
            raise RelationError(
                f"data is {data}, shape_like is {shape_like}: {counts[0]} elements do not become "
                f"{counts[1]}"
            )
        return TensorSpec(shape, data.dtype)


def _range(begin: int, end: int | None, operand: TensorSpec, name: str) -> slice:
    rank = operand.rank
    end = rank if end is None else end
    bounds = [bound + rank if bound < 0 else bound for bound in (begin, end)]
    if not 0 <= bounds[0] <= bounds[1] <= rank:
        raise RelationError(
            f"{name}_begin is {begin} and {name}_end is {end}, but the operand has {rank} "
            "dimensions"
        )
    return slice(*bounds)


@operator
class Transpose(Injective):
    """The dimensions in another order: dimension n of the result is ``axes[n]``; by default
    reversed."""

    name = "transpose"

    axes: tuple[int, ...] | None = None

    def order(self, rank: int) -> tuple[int, ...]:
        """The dimensions of the operand, in the order of the result. Raises RelationError."""
        if self.axes is None:
            return tuple(range(rank))[::-1]
        if len(self.axes) != rank:
            raise RelationError(f"axes is {self.axes}, but the operand has {rank} dimensions")
        return normal_axes(self.axes, rank, "axes")

    def infer(self, data: TensorSpec) -> TensorSpec:
        return TensorSpec(tuple(data.shape[n] for n in self.order(data.rank)), data.dtype)


@operator
class Squeeze(Injective):
    """The tensor without dimensions of 1: all that are, or those that ``axis`` names."""

    name = "squeeze"

    axis: tuple[int, ...] | None = None

    def axes(self, data: TensorSpec) -> tuple[int, ...]:
        """The dimensions that are left out. Raises RelationError."""
        if self.axis is None:
            return tuple(n for n, size in enumerate(data.shape) if size == 1)
        axes = normal_axes(self.axis, data.rank)
        for n in axes:
            if isinstance(data.shape[n], int) and data.shape[n] != 1:
                raise RelationError(f"data is {data}: dimension {n} is not 1")
        return axes

    def infer(self, data: TensorSpec) -> TensorSpec:
        gone = self.axes(data)
        remaining = (size for n, size in enumerate(data.shape) if n not in gone)
        return TensorSpec(tuple(remaining), data.dtype)


@operator
class ExpandDims(Operator):
    """``num_newaxis`` dimensions of 1 before dimension ``axis``; a negative one counts from the
    end, -1 being behind the last."""

    name = "expand_dims"
    inputs = ("data",)
    pattern = Pattern.BROADCAST

    axis: int
    num_newaxis: int = 1

    def infer(self, data: TensorSpec) -> TensorSpec:
        place = normal_axis(self.axis, data.rank + 1)
        if not 0 <= self.num_newaxis <= MOST_DIMENSIONS - data.rank:
            raise RelationError(
                f"num_newaxis is {self.num_newaxis}, but a tensor has at most {MOST_DIMENSIONS} "
                "dimensions"
            )
        new = (1,) * self.num_newaxis
        return TensorSpec((*data.shape[:place], *new, *data.shape[place:]), data.dtype)


def _require_parts(parts: tuple[TensorSpec, ...]) -> str:
    if not parts:
        raise RelationError("it takes one tensor or more")
    return same_dtype(parts, [f"data[{n}]" for n in range(len(parts))])


def _common(parts: tuple[TensorSpec, ...], but: int | None = None) -> list[MaybeSize]:
    """The sizes that tensors share, except along a dimension. Raises RelationError."""
    shape = list(parts[0].shape)
    for n, part in enumerate(parts):
        require_rank(part, len(shape), f"data[{n}]")
        for axis, size in enumerate(part.shape):
            if axis != but:
                what = f"dimension {axis} of data[0] and data[{n}]"
                shape[axis] = joined(shape[axis], size, what)
    return shape


class OfTuple(Operator):
    """An operator of several tensors of one type, which are a tuple in Relay."""

    inputs = ("*data",)
    pattern = Pattern.INJECTIVE
    takes_tuple = True


@operator
class Concatenate(OfTuple):
    """The tensors, one after the other along ``axis``."""

    name = "concatenate"

    axis: int = 0

    def infer(self, *data: TensorSpec) -> TensorSpec:
        dtype = _require_parts(data)
        axis = normal_axis(self.axis, data[0].rank)
        shape = _common(data, axis)
        total: MaybeSize = 0
        for part in data:
            size = part.shape[axis]
            total = None if total is None or size is None else total + size
        shape[axis] = total
        return TensorSpec(tuple(shape), dtype)


@operator
class Stack(OfTuple):
    """The tensors, of one shape, along a new dimension ``axis``."""

    name = "stack"

    axis: int = 0

    def infer(self, *data: TensorSpec) -> TensorSpec:
        dtype = _require_parts(data)
        axis = normal_axis(self.axis, data[0].rank + 1)
        shape = _common(data)
        return TensorSpec((*shape[:axis], len(data), *shape[axis:]), dtype)


@operator
class Split(Injective):
    """Parts of a tensor along ``axis``: a tuple.

    ``indices_or_sections`` is the number of equal parts, or the places where they begin, without 0.
    """

    name = "split"

    indices_or_sections: int | tuple[int, ...]
    axis: int = 0

    def infer(self, data: TensorSpec) -> Spec:
        axis = normal_axis(self.axis, data.rank)
        size = data.shape[axis]
        return tuple(
            TensorSpec((*data.shape[:axis], part, *data.shape[axis + 1 :]), data.dtype)
            for part in self._sizes(size, axis)
        )

    def _sizes(self, size: MaybeSize, axis: int) -> list[MaybeSize]:
        cuts = self.indices_or_sections
        if isinstance(cuts, int):
            if cuts < 1:
                raise RelationError(f"indices_or_sections is {cuts}, but there is a part or more")
            if isinstance(size, int) and size % cuts:
                raise RelationError(f"dimension {axis} is {size}, which is not divided by {cuts}")
            return [None if size is None else size // cuts] * cuts
        if any(cut < 0 for cut in cuts) or sorted(cuts) != list(cuts):
            raise RelationError(f"indices_or_sections is {cuts}, but places are in order, from 0")
        if size is None:
            return [*(end - begin for begin, end in zip((0, *cuts), cuts, strict=False)), None]
        if isinstance(size, int):
            edges = [0, *(min(cut, size) for cut in cuts), size]
            return [end - begin for begin, end in zip(edges, edges[1:], strict=False)]
        begins = (0, *cuts)
        parts: list[MaybeSize] = [e - b for b, e in zip(begins, cuts, strict=False)]
        return [*parts, size - begins[-1]]

    def result_count(self, operands: int) -> int:
        cuts = self.indices_or_sections
        return cuts if isinstance(cuts, int) else len(cuts) + 1


@operator
class Reverse(Injective):
    """The elements along ``axis`` in the opposite order."""

    name = "reverse"

    axis: int

    def infer(self, data: TensorSpec) -> TensorSpec:
        normal_axis(self.axis, data.rank)
        return TensorSpec(data.shape, data.dtype)


def _times(size: MaybeSize, count: int) -> MaybeSize:
    return product_of((size, count))


@operator
class Repeat(Operator):
    """Each element ``repeats`` times along ``axis``."""

    name = "repeat"
    inputs = ("data",)
    pattern = Pattern.BROADCAST

    repeats: int
    axis: int

    def infer(self, data: TensorSpec) -> TensorSpec:
        axis = normal_axis(self.axis, data.rank)
        if self.repeats < 0:
            raise RelationError(f"repeats is {self.repeats}, but must be at least 0")
        shape = list(data.shape)
        shape[axis] = _times(shape[axis], self.repeats)
        return TensorSpec(tuple(shape), data.dtype)


@operator
class Tile(Operator):
    """The whole tensor ``reps`` times along each dimension; the shorter of both gets 1 in front."""

    name = "tile"
    inputs = ("data",)
    pattern = Pattern.BROADCAST

    reps: tuple[int, ...]

    def infer(self, data: TensorSpec) -> TensorSpec:
        if any(count < 0 for count in self.reps):
            raise RelationError(f"reps is {self.reps}, but its numbers must be at least 0")
        return TensorSpec(tiled(data.shape, self.reps), data.dtype)


def tiled(shape: tuple[MaybeSize, ...], reps: tuple[int, ...]) -> tuple[MaybeSize, ...]:
    """The shape of a tensor that is repeated."""
    rank = max(len(shape), len(reps))
    sizes = (1,) * (rank - len(shape)) + shape
    counts = (1,) * (rank - len(reps)) + reps
    return tuple(map(_times, sizes, counts))


@operator
class LayoutTransform(Injective):
    """The elements in another layout: ``NCHW`` to ``NCHW16c``; blocks that are not full get 0."""

    name = "layout_transform"

    src_layout: str
    dst_layout: str

    def infer(self, data: TensorSpec) -> TensorSpec:
        source, target = _layout(self.src_layout), _layout(self.dst_layout)
        require_rank(data, len(source.axes), "data")
        letters = [sorted(n for n, block in each.axes if not block) for each in (source, target)]
        if letters[0] != letters[1]:
            raise RelationError(f"{source.text} and {target.text} have not the same axes")
        blocks = dict(target.axes)
        sizes: list[MaybeSize] = []
        for n, (letter, block) in enumerate(source.axes):
            if block and isinstance(data.shape[n], int) and data.shape[n] != block:
                raise RelationError(
                    f"data is {data}: dimension {n} is not {block}, the block {letter} of "
                    f"{source.text}"
                )
        for letter, block in target.axes:
            size = source.size(data.shape, letter.upper())
            if block:
                sizes.append(block)
            elif letter.lower() in blocks:
                sizes.append(None if size is None else ceil_div(size, blocks[letter.lower()]))
            else:
                sizes.append(size)
        return TensorSpec(tuple(sizes), data.dtype)


def _layout(text: str) -> Layout:
    return layout_of(text, "".join(letter for letter in text if letter.isupper()), "a layout")


@operator
class ShapeOf(Operator):
    """The sizes of a tensor, as a tensor of integers."""

    name = "shape_of"
    inputs = ("data",)
    pattern = Pattern.OPAQUE

    dtype: str = "int32"

    def infer(self, data: TensorSpec) -> TensorSpec:
        return TensorSpec((data.rank,), checked_dtype(self.dtype, INTEGERS))


@operator
class NdarraySize(Operator):
    """The number of elements of a tensor, as a tensor without dimensions."""

    name = "ndarray_size"
    inputs = ("data",)
    pattern = Pattern.OPAQUE

    dtype: str = "int32"

    def infer(self, data: TensorSpec) -> TensorSpec:
        return TensorSpec((), checked_dtype(self.dtype, NUMBERS))


@operator
class Meshgrid(OfTuple):
    """Each tensor of one dimension, repeated along the dimensions of the others: a tuple.

    With ``indexing="xy"`` the first two dimensions of the results are exchanged.
    """

    name = "meshgrid"

    indexing: str = "ij"

    def infer(self, *data: TensorSpec) -> Spec:
        require_word(self.indexing, ("ij", "xy"), "indexing")
        _require_parts(data)
        sizes: list[MaybeSize] = []
        for n, part in enumerate(data):
            if part.rank > 1:
                raise RelationError(f"data[{n}] is {part}, but must have at most 1 dimension")
            sizes.append(part.shape[0] if part.rank else 1)
        if self.indexing == "xy":
            sizes[:2] = sizes[:2][::-1]
        return tuple(TensorSpec(tuple(sizes), part.dtype) for part in data)

    def result_count(self, operands: int) -> int:
        return operands


@operator
class SlidingWindow(Injective):
    """The windows of the dimensions from ``axis`` on, of a shape and a distance for each of them.

    The result has the numbers of windows, and then the places in a window.
    """

    name = "sliding_window"

    axis: int
    window_shape: tuple[int, ...]
    strides: tuple[int, ...]

    def infer(self, data: TensorSpec) -> TensorSpec:
        axis, count = normal_axis(self.axis, data.rank), len(self.window_shape)
        if len(self.strides) != count or axis + count != data.rank:
            raise RelationError(
                f"axis is {self.axis}, window_shape is {self.window_shape} and strides is "
                f"{self.strides}, but there is one number for each dimension from axis on, of "
                f"{data.rank}"
            )
        if min((*self.window_shape, *self.strides)) < 1:
            raise RelationError("the numbers of window_shape and strides must be at least 1")
        numbers: list[MaybeSize] = []
        sizes = zip(data.shape[axis:], self.window_shape, self.strides, strict=True)
        for size, window, stride in sizes:
            if isinstance(size, int) and size < window:
                raise RelationError(f"data is {data}, which is smaller than a window of {window}")
            numbers.append(None if size is None else (size - window) // stride + 1)
        return TensorSpec((*data.shape[:axis], *numbers, *self.window_shape), data.dtype)


@operator
class Arange(Operator):
    """The numbers from ``start`` to before ``stop``, ``step`` apart, in ``dtype``.

    The size is known where the operands, which have no dimensions, are constants.
    """

    name = "arange"
    inputs = ("start", "stop", "step")
    pattern = Pattern.INJECTIVE
    value_inputs = ("start", "stop", "step")

    dtype: str = ""

    def infer(self, start: TensorSpec, stop: TensorSpec, step: TensorSpec) -> TensorSpec:
        parts = start, stop, step
        for part, name in zip(parts, self.inputs, strict=True):
            require_rank(part, 0, name)
        dtype = checked_dtype(self.dtype or same_dtype(parts, self.inputs), NUMBERS)
        if any(part.value is None for part in parts):
            return TensorSpec((None,), dtype)
        first, last, each = (part.value.item() for part in parts)
        if not each or not all(abs(number) < float("inf") for number in (first, last, each)):
            raise RelationError(
                f"the numbers are {first}, {last} and {each}, but must be finite, and step not 0"
            )
        return TensorSpec((_count(first, last, each),), dtype)


def _count(first: float, last: float, each: float) -> int:
    import math

    if all(isinstance(number, int) for number in (first, last, each)):
        return max(0, -((first - last) // each))  # pyright: ignore[reportReturnType]
    return max(0, math.ceil((last - first) / each))
