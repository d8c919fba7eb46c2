"""Reductions over axes; numpy's arguments."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, compare, const, select
from kc.expr.dtypes import FLOATS, bits, is_float
from kc.expr.intrinsics import isnan
from kc.expr.reducers import known_reducer, max_value, min_value, reduction
from kc.expr.tensor import Tensor, reduce_axis
from kc.te.computes import compute
from kc.topi.accumulation import accumulation
from kc.topi.arguments import axes_of, is_size
from kc.topi.table import BOOL, INTEGERS, NUMBERS, OF_PLACES, OF_TRUTHS, WORDS, operator, refuse
from kc.topi.tag import COMM_REDUCE, COMM_REDUCE_IDX, INJECTIVE


def reduced(
    data: Tensor,
    axis: Any,
    keepdims: bool,
    reducer: Callable[..., Any],
    name: str,
    term: Callable[[Expr], Expr] = lambda value: value,
    tag: str = COMM_REDUCE,
) -> Tensor:
    """``reducer`` of ``term`` of the elements along some axes; of no axes, the term itself. Both
    are in the type of the term."""
    axes = axes_of(axis, data.ndim, twice=True)
    shape = [
        1 if n in axes else size for n, size in enumerate(data.shape) if keepdims or n not in axes
    ]
    if not axes:
        return compute(shape, lambda *place: term(data(*place)), name, tag=INJECTIVE)
    loops = [reduce_axis((0, data.shape[n]), name=f"k{n}") for n in axes]

    def body(*place: Any) -> Any:
        outer = iter(place if not keepdims else [at for n, at in enumerate(place) if n not in axes])
        inner = iter(loops)
        at = [next(inner) if n in axes else next(outer) for n in range(data.ndim)]
        return reducer(term(data(*at)), axis=loops)

    return compute(shape, body, name, tag=tag)


def _reduction(
    name: str,
    reducer: Callable[..., Any],
    types: tuple[str, ...],
    meaning: str,
    onnx: str = "",
    gradient: str = "te",
) -> Callable[..., Tensor]:
    """Create the operator of a reducer."""

    def plain(data: Tensor, axis: Any = None, keepdims: bool = False) -> Tensor:
        return reduced(data, axis, keepdims, reducer, f"{data.name}_{name}")

    def accumulating(
        data: Tensor, axis: Any = None, keepdims: bool = False, acc_dtype: str | None = None
    ) -> Tensor:
        return _accumulated(data, axis, keepdims, reducer, f"{data.name}_{name}", acc_dtype)

    function = accumulating if name in ("sum", "prod") else plain
    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"{meaning}\n\n    ``axis``: None is all, else one or several, negative ones from the end; "
        "one that is given\n    twice counts once. ``keepdims`` leaves dimensions of 1. The type "
        "is that of ``data``.\n    Raises KC2304 for an axis that is not there.\n    "
    )
    dtype = ', dtype="bool"' if types == BOOL else ""
    enter = operator(
        COMM_REDUCE, types, f"{name}(T(4, 3, 5{dtype}), axis=(0, 2))", numpy=name, onnx=onnx,
        torch=f"a{name}" if name in ("min", "max") else name, gradient=gradient,
        formula=f"{name} over the axes",
    )  # fmt: skip
    return enter(function)


def _accumulated(
    data: Tensor,
    axis: Any,
    keepdims: bool,
    reducer: Callable[..., Any],
    name: str,
    acc_dtype: str | None,
) -> Tensor:
    """:func:`reduced` in the type ``acc_dtype``, rounded once to the type of the elements."""
    if not axes_of(axis, data.ndim, twice=True):
        return reduced(data, axis, keepdims, reducer, name)
    sums = accumulation(data.dtype, acc_dtype)
    return sums.rounded(reduced(data, axis, keepdims, reducer, name, sums.wide))


def _bool_reducer(name: str, combine: Callable[..., Expr], start: bool) -> Callable[..., Any]:
    return known_reducer(lambda x, y: combine(x, y), lambda _: const(start), name=name)


_ADDED = """Integers wrap
    around. It is made in ``acc_dtype``, which is float32 for narrower floats and else the type of
    the elements, and is rounded once."""


sum = _reduction(  # noqa: A001
    "sum", scalar.sum, NUMBERS, f"The sum, in the type of the elements; of nothing, 0. {_ADDED}",
    "ReduceSum",
)  # fmt: skip
prod = _reduction(
    "prod", reduction("prod"), NUMBERS, "The product, in the type of the elements; of nothing, 1. "
    f"{_ADDED}", "ReduceProd",
)  # fmt: skip
max = _reduction(  # noqa: A001
    "max", scalar.max, NUMBERS, "The largest; NaN if one is. Of nothing, -infinity, of integers "
    "the lowest one.", "ReduceMax",
)  # fmt: skip
min = _reduction(  # noqa: A001
    "min", scalar.min, NUMBERS, "The smallest; NaN if one is. Of nothing, infinity, of integers "
    "the highest one.", "ReduceMin",
)  # fmt: skip
all = _reduction(  # noqa: A001
    "all", _bool_reducer("all", lambda x, y: x & y, True), BOOL, "Whether all hold; of nothing, "
    "true.", gradient=OF_TRUTHS,
)  # fmt: skip
any = _reduction(  # noqa: A001
    "any", _bool_reducer("any", lambda x, y: x | y, False), BOOL, "Whether one holds; of nothing, "
    "false.", gradient=OF_TRUTHS,
)  # fmt: skip


NOTHING = 2**31 - 1
"""The index in the identity of :func:`first_of`: the result without elements."""


def first_of(largest: bool, last: bool, dtype: str) -> Callable[..., Any]:
    """The reducer of (index, value): the better value; of equal values the first or last index.

    NaN is better than any number. The index of the identity, ``NOTHING``, or -1 for the last, loses
    to all equally good values, so that it needs no separate test, which would run for each term.
    """

    def combine(x: Any, y: Any) -> tuple[Expr, Expr]:
        earlier = compare("gt" if last else "lt", x[0], y[0])
        takes = compare("gt" if largest else "lt", x[1], y[1])
        takes = takes | (compare("eq", x[1], y[1]) & earlier)
        if is_float(dtype):
            takes = takes | (isnan(x[1]) & (~isnan(y[1]) | earlier))
        return select(takes, x[0], y[0]), select(takes, x[1], y[1])

    def identity(index: str, value: str) -> tuple[Expr, Expr]:
        worst = (min_value if largest else max_value)(value)
        if is_float(value) and value != "float8_e4m3fn":
            worst = const(float("-inf") if largest else float("inf"), value)
        return const(-1 if last else NOTHING, index), worst

    return known_reducer(combine, identity, name="argmax" if largest else "argmin")


def _arg(data: Tensor, axis: Any, keepdims: bool, last: bool, largest: bool) -> Tensor:
    axes = axes_of(axis, data.ndim, twice=True)
    name = "argmax" if largest else "argmin"
    if builtins.any(is_size(data.shape[n], 0) for n in axes):
        raise refuse(
            "KC2316",
            f"the place of the {'largest' if largest else 'smallest'} of nothing",
            f"{data.name} has no elements along the axes {axes}",
        )
    shape = [
        1 if n in axes else size for n, size in enumerate(data.shape) if keepdims or n not in axes
    ]
    if not axes:
        return compute(shape, lambda *_: const(0, "int32"), f"{data.name}_{name}", tag=INJECTIVE)
    if axes == (data.ndim - 1,) and _is_short_row(data):
        return _place_in_row(data, shape, keepdims, last, largest)
    loops = [reduce_axis((0, data.shape[n]), name=f"k{n}") for n in axes]
    flat: Expr = const(0)
    for loop, n in zip(loops, axes, strict=True):
        flat = loop if n == axes[0] else flat * data.shape[n] + loop
    reducer = first_of(largest, last, data.dtype)
    # Indices are as wide as wide values: the same masks then select lanes of both.
    width = "int64" if bits(data.dtype) > 32 else "int32"

    def body(*place: Any) -> Any:
        outer = iter(place if not keepdims else [at for n, at in enumerate(place) if n not in axes])
        inner = iter(loops)
        at = [next(inner) if n in axes else next(outer) for n in range(data.ndim)]
        return reducer((flat.astype(width), data(*at)), axis=loops)

    indices, _ = compute(shape, body, f"{data.name}_{name}_pairs", tag=COMM_REDUCE_IDX)

    def index(*at: Any) -> Expr:
        best = indices(*at).astype("int32")
        if last or builtins.all(isinstance(data.shape[n], int) for n in axes):
            return best
        return select(best.equal(NOTHING), const(-1), best)

    return compute(shape, index, f"{data.name}_{name}", tag=COMM_REDUCE)


SHORT_ROW = 1 << 9
"""The elements of a row that is read twice. That is faster than combining pairs of index and value
in all lanes of a few vectors, which takes two or more comparisons for each halving.
"""


def _is_short_row(data: Tensor) -> bool:
    size = data.shape[-1]
    return isinstance(size, int) and size <= SHORT_ROW and data.dtype in (*WORDS, *INTEGERS)


def _place_in_row(
    data: Tensor, shape: list[Any], keepdims: bool, last: bool, largest: bool
) -> Tensor:
    """The position of the largest or smallest element of each row, or of its NaN: the first or last
    equal element. Two reductions of scalars compute it, whose lanes are combined fast.
    """
    name = f"{data.name}_{'argmax' if largest else 'argmin'}"
    best = reduced(data, -1, keepdims, scalar.max if largest else scalar.min, f"{name}_value")
    k = reduce_axis((0, data.shape[-1]), name=f"k{data.ndim - 1}")

    def body(*place: Any) -> Any:
        value = data(*place[: data.ndim - 1], k)
        is_it = compare("eq", value, best(*place))
        if is_float(data.dtype):
            is_it = is_it | isnan(value)
        index = select(is_it, k.astype("int32"), const(-1 if last else NOTHING))
        return (scalar.max if last else scalar.min)(index, axis=k)

    return compute(shape, body, name, tag=COMM_REDUCE)


_ARG_TYPES = (*FLOATS, *NUMBERS[len(FLOATS) :])


@operator(
    COMM_REDUCE, _ARG_TYPES, "argmax(T(4, 5), axis=1)", formula="the place of the maximum",
    numpy="argmax", onnx="ArgMax", torch="argmax", gradient=OF_PLACES,
)  # fmt: skip
def argmax(
    data: Tensor, axis: Any = None, keepdims: bool = False, select_last_index: bool = False
) -> Tensor:
    """The position of the largest element, as int32; the first of equal ones.

    Over several axes, or None for all, it is the row-major index over these axes. The first NaN is
    larger than any number. ``select_last_index`` selects the last of equal elements. Raises KC2304
    for an axis that does not exist, KC2316 for an empty reduction.
    """
    return _arg(data, axis, keepdims, select_last_index, largest=True)


@operator(
    COMM_REDUCE, _ARG_TYPES, "argmin(T(4, 5), axis=1)", formula="the place of the minimum",
    numpy="argmin", onnx="ArgMin", torch="argmin", gradient=OF_PLACES,
)  # fmt: skip
def argmin(
    data: Tensor, axis: Any = None, keepdims: bool = False, select_last_index: bool = False
) -> Tensor:
    """The place of the smallest element, as int32; see :func:`argmax`."""
    return _arg(data, axis, keepdims, select_last_index, largest=False)


def summed(data: Tensor, name: str) -> Tensor:
    """The sum of all elements, for operators that need one."""
    return _accumulated(data, None, False, scalar.sum, name, None)
