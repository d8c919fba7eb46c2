"""Reductions whose terms are the lanes of vectors: what may be split into a result for each lane.

The lanes of a vectorized loop compute results of their own, which are combined behind the loop.
That is another order of the terms, which a reduction allows. It takes that the block is nothing but
the updates of one reduction, with ops that exist on vectors, and that nothing else in the loop
touches the results.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Operation

from kc.analysis.loop_tree import blocks, buffer_name, defined_inside, is_inside, iter_types
from kc.analysis.reductions import Reduction, reduction_of
from kc.dialects.tir import BlockOp, CombineOp, ForOp, IterType, LoadOp, StoreOp, YieldOp


def reduced_blocks(loop: ForOp) -> list[BlockOp]:
    """The blocks in ``loop`` that it drives a reduce variable of."""
    return [block for block in blocks(loop) if IterType.REDUCE in iter_types(loop, block)]


def lane_reduction(loop: ForOp, block: BlockOp) -> Reduction | str:
    """The reduction of ``block`` that the iterations of ``loop`` are lanes of, or why not."""
    if iter_types(loop, block) != {IterType.REDUCE}:
        return f"{loop.label} drives results of {block.label} as well as terms"
    reduction = reduction_of(block)
    if reduction is None:
        return (
            f"{block.label} is more than the updates of one reduction, so that the order of its "
            "instances matters"
        )
    for step in reduction.steps:
        ops = step.combiner.block.ops if isinstance(step, CombineOp) else (step,)
        unknown = next((op for op in ops if not _is_elementwise(op)), None)
        if unknown is not None:
            return f"the combiner of {block.label} contains {unknown.name}, which no vector has"
    spatial = {
        arg
        for arg, kind in zip(block.body.block.args, block.types, strict=True)
        if kind is IterType.SPATIAL
    }
    for update in reduction.updates:
        for operand in update.store.operands_of_map:
            if operand not in spatial and defined_inside(operand, block):
                return f"where {block.label} stores depends on more than its spatial variables"
    results = {update.buffer for update in reduction.updates}
    for op in _accesses(loop):
        if op.buffer in results and not is_inside(op, block):
            return f"{buffer_name(op.buffer)} is used in {loop.label} before it is complete"
    return reduction


def _accesses(root: Operation) -> Iterable[LoadOp | StoreOp]:
    return (op for op in root.walk() if isinstance(op, LoadOp | StoreOp))


def _is_elementwise(op: Operation) -> bool:
    """Whether ``op`` exists on vectors, lane by lane."""
    if isinstance(op, YieldOp):
        return True
    return not op.regions and op.name.startswith(("arith.", "math."))
