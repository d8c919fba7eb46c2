"""cache_write: a block computes into a new buffer, which is copied to the old one afterwards.

Before, ``cache-write block=C buffer=C scope=local``::

    tir.for %i in 16 {
      tir.for %k in 8 {
        tir.block "C" (spatial %v_i in 16 = %i, reduce %v_k in 8 = %k) init { %C[%v_i] = 0 }
            do { %C[%v_i] += ... }

After::

    %C_local = tir.alloc "C_local" : memref<16xf32, "local">
    tir.for %i in 16 {
      tir.for %k in 8 {
        tir.block "C" (spatial %v_i in 16 = %i, reduce %v_k in 8 = %k) init { %C_local[%v_i] = 0 }
            do { %C_local[%v_i] += ... }
    tir.for %ax0 in 16 {
      tir.block "C_local" (spatial %v0 in 16 = %ax0) do { %C[%v0] = %C_local[%v0] }
    }

The init of a reduction and its updates go to the new buffer. The copy stands behind the block, as
far out as nothing notices that the old buffer is written later; it copies the box around all that
the block writes there. The new buffer has the shape of the old one, so that indices stay.

*Legal when*

1. KC3300, KC3303: the block writes the buffer, which is used by nothing but loads and stores.
2. KC3301: the target has the scope. One that buys nothing there gets a warning (KC3302).
3. KC3306: the block writes all of the box.
4. KC3307: nothing else reads or writes these elements between the block and the copy.
5. KC3308: each read of the buffer by the block itself is always of what it has written before,
   there (then it reads the new buffer), or never.
6. KC3310: there is a place for the copy that is not in a vectorized loop.

TVM: ``cache_write``. Halide: an intermediate ``Func``. Exo: ``stage_mem``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.ir import Block, Operation, SSAValue

from kc.analysis import loop_tree
from kc.analysis.instances import Instance, Space, Supply, Witness
from kc.analysis.loop_tree import buffer_name
from kc.analysis.regions import scope_of, unit_of
from kc.dialects.tir import BlockOp, IterType, LoadOp, StoreOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.schedule._blocks import describe, is_available, witness_text
from kc.transforms.schedule._buffers import (
    BufferRef,
    cache_type,
    find_buffer,
    fresh_name,
    redirect,
    require_plain_uses,
    require_scope,
    warn_of_scope,
)
from kc.transforms.schedule._copies import (
    Part,
    child_at,
    copy_nest,
    first_of,
    levels_of,
    loops_shared,
    new_alloc,
    part_of,
    realize,
    same_element,
)
from kc.transforms.schedule.base import BlockRef, Gives, Primitive, Rewritten, Site


@dataclass(frozen=True)
class Plan:
    """The block and its accesses, what is copied, and the op around which this happens."""

    block: BlockOp
    accesses: list[LoadOp | StoreOp]
    part: Part
    anchor: Operation
    name: str


@dataclass(frozen=True)
class CacheWrite(Primitive):
    """Compute into a new buffer, and copy it to the old one afterwards."""

    name: ClassVar[str] = "cache-write"
    gives: ClassVar[Gives] = "block"

    block: BlockRef = field(metadata={"help": "the block that writes the buffer"})
    buffer: BufferRef = field(
        default=BufferRef(0),
        metadata={"help": "the buffer: its name, or its position among those that are written"},
    )
    scope: str = field(default="global", metadata={"help": "the memory scope of the new buffer"})

    def check(self, site: Site) -> Plan:
        block = site.resolve_block(self.block)
        buffer = find_buffer(site, "cache_write", block, self.buffer, "writes")
        require_scope(site, "cache_write", self.scope)
        require_plain_uses(site, "cache_write", block, buffer)
        search = _Search(site, block, buffer)
        level = search.level()
        part = part_of(site, search.stores, level)
        name = fresh_name(site, f"{buffer_name(buffer)}_{self.scope}")
        return Plan(block, search.redirected, part, first_of(level, [block]), name)

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for block in loop_tree.blocks(site.function):
            stores = [op for op in block.walk() if isinstance(op, StoreOp)]
            for buffer in dict.fromkeys(op.buffer for op in stores):
                for scope, useless in site.target.kind.scopes.items():
                    if not useless:
                        yield cls(BlockRef(block), BufferRef(buffer), scope)

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        warn_of_scope(site, "cache_write", self.scope, plan.block)
        buffer = plan.part.buffer
        sizes = realize(site, plan.part, plan.block)
        alloc = new_alloc(plan.name, cache_type(buffer, self.scope), sizes, plan.block)
        copy = copy_nest(
            site, plan.name, alloc.buffer, buffer, plan.part, sizes, plan.anchor, plan.block
        )
        home = plan.anchor.parent
        assert home is not None
        home.insert_op_before(alloc, plan.anchor)
        home.insert_op_after(copy.top, plan.anchor)
        redirect(plan.accesses, alloc.buffer)
        return Rewritten(tuple(copy.loops), blocks=(copy.block,))


class _Search:
    """The outermost place where the copy can stand."""

    def __init__(self, site: Site, block: BlockOp, buffer: SSAValue) -> None:
        self.site = site
        self.block = block
        self.buffer = buffer
        accesses = [
            use.operation for use in buffer.uses if isinstance(use.operation, LoadOp | StoreOp)
        ]
        self.own = [one for one in accesses if loop_tree.is_inside(one, block)]
        self.stores = [one for one in self.own if isinstance(one, StoreOp)]
        self.others = [one for one in accesses if one not in self.own]
        self.redirected: list[LoadOp | StoreOp] = []
        self.refusal: ScheduleError | None = None

    def level(self) -> Block:
        """The body in which the block gets its own buffer."""
        scope = scope_of(self.block)
        for level in levels_of(scope, [self.block]):
            anchor = first_of(level, [self.block])
            if not is_available(self.buffer, anchor):
                continue
            refusal = (
                self._seen_by_others(level, anchor)
                or self._mixes_reads(level)
                or self._not_all_written(level, anchor)
            )
            if refusal is None:
                return level
            self.refusal = refusal
        name = buffer_name(self.buffer)
        raise self.refusal or self.site.refuse(
            "KC3310",
            f"cache_write: there is no place for a copy of {name}",
            at=self.block,
            why=f"{name} is there in a vectorized loop only, whose lanes would share the copy",
            hints=["cache_write first, then vectorize"],
        )

    def _seen_by_others(self, level: Block, anchor: Operation) -> ScheduleError | None:
        """Another access of an element that was written, before it is copied."""
        name = buffer_name(self.buffer)
        for other in self.others:
            if child_at(level, other) is not anchor:
                continue
            for store in self.stores:
                space = Space()
                write = space.instance(store)
                access = space.instance(other, loops_shared(level, write))
                same = same_element(space, store, write, other, access)
                found = space.find([write, access], [*same, space.may_precede(write, access)])
                if found is None:
                    continue
                unit = unit_of(other, scope_of(self.block))
                verb = "reads" if isinstance(other, LoadOp) else "writes"
                return self.site.refuse(
                    "KC3307",
                    f"cache_write: {describe(unit)} {verb} {name} before it would be copied",
                    at=unit,
                    mark={self.block: f"writes {name}", unit: f"{verb} {name}"},
                    why=found.undecided
                    or f"{describe(unit)}{access.at(found)} {verb} what "
                    f"{describe(self.block)}{write.at(found)} writes",
                )
        return None

    def _mixes_reads(self, level: Block) -> ScheduleError | None:
        """A read of the block that is neither always nor never of what it has written here.

        Those that always are go to the new buffer, with the writes.
        """
        self.redirected = [*self.stores]
        for load in self.own:
            if not isinstance(load, LoadOp):
                continue
            space = Space()
            read = space.instance(load)
            element = space.element(load, read)
            writes = [space.instance(one, loops_shared(level, read)) for one in self.stores]
            supplies = [
                Supply(write, space.element(store, write), [space.before(write, read)])
                for store, write in zip(self.stores, writes, strict=True)
            ]
            old = space.uncovered(read, element, supplies, space.in_bounds(load, element, read))
            if old is None:
                self.redirected.append(load)
            elif any(
                space.find(
                    [read, write],
                    [
                        *same_element(space, load, read, store, write),
                        space.may_precede(write, read),
                    ],
                )
                for store, write in zip(self.stores, writes, strict=True)
            ):
                return self._reads_both(space, old)
        return None

    def _reads_both(self, space: Space, old: Witness) -> ScheduleError:
        name, label = buffer_name(self.buffer), self.block.label
        return self.site.refuse(
            "KC3308",
            f"cache_write: block {label} reads {name} both as it was before and as it writes it",
            at=self.block,
            why=old.undecided
            or f"it reads element {witness_text(space, old)} before it writes it, others after",
            hints=["cache_write before decompose_reduction: the init then belongs to the block"]
            if self._is_update()
            else [],
        )

    def _is_update(self) -> bool:
        return self.block.is_reduction and not self.block.has_init

    def _not_all_written(self, level: Block, anchor: Operation) -> ScheduleError | None:
        """An element of the part that is copied, and not written."""
        space = Space()
        copy = space.place(anchor)
        element = part_of(self.site, self.stores, level).enter(self.site, space, copy)
        supplies: list[Supply] = []
        for store in self.stores:
            write = space.instance(store, loops_shared(level, copy))
            supplies.append(Supply(write, space.element(store, write)))
        found = space.uncovered(copy, element, supplies, self._not_empty(anchor, space, copy))
        if found is None:
            return None
        name = buffer_name(self.buffer)
        return self.site.refuse(
            "KC3306",
            f"cache_write: block {self.block.label} "
            + ("may not write" if found.undecided else "does not write")
            + f" all of {name} that would be copied",
            at=self.block,
            why=found.undecided or self._unwritten(space, found),
        )

    def _unwritten(self, space: Space, found: Witness) -> str:
        return (
            f"element {witness_text(space, found)} is in the box around what it writes, and is "
            "not written"
        )

    def _not_empty(self, anchor: Operation, space: Space, copy: Instance) -> Sequence[str]:
        """That reductions have elements, where the initial value of empty ones is stored too."""
        if not self.block.has_init or loop_tree.loops_around(anchor):
            return ()
        return [
            f"{space.size(extent, copy)} >= 1"
            for kind, _, extent in self.block.iters
            if kind is IterType.REDUCE
        ]
