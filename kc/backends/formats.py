"""The formats of kc-translate: functions of a module and a target.

Each lowers the module as far as necessary. Unscheduled functions get a schedule, as in
:func:`kc.build`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ModuleOp, StringAttr

from kc.building.default_schedules import choose_where_unscheduled
from kc.dialects.gpu import GPUModuleOp
from kc.support import registry
from kc.support.c_names import c_name, name_of_symbol
from kc.support.diagnostics import CodegenError, TargetError
from kc.support.options import Options, PassSpec
from kc.support.target import Target
from kc.transforms.pass_runner import Pipeline, make_stages
from kc.transforms.to_tir import to_tir

if TYPE_CHECKING:
    from kc.codegen.device_code import DeviceCode


def llvm_ir(module: ModuleOp, target: Target) -> str:
    """LLVM IR as text."""
    from kc.codegen.llvm_ir import emit_llvm_ir
    from kc.transform import PassContext

    lower(module, target)
    debug_info = PassContext.current().debug_info
    return emit_llvm_ir(module, triple=target.llvm.triple, debug_info=debug_info)


def assembly(module: ModuleOp, target: Target) -> str:
    """Assembly as text."""
    device = _DEVICES.get(str(target.kind))
    return _compile(module, target).asm() if device is None else device(module, target).asm


def object_code(module: ModuleOp, target: Target) -> bytes:
    """A relocatable object file."""
    device = _DEVICES.get(str(target.kind))
    return _compile(module, target).object() if device is None else device(module, target).object


def c_source(module: ModuleOp, target: Target) -> str:
    """Standalone C99."""
    from kc.codegen.c_source import emit_c

    _run(module, target, PassSpec("lower-to-c"))
    return emit_c(module)


def ptx(module: ModuleOp, target: Target) -> str:
    """PTX of the kernels, for an NVIDIA GPU. Raises TargetError KC6022 for another target."""
    from kc.codegen.kernel_costs import warn_of_memory
    from kc.codegen.ptx import ptx_of
    from kc.transform import PassContext

    why = "PTX is the assembly of NVIDIA's GPUs"
    _require_kind(target, "cuda", "PTX", '--target="cuda -arch=sm_80"', why)
    _run(module, target, PassSpec("lower-to-nvvm"))
    _require_kernels(module)
    text = ptx_of(module, target, debug_info=PassContext.current().debug_info)
    warn_of_memory(module, text, target)
    return text


def cuda_source(module: ModuleOp, target: Target) -> str:
    """CUDA C++ of the kernels. Raises TargetError KC6022 unless the target is an NVIDIA GPU."""
    return _gpu_source(module, target, "cuda", "CUDA C++", options="keep-math")


def opencl_source(module: ModuleOp, target: Target) -> str:
    """OpenCL C of the kernels. Raises TargetError KC6022 unless the target is OpenCL."""
    return _gpu_source(module, target, "opencl", "OpenCL C")


def metal_source(module: ModuleOp, target: Target) -> str:
    """Metal of the kernels. Raises TargetError KC6022 unless the target is Metal."""
    return _gpu_source(module, target, "metal", "Metal")


def amdgcn(module: ModuleOp, target: Target) -> str:
    """Assembly of the kernels for a GPU of AMD. Raises TargetError KC6022 for another target."""
    why = "it is the assembly of AMD's GPUs"
    _require_kind(target, "rocm", "amdgcn", '--target="rocm -arch=gfx90a"', why)
    return _amdgpu(module, target).asm


def spirv(module: ModuleOp, target: Target) -> bytes:
    """SPIR-V of the kernels for OpenCL. Raises TargetError KC6022 for another target."""
    from kc.codegen.device_code import compile_spirv

    _require_kind(target, "opencl", "SPIR-V", "--target=opencl")
    _run(module, target, PassSpec("lower-to-gpu"), PassSpec("convert-gpu-to-llvm-spv"))
    _require_kernels(module)
    return compile_spirv(module).object


def _amdgpu(module: ModuleOp, target: Target) -> DeviceCode:
    from kc.codegen.device_code import compile_amdgpu

    _run(module, target, PassSpec("lower-to-gpu"), PassSpec("convert-gpu-to-llvm-amdgpu"))
    _require_kernels(module)
    return compile_amdgpu(module, target)


_DEVICES = {"rocm": _amdgpu}
"""Kinds of targets for whose kernels LLVM generates objects, without host code."""


def _gpu_source(
    module: ModuleOp,
    target: Target,
    kind: str,
    what: str,
    options: str = "",
) -> str:
    from kc.codegen.gpu_source import emit_gpu_source

    _require_kind(target, kind, what, f"--target={kind}")
    _run(module, target, PassSpec("lower-to-gpu", Options.parse(options)))
    _require_kernels(module)
    return emit_gpu_source(module, kind, target.limits["thread_warp_size"])


def _require_kind(target: Target, kind: str, what: str, hint: str, why: str | None = None) -> None:
    if str(target.kind) != kind:
        raise TargetError(
            "KC6022",
            f"{what} for the target {target}",
            why=why or f"{what} is made for targets of the kind {kind}",
            hints=[hint],
        )


def _require_kernels(module: ModuleOp) -> None:
    """Raises CodegenError KC4363 for a module whose translation would have no code."""
    if not any(home.body.block.ops for home in module.ops if isinstance(home, GPUModuleOp)):
        raise CodegenError(
            "KC4363",
            "the module has no kernel",
            why="no loop of more than 0 iterations is bound to blocks or threads, and there is no "
            "gpu.module",
            hints=['bind a loop: s[C].bind(i, te.thread_axis("blockIdx.x"))'],
        )


def _run(module: ModuleOp, target: Target, *lowering: PassSpec) -> None:
    """Lower a module for ``target``, unless it is lowered already."""
    module.attributes["kc.target"] = StringAttr(str(target))
    _to_loops(module, target)
    Pipeline(make_stages(lowering)).run(registry.context(), module)


def _to_loops(module: ModuleOp, target: Target) -> None:
    """Bring a module to scheduled loops, as a build does."""
    from kc.conversion._access_bounds import require_accesses_inside

    to_tir(module, loops=False)
    choose_where_unscheduled(module, target)
    require_accesses_inside(module)


def _compile(module: ModuleOp, target: Target):  # pyright: ignore[reportUnknownParameterType]
    from kc.codegen.native import compile_ir

    llvm = target.llvm
    text = llvm_ir(module, target)
    return compile_ir(
        text, triple=llvm.triple, cpu=llvm.cpu, features=llvm.features, abi=target.abi
    )


def lower(module: ModuleOp, target: Target) -> None:
    """Bring a module to the llvm dialect, for ``target``."""
    module.attributes["kc.target"] = StringAttr(str(target))
    if all(op.name.startswith("llvm.") for op in module.body.ops):
        return
    _to_loops(module, target)
    Pipeline(make_stages([PassSpec("lower-to-llvm")])).run(registry.context(), module)
    _name_for_c(module)


def _name_for_c(module: ModuleOp) -> None:
    """Give public functions their C names, as in saved modules.

    Raises CodegenError KC4510 for two functions with one name.
    """
    from kc.codegen.c_source.names import require_names_in_c
    from kc.conversion.legalize_symbols import rename_symbols
    from kc.dialects.llvm import FuncOp

    public = [
        op.sym_name.data
        for op in module.ops
        if isinstance(op, FuncOp) and op.body.blocks and op.linkage.linkage.data == "external"
    ]
    named = {symbol: name_of_symbol(symbol) for symbol in public}
    require_names_in_c(named.values())
    rename_symbols(
        module, {(symbol,): c_name(name) for symbol, name in named.items() if symbol != name}
    )
