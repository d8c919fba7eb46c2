"""inject-software-pipeline: the statements of a loop run for different iterations at once.

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

In step ``s`` a statement of stage ``g`` runs for iteration ``s - g``. Within a step, statements run
in the order of ``software_pipeline_order``, by default in program order. The prologue consists of
the steps before the last stage begins, the epilogue of the steps after the first stage has ended. A
buffer that belongs to an iteration gets one version for each iteration with live values in it. If
the number of iterations is only known at run time, conditions guard the prologue and the epilogue,
so that only existing iterations run.

Copies to shared memory in the stages of ``software_pipeline_async_stages`` are asynchronous on
NVIDIA's GPUs from sm_80 on. Their stores get the attribute ``tir.async_copy``, the copies of a step
form a group (``nvvm.cp.async.commit.group``), and a step starts with a wait for the groups that its
statements need (``nvvm.cp.async.wait.group``). :mod:`._asynchronous_copies` counts the newer groups
that may be in flight; ``thread-sync`` puts its barrier behind the wait.

Copies of boxes (``tma_load_64x64_f16_shared``) are counted by a ring of mbarriers, one for each
version of their destination. The number of expected bytes is announced before the copies, and the
first statement that reads their result waits. The copies of iteration ``t`` use slot ``t mod n`` in
its phase ``t floordiv n``.

With ``software_pipeline_warp_specialize``, separate warps start these copies. Buffers get versions
and copies get a ring, but the iterations of the loop stay in order; ``specialize-warps`` then
splits the loop in two. The copying loop runs ahead by as many iterations as there are versions.

A pipelined loop inside another one is lowered first, and counts as three statements of the outer
loop: its prologue, its steady state and its epilogue.

Requires that no blocks are left (``lower-blocks``), and that buffers have their final place and
size (``compact-buffer-allocation``). *Legal when*

1. KC4230, KC4231, KC4232: the annotations fit the loop (``plan-software-pipeline``).
2. KC4233: statements share values by buffers only.
3. KC4234: a statement still runs after all statements that it depends on.
4. KC4235: a buffer with several versions is used by loads and stores, its sizes are known in
   front of the loop, and in a kernel it is not in global memory.
5. KC4236: the prologue and the epilogue are not too large.
6. KC4251: separate warps copy by the copy unit alone.

TVM: ``InjectSoftwarePipeline``. The schedule is a modulo schedule with one step per iteration (Rau,
MICRO 1994); the schedule of overlapped copies on GPUs is due to CUTLASS.
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
    """Overlap the iterations of loops whose annotations describe a pipeline."""

    name = "inject-software-pipeline"

    asynchronous: bool = field(
        default=True, metadata={"help": "make the copies of asynchronous stages asynchronous"}
    )

    def is_needed(self, module: ModuleOp) -> bool:
        """True if a loop is pipelined, or groups the operations of a statement."""
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
                    why="this pass moves iterations of loops, not instances of blocks",
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
    """Overlap the pipelined loops of a function, inner loops first.

    Loops that are not nested in one another are all planned before the first one is rewritten. If
    they are nested, or several functions have pipelines, the rewrite is first tried on a copy.
    ``copies`` returns the stores of a pipeline that become asynchronous copies.
    """
    while loops := _innermost(function):
        plans = [plan_pipeline(loop) for loop in loops]
        for plan in plans:
            _require_small(plan)
        injections = [Injection(plan, copies(plan)) for plan in plans]
        for injection in injections:
            injection.perform()


def _innermost(function: FuncOp) -> list[ForOp]:
    """The pipelined loops that contain no pipelined loop."""
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
            f"inject-software-pipeline: the prologue and the epilogue of loop {loop.label} have "
            f"{operations} operations",
            location=location_of(loop),
            why=f"a pipeline of {depth + 1} stages copies its statements {depth} times outside of "
            f"the loop, and at most {MAX_OPERATIONS} operations are allowed",
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
        """Leave the iterations in order, as the copying warps run ahead of them
        (``specialize-warps``).
        """
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
            # The copying warps run ahead beyond the end of the loop, so the numbering of the
            # versions continues in its next execution.
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
        """Put a buffer with ``count`` versions in front of the loop. The number of an iteration
        selects its version."""
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
        """The number of earlier iterations, including those of the loops around. Raises
        CodegenError KC4249 if it cannot be computed."""
        loop, around = self.loop, number_of(self.loop)
        extent = loop.static_extent
        if around.operands and extent is None:
            raise uncounted(loop, f"the number of iterations of loop {loop.label} is not constant")
        expr = around.expr * (extent or 1) + AffineExpr.dimension(len(around.operands))
        return Number(expr, (*around.operands, loop.var))

    def _start_boxes(self, boxes: BoxGroup) -> AllocOp:
        """Count the copies of boxes by a ring of mbarriers, and make their readers wait. Returns
        the ring.
        """
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
        """The operations of one step. ``run`` returns the operations of a statement, or None if the
        statement does not run in the step.

        ``is_committed(group, k)`` is true if a group of copies was committed ``k`` steps ago.
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

    # Loading the dialect nvvm takes longer than building most programs, and most do not use it.

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
        """The steps before the first step in which all stages run; all steps if no step runs all
        stages.
        """
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
        """A loop over the steps in which all stages run."""
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
        """True if a group was committed ``back`` steps before the first step of the steady state,
        and so also before its later steps."""
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
    """Replace a loop of one iteration by its body. Returns the operations of the body."""
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
