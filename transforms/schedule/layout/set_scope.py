"""set_scope: a buffer is put into another memory scope.

Before, ``set-scope block=B buffer=B scope=local``::

    %B = tir.alloc "B" : memref<16xf32>

After::

    %B = tir.alloc "B" : memref<16xf32, "local">

*Legal when*

1. KC3300, KC3303: the block writes the buffer, and only loads and stores use it.
2. KC3301: the target has the scope. A scope without benefit there gets a warning (KC3302).
3. KC3320: the function allocates the buffer; the caller decides where arguments are.
4. KC3408: threads exchange no values in memory that they do not share.
5. KC3415: threads do not overwrite each other's values in a buffer that they would then share.

TVM: ``set_scope``. Halide: ``store_in``. Exo: ``set_memory``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.rewriter import Rewriter

from kc.analysis import loop_tree
from kc.analysis.accesses.regions import buffers_written
from kc.analysis.loop_tree import memory_scope
from kc.dialects.tir import AllocOp, BlockOp
from kc.transforms.schedule._buffers import (
    BufferRef,
    cache_type,
    find_alloc,
    find_buffer,
    require_plain_uses,
    require_scope,
    scopes_of,
    warn_of_scope,
)
from kc.transforms.schedule.base import BlockRef, Primitive, Rewritten, Site
from kc.transforms.schedule.threads._thread_values import require_scope_of_threads


@dataclass(frozen=True)
class Plan:
    """The buffer, and the block that names it."""

    alloc: AllocOp
    block: BlockOp


@dataclass(frozen=True)
class SetScope(Primitive):
    """Put a buffer into another memory scope."""

    name: ClassVar[str] = "set-scope"

    block: BlockRef = field(metadata={"help": "the block that writes the buffer"})
    buffer: BufferRef = field(
        metadata={
            "help": "the buffer: its name, or its position among the written buffers",
            "python": "buffer_index",
            "implied": "0",
        }
    )
    scope: str = field(metadata={"help": "the memory scope", "python": "storage_scope"})

    def check(self, site: Site) -> Plan:
        block = site.resolve_block(self.block)
        buffer = find_buffer(site, block, self.buffer, "writes")
        require_scope(site, self.scope)
        require_plain_uses(site, block, buffer)
        alloc = find_alloc(site, block, buffer)
        require_scope_of_threads(site, alloc, self.scope)
        return Plan(alloc, block)

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for block in loop_tree.blocks(site.function):
            for buffer in buffers_written(block):
                for scope, useless in scopes_of(site.target).items():
                    if not useless and scope != memory_scope(buffer):
                        yield cls(BlockRef(block), BufferRef(buffer), scope)

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        warn_of_scope(site, self.scope, plan.block)
        buffer = plan.alloc.buffer
        Rewriter.replace_value_with_new_type(buffer, cache_type(buffer, self.scope))
        return Rewritten()
