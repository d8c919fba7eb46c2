"""reindex_cache_write: a block writes to a new buffer in a chosen layout, which is copied back.

Before, ``reindex-cache-write block=C buffer=C scope=local index-map=(i, j)->(j, i)``::

    tir.for %i in 4 {
      tir.for %j in 8 {
        tir.block "C" (spatial %v_i in 4 = %i, spatial %v_j in 8 = %j) do {
          tir.store %x, %C[%v_i * 8 + %v_j] : memref<32xf32>

After::

    %C_local = tir.alloc "C_local" : memref<8x4xf32, "local">
    tir.for %i in 4 {
      tir.for %j in 8 {
        tir.block "C" (spatial %v_i in 4 = %i, spatial %v_j in 8 = %j) do {
          tir.store %x, %C_local[%v_j, %v_i] : memref<8x4xf32, "local">
    tir.for %ax0 in 4 {
      tir.for %ax1 in 8 {
        tir.block "C_local" (spatial %v0 in 4 = %ax0, spatial %v1 in 8 = %ax1) do {
          %value = tir.load %C_local[%v1, %v0]
          tir.store %value, %C[%v0 * 8 + %v1]

The map computes the index in the new buffer from all variables of the block; a variable on which no
result depends adds no dimension. The size of the new buffer is its largest indices plus 1. Other
users of the old buffer are unchanged. (``cache_write`` preserves the layout.)

*Legal when*

1. KC3300, KC3303, KC3504: the block writes the buffer, and only loads and stores of single elements
   (also of parts) and calls with parts of it (``tir.view``) use it; users of parts keep the buffer.
   KC3301, KC3302: the target has the scope, and benefits from it.
2. KC3530: the block writes it at one index, a function of the block's variables.
3. KC3306, KC3307, KC3308: all elements that are copied back are written, and no other access reads
   them before.
4. KC3501, KC3503, KC3531: the map takes as many indices as the block has variables, to indices that
   are at least 0, and each element of one buffer is one of the other.
5. KC3310, KC3532: there is a place for the copy where the extents of the variables are available.
6. KC3408, KC3409: as for ``cache_write``, among threads.

TVM: ``reindex_cache_write``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from kc.analysis.accesses.regions import buffers_written
from kc.dialects.tir import IterType
from kc.transforms.schedule._buffers import BufferRef
from kc.transforms.schedule.base import BlockRef
from kc.transforms.schedule.caching._caching import WRITTEN_BUFFER
from kc.transforms.schedule.caching._reindex_cache import ReindexCache


@dataclass(frozen=True)
class ReindexCacheWrite(ReindexCache):
    """Write to a new buffer in a chosen layout, and copy it back."""

    name: ClassVar[str] = "reindex-cache-write"
    access = "writes"
    buffers = staticmethod(buffers_written)
    mapped = frozenset(IterType) - {IterType.REDUCE}

    block: BlockRef = field(metadata={"help": "the block that writes the buffer"})
    buffer: BufferRef = field(metadata=WRITTEN_BUFFER)
