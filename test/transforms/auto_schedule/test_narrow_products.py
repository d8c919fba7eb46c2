"""Default schedules of products of f16 and bf16 by multiply-adds of f32: each element is converted
once, where operands are packed."""

import re
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import kc
from kc import te
from kc.target import Target

GENERATOR = np.random.default_rng(11)
X86 = "llvm -mtriple=x86_64-unknown-linux-gnu -num-cores=1 -mcpu="


def product(m: Any, n: Any, k: Any, dtype: str, total: str, result: str) -> list[Any]:
    """The tensors of C = A B, added up in ``total``."""
    A = te.placeholder((m, k), dtype, name="A")
    B = te.placeholder((k, n), dtype, name="B")
    r = te.reduce_axis((0, k), name="k")

    def sums(i: Any, j: Any) -> Any:
        return te.sum(A[i, r].astype(total) * B[r, j].astype(total), axis=r)

    S = te.compute((m, n), sums, name="S")
    if result == total:
        return [A, B, S]
    return [A, B, te.compute((m, n), lambda i, j: S[i, j].astype(result), name="C")]


def innermost_loop(assembly: str, instruction: str) -> list[str]:
    """The instructions, by name, of the loop without an inner one that has most of these."""
    lines = [line.strip() for line in assembly.splitlines()]
    bodies = []
    for at, line in enumerate(lines):
        branch = re.fullmatch(r"j\w+\s+(\.LBB\w+)", line)
        if branch is None or f"{branch[1]}:" not in lines[:at]:
            continue
        body = lines[lines.index(f"{branch[1]}:") : at]
        if not any(re.match(r"j\w+\s", it) for it in body):
            bodies.append([it.split()[0] for it in body if it and not it.startswith((".", "#"))])
    return max(bodies, key=lambda body: sum(it.startswith(instruction) for it in body))


@pytest.mark.parametrize("result", ["float16", "float32"])
@pytest.mark.parametrize("cpu", ["haswell", "znver5", "sapphirerapids"])
def test_nothing_is_converted_in_the_innermost_loop(cpu: str, result: str):
    args = product(240, 256, 128, "float16", "float32", result)
    assembly = kc.build(args, target=Target(f"{X86}{cpu}")).get_source("asm")
    body = innermost_loop(assembly, "vfmadd")
    assert sum(it.startswith("vfmadd") for it in body) >= 12
    assert not any(it.startswith(("vcvt", "vpmovzx", "vpinsr", "vpsll")) for it in body)


def test_sums_of_f16_stay_f16():
    """Accumulation is in f16 where the program says so, by instructions that do it."""
    args = product(240, 256, 128, "float16", "float16", "float16")
    target = Target(f"{X86}sapphirerapids")
    body = innermost_loop(kc.build(args, target=target).get_source("asm"), "vfmadd")
    assert any(re.fullmatch(r"vfmadd\d+ph", it) for it in body)
    assert not any(it.startswith("vcvt") for it in body)


def test_tiles_of_f16_where_the_core_has_them():
    args = product(256, 256, 256, "float16", "float32", "float16")
    for cpu, has_tiles in (("graniterapids", True), ("sapphirerapids", False)):
        assembly = kc.build(args, target=Target(f"{X86}{cpu}")).get_source("asm")
        assert ("tdpfp16ps" in assembly) is has_tiles


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("shape", [(240, 256, 128), (61, 130, 75), ("m", "n", "k")])
def test_results(shape: tuple[Any, Any, Any], dtype: str):
    """Sums of small multiples of 1/8 are exact; subnormal numbers and infinities are themselves."""
    rows, columns, terms = (te.var(it) if isinstance(it, str) else it for it in shape)
    f = kc.build(product(rows, columns, terms, dtype, "float32", "float32"))
    m, n, k = (67, 129, 40) if isinstance(shape[0], str) else shape
    element = np.dtype(dtype if dtype == "float16" else ml_dtypes.bfloat16)
    a, b = ((GENERATOR.integers(-32, 32, it) / 8).astype(element) for it in ((m, k), (k, n)))
    a[3], a[3, 5], a[4, 2] = 0, 2.0**-24, np.inf  # the smallest number of f16
    b[5], b[2] = 1, 1
    result = np.zeros((m, n), np.float32)
    f(a, b, result)
    exact = a.astype(np.float64) @ b.astype(np.float64)
    np.testing.assert_array_equal(result, exact)
