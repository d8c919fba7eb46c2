"""The pragmas import_llvm and import_c: functions that a loop brings along are linked."""

from __future__ import annotations

import ctypes
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from optional_tools import find

import kc
from kc import te, tir
from kc.contrib import clang
from kc.error import KCError
from kc.support.diagnostics import diagnostic_handler

TWICE = """
define float @kc_test_twice(float %x) {
  %y = fadd float %x, %x
  ret float %y
}
"""
TWICE_IN_C = "float kc_test_twice(float x) { return x + x; }\n"


def built(language: str, code: str, target: str = "llvm", name: str = "kc_test_twice") -> kc.Module:
    """``B = twice(A)``, by a function that the loop brings along."""
    A = te.placeholder((8,), name="A")
    B = te.compute((8,), lambda i: tir.call_extern("float32", name, A[i]), name="B")
    s = te.create_schedule(B.op)
    s[B].pragma(B.op.axis[0], f"import_{language}", code)
    return kc.build(s, [A, B], target=target)


def assert_doubles(f: kc.Module) -> None:
    a, b = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    f(a, b)
    np.testing.assert_array_equal(b, a * 2)


def test_llvm_ir_as_text_and_as_a_file(tmp_path: Path):
    warnings: list[str] = []
    with diagnostic_handler(lambda warning: warnings.append(warning.code)):
        f = built("llvm", TWICE)
    assert_doubles(f)
    assert not warnings
    assert "define internal float @kc_test_twice" in f.get_source("ll")
    path = tmp_path / "twice.ll"
    path.write_text(TWICE)
    assert_doubles(built("llvm", str(path)))
    path.write_text(TWICE.replace("fadd float %x, %x", "fmul float %x, 3.0"))
    a, b = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    built("llvm", str(path))(a, b)  # what is in the file now
    np.testing.assert_array_equal(b, a * 3)


@pytest.mark.skipif(not clang.find_clang(required=False), reason="needs clang")
def test_c_for_llvm():
    assert_doubles(built("c", f'extern "C" {TWICE_IN_C}'))


@pytest.mark.skipif(find("clang") is None, reason="needs a C compiler")
def test_c_for_the_target_of_c():
    f = built("c", TWICE_IN_C, "c")
    assert f.get_source("c").endswith(f"\n{TWICE_IN_C}\n")
    assert_doubles(f)


@pytest.mark.parametrize("target", ["c", "llvm"])
@pytest.mark.skipif(find("cc") is None, reason="needs a C compiler")
def test_code_comes_before_what_the_process_has_loaded(tmp_path: Path, target: str):
    name = f"kc_test_own_{target}"
    source, library = tmp_path / "names.c", tmp_path / "names.so"
    source.write_text(f"float {name}(float x) {{ return x; }}\n")
    subprocess.run(["cc", "-shared", "-fPIC", source, "-o", library], check=True)
    ctypes.CDLL(str(library), ctypes.RTLD_GLOBAL)
    code = TWICE_IN_C if target == "c" else TWICE
    f = built(target, code.replace("kc_test_twice", name), target, name)
    assert_doubles(f)
    f.export_library(str(tmp_path / "saved.so"))
    assert_doubles(kc.runtime.load_module(str(tmp_path / "saved.so")))


@pytest.mark.parametrize(
    ("code", "target", "lines"),
    [
        (
            "define float @f(float %x) { ret float %y }",
            "llvm",
            ["error[KC4355]: import_llvm: LLVM refuses the code"],
        ),
        (
            "nowhere.ll",
            "llvm",
            [
                "error[KC4355]: import_llvm: nowhere.ll cannot be read",
                "  why: No such file or directory",
            ],
        ),
        (
            TWICE,
            "c",
            [
                "error[KC4355]: import_llvm: the C target accepts only C",
                "  why: the system's C compiler compiles its source",
                "  try: import_c, or a target of LLVM",
            ],
        ),
    ],
)
def test_code_that_is_refused(code: str, target: str, lines: list[str]):
    with pytest.raises(KCError) as caught, diagnostic_handler(lambda _: None):
        built("llvm", code, target)
    said = [line for line in caught.value.render().split("\n") if not line.startswith("  -->")]
    assert said[: len(lines)] == lines


def test_a_text_names_no_file(tmp_path: Path):
    """A program may, in each way to give a loop a pragma."""
    path = tmp_path / "twice.ll"
    A = te.placeholder((8,), name="A")
    B = te.compute((8,), lambda i: tir.call_extern("float32", "kc_test_twice", A[i]), name="B")
    loops = kc.lower(te.create_schedule(B.op), [A, B])
    noted = tir.Schedule(loops)
    noted.annotate(noted.get_loops("B")[0], "pragma_import_llvm", "elsewhere.ll")
    text = str(noted.mod).replace("elsewhere.ll", str(path))
    assert str(path) in text
    for is_there in (False, True):
        if is_there:
            path.write_text(TWICE)
        with pytest.raises(KCError) as caught:
            kc.build(kc.IRModule.parse(text))
        assert caught.value.message == f"import_llvm: the text names the file {path}"
    sch = tir.Schedule(loops)
    sch.annotate(sch.get_loops("B")[0], "pragma_import_llvm", str(path))
    assert_doubles(kc.build(sch.mod))
    pipe = tmp_path / "pipe.ll"
    os.mkfifo(pipe)
    with pytest.raises(KCError, match="it is not a file"):
        built("llvm", str(pipe))
