"""Steps that make a random choice: sample_perfect_tile, sample_categorical and similar steps.

The choice is the *decision*. A trace records it, and a step that receives a decision makes the same
choice. The decision in a call must be legal. The decision of a trace that is replayed on another
program is adapted, as in TVM:

* for a tile, the factors that still divide the extent stay, from the innermost one on; the first
  that does not becomes the remaining quotient, and the factors outside it become 1;
* for a place of computation, the nearest legal loop outside the chosen loop is taken, or the root;
* a category that does not exist is refused (KC3731).

Random numbers come from the schedule: the same seed gives the same choices.
"""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from kc.analysis import loop_tree
from kc.analysis.accesses.regions import consumers
from kc.dialects.tir import BlockOp, ForOp, IterType
from kc.support.diagnostics import ScheduleError
from kc.support.registry import pass_class
from kc.transforms.schedule.base import CALL_SITE, BlockRef, LoopRef
from kc.transforms.trace.handles import Mark
from kc.transforms.trace.query import Answer, Query
from kc.transforms.trace.session import Session

ROOT, INLINE = -1, -2
"""The decisions for a place that is not a loop. Decisions for loops are their depths, from the
outermost loop.
"""
MOST_FACTORS = 63
"""The exponent of the power of 2 that bounds extents."""


def _decision() -> Any:
    return field(default=None, metadata={"help": "the choice to make, instead of a random one"})


def _refuse(code: str, message: str, why: str, hints: Sequence[str] = ()) -> ScheduleError:
    return ScheduleError(code, message, location=CALL_SITE.get(), why=why, hints=hints)


@dataclass(frozen=True)
class SampleCategorical(Query):
    """Choose one of several numbers by probability."""

    name: ClassVar[str] = "sample-categorical"
    gives = "param"
    count = 1

    candidates: tuple[int, ...] = field(metadata={"help": "the numbers"})
    probs: tuple[float, ...] = field(metadata={"help": "the probability of each; they sum to 1"})
    decision: int | None = _decision()

    def answer(self, session: Session) -> Answer:
        count = len(self.candidates)
        if (
            not count
            or len(self.probs) != count
            or not all(0 <= probability < math.inf for probability in self.probs)
        ):
            raise _refuse(
                "KC3730",
                f"sample_categorical: {count} candidates and {len(self.probs)} probabilities",
                "each candidate needs a probability, at least 0",
            )
        total = math.fsum(self.probs)
        if not math.isclose(total, 1, rel_tol=1e-6):
            raise _refuse(
                "KC3730",
                f"sample_categorical: the probabilities sum to {total:g}",
                "the probabilities of the candidates must sum to 1",
            )
        chosen = self.decision
        if chosen is None:
            chosen = session.random.choices(range(count), self.probs)[0]
        if not 0 <= chosen < count:
            raise _refuse(
                "KC3731",
                f"sample_categorical: decision {chosen}",
                f"a decision is the position of a candidate: 0 to {count - 1}",
            )
        return Answer([self.candidates[chosen]], chosen)


def _extent(step: str, ref: LoopRef) -> int:
    """The constant extent of a loop, or a refusal (KC3732)."""
    loop = ref.target
    assert isinstance(loop, ForOp)
    if loop.static_extent is None:
        raise _refuse(
            "KC3732",
            f"{step}: the extent of loop {loop.label} is not a constant",
            "a perfect tile divides the extent, which is known only at the call",
            [f"sch.split({loop.label}, factors=[None, 16]) tiles any extent"],
        )
    if loop.static_extent == 0:
        raise _refuse(
            "KC3732", f"{step}: loop {loop.label} has no iterations", "there is nothing to tile"
        )
    return loop.static_extent


def _require_parts(step: str, n: int) -> None:
    if not 1 <= n <= MOST_FACTORS:
        raise _refuse(
            "KC3733",
            f"{step}: {n} factors",
            f"a tile has 1 to {MOST_FACTORS} factors"
            + (": no extent has more factors other than 1" if n > 0 else ""),
        )


@dataclass(frozen=True)
class SamplePerfectTile(Query):
    """Choose factors whose product is the extent of a loop."""

    name: ClassVar[str] = "sample-perfect-tile"
    gives = "params"
    count = "n"

    loop: LoopRef = field(metadata={"help": "the loop"})
    n: int = field(metadata={"help": "how many factors"})
    max_innermost_factor: int = field(
        default=16, metadata={"help": "the largest innermost factor, -1 for any"}
    )
    decision: tuple[int, ...] | None = _decision()

    def answer(self, session: Session) -> Answer:
        step = "sample_perfect_tile"
        _require_parts(step, self.n)
        extent = _extent(step, self.loop)
        if self.max_innermost_factor < 1 and self.max_innermost_factor != -1:
            raise _refuse(
                "KC3733",
                f"{step}: max_innermost_factor {self.max_innermost_factor}",
                "a factor is at least 1; -1 means no limit",
            )
        if self.decision is None:
            limit = self.max_innermost_factor if self.max_innermost_factor > 0 else extent
            tile = random_tile(session.random, extent, self.n, limit)
        else:
            tile = decided_tile(step, self.decision, extent, self.n, session.adapting)
        return Answer(tile, tile)


@dataclass(frozen=True)
class SamplePartitionedTile(Query):
    """Choose factors of a loop's extent such that the product of the inner factors is a multiple of
    a number.
    """

    name: ClassVar[str] = "sample-partitioned-tile"
    gives = "params"
    count = "n"

    loop: LoopRef = field(metadata={"help": "the loop"})
    n: int = field(metadata={"help": "how many factors"})
    partition_pos: int = field(default=0, metadata={"help": "the first of the inner factors"})
    innerpart_factor: int = field(
        default=1, metadata={"help": "the product of the inner factors is a multiple of it"}
    )
    decision: tuple[int, ...] | None = _decision()

    def answer(self, session: Session) -> Answer:
        step = "sample_partitioned_tile"
        _require_parts(step, self.n)
        extent = _extent(step, self.loop)
        position, factor = self.partition_pos, self.innerpart_factor
        if not 0 <= position < self.n or factor < 1:
            raise _refuse(
                "KC3733",
                f"{step}: partition_pos {position}, innerpart_factor {factor}",
                f"partition_pos must be 0 to {self.n - 1}, and innerpart_factor at least 1",
            )
        if extent % factor:
            # As in TVM, an extent that cannot be partitioned becomes the outermost factor.
            tile = [extent] + [1] * (self.n - 1)
        elif self.decision is not None:
            tile = decided_tile(step, self.decision, extent, self.n, session.adapting)
            if math.prod(tile[position:]) % factor:
                if not session.adapting:
                    raise _refuse(
                        "KC3731",
                        f"{step}: decision {tile}",
                        f"the product of the factors from {position} on is "
                        f"{math.prod(tile[position:])}, must be a multiple of {factor}",
                    )
                tile = [1] * position + [extent] + [1] * (self.n - position - 1)
        else:
            tile = random_tile(session.random, extent // factor, self.n, extent)
            tile[-1] *= factor
        return Answer(tile, tile)


def divisors(number: int) -> list[int]:
    """The divisors of a number, in order."""
    small = [divisor for divisor in range(1, math.isqrt(number) + 1) if number % divisor == 0]
    return small + [number // divisor for divisor in reversed(small) if divisor * divisor != number]


def random_tile(rng: random.Random, extent: int, n: int, limit: int) -> list[int]:
    """``n`` factors whose product is ``extent``, the last at most ``limit`` (if ``n`` > 1).

    Each factor is drawn from the divisors of the remaining extent, the innermost factor first.
    """
    tile: list[int] = []
    left = extent
    for number in range(n - 1):
        choices = [divisor for divisor in divisors(left) if number or divisor <= limit]
        tile.append(rng.choice(choices))
        left //= tile[-1]
    return [left, *reversed(tile)]


def decided_tile(
    step: str, decision: Sequence[int], extent: int, n: int, adapting: bool
) -> list[int]:
    """The factors of a decision, checked or adapted."""
    if len(decision) != n or min(decision) < 1:
        raise _refuse(
            "KC3731",
            f"{step}: decision {list(decision)}",
            f"a decision has {n} factors, each at least 1",
        )
    if math.prod(decision) == extent:
        return list(decision)
    if not adapting:
        raise _refuse(
            "KC3731",
            f"{step}: decision {list(decision)}",
            f"the factors multiply to {math.prod(decision)}, the extent is {extent}",
        )
    tile, left = [1] * n, extent
    for place in range(n - 1, 0, -1):
        fits = left % decision[place] == 0
        tile[place] = decision[place] if fits else left
        left //= tile[place]
    tile[0] = left
    return tile


@dataclass(frozen=True)
class SampleComputeLocation(Query):
    """Choose where a block is computed: inline, at its current place, or at a loop of its
    consumers.
    """

    name: ClassVar[str] = "sample-compute-location"
    gives = "loop"
    count = 1

    block: BlockRef = field(metadata={"help": "the block"})
    decision: int | None = field(
        default=None,
        metadata={"help": "-2 inline, -1 where it is, else a loop of the first consumer by depth"},
    )

    def answer(self, session: Session) -> Answer:
        block = self.block.target
        assert isinstance(block, BlockOp)
        places = session.answers.get(block)
        if places is None:
            places = session.answers[block] = _Places(session, block)
        chosen = self.decision
        if chosen is None:
            # Each legal place is equally likely to be the first in a random order.
            order = session.random.sample(places.worthwhile, len(places.worthwhile))
            chosen = next(depth for depth in order if places.is_legal(depth))
        elif not places.is_legal(chosen):
            if not session.adapting:
                legal = [depth for depth in places.by_depth if places.is_legal(depth)]
                raise _refuse(
                    "KC3731",
                    f"sample_compute_location: decision {chosen}",
                    f"block {self.block} can be computed at "
                    + ", ".join(f"{n}: {_place(places.by_depth[n])}" for n in legal),
                )
            before = [depth for depth in reversed(places.by_depth) if ROOT <= depth <= chosen]
            chosen = next((depth for depth in before if places.is_legal(depth)), ROOT)
        return Answer([places.by_depth[chosen]], chosen)


class _Places:
    """The legal places in which to compute a block. They are cached until the next rewrite, so that
    each place is examined once, however often it is drawn.
    """

    def __init__(self, session: Session, block: BlockOp) -> None:
        self.session = session
        self.block = block
        around = [loop_tree.loops_around(user) for user in consumers(block)]
        shared = around[0] if around else []
        # The loops around all consumers, outermost first.
        loops = [loop for loop in shared if all(loop in path for path in around)]
        self.by_depth: dict[int, ForOp | Mark] = {INLINE: Mark.INLINE, ROOT: Mark.ROOT}
        self.by_depth.update(enumerate(loops))
        self.worthwhile = [INLINE, ROOT, *self._worthwhile(loops)]
        self._legal: dict[int, bool] = {ROOT: True}

    def is_legal(self, depth: int) -> bool:
        """True if ``depth`` is a possible place, and the block can be computed there."""
        if depth not in self.by_depth:
            return False
        if depth not in self._legal:
            self._legal[depth] = self._can_be_computed(self.by_depth[depth])
        return self._legal[depth]

    def _worthwhile(self, loops: Sequence[ForOp]) -> list[int]:
        """The depths of the loops that are worth trying, by TVM's criteria.

        These loops have more than one iteration. They end with the last spatial loop of the first
        consumer, or earlier, before the first spatial loop inside a reduce loop.
        """
        user = next(iter(consumers(self.block)), None)
        is_reduction = [
            isinstance(user, BlockOp) and loop_tree.iter_types(loop, user) != {IterType.SPATIAL}
            for loop in loops
        ]
        last = max((n for n, reduces in enumerate(is_reduction) if not reduces), default=-1)
        depths: list[int] = []
        in_reduction = False
        for n, loop in enumerate(loops[: last + 1]):
            if loop.static_extent == 1:
                continue
            in_reduction = in_reduction or is_reduction[n]
            if in_reduction and not is_reduction[n]:
                break
            depths.append(n)
        return depths

    def _can_be_computed(self, place: ForOp | Mark) -> bool:
        function = loop_tree.enclosing_function(self.block)
        assert function is not None
        block = BlockRef(self.block)
        primitive = (
            pass_class("compute-inline")(block)
            if isinstance(place, Mark)
            else pass_class("compute-at")(block, LoopRef(place))
        )
        try:
            primitive.plan(self.session.site(function))
        except ScheduleError:
            return False
        return True


def _place(place: ForOp | Mark) -> str:
    return place.value if isinstance(place, Mark) else place.label


@dataclass(frozen=True)
class EnterPostproc(Query):
    """Mark the end of a schedule's search; the later steps are the same for every choice."""

    name: ClassVar[str] = "enter-postproc"
    pure: ClassVar[bool] = False

    def answer(self, session: Session) -> Answer:
        return Answer()
