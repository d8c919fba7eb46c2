"""Elements placed by several indices, by a mask, or combined with those that are there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, all_of, as_expr, const, select
from kc.expr.constructors import cast as convert
from kc.expr.dtypes import is_float
from kc.expr.intrinsics import div
from kc.expr.reducers import max_value, min_value
from kc.expr.tags import INJECTIVE
from kc.expr.tensor import Tensor, shape_text
from kc.support.diagnostics import counted
from kc.te.computes import compute
from kc.te.elementwise import Broadcast
from kc.topi.arguments import axis_of, index_tensor, inside, is_size, listed, product, tensor, word
from kc.topi.broadcast import broadcast_to
from kc.topi.elementwise import full
from kc.topi.gathering import at_broadcast
from kc.topi.gradients import scattered
from kc.topi.loops import written
from kc.topi.scanning import cumsum
from kc.topi.scattering import (
    MODES,
    checked_axis,
    no_updates,
    scatter,
    scatter_nd,
    scattered_along,
    target_of,
    with_gradients,
)
from kc.topi.shape import reshape
from kc.topi.table import ANY, NUMBERS, check_tensor, operator, refuse


@operator(
    "scatter", ANY, 'index_put(T(4, 5), [T(3, dtype="int32"), T(2, 1, dtype="int32")], T(2, 3))',
    torch="index_put", gradient="own",
)  # fmt: skip
def index_put(
    data: Tensor, indices: Sequence[Tensor], values: Tensor, axes: Any = None,
    accumulate: bool = False,
) -> Tensor:  # fmt: skip
    """The data after ``data[indices] = values``, or ``data[indices] += values``, as torch's.

    The indices are broadcast together; each counts the places of its axis in ``axes``, by default
    the first ones. ``values`` is broadcast to the indexed part: the axes of the indices stand where
    the indexed axes are if these are neighbours, else in front. A negative index counts from the
    end; one outside is left out. Of equal indices the last one wins, or all are added in order with
    ``accumulate``. Raises KC2301 for values of another type, and for sums of bool; KC2303 for
    values that cannot be broadcast, KC2304, KC2305 and KC2311 for axes.
    """
    tensor(values, "values", None, (data.dtype,))
    if accumulate:
        check_tensor(data, "the data that values are added to", NUMBERS)
    numbers = list(range(len(indices))) if axes is None else listed(axes, "axes")
    if len(numbers) != len(indices) or len(indices) > data.ndim:
        raise refuse(
            "KC2311",
            f"{counted(len(indices), 'index', 'indices')} for "
            f"{counted(len(numbers), 'axis', 'axes')} of {data.name} of the shape "
            f"{shape_text(data.shape)}",
            "there is one for each indexed axis",
        )
    numbers = [axis_of(axis, data.ndim) for axis in numbers]
    if len({*numbers}) != len(numbers):
        raise refuse("KC2305", f"the axes {tuple(numbers)}", "an axis is named once")
    for n, index in enumerate(indices):
        index_tensor(index, f"index {n}")
    places = Broadcast.of(*indices)
    depth, first = len(places.shape), min(numbers)
    is_together = sorted(numbers) == list(range(first, first + len(numbers)))
    front = first if is_together else 0
    free_axes = [n for n in range(data.ndim) if n not in numbers]
    shape = [data.shape[n] for n in free_axes]
    shape[front:front] = places.shape
    updates = broadcast_to(values, shape)

    def place(at: Sequence[Any], index_at: Any) -> tuple[list[Any], list[Expr]]:
        """The place in the data of the update at ``at``, and the conditions that it is inside."""
        of_index = at[front : front + depth]
        target: dict[int, Any] = dict(
            zip(free_axes, [*at[:front], *at[front + depth :]], strict=True)
        )
        holds: list[Expr] = []
        for n, axis in enumerate(numbers):
            target[axis], holds_here = target_of(index_at(n, of_index), data.shape[axis])
            holds.append(holds_here)
        return [target[n] for n in range(data.ndim)], holds

    def body(loops: Any) -> None:
        source, news, *buffers = loops.ins
        (result,) = loops.outs
        loops.nest(data.shape, lambda *at: result.__setitem__(at, source[at]), "c")

        def index_at(n: int, at: Sequence[Any]) -> Expr:
            own = at[depth - indices[n].ndim :]
            sizes = indices[n].shape
            return buffers[n][
                tuple(0 if is_size(size, 1) else k for size, k in zip(sizes, own, strict=True))
            ]

        def visit(*at: Any) -> None:
            target, holds = place(at, index_at)
            with loops.ib.if_scope(all_of(*holds)):
                mode = "add" if accumulate else "update"
                result[tuple(target)] = MODES[mode](result[tuple(target)], news[at])

        loops.nest(shape, visit)

    name = "index_put"
    result = written(name, [data.shape], [data.dtype], [data, updates, *indices], body)[0]
    result.op.agreeing += places.agreeing

    def place_in_data(at: Sequence[Any]) -> tuple[list[Any], list[Expr]]:
        return place(at, lambda n, own: at_broadcast(indices[n], own))

    def last(numbers_of: Tensor) -> Tensor:
        return index_put(no_updates(data), indices, numbers_of, axes)

    mode = "add" if accumulate else "update"
    return with_gradients(result, data, updates, mode, place_in_data, last)


def _identity(mode: str, dtype: str) -> Any:
    """The value that changes no element in a mode of :func:`scatter_reduce`."""
    if mode in ("amax", "amin"):
        if is_float(dtype) and dtype != "float8_e4m3fn":
            return float("-inf" if mode == "amax" else "inf")
        return (min_value if mode == "amax" else max_value)(dtype).value
    return 1 if mode == "prod" else 0


_OF_ND = {"prod": "mul", "amax": "max", "amin": "min"}
"""The modes that are those of :func:`scatter_nd`."""


@operator(
    "scatter", NUMBERS, 'scatter_reduce(T(4, 3), T(2, 3, dtype="int32"), T(2, 3), 0, "amax")',
    onnx="ScatterElements", torch="scatter_reduce", gradient="own",
)  # fmt: skip
def scatter_reduce(
    data: Tensor, indices: Tensor, updates: Tensor, axis: int = 0, mode: str = "sum",
    include_self: bool = True,
) -> Tensor:  # fmt: skip
    """The data whose elements at ``indices`` along an axis are combined with ``updates``.

    ``mode``: "sum", "prod", "mean" (of integers rounded down), "amax" or "amin", which are NaN if a
    term is. Without ``include_self`` the data's own element is no term where there is an update. A
    negative index counts from the end; one outside is left out. Shapes are those of
    :func:`scatter`. Raises KC2312 for another mode.
    """
    word(mode, ("sum", "prod", "mean", "amax", "amin"), "mode")
    number = checked_axis(data, indices, updates, axis)
    kind = data.dtype
    start = data
    if not include_self:
        start = scatter(data, indices, full(updates.shape, kind, _identity(mode, kind)), number)
    if mode not in _OF_ND:
        total = scattered_along(start, indices, updates, number, "add", "scatter_reduce")
        return _divided(total, indices, number, include_self) if mode == "mean" else total

    def coordinate(n: Any, *at: Any) -> Expr:
        index = indices(*at)
        if index.dtype == "uint64":  # from 2^63 on it is outside, and no negative number
            index = scalar.min(index, const(2**63 - 1, "uint64"))
        places = [convert(as_expr(place), "int64") for place in at]
        places[number] = convert(index, "int64")
        value = places[0]
        for axis, place in enumerate(places[1:], 1):
            value = select(n.equal(axis), place, value)
        return value

    shape = (data.ndim, *indices.shape)
    places = compute(shape, coordinate, "places", tag=INJECTIVE)
    return scatter_nd(start, places, updates, _OF_ND[mode])


def _divided(total: Tensor, indices: Tensor, axis: int, include_self: bool) -> Tensor:
    """Sums over the number of their terms, of integers rounded down."""
    kind = "int64"
    own = full(total.shape, kind, int(include_self))
    counts = scattered_along(own, indices, full(indices.shape, kind, 1), axis, "add", "counts")

    def body(*at: Any) -> Expr:
        count = convert(scalar.max(counts(*at), const(1, kind)), total.dtype)
        value = total(*at)
        return div(value, count) if is_float(total.dtype) else scalar.floordiv(value, count)

    return compute(total.shape, body, "scatter_mean", tag=INJECTIVE)


@operator(
    "scatter", ANY, 'masked_scatter(T(3, 4), T(3, 1, dtype="bool"), T(12))', numpy="place",
    torch="masked_scatter", gradient="own",
)  # fmt: skip
def masked_scatter(data: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """The data with the elements of ``source`` in order, row-major, where the mask holds.

    The mask is broadcast to the data. Where the source has no more elements, those of the data
    stay. Raises KC2301 for a mask that is not bool, or a source of another type; KC2303 for a mask
    that cannot be broadcast.
    """
    tensor(mask, "mask", None, ("bool",))
    tensor(source, "source", None, (data.dtype,))
    holds = broadcast_to(mask, data.shape)
    length = product(source.shape)
    if not data.ndim:
        return reshape(masked_scatter(reshape(data, (1,)), reshape(holds, (1,)), source), ())
    if is_size(length, 0):
        return compute(data.shape, lambda *at: data(*at), "masked_scatter", tag=INJECTIVE)
    flags = compute(holds.shape, lambda *at: convert(holds(*at), "int64"), "flags", tag=INJECTIVE)
    numbers = reshape(cumsum(flags, None, None, True), data.shape)
    flat = reshape(source, (-1,)) if source.ndim != 1 else source

    def body(*at: Any) -> Expr:
        number = numbers(*at)
        is_taken = all_of(holds(*at), number < convert(as_expr(length), "int64"))
        return select(is_taken, flat(inside(number, length)), data(*at))

    return scattered(compute(data.shape, body, "masked_scatter", tag=INJECTIVE), flat)
