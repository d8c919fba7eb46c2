"""The backend that runs kernels for NVIDIA GPUs on this machine's CPU."""

from __future__ import annotations

from dataclasses import replace

from xdsl.dialects.builtin import ModuleOp, StringAttr

from kc.backends import Backend, Build, llvm
from kc.conversion.convert_gpu_to_cpu import SITES
from kc.conversion.pipelines import TO_EMULATOR
from kc.runtime.emulator import Place
from kc.runtime.module import Module, WatchedModule
from kc.support.diagnostics import Location
from kc.support.pass_context import pipeline_options, using_options
from kc.support.target import Target

_CONVERSION = "convert-gpu-to-cpu"


def build(build: Build) -> Module:
    """Machine code of the host code and of its kernels, which it calls.

    Raises what ``kc.backends.llvm`` raises, and what the passes refuse.
    """
    module = llvm.build(_on_host(build))
    module.watched = lambda: watched(build)
    return module


def watched(build: Build) -> WatchedModule:
    """Machine code that watches what kernels do; it is in no cache."""
    places: list[Place] = []

    def note(stage: str, module: ModuleOp) -> None:
        if stage == _CONVERSION:
            places.extend(_places(module))

    with using_options(replace(pipeline_options(), watched=True)):
        module = llvm.build(replace(_on_host(build), callback=note, backend=CUDA_EMU))
    return WatchedModule(module, places)


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
"""The backend for targets of the kind ``cuda-emu``."""
