"""Scalar expressions: what a compute's lambda returns.

Expressions are built by operators on axes, sizes, constants and tensor elements, as in TVM. Types
follow numpy's rules where both agree, and are refused with a hint where they do not (signed with
unsigned). Every node remembers the user's line.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Union

from kc.support.diagnostics import Location, TEError
from kc.support.float_formats import NARROW_FLOATS
from kc.support.locations import caller_location
from kc.te.dtypes import DTYPES as DTYPES  # what others import from here
from kc.te.dtypes import FLOATS as FLOATS
from kc.te.dtypes import (
    INTS,
    bits,
    check_dtype,
    is_bool,
    is_float,
    is_signed,
    lanes,
    scalar,
    vector_of,
)
from kc.te.dtypes import UINTS as UINTS

if TYPE_CHECKING:
    from kc.te.tensor import Tensor

ExprLike = Union["Operators", int, float, bool]


class Operators:
    """What can be written with scalar expressions."""

    # numpy's scalars and arrays leave operations to the methods below.
    __array_ufunc__ = None

    def __add__(self, other: ExprLike) -> Expr:
        return binary("add", self, other)

    def __radd__(self, other: ExprLike) -> Expr:
        return binary("add", other, self)

    def __sub__(self, other: ExprLike) -> Expr:
        return binary("sub", self, other)

    def __rsub__(self, other: ExprLike) -> Expr:
        return binary("sub", other, self)

    def __mul__(self, other: ExprLike) -> Expr:
        return binary("mul", self, other)

    def __rmul__(self, other: ExprLike) -> Expr:
        return binary("mul", other, self)

    def __truediv__(self, other: ExprLike) -> Expr:
        return binary("div", self, other)

    def __rtruediv__(self, other: ExprLike) -> Expr:
        return binary("div", other, self)

    def __floordiv__(self, other: ExprLike) -> Expr:
        return binary("floordiv", self, other)

    def __rfloordiv__(self, other: ExprLike) -> Expr:
        return binary("floordiv", other, self)

    def __mod__(self, other: ExprLike) -> Expr:
        return binary("floormod", self, other)

    def __rmod__(self, other: ExprLike) -> Expr:
        return binary("floormod", other, self)

    def __neg__(self) -> Expr:
        value = as_expr(self)
        if is_float(value.dtype):  # 0 - x is not -x: for zero its sign is wrong
            return Call("neg", (value,), value.dtype, caller_location())
        return binary("sub", const(0, value.dtype), value)

    def __and__(self, other: ExprLike) -> Expr:
        return binary("and", self, other)

    def __rand__(self, other: ExprLike) -> Expr:
        return binary("and", other, self)

    def __or__(self, other: ExprLike) -> Expr:
        return binary("or", self, other)

    def __ror__(self, other: ExprLike) -> Expr:
        return binary("or", other, self)

    def __xor__(self, other: ExprLike) -> Expr:
        return binary("xor", self, other)

    def __rxor__(self, other: ExprLike) -> Expr:
        return binary("xor", other, self)

    def __lshift__(self, other: ExprLike) -> Expr:
        return _shift("shl", self, other)

    def __rlshift__(self, other: ExprLike) -> Expr:
        return _shift("shl", other, self)

    def __rshift__(self, other: ExprLike) -> Expr:
        return _shift("shr", self, other)

    def __rrshift__(self, other: ExprLike) -> Expr:
        return _shift("shr", other, self)

    def __pow__(self, other: ExprLike) -> Expr:
        from kc.te.intrinsics import power

        return power(self, other)

    def __invert__(self) -> Expr:
        value = as_expr(self)
        ones = -1 if is_signed(value.dtype) else (1 << bits(value.dtype)) - 1
        return binary("xor", value, const(ones, value.dtype))

    def __lt__(self, other: ExprLike) -> Expr:
        return compare("lt", self, other)

    def __le__(self, other: ExprLike) -> Expr:
        return compare("le", self, other)

    def __gt__(self, other: ExprLike) -> Expr:
        return compare("gt", self, other)

    def __ge__(self, other: ExprLike) -> Expr:
        return compare("ge", self, other)

    def __eq__(self, other: object) -> Equality:  # pyright: ignore[reportIncompatibleMethodOverride]
        return Equality("eq", self, other) if _is_scalar(other) else NotImplemented

    def __ne__(self, other: object) -> Equality:  # pyright: ignore[reportIncompatibleMethodOverride]
        return Equality("ne", self, other) if _is_scalar(other) else NotImplemented

    __hash__ = object.__hash__

    def equal(self, other: ExprLike) -> Expr:
        """Whether both are equal, as ``==``."""
        return compare("eq", self, other)

    def astype(self, dtype: str) -> Expr:
        """The value converted to ``dtype``; floats to integers truncate."""
        return cast(as_expr(self), dtype)

    def __bool__(self) -> bool:
        raise TEError(
            "KC2002",
            "an expression has no truth value while the program is built",
            location=caller_location(),
            why="its value is known only when the kernel runs",
            hints=["use te.Select(condition, a, b), or & and | on conditions"],
        )


class Expr(Operators):
    """A scalar expression of element type ``dtype``."""

    dtype: str
    location: Location | None


class Equality(Operators):
    """``a == b`` or ``a != b``: a condition, and for Python's lists whether a is b.

    (Python asks for the truth of ``==`` in ``x in axes``; TVM answers as here.)
    """

    dtype = "bool"

    def __init__(self, op: str, lhs: Any, rhs: Any) -> None:
        self._op, self._lhs, self._rhs = op, lhs, rhs
        self._location = caller_location()

    def __kc_scalar__(self) -> Expr:
        a, b = match(self._lhs, self._rhs)
        return Compare(self._op, a, b, self._location, vector_of("bool", a.dtype))

    def __bool__(self) -> bool:
        if not isinstance(self._rhs, Operators):
            return super().__bool__()  # `if x == 0` is a question about values
        return (self._lhs is self._rhs) == (self._op == "eq")


def _is_scalar(value: object) -> bool:
    return isinstance(value, Operators | bool | int | float) or hasattr(value, "item")


@dataclass(eq=False)
class Const(Expr):
    """A constant."""

    value: int | float | bool
    dtype: str
    location: Location | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        return str(self.value)


@dataclass(eq=False)
class Var(Expr):
    """A size or scalar that the caller gives: see :func:`kc.te.var`."""

    name: str
    dtype: str = "int32"
    location: Location | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        return self.name


class Size(int):
    """A constant size; programs for TVM ask for its ``value``."""

    @property
    def value(self) -> int:
        """The number."""
        return int(self)


class Domain(tuple[Any, Any]):
    """The values of an axis, as (start, stop); programs for TVM ask for ``min`` and ``extent``."""

    @property
    def min(self) -> Size:
        """The first value."""
        return Size(self[0])

    @property
    def extent(self) -> Size | Expr:
        """The number of values."""
        start, stop = self
        found = stop - start if start else stop
        return Size(found) if isinstance(found, int) else found


@dataclass(eq=False)
class IterVar(Expr):
    """An axis: ``start <= value < start + extent``; ``kind`` is "spatial" or "reduce"."""

    name: str
    extent: ExprLike
    kind: str
    start: int = 0
    location: Location | None = field(default=None, repr=False)
    dtype: str = field(default="int32", repr=False)

    def __repr__(self) -> str:
        return self.name

    @property
    def var(self) -> IterVar:
        """The axis itself (in TVM an axis and its variable are two objects)."""
        return self

    @property
    def dom(self) -> Domain:
        """Start and stop, as :func:`kc.te.reduce_axis` takes them."""
        return Domain((self.start, self.start + self.extent if self.start else self.extent))


@dataclass(eq=False, repr=False)
class Binary(Expr):
    """An arithmetic or bitwise operation on two values of one type."""

    op: str
    lhs: Expr
    rhs: Expr
    dtype: str
    location: Location | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        sign = _SIGNS.get(self.op)
        if sign is None:
            return f"{self.op}({self.lhs!r}, {self.rhs!r})"
        sides = (
            f"({one!r})" if isinstance(one, Binary) else repr(one) for one in (self.lhs, self.rhs)
        )
        return f" {sign} ".join(sides)


_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "floordiv": "//", "floormod": "%"}


@dataclass(eq=False)
class Compare(Expr):
    """A comparison."""

    op: str
    lhs: Expr
    rhs: Expr
    location: Location | None = field(default=None, repr=False)
    dtype: str = "bool"


@dataclass(eq=False)
class Call(Expr):
    """An elementwise intrinsic of one or more values of one float type."""

    op: str
    args: tuple[Expr, ...]
    dtype: str
    location: Location | None = field(default=None, repr=False)


@dataclass(frozen=True, eq=False)
class BufferAccess:
    """A buffer as an argument of a call, and what the call does with all of it."""

    buffer: Tensor
    mode: str
    """"read", "write" or "update"."""


@dataclass(eq=False)
class ExternCall(Expr):
    """A call of a function of C or of Python ("packed"), or of an intrinsic of LLVM.

    ``args`` are expressions, buffers, and for a packed function text. ``dtype`` is "void" where the
    call is made for its effects alone. A ``pure`` one has none. The result of kind "trace", a
    packed function, is the last argument where the function gives None.
    """

    name: str
    args: tuple[Expr | BufferAccess | str, ...]
    dtype: str
    location: Location | None = field(default=None, repr=False)
    kind: str = "c"
    pure: bool = False

    def __kc_stmt__(self, location: Location | None) -> Any:
        """The statement that calls for the effect."""
        from kc.tir.calls import Evaluate

        return Evaluate(location or self.location, self)


@dataclass(eq=False)
class Cast(Expr):
    """A conversion."""

    value: Expr
    dtype: str
    location: Location | None = field(default=None, repr=False)


@dataclass(eq=False)
class Broadcast(Expr):
    """A vector whose lanes are all one scalar."""

    value: Expr
    dtype: str
    location: Location | None = field(default=None, repr=False)


@dataclass(eq=False)
class Ramp(Expr):
    """A vector of integers: ``base``, ``base + stride``, ``base + 2 * stride``, ..."""

    base: Expr
    stride: Expr
    dtype: str
    location: Location | None = field(default=None, repr=False)


@dataclass(eq=False)
class SelectExpr(Expr):
    """``on_true`` where ``condition`` holds, else ``on_false``; both are evaluated."""

    condition: Expr
    on_true: Expr
    on_false: Expr
    dtype: str
    location: Location | None = field(default=None, repr=False)


@dataclass(eq=False)
class IfThenElse(Expr):
    """``on_true`` where ``condition`` holds, else ``on_false``; only that one is evaluated."""

    condition: Expr
    on_true: Expr
    on_false: Expr
    dtype: str
    location: Location | None = field(default=None, repr=False)


@dataclass(eq=False)
class Element(Expr):
    """An element of a tensor."""

    tensor: Tensor
    indices: tuple[Expr, ...]
    dtype: str
    location: Location | None = field(default=None, repr=False)


@dataclass(frozen=True, eq=False)
class CommReducer:
    """A combiner of the user's: what two tuples of values become, over variables of its own."""

    name: str
    lhs: tuple[Var, ...]
    rhs: tuple[Var, ...]
    result: tuple[Expr, ...]
    identity: tuple[Const, ...]


@dataclass(eq=False)
class Reduce(Expr):
    """One result of a reduction; stands only at the top of a compute's body.

    The results of one reduction agree in all but ``value_index`` and ``dtype``.
    """

    combiner: str | CommReducer
    values: tuple[Expr, ...]
    axes: tuple[IterVar, ...]
    dtype: str
    location: Location | None = field(default=None, repr=False)
    value_index: int = 0
    condition: Expr | None = None
    """Which terms take part; None: all."""
    init: tuple[Expr, ...] | None = None
    """What the reduction starts from; None: the combiner's identity."""

    @property
    def value(self) -> Expr:
        """The term that the result is made from, as far as it is one."""
        return self.values[self.value_index]


def walk(*exprs: Expr) -> Iterator[Expr]:
    """``exprs`` and every expression in them, each once, indices of elements included."""
    seen: set[Expr] = set()
    stack = list(reversed(exprs))
    while stack:
        one = stack.pop()
        if one not in seen:
            seen.add(one)
            yield one
            stack.extend(reversed(children(one)))


def children(expr: Expr) -> Sequence[Expr]:
    """The expressions directly in ``expr``."""
    if isinstance(expr, Binary | Compare):
        return (expr.lhs, expr.rhs)
    if isinstance(expr, Call):
        return expr.args
    if isinstance(expr, ExternCall):
        return [one for one in expr.args if isinstance(one, Expr)]
    if isinstance(expr, Cast | Broadcast):
        return (expr.value,)
    if isinstance(expr, Ramp):
        return (expr.base, expr.stride)
    if isinstance(expr, Reduce):
        condition = () if expr.condition is None else (expr.condition,)
        return (*expr.values, *condition, *(expr.init or ()))
    if isinstance(expr, SelectExpr | IfThenElse):
        return (expr.condition, expr.on_true, expr.on_false)
    if isinstance(expr, Element):
        return expr.indices
    return ()


def const(value: int | float | bool, dtype: str | None = None) -> Const:
    """A constant of ``dtype`` (default: bool, int32 or float32 by the value's type).

    Raises KC2003 when the value does not fit, KC2004 when it is not a number.
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
        width = bits(dtype)
        low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1)
        if not is_signed(dtype):
            low, high = 0, (1 << width) - 1
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
    """The value of ``dtype`` that is nearest to ``value``."""
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
    # Of the formats without infinities, infinity is no number either.
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


def _no_value(call: Expr) -> TEError:
    name = call.name if isinstance(call, ExternCall) else "a function"
    return TEError(
        "KC2157",
        f"the call of {name} has no value",
        location=call.location,
        why="it is void: it is called for what it does, as a statement",
        hints=["give the type of the result instead of void", "te.extern takes statements"],
    )


def match(lhs: ExprLike, rhs: ExprLike) -> tuple[Expr, Expr]:
    """Both operands in one type."""
    a = lhs if isinstance(lhs, Expr) else as_expr(lhs, as_expr(rhs).dtype)
    b = rhs if isinstance(rhs, Expr) else as_expr(rhs, a.dtype)
    if "void" in (a.dtype, b.dtype):
        raise _no_value(a if a.dtype == "void" else b)
    if a.dtype == b.dtype:
        return a, b
    count = max(lanes(a.dtype), lanes(b.dtype))
    if count > 1:
        for one in (a, b):
            if lanes(one.dtype) not in (1, count):
                raise TEError(
                    "KC2243",
                    f"{a.dtype} and {b.dtype} in one operation",
                    location=caller_location(),
                    why="vectors are combined lane by lane, and have as many lanes",
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
        candidates = [one for one in (a, b) if is_float(one)]
        dtype = max(candidates, key=bits)
        if any(bits(one) == bits(dtype) and one != dtype for one in candidates):
            raise TEError(
                "KC2240",
                f"{a} and {b} in one operation",
                location=caller_location(),
                why=f"both have {bits(dtype)} bits, and neither has all numbers of the other",
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
    for one, other, swapped in ((lhs, rhs, False), (rhs, lhs, True)):
        whole = getattr(one, "__kc_elementwise__", None)
        if whole is not None and one.ndim:  # pyright: ignore[reportAttributeAccessIssue]
            made = whole(op, other, swapped=swapped)
            if made is not NotImplemented:
                return made
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
    if op in ("truncdiv", "truncmod", "floormod") and is_float(a.dtype):
        raise TEError(
            "KC2006",
            f"{op} of {a.dtype} values",
            location=location,
            why=f"{op} is for integers",
            hints=["te.floor and te.trunc round floats"],
        )
    if op == "div" and not is_float(a.dtype):
        raise TEError(
            "KC2007",
            f"/ of {a.dtype} values",
            location=location,
            why="integers can be divided with three roundings; / does not say which",
            hints=["a // b rounds down", "te.truncdiv(a, b) rounds towards zero as C does"],
        )
    return Binary(op, a, b, a.dtype, location)


def _shift(op: str, lhs: ExprLike, rhs: ExprLike) -> Expr:
    from kc.te.intrinsics import shift_left, shift_right

    return (shift_left if op == "shl" else shift_right)(lhs, rhs)


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
            why="a conversion keeps the lanes of a vector",
            hints=[f'astype("{vector_of(dtype, value.dtype)}")'],
        )
    return Cast(value, dtype, caller_location())


def broadcast(value: ExprLike, lanes: int) -> Expr:
    """A vector of ``lanes`` lanes that are all ``value``. TVM: ``tir.Broadcast``."""
    found = as_expr(value)
    return cast(found, f"{check_dtype(found.dtype)}x{lanes}")


def ramp(base: ExprLike, stride: ExprLike, lanes: int) -> Expr:
    """The integers ``base``, ``base + stride``, ... in ``lanes`` lanes. TVM: ``tir.Ramp``."""
    first, step = match(base, stride)
    if is_float(first.dtype) or is_bool(first.dtype):
        raise TEError(
            "KC2006",
            f"Ramp of {first.dtype} values",
            location=caller_location(),
            why="a ramp is of integers",
        )
    dtype = check_dtype(f"{check_dtype(first.dtype)}x{lanes}", vectors=True)
    return Ramp(first, step, dtype, caller_location())


def select(condition: ExprLike, on_true: ExprLike, on_false: ExprLike) -> Expr:
    """``on_true`` where ``condition`` holds, else ``on_false``; both are evaluated."""
    chosen = _condition(condition, "Select", vectors=True)
    a, b = match(on_true, on_false)
    if lanes(chosen.dtype) > 1 or lanes(a.dtype) > 1:
        # The lanes of one are those of the other.
        whole = match(chosen, a)[1].dtype
        chosen = cast(chosen, vector_of("bool", whole))
        a, b = (cast(one, vector_of(one.dtype, whole)) for one in (a, b))
    return SelectExpr(chosen, a, b, a.dtype, caller_location())


def if_then_else(condition: ExprLike, on_true: ExprLike, on_false: ExprLike) -> Expr:
    """``on_true`` where ``condition`` holds, else ``on_false``; the other one is not evaluated.

    What it reads stays inside of its tensor where the condition says so: padding.
    """
    chosen = _condition(condition, "if_then_else")
    a, b = match(on_true, on_false)
    return IfThenElse(chosen, a, b, a.dtype, caller_location())


def all_of(*args: ExprLike) -> Expr:
    """Whether all of one or more conditions hold."""
    return _connected("and", "all", args)


def any_of(*args: ExprLike) -> Expr:
    """Whether any of one or more conditions holds."""
    return _connected("or", "any", args)


def _connected(op: str, what: str, args: tuple[ExprLike, ...]) -> Expr:
    if not args:
        raise TEError(
            "KC2061",
            f"te.{what} is given no condition",
            location=caller_location(),
            hints=[f"te.{what}(i >= 0, i < n)"],
        )
    found = _condition(args[0], what)
    for one in args[1:]:
        found = binary(op, found, _condition(one, what))
    return found


def _condition(given: ExprLike, what: str, *, vectors: bool = False) -> Expr:
    chosen = as_expr(given)
    if lanes(chosen.dtype) > 1 and not vectors and is_bool(chosen.dtype):
        raise TEError(
            "KC2243",
            f"the condition of {what} has {lanes(chosen.dtype)} lanes",
            location=caller_location(),
            why="its lanes may not agree, and one branch is taken",
            hints=["te.Select(condition, a, b) chooses lane by lane"],
        )
    if not is_bool(chosen.dtype):
        raise TEError(
            "KC2006",
            f"the condition of {what} has type {chosen.dtype}",
            location=caller_location(),
            hints=["compare it: x > 0"],
        )
    return chosen


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

    call.__name__ = op
    call.__doc__ = f"Elementwise {op} of a floating-point expression."
    return call
