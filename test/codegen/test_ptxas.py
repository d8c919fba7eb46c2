"""The assembler takes our PTX on every architecture, and agrees with what is read off it.

``ptxas`` is part of CUDA's toolkit; ``pip install nvidia-cuda-nvcc`` has it alone.
"""

from __future__ import annotations

import runpy
import sys
from functools import cache
from pathlib import Path
from typing import Any

import optional_tools
import pytest
from ptx_resources import KERNELS, assembled
from xdsl.dialects.builtin import ModuleOp

import kc
from kc.analysis.module_copy import copy_module
from kc.analysis.ptx_resources import resources
from kc.codegen.ptx import ptx_of
from kc.conversion.pipelines import TO_NVVM, planned_passes
from kc.support.diagnostics import diagnostic_handler
from kc.support.registry import context
from kc.support.target import Target

pytestmark = pytest.mark.skipif(
    optional_tools.find("ptxas") is None, reason="ptxas is not installed"
)

ARCHES = ("sm_75", "sm_80", "sm_90a", "sm_100a")
LESSONS = sorted((Path(__file__).parents[2] / "examples" / "lessons").glob("*gpu*.py"))


@cache
def kernels_of(name: str) -> ModuleOp:
    """A kernel of the benchmark in the dialects llvm and nvvm, for the oldest architecture."""
    s, args = KERNELS[name]()
    return lowered(kc.lower(s, args).op)


def lowered(module: ModuleOp) -> ModuleOp:
    module = copy_module(module)
    with Target("cuda -arch=sm_75"):
        for planned in planned_passes(TO_NVVM, "cuda"):
            planned.apply(context(), module)
    return module


def numbers(module: ModuleOp, arch: str) -> tuple[str, dict[str, tuple[int, int, int]]]:
    """PTX, and what ptxas says of each kernel; skips an architecture that it does not know."""
    ptx = ptx_of(module, Target(f"cuda -arch={arch}"))
    try:
        return ptx, assembled(ptx, arch)
    except Exception as error:
        if "is not defined for option 'gpu-name'" in str(getattr(error, "stderr", "")):
            pytest.skip(f"this ptxas does not know {arch}")
        raise


@pytest.mark.parametrize("name", KERNELS)
def test_registers_and_memory_are_those_of_ptxas(name: str):
    """Within 15 %, without spills; memory is the same."""
    ptx, said = numbers(kernels_of(name), "sm_80")
    (kernel,) = resources(ptx)
    registers, shared, spilled = said[kernel.name]
    assert kernel.shared == shared
    assert kernel.local == spilled == kernel.spilled == 0
    assert abs(kernel.registers - registers) <= 0.15 * registers


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("name", ["layer norm", "... copies ahead", "exp of float64"])
def test_every_architecture_is_assembled(name: str, arch: str):
    _, said = numbers(kernels_of(name), arch)
    assert [spilled for _, _, spilled in said.values()] == [0]


@pytest.mark.slow
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)
def test_kernels_of_lessons_are_assembled(
    lesson: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """What a lesson runs on the emulator is code for each architecture, without spills: its kernels
    take turns."""
    modules: list[ModuleOp] = []
    build = kc.build

    def remember(s: Any, args: Any = None, *rest: Any, **options: Any) -> Any:
        if str(options.get("target", "")).startswith("cuda"):
            source = kc.lower(s, args) if args is not None else s
            modules.append(copy_module(source.op))
        return build(s, args, *rest, **options)

    monkeypatch.setattr(kc, "build", remember)
    monkeypatch.setattr(sys, "argv", [str(lesson)])
    with diagnostic_handler(lambda _: None):
        runpy.run_path(str(lesson), run_name="__main__")
    capsys.readouterr()
    assert modules
    for n, module in enumerate(modules):
        code = lowered(module)
        for arch in ARCHES[n % 2 :: 2]:
            _, said = numbers(code, arch)
            assert said
            assert all(spilled == 0 for _, _, spilled in said.values())
