"""The calls of TVM's tutorials on TE and TensorIR, in their order, on small sizes.

The programs are written anew: the names of ``tvm`` are those of ``kc``, and the results are
compared with numpy. What a tutorial runs on a GPU is lowered for one, and interpreted. The
tutorial on ``tensorize`` is in ``test_declared_intrinsics.py``.
"""

# Programs of users know no types.
# pyright: basic, reportAttributeAccessIssue=false, reportGeneralTypeIssues=false
# pyright: reportIndexIssue=false, reportCallIssue=false, reportArgumentType=false
# pyright: reportOptionalMemberAccess=false, reportInvalidTypeForm=false, reportOperatorIssue=false

from __future__ import annotations

import ctypes
import ctypes.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kc as tvm
from kc import te
from kc.analysis.interpreter import run
from kc.script import ir as I
from kc.script import tir as T


def interpreted(s: te.Schedule, args: list[Any], *inputs: Any, out: Any) -> Any:
    """The result of a schedule's kernel for a GPU."""
    run(tvm.lower(s, args, target="cuda").op, "main", [*inputs, out])
    return out


def random(*shape: int) -> Any:
    return np.random.default_rng(0).integers(-8, 9, shape).astype(np.float32)


# tensor_expr_get_started --------------------------------------------------------------------------


def test_tensor_expr_get_started_vector_add():
    tgt = tvm.target.Target(target="llvm", host="llvm")
    n = te.var("n")
    A = te.placeholder((n,), name="A")
    B = te.placeholder((n,), name="B")
    C = te.compute(A.shape, lambda i: A[i] + B[i], name="C")
    s = te.create_schedule(C.op)
    fadd = tvm.build(s, [A, B, C], tgt, name="myadd")
    dev = tvm.device(tgt.kind.name, 0)
    size = 1024
    a = tvm.nd.array(random(size).astype(A.dtype), dev)
    b = tvm.nd.array(random(size).astype(B.dtype), dev)
    c = tvm.nd.array(np.zeros(size, dtype=C.dtype), dev)
    fadd(a, b, c)
    tvm.testing.assert_allclose(c.numpy(), a.numpy() + b.numpy())
    evaluator = fadd.time_evaluator(fadd.entry_name, dev, number=2)
    assert evaluator(a, b, c).mean > 0

    s[C].parallel(C.op.axis[0])
    assert "parallel" in str(tvm.lower(s, [A, B, C], simple_mode=True))
    s = te.create_schedule(C.op)
    outer, inner = s[C].split(C.op.axis[0], factor=64)
    s[C].parallel(outer)
    s[C].vectorize(inner)
    fadd_vector = tvm.build(s, [A, B, C], tgt, name="myadd_parallel")
    c = tvm.nd.array(np.zeros(size, dtype=C.dtype), dev)
    fadd_vector(a, b, c)
    tvm.testing.assert_allclose(c.numpy(), a.numpy() + b.numpy())


# schedule_primitives ------------------------------------------------------------------------------


def test_schedule_primitives():
    n, m = te.var("n"), te.var("m")
    A = te.placeholder((m, n), name="A")
    B = te.placeholder((m, n), name="B")
    C = te.compute((m, n), lambda i, j: A[i, j] * B[i, j], name="C")
    s = te.create_schedule([C.op])
    tvm.lower(s, [A, B, C], simple_mode=True)

    A = te.placeholder((m,), name="A")
    B = te.compute((m,), lambda i: A[i] * 2, name="B")
    s = te.create_schedule(B.op)
    xo, xi = s[B].split(B.op.axis[0], factor=32)
    tvm.lower(s, [A, B], simple_mode=True)
    s = te.create_schedule(B.op)
    bx, tx = s[B].split(B.op.axis[0], nparts=32)
    tvm.lower(s, [A, B], simple_mode=True)
    s = te.create_schedule(B.op)
    bx, tx = s[B].split(B.op.axis[0], factor=64)
    s[B].bind(bx, te.thread_axis("blockIdx.x"))
    s[B].bind(tx, te.thread_axis("threadIdx.x"))
    a = random(70)
    np.testing.assert_array_equal(interpreted(s, [A, B], a, out=np.zeros_like(a)), a * 2)

    A = te.placeholder((m, n), name="A")
    B = te.compute((m, n), lambda i, j: A[i, j], name="B")
    for reordered in (False, True):
        s = te.create_schedule(B.op)
        xo, yo, xi, yi = s[B].tile(B.op.axis[0], B.op.axis[1], x_factor=10, y_factor=5)
        if reordered:
            s[B].reorder(xi, yo, xo, yi)
        else:
            s[B].fuse(xi, yi)
        a, b = random(23, 7), np.zeros((23, 7), np.float32)
        tvm.build(s, [A, B])(a, b)
        np.testing.assert_array_equal(b, a)

    A = te.placeholder((m,), name="A")
    B = te.compute((m,), lambda i: A[i] + 1, name="B")
    C = te.compute((m,), lambda i: B[i] * 2, name="C")
    for place in ("at", "inline", "root"):
        s = te.create_schedule(C.op)
        if place == "inline":
            s[B].compute_inline()
        else:
            s[B].compute_at(s[C], C.op.axis[0])
        if place == "root":
            s[B].compute_root()
        text = str(tvm.lower(s, [A, C], simple_mode=True))
        assert text.count("for (") == {"at": 1, "inline": 1, "root": 2}[place]
        a, c = random(9), np.zeros(9, np.float32)
        tvm.build(s, [A, C])(a, c)
        np.testing.assert_array_equal(c, (a + 1) * 2)


# reduction ----------------------------------------------------------------------------------------


def test_reduction():
    n, m = te.var("n"), te.var("m")
    A = te.placeholder((n, m), name="A")
    k = te.reduce_axis((0, m), "k")
    B = te.compute((n,), lambda i: te.sum(A[i, k], axis=k), name="B")
    s = te.create_schedule(B.op)
    ko, ki = s[B].split(B.op.reduce_axis[0], factor=16)
    xo, xi = s[B].split(B.op.axis[0], factor=32)
    tvm.lower(s, [A, B], simple_mode=True)
    s[B].bind(xo, te.thread_axis("blockIdx.x"))
    s[B].bind(xi, te.thread_axis("threadIdx.x"))
    a = random(5, 37)
    sums = np.zeros(5, np.float32)
    np.testing.assert_array_equal(interpreted(s, [A, B], a, out=sums), a.sum(1))

    s = te.create_schedule(B.op)
    ko, ki = s[B].split(B.op.reduce_axis[0], factor=16)
    BF = s.rfactor(B, ki)
    xo, xi = s[B].split(s[B].op.axis[0], factor=32)
    s[B].bind(xo, te.thread_axis("blockIdx.x"))
    s[B].bind(xi, te.thread_axis("threadIdx.y"))
    tx = te.thread_axis("threadIdx.x")
    s[B].bind(s[B].op.reduce_axis[0], tx)
    s[BF].compute_at(s[B], s[B].op.reduce_axis[0])
    s[B].set_store_predicate(tx.var.equal(0))
    tvm.build(s, [A, B], "cuda")
    sums = np.zeros(5, np.float32)
    np.testing.assert_array_equal(interpreted(s, [A, B], a, out=sums), a.sum(1))

    n = te.var("n")
    Input = te.placeholder((n, n), name="Input")
    Filter = te.placeholder((3, 3), name="Filter")
    di, dj = te.reduce_axis((0, 3), name="di"), te.reduce_axis((0, 3), name="dj")
    Output = te.compute(
        (n - 2, n - 2),
        lambda i, j: te.sum(Input[i + di, j + dj] * Filter[di, dj], axis=[di, dj]),
        name="Output",
    )
    s = te.create_schedule(Output.op)
    x, f, y = random(7, 7), random(3, 3), np.zeros((5, 5), np.float32)
    tvm.build(s, [Input, Filter, Output])(x, f, y)
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3))
    np.testing.assert_array_equal(y, (windows * f).sum((2, 3)))

    n, m = te.var("n"), te.var("m")
    product = te.comm_reducer(
        lambda x, y: x * y, lambda t: tvm.tir.const(1, dtype=t), name="product"
    )
    A = te.placeholder((n, m), name="A")
    k = te.reduce_axis((0, m), name="k")
    B = te.compute((n,), lambda i: product(A[i, k], axis=k), name="B")
    b = np.zeros(5, np.float32)
    tvm.build(te.create_schedule(B.op), [A, B])(a[:, :5].copy(), b)
    np.testing.assert_array_equal(b, a[:, :5].prod(1))


# scan ---------------------------------------------------------------------------------------------


def test_scan():
    m, n = te.var("m"), te.var("n")
    X = te.placeholder((m, n), name="X")
    s_state = te.placeholder((m, n))
    s_init = te.compute((1, n), lambda _, i: X[0, i])
    s_update = te.compute((m, n), lambda t, i: s_state[t - 1, i] + X[t, i])
    s_scan = tvm.te.scan(s_init, s_update, s_state, inputs=[X])
    s = te.create_schedule(s_scan.op)
    block_x, thread_x = te.thread_axis("blockIdx.x"), te.thread_axis("threadIdx.x")
    for stage in (s_init, s_update):
        xo, xi = s[stage].split(stage.op.axis[1], factor=256)
        s[stage].bind(xo, block_x)
        s[stage].bind(xi, thread_x)
    tvm.lower(s, [X, s_scan], simple_mode=True)
    a = random(6, 10)
    np.testing.assert_array_equal(interpreted(s, [X, s_scan], a, out=np.zeros_like(a)), a.cumsum(0))

    s_update_s1 = te.compute((m, n), lambda t, i: s_state[t - 1, i] * 2, name="s1")
    s_update_s2 = te.compute((m, n), lambda t, i: s_update_s1[t, i] + X[t, i], name="s2")
    s_scan = tvm.te.scan(s_init, s_update_s2, s_state, inputs=[X])
    s = te.create_schedule(s_scan.op)
    s[s_update_s1].compute_at(s[s_update_s2], s_update_s2.op.axis[1])
    wanted = a.copy()
    for t in range(1, 6):
        wanted[t] = wanted[t - 1] * 2 + a[t]
    result = np.zeros_like(a)
    tvm.build(s, [X, s_scan])(a, result)
    np.testing.assert_array_equal(result, wanted)

    width = te.var("l")
    s_state1, s_state2 = te.placeholder((m, n)), te.placeholder((m, width))
    s_init1 = te.compute((1, n), lambda _, i: X[0, i])
    s_init2 = te.compute((1, width), lambda _, i: 0.0)
    s_update1 = te.compute((m, n), lambda t, i: s_state1[t - 1, i] + X[t, i])
    s_update2 = te.compute((m, width), lambda t, i: s_state2[t - 1, i] + s_state1[t - 1, 0])
    s_scan1, s_scan2 = tvm.te.scan(
        [s_init1, s_init2], [s_update1, s_update2], [s_state1, s_state2], inputs=[X]
    )
    s = te.create_schedule(s_scan1.op)
    first, second = np.zeros_like(a), np.zeros((6, 3), np.float32)
    tvm.build(s, [X, s_scan1, s_scan2])(a, first, second)
    np.testing.assert_array_equal(first, a.cumsum(0))
    before = np.concatenate([[0], first[:-1, 0]]).cumsum()
    np.testing.assert_array_equal(second, np.repeat(before[:, None], 3, 1))


# tuple_inputs -------------------------------------------------------------------------------------


def test_tuple_inputs():
    n, m = te.var("n"), te.var("m")
    A0 = te.placeholder((m, n), name="A0")
    A1 = te.placeholder((m, n), name="A1")
    B0, B1 = te.compute((m, n), lambda i, j: (A0[i, j] + 2, A1[i, j] * 3), name="B")
    s = te.create_schedule(B0.op)
    x, y = random(4, 5), random(4, 5) + 1
    u, v = np.zeros_like(x), np.zeros_like(x)
    tvm.build(s, [A0, A1, B0, B1])(x, y, u, v)
    np.testing.assert_array_equal(u, x + 2)
    np.testing.assert_array_equal(v, y * 3)

    def fcombine(x, y):
        lhs = tvm.tir.Select((x[1] >= y[1]), x[0], y[0])
        rhs = tvm.tir.Select((x[1] >= y[1]), x[1], y[1])
        return lhs, rhs

    def fidentity(t0, t1):
        return tvm.tir.const(-1, t0), tvm.te.min_value(t1)

    argmax = te.comm_reducer(fcombine, fidentity, name="argmax")
    m, n = te.var("m"), te.var("n")
    idx = te.placeholder((m, n), name="idx", dtype="int32")
    val = te.placeholder((m, n), name="val", dtype="int32")
    k = te.reduce_axis((0, n), "k")
    T0, T1 = te.compute((m,), lambda i: argmax((idx[i, k], val[i, k]), axis=k), name="T")
    s = te.create_schedule(T0.op)
    values = np.random.default_rng(1).permutation(20).reshape(4, 5).astype(np.int32)
    places = np.tile(np.arange(5, dtype=np.int32), (4, 1))
    t0, t1 = np.zeros(4, np.int32), np.zeros(4, np.int32)
    tvm.build(s, [idx, val, T0, T1])(places, values, t0, t1)
    np.testing.assert_array_equal(t0, values.argmax(1))
    np.testing.assert_array_equal(t1, values.max(1))

    n = te.var("n")
    A0, A1 = te.placeholder((n,), name="A0"), te.placeholder((n,), name="A1")
    B0, B1 = te.compute((n,), lambda i: (A0[i] + 2, A1[i] * 3), name="B")
    C = te.compute((n,), lambda i: B0[i] + B1[i], name="C")
    s = te.create_schedule(C.op)
    s[B0].compute_at(s[C], C.op.axis[0])
    c = np.zeros(5, np.float32)
    tvm.build(s, [A0, A1, C])(x[0], y[0], c)
    np.testing.assert_array_equal(c, x[0] + 2 + y[0] * 3)


# intrin_math --------------------------------------------------------------------------------------


def test_intrin_math():
    n = te.var("n")
    A = te.placeholder((n,), name="A")
    B = te.compute(A.shape, lambda i: tvm.tir.call_pure_extern("float32", "__expf", A[i]), name="B")
    s = te.create_schedule(B.op)
    bx, tx = s[B].split(B.op.axis[0], factor=64)
    s[B].bind(bx, te.thread_axis("blockIdx.x"))
    s[B].bind(tx, te.thread_axis("threadIdx.x"))
    assert '"__expf"' in str(tvm.lower(s, [A, B], target="cuda"))

    B = te.compute(A.shape, lambda i: te.exp(A[i]), name="B")
    s = te.create_schedule(B.op)
    bx, tx = s[B].split(B.op.axis[0], factor=64)
    s[B].bind(bx, te.thread_axis("blockIdx.x"))
    s[B].bind(tx, te.thread_axis("threadIdx.x"))
    a = random(70)
    tvm.build(s, [A, B], "cuda", name="myexp")
    result = interpreted(s, [A, B], a, out=np.zeros_like(a))
    np.testing.assert_allclose(result, np.exp(a), rtol=1e-6)


# extern_op ----------------------------------------------------------------------------------------


def blas_product() -> tuple[Any, Any] | None:
    """``cblas_sgemm`` of a BLAS on this machine, and the type of its integers: numpy's, or another;
    None where there is none."""
    of_numpy = Path(np.__file__).parent.parent / "numpy.libs"
    for library in of_numpy.glob("libscipy_openblas64_*"):
        return ctypes.CDLL(str(library)).scipy_cblas_sgemm64_, ctypes.c_int64
    for name in ("cblas", "openblas", "blas"):
        path = ctypes.util.find_library(name)
        function = getattr(ctypes.CDLL(path), "cblas_sgemm", None) if path else None
        if function is not None:
            return function, ctypes.c_int
    return None


def test_extern_op():
    blas = blas_product()
    if blas is None:
        pytest.skip("no BLAS")
    sgemm, integer = blas

    @tvm.register_func("tvm.contrib.cblas.matmul", override=True)
    def matmul(x, y, z, transa, transb):
        a, b, c = (array.numpy() for array in (x, y, z))
        (m, k), n = a.shape, b.shape[1]
        pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (a, b, c)]
        alpha, beta = ctypes.c_float(1), ctypes.c_float(0)
        m, k, n = map(integer, (m, k, n))
        row_major, as_it_is = ctypes.c_int(101), ctypes.c_int(111)
        assert not transa
        assert not transb
        sgemm(row_major, as_it_is, as_it_is, m, n, k, alpha, pointers[0], k, pointers[1], n, beta,
              pointers[2], n)  # fmt: skip
        z.copyfrom(c)

    n, depth, m = 12, 7, 9
    bias = te.var("bias", dtype="float32")
    A = te.placeholder((n, depth), name="A")
    B = te.placeholder((depth, m), name="B")
    C = te.extern(
        (n, m),
        [A, B],
        lambda ins, outs: tvm.tir.call_packed(
            "tvm.contrib.cblas.matmul", ins[0], ins[1], outs[0], False, False
        ),
        name="C",
    )
    D = te.compute(C.shape, lambda i, j: C[i, j] + bias, name="D")
    s = te.create_schedule(D.op)
    a, b, d = random(n, depth), random(depth, m), np.zeros((n, m), np.float32)
    tvm.build(s, [A, B, D, bias], "llvm")(a, b, d, 10.0)
    np.testing.assert_allclose(d, a @ b + 10)


def test_extern_op_in_python():
    @tvm.register_func("tvm.contrib.my_tvm_addone", override=True)
    def my_tvm_addone(x, y):
        tvm.nd.array(x.numpy() + 1).copyto(y)

    n = 6
    A = te.placeholder((n,), name="A")
    B = te.extern(
        A.shape,
        [A],
        lambda ins, outs: tvm.tir.call_packed("tvm.contrib.my_tvm_addone", ins[0], outs[0]),
        name="C",
    )
    s = te.create_schedule(B.op)
    f = tvm.build(s, [A, B], "llvm")
    a = tvm.nd.array(random(n))
    b = tvm.nd.array(np.zeros(n, np.float32))
    f(a, b)
    tvm.testing.assert_allclose(b.numpy(), a.numpy() + 1)


# tensor_ir_blitz_course ---------------------------------------------------------------------------


@I.ir_module
class MyModule:
    @T.prim_func
    def main(a: T.handle, b: T.handle):
        T.func_attr({"global_symbol": "main", "tir.noalias": True})
        A = T.match_buffer(a, (8,), dtype="float32")
        B = T.match_buffer(b, (8,), dtype="float32")
        for i in range(8):
            with T.block("B"):
                vi = T.axis.spatial(8, i)
                B[vi] = A[vi] + 1.0


def test_tensor_ir_blitz_course():
    ir_module = MyModule
    assert isinstance(ir_module, tvm.IRModule)
    mod = tvm.build(ir_module, target="llvm")
    a = tvm.nd.array(np.arange(8).astype("float32"))
    b = tvm.nd.array(np.zeros((8,)).astype("float32"))
    mod(a, b)
    np.testing.assert_array_equal(b.numpy(), np.arange(8) + 1)

    A = te.placeholder((8,), dtype="float32", name="A")
    B = te.compute((8,), lambda *i: A(*i) + 1.0, name="B")
    func = te.create_prim_func([A, B])
    ir_module_from_te = tvm.IRModule({"main": func})
    assert "tir.block" in str(ir_module_from_te)

    sch = tvm.tir.Schedule(ir_module)
    block_b = sch.get_block("B")
    (i,) = sch.get_loops(block_b)
    i_0, i_1, i_2 = sch.split(i, factors=[2, 2, 2])
    sch.reorder(i_0, i_2, i_1)
    assert "for i_0, i_2, i_1 in T.grid(2, 2, 2)" in sch.mod.script(style="tvmscript")
    sch = tvm.tir.Schedule(ir_module)
    block_b = sch.get_block("B")
    (i,) = sch.get_loops(block_b)
    i_0, i_2 = sch.split(i, factors=[None, 2])
    sch.bind(i_0, "blockIdx.x")
    sch.bind(i_2, "threadIdx.x")
    result = np.zeros(8, np.float32)
    run(sch.mod.op, "main", [np.arange(8, dtype=np.float32), result])
    np.testing.assert_array_equal(result, np.arange(8) + 1)


# opt_gemm -----------------------------------------------------------------------------------------


def test_opt_gemm():
    M = K = N = 64
    dtype, target, dev, bn, kfactor = "float32", "llvm", tvm.device("cpu", 0), 32, 4
    a = tvm.nd.array(random(M, K).astype(dtype), dev)
    b = tvm.nd.array(random(K, N).astype(dtype), dev)
    answer = np.dot(a.numpy(), b.numpy())
    k = te.reduce_axis((0, K), "k")
    A = te.placeholder((M, K), name="A")
    B = te.placeholder((K, N), name="B")

    def check(s, C):
        func = tvm.build(s, [A, B, C], target=target, name="mmult")
        c = tvm.nd.array(np.zeros((M, N), dtype=dtype), dev)
        func(a, b, c)
        tvm.testing.assert_allclose(c.numpy(), answer, rtol=1e-5)

    C = te.compute((M, N), lambda m, n: te.sum(A[m, k] * B[k, n], axis=k), name="C")
    check(te.create_schedule(C.op), C)
    s = te.create_schedule(C.op)
    mo, no, mi, ni = s[C].tile(C.op.axis[0], C.op.axis[1], bn, bn)
    (kaxis,) = s[C].op.reduce_axis
    ko, ki = s[C].split(kaxis, factor=kfactor)
    s[C].reorder(mo, no, ko, ki, mi, ni)
    s[C].vectorize(ni)
    check(s, C)
    packedB = te.compute(
        (N / bn, K, bn), lambda bigN, k, littleN: B[k, bigN * bn + littleN], name="packedB"
    )
    C = te.compute(
        (M, N),
        lambda m, n: te.sum(A[m, k] * packedB[n // bn, k, tvm.tir.indexmod(n, bn)], axis=k),
        name="C",
    )
    s = te.create_schedule(C.op)
    CC = s.cache_write(C, "global")
    mo, no, mi, ni = s[C].tile(C.op.axis[0], C.op.axis[1], bn, bn)
    s[CC].compute_at(s[C], no)
    mc, nc = s[CC].op.axis
    (kaxis,) = s[CC].op.reduce_axis
    ko, ki = s[CC].split(kaxis, factor=kfactor)
    s[CC].reorder(ko, mc, ki, nc)
    s[CC].vectorize(nc)
    s[CC].unroll(ki)
    s[C].parallel(mo)
    bigN, _, littleN = s[packedB].op.axis
    s[packedB].vectorize(littleN)
    s[packedB].parallel(bigN)
    check(s, C)
