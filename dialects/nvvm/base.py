"""Bases of the nvvm dialect's operations, and the pointer types of their operands."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import BoolAttr, IntAttr
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import SSAValue
from xdsl.irdl import EqAttrConstraint, IRDLOperation

from kc.dialects.nvvm.requirements import Requirement

GENERIC_POINTER = LLVMPointerType()
GLOBAL_POINTER = LLVMPointerType(IntAttr(1))
SHARED_POINTER = LLVMPointerType(IntAttr(3))
CONSTANT_POINTER = LLVMPointerType(IntAttr(4))
LOCAL_POINTER = LLVMPointerType(IntAttr(5))
CLUSTER_POINTER = LLVMPointerType(IntAttr(7))
"""A pointer to the shared memory of any block of the cluster."""

FALSE = BoolAttr.from_bool(False)

GENERIC = EqAttrConstraint(GENERIC_POINTER)
GLOBAL = EqAttrConstraint(GLOBAL_POINTER)
SHARED = EqAttrConstraint(SHARED_POINTER)
CONSTANT = EqAttrConstraint(CONSTANT_POINTER)
LOCAL = EqAttrConstraint(LOCAL_POINTER)
CLUSTER = EqAttrConstraint(CLUSTER_POINTER)


class NVVMOp(IRDLOperation, ABC):
    """An operation of the nvvm dialect."""

    REQUIRES: ClassVar[Requirement]
    """The minimal requirement of all forms of the op."""

    def __post_init__(self) -> None:
        super().__post_init__()
        # MLIR prints properties by name, whatever order they were written in.
        self.properties = dict(sorted(self.properties.items()))

    def requirement(self) -> Requirement:
        """The requirement of the op with its actual attributes and types."""
        return self.REQUIRES


def points_to_cluster(value: SSAValue) -> bool:
    """True if ``value`` points to the shared memory of any block of the cluster."""
    return value.type == CLUSTER_POINTER
