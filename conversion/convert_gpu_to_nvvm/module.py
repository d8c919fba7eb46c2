"""The traversal of gpu modules."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.pattern_rewriter import RewritePattern

from kc.conversion.convert_gpu_to_nvvm import (
    approximations,
    collectives,
    function,
    ids,
    libdevice,
    tensor_maps,
)
from kc.conversion.convert_gpu_to_nvvm.function import (
    CONVERSION,
    GpuFunction,
    declare_library_function,
    foreign_function,
    lower_kernel,
    signature_of_gpu,
)
from kc.conversion.convert_to_llvm.memref import lower_global
from kc.conversion.convert_to_llvm.new_module import NewModule
from kc.conversion.convert_to_llvm.patterns import PATTERNS as LLVM_PATTERNS
from kc.conversion.convert_to_llvm.refusals import placed, unsupported
from kc.conversion.driver import ConversionTarget, own_and_added, require_legal
from kc.dialects.gpu import GPUFuncOp, GPUModuleOp
from kc.dialects.nvvm.base import NVVMOp
from kc.dialects.nvvm.requirements import require
from kc.support.diagnostics import CodegenError
from kc.support.libdevice import PREFIX
from kc.support.nvidia import architecture_of
from kc.support.target import Target, target_of

TARGET = ConversionTarget(CONVERSION[0], legal=("llvm", "nvvm"))

PATTERNS: tuple[type[RewritePattern], ...] = (
    *ids.PATTERNS,
    *collectives.PATTERNS,
    *function.PATTERNS,
    *approximations.PATTERNS,
    *libdevice.PATTERNS,
    *tensor_maps.PATTERNS,
    *LLVM_PATTERNS,
)


def lower_gpu_modules(module: ModuleOp) -> None:
    """Translate the functions of the gpu modules in ``module``.

    Raises CodegenError, with the module unchanged.
    """
    patterns = own_and_added(TARGET, PATTERNS)
    target = target_of(module)
    built = [_lower(code, patterns, target) for code in module.ops if isinstance(code, GPUModuleOp)]
    for new in built:
        new.replace_contents()


def _lower(
    code: GPUModuleOp, patterns: tuple[type[RewritePattern], ...], target: Target
) -> NewModule:
    new = NewModule(code)
    tops = list(code.body.block.ops)
    for op in tops:
        try:
            if isinstance(op, GPUFuncOp):
                new.signatures[op.sym_name.data] = signature_of_gpu(op)
            elif op.name == "memref.global":
                lower_global(new, op)
            elif op.name.startswith("llvm."):
                new.add(op)
            elif isinstance(op, FuncOp) and op.is_declaration:
                if not op.sym_name.data.startswith(PREFIX):
                    raise foreign_function(CONVERSION[0], op)
                declare_library_function(new, op)
            else:
                raise unsupported(op, patterns, *CONVERSION)
        except CodegenError as error:
            raise placed(error, op) from None
    for op in tops:
        if isinstance(op, GPUFuncOp):
            lower_kernel(new, GpuFunction(new, patterns, op.sym_name.data, op), op)
    require_legal(TARGET, new.operations())
    arch = architecture_of(target)
    for op in new.operations():
        if isinstance(op, NVVMOp):
            require(op, arch.number, arch.ptx, arch.is_specific)
    return new
