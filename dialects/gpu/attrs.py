"""Attributes and types of the gpu dialect."""

from __future__ import annotations

from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import (
    ParametrizedAttribute,
    SpacedOpaqueSyntaxAttribute,
    TypeAttribute,
)
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum


class Dimension(StrEnum):
    """A dimension of a grid, of a block, or of a cluster."""

    X = "x"
    Y = "y"
    Z = "z"


class ShuffleMode(StrEnum):
    """Whose value a lane gets: of the lane with an ``xor``ed number, ``down`` or ``up`` by an
    offset, or of a number (``idx``)."""

    XOR = "xor"
    DOWN = "down"
    UP = "up"
    IDX = "idx"


class BroadcastType(StrEnum):
    """Whose value all lanes get."""

    FIRST_ACTIVE_LANE = "first_active_lane"
    SPECIFIC_LANE = "specific_lane"


class AllReduceOperation(StrEnum):
    """How values of threads are combined. ``minimumf`` and ``maximumf`` keep NaN, ``minnumf`` and
    ``maxnumf`` lose it."""

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
        """Whether it combines floats alone."""
        return self.value.endswith("f")

    @property
    def is_of_integers(self) -> bool:
        """Whether it combines integers alone."""
        return not self.is_of_floats and self not in (self.ADD, self.MUL)


class AddressSpace(StrEnum):
    """Whose memory it is: of the device, of a block (workgroup), or of a thread (private)."""

    GLOBAL = "global"
    WORKGROUP = "workgroup"
    PRIVATE = "private"
    CONSTANT = "constant"


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
class AsyncTokenType(ParametrizedAttribute, TypeAttribute):
    """``!gpu.async.token``: that something is done; what waits for it takes it."""

    name = "gpu.async.token"


TOKEN = AsyncTokenType()
