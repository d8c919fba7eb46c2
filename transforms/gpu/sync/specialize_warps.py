"""specialize-warps: separate warps start the copies of a kernel, and run ahead of the computing
warps.

Before::

    tir.for %g in 2 thread "threadIdx.y" {
      tir.for %t in 128 thread "threadIdx.x" {
        %full = tir.alloc "A_full" {tir.mbarriers, tir.warp_specialized} : memref<3xi64, "shared">
        tir.mbarrier_init %full : memref<3xi64, "shared">
        tir.for %k in 64 {
          tir.mbarrier_expect %full[%k mod 3], 8192 : memref<3xi64, "shared">
          tir.call @tma_load_64x64_f16_shared.start(...)
          tir.mbarrier_wait %full[%k mod 3] phase [%k floordiv 3] : memref<3xi64, "shared">
          tir.call @wgmma_sync_m64n32k16x4_f16f16f32_trans.warp(...)

After::

    tir.for %g in 3 thread "threadIdx.y" {
      tir.for %t in 128 thread "threadIdx.x" {
        ...
        tir.mbarrier_init %empty, 8 : memref<3xi64, "shared">
        tir.if (%g - 2 >= 0) {tir.role = "producer"} {
          nvvm.setmaxregister decrease 40
          tir.for %k in 64 {
            tir.mbarrier_wait %empty[%k mod 3] phase [%k floordiv 3 - 1] : memref<3xi64, "shared">
            tir.mbarrier_expect %full[%k mod 3], 8192 : memref<3xi64, "shared">
            tir.call @tma_load_64x64_f16_shared.start(...)
          }
        }
        tir.if (-%g + 1 >= 0) {tir.role = "consumer"} {
          nvvm.setmaxregister increase 232
          tir.for %k in 64 {
            tir.mbarrier_wait %full[%k mod 3] phase [%k floordiv 3] : memref<3xi64, "shared">
            tir.call @wgmma_sync_m64n32k16x4_f16f16f32_trans.warp(...)
            tir.mbarrier_arrive %empty[%k mod 3] : memref<3xi64, "shared">
          }
          ...

The pass applies to the pipelines that ``inject-software-pipeline`` has left in order, because their
annotation requests it. An additional row of threads along ``threadIdx.y`` is the producer. Its
program is the slice of the kernel that starts copies: the copies, the computation of their
addresses, and the loops and branches around them. The other threads, the consumers, execute the
rest. A second ring of mbarriers (``_empty``) blocks the producer: a version may be overwritten when
each warp of the consumers has arrived behind its last read. So the producer is ahead by as many
iterations as there are versions, even across iterations of an outer loop.

If a multiprocessor has too few registers to give each thread the maximum, the producer cedes most
of its registers to the consumers, if the architecture allows it.

The slice depends on the whole kernel, so this is not a rewrite pattern.

Requires: one nest of loops of threads around each kernel (``unify-thread-binding``); barriers come
later (``thread-sync``), and cover the threads of one role. *Legal when*

1. KC4251: whole warps along ``threadIdx.x``, and at most one row of threads along ``threadIdx.z``.
2. KC4251: with the producer, a block has no more threads than the GPU allows.
3. KC4251: the operands of a copy are computed from loops and sizes alone.
4. KC4251: the copied data is read in the loop that copies it.

CUTLASS: ``KernelTmaWarpSpecializedCooperative``; Triton: ``warp_specialize``. Program slices are
due to Weiser (ICSE 1981).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, StringAttr, i32
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineSet
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import is_side_effect_free

from kc.analysis import loop_tree
from kc.analysis.accesses.dependence import base_buffer
from kc.analysis.loop_tree import buffer_name, is_inside, path_to
from kc.dialects.affine_assembly import at_least_zero
from kc.dialects.nvvm import SetMaxRegisterOp
from kc.dialects.tir import (
    AllocOp,
    CallOp,
    ForKind,
    ForOp,
    IfOp,
    MBarrierArriveOp,
    MBarrierExpectOp,
    MBarrierInitOp,
    MBarrierWaitOp,
)
from kc.dialects.tir.memory import ASYNC_COPY
from kc.dialects.tir.threads import LANE_AXES
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of
from kc.support.nvidia import architecture_of
from kc.support.target import Target, target_of
from kc.transforms.gpu.binding.unify_thread_binding import axes_of, kernel_roots, launch_loops
from kc.transforms.gpu.binding.verify_gpu_code import gpu_target
from kc.transforms.gpu.tensor_copies._mbarrier_rings import SPECIALIZED, target_of_copy

ROLE = "tir.role"
"""The attribute of a branch for the threads of one role: :data:`PRODUCER` or :data:`CONSUMER`."""
PRODUCER = "producer"
CONSUMER = "consumer"

WARP = 32
FOUR_WARPS = 128
"""The number of threads that change their number of registers together (PTX ISA, "setmaxnreg")."""
EIGHT = 8
"""The granularity of the number of registers of a thread, at launch and at a change."""
MOST_REGISTERS = 255
"""The most registers of a thread."""
PRODUCER_REGISTERS = (32, 40)
"""The fewest registers of a producer, and the most that it needs."""


@dataclass(frozen=True)
class SpecializeWarpsPass(ModulePass):
    """Start the copies of pipelines in separate warps, if the pipelines request it."""

    name = "specialize-warps"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        target = target_of(op)
        plans = [
            _plan(root, target)
            for function in loop_tree.functions(op)
            for root in kernel_roots(function)
            if any(
                isinstance(inner, AllocOp) and SPECIALIZED in inner.attributes
                for inner in root.walk()
            )
        ]
        for plan in plans:
            _specialize(plan)


def role_of(op: Operation) -> Operation | None:
    """The branch of a role around ``op``; None if ``op`` is in no such branch."""
    outer = op.parent_op()
    while outer is not None and ROLE not in outer.attributes:
        outer = outer.parent_op()
    return outer


def is_of_producer(op: Operation) -> bool:
    """True if ``op`` is in the branch of a producer."""
    role = role_of(op)
    return role is not None and role.attributes[ROLE] == StringAttr(PRODUCER)


@dataclass
class _Ring:
    """The copies of a loop that one ring of mbarriers counts."""

    full: AllocOp
    loop: ForOp
    expect: MBarrierExpectOp
    wait: MBarrierWaitOp
    starts: list[CallOp]
    last_reader: Operation
    """The operation of the loop after which nothing reads the copied data."""


@dataclass
class _Plan:
    """The plan for a kernel in which separate warps copy."""

    root: ForOp
    x: ForOp
    y: ForOp | None
    rings: list[_Ring] = field(default_factory=list)
    registers: tuple[int, int] | None = None
    """The registers of the producer and of the consumers; None if they do not change."""

    @property
    def rows(self) -> int:
        """The number of rows of computing threads."""
        if self.y is None:
            return 1
        assert self.y.static_extent is not None
        return self.y.static_extent

    @property
    def width(self) -> int:
        """The number of threads in a row."""
        assert self.x.static_extent is not None
        return self.x.static_extent


# Checks ---------------------------------------------------------------------------------------


def _plan(root: ForOp, target: Target) -> _Plan:
    """The specialization of the warps of a kernel. Raises CodegenError KC4251 before any change."""
    lanes = {loop.axis: loop for loop in launch_loops(root)}
    x, y, z = (lanes.get(axis) for axis in LANE_AXES)
    fulls = [op for op in root.walk() if isinstance(op, AllocOp) and SPECIALIZED in op.attributes]
    count = 1 if x is None else x.static_extent
    if x is None or count is None or count % WARP:
        number = "an unknown number of" if count is None else count
        raise _refuse(
            fulls[0],
            f"there are {number} threads along threadIdx.x, must be a multiple of {WARP}: the "
            "warps "
            "that copy are one more row of threads",
            [f'bind a loop of a multiple of {WARP} iterations to "threadIdx.x"'],
        )
    for loop in (y, z):
        most = 1 if loop is z else None
        if loop is not None and (loop.static_extent is None or loop.static_extent > (most or 1024)):
            raise _refuse(
                fulls[0],
                f"there are {loop_tree.extent_text(loop.extent_value)} threads along "
                f"{loop.axis}, but "
                "the threads that copy are one more row along threadIdx.y",
                ['bind all warps along "threadIdx.y"'],
            )
    plan = _Plan(root, x, y)
    limit = gpu_target(target).limits["max_threads_per_block"]
    if (plan.rows + 1) * plan.width > limit:
        raise _refuse(
            fulls[0],
            f"{plan.rows} x {plan.width} threads compute, {plan.width} more copy, and a block has "
            f"at most {limit}",
            ["compute with fewer threads"],
        )
    plan.rings = [_ring(full, root) for full in fulls]
    plan.registers = _registers(plan, target)
    return plan


def _refuse(op: Operation, why: str, hints: list[str]) -> CodegenError:
    name = op.label.removesuffix("_full") if isinstance(op, AllocOp) else "memory"
    return CodegenError(
        "KC4251",
        f"specialize-warps: separate warps cannot do the copies to {name}",
        location=location_of(op),
        why=why,
        hints=[*hints, "remove software_pipeline_warp_specialize"],
    )


def _ring(full: AllocOp, root: ForOp) -> _Ring:
    users = [use.operation for use in full.buffer.uses]
    (expect,) = (op for op in users if isinstance(op, MBarrierExpectOp))
    (wait,) = (op for op in users if isinstance(op, MBarrierWaitOp))
    starts = [
        use.operation
        for view in users
        for result in view.results
        for use in result.uses
        if isinstance(use.operation, CallOp) and ASYNC_COPY in use.operation.attributes
    ]
    loop = expect.parent_op()
    assert isinstance(loop, ForOp)
    tiles = [tile for call in starts if (tile := target_of_copy(call)) is not None]
    readers: dict[Operation, None] = {wait: None}
    for op in root.walk():
        if op in starts or not any(_touches(op, tile) for tile in tiles):
            continue
        if not is_inside(op, loop):
            raise _refuse(
                full,
                f"{buffer_name(tiles[0])} is used outside of loop {loop.label}, which copies it",
                ["read the copied data in the same iteration"],
            )
        readers[next(ancestor for ancestor in path_to(op) if ancestor.parent_op() is loop)] = None
    order = {op: n for n, op in enumerate(loop.body.block.ops)}
    for op in (expect, *starts):
        _require_known(op, full, root)
    return _Ring(full, loop, expect, wait, starts, max(readers, key=lambda op: order[op]))


def _touches(op: Operation, buffer: SSAValue | None) -> bool:
    return not is_side_effect_free(op) and any(
        base_buffer(operand) is buffer for operand in op.operands if not op.regions
    )


def _require_known(op: Operation, full: AllocOp, root: ForOp) -> None:
    """Refuse (KC4251) an operation that depends on values that the producer cannot compute."""
    around = [outer for outer in path_to(op) if outer is not op and is_inside(outer, root)]
    around = [outer for outer in around if not (isinstance(outer, ForOp) and outer.axis)]
    hints = ["compute the places and conditions of copies from loops and sizes alone"]
    for outer in around:
        if not isinstance(outer, ForOp | IfOp | scf.IfOp):
            raise _refuse(full, f"they are inside of {outer.name}", hints)
        for axis in (axis for value in outer.operands for axis in axes_of(value)):
            if axis in LANE_AXES:
                raise _refuse(full, f"their execution depends on {axis}", hints)
    pending = [operand for outer in (op, *around) for operand in outer.operands]
    seen: set[SSAValue] = set()
    while pending:
        value = pending.pop()
        owner = value.owner
        if value in seen or isinstance(value, BlockArgument) or isinstance(owner, AllocOp):
            continue
        seen.add(value)
        assert isinstance(owner, Operation)
        if is_inside(owner, root) and (owner.regions or not is_side_effect_free(owner)):
            raise _refuse(full, f"their place depends on a value of {owner.name}", hints)
        pending += owner.operands


def _registers(plan: _Plan, target: Target) -> tuple[int, int] | None:
    """The registers of a thread of the producer, and of a computing thread.

    None if all threads can have the maximum, if annotations already set the number of registers, or
    if the architecture has one number for all threads.
    """
    architecture = architecture_of(target)
    threads = (plan.rows + 1) * plan.width
    each = gpu_target(target).limits["registers_per_block"] // threads // EIGHT * EIGHT
    bounds = [
        key
        for loop in launch_loops(plan.root)
        for key in (loop.annotations.data if loop.annotations is not None else {})
        if key.removeprefix("pragma_") in ("nvvm.minctasm", "nvvm.maxnreg")
    ]
    is_able = architecture.is_specific and architecture.number >= 90
    if plan.width % FOUR_WARPS or each >= MOST_REGISTERS or bounds or not is_able:
        return None
    least, most = PRODUCER_REGISTERS
    total = each * (plan.rows + 1)
    consumer = (total - least) // plan.rows // EIGHT * EIGHT
    producer = min(total - plan.rows * consumer, most) // EIGHT * EIGHT
    return producer, consumer


# Rewriting ------------------------------------------------------------------------------------


def _specialize(plan: _Plan) -> None:
    rows, warps = plan.rows, plan.rows * plan.width // WARP
    copying: set[Operation] = set()
    for ring in plan.rings:
        copying |= {ring.expect, *ring.starts, _add_empty(ring, warps)}
    row = _add_row(plan)
    body = launch_loops(plan.root)[-1].body.block
    rest = [op for op in body.ops if not isinstance(op, AllocOp | MBarrierInitOp)]
    producer = _slice(rest, copying)
    for op in copying:
        op.detach()
        op.erase()
    for op in rest:
        op.detach()
    consumer = Block(rest)
    _drop_idle(consumer)
    less, more = plan.registers or (0, 0)
    if plan.registers is not None:
        _change_registers(producer, "decrease", less)
        _change_registers(consumer, "increase", more)
        _bound(plan.root)
    number = AffineExpr.dimension(0)
    for block, role, condition in (
        (producer, PRODUCER, number - rows),
        (consumer, CONSUMER, AffineExpr.constant(rows - 1) - number),
    ):
        branch = IfOp(AffineSet(1, 0, (at_least_zero(condition),)), [row.var], Region(block))
        branch.attributes[ROLE] = StringAttr(role)
        branch.location = plan.root.location
        body.add_op(branch)


def _add_empty(ring: _Ring, warps: int) -> MBarrierWaitOp:
    """Block copies until their version has been read. Returns the wait."""
    full, wait = ring.full, ring.wait
    empty = AllocOp(f"{full.label.removesuffix('_full')}_empty", full.buffer.type)
    empty.attributes.update(
        (key, value) for key, value in full.attributes.items() if key != SPECIALIZED
    )
    empty.buffer.name_hint = empty.label
    init = MBarrierInitOp(empty.buffer, warps)
    slot, phase = wait.indices.data.results
    operands = list(wait.operands_of_map)
    held = MBarrierWaitOp(empty.buffer, slot, phase - 1, operands)
    arrive = MBarrierArriveOp(empty.buffer, slot, operands)
    (begin,) = (
        use.operation for use in full.buffer.uses if isinstance(use.operation, MBarrierInitOp)
    )
    for new, place in (
        (empty, InsertPoint.after(full)),
        (init, InsertPoint.after(begin)),
        (held, InsertPoint.before(ring.expect)),
        (arrive, InsertPoint.after(ring.last_reader)),
    ):
        new.location = wait.location
        Rewriter.insert_op(new, place)
    return held


def _add_row(plan: _Plan) -> ForOp:
    """Add a row of threads. Returns the loop over rows."""
    x, old = plan.x, plan.y
    rows = plan.rows + 1
    if old is None:
        row = ForOp("row", rows, kind=ForKind.THREAD, axis=LANE_AXES[1])
        row.location = x.location
        if x is plan.root:
            plan.root = row
        Rewriter.insert_op(row, InsertPoint.before(x))
        x.detach()
        row.body.block.add_op(x)
        return row
    old.extent_attr = IntegerAttr(rows, old.extent_attr.type)
    return old


def _slice(ops: list[Operation], copying: set[Operation]) -> Block:
    """Copies of the part of ``ops`` that the operations ``copying`` need (the backward slice)."""
    block = Block()
    values: dict[SSAValue, SSAValue] = {}
    needed: set[Operation] = set()
    for op in ops:
        copy = op.clone(values)
        for before, after in zip(op.walk(), copy.walk(), strict=True):
            after.location = before.location
            if before in copying:
                needed.add(after)
        block.add_op(copy)
    _keep(block, needed)
    return block


def _keep(block: Block, needed: set[Operation]) -> None:
    """Erase all operations except those in ``needed``, the operations around them, and the
    operations that compute their operands.
    """
    for op in reversed(list(block.ops)):
        if op in needed or isinstance(op, scf.YieldOp):
            continue
        if any(inner in needed for inner in op.walk()):
            for inner in _blocks_of(op):
                _keep(inner, needed)
        elif op.regions or not is_side_effect_free(op) or _is_unused(op):
            op.detach()
            op.erase(safe_erase=False)


def _drop_idle(block: Block) -> None:
    """Erase loops and branches without effects, and unused values."""
    for op in reversed(list(block.ops)):
        for inner in _blocks_of(op):
            _drop_idle(inner)
        is_plain = isinstance(op, ForOp | IfOp) and not any(
            not is_side_effect_free(inner) for inner in op.walk() if inner is not op
        )
        if is_plain or (op.results and not op.regions and is_side_effect_free(op)):
            if _is_unused(op):
                op.detach()
                op.erase()


def _is_unused(op: Operation) -> bool:
    return all(result.first_use is None for result in op.results)


def _blocks_of(op: Operation) -> Iterator[Block]:
    for region in op.regions:
        yield from region.blocks


def _change_registers(block: Block, action: str, count: int) -> None:
    change = SetMaxRegisterOp(action, count)
    first = block.first_op
    assert first is not None
    change.location = first.location
    block.insert_op_before(change, first)


def _bound(root: ForOp) -> None:
    """Declare the number of registers with which threads begin, for the assembler."""
    annotations = root.annotations.data if root.annotations is not None else {}
    root.annotations = DictionaryAttr({**annotations, "nvvm.minctasm": IntegerAttr(1, i32)})
