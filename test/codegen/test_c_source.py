"""The C target: its text, its header, what it refuses."""

import ctypes
import math
import shutil
import struct
import subprocess

import numpy as np
import pytest

import kc
from kc import te
from kc.codegen.c_source import emit_c
from kc.error import KCError
from kc.support.diagnostics import source_text
from kc.support.ir_text import parse_module
from kc.support.registry import context, get_pass

CC = shutil.which("cc")

MATMUL = """\
te.func @matmul(%A: tensor<?x16xf32>, %B: tensor<16x8xf32>) -> tensor<?x8xf32>
    attributes {kc.symbols = ["n"]} {
  %n = te.symbol "n"
  %C = te.compute "C" [%i = %n, %j = 8] reduce sum [%k = 16] {
    %a = te.read %A[%i, %k] : tensor<?x16xf32>
    %b = te.read %B[%k, %j] : tensor<16x8xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } : tensor<?x8xf32>
  te.return %C : tensor<?x8xf32>
}
"""
IN_C = """\
#include <stdbool.h>
#include <stdint.h>

void matmul(const float *restrict A, int64_t A_dim0, const float *restrict B, float *restrict C, \
int64_t C_dim0);

void matmul(const float *restrict A, int64_t A_dim0, const float *restrict B, float *restrict C, \
int64_t C_dim0) {
  (void)A_dim0;
#ifdef _OPENMP
#pragma omp parallel for
#endif
  for (int64_t i = 0; i < C_dim0; i++) {
    for (int64_t j = 0; j < 8; j++) {
      C[i * 8 + j] = 0.0f;
      for (int64_t k = 0; k < 16; k++) {
        C[i * 8 + j] = C[i * 8 + j] + A[i * 16 + k] * B[k * 8 + j];
      }
    }
  }
}
"""


def lowered(text, *steps):
    module = kc.IRModule.parse(text).op
    for step in (*steps, "lower-to-c"):
        get_pass(step).apply(context(), module)
    return module


def test_text():
    assert emit_c(lowered(MATMUL, "convert-te-to-tir", "parallel", "vectorize")) == IN_C


def test_words_that_c_has_taken():
    module = lowered(
        "func.func @main(%int: memref<4xf32>, %kc_x: index) {\\n"
        "  %c = arith.constant 1.0 : f32\\n"
        "  memref.store %c, %int[%kc_x] : memref<4xf32>\\n"
        "  func.return\\n}".replace("\\n", "\n")
    )
    assert "void kc_main(float *restrict int_1, int64_t v_kc_x) {\n" in emit_c(module)


@pytest.mark.skipif(not CC, reason="there is no C compiler")
def test_a_c_program_calls_a_kernel(tmp_path):
    module = lowered(MATMUL, "convert-te-to-tir", "parallel")
    built = kc.build(kc.IRModule.parse(MATMUL), target="c")
    (tmp_path / "matmul.c").write_text(emit_c(module))
    (tmp_path / "matmul.h").write_text(built.get_header("matmul.h"))
    (tmp_path / "main.c").write_text(
        '#include <stdio.h>\n#include "matmul.h"\n'
        "int main(void) {\n"
        "  static float a[5 * 16], b[16 * 8], c[5 * 8];\n"
        "  for (int i = 0; i < 5 * 16; i++) a[i] = (float)(i % 7 - 3);\n"
        "  for (int i = 0; i < 16 * 8; i++) b[i] = (float)(i % 5 - 2);\n"
        "  matmul(a, 5, b, c, 5);\n"
        '  for (int i = 0; i < 5 * 8; i++) printf("%g ", c[i]);\n'
        "  return 0;\n}\n"
    )
    for flags in ((), ("-fopenmp",)):
        command = [CC, "-std=c99", "-Wall", "-Wextra", "-Werror", *flags, "main.c", "matmul.c"]
        subprocess.run([*command, "-o", "main"], cwd=tmp_path, check=True)
        out = subprocess.run([tmp_path / "main"], capture_output=True, text=True, check=True).stdout
        a = (np.arange(80) % 7 - 3).reshape(5, 16)
        b = (np.arange(128) % 5 - 2).reshape(16, 8)
        assert np.array_equal(np.array(out.split(), float).reshape(5, 8), a @ b)
    cxx = shutil.which("c++")
    if cxx:
        (tmp_path / "use.cc").write_text(
            '#include "matmul.h"\nvoid (*use)() = (void (*)())matmul;\n'
        )
        subprocess.run([cxx, "-Wall", "-Werror", "-Wno-cast-function-type", "-c", "use.cc"],
                       cwd=tmp_path, check=True)  # fmt: skip


@pytest.mark.skipif(not CC, reason="there is no C compiler")
@pytest.mark.parametrize("kind", ["f16", "bf16"])
def test_short_floats_round_as_their_format_does(tmp_path, kind):
    """All 65,536 survive the way to float and back; doubles go to the nearest, ties to even."""
    module = lowered(
        f"func.func @f(%A: memref<1x{kind}>, %x: f64) {{\n  %c = arith.constant 0 : index\n"
        f"  %h = arith.truncf %x : f64 to {kind}\n  memref.store %h, %A[%c] : memref<1x{kind}>\n"
        "  func.return\n}\n"
        f"func.func @g(%A: memref<1x{kind}>, %B: memref<1xf32>) {{\n"
        "  %c = arith.constant 0 : index\n"
        f"  %h = memref.load %A[%c] : memref<1x{kind}>\n  %w = arith.extf %h : {kind} to f32\n"
        "  memref.store %w, %B[%c] : memref<1xf32>\n  func.return\n}"
    )
    import ctypes

    (tmp_path / "k.c").write_text(emit_c(module))
    command = [CC, "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "k.c"]
    subprocess.run([*command, "-o", "k.so", "-lm"], cwd=tmp_path, check=True)
    library = ctypes.CDLL(str(tmp_path / "k.so"))
    cell, wide = (ctypes.c_uint16 * 1)(), (ctypes.c_float * 1)()

    def short(value):
        library.f(cell, ctypes.c_double(value))
        return cell[0]

    def decoded(pattern):
        if kind == "bf16":
            return struct.unpack("f", struct.pack("I", pattern << 16))[0]
        return float(np.array(pattern, np.uint16).view(np.float16))

    for pattern in range(0, 1 << 16):
        value = decoded(pattern)
        cell[0] = pattern
        library.g(cell, wide)
        if math.isnan(value):
            assert math.isnan(wide[0])
            continue
        assert wide[0] == value
        assert math.copysign(1, wide[0]) == math.copysign(1, value)
        if pattern % 7 == 0:
            assert short(value) == pattern
    for pattern in range(0, 0x7B00, 97):
        low, high = decoded(pattern), decoded(pattern + 1)
        middle = (low + high) / 2  # exact in float64
        assert short(middle) == pattern + pattern % 2
        assert short(np.nextafter(middle, 0)) == pattern
        assert short(np.nextafter(middle, np.inf)) == pattern + 1
        assert short(-middle) == (pattern + pattern % 2) | 0x8000


REFUSED = [
    (
        "func.func @f(%x: vector<4xf32>, %y: vector<4xf32>) {\n"
        "  %z = arith.addf %x, %y : vector<4xf32>\n"
        "  func.call @g(%z) : (vector<4xf32>) -> ()\n  func.return\n}\n"
        "func.func private @g(vector<4xf32>)",
        "error[KC4401]: c: C has no type for func.func on vector<4xf32>\n"
        "  --> t.mlir:1:1  func.func @f(%x: vector<4xf32>, %y: vector<4xf32>) {\n"
        "  why: C has integers of 8, 16, 32 and 64 bits, float and double, and no vectors",
    ),
    (
        "func.func @f() -> (i32, i32) {\n  %z = arith.constant 1 : i32\n"
        "  func.return %z, %z : i32, i32\n}",
        "error[KC4402]: c: @f has 2 results\n"
        "  --> t.mlir:1:1  func.func @f() -> (i32, i32) {\n"
        "  why: a C function has one\n"
        "  try: pass buffers for the results",
    ),
]


DECIDED = """
func.func @f(%C: memref<4xi16>, %D: memref<4xi1>, %s: index, %x: f32) {
  %a = arith.index_cast %s : index to i16
  %less = arith.cmpi ult, %a, %a : i16
  %two = arith.constant 2.0 : f32
  %y = arith.mulf %x, %two : f32
  %always = arith.cmpf true, %y, %y : f32
  %one = arith.constant 1 : i16
  %three = arith.constant 3 : i16
  %z = arith.select %less, %one, %three : i16
  %last = arith.constant 3 : index
  tir.for %i in 4 {
    %j = arith.subi %last, %i : index
    %p = tir.load %C[%j] : memref<4xi16>
    %q = tir.load %C[%j] : memref<4xi16>
    %never = arith.cmpi sgt, %p, %q : i16
    %w = arith.select %never, %one, %z : i16
    tir.store %w, %C[%i] : memref<4xi16>
    tir.store %always, %D[%i] : memref<4xi1>
  }
  func.return
}
"""


def test_buffers_that_are_too_large_for_the_stack_are_freed():
    A = te.placeholder((100, 100), name="A")
    B = te.compute((100, 100), lambda i, j: A[i, j] + 1.0, name="B")
    C = te.compute((100, 100), lambda i, j: B[99 - i, j] * 2.0, name="C")
    lines = kc.build(te.create_schedule(C.op), [A, C], "c").get_source("c").splitlines()
    ((allocated, line),) = [(n, each) for n, each in enumerate(lines) if "= kc_alloc(" in each]
    freed = [n for n, each in enumerate(lines) if each.strip() == "free(B);"]
    assert line.startswith("  float *B")
    assert freed == [len(lines) - 2]
    assert freed[0] > allocated


@pytest.mark.skipif(not CC, reason="there is no C compiler")
def test_what_decided_comparisons_compare_has_no_variable(tmp_path):
    (tmp_path / "k.c").write_text(emit_c(lowered(DECIDED)))
    command = [CC, "-std=c99", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC", "k.c"]
    subprocess.run([*command, "-o", "k.so"], cwd=tmp_path, check=True)
    c, d = np.zeros(4, np.int16), np.zeros(4, np.bool_)
    function = ctypes.CDLL(str(tmp_path / "k.so")).f
    addresses = (ctypes.c_void_p(array.ctypes.data) for array in (c, d))
    function(*addresses, ctypes.c_int64(5), ctypes.c_float(1.5))
    np.testing.assert_array_equal(c, [3] * 4)
    np.testing.assert_array_equal(d, [True] * 4)


def test_tables_that_nothing_reads_are_left_out():
    text = emit_c(
        lowered("""
memref.global "private" constant @read : memref<2xf64> = dense<[3.0, 5.0]>
memref.global "private" constant @unread : memref<2xf64> = dense<[7.0, 9.0]>
func.func @f(%A: memref<2xf64>) {
  %one = arith.constant 1 : index
  %t = memref.get_global @read : memref<2xf64>
  %x = memref.load %t[%one] : memref<2xf64>
  memref.store %x, %A[%one] : memref<2xf64>
  func.return
}
""")
    )
    assert "kc_table_read[2] = {\n  3.0, 5.0,\n}" in text
    assert "unread" not in text


@pytest.mark.skipif(not CC, reason="there is no C compiler")
def test_what_a_branch_or_a_loop_yields_to_nobody_gives_no_warning(tmp_path):
    text = emit_c(
        lowered("""
func.func @f(%A: memref<4xf64>, %c: i1) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %x = memref.load %A[%zero] : memref<4xf64>
  %y = scf.if %c -> (f64) {
    memref.store %x, %A[%one] : memref<4xf64>
    scf.yield %x : f64
  } else {
    %z = memref.load %A[%one] : memref<4xf64>
    scf.yield %z : f64
  }
  %s = scf.for %i = %zero to %one step %one iter_args(%last = %x) -> (f64) {
    %v = memref.load %A[%i] : memref<4xf64>
    memref.store %v, %A[%one] : memref<4xf64>
    scf.yield %v : f64
  }
  func.return
}
""")
    )
    (tmp_path / "f.c").write_text(text)
    command = [CC, "-std=c99", "-Wall", "-Wextra", "-Werror", "-c", "f.c"]
    subprocess.run(command, cwd=tmp_path, check=True)


@pytest.mark.parametrize(("text", "expected"), REFUSED)
def test_refusals(text, expected):
    from kc.support.diagnostics import source_text

    module = kc.IRModule.parse(text, "t.mlir").op
    with source_text("t.mlir", text), pytest.raises(KCError) as caught:
        emit_c(module)
    with source_text("t.mlir", text):
        assert str(caught.value) == expected


def test_an_op_without_c():
    text = (
        "func.func @f(%A: memref<4xf32>) {\n"
        '  "test.op"(%A) : (memref<4xf32>) -> ()\n  func.return\n}'
    )
    with source_text("t.mlir", text), pytest.raises(KCError) as caught:
        emit_c(parse_module(text, "t.mlir", context(allow_unregistered=True)))
    with source_text("t.mlir", text):
        assert str(caught.value) == (
            "error[KC4403]: c: test.op cannot be expressed in C\n"
            '  --> t.mlir:2:3  "test.op"(%A) : (memref<4xf32>) -> ()\n'
            "  why: the C target supports loops, branches, buffers and scalar arithmetic"
        )


def test_a_dimension_that_a_memref_has_not():
    text = """func.func @f(%A: memref<?xf32>, %B: memref<4xindex>) {
  %c = arith.constant 1 : index
  %n = memref.dim %A, %c : memref<?xf32>
  memref.store %n, %B[%c] : memref<4xindex>
  func.return
}"""
    with source_text("t.mlir", text), pytest.raises(KCError) as caught:
        emit_c(parse_module(text, "t.mlir", context()))
    with source_text("t.mlir", text):
        assert str(caught.value) == (
            "error[KC4403]: c: a memref.dim of dimension 1 of memref<?xf32> cannot be expressed in "
            "C\n"
            "  --> t.mlir:3:3  %n = memref.dim %A, %c : memref<?xf32>"
        )


def test_branches_have_no_c():
    text = """func.func @f(%A: memref<i64>, %n: i64) {
  cf.br ^head(%n : i64)
^head(%k: i64):
  memref.store %k, %A[] : memref<i64>
  func.return
}"""
    with source_text("t.mlir", text), pytest.raises(KCError) as caught:
        emit_c(parse_module(text, "t.mlir", context()))
    with source_text("t.mlir", text):
        assert str(caught.value) == (
            "error[KC4403]: c: the branches of @f cannot be expressed in C\n"
            "  --> t.mlir:2:3  cf.br ^head(%n : i64)\n"
            "  why: the C target supports structured control flow: scf.for, scf.while and scf.if\n"
            "  try: mlir-opt -lift-cf-to-scf turns branches into loops and conditions"
        )


@pytest.mark.parametrize("name", ["exp", "log", "sqrt", "tanh", "floor", "ceil", "erf", "rsqrt"])
def test_functions_of_te(name):
    a = te.placeholder((4,), name="A")
    b = te.compute((4,), lambda i: getattr(te, name)(a[i]), name="B")
    mod = kc.lower(te.create_schedule(b.op), [a, b])
    get_pass("lower-to-c").apply(context(), mod.op)
    function = "1.0f / sqrtf" if name == "rsqrt" else f"{name}f"
    assert f"B[i] = {function}(A[i]);" in emit_c(mod.op)


@pytest.mark.skipif(CC is None, reason="no C compiler")
def test_numbers_that_are_not_finite_have_their_header():
    """Also where no function of math.h is called."""
    A = te.placeholder((3,), name="A")
    B = te.compute((3,), lambda i: te.Select(A[i] > 0.0, te.const(-math.inf), te.const(math.nan)))
    f = kc.build(te.create_schedule(B.op), [A, B], target="c")
    assert "#include <math.h>\n" in f.get_source("c")
    np.testing.assert_array_equal(
        f(np.array([1, -1, 0], "float32")), np.array([-np.inf, np.nan, np.nan], "float32")
    )
