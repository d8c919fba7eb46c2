"""The backend for NVIDIA GPUs: PTX, compiled without a GPU or toolkit, and calls that launch it if
there is a driver.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, ModuleOp

from kc.analysis.module_copy import copy_module
from kc.backends import Backend, Build, cuda_emu, printing, warn_unchecked
from kc.backends.files import call_jit, loops_text, record_of
from kc.backends.llvm import noting
from kc.building import compile_cache
from kc.conversion.pipelines import TO_CUDA_SOURCE, TO_NVVM
from kc.dialects.gpu import GPUModuleOp
from kc.runtime.function import CompiledFunction, DeferredFunction
from kc.runtime.module import Module, Source
from kc.runtime.signature import Signature
from kc.support.c_names import machine_symbol
from kc.support.diagnostics import DeviceError, Diagnostic, diagnostic_handler
from kc.support.libdevice import find_libdevice
from kc.support.nvidia import Architecture, architecture_of
from kc.support.pass_context import pipeline_options, step_watcher, using_options
from kc.support.target import Target
from kc.transform import PassContext


@dataclass(frozen=True)
class _Compiled:
    """PTX, the LLVM IR of the host code, the kernels as gpu-level text, and their parameters."""

    ptx: str
    host: str
    gpu: Source
    kernels: Mapping[str, Sequence[str]]
    dynamic_shared: Mapping[str, int] = field(default_factory=dict)
    """The bytes of dynamic shared memory in launches of each kernel, if constant."""

    def entry(self) -> compile_cache.Entry:
        """The entry in the compile cache."""
        parts = {
            "host": self.host,
            "gpu": _text(self.gpu),
            "kernels": dict(self.kernels),
            "dynamic_shared": dict(self.dynamic_shared),
        }
        return compile_cache.Entry(self.ptx, list(self.kernels), json.dumps(parts).encode())

    @staticmethod
    def of(entry: compile_cache.Entry) -> _Compiled:
        """The inverse of :meth:`entry`."""
        return _Compiled(entry.text, **json.loads(entry.object))


@dataclass(frozen=True)
class _HostCode:
    """The host code in this process."""

    engine: Any
    jit: Callable[[str, dict[str, int]], Any] = call_jit

    def address(self, name: str) -> int:
        """The address of the function ``name``."""
        return self.engine.address(machine_symbol(name))


def build(build: Build) -> Module:
    """PTX, and functions that launch it on the GPU that holds their arrays.

    Raises CodegenError KC4361 for code that the GPU does not support, and the errors of the passes.
    A call raises DeviceError KC6021 without a GPU.
    """
    from kc.runtime.gpu.code import DeviceCode
    from kc.runtime.gpu.function import DeviceFunction

    warn_unchecked(build.target)
    arch = architecture_of(build.target)
    key = None
    watched = build.callback is not None or step_watcher() is not None
    if not watched and not PassContext.current().instruments:
        passes = PassContext.current().identity()
        machine = _CacheMachine(arch)
        key = compile_cache.key_of(build.loops, build.signatures, build.target, machine, passes)
    entry = compile_cache.read(key) if key is not None else None
    if entry is None:
        remarks: list[Diagnostic] = []
        compiled, lowered = noting(remarks, lambda: _compile(build))
        # A build with warnings is not cached, so that the next build reports the warnings again.
        if key is not None and not remarks:
            compile_cache.write(key, compiled.entry())
    else:
        compiled = _Compiled.of(entry)
        saved = replace(build, stages=[("tir", copy_module(build.loops))])
        lowered = {"mlir": lambda: _text(_lowered(saved)[1]["mlir"])}
    sources: dict[str, Source] = {
        **build.sources(),
        "gpu": compiled.gpu,
        **lowered,
        "ll": compiled.host,
        "ptx": compiled.ptx,
        "cuda": _cuda_source(build),
    }
    tir = sources["tir"]
    code = DeviceCode(
        compiled.ptx,
        arch.name,
        compiled.kernels,
        lambda: _load_host(compiled.host),
        lambda: cuda_emu.kernels(_text(compiled.gpu), build.target),
        _located(build),
    )
    functions = {signature.name: DeviceFunction(signature, code) for signature in build.signatures}
    return Module(
        functions,
        build.entry,
        sources,
        imported_modules=_kernels(compiled, build),
        artefacts={
            "ptx": lambda: compiled.ptx,
            "mlir": lambda: loops_text(tir, build.target, build.entry),
        },
        record=lambda: record_of(build.signatures, build.entry, build.target),
        watched=cuda_emu.watching(build),
    )


def _build_for_emulator(build: Build) -> Module:
    """Functions that this CPU runs. The GPU code can be read as for ``cuda``, and is compiled on
    demand.
    """
    options = pipeline_options()
    target = Target({**build.target.export(), "kind": "cuda"})
    device = replace(build, target=target, backend=CUDA, callback=None)

    @cache
    def compiled() -> _Compiled:
        with using_options(options):
            return _compile(device)[0]

    module = cuda_emu.build(build)
    module.add_device_code(
        {"ptx": lambda: compiled().ptx, "cuda": _cuda_source(device)},
        lambda: _kernels(compiled(), device),
    )
    return module


class _KernelModule(Module):
    """The imported module: PTX, and data for :func:`kc.gpu.resources`."""

    def __init__(self, compiled: _Compiled, build: Build) -> None:
        super().__init__(
            {name: _kernel(name, build.signatures) for name in compiled.kernels},
            next(iter(compiled.kernels)),
            {"ptx": compiled.ptx},
            artefacts={"ptx": lambda: compiled.ptx},
        )
        self.dynamic_shared = compiled.dynamic_shared
        self.registers_per_block: int = build.target.limits["registers_per_block"]


def _kernels(compiled: _Compiled, build: Build) -> list[Module]:
    """The imported module; none for functions over no elements, which launch nothing."""
    return [_KernelModule(compiled, build)] if compiled.kernels else []


def _cuda_source(build: Build) -> Source:
    """A function that generates CUDA C++ of the kernels with the options of this build."""
    options = pipeline_options()

    def make() -> str:
        from kc.codegen.gpu_source import emit_gpu_source

        again = replace(build, backend=replace(build.backend, pipeline=TO_CUDA_SOURCE))
        with using_options(options):
            module, _ = replace(again, callback=None).lowered()
        return emit_gpu_source(module, "cuda", build.target.limits["thread_warp_size"])

    return make


@dataclass(frozen=True)
class _CacheMachine:
    """The target of PTX, as a machine for the compile cache."""

    arch: Architecture
    triple: str = "nvptx64-nvidia-cuda"

    @property
    def cpu(self) -> str:
        return self.arch.name

    @property
    def features(self) -> str:
        library = find_libdevice()
        if library is None:
            return self.arch.features
        state = library.stat()
        return f"{self.arch.features} {library} {state.st_size} {state.st_mtime_ns}"


def _located(build: Build) -> Callable[[], str]:
    """A function that compiles the PTX again, with source lines."""
    options = pipeline_options()

    def make() -> str:
        from kc.codegen.ptx import ptx_of

        # An earlier step has reported the warnings.
        with using_options(options), diagnostic_handler(lambda _: None):
            module, _ = replace(build, callback=None).lowered()
            return ptx_of(module, build.target, debug_info=True)

    return make


def _lowered(build: Build) -> tuple[ModuleOp, dict[str, Source]]:
    module, sources = build.lowered({"convert-gpu-to-nvvm": "gpu"})
    return module, {**sources, "mlir": printing(module)}


def _compile(build: Build) -> tuple[_Compiled, dict[str, Source]]:
    from kc.codegen.kernel_costs import dynamic_shared, warn_of_memory
    from kc.codegen.llvm_ir import emit_llvm_ir
    from kc.codegen.ptx import ptx_of
    from kc.conversion.gpu_to_llvm import KERNELS, host_code

    module, sources = _lowered(build)
    debug_info = PassContext.current().debug_info
    ptx = ptx_of(module, build.target, debug_info=debug_info)
    warn_of_memory(module, ptx, build.target)
    parameters = _parameters(module)
    with build.target:
        host_module = host_code(module)
    names = host_module.attributes.pop(KERNELS)
    assert isinstance(names, ArrayAttr)
    order = [name.data.partition("::")[2] for name in names]  # pyright: ignore
    host = build.target.host or Target.host_cpu()
    text = emit_llvm_ir(host_module, triple=host.triple, debug_info=debug_info)
    kernels = {name: parameters[name] for name in order}
    compiled = _Compiled(ptx, text, sources["gpu"], kernels, dynamic_shared(module))
    return compiled, {"mlir": sources["mlir"]}


def _parameters(module: ModuleOp) -> dict[str, list[str]]:
    """The LLVM parameter types of each kernel by name; for parameters by value, the type passed."""
    from kc.codegen.llvm_ir.types import TypeTable

    return {
        op.sym_name.data: [  # pyright: ignore
            TypeTable().text(op.arg_attr(n).get("llvm.byval", type_))  # pyright: ignore
            for n, type_ in enumerate(op.function_type.inputs)  # pyright: ignore
        ]
        for home in module.ops
        if isinstance(home, GPUModuleOp)
        for op in home.body.block.ops
        if "nvvm.kernel" in op.attributes
    }


def _load_host(text: str) -> _HostCode:
    from kc.codegen.native import jit
    from kc.runtime.gpu.launcher import ensure_launcher
    from kc.runtime.parallel import ensure_pool

    pool = ensure_pool() if "@kc_parallel_for" in text else {}
    return _HostCode(jit(text, {**pool, **ensure_launcher()}, opt_level=1))


def _kernel(name: str, signatures: Sequence[Signature]) -> DeferredFunction:
    """A kernel of the imported module, which has its PTX alone."""
    hosts = ", ".join(f'module["{signature.name}"]' for signature in signatures)

    def refuse() -> CompiledFunction:
        raise DeviceError(
            "KC6023",
            f"{name} is a kernel, which only host code can launch",
            why="the host code computes its grid, its blocks and its memory",
            hints=[f"call {hosts}"],
        )

    return DeferredFunction(Signature(name, ()), refuse)


def _text(source: Source) -> str:
    return source if isinstance(source, str) else source()


CUDA = Backend(TO_NVVM, build, device="cuda")
"""The backend for targets of the kind ``cuda``."""
CUDA_EMU = replace(cuda_emu.CUDA_EMU, build=_build_for_emulator)
"""The backend for targets of the kind ``cuda-emu``."""
