"""Copies of a part of a loop's body for an iteration that is an expression."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineSet
from xdsl.rewriter import InsertPoint

from kc.dialects.affine_assembly import at_least_zero
from kc.dialects.tir import INDEX, IfOp
from kc.transforms.affine_rewrite import compact, replace_with_expr


def iteration_of(
    ops: Sequence[Operation],
    variable: SSAValue,
    iteration: AffineExpr,
    operands: Sequence[SSAValue],
) -> list[Operation]:
    """Copies of ``ops`` in which the index ``variable`` is replaced by ``iteration``, an expression
    over ``operands``. The copies are not in a block.
    """
    copied = Block(arg_types=[INDEX])
    values: dict[SSAValue, SSAValue] = {variable: copied.args[0]}
    for op in ops:
        copy = op.clone(values)
        for before, after in zip(op.walk(), copy.walk(), strict=True):
            after.location = before.location
        copied.add_op(copy)
    used = operands if iteration.used_dims() else []
    replace_with_expr(copied.args[0], iteration, used, InsertPoint.at_start(copied))
    copied.erase_arg(copied.args[0])
    copies = list(copied.ops)
    for copy in copies:
        copy.detach()
    return copies


def guarded(rest: AffineExpr, operands: Sequence[SSAValue], ops: Sequence[Operation]) -> IfOp:
    """``ops`` under the guard that ``rest``, an expression over ``operands``, is at least 0."""
    space, used = compact(AffineSet(len(operands), 0, (at_least_zero(rest),)), operands)
    guard = IfOp(space, used, Region(Block(ops)))
    guard.location = ops[-1].location
    return guard
