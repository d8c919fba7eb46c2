"""``tosa.cond_if``, ``while_loop`` and ``yield``, with the text of MLIR 22.

xDSL lacks ``while_loop``, and its ``cond_if`` has no block arguments. A branch that names its
tensors has block arguments for them::

    %0 = tosa.cond_if %c (%x = %a) : tensor<i1> (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%x: tensor<4xf32>):
      tosa.yield %x : tensor<4xf32>
    } else { ... }

``tosa-to-linalg`` converts them to ``scf.if`` and ``scf.while``. (TOSA 1.0, control flow.)
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import FunctionType, TensorType
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import VerifyException


@irdl_op_definition
class YieldOp(IRDLOperation):
    """``tosa.yield %0 : tensor<4xf32>``: the results of a region."""

    name = "tosa.yield"

    inputs = var_operand_def(TensorType)

    traits = traits_def(IsTerminator())

    assembly_format = "$inputs attr-dict `:` type($inputs)"


def _named_operands(
    parser: Parser,
) -> tuple[list[Parser.UnresolvedArgument], list[UnresolvedOperand]]:
    """Parse ``(%x = %a, ...)``: arguments of a region with their operands."""

    def entry() -> tuple[Parser.UnresolvedArgument, UnresolvedOperand]:
        argument = parser.parse_argument(expect_type=False)
        parser.parse_punctuation("=")
        return argument, parser.parse_unresolved_operand()

    listed = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, entry) or ()
    return [argument for argument, _ in listed], [operand for _, operand in listed]


def _print_named_operands(
    printer: Printer, args: Sequence[SSAValue], operands: Sequence[SSAValue]
) -> None:
    def entry(pair: tuple[SSAValue, SSAValue]) -> None:
        printer.print_ssa_value(pair[0])
        printer.print_string(" = ")
        printer.print_ssa_value(pair[1])

    printer.print_string(" ")
    with printer.in_parens():
        printer.print_list(zip(args, operands, strict=True), entry)


def _require_region(op: Operation, region: Region, what: str, types: Sequence[Attribute]) -> None:
    """Require a region of one block that takes ``types`` and ends in ``tosa.yield``."""
    if len(region.blocks) != 1:
        raise VerifyException(f"its {what} must be one block")
    argument_types = [arg.type for arg in region.block.args]
    if argument_types != list(types):
        raise VerifyException(
            f"its {what} takes {_listed(argument_types)}, and is given {_listed(types)}"
        )
    if not isinstance(region.block.last_op, YieldOp):
        raise VerifyException(f"its {what} must end in tosa.yield")
    del op


def _require_yields(region: Region, what: str, types: Sequence[Attribute]) -> None:
    end = region.block.last_op
    assert isinstance(end, YieldOp)
    yielded_types = [value.type for value in end.inputs]
    if yielded_types != list(types):
        raise VerifyException(f"its {what} gives {_listed(yielded_types)}, not {_listed(types)}")


def _listed(types: Sequence[Attribute]) -> str:
    return f"({', '.join(map(str, types))})"


@irdl_op_definition
class CondIfOp(IRDLOperation):
    """A choice between two regions by a tensor with one truth value."""

    name = "tosa.cond_if"

    condition = operand_def(TensorType)
    inputs = var_operand_def(TensorType)
    outputs = var_result_def(TensorType)
    then_graph = region_def()
    else_graph = region_def()

    def verify_(self) -> None:
        types = [value.type for value in self.inputs]
        results = [result.type for result in self.outputs]
        for what, region in (("then", self.then_graph), ("else", self.else_graph)):
            _require_region(self, region, what, types)
            _require_yields(region, what, results)

    @classmethod
    def parse(cls, parser: Parser) -> CondIfOp:
        condition = parser.parse_unresolved_operand()
        _, operands = _named_operands(parser)
        parser.parse_punctuation(":")
        at = parser.pos
        kind = parser.parse_type()
        types: Sequence[Attribute] = ()
        results: Sequence[Attribute] = ()
        if operands:
            space = parser.parse_type()
            if not isinstance(space, FunctionType):
                parser.raise_error(f"{cls.name}: expected (types) -> types", at)
            types, results = space.inputs.data, space.outputs.data
        elif parser.parse_optional_punctuation("->") is not None:
            results = parser.parse_optional_comma_separated_list(
                parser.Delimiter.PAREN, parser.parse_type
            ) or [parser.parse_type()]
        values = parser.resolve_operands(operands, types, at)
        then = parser.parse_region()
        parser.parse_keyword("else")
        otherwise = parser.parse_region()
        attributes = parser.parse_optional_attr_dict()
        return cls.build(
            operands=[parser.resolve_operand(condition, kind), values],
            result_types=[results],
            regions=[then, otherwise],
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.condition)
        if self.inputs:
            _print_named_operands(printer, self.then_graph.block.args, self.inputs)
        printer.print_string(" : ")
        printer.print_attribute(self.condition.type)
        results = [result.type for result in self.outputs]
        if self.inputs:
            printer.print_string(" ")
            types = FunctionType.from_lists([value.type for value in self.inputs], results)
            printer.print_attribute(types)
        elif results:
            printer.print_string(" -> ")
            if len(results) == 1:
                printer.print_attribute(results[0])
            else:
                with printer.in_parens():
                    printer.print_list(results, printer.print_attribute)
        printer.print_string(" ")
        printer.print_region(self.then_graph)
        printer.print_string(" else ")
        printer.print_region(self.else_graph)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class WhileOp(IRDLOperation):
    """A loop that runs the body as long as the first region yields true for the carried values."""

    name = "tosa.while_loop"

    inputs = var_operand_def(TensorType)
    outputs = var_result_def(TensorType)
    cond_graph = region_def()
    body_graph = region_def()

    def verify_(self) -> None:
        types = [value.type for value in self.inputs]
        results = [result.type for result in self.outputs]
        if types != results:
            raise VerifyException(f"it gives {_listed(results)}, and starts from {_listed(types)}")
        _require_region(self, self.cond_graph, "condition", types)
        end = self.cond_graph.block.last_op
        assert isinstance(end, YieldOp)
        if len(end.inputs) != 1:
            raise VerifyException(f"its condition gives {len(end.inputs)} tensors, not 1")
        _require_region(self, self.body_graph, "body", types)
        _require_yields(self.body_graph, "body", types)

    @classmethod
    def parse(cls, parser: Parser) -> WhileOp:
        arguments, operands = _named_operands(parser)
        parser.parse_punctuation(":")
        at = parser.pos
        space = parser.parse_type()
        if not isinstance(space, FunctionType):
            parser.raise_error(f"{cls.name}: expected (types) -> types", at)
        types = space.inputs.data
        values = parser.resolve_operands(operands, types, at)
        condition = parser.parse_region(
            [argument.resolve(type_) for argument, type_ in zip(arguments, types, strict=True)]
        )
        parser.parse_keyword("do")
        body = parser.parse_region()
        attributes = parser.parse_optional_attr_dict_with_keyword()
        return cls.build(
            operands=[values],
            result_types=[space.outputs.data],
            regions=[condition, body],
            attributes=dict(attributes.data) if attributes is not None else {},
        )

    def print(self, printer: Printer) -> None:
        _print_named_operands(printer, self.cond_graph.block.args, self.inputs)
        printer.print_string(" : ")
        printer.print_operation_type(self)
        printer.print_string(" ")
        printer.print_region(self.cond_graph, print_entry_block_args=False)
        printer.print_string(" do ")
        printer.print_region(self.body_graph)
        printer.print_op_attributes(self.attributes, print_keyword=True)
