"""Combiners as regions: ``tir.combine``, one step of a reduction, and ``tir.thread_allreduce``, a
reduction across threads.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    lazy_traits_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from kc.dialects.combiner_assembly import parse_combiner, print_combiner, verify_combiner
from kc.dialects.tir.threads import LANE_AXES


@irdl_op_definition
class YieldOp(IRDLOperation):
    """``tir.yield %v : f32``: the result of a combiner's region."""

    name = "tir.yield"

    values = var_operand_def()

    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(CombineOp, ThreadAllreduceOp)))
    assembly_format = "$values attr-dict `:` type($values)"

    def __init__(self, *values: SSAValue) -> None:
        super().__init__(operands=[list(values)])


@irdl_op_definition
class CombineOp(IRDLOperation):
    """The combination of two tuples by a user-defined combiner.

    ``%i, %v = tir.combine "argmax" (%i0, %v0) (%i1, %v1) by (%a0: i32, %a1: f32) (%b0: i32, %b1:
    f32) identity [-1 : i32, 0xFF800000 : f32] { ... tir.yield %x, %y : i32, f32 }``: the results of
    the region. In a reduction, the first tuple is the contents of the buffers, the second one the
    next term. An optional third tuple contains values ``captured`` from around the combiner, which
    are equal for all terms of an element. The combiner must be associative and commutative with
    this identity: ``kc.analysis.reductions.combiner_laws`` checks this when text is read and when
    tensor expressions are lowered, unless the op has ``kc.unsafe``.
    """

    name = "tir.combine"

    lhs = var_operand_def()
    rhs = var_operand_def()
    captured = var_operand_def()
    combiner_name = prop_def(StringAttr)
    identity = prop_def(ArrayAttr)
    combiner = region_def("single_block")
    combined = var_result_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())

    def __init__(
        self,
        combiner_name: str,
        lhs: Sequence[SSAValue],
        rhs: Sequence[SSAValue],
        combiner: Region,
        identity: ArrayAttr,
        captured: Sequence[SSAValue] = (),
    ) -> None:
        super().__init__(
            operands=[list(lhs), list(rhs), list(captured)],
            properties={"combiner_name": StringAttr(combiner_name), "identity": identity},
            regions=[combiner],
            result_types=[[value.type for value in lhs]],
        )

    @property
    def label(self) -> str:
        """The combiner's name."""
        return self.combiner_name.data

    @property
    def yield_op(self) -> YieldOp:
        """The terminator of the combiner."""
        last = self.combiner.block.last_op
        assert isinstance(last, YieldOp)
        return last

    def inlined(self) -> tuple[list[Operation], list[SSAValue]]:
        """Copies of the ops of the combiner on the operands, and the values of the results."""
        values: dict[SSAValue, SSAValue] = dict(
            zip(self.combiner.block.args, self.operands, strict=True)
        )
        ops: list[Operation] = []
        for op in self.combiner.block.ops:
            if isinstance(op, YieldOp):
                return ops, [values.get(value, value) for value in op.values]
            ops.append(op.clone(values))
        raise AssertionError("a verified combiner ends with tir.yield")

    def verify_(self) -> None:
        where = f"tir.combine: the combiner {self.label}"
        types = [value.type for value in self.lhs]
        if not types:
            raise VerifyException(f"{where} combines nothing")
        if [value.type for value in self.rhs] != types or [
            value.type for value in self.combined
        ] != types:
            raise VerifyException(
                f"{where} takes two tuples and gives one, all of the same types, not "
                + " and ".join(
                    f"({', '.join(str(value.type) for value in values)})"
                    for values in (self.lhs, self.rhs, self.combined)
                )
            )
        captured = [value.type for value in self.captured]
        verify_combiner(where, self.combiner, self.identity, types, YieldOp, captured)

    @classmethod
    def parse(cls, parser: Parser) -> CombineOp:
        start = parser.pos
        name = parser.parse_str_literal(" (the name of the combiner)")
        groups: list[list[UnresolvedOperand]] = []
        while len(groups) < 2 or len(groups) < 3 and parser.parse_optional_keyword("by") is None:
            groups.append(
                parser.parse_comma_separated_list(
                    parser.Delimiter.PAREN, parser.parse_unresolved_operand
                )
            )
        if len(groups) == 3:
            parser.parse_keyword("by")
        region, identity = parse_combiner(parser)
        attributes = parser.parse_optional_attr_dict()
        types = [arg.type for arg in region.block.args] if region.blocks else []
        if len(types) != sum(map(len, groups)):
            parser.raise_error(
                f"tir.combine: the combiner {name} takes {len(types)} values and is given "
                f"{sum(map(len, groups))}",
                start,
                start,
            )
        place = iter(types)
        lhs, rhs, *captured = (
            [parser.resolve_operand(operand, next(place)) for operand in group] for group in groups
        )
        op = cls(name, lhs, rhs, region, identity, *captured)
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.label)
        groups = [self.lhs, self.rhs, self.captured] if self.captured else [self.lhs, self.rhs]
        for group in groups:
            printer.print_string(" (")
            printer.print_list(group, printer.print_ssa_value)
            printer.print_string(")")
        printer.print_string(" by ")
        print_combiner(printer, self.combiner, self.identity)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class ThreadAllreduceOp(IRDLOperation):
    """``%r = tir.thread_allreduce "add" (%x) over ["threadIdx.x"] by (%a: f32) (%b: f32) identity
    [0.0 : f32] { ... tir.yield %c : f32 }``: the combination, in any order, of the values ``%x`` of
    the threads that differ only along the axes; all of them receive the result.

    All threads of a block execute it together. The combiner is as in ``tir.combine``; the values
    that it captures are a second tuple of operands. TVM: ``tvm_thread_allreduce``. MLIR:
    ``gpu.all_reduce``, of one value over the whole block.
    """

    name = "tir.thread_allreduce"

    values = var_operand_def()
    captured = var_operand_def()
    combiner_name = prop_def(StringAttr)
    axes = prop_def(ArrayAttr[StringAttr])
    identity = prop_def(ArrayAttr)
    combiner = region_def("single_block")
    combined = var_result_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        combiner_name: str,
        values: Sequence[SSAValue],
        axes: Sequence[str],
        combiner: Region,
        identity: ArrayAttr,
        captured: Sequence[SSAValue] = (),
    ) -> None:
        super().__init__(
            operands=[list(values), list(captured)],
            properties={
                "combiner_name": StringAttr(combiner_name),
                "axes": ArrayAttr([StringAttr(axis) for axis in axes]),
                "identity": identity,
            },
            regions=[combiner],
            result_types=[[value.type for value in values]],
        )

    @property
    def label(self) -> str:
        """The combiner's name."""
        return self.combiner_name.data

    @property
    def axis_names(self) -> list[str]:
        """The axes along which the threads with combined values differ."""
        return [axis.data for axis in self.axes]

    def step(self, lhs: Sequence[SSAValue], rhs: Sequence[SSAValue]) -> CombineOp:
        """The combination of two tuples."""
        return CombineOp(self.label, lhs, rhs, self.combiner.clone(), self.identity, self.captured)

    def verify_(self) -> None:
        where = f"tir.thread_allreduce: the combiner {self.label}"
        types = [value.type for value in self.values]
        if not types:
            raise VerifyException(f"{where} combines nothing")
        if [value.type for value in self.combined] != types:
            raise VerifyException(f"{where} takes and gives values of other types")
        wrong = [axis for axis in self.axis_names if axis not in LANE_AXES]
        if wrong or not self.axis_names:
            raise VerifyException(
                f"tir.thread_allreduce: over {', '.join(wrong) or 'no axis'}; threads along "
                + ", ".join(LANE_AXES)
                + " combine values"
            )
        captured = [value.type for value in self.captured]
        verify_combiner(where, self.combiner, self.identity, types, YieldOp, captured)

    @classmethod
    def parse(cls, parser: Parser) -> ThreadAllreduceOp:
        start = parser.pos
        name = parser.parse_str_literal(" (the name of the combiner)")
        paren = parser.Delimiter.PAREN
        operands = parser.parse_comma_separated_list(paren, parser.parse_unresolved_operand)
        captured: list[UnresolvedOperand] = []
        if parser.parse_optional_keyword("over") is None:
            captured = parser.parse_comma_separated_list(paren, parser.parse_unresolved_operand)
            parser.parse_keyword("over")
        axes = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parser.parse_str_literal(" (a thread axis)")
        )
        parser.parse_keyword("by")
        region, identity = parse_combiner(parser)
        attributes = parser.parse_optional_attr_dict()
        types = [arg.type for arg in region.block.args] if region.blocks else []
        if len(types) != 2 * len(operands) + len(captured):
            parser.raise_error(
                f"tir.thread_allreduce: the combiner {name} takes {len(types)} values, and "
                f"{len(operands) + len(captured)} are given",
                start,
                start,
            )
        values = [
            parser.resolve_operand(value, type_)
            for value, type_ in zip(operands, types, strict=False)
        ]
        further = [
            parser.resolve_operand(value, type_)
            for value, type_ in zip(captured, types[2 * len(operands) :], strict=True)
        ]
        op = cls(name, values, axes, region, identity, further)
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.label)
        printer.print_string(" (")
        printer.print_list(self.values, printer.print_ssa_value)
        if self.captured:
            printer.print_string(") (")
            printer.print_list(self.captured, printer.print_ssa_value)
        printer.print_string(") over [")
        printer.print_list(self.axis_names, printer.print_string_literal)
        printer.print_string("] by ")
        print_combiner(printer, self.combiner, self.identity)
        printer.print_op_attributes(self.attributes)


def combiner_region(source: Region) -> Region:
    """A copy of a region that ends with some yield, as the combiner of a ``tir.combine``."""
    combiner = Region(Block(arg_types=[arg.type for arg in source.block.args]))
    block = combiner.block
    values: dict[SSAValue, SSAValue] = {}
    for old, new in zip(source.block.args, block.args, strict=True):
        new.name_hint = old.name_hint
        values[old] = new
    last = source.block.last_op
    for op in source.block.ops:
        new = (
            YieldOp(*(values.get(operand, operand) for operand in op.operands))
            if op is last
            else op.clone(values)
        )
        new.location = op.location
        block.add_op(new)
    return combiner
