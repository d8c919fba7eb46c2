"""Programs of the kinds that tutorials of tensor expressions teach, compared with numpy.

They are whole programs in the words of users of TVM: what is scheduled, how arguments are given,
and which ways of writing must work. Single primitives have tests of their own.
"""

from typing import Any

import numpy as np
import pytest

import kc as tvm
from kc import te, tir
from kc.support.diagnostics import diagnostic_handler

RANDOM = np.random.default_rng(0)


def random(*shape: int) -> np.ndarray:
    return RANDOM.random(shape, dtype=np.float32)


def result(s: te.Schedule, args: list[Any], *inputs: Any) -> Any:
    """The result of the schedule for ``inputs``; ``args`` has one output, its last."""
    return tvm.build(s, args, target="llvm")(*inputs)


# Matrix products ---------------------------------------------------------------------------------

N, BLOCK = 64, 16
A = te.placeholder((N, N), name="A")
B = te.placeholder((N, N), name="B")


def blocked(s: te.Schedule, C: te.Tensor) -> tuple[Any, ...]:
    row, column, i, j = s[C].tile(C.op.axis[0], C.op.axis[1], BLOCK, BLOCK)
    (k,) = s[C].op.reduce_axis
    outer, inner = s[C].split(k, factor=4)
    return row, column, outer, inner, i, j


def test_steps_of_a_matrix_product():
    """Each step is an alternative of the one before, of the same tensors and the same axis."""
    a, b = random(N, N), random(N, N)
    expected = a @ b
    k = te.reduce_axis((0, N), "k")

    def check(s: te.Schedule, C: te.Tensor) -> None:
        np.testing.assert_allclose(result(s, [A, B, C], a, b), expected, rtol=1e-4)

    C = te.compute((N, N), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
    check(te.create_schedule(C.op), C)

    s = te.create_schedule(C.op)
    row, column, outer, inner, i, j = blocked(s, C)
    s[C].reorder(row, column, outer, inner, i, j)
    check(s, C)
    s[C].vectorize(j)
    check(s, C)  # a schedule goes on after it was built

    s = te.create_schedule(C.op)
    row, column, outer, inner, i, j = blocked(s, C)
    s[C].reorder(row, column, outer, i, inner, j)
    s[C].vectorize(j)
    check(s, C)

    packed = te.compute((N / BLOCK, N, BLOCK), lambda z, y, x: B[y, z * BLOCK + x], name="packed")
    C = te.compute(
        (N, N),
        lambda i, j: te.sum(A[i, k] * packed[j // BLOCK, k, tir.indexmod(j, BLOCK)], axis=k),
        name="C",
    )
    s = te.create_schedule(C.op)
    local = s.cache_write(C, "global")
    row, column, _, _ = s[C].tile(C.op.axis[0], C.op.axis[1], BLOCK, BLOCK)
    s[local].compute_at(s[C], column)
    i, j = s[local].op.axis
    outer, inner = s[local].split(s[local].op.reduce_axis[0], factor=4)
    s[local].reorder(outer, i, inner, j)
    s[local].vectorize(j)
    s[local].unroll(inner)
    z, _, x = s[packed].op.axis
    s[packed].vectorize(x)
    s[packed].parallel(z)
    check(s, C)
    s[C].parallel(row)
    check(s, C)


def test_alternatives_are_not_computed_together():
    k = te.reduce_axis((0, N), "k")
    rows = te.compute((N,), lambda i: te.sum(A[i, k], axis=k), name="rows")
    columns = te.compute((N,), lambda j: te.sum(A[k, j], axis=k), name="columns")
    a = random(N, N)
    for sums, axis in ((rows, 1), (columns, 0)):
        out = result(te.create_schedule(sums.op), [A, sums], a)
        np.testing.assert_allclose(out, a.sum(axis), rtol=1e-4)
    both = te.compute((N,), lambda i: rows[i] + columns[i], name="both")
    for outputs in ([rows.op, columns.op], both.op):
        with pytest.raises(te.TEError, match=r"KC2017.*axis k belongs to rows already"):
            te.create_schedule(outputs)
    with pytest.raises(te.TEError, match="KC2017"):
        te.create_prim_func([A, both])


# Elements from elsewhere -------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "base"), [(4, 0), (128, 8), (3, 0), (61, 1)])
def test_reversed(size: int, base: int):
    n = tvm.runtime.convert(size)
    x = te.placeholder((n + base,), name="x")
    y = te.compute((n,), lambda i: x(size + base - i - 1), name="y")
    s = te.create_schedule(y.op)
    outer, inner = s[y].split(y.op.axis[0], factor=4)
    s[y].parallel(outer)
    s[y].vectorize(inner)
    given = random(size + base)
    np.testing.assert_array_equal(result(s, [x, y], given), given[::-1][:size])


def test_padded_and_read_through_a_cache():
    x = te.placeholder((64,), name="x")
    padded = te.compute(
        (66,), lambda i: te.if_then_else(te.all(i > 0, i < 65), x[i - 1], 0.0), name="padded"
    )
    y = te.compute((66,), lambda i: padded[i] * 2, name="y")
    s = te.create_schedule(y.op)
    s.cache_read(x, "local", [padded])
    s[padded].compute_inline()
    given = random(64)
    np.testing.assert_array_equal(result(s, [x, y], given), np.pad(given, 1) * 2)


def test_scattered_sums():
    n = 32
    x = te.placeholder((n,), name="x")
    place = te.placeholder((n,), name="place", dtype="int32")

    def body(ins: Any, outs: Any) -> Any:
        ib = tir.ir_builder.create()
        values, places, sums = (ib.buffer_ptr(tensor) for tensor in (*ins, *outs))
        with ib.for_range(0, n, name="i") as i:
            sums[i] = 0.0
        with ib.for_range(0, n, name="i") as i:
            sums[places[i]] += values[i]
        return ib.get()

    y = te.extern((n,), [x, place], body, name="y", dtype="float32")
    values, places = random(n), (np.arange(n) % 5).astype(np.int32)
    out = result(te.create_schedule(y.op), [x, place, y], values, places)
    np.testing.assert_allclose(out, np.bincount(places, values, n), rtol=1e-5)


# Reductions --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("reducer", "expected"), [(te.sum, np.sum), (te.max, np.max)])
def test_terms_that_another_tensor_chooses(reducer: Any, expected: Any):
    n, m = te.size_var("n"), te.size_var("m")
    x = te.placeholder((n, m), name="x")
    chosen = te.compute((n,), lambda i: tir.Select(i > 1, 1, 0), name="chosen")
    k = te.reduce_axis((0, m), "k")
    y = te.compute((n,), lambda i: reducer(x[i, k], axis=k, where=chosen[i] == 1), name="y")
    given = random(7, 9)
    out = result(te.create_schedule(y.op), [x, y], given)
    np.testing.assert_allclose(out[2:], expected(given, axis=1)[2:], rtol=1e-5)
    if reducer is te.sum:
        assert (out[:2] == 0).all()


def test_as_many_terms_as_the_index():
    x = te.placeholder((10,), name="x")

    def below(n: Any) -> Any:
        k = te.reduce_axis((0, n))
        return te.sum(x[k], axis=k)

    y = te.compute((10,), below, name="y")
    given = random(10)
    expected = [given[:i].sum() for i in range(10)]
    np.testing.assert_allclose(result(te.create_schedule(y.op), [x, y], given), expected, rtol=1e-5)


def test_one_loop_of_all_axes():
    n = 10
    x = te.placeholder((n,), dtype="int32", name="x")
    k = te.reduce_axis((0, n), "k")
    total = te.compute((), lambda: te.sum(x[k], k), name="total")
    s = te.create_schedule(total.op)
    s[total].split(s[total].fuse(), nparts=20)
    assert result(s, [x, total], np.ones(n, np.int32)) == n

    l = te.reduce_axis((0, n), "l")  # noqa: E741
    each = te.compute((n,), lambda i: te.sum(x[l], l), name="each")
    s = te.create_schedule(each.op)
    s[each].fuse(*each.op.axis, *each.op.reduce_axis)
    assert (result(s, [x, each], np.ones(n, np.int32)) == n).all()


def test_the_largest_of_expressions():
    """The terms that an argmax is taken of are computed in it."""
    m, n = te.var("m"), te.var("n")
    x = te.placeholder((m, n), name="x")
    shifted = te.compute((m, n), lambda i, j: x[i, j] - 0.5, name="shifted")
    squared = te.compute((m, n), lambda i, j: shifted[i, j] * shifted[i, j], name="squared")

    def larger(a: Any, b: Any) -> Any:
        return tuple(
            tir.Select(a[1] >= b[1], left, right) for left, right in zip(a, b, strict=True)
        )

    argmax = te.comm_reducer(larger, lambda t0, t1: (tir.const(-1, t0), te.min_value(t1)))
    k = te.reduce_axis((0, n), "k")
    where, value = te.compute((m,), lambda i: argmax((k.var, squared[i, k]), axis=k), name="most")
    s = te.create_schedule(where.op)
    s[shifted].compute_inline()
    s[squared].compute_inline()
    given = random(5, 17)
    places, values = np.zeros(5, np.int32), np.zeros(5, np.float32)
    tvm.build(s, [x, where, value])(given, places, values)
    np.testing.assert_array_equal(places, ((given - 0.5) ** 2).argmax(1))
    np.testing.assert_allclose(values, ((given - 0.5) ** 2).max(1), rtol=1e-6)


# Several results, several stages -----------------------------------------------------------------


def test_caches_of_a_tuple_and_of_its_inputs():
    shape = (10, 48)
    x, y = te.placeholder(shape, name="x"), te.placeholder(shape, name="y")
    both = te.compute(shape, lambda *i: x(*i) + y(*i), name="both")
    first, second = te.compute(shape, lambda *i: (both(*i), both(*i) * y(*i)), name="out")
    s = te.create_schedule([first.op, second.op])
    s.cache_read(x, "local", [both])
    s.cache_read(y, "local", [both, second])
    s.cache_write(both, "local")
    s.cache_write([first, second], "local")
    s[both].compute_inline()
    a, b = random(*shape), random(*shape)
    out = tvm.build(s, [x, y, first, second])(a, b)
    np.testing.assert_array_equal(out[0], a + b)
    np.testing.assert_allclose(out[1], (a + b) * b, rtol=1e-6)


@pytest.mark.parametrize("inline", [False, True])
def test_an_intermediate_among_the_arguments(inline: bool):
    """It is computed at the root and written; one that is moved is left unwritten."""
    m = te.var("m")
    x = te.placeholder((m,), name="x")
    y = te.compute((m,), lambda i: x[i] + 1, name="y")
    z = te.compute((m,), lambda i: y[i] * 2, name="z")
    s = te.create_schedule(z.op)
    given = random(9)
    out = tvm.build(s, [x, y, z])(given)
    np.testing.assert_array_equal(out[0], given + 1)
    np.testing.assert_array_equal(out[1], (given + 1) * 2)
    if inline:
        s[y].compute_inline()
    else:
        s[y].compute_at(s[z], z.op.axis[0])
    np.testing.assert_array_equal(result(s, [x, z], given), (given + 1) * 2)
    warnings: list[str] = []
    with diagnostic_handler(lambda warning: warnings.append(warning.render())):
        built = tvm.build(s, [x, y, z])
    (text,) = warnings
    lines = text.splitlines()
    assert "s[y].compute_" in lines.pop(1)
    way = "and there is no tensor" if inline else "as far as it is read there"
    assert lines == [
        f"warning[KC3155]: compute_{'inline' if inline else 'at'}: y is an argument of main, "
        "and is left unwritten",
        f"  why: it is computed where it is read, {way}: the caller's array stays unchanged",
        "  try: without y in the list of arguments there is no such array",
        "  try: s.cache_write(y, scope) gives a tensor that can be moved, and y is written",
    ]
    moved, doubled = np.full(9, 7, np.float32), np.zeros(9, np.float32)
    built(given, moved, doubled)
    np.testing.assert_array_equal(moved, np.full(9, 7, np.float32))
    np.testing.assert_array_equal(doubled, (given + 1) * 2)
    s[y].compute_root()
    np.testing.assert_array_equal(tvm.build(s, [x, y, z])(given)[0], given + 1)


def test_an_output_that_is_no_argument():
    """It is computed as before, and nobody gets it."""
    x = te.placeholder((4,), name="x")
    y = te.compute((4,), lambda i: x[i] + 1, name="y")
    z = te.compute((4,), lambda i: y[i] * 2, name="z")
    s = te.create_schedule(z.op)
    warnings: list[str] = []
    with diagnostic_handler(lambda warning: warnings.append(warning.render())):
        built = tvm.build(s, [x, y])
    text, remark = warnings
    assert remark.startswith("remark[KC3750]")  # the schedule has no call
    lines = text.splitlines()
    assert "tvm.build" in lines.pop(1)
    assert lines == [
        "warning[KC2022]: output z is missing from the arguments of main",
        "  why: results are written to arrays that the caller passes: this one is lost",
        "  try: add z to the list of arguments",
    ]
    given = random(4)
    np.testing.assert_array_equal(built(given), given + 1)


def test_steps_of_a_recurrence_in_stages():
    m, n = te.var("m"), te.var("n")
    x = te.placeholder((m, n), name="x")
    state = te.placeholder((m, n), name="state")
    init = te.compute((1, n), lambda _, i: x[0, i], name="init")
    twice = te.compute((m, n), lambda t, i: state[t - 1, i] * 2, name="twice")
    update = te.compute((m, n), lambda t, i: twice[t, i] + x[t, i], name="update")
    y = te.scan(init, update, state, inputs=[x])
    s = te.create_schedule(y.op)
    outer, _ = s[update].split(update.op.axis[1], factor=32)
    s[twice].compute_at(s[update], outer)
    given = random(5, 50)
    rows = [given[0]]
    for row in given[1:]:
        rows.append(rows[-1] * 2 + row)
    np.testing.assert_allclose(result(s, [x, y], given), rows, rtol=1e-5)


def test_a_registered_function_fills_its_result():
    @tvm.register_func("test.programs.matmul", override=True)
    def multiply(a: Any, b: Any, c: Any, transposed: bool) -> None:
        assert not transposed
        c[:] = a.numpy() @ b.numpy()

    bias = te.var("bias", dtype="float32")
    C = te.extern(
        (N, N),
        [A, B],
        lambda ins, outs: tir.call_packed("test.programs.matmul", *ins, *outs, False),
        name="C",
    )
    D = te.compute(C.shape, lambda i, j: C[i, j] + bias, name="D")
    a, b, d = random(N, N), random(N, N), np.zeros((N, N), np.float32)
    tvm.build(te.create_schedule(D.op), [A, B, D, bias])(a, b, d, 10.0)
    np.testing.assert_allclose(d, a @ b + 10, rtol=1e-5)


def test_a_call_reads_and_writes_by_its_masks():
    """ "wr" is "rw": masks are sets of letters."""
    modes = {}

    def body(ins: Any, outs: Any) -> Any:
        for mask in ("rw", "wr"):
            modes[mask] = outs[0].access_ptr(mask).mode
        return tir.call_packed("test.programs.fill", ins[0].access_ptr("r"), outs[0])

    te.extern((N, N), [A], body, name="C", dtype="float32")
    assert modes["wr"] == modes["rw"]
