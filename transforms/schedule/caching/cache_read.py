"""cache_read: elements that blocks read are first copied to a new buffer, and read from it.

Before, ``cache-read block=C buffer=A scope=local``::

    tir.for %i in 16 {
      tir.block "C" (spatial %v_i in 16 = %i) do { reads %A[%v_i + 1] }

After::

    %A_local = tir.alloc "A_local" : memref<20xf32, "local">
    tir.for %ax0 in 16 {
      tir.block "A_local" (spatial %v0 in 20 = %ax0 + 1) do { %A_local[%v0] = %A[%v0] }
    }
    tir.for %i in 16 {
      tir.block "C" (spatial %v_i in 16 = %i) do { reads %A_local[%v_i + 1] }

All blocks of the scope that read the buffer without writing it then read the copy; ``consumers``
selects some of them. The buffer may be an argument, and have any number of writers. The copy
precedes its first reader, as far out as the buffer does not change in between. It covers the
bounding box of all reads. The new buffer has the shape of the old one, so indices do not change
(``compact-buffer-allocation`` shrinks it to the used part).

*Legal when*

1. KC3300, KC3303: the block reads the buffer, and only loads, stores and calls with parts of it
   (``tir.view``) use it.
2. KC3301: the target has the scope. A scope without benefit there gets a warning (KC3302).
3. KC3304: the consumers are blocks of one scope, and read the buffer.
4. KC3305: there is a place after which no element is written before it is read.
5. KC3310: this place is not in a vectorized loop.
6. KC3408, KC3409: if the copy is global, or thread blocks write its source, it is in all of the
   kernel's loops over blocks.

TVM: ``cache_read`` (of buffers with at most one writer). Halide: ``in().compute_at``. Exo:
``stage_mem``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.ir import Operation, SSAValue

from kc.analysis.accesses.regions import buffers_read
from kc.dialects.tir import BlockOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.schedule._buffers import BufferRef
from kc.transforms.schedule.base import BlockRef, Gives, Primitive, Rewritten, Site
from kc.transforms.schedule.caching._cached_reads import CachedReads, all_readers
from kc.transforms.schedule.caching._caching import (
    NEW_SCOPE,
    READ_BUFFER,
    Caching,
    cached_buffer,
    choices,
    consumers_of,
    outermost_place,
)


@dataclass(frozen=True)
class CacheRead(Primitive):
    """Copy the parts of a buffer that blocks read into a new buffer, and read them from it."""

    name: ClassVar[str] = "cache-read"
    gives: ClassVar[Gives] = "block"

    block: BlockRef = field(metadata={"help": "a block that reads the buffer"})
    buffer: BufferRef = field(metadata=READ_BUFFER)
    scope: str = field(
        default="global",
        metadata=NEW_SCOPE,
    )
    consumers: tuple[BlockRef, ...] = field(
        default=(),
        metadata={
            "help": "the blocks that read the copy (default: all)",
            "python": "consumer_blocks",
        },
    )

    def check(self, site: Site) -> Caching:
        block, buffer = cached_buffer(site, self.block, self.buffer, self.scope, "reads")
        readers = (
            consumers_of(site, block, buffer, self.consumers)
            if self.consumers
            else all_readers(block, buffer)
        )
        try:
            return _plan(site, block, buffer, self.scope, readers)
        except ScheduleError as error:
            if error.code == "KC3305" and len(readers) > 1:
                error.hints = _legal_consumers(site, block, buffer, self.scope, readers)
            raise

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for block, buffer, scope in choices(site, buffers_read):
            yield cls(block, buffer, scope)
            assert isinstance(block.target, BlockOp)
            assert isinstance(buffer.target, SSAValue)
            if len(all_readers(block.target, buffer.target)) > 1:
                yield cls(block, buffer, scope, (block,))

    def stays_within(self, site: Site) -> bool:
        """True with ``consumers``: only these blocks change, not the buffer and its other
        readers.
        """
        return bool(self.consumers)

    def rewrite(self, site: Site, plan: Caching) -> Rewritten:
        return plan.build(site, self.scope)


def _plan(
    site: Site, block: BlockOp, buffer: SSAValue, scope: str, readers: Sequence[Operation]
) -> Caching:
    reads = CachedReads(site, block, buffer, scope, readers)
    place = outermost_place(site, block, buffer, readers, reads.objection)
    return reads.caching(place)


def _legal_consumers(
    site: Site, block: BlockOp, buffer: SSAValue, scope: str, readers: Sequence[Operation]
) -> tuple[str, ...]:
    """The blocks that could each read a separate copy, as options."""
    options: list[str] = []
    for reader in readers:
        if isinstance(reader, BlockOp):
            try:
                _plan(site, block, buffer, scope, [reader])
            except ScheduleError:
                continue
            options.append(f"consumers={reader.label}")
    return tuple(options[:2])
