"""Copies with padding: an element where a condition holds, else zero::

    %c = arith.cmpi slt, %i, %m : index
    %x = scf.if %c -> (f16) { %value = tir.load %A[%i] ... } else { ... 0 }
    tir.store %x, %S[%i]

:func:`copied_load` recognizes them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.ir import SSAValue

from kc.dialects.tir import ApplyOp, LoadOp


def copied_load(value: SSAValue) -> LoadOp | None:
    """The load that provides ``value``, unconditionally or under a condition with zero otherwise;
    None if ``value`` has another form.
    """
    op = value.owner
    if isinstance(op, LoadOp):
        return op
    if not isinstance(op, scf.IfOp) or len(op.results) != 1 or not op.false_region.blocks:
        return None
    then, otherwise = (region.block.last_op for region in op.regions)
    assert then is not None
    assert otherwise is not None
    if len(list(op.false_region.block.ops)) != 2 or not _is_zero(otherwise.operands[0]):
        return None
    load = then.operands[0].owner
    if not isinstance(load, LoadOp) or load.parent_op() is not op:
        return None
    indices = [inner for inner in op.true_region.block.ops if inner not in (load, then)]
    return load if all(isinstance(inner, ApplyOp) for inner in indices) else None


def conjuncts(condition: SSAValue) -> Iterator[SSAValue]:
    """The conjuncts of ``condition``."""
    op = condition.owner
    if isinstance(op, arith.AndIOp):
        yield from conjuncts(op.lhs)
        yield from conjuncts(op.rhs)
    else:
        yield condition


def _is_zero(value: SSAValue) -> bool:
    """True if all bits of a constant are zero."""
    op = value.owner
    if not isinstance(op, arith.ConstantOp):
        return False
    if isinstance(op.value, FloatAttr):
        number = op.value.value.data
        return number == 0 and math.copysign(1, number) > 0
    return isinstance(op.value, IntegerAttr) and op.value.value.data == 0
