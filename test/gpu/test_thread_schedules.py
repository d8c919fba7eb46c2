"""Random schedules of threads, 300 in a sweep: results are numpy's, nothing is found, ptxas takes
the PTX."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import optional_tools
import pytest
from access_verdicts import disagreeing
from property_tests import is_sweep
from thread_schedules import Case, cases

import kc
from kc.analysis.module_copy import copy_module
from kc.conversion.pipelines import TO_GPU, planned_passes
from kc.dialects.gpu import GPUModuleOp
from kc.support.diagnostics import KCError, diagnostic_handler
from kc.support.registry import context
from kc.support.target import Target

ARCHES = ("sm_75", "sm_80", "sm_90a", "sm_100a")
SEEDS = [
    seed if seed < len(ARCHES) else pytest.param(seed, marks=pytest.mark.sweep)
    for seed in range(12)
]
"""One for each architecture, and two more for each in a sweep."""
IN_EACH = 25 if is_sweep() else 8
USUAL = frozenset(
    "blockIdx.x blockIdx.y cross-thread local predicate shared threadIdx.x threadIdx.y".split()
)
"""Features that some of the 25 schedules of each seed have."""
UNSUITABLE = frozenset(
    "KC3408 KC3416 KC3417 KC3418 KC4222 KC4223 KC4224 KC4225 KC4226 KC4227 KC4228".split()
)
"""The codes that keep a meaningful schedule from being a kernel."""
LEFT_OUT = 1 / 4
"""Of the drawn schedules at most so many are refused."""
PLAIN = 2
"""Of each seed so many run without being watched too."""


@pytest.mark.parametrize("seed", SEEDS)
def test_random_thread_schedules(seed: int, tmp_path: Path):
    arch = ARCHES[seed % len(ARCHES)]
    drawn: list[Case] = []
    refused = 0
    with diagnostic_handler(lambda _: None):
        for case in cases(seed):
            if isinstance(case, KCError) or not becomes_kernels(case, arch):
                refused += 1
            else:
                drawn.append(case)
            if len(drawn) == IN_EACH:
                break
        module = kc.build(merged(drawn), target=f"cuda -arch={arch}")
        for case in drawn:
            check(case, module)
        for case in drawn[:PLAIN]:
            run(case)
    assert refused <= LEFT_OUT * (refused + len(drawn))
    if is_sweep():
        assert frozenset().union(*(case.features for case in drawn)) >= USUAL
    assemble(module.get_source("ptx"), arch, tmp_path)


def becomes_kernels(case: Case, arch: str) -> bool:
    """Bring the module of a case to kernels in the dialect gpu, unless that is refused."""
    try:
        with Target(f"cuda -arch={arch}"):
            for planned in planned_passes(TO_GPU, "cuda"):
                planned.apply(context(), case.module.op)
    except KCError as refusal:
        if refusal.code not in UNSUITABLE:
            raise AssertionError(case.text) from refusal
        return False
    return True


def merged(drawn: list[Case]) -> kc.IRModule:
    """One module of the kernels and launches of all cases."""
    module = copy_module(drawn[0].module.op)
    (kernels,) = (op for op in module.ops if isinstance(op, GPUModuleOp))
    for case in drawn[1:]:
        for op in list(copy_module(case.module.op).ops):
            for part in op.body.block.ops if isinstance(op, GPUModuleOp) else [op]:
                part.detach()
                home = kernels if isinstance(op, GPUModuleOp) else module
                home.body.block.add_op(part)
    return kc.IRModule(module)


def check(case: Case, module: Any) -> None:
    """Results are those of numpy, and no thread does anything that is wrong on a GPU: nothing
    is seen, and that there is nothing is proven."""
    arrays = case.fresh
    report = kc.gpu.check(module, *arrays, name=case.name)
    compare(case, arrays)
    assert report.ok, f"{report}\n{case.text}"
    verdicts = [verdict for kernel in report.verdicts for verdict in kernel.safety]
    assert verdicts
    assert all(verdict.is_clean for verdict in verdicts), f"{report}\n{case.text}"
    assert disagreeing(report) == [], f"{report}\n{case.text}"


def run(case: Case) -> None:
    """Results are those of numpy too where nobody watches: threads are loops then, if they can."""
    arrays = case.fresh
    kc.build(case.module, target="cuda-emu")(*arrays)
    compare(case, arrays)


def compare(case: Case, arrays: list[np.ndarray]) -> None:
    results = arrays[len(arrays) - len(case.expected) :]
    for result, expected in zip(results, case.expected, strict=True):
        np.testing.assert_array_equal(result, expected, err_msg=f"{case.name}:\n{case.text}")


def assemble(ptx: str, arch: str, folder: Path) -> None:
    """``ptxas`` takes the PTX; nothing where it is not installed, or knows no such architecture."""
    assembler = optional_tools.find("ptxas")
    if assembler is None:
        return
    file = folder / "kernels.ptx"
    file.write_text(ptx, encoding="utf-8")
    command = [assembler, f"-arch={arch}", str(file), "-o", str(file.with_suffix(".cubin"))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "is not defined for option 'gpu-name'" in done.stderr:
        return
    assert done.returncode == 0, done.stderr
    assert "spill" not in done.stderr
