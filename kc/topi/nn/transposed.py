"""Transposed convolutions: each input element adds its products with the filter to a larger
result.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, compare, const, if_then_else
from kc.expr.constructors import cast as convert
from kc.expr.tags import INJECTIVE
from kc.expr.tensor import Tensor, reduce_axis, shape_text
from kc.te.computes import compute
from kc.topi.accumulation import Accumulation, accumulation
from kc.topi.arguments import (
    constant,
    is_size,
    over,
    plus,
    positive,
    rank,
    tensor,
    times,
    whole,
    wholes,
)
from kc.topi.nn.convolution import grouped
from kc.topi.nn.padding import amounts, dilated, padded
from kc.topi.table import NUMBERS, operator, refuse


def _transposed(
    data: Tensor, filt: Tensor, strides: Any, padding: Any, out_dtype: str | None,
    acc_dtype: str | None, output_padding: Any, groups: int, letters: str, name: str,
) -> Tensor:  # fmt: skip
    count = len(letters)
    rank(data, "data", count + 2)
    tensor(filt, "the filter", count + 2, NUMBERS)
    steps = positive(strides, count, "strides")
    more = wholes(output_padding, count, "output_padding")
    if any(not 0 <= extra < step for extra, step in zip(more, steps, strict=True)):
        raise refuse(
            "KC2317",
            f"output_padding is {output_padding}, strides is {strides}",
            "output_padding must be at least 0, and less than the stride",
        )
    taps = [constant(size, "the kernel") for size in filt.shape[2:]]
    heads, tails = amounts(padding, taps)
    number = whole(groups, "groups")
    results = times(filt.shape[1], number)
    grouped(data, filt.shape[0], results, over(data.shape[1], max(number, 1)), number)
    apart = dilated(data, [1, 1, *steps], 0, "data_dilate")
    front = [0, 0, *(tap - 1 - head for tap, head in zip(taps, heads, strict=True))]
    back = [0, 0] + [
        tap - 1 - tail + extra for tap, tail, extra in zip(taps, tails, more, strict=True)
    ]
    source = padded(apart, front, back, 0, "data_pad")
    outs = [plus(size, 1 - tap) for size, tap in zip(source.shape[2:], taps, strict=True)]
    for n, (size, step) in enumerate(zip(data.shape[2:], steps, strict=True)):
        if is_size(size, 0):  # (size - 1) * stride is the distance of its first and last element
            outs[n] = max(0, outs[n] - (step - 1)) if outs[n] >= 0 else outs[n]
    if any(isinstance(size, int) and size < 0 for size in outs):
        raise refuse(
            "KC2314", f"padding is {padding}", f"the result would have the shape {shape_text(outs)}"
        )
    sums = accumulation(data.dtype, acc_dtype, out_dtype)
    each = over(data.shape[1], number)
    makes = filt.shape[1]
    rc = reduce_axis((0, each), name="dc")
    if max(steps) > 1 and not any(is_size(size, 0) for size in (*data.shape[2:], *outs)):
        ends = [
            tap - head - tail + extra
            for tap, head, tail, extra in zip(taps, heads, tails, more, strict=True)
        ]
        shape = [data.shape[0], results, *outs]
        return _by_phases(
            data, filt, list(steps), heads, ends, shape, number, sums, letters, name,
        )  # fmt: skip
    loops = [
        reduce_axis((0, size), name=f"d{letter.lower()}")
        for size, letter in zip(taps, letters, strict=True)
    ]

    def tap_of_group(o: Any, c: Any, *at: Any) -> Expr:
        return filt((o // makes) * each + c, o % makes, *at)

    shape = (results, each, *taps)
    weights = filt if number == 1 else compute(shape, tap_of_group, "filter_groups", tag=INJECTIVE)

    def body(n: Any, o: Any, *at: Any) -> Expr:
        place = [axis + (size - 1 - loop) for axis, size, loop in zip(at, taps, loops, strict=True)]
        channel = rc if number == 1 else (o // makes) * each + rc
        weight = weights(*((rc, o) if number == 1 else (o, rc)), *loops)
        term = sums.wide(source(n, channel, *place)) * sums.wide(weight)
        return scalar.sum(term, axis=[rc, *loops])

    return sums.rounded(compute((data.shape[0], results, *outs), body, name, tag=name))


def _by_phases(
    data: Tensor, filt: Tensor, steps: list[int], heads: Sequence[int], ends: Sequence[int],
    shape: list[Any], groups: int, sums: Accumulation, letters: str, name: str,
) -> Tensor:  # fmt: skip
    """Compute a transposed convolution by phases: a convolution for the results at each position
    modulo the strides.

    A dimension of the result is ``(size - 1) * step + end`` long. Its element at ``i`` is of the
    taps that are ``(i + head) % step``, the phase, modulo the step, so no product is with one of
    the zeros between elements. Phases of as many taps are a convolution, with a dimension of
    phases: where a step does not divide the number of taps, there are two for each dimension, the
    second one with a tap less, and of none where the step is larger.
    """
    count, makes = len(letters), filt.shape[1]
    sizes = [constant(size, "the kernel") for size in filt.shape[2:]]
    taps = [-(-size // step) for size, step in zip(sizes, steps, strict=True)]
    # The elements of a phase are those at head // step to the last one's place by the step.
    first = [head // step for head, step in zip(heads, steps, strict=True)]
    beyond = [
        (end - 1 + head) // step - start
        for end, head, step, start in zip(ends, heads, steps, first, strict=True)
    ]
    places = [plus(size, extra) for size, extra in zip(data.shape[2:], beyond, strict=True)]
    lowest = [start - (tap - 1) for start, tap in zip(first, taps, strict=True)]
    behind = [extra + start for extra, start in zip(beyond, first, strict=True)]
    source = padded(data, [0, 0, *(-least for least in lowest)], [0, 0, *behind], 0, "data_pad")
    each = over(data.shape[1], groups)

    def convolved(phases: Sequence[range], taps: Sequence[int], name: str) -> Tensor:
        """The results of ``phases`` of each dimension, all with the number of ``taps``."""

        def weight(*at: Any) -> Expr:
            o, c = at[count : count + 2]
            chosen = [
                tap * step + (phase + of.start)
                for tap, step, phase, of in zip(at[count + 2 :], steps, at, phases, strict=False)
            ]
            if groups == 1:
                return filt(c, o, *chosen)
            return filt((o // makes) * each + c, o % makes, *chosen)

        numbers = [len(of) for of in phases]
        weights = compute([*numbers, shape[1], each, *taps], weight, "filter_phases", tag=INJECTIVE)
        rc = reduce_axis((0, each), name="dc")
        loops = [
            reduce_axis((0, size), name=f"d{letter.lower()}")
            for size, letter in zip(taps, letters, strict=True)
        ]

        def body(n: Any, *at: Any) -> Expr:
            o = at[count]
            index = [
                place + (start - least) - loop
                for place, start, least, loop in zip(
                    at[count + 1 :], first, lowest, loops, strict=True
                )
            ]
            channel = rc if groups == 1 else (o // makes) * each + rc
            taken = weights(*at[: count + 1], rc, *loops)
            term = sums.wide(source(n, channel, *index)) * sums.wide(taken)
            return scalar.sum(term, axis=[rc, *loops])

        return compute((shape[0], *numbers, shape[1], *places), body, f"{name}_phases", tag=name)

    choices: list[list[tuple[range, int]]] = []
    for size, step in zip(sizes, steps, strict=True):
        more = size % step
        some = [(range(more), size // step + 1), (range(more, step), size // step)]
        choices.append([(of, number) for of, number in some if of])
    parts = {
        tuple(of for of, _ in chosen): convolved(
            [of for of, _ in chosen], [number for _, number in chosen], name
        )
        for chosen in product(*choices)
        if all(number for _, number in chosen)
    }

    def gathered(n: Any, o: Any, *at: Any) -> Expr:
        moved = [axis + head for axis, head in zip(at, heads, strict=True)]
        phases = [axis % step for axis, step in zip(moved, steps, strict=True)]
        place = [
            axis // step - start for axis, step, start in zip(moved, steps, first, strict=True)
        ]

        def taken(positions: tuple[range, ...]) -> Expr:
            """The result if the first phases are in the ranges ``positions``."""
            if len(positions) < count:
                *some, (last, _) = choices[len(positions)]
                value = taken((*positions, last))
                for of, _ in some:
                    is_there = compare("lt", phases[len(positions)], of.stop)
                    value = if_then_else(is_there, taken((*positions, of)), value)
                return value
            if positions not in parts:
                return const(0, sums.result)
            inside = [phase - of.start for phase, of in zip(phases, positions, strict=True)]
            return convert(parts[positions](n, *inside, o, *place), sums.result)

        return taken(())

    return compute(shape, gathered, name, tag=INJECTIVE)


_MEANING = """The result is ``(in - 1) * stride - pads + kernel + output_padding`` long, with
    ``output_padding`` below the stride (KC2317). The filter begins with the **input** channels.
    Types and other errors are those of :func:`kc.topi.nn.conv2d`."""


@operator(
    "conv1d_transpose_ncw",
    NUMBERS,
    "nn.conv1d_transpose_ncw(T(1, 3, 5), T(3, 2, 3), 2, 1, None, 1)",
    onnx="ConvTranspose",
    torch="conv_transpose1d",
)
def conv1d_transpose_ncw(
    data: Tensor, kernel: Tensor, stride: Any, padding: Any, out_dtype: str | None,
    output_padding: Any, acc_dtype: str | None = None,
) -> Tensor:  # fmt: skip
    """(N, C, W) with (C, O, K)."""
    return _transposed(
        data, kernel, stride, padding, out_dtype, acc_dtype, output_padding, 1, "W",
        "conv1d_transpose_ncw",
    )  # fmt: skip


@operator(
    "conv2d_transpose_nchw",
    NUMBERS,
    "nn.conv2d_transpose_nchw(T(1, 3, 4, 4), T(3, 2, 3, 3), 2, 1, None, 1)",
    onnx="ConvTranspose",
    torch="conv_transpose2d",
)
def conv2d_transpose_nchw(
    Input: Tensor, Filter: Tensor, strides: Any, padding: Any, out_dtype: str | None,
    output_padding: Any, acc_dtype: str | None = None,
) -> Tensor:  # fmt: skip
    """(N, C, H, W) with (C, O, KH, KW)."""
    return _transposed(
        Input, Filter, strides, padding, out_dtype, acc_dtype, output_padding, 1, "HW",
        "conv2d_transpose_nchw",
    )  # fmt: skip


@operator(
    "group_conv2d_transpose_nchw",
    NUMBERS,
    "nn.group_conv2d_transpose_nchw(T(1, 4, 4, 4), T(4, 3, 3, 3), 2, 1, None, 0, 2)",
    onnx="ConvTranspose",
    torch="conv_transpose2d",
)
def group_conv2d_transpose_nchw(
    data: Tensor, kernel: Tensor, stride: Any, padding: Any, out_dtype: str | None,
    output_padding: Any, groups: int, acc_dtype: str | None = None,
) -> Tensor:  # fmt: skip
    """(N, C, H, W) with (C, O / groups, KH, KW)."""
    return _transposed(
        data, kernel, stride, padding, out_dtype, acc_dtype, output_padding, groups, "HW",
        "group_conv2d_transpose_nchw",
    )  # fmt: skip


@operator(
    "conv3d_transpose_ncdhw",
    NUMBERS,
    "nn.conv3d_transpose_ncdhw(T(1, 2, 3, 3, 3), T(2, 2, 2, 2, 2), 2, 0, None, 0)",
    onnx="ConvTranspose",
    torch="conv_transpose3d",
)
def conv3d_transpose_ncdhw(
    Input: Tensor, Filter: Tensor, strides: Any, padding: Any, out_dtype: str | None,
    output_padding: Any, acc_dtype: str | None = None,
) -> Tensor:  # fmt: skip
    """The transposed convolution of data (N, C, D, H, W) by a filter (C, O, KD, KH, KW)."""
    return _transposed(
        Input, Filter, strides, padding, out_dtype, acc_dtype, output_padding, 1, "DHW",
        "conv3d_transpose_ncdhw",
    )  # fmt: skip


for _function in (
    conv1d_transpose_ncw, conv2d_transpose_nchw, conv3d_transpose_ncdhw,
    group_conv2d_transpose_nchw,
):  # fmt: skip
    _function.__doc__ = f"{_function.__doc__}\n\n    {_MEANING}\n    "
