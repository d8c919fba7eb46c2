"""Branches of the llvm dialect."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerType,
    SignlessIntegerConstraint,
    VectorType,
    i1,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    successor_def,
    traits_def,
    var_operand_def,
    var_successor_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

from kc.dialects.llvm.attrs import LoopAnnotationAttr
from kc.dialects.llvm.base import NO_SIZES, parse_attr_dict, parse_values, print_attr_dict


class BranchOp(IRDLOperation, ABC):
    """The base of terminators with successors."""

    def edges(self) -> list[tuple[Block, Sequence[SSAValue]]]:
        """The successors, each with the operands for its block arguments."""
        raise NotImplementedError

    def verify_(self) -> None:
        for block, values in self.edges():
            value_types = [value.type for value in values]
            expected = [arg.type for arg in block.args]
            if value_types != expected:
                shown = [", ".join(map(str, types)) for types in (value_types, expected)]
                raise VerifyException(
                    f"{self.name}: passes ({shown[0]}) to a block that takes ({shown[1]})"
                )


def _parse_edge(parser: Parser) -> tuple[Block, list[SSAValue]]:
    """``^bb1(%x, %y : f32, i64)``."""
    block = parser.parse_successor()
    if parser.parse_optional_punctuation("(") is None:
        return block, []
    values = parse_values(parser, parser.Delimiter.NONE)
    parser.parse_punctuation(":")
    position = parser.pos
    types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    parser.parse_punctuation(")")
    return block, list(parser.resolve_operands(values, types, position))


def _print_edge(printer: Printer, block: Block, values: Sequence[SSAValue]) -> None:
    printer.print_block_name(block)
    if values:
        with printer.in_parens():
            printer.print_list(values, printer.print_ssa_value)
            printer.print_string(" : ")
            printer.print_list([value.type for value in values], printer.print_attribute)


def _as_weights(weights: Sequence[int] | None) -> DenseArrayBase | None:
    return None if weights is None else DenseArrayBase.from_list(i32, weights)


@irdl_op_definition
class BrOp(BranchOp):
    """``llvm.br ^bb1(%x : f32) {loop_annotation = ..}``."""

    name = "llvm.br"

    arguments = var_operand_def()
    loop_annotation = opt_prop_def(LoopAnnotationAttr)
    successor = successor_def()

    traits = traits_def(IsTerminator(), Pure())

    def __init__(
        self,
        dest: Block,
        *arguments: SSAValue | Operation,
        loop_annotation: LoopAnnotationAttr | None = None,
    ):
        super().__init__(
            operands=[arguments],
            successors=[dest],
            properties={"loop_annotation": loop_annotation},
        )

    def edges(self) -> list[tuple[Block, Sequence[SSAValue]]]:
        return [(self.successor, self.arguments)]

    @classmethod
    def parse(cls, parser: Parser) -> BrOp:
        block, values = _parse_edge(parser)
        properties, attributes = parse_attr_dict(cls, parser)
        return cls.create(
            operands=values, successors=[block], properties=properties, attributes=attributes
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        _print_edge(printer, self.successor, self.arguments)
        print_attr_dict(printer, self)


@irdl_op_definition
class CondBrOp(BranchOp):
    """``llvm.cond_br %c weights([1, 5]), ^bb1(%x : f32), ^bb2 {loop_annotation = ..}``."""

    name = "llvm.cond_br"

    cond = operand_def(i1)
    then_arguments = var_operand_def()
    else_arguments = var_operand_def()
    branch_weights = opt_prop_def(DenseArrayBase.constr(i32))
    loop_annotation = opt_prop_def(LoopAnnotationAttr)
    then_block = successor_def()
    else_block = successor_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(IsTerminator(), Pure())

    def __init__(
        self,
        cond: SSAValue | Operation,
        then_block: Block,
        then_ops: Sequence[SSAValue | Operation],
        else_block: Block,
        else_ops: Sequence[SSAValue | Operation],
        weights: tuple[int, int] | None = None,
        loop_annotation: LoopAnnotationAttr | None = None,
    ):
        super().__init__(
            operands=[cond, then_ops, else_ops],
            successors=[then_block, else_block],
            properties={
                "branch_weights": _as_weights(weights),
                "loop_annotation": loop_annotation,
            },
        )

    def edges(self) -> list[tuple[Block, Sequence[SSAValue]]]:
        return [(self.then_block, self.then_arguments), (self.else_block, self.else_arguments)]

    def verify_(self) -> None:
        super().verify_()
        if self.branch_weights is not None and len(self.branch_weights) != 2:
            raise VerifyException(f"{self.name}: needs two branch weights")

    @classmethod
    def parse(cls, parser: Parser) -> CondBrOp:
        cond = parser.parse_unresolved_operand()
        parsed: dict[str, Attribute] = {}
        if parser.parse_optional_keyword("weights") is not None:
            with parser.in_parens():
                weights = parser.parse_comma_separated_list(
                    parser.Delimiter.SQUARE, parser.parse_integer
                )
            parsed["branch_weights"] = DenseArrayBase.from_list(i32, weights)
        parser.parse_punctuation(",")
        then_block, then_values = _parse_edge(parser)
        parser.parse_punctuation(",")
        else_block, else_values = _parse_edge(parser)
        properties, attributes = parse_attr_dict(cls, parser)
        segments = DenseArrayBase.from_list(i32, [1, len(then_values), len(else_values)])
        return cls.create(
            operands=[parser.resolve_operand(cond, i1), *then_values, *else_values],
            successors=[then_block, else_block],
            properties={**properties, **parsed, "operandSegmentSizes": segments},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.cond)
        if self.branch_weights is not None:
            printer.print_string(" weights([")
            printer.print_list(
                self.branch_weights.iter_values(), lambda w: printer.print_int(int(w))
            )
            printer.print_string("])")
        for block, values in self.edges():
            printer.print_string(", ")
            _print_edge(printer, block, values)
        print_attr_dict(printer, self, ("branch_weights",))


@irdl_op_definition
class SwitchOp(BranchOp):
    """``llvm.switch %v : i32, ^default [ 0: ^bb1(%x : f32), 1: ^bb2 ]``."""

    name = "llvm.switch"

    value = operand_def(SignlessIntegerConstraint)
    default_operands = var_operand_def()
    case_operands = var_operand_def()
    case_values = opt_prop_def(DenseIntOrFPElementsAttr)
    case_operand_segments = prop_def(DenseArrayBase.constr(i32), default_value=NO_SIZES)
    branch_weights = opt_prop_def(DenseArrayBase.constr(i32))
    default_block = successor_def()
    case_blocks = var_successor_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(IsTerminator(), Pure())

    def __init__(
        self,
        value: SSAValue | Operation,
        default_block: Block,
        default_ops: Sequence[SSAValue | Operation] = (),
        cases: Mapping[int, tuple[Block, Sequence[SSAValue | Operation]]] | None = None,
        weights: Sequence[int] | None = None,
    ):
        cases = cases or {}
        values = None
        if cases:
            element = SSAValue.get(value).type
            assert isinstance(element, IntegerType)
            ty = VectorType(element, [len(cases)])
            values = DenseIntOrFPElementsAttr.from_list(ty, list(cases))
        super().__init__(
            operands=[value, default_ops, [op for _, ops in cases.values() for op in ops]],
            successors=[default_block, [block for block, _ in cases.values()]],
            properties={
                "case_values": values,
                "case_operand_segments": DenseArrayBase.from_list(
                    i32, [len(ops) for _, ops in cases.values()]
                ),
                "branch_weights": _as_weights(weights),
            },
        )

    def edges(self) -> list[tuple[Block, Sequence[SSAValue]]]:
        edges: list[tuple[Block, Sequence[SSAValue]]] = [
            (self.default_block, self.default_operands)
        ]
        start = 0
        sizes = self.case_operand_segments.iter_values()
        for block, size in zip(self.case_blocks, sizes, strict=True):
            edges.append((block, self.case_operands[start : start + size]))
            start += size
        return edges

    def cases(self) -> list[int]:
        """The integer of each case."""
        if self.case_values is None:
            return []
        return [value for value in self.case_values.iter_values() if isinstance(value, int)]

    def verify_(self) -> None:
        cases, sizes = self.cases(), list(self.case_operand_segments.iter_values())
        if not len(cases) == len(sizes) == len(self.case_blocks):
            raise VerifyException(f"{self.name}: numbers of case values and successors differ")
        if sum(sizes) != len(self.case_operands):
            raise VerifyException(f"{self.name}: wrong number of case operands")
        if len(set(cases)) != len(cases):
            raise VerifyException(f"{self.name}: two cases of the same value")
        if self.branch_weights is not None and len(self.branch_weights) != len(cases) + 1:
            raise VerifyException(f"{self.name}: needs {len(cases) + 1} branch weights")
        super().verify_()

    @classmethod
    def parse(cls, parser: Parser) -> SwitchOp:
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(":")
        ty = parser.parse_type()
        parser.parse_punctuation(",")
        default_block, default_values = _parse_edge(parser)
        cases: dict[int, tuple[Block, list[SSAValue]]] = {}

        def parse_case() -> None:
            number = parser.parse_integer()
            if number in cases:
                parser.raise_error(f"two cases of the value {number}")
            parser.parse_punctuation(":")
            cases[number] = _parse_edge(parser)

        parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parse_case)
        properties, attributes = parse_attr_dict(cls, parser)
        op = cls(parser.resolve_operand(value, ty), default_block, default_values, cases)
        op.properties |= properties
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.value)
        printer.print_string(" : ")
        printer.print_attribute(self.value.type)
        printer.print_string(", ")
        default, *edges = self.edges()
        _print_edge(printer, *default)
        printer.print_string(" [")
        with printer.indented():
            for i, (number, edge) in enumerate(zip(self.cases(), edges, strict=True)):
                printer.print_string(",\n" if i else "\n")
                printer.print_string(f"{number}: ")
                _print_edge(printer, *edge)
        printer.print_string("\n]")
        print_attr_dict(printer, self, ("case_values", "case_operand_segments"))
