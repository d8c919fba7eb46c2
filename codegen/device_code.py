"""Kernels for AMD GPUs and as SPIR-V, compiled by LLVM's backends.

LLVM aborts the process on unsupported code, so it runs in a process of its own.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp

from kc.codegen.llvm_ir import emit_llvm_ir
from kc.codegen.native_target import Machine, last_words, run_worker
from kc.dialects.gpu import GPUModuleOp
from kc.support import progress
from kc.support.diagnostics import CodegenError
from kc.support.target import Target

AMDGPU_TRIPLE = "amdgcn-amd-amdhsa"
SPIRV_TRIPLE = "spirv64v1.2-unknown-unknown"
"""SPIR-V 1.2, the version for OpenCL 2.2."""
DEFAULT_AMDGPU = "gfx90a"
"""The default GPU."""


@dataclass(frozen=True)
class DeviceCode:
    """The text of LLVM IR, of the assembly, and the object or module, of a device's kernels."""

    ir: str
    asm: str
    object: bytes


def compile_amdgpu(module: ModuleOp, target: Target, opt_level: int = 3) -> DeviceCode:
    """The code of kernels in the llvm dialect for the GPU ``-arch`` of ``target``.

    The object is a relocatable ELF file, which ``ld.lld -shared`` links to a loadable one.
    Raises CodegenError: KC4101 to KC4106, and KC4361 for unsupported code.
    """
    arch = str(target.attrs.get("arch", target.attrs.get("mcpu", DEFAULT_AMDGPU)))
    return _compile(module, Machine(AMDGPU_TRIPLE, cpu=arch), arch, opt_level)


def compile_spirv(module: ModuleOp, opt_level: int = 1) -> DeviceCode:
    """The code of kernels in the llvm dialect as SPIR-V for OpenCL; its assembly is the SPIR-V
    text.

    Raises the errors of :func:`compile_amdgpu`.
    """
    return _compile(module, Machine(SPIRV_TRIPLE), "SPIR-V", opt_level)


def _compile(module: ModuleOp, machine: Machine, what: str, opt_level: int) -> DeviceCode:
    code = [op for op in module.ops if isinstance(op, GPUModuleOp)]
    device = ModuleOp([])
    for home in code:
        for op in home.body.block.ops:
            device.body.block.add_op(op.clone())
    progress.note("code", 0, "LLVM")
    text = emit_llvm_ir(device, triple=machine.triple, cpu=machine.cpu or None)
    done = run_worker(machine, text, opt_level)
    if done.returncode:
        raise CodegenError(
            "KC4361", f"LLVM cannot generate code for this on {what}", why=last_words(done.stderr)
        )
    answer = json.loads(done.stdout)
    if "refused" in answer:
        lines = [line.rstrip() for line in answer["refused"].splitlines() if line.strip()]
        raise CodegenError("KC4106", "LLVM refuses the IR", facts=lines[:6])
    return DeviceCode(answer["ir"], answer["asm"], base64.b64decode(answer["object"]))
