"""Values that one thread writes and another thread reads, in memory that the two do not share.

Memory of a block, warp or thread lives as long as the block, warp or thread, wherever its buffer is
allocated. A thread can only read values from it that this thread, or a thread that shares the
memory, has written. All threads share global memory, but thread blocks run in no order: no block
may access an element that another block writes, unless all of them write the same value.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from kc.analysis.accesses.instances import Instance, Space, Supply, Witness, init_around, touched
from kc.analysis.accesses.regions import scope_of, stores_to, unit_of
from kc.analysis.accesses.replicated import is_replicated
from kc.analysis.accesses.virtual_threads import lockstep_conflict
from kc.analysis.affine.terms import ALWAYS, Condition, Term, any_of, equal
from kc.analysis.loop_tree import (
    all_loops_around,
    buffer_name,
    is_inside,
    iter_types,
    loops,
    loops_around,
    memory_scope,
    preorder,
)
from kc.dialects.tir import AllocOp, BlockOp, ForOp, IterType, LoadOp, StoreOp
from kc.dialects.tir.threads import BLOCK_AXES, LANE_AXES, is_shared
from kc.transforms.schedule._blocks import describe, witness_text
from kc.transforms.schedule.base import Site
from kc.transforms.schedule.threads._divergence import require_convergence
from kc.transforms.schedule.threads._threads import (
    Kernel,
    require_known_extents,
    require_one_extent,
    thread_limits,
)

Access = LoadOp | StoreOp


def real_axes(kernel: Kernel) -> list[str]:
    """The axes of blocks and threads in a kernel, without virtual threads."""
    there = {axis for _, axis in kernel.loops()}
    return [axis for axis in (*BLOCK_AXES, *LANE_AXES) if axis in there]


def accesses_in(kernel: Kernel) -> dict[SSAValue, list[Access]]:
    """The loads and stores of a kernel, by buffer."""
    accesses: dict[SSAValue, list[Access]] = {}
    for op in preorder(kernel.root):
        if isinstance(op, Access):
            accesses.setdefault(op.buffer, []).append(op)
    return accesses


@dataclass(frozen=True)
class Meeting:
    """Two accesses to one element by two threads along an axis."""

    space: Space
    witness: Witness
    first: Instance
    second: Instance
    numbers: tuple[Term, ...]
    """The coordinates of the threads."""

    def number(self, place: int) -> int:
        """The index of a thread at the witness."""
        return self.witness[self.numbers[place]]

    @property
    def element(self) -> str:
        """The text of the element."""
        return witness_text(self.space, self.witness)


def _number(kernel: Kernel, axis: str, space: Space, instance: Instance) -> Term:
    """The index along ``axis`` of a thread that runs ``instance``; unconstrained if all threads run
    it.
    """
    around = kernel.around(instance.op, axis)
    if around:
        return instance.loops[around[0]]
    dim = space.dim(instance)
    instance.constraints.append(dim.within(space.size(kernel.extent(axis), instance)))
    return dim


def _same_launch(kernel: Kernel, first: Instance, second: Instance) -> list[Condition]:
    return [first.loops[loop].equals(second.loops[loop]) for loop in all_loops_around(kernel.root)]


class Executions:
    """A cache of the execution pairs of accesses, which several queries share."""

    def __init__(self, kernel: Kernel) -> None:
        self._bound = {kernel.loop: kernel.axis}
        self._pairs: dict[tuple[Access, Access], tuple[Space, Instance, Instance]] = {}

    def of(self, first: Access, second: Access) -> tuple[Space, Instance, Instance]:
        """A context with one execution of each access."""
        pair = self._pairs.get((first, second))
        if pair is None:
            space = Space(self._bound)
            pair = space, space.instance(first), space.instance(second)
            self._pairs[first, second] = pair
        space, earlier, later = pair
        return space, earlier.copy(), later.copy()


def foreign_value(
    kernel: Kernel,
    axis: str,
    load: LoadOp,
    store: StoreOp,
    stores: Sequence[StoreOp] = (),
    *,
    group: int = 1,
    executions: Executions | None = None,
) -> Meeting | None:
    """A read by ``load`` in one thread of an element that ``store`` has written in another thread;
    None if there is none.

    With ``stores``, the reader's own thread has not written the element in between by any of them.
    Each ``group`` of threads along a lane axis shares its memory. Queries for several axes share
    their ``executions``.
    """
    space, read, write = (executions or Executions(kernel)).of(load, store)
    reader, writer = (_number(kernel, axis, space, instance) for instance in (read, write))

    supplies: list[Supply] = []
    for own_store in stores:
        own = space.instance(own_store)
        number = kernel.around(own_store, axis)
        supplies.append(
            Supply(
                own,
                space.element(own_store, own),
                [
                    *([(own.loops[number[0]] // group).equals(reader // group)] if number else []),
                    *_same_launch(kernel, own, read),
                    *space.same_buffer(load.buffer, own, read),
                    space.before(own, read),
                    ~space.before(own, write),
                ],
            )
        )
    constraints = [
        *_same_launch(kernel, read, write),
        space.may_precede(write, read) if stores else ALWAYS,
        (reader // group).differs(writer // group),
    ]
    return _meeting(space, load, read, store, write, constraints, (reader, writer), supplies)


def _meeting(
    space: Space,
    op: Access,
    instance: Instance,
    other_op: Access,
    other_instance: Instance,
    constraints: Sequence[Condition],
    numbers: tuple[Term, ...] = (),
    supplies: Sequence[Supply] = (),
) -> Meeting | None:
    """Two accesses to one element under ``constraints`` and without any of the supplies; None if
    there are none.
    """
    element = space.element(op, instance)
    names = touched(len(element))
    witness = space.find(
        [instance, other_instance],
        [
            *equal(names, element),
            *equal(names, space.element(other_op, other_instance)),
            *space.same_buffer(op.buffer, instance, other_instance),
            *constraints,
        ],
        names,
        supplies,
    )
    return None if witness is None else Meeting(space, witness, instance, other_instance, numbers)


# Private memory -------------------------------------------------------------------------------


def require_own_values(
    site: Site,
    kernel: Kernel,
    axis: str,
    ops: Sequence[Access],
    scope: str,
    *,
    finished: bool = False,
    executions: Executions | None = None,
) -> None:
    """Refuse (KC3408) a read of a value that another thread of the axis was the last to write, if
    the two threads share no memory of ``scope``.

    ``ops`` are all accesses to a buffer in the kernel. Unless the schedule is ``finished``, an
    access outside all loops of a lane axis may still be bound.
    """
    if _has_own(kernel, axis, ops):
        return
    stores = [op for op in ops if isinstance(op, StoreOp)]
    executions = executions or Executions(kernel)
    for load in ops:
        if not isinstance(load, LoadOp):
            continue
        is_partial = not kernel.around(load, axis)
        if is_partial and not finished and axis not in BLOCK_AXES:
            continue
        for store in stores:
            if not kernel.around(store, axis):
                continue  # all threads write it
            if foreign_value(kernel, axis, load, store, executions=executions) is None:
                continue  # different threads use different elements
            meeting = foreign_value(kernel, axis, load, store, stores)
            if meeting is not None:
                raise _refuse_value(site, kernel, axis, load, store, scope, meeting)


def require_no_exchange(site: Site, loop: ForOp) -> None:
    """Refuse (KC3408) if a thread of ``loop`` reads a value that another thread was the last to
    write or will write: the exchange needs threads of the current axis.

    Terms of a reduction, which threads combine, are excluded.
    """
    axis = loop.axis
    assert axis is not None
    if axis in BLOCK_AXES:
        return  # blocks exchange nothing
    kernel = Kernel.of(loop, axis)
    executions = Executions(kernel)
    for buffer, ops in accesses_in(kernel).items():
        if _has_own(kernel, axis, ops):
            continue
        stores = [op for op in ops if isinstance(op, StoreOp)]
        for load in ops:
            if not isinstance(load, LoadOp):
                continue
            for store in stores:
                if not kernel.around(store, axis) or _is_combined(loop, load, store):
                    continue
                if foreign_value(kernel, axis, load, store, executions=executions) is None:
                    continue
                meeting = foreign_value(kernel, axis, load, store, stores)
                if meeting is not None:
                    scope = scope_of(kernel.root)
                    reader, writer = unit_of(load, scope), unit_of(store, scope)
                    name = buffer_name(buffer)
                    undecided = meeting.witness.undecided
                    raise site.refuse(
                        "KC3408",
                        f"{describe(reader)} {'may read' if undecided else 'reads'} a value that "
                        f"another thread writes to {name}",
                        at=reader,
                        mark={loop: axis, writer: f"writes {name}", reader: f"reads {name}"},
                        why=undecided
                        or f"{axis} {meeting.number(0)} reads {name}{meeting.element}, which "
                        f"{axis} {meeting.number(1)} writes; iterations of {loop.label} that are "
                        f"not threads of {axis} would not wait for each other",
                        hints=[f"keep {loop.label} bound to {axis}"],
                        beside=[writer],
                    )
    conflict = lockstep_conflict(
        loop, (axis,), lambda first, second: _is_combined(loop, first, second)
    )
    if conflict is not None:
        used = conflict.source_access.buffer or conflict.sink_access.buffer
        name = "memory" if used is None else buffer_name(used)
        raise site.refuse(
            "KC3408",
            f"threads of {axis} {'may use' if conflict.undecided else 'use'} an element of {name} "
            "in a different order than iterations",
            at=loop,
            mark={loop: axis},
            why=str(conflict.explain()),
            hints=[f"keep {loop.label} bound to {axis}"],
        )


def _is_combined(loop: ForOp, first: Operation, second: Operation) -> bool:
    """True if both operations belong to one reduction over the iterations of ``loop``."""
    block = first.parent_op()
    return (
        isinstance(block, BlockOp)
        and second.parent_op() is block
        and IterType.REDUCE in iter_types(loop, block)
    )


def _has_own(kernel: Kernel, axis: str, ops: Sequence[Access]) -> bool:
    """True if each thread of the axis has a private buffer, which is allocated in the thread's
    loop.
    """
    buffer = ops[0].buffer if ops else None
    return (
        buffer is not None
        and isinstance(buffer.owner, AllocOp)
        and not is_shared(memory_scope(buffer), axis)
        and bool(kernel.around(buffer.owner, axis))
    )


def _refuse_value(
    site: Site,
    kernel: Kernel,
    axis: str,
    load: LoadOp,
    store: StoreOp,
    memory: str,
    meeting: Meeting,
) -> Exception:
    scope = scope_of(kernel.root)
    reader, writer = unit_of(load, scope), unit_of(store, scope)
    name = buffer_name(load.buffer)
    is_block = axis in BLOCK_AXES
    mark: dict[Operation, str] = {writer: f"writes {name}", reader: f"reads {name}"}
    if kernel.loop is kernel.root and kernel.loop.axis is None:
        mark[kernel.loop] = f"one kernel, if this is {kernel.axis}"
    why = meeting.witness.undecided
    if why is None and not kernel.around(load, axis):
        why = f"{describe(reader)} is in no loop of {axis}, so it would run in all of these " + (
            "blocks, which run in any order"
            if is_block
            else f"threads, which do not share {memory} memory"
        )
    elif why is None:
        rule = (
            "thread blocks run in any order and do not wait for each other"
            if is_block
            else f"threads of {axis} do not share {memory} memory"
        )
        why = (
            f"{axis} {meeting.number(0)} reads {name}{meeting.element}, which {axis} "
            f"{meeting.number(1)} writes; {rule}"
        )
    return site.refuse(
        "KC3408",
        f"{describe(reader)} "
        + ("may read" if meeting.witness.undecided else "reads")
        + f" a value that another {'thread block' if is_block else 'thread'} writes to {name}",
        at=reader,
        mark=mark,
        why=why,
        hints=[] if is_block else [f"in shared memory, all threads of a block see {name}"],
        beside=[writer],
    )


def require_warps(site: Site, kernel: Kernel) -> None:
    """Refuse (KC3408) a read of warp memory that another warp has written.

    Only threads of threadIdx.x in the same warp share warp memory.
    """
    axis = "threadIdx.x"
    extents = dict.fromkeys(LANE_AXES, 1) | {
        lane: kernel.extent(lane) for lane in LANE_AXES if lane in real_axes(kernel)
    }
    if 0 in extents.values():
        return  # these loops have no iterations
    width, size = extents[axis], thread_limits(site.target)[1]["thread_warp_size"]
    is_row = extents["threadIdx.y"] == extents["threadIdx.z"] == 1
    if isinstance(width, int) and (width <= size if is_row else size % width == 0):
        return  # all threads are in one warp
    # Warps that start inside a row are not distinguished.
    group = size if is_row or (isinstance(width, int) and width % size == 0) else 1
    for buffer, ops in accesses_in(kernel).items():
        if memory_scope(buffer) != "warp":
            continue
        stores = [op for op in ops if isinstance(op, StoreOp)]
        for load in ops:
            for store in stores:
                if isinstance(load, StoreOp) or not kernel.around(store, axis):
                    continue
                meeting = foreign_value(kernel, axis, load, store, stores, group=group)
                if meeting is not None:
                    raise _refuse_warp(site, kernel, load, store, size, meeting)


def _refuse_warp(
    site: Site,
    kernel: Kernel,
    load: LoadOp,
    store: StoreOp,
    size: int,
    meeting: Meeting,
) -> Exception:
    scope = scope_of(kernel.root)
    reader, writer = unit_of(load, scope), unit_of(store, scope)
    name = buffer_name(load.buffer)
    return site.refuse(
        "KC3408",
        f"{describe(reader)} "
        + ("may read" if meeting.witness.undecided else "reads")
        + f" a value that another warp writes to {name}",
        at=reader,
        mark={writer: f"writes {name}", reader: f"reads {name}"},
        why=meeting.witness.undecided
        or f"threadIdx.x {meeting.number(0)} reads {name}{meeting.element}, which threadIdx.x "
        f"{meeting.number(1)} writes; "
        + (f"a warp is {size} threads" if size > 1 else f"{site.target.kind} has no warps"),
        hints=[f"in shared memory, all threads of a block see {name}"],
        beside=[writer],
    )


# Global memory --------------------------------------------------------------------------------


def require_grid(
    site: Site,
    kernel: Kernel,
    axis: str,
    accesses: dict[SSAValue, list[Access]],
    scope: str | None = None,
    *,
    executions: Executions | None = None,
) -> None:
    """Refuse global memory that several blocks along ``axis`` use and at least one block writes.

    KC3409: all blocks would write it. KC3408: one block reads an element that another block writes.
    KC3417: two blocks write one element. ``scope`` is the future scope of the buffers, if it
    changes.
    """
    if kernel.extent(axis) == 1:
        return
    executions = executions or Executions(kernel)
    for buffer, ops in accesses.items():
        if not is_shared(scope or memory_scope(buffer), axis):
            continue
        stores = [op for op in ops if isinstance(op, StoreOp)]
        for store in stores:
            if not kernel.around(store, axis):
                unit = unit_of(store, scope_of(kernel.root))
                raise refuse_writer(site, unit, buffer, axis, kernel, scope)
        if not stores:
            continue
        alike = is_replicated(buffer, kernel.root, axis)
        for store in stores:
            for op in ops:
                _require_apart(site, kernel, axis, op, store, stores if alike else None, executions)


def _require_apart(
    site: Site,
    kernel: Kernel,
    axis: str,
    op: Access,
    store: StoreOp,
    alike: Sequence[StoreOp] | None,
    executions: Executions,
) -> None:
    """Refuse an access to an element that ``store`` writes in another block.

    If the stores ``alike`` write the same value in all blocks, only a read before the write of the
    reader's own block is refused.
    """
    if isinstance(op, StoreOp) and alike is not None:
        return
    space, instance, write = executions.of(op, store)
    numbers = _number(kernel, axis, space, instance), _number(kernel, axis, space, write)
    supplies: list[Supply] = []
    for own_store in alike or ():
        own = space.instance(own_store)
        constraints = [
            _number(kernel, axis, space, own).equals(numbers[0]),
            *_same_launch(kernel, own, instance),
            *space.same_buffer(store.buffer, own, instance),
            space.before(own, instance),
        ]
        supplies.append(Supply(own, space.element(own_store, own), constraints))
    constraints = [*_same_launch(kernel, instance, write), numbers[0].differs(numbers[1])]
    meeting = _meeting(space, op, instance, store, write, constraints, numbers, supplies)
    if meeting is None:
        return
    if isinstance(op, LoadOp):
        memory = memory_scope(op.buffer)
        raise _refuse_value(site, kernel, axis, op, store, memory, meeting)
    scope = scope_of(kernel.root)
    writer, second_writer = unit_of(store, scope), unit_of(op, scope)
    name = buffer_name(store.buffer)
    raise site.refuse(
        "KC3417",
        "several thread blocks "
        + ("may write" if meeting.witness.undecided else "write")
        + f" one element of {name}",
        at=writer,
        mark={second_writer: f"writes {name}", writer: f"writes {name}"},
        why=meeting.witness.undecided
        or f"{axis} {meeting.number(0)} and {axis} {meeting.number(1)} write "
        f"{name}{meeting.element}; thread blocks run in any order and do not wait for each "
        "other",
        beside=[second_writer],
    )


def refuse_writer(
    site: Site,
    unit: Operation,
    buffer: SSAValue,
    axis: str,
    kernel: Kernel,
    scope: str | None = None,
) -> Exception:
    """The refusal (KC3409) of a block or store outside all loops of ``axis`` that writes
    ``buffer``.

    ``scope`` is the future scope of the buffer, if it changes.
    """
    name = buffer_name(buffer)
    bound_loop = next(loop for loop, bound in kernel.loops() if bound == axis)
    return site.refuse(
        "KC3409",
        f"{describe(unit)} is in the kernel, but in no loop of {axis}",
        at=unit,
        mark={kernel.loop: kernel.axis, bound_loop: axis, unit: f"writes {name}"},
        why=f"every block along {axis} would run it, and write to {name}, which "
        + (
            f"is in {memory_scope(buffer)} memory"
            if scope is None
            else f"would be in {scope} memory"
        ),
        hints=[
            f"compute it in loop {bound_loop.label}",
            "bind a loop that also contains it"
            if site.primitive == "bind" or scope is not None
            else f"set_scope puts {name} into shared or local memory",
        ],
        beside=[kernel.root],
    )


# Finished schedules ---------------------------------------------------------------------------


def kernels_of(function: Operation) -> Iterator[Kernel]:
    """The GPU kernels in a function."""
    for loop in loops(function):
        if loop.axis is None or any(outer.axis is not None for outer in all_loops_around(loop)):
            continue
        kernel = Kernel(loop, loop, loop.axis)
        if real_axes(kernel):
            yield kernel


def require_kernels(site: Site) -> None:
    """Refuse kernels that cannot run correctly on any GPU.

    They use global memory of other blocks (KC3408, KC3409, KC3417), memory of other threads
    (KC3408) or kernels (KC3416), or exchange values where threads cannot wait (KC3418).
    """
    kernels = list(kernels_of(site.function))
    for kernel in kernels:
        require_known_extents(site, kernel)
        require_one_extent(site, kernel)
        accesses, executions = accesses_in(kernel), Executions(kernel)
        for axis in real_axes(kernel):
            if axis in BLOCK_AXES:
                require_grid(site, kernel, axis, accesses, executions=executions)
            for buffer, ops in accesses.items():
                scope = memory_scope(buffer)
                if not is_shared(scope, axis):
                    require_own_values(
                        site, kernel, axis, ops, scope, finished=True, executions=executions
                    )
        require_warps(site, kernel)
        require_convergence(site, kernel)
    if kernels:
        _require_launches(site, kernels)


def _require_launches(site: Site, kernels: Sequence[Kernel]) -> None:
    """Refuse (KC3416) a read of thread memory that was written outside the same kernel."""
    roots = {kernel.root: kernel for kernel in kernels}

    def kernel_of(op: Operation) -> Kernel | None:
        return next((roots[loop] for loop in all_loops_around(op) if loop in roots), None)

    used = dict.fromkeys(
        buffer
        for kernel in kernels
        for buffer in accesses_in(kernel)
        if memory_scope(buffer) != "global" and isinstance(buffer.owner, AllocOp)
    )
    for buffer in used:
        stores = stores_to(buffer)
        for use in list(buffer.uses):
            load = use.operation
            if not isinstance(load, LoadOp):
                continue
            here = kernel_of(load)
            own = [store for store in stores if kernel_of(store) is here]
            for store in stores:
                there = kernel_of(store)
                if there is here and not (
                    here and (all_loops_around(here.root) or _begun_before(store, here))
                ):
                    continue
                meeting = _kept_value(load, store, here, there, own)
                if meeting is not None:
                    raise _refuse_kept(site, load, store, here, there, meeting)


def _begun_before(store: StoreOp, kernel: Kernel) -> list[ForOp]:
    """The loops of the reduction that ``store`` initialises whose number of iterations is 0 or
    unknown, if the reduction's outermost loop is around or at the root of the kernel.

    If such a loop has no iteration, the initial value is stored before the kernel.
    """
    block = init_around(store)
    if block is None:
        return []
    reduced = [loop for loop in loops_around(block) if IterType.REDUCE in iter_types(loop, block)]
    if not reduced or not is_inside(kernel.root, reduced[0]):
        return []
    return [loop for loop in reduced if not loop.static_extent]


def _is_before(store: StoreOp, kernel: Kernel | None, space: Space, write: Instance) -> Condition:
    """The condition under which a store of a kernel runs before the kernel."""
    reduced = _begun_before(store, kernel) if kernel is not None else []
    if any(loop.static_extent == 0 for loop in reduced):
        return ALWAYS
    return any_of([space.size(loop.extent_value, write) <= 0 for loop in reduced])


def _kept_value(
    load: LoadOp,
    store: StoreOp,
    here: Kernel | None,
    there: Kernel | None,
    own: Sequence[StoreOp],
) -> Meeting | None:
    """A read of a value that ``store`` has written in another launch, and that no store of ``own``
    has written in this launch; None if there is none.
    """
    space = Space()
    read, write = space.instance(load), space.instance(store)
    constraints = [space.may_precede(write, read)]
    outside: list[ForOp] = [] if here is None else all_loops_around(here.root)
    if here is there:
        apart = [read.loops[loop].differs(write.loops[loop]) for loop in outside]
        constraints.append(any_of([*apart, _is_before(store, here, space, write)]))
    supplies: list[Supply] = []
    for own_store in own:
        instance = space.instance(own_store)
        supplies.append(
            Supply(
                instance,
                space.element(own_store, instance),
                [
                    ~_is_before(own_store, here, space, instance),
                    *(instance.loops[loop].equals(read.loops[loop]) for loop in outside),
                    *space.same_buffer(load.buffer, instance, read),
                    space.before(instance, read),
                    ~space.before(instance, write),
                ],
            )
        )
    return _meeting(space, load, read, store, write, constraints, supplies=supplies)


def _refuse_kept(
    site: Site,
    load: LoadOp,
    store: StoreOp,
    here: Kernel | None,
    there: Kernel | None,
    meeting: Meeting,
) -> Exception:
    assert isinstance(load.buffer.owner, AllocOp)
    scope = scope_of(load.buffer.owner)
    reader, writer = unit_of(load, scope), unit_of(store, scope)
    name, memory = buffer_name(load.buffer), memory_scope(load.buffer)
    if here is not None and here is there and not _begun_before(store, here):
        where = "in an earlier launch of the kernel"
    elif there is None or here is there:
        where = "outside the kernel"
    else:
        where = "in the kernel" if here is None else "in another kernel"
    who = "it" if reader is writer else describe(writer)
    lasts = {"warp": "a warp", "shared": "a thread block", "shared.dyn": "a thread block"}
    return site.refuse(
        "KC3416",
        f"{describe(reader)} "
        + ("may read" if meeting.witness.undecided else "reads")
        + f" {name}, which {who} writes {where}",
        at=reader,
        mark={writer: f"writes {name}", reader: f"reads {name}"},
        why=meeting.witness.undecided
        or f"{memory} memory lasts only as long as {lasts.get(memory, 'a thread')}, and is gone "
        f"when {describe(reader)}{meeting.first.at(meeting.witness)} reads {name}{meeting.element}",
        hints=[
            "compute_at or reverse_compute_at brings both into one kernel",
            f"set_scope puts {name} into global memory",
        ],
        beside=[writer],
    )
