"""Visibility of values between threads: work that threads share, and memory that they do not
share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.ir import Operation, SSAValue

from kc.analysis import loop_tree
from kc.analysis.accesses.dependence import carried_conflict
from kc.analysis.accesses.instances import Space, Supply
from kc.analysis.accesses.regions import buffers_read, buffers_written, scope_of, unit_of
from kc.analysis.accesses.replicated import is_replicated
from kc.analysis.accesses.simple_nest import simple_nest
from kc.analysis.loop_tree import all_loops_around, buffer_name, memory_scope
from kc.analysis.trust import Undecided
from kc.dialects.tir import AllocOp, BlockOp, ForOp, IterType
from kc.dialects.tir.threads import BLOCK_AXES, VIRTUAL_AXES, is_shared
from kc.support.diagnostics import ScheduleError
from kc.transforms.schedule._blocks import captured, describe
from kc.transforms.schedule.base import Site
from kc.transforms.schedule.placing._placing import old_values
from kc.transforms.schedule.threads._foreign_values import (
    Access,
    accesses_in,
    kernels_of,
    real_axes,
    require_grid,
    require_own_values,
)
from kc.transforms.schedule.threads._threads import Kernel

# Shared work ----------------------------------------------------------------------------------


def require_shared_work(site: Site, kernel: Kernel) -> None:
    """Refuse (KC3411) unless the threads of the axis together do the work that each of them does
    now.

    If one loop of an axis is inside another, each thread runs only one of its iterations.
    """
    loop, axis = kernel.loop, kernel.axis
    if axis == "vthread":
        return
    around = kernel.around(loop, axis)
    inside = [inner for inner in loop_tree.loops(loop) if inner is not loop and inner.axis == axis]
    for outer, inner in [(outer, loop) for outer in around] + [(loop, inner) for inner in inside]:
        condition = _condition_between(outer, inner)
        if condition is not None:
            why = f"{describe(condition)} keeps some of the threads away from it"
            raise _refuse_work(site, kernel, outer, inner, why)
        for op in inner.walk():
            if isinstance(op, BlockOp) and unit_of(op, scope_of(inner)) is op:
                _require_same_work(site, kernel, outer, inner, op)
            elif isinstance(op, Access) and scope_of(op) is scope_of(inner):
                raise _refuse_work(
                    site, kernel, outer, inner, "work outside blocks cannot be compared"
                )


def _condition_between(outer: ForOp, inner: ForOp) -> Operation | None:
    """The guard or block around ``inner`` that some threads of ``outer`` do not run; None if all
    threads run them.
    """
    varying = loop_tree.derived_values(outer.var)
    between = list(loop_tree.path_to(inner))[1:]
    for op in reversed(between[: between.index(outer)]):
        used = op.predicate_operands if isinstance(op, BlockOp) else op.operands
        if varying.intersection(used):
            return op
        if isinstance(op, BlockOp):
            for variable, expr in zip(op.body.block.args, op.binding_exprs, strict=False):
                if varying.intersection(op.binding_operands[dim] for dim in expr.used_dims()):
                    varying |= loop_tree.derived_values(variable)
    return None


def _require_same_work(
    site: Site, kernel: Kernel, outer: ForOp, inner: ForOp, block: BlockOp
) -> None:
    vars_ = {loop.var: loop for loop in (outer, inner)}
    varying = set().union(*(loop_tree.derived_values(var) for var in vars_))
    used = next((value for value in captured(block) if value in varying), None)
    if used is not None:
        name = used.name_hint or "a value"
        why = f"block {block.label} uses {name}, which differs from thread to thread"
        raise _refuse_work(site, kernel, outer, inner, why)
    private = next(
        (
            buffer
            for buffer in (*buffers_written(block), *buffers_read(block))
            if loop_tree.defined_inside(buffer, outer)
            and not loop_tree.defined_inside(buffer, inner)
            and not is_shared(memory_scope(buffer), kernel.axis)
        ),
        None,
    )
    space = Space()
    demand = space.instance(block)
    own = {inner} if private is not None else {outer, inner}
    shared = {loop: dim for loop, dim in demand.loops.items() if loop not in own}
    supply = space.instance(block, shared)
    same = supply.loops[inner].equals(supply.loops[outer])
    witness = space.uncovered(
        demand, old_values(demand, block), [Supply(supply, old_values(supply, block), [same])]
    )
    if witness is None:
        return
    why = witness.undecided
    if why is None:
        at = ", ".join(
            f"{name}={value}" for name, value in zip(block.names, witness.element, strict=False)
        )
        why = f"no thread would run block {block.label} for {at}"
        if private is not None:
            why = (
                f"each thread has its own {buffer_name(private)} ({memory_scope(private)}), and "
                f"that of thread {witness[demand.loops[outer]]} would miss {at}"
            )
    raise _refuse_work(site, kernel, outer, inner, why)


def _refuse_work(
    site: Site, kernel: Kernel, outer: ForOp, inner: ForOp, why: str | Undecided
) -> Exception:
    return site.refuse(
        "KC3411",
        f"the threads of {outer.label} cannot share the iterations of {inner.label}",
        at=kernel.loop,
        mark={outer: kernel.axis, inner: f"{kernel.axis}: one iteration in each thread"},
        why=why,
        hints=[
            f"bind {kernel.loop.label} to another axis"
            if site.primitive == "bind"
            else f"keep {kernel.loop.label} bound to {kernel.axis}"
        ],
    )


# Memory ---------------------------------------------------------------------------------------


def require_visible(site: Site, kernel: Kernel) -> None:
    """Refuse a read of a value that only another thread or thread block has written (KC3408), and
    global memory that several thread blocks write (KC3409, KC3417).

    Within one execution of the kernel's loop there are no such values, since its iterations are
    independent; but blocks share global memory that was private to each iteration. Virtual threads
    run in one thread, so they share a buffer unless it is allocated inside their loop. Kernels
    inside the loop become one kernel, so all their axes are checked.
    """
    is_root = kernel.root is kernel.loop
    if is_root and not any(loop is not kernel.loop for loop, _ in kernel.loops()):
        if kernel.axis in BLOCK_AXES:
            own = {
                buffer: ops
                for buffer, ops in accesses_in(kernel).items()
                if loop_tree.defined_inside(buffer, kernel.loop)
            }
            require_grid(site, kernel, kernel.axis, own)
        return
    simple = simple_nest(kernel.root)
    if simple is not None and simple.drives[kernel.loop] is IterType.SPATIAL:
        return  # one block, whose iterations in different threads own different elements
    axes = [axis for axis in real_axes(kernel) if is_root or axis == kernel.axis]
    accesses = accesses_in(kernel)
    if kernel.around(kernel.loop, kernel.axis):
        accesses = {  # the remaining accesses do not change
            buffer: ops
            for buffer, ops in accesses.items()
            if any(loop_tree.is_inside(op, kernel.loop) for op in ops)
        }
    for axis in axes:
        for buffer, ops in accesses.items():
            scope = memory_scope(buffer)
            if not is_shared(scope, axis):
                require_own_values(site, kernel, axis, ops, scope)
        if axis in BLOCK_AXES:
            require_grid(site, kernel, axis, accesses)


def require_scope_of_threads(site: Site, alloc: AllocOp, scope: str) -> None:
    """Refuse (KC3408, KC3415) another scope if threads would then share memory that must be
    private, or have private memory through which they exchange values.
    """
    old = memory_scope(alloc.buffer)
    for loop in all_loops_around(alloc):
        axis = loop.axis
        if axis is not None and is_shared(scope, axis) and not is_shared(old, axis):
            _require_undisturbed(site, alloc, loop, axis, scope)
    users = [use.operation for use in alloc.buffer.uses]
    accesses = [user for user in users if isinstance(user, Access)]
    for kernel in kernels_of(site.function):
        if loop_tree.is_inside(alloc, kernel.root):
            continue
        inside = [access for access in accesses if loop_tree.is_inside(access, kernel.root)]
        for axis in real_axes(kernel):
            if axis in BLOCK_AXES and is_shared(scope, axis) and not is_shared(old, axis):
                require_grid(site, kernel, axis, {alloc.buffer: inside}, scope)
    threads = dict.fromkeys(
        loop for op in accesses for loop in all_loops_around(op) if loop.axis is not None
    )
    for loop in threads:
        axis = loop.axis
        if axis is None or axis in BLOCK_AXES or is_shared(scope, axis):
            continue
        if not is_shared(old, axis):
            continue
        if axis in VIRTUAL_AXES and not loop_tree.is_inside(alloc, loop):
            continue
        root = next(outer for outer in [*all_loops_around(loop), loop] if outer.axis is not None)
        kernel = Kernel(root, loop, axis)
        own = [
            access
            for access in accesses
            if loop_tree.is_inside(access, root) and kernel.around(access, axis)
        ]
        require_own_values(site, kernel, axis, own, scope)


def _require_undisturbed(site: Site, alloc: AllocOp, loop: ForOp, axis: str, scope: str) -> None:
    if is_replicated(alloc.buffer, loop, axis):
        return
    conflict = carried_conflict(loop, axis, alloc.buffer)
    if conflict is not None:
        raise site.refuse(
            "KC3415",
            f"the threads of {loop.label} "
            + ("may overwrite" if conflict.undecided else "overwrite")
            + f" each other's values in {alloc.label}",
            at=alloc,
            mark={loop: axis, alloc: f"each thread has its own ({memory_scope(alloc.buffer)})"},
            why=conflict.explain(),
            hints=[f"scope={scope} is one buffer for all of them; with local, each has its own"],
        )


def threads_apart(buffer: SSAValue, scope: str) -> Iterator[tuple[ForOp, str]]:
    """The loops, with their axes, whose threads each have a private ``buffer`` and would share a
    copy in ``scope``.
    """
    alloc, old = buffer.owner, memory_scope(buffer)
    if isinstance(alloc, AllocOp):
        for loop in all_loops_around(alloc):
            axis = loop.axis
            if axis is not None and is_shared(scope, axis) and not is_shared(old, axis):
                yield loop, axis


def require_copies_apart(
    site: Site,
    block: BlockOp,
    buffer: SSAValue,
    scope: str,
    hints: Sequence[str] = ("scope=local",),
) -> None:
    """Refuse (KC3415) a shared copy of a buffer that each thread has separately."""
    for loop, axis in threads_apart(buffer, scope):
        if not is_replicated(buffer, loop, axis):
            why = f"the copy would be one buffer for all threads of {axis}"
            raise refuse_shared_copy(site, block, loop, buffer, scope, why, hints)


def refuse_shared_copy(
    site: Site,
    block: BlockOp,
    loop: ForOp,
    buffer: SSAValue,
    scope: str,
    why: str | Undecided,
    hints: Sequence[str] = ("scope=local",),
) -> ScheduleError:
    """The refusal (KC3415) of a copy in ``scope`` that the threads of ``loop`` would share."""
    alloc = buffer.owner
    assert isinstance(alloc, AllocOp)
    return site.refuse(
        "KC3415",
        f"the threads of {loop.label} "
        + ("may overwrite" if isinstance(why, Undecided) else "overwrite")
        + f" each other's values in a {scope} copy of {alloc.label}",
        at=block,
        mark={loop: str(loop.axis), alloc: f"each thread has its own ({memory_scope(buffer)})"},
        why=why,
        hints=hints,
    )
