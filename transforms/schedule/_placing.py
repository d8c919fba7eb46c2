"""Computing a block at another place: the part that is needed there, as loops around the block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineConstraintExpr, AffineExpr, AffineSet

from kc.analysis import loop_tree
from kc.analysis.index_values import IndexValues
from kc.analysis.instances import Instance, Space
from kc.analysis.regions import WHOLE, Interval
from kc.dialects.affine_assembly import ZERO, at_least_zero
from kc.dialects.tir import BlockOp, ForKind, ForOp, IterType
from kc.transforms.affine_rewrite import set_block_spaces
from kc.transforms.schedule._blocks import Position, own_loops, rebuild
from kc.transforms.schedule.base import Site, require_serial


@dataclass
class Domain:
    """For each variable of a block, the values that it takes at the new place."""

    intervals: list[Interval]
    index: IndexValues

    def enter(self, block: BlockOp, space: Space, made: Instance) -> list[str]:
        """The variables as new coordinates of ``made``, an instance of the new place."""
        found: list[str] = []
        for interval, extent in zip(self.intervals, block.extents, strict=True):
            dim = space.dim(made)
            found.append(dim)
            made.constraints.append(f"0 <= {dim} and {dim} < {space.size(extent, made)}")
            if interval.size is not None:
                base = self.base(interval, space, made)
                made.constraints.append(f"{base} <= {dim} and {dim} < {base} + {interval.size}")
        return found

    def base(self, interval: Interval, space: Space, made: Instance) -> str:
        """A base as isl text."""
        map_, operands = self.index.to_map([interval.base])
        return space.expr(map_.results[0], operands, made)


def needed_domain(
    block: BlockOp,
    places: Sequence[Position | None],
    region: Sequence[Interval],
    index: IndexValues,
) -> Domain:
    """The values of the variables that ``region`` of the buffer needs; reductions are whole."""
    intervals: list[Interval] = []
    for place, kind, extent in zip(places, block.types, block.extents, strict=True):
        interval = WHOLE
        if place is not None and kind is IterType.SPATIAL:
            part = region[place.dim]
            if part.size is not None and not (isinstance(extent, int) and extent <= part.size):
                interval = Interval(index.simplify(part.base - place.offset), part.size)
        intervals.append(interval)
    return Domain(intervals, index)


def require_loose(site: Site, primitive: str, block: BlockOp) -> list[ForOp]:
    """The loops that go when ``block`` moves; they must be serial (KC3010, KC3011)."""
    loops = own_loops(block)
    for loop in loops:
        require_serial(site, primitive, loop)
    return loops


def require_scalar_place(site: Site, primitive: str, block: BlockOp, loop: ForOp) -> None:
    """Refuse (KC3211) a place inside a vectorized loop."""
    for one in [*loop_tree.loops_around(loop), loop]:
        if one.kind.data is ForKind.VECTORIZED:
            raise site.refuse(
                "KC3211",
                f"{primitive}: loop {one.label} is vectorized",
                at=loop,
                mark={loop: "here", one: "vectorized"},
                why=f"the lanes of {one.label} would share one {block.label}",
                hints=[f"{primitive} first, then vectorize"],
            )


@dataclass
class Placing:
    """Builds the loops around a block at its new place."""

    site: Site
    block: BlockOp
    domain: Domain
    keep_unit_loops: bool
    guards: Mapping[int, tuple[bool, bool]]
    """For a variable, whether the part may begin before its domain, and end after it."""

    def build(self, anchor: Operation | None, home: Block, near: ForOp | None) -> list[ForOp]:
        """Move the block before ``anchor`` (or to the end of ``home``), into its loops.

        ``near`` is a loop of the nest that the names are new in.
        """
        block, index = self.block, self.domain.index
        extents = list(block.extents)
        wanted: list[tuple[int, int | SSAValue]] = []
        for n, (interval, extent) in enumerate(zip(self.domain.intervals, extents, strict=True)):
            size = extent if interval.size is None else interval.size
            if size != 1 or self.keep_unit_loops:
                wanted.append((n, size))
        names = [block.names[n].removeprefix("v_") for n, _ in wanted]
        if near is not None:
            names = self.site.fresh_names(names, near, [])
        loops = [ForOp(name, size) for name, (_, size) in zip(names, wanted, strict=True)]
        for one in loops:
            one.location = block.location
        counters = {n: one for (n, _), one in zip(wanted, loops, strict=True)}
        bindings: list[AffineExpr] = []
        conditions: list[AffineConstraintExpr] = []
        for n, interval in enumerate(self.domain.intervals):
            expr = ZERO if interval.size is None else interval.base
            if n in counters:
                counter = index.expr(counters[n].var)
                expr = counter if interval.size is None else index.simplify(expr + counter)
            bindings.append(expr)
            low, high = self.guards.get(n, (False, False))
            if low:
                conditions.append(at_least_zero(expr))
            if high:
                extent = extents[n]
                last = (
                    AffineExpr.constant(extent) if isinstance(extent, int) else index.expr(extent)
                )
                conditions.append(at_least_zero(index.simplify(last - expr - 1)))
        made: dict[SSAValue, SSAValue] = {}
        op: Operation = block
        block.detach()
        set_block_spaces(
            block,
            index.to_map(bindings),
            index.to_set(conditions) if conditions else (AffineSet(0, 0, ()), []),
        )
        for loop in reversed(loops):
            loop.body.block.add_op(op)
            op = loop
        if anchor is None:
            home.add_op(op)
        else:
            home.insert_op_before(op, anchor)
        self._rebuild_values(op, made)
        return loops

    def _rebuild_values(self, top: Operation, made: dict[SSAValue, SSAValue]) -> None:
        """Compute what is not known at the new place once more, before ``top``."""
        inside = {id(one) for op in top.walk() for one in op.results}
        inside |= {
            id(arg) for op in top.walk() for region in op.regions for body in region.blocks
            for arg in body.args
        }
        for op in list(top.walk()):
            for n, operand in enumerate(op.operands):
                if id(operand) not in inside:
                    value = rebuild(operand, top, made)
                    if value is not operand:
                        op.operands[n] = value
