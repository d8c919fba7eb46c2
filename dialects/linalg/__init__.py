"""The ``linalg`` dialect as upstream prints it: every named op, in custom and in generic form.

xDSL has ``linalg.generic`` and some named ops. Here each named op defined in
:mod:`kc.dialects.linalg.definitions` has a class. A body in the text (the generic form) is kept;
otherwise the name implies it. :data:`LINALG` replaces xDSL's dialect.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    ArrayAttr,
    DenseArrayBase,
    IntegerAttr,
    MemRefType,
    ShapedType,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.dialects.linalg import attrs, ops
from xdsl.ir import Attribute, Block, Dialect, Operation, ParametrizedAttribute, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    PropertyDef,
    SameVariadicOperandSize,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    param_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer
from xdsl.traits import HasParent
from xdsl.utils.exceptions import VerifyException

from kc.dialects.linalg.definitions import ELEMENTWISE, NAMED
from kc.dialects.linalg.packs import PackOp, UnPackOp
from kc.dialects.linalg.winograd import WINOGRAD_OPS
from kc.dialects.redefined import redefined
from kc.support.diagnostics import counted


class _WordAttr(ParametrizedAttribute):
    """An enumerator of upstream: one word in angle brackets."""

    word: StringAttr = param_def()

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            return [StringAttr(parser.parse_identifier())]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.word.data)


@irdl_attr_definition
class TypeFnAttr(_WordAttr):
    """``#linalg.type_fn<cast_unsigned>``: the conversion of operands to the type of the result."""

    name = "linalg.type_fn"


@irdl_attr_definition
class ElementwiseKindAttr(_WordAttr):
    """``#linalg.elementwise_kind<add>``: the function of a ``linalg.elementwise``."""

    name = "linalg.elementwise_kind"


class GenericOp(ops.GenericOp):
    """``linalg.generic``; several results are printed in parentheses, as upstream does."""

    @classmethod
    def parse(cls, parser: Parser) -> GenericOp:
        attributes = parser.parse_optional_attr_dict()
        inputs = _parse_operands(parser, "ins")
        outputs = _parse_operands(parser, "outs")
        extra: dict[str, Attribute] = {}
        if parser.parse_optional_keyword("attrs"):
            parser.parse_punctuation("=")
            extra = parser.parse_optional_attr_dict()
        body = parser.parse_region()
        results = _parse_results(parser)
        maps, kinds = attributes.pop("indexing_maps", None), attributes.pop("iterator_types", None)
        if not isinstance(maps, ArrayAttr) or not isinstance(kinds, ArrayAttr):
            parser.raise_error("linalg.generic: expected indexing_maps and iterator_types")
        types: list[Attribute] = []
        for kind in kinds:
            if isinstance(kind, StringAttr):
                if kind.data not in ("parallel", "reduction", "window"):
                    parser.raise_error(f"linalg.generic: unknown iterator type '{kind.data}'")
                kind = attrs.IteratorTypeAttr(attrs.IteratorType(kind.data))
            types.append(kind)
        op = cls(inputs, outputs, body, ArrayAttr(maps), ArrayAttr(types), results)
        for name in ("doc", "library_call"):
            if name in attributes:
                op.properties[name] = attributes.pop(name)
        op.attributes.update({**attributes, **extra})
        return op


def _parse_operands(parser: Parser, word: str) -> list[SSAValue]:
    """Parse an optional ``ins(%a, %b : type, type)``."""
    if parser.parse_optional_keyword(word) is None:
        return []
    position = parser.pos
    with parser.in_parens():
        names = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    return list(parser.resolve_operands(names, types, position))


def _parse_results(parser: Parser) -> list[Attribute]:
    if parser.parse_optional_punctuation("->") is None:
        return []
    listed = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    return list(listed) if listed is not None else [parser.parse_type()]


class NamedOp(IRDLOperation):
    """A named op: read operands, written operands, attributes, and a body that may be implied."""

    inputs = var_operand_def()
    outputs = var_operand_def(ShapedType)
    indexing_maps = opt_prop_def(ArrayAttr)
    strides = opt_prop_def()
    dilations = opt_prop_def()
    cast = opt_prop_def(TypeFnAttr)
    kind = opt_prop_def(ElementwiseKindAttr)
    res = var_result_def(TensorType)
    body = region_def()

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def verify_(self) -> None:
        if not self.outputs:
            raise VerifyException(f"{self.name}: nothing is written; outs(...) is missing")
        verify_results(self, self.outputs)

    @classmethod
    def parse(cls, parser: Parser) -> NamedOp:
        attributes: dict[str, Attribute] = {}
        while (key := parser.parse_optional_keyword_in(["indexing_maps", "kind"])) is not None:
            parser.parse_punctuation("=")
            attributes[key] = parser.parse_attribute()
            parser.parse_optional_punctuation(",")
        attributes.update(parser.parse_optional_attr_dict())
        inputs = _parse_operands(parser, "ins")
        outputs = _parse_operands(parser, "outs")
        attributes.update(parser.parse_optional_attr_dict())
        results = _parse_results(parser)
        if cls.name != "linalg.elementwise" and "kind" in attributes:
            parser.raise_error(f"{cls.name}: unexpected attribute kind")
        return cls.create_from(inputs, outputs, results, attributes)

    @classmethod
    def create_from(
        cls,
        inputs: Sequence[SSAValue],
        outputs: Sequence[SSAValue],
        results: Sequence[Attribute],
        attributes: dict[str, Attribute],
    ) -> NamedOp:
        """Create the op with an implied body; ``attributes`` are its properties and attributes."""
        names = cls.get_irdl_definition().properties
        return cls.build(
            operands=[list(inputs), list(outputs)],
            result_types=[list(results)],
            properties={name: value for name, value in attributes.items() if name in names},
            attributes={name: value for name, value in attributes.items() if name not in names},
            regions=[Region()],
        )

    def print(self, printer: Printer) -> None:
        shown = dict(self.properties)
        shown.pop("operandSegmentSizes", None)
        kind, maps = shown.pop("kind", None), shown.pop("indexing_maps", None)
        attributes = dict(self.attributes)
        attributes.pop("linalg.memoized_indexing_maps", None)
        if kind is not None:
            printer.print_string(" kind=")
            printer.print_attribute(kind)
        if maps is not None and not is_default_maps(self.name, maps):
            printer.print_string(" indexing_maps = ")
            printer.print_attribute(maps)
        printer.print_op_attributes({**attributes, **shown})
        _print_operands(printer, "ins", self.inputs)
        _print_operands(printer, "outs", self.outputs)
        if self.res:
            printer.print_string(" -> ")
            if len(self.res) == 1:
                printer.print_attribute(self.res[0].type)
            else:
                with printer.in_parens():
                    printer.print_list(
                        self.res, lambda result: printer.print_attribute(result.type)
                    )


def _print_operands(printer: Printer, word: str, values: Sequence[SSAValue]) -> None:
    if values:
        printer.print_string(f" {word}(")
        printer.print_list(values, printer.print_ssa_value)
        printer.print_string(" : ")
        printer.print_list(values, lambda value: printer.print_attribute(value.type))
        printer.print_string(")")


def verify_results(op: Operation, outputs: Sequence[SSAValue]) -> None:
    """Require a result for each output that is a tensor, and none for memrefs."""
    expected = [output.type for output in outputs if isinstance(output.type, TensorType)]
    if [result.type for result in op.results] != expected:
        raise VerifyException(
            f"{op.name}: the results have the types of the tensors in outs(...), in order"
        )


def is_default_maps(name: str, maps: Attribute) -> bool:
    """True if ``maps`` are implied by the name of the op, so that they are not printed."""
    if not isinstance(maps, ArrayAttr):
        return False
    affine_maps = [map_.data for map_ in maps]
    if name == "linalg.elementwise":
        return all(map_ == AffineMap.identity(map_.num_dims) for map_ in affine_maps)
    definition = NAMED.get(name.removeprefix("linalg."))
    if definition is None or not definition.is_contraction:
        return False
    return affine_maps == definition.maps((), ())


def _element(type_: Attribute) -> Attribute:
    return type_.element_type if isinstance(type_, MemRefType | TensorType) else type_


def _parse_body_op(parser: Parser) -> tuple[type[Operation], dict[str, Attribute]] | None:
    """Parse ``{ arith.addf {attributes} }``: the only op of the body, in the short form."""
    if parser.parse_optional_punctuation("{") is None:
        return None
    name = parser.parse_identifier()
    op_type = parser.ctx.get_optional_op(name)
    if op_type is None:
        parser.raise_error(f"there is no operation '{name}'")
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation("}")
    return op_type, attributes


def _body_of(op_type: type[Operation], flags: dict[str, Attribute], block: Block, n: int) -> Region:
    """A body that applies one op to the arguments, starting with argument ``n``, cyclically."""
    args = [*block.args[n:], *block.args[:n]]
    assert issubclass(op_type, IRDLOperation)
    properties = op_type.get_irdl_definition().properties
    if "fastmath" in properties:
        flags = {"fastmath": arith.FastMathFlagsAttr("none"), **flags}
    op = op_type.create(
        operands=args,
        result_types=[args[0].type],
        properties={name: value for name, value in flags.items() if name in properties},
        attributes={name: value for name, value in flags.items() if name not in properties},
    )
    block.add_ops([op, ops.YieldOp(*op.results)])
    return Region(block)


def _print_with_body(printer: Printer, body: Region) -> None:
    printer.print_string(" ")
    with printer.in_parens():
        printer.print_list(body.block.args, printer.print_block_argument)
    printer.print_string(" ")
    printer.print_region(body, print_entry_block_args=False)


@irdl_op_definition
class MapOp(IRDLOperation):
    """``linalg.map { math.exp } ins(%a : tensor<8xf32>) outs(%b : tensor<8xf32>)``."""

    name = "linalg.map"

    inputs = var_operand_def()
    init = operand_def(ShapedType)
    res = var_result_def(TensorType)
    body = region_def("single_block")

    @property
    def outputs(self) -> tuple[SSAValue, ...]:
        """The operands that the op writes."""
        return (self.init,)

    def verify_(self) -> None:
        verify_results(self, self.outputs)

    @classmethod
    def parse(cls, parser: Parser) -> MapOp:
        short = _parse_body_op(parser)
        inputs, outputs = _parse_operands(parser, "ins"), _parse_operands(parser, "outs")
        attributes = parser.parse_optional_attr_dict()
        if len(outputs) != 1:
            parser.raise_error("linalg.map: expected one operand in outs(...)")
        if short is not None:
            block = Block(arg_types=[_element(value.type) for value in inputs])
            body = _body_of(*short, block, 0)
            block.insert_arg(_element(outputs[0].type), len(inputs))
        else:
            body = _parse_body(parser)
        types = [value.type for value in outputs if isinstance(value.type, TensorType)]
        return cls.build(
            operands=[inputs, outputs[0]],
            result_types=[types],
            attributes=attributes,
            regions=[body],
        )

    def print(self, printer: Printer) -> None:
        _print_operands(printer, "ins", self.inputs)
        _print_operands(printer, "outs", self.outputs)
        printer.print_op_attributes(self.attributes)
        _print_with_body(printer, self.body)


def _parse_body(parser: Parser) -> Region:
    """Parse ``(%in: f32, %init: f32) { ... }``. Locations of arguments are dropped."""

    def argument() -> Parser.Argument:
        argument = parser.parse_argument()
        parser.parse_optional_location()
        return argument

    return parser.parse_region(parser.parse_comma_separated_list(parser.Delimiter.PAREN, argument))


@irdl_op_definition
class ReduceOp(IRDLOperation):
    """``linalg.reduce { arith.addf } ins(%a : ...) outs(%b : ...) dimensions = [1]``."""

    name = "linalg.reduce"

    inputs = var_operand_def()
    outputs = var_operand_def(ShapedType)
    dimensions = prop_def(DenseArrayBase.constr(i64))
    res = var_result_def(TensorType)
    body = region_def("single_block")

    irdl_options = (SameVariadicOperandSize(),)

    def verify_(self) -> None:
        verify_results(self, self.outputs)
        dimensions = [int(dim) for dim in self.dimensions.get_values()]
        if dimensions != sorted(set(dimensions)):
            raise VerifyException(f"{self.name}: the dimensions {dimensions} do not increase")
        for value in self.inputs:
            assert isinstance(value.type, ShapedType)
            rank = len(value.type.get_shape())
            if dimensions and not 0 <= dimensions[0] <= dimensions[-1] < rank:
                raise VerifyException(
                    f"{self.name}: {dimensions} are not dimensions of {value.type}"
                )

    @classmethod
    def parse(cls, parser: Parser) -> ReduceOp:
        short = _parse_body_op(parser)
        inputs, outputs = _parse_operands(parser, "ins"), _parse_operands(parser, "outs")
        parser.parse_keyword("dimensions")
        parser.parse_punctuation("=")
        dimensions = parser.parse_comma_separated_list(
            parser.Delimiter.SQUARE, parser.parse_integer
        )
        attributes = parser.parse_optional_attr_dict()
        if short is not None:
            block = Block(arg_types=[_element(value.type) for value in (*inputs, *outputs)])
            body = _body_of(*short, block, len(inputs))
        else:
            body = _parse_body(parser)
        types = [value.type for value in outputs if isinstance(value.type, TensorType)]
        properties = {"dimensions": DenseArrayBase.from_list(i64, dimensions)}
        return cls.build(
            operands=[inputs, outputs],
            result_types=[types],
            attributes=attributes,
            properties=properties,
            regions=[body],
        )

    def print(self, printer: Printer) -> None:
        _print_operands(printer, "ins", self.inputs)
        _print_operands(printer, "outs", self.outputs)
        printer.print_string(" dimensions = ")
        with printer.in_square_brackets():
            printer.print_list(self.dimensions.get_values(), printer.print_int)
        printer.print_op_attributes(self.attributes)
        _print_with_body(printer, self.body)


@irdl_op_definition
class SoftmaxOp(IRDLOperation):
    """``linalg.softmax dimension(1) ins(%a : tensor<4x8xf32>) outs(%b : tensor<4x8xf32>)``."""

    name = "linalg.softmax"

    input = operand_def(ShapedType)
    output = operand_def(ShapedType)
    dimension = prop_def(IntegerAttr)
    res = var_result_def(TensorType)

    def verify_(self) -> None:
        verify_results(self, [self.output])
        source, target = self.input.type, self.output.type
        assert isinstance(source, ShapedType)
        assert isinstance(target, ShapedType)
        if not isinstance(_element(source), AnyFloat) or _element(source) != _element(target):
            raise VerifyException(f"{self.name}: both are of one type of float")
        rank, axis = len(source.get_shape()), self.dimension.value.data
        if len(target.get_shape()) != rank or not 0 <= axis < rank:
            raise VerifyException(f"{self.name}: dimension {axis} is one of both, of {rank}")

    @classmethod
    def parse(cls, parser: Parser) -> SoftmaxOp:
        attributes = parser.parse_optional_attr_dict()
        parser.parse_keyword("dimension")
        with parser.in_parens():
            axis = parser.parse_integer()
        at = parser.pos
        inputs, outputs = _parse_operands(parser, "ins"), _parse_operands(parser, "outs")
        if len(inputs) != 1 or len(outputs) != 1:
            parser.raise_error("linalg.softmax: expected one operand in ins(...) and outs(...)", at)
        return cls.build(
            operands=[*inputs, *outputs],
            properties={"dimension": IntegerAttr(axis, i64)},
            attributes=attributes,
            result_types=[_parse_results(parser)],
        )

    def print(self, printer: Printer) -> None:
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" dimension({self.dimension.value.data})")
        _print_operands(printer, "ins", [self.input])
        _print_operands(printer, "outs", [self.output])
        if self.res:
            printer.print_string(" -> ")
            printer.print_attribute(self.res[0].type)


class TransposeOp(ops.TransposeOp):
    """``linalg.transpose``, whose permutation is verified."""

    def verify_(self) -> None:
        order = [int(dim) for dim in self.permutation.get_values()]
        if sorted(order) != list(range(len(order))):
            raise VerifyException(
                f"linalg.transpose: {order} is not a permutation of the dimensions 0 to "
                f"{len(order) - 1}"
            )
        super().verify_()


@redefined(dim=PropertyDef(IntegerAttr.constr(i64)))
class IndexOp(ops.IndexOp):
    """``linalg.index 0 : index``: the iteration index of a dimension, in the body of any structured
    op; upstream's class permits only ``linalg.generic``.
    """

    traits = traits_def(HasParent(GenericOp, MapOp, ReduceOp))

    def verify_(self) -> None:
        parent, dim = self.parent_op(), self.dim.value.data
        loops = _loop_count(parent)
        if loops is not None and not 0 <= dim < loops:
            loop_count = f"{parent.name if parent else ''} has {counted(loops, 'loop')}"
            raise VerifyException(f"{self.name}: dim {dim}, and {loop_count}")


def _loop_count(op: Operation | None) -> int | None:
    """The number of loops of an op with a body; None if unknown."""
    if isinstance(op, GenericOp):
        return len(op.iterator_types)
    type_ = op.operands[0].type if isinstance(op, MapOp | ReduceOp) else None
    return len(type_.get_shape()) if isinstance(type_, ShapedType) else None


def _named(name: str) -> type[NamedOp]:
    op_class = type(f"{name.title().replace('_', '')}Op", (NamedOp,), {"name": f"linalg.{name}"})
    op_class.__module__ = __name__
    return irdl_op_definition(op_class)


NAMED_OPS = {
    f"linalg.{name}": _named(name)
    for name in (*NAMED, *ELEMENTWISE, "fill", "contract", "elementwise")
}
"""The classes, by name, of the ops that only have operands, attributes and a body."""

LINALG = Dialect(
    "linalg",
    [
        GenericOp,
        ops.YieldOp,
        IndexOp,
        ops.BroadcastOp,
        TransposeOp,
        MapOp,
        ReduceOp,
        SoftmaxOp,
        PackOp,
        UnPackOp,
        *WINOGRAD_OPS,
        *NAMED_OPS.values(),
    ],
    [attrs.IteratorTypeAttr, TypeFnAttr, ElementwiseKindAttr],
)
