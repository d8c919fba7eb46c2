"""The arith dialect: one operation for most, exact expansions for the rest.

As in MLIR, a division by zero and the overflow of a signed division are undefined; so are they
for ``floordivsi`` and ``ceildivsi``, which are expanded without any other undefined case.
"""

from __future__ import annotations

from functools import lru_cache

from xdsl.dialects.arith import FastMathFlagsAttr, IntegerOverflowAttr
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    VectorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation

from kc.conversion.convert_to_llvm.function import FunctionLowering, Handler
from kc.conversion.convert_to_llvm.types import convert_type, unsupported_type
from kc.conversion.convert_to_llvm.values import Constant, Origin
from kc.dialects import llvm
from kc.dialects.llvm import element_type, same_shape

Properties = dict[str, Attribute]

PREDICATES = {
    name: IntegerAttr(i, i64)
    for i, name in enumerate(("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"))
}


@lru_cache(maxsize=64)
def _llvm_flags(flags: FastMathFlagsAttr) -> llvm.FastMathAttr:
    return llvm.FastMathAttr(flags.data)


def fast_math(op: Operation) -> Properties:
    """The fast-math flags of ``op`` as the property of its llvm counterpart."""
    # xDSL's constructor of arith.negf puts them among the attributes.
    flags = op.properties.get("fastmath") or op.attributes.get("fastmath")
    if isinstance(flags, FastMathFlagsAttr) and flags.data:
        return {"fastmathFlags": _llvm_flags(flags)}
    return {}


def _overflow(op: Operation) -> Properties:
    flags = op.properties.get("overflowFlags")
    if isinstance(flags, IntegerOverflowAttr) and flags.data:
        names = {str(flag.value) for flag in flags.data}
        return {"overflowFlags": IntegerAttr(("nsw" in names) + 2 * ("nuw" in names), i32)}
    return {}


def _no_properties(op: Operation) -> Properties:
    return {}


def compare(s: FunctionLowering, predicate: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """``llvm.icmp``; lane by lane for vectors."""
    ty = same_shape(lhs.type, IntegerType(1))
    return s.emit(llvm.ICmpOp, [lhs, rhs], ty, {"predicate": PREDICATES[predicate]})


def _elementwise(op_type: type[IRDLOperation], properties=_no_properties) -> Handler:
    """The handler of an operation that has a direct counterpart."""

    def lower(s: FunctionLowering, op: Operation) -> None:
        s.replace(op, op_type, [s.value(operand) for operand in op.operands], properties(op))

    return lower


def _lower_constant(s: FunctionLowering, op: Operation) -> None:
    value, old = op.properties["value"], op.results[0]
    ty = convert_type(old.type)
    if isinstance(value, IntegerAttr) and isinstance(value.type, IndexType):
        value = IntegerAttr(value.value, i64)
    elif isinstance(value, DenseIntOrFPElementsAttr) and isinstance(
        element_type(value.type), IndexType
    ):
        assert isinstance(ty, VectorType)
        value = DenseIntOrFPElementsAttr(ty, value.data)
    s.define(old, Constant(value, ty))


def _binary(s: FunctionLowering, op: Operation) -> tuple[SSAValue, SSAValue, Attribute]:
    lhs, rhs = (s.value(operand) for operand in op.operands)
    return lhs, rhs, lhs.type


def _lower_floordivsi(s: FunctionLowering, op: Operation) -> None:
    """``a floordiv b`` = a / b, less one where the division is inexact and the signs differ."""
    divisor = s.index(op.operands[1])
    if isinstance(divisor, int) and divisor > 0 and divisor & (divisor - 1) == 0:
        # Exact for every dividend, and one instruction.
        lhs = s.value(op.operands[0])
        shift = s.int_constant(divisor.bit_length() - 1, lhs.type)
        s.replace(op, llvm.AShrOp, [lhs, shift])
        return
    lhs, rhs, ty = _binary(s, op)
    quotient, inexact = _divide(s, lhs, rhs)
    zero = s.int_constant(0, ty)
    signs_differ = compare(s, "slt", s.emit(llvm.XOrOp, [lhs, rhs], ty), zero)
    adjust = s.emit(llvm.AndOp, [inexact, signs_differ], signs_differ.type)
    s.replace(op, llvm.AddOp, [quotient, s.emit(llvm.SExtOp, [adjust], ty)])


def _lower_ceildivsi(s: FunctionLowering, op: Operation) -> None:
    """``a ceildiv b`` = a / b, plus one where the division is inexact and the signs agree."""
    lhs, rhs, ty = _binary(s, op)
    quotient, inexact = _divide(s, lhs, rhs)
    signs_agree = compare(s, "sge", s.emit(llvm.XOrOp, [lhs, rhs], ty), s.int_constant(0, ty))
    adjust = s.emit(llvm.AndOp, [inexact, signs_agree], signs_agree.type)
    s.replace(op, llvm.AddOp, [quotient, s.emit(llvm.ZExtOp, [adjust], ty)])


def _divide(s: FunctionLowering, lhs: SSAValue, rhs: SSAValue) -> tuple[SSAValue, SSAValue]:
    """The quotient rounded towards zero, and whether there is a remainder."""
    quotient = s.emit(llvm.SDivOp, [lhs, rhs], lhs.type)
    product = s.emit(llvm.MulOp, [quotient, rhs], lhs.type)
    return quotient, compare(s, "ne", product, lhs)


def _lower_ceildivui(s: FunctionLowering, op: Operation) -> None:
    """``a ceildiv b`` = 0 for a = 0, else (a - 1) / b + 1, which cannot overflow."""
    lhs, rhs, ty = _binary(s, op)
    one, zero = s.int_constant(1, ty), s.int_constant(0, ty)
    less = s.emit(llvm.SubOp, [lhs, one], ty)
    more = s.emit(llvm.AddOp, [s.emit(llvm.UDivOp, [less, rhs], ty), one], ty)
    s.replace(op, llvm.SelectOp, [compare(s, "eq", lhs, zero), zero, more])


def _lower_addui_extended(s: FunctionLowering, op: Operation) -> None:
    lhs, rhs, ty = _binary(s, op)
    total = s.emit(llvm.AddOp, [lhs, rhs], ty)
    s.define(op.results[0], total)
    s.define(op.results[1], compare(s, "ult", total, lhs))


def _mul_extended(extend: type[IRDLOperation]) -> Handler:
    """The two halves of a product, by way of integers of twice the width."""

    def lower(s: FunctionLowering, op: Operation) -> None:
        lhs, rhs, ty = _binary(s, op)
        narrow = element_type(ty)
        assert isinstance(narrow, IntegerType)
        width = narrow.width.data
        wide = same_shape(ty, IntegerType(2 * width))
        operands = [s.emit(extend, [operand], wide) for operand in (lhs, rhs)]
        product = s.emit(llvm.MulOp, operands, wide)
        high = s.emit(llvm.LShrOp, [product, s.int_constant(width, wide)], wide)
        s.define(op.results[0], s.emit(llvm.TruncOp, [product], ty))
        s.define(op.results[1], s.emit(llvm.TruncOp, [high], ty))

    return lower


def _lower_cmp(op_type: type[IRDLOperation]) -> Handler:
    def lower(s: FunctionLowering, op: Operation) -> None:
        # arith and llvm number their predicates alike.
        lhs, rhs = (s.value(operand) for operand in op.operands)
        ty = same_shape(lhs.type, IntegerType(1))
        properties = {"predicate": op.properties["predicate"], **fast_math(op)}
        s.define(op.results[0], s.emit(op_type, [lhs, rhs], ty, properties))

    return lower


def _lower_select(s: FunctionLowering, op: Operation) -> None:
    condition, then, otherwise = op.operands
    (result,) = op.results
    if not isinstance(result.type, MemRefType):
        operands = [s.value(operand) for operand in op.operands]
        s.replace(op, llvm.SelectOp, operands)
        return
    origin = Origin(merged=True)
    pairs = zip(s.flatten(then, origin), s.flatten(otherwise, origin), strict=True)
    chosen = [
        s.emit(llvm.SelectOp, [s.value(condition), one, other], one.type) for one, other in pairs
    ]
    s.define_memref(result, chosen, origin)


def _lower_index_cast(s: FunctionLowering, op: Operation) -> None:
    """A cast between index and a signed integer: i64 is widened to, or narrowed from."""
    value, (result,) = s.value(op.operands[0]), op.results
    ty = convert_type(result.type)
    source, target = element_type(value.type), element_type(ty)
    assert isinstance(source, IntegerType)
    assert isinstance(target, IntegerType)
    if source == target:
        s.define(result, value)
    else:
        narrow = target.width.data < source.width.data
        s.define(result, s.emit(llvm.TruncOp if narrow else llvm.SExtOp, [value], ty))


def _lower_bitcast(s: FunctionLowering, op: Operation) -> None:
    source, result = op.operands[0], op.results[0]
    if isinstance(source.type, MemRefType):
        raise unsupported_type(source.type, "arith.bitcast is lowered for scalars and vectors")
    value = s.value(source)
    if value.type == convert_type(result.type):
        s.define(result, value)
    else:
        s.replace(op, llvm.BitcastOp, [value])


HANDLERS: dict[str, Handler] = {
    "arith.constant": _lower_constant,
    "arith.addi": _elementwise(llvm.AddOp, _overflow),
    "arith.subi": _elementwise(llvm.SubOp, _overflow),
    "arith.muli": _elementwise(llvm.MulOp, _overflow),
    "arith.shli": _elementwise(llvm.ShlOp, _overflow),
    "arith.divsi": _elementwise(llvm.SDivOp),
    "arith.divui": _elementwise(llvm.UDivOp),
    "arith.remsi": _elementwise(llvm.SRemOp),
    "arith.remui": _elementwise(llvm.URemOp),
    "arith.floordivsi": _lower_floordivsi,
    "arith.ceildivsi": _lower_ceildivsi,
    "arith.ceildivui": _lower_ceildivui,
    "arith.addui_extended": _lower_addui_extended,
    "arith.mului_extended": _mul_extended(llvm.ZExtOp),
    "arith.mulsi_extended": _mul_extended(llvm.SExtOp),
    "arith.andi": _elementwise(llvm.AndOp),
    "arith.ori": _elementwise(llvm.OrOp),
    "arith.xori": _elementwise(llvm.XOrOp),
    "arith.shrsi": _elementwise(llvm.AShrOp),
    "arith.shrui": _elementwise(llvm.LShrOp),
    "arith.minsi": _elementwise(llvm.SMinOp),
    "arith.maxsi": _elementwise(llvm.SMaxOp),
    "arith.minui": _elementwise(llvm.UMinOp),
    "arith.maxui": _elementwise(llvm.UMaxOp),
    "arith.addf": _elementwise(llvm.FAddOp, fast_math),
    "arith.subf": _elementwise(llvm.FSubOp, fast_math),
    "arith.mulf": _elementwise(llvm.FMulOp, fast_math),
    "arith.divf": _elementwise(llvm.FDivOp, fast_math),
    "arith.remf": _elementwise(llvm.FRemOp, fast_math),
    "arith.negf": _elementwise(llvm.FNegOp, fast_math),
    "arith.maximumf": _elementwise(llvm.MaximumOp, fast_math),
    "arith.minimumf": _elementwise(llvm.MinimumOp, fast_math),
    "arith.maxnumf": _elementwise(llvm.MaxNumOp, fast_math),
    "arith.minnumf": _elementwise(llvm.MinNumOp, fast_math),
    "arith.cmpi": _lower_cmp(llvm.ICmpOp),
    "arith.cmpf": _lower_cmp(llvm.FCmpOp),
    "arith.select": _lower_select,
    "arith.index_cast": _lower_index_cast,
    "arith.bitcast": _lower_bitcast,
    "arith.extsi": _elementwise(llvm.SExtOp),
    "arith.extui": _elementwise(llvm.ZExtOp),
    "arith.trunci": _elementwise(llvm.TruncOp),
    "arith.extf": _elementwise(llvm.FPExtOp),
    "arith.truncf": _elementwise(llvm.FPTruncOp),
    "arith.sitofp": _elementwise(llvm.SIToFPOp),
    "arith.uitofp": _elementwise(llvm.UIToFPOp),
    "arith.fptosi": _elementwise(llvm.FPToSIOp),
    "arith.fptoui": _elementwise(llvm.FPToUIOp),
}
