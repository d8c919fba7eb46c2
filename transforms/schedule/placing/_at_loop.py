"""Shared by compute_at and reverse_compute_at: a loop around neighbours, and a place in it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.ir import Operation

from kc.analysis import loop_tree
from kc.dialects.tir import AllocOp, BlockOp, ForOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.schedule.base import BlockRef, LoopRef, Primitive, Rewritten, Site, suggests
from kc.transforms.schedule.placing._placing import Placing, build, went
from kc.transforms.schedule.threads._thread_grid import require_place_in_grid, warn_of_global


@dataclass(frozen=True)
class Plan:
    """The new place of the block, and the buffers that move with it."""

    loop: ForOp
    placing: Placing
    allocs: Sequence[AllocOp] = ()


@dataclass(frozen=True)
class AtLoop(Primitive):
    """A primitive that computes a block inside a loop of its neighbours."""

    neighbours: ClassVar[Callable[[BlockOp], Sequence[BlockOp]]]
    """The blocks whose loops are possible places."""
    about_the_loop: ClassVar[tuple[str, ...]]
    """The codes of the refusals after which another loop may be legal."""
    repeats: ClassVar[bool]
    """True if each iteration of the loop computes all elements that it needs."""

    block: BlockRef = field(metadata={"help": "the block to move"})
    loop: LoopRef = field(metadata={"help": "a loop around its neighbours"})
    preserve_unit_loops: bool = field(
        default=False, metadata={"help": "keep loops of one iteration"}
    )
    index: int = field(default=-1, metadata={"help": "the position in the loop"})

    def check(self, site: Site) -> Plan:
        block = site.resolve_block(self.block)
        try:
            return self._check_all(site, block)
        except ScheduleError as error:
            if suggests() and error.code in self.about_the_loop and not error.hints:
                error.hints = self._legal_loops(site, block)
            raise

    def _check_all(self, site: Site, block: BlockOp) -> Plan:
        plan = self.check_block(site, block)
        require_place_in_grid(site, block, plan.loop, is_repeated=self.repeats)
        return plan

    @abstractmethod
    def check_block(self, site: Site, block: BlockOp) -> Plan:
        """The plan of :meth:`check`, without hints that need :meth:`candidates`."""

    def require_outside(
        self, site: Site, block: BlockOp, loop: ForOp, hints: Sequence[str] = ()
    ) -> None:
        """Refuse (KC3213) a loop around the block."""
        if loop_tree.is_inside(block, loop):
            raise site.refuse(
                "KC3213",
                f"block {block.label} is already in loop {loop.label}",
                at=block,
                mark={loop: "the loop", block: "the block"},
                why="a block can only be moved into a loop that does not contain it",
                hints=hints,
            )

    def child(
        self,
        site: Site,
        loop: ForOp,
        near: Sequence[Operation],
        *,
        before: bool,
    ) -> Operation:
        """The child of ``loop`` at the new place.

        The block goes before the first child that contains an operation of ``near``, or after the
        last one. Refuses (KC3215) an index that is out of range.
        """
        children = [op for op in loop.body.block.ops if loop_tree.has_work(op)]
        holds = [
            n
            for n, op in enumerate(children)
            if any(loop_tree.is_inside(neighbour, op) for neighbour in near)
        ]
        bound = holds[0] if before else holds[-1]
        first, last = (0, bound) if before else (bound, len(children) - 1)
        place = {-1: last, -2: first}.get(self.index, self.index)
        if first <= place <= last:
            return children[place]
        what = "first consumer" if before else "last producer"
        raise site.refuse(
            "KC3215",
            f"index {self.index} in loop {loop.label}",
            at=children[bound],
            mark={loop: "the loop", children[bound]: f"child {bound}, the {what}"},
            why=f"the block must come {'before' if before else 'after'} its {what}: "
            f"{first} to {last}, -1 or -2",
            hints=["index=-1", f"index={bound}"],
        )

    def _legal_loops(self, site: Site, block: BlockOp) -> tuple[str, ...]:
        legal: list[str] = []
        for choice in self._choices(block):
            try:
                choice._check_all(site, block)
            except ScheduleError:
                continue
            legal.append(str(choice.loop))
        if legal:
            return (f"legal: loop={' or loop='.join(legal)}",)
        return ("it is not legal at any loop",)

    @classmethod
    def _choices(cls, block: BlockOp) -> Iterator[Self]:
        around = (loop for near in cls.neighbours(block) for loop in loop_tree.loops_around(near))
        for loop in dict.fromkeys(around):
            if not loop_tree.is_inside(block, loop):
                yield cls(BlockRef(block), LoopRef(loop))

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for block in loop_tree.blocks(site.function):
            yield from cls._choices(block)

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        warn_of_global(site, plan.allocs, plan.loop)
        loops = build(
            site, plan.placing, plan.loop, plan.allocs, unit_loops=self.preserve_unit_loops
        )
        removed: dict[Operation, str] = {
            loop: went(loop, plan.placing) for loop in plan.placing.loose
        }
        return Rewritten(tuple(loops), removed=removed)
