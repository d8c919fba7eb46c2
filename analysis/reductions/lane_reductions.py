"""Reductions whose terms are lanes of vectors, and that can have a partial result for each lane.

The lanes of a vectorized loop compute partial results, which are combined after the loop. This
changes the order of the terms, which a reduction allows. The block must consist of the updates of
one reduction, its ops must exist on vectors, and nothing else in the loop may access the results.
"""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr

from kc.analysis.loop_tree import (
    blocks,
    buffer_name,
    defined_inside,
    derived_values,
    is_inside,
    iter_types,
)
from kc.analysis.reductions.combiner_laws import why_no_empty_parts
from kc.analysis.reductions.reductions import Reduction, ops_of_element, reduction_of
from kc.dialects.tir import BlockOp, CombineOp, ForOp, IterType, StoreOp, YieldOp
from kc.dialects.tir.views import ViewOp


def reduced_blocks(loop: ForOp) -> list[BlockOp]:
    """The blocks in ``loop`` that have a reduce variable driven by ``loop`` and whose iterations
    share results.

    A block is left out if each iteration stores to an element of its own (the output of
    ``lower-lane-reduction``): its instances are independent.
    """
    return [
        block
        for block in blocks(loop)
        if IterType.REDUCE in iter_types(loop, block) and not _has_result_each(loop, block)
    ]


def _has_result_each(loop: ForOp, block: BlockOp) -> bool:
    """True if the variable of ``loop`` is an index of each store in ``block``."""
    stores = [op for op in block.walk() if isinstance(op, StoreOp)]
    return bool(stores) and all(
        any(
            isinstance(expr, AffineDimExpr) and op.operands_of_map[expr.position] is loop.var
            for expr in op.indices.data.results
        )
        for op in stores
    )


def lane_reduction(loop: ForOp, block: BlockOp) -> Reduction | str:
    """The reduction of ``block`` if its terms can be lanes of ``loop``; otherwise the reason why
    they cannot.
    """
    if iter_types(loop, block) != {IterType.REDUCE}:
        return f"{loop.label} does not drive only reduce variables of {block.label}"
    reduction = reduction_of(block)
    if reduction is None:
        return (
            f"{block.label} is more than the updates of one reduction, so that the order of its "
            "instances matters"
        )
    for step in reduction.steps:
        ops = [*step.combiner.block.ops] if isinstance(step, CombineOp) else [step]
        scalar = ops_of_element(step) if isinstance(step, CombineOp) else ()
        unknown = next((op for op in ops if op not in scalar and not _is_elementwise(op)), None)
        if unknown is not None:
            return (
                f"the combiner of {block.label} contains {unknown.name}, which has no vector form"
            )
        if (why := why_no_empty_parts(step)) is not None:
            return why
    spatial = {
        arg
        for arg, kind in zip(block.body.block.args, block.types, strict=True)
        if kind is IterType.SPATIAL
    }
    values = derived_values(loop.var)
    for update in reduction.updates:
        for operand in update.store.operands_of_map:
            if operand in values:
                return f"the indices at which {block.label} stores depend on {loop.label}"
            if operand not in spatial and defined_inside(operand, block):
                return (
                    f"the indices at which {block.label} stores depend on more than its spatial "
                    "variables"
                )
    for update in reduction.updates:
        if has_views(update.buffer):
            return f"{buffer_name(update.buffer)} has a view"
    if uses_results(loop, reduction):
        name = buffer_name(reduction.updates[0].buffer)
        return f"{name} is used in {loop.label} before it is complete"
    return reduction


def has_views(buffer: SSAValue) -> bool:
    """True if ``buffer`` is a view or has views."""
    return isinstance(buffer.owner, ViewOp) or any(
        isinstance(use.operation, ViewOp) for use in buffer.uses
    )


def uses_results(loop: ForOp, reduction: Reduction) -> bool:
    """True if an op in ``loop`` outside of the reduction's block uses its results."""
    return any(
        is_inside(use.operation, loop) and not is_inside(use.operation, reduction.block)
        for update in reduction.updates
        for use in update.buffer.uses
    )


def _is_elementwise(op: Operation) -> bool:
    """True if ``op`` exists on vectors, lane by lane."""
    if isinstance(op, YieldOp):
        return True
    return not op.regions and op.name.startswith(("arith.", "math."))
