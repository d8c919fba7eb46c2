"""Approximate functions by instructions of the GPU."""

from __future__ import annotations

from xdsl.dialects import math
from xdsl.dialects.builtin import VectorType, f32
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion.convert_to_llvm.function import LlvmPattern
from kc.dialects import llvm
from kc.transforms.gpu.gpu_approximate_math import is_approximate

_INTRINSICS: dict[type[Operation], str] = {
    math.Exp2Op: "llvm.nvvm.ex2.approx.f32",
    math.Log2Op: "llvm.nvvm.lg2.approx.f",
    math.SinOp: "llvm.nvvm.sin.approx.f",
    math.CosOp: "llvm.nvvm.cos.approx.f",
    math.RsqrtOp: "llvm.nvvm.rsqrt.approx.f",
    math.TanhOp: "llvm.nvvm.tanh.approx.f32",
}


class LowerApproximation(LlvmPattern):
    """An f32 function with the flag afn; vectors lane by lane.

    ::

        %b = math.exp2 %a fastmath<afn> : f32
        ->    %b = llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"(%a) : (f32) -> f32
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: math.Exp2Op | math.Log2Op | math.SinOp | math.CosOp | math.RsqrtOp | math.TanhOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        type_ = op.result.type
        element = type_.element_type if isinstance(type_, VectorType) else type_
        if element != f32 or not is_approximate(op.properties.get("fastmath")):
            return
        s, name = self.conversion, _INTRINSICS[type(op)]

        def call(value: SSAValue) -> SSAValue:
            return s.insert(llvm.CallIntrinsicOp(name, [value], [f32])).results[0]

        value = s.value(op.operand)
        if not isinstance(type_, VectorType):
            s.define(op.result, call(value))
            return
        result: SSAValue = s.emit(llvm.PoisonOp, [], value.type)
        for n in range(type_.element_count()):
            lane = s.int_constant(n)
            part = call(s.insert(llvm.ExtractElementOp(value, lane)).results[0])
            result = s.insert(llvm.InsertElementOp(result, part, lane)).results[0]
        s.define(op.result, result)


PATTERNS: tuple[type[RewritePattern], ...] = (LowerApproximation,)
