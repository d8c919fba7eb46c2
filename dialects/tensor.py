"""The ``tensor`` dialect: xDSL's, with additional ops and with checks of dynamic sizes."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    DenseArrayBase,
    FunctionType,
    IndexType,
    TensorType,
    UnitAttr,
    UnrankedTensorType,
    i64,
)
from xdsl.dialects.tensor import Tensor, YieldOp
from xdsl.dialects.utils import DynamicIndexList
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    OperandDef,
    base,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure, SingleBlockImplicitTerminator
from xdsl.utils.exceptions import VerifyException

from kc.dialects.redefined import redefined
from kc.dialects.slices import verify_slice


@irdl_op_definition
class GenerateOp(IRDLOperation):
    """``tensor.generate %n { ^bb0(%i: index): ... tensor.yield %x : f32 } : tensor<?xf32>``.

    The body computes the element from its indices; the operands are the sizes of the ``?``
    dimensions.
    """

    name = "tensor.generate"

    dynamic_extents = var_operand_def(IndexType)
    body = region_def("single_block")
    result = result_def(TensorType)

    assembly_format = "$dynamic_extents $body attr-dict `:` type($result)"
    traits = traits_def(SingleBlockImplicitTerminator(YieldOp))

    def verify_(self) -> None:
        assert isinstance(self.result.type, TensorType)
        shape = self.result.type.get_shape()
        if len(self.dynamic_extents) != list(shape).count(DYNAMIC_INDEX):
            raise VerifyException(f"{self.name}: one operand for each size that is ?")
        if [arg.type for arg in self.body.block.args] != [IndexType()] * len(shape):
            raise VerifyException(f"{self.name}: the body takes an index for each dimension")
        end = self.body.block.last_op
        element = self.result.type.element_type
        if not isinstance(end, YieldOp) or [value.type for value in end.operands] != [element]:
            raise VerifyException(f"{self.name}: the body yields one {element}")


def _shape(value: SSAValue) -> Sequence[int]:
    assert isinstance(value.type, TensorType)
    return value.type.get_shape()


def _verify_shape(op: Operation, shape: Sequence[int], expected: Sequence[int | None]) -> None:
    """Require that known sizes (not None) equal those of the type, unless the type has ``?``."""
    if len(shape) != len(expected) or any(
        size is not None and DYNAMIC_INDEX != own != size
        for own, size in zip(shape, expected, strict=True)
    ):
        sizes = "x".join("?" if size is None else str(size) for size in expected)
        raise VerifyException(f"{op.name}: {op.results[0].type} is not of the shape {sizes}")


@redefined()
class ConcatOp(tensor.ConcatOp):
    """``tensor.concat dim(0) %a, %b : (tensor<4xf32>, tensor<2xf32>) -> tensor<6xf32>``."""

    def verify_(self) -> None:
        dim, rank = self.dim.value.data, len(_shape(self.result))
        if not 0 <= dim < rank:
            raise VerifyException(f"{self.name}: dimension {dim} is out of range for rank {rank}")
        super().verify_()


@redefined()
class EmptyOp(tensor.EmptyOp):
    """``tensor.empty(%n) : tensor<?x4xf32>``; the operands are the sizes of the ``?``
    dimensions.
    """

    def verify_(self) -> None:
        super().verify_()
        operand_count, expected = (
            len(self.dynamic_sizes),
            [*_shape(self.tensor)].count(DYNAMIC_INDEX),
        )
        if operand_count != expected:
            raise VerifyException(
                f"{self.name}: {operand_count} operands for {expected} dynamic sizes"
            )


@redefined()
class FromElementsOp(tensor.FromElementsOp):
    """``tensor.from_elements %a, %b : tensor<2xf32>``: an operand for each element."""

    def verify_(self) -> None:
        super().verify_()
        shape = _shape(self.result)
        if DYNAMIC_INDEX in shape or prod(shape) != len(self.elements):
            operands = f"{len(self.elements)} operands"
            raise VerifyException(f"{self.name}: {operands} for the elements of {self.result.type}")


@redefined(source=OperandDef(base(TensorType)))
class PadOp(tensor.PadOp):
    """``tensor.pad``; the result type may have more or fewer known sizes than the operands
    imply.
    """

    def verify_(self) -> None:
        sizes, lows, highs = (
            _shape(self.source),
            list(self.static_low.iter_values()),
            list(self.static_high.iter_values()),
        )
        if not len(sizes) == len(lows) == len(highs):
            raise VerifyException(f"{self.name}: low and high padding for each dimension")
        for numbers, values in ((lows, self.low), (highs, self.high)):
            if numbers.count(DYNAMIC_INDEX) != len(values):
                raise VerifyException(f"{self.name}: it needs an operand for each unknown width")
        expected = [
            None if DYNAMIC_INDEX in widths else sum(widths)
            for widths in zip(lows, sizes, highs, strict=True)
        ]
        _verify_shape(self, _shape(self.result), expected)
        assert isinstance(self.source.type, TensorType)
        if [arg.type for arg in self.region.block.args] != [IndexType()] * len(sizes):
            raise VerifyException(f"{self.name}: the body takes an index for each dimension")
        end = self.region.block.last_op
        element = self.source.type.element_type
        if not isinstance(end, YieldOp) or [value.type for value in end.operands] != [element]:
            raise VerifyException(f"{self.name}: the body yields one {element}")


@redefined(source=OperandDef(base(TensorType)))
class ReshapeOp(tensor.ReshapeOp):
    """``tensor.reshape %t(%s) : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>``."""

    def verify_(self) -> None:
        source, shape, result = self.source.type, self.shape.type, self.result.type
        assert isinstance(source, TensorType)
        assert isinstance(shape, TensorType)
        assert isinstance(result, TensorType)
        if source.element_type != result.element_type:
            raise VerifyException(f"{self.name}: {source} has other elements than {result}")
        if list(shape.get_shape()) != [result.get_num_dims()]:
            raise VerifyException(f"{self.name}: {shape} is not a list of sizes for {result}")
        sizes = (*source.get_shape(), *result.get_shape())
        if DYNAMIC_INDEX not in sizes and prod(source.get_shape()) != prod(result.get_shape()):
            raise VerifyException(
                f"{self.name}: {source} does not have as many elements as {result}"
            )


@redefined()
class ExtractSliceOp(tensor.ExtractSliceOp):
    """``tensor.extract_slice %t[%i] [4] [1] : tensor<16xf32> to tensor<4xf32>``."""

    def verify_(self) -> None:
        super().verify_()
        verify_slice(self, self.source, self.result)


@redefined()
class InsertSliceOp(tensor.InsertSliceOp):
    """``tensor.insert_slice %s into %t[%i] [4] [1] : tensor<4xf32> into tensor<16xf32>``."""

    def verify_(self) -> None:
        super().verify_()
        verify_slice(self, self.dest, self.source)


@redefined(src=OperandDef(base(TensorType)))
class ExpandShapeOp(tensor.ExpandShapeOp):
    """``tensor.expand_shape %t [[0, 1]] output_shape [2, %n] : ...``; of a scalar with ``[]``."""

    def verify_(self) -> None:
        if _shape(self.src):
            super().verify_()
            return
        if len(self.reassociation):
            raise VerifyException(f"{self.name}: a scalar has no dimensions to expand")
        _verify_shape(self, _shape(self.result), [1] * len(self.static_output_shape))


@irdl_op_definition
class ParallelInsertSliceOp(IRDLOperation):
    """``tensor.parallel_insert_slice %s into %o[%i] [4] [1] : tensor<4xf32> into tensor<16xf32>``:
    the slice of a shared tensor that an iteration of ``scf.forall`` writes.
    """

    name = "tensor.parallel_insert_slice"

    source = operand_def(TensorType)
    dest = operand_def(TensorType)
    offsets = var_operand_def(IndexType)
    sizes = var_operand_def(IndexType)
    strides = var_operand_def(IndexType)
    static_offsets = prop_def(DenseArrayBase.constr(i64))
    static_sizes = prop_def(DenseArrayBase.constr(i64))
    static_strides = prop_def(DenseArrayBase.constr(i64))

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    assembly_format = (
        "$source `into` $dest ``"
        "custom<DynamicIndexList>($offsets, $static_offsets)"
        "custom<DynamicIndexList>($sizes, $static_sizes)"
        "custom<DynamicIndexList>($strides, $static_strides)"
        "attr-dict `:` type($source) `into` type($dest)"
    )
    custom_directives = (DynamicIndexList,)

    def verify_(self) -> None:
        verify_slice(self, self.dest, self.source)


@irdl_op_definition
class RankOp(IRDLOperation):
    """``tensor.rank %t : tensor<4x4xf32>``: the number of dimensions."""

    name = "tensor.rank"

    tensor = operand_def(base(TensorType) | base(UnrankedTensorType))
    result = result_def(IndexType)

    assembly_format = "$tensor attr-dict `:` type($tensor)"
    traits = traits_def(Pure())


@irdl_op_definition
class BitcastOp(IRDLOperation):
    """``tensor.bitcast %t : tensor<4xf32> to tensor<4xi32>``: the bits of each element."""

    name = "tensor.bitcast"

    source = operand_def(TensorType)
    dest = result_def(TensorType)

    assembly_format = "$source attr-dict `:` type($source) `to` type($dest)"
    traits = traits_def(Pure())

    def verify_(self) -> None:
        source, target = self.source.type, self.dest.type
        assert isinstance(source, TensorType)
        assert isinstance(target, TensorType)
        widths = [getattr(type_.element_type, "bitwidth", 0) for type_ in (source, target)]
        if widths[0] != widths[1] or source.get_shape() != target.get_shape():
            raise VerifyException(f"{self.name}: {source} has not the bits of {target}")


def _verify_slices(
    op: Operation, dims: Sequence[int], whole: SSAValue, indices: SSAValue, slices: SSAValue
) -> None:
    """Slices of a tensor, one for each of the coordinates in a tensor of indices."""
    shape, at, sliced = _shape(whole), _shape(indices), _shape(slices)
    if not dims or sorted({*dims}) != [*dims] or not 0 <= dims[0] <= dims[-1] < len(shape):
        raise VerifyException(f"{op.name}: {[*dims]} are not dimensions of {whole.type}")
    if not at or at[-1] != len(dims):
        raise VerifyException(f"{op.name}: the coordinates have {len(dims)} components")
    unindexed = [1 if n in dims else size for n, size in enumerate(shape)]
    short = [size for n, size in enumerate(shape) if n not in dims]
    if list(sliced) not in ([*at[:-1], *unindexed], [*at[:-1], *short]):
        raise VerifyException(f"{op.name}: {slices.type} is not the shape of the slices")


def _parse_dims(parser: Parser, word: str) -> dict[str, Attribute]:
    """``gather_dims([0, 1]) unique``, as properties."""
    parser.parse_keyword(word)
    with parser.in_parens():
        dims = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
    properties: dict[str, Attribute] = {word: DenseArrayBase.from_list(i64, dims)}
    if parser.parse_optional_keyword("unique") is not None:
        properties["unique"] = UnitAttr()
    return properties


def _parse_types(parser: Parser, count: int) -> FunctionType:
    parser.parse_punctuation(":")
    at, type_ = parser.pos, parser.parse_type()
    if not isinstance(type_, FunctionType) or len(type_.inputs) != count:
        parser.raise_error(f"expected the types of {count} operands, and a result", at)
    return type_


def _print_slices(
    printer: Printer, op: Operation, indices: SSAValue, word: str, dims: Sequence[int]
) -> None:
    """Print the text between the operands and the coordinates."""
    with printer.in_square_brackets():
        printer.print_ssa_value(indices)
    printer.print_string(f" {word}([{', '.join(map(str, dims))}])")
    if "unique" in op.properties:
        printer.print_string(" unique")
    printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    printer.print_attribute(
        FunctionType.from_lists(
            [operand.type for operand in op.operands], [result.type for result in op.results]
        )
    )


@irdl_op_definition
class GatherOp(IRDLOperation):
    """``tensor.gather %t[%at] gather_dims([0]) : (tensor<4x5xf32>, tensor<3x1xindex>) ->
    tensor<3x1x5xf32>``: the slices of ``%t`` at the coordinates in ``%at``."""

    name = "tensor.gather"

    source = operand_def(TensorType)
    indices = operand_def(TensorType)
    gather_dims = prop_def(DenseArrayBase.constr(i64))
    unique = opt_prop_def(UnitAttr)
    result = result_def(TensorType)

    traits = traits_def(Pure())

    @property
    def dims(self) -> list[int]:
        """The dimensions that the coordinates index."""
        return [int(dim) for dim in self.gather_dims.iter_values()]

    def verify_(self) -> None:
        _verify_slices(self, self.dims, self.source, self.indices, self.result)

    @classmethod
    def parse(cls, parser: Parser) -> GatherOp:
        source = parser.parse_unresolved_operand()
        with parser.in_square_brackets():
            indices = parser.parse_unresolved_operand()
        properties = _parse_dims(parser, "gather_dims")
        attributes, at = parser.parse_optional_attr_dict(), parser.pos
        type_ = _parse_types(parser, 2)
        return cls.build(
            operands=parser.resolve_operands([source, indices], type_.inputs.data, at),
            properties=properties,
            attributes=attributes,
            result_types=list(type_.outputs),
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.source)
        _print_slices(printer, self, self.indices, "gather_dims", self.dims)


@irdl_op_definition
class ScatterOp(IRDLOperation):
    """``tensor.scatter %s into %t[%at] scatter_dims([0]) unique : (tensor<3x1x5xf32>,
    tensor<4x5xf32>, tensor<3x1xindex>) -> tensor<4x5xf32>``: ``%t`` with slices at the
    coordinates in ``%at``, no two of which are equal."""

    name = "tensor.scatter"

    source = operand_def(TensorType)
    dest = operand_def(TensorType)
    indices = operand_def(TensorType)
    scatter_dims = prop_def(DenseArrayBase.constr(i64))
    unique = opt_prop_def(UnitAttr)
    result = result_def(TensorType)

    traits = traits_def(Pure())

    @property
    def dims(self) -> list[int]:
        """The dimensions that the coordinates index."""
        return [int(dim) for dim in self.scatter_dims.iter_values()]

    def verify_(self) -> None:
        _verify_slices(self, self.dims, self.dest, self.indices, self.source)
        if self.result.type != self.dest.type:
            raise VerifyException(f"{self.name}: the result is of type {self.dest.type}")
        if self.unique is None:
            raise VerifyException(
                f"{self.name}: without 'unique', coordinates may be equal, and it is not defined "
                "what is stored there"
            )

    @classmethod
    def parse(cls, parser: Parser) -> ScatterOp:
        source = parser.parse_unresolved_operand()
        parser.parse_keyword("into")
        dest = parser.parse_unresolved_operand()
        with parser.in_square_brackets():
            indices = parser.parse_unresolved_operand()
        properties = _parse_dims(parser, "scatter_dims")
        attributes, at = parser.parse_optional_attr_dict(), parser.pos
        type_ = _parse_types(parser, 3)
        return cls.build(
            operands=parser.resolve_operands([source, dest, indices], type_.inputs.data, at),
            properties=properties,
            attributes=attributes,
            result_types=list(type_.outputs),
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.source)
        printer.print_string(" into ")
        printer.print_ssa_value(self.dest)
        _print_slices(printer, self, self.indices, "scatter_dims", self.dims)


_CLASSES: dict[str, type[Operation]] = {
    op.name: op
    for op in (
        ConcatOp,
        EmptyOp,
        ExpandShapeOp,
        ExtractSliceOp,
        FromElementsOp,
        InsertSliceOp,
        PadOp,
        ReshapeOp,
    )
}

TENSOR = Dialect(
    "tensor",
    [
        *(_CLASSES.get(op.name, op) for op in Tensor.operations),
        BitcastOp,
        GatherOp,
        GenerateOp,
        ParallelInsertSliceOp,
        RankOp,
        ScatterOp,
    ],
    [*Tensor.attributes],
)
"""xDSL's dialect with the ops of this module."""
