"""Slices of tensors, and tensors with replaced slices."""

from __future__ import annotations

from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, all_of, as_expr, compare, const, if_then_else, select
from kc.expr.constructors import cast as convert
from kc.expr.tags import INJECTIVE
from kc.expr.tensor import Tensor, shape_text
from kc.support.diagnostics import counted
from kc.te.computes import compute
from kc.topi.arguments import (
    agree,
    axis_of,
    constant,
    dim,
    length_of,
    listed,
    rank,
    tensor,
    whole,
    wholes,
    word,
)  # fmt: skip
from kc.topi.table import ANY, operator, refuse

_FAR = 2**31 - 1


def _ranges(
    a: Tensor, begin: Any, end: Any, strides: Any, axes: Any, slice_mode: str
) -> list[tuple[int, int, int]]:
    """(first, step, count) of each dimension, by the rules of Python's slices."""
    starts = listed(begin, "begin")
    axes_sliced = (
        [axis_of(axis, a.ndim) for axis in listed(axes, "axes")]
        if axes is not None
        else list(range(len(starts)))
    )
    if len(starts) > a.ndim or len(axes_sliced) != len(starts):
        raise refuse(
            "KC2311",
            f"begin has {counted(len(starts), 'number')} for {counted(a.ndim, 'dimension')}",
            "it may have at most one number for each dimension",
        )
    ends = listed(end, "end")
    ends += [None] * (len(starts) - len(ends))
    steps = list(strides or [1]) if isinstance(strides, list | tuple | None) else [strides]
    if len(steps) > max(len(starts), 1):
        raise refuse(
            "KC2311",
            f"strides has {counted(len(steps), 'number')}: {tuple(steps)}",
            f"begin has {len(starts)}: there can be at most one stride for each begin",
        )
    steps = steps * len(starts) if len(steps) == 1 else steps + [1] * (len(starts) - len(steps))
    result: dict[int, tuple[int, int, int]] = {}
    for axis, first, last, step in zip(axes_sliced, starts, ends, steps, strict=False):
        size = constant(a.shape[axis], "a dimension that is sliced")
        step = 1 if slice_mode == "size" else whole(step, "a stride")
        if step == 0:
            raise refuse("KC2306", f"strides is {strides}", "a stride must not be 0")
        first = None if first is None else whole(first, "begin")
        if slice_mode == "size":
            length = -1 if last is None else whole(last, "end")
            if length < -1:
                raise refuse(
                    "KC2306",
                    f"end has the size {length}",
                    "it must be at least 0, or -1 for the end",
                )
            first = first or 0
            first = max(first + size, 0) if first < 0 else first
            last = None if length < 0 else first + length
        elif last is not None:
            last = whole(last, "end")
        span = range(size)[first if first is None or abs(first) < _FAR else None : last : step]
        result[axis] = (span.start, step, len(span))
    return [result.get(n, (0, 1, -1)) for n in range(a.ndim)]


@operator(
    INJECTIVE, ANY, "strided_slice(T(6, 5), (1, -1), (6, -6), (2, -2))", onnx="Slice",
    formula="a[begin:end:strides]",
)  # fmt: skip
def strided_slice(
    a: Tensor,
    begin: Any,
    end: Any,
    strides: Any = None,
    axes: Any = None,
    slice_mode: str = "end",
) -> Tensor:
    """``a[begin:end:strides]``, as Python slices: bounds out of range are clamped.

    Shorter lists leave the other dimensions unchanged; ``axes`` selects dimensions. With
    ``slice_mode="size"`` ``end`` holds sizes (-1: to the end), and the strides are 1. Sliced
    dimensions must be constant. Raises KC2306 for a stride of 0, KC2311 for lists that are too
    long.
    """
    word(slice_mode, ("end", "size"), "slice_mode")
    ranges = _ranges(a, begin, end, strides, axes, slice_mode)
    shape = [
        size if count < 0 else count for size, (_, _, count) in zip(a.shape, ranges, strict=True)
    ]

    def body(*at: Any) -> Expr:
        return a(*map(_place, at, ranges))

    return compute(shape, body, "T_strided_slice", tag=INJECTIVE)


def _place(axis: Any, span: tuple[int, int, int]) -> Any:
    first, step, count = span
    if count < 0 or (first == 0 and step == 1):
        return axis
    moved = axis if step == 1 else axis * step if step > 0 else axis * -step
    if step < 0:
        return first - moved
    return moved + first if first else moved


@operator(INJECTIVE, ANY, "strided_set(T(6, 5), T(2, 5), (1, 0), (5, 5), (2, 1))")
def strided_set(a: Tensor, v: Tensor, begin: Any, end: Any, strides: Any = None) -> Tensor:
    """``a`` after ``a[begin:end:strides] = v``; ``v`` has the shape of the part (KC2303)."""
    tensor(v, "v", a.ndim, (a.dtype,))
    ranges = _ranges(a, begin, end, strides, None, "end")
    part = [
        size if count < 0 else count for size, (_, _, count) in zip(a.shape, ranges, strict=True)
    ]
    if not all(map(agree, part, v.shape)):
        raise refuse(
            "KC2303",
            f"v {v.name} of the shape {shape_text(v.shape)}",
            f"v must have the shape of the part that it replaces: {shape_text(part)}",
        )

    def body(*at: Any) -> Expr:
        places, conditions = [], []
        for axis, (first, step, count) in zip(at, ranges, strict=True):
            if count < 0:
                places.append(axis)
                continue
            moved = (axis - first) if step > 0 else (first - axis)
            size = abs(step)
            places.append(moved // size if size > 1 else moved)
            conditions += [moved >= 0, moved < count * size]
            if size > 1:
                conditions.append((moved % size).equal(0))
        if not conditions:
            return v(*places)
        return if_then_else(all_of(*conditions), v(*places), a(*at))

    return compute(a.shape, body, "T_strided_set", tag=INJECTIVE)


@operator(
    INJECTIVE, ANY, "slice_scatter(T(6, 5), T(2, 5), 0, 1, 3)", torch="slice_scatter",
)  # fmt: skip
def slice_scatter(
    data: Tensor, source: Tensor, axis: int = 0, start: Any = 0, step: int = 1
) -> Tensor:
    """``data`` with ``source`` at the places ``start``, ``start + step``, ... of an axis.

    ``start`` may be an expression of sizes. The other dimensions are those of the data (KC2303).
    Raises KC2301 for a source of another type, KC2302 for another rank, KC2306 for a step below 1,
    KC2317 for places outside of the data.
    """
    number, apart = axis_of(axis, data.ndim), whole(step, "step")
    tensor(source, "source", data.ndim, (data.dtype,))
    if apart < 1:
        raise refuse("KC2306", f"step is {step}", "it must be at least 1")
    for n, (size, own) in enumerate(zip(data.shape, source.shape, strict=True)):
        if n != number and not agree(size, own):
            raise refuse(
                "KC2303",
                f"{data.name} {shape_text(data.shape)} and {source.name} "
                f"{shape_text(source.shape)}",
                f"dimension {n} is the same in both",
            )
    first, count, length = (dim(size) for size in (start, source.shape[number], data.shape[number]))
    if isinstance(first, int) and isinstance(count, int):
        last = first + (count - 1) * apart
        outside = first < 0 or (isinstance(length, int) and last >= length)
        if count and outside:
            raise refuse(
                "KC2317",
                f"the places {first} to {last} of axis {axis} of {data.name} of the shape "
                f"{shape_text(data.shape)}",
                "the source lies inside of the data",
            )

    def body(*at: Any) -> Expr:
        moved = at[number] - first
        place = moved // apart if apart > 1 else moved
        conditions = [moved >= 0, compare("lt", place, count)]
        if apart > 1:
            conditions.append((moved % apart).equal(0))
        value = source(*at[:number], place, *at[number + 1 :])
        return if_then_else(all_of(*conditions), value, data(*at))

    return compute(data.shape, body, "T_slice_scatter", tag=INJECTIVE)


def _lengths(data: Tensor, lengths: Tensor, batch_axis: int, what: str) -> None:
    from kc.topi.arguments import index_tensor, same_size

    index_tensor(lengths, what, 1)
    same_size(data, batch_axis, lengths, 0, "there is a length for each item of the batch")


@operator(INJECTIVE, ANY, 'sequence_mask(T(4, 2), T(2, dtype="int32"))')
def sequence_mask(
    data: Tensor, valid_length: Tensor, mask_value: float = 0, axis: int = 0
) -> Tensor:
    """``mask_value`` where the place along ``axis`` is not below the length of the batch's item.

    ``axis`` is 0 or 1, the batch the other one of the first two.
    """
    if data.ndim < 2:
        rank(data, "data", 2, 3, 4)
    axis = axis_of(axis, 2)
    _lengths(data, valid_length, 1 - axis, "valid_length")
    fill = const(mask_value, data.dtype)

    def body(*at: Any) -> Expr:
        length = length_of(valid_length(at[1 - axis]), data.shape[axis])
        inside = convert(as_expr(at[axis]), "int64") < length
        return select(inside, data(*at), fill)

    return compute(data.shape, body, "T_sequence_mask", tag=INJECTIVE)


@operator(INJECTIVE, ANY, 'reverse_sequence(T(2, 4), T(2, dtype="int32"))', onnx="ReverseSequence")
def reverse_sequence(
    a: Tensor, seq_lengths: Tensor, seq_axis: int = 1, batch_axis: int = 0
) -> Tensor:
    """The first ``seq_lengths[b]`` elements along ``seq_axis`` in the opposite order.

    A length beyond the axis is that of the axis.
    """
    seq_axis, batch_axis = axis_of(seq_axis, a.ndim), axis_of(batch_axis, a.ndim)
    if seq_axis == batch_axis:
        raise refuse("KC2305", f"seq_axis and batch_axis are both {seq_axis}")
    _lengths(a, seq_lengths, batch_axis, "seq_lengths")

    def body(*at: Any) -> Expr:
        own = convert(as_expr(at[seq_axis]), "int64")
        length = length_of(seq_lengths(at[batch_axis]), a.shape[seq_axis])
        place = select(own < length, length - 1 - own, own)
        return a(*at[:seq_axis], place, *at[seq_axis + 1 :])

    return compute(a.shape, body, "T_reverse_sequence", tag=INJECTIVE)


@operator(INJECTIVE, ANY, "matrix_set_diag(T(3, 4), T(3))")
def matrix_set_diag(
    data: Tensor, diagonal: Tensor, k: Any = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """The matrices with their diagonals replaced.

    ``k`` is the diagonal (above the main one, if positive), or the lowest and the highest of a
    band; for a band, ``diagonal`` has a row for each diagonal, the highest first. ``align`` is the
    alignment of the rows of shorter diagonals: above the main diagonal, and below it.
    """
    lowest, highest = wholes(k, 2, "k")
    band = highest != lowest
    word(align, ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"), "align")
    tensor(diagonal, "diagonal", data.ndim - (not band), (data.dtype,))
    if data.ndim < 2:
        rank(data, "data", 2, 3, 4)
    rows, columns = data.shape[-2], data.shape[-1]
    length = diagonal.shape[-1]
    expected: list[Any] = list(data.shape[:-2])
    if band:
        expected.append(highest - lowest + 1)
    if isinstance(rows, int) and isinstance(columns, int):
        expected.append(
            max(min(rows + min(k, 0), columns - max(k, 0)) for k in range(lowest, highest + 1))
            if lowest <= highest
            else 0
        )
    else:
        expected.append(length)
    if lowest > highest or not all(map(agree, diagonal.shape, expected)):
        raise refuse(
            "KC2303",
            f"{data.name} {shape_text(data.shape)}, {diagonal.name} {shape_text(diagonal.shape)} "
            f"and k from {lowest} to {highest}",
            f"{diagonal.name} has the shape {shape_text(expected)}"
            if lowest <= highest
            else "the lowest diagonal must come first",
        )

    def body(*at: Any) -> Expr:
        i, j = at[-2], at[-1]
        offset = j - i
        along = j - scalar.max(offset, 0)
        if band:
            own = scalar.min(rows + scalar.min(offset, 0), columns - scalar.max(offset, 0))
            shift = length - own
            left = [part == "LEFT" for part in align.split("_")]
            zero = const(0, shift.dtype)
            above = zero if left[0] else shift
            below = zero if left[1] else shift
            main = zero if left[0] or left[1] else shift
            shift = select(offset > 0, above, select(offset < 0, below, main))
            place = (highest - offset, along + shift)
        else:
            place = (along,)
        inside = all_of(offset >= lowest, compare("le", offset, highest))
        return if_then_else(inside, diagonal(*at[:-2], *place), data(*at))

    return compute(data.shape, body, "T_matrix_set_diag", tag=INJECTIVE)


@operator(INJECTIVE, ANY, "trilu(T(3, 4), 0, True)", numpy="triu", onnx="Trilu", torch="triu")
def trilu(data: Tensor, k: int = 0, upper: bool = True) -> Tensor:
    """The matrices with 0 below (``upper``) or above diagonal ``k``."""
    if data.ndim < 2:
        rank(data, "data", 2, 3, 4)
    diagonal = whole(k, "k")

    def body(*at: Any) -> Expr:
        offset = at[-1] - at[-2]
        is_inside = offset >= diagonal if upper else compare("le", offset, diagonal)
        return select(is_inside, data(*at), const(0, data.dtype))

    return compute(data.shape, body, "T_trilu", tag=INJECTIVE)


@operator(
    INJECTIVE,
    ANY,
    "eye(3, 4, 1)",
    takes="",
    numpy="eye",
    onnx="EyeLike",
    torch="eye",
    gradient="zero",
)
def eye(n: Any, m: Any = None, k: int = 0, dtype: str = "float32") -> Tensor:
    """A matrix of ``n`` rows and ``m`` columns with 1 on diagonal ``k``, else 0."""
    diagonal = whole(k, "k")
    unit, zero = const(1, dtype), const(0, dtype)

    def body(i: Any, j: Any) -> Expr:
        return select((j - i).equal(diagonal), unit, zero)

    return compute((n, n if m is None else m), body, "T_eye", tag=INJECTIVE)
