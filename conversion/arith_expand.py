"""arith-expand: lower casts with a scale to products and quotients by a power of two.

Before::

    %r = arith.scaling_extf %a, %s : f8E5M2, f32 to f32

After::

    %0 = arith.bitcast %s : f32 to i32
    %1 = arith.andi %0, 0x7f800000 : i32
    %2 = arith.cmpi eq, %1, 0x7f800000 : i32
    %3 = arith.select %2, -1, %1 : i32
    %4 = arith.bitcast %3 : i32 to f32
    %5 = arith.extf %a : f8E5M2 to f32
    %r = arith.mulf %5, %4 : f32

The scale is the power of two with the exponent of its value in float32. It is NaN if the value is
infinite or NaN, and 0 if the value is smaller than the smallest normal number.
``arith.scaling_truncf`` divides by the scale. Builds and schedules run this pass implicitly. (MLIR:
``-arith-expand=include-f8e8m0=true``.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    ModuleOp,
    TensorType,
    VectorType,
    f32,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from kc.dialects.arith import (
    CmpiOp,
    ExtFOp,
    ScalingExtFOp,
    ScalingTruncFOp,
    SelectOp,
    TruncFOp,
    element_of,
    like,
    vector_class,
)
from kc.dialects.float_types import float_dtype

_EXPONENT = 0x7F800000
"""The mask of the exponent bits of a float32."""


@dataclass(frozen=True)
class ArithExpandPass(ModulePass):
    """Turn arith.scaling_extf and arith.scaling_truncf into products and quotients."""

    name = "arith-expand"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        PatternRewriteWalker(ExpandScalingCast(), apply_recursively=False).rewrite_module(op)


class ExpandScalingCast(RewritePattern):
    """A cast with a scale becomes a cast and ``arith.mulf`` or ``arith.divf``. Scales of
    f8E8M0FNU stay."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: ScalingExtFOp | ScalingTruncFOp, rewriter: PatternRewriter, /
    ) -> None:
        if float_dtype(element_of(op.scale.type)) is None:
            return
        new = _Code(op)
        if isinstance(op, ScalingExtFOp):
            scale = new.cast(_power_of_two(new, op.scale), element_of(op.result.type))
            wide = new.cast(op.input, element_of(op.result.type))
            new.add(arith.MulfOp(wide, scale, op.fastmath))
        else:
            scale = new.cast(_power_of_two(new, op.scale), element_of(op.input.type))
            quotient = new.add(arith.DivfOp(op.input, scale, op.fastmath))
            new.cast(quotient, element_of(op.result.type), op.properties)
        new.ops[-1].results[0].name_hint = op.result.name_hint
        rewriter.replace(op, new.ops, new.ops[-1].results)


class _Code:
    """Ops that replace ``op``."""

    def __init__(self, op: ScalingExtFOp | ScalingTruncFOp) -> None:
        self.op = op
        self.ops: list[Operation] = []

    def add(self, op: Operation) -> SSAValue:
        """Append an op and return its result."""
        op.location = self.op.location
        self.ops.append(op)
        return op.results[0]

    def cast(
        self, value: SSAValue, element: Attribute, properties: dict[str, Attribute] | None = None
    ) -> SSAValue:
        """A value as floats of another type."""
        own = element_of(value.type)
        if own == element:
            return value
        assert isinstance(own, AnyFloat)
        assert isinstance(element, AnyFloat)
        if properties is None:
            properties = {} if self.op.fastmath is None else {"fastmath": self.op.fastmath}
        kind = ExtFOp if own.bitwidth < element.bitwidth else TruncFOp
        return self.add(
            kind.create(
                operands=[value],
                result_types=[like(value.type, element)],
                properties=dict(properties),
            )
        )

    def number(self, bits: int) -> SSAValue:
        """A 32-bit number for each element."""
        type_ = like(self.op.scale.type, i32)
        if isinstance(type_, TensorType | VectorType):
            elements: Any = DenseIntOrFPElementsAttr.from_list
            return self.add(arith.ConstantOp(elements(type_, [bits])))
        return self.add(arith.ConstantOp(IntegerAttr(bits, i32)))


def _power_of_two(new: _Code, scale: SSAValue) -> SSAValue:
    """The power of two with the exponent of a scale, in float32."""
    number = new.cast(scale, f32)
    integers = like(scale.type, i32)
    bits = new.add(arith.BitcastOp(number, cast(Any, integers)))
    mask = new.number(_EXPONENT)
    and_ = vector_class(arith.AndIOp).create(operands=[bits, mask], result_types=[integers])
    exponent = new.add(and_)
    is_special = new.add(CmpiOp(exponent, mask, "eq"))
    chosen = new.add(SelectOp(is_special, new.number(-1), exponent))
    return new.add(arith.BitcastOp(chosen, cast(Any, like(scale.type, f32))))
