"""reindex: a block accesses a buffer through a new buffer, which is indexed by the block's
variables.

Before, ``reindex block=C buffer=read:0``, of a convolution::

    tir.for %i in 14 {
      tir.for %k in 3 {
        tir.block "C" (spatial %v_i in 14 = %i, reduce %v_k in 3 = %k) ... do {
          %x = tir.load %X[%v_i + %v_k] : memref<16xf32>

After::

    %X_reindex = tir.alloc "X_reindex" : memref<14x3xf32>
    tir.for %ax0 in 14 {
      tir.for %ax1 in 3 {
        tir.block "X_reindex" (spatial %v0 in 14 = %ax0, spatial %v1 in 3 = %ax1) do {
          %value = tir.load %X[%v0 + %v1]
          tir.store %value, %X_reindex[%v0, %v1]
    tir.for %i in 14 {
      tir.for %k in 3 {
        tir.block "C" (spatial %v_i in 14 = %i, reduce %v_k in 3 = %k) ... do {
          %x = tir.load %X_reindex[%v_i, %v_k] : memref<14x3xf32>

The new buffer has a dimension for each variable on which the index depends. The block thus accesses
buffers in the layout that a tensor intrinsic needs, independently of the buffers' own layout. A
block that writes the buffer writes the new one, which is copied back afterwards. The copy is as far
out as the values allow, and covers the part needed there.

*Legal when*

1. KC3300, KC3303, KC3504: the block uses the buffer, and only loads and stores of single elements
   use it.
2. KC3530: the block reads (or writes) it at one index, a function of the block's variables.
3. For reads, KC3305: no element changes between the copy and the block. For writes, KC3306 to
   KC3308: all elements of the copy are written, and no other access reads them before the copy
   back.
4. KC3531: no two values of the variables write one element.
5. KC3310, KC3532: there is a place for the copy where the extents of the variables are available.
6. KC3408, KC3409: as for ``cache_read`` and ``cache_write``, among threads.

TVM: ``reindex`` (of a buffer that one block accesses, once). Halide: ``in`` with
``reorder_storage``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from kc.analysis import loop_tree
from kc.analysis.accesses.regions import buffers_read, buffers_written
from kc.analysis.loop_tree import buffer_name, memory_scope
from kc.transforms.schedule._buffers import BufferRef, find_buffer, require_plain_uses
from kc.transforms.schedule.base import BlockRef, Gives, Primitive, Rewritten, Site
from kc.transforms.schedule.caching._reindexing import Reindexing, plan_reindexing
from kc.transforms.schedule.threads._thread_values import require_copies_apart


@dataclass(frozen=True)
class Reindex(Primitive):
    """Redirect accesses of a block to a new buffer that its variables index."""

    name: ClassVar[str] = "reindex"
    gives: ClassVar[Gives] = "block"

    block: BlockRef = field(metadata={"help": "the block"})
    buffer: BufferRef = field(
        metadata={"help": "the buffer: its name, or read:N, write:N or N for the N-th written"}
    )

    def check(self, site: Site) -> Reindexing:
        block = site.resolve_block(self.block)
        buffer = find_buffer(site, block, self.buffer, "uses")
        require_plain_uses(site, block, buffer)
        is_read = self.buffer.side == "read" or buffer not in buffers_written(block)
        require_copies_apart(site, block, buffer, "global", _scopes(memory_scope(buffer), is_read))
        name = f"{buffer_name(buffer)}_reindex"
        return plan_reindexing(site, block, buffer, None, name, "global", is_read=is_read)

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for block in loop_tree.blocks(site.function):
            for buffer in dict.fromkeys([*buffers_read(block), *buffers_written(block)]):
                yield cls(BlockRef(block), BufferRef(buffer))

    def rewrite(self, site: Site, plan: Reindexing) -> Rewritten:
        return plan.build(site, "global")


def _scopes(scope: str, is_read: bool) -> list[str]:
    """The options that give the new buffer the scope of the old one."""
    return [f"reindex_cache_{'read' if is_read else 'write'} scope={scope}"]
