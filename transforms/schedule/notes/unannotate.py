"""unannotate: an annotation is removed from a loop or a block.

Before, ``unannotate loop=i key=tune.unroll``::

    tir.for %i in 64 annotations {tune.unroll = 16 : i64} { ... }

After::

    tir.for %i in 64 { ... }

*Legal when*

1. KC3342: a loop or a block is named.
2. KC3341: it has the annotation.

TVM: ``unannotate``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from kc.analysis import loop_tree
from kc.support.diagnostics import suggest
from kc.transforms.schedule._blocks import describe
from kc.transforms.schedule.base import BlockRef, LoopRef, Primitive, Rewritten, Site
from kc.transforms.schedule.notes._annotations import (
    Annotated,
    annotations_of,
    find_annotated,
    set_annotations,
)


@dataclass(frozen=True)
class Unannotate(Primitive):
    """Remove an annotation from a loop or a block."""

    name: ClassVar[str] = "unannotate"
    within_nest: ClassVar[bool] = True

    key: str = field(metadata={"help": "the name of the annotation", "python": "ann_key"})
    loop: LoopRef | None = field(
        default=None, metadata={"help": "the annotated loop", "python": "block_or_loop"}
    )
    block: BlockRef | None = field(
        default=None,
        metadata={
            "help": "the annotated block, or a block in the loop",
            "python": "block_or_loop",
        },
    )

    def check(self, site: Site) -> Annotated:
        op = find_annotated(site, self.loop, self.block)
        keys = annotations_of(op)
        if self.key not in keys:
            raise site.refuse(
                "KC3341",
                f"{describe(op)} has no annotation '{self.key}'",
                at=op,
                why=None if keys else "it has none at all",
                hints=suggest(self.key, keys, "its annotations are"),
            )
        return op

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for loop in loop_tree.loops(site.function):
            for key in annotations_of(loop):
                yield cls(key, loop=LoopRef(loop))
        for block in loop_tree.blocks(site.function):
            for key in annotations_of(block):
                yield cls(key, block=BlockRef(block))

    def rewrite(self, site: Site, plan: Annotated) -> Rewritten:
        rest = annotations_of(plan)
        del rest[self.key]
        set_annotations(plan, rest)
        return Rewritten()
