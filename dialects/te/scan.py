"""``te.scan``: tensors defined by a recurrence along the first dimension."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType, IntegerAttr, StringAttr, TensorType, i64
from xdsl.ir import Block, BlockArgument, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    lazy_traits_def,
    opt_operand_def,
    prop_def,
    region_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent, OpTrait, Pure
from xdsl.utils.exceptions import VerifyException

from kc.dialects.assembly import (
    DYNAMIC,
    INDEX,
    is_name,
    parse_extent,
    parse_name,
    parse_named_variable,
    parse_optional_attributes,
    print_named_variable,
    print_optional_attributes,
    verify_name,
)
from kc.dialects.te.compute import ComputeOp, YieldOp, output_name
from kc.dialects.te.extern import ExternOp


def _homes_of_scan() -> tuple[OpTrait, ...]:
    from kc.dialects.te import FuncOp

    return Pure(), HasParent(FuncOp)


@irdl_op_definition
class ScanOp(IRDLOperation):
    """A recurrence along the first dimension, time.

    ``%S = te.scan "S" [%t = %m] (%s: tensor<?x8xf32> = %first: tensor<1x8xf32>) { ... te.yield
    %next : tensor<8xf32> }``. The first rows of a state are those of its initial tensor. The region
    yields each later row ``%t``, computed from earlier rows; it contains the computes of one step,
    over all dimensions except time. Results are the states, in order.
    """

    name = "te.scan"

    dynamic_extent = opt_operand_def(IndexType())
    inits = var_operand_def(TensorType)
    scan_name = prop_def(StringAttr)
    axis_name = prop_def(StringAttr)
    extent = prop_def(IntegerAttr)
    body = region_def("single_block")
    tensors = var_result_def(TensorType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = lazy_traits_def(_homes_of_scan)

    def __init__(
        self,
        scan_name: str,
        axis_name: str,
        extent: int | SSAValue,
        inits: Sequence[SSAValue],
        state_types: Sequence[TensorType],
        body: Region | None = None,
    ) -> None:
        if body is None:
            body = Region(Block(arg_types=[INDEX, *state_types]))
            body.block.args[0].name_hint = axis_name
        dynamic = [] if isinstance(extent, int) else [extent]
        super().__init__(
            operands=[dynamic, list(inits)],
            properties={
                "scan_name": StringAttr(scan_name),
                "axis_name": StringAttr(axis_name),
                "extent": IntegerAttr(extent if isinstance(extent, int) else DYNAMIC, i64),
            },
            regions=[body],
            result_types=[list(state_types)],
        )
        if is_name(scan_name):
            for n, result in enumerate(self.results):
                result.name_hint = output_name(scan_name, n, len(state_types))

    @property
    def label(self) -> str:
        """The scan's name."""
        return self.scan_name.data

    @property
    def extent_value(self) -> int | SSAValue:
        """The number of rows in time: an integer or an index value."""
        return self.extent.value.data if self.dynamic_extent is None else self.dynamic_extent

    @property
    def time(self) -> BlockArgument:
        """The row that the region computes."""
        return self.body.block.args[0]

    @property
    def states(self) -> Sequence[BlockArgument]:
        """The states, as arguments of the region."""
        return self.body.block.args[1:]

    @property
    def start(self) -> int:
        """The number of initial rows, which is the index of the first computed row."""
        return _shape(self.inits[0])[0]

    @property
    def yield_op(self) -> YieldOp:
        """The terminator of the region."""
        last = self.body.block.last_op
        assert isinstance(last, YieldOp)
        return last

    def verify_(self) -> None:
        verify_name(self, self.label)
        verify_name(self, self.axis_name.data)
        label, extent = self.label, self.extent.value.data
        if (extent == DYNAMIC) != (self.dynamic_extent is not None):
            raise VerifyException(
                f"te.scan: {label} must have either a constant extent or an operand for it"
            )
        if not self.inits:
            raise VerifyException(f"te.scan: {label} has no state")
        args = self.body.block.args
        if not args or args[0].type != INDEX:
            raise VerifyException(f"te.scan: the region of {label} must start with an index")
        types = [tensor.type for tensor in self.tensors]
        if [arg.type for arg in args[1:]] != types or len(self.inits) != len(types):
            raise VerifyException(
                f"te.scan: {label} has {len(self.inits)} initial tensors for {len(types)} states, "
                "which its region must take as arguments"
            )
        for n, (init, state) in enumerate(zip(self.inits, self.tensors, strict=True)):
            first, shape = _shape(init), _shape(state)
            if not shape or shape[0] != extent:
                raise VerifyException(
                    f"te.scan: state {n} of {label} has the type {state.type}; its first "
                    f"dimension must be {'dynamic' if extent == DYNAMIC else extent}"
                )
            if (
                len(first) != len(shape)
                or first[1:] != shape[1:]
                or _element(init) != _element(state)
            ):
                raise VerifyException(
                    f"te.scan: state {n} of {label} has the type {state.type}; its initial tensor "
                    f"has the type {init.type}, but may differ only in the first dimension"
                )
            if first[0] < 1 or first[0] != self.start:
                raise VerifyException(
                    f"te.scan: the initial tensors of {label} must have the same constant number "
                    f"of rows, at least 1; that of state {n} has the type {init.type}"
                )
        if extent != DYNAMIC and extent < self.start:
            raise VerifyException(
                f"te.scan: {label} has {extent} rows, fewer than the {self.start} initial ones"
            )
        self._verify_body()

    def _verify_body(self) -> None:
        label = self.label
        last = self.body.block.last_op
        if not isinstance(last, YieldOp):
            raise VerifyException(f"te.scan: the region of {label} must end with te.yield")
        for op in self.body.block.ops:
            if op is not last and not isinstance(op, ComputeOp):
                raise VerifyException(
                    f"te.scan: the region of {label} holds {op.name}; it holds only te.compute"
                )
        rows = [TensorType(_element(tensor), _shape(tensor)[1:]) for tensor in self.tensors]
        yielded = [value.type for value in last.values]
        if yielded != rows:
            raise VerifyException(
                f"te.scan: the region of {label} yields ({', '.join(map(str, yielded))}); a row of "
                f"its states is ({', '.join(map(str, rows))})"
            )
        makers = [value.owner for value in last.values]
        if any(maker not in list(self.body.block.ops) for maker in makers) or len(
            set(last.values)
        ) != len(last.values):
            raise VerifyException(
                f"te.scan: the region of {label} must yield different results of its computes"
            )

    @classmethod
    def parse(cls, parser: Parser) -> ScanOp:
        label = parse_name(parser)
        parser.parse_punctuation("[")
        axis_name, time = parse_named_variable(parser)
        parser.parse_punctuation("=")
        extent, operand = parse_extent(parser)
        parser.parse_punctuation("]")
        states: list[Parser.Argument] = []
        inits: list[SSAValue] = []

        def parse_state() -> None:
            states.append(parser.parse_argument())
            parser.parse_punctuation("=")
            init = parser.parse_unresolved_operand()
            parser.parse_punctuation(":")
            inits.append(parser.resolve_operand(init, parser.parse_type()))

        parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_state)
        attributes = parse_optional_attributes(parser)
        types: list[TensorType] = []
        for state in states:
            if not isinstance(state.type, TensorType):
                parser.raise_error(f"te.scan: expected a tensor type, got {state.type}")
            types.append(state.type)
        dynamic = parser.resolve_operand(operand, INDEX) if operand is not None else extent
        body = parser.parse_region([time.resolve(INDEX), *states])
        op = cls(label.data, axis_name, dynamic, inits, types, body)
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.label)
        printer.print_string(" [")
        printer.enter_scope()
        print_named_variable(printer, self.axis_name.data, self.time)
        printer.print_string(" = ")
        if self.dynamic_extent is not None:
            printer.print_ssa_value(self.dynamic_extent)
        else:
            printer.print_int(self.extent.value.data)
        printer.print_string("] (")
        for n, (state, init) in enumerate(zip(self.states, self.inits, strict=True)):
            if n:
                printer.print_string(", ")
            printer.print_block_argument(state)
            printer.print_string(" = ")
            printer.print_block_argument(init)  # pyright: ignore[reportArgumentType]
        printer.print_string(")")
        print_optional_attributes(printer, self.attributes)
        printer.print_string(" ")
        printer.print_region(self.body, print_entry_block_args=False)
        printer.exit_scope()


def tensor_extents(tensor: SSAValue) -> list[int | SSAValue]:
    """The sizes of a tensor that a compute, a scan or an extern defines."""
    op = tensor.owner
    if isinstance(op, ExternOp):
        return op.extents(list(op.tensors).index(tensor))  # pyright: ignore[reportArgumentType]
    if isinstance(op, ScanOp):
        row = op.yield_op.values[list(op.tensors).index(tensor)]  # pyright: ignore
        return [op.extent_value, *tensor_extents(row)]
    assert isinstance(op, ComputeOp)
    return op.spatial_extents


def _shape(value: SSAValue) -> tuple[int, ...]:
    assert isinstance(value.type, TensorType)
    return tuple(value.type.get_shape())


def _element(value: SSAValue):
    assert isinstance(value.type, TensorType)
    return value.type.element_type
