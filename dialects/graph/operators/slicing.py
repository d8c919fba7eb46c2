"""Parts of tensors, tensors with parts replaced, and matrices by their diagonals."""

from __future__ import annotations

from kc.dialects.graph.declaration import (
    Operator,
    Pattern,
    RelationError,
    operator,
)
from kc.dialects.graph.operators._relations import (
    ANY,
    INTEGERS,
    Size,
    checked_dtype,
    checked_sizes,
    normal_axes,
    normal_axis,
    require_dtype,
    require_rank,
    require_same,
    require_word,
)
from kc.dialects.graph.sizes import MaybeSize, ceil_div
from kc.dialects.graph.types import TensorSpec

Span = tuple[MaybeSize, int, MaybeSize]
"""The places of a slice along a dimension: the first one, the distance, and the number."""


def span_of(size: MaybeSize, begin: int | None, end: int | None, step: int) -> Span:
    """The places of a slice, as Python has them.

    Of a size with a name, a bound that counts from the end is taken to be inside: a smaller size
    makes a negative one, which is refused at the call. What cannot be said so is None.
    """
    if step == 0:
        raise RelationError("strides has 0, but a stride must not be 0")
    if isinstance(size, int):
        places = range(size)[begin:end:step]
        return places.start, step, len(places)
    if size is None:
        return None, step, None
    if step < 0:
        whole = begin in (None, -1) and end is None
        return (size - 1, step, ceil_div(size, -step)) if whole else (None, step, None)
    first: MaybeSize = 0 if begin is None else begin if begin >= 0 else size + begin
    if end is None:
        last: MaybeSize = size
    elif end < 0:
        last = size + end
    else:
        return first, step, None
    return first, step, ceil_div(last - first, step)


@operator
class StridedSlice(Operator):
    """``data[begin:end:strides]``, as Python slices: bounds outside are moved inside.

    ``begin``, ``end`` and ``strides`` have a number, or none, for each of the first dimensions, or
    of ``axes``; one stride is that of all. With ``slice_mode="size"``, ``end`` has the numbers of
    elements (-1: all to the end), and the strides are 1.
    """

    name = "strided_slice"
    inputs = ("data",)
    pattern = Pattern.INJECTIVE

    begin: tuple[int | None, ...]
    end: tuple[int | None, ...]
    strides: tuple[int, ...] | None = None
    axes: tuple[int, ...] | None = None
    slice_mode: str = "end"

    def spans(self, data: TensorSpec) -> dict[int, Span]:
        """The places along each dimension that is sliced. Raises RelationError."""
        require_word(self.slice_mode, ("end", "size"), "slice_mode")
        return spans_of(
            data, self.begin, self.end, self.strides, self.axes, self.slice_mode == "size"
        )

    def infer(self, data: TensorSpec) -> TensorSpec:
        spans = self.spans(data)
        shape = (spans[n][2] if n in spans else size for n, size in enumerate(data.shape))
        return TensorSpec(tuple(shape), data.dtype)


def spans_of(
    data: TensorSpec,
    begin: tuple[int | None, ...],
    end: tuple[int | None, ...],
    strides: tuple[int, ...] | None,
    axes: tuple[int, ...] | None = None,
    of_sizes: bool = False,
) -> dict[int, Span]:
    """The places of slices along dimensions. Raises RelationError."""
    count = len(begin)
    places = tuple(range(count)) if axes is None else axes
    if len(places) != count or count > data.rank:
        raise RelationError(
            f"begin is {begin} and axes is {axes}, but there is a number for each dimension that "
            f"is sliced, of {data.rank}"
        )
    places = normal_axes(places, data.rank, "axes")
    steps = strides or (1,)
    if len(end) > count or (len(steps) > count and len(steps) > 1):
        raise RelationError(f"begin is {begin}, but end is {end} and strides is {strides}")
    ends = (*end, *([None] * (count - len(end))))
    steps = steps * count if len(steps) == 1 else (*steps, *([1] * (count - len(steps))))
    spans: dict[int, Span] = {}
    for axis, first, last, step in zip(places, begin, ends, steps, strict=True):
        size = data.shape[axis]
        if of_sizes:
            first, last, step = _by_size(size, first, last)
        spans[axis] = span_of(size, first, last, step)
    return spans


def _by_size(size: MaybeSize, begin: int | None, length: int | None) -> tuple[int, int | None, int]:
    first = begin or 0
    if length is not None and length < -1:
        raise RelationError(f"end has the size {length}, but it must be at least 0, or -1")
    if length is None or length == -1:
        return first, None, 1
    if isinstance(size, int) and first < 0:
        first = max(first + size, 0)
    end = first + length
    return first, None if first < 0 <= end else end, 1


@operator
class StridedSet(Operator):
    """``data`` after ``data[begin:end:strides] = v``; ``v`` has the shape of the part."""

    name = "strided_set"
    inputs = ("data", "v")
    pattern = Pattern.INJECTIVE

    begin: tuple[int | None, ...]
    end: tuple[int | None, ...]
    strides: tuple[int, ...] | None = None

    def infer(self, data: TensorSpec, v: TensorSpec) -> TensorSpec:
        require_rank(v, data.rank, "v")
        require_dtype(v, (data.dtype,), "v")
        spans = spans_of(data, self.begin, self.end, self.strides)
        for n, size in enumerate(data.shape):
            part = spans[n][2] if n in spans else size
            require_same(part, v.shape[n], f"the sizes of dimension {n} of the part and of v")
        return TensorSpec(data.shape, data.dtype)


@operator
class SliceLike(Operator):
    """The first elements of ``data``, as many as ``shape_like`` has: along ``axes``, or all."""

    name = "slice_like"
    inputs = ("data", "shape_like")
    pattern = Pattern.INJECTIVE

    axes: tuple[int, ...] = ()

    def infer(self, data: TensorSpec, shape_like: TensorSpec) -> TensorSpec:
        if not self.axes:
            require_rank(shape_like, data.rank, "shape_like")
        axes = normal_axes(self.axes or tuple(range(data.rank)), data.rank, "axes")
        shape = list(data.shape)
        for n in axes:
            if n >= shape_like.rank:
                raise RelationError(f"shape_like is {shape_like}, which has no dimension {n}")
            own, like_size = shape[n], shape_like.shape[n]
            if isinstance(own, int) and isinstance(like_size, int) and like_size > own:
                raise RelationError(
                    f"data is {data} and shape_like is {shape_like}: dimension {n} has not "
                    f"{like_size} elements"
                )
            shape[n] = like_size
        return TensorSpec(tuple(shape), data.dtype)


@operator
class SequenceMask(Operator):
    """``mask_value`` where the place along ``axis`` is not below the length of the sequence.

    ``axis`` is 0 or 1; the other one of the two numbers the sequences.
    """

    name = "sequence_mask"
    inputs = ("data", "valid_length")
    pattern = Pattern.INJECTIVE

    mask_value: float = 0.0
    axis: int = 0

    def infer(self, data: TensorSpec, valid_length: TensorSpec) -> TensorSpec:
        if data.rank < 2:
            raise RelationError(f"data is {data}, but must have 2 dimensions or more")
        axis = normal_axis(self.axis, 2)
        _require_lengths(data, valid_length, 1 - axis, "valid_length")
        return TensorSpec(data.shape, data.dtype)


def _require_lengths(data: TensorSpec, lengths: TensorSpec, axis: int, name: str) -> None:
    require_rank(lengths, 1, name)
    require_dtype(lengths, INTEGERS, name)
    require_same(lengths.shape[0], data.shape[axis], f"the sizes of {name} and dimension {axis}")


@operator
class ReverseSequence(Operator):
    """The first ``seq_lengths[b]`` elements along ``seq_axis`` in the opposite order."""

    name = "reverse_sequence"
    inputs = ("data", "seq_lengths")
    pattern = Pattern.INJECTIVE

    seq_axis: int = 1
    batch_axis: int = 0

    def infer(self, data: TensorSpec, seq_lengths: TensorSpec) -> TensorSpec:
        _, batch = normal_axes((self.seq_axis, self.batch_axis), data.rank, "axes")
        _require_lengths(data, seq_lengths, batch, "seq_lengths")
        return TensorSpec(data.shape, data.dtype)


def _require_matrices(data: TensorSpec) -> None:
    if data.rank < 2:
        raise RelationError(f"data is {data}, but must have 2 dimensions or more")


@operator
class MatrixSetDiag(Operator):
    """The matrices with their diagonals replaced.

    ``k`` is the number of the diagonal, above the main one if it is positive, or the lowest and the
    highest of several, of which ``diagonal`` has a row each, the highest first. ``align`` says
    where shorter rows are, above and below the main diagonal.
    """

    name = "matrix_set_diag"
    inputs = ("data", "diagonal")
    pattern = Pattern.INJECTIVE

    k: int | tuple[int, ...] = 0
    align: str = "RIGHT_LEFT"

    def infer(self, data: TensorSpec, diagonal: TensorSpec) -> TensorSpec:
        words = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")
        require_word(self.align, words, "align")
        _require_matrices(data)
        band = (self.k,) if isinstance(self.k, int) else self.k
        if len(band) not in (1, 2) or band[0] > band[-1]:
            raise RelationError(f"k is {self.k}, but must be one diagonal, or a first and a last")
        lowest, highest = band[0], band[-1]
        is_band = lowest != highest
        require_rank(diagonal, data.rank - (not is_band), "diagonal")
        require_dtype(diagonal, (data.dtype,), "diagonal")
        expected: list[MaybeSize] = list(data.shape[:-2])
        if is_band:
            expected.append(highest - lowest + 1)
        rows, columns = data.shape[-2:]
        if isinstance(rows, int) and isinstance(columns, int):
            lengths = (min(rows + min(k, 0), columns - max(k, 0)) for k in (*band, 0))
            inside = [*lengths][: 3 if lowest <= 0 <= highest else 2]
            expected.append(max(inside))
        else:
            expected.append(None)
        for n, size in enumerate(expected):
            require_same(diagonal.shape[n], size, f"dimension {n} of diagonal, and what fits data,")
        return TensorSpec(data.shape, data.dtype)


@operator
class Trilu(Operator):
    """The matrices with 0 below (``upper``) or above diagonal ``k``."""

    name = "trilu"
    inputs = ("data",)
    pattern = Pattern.INJECTIVE

    k: int = 0
    upper: bool = True

    def infer(self, data: TensorSpec) -> TensorSpec:
        _require_matrices(data)
        return TensorSpec(data.shape, data.dtype)


@operator
class Eye(Operator):
    """A matrix of ``n`` rows and ``m`` columns with 1 on diagonal ``k``, else 0; kc's own."""

    name = "eye"
    inputs = ()
    pattern = Pattern.INJECTIVE

    n: Size
    m: Size | None = None
    k: int = 0
    dtype: str = "float32"

    def infer(self) -> TensorSpec:
        sizes = checked_sizes((self.n, self.n if self.m is None else self.m), "the matrix")
        return TensorSpec(sizes, checked_dtype(self.dtype, ANY))


@operator
class Diagonal(Operator):
    """A diagonal of the matrices in two dimensions, as the last dimension of the result; kc's
    own."""

    name = "diagonal"
    inputs = ("data",)
    pattern = Pattern.INJECTIVE

    offset: int = 0
    axis1: int = 0
    axis2: int = 1

    def infer(self, data: TensorSpec) -> TensorSpec:
        _require_matrices(data)
        axes = normal_axes((self.axis1, self.axis2), data.rank, "axes")
        rows, columns = (data.shape[n] for n in axes)
        down, right = max(-self.offset, 0), max(self.offset, 0)
        length: MaybeSize = None
        if isinstance(rows, int) and isinstance(columns, int):
            length = max(min(rows - down, columns - right), 0)
        elif rows is not None and rows == columns:
            length = rows - abs(self.offset)
        rest = (size for n, size in enumerate(data.shape) if n not in axes)
        return TensorSpec((*rest, length), data.dtype)


@operator
class AsStrided(Operator):
    """The tensor whose element i has the row-major number ``offset + sum(i * strides)`` in the
    data; kc's own."""

    name = "as_strided"
    inputs = ("data",)
    pattern = Pattern.INJECTIVE

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0

    def infer(self, data: TensorSpec) -> TensorSpec:
        shape = checked_sizes(self.shape)
        if len(self.strides) != len(shape):
            raise RelationError(f"shape is {shape}, but strides is {self.strides}")
        if data.is_static and 0 not in shape:
            spans = [(s - 1) * step for s, step in zip(self.shape, self.strides, strict=True)]
            low = self.offset + sum(span for span in spans if span < 0)
            high = self.offset + sum(span for span in spans if span > 0)
            count = 1
            for size in data.shape:
                assert isinstance(size, int)
                count *= size
            if low < 0 or high >= count:
                raise RelationError(f"data is {data}, but elements {low} to {high} are read")
        return TensorSpec(shape, data.dtype)
