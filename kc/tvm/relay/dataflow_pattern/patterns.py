"""The classes of patterns, and the functions that make them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kc.support.diagnostics import GraphError
from kc.support.locations import caller_location
from kc.tvm.nodes.node_objects import Type
from kc.tvm.relay.expr import Call, Expr, Op, as_expr


class DFPattern:
    """A pattern of expressions. It is a place in a pattern as well: two uses of one pattern object
    match one and the same expression."""

    __slots__ = ()

    @property
    def parts(self) -> tuple[DFPattern, ...]:
        """The patterns that this one consists of."""
        return ()

    def __call__(self, *args: Any) -> CallPattern:
        """Calls of what this pattern matches; ``pattern(None)`` takes any arguments."""
        return CallPattern(self, None if len(args) == 1 and args[0] is None else args)

    def __or__(self, other: DFPattern) -> AltPattern:
        return AltPattern(self, other)

    def __add__(self, other: DFPattern) -> CallPattern:
        return is_op("add")(self, other)

    def __sub__(self, other: DFPattern) -> CallPattern:
        return is_op("subtract")(self, other)

    def __mul__(self, other: DFPattern) -> CallPattern:
        return is_op("multiply")(self, other)

    def __truediv__(self, other: DFPattern) -> CallPattern:
        return is_op("divide")(self, other)

    def has_attr(self, attrs: Mapping[str, Any]) -> AttrPattern:
        """The matches of this pattern with attributes: of a call, a function, or an operator."""
        return AttrPattern(self, attrs)

    def has_type(self, ttype: Type) -> TypePattern:
        """The matches of this pattern that have a type."""
        return TypePattern(self, ttype)

    def has_dtype(self, dtype: str) -> DataTypePattern:
        """The matches of this pattern whose elements have a type."""
        return DataTypePattern(self, dtype)

    def has_shape(self, shape: Sequence[Any]) -> ShapePattern:
        """The matches of this pattern that have a shape."""
        return ShapePattern(self, shape)

    def optional(self, option_constructor: Callable[[DFPattern], DFPattern]) -> AltPattern:
        """This pattern, or what the function makes of it."""
        return self | option_constructor(self)

    def dominates(self, parent: DFPattern, path: DFPattern | None = None) -> DominatorPattern:
        """This pattern, if all ways to it from ``parent`` consist of matches of ``path``."""
        return DominatorPattern(parent, wildcard() if path is None else path, self)

    def match(self, expr: Expr) -> bool:
        """True if the expression as a whole matches."""
        from kc.tvm.relay.dataflow_pattern.rewriting import match

        return match(self, expr)

    def partition(
        self,
        expr: Expr,
        attrs: Mapping[str, Any] | None = None,
        check: Callable[[Expr], bool] = lambda expr: True,
    ) -> Expr:
        """The expression with a function, which is called, in place of each match: see
        :func:`kc.tvm.relay.dataflow_pattern.rewriting.partition`."""
        from kc.tvm.relay.dataflow_pattern.rewriting import partition

        return partition(self, expr, attrs, check)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self.parts))})"


def as_pattern(value: Any) -> DFPattern:
    """A pattern as it is. Raises GraphError KC2490 for anything else."""
    if isinstance(value, DFPattern):
        return value
    raise GraphError(
        "KC2490",
        f"{type(value).__name__} is not a pattern",
        location=caller_location(),
        why="patterns consist of patterns",
        hints=["is_expr(expr) matches an expression, wildcard() matches every one"],
    )


class ExprPattern(DFPattern):
    """Expressions that are structurally equal to one, such as an operator or a constant."""

    __slots__ = ("expr",)

    def __init__(self, expr: Any) -> None:
        self.expr = as_expr(expr)

    def __repr__(self) -> str:
        return f"is_op({self.expr})" if isinstance(self.expr, Op) else f"is_expr({self.expr})"


class VarPattern(DFPattern):
    """Variables, those of a name unless it is empty."""

    __slots__ = ("name",)

    def __init__(self, name_hint: str = "") -> None:
        self.name = name_hint


class ConstantPattern(DFPattern):
    """Constants."""

    __slots__ = ()


class WildcardPattern(DFPattern):
    """Every expression, or those of another pattern, which may be told later."""

    __slots__ = ("pattern",)

    def __init__(self) -> None:
        self.pattern: DFPattern | None = None

    @property
    def parts(self) -> tuple[DFPattern, ...]:
        """The pattern that it stands for."""
        return () if self.pattern is None else (self.pattern,)

    def redirect_to(self, pat: DFPattern) -> None:
        """Match what another pattern matches."""
        self.pattern = as_pattern(pat)


class CallPattern(DFPattern):
    """Calls of what a pattern matches, with arguments that match; any arguments for None."""

    __slots__ = ("args", "op")

    def __init__(self, op: DFPattern, args: Sequence[DFPattern] | None) -> None:
        self.op = as_pattern(op)
        self.args = None if args is None else tuple(map(as_pattern, args))

    @property
    def parts(self) -> tuple[DFPattern, ...]:
        """The callee and the arguments."""
        return (self.op, *(self.args or ()))


class FunctionPattern(DFPattern):
    """Functions with matching parameters, any for None, and a matching body."""

    __slots__ = ("body", "params")

    def __init__(self, params: Sequence[DFPattern] | None, body: DFPattern) -> None:
        self.params = None if params is None else tuple(map(as_pattern, params))
        self.body = as_pattern(body)

    @property
    def parts(self) -> tuple[DFPattern, ...]:
        """The parameters and the body."""
        return (*(self.params or ()), self.body)


class IfPattern(DFPattern):
    """Choices whose condition and branches match."""

    __slots__ = ("cond", "false_branch", "true_branch")

    def __init__(self, cond: DFPattern, true_branch: DFPattern, false_branch: DFPattern) -> None:
        self.cond = as_pattern(cond)
        self.true_branch = as_pattern(true_branch)
        self.false_branch = as_pattern(false_branch)

    @property
    def parts(self) -> tuple[DFPattern, ...]:
        """The condition and the branches."""
        return (self.cond, self.true_branch, self.false_branch)


class LetPattern(DFPattern):
    """Bindings whose variable, value and body match."""

    __slots__ = ("body", "value", "var")

    def __init__(self, var: DFPattern, value: DFPattern, body: DFPattern) -> None:
        self.var = as_pattern(var)
        self.value = as_pattern(value)
        self.body = as_pattern(body)

    @property
    def parts(self) -> tuple[DFPattern, ...]:
        """The variable, the value and the body."""
        return (self.var, self.value, self.body)


class TuplePattern(DFPattern):
    """Tuples with matching fields; any fields for None."""

    __slots__ = ("fields",)

    def __init__(self, fields: Sequence[DFPattern] | None) -> None:
        self.fields = None if fields is None else tuple(map(as_pattern, fields))

    @property
    def parts(self) -> tuple[DFPattern, ...]:
        """The fields."""
        return self.fields or ()


class TupleGetItemPattern(DFPattern):
    """Fields of matching tuples: the one of an index, or any for -1."""

    __slots__ = ("index", "tuple")

    def __init__(self, tuple: DFPattern, index: int = -1) -> None:
        self.tuple = as_pattern(tuple)
        self.index = index

    @property
    def parts(self) -> tuple[DFPattern, ...]:
        """The tuple."""
        return (self.tuple,)


class AltPattern(DFPattern):
    """A pattern that matches where one of two does; the left one is tried first."""

    __slots__ = ("left", "right")

    def __init__(self, left: DFPattern, right: DFPattern) -> None:
        self.left = as_pattern(left)
        self.right = as_pattern(right)

    @property
    def parts(self) -> tuple[DFPattern, ...]:
        """Both patterns."""
        return (self.left, self.right)


class TypePattern(DFPattern):
    """The matches of a pattern that have a type."""

    __slots__ = ("pattern", "type")

    def __init__(self, pattern: DFPattern, ttype: Type) -> None:
        self.pattern = as_pattern(pattern)
        self.type = ttype

    @property
    def parts(self) -> tuple[DFPattern, ...]:
        """The pattern."""
        return (self.pattern,)


class DataTypePattern(DFPattern):
    """The matches of a pattern whose elements have a type."""

    __slots__ = ("dtype", "pattern")

    def __init__(self, pattern: DFPattern, dtype: str) -> None:
        self.pattern = as_pattern(pattern)
        self.dtype = str(dtype)

    @property
    def parts(self) -> tuple[DFPattern, ...]:
        """The pattern."""
        return (self.pattern,)


class ShapePattern(DFPattern):
    """The matches of a pattern that have a shape."""

    __slots__ = ("pattern", "shape")

    def __init__(self, pattern: DFPattern, shape: Sequence[Any]) -> None:
        from kc.tvm.relay.types import TensorType

        self.pattern = as_pattern(pattern)
        self.shape = TensorType(shape).shape

    @property
    def parts(self) -> tuple[DFPattern, ...]:
        """The pattern."""
        return (self.pattern,)


class AttrPattern(DFPattern):
    """The matches of a pattern with attributes: of a call, of a function, or of an operator, whose
    attributes are ``TOpPattern`` and those of ``kc.ir.register_op_attr``."""

    __slots__ = ("attrs", "pattern")

    def __init__(self, pattern: DFPattern, attrs: Mapping[str, Any]) -> None:
        self.pattern = as_pattern(pattern)
        self.attrs = dict(attrs)

    @property
    def parts(self) -> tuple[DFPattern, ...]:
        """The pattern."""
        return (self.pattern,)


class DominatorPattern(DFPattern):
    """Matches of ``child`` which every way from a match of ``parent`` leads to, over matches of
    ``path``."""

    __slots__ = ("child", "parent", "path")

    def __init__(self, parent: DFPattern, path: DFPattern, child: DFPattern) -> None:
        self.parent = as_pattern(parent)
        self.path = as_pattern(path)
        self.child = as_pattern(child)

    @property
    def parts(self) -> tuple[DFPattern, ...]:
        """The child, the path and the parent."""
        return (self.child, self.path, self.parent)


def is_var(name: str = "") -> VarPattern:
    """Variables, those of a name unless it is empty."""
    return VarPattern(name)


def is_constant() -> ConstantPattern:
    """Constants."""
    return ConstantPattern()


def is_expr(expr: Any) -> ExprPattern:
    """Expressions that are structurally equal to one."""
    return ExprPattern(expr)


def is_op(op_name: str) -> ExprPattern:
    """An operator: ``is_op("nn.conv2d")(wildcard(), wildcard())`` are its calls.

    Raises GraphError KC2404 for an unknown one.
    """
    from kc.tvm.relay import op

    return ExprPattern(op.get(op_name))


def is_tuple(fields: Sequence[DFPattern] | None = None) -> TuplePattern:
    """Tuples with matching fields; any fields for None."""
    return TuplePattern(fields)


def is_tuple_get_item(tuple_value: DFPattern, index: int | None = None) -> TupleGetItemPattern:
    """Fields of matching tuples: the one of an index, or any for None."""
    return TupleGetItemPattern(tuple_value, -1 if index is None else index)


def is_if(cond: DFPattern, true_branch: DFPattern, false_branch: DFPattern) -> IfPattern:
    """Choices whose condition and branches match."""
    return IfPattern(cond, true_branch, false_branch)


def is_let(var: DFPattern, value: DFPattern, body: DFPattern) -> LetPattern:
    """Bindings whose variable, value and body match."""
    return LetPattern(var, value, body)


def wildcard() -> WildcardPattern:
    """Every expression."""
    return WildcardPattern()


def has_type(ttype: Type, pattern: DFPattern | None = None) -> TypePattern:
    """The matches of a pattern, of every expression for None, that have a type."""
    return TypePattern(wildcard() if pattern is None else pattern, ttype)


def has_dtype(dtype: str, pattern: DFPattern | None = None) -> DataTypePattern:
    """The matches of a pattern, of every expression for None, whose elements have a type."""
    return DataTypePattern(wildcard() if pattern is None else pattern, dtype)


def has_shape(shape: Sequence[Any], pattern: DFPattern | None = None) -> ShapePattern:
    """The matches of a pattern, of every expression for None, that have a shape."""
    return ShapePattern(wildcard() if pattern is None else pattern, shape)


def has_attr(attrs: Mapping[str, Any], pattern: DFPattern | None = None) -> AttrPattern:
    """The matches of a pattern, of every expression for None, with attributes."""
    return AttrPattern(wildcard() if pattern is None else pattern, attrs)


def dominates(parent: DFPattern, path: DFPattern, child: DFPattern) -> DominatorPattern:
    """Matches of ``child`` which every way from ``parent`` leads to, over matches of ``path``."""
    return DominatorPattern(parent, path, child)


def operator_of(pattern: DFPattern) -> str | None:
    """The operator that a pattern of calls is about; None if it is about no single one."""
    if isinstance(pattern, CallPattern) and isinstance(pattern.op, ExprPattern):
        operator = pattern.op.expr
        return operator.name if isinstance(operator, Op) else None
    return None


def is_call_of(expr: Expr, operator: str) -> bool:
    """True if an expression is a call of an operator."""
    return isinstance(expr, Call) and isinstance(expr.op, Op) and expr.op.name == operator
