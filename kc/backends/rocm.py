"""The backend for GPUs of AMD: objects and assembly, made without a GPU and without a toolkit."""

from __future__ import annotations

from kc.backends import Backend, Build, warn_unchecked
from kc.backends.gpu_source import device_module, elsewhere
from kc.codegen.device_code import compile_amdgpu
from kc.conversion.pipelines import TO_AMDGPU
from kc.runtime.module import Module

_HINT = (
    'module.get_source("amdgcn") is the assembly, module.save("k.o") the object, which ld.lld '
    "-shared makes loadable"
)


def build(build: Build) -> Module:
    """An object, assembly, and functions whose calls are refused, with the tool that would run
    them.

    Raises the errors of ``compile_amdgpu`` and of the passes.
    """
    warn_unchecked(build.target)
    module, sources = build.lowered({"convert-gpu-to-llvm-amdgpu": "gpu"})
    code = compile_amdgpu(module, build.target)
    return device_module(
        build,
        module,
        {"gpu": sources["gpu"], "amdgcn": code.asm, "asm": code.asm, "ll": code.ir},
        {"o": lambda: code.object, "s": lambda: code.asm},
        lambda signature: elsewhere(signature, "a GPU of AMD", _HINT),
    )


ROCM = Backend(TO_AMDGPU, build)
"""The backend for targets of the kind ``rocm``."""
