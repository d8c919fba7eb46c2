"""Control steps of transform scripts, and rewrites other than those of linalg."""

from __future__ import annotations

from xdsl.dialects import transform
from xdsl.dialects.builtin import (
    IntegerAttr,
    SymbolRefAttr,
    UnitAttr,
)
from xdsl.dialects.transform import (
    TransformHandleType,
)
from xdsl.ir import Attribute, Block, Operation
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoTerminator

from kc.dialects.transform.assembly import parse_signature, print_signature


@irdl_op_definition
class IncludeOp(IRDLOperation):
    """``transform.include @name failures(propagate) (%a)``: perform another sequence."""

    name = "transform.include"

    target = prop_def(SymbolRefAttr)
    failure_propagation_mode = prop_def(IntegerAttr)
    arguments = var_operand_def(TransformHandleType)
    results_ = var_result_def(TransformHandleType)

    @classmethod
    def parse(cls, parser: Parser) -> IncludeOp:
        name = parser.parse_symbol_name()
        parser.parse_keyword("failures")
        with parser.in_parens():
            mode = parser.parse_optional_keyword_in(["propagate", "suppress"])
            if mode is None:
                parser.raise_error("expected propagate or suppress")
        arguments = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        at = parser.pos
        type_ = parse_signature(parser)
        return cls.build(
            operands=[parser.resolve_operands(arguments, type_.inputs.data, at)],
            result_types=[list(type_.outputs.data)],
            properties={
                "target": SymbolRefAttr(name),
                "failure_propagation_mode": IntegerAttr(1 if mode == "propagate" else 2, 32),
            },
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        mode = "propagate" if self.failure_propagation_mode.value.data == 1 else "suppress"
        printer.print_string(f" @{self.target.root_reference.data} failures({mode}) (")
        printer.print_list(self.arguments, printer.print_ssa_value)
        printer.print_string(")")
        printer.print_op_attributes(self.attributes)
        print_signature(printer, self)


@irdl_op_definition
class ForeachOp(IRDLOperation):
    """``transform.foreach %ops : !transform.any_op { ^bb0(%op: !transform.any_op): ... }``: run
    steps for each op of a handle.
    """

    name = "transform.foreach"

    targets = var_operand_def(TransformHandleType)
    with_zip_shortest = opt_prop_def(UnitAttr)
    results_ = var_result_def(TransformHandleType)
    body = region_def("single_block")

    @classmethod
    def parse(cls, parser: Parser) -> ForeachOp:
        at = parser.pos
        names = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        shortest = parser.parse_optional_keyword("with_zip_shortest") is not None
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        results: list[Attribute] = []
        if parser.parse_optional_punctuation("->") is not None:
            results = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        body = parser.parse_region()
        if body.blocks and not isinstance(body.block.last_op, transform.YieldOp):
            body.block.add_op(transform.YieldOp())
        return cls.build(
            operands=[parser.resolve_operands(names, types, at)],
            result_types=[results],
            properties={"with_zip_shortest": UnitAttr()} if shortest else {},
            attributes=parser.parse_optional_attr_dict(),
            regions=[body],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.targets, printer.print_ssa_value)
        if self.with_zip_shortest is not None:
            printer.print_string(" with_zip_shortest")
        printer.print_string(" : ")
        printer.print_list(self.targets.types, printer.print_attribute)
        if self.results_:
            printer.print_string(" -> ")
            printer.print_list(self.results_.types, printer.print_attribute)
        printer.print_string(" ")
        printer.print_region(self.body)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class LoopUnrollOp(IRDLOperation):
    """``transform.loop.unroll %loop {factor = 4}``: copy the body of an ``scf.for``."""

    name = "transform.loop.unroll"

    target = operand_def(TransformHandleType)
    factor = prop_def(IntegerAttr)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$target attr-dict `:` type($target)"


@irdl_op_definition
class ApplyPatternsOp(IRDLOperation):
    """``transform.apply_patterns to %f { transform.apply_patterns.canonicalization }``."""

    name = "transform.apply_patterns"

    target = operand_def(TransformHandleType)
    apply_cse = opt_prop_def(UnitAttr)
    max_iterations = opt_prop_def(IntegerAttr)
    max_num_rewrites = opt_prop_def(IntegerAttr)
    patterns = region_def()

    traits = traits_def(NoTerminator())

    @classmethod
    def parse(cls, parser: Parser) -> ApplyPatternsOp:
        parser.parse_keyword("to")
        at = parser.pos
        target = parser.parse_unresolved_operand()
        patterns = parser.parse_region()
        if not patterns.blocks:
            patterns.add_block(Block())
        attr_dict = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type_ = parser.parse_type()
        names = cls.get_irdl_definition().properties
        return cls.build(
            operands=parser.resolve_operands([target], [type_], at),
            properties={name: value for name, value in attr_dict.items() if name in names},
            attributes={name: value for name, value in attr_dict.items() if name not in names},
            regions=[patterns],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" to ")
        printer.print_ssa_value(self.target)
        printer.print_string(" ")
        printer.print_region(self.patterns)
        printer.print_op_attributes({**self.properties, **self.attributes})
        printer.print_string(" : ")
        printer.print_attribute(self.target.type)


class _CleanUpOp(IRDLOperation):
    target = operand_def(TransformHandleType)

    assembly_format = "`to` $target attr-dict `:` type($target)"


@irdl_op_definition
class ApplyCSEOp(_CleanUpOp):
    """``transform.apply_cse to %f : !transform.any_op``."""

    name = "transform.apply_cse"


@irdl_op_definition
class ApplyDCEOp(_CleanUpOp):
    """``transform.apply_dce to %f : !transform.any_op``."""

    name = "transform.apply_dce"


@irdl_op_definition
class ApplyLICMOp(_CleanUpOp):
    """``transform.apply_licm to %loop : !transform.any_op``."""

    name = "transform.apply_licm"


PATTERNS = (
    *("canonicalization", "linalg.tiling_canonicalization", "scf.for_loop_canonicalization"),
    *("tensor.fold_tensor_empty", "tensor.merge_consecutive_insert_extract_slice"),
    *("tensor.reassociative_reshape_folding", "linalg.erase_unnecessary_inputs"),
)
"""The pattern sets that are replaced by kc's canonicalization."""


def pattern_op(pattern: str) -> type[Operation]:
    """The op of one of :data:`PATTERNS`."""
    fields = {
        "name": f"transform.apply_patterns.{pattern}",
        "__doc__": "A set of patterns that make a program simpler.",
        "__module__": __name__,
        "assembly_format": "attr-dict",
    }
    return irdl_op_definition(type("PatternOp", (IRDLOperation,), fields))
