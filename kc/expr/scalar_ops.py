"""Element types and scalar operations in the IR: ops of ``arith`` and ``math``."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    UnitAttr,
    VectorType,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.ir import Operation as IROperation

from kc.dialects import tir
from kc.dialects.arith import RemFOp
from kc.dialects.float_types import FLOAT_TYPES
from kc.dialects.tir.calls import NO_START, STARTS, TRACED, UNSIGNED
from kc.expr.constructors import BufferAccess, Expr, ExternCall
from kc.expr.dtypes import UINTS, bits, is_float, lanes, scalar


@lru_cache(maxsize=256)
def element_type(dtype: str) -> Attribute:
    """The IR type of values of ``dtype``."""
    if lanes(dtype) > 1:
        return VectorType(element_type(scalar(dtype)), [lanes(dtype)])
    return FLOAT_TYPES[dtype] if dtype in FLOAT_TYPES else IntegerType(bits(dtype))


def constant_attr(value: Any, dtype: str) -> Any:
    """A constant of ``dtype`` as an attribute; of a vector, in all lanes."""
    if lanes(dtype) > 1:
        lane = constant_attr(value, scalar(dtype)).value.data
        return DenseIntOrFPElementsAttr.from_list(element_type(dtype), [lane])  # pyright: ignore
    if is_float(dtype):
        return FloatAttr(float(value), element_type(dtype))  # pyright: ignore
    if dtype == "bool":
        return IntegerAttr.from_bool(bool(value))
    number = int(value)
    if dtype in UINTS and number >= 1 << (bits(dtype) - 1):
        number -= 1 << bits(dtype)
    return IntegerAttr(number, element_type(dtype))  # pyright: ignore


FLOAT_OPS = {
    "add": arith.AddfOp,
    "sub": arith.SubfOp,
    "mul": arith.MulfOp,
    "div": arith.DivfOp,
    "min": arith.MinimumfOp,
    "max": arith.MaximumfOp,
}
SIGNED_OPS = {
    "add": arith.AddiOp,
    "sub": arith.SubiOp,
    "mul": arith.MuliOp,
    "min": arith.MinSIOp,
    "max": arith.MaxSIOp,
    "and": arith.AndIOp,
    "or": arith.OrIOp,
    "xor": arith.XOrIOp,
}
UNSIGNED_OPS = {**SIGNED_OPS, "min": arith.MinUIOp, "max": arith.MaxUIOp}


def call_op(
    expr: ExternCall, values: Mapping[Expr, SSAValue], buffers: Mapping[Any, SSAValue]
) -> IROperation:
    """The op of a call, whose scalar arguments have ``values``."""
    results = [] if expr.dtype == "void" else [element_type(expr.dtype)]
    if expr.kind == "llvm":
        from kc.dialects.llvm.call import CallIntrinsicOp  # takes long, and is seldom needed

        operands = [values[arg] for arg in expr.args if isinstance(arg, Expr)]
        return CallIntrinsicOp(expr.name, operands, results)
    arguments: list[SSAValue | str] = []
    modes: list[str | None] = []
    unsigned: list[int] = []
    starts: list[int] = []
    for arg in expr.args:
        modes.append(arg.mode if isinstance(arg, BufferAccess) else None)
        if isinstance(arg, str):
            arguments.append(arg)
            continue
        source = arg.buffer if isinstance(arg, BufferAccess) else arg
        if source.dtype in UINTS:
            unsigned.append(sum(isinstance(before, SSAValue) for before in arguments))
        position = len(starts)
        arguments.append(values[arg] if isinstance(arg, Expr) else buffers[source])
        starts.append(NO_START)
        for start in arg.starts if isinstance(arg, BufferAccess) else ():
            arguments.append(values[start])
            modes.append(None)
            starts.append(position)
    if expr.dtype in UINTS:
        unsigned.append(sum(isinstance(before, SSAValue) for before in arguments))
    packed = expr.kind in ("packed", "trace")
    call = tir.CallExternOp(expr.name, arguments, modes, results, packed=packed, pure=expr.pure)
    if expr.kind == "trace":
        call.attributes[TRACED] = UnitAttr()
    if any(position != NO_START for position in starts):
        call.attributes[STARTS] = DenseArrayBase.from_list(i64, starts)
    if unsigned:
        call.attributes[UNSIGNED] = DenseArrayBase.from_list(i64, unsigned)
    return call


INTRINSICS = {
    "exp": math.ExpOp,
    "exp2": math.Exp2Op,
    "expm1": math.ExpM1Op,
    "log": math.LogOp,
    "log2": math.Log2Op,
    "log10": math.Log10Op,
    "log1p": math.Log1pOp,
    "sqrt": math.SqrtOp,
    "rsqrt": math.RsqrtOp,
    "sin": math.SinOp,
    "cos": math.CosOp,
    "tan": math.TanOp,
    "tanh": math.TanhOp,
    "erf": math.ErfOp,
    "floor": math.FloorOp,
    "ceil": math.CeilOp,
    "trunc": math.TruncOp,
    "round": math.RoundEvenOp,
    "abs": math.AbsFOp,
    "acos": math.AcosOp,
    "acosh": math.AcoshOp,
    "asin": math.AsinOp,
    "asinh": math.AsinhOp,
    "atan": math.AtanOp,
    "atanh": math.AtanhOp,
    "cosh": math.CoshOp,
    "sinh": math.SinhOp,
    "nearbyint": math.RoundEvenOp,
    "popcount": math.CtPopOp,
    "clz": math.CountLeadingZerosOp,
}
"""Elementwise intrinsics, by TVM's name; ``round`` rounds half to even, as numpy."""
BINARY_INTRINSICS = {
    "atan2": math.Atan2Op,
    "copysign": math.CopySignOp,
    "fmod": RemFOp,
    "power": math.PowFOp,
}
