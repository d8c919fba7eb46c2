"""``vector.mask``: an op on a subset of the lanes."""

from __future__ import annotations

from xdsl.dialects import vector
from xdsl.ir import Attribute, Block, Operation
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from kc.dialects.vector.memory import GatherOp, ScatterOp
from kc.dialects.vector.reductions import ContractionOp, MultiReductionOp, OuterProductOp
from kc.dialects.vector.sizes import (
    BOOLS,
)


@irdl_op_definition
class YieldOp(IRDLOperation):
    """``vector.yield %v : f32``: the result of the op in a ``vector.mask``."""

    name = "vector.yield"

    values = var_operand_def()

    assembly_format = "attr-dict ($values^ `:` type($values))?"
    traits = traits_def(IsTerminator(), Pure())


@irdl_op_definition
class MaskOp(IRDLOperation):
    """``vector.mask %m { vector.reduction <add>, %v : vector<8xf32> into f32 } : vector<8xi1> ->
    f32``: an op on the lanes for which the mask is set.
    """

    name = "vector.mask"

    mask = operand_def(BOOLS)
    passthru = opt_operand_def()
    body = region_def("single_block")
    res = var_result_def()

    @property
    def masked(self) -> Operation | None:
        """The masked op; None if the region only passes values on."""
        first = self.body.block.first_op
        return None if isinstance(first, YieldOp) else first

    def verify_(self) -> None:
        ops = list(self.body.block.ops)
        if not ops or not isinstance(end := ops[-1], YieldOp) or len(ops) > 2:
            raise VerifyException(f"{self.name}: its body must contain one op and a vector.yield")
        yielded_types = [value.type for value in end.operands]
        if yielded_types != [result.type for result in self.res]:
            raise VerifyException(f"{self.name}: the results are those of the op in its body")
        if len(ops) == 2 and not isinstance(ops[0], MASKABLE):
            raise VerifyException(f"{self.name}: {ops[0].name} has no lanes to be masked")
        if len(ops) == 2 and list(end.operands) != list(ops[0].results):
            raise VerifyException(f"{self.name}: the results are those of the op in its body")
        if self.passthru is not None and (len(ops) == 2 or [self.passthru.type] != yielded_types):
            raise VerifyException(
                f"{self.name}: the op in its body determines the masked-out lanes"
            )

    @classmethod
    def parse(cls, parser: Parser) -> MaskOp:
        at = parser.pos
        names = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        body = parser.parse_region()
        if not body.blocks:
            body.add_block(Block())
        attr_dict = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types: list[Attribute] = [parser.parse_type()]
        results: list[Attribute] = []
        if parser.parse_optional_punctuation("->"):
            listed = parser.parse_optional_comma_separated_list(
                parser.Delimiter.PAREN, parser.parse_type
            )
            results += listed if listed is not None else [parser.parse_type()]
        last = body.blocks[-1].last_op
        if not isinstance(last, YieldOp):
            body.blocks[-1].add_op(YieldOp.create(operands=last.results if last else ()))
        if len(names) == 2 and results:
            types = [*types, results[0]]
        operands = parser.resolve_operands(names, types, at)
        return cls.build(
            operands=[operands[0], operands[1:]],
            attributes=attr_dict,
            regions=[body],
            result_types=[results],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_string(" ")
        with printer.in_braces():
            printer.print_string(" ")
            shown = self.masked or self.body.block.last_op
            if shown is not None and (shown is not self.body.block.last_op or shown.operands):
                printer.print_op(shown)
                printer.print_string(" ")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.mask.type)
        if len(self.res) == 1:
            printer.print_string(" -> ")
            printer.print_attribute(self.res[0].type)
        elif self.res:
            printer.print_string(" -> ")
            with printer.in_parens():
                printer.print_list(self.res, lambda result: printer.print_attribute(result.type))


MASKABLE: tuple[type[Operation], ...] = (
    vector.TransferReadOp,
    vector.TransferWriteOp,
    vector.ReductionOp,
    GatherOp,
    ScatterOp,
    MultiReductionOp,
    ContractionOp,
    OuterProductOp,
)
"""The ops that may be in a ``vector.mask``."""
