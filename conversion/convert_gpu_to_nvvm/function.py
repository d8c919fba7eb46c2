"""Device functions: their memory, and facts from the launches of a kernel."""

from __future__ import annotations

from collections.abc import Generator
from typing import ClassVar

from xdsl.dialects import memref
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntAttr,
    MemRefType,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
    i8,
    i32,
)
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.analysis.gpu.kernel_launches import overlapping_arguments
from kc.conversion._foreign_calls import PACKED
from kc.conversion.convert_gpu_to_nvvm.tensor_maps import parameter_attributes
from kc.conversion.convert_to_llvm.cfg import place_blocks
from kc.conversion.convert_to_llvm.func import define_arguments, return_values
from kc.conversion.convert_to_llvm.function import FunctionLowering, LlvmPattern
from kc.conversion.convert_to_llvm.memref import array_type
from kc.conversion.convert_to_llvm.new_module import NewModule
from kc.conversion.convert_to_llvm.refusals import unsupported
from kc.conversion.convert_to_llvm.signatures import Signature, signature_of
from kc.conversion.convert_to_llvm.types import SHARED_SPACE, abi_types, memory_element
from kc.conversion.convert_to_llvm.values import MemRef, Origin
from kc.dialects import llvm
from kc.dialects.gpu import DynamicSharedMemoryOp, GPUFuncOp, ReturnOp
from kc.dialects.nvgpu import TensorMapDescriptorType
from kc.support.c_names import to_identifier
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of

SHARED_POINTER = LLVMPointerType(IntAttr(SHARED_SPACE))
ALIGNMENT = 16
"""The alignment of the memory of a block, in bytes: the widest access."""
DYNAMIC = "kc_dynamic_shared"
"""The external array of dynamic shared memory."""
CONVERSION = ("convert-gpu-to-nvvm", "the dialects llvm and nvvm")
"""The name of the pass, and its target dialects."""


class GpuFunction(FunctionLowering):
    """The translation of one function of a device."""

    source: GPUFuncOp
    kept_dialects = ("llvm", "nvvm")
    conversion: ClassVar[tuple[str, str]] = CONVERSION

    def unsupported(self, op: Operation) -> CodegenError:
        """The error for an operation without a pattern."""
        return unsupported(op, self.patterns, *self.conversion)

    def kernel_attributes(self) -> dict[str, Attribute]:
        """The attributes of a kernel's function."""
        attributes: dict[str, Attribute] = {"gpu.kernel": UnitAttr(), "nvvm.kernel": UnitAttr()}
        size = self.source.known_block_size
        if size is not None:
            attributes["nvvm.reqntid"] = DenseArrayBase.from_list(i32, list(size.get_values()))
        return attributes

    def kernel_properties(self) -> dict[str, Attribute]:
        """The properties of a kernel's llvm.func."""
        return {}

    def on_stack(self, pointee: Attribute, name: str | None) -> SSAValue:
        """Allocate memory of a thread."""
        slot = llvm.AllocaOp(self.int_constant(1), pointee, ALIGNMENT)
        self.insert_in_prologue(slot)
        slot.res.name_hint = name
        return slot.res


def signature_of_gpu(op: GPUFuncOp) -> Signature:
    """The signature of a device function, with the calling convention of the CPU."""
    like = FuncOp(op.sym_name.data, op.function_type, arg_attrs=op.arg_attrs)
    try:
        signature = signature_of(like)
    finally:
        like.erase()
    maps = [number for number, type_ in enumerate(op.function_type.inputs) if _is_map(type_)]
    for number in maps:
        before = sum(len(abi_types(type_)) for type_ in op.function_type.inputs.data[:number])
        signature.parameters[before].attributes.update(parameter_attributes())
    return signature


def _is_map(type_: Attribute) -> bool:
    return isinstance(type_, TensorMapDescriptorType)


def lower_kernel(new: NewModule, s: GpuFunction, op: GPUFuncOp) -> None:
    """Add the translation of a function to the new module."""
    name = op.sym_name.data
    signature = new.signatures[name]
    body = s.run(_body(s, op, signature))
    for first, second, _ in overlapping_arguments(op):
        memory, formals = Origin(), [s.memref(value).origin for value in (first, second)]
        new.handovers.append([(memory, formal) for formal in formals])
    attributes = s.kernel_attributes() if op.is_kernel else {}
    nvvm_attributes = {
        key: value for key, value in op.attributes.items() if key.startswith("nvvm.")
    }
    new.add_function(
        name,
        signature,
        body,
        op,
        internal=not op.is_kernel,
        attributes={**attributes, **nvvm_attributes},
        properties=s.kernel_properties() if op.is_kernel else None,
    )


def declare_library_function(new: NewModule, op: FuncOp) -> None:
    """Declare a function of libdevice."""
    signature = new.signatures[op.sym_name.data] = signature_of(op)
    new.add_function(op.sym_name.data, signature, Region(), op, internal=False)


def foreign_function(conversion: str, op: FuncOp) -> CodegenError:
    """The error for a function declared in a module of kernels."""
    home = op.parent_op()
    name = op.attributes.get(PACKED, op.sym_name)
    assert isinstance(name, StringAttr)
    calls = [
        call
        for call in (home.walk() if home is not None else ())
        if isinstance(call, CallOp) and call.callee.string_value() == op.sym_name.data
    ]
    language = "Python" if PACKED in op.attributes else "C"
    return CodegenError(
        "KC4362",
        f"{conversion}: {name.data}, a {language} function, in a kernel",
        location=location_of(calls[0] if calls else op),
        why="a kernel is linked with no code of the host",
        hints=[
            "compute it by expressions of te and tir",
            "for NVIDIA GPUs, call a function of libdevice, such as __nv_lgammaf",
        ],
    )


def _body(s: GpuFunction, op: GPUFuncOp, signature: Signature) -> Generator[Block, None, None]:
    define_arguments(s, op.arguments, signature)
    for n, memory in enumerate(op.workgroup_memory):
        label = to_identifier(f"{op.sym_name.data}_{memory.name_hint or n}")
        _define_shared(s, memory, label, max(ALIGNMENT, op.alignment_of(n) or 0))
    for memory in op.private_memory:
        type_ = memory.type
        assert isinstance(type_, MemRefType)
        count = array_type(memory_element(type_), (_count(type_),))
        place = s.on_stack(count, memory.name_hint)
        s.define(memory, MemRef(place, type_.get_shape(), type_, Origin()))
    yield from place_blocks(s, op.body)


def _define_shared(s: GpuFunction, memory: BlockArgument, label: str, alignment: int) -> None:
    """Define shared memory of a block as a global."""
    type_ = memory.type
    assert isinstance(type_, MemRefType)
    name = s.module.fresh_symbol(label)
    pointee = array_type(memory_element(type_), (_count(type_),))
    s.module.add(
        _global(s, llvm.GlobalOp(pointee, name, "internal", SHARED_SPACE, alignment=alignment))
    )
    s.define(memory, MemRef(_address(s, name, memory), type_.get_shape(), type_, Origin()))


def _global(s: GpuFunction, op: llvm.GlobalOp) -> llvm.GlobalOp:
    op.location = s.op.location
    return op


def _address(s: GpuFunction, name: str, of: BlockArgument | None = None) -> SSAValue:
    op = llvm.AddressOfOp(SymbolRefAttr(name), SHARED_POINTER)
    s.insert_in_prologue(op)
    if of is not None:
        op.result.name_hint = of.name_hint
    return op.result


def _count(type_: MemRefType) -> int:
    count = 1
    for size in type_.get_shape():
        count *= size
    return max(count, 1)


class LowerDynamicSharedMemory(LlvmPattern):
    """The dynamic memory of a block: an external array without a size.

    ::

        %m = gpu.dynamic_shared_memory    ->    %m = llvm.mlir.addressof @kc_dynamic_shared
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: DynamicSharedMemoryOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        assert isinstance(s, GpuFunction)
        type_ = op.result.type
        assert isinstance(type_, MemRefType)
        if s.module.needs_global(DYNAMIC):
            array = llvm.LLVMArrayType(0, i8)
            home = op.get_toplevel_object()
            assert isinstance(home, Operation)
            kernels = [
                kernel_op
                for kernel_op in home.walk()
                if isinstance(kernel_op, DynamicSharedMemoryOp)
            ]
            alignment = max(ALIGNMENT, *(memory.alignment or 0 for memory in kernels))
            new = llvm.GlobalOp(array, DYNAMIC, "external", SHARED_SPACE, alignment=alignment)
            s.module.add(_global(s, new))
        # The size is known only at the launch, and no operation uses it.
        s.define(op.result, MemRef(_address(s, DYNAMIC), (s.int_constant(0),), type_, Origin()))


class LowerReturn(LlvmPattern):
    """The end of a function: ``gpu.return`` -> ``llvm.return``."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ReturnOp, rewriter: PatternRewriter, /) -> None:
        return_values(self.conversion, op.values)


def pass_name(s: FunctionLowering) -> str:
    """The pass that translates a function."""
    assert isinstance(s, GpuFunction)
    return s.conversion[0]


class RefuseHostMemory(LlvmPattern):
    """Refuse memory that only the host allocates (KC4362)."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: memref.AllocOp | memref.DeallocOp, rewriter: PatternRewriter, /
    ) -> None:
        raise CodegenError(
            "KC4362",
            f"{pass_name(self.conversion)}: {op.name} in a kernel",
            why="a kernel has only the memory that exists when it is launched",
            hints=["use memref.alloca, or private(...) of the gpu.func, with a constant size"],
        )


PATTERNS: tuple[type[RewritePattern], ...] = (
    LowerDynamicSharedMemory,
    LowerReturn,
    RefuseHostMemory,
)
