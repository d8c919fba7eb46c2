"""cache_read: what blocks read of a buffer is copied into a new buffer first, and read there.

Before, ``cache-read block=C buffer=A scope=local``::

    tir.for %i in 16 {
      tir.block "C" (spatial %v_i in 16 = %i) do { reads %A[%v_i + 1] }

After::

    %A_local = tir.alloc "A_local" : memref<20xf32, "local">
    tir.for %ax0 in 16 {
      tir.block "A_local" (spatial %v0 in 20 = %ax0 + 1) do { %A_local[%v0] = %A[%v0] }
    }
    tir.for %i in 16 {
      tir.block "C" (spatial %v_i in 16 = %i) do { reads %A_local[%v_i + 1] }

All blocks of the scope that read the buffer, and do not write it, read the copy from then on;
``consumers`` chooses some of them. The copy stands before the first of them, as far out as the
buffer keeps its values between the copy and what reads it; it copies the box around all that is
read there. The new buffer has the shape of the old one, so that indices stay
(``compact-buffer-allocation`` makes it as small as what is used of it).

*Legal when*

1. KC3300, KC3303: the block reads the buffer, which is used by nothing but loads and stores.
2. KC3301: the target has the scope. One that buys nothing there gets a warning (KC3302).
3. KC3304: the consumers are blocks of one scope, and read the buffer.
4. KC3305: there is a place from which on no element is written before it is read.
5. KC3310: this place is not in a vectorized loop.

TVM: ``cache_read``. Halide: ``in().compute_at``. Exo: ``stage_mem``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.ir import Block, Operation, SSAValue

from kc.analysis import loop_tree
from kc.analysis.instances import UNORDERED, Instance, Space, Witness
from kc.analysis.loop_tree import buffer_name
from kc.analysis.regions import in_order, loads_of, scope_of, stores_to, unit_of
from kc.dialects.tir import BlockOp, LoadOp, StoreOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.schedule._blocks import describe, is_available
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
from kc.transforms.schedule._placing import all_loops_around
from kc.transforms.schedule.base import BlockRef, Gives, Primitive, Rewritten, Site


@dataclass(frozen=True)
class Plan:
    """What is copied, who reads the copy, and the op that the copy goes in front of."""

    part: Part
    loads: list[LoadOp]
    anchor: Operation
    name: str
    block: BlockOp


@dataclass(frozen=True)
class CacheRead(Primitive):
    """Copy what blocks read of a buffer into a new buffer, and read it there."""

    name: ClassVar[str] = "cache-read"
    gives: ClassVar[Gives] = "block"

    block: BlockRef = field(metadata={"help": "a block that reads the buffer"})
    buffer: BufferRef = field(
        metadata={"help": "the buffer: its name, or its position among those that the block reads"}
    )
    scope: str = field(default="global", metadata={"help": "the memory scope of the new buffer"})
    consumers: tuple[BlockRef, ...] = field(
        default=(), metadata={"help": "the blocks that read the copy (default: all)"}
    )

    def check(self, site: Site) -> Plan:
        block = site.resolve_block(self.block)
        buffer = find_buffer(site, "cache_read", block, self.buffer, "reads")
        require_scope(site, "cache_read", self.scope)
        require_plain_uses(site, "cache_read", block, buffer)
        readers = self._readers(site, block, buffer)
        name = fresh_name(site, f"{buffer_name(buffer)}_{self.scope}")
        search = _Search(site, block, buffer, readers)
        level = search.level()
        part = part_of(site, search.loads, level)
        return Plan(part, search.loads, first_of(level, readers), name, block)

    def _readers(self, site: Site, block: BlockOp, buffer: SSAValue) -> list[Operation]:
        scope = scope_of(block)
        if not self.consumers:
            units = in_order(scope, [unit_of(one, scope) for one in loads_of(buffer)])
            writers = {unit_of(one, scope) for one in stores_to(buffer)}
            return [one for one in units if one is block or one not in writers]
        found: list[Operation] = []
        for ref in self.consumers:
            one = site.resolve_block(ref)
            reads = any(loop_tree.is_inside(load, one) for load in loads_of(buffer))
            if not reads or scope_of(one) is not scope:
                name = buffer_name(buffer)
                raise site.refuse(
                    "KC3304",
                    f"cache_read: block {one.label} cannot read a copy of {name} of block "
                    f"{block.label}",
                    at=one,
                    why=f"it is in another scope than block {block.label}"
                    if reads
                    else f"it does not read {name}",
                )
            found.append(one)
        return in_order(scope, found)

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for block in loop_tree.blocks(site.function):
            loads = [op for op in block.walk() if isinstance(op, LoadOp)]
            for buffer in dict.fromkeys(op.buffer for op in loads):
                for scope, useless in site.target.kind.scopes.items():
                    if not useless:
                        yield cls(BlockRef(block), BufferRef(buffer), scope)

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        warn_of_scope(site, "cache_read", self.scope, plan.block)
        buffer = plan.part.buffer
        sizes = realize(site, plan.part, plan.block)
        alloc = new_alloc(plan.name, cache_type(buffer, self.scope), sizes, plan.block)
        copy = copy_nest(
            site, plan.name, buffer, alloc.buffer, plan.part, sizes, plan.anchor, plan.block
        )
        home = plan.anchor.parent
        assert home is not None
        home.insert_ops_before([alloc, copy.top], plan.anchor)
        redirect(plan.loads, alloc.buffer)
        return Rewritten(tuple(copy.loops), blocks=(copy.block,))


class _Search:
    """The outermost place where the copy can stand."""

    def __init__(
        self, site: Site, block: BlockOp, buffer: SSAValue, readers: Sequence[Operation]
    ) -> None:
        self.site = site
        self.block = block
        self.buffer = buffer
        self.readers = readers
        self.loads = [
            one
            for one in loads_of(buffer)
            if any(loop_tree.is_inside(one, reader) for reader in readers)
        ]
        self.refusal: ScheduleError | None = None

    def level(self) -> Block:
        """The body that the copy goes into."""
        name = buffer_name(self.buffer)
        for level in levels_of(scope_of(self.block), self.readers):
            anchor = first_of(level, self.readers)
            if is_available(self.buffer, anchor) and self._keeps_values(level, anchor):
                return level
        raise self.refusal or self.site.refuse(
            "KC3310",
            f"cache_read: there is no place for a copy of {name}",
            at=self.block,
            why=f"{name} is there in a vectorized loop only, whose lanes would share the copy",
            hints=["cache_read first, then vectorize"],
        )

    def _keeps_values(self, level: Block, anchor: Operation) -> bool:
        """Whether, in each execution of ``level``, what is read is what was there at ``anchor``."""
        for store in stores_to(self.buffer):
            child = child_at(level, store)
            if child is None or (child is not anchor and child.is_before_in_block(anchor)):
                continue
            for load in self.loads:
                space = Space()
                read = space.instance(load)
                write = space.instance(store, loops_shared(level, read))
                same = same_element(space, load, read, store, write)
                found = space.find([read, write], [*same, space.may_precede(write, read)])
                if found is not None:
                    self._refuse(load, store, found, write, f"what is read{read.at(found)}")
                    return False
        return self._has_no_race(level, anchor)

    def _has_no_race(self, level: Block, anchor: Operation) -> bool:
        """Whether no other thread writes what is copied, be it read or not."""
        threads = [
            loop
            for loop in all_loops_around(anchor)
            if loop.kind.data in UNORDERED and not loop_tree.defined_inside(self.buffer, loop)
        ]
        for loop in threads:
            for store in stores_to(self.buffer):
                if not loop_tree.is_inside(store, loop):
                    continue
                space = Space()
                copy = space.place(anchor)
                element = part_of(self.site, self.loads, level).enter(self.site, space, copy)
                outside = {
                    one: dim for one, dim in copy.loops.items() if loop_tree.is_inside(loop, one)
                }
                del outside[loop]
                write = space.instance(store, outside)
                written = space.element(store, write)
                same = [f"{x} = {y}" for x, y in zip(element, written, strict=True)]
                other = f"{copy.loops[loop]} != {write.loops[loop]}"
                found = space.find([copy, write], [*same, other])
                if found is not None:
                    self._refuse(self.loads[0], store, found, write, "what another thread copies")
                    return False
        return True

    def _refuse(
        self, load: LoadOp, store: StoreOp, found: Witness, write: Instance, what: str
    ) -> None:
        """Remember why the last place is none."""
        scope = scope_of(self.block)
        reader, writer = unit_of(load, scope), unit_of(store, scope)
        name = buffer_name(self.buffer)
        others = [one for one in self.readers if one is not reader]
        hints = [f"consumers={one.label}" for one in others if isinstance(one, BlockOp)]
        self.refusal = self.site.refuse(
            "KC3305",
            f"cache_read: {name} "
            + ("may change" if found.undecided else "changes")
            + f" between the copy and what {describe(reader)} reads",
            at=reader,
            mark={writer: f"writes {name}", reader: f"reads {name}"},
            why=found.undecided or f"{describe(writer)}{write.at(found)} writes {what}",
            hints=hints[:2],
        )
