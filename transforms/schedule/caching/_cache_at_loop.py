"""The base of ``read_at`` and ``write_at``: a cache of the elements that an iteration of a loop
accesses.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, Self

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Operation, SSAValue

from kc.analysis import loop_tree
from kc.analysis.loop_tree import buffer_name
from kc.dialects.tir import BlockOp, ForOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.known_values import is_available
from kc.transforms.schedule._buffers import BufferRef
from kc.transforms.schedule._copies import first_of
from kc.transforms.schedule._nests import loop_around
from kc.transforms.schedule.base import BlockRef, Gives, LoopRef, Primitive, Rewritten, Site
from kc.transforms.schedule.caching._caching import (
    NEW_SCOPE,
    Caching,
    Objection,
    Place,
    cached_buffer,
    choices,
)
from kc.transforms.schedule.placing._placing import require_scalar_place

AUTO_COPY = {"auto_copy": IntegerAttr(1, i64)}
"""The annotation of copies whose loops may be chosen for the target."""


@dataclass(frozen=True)
class CacheAtLoop(Primitive):
    """A primitive that copies the elements of a buffer that an iteration of a loop accesses."""

    gives: ClassVar[Gives] = "block"
    access: ClassVar[Literal["reads", "writes"]]
    """The kind of accesses that are redirected to the copy."""
    buffers: ClassVar[Callable[[BlockOp], Sequence[SSAValue]]]
    """The buffers of a block that have such accesses."""

    loop: LoopRef = field(metadata={"help": "a loop around the block"})
    block: BlockRef
    buffer: BufferRef
    scope: str = field(default="global", metadata=NEW_SCOPE)

    def check(self, site: Site) -> Caching:
        block, buffer = cached_buffer(site, self.block, self.buffer, self.scope, self.access)
        why = "each iteration of the loop gets a copy of the elements that the block accesses in it"
        loop = loop_around(site, self.loop, block, why)
        try:
            return self.plan_at(site, block, buffer, loop)
        except ScheduleError as error:
            legal = [
                around.label
                for around in loop_tree.loops_around(block)
                if self._is_legal(site, block, buffer, around)
            ]
            if legal:
                error.hints = (*error.hints, f"legal: loop={' or loop='.join(legal)}")
            elif not error.hints:
                error.hints = ("it is not legal in any loop",)
            raise

    def _is_legal(self, site: Site, block: BlockOp, buffer: SSAValue, loop: ForOp) -> bool:
        try:
            self.plan_at(site, block, buffer, loop)
        except ScheduleError:
            return False
        return True

    @abstractmethod
    def plan_at(self, site: Site, block: BlockOp, buffer: SSAValue, loop: ForOp) -> Caching:
        """The plan of :meth:`check` for ``loop``, which is around the block."""

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for block, buffer, scope in choices(site, cls.buffers):
            assert isinstance(block.target, BlockOp)
            for loop in loop_tree.loops_around(block.target):
                yield cls(LoopRef(loop), block, buffer, scope)

    def rewrite(self, site: Site, plan: Caching) -> Rewritten:
        return plan.build(site, self.scope, AUTO_COPY)


def place_in_loop(
    site: Site,
    block: BlockOp,
    buffer: SSAValue,
    loop: ForOp,
    users: Sequence[Operation],
    objection: Objection,
) -> Place:
    """The place of ``users`` in ``loop``. Raises the refusal of the place, or refuses KC3211 or
    KC3603.
    """
    require_scalar_place(site, f"copy of {buffer_name(buffer)}", loop)
    level = loop.body.block
    place = Place(level, first_of(level, users))
    if not is_available(buffer, place.anchor):
        name = buffer_name(buffer)
        raise site.refuse(
            "KC3603",
            f"{name} of block {block.label} does not exist yet in loop {loop.label}",
            at=block,
            mark={loop: "the loop", block: "the block"},
            why=f"{name} is allocated further inside",
        )
    refusal = objection(place)
    if refusal is not None:
        raise refusal
    return place
