"""Calls out of kernels: C and Python functions, intrinsics of LLVM, traces."""

# Wrong arguments are what is tested.
# pyright: reportArgumentType=false, reportInvalidTypeForm=false

import ctypes
import shutil
import subprocess
import threading

import numpy as np
import pytest
from te_checks import refusal

import kc
from kc import te, tir
from kc.analysis.interpreter import run
from kc.error import KCError
from kc.support.diagnostics import diagnostic_handler
from kc.support.global_functions import remove_global_func

N = 8
X = np.arange(N, dtype="float32")


def interpreted(tensors, *arrays):
    """The result by the interpreter, of the loops."""
    module = kc.lower(te.create_schedule(tensors[-1].op), tensors)
    shape = tuple(int(dim) for dim in tensors[-1].shape)
    out = np.zeros(shape, tensors[-1].dtype)
    run(module.op, "main", [*arrays, out])
    return out


def built(tensors, **options):
    return kc.build(te.create_schedule(tensors[-1].op), tensors, **options)


@pytest.fixture
def registered():
    """Registers functions under names that are free again afterwards."""
    names = []

    def register(name, function):
        kc.register_func(name, function, override=True)
        names.append(name)

    yield register
    for name in dict.fromkeys(names):
        remove_global_func(name)


class Compiler:
    """The system's C compiler."""

    def __call__(self, *flags):
        command = ["cc", "-std=c99", "-Wall", "-Werror", *map(str, flags), "-lm", "-lpthread"]
        subprocess.run(command, check=True)

    def run(self, program):
        return subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout


@pytest.fixture
def c_compiler():
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    return Compiler()


# C ------------------------------------------------------------------------------------------------


def test_functions_of_c_in_expressions():
    a = te.placeholder((N,), name="A")
    b = te.compute(
        (N,),
        lambda i: (
            tir.call_pure_extern("float32", "cbrtf", a[i])
            + tir.call_extern("int32", "abs", i - 4).astype("float32")
        ),
        name="B",
    )
    expected = np.cbrt(X) + np.abs(np.arange(N) - 4)
    np.testing.assert_allclose(built([a, b])(X), expected, rtol=1e-6)
    np.testing.assert_allclose(interpreted([a, b], X), expected, rtol=1e-6)


def test_pure_functions_in_the_lanes_of_vectors():
    a = te.placeholder((N,), name="A")
    pure = te.compute((N,), lambda i: tir.call_pure_extern("float32", "cbrtf", a[i]), name="B")
    impure = te.compute((N,), lambda i: tir.call_extern("float32", "cbrtf", a[i]), name="B")
    for tensor, warned in ((pure, []), (impure, ["KC4211"])):
        s = te.create_schedule(tensor.op)
        s[tensor].vectorize(tensor.op.axis[0])
        said = []
        with diagnostic_handler(said.append):
            f = kc.build(s, [a, tensor])
        assert [warning.code for warning in said] == warned
        np.testing.assert_allclose(f(X), np.cbrt(X), rtol=1e-6)
    assert said[0].why == "it calls cbrtf, which is not pure"


def test_buffers_are_pointers():
    """memcpy and qsort are given more than they would be in C; sizes are scalars."""
    a = te.placeholder((N,), name="A")
    c = te.extern(
        (N,),
        [a],
        lambda ins, outs: tir.call_extern(
            "void",
            "memcpy",
            outs[0].access_ptr("w"),
            ins[0].access_ptr("r"),
            te.const(4 * N, "int64"),
        ),
        name="C",
    )
    np.testing.assert_array_equal(built([a, c])(X), X)
    np.testing.assert_array_equal(interpreted([a, c], X), X)


def test_buffers_of_sizes_that_are_not_known():
    n = te.var("n")
    a = te.placeholder((n, 2), name="A")

    def copy(ins, outs):
        bytes_ = (n * 8).astype("int64")
        return tir.call_extern("void", "memcpy", outs[0].access_ptr("w"), ins[0], bytes_)

    c = te.extern((n, 2), [a], copy, name="C")
    given = np.arange(6, dtype="float32").reshape(3, 2)
    np.testing.assert_array_equal(built([a, c])(given), given)


def test_a_function_of_a_library_that_was_loaded(tmp_path, c_compiler):
    source = tmp_path / "mine.c"
    source.write_text("float kc_test_twice(float x, int n) { return n * x; }\n")
    library = tmp_path / "libmine.so"
    c_compiler("-shared", "-fPIC", source, "-o", library)
    a = te.placeholder((N,), name="A")
    b = te.compute((N,), lambda i: tir.call_extern("float32", "kc_test_twice", a[i], i), name="B")
    warnings: list[str] = []
    with diagnostic_handler(lambda diagnostic: warnings.append(diagnostic.render())):
        f = built([a, b])
    expected = (
        "[KC4352]: this process has no C function kc_test_twice\n"
        "  why: a kernel is linked with the symbols that this process has when it is first called; "
        "in a saved object they are to be linked\n"
        "  try: load its library first: ctypes.CDLL(path, ctypes.RTLD_GLOBAL)\n"
        '  try: tir.call_packed("name", ...) calls a Python function'
    )
    (said,) = (text for text in warnings if text.startswith("warning"))
    assert "\n".join(line for line in said.split("\n") if "-->" not in line) == (
        f"warning{expected}"
    )
    f.save(str(tmp_path / "late.o"))
    assert b"kc_test_twice" in (tmp_path / "late.o").read_bytes()
    assert refusal(lambda: f(X), __file__) == f"error{expected}"
    ctypes.CDLL(str(library), ctypes.RTLD_GLOBAL)
    np.testing.assert_array_equal(f(X), X * np.arange(N))
    np.testing.assert_array_equal(built([a, b])(X), X * np.arange(N))


def test_the_same_for_the_c_target(c_compiler):
    del c_compiler
    a = te.placeholder((N,), name="A")
    b = te.compute((N,), lambda i: tir.call_extern("float32", "cbrtf", a[i]), name="B")
    f = built([a, b], target="c")
    assert "float cbrtf(float);\n" in f.get_source("c")
    np.testing.assert_allclose(f(X), np.cbrt(X), rtol=1e-6)


def test_one_function_has_one_type():
    a = te.placeholder((N,), name="A")
    b = te.compute(
        (N,),
        lambda i: (
            tir.call_extern("int32", "abs", i) + tir.call_extern("int32", "abs", i.astype("int64"))
        ),
        name="B",
    )
    with pytest.raises(KCError) as caught:
        built([a, b])
    text = str(caught.value).split("\n")
    assert text[0] == "error[KC4351]: convert-tir-to-scf: abs is called with (i64) and with (i32)"
    assert text[2].startswith("   |  the other call is at ")
    assert text[3:] == [
        "  why: a C function has one type",
        "  try: convert the arguments to one type: x.astype(...)",
    ]


def test_a_function_of_c_with_the_name_of_the_kernel():
    a = te.placeholder((N,), name="A")
    b = te.compute((N,), lambda i: tir.call_extern("float32", "abs", a[i]), name="B")
    assert refusal(lambda: kc.build(te.create_schedule(b.op), [a, b], name="abs"), __file__) == (
        "error[KC4351]: convert-tir-to-scf: abs is called as a C function, but is defined in "
        "the module\n  why: a symbol is one function\n"
        "  try: give the function of the module another name"
    )


# LLVM ---------------------------------------------------------------------------------------------


def test_intrinsics_of_llvm():
    a = te.placeholder((N,), name="A")
    b = te.compute(
        (N,),
        lambda i: (
            tir.call_llvm_pure_intrin("float32", "llvm.fma", 3, a[i], a[i], a[i])
            + tir.call_llvm_intrin("int32", "llvm.ctpop.i32", 1, i).astype("float32")
        ),
        name="B",
    )
    s = te.create_schedule(b.op)
    s[b].vectorize(b.op.axis[0])
    expected = X * X + X + [bin(n).count("1") for n in range(N)]
    np.testing.assert_array_equal(kc.build(s, [a, b])(X), expected)


def test_intrinsics_by_the_names_of_tvm():
    a = te.placeholder((N,), name="A")
    b = te.compute(
        (N,),
        lambda i: (
            tir.call_intrin("float32", "tir.exp", a[i])
            + tir.call_intrin("float32", "tir.popcount", i)
            + tir.call_intrin("float32", "tir.if_then_else", i < 4, a[i], 0.0)
        ),
        name="B",
    )
    expected = np.exp(X) + [bin(n).count("1") for n in range(N)] + np.where(X < 4, X, 0)
    np.testing.assert_allclose(built([a, b])(X), expected, rtol=1e-6)


# Python -------------------------------------------------------------------------------------------


def test_functions_of_python_get_what_they_are_given(registered):
    seen = []

    def function(*given):
        seen.append(given)
        given[1].copyfrom(np.asarray(given[0]) + 1)

    registered("test.copy", function)
    n, by = te.var("n"), te.var("by", "float64")
    a = te.placeholder((n, 4), "uint8", name="A")
    c = te.extern(
        (n, 4),
        [a],
        lambda ins, outs: tir.call_packed(
            "test.copy", ins[0], outs[0], n, by, te.const(200, "uint8"), te.const(True), "a text"
        ),
        name="C",
    )
    f = built([a, by, c])
    given = np.arange(12, dtype="uint8").reshape(3, 4)
    out = np.zeros_like(given)
    f(given, 2.5, out)
    np.testing.assert_array_equal(out, given + 1)
    source, target, *rest = seen[0]
    assert rest == [3, 2.5, 200, True, "a text"]
    assert (type(source), source.shape, source.dtype) == (kc.nd.NDArray, (3, 4), "uint8")
    # No copies: they are the caller's memory, and what is read cannot be written.
    assert np.shares_memory(np.asarray(source), given)
    assert np.shares_memory(np.asarray(target), out)
    assert not np.asarray(source).flags.writeable


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint16", "int64", "float16", "bfloat16", "float8_e5m2", "float64"]
)
def test_arrays_of_every_kind(registered, dtype):
    kinds = []

    def function(x, y):
        kinds.append((x.dtype, y.dtype))
        y.copyfrom(x)

    registered("test.copy", function)
    if dtype in ("bfloat16", "float8_e5m2"):
        dtype_of = getattr(pytest.importorskip("ml_dtypes"), dtype)
    else:
        dtype_of = dtype
    a = te.placeholder((4,), dtype, name="A")
    c = te.extern((4,), [a], lambda i, o: tir.call_packed("test.copy", i[0], o[0]), name="C")
    x = np.array([1, 0, 1, 1]).astype(dtype_of)
    np.testing.assert_array_equal(built([a, c])(x), x)
    assert kinds == [(dtype, dtype)]


def test_a_buffer_is_there_as_a_whole(registered):
    """Also where little of it is read afterwards, and where there is nothing of it."""
    shapes = []

    def function(x, y):
        shapes.append(y.shape)
        y.copyfrom(np.asarray(x) + 1)

    registered("test.add", function)
    a = te.placeholder((N,), name="A")
    b = te.compute((N, N), lambda i, j: a[i] * a[j], name="B")
    c = te.extern((N, N), [b], lambda i, o: tir.call_packed("test.add", i[0], o[0]), name="C")
    d = te.compute((2,), lambda i: c[i, i + 3], name="D")
    np.testing.assert_array_equal(built([a, d])(X), X[:2] * X[3:5] + 1)
    none = te.placeholder((0, 3), name="A")
    e = te.extern((0, 3), [none], lambda i, o: tir.call_packed("test.add", i[0], o[0]), name="E")
    assert built([none, e])(np.zeros((0, 3), "float32")).shape == (0, 3)
    assert shapes == [(N, N), (0, 3)]


def test_results_of_functions_of_python(registered):
    registered("test.square", lambda i, x: i * int(x))
    registered("test.half", lambda x: x / 2)
    registered("test.none", lambda x: None)
    a = te.placeholder((N,), name="A")
    b = te.compute(
        (N,),
        lambda i: (
            tir.call_packed("test.square", i, a[i]).astype("float32")
            + tir.call_cpacked("test.half", a[i], dtype="float32")
            + tir.call_packed("test.none", a[i])
        ),
        name="B",
    )
    expected = np.arange(N) * X + X / 2
    s = te.create_schedule(b.op)
    s[b].parallel(b.op.axis[0])
    np.testing.assert_array_equal(kc.build(s, [a, b])(X), expected)
    np.testing.assert_array_equal(interpreted([a, b], X), expected)


def test_functions_are_looked_up_when_they_are_called(registered):
    registered("test.late", lambda x: 1)
    a = te.placeholder((N,), name="A")
    f = built([a, te.compute((N,), lambda i: tir.call_packed("test.late", a[i]), name="B")])
    assert f(X).tolist() == [1] * N
    registered("test.late", lambda x: 2)
    assert f(X).tolist() == [2] * N
    remove_global_func("test.late")
    with pytest.raises(KCError, match=r"KC5250.*raised CallError.*no global function"):
        f(X)
    registered("test.late", lambda x: 3)
    assert f(X).tolist() == [3] * N


@pytest.mark.parametrize("parallel", [False, True])
def test_an_exception_ends_the_call(registered, parallel):
    calls = []

    def function(i, x):
        calls.append(i)
        if i == 2:
            raise ValueError("not two")
        return 7

    registered("test.raises", function)
    a = te.placeholder((N,), name="A")
    b = te.compute((N,), lambda i: tir.call_packed("test.raises", i, a[i]), name="B")
    s = te.create_schedule(b.op)
    if parallel:
        s[b].parallel(b.op.axis[0])
    f = kc.build(s, [a, b])
    assert refusal(lambda: f(X), __file__) == (
        "error[KC5250]: main: the function 'test.raises' raised ValueError: not two\n"
        "  why: the kernel called no further function; its output is undefined"
    )
    assert parallel or calls == [0, 1, 2]
    with pytest.raises(KCError) as caught:
        f(X)
    assert isinstance(caught.value.__cause__, ValueError)
    # A prepared call and a timed one tell, too, and the kernel goes on to work.
    with pytest.raises(KCError, match="KC5250"):
        f["main"].prepare(X, np.zeros(N, "int32"))()
    with pytest.raises(KCError, match="KC5250"):
        f.time_evaluator("main", kc.cpu(0), number=2)(X, np.zeros(N, "int32"))
    registered("test.raises", lambda i, x: i)
    assert f(X).tolist() == list(range(N))


def test_a_result_that_is_no_number(registered):
    registered("test.text", lambda x: "seven")
    a = te.placeholder((N,), name="A")
    f = built([a, te.compute((N,), lambda i: tir.call_packed("test.text", a[i]), name="B")])
    with pytest.raises(
        KCError, match="raised TypeError: it gives str, where the kernel takes a int32"
    ):
        f(X)


def test_an_interrupt_is_no_error(registered):
    def interrupt(x):
        raise KeyboardInterrupt

    registered("test.interrupt", interrupt)
    a = te.placeholder((N,), name="A")
    f = built([a, te.compute((N,), lambda i: tir.call_packed("test.interrupt", a[i]), name="B")])
    with pytest.raises(KeyboardInterrupt):
        f(X)


def test_kernels_that_call_kernels(registered):
    a = te.placeholder((N,), name="A")
    registered("test.inner", lambda x: int(x) if x < 7 else int("seven"))
    b = te.compute((N,), lambda i: tir.call_packed("test.inner", a[i]), name="B")
    s = te.create_schedule(b.op)
    s[b].parallel(b.op.axis[0])
    inner = kc.build(s, [a, b], name="inner")
    registered("test.outer", lambda x: int(inner(np.full(N, x, "float32"))[0]))
    c = te.compute((N,), lambda i: tir.call_packed("test.outer", a[i]), name="C")
    s = te.create_schedule(c.op)
    s[c].parallel(c.op.axis[0])
    outer = kc.build(s, [a, c], name="outer")
    assert outer(X - 1).tolist() == list(range(-1, N - 1))
    with pytest.raises(KCError, match=r"outer: the function 'test.outer' raised CallError") as got:
        outer(X)
    assert "inner: the function 'test.inner' raised ValueError" in str(got.value.__cause__)


def test_calls_from_several_threads_do_not_mix(registered):
    registered("test.pick", lambda x: int(x) if x >= 0 else int("negative"))
    a = te.placeholder((N,), name="A")
    b = te.compute((N,), lambda i: tir.call_packed("test.pick", a[i]), name="B")
    s = te.create_schedule(b.op)
    s[b].parallel(b.op.axis[0])
    f = kc.build(s, [a, b])
    wrong = []

    def work(sign):
        for _ in range(20):
            try:
                picked = f(sign * (X + 1)).tolist()
                if sign < 0 or picked != list(range(1, N + 1)):
                    wrong.append(picked)
            except KCError:
                if sign > 0:
                    wrong.append("an error of another call")

    threads = [threading.Thread(target=work, args=(sign,)) for sign in (1, -1, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_name_that_nobody_registered(registered):
    registered("test.known", lambda x: 0)
    a = te.placeholder((N,), name="A")
    b = te.compute((N,), lambda i: tir.call_packed("test.knwon", a[i]), name="B")
    assert refusal(lambda: built([a, b]), __file__) == (
        "error[KC5251]: no function is registered as 'test.knwon'\n"
        "  why: the kernel calls a Python function, which must be registered before the build\n"
        "  try: did you mean 'test.known'?"
    )


def test_numbers_that_c_does_not_pass(registered):
    registered("test.small", lambda x: 0)
    a = te.placeholder((N,), "float16", name="A")
    b = te.compute((N,), lambda i: tir.call_packed("test.small", a[i]), name="B")
    assert refusal(lambda: built([a, b]), __file__) == (
        "error[KC4350]: the function 'test.small' is called with a float16 scalar\n"
        "  why: C cannot pass such numbers, and Python functions are called through C\n"
        '  try: convert it: x.astype("float32")'
    )


# Schedules and other ways in ----------------------------------------------------------------------


def test_loops_around_a_call(registered):
    registered("test.fill", lambda a, c: c.copyfrom(np.asarray(a)))
    a = te.placeholder((N,), name="A")

    def statement(ins, outs, kind):
        ib = tir.ir_builder.create()
        with ib.for_range(0, 2, name="i", kind=kind):
            ib.emit(tir.call_packed("test.fill", ins[0], outs[0]))
        return ib.get()

    assert refusal(
        lambda: te.extern((N,), [a], lambda i, o: statement(i, o, "parallel"), name="C"), __file__
    ) == (
        "error[KC3041]: parallel: the iterations of i cannot be proven independent\n"
        "   |  for i in 2:    <-- here\n"
        "  why: cannot prove that iterations touch different elements of C: tir.call_extern may "
        "touch it\n"
        "  try: unsafe=True on the loop takes it on trust"
    )
    c = te.extern((N,), [a], lambda i, o: statement(i, o, "serial"), name="C")
    np.testing.assert_array_equal(built([a, c])(X), X)


def test_calls_in_branches_reductions_and_several_functions(registered):
    seen = []
    registered("test.twice", lambda i, x: seen.append(i) or 2 * x)
    a = te.placeholder((N,), name="A")

    def twice(i):
        return tir.call_packed("test.twice", i, a[i], dtype="float32")

    b = te.compute(
        (N,),
        lambda i: te.if_then_else(i < 4, twice(i), tir.call_pure_extern("float32", "cbrtf", a[i])),
        name="B",
    )
    s = te.create_schedule(b.op)
    outer, inner = s[b].split(b.op.axis[0], factor=2)
    s[b].unroll(inner)
    s[b].parallel(outer)
    expected = np.where(X < 4, 2 * X, np.cbrt(X))
    np.testing.assert_allclose(kc.build(s, [a, b])(X), expected, rtol=1e-6)
    assert sorted(seen) == [0, 1, 2, 3]  # the other branch is not taken
    functions = {name: kc.lower(te.create_schedule(b.op), [a, b], name=name) for name in "fg"}
    both = kc.build(kc.IRModule(functions))
    for name in functions:
        np.testing.assert_allclose(both[name](X), expected, rtol=1e-6)
    k = te.reduce_axis((0, N), "k")
    total = te.compute((), lambda: te.sum(twice(k), axis=k), name="T")
    s = te.create_schedule(total.op)
    s.rfactor(total, s[total].split(k, factor=4)[1])
    assert kc.build(s, [a, total])(X) == 2 * X.sum()


def test_what_a_call_reads_is_not_inlined(registered):
    registered("test.fill", lambda a, c: c.copyfrom(np.asarray(a)))
    a = te.placeholder((N,), name="A")
    b = te.compute((N,), lambda i: a[i] * 2.0, name="B")
    c = te.extern((N,), [b], lambda i, o: tir.call_packed("test.fill", i[0], o[0]), name="C")
    s = te.create_schedule(c.op)
    s[b].compute_inline()
    with pytest.raises(KCError, match="KC3205.*compute_inline: B is also used by tir.call_extern"):
        kc.lower(s, [a, c])
    np.testing.assert_array_equal(built([a, c])(X), X * 2)


def test_calls_in_scripts(registered):
    registered("test.fill", lambda a, c: c.copyfrom(np.asarray(a) + 1))

    @kc.script
    def fill(a: tir.Buffer((N,)), c: tir.Buffer((N,))):
        tir.call_packed("test.fill", a.access_ptr("r"), c.access_ptr("w"))

    out = np.zeros(N, "float32")
    kc.build(fill)(X, out)
    np.testing.assert_array_equal(out, X + 1)


def test_code_for_another_machine_keeps_the_symbol():
    a = te.placeholder((N,), name="A")
    b = te.compute((N,), lambda i: tir.call_extern("float32", "nowhere_f", a[i]), name="B")
    f = built([a, b], target="llvm -mtriple=aarch64-linux-gnu")
    assert "bl\tnowhere_f" in f.get_source("asm")


# Traces -------------------------------------------------------------------------------------------


def test_traces(registered, capsys):
    shown = []
    registered("test.trace", lambda *given: shown.append(given))
    registered("test.change", lambda i, x: 13 if i == 2 else None)
    a = te.placeholder((4,), name="A")
    b = te.compute(
        (4,),
        lambda i: te.trace(["x", i, a[i]], "test.trace") + te.trace([i, a[i]], "test.change"),
        name="B",
    )
    x = np.float32([1, 2, 3, 4])
    expected = [2, 4, 16, 8]
    assert built([a, b])(x).tolist() == expected
    assert shown == [("x", n, n + 1.0) for n in range(4)]
    assert interpreted([a, b], x).tolist() == expected
    c = te.compute((2,), lambda i: te.trace([i, a[i]]), name="C")
    assert built([a, c])(x).tolist() == [1, 2]
    assert capsys.readouterr().out == "[0, 1.0]\n[1, 2.0]\n"


# Files --------------------------------------------------------------------------------------------

MAIN = r"""
#include <stdio.h>
#include "kernels.h"

void HOOK(const float *a, float *c, int32_t n) {
  for (int i = 0; i < n; i++) c[i] = a[i] * 10;
}

int main(void) {
  float a[8] = {0, 1, 2, 3, 4, 5, 6, 7}, c[8];
  kc_main(a, c);
  for (int i = 0; i < 8; i++) printf("%g ", c[i]);
  return 0;
}
"""


def test_saved_code(registered, tmp_path, c_compiler):
    registered("test.saved", lambda a, c, n: c.copyfrom(np.asarray(a) + n))
    a = te.placeholder((N,), name="A")
    c = te.extern(
        (N,), [a], lambda i, o: tir.call_packed("test.saved", i[0], o[0].access_ptr("w"), N)
    )
    f = built([a, c])
    for kind in ("o", "ll", "mlir"):
        path = str(tmp_path / f"k.{kind}")
        f.save(path)
        np.testing.assert_array_equal(kc.runtime.load_module(path)(X), X + N)
    # Python's function is one of C for a program in C, which defines it.
    header = f.get_header()
    (line,) = [line for line in header.split("\n") if "kc_packed" in line]
    name, _, rest = line.removeprefix("void ").partition("(")
    assert rest == "const float *a0, float *a1, int32_t a2);"
    assert (
        '/* To be defined by the program: what the kernels call as\n   "test.saved". */' in header
    )
    f.save_header(tmp_path / "kernels.h")
    (tmp_path / "main.c").write_text(MAIN.replace("HOOK", name))
    program = tmp_path / "program"
    c_compiler(tmp_path / "main.c", tmp_path / "k.o", "-o", program)
    assert c_compiler.run(program) == "0 10 20 30 40 50 60 70 "
    # A library has to be complete.
    assert refusal(lambda: f.export_library(str(tmp_path / "k.so")), __file__) == (
        "error[KC5252]: export_library: the code calls the function 'test.saved' of Python\n"
        f"   |  it needs {line}\n"
        "  why: a library is complete, and C has no Python functions\n"
        '  try: define it in C as declared in the header: options=["hooks.c"] of export_library\n'
        '  try: or save an object, m.save("kernel.o"), and link it with one that defines it\n'
        '  try: in this process, target="llvm" calls the Python function itself'
    )
    hooks = tmp_path / "hooks.c"
    hooks.write_text(MAIN.partition("int main")[0].replace("HOOK", name))
    f.export_library(str(tmp_path / "k.so"), options=[str(hooks), f"-I{tmp_path}"])
    np.testing.assert_array_equal(kc.runtime.load_module(str(tmp_path / "k.so"))(X), X * 10)
    with pytest.raises(KCError, match="KC5252.*calling a kernel of the C target"):
        built([a, c], target="c")(X)


# Wrong arguments ----------------------------------------------------------------------------------

BUFFER = tir.decl_buffer((N,), name="B")
REFUSALS = [
    (
        lambda a: tir.call_extern("float32", "std::cbrt", a[0]),
        "error[KC2150]: call_extern: 'std::cbrt' is not the name of a function\n"
        "  why: the name must be a symbol of C\n"
        '  try: tir.call_extern("int32", "abs", x)',
    ),
    (
        lambda a: tir.call_packed("", a[0]),
        "error[KC2150]: call_packed: '' is not the name of a function\n"
        "  why: the name must be registered by kc.register_func\n"
        '  try: tir.call_packed("my.function", x)',
    ),
    (
        lambda a: tir.call_llvm_intrin("float32", "fma", 3, a[0], a[0], a[0]),
        "error[KC2150]: call_llvm_intrin: 'fma' is not an intrinsic of LLVM\n"
        '  why: their names start with "llvm."\n'
        '  try: tir.call_llvm_intrin("float32", "llvm.fma", 3, a, b, c)',
    ),
    (
        lambda a: tir.call_intrin("float32", "tir.exq", a[0]),
        "error[KC2151]: call_intrin: unknown intrinsic 'tir.exq'\n"
        "  try: did you mean 'exp' or 'exp2' or 'ldexp'?\n"
        '  try: tir.call_extern("float32", "exq", ...) calls a C function',
    ),
    (
        lambda a: tir.call_pure_extern("float32", "norm", BUFFER),
        "error[KC2152]: call_pure_extern: an argument of norm is the buffer B\n"
        "  why: a pure function depends only on its arguments, not on memory\n"
        '  try: tir.call_extern("float32", "norm", ...)',
    ),
    (
        lambda a: tir.call_pure_extern("void", "f", a[0]),
        "error[KC2152]: call_pure_extern: f has no result\n"
        "  why: a pure function is called for its result\n"
        '  try: tir.call_extern("void", "f", ...)',
    ),
    (
        lambda a: tir.call_extern("float32", "norm", a),
        "error[KC2153]: call_extern: argument 0 of norm is the tensor A\n"
        "  why: a tensor has memory only inside te.extern\n"
        "  try: pass an element: A[i]\n"
        "  try: te.extern(shape, [A], lambda ins, outs: tir.call_extern(..., ins[0]))",
    ),
    (
        lambda a: tir.call_extern("float32", "f", a[0], "text"),
        "error[KC2153]: call_extern: argument 1 of f is the text 'text'\n"
        "  why: a C function can receive only numbers and buffers\n"
        '  try: tir.call_packed("f", ...) passes text to a Python function',
    ),
    (
        lambda a: BUFFER.access_ptr("x"),
        "error[KC2154]: access_ptr: B with the mask 'x'\n"
        "  why: the mask must declare that the call reads the buffer, writes it, or both\n"
        '  try: B.access_ptr("r"), "w" or "rw"',
    ),
    (
        lambda a: BUFFER.access_ptr("r", offset=4.5),
        "error[KC2154]: access_ptr: B from element 4.5 on, 1 lane\n"
        "  why: an offset must be a flat index into a dense buffer, or an index for each "
        "dimension\n"
        "  try: tir.address_of(B[i])",
    ),
    (
        lambda a: tir.address_of(a[0]),
        "error[KC2154]: address_of: A[0] is not an element of a buffer\n"
        "  why: only elements of buffers have addresses: of tir.decl_buffer and te.extern\n"
        "  try: tir.address_of(A[i, j])",
    ),
    (
        lambda a: tir.call_packed("my.f", BUFFER.access_ptr("r", offset=3)),
        "error[KC2154]: call_packed: argument 0 of my.f is B from another element than the first "
        "on\n"
        "  why: a Python function can receive only whole buffers, as arrays\n"
        "  try: pass the offset as an argument of the function",
    ),
    (
        lambda a: tir.call_llvm_intrin("float32", "llvm.sqrt", 2, a[0]),
        "error[KC2155]: call_llvm_intrin: 2 arguments of llvm.sqrt should determine its types, 1 "
        "given\n  why: the number of the type-determining arguments must precede the arguments\n"
        '  try: tir.call_llvm_intrin("float32", "llvm.sqrt", 1, ...)',
    ),
    (
        lambda a: te.compute((N,), lambda i: tir.call_extern("void", "srand", i)),
        "error[KC2157]: the call of srand has no value\n"
        "  why: it returns void, so it can only be called as a statement\n"
        "  try: give the type of the result instead of void\n"
        "  try: te.extern takes statements",
    ),
    (
        lambda a: a[0] + tir.call_extern("void", "srand", 3),
        "error[KC2157]: the call of srand has no value\n"
        "  why: it returns void, so it can only be called as a statement\n"
        "  try: give the type of the result instead of void\n"
        "  try: te.extern takes statements",
    ),
    (
        lambda a: te.trace(a[0]),
        "error[KC2156]: trace: Element is not a list of values\n"
        "  why: the last value of the list is the result, and the trace shows all of them\n"
        "  try: te.trace([i, A[i]])",
    ),
    (
        lambda a: te.trace([a[0], BUFFER]),
        "error[KC2156]: trace: the last value is Buffer((8,), float32, name=B)\n"
        "  why: the last value is the result, so it must be a scalar\n"
        "  try: te.trace([buffer, A[i]])",
    ),
]


@pytest.mark.parametrize(("make", "text"), REFUSALS)
def test_refusals(make, text):
    assert refusal(lambda: make(te.placeholder((N,), name="A")), __file__) == text


ROWS = te.placeholder((4, 8), name="A")


def by_offset(out, data, i):
    return out.access_ptr("w", offset=i * 8 + 1), data.access_ptr("r", offset=(i + 1) * 8)


def by_element(out, data, i):
    return tir.address_of(out[i, 1]), tir.address_of(data[i + 1, 0])


def by_indices(out, data, i):
    return out.access_ptr("w", offset=[i, 1]), data.access_ptr("r", offset=[i + 1, 0])


@pytest.mark.parametrize("addresses", [by_offset, by_element, by_indices])
def test_a_function_gets_the_address_of_an_element(addresses):
    def rows(ins, outs):
        ib = tir.ir_builder.create()
        with ib.for_range(0, 3, name="i") as i:
            out, data = addresses(outs[0], ins[0], i)
            ib.emit(tir.call_extern("void", "memcpy", out, data, tir.const(28, "int64")))
        return ib.get()

    b = te.extern((4, 8), [ROWS], rows, name="B", dtype="float32")
    s = te.create_schedule(b.op)
    module = kc.lower(s, [ROWS, b])
    given = np.arange(32, dtype="float32").reshape(4, 8)
    expected = np.zeros((4, 8), "float32")
    expected[:3, 1:] = given[1:, :7]
    out = np.zeros((4, 8), "float32")
    kc.build(module)(given, out)
    np.testing.assert_array_equal(out, expected)
    out[:] = 0
    run(module.op, "main", [given, out])
    np.testing.assert_array_equal(out, expected)
    read = kc.script.from_source(module.script(style="tvmscript"))
    kc.ir.assert_structural_equal(read, module)
    kc.ir.assert_structural_equal(kc.IRModule.parse(str(module)), module)


def test_what_a_function_may_touch_is_all_of_the_buffer():
    n = te.var("n")
    x, y = (tir.decl_buffer((n, 8), name=name) for name in "XY")
    ib = tir.ir_builder.create()
    with ib.for_range(0, n, name="i", kind="parallel") as i:
        places = tir.address_of(y[i, 0]), x.access_ptr("r", offset=i * 8)
        ib.emit(tir.call_extern("void", "memcpy", *places, tir.const(32, "int64")))
    assert refusal(lambda: tir.PrimFunc([x, y], ib.get()), __file__) == (
        "error[KC3041]: parallel: the iterations of i cannot be proven independent\n"
        "   |  for i in n:    <-- here\n"
        "  why: cannot prove that iterations touch different elements of Y: tir.call_extern may "
        "touch it\n"
        "  try: unsafe=True on the loop takes it on trust"
    )
