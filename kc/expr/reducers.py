"""Reductions: the named ones, and those with user-defined combiners."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol

from kc.expr.constructors import (
    CommReducer,
    Const,
    Element,
    Expr,
    ExprLike,
    IterVar,
    Reduce,
    Var,
    as_expr,
    binary,
    condition_of,
    const,
    walk,
)
from kc.expr.dtypes import check_dtype, integer_limits, is_bool, is_float, scalar
from kc.expr.rewrite import Substitution
from kc.support.diagnostics import Location, TEError, counted
from kc.support.float_formats import largest_float, upper_limit
from kc.support.function_holders import FunctionHolder
from kc.support.locations import caller_location


def max_value(dtype: str) -> Const:
    """The largest finite value of ``dtype``."""
    dtype = check_dtype(dtype, vectors=True)
    if is_float(dtype):
        return const(largest_float(scalar(dtype)), dtype)
    return const(integer_limits(dtype)[1], dtype)


def min_value(dtype: str) -> Const:
    """The lowest finite value of ``dtype``."""
    dtype = check_dtype(dtype, vectors=True)
    if is_float(dtype):
        return const(-largest_float(scalar(dtype)), dtype)
    return const(integer_limits(dtype)[0], dtype)


def identity(reduce: Reduce) -> tuple[Const, ...]:
    """The identity values of the combiner of ``reduce``."""
    combiner, dtype = reduce.combiner, reduce.dtype
    if isinstance(combiner, CommReducer):
        return combiner.identity
    if combiner in ("sum", "prod"):
        return (const(0 if combiner == "sum" else 1, dtype),)
    if is_float(dtype):
        top = upper_limit(scalar(dtype))
        return (const(top if combiner == "min" else -top, dtype),)
    return (max_value(dtype) if combiner == "min" else min_value(dtype),)


def reduction(combiner: str) -> Callable[..., Any]:
    """The Python function of a reducer: ``te.sum(expr, axis=k)``."""

    def reduce(
        expr: ExprLike, axis: Any = None, where: Any = None, init: Any = None, *more: Any
    ) -> Expr:
        if axis is not None and combiner != "sum" and not _is_axes(axis):
            # te.max(a, b, c): the largest of its arguments, as in TVM.
            result = as_expr(expr)
            for operand in (axis, where, init, *more):
                result = result if operand is None else binary(combiner, result, operand)
            return result
        location = caller_location()
        name = f"te.{combiner}"
        axes = _axes(name, axis, location)
        value = as_expr(expr)
        if is_bool(value.dtype) and combiner in ("sum", "prod"):
            raise TEError(
                "KC2006",
                f"{combiner} of bool values",
                location=location,
                hints=['convert to a number: x.astype("int32")'],
            )
        condition = _condition(name, where, location)
        start = _start(name, init, (value,), axes, location)
        return Reduce(combiner, (value,), axes, value.dtype, location, 0, condition, start)

    reduce.__module__, reduce.__name__, reduce.__qualname__ = "kc.te", combiner, combiner
    reduce.__doc__ = (
        f"Reduce an expression with {combiner} over one or more reduction axes, from ``init`` on; "
        "terms for which ``where`` does not hold are left out."
    )
    return reduce


class _OfAllTypes(Protocol):
    """A function of any number of element types."""

    def __call__(self, *dtypes: str) -> Any: ...


IdentityFunction = (
    _OfAllTypes
    | Callable[[str], Any]
    | Callable[[str, str], Any]
    | Callable[[str, str, str], Any]
    | Callable[[str, str, str, str], Any]
)
"""A function of the element types; the union gives type checkers the parameters of a lambda."""


def comm_reducer(
    fcombine: Callable[[Any, Any], Any],
    fidentity: IdentityFunction,
    name: str = "reduce",
    *,
    unsafe: bool = False,
) -> Callable[..., Any]:
    """A reduction with a user-defined combiner.

    ``fcombine(x, y)`` combines two values, or two tuples of values; ``fidentity(dtype, ...)``
    returns the identity value or tuple. The combiner must be associative and commutative, for
    floats up to rounding. When the compute is lowered, these laws are proven, or tested on values
    of the types; a counterexample is reported (KC2046), unless ``unsafe`` promises that such values
    do not occur. The combiner may use axes of the result element, and sizes. The result is called
    like ``te.sum``; for a tuple of expressions it returns a tuple of results, which a compute
    returns::

        argmax = te.comm_reducer(
            lambda x, y: (te.Select(x[1] >= y[1], x[0], y[0]), te.max(x[1], y[1])),
            lambda i, v: (te.const(-1, i), te.min_value(v)), name="argmax")
        k = te.reduce_axis((0, n), name="k")
        I, V = te.compute((m,), lambda i: argmax((k.var, X[i, k]), axis=k))

    Without axes, ``reducer(a, b, ...)`` combines its arguments. Raises KC2040 to KC2045 for an
    invalid combiner.
    """
    if not isinstance(name, str) or not name:
        raise TEError(
            "KC2040", f"the reducer's name is {name!r}, not a string", location=caller_location()
        )
    return Reducer(fcombine, fidentity, name, "vouched" if unsafe else "checked")


def known_reducer(
    fcombine: Callable[[Any, Any], Any], fidentity: IdentityFunction, name: str
) -> Callable[..., Any]:
    """As :func:`comm_reducer`, for a combiner of kc's own, whose laws need no check."""
    return Reducer(fcombine, fidentity, name, "known")


class Reducer(FunctionHolder):
    """A callable reduction with a user-defined combiner: the result of :func:`comm_reducer`."""

    def __init__(
        self,
        fcombine: Callable[[Any, Any], Any],
        fidentity: IdentityFunction,
        name: str,
        laws: Literal["checked", "vouched", "known"],
    ) -> None:
        self.__name__ = name
        self._combine = fcombine
        self._identity = fidentity
        self._laws: Literal["checked", "vouched", "known"] = laws

    def __repr__(self) -> str:
        return f"<te.comm_reducer {self.__name__}>"

    def __call__(
        self, expr: Any, axis: Any = None, where: Any = None, init: Any = None, *more: Any
    ) -> Any:
        location = caller_location()
        name, combine = self.__name__, self._combine
        several = isinstance(expr, list | tuple)
        if axis is not None and not _is_axes(axis):
            result = expr
            for operand in (axis, where, init, *more):
                result = result if operand is None else combine(result, operand)
            return result
        values = tuple(as_expr(value) for value in (expr if several else (expr,)))
        axes = _axes(name, axis, location)
        combiner, captured = _reducer(
            combine, self._identity, name, values, axes, several, location
        )
        combiner = dataclasses.replace(combiner, laws=self._laws)
        condition = _condition(name, where, location)
        start = _start(name, init, values, axes, location)
        results = tuple(
            Reduce(combiner, values, axes, value.dtype, location, n, condition, start, captured)
            for n, value in enumerate(values)
        )
        return results if len(results) != 1 or several else results[0]


def _is_axes(axis: Any) -> bool:
    return isinstance(axis, IterVar | list | tuple)


def _axes(name: str, axis: Any, location: Location | None) -> tuple[IterVar, ...]:
    axes = tuple(axis) if isinstance(axis, list | tuple) else (axis,)
    hint = 'k = te.reduce_axis((0, 64), name="k")'
    if axes and all(isinstance(number, int) for number in axes):
        hint = f"topi.{name.removeprefix('te.')}(A, axis={axis!r}) reduces a dimension of a tensor"
    for iter_var in axes:
        if not isinstance(iter_var, IterVar) or iter_var.kind != "reduce":
            raise TEError(
                "KC2008",
                f"{name}: axis {iter_var!r} is not a reduction axis",
                location=location,
                why="a reduction runs over axes made with te.reduce_axis",
                hints=[hint],
            )
    if not axes or len({id(iter_var) for iter_var in axes}) != len(axes):
        raise TEError(
            "KC2008",
            f"{name}: "
            + ("an axis is listed twice" if axes else "there is no axis to reduce over"),
            location=location,
            why="a reduction runs over one or more different axes",
            hints=['k = te.reduce_axis((0, 64), name="k")'],
        )
    return axes


def _condition(name: str, where: Any, location: Location | None) -> Expr | None:
    if where is None:
        return None
    condition = condition_of(where, name, example="where=x > 0", location=location)
    if isinstance(condition, Const) and condition.value:
        return None
    return condition


def _start(
    name: str,
    init: Any,
    values: Sequence[Expr],
    axes: Sequence[IterVar],
    location: Location | None,
) -> tuple[Expr, ...] | None:
    if init is None:
        return None
    initial = tuple(init) if isinstance(init, list | tuple) else (init,)
    if len(initial) != len(values):
        raise TEError(
            "KC2045",
            f"{name}: init has {counted(len(initial), 'value')} for "
            f"{counted(len(values), 'result')}",
            location=location,
        )
    starts = tuple(as_expr(start, like.dtype) for start, like in zip(initial, values, strict=True))
    for n, (start, like) in enumerate(zip(starts, values, strict=True)):
        which = "" if len(values) == 1 else f" {n}"
        if start.dtype != like.dtype:
            raise TEError(
                "KC2045",
                f"{name}: init{which} has type {start.dtype}, the terms have {like.dtype}",
                location=location,
                hints=[f'convert one: init.astype("{like.dtype}")'],
            )
        used = [part.name for part in walk(start) if any(part is axis for axis in axes)]  # pyright: ignore
        if used:
            raise TEError(
                "KC2045",
                f"{name}: init{which} depends on the reduction axis {used[0]}",
                location=location,
                why="a reduction starts from one value for each element of the result",
            )
    return starts


def _reducer(
    fcombine: Callable[[Any, Any], Any],
    fidentity: Callable[..., Any],
    name: str,
    values: tuple[Expr, ...],
    axes: Sequence[IterVar],
    several: bool,
    location: Location | None,
) -> tuple[CommReducer, tuple[Expr, ...]]:
    """The combiner of the two functions for ``values``, and the values that it captures."""
    count = len(values)
    if not count:
        raise TEError("KC2040", f"{name}: the list of values to reduce is empty", location=location)
    lhs, rhs = (
        tuple(Var(f"{side}{n}" if several else side, value.dtype) for n, value in enumerate(values))
        for side in "xy"
    )
    # The identity is called first: its arguments determine the number of values that the combiner
    # unpacks.
    neutral = _call(name, "identity", fidentity, tuple(value.dtype for value in values), location)
    combined = _call(
        name, "combiner", fcombine, (lhs, rhs) if several else (lhs[0], rhs[0]), location
    )
    groups: list[tuple[Expr, ...]] = []
    for what, returned in (("combiner", combined), ("identity", neutral)):
        group = tuple(returned) if isinstance(returned, list | tuple) else (returned,)
        if len(group) != count:
            raise TEError(
                "KC2041",
                f"the {what} of {name} returns {len(group)} values for {count}",
                location=location,
                why="it must return one value for each reduced expression",
            )
        exprs = tuple(as_expr(expr, like.dtype) for expr, like in zip(group, values, strict=True))
        for n, (expr, like) in enumerate(zip(exprs, values, strict=True)):
            if expr.dtype != like.dtype:
                raise TEError(
                    "KC2042",
                    f"the {what} of {name} gives {expr.dtype} for value {n}, which has type "
                    f"{like.dtype}",
                    location=location,
                    why="results are combined again, so their types must not change",
                    hints=[f'convert it: .astype("{like.dtype}")'],
                )
        groups.append(exprs)
    result, start = groups
    for part in walk(*result):
        if isinstance(part, Element | Reduce) or any(part is axis for axis in axes):
            raise TEError(
                "KC2043",
                f"the combiner of {name} uses {_describe(part)}",
                location=location,
                why="a combiner can use only its arguments, constants, axes of the element "
                "that is reduced to, and sizes",
                hints=["make it a part of the reduced expression"],
            )
    constants = tuple(expr for expr in start if isinstance(expr, Const))
    if len(constants) != count:
        raise TEError(
            "KC2043",
            f"the identity of {name} is not a constant",
            location=location,
            why="the identity must be the same for every element",
            hints=["te.const(0, dtype), te.min_value(dtype)"],
        )
    return closed(CommReducer(name, lhs, rhs, result, constants))


def closed(combiner: CommReducer) -> tuple[CommReducer, tuple[Expr, ...]]:
    """``combiner`` with its own variables in place of the captured axes and sizes, and the captured
    values.
    """
    own = {*combiner.lhs, *combiner.rhs, *combiner.captures}
    used = tuple(
        part
        for part in walk(*combiner.result)
        if isinstance(part, Var | IterVar) and part not in own
    )
    if not used:
        return combiner, ()
    captures = {part: Var(part.name, part.dtype) for part in used}
    result = tuple(map(Substitution(captures), combiner.result))
    return dataclasses.replace(combiner, result=result, captures=tuple(captures.values())), used


def _call(
    name: str, what: str, function: Callable[..., Any], args: tuple[Any, ...], at: Location | None
) -> Any:
    try:
        inspect.signature(function).bind(*args)
    except (TypeError, ValueError):
        raise TEError(
            "KC2040",
            f"the {what} of {name} cannot be called with {counted(len(args), 'argument')}",
            location=at,
            why="the combiner takes two values (two tuples, if tuples are reduced), the identity "
            "one dtype for each value",
            hints=["te.comm_reducer(lambda x, y: x + y, lambda dtype: te.const(0, dtype))"],
        ) from None
    return function(*args)


def _describe(part: Expr) -> str:
    if isinstance(part, Element):
        return f"the tensor {part.tensor.name}"
    if isinstance(part, Reduce):
        return "a reduction"
    return f"the reduction axis {part}"
