"""write_at: elements that a loop iteration writes are collected in a new buffer, and copied at its
end.

Before, ``write-at loop=i block=C buffer=C scope=local``::

    tir.for %i in 4 {
      tir.for %k in 8 {
        tir.block "C" (spatial %v_i in 4 = %i, reduce %v_k in 8 = %k) init { %C[%v_i] = 0 }
            do { %C[%v_i] += ... }

After::

    tir.for %i in 4 {
      %C_local = tir.alloc "C_local" : memref<4xf32, "local">
      tir.for %k in 8 {
        tir.block "C" (spatial %v_i in 4 = %i, reduce %v_k in 8 = %k) init { %C_local[%v_i] = 0 }
            do { %C_local[%v_i] += ... }
      }
      tir.for %ax0 in 1 {
        tir.block "C_local" (spatial %v0 in 4 = %i) annotations {auto_copy = 1}
            do { %C[%v0] = %C_local[%v0] }
      }

The block uses a new buffer for its writes, and for reads of these. The bounding box of its writes
in one iteration is copied back after it. The copy's block is annotated ``auto_copy``: its loops may
be chosen for the target. The new buffer has the shape of the old one, so indices do not change.

*Legal when*

1. KC3300, KC3303: the block writes the buffer, and only loads and stores (also of parts,
   ``tir.view``) and calls with parts of it use it; users of parts keep the buffer.
2. KC3301: the target has the scope. A scope without benefit there gets a warning (KC3302).
3. KC3602: the loop is around the block.
4. KC3603: the buffer already exists in the loop.
5. KC3306: the block writes all of the box.
6. KC3307: no other operation accesses these elements between the block and the copy.
7. KC3308: each read of the buffer by the block itself either always or never returns its own
   earlier writes of the iteration; in the first case it reads the new buffer.
8. KC3211: neither the loop nor a loop around it is vectorized.
9. KC3619: neither the loop nor a loop around it is a loop of a reduction that may be empty.
10. KC3408, KC3409: threads with separate copies exchange no values in them, and the loop is in all
    loops of a kernel over thread blocks.

TVM: ``write_at``. Exo: ``stage_mem``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from xdsl.ir import SSAValue

from kc.analysis.accesses.regions import buffers_written
from kc.dialects.tir import BlockOp, ForOp
from kc.transforms.schedule._buffers import BufferRef
from kc.transforms.schedule.base import BlockRef, Site
from kc.transforms.schedule.caching._cache_at_loop import CacheAtLoop, place_in_loop
from kc.transforms.schedule.caching._cached_writes import CachedWrites
from kc.transforms.schedule.caching._caching import WRITTEN_BUFFER, Caching


@dataclass(frozen=True)
class WriteAt(CacheAtLoop):
    """Write to a new buffer in an iteration of a loop, and copy it back at its end."""

    name: ClassVar[str] = "write-at"
    access = "writes"
    buffers = staticmethod(buffers_written)

    block: BlockRef = field(metadata={"help": "the block that writes the buffer"})
    buffer: BufferRef = field(default=BufferRef(0), metadata=WRITTEN_BUFFER)

    def plan_at(self, site: Site, block: BlockOp, buffer: SSAValue, loop: ForOp) -> Caching:
        writes = CachedWrites(site, block, buffer, self.scope)
        place = place_in_loop(site, block, buffer, loop, [block], writes.objection)
        return writes.caching(place)
