"""inject-copy-intrin: copies by a function of C give what the loops give."""

import ctypes
import subprocess
from pathlib import Path
from shutil import which

import numpy as np
import pytest

import kc
from kc import te, tir
from kc.support.diagnostics import KCError

SOURCE = """
#include <stdint.h>
void copy_box(float *to, const float *from, int64_t n0, int64_t n1, int64_t t0, int64_t t1,
              int64_t f0, int64_t f1) {
  for (int64_t i = 0; i < n0; i++)
    for (int64_t j = 0; j < n1; j++) to[i * t0 + j * t1] = from[i * f0 + j * f1];
}
"""


def copying(value: str) -> tir.Schedule:
    """B = 2 A by tiles of 4 x 8, which are copied to memory of their own first."""
    a = te.placeholder((8, 16), name="A")
    b = te.compute((8, 16), lambda i, j: a[i, j] * 2.0, name="B")
    sch = tir.Schedule(te.create_prim_func([a, b]))
    block = sch.get_block("B")
    i, j = sch.get_loops(block)
    i_o, i_i = sch.split(i, [None, 4])
    j_o, j_i = sch.split(j, [None, 8])
    sch.reorder(i_o, j_o, i_i, j_i)
    copy = sch.cache_read(block, 0, "local")
    sch.compute_at(copy, j_o)
    sch.pragma(sch.get_loops(copy)[2], "copy_intrin", value)
    return sch


def check(function: object) -> None:
    a = np.arange(128, dtype=np.float32).reshape(8, 16)
    b = np.zeros_like(a)
    function(a, b)  # pyright: ignore[reportCallIssue]
    np.testing.assert_array_equal(b, a * 2)


def test_a_function_of_c_takes_sizes_and_strides(tmp_path: Path):
    compiler = which("cc") or which("gcc") or which("clang")
    if compiler is None:
        pytest.skip("no C compiler")
    path = tmp_path / "copy.c"
    path.write_text(SOURCE)
    library = tmp_path / "copy.so"
    subprocess.run([compiler, "-shared", "-fPIC", path, "-o", library], check=True)
    ctypes.CDLL(str(library), ctypes.RTLD_GLOBAL)
    check(kc.build(copying("copy_box")))


def test_without_the_pass_the_loops_copy():
    with kc.transform.PassContext(disabled_pass=["inject-copy-intrin"]):
        built = kc.build(copying("no_such_function"))
    check(built)


def test_what_is_no_copy_is_refused_where_the_loop_comes_from():
    a = te.placeholder((8,), name="A")
    b = te.compute((8,), lambda i: a[i] * 2.0, name="B")
    sch = tir.Schedule(te.create_prim_func([a, b]))
    sch.pragma(sch.get_loops("B")[0], "copy_intrin", "copy_box")
    with pytest.raises(KCError) as caught:
        kc.build(sch)
    assert caught.value.code == "KC4343"
    assert "loop i has the pragma copy_intrin, but is not a copy" in str(caught.value)
    assert caught.value.why == "the innermost loop does more than load an element and store it"


@pytest.mark.parametrize(("a", "b", "name"), [(64, 16, "B"), (16, 64, "A")])
def test_a_copy_of_more_than_there_is(a: int, b: int, name: str):
    """The function would copy beyond the end of a buffer."""
    text = f"""
    func.func @f(%A: memref<{a}xf32>, %B: memref<{b}xf32>) {{
      tir.for %i in 32 annotations {{pragma_copy_intrin = "copy"}} {{
        %a = tir.load %A[%i] : memref<{a}xf32>
        tir.store %a, %B[%i] : memref<{b}xf32>
      }}
      func.return
    }}"""
    module = kc.IRModule.parse(text)
    before = str(module)
    with pytest.raises(KCError) as caught:
        kc.tir.transform.InjectCopyIntrin()(module)
    assert caught.value.code == "KC4343"
    assert caught.value.why == (f"it copies 32 elements along dimension 0 of {name}, which has 16")
    assert str(module) == before
