"""kc.script: Python functions as kernels, against numpy, and under schedules."""

# ruff: noqa: F821, UP037
# pyright: reportUndefinedVariable=false, reportInvalidTypeForm=false, reportRedeclaration=false
# pyright: reportIndexIssue=false, reportOperatorIssue=false, reportArgumentType=false
# pyright: reportAttributeAccessIssue=false, reportOptionalMemberAccess=false

import numpy as np
import pytest
from script_checks import execute, floats

import kc
from kc import te, tir
from kc.analysis.loop_tree import blocks, loops
from kc.dialects.tir import ForOp
from kc.support.locations import location_of

n, m = te.var("n"), te.var("m")
WEIGHTS = (1.0, 2.0, 0.5)


@kc.script
def matmul(A: kc.Buffer((n, 12)), B: kc.Buffer((12, 8)), C: kc.Buffer((n, 8))):
    """A product of matrices."""
    for i, j, k in grid(n, 8, 12):
        with block("C"):
            vi, vj, vk = axis.remap("SSR", [i, j, k])
            with init():
                C[vi, vj] = 0.0
            C[vi, vj] += A[vi, vk] * B[vk, vj]


def test_blocks_are_those_of_tir():
    text = str(matmul)
    variables = "spatial %vi in %n = %i, spatial %vj in 8 = %j, reduce %vk in 12 = %k"
    assert f'tir.block "C" ({variables}) init {{' in text
    x, y = floats(5, 12), floats(12, 8)
    np.testing.assert_array_equal(execute(matmul, x, y, np.empty((5, 8), "f"))[2], x @ y)


def test_a_script_is_scheduled():
    sch = tir.Schedule(matmul)
    block = sch.get_block("C")
    i, j, k = sch.get_loops(block)
    outer, inner = sch.split(k, [None, 4])
    sch.reorder(outer, j, inner)
    part = sch.rfactor(outer, 0)
    sch.parallel(i)
    sch.vectorize(sch.get_loops(part)[-2])
    x, y = floats(7, 12), floats(12, 8)
    np.testing.assert_array_equal(execute(sch, x, y, np.empty((7, 8), "f"))[2], x @ y)


@kc.script
def two_steps(A: kc.Buffer((n, 16)), C: kc.Buffer((n, 16))):
    B = alloc_buffer((n, 16))
    for i, j in grid(n, 16):
        with block("B"):
            vi, vj = axis.remap("SS", [i, j])
            B[vi, vj] = A[vi, vj] * 2.0
    for i, j in grid(n, 16):
        with block("C"):
            vi, vj = axis.remap("SS", [i, j])
            C[vi, vj] = B[vi, vj] + 1.0


def test_a_producer_moves_to_its_consumer():
    sch = tir.Schedule(two_steps)
    sch.compute_at("B", sch.get_loops(sch.get_block("C"))[0])
    sch.vectorize(sch.get_loops(sch.get_block("C"))[-1])
    x = floats(5, 16)
    np.testing.assert_array_equal(execute(sch, x, np.empty_like(x))[1], x * 2 + 1)
    sch.compute_inline("B")
    assert "tir.alloc" not in str(sch.mod)


def test_stores_become_blocks():
    @kc.script
    def scale(A: kc.Buffer((n, 16)), S: kc.Buffer((n,)), B: kc.Buffer((n, 16))):
        for i in range(n):
            S[i] = 0.0
            for k in range(16):
                S[i] += A[i, k]
            for j in range(16):
                B[i, j] = A[i, j] * S[i]

    sch = tir.Schedule(scale)
    assert [block_.label for block_ in blocks(sch.module)] == ["S", "S_1", "B"]
    i, j = sch.get_loops("B")
    sch.vectorize(sch.split(j, [None, 8])[1])
    sch.parallel(i)
    x = floats(4, 16)
    s, y = execute(sch, x, np.empty(4, "f"), np.empty_like(x))[1:]
    np.testing.assert_array_equal(s, x.sum(1))
    np.testing.assert_array_equal(y, x * x.sum(1, keepdims=True))


def test_a_parallel_loop_from_a_number_in_memory():
    """Each block computes where the loop starts anew, and from what nothing in the loop writes."""

    @kc.script
    def tail(B: kc.Buffer((5,), "int32"), P: kc.Buffer((3,), "int32")):
        for j in range(2):
            for i in parallel(P[1] % 3, 4):
                B[i] += j + 1

    b = np.zeros(5, np.int32)
    kc.build(tail)(b, np.array([0, 5, 0], np.int32))
    np.testing.assert_array_equal(b, [0, 0, 3, 3, 0])


def test_kinds_of_loops():
    @kc.script
    def kinds(A: kc.Buffer((n, 4, 8))):
        for i in parallel(n):
            for j in unroll(4):
                for k in vectorized(8):
                    A[i, j, k] = A[i, j, k] + 1.0
        for i in serial(n, annotations={"note": 3}):
            A[i, 0, 0] = 0.0

    kind_texts = [(loop.label, loop.kind_text) for loop in loops(kinds.op)]
    assert kind_texts == [
        ("i", "parallel"),
        ("j", "unrolled"),
        ("k", "vectorized"),
        ("i", "serial"),
    ]
    x = floats(3, 4, 8)
    wanted = x + 1
    wanted[:, 0, 0] = 0
    np.testing.assert_array_equal(execute(kinds, x)[0], wanted)
    assert "annotations {note = 3 : i64}" in str(kinds)


def test_ranges():
    @kc.script
    def ranges(A: kc.Buffer((n,)), lo: "int32", hi: "int32"):
        for i in range(n):
            A[i] = 0.0
        for i in range(2, 9):
            A[i] += 1.0
        for i in range(lo, hi):
            A[i] += 10.0
        for i in range(1, 20, 3):
            A[i] += 100.0
        for i in range(lo, hi, 2):
            A[i] += 1000.0
        for i in range(9, 1, -2):
            A[i] += 0.5 * i
        for i in range(hi, lo, -1):
            A[i] += 0.25

    wanted = np.zeros(20, np.float32)
    wanted[2:9] += 1
    wanted[3:11] += 10
    wanted[1:20:3] += 100
    wanted[3:11:2] += 1000
    wanted[9:1:-2] += 0.5 * np.arange(20)[9:1:-2]
    wanted[11:3:-1] += 0.25
    np.testing.assert_array_equal(execute(ranges, np.ones(20, "f"), 3, 11)[0], wanted)


def test_blocks_of_loops_with_a_start():
    @kc.script
    def shifted(A: kc.Buffer((10,)), B: kc.Buffer((10,)), S: kc.Buffer((10,))):
        for i in range(2, 8):
            with block("B"):
                vi = axis.remap("S", [i])
                B[vi] = A[vi] + A[vi - 2]
        for i in range(10):
            for k in range(1, 4):
                with block("S"):
                    vi, vk = axis.remap("SR", [i, k])
                    with init():
                        S[vi] = 0.5
                    S[vi] += A[vi] * vk

    x = floats(10)
    b, s = execute(shifted, x, np.zeros(10, "f"), np.zeros(10, "f"))[1:]
    wanted = np.zeros(10, np.float32)
    wanted[2:8] = x[2:8] + x[:6]
    np.testing.assert_array_equal(b, wanted)
    np.testing.assert_array_equal(s, 0.5 + 6 * x)


def test_variables_of_blocks_and_conditions_on_them():
    @kc.script
    def guarded(A: kc.Buffer((50,)), B: kc.Buffer((50,))):
        for io, ii in grid(7, 8):
            with block("B", annotations={"kind": "copy"}):
                vi = axis.spatial(50, io * 8 + ii)
                where(io * 8 + ii < 50)
                B[vi] = A[vi]

    assert 'where (%io * 8 + %ii < 50) annotations {kind = "copy"}' in str(guarded)
    x = floats(50)
    np.testing.assert_array_equal(execute(guarded, x, np.empty_like(x))[1], x)
    sch = tir.Schedule(guarded)
    sch.fuse(*sch.get_loops("B"))
    np.testing.assert_array_equal(execute(sch, x, np.empty_like(x))[1], x)


def test_numbers_that_change():
    @kc.script
    def statistics(A: kc.Buffer((n, m)), R: kc.Buffer((n, 3))):
        for i in parallel(n):
            total = 0.0
            largest = A[i, 0]
            count = 0
            for j in range(m):
                x = A[i, j]
                total += x
                if x > largest:
                    largest = x
                    count = 1
                elif x == largest:
                    count += 1
            R[i, 0] = total
            R[i, 1] = largest
            R[i, 2] = count.astype("float32")

    x = floats(6, 9)
    result = execute(statistics, x, np.empty((6, 3), "f"))[1]
    top = x.max(1, keepdims=True)
    wanted = np.stack([x.sum(1), top[:, 0], (x == top).sum(1)], 1)
    # The first element is the largest one before it is met: it counts where it is met again.
    np.testing.assert_array_equal(result, wanted)


def test_a_name_keeps_what_memory_had():
    @kc.script
    def swap(A: kc.Buffer((n,))):
        for i in range(n // 2):
            left, right = A[i], A[n - 1 - i]
            A[i] = right
            A[n - 1 - i] = left
        first = A[0]
        A[0] = -1.0
        A[1] = first

    x = floats(7)
    wanted = x[::-1].copy()
    wanted[1], wanted[0] = wanted[0], -1
    np.testing.assert_array_equal(execute(swap, x)[0], wanted)


def test_conditions():
    @kc.script
    def select(A: kc.Buffer((12,)), B: kc.Buffer((12,), "int32")):
        for i in range(12):
            if 2 <= i < 9 and not i == 4:
                B[i] = 1
                if A[i] > 0 or i % 5 == 0:
                    B[i] += 10
            else:
                B[i] = 0
            # What the first condition guards is not read without it.
            if i > 0 and A[i - 1] > 0:
                B[i] += 100
            if i < 11 and A[i + 1] > 0 or i == 0:
                B[i] += 1000
            B[i] += 10000 if i != 3 else 20000

    x = floats(12)
    wanted = []
    for i in range(12):
        b = (1 + 10 * (x[i] > 0 or i % 5 == 0)) if 2 <= i < 9 and i != 4 else 0
        b += 100 * (i > 0 and x[i - 1] > 0) + 1000 * ((i < 11 and x[i + 1] > 0) or i == 0)
        wanted.append(b + (10000 if i != 3 else 20000))
    result = execute(select, x, np.empty(12, np.int32))[1]
    np.testing.assert_array_equal(result, np.array(wanted, np.int32))


def test_sparse_rows():
    """Extents, indices and bounds that are loaded."""

    @kc.script
    def spmv(
        start: kc.Buffer((n + 1,), "int32"),
        column: kc.Buffer((m,), "int32"),
        value: kc.Buffer((m,)),
        x: kc.Buffer((8,)),
        y: kc.Buffer((n,)),
    ):
        for i in parallel(n):
            acc = 0.0
            for k in range(start[i], start[i + 1]):
                acc += value[k] * x[column[k]]
            y[i] = acc

    dense = np.where(floats(5, 8) > 3, floats(5, 8), 0).astype(np.float32)
    rows = [np.flatnonzero(row) for row in dense]
    start = np.cumsum([0, *map(len, rows)]).astype(np.int32)
    column = np.concatenate(rows).astype(np.int32)
    value = np.concatenate([row[cols] for row, cols in zip(dense, rows, strict=True)])
    x = floats(8)
    result = execute(spmv, start, column, value.astype(np.float32), x, np.empty(5, "f"))[4]
    np.testing.assert_array_equal(result, dense @ x)


@kc.script
def clamp(x, lo=0.0, hi=6.0):
    y = max(x, lo)
    return min(y, hi)


@kc.script
def fill(B, value):
    value = value * 2.0
    for i in range(B.shape[0]):
        B[i] = value


def test_scripts_call_scripts():
    @kc.script
    def calls(A: kc.Buffer((n,)), B: kc.Buffer((n,)), C: kc.Buffer((n,))):
        fill(C, 1.5)
        fill(value=A[0], B=B)
        for i in range(n):
            C[i] += clamp(A[i], hi=4.0)

    x = floats(10)
    b, c = execute(calls, x, np.empty_like(x), np.empty_like(x))[1:]
    np.testing.assert_array_equal(b, np.full(10, x[0] * 2))
    np.testing.assert_array_equal(c, 3 + np.clip(x, 0, 4))
    assert clamp(9.0) == 6.0


def test_what_is_around_is_known():
    offset = 3

    def twice(x):
        return x + x

    @kc.script
    def around(A: kc.Buffer((n,)), B: kc.Buffer((n - 3,)), C: kc.Buffer((n,), "float64")):
        pairs = ((0, 1), (1, 2))
        for i in range(n - offset):
            acc = 0.0
            for k, w in pairs:
                acc += A[i + k] * WEIGHTS[w]
            B[i] = twice(acc)
        for k in const_range(2):
            C[k] = A.shape[0] + len(WEIGHTS) + k
        if offset > 2:
            note = 1.0
        else:
            note = "nothing"
        for i in range(2, n):
            C[i] = te.exp(A[i].astype("float64")) + note

    x = floats(8) / 4
    b, c = execute(around, x, np.empty(5, "f"), np.empty(8))[1:]
    np.testing.assert_allclose(b, 2 * (x[:5] * 2 + x[1:6] * 0.5), rtol=1e-6)
    np.testing.assert_allclose(c, [11, 12, *(np.exp(x[2:].astype(float)) + 1)], rtol=1e-12)


def test_indices_one_by_one():
    @kc.script
    def transpose(A: kc.Buffer((4, 5)), B: kc.Buffer((5, 4))):
        for i, j in grid(5, 4):
            B[i][j] = A[j][i]
            B[i][j] += 1.0

    x = floats(4, 5)
    np.testing.assert_array_equal(execute(transpose, x, np.empty((5, 4), "f"))[1], x.T + 1)


def test_scalars_are_parameters():
    @kc.script
    def axpy(X: kc.Buffer((n,)), Y: kc.Buffer((n,)), alpha: float, count: "int32"):
        for i in range(count):
            Y[i] += alpha * X[i]

    x, y = floats(9), floats(9) + 1
    result = execute(axpy, x, y, 0.5, 4)[1]
    np.testing.assert_array_equal(result, np.where(np.arange(9) < 4, y + x / 2, y))


def test_threads():
    @kc.script
    def reverse(A: kc.Buffer((16,)), B: kc.Buffer((16,))):
        for bx in thread_binding(2, "blockIdx.x"):
            tile = alloc_buffer((8,), "float32", scope="shared")
            for tx in thread_binding(0, 8, thread="threadIdx.x"):
                tile[tx] = A[bx * 8 + tx]
                B[bx * 8 + tx] = tile[7 - tx]

    x = floats(16)
    result = execute(reverse, x, np.empty_like(x), native=False)[1]
    np.testing.assert_array_equal(result, x.reshape(2, 8)[:, ::-1].reshape(16))


def test_types():
    @kc.script
    def types(
        A: kc.Buffer((8,), "int8"),
        B: kc.Buffer((8,), "int64"),
        C: kc.Buffer((8,), "bool"),
        D: kc.Buffer((8,), "uint8"),
    ):
        for i in range(8):
            x: "int32" = 0
            x += A[i]
            x *= 1000
            B[i] = x + i
            C[i] = x > 3 and D[i] > 100
            D[i] = ~D[i] >> 1

    a = np.array([-128, -5, -1, 0, 1, 5, 100, 127], np.int8)
    d = np.array([0, 1, 100, 101, 200, 255, 128, 7], np.uint8)
    results = execute(types, a, np.empty(8, np.int64), np.empty(8, bool), d)
    np.testing.assert_array_equal(results[1], a.astype(np.int64) * 1000 + np.arange(8))
    np.testing.assert_array_equal(results[2], (a.astype(int) * 1000 > 3) & (d > 100))
    np.testing.assert_array_equal(results[3], ~d >> 1)


def test_operations_have_the_lines_of_the_source():
    def line_of(op):
        return location_of(op).source_line().strip()

    lines = {(op.name, line_of(op)) for op in matmul.op.walk() if op.name.startswith("tir.")}
    assert ("tir.for", "for i, j, k in grid(n, 8, 12):") in lines
    assert ("tir.block", 'with block("C"):') in lines
    assert ("tir.store", "C[vi, vj] = 0.0") in lines
    assert ("tir.load", "C[vi, vj] += A[vi, vk] * B[vk, vj]") in lines
    places = {
        str(location_of(op)).split(":")[-1] for op in matmul.op.walk() if op.name == "tir.load"
    }
    assert places == {"13", "26", "38"}
    sch = tir.Schedule(matmul)
    reduction = sch.get_loops("C")[2]
    with pytest.raises(kc.KCError) as caught:
        sch.parallel(reduction)
    assert caught.value.location.file == __file__


def test_other_modules_take_it():
    assert list(matmul.functions) == ["matmul"]
    assert str(kc.lower(matmul)) == str(matmul)
    assert str(kc.IRModule.parse(str(matmul))) == str(matmul)
    assert all(isinstance(loop, ForOp) for loop in loops(matmul.op))
    source = kc.build(matmul, target="c").get_source("c")
    assert "void matmul(" in source


def test_words_can_be_imported():
    from kc.tir.script import axis as ax
    from kc.tir.script import block as unit
    from kc.tir.script import parallel as threads

    T = tir.script

    @kc.script
    def imported(A: kc.Buffer((8,))):
        for i in threads(8):
            with unit("A"):
                vi = ax.S(8, i)
                A[vi] = 1.0
        for i in T.vectorized(8):
            A[i] += 1.0

    np.testing.assert_array_equal(execute(imported, np.empty(8, "f"))[0], np.full(8, 2.0))


def test_conditions_have_names():
    @kc.script
    def ranks(A: kc.Buffer((n,)), R: kc.Buffer((n,), "int32"), missing: int):
        for i in parallel(n):
            repeated = False
            for j in range(n):
                if A[j] > A[i]:
                    repeated = True
            positive = A[i] > 0
            if repeated and positive:
                R[i] = 1
            elif not positive:
                R[i] = missing
            else:
                R[i] = 3

    x = floats(11)
    wanted = np.where(x <= 0, 9, np.where(x < x.max(), 1, 3))
    np.testing.assert_array_equal(execute(ranks, x, np.empty(11, np.int32), 9)[1], wanted)
    out = np.empty(11, np.int32)
    kc.build(ranks, target="c")(x, out, 9)
    np.testing.assert_array_equal(out, wanted)


def test_scripts_call_functions_of_others():
    @kc.register_func("test.script.negate", override=True)
    def negate(a, b):
        b.copyfrom(-a.numpy())

    @kc.script
    def calls(A: kc.Buffer((8,)), B: kc.Buffer((8,))):
        tir.call_packed("test.script.negate", A, B.access_ptr("w"))
        B[0] = 7.0

    x = floats(8)
    out = np.empty_like(x)
    kc.build(calls)(x, out)
    np.testing.assert_array_equal(out, [7, *-x[1:]])


def test_a_script_is_an_operation_of_te():
    @kc.script
    def twice(A: kc.Buffer((n,)), B: kc.Buffer((n,))):
        for i in range(n):
            B[i] = A[i] * 2.0

    a = te.placeholder((m,), name="A")
    b = te.extern_primfunc([a], twice, name="B")
    x = floats(8)
    out = np.empty_like(x)
    kc.build(te.create_schedule(b.op), [a, b])(x, out)
    np.testing.assert_array_equal(out, x * 2)
