"""``affine.if`` with MLIR's text; xDSL has only the generic form."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import affine
from xdsl.dialects.builtin import AffineSetAttr
from xdsl.ir import Attribute, Block, Region
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from kc.dialects.affine_maps import parse_dims_and_symbols, print_dims_and_symbols


class IfOp(affine.IfOp):
    """``affine.if affine_set<(d0)[s0] : (s0 - d0 >= 0)>(%i)[%n] -> f32 { ... } else { ... }``."""

    def verify_(self) -> None:
        self.get_irdl_definition().verify(self)
        space = self.condition.data
        if len(self.args) != space.num_dims + space.num_symbols:
            raise VerifyException(
                f"{self.name}: {len(self.args)} operands for {space.num_dims} dimensions and "
                f"{space.num_symbols} symbols"
            )
        if len(self.else_region.blocks) > 1:
            raise VerifyException(f"{self.name}: a branch is one block")
        if self.res and not self.else_region.blocks:
            raise VerifyException(f"{self.name}: with results it has two branches")

    @classmethod
    def parse(cls, parser: Parser) -> IfOp:
        at, condition = parser.pos, parser.parse_attribute()
        if not isinstance(condition, AffineSetAttr):
            parser.raise_error("expected an affine set", at)
        space = condition.data
        operands = parse_dims_and_symbols(parser, at, space.num_dims, space.num_symbols, "set")
        types: Sequence[Attribute] = ()
        if parser.parse_optional_punctuation("->") is not None:
            types = parser.parse_optional_comma_separated_list(
                parser.Delimiter.PAREN, parser.parse_type
            ) or [parser.parse_type()]
        branches = [parser.parse_region()]
        if parser.parse_optional_keyword("else") is not None:
            branches.append(parser.parse_region())
        for branch in branches:
            if not branch.blocks:
                branch.add_block(Block())
            for block in branch.blocks:
                if not isinstance(block.last_op, affine.YieldOp):
                    block.add_op(affine.YieldOp.get())
        return cls.build(
            operands=[operands],
            properties={"condition": condition},
            attributes=parser.parse_optional_attr_dict(),
            regions=branches if len(branches) > 1 else [*branches, Region()],
            result_types=[types],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.condition)
        print_dims_and_symbols(printer, self.condition.data.num_dims, self.args)
        if self.res:
            printer.print_string(" -> ")
            with printer.in_parens():
                printer.print_list(self.res.types, printer.print_attribute)
        printer.print_string(" ")
        with_yields = bool(self.res)
        printer.print_region(self.then_region, print_block_terminators=with_yields)
        if self.else_region.blocks:
            printer.print_string(" else ")
            printer.print_region(self.else_region, print_block_terminators=with_yields)
        printer.print_op_attributes(self.attributes)
