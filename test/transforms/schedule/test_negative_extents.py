"""An extent below 0 means no iteration: whatever the schedule makes of the loops, natively, in C
and in the interpreter, and wherever the sizes come from."""

# pyright: reportInvalidTypeForm=false

from __future__ import annotations

import ctypes
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import MemRefType, f32
from xdsl.utils.exceptions import VerifyException

import kc
from kc import tir
from kc.analysis.interpreter import ExecutionError, run
from kc.codegen.c_source import emit_c
from kc.dialects.tir import AllocOp
from kc.support.diagnostics import CallError
from kc.support.registry import context, get_pass

SIZES = ((3, 4), (0, 5), (5, 0), (-1, 5), (5, -1), (-1, -1), (-2, -2), (-3, -1), (8, 8))

AFFINE = """
func.func @f(%A: memref<8x8xf32>, %n: index, %m: index) {
  %one = arith.constant 1.0 : f32
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %m {
      %a = affine.load %A[%i, %j] : memref<8x8xf32>
      %b = arith.addf %a, %one : f32
      affine.store %b, %A[%i, %j] : memref<8x8xf32>
    }
  }
  return
}"""

SYMBOLS = """
func.func @f(%A: memref<8x8xf32> {kc.name = "A"}, %n: index {kc.symbol = "n"},
             %m: index {kc.symbol = "m"}) attributes {kc.symbols = ["n", "m"]} {
  %n_1 = tir.symbol "n"
  %m_1 = tir.symbol "m"
  tir.for %i in %n_1 {
    tir.for %j in %m_1 {
      tir.block "A" (spatial %v_i in %n_1 = %i, spatial %v_j in %m_1 = %j) do {
        %one = arith.constant 1.0 : f32
        %a = tir.load %A[%v_i, %v_j] : memref<8x8xf32>
        %b = arith.addf %a, %one : f32
        tir.store %b, %A[%v_i, %v_j] : memref<8x8xf32>
      }
    }
  }
  func.return
}"""


def script() -> Any:
    @kc.script  # pyright: ignore[reportCallIssue]
    def f(A: kc.Buffer((8, 8), "float32"), n: int, m: int):
        for i in range(n):
            for j in range(m):
                A[i, j] = A[i, j] + 1.0

    return f


def loops(sch: Any) -> Any:
    return sch.get_loops(sch.get_block("A"))


def parallel_tiles(sch: Any) -> None:
    outer = sch.split(loops(sch)[0], [None, 2])[0]
    sch.parallel(outer)


def fused_and_split(sch: Any) -> None:
    outer, inner = sch.split(sch.fuse(*loops(sch)), [None, 4])
    sch.parallel(outer)
    sch.vectorize(inner)


def both_split_then_fused(sch: Any) -> None:
    i, j = loops(sch)
    i_o, i_i = sch.split(i, [3, None])
    j_o, j_i = sch.split(j, [None, 2])
    sch.reorder(i_o, j_o, i_i, j_i)
    sch.fuse(i_o, j_o)


def three_fused(sch: Any) -> None:
    i, j = loops(sch)
    sch.fuse(*sch.split(i, [None, 2]), j)


SCHEDULES: dict[str, Callable[[Any], None]] = {
    "none": lambda sch: None,
    "fuse": lambda sch: sch.fuse(*loops(sch)),
    "three fused": three_fused,
    "split": lambda sch: sch.split(loops(sch)[1], [None, 4]),
    "nparts": lambda sch: sch.split(loops(sch)[0], [4, None]),
    "parallel": parallel_tiles,
    "vectorize": lambda sch: sch.vectorize(sch.split(loops(sch)[1], [None, 4])[1]),
    "fused, split, parallel, vectorized": fused_and_split,
    "split, then fused": both_split_then_fused,
    "cache_inplace": lambda sch: sch.cache_inplace(sch.get_block("A"), 0, "global"),
    "cache_read": lambda sch: sch.cache_read(sch.get_block("A"), 0, "global"),
}


def in_c(mod: kc.IRModule, folder: Path) -> Callable[[np.ndarray, int, int], None]:
    """The function of ``mod`` as the C compiler makes it."""
    module = kc.IRModule.parse(str(mod))
    get_pass("lower-to-c").apply(context(), module.op)
    (folder / "f.c").write_text(emit_c(module.op))
    command = ["cc", "-std=c99", "-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all"]
    command += ["-shared", "-fPIC", str(folder / "f.c"), "-o", str(folder / "f.so"), "-lm"]
    subprocess.run(command, check=True)
    function = ctypes.CDLL(str(folder / "f.so")).f
    return lambda a, n, m: function(
        ctypes.c_void_p(a.ctypes.data), ctypes.c_int64(n), ctypes.c_int64(m)
    )


# A program in each of three forms; two of them have every second schedule in `make test`.
SCHEDULED = [
    pytest.param(source, schedule, marks=[] if m == 0 or (n + m) % 2 == 0 else pytest.mark.sweep)
    for n, schedule in enumerate(SCHEDULES)
    for m, source in enumerate(("affine", "symbols", "script"))
]


@pytest.mark.parametrize(("source", "schedule"), SCHEDULED)
def test_loops_of_negative_extents_do_not_run(source: str, schedule: str, tmp_path: Path):
    module = (
        script()
        if source == "script"
        else kc.IRModule.parse(AFFINE if source == "affine" else SYMBOLS)
    )
    sch = tir.Schedule(module)
    SCHEDULES[schedule](sch)
    calls: list[Callable[..., Any]] = [kc.build(sch.mod), lambda *args: run(sch.mod.op, "f", args)]
    if shutil.which("cc") is not None:
        calls.append(in_c(sch.mod, tmp_path))
    for n, m in SIZES:
        expected = np.zeros((8, 8), np.float32)
        expected[: max(n, 0), : max(m, 0)] = 1
        for call in calls:
            a = np.zeros((8, 8), np.float32)
            call(a, n, m)
            np.testing.assert_array_equal(a, expected)


@pytest.mark.parametrize("schedule", ["none", "split", "nparts"])
@pytest.mark.parametrize("first", [0, 1, 3])
def test_a_reduction_of_negative_extent_is_its_initial_value(first: int, schedule: str):
    text = f"""
    func.func @f(%A: memref<4x8xf32>, %S: memref<4xf32>, %n: index) {{
      %z = arith.constant 2.0 : f32
      affine.for %i = 0 to 4 {{
        affine.store %z, %S[%i] : memref<4xf32>
        affine.for %k = {first} to %n {{
          %a = affine.load %A[%i, %k] : memref<4x8xf32>
          %o = affine.load %S[%i] : memref<4xf32>
          %s = arith.addf %a, %o : f32
          affine.store %s, %S[%i] : memref<4xf32>
        }}
      }}
      return
    }}"""
    sch = tir.Schedule(kc.IRModule.parse(text))
    k = sch.get_loops(sch.get_block("S"))[1]
    if schedule == "split":
        sch.split(k, [None, 4])
    elif schedule == "nparts":
        sch.split(k, [4, None])
    built = kc.build(sch.mod)
    a = np.arange(32, dtype=np.float32).reshape(4, 8)
    for n in (8, 4, 3, 1, 0, -1, -7):
        for call in (built, lambda *args: run(sch.mod.op, "f", args)):
            s = np.full(4, 77, np.float32)
            call(a, s, n)
            np.testing.assert_allclose(s, 2 + a[:, first : max(n, 0)].sum(1))


def test_a_scalar_is_not_taken_for_a_size():
    """A size that only a scalar gives may be negative: a condition on it stays."""
    text = """
    func.func @f(%A: memref<8xf32> {kc.name = "A"}, %n: index {kc.symbol = "n"})
        attributes {kc.symbols = ["n"]} {
      %n_1 = tir.symbol "n"
      tir.for %i in 8 {
        tir.block "A" (spatial %v in 8 = %i) where (%i + %n_1 >= 0) do {
          %one = arith.constant 1.0 : f32
          tir.store %one, %A[%v] : memref<8xf32>
        }
      }
      func.return
    }"""
    module = kc.IRModule.parse(text)
    sch = tir.Schedule(module)
    sch.split(sch.get_loops(sch.get_block("A"))[0], [None, 4])
    for built in (kc.build(module), kc.build(sch.mod)):
        for n in (3, 0, -3, -9):
            a = np.zeros(8, np.float32)
            built(a, n)
            np.testing.assert_array_equal(a, np.arange(8) + n >= 0)


def test_memory_of_a_negative_size():
    text = """
    func.func @f(%A: memref<8xf32>, %B: memref<8xf32>, %n: index) {
      %t = memref.alloc(%n) : memref<?xf32>
      affine.for %i = 0 to %n {
        %a = affine.load %A[%i] : memref<8xf32>
        affine.store %a, %t[%i] : memref<?xf32>
      }
      affine.for %i = 0 to %n {
        %a = affine.load %t[%i] : memref<?xf32>
        affine.store %a, %B[%i] : memref<8xf32>
      }
      return
    }"""
    mod = tir.Schedule(kc.IRModule.parse(text)).mod
    a = np.arange(8, dtype=np.float32)
    kernel = kc.build(mod)
    for n in (5, 0):
        for call in (kernel, lambda *args: run(mod.op, "f", args)):
            b = np.full(8, 77, np.float32)
            call(a, b, n)
            np.testing.assert_array_equal(b[:n], a[:n])
            assert (b[n:] == 77).all()
    b = np.full(8, 77, np.float32)
    # MLIR gives such memory no meaning, so a call of it is refused.
    with pytest.raises(CallError, match="KC5132.*n >= 0 does not hold"):
        kernel(a, b, -1)
    with pytest.raises(ExecutionError):
        run(mod.op, "f", [a, b, -1])
    assert (b == 77).all()


def test_an_allocation_has_no_negative_size():
    """Text cannot say one, but a rewrite could."""
    alloc = AllocOp("B", MemRefType(f32, [2, -1]), [])
    with pytest.raises(VerifyException) as refused:
        alloc.verify()
    assert str(refused.value) == ("tir.alloc: buffer B has the size -1; a size is at least 0")
