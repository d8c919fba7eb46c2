"""Serial execution of virtual threads: conflicts with their lockstep semantics."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from kc.analysis.accesses.dependence import Access, Conflict, Scope, Statement
from kc.analysis.accesses.instances import RUN_ONCE, Space, Supply, touched
from kc.analysis.affine.terms import Condition, all_of, any_of, equal, lexicographic
from kc.analysis.loop_tree import (
    all_loops_around,
    buffer_name,
    defined_inside,
    is_inside,
    loops,
    memory_scope,
    preorder,
)
from kc.dialects.tir import AllocOp, BlockOp, ForOp, IfOp, LoadOp, StoreOp
from kc.dialects.tir.threads import VIRTUAL_AXES, is_shared


def serial_conflict(root: ForOp) -> tuple[ForOp, Conflict] | None:
    """A dependence that serial execution of virtual threads would reverse, and the thread loop:
    ``root``, the outermost loop, or a loop inside it. None if there is none.
    """
    conflict = lockstep_conflict(root)
    if conflict is not None:
        return root, conflict
    for loop in loops(root):
        if loop is not root and loop.axis in VIRTUAL_AXES:
            # Each thread of the outer loops has its own copy of this memory.
            own = {
                buffer
                for buffer in _used(loop)
                if defined_inside(buffer, root) and not defined_inside(buffer, loop)
            }
            conflict = lockstep_conflict(loop, buffers=own) if own else None
            if conflict is not None:
                return loop, conflict
    return None


def lockstep_conflict(
    loop: ForOp,
    axes: Collection[str] = VIRTUAL_AXES,
    is_combined: Callable[[Operation, Operation], bool] = lambda first, second: False,
    buffers: Collection[SSAValue] | None = None,
) -> Conflict | None:
    """A dependence between threads of ``loop``, the outermost loop of ``axes``, that serial
    execution would reverse; None if there is none.

    Accesses for which ``is_combined`` holds are terms that threads combine, and do not count. With
    ``buffers``, only accesses to these buffers count: ``loop`` is inside other thread loops, whose
    threads do not share the buffers.

    In lockstep, all threads execute an operation before the next operation, in each iteration of
    the serial loops around it (:mod:`kc.dialects.tir.threads`). Each thread has its own copy of a
    buffer allocated in ``loop``; for shared elements, all threads compute the same values
    (:func:`foreign_read`).
    """
    scope = Scope(loop)
    place = {op: n for n, op in enumerate(preorder(loop))}

    def breaks(source: Statement, sink: Statement) -> Condition | None:
        common = [
            (around.axis in axes, s, t)
            for around, s, t in zip(source.loops, source.times("s"), sink.times("t"), strict=False)
            if around in sink.loops and (around.axis is None or around.axis in axes)
        ]
        reversed_order = lexicographic([t for _, _, t in common], [s for _, s, _ in common])
        if _repeats_both(source.op, sink.op, loop):
            return reversed_order  # its iterations have no coordinates: they run in any order
        serial = [(s, t) for is_virtual, s, t in common if not is_virtual]
        orders = [lexicographic([s for s, _ in serial], [t for _, t in serial])]
        # The accesses of a block are one statement, in any order.
        same_block = source.op is sink.op and isinstance(source.op, BlockOp)
        if same_block or place[source.op] < place[sink.op]:
            orders.append(all_of([s.equals(t) for s, t in serial]))
        return all_of([any_of(orders), reversed_order])

    private = {
        buffer
        for buffer in _used(loop)
        if not is_shared(memory_scope(buffer), loop.axis)
        and not defined_inside(buffer, loop)
        and _finds_own_values(buffer, loop, axes)
    }

    def concerns(a: Access, b: Access) -> bool:
        used = [buffer for buffer in (a.buffer, b.buffer) if buffer is not None]
        return not is_combined(a.op, b.op) and all(
            buffer not in private and (buffers is None or buffer in buffers) for buffer in used
        )

    return scope.find(breaks, ignore_reductions=False, concerns=concerns, threads=buffers is None)


def needs_lockstep(op: Operation) -> bool:
    """True if ``op`` is in a loop of virtual threads that cannot run serially."""
    around = [loop for loop in all_loops_around(op) if loop.axis in VIRTUAL_AXES]
    if not around:
        return False
    return serial_conflict(around[0]) is not None or foreign_read(around[0]) is not None


def _used(loop: ForOp) -> set[SSAValue]:
    """The buffers whose elements are loaded or stored in ``loop``."""
    return {op.buffer for op in preorder(loop) if isinstance(op, LoadOp | StoreOp)}


def _finds_own_values(buffer: SSAValue, loop: ForOp, axes: Collection[str]) -> bool:
    """True if each thread of ``loop``, and of the loops of ``axes`` in it, reads from ``buffer``
    only values that it has written. Threads can then have separate copies, or reuse one copy
    serially.
    """
    users = [use.operation for use in buffer.uses]
    stores = [op for op in users if isinstance(op, StoreOp) and is_inside(op, loop)]
    for load in users:
        if isinstance(load, StoreOp):
            continue
        if not (isinstance(load, LoadOp) and is_inside(load, loop)):
            return False
        around = all_loops_around(load)
        threads = [at for at in around[around.index(loop) :] if at.axis in axes]
        own_stores = [store for store in stores if all(is_inside(store, at) for at in threads)]
        if not _reads_own(load, own_stores, stores, threads, around[: around.index(loop)]):
            return False
    return True


def _reads_own(
    load: LoadOp,
    own_stores: list[StoreOp],
    stores: list[StoreOp],
    threads: list[ForOp],
    launch: list[ForOp],
) -> bool:
    """True if a thread has always written the element that it loads by one of ``own_stores``, and
    no other thread has overwritten the element by one of ``stores``.
    """
    for store in [None, *stores]:
        space = Space()
        read = space.instance(load)
        write = space.instance(store) if store is not None else None
        element = space.element(load, read)
        supplies: list[Supply] = []
        for own_store in own_stores:
            own = space.instance(own_store)
            same = [own.loops[loop].equals(read.loops[loop]) for loop in (*launch, *threads)]
            since = [~space.before(own, write)] if write is not None else []
            supplies.append(
                Supply(own, space.element(own_store, own), [*same, space.before(own, read), *since])
            )
        if store is None or write is None:
            if space.uncovered(read, element, supplies) is not None:
                return False
            continue
        common = [loop for loop in threads if loop in write.loops]
        names = touched(len(element))
        constraints = [
            *equal(names, element),
            *equal(names, space.element(store, write)),
            *(read.loops[loop].equals(write.loops[loop]) for loop in launch),
            any_of([read.loops[loop].differs(write.loops[loop]) for loop in common]),
            space.may_precede(write, read),
        ]
        if space.find([read, write], constraints, names, supplies) is not None:
            return False
    return True


def _repeats_both(first: Operation, second: Operation, root: Operation) -> bool:
    """True if an op in ``root`` that is not a tir loop contains both ops and may repeat them."""
    parent = first.parent_op()
    while parent is not None and parent is not root:
        if not isinstance(parent, (ForOp, IfOp, *RUN_ONCE)) and is_inside(second, parent):
            return True
        parent = parent.parent_op()
    return False


@dataclass(frozen=True)
class ForeignRead:
    """A read of a shared element that another virtual thread has written."""

    load: LoadOp
    text: str
    """The witness in one sentence."""


def foreign_read(loop: ForOp) -> ForeignRead | None:
    """A proven read in ``loop``, the outermost loop of virtual threads, of shared memory allocated
    in ``loop``, whose element another thread has written and the reader has not. None if there is
    none.
    """
    for alloc in preorder(loop):
        if isinstance(alloc, AllocOp) and is_shared(memory_scope(alloc.buffer), loop.axis):
            users = [use.operation for use in alloc.buffer.uses]
            stores = [op for op in users if isinstance(op, StoreOp)]
            loads = [op for op in users if isinstance(op, LoadOp)]
            if len(stores) + len(loads) < len(users):
                continue  # another op may write the element
            for load in loads:
                for store in stores:
                    text = _foreign_value(alloc, load, store, stores)
                    if text is not None:
                        return ForeignRead(load, text)
    return None


def _foreign_value(
    alloc: AllocOp, load: LoadOp, store: StoreOp, stores: list[StoreOp]
) -> str | None:
    space = Space()
    read, write = space.instance(load), space.instance(store)
    around = all_loops_around(alloc)
    threads = [loop for loop in around if loop.axis in VIRTUAL_AXES]
    launch = [loop for loop in around if loop.axis not in VIRTUAL_AXES]
    element = space.element(load, read)
    names = touched(len(element))
    supplies: list[Supply] = []
    for own_store in stores:
        own = space.instance(own_store)
        same = [own.loops[loop].equals(read.loops[loop]) for loop in around]
        supplies.append(
            Supply(own, space.element(own_store, own), [*same, space.before(own, read)])
        )
    witness = space.find(
        [read, write],
        [
            *equal(names, element),
            *equal(names, space.element(store, write)),
            *(read.loops[loop].equals(write.loops[loop]) for loop in launch),
            any_of([read.loops[loop].differs(write.loops[loop]) for loop in threads]),
            space.may_precede(write, read),
        ],
        names,
        supplies,
    )
    if witness is None or witness.undecided is not None:
        return None
    name = f"{buffer_name(alloc.buffer)}{witness.element}"
    return (
        f"the statement{write.at(witness)} writes {name}, which the statement{read.at(witness)} "
        "reads"
    )
