"""The classes of expressions by TVM's names: ``tir.Add``, ``tir.Call``, ``tir.BufferLoad``, ...

A call of a class, with TVM's arguments, creates the expression; ``isinstance`` tests for the kind
of expression. The parts have TVM's names too (``a`` and ``b`` of an Add).
"""

# Each class is made with TVM's arguments.
# pyright: reportIncompatibleMethodOverride=false

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Any, ClassVar

from kc.expr import nodes
from kc.expr.buffers import Buffer
from kc.expr.calls import call_intrin
from kc.expr.constructors import (
    Expr,
    as_expr,
    binary,
    broadcast,
    cast,
    compare,
    condition_of,
    const,
    match,
    ramp,
    select,
)
from kc.expr.dtypes import check_dtype, is_bool, is_float, lanes, scalar
from kc.expr.reducers import closed
from kc.expr.rewrite import Substitution
from kc.expr.tensor import Tensor, var
from kc.support.diagnostics import TEError
from kc.support.locations import caller_location
from kc.tir.stmt import Value
from kc.tvm.nodes.node_class import Node

__all__ = [
    "EQ",
    "GE",
    "GT",
    "LE",
    "LT",
    "NE",
    "Add",
    "And",
    "AnySize",
    "Broadcast",
    "BufferLoad",
    "Call",
    "CallEffectKind",
    "Cast",
    "CommReducer",
    "DataProducer",
    "Div",
    "FloatImm",
    "FloorDiv",
    "FloorMod",
    "IntImm",
    "Let",
    "Load",
    "Max",
    "Min",
    "Mod",
    "Mul",
    "Not",
    "Or",
    "PrimExpr",
    "ProducerLoad",
    "Ramp",
    "Reduce",
    "Select",
    "Shuffle",
    "SizeVar",
    "StringImm",
    "Sub",
    "Var",
    "infinity",
]


class PrimExpr(Node):
    """Any scalar or vector expression. A call converts a number to an expression."""

    @classmethod
    def make(cls, value: Any) -> Expr:
        """``value`` as an expression."""
        return as_expr(value)

    @classmethod
    def holds(cls, value: Any) -> bool:
        return isinstance(value, Expr)


# Variables and constants --------------------------------------------------------------------------


class Var(PrimExpr):
    """A variable: a size or scalar (:func:`kc.te.var`), or the variable of a loop or axis."""

    @classmethod
    def make(cls, name: str = "n", dtype: Any = "int32", span: Any = None) -> nodes.Var:
        del span
        return var(name, getattr(dtype, "dtype", dtype))

    @classmethod
    def holds(cls, value: Any) -> bool:
        return isinstance(value, nodes.Var | nodes.IterVar | Value)


class SizeVar(Var):
    """A size that the caller of the kernel passes: :func:`kc.te.size_var`."""

    @classmethod
    def make(cls, name: str = "size", dtype: Any = "int32", span: Any = None) -> nodes.Var:
        size = super().make(name, dtype, span)
        size.is_size = True
        return size

    @classmethod
    def holds(cls, value: Any) -> bool:
        return isinstance(value, nodes.Var) and value.is_size


class AnySize(PrimExpr):
    """An unknown size. Each instance is a distinct size, which the call determines."""

    numbers = itertools.count()

    @classmethod
    def make(cls, span: Any = None) -> nodes.Var:
        del span
        size = SizeVar.make(f"any_dim_{next(cls.numbers)}")
        size.is_any = True
        return size

    @classmethod
    def holds(cls, value: Any) -> bool:
        return isinstance(value, nodes.Var) and value.is_any


class IntImm(PrimExpr):
    """An integer constant, or a truth value: ``const(value, dtype)``."""

    @classmethod
    def make(cls, dtype: str, value: int, span: Any = None) -> nodes.Const:
        """Raises KC2003 for a value that does not fit."""
        del span
        return const(int(value), dtype)

    @classmethod
    def holds(cls, value: Any) -> bool:
        return isinstance(value, nodes.Size) or (
            isinstance(value, nodes.Const) and not is_float(value.dtype)
        )


class FloatImm(PrimExpr):
    """A floating-point constant: ``const(value, dtype)``."""

    @classmethod
    def make(cls, dtype: str, value: float, span: Any = None) -> nodes.Const:
        del span
        return const(float(value), dtype)

    @classmethod
    def holds(cls, value: Any) -> bool:
        return isinstance(value, nodes.Const) and is_float(value.dtype)


class StringImm(PrimExpr):
    """Text as an argument of a call: a Python string."""

    @classmethod
    def make(cls, value: str, span: Any = None) -> str:
        del span
        return Text(value)

    @classmethod
    def holds(cls, value: Any) -> bool:
        return isinstance(value, str)


class Text(str):
    """Text whose ``value`` programs for TVM ask for."""

    @property
    def value(self) -> str:
        """The text itself."""
        return str(self)


def infinity(dtype: str) -> nodes.Const:
    """The infinity of a floating-point type. Raises KC2003 for another type."""
    return const(math.inf, check_dtype(dtype))


# Operators ----------------------------------------------------------------------------------------


class _Operator(PrimExpr):
    """A class of expressions of two operands, ``a`` and ``b``."""

    operation: ClassVar[str] = ""
    node: ClassVar[type] = nodes.Binary
    join: ClassVar[Callable[..., Expr]] = binary

    @classmethod
    def make(cls, a: Any, b: Any, span: Any = None) -> Expr:
        """The expression of this class with the operands ``a`` and ``b``. Operands of different
        types are converted to a common type, as by the operators of expressions.
        """
        del span
        return cls.join(cls.operation, a, b)

    @classmethod
    def holds(cls, value: Any) -> bool:
        if not isinstance(value, cls.node) or value.op != cls.operation:
            return False
        return is_bool(value.dtype) or cls.operation not in ("and", "or")


def _operator(name: str, operation: str, meaning: str, *, compares: bool = False) -> Any:
    node, join = (nodes.Compare, compare) if compares else (nodes.Binary, binary)
    members = {"__doc__": meaning, "operation": operation, "node": node, "join": staticmethod(join)}
    return type(_Operator)(name, (_Operator,), {**members, "__module__": "kc.tir"})


Add = _operator("Add", "add", "``a + b``.")
Sub = _operator("Sub", "sub", "``a - b``.")
Mul = _operator("Mul", "mul", "``a * b``.")
Mod = _operator("Mod", "truncmod", "The remainder of integers with the sign of ``a``, as in C.")
FloorDiv = _operator("FloorDiv", "floordiv", "``a // b``.")
FloorMod = _operator("FloorMod", "floormod", "``a % b``.")
Min = _operator("Min", "min", "The smaller one.")
Max = _operator("Max", "max", "The larger one.")
EQ = _operator("EQ", "eq", "``a == b``.", compares=True)
NE = _operator("NE", "ne", "``a != b``.", compares=True)
LT = _operator("LT", "lt", "``a < b``.", compares=True)
LE = _operator("LE", "le", "``a <= b``.", compares=True)
GT = _operator("GT", "gt", "``a > b``.", compares=True)
GE = _operator("GE", "ge", "``a >= b``.", compares=True)


class _Connective(_Operator):
    """Operators of two conditions."""

    @classmethod
    def make(cls, a: Any, b: Any, span: Any = None) -> Expr:
        """The combined condition. Raises KC2006 if an operand is no condition."""
        del span
        sides = (condition_of(side, cls.__name__, vectors=True) for side in (a, b))
        return binary(cls.operation, *sides)


class And(_Connective):
    """Both conditions."""

    operation = "and"


class Or(_Connective):
    """One of the conditions, or both."""

    operation = "or"


class Not(PrimExpr):
    """The negation of the condition ``a``."""

    @classmethod
    def make(cls, a: Any, span: Any = None) -> Expr:
        """The negated condition. Raises KC2006 if the operand is no condition."""
        del span
        return binary("xor", condition_of(a, "Not", vectors=True), const(True, "bool"))

    @classmethod
    def holds(cls, value: Any) -> bool:
        return (
            isinstance(value, nodes.Binary)
            and value.op == "xor"
            and is_bool(value.dtype)
            and isinstance(value.rhs, nodes.Const)
            and bool(value.rhs.value)
        )


class Div(_Operator):
    """The quotient: of integers rounded towards zero, as in C."""

    @classmethod
    def make(cls, a: Any, b: Any, span: Any = None) -> Expr:
        del span
        x, y = match(a, b)
        return binary("div" if is_float(x.dtype) else "truncdiv", x, y)

    @classmethod
    def holds(cls, value: Any) -> bool:
        return isinstance(value, nodes.Binary) and value.op in ("div", "truncdiv")


class Cast(PrimExpr):
    """A conversion of ``value``: ``value.astype(dtype)``."""

    @classmethod
    def make(cls, dtype: str, value: Any, span: Any = None) -> Expr:
        del span
        return cast(as_expr(value), dtype)

    @classmethod
    def holds(cls, value: Any) -> bool:
        return isinstance(value, nodes.Cast)


class Select(PrimExpr):
    """``true_value`` where ``condition`` holds, else ``false_value``:
    :func:`kc.expr.constructors.select`."""

    @classmethod
    def make(cls, condition: Any, true_value: Any, false_value: Any, span: Any = None) -> Expr:
        del span
        return select(condition, true_value, false_value)

    @classmethod
    def holds(cls, value: Any) -> bool:
        return isinstance(value, nodes.SelectExpr)


# Vectors ------------------------------------------------------------------------------------------


class Ramp(PrimExpr):
    """The integers ``base``, ``base + stride``, ... in ``lanes`` lanes."""

    @classmethod
    def make(cls, base: Any, stride: Any, lanes: int, span: Any = None) -> Expr:
        del span
        return ramp(base, stride, lanes)

    @classmethod
    def holds(cls, value: Any) -> bool:
        return isinstance(value, nodes.Ramp)


class Broadcast(PrimExpr):
    """A vector of ``lanes`` copies of ``value``."""

    @classmethod
    def make(cls, value: Any, lanes: int, span: Any = None) -> Expr:
        del span
        return broadcast(value, lanes)

    @classmethod
    def holds(cls, value: Any) -> bool:
        return isinstance(value, nodes.Broadcast)


class Shuffle(PrimExpr):
    """The lanes ``indices`` of the concatenation of ``vectors``."""

    @classmethod
    def make(cls, vectors: Sequence[Any], indices: Sequence[Any], span: Any = None) -> Expr:
        """A shuffle of one vector, or of two of the same type. Raises KC2219 for other operands,
        and for a lane out of range.
        """
        del span
        parts = tuple(as_expr(vector) for vector in vectors)
        chosen = tuple(int(index) for index in indices)
        types = {vector.dtype for vector in parts}
        count = sum(lanes(vector.dtype) for vector in parts)
        vectorial = len(types) == 1 and lanes(parts[0].dtype) > 1
        if (
            len(parts) not in (1, 2)
            or not vectorial
            or len(chosen) < 2
            or not all(0 <= lane < count for lane in chosen)
        ):
            raise TEError(
                "KC2219",
                f"Shuffle: lanes {', '.join(map(str, chosen))} of "
                f"{' and '.join(vector.dtype for vector in parts)}",
                location=caller_location(),
                why="a shuffle selects two or more lanes of one vector, or of two vectors of the "
                "same type",
            )
        dtype = f"{scalar(parts[0].dtype)}x{len(chosen)}"
        return nodes.Shuffle(parts, chosen, dtype, caller_location())

    @classmethod
    def holds(cls, value: Any) -> bool:
        return isinstance(value, nodes.Shuffle)


# Loads --------------------------------------------------------------------------------------------


class DataProducer(Node):
    """A source of elements: a tensor or a buffer."""

    comes_from = "te.placeholder, te.compute, tir.decl_buffer"

    @classmethod
    def holds(cls, value: Any) -> bool:
        return isinstance(value, Tensor)


class BufferLoad(PrimExpr):
    """An element of a buffer, or a vector of elements: ``buffer[indices]``."""

    @classmethod
    def make(cls, buffer: Buffer, indices: Sequence[Any], span: Any = None) -> Expr:
        del span
        return as_expr(buffer[tuple(indices)])

    @classmethod
    def holds(cls, value: Any) -> bool:
        return isinstance(value, nodes.VectorLoad) or (
            isinstance(value, nodes.Element) and isinstance(value.tensor, Buffer)
        )


class Load(BufferLoad):
    """An element of a buffer of one dimension, by the variable of its address."""

    @classmethod
    def make(
        cls, dtype: str, buffer_var: Buffer, index: Any, predicate: Any = None, span: Any = None
    ) -> Expr:
        """The element or vector that :meth:`kc.expr.buffers.Buffer.vload` loads, with its
        errors.
        """
        del span
        loaded = buffer_var.vload(index, dtype)
        return loaded if predicate is None else select(predicate, loaded, const(0, dtype))


class ProducerLoad(PrimExpr):
    """An element of a tensor: ``tensor[indices]``."""

    @classmethod
    def make(cls, producer: Tensor, indices: Sequence[Any], span: Any = None) -> Expr:
        del span
        return as_expr(producer[tuple(indices)])

    @classmethod
    def holds(cls, value: Any) -> bool:
        return isinstance(value, nodes.Element) and not isinstance(value.tensor, Buffer)


# Calls --------------------------------------------------------------------------------------------


class CallEffectKind(IntEnum):
    """The side effect of a call, numbered like TVM's ``TCallEffectKind`` of an operator."""

    ExprAnnotation = 0
    Pure = 1
    ReadState = 2
    UpdateState = 3
    Opaque = UpdateState
    SpecialCallArg = 4
    EmbedInfo = 5
    ControlJump = 6


class Call(PrimExpr):
    """A call of an intrinsic by its name ("tir.exp"), with TVM's order of arguments."""

    @classmethod
    def make(cls, dtype: str, op: Any, args: Sequence[Any], span: Any = None) -> Any:
        """A call of :func:`kc.expr.calls.call_intrin`. Raises KC2157 for an unknown operator."""
        del span
        return call_intrin(dtype, op, *args)

    @classmethod
    def holds(cls, value: Any) -> bool:
        return isinstance(value, nodes.Call | nodes.ExternCall | nodes.IfThenElse)


class Let(PrimExpr):
    """``body`` with ``value`` substituted for the variable ``var``. The value is still computed
    once.
    """

    @classmethod
    def make(cls, var: Expr, value: Any, body: Any, span: Any = None) -> Expr:
        """The body after the substitution. Raises KC2004 if the body is no expression."""
        del span
        bound = cast(as_expr(value), var.dtype)
        return Substitution({var: bound})(as_expr(body))

    @classmethod
    def holds(cls, value: Any) -> bool:
        del value
        return False


# Reductions ---------------------------------------------------------------------------------------


class CommReducer(Node):
    """The combiner of a reduction: two tuples of variables, the combined values, and the
    identity.
    """

    @classmethod
    def make(
        cls,
        lhs: Sequence[nodes.Var],
        rhs: Sequence[nodes.Var],
        result: Sequence[Any],
        identity_element: Sequence[Any],
        span: Any = None,
    ) -> nodes.CommReducer:
        del span
        values = tuple(
            cast(as_expr(value), left.dtype) for value, left in zip(result, lhs, strict=True)
        )
        identity = tuple(
            const(as_expr(value).value, left.dtype)  # pyright: ignore[reportAttributeAccessIssue]
            for value, left in zip(identity_element, lhs, strict=True)
        )
        return nodes.CommReducer("comm_reducer", tuple(lhs), tuple(rhs), values, identity)

    @classmethod
    def holds(cls, value: Any) -> bool:
        return isinstance(value, nodes.CommReducer)


class Reduce(PrimExpr):
    """A reduction of ``source`` over axes: the body of a compute, as :func:`kc.te.sum` creates
    it.
    """

    @classmethod
    def make(
        cls,
        combiner: nodes.CommReducer,
        src: Sequence[Any],
        rdom: Sequence[nodes.IterVar],
        condition: Any,
        value_index: int,
        init: Sequence[Any] | None = None,
        span: Any = None,
    ) -> nodes.Reduce:
        """Result ``value_index`` of the reduction. Raises KC2006 if ``condition`` is no
        condition.
        """
        del span
        values = tuple(
            cast(as_expr(value), left.dtype) for value, left in zip(src, combiner.lhs, strict=True)
        )
        where = None if condition is None else condition_of(condition, "Reduce")
        condition_or_none = None if isinstance(where, nodes.Const) and where.value else where
        starts = tuple(as_expr(value) for value in init) if init else None
        dtype = combiner.lhs[value_index].dtype
        location = caller_location()
        own, captured = closed(combiner)
        return nodes.Reduce(
            own,
            values,
            tuple(rdom),
            dtype,
            location,
            value_index,
            condition_or_none,
            starts,
            captured,
        )

    @classmethod
    def holds(cls, value: Any) -> bool:
        return isinstance(value, nodes.Reduce)
