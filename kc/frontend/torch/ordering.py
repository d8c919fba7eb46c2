"""Rules of operators that order elements. torch takes NaN for the largest number."""

from __future__ import annotations

from typing import Any

from kc import te, topi
from kc.expr.tensor import Tensor
from kc.frontend.torch.numerics import Output, converted
from kc.frontend.torch.rules import Unsupported, axis_of, number_of, rank_of, rule
from kc.te.elementwise import one_by_one


def _keys(x: Tensor) -> Tensor:
    """Integers in the order of floats, of which NaN is the largest; equal zeros stay equal.

    The bits of a non-negative float are in its order, those of a negative one in the opposite.
    """
    wide = converted(x, "float32") if x.dtype in ("float16", "bfloat16") else x
    dtype, largest = ("int64", 2**63 - 1) if wide.dtype == "float64" else ("int32", 2**31 - 1)
    above, zero = te.const(largest, dtype), te.const(0, dtype)

    def key(value: Any) -> Any:
        bits = te.reinterpret(dtype, value + te.const(0.0, wide.dtype))
        ordered = te.if_then_else(bits < zero, bits ^ above, bits)
        return te.if_then_else(te.isnan(value), above, ordered)

    return one_by_one("T_keys", key, wide)


def _ordered(x: Tensor, count: int, axis: int, ascends: bool, dtype: str) -> list[Tensor]:
    """The first elements in an order, and their places."""
    if count == 0:
        shape = [*x.shape[:axis], 0, *x.shape[axis + 1 :]]
        return [topi.full(shape, x.dtype, 0), topi.full(shape, dtype, 0)]
    if ascends or "float" not in x.dtype:
        return list(topi.topk(x, count, axis, "both", ascends, dtype))
    places = topi.topk(_keys(x), count, axis, "indices", False, dtype)
    return [topi.gather(x, axis, places), places]


@rule("sort")
def _sort(x: Tensor, axis: int = -1, descending: bool = False, *, node: Any) -> list[Tensor]:
    if not rank_of(x):
        return [topi.identity(x), topi.full((), node[1].dtype, 0)]
    axis = axis_of(axis, rank_of(x))
    size = x.shape[axis]
    if not isinstance(size, int):
        raise Unsupported("the order of a number of elements that the call alone knows")
    return _ordered(x, size, axis, not descending, node[1].dtype)


@rule("sort.stable")
def _sort_stably(
    x: Tensor, *_: Any, stable: bool | None = None, dim: int = -1, descending: bool = False,
    node: Any,
) -> list[Tensor]:  # fmt: skip
    return _sort(x, dim, descending, node=node)


@rule("topk")
def _topk(
    x: Tensor, k: int, axis: int = -1, largest: bool = True, sorted: bool = True, *, node: Any
) -> list[Tensor]:
    if not rank_of(x):
        return [topi.identity(x), topi.full((), node[1].dtype, 0)]
    return _ordered(x, k, axis_of(axis, rank_of(x)), not largest, node[1].dtype)


@rule("median", "median.dim")
def _median(
    x: Tensor, axis: int | None = None, keepdim: bool = False, *, node: Any
) -> Tensor | list[Tensor]:
    """The lower one of two elements in the middle, or NaN where there is one."""
    if axis is None:
        count: Any = 1
        for size in x.shape:
            count = count * size
        values, _ = _middle(topi.reshape(x, (count,)), 0, "int64")
        return topi.reshape(values, ())
    if not rank_of(x):
        return [topi.identity(x), topi.full((), node[1].dtype, 0)]
    results = _middle(x, axis_of(axis, rank_of(x)), node[1].dtype)
    return [topi.reshape(part, kind.shape) for part, kind in zip(results, node, strict=True)]


def _middle(x: Tensor, axis: int, dtype: str) -> list[Tensor]:
    size = x.shape[axis]
    if not isinstance(size, int) or not size:
        raise Unsupported(f"the median of {size} elements")
    ordered = _ordered(x, size, axis, True, dtype)

    def part(tensor: Tensor, place: int) -> Tensor:
        return topi.strided_slice(tensor, (place,), (place + 1,), axes=(axis,))

    middle = [part(tensor, (size - 1) // 2) for tensor in ordered]
    if "float" not in x.dtype:
        return middle
    is_nan = topi.isnan(part(ordered[0], size - 1))  # NaN is last
    first = topi.cast(topi.argmax(x, axis, True), dtype)  # that of the first NaN
    value = topi.where(is_nan, part(ordered[0], size - 1), middle[0])
    return [value, topi.where(is_nan, first, middle[1])]


@rule("histc")
def _histc(x: Tensor, bins: int = 100, low: Any = 0, high: Any = 0, *, node: Output) -> Tensor:
    """The numbers of elements in intervals of one length from ``low`` to ``high``, or from the
    smallest to the largest element where these are equal."""
    kind = node.dtype
    count: Any = 1
    for size in x.shape:
        count = count * size
    flat = converted(topi.reshape(x, (count,)), kind)
    if low == high:
        first, last = topi.min(flat, [0], True), topi.max(flat, [0], True)
        is_one, unit = topi.equal(first, last), te.const(1.0, kind)
        first, last = (
            topi.where(is_one, function(bound, unit), bound)
            for bound, function in ((first, topi.subtract), (last, topi.add))
        )
    else:
        first, last = (topi.full((1,), kind, bound) for bound in (low, high))
    width = topi.subtract(last, first)
    place = topi.divide(topi.multiply(topi.subtract(flat, first), number_of(bins, kind)), width)
    holds = topi.logical_and(topi.greater_equal(flat, first), topi.less_equal(flat, last))
    inside = topi.where(holds, place, te.const(0.0, kind))
    index = topi.minimum(topi.cast(topi.floor(inside), "int64"), te.const(bins - 1, "int64"))
    ones = topi.cast(holds, kind)
    return topi.scatter_add(topi.full((bins,), kind, 0), index, ones, axis=0)
