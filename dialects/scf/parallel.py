"""``scf.parallel`` with MLIR's text; xDSL has only the generic form."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer


class ParallelOp(scf.ParallelOp):
    """``scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%z) -> f32 { ... }``: iterations in any
    order, each of which contributes a value to every reduction.
    """

    @classmethod
    def parse(cls, parser: Parser) -> ParallelOp:
        variables = [
            argument.resolve(IndexType())
            for argument in parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
            )
        ]
        parser.parse_punctuation("=")
        lows = _indices(parser)
        parser.parse_keyword("to")
        highs = _indices(parser)
        parser.parse_keyword("step")
        steps = _indices(parser)
        inits = []
        if parser.parse_optional_keyword("init") is not None:
            inits = parser.parse_comma_separated_list(
                parser.Delimiter.PAREN, parser.parse_unresolved_operand
            )
        types: Sequence[Attribute] = ()
        at = parser.pos
        if parser.parse_optional_punctuation("->") is not None:
            types = parser.parse_optional_comma_separated_list(
                parser.Delimiter.PAREN, parser.parse_type
            ) or [parser.parse_type()]
        values = parser.resolve_operands(inits, types, at)
        body = parser.parse_region(variables)
        if not isinstance(body.block.last_op, scf.ReduceOp):
            body.block.add_op(scf.ReduceOp())
        attributes = parser.parse_optional_attr_dict()
        op = cls(lows, highs, steps, body, values)
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        with printer.in_parens():
            printer.print_list(
                self.body.block.args,
                lambda arg: printer.print_block_argument(arg, print_type=False),
            )
        for word, values in (("=", self.lowerBound), ("to", self.upperBound), ("step", self.step)):
            printer.print_string(f" {word} ")
            with printer.in_parens():
                printer.print_list(values, printer.print_ssa_value)
        if self.initVals:
            printer.print_string(" init ")
            with printer.in_parens():
                printer.print_list(self.initVals, printer.print_ssa_value)
            printer.print_string(" -> ")
            if len(self.res) == 1:
                printer.print_attribute(self.res[0].type)
            else:
                with printer.in_parens():
                    printer.print_list(self.res.types, printer.print_attribute)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)
        printer.print_op_attributes(self.attributes)


def _indices(parser: Parser) -> list[SSAValue]:
    return parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: parser.parse_operand(IndexType())
    )


class ReduceOp(scf.ReduceOp):
    """``scf.reduce(%x, %y : f32, f32) { ^bb0(%a: f32, %b: f32): ... }, { ... }``.

    (Between two regions xDSL has no comma.)
    """

    @classmethod
    def parse(cls, parser: Parser) -> ReduceOp:
        values: list[UnresolvedOperand] = []
        types: list[Attribute] = []
        at = parser.pos
        if parser.parse_optional_punctuation("(") is not None:
            values = parser.parse_comma_separated_list(
                parser.Delimiter.NONE, parser.parse_unresolved_operand
            )
            parser.parse_punctuation(":")
            types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
            parser.parse_punctuation(")")
        regions: list[Region] = []
        while (region := parser.parse_optional_region()) is not None:
            regions.append(region)
            if parser.parse_optional_punctuation(",") is None:
                break
        op = cls(parser.resolve_operands(values, types, at), regions)
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def print(self, printer: Printer) -> None:
        if self.args:
            with printer.in_parens():
                printer.print_list(self.args, printer.print_ssa_value)
                printer.print_string(" : ")
                printer.print_list(self.args.types, printer.print_attribute)
            printer.print_string(" ")
            printer.print_list(self.reductions, printer.print_region)
        printer.print_op_attributes(self.attributes)
