"""Distances and directions of the dependences of a loop nest, and the skews that make them
non-negative.

A dependence is a pair of accesses of one element, at least one of which writes, the first before
the second in program order. Its distance along a loop is the difference of the iterations. Over all
such pairs that is a number or an interval, which isl computes exactly. Loops along which no
distance is negative can be interchanged and tiled freely (Wolf and Lam 1991: a fully permutable
band).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.ir import Operation

from kc.analysis.accesses.dependence import Access, Scope, Statement, coordinate_names
from kc.analysis.affine.isl_sets import ask, first_point, set_of
from kc.analysis.affine.terms import (
    Condition,
    Term,
    all_of,
    any_of,
    dim,
    equal,
    lexicographic,
    number,
)
from kc.analysis.loop_tree import buffer_name, children, has_work
from kc.analysis.trust import Undecided
from kc.dialects.tir import ForOp

MOST_SKEWED = 3
"""The largest skew factor tried."""


@dataclass(frozen=True)
class Distance:
    """The range of dependence distances along a loop, ``low`` to ``high`` (None: unbounded)."""

    low: int | None
    high: int | None

    def __str__(self) -> str:
        if self.low is None and self.high is None:
            return "any"
        if self.low == self.high:
            return str(self.low)
        low, high = ("" if end is None else str(end) for end in (self.low, self.high))
        return f"{low}..{high}"

    @property
    def direction(self) -> str:
        """The sign of the distance: ``+``, ``0`` or ``-``; ``0+`` and ``0-`` if the distance may
        also be zero, ``*`` if any sign is possible.
        """
        rises = self.high is None or self.high > 0
        falls = self.low is None or self.low < 0
        if rises and falls:
            return "*"
        if not rises and not falls:
            return "0"
        sign, nearest = ("+", self.low) if rises else ("-", self.high)
        return sign if nearest else f"0{sign}"


@dataclass(frozen=True)
class Dependence:
    """A dependence between two statements, with its distance along each loop around both."""

    source: str
    sink: str
    buffer: str
    kind: str
    """``flow`` (written, then read), ``anti`` (read, then written), ``output`` (written twice),
    ``reduction`` (updates in any order).
    """
    distances: tuple[Distance, ...]
    undecided: Undecided | None

    def __str__(self) -> str:
        text = f"{self.kind} of {self.buffer}, {self.source} to {self.sink}: distance "
        text += f"({', '.join(map(str, self.distances))}), direction "
        text += f"({', '.join(distance.direction for distance in self.distances)})"
        return text + (f", at most: {self.undecided}" if self.undecided is not None else "")


def nest_of(root: ForOp) -> list[ForOp]:
    """``root`` and the loops nested in it, down to the first loop that does not contain exactly one
    loop.
    """
    chain = [root]
    while True:
        inside = [op for op in children(chain[-1]) if has_work(op)]
        loops = [op for op in inside if isinstance(op, ForOp)]
        if len(loops) != 1 or any(isinstance(inner, ForOp) for inner in _others(inside, loops[0])):
            return chain
        chain.append(loops[0])


def _others(ops: Sequence[Operation], loop: ForOp) -> Iterator[Operation]:
    for op in ops:
        if op is not loop:
            yield from op.walk()


def dependences(chain: Sequence[ForOp]) -> list[Dependence]:
    """The dependences in the nest ``chain``, without duplicates. Where isl cannot decide, the list
    is a superset.
    """
    scope = Scope(chain[0])
    place = {op: n for n, op in enumerate(chain[0].walk())}
    listed: dict[Dependence, None] = {}
    for part, source, a, sink, b in _pairs(scope):
        depth = _depth(source, sink, chain)
        s, t = source.times("s")[:depth], sink.times("t")[:depth]
        later = [lexicographic(s, t)]
        if place[source.op] < place[sink.op]:
            later.append(all_of(equal(s, t)))
        distances = _distances(part, source, a, sink, b, any_of(later), depth)
        if distances is None:
            continue
        doubts = [*source.doubts(a), *sink.doubts(b)]
        if isinstance(distances, Undecided):
            doubts, distances = [distances], (Distance(None, None),) * depth
        undecided = doubts[0] if doubts else None
        if undecided is None and (source.ordered or sink.ordered):
            undecided = Undecided("the sizes are symbolic")
        buffer = a.buffer or b.buffer
        listed[
            Dependence(
                _label(source),
                _label(sink),
                buffer_name(buffer) if buffer is not None else "any buffer",
                _kind(source, a, sink, b),
                distances,
                undecided,
            )
        ] = None
    return list(listed)


def straightening(chain: Sequence[ForOp], loop: ForOp) -> tuple[int, ...] | None:
    """The smallest factors by which the outer loops in ``chain`` skew ``loop`` so that every
    dependence has a non-negative distance along ``loop``; zeros if no skew is needed. None if no
    factors up to :data:`MOST_SKEWED` suffice.
    """
    scope = Scope(chain[0])
    position = list(chain).index(loop)
    choices = itertools.product(range(MOST_SKEWED + 1), repeat=position)
    for factors in sorted(choices, key=lambda factors: (sum(factors), factors[::-1])):
        if not _falls(scope, chain, position, factors):
            return factors
    return None


def _falls(scope: Scope, chain: Sequence[ForOp], position: int, factors: Sequence[int]) -> bool:
    """True if a distance along the skewed loop may be negative."""

    def breaks(source: Statement, sink: Statement) -> Condition | None:
        depth = _depth(source, sink, chain)
        s, t = source.times("s")[:depth], sink.times("t")[:depth]
        if position >= depth:
            return None
        distance = t[position] - s[position]
        for n, factor in enumerate(factors):
            distance = distance + (t[n] - s[n]) * factor
        return all_of([lexicographic(s, t), distance < 0])

    return scope.find(breaks, ignore_reductions=True) is not None


def latest_need(first: ForOp, second: ForOp) -> int | Undecided | None:
    """The lag between ``first`` and a later loop ``second``: the smallest ``d`` such that iteration
    ``t`` of ``second`` depends on iterations of ``first`` up to ``t + d`` only.

    None if ``second`` depends on nothing in ``first``.
    """
    scope = Scope(first, second)
    most: int | None = None
    for part, source, a, sink, b in _pairs(scope):
        if scope.root_of(source.op) is not first or scope.root_of(sink.op) is not second:
            continue
        ahead = source.times("s")[0] - sink.times("t")[0]
        bounds = _bounds(part, source, a, sink, b, number(0).equals(0), [ahead])
        if bounds is None:
            continue
        doubts = [*source.doubts(a), *sink.doubts(b)]
        if isinstance(bounds, Undecided):
            return bounds
        if doubts:
            return doubts[0]
        high = bounds[0].high
        if high is None:
            return Undecided("the distance grows with the sizes")
        most = high if most is None else max(most, high)
    return most


def _pairs(scope: Scope) -> Iterator[tuple[Scope, Statement, Access, Statement, Access]]:
    """Pairs of accesses that may touch the same element, at least one of them writing, within a
    thread or across threads. Each pair comes with the scope in which to query it.
    """
    for part in scope.scopes():
        for source, sink in itertools.product(part.statements, repeat=2):
            for a, b in itertools.product(source.accesses, sink.accesses):
                alike = a.buffer is b.buffer or a.buffer is None or b.buffer is None
                if alike and (a.writes or b.writes):
                    yield part, source, a, sink, b


def _depth(source: Statement, sink: Statement, chain: Sequence[ForOp]) -> int:
    """The number of loops of ``chain`` around both statements."""
    return sum(loop in source.loops and loop in sink.loops for loop in chain)


def _distances(
    scope: Scope,
    source: Statement,
    a: Access,
    sink: Statement,
    b: Access,
    condition: Condition,
    depth: int,
) -> tuple[Distance, ...] | Undecided | None:
    pairs = zip(source.times("s")[:depth], sink.times("t")[:depth], strict=True)
    return _bounds(scope, source, a, sink, b, condition, [t - s for s, t in pairs])


def _bounds(
    scope: Scope,
    source: Statement,
    a: Access,
    sink: Statement,
    b: Access,
    condition: Condition,
    terms: Sequence[Term],
) -> tuple[Distance, ...] | Undecided | None:
    """The ranges of ``terms`` over the pairs of instances for which ``condition`` holds; None if no
    pairs satisfy it.
    """
    question = all_of([scope.meeting(source, a, sink, b), condition])
    names = coordinate_names(source.coordinates("s", a), sink.coordinates("t", b))
    parameters = list(scope.parameters.values())
    if first_point(question, names, parameters) is None:
        return None
    values = [dim(f"d{n}") for n in range(len(terms))]
    measured = all_of([question, *(v.equals(term) for v, term in zip(values, terms, strict=True))])
    every = [*(f"d{n}" for n in range(len(terms))), *parameters, *names]

    def measure(context: Any) -> tuple[Distance, ...]:
        points = set_of(context, measured, every)

        def end(value: Any) -> int | None:
            return value.to_python() if value.is_int() else None

        return tuple(
            Distance(end(points.dim_min_val(n)), end(points.dim_max_val(n)))
            for n in range(len(terms))
        )

    return ask(measure)


def _label(statement: Statement) -> str:
    if statement.block is not None:
        return statement.block.label
    return "the store" if any(access.writes for access in statement.accesses) else "a load"


def _kind(source: Statement, a: Access, sink: Statement, b: Access) -> str:
    if source is sink and a.updates and b.updates:
        return "reduction"
    if a.writes and b.reads:
        return "flow"
    return "output" if a.writes else "anti"
