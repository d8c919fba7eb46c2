"""partition-loops: the iterations in which conditions always hold become a loop without them.

Before::

    tir.for %i_o in 4 {
      tir.for %i_i in 32 {
        tir.if (%i_o * 32 + %i_i < 100) {
          tir.store %x, %C[%i_o * 32 + %i_i] : memref<100xf32>
        }
      }
    }

After, with ``partition-const-loop``::

    tir.for %i_o in 3 {
      tir.for %i_i in 32 {
        tir.store %x, %C[%i_o * 32 + %i_i] : memref<100xf32>
      }
    }
    tir.for %i_i in 4 {
      tir.store %x, %C[%c3 * 32 + %i_i] : memref<100xf32>
    }

The pass splits loops whose extent is not constant, loops of a constant extent if
``partition_const_loop`` is set, and all loops with ``pragma_loop_partition_hint``. With
``only_hinted``, the setting of the pipelines, it splits only loops with the hint. A part of one
iteration becomes its body, unless ``no_unroll_loop_with_extent_one`` is set. With
``unroll_loop_with_partition_hint_no_interval``, a loop with the hint but without usable conditions
is unrolled. Serial and parallel loops are split where ``tir.if`` conditions that are affine in the
loop's variable begin or cease to hold for all inner iterations. Loops in virtual threads that
exchange values are not split, as these threads wait for each other in each iteration. Code under
conditions that never hold in a part is removed.

TVM: ``LoopPartition``.

Requires: blocks were lowered (``lower-blocks``); loops around blocks stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import AffineSetAttr, DictionaryAttr, IntegerAttr, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import (
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineSet,
)
from xdsl.passes import ModulePass

from kc.analysis.accesses.virtual_threads import needs_lockstep
from kc.analysis.affine.extremes import at_least, outermost
from kc.analysis.affine.index_values import IndexValues, dimensions
from kc.analysis.loop_tree import functions, preorder
from kc.analysis.module_copy import copy_operation
from kc.dialects.affine_assembly import from_terms, linear_terms
from kc.dialects.tir import INDEX, ApplyOp, BlockOp, ExtremeKind, ForKind, ForKindAttr, ForOp, IfOp

HINT = "pragma_loop_partition_hint"


@dataclass(frozen=True)
class PartitionLoopsPass(ModulePass):
    """Split loops where conditions begin or cease to hold."""

    name = "partition-loops"

    partition_const_loop: bool = field(
        default=False, metadata={"help": "also cut loops of constant extents"}
    )
    only_hinted: bool = field(default=False, metadata={"help": "cut only loops with the hint"})
    no_unroll_loop_with_extent_one: bool = field(
        default=False, metadata={"help": "keep a part of one iteration as a loop"}
    )
    unroll_loop_with_partition_hint_no_interval: bool = field(
        default=False, metadata={"help": "unroll loops with the hint that have no usable condition"}
    )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            for block in function.body.blocks:
                _block(block, self)
            _remove_dead(function)


@dataclass(frozen=True)
class _Interval:
    """The interval in which conditions hold, over the roots: from the maximum of ``starts`` up to
    the minimum of ``ends``.
    """

    starts: Sequence[AffineExpr]
    ends: Sequence[AffineExpr]
    held: dict[IfOp, set[int]]
    """The numbers of the conditions of each branch that hold in the interval."""


def _block(block: Block, options: PartitionLoopsPass) -> None:
    for op in list(block.ops):
        _visit(op, options)


def _visit(op: Operation, options: PartitionLoopsPass) -> None:
    loops, bodies = _loop(op, options) if isinstance(op, ForOp) else ([op], [])
    for part in loops:
        for region in part.regions:
            for block in region.blocks:
                _block(block, options)
    for part in bodies:
        _visit(part, options)


def _loop(
    loop: ForOp, options: PartitionLoopsPass
) -> tuple[Sequence[Operation], Sequence[Operation]]:
    """Split ``loop`` if possible. Return the loops that replace it, and the operations that are no
    longer in a loop.
    """
    hint = loop.annotations is not None and HINT in loop.annotations.data
    chosen = hint or (
        not options.only_hinted and (loop.static_extent is None or options.partition_const_loop)
    )
    if (
        not chosen
        or loop.kind.data not in (ForKind.SERIAL, ForKind.PARALLEL)
        or any(isinstance(inner, BlockOp) for inner in preorder(loop))
        or needs_lockstep(loop)
    ):
        return [loop], []
    if hint:
        assert loop.annotations is not None
        annotations = {key: value for key, value in loop.annotations.data.items() if key != HINT}
        loop.annotations = DictionaryAttr(annotations) if annotations else None
    index = IndexValues()
    interval = _interval(loop, index)
    if interval is None:
        if hint and options.unroll_loop_with_partition_hint_no_interval:
            loop.kind = ForKindAttr(ForKind.UNROLLED)
        return [loop], []
    return _Cut(loop, index, options).cut(interval)


def _interval(loop: ForOp, index: IndexValues) -> _Interval | None:
    starts: list[AffineExpr] = []
    ends: list[AffineExpr] = []
    held: dict[IfOp, set[int]] = {}
    for op in preorder(loop):
        if not isinstance(op, IfOp):
            continue
        dims = [index.expr(operand) for operand in op.operands_of_set]
        for n, constraint in enumerate(op.condition.data.constraints):
            if constraint.kind is AffineConstraintKind.eq:
                continue
            expr = (constraint.lhs - constraint.rhs).replace_dims_and_symbols(dims, ())
            if constraint.kind is AffineConstraintKind.le:
                expr = expr * -1
            rest = _for_all_inner(loop, index, index.simplify(expr))
            if rest is None:
                continue
            factor, least = rest
            if factor < 0:
                ends.append(index.simplify(least // -factor + 1))
            else:
                starts.append(index.simplify((least // factor) * -1))
            held.setdefault(op, set()).add(n)
    return _Interval(starts, ends, held) if held else None


def _for_all_inner(
    loop: ForOp, index: IndexValues, expr: AffineExpr
) -> tuple[int, AffineExpr] | None:
    """The condition that ``expr >= 0`` in all inner iterations, as ``factor * i + rest >= 0``,
    where ``rest`` is defined outside of the loop; None if it has no such form.
    """
    terms, constant = linear_terms(expr)
    (var,) = dimensions(index.expr(loop.var))
    factor, outer, inner = 0, {}, {}
    for atom, scale in terms.items():
        used = dimensions(atom)
        if atom == AffineDimExpr(var):
            factor = scale
        elif var in used:
            return None
        elif any(_inside(index.roots[dim], loop) for dim in used):
            inner[atom] = scale
        else:
            outer[atom] = scale
    low = index.bounds(from_terms(inner, 0))[0] if inner else 0
    if not factor or low is None:
        return None
    return factor, from_terms(outer, constant + low)


def _inside(value: SSAValue | None, loop: ForOp) -> bool:
    owner = value.owner if value is not None else None
    place = owner.parent_op() if isinstance(owner, Block) else owner
    while place is not None and place is not loop:
        place = place.parent_op()
    return place is loop


class _Cut:
    """The split of a loop into up to three loops."""

    def __init__(self, loop: ForOp, index: IndexValues, options: PartitionLoopsPass) -> None:
        self.loop = loop
        self.index = index
        self.options = options
        self.emitted: list[Operation] = []
        self.loops: list[Operation] = []
        self.bodies: list[Operation] = []

    def cut(self, interval: _Interval) -> tuple[Sequence[Operation], Sequence[Operation]]:
        size = self.loop.extent_value
        extent = AffineExpr.constant(size) if isinstance(size, int) else self.index.expr(size)
        zero = AffineExpr.constant(0)
        starts = outermost("max", [zero, *interval.starts], self.index)
        start = self._extreme("max", [[expr] for expr in starts])
        ends = outermost("min", [extent, *interval.ends], self.index)
        if all(isinstance(expr, AffineConstantExpr) for expr in (start, *ends)):
            end = ends[0]
            if not at_least(end, start + 1, self.index):
                return [self.loop], []
        elif all(at_least(expr, start, self.index) for expr in ends):
            end = self._extreme("min", [[expr] for expr in ends])
        else:
            if not at_least(extent, start, self.index):
                # Conditions may begin to hold only behind the last iteration.
                start = self._extreme("min", [starts, [extent]])
            end = extent if ends == [extent] else self._extreme("max", [ends, [start]])
        block = self.loop.parent
        assert block is not None
        # The iterations before the conditions hold, those where they hold, and those after.
        self._part(zero, start, {})
        self._part(start, end, interval.held)
        self._part(end, extent, {})
        block.insert_ops_before(self.emitted, self.loop)
        self.loop.detach()
        self.loop.erase()
        return self.loops, self.bodies

    def _extreme(self, kind: ExtremeKind, groups: Sequence[Sequence[AffineExpr]]) -> AffineExpr:
        """The maximum or minimum (``kind``) of ``groups``. The value of a group is the opposite
        extreme of its members.
        """
        if len(groups) == len(groups[0]) == 1:
            return groups[0][0]
        space, operands = self.index.to_map([expr for group in groups for expr in group])
        exprs = iter(space.results)
        parts = [[next(exprs) for _ in group] for group in groups]
        return self.index.expr(self._emit(ApplyOp.of_groups(kind, parts, operands)))

    def _emit(self, op: Operation) -> SSAValue:
        op.location = self.loop.location
        self.emitted.append(op)
        return op.results[0]

    def _value(self, expr: AffineExpr) -> SSAValue:
        if isinstance(expr, AffineConstantExpr):
            return self._emit(arith.ConstantOp(IntegerAttr(expr.value, INDEX)))
        if isinstance(expr, AffineDimExpr):
            root = self.index.roots[expr.position]
            assert root is not None
            return root
        affine, operands = self.index.to_map([expr])
        return self._emit(ApplyOp(affine.results[0], operands))

    def _part(self, start: AffineExpr, end: AffineExpr, held: dict[IfOp, set[int]]) -> None:
        """Emit the iterations from ``start`` up to ``end``."""
        size = self.index.simplify(end - start)
        count = size.value if isinstance(size, AffineConstantExpr) else None
        if count is not None and count <= 0:
            return
        loop = self.loop
        if count == 1 and not self.options.no_unroll_loop_with_extent_one:
            self.bodies += self._body(self._value(start), held)
            return
        annotations = loop.annotations.data if loop.annotations is not None else None
        extent = count if count is not None else self._value(size)
        # The body is built in a list of its own, and then moved into the loop.
        outside, self.emitted = self.emitted, []
        new_loop = ForOp(loop.label, extent, None, loop.kind.data, annotations)
        new_loop.location = loop.location
        if start == AffineExpr.constant(0):
            at: SSAValue = new_loop.var
        else:
            affine, operands = self.index.to_map([start])
            expr = AffineExpr.dimension(len(operands)) + affine.results[0]
            at = self._emit(ApplyOp(expr, [*operands, new_loop.var]))
        self._body(at, held)
        new_loop.body.block.add_ops(self.emitted)
        self.emitted = [*outside, new_loop]
        self.loops.append(new_loop)

    def _body(self, at: SSAValue, held: dict[IfOp, set[int]]) -> list[Operation]:
        values: dict[SSAValue, SSAValue] = {self.loop.var: at}
        copies: list[Operation] = []
        for op in self.loop.body.block.ops:
            copies.append(copy_operation(op, values))
        block = Block(copies)
        olds = [inner for op in self.loop.body.block.ops for inner in op.walk()]
        news = [inner for op in copies for inner in op.walk()]
        for old, new in zip(olds, news, strict=True):
            if isinstance(old, IfOp) and isinstance(new, IfOp) and old in held:
                _without(new, held[old])
        left = list(block.ops)
        for op in left:
            op.detach()
        self.emitted += left
        return left


def _remove_dead(function: Operation) -> None:
    """Remove the branches whose conditions never hold in a part, and loops without effects."""
    index = IndexValues()
    for op in reversed(list(preorder(function))):
        if isinstance(op, IfOp):
            if index.conditions(op.condition.data, op.operands_of_set) is None:
                _replace(op, op.orelse.block if op.orelse.blocks else None)
        elif isinstance(op, ForOp):
            if all(isinstance(child, ApplyOp | arith.ConstantOp) for child in op.body.block.ops):
                _replace(op, None)


def _replace(op: Operation, by: Block | None) -> None:
    """Replace ``op`` by the content of a block; remove ``op`` if there is no block."""
    block = op.parent
    assert block is not None
    for inner in list(by.ops) if by is not None else ():
        inner.detach()
        block.insert_op_before(inner, op)
    op.detach()
    op.erase()


def _without(op: IfOp, held: set[int]) -> None:
    """Drop the conditions that hold. If no condition is left, the body replaces the branch."""
    space = op.condition.data
    remaining: list[AffineConstraintExpr] = [
        constraint for n, constraint in enumerate(space.constraints) if n not in held
    ]
    if remaining:
        op.condition = AffineSetAttr(AffineSet(space.num_dims, 0, tuple(remaining)))
        return
    _replace(op, op.then.block)
