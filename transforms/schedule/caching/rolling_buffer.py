"""rolling_buffer: a buffer retains elements that the next iteration of a loop needs again.

Before, ``rolling-buffer block=B``, after ``compute-at block=B loop=i``::

    tir.for %i in 14 {
      %B = tir.alloc "B" : memref<16x16xf32>
      tir.for %i_1 in 3 {
        tir.for %j in 16 {
          tir.block "B" (spatial %v_i in 16 = %i + %i_1, spatial %v_j in 16 = %j) do {
            writes %B[%v_i, %v_j]
      tir.for %j_1 in 16 {
        tir.block "C" ... do { reads %B[%v_i, %v_j] and %B[%v_i + 2, %v_j] }

After::

    %B = tir.alloc "B" : memref<3x16xf32>
    tir.for %i in 14 {
      tir.for %i_1 in 3 {
        tir.for %j in 16 {
          tir.block "B" (opaque %v_i in 16 = %i + %i_1, spatial %v_j in 16 = %j)
              where (%i_1 - ((%i + 13) floordiv 14) * 2 >= 0) do {
            writes %B[%v_i mod 3, %v_j]
      tir.for %j_1 in 16 {
        tir.block "C" ... do { reads %B[%v_i mod 3, %v_j] and %B[(%v_i + 2) mod 3, %v_j] }

Only the first iteration computes all three rows; each later iteration computes the new row, in the
place of the row that is no longer needed. The buffer rolls along the outermost loop that moves the
used part by less than its length.

*Legal when*

1. KC3200: the block computes each element of one buffer independently, or is a reduction.
2. KC3300, KC3202, KC3205: it is the only writer of the buffer, which is not an output.
3. KC3490: the part of the buffer that an iteration uses overlaps with that of the previous one.
4. KC3491: the loops from there to the accesses are serial.
5. KC3494, KC3493: an element has the same value when the next iteration computes it, inputs
   included; the inputs may be recomputed in each iteration if they get the same values.
6. KC3492: all elements that are read are in the buffer, and not overwritten by others.
7. KC3495: the sizes of the buffer do not depend on the loop.

TVM: ``rolling_buffer``. Halide: ``store_at`` outside of ``compute_at`` (sliding window, storage
folding).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import Instance, Space, Supply, Witness, touched
from kc.analysis.accesses.regions import (
    BoundIndexValues,
    Interval,
    box,
    loads_of,
    scope_of,
    stores_to,
    unit_of,
)
from kc.analysis.affine.index_values import dimensions
from kc.analysis.affine.terms import Condition, Term, all_of, any_of, equal
from kc.analysis.loop_tree import all_loops_around, buffer_name
from kc.dialects.affine_assembly import at_least_zero, from_terms, linear_terms
from kc.dialects.tir import (
    DYNAMIC,
    AllocOp,
    BlockOp,
    ForKind,
    ForOp,
    IterType,
    IterTypeAttr,
    LoadOp,
    StoreOp,
)
from kc.support.diagnostics import ScheduleError
from kc.transforms.affine_rewrite import add_predicate, compact
from kc.transforms.schedule._blocks import (
    Definition,
    captured,
    describe,
    require_definition,
    require_private,
    witness_text,
)
from kc.transforms.schedule._buffers import BufferRef, find_buffer
from kc.transforms.schedule.base import BlockRef, Primitive, Rewritten, Site
from kc.transforms.schedule.caching._caching import WRITTEN_BUFFER

FOREVER = 2**62
"""A number larger than the iterations of a loop of unknown extent."""


@dataclass(frozen=True)
class RollingBuffer(Primitive):
    """Retain elements that the next iteration needs again in a buffer."""

    name: ClassVar[str] = "rolling-buffer"
    undecidable = True

    block: BlockRef = field(metadata={"help": "the block that writes the buffer"})
    buffer: BufferRef = field(
        default=BufferRef(0),
        metadata=WRITTEN_BUFFER,
    )

    def check(self, site: Site) -> Rolling:
        block = site.resolve_block(self.block)
        find_buffer(site, block, self.buffer, "writes")
        definition = require_definition(site, block)
        (alloc,) = require_private(site, definition)
        common = _common_loops(definition.buffer)
        rolling = _find(site, definition, common)
        loop = rolling.loop
        for inner in common[common.index(loop) :]:
            if inner.kind.data is not ForKind.SERIAL:
                raise site.refuse(
                    "KC3491",
                    f"loop {inner.label} is {inner.kind.data.value}",
                    at=inner,
                    mark={loop: "rolls here", inner: inner.kind.data.value},
                    why=f"the kept part of {alloc.label} is for the next iteration",
                )
        for size in alloc.dynamic_sizes:
            if loop_tree.defined_inside(size, loop):
                raise site.refuse(
                    "KC3495",
                    f"the sizes of {alloc.label} depend on loop {loop.label}",
                    at=loop,
                    mark={loop: "rolls here", alloc: "here"},
                    why="one buffer serves all iterations of the loop",
                )
        Prover(site, rolling).require_same()
        return rolling

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for block in loop_tree.blocks(site.function):
            for buffer in dict.fromkeys(store.buffer for store in _stores(block)):
                if isinstance(buffer.owner, AllocOp) and _common_loops(buffer):
                    yield cls(BlockRef(block), BufferRef(buffer))

    def rewrite(self, site: Site, plan: Rolling) -> Rewritten:
        block, loop, index = plan.definition.block, plan.loop, plan.index
        # 0 in the first iteration, 1 in later ones, as an affine expression
        later = index.expr(loop.var).ceil_div(loop.static_extent or FOREVER)
        rest = index.simplify(plan.offset() - later * plan.overlap)
        space, operands = index.to_set([at_least_zero(rest)])
        for constraint in space.constraints:
            add_predicate(block, constraint, operands)
        store = plan.definition.store
        used = [
            store.operands_of_map[dim] for dim in store.indices.data.results[plan.axis].used_dims()
        ]
        block.properties["iter_types"] = ArrayAttr(
            IterTypeAttr(IterType.OPAQUE) if arg in used else kind
            for arg, kind in zip(block.body.block.args, block.iter_types.data, strict=True)
        )
        for op in [*loads_of(plan.buffer), *stores_to(plan.buffer)]:
            _roll(op, plan.axis, plan.length)
        _replace_alloc(plan)
        return Rewritten()


def _stores(block: BlockOp) -> list[StoreOp]:
    return [op for op in block.walk() if isinstance(op, StoreOp)]


def _common_loops(buffer: SSAValue) -> list[ForOp]:
    """The loops around all accesses of ``buffer``, outermost first."""
    paths = [all_loops_around(op) for op in [*loads_of(buffer), *stores_to(buffer)]]
    return [loop for loop in paths[0] if all(loop in path for path in paths)]


def _find(site: Site, definition: Definition, common: Sequence[ForOp]) -> Rolling:
    """The outermost loop along which a dimension rolls. Refuses (KC3490) a buffer without such a
    loop.
    """
    name, block = buffer_name(definition.buffer), definition.block
    region: list[Interval] = []
    if common:
        index = BoundIndexValues()
        inside = common[-1].body.block
        region = (
            box(
                [store for store in _stores(block) if store.buffer is definition.buffer],
                inside,
                index,
            )
            or []
        )
        for loop in common:
            for axis, interval in enumerate(region):
                if interval.size is None:
                    continue
                step = _step(interval.base, loop, common, index)
                if step is not None and 0 < step < interval.size:
                    overlap = interval.size - step
                    return Rolling(
                        definition, loop, axis, interval.base, interval.size, overlap, index
                    )
    raise site.refuse(
        "KC3490",
        f"no part of {name} is used again in the next iteration of a loop",
        at=block,
        why=f"each iteration of {common[-1].label} uses separate elements, or all of them"
        if common
        else f"no loop contains both block {block.label} and all consumers of {name}",
        hints=[f"compute_at block={block.label} at a loop around the consumers of {name}"]
        if not common
        else [],
    )


def _step(
    base: AffineExpr, loop: ForOp, common: Sequence[ForOp], index: BoundIndexValues
) -> int | None:
    """The distance by which an iteration of ``loop`` moves ``base``; None if other loops also move
    it.
    """
    root = index.expr(loop.var)
    inner = [index.expr(nested.var) for nested in common[common.index(loop) + 1 :]]
    terms, _ = linear_terms(base)
    step = terms.pop(root, None)
    rest = set(dimensions(from_terms(terms, 0)))
    assert isinstance(root, AffineDimExpr)
    moving = {dim.position for dim in [root, *inner] if isinstance(dim, AffineDimExpr)}
    return None if rest & moving else step


def _roll(op: LoadOp | StoreOp, axis: int, length: int) -> None:
    """Reduce index ``axis`` of an access modulo ``length``."""
    exprs = list(op.indices.data.results)
    exprs[axis] = exprs[axis] % length
    operands = list(op.operands_of_map)
    map_, operands = compact(AffineMap(len(operands), 0, tuple(exprs)), operands)
    fixed = len(op.operands) - len(op.operands_of_map)
    op.operands = [*list(op.operands)[:fixed], *operands]
    op.properties["indices"] = AffineMapAttr(map_)


def _replace_alloc(plan: Rolling) -> None:
    """Replace the alloc by one buffer for all iterations, with the length of the part that an
    iteration uses.
    """
    old = plan.buffer.owner
    assert isinstance(old, AllocOp)
    type_ = plan.buffer.type
    assert isinstance(type_, MemRefType)
    shape = list(type_.get_shape())
    sizes = dict(
        zip([n for n, size in enumerate(shape) if size == DYNAMIC], old.dynamic_sizes, strict=True)
    )
    sizes.pop(plan.axis, None)
    shape[plan.axis] = plan.length
    new = AllocOp(
        old.label,
        MemRefType(type_.element_type, shape, memory_space=type_.memory_space),
        list(sizes.values()),
    )
    new.attributes.update(old.attributes)
    new.location = old.location
    home = plan.loop.parent
    assert home is not None
    home.insert_op_before(new, plan.loop)
    old.buffer.replace_all_uses_with(new.buffer)
    old.detach()
    old.erase()


# The rolling part ---------------------------------------------------------------------------


# An iteration leaves the elements that the next one needs in a circular buffer.
#
# All queries are about the program after the rewrite: the block skips elements that an earlier
# iteration has computed, and elements share a place if they differ by a multiple of the length.


@dataclass(frozen=True)
class Rolling:
    """Dimension ``axis`` of the buffer that ``definition`` defines rolls along ``loop``.

    One iteration needs ``length`` elements from ``base`` on (over the roots of ``index``); the
    first ``overlap`` of them exist from the previous iteration.
    """

    definition: Definition
    loop: ForOp
    axis: int
    base: AffineExpr
    length: int
    overlap: int
    index: BoundIndexValues

    @property
    def buffer(self) -> SSAValue:
        """The buffer."""
        return self.definition.buffer

    def offset(self) -> AffineExpr:
        """The distance from the base to the element that the block computes, over the roots."""
        store = self.definition.store
        place = self.index.compose(store.indices.data.results[self.axis], store.operands_of_map)
        return self.index.simplify(place - self.base)

    def is_new(self, space: Space, instance: Instance) -> Condition:
        """The condition that an instance of the block computes an element that does not
        yet exist.
        """
        first = instance.loops[self.loop] < 1
        return any_of([first, self._offset_at(space, instance) >= self.overlap])

    def is_there(self, space: Space, instance: Instance) -> Condition:
        """The condition that an instance of the block computes an element that already exists."""
        return ~self.is_new(space, instance)

    def _offset_at(self, space: Space, instance: Instance) -> Term:
        map_, operands = self.index.to_map([self.offset()])
        return space.expr(map_.results[0], operands, instance)


class Prover:
    """The checks that a rolling buffer leaves the results unchanged."""

    def __init__(self, site: Site, rolling: Rolling) -> None:
        self.site = site
        self.rolling = rolling
        self.block = rolling.definition.block
        self.loads = loads_of(rolling.buffer)
        self.stores = stores_to(rolling.buffer)
        self.name = buffer_name(rolling.buffer)

    def require_same(self) -> None:
        """Refuse (KC3492, KC3493, KC3494) unless each read returns the same value as before."""
        self._require_repeatable()
        for load in self.loads:
            self._require_written(load)
            for store in self.stores:
                self._require_kept(load, store)
        for load in self.block.walk():
            if isinstance(load, LoadOp) and load.buffer is not self.rolling.buffer:
                if self._is_a_function(load.buffer):
                    continue
                for store in stores_to(load.buffer):
                    if loop_tree.is_inside(store, self.rolling.loop):
                        self._require_unchanged(load, store)

    def _is_a_function(self, buffer: SSAValue, seen: frozenset[SSAValue] = frozenset()) -> bool:
        """True if every iteration of the loop that writes an element of ``buffer`` writes the same
        value.

        One block writes it, each element at once, from inputs that are written before the loop or
        are themselves such functions.
        """
        loop = self.rolling.loop
        writers = {unit_of(store, scope_of(store)) for store in stores_to(buffer)}
        inside = [writer for writer in writers if loop_tree.is_inside(writer, loop)]
        if not inside:
            return True
        if buffer in seen:
            return False
        (writer,) = inside if len(writers) == 1 else (None,)
        if not isinstance(writer, BlockOp) or writer.is_reduction:
            return False
        try:
            definition = require_definition(self.site, writer)
        except ScheduleError:
            return False
        moving = loop_tree.derived_values(loop.var)
        return not any(value in moving for value in captured(writer)) and all(
            self._is_a_function(read, seen | {buffer}) for read in definition.inputs
        )

    def _require_repeatable(self) -> None:
        """Require (KC3494) that the value of an element does not depend on the iteration that
        computes it.
        """
        block, loop = self.block, self.rolling.loop
        moving = loop_tree.derived_values(loop.var)
        reason = None
        for value in captured(block):
            if value in moving:
                reason = f"it uses {value.name_hint or 'a value'}, which changes with {loop.label}"
        for around in loop_tree.loops_around(block):
            if not loop_tree.is_inside(around, loop):
                continue
            if IterType.REDUCE in loop_tree.iter_types(around, block) and (
                around is loop or around.dynamic_extent in moving
            ):
                reason = f"its reduction domain depends on {loop.label}"
        reduced = {
            value
            for around in loop_tree.loops_around(block)
            if IterType.REDUCE in loop_tree.iter_types(around, block)
            for value in loop_tree.derived_values(around.var)
        }
        for constraint in block.predicate.data.constraints:
            used = {block.predicate_operands[dim] for dim in constraint.lhs.used_dims()}
            if used & reduced and used & moving:
                reason = f"its reduction domain depends on {loop.label}"
        if reason is not None:
            raise self.site.refuse(
                "KC3494",
                f"block {block.label} may compute a different element in another "
                f"iteration of {loop.label}",
                at=block,
                mark={loop: "rolls here", block: "the block"},
                why=reason,
            )

    def _instances(
        self, load: LoadOp
    ) -> tuple[Space, Instance, list[Condition], Mapping[ForOp, Term]]:
        """A read, the conditions of its execution, and the fixed coordinates around the loop."""
        space = Space()
        read = space.instance(load)
        for kind, _, extent in self.block.iters:  # an empty reduction has its initial value
            if kind is IterType.REDUCE and not isinstance(extent, int):
                space.facts.append(space.value(extent, read) >= 1)
        conditions = list(space.in_bounds(load, space.element(load, read), read))
        if loop_tree.is_inside(load, self.block):
            conditions.append(self.rolling.is_new(space, read))
        outside: dict[ForOp, Term] = {}
        for loop, dim in read.loops.items():
            if loop is self.rolling.loop:
                break
            outside[loop] = dim
        return space, read, conditions, outside

    def _supplies(
        self, space: Space, read: Instance, outside: Mapping[ForOp, Term], after: Instance | None
    ) -> list[Supply]:
        """The writes before ``read``, and after ``after`` if it is not None."""
        supplies: list[Supply] = []
        for store in self.stores:
            write = space.instance(store, outside)
            conditions = [space.before(write, read), self.rolling.is_new(space, write)]
            if after is not None:
                conditions.append(space.before(after, write))
            supplies.append(Supply(write, space.element(store, write), conditions))
        return supplies

    def _require_written(self, load: LoadOp) -> None:
        """Require (KC3492) that each read element was written before, in this or an earlier
        iteration.
        """
        space, read, conditions, outside = self._instances(load)
        element = space.element(load, read)
        supplies = self._supplies(space, read, outside, None)
        witness = space.uncovered(read, element, supplies, conditions)
        if witness is not None:
            raise self._lost(load, space, read, witness, "is not yet written")

    def _require_kept(self, load: LoadOp, store: StoreOp) -> None:
        """Require (KC3492) that no read element was overwritten by another element in the same
        place.
        """
        rolling = self.rolling
        space, read, conditions, outside = self._instances(load)
        element = space.element(load, read)
        names = touched(len(element))
        write = space.instance(store, outside)
        taken = space.element(store, write)
        same = [
            all_of([((x - y) % rolling.length).equals(0), x.differs(y)])
            if n == rolling.axis
            else x.equals(y)
            for n, (x, y) in enumerate(zip(element, taken, strict=True))
        ]
        witness = space.find(
            [read, write],
            [
                *equal(names, element),
                *conditions,
                *same,
                space.may_precede(write, read),
                rolling.is_new(space, write),
            ],
            names,
            self._supplies(space, read, outside, write),
        )
        if witness is not None:
            raise self._lost(load, space, read, witness, "is already overwritten")

    def _lost(
        self, load: LoadOp, space: Space, read: Instance, witness: Witness, what: str
    ) -> Exception:
        reader = self.rolling.definition.unit(load)
        if witness.undecided is None:
            where = f"{describe(reader)}{read.at(witness)}"
            why = f"{where} reads {witness_text(space, witness)}, which {what}"
        else:
            why = witness.undecided
        return self.site.refuse(
            "KC3492",
            f"{describe(reader)} "
            + ("may not find" if witness.undecided else "does not find")
            + f" all of its inputs in {self.rolling.length} elements of {self.name}",
            at=reader,
            mark={self.rolling.loop: "rolls here", reader: f"reads {self.name}"},
            why=why,
        )

    def _require_unchanged(self, load: LoadOp, store: StoreOp) -> None:
        """Require (KC3493) that the inputs from which the block computed the element have not
        changed.
        """
        rolling = self.rolling
        space = Space()
        now = space.instance(load)
        outside: dict[ForOp, Term] = {}
        for loop, dim in now.loops.items():
            if loop is rolling.loop:
                break
            outside[loop] = dim
        then = space.instance(rolling.definition.store, outside)
        write = space.instance(store, outside)
        defining = rolling.definition.store
        pairs = [
            *zip(space.element(defining, now), space.element(defining, then), strict=True),
            *zip(space.element(load, now), space.element(store, write), strict=True),
        ]
        witness = space.find(
            [now, then, write],
            [
                *(x.equals(y) for x, y in pairs),
                rolling.is_there(space, now),
                rolling.is_new(space, then),
                space.may_precede(then, write),
                space.may_precede(write, now),
            ],
        )
        if witness is not None:
            writer, read = rolling.definition.unit(store), buffer_name(load.buffer)
            raise self.site.refuse(
                "KC3493",
                f"{read}, which block {self.block.label} reads, "
                + ("may be" if witness.undecided else "is")
                + f" written by {describe(writer)} in loop {rolling.loop.label}",
                at=self.block,
                mark={self.block: f"reads {read}", writer: f"writes {read}"},
                why=witness.undecided
                or f"{describe(writer)} writes{write.at(witness)}, after the element was computed"
                f"{then.at(witness)} and before it would be computed again{now.at(witness)}",
            )
