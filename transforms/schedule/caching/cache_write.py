"""cache_write: a block computes into a new buffer, which is copied to the old one afterwards.

Before, ``cache-write block=C buffer=C scope=local``::

    tir.for %i in 16 {
      tir.for %k in 8 {
        tir.block "C" (spatial %v_i in 16 = %i, reduce %v_k in 8 = %k) init { %C[%v_i] = 0 }
            do { %C[%v_i] += ... }

After::

    %C_local = tir.alloc "C_local" : memref<16xf32, "local">
    tir.for %i in 16 {
      tir.for %k in 8 {
        tir.block "C" (spatial %v_i in 16 = %i, reduce %v_k in 8 = %k) init { %C_local[%v_i] = 0 }
            do { %C_local[%v_i] += ... }
    tir.for %ax0 in 16 {
      tir.block "C_local" (spatial %v0 in 16 = %ax0) do { %C[%v0] = %C_local[%v0] }
    }

The init of a reduction and its updates use the new buffer. With several written buffers, only the
named one is cached. ``consumers`` are blocks that then read the new buffer; all others read the old
one. The copy follows the block, as far out as no other access observes the later write to the old
buffer; it covers the bounding box of the block's writes. The new buffer has the shape of the old
one, so indices do not change. Other blocks may also write the buffer.

*Legal when*

1. KC3300, KC3303: the block writes the buffer, and only loads and stores (also of parts,
   ``tir.view``) and calls with parts of it use it; users of parts keep the buffer.
2. KC3301: the target has the scope. A scope without benefit there gets a warning (KC3302).
3. KC3306: the block writes all of the box.
4. KC3307: no other operation accesses these elements between the block and the copy.
5. KC3308: each read of the buffer by the block itself either always or never returns its own
   earlier writes; in the first case it reads the new buffer.
6. KC3304, KC3600: the consumers are blocks of the same scope, and read only elements that the block
   was the last to write.
7. KC3310: there is a place for the copy outside vectorized loops.
8. KC3408, KC3409: threads with separate copies exchange no values in them, and the place is in all
   loops of a kernel over thread blocks.

TVM: ``cache_write`` (of buffers with exactly one writer). Halide: an intermediate ``Func``. Exo:
``stage_mem``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.ir import Operation, SSAValue

from kc.analysis.accesses.regions import buffers_read, buffers_written, readers, scope_of
from kc.analysis.loop_tree import buffer_name
from kc.dialects.tir import BlockOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.schedule._buffers import BufferRef
from kc.transforms.schedule.base import BlockRef, Gives, Primitive, Rewritten, Site
from kc.transforms.schedule.caching._cached_updates import plan_update
from kc.transforms.schedule.caching._cached_writes import CachedWrites
from kc.transforms.schedule.caching._caching import (
    NEW_SCOPE,
    WRITTEN_BUFFER,
    Caching,
    cached_buffer,
    choices,
    consumers_of,
    outermost_place,
)


@dataclass(frozen=True)
class CacheWrite(Primitive):
    """Compute into a new buffer, and copy it to the old one afterwards."""

    name: ClassVar[str] = "cache-write"
    gives: ClassVar[Gives] = "block"

    block: BlockRef = field(metadata={"help": "the block that writes the buffer"})
    buffer: BufferRef = field(
        default=BufferRef(0),
        metadata=WRITTEN_BUFFER,
    )
    scope: str = field(
        default="global",
        metadata=NEW_SCOPE,
    )
    consumers: tuple[BlockRef, ...] = field(
        default=(),
        metadata={
            "help": "the blocks that read the new buffer (default: none)",
            "python": "consumer_blocks",
        },
    )

    def check(self, site: Site) -> Caching:
        block, buffer = cached_buffer(site, self.block, self.buffer, self.scope, "writes")
        consumers = consumers_of(site, block, buffer, self.consumers)
        try:
            return _plan(site, block, buffer, self.scope, consumers)
        except ScheduleError as error:
            if error.code == "KC3600":
                error.hints = _legal_consumers(site, block, buffer, self.scope, consumers)
            elif error.code in ("KC3306", "KC3308") and not consumers:
                error.hints = (*error.hints, *_inplace(site, block, buffer, self.scope))
            raise

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for block, buffer, scope in choices(site, buffers_written):
            yield cls(block, buffer, scope)
            assert isinstance(block.target, BlockOp)
            assert isinstance(buffer.target, SSAValue)
            for reader in readers(buffer.target, scope_of(block.target)):
                if isinstance(reader, BlockOp) and reader is not block.target:
                    yield cls(block, buffer, scope, (BlockRef(reader),))

    def rewrite(self, site: Site, plan: Caching) -> Rewritten:
        return plan.build(site, self.scope)


def _plan(
    site: Site, block: BlockOp, buffer: SSAValue, scope: str, consumers: Sequence[Operation]
) -> Caching:
    writes = CachedWrites(site, block, buffer, scope, consumers)
    place = outermost_place(site, block, buffer, [block], writes.objection, consumers)
    return writes.caching(place)


def _is_legal(
    site: Site, block: BlockOp, buffer: SSAValue, scope: str, consumers: Sequence[Operation]
) -> bool:
    try:
        _plan(site, block, buffer, scope, consumers)
    except ScheduleError:
        return False
    return True


def _legal_consumers(
    site: Site, block: BlockOp, buffer: SSAValue, scope: str, consumers: Sequence[Operation]
) -> tuple[str, ...]:
    """The members of ``consumers`` that may read the new buffer, as an option."""
    legal = [
        consumer for consumer in consumers if _is_legal(site, block, buffer, scope, [consumer])
    ]
    if not legal or not _is_legal(site, block, buffer, scope, legal):
        return ()
    return (
        "consumers="
        + ",".join(consumer.label for consumer in legal if isinstance(consumer, BlockOp)),
    )


def _inplace(site: Site, block: BlockOp, buffer: SSAValue, scope: str) -> list[str]:
    """The hint that the block can update a copy, if this is legal."""
    if buffer not in buffers_read(block):
        return []
    try:
        plan_update(site, block, buffer, scope)
    except ScheduleError:
        return []
    return [f"cache_inplace of {buffer_name(buffer)}, which first copies its old values"]
