"""lower-cross-thread-reduction: each thread reduces its part, then all threads combine their parts.

Before::

    tir.for %k_o in 32 {
      tir.for %k_i in 32 thread "threadIdx.x" {
        tir.block "B" (spatial %v_i in 64 = %i, reduce %v_k in 1024 = %k_o * 32 + %k_i) init {
          tir.store %zero, %B[%v_i]
        } do {
          %B[%v_i] = %B[%v_i] + %A[%v_i, %v_k]
        }
      }
    }

After::

    %B_part = tir.alloc "B_part" : memref<1xf32, "local">
    tir.for %k_i in 32 thread "threadIdx.x" {
      tir.store %zero, %B_part[0]
    }
    tir.for %k_o in 32 {
      tir.for %k_i in 32 thread "threadIdx.x" {
        tir.block "B" (spatial %v_i in 64 = %i, reduce %v_k in 1024 = %k_o * 32 + %k_i) do {
          %B_part[0] = %B_part[0] + %A[%v_i, %v_k]
        }
      }
    }
    tir.for %k_i in 32 thread "threadIdx.x" {
      %part = tir.load %B_part[0]
      %sum = tir.thread_allreduce "add" (%part) over ["threadIdx.x"] by ...
      tir.block "B_store" (spatial %v_i in 64 = %i) do {
        tir.store %sum, %B[%v_i]
      }
    }

Each thread starts from the neutral element of the combiner. If the init of the block is another
value, it is combined in at the end. Serial reduction loops around the block are complete by then,
whatever else they contain. A condition of the block guards only the update of the partial result,
so that all threads take part in the combination. ``unify-thread-binding`` chooses the thread that
stores to shared memory; the annotation of ``set_store_predicate`` has no further use.

*Legal when*

1. KC4227: the block consists of a reduction with an init, each loop around it drives variables of
   one kind, its serial loops are in the kernel, its results are not used before the reduction is
   complete, and no serial loop writes an element that its init reads.
2. KC4227: if the loop of threads may be empty, one thread computes the results; a value that is
   loaded in that loop is not used outside of a block or loop.
3. KC4227: the extents of the loops over results that are in a reduction loop are constants.

TVM: ``LowerCrossThreadReduction``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis import loop_tree
from kc.analysis.accesses.dependence import late_init
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.loop_tree import all_loops_around, buffer_name, has_effects, iter_types
from kc.analysis.reductions.combiner_laws import FINITE_START, why_no_empty_parts
from kc.analysis.reductions.reductions import Reduction, Update, makers_of_element, reduction_of
from kc.analysis.trust import UNSAFE_ATTRIBUTE
from kc.dialects.tir import (
    AllocOp,
    ApplyOp,
    BlockOp,
    CombineOp,
    DelinearizeOp,
    ForOp,
    IterType,
    LoadOp,
    StoreOp,
    ThreadAllreduceOp,
    YieldOp,
)
from kc.dialects.tir.combine import combiner_region
from kc.dialects.tir.threads import LANE_AXES
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of
from kc.transforms.affine_rewrite import compact
from kc.transforms.gpu.binding.unify_thread_binding import at_least_1
from kc.transforms.schedule._combiners import captured_copies, neutral_of
from kc.transforms.tir.blocks._partial_results import PartialResults, Split, Values, steps_added
from kc.transforms.tir.loops._iterations import guarded

_NAMES = {
    "arith.addf": "add",
    "arith.addi": "add",
    "arith.mulf": "mul",
    "arith.muli": "mul",
    "arith.maximumf": "max",
    "arith.minimumf": "min",
    "arith.maxsi": "max",
    "arith.minsi": "min",
    "arith.maxui": "max",
    "arith.minui": "min",
}
"""The name of the combination by an operation."""


RFACTOR = "rfactor makes partial results, whose final reduction threads can perform"


@dataclass(frozen=True)
class LowerCrossThreadReductionPass(ModulePass):
    """Split reductions over threads into per-thread reductions and their combination."""

    name = "lower-cross-thread-reduction"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        for function in loop_tree.functions(op):
            plans = [
                _plan(block, lanes)
                for block in loop_tree.blocks(function)
                if (lanes := reduced_lanes(block))
            ]
            names = {op.label for op in loop_tree.preorder(function) if isinstance(op, AllocOp)}
            places = {plan.place for plan in plans}
            beside: dict[ForOp, list[Operation]] = {}
            for plan in plans:
                for lane in filter(_may_be_empty, plan.lanes):
                    for loop in _of_one_axis(lane):
                        _require_guards(loop, places, plan.block)
                        beside[loop] = list(_beside(loop, places))
            for plan in plans:
                _Lowering(plan, names).run()
            for lane in list(beside):  # loops that start and end reductions have as many
                for loop in _of_one_axis(lane):
                    beside.setdefault(loop, [])
            sizes: Values = {}
            for lane, ops in beside.items():
                _keep_a_thread(lane, ops, sizes)


def reduced_lanes(block: BlockOp) -> list[ForOp]:
    """The loops of threads around a block that drive its reduce variables, outermost first.

    Empty if one of these loops has no thread, as then only the init runs.
    """
    lanes = [
        loop
        for loop in all_loops_around(block)
        if loop.axis in LANE_AXES and IterType.REDUCE in iter_types(loop, block)
    ]
    return [] if any(loop.static_extent == 0 for loop in lanes) else lanes


@dataclass(frozen=True)
class _Plan:
    """The split of a reduction over threads."""

    block: BlockOp
    reduction: Reduction
    lanes: list[ForOp]
    place: Operation
    """The outermost serial loop of the reduction, or the block if the reduction has no serial
    loop.
    """
    split: Split
    """The partial results, for the loops from ``place`` to the block that drive results or are
    thread loops.
    """


def _plan(block: BlockOp, lanes: list[ForOp]) -> _Plan:
    """The split of a reduction. Raises CodegenError KC4227 before any change."""
    reduction = reduction_of(block)
    if reduction is None or not block.has_init:
        raise _refuse(
            block, "it does more than the init and the updates of one reduction", lanes[0]
        )
    for step in reduction.steps:
        if (why := why_no_empty_parts(step)) is not None:
            raise _refuse(block, why, lanes[0], [FINITE_START])
    around = all_loops_around(block)
    kinds = {loop: iter_types(loop, block) for loop in around}
    reduced = [loop for loop in around if IterType.REDUCE in kinds[loop]]
    for loop in reduced:
        if len(kinds[loop]) > 1:
            raise _refuse(
                block, f"loop {loop.label} drives both spatial and reduce variables", lanes[0]
            )
        if loop.axis is not None and loop.axis not in LANE_AXES:
            raise _refuse(block, f"loop {loop.label} is bound to {loop.axis}", lanes[0])
    kernel = next(loop for loop in around if loop.axis is not None)
    outside = around[: around.index(kernel)]
    # One iteration is one launch, which must compute all terms.
    reduced = [loop for loop in reduced if loop not in outside or loop.static_extent != 1]
    serial = [loop for loop in reduced if loop.axis is None]
    for loop in serial:
        if loop in outside:
            raise _refuse(
                block,
                f"loop {loop.label} of the reduction surrounds the kernel, so each of its "
                "iterations is a launch",
                lanes[0],
                ['bind a loop around it, such as one of add_unit_loop, to "blockIdx.x"'],
            )
    place: Operation = serial[0] if serial else block
    inside = around[around.index(serial[0]) :] if serial else []
    path = [loop for loop in inside if loop not in serial]
    split = Split(reduction, path, reduced, place)
    for loop in split.counted:
        if loop.static_extent is None:
            raise _refuse(block, f"the extent of loop {loop.label} is not constant", lanes[0])
    _require_complete(block, reduction, place, lanes[0])
    _require_same_start(block, place, lanes[0])
    late = late_init(block, reduced[0]) if reduced else None
    if late is not None:
        raise _refuse(
            block, f"its init may run after some of its terms: {late.explain()}", lanes[0]
        )
    if isinstance(computed := split.makers(), str):
        raise _refuse(
            block,
            f"{computed} is computed in loop {serial[0].label}, and the results depend on it",
            lanes[0],
            [f"compute it outside of loop {serial[0].label}"],
        )
    return _Plan(block, reduction, lanes, place, split)


def _require_complete(block: BlockOp, reduction: Reduction, place: Operation, lane: ForOp) -> None:
    """Refuse a use of the results inside the loops of the reduction."""
    buffers = {update.buffer for update in reduction.updates}
    for op in place.walk():
        if isinstance(op, LoadOp | StoreOp) and op.buffer in buffers:
            if not loop_tree.is_inside(op, block):
                name = buffer_name(op.buffer)
                raise _refuse(block, f"{name} is used before the reduction is complete", lane)


def _require_same_start(block: BlockOp, place: Operation, lane: ForOp) -> None:
    """Refuse a write, inside the loops of the reduction, to a buffer that its init reads."""
    for load in block.init.walk():
        if not isinstance(load, LoadOp):
            continue
        for use in load.buffer.uses:
            op = use.operation
            if not isinstance(op, LoadOp) and loop_tree.is_inside(op, place):
                name = buffer_name(load.buffer)
                why = f"its init reads {name}, which is written before the reduction is complete"
                raise _refuse(block, why, lane, [])


def _refuse(
    block: BlockOp, why: str, lane: ForOp, hints: Sequence[str] = (RFACTOR,)
) -> CodegenError:
    return CodegenError(
        "KC4227",
        f"lower-cross-thread-reduction: the threads of {lane.label} cannot combine their values of "
        f"{block.label}",
        location=location_of(block),
        why=why,
        hints=list(hints),
    )


class _Lowering:
    """The rewrite of one reduction."""

    def __init__(self, plan: _Plan, names: set[str]) -> None:
        self.plan = plan
        self.location = plan.block.location
        self.parts = PartialResults(plan.split, names, space="local")

    def run(self) -> None:
        """Insert the initial values before the reduction, and the combination after it."""
        plan, parts = self.plan, self.parts
        start = parts.nest(lambda values: parts.filled(parts.place(values)))
        finish = parts.nest(self._combine)
        ops = [*parts.allocs, *start]
        for op in [*ops, *finish]:
            for inner in op.walk():
                inner.location = self.location
        Rewriter.insert_op(ops, InsertPoint.before(plan.place))
        Rewriter.insert_op(finish, InsertPoint.after(plan.place))
        parts.redirect(plan.reduction)
        for op in list(plan.block.init.block.ops):
            op.detach()
            op.erase(safe_erase=False)
        plan.block.init.detach_block(plan.block.init.block)

    def _combine(self, values: Values) -> list[Operation]:
        plan = self.plan
        ops: list[Operation] = []
        totals: dict[StoreOp, SSAValue] = {}
        loads: dict[StoreOp, SSAValue] = {}
        for update, part in zip(plan.reduction.updates, self.parts.allocs, strict=True):
            load = LoadOp(part.buffer, *self.parts.place(values))
            load.result.name_hint = "part"
            ops.append(load)
            loads[update.store] = load.result
        copies = self._captured(ops, values)
        for step in plan.reduction.steps:
            updates = [update for update in plan.reduction.updates if update.step is step]
            if isinstance(step, CombineOp):
                by_value = {update.store.value: update for update in updates}
                updates = [by_value[value] for value in step.combined]
            reduce = ThreadAllreduceOp(
                step.label if isinstance(step, CombineOp) else _NAMES[step.name],
                [loads[update.store] for update in updates],
                [loop.axis for loop in plan.lanes if loop.axis is not None],
                _combiner(step),
                ArrayAttr([neutral_of(update) for update in updates]),
                [copies.get(value, value) for value in step.captured]
                if isinstance(step, CombineOp)
                else (),
            )
            if UNSAFE_ATTRIBUTE in step.attributes:
                reduce.attributes[UNSAFE_ATTRIBUTE] = step.attributes[UNSAFE_ATTRIBUTE]
            ops.append(reduce)
            for update, total in zip(updates, reduce.combined, strict=True):
                total.name_hint = "total"
                totals[update.store] = total
        label = f"{plan.block.label}_store"

        def results(body: Block, mapping: Values, later_dims: Sequence[int]) -> Sequence[SSAValue]:
            return self._with_initial(totals, later_dims, body, mapping)

        return [*ops, self.parts.store_block(label, values, results)]

    def _captured(self, ops: list[Operation], values: Values) -> Values:
        """The values that combiners capture, recomputed after the loops by operations appended to
        ``ops``.
        """
        block = self.plan.block
        captured = [
            value
            for step in self.plan.reduction.steps
            if isinstance(step, CombineOp)
            for value in step.captured
        ]
        makers = [op for value in captured for op in makers_of_element(value, block) or ()]
        used = {*captured, *(operand for maker in makers for operand in maker.operands)}
        at = [values.get(operand, operand) for operand in block.binding_operands]
        variables: Values = {}
        for arg, expr in zip(block.body.block.args, block.binding_exprs, strict=True):
            if arg in used:
                map_, operands = compact(AffineMap(len(at), 0, (expr,)), at)
                ops.append(ApplyOp(map_.results[0], operands))
                variables[arg] = ops[-1].results[0]
        copies, mapping = captured_copies(self.plan.reduction, variables)
        ops += copies
        return mapping

    def _with_initial(
        self,
        totals: dict[StoreOp, SSAValue],
        positions: Sequence[int],
        body: Block,
        mapping: Values,
    ) -> list[SSAValue]:
        """The results, combined with the init's values if these are not neutral elements."""
        reduction = self.plan.reduction
        results = [totals[update.store] for update in reduction.updates]
        init = self.plan.block.init.block
        stores = {op.buffer: op for op in init.ops if isinstance(op, StoreOp)}
        initial = [stores[update.buffer].value for update in reduction.updates]
        if all(map(_is_neutral, reduction.updates, initial)):
            return results
        values = mapping | {init.args[n]: arg for n, arg in zip(positions, body.args, strict=True)}
        for op in init.ops:
            if not isinstance(op, StoreOp):
                body.add_op(op.clone(values))
        starts = [values.get(old, old) for old in initial]
        return steps_added(body, reduction, starts, results, mapping)


def _may_be_empty(lane: ForOp) -> bool:
    """True if a thread loop may have no iteration for some sizes. False for a constant extent, also
    for 0.
    """
    extent, index = lane.extent_value, IndexValues()
    if isinstance(extent, int):
        return False
    low, _ = index.bounds(index.expr(extent))
    return low is None or low < 1


def _of_one_axis(lane: ForOp) -> list[ForOp]:
    """The loops of the kernel over the same axis as ``lane``. All of them have the same number of
    threads.
    """
    kernel = next(loop for loop in [*all_loops_around(lane), lane] if loop.axis is not None)
    return [loop for loop in loop_tree.loops(kernel) if loop.axis == lane.axis]


def _beside(loop: ForOp, places: Collection[Operation]) -> Iterator[Operation]:
    """The operations in a thread loop that have effects and contain no reduction, including the
    ``places`` of reductions.
    """
    for op in loop.body.block.ops:
        if isinstance(op, AllocOp) or not has_effects(op):
            continue
        inside = op not in places and any(loop_tree.is_inside(place, op) for place in places)
        if inside and isinstance(op, ForOp):
            yield from _beside(op, places)
        else:
            yield op


def _require_guards(lane: ForOp, places: Collection[Operation], block: BlockOp) -> None:
    """Refuse (KC4227) operations beside a reduction that cannot be skipped by the extra thread."""
    for op in _beside(lane, places):
        if any(result.uses for result in op.results):
            name = op.results[0].name_hint or op.name
            raise _refuse(
                block,
                f"there may be no thread, and {name} is loaded in the loop of threads",
                lane,
                [f"load {name} in a block, or bind a loop that always has iterations"],
            )


def _keep_a_thread(lane: ForOp, beside: Sequence[Operation], sizes: Values) -> None:
    """Give a thread loop that may be empty at least one thread, which starts and ends the
    reductions and skips the operations ``beside`` them. ``sizes`` maps extents to extents of at
    least 1.
    """
    extent = lane.extent_value
    if isinstance(extent, int):
        return
    if extent not in sizes:
        maker = extent.owner
        if isinstance(maker, Operation):
            point = InsertPoint.after(maker)
        else:
            point = InsertPoint.at_start(maker)
        size = at_least_1(extent, point, lane)
        assert isinstance(size, SSAValue)
        size.name_hint = extent.name_hint
        sizes[extent] = size
    lane.operands[0] = sizes[extent]
    for op in lane.body.block.ops:
        if isinstance(op, DelinearizeOp):  # of a fused loop: the extra thread divides by its sizes
            before = InsertPoint.before(op)
            divisors = [at_least_1(size, before, op) for size in op.sizes]
            op.operands = [op.index, *(size for size in divisors if isinstance(size, SSAValue))]
    for op in beside:
        point = InsertPoint.after(op)
        op.detach()
        Rewriter.insert_op(guarded(AffineExpr.dimension(0) - 1, [extent], [op]), point)


def _is_neutral(update: Update, value: SSAValue) -> bool:
    return isinstance(value.owner, arith.ConstantOp) and value.owner.value == neutral_of(update)


def _combiner(step: Operation) -> Region:
    """The combiner of a step, as a new region."""
    if isinstance(step, CombineOp):
        return combiner_region(step.combiner)
    type_ = step.results[0].type
    block = Block(arg_types=[type_, type_])
    for arg, name in zip(block.args, "ab", strict=True):
        arg.name_hint = name
    copy = step.clone()
    copy.operands = list(block.args)
    block.add_ops([copy, YieldOp(copy.results[0])])
    return Region(block)
