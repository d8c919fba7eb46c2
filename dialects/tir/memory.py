"""``tir.alloc``, ``tir.load`` and ``tir.store``: buffers and their elements."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    IndexType,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    StringAttr,
    TensorType,
    UnrankedMemRefType,
    UnrankedTensorType,
    VectorType,
)
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
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryAllocEffect, MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from kc.dialects.access_assembly import print_access, verify_access
from kc.dialects.affine_assembly import AffineOperandsParser
from kc.dialects.assembly import DYNAMIC, INDEX, is_name, parse_name, verify_name
from kc.dialects.direct_access import initialize, with_direct_access
from kc.dialects.tir.canonicalization import Canonicalized

ASYNC_COPY = "tir.async_copy"
"""The attribute of a store of a loaded element that may complete asynchronously, up to a wait for
its group of copies (``nvvm.cp.async.wait.group``).
"""

NONTEMPORAL = "nontemporal"
"""The attribute of a vector store that bypasses the caches. With ``alignment``, the address is a
multiple of this number of bytes.
"""


CONTAINERS = (VectorType, TensorType, UnrankedTensorType, MemRefType, UnrankedMemRefType)
"""The types that cannot be elements of a tir buffer."""


def _verify_element_type(op: Operation, buffer_type: Attribute) -> Attribute:
    """Check the element type of a buffer."""
    assert isinstance(buffer_type, MemRefType)
    element = buffer_type.element_type
    if isinstance(element, CONTAINERS):
        raise VerifyException(
            f"{op.name}: the elements of {buffer_type} are of type {element}; those of a buffer "
            "are scalars"
        )
    return element


def _verify_element(op: Operation, buffer_type: Attribute, value_type: Attribute) -> None:
    assert isinstance(buffer_type, MemRefType)
    element = _verify_element_type(op, buffer_type)
    if value_type == element:
        return
    if isinstance(value_type, VectorType) and value_type.element_type == element:
        if value_type.get_num_dims() == 1 and buffer_type.get_num_dims() > 0:
            return
    raise VerifyException(f"{op.name}: value of type {value_type} for a buffer of {element}")


def has_rows(buffer_type: Attribute) -> bool:
    """True if consecutive elements along the last dimension are adjacent in memory."""
    assert isinstance(buffer_type, MemRefType)
    layout = buffer_type.layout
    if isinstance(layout, StridedLayoutAttr):
        return layout.get_strides()[-1:] == (1,)
    return isinstance(layout, NoneAttr) or (
        isinstance(layout, AffineMapAttr)
        and layout.data == AffineMap.identity(buffer_type.get_num_dims())
    )


@with_direct_access
@irdl_op_definition
class LoadOp(IRDLOperation):
    """``tir.load %A[%i * 32 + %ii, %k] : memref<...>``: an element of a buffer.

    A vector result contains consecutive elements along the last dimension.
    """

    name = "tir.load"

    buffer = operand_def(MemRefType)
    operands_of_map = var_operand_def(IndexType())
    indices = prop_def(AffineMapAttr)
    result = result_def()

    traits = traits_def(MemoryReadEffect(), Canonicalized())

    def __init__(
        self,
        buffer: SSAValue,
        indices: AffineMap,
        operands: Sequence[SSAValue],
        result_type: Attribute | None = None,
    ) -> None:
        element: Attribute
        if result_type is None:
            assert isinstance(buffer.type, MemRefType)
            element = buffer.type.element_type
        else:
            element = result_type
        properties = {"indices": AffineMapAttr(indices)}
        initialize(self, [buffer, *operands], [element], properties)

    def verify_(self) -> None:
        verify_access(self, self.buffer.type, self.indices, len(self.operands_of_map))
        _verify_element(self, self.buffer.type, self.result.type)

    @classmethod
    def parse(cls, parser: Parser) -> LoadOp:
        buffer = parser.parse_unresolved_operand()
        affine = AffineOperandsParser(parser)
        exprs = affine.exprs()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        buffer_type = parser.parse_type()
        result_type = None
        if parser.parse_optional_punctuation(","):
            result_type = parser.parse_type()
        elif not isinstance(buffer_type, MemRefType):
            parser.raise_error(f"tir.load: expected a memref type, got {buffer_type}")
        op = cls(
            parser.resolve_operand(buffer, buffer_type),
            affine.map_of(exprs),
            affine.operands(),
            result_type,
        )
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_access(printer, self.buffer, self.indices, self.operands_of_map)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.buffer.type)
        if isinstance(self.result.type, VectorType):
            printer.print_string(", ")
            printer.print_attribute(self.result.type)


@with_direct_access
@irdl_op_definition
class StoreOp(IRDLOperation):
    """``tir.store %v, %A[%i, %j] : memref<...>``: store an element, or a vector of elements."""

    name = "tir.store"

    value = operand_def()
    buffer = operand_def(MemRefType)
    operands_of_map = var_operand_def(IndexType())
    indices = prop_def(AffineMapAttr)

    traits = traits_def(MemoryWriteEffect(), Canonicalized())

    def __init__(
        self, value: SSAValue, buffer: SSAValue, indices: AffineMap, operands: Sequence[SSAValue]
    ) -> None:
        initialize(self, [value, buffer, *operands], [], {"indices": AffineMapAttr(indices)})

    def verify_(self) -> None:
        verify_access(self, self.buffer.type, self.indices, len(self.operands_of_map))
        _verify_element(self, self.buffer.type, self.value.type)

    @classmethod
    def parse(cls, parser: Parser) -> StoreOp:
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        buffer = parser.parse_unresolved_operand()
        affine = AffineOperandsParser(parser)
        exprs = affine.exprs()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        buffer_type = parser.parse_type()
        if parser.parse_optional_punctuation(","):
            value_type = parser.parse_type()
        elif isinstance(buffer_type, MemRefType):
            value_type = buffer_type.element_type
        else:
            parser.raise_error(f"tir.store: expected a memref type, got {buffer_type}")
        op = cls(
            parser.resolve_operand(value, value_type),
            parser.resolve_operand(buffer, buffer_type),
            affine.map_of(exprs),
            affine.operands(),
        )
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.value)
        printer.print_string(", ")
        print_access(printer, self.buffer, self.indices, self.operands_of_map)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.buffer.type)
        if isinstance(self.value.type, VectorType):
            printer.print_string(", ")
            printer.print_attribute(self.value.type)


@with_direct_access
@irdl_op_definition
class AllocOp(IRDLOperation):
    """``tir.alloc "B" : memref<16x?xf32, "local">``: a buffer that lives to the end of its region.

    A buffer with a size that is negative at run time has no elements.
    """

    name = "tir.alloc"

    dynamic_sizes = var_operand_def(IndexType())
    buffer_name = prop_def(StringAttr)
    buffer = result_def(MemRefType)

    traits = traits_def(MemoryAllocEffect(), Canonicalized())

    def __init__(
        self, buffer_name: str, buffer_type: MemRefType, dynamic_sizes: Sequence[SSAValue] = ()
    ) -> None:
        super().__init__(
            operands=[list(dynamic_sizes)],
            properties={"buffer_name": StringAttr(buffer_name)},
            result_types=[buffer_type],
        )
        if is_name(buffer_name):
            self.buffer.name_hint = buffer_name

    @property
    def label(self) -> str:
        """The buffer's name."""
        return self.buffer_name.data

    def verify_(self) -> None:
        verify_name(self, self.label)
        _verify_element_type(self, self.buffer.type)
        assert isinstance(self.buffer.type, MemRefType)
        dynamic = self.buffer.type.get_shape().count(DYNAMIC)
        if dynamic != len(self.dynamic_sizes):
            raise VerifyException(
                f"tir.alloc: buffer {self.label} has {dynamic} dynamic dimensions "
                f"but {len(self.dynamic_sizes)} sizes"
            )
        for size in self.buffer.type.get_shape():
            if size < 0 and size != DYNAMIC:
                raise VerifyException(
                    f"tir.alloc: buffer {self.label} has the size {size}; a size is at least 0"
                )
        self._verify_notes(self.buffer.type.get_num_dims())

    def _verify_notes(self, rank: int) -> None:
        """Verify the annotations of dimensions: ``tir.storage_align`` and
        ``tir.axis_separators``.
        """
        aligned = self.attributes.get("tir.storage_align", ArrayAttr([]))
        entries = aligned.data if isinstance(aligned, ArrayAttr) else (aligned,)
        axes: list[int] = []
        for entry in entries:
            values = entry.get_values() if isinstance(entry, DenseArrayBase) else ()
            if len(values) != 3 or not 0 <= values[0] < rank or not 0 <= values[2] < values[1]:
                raise VerifyException(
                    f"tir.alloc: tir.storage_align of buffer {self.label} has the entry {entry}; "
                    f"it has a dimension (0 to {rank - 1}), a factor, and an offset less than that"
                )
            axes.append(int(values[0]))
        if len(set(axes)) != len(axes):
            raise VerifyException(
                f"tir.alloc: tir.storage_align of buffer {self.label} aligns a dimension twice"
            )
        swizzle = self.attributes.get("tir.swizzle")
        if swizzle is not None and not isinstance(swizzle, StringAttr):
            raise VerifyException(
                f"tir.alloc: tir.swizzle of buffer {self.label} is {swizzle}; it is the text of an "
                "index map"
            )
        separators = self.attributes.get("tir.axis_separators")
        if separators is None:
            return
        positions = separators.get_values() if isinstance(separators, DenseArrayBase) else (0,)
        ends = [0, *positions, rank]
        if any(previous >= following for previous, following in zip(ends, ends[1:], strict=False)):
            raise VerifyException(
                f"tir.alloc: tir.axis_separators of buffer {self.label} is {separators}; "
                f"separators are between its {rank} dimensions, in increasing order"
            )

    @classmethod
    def parse(cls, parser: Parser) -> AllocOp:
        label = parse_name(parser)
        sizes = (
            parser.parse_optional_comma_separated_list(
                parser.Delimiter.PAREN, parser.parse_unresolved_operand
            )
            or []
        )
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        buffer_type = parser.parse_type()
        if not isinstance(buffer_type, MemRefType):
            parser.raise_error(f"tir.alloc: expected a memref type, got {buffer_type}")
        op = cls(label.data, buffer_type, [parser.resolve_operand(size, INDEX) for size in sizes])
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_string_literal(self.label)
        if self.dynamic_sizes:
            printer.print_string(" (")
            printer.print_list(self.dynamic_sizes, printer.print_ssa_value)
            printer.print_string(")")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.buffer.type)
