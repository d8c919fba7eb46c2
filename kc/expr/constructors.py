"""Scalar expressions: the results of a compute's lambda.

Operators on axes, sizes, constants and tensor elements build expressions, as in TVM. The result
types follow numpy's rules if both agree; otherwise (signed with unsigned) the operation is refused
with a hint. Every node records the user's line.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from functools import cache
from typing import Any

from kc.expr.dtypes import (
    INTS,
    bits,
    check_dtype,
    integer_limits,
    is_bool,
    is_float,
    lanes,
    scalar,
    vector_of,
)
from kc.expr.nodes import (
    Binary,
    Broadcast,
    BufferAccess,
    Call,
    Cast,
    CommReducer,
    Compare,
    Const,
    Domain,
    Element,
    Expr,
    ExternCall,
    IfThenElse,
    IterVar,
    Ramp,
    Reduce,
    SelectExpr,
    Shuffle,
    Size,
    Var,
    VectorLoad,
    children,
    walk,
)
from kc.expr.operators import ExprLike, Operators
from kc.support.diagnostics import Location, TEError
from kc.support.float_formats import NARROW_FLOATS
from kc.support.locations import caller_location

__all__ = [
    "Binary",
    "Broadcast",
    "BufferAccess",
    "Call",
    "Cast",
    "CommReducer",
    "Compare",
    "Const",
    "Domain",
    "Element",
    "Expr",
    "ExprLike",
    "ExternCall",
    "IfThenElse",
    "IterVar",
    "Operators",
    "Ramp",
    "Reduce",
    "SelectExpr",
    "Shuffle",
    "Size",
    "Var",
    "VectorLoad",
    "all_of",
    "any_of",
    "as_expr",
    "binary",
    "broadcast",
    "cast",
    "children",
    "compare",
    "condition_of",
    "const",
    "if_then_else",
    "intrinsic",
    "match",
    "ramp",
    "select",
    "walk",
]


def const(value: int | float | bool, dtype: str | None = None) -> Const:
    """A constant of ``dtype`` (default: bool, int32 or float32 by the value's type).

    Raises KC2003 if the type cannot represent the value, KC2004 if it is not a number.
    """
    value = _number(value)
    if dtype is None:
        dtype = (
            "bool" if isinstance(value, bool) else "int32" if isinstance(value, int) else "float32"
        )
    dtype = check_dtype(dtype, vectors=True)
    if is_float(dtype):
        value = _rounded(value, dtype)
    else:
        if isinstance(value, float) and (math.isnan(value) or not value.is_integer()):
            raise _range_error(value, dtype)
        value = int(value)
        low, high = integer_limits(dtype)
        if not low <= value <= high:
            raise _range_error(value, dtype)
    return Const(value, dtype, caller_location())


def _number(value: Any) -> int | float | bool:
    """``value`` as a number of Python's own."""
    if getattr(value, "shape", None) == ():
        value = value.item()
    if not isinstance(value, bool | int | float):
        raise TEError(
            "KC2004",
            f"{type(value).__name__} is not a scalar expression",
            location=caller_location(),
            why="scalars are numbers, axes, te.var and elements of tensors such as A[i, j]",
        )
    return value


def _rounded(value: int | float, dtype: str) -> float:
    """``value`` rounded to the nearest value of ``dtype``."""
    try:
        number = float(value)
        if scalar(dtype) == "float32":
            return struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        raise _range_error(value, dtype) from None
    form = NARROW_FLOATS.get(scalar(dtype))
    if form is None:
        return number
    rounded = form.round(number)
    # In formats without infinities, infinity is out of range, too.
    if not math.isfinite(rounded) and not (math.isnan(number) or number == rounded):
        raise _range_error(value, dtype)
    return rounded


def _range_error(value: float, dtype: str) -> TEError:
    wide = "float64" if is_float(dtype) else "int64"
    return TEError(
        "KC2003",
        f"the constant {value} is not a value of {dtype}",
        location=caller_location(),
        hints=[f'give it a wider type: te.const(value, "{wide}")'] if dtype != wide else (),
    )


def as_expr(value: Any, like: str | None = None) -> Expr:
    """``value`` as an expression; a Python number takes the type ``like`` where it can."""
    if isinstance(value, Expr):
        if value.dtype == "void":
            raise _no_value(value)
        if value.dtype == "handle":
            raise _no_number(value)
        return value
    scalar = getattr(value, "__kc_scalar__", None)
    if scalar is not None:
        return scalar()
    value = _number(value)
    if like is None or (isinstance(value, float) and not is_float(like)):
        return const(value)
    if isinstance(value, int) and not isinstance(value, bool) and is_bool(like):
        return const(value)
    return const(value, like)


def _no_number(handle: Any) -> TEError:
    name = getattr(handle, "name", "a handle")
    return TEError(
        "KC2004",
        f"{name} is not a scalar expression",
        location=caller_location(),
        why="it is a handle, which stands for a buffer",
        hints=["tir.PrimFunc(params, body, buffer_map={handle: buffer})"],
    )


def _no_value(call: Expr) -> TEError:
    name = call.name if isinstance(call, ExternCall) else "a function"
    return TEError(
        "KC2157",
        f"the call of {name} has no value",
        location=call.location,
        why="it returns void, so it can only be called as a statement",
        hints=["give the type of the result instead of void", "te.extern takes statements"],
    )


def match(lhs: ExprLike, rhs: ExprLike) -> tuple[Expr, Expr]:
    """Both operands in one type."""
    for operand in (lhs, rhs):
        if getattr(operand, "dtype", "") == "handle":
            raise _no_number(operand)
    a = lhs if isinstance(lhs, Expr) else as_expr(lhs, as_expr(rhs).dtype)
    b = rhs if isinstance(rhs, Expr) else as_expr(rhs, a.dtype)
    if "void" in (a.dtype, b.dtype):
        raise _no_value(a if a.dtype == "void" else b)
    if a.dtype == b.dtype:
        return a, b
    count = max(lanes(a.dtype), lanes(b.dtype))
    if count > 1:
        for operand in (a, b):
            if lanes(operand.dtype) not in (1, count):
                raise TEError(
                    "KC2243",
                    f"{a.dtype} and {b.dtype} in one operation",
                    location=caller_location(),
                    why="vectors are combined lane by lane, so they must have the same number of "
                    "lanes",
                )
        pair = _matched_scalars(scalar(a.dtype), scalar(b.dtype))
        return cast(a, f"{pair}x{count}"), cast(b, f"{pair}x{count}")
    dtype = _matched_scalars(a.dtype, b.dtype)
    return cast(a, dtype), cast(b, dtype)


def _matched_scalars(a: str, b: str) -> str:
    """The scalar type of an operation on two scalar types."""
    if a == b:
        return a
    if is_float(a) or is_float(b):
        candidates = [candidate for candidate in (a, b) if is_float(candidate)]
        dtype = max(candidates, key=bits)
        if any(bits(candidate) == bits(dtype) and candidate != dtype for candidate in candidates):
            raise TEError(
                "KC2240",
                f"{a} and {b} in one operation",
                location=caller_location(),
                why=f"both have {bits(dtype)} bits, and neither can represent all values of the "
                "other",
                hints=['convert both: x.astype("float32")'],
            )
    elif "bool" in (a, b):
        dtype = b if a == "bool" else a
    elif (a in INTS) == (b in INTS):
        dtype = max((a, b), key=bits)
    else:
        raise TEError(
            "KC2005",
            f"{a} and {b} in one operation",
            location=caller_location(),
            why="signed and unsigned integers have no common type of their width",
            hints=['convert one: x.astype("int32")'],
        )
    return dtype


_BITWISE = ("and", "or", "xor")


def binary(op: str, lhs: ExprLike, rhs: ExprLike) -> Expr:
    """An operation on two operands, which are brought to one type first; of tensors, on all their
    elements."""
    for operand, partner, swapped in ((lhs, rhs, False), (rhs, lhs, True)):
        whole = getattr(operand, "__kc_elementwise__", None)
        if whole is not None and operand.ndim:  # pyright: ignore[reportAttributeAccessIssue]
            result = whole(op, partner, swapped=swapped)
            if result is not NotImplemented:
                return result
    a, b = match(lhs, rhs)
    location = caller_location()
    if op in _BITWISE and is_float(a.dtype):
        raise TEError(
            "KC2006",
            f"bitwise {op} of {a.dtype} values",
            location=location,
            why="bitwise operations are for integers and conditions",
        )
    if is_bool(a.dtype) and op not in _BITWISE:
        if op not in ("min", "max"):
            raise TEError(
                "KC2006",
                f"{op} of bool values",
                location=location,
                why="conditions are combined with &, | and ^",
                hints=['convert to a number: x.astype("int32")'],
            )
    if op == "div" and not is_float(a.dtype):
        raise TEError(
            "KC2007",
            f"/ of {a.dtype} values",
            location=location,
            why="integer division can round in three ways, and / does not specify one",
            hints=["a // b rounds down", "te.truncdiv(a, b) rounds towards zero as C does"],
        )
    return Binary(op, a, b, a.dtype, location)


def compare(op: str, lhs: ExprLike, rhs: ExprLike) -> Expr:
    """A comparison of two operands, which are brought to one type first."""
    a, b = match(lhs, rhs)
    return Compare(op, a, b, caller_location(), vector_of("bool", a.dtype))


def cast(value: Expr, dtype: str) -> Expr:
    """``value`` converted to ``dtype``; a scalar becomes every lane of a vector."""
    dtype = check_dtype(dtype, vectors=True)
    if value.dtype == dtype:
        return value
    if isinstance(value, Const) and is_float(dtype):
        return const(value.value, dtype)
    if lanes(value.dtype) == 1 < lanes(dtype):
        return Broadcast(cast(value, scalar(dtype)), dtype, caller_location())
    if lanes(value.dtype) != lanes(dtype):
        raise TEError(
            "KC2243",
            f"astype: {value.dtype} to {dtype}",
            location=caller_location(),
            why="a conversion must keep the number of lanes",
            hints=[f'astype("{vector_of(dtype, value.dtype)}")'],
        )
    return Cast(value, dtype, caller_location())


def broadcast(value: ExprLike, lanes: int) -> Expr:
    """A vector with ``value`` in each of its ``lanes`` lanes. TVM: ``tir.Broadcast``."""
    operand = as_expr(value)
    return cast(operand, f"{check_dtype(operand.dtype)}x{lanes}")


def ramp(base: ExprLike, stride: ExprLike, lanes: int) -> Expr:
    """The integers ``base``, ``base + stride``, ... in ``lanes`` lanes. TVM: ``tir.Ramp``."""
    first, step = match(base, stride)
    if is_float(first.dtype) or is_bool(first.dtype):
        raise TEError(
            "KC2006",
            f"Ramp of {first.dtype} values",
            location=caller_location(),
            why="a ramp must consist of integers",
        )
    dtype = check_dtype(f"{check_dtype(first.dtype)}x{lanes}", vectors=True)
    return Ramp(first, step, dtype, caller_location())


def select(condition: ExprLike, on_true: ExprLike, on_false: ExprLike) -> Expr:
    """``on_true`` where ``condition`` holds, else ``on_false``; both are evaluated.

    Where one of them may read outside of its tensor, only the chosen one is, as by
    :func:`if_then_else` (:mod:`kc.expr.lazy_select`).
    """
    chosen = condition_of(condition, "Select", vectors=True)
    a, b = match(on_true, on_false)
    if lanes(chosen.dtype) > 1 or lanes(a.dtype) > 1:
        # The condition and the values need the same number of lanes.
        whole = match(chosen, a)[1].dtype
        chosen = cast(chosen, vector_of("bool", whole))
        a, b = (cast(branch, vector_of(branch.dtype, whole)) for branch in (a, b))
    return SelectExpr(chosen, a, b, a.dtype, caller_location())


def if_then_else(condition: ExprLike, on_true: ExprLike, on_false: ExprLike) -> Expr:
    """``on_true`` if ``condition`` holds, else ``on_false``; only the chosen value is evaluated.

    The reads of the chosen value must be in bounds only under the condition: padding.
    """
    chosen = condition_of(condition, "if_then_else")
    a, b = match(on_true, on_false)
    return IfThenElse(chosen, a, b, a.dtype, caller_location())


def all_of(*args: ExprLike) -> Expr:
    """True if all of the conditions hold; at least one is required."""
    return _connected("and", "all", args)


def any_of(*args: ExprLike) -> Expr:
    """True if at least one of the conditions holds; at least one is required."""
    return _connected("or", "any", args)


def _connected(op: str, what: str, args: tuple[ExprLike, ...]) -> Expr:
    if not args:
        raise TEError(
            "KC2061",
            f"te.{what} needs at least one condition",
            location=caller_location(),
            hints=[f"te.{what}(i >= 0, i < n)"],
        )
    condition = condition_of(args[0], what)
    for arg in args[1:]:
        condition = binary(op, condition, condition_of(arg, what))
    return condition


def condition_of(
    value: Any,
    what: str,
    *,
    vectors: bool = False,
    example: str = "x > 0",
    location: Location | None = None,
) -> Expr:
    """``value`` as a condition for ``what``. With ``vectors``, a vector of conditions is accepted
    too.

    Raises KC2006 for anything but a condition, KC2243 for a vector of conditions that controls a
    single branch.
    """
    chosen = as_expr(value)
    if lanes(chosen.dtype) > 1 and not vectors and is_bool(chosen.dtype):
        raise TEError(
            "KC2243",
            f"the condition of {what} has {lanes(chosen.dtype)} lanes",
            location=location or caller_location(),
            why="its lanes may differ, but only one branch is taken",
            hints=["te.Select(condition, a, b) chooses lane by lane"],
        )
    if not is_bool(chosen.dtype):
        raise TEError(
            "KC2006",
            f"the condition of {what} has type {chosen.dtype}",
            location=location or caller_location(),
            hints=[f"compare it: {example}"],
        )
    return chosen


@cache
def intrinsic(op: str) -> Callable[[ExprLike], Expr]:
    """The Python function of an elementwise float intrinsic."""

    def call(x: ExprLike) -> Expr:
        value = as_expr(x)
        if not is_float(value.dtype):
            if op == "abs":
                return Call("iabs", (value,), value.dtype, caller_location())
            raise TEError(
                "KC2006",
                f"{op} of {value.dtype} values",
                location=caller_location(),
                why=f"{op} is for floating-point values",
                hints=['convert: x.astype("float32")'],
            )
        return Call(op, (value,), value.dtype, caller_location())

    call.__module__, call.__name__, call.__qualname__ = "kc.te", op, op
    call.__doc__ = f"Elementwise {op} of a floating-point expression."
    return call
