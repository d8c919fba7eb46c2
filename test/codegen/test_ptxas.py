"""The assembler takes our PTX on every architecture, and agrees with what is read off it.

``ptxas`` is part of CUDA's toolkit; ``pip install nvidia-cuda-nvcc`` has it alone.
"""

from __future__ import annotations

from functools import cache

import optional_tools
import pytest
from assembled_kernels import ARCHES, lowered, numbers
from ptx_resources import KERNELS
from xdsl.dialects.builtin import ModuleOp

import kc
from kc.analysis.ptx_resources import resources

pytestmark = pytest.mark.skipif(
    optional_tools.find("ptxas") is None, reason="ptxas is not installed"
)


@cache
def kernels_of(name: str) -> ModuleOp:
    """A kernel of the benchmark in the dialects llvm and nvvm, for the oldest architecture."""
    s, args = KERNELS[name]()
    return lowered(kc.lower(s, args).op)


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
