"""read_at: elements that a loop iteration reads are copied at its start, and read from the copy.

Before, ``read-at loop=i_o block=C buffer=A scope=local``::

    tir.for %i_o in 4 {
      tir.for %i_i in 8 {
        tir.block "C" (spatial %v_i in 32 = %i_o * 8 + %i_i) do { reads %A[%v_i + 1] }

After::

    tir.for %i_o in 4 {
      %A_local = tir.alloc "A_local" : memref<40xf32, "local">
      tir.for %ax0 in 8 {
        tir.block "A_local" (spatial %v0 in 40 = %i_o * 8 + %ax0 + 1) annotations {auto_copy = 1}
            do { %A_local[%v0] = %A[%v0] }
      }
      tir.for %i_i in 8 {
        tir.block "C" (spatial %v_i in 32 = %i_o * 8 + %i_i) do { reads %A_local[%v_i + 1] }

All blocks in the loop that read the buffer without writing it then read the copy. The copy precedes
the first of them and covers the bounding box of their reads in one iteration. Its block is
annotated ``auto_copy``: its loops may be chosen for the target. The new buffer has the shape of the
old one, so indices do not change.

*Legal when*

1. KC3300, KC3303: the block reads the buffer, and only loads and stores (also of parts,
   ``tir.view``) and calls with parts of it use it; users of parts keep the buffer.
2. KC3301: the target has the scope. A scope without benefit there gets a warning (KC3302).
3. KC3602: the loop is around the block.
4. KC3603: the buffer already exists in the loop.
5. KC3305: no element is written between the copy and the reads.
6. KC3211: neither the loop nor a loop around it is vectorized.
7. KC3408, KC3409: if the copy is global, or thread blocks write its source, it is in all of the
   kernel's loops over blocks.
8. KC3619: if the initial value of a reduction that may be empty is computed from the buffer,
   neither the loop nor a loop around it is a loop of that reduction.

TVM: ``read_at``. Halide: ``in().compute_at``. Exo: ``stage_mem``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from xdsl.ir import SSAValue

from kc.analysis import loop_tree
from kc.analysis.accesses.regions import buffers_read
from kc.dialects.tir import BlockOp, ForOp
from kc.transforms.schedule._buffers import BufferRef
from kc.transforms.schedule.base import BlockRef, Site
from kc.transforms.schedule.caching._cache_at_loop import CacheAtLoop, place_in_loop
from kc.transforms.schedule.caching._cached_reads import CachedReads, all_readers
from kc.transforms.schedule.caching._caching import READ_BUFFER, Caching


@dataclass(frozen=True)
class ReadAt(CacheAtLoop):
    """Copy the part of a buffer that an iteration of a loop reads, and read it from the copy."""

    name: ClassVar[str] = "read-at"
    access = "reads"
    buffers = staticmethod(buffers_read)

    block: BlockRef = field(metadata={"help": "a block that reads the buffer"})
    buffer: BufferRef = field(metadata=READ_BUFFER)

    def plan_at(self, site: Site, block: BlockOp, buffer: SSAValue, loop: ForOp) -> Caching:
        readers = [
            reader for reader in all_readers(block, buffer) if loop_tree.is_inside(reader, loop)
        ]
        reads = CachedReads(site, block, buffer, self.scope, readers)
        place = place_in_loop(site, block, buffer, loop, readers, reads.objection)
        return reads.caching(place)
