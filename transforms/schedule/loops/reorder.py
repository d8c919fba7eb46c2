"""reorder: nested loops change their order.

Before, ``reorder block=C loops=k,j`` (the new order)::

    tir.for %i in 16 {
      tir.for %j in 32 {
        tir.for %k in 64 {
          tir.block "C" (...)

After::

    tir.for %i in 16 {
      tir.for %k in 64 {
        tir.for %j in 32 {
          tir.block "C" (...)

The named loops exchange places; loops in between keep theirs.

In an imperfect nest, statements beside the next loop first move into that loop: statements before
it into its first iteration, statements after it into its last::

    tir.for %i in 16 {                   tir.for %i in 16 {
      tir.block "B" (...)                  tir.for %j in 32 {
      tir.for %j in 32 {                     tir.block "B" (...) where (%j == 0)
        tir.block "C" (...)                  tir.block "C" (...)

*Legal when*

1. KC3030, KC3031: the loops are distinct and nested. KC3032: statements beside a loop of the nest
   can move into it: the loop is serial, has at least one iteration, and uses none of their values.
2. KC3034: no extent depends on a loop that would no longer surround it.
3. KC3035: no dependence between two iterations changes its direction. Updates of one reduction may
   be exchanged (the combiner is associative and commutative), its initialisation may not.
4. KC3041: the iterations of a parallel or vectorized loop, and the blocks of a GPU, stay
   independent when the loop surrounds further loops (threads of a block are in lockstep, so the
   place of their loop does not matter). KC3044: a vectorized loop does not surround a parallel loop
   or a loop of threads.

TVM: ``reorder``. Halide: ``reorder``. Exo: ``reorder_loops``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis import loop_tree
from kc.analysis.accesses.dependence import concurrent_conflict, reorder_conflict
from kc.dialects.tir import ForKind, ForOp
from kc.dialects.tir.threads import BLOCK_AXES
from kc.transforms.schedule.base import LoopRef, Primitive, Rewritten, Site, on_copy
from kc.transforms.schedule.loops._chain import require_chain
from kc.transforms.schedule.loops._imperfect import (
    is_index,
    is_perfect,
    sink_siblings,
    why_it_stays,
)


@dataclass(frozen=True)
class Plan:
    """The nest, outermost first, in the old and in the new order."""

    chain: list[ForOp]
    order: list[ForOp]
    requested: list[ForOp]

    @property
    def is_perfect(self) -> bool:
        """True if each loop has the next loop as its only child."""
        return is_perfect(self.chain)


@dataclass(frozen=True)
class Reorder(Primitive):
    """Exchange nested loops."""

    name: ClassVar[str] = "reorder"
    within_nest: ClassVar[bool] = True
    undecidable = True

    loops: tuple[LoopRef, ...] = field(
        default=(),
        metadata={
            "help": "the loops in their new order, outermost first",
            "python": "*loops",
            "also": {"order": "*"},
        },
    )

    def check(self, site: Site) -> Plan:
        requested = [site.resolve_loop(ref) for ref in self.loops]
        if not requested:
            raise site.refuse(
                "KC3033", "no loops to reorder", at=site.function, hints=["loops=j,i"]
            )
        chain = require_chain(site, requested, stays=why_it_stays)
        rest = iter(requested)
        order = [next(rest) if loop in requested else loop for loop in chain]
        plan = Plan(chain, order, requested)
        if order != chain and not plan.is_perfect:
            on_copy(site, lambda copy, twin: self._check_sunk(copy, plan, twin))
        else:
            self._check_order(site, chain, order)
        return plan

    def _check_sunk(self, site: Site, plan: Plan, twin: Callable[[ForOp], ForOp]) -> None:
        """Check the new order on a perfect copy of the nest."""
        chain = [twin(loop) for loop in plan.chain]
        sink_siblings(chain)
        self._check_order(site, chain, [twin(loop) for loop in plan.order])

    def _check_order(self, site: Site, chain: list[ForOp], order: list[ForOp]) -> None:
        place = {loop: n for n, loop in enumerate(order)}
        for inner in chain:
            for outer in chain[: chain.index(inner)]:
                extent = inner.dynamic_extent
                if extent is None or place[outer] < place[inner]:
                    continue
                if _depends_on(extent, outer, chain):
                    raise site.refuse(
                        "KC3034",
                        f"the extent of {inner.label} depends on {outer.label}",
                        at=inner,
                        why=f"{inner.label} cannot leave {outer.label}",
                    )
        if order != chain:
            conflict = reorder_conflict(chain, order)
            if conflict is not None:
                names = ", ".join(loop.label for loop in order)
                raise site.refuse(
                    "KC3035",
                    f"the order {names} "
                    + ("cannot be proven to keep" if conflict.undecided else "changes")
                    + " the result",
                    at=chain[-1],
                    mark={chain[0]: "reordered from here"},
                    why=conflict.explain(),
                )
            self._check_kinds(site, chain, order)

    def _check_kinds(self, site: Site, chain: list[ForOp], order: list[ForOp]) -> None:
        """Require that concurrent loops stay legal around the loops that move into them."""
        for n, loop in enumerate(order):
            kind = loop.kind.data
            gained = [inner for inner in order[n + 1 :] if chain.index(inner) < chain.index(loop)]
            together = kind in (ForKind.PARALLEL, ForKind.VECTORIZED) or loop.axis in BLOCK_AXES
            if not together or not gained:
                continue
            threads = [
                inner for inner in gained if inner.kind.data in (ForKind.PARALLEL, ForKind.THREAD)
            ]
            if threads and kind is ForKind.VECTORIZED:
                raise site.refuse(
                    "KC3044",
                    f"the vectorized loop {loop.label} around the {threads[0].kind_text} "
                    f"loop {threads[0].label}",
                    at=loop,
                    why="a vector lane is a scalar: it cannot start threads",
                    hints=[f"keep {threads[0].label} outside {loop.label}"],
                )
            conflict = concurrent_conflict(chain, order[: n + 1])
            if conflict is not None:
                held = ", ".join(inner.label for inner in gained)
                unsure = conflict.undecided is not None
                raise site.refuse(
                    "KC3041",
                    f"with {held} inside, the iterations of the {loop.kind_text} loop "
                    f"{loop.label} "
                    + ("cannot be proven independent" if unsure else "depend on each other"),
                    at=loop,
                    why=conflict.explain(),
                    hints=[f"keep {held} outside {loop.label}"],
                )

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for loop in loop_tree.loops(site.function):
            child = loop_tree.only_child(loop)
            if isinstance(child, ForOp):
                yield cls((LoopRef(child), LoopRef(loop)))

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        chain, order = plan.chain, plan.order
        if order == chain:
            return Rewritten(tuple(plan.requested))
        if not plan.is_perfect:
            sink_siblings(chain)
        sizes = _take_index_ops(chain, order)
        body = chain[-1].detach_region(chain[-1].body)
        inner_old = body.block.args[0]
        new: dict[ForOp, ForOp] = {}
        for loop in order:
            is_last = loop is order[-1]
            copy = ForOp(
                loop.label,
                loop.extent_value,
                body if is_last else None,
                loop.kind.data,
                loop.annotations.data if loop.annotations is not None else None,
                loop.axis,
            )
            copy.attributes.update(loop.attributes)
            copy.location = loop.location
            new[loop] = copy
        # The variable of the body now counts another loop, so the uses are exchanged.
        last = order[-1]
        if last is not chain[-1]:
            uses = list(inner_old.uses)
            last.var.replace_all_uses_with(inner_old)
            for use in uses:
                use.operation.operands[use.index] = new[chain[-1]].var
            inner_old.name_hint = last.label
        for loop in chain:
            if loop is not last and loop is not chain[-1]:
                loop.var.replace_all_uses_with(new[loop].var)
        loops = [new[loop] for loop in order]
        for depth, op in sizes:
            if depth is None:
                Rewriter.insert_op(op, InsertPoint.before(chain[0]))
            else:
                loops[depth].body.block.add_op(op)
        for outer, nested in zip(loops, loops[1:], strict=False):
            outer.body.block.add_op(nested)
        Rewriter.replace_op(chain[0], loops[0], [])
        return Rewritten(
            tuple(new[loop] for loop in plan.requested),
            {loop: (new[loop],) for loop in chain},
        )


def _depends_on(value: SSAValue, loop: ForOp, chain: list[ForOp]) -> bool:
    """True if the value of an index depends on ``loop``, rather than only being computed in the
    loop.
    """
    if not loop_tree.defined_inside(value, loop):
        return False
    op = value.owner
    if not isinstance(op, Operation) or op.parent_op() not in chain or not is_index(op, chain):
        return True
    return any(_depends_on(operand, loop, chain) for operand in op.operands)


def _take_index_ops(chain: list[ForOp], order: list[ForOp]) -> list[tuple[int | None, Operation]]:
    """Move index arithmetic from between the loops into the innermost body.

    Operations that an extent uses are detached and returned instead, each with the position in
    ``order`` of the innermost loop on which it depends (None: on no loop of the nest).
    """
    between = [
        op
        for outer, nested in zip(chain, chain[1:], strict=False)
        for op in outer.body.block.ops
        if op is not nested and is_index(op, chain)
    ]
    needed = {loop.dynamic_extent for loop in chain if loop.dynamic_extent is not None}
    for op in reversed(between):
        if any(result in needed for result in op.results):
            needed.update(op.operands)
    depths: dict[SSAValue, int] = {loop.var: n for n, loop in enumerate(order)}
    sizes: list[tuple[int | None, Operation]] = []
    first = chain[-1].body.block.first_op
    for op in between:
        op.detach()
        if any(result in needed for result in op.results):
            depth = max(
                (depths[operand] for operand in op.operands if operand in depths), default=None
            )
            if depth is not None:
                depths.update(dict.fromkeys(op.results, depth))
            sizes.append((depth, op))
        elif first is not None:
            chain[-1].body.block.insert_op_before(op, first)
        else:
            chain[-1].body.block.add_op(op)
    return sizes
