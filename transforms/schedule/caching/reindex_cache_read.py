"""reindex_cache_read: elements that a block reads are copied to a buffer in a chosen layout.

Before, ``reindex-cache-read block=C buffer=A scope=local index-map=(i, j)->(j, i)``::

    tir.for %i in 4 {
      tir.for %j in 8 {
        tir.block "C" (spatial %v_i in 4 = %i, spatial %v_j in 8 = %j) do {
          %x = tir.load %A[%v_i * 8 + %v_j] : memref<32xf32>

After::

    %A_local = tir.alloc "A_local" : memref<8x4xf32, "local">
    tir.for %ax0 in 4 {
      tir.for %ax1 in 8 {
        tir.block "A_local" (spatial %v0 in 4 = %ax0, spatial %v1 in 8 = %ax1) do {
          %value = tir.load %A[%v0 * 8 + %v1]
          tir.store %value, %A_local[%v1, %v0]
    tir.for %i in 4 {
      tir.for %j in 8 {
        tir.block "C" (spatial %v_i in 4 = %i, spatial %v_j in 8 = %j) do {
          %x = tir.load %A_local[%v_j, %v_i] : memref<8x4xf32, "local">

The map computes the index in the new buffer from all variables of the block; a variable on which no
result depends adds no dimension. The size of the new buffer is its largest indices plus 1. Other
users of the old buffer are unchanged. (``cache_read`` preserves the layout.)

*Legal when*

1. KC3300, KC3303, KC3504: the block reads the buffer, and only loads and stores of single elements
   (also of parts) and calls with parts of it (``tir.view``) use it; users of parts keep the buffer.
   KC3301, KC3302: the target has the scope, and benefits from it.
2. KC3530: the block reads it at one index, a function of the block's variables.
3. KC3305: no element changes between the copy and the block.
4. KC3501, KC3503, KC3531: the map takes as many indices as the block has variables, to indices that
   are at least 0, and identifies the element.
5. KC3310, KC3532: there is a place for the copy where the extents of the variables are available.
6. KC3408, KC3409: as for ``cache_read``, among threads.

TVM: ``reindex_cache_read``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from kc.analysis.accesses.regions import buffers_read
from kc.dialects.tir import IterType
from kc.transforms.schedule._buffers import BufferRef
from kc.transforms.schedule.base import BlockRef
from kc.transforms.schedule.caching._caching import READ_BUFFER
from kc.transforms.schedule.caching._reindex_cache import ReindexCache


@dataclass(frozen=True)
class ReindexCacheRead(ReindexCache):
    """Copy the part of a buffer that a block reads to a new buffer, in a chosen layout."""

    name: ClassVar[str] = "reindex-cache-read"
    access = "reads"
    buffers = staticmethod(buffers_read)
    mapped = frozenset(IterType)

    block: BlockRef = field(metadata={"help": "the block that reads the buffer"})
    buffer: BufferRef = field(metadata=READ_BUFFER)
