"""Affine forms of conditions that ``arith`` computes, such as ``arith.cmpi slt, %i, %n``.

Integers computed from indices (``arith.index_cast %i : index to i32``) are followed as long as no
step of their computation can overflow.
"""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType
from xdsl.ir import SSAValue
from xdsl.ir.affine import (
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineExpr,
)

from kc.analysis.affine.index_values import IndexValues
from kc.dialects.affine_assembly import ZERO, at_least_zero

_OPPOSITE = {"eq": "ne", "ne": "eq", "slt": "sge", "sge": "slt", "sle": "sgt", "sgt": "sle"}


def conjunction(
    condition: SSAValue, index: IndexValues, *, holds: bool = True
) -> list[AffineConstraintExpr] | None:
    """The affine conditions, over the roots of ``index``, whose conjunction is equivalent to
    ``condition`` (an i1) having the value ``holds``.

    None if no such conjunction exists.
    """
    owner = condition.owner
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return [] if (owner.value.value.data != 0) is holds else [at_least_zero(ZERO - 1)]
    if isinstance(owner, arith.AndIOp if holds else arith.OrIOp):
        parts = [conjunction(operand, index, holds=holds) for operand in owner.operands]
        constraints = [constraint for part in parts if part is not None for constraint in part]
        return None if None in parts else constraints
    if isinstance(owner, arith.XOrIOp):
        for flipped, constant in (owner.operands, owner.operands[::-1]):
            if isinstance(constant.owner, arith.ConstantOp):
                flips = constant.owner.value != IntegerAttr(0, IntegerType(1))
                return conjunction(flipped, index, holds=holds is not flips)
        return None
    if not isinstance(owner, arith.CmpiOp):
        return None
    sign = arith.CMPI_COMPARISON_OPERATIONS[owner.predicate.value.data]
    if not holds:
        sign = _OPPOSITE.get(sign, sign)
        if sign.startswith("u"):
            return None
    return _comparison(sign, owner.lhs, owner.rhs, index)


def implied(
    condition: SSAValue, index: IndexValues, *, holds: bool = True
) -> list[AffineConstraintExpr]:
    """Affine conditions that follow from ``condition`` (an i1) having the value ``holds``: its
    :func:`conjunction`, or the conjunctions of its affine parts.
    """
    owner = condition.owner
    if isinstance(owner, arith.AndIOp if holds else arith.OrIOp):
        return [part for operand in owner.operands for part in implied(operand, index, holds=holds)]
    return conjunction(condition, index, holds=holds) or []


def _comparison(
    sign: str, lhs: SSAValue, rhs: SSAValue, index: IndexValues
) -> list[AffineConstraintExpr] | None:
    left, right = integer_value(lhs, index), integer_value(rhs, index)
    if left is None or right is None:
        return None
    if sign in ("sgt", "sge", "ugt", "uge"):
        sign, left, right = sign.replace("g", "l"), right, left
    difference = right - left
    match sign:
        case "eq":
            kind = AffineConstraintKind.eq
            return [AffineConstraintExpr(kind, index.simplify(difference), ZERO)]
        case "slt" | "sle":
            return [at_least_zero(index.simplify(difference - int(sign == "slt")))]
        case "ult" | "ule" if index.is_natural(right):
            # Read as unsigned, a negative number is very large, so this tests both bounds.
            upper = at_least_zero(index.simplify(difference - int(sign == "ult")))
            return [upper] if index.is_natural(left) else [at_least_zero(left), upper]
    return None


def integer_value(value: SSAValue, index: IndexValues) -> AffineExpr | None:
    """A scalar integer or index as an expression over the roots of ``index``; None if the value may
    not be affine.
    """
    if isinstance(value.type, IndexType):
        return index.expr(value)
    if not isinstance(value.type, IntegerType):
        return None
    expr = _computed(value, index)
    return expr if expr is not None and _fits(expr, value.type.width.data, index) else None


def _computed(value: SSAValue, index: IndexValues) -> AffineExpr | None:
    owner = value.owner
    if isinstance(owner, arith.ConstantOp):
        attr = owner.value
        return AffineExpr.constant(attr.value.data) if isinstance(attr, IntegerAttr) else None
    if isinstance(owner, arith.IndexCastOp | arith.ExtSIOp):
        return integer_value(owner.operands[0], index)
    if isinstance(owner, arith.AddiOp | arith.SubiOp | arith.MuliOp):
        lhs, rhs = (integer_value(operand, index) for operand in owner.operands)
        if lhs is None or rhs is None:
            return None
        if isinstance(owner, arith.AddiOp):
            return index.simplify(lhs + rhs)
        if isinstance(owner, arith.SubiOp):
            return index.simplify(lhs - rhs)
        if isinstance(lhs, AffineConstantExpr) or isinstance(rhs, AffineConstantExpr):
            return index.simplify(lhs * rhs)
    return None


def _fits(expr: AffineExpr, width: int, index: IndexValues) -> bool:
    """True if ``expr`` fits a signed integer of ``width`` bits. Indices, of 64 bits, never
    overflow.
    """
    if width == 64:
        return True
    low, high = index.bounds(expr)
    return (
        low is not None and high is not None and -(1 << width - 1) <= low and high < 1 << width - 1
    )
