"""gpu-launch-sink-index-computations: launches recompute constants and comparisons in their bodies.

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

An outlined kernel then takes fewer arguments and contains more constants. The pass copies
constants, dimensions of buffers, comparisons and selections into the launch, if their operands are
copied too or are used in the body anyway. The originals stay for other uses.

MLIR: ``gpu-launch-sink-index-computations``.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import InsertPoint
from xdsl.traits import ConstantLike

from kc.dialects.gpu import LaunchOp
from kc.transforms.gpu.gpu_kernel_outlining import used_from_outside


@dataclass(frozen=True)
class GpuLaunchSinkIndexComputationsPass(ModulePass):
    """Compute constants and index computations in the launches that use them."""

    name = "gpu-launch-sink-index-computations"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        PatternRewriteWalker(SinkIntoLaunch(), apply_recursively=False).rewrite_module(op)


class SinkIntoLaunch(RewritePattern):
    """``%c = constant; launch { use(%c) }`` -> ``launch { %c = constant; use(%c) }``."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LaunchOp, rewriter: PatternRewriter) -> None:
        used = used_from_outside(op)
        chosen: dict[Operation, None] = {}
        for value in used:
            if isinstance(value.owner, Operation):
                _choose(value.owner, set(used), chosen)
        values: dict[SSAValue, SSAValue] = {}
        copies = [original.clone(values) for original in chosen]
        rewriter.insert(copies, InsertPoint.at_start(op.body.blocks[0]))
        for original, copy in zip(chosen, copies, strict=True):
            for old, new in zip(original.results, copy.results, strict=True):
                rewriter.replace_uses_with_if(
                    old, new, lambda use: op.body.is_ancestor(use.operation)
                )


def is_index_computation(op: Operation) -> bool:
    """True if MLIR considers ``op`` an index computation that a kernel may recompute."""
    return op.has_trait(ConstantLike, value_if_unregistered=False) or isinstance(
        op, memref.DimOp | arith.SelectOp | arith.CmpiOp
    )


def _choose(op: Operation, used: set[SSAValue], chosen: dict[Operation, None]) -> bool:
    """Add ``op`` to ``chosen``, after its operands. Returns False if ``op`` does not move."""
    if op in chosen:
        return True
    if not is_index_computation(op):
        return False
    for operand in op.operands:
        owner = operand.owner
        moves = isinstance(owner, Operation) and _choose(owner, used, chosen)
        if not moves and operand not in used:
            return False
    chosen[op] = None
    return True
