"""Device memory (allocated by the host) and shared memory (used by a kernel); waiting; printing.

An ``async`` operation returns a token, and starts when its operand tokens are complete.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    IndexType,
    IntegerAttr,
    MemRefType,
    StringAttr,
    UnitAttr,
    UnrankedMemRefType,
    i8,
    i32,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    opt_result_def,
    prop_def,
    result_def,
    var_operand_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from kc.dialects.gpu.attrs import ALIGN, TOKEN, AddressSpace, AddressSpaceAttr, AsyncTokenType

INDEX = IndexType()


def parse_async(parser: Parser) -> tuple[bool, list[SSAValue]]:
    """Parse ``async [%t, %u]``: True if the operation returns a token, and the tokens that it waits
    for.
    """
    is_async = parser.parse_optional_keyword("async") is not None
    names = parser.parse_optional_comma_separated_list(
        parser.Delimiter.SQUARE, parser.parse_unresolved_operand
    )
    return is_async, [parser.resolve_operand(name, TOKEN) for name in names or ()]


def print_async(printer: Printer, token: SSAValue | None, after: Sequence[SSAValue]) -> None:
    """The inverse of :func:`parse_async`."""
    if token is not None:
        printer.print_string(" async")
    if after:
        printer.print_string(" [")
        printer.print_list(after, printer.print_ssa_value)
        printer.print_string("]")


class AsyncOp(IRDLOperation):
    """An operation that may be ``async``."""

    async_dependencies = var_operand_def(AsyncTokenType)
    async_token = opt_result_def(AsyncTokenType)


@irdl_op_definition
class WaitOp(AsyncOp):
    """``gpu.wait [%t, %u]``: the host waits; ``%v = gpu.wait async [%t, %u]``: a token for all."""

    name = "gpu.wait"

    def __init__(self, after: Sequence[SSAValue] = (), *, is_async: bool = False) -> None:
        super().__init__(operands=[list(after)], result_types=[TOKEN if is_async else None])

    @classmethod
    def parse(cls, parser: Parser) -> WaitOp:
        is_async, after = parse_async(parser)
        op = cls(after, is_async=is_async)
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def print(self, printer: Printer) -> None:
        print_async(printer, self.async_token, self.async_dependencies)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class AllocOp(IRDLOperation):
    """``%m, %u = gpu.alloc async [%t] host_shared (%n) : memref<?xf32, 1>``: device memory, which
    with ``host_shared`` the host can also access.
    """

    name = "gpu.alloc"

    async_dependencies = var_operand_def(AsyncTokenType)
    dynamic_sizes = var_operand_def(IndexType)
    symbol_operands = var_operand_def(IndexType)
    host_shared = opt_prop_def(UnitAttr, prop_name="hostShared")
    memref = result_def(MemRefType)
    async_token = opt_result_def(AsyncTokenType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        type_: MemRefType,
        sizes: Sequence[SSAValue] = (),
        symbols: Sequence[SSAValue] = (),
        *,
        after: Sequence[SSAValue] = (),
        is_async: bool = False,
        host_shared: bool = False,
    ) -> None:
        super().__init__(
            operands=[list(after), list(sizes), list(symbols)],
            properties={"hostShared": UnitAttr() if host_shared else None},
            result_types=[type_, TOKEN if is_async else None],
        )

    def verify_(self) -> None:
        type_ = self.memref.type
        assert isinstance(type_, MemRefType)
        dynamic = type_.get_shape().count(DYNAMIC_INDEX)
        if dynamic != len(self.dynamic_sizes):
            raise VerifyException(
                f"gpu.alloc: {type_} has {dynamic} dynamic dimensions, {len(self.dynamic_sizes)} "
                "sizes are given"
            )

    @classmethod
    def parse(cls, parser: Parser) -> AllocOp:
        is_async, after = parse_async(parser)
        host_shared = parser.parse_optional_keyword("host_shared") is not None
        names = parser.parse_comma_separated_list(
            parser.Delimiter.PAREN, parser.parse_unresolved_operand
        )
        symbols = parser.parse_optional_comma_separated_list(
            parser.Delimiter.SQUARE, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        at, type_ = parser.pos, parser.parse_type()
        if not isinstance(type_, MemRefType):
            parser.raise_error(f"gpu.alloc: expected a memref type, got {type_}", at)
        op = cls(
            type_,
            [parser.resolve_operand(name, INDEX) for name in names],
            [parser.resolve_operand(name, INDEX) for name in symbols or ()],
            after=after,
            is_async=is_async,
            host_shared=host_shared,
        )
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        print_async(printer, self.async_token, self.async_dependencies)
        if self.host_shared is not None:
            printer.print_string(" host_shared")
        printer.print_string(" (")
        printer.print_list(self.dynamic_sizes, printer.print_ssa_value)
        printer.print_string(")")
        if self.symbol_operands:
            printer.print_string("[")
            printer.print_list(self.symbol_operands, printer.print_ssa_value)
            printer.print_string("]")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)


class AsyncOnMemoryOp(AsyncOp):
    """``gpu.memcpy async [%t] %a, %b : memref<?xf32, 1>, memref<?xf32>``: values, followed by their
    types.
    """

    @classmethod
    def parse(cls, parser: Parser) -> AsyncOnMemoryOp:
        is_async, after = parse_async(parser)
        names: list[UnresolvedOperand] = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        at = parser.pos
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        values = parser.resolve_operands(names, types, at)
        fixed = len(cls.get_irdl_definition().operands) - 1
        if len(values) != fixed:
            parser.raise_error(f"{cls.name}: takes {fixed} values, {len(values)} are given", at)
        op = cls.build(
            operands=[after, *values],
            attributes=attributes,
            result_types=[TOKEN if is_async else None],
        )
        assert isinstance(op, AsyncOnMemoryOp)
        return op

    def print(self, printer: Printer) -> None:
        print_async(printer, self.async_token, self.async_dependencies)
        values = self.operands[len(self.async_dependencies) :]
        printer.print_string(" ")
        printer.print_list(values, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_list([value.type for value in values], printer.print_attribute)


@irdl_op_definition
class DeallocOp(AsyncOnMemoryOp):
    """``gpu.dealloc async [%t] %m : memref<8xf32, 1>``: free memory of :class:`AllocOp`."""

    name = "gpu.dealloc"

    async_dependencies = var_operand_def(AsyncTokenType)
    memref = operand_def(MemRefType)
    async_token = opt_result_def(AsyncTokenType)

    def __init__(
        self, memref: SSAValue, after: Sequence[SSAValue] = (), *, is_async: bool = False
    ) -> None:
        super().__init__(operands=[list(after), memref], result_types=[TOKEN if is_async else None])


@irdl_op_definition
class MemcpyOp(AsyncOnMemoryOp):
    """``gpu.memcpy async [%t] %dst, %src : memref<?xf32, 1>, memref<?xf32>``."""

    name = "gpu.memcpy"

    async_dependencies = var_operand_def(AsyncTokenType)
    dst = operand_def(MemRefType)
    src = operand_def(MemRefType)
    async_token = opt_result_def(AsyncTokenType)

    def __init__(
        self,
        dst: SSAValue,
        src: SSAValue,
        after: Sequence[SSAValue] = (),
        *,
        is_async: bool = False,
    ) -> None:
        super().__init__(
            operands=[list(after), dst, src], result_types=[TOKEN if is_async else None]
        )

    def verify_(self) -> None:
        target, source = self.dst.type, self.src.type
        assert isinstance(target, MemRefType)
        assert isinstance(source, MemRefType)
        if target.element_type != source.element_type:
            raise VerifyException(f"gpu.memcpy: copies {source} to {target}, of another type")
        sizes = zip(target.get_shape(), source.get_shape(), strict=False)
        if target.get_num_dims() != source.get_num_dims() or any(
            a != b and DYNAMIC_INDEX not in (a, b) for a, b in sizes
        ):
            raise VerifyException(f"gpu.memcpy: copies {source} to {target}, of another shape")


@irdl_op_definition
class MemsetOp(AsyncOnMemoryOp):
    """``gpu.memset async [%t] %dst, %value : memref<?xf32, 1>, f32``."""

    name = "gpu.memset"

    async_dependencies = var_operand_def(AsyncTokenType)
    dst = operand_def(MemRefType)
    value = operand_def()
    async_token = opt_result_def(AsyncTokenType)

    def __init__(
        self,
        dst: SSAValue,
        value: SSAValue,
        after: Sequence[SSAValue] = (),
        *,
        is_async: bool = False,
    ) -> None:
        super().__init__(
            operands=[list(after), dst, value], result_types=[TOKEN if is_async else None]
        )

    def verify_(self) -> None:
        assert isinstance(self.dst.type, MemRefType)
        if self.dst.type.element_type != self.value.type:
            raise VerifyException(
                f"gpu.memset: sets {self.dst.type} to a value of type {self.value.type}"
            )


@irdl_op_definition
class HostRegisterOp(IRDLOperation):
    """``gpu.host_register %m : memref<*xf32>``: permit the device to use host memory."""

    name = "gpu.host_register"

    value = operand_def(UnrankedMemRefType)

    assembly_format = "$value attr-dict `:` type($value)"

    def __init__(self, value: SSAValue) -> None:
        super().__init__(operands=[value])


@irdl_op_definition
class HostUnregisterOp(IRDLOperation):
    """``gpu.host_unregister %m : memref<*xf32>``: end the device's use of host memory."""

    name = "gpu.host_unregister"

    value = operand_def(UnrankedMemRefType)

    assembly_format = "$value attr-dict `:` type($value)"

    def __init__(self, value: SSAValue) -> None:
        super().__init__(operands=[value])


@irdl_op_definition
class SetDefaultDeviceOp(IRDLOperation):
    """``gpu.set_default_device %n``: selects the device for the following operations."""

    name = "gpu.set_default_device"

    dev_index = operand_def(i32)

    assembly_format = "attr-dict $dev_index"

    def __init__(self, device: SSAValue) -> None:
        super().__init__(operands=[device])


@irdl_op_definition
class DynamicSharedMemoryOp(IRDLOperation):
    """``%m = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>``.

    Shared memory whose size in bytes the launch specifies. The attribute ``llvm.align = 1024``
    gives its alignment.
    """

    name = "gpu.dynamic_shared_memory"

    result = result_def(MemRefType)

    assembly_format = "attr-dict `:` type($result)"

    def __init__(self, type_: MemRefType | None = None) -> None:
        space = AddressSpaceAttr(AddressSpace.WORKGROUP)
        super().__init__(
            result_types=[type_ or MemRefType(i8, [DYNAMIC_INDEX], memory_space=space)]
        )

    @property
    def alignment(self) -> int | None:
        """The alignment in bytes; None if unspecified."""
        attr = self.attributes.get(ALIGN)
        return attr.value.data if isinstance(attr, IntegerAttr) else None

    def verify_(self) -> None:
        type_ = self.result.type
        assert isinstance(type_, MemRefType)
        if list(type_.get_shape()) != [DYNAMIC_INDEX] or type_.element_type != i8:
            raise VerifyException(
                f"gpu.dynamic_shared_memory: its result is {type_}, but must have the type "
                "memref<?xi8>"
            )
        if type_.memory_space != AddressSpaceAttr(AddressSpace.WORKGROUP):
            raise VerifyException(
                f"gpu.dynamic_shared_memory: its result is {type_}, but must be in "
                "#gpu.address_space<workgroup>"
            )


@irdl_op_definition
class PrintfOp(IRDLOperation):
    """``gpu.printf "%d: %f\\n", %i, %x : i32, f32``: a thread prints, in C's format."""

    name = "gpu.printf"

    format = prop_def(StringAttr)
    args = var_operand_def()

    def __init__(self, format: str, args: Sequence[SSAValue] = ()) -> None:
        super().__init__(operands=[list(args)], properties={"format": StringAttr(format)})

    @classmethod
    def parse(cls, parser: Parser) -> PrintfOp:
        format = parser.parse_str_literal()
        names: list[UnresolvedOperand] = []
        attributes = parser.parse_optional_attr_dict()
        if parser.parse_optional_punctuation(","):
            names = parser.parse_comma_separated_list(
                parser.Delimiter.NONE, parser.parse_unresolved_operand
            )
        types: list[Attribute] = []
        if names:
            parser.parse_punctuation(":")
            at = parser.pos
            types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
            op = cls(format, parser.resolve_operands(names, types, at))
        else:
            op = cls(format)
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_attribute(self.format)
        printer.print_op_attributes(self.attributes)
        if self.args:
            printer.print_string(", ")
            printer.print_list(self.args, printer.print_ssa_value)
            printer.print_string(" : ")
            printer.print_list([arg.type for arg in self.args], printer.print_attribute)
