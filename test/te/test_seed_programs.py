"""Programs that TVM users wrote, from notes and tutorials, with the import changed.

Each is as its author wrote it, but for sizes (small ones), and is compared with numpy. Programs for
a GPU are lowered, and run by the interpreter, which runs blocks and threads.
"""

# Names are those of the programs.
# ruff: noqa: E741
# pyright: reportInvalidTypeForm=false, reportAttributeAccessIssue=false
# pyright: reportUndefinedVariable=false

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from te_checks import lines_of

import kc as tvm
from kc import te
from kc.analysis.interpreter import run
from kc.error import KCError
from kc.support.diagnostics import diagnostic_handler

RANDOM = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def quiet():
    with diagnostic_handler(lambda _: None):
        yield


def random(*shape: int) -> Any:
    return RANDOM.random(shape, dtype=np.float32)


def check_matmul(func: Any, n: int = 64) -> None:
    dev = tvm.device("llvm", 0)
    a, b = random(n, n), random(n, n)
    c = tvm.nd.array(np.zeros((n, n), dtype="float32"), dev)
    func(tvm.nd.array(a, dev), tvm.nd.array(b, dev), c)
    np.testing.assert_allclose(c.numpy(), a @ b, rtol=1e-4)


def interpret(s: te.Schedule, args: Sequence[Any], inputs: Sequence[Any], expected: Any) -> None:
    """Run the loops, blocks and threads of ``s`` one by one, and compare the last argument."""
    module = tvm.lower(s, args)
    out = np.zeros_like(expected)
    run(module.op, "main", [*inputs, out])
    np.testing.assert_allclose(out, expected, rtol=1e-4)


def matmul(n: int = 64) -> tuple[Any, Any, Any]:
    A = te.placeholder((n, n), name="A")
    B = te.placeholder((n, n), name="B")
    k = te.reduce_axis((0, n), "k")
    C = te.compute((n, n), lambda m, n: te.sum(A[m, k] * B[k, n], axis=k), name="C")
    return A, B, C


# Vector addition -------------------------------------------------------------------------------


def vector_add() -> tuple[Any, Any, Any]:
    n = te.var("n")
    A = te.placeholder((n,), name="A")
    B = te.placeholder((n,), name="B")
    C = te.compute(A.shape, lambda i: A[i] + B[i], name="C")
    return A, B, C


def check_vector_add(fadd: Any, tgt: Any, A: Any, B: Any, C: Any) -> None:
    dev = tvm.device(tgt.kind.name, 0)
    n = 1027
    a = tvm.nd.array(np.random.uniform(size=n).astype(A.dtype), dev)
    b = tvm.nd.array(np.random.uniform(size=n).astype(B.dtype), dev)
    c = tvm.nd.array(np.zeros(n, dtype=C.dtype), dev)
    fadd(a, b, c)
    np.testing.assert_allclose(c.numpy(), a.numpy() + b.numpy())


def test_vector_add():
    A, B, C = vector_add()
    tgt = tvm.target.Target(target="llvm", host="llvm")
    s = te.create_schedule(C.op)
    fadd = tvm.build(s, [A, B, C], tgt, name="myadd")
    check_vector_add(fadd, tgt, A, B, C)
    assert fadd.entry_name == "myadd"

    s = te.create_schedule(C.op)
    s[C].parallel(C.op.axis[0])
    check_vector_add(tvm.build(s, [A, B, C], tgt, name="myadd_parallel"), tgt, A, B, C)

    s = te.create_schedule(C.op)
    factor = 4
    outer, inner = s[C].split(C.op.axis[0], factor=factor)
    s[C].parallel(outer)
    s[C].vectorize(inner)
    fadd_vector = tvm.build(s, [A, B, C], tgt, name="myadd_vector")
    check_vector_add(fadd_vector, tgt, A, B, C)
    assert "<4 x float>" in fadd_vector.get_source("ll")


def test_vector_add_for_a_named_cpu():
    """``-mcpu=tigerlake`` has AVX-512; the code shows it, wherever it is compiled."""
    tgt = tvm.target.Target(target="llvm -mcpu=tigerlake", host="llvm -mcpu=tigerlake")
    assert (tgt.kind.name, str(tgt.host)) == ("llvm", "llvm -mcpu=tigerlake")
    A, B, C = vector_add()
    s = te.create_schedule(C.op)
    outer, inner = s[C].split(C.op.axis[0], factor=16)
    s[C].parallel(outer)
    s[C].vectorize(inner)
    assert "zmm" in tvm.build(s, [A, B, C], tgt, name="myadd").get_source("asm")


def test_vector_add_gpu():
    A, B, C = vector_add()
    target = tvm.target.Target(target="cuda", host="llvm")
    s = te.create_schedule(C.op)
    bx, tx = s[C].split(C.op.axis[0], factor=64)
    s[C].bind(bx, te.thread_axis("blockIdx.x"))
    s[C].bind(tx, te.thread_axis("threadIdx.x"))
    a, b = random(100), random(100)
    with target:
        interpret(s, [A, B, C], [a, b], a + b)


def test_create_prim_func():
    A = te.placeholder((8,), dtype="float32", name="A")
    B = te.compute((8,), lambda *i: A(*i) + 1.0, name="B")
    func = te.create_prim_func([A, B])
    ir_module_from_te = tvm.IRModule({"main": func})
    assert 'tir.block "B"' in ir_module_from_te.script()
    a = random(8)
    np.testing.assert_array_equal(tvm.build(ir_module_from_te)(a), a + 1)


def test_modules_of_functions():
    A = te.placeholder((8,), name="A")
    plus_one = te.compute((8,), lambda i: A[i] + 1, name="B")
    two = te.compute((8,), lambda i: A[i] + 2, name="B")
    mod = tvm.IRModule(
        {f"add{n}": te.create_prim_func([A, b]) for n, b in ((1, plus_one), (2, two))}
    )
    built = tvm.build(tvm.IRModule({**mod.functions, "same": mod["add1"]}))
    a = random(8)
    for name, n in (("add1", 1), ("add2", 2), ("same", 1)):
        np.testing.assert_array_equal(built[name](a), a + n)
    assert tvm.IRModule().functions == {}
    for value, text in ((7, "int"), (mod, "a module of 2 functions")):
        with pytest.raises(KCError) as caught:
            tvm.IRModule({"main": value})
        lines = str(caught.value).splitlines()
        assert lines[0] == f"error[KC2027]: IRModule: 'main' is {text}"
        assert lines[2:] == [
            "  why: the value must be a function, or a module of one function",
            "  try: kc.IRModule({'main': te.create_prim_func([A, B])})",
        ]


def test_script():
    """TVMScript: loops and blocks as Python. Buffers are declared by annotations here, so that
    there is no handle to match, and the function is a module without a class around it."""

    @tvm.script
    def main(A: tvm.Buffer((8,), "float32"), B: tvm.Buffer((8,), "float32")):
        for i in range(8):
            with block("B"):  # noqa: F821
                vi = axis.spatial(8, i)  # noqa: F821
                B[vi] = A[vi] + 1.0

    a = random(8)
    b = np.zeros_like(a)
    tvm.build(main)(a, b)
    np.testing.assert_array_equal(b, a + 1)
    # It is what the tensor expression becomes.
    A = te.placeholder((8,), dtype="float32", name="A")
    B = te.compute((8,), lambda *i: A(*i) + 1.0, name="B")
    assert lines_of(te.create_prim_func([A, B]))[-1].strip() == lines_of(main)[-1].strip()


def test_tensorize_a_product_with_a_vector():
    """Rows of a product by an intrinsic that is declared: what it computes, and statements."""
    n, m, depth, rows = 8, 64, 64, 16
    A = te.placeholder((n, depth), name="A")
    B = te.placeholder((m, depth), name="B")
    k = te.reduce_axis((0, depth), name="k")
    C = te.compute((n, m), lambda i, j: te.sum(A[i, k] * B[j, k], axis=k), name="C")

    def intrin_gemv(m, l):
        a = te.placeholder((l,), name="a")
        b = te.placeholder((m, l), name="b")
        k = te.reduce_axis((0, l), name="k")
        c = te.compute((m,), lambda i: te.sum(a[k] * b[i, k], axis=k), name="c")
        Ab = tvm.tir.decl_buffer(a.shape, a.dtype, name="A", offset_factor=1, strides=[1])
        Bb = tvm.tir.decl_buffer(
            b.shape, b.dtype, name="B", offset_factor=1, strides=[te.var("s1"), 1]
        )
        Cb = tvm.tir.decl_buffer(c.shape, c.dtype, name="C", offset_factor=1, strides=[1])

        def intrin_func(ins, outs):
            ib = tvm.tir.ir_builder.create()
            aa, bb = (ib.buffer_ptr(tensor) for tensor in ins)
            cc = ib.buffer_ptr(outs[0])
            with ib.for_range(0, m, name="i") as i:
                cc[i] = 0.0
                with ib.for_range(0, l, name="k") as k:
                    cc[i] = cc[i] + aa[k] * bb[i, k]
            return ib.get()

        return te.decl_tensor_intrin(c.op, intrin_func, binds={a: Ab, b: Bb, c: Cb})

    s = te.create_schedule(C.op)
    x, y = C.op.axis
    (z,) = C.op.reduce_axis
    yo, yi = s[C].split(y, factor=rows)
    s[C].reorder(x, yo, yi, z)
    s[C].tensorize(yi, intrin_gemv(rows, depth))
    a, b = random(n, depth), random(m, depth)
    np.testing.assert_allclose(tvm.build(s, [A, B, C])(a, b), a @ b.T, rtol=1e-4)


# Source code -----------------------------------------------------------------------------------


def test_c_source():
    M = 10
    N = 10
    A = te.placeholder((M, N), name="A")
    B = te.placeholder((M, N), name="B")
    C = te.compute((M, N), lambda x, y: A[x, y] + B[x, y])
    s = te.create_schedule(C.op)
    assert "tir.for %x in 10" in str(tvm.lower(s, [A, B, C]))
    f = tvm.build(s, [A, B, C], target="c", name="hello")
    assert "void hello(" in f.get_source()


def test_c_source_of_a_split_loop():
    M = 10
    A = te.placeholder((M,), name="A")
    B = te.placeholder((M,), name="B")
    C = te.compute((M,), lambda x: A[x] + B[x])
    s = te.create_schedule(C.op)
    s[C].split(C.op.axis[0], factor=5)
    f = tvm.build(s, [A, B, C], target="c", name="hello")
    assert "x_o" in f.get_source()

    bounds = te.schedule.InferBound(s)
    extents = {axis.name: range_.extent.value for axis, range_ in bounds.items()}
    assert extents == {"x": 10, "x_o": 2, "x_i": 5}
    stmt = te.schedule.ScheduleOps(s, bounds)
    assert "tir.for %x_o in 2" in str(stmt)


# Matrix multiplication ---------------------------------------------------------------------------


def test_tiled_twice():
    A, B, C = matmul()
    target = "llvm"
    bn, bn2, kfactor = 32, 8, 4
    s = te.create_schedule(C.op)
    mo, mi = s[C].split(C.op.axis[0], factor=bn)
    no, ni = s[C].split(C.op.axis[1], factor=bn)
    ko, ki = s[C].split(s[C].op.reduce_axis[0], factor=bn)
    mio, mii = s[C].split(mi, factor=bn2)
    nio, nii = s[C].split(ni, factor=bn2)
    kio, kii = s[C].split(ki, factor=kfactor)
    s[C].reorder(mo, no, ko, mio, nio, kio, mii, nii, kii)
    assert str(tvm.lower(s, [A, B, C], simple_mode=True))
    s[C].vectorize(nii)
    check_matmul(tvm.build(s, [A, B, C], target=target, name="mmult"))


def packed(n: int, bn: int) -> tuple[Any, Any, Any, Any]:
    M = N = K = n
    k = te.reduce_axis((0, K), "k")
    A = te.placeholder((M, K), name="A")
    B = te.placeholder((K, N), name="B")
    packedB = te.compute(
        (N / bn, K, bn), lambda bigN, k, littleN: B[k, bigN * bn + littleN], name="packedB"
    )
    C = te.compute(
        (M, N),
        lambda x, y: te.sum(A[x, k] * packedB[y // bn, k, tvm.tir.indexmod(y, bn)], axis=k),
        name="C",
    )
    return A, B, packedB, C


PACKED_STEPS = {
    "default": "",
    "cache_write": """
CC = s.cache_write(C, "global")
""",
    "tile": """
CC = s.cache_write(C, "global")
xo, yo, xi, yi = s[C].tile(C.op.axis[0], C.op.axis[1], bn, bn)
""",
    "compute_at": """
CC = s.cache_write(C, "global")
xo, yo, xi, yi = s[C].tile(C.op.axis[0], C.op.axis[1], bn, bn)
s[CC].compute_at(s[C], yo)
""",
    "reorder": """
CC = s.cache_write(C, "global")
xo, yo, xi, yi = s[C].tile(C.op.axis[0], C.op.axis[1], bn, bn)
s[CC].compute_at(s[C], yo)
xc, yc = s[CC].op.axis
(k,) = s[CC].op.reduce_axis
ko, ki = s[CC].split(k, factor=4)
s[CC].reorder(ko, xc, ki, yc)
""",
    "vectorize": """
CC = s.cache_write(C, "global")
xo, yo, xi, yi = s[C].tile(C.op.axis[0], C.op.axis[1], bn, bn)
s[CC].compute_at(s[C], yo)
xc, yc = s[CC].op.axis
(k,) = s[CC].op.reduce_axis
ko, ki = s[CC].split(k, factor=4)
s[CC].reorder(ko, xc, ki, yc)
s[CC].unroll(ki)
s[CC].vectorize(yc)
x, y, z = s[packedB].op.axis
s[packedB].vectorize(z)
s[packedB].parallel(x)
""",
    "parallel": """
CC = s.cache_write(C, "global")
xo, yo, xi, yi = s[C].tile(C.op.axis[0], C.op.axis[1], bn, bn)
s[CC].compute_at(s[C], yo)
s[C].parallel(xo)
xc, yc = s[CC].op.axis
(k,) = s[CC].op.reduce_axis
ko, ki = s[CC].split(k, factor=4)
s[CC].reorder(ko, xc, ki, yc)
s[CC].unroll(ki)
s[CC].vectorize(yc)
x, y, z = s[packedB].op.axis
s[packedB].vectorize(z)
s[packedB].parallel(x)
""",
}

# The nests of the tutorial, whose x.outer is x_o here, and x.c is x_c; a loop that is made after
# the schedule (the tutorial's x.c.init) is not there yet.
PACK = ["for bigN in 2", "  for k in 64", "    for littleN in 32", "      block packedB"]
PACKED_LOOPS = {
    "default": ["for x in 64", "  for y in 64", "    for k in 64", "      block C"],
    "cache_write": [
        "for x_c in 64",
        "  for y_c in 64",
        "    for k in 64",
        "      block C_global",
        "for x in 64",
        "  for y in 64",
        "    block C",
    ],
    "tile": [
        "for x_c in 64",
        "  for y_c in 64",
        "    for k in 64",
        "      block C_global",
        "for x_o in 2",
        "  for y_o in 2",
        "    for x_i in 32",
        "      for y_i in 32",
        "        block C",
    ],
    "compute_at": [
        "for x_o in 2",
        "  for y_o in 2",
        "    for x_c in 32",
        "      for y_c in 32",
        "        for k in 64",
        "          block C_global",
        "    for x_i in 32",
        "      for y_i in 32",
        "        block C",
    ],
}
REORDERED = [
    "for x_o in 2",
    "  for y_o in 2",
    "    for k_o in 16",
    "      for x_c in 32",
    "        for k_i in 4",
    "          for y_c in 32",
    "            block C_global",
    "    for x_i in 32",
    "      for y_i in 32",
    "        block C",
]


@pytest.mark.parametrize("step", PACKED_STEPS)
def test_packed_and_cached(step):
    n, bn = 64, 32
    A, B, packedB, C = packed(n, bn)
    s = te.create_schedule(C.op)
    exec(PACKED_STEPS[step], {"s": s, "C": C, "packedB": packedB, "bn": bn})
    module = tvm.lower(s, [A, B, C], simple_mode=True)
    kinds = ("parallel", "vectorized", "unrolled")
    lines = lines_of(module)
    plain = [line.removesuffix(f" {kind}") for line in lines for kind in kinds if kind in line]
    assert len(plain) == {"vectorize": 4, "parallel": 5}.get(step, 0)
    for kind in kinds:
        lines = [line.removesuffix(f" {kind}") for line in lines]
    assert lines == PACK + PACKED_LOOPS.get(step, REORDERED)
    check_matmul(tvm.build(s, [A, B, C], target="llvm", name="mmult"), n)


def test_intermediate_values_in_a_function():
    """A function may compute with its axes before it returns; a sum may be made in it."""
    n, block = 64, 16
    A, B = (te.placeholder((n, n), name=name) for name in "AB")

    def c1_compute(io, jo):
        tmp = io + 1
        k = te.reduce_axis((0, block), "k")
        return te.sum(A[(tmp - 1) * block, k] * B[k, jo * block], axis=k)

    c1 = te.compute((n // block, n // block), c1_compute, name="c1")
    a, b = random(n, n), random(n, n)
    result = tvm.build(te.create_schedule(c1.op), [A, B, c1])(a, b)
    np.testing.assert_allclose(result, a[::block, :block] @ b[:block, ::block], rtol=1e-5)


def blocked(n: int, block: int) -> tuple[Any, ...]:
    """Products of blocks, and the product of matrices in blocks."""
    A, B = (te.placeholder((n // block, n // block, block, block), name=name) for name in "AB")

    def c1_compute(io, jo, ii, ji):
        k = te.reduce_axis((0, n // block), "ko")
        l = te.reduce_axis((0, block), "ki")
        return te.sum(A[io, k, ii, l] * B[k, jo, l, ji], axis=[k, l])

    return A, B, te.compute((n // block, n // block, block, block), c1_compute, name="c1")


def test_reduction_axes_are_reordered_as_others():
    A, B, c1 = blocked(32, 8)
    s = te.create_schedule(c1.op)
    s[c1].reorder(
        c1.op.axis[0], c1.op.axis[1], s[c1].op.reduce_axis[0], c1.op.axis[2], c1.op.axis[3]
    )
    a, b = random(4, 4, 8, 8), random(4, 4, 8, 8)
    result = tvm.build(s, [A, B, c1])(a, b)
    np.testing.assert_allclose(result, np.einsum("ikxz,kjzy->ijxy", a, b), rtol=1e-4)


def test_parts_of_a_product_are_computed_at_each_other():
    """Strassen's way: parts of a block are computed where the block needs them."""
    n, block = 32, 8
    half = block // 2
    blocks = n // block
    A, B = (te.placeholder((n, n), name=name) for name in "AB")

    def part(tensor, i, j, x, y, di, dj):
        return tensor[i * block + di * half + x, j * block + dj * half + y]

    def cm1_compute(io, jo, ko, ii, ji):
        k = te.reduce_axis((0, half), "k")
        left = part(A, io, ko, ii, k, 0, 0) + part(A, io, ko, ii, k, 1, 1)
        return te.sum(left * part(B, ko, jo, k, ji, 0, 0), axis=k)

    shape = (blocks, blocks, blocks, half, half)
    cm1 = te.compute(shape, cm1_compute, name="cm1")
    c11 = te.compute(shape, lambda io, jo, ko, ii, ji: cm1[io, jo, ko, ii, ji] * 2, name="c11")
    ko = te.reduce_axis((0, blocks), "ko")
    c1 = te.compute(
        (blocks, blocks, block, block),
        lambda io, jo, ii, ji: te.sum(c11[io, jo, ko, ii // 2, ji // 2], axis=ko),
        name="c1",
    )
    s = te.create_schedule(c1.op)
    s[c11].compute_at(s[c1], c1.op.axis[1])
    s[cm1].compute_at(s[c11], c11.op.axis[4])
    lines = lines_of(tvm.lower(s, [A, B, c1]))
    assert [line for line in lines if not line.endswith(" in 1")] == [
        "for io in 4",
        "  for jo in 4",
        "        for ko_1 in 4",
        "          for ii_1 in 4",
        "            for ji_1 in 4",
        "                        for k in 4",
        "                          block cm1",
        "              block c11",
        "    for ii in 8",
        "      for ji in 8",
        "        for ko in 4",
        "          block c1",
    ]
    a, b = random(n, n), random(n, n)
    x = a.reshape(blocks, 2, half, blocks, 2, half)
    y = b.reshape(blocks, 2, half, blocks, 2, half)
    left = x[:, 0, :, :, 0] + x[:, 1, :, :, 1]
    c11_ = 2 * np.einsum("izkw,kwjy->ijzy", left, y[:, 0, :, :, 0])
    expected = c11_.repeat(2, 2).repeat(2, 3)
    np.testing.assert_allclose(tvm.build(s, [A, B, c1])(a, b), expected, rtol=1e-4)


def test_recursion_is_unrolled_by_the_program():
    """There is no recursion in a tensor expression; Python makes the stages."""
    A = te.placeholder((64,), name="A")

    def halved(tensor):
        n = tensor.shape[0] // 2
        if n == 0:
            return tensor
        return halved(te.compute((n,), lambda i: tensor[i] + tensor[i + n], name=f"S{n}"))

    S = halved(A)
    a = random(64)
    np.testing.assert_allclose(tvm.build(te.create_schedule(S.op), [A, S])(a), [a.sum()], rtol=1e-5)


# Where and what ----------------------------------------------------------------------------------


def elementwise() -> tuple[Any, Any, Any]:
    m = te.var("m")
    A = te.placeholder((m,), name="A")
    B = te.compute((m,), lambda i: A[i] + 1, name="B")
    C = te.compute((m,), lambda i: B[i] * 2, name="C")
    return A, B, C


@pytest.mark.parametrize(
    ("do", "loops"),
    [
        ("pass", 2),
        ("s[B].compute_at(s[C], C.op.axis[0])", 2),
        ("s[B].compute_inline()", 1),
        ("s[B].compute_at(s[C], C.op.axis[0]); s[B].compute_root()", 2),
    ],
)
def test_where_a_stage_is_computed(do, loops):
    A, B, C = elementwise()
    s = te.create_schedule(C.op)
    exec(do, {"s": s, "B": B, "C": C})
    lines = lines_of(tvm.lower(s, [A, C], simple_mode=True))
    assert sum(line.strip().startswith("for") for line in lines) == loops
    a = random(33)
    np.testing.assert_allclose(tvm.build(s, [A, C])(a), (a + 1) * 2)


def test_axes_of_the_operation_stay_after_a_split():
    _, _, C = matmul()
    s = te.create_schedule(C.op)
    before = list(s[C].op.axis)
    outer, inner = s[C].split(C.op.axis[0], nparts=32)
    assert list(s[C].op.axis) == before
    assert [axis.name for axis in s[C].leaf_iter_vars] == ["m_o", "m_i", "n", "k"]
    bounds = te.schedule.InferBound(s)
    assert (bounds[outer].extent.value, bounds[inner].extent.value) == (32, 2)


def test_sum_of_rows():
    n, m = te.var("n"), te.var("m")
    A = te.placeholder((n, m), name="A")
    k = te.reduce_axis((0, m), "k")
    B = te.compute((n,), lambda i: te.sum(A[i, k], axis=k), name="B")
    s = te.create_schedule(B.op)
    ko, ki = s[B].split(B.op.reduce_axis[0], factor=16)
    xo, xi = s[B].split(B.op.axis[0], factor=32)
    a = random(40, 50)
    expected = np.sum(a, axis=1)
    np.testing.assert_allclose(tvm.build(s, [A, B])(a), expected, rtol=1e-5)

    s = te.create_schedule(B.op)
    ko, ki = s[B].split(B.op.reduce_axis[0], factor=16)
    BF = s.rfactor(B, ki)
    assert BF.op.reduce_axis
    np.testing.assert_allclose(tvm.build(s, [A, B])(a), expected, rtol=1e-5)

    # And across threads, of which one stores.
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
    interpret(s, [A, B], [a], expected)


def test_outputs_of_one_operation_are_scheduled_together():
    m, n = 16, 24
    A0 = te.placeholder((m, n), name="A0")
    A1 = te.placeholder((m, n), name="A1")
    B0, B1 = te.compute((m, n), lambda i, j: (A0[i, j] + 2, A1[i, j] * 3), name="B")
    C = te.compute((m, n), lambda i, j: B0[i, j] + B1[i, j], name="C")
    s = te.create_schedule(C.op)
    s[B0].compute_at(s[C], C.op.axis[0])
    lines = lines_of(tvm.lower(s, [A0, A1, C]))
    assert lines[0] == "for i in 16"
    assert all(line.startswith("  ") for line in lines[1:])
    a, b = random(m, n), random(m, n)
    np.testing.assert_allclose(tvm.build(s, [A0, A1, C])(a, b), a + 2 + b * 3, rtol=1e-6)


def test_a_tuple_of_sums():
    """The two sums are reduced over the same axis, made once: that is the condition."""
    n = 32
    A, B = (te.placeholder((n, n), name=name) for name in "AB")
    pair = te.comm_reducer(
        lambda x, y: (x[0] + y[0], x[1] + y[1]),
        lambda *types: tuple(te.const(0, type_) for type_ in types),
    )
    k = te.reduce_axis((0, n), "k")
    c1, c2 = te.compute(
        (n, n),
        lambda i, j: pair((A[i, k] * B[k, j], (A[i, k] + 1) * B[k, j]), axis=k),
        name="cm",
    )
    s = te.create_schedule([c1.op, c2.op])
    a, b = random(n, n), random(n, n)
    results = tvm.build(s, [A, B, c1, c2])(a, b)
    for result, expected in zip(results, (a @ b, (a + 1) @ b), strict=True):
        np.testing.assert_allclose(result, expected, rtol=1e-4)


def test_constants_have_their_type():
    A = te.placeholder((8,), "int8", name="A")
    B = te.compute((8,), lambda i: te.max(A[i], te.const(0, "int8")), name="B")
    assert (B.dtype, te.const(0, "int8").dtype) == ("int8", "int8")
    a = np.arange(-4, 4).astype(np.int8)
    np.testing.assert_array_equal(tvm.build(te.create_schedule(B.op), [A, B])(a), a.clip(0))


# GPUs --------------------------------------------------------------------------------------------


def test_copied_through_shared_and_local_memory():
    """A = B, fetched to shared memory, then to the thread's own."""
    n, factor = 32, 16
    A = te.placeholder((n, n), name="A")
    B = te.compute((n, n), lambda i, j: A[i, j], name="B")
    s = te.create_schedule(B.op)
    AA = s.cache_read(A, "shared", [B])
    AL = s.cache_read(AA, "local", [B])
    BL = s.cache_write(B, "local")
    bx, tx = s[B].split(B.op.axis[0], factor=factor)
    s[B].bind(bx, te.thread_axis("blockIdx.x"))
    s[B].bind(tx, te.thread_axis((0, factor), "threadIdx.x"))
    for stage in (BL, AL, AA):
        s[stage].compute_at(s[B], tx)
    a = random(n, n)
    interpret(s, [A, B], [a], a)


def test_cooperative_fetching_and_virtual_threads():
    """The convolution of the tutorial in small, its threads and virtual threads with it."""
    size, channels, filters, kernel, batch = 2, 4, 8, 3, 4
    out = size
    A = te.placeholder((size, size, channels, batch), name="A")
    W = te.placeholder((kernel, kernel, channels, filters), name="W")
    Apad = te.compute(
        (size + 2, size + 2, channels, batch),
        lambda yy, xx, cc, nn: te.if_then_else(
            te.all(yy >= 1, yy - 1 < size, xx >= 1, xx - 1 < size),
            A[yy - 1, xx - 1, cc, nn],
            te.const(0.0, "float32"),
        ),
        name="Apad",
    )
    rc = te.reduce_axis((0, channels), name="rc")
    ry = te.reduce_axis((0, kernel), name="ry")
    rx = te.reduce_axis((0, kernel), name="rx")
    B = te.compute(
        (out, out, filters, batch),
        lambda yy, xx, ff, nn: te.sum(
            Apad[yy + ry, xx + rx, rc, nn] * W[ry, rx, rc, ff], axis=[ry, rx, rc]
        ),
        name="B",
    )
    s = te.create_schedule(B.op)
    s[Apad].compute_inline()
    AA = s.cache_read(Apad, "shared", [B])
    WW = s.cache_read(W, "shared", [B])
    AL = s.cache_read(AA, "local", [B])
    WL = s.cache_read(WW, "local", [B])
    BL = s.cache_write(B, "local")

    tile, num_thread, step, vthread = 1, 2, 2, 2
    block_factor = tile * num_thread * vthread
    block_x = te.thread_axis("blockIdx.x")
    block_y = te.thread_axis("blockIdx.y")
    block_z = te.thread_axis("blockIdx.z")
    thread_x = te.thread_axis((0, num_thread), "threadIdx.x")
    thread_y = te.thread_axis((0, num_thread), "threadIdx.y")
    thread_xz = te.thread_axis((0, vthread), "vthread", name="vx")
    thread_yz = te.thread_axis((0, vthread), "vthread", name="vy")

    hi, wi, fi, ni = s[B].op.axis
    bz = s[B].fuse(hi, wi)
    by, fi = s[B].split(fi, factor=block_factor)
    bx, ni = s[B].split(ni, factor=block_factor)
    s[B].bind(bz, block_z)
    s[B].bind(by, block_y)
    s[B].bind(bx, block_x)

    tyz, fi = s[B].split(fi, nparts=vthread)
    txz, ni = s[B].split(ni, nparts=vthread)
    ty, fi = s[B].split(fi, nparts=num_thread)
    tx, ni = s[B].split(ni, nparts=num_thread)
    s[B].reorder(bz, by, bx, tyz, txz, ty, tx, fi, ni)
    s[B].bind(tyz, thread_yz)
    s[B].bind(txz, thread_xz)
    s[B].bind(ty, thread_y)
    s[B].bind(tx, thread_x)

    s[BL].compute_at(s[B], tx)
    yi, xi, fi, ni = s[BL].op.axis
    ry, rx, rc = s[BL].op.reduce_axis
    rco, rci = s[BL].split(rc, factor=step)
    s[BL].reorder(rco, ry, rx, rci, fi, ni)
    s[AA].compute_at(s[BL], rx)
    s[WW].compute_at(s[BL], rx)
    s[AL].compute_at(s[BL], rci)
    s[WL].compute_at(s[BL], rci)

    yi, xi, ci, ni = s[AA].op.axis
    ty, ci = s[AA].split(ci, nparts=num_thread)
    tx, ni = s[AA].split(ni, nparts=num_thread)
    _, ni = s[AA].split(ni, factor=2)
    s[AA].reorder(ty, tx, yi, xi, ci, ni)
    s[AA].bind(ty, thread_y)
    s[AA].bind(tx, thread_x)
    s[AA].vectorize(ni)

    yi, xi, ci, fi = s[WW].op.axis
    ty, ci = s[WW].split(ci, nparts=num_thread)
    tx, fi = s[WW].split(fi, nparts=num_thread)
    _, fi = s[WW].split(fi, factor=2)
    s[WW].reorder(ty, tx, yi, xi, ci, fi)
    s[WW].bind(ty, thread_y)
    s[WW].bind(tx, thread_x)
    s[WW].vectorize(fi)

    a, w = random(size, size, channels, batch), random(kernel, kernel, channels, filters)
    around = np.pad(a, ((1, 1), (1, 1), (0, 0), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(around, (kernel, kernel), axis=(0, 1))
    interpret(s, [A, W, B], [a, w], np.einsum("yxcnij,ijcf->yxfn", windows, w))


def test_code_for_a_gpu():
    A, B, C = matmul(8)
    s = te.create_schedule(C.op)
    s[C].bind(C.op.axis[0], te.thread_axis("blockIdx.x"))
    s[C].bind(C.op.axis[1], te.thread_axis("threadIdx.x"))
    func = tvm.build(s, [A, B, C], target="cuda")
    assert ".visible .entry main_kernel(" in func.imported_modules[0].get_source()


def test_matmul_on_a_gpu_by_the_eager_schedule():
    """Each block's tile of C, by threads that keep their own part of it."""
    n, tile, threads = 32, 8, 4
    sch = tvm.tir.Schedule(te.create_prim_func(list(matmul(n))))
    block = sch.get_block("C")
    i, j, k = sch.get_loops(block)
    bi, i = sch.split(i, [None, tile])
    bj, j = sch.split(j, [None, tile])
    ti, i = sch.split(i, [threads, None])
    tj, j = sch.split(j, [threads, None])
    ko, ki = sch.split(k, [None, 4])
    sch.reorder(bi, bj, ti, tj, ko, ki, i, j)
    for loop, thread in ((bi, "blockIdx.y"), (bj, "blockIdx.x")):
        sch.bind(loop, thread)
    for loop, thread in ((ti, "threadIdx.y"), (tj, "threadIdx.x")):
        sch.bind(loop, thread)
    cache = sch.cache_write(block, 0, "local")
    sch.reverse_compute_at(cache, tj, preserve_unit_loops=True, index=-1)
    for n_input in (0, 1):
        read = sch.cache_read(block, n_input, "shared")
        sch.compute_at(read, ko, preserve_unit_loops=True)
        fused = sch.fuse(*sch.get_loops(read)[-2:])
        ty, tx, _ = sch.split(fused, [threads, threads, None])
        sch.bind(ty, "threadIdx.y")
        sch.bind(tx, "threadIdx.x")
    sch.decompose_reduction(block, ko)
    a, b = random(n, n), random(n, n)
    c = np.zeros((n, n), np.float32)
    run(sch.mod.op, "main", [a, b, c])
    np.testing.assert_allclose(c, a @ b, rtol=1e-4)


# Templates of operators --------------------------------------------------------------------------


def get_simd_32bit_lanes():
    target = tvm.target.Target.current()
    fp32_vec_len = 4
    if target.has_feature("avx512f"):  # pyright: ignore[reportOptionalMemberAccess]
        fp32_vec_len = 16
    elif target.has_feature("avx2"):  # pyright: ignore[reportOptionalMemberAccess]
        fp32_vec_len = 8
    return fp32_vec_len


def schedule_injective(outs):
    outs = [outs] if isinstance(outs, te.Tensor) else outs
    s = te.create_schedule([x.op for x in outs])
    x = outs[0]
    if list(s[x].op.axis):
        (io, ii) = s[x].split(list(s[x].op.axis)[-1], get_simd_32bit_lanes())
        s[x].vectorize(ii)
    tvm.te.schedule.AutoInlineInjective(s)
    return s


@pytest.mark.parametrize(
    ("target", "vectors"),
    [
        ("llvm -mcpu=skylake-avx512", "<16 x float>"),
        ("llvm -mcpu=haswell", "<8 x float>"),
        ("llvm -device=arm_cpu -mtriple=aarch64-linux-gnu -mattr=+neon", "<4 x float>"),
        ("llvm --device=arm_cpu -mtriple=armv7a-linux-gnueabihf -mattr=+neon", "<4 x float>"),
        (
            "llvm -keys=arm_cpu,cpu -device=arm_cpu -link-params=0 -mtriple=armv7a-linux-gnueabihf",
            "<4 x float>",
        ),
    ],
)
def test_schedule_of_a_target(target, vectors):
    x = te.placeholder((1, 1024), name="x")
    t = te.compute(x.shape, lambda i, j: x[i, j] * 2, name="t")
    y = te.compute(x.shape, lambda i, j: t[i, j] + x[i, j], name="y")
    with tvm.target.Target(target) as current:
        assert current.keys[-1] == "cpu"
        s = schedule_injective(y)
        assert [line.strip() for line in lines_of(tvm.lower(s, [x, y])) if "block" in line] == [
            "block y"
        ]
        assert vectors in tvm.build(s, [x, y], target=current).get_source("ll")


# Passes ------------------------------------------------------------------------------------------


def test_pass_context_and_user_passes():
    seen = []

    @tvm.tir.transform.prim_func_pass(opt_level=0)
    def look(func, mod, ctx):
        seen.append(type(func).__name__)
        return func

    A, B, C = matmul(16)
    s = te.create_schedule(C.op)
    config = {
        "tir.add_lower_pass": [(phase, look) for phase in range(4)],
        "tir.noalias": True,
        "tir.detect_global_barrier": False,
        "tir.instrument_bound_checkers": True,
        "tir.disable_assert": False,
        "tir.disable_vectorize": True,
    }
    with tvm.transform.PassContext(opt_level=3, disabled_pass=[], required_pass=[], config=config):
        func = tvm.build(s, [A, B, C], name="mmult")
    assert len(seen) == 4
    check_matmul(func, 16)
