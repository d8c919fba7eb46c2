"""Ops of ``memref`` with MLIR's text: views and copies that xDSL lacks or has only in generic
form.
"""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AffineMapAttr,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    NoneAttr,
    StridedLayoutAttr,
    StringAttr,
    TensorType,
    UnitAttr,
    UnrankedMemRefType,
)
from xdsl.dialects.utils import verify_dynamic_index_list
from xdsl.ir import Attribute, Operation
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.irdl import (
    IRDLOperation,
    OperandDef,
    OptPropertyDef,
    ParsePropInAttrDict,
    base,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import (
    HasParent,
    IsTerminator,
    MemoryAllocEffect,
    MemoryFreeEffect,
    MemoryReadEffect,
    MemoryWriteEffect,
    NoMemoryEffect,
    SymbolTable,
    SymbolUserOpInterface,
)
from xdsl.utils.exceptions import VerifyException

from kc.dialects.redefined import redefined
from kc.dialects.slices import verify_slice
from kc.dialects.symbol_uses import has_symbols

EXTERNAL = "kc.external"
"""The mark of a ``memref.global`` whose elements are beside the code: where it is loaded, they are
found by the name of the global, and files of the code have them."""
DISJOINT = "kc.disjoint"
"""The mark of a ``memref.view`` that overlaps no view that is passed to a function beside it: the
plan of a graph's memory proves it."""


_ANY_MEMREF = base(MemRefType) | base(UnrankedMemRefType)


_CAST = "$source attr-dict `:` type($source) `to` type($dest)"


@redefined(_CAST)
class CastOp(memref.CastOp):
    """``memref.cast %A : memref<4xf32> to memref<?xf32>``: the same memory under another type."""

    def verify_(self) -> None:
        super().verify_()
        source, dest = self.source.type, self.dest.type
        if not _may_be_cast(source, dest):
            raise VerifyException(f"{self.name}: {source} is never {dest}")


def _may_be_cast(source: Attribute, dest: Attribute) -> bool:
    """True if the two types may describe the same memory: their known sizes and strides agree."""
    assert isinstance(source, MemRefType | UnrankedMemRefType)
    assert isinstance(dest, MemRefType | UnrankedMemRefType)
    if source.element_type != dest.element_type or source.memory_space != dest.memory_space:
        return False
    if not isinstance(source, MemRefType) or not isinstance(dest, MemRefType):
        return True
    sizes = zip(source.get_shape(), dest.get_shape(), strict=False)
    if source.get_num_dims() != dest.get_num_dims() or any(
        size != cast_size and DYNAMIC_INDEX not in (size, cast_size) for size, cast_size in sizes
    ):
        return False
    strides = [_known_strides(type_) for type_ in (source, dest)]
    if None in strides:
        return True
    return all(
        stride == cast_stride or None in (stride, cast_stride)
        for stride, cast_stride in zip(*strides, strict=True)  # pyright: ignore
    )


def _known_strides(type_: MemRefType) -> list[int | None] | None:
    """The strides of a memref, with None for unknown ones; None if its layout has no strides. (The
    offset is part of the address.)
    """
    if isinstance(type_.layout, StridedLayoutAttr):
        return list(type_.layout.get_strides())
    if not isinstance(type_.layout, NoneAttr):
        return None
    strides: list[int | None] = []
    step: int | None = 1
    for size in reversed(type_.get_shape()):
        strides.insert(0, step)
        step = None if step is None or size == DYNAMIC_INDEX else step * size
    return strides


@redefined(_CAST)
class MemorySpaceCastOp(memref.MemorySpaceCastOp):
    """``memref.memory_space_cast %A : memref<4xf32, 3> to memref<4xf32>``."""


@redefined()
class SubviewOp(memref.SubviewOp):
    """``memref.subview %A[%i] [4] [1] : memref<16xf32> to memref<4xf32, strided<[1], ...>>``."""

    def verify_(self) -> None:
        super().verify_()
        verify_slice(self, self.source, self.result)


@redefined(source=OperandDef(base(MemRefType)))
class ReinterpretCastOp(memref.ReinterpretCastOp):
    """``memref.reinterpret_cast %A to offset: [0], sizes: [4], strides: [1] : memref<8xf32> to
    memref<?xf32, strided<[1]>>``; the type may be less specific than the sizes.
    """

    def verify_(self) -> None:
        for static, dynamic, what in (
            (self.static_offsets, self.offsets, "offset"),
            (self.static_sizes, self.sizes, "size"),
            (self.static_strides, self.strides, "stride"),
        ):
            verify_dynamic_index_list(
                static.get_values(), dynamic, DYNAMIC_INDEX, f" in the {what} arguments"
            )
        assert isinstance(self.result.type, MemRefType)
        shape, sizes = self.result.type.get_shape(), self.static_sizes.get_values()
        if len(shape) != len(sizes):
            raise VerifyException(f"{self.name}: {len(sizes)} sizes for {self.result.type}")
        for dim, (static_size, size) in enumerate(zip(shape, sizes, strict=True)):
            if static_size != DYNAMIC_INDEX and static_size != size:
                operand = "an operand" if size == DYNAMIC_INDEX else size
                raise VerifyException(
                    f"{self.name}: the size of dimension {dim} is {operand}, but {static_size} "
                    "in the type"
                )


@redefined("$source attr-dict `:` type($source)", source=OperandDef(_ANY_MEMREF))
class RankOp(memref.RankOp):
    """``memref.rank %A : memref<4x4xf32>``: the number of dimensions."""


@redefined(
    "$source `,` $destination attr-dict `:` type($source) `to` type($destination)",
    source=OperandDef(_ANY_MEMREF),
    destination=OperandDef(_ANY_MEMREF),
)
class CopyOp(memref.CopyOp):
    """``memref.copy %A, %B : memref<4xf32> to memref<4xf32>``: copy ``%A`` to ``%B``."""

    def verify_(self) -> None:
        source, target = self.source.type, self.destination.type
        if source.element_type != target.element_type:  # pyright: ignore
            raise VerifyException(f"{self.name}: {source} has other elements than {target}")
        if not isinstance(source, MemRefType) or not isinstance(target, MemRefType):
            return
        shapes = source.get_shape(), target.get_shape()
        if len(shapes[0]) != len(shapes[1]) or any(
            first != second and DYNAMIC_INDEX not in (first, second)
            for first, second in zip(*shapes, strict=True)
        ):
            raise VerifyException(f"{self.name}: {source} has another shape than {target}")


@redefined("$source attr-dict `:` type($source) `->` type($aligned_pointer)")
class ExtractAlignedPointerAsIndexOp(memref.ExtractAlignedPointerAsIndexOp):
    """``memref.extract_aligned_pointer_as_index %A : memref<4xf32> -> index``."""


@irdl_op_definition
class ReallocOp(IRDLOperation):
    """``%B = memref.realloc %A(%n) : memref<4xf32> to memref<?xf32>``.

    Memory of another size with the contents of ``%A``, truncated to the new size. ``%A`` is freed.
    """

    name = "memref.realloc"

    source = operand_def(MemRefType)
    dynamic_result_size = opt_operand_def(IndexType)
    alignment = opt_prop_def(IntegerAttr)
    result = result_def(MemRefType)

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(
        MemoryAllocEffect(), MemoryFreeEffect(), MemoryReadEffect(), MemoryWriteEffect()
    )

    assembly_format = (
        "$source (`(` $dynamic_result_size^ `)`)? attr-dict `:` type($source) `to` type($result)"
    )

    def verify_(self) -> None:
        old, new = self.source.type, self.result.type
        assert isinstance(old, MemRefType)
        assert isinstance(new, MemRefType)
        if old.get_num_dims() != 1 or new.get_num_dims() != 1:
            raise VerifyException(f"{self.name}: both memrefs have one dimension")
        if old.element_type != new.element_type:
            raise VerifyException(f"{self.name}: both memrefs have elements of one type")
        if (new.get_shape()[0] == DYNAMIC_INDEX) != (self.dynamic_result_size is not None):
            raise VerifyException(f"{self.name}: it needs an operand for the size ?")


@irdl_op_definition
class ReshapeOp(IRDLOperation):
    """``memref.reshape %A(%s) : (memref<4xf32>, memref<2xindex>) -> memref<?x?xf32>``.

    The same elements in row-major order, with the sizes in ``%s``.
    """

    name = "memref.reshape"

    source = operand_def(_ANY_MEMREF)
    shape = operand_def(MemRefType)
    result = result_def(_ANY_MEMREF)

    traits = traits_def(MemoryReadEffect())

    assembly_format = "$source `(` $shape `)` attr-dict `:` functional-type(operands, results)"

    def verify_(self) -> None:
        shape, result = self.shape.type, self.result.type
        assert isinstance(shape, MemRefType)
        if shape.get_num_dims() != 1 or not isinstance(shape.element_type, IndexType | IntegerType):
            raise VerifyException(f"{self.name}: the shape is a list of integers")
        if isinstance(result, MemRefType) and shape.get_shape()[0] != result.get_num_dims():
            raise VerifyException(
                f"{self.name}: {result.get_num_dims()} sizes for {result}, not "
                f"{shape.get_shape()[0]}"
            )


@irdl_op_definition
class TransposeOp(IRDLOperation):
    """``memref.transpose %A (i, j) -> (j, i) : memref<4x8xf32> to memref<8x4xf32, ...>``: a view
    with permuted dimensions.
    """

    name = "memref.transpose"

    in_ = operand_def(MemRefType)
    permutation = prop_def(AffineMapAttr)
    result = result_def(MemRefType)

    traits = traits_def(NoMemoryEffect())

    def verify_(self) -> None:
        assert isinstance(self.in_.type, MemRefType)
        space, rank = self.permutation.data, self.in_.type.get_num_dims()
        dims = [expr.position for expr in space.results if isinstance(expr, AffineDimExpr)]
        if space.num_dims != rank or sorted(dims) != list(range(rank)):
            raise VerifyException(f"{self.name}: {space} is not a permutation of {rank} dimensions")
        assert isinstance(self.result.type, MemRefType)
        sizes = self.in_.type.get_shape()
        if self.result.type.element_type != self.in_.type.element_type or tuple(
            self.result.type.get_shape()
        ) != tuple(sizes[dim] for dim in dims):
            raise VerifyException(
                f"{self.name}: {self.in_.type} in another order is not {self.result.type}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> TransposeOp:
        source = parser.parse_unresolved_operand()
        names = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_identifier)
        parser.parse_punctuation("->")
        order = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_identifier)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        source_type = parser.parse_type()
        parser.parse_keyword("to")
        result = parser.parse_type()
        if sorted(names) != sorted(order):
            parser.raise_error("expected the same names on both sides of ->")
        exprs = tuple(AffineDimExpr(names.index(name)) for name in order)
        return cls.build(
            operands=[parser.resolve_operand(source, source_type)],
            properties={"permutation": AffineMapAttr(AffineMap(len(names), 0, exprs))},
            attributes=attributes,
            result_types=[result],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.in_)
        names = [f"d{n}" for n in range(self.permutation.data.num_dims)]
        order = [str(expr) for expr in self.permutation.data.results]
        printer.print_string(f" ({', '.join(names)}) -> ({', '.join(order)})")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.in_.type)
        printer.print_string(" to ")
        printer.print_attribute(self.result.type)


@irdl_op_definition
class GenericAtomicRMWOp(IRDLOperation):
    """``memref.generic_atomic_rmw %A[%i] : memref<4xf32> { ^bb0(%old: f32): ... }``.

    The body computes the new element from the old one, atomically.
    """

    name = "memref.generic_atomic_rmw"

    memref = operand_def(MemRefType)
    indices = var_operand_def(IndexType)
    body = region_def("single_block")
    result = result_def()

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def verify_(self) -> None:
        assert isinstance(self.memref.type, MemRefType)
        if len(self.indices) != self.memref.type.get_num_dims():
            raise VerifyException(f"{self.name}: an index for each dimension is needed")
        if [arg.type for arg in self.body.block.args] != [self.memref.type.element_type]:
            raise VerifyException(
                f"{self.name}: the body takes one {self.memref.type.element_type}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> GenericAtomicRMWOp:
        buffer = parser.parse_unresolved_operand()
        indices = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, parser.parse_unresolved_operand
        )
        parser.parse_punctuation(":")
        at, type_ = parser.pos, parser.parse_type()
        if not isinstance(type_, MemRefType):
            parser.raise_error("expected a memref", at)
        body = parser.parse_region()
        attributes = parser.parse_optional_attr_dict()
        return cls.build(
            operands=[
                parser.resolve_operand(buffer, type_),
                [parser.resolve_operand(index, IndexType()) for index in indices],
            ],
            attributes=attributes,
            regions=[body],
            result_types=[type_.element_type],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.memref)
        with printer.in_square_brackets():
            printer.print_list(self.indices, printer.print_ssa_value)
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)
        printer.print_string(" ")
        printer.print_region(self.body)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class AtomicYieldOp(IRDLOperation):
    """``memref.atomic_yield %new : f32``: the new element."""

    name = "memref.atomic_yield"

    result = operand_def()

    traits = traits_def(IsTerminator(), HasParent(GenericAtomicRMWOp))

    assembly_format = "$result attr-dict `:` type($result)"


@redefined(
    sym_visibility=OptPropertyDef(base(StringAttr)),
    initial_value=OptPropertyDef(base(UnitAttr) | base(DenseIntOrFPElementsAttr)),
)
class GlobalOp(memref.GlobalOp):
    """``memref.global "private" constant @t : memref<4xf32> = dense<1.0> {alignment = 64}``."""

    def verify_(self) -> None:
        assert isinstance(self.type, MemRefType)
        value = self.initial_value
        if isinstance(value, DenseIntOrFPElementsAttr):
            held = TensorType(self.type.element_type, self.type.shape)
            value_type = TensorType(value.get_element_type(), value.get_shape())
            if value_type != held:
                raise VerifyException(
                    f"{self.name}: the initial value is a {value_type}, not a {held}"
                )
        if self.alignment is not None and self.alignment.value.data.bit_count() != 1:
            raise VerifyException(f"{self.name}: the alignment is a power of 2")

    @classmethod
    def parse(cls, parser: Parser) -> GlobalOp:
        properties: dict[str, Attribute] = {}
        if (visibility := parser.parse_optional_str_literal()) is not None:
            properties["sym_visibility"] = StringAttr(visibility)
        if parser.parse_optional_keyword("constant") is not None:
            properties["constant"] = UnitAttr()
        properties["sym_name"] = parser.parse_symbol_name()
        parser.parse_punctuation(":")
        at, type_ = parser.pos, parser.parse_type()
        if not isinstance(type_, MemRefType):
            parser.raise_error("expected a memref", at)
        properties["type"] = type_
        if parser.parse_optional_punctuation("=") is not None:
            if parser.parse_optional_keyword("uninitialized") is not None:
                properties["initial_value"] = UnitAttr()
            else:
                tensor = TensorType(type_.element_type, type_.shape)
                parser.parse_keyword("dense")
                properties["initial_value"] = parser.parse_dense_int_or_fp_elements_attr(tensor)
        attributes = dict(parser.parse_optional_attr_dict())
        if (alignment := attributes.pop("alignment", None)) is not None:
            properties["alignment"] = alignment
        return cls.build(properties=properties, attributes=attributes)

    def print(self, printer: Printer) -> None:
        if self.sym_visibility is not None:
            printer.print_string(f' "{self.sym_visibility.data}"')
        if self.constant is not None:
            printer.print_string(" constant")
        printer.print_string(" ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string(" : ")
        printer.print_attribute(self.type)
        if isinstance(self.initial_value, UnitAttr):
            printer.print_string(" = uninitialized")
        elif isinstance(self.initial_value, DenseIntOrFPElementsAttr):
            printer.print_string(" = ")
            self.initial_value.print_without_type(printer)
        attributes = dict(self.attributes)
        if self.alignment is not None:
            attributes["alignment"] = self.alignment
        printer.print_op_attributes(attributes)


class _HasTypeOfGlobal(SymbolUserOpInterface):
    """A trait: the global is declared in the module, with this type."""

    def verify(self, op: Operation) -> None:
        assert isinstance(op, memref.GetGlobalOp)
        if not has_symbols(op):
            return
        name = op.name_.string_value()
        table = SymbolTable.lookup_symbol(op, op.name_)
        if not isinstance(table, memref.GlobalOp):
            raise VerifyException(f"{op.name}: @{name} is not a memref.global")
        if table.type != op.memref.type:
            raise VerifyException(f"{op.name}: @{name} is a {table.type}, not a {op.memref.type}")


@redefined()
class GetGlobalOp(memref.GetGlobalOp):
    """``memref.get_global @t : memref<4xf32>``."""

    traits = traits_def(NoMemoryEffect(), _HasTypeOfGlobal())


REPLACED = {
    op.name: op
    for op in (
        CastOp,
        CopyOp,
        ExtractAlignedPointerAsIndexOp,
        GetGlobalOp,
        GlobalOp,
        MemorySpaceCastOp,
        RankOp,
        ReinterpretCastOp,
        SubviewOp,
    )
}
"""The classes that replace xDSL's, by name."""

ADDED = (AtomicYieldOp, GenericAtomicRMWOp, ReallocOp, ReshapeOp, TransposeOp)
"""The ops that xDSL lacks."""
