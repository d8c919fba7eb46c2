"""double_buffer: a buffer is filled for the next iteration of a loop while the current one reads
it.

Before, ``double-buffer block=B``::

    %B = tir.alloc "B" : memref<16xf32>
    tir.for %i in 8 {
      tir.for %j in 16 {
        tir.block "B" (spatial %v_j in 16 = %j) do { writes %B[%v_j] }
      tir.for %j in 16 {
        tir.block "C" (spatial %v_i in 8 = %i, spatial %v_j in 16 = %j) do { reads %B[%v_j] }

After::

    %B = tir.alloc "B" {tir.double_buffer} : memref<16xf32>
    ...

The mark allows filling to overlap with the innermost loop around filling and reading. The lowering
pass ``inject-double-buffer`` makes two halves of the buffer, fills one before the loop, and in each
iteration fills the half that the next iteration reads.

*Legal when*

1. KC3300, KC3303: the block writes the buffer, and only loads and stores use it.
2. KC3202: the buffer is not an output. KC3205: no other block writes it.
3. KC3470, KC3471: a serial loop both fills and reads it.
4. KC3474, KC3472: each iteration fills it first, and reads only elements that it has written.
5. KC3473: the block that fills it has no other effects.
6. KC3475, KC3476: the inputs for filling it are available one iteration early.
7. KC3479: blocks of a kernel do not share it.

A loop of one iteration has no next iteration; it gets a warning (KC3477).

TVM: ``double_buffer`` of TE, the annotation ``double_buffer_scope`` in TensorIR.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.dialects.builtin import UnitAttr

from kc.analysis import loop_tree
from kc.analysis.accesses.regions import buffers_written, stores_to
from kc.analysis.loop_tree import buffer_name
from kc.dialects.tir import AllocOp, BlockOp
from kc.support.diagnostics import warn
from kc.support.locations import location_of
from kc.transforms.schedule._blocks import describe
from kc.transforms.schedule._buffers import BufferRef, find_buffer
from kc.transforms.schedule.base import CALL_SITE, BlockRef, Primitive, Rewritten, Site
from kc.transforms.tir.pipeline._double_buffering import Obstacle, Overlap, plan_overlap
from kc.transforms.tir.pipeline.inject_double_buffer import MARK


@dataclass(frozen=True)
class DoubleBuffer(Primitive):
    """Fill a buffer for the next iteration while the current iteration reads it."""

    name: ClassVar[str] = "double-buffer"

    block: BlockRef = field(metadata={"help": "the block that fills the buffer"})
    buffer: BufferRef = field(
        default=BufferRef(0),
        metadata={
            "help": "the buffer: its name, or its position among the written buffers",
            "python": "buffer_index",
        },
    )

    def check(self, site: Site) -> Overlap:
        block = site.resolve_block(self.block)
        buffer = find_buffer(site, block, self.buffer, "writes")
        name = buffer_name(buffer)
        if not isinstance(buffer.owner, AllocOp):
            raise site.refuse(
                "KC3202",
                f"{name} of block {block.label} is an output",
                at=block,
                why="the caller reads one buffer after the call, not two halves",
                hints=[f"cache_write gives block {block.label} its own buffer"],
            )
        for store in stores_to(buffer):
            if not loop_tree.is_inside(store, block):
                parent = store.parent_op()
                writer = parent if isinstance(parent, BlockOp) else store
                raise site.refuse(
                    "KC3205",
                    f"{name} is also used by {describe(writer)}",
                    at=writer,
                    mark={block: "here", writer: f"writes {name}"},
                    beside=[block],
                    why=f"block {block.label} must be the only writer of {name}",
                )
        try:
            return plan_overlap(buffer.owner)
        except Obstacle as obstacle:
            raise site.refuse(
                obstacle.code,
                f"{obstacle.message}",
                at=obstacle.at,
                mark=obstacle.marks,
                why=obstacle.why,
                hints=obstacle.hints,
            ) from None

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for block in loop_tree.blocks(site.function):
            for buffer in buffers_written(block):
                if isinstance(buffer.owner, AllocOp) and MARK not in buffer.owner.attributes:
                    yield cls(BlockRef(block), BufferRef(buffer))

    def rewrite(self, site: Site, plan: Overlap) -> Rewritten:
        if plan.loop.static_extent in (0, 1):
            warn(
                "KC3477",
                f"double_buffer: loop {plan.loop.label}, which fills and reads "
                f"{plan.alloc.label}, has no next iteration",
                location=CALL_SITE.get() or location_of(plan.loop),
                why="there is nothing to fill in advance",
            )
        plan.alloc.attributes[MARK] = UnitAttr()
        return Rewritten()
