"""The threads of parallel loops: how many there are, and which of them runs an iteration.

Functions whose iterations use memory that each thread has alone are given it from outside: as many
times the bytes of a thread as there are threads. The pass ``take-workspace`` makes these
operations, when loops are ``scf`` already.
"""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import MemoryReadEffect
from xdsl.utils.exceptions import VerifyException


@irdl_op_definition
class NumThreadsOp(IRDLOperation):
    """``%t = tir.num_threads``: the threads that a parallel loop runs on, the caller included."""

    name = "tir.num_threads"

    result = result_def(IndexType())

    # It reads the state of the process, so it must not be moved.
    traits = traits_def(MemoryReadEffect())

    assembly_format = "attr-dict"

    def __init__(self) -> None:
        super().__init__(result_types=[IndexType()])


@irdl_op_definition
class ThreadNumberOp(IRDLOperation):
    """``%k = tir.thread_number below %n``: the number of the thread that runs an iteration.

    It stands in the body of an outermost ``scf.parallel``. Iterations that run at the same time
    have different numbers, from 0 to ``%n - 1``: the loop runs on one thread where there are more
    than ``%n``.
    """

    name = "tir.thread_number"

    threads = operand_def(IndexType())
    result = result_def(IndexType())

    traits = traits_def(MemoryReadEffect())

    assembly_format = "`below` $threads attr-dict"

    def __init__(self, threads: SSAValue) -> None:
        super().__init__(operands=[threads], result_types=[IndexType()])

    def verify_(self) -> None:
        parent = self.parent_op()
        if parent is not None and parent.name != "scf.parallel":
            raise VerifyException(f"is in the body of a scf.parallel, but here of {parent.name}")
