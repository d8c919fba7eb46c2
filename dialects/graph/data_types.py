"""Data types of graphs: a value is one of several constructors of fields, as a list is.

::

    graph.data @List <"A"> {
      Cons(!graph.type_var<"A">, !graph.adt<"List", !graph.type_var<"A">>),
      Nil()
    }
    %n = graph.construct @List Nil() : () -> !graph.adt<"List", tensor<f32>>
    %l = graph.construct @List Cons(%x, %n) : (...) -> !graph.adt<"List", tensor<f32>>
    %r = graph.match %l : !graph.adt<"List", tensor<f32>> -> tensor<f32> {
      case Cons(%head: tensor<f32>, _) { graph.yield %head : tensor<f32> }
      case Nil() { graph.yield %zero : tensor<f32> }
    }
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects.builtin import (
    ArrayAttr,
    StringAttr,
    SymbolNameConstraint,
    SymbolRefAttr,
    TupleType,
    UnitAttr,
)
from xdsl.ir import Attribute, Data, Operation, ParametrizedAttribute, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_region_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import Pure, SymbolOpInterface, SymbolTable, SymbolUserOpInterface
from xdsl.utils.exceptions import VerifyException

from kc.dialects.graph.control import YieldOp
from kc.dialects.graph.type_variables import solve, substitute_types
from kc.dialects.graph.types import (
    AdtType,
    FnType,
    TypeVarType,
    UnknownType,
    merged_type,
    tuple_type,
    verify_type,
)


@irdl_attr_definition
class ConstructorAttr(ParametrizedAttribute):
    """``#graph.constructor<"Cons", tuple<T, ...>>``: a constructor and the types of its fields."""

    name = "graph.constructor"

    tag: StringAttr
    fields: TupleType


# Patterns -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Wildcard:
    """Any value, without a name."""


@dataclass(frozen=True)
class Binding:
    """Any value, which the case has as an argument."""


@dataclass(frozen=True)
class ConstructorPattern:
    """A value of a constructor, whose fields have these patterns."""

    tag: str
    fields: tuple[Pattern, ...]


@dataclass(frozen=True)
class TuplePattern:
    """A tuple whose fields have these patterns."""

    fields: tuple[Pattern, ...]


Pattern: TypeAlias = Wildcard | Binding | ConstructorPattern | TuplePattern
"""The form of a value that a clause of ``graph.match`` takes."""


@irdl_attr_definition
class PatternAttr(Data[Pattern]):
    """``#graph.pattern<Cons(bind, (_, bind))>``: what a value looks like; ``bind`` is an argument
    of the case, ``_`` is not looked at."""

    name = "graph.pattern"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Pattern:
        with parser.in_angle_brackets():
            return _parse_pattern(parser, lambda: None)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string("<")
        _print_pattern(printer, self.data, iter(()))
        printer.print_string(">")

    @property
    def bindings(self) -> int:
        """The number of values that it gives to the case."""
        return sum(isinstance(part, Binding) for part in parts_of(self.data))


def parts_of(pattern: Pattern) -> Iterator[Pattern]:
    """A pattern and the patterns in it, from left to right."""
    yield pattern
    if isinstance(pattern, ConstructorPattern | TuplePattern):
        for field in pattern.fields:
            yield from parts_of(field)


def _parse_pattern(parser: AttrParser, argument: object, depth: int = 0) -> Pattern:
    if depth > 100:
        parser.raise_error("a pattern is nested more than 100 deep")
    if parser.parse_optional_punctuation("(") is not None:
        fields: list[Pattern] = []
        if parser.parse_optional_punctuation(")") is None:
            fields.append(_parse_pattern(parser, argument, depth + 1))
            while parser.parse_optional_punctuation(",") is not None:
                fields.append(_parse_pattern(parser, argument, depth + 1))
            parser.parse_punctuation(")")
        return TuplePattern(tuple(fields))
    if isinstance(parser, Parser) and callable(argument):
        declared = argument()
        if declared:
            return Binding()
    tag = parser.parse_identifier()
    if tag == "_":
        return Wildcard()
    if tag == "bind":
        return Binding()
    fields = list(
        parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, lambda: _parse_pattern(parser, argument, depth + 1)
        )
    )
    return ConstructorPattern(tag, tuple(fields))


def _print_pattern(printer: Printer, pattern: Pattern, arguments: Iterator[SSAValue]) -> None:
    match pattern:
        case Wildcard():
            printer.print_string("_")
        case Binding():
            argument = next(arguments, None)
            if argument is None:
                printer.print_string("bind")
            else:
                printer.print_block_argument(argument)  # pyright: ignore[reportArgumentType]
        case ConstructorPattern() | TuplePattern():
            if isinstance(pattern, ConstructorPattern):
                printer.print_string(pattern.tag)
            printer.print_string("(")
            for n, field in enumerate(pattern.fields):
                if n:
                    printer.print_string(", ")
                _print_pattern(printer, field, arguments)
            printer.print_string(")")


# Data types ---------------------------------------------------------------------------------------


@irdl_op_definition
class DataOp(IRDLOperation):
    """``graph.data @List <"A"> { Cons(T, ...), Nil() }``: a data type of the module."""

    name = "graph.data"

    sym_name = prop_def(SymbolNameConstraint())
    parameters = prop_def(ArrayAttr[StringAttr])
    constructors = prop_def(ArrayAttr[ConstructorAttr])

    traits = traits_def(SymbolOpInterface())

    def __init__(
        self,
        name: str,
        parameters: Sequence[str],
        constructors: Mapping[str, Sequence[Attribute]],
    ) -> None:
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "parameters": ArrayAttr([StringAttr(each) for each in parameters]),
                "constructors": ArrayAttr(
                    [
                        ConstructorAttr(StringAttr(tag), tuple_type(fields))
                        for tag, fields in constructors.items()
                    ]
                ),
            }
        )

    @property
    def type(self) -> AdtType:
        """The type, of its own parameters."""
        return AdtType(self.sym_name, tuple_type([TypeVarType(each) for each in self.parameters]))

    def fields_of(self, tag: str) -> tuple[Attribute, ...] | None:
        """The declared types of the fields of a constructor; None if there is none such."""
        for constructor in self.constructors:
            if constructor.tag.data == tag:
                return tuple(constructor.fields.types)
        return None

    @property
    def tags(self) -> list[str]:
        """The names of the constructors."""
        return [constructor.tag.data for constructor in self.constructors]

    def verify_(self) -> None:
        name = self.sym_name.data
        tags, parameters = self.tags, [each.data for each in self.parameters]
        for noun, names in (("constructor", tags), ("parameter", parameters)):
            for each in names:
                if names.count(each) > 1:
                    raise VerifyException(f"graph.data @{name}: two {noun}s are named {each}")
                if not each.isidentifier() or each in ("_", "bind"):
                    raise VerifyException(f"graph.data @{name}: {each!r} is no name of a {noun}")
        for constructor in self.constructors:
            verify_type(constructor.fields)

    @classmethod
    def parse(cls, parser: Parser) -> DataOp:
        name = parser.parse_symbol_name()
        parameters: list[str] = []
        if parser.parse_optional_punctuation("<") is not None:
            parameters.append(parser.parse_str_literal())
            while parser.parse_optional_punctuation(",") is not None:
                parameters.append(parser.parse_str_literal())
            parser.parse_punctuation(">")

        def constructor() -> ConstructorAttr:
            tag = parser.parse_identifier()
            fields = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
            return ConstructorAttr(StringAttr(tag), tuple_type(fields))

        constructors = parser.parse_comma_separated_list(parser.Delimiter.BRACES, constructor)
        operation = cls(name.data, parameters, {})
        operation.constructors = ArrayAttr(constructors)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        if attributes is not None:
            operation.attributes |= attributes.data
        return operation

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        if self.parameters.data:
            printer.print_string(" <")
            printer.print_list(self.parameters, printer.print_attribute)
            printer.print_string(">")
        printer.print_string(" {")
        for n, constructor in enumerate(self.constructors):
            printer.print_string(", " if n else " ")
            printer.print_string(constructor.tag.data)
            printer.print_string("(")
            printer.print_list(constructor.fields.types, printer.print_attribute)
            printer.print_string(")")
        printer.print_string(" }")
        printer.print_op_attributes(self.attributes, print_keyword=True)


def instance_fields(data: DataOp, tag: str, type_: Attribute) -> tuple[Attribute, ...] | None:
    """The types of the fields of a constructor in a value of this type; None if it has none.

    ``type_`` is an instance of the data type, or unknown.
    """
    fields = data.fields_of(tag)
    values: dict[str, Attribute] = {}
    if fields is None or not solve(data.type, type_, values):
        return None
    return tuple(substitute_types(field, values) for field in fields)


def data_op(at: Operation, type_: Attribute | str) -> DataOp | None:
    """The data type of this name, or of this type, in the module of an operation; else None."""
    if isinstance(type_, AdtType):
        type_ = type_.symbol.data
    if not isinstance(type_, str):
        return None
    operation = SymbolTable.lookup_symbol(at, type_)
    return operation if isinstance(operation, DataOp) else None


class _DataExists(SymbolUserOpInterface):
    def verify(self, op: Operation) -> None:
        assert isinstance(op, ConstructOp | ConstructorOp)
        data = SymbolTable.lookup_symbol(op, op.data)
        if not isinstance(data, DataOp):
            raise VerifyException(f"{op.name}: there is no graph.data {op.data}")
        fields = data.fields_of(op.tag.data)
        if fields is None:
            raise VerifyException(
                f"{op.name}: {op.data} has no constructor {op.tag.data}; it has "
                f"{', '.join(data.tags) or 'none'}"
            )
        declared = FnType(tuple_type(fields), data.type)
        values: dict[str, Attribute] = {}
        if not solve(declared, op.own_type, values):
            raise VerifyException(
                f"{op.name}: {op.tag.data} is {declared}, which {op.own_type} is no instance of"
            )


@irdl_op_definition
class ConstructOp(IRDLOperation):
    """``%l = graph.construct @List Cons(%x, %n) : (T, U) -> !graph.adt<"List", T>``."""

    name = "graph.construct"

    data = prop_def(SymbolRefAttr)
    tag = prop_def(StringAttr)
    fields = var_operand_def()
    result = result_def(AdtType | UnknownType)

    traits = traits_def(Pure(), _DataExists())

    def __init__(
        self, data: str, tag: str, fields: Sequence[SSAValue], result_type: Attribute
    ) -> None:
        super().__init__(
            operands=[list(fields)],
            properties={"data": SymbolRefAttr(data), "tag": StringAttr(tag)},
            result_types=[result_type],
        )

    @property
    def own_type(self) -> FnType:
        """The type that the constructor has here."""
        return FnType(tuple_type([field.type for field in self.fields]), self.result.type)

    @classmethod
    def parse(cls, parser: Parser) -> ConstructOp:
        data = parser.parse_symbol_name()
        tag = parser.parse_identifier()
        names = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        parser.parse_punctuation("->")
        result_type = parser.parse_type()
        fields = parser.resolve_operands(names, types, position)
        operation = cls(data.data, tag, fields, result_type)
        operation.attributes |= attributes
        return operation

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.data.string_value())
        printer.print_string(f" {self.tag.data}(")
        printer.print_list(self.fields, printer.print_ssa_value)
        printer.print_string(")")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : (")
        printer.print_list([field.type for field in self.fields], printer.print_attribute)
        printer.print_string(") -> ")
        printer.print_attribute(self.result.type)


@irdl_op_definition
class ConstructorOp(IRDLOperation):
    """``%f = graph.constructor @List Cons : !graph.fn<...>``: a constructor as a function."""

    name = "graph.constructor"

    data = prop_def(SymbolRefAttr)
    tag = prop_def(StringAttr)
    result = result_def(FnType | UnknownType)

    traits = traits_def(Pure(), _DataExists())

    def __init__(self, data: str, tag: str, result_type: Attribute) -> None:
        super().__init__(
            properties={"data": SymbolRefAttr(data), "tag": StringAttr(tag)},
            result_types=[result_type],
        )

    @property
    def own_type(self) -> Attribute:
        """The type that the constructor has here."""
        return self.result.type

    @classmethod
    def parse(cls, parser: Parser) -> ConstructorOp:
        data = parser.parse_symbol_name()
        tag = parser.parse_identifier()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        operation = cls(data.data, tag, parser.parse_type())
        operation.attributes |= attributes
        return operation

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_symbol_name(self.data.string_value())
        printer.print_string(f" {self.tag.data}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)


@irdl_op_definition
class MatchOp(IRDLOperation):
    """``%r = graph.match %x : T -> U { case Cons(%h: V, _) { ... } case Nil() { ... } }``.

    The first case whose pattern the value has is computed, with the parts of the value that its
    pattern names. With the attribute ``partial`` a value may have none of the patterns, which is an
    error when it runs; else ``infer-type`` refuses a match that lacks a case.
    """

    name = "graph.match"

    data = operand_def()
    patterns = prop_def(ArrayAttr[PatternAttr])
    partial = opt_prop_def(UnitAttr)
    cases = var_region_def("single_block")
    result = result_def()

    def __init__(
        self,
        data: SSAValue,
        cases: Sequence[tuple[Pattern, Region]],
        result_type: Attribute,
        partial: bool = False,
    ) -> None:
        super().__init__(
            operands=[data],
            properties={
                "patterns": ArrayAttr([PatternAttr(pattern) for pattern, _ in cases]),
                "partial": UnitAttr() if partial else None,
            },
            regions=[[region for _, region in cases]],
            result_types=[result_type],
        )

    def verify_(self) -> None:
        if len(self.patterns) != len(self.cases):
            raise VerifyException("graph.match: each case has one pattern")
        for pattern, region in zip(self.patterns, self.cases, strict=True):
            if len(region.block.args) != pattern.bindings:
                raise VerifyException(
                    f"graph.match: the case {pattern} names {pattern.bindings} values, its block "
                    f"has {len(region.block.args)}"
                )
            last = region.block.last_op
            if not isinstance(last, YieldOp):
                raise VerifyException("graph.match: each region must end with graph.yield")
            if [value.type for value in last.values] != [self.result.type]:
                raise VerifyException(
                    f"graph.match: a case yields another type than {self.result.type}"
                )
            self._verify_pattern(pattern.data, self.data.type, iter(region.block.args))

    def _verify_pattern(
        self, pattern: Pattern, type_: Attribute, arguments: Iterator[SSAValue]
    ) -> None:
        types = pattern_types(self, pattern, type_)
        for argument, own_type in zip(arguments, types, strict=True):
            if merged_type(argument.type, own_type) is None:
                raise VerifyException(
                    f"graph.match: an argument of a case is {argument.type}, the part of the value "
                    f"is {own_type}"
                )

    @classmethod
    def parse(cls, parser: Parser) -> MatchOp:
        name = parser.parse_unresolved_operand()
        partial = parser.parse_optional_keyword("partial") is not None
        parser.parse_punctuation(":")
        data = parser.resolve_operand(name, parser.parse_type())
        parser.parse_punctuation("->")
        result_type = parser.parse_type()
        cases: list[tuple[Pattern, Region]] = []
        parser.parse_punctuation("{")
        while parser.parse_optional_keyword("case") is not None:
            arguments: list[Parser.Argument] = []

            def argument(arguments: list[Parser.Argument] = arguments) -> bool:
                declared = parser.parse_optional_argument(expect_type=True)
                if declared is not None:
                    arguments.append(declared)
                return declared is not None

            pattern = _parse_pattern(parser, argument)
            cases.append((pattern, parser.parse_region(arguments)))  # pyright: ignore[reportArgumentType]
        parser.parse_punctuation("}")
        operation = cls(data, cases, result_type, partial)
        attributes = parser.parse_optional_attr_dict_with_keyword()
        if attributes is not None:
            operation.attributes |= attributes.data
        return operation

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.data)
        if self.partial is not None:
            printer.print_string(" partial")
        printer.print_string(" : ")
        printer.print_attribute(self.data.type)
        printer.print_string(" -> ")
        printer.print_attribute(self.result.type)
        printer.print_string(" {")
        with printer.indented():
            for pattern, region in zip(self.patterns, self.cases, strict=True):
                printer._print_new_line()  # pyright: ignore[reportPrivateUsage]
                printer.print_string("case ")
                _print_pattern(printer, pattern.data, iter(region.block.args))
                printer.print_string(" ")
                printer.print_region(region, print_entry_block_args=False)
        printer._print_new_line()  # pyright: ignore[reportPrivateUsage]
        printer.print_string("}")
        printer.print_op_attributes(self.attributes, print_keyword=True)


def pattern_types(at: Operation, pattern: Pattern, type_: Attribute) -> list[Attribute]:
    """The types of the values that a pattern names in a value of a type, as far as they are known.

    Raises VerifyException for a pattern that no value of the type has.
    """
    match pattern:
        case Wildcard():
            return []
        case Binding():
            return [type_]
        case TuplePattern():
            if isinstance(type_, UnknownType):
                fields: Sequence[Attribute] = [UnknownType()] * len(pattern.fields)
            elif isinstance(type_, TupleType) and len(type_.types) == len(pattern.fields):
                fields = list(type_.types)
            else:
                raise VerifyException(
                    f"graph.match: the pattern of {len(pattern.fields)} fields is none of {type_}"
                )
        case ConstructorPattern():
            fields = _fields_of_pattern(at, pattern, type_)
    return [
        part
        for field, own in zip(pattern.fields, fields, strict=True)
        for part in pattern_types(at, field, own)
    ]


def _fields_of_pattern(
    at: Operation, pattern: ConstructorPattern, type_: Attribute
) -> Sequence[Attribute]:
    if isinstance(type_, UnknownType):
        return [UnknownType()] * len(pattern.fields)
    if not isinstance(type_, AdtType):
        raise VerifyException(f"graph.match: {pattern.tag} is no constructor of {type_}")
    data = data_op(at, type_)
    if data is None:
        raise VerifyException(f"graph.match: there is no graph.data @{type_.symbol.data}")
    own = instance_fields(data, pattern.tag, type_)
    if own is None:
        raise VerifyException(
            f"graph.match: {pattern.tag} is no constructor of @{type_.symbol.data}; these are "
            f"{', '.join(data.tags)}"
        )
    if len(own) != len(pattern.fields):
        raise VerifyException(
            f"graph.match: {pattern.tag} has {len(own)} fields, the pattern {len(pattern.fields)}"
        )
    return own


# Exhaustiveness -----------------------------------------------------------------------------------


def missing_case(at: Operation, patterns: Sequence[Pattern], type_: Attribute) -> str | None:
    """A value, as a text, that has none of the patterns; None if each value has one.

    After Maranget, "Warnings for pattern matching" (2007): a row of patterns is followed field by
    field, for each constructor that a field may have.
    """
    values = _missing(at, [(pattern,) for pattern in patterns], (type_,), 0)
    return None if values is None else values[0]


_MOST_STEPS = 40
"""Fields are followed that deep; what is not decided by then counts as covered."""


def _missing(
    at: Operation, rows: Sequence[tuple[Pattern, ...]], types: tuple[Attribute, ...], depth: int
) -> tuple[str, ...] | None:
    """A value for each column, which no row has; None if there are none."""
    if not types:
        return None if rows else ()
    if not rows:
        return tuple("_" for _ in types)
    first, rest = types[0], types[1:]
    heads = [row[0] for row in rows]
    if all(isinstance(head, Wildcard | Binding) for head in heads) or depth > _MOST_STEPS:
        below = _missing(at, [row[1:] for row in rows], rest, depth)
        return None if below is None else ("_", *below)
    if isinstance(first, TupleType):
        parts = tuple(first.types)
        below = _missing(at, _specialized(rows, None, len(parts)), (*parts, *rest), depth + 1)
        if below is None:
            return None
        return (f"({', '.join(below[: len(parts)])})", *below[len(parts) :])
    data = data_op(at, first)
    if data is None:
        return None
    for tag in data.tags:
        fields = instance_fields(data, tag, first)
        assert fields is not None
        inner = _specialized(rows, tag, len(fields))
        below = _missing(at, inner, (*fields, *rest), depth + 1)
        if below is not None:
            return (f"{tag}({', '.join(below[: len(fields)])})", *below[len(fields) :])
    return None


def _specialized(
    rows: Sequence[tuple[Pattern, ...]], tag: str | None, count: int
) -> list[tuple[Pattern, ...]]:
    """The rows that a value of a constructor may have, with its fields as columns."""
    result: list[tuple[Pattern, ...]] = []
    for head, *rest in rows:
        match head:
            case Wildcard() | Binding():
                result.append((*[Wildcard()] * count, *rest))
            case TuplePattern() if tag is None:
                result.append((*head.fields, *rest))
            case ConstructorPattern() if head.tag == tag:
                result.append((*head.fields, *rest))
            case _:
                pass
    return result
