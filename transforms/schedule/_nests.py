"""Loops around a new block, for primitives that add copies or computations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap

from kc.analysis import loop_tree
from kc.dialects.tir import INDEX, BlockOp, ForOp, IterType
from kc.transforms.schedule.base import BlockRef, LoopRef, Site

Extent = int | SSAValue


@dataclass(frozen=True)
class Nest:
    """A new nest: its outermost operation, its loops and its block."""

    top: Operation
    loops: list[ForOp]
    block: BlockOp


def new_loops(
    site: Site, extents: Sequence[Extent], anchor: Operation, labels: Sequence[str] | None = None
) -> list[ForOp]:
    """Loops of ``extents``, with names (``ax0``, ...) that are unused around ``anchor``."""
    names = [f"ax{n}" for n in range(len(extents))] if labels is None else list(labels)
    around = loop_tree.loops_around(anchor)
    if around:
        names = site.fresh_names(names, around[-1], [])
    return [ForOp(name, extent) for name, extent in zip(names, extents, strict=True)]


def new_body(rank: int) -> Block:
    """The empty body of a block with the variables ``v0``, ``v1``, ..."""
    body = Block(arg_types=[INDEX] * rank)
    for n, arg in enumerate(body.args):
        arg.name_hint = f"v{n}"
    return body


def spatial_iters(extents: Sequence[Extent]) -> list[tuple[IterType, str, Extent]]:
    """Spatial variables ``v0``, ``v1``, ... with ``extents``."""
    return [(IterType.SPATIAL, f"v{n}", size) for n, size in enumerate(extents)]


def wrap(loops: list[ForOp], block: BlockOp, like: Operation) -> Nest:
    """A nest of ``block`` in ``loops``; all operations have the location of ``like``."""
    top: Operation = block
    for loop in reversed(loops):
        loop.body.block.add_op(top)
        top = loop
    for op in top.walk():
        op.location = like.location
    return Nest(top, loops, block)


def plain_nest(
    site: Site,
    name: str,
    body: Block,
    extents: Sequence[Extent],
    anchor: Operation,
    like: Operation,
) -> Nest:
    """A block ``name`` in new loops, one for each of its spatial variables."""
    loops = new_loops(site, extents, anchor)
    block = BlockOp(
        name,
        spatial_iters(extents),
        AffineMap.identity(len(extents)),
        [loop.var for loop in loops],
        Region(body),
    )
    return wrap(loops, block, like)


def loop_around(site: Site, ref: LoopRef, block: BlockOp, why: str) -> ForOp:
    """The loop of ``ref``. Refuses (KC3602) a loop that is not around ``block``; ``why`` is the
    reason in the refusal.
    """
    loop = Site(site.function, site.target, BlockRef(block)).resolve_loop(ref)
    around = loop_tree.loops_around(block)
    if loop not in around:
        raise site.refuse(
            "KC3602",
            f"loop {loop.label} is not around block {block.label}",
            at=block,
            mark={loop: "the loop", block: "the block"},
            why=why,
            hints=[f"loop={outer.label}" for outer in around],
        )
    return loop
