"""Common parts of the conversions of GPU kernels for which LLVM has no dialect of its own.

Kernels become functions of the llvm dialect, as in ``convert-gpu-to-nvvm``. A :class:`Device`
provides the address spaces, the calling convention of kernels, and the thread numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import memref, vector
from xdsl.dialects.builtin import (
    IntAttr,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    SymbolRefAttr,
    UnitAttr,
    i32,
)
from xdsl.dialects.func import FuncOp
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion.convert_gpu_to_nvvm.function import (
    ALIGNMENT,
    GpuFunction,
    LowerReturn,
    RefuseHostMemory,
    foreign_function,
    lower_kernel,
    signature_of_gpu,
)
from kc.conversion.convert_to_llvm.function import LlvmPattern
from kc.conversion.convert_to_llvm.memref import array_type, lower_global
from kc.conversion.convert_to_llvm.new_module import NewModule
from kc.conversion.convert_to_llvm.patterns import PATTERNS as LLVM_PATTERNS
from kc.conversion.convert_to_llvm.refusals import placed, unsupported
from kc.conversion.convert_to_llvm.signatures import Parameter, Signature
from kc.conversion.convert_to_llvm.types import SHARED_SPACE, memory_element
from kc.conversion.convert_to_llvm.values import MemRef, Origin
from kc.conversion.driver import ConversionTarget, own_and_added, require_legal
from kc.dialects import llvm
from kc.dialects.gpu import DynamicSharedMemoryOp, GPUFuncOp, GPUModuleOp
from kc.dialects.llvm.symbols import CallingConventionAttr
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of
from kc.support.target import Target, target_of

GLOBAL_SPACE = 1
"""The address space of the memory of the device (AMDGPU, SPIR-V for OpenCL)."""
_LOADS = (memref.LoadOp, vector.LoadOp, vector.MaskedLoadOp)
_STORES = (memref.StoreOp, vector.StoreOp, vector.MaskedStoreOp)


@dataclass(frozen=True)
class Device:
    """The pass, calling convention and address spaces of a kind of device.

    ``conversion`` is the name of the pass. The address spaces are those of a thread's stack and of
    constants. The last flag is true if dynamic shared memory is the last argument of a kernel.
    """

    conversion: str
    kernel_convention: str
    stack_space: int
    constant_space: int
    passes_dynamic_memory: bool = False


class DeviceFunction(GpuFunction):
    """The translation of one kernel."""

    kept_dialects = ("llvm",)
    device: ClassVar[Device]
    target: Target

    def kernel_attributes(self) -> dict[str, Attribute]:
        return {"gpu.kernel": UnitAttr()}

    def kernel_properties(self) -> dict[str, Attribute]:
        return {"CConv": CallingConventionAttr(self.device.kernel_convention)}

    def on_stack(self, pointee: Attribute, name: str | None) -> SSAValue:
        space = self.device.stack_space
        if not space:
            return super().on_stack(pointee, name)
        type_ = LLVMPointerType(IntAttr(space))
        slot = llvm.AllocaOp(self.int_constant(1), pointee, ALIGNMENT, type_)
        self.insert_in_prologue(slot)
        slot.res.name_hint = name
        return slot.res


class LowerTable(LlvmPattern):
    """A constant table, in its own address space.

    ::

        %T = memref.get_global @t    ->    %T = llvm.mlir.addressof @t : !llvm.ptr<4>
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref.GetGlobalOp, rewriter: PatternRewriter, /) -> None:
        s, type_ = self.conversion, op.memref.type
        assert isinstance(s, DeviceFunction)
        assert isinstance(type_, MemRefType)
        pointer = llvm.AddressOfOp(
            SymbolRefAttr(op.name_.string_value()),
            LLVMPointerType(IntAttr(s.device.constant_space)),
        )
        s.insert(pointer)
        s.define(op.memref, MemRef(pointer.result, type_.get_shape(), type_, Origin()))


class LowerStackArray(LlvmPattern):
    """An array of a thread, with a constant size.

    ::

        %A = memref.alloca() : memref<8xf32>    ->    %A = llvm.alloca ... : !llvm.ptr<5>
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref.AllocaOp, rewriter: PatternRewriter, /) -> None:
        s, type_ = self.conversion, op.memref.type
        assert isinstance(s, DeviceFunction)
        assert isinstance(type_, MemRefType)
        if op.dynamic_sizes:
            raise CodegenError(
                "KC4362",
                f"{s.device.conversion}: {op.name} in a kernel, of a size that is not constant",
                why="a kernel has only the memory that exists when it is launched",
                hints=["use an array of a constant size"],
            )
        count = 1
        for size in type_.get_shape():
            count *= size
        pointee = array_type(memory_element(type_), (max(count, 1),))
        place = s.on_stack(pointee, op.memref.name_hint)
        s.define(op.memref, MemRef(place, type_.get_shape(), type_, Origin()))


PATTERNS: tuple[type[RewritePattern], ...] = (
    LowerTable,
    LowerStackArray,
    LowerReturn,
    RefuseHostMemory,
    *LLVM_PATTERNS,
)


def reads_what_it_writes(kernel: GPUFuncOp) -> bool:
    """True if a kernel reads and writes device memory, by which threads may exchange values."""
    accesses = list(kernel.walk())
    read = {operand for op in accesses if isinstance(op, _LOADS) for operand in op.operands}
    written = {operand for op in accesses if isinstance(op, _STORES) for operand in op.operands}
    arrays = {arg for arg in kernel.arguments if isinstance(arg.type, MemRefType)}
    return bool(read & written & arrays)


def lower_device_modules(
    module: ModuleOp,
    function: type[DeviceFunction],
    patterns: tuple[type[RewritePattern], ...],
) -> None:
    """Translate the kernels of the gpu modules in ``module``.

    Raises CodegenError, with the module unchanged.
    """
    target = target_of(module)
    legal = ConversionTarget(function.device.conversion, legal=("llvm",))
    patterns = own_and_added(legal, patterns)
    built = [
        _lower(code, function, patterns, target, legal)
        for code in module.ops
        if isinstance(code, GPUModuleOp)
    ]
    for new in built:
        new.replace_contents()


def _lower(
    code: GPUModuleOp,
    function: type[DeviceFunction],
    patterns: tuple[type[RewritePattern], ...],
    target: Target,
    legal: ConversionTarget,
) -> NewModule:
    new, device = NewModule(code), function.device
    tops = list(code.body.block.ops)
    for op in tops:
        try:
            if isinstance(op, GPUFuncOp):
                if not op.is_kernel:
                    raise _no_kernel(device, op)
                new.signatures[op.sym_name.data] = _in_device_memory(op, device)
            elif op.name == "memref.global":
                lower_global(new, op)
            elif isinstance(op, FuncOp) and op.is_declaration:
                raise foreign_function(device.conversion, op)
            else:
                raise unsupported(op, patterns, device.conversion, "the dialect llvm")
        except CodegenError as error:
            raise placed(error, op) from None
    for op in new.operations():
        if isinstance(op, llvm.GlobalOp):
            op.properties["addr_space"] = IntegerAttr(device.constant_space, i32)
    for op in tops:
        if isinstance(op, GPUFuncOp):
            s = function(new, patterns, op.sym_name.data, op)
            s.target = target
            lower_kernel(new, s, op)
    require_legal(legal, new.operations())
    return new


def _no_kernel(device: Device, op: GPUFuncOp) -> CodegenError:
    return CodegenError(
        "KC4302",
        f"{device.conversion}: @{op.sym_name.data}, which is not a kernel",
        location=location_of(op),
        why="only kernels are converted: the address spaces of a function's arguments depend on "
        "its caller",
    )


def _in_device_memory(op: GPUFuncOp, device: Device) -> Signature:
    """The signature of a kernel whose arrays are in device memory."""
    signature = signature_of_gpu(op)
    for parameter in signature.parameters:
        if isinstance(parameter.type, LLVMPointerType):
            parameter.type = LLVMPointerType(IntAttr(GLOBAL_SPACE))
    parameters = list(signature.parameters)
    is_dynamic = any(isinstance(inner, DynamicSharedMemoryOp) for inner in op.walk())
    if is_dynamic and device.passes_dynamic_memory:
        parameters.append(Parameter(LLVMPointerType(IntAttr(SHARED_SPACE))))
    return Signature.of(parameters)
