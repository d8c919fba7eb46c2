"""gpu-launch-sink-index-computations: launches compute constants and comparisons themselves.

Before::

    %two = arith.constant 2.0 : f32
    gpu.launch blocks(...) in (...) threads(...) in (...) {
      %y = arith.mulf %x, %two : f32
      gpu.terminator
    }

After::

    gpu.launch blocks(...) in (...) threads(...) in (...) {
      %two = arith.constant 2.0 : f32
      %y = arith.mulf %x, %two : f32
      gpu.terminator
    }

A kernel that is outlined then takes fewer arguments, and knows more of its numbers. What moves are
constants, dimensions of buffers, comparisons and selections, as far as their operands move or are
used in the body anyway; outside they stay for others.

MLIR: ``gpu-launch-sink-index-computations``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.traits import ConstantLike

from kc.dialects.gpu import LaunchOp
from kc.transforms.gpu.gpu_kernel_outlining import used_from_outside


@dataclass(frozen=True)
class GpuLaunchSinkIndexComputationsPass(ModulePass):
    """Compute constants and index computations in the launches that use them."""

    name = "gpu-launch-sink-index-computations"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        for launch in [inner for inner in op.walk() if isinstance(inner, LaunchOp)]:
            sink(launch, is_index_computation)


def is_index_computation(op: Operation) -> bool:
    """Whether MLIR takes ``op`` for one that a kernel may as well do."""
    return op.has_trait(ConstantLike, value_if_unregistered=False) or isinstance(
        op, memref.DimOp | arith.SelectOp | arith.CmpiOp
    )


def sink(launch: LaunchOp, is_sunk: Callable[[Operation], bool]) -> None:
    """Compute in the body of ``launch`` what it uses from outside, as far as ``is_sunk``."""
    used = used_from_outside(launch)
    chosen: dict[Operation, None] = {}
    for value in used:
        if isinstance(value.owner, Operation):
            _choose(value.owner, set(used), chosen, is_sunk)
    if not chosen:
        return
    entry = launch.body.blocks[0]
    first = entry.first_op
    assert first is not None
    values: dict[SSAValue, SSAValue] = {}
    for op in chosen:
        copy = op.clone(values)
        copy.location = op.location
        entry.insert_op_before(copy, first)
    for inner in launch.walk():
        if inner is not launch:
            for n, operand in enumerate(inner.operands):
                if operand in values:
                    inner.operands[n] = values[operand]


def _choose(
    op: Operation,
    used: set[SSAValue],
    chosen: dict[Operation, None],
    is_sunk: Callable[[Operation], bool],
) -> bool:
    """Add ``op`` to ``chosen``, behind what it needs of it; False if it is not to be."""
    if op in chosen:
        return True
    if not is_sunk(op):
        return False
    for operand in op.operands:
        owner = operand.owner
        moves = isinstance(owner, Operation) and _choose(owner, used, chosen, is_sunk)
        if not moves and operand not in used:
            return False
    chosen[op] = None
    return True
