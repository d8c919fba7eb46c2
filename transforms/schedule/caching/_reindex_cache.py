"""The base of ``reindex_cache_read`` and ``reindex_cache_write``: a block accesses a buffer through
a new buffer, whose layout is chosen by an index map.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from kc.analysis.loop_tree import buffer_name
from kc.dialects.tir import BlockOp, IterType
from kc.transforms.schedule._buffers import BufferRef
from kc.transforms.schedule._index_map import IndexMap
from kc.transforms.schedule.base import BlockRef, Gives, Primitive, Rewritten, Site
from kc.transforms.schedule.caching._caching import NEW_SCOPE, cached_buffer, choices
from kc.transforms.schedule.caching._reindexing import Reindexing, plan_reindexing


@dataclass(frozen=True)
class ReindexCache(Primitive):
    """A primitive that moves the accesses of a block to a new buffer in a chosen layout."""

    gives: ClassVar[Gives] = "block"
    access: ClassVar[Literal["reads", "writes"]]
    """The kind of accesses that are redirected."""
    buffers: ClassVar[Callable[[BlockOp], Sequence[SSAValue]]]
    """The buffers of a block that have such accesses."""
    mapped: ClassVar[frozenset[IterType]]
    """The types of the variables that have a dimension in :meth:`candidates`."""

    block: BlockRef
    buffer: BufferRef
    scope: str = field(metadata=NEW_SCOPE)
    index_map: IndexMap = field(
        metadata={"help": "from the block's variables to the new index: (i, j, k)->(k, i)"}
    )

    def check(self, site: Site) -> Reindexing:
        block, buffer = cached_buffer(site, self.block, self.buffer, self.scope, self.access)
        return plan_reindexing(
            site,
            block,
            buffer,
            self.index_map,
            f"{buffer_name(buffer)}_{self.scope.replace('.', '_')}",
            self.scope,
            is_read=self.access == "reads",
        )

    @classmethod
    def indices(cls, site: Site, options: Mapping[str, Any]) -> int:
        return len(site.resolve_block(options["block"]).types)

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        """The transposed layout: the mapped variables of the block, in reverse order."""
        for block, buffer, scope in choices(site, cls.buffers):
            assert isinstance(block.target, BlockOp)
            mapped = [n for n, kind in enumerate(block.target.types) if kind in cls.mapped]
            results = tuple(AffineExpr.dimension(n) for n in reversed(mapped))
            yield cls(block, buffer, scope, IndexMap(tuple(block.target.names), results))

    def rewrite(self, site: Site, plan: Reindexing) -> Rewritten:
        return plan.build(site, self.scope)
