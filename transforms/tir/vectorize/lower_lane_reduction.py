"""lower-lane-reduction: each lane of a vectorized reduction has a separate partial result.

Before::

    tir.for %k_o in 64 {
      tir.for %k_i in 16 vectorized {
        tir.block "B" (spatial %v_i in 8 = %i, reduce %v_k in 1024 = %k_o * 16 + %k_i) do {
          %B[%v_i] = %B[%v_i] + %A[%v_i, %v_k]
        }
      }
    }

After::

    %B_part = tir.alloc "B_part" : memref<16xf32>
    tir.for %k_i in 16 vectorized {
      tir.store %zero, %B_part[%k_i]
    }
    tir.for %k_o in 64 {
      tir.for %k_i in 16 vectorized {
        tir.block "B" (spatial %v_i in 8 = %i, reduce %v_k in 1024 = %k_o * 16 + %k_i) do {
          %B_part[%k_i] = %B_part[%k_i] + %A[%v_i, %v_k]
        }
      }
    }
    tir.block "B_lanes" (spatial %v_i in 8 = %i) do {
      %part = tir.load %B_part[0] : memref<16xf32>, vector<16xf32>
      %total = vector.reduction <add>, %part fastmath<reassoc> : vector<16xf32> into f32
      %B[%v_i] = %B[%v_i] + %total
    }

Partial results that no ``vector.reduction`` can combine (argmax, or floats narrower than 32 bits)
are combined by halves: the two halves of the lanes, then their halves, and so on, down to one
number.

The partial results are initialised before, and combined after, the outermost loop of the reduction
for which the number of results is constant and small. A loop with more iterations than the lanes of
four native vectors becomes a loop over chunks of that size, and a remainder.

If a combiner compares the positions of terms, and the positions increase from term to term, the
lanes begin with their first terms (``_lane_places.py``).

On x86, the lanes of a maximum of floats also sum up their terms, which shows whether a term is NaN
(``_lane_maximum.py``).

A reduction that cannot be split (its init is among its updates, a condition depends on both results
and terms, ...) runs serially, with warning KC4211.

Requires: blocks without an init region (``lower-init-block``).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FixedBitwidthType,
    Float32Type,
    Float64Type,
    IndexType,
    MemRefType,
    ModuleOp,
    StringAttr,
    UnknownLoc,
    VectorType,
    i64,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.dialects.vector import (
    BroadcastOp,
    CombiningKindAttr,
    CombiningKindFlag,
    ExtractOp,
    ReductionOp,
    ShuffleOp,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis import loop_tree
from kc.analysis.accesses.dependence import lane_conflict
from kc.analysis.loop_tree import iter_types
from kc.analysis.reductions.lane_reductions import lane_reduction, reduced_blocks, uses_results
from kc.analysis.reductions.reductions import Reduction, Update, ops_of_element, reduction_of
from kc.dialects.arith import vector_class, vector_of
from kc.dialects.tir import (
    AllocOp,
    ApplyOp,
    BlockOp,
    CombineOp,
    ForKind,
    ForKindAttr,
    ForOp,
    IterType,
    LoadOp,
    StoreOp,
    YieldOp,
)
from kc.support.fresh_names import fresh_name
from kc.support.target import target_of
from kc.transforms.expand_math import is_x86
from kc.transforms.schedule._combiners import captured_copies
from kc.transforms.tir.blocks._inline_combine import inline_combine
from kc.transforms.tir.blocks._partial_results import PartialResults, Split, Values, steps_added
from kc.transforms.tir.vectorize._lane_maximum import LaneMaximum, TakenNames, is_lane_maximum
from kc.transforms.tir.vectorize._lane_places import growing_places, without_places
from kc.transforms.tir.vectorize.vectorize_loop import MAX_VECTORS, element_bits, run_serially

Steps = Callable[[Block, Reduction, Sequence[SSAValue], Sequence[SSAValue]], list[SSAValue]]
"""A function that emits the steps of a reduction on two vectors for each result."""

LOCAL = "local"
"""The memory scope of a thread."""

PART_BYTES = 4096
"""The most bytes of the partial results of one block."""


@dataclass(frozen=True)
class LowerLaneReductionPass(ModulePass):
    """Give each lane of a vectorized reduction a partial result, and combine the results."""

    name = "lower-lane-reduction"

    vector_bits: int | None = None
    """The width of a native vector in bits; by default the target's."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        bits = target.vector_bits if self.vector_bits is None else self.vector_bits
        sums = is_x86(target) and not {"nnan", "nsz"} & set(target.fast_math)
        for function in loop_tree.functions(op):
            buffers = {op.label for op in loop_tree.preorder(function) if isinstance(op, AllocOp)}
            labels = {block.label for block in loop_tree.blocks(function)}
            for loop in loop_tree.loops(function):
                if loop.kind.data is ForKind.VECTORIZED and (blocks := reduced_blocks(loop)):
                    _lower(loop, blocks, bits, TakenNames(buffers, labels), sums)


def _lower(loop: ForOp, blocks: list[BlockOp], bits: int, names: TakenNames, sums: bool) -> None:
    if bits == 0 or loop.static_extent is None or loop.static_extent < 2:
        return
    plans: list[_Plan] = []
    lanes = _lanes(loop, bits)
    for block in blocks:
        plan = _plan(loop, block, lanes)
        if isinstance(plan, str) and lane_conflict(loop) is None:
            continue  # each iteration has a result of its own
        if isinstance(plan, str):
            run_serially(loop, "KC4211", plan, block, "lower-lane-reduction")
            return
        plans.append(plan)
    if not plans:
        return
    for again in _Lowering(loop, lanes, plans, names, sums).run():
        (block,) = reduced_blocks(again)
        plan = _plan(again, block, lanes)
        if isinstance(plan, _Plan):
            again.kind = ForKindAttr(ForKind.VECTORIZED)
            _Lowering(again, lanes, [plan], names, sums=False).run()


@dataclass(frozen=True)
class _Plan:
    """The plan of a split reduction over lanes."""

    split: Split
    place: ForOp
    """The loop before which the partial results are initialised and after which they are
    combined.
    """


def _lanes(loop: ForOp, vector_bits: int) -> int:
    """The number of partial results: all iterations, or a power of two."""
    extent = loop.static_extent
    assert extent is not None
    native = max(1, vector_bits // element_bits(loop))
    most = MAX_VECTORS << (native.bit_length() - 1)
    return extent if extent <= most else most


def _plan(loop: ForOp, block: BlockOp, lanes: int) -> _Plan | str:
    """The split of a reduction, or the reason why it cannot be split."""
    if block.has_init:
        return f"the init of {block.label} is among its updates"
    reduction = lane_reduction(loop, block)
    if isinstance(reduction, str):
        return reduction
    around = loop_tree.all_loops_around(block)
    kinds = {outer: iter_types(outer, block) for outer in around}
    reduced = [outer for outer in around if IterType.REDUCE in kinds[outer]]
    room = PART_BYTES // (lanes * sum(_bytes(update.term.type) for update in reduction.updates))
    plan: _Plan | None = None
    why = f"the loops in {loop.label} have too many results, or an unknown number"
    for n in range(around.index(loop), -1, -1):
        outer, inside = around[n], around[n:]
        if outer is not loop and not _may_extend(outer, around[n + 1], reduction):
            break
        if outer not in reduced:
            continue
        path = [
            inner
            for inner in inside
            if kinds[inner] == {IterType.SPATIAL}
            or (not kinds[inner] and _counts_results(inner, reduction))
        ]
        mixed = next((inner for inner in inside if len(kinds[inner]) > 1), None)
        if mixed is not None:
            why = f"{mixed.label} drives both spatial and reduce variables"
            break
        if not _are_few(path, room):
            break
        # Loops that drive no result repeat terms, so their conditions are about terms. The
        # conditions of an enclosing loop that also drives results decide which results exist.
        terms = [
            inner
            for inner in around
            if inner in inside or (inner in reduced and IterType.SPATIAL not in kinds[inner])
        ]
        split = Split(reduction, path, [inner for inner in terms if inner not in path], outer)
        if isinstance(computed := split.makers(), str):
            why = f"{computed} is computed in {outer.label}, and the results depend on it"
            break
        if _ties_results(block, split.reduced):
            why = f"a condition of {block.label} depends on both results and terms"
            break
        plan = _Plan(split, outer)
    return plan or why


def _may_extend(outer: ForOp, child: ForOp, reduction: Reduction) -> bool:
    """True if partial results may be combined after ``outer``, provided that they may be combined
    after ``child``.
    """
    if child.parent_op() is not outer or outer.kind.data in (ForKind.PARALLEL, ForKind.THREAD):
        return False
    return not uses_results(outer, reduction)


def _counts_results(loop: ForOp, reduction: Reduction) -> bool:
    """True if the address of the reduction's result depends on the variable of ``loop`` itself."""
    values = loop_tree.derived_values(loop.var)
    return any(
        operand in values
        for update in reduction.updates
        for operand in update.store.operands_of_map
    )


def _are_few(path: Sequence[ForOp], room: int) -> bool:
    """True if the loops over results have a constant number of results, at most ``room``."""
    count = 1
    for loop in path:
        if loop.static_extent is None:
            return False
        count *= loop.static_extent
    return count <= room


def _ties_results(block: BlockOp, reduced: Sequence[ForOp]) -> bool:
    """True if a condition of the block depends on both results and terms."""
    terms = {value for loop in reduced for value in loop_tree.derived_values(loop.var)}
    results = {
        value
        for loop in loop_tree.all_loops_around(block)
        if loop not in reduced
        for value in loop_tree.derived_values(loop.var)
    }
    for constraint in block.predicate.data.constraints:
        used = {block.predicate_operands[n] for n in constraint.lhs.used_dims()}
        if used & terms and used & results:
            return True
    return False


def _bytes(type_: Attribute) -> int:
    return max(1, type_.size if isinstance(type_, FixedBitwidthType) else 8)


class _Lowering:
    """The split of the reductions over the lanes of one loop."""

    def __init__(
        self,
        loop: ForOp,
        lanes: int,
        plans: Sequence[_Plan],
        names: TakenNames,
        sums: bool,
    ) -> None:
        """``sums``: maxima of floats are computed together with sums."""
        self.loop = loop
        self.lanes = lanes
        self.plans = plans
        self.labels = names.labels
        self.width = 1 << (lanes - 1).bit_length()
        """The number of elements of the partial results: the lanes, rounded up to a power of
        two.
        """
        space = next((LOCAL for outer in loop_tree.all_loops_around(loop) if outer.axis), None)
        self.parts = [
            PartialResults(plan.split, names.buffers, self.width, space) for plan in plans
        ]
        self.growing = {
            parts: growing_places(plan.split, loop, lanes)
            for plan, parts in zip(plans, self.parts, strict=True)
        }
        self.maxima = {
            parts: LaneMaximum(parts, plan.place, loop, self.width, names)
            for plan, parts in zip(plans, self.parts, strict=True)
            if sums and space is None and is_lane_maximum(plan.split.reduction, plan.place)
        }

    def run(self) -> list[ForOp]:
        """Initialise, update and combine the partial results of the lanes.

        Returns the loops that replace this loop in the second run of a maximum. Their lanes may
        have partial results, too.
        """
        inserted: list[tuple[_Plan, list[Operation], list[Operation]]] = []
        for plan, parts in zip(self.plans, self.parts, strict=True):
            maximum = self.maxima.get(parts)
            start = [
                *parts.allocs,
                *([maximum.sums] if maximum is not None else []),
                *parts.nest(lambda values, parts=parts: self._fill(parts, values)),
            ]
            finish = parts.nest(lambda values, parts=parts: self._finish(parts, values))
            for op in [*start, *finish]:
                for inner in op.walk():
                    inner.location = plan.split.block.location
            inserted.append((plan, start, finish))
        for plan, start, finish in inserted:
            Rewriter.insert_op(start, InsertPoint.before(plan.place))
            Rewriter.insert_op(finish, InsertPoint.after(plan.place))
        for piece, blocks, values in self._pieces():
            for block, parts in zip(blocks, self.parts, strict=True):
                reduction = reduction_of(block)
                assert reduction is not None
                if parts in self.maxima:
                    self.maxima[parts].redirect(reduction, piece.var, values)
                    continue
                parts.redirect(reduction, piece.var, values)
                for step in reduction.steps:
                    if isinstance(step, CombineOp):
                        if self.growing[parts]:
                            without_places(step, self.growing[parts])
                        inline_combine(step)
        return [loop for maximum in self.maxima.values() for loop in maximum.loops_again]

    def _pieces(self) -> list[tuple[ForOp, list[BlockOp], Values]]:
        """The loops over lanes that replace the loop, each with its blocks and the values of loop
        variables.
        """
        loop, extent = self.loop, self.loop.static_extent
        own = [plan.split.block for plan in self.plans]
        assert extent is not None
        if extent <= self.lanes:
            return [(loop, own, {})]
        annotations = loop.annotations.data if loop.annotations is not None else None
        rounds = ForOp(f"{loop.label}_o", extent // self.lanes, annotations=annotations)
        rest = extent % self.lanes
        whole = ForOp(loop.label, self.lanes, kind=ForKind.VECTORIZED)
        rounds.body.block.add_op(whole)
        pieces: list[tuple[ForOp, SSAValue | None]] = [(whole, rounds.var)]
        tops = [rounds]
        if rest:
            last = ForOp(loop.label, rest, kind=ForKind.VECTORIZED)
            pieces.append((last, None))
            tops.append(last)
        result: list[tuple[ForOp, list[BlockOp], Values]] = []
        for piece, number in pieces:
            expr = AffineExpr.dimension(0) + (extent - rest)
            operands: list[SSAValue] = [piece.var]
            if number is not None:
                expr = AffineExpr.dimension(0) * self.lanes + AffineExpr.dimension(1)
                operands = [number, piece.var]
            iteration = ApplyOp(expr, operands)
            piece.body.block.add_op(iteration)
            values: Values = {loop.var: iteration.result}
            copies: dict[Operation, Operation] = {}
            for op in loop.body.block.ops:
                copy = op.clone(values)
                piece.body.block.add_op(copy)
                copies.update(zip(op.walk(), copy.walk(), strict=True))
            for op in copies.values():
                if isinstance(op, BlockOp) and number is None:
                    op.block_name = StringAttr(fresh_name(op.label, self.labels))
            result.append((piece, [copies[block] for block in own], values))  # pyright: ignore
        for top in tops:
            for op in top.walk():
                if isinstance(op.location, UnknownLoc):
                    op.location = loop.location
        Rewriter.insert_op(tops, InsertPoint.before(loop))
        loop.detach()
        loop.erase(safe_erase=False)
        return result

    def _fill(self, parts: PartialResults, values: Values) -> list[Operation]:
        """Initialise the lanes: with neutral elements, or with their first terms."""
        first = [self._first_terms(parts, values)] if self.growing[parts] else []
        if first and self.lanes == self.width:
            return [*first]
        loop = ForOp(self.loop.label, self.width, kind=ForKind.VECTORIZED)
        place = parts.place(values, loop.var)
        loop.body.block.add_ops(parts.filled(place))
        if parts in self.maxima:
            loop.body.block.add_ops(self.maxima[parts].filled(place))
        return [loop, *first]

    def _first_terms(self, parts: PartialResults, values: Values) -> ForOp:
        """Store the first term of each lane."""
        loop = ForOp(self.loop.label, self.lanes, kind=ForKind.VECTORIZED)
        zero = arith.ConstantOp.from_int_and_width(0, IndexType())
        mapping = {**values, self.loop.var: loop.var}
        for outer in loop_tree.all_loops_around(parts.split.block):
            if loop_tree.is_inside(outer, parts.split.root) and outer.var not in mapping:
                mapping[outer.var] = zero.result
        block = parts.split.block.clone(mapping)
        assert isinstance(block, BlockOp)
        block.block_name = StringAttr(fresh_name(f"{block.label}_first", self.labels))
        loop.body.block.add_ops([zero, block] if zero.result.uses else [block])
        reduction = reduction_of(block)
        assert reduction is not None
        place = parts.place(values, loop.var)
        for update, alloc in zip(reduction.updates, parts.allocs, strict=True):
            store = StoreOp(update.term, alloc.buffer, *place)
            Rewriter.replace_op(update.store, [store], [])
        for op in [*reduction.steps, *(update.load for update in reduction.updates)]:
            op.detach()
            op.erase()
        return loop

    def _finish(self, parts: PartialResults, values: Values) -> list[Operation]:
        """The operations behind the loops."""
        combined = self._combine(parts, values)
        if parts not in self.maxima:
            return [combined]
        return [combined, *self.maxima[parts].again(values)]

    def _combine(self, parts: PartialResults, values: Values) -> BlockOp:
        """The block that combines the partial results with each other and with the result."""
        reduction = parts.split.reduction

        def results(body: Block, mapping: Values, places: Sequence[int]) -> Sequence[SSAValue]:
            del places
            vectors: list[SSAValue] = []
            for alloc in parts.allocs:
                assert isinstance(alloc.buffer.type, MemRefType)
                type_ = VectorType(alloc.buffer.type.element_type, [self.width])
                load = LoadOp(alloc.buffer, *parts.place(values), type_)
                body.add_op(load)
                vectors.append(load.result)
            scalars, copies = captured_copies(reduction, mapping)
            body.add_ops(scalars)
            steps = functools.partial(_steps_on_vectors, mapping=copies)
            no_nan = parts in self.maxima
            totals = _folded(body, reduction, vectors, self.width, steps, no_nan=no_nan)
            old: list[SSAValue] = []
            for update in reduction.updates:
                load = LoadOp(update.buffer, *parts.result_place(update, mapping))
                body.add_op(load)
                old.append(load.result)
            return steps_added(body, reduction, old, totals, mapping)

        label = fresh_name(f"{parts.split.block.label}_lanes", self.labels)
        return parts.store_block(label, values, results)


def _folded(
    body: Block,
    reduction: Reduction,
    vectors: Sequence[SSAValue],
    width: int,
    steps: Steps,
    *,
    no_nan: bool,
) -> list[SSAValue]:
    """The elements of vectors, whose length is a power of two, combined to one number per vector:
    by a single operation if one exists, otherwise by halves. ``no_nan``: no lane is NaN.
    """
    vectors = list(vectors)
    totals = {
        n: _add(body, reduced)
        for n, (vector, update) in enumerate(zip(vectors, reduction.updates, strict=True))
        if (reduced := _reduction(vector, update, no_nan)) is not None
    }
    while width > 1 and len(totals) < len(vectors):
        width //= 2
        halves = [
            [_lanes_of(body, vector, first, width) for vector in vectors] for first in (0, width)
        ]
        vectors = steps(body, reduction, *halves)
    return [
        totals[n] if n in totals else _add(body, ExtractOp(vector, [0], update.term.type))
        for n, (vector, update) in enumerate(zip(vectors, reduction.updates, strict=True))
    ]


_KINDS: dict[type[Operation], CombiningKindFlag] = {
    arith.AddfOp: CombiningKindFlag.ADD,
    arith.AddiOp: CombiningKindFlag.ADD,
    arith.AndIOp: CombiningKindFlag.AND,
    arith.MaximumfOp: CombiningKindFlag.MAXIMUMF,
    arith.MinimumfOp: CombiningKindFlag.MINIMUMF,
    arith.MaxSIOp: CombiningKindFlag.MAXSI,
    arith.MaxUIOp: CombiningKindFlag.MAXUI,
    arith.MinSIOp: CombiningKindFlag.MINSI,
    arith.MinUIOp: CombiningKindFlag.MINUI,
    arith.MulfOp: CombiningKindFlag.MUL,
    arith.MuliOp: CombiningKindFlag.MUL,
    arith.OrIOp: CombiningKindFlag.OR,
    arith.XOrIOp: CombiningKindFlag.XOR,
}


def _reduction(vector: SSAValue, update: Update, no_nan: bool) -> ReductionOp | None:
    """The operation that combines the lanes of ``vector`` as ``update`` does; None if no such
    operation exists or if it is slow. ``no_nan``: no lane is NaN.
    """
    kind = _KINDS.get(_combining_class(update))
    assert isinstance(vector.type, VectorType)
    element = vector.type.element_type
    fastmath = arith.FastMathFlagsAttr("none")
    if isinstance(element, AnyFloat) and not isinstance(element, Float32Type | Float64Type):
        return None
    if isinstance(element, AnyFloat) and kind in (CombiningKindFlag.ADD, CombiningKindFlag.MUL):
        fastmath = arith.FastMathFlagsAttr((FastMathFlag.REASSOC,))
    if kind is CombiningKindFlag.MAXIMUMF and no_nan:
        kind = CombiningKindFlag.MAXNUMF
        fastmath = arith.FastMathFlagsAttr((FastMathFlag.NO_NANS,))
    if kind is None:
        return None
    return ReductionOp.create(  # its constructor gives the result the type of the vector
        operands=[vector],
        result_types=[element],
        properties={"kind": CombiningKindAttr(kind), "fastmath": fastmath},
    )


def _combining_class(update: Update) -> type[Operation]:
    """The class of the operation that combines a partial result with a term; the class of the step
    if several operations do.
    """
    step = update.step
    if not isinstance(step, CombineOp):
        return type(step)
    n = step.combined.index(update.store.value)
    result = step.yield_op.values[n].owner
    own = {step.combiner.block.args[n], step.combiner.block.args[n + len(step.combined)]}
    if isinstance(result, Operation) and set(result.operands) == own:
        return type(result)
    return type(step)


def _lanes_of(body: Block, vector: SSAValue, first: int, width: int) -> SSAValue:
    """The ``width`` lanes of a vector from ``first`` on."""
    assert isinstance(vector.type, VectorType)
    type_ = vector_of(vector.type.element_type, width)
    lanes = DenseArrayBase.from_list(i64, range(first, first + width))
    return _add(body, ShuffleOp(vector, vector, lanes, result_type=type_))


def _add(body: Block, op: Operation) -> SSAValue:
    body.add_op(op)
    return op.results[0]


def _steps_on_vectors(
    body: Block,
    reduction: Reduction,
    old: Sequence[SSAValue],
    new: Sequence[SSAValue],
    mapping: Mapping[SSAValue, SSAValue],
) -> list[SSAValue]:
    """The steps of a reduction on vectors, lane by lane, with results in the order of its updates.

    ``mapping`` has the values that combiners capture, which are equal in all lanes.
    """
    results: list[SSAValue] = []
    done: dict[Operation, dict[SSAValue, SSAValue]] = {}
    for n, update in enumerate(reduction.updates):
        step = update.step
        if not isinstance(step, CombineOp):
            results.append(_elementwise(body, step, [old[n], new[n]]))
            continue
        if step not in done:
            positions = [
                next(
                    m
                    for m, other_update in enumerate(reduction.updates)
                    if other_update.store.value is value
                )
                for value in step.combined
            ]
            arguments = [*(old[m] for m in positions), *(new[m] for m in positions)]
            params = step.combiner.block.args
            values: Values = dict(zip(params, arguments, strict=False))
            captured = [mapping.get(value, value) for value in step.captured]
            scalars: Values = dict(zip(params[len(arguments) :], captured, strict=True))
            of_element = ops_of_element(step)

            def lanes(
                value: SSAValue, values: Values = values, scalars: Values = scalars
            ) -> SSAValue:
                if value not in values:
                    type_ = VectorType(value.type, old[0].type.shape)  # pyright: ignore
                    values[value] = _add(body, BroadcastOp(scalars[value], type_))
                return values[value]

            for op in step.combiner.block.ops:
                if isinstance(op, YieldOp):
                    done[step] = dict(zip(step.combined, map(lanes, op.values), strict=True))
                elif op in of_element:
                    body.add_op(op.clone(scalars))
                elif isinstance(op, arith.ConstantOp):
                    values[op.result] = _splat(body, op, old[n])
                    if of_element:
                        body.add_op(op.clone(scalars))
                else:
                    values[op.results[0]] = _elementwise(body, op, [*map(lanes, op.operands)])
        results.append(done[step][update.store.value])
    return results


def _elementwise(body: Block, op: Operation, operands: Sequence[SSAValue]) -> SSAValue:
    shape = operands[-1].type
    assert isinstance(shape, VectorType)
    new = vector_class(type(op)).create(
        operands=operands,
        result_types=[VectorType(result.type, shape.shape) for result in op.results],
        properties=op.properties.copy(),
        attributes=op.attributes.copy(),
    )
    return _add(body, new)


def _splat(body: Block, op: arith.ConstantOp, like: SSAValue) -> SSAValue:
    assert isinstance(like.type, VectorType)
    type_ = VectorType(op.result.type, like.type.shape)
    value = op.value.value.data  # pyright: ignore[reportAttributeAccessIssue]
    return _add(body, arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(type_, [value])))  # pyright: ignore
