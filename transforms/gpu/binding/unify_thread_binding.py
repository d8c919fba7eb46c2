"""unify-thread-binding: the loops of threads in a kernel become one launch.

Before::

    tir.for %b in 4 thread "blockIdx.x" {
      %S = tir.alloc "S" : memref<64xf32, "shared">
      tir.for %i in 64 thread "threadIdx.x" {
        tir.store %x, %S[%i] : memref<64xf32, "shared">
      }
      tir.store %y, %O[%b] : memref<4xf32>
      tir.for %j in 64 thread "threadIdx.x" {
        ...
      }
    }

After::

    tir.for %b in 4 thread "blockIdx.x" {
      tir.for %i in 64 thread "threadIdx.x" {
        %S = tir.alloc "S" : memref<64xf32, "shared">
        tir.store %x, %S[%i] : memref<64xf32, "shared">
        tir.if (%i == 0) {
          tir.store %y, %O[%b] : memref<4xf32>
        }
        ...
      }
    }

The kernel gets one loop for each axis of blocks and threads, from ``blockIdx.z`` to
``threadIdx.x``. The bodies of the other loops move into the innermost loop, where each thread runs
its own iteration. Each kernel allocates the buffers that it uses once, at its start; buffers of
global memory are allocated before the kernel. An operation that all threads of a block along an
axis execute identically counts once (:mod:`kc.dialects.tir.threads`). So if all these threads would
store to memory that they share, only the first thread stores. The exception are elements of tiles
that lanes hold, which ``lower-fragments`` distributes. Blocks do not wait for each other, so each
block stores. Loops that may be empty and do not contain the whole kernel are guarded, as a launch
has at least one thread.

A kernel without threads along x whose warps execute calls together (``tensorize``) gets the threads
that these warps need; copies by the copy unit need no binding.

Each loop of ``vthread`` without a letter is a separate axis, and stays (``inject-virtual-thread``).
Loops of ``vthread.x``, ``.y`` and ``.z`` are unified like threads.

Requires: no block is left (``lower-blocks``). *Legal when*

1. KC4221: the number of threads along an axis is the same in the whole kernel, and known at the
   launch.
2. KC4222: a kernel allocates global memory only once, with a size that is known at the launch.
3. KC4224: memory of a virtual thread that virtual threads of another axis share is loaded and
   stored by elements, and has a constant size: it becomes a part of a buffer in front of the loops.

TVM: ``UnifyThreadBinding``, ``HoistAllocations``; ``MakeLoopNest`` adds such a guard for threads
that a stage does not use.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstraintExpr, AffineConstraintKind, AffineExpr, AffineSet
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import is_side_effect_free

from kc.analysis import loop_tree
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.captures import makers_inside
from kc.analysis.loop_tree import all_loops_around, memory_scope
from kc.dialects.nvvm import SCOPES
from kc.dialects.tir import (
    AllocOp,
    ApplyOp,
    BlockOp,
    CallOp,
    ForKind,
    ForOp,
    IfOp,
    LoadOp,
    StoreOp,
    ThreadAllreduceOp,
)
from kc.dialects.tir.threads import BLOCK_AXES, LANE_AXES, VIRTUAL_AXES, is_shared
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of
from kc.transforms.gpu.binding._warp_calls import lanes_of
from kc.transforms.tir.storage._leading_dimension import copies_of, select_copy

LAUNCHED = (*reversed(BLOCK_AXES), *reversed(LANE_AXES))
"""The axes of a launch, outermost first."""
NAMED_VIRTUAL = tuple(axis for axis in VIRTUAL_AXES if axis != "vthread")
ORDER = (*LAUNCHED, *NAMED_VIRTUAL)
"""The axes that have one loop in a kernel, outermost first."""


@dataclass(frozen=True)
class UnifyThreadBindingPass(ModulePass):
    """Turn the thread loops of each kernel into one loop nest around the rest of the kernel."""

    name = "unify-thread-binding"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        roots = [root for function in loop_tree.functions(op) for root in kernel_roots(function)]
        for root, count in [(root, _missing_lanes(root)) for root in roots]:
            if count:
                _add_lanes(root, count)
        plans = [_plan(root) for root in roots]
        for plan in plans:
            _unify(plan)


def _missing_lanes(root: ForOp) -> int:
    """The number of lanes that the calls of a kernel without threads along x need; 0 if its calls
    need no lanes.
    """
    if any(loop.axis == LANE_AXES[0] for loop in loop_tree.loops(root)):
        return 0
    return max((lanes_of(op) for op in root.walk() if isinstance(op, CallOp)), default=0)


def _add_lanes(root: ForOp, count: int) -> None:
    """Give a kernel ``count`` threads along x."""
    body = launch_loops(root)[-1].body.block
    ops = list(body.ops)
    for op in ops:
        op.detach()
    lanes = ForOp("lane", count, kind=ForKind.THREAD, axis=LANE_AXES[0])
    lanes.location = root.location
    lanes.body.block.add_ops(ops)
    body.add_op(lanes)


def kernel_roots(function: FuncOp) -> list[ForOp]:
    """The outermost thread loops in a function, except for nests of virtual threads only."""
    roots = [
        loop
        for loop in loop_tree.loops(function)
        if loop.axis is not None and all(outer.axis is None for outer in all_loops_around(loop))
    ]
    return [root for root in roots if any(loop.axis in LAUNCHED for loop in loop_tree.loops(root))]


def is_unified(root: ForOp) -> bool:
    """True if the thread loops of a kernel are one loop nest around the rest of the kernel."""
    chain = launch_loops(root)
    axes = [loop.axis for loop in chain]
    in_order = [axis for axis in ORDER if axis in axes]
    inner = (loop for loop in loop_tree.loops(chain[-1]) if loop is not chain[-1])
    return axes == in_order and not any(loop.axis in ORDER for loop in inner)


def launch_loops(root: ForOp) -> list[ForOp]:
    """The perfect nest of thread loops from ``root`` on. Allocations that virtual threads share may
    be between the loops.
    """
    chain = [root]
    while True:
        ops = list(chain[-1].body.block.ops)
        if not ops:
            return chain
        *before, inner = ops
        if not isinstance(inner, ForOp) or inner.axis not in ORDER:
            return chain
        is_virtual = inner.axis in NAMED_VIRTUAL
        if before and not (is_virtual and all(isinstance(op, AllocOp) for op in before)):
            return chain
        chain.append(inner)


@dataclass
class _Axis:
    """An axis of a kernel."""

    axis: str
    first: ForOp
    """The first loop of the axis, from which the new loop takes its name."""
    makers: list[Operation]
    """The operations in the kernel that compute the extent of the axis."""
    is_whole: bool
    """True if the first loop of the axis contains the whole kernel, with only other thread loops
    around it.
    """


@dataclass
class _Plan:
    """The plan for a kernel."""

    root: ForOp
    axes: list[_Axis] = field(default_factory=list)


def _plan(root: ForOp) -> _Plan:
    """The plan for a kernel. Raises CodegenError KC4221 or KC4222 before any change."""
    plan = _Plan(root)
    index = IndexValues()
    loops = [loop for loop in loop_tree.loops(root) if loop.axis in ORDER]
    whole = launch_loops(root)
    for axis in ORDER:
        here = [loop for loop in loops if loop.axis == axis]
        if not here:
            continue
        first = here[0]
        for loop in here[1:]:
            if _extent(loop, index) != _extent(first, index):
                raise _refuse_extents(first, loop, axis)
        size = first.extent_value
        makers = [] if isinstance(size, int) else makers_inside(size, root)
        if makers is None:
            raise CodegenError(
                "KC4221",
                f"unify-thread-binding: the number of {axis} is computed in the kernel",
                location=location_of(first),
                why=f"loop {first.label} has {loop_tree.extent_text(size)} iterations, and a "
                "kernel is launched with the number of its threads",
                hints=[
                    "bind a loop whose extent is a constant or depends on sizes of the function"
                ],
            )
        plan.axes.append(_Axis(axis, first, makers, first in whole))
    for alloc in root.walk():
        if isinstance(alloc, AllocOp) and memory_scope(alloc.buffer) == "global":
            _require_hoistable(alloc, root)
        elif isinstance(alloc, AllocOp):
            _require_versions(alloc, root)
        if isinstance(alloc, BlockOp):
            raise CodegenError(
                "KC4201",
                f"unify-thread-binding: block {alloc.label} is left",
                location=location_of(alloc),
                why="this pass runs after blocks are lowered",
                hints=["run --lower-init-block --lower-blocks first"],
            )
    return plan


def _extent(loop: ForOp, index: IndexValues) -> AffineExpr:
    size = loop.extent_value
    return AffineExpr.constant(size) if isinstance(size, int) else index.expr(size)


def _refuse_extents(first: ForOp, second: ForOp, axis: str) -> CodegenError:
    here, there = (loop_tree.extent_text(loop.extent_value) for loop in (second, first))
    return CodegenError(
        "KC4221",
        f"unify-thread-binding: loop {second.label} has {here} threads of {axis}, "
        f"{first.label} has {there}",
        location=location_of(second),
        why="a kernel is launched once, with one number of threads along each axis",
        hints=["split the loops so that both have the same extent"],
    )


def _require_hoistable(alloc: AllocOp, root: ForOp) -> None:
    loops = [loop for loop in all_loops_around(alloc) if loop_tree.is_inside(loop, root)]
    repeated = [loop.label for loop in loops if loop.axis not in LAUNCHED]
    why = None
    if repeated:
        why = f"it is allocated in loop {repeated[0]}, anew in each iteration"
    elif any(makers_inside(size, root) is None for size in alloc.dynamic_sizes):
        why = "its size is computed in the kernel"
    if why is not None:
        raise CodegenError(
            "KC4222",
            f"unify-thread-binding: a kernel cannot allocate {alloc.label} in global memory",
            location=location_of(alloc),
            why=f"global memory is allocated before a kernel is launched, and {why}",
            hints=[f'give {alloc.label} the scope "local" or "shared"'],
        )


def _shared_by(alloc: AllocOp, root: ForOp) -> list[ForOp]:
    """The loops of virtual threads around an allocation in a kernel, if virtual threads of another
    named axis share its memory. The unified loop of that axis encloses all of them. Empty if no
    other axis shares the memory, and for shared memory.
    """
    if is_shared(memory_scope(alloc.buffer), NAMED_VIRTUAL[0]):
        return []
    around = [loop for loop in all_loops_around(alloc) if loop_tree.is_inside(loop, root)]
    around = [loop for loop in [root, *around] if loop.axis in VIRTUAL_AXES]
    axes = {loop.axis for loop in around}
    users = [use.operation for use in alloc.buffer.uses]
    inner = {loop.axis for user in users for loop in all_loops_around(user)}
    return around if (inner - axes).intersection(NAMED_VIRTUAL) else []


def _require_versions(alloc: AllocOp, root: ForOp) -> None:
    """Refuse (KC4224) memory of a virtual thread that other virtual threads share and that cannot
    become a part of a larger buffer."""
    loops = _shared_by(alloc, root)
    if not loops:
        return
    why = None
    for loop in loops:
        if loop.static_extent is None:
            why = f"the number of threads of {loop.axis} is not a constant"
    for use in alloc.buffer.uses:
        if not isinstance(use.operation, LoadOp | StoreOp):
            why = f"{use.operation.name} uses the whole buffer"
    if alloc.dynamic_sizes:
        why = "its size is known only at the launch"
    if why is not None:
        raise CodegenError(
            "KC4224",
            f"unify-thread-binding: virtual threads cannot share {alloc.label}",
            location=location_of(alloc),
            why=f"each thread of loop {loops[-1].label} needs a part of a larger buffer, but {why}",
            hints=[f"allocate {alloc.label} in the loops of all virtual threads that use it"],
        )


def _versions(alloc: AllocOp, loops: list[ForOp]) -> AllocOp:
    """A buffer with one part for each iteration of ``loops``, which replaces an allocation in
    them.
    """
    number, count = AffineExpr.constant(0), 1
    for n, loop in enumerate(loops):
        size = loop.static_extent
        assert size is not None
        number, count = number * size + AffineExpr.dimension(n), count * size
    parts = copies_of(alloc, count)
    for use in list(alloc.buffer.uses):
        access = use.operation
        assert isinstance(access, LoadOp | StoreOp)
        select_copy(access, number, [loop.var for loop in loops])
    alloc.buffer.replace_all_uses_with(parts.buffer)
    alloc.detach()
    alloc.erase()
    return parts


def _unify(plan: _Plan) -> None:
    root = plan.root
    launch = {loop.axis: loop for loop in launch_loops(root) if loop.axis is not None}
    outermost, innermost = root, launch_loops(root)[-1]
    is_nest = is_unified(root)
    if not is_nest:
        for axis in plan.axes:
            _hoist(axis.makers, root)
        outermost, innermost, launch = _nest(plan)
        Rewriter.insert_op(outermost, InsertPoint.before(root))
        root.detach()
        innermost.body.block.add_op(root)
    several = [axis for axis, loop in launch.items() if loop.static_extent != 1]
    for store, axes in _once(root, several).items():
        _guard(store, [launch[axis].var for axis in axes])
    _hoist_allocs(root, outermost, innermost)
    if not is_nest:
        is_whole = {axis.axis: axis.is_whole for axis in plan.axes}
        for loop in [*loop_tree.loops(root)]:
            if loop.axis in launch:
                _inline(loop, launch[loop.axis], is_guarded=not is_whole[loop.axis])


def _hoist_allocs(root: ForOp, outermost: ForOp, innermost: ForOp) -> None:
    """Move allocations to the start of a kernel, and allocations of global memory before it.

    Memory of blocks and threads that is allocated outside of the kernel moves into it, too. Memory
    that is allocated outside of virtual threads belongs to no single virtual thread, and is
    allocated before their loops.
    """
    own: list[AllocOp] = []
    common: list[AllocOp] = []
    body = innermost.body.block
    lanes = [loop for loop in (*all_loops_around(innermost), innermost) if loop.axis in LAUNCHED]
    home = lanes[-1].body.block
    outside = _own_memory(outermost)
    inside = [op for op in loop_tree.preorder(outermost) if isinstance(op, AllocOp)]
    for alloc in [*outside, *inside]:
        if memory_scope(alloc.buffer) == "global":
            for size in alloc.dynamic_sizes:
                _hoist(makers_inside(size, outermost) or [], outermost)
            alloc.detach()
            Rewriter.insert_op(alloc, InsertPoint.before(outermost))
        elif loops := _shared_by(alloc, root):
            common.append(_versions(alloc, loops))
        elif (alloc in outside or not alloc.dynamic_sizes) and _is_one_for_all(alloc):
            around = [
                loop
                for loop in all_loops_around(alloc)
                if loop is root or loop_tree.is_inside(loop, root)
            ]
            is_own = home is body or any(loop.axis in NAMED_VIRTUAL for loop in around)
            if alloc.parent is not (body if is_own else home):
                alloc.detach()
                (own if is_own else common).append(alloc)
    Rewriter.insert_op(own, InsertPoint.at_start(body))
    Rewriter.insert_op(common, InsertPoint.at_start(home))


def _own_memory(kernel: ForOp) -> list[AllocOp]:
    """The memory of blocks and threads that a kernel uses but does not allocate. If other kernels
    use the memory, too, it is allocated again for this kernel, as such memory lives within one
    kernel.
    """
    used = dict.fromkeys(
        operand.owner for op in loop_tree.preorder(kernel) for operand in op.operands
    )
    own: list[AllocOp] = []
    for alloc in used:
        if not isinstance(alloc, AllocOp) or loop_tree.is_inside(alloc, kernel):
            continue
        if memory_scope(alloc.buffer) == "global":
            continue
        inside = {use for use in alloc.buffer.uses if loop_tree.is_inside(use.operation, kernel)}
        if any(use not in inside for use in alloc.buffer.uses):
            copy = alloc.clone()
            copy.location = alloc.location
            Rewriter.insert_op(copy, InsertPoint.before(kernel))
            for use in inside:
                use.operation.operands[use.index] = copy.buffer
            alloc = copy
        own.append(alloc)
    return own


def _is_one_for_all(alloc: AllocOp) -> bool:
    """True if all virtual threads and all lanes of vectors share one copy of the allocation."""
    return all(
        loop.axis != "vthread" and loop.kind.data is not ForKind.VECTORIZED
        for loop in all_loops_around(alloc)
    )


def _hoist(ops: list[Operation], root: Operation) -> None:
    """Move pure operations in front of the kernel."""
    for op in ops:
        if loop_tree.is_inside(op, root):
            op.detach()
            Rewriter.insert_op(op, InsertPoint.before(root))


def _nest(plan: _Plan) -> tuple[ForOp, ForOp, dict[str, ForOp]]:
    """The new loops: the outermost, the innermost, and all by their axis."""
    new: dict[str, ForOp] = {}
    outer: ForOp | None = None
    for axis in plan.axes:
        size = axis.first.extent_value
        if not (axis.is_whole or _is_positive(axis.first)):
            size = at_least_1(size, InsertPoint.before(plan.root), plan.root)
        loop = ForOp(axis.first.label, size, kind=ForKind.THREAD, axis=axis.axis)
        if axis.first.annotations is not None:
            loop.annotations = axis.first.annotations
        loop.location = axis.first.location
        loop.var.name_hint = axis.first.var.name_hint
        if outer is not None:
            outer.body.block.add_op(loop)
        new[axis.axis] = outer = loop
    first, *_ = new.values()
    assert outer is not None
    return first, outer, new


def at_least_1(size: int | SSAValue, point: InsertPoint, like: Operation) -> int | SSAValue:
    """``size``, or 1 if ``size`` is smaller. The operation is inserted at ``point`` with the
    location of ``like``.
    """
    if isinstance(size, int):
        return max(size, 1)
    larger = ApplyOp.of_groups("max", [[AffineExpr.dimension(0)], [AffineExpr.constant(1)]], [size])
    larger.location = like.location
    Rewriter.insert_op(larger, point)
    return larger.result


def _inline(loop: ForOp, new: ForOp, *, is_guarded: bool) -> None:
    """Replace a thread loop by its body, for the iteration of each thread."""
    body = loop.body.block
    body.args[0].replace_all_uses_with(new.var)
    ops = list(body.ops)
    for op in ops:
        op.detach()
    if is_guarded and not _is_positive(loop):
        # A launch has as many threads as the loop has iterations, or one if the loop has none. So
        # all threads take the same branch, as threads that combine their values must.
        combines = any(isinstance(inner, ThreadAllreduceOp) for op in ops for inner in op.walk())
        size = loop.extent_value
        operands: list[SSAValue] = [] if combines else [new.var]
        most = AffineExpr.constant(0) if combines else AffineExpr.dimension(0)
        if isinstance(size, int):
            extent = AffineExpr.constant(size)
        else:
            extent = AffineExpr.dimension(len(operands))
            operands.append(size)
        below = AffineConstraintExpr(
            AffineConstraintKind.ge, extent - most - 1, AffineExpr.constant(0)
        )
        guard = IfOp(AffineSet(len(operands), 0, (below,)), operands, Region(Block(ops)))
        guard.location = loop.location
        ops = [guard]
    Rewriter.replace_op(loop, ops, [])


def _is_positive(loop: ForOp) -> bool:
    """True if a loop has at least one iteration for all sizes of a call."""
    index = IndexValues()
    low, _ = index.bounds(_extent(loop, index))
    return low is not None and low >= 1


# Operations that count once -------------------------------------------------------------------


def _once(root: ForOp, axes: list[str]) -> dict[StoreOp, list[str]]:
    """The stores to memory that threads share, each with the axes along which all threads store the
    same value to the same element.
    """
    once: dict[StoreOp, list[str]] = {}
    for store in root.walk():
        if not isinstance(store, StoreOp):
            continue
        scope = memory_scope(store.buffer)
        shared = [axis for axis in axes if axis in LANE_AXES and is_shared(scope, axis)]
        if LANE_AXES[0] in shared and _is_of_lanes(store):
            shared.remove(LANE_AXES[0])
        own = _axes_of(store) if shared else set()
        alike = [axis for axis in shared if axis not in own]
        if alike:
            once[store] = alike
    return once


def _is_of_lanes(store: StoreOp) -> bool:
    """True if the store writes an element of a tile that lanes hold. Each lane stores its own
    elements (``lower-fragments``); until then all threads store all elements.
    """
    pending, seen = [store.value], set[SSAValue]()
    while pending:
        value = pending.pop()
        owner = value.owner
        if value in seen or not isinstance(owner, Operation):
            continue
        seen.add(value)
        if isinstance(owner, LoadOp) and SCOPES.fullmatch(memory_scope(owner.buffer)):
            return True
        pending += owner.operands
    return False


def _axes_of(store: StoreOp) -> set[str]:
    """The axes on which the address or the execution of a store depends."""
    used = list(store.operands_of_map)
    for op in loop_tree.path_to(store):
        if isinstance(op, IfOp):
            used += op.operands
        elif isinstance(op, ForOp):
            used += op.operands if op.axis is None else ()
        elif op is not store:
            used += op.operands
    return {axis for value in used for axis in axes_of(value)}


def axes_of(value: SSAValue, seen: set[SSAValue] | None = None) -> Iterator[str]:
    """The axes of the threads on which a value depends, through the operations that compute it."""
    seen = set() if seen is None else seen
    if value in seen:
        return
    seen.add(value)
    if isinstance(value, BlockArgument):
        loop = value.block.parent_op()
        if isinstance(loop, ForOp) and loop.axis is not None:
            yield loop.axis
        elif loop is not None and not isinstance(loop, FuncOp):
            for operand in loop.operands:
                yield from axes_of(operand, seen)
        return
    owner = value.owner
    assert isinstance(owner, Operation)
    if isinstance(owner, LoadOp) and not is_shared(memory_scope(owner.buffer), LANE_AXES[0]):
        yield from LAUNCHED  # memory of a thread may differ between all threads
    for op in owner.walk():
        for operand in op.operands:
            yield from axes_of(operand, seen)


def is_uniform(op: Operation) -> bool:
    """True if all threads of a block that reach ``op`` also execute its body together."""
    if isinstance(op, ForOp) and op.kind.data is ForKind.VECTORIZED:
        return False
    if not isinstance(op, ForOp | IfOp | scf.IfOp | scf.ForOp):
        return False
    return not any(axis in LANE_AXES for value in op.operands for axis in axes_of(value))


def _guard(store: StoreOp, numbers: list[SSAValue]) -> None:
    """Guard a store so that only the threads with number 0 along some axes perform it."""
    ops = [*_only_for(store), store]
    constraints = tuple(
        AffineConstraintExpr(
            AffineConstraintKind.eq, AffineExpr.dimension(n), AffineExpr.constant(0)
        )
        for n in range(len(numbers))
    )
    place = InsertPoint.after(store)
    for op in ops:
        op.detach()
    guard = IfOp(AffineSet(len(numbers), 0, constraints), numbers, Region(Block(ops)))
    guard.location = store.location
    Rewriter.insert_op(guard, place)


def _only_for(store: StoreOp) -> list[Operation]:
    """The operations directly before a store that only the store uses, in order."""
    only: list[Operation] = []
    inside: set[Operation] = {store}
    op = store.prev_op
    while op is not None:
        loads = isinstance(op, LoadOp)
        if not (loads or is_side_effect_free(op)) or isinstance(op, AllocOp):
            break
        uses = [use.operation for result in op.results for use in result.uses]
        if uses and all(use in inside for use in uses):
            only.append(op)
            inside.add(op)
        op = op.prev_op
    return only[::-1]
