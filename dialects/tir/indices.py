"""Values of indices: ``tir.apply``, ``tir.linearize``, ``tir.delinearize``, ``tir.symbol``."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, IndexType, IntegerAttr, StringAttr
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import (
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from kc.dialects.affine_assembly import AffineOperandsParser, print_exprs
from kc.dialects.assembly import INDEX
from kc.dialects.symbolic_size import SymbolicSizeOp
from kc.dialects.tir.canonicalization import Canonicalized


@irdl_op_definition
class ApplyOp(IRDLOperation, HasFolderInterface):
    """``tir.apply (%i * 32 + %ii)``: an affine expression as a value.

    (``affine.apply`` restricts its operands to values that ``tir`` loops do not produce.)
    """

    name = "tir.apply"

    operands_of_map = var_operand_def(IndexType())
    map = prop_def(AffineMapAttr)
    result = result_def(IndexType())

    traits = traits_def(Pure(), Canonicalized())

    def __init__(self, expr: AffineExpr, operands: Sequence[SSAValue]) -> None:
        super().__init__(
            operands=[list(operands)],
            properties={"map": AffineMapAttr(AffineMap(len(operands), 0, (expr,)))},
            result_types=[INDEX],
        )

    @property
    def expr(self) -> AffineExpr:
        """The expression over :attr:`operands_of_map`."""
        return self.map.data.results[0]

    def verify_(self) -> None:
        space = self.map.data
        if space.num_symbols or space.num_dims != len(self.operands_of_map):
            raise VerifyException(
                f"tir.apply: the map takes {space.num_dims} dimensions and {space.num_symbols} "
                f"symbols; {len(self.operands_of_map)} dimensions and no symbols are needed"
            )
        if len(space.results) != 1:
            raise VerifyException(f"tir.apply: the map has {len(space.results)} results, not 1")

    def fold(self) -> Sequence[SSAValue | Attribute] | None:
        """``tir.apply (%c2 * 3)`` is 6, and ``tir.apply (%i)`` is ``%i``."""
        if isinstance(self.expr, AffineDimExpr):
            return [self.operands_of_map[self.expr.position]]
        makers = [operand.owner for operand in self.operands_of_map]
        numbers = [
            maker.value.value.data
            for maker in makers
            if isinstance(maker, arith.ConstantOp) and isinstance(maker.value, IntegerAttr)
        ]
        if len(numbers) != len(makers):
            return None
        return [IntegerAttr(self.expr.eval(numbers, []), INDEX)]

    @classmethod
    def parse(cls, parser: Parser) -> ApplyOp:
        affine = AffineOperandsParser(parser)
        with parser.in_parens():
            expr = affine.expr()
        op = cls(expr, affine.operands())
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" (")
        print_exprs(printer, [self.expr], self.operands_of_map)
        printer.print_string(")")
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class LinearizeOp(IRDLOperation):
    """``tir.linearize [%o, %i] by [%m, %n]``: ``o * n + i``, with ``n`` known at run time only.

    The structured form of a product that is not affine: 0 <= index < size holds for each pair.
    (``affine.linearize_index disjoint`` upstream.)
    """

    name = "tir.linearize"

    indices = var_operand_def(IndexType())
    sizes = var_operand_def(IndexType())
    result = result_def(IndexType())

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure(), Canonicalized())

    def __init__(self, indices: Sequence[SSAValue], sizes: Sequence[SSAValue]) -> None:
        super().__init__(operands=[list(indices), list(sizes)], result_types=[INDEX])

    def verify_(self) -> None:
        if len(self.indices) != len(self.sizes) or not self.indices:
            raise VerifyException(
                f"tir.linearize: {len(self.indices)} indices and {len(self.sizes)} sizes; "
                "one size an index, and at least one"
            )

    @classmethod
    def parse(cls, parser: Parser) -> LinearizeOp:
        indices = _parse_index_list(parser)
        parser.parse_keyword("by")
        op = cls(indices, _parse_index_list(parser))
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" [")
        printer.print_list(self.indices, printer.print_ssa_value)
        printer.print_string("] by [")
        printer.print_list(self.sizes, printer.print_ssa_value)
        printer.print_string("]")
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class DelinearizeOp(IRDLOperation):
    """``%i, %j = tir.delinearize %f by [%m, %n]``: ``f floordiv n`` and ``f mod n``.

    The inverse of ``tir.linearize`` for 0 <= f < m * n. (``affine.delinearize_index``.)
    """

    name = "tir.delinearize"

    index = operand_def(IndexType())
    sizes = var_operand_def(IndexType())
    indices = var_result_def(IndexType())

    traits = traits_def(Pure(), Canonicalized())

    def __init__(self, index: SSAValue, sizes: Sequence[SSAValue]) -> None:
        super().__init__(operands=[index, list(sizes)], result_types=[[INDEX] * len(sizes)])

    def verify_(self) -> None:
        if len(self.indices) != len(self.sizes) or not self.indices:
            raise VerifyException(
                f"tir.delinearize: {len(self.indices)} results and {len(self.sizes)} sizes; "
                "one size a result, and at least one"
            )

    @classmethod
    def parse(cls, parser: Parser) -> DelinearizeOp:
        index = parser.resolve_operand(parser.parse_unresolved_operand(), INDEX)
        parser.parse_keyword("by")
        op = cls(index, _parse_index_list(parser))
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.index)
        printer.print_string(" by [")
        printer.print_list(self.sizes, printer.print_ssa_value)
        printer.print_string("]")
        printer.print_op_attributes(self.attributes)


def _parse_index_list(parser: Parser) -> list[SSAValue]:
    names = parser.parse_comma_separated_list(
        parser.Delimiter.SQUARE, parser.parse_unresolved_operand
    )
    return [parser.resolve_operand(name, INDEX) for name in names]


@irdl_op_definition
class SymbolOp(SymbolicSizeOp):
    """``%n = tir.symbol "n"``: a symbolic size of the function.

    Its value is the dimension of the first argument whose ``kc.shape`` names it, or the scalar
    argument with ``kc.symbol``; that all occurrences agree is checked at the call.
    """

    name = "tir.symbol"


def symbol_names(function: Operation) -> list[str]:
    """The symbolic sizes that a function declares in ``kc.symbols``."""
    names = function.attributes.get("kc.symbols")
    if not isinstance(names, ArrayAttr):
        return []
    return [name.data for name in names if isinstance(name, StringAttr)]
