"""``te.extern``: tensors written by explicit loops, or by external code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from xdsl.dialects import memref
from xdsl.dialects.builtin import IndexType, MemRefType, StringAttr, TensorType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    lazy_traits_def,
    prop_def,
    region_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import HasParent, IsolatedFromAbove, NoTerminator, OpTrait
from xdsl.utils.exceptions import VerifyException

from kc.dialects.assembly import (
    DYNAMIC,
    INDEX,
    is_name,
    parse_name,
    parse_optional_attributes,
    print_body,
    print_optional_attributes,
    verify_name,
)
from kc.dialects.te.compute import output_name
from kc.dialects.tir import StoreOp
from kc.dialects.tir.calls import CallExternOp
from kc.dialects.tir.views import CallOp, ViewOp

_DIALECTS = ("tir", "scf", "arith", "math", "memref", "affine", "vector")


def _homes_of_extern() -> tuple[OpTrait, ...]:
    from kc.dialects.te import FuncOp

    return IsolatedFromAbove(), NoTerminator(), HasParent(FuncOp)


@irdl_op_definition
class ExternOp(IRDLOperation):
    """Tensors that a region of ``tir`` writes.

    ``%C = te.extern "C" (%a: memref<8x?xf32> = %A, %s: f32 = %scale) -> (%c: memref<8x?xf32> of
    (%n)) { ... }``. The region sees the inputs and the results as buffers that do not overlap. It
    reads the inputs, writes every element of the results, and accesses no other memory. Scalars
    follow the inputs; ``tir.symbol`` gives sizes. (TVM: ``te.extern``.)
    """

    name = "te.extern"

    inputs = var_operand_def()
    sizes = var_operand_def(IndexType())
    extern_name = prop_def(StringAttr)
    body = region_def("single_block")
    tensors = var_result_def(TensorType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = lazy_traits_def(_homes_of_extern)

    def __init__(
        self,
        extern_name: str,
        inputs: Sequence[SSAValue],
        results: Sequence[TensorType],
        sizes: Sequence[SSAValue],
        body: Region | None = None,
    ) -> None:
        """``inputs`` are tensors, then scalars; ``sizes`` are the dynamic sizes of all results."""
        if body is None:
            tensors = [value.type for value in inputs if isinstance(value.type, TensorType)]
            scalars = [value.type for value in inputs if not isinstance(value.type, TensorType)]
            buffers = [buffer_type(tensor) for tensor in (*tensors, *results)]
            body = Region(Block(arg_types=[*buffers, *scalars]))
        super().__init__(
            operands=[list(inputs), list(sizes)],
            properties={"extern_name": StringAttr(extern_name)},
            regions=[body],
            result_types=[list(results)],
        )
        if is_name(extern_name):
            for n, result in enumerate(self.results):
                result.name_hint = output_name(extern_name, n, len(results))

    @property
    def label(self) -> str:
        """The operation's name."""
        return self.extern_name.data

    @property
    def tensor_inputs(self) -> list[SSAValue]:
        """The tensors read."""
        return [value for value in self.inputs if isinstance(value.type, TensorType)]

    @property
    def input_buffers(self) -> Sequence[BlockArgument]:
        """The region's buffers of the input tensors."""
        return self.body.block.args[: len(self.tensor_inputs)]

    @property
    def output_buffers(self) -> Sequence[BlockArgument]:
        """The region's buffers of the results."""
        first = len(self.tensor_inputs)
        return self.body.block.args[first : first + len(self.tensors)]

    @property
    def scalars(self) -> list[tuple[SSAValue, BlockArgument]]:
        """The scalar operands with the arguments of the region for them."""
        count = len(self.tensor_inputs)
        inner = self.body.block.args[count + len(self.tensors) :]
        return list(zip(self.inputs[count:], inner, strict=True))

    def extents(self, index: int) -> list[int | SSAValue]:
        """The dimensions of a result: integers or index values."""
        shapes = [_shape(tensor) for tensor in self.tensors]
        rest = iter(self.sizes[sum(shape.count(DYNAMIC) for shape in shapes[:index]) :])
        return [next(rest) if size == DYNAMIC else size for size in shapes[index]]

    def verify_(self) -> None:
        verify_name(self, self.label)
        label, args = self.label, self.body.block.args
        if not self.tensors:
            raise VerifyException(f"te.extern: {label} has no result")
        kinds = [isinstance(value.type, TensorType) for value in self.inputs]
        if kinds != sorted(kinds, reverse=True):
            raise VerifyException(f"te.extern: {label} has a tensor after a scalar")
        tensors = [*self.tensor_inputs, *self.tensors]
        scalars = [value.type for value in self.inputs if not isinstance(value.type, TensorType)]
        expected: list[Attribute] = [*(buffer_type(tensor.type) for tensor in tensors), *scalars]
        taken = [arg.type for arg in args]
        if taken != expected:
            raise VerifyException(
                f"te.extern: the region of {label} takes ({_list(taken)}); its inputs, results and "
                f"scalars are ({_list(expected)})"
            )
        dynamic = sum(_shape(tensor).count(DYNAMIC) for tensor in self.tensors)
        if dynamic != len(self.sizes):
            raise VerifyException(
                f"te.extern: the results of {label} have {dynamic} dynamic dimensions "
                f"but {len(self.sizes)} sizes"
            )
        inputs = set(self.input_buffers)
        for op in self.body.walk():
            written = next((buffer for buffer in written_buffers(op) if buffer in inputs), None)
            if written is not None:
                raise VerifyException(
                    f"te.extern: the region of {label} writes its input "
                    f"{written.name_hint or args.index(written)} in {op.name}; it writes its "
                    "results and buffers of its own"
                )
            if op.dialect_name() not in _DIALECTS:
                raise VerifyException(
                    f"te.extern: the region of {label} holds {op.name}; it holds ops of "
                    + ", ".join(_DIALECTS)
                )

    @classmethod
    def parse(cls, parser: Parser) -> ExternOp:
        label = parse_name(parser)
        paren = parser.Delimiter.PAREN
        outer: list[SSAValue] = []
        inner: list[Parser.Argument] = []
        sizes: list[UnresolvedOperand] = []

        def parse_input() -> None:
            inner.append(parser.parse_argument())
            parser.parse_punctuation("=")
            position, type_ = parser.pos, inner[-1].type
            name = parser.parse_unresolved_operand()
            if isinstance(type_, MemRefType):
                type_ = TensorType(type_.element_type, type_.shape)
            outer.extend(parser.resolve_operands([name], [type_], position))

        def parse_output() -> Parser.Argument:
            argument = parser.parse_argument()
            if not isinstance(argument.type, MemRefType):
                parser.raise_error(f"te.extern: expected a memref type, got {argument.type}")
            if parser.parse_optional_keyword("of"):
                sizes.extend(
                    parser.parse_comma_separated_list(paren, parser.parse_unresolved_operand)
                )
            return argument

        parser.parse_comma_separated_list(paren, parse_input)
        parser.parse_punctuation("->")
        outputs = parser.parse_comma_separated_list(paren, parse_output)
        attributes = parse_optional_attributes(parser)
        buffers = [argument for argument in inner if isinstance(argument.type, MemRefType)]
        scalars = [argument for argument in inner if not isinstance(argument.type, MemRefType)]
        body = parser.parse_region([*buffers, *outputs, *scalars])
        types = [argument.type for argument in outputs]
        op = cls(
            label.data,
            outer,
            [TensorType(t.element_type, t.shape) for t in types if isinstance(t, MemRefType)],
            [parser.resolve_operand(size, INDEX) for size in sizes],
            body,
        )
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.label)
        printer.print_string(" (")
        printer.enter_scope()
        own = [*self.input_buffers, *(arg for _, arg in self.scalars)]
        for n, (arg, value) in enumerate(zip(own, self.inputs, strict=True)):
            printer.print_string(", " if n else "")
            printer.print_block_argument(arg)
            printer.print_string(" = ")
            printer.print_ssa_value(value)
        printer.print_string(") -> (")
        for n, arg in enumerate(self.output_buffers):
            printer.print_string(", " if n else "")
            printer.print_block_argument(arg)
            dynamic = [extent for extent in self.extents(n) if not isinstance(extent, int)]
            if dynamic:
                printer.print_string(" of (")
                printer.print_list(dynamic, printer.print_ssa_value)
                printer.print_string(")")
        printer.print_string(")")
        print_optional_attributes(printer, self.attributes)
        printer.print_string(" ")
        print_body(printer, self.body)
        printer.exit_scope()


def buffer_type(tensor: Attribute) -> MemRefType:
    """The buffer type of a tensor in a region."""
    assert isinstance(tensor, TensorType)
    return MemRefType(tensor.element_type, tensor.shape)


def written_buffers(op: Operation) -> Iterator[SSAValue]:
    """The buffers that ``op`` itself writes, as named in the function or region."""
    if isinstance(op, StoreOp):
        yield root_buffer(op.buffer)
    elif isinstance(op, memref.StoreOp):
        yield root_buffer(op.memref)
    elif isinstance(op, CallExternOp | CallOp):
        yield from (root_buffer(value) for value, _, writes in op.accesses if writes)


def root_buffer(value: SSAValue) -> SSAValue:
    """The buffer that ``value`` is a view of, or ``value`` itself."""
    while isinstance(value.owner, ViewOp):
        value = value.owner.buffer
    return value


def _shape(value: SSAValue) -> list[int]:
    assert isinstance(value.type, TensorType | MemRefType)
    return list(value.type.get_shape())


def _list(types: Iterable[Attribute]) -> str:
    return ", ".join(map(str, types))
