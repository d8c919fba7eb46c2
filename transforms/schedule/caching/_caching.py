"""Caches: accesses to a buffer use a new buffer, which is filled before them and written back after
them.

A cache is at a :class:`Place`: the body of a loop, function or block, and the first operation in it
that uses the cache. The legality of a place depends on the primitive; the candidate places and the
construction do not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from xdsl.ir import Attribute, Block, Operation, SSAValue

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import Instance, Space, Supply, Witness, is_unordered
from kc.analysis.accesses.regions import in_order, loads_of, scope_of, stores_to
from kc.analysis.affine.terms import equal
from kc.analysis.loop_tree import all_loops_around, buffer_name, memory_scope
from kc.dialects.tir import AllocOp, BlockOp, ForOp, LoadOp, StoreOp, ViewOp
from kc.dialects.tir.threads import VIRTUAL_AXES, is_shared
from kc.support.diagnostics import ScheduleError
from kc.transforms.known_values import is_available
from kc.transforms.schedule._blocks import witness_text
from kc.transforms.schedule._buffers import (
    BufferRef,
    FreshNames,
    cache_type,
    find_buffer,
    redirect,
    require_plain_uses,
    require_scope,
    scopes_of,
    uses_of_parts,
    warn_of_scope,
)
from kc.transforms.schedule._copies import (
    Part,
    copy_nest,
    first_of,
    levels_of,
    new_alloc,
    realize,
)
from kc.transforms.schedule._nests import Nest
from kc.transforms.schedule.base import BlockRef, Rewritten, Site
from kc.transforms.schedule.threads._thread_values import (
    refuse_shared_copy,
    require_copies_apart,
    threads_apart,
)

READ_BUFFER = {
    "help": "the buffer: its name, or its position among the buffers that the block reads",
    "python": "read_buffer_index",
}
WRITTEN_BUFFER = {
    "help": "the buffer: its name, or its position among the buffers that the block writes",
    "python": "write_buffer_index",
}
NEW_SCOPE = {"help": "the memory scope of the new buffer", "python": "storage_scope"}
"""The metadata of fields that several primitives have."""


@dataclass(frozen=True)
class Place:
    """The place of a cache: ``anchor``, in ``level``, is the first operation that uses it."""

    level: Block
    anchor: Operation


def cached_buffer(
    site: Site,
    block: BlockRef,
    buffer: BufferRef,
    scope: str,
    how: Literal["reads", "writes"],
) -> tuple[BlockOp, SSAValue]:
    """The block and its buffer, after a check that the buffer can be cached in ``scope``. Users of
    views of the buffer are not redirected.

    Refuses other buffers (KC3300, KC3303) and scopes (KC3301, KC3415).
    """
    named = site.resolve_block(block)
    cached = find_buffer(site, named, buffer, how)
    require_scope(site, scope)
    require_plain_uses(site, named, cached, with_views=True)
    uses_of_parts(site, named, cached)
    require_copies_apart(site, named, cached, scope)
    return named, cached


Objection = Callable[[Place], ScheduleError | None]
"""A function that returns the refusal of a place, or None for a legal place."""


def outermost_place(
    site: Site,
    block: BlockOp,
    buffer: SSAValue,
    users: Sequence[Operation],
    objection: Objection,
    held: Sequence[Operation] = (),
) -> Place:
    """The outermost legal place of ``users``, in a body that also contains ``held``.

    If no place is legal, raises the last refusal, or ScheduleError KC3310.
    """
    refusal: ScheduleError | None = None
    for level in levels_of(scope_of(block), [*users, *held]):
        place = Place(level, first_of(level, users))
        if is_available(buffer, place.anchor):
            refusal = objection(place)
            if refusal is None:
                return place
    name = buffer_name(buffer)
    raise refusal or site.refuse(
        "KC3310",
        f"a copy of {name} cannot be placed",
        at=block,
        why=f"{name} exists only in a vectorized loop, whose lanes would share the copy",
        hints=[f"{site.primitive} first, then vectorize"],
    )


@dataclass(frozen=True)
class Caching:
    """Accesses that use a new buffer, and the parts that are copied into it before and out of it
    after.
    """

    block: BlockOp
    """The block that the user named."""
    buffer: SSAValue
    accesses: Sequence[LoadOp | StoreOp]
    anchor: Operation
    fill: Part | None = None
    """The part that is copied before ``anchor``."""
    flush: Part | None = None
    """The part that is copied back after ``anchor``."""

    def build(
        self,
        site: Site,
        scope: str,
        annotations: Mapping[str, Attribute] | None = None,
    ) -> Rewritten:
        """Create the buffer and the copies, which are blocks with the buffer's name and
        ``annotations``.
        """
        warn_of_scope(site, scope, self.block)
        part = self.fill or self.flush
        assert part is not None
        sizes = realize(site, part, self.block)
        names = FreshNames(site)
        name = names.take(f"{buffer_name(self.buffer)}_{scope.replace('.', '_')}")
        alloc = new_alloc(name, cache_type(self.buffer, scope), sizes, self.block)
        home = self.anchor.parent
        assert home is not None
        home.insert_op_before(alloc, self.anchor)
        copies: list[Nest] = []

        def copy(label: str, source: SSAValue, target: SSAValue, part: Part) -> Operation:
            nest = copy_nest(
                site, label, source, target, part, sizes, self.anchor, self.block, annotations
            )
            copies.append(nest)
            return nest.top

        if self.fill is not None:
            filling = copy(name, self.buffer, alloc.buffer, self.fill)
            home.insert_op_before(filling, self.anchor)
        if self.flush is not None:
            label = name if self.fill is None else names.take(f"{name}_back")
            home.insert_op_after(copy(label, alloc.buffer, self.buffer, self.flush), self.anchor)
        redirect(self.accesses, alloc.buffer)
        return Rewritten(
            tuple(loop for nest in copies for loop in nest.loops),
            blocks=tuple(nest.block for nest in copies),
        )


def other_thread(
    site: Site,
    place: Place,
    part: Part,
    accesses: Iterable[tuple[Operation, LoadOp | StoreOp | ViewOp]],
) -> tuple[Operation, Instance, Witness] | None:
    """An access of ``accesses`` to an element of ``part``, by a thread other than the one at
    ``place`` and without synchronization; None if there is none. Each access has its element or
    view.
    """
    buffer, anchor = part.buffer, place.anchor
    for loop in all_loops_around(anchor):
        own = loop_tree.defined_inside(buffer, loop)
        if is_unordered(loop):
            if own and not is_shared(memory_scope(buffer), loop.axis):
                continue
        elif own or not _runs_alone(loop):
            continue
        for access, touched in accesses:
            if not loop_tree.is_inside(access, loop):
                continue
            space = Space()
            copy = space.place(anchor)
            element = part.enter(site, space, copy)
            outside = {
                outer: dim for outer, dim in copy.loops.items() if loop_tree.is_inside(loop, outer)
            }
            del outside[loop]
            instance = space.instance(access, outside)
            same = equal(element, space.element(touched, instance))
            apart = copy.loops[loop].differs(instance.loops[loop])
            witness = space.find([copy, instance], [*same, apart])
            if witness is not None:
                return access, instance, witness
    return None


def _runs_alone(loop: ForOp) -> bool:
    """True if the iterations of ``loop`` are virtual threads of a CPU, which run one after another
    (KC4207). In a thread of a kernel, virtual threads run in lockstep.
    """
    return loop.axis in VIRTUAL_AXES and all(
        outer.axis is None or outer.axis in VIRTUAL_AXES for outer in all_loops_around(loop)
    )


def undefined_copy(
    site: Site, block: BlockOp, place: Place, part: Part, scope: str
) -> ScheduleError | None:
    """The refusal (KC3415) of a shared copy of ``part`` with undefined elements; None if all
    elements are defined.

    Each thread has its own buffer, and threads would share the copy in ``scope``. A thread that
    copies an element that it has not written might overwrite the value of another thread.
    """
    alloc = part.buffer.owner
    for loop, axis in threads_apart(part.buffer, scope):
        assert isinstance(alloc, AllocOp)
        space = Space()
        copy = space.place(place.anchor)
        element = part.enter(site, space, copy)
        around = set(all_loops_around(alloc))
        own = {outer: at for outer, at in copy.loops.items() if outer in around}
        supplies: list[Supply] = []
        for store in stores_to(part.buffer):
            write = space.instance(store, own)
            before = space.before(write, copy)
            supplies.append(Supply(write, space.element(store, write), [before]))
        witness = space.uncovered(copy, element, supplies)
        if witness is not None:
            why = witness.undecided or (
                f"{axis} {witness[copy.loops[loop]]} would copy {buffer_name(part.buffer)}"
                f"{witness_text(space, witness)}, which it has not written, for all threads of "
                f"{axis}"
            )
            return refuse_shared_copy(site, block, loop, part.buffer, scope, why)
    return None


def choices(
    site: Site, buffers: Callable[[BlockOp], Sequence[SSAValue]]
) -> Iterator[tuple[BlockRef, BufferRef, str]]:
    """The blocks of a function with their ``buffers`` and the useful scopes."""
    for block in loop_tree.blocks(site.function):
        for buffer in buffers(block):
            for scope, useless in scopes_of(site.target).items():
                if not useless:
                    yield BlockRef(block), BufferRef(buffer), scope


def consumers_of(
    site: Site, block: BlockOp, buffer: SSAValue, refs: Sequence[BlockRef]
) -> list[Operation]:
    """The blocks of ``refs``, in order. Refuses (KC3304) a block that does not read ``buffer`` in
    the scope of ``block``.
    """
    scope = scope_of(block)
    consumers: list[Operation] = []
    for ref in refs:
        consumer = site.resolve_block(ref)
        reads = any(loop_tree.is_inside(load, consumer) for load in loads_of(buffer))
        if not reads or scope_of(consumer) is not scope:
            name = buffer_name(buffer)
            raise site.refuse(
                "KC3304",
                f"block {consumer.label} cannot read a copy of {name} of block {block.label}",
                at=consumer,
                why=f"it is not in the scope of block {block.label}"
                if reads
                else f"it does not read {name}",
            )
        consumers.append(consumer)
    return in_order(scope, consumers)
