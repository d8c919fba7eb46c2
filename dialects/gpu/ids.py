"""Indices and counts of threads, blocks and clusters."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Attribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from kc.dialects.gpu.attrs import Dimension, DimensionAttr

INDEX = IndexType()


def parse_upper_bound(parser: Parser) -> IntegerAttr | None:
    """``upper_bound 64``: an exclusive upper bound of the result."""
    if parser.parse_optional_keyword("upper_bound") is None:
        return None
    return IntegerAttr(parser.parse_integer(allow_boolean=False), INDEX)


def print_upper_bound(printer: Printer, bound: IntegerAttr | None) -> None:
    """The inverse of :func:`parse_upper_bound`."""
    if bound is not None:
        printer.print_string(f" upper_bound {bound.value.data}")


def verify_upper_bound(op: IRDLOperation, bound: IntegerAttr | None) -> None:
    """Refuse an upper bound of 0, which no index satisfies."""
    if bound is not None and bound.value.data < 1:
        raise VerifyException(f"{op.name}: the upper bound {bound.value.data} is not positive")


class DimensionOp(IRDLOperation):
    """An index or count along a dimension: ``%i = gpu.thread_id x upper_bound 64``."""

    dimension = prop_def(DimensionAttr)
    upper_bound = opt_prop_def(IntegerAttr[IndexType])
    result = result_def(INDEX)

    traits = traits_def(Pure())

    def __init__(self, dimension: Dimension, upper_bound: int | None = None) -> None:
        bound = None if upper_bound is None else IntegerAttr(upper_bound, INDEX)
        super().__init__(
            properties={"dimension": DimensionAttr(dimension), "upper_bound": bound},
            result_types=[INDEX],
        )

    def verify_(self) -> None:
        verify_upper_bound(self, self.upper_bound)

    @classmethod
    def parse(cls, parser: Parser) -> DimensionOp:
        dimension = parser.parse_str_enum(Dimension)
        bound = parse_upper_bound(parser)
        op = cls(dimension, None if bound is None else bound.value.data)
        op.attributes.update(parser.parse_optional_attr_dict())
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.dimension.data.value}")
        print_upper_bound(printer, self.upper_bound)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class ThreadIdOp(DimensionOp):
    """``%i = gpu.thread_id x``: the index of the thread in its block."""

    name = "gpu.thread_id"


@irdl_op_definition
class BlockIdOp(DimensionOp):
    """``%i = gpu.block_id x``: the index of the block in the grid."""

    name = "gpu.block_id"


@irdl_op_definition
class BlockDimOp(DimensionOp):
    """``%n = gpu.block_dim x``: the number of threads of a block."""

    name = "gpu.block_dim"


@irdl_op_definition
class GridDimOp(DimensionOp):
    """``%n = gpu.grid_dim x``: the number of blocks of the grid."""

    name = "gpu.grid_dim"


@irdl_op_definition
class GlobalIdOp(DimensionOp):
    """``%i = gpu.global_id x``: the index of the thread in the whole grid."""

    name = "gpu.global_id"


@irdl_op_definition
class ClusterIdOp(DimensionOp):
    """``%i = gpu.cluster_id x``: the index of the cluster in the grid."""

    name = "gpu.cluster_id"


@irdl_op_definition
class ClusterDimOp(DimensionOp):
    """``%n = gpu.cluster_dim x``: the number of clusters of the grid."""

    name = "gpu.cluster_dim"


@irdl_op_definition
class ClusterBlockIdOp(DimensionOp):
    """``%i = gpu.cluster_block_id x``: the index of the block in its cluster."""

    name = "gpu.cluster_block_id"


@irdl_op_definition
class ClusterDimBlocksOp(DimensionOp):
    """``%n = gpu.cluster_dim_blocks x``: the number of blocks of a cluster."""

    name = "gpu.cluster_dim_blocks"


class SubgroupNumberOp(IRDLOperation):
    """An index or count of subgroups (warps): ``%i = gpu.subgroup_id upper_bound 8 : index``."""

    SHOWS_TYPE: ClassVar[bool] = True

    upper_bound = opt_prop_def(IntegerAttr[IndexType])
    result = result_def(INDEX)

    traits = traits_def(Pure())

    def __init__(self, upper_bound: int | None = None) -> None:
        bound: Attribute | None = None if upper_bound is None else IntegerAttr(upper_bound, INDEX)
        super().__init__(properties={"upper_bound": bound}, result_types=[INDEX])

    def verify_(self) -> None:
        verify_upper_bound(self, self.upper_bound)

    @classmethod
    def parse(cls, parser: Parser) -> SubgroupNumberOp:
        bound = parse_upper_bound(parser)
        attributes = parser.parse_optional_attr_dict()
        if cls.SHOWS_TYPE:
            parser.parse_punctuation(":")
            parser.parse_keyword("index")
        op = cls(None if bound is None else bound.value.data)
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        print_upper_bound(printer, self.upper_bound)
        printer.print_op_attributes(self.attributes)
        if self.SHOWS_TYPE:
            printer.print_string(" : index")


@irdl_op_definition
class LaneIdOp(SubgroupNumberOp):
    """``%i = gpu.lane_id``: the index of the thread in its subgroup."""

    SHOWS_TYPE: ClassVar[bool] = False

    name = "gpu.lane_id"


@irdl_op_definition
class SubgroupIdOp(SubgroupNumberOp):
    """``%i = gpu.subgroup_id : index``: the index of the subgroup in its block."""

    name = "gpu.subgroup_id"


@irdl_op_definition
class NumSubgroupsOp(SubgroupNumberOp):
    """``%n = gpu.num_subgroups : index``: the number of subgroups of a block."""

    name = "gpu.num_subgroups"


@irdl_op_definition
class SubgroupSizeOp(SubgroupNumberOp):
    """``%n = gpu.subgroup_size : index``: the number of threads of a subgroup."""

    name = "gpu.subgroup_size"
