"""The code of a block at its new place: loops around the block that run the instances of the block
which this place needs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineConstraintExpr, AffineDimExpr, AffineExpr

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import Instance, Space, Supply, is_before
from kc.analysis.accesses.regions import WHOLE, BoundIndexValues, Interval, box
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.affine.terms import Condition, Term, equal, lexicographic
from kc.analysis.loop_tree import all_loops_around, buffer_name, memory_scope
from kc.dialects.affine_assembly import ZERO, at_least_zero
from kc.dialects.tir import AllocOp, BlockOp, ForKind, ForOp, IterType, LoadOp, StoreOp, ViewOp
from kc.support.diagnostics import ScheduleError, suggest
from kc.support.locations import location_of
from kc.transforms.affine_rewrite import set_block_spaces
from kc.transforms.known_values import rebuild, rebuild_captured
from kc.transforms.schedule._blocks import (
    Definition,
    describe,
    erase_empty,
    own_loops,
    require_available,
    require_unchanged,
    witness_text,
)
from kc.transforms.schedule._radix import variables_in
from kc.transforms.schedule.base import CALL_SITE, LoopRef, Site, require_serial
from kc.transforms.schedule.placing._ragged import Ragged, ragged_of


@dataclass
class Domain:
    """For each variable of a block, its values at the new place."""

    intervals: list[Interval]
    index: IndexValues
    ragged: Ragged | None = None
    """The variables whose extents differ between elements; None if there are none."""

    def enter(self, block: BlockOp, space: Space, place: Instance) -> list[Term]:
        """The variables as new coordinates of ``place``, an instance of the new place."""
        dims: list[Term] = []
        for n, (interval, extent) in enumerate(zip(self.intervals, block.extents, strict=True)):
            dim = space.dim(place)
            dims.append(dim)
            if self.ragged is not None and n in self.ragged.variables:
                place.constraints.append(dim >= 0)
                continue
            place.constraints.append(dim.within(space.size(extent, place)))
            if interval.size is not None:
                base = self.base(interval, space, place)
                place.constraints += [base <= dim, dim < base + interval.size]
        return dims

    def with_all_of(self, second: Domain) -> Domain:
        """The union of two domains: for each variable the larger of two parts with the same start,
        otherwise all values.
        """
        intervals: list[Interval] = []
        for interval, second_interval in zip(self.intervals, second.intervals, strict=True):
            if (
                interval.size is None
                or second_interval.size is None
                or interval.base != second_interval.base
            ):
                intervals.append(WHOLE)
            else:
                intervals.append(
                    interval if interval.size >= second_interval.size else second_interval
                )
        return Domain(intervals, self.index, self.ragged)

    def base(self, interval: Interval, space: Space, place: Instance) -> Term:
        """The base of an interval as a term of ``place``."""
        map_, operands = self.index.to_map([interval.base])
        return space.expr(map_.results[0], operands, place)


def needed_domain(
    block: BlockOp, store: StoreOp, region: Sequence[Interval], index: IndexValues
) -> Domain:
    """The values of the variables for which ``store`` is in ``region``; reductions are whole."""
    intervals: list[Interval] = []
    parts = variables_in(block, store, region, index)
    for part, kind, extent in zip(parts, block.types, block.extents, strict=True):
        if kind is not IterType.SPATIAL:
            part = WHOLE
        is_all = part.size is None or (isinstance(extent, int) and extent <= part.size)
        intervals.append(WHOLE if is_all else part)
    return Domain(intervals, index)


_KEPT = (ForKind.VECTORIZED, ForKind.UNROLLED)
"""Kinds that the loop of a variable retains at another place, since they are independent of the
loops around it.
"""


def require_loose(site: Site, block: BlockOp) -> list[ForOp]:
    """The loops that are removed when the block moves.

    Refuses (KC3010, KC3011) a loop that is not serial, unless the new loop of its variable gets the
    same kind.
    """
    loops = own_loops(block)
    kinds = _kinds(block, loops)
    for loop in loops:
        if loop not in kinds or loop.annotations is not None:
            require_serial(site, loop)
    return loops


def _kinds(block: BlockOp, loops: Sequence[ForOp]) -> dict[ForOp, int]:
    """Vectorized and unrolled loops that alone drive a spatial variable, with its number."""
    index = IndexValues()
    counted = [index.compose(expr, block.binding_operands) for expr in block.bindings.data.results]
    return {
        loop: n
        for n, (expr, kind) in enumerate(zip(counted, block.types, strict=True))
        for loop in loops
        if kind is IterType.SPATIAL
        and loop.kind.data in _KEPT
        and isinstance(expr, AffineDimExpr)
        and index.roots[expr.position] is loop.var
    }


def require_scalar_place(site: Site, what: str, loop: ForOp) -> None:
    """Refuse (KC3211) a place for ``what`` inside a vectorized loop."""
    for outer in [*loop_tree.loops_around(loop), loop]:
        if outer.kind.data is ForKind.VECTORIZED:
            raise site.refuse(
                "KC3211",
                f"loop {outer.label} is vectorized",
                at=loop,
                mark={loop: "here", outer: "vectorized"},
                why=f"the lanes of {outer.label} would share one {what}",
                hints=[f"{site.primitive} first, then vectorize"],
            )


@dataclass
class Placing:
    """The new place of a block, and the values of its variables there."""

    definition: Definition
    anchor: Operation
    """The operation before or after which the block goes."""
    domain: Domain
    guards: list[tuple[bool, bool]]
    """For each variable, True if the part may start before its domain, and True if it may end after
    it.
    """
    loose: list[ForOp]
    """The loops that are removed."""
    behind: bool = False
    """True if the block goes after ``anchor``."""


def plan_placing(
    site: Site, definition: Definition, anchor: Operation, inside: Block, where: str
) -> Placing:
    """The plan to compute, before ``anchor``, the elements of ``definition.buffers`` that
    ``inside`` reads.

    ``where`` describes the place in refusals. Refuses KC3010, KC3011, KC3206, KC3207, KC3208 and
    KC3209.
    """
    block = definition.block
    loose = require_loose(site, block)
    ragged = ragged_of(block, anchor, loose)
    sizes = () if ragged is None else [block.extents[n] for n in ragged.variables]
    leave = [*definition.buffers, *(value for value in sizes if isinstance(value, SSAValue))]
    require_available(site, block, anchor, where, leave=leave)
    index = BoundIndexValues()
    loads = definition.reads
    needed = [
        needed_domain(block, store, region, index)
        for buffer in definition.buffers
        if (region := _region(loads, buffer, inside, index)) is not None
        for store in definition.stores_of(buffer)
    ]
    domain = needed[0]
    for part in needed[1:]:
        domain = domain.with_all_of(part)
    domain.ragged = ragged
    plan = _Prover(site, definition, anchor, domain, where)
    for load in loads:
        plan.require_cover(load)
    plan.require_executed()
    plan.require_unchanged()
    return Placing(definition, anchor, domain, guards_of(block, domain, anchor), loose)


def _region(
    loads: Sequence[LoadOp | ViewOp], buffer: SSAValue, inside: Block, index: IndexValues
) -> list[Interval] | None:
    """The part of ``buffer`` that ``loads`` read in one execution of ``inside``; None if they do
    not read it.
    """
    return box(
        [load for load in loads if load.buffer is buffer], inside, index, memory_scope(buffer)
    )


@dataclass
class _Prover:
    site: Site
    definition: Definition
    anchor: Operation
    domain: Domain
    where: str

    def require_cover(self, load: LoadOp | ViewOp) -> None:
        """Require (KC3206) that all elements of ``load`` are computed before it, in the same
        iteration of the loops around both.
        """
        block = self.definition.block
        space = Space()
        read = space.instance(load)
        shared = {loop: read.loops[loop] for loop in all_loops_around(self.anchor)}
        new = space.place(self.anchor, shared)
        around = self.anchor.parent_op()
        if around is not None and around.is_ancestor(load):
            new.opaque.clear()  # unknowns of loops around both are the same for both
        new.values.update(
            zip(block.body.block.args, self.domain.enter(block, space, new), strict=True)
        )
        # An empty reduction has its initial value, so its element exists as well.
        ragged = () if self.domain.ragged is None else self.domain.ragged.variables
        for n, (kind, _, extent) in enumerate(block.iters):
            if kind is IterType.REDUCE and not isinstance(extent, int) and n not in ragged:
                space.facts.append(space.size(extent, new) >= 1)
        element = space.element(load, read)
        supplies: list[Supply] = []
        for store in self.definition.stores_of(load.buffer):
            write = space.inside(new, block, store)
            supplies.append(Supply(write, space.element(store, write)))
        in_bounds = space.in_bounds(load, element, read)
        witness = space.uncovered(read, element, supplies, in_bounds)
        if witness is None:
            return
        reader = self.definition.unit(load)
        name = buffer_name(load.buffer)
        raise self.site.refuse(
            "KC3206",
            f"{describe(reader)} reads elements of {name} that block "
            f"{block.label} "
            + ("may not write" if witness.undecided else "does not write")
            + f" {self.where}",
            at=reader,
            mark={block: f"writes {name}", reader: f"reads {name}"},
            why=witness.undecided or f"element {witness_text(space, witness)} is not written",
        )

    def require_executed(self) -> None:
        """Require (KC3209) that every instance at the new place is an instance at the old place,
        and for a reduction the only such instance.
        """
        block = self.definition.block
        space = Space()
        new = space.place(self.anchor)
        values = self.domain.enter(block, space, new)
        common = {loop: dim for loop, dim in new.loops.items() if loop_tree.is_inside(block, loop)}
        ragged = self.domain.ragged
        if ragged is None:
            old = space.instance(block, common)
            supply = Supply(old, old_values(old, block))
        else:
            old = ragged.instance(space, common)
            supply = Supply(old, ragged.values(space, old))
            values = [values[n] for n in ragged.outer]
        witness = space.uncovered(new, values, [supply])
        if witness is not None:
            at = ", ".join(
                f"{name}={value}" for name, value in zip(block.names, witness.element, strict=False)
            )
            raise self.site.refuse(
                "KC3209",
                f"block {block.label} "
                + ("may not run" if witness.undecided else "does not run")
                + f" for all needed elements {self.where}",
                at=block,
                why=witness.undecided
                or f"it does not run for {at}, which is in the bounding box of all reads",
            )
        if block.is_reduction:
            require_once(self.site, self.definition, self.anchor, ragged)
            require_init_first(self.site, self.definition, self.anchor, ragged)

    def require_unchanged(self) -> None:
        """Require (KC3207) that the inputs of the block have the same values at the new place."""
        space = Space()
        block = self.definition.block
        new = space.place(self.anchor)
        new.at_start = True
        values = self.domain.enter(block, space, new)
        common = {loop: dim for loop, dim in new.loops.items() if loop_tree.is_inside(block, loop)}
        old = space.instance(block, common)
        ragged = self.domain.ragged
        compared = range(len(values)) if ragged is None else ragged.outer
        before = old_values(old, block)
        same = equal([values[n] for n in compared], [before[n] for n in compared])
        is_later = is_before(block, self.anchor)
        ends = (old, new) if is_later else (new, old)
        require_unchanged(self.site, self.definition, space, old, *ends, same)


def require_once(
    site: Site, definition: Definition, anchor: Operation, ragged: Ragged | None = None
) -> None:
    """Refuse (KC3209) a block that runs twice for the same values.

    Runs are compared within one iteration of the loops around both the block and ``anchor``, or
    around its buffer.
    """
    block = definition.block
    space = Space()
    first, second, earlier = _two_instances(space, definition, anchor, ragged)
    same = equal(*(_values(space, run, block, ragged) for run in (first, second)))
    witness = space.find([first, second], [earlier, *same])
    if witness is not None:
        raise site.refuse(
            "KC3209",
            f"block {block.label} "
            + ("may run" if witness.undecided else "runs")
            + " more than once for the same values of its variables",
            at=block,
            why=witness.undecided
            or f"it does{first.at(witness)} and{second.at(witness)}, and a reduction accumulates "
            "each time it runs",
        )


def require_init_first(
    site: Site, definition: Definition, anchor: Operation, ragged: Ragged | None = None
) -> None:
    """Refuse (KC3233) an update of an element before its init.

    The block is a reduction that passes :func:`require_once`. At another place, the init of the
    first iteration would come first.
    """
    block = definition.block
    space = Space()
    update, init, earlier = _two_instances(space, definition, anchor, ragged)
    compared = range(len(block.types)) if ragged is None else ragged.outer
    updated, started = (_values(space, run, block, ragged) for run in (update, init))
    same = [
        y.equals(0) if block.types[n] is IterType.REDUCE else x.equals(y)
        for x, y, n in zip(updated, started, compared, strict=True)
    ]
    witness = space.find([update, init], [earlier, *same])
    if witness is not None:
        raise site.refuse(
            "KC3233",
            f"block {block.label} "
            + ("may add" if witness.undecided else "adds")
            + " to an element before it is initialised",
            at=block,
            why=witness.undecided
            or f"the update{update.at(witness)} comes before the init{init.at(witness)}, which "
            "overwrites it; at the new place it would come after the init and count",
        )


def _values(space: Space, instance: Instance, block: BlockOp, ragged: Ragged | None) -> list[Term]:
    """The variables of an instance of ``block``, or of its ``ragged`` loops."""
    return old_values(instance, block) if ragged is None else ragged.values(space, instance)


def _two_instances(
    space: Space, definition: Definition, anchor: Operation, ragged: Ragged | None
) -> tuple[Instance, Instance, Condition]:
    """Two instances of the block (of its ``ragged`` loops), and the condition that the first is
    earlier.

    Both are within one iteration of the loops around both the block and ``anchor``, or around its
    buffer.
    """

    def instance(shared: Mapping[ForOp, Term]) -> Instance:
        if ragged is None:
            return space.instance(definition.block, shared)
        return ragged.instance(space, shared)

    first = instance({})
    shared = {
        loop: dim
        for loop, dim in first.loops.items()
        if loop_tree.is_inside(anchor, loop)
        or all(loop_tree.defined_inside(buffer, loop) for buffer in definition.buffers)
    }
    second = instance(shared)
    rest = [loop for loop in first.loops if loop not in shared]
    earlier = lexicographic(
        [first.loops[loop] for loop in rest], [second.loops[loop] for loop in rest]
    )
    return first, second, earlier


def guards_of(block: BlockOp, domain: Domain, anchor: Operation) -> list[tuple[bool, bool]]:
    """For each variable, True if its part at ``anchor`` can start before its domain, and True if it
    can end after it.
    """
    space = Space()
    new = space.place(anchor)
    guards: list[tuple[bool, bool]] = []
    for interval, extent in zip(domain.intervals, block.extents, strict=True):
        if interval.size is None:
            guards.append((False, False))
            continue
        base = domain.base(interval, space, new)
        end = base + interval.size > space.size(extent, new)
        guards.append(
            (
                space.find([new], [base < 0]) is not None,
                space.find([new], [end]) is not None,
            )
        )
    return guards


def old_values(instance: Instance, block: BlockOp) -> list[Term]:
    """The variables of ``block`` in an instance of it."""
    return [instance.values[arg] for arg in block.body.block.args]


def build(
    site: Site,
    plan: Placing,
    near: ForOp | None,
    allocs: Sequence[AllocOp] = (),
    *,
    unit_loops: bool,
) -> list[ForOp]:
    """Move the block to its new place, in loops with unused names in the nest of ``near``.

    ``allocs`` move before the loops. Returns the loops, in the order of the block's variables.
    Without ``unit_loops``, none of them has one iteration.
    """
    block, index = plan.definition.block, plan.domain.index
    counted: list[tuple[int, int | SSAValue]] = []
    for n, (interval, extent) in enumerate(zip(plan.domain.intervals, block.extents, strict=True)):
        size = extent if interval.size is None else interval.size
        if size != 1 or unit_loops:
            counted.append((n, size))
    names = [block.names[n].removeprefix("v_") for n, _ in counted]
    if near is not None:
        inner = [op for op in block.walk() if isinstance(op, ForOp)]
        fresh = site.fresh_names([*names, *(loop.label for loop in inner)], near, [])
        names = fresh[: len(names)]
        for loop, name in zip(inner, fresh[len(names) :], strict=True):
            loop.properties["loop_name"] = StringAttr(name)
            loop.var.name_hint = name
    loops = [ForOp(name, size) for name, (_, size) in zip(names, counted, strict=True)]
    kinds = {n: loop.kind for loop, n in _kinds(block, plan.loose).items()}
    for (n, _), new_loop in zip(counted, loops, strict=True):
        new_loop.location = block.location
        new_loop.kind = kinds.get(n, new_loop.kind)
    counters = {n: new_loop for (n, _), new_loop in zip(counted, loops, strict=True)}
    bindings: list[AffineExpr] = []
    conditions: list[AffineConstraintExpr] = []
    for n, (interval, (low, high)) in enumerate(
        zip(plan.domain.intervals, plan.guards, strict=True)
    ):
        expr = ZERO if interval.size is None else interval.base
        if n in counters:
            expr = index.simplify(expr + index.expr(counters[n].var))
        bindings.append(expr)
        if low:
            conditions.append(at_least_zero(expr))
        if high:
            extent = block.extents[n]
            end = AffineExpr.constant(extent) if isinstance(extent, int) else index.expr(extent)
            conditions.append(at_least_zero(index.simplify(end - expr - 1)))
    old_parent = block.parent_op()
    block.detach()
    set_block_spaces(block, index.to_map(bindings), index.to_set(conditions))
    op: Operation = block
    for loop in reversed(loops):
        loop.body.block.add_op(op)
        op = loop
    home = plan.anchor.parent
    assert home is not None
    if plan.behind:
        home.insert_op_after(op, plan.anchor)
    else:
        home.insert_op_before(op, plan.anchor)
    if plan.domain.ragged is not None:
        guarded = [low or high for low, high in plan.guards]
        plan.domain.ragged.rebuild(counters, bindings, guarded, index)
    _rebuild_values(op, allocs)
    erase_empty(old_parent)
    return loops


def went(loop: ForOp, plan: Placing) -> str:
    """The explanation for a loop that was removed because the block moved out of it."""
    return f"{loop.label} was removed when block {plan.definition.block.label} moved"


def _rebuild_values(top: Operation, allocs: Sequence[AllocOp]) -> None:
    """Recompute values that are not available at the place of ``top`` before it."""
    rebuilt: dict[SSAValue, SSAValue] = {}
    home = top.parent
    assert home is not None
    for alloc in allocs:
        alloc.detach()
        home.insert_op_before(alloc, top)
        alloc.operands = [rebuild(size, alloc, rebuilt) for size in alloc.dynamic_sizes]
    rebuild_captured(top, rebuilt)


def loop_near(
    site: Site,
    ref: LoopRef,
    block: BlockOp,
    users: Sequence[Operation],
    what: str,
) -> ForOp:
    """The loop of ``ref`` among the loops around ``users``, the ``what`` of ``block``.

    Raises ScheduleError KC3004 if several loops have the name, and refuses (KC3201) if none has.
    """
    if isinstance(ref.target, ForOp):
        return ref.target
    around = dict.fromkeys(loop for user in users for loop in loop_tree.loops_around(user))
    named = [loop for loop in around if loop.label == ref.target]
    if len(named) == 1:
        return named[0]
    names = ", ".join(describe(user) for user in users)
    if named:
        raise ScheduleError(
            "KC3004",
            f"there are {len(named)} loops '{ref.target}' around the {what} of {block.label}",
            location=CALL_SITE.get() or location_of(named[1]),
            why=f"the {what} are {names}",
            facts=loop_tree.render(site.function, dict.fromkeys(named, "this one?")),
        )
    why = site.past(ref.target)
    if why is None:
        candidates = [
            candidate
            for candidate in loop_tree.blocks(site.function)
            if any(loop.label == ref.target for loop in loop_tree.loops_around(candidate))
        ]
        if candidates:
            why = f"{ref.target} is a loop of block {candidates[0].label}"
    raise site.refuse(
        "KC3201",
        f"there is no loop '{ref.target}' around the {what} of {block.label}",
        at=users[0],
        mark={users[0]: "this is one of them" if len(users) > 1 else "this is the one"},
        why=why or f"the {what} are {names}",
        hints=suggest(ref.target, [loop.label for loop in around], "the loops are"),
    )
