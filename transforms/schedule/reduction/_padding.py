"""Padding: reads of elements that do not exist, and their effect on results."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineMap

from kc.dialects.arith import CmpiOp
from kc.dialects.tir import INDEX, LoadOp

_MAY_FAIL = (
    *(arith.DivSIOp, arith.DivUIOp, arith.RemSIOp, arith.RemUIOp),
    *(arith.CeilDivSIOp, arith.CeilDivUIOp, arith.FloorDivSIOp),
)
"""Operations that fail for some operands. Other arithmetic always has a result, which may be
unused.
"""

_KEEP_ZERO = (
    *(arith.ExtFOp, arith.TruncFOp, arith.ExtSIOp, arith.ExtUIOp, arith.TruncIOp),
    *(arith.SIToFPOp, arith.UIToFPOp, arith.FPToSIOp, arith.FPToUIOp, arith.NegfOp),
    *(arith.AddfOp, arith.SubfOp, arith.AddiOp, arith.SubiOp, arith.MulfOp, arith.MuliOp),
    *(arith.MaximumfOp, arith.MinimumfOp, arith.MaxnumfOp, arith.MinnumfOp),
    *(arith.MaxSIOp, arith.MinSIOp, arith.MaxUIOp, arith.MinUIOp, arith.AndIOp, arith.OrIOp),
    arith.XOrIOp,
)
"""Operations whose result is zero if all operands are zero."""


def zero_of(element: Attribute) -> IntegerAttr | FloatAttr:
    """The zero constant of an element type."""
    if isinstance(element, AnyFloat):
        return FloatAttr(0.0, element)
    assert isinstance(element, IntegerType | IndexType)
    return IntegerAttr(0, element)


def may_fail(block: Block) -> tuple[Operation, str] | None:
    """An operation that may fail for some operands, with the reason; None if no operation may."""
    for op in block.walk():
        if isinstance(op, _MAY_FAIL) and _constant(op.operands[1]) in (None, 0, -1):
            return op, "a divisor in the padding is 0"
        if _may_be_undefined(op):
            return op, "its result may be undefined for elements of the padding"
    return None


def _may_be_undefined(op: Operation) -> bool:
    """True if the result of ``op`` is undefined for some operands.

    A loaded operand is an element, to which the operation is applied anyway, or 0.
    """
    if isinstance(op, arith.ShLIOp | arith.ShRSIOp | arith.ShRUIOp):
        amount, type_ = op.operands[1], op.results[0].type
        width = type_.width.data if isinstance(type_, IntegerType) else 64
        constant = _constant(amount)
        if not isinstance(amount.owner, LoadOp) and not (
            constant is not None and 0 <= constant < width
        ):
            return True
    if isinstance(op, arith.FPToSIOp | arith.FPToUIOp):
        return not isinstance(op.operands[0].owner, LoadOp)
    flags = getattr(op, "overflow_flags", None)
    return isinstance(flags, arith.IntegerOverflowAttr) and bool(flags.data)


def is_zero(value: SSAValue, zeros: Collection[LoadOp]) -> bool:
    """True if ``value`` is zero whenever ``zeros`` are, for any values of other loads.

    Zero times an unknown float is not zero, since the float may be infinite.
    """
    owner = value.owner
    if isinstance(owner, Block):
        return False
    if isinstance(owner, LoadOp):
        return owner in zeros
    if isinstance(owner, arith.ConstantOp):
        return _constant(value) == 0
    if isinstance(owner, arith.SelectOp):
        return all(is_zero(operand, zeros) for operand in owner.operands[1:])
    if isinstance(owner, arith.MuliOp | arith.AndIOp):
        return any(is_zero(operand, zeros) for operand in owner.operands)
    if isinstance(owner, arith.MulfOp):
        lhs, rhs = owner.operands
        return (is_zero(lhs, zeros) and (is_zero(rhs, zeros) or _is_finite(rhs))) or (
            is_zero(rhs, zeros) and _is_finite(lhs)
        )
    return isinstance(owner, _KEEP_ZERO) and all(
        is_zero(operand, zeros) for operand in owner.operands
    )


def _constant(value: SSAValue) -> float | None:
    owner = value.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr | FloatAttr):
        return owner.value.value.data
    return None


def _is_finite(value: SSAValue) -> bool:
    constant = _constant(value)
    return constant is not None and math.isfinite(constant)


def load_or_zero(
    buffer: SSAValue,
    indices: AffineMap,
    operands: Sequence[SSAValue],
    limits: Sequence[tuple[int | SSAValue, int | SSAValue]],
) -> tuple[list[Operation], SSAValue]:
    """Operations that load an element if each index of ``limits`` is below its bound, and yield
    zero otherwise.
    """
    ops: list[Operation] = []
    condition: SSAValue | None = None

    def as_value(value: int | SSAValue) -> SSAValue:
        if isinstance(value, SSAValue):
            return value
        constant = arith.ConstantOp(IntegerAttr(value, INDEX))
        ops.append(constant)
        return constant.result

    for index, bound in limits:
        below = CmpiOp(as_value(index), as_value(bound), "slt")
        ops.append(below)
        if condition is None:
            condition = below.result
        else:
            both = arith.AndIOp(condition, below.result)
            ops.append(both)
            condition = both.result
    load = LoadOp(buffer, indices, operands)
    load.result.name_hint = "value"
    if condition is None:
        return [*ops, load], load.result
    zero = arith.ConstantOp(zero_of(load.result.type))
    choice = scf.IfOp(
        condition,
        [load.result.type],
        [load, scf.YieldOp(load.result)],
        [zero, scf.YieldOp(zero.result)],
    )
    return [*ops, choice], choice.results[0]
