"""convert-gpu-to-llvm-spv: the kernels of gpu modules in the dialect llvm, for SPIR-V as OpenCL
takes it.

Before::

    gpu.module @m {
      gpu.func @k(%A: memref<64xf32>) kernel {
        %t = gpu.thread_id x
        %e = math.exp %a : f32
        gpu.barrier
        ...

After::

    gpu.module @m {
      llvm.func spir_kernelcc @k(%A: !llvm.ptr<1> {...}) {
        %t = llvm.call spir_funccc @_Z12get_local_idj(%c0) : (i32) -> i64
        %e = llvm.call spir_funccc @_Z3expf(%a) : (f32) -> f32
        llvm.call spir_funccc @_Z7barrierj(%local) : (i32) -> ()
        ...

Indices, barriers and functions of math are functions of OpenCL C, by their mangled names, which
LLVM's backend for SPIR-V recognises. Dynamic shared memory is the last argument. A barrier covers
the memory of the block; if the kernel reads device memory that it writes, it also covers device
memory.

Raises CodegenError, with the module unchanged, as ``convert-gpu-to-nvvm``: KC4302, KC4303, KC4362;
KC4302 also for shuffles.

MLIR: ``convert-gpu-to-llvm-spv``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import math
from xdsl.dialects.builtin import Float64Type, MemRefType, ModuleOp, UnitAttr, VectorType, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion._gpu_devices import PATTERNS as DEVICE_PATTERNS
from kc.conversion._gpu_devices import (
    Device,
    DeviceFunction,
    lower_device_modules,
    reads_what_it_writes,
)
from kc.conversion.convert_to_llvm.function import LlvmPattern
from kc.conversion.convert_to_llvm.values import MemRef, Origin
from kc.dialects import gpu, llvm
from kc.dialects.llvm.symbols import CallingConventionAttr
from kc.support.diagnostics import CodegenError

_FUNCTION = CallingConventionAttr("spir_funccc")
_LOCAL_FENCE, _GLOBAL_FENCE = 1, 2
"""CLK_LOCAL_MEM_FENCE and CLK_GLOBAL_MEM_FENCE of OpenCL C."""


class SpirvFunction(DeviceFunction):
    """The translation of one kernel for SPIR-V."""

    device = Device("convert-gpu-to-llvm-spv", "spir_kernelcc", 0, 2, passes_dynamic_memory=True)
    conversion = ("convert-gpu-to-llvm-spv", "the dialect llvm")

    def builtin(
        self,
        name: str,
        operands: Sequence[SSAValue],
        result: Attribute | None,
        *,
        waits: bool = False,
    ) -> SSAValue | None:
        """The result of a call of an OpenCL C function. With ``waits``, the call must not be moved
        (a barrier).
        """
        types = [operand.type for operand in operands]
        symbol = f"_Z{len(name)}{name}{''.join(map(_mangled, types))}"
        properties: dict[str, Attribute] = {"CConv": _FUNCTION}
        if waits:
            properties["convergent"] = UnitAttr()
        self.module.declare(symbol, types, result, properties=properties)
        call = llvm.CallOp(symbol, *operands, return_type=result)
        call.properties["CConv"] = _FUNCTION
        if waits:
            call.properties["convergent"] = UnitAttr()
        self.insert(call)
        return call.results[0] if call.results else None

    def number(self, name: str, axis: str) -> SSAValue:
        """``get_local_id`` and the like along an axis."""
        value = self.builtin(name, [self.int_constant("xyz".index(axis), i32)], i64)
        assert value is not None
        return value


def _mangled(type_: Attribute) -> str:
    """A type in a name of the Itanium C++ ABI."""
    if isinstance(type_, VectorType):
        return f"Dv{type_.element_count()}_{_mangled(type_.element_type)}"
    if type_ == i32:
        return "j"
    return "d" if isinstance(type_, Float64Type) else "f"


class LowerNumber(LlvmPattern):
    """``%t = gpu.thread_id x`` -> ``%t = llvm.call spir_funccc @_Z12get_local_idj(%c0)``."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: gpu.ThreadIdOp | gpu.BlockIdOp | gpu.BlockDimOp | gpu.GridDimOp | gpu.GlobalIdOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        s = self.conversion
        assert isinstance(s, SpirvFunction)
        s.define(op.result, s.number(_NUMBERS[type(op)], op.dimension.data.value))


_NUMBERS: dict[type[Operation], str] = {
    gpu.ThreadIdOp: "get_local_id",
    gpu.BlockIdOp: "get_group_id",
    gpu.BlockDimOp: "get_local_size",
    gpu.GridDimOp: "get_num_groups",
    gpu.GlobalIdOp: "get_global_id",
}


class LowerBarrier(LlvmPattern):
    """``gpu.barrier`` -> ``llvm.call spir_funccc @_Z7barrierj(%fences)``."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.BarrierOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        assert isinstance(s, SpirvFunction)
        fences = _LOCAL_FENCE | (_GLOBAL_FENCE if reads_what_it_writes(s.source) else 0)
        s.builtin("barrier", [s.int_constant(fences, i32)], None, waits=True)


class LowerDynamicSharedMemory(LlvmPattern):
    """Dynamic shared memory: the last argument of the kernel.

    ::

        %m = gpu.dynamic_shared_memory    ->    %m : !llvm.ptr<3>
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: gpu.DynamicSharedMemoryOp, rewriter: PatternRewriter, /
    ) -> None:
        s, type_ = self.conversion, op.result.type
        assert isinstance(type_, MemRefType)
        # The size is known only at the launch, and no operation uses it.
        s.define(op.result, MemRef(s.entry.args[-1], (s.int_constant(0),), type_, Origin()))


class RefuseShuffle(LlvmPattern):
    """Refuse collective operations of a warp (KC4302)."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: gpu.ShuffleOp, rewriter: PatternRewriter, /) -> None:
        raise CodegenError(
            "KC4302",
            f"convert-gpu-to-llvm-spv: {op.name}",
            why="OpenCL does not state the size of a warp, whose threads exchange values",
            hints=["exchange values by memory of the block"],
        )


class LowerFunction(LlvmPattern):
    """``%e = math.exp %a : f32`` -> ``%e = llvm.call spir_funccc @_Z3expf(%a)``."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: math.ExpOp
        | math.Exp2Op
        | math.ExpM1Op
        | math.LogOp
        | math.Log2Op
        | math.Log10Op
        | math.Log1pOp
        | math.SqrtOp
        | math.RsqrtOp
        | math.CbrtOp
        | math.SinOp
        | math.CosOp
        | math.TanOp
        | math.AsinOp
        | math.AcosOp
        | math.AtanOp
        | math.Atan2Op
        | math.SinhOp
        | math.CoshOp
        | math.TanhOp
        | math.AsinhOp
        | math.AcoshOp
        | math.AtanhOp
        | math.ErfOp
        | math.PowFOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        s = self.conversion
        assert isinstance(s, SpirvFunction)
        name = "pow" if isinstance(op, math.PowFOp) else op.name.removeprefix("math.")
        operands = [s.value(operand) for operand in op.operands]
        value = s.builtin(name, operands, operands[0].type)
        assert value is not None
        s.define(op.results[0], value)


PATTERNS: tuple[type[RewritePattern], ...] = (
    LowerNumber,
    LowerBarrier,
    LowerDynamicSharedMemory,
    RefuseShuffle,
    LowerFunction,
    *DEVICE_PATTERNS,
)


@dataclass(frozen=True)
class ConvertGpuToLlvmSpvPass(ModulePass):
    """Translate the kernels of gpu modules for SPIR-V."""

    name = "convert-gpu-to-llvm-spv"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        lower_device_modules(op, SpirvFunction, PATTERNS)
