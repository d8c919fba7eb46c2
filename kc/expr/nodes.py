"""The classes of scalar expressions, and the traversal of an expression. Every node records the
user's line.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from kc.expr.dtypes import lanes as lanes_of
from kc.expr.operators import ExprLike, Operators
from kc.support.diagnostics import Location

if TYPE_CHECKING:
    from kc.expr.tensor import Tensor


class Expr(Operators):
    """A scalar expression of element type ``dtype``."""

    dtype: str
    location: Location | None


Dim = int | Expr
"""A dimension of a tensor."""


def shape_text(shape: Sequence[Any]) -> str:
    """A shape in Python's syntax."""
    return "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


def is_negative_zero(value: float) -> bool:
    """True if a number is -0.0, which compares equal to 0.0 but is a different constant."""
    return value == 0 and math.copysign(1, value) < 0


@dataclass(eq=False)
class Const(Expr):
    """A constant."""

    value: int | float | bool
    dtype: str
    location: Location | None = field(default=None, repr=False)

    def __int__(self) -> int:
        return int(self.value)

    def __float__(self) -> float:
        return float(self.value)

    def __index__(self) -> int:
        if isinstance(self.value, float):
            raise TypeError(f"{self.value} is not an integer")
        return int(self.value)

    def __bool__(self) -> bool:
        return bool(self.value)

    def __hash__(self) -> int:
        """The hash of the number, so that a dict finds both under one key; -0.0 and 0.0 differ."""
        return hash(str(self.value) if is_negative_zero(self.value) else self.value)

    def __repr__(self) -> str:
        return str(self.value)


@dataclass(eq=False)
class Var(Expr):
    """A size or scalar that the caller passes: see :func:`kc.te.var`. With dtype "handle", a key in
    the ``buffer_map`` of a ``tir.PrimFunc``.
    """

    name: str
    dtype: str = "int32"
    location: Location | None = field(default=None, repr=False)
    is_size: bool = False
    is_any: bool = False
    """True if the variable was created as a size (``te.size_var``)."""

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
    def min(self) -> Size | Expr:
        """The first value."""
        return self[0] if isinstance(self[0], Expr) else Size(self[0])

    @property
    def extent(self) -> Size | Expr:
        """The number of values."""
        start, stop = self
        count = stop if not isinstance(start, Expr) and start == 0 else stop - start
        return Size(count) if isinstance(count, int) else count


ITER_TYPES = ("spatial", "thread", "reduce", "scan", "opaque")
"""The kinds of axes, in the order of TVM's numbers."""


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
    def iter_type(self) -> int:
        """TVM's number for its kind: ``tir.IterVar.CommReduce`` of a reduction."""
        return ITER_TYPES.index(self.kind)

    @property
    def var(self) -> IterVar:
        """The axis itself (in TVM an axis and its variable are two objects)."""
        return self

    @property
    def dom(self) -> Domain:
        """The start and the stop, as for :func:`kc.te.reduce_axis`."""
        return Domain((self.start, self.start + self.extent if self.start else self.extent))


class TwoOperands(Expr):
    """A node with two operands, TVM's ``a`` and ``b``."""

    lhs: Expr
    rhs: Expr

    @property
    def a(self) -> Expr:
        """The left operand."""
        return self.lhs

    @property
    def b(self) -> Expr:
        """The right operand."""
        return self.rhs


class Choice(Expr):
    """A choice between two values, by TVM's names for them."""

    on_true: Expr
    on_false: Expr

    @property
    def true_value(self) -> Expr:
        """The value if the condition holds."""
        return self.on_true

    @property
    def false_value(self) -> Expr:
        """The value if the condition does not hold."""
        return self.on_false


class OperatorName(str):
    """The name of an operator; ``name`` is TVM's form, "tir.exp"."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """The name with TVM's prefix."""
        return f"tir.{self}"


@dataclass(eq=False, repr=False)
class Binary(TwoOperands):
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
            f"({side!r})" if isinstance(side, Binary) else repr(side)
            for side in (self.lhs, self.rhs)
        )
        return f" {sign} ".join(sides)


_HOLDS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_SIGNS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "floordiv": "//", "floormod": "%"}


@dataclass(eq=False)
class Compare(TwoOperands):
    """A comparison.

    If it is ``exact``, its operands are computed operation by operation, without contraction and
    fast math: recomputing an operand from the same elements gives the same number.
    """

    op: str
    lhs: Expr
    rhs: Expr
    location: Location | None = field(default=None, repr=False)
    dtype: str = "bool"
    exact: bool = False

    def __bool__(self) -> bool:
        """The truth value of a comparison of constants. Raises KC2002 for other operands."""
        if isinstance(self.lhs, Const) and isinstance(self.rhs, Const):
            return _HOLDS[self.op](self.lhs.value, self.rhs.value)
        return super().__bool__()

    def __repr__(self) -> str:
        sides = [
            f"({side!r})" if isinstance(side, Compare) else repr(side)
            for side in (self.lhs, self.rhs)
        ]
        return f" {_COMPARISONS.get(self.op, self.op)} ".join(sides)


@dataclass(eq=False)
class Call(Expr):
    """An elementwise intrinsic of one or more values of one float type."""

    op: str
    args: tuple[Expr, ...]
    dtype: str
    location: Location | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        self.op = OperatorName(self.op)

    def __repr__(self) -> str:
        return f"{self.op}({', '.join(map(repr, self.args))})"


@dataclass(frozen=True, eq=False)
class BufferAccess:
    """A buffer as an argument of a call, and the declared access of the call to the buffer."""

    buffer: Tensor
    mode: str
    """"read", "write" or "update"."""
    starts: tuple[Expr, ...] = ()
    """The indices of the element whose address the call gets, one for each dimension; empty for the
    first element.
    """


@dataclass(eq=False)
class ExternCall(Expr):
    """A call of a C or Python function ("packed"), or of an intrinsic of LLVM.

    ``args`` are expressions and buffers, and for a packed function also strings. ``dtype`` is
    "void" for a call without a result. A ``pure`` call has no side effects. Kind "trace" is a
    packed function; its result is the last argument if the function returns None.
    """

    name: str
    args: tuple[Expr | BufferAccess | str, ...]
    dtype: str
    location: Location | None = field(default=None, repr=False)
    kind: str = "c"
    pure: bool = False


@dataclass(eq=False)
class Cast(Expr):
    """A conversion."""

    value: Expr
    dtype: str
    location: Location | None = field(default=None, repr=False)
    is_axis: bool = False
    """True if the value is that of an axis; as an index it is not truncated, just as the axis is
    not.
    """

    def __repr__(self) -> str:
        return f"{self.dtype}({self.value!r})"


@dataclass(eq=False)
class Broadcast(Expr):
    """A vector whose lanes are all one scalar."""

    value: Expr
    dtype: str
    location: Location | None = field(default=None, repr=False)

    @property
    def lanes(self) -> int:
        """The number of its lanes."""
        return lanes_of(self.dtype)


@dataclass(eq=False)
class Ramp(Expr):
    """A vector of integers: ``base``, ``base + stride``, ``base + 2 * stride``, ..."""

    base: Expr
    stride: Expr
    dtype: str
    location: Location | None = field(default=None, repr=False)

    @property
    def lanes(self) -> int:
        """The number of its lanes."""
        return lanes_of(self.dtype)


@dataclass(eq=False)
class SelectExpr(Choice):
    """``on_true`` where ``condition`` holds, else ``on_false``; both may be evaluated."""

    condition: Expr
    on_true: Expr
    on_false: Expr
    dtype: str
    location: Location | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        return f"select({self.condition!r}, {self.on_true!r}, {self.on_false!r})"


@dataclass(eq=False)
class IfThenElse(Choice):
    """``on_true`` if ``condition`` holds, else ``on_false``; only the chosen value is evaluated."""

    condition: Expr
    on_true: Expr
    on_false: Expr
    dtype: str
    location: Location | None = field(default=None, repr=False)

    @property
    def op(self) -> OperatorName:
        """TVM's operator of the expression."""
        return OperatorName("if_then_else")

    @property
    def args(self) -> tuple[Expr, ...]:
        """The condition and both values: its arguments in TVM."""
        return (self.condition, self.on_true, self.on_false)

    def __repr__(self) -> str:
        return f"if_then_else({self.condition!r}, {self.on_true!r}, {self.on_false!r})"


@dataclass(eq=False)
class Element(Expr):
    """An element of a tensor."""

    tensor: Tensor
    indices: tuple[Expr, ...]
    dtype: str
    location: Location | None = field(default=None, repr=False)

    @property
    def buffer(self) -> Tensor:
        """The buffer or tensor of the element."""
        return self.tensor

    @property
    def producer(self) -> Tensor:
        """The tensor of the element."""
        return self.tensor

    def __repr__(self) -> str:
        return f"{self.tensor.name}[{', '.join(map(repr, self.indices))}]"


@dataclass(eq=False)
class VectorLoad(Expr):
    """The elements of a buffer from ``element`` on, as many as ``dtype`` has lanes."""

    element: Element
    dtype: str
    location: Location | None = field(default=None, repr=False)


@dataclass(eq=False)
class Shuffle(Expr):
    """A vector of the lanes ``lanes`` of one or two vectors. The lanes of the second vector are
    numbered after those of the first, even if both are the same vector.
    """

    args: tuple[Expr, ...]
    lanes: tuple[int, ...]
    dtype: str
    location: Location | None = field(default=None, repr=False)


@dataclass(frozen=True, eq=False)
class CommReducer:
    """A user-defined combiner of two tuples of values, over variables of its own."""

    name: str
    lhs: tuple[Var, ...]
    rhs: tuple[Var, ...]
    result: tuple[Expr, ...]
    identity: tuple[Const, ...]
    captures: tuple[Var, ...] = ()
    """The variables in ``result`` for the values :attr:`Reduce.captured`."""
    laws: Literal["checked", "checked for empty parts", "vouched", "known"] = "checked"
    """The state of the combiner's laws: "checked" must still be checked, "vouched" is promised by
    the user, "known" holds by construction. "checked for empty parts" is "checked" with identities
    among the terms.
    """

    @property
    def identity_element(self) -> tuple[Const, ...]:
        """The identity, by TVM's name."""
        return self.identity


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
    """The predicate of the combined terms. None if all terms are combined."""
    init: tuple[Expr, ...] | None = None
    """The values that the reduction starts from; None: the combiner's identity."""
    captured: tuple[Expr, ...] = ()
    """The axes of the element and the sizes that the combiner uses."""

    @property
    def value(self) -> Expr:
        """The term of this result."""
        return self.values[self.value_index]

    @property
    def source(self) -> tuple[Expr, ...]:
        """The terms of all results, by TVM's name."""
        return self.values

    @property
    def axis(self) -> tuple[IterVar, ...]:
        """The axes, by TVM's name."""
        return self.axes

    def __repr__(self) -> str:
        name = self.combiner if isinstance(self.combiner, str) else self.combiner.name
        values = ", ".join(map(repr, self.values))
        text = f"({values})" if len(self.values) > 1 else values
        parts = [text, f"axis=[{', '.join(axis.name for axis in self.axes)}]"]
        if self.condition is not None:
            parts.append(f"where={self.condition!r}")
        if self.init is not None:
            parts.append(f"init={list(self.init)}")
        which = f"[{self.value_index}]" if len(self.values) > 1 else ""
        return f"{name}({', '.join(parts)}){which}"


def walk(*exprs: Expr) -> Iterator[Expr]:
    """Yield ``exprs`` and all their subexpressions, each once, indices of elements included."""
    seen: set[Expr] = set()
    stack = list(reversed(exprs))
    while stack:
        expr = stack.pop()
        if expr not in seen:
            seen.add(expr)
            yield expr
            stack.extend(reversed(children(expr)))


def children(expr: Expr) -> Sequence[Expr]:
    """The direct subexpressions of ``expr``."""
    if isinstance(expr, Binary | Compare):
        return (expr.lhs, expr.rhs)
    if isinstance(expr, Call | Shuffle):
        return expr.args
    if isinstance(expr, VectorLoad):
        return (expr.element,)
    if isinstance(expr, ExternCall):
        parts: list[Expr] = []
        for arg in expr.args:
            if isinstance(arg, Expr):
                parts.append(arg)
            elif isinstance(arg, BufferAccess):
                parts.extend(arg.starts)
        return parts
    if isinstance(expr, Cast | Broadcast):
        return (expr.value,)
    if isinstance(expr, Ramp):
        return (expr.base, expr.stride)
    if isinstance(expr, Reduce):
        condition = () if expr.condition is None else (expr.condition,)
        return (*expr.values, *condition, *(expr.init or ()), *expr.captured)
    if isinstance(expr, SelectExpr | IfThenElse):
        return (expr.condition, expr.on_true, expr.on_false)
    if isinstance(expr, Element):
        return expr.indices
    return ()
