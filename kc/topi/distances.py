"""Distances of points: norms of the differences of rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, as_expr, compare, const, select
from kc.expr.constructors import cast as convert
from kc.expr.dtypes import FLOATS
from kc.expr.intrinsics import power
from kc.expr.tags import INJECTIVE
from kc.expr.tensor import Tensor, reduce_axis
from kc.te.computes import compute
from kc.topi.accumulation import Accumulation, accumulation
from kc.topi.arguments import constant, is_size, rank, same_size, tensor
from kc.topi.matrix import broadcast_batch
from kc.topi.table import operator, refuse
from kc.topi.tag import COMM_REDUCE

TYPES = tuple(FLOATS)


def _order(p: float) -> float:
    order = float(p)
    if not order >= 0:
        raise refuse("KC2317", f"p is {p}", "the order of a distance is at least 0, or infinity")
    return order


def _normed(
    shape: Any, length: Any, order: float, sums: Accumulation,
    difference: Callable[[Any, Any], Expr], name: str,
) -> Tensor:  # fmt: skip
    """The norms of ``difference`` of a place and an index along rows of ``length``."""
    if is_size(length, 0):
        return compute(shape, lambda *_: const(0, sums.result), name, tag=INJECTIVE)
    wide = sums.within
    zero, unit = const(0.0, wide), const(1.0, wide)
    k = reduce_axis((0, length), name="k")

    def body(*at: Any) -> Expr:
        apart = scalar.abs(difference(at, k))
        if order == math.inf:
            return scalar.max(apart, axis=k)
        if order == 0:
            return scalar.sum(select(compare("eq", apart, zero), zero, unit), axis=k)
        if order == 1:
            return scalar.sum(apart, axis=k)
        term = apart * apart if order == 2 else power(apart, const(order, wide))
        return scalar.sum(term, axis=k)

    total = compute(shape, body, f"{name}_sum", tag=COMM_REDUCE)

    def root(*at: Any) -> Expr:
        value = total(*at)
        if order == 2:
            value = scalar.sqrt(value)
        elif order not in (0, 1, math.inf):
            value = power(value, const(1.0 / order, wide))
        return convert(value, sums.result)

    return compute(shape, root, name, tag=INJECTIVE)


@operator(
    COMM_REDUCE, TYPES, "cdist(T(2, 4, 3), T(5, 3))", formula="sum(abs(x[i] - y[j])^p)^(1 / p)",
    torch="cdist",
)  # fmt: skip
def cdist(x: Tensor, y: Tensor, p: float = 2.0, acc_dtype: str | None = None) -> Tensor:
    """The distances (..., P, R) of the rows of ``x`` (..., P, M) and ``y`` (..., R, M).

    ``p`` is the order of the norm: 0 counts the differing elements, infinity takes the largest
    difference. Batches are broadcast. Differences are added up in ``acc_dtype``
    (:func:`kc.topi.accumulation.accumulation`). Raises KC2301 for different types, KC2302 for fewer
    than two dimensions, KC2303 for rows of different lengths, KC2317 for a negative order.
    """
    tensor(y, "y", None, (x.dtype,))
    for what, operand in (("x", x), ("y", y)):
        if operand.ndim < 2:
            rank(operand, what, 2, 3, 4)
    same_size(x, x.ndim - 1, y, y.ndim - 1, "the rows of both are equally long")
    batch, sums, order = broadcast_batch(x, y), accumulation(x.dtype, acc_dtype), _order(p)

    def element(operand: Tensor, at: Any, row: Any, k: Any) -> Expr:
        own = operand.shape[:-2]
        last = at[len(batch) - len(own) : len(batch)]
        place = [0 if is_size(size, 1) else n for size, n in zip(own, last, strict=True)]
        return sums.wide(operand(*place, row, k))

    def difference(at: Any, k: Any) -> Expr:
        return element(x, at, at[-2], k) - element(y, at, at[-1], k)

    shape = [*batch, x.shape[-2], y.shape[-2]]
    return _normed(shape, x.shape[-1], order, sums, difference, "T_cdist")


@operator(
    COMM_REDUCE, TYPES, "pdist(T(4, 3))", formula="sum(abs(x[i] - x[j])^p)^(1 / p), i < j",
    torch="pdist",
)  # fmt: skip
def pdist(x: Tensor, p: float = 2.0, acc_dtype: str | None = None) -> Tensor:
    """The distances (N * (N - 1) / 2,) of the pairs of rows of ``x`` (N, M), i < j, row-major.

    Orders and types are those of :func:`cdist`. Raises KC2302 unless there are two dimensions,
    KC2313 for a symbolic number of rows, KC2317 for a negative order.
    """
    tensor(x, "x", 2)
    count, sums, order = constant(x.shape[0], "the number of rows"), accumulation(
        x.dtype, acc_dtype
    ), _order(p)  # fmt: skip
    pairs = count * (count - 1) // 2

    def begin(row: Any) -> Expr:
        """The number of the first pair of a row."""
        row = convert(as_expr(row), "int64")
        return row * (2 * count - 1 - row) // 2

    r = reduce_axis((1, max(count - 1, 1)), name="r")

    def row_of(n: Any) -> Expr:
        """The number of rows that begin at a pair or before it, but the first."""
        return scalar.sum(convert(begin(r) <= convert(n, "int64"), "int64"), axis=r)

    rows = compute((pairs,), row_of, "pdist_rows", tag=COMM_REDUCE)

    def difference(at: Any, k: Any) -> Expr:
        (n,) = at
        first = scalar.max(
            scalar.min(rows(n), const(max(count - 2, 0), "int64")), const(0, "int64")
        )
        second = convert(n, "int64") - begin(first) + first + 1
        last = const(max(count - 1, 0), "int64")
        second = scalar.max(scalar.min(second, last), const(0, "int64"))
        return sums.wide(x(first, k)) - sums.wide(x(second, k))

    return _normed((pairs,), x.shape[1], order, sums, difference, "T_pdist")
