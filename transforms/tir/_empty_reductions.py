"""Reductions over no element: a reduction block then stands for its initial value.

The loops of such a block run no iteration, so an initialisation inside them would be lost.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineExpr,
    AffineMap,
    AffineSet,
)
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis import loop_tree
from kc.analysis.captures import captured_values
from kc.dialects.tir import BlockOp, ForOp, IfOp, IterType


def is_empty(block: BlockOp) -> bool:
    """Whether the reduction of ``block`` has no element, whatever the sizes."""
    return 0 in _reduce_extents(block)


def fill_instead(block: BlockOp, fresh_name: Callable[[str], str]) -> None:
    """Replace an empty reduction by loops that store its initial value."""
    Rewriter.insert_op(_fill_nest(block, fresh_name), InsertPoint.before(_outermost(block)))
    Rewriter.erase_op(block)


def fill_if_empty(block: BlockOp, fresh_name: Callable[[str], str]) -> None:
    """Store the initial value before the loops where a size makes the reduction empty."""
    for extent in _reduce_extents(block):
        if isinstance(extent, int):
            continue
        zero = AffineConstraintExpr(
            AffineConstraintKind.eq, AffineExpr.dimension(0), AffineExpr.constant(0)
        )
        then = Region(Block([_fill_nest(block, fresh_name)]))
        guard = IfOp(AffineSet(1, 0, (zero,)), [extent], then)
        guard.location = block.location
        Rewriter.insert_op(guard, InsertPoint.before(_outermost(block)))


def _reduce_extents(block: BlockOp) -> list[int | SSAValue]:
    return [extent for kind, _, extent in block.iters if kind is IterType.REDUCE]


def _outermost(block: BlockOp) -> Operation:
    """The outermost loop around ``block`` in which nothing that its init uses is defined."""
    used = captured_values(block.init.block)
    loops = [
        loop
        for loop in loop_tree.loops_around(block)
        if not any(loop_tree.defined_inside(value, loop) for value in used)
    ]
    return loops[0] if loops else block


def _fill_nest(block: BlockOp, fresh_name: Callable[[str], str]) -> Operation:
    """Loops over the spatial domain of ``block`` around a block that does what its init does."""
    spatial = [n for n, kind in enumerate(block.types) if kind is IterType.SPATIAL]
    iters = [block.iters[n] for n in spatial]
    init = block.init.clone()
    for n in reversed(range(len(block.types))):
        if n not in spatial:
            init.block.erase_arg(init.block.args[n])
    loops = [ForOp(name.removeprefix("v_"), extent) for _, name, extent in iters]
    inner: Operation = BlockOp(
        fresh_name(f"{block.label}_init"),
        iters,
        AffineMap.identity(len(loops)),
        [one.var for one in loops],
        init,
    )
    inner.location = block.location
    for loop in reversed(loops):
        loop.location = block.location
        loop.body.block.add_op(inner)
        inner = loop
    return inner
