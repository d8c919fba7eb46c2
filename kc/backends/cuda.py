"""The backend for NVIDIA GPUs: PTX, which needs no GPU and no toolkit to be made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from xdsl.dialects.builtin import ModuleOp

from kc.analysis.module_copy import copy_module
from kc.backends import Backend, Build, cuda_emu, printing, warn_unchecked
from kc.backends.cuda_emu import CUDA_EMU
from kc.backends.files import loops_text, record_of
from kc.conversion.pipelines import TO_NVVM
from kc.dialects.gpu import GPUModuleOp
from kc.runtime.function import CompiledFunction, DeferredFunction
from kc.runtime.module import Module
from kc.runtime.signature import Signature
from kc.support.diagnostics import CodegenError, DeviceError
from kc.support.environment import read
from kc.support.nvidia import architecture_of
from kc.support.registry import context, get_pass
from kc.support.target import Target

DRIVER = "KC_CUDA"
"""The environment variable that says what runs kernels: ``emu`` is the emulator."""


def ptx_of(module: ModuleOp, target: Target) -> str:
    """PTX of the kernels of a module whose kernels are in the dialects llvm and nvvm.

    Raises CodegenError KC4363 for a module without kernels, and what ``kc.codegen.ptx`` raises.
    """
    from kc.codegen.ptx import compile_ptx, emit_device_ir

    arch = architecture_of(target)
    code = [op for op in module.ops if isinstance(op, GPUModuleOp)]
    if not code:
        raise CodegenError(
            "KC4363",
            "there is no kernel",
            why="no loop is bound to blocks or threads, and there is no gpu.module",
            hints=['bind a loop: s[C].bind(i, te.thread_axis("blockIdx.x"))'],
        )
    device = ModuleOp([])
    for home in code:
        for op in home.body.block.ops:
            device.body.block.add_op(op.clone())
    get_pass("convert-nvvm-to-llvm").apply(context(), device)
    return compile_ptx(emit_device_ir(device, arch), arch)


def build(build: Build) -> Module:
    """PTX, and functions whose calls say what would run them.

    Raises CodegenError KC4361 for what the GPU has no code for, and what the passes refuse.
    """
    device = build.target.export()
    emulated = replace(build, target=Target({**device, "kind": "cuda-emu"}), backend=CUDA_EMU)
    if read(DRIVER) == "emu":
        return cuda_emu.build(emulated)
    warn_unchecked(build.target)
    module, sources = build.lowered({"convert-gpu-to-nvvm": "gpu"})
    text = ptx_of(module, build.target)
    sources = {**build.sources(), **sources, "mlir": printing(copy_module(module)), "ptx": text}
    tir = sources["tir"]
    functions = {signature.name: _elsewhere(signature) for signature in build.signatures}
    kernels = _kernels(module, build)
    device = Module(
        {name: _elsewhere(signature) for name, signature in kernels.items()},
        next(iter(kernels)),
        {"ptx": text},
        artefacts={"ptx": lambda: text},
    )
    return Module(
        functions,
        build.entry,
        sources,
        imported_modules=[device],
        artefacts={"ptx": lambda: text, "mlir": lambda: loops_text(tir, build.target, build.entry)},
        record=lambda: record_of(build.signatures, build.entry, build.target),
        watched=lambda: cuda_emu.watched(emulated),
    )


def _kernels(module: ModuleOp, build: Build) -> dict[str, Signature]:
    """The kernels by name, each with the signature of the entry function."""
    entry = next(s for s in build.signatures if s.name == build.entry)
    return {
        op.sym_name.data: entry  # pyright: ignore[reportAttributeAccessIssue]
        for home in module.ops
        if isinstance(home, GPUModuleOp)
        for op in home.body.block.ops
        if "nvvm.kernel" in op.attributes
    }


def _elsewhere(signature: Signature) -> DeferredFunction:
    def refuse() -> CompiledFunction:
        raise DeviceError(
            "KC6021",
            f"{signature.name} is compiled for an NVIDIA GPU, and kc does not launch on one yet",
            why="this version makes PTX for it",
            hints=[
                'target="cuda-emu", or KC_CUDA=emu in the environment, runs the same kernels here',
                "module.imported_modules[0].get_source() is the PTX, for a CUDA driver",
            ],
        )

    refusal: Callable[[], CompiledFunction] = refuse
    return DeferredFunction(signature, refusal)


CUDA = Backend(TO_NVVM, build, device="cuda")
"""The backend for targets of the kind ``cuda``."""
