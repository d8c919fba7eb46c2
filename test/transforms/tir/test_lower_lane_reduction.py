"""Vectorized reductions: the lanes' results, combined, are numpy's, whatever is around the loop."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

import kc
from kc import te, tir, topi
from kc.analysis.interpreter import run
from kc.conversion.pipelines import lower_to_c_passes
from kc.support import registry
from kc.support.diagnostics import diagnostic_handler

product = te.comm_reducer(lambda x, y: x * y, lambda t: te.const(1, t), name="prod")
conjunction = te.comm_reducer(te.all, lambda t: te.const(True, t), name="all")
argmax = te.comm_reducer(
    # numpy's rule for ties: the first. In another order of the terms, the indices must say which.
    lambda x, y: (
        te.Select(te.any(x[1] > y[1], te.all(x[1].equal(y[1]), x[0] < y[0])), x[0], y[0]),
        te.max(x[1], y[1]),
    ),
    lambda i, v: (te.max_value(i), te.min_value(v)),
    name="argmax",
)
REDUCERS = {"sum": te.sum, "max": te.max, "min": te.min, "prod": product}


def results(s: Any, args: list[Any], outputs: list[Any], arrays: list[np.ndarray]) -> list[Any]:
    """The outputs natively, which no warning is given for, and by the interpreter, in this
    order."""
    shapes = [tuple(int(size) for size in output.shape) for output in outputs]
    both = [
        [np.full(shape, 77).astype(o.dtype) for shape, o in zip(shapes, outputs, strict=True)]
        for _ in range(2)
    ]
    said: list[Any] = []
    with diagnostic_handler(said.append):
        kc.build(s, args)(*arrays, *both[0])
    # A split is as tight as its loop: of a reduction over one element one iteration is vectorized.
    assert [warning.code for warning in said if warning.code != "KC3046"] == []
    run(kc.lower(s, args, name="f").op, "f", [*arrays, *both[1]])
    return both[0] + both[1]


def rows(op: str, dtype: str, m: int, n: int, lanes: int) -> Any:
    """A reduction of each of ``m`` rows, in vectors of ``lanes``."""
    a = te.placeholder((m, n), dtype, name="A")
    k = te.reduce_axis((0, n), name="k")
    b = te.compute((m,), lambda i: REDUCERS[op](a[i, k], axis=k), name="B")
    s = te.create_schedule(b.op)
    s[b].vectorize(s[b].split(b.op.reduce_axis[0], factor=lanes)[1])
    return s, a, b


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int8", "uint8", "int64"])
@pytest.mark.parametrize("op", REDUCERS)
def test_reducers_and_types(op: str, dtype: str):
    s, a, b = rows(op, dtype, 3, 77, 16)
    x = np.random.default_rng(0).integers(1, 3, (3, 77)).astype(dtype)
    if op == "prod":
        x[:, 5:] = 1
    expected = {"sum": np.sum, "max": np.max, "min": np.min, "prod": np.prod}[op](x, axis=1)
    for result in results(s, [a, b], [b], [x]):
        np.testing.assert_array_equal(result, expected.astype(dtype))


@given(
    m=st.integers(1, 6),
    n=st.integers(1, 150),
    lanes=st.integers(2, 70),
    tile=st.integers(1, 4),
    inside=st.booleans(),
)
@examples(15)
def test_rows_of_every_length(m: int, n: int, lanes: int, tile: int, inside: bool):
    """Tails of terms and of results, and a tile of results in the reduction or around it."""
    s, a, b = rows("sum", "int32", m, n, lanes)
    io, ii = s[b].split(b.op.axis[0], factor=tile)
    ko, ki = s[b].leaf_iter_vars[2:]
    s[b].reorder(*((io, ko, ii, ki) if inside else (io, ii, ko, ki)))
    s[b].unroll(ii)
    x = np.random.default_rng(n).integers(-99, 99, (m, n)).astype("int32")
    for result in results(s, [a, b], [b], [x]):
        np.testing.assert_array_equal(result, x.sum(axis=1))


@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 100])
def test_a_length_of_the_call(n: int):
    size = te.var("n")
    a = te.placeholder((size,), "float32", name="A")
    k = te.reduce_axis((0, size), name="k")
    b = te.compute((1,), lambda i: te.max(a[k], axis=k), name="B")
    s = te.create_schedule(b.op)
    s[b].vectorize(s[b].split(b.op.reduce_axis[0], factor=16)[1])
    x = np.random.default_rng(0).standard_normal(n).astype("float32")
    out = np.zeros(1, "float32")
    kc.build(s, [a, b])(x, out)
    assert out[0] == (x.max() if n else -np.inf)


def test_argmax_takes_the_first_of_equals():
    a = te.placeholder((4, 100), "float32", name="A")
    k = te.reduce_axis((0, 100), name="k")
    index, value = te.compute((4,), lambda i: argmax((k.var, a[i, k]), axis=k), name="M")
    s = te.create_schedule(index.op)
    s[index].vectorize(s[index].split(index.op.reduce_axis[0], factor=8)[1])
    x = np.random.default_rng(0).integers(0, 7, (4, 100)).astype("float32")
    got = results(s, [a, index, value], [index, value], [x])
    for indices, values in (got[:2], got[2:]):
        np.testing.assert_array_equal(indices, x.argmax(axis=1))
        np.testing.assert_array_equal(values, x.max(axis=1))


def test_conditions():
    a = te.placeholder((3, 40), "bool", name="A")
    k = te.reduce_axis((0, 40), name="k")
    b = te.compute((3,), lambda i: conjunction(a[i, k], axis=k), name="B")
    s = te.create_schedule(b.op)
    s[b].vectorize(s[b].split(b.op.reduce_axis[0], factor=16)[1])
    x = np.ones((3, 40), bool)
    x[1, 39] = False
    for result in results(s, [a, b], [b], [x]):
        np.testing.assert_array_equal(result, [True, False, True])


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_product_of_matrices(dtype: str):
    """Terms are computed where they are added; a producer is in the loop of the reduction."""
    if dtype == "bfloat16":
        pytest.importorskip("ml_dtypes")
    a, b = te.placeholder((6, 40), dtype, name="A"), te.placeholder((6, 40), dtype, name="B")
    k = te.reduce_axis((0, 40), name="k")
    twice = te.compute((6, 40), lambda i, j: a[i, j] + a[i, j], name="T")
    c = te.compute((6, 6), lambda i, j: te.sum(twice[i, k] * b[j, k], axis=k), name="C")
    s = te.create_schedule(c.op)
    ko, ki = s[c].split(c.op.reduce_axis[0], factor=8)
    s[c].vectorize(ki)
    s[twice].compute_at(s[c], ko)
    generator = np.random.default_rng(0)
    x, y = (generator.integers(0, 2, (6, 40)).astype(np.float32) for _ in range(2))
    if dtype == "bfloat16":
        import ml_dtypes

        x, y = x.astype(ml_dtypes.bfloat16), y.astype(ml_dtypes.bfloat16)
    expected = 2 * x.astype(np.float32) @ y.astype(np.float32).T
    for result in results(s, [a, b, c], [c], [x, y]):
        np.testing.assert_array_equal(result.astype(np.float32), expected)


def test_a_decomposed_reduction():
    s, a, b = rows("sum", "float32", 4, 64, 16)
    sch = kc.tir.Schedule(kc.lower(s, [a, b], name="main"))
    block = sch.get_block("B")
    sch.decompose_reduction(block, sch.get_loops(block)[1])
    x = np.arange(256, dtype="float32").reshape(4, 64)
    out = np.zeros(4, "float32")
    said: list[Any] = []
    with diagnostic_handler(said.append):
        kc.build(sch.mod)(x, out)
    assert said == []
    np.testing.assert_array_equal(out, x.sum(axis=1))


def test_nan_and_infinities_are_numpys():
    s, a, b = rows("max", "float32", 4, 33, 8)
    x = np.random.default_rng(0).standard_normal((4, 33)).astype("float32")
    x[0, 7], x[1, 32], x[2] = np.nan, np.inf, -np.inf
    for result in results(s, [a, b], [b], [x]):
        np.testing.assert_array_equal(result, x.max(axis=1))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n", [37, 64])
def test_which_zero_is_the_maximum(n: int, dtype: str):
    """0 is greater than -0, in whatever lane and order they are; sums of infinities are no NaN."""
    s, a, b = rows("max", dtype, 5, n, 16)
    x = -np.abs(np.random.default_rng(0).standard_normal((5, n))).astype(dtype)
    x[0, [3, 4]] = [0.0, -0.0]
    x[1, [3, 20]] = [-0.0, 0.0]
    x[2] = -0.0
    x[3, [1, 2]] = [np.inf, -np.inf]
    x[4] = -np.inf
    for result in results(s, [a, b], [b], [x]):
        np.testing.assert_array_equal(result, [0, 0, 0, np.inf, -np.inf])
        np.testing.assert_array_equal(np.signbit(result), [False, False, True, False, True])


@pytest.mark.parametrize(("n", "lanes"), [(1000, 1000), (77, 16), (64, 16), (9, 9)])
def test_nan_in_each_lane(n: int, lanes: int):
    """The reduction of a row with a NaN runs again, in lanes as well."""
    s, a, b = rows("max", "float32", n + 1, n, lanes)
    x = np.random.default_rng(0).standard_normal((n + 1, n)).astype("float32")
    np.fill_diagonal(x, np.nan)
    native, interpreted = np.empty((2, n + 1), "float32")
    function = kc.build(s, [a, b])
    function(x, native)
    expected = np.append(np.full(n, np.nan, "float32"), x[n].max())
    np.testing.assert_array_equal(native, expected)
    if n < 100:
        run(kc.lower(s, [a, b], name="f").op, "f", [x, interpreted])
        np.testing.assert_array_equal(interpreted, expected)
    again = re.search(r"scf\.if .* \{\n(.*\n)*", function.get_source("mlir"))
    assert again is not None
    terms = re.findall(r"= (.*load) %A\[", again[0])
    # The ninth of nine is no vector.
    assert set(terms) - {"memref.load"} if n == 9 else terms
    assert n == 9 or set(terms) <= {"vector.load", "vector.maskedload"}


@pytest.mark.parametrize(
    ("kind", "terms", "in_order", "in_halves"),
    [("add", [1e8, 1, -1e8, 1], 1, 2), ("mul", [1e30, 1e30, 1e-30, 1e-30], np.inf, 1)],
)
def test_what_may_be_reassociated_is_combined_in_halves(
    kind: str, terms: list[float], in_order: float, in_halves: float
):
    for flags, expected in (("", in_order), (" fastmath<reassoc>", in_halves)):
        text = f"""func.func @main(%A: memref<4xf32>, %C: memref<1xf32>) {{
          %c0 = arith.constant 0 : index
          %v = vector.load %A[%c0] : memref<4xf32>, vector<4xf32>
          %x = vector.reduction <{kind}>, %v{flags} : vector<4xf32> into f32
          memref.store %x, %C[%c0] : memref<1xf32>
          func.return
        }}"""
        module = kc.IRModule.parse(text)
        for function in (kc.build(module), lambda *at, of=module: run(of.op, "main", [*at])):
            result = np.zeros(1, "float32")
            function(np.array(terms, "float32"), result)
            np.testing.assert_allclose(result, [expected], rtol=1e-6)


def test_a_reduction_that_is_not_split_runs_serially():
    """A condition on results and terms."""
    text = """func.func @main(%A: memref<8xf32>, %B: memref<8xf32>) {
      tir.for %i in 8 {
        tir.for %k in 8 vectorized {
          tir.block "B" (spatial %v_i in 8 = %i, reduce %v_k in 8 = %k) where (%i - %k >= 0) do {
            %a = tir.load %A[%v_k] : memref<8xf32>
            %b = tir.load %B[%v_i] : memref<8xf32>
            %s = arith.addf %b, %a : f32
            tir.store %s, %B[%v_i] : memref<8xf32>
          }
        }
      }
      func.return
    }"""
    said: list[Any] = []
    with diagnostic_handler(said.append):
        function = kc.build(kc.IRModule.parse(text))
    (warning,) = said
    assert warning.render().split("\n") == [
        "warning[KC4211]: lower-lane-reduction: the loop k is not vectorized and runs serially",
        "  --> <string>:4:11",
        "  why: a condition of B depends on both results and terms",
    ]
    x, out = np.arange(8, dtype="float32"), np.zeros(8, "float32")
    function(x, out)
    np.testing.assert_array_equal(out, np.cumsum(x))


@pytest.mark.parametrize(
    ("target", "add", "n"),
    [
        ("llvm -mcpu=x86-64-v3", r"vaddps\s.*\(%r.*%ymm", 1024),
        ("llvm -mcpu=x86-64-v3", r"vaddps\s.*\(%r.*%ymm", 1000),
        ("llvm -mcpu=x86-64-v4", r"vaddps\s.*\(%r.*%zmm", 1024),
        ("llvm -mcpu=x86-64-v4", r"vaddps\s.*\(%r.*%zmm", 1000),
        ("llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1", r"fadd\tv\d+\.4s", 1024),
    ],
)
def test_the_lanes_results_stay_in_registers(target: str, add: str, n: int):
    """The loop loads terms, adds vectors, and stores nothing."""
    s, a, b = rows("sum", "float32", 8, n, 64 if "v4" in target else 32)
    text = kc.build(s, [a, b], target).get_source("asm")
    loop = innermost_loop(text, add)
    assert not re.search(r"vmov\w+\s+%[yz]mm\d+, .*\(|\bst[rp]\s", loop)


def innermost_loop(text: str, what: str) -> str:
    """The shortest loop of assembly in which ``what`` is."""
    loops = re.findall(r"(?ms)^(\.LBB\d+_\d+):((?:(?!^\.LBB).)*?)\b(?:jne|jmp|b\.ne)\s+\1\b", text)
    return min((body for _, body in loops if re.search(what, body)), key=len)


@pytest.mark.parametrize(
    ("target", "register"), [("x86-64-v3", "ymm"), ("x86-64-v4", "zmm"), ("x86-64", "xmm")]
)
def test_a_maximum_takes_two_instructions_on_x86(target: str, register: str):
    """The loop has one instruction for the maxima, and a sum that shows NaN."""
    s, a, b = rows("max", "float32", 8, 1024, 64 if register == "zmm" else 16)
    text = kc.build(s, [a, b], f"llvm -mcpu={target}").get_source("asm")
    loop = innermost_loop(text, rf"v?maxps\s.*%{register}")
    maxima = len(re.findall(r"\bv?maxps\s", loop))
    assert maxima >= 1
    assert maxima == len(re.findall(r"\bv?addps\s", loop))
    assert not re.findall(r"blend|cmp\w*ps|and\w*ps|or\w*ps", loop)


def test_a_maximum_takes_one_instruction_on_arm():
    s, a, b = rows("max", "float32", 8, 1024, 16)
    target = "llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1"
    loop = innermost_loop(kc.build(s, [a, b], target).get_source("asm"), r"fmax\tv\d+\.4s")
    assert not re.findall(r"\b(fadd|fcm\w+|bif|bit|bsl)\s", loop)


def test_a_vectorized_reduction_of_each_thread():
    s, a, b = rows("sum", "int32", 8, 50, 4)
    s[b].bind(b.op.axis[0], te.thread_axis("threadIdx.x"))
    x = np.random.default_rng(0).integers(-99, 99, (8, 50)).astype("int32")
    out = np.zeros(8, "int32")
    kc.build(s, [a, b], "cuda-emu -arch=sm_80")(x, out)
    np.testing.assert_array_equal(out, x.sum(axis=1))


def test_c_code_keeps_the_loop():
    """Loops stay loops, also where the code is for a machine that has vectors."""
    s, a, b = rows("sum", "float32", 4, 64, 16)
    assert "_part" not in kc.build(s, [a, b], "c").get_source()
    module = kc.lower(s, [a, b], name="main").op
    with kc.target.Target("llvm -mcpu=x86-64-v3"):
        for name in lower_to_c_passes():
            registry.get_pass(name).apply(registry.context(), module)
    assert "vector" not in str(module)


def test_lanes_with_results_of_their_own_stay_as_they_are():
    """The result of the pass is lowered again if its text is compiled."""
    A = te.placeholder((7, 5), name="A", dtype="int32")
    k = te.reduce_axis((0, 5), name="k")
    B = te.compute((7,), lambda i: te.sum(A[i, k], k), name="B")
    s = te.create_schedule(B.op)
    s[B].vectorize(k)
    module = kc.lower(s, [A, B])
    lowering = [registry.get_pass(name) for name in ("lower-init-block", "lower-lane-reduction")]
    for change in lowering:
        change.apply(registry.context(), module.op)
    once = str(module)
    assert "B_part" in once
    lowering[-1].apply(registry.context(), module.op)
    assert str(module) == once
    a = np.arange(35, dtype="int32").reshape(7, 5)
    np.testing.assert_array_equal(kc.build(module)(a), a.sum(1))


def test_where_the_loop_is_part_of_the_index_of_results_the_lanes_are_not_split():
    text = """
    func.func @f(%A: memref<8xi32>, %B: memref<4xi32>) {
      tir.for %k in 8 {
        tir.block "B" (reduce %v_k in 8 = %k) do {
          %0 = tir.load %B[%k mod 4] : memref<4xi32>
          %1 = tir.load %A[%v_k] : memref<8xi32>
          %2 = arith.addi %0, %1 : i32
          tir.store %2, %B[%k mod 4] : memref<4xi32>
        }
      }
      func.return
    }"""
    schedule = kc.tir.Schedule(kc.IRModule.parse(text))
    with pytest.raises(kc.error.KCError) as caught:
        schedule.vectorize(schedule.get_loops("B")[0])
    assert "the indices at which B stores depend on k" in str(caught.value)
    vectorized = kc.IRModule.parse(text.replace("in 8 {\n", "in 8 vectorized {\n", 1))
    a, b = np.arange(8, dtype="int32"), np.zeros(4, "int32")
    kc.build(vectorized)(a, b)
    np.testing.assert_array_equal(b, a[:4] + a[4:])


def test_results_in_loops_inside_of_a_long_vectorized_loop():
    """The loop becomes several, in which the loops over results are copies."""
    A = te.placeholder((3, 71), name="A", dtype="int32")
    k = te.reduce_axis((0, 71), name="k")
    B = te.compute((3,), lambda i: te.sum(A[i, k], k), name="B")
    s = te.create_schedule(B.op)
    s[B].reorder(k, s[B].op.axis[0])
    s[B].vectorize(k)
    a = np.arange(3 * 71, dtype="int32").reshape(3, 71)
    np.testing.assert_array_equal(kc.build(s, [A, B], target="llvm -mcpu=x86-64-v3")(a), a.sum(1))


def test_a_condition_about_a_loop_that_repeats_terms():
    text = """
    func.func @f(%A: memref<8xi32>, %B: memref<3xi32>) {
      tir.for %i in 3 {
        tir.for %k in 8 vectorized {
          tir.for %u in 3 {
            tir.block "B" (spatial %v_i in 3 = %i, reduce %v_k in 8 = %k) where (%u < 2) do {
              %0 = tir.load %B[%v_i] : memref<3xi32>
              %1 = tir.load %A[%v_k] : memref<8xi32>
              %2 = arith.addi %0, %1 : i32
              tir.store %2, %B[%v_i] : memref<3xi32>
            }
          }
        }
      }
      func.return
    }"""
    a, b = np.arange(8, dtype="int32"), np.zeros(3, "int32")
    with diagnostic_handler(lambda warning: pytest.fail(str(warning))):
        kc.build(kc.IRModule.parse(text))(a, b)
    np.testing.assert_array_equal(b, 3 * [2 * a.sum()])


def test_a_loop_over_results_and_terms_runs_serially():
    A = te.placeholder((4, 5, 3), name="A", dtype="int32")
    k, m = te.reduce_axis((0, 4), name="k"), te.reduce_axis((0, 3), name="m")
    B = te.compute((5,), lambda i: te.sum(A[k, i, m], [k, m]), name="B")
    schedule = kc.tir.Schedule(kc.lower(te.create_schedule(B.op), [A, B]))
    i, outer, inner = schedule.get_loops("B")
    schedule.reorder(outer, i, inner)
    schedule.fuse(i, inner)
    schedule.vectorize(outer)
    said: list[Any] = []
    a = np.arange(60, dtype="int32").reshape(4, 5, 3)
    with diagnostic_handler(said.append):
        b = kc.build(schedule.mod)(a)
    np.testing.assert_array_equal(b, a.sum((0, 2)))
    (warning,) = said
    first, *_, why = warning.render().split("\n")
    assert first == (
        "warning[KC4211]: lower-lane-reduction: the loop k is not vectorized and runs serially"
    )
    assert why == "  why: i_m_fused drives both spatial and reduce variables"


def test_lanes_in_a_loop_that_drives_results_and_terms():
    """Its condition says which results there are: the block that combines lanes has it too."""
    A = te.placeholder((3, 8), "int32", name="A")
    k = te.reduce_axis((0, 8), name="k")
    B = te.compute((3,), lambda i: te.sum(A[i, k], axis=k), name="B")
    sch = tir.Schedule(te.create_prim_func([A, B]))
    rows, terms = sch.get_loops("B")
    k_o, k_i = sch.split(terms, [None, 4])
    _, i_i = sch.split(rows, [None, 4])
    fused = sch.fuse(i_i, k_o)
    assert sch.get(fused).static_extent == 8
    sch.vectorize(k_i)
    a = np.random.default_rng(0).integers(-9, 9, (3, 8), dtype=np.int32)
    b = np.zeros(3, np.int32)
    said: list[Any] = []
    with diagnostic_handler(said.append):
        kc.build(sch.mod)(a, b)
    assert said == []
    np.testing.assert_array_equal(b, a.sum(axis=1))


def test_an_index_that_is_computed_in_the_loop():
    """A result of symbolic place, in a reduction over lanes: it is computed again behind them."""
    n = te.size_var("n")
    a = te.placeholder((n,), "int64", name="A")
    k = te.reduce_axis((0, 2), name="k")
    b = te.compute((n - 1,), lambda i: te.min(a[i + k], axis=k), name="B")
    sch = tir.Schedule(te.create_prim_func([a, b]))
    i, lanes = sch.get_loops("B")
    sch.vectorize(lanes)
    sch.split(i, factors=["n", None, 1])
    outer, middle, _, lanes = sch.get_loops("B")
    sch.tile(outer, middle, 4, 4)
    loops = sch.get_loops("B")
    sch.reorder(loops[0], loops[4])
    loops = sch.get_loops("B")
    sch.reorder(loops[3], loops[1], loops[5])
    loops = sch.get_loops("B")
    sch.reorder(loops[4], loops[3])
    said: list[Any] = []
    x = np.array([5, 3, 8, 1, 9, 2, 7], np.int64)
    y = np.full(6, 77)
    with diagnostic_handler(said.append):
        kc.build(sch.mod)(x, y)
    np.testing.assert_array_equal(y, np.minimum(x[1:], x[:-1]))
    assert not [warning for warning in said if warning.code == "KC4211"]


PLACED = """
func.func @f(%A: memref<3x16xi32>, %I: memref<3xindex>, %C: memref<3xi32> {kc.role = "inout"}) {
  tir.for %i in 3 {
    tir.for %k in 16 vectorized {
      %row = PLACE
      tir.block "C" (spatial %v_i in 3 = %row, reduce %v_k in 16 = %k) do {
        %a = tir.load %A[%v_i, %v_k] : memref<3x16xi32>
        %c = tir.load %C[%v_i] : memref<3xi32>
        %sum = arith.addi %c, %a : i32
        tir.store %sum, %C[%v_i] : memref<3xi32>
      }
    }
  }
  func.return
}
"""


@pytest.mark.parametrize(
    ("place", "warnings"),
    [
        ("tir.apply (2 - %i)", []),
        (
            "tir.load %I[%i] : memref<3xindex>",
            ["row is computed in k, and the results depend on it"],
        ),
    ],
)
def test_a_place_in_a_loop_of_lanes(place: str, warnings: list[str]):
    a = np.arange(48, dtype="int32").reshape(3, 16)
    c = np.full(3, 100, "int32")
    said: list[Any] = []
    with diagnostic_handler(said.append):
        kc.build(kc.IRModule.parse(PLACED.replace("PLACE", place)))(a, np.array([2, 0, 1]), c)
    np.testing.assert_array_equal(c, a.sum(axis=1) + 100)
    assert [warning.why for warning in said if warning.code == "KC4211"] == warnings


@pytest.mark.parametrize("place", ["%x", "%row", "2 - %x"])
def test_a_place_that_a_loop_of_no_variable_counts(place: str):
    """The results are where the variable of a loop says itself, which no variable is bound to."""
    text = f"""
func.func @f(%A: memref<4x16xi32>, %C: memref<4x3xi32> {{kc.role = "inout"}}) {{
  tir.for %i in 4 {{
    tir.for %k in 16 vectorized {{
      tir.for %x in 3 {{
        %row = tir.apply (2 - %x)
        tir.block "C" (spatial %v_i in 4 = %i, reduce %v_k in 16 = %k) do {{
          %a = tir.load %A[%v_i, %v_k] : memref<4x16xi32>
          %c = tir.load %C[%v_i, {place}] : memref<4x3xi32>
          %sum = arith.addi %c, %a : i32
          tir.store %sum, %C[%v_i, {place}] : memref<4x3xi32>
        }}
      }}
    }}
  }}
  func.return
}}
"""
    a = np.arange(64, dtype="int32").reshape(4, 16)
    c = np.arange(12, dtype="int32").reshape(4, 3)
    wanted = c + a.sum(axis=1)[:, None]
    said: list[Any] = []
    with diagnostic_handler(said.append):
        kc.build(kc.IRModule.parse(text))(a, c)
    np.testing.assert_array_equal(c, wanted)
    assert said == []


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("axis", ["vthread", "threadIdx.x", None])
def test_lanes_of_threads_that_reduce_together(rows: int, axis: str | None):
    """The result of each thread is where the loops over results in its own say."""
    thread = f'thread "{axis}" ' if axis is not None else ""
    text = f"""
func.func @f(%A: memref<{2 * rows}x8x4xi32>, %C: memref<{2 * rows}xi32> {{kc.role = "out"}}) {{
  tir.for %k in 8 thread "threadIdx.y" {{
    tir.for %l in 4 vectorized {{
      tir.for %t in 2 {thread}{{
        tir.for %r in {rows} {{
          tir.for %u in 1 {{
            tir.block "C" (spatial %v_i in {2 * rows} = %t * {rows} + %r,
                           reduce %v_k in 8 = %k, reduce %v_l in 4 = %l) init {{
              %least = arith.constant -100 : i32
              tir.store %least, %C[%v_i] : memref<{2 * rows}xi32>
            }} do {{
              %a = tir.load %A[%v_i, %v_k, %v_l] : memref<{2 * rows}x8x4xi32>
              %c = tir.load %C[%v_i] : memref<{2 * rows}xi32>
              %most = arith.maxsi %c, %a : i32
              tir.store %most, %C[%v_i] : memref<{2 * rows}xi32>
            }}
          }}
        }}
      }}
    }}
  }}
  func.return
}}
"""
    a = np.random.default_rng(0).integers(-99, 99, (2 * rows, 8, 4)).astype("int32")
    c = np.zeros(2 * rows, "int32")
    kc.build(kc.IRModule.parse(text), target="cuda-emu")(a, c)
    np.testing.assert_array_equal(c, a.max(axis=(1, 2)))


def test_sums_of_differences_and_of_products_have_all_terms():
    """LLVM's code generation loses terms of sums whose vectors become shorter."""
    m, n = 2, 16
    a, b = (te.placeholder((m, n), "uint8", name=name) for name in "AB")
    k = te.reduce_axis((0, n), name="k")
    pair_sum = te.comm_reducer(
        lambda x, y: (x[0] + y[0], x[1] + y[1]), lambda s, t: (te.const(0, s), te.const(0, t))
    )
    sums = te.compute(
        (m,),
        lambda i: pair_sum(
            (
                te.abs(a[i, k].astype("int32") - b[i, k].astype("int32")),
                a[i, k].astype("int32") * 7,
            ),
            axis=k,
        ),
        name="C",
    )
    s = te.create_schedule(sums[0].op)
    s[sums[0]].vectorize(s[sums[0]].op.reduce_axis[0])
    x, y = np.random.default_rng(1).integers(0, 256, (2, m, n)).astype(np.uint8)
    wide_x, wide_y = x.astype(np.int32), y.astype(np.int32)
    expected = [abs(wide_x - wide_y).sum(1), (wide_x * 7).sum(1)]
    for got, wanted in zip(
        results(s, [a, b, *sums], list(sums), [x, y]), expected * 2, strict=True
    ):
        np.testing.assert_array_equal(got, wanted)


# Places of the best terms


def rows_with_ties(dtype: str, n: int) -> np.ndarray:
    """Rows of ``n``: of few values, of equal ones, of the least or the largest alone, and of floats
    with NaN in one place or more, after infinities, and nothing but NaN."""
    generator = np.random.default_rng(n)
    x = generator.integers(0, 5, (12, n)).astype(dtype)
    x[1] = 3
    if np.dtype(dtype).kind == "f":
        x[2], x[3] = -np.inf, np.inf
        x[4, n // 2] = x[4, n - 1] = np.nan
        x[5] = np.nan
        x[6] = -np.inf
        x[6, n - 1] = np.nan
        x[7, 0] = np.nan
        x[8] = np.where(generator.integers(0, 2, n) > 0, 0.0, -0.0)
        x[9] = np.inf
        x[9, [1, n - 2]] = np.nan
    else:
        x[2], x[3] = np.iinfo(dtype).min, np.iinfo(dtype).max
    return x


@pytest.mark.parametrize(
    ("dtype", "n"),
    [
        *(("float32", 640), ("float32", 1000), ("float64", 1000), ("float16", 640)),
        *(("int8", 1000), ("uint32", 1000), ("int64", 640)),
    ],
)
def test_places_are_numpys_in_lanes(dtype: str, n: int):
    """Lanes that begin with their first terms, and a rest of the lanes."""
    a = te.placeholder((12, n), dtype, name="A")
    pairs = [
        (topi.argmax(a, 1, select_last_index=last), np.argmax, last) for last in (False, True)
    ] + [(topi.argmin(a, 1, select_last_index=last), np.argmin, last) for last in (False, True)]
    outputs = [output for output, _, _ in pairs]
    s = te.create_schedule([output.op for output in outputs])
    for output in outputs:
        (reduced,) = output.op.input_tensors[:1]
        s[reduced].vectorize(reduced.op.reduce_axis[0])
    x = rows_with_ties(dtype, n)
    got = results(s, [a, *outputs], outputs, [x])
    for result, (_, place, last) in zip(got, [*pairs, *pairs], strict=True):
        expected = n - 1 - place(x[:, ::-1], axis=1) if last else place(x, axis=1)
        np.testing.assert_array_equal(result, expected)


def a_place(place: Any, order: str, combiner: Any = argmax) -> tuple[Any, list[Any], Any]:
    """The best term of 6 x 640 by a number that ``place`` makes of its two indices, in loops in
    ``order``, the last one vectorized."""
    a = te.placeholder((6, 640), "float32", name="A")
    i, k = te.reduce_axis((0, 6), name="i"), te.reduce_axis((0, 640), name="k")
    index, value = te.compute(
        (1,), lambda _: combiner((place(i.var, k.var), a[i, k]), axis=[i, k]), name="M"
    )
    s = te.create_schedule(index.op)
    ri, rk = index.op.reduce_axis
    loops = {"i": ri, "k": rk}
    s[index].reorder(*(loops[name] for name in order))
    s[index].vectorize(loops[order[-1]])
    return s, [a, index, value], [index, value]


@pytest.mark.parametrize(
    ("place", "order", "grows"),
    [
        (lambda i, k: i * 640 + k, "ik", True),
        (lambda i, k: i * 639 + k, "ik", False),  # two terms have the same place
        (lambda i, k: i * 640 + k, "ki", False),  # later terms are before earlier ones
        (lambda i, k: i * 640 + 639 - k, "ik", False),
        (lambda i, k: (5 - i) * 640 + k, "ik", False),
        (lambda i, k: k, "ik", False),
    ],
)
def test_places_are_compared_unless_they_grow(place: Any, order: str, grows: bool):
    s, args, outputs = a_place(place, order)
    x = np.random.default_rng(0).integers(0, 3, (6, 640)).astype("float32")
    places = np.array([[place(i, k) for k in range(640)] for i in range(6)])
    first = places[x == x.max()].min()
    got = results(s, args, outputs, [x])
    assert [got[0][0], got[2][0]] == [first, first]
    assert [got[1][0], got[3][0]] == [x.max(), x.max()]
    module = kc.lower(s, args)
    for name in ("lower-init-block", "lower-lane-reduction"):
        registry.get_pass(name).apply(registry.context(), module.op)
    assert ("M_first" in str(module)) == grows


def test_a_sum_beside_a_place_has_each_term_once():
    """Lanes begin with their first terms only where these may be met again."""

    def combine(x: Any, y: Any) -> Any:
        takes = te.any(x[1] > y[1], te.all(x[1].equal(y[1]), x[0] < y[0]))
        return te.Select(takes, x[0], y[0]), te.max(x[1], y[1]), x[2] + y[2]

    both = te.comm_reducer(
        combine,
        lambda i, v, t: (te.max_value(i), te.min_value(v), te.const(0, t)),
        name="argmax_and_sum",
    )
    a = te.placeholder((640,), "float32", name="A")
    k = te.reduce_axis((0, 640), name="k")
    outputs = te.compute((1,), lambda _: both((k.var, a[k], a[k]), axis=k), name="M")
    s = te.create_schedule(outputs[0].op)
    s[outputs[0]].vectorize(outputs[0].op.reduce_axis[0])
    x = np.random.default_rng(0).integers(0, 9, 640).astype("float32")
    got = results(s, [a, *outputs], [*outputs], [x])
    assert [float(array[0]) for array in got] == [x.argmax(), x.max(), x.sum()] * 2


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
@pytest.mark.parametrize("target", ["x86-64-v4", "znver4", "x86-64-v3"])
def test_a_place_takes_a_comparison_and_one_of_nan(dtype: str, target: str):
    """No comparison of places, and no masks of several registers."""
    a = te.placeholder((8, 4096), dtype, name="A")
    text = kc.build([a, topi.argmax(a, 1)], f"llvm -mcpu={target}").get_source("asm")
    what = {"float32": r"vcmp\w*ps", "float64": r"vcmp\w*pd", "int32": r"vp\w*(cmp|max)\w*d"}[dtype]
    loop = innermost_loop(text, rf"{what}\s.*%[yz]mm")
    assert not re.search("kunpck|kshift|vpack", loop)
    if dtype != "int32":
        assert not re.search("vpcmp", loop)
        assert len(re.findall(what, loop)) == 8
