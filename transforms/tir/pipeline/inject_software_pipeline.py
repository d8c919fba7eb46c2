"""inject-software-pipeline: the statements of a loop run for different iterations at a time.

Before::

    tir.for %i in 8 annotations {software_pipeline_stage = [0, 1]} {
      %B = tir.alloc "B" : memref<16xf32>
      tir.for %j in 16 {
        %a = tir.load %A[%i, %j] : memref<8x16xf32>
        tir.store %a, %B[%j] : memref<16xf32>
      }
      tir.for %j in 16 {
        %b = tir.load %B[%j] : memref<16xf32>
        tir.store %b, %C[%i, %j] : memref<8x16xf32>

After::

    %B = tir.alloc "B" : memref<2x16xf32>
    tir.for %j in 16 {
      %a = tir.load %A[0, %j] : memref<8x16xf32>
      tir.store %a, %B[0, %j] : memref<2x16xf32>
    }
    tir.for %i in 7 {
      tir.for %j in 16 {
        %a = tir.load %A[%i + 1, %j] : memref<8x16xf32>
        tir.store %a, %B[(%i + 1) mod 2, %j] : memref<2x16xf32>
      }
      tir.for %j in 16 {
        %b = tir.load %B[%i mod 2, %j] : memref<2x16xf32>
        tir.store %b, %C[%i, %j] : memref<8x16xf32>
      }
    }
    tir.for %j in 16 {
      %b = tir.load %B[1, %j] : memref<2x16xf32>
      tir.store %b, %C[7, %j] : memref<8x16xf32>
    }

In step ``s`` a statement of stage ``g`` runs for iteration ``s - g``; in a step statements run in
the order of ``software_pipeline_order``, that of the text if there is none. The prologue has the
steps in which the later stages have nothing to do yet, the epilogue those in which the earlier ones
have nothing left. A buffer that belongs to an iteration gets as many versions as there are
iterations with values in it at a time. Where the number of iterations is only known at run time,
conditions guard the prologue and the epilogue, so that only existing iterations run.

Copies to shared memory in the stages of ``software_pipeline_async_stages`` are asynchronous on
NVIDIA's GPUs from sm_80 on: their stores get the attribute ``tir.async_copy``, those of a step are
a group (``nvvm.cp.async.commit.group``), and at the start of a step there is a wait for the groups
that its statements need (``nvvm.cp.async.wait.group``). How many newer groups may be under way is
counted (:mod:`._asynchronous_copies`); ``thread-sync`` puts its barrier behind the wait.

Copies of boxes (``tma_load_64x64_f16_shared``) are counted by a ring of mbarriers, one for each
version of what they bring. The number of expected bytes is announced before the copies, and the
first statement that reads their result waits: the copies of iteration ``t`` use slot ``t mod n`` in
its phase ``t floordiv n``.

With ``software_pipeline_warp_specialize``, separate warps start these copies. Buffers get versions
and copies get a ring, but the loop keeps the order of its iterations; ``specialize-warps`` then
makes two loops of it, of which the copying one runs ahead by as many iterations as there are
versions.

A pipelined loop inside another one is lowered first, and counts as three statements of the outer
loop: its prologue, its steady state and its epilogue.

Requires that no blocks are left (``lower-blocks``), and that buffers have their final place and
size (``compact-buffer-allocation``). *Legal when*

1. KC4230, KC4231, KC4232: the annotations fit the loop (``plan-software-pipeline``).
2. KC4233: statements share values by buffers only.
3. KC4234: whatever depends on another statement still comes after it.
4. KC4235: a buffer with several versions is used by loads and stores, its sizes are known in
   front of the loop, and in a kernel it is not in global memory.
5. KC4236: the prologue and the epilogue are not too large.
6. KC4251: separate warps copy only by the copy unit.

TVM: ``InjectSoftwarePipeline``. The schedule is a modulo schedule with one step an iteration (Rau,
MICRO 1994); that of overlapped copies on GPUs is due to CUTLASS.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, UnitAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint

from kc.analysis import loop_tree
from kc.analysis.loop_tree import buffer_name
from kc.analysis.module_copy import copy_module
from kc.dialects.affine_assembly import ZERO
from kc.dialects.tir import AllocOp, ApplyOp, ForOp, LoadOp, StoreOp, ViewOp
from kc.dialects.tir.memory import ASYNC_COPY
from kc.support.diagnostics import CodegenError, diagnostic_handler
from kc.support.locations import location_of
from kc.support.target import target_of
from kc.transforms.affine_rewrite import replace_with_expr
from kc.transforms.gpu.sync._asynchronous_copies import (
    AsynchronousCopies,
    BoxGroup,
    Group,
    plan_copies,
)
from kc.transforms.gpu.tensor_copies._mbarrier_rings import (
    SPECIALIZED,
    Number,
    box_copies,
    expectation,
    new_ring,
    number_of,
    start_copies,
    target_of_copy,
    uncounted,
    wait_for,
)
from kc.transforms.tir.loops._iterations import guarded, iteration_of
from kc.transforms.tir.loops.unroll_loop import MAX_OPERATIONS
from kc.transforms.tir.pipeline._pipeline_notes import is_grouped, is_pipelined, other_notes
from kc.transforms.tir.pipeline._software_pipelining import Pipeline, Statement, plan_pipeline
from kc.transforms.tir.pipeline.plan_software_pipeline import group
from kc.transforms.tir.storage._leading_dimension import copies_of, select_copy


@dataclass(frozen=True)
class InjectSoftwarePipelinePass(ModulePass):
    """Overlap the iterations of the loops that annotations make pipelines."""

    name = "inject-software-pipeline"

    asynchronous: bool = field(
        default=True, metadata={"help": "copies of asynchronous stages go on by themselves"}
    )

    def is_needed(self, module: ModuleOp) -> bool:
        """Whether a loop is a pipeline, or unites the statements of a stage."""
        return any(is_pipelined(loop) or is_grouped(loop) for loop in loop_tree.loops(module))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        functions = loop_tree.functions(op)
        target = target_of(op)

        def copies(pipeline: Pipeline) -> AsynchronousCopies:
            if not self.asynchronous:
                return AsynchronousCopies(pipeline)
            return plan_copies(pipeline, target)

        pipelined = [
            loop
            for function in functions
            for loop in loop_tree.loops(function)
            if is_pipelined(loop)
        ]
        for loop in pipelined:
            for block in loop_tree.blocks(loop):
                raise CodegenError(
                    "KC4201",
                    f"inject-software-pipeline: block {block.label} is left",
                    location=location_of(block),
                    why="the iterations of loops are moved, not those of blocks",
                    hints=["run lower-init-block and lower-blocks first"],
                )
        innermost = [_innermost(function) for function in functions]
        is_nested = len(pipelined) > sum(len(loops) for loops in innermost)
        if is_nested or sum(1 for loops in innermost if loops) > 1:
            with diagnostic_handler(lambda _: None):
                for function in loop_tree.functions(copy_module(op)):
                    inject(function, copies)
        for function in functions:
            inject(function, copies)
            for unit in [nested for nested in loop_tree.loops(function) if is_grouped(nested)]:
                _dissolve(unit)


def inject(function: FuncOp, copies: Callable[[Pipeline], AsynchronousCopies]) -> None:
    """Overlap the pipelined loops of a function, inner ones first.

    Loops that are not in one another are all planned before the first is rewritten; where they
    are, or several functions have some, this is tried on a copy before. ``copies`` says which
    stores are copies that go on by themselves.
    """
    while loops := _innermost(function):
        plans = [plan_pipeline(loop) for loop in loops]
        for plan in plans:
            _require_small(plan)
        injections = [Injection(plan, copies(plan)) for plan in plans]
        for injection in injections:
            injection.perform()


def _innermost(function: FuncOp) -> list[ForOp]:
    """The pipelined loops that have none inside."""
    pipelined = [loop for loop in loop_tree.loops(function) if is_pipelined(loop)]
    return [
        loop
        for loop in pipelined
        if not any(is_pipelined(inner) for inner in loop_tree.loops(loop) if inner is not loop)
    ]


def _require_small(pipeline: Pipeline) -> None:
    loop, depth = pipeline.loop, pipeline.notes.depth
    operations = depth * sum(
        1 for statement in pipeline.statements for child in statement.children for _ in child.walk()
    )
    if operations > MAX_OPERATIONS:
        raise CodegenError(
            "KC4236",
            f"inject-software-pipeline: the prologue and the epilogue of loop {loop.label} are "
            f"{operations} operations",
            location=location_of(loop),
            why=f"a pipeline of {depth + 1} stages has its statements {depth} times outside of the "
            f"loop, and there may be {MAX_OPERATIONS} operations",
            hints=["give its statements smaller stages"],
        )


@dataclass
class Injection:
    """The rewrite of one loop."""

    pipeline: Pipeline
    copies: AsynchronousCopies

    def __post_init__(self) -> None:
        self.loop = self.pipeline.loop
        self.depth = self.pipeline.notes.depth

    def perform(self) -> None:
        """Replace the loop by its prologue, its steady state and its epilogue."""
        loop = self.loop
        home = loop.parent
        assert home is not None
        if self.copies.is_specialized:
            self._specialize()
            return
        for store in self.copies.stores:
            store.attributes[ASYNC_COPY] = UnitAttr()
        for buffer, count in self.pipeline.versions.items():
            self._make_versions(buffer, count)
        for statement in self.pipeline.statements:
            if is_grouped(statement.op):
                statement.parts = _dissolve(statement.op)
        for boxes in self.copies.boxes:
            self._start_boxes(boxes)
        parts = [self._prologue(), self._steady_state(), self._epilogue()]
        parent = loop.parent_op()
        for ops in parts:
            home.insert_ops_before(ops, loop)
            if self.depth and parent is not None and is_pipelined(parent):
                group(ops, loop)
        loop.detach()
        loop.erase(safe_erase=False)

    def _specialize(self) -> None:
        """Leave the iterations in order: who copies them runs ahead (``specialize-warps``)."""
        loop, number = self.loop, self._number()
        versions = dict(self.pipeline.versions)
        copied = {
            target: boxes.count
            for boxes in self.copies.boxes
            for statement in boxes.statements
            for child in statement.children
            for call in box_copies(child)
            if (target := target_of_copy(call)) is not None
        }
        for buffer, count in (versions | copied).items():
            # Who copies is ahead beyond the end of the loop, so versions go on in the next one.
            self._make_versions(buffer, count, number if buffer in copied else None)
        for statement in self.pipeline.statements:
            if is_grouped(statement.op):
                statement.parts = _dissolve(statement.op)
        for boxes in self.copies.boxes:
            ring = self._start_boxes(boxes)
            ring.attributes[SPECIALIZED] = UnitAttr()
        rest = other_notes(loop)
        loop.annotations = DictionaryAttr(rest) if rest else None

    def _make_versions(self, buffer: SSAValue, count: int, number: Number | None = None) -> None:
        """Put a buffer with a version for each iteration that is alive in front of the loop; which
        one is that of an iteration follows from its number."""
        old, loop = buffer.owner, self.loop
        assert isinstance(old, AllocOp)
        is_inside = old.parent is loop.body.block
        if count == 1:
            if is_inside:
                old.detach()
                _home(loop).insert_op_before(old, loop)
            return
        number = number or Number(AffineExpr.dimension(0), (loop.var,))
        new = copies_of(old, count)
        place = loop if is_inside else old
        _home(place).insert_op_before(new, place)
        for access in [use.operation for use in buffer.uses]:
            assert isinstance(access, LoadOp | StoreOp | ViewOp)
            select_copy(access, number.expr % count, number.operands)
        buffer.replace_all_uses_with(new.buffer)
        old.detach()
        old.erase()

    def _number(self) -> Number:
        """How many iterations were before, those of loops around included. Raises KC4249."""
        loop, around = self.loop, number_of(self.loop)
        extent = loop.static_extent
        if around.operands and extent is None:
            raise uncounted(
                loop, f"loop {loop.label} has a number of iterations that is no constant"
            )
        expr = around.expr * (extent or 1) + AffineExpr.dimension(len(around.operands))
        return Number(expr, (*around.operands, loop.var))

    def _start_boxes(self, boxes: BoxGroup) -> AllocOp:
        """Let copies of boxes be counted by a ring of mbarriers, and what reads them wait."""
        loop = self.loop
        targets = [
            target
            for statement in boxes.statements
            for child in statement.parts
            for call in box_copies(child)
            if (target := target_of_copy(call)) is not None
        ]
        number = self._number()
        ring = new_ring(f"{buffer_name(targets[0])}_full", boxes.count, loop)
        for statement in boxes.statements:
            new_ops = start_copies(ring, number, statement.parts)
            statement.parts = [new for part in statement.parts for new in new_ops.get(part, [part])]
        expect = expectation(ring, number, boxes.bytes)
        wait = wait_for(ring, number)
        for statement, op in ((boxes.statements[0], expect), (boxes.consumer, wait)):
            op.location = loop.location
            place = statement.parts[0]
            _home(place).insert_op_before(op, place)
            statement.parts = [op, *statement.parts]
        assert isinstance(ring.owner, AllocOp)
        return ring.owner

    def _step(
        self,
        run: Callable[[Statement], list[Operation] | None],
        is_committed: Callable[[Group, int], bool],
    ) -> list[Operation]:
        """One step: ``run`` gives what a statement does in it, None if it is not its time.

        ``is_committed(group, k)`` says whether a group of copies was committed ``k`` steps ago.
        """
        copies = self.copies
        parts = [(statement, run(statement)) for statement in self.pipeline.steps]
        active = [statement for statement, ops in parts if ops is not None]
        ops: list[Operation] = []
        pending = copies.pending(active, is_committed, at_start=True)
        if pending is not None:
            ops.append(self._wait(pending))
        for statement, own in parts:
            if own is None:
                continue
            pending = copies.pending([statement], is_committed, at_start=False)
            if pending is not None:
                ops.append(self._wait(pending))
            ops += own
            if copies.ends_group(statement):
                ops.append(self._commit())
        return ops

    # The dialect nvvm takes longer to load than most programs to build, and most have none of it.

    def _wait(self, pending: int) -> Operation:
        from kc.dialects.nvvm import CpAsyncWaitGroupOp

        return self._located(CpAsyncWaitGroupOp(pending))

    def _commit(self) -> Operation:
        from kc.dialects.nvvm import CpAsyncCommitGroupOp

        return self._located(CpAsyncCommitGroupOp())

    def _located(self, op: Operation) -> Operation:
        op.location = self.loop.location
        return op

    def _iteration(
        self, statement: Statement, iteration: AffineExpr, operands: Sequence[SSAValue]
    ) -> list[Operation]:
        return iteration_of(statement.children, self.loop.var, iteration, operands)

    def _prologue(self) -> list[Operation]:
        """The steps before the first one that all stages have something to do in; all steps, if
        there is no such one."""
        extent = self.loop.extent_value
        count = self.depth
        if isinstance(extent, int) and extent <= self.depth:
            count = extent + self.depth if extent else 0

        def is_time(number: int) -> bool:
            return number >= 0 and (not isinstance(extent, int) or number < extent)

        ops: list[Operation] = []
        for step in range(count):

            def run(statement: Statement, step: int = step) -> list[Operation] | None:
                number = step - statement.stage
                if not is_time(number):
                    return None
                copies = self._iteration(statement, AffineExpr.constant(number), [])
                if isinstance(extent, int) or not copies:
                    return copies
                return [guarded(AffineExpr.dimension(0) - (number + 1), [extent], copies)]

            def is_committed(group: Group, back: int, step: int = step) -> bool:
                return is_time(step - back - group.stage)

            ops += self._step(run, is_committed)
        return ops

    def _steady_state(self) -> list[Operation]:
        """A loop over the steps that all stages have something to do in."""
        loop, extent = self.loop, self.loop.extent_value
        if isinstance(extent, int) and extent <= self.depth:
            return []
        ops: list[Operation] = []
        if not isinstance(extent, int) and self.depth:
            count = ApplyOp(AffineExpr.dimension(0) - self.depth, [extent])
            count.location = loop.location
            ops.append(count)
            rest: int | SSAValue = count.result
        else:
            rest = extent if not isinstance(extent, int) else extent - self.depth
        steady = ForOp(loop.label, rest, None, loop.kind.data, other_notes(loop))
        steady.attributes.update(loop.attributes)
        steady.location = loop.location

        def run(statement: Statement) -> list[Operation]:
            number = AffineExpr.dimension(0) + (self.depth - statement.stage)
            return self._iteration(statement, number, [steady.var])

        steady.body.block.add_ops(self._step(run, self._is_committed_first))
        return [*ops, steady]

    def _is_committed_first(self, group: Group, back: int) -> bool:
        """Whether a group was committed so many steps before the first one of the steady state;
        before later ones it was too."""
        return self.depth - back - group.stage >= 0

    def _epilogue(self) -> list[Operation]:
        """The steps after the last iteration has begun."""
        extent = self.loop.extent_value
        if isinstance(extent, int) and extent <= self.depth:
            return []
        ops: list[Operation] = []
        for step in range(self.depth):

            def run(statement: Statement, step: int = step) -> list[Operation] | None:
                back = statement.stage - step
                if back <= 0:
                    return None
                if isinstance(extent, int):
                    return self._iteration(statement, AffineExpr.constant(extent - back), [])
                return self._iteration(statement, AffineExpr.dimension(0) - back, [extent])

            def is_committed(group: Group, back: int, step: int = step) -> bool:
                if step - back >= group.stage:
                    return False
                if isinstance(extent, int):
                    return extent + step - back - group.stage >= 0
                return self._is_committed_first(group, back)

            copies = self._step(run, is_committed)
            if not isinstance(extent, int) and copies:
                copies = [guarded(AffineExpr.dimension(0) - (self.depth - step), [extent], copies)]
            ops += copies
        return ops


def _home(op: Operation) -> Block:
    home = op.parent
    assert home is not None
    return home


def _dissolve(unit: Operation) -> list[Operation]:
    """Put what is in a loop of one iteration in its place."""
    assert isinstance(unit, ForOp)
    home = _home(unit)
    zero = InsertPoint.at_start(unit.body.block)
    replace_with_expr(unit.var, ZERO, [], zero)
    ops = list(unit.body.block.ops)
    for op in ops:
        op.detach()
    home.insert_ops_before(ops, unit)
    unit.detach()
    unit.erase()
    return ops
