"""Steps of transform scripts that match ops or derive handles from handles."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    IntegerAttr,
    UnitAttr,
)
from xdsl.dialects.transform import (
    TransformHandleType,
    TransformParamHandleType,
)
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from kc.dialects.transform.assembly import parse_signature, print_signature


@irdl_op_definition
class SplitHandleOp(IRDLOperation):
    """``%a, %b = transform.split_handle %ab``: a handle for each op of a handle."""

    name = "transform.split_handle"

    handle = operand_def(TransformHandleType)
    pass_through_empty_handle = opt_prop_def(IntegerAttr)
    fail_on_payload_too_small = opt_prop_def(IntegerAttr)
    overflow_result = opt_prop_def(IntegerAttr)
    results_ = var_result_def(TransformHandleType)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$handle attr-dict `:` functional-type(operands, results)"


@irdl_op_definition
class MergeHandlesOp(IRDLOperation):
    """``transform.merge_handles deduplicate %a, %b : !transform.any_op``."""

    name = "transform.merge_handles"

    deduplicate = opt_prop_def(UnitAttr)
    handles = var_operand_def(TransformHandleType)
    result = result_def(TransformHandleType)

    @classmethod
    def parse(cls, parser: Parser) -> MergeHandlesOp:
        once = parser.parse_optional_keyword("deduplicate") is not None
        handles = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        return cls.build(
            operands=[parser.resolve_operands(handles, [type_] * len(handles), parser.pos)],
            result_types=[type_],
            properties={"deduplicate": UnitAttr()} if once else {},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" deduplicate " if self.deduplicate is not None else " ")
        printer.print_list(self.handles, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.result.type)


@irdl_op_definition
class GetParentOp(IRDLOperation):
    """``transform.get_parent_op %op {op_name = "scf.for"}``: the op around an op."""

    name = "transform.get_parent_op"

    target = operand_def(TransformHandleType)
    isolated_from_above = opt_prop_def(UnitAttr)
    allow_empty_results = opt_prop_def(UnitAttr)
    op_name = opt_prop_def()
    deduplicate = opt_prop_def(UnitAttr)
    nth_parent = opt_prop_def(IntegerAttr)
    parent_result = result_def(TransformHandleType)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$target attr-dict `:` functional-type(operands, results)"


class _NeighbourOp(IRDLOperation):
    """The producer or a consumer of a value of an op."""

    target = operand_def(TransformHandleType)

    @classmethod
    def parse(cls, parser: Parser) -> _NeighbourOp:
        target = parser.parse_unresolved_operand()
        parser.parse_punctuation("[")
        number = parser.parse_integer()
        parser.parse_punctuation("]")
        attributes = parser.parse_optional_attr_dict()
        at = parser.pos
        type_ = parse_signature(parser)
        (name,) = cls.get_irdl_definition().properties
        return cls.build(
            operands=parser.resolve_operands([target], type_.inputs.data, at),
            result_types=list(type_.outputs.data),
            properties={name: IntegerAttr(number, 64)},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.target)
        printer.print_string(f"[{self.position}]")
        printer.print_op_attributes(self.attributes)
        print_signature(printer, self)

    @property
    def position(self) -> int:
        """The number of the operand or result."""
        (number,) = self.properties.values()
        assert isinstance(number, IntegerAttr)
        return number.value.data


@irdl_op_definition
class GetProducerOfOperandOp(_NeighbourOp):
    """``transform.get_producer_of_operand %op[0]``."""

    name = "transform.get_producer_of_operand"

    operand_number = prop_def(IntegerAttr)
    producer = result_def(TransformHandleType)


@irdl_op_definition
class GetConsumersOfResultOp(_NeighbourOp):
    """``transform.get_consumers_of_result %op[0]``."""

    name = "transform.get_consumers_of_result"

    result_number = prop_def(IntegerAttr)
    consumers = result_def(TransformHandleType)


@irdl_op_definition
class CastOp(IRDLOperation):
    """``transform.cast %op : !transform.any_op to !transform.op<"scf.for">``."""

    name = "transform.cast"

    input = operand_def(TransformHandleType)
    output = result_def(TransformHandleType)

    assembly_format = "$input attr-dict `:` type($input) `to` type($output)"


@irdl_op_definition
class ParamConstantOp(IRDLOperation):
    """``transform.param.constant 8 : i64 -> !transform.param<i64>``."""

    name = "transform.param.constant"

    value = prop_def()
    param = result_def(TransformParamHandleType)

    assembly_format = "$value attr-dict `->` type($param)"
