"""Vectors that are spilled lie in one line of the cache each, wherever the caller's stack ends."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

import kc
from kc import te
from kc.codegen.native import host_target

pytestmark = pytest.mark.skipif(
    not host_target()[0].startswith("x86_64"), reason="LLVM of an x86 has its code"
)


def code(function: Callable[[Any], Any], cpu: str) -> str:
    x = te.placeholder((20, 256), "float32", name="X")
    y = te.compute(x.shape, lambda i, j: function(x[i, j]), name="Y")
    return kc.build([x, y], target=f"llvm -mcpu={cpu}").get_source("asm")


def gelu(x: Any) -> Any:
    return 0.5 * x * (1.0 + te.erf(x * 0.5**0.5))


@pytest.mark.parametrize(("cpu", "size"), [("sapphirerapids", 64), ("haswell", 32)])
def test_the_stack_is_aligned_to_spilled_vectors(cpu: str, size: int):
    asm = code(gelu, cpu)
    register = {64: "zmm", 32: "ymm"}[size]
    assert re.search(rf"vmov(aps|dqa64)\s+%{register}\d+, -?\d*\(%rsp\)", asm)
    assert not re.search(rf"vmov(up\w|dqu\w*)\s+%{register}\d+, -?\d*\(%r[sb]p\)", asm)
    assert re.search(rf"andq\s+\$-{size}, %rsp", asm)


def test_a_function_that_spills_nothing_has_no_frame():
    assert "%rbp" not in code(lambda x: x + x, "sapphirerapids")
