"""Views of buffers, and calls of functions on them.

``tir.view`` describes a box of a buffer, like TVM's ``match_buffer``. ``tir.call`` calls a function
that accesses exactly the buffers passed to it, each as a whole. The accesses of a block thus follow
from its body even if it calls external code.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    IndexType,
    MemRefType,
    StringAttr,
    SymbolRefAttr,
    i64,
)
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import (
    MemoryReadEffect,
    MemoryWriteEffect,
    Pure,
    SymbolTable,
    SymbolUserOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from kc.dialects.access_assembly import print_access, verify_access
from kc.dialects.affine_assembly import AffineOperandsParser
from kc.dialects.symbol_uses import has_symbols
from kc.dialects.tir.canonicalization import Canonicalized

MODES = ("read", "write", "update")
"""The uses of a buffer by a call: read all of it, write all of it without reading, or both."""


def strides_of(type_: MemRefType) -> list[int | None]:
    """The stride of each dimension, in elements; None if the type does not determine it."""
    return list(type_.get_strides() or [None] * type_.get_num_dims())


def accesses_of(
    arguments: Sequence[SSAValue], modes: ArrayAttr[StringAttr]
) -> list[tuple[SSAValue, bool, bool]]:
    """For each buffer of a call, two flags: it is read, and it is written."""
    return [
        (value, mode.data != "write", mode.data != "read")
        for value, mode in zip(arguments, modes, strict=True)
        if isinstance(value.type, MemRefType)
    ]


ZERO_OUTSIDE = "tir.zero_outside"
"""The attribute of a view whose elements outside of the buffer are zero."""


@irdl_op_definition
class ViewOp(IRDLOperation):
    """A box of a buffer that starts at an element.

    ``tir.view %A[%i * 4, %j] along [0] : memref<64x64xf32> to memref<4xf32, strided<[64], offset:
    ?>>`` is a part of a column. ``along`` lists the dimensions of the buffer that the view keeps,
    in order; by default the last ones. The box lies in the buffer. (``memref.subview``.)

    With the attribute ``tir.zero_outside`` the box may extend beyond the end of the buffer.
    Elements there are zero, and the view is only read. Copies of boxes by a copy unit have this
    property.
    """

    name = "tir.view"

    buffer = operand_def(MemRefType)
    operands_of_map = var_operand_def(IndexType())
    indices = prop_def(AffineMapAttr)
    dims = prop_def(DenseArrayBase.constr(i64))
    result = result_def(MemRefType)

    traits = traits_def(Pure(), Canonicalized())

    def __init__(
        self,
        buffer: SSAValue,
        indices: AffineMap,
        operands: Sequence[SSAValue],
        result_type: MemRefType,
        dims: Sequence[int] | None = None,
    ) -> None:
        if dims is None:
            assert isinstance(buffer.type, MemRefType)
            dims = _last(buffer.type, result_type)
        super().__init__(
            operands=[buffer, list(operands)],
            properties={
                "indices": AffineMapAttr(indices),
                "dims": DenseArrayBase.from_list(i64, dims),
            },
            result_types=[result_type],
        )

    @property
    def positions(self) -> list[int]:
        """The dimensions of the buffer that the view keeps."""
        return [int(dim) for dim in self.dims.iter_values()]

    def verify_(self) -> None:
        source, view = self.buffer.type, self.result.type
        assert isinstance(source, MemRefType)
        assert isinstance(view, MemRefType)
        verify_access(self, source, self.indices, len(self.operands_of_map))
        rank = source.get_num_dims()
        if (source.element_type, source.memory_space) != (view.element_type, view.memory_space):
            raise VerifyException(f"tir.view: {view} is not a part of {source}")
        dims = self.positions
        ordered = all(dim < following for dim, following in zip(dims, dims[1:], strict=False))
        if (
            len(dims) != view.get_num_dims()
            or not ordered
            or any(not 0 <= dim < rank for dim in dims)
        ):
            raise VerifyException(
                f"tir.view: {view} must go along {view.get_num_dims()} dimensions of {source} in "
                f"increasing order, not along {dims}"
            )
        own = strides_of(source)
        for dim, size, stride in zip(dims, view.get_shape(), strides_of(view), strict=True):
            whole = source.get_shape()[dim]
            is_larger = whole != DYNAMIC_INDEX and size > whole
            if size == DYNAMIC_INDEX or (is_larger and ZERO_OUTSIDE not in self.attributes):
                raise VerifyException(
                    f"tir.view: {size if size != DYNAMIC_INDEX else '?'} elements along dimension "
                    f"{dim} of {source}; a view has a constant shape that fits"
                )
            if stride is not None and own[dim] is not None and stride != own[dim] and size != 1:
                raise VerifyException(
                    f"tir.view: neighbours along dimension {dim} of {source} are {own[dim]} "
                    f"elements apart, not {stride}"
                )

    @classmethod
    def parse(cls, parser: Parser) -> ViewOp:
        buffer = parser.parse_unresolved_operand()
        affine = AffineOperandsParser(parser)
        exprs = affine.exprs()
        dims = None
        if parser.parse_optional_keyword("along"):
            dims = parser.parse_comma_separated_list(
                parser.Delimiter.SQUARE, lambda: parser.parse_integer(allow_boolean=False)
            )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types: list[MemRefType] = []
        for n in range(2):
            if n:
                parser.parse_keyword("to")
            type_ = parser.parse_type()
            if not isinstance(type_, MemRefType):
                parser.raise_error(f"tir.view: expected a memref type, got {type_}")
            types.append(type_)
        op = cls(
            parser.resolve_operand(buffer, types[0]),
            affine.map_of(exprs),
            affine.operands(),
            types[1],
            _last(*types) if dims is None else dims,
        )
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_access(printer, self.buffer, self.indices, self.operands_of_map)
        source, view = self.buffer.type, self.result.type
        assert isinstance(source, MemRefType)
        assert isinstance(view, MemRefType)
        if self.positions != _last(source, view):
            printer.print_string(f" along {self.positions}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(source)
        printer.print_string(" to ")
        printer.print_attribute(view)


def _last(source: MemRefType, view: MemRefType) -> list[int]:
    rank = source.get_num_dims()
    return list(range(max(0, rank - view.get_num_dims()), rank))


class _TakesArguments(SymbolUserOpInterface):
    """Require that a declared callee accepts the arguments."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, CallOp)
        if not has_symbols(op):
            return
        function = SymbolTable.lookup_symbol(op, op.callee)
        if not isinstance(function, FuncOp):
            return
        argument_types = [value.type for value in op.arguments]
        taken = list(function.function_type.inputs)
        if argument_types != taken or function.function_type.outputs.data:
            types = ", ".join(str(type_) for type_ in argument_types)
            raise VerifyException(
                f"tir.call: @{function.sym_name.data} is {function.function_type}, and is called "
                f"with ({types})"
            )


@irdl_op_definition
class MatrixDescriptorOp(IRDLOperation):
    """``%d = tir.matrix_descriptor %A along "k" : memref<64x16xf16, ...>``: the descriptor by which
    a product of four warps reads a tile from shared memory.

    The 64 bits are an operand of ``nvvm.wgmma.mma_async``: the start of the tile, the distance of
    its rows, and the swizzle of the buffer. A tile of three dimensions consists of panels, side by
    side. ``along`` is the index in which adjacent elements of a row differ: ``k``, the index of the
    sum, or ``mn``, an index of the result. ``lower-fragments`` computes the bits, since the layout
    is that of the buffer behind the tile. (``nvgpu.warpgroup.generate. descriptor``.)
    """

    name = "tir.matrix_descriptor"

    tile = operand_def(MemRefType)
    along = prop_def(StringAttr)
    result = result_def(i64)

    traits = traits_def(Pure())

    assembly_format = "$tile `along` $along attr-dict `:` type($tile)"

    def __init__(self, tile: SSAValue, along: str) -> None:
        super().__init__(
            operands=[tile], properties={"along": StringAttr(along)}, result_types=[i64]
        )

    def verify_(self) -> None:
        type_ = self.tile.type
        assert isinstance(type_, MemRefType)
        if self.along.data not in ("k", "mn"):
            raise VerifyException(
                f'tir.matrix_descriptor: along "k" or "mn", not "{self.along.data}"'
            )
        if type_.get_num_dims() not in (2, 3) or type_.memory_space not in _SHARED:
            raise VerifyException(
                f"tir.matrix_descriptor: a tile is a matrix in shared memory, not {type_}"
            )


_SHARED = (StringAttr("shared"), StringAttr("shared.dyn"))


@irdl_op_definition
class CallOp(IRDLOperation):
    """``tir.call @gemm(read %a, read %b, update %c, %n) : (memref<...>, ...)``: call a function.

    The function accesses no memory but its buffers: each is read as a whole, written as a whole, or
    both (``update``). A function without a body is linked; the interpreter instead runs the
    function that its attribute ``kc.description`` names.
    """

    name = "tir.call"

    arguments = var_operand_def()
    callee = prop_def(SymbolRefAttr)
    modes = prop_def(ArrayAttr[StringAttr])

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect(), _TakesArguments())

    def __init__(
        self, callee: str, arguments: Sequence[SSAValue], modes: Sequence[str | None]
    ) -> None:
        """``modes`` has one of :data:`MODES` for each buffer, None for other values."""
        super().__init__(
            operands=[list(arguments)],
            properties={
                "callee": SymbolRefAttr(callee),
                "modes": ArrayAttr([StringAttr(mode or "") for mode in modes]),
            },
        )

    @property
    def accesses(self) -> list[tuple[SSAValue, bool, bool]]:
        """For each buffer, two flags: it is read, and it is written."""
        return accesses_of(self.arguments, self.modes)

    def verify_(self) -> None:
        if len(self.modes) != len(self.arguments):
            raise VerifyException(
                f"tir.call: {len(self.modes)} modes for {len(self.arguments)} arguments"
            )
        for n, (value, mode) in enumerate(zip(self.arguments, self.modes, strict=True)):
            if isinstance(value.type, MemRefType) != (mode.data in MODES):
                raise VerifyException(
                    f"tir.call: argument {n} of type {value.type} is "
                    + (f"'{mode.data}'" if mode.data else "neither read nor written")
                    + f"; a buffer is one of {', '.join(MODES)}, other values are none"
                )

    @classmethod
    def parse(cls, parser: Parser) -> CallOp:
        callee = parser.parse_symbol_name().data
        modes: list[str | None] = []
        names: list[UnresolvedOperand] = []

        def parse_argument() -> None:
            modes.append(parser.parse_optional_keyword_in(MODES))
            names.append(parser.parse_unresolved_operand())

        parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_argument)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        types: list[Attribute] = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_type
        )
        op = cls(callee, parser.resolve_operands(names, types, position), modes)
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.callee)
        with printer.in_parens():
            for n, (value, mode) in enumerate(zip(self.arguments, self.modes, strict=True)):
                printer.print_string(", " if n else "")
                printer.print_string(f"{mode.data} " if mode.data else "")
                printer.print_ssa_value(value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        with printer.in_parens():
            printer.print_list(
                [argument.type for argument in self.arguments], printer.print_attribute
            )
