"""Parts of tensors that regular steps through their elements visit."""

from __future__ import annotations

from typing import Any

from kc.expr.constructors import Expr, as_expr, const
from kc.expr.constructors import cast as convert
from kc.expr.tags import INJECTIVE
from kc.expr.tensor import Tensor, check_shape, shape_text
from kc.support.diagnostics import counted
from kc.support.locations import caller_location
from kc.te.computes import compute
from kc.topi.arguments import axis_of, dim, plus, product, rank, surely_same, whole, wholes
from kc.topi.gradients import scattered
from kc.topi.shape import place_of
from kc.topi.table import ANY, operator, refuse


@operator(
    INJECTIVE, ANY, "diagonal(T(3, 4), 1)", numpy="diagonal", torch="diagonal",
)  # fmt: skip
def diagonal(data: Tensor, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Tensor:
    """A diagonal of the matrices in two axes, as the last axis of the result.

    ``offset`` is above the main diagonal if it is positive. Raises KC2302 for fewer than two
    dimensions, KC2304 for an axis that does not exist, KC2305 for equal axes.
    """
    if data.ndim < 2:
        rank(data, "data", 2, 3, 4)
    first, second = axis_of(axis1, data.ndim, "axis1"), axis_of(axis2, data.ndim, "axis2")
    if first == second:
        raise refuse("KC2305", f"axis1 and axis2 are both {axis1}", "a diagonal has two axes")
    shift = whole(offset, "offset")
    down, right = max(-shift, 0), max(shift, 0)
    rows, columns = plus(data.shape[first], -down), plus(data.shape[second], -right)
    if isinstance(rows, int) and isinstance(columns, int):
        length: Any = max(min(rows, columns), 0)
    elif surely_same(data.shape[first], data.shape[second]):
        length = columns if shift > 0 else rows
    else:
        raise refuse(
            "KC2313",
            f"the diagonal of matrices of the shape "
            f"{shape_text((data.shape[first], data.shape[second]))}",
            "its length is the smaller of two sizes, which must be known when the program is built",
            "two equal sizes may be symbols",
        )
    rest = [size for n, size in enumerate(data.shape) if n not in (first, second)]

    def body(*at: Any) -> Expr:
        place = dict(zip((n for n in range(data.ndim) if n not in (first, second)), at[:-1],
                         strict=True))  # fmt: skip
        place[first] = at[-1] + down if down else at[-1]
        place[second] = at[-1] + right if right else at[-1]
        return data(*(place[n] for n in range(data.ndim)))

    return compute([*rest, length], body, "T_diagonal", tag=INJECTIVE)


@operator(
    INJECTIVE, ANY, "as_strided(T(3, 4), (2, 3), (4, 1), 1)",
    numpy="lib.stride_tricks.as_strided", torch="as_strided", gradient="own",
)  # fmt: skip
def as_strided(data: Tensor, shape: Any, strides: Any, offset: int = 0) -> Tensor:
    """The tensor of ``shape`` whose element at ``i`` has the row-major number ``offset +
    sum(i * strides)`` in the data.

    Strides count elements. Raises KC2311 for lists of different lengths, KC2317 for numbers outside
    of the data.
    """
    dims = [dim(size) for size in check_shape(shape, "as_strided", caller_location())]
    listed = strides if isinstance(strides, list | tuple) else [strides]
    if len(listed) != len(dims):
        raise refuse(
            "KC2311",
            f"strides has {counted(len(listed), 'number')} for the shape {shape_text(dims)}",
            "there is one for each dimension",
        )
    steps, start = (
        wholes(list(listed), len(dims), "strides") if dims else (),
        whole(offset, "offset"),
    )
    count = product(data.shape)
    if all(isinstance(size, int) for size in (*dims, count)):
        spans = [(size - 1) * step for size, step in zip(dims, steps, strict=True)]
        low = start + sum(span for span in spans if span < 0)
        high = start + sum(span for span in spans if span > 0)
        if 0 not in dims and (low < 0 or high >= count):
            raise refuse(
                "KC2317",
                f"the elements {low} to {high} of {data.name} of the shape "
                f"{shape_text(data.shape)}",
                f"its elements are numbered from 0 to {count - 1}",
            )

    def body(*at: Any) -> Expr:
        number: Expr = const(start, "int64")
        for place, step in zip(at, steps, strict=True):
            number = number + convert(as_expr(place), "int64") * step
        if not data.ndim:
            return data()
        return data(*place_of(number, data.shape))

    return scattered(compute(dims, body, "T_as_strided", tag=INJECTIVE), data)
