"""target="c": C source that is compiled when it is first called, and computes the same."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import kc
from kc import te
from kc.runtime import load_module
from kc.support.diagnostics import KCError
from kc.target import Target

CC = shutil.which("cc")
needs_cc = pytest.mark.skipif(CC is None, reason="there is no C compiler")


def matmul(target: Target | str = "c", dtype: str = "float32", parallel: bool = True):
    n, k = te.var("n"), 24
    A, B = te.placeholder((n, k), dtype, "A"), te.placeholder((k, 40), dtype, "B")
    r = te.reduce_axis((0, k), "r")
    C = te.compute((n, 40), lambda i, j: te.sum(A[i, r] * B[r, j], axis=r), name="C")
    s = te.create_schedule(C.op)
    if parallel:
        s[C].parallel(C.op.axis[0])
    s[C].vectorize(s[C].split(C.op.axis[1], factor=8)[1])
    return kc.build(s, [A, B, C], target=target, name="matmul")


def operands(dtype: str = "float32") -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    return (
        rng.integers(-9, 9, (13, 24)).astype(dtype),
        rng.integers(-9, 9, (24, 40)).astype(dtype),
    )


@needs_cc
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "float16"])
def test_calls(dtype: str):
    a, b = operands(dtype)
    out = np.zeros((13, 40), dtype)
    matmul(dtype=dtype)(a, b, out)
    np.testing.assert_array_equal(out, (a.astype("float64") @ b.astype("float64")).astype(dtype))


def test_the_source_needs_no_compiler(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.delenv("CC", raising=False)
    module = matmul()
    source = module.get_source("c")
    assert "void matmul(const float *restrict A, int64_t A_dim0" in source
    assert module.get_source() == source
    with pytest.raises(KCError) as caught:
        module(*operands())
    assert caught.value.code == "KC5145"
    assert caught.value.message == "calling a kernel of the C target needs a C compiler"
    assert str(module["matmul"].signature).startswith("matmul(A: float32[n, 24]")


@needs_cc
def test_checks_of_calls():
    module = matmul()
    a, b = operands()
    with pytest.raises(KCError) as caught:
        module(a, b.astype("float64"))
    assert caught.value.code == "KC5106"
    np.testing.assert_array_equal(module(a, b), a @ b)
    assert module.time_evaluator("matmul", number=2)(a, b, a @ b).mean > 0


@needs_cc
def test_the_source_compiles_alone_without_warnings(tmp_path: Path):
    matmul().save(tmp_path / "matmul.c")
    assert CC is not None
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O2", "-c"]
    subprocess.run([CC, *flags, "matmul.c"], cwd=tmp_path, check=True)


@needs_cc
def test_modules_of_llvm_show_their_loops_as_c(tmp_path: Path):
    source = matmul("llvm").get_source("c")
    (tmp_path / "matmul.c").write_text(source)
    assert CC is not None
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "-lm"]
    subprocess.run([CC, "matmul.c", *flags, "-o", "matmul.so"], cwd=tmp_path, check=True)
    a, b = operands()
    c = np.zeros((13, 40), "float32")
    address = (array.ctypes.data_as(ctypes.c_void_p) for array in (a, b, c))
    function = ctypes.CDLL(str(tmp_path / "matmul.so")).matmul
    function(next(address), ctypes.c_int64(13), next(address), next(address), ctypes.c_int64(13))
    np.testing.assert_array_equal(c, a @ b)


@needs_cc
@pytest.mark.parametrize("kind", ["so", "o", "mlir"])
def test_there_and_back(kind: str, tmp_path: Path):
    path = tmp_path / f"k.{kind}"
    module = matmul(parallel=False)
    if kind == "so":
        module.export_library(path)
    else:
        module.save(path)
    a, b = operands()
    loaded = load_module(path)
    np.testing.assert_array_equal(loaded(a, b), a @ b)
    if kind == "mlir":
        assert "void matmul" in loaded.get_source("c")


@needs_cc
def test_march_reaches_the_compiler(tmp_path: Path):
    with pytest.raises(KCError) as caught:
        matmul(Target("c -march=no-such-cpu"))(*operands())
    assert caught.value.code == "KC5146"
    assert any("no-such-cpu" in fact for fact in caught.value.facts)


def test_the_target():
    target = Target("c -march=native")
    assert (target.kind.name, target.device_name, target.architecture) == ("c", "cpu", None)
    assert str(target) == "c -march=native"
    assert target.lanes(32) == 1
    with pytest.raises(KCError) as caught:
        Target("c -mtriple=x86_64-linux-gnu")
    assert caught.value.code == "KC6002"


def test_a_scalar_that_c_cannot_pass():
    x = te.var("x", "float16")
    A = te.compute((4,), lambda i: x, name="A")
    with pytest.raises(KCError) as caught:
        kc.build(te.create_schedule(A.op), [x, A], target="c")
    assert caught.value.code == "KC4511"
