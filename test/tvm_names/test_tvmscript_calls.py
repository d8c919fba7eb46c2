"""Calls between the functions of a module in TVMScript."""

# ruff: noqa: F821
# pyright: basic, reportGeneralTypeIssues=false, reportUndefinedVariable=false
# pyright: reportInvalidTypeForm=false, reportIndexIssue=false, reportOperatorIssue=false
# pyright: reportAttributeAccessIssue=false, reportCallIssue=false, reportArgumentType=false

import numpy as np
import pytest

import kc
from kc.analysis.interpreter import run
from kc.ir import structural_equal
from kc.script import ir as I  # noqa: E741
from kc.script import tir as T
from kc.support.diagnostics import KCError

rng = np.random.default_rng(11)


def floats(*shape: int) -> np.ndarray:
    return rng.random(shape, dtype="f4")


def test_rows_are_given_by_the_address_of_an_element():
    @I.ir_module
    class Module:
        @T.prim_func
        def main(A: T.Buffer((10, 4), "float32"), B: T.Buffer((8, 4), "float32")):
            for i in range(7):
                Module.sums(T.address_of(A[i, 0]), T.address_of(B[i, 0]))

        @T.prim_func(private=True)
        def sums(A_data: T.handle("float32"), B_data: T.handle("float32")):
            A = T.decl_buffer([4, 4], "float32", data=A_data)
            B = T.decl_buffer([4], "float32", data=B_data)
            for i in range(4):
                B[i] = 0.0
                for j in range(4):
                    B[i] = B[i] + A[i, j]

    assert list(Module.functions) == ["main", "sums"]
    a, b = floats(10, 4), np.zeros((8, 4), "f4")
    run(Module["main"].op, "main", [a, b])
    wanted = [[a[i + r].sum() for r in range(4)] for i in range(7)]
    np.testing.assert_allclose(b[:7], wanted, rtol=1e-5)
    assert not b[7].any()
    again = kc.script.from_source(Module.script(style="tvmscript"))
    assert structural_equal(Module, again)


def test_sizes_scalars_parts_and_results_of_functions():
    @I.ir_module
    class Module:
        @T.prim_func
        def double(x: T.float32) -> T.float32:
            y = x * 2.0
            T.ret(y)

        @T.prim_func
        def scale(A: T.Buffer(("n",), "float32"), k: T.int32):
            for i in range(n):
                A[i] = Module.double(A[i]) * T.float32(k)

        @T.prim_func
        def main(A: T.Buffer((3, 8), "float32"), c: T.handle):
            m = T.int32()
            C = T.match_buffer(c, (m,), "float32")
            Module.scale(C, 3)
            Module.scale(C.data, k=2)
            for i in range(3):
                with T.block("row"):
                    vi = T.axis.S(3, i)
                    row = T.match_buffer(A[vi, 0:8], (8,))
                    Module.scale(row.data, vi)

    assert list(Module.functions) == ["scale", "main"]
    a, c = floats(3, 8), floats(7)
    wanted = a * 2 * np.arange(3, dtype="f4")[:, None], c * 24
    kc.build(Module)["main"](a, c)
    np.testing.assert_allclose(a, wanted[0], rtol=1e-6)
    np.testing.assert_allclose(c, wanted[1], rtol=1e-6)


def test_memory_in_another_shape_and_from_an_element_on():
    @T.prim_func
    def fill(x: T.handle, value: T.int32):
        X = T.match_buffer(x, (2, 3), "int32")
        for i, j in T.grid(2, 3):
            X[i, j] = value + i * 3 + j

    @T.prim_func
    def main(A: T.Buffer((4, 6), "int32")):
        fill(A.data, 10)
        fill(T.address_of(A[2, 4]), 20)
        tail = T.Buffer((2,), "int32", data=A.data, elem_offset=22)
        for i in range(2):
            tail[i] = -1

    a = np.zeros((4, 6), "i4")
    run(main.op, "main", [a])
    flat = np.zeros(24, "i4")
    flat[:6], flat[16:22], flat[22:] = range(10, 16), range(20, 26), -1
    assert (a.ravel() == flat).all()


def test_addresses_of_parts_of_buffers():
    @T.prim_func
    def main(a: T.handle, m: T.int32):
        A = T.match_buffer(a, (m * 2, m), "int32")
        for i in range(2):
            with T.block("rows"):
                vi = T.axis.spatial(2, i)
                offset = T.int32()
                P = T.match_buffer(A[vi * m : vi * m + m, 1:2], (m,), elem_offset=offset)
                Q = T.match_buffer(A[vi, 0:1], (1,))
                T.call_extern("int32", "first", P.access_ptr("w"), m)
                T.call_extern("int32", "second", P.data, offset)
                T.call_extern("int32", "third", Q.data)

    calls = [str(op) for op in main.op.walk() if op.name == "tir.call_extern"]
    assert [call.partition(" = ")[2] for call in calls] == [
        'tir.call_extern "first"(update %A, %1, %2, %3) {kc.starts = array<i64: -1, 0, 0, -1>} : '
        "(memref<?x?xi32>, i32, i32, i32) -> i32",
        'tir.call_extern "second"(update %A, %1) : (memref<?x?xi32>, i32) -> i32',
        'tir.call_extern "third"(update %Q) : (memref<1xi32, strided<[1], offset: ?>>) -> i32',
    ]


MODULE = """
@I.ir_module
class M:
    @T.prim_func
    def scale(A: T.Buffer((8,), "float32"), k: T.int32):
        for i in range(8):
            A[i] = A[i] * T.float32(k)
    @T.prim_func
    def main(A: T.Buffer((16,), "float16"), B: T.Buffer((4,), "float32")):
        {call}
"""

REFUSALS = {
    "N.scale(A, 3)": """\
error[KC2111]: the name N is undefined here
  --> <text>:10:9  N.scale(A, 3)
  why: a script can use its own names, those of the enclosing scopes, and the words of scripts
  try: its own names are: A, B""",
    "M.scale(A.data)": """\
error[KC2116]: scale takes 2 arguments, but the call has 1
  --> <text>:10:9  M.scale(A.data)
  why: its parameters are A, k""",
    "M.scaled(A, 3)": """\
error[KC2111]: the module M has no function scaled
  --> <text>:10:9  M.scaled(A, 3)
  try: did you mean 'scale'?""",
    "M.main(A, B)": """\
error[KC2117]: main calls itself
  --> <text>:10:9  M.main(A, B)
  why: a call is replaced by the statements of the function, so recursion never ends
  try: a for loop""",
    "M.scale(1, 2)": """\
error[KC2116]: scale: the parameter A is a buffer, and is given int
  --> <text>:10:9  M.scale(1, 2)
  try: A.data or T.address_of(A[i, j]) for a buffer, a number for a scalar""",
    "M.scale(B, B)": """\
error[KC2129]: A, float32 of shape (8,), is declared in the memory of B, float32 of shape (4,)
  --> <text>:10:9  M.scale(B, B)
  why: a buffer in the memory of another must have its element type and a constant shape of \
which it is not the larger one""",
}


@pytest.mark.parametrize("call", REFUSALS)
def test_refusals(call):
    with pytest.raises(KCError) as caught:
        kc.script.from_source(MODULE.format(call=call))
    text = str(caught.value)
    start = text.index("<tvmscript ")
    assert text.replace(text[start : text.index(">", start) + 1], "<text>") == REFUSALS[call]


def test_a_value_is_returned_at_the_end_of_a_function_that_others_call():
    with pytest.raises(KCError) as caught:

        @T.prim_func
        def f(A: T.Buffer((4,), "float32")):
            T.ret(A[0])

    assert str(caught.value).splitlines()[0] == "error[KC2114]: f returns a value"
    with pytest.raises(KCError) as caught:
        kc.script.from_source("""
@I.ir_module
class M:
    @T.prim_func
    def first(x: T.int32) -> T.int32:
        if x > 0:
            T.ret(x)
        T.ret(0)
    @T.prim_func
    def main(A: T.Buffer((4,), "int32")):
        A[0] = M.first(A[1])
""")
    assert str(caught.value).splitlines()[0] == "error[KC2114]: first returns before its end"
