"""Types and values of the dialect sched: handles, sampled numbers, and literals as attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
    i1,
    i64,
)
from xdsl.ir import Attribute, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException


@irdl_attr_definition
class LoopType(ParametrizedAttribute, TypeAttribute):
    """A handle on a loop."""

    name = "sched.loop"


@irdl_attr_definition
class BlockType(ParametrizedAttribute, TypeAttribute):
    """A handle on a block."""

    name = "sched.block"


@irdl_attr_definition
class ParamType(ParametrizedAttribute, TypeAttribute):
    """A number that is only known when the schedule runs, such as a sampled number."""

    name = "sched.param"


@irdl_attr_definition
class ParamAttr(ParametrizedAttribute):
    """A reference to an operand in a value: ``#sched.param_at<0>`` is the first param."""

    name = "sched.param_at"

    index: IntAttr = param_def()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            return [IntAttr(parser.parse_integer(allow_boolean=False, allow_negative=False))]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(str(self.index.data))


TYPES: dict[str, Attribute] = {
    "loop": LoopType(),
    "block": BlockType(),
    "param": ParamType(),
}
"""The type of each kind of variable."""


def result_type(step: Any) -> Attribute:
    """The type of the results of a step."""
    return TYPES[step.gives.removeprefix("optional ").rstrip("s")]


def to_attr(value: Any, params: list[SSAValue], *, symbol: bool = False) -> Attribute:
    """A value as an attribute. SSA values in it are appended to ``params``."""
    if isinstance(value, SSAValue):
        params.append(value)
        return ParamAttr(IntAttr(len(params) - 1))
    if value is None:
        return UnitAttr()
    if isinstance(value, bool):
        return IntegerAttr.from_bool(value)
    if isinstance(value, int):
        return IntegerAttr(value, i64)
    if isinstance(value, float):
        return FloatAttr(value, f64)
    if isinstance(value, list | tuple):
        return ArrayAttr([to_attr(element, params) for element in value])
    if isinstance(value, Mapping):
        return DictionaryAttr(
            {str(key): to_attr(element, params) for key, element in value.items()}
        )
    return SymbolRefAttr(str(value)) if symbol else StringAttr(str(value))


def from_attr(attr: Attribute, params: Sequence[SSAValue]) -> Any:
    """The value of an attribute."""
    if isinstance(attr, ParamAttr):
        if attr.index.data >= len(params):
            raise VerifyException(f"{attr} is not one of its {len(params)} params")
        return params[attr.index.data]
    if isinstance(attr, UnitAttr):
        return None
    if isinstance(attr, IntegerAttr):
        value = attr.value.data
        return bool(value) if attr.type == i1 else value
    if isinstance(attr, FloatAttr):
        return attr.value.data
    if isinstance(attr, StringAttr):
        return attr.data
    if isinstance(attr, SymbolRefAttr):
        return attr.string_value()
    if isinstance(attr, ArrayAttr):
        return [from_attr(element, params) for element in attr.data]
    if isinstance(attr, DictionaryAttr):
        return {key: from_attr(element, params) for key, element in attr.data.items()}
    raise VerifyException(f"{attr} is not a value of a schedule")
