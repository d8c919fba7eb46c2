"""Padding and dilation, and their arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kc.expr.constructors import Expr, all_of, compare, if_then_else
from kc.expr.tags import INJECTIVE
from kc.expr.tensor import Tensor, shape_text
from kc.support.diagnostics import counted
from kc.te.computes import compute
from kc.topi.arguments import (
    constant,
    dim,
    guarded,
    inside,
    is_size,
    number,
    plus,
    positive,
    times,
    whole,
    word,
)
from kc.topi.gradients import scattered
from kc.topi.table import ANY, operator, refuse


def amounts(padding: Any, kernel: Sequence[Any], what: str = "padding") -> tuple[list[int], ...]:
    """The numbers of elements added before and after each axis.

    ``padding`` is an integer, one for each axis (both sides), two for each (all heads, then all
    tails), "VALID" for none or "SAME" for ``kernel - 1`` in sum, with the odd element in front.
    Raises KC2311 for anything else.
    """
    count = len(kernel)
    if isinstance(padding, str):
        if word(padding, ("VALID", "SAME"), what) == "VALID":
            return [0] * count, [0] * count
        totals = [constant(size, "the kernel") - 1 for size in kernel]
        return [(total + 1) // 2 for total in totals], [total // 2 for total in totals]
    if not isinstance(padding, list | tuple):
        return [whole(padding, what)] * count, [whole(padding, what)] * count
    numbers = [whole(item, what) for item in padding]
    if len(numbers) == 2 * count:
        return numbers[:count], numbers[count:]
    if len(numbers) not in (1, count):
        raise refuse(
            "KC2311",
            f"{what} has {counted(len(numbers), 'number')}: {tuple(numbers)}",
            f"it must be an integer, {count} integers for both sides, or {2 * count}: all "
            "heads, then "
            "all tails",
            '"SAME" and "VALID" are understood as well',
        )
    heads = numbers * count if len(numbers) == 1 else numbers
    return heads, list(heads)


def padded(
    data: Tensor,
    heads: Sequence[int],
    tails: Sequence[int],
    value: Any = 0,
    name: str = "PadInput",
    attrs: dict[str, Any] | None = None,
) -> Tensor:
    """``data`` with ``value`` around it; negative amounts crop. Nothing to do gives ``data``."""
    if not any((*heads, *tails)):
        return data
    shape = [
        plus(plus(size, head), tail)
        for size, head, tail in zip(data.shape, heads, tails, strict=True)
    ]
    if any(isinstance(size, int) and size < 0 for size in shape):
        raise refuse(
            "KC2314",
            f"{data.name} of the shape {shape_text(data.shape)} with {tuple(heads)} in front and "
            f"{tuple(tails)} behind",
            f"the result would have the shape {shape_text(shape)}",
        )
    fill = number(value, data.dtype)

    def body(*at: Any) -> Expr:
        place, conditions = [], []
        for axis, size, head, tail in zip(at, data.shape, heads, tails, strict=True):
            index = axis - head if head > 0 else axis + -head if head else axis
            place.append(index)
            if head > 0:
                conditions.append(axis >= head)
            if tail > 0:
                conditions.append(compare("lt", index, size))
        if not conditions:
            return data(*place)
        return if_then_else(all_of(*conditions), data(*place), fill)

    return compute(shape, body, name, tag=INJECTIVE, attrs=attrs)


def _per_dimension(value: Any, ndim: int, what: str) -> list[int]:
    numbers = value if isinstance(value, list | tuple) else (value,)
    if len(numbers) > ndim:
        raise refuse(
            "KC2311",
            f"{what} has {counted(len(numbers), 'number')}: {tuple(numbers)}",
            f"the tensor has {counted(ndim, 'dimension')}",
        )
    return [whole(item, what) for item in numbers] + [0] * (ndim - len(numbers))


@operator(
    INJECTIVE, ANY, "nn.pad(T(3, 4), (1, 0), (0, 2), 1.5)", numpy="pad", onnx="Pad", torch="pad"
)
def pad(
    data: Tensor,
    pad_before: Any,
    pad_after: Any = None,
    pad_value: Any = 0.0,
    name: str = "PadInput",
    attrs: dict[str, Any] | None = None,
) -> Tensor:
    """The tensor with ``pad_value`` added before and after its dimensions.

    Shorter lists leave the other dimensions unchanged; the default of ``pad_after`` is
    ``pad_before``. Negative amounts crop. Raises KC2311 for longer lists, KC2314 if an amount crops
    more than the size.
    """
    heads = _per_dimension(pad_before, data.ndim, "pad_before")
    tails = heads if pad_after is None else _per_dimension(pad_after, data.ndim, "pad_after")
    if not any((*heads, *tails)):
        return compute(data.shape, lambda *at: data(*at), name, tag=INJECTIVE, attrs=attrs)
    return padded(data, heads, tails, pad_value, name, attrs)


@operator(
    INJECTIVE, ANY, 'nn.mirror_pad(T(3, 4), (1, 2), (1, 0), "REFLECT")', numpy="pad", onnx="Pad",
    torch="pad",
)  # fmt: skip
def mirror_pad(
    data: Tensor, pad_before: Any, pad_after: Any = None, mode: str = "SYMMETRIC"
) -> Tensor:
    """The tensor, padded with its own elements, mirrored at its edges.

    "SYMMETRIC" repeats the edge, for amounts up to the size; "REFLECT" does not, for amounts below
    the size (KC2314).
    """
    word(mode, ("SYMMETRIC", "REFLECT"), "mode")
    heads = _per_dimension(pad_before, data.ndim, "pad_before")
    tails = heads if pad_after is None else _per_dimension(pad_after, data.ndim, "pad_after")
    symmetric = mode == "SYMMETRIC"
    for size, head, tail in zip(data.shape, heads, tails, strict=True):
        limit = constant(size, "a padded dimension") - (not symmetric) if head or tail else 0
        if not 0 <= min(head, tail) <= max(head, tail) <= limit:
            raise refuse(
                "KC2314",
                f"{data.name} of the shape {shape_text(data.shape)} with {tuple(heads)} in front "
                f"and {tuple(tails)} behind, mode {mode}",
                "a mirror can add at most the elements of the dimension"
                + ("" if symmetric else " without its edge"),
            )
    shape = [
        plus(plus(size, head), tail)
        for size, head, tail in zip(data.shape, heads, tails, strict=True)
    ]

    def at(axis: Any, size: Any, head: int, tail: int) -> Any:
        if not head and not tail:
            return axis
        from kc.expr.constructors import select

        index = axis - head
        front = (-1 - index) if symmetric else (0 - index)
        back = (2 * size - 1 - index) if symmetric else (2 * size - 2 - index)
        return select(index < 0, front, select(index >= size, back, index))

    def body(*axes: Any) -> Expr:
        return data(*map(at, axes, data.shape, heads, tails))

    return compute(shape, body, "MirrorPadInput", tag=INJECTIVE)


@operator(
    INJECTIVE, ANY, "nn.edge_pad(T(3, 4), (1, 2), (0, 3))", numpy="pad", onnx="Pad", torch="pad",
    gradient="own",
)  # fmt: skip
def edge_pad(data: Tensor, pad_before: Any, pad_after: Any = None) -> Tensor:
    """The tensor, padded with the elements at its edges.

    Amounts are those of :func:`pad`; negative ones crop. Raises KC2311 for longer lists, KC2314 if
    an amount crops more than the size, or if a padded dimension is empty.
    """
    heads = _per_dimension(pad_before, data.ndim, "pad_before")
    tails = heads if pad_after is None else _per_dimension(pad_after, data.ndim, "pad_after")
    shape = [
        plus(plus(size, head), tail)
        for size, head, tail in zip(data.shape, heads, tails, strict=True)
    ]
    for size, new, head, tail in zip(data.shape, shape, heads, tails, strict=True):
        is_empty = is_size(size, 0) and (head or tail)
        if is_empty or (isinstance(new, int) and new < 0):
            raise refuse(
                "KC2314",
                f"{data.name} of the shape {shape_text(data.shape)} with {tuple(heads)} in front "
                f"and {tuple(tails)} behind",
                "an empty dimension has no edge" if is_empty else
                f"that leaves the shape {shape_text(shape)}",
            )  # fmt: skip

    def body(*at: Any) -> Expr:
        places = [
            inside(axis - head, size) if head or tail else axis
            for axis, size, head, tail in zip(at, data.shape, heads, tails, strict=True)
        ]
        padded = [n for n in range(data.ndim) if heads[n] or tails[n]]
        return guarded(data, padded, lambda: data(*places))

    return scattered(compute(shape, body, "EdgePadInput", tag=INJECTIVE), data)


@operator(INJECTIVE, ANY, "nn.dilate(T(3, 4), (1, 2))")
def dilate(
    data: Tensor, strides: Any, dilation_value: Any = 0.0, name: str = "DilatedInput"
) -> Tensor:
    """The elements ``strides`` apart, with ``dilation_value`` between them.

    A dimension of ``n`` becomes ``(n - 1) * stride + 1``; 0 stays 0. Raises KC2306 for a stride
    below 1, KC2311 unless there is a stride for each dimension.
    """
    if not isinstance(strides, list | tuple) or len(strides) != data.ndim:
        raise refuse(
            "KC2311",
            f"strides is {strides} for {counted(data.ndim, 'dimension')}",
            "it must have a number for each dimension",
        )
    return dilated(
        data, positive(strides, data.ndim, "strides") if strides else (), dilation_value, name
    )


def dilated(
    data: Tensor, strides: Sequence[int], value: Any = 0.0, name: str = "DilatedInput"
) -> Tensor:
    """See :func:`dilate`."""
    shape = [
        size if stride == 1 or is_size(size, 0) else plus(times(plus(size, -1), stride), 1)
        for size, stride in zip(map(dim, data.shape), strides, strict=True)
    ]
    fill = number(value, data.dtype)

    def body(*at: Any) -> Expr:
        place = [
            axis // stride if stride > 1 else axis for axis, stride in zip(at, strides, strict=True)
        ]
        apart = [
            (axis % stride).equal(0) for axis, stride in zip(at, strides, strict=True) if stride > 1
        ]
        return if_then_else(all_of(*apart), data(*place), fill) if apart else data(*place)

    return compute(shape, body, name, tag=INJECTIVE)


def window(
    sizes: Sequence[Any],
    kernel: Sequence[Any],
    stride: Sequence[int],
    dilation: Sequence[int],
    heads: Sequence[int],
    tails: Sequence[int],
    rounding: Callable[[Any, int], Any],
    data: Tensor,
) -> list[Any]:
    """The number of windows along each axis. Raises KC2307 for a kernel that is larger than the
    data.
    """
    counts = []
    for n, (size, taps, step, apart) in enumerate(
        zip(sizes, kernel, stride, dilation, strict=True)
    ):
        length = plus(plus(size, heads[n]), tails[n])
        span = plus(times(plus(taps, -1), apart), 1)
        rest = length - span
        if isinstance(rest, int) and rest < 0:
            raise refuse(
                "KC2307",
                f"a kernel that spans {span} on {length}: {data.name} of the shape "
                f"{shape_text(data.shape)} with {heads[n]} in front and {tails[n]} behind",
                "the kernel, dilated, is larger than the padded input",
                "pad more, or use a smaller kernel",
            )
        counts.append(plus(rounding(rest, step), 1))
    return counts
