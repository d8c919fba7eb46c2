"""TVMScript means what it does in TVM: kernels with all its words, compared with numpy."""

# ruff: noqa: B007, E731, F811, F821, F841
# pyright: basic, reportGeneralTypeIssues=false, reportUndefinedVariable=false
# pyright: reportInvalidTypeForm=false, reportIndexIssue=false, reportOperatorIssue=false
# pyright: reportAttributeAccessIssue=false, reportCallIssue=false, reportArgumentType=false

import numpy as np
import pytest
from tir.script_checks import execute

import kc
import kc as tvm
from kc import tir
from kc.script import ir as I  # noqa: E741
from kc.script import tir as T
from kc.support.global_functions import remove_global_func

rng = np.random.default_rng(7)


def floats(*shape: int) -> np.ndarray:
    return rng.random(shape, dtype="f4")


def test_a_function_with_pointers_a_symbolic_size_and_a_reduction():
    @T.prim_func
    def matmul(a: T.handle, b: T.handle, c: T.handle) -> None:
        n = T.var("int32")
        A = T.match_buffer(a, (n, 64), "float32")
        B = T.match_buffer(b, [64, 32])
        C = T.match_buffer(c, (n, 32), dtype="float32")
        with T.block("root"):
            T.reads(A[0:n, 0:64])
            T.writes()
            D = T.alloc_buffer((n, 32), "float32")
            for i, j, k in T.grid(n, 32, 64):
                with T.block("D"):
                    vi, vj, vk = T.axis.remap("SSR", [i, j, k])
                    T.reads(A[vi, vk], B[vk, vj])
                    T.writes(D[vi, vj])
                    T.block_attr({"note": 1})
                    with T.init():
                        D[vi, vj] = T.float32(0)
                    D[vi, vj] = D[vi, vj] + A[vi, vk] * B[vk, vj]
            for i, j in T.grid(n, 32):
                with T.block("C"):
                    vi = T.axis.spatial(n, i)
                    vj = T.axis.S(32, j)
                    C[vi, vj] = T.max(D[vi, vj], T.float32(16))

    assert isinstance(matmul, tir.PrimFunc)
    assert "annotations {note = 1 : i64}" in str(matmul)
    a, b, c = floats(7, 64), floats(64, 32), floats(7, 32)
    kc.build(matmul)(a, b, c)
    np.testing.assert_allclose(c, np.maximum(a @ b, 16), rtol=1e-5)
    sch = tir.Schedule(matmul)
    i, j, k = sch.get_loops(sch.get_block("D"))
    sch.reorder(k, j)
    sch.vectorize(j)
    kc.build(sch.mod)(a, b, c)
    np.testing.assert_allclose(c, np.maximum(a @ b, 16), rtol=1e-5)


def test_a_module_of_functions_and_a_block_in_a_block():
    @I.ir_module
    class Module:
        @T.prim_func
        def main(A: T.Buffer((16, 16), "float32"), B: T.Buffer[(16, 16), "float32"]):
            T.func_attr({"global_symbol": "main", "tir.noalias": True})
            for io in T.serial(4):
                with T.block("outer"):
                    vio = T.axis.spatial(4, io)
                    part = T.match_buffer(A[vio * 4 : vio * 4 + 4, 0:16], (4, 16), "float32")
                    for i, j in T.grid(4, 16):
                        with T.block("inner"):
                            vi, vj = T.axis.remap("SS", [i, j])
                            x = part[vi, vj] + 1.0
                            x = x * 2.0
                            B[vio * 4 + vi, vj] = x

        @T.prim_func(private=True)
        def add(x: T.int32, A: T.Buffer((16,), "int32")):
            for i in range(16):
                A[i] = A[i] + x

    assert isinstance(Module, kc.IRModule)
    assert list(Module.functions) == ["main", "add"]
    a, b = floats(16, 16), floats(16, 16)
    numbers = np.arange(16, dtype="i4")
    built = kc.build(Module)
    built["main"](a, b)
    np.testing.assert_allclose(b, (a + 1) * 2, rtol=1e-6)
    built["add"](5, numbers)
    assert (numbers == np.arange(16) + 5).all()


def test_memory_that_is_declared_in_memory():
    @T.prim_func
    def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4, 8), "float32")):
        flat = T.Buffer((32,), data=A.data)
        result = T.buffer_decl([32], "float32", data=B.data)
        part: T.handle("float32") = T.allocate([4], "float32", "global")
        first = T.decl_buffer((4,), "float32", data=part)
        C = T.allocate([32], "float32", "global")
        C_1 = T.decl_buffer([8, 4], "float32", data=C)
        with T.allocate([32], "float32", "global") as D:
            for i, j in T.grid(4, 8):
                D[i * 8 + j] = flat[i * 8 + j] + T.Cast("float32", i)
            for i, j in T.grid(8, 4):
                first[j] = D[i * 4 + j]
                C_1[i, j] = first[j]
        for i in T.vectorized(32):
            result[i] = T.load("float32", C, i)
        T.store(B.data, 3, T.float32(-1))

    a, b = floats(4, 8), floats(4, 8)
    kc.build(f)(a, b)
    expected = a + np.arange(4, dtype="f4")[:, None]
    expected[0, 3] = -1
    assert (b == expected).all()


def test_constants_in_memory():
    @T.prim_func
    def f(B: T.Buffer((2, 3), "int32")):
        K = T.allocate_const([1, 2, 3, 4, 5, 6], "int32", [2, 3])
        for i, j in T.grid(2, 3):
            B[i, j] = K[i, j] * 2

    b = np.zeros((2, 3), "i4")
    kc.build(f)(b)
    assert (b == [[2, 4, 6], [8, 10, 12]]).all()


def test_names_stand_for_values_and_may_stand_for_others_later():
    @T.prim_func
    def f(A: T.Buffer((8,), "float32"), n: T.int32, B: T.Buffer((8,), "float32")):
        for i in T.serial(0, 8, annotations={"note": 1}):
            x: T.float32 = A[i] * 2.0
            with T.let(y, x + 1.0):
                with T.LetStmt(y * T.float32(3)) as z:
                    B[i] = z + T.float32(n)
                    x = z
                    B[i] = B[i] + T.if_then_else(i < 4, x, T.float32(0), dtype="float32")

    a, b = floats(8), floats(8)
    kc.build(f)(a, 5, b)
    z = (a * 2 + 1) * 3
    np.testing.assert_allclose(b, z + 5 + np.where(np.arange(8) < 4, z, 0), rtol=1e-6)

    @T.prim_func
    def h(B: T.Buffer((4,), "int32")):
        x = T.var("int32")
        for i in range(4):
            with T.let(x, i + 1):
                B[i] = x * 2
            B[i] = B[i] + T.Let(x * 10, where={x: i})

    b = np.zeros(4, "i4")
    kc.build(h)(b)
    assert b.tolist() == [2, 14, 26, 38]

    @T.prim_func
    def g(B: T.Buffer((4,), "int32")):
        x = 0
        for i in range(4):
            x = x + i  # another x in each iteration: no memory
            B[i] = x

    b = np.zeros(4, "i4")
    kc.build(g)(b)
    assert b.tolist() == [0, 1, 2, 3]


def test_an_argument_with_symbolic_strides_and_an_offset():
    @T.prim_func
    def f(a: T.handle, b: T.handle):
        s, m = T.int32(), T.int64()
        A = T.match_buffer(
            a, (16,), "float32", strides=[s], elem_offset=m, align=64, offset_factor=1
        )
        B = T.match_buffer(b, ("k",), "float32")
        for i in T.parallel(k):
            with T.block("B"):
                vi = T.axis.S(k, i)
                B[vi] = A[vi] + T.float32(m)

    a, b = floats(32), floats(16)
    kc.build(f)(a[::2], b)
    assert (b == a[::2]).all()


def test_a_part_of_a_buffer_and_its_strides_are_given_to_a_call():
    @T.prim_func
    def f(A: T.Buffer((16, 16), "float32"), B: T.Buffer((16, 16), "float32")):
        for i in range(4):
            with T.block("copy"):
                vi = T.axis.S(4, i)
                s0, s1, offset = T.int32(), T.int32(), T.int32()
                P = T.match_buffer(
                    A[vi * 4 : vi * 4 + 4, 4:12],
                    (4, 8),
                    "float32",
                    strides=[s0, s1],
                    elem_offset=offset,
                )
                Q = T.match_buffer(B[vi * 4 : vi * 4 + 4, 4:12], (4, 8), strides=[s0, 1])
                T.reads(A[vi * 4 : vi * 4 + 4, 4:12])
                T.writes(B[vi * 4 : vi * 4 + 4, 4:12])
                T.evaluate(
                    T.call_packed(
                        "test.copy_part", P.access_ptr("r"), Q.access_ptr("w"), s0, s1, offset
                    )
                )

    told = []

    def copy(source: kc.nd.NDArray, target: kc.nd.NDArray, *numbers: int) -> None:
        told.append(numbers)
        target.copyfrom(source.numpy())

    kc.register_func("test.copy_part", copy, override=True)
    a, b = floats(16, 16), np.zeros((16, 16), "f4")
    try:
        kc.build(f)(a, b)
    finally:
        remove_global_func("test.copy_part")
    assert (b[:, 4:12] == a[:, 4:12]).all()
    assert not b[:, :4].any()
    assert told == [(16, 1, 64 * n + 4) for n in range(4)]


def test_parts_of_symbolic_sizes():
    @T.prim_func
    def rows(a: T.handle, b: T.handle):
        m, n = T.int32(), T.int32()
        A = T.match_buffer(a, (m * 4, n), "float32")  # whose rows tell m
        B = T.match_buffer(b, (m * 4, n), "float32")
        for i in range(m):
            with T.block("rows"):
                vi = T.axis.S(m, i)
                P = T.match_buffer(A[vi * 4 : vi * 4 + 4, 0:n], (4, n), "float32")
                Q = T.match_buffer(B[vi * 4 : vi * 4 + 4, 0:n], (4, n), "float32")
                for k, j in T.grid(4, n):
                    with T.block("B"):
                        vk, vj = T.axis.remap("SS", [k, j])
                        Q[vk, vj] = P[vk, vj] + 1.0

    a, b = floats(8, 5), floats(8, 5)
    kc.build(rows)(a, b)
    assert (b == a + 1).all()

    @T.prim_func
    def sums(A: T.Buffer((5, 5), "float32"), C: T.Buffer((5,), "float32")):
        for i in range(5):
            with T.block("sum"):
                vi = T.axis.S(5, i)
                T.reads(A[vi, 0 : vi + 1])
                T.writes(C[vi])
                P = T.match_buffer(A[vi, 0 : vi + 1], (vi + 1,), "float32")
                C[vi] = 0.0
                for j in range(vi + 1):
                    C[vi] = C[vi] + P[j]

    a, c = floats(5, 5), floats(5)
    kc.build(sums)(a, c)
    np.testing.assert_allclose(c, np.tril(a).sum(axis=1), rtol=1e-5)


def test_vectors():
    @T.prim_func
    def f(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for i in range(16):
            B[T.ramp(i * 4, 1, 4)] = A[i * 4 : i * 4 + 4] * T.broadcast(T.float32(2), 4)

    a, b = floats(64), floats(64)
    kc.build(f)(a, b)
    assert (b == a * 2).all()


def test_threads():
    @T.prim_func
    def f(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        bx = T.env_thread("blockIdx.x")
        tx = T.env_thread("threadIdx.x")
        T.launch_thread(bx, 4)
        T.launch_thread(tx, 16)
        B[bx * 16 + tx] = A[bx * 16 + tx] + 1.0

    @T.prim_func
    def g(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        bx = T.launch_thread("blockIdx.x", 4)
        with T.launch_thread("threadIdx.x", 16) as tx:
            B[bx * 16 + tx] = A[bx * 16 + tx] + 1.0

    @T.prim_func
    def h(A: T.Buffer((64,), "float32"), B: T.Buffer((64,), "float32")):
        for bx in T.thread_binding(4, thread="blockIdx.x"):
            for tx in T.thread_binding(0, 16, "threadIdx.x", annotations={}):
                B[bx * 16 + tx] = A[bx * 16 + tx] + 1.0

    bodies = [str(kernel).partition("\n")[2].split("\n", 1)[1] for kernel in (f, g, h)]
    assert bodies[0] == bodies[1] == bodies[2]
    assert 'tir.for %tx in 16 thread "threadIdx.x"' in bodies[0]


def test_scalars():
    @T.prim_func
    def f(
        A: T.Buffer((4,), "float32"),
        B: T.Buffer((4,), "int32"),
        C: T.Buffer((4,), "uint8"),
        D: T.Buffer((4,), "bool"),
    ):
        for i in range(4):
            A[i] = T.exp(A[i], dtype="float32") + T.pow(A[i], T.float32(2)) + T.sqrt(T.abs(A[i]))
            B[i] = (
                T.Select(B[i] > 0 and B[i] < 5, T.floordiv(B[i], 2), T.bitwise_and(B[i], 3))
                + T.shift_left(B[i], 1)
                + T.min(B[i], T.max_value("int32"))
            )
            C[i] = T.uint8(250) + C[i]
            D[i] = T.Not(D[i]) or T.LT(i, 1)

    a, c = floats(4), np.arange(4, dtype="u1") * 3
    b, d = np.array([-7, 3, 9, 4], "i4"), np.array([True, False, True, False])
    kept = a.copy(), b.copy(), c.copy(), d.copy()
    kc.build(f)(a, b, c, d)
    np.testing.assert_allclose(a, np.exp(kept[0]) + kept[0] ** 2 + np.sqrt(kept[0]), rtol=1e-5)
    half = np.where((kept[1] > 0) & (kept[1] < 5), kept[1] // 2, kept[1] & 3)
    assert (b == half + kept[1] * 2 + kept[1]).all()
    assert (c == kept[2] + np.uint8(250)).all()
    assert (d == (~kept[3] | (np.arange(4) < 1))).all()


def test_functions_of_c_and_infinities():
    @T.prim_func
    def f(A: T.Buffer((4,), "float64")):
        for i in range(4):
            A[i] = T.call_extern("float64", "cbrt", A[i])
            A[i] = T.call_pure_extern("cbrt", A[i], dtype="float64") + T.float64("inf")

    a = rng.random(4)
    kc.build(f)(a)
    assert np.isinf(a).all()


def test_a_function_without_parameters_and_one_that_asserts():
    @T.prim_func
    def nothing():
        T.evaluate(0)

    kc.build(nothing)()

    @T.prim_func
    def f(A: T.Buffer((4,), "int32")):
        for i in range(4):
            assert A[i] < 10, "too large"
            A[i] = A[i] + 1

    built = kc.build(f)
    a = np.zeros(4, "i4")
    built(a)
    assert (a == 1).all()
    a[2] = 20
    with pytest.raises(kc.KCError, match="KC5250") as caught:
        built(a)
    assert isinstance(caught.value.__cause__, AssertionError)
    assert str(caught.value.__cause__).endswith(": too large")


def test_names_of_the_scope_around_comprehensions_and_macros():
    numbers = [1, 2, 3, 4]
    scale = 3

    @T.macro
    def store(X, i, value):
        X[i] = value

    @T.prim_func
    def f(A: T.Buffer((4,), "int32")):
        values = [n * n * scale for n in numbers if n != 3]
        for place, value in [(0, values[0]), (1, values[1]), (3, values[2])]:
            store(A, place, value)

    a = np.zeros(4, "i4")
    kc.build(f)(a)
    assert a.tolist() == [3, 12, 0, 48]


def test_a_predicate_and_an_opaque_block():
    @T.prim_func
    def f(A: T.Buffer((10,), "float32"), B: T.Buffer((10,), "float32")):
        for i0, i1 in T.grid(3, 4):
            with T.block("B"):
                T.where(i0 * 4 + i1 < 10)
                vi = T.axis.spatial(10, i0 * 4 + i1)
                T.reads(A[vi])
                T.writes(B[vi])
                B[vi] = A[vi] * T.float32(2)
        for j in range(1):
            with T.block("again"):
                T.reads([A[0:10]])
                T.writes([B[0:10]])
                for i in T.serial(10):
                    B[i] = B[i] + A[i]

    a, b = floats(10), floats(10)
    kc.build(f)(a, b)
    np.testing.assert_allclose(b, a * 3, rtol=1e-6)


TEXT = """
from tvm.script import tir as T
import tvm

N = 16
SIZES = [N, N * 2]

@T.macro
def double(X, i):
    X[i] = X[i] * 2.0

@T.prim_func
def f(A: T.Buffer((N,), "float32"), B: T.Buffer(SIZES[1], "float32")):
    for i in T.thread_binding(N, thread="threadIdx.x"):
        with tvm.script.tir.block("A"):
            vi = T.axis.S(N, i)
            A[vi] = T.exp(A[vi])
            double(B, vi)
"""


def test_text_is_read_and_nothing_of_it_is_executed():
    function = tvm.script.from_source(TEXT)
    assert isinstance(function, tir.PrimFunc)
    assert list(function.functions) == ["f"]
    assert str(function).count("math.exp") == 1
    module = kc.script.from_source(f"from tvm.script import ir as I\n{TEXT}\n{MODULE}")
    assert list(module.functions) == ["f", "g"]


MODULE = """
@I.ir_module
class Module:
    @T.prim_func
    def g(A: T.Buffer((4,), "int8")):
        for i in range(4):
            A[i] = T.int8(1)
"""


def test_a_function_is_read_from_its_source():
    function = kc.script.from_source(doubled_indices)
    a = np.zeros(4, "i4")
    kc.build(function)(a)
    assert a.tolist() == [0, 2, 4, 6]


@T.prim_func
def doubled_indices(A: T.Buffer((4,), "int32")):
    for i in range(4):
        A[i] = i * 2


def test_an_init_without_reduce_variables_and_one_after_memory():
    @T.prim_func
    def f(A: T.Buffer((4, 8), "float32"), B: T.Buffer((4, 8), "float32"), C: T.Buffer((4,))):
        for i, j in T.grid(4, 8):
            with T.block("B"):
                vi, vj = T.axis.remap("SS", [i, j])
                with T.init():
                    B[vi, vj] = T.float32(1)
                B[vi, vj] = B[vi, vj] + A[vi, vj]
        for i, j in T.grid(4, 8):
            with T.block("C"):
                vi, vj = T.axis.remap("SR", [i, j])
                x = T.alloc_buffer((1,), "float32")
                C0 = T.match_buffer(C[vi : vi + 1], (1,))
                with T.init():
                    C0[0] = T.float32(0)
                x[0] = A[vi, vj] * T.float32(2)
                C0[0] = C0[0] + x[0]

    a = floats(4, 8)
    _, b, c = execute(f, a, np.zeros((4, 8), "float32"), np.ones(4, "float32"))
    np.testing.assert_array_equal(b, a + 1)
    np.testing.assert_allclose(c, 2 * a.sum(1), rtol=1e-6)


def test_what_a_function_of_c_returns_is_an_address_that_nobody_takes():
    @T.prim_func
    def f(A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32")):
        T.evaluate(
            T.call_extern(
                "handle", "memcpy", B.access_ptr("w", extent=8), A.access_ptr("r"), T.int64(32)
            )
        )

    a, b = floats(8), np.zeros(8, "float32")
    kc.build(f)(a, b)
    np.testing.assert_array_equal(a, b)


def test_shapes_are_spread():
    shape = [4, 3]

    @T.prim_func
    def f(A: T.Buffer((*shape, 2), "int32")):
        B = T.alloc_buffer((*shape, 2), "int32")
        for i, j, k in T.grid(*shape, 2):
            with T.block("B"):
                vi, vj, vk = T.axis.remap("SSS", [*(i, j), k])
                B[vi, vj, vk] = vi * 6 + vj * 2 + vk
        for i, j, k in T.grid(*shape, 2):
            A[i, j, k] = B[i, j, k]

    a = np.zeros((4, 3, 2), np.int32)
    kc.build(f)(a)
    np.testing.assert_array_equal(a.ravel(), np.arange(24))


def test_words_of_single_instructions():
    @T.prim_func
    def kernel(A: T.Buffer((8,), "int8"), B: T.Buffer((8,), "int8"), c: T.Ptr("int32")):
        C = T.match_buffer(c, (2,), "int32")
        for i in range(2):
            with T.block("C"):
                vi = T.axis.S(2, i)
                T.evaluate(T.assume(C[vi] >= 0))
                T.prefetch(A[vi * 4 : vi * 4 + 4])
                T.prefetch(B, [T.Range(vi, vi + 1)])
                a = A.vload([vi * 4], "int8x4")
                part = T.if_then_else(vi < 2, C[vi], T.undef(dtype="int32"))
                C[vi] = T.dp4a(a, B.vload([vi * 4], "int8x4"), T.tvm_thread_invariant(part))

    text = kernel.script(style="tvmscript")
    assert "T.prefetch(A[vi * 4 + p0])\n" in text
    assert "T.prefetch(B[vi])\n" in text
    assert "T.Shuffle([a], [3])" in text
    kc.ir.assert_structural_equal(kernel, kc.script.from_source(text))
    a, b, c = np.arange(8, dtype="i1"), np.full(8, -2, "i1"), np.array([5, 7], "i4")
    built = kc.build(kernel)
    built(a, b, c)
    assert c.tolist() == [5 - 2 * 6, 7 - 2 * 22]
    with pytest.raises(kc.KCError, match="C\\[vi\\] >= 0\\) does not hold"):
        built(a, b, c)


def test_buffers_have_the_numbers_that_reads_and_writes_give_them():
    @T.prim_func
    def kernel(
        A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "float32"), C: T.Buffer((8,), "float32"),
        D: T.Buffer((8,), "float32"),
    ):  # fmt: skip
        for i in range(8):
            with T.block("C"):
                vi = T.axis.S(8, i)
                T.reads(C[vi], B[vi], A[vi])
                T.writes(D[vi], C[vi])
                C[vi] = C[vi] + A[vi] * B[vi]
                D[vi] = A[vi]

    sch = tir.Schedule(kernel)
    assert str(sch.get(sch.get_block("C")).writes) == "[D[vi], C[vi]]"
    assert sch.get(sch.cache_read("C", 1, "global")).label == "B_global"
    assert sch.get(sch.cache_read("C", 2, "global")).label == "A_global"
    assert sch.get(sch.cache_write("C", 0, "global")).label == "D_global"
    text = kernel.script("tvmscript")
    again = tir.Schedule(kc.script.from_source(text))
    assert again.get(again.cache_read("C", 1, "global")).label == "B_global"


def test_loops_and_variables_of_any_rank():
    dims = (4, 3)

    @T.prim_func
    def row_sums(a: T.handle, b: T.handle):
        A = T.match_buffer(a, [*dims, 5], "int32")
        B = T.match_buffer(b, dims, "int32")
        for *spatial, k in T.grid(*A.shape):
            with T.block("B"):
                *vs, vk = T.axis.remap("SSR", [*spatial, k])
                with T.init():
                    B[vs] = 0
                B[vs] = B[vs] + A[(*vs, vk)]
        for ax in T.grid(*dims):
            with T.block("C"):
                v = T.axis.remap("SS", ax)
                B[v] = B[v] * 2
        for i in T.serial(0, 4, step=3):
            B[i, 0] = -1

    text = row_sums.script("tvmscript")
    assert "for spatial_0, spatial_1, k in T.grid(4, 3, 5):" in text
    assert 'vs_0, vs_1, vk = T.axis.remap("SSR", [spatial_0, spatial_1, k])' in text
    a, b = np.arange(60, dtype="i4").reshape(4, 3, 5), np.zeros((4, 3), "i4")
    _, b = execute(row_sums, a, b, native=False)
    expected = a.sum(2) * 2
    expected[[0, 3], 0] = -1
    assert (b == expected).all()
