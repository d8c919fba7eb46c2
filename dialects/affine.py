"""The ``affine`` dialect with ``affine.max``, which xDSL lacks."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import affine
from xdsl.dialects.affine import Affine
from xdsl.dialects.builtin import AffineMapAttr, IndexType
from xdsl.ir import Dialect, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, prop_def, result_def, var_operand_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException


@irdl_op_definition
class MaxOp(IRDLOperation):
    """``affine.max affine_map<(d0) -> (d0, 8)>(%i)``: the largest result of a map."""

    name = "affine.max"

    arguments = var_operand_def(IndexType())
    map = prop_def(AffineMapAttr)
    result = result_def(IndexType())

    def __init__(self, arguments: Sequence[SSAValue], map: AffineMapAttr) -> None:
        super().__init__(
            operands=[list(arguments)], properties={"map": map}, result_types=[IndexType()]
        )

    def verify_(self) -> None:
        space = self.map.data
        if len(self.arguments) != space.num_dims + space.num_symbols:
            raise VerifyException(
                f"affine.max: {len(self.arguments)} operands for the dimensions and symbols of "
                f"{space}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> MaxOp:
        least = affine.MinOp.parse(parser)
        return cls(list(least.arguments), least.map)

    def print(self, printer: Printer) -> None:
        dims = self.map.data.num_dims
        printer.print_string(" ")
        printer.print_attribute(self.map)
        with printer.in_parens():
            printer.print_list(self.arguments[:dims], printer.print_ssa_value)
        if self.map.data.num_symbols:
            with printer.in_square_brackets():
                printer.print_list(self.arguments[dims:], printer.print_ssa_value)


AFFINE = Dialect("affine", [*Affine.operations, MaxOp], list(Affine.attributes))
