"""Collective operations of the threads of a block or of a subgroup (warp)."""

from __future__ import annotations

from xdsl.dialects.builtin import (
    I32,
    AnyFloat,
    IntegerAttr,
    IntegerType,
    UnitAttr,
    VectorType,
    i1,
    i32,
)
from xdsl.ir import Attribute, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    lazy_traits_def,
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
from xdsl.traits import HasParent, IsolatedFromAbove, IsTerminator
from xdsl.utils.exceptions import VerifyException

from kc.dialects.gpu.attrs import (
    AllReduceOperation,
    AllReduceOperationAttr,
    BroadcastType,
    BroadcastTypeAttr,
    ShuffleMode,
    ShuffleModeAttr,
)


@irdl_op_definition
class BarrierOp(IRDLOperation):
    """``gpu.barrier``: the threads of a block wait for each other; each then sees the others'
    writes.
    """

    name = "gpu.barrier"
    assembly_format = "attr-dict"


def is_exchanged(type_: Attribute) -> bool:
    """True if values of a type can be exchanged between threads: numbers, and vectors of
    numbers.
    """
    if isinstance(type_, VectorType):
        return len(type_.get_shape()) == 1 and is_exchanged(type_.element_type)
    return isinstance(type_, IntegerType | AnyFloat)


def _verify_exchanged(op: IRDLOperation, value: SSAValue) -> None:
    if not is_exchanged(value.type):
        raise VerifyException(
            f"{op.name}: exchanges a value of type {value.type}; threads exchange integers, "
            "floats, and vectors of these"
        )


@irdl_op_definition
class ShuffleOp(IRDLOperation):
    """``%v, %valid = gpu.shuffle xor %x, %offset, %width : f32``: the value of another lane.

    ``%valid`` is false if there is no such lane; ``%v`` is then undefined. All ``%width`` lanes
    take part. Except for ``idx``, their offsets and widths are equal.
    """

    name = "gpu.shuffle"

    value = operand_def()
    offset = operand_def(I32)
    width = operand_def(I32)
    mode = prop_def(ShuffleModeAttr)
    shuffle_result = result_def()
    valid = result_def(i1)

    def __init__(
        self, mode: ShuffleMode, value: SSAValue, offset: SSAValue, width: SSAValue
    ) -> None:
        super().__init__(
            operands=[value, offset, width],
            properties={"mode": ShuffleModeAttr(mode)},
            result_types=[value.type, i1],
        )

    def verify_(self) -> None:
        _verify_exchanged(self, self.value)
        if self.shuffle_result.type != self.value.type:
            raise VerifyException(
                f"gpu.shuffle: gives {self.shuffle_result.type} of a value of type "
                f"{self.value.type}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> ShuffleOp:
        mode = parser.parse_str_enum(ShuffleMode)
        names = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        if len(names) != 3:
            parser.raise_error("gpu.shuffle: expected a value, an offset and a width")
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = [parser.parse_type(), i32, i32]
        value, offset, width = map(parser.resolve_operand, names, types)
        op = cls(mode, value, offset, width)
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.mode.data.value} ")
        printer.print_list(self.operands, printer.print_ssa_value)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.value.type)


@irdl_op_definition
class RotateOp(IRDLOperation):
    """``%v, %valid = gpu.rotate %x, 4, 16 : f32``: the value of the lane at an offset, modulo a
    width that is a power of two.
    """

    name = "gpu.rotate"

    value = operand_def()
    offset = prop_def(IntegerAttr[I32])
    width = prop_def(IntegerAttr[I32])
    rotate_result = result_def()
    valid = result_def(i1)

    def __init__(self, value: SSAValue, offset: int, width: int) -> None:
        super().__init__(
            operands=[value],
            properties={"offset": IntegerAttr(offset, i32), "width": IntegerAttr(width, i32)},
            result_types=[value.type, i1],
        )

    def verify_(self) -> None:
        _verify_exchanged(self, self.value)
        offset, width = self.offset.value.data, self.width.value.data
        if not _is_power_of_two(width):
            raise VerifyException(f"gpu.rotate: the width {width} is not a power of two")
        if not 0 <= offset < width:
            raise VerifyException(
                f"gpu.rotate: the offset {offset} is not in the range 0 to {width - 1}"
            )
        if self.rotate_result.type != self.value.type:
            raise VerifyException(
                f"gpu.rotate: gives {self.rotate_result.type} of a value of type {self.value.type}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> RotateOp:
        name = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        offset = parser.parse_integer(allow_boolean=False)
        parser.parse_punctuation(",")
        width = parser.parse_integer(allow_boolean=False)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        op = cls(parser.resolve_operand(name, parser.parse_type()), offset, width)
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.value)
        printer.print_string(f", {self.offset.value.data}, {self.width.value.data}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.value.type)


@irdl_op_definition
class SubgroupBroadcastOp(IRDLOperation):
    """``%v = gpu.subgroup_broadcast %x, specific_lane %lane : f32``: one lane's value, for all."""

    name = "gpu.subgroup_broadcast"

    src = operand_def()
    lane = opt_operand_def(I32)
    broadcast_type = prop_def(BroadcastTypeAttr)
    result = result_def()

    def __init__(
        self, src: SSAValue, broadcast_type: BroadcastType, lane: SSAValue | None = None
    ) -> None:
        super().__init__(
            operands=[src, lane],
            properties={"broadcast_type": BroadcastTypeAttr(broadcast_type)},
            result_types=[src.type],
        )

    def verify_(self) -> None:
        kind = self.broadcast_type.data
        if (kind is BroadcastType.SPECIFIC_LANE) != (self.lane is not None):
            what = "needs a lane" if self.lane is None else "takes no lane"
            raise VerifyException(f"gpu.subgroup_broadcast: {kind.value} {what}")
        if self.result.type != self.src.type:
            raise VerifyException(
                f"gpu.subgroup_broadcast: gives {self.result.type} of a value of type "
                f"{self.src.type}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> SubgroupBroadcastOp:
        name = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        kind = parser.parse_str_enum(BroadcastType)
        lane = parser.parse_optional_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        src = parser.resolve_operand(name, parser.parse_type())
        op = cls(src, kind, None if lane is None else parser.resolve_operand(lane, i32))
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.src)
        printer.print_string(f", {self.broadcast_type.data.value}")
        if self.lane is not None:
            printer.print_string(" ")
            printer.print_ssa_value(self.lane)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.src.type)


def _is_power_of_two(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0


def _verify_combines(op: IRDLOperation, kind: AllReduceOperation, type_: Attribute) -> None:
    """Refuse a combiner that does not support the type."""
    element = type_.element_type if isinstance(type_, VectorType) else type_
    is_float = isinstance(element, AnyFloat)
    if (kind.is_of_floats and not is_float) or (kind.is_of_integers and is_float):
        element_kind = "floats" if kind.is_of_floats else "integers"
        raise VerifyException(
            f"{op.name}: {kind.value} combines {element_kind}, not values of type {type_}"
        )


@irdl_op_definition
class SubgroupReduceOp(IRDLOperation):
    """``%r = gpu.subgroup_reduce add %x cluster(size = 4, stride = 2) : (f32) -> f32``.

    The combination of the values of all lanes, in each lane; with ``cluster``, of the lanes of a
    group.
    """

    name = "gpu.subgroup_reduce"

    value = operand_def()
    op = prop_def(AllReduceOperationAttr)
    uniform = opt_prop_def(UnitAttr)
    cluster_size = opt_prop_def(IntegerAttr[I32])
    cluster_stride = prop_def(IntegerAttr[I32], default_value=IntegerAttr(1, i32))
    result = result_def()

    def __init__(
        self,
        kind: AllReduceOperation,
        value: SSAValue,
        *,
        uniform: bool = False,
        cluster_size: int | None = None,
        cluster_stride: int = 1,
    ) -> None:
        size = None if cluster_size is None else IntegerAttr(cluster_size, i32)
        super().__init__(
            operands=[value],
            properties={
                "op": AllReduceOperationAttr(kind),
                "uniform": UnitAttr() if uniform else None,
                "cluster_size": size,
                "cluster_stride": IntegerAttr(cluster_stride, i32),
            },
            result_types=[value.type],
        )

    def verify_(self) -> None:
        _verify_exchanged(self, self.value)
        _verify_combines(self, self.op.data, self.value.type)
        if self.result.type != self.value.type:
            raise VerifyException(
                f"gpu.subgroup_reduce: gives {self.result.type} of values of type {self.value.type}"
            )
        stride = self.cluster_stride.value.data
        if self.cluster_size is None:
            if stride != 1:
                raise VerifyException(
                    f"gpu.subgroup_reduce: the cluster stride {stride} has no cluster size"
                )
            return
        for what, number in (("size", self.cluster_size.value.data), ("stride", stride)):
            if not _is_power_of_two(number):
                raise VerifyException(
                    f"gpu.subgroup_reduce: the cluster {what} {number} is not a power of two"
                )

    @classmethod
    def parse(cls, parser: Parser) -> SubgroupReduceOp:
        kind = parser.parse_str_enum(AllReduceOperation)
        name = parser.parse_unresolved_operand()
        uniform = parser.parse_optional_keyword("uniform") is not None
        size, stride = None, 1
        if parser.parse_optional_keyword("cluster"):
            parser.parse_punctuation("(")
            parser.parse_keyword("size")
            parser.parse_punctuation("=")
            size = parser.parse_integer(allow_boolean=False)
            if parser.parse_optional_punctuation(","):
                parser.parse_keyword("stride")
                parser.parse_punctuation("=")
                stride = parser.parse_integer(allow_boolean=False)
            parser.parse_punctuation(")")
        attributes = parser.parse_optional_attr_dict()
        value = _resolve_by_function_type(parser, name)
        op = cls(kind, value, uniform=uniform, cluster_size=size, cluster_stride=stride)
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.op.data.value} ")
        printer.print_ssa_value(self.value)
        if self.uniform is not None:
            printer.print_string(" uniform")
        if self.cluster_size is not None:
            printer.print_string(f" cluster(size = {self.cluster_size.value.data}")
            if self.cluster_stride.value.data != 1:
                printer.print_string(f", stride = {self.cluster_stride.value.data}")
            printer.print_string(")")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_operation_type(self)


def _resolve_by_function_type(parser: Parser, name: object) -> SSAValue:
    """Parse ``: (f32) -> f32``: the type of the operand, which is also the type of the result."""
    at = parser.pos
    parser.parse_punctuation(":")
    type_ = parser.parse_type()
    inputs = getattr(type_, "inputs", None)
    outputs = getattr(type_, "outputs", None)
    if inputs is None or outputs is None or len(inputs) != 1 or inputs != outputs:
        parser.raise_error(f"expected the type of one value and of its result, got {type_}", at)
    return parser.resolve_operand(name, inputs.data[0])  # pyright: ignore


@irdl_op_definition
class YieldOp(IRDLOperation):
    """``gpu.yield %z : f32``: the result of a combiner."""

    name = "gpu.yield"

    values = var_operand_def()

    traits = lazy_traits_def(lambda: (IsTerminator(), HasParent(AllReduceOp)))
    assembly_format = "attr-dict ($values^ `:` type($values))?"

    def __init__(self, *values: SSAValue) -> None:
        super().__init__(operands=[list(values)])


@irdl_op_definition
class AllReduceOp(IRDLOperation):
    """``%r = gpu.all_reduce add %x {} : (f32) -> (f32)``.

    The combination of the values of all threads of a block, in each thread. The combiner is a name,
    or a region of two values that yields one.
    """

    name = "gpu.all_reduce"

    value = operand_def()
    op = opt_prop_def(AllReduceOperationAttr)
    uniform = opt_prop_def(UnitAttr)
    body = region_def()
    result = result_def()

    traits = traits_def(IsolatedFromAbove())

    def __init__(
        self,
        kind: AllReduceOperation | None,
        value: SSAValue,
        body: Region | None = None,
        *,
        uniform: bool = False,
    ) -> None:
        super().__init__(
            operands=[value],
            properties={
                "op": None if kind is None else AllReduceOperationAttr(kind),
                "uniform": UnitAttr() if uniform else None,
            },
            regions=[body if body is not None else Region()],
            result_types=[value.type],
        )

    def verify_(self) -> None:
        type_ = self.value.type
        _verify_exchanged(self, self.value)
        if self.result.type != type_:
            raise VerifyException(
                f"gpu.all_reduce: gives {self.result.type} of values of type {type_}"
            )
        if (self.op is None) == (not self.body.blocks):
            raise VerifyException("gpu.all_reduce: combines by a name or by a region, one of them")
        if self.op is not None:
            _verify_combines(self, self.op.data, type_)
            return
        if [arg.type for arg in self.body.blocks[0].args] != [type_, type_]:
            raise VerifyException(f"gpu.all_reduce: its region takes two values of type {type_}")
        for block in self.body.blocks:
            end = block.last_op
            if isinstance(end, YieldOp) and [value.type for value in end.values] != [type_]:
                raise VerifyException(f"gpu.all_reduce: its region yields a value of type {type_}")

    @classmethod
    def parse(cls, parser: Parser) -> AllReduceOp:
        word = parser.parse_optional_keyword_in([kind.value for kind in AllReduceOperation])
        name = parser.parse_unresolved_operand()
        uniform = parser.parse_optional_keyword("uniform") is not None
        body = parser.parse_region()
        if len(body.blocks) == 1 and body.block.is_empty and not body.block.args:
            body = Region()  # ``{}`` parses to a block without operations
        attributes = parser.parse_optional_attr_dict()
        kind = None if word is None else AllReduceOperation(word)
        op = cls(kind, _resolve_by_function_type(parser, name), body, uniform=uniform)
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        if self.op is not None:
            printer.print_string(f" {self.op.data.value}")
        printer.print_string(" ")
        printer.print_ssa_value(self.value)
        if self.uniform is not None:
            printer.print_string(" uniform")
        printer.print_string(" ")
        if self.body.blocks:
            printer.print_region(self.body)
        else:
            printer.print_string("{\n}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_operation_type(self)
