"""legal-directions: print the dependences of loop nests, and the orders and skews that they allow.

The pass changes nothing, and so has no rewrite pattern. It prints for each nest on standard error::

    seidel: t in 4, i in 8, j in 8
      flow of A, A to A: distance (0, 0, 1), direction (0, 0, +)
      ...
      parallel: none
      reverse: none
      order t, i, j: as it is
      order i, t, j: A at (t=0, i=1, j=0) reads A[1, 1], which A at ... writes
      skew: i by 1 t, j by 2 t and 1 i: then any order is legal, and any tiles

A distance is a number of iterations, or an interval of such numbers (``0..2``, or ``1..`` without
an upper bound). A direction is the sign of a distance, ``*`` for any sign. A dependence that cannot
be computed exactly is over-approximated and printed with the reason.

A loop is listed as parallel if it carries no dependence. For nests of up to 4 loops, the pass lists
the orders that ``reorder`` accepts. The skews are the smallest with which no distance is negative.
Apply ``skew`` to the innermost loop first, so that the loops around it still have the names printed
here.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from kc.analysis import loop_tree
from kc.analysis.accesses.dependence import carried_conflict
from kc.analysis.accesses.directions import dependences, nest_of, straightening
from kc.dialects.tir import ForOp
from kc.support.diagnostics import ScheduleError
from kc.support.registry import pass_class
from kc.support.target import target_of
from kc.transforms.schedule.base import LoopRef, Site, on_copy
from kc.transforms.schedule.loops._imperfect import sink_siblings, why_it_stays
from kc.transforms.to_tir import to_tir

DEEPEST = 4
"""The deepest nests for which all orders are listed: 4 loops have 24 orders."""


@dataclass(frozen=True)
class LegalDirectionsPass(ModulePass):
    """Print the dependences of loop nests, and the orders and skews that they allow."""

    name = "legal-directions"

    loop: str = field(
        default="", metadata={"help": "the outermost loop of the nest (default: all)"}
    )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        copy = op.clone()
        for old, new in zip(op.walk(), copy.walk(), strict=True):
            new.location = old.location
        to_tir(copy)
        for function in loop_tree.kernels(copy):
            site = Site(function, target_of(op), primitive="legal_directions")
            for root in self._roots(site):
                print("\n".join(_lines(site, nest_of(root))), file=sys.stderr)

    def _roots(self, site: Site) -> list[ForOp]:
        if self.loop:
            return [site.resolve_loop(LoopRef(self.loop))]
        return [loop for loop in loop_tree.loops(site.function) if not loop_tree.loops_around(loop)]


def _lines(site: Site, chain: list[ForOp]) -> Iterator[str]:
    nest = ", ".join(loop_tree.describe_loop(loop).removeprefix("for ") for loop in chain)
    yield f"{_name(site.function)}: {nest}"
    for dependence in dependences(chain) or ["no dependence"]:
        yield f"  {dependence}"
    parallel = [loop.label for loop in chain if carried_conflict(loop) is None]
    yield f"  parallel: {', '.join(parallel) or 'none'}"
    reverse = pass_class("reverse")
    turned = [loop.label for loop in chain if _refusal(site, reverse(LoopRef(loop))) is None]
    yield f"  reverse: {', '.join(turned) or 'none'}"
    if 1 < len(chain) <= DEEPEST:
        for order in itertools.permutations(chain):
            labels = ", ".join(loop.label for loop in order)
            reorder = pass_class("reorder")(tuple(LoopRef(loop) for loop in order))
            why = "as it is" if list(order) == chain else _refusal(site, reorder) or "legal"
            yield f"  order {labels}: {why}"
    if len(chain) > 1:
        yield f"  skew: {on_copy(site, lambda _, twin: _skews([twin(loop) for loop in chain]))}"


def _name(function: func.FuncOp) -> str:
    return function.sym_name.data


def _refusal(site: Site, step: object) -> str | None:
    """The reason why ``step`` is not legal; None if it is legal."""
    try:
        step.plan(site)  # pyright: ignore[reportAttributeAccessIssue]
    except ScheduleError as error:
        return str(error.why or error.message)
    return None


def _skews(chain: Sequence[ForOp]) -> str:
    """The skews after which the nest can be permuted and tiled in any way, as text. The nest is
    made perfect first.
    """
    for n, (outer, nested) in enumerate(zip(chain, chain[1:], strict=False)):
        if loop_tree.only_child(outer) is not nested:
            why = why_it_stays(chain[n:])
            if why is not None:
                return f"none, as {why}"
    sink_siblings(chain)
    parts: list[str] = []
    for loop in chain[1:]:
        factors = straightening(chain, loop)
        if factors is None:
            return f"no skew makes all distances along {loop.label} at least 0"
        by = [
            f"{factor} {outer.label}"
            for factor, outer in zip(factors, chain, strict=False)
            if factor
        ]
        if by:
            parts.append(f"{loop.label} by {' and '.join(by)}")
    if not parts:
        return "none needed: any order and any tiles are legal"
    return ", ".join(parts) + ": any order and any tiles are then legal"
