"""cache_inplace: a block updates a copy of a buffer, filled beforehand and written back afterwards.

Before, ``cache-inplace block=A buffer=A scope=local``::

    tir.for %i in 16 {
      tir.block "A" (spatial %v_i in 16 = %i) do { %A[%v_i] = %A[%v_i] * 2 }

After::

    %A_local = tir.alloc "A_local" : memref<16xf32, "local">
    tir.for %ax0 in 16 {
      tir.block "A_local" (spatial %v0 in 16 = %ax0) do { %A_local[%v0] = %A[%v0] }
    }
    tir.for %i in 16 {
      tir.block "A" (spatial %v_i in 16 = %i) do { %A_local[%v_i] = %A_local[%v_i] * 2 }
    }
    tir.for %ax0 in 16 {
      tir.block "A_local_back" (spatial %v0 in 16 = %ax0) do { %A[%v0] = %A_local[%v0] }
    }

The first copy covers the bounding box of the block's accesses, the second one the bounding box of
its writes; elements without writes retain their values. Both are as far out as is legal. The new
buffer has the shape of the old one, so indices do not change.

*Legal when*

1. KC3300, KC3303: the block reads the buffer, and only loads and stores (also of parts,
   ``tir.view``) and calls with parts of it use it; users of parts keep the buffer.
2. KC3601: the block also writes the buffer.
3. KC3301: the target has the scope. A scope without benefit there gets a warning (KC3302).
4. KC3307: no other access reads an element that the block has written before it is written back, or
   writes a copied element.
5. KC3310: there is a place for the copies outside vectorized loops.
6. KC3619: the copies are not in a loop of a reduction that may be empty.
7. KC3408, KC3409: threads with separate copies exchange no values in them, and the place is in all
   loops of a kernel over thread blocks.

TVM: ``cache_inplace``. Exo: ``stage_mem``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.ir import SSAValue

from kc.analysis.accesses.regions import buffers_read, buffers_written
from kc.analysis.loop_tree import buffer_name
from kc.dialects.tir import BlockOp
from kc.transforms.schedule._buffers import BufferRef, legal_caches
from kc.transforms.schedule.base import BlockRef, Gives, Primitive, Rewritten, Site
from kc.transforms.schedule.caching._cached_updates import plan_update
from kc.transforms.schedule.caching._caching import (
    NEW_SCOPE,
    READ_BUFFER,
    Caching,
    cached_buffer,
    choices,
)


@dataclass(frozen=True)
class CacheInplace(Primitive):
    """Update a copy of a buffer, and write it back afterwards."""

    name: ClassVar[str] = "cache-inplace"
    gives: ClassVar[Gives] = "blocks"

    block: BlockRef = field(metadata={"help": "the block that reads and writes the buffer"})
    buffer: BufferRef = field(metadata=READ_BUFFER)
    scope: str = field(
        default="global",
        metadata=NEW_SCOPE,
    )

    def check(self, site: Site) -> Caching:
        block, buffer = cached_buffer(site, self.block, self.buffer, self.scope, "reads")
        if buffer not in buffers_written(block):
            name = buffer_name(buffer)
            raise site.refuse(
                "KC3601",
                f"block {block.label} does not write {name}",
                at=block,
                why="an unchanged copy need not be written back",
                hints=[*_reads(site, block, buffer), *_updates(block)],
            )
        return plan_update(site, block, buffer, self.scope)

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for choice in choices(site, _updated):
            yield cls(*choice)

    def rewrite(self, site: Site, plan: Caching) -> Rewritten:
        return plan.build(site, self.scope)


def _reads(site: Site, block: BlockOp, buffer: SSAValue) -> list[str]:
    legal = legal_caches(site, block, buffer, ["cache_read"])
    return [f"{cache} of {buffer_name(buffer)}" for cache in legal]


def _updated(block: BlockOp) -> list[SSAValue]:
    written = buffers_written(block)
    return [buffer for buffer in buffers_read(block) if buffer in written]


def _updates(block: BlockOp) -> list[str]:
    return [f"buffer={buffer_name(buffer)}" for buffer in _updated(block)]
