"""Steps of transform scripts that rewrite linalg ops: tiling, fusion, generalization."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    i1,
    i64,
)
from xdsl.dialects.transform import (
    TransformHandleType,
    TransformOpHandleType,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    result_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from kc.dialects.transform.assembly import (
    array_of,
    mixed,
    numbers_of,
    parse_numbers,
    parse_signature,
    print_numbers,
    print_signature,
    verify_mixed,
)


class TilingOp(IRDLOperation):
    """A step that tiles the linalg ops of a handle."""

    def sizes(self) -> list[int | SSAValue]:
        """The tile size along each loop; 0 leaves a loop untiled."""
        raise NotImplementedError


@irdl_op_definition
class TileUsingForOp(TilingOp):
    """``transform.structured.tile_using_for %op tile_sizes [8, %n, 0] interchange = [1, 0]``: tile
    a linalg op by ``scf.for`` loops. Returns the tiled op and the loops.
    """

    name = "transform.structured.tile_using_for"

    target = operand_def(TransformHandleType)
    dynamic_sizes = var_operand_def(TransformHandleType)
    static_sizes = opt_prop_def(DenseArrayBase.constr(i64))
    interchange = opt_prop_def(DenseArrayBase.constr(i64))
    scalable_sizes = opt_prop_def(DenseArrayBase.constr(i1))
    tiled_linalg_op = result_def(TransformOpHandleType)
    loops = var_result_def(TransformOpHandleType)

    def sizes(self) -> list[int | SSAValue]:
        return mixed(self.dynamic_sizes, numbers_of(self.static_sizes))

    def order(self) -> list[int]:
        """The interchange of loops, outermost first."""
        return numbers_of(self.interchange)

    def verify_(self) -> None:
        numbers = numbers_of(self.static_sizes)
        verify_mixed(self, self.dynamic_sizes, numbers)
        if any(numbers_of(self.scalable_sizes)):
            raise VerifyException(f"{self.name}: scalable tile sizes are not supported")
        count = sum(number != 0 for number in numbers)
        if len(self.loops) != count:
            raise VerifyException(
                f"{self.name}: {count} sizes are not 0, so that there are as many loops, not "
                f"{len(self.loops)}"
            )
        if sorted(self.order()) != list(range(len(self.order()))):
            raise VerifyException(
                f"{self.name}: interchange {self.order()} is not a permutation of the loops"
            )

    @classmethod
    def parse(cls, parser: Parser) -> TileUsingForOp:
        target = parser.parse_unresolved_operand()
        values: list[UnresolvedOperand] = []
        numbers: list[int] = []
        if parser.parse_optional_keyword("tile_sizes") is not None:
            values, numbers = parse_numbers(parser)
        properties: dict[str, Attribute] = {"static_sizes": array_of(numbers)}
        if parser.parse_optional_keyword("interchange") is not None:
            parser.parse_punctuation("=")
            properties["interchange"] = array_of(parse_numbers(parser)[1])
        attributes = parser.parse_optional_attr_dict()
        at = parser.pos
        type_ = parse_signature(parser)
        operands = parser.resolve_operands([target, *values], type_.inputs.data, at)
        results = list(type_.outputs.data)
        return cls.build(
            operands=[operands[0], operands[1:]],
            result_types=[results[0], results[1:]],
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.target)
        printer.print_string(" tile_sizes ")
        print_numbers(printer, self.dynamic_sizes, numbers_of(self.static_sizes))
        if self.order():
            printer.print_string(" interchange = ")
            print_numbers(printer, (), self.order())
        printer.print_op_attributes(self.attributes)
        print_signature(printer, self)


@irdl_op_definition
class TileUsingForallOp(TilingOp):
    """``transform.structured.tile_using_forall %op tile_sizes [8, 8] (mapping = [...])``, or
    ``num_threads [4, 2]``: tile a linalg op by an ``scf.forall``. Returns the tiled op and the
    loop.
    """

    name = "transform.structured.tile_using_forall"

    target = operand_def(TransformHandleType)
    num_threads = var_operand_def(TransformHandleType)
    tile_sizes = var_operand_def(TransformHandleType)
    packed_num_threads = var_operand_def(TransformHandleType)
    packed_tile_sizes = var_operand_def(TransformHandleType)
    static_num_threads = opt_prop_def(DenseArrayBase.constr(i64))
    static_tile_sizes = opt_prop_def(DenseArrayBase.constr(i64))
    mapping = opt_prop_def(ArrayAttr)
    tiled_op = result_def(TransformHandleType)
    forall_op = result_def(TransformHandleType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    @property
    def counts_threads(self) -> bool:
        """True if the step specifies numbers of tiles instead of tile sizes."""
        return bool(numbers_of(self.static_num_threads))

    def sizes(self) -> list[int | SSAValue]:
        """The tile sizes, or the numbers of tiles."""
        if self.counts_threads:
            return mixed(self.num_threads, numbers_of(self.static_num_threads))
        return mixed(self.tile_sizes, numbers_of(self.static_tile_sizes))

    def verify_(self) -> None:
        if self.packed_num_threads or self.packed_tile_sizes:
            raise VerifyException(f"{self.name}: sizes of one handle (*) are not read")
        threads, sizes = map(numbers_of, (self.static_num_threads, self.static_tile_sizes))
        if bool(threads) == bool(sizes):
            raise VerifyException(f"{self.name}: num_threads or tile_sizes, one of them")
        verify_mixed(self, self.num_threads, threads)
        verify_mixed(self, self.tile_sizes, sizes)

    @classmethod
    def parse(cls, parser: Parser) -> TileUsingForallOp:
        target = parser.parse_unresolved_operand()
        word = parser.parse_optional_keyword_in(["num_threads", "tile_sizes"])
        if word is None:
            parser.raise_error("expected num_threads or tile_sizes")
        if parser.parse_optional_punctuation("*") is not None:
            parser.raise_error("sizes of one handle (*) are not read: write [%a, %b]")
        values, numbers = parse_numbers(parser)
        properties: dict[str, Attribute] = {f"static_{word}": array_of(numbers)}
        if parser.parse_optional_punctuation("(") is not None:
            parser.parse_keyword("mapping")
            parser.parse_punctuation("=")
            properties["mapping"] = parser.parse_attribute()
            parser.parse_punctuation(")")
        attributes = parser.parse_optional_attr_dict()
        at = parser.pos
        type_ = parse_signature(parser)
        operands = parser.resolve_operands([target, *values], type_.inputs.data, at)
        operand_groups = {"num_threads": [], "tile_sizes": [], word: operands[1:]}
        return cls.build(
            operands=[
                operands[0],
                operand_groups["num_threads"],
                operand_groups["tile_sizes"],
                [],
                [],
            ],
            result_types=list(type_.outputs.data),
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.target)
        if self.counts_threads:
            printer.print_string(" num_threads ")
            print_numbers(printer, self.num_threads, numbers_of(self.static_num_threads))
        else:
            printer.print_string(" tile_sizes ")
            print_numbers(printer, self.tile_sizes, numbers_of(self.static_tile_sizes))
        if self.mapping is not None:
            printer.print_string("(mapping = ")
            printer.print_attribute(self.mapping)
            printer.print_string(")")
        printer.print_op_attributes(self.attributes)
        print_signature(printer, self)


@irdl_op_definition
class FuseIntoContainingOp(IRDLOperation):
    """``transform.structured.fuse_into_containing_op %producer into %loop``: computes in the loop
    the tile of the producer that the loop reads. Returns the tiled producer, and the loop.
    """

    name = "transform.structured.fuse_into_containing_op"

    producer_op = operand_def(TransformHandleType)
    containing_op = operand_def(TransformHandleType)
    fused_op = result_def(TransformHandleType)
    new_containing_op = result_def(TransformHandleType)

    assembly_format = (
        "$producer_op `into` $containing_op attr-dict `:` functional-type(operands, results)"
    )


@irdl_op_definition
class GeneralizeOp(IRDLOperation):
    """``transform.structured.generalize %op``: convert a named op to ``linalg.generic``."""

    name = "transform.structured.generalize"

    target = operand_def(TransformHandleType)
    transformed = result_def(TransformHandleType)

    assembly_format = "$target attr-dict `:` functional-type(operands, results)"


@irdl_op_definition
class InterchangeOp(IRDLOperation):
    """``transform.structured.interchange %op iterator_interchange = [1, 0]``: permute the loops of
    a ``linalg.generic``.
    """

    name = "transform.structured.interchange"

    target = operand_def(TransformHandleType)
    iterator_interchange = opt_prop_def(DenseArrayBase.constr(i64))
    transformed = result_def(TransformHandleType)

    assembly_format = (
        "$target (`iterator_interchange` `=` $iterator_interchange^)? "
        "attr-dict `:` functional-type(operands, results)"
    )

    def order(self) -> list[int]:
        """The old loops in their new order; empty if unchanged."""
        return numbers_of(self.iterator_interchange)
