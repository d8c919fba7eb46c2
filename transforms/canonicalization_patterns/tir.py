"""Canonicalization of ``tir``.

A pattern removes only operations without observable effects on memory. Reductions over nothing
stay, because their ``init`` runs although their blocks do not; so do threads of a kernel, and loops
and blocks with annotations.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import AffineMapAttr, AffineSetAttr, DenseArrayBase, IntegerAttr, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineSet
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from kc.analysis.affine.extremes import outermost_groups
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.loop_tree import all_loops_around, blocks, touches_memory
from kc.dialects.tir import (
    INDEX,
    AllocOp,
    ApplyOp,
    BlockOp,
    DelinearizeOp,
    ExtremeKind,
    ForKind,
    ForOp,
    IfOp,
    IterType,
    LinearizeOp,
    LoadOp,
    PrefetchOp,
    StoreOp,
    ViewOp,
)
from kc.transforms.affine_rewrite import set_block_spaces
from kc.transforms.canonicalization_patterns._affine import is_root, simpler_map, simpler_set

_WINDOW = 256
"""The maximum number of operations that are searched between two accesses of an element."""


# Index values


class ComposeApply(RewritePattern):
    """Compose an expression with the expressions of its operands.

    ::

        %a = tir.apply (%i * 2)
        %b = tir.apply (%a + 1)    ->    %b = tir.apply (%i * 2 + 1)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ApplyOp, rewriter: PatternRewriter, /) -> None:
        if op.extreme is not None:
            return
        if (simpler := simpler_map(op.map.data, op.operands_of_map)) is not None:
            space, values = simpler
            rewriter.replace(op, ApplyOp(space.results[0], values))


class ComposeExtreme(RewritePattern):
    """Compose a minimum or maximum with the expressions of its operands, and remove operands that
    never are the result.

    ::

        %a = tir.apply (%n - 1)
        %b = tir.apply max(%a, 0)
        %c = tir.apply max(%b, -1, %n - 2)    ->    %c = tir.apply max(%n - 1, 0)

    A nested minimum in a maximum, or the reverse, is composed if it has no other uses::

        %b = tir.apply min(%n, 8)
        %c = tir.apply max(%b, 0)    ->    %c = tir.apply max(min(%n, 8), 0)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ApplyOp, rewriter: PatternRewriter, /) -> None:
        if op.extreme is None:
            return
        index = IndexValues()
        kind: ExtremeKind = "min" if op.extreme.data == "min" else "max"
        groups: list[list[AffineExpr]] = []
        for group in op.grouped(op.map.data.results):
            composed = [index.compose(expr, op.operands_of_map) for expr in group]
            inner = _extreme_value(composed[0], index) if len(composed) == 1 else None
            if inner is not None and inner.extreme == op.extreme:
                groups += inner.grouped(_composed(inner, index))
            elif inner is not None and inner.groups is None and inner.result.has_one_use():
                groups.append(_composed(inner, index))
            else:
                groups.append(composed)
        groups = outermost_groups(kind, groups, index)
        space, operands = index.to_map([expr for group in groups for expr in group])
        exprs = iter(space.results)
        simpler = ApplyOp.of_groups(
            kind, [[next(exprs) for _ in group] for group in groups], operands
        )
        if simpler.properties != op.properties or list(operands) != list(op.operands):
            rewriter.replace(op, simpler)
        else:
            simpler.erase()


def _extreme_value(expr: AffineExpr, index: IndexValues) -> ApplyOp | None:
    """``expr`` over the roots as a minimum or maximum; None if it is neither."""
    if not isinstance(expr, AffineDimExpr) or (value := index.roots[expr.position]) is None:
        return None
    owner = value.owner
    return owner if isinstance(owner, ApplyOp) and owner.extreme is not None else None


def _composed(op: ApplyOp, index: IndexValues) -> list[AffineExpr]:
    return [index.compose(expr, op.operands_of_map) for expr in op.map.data.results]


class EvaluateLinearize(RewritePattern):
    """Replace a linearization by an affine expression if the sizes are constants.

    ::

        %f = tir.linearize [%o, %i] by [%m, %c4]    ->    %f = tir.apply (%o * 4 + %i)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LinearizeOp, rewriter: PatternRewriter, /) -> None:
        if (applies := _evaluated([op.result])) is not None:
            rewriter.replace(op, applies)


class EvaluateDelinearize(RewritePattern):
    """Replace the parts of a delinearization by affine expressions if the sizes are constants.

    ::

        %o, %i = tir.delinearize %f by [%m, %c4]    ->    %o = tir.apply (%f floordiv 4)
                                                          %i = tir.apply (%f mod 4)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DelinearizeOp, rewriter: PatternRewriter, /) -> None:
        if (applies := _evaluated(op.indices)) is not None:
            rewriter.replace(op, applies, [apply.result for apply in applies])


def _evaluated(values: Sequence[SSAValue]) -> list[ApplyOp] | None:
    """``values`` as ``tir.apply`` operations; None if one of them is not affine."""
    index = IndexValues()
    if any(is_root(value, index) for value in values):
        return None
    applies: list[ApplyOp] = []
    for value in values:
        space, operands = index.to_map([index.expr(value)])
        applies.append(ApplyOp(space.results[0], operands))
    return applies


class ComposeAccess(RewritePattern):
    """Compose the indices of an access with the expressions of their operands.

    ::

        %j = tir.apply (%i * 2)
        %v = tir.load %A[%j + 1]    ->    %v = tir.load %A[%i * 2 + 1]
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: LoadOp | StoreOp | PrefetchOp | ViewOp, rewriter: PatternRewriter, /
    ) -> None:
        if (simpler := simpler_map(op.indices.data, op.operands_of_map)) is not None:
            space, values = simpler
            fixed = len(op.operands) - len(op.operands_of_map)
            op.operands = [*op.operands[:fixed], *values]
            op.properties["indices"] = AffineMapAttr(space)
            rewriter.notify_op_modified(op)


# Loops


class StaticExtent(RewritePattern):
    """Make a constant extent an attribute of the loop.

    ::

        %c8 = arith.constant 8 : index
        tir.for %i in %c8 { ... }    ->    tir.for %i in 8 { ... }
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ForOp, rewriter: PatternRewriter, /) -> None:
        if op.dynamic_extent is None:
            return
        extent = IndexValues().constant(op.dynamic_extent)
        if extent is not None:
            op.operands = []
            op.properties["extent"] = IntegerAttr(max(extent, 0), i64)
            rewriter.notify_op_modified(op)


class EraseEmptyLoop(RewritePattern):
    """Erase a loop without iterations.

    ::

        tir.for %i in 0 { ... }    ->

    A loop that begins a reduction stays, because it stores the initial value.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ForOp, rewriter: PatternRewriter, /) -> None:
        if op.static_extent == 0 and not _initialises(op):
            rewriter.erase(op)


class InlineUnitLoop(RewritePattern):
    """Replace a loop of one iteration by its body.

    ::

        tir.for %i in 1 {                   %i = arith.constant 0 : index
          tir.store %v, %A[%i]      ->      tir.store %v, %A[%i]
        }

    Loops over threads stay, because they are a part of the launch. Loops with annotations stay,
    too, as does the loop of a reduction that may be over nothing.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ForOp, rewriter: PatternRewriter, /) -> None:
        is_plain = not op.attributes and op.annotations is None
        if op.static_extent != 1 or op.kind.data is ForKind.THREAD or not is_plain:
            return
        if any(_may_be_over_nothing(block) for block in blocks(op)):
            return
        zero = arith.ConstantOp(IntegerAttr(0, INDEX))
        zero.result.name_hint = op.var.name_hint
        rewriter.insert(zero, InsertPoint.before(op))
        _inline(op, op.body.block, rewriter, [zero.result])


# Conditions


class SimplifyIf(RewritePattern):
    """Remove conditions that follow from the ranges of their variables, and compose the others with
    the expressions of their operands.

    ::

        tir.for %i in 8 {
          tir.if (%i < 8, %i < %n) { ... }    ->    tir.if (%i < %n) { ... }
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter, /) -> None:
        simpler = simpler_set(op.condition.data, op.operands_of_set)
        if simpler is None or isinstance(simpler, bool):
            return
        condition, op.operands = simpler
        op.properties["condition"] = AffineSetAttr(condition)
        rewriter.notify_op_modified(op)


class DecideIf(RewritePattern):
    """Replace an ``if`` whose condition is decided at compile time by the branch that is taken.

    ::

        tir.for %i in 8 {
          tir.if (%i < 8) { A } else { B }    ->    A
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter, /) -> None:
        holds = simpler_set(op.condition.data, op.operands_of_set)
        if not isinstance(holds, bool) or op.attributes:
            return
        taken, dropped = (op.then, op.orelse) if holds else (op.orelse, op.then)
        if any(_initialises(inner) for block in dropped.blocks for inner in block.ops):
            return
        if taken.blocks:
            _inline(op, taken.block, rewriter)
        else:
            rewriter.erase(op)


class DropEmptyElse(RewritePattern):
    """Remove an empty else branch.

    ::

        tir.if (%i < %n) { A } else { }    ->    tir.if (%i < %n) { A }
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter, /) -> None:
        if op.orelse.blocks and op.orelse.block.is_empty:
            then = op.detach_region(op.then)
            replacement = IfOp(op.condition.data, op.operands_of_set, then)
            replacement.attributes.update(op.attributes)
            rewriter.replace(op, replacement)


# Blocks


class SimplifyBlock(RewritePattern):
    """Compose the bindings, the predicate and the extents of a block with the expressions of their
    operands.

    ::

        %j = tir.apply (%i * 4)
        tir.block "B" (spatial %v in %c8 = %j) where (%i < %n, %i >= 0) do { ... }

    becomes, in a loop ``%i`` ::

        tir.block "B" (spatial %v in 8 = %i * 4) where (%i < %n) do { ... }

    The bindings of a reduction that may be over nothing stay, because they determine the loop that
    begins the reduction.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BlockOp, rewriter: PatternRewriter, /) -> None:
        bindings, predicate = None, None
        if not _may_be_over_nothing(op):
            bindings = simpler_map(op.bindings.data, op.binding_operands)
            predicate = simpler_set(op.predicate.data, op.predicate_operands)
        if predicate is True and op.predicate.data.constraints:
            predicate = AffineSet(0, 0, ()), []
        elif isinstance(predicate, bool):
            predicate = None  # the predicate never holds: EraseIdleBlock removes the block
        index = IndexValues()
        sizes = [
            extent if isinstance(extent, int) else index.constant(extent) for extent in op.extents
        ]
        shape = [
            size if upper is None else max(upper, 0)
            for size, upper in zip(op.extents, sizes, strict=True)
        ]
        dynamic = [size for size in shape if not isinstance(size, int)]
        if bindings is None and predicate is None and len(dynamic) == len(op.dynamic_extents):
            return
        op.properties["static_extents"] = DenseArrayBase.from_list(
            i64,
            [
                int(old) if isinstance(size, SSAValue) else size
                for old, size in zip(op.static_extents.iter_values(), shape, strict=True)
            ],
        )
        set_block_spaces(op, bindings, predicate, dynamic)
        rewriter.notify_op_modified(op)


class EraseIdleBlock(RewritePattern):
    """Erase a block whose predicate never holds.

    ::

        tir.for %i in 8 {
          tir.block "B" (spatial %v in 8 = %i) where (%i >= 8) do { ... }    ->
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BlockOp, rewriter: PatternRewriter, /) -> None:
        never = simpler_set(op.predicate.data, op.predicate_operands) is False
        if never and not _initialises(op):
            rewriter.erase(op)


# Memory


class EraseUnreadBuffer(RewritePattern):
    """Erase a buffer without readers, and the stores to it.

    ::

        %B = tir.alloc "B" : memref<8xf32>
        tir.store %v, %B[%i] : memref<8xf32>    ->
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AllocOp, rewriter: PatternRewriter, /) -> None:
        users = [use.operation for use in op.buffer.uses]
        if all(
            isinstance(user, StoreOp | PrefetchOp) and user.buffer is op.buffer for user in users
        ):
            for user in users:
                rewriter.erase(user)
            rewriter.erase(op)


class EraseOverwrittenStore(RewritePattern):
    """Erase a store if the next access of the element is another store.

    ::

        tir.store %a, %A[%i]
        tir.store %b, %A[%i]    ->    tir.store %b, %A[%i]

    No operation in between may read the buffer. In kernels the pattern does not apply, because
    other threads may read.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: StoreOp, rewriter: PatternRewriter, /) -> None:
        if _is_in_kernel(op):
            return
        later = op.next_op
        for _ in range(_WINDOW):
            if later is None:
                return
            if isinstance(later, StoreOp) and _is_same_element(op, later):
                if later.value.type == op.value.type:
                    rewriter.erase(op)
                return
            if _may_access(later, op.buffer, writes_only=False):
                return
            later = later.next_op


class ForwardStore(RewritePattern):
    """Replace a load of an element that was just stored by the stored value.

    ::

        tir.store %a, %A[%i]
        %b = tir.load %A[%i]    ->    (%a for %b)

    No operation in between may write the buffer. In kernels the pattern does not apply, because
    other threads may write; nor between the blocks of one reduction, which combine their stores.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: LoadOp, rewriter: PatternRewriter, /) -> None:
        if _is_in_kernel(op):
            return
        earlier = op.prev_op
        for _ in range(_WINDOW):
            if earlier is None:
                return
            if isinstance(earlier, StoreOp) and _is_same_element(earlier, op):
                if earlier.value.type == op.result.type:
                    rewriter.replace(op, [], [earlier.value])
                return
            if _may_access(earlier, op.buffer, writes_only=True):
                return
            earlier = earlier.prev_op


def _inline(
    op: Operation, body: Block, rewriter: PatternRewriter, values: Sequence[SSAValue] = ()
) -> None:
    """Replace ``op`` by the operations of ``body``, one of its regions."""
    users = list(body.ops)
    rewriter.inline_block(body, InsertPoint.before(op), values)
    rewriter.erase(op)
    for user in users:  # they may have become simpler
        rewriter.handle_operation_modification(user)


def _initialises(op: Operation) -> bool:
    """True if ``op`` contains a reduction with an initial value, which may be stored before the
    reduction runs.
    """
    return any(block.has_init for block in blocks(op))


def _may_be_over_nothing(block: BlockOp) -> bool:
    return block.has_init and any(
        kind is IterType.REDUCE and (not isinstance(extent, int) or extent == 0)
        for kind, _, extent in block.iters
    )


def _is_in_kernel(op: Operation) -> bool:
    return any(loop.kind.data is ForKind.THREAD for loop in all_loops_around(op))


def _is_same_element(store: StoreOp, access: LoadOp | StoreOp) -> bool:
    return (
        store.buffer is access.buffer
        and store.indices == access.indices
        and list(store.operands_of_map) == list(access.operands_of_map)
    )


def _may_access(op: Operation, buffer: SSAValue, *, writes_only: bool) -> bool:
    """True if ``op``, or an operation inside it, may write elements of ``buffer``, or read them
    unless ``writes_only`` is set.
    """
    for inner in op.walk():
        if isinstance(inner, LoadOp | StoreOp):
            if writes_only and isinstance(inner, LoadOp):
                continue
            if not _is_other_memory(inner.buffer, buffer):
                return True
        elif touches_memory(inner):
            return True
    return False


def _is_other_memory(buffer: SSAValue, second: SSAValue) -> bool:
    """True if two buffers are provably disjoint."""
    roots = [_whole(value) for value in (buffer, second)]
    return roots[0] is not roots[1] and all(
        isinstance(root.owner, AllocOp)
        or (isinstance(root.owner, Block) and isinstance(root.owner.parent_op(), func.FuncOp))
        for root in roots
    )


def _whole(buffer: SSAValue) -> SSAValue:
    """The buffer that underlies a view."""
    while isinstance(buffer.owner, ViewOp):
        buffer = buffer.owner.buffer
    return buffer


PATTERNS: tuple[RewritePattern, ...] = (
    ComposeApply(),
    ComposeExtreme(),
    EvaluateLinearize(),
    EvaluateDelinearize(),
    ComposeAccess(),
    StaticExtent(),
    EraseEmptyLoop(),
    InlineUnitLoop(),
    SimplifyIf(),
    DecideIf(),
    DropEmptyElse(),
    SimplifyBlock(),
    EraseIdleBlock(),
    EraseUnreadBuffer(),
    EraseOverwrittenStore(),
    ForwardStore(),
)
"""The patterns, in the order in which they are tried."""
