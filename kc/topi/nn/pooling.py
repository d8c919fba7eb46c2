"""Pooling over windows, and over bins of adaptive size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, as_expr, const
from kc.expr.constructors import cast as convert
from kc.expr.dtypes import is_float
from kc.expr.intrinsics import div
from kc.expr.reducers import min_value
from kc.expr.tags import ELEMWISE
from kc.expr.tensor import Tensor, reduce_axis
from kc.support.diagnostics import counted
from kc.te.computes import compute
from kc.topi.accumulation import Accumulation, accumulation, largest_integer
from kc.topi.arguments import constant, dim, over, plus, positive, product, times, word
from kc.topi.nn.padding import amounts, padded, window
from kc.topi.table import NUMBERS, operator, refuse

KINDS = ("max", "avg")
AXES = {"W": "one axis", "HW": "two axes", "DHW": "three axes"}
"""The pooled axes of a layout, in words."""


def pooled_axes(layout: Any, letters: str, ndim: int) -> tuple[int, ...]:
    """The axes of ``letters`` in a layout such as "NCHW16c" (KC2308).

    Each letter occurs once and is not split into blocks; other letters are ignored.
    """
    text, names, digits = layout if isinstance(layout, str) else "", [], ""
    valid = bool(text)
    for letter in text:
        if letter.isdigit():
            digits += letter
            continue
        valid = valid and letter.isascii() and letter.isalpha() and letter.islower() == bool(digits)
        names.append(letter)
        digits = ""
    split = [letter for letter in letters if letter.lower() in names]
    if not valid or digits or split or any(names.count(letter) != 1 for letter in letters):
        raise refuse(
            "KC2308",
            f"the layout {layout!r}",
            f"it must name each of {', '.join(letters)} once, and not in blocks",
            "NCHW, NHWC, NCHW16c" if letters == "HW" else f"NC{letters}",
        )
    if len(names) != ndim:
        raise refuse(
            "KC2308",
            f"the layout {layout!r} for {counted(ndim, 'dimension')}",
            f"it names {len(names)}",
        )
    return tuple(names.index(letter) for letter in letters)


def lowest(dtype: str) -> Expr:
    """The lower bound of all numbers of a type."""
    if is_float(dtype) and dtype != "float8_e4m3fn":
        return const(-math.inf, dtype)
    return min_value(dtype)


def _in_windows(
    data: Tensor,
    kernel: Any,
    stride: Any,
    dilation: Any,
    padding: Any,
    pool_type: str,
    ceil_mode: bool,
    layout: str,
    count_include_pad: bool,
    acc_dtype: str | None,
    letters: str,
) -> Tensor:
    word(pool_type, KINDS, "pool_type")
    axes, count = pooled_axes(layout, letters, data.ndim), len(letters)
    taps = positive(kernel, count, "kernel")
    steps = positive(stride, count, "stride")
    apart = positive(dilation, count, "dilation")
    heads, tails = amounts(padding, taps)
    sizes = [dim(data.shape[axis]) for axis in axes]
    outs = window_counts(data, axes, taps, steps, apart, heads, tails, ceil_mode)
    source = _around(data, axes, taps, steps, apart, heads, tails, outs, pool_type)
    loops = [reduce_axis((0, size), name=f"k{n}") for n, size in enumerate(taps)]
    shape = list(data.shape)
    for axis, size in zip(axes, outs, strict=True):
        shape[axis] = size

    def place(at: Sequence[Any]) -> list[Any]:
        moved = list(at)
        for axis, loop, step, gap in zip(axes, loops, steps, apart, strict=True):
            moved[axis] = at[axis] * step + loop * gap
        return moved

    if pool_type == "max":
        return compute(
            shape,
            lambda *at: scalar.max(source(*place(at)), axis=loops),
            "pool_max",
            tag="pool_max",
        )
    sums = _means(data.dtype, acc_dtype)
    wide = sums.within
    total = compute(
        shape,
        lambda *at: scalar.sum(convert(source(*place(at)), wide), axis=loops),
        "pool_sum",
        tag="pool_sum",
    )

    def taps_inside(at: Sequence[Any]) -> Any:
        counts = [
            tap_count(
                at[axis],
                sizes[n],
                taps[n],
                steps[n],
                apart[n],
                heads[n],
                tails[n],
                outs[n],
                count_include_pad,
            )  # fmt: skip
            for n, axis in enumerate(axes)
        ]
        return product(counts)

    def mean(*at: Any) -> Expr:
        divisor = taps_inside(at)
        if isinstance(divisor, int):
            divisor = const(divisor, wide)
        else:
            divisor = convert(scalar.max(divisor, const(1, divisor.dtype)), wide)
        return convert(div(total(*at), divisor), data.dtype)

    return compute(shape, mean, "pool_avg", tag=ELEMWISE)


def _means(dtype: str, acc_dtype: str | None) -> Accumulation:
    """The types of the sum of a window. An integer type may not hold the sum or the window's
    size.
    """
    return accumulation(dtype, acc_dtype, None, "" if is_float(dtype) else largest_integer(dtype))


def window_counts(
    data: Tensor,
    axes: Sequence[int],
    taps: Sequence[int],
    steps: Sequence[int],
    apart: Sequence[int],
    heads: Sequence[int],
    tails: Sequence[int],
    ceil_mode: bool,
) -> list[Any]:
    """The number of windows; with ``ceil_mode`` the last one may stick out, but begins inside."""
    sizes = [dim(data.shape[axis]) for axis in axes]

    def rounding(rest: Any, step: int) -> Any:
        return over(plus(rest, step - 1) if ceil_mode else rest, step)

    outs = window(sizes, taps, steps, apart, heads, tails, rounding, data)
    if ceil_mode:
        for n, (size, step) in enumerate(zip(sizes, steps, strict=True)):
            # (out - 1) * step < size + head
            most = plus(over(plus(size, heads[n] - 1), step), 1)
            outs[n] = min(constant(outs[n], "the number of windows in ceil_mode"), most)
    return outs


def _around(
    data: Tensor,
    axes: Sequence[int],
    taps: Sequence[int],
    steps: Sequence[int],
    apart: Sequence[int],
    heads: Sequence[int],
    tails: Sequence[int],
    outs: Sequence[Any],
    pool_type: str,
) -> Tensor:
    """The input, padded by the elements that windows read around it."""
    front, back = [0] * data.ndim, [0] * data.ndim
    for n, axis in enumerate(axes):
        size, out = dim(data.shape[axis]), outs[n]
        front[axis], back[axis] = heads[n], tails[n]
        if isinstance(out, int) and isinstance(size, int):
            needed = (out - 1) * steps[n] + (taps[n] - 1) * apart[n] + 1
            back[axis] = max(tails[n], needed - heads[n] - size)
        elif steps[n] > 1:
            back[axis] += steps[n] - 1
    value = lowest(data.dtype) if pool_type == "max" else const(0, data.dtype)
    return padded(data, front, back, value, "pad_temp")


def tap_count(
    at: Any,
    size: Any,
    taps: int,
    step: int,
    apart: int,
    head: int,
    tail: int,
    out: Any,
    include_pad: bool,
) -> Any:
    """The number of taps of the window at ``at`` in the tensor, or also in its padding."""
    end = plus(size, tail) if include_pad else size
    numbers = isinstance(out, int) and isinstance(size, int)
    reach = (out - 1) * step - head + (taps - 1) * apart if numbers else None
    in_front = include_pad or head == 0
    if in_front and reach is not None and reach < end:
        return taps
    start = at * step - head
    last = scalar.min(const(taps), over(as_expr(end) - start + (apart - 1), apart))
    if in_front:
        return scalar.max(last, const(0))
    first = scalar.max(const(0), over(const(apart - 1) - start, apart))
    return scalar.max(last - first, const(0))


_MEANING = """Windows of ``kernel`` taps, ``dilation`` apart, every ``stride``, of padded axes.

    ``padding`` is all heads, then all tails (or one number for all, or for each axis). "max" takes
    the largest, never a pad unless there is nothing else; "avg" the sum over the number of taps in
    the tensor and its padding, or in the tensor alone (at least 1) without ``count_include_pad``.
    ``ceil_mode`` adds a window that sticks out, if it begins inside. ``layout`` names the axes.
    Sums are made in ``acc_dtype``: of integers by default int64 (uint64 of that), of narrow floats
    float32, and are rounded once.
    Raises KC2306 for a stride, dilation or kernel below 1, KC2307 for a kernel larger than the
    padded input, KC2308 for a layout, KC2311 for a padding."""


def _pool(name: str, letters: str, example: str):
    """The operator that pools windows along the axes ``letters``."""

    def pool(
        data: Tensor,
        kernel: Any,
        stride: Any,
        dilation: Any,
        padding: Any,
        pool_type: str,
        ceil_mode: bool = False,
        layout: str = f"NC{letters}",
        count_include_pad: bool = True,
        acc_dtype: str | None = None,
    ) -> Tensor:
        return _in_windows(
            data, kernel, stride, dilation, padding, pool_type, ceil_mode, layout,
            count_include_pad, acc_dtype, letters,
        )  # fmt: skip

    pool.__name__ = pool.__qualname__ = name
    pool.__doc__ = (
        f"The largest, or the mean, of windows along {AXES[letters]}.\n\n    {_MEANING}\n    "
    )
    return operator("pool_max", NUMBERS, example, onnx="MaxPool", torch=f"max_{name}")(pool)


# fmt: off
pool1d = _pool("pool1d", "W", 'nn.pool1d(T(1, 2, 9), 3, 2, 1, (1, 1), "max")')
pool2d = _pool(
    "pool2d", "HW", 'nn.pool2d(T(1, 2, 6, 7), (2, 3), (2, 1), (1, 1), (0, 1, 0, 1), "avg")')
pool3d = _pool("pool3d", "DHW", 'nn.pool3d(T(1, 2, 4, 5, 6), 2, 2, 1, 0, "max")')
# fmt: on


def _in_bins(
    data: Tensor,
    output_size: Any,
    pool_type: str,
    layout: str,
    acc_dtype: str | None,
    letters: str,
) -> Tensor:
    word(pool_type, KINDS, "pool_type")
    axes = pooled_axes(layout, letters, data.ndim)
    outs = positive(output_size, len(letters), "output_size")
    sizes = [dim(data.shape[axis]) for axis in axes]
    shape = list(data.shape)
    loops, bins = [], []
    for n, (axis, out, size) in enumerate(zip(axes, outs, sizes, strict=True)):
        shape[axis] = out
        most = size
        if out > 1:
            size = constant(size, "a dimension that is pooled to more than 1")
            # A bin begins up to 1 - divisor / out behind a whole number, and is size / out long.
            rest, divisor = size % out, math.gcd(size, out)
            most = size // out + (0 if rest == 0 else 1 if rest == divisor else 2)
        loops.append(reduce_axis((0, most), name=f"k{n}"))
        bins.append((axis, out, size, out == 1 or (isinstance(size, int) and size % out == 0)))

    def edges(at: Any, out: int, size: Any, even: bool) -> tuple[Any, Any]:
        if out == 1:
            return 0, size
        if even:
            return at * (size // out), (at + 1) * (size // out)
        return at * size // out, ((at + 1) * size + (out - 1)) // out

    def term(at: Sequence[Any]) -> tuple[Expr, Expr | None]:
        place, where = list(at), None
        for loop, (axis, out, size, even) in zip(loops, bins, strict=True):
            start, end = edges(at[axis], out, size, even)
            place[axis] = loop if out == 1 else start + loop
            if not even:
                inside = start + loop < end
                where = inside if where is None else where & inside
        return data(*place), where

    def body(reducer: Any, dtype: str = data.dtype) -> Any:
        def reduced(*at: Any) -> Expr:
            value, where = term(at)
            return reducer(convert(value, dtype), axis=loops, where=where)

        return reduced

    if pool_type == "max":
        return compute(shape, body(scalar.max), "adaptive_pool_max", tag="adaptive_pool_max")
    sums = _means(data.dtype, acc_dtype)
    wide = sums.within
    total = compute(shape, body(scalar.sum, wide), "adaptive_pool_sum", tag="adaptive_pool_sum")

    def mean(*at: Any) -> Expr:
        count: Any = 1
        for axis, out, size, even in bins:
            start, end = edges(at[axis], out, size, even)
            share = size if out == 1 else size // out if even else end - start
            count = times(count, share)
        divisor = const(count, wide) if isinstance(count, int) else convert(count, wide)
        return convert(div(total(*at), divisor), data.dtype)

    return compute(shape, mean, "adaptive_pool_avg", tag=ELEMWISE)


_BINS = """Bin ``o`` of ``out`` covers ``floor(o * in / out)`` to ``ceil((o + 1) * in / out)``, so
    bins may overlap; a mean is over the bin's own size. Raises KC2306 for an output size below 1,
    KC2308 for a layout."""


@operator(
    "adaptive_pool_max", NUMBERS, 'nn.global_pool(T(1, 3, 4, 5), "avg")',
    onnx="GlobalAveragePool", torch="adaptive_avg_pool2d",
)  # fmt: skip
def global_pool(
    data: Tensor,
    pool_type: str,
    layout: str = "NCHW",
    acc_dtype: str | None = None,
) -> Tensor:
    """The largest, or the mean, of each channel: :func:`adaptive_pool` to 1 x 1."""
    return _in_bins(data, (1, 1), pool_type, layout, acc_dtype, "HW")


def _adaptive(name: str, letters: str, example: str):
    """The operator that pools bins along the axes ``letters``."""

    def pool(
        data: Tensor,
        output_size: Any,
        pool_type: str,
        layout: str = f"NC{letters}",
        acc_dtype: str | None = None,
    ) -> Tensor:
        return _in_bins(data, output_size, pool_type, layout, acc_dtype, letters)

    pool.__name__ = pool.__qualname__ = name
    pool.__doc__ = (
        f"The largest, or the mean, of ``output_size`` bins along {AXES[letters]}."
        f"\n\n    {_BINS}\n    "
    )
    torch = f"adaptive_avg_pool{len(letters)}d"
    return operator("adaptive_pool_max", NUMBERS, example, torch=torch)(pool)


# fmt: off
adaptive_pool1d = _adaptive(
    "adaptive_pool1d", "W", 'nn.adaptive_pool1d(T(1, 3, 7), 3, "max")')
adaptive_pool = _adaptive(
    "adaptive_pool", "HW", 'nn.adaptive_pool(T(1, 3, 7, 5), (3, 2), "avg")')
adaptive_pool3d = _adaptive(
    "adaptive_pool3d", "DHW", 'nn.adaptive_pool3d(T(1, 2, 4, 5, 3), 2, "avg")')
# fmt: on
