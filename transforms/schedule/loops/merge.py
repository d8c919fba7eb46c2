"""merge: sibling loops become one loop, whose iterations run the bodies of all of them.

Before, ``merge loops=i,i blocks=B,C``::

    tir.for %i in 16 {
      tir.for %j in 8 {
        tir.block "B" (spatial %v_i in 16 = %i, spatial %v_j in 8 = %j) do { ... }
    tir.for %i in 16 {
      tir.for %k in 4 {
        tir.block "C" (spatial %v_i in 16 = %i, reduce %v_k in 4 = %k) ...

After::

    tir.for %i_m in 16 {
      tir.for %j in 8 {
        tir.block "B" (spatial %v_i in 16 = %i_m, spatial %v_j in 8 = %j) do { ... }
      tir.for %k in 4 {
        tir.block "C" (spatial %v_i in 16 = %i_m, reduce %v_k in 4 = %k) ...

The loops may be nested below their common parent. The loops from the common parent down to the
named loops are then merged level by level, and finally the bodies of the named loops. The bodies
keep their program order. Operations between the nests run before the merged nest, or after it if
they need the first nests.

*Legal when*

1. KC3450: at least two loops are named. KC3030: none is named twice.
2. KC3451: none is inside another. KC3452: they are in the same block or function, and branch.
3. KC3453: they are at the same depth below their common parent, KC3032 in perfect nests.
4. KC3010, KC3011: the loops are serial and carry no annotation.
5. KC3454: the extents are equal, level by level. Symbolic ones must be proven equal.
6. KC3455: no iteration of a later loop must follow a later iteration of an earlier loop, and the
   initial value of a reduction that may be empty need not be stored after an earlier loop.
7. KC3456: operations in between do not need the earlier loops if the later loops need these
   operations.

TVM: ``merge``. Halide: ``compute_with``. Exo: ``fuse``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis import loop_tree
from kc.analysis.accesses.dependence import Conflict, Scope, Statement
from kc.analysis.accesses.instances import Instance, Space, Witness
from kc.analysis.affine.terms import ALWAYS, Condition, lexicographic, number
from kc.analysis.captures import captured_values
from kc.analysis.trust import Undecided
from kc.dialects.tir import BlockOp, ForOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.schedule._blocks import describe
from kc.transforms.schedule.base import (
    BlockRef,
    Gives,
    LoopRef,
    Primitive,
    Rewritten,
    Site,
    require_serial,
)
from kc.transforms.schedule.loops._chain import require_chain
from kc.transforms.schedule.loops._early_inits import early_init


@dataclass(frozen=True)
class Plan:
    """The nests in program order, each outermost first, and the operations between them."""

    nests: list[list[ForOp]]
    names: list[str]
    before: list[Operation]
    """The operations that move before the merged nest; the rest stays after it."""


@dataclass(frozen=True)
class Merge(Primitive):
    """Merge sibling loops into one."""

    name: ClassVar[str] = "merge"
    verb = "was merged into"
    gives: ClassVar[Gives] = "loop"
    undecidable = True

    loops: tuple[LoopRef, ...] = field(
        default=(), metadata={"help": "the loops to merge", "python": "*loops"}
    )
    blocks: tuple[BlockRef, ...] = field(
        default=(), metadata={"help": "for each loop a block that it is around, to tell them apart"}
    )

    def check(self, site: Site) -> Plan:
        loops = self._resolve(site)
        if len(loops) < 2:
            raise site.refuse(
                "KC3450",
                f"{len(loops)} loop to merge" if loops else "no loops to merge",
                at=loops[0] if loops else site.function,
                why="merge joins two or more sibling loops",
                hints=["loops=i,j"],
            )
        nests = sibling_nests(site, loops)
        for nest in nests:
            for loop in nest:
                require_serial(site, loop)
        require_equal_extents(site, nests)
        between = _between(nests)
        scope = Scope(*(nest[0] for nest in nests), *between)
        self._require_order(site, nests, scope)
        before = _movable(site, nests, between, scope)
        return Plan(nests, _names(site, nests), before)

    def _resolve(self, site: Site) -> list[ForOp]:
        if self.blocks and len(self.blocks) != len(self.loops):
            raise site.refuse(
                "KC3450",
                f"{len(self.blocks)} of {len(self.loops)} loops have a block",
                at=site.function,
                why="with blocks=, each loop needs a block that identifies it",
            )
        loops: list[ForOp] = []
        for n, ref in enumerate(self.loops):
            at = Site(site.function, site.target, self.blocks[n]) if self.blocks else site
            try:
                loops.append(at.resolve_loop(ref))
            except ScheduleError as error:
                if error.code == "KC3004":
                    error.hints = ("name a block for each loop too: blocks=NAME,NAME",)
                raise
        return loops

    def _require_order(self, site: Site, nests: list[list[ForOp]], scope: Scope) -> None:
        conflict = _reversed_dependence(nests, scope)
        why = _early_init(nests) if conflict is None else conflict.explain()
        if why is None:
            return
        inner = [nest[-1] for nest in nests]
        raise site.refuse(
            "KC3455",
            f"running {' and '.join(loop.label for loop in inner)} together "
            + ("cannot be proven to keep" if conflict and conflict.undecided else "changes")
            + " the result",
            at=nests[0][0],
            mark=to_be_merged(inner),
            beside=inner,
            why=why,
            hints=_shallower(nests),
        )

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for first in loop_tree.loops(site.function):
            second = first.next_op
            while second is not None and not isinstance(second, ForOp):
                second = second.next_op
            inner: Operation | None = first
            partner: Operation | None = second
            while isinstance(inner, ForOp) and isinstance(partner, ForOp):
                yield cls((LoopRef(inner), LoopRef(partner)))
                inner, partner = loop_tree.only_child(inner), loop_tree.only_child(partner)

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        first, *rest = plan.nests
        for op in plan.before:
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(first[0]))
        for nest in rest:
            _take(first, nest)
        merged = _renamed(first, plan.names)
        gone = {old: (new,) for nest in plan.nests for old, new in zip(nest, merged, strict=True)}
        return Rewritten((merged[-1],), gone)


def _take(first: Sequence[ForOp], nest: Sequence[ForOp]) -> None:
    """Move the body of ``nest`` to the end of the innermost body of ``first``."""
    body = first[-1].body.block
    for loop in nest[1:]:
        loop.detach()
    moved = [op for loop in nest for op in loop.body.block.ops]
    for op in moved:
        op.detach()
        body.add_op(op)
    for target, source in zip(first, nest, strict=True):
        source.var.replace_all_uses_with(target.var)
    Rewriter.erase_op(nest[0])
    for source in nest[1:]:
        source.erase()
    for op in reversed(moved):  # remove operations that only the extents used
        if not loop_tree.has_effects(op) and not any(list(result.uses) for result in op.results):
            Rewriter.erase_op(op)


def _renamed(nest: Sequence[ForOp], names: Sequence[str]) -> list[ForOp]:
    """New loops with other names that replace ``nest``."""
    renamed: list[ForOp] = []
    for old, name in zip(nest, names, strict=True):
        body = old.detach_region(old.body)
        body.block.args[0].name_hint = name
        new = ForOp(name, old.extent_value, body)
        new.attributes.update(old.attributes)
        new.location = old.location
        Rewriter.replace_op(old, new, [])
        renamed.append(new)
    return renamed


def _names(site: Site, nests: Sequence[Sequence[ForOp]]) -> list[str]:
    """Names that are unused inside and around the merged nest."""
    gone = [loop for nest in nests for loop in nest]
    names = [f"{loop.label}_m" for loop in nests[0]]
    while True:
        chosen = names
        for nest in nests:
            chosen = site.fresh_names(chosen, nest[0], gone)
        if chosen == names:
            return names
        names = chosen


# Order ---------------------------------------------------------------------------------------


def _reversed_dependence(nests: Sequence[Sequence[ForOp]], scope: Scope) -> Conflict | None:
    """A dependence between two nests that would point backwards in the merged nest; None if there
    is none.
    """
    place: dict[Operation | None, int] = {nest[0]: n for n, nest in enumerate(nests)}
    depth = len(nests[0])

    def breaks(source: Statement, sink: Statement) -> Condition | None:
        first, second = place.get(scope.root_of(source.op)), place.get(scope.root_of(sink.op))
        if first is None or second is None or first >= second:
            return None
        return lexicographic(sink.times("t")[:depth], source.times("s")[:depth])

    return scope.find(breaks, ignore_reductions=False)


def _early_init(nests: Sequence[Sequence[ForOp]]) -> str | None:
    """The reason why an initial value would be stored before an earlier nest uses its memory; None
    if this cannot happen.
    """
    outermost = [nest[0] for nest in nests]
    reasons = (early_init(nest, [nest[0]], outermost[:n]) for n, nest in enumerate(nests) if n > 0)
    return next((why for why in reasons if why is not None), None)


def _shallower(nests: Sequence[Sequence[ForOp]]) -> list[str]:
    """The outer loops that can be merged, as a hint."""
    for depth in range(len(nests[0]) - 1, 0, -1):
        outer = [list(nest[:depth]) for nest in nests]
        conflict = _reversed_dependence(outer, Scope(*(nest[0] for nest in nests)))
        if conflict is None and _early_init(outer) is None:
            return [f"merge loops={','.join(nest[-1].label for nest in outer)} is legal"]
    return []


def _between(nests: Sequence[Sequence[ForOp]]) -> list[Operation]:
    """The operations between the first and the last of the nests, in order."""
    tops = {nest[0] for nest in nests}
    between: list[Operation] = []
    op: Operation | None = nests[0][0].next_op
    while op is not None and op is not nests[-1][0]:
        if op not in tops:
            between.append(op)
        op = op.next_op
    return between


def _movable(
    site: Site, nests: Sequence[Sequence[ForOp]], between: Sequence[Operation], scope: Scope
) -> list[Operation]:
    """The operations of ``between`` that move before the merged nest. Refuses (KC3456) operations
    that can move neither before nor after the merged nest.
    """
    tops = [nest[0] for nest in nests]
    before: list[Operation] = []
    behind: list[Operation] = []
    for op in between:
        # the nests that the operation passes if it moves up, and the operations that stay behind
        passed = [top for top in tops if top.is_before_in_block(op)]
        needs = _first_need(scope, [*passed, *behind], op)
        if needs is None:
            before.append(op)
            continue
        later = [top for top in tops if not top.is_before_in_block(op)]
        for top in later:
            needed = _first_need(scope, [op], top)
            if needed is not None:
                both = f"{needs}; {needed}"
                raise site.refuse(
                    "KC3456",
                    f"{describe(op)} stands between loops {tops[0].label} and {top.label}",
                    at=nests[0][0],
                    mark={**to_be_merged([nest[-1] for nest in nests]), op: "in between"},
                    beside=[op, top],
                    why=Undecided(both) if Undecided in (type(needs), type(needed)) else both,
                )
        behind.append(op)
    return before


def _first_need(
    scope: Scope, earlier: Sequence[Operation], op: Operation
) -> str | Undecided | None:
    """The reason why ``op`` must follow one of ``earlier``; None if it need not."""
    used = captured_values(op)
    for value in used:
        owner = value.owner
        if isinstance(owner, Operation) and owner in earlier:
            return f"{describe(op)} uses {value.name_hint or 'a value'} of {describe(owner)}"

    def breaks(source: Statement, sink: Statement) -> Condition | None:
        is_asked = scope.root_of(source.op) in earlier and scope.root_of(sink.op) is op
        return ALWAYS if is_asked else None

    conflict = scope.find(breaks, ignore_reductions=False)
    return conflict.explain() if conflict is not None else None


# Nests side by side ---------------------------------------------------------------------------


def sibling_nests(site: Site, loops: Sequence[ForOp]) -> list[list[ForOp]]:
    """For each loop, in program order, the loops from below the common parent down to the loop.

    Raises ScheduleError KC3030, KC3032, KC3451, KC3452 or KC3453.
    """
    for loop in loops:
        if loops.count(loop) > 1:
            raise site.refuse("KC3030", f"loop {loop.label} is named twice", at=loop)
        for outer in loops:
            if loop is not outer and loop_tree.is_inside(loop, outer):
                raise site.refuse(
                    "KC3451",
                    f"loop {loop.label} is inside {outer.label}",
                    at=loop,
                    mark={loop: "here", outer: "also named"},
                    why="merge joins sibling loops; fuse joins nested ones",
                    hints=[f"fuse loops={outer.label},{loop.label}"],
                )
    paths = [_path(site, loop) for loop in loops]
    common = 0
    while all(path[common] is paths[0][common] for path in paths):
        common += 1
    home = paths[0][common].parent
    assert home is not None
    nests: list[list[ForOp]] = []
    for path in paths:
        nest = [op for op in path[common:] if isinstance(op, ForOp)]
        is_apart = path[common].parent is not home or path[common] is not nest[0]
        if is_apart or any(isinstance(op, BlockOp) for op in path[common:]):
            first, second = (nests[0][-1], nest[-1]) if nests else (nest[-1], paths[1][-1])
            raise _not_siblings(site, first, second)
        nests.append(require_chain(site, nest))
    for nest in nests:
        if len(nest) != len(nests[0]):
            first, second = nests[0][-1], nest[-1]
            raise site.refuse(
                "KC3453",
                f"loops {first.label} and {second.label} are at different depths",
                at=first,
                mark=to_be_merged([first, second]),
                beside=[second],
                why=f"below their common parent there are {len(nests[0])} and {len(nest)} loops, "
                "which do not pair up",
                hints=_pairs(nests[0], nest),
            )
    order = {op: n for n, op in enumerate(home.ops)}
    return sorted(nests, key=lambda nest: order[nest[0]])


def _path(site: Site, loop: ForOp) -> list[Operation]:
    """``loop`` and the operations around it, outermost first."""
    path: list[Operation] = [loop]
    while (parent := path[-1].parent_op()) is not None and parent is not site.function:
        path.append(parent)
    return path[::-1]


def _not_siblings(site: Site, first: Operation, second: Operation) -> ScheduleError:
    return site.refuse(
        "KC3452",
        f"{describe(first)} and {describe(second)} are not in the same block and branch",
        at=first,
        mark={first: "to be merged", second: "to be merged"},
        beside=[second],
        why="only consecutive loops of one block and branch can be merged",
    )


def _pairs(first: Sequence[ForOp], second: Sequence[ForOp]) -> list[str]:
    depth = min(len(first), len(second)) - 1
    return [f"loops={first[depth].label},{second[depth].label}"]


def to_be_merged(loops: Sequence[ForOp]) -> dict[Operation, str]:
    """Marks for the display of the loop tree."""
    return dict.fromkeys(loops, "to be merged")


def require_equal_extents(site: Site, nests: Sequence[Sequence[ForOp]]) -> None:
    """Refuse (KC3454) nests with different extents, level by level."""
    for nest in nests[1:]:
        # At a reduction loop without iterations the init still runs once, so both nests are
        # checked.
        for outermost in (nests[0][0], nest[0]):
            _require_equal_extents(site, nests[0], nest, outermost)


def _require_equal_extents(
    site: Site, first_nest: Sequence[ForOp], second_nest: Sequence[ForOp], outermost: ForOp
) -> None:
    """Refuse unless the extents are equal whenever control reaches ``outermost``, a loop of either
    nest.
    """
    space = Space()
    first = space.place(outermost, for_inits=True)
    second = space.place(outermost, first.loops, for_inits=True)
    for first_loop, second_loop in zip(first_nest, second_nest, strict=True):
        sizes = first_loop.extent_value, second_loop.extent_value
        if sizes[0] != sizes[1]:
            counts = [
                number(size) if isinstance(size, int) else space.value(size, place)
                for size, place in zip(sizes, (first, second), strict=True)
            ]
            witness = space.find([first, second], [counts[0].differs(counts[1])])
            if witness is not None:
                shown = [loop_tree.extent_text(size) for size in sizes]
                raise site.refuse(
                    "KC3454",
                    f"loop {first_loop.label} has {shown[0]} iterations, "
                    f"{second_loop.label} has {shown[1]}",
                    at=first_loop,
                    mark=to_be_merged([first_loop, second_loop]),
                    beside=[second_loop],
                    why=_difference(space, first, witness),
                    hints=_cut(first_loop, second_loop),
                )
        space.enter_loop(first_loop, first)
        space.enter_loop(second_loop, second, first.loops[first_loop])


def _difference(space: Space, place: Instance, witness: Witness) -> str | Undecided:
    if witness.undecided is not None:
        return Undecided(f"they cannot be proven equal: {witness.undecided}")
    if any(" #" in name for name in space.parameters):
        return "they cannot be proven equal: they are not affine"
    sizes = ", ".join(f"{name} = {value}" for name, value in space.sizes(witness).items())
    where = place.at(witness) + (f" for {sizes}" if sizes else "")
    return f"they are not equal{where}" if where else "merged loops must run the same iterations"


def _cut(first: ForOp, second: ForOp) -> list[str]:
    """The hint to cut the longer of two loops with constant extents."""
    sizes = first.static_extent, second.static_extent
    if sizes[0] is None or sizes[1] is None or 0 in sizes:
        return []
    longer = first if sizes[0] > sizes[1] else second
    return [f"loop_partition first: loop={longer.label} factors={min(sizes[0], sizes[1])},?"]
