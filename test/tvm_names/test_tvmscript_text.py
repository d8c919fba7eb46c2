"""``mod.script(style="tvmscript")``: its words, and that it is read back as the same program."""

# ruff: noqa: E501

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from tvmscript_checks import round_trip

import kc
from kc import te, tir
from kc.analysis.interpreter import run
from kc.error import KCError


def lines(text: str) -> str:
    """The lines of the body of the first function."""
    return "\n".join(line[8:] for line in text.split("\n")[7:]).rstrip()


def test_a_matmul():
    A = te.placeholder((64, 32), name="A")
    B = te.placeholder((32, 16), "uint8", name="B")
    k = te.reduce_axis((0, 32), name="k")
    C = te.compute((64, 16), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
    sch = tir.Schedule(te.create_prim_func([A, B, C]))
    i, j, k_ = sch.get_loops(sch.get_block("C"))
    outer, inner = sch.split(i, [None, 8])
    sch.parallel(outer)
    sch.annotate(inner, "note", ["text", 1, True])
    sch.cache_read(sch.get_block("C"), 1, "local")
    assert (
        round_trip(sch.mod)
        == """\
# from kc.script import ir as I
# from kc.script import tir as T

@I.ir_module
class Module:
    @T.prim_func
    def main(A: T.Buffer((64, 32), "float32"), B: T.Buffer((32, 16), "uint8"), C: T.Buffer((64, 16), "float32")):
        B_local = T.alloc_buffer((32, 16), "int8", scope="local")
        for ax0, ax1 in T.grid(32, 16):
            with T.block("B_local"):
                v0, v1 = T.axis.remap("SS", [ax0, ax1])
                B_local[v0, v1] = T.Cast("int8", B[v0, v1])
        for i_o in T.parallel(8):
            for i_i in T.serial(8, annotations={"note": ["text", 1, True]}):
                for j, k in T.grid(16, 32):
                    with T.block("C"):
                        v_i = T.axis.spatial(64, i_o * 8 + i_i)
                        v_j = T.axis.spatial(16, j)
                        v_k = T.axis.reduce(32, k)
                        with T.init():
                            C[v_i, v_j] = T.float32(0.0)
                        C[v_i, v_j] = C[v_i, v_j] + (A[v_i, v_k] * T.Cast("float32", T.Cast("uint8", B_local[v_k, v_j])))
"""
    )


def test_symbolic_sizes_and_indices_that_are_not_affine():
    n, m = te.var("n"), te.var("m")
    A = te.placeholder((n, m), name="A")
    B = te.compute((n, m), lambda i, j: te.if_then_else(i > 0, te.exp(A[i, j]), 2.0), name="B")
    s = te.create_schedule(B.op)
    outer, inner = s[B].split(s[B].fuse(*B.op.axis), 16)
    s[B].vectorize(inner)
    assert (
        lines(round_trip(kc.lower(s, [A, B])))
        == """\
n = T.int32()
m = T.int32()
A = T.match_buffer(var_A, (n, m), "float32")
B = T.match_buffer(var_B, (n, m), "float32")
index = T.index_op("arith.muli", n, m)
for i_j_fused_o in T.serial((index + 15) // 16):
    for i_j_fused_i in T.vectorized(16):
        i, j = T.delinearize(i_j_fused_o * 16 + i_j_fused_i, n, m)
        with T.block("B"):
            v_i = T.axis.spatial(n, i)
            v_j = T.axis.spatial(m, j)
            T.where(i_j_fused_o * 16 + i_j_fused_i + 1 <= index)
            B[v_i, v_j] = T.if_then_else(v_i > 0, T.exp(A[v_i, v_j]), T.float32(2.0))"""
    )


def test_minima_and_maxima_of_bounds_are_one_operation():
    n = te.var("n")
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i] + 1.0, name="B")
    sch = tir.Schedule(te.create_prim_func([A, B]))
    (loop,) = sch.get_loops(sch.get_block("B"))
    sch.loop_partition(loop, [8, 8, None])
    sizes = lines(round_trip(sch.mod)).split("\n")[3:6]
    assert sizes == [
        "i_0_size = T.index_min(8, n)",
        "i_1_size = T.index_max(T.index_min(8, n - 8), 0)",
        "i_2_size = T.index_max(n - 16, 0)",
    ]
    result = np.zeros(11, "float32")
    run(sch.mod.op, "main", [np.arange(11, dtype="float32"), result])
    np.testing.assert_array_equal(result, np.arange(1, 12))


def test_a_tuple_reduction_has_a_word_of_its_own():
    argmax = te.comm_reducer(
        lambda x, y: (
            te.if_then_else(x[1] >= y[1], x[0], y[0]),
            te.if_then_else(x[1] >= y[1], x[1], y[1]),
        ),
        lambda t0, t1: (te.const(-1, t0), te.min_value(t1)),
        name="argmax",
    )
    A = te.placeholder((8, 8), name="A")
    k = te.reduce_axis((0, 8), name="k")
    where, largest = te.compute((8,), lambda i: argmax((k.var, A[i, k]), axis=k), name="M")
    text = round_trip(te.create_prim_func([A, where, largest]))
    assert '= T.combine("argmax", (' in text
    assert "lambda x0, x1, y0, y1: (T.if_then_else(x1 >= y1, x0, y0)," in text


def test_a_load_keeps_its_place():
    kernel = kc.script.from_source("""
@T.prim_func
def swap(A: T.Buffer((4,), "int32")):
    for i in range(1):
        with T.block("swap"):
            vi = T.axis.opaque(1, i)
            old = A[vi]
            A[vi] = A[vi + 1]
            A[vi + 1] = old
""")
    assert "old = A[v_i]\n" in round_trip(kernel).replace("value", "old").replace("vi", "v_i")
    numbers = np.arange(4, dtype="i4")
    kc.build(kc.script.from_source(kernel.script(style="tvmscript")))(numbers)
    assert numbers.tolist() == [1, 0, 2, 3]


def test_calls_parts_and_attributes():
    kernel = kc.script.from_source("""
@T.prim_func
def f(A: T.Buffer((16, 16), "float32"), x: T.float32, n: T.int32):
    B = T.alloc_buffer((16,), "float32", annotations={"ir:tir.double_buffer": "unit"})
    for i in T.serial(4):
        with T.block("b"):
            vi = T.axis.spatial(4, i)
            P = T.match_buffer(A[vi * 4 : vi * 4 + 4, 0:8], (4, 8))
            T.call_extern("void", "work", P.access_ptr("rw"), x, n)
            y = T.call_extern("float32", "value", vi)
            B[vi] = y + T.call_pure_extern("float32", "cbrtf", x)
            T.evaluate(T.call_packed("test.show", "text", B.access_ptr("r"), y))
""")
    text = round_trip(kernel)
    for part in (
        'P = T.match_buffer(A[vi * 4:(vi * 4) + 4, 0:0 + 8], (4, 8), "float32")',
        'T.call_extern("void", "work", P.access_ptr("rw"), x, n)',
        'T.evaluate(T.call_packed("test.show", "text", B.access_ptr("r"), y))',
        'annotations={"ir:tir.double_buffer": "unit"}',
    ):
        assert part in text, text


# Random programs with blocks in blocks and parts of buffers -------------------------------------

TILES = ((2, 4), (4, 2), (4, 8))


@st.composite
def tiled(draw: Any) -> tuple[str, str]:
    """A program of tiles in TVMScript, with parts of buffers, and the same in kc.script."""
    rows, columns = draw(st.sampled_from(TILES))
    operations = draw(
        st.lists(
            st.sampled_from(["{0} + 1", "{0} * 3", "{0} - vi", "{0} + io * vj", "{1}max({0}, vj)"]),
            min_size=1,
            max_size=3,
        )
    )
    reads = draw(st.sampled_from(["vi, vj", f"vi, {columns - 1} - vj", f"{rows - 1} - vi, vj"]))
    named = draw(st.booleans())
    reduce = draw(st.booleans())

    def value(element: str, prefix: str) -> str:
        for operation in operations:
            element = f"({operation.format(element, prefix)})"
        return element

    row, column = (part.strip() for part in reads.split(","))
    source = f"P[{reads}]"
    direct = f"A[io * {rows} + {row}, jo * {columns} + {column}]"
    target = "Q[vi, vj]" if named else f"B[io * {rows} + vi, jo * {columns} + vj]"
    store = f"B[io * {rows} + vi, jo * {columns} + vj]"
    step = "{0} = {0} + {1}" if reduce else "{0} = {1}"
    views = [
        f"P = T.match_buffer(A[io * {rows} : io * {rows} + {rows}, jo * {columns} : "
        f'jo * {columns} + {columns}], ({rows}, {columns}), "int32")'
    ]
    if named:
        views.append(
            f"Q = T.match_buffer(B[io * {rows} : (io + 1) * {rows}, jo * {columns} : "
            f'(jo + 1) * {columns}], ({rows}, {columns}), "int32")'
        )
    body = "\n".join(f"            {view}" for view in views)
    tvm = f"""
@T.prim_func
def f(A: T.Buffer((8, 8), "int32"), B: T.Buffer((8, 8), "int32")):
    for i0, j0 in T.grid({8 // rows}, {8 // columns}):
        with T.block("outer"):
            io, jo = T.axis.remap("SS", [i0, j0])
{body}
            for i, j, k in T.grid({rows}, {columns}, {3 if reduce else 1}):
                with T.block("inner"):
                    vi, vj, vk = T.axis.remap("SS{"R" if reduce else "S"}", [i, j, k])
                    {step.format(target, value(source, "T."))}
"""
    plain = f"""
def f(A: kc.Buffer((8, 8), "int32"), B: kc.Buffer((8, 8), "int32")):
    for io, jo, vi, vj, k in grid({8 // rows}, {8 // columns}, {rows}, {columns}, {3 if reduce else 1}):
        {step.format(store, value(direct, ""))}
"""
    return tvm, plain


@examples(15)
@given(tiled())
def test_random_tiles_are_what_loops_compute(tmp_path_factory: Any, programs: tuple[str, str]):
    import importlib.util

    tvm, plain = programs
    kernel = kc.script.from_source(tvm)
    path = tmp_path_factory.mktemp("tiles") / "plain.py"
    path.write_text(f"import kc\n{plain}")
    spec = importlib.util.spec_from_file_location("plain", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    loops = kc.script(module.f)
    generator = np.random.default_rng(3)
    source = generator.integers(-9, 9, (8, 8)).astype("i4")
    results = []
    for function in (kernel, loops, kc.script.from_source(round_trip(kernel))):
        result = generator.integers(0, 1, (8, 8)).astype("i4")
        run(function.op, "f", [source, result])
        results.append(result)
    assert (results[0] == results[1]).all()
    assert (results[0] == results[2]).all()


# What cannot be said ------------------------------------------------------------------------------


def test_functions_of_tensors_are_refused():
    module = kc.IRModule.parse(TENSORS)
    with pytest.raises(KCError) as caught:
        module.script(style="tvmscript")
    assert (
        str(caught.value)
        == """\
error[KC4331]: script: te.func has no form in TVMScript
  --> <string>:1:1
  why: TVMScript can show loops, blocks, stores and scalar expressions (tir)
  try: mod.script() prints the IR of every stage"""
    )


TENSORS = """te.func @main(%A: tensor<8xf32>) -> (tensor<8xf32>) {
  te.return %A : tensor<8xf32>
}
"""


def test_strides_and_annotations_of_constants_are_read_back():
    function = kc.script.from_source("""
@T.prim_func
def f(a: T.handle, b: T.handle):
    n, s = T.int32(), T.int32()
    A = T.match_buffer(a, (n, 8), "float32", strides=[s, 1])
    B = T.match_buffer(b, (n, 8), "float32")
    for i in T.serial(n, annotations={"step": T.int32(4)}):
        with T.block(""):
            vi = T.axis.S(n, i)
            T.block_attr({"flag": T.bool(True), "scale": T.float32(0.5)})
            B[vi, 0] = A[vi, 0]
""")
    text = round_trip(function)
    assert "strides=[s, 1]" in text
    assert 'annotations={"step": 4}' in text
    assert 'T.block_attr({"flag": True, "scale": 0.5})' in text
