"""math-to-arith: convert tests of floats to comparisons, and ``math.sincos`` to a sine and a
cosine.

Before::

    %f = math.isfinite %a : f32
    %s, %c = math.sincos %a : f32

After::

    %0 = math.absf %a : f32
    %f = arith.cmpf olt, %0, %infinity : f32
    %s = math.sin %a : f32
    %c = math.cos %a : f32

Builds and schedules run this pass implicitly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    AnyFloat,
    ContainerType,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    ModuleOp,
    TensorType,
    VectorType,
)
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from kc.dialects.arith import ARITH
from kc.dialects.float_types import float_dtype
from kc.dialects.math import IsFiniteOp, IsInfOp, IsNaNOp, IsNormalOp, SincosOp

_CMPF: Any = next(op for op in ARITH.operations if op.name == "arith.cmpf")
_ANDI: Any = next(op for op in ARITH.operations if op.name == "arith.andi")
_LEAST_EXPONENT = {"float16": -14, "bfloat16": -126, "float32": -126, "float64": -1022}
"""The least exponent of normal numbers."""


@dataclass(frozen=True)
class MathToArithPass(ModulePass):
    """Turn math.isnan and the like into ops of arith, and math.sincos into two ops."""

    name = "math-to-arith"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        PatternRewriteWalker(MathOpToArith(), apply_recursively=False).rewrite_module(op)


class MathOpToArith(RewritePattern):
    """``math.isnan`` becomes ``arith.cmpf``, and so on. Ops on 8-bit floats stay."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: IsNaNOp | IsInfOp | IsFiniteOp | IsNormalOp | SincosOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        value = op.operand
        if isinstance(op, SincosOp):
            _replace(op, [math.SinOp(value), math.CosOp(value)], 2, rewriter)
            return
        element = value.type
        if isinstance(element, ContainerType):
            element = element.get_element_type()
        dtype = float_dtype(element)
        if dtype not in _LEAST_EXPONENT:
            return
        if isinstance(op, IsNaNOp):
            _replace(op, [_CMPF(value, value, "uno")], 1, rewriter)
            return
        size = math.AbsFOp(value)
        infinity = _constant(float("inf"), value)
        predicate = "oeq" if isinstance(op, IsInfOp) else "olt"
        finite = _CMPF(size.result, infinity.result, predicate)
        new: list[Operation] = [size, infinity, finite]
        if isinstance(op, IsNormalOp):
            least = _constant(2.0 ** _LEAST_EXPONENT[dtype], value)
            large = _CMPF(size.result, least.result, "oge")
            new += [
                least,
                large,
                _ANDI.create(operands=[finite.result, large.result], result_types=[op.result.type]),
            ]
        _replace(op, new, 1, rewriter)


def _constant(number: float, like: SSAValue) -> arith.ConstantOp:
    """A constant of the type of a value, with equal elements."""
    type_ = like.type
    if isinstance(type_, TensorType | VectorType):
        elements: Any = DenseIntOrFPElementsAttr.from_list
        return arith.ConstantOp(elements(type_, [number]))
    return arith.ConstantOp(FloatAttr(number, cast(AnyFloat, type_)))


def _replace(op: Operation, new: list[Operation], results: int, rewriter: PatternRewriter) -> None:
    """Replace ``op`` by ``new``, of which the last ops define its ``results``."""
    for part in new:
        part.location = op.location
    values = [part.results[0] for part in new[-results:]]
    for value, result in zip(values, op.results, strict=True):
        value.name_hint = result.name_hint
    rewriter.replace(op, new, values)
