"""Data types by Relay's names: ``TypeData``, ``Constructor``, ``Match`` and patterns.

::

    List = relay.GlobalTypeVar("List")
    A = relay.TypeVar("A")
    data = relay.TypeData(List, [A], [relay.Constructor("Cons", [A, List(A)], List),
                                      relay.Constructor("Nil", [], List)])
    mod[List] = data
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kc.dialects.graph import data_types as ir
from kc.dialects.graph.data_types import DataOp
from kc.support.diagnostics import GraphError
from kc.support.locations import caller_location
from kc.tvm.nodes.node_objects import Type
from kc.tvm.relay.expr import Expr, Var, as_expr
from kc.tvm.relay.types import TypeCall, TypeVar, to_ir


class GlobalTypeVar(str):
    """The name of a data type; ``List(A)`` is the type with its arguments."""

    @property
    def name_hint(self) -> str:
        """The name."""
        return str(self)

    def __call__(self, *args: Type) -> TypeCall:
        return TypeCall(self, args)


class Constructor(Expr):
    """A constructor of a data type; calling it makes a value."""

    __slots__ = ("belong_to", "inputs", "name_hint", "type_data")

    def __init__(
        self, name_hint: str, inputs: Sequence[Type], belong_to: GlobalTypeVar | str
    ) -> None:
        super().__init__()
        self.name_hint = name_hint
        self.inputs = list(inputs)
        self.belong_to = GlobalTypeVar(belong_to)
        self.type_data: TypeData | None = None
        """The data type, once there is one that has the constructor."""

    @property
    def tag(self) -> int:
        """The position among the constructors of the data type."""
        return self.declared.constructors.index(self)

    @property
    def declared(self) -> TypeData:
        """The data type. Raises GraphError KC2403 if none has the constructor."""
        if self.type_data is None:
            raise GraphError(
                "KC2403",
                f"the constructor {self.name_hint} belongs to no data type",
                location=caller_location(),
                hints=[f"relay.TypeData({self.belong_to}, [], [{self.name_hint}, ...])"],
            )
        return self.type_data

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Constructor)
            and other.name_hint == self.name_hint
            and other.belong_to == self.belong_to
        )

    def __hash__(self) -> int:
        return hash((self.name_hint, self.belong_to))


class TypeData:
    """A data type: its name, its type parameters, its constructors."""

    def __init__(
        self,
        header: GlobalTypeVar | str,
        type_vars: Sequence[TypeVar],
        constructors: Sequence[Constructor],
    ) -> None:
        self.header = GlobalTypeVar(header)
        self.type_vars = list(type_vars)
        self.constructors = list(constructors)
        for constructor in self.constructors:
            constructor.type_data = self

    def graph_function(self, name: str) -> list[Any]:
        """The operations of a module that are this type (see :class:`kc.IRModule`)."""
        del name
        return [self.to_ir()]

    def to_ir(self) -> DataOp:
        """The declaration in IR."""
        return DataOp(
            str(self.header),
            [each.name for each in self.type_vars],
            {each.name_hint: [to_ir(field) for field in each.inputs] for each in self.constructors},
        )


class Pattern:
    """The base of patterns."""

    def variables(self) -> Iterator[Var]:
        """The variables that the pattern binds, from left to right."""
        for field in getattr(self, "patterns", ()):
            yield from field.variables()

    def to_ir(self) -> ir.Pattern:
        """The pattern in IR."""
        raise NotImplementedError


class PatternWildcard(Pattern):
    """``_``: any value."""

    def to_ir(self) -> ir.Pattern:
        return ir.Wildcard()


class PatternVar(Pattern):
    """A variable, which is bound to the value."""

    def __init__(self, var: Var) -> None:
        self.var = var

    def variables(self) -> Iterator[Var]:
        yield self.var

    def to_ir(self) -> ir.Pattern:
        return ir.Binding()


class PatternConstructor(Pattern):
    """A value of a constructor whose fields have patterns."""

    def __init__(self, constructor: Constructor, patterns: Sequence[Pattern] = ()) -> None:
        self.constructor = constructor
        self.patterns = list(patterns)

    def to_ir(self) -> ir.Pattern:
        fields = tuple(field.to_ir() for field in self.patterns)
        return ir.ConstructorPattern(self.constructor.name_hint, fields)


class PatternTuple(Pattern):
    """A tuple whose fields have patterns."""

    def __init__(self, patterns: Sequence[Pattern] = ()) -> None:
        self.patterns = list(patterns)

    def to_ir(self) -> ir.Pattern:
        return ir.TuplePattern(tuple(field.to_ir() for field in self.patterns))


class Clause:
    """A case of a match: a pattern, and the expression for a value that has it."""

    def __init__(self, lhs: Pattern, rhs: Any) -> None:
        self.lhs = lhs
        self.rhs = as_expr(rhs)


class Match(Expr):
    """The expression of the first clause whose pattern the value has.

    With ``complete`` each value of the type has one; else another one is an error when it comes.
    """

    __slots__ = ("clauses", "complete", "data")

    def __init__(self, data: Any, clauses: Sequence[Clause], complete: bool = True) -> None:
        super().__init__()
        self.data = as_expr(data)
        self.clauses = list(clauses)
        self.complete = complete


def constructors_of(pattern: Pattern) -> Iterator[Constructor]:
    """The constructors in a pattern."""
    if isinstance(pattern, PatternConstructor):
        yield pattern.constructor
    for field in getattr(pattern, "patterns", ()):
        yield from constructors_of(field)
