"""Tensor maps, which a kernel receives by value and its copies use by address."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, UnitAttr, UnrealizedConversionCastOp, i8, i64
from xdsl.ir import Attribute
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion._tensor_maps import MAP_ALIGNMENT, MAP_BYTES
from kc.conversion.convert_to_llvm.function import LlvmPattern
from kc.dialects import llvm
from kc.dialects.nvgpu import TensorMapDescriptorType


def parameter_attributes() -> dict[str, Attribute]:
    """The attributes of a parameter that is a map: a grid constant in parameter memory.

    Without ``nvvm.grid_constant``, LLVM would copy the map, and the copy unit cannot read the copy.
    """
    return {
        "llvm.align": IntegerAttr(MAP_ALIGNMENT, i64),
        "llvm.byval": llvm.LLVMArrayType(MAP_BYTES, i8),
        "nvvm.grid_constant": UnitAttr(),
    }


class LowerMapPlace(LlvmPattern):
    """Replace the address of a map by the parameter of the kernel.

    ::

        %p = builtin.unrealized_conversion_cast %map : !nvgpu.tensormap.descriptor<...> to !llvm.ptr
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: UnrealizedConversionCastOp, rewriter: PatternRewriter, /
    ) -> None:
        if len(op.inputs) == 1 and isinstance(op.inputs[0].type, TensorMapDescriptorType):
            s = self.conversion
            s.define(op.outputs[0], s.value(op.inputs[0]))


PATTERNS: tuple[type[RewritePattern], ...] = (LowerMapPlace,)
