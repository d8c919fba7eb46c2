"""Shared by tests that give kernels to NVIDIA's assembler ``ptxas``, for each architecture."""

from __future__ import annotations

import pytest
from ptx_resources import assembled
from xdsl.dialects.builtin import ModuleOp

from kc.analysis.module_copy import copy_module
from kc.codegen.ptx import ptx_of
from kc.conversion.pipelines import TO_NVVM, planned_passes
from kc.support.registry import context
from kc.support.target import Target

ARCHES = ("sm_75", "sm_80", "sm_90a", "sm_100a")


def lowered(module: ModuleOp, arch: str = ARCHES[0]) -> ModuleOp:
    """A module of loops in the dialects llvm and nvvm, for an architecture: the oldest one."""
    module = copy_module(module)
    with Target(f"cuda -arch={arch}"):
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
