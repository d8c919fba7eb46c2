"""Loops, stores and conditions from Python values, with the checks that all builders share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kc.expr.buffers import Buffer
from kc.expr.constructors import (
    Const,
    Element,
    Expr,
    ExprLike,
    ExternCall,
    VectorLoad,
    as_expr,
    cast,
    const,
    walk,
)
from kc.expr.dtypes import INTS, UINTS, bits, is_float, lanes, scalar, vector_of, with_lanes
from kc.expr.slices import TensorSlice
from kc.expr.tensor import make_axis
from kc.support.diagnostics import Location, TEError
from kc.tir.stmt import For, Store, While


def store(
    place: Buffer | TensorSlice,
    index: ExprLike | tuple[ExprLike, ...],
    value: ExprLike,
    location: Location | None,
) -> Store:
    """``place[index] = value``. The value is converted as an operand of a sum: to a wider type, or
    from integer to float.

    Raises KC2103 for other conversions.
    """
    target = as_expr(place[index])  # KC2010 where indices are missing
    assert isinstance(target, Element | VectorLoad)
    return store_to(target, as_expr(value, scalar(target.dtype)), location)


def stores_of(
    buffer: Buffer, values: Sequence[int | float], location: Location | None
) -> list[Store]:
    """The statements that store numbers to all elements of a buffer of constant shape, in order."""
    stores: list[Store] = []
    for n, value in enumerate(values):
        place: list[int] = []
        rest = n
        for size in reversed(buffer.shape):
            place.insert(0, rest % int(size))
            rest //= int(size)
        number = value if is_float(buffer.dtype) else int(value)
        stores.append(store(buffer, tuple(place), number, location))
    return stores


def store_to(target: Element | VectorLoad, value: Expr, location: Location | None) -> Store:
    """The statement that stores ``value``, converted as in :func:`store`."""
    buffer = (target.element if isinstance(target, VectorLoad) else target).tensor
    assert isinstance(buffer, Buffer)
    if isinstance(value, Const):
        value = const(value.value, target.dtype)
    elif value.dtype != target.dtype:
        value = stored_as(value, buffer, location, lanes(target.dtype))
    return Store(location, target, value)


Buffer.store_to = staticmethod(store_to)


def stored_as(value: Expr, buffer: Buffer, location: Location | None, count: int = 1) -> Expr:
    """``value`` as ``count`` elements of ``buffer``; KC2103 where that may be another value."""
    source, target = scalar(value.dtype), scalar(buffer.dtype)
    same_kind = is_float(source) == is_float(target) and (source in UINTS) == (target in UINTS)
    holds = (
        source == "bool"
        or (is_float(target) and not is_float(source))
        or (same_kind and target != "bool" and bits(source) < bits(target))
        # An index is as wide as its values need, which is no business of the user's.
        or (source in INTS and target in INTS and _is_index(value))
    )
    if not holds or lanes(value.dtype) not in (1, count):
        raise TEError(
            "KC2103",
            f"a value of type {value.dtype} is stored to {buffer.name}, whose elements are "
            f"{buffer.dtype}",
            location=location,
            why=f"{buffer.dtype} cannot represent every value of {value.dtype}",
            hints=[f'convert it: (...).astype("{vector_of(buffer.dtype, value.dtype)}")'],
        )
    return cast(value, with_lanes(buffer.dtype, count))


def _is_index(value: Expr) -> bool:
    return not any(isinstance(part, Element) for part in walk(value))


LOOP_KINDS = {
    "serial": "serial",
    "parallel": "parallel",
    "vectorize": "vectorize",
    "vectorized": "vectorize",
    "unroll": "unroll",
    "unrolled": "unroll",
}
"""The kinds of loops, by TVM's names and the names of the IR."""


def counting_loop(
    name: str, begin: Any, end: Any, kind: str, location: Location | None, step: int = 1
) -> tuple[For, Expr]:
    """A loop over ``begin <= i < end`` (in steps), and its variable."""
    first, last = integer(begin, "the start", location), integer(end, "the end", location)
    extent: Any
    if isinstance(first, int) and isinstance(last, int):
        span = last - first if step > 0 else first - last
        extent = max(0, -(-span // abs(step)))
    else:
        span = last if isinstance(first, int) and first == 0 else as_expr(last) - first
        if step < 0:
            span = as_expr(first) - last
        extent = span if abs(step) == 1 else (span + (abs(step) - 1)) // abs(step)
    simple = isinstance(first, int) and step == 1
    axis = make_axis(name, extent, "spatial", location, first if isinstance(first, int) else 0)
    if not simple:
        axis = make_axis(name, extent, "spatial", location)
    loop = For(location, axis, extent, [], kind)
    variable: Expr = axis
    if step != 1:
        variable = axis * step
    if not simple:
        variable = variable + first
    return loop, variable


def integer(value: Any, what: str, location: Location | None) -> int | Expr:
    """An integer, as an int if it is constant. Raises KC2109 for other types."""
    expr = as_expr(value)
    if isinstance(expr, Const) and isinstance(expr.value, int) and expr.dtype != "bool":
        return int(expr.value)
    if is_float(expr.dtype) or expr.dtype == "bool" or lanes(expr.dtype) > 1:
        raise TEError(
            "KC2109",
            f"{what} of a loop has type {expr.dtype}",
            location=location,
            why="the bounds of a loop must be integers",
            hints=['(...).astype("int32")'],
        )
    return expr


def while_loop(what: str, condition: Expr, location: Location | None) -> While:
    """A ``while`` loop with an empty body.

    Raises KC2106 for an infinite loop: if nothing in the body can change the condition.
    """
    changes = (Element, VectorLoad, ExternCall)
    if not any(isinstance(part, changes) for part in walk(condition)):
        raise TEError(
            "KC2106",
            f"{what}: nothing can change the condition",
            location=location,
            why="the condition reads no memory, so it is always true or always false",
            hints=[
                "a condition on an element: while x[0] < n",
                "an if, for statements that run at most once",
            ],
        )
    return While(location, condition, [])
