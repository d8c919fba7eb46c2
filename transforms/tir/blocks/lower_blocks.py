"""lower-blocks: blocks dissolve into their bodies.

Before::

    tir.for %j_o in 4 {
      tir.for %j_i in 32 {
        tir.block "C" (spatial %v_j in 100 = %j_o * 32 + %j_i) where (%j_o * 32 + %j_i < 100) do {
          tir.store %x, %C[%v_j] : memref<100xf32>
        }
      }
    }

After::

    tir.for %j_o in 4 {
      tir.for %j_i in 32 {
        tir.if (%j_o * 32 + %j_i < 100) {
          tir.store %x, %C[%j_o * 32 + %j_i] : memref<100xf32>
        }
      }
    }

Block variables are replaced by their bindings: affine maps and sets absorb them, other uses share a
``tir.apply``. A predicate becomes a ``tir.if``, unless the loop extents prove that it always holds
(then it is removed) or never does (then the block is removed); existing ``tir.if`` are simplified
likewise. Loops without iterations are removed. Loops of one iteration become their bodies, unless
they are threads, have annotations, or fill a buffer twice (``inject-double-buffer``). Each
``tir.combine`` becomes the ops of its combiner.

Requires: no block has an init region (``lower-init-block``).
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import AffineMapAttr, AffineSetAttr, IntegerAttr, ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr
from xdsl.passes import ModulePass

from kc.analysis.affine.index_reader import AFFINE_OPS
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.loop_tree import functions
from kc.dialects.affine_assembly import ZERO
from kc.dialects.tir import (
    INDEX,
    ApplyOp,
    BlockOp,
    CombineOp,
    ForKind,
    ForOp,
    IfOp,
    LoadOp,
    PrefetchOp,
    StoreOp,
)
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of
from kc.transforms.tir.blocks._inline_combine import inline_combine
from kc.transforms.tir.pipeline.inject_double_buffer import MARK as DOUBLE_BUFFER


@dataclass(frozen=True)
class LowerBlocksPass(ModulePass):
    """Replace blocks by their bodies, and block variables by their bindings."""

    name = "lower-blocks"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in functions(op):
            _Lowering().run(function)


class _Lowering:
    """The lowering of one function: a walk in program order that edits in place.

    Affine uses of a block variable are rewritten when the walk reaches them. Until then the
    variable is an argument of the old block, which is detached from the function.
    """

    def __init__(self) -> None:
        self.index = IndexValues()
        self.index_ops: list[Operation] = []

    def run(self, root: Operation) -> None:
        # Each entry is the op at which the walk of a block goes on.
        work = _first_ops(root)
        while work:
            op = work.pop()
            if op is None:
                continue
            # The types are compared as such: isinstance is slow for types that do not match.
            if type(op) is BlockOp:
                work += self._block(op)
            elif type(op) is IfOp:
                work += self._if(op)
            elif type(op) is CombineOp:
                work.append(inline_combine(op))
            elif type(op) is ForOp and op.static_extent == 0:
                work.append(op.next_op)
                op.detach()
                op.erase(safe_erase=False)
            elif type(op) is ForOp and _is_unit(op):
                work.append(self._unit_loop(op))
            else:
                work.append(op.next_op)
                if type(op) is LoadOp or type(op) is StoreOp or type(op) is PrefetchOp:
                    self._access(op)
                elif type(op) is ApplyOp:
                    self._apply(op)
                work += _first_ops(op)
                if type(op) in AFFINE_OPS:
                    self.index_ops.append(op)
        for op in reversed(self.index_ops):
            unused = all(result.first_use is None for result in op.results)
            if unused and all(result.type == INDEX for result in op.results):
                op.detach()
                op.erase()

    def _block(self, op: BlockOp) -> list[Operation | None]:
        if op.has_init:
            raise CodegenError(
                "KC4203",
                f"lower-blocks: block {op.label} has an init region",
                location=location_of(op),
                why="only some instances of the block run its init, and this pass does not select "
                "them",
                hints=["run lower-init-block first"],
            )
        following = op.next_op
        conditions = self.index.conditions(op.predicate.data, op.predicate_operands)
        if conditions is None:
            op.detach()
            op.erase(safe_erase=False)
            return [following]
        body = op.body.block
        for arg, expr in zip(body.args, op.binding_exprs, strict=True):
            composed = self.index.compose(expr, op.binding_operands)
            self.index.define(arg, composed)
            self._replace_plain_uses(arg, composed, body)
        ops = list(body.ops)
        for inner in ops:
            inner.detach()
        if conditions:
            affine_set, operands = self.index.to_set(conditions)
            guard = IfOp(affine_set, operands, Region(Block(ops)))
            guard.location = op.location
            _insert_before([guard], op)
        else:
            _insert_before(ops, op)
        op.detach()
        op.erase()
        return [following] if not ops else [following, ops[0]] if conditions else [ops[0]]

    def _unit_loop(self, op: ForOp) -> Operation | None:
        body = op.body.block
        self.index.define(op.var, ZERO)
        self._replace_plain_uses(op.var, ZERO, body)
        ops = list(body.ops)
        for inner in ops:
            inner.detach()
        _insert_before(ops, op)
        following = op.next_op
        op.detach()
        op.erase()
        return ops[0] if ops else following

    def _if(self, op: IfOp) -> list[Operation | None]:
        following = op.next_op
        conditions = self.index.conditions(op.condition.data, op.operands_of_set)
        if conditions:
            affine_set, op.operands = self.index.to_set(conditions)
            op.condition = AffineSetAttr(affine_set)
            return [following, *_first_ops(op)]
        taken = op.orelse if conditions is None else op.then
        ops = [inner for block in taken.blocks for inner in block.ops]
        for inner in ops:
            inner.detach()
        _insert_before(ops, op)
        op.detach()
        op.erase(safe_erase=False)
        return [ops[0] if ops else following]

    def _access(self, op: LoadOp | StoreOp | PrefetchOp) -> None:
        exprs = [self.index.compose(expr, op.operands_of_map) for expr in op.indices.data.results]
        affine_map, operands = self.index.to_map(exprs)
        fixed = len(op.operands) - len(op.operands_of_map)
        op.operands = [*op.operands[:fixed], *operands]
        op.indices = AffineMapAttr(affine_map)

    def _apply(self, op: ApplyOp) -> None:
        exprs = [self.index.compose(expr, op.operands_of_map) for expr in op.map.data.results]
        affine_map, op.operands = self.index.to_map(exprs)
        op.map = AffineMapAttr(affine_map)

    def _replace_plain_uses(self, arg: SSAValue, expr: AffineExpr, body: Block) -> None:
        """Replace the uses of ``arg`` that are not affine by a value that computes ``expr``."""
        uses = [use for use in arg.uses if not _is_affine_use(use.operation, use.index)]
        if not uses:
            return
        value: SSAValue | None = None
        if isinstance(expr, AffineDimExpr):
            value = self.index.roots[expr.position]
        if value is None:
            if isinstance(expr, AffineConstantExpr):
                computed: Operation = arith.ConstantOp(IntegerAttr(expr.value, INDEX))
            else:
                affine_map, operands = self.index.to_map([expr])
                computed = ApplyOp(affine_map.results[0], operands)
            computed.location = uses[0].operation.location
            value = computed.results[0]
            value.name_hint = arg.name_hint
            first = body.first_op
            assert first is not None, "a use of a block variable is in the block"
            body.insert_op_before(computed, first)
        for use in uses:
            use.operation.operands[use.index] = value


def _is_unit(loop: ForOp) -> bool:
    """True if a loop runs its body exactly once and no later pass needs the loop."""
    return (
        loop.static_extent == 1
        and loop.kind.data not in (ForKind.THREAD, ForKind.WHILE)
        and loop.annotations is None
        and not any(DOUBLE_BUFFER in op.attributes for op in loop.body.block.ops)
    )


def _is_affine_use(op: Operation, index: int) -> bool:
    """True if operand ``index`` of ``op`` is an operand of an affine map or set."""
    if isinstance(op, LoadOp | StoreOp | PrefetchOp):
        return index >= len(op.operands) - len(op.operands_of_map)
    if isinstance(op, BlockOp):
        return index >= len(op.dynamic_extents)
    return isinstance(op, ApplyOp | IfOp)


def _first_ops(op: Operation) -> list[Operation | None]:
    return [block.first_op for region in op.regions for block in region.blocks]


def _insert_before(ops: list[Operation], place: Operation) -> None:
    block = place.parent
    assert block is not None
    block.insert_ops_before(ops, place)
