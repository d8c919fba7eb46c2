"""Barriers: of the threads of a block, of a warp, and of the blocks of a cluster."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import DenseArrayBase, UnitAttr, i32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    opt_result_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from kc.dialects.llvm.base import SEGMENTS
from kc.dialects.nvvm.base import NVVMOp
from kc.dialects.nvvm.enums import BarrierReductionAttr
from kc.dialects.nvvm.requirements import ANY, Requirement


@irdl_op_definition
class Barrier0Op(NVVMOp):
    """``nvvm.barrier0``: all threads of the block wait for each other."""

    name = "nvvm.barrier0"
    REQUIRES: ClassVar = ANY

    assembly_format = "attr-dict"


@irdl_op_definition
class BarrierOp(NVVMOp):
    """Threads of the block wait at one of 16 barriers; a reduction involves all threads.

    ``nvvm.barrier id = %id number_of_threads = %count``,
    ``%r = nvvm.barrier #nvvm.reduction<popc> %predicate -> i32``
    """

    name = "nvvm.barrier"
    REQUIRES: ClassVar = ANY

    barrier_id = opt_operand_def(i32)
    number_of_threads = opt_operand_def(i32)
    reduction_predicate = opt_operand_def(i32)
    res = opt_result_def(i32)
    reduction_op = opt_prop_def(BarrierReductionAttr, prop_name="reductionOp")

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def __init__(
        self,
        barrier_id: SSAValue | Operation | None = None,
        number_of_threads: SSAValue | Operation | None = None,
        *,
        reduction: str | BarrierReductionAttr | None = None,
        predicate: SSAValue | Operation | None = None,
    ):
        if isinstance(reduction, str):
            reduction = BarrierReductionAttr(reduction)
        super().__init__(
            operands=[barrier_id, number_of_threads, predicate],
            properties={"reductionOp": reduction},
            result_types=[None if reduction is None else i32],
        )

    def verify_(self) -> None:
        if self.barrier_id is None and self.number_of_threads is not None:
            raise VerifyException(f"{self.name}: a number of threads needs an id, of 0 to 15")
        if (self.reduction_op is None) != (self.reduction_predicate is None):
            raise VerifyException(f"{self.name}: a reduction has an operation and a predicate")
        if self.reduction_op is not None and self.barrier_id is not None:
            raise VerifyException(f"{self.name}: only the barrier without an id reduces")

    @classmethod
    def parse(cls, parser: Parser) -> BarrierOp:
        operands: list[UnresolvedOperand] = []
        sizes = [0, 0, 0]
        for position, keyword in enumerate(("id", "number_of_threads")):
            if parser.parse_optional_keyword(keyword) is not None:
                parser.parse_punctuation("=")
                operands.append(parser.parse_unresolved_operand())
                sizes[position] = 1
        properties: dict[str, Attribute] = {}
        start = parser.pos
        # MLIR has attributes behind the type, and reads a dictionary here as the reduction.
        if (reduction := parser.parse_optional_attribute()) is not None:
            if not isinstance(reduction, BarrierReductionAttr):
                parser.raise_error("expected a #nvvm.reduction", start, parser.pos)
            properties["reductionOp"] = reduction
            operands.append(parser.parse_unresolved_operand())
            sizes[2] = 1
        result_types: list[Attribute] = []
        if parser.parse_optional_punctuation("->") is not None:
            result_types.append(parser.parse_type())
        properties[SEGMENTS] = DenseArrayBase.from_list(i32, sizes)
        return cls.create(
            operands=[parser.resolve_operand(operand, i32) for operand in operands],
            result_types=result_types,
            properties=properties,
            attributes=parser.parse_optional_attr_dict(),
        )

    def print(self, printer: Printer) -> None:
        for keyword, operand in (
            ("id", self.barrier_id),
            ("number_of_threads", self.number_of_threads),
        ):
            if operand is not None:
                printer.print_string(f" {keyword} = ")
                printer.print_ssa_value(operand)
        if self.reduction_op is not None and self.reduction_predicate is not None:
            printer.print_string(" ")
            printer.print_attribute(self.reduction_op)
            printer.print_string(" ")
            printer.print_ssa_value(self.reduction_predicate)
        if self.res is not None:
            printer.print_string(" -> ")
            printer.print_attribute(self.res.type)
        printer.print_op_attributes(self.attributes)


@irdl_op_definition
class BarrierArriveOp(NVVMOp):
    """``nvvm.barrier.arrive id = %id number_of_threads = %count``: arrive without waiting."""

    name = "nvvm.barrier.arrive"
    REQUIRES: ClassVar = ANY

    barrier_id = opt_operand_def(i32)
    number_of_threads = operand_def(i32)

    assembly_format = (
        "(`id` `=` $barrier_id^)? `number_of_threads` `=` $number_of_threads attr-dict"
    )

    def __init__(
        self,
        number_of_threads: SSAValue | Operation,
        barrier_id: SSAValue | Operation | None = None,
    ):
        super().__init__(operands=[barrier_id, number_of_threads])


@irdl_op_definition
class SyncWarpOp(NVVMOp):
    """``nvvm.bar.warp.sync %mask : i32``: the lanes of the mask wait for each other."""

    name = "nvvm.bar.warp.sync"
    REQUIRES: ClassVar = Requirement(sm=30, ptx=60)

    mask = operand_def(i32)

    assembly_format = "$mask attr-dict `:` type($mask)"

    def __init__(self, mask: SSAValue | Operation):
        super().__init__(operands=[mask])


class ClusterBarrierOp(NVVMOp, ABC):
    """A part of the barrier of a cluster; ``aligned``: all threads of the warp execute it."""

    REQUIRES: ClassVar = Requirement(sm=90, ptx=78)

    aligned = opt_prop_def(UnitAttr)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "attr-dict"

    def __init__(self, *, aligned: bool = False):
        super().__init__(properties={"aligned": UnitAttr() if aligned else None})


@irdl_op_definition
class ClusterArriveOp(ClusterBarrierOp):
    """``nvvm.cluster.arrive {aligned}``: arrive without waiting; memory accesses are ordered."""

    name = "nvvm.cluster.arrive"


@irdl_op_definition
class ClusterArriveRelaxedOp(ClusterBarrierOp):
    """``nvvm.cluster.arrive.relaxed {aligned}``: as cluster.arrive, without ordering memory
    accesses.
    """

    name = "nvvm.cluster.arrive.relaxed"
    REQUIRES: ClassVar = Requirement(sm=90, ptx=80)


@irdl_op_definition
class ClusterWaitOp(ClusterBarrierOp):
    """``nvvm.cluster.wait {aligned}``: wait until all threads of the cluster have arrived."""

    name = "nvvm.cluster.wait"
