"""The ``tm_tensor`` dialect of torch-mlir: the ops that its exports use besides linalg.

Scans, scatters, sorts, top-k, and attention. Text and semantics are torch-mlir's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    BoolAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    TensorType,
    i1,
    i64,
)
from xdsl.ir import Attribute, Dialect, Operation, Region, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    base,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, Pure
from xdsl.utils.exceptions import VerifyException

_SHAPED = base(TensorType) | base(MemRefType)


def shape_of(value: SSAValue) -> list[int]:
    """The sizes of a tensor or a memref."""
    assert isinstance(value.type, TensorType | MemRefType)
    return list(value.type.get_shape())


def element_of(value: SSAValue) -> Attribute:
    """The element type."""
    assert isinstance(value.type, TensorType | MemRefType)
    return value.type.element_type


def _agree(op: Operation, what: str, *shapes: Sequence[int]) -> None:
    for sizes in zip(*shapes, strict=False):
        static_sizes = {size for size in sizes if size != DYNAMIC_INDEX}
        if len(static_sizes) > 1:
            raise VerifyException(f"{op.name}: {what} have the sizes {sorted(static_sizes)}")
    if len({len(shape) for shape in shapes}) > 1:
        raise VerifyException(f"{op.name}: {what} have different ranks")


def _print_values(printer: Printer, word: str, values: Sequence[SSAValue]) -> None:
    if not values:
        return
    printer.print_string(f" {word}(")
    printer.print_list(values, printer.print_ssa_value)
    printer.print_string(" : ")
    printer.print_list(values, lambda value: printer.print_attribute(value.type))
    printer.print_string(")")


def _parse_values(parser: Parser, word: str) -> list[SSAValue]:
    if parser.parse_optional_keyword(word) is None:
        return []
    at = parser.pos
    with parser.in_parens():
        names = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
    return list(parser.resolve_operands(names, types, at))


class TmTensorOp(IRDLOperation):
    """An op with read operands, written operands, numbers in parentheses, and a scalar body."""

    inputs = var_operand_def(_SHAPED)
    outputs = var_operand_def(_SHAPED)
    res = var_result_def(TensorType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    NUMBERS: ClassVar[tuple[str, ...]] = ()
    """The properties that are printed as ``name(value)``."""
    COUNTS: ClassVar[tuple[tuple[int, ...], int]] = ((), 0)
    """The possible numbers of inputs, and the number of outputs (0: one or more)."""

    def verify_(self) -> None:
        read, written = self.COUNTS
        count = len(self.outputs)
        if (
            len(self.inputs) not in read
            or not self.outputs
            or written not in (0, len(self.outputs))
        ):
            many = written or "one or more"
            raise VerifyException(
                f"{self.name}: takes {' or '.join(map(str, read))} inputs and {many} outputs, not "
                f"{len(self.inputs)} and {count}"
            )
        kinds = {type(value.type) for value in self.outputs}
        expected = [value.type for value in self.outputs] if kinds == {TensorType} else []
        if len(kinds) > 1 or [result.type for result in self.res] != expected:
            raise VerifyException(
                f"{self.name}: the results have the types of the tensors in outs(...), in order"
            )
        self.verify_shapes()

    def verify_shapes(self) -> None:
        """Check the relation between the operands' shapes."""

    @classmethod
    def parse(cls, parser: Parser) -> TmTensorOp:
        properties: dict[str, Attribute] = {}
        attr_dict = parser.parse_optional_attr_dict()
        for name in cls.NUMBERS:
            parser.parse_keyword(name)
            with parser.in_parens():
                if name in ("inclusive", "unique_indices"):
                    properties[name] = BoolAttr.from_bool(parser.parse_boolean())
                else:
                    properties[name] = IntegerAttr(parser.parse_integer(), i64)
        attr_dict.update(parser.parse_optional_attr_dict())
        inputs, outputs = _parse_values(parser, "ins"), _parse_values(parser, "outs")
        region = parser.parse_optional_region()
        results: list[Attribute] = []
        if parser.parse_optional_punctuation("->"):
            listed = parser.parse_optional_comma_separated_list(
                parser.Delimiter.PAREN, parser.parse_type
            )
            if listed is None:
                results += parser.parse_comma_separated_list(
                    parser.Delimiter.NONE, parser.parse_type
                )
            else:
                results += listed
        definitions = cls.get_irdl_definition().properties
        properties |= {name: value for name, value in attr_dict.items() if name in definitions}
        return cls.build(
            operands=[inputs, outputs],
            properties=properties,
            attributes={
                name: value for name, value in attr_dict.items() if name not in definitions
            },
            regions=[region or Region()],
            result_types=[results],
        )

    def print(self, printer: Printer) -> None:
        hidden = {*self.NUMBERS, "operandSegmentSizes"}
        shown = {name: value for name, value in self.properties.items() if name not in hidden}
        printer.print_op_attributes({**shown, **self.attributes})
        for name in self.NUMBERS:
            value = self.properties[name]
            assert isinstance(value, IntegerAttr)
            number = value.value.data
            is_bool = name in ("inclusive", "unique_indices")
            printer.print_string(f" {name}({str(bool(number)).lower() if is_bool else number})")
        _print_values(printer, "ins", self.inputs)
        _print_values(printer, "outs", self.outputs)
        if self.regions[0].blocks:
            printer.print_string(" ")
            printer.print_region(self.regions[0])
        if self.res:
            printer.print_string(" -> ")
            printer.print_list(self.res, lambda result: printer.print_attribute(result.type))

    def verify_body(self, arguments: Sequence[Attribute], result: Attribute) -> None:
        """Require a body that takes and yields values of these types."""
        blocks = self.regions[0].blocks
        block = blocks[0] if len(blocks) == 1 else None
        if block is None or [arg.type for arg in block.args] != list(arguments):
            types = ", ".join(map(str, arguments))
            raise VerifyException(f"{self.name}: the body is one block that takes {types}")
        end = block.last_op
        if not isinstance(end, YieldOp) or [value.type for value in end.operands] != [result]:
            raise VerifyException(f"{self.name}: the body yields one {result}")

    def verify_axis(self, rank: int) -> None:
        """Check that the dimension is less than ``rank``."""
        axis = self.properties["dimension"]
        assert isinstance(axis, IntegerAttr)
        if not 0 <= axis.value.data < rank:
            raise VerifyException(
                f"{self.name}: dimension {axis.value.data} is out of range for rank {rank}"
            )


@irdl_op_definition
class ScanOp(TmTensorOp):
    """``tm_tensor.scan dimension(1) inclusive(true) ins(%x) outs(%y, %acc) { ^bb0(%a, %b): ... }``:
    each element combined with all elements before it along a dimension.
    """

    name = "tm_tensor.scan"
    dimension = prop_def(IntegerAttr)
    inclusive = prop_def(BoolAttr)
    body = region_def()
    NUMBERS: ClassVar = ("dimension", "inclusive")
    COUNTS: ClassVar = ((1,), 2)

    def verify_shapes(self) -> None:
        (source,), (target, total) = self.inputs, self.outputs
        self.verify_axis(len(shape_of(source)))
        _agree(self, "input and output", shape_of(source), shape_of(target))
        rest = shape_of(source)
        del rest[self.dimension.value.data]
        _agree(self, "input and accumulator", rest, shape_of(total))
        element = element_of(source)
        if {element_of(target), element_of(total)} != {element}:
            raise VerifyException(f"{self.name}: all elements are of {element}")
        self.verify_body([element] * 2, element)


@irdl_op_definition
class ScatterOp(TmTensorOp):
    """``tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(true) ins(%updates, %at)
    outs(%x) { ^bb0(%new, %old): ... }``: slices of a tensor combined with updates.
    """

    name = "tm_tensor.scatter"
    unique_indices = prop_def(BoolAttr)
    dimension_map = opt_prop_def(DenseArrayBase.constr(i64))
    body = region_def()
    NUMBERS: ClassVar = ("unique_indices",)
    COUNTS: ClassVar = ((2,), 1)

    @property
    def depth(self) -> int:
        """The number of coordinates of an update."""
        return shape_of(self.inputs[1])[1]

    @property
    def indexed(self) -> list[int]:
        """The dimensions that the coordinates index."""
        if self.dimension_map is None:
            return list(range(self.depth))
        return [int(dim) for dim in self.dimension_map.iter_values()]

    def verify_shapes(self) -> None:
        (updates, at), (target,) = self.inputs, self.outputs
        if len(shape_of(at)) != 2 or self.depth == DYNAMIC_INDEX:
            raise VerifyException(
                f"{self.name}: {at.type} is not a list of coordinates of constant depth"
            )
        if not isinstance(element_of(at), IntegerType | IndexType):
            raise VerifyException(f"{self.name}: the elements of {at.type} are not integers")
        rank, dims = len(shape_of(target)), self.indexed
        if len(dims) != self.depth or len({*dims}) != len(dims) or {*dims} - {*range(rank)}:
            raise VerifyException(
                f"{self.name}: {dims} must be {self.depth} different dimensions of {rank}"
            )
        slice_rank = len(shape_of(updates)) - 1
        if not rank - self.depth <= slice_rank <= rank:
            raise VerifyException(f"{self.name}: {updates.type} holds no parts of {target.type}")
        _agree(self, "updates and places", shape_of(updates)[:1], shape_of(at)[:1])
        whole = [dim for dim in range(rank - slice_rank, rank) if dim not in dims]
        _agree(
            self,
            "updates and output",
            [shape_of(updates)[dim - rank + slice_rank + 1] for dim in whole],
            [shape_of(target)[dim] for dim in whole],
        )
        element = element_of(target)
        if element_of(updates) != element:
            raise VerifyException(f"{self.name}: all elements are of {element}")
        self.verify_body([element] * 2, element)


@irdl_op_definition
class SortOp(TmTensorOp):
    """``tm_tensor.sort dimension(0) outs(%x, %at) { ^bb0(%a, %b, %i, %j): ... yield %ordered }``: a
    joint, stable sort of tensors along a dimension.
    """

    name = "tm_tensor.sort"
    dimension = prop_def(IntegerAttr)
    body = region_def()
    NUMBERS: ClassVar = ("dimension",)
    COUNTS: ClassVar = ((0,), 0)

    def verify_shapes(self) -> None:
        self.verify_axis(len(shape_of(self.outputs[0])))
        _agree(self, "outputs", *(shape_of(value) for value in self.outputs))
        types = [element_of(value) for value in self.outputs for _ in range(2)]
        self.verify_body(types, i1)


@irdl_op_definition
class TopkOp(TmTensorOp):
    """``tm_tensor.topk dimension(1) ins(%x) outs(%best, %at) { ^bb0(%a, %b): ... yield %better }``:
    the k best elements along a dimension, in order, and their indices.
    """

    name = "tm_tensor.topk"
    dimension = prop_def(IntegerAttr)
    body = region_def()
    NUMBERS: ClassVar = ("dimension",)
    COUNTS: ClassVar = ((1, 2), 2)

    def verify_shapes(self) -> None:
        source, (best, at) = self.inputs[0], self.outputs
        axis = self.properties["dimension"]
        self.verify_axis(len(shape_of(source)))
        assert isinstance(axis, IntegerAttr)
        _agree(self, "outputs", shape_of(best), shape_of(at))
        _agree(self, "inputs", *(shape_of(value) for value in self.inputs))
        shapes = [shape_of(source), shape_of(best)]
        if len(shapes[0]) == len(shapes[1]):
            for shape in shapes:
                del shape[axis.value.data]
        _agree(self, "input and output", *shapes)
        element, number = element_of(source), element_of(at)
        if element_of(best) != element or not isinstance(number, IntegerType):
            raise VerifyException(f"{self.name}: gives elements of {element}, and integers")
        if len(self.inputs) == 2 and element_of(self.inputs[1]) != number:
            raise VerifyException(f"{self.name}: {self.inputs[1].type} holds no {number}")
        self.verify_body([element] * 2, i1)


@irdl_op_definition
class AttentionOp(TmTensorOp):
    """``tm_tensor.attention ins(%q, %k, %v, %mask) outs(%o)``: softmax(q k^T / sqrt(d) + mask) v; a
    boolean mask excludes elements for which it is false.
    """

    name = "tm_tensor.attention"
    body = region_def()
    COUNTS: ClassVar = ((3, 4), 1)

    def verify_shapes(self) -> None:
        q, k, v, *mask = map(shape_of, self.inputs)
        out = shape_of(self.outputs[0])
        if len(q) < 2 or {len(q)} != {len(shape) for shape in (k, v, out, *mask)}:
            raise VerifyException(f"{self.name}: all operands have the same rank, of 2 or more")
        _agree(self, "query and key", [*q[:-2], q[-1]], [*k[:-2], k[-1]])
        _agree(self, "key and value", k[:-1], v[:-1])
        _agree(self, "query and output", q[:-1], out[:-1])
        _agree(self, "value and output", v[-1:], out[-1:])
        for shape in mask:
            _agree(self, "mask and weights", shape, [*q[:-1], k[-2]])
        element = element_of(self.inputs[0])
        elements = {element_of(value) for value in (*self.inputs[:3], *self.outputs)}
        allowed = {i1, element}
        if elements != {element} or any(element_of(m) not in allowed for m in self.inputs[3:]):
            raise VerifyException(f"{self.name}: all elements are of {element}")


@irdl_op_definition
class YieldOp(IRDLOperation):
    """``tm_tensor.yield %x : f32``."""

    name = "tm_tensor.yield"

    values = var_operand_def()

    assembly_format = "attr-dict ($values^ `:` type($values))?"
    traits = traits_def(IsTerminator(), Pure())


TM_TENSOR = Dialect("tm_tensor", [AttentionOp, ScanOp, ScatterOp, SortOp, TopkOp, YieldOp], [])
"""torch-mlir's dialect."""
