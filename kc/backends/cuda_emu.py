"""The backend that runs kernels for NVIDIA GPUs on this machine's CPU."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    IndexType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    UnrealizedConversionCastOp,
    i32,
    i64,
)
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from kc.analysis.gpu.kernel_accesses import KernelVerdicts, verdicts_of
from kc.analysis.gpu.kernel_launches import Shapes, shapes_of
from kc.backends import Backend, Build, Stages, llvm
from kc.conversion.convert_gpu_to_cpu import SITES
from kc.conversion.pipelines import TO_EMULATOR
from kc.dialects.gpu import GPUFuncOp, GPUModuleOp, LaunchFuncOp, LaunchOp
from kc.dialects.llvm import IntToPtrOp
from kc.dialects.nvgpu import TensorMapDescriptorType
from kc.runtime.emulator import Place
from kc.runtime.function import CompiledFunction
from kc.runtime.module import Module, WatchedModule
from kc.support import progress, registry
from kc.support.diagnostics import Location
from kc.support.ir_text import parse_module
from kc.support.pass_context import pipeline_options, step_watcher, using_options
from kc.support.paused_collection import paused_collection
from kc.support.reproducer import reproducing
from kc.support.target import Target
from kc.transform import PassContext

_CONVERSION = "convert-gpu-to-cpu"


def build(build: Build) -> Module:
    """Machine code of the host code and of its kernels, which it calls.

    Raises the errors of ``kc.backends.llvm`` and of the passes.
    """
    with _checking_launches(build):
        module = llvm.build(_on_host(build))
    module.watched = watching(build)
    return module


def watching(build: Build) -> Callable[[], WatchedModule]:
    """A function that compiles the module with checked kernels (:func:`watched`), once per
    configuration of the passes.
    """
    modules: dict[str, WatchedModule] = {}

    def get() -> WatchedModule:
        context = PassContext.current()
        passes = context.identity()
        is_seen = bool(context.instruments) or step_watcher() is not None
        if passes is None or is_seen or registry.current().plugins:
            return watched(build)
        if passes not in modules:
            modules[passes] = watched(build)
        return modules[passes]

    return get


def watched(build: Build) -> WatchedModule:
    """Machine code with checked kernels; it is not cached."""
    places: list[Place] = []
    shapes = shapes_of(build.loops)
    verdicts: dict[str, tuple[KernelVerdicts, ...]] = {}

    def note(stage: str, module: ModuleOp) -> None:
        if stage == "convert-nvvm-to-gpu":
            verdicts.update(_verdicts(module, shapes))
        if stage == _CONVERSION:
            places.extend(_places(module))

    with _checking_launches(build), using_options(replace(pipeline_options(), watched=True)):
        on_host = replace(_on_host(build), callback=note, backend=CUDA_EMU, is_quick=True)
        module = llvm.build(on_host)
    return WatchedModule(module, places, verdicts)


def watched_stages(stages: Stages, target: Target) -> WatchedModule:
    """:func:`watched` of the modules on the way to the loops, and nothing else of a build."""
    return watched(Build(stages, target, "main", None, CUDA_EMU))


def _checking_launches(build: Build) -> AbstractContextManager[None]:
    """A context in which launches of programs with explicit launches check their sizes. For other
    programs, calls check the sizes of arguments.
    """
    options = pipeline_options()
    if options.checks_launches is not None:
        return using_options(options)
    is_given = any(isinstance(op, LaunchOp | LaunchFuncOp) for op in build.loops.walk())
    return using_options(replace(options, checks_launches=is_given))


def _verdicts(module: ModuleOp, shapes: Shapes) -> dict[str, tuple[KernelVerdicts, ...]]:
    """For each host function, the verdicts on the kernels that it launches, directly or through
    calls.
    """
    kernels = {
        (home.sym_name.data, kernel.sym_name.data): verdicts_of(kernel, shapes)
        for home in module.ops
        if isinstance(home, GPUModuleOp)
        for kernel in home.body.block.ops
        if isinstance(kernel, GPUFuncOp) and kernel.is_kernel
    }
    functions = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}
    verdicts: dict[str, tuple[KernelVerdicts, ...]] = {}
    for name in functions:
        called = [name]
        launched: dict[tuple[str, str], None] = {}
        for caller in called:  # the loop body appends to the list
            for op in functions[caller].walk():
                if isinstance(op, LaunchFuncOp):
                    launched[op.kernel_names] = None
                elif isinstance(op, CallOp):
                    callee = op.callee.root_reference.data
                    if callee in functions and callee not in called:
                        called.append(callee)
        verdicts[name] = tuple(kernels[key] for key in launched if key in kernels)
    return verdicts


def kernels(text: str, target: Target) -> dict[str, CompiledFunction]:
    """The kernels of a module at the gpu level, given as text, as functions for the CPU.

    The arguments are those of the kernel, then the sizes of the grid and of a block, and the bytes
    of dynamic shared memory.
    """
    module = parse_module(text, "kernels", registry.context())
    for host in [op for op in module.ops if not isinstance(op, GPUModuleOp)]:
        host.detach()
        host.erase()
    for home in [op for op in module.ops if isinstance(op, GPUModuleOp)]:
        for kernel in home.body.block.ops:
            if isinstance(kernel, GPUFuncOp) and kernel.is_kernel:
                module.body.block.add_op(_launch_of(home, kernel))
    emulated = Target({**target.export(), "kind": "cuda-emu"})
    with (
        paused_collection(),
        progress.tracking("kc.build", PassContext.current().progress, ("passes", "code")),
        reproducing("kc.build", lambda: text),
        # A driver has checked the launches.
        using_options(replace(pipeline_options(), checks_launches=False)),
    ):
        compiled = build(Build([("tir", module)], emulated, "main", None, CUDA_EMU))
    functions = compiled.functions
    return {name: function for name, function in functions.items()}  # pyright: ignore


def _launch_of(home: GPUModuleOp, kernel: GPUFuncOp) -> FuncOp:
    """A host function that launches a kernel with any sizes; a map is passed by its address."""
    index = IndexType()
    types = [
        i64 if isinstance(type_, TensorMapDescriptorType) else type_
        for type_ in kernel.function_type.inputs
    ]
    block = Block(arg_types=[*types, *[index] * 7])
    arguments: list[SSAValue] = list(block.args[: len(types)])
    sizes = block.args[len(types) :]
    for n, type_ in enumerate(kernel.function_type.inputs):
        if isinstance(type_, TensorMapDescriptorType):
            place = IntToPtrOp(arguments[n])
            map_ = UnrealizedConversionCastOp.get([place.results[0]], [type_])
            block.add_ops([place, map_])
            arguments[n] = map_.results[0]
    shared = arith.IndexCastOp(sizes[6], i32)
    name = SymbolRefAttr(home.sym_name.data, [kernel.sym_name.data])
    launch = LaunchFuncOp(
        name, sizes[:3], sizes[3:6], arguments, dynamic_shared_memory_size=shared.result
    )
    block.add_ops([shared, launch, ReturnOp()])
    return FuncOp(kernel.sym_name.data, (block.arg_types, []), Region(block))


def _on_host(build: Build) -> Build:
    host = build.target.host or Target.host_cpu()
    return replace(build, target=host, device=build.target.with_host(host))


def _places(module: ModuleOp) -> list[Place]:
    places: list[Place] = []
    for site in getattr(module.attributes.get(SITES), "data", ()):
        what, buffer, memory, file = (
            text.data if isinstance(text := site.data.get(key), StringAttr) else ""
            for key in ("what", "buffer", "memory", "file")
        )
        location = None
        if file:
            line, column = (site.data[key].value.data for key in ("line", "column"))
            location = Location(file, line, column)
        places.append(Place(what, buffer, location, memory))
    return places


CUDA_EMU = Backend(TO_EMULATOR, build)
"""The backend for targets of the kind ``cuda-emu``, without the code for the GPU."""
