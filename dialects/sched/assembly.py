"""The custom form of the operations of ``sched``: a uniform syntax that is derived from
declarations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FloatAttr,
    IntAttr,
    IntegerAttr,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    f64,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.mlir_lexer import MLIRTokenKind

from kc.dialects.sched.values import TYPES, ParamAttr, from_attr, result_type
from kc.support.declarations import REQUIRED, Parameter, Slot, parameters, result_count, slots
from kc.support.diagnostics import suggest

MOST_RESULTS = 1024
"""The maximum number of results of a step, because text may contain any number."""


def leading_operands(step: Any) -> list[Parameter]:
    """The parameters for the leading loop and block operands, in order."""
    leading: list[Parameter] = []
    for parameter in parameters(step):
        slot = parameter.slots[0]
        is_required = len(parameter.slots) > 1 or slot.default is REQUIRED or parameter.variadic
        if parameter.names_ir and (is_required or parameter.element is not None or slot.leading):
            if not any(slot in parameter.slots for parameter in leading):
                leading.append(parameter)
    return leading


def parse(cls: Any, parser: Parser) -> Any:
    """The operation of class ``cls`` whose name was just read."""
    return _Reader(cls, parser).read()


class _Reader:
    def __init__(self, cls: Any, parser: Parser) -> None:
        self.cls = cls
        self.step = cls.STEP
        self.parser = parser
        self.operands: dict[str, list[SSAValue]] = {}
        self.params: list[SSAValue] = []
        self.values: dict[str, Attribute] = {}

    def read(self) -> Any:
        start = self.parser._current_token.span
        leading = leading_operands(self.step)
        self._leading_operands(leading)
        rest = [
            slot
            for slot in slots(self.step)
            if not any(slot in parameter.slots for parameter in leading)
        ]
        for slot in [slot for slot in rest if slot.leading]:
            self.values[slot.name] = self._value()
        rest = [slot for slot in rest if not slot.leading]
        while self._at_keyword():
            self._keyword(rest)
        attributes = self.parser.parse_optional_attr_dict()
        fields = {key: from_attr(value, self.params) for key, value in self.values.items()}
        count = result_count(self.step, fields)
        types: Sequence[Attribute]
        if count is not None and count > MOST_RESULTS:
            self.parser.raise_error(f"{self.cls.name} gives at most {MOST_RESULTS} results", start)
        if count is not None:
            types = [result_type(self.step)] * count if count else []
        elif self.parser.parse_optional_punctuation(":") is not None:
            types = self.parser.parse_comma_separated_list(
                self.parser.Delimiter.NONE, self.parser.parse_type
            )
        else:
            types = []
        handles = [self.operands.get(slot.name, []) for slot in slots(self.step) if slot.handle]
        return self.cls(
            operands=[*handles, self.params],
            properties=self.values,
            attributes=attributes,
            result_types=[types],
        )

    def _leading_operands(self, leading: list[Parameter]) -> None:
        operands: list[SSAValue] = []
        spans = [self.parser._current_token.span]
        kind = leading[0].slots[0].handle if leading else None
        first = self._optional_operand(kind)
        while first is not None:
            operands.append(first)
            if self.parser.parse_optional_punctuation(",") is None:
                break
            spans.append(self.parser._current_token.span)
            first = self._operand(kind)
        count = len(operands)
        for number, parameter in enumerate(leading):
            is_last = number == len(leading) - 1
            takes_all = is_last and (
                parameter.variadic
                or parameter.element is not None
                or any(slot.many for slot in parameter.slots)
            )
            taken = operands if takes_all else operands[:1]
            operands = operands[len(taken) :]
            if taken:
                slot = self._slot_for(parameter, taken)
                self.operands[slot.name] = taken
        if operands:
            names = ", ".join(parameter.name for parameter in leading) or "none"
            self.parser.raise_error(
                f"{self.cls.name} takes fewer loops and blocks: {names}",
                spans[count - len(operands)],
            )

    def _slot_for(self, parameter: Parameter, values: Sequence[SSAValue]) -> Slot:
        """The field for the operands of a parameter, by their type."""
        if len(parameter.slots) == 1:
            return parameter.slots[0]
        kind = values[0].type.name.removeprefix("sched.")
        fitting = [slot for slot in parameter.slots if slot.handle == kind]
        fitting = [slot for slot in fitting if slot.many or len(values) == 1] or fitting
        return fitting[0] if fitting else parameter.slots[0]

    def _optional_operand(self, kind: str | None) -> SSAValue | None:
        if self.parser._current_token.kind is not MLIRTokenKind.PERCENT_IDENT:
            return None
        return self._operand(kind)

    def _operand(self, kind: str | None) -> SSAValue:
        operand = self.parser.parse_unresolved_operand()
        values = self.parser.ssa_values.get(operand.operand_name)
        if values is not None and operand.index < len(values):
            return values[operand.index]
        # Used before its definition: the verifier reports it.
        return self.parser.resolve_operand(operand, TYPES[kind or "param"])

    def _at_keyword(self) -> bool:
        token = self.parser._current_token
        return (
            token.kind is MLIRTokenKind.BARE_IDENT and "." not in token.text and token.text != "loc"
        )

    def _keyword(self, rest: list[Slot]) -> None:
        token = self.parser._current_token
        slot = next((slot for slot in rest if slot.keyword == token.text), None)
        if slot is None:
            hints = suggest(token.text, [slot.keyword for slot in rest], "the options are")
            more = f"; {hints[0]}" if hints else ""
            self.parser.raise_error(
                f"{self.cls.name} has no option '{token.text}'{more}", token.span
            )
        if slot.name in self.values or slot.name in self.operands:
            self.parser.raise_error(f"'{token.text}' is given twice", token.span)
        self.parser._consume_token()
        if slot.handle is not None:
            self.operands[slot.name] = self._handles(slot)
        elif slot.metadata.get("symbol"):
            self.values[slot.name] = SymbolRefAttr(self.parser.parse_symbol_name())
        elif slot.types == (bool,):
            flag = self.parser.parse_optional_boolean()
            self.values[slot.name] = IntegerAttr.from_bool(flag is not False)
        else:
            self.values[slot.name] = self._value()

    def _handles(self, slot: Slot) -> list[SSAValue]:
        if slot.many:
            return self.parser.parse_comma_separated_list(
                self.parser.Delimiter.SQUARE, lambda: self._operand(slot.handle)
            )
        return [self._operand(slot.handle)]

    def _value(self) -> Attribute:
        """A literal, a list, or a param."""
        parser = self.parser
        if parser._current_token.kind is MLIRTokenKind.PERCENT_IDENT:
            self.params.append(self._operand("param"))
            return ParamAttr(IntAttr(len(self.params) - 1))
        if parser.parse_optional_punctuation("?") is not None:
            return UnitAttr()
        elements = parser.parse_optional_comma_separated_list(parser.Delimiter.SQUARE, self._value)
        if elements is not None:
            return ArrayAttr(elements)
        if parser.parse_optional_punctuation("{") is not None:
            return self._dictionary()
        text = parser.parse_optional_str_literal()
        if text is not None:
            return StringAttr(text)
        truth = parser.parse_optional_boolean()
        if truth is not None:
            return IntegerAttr.from_bool(truth)
        if parser._current_token.text.startswith("0x"):
            return parser.parse_attribute()  # a float that has no decimal form
        number = parser.parse_number(context_msg=" (or a string, a list, %param or ?)")
        return FloatAttr(number, f64) if isinstance(number, float) else IntegerAttr(number, i64)

    def _dictionary(self) -> Attribute:
        entries: dict[str, Attribute] = {}
        while self.parser.parse_optional_punctuation("}") is None:
            if entries:
                self.parser.parse_punctuation(",")
            key = self.parser.parse_identifier_or_str_literal()
            self.parser.parse_punctuation("=")
            entries[key] = self._value()
        return DictionaryAttr(entries)


def print_(op: Any, printer: Printer) -> None:
    """Everything after the name of the operation."""
    leading = leading_operands(op.STEP)
    first = True
    for parameter in leading:
        for slot in parameter.slots:
            for value in getattr(op, f"{slot.name}_operands"):
                printer.print_string(" " if first else ", ")
                printer.print_ssa_value(value)
                first = False
    rest = [
        slot for slot in slots(op.STEP) if not any(slot in parameter.slots for parameter in leading)
    ]
    for slot in [slot for slot in rest if slot.leading] + [
        slot for slot in rest if not slot.leading
    ]:
        _print_slot(op, slot, printer)
    if op.attributes:
        printer.print_op_attributes(op.attributes)
    if op.results and result_count(op.STEP, op.fields) is None:
        printer.print_string(" : ")
        printer.print_list(op.results, lambda result: printer.print_attribute(result.type))


def _print_slot(op: Any, slot: Slot, printer: Printer) -> None:
    if slot.handle is not None:
        values = getattr(op, f"{slot.name}_operands")
        if values:
            printer.print_string(f" {slot.keyword} ")
            if slot.many:
                with printer.in_square_brackets():
                    printer.print_list(values, printer.print_ssa_value)
            else:
                printer.print_ssa_value(values[0])
        return
    attr = op.properties.get(slot.name)
    if attr is None:
        return
    printer.print_string(" ")
    if not slot.leading:
        printer.print_string(slot.keyword)
        if slot.types == (bool,) and isinstance(attr, IntegerAttr) and attr.value.data:
            return
        printer.print_string(" ")
    _print_value(op, attr, printer)


def _print_value(op: Any, attr: Attribute, printer: Printer) -> None:
    if isinstance(attr, ParamAttr):
        params: Sequence[SSAValue] = op.params
        printer.print_ssa_value(params[attr.index.data])
    elif isinstance(attr, UnitAttr):
        printer.print_string("?")
    elif isinstance(attr, ArrayAttr):
        with printer.in_square_brackets():
            printer.print_list(attr.data, lambda element: _print_value(op, element, printer))
    elif isinstance(attr, DictionaryAttr):
        with printer.in_braces():
            printer.print_list(
                attr.data.items(), lambda entry: _print_entry(op, entry[0], entry[1], printer)
            )
    elif isinstance(attr, IntegerAttr) and attr.type == i64:
        printer.print_string(str(attr.value.data))
    elif isinstance(attr, FloatAttr) and math.isfinite(attr.value.data):
        mantissa, e, exponent = repr(attr.value.data).partition("e")
        printer.print_string(mantissa + ("" if "." in mantissa else ".0") + e + exponent)
    else:
        printer.print_attribute(attr)


def _print_entry(op: Any, key: str, value: Attribute, printer: Printer) -> None:
    if key.isidentifier() and key.isascii():
        printer.print_string(f"{key} = ")
    else:
        printer.print_string_literal(key)
        printer.print_string(" = ")
    _print_value(op, value, printer)
