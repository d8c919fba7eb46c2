"""A target's options for floating-point code: contraction, fast-math flags, the level of LLVM."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import kc
from kc import te

HOST = "llvm -mcpu=x86-64-v3"


def build(target: str) -> Any:
    """``E = A * B + C * D`` of vectors."""
    A, B, C, D = (te.placeholder((4096,), "float32", name) for name in "ABCD")
    E = te.compute((4096,), lambda i: A[i] * B[i] + C[i] * D[i], "E")
    s = te.create_schedule(E.op)
    s[E].vectorize(s[E].split(E.op.axis[0], 16)[1])
    return kc.build(s, [A, B, C, D, E], target)


def run(function: Any) -> tuple[np.ndarray, np.ndarray]:
    """The result of the function, and that of each operation rounded by itself."""
    generator = np.random.default_rng(0)
    a, b, c, d = (generator.standard_normal(4096).astype(np.float32) for _ in range(4))
    out = np.zeros_like(a)
    try:
        function(a, b, c, d, out)
    except kc.error.TargetError as error:
        pytest.skip(error.message)
    return out, a * b + c * d


def test_products_and_sums_are_contracted() -> None:
    function = build(HOST)
    assert "vfmadd" in function.get_source("asm")
    result, separate = run(function)
    assert (result != separate).any()
    np.testing.assert_allclose(result, separate, rtol=1e-4, atol=1e-6)


def test_contraction_can_be_forbidden() -> None:
    function = build(f"{HOST} -contract=0")
    assert "fmadd" not in function.get_source("asm")
    result, separate = run(function)
    assert (result == separate).all()


@pytest.mark.parametrize(
    ("options", "flags"),
    [
        ("", "contract"),
        ("-contract=0", ""),
        ("-fast-math-contract=0", ""),
        ("-fast-math", "fast"),
        ("-fast-math-nsz -fast-math-arcp", "nsz arcp contract"),
        ("-fast-math -fast-math-nnan=0 -contract=0", "reassoc ninf nsz arcp afn"),
    ],
)
def test_flags_reach_llvm(options: str, flags: str) -> None:
    text = build(f"llvm {options}").get_source("ll")
    seen = re.findall(r"= f(?:mul|add) (.*?) ?<16 x float>", text)
    assert set(seen) == {flags}
    assert kc.target.Target(f"llvm {options}").fast_math == tuple(
        ("reassoc nnan ninf nsz arcp contract afn" if flags == "fast" else flags).split()
    )


def test_attributes_are_read_back() -> None:
    target = kc.target.Target("llvm -fast-math -fast-math-nnan=0 -opt-level=1")
    assert str(target) == "llvm -fast-math=1 -fast-math-nnan=0 -opt-level=1"
    assert kc.target.Target(str(target)) == target
    assert (target.attrs["fast-math"], target.attrs["opt-level"]) == (True, 1)


def test_the_level_of_llvm() -> None:
    plain, optimised = (build(f"llvm -opt-level={level}") for level in (0, 2))
    assert len(plain.get_source("asm")) > len(optimised.get_source("asm"))
    for function in (plain, optimised):
        result, separate = run(function)
        np.testing.assert_allclose(result, separate, rtol=1e-4, atol=1e-6)
