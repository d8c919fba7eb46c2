"""Two dialects: one for kc alone, and one for every tool of xDSL."""

from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition


@irdl_op_definition
class BarrierOp(IRDLOperation):
    """Wait for the transfers under way."""

    name = "npu.barrier"
    assembly_format = "attr-dict"


@irdl_op_definition
class TraceOp(IRDLOperation):
    """Note the time."""

    name = "npu_debug.trace"
    assembly_format = "attr-dict"


NPU = Dialect("npu", [BarrierOp])
NPU_DEBUG = Dialect("npu_debug", [TraceOp])
