"""Ops of ``affine`` that contain maps over values in their text: accesses, and ops that apply a
map.

xDSL's ops print no attributes, and none of them supports ``symbol(%n)``.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import affine
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    I32,
    AffineMapAttr,
    BoolAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    MemRefType,
    UnitAttr,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from kc.dialects.affine_maps import (
    ValueMapParser,
    parse_applied_map,
    print_applied_map,
    print_value_exprs,
)


def _parse_indices(parser: Parser) -> tuple[AffineMapAttr, list[SSAValue]]:
    values = ValueMapParser(parser)
    exprs = values.exprs()
    return values.map_of(exprs), values.operands()


def _print_indices(printer: Printer, space: AffineMapAttr, indices: Sequence[SSAValue]) -> None:
    with printer.in_square_brackets():
        print_value_exprs(printer, space.data.results, space.data.num_dims, indices)


def _parse_memref_type(parser: Parser) -> MemRefType:
    at, type_ = parser.pos, parser.parse_type()
    if not isinstance(type_, MemRefType):
        parser.raise_error("expected a memref", at)
    return type_


def _parse_access(
    parser: Parser,
) -> tuple[SSAValue, MemRefType, AffineMapAttr, list[SSAValue], dict[str, Attribute]]:
    """``%A[%i + 1] {tag} : memref<8xf32>``: the memref, its type, the map, its operands, and the
    attributes."""
    buffer = parser.parse_unresolved_operand()
    space, indices = _parse_indices(parser)
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    type_ = _parse_memref_type(parser)
    return parser.resolve_operand(buffer, type_), type_, space, indices, attributes


def _print_access(
    printer: Printer,
    op: affine.LoadOp | affine.StoreOp | affine.VectorLoadOp | affine.VectorStoreOp,
) -> None:
    """Print the text that :func:`_parse_access` reads."""
    printer.print_ssa_value(op.memref)
    _print_indices(printer, op.map, op.indices)
    printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    printer.print_attribute(op.memref.type)


class LoadOp(affine.LoadOp):
    """``affine.load %A[%i + symbol(%n)] {tag} : memref<?xf32>``."""

    def verify_(self) -> None:
        self.get_irdl_definition().verify(self)
        _verify_access(self, self.memref, self.map, self.indices)

    @classmethod
    def parse(cls, parser: Parser) -> LoadOp:
        memref, type_, space, indices, attributes = _parse_access(parser)
        op = cls(memref, indices, space, type_.element_type)
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        _print_access(printer, self)


class StoreOp(affine.StoreOp):
    """``affine.store %x, %A[%i + symbol(%n)] {tag} : memref<?xf32>``."""

    def verify_(self) -> None:
        self.get_irdl_definition().verify(self)
        _verify_access(self, self.memref, self.map, self.indices)

    @classmethod
    def parse(cls, parser: Parser) -> StoreOp:
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        memref, type_, space, indices, attributes = _parse_access(parser)
        stored = parser.resolve_operand(value, type_.element_type)
        op = cls(stored, memref, indices, space)
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.value)
        printer.print_string(", ")
        _print_access(printer, self)


class ApplyOp(affine.ApplyOp):
    """``affine.apply affine_map<(d0)[s0] -> (d0 + s0)>(%i)[%n] {tag}``."""

    @classmethod
    def parse(cls, parser: Parser) -> ApplyOp:
        space, operands = parse_applied_map(parser)
        op = cls(operands, space)
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_applied_map(printer, self.map, self.mapOperands)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class MaxOp(IRDLOperation):
    """``affine.max affine_map<(d0) -> (d0, 8)>(%i)``: the largest result of a map."""

    name = "affine.max"

    arguments = var_operand_def(IndexType())
    map = prop_def(AffineMapAttr)
    result = result_def(IndexType())

    traits = traits_def(Pure())

    def __init__(self, arguments: Sequence[SSAValue], map: AffineMapAttr) -> None:
        super().__init__(
            operands=[list(arguments)], properties={"map": map}, result_types=[IndexType()]
        )

    def verify_(self) -> None:
        space = self.map.data
        if len(self.arguments) != space.num_dims + space.num_symbols:
            raise VerifyException(
                f"affine.max: {len(self.arguments)} operands for the dimensions and symbols of "
                f"{space}"
            )
        if not space.results:
            raise VerifyException("affine.max: the largest of at least one result")

    @classmethod
    def parse(cls, parser: Parser) -> MaxOp:
        space, operands = parse_applied_map(parser)
        op = cls(operands, space)
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_applied_map(printer, self.map, self.arguments)
        printer.print_op_attributes(self.attributes)


class MinOp(affine.MinOp):
    """``affine.min affine_map<(d0) -> (d0, 8)>(%i)``: the smallest result of a map."""

    @classmethod
    def parse(cls, parser: Parser) -> MinOp:
        space, operands = parse_applied_map(parser)
        op = cls.build(operands=[operands], properties={"map": space}, result_types=[IndexType()])
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_applied_map(printer, self.map, self.arguments)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class PrefetchOp(IRDLOperation):
    """``affine.prefetch %A[%i, %j + 5], read, locality<3>, data : memref<8x8xf32>``."""

    name = "affine.prefetch"

    memref = operand_def(MemRefType)
    indices = var_operand_def(IndexType())
    is_write = prop_def(BoolAttr, prop_name="isWrite")
    locality_hint = prop_def(IntegerAttr[I32], prop_name="localityHint")
    is_data_cache = prop_def(BoolAttr, prop_name="isDataCache")
    map = prop_def(AffineMapAttr)

    # a pretended effect: the op must not be moved or erased
    traits = traits_def(MemoryWriteEffect())

    def verify_(self) -> None:
        _verify_access(self, self.memref, self.map, self.indices)
        if not 0 <= self.locality_hint.value.data <= 3:
            raise VerifyException(f"{self.name}: the locality is 0 to 3")

    @classmethod
    def parse(cls, parser: Parser) -> PrefetchOp:
        buffer = parser.parse_unresolved_operand()
        space, indices = _parse_indices(parser)
        parser.parse_punctuation(",")
        how = parser.parse_keyword_in(["read", "write"])
        parser.parse_punctuation(",")
        parser.parse_keyword("locality")
        with parser.in_angle_brackets():
            locality = parser.parse_integer(allow_boolean=False)
        parser.parse_punctuation(",")
        what = parser.parse_keyword_in(["data", "instr"])
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        return cls.build(
            operands=[parser.resolve_operand(buffer, _parse_memref_type(parser)), indices],
            properties={
                "map": space,
                "isWrite": BoolAttr.from_bool(how == "write"),
                "localityHint": IntegerAttr(locality, i32),
                "isDataCache": BoolAttr.from_bool(what == "data"),
            },
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.memref)
        _print_indices(printer, self.map, self.indices)
        printer.print_string(", write" if self.is_write.value.data else ", read")
        printer.print_string(f", locality<{self.locality_hint.value.data}>")
        printer.print_string(", data" if self.is_data_cache.value.data else ", instr")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)


def _verify_access(
    op: IRDLOperation, buffer: SSAValue, space: AffineMapAttr, indices: Sequence[SSAValue]
) -> None:
    assert isinstance(buffer.type, MemRefType)
    if len(indices) != space.data.num_dims + space.data.num_symbols:
        raise VerifyException(f"{op.name}: an operand for each dimension and symbol of {space}")
    if len(space.data.results) != buffer.type.get_num_dims():
        raise VerifyException(f"{op.name}: an index for each dimension of {buffer.type}")


class VectorLoadOp(affine.VectorLoadOp):
    """``affine.vector_load %A[%i] : memref<8xf32>, vector<4xf32>``."""

    def verify_(self) -> None:
        self.get_irdl_definition().verify(self)
        _verify_access(self, self.memref, self.map, self.indices)

    @classmethod
    def parse(cls, parser: Parser) -> VectorLoadOp:
        memref, type_, space, indices, attributes = _parse_access(parser)
        parser.parse_punctuation(",")
        return cls.build(
            operands=[memref, indices],
            properties={"map": space},
            attributes=attributes,
            result_types=[parser.parse_type()],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        _print_access(printer, self)
        printer.print_string(", ")
        printer.print_attribute(self.result.type)


class VectorStoreOp(affine.VectorStoreOp):
    """``affine.vector_store %v, %A[%i] : memref<8xf32>, vector<4xf32>``."""

    def verify_(self) -> None:
        self.get_irdl_definition().verify(self)
        _verify_access(self, self.memref, self.map, self.indices)

    @classmethod
    def parse(cls, parser: Parser) -> VectorStoreOp:
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        memref, type_, space, indices, attributes = _parse_access(parser)
        parser.parse_punctuation(",")
        stored = parser.resolve_operand(value, parser.parse_type())
        return cls.build(
            operands=[stored, memref, indices],
            properties={"map": space},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.value)
        printer.print_string(", ")
        _print_access(printer, self)
        printer.print_string(", ")
        printer.print_attribute(self.value.type)


class _BasisOp(IRDLOperation):
    """An op with a basis: sizes that are constants or values."""

    static_basis = prop_def(DenseArrayBase.constr(i64))

    def basis(self, dynamic: Sequence[SSAValue]) -> list[int | SSAValue]:
        """The sizes, outermost first."""
        rest = iter(dynamic)
        return [
            next(rest) if number == DYNAMIC_INDEX else int(number)
            for number in self.static_basis.iter_values()
        ]

    def verify_basis(self, dynamic: Sequence[SSAValue]) -> None:
        """Check that each ``?`` has an operand, and that no size is below 1."""
        numbers = list(self.static_basis.iter_values())
        if numbers.count(DYNAMIC_INDEX) != len(dynamic):
            raise VerifyException(f"{self.name}: an operand for each size that is not a number")
        if any(number != DYNAMIC_INDEX and number < 1 for number in numbers):
            raise VerifyException(f"{self.name}: the sizes of a basis are at least 1")


def _parse_basis(parser: Parser) -> tuple[list[SSAValue], DenseArrayBase]:
    values: list[SSAValue] = []

    def number() -> int:
        operand = parser.parse_optional_operand(IndexType())
        if operand is None:
            return parser.parse_integer(allow_boolean=False)
        values.append(operand)
        return DYNAMIC_INDEX

    numbers = parser.parse_comma_separated_list(parser.Delimiter.PAREN, number)
    return values, DenseArrayBase.from_list(i64, numbers)


def _print_basis(printer: Printer, basis: Sequence[int | SSAValue]) -> None:
    with printer.in_parens():
        printer.print_list(
            basis,
            lambda size: (
                printer.print_string(str(size))
                if isinstance(size, int)
                else printer.print_ssa_value(size)
            ),
        )


@irdl_op_definition
class DelinearizeIndexOp(_BasisOp):
    """``%0:2 = affine.delinearize_index %i into (4, 8) : index, index``: the indices in a box."""

    name = "affine.delinearize_index"

    linear_index = operand_def(IndexType())
    dynamic_basis = var_operand_def(IndexType())
    multi_index = var_result_def(IndexType())

    traits = traits_def(Pure())

    def verify_(self) -> None:
        self.verify_basis(self.dynamic_basis)
        if len(self.multi_index) - len(self.static_basis) not in (0, 1):
            raise VerifyException(f"{self.name}: a result for each size, or one more")
        if not self.multi_index:
            raise VerifyException(
                f"{self.name}: at least one result; MLIR prints one without, and cannot read it"
            )

    @classmethod
    def parse(cls, parser: Parser) -> DelinearizeIndexOp:
        index = parser.parse_operand(IndexType())
        parser.parse_keyword("into")
        values, numbers = _parse_basis(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        return cls.build(
            operands=[index, values],
            properties={"static_basis": numbers},
            attributes=attributes,
            result_types=[types],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.linear_index)
        printer.print_string(" into ")
        _print_basis(printer, self.basis(self.dynamic_basis))
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_list(self.multi_index.types, printer.print_attribute)


@irdl_op_definition
class LinearizeIndexOp(_BasisOp):
    """``affine.linearize_index disjoint [%i, %j] by (4, 8) : index``: the linear index of an
    element.
    """

    name = "affine.linearize_index"

    multi_index = var_operand_def(IndexType())
    dynamic_basis = var_operand_def(IndexType())
    disjoint = opt_prop_def(UnitAttr)
    linear_index = result_def(IndexType())

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(Pure())

    def verify_(self) -> None:
        self.verify_basis(self.dynamic_basis)
        if len(self.multi_index) - len(self.static_basis) not in (0, 1):
            raise VerifyException(f"{self.name}: an index for each size, or one more")

    @classmethod
    def parse(cls, parser: Parser) -> LinearizeIndexOp:
        is_disjoint = parser.parse_optional_keyword("disjoint") is not None
        indices = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, lambda: parser.parse_operand(IndexType())
        )
        parser.parse_keyword("by")
        values, numbers = _parse_basis(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        properties: dict[str, Attribute] = {"static_basis": numbers}
        if is_disjoint:
            properties["disjoint"] = UnitAttr()
        return cls.build(
            operands=[indices, values],
            properties=properties,
            attributes=attributes,
            result_types=[parser.parse_type()],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" disjoint [" if self.disjoint is not None else " [")
        printer.print_list(self.multi_index, printer.print_ssa_value)
        printer.print_string("] by ")
        _print_basis(printer, self.basis(self.dynamic_basis))
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.linear_index.type)
