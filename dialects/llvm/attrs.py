"""Attributes of the llvm dialect that become metadata: loop annotations, scopes, access groups."""

from __future__ import annotations

from abc import ABC
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

from xdsl.dialects.builtin import (
    ArrayAttr,
    BoolAttr,
    IntAttr,
    IntegerAttr,
    NoneAttr,
    StringAttr,
    i32,
)
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

Flag = BoolAttr | NoneAttr
Count = IntegerAttr | NoneAttr


class KeywordAttr(ParametrizedAttribute, ABC):
    """Base of attributes written ``<name = value, ...>`` in which every value is optional.

    A field is a flag, a count (an i32), a nested keyword attribute (printed without its
    ``#llvm.name``), or an array (attributes separated by commas, which can only come last). The
    text has its name in camel case.
    """

    def __init__(self, **values: Any) -> None:
        kinds = _kinds(type(self))
        if unknown := values.keys() - kinds.keys():
            raise TypeError(f"{self.name} has no parameter {sorted(unknown)[0]}")
        super().__init__(*(_as_attribute(values.get(name)) for name in kinds))

    def print_parameters(self, printer: Printer) -> None:
        parameters = [
            (name, value)
            for name, value in zip(_kinds(type(self)), self.parameters, strict=True)
            if not isinstance(value, NoneAttr)
        ]

        def print_one(item: tuple[str, Attribute]) -> None:
            name, value = item
            printer.print_string(f"{name} = ")
            if isinstance(value, KeywordAttr):
                value.print_parameters(printer)
            elif isinstance(value, ArrayAttr):
                printer.print_list(value.data, printer.print_attribute)
            else:
                printer.print_attribute(value)

        with printer.in_angle_brackets():
            printer.print_list(parameters, print_one)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        values: dict[str, Attribute] = {}
        kinds = _kinds(cls)

        def parse_one() -> None:
            name = parser.parse_identifier()
            if name not in kinds or name in values:
                parser.raise_error(f"unexpected parameter '{name}' of #{cls.name}")
            parser.parse_punctuation("=")
            values[name] = _parse_value(parser, kinds[name])

        parser.parse_comma_separated_list(parser.Delimiter.ANGLE, parse_one)
        return [values.get(name, NoneAttr()) for name in kinds]


_NONE = NoneAttr()


@cache
def _kinds(attribute: type[KeywordAttr]) -> dict[str, type[Attribute]]:
    """The parameters by their names in the text, each with the class of its value."""
    hints = get_type_hints(attribute)
    kinds: dict[str, type[Attribute]] = {}
    for field, _ in attribute.get_irdl_definition().parameters:
        (kind,) = (value for value in get_args(hints[field]) if value is not NoneAttr)
        first, *words = field.split("_")
        kinds[first + "".join(map(str.capitalize, words))] = get_origin(kind) or kind
    return kinds


def _as_attribute(value: Any) -> Attribute:
    match value:
        case None:
            return _NONE
        case Attribute():
            return value
        case bool():
            return BoolAttr.from_bool(value)
        case int():
            return IntegerAttr(value, i32)
        case list() | tuple():
            return ArrayAttr(value) if value else _NONE
    raise TypeError(f"cannot make a parameter of {value!r}")


def _parse_value(parser: AttrParser, kind: type[Attribute]) -> Attribute:
    if kind is ArrayAttr:
        return ArrayAttr(
            parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_attribute)
        )
    if issubclass(kind, KeywordAttr):
        # Also written in full, or as an alias.
        value = parser.parse_optional_attribute()
        return kind.new(kind.parse_parameters(parser)) if value is None else value
    return parser.parse_attribute()


@irdl_attr_definition(init=False)
class LoopVectorizeAttr(KeywordAttr):
    name = "llvm.loop_vectorize"
    disable: Flag
    predicate_enable: Flag
    scalable_enable: Flag
    width: Count


@irdl_attr_definition(init=False)
class LoopInterleaveAttr(KeywordAttr):
    name = "llvm.loop_interleave"
    count: Count


@irdl_attr_definition(init=False)
class LoopUnrollAttr(KeywordAttr):
    name = "llvm.loop_unroll"
    disable: Flag
    count: Count
    runtime_disable: Flag
    full: Flag


@irdl_attr_definition(init=False)
class LoopUnrollAndJamAttr(KeywordAttr):
    name = "llvm.loop_unroll_and_jam"
    disable: Flag
    count: Count


@irdl_attr_definition(init=False)
class LoopLICMAttr(KeywordAttr):
    name = "llvm.loop_licm"
    disable: Flag
    versioning_disable: Flag


@irdl_attr_definition(init=False)
class LoopDistributeAttr(KeywordAttr):
    name = "llvm.loop_distribute"
    disable: Flag


@irdl_attr_definition(init=False)
class LoopPipelineAttr(KeywordAttr):
    name = "llvm.loop_pipeline"
    disable: Flag
    initiationinterval: Count  # MLIR writes it in small letters


@irdl_attr_definition(init=False)
class LoopPeeledAttr(KeywordAttr):
    name = "llvm.loop_peeled"
    count: Count


@irdl_attr_definition(init=False)
class LoopUnswitchAttr(KeywordAttr):
    name = "llvm.loop_unswitch"
    partial_disable: Flag


@irdl_attr_definition(init=False)
class LoopAnnotationAttr(KeywordAttr):
    """Hints to LLVM about the loop whose back edge carries this attribute.

    MLIR's ``followup..``, ``startLoc`` and ``endLoc`` parameters are not supported.
    """

    name = "llvm.loop_annotation"
    disable_nonforced: Flag
    vectorize: LoopVectorizeAttr | NoneAttr
    interleave: LoopInterleaveAttr | NoneAttr
    unroll: LoopUnrollAttr | NoneAttr
    unroll_and_jam: LoopUnrollAndJamAttr | NoneAttr
    licm: LoopLICMAttr | NoneAttr
    distribute: LoopDistributeAttr | NoneAttr
    pipeline: LoopPipelineAttr | NoneAttr
    peeled: LoopPeeledAttr | NoneAttr
    unswitch: LoopUnswitchAttr | NoneAttr
    must_progress: Flag
    is_vectorized: Flag
    parallel_accesses: ArrayAttr[Attribute] | NoneAttr


def _parse_id(parser: AttrParser) -> StringAttr | IntAttr:
    """``"name"``, or ``distinct[3]<>`` (kept as its number)."""
    parser.parse_keyword("id")
    parser.parse_punctuation("=")
    if parser.parse_optional_keyword("distinct") is None:
        return StringAttr(parser.parse_str_literal())
    with parser.in_square_brackets():
        number = parser.parse_integer(allow_negative=False)
    parser.parse_punctuation("<")
    parser.parse_punctuation(">")
    return IntAttr(number)


def _print_id(printer: Printer, value: StringAttr | IntAttr) -> None:
    printer.print_string("id = ")
    if isinstance(value, IntAttr):
        printer.print_string(f"distinct[{value.data}]<>")
    else:
        printer.print_attribute(value)


def _parse_description(parser: AttrParser) -> StringAttr | NoneAttr:
    if parser.parse_optional_punctuation(",") is None:
        return NoneAttr()
    parser.parse_keyword("description")
    parser.parse_punctuation("=")
    return StringAttr(parser.parse_str_literal())


@irdl_attr_definition
class AccessGroupAttr(ParametrizedAttribute):
    """``#llvm.access_group<id = distinct[0]<>>``: accesses free of loop-carried dependences."""

    name = "llvm.access_group"
    id: IntAttr

    def __init__(self, id: int | IntAttr) -> None:
        super().__init__(IntAttr(id) if isinstance(id, int) else id)

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            _print_id(printer, self.id)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            position = parser.pos
            value = _parse_id(parser)
            if not isinstance(value, IntAttr):
                parser.raise_error("an access group needs a distinct id", position, parser.pos)
        return [value]


@irdl_attr_definition
class AliasScopeDomainAttr(ParametrizedAttribute):
    """``#llvm.alias_scope_domain<id = "kernel", description = "...">``."""

    name = "llvm.alias_scope_domain"
    id: StringAttr | IntAttr
    description: StringAttr | NoneAttr

    def __init__(self, id: str | int, description: str | None = None) -> None:
        super().__init__(
            IntAttr(id) if isinstance(id, int) else StringAttr(id),
            NoneAttr() if description is None else StringAttr(description),
        )

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            _print_id(printer, self.id)
            if isinstance(self.description, StringAttr):
                printer.print_string(", description = ")
                printer.print_attribute(self.description)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            return [_parse_id(parser), _parse_description(parser)]


@irdl_attr_definition
class AliasScopeAttr(ParametrizedAttribute):
    """``#llvm.alias_scope<id = "A", domain = <id = "kernel">>``."""

    name = "llvm.alias_scope"
    id: StringAttr | IntAttr
    domain: AliasScopeDomainAttr
    description: StringAttr | NoneAttr

    def __init__(
        self, id: str | int, domain: AliasScopeDomainAttr, description: str | None = None
    ) -> None:
        super().__init__(
            IntAttr(id) if isinstance(id, int) else StringAttr(id),
            domain,
            NoneAttr() if description is None else StringAttr(description),
        )

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            _print_id(printer, self.id)
            printer.print_string(", domain = ")
            self.domain.print_parameters(printer)
            if isinstance(self.description, StringAttr):
                printer.print_string(", description = ")
                printer.print_attribute(self.description)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            scope_id = _parse_id(parser)
            parser.parse_punctuation(",")
            parser.parse_keyword("domain")
            parser.parse_punctuation("=")
            domain = parser.parse_optional_attribute()
            if domain is None:
                domain = AliasScopeDomainAttr.new(AliasScopeDomainAttr.parse_parameters(parser))
            return [scope_id, domain, _parse_description(parser)]
