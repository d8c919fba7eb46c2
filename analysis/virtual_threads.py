"""Whether virtual threads compute the same one after the other as they do in lockstep."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

from xdsl.ir import Operation

from kc.analysis.dependence import Access, Conflict, Scope, Statement
from kc.analysis.instances import Space, Supply, touched
from kc.analysis.loop_tree import all_loops_around, buffer_name, is_inside, memory_scope, preorder
from kc.analysis.terms import Condition, all_of, any_of, equal, lexicographic
from kc.dialects.tir import AllocOp, BlockOp, ForOp, IfOp, LoadOp, StoreOp
from kc.dialects.tir.threads import VIRTUAL_AXES, is_shared


def lockstep_conflict(
    loop: ForOp,
    axes: Collection[str] = VIRTUAL_AXES,
    is_combined: Callable[[Operation, Operation], bool] = lambda first, second: False,
) -> Conflict | None:
    """A dependence between threads of ``loop``, the outermost loop of ``axes``, that running them
    one after the other would reverse, if there is one; not between accesses that are of terms which
    threads combine.

    In lockstep an operation is executed by all threads before the next one is, in each iteration of
    the serial loops around it (:mod:`kc.dialects.tir.threads`). A buffer that is allocated in
    ``loop`` is one for each thread: what they share of it, all of them
    compute (:func:`foreign_read`).
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
            return reversed_order  # its iterations are no coordinates: in any order
        serial = [(s, t) for is_virtual, s, t in common if not is_virtual]
        orders = [lexicographic([s for s, _ in serial], [t for _, t in serial])]
        # The accesses of a block are one statement: in any order.
        same_block = source.op is sink.op and isinstance(source.op, BlockOp)
        if same_block or place[source.op] < place[sink.op]:
            orders.append(all_of([s.equals(t) for s, t in serial]))
        return all_of([any_of(orders), reversed_order])

    def concerns(a: Access, b: Access) -> bool:
        # Where threads have memory of their own, each finds there what it has written itself.
        buffers = [buffer for buffer in (a.buffer, b.buffer) if buffer is not None]
        return not is_combined(a.op, b.op) and all(
            is_shared(memory_scope(buffer), loop.axis) for buffer in buffers
        )

    return scope.find(breaks, ignore_reductions=False, concerns=concerns)


def needs_lockstep(op: Operation) -> bool:
    """Whether ``op`` is in a loop of virtual threads that may not run one after the other."""
    around = [loop for loop in all_loops_around(op) if loop.axis in VIRTUAL_AXES]
    if not around:
        return False
    return lockstep_conflict(around[0]) is not None or foreign_read(around[0]) is not None


def _repeats_both(first: Operation, second: Operation, root: Operation) -> bool:
    """Whether an op in ``root`` that is no loop of tir is around both, and may run them again."""
    parent = first.parent_op()
    while parent is not None and parent is not root:
        if not isinstance(parent, ForOp | IfOp) and is_inside(second, parent):
            return True
        parent = parent.parent_op()
    return False


@dataclass(frozen=True)
class ForeignRead:
    """A read of what another virtual thread has written to memory of both."""

    load: LoadOp
    text: str
    """The witness in one sentence."""


def foreign_read(loop: ForOp) -> ForeignRead | None:
    """A read in ``loop``, the outermost loop of virtual threads, of memory that is allocated in it
    and that they share, where another thread has written the element, and the reader itself has
    not, if it is proven that there is one."""
    for alloc in preorder(loop):
        if isinstance(alloc, AllocOp) and is_shared(memory_scope(alloc.buffer), loop.axis):
            users = [use.operation for use in alloc.buffer.uses]
            stores = [op for op in users if isinstance(op, StoreOp)]
            loads = [op for op in users if isinstance(op, LoadOp)]
            if len(stores) + len(loads) < len(users):
                continue  # something else may write it
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
