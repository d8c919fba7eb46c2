"""annotate: a loop or a block gets a named value.

Before, ``annotate loop=i key=tune.unroll value=16``::

    tir.for %i in 64 { ... }

After::

    tir.for %i in 64 annotations {tune.unroll = 16 : i64} { ... }

Annotations are for passes and tools that know them; they do not affect the results of the program.
An annotated loop is not restructured (KC3011), so that the annotation is not lost.

*Legal when*

1. KC3342: a loop or a block is named.
2. KC3340: it does not have the key yet, or has it with the same value.
3. KC3343: the value is None, a bool, an integer, a number, a string, or a list or dict of these.

TVM: ``annotate``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from xdsl.ir import Attribute

from kc.transforms.schedule.base import BlockRef, LoopRef, Primitive, Rewritten, Site
from kc.transforms.schedule.notes._annotations import (
    Annotated,
    Value,
    annotations_of,
    find_annotated,
    joined,
    require_new,
    set_annotations,
)


@dataclass(frozen=True)
class Plan:
    """The annotated operation, and the value."""

    op: Annotated
    value: Attribute


@dataclass(frozen=True)
class Annotate(Primitive):
    """Give a loop or a block a named value."""

    name: ClassVar[str] = "annotate"
    within_nest: ClassVar[bool] = True

    key: str = field(metadata={"help": "the name", "python": "ann_key"})
    value: tuple[Value, ...] = field(
        default=(),
        metadata={"help": "the value: a list if there are several", "python": "ann_val"},
    )
    loop: LoopRef | None = field(
        default=None, metadata={"help": "the loop to annotate", "python": "block_or_loop"}
    )
    block: BlockRef | None = field(
        default=None,
        metadata={
            "help": "the block to annotate, or a block in the loop",
            "python": "block_or_loop",
        },
    )

    def check(self, site: Site) -> Plan:
        op = find_annotated(site, self.loop, self.block)
        value = joined(self.value)
        require_new(site, op, self.key, value)
        return Plan(op, value)

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        set_annotations(plan.op, {**annotations_of(plan.op), self.key: plan.value})
        return Rewritten()
