"""Attributes and types of the gpu dialect."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import (
    Attribute,
    Data,
    ParametrizedAttribute,
    SpacedOpaqueSyntaxAttribute,
    TypeAttribute,
)
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum

ALIGN = "llvm.align"
"""The attribute of shared memory with its alignment in bytes."""


class Dimension(StrEnum):
    """A dimension of a grid, of a block, or of a cluster."""

    X = "x"
    Y = "y"
    Z = "z"


class ShuffleMode(StrEnum):
    """The source lane of a shuffle: the lane whose index is ``xor``ed, ``down`` or ``up`` by an
    offset, or a given index (``idx``).
    """

    XOR = "xor"
    DOWN = "down"
    UP = "up"
    IDX = "idx"


class BroadcastType(StrEnum):
    """The lane whose value all lanes receive."""

    FIRST_ACTIVE_LANE = "first_active_lane"
    SPECIFIC_LANE = "specific_lane"


class AllReduceOperation(StrEnum):
    """The combiners of collective reductions. ``minimumf`` and ``maximumf`` propagate NaN,
    ``minnumf`` and ``maxnumf`` ignore it.
    """

    ADD = "add"
    MUL = "mul"
    MINUI = "minui"
    MINSI = "minsi"
    MINNUMF = "minnumf"
    MAXUI = "maxui"
    MAXSI = "maxsi"
    MAXNUMF = "maxnumf"
    AND = "and"
    OR = "or"
    XOR = "xor"
    MINIMUMF = "minimumf"
    MAXIMUMF = "maximumf"

    @property
    def is_of_floats(self) -> bool:
        """True if the combiner applies to floats only."""
        return self.value.endswith("f")

    @property
    def is_of_integers(self) -> bool:
        """True if the combiner applies to integers only."""
        return not self.is_of_floats and self not in (self.ADD, self.MUL)


class AddressSpace(StrEnum):
    """The level that shares memory: the device (global), a block (workgroup), or a thread
    (private).
    """

    GLOBAL = "global"
    WORKGROUP = "workgroup"
    PRIVATE = "private"
    CONSTANT = "constant"


class MappingId(StrEnum):
    """The indices of blocks, threads and so on to which loop iterations are mapped: along a
    dimension, or (linear) in row-major order.
    """

    X = "x"
    Y = "y"
    Z = "z"
    LINEAR_DIM_0 = "linear_dim_0"
    LINEAR_DIM_1 = "linear_dim_1"
    LINEAR_DIM_2 = "linear_dim_2"
    LINEAR_DIM_3 = "linear_dim_3"
    LINEAR_DIM_4 = "linear_dim_4"
    LINEAR_DIM_5 = "linear_dim_5"
    LINEAR_DIM_6 = "linear_dim_6"
    LINEAR_DIM_7 = "linear_dim_7"
    LINEAR_DIM_8 = "linear_dim_8"
    LINEAR_DIM_9 = "linear_dim_9"


class _MappingAttr(Data[MappingId]):
    """``#gpu.name<x>``."""

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data.value)

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> MappingId:
        with parser.in_angle_brackets():
            return parser.parse_str_enum(MappingId)


@irdl_attr_definition
class DimensionAttr(EnumAttribute[Dimension], SpacedOpaqueSyntaxAttribute):
    """``#gpu<dim x>``."""

    name = "gpu.dim"


@irdl_attr_definition
class ShuffleModeAttr(EnumAttribute[ShuffleMode], SpacedOpaqueSyntaxAttribute):
    """``#gpu<shuffle_mode xor>``."""

    name = "gpu.shuffle_mode"


@irdl_attr_definition
class BroadcastTypeAttr(EnumAttribute[BroadcastType], SpacedOpaqueSyntaxAttribute):
    """``#gpu<broadcast specific_lane>``."""

    name = "gpu.broadcast"


@irdl_attr_definition
class AllReduceOperationAttr(EnumAttribute[AllReduceOperation], SpacedOpaqueSyntaxAttribute):
    """``#gpu<all_reduce_op add>``."""

    name = "gpu.all_reduce_op"


@irdl_attr_definition
class AddressSpaceAttr(EnumAttribute[AddressSpace]):
    """``#gpu.address_space<workgroup>``: the memory space of a memref."""

    name = "gpu.address_space"

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            super().print_parameter(printer)

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> AddressSpace:
        with parser.in_angle_brackets():
            return super().parse_parameter(parser)


@irdl_attr_definition
class BlockMappingAttr(_MappingAttr):
    """``#gpu.block<x>``: in ``mapping`` of ``scf.forall``, iterations are blocks of threads."""

    name = "gpu.block"


@irdl_attr_definition
class WarpgroupMappingAttr(_MappingAttr):
    """``#gpu.warpgroup<x>``: in ``mapping`` of ``scf.forall``, iterations are groups of warps."""

    name = "gpu.warpgroup"


@irdl_attr_definition
class WarpMappingAttr(_MappingAttr):
    """``#gpu.warp<x>``: in ``mapping`` of ``scf.forall``, iterations are warps."""

    name = "gpu.warp"


@irdl_attr_definition
class ThreadMappingAttr(_MappingAttr):
    """``#gpu.thread<x>``: in ``mapping`` of ``scf.forall``, iterations are threads."""

    name = "gpu.thread"


@irdl_attr_definition
class LaneMappingAttr(_MappingAttr):
    """``#gpu.lane<x>``: in ``mapping`` of ``scf.forall``, iterations are lanes of a warp."""

    name = "gpu.lane"


@irdl_attr_definition
class MappingMaskAttr(ParametrizedAttribute):
    """``#gpu.mask<51>``: in ``mapping`` of ``scf.forall``, a bit mask of the participating blocks,
    threads and so on.
    """

    name = "gpu.mask"

    mask: IntegerAttr

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(str(self.mask.value.data % (1 << 64)))

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            at, bits = parser.pos, parser.parse_integer(allow_boolean=False, allow_negative=False)
            if bits >= 1 << 64:
                parser.raise_error(f"{bits} has more than 64 bits", at)
        return [IntegerAttr(bits - (1 << 64) if bits >> 63 else bits, i64)]


MAPPINGS = (
    BlockMappingAttr,
    WarpgroupMappingAttr,
    WarpMappingAttr,
    ThreadMappingAttr,
    LaneMappingAttr,
)
"""Mappings of loop iterations, from the outermost level to the innermost."""


@irdl_attr_definition
class AsyncTokenType(ParametrizedAttribute, TypeAttribute):
    """``!gpu.async.token``: the completion of an operation, as an operand of operations that wait
    for it.
    """

    name = "gpu.async.token"


TOKEN = AsyncTokenType()
