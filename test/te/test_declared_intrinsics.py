"""te.decl_tensor_intrin: intrinsics of statements and C functions, and what is refused."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kc
from kc import te, tir
from kc.analysis.interpreter import run
from kc.error import KCError
from kc.expr.tensor import Tensor

GEMV = """
int gemv_body(float *c, const float *a, const float *b, int m, int l, int stride) {
  for (int i = 0; i < m; i++) {
    c[i] = 0;
    for (int k = 0; k < l; k++) c[i] += a[k] * b[i * stride + k];
  }
  return 0;
}
int gemv_reset(float *c, int m) {
  for (int i = 0; i < m; i++) c[i] = 0;
  return 0;
}
int gemv_update(float *c, const float *a, const float *b, int m, int l, int stride) {
  for (int i = 0; i < m; i++)
    for (int k = 0; k < l; k++) c[i] += a[k] * b[i * stride + k];
  return 0;
}
"""


@pytest.fixture(scope="module")
def gemv_library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """The functions of GEMV, in this process."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("no C compiler")
    folder: Path = tmp_path_factory.mktemp("gemv")
    source, library = folder / "gemv.c", folder / "libgemv.so"
    source.write_text(GEMV)
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
    return ctypes.CDLL(str(library), ctypes.RTLD_GLOBAL)


def gemv(m: int, depth: int, *, strided: bool = True, parts: int = 3, name: str = "gemv") -> Any:
    """``c[i] += a[k] * b[i, k]`` by C functions, as TVM's tutorial declares it."""
    a, b = te.placeholder((depth,), name="a"), te.placeholder((m, depth), name="b")
    k = te.reduce_axis((0, depth), name="k")
    c = te.compute((m,), lambda i: te.sum(a[k] * b[i, k], axis=k), name="c")
    binds = {
        a: tir.decl_buffer(a.shape, a.dtype, name="A", offset_factor=1, strides=[1]),
        c: tir.decl_buffer(c.shape, c.dtype, name="C", offset_factor=1, strides=[1]),
    }
    if strided:
        strides = [te.var("s1"), 1]
        binds[b] = tir.decl_buffer(b.shape, b.dtype, name="B", offset_factor=1, strides=strides)

    def function(ins: Any, outs: Any) -> Any:
        aa, bb = ins
        cc = outs[0]

        def call(symbol: str) -> Any:
            ib = tir.ir_builder.create()
            pointers = cc.access_ptr("w"), aa.access_ptr("r"), bb.access_ptr("r")
            ib.emit(tir.call_extern("int32", symbol, *pointers, m, depth, bb.strides[0]))
            return ib.get()

        reset = tir.call_extern("int32", "gemv_reset", cc.access_ptr("w"), m)
        return (call("gemv_body"), reset, call("gemv_update"))[:parts]

    return te.decl_tensor_intrin(c.op, function, name=name, binds=binds)


def product(n: Any = 12, m: Any = 32, depth: Any = 24) -> tuple[Tensor, Tensor, Tensor, Any]:
    """``C = A B^T``, and its reduction axis."""
    a, b = te.placeholder((n, depth), name="A"), te.placeholder((m, depth), name="B")
    k = te.reduce_axis((0, depth), name="k")
    c = te.compute((n, m), lambda i, j: te.sum(a[i, k] * b[j, k], axis=k), name="C")
    return a, b, c, k


def arrays(n: int = 12, m: int = 32, depth: int = 24) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(5)
    a, b = rng.standard_normal((n, depth)), rng.standard_normal((m, depth))
    return a.astype(np.float32), b.astype(np.float32), np.full((n, m), 77, np.float32)


def calls_of(module: Any) -> list[str]:
    """The calls in a module, with what they do with buffers."""
    return [
        re.sub(r", %\w+(?=[,)])", "", line.split(" : ")[0].split("= ")[-1].strip())
        for line in str(module).split("\n")
        if "tir.call_extern" in line
    ]


def test_a_reduction_by_body_reset_and_update(gemv_library: ctypes.CDLL):
    """The reduction goes on outside of the tile: reset is its init, update the rest."""
    a, b, c, k = product()
    s = te.create_schedule(c.op)
    outer, inner = s[c].split(c.op.axis[1], factor=16)
    ko, ki = s[c].split(k, factor=8)
    s[c].reorder(c.op.axis[0], outer, ko, inner, ki)
    s[c].tensorize(inner, gemv(16, 8))
    module = kc.lower(s, [a, b, c])
    # An update reads what it adds to, whatever its access_ptr says.
    assert calls_of(module) == [
        'tir.call_extern "gemv_reset"(write %C_1)',
        'tir.call_extern "gemv_update"(update %C_2, read %A_1, read %B_1)',
    ]
    assert "memref.extract_strided_metadata" not in str(module)
    x, y, z = arrays()
    kc.build(s, [a, b, c])(x, y, z)
    np.testing.assert_allclose(z, x @ y.T, rtol=1e-4, atol=1e-5)
    again = np.full_like(z, 77)
    run(module.op, "main", [x, y, again])
    np.testing.assert_allclose(again, z, rtol=1e-5)


def test_a_reduction_in_the_tile_by_body(gemv_library: ctypes.CDLL):
    a, b, c, _ = product()
    s = te.create_schedule(c.op)
    outer, inner = s[c].split(c.op.axis[1], factor=16)
    s[c].parallel(c.op.axis[0])
    s[c].tensorize(inner, gemv(16, 24, parts=1))
    module = kc.lower(s, [a, b, c])
    assert calls_of(module) == ['tir.call_extern "gemv_body"(write %C_1, read %A_1, read %B_1)']
    x, y, z = arrays()
    kc.build(s, [a, b, c])(x, y, z)
    np.testing.assert_allclose(z, x @ y.T, rtol=1e-4, atol=1e-5)


def test_rows_at_a_distance_that_the_call_tells(gemv_library: ctypes.CDLL):
    """Of a matrix of symbolic size: the stride is known when the kernel runs."""
    length = te.var("length")
    a, b = te.placeholder((12, 8), name="A"), te.placeholder((32, length), name="B")
    k = te.reduce_axis((0, 8), name="k")
    c = te.compute((12, 32), lambda i, j: te.sum(a[i, k] * b[j, k], axis=k), name="C")
    s = te.create_schedule(c.op)
    outer, inner = s[c].split(c.op.axis[1], factor=16)
    s[c].tensorize(inner, gemv(16, 8))
    module = kc.lower(s, [a, b, c])
    assert "memref.extract_strided_metadata" in str(module)
    x, y, z = arrays(12, 32, 20)
    x = np.ascontiguousarray(x[:, :8])
    kc.build(s, [a, b, c])(x, y, z)
    np.testing.assert_allclose(z, x @ y[:, :8].T, rtol=1e-4, atol=1e-5)
    again = np.full_like(z, 77)
    run(module.op, "main", [x, y, again])
    np.testing.assert_allclose(again, z, rtol=1e-5)


def test_strides_of_one_name_and_of_none(gemv_library: ctypes.CDLL):
    """Only what the statement asks for has to have a name of its own."""
    a, b = te.placeholder((3, 8), name="a"), te.placeholder((4, 8), name="b")
    k = te.reduce_axis((0, 8), name="k")
    c = te.compute((4,), lambda i: te.sum(a[2, k] * b[i, k], axis=k), name="c")
    binds = {
        tensor: tir.decl_buffer(tensor.shape, tensor.dtype, strides=[te.var("s"), 1])
        for tensor in (a, b)
    }

    def function(ins: Any, outs: Any) -> Any:
        ib = tir.ir_builder.create()
        row = ib.allocate("float32", (8,), name="row")
        with ib.for_range(0, 8) as n:
            row[n] = ib.buffer_ptr(ins[0])[2, n]
        pointers = outs[0].access_ptr("w"), row.asobject().access_ptr("r"), ins[1].access_ptr("r")
        ib.emit(tir.call_extern("int32", "gemv_body", *pointers, 4, 8, ins[1].strides[0]))
        return ib.get()

    intrin = te.decl_tensor_intrin(c.op, function, name="third_row", binds=binds)
    x, y = te.placeholder((3, 20), name="X"), te.placeholder((8, 10), name="Y")
    r = te.reduce_axis((0, 8), name="r")
    z = te.compute((8,), lambda i: te.sum(x[2, r] * y[i, r], axis=r), name="Z")
    s = te.create_schedule(z.op)
    outer, inner = s[z].split(z.op.axis[0], factor=4)
    s[z].tensorize(inner, intrin)
    rng = np.random.default_rng(4)
    matrix, two = (rng.standard_normal(n).astype(np.float32) for n in ((3, 20), (8, 10)))
    out = np.full(8, 77, np.float32)
    kc.build(s, [x, y, z])(matrix, two, out)
    np.testing.assert_allclose(out, two[:, :8] @ matrix[2, :8], rtol=1e-4, atol=1e-5)


def test_the_calls_are_there_for_other_machines():
    a, b, c, _ = product()
    s = te.create_schedule(c.op)
    outer, inner = s[c].split(c.op.axis[1], factor=16)
    s[c].tensorize(inner, gemv(16, 24))
    target = "llvm -mtriple=aarch64-linux-gnu -mattr=+neon"
    built = kc.build(s, [a, b, c], target=target)
    assert re.search(r"\bbl\s+gemv_body", built.get_source("asm"))


def dot(features: tuple[str, ...] = ()) -> Any:
    """``c[i] += a[k] * b[i, k]`` of u8 by i8, four by four, as Armv8.2's dot product."""
    a, b = te.placeholder((4,), "uint8", name="a"), te.placeholder((4, 4), "int8", name="b")
    k = te.reduce_axis((0, 4), name="k")
    c = te.compute(
        (4,),
        lambda i: te.sum(a[k].astype("int32") * b[i, k].astype("int32"), axis=k),
        name="c",
    )

    def function(ins: Any, outs: Any) -> Any:
        def lanes(first: bool) -> Any:
            ib = tir.ir_builder.create()
            aa, bb, cc = (ib.buffer_ptr(tensor) for tensor in (*ins, *outs))
            with ib.for_range(0, 4, name="lane") as lane:
                total: Any = te.const(0, "int32") if first else cc[lane]
                for n in range(4):
                    total = total + aa[n].astype("int32") * bb[lane, n].astype("int32")
                cc[lane] = total
            return ib.get()

        def zeros() -> Any:
            ib = tir.ir_builder.create()
            cc = ib.buffer_ptr(outs[0])
            with ib.for_range(0, 4, name="lane") as lane:
                cc[lane] = te.const(0, "int32")
            return ib.get()

        return lanes(first=True), zeros(), lanes(first=False)

    return te.decl_tensor_intrin(c.op, function, name="dot_4x4_declared", features=features)


def test_statements_and_a_schedule_of_loops():
    """The code is loops on elements, which may be laid out in any way; found by its name."""
    intrin = dot()
    a = te.placeholder((8, 12), "uint8", name="A")
    b = te.placeholder((3, 16, 4), "int8", name="B")
    k = te.reduce_axis((0, 12), name="k")
    c = te.compute(
        (8, 16),
        lambda i, j: te.sum(a[i, k].astype("int32") * b[k // 4, j, k % 4].astype("int32"), axis=k),
        name="C",
    )
    sch = tir.Schedule(te.create_prim_func([a, b, c]))
    i, j, k_loop = sch.get_loops("C")
    j_o, j_i = sch.split(j, [None, 4])
    k_o, k_i = sch.split(k_loop, [None, 4])
    sch.reorder(i, j_o, k_o, j_i, k_i)
    sch.tensorize(j_i, intrin.name)
    rng = np.random.default_rng(2)
    x = rng.integers(0, 256, (8, 12)).astype(np.uint8)
    y = rng.integers(-128, 128, (3, 16, 4)).astype(np.int8)
    expected = np.einsum("ikl,kjl->ij", x.reshape(8, 3, 4).astype(int), y.astype(int))
    for call in (kc.build(sch.mod), lambda *args: run(sch.mod.op, "main", list(args))):
        z = np.full((8, 16), 77, np.int32)
        call(x, y, z)
        np.testing.assert_array_equal(z, expected)


def test_an_elementwise_intrinsic():
    """Without a reduction there is a body alone; buffers are made with the given arguments."""
    a, b = te.placeholder((8,), name="a"), te.placeholder((8,), name="b")
    c = te.compute((8,), lambda i: a[i] + b[i], name="c")

    def function(ins: Any, outs: Any) -> Any:
        ib = tir.ir_builder.create()
        aa, bb, cc = (ib.buffer_ptr(tensor) for tensor in (*ins, *outs))
        with ib.for_range(0, 8, name="lane", kind="vectorize") as lane:
            cc[lane] = aa[lane] + bb[lane]
        return ib.get()

    vadd = te.decl_tensor_intrin(
        c.op, function, "vadd8", default_buffer_params={"offset_factor": 1}
    )
    x, y = te.placeholder((5, 16), name="X"), te.placeholder((5, 16), name="Y")
    z = te.compute((5, 16), lambda i, j: x[i, j] + y[i, j], name="Z")
    s = te.create_schedule(z.op)
    _, inner = s[z].split(z.op.axis[1], factor=8)
    s[z].tensorize(inner, vadd)
    first, two = (np.random.default_rng(n).standard_normal((5, 16), np.float32) for n in range(2))
    out = np.empty_like(first)
    built = kc.build(s, [x, y, z])
    built(first, two, out)
    np.testing.assert_array_equal(out, first + two)
    assert "vector<8xf32>" in built.get_source("mlir")


def test_names():
    """A second one of a name gets another name; its object knows it."""
    first, second = gemv(2, 4, name="twice"), gemv(4, 4, name="twice")
    assert (first.name, second.name) == ("twice", "twice_1")
    types = tir.TensorIntrin.get("twice_1").description.function_type.inputs.data
    assert str(types[1]) == "memref<4x4xf32>"


# Refusals ---------------------------------------------------------------------------------------


def refusal(call: Callable[[], Any]) -> str:
    """The text of a refusal, without places."""
    with pytest.raises(KCError) as caught:
        call()
    assert caught.value.location is not None
    assert caught.value.location.file == __file__
    return re.sub(r"\n  -->.*", "", str(caught.value))


def nothing(ins: Any, outs: Any) -> Any:
    raise AssertionError("the function is not called")


def test_what_describes_no_intrinsic():
    a = te.placeholder((4,), name="a")
    assert refusal(lambda: te.decl_tensor_intrin(a.op, nothing, name="f")) == (
        "error[KC2210]: f: PlaceholderOp does not describe a tensor intrinsic\n"
        "  why: the description must be a te.compute of placeholders\n"
        "  try: te.decl_tensor_intrin(c.op, ...)"
    )
    b = te.compute((4,), lambda i: a[i] + 1, name="b")
    c = te.compute((4,), lambda i: b[i] * 2, name="c")
    assert refusal(lambda: te.decl_tensor_intrin(c.op, nothing, name="f")) == (
        "error[KC2210]: f: c reads b, which is also computed\n"
        "  why: the description must be a single compute whose inputs are placeholders\n"
        "  try: write b into the expression of c"
    )


def described() -> tuple[Tensor, Tensor]:
    a = te.placeholder((4,), name="a")
    return a, te.compute((4,), lambda i: a[i] + 1, name="b")


def test_buffers_that_do_not_fit():
    a, b = described()
    stranger = te.placeholder((4,), name="other")
    buffer = tir.decl_buffer((4,), name="A")
    assert refusal(lambda: te.decl_tensor_intrin(b.op, nothing, "f", {stranger: buffer})) == (
        "error[KC2211]: f: binds has other, which is neither an input nor an "
        "output\n  try: the inputs and outputs are a, b"
    )
    wide = tir.decl_buffer((8,), "int32", name="A")
    assert refusal(lambda: te.decl_tensor_intrin(b.op, nothing, "f", {a: wide})) == (
        "error[KC2211]: f: a is bound to a buffer of shape (8,) and type int32\n"
        "  why: a has the shape (4,) and the type float32\n"
        "  try: tir.decl_buffer(a.shape, a.dtype, ...)"
    )


def test_what_the_function_returns():
    _, b = described()
    assert refusal(lambda: te.decl_tensor_intrin(b.op, lambda i, o: (1, 2, 3, 4), "f")) == (
        "error[KC2212]: f: the function returns 4 statements\n"
        "  why: it must return body, or (body, reset, update)"
    )
    assert refusal(lambda: te.decl_tensor_intrin(b.op, lambda i, o: 3, "f")) == (
        "error[KC2164]: f, implementation: the function returns int, which is not a statement\n"
        "  why: it must return a statement that uses the buffers\n"
        "  try: return ib.get() of a tir.ir_builder\n"
        '  try: return tir.call_packed("function", ins[0], outs[0])'
    )
    assert refusal(lambda: gemv(2, 4, parts=2, name="without_update")) == (
        "error[KC3570]: 'without_update' is not a tensor intrinsic\n"
        "  why: it has an init but no update, and a reduction needs both"
    )


def row_times_vector(depth: int, parts: int, name: str) -> Any:
    """``c[0] += x[k] * y[k]`` by loops of its own: body, no reset, and update of ``parts``."""
    x, y = te.placeholder((depth,), name="x"), te.placeholder((depth,), name="y")
    k = te.reduce_axis((0, depth), name="k")
    c = te.compute((1,), lambda i: te.sum(x[k] * y[k], axis=k), name="c")

    def function(ins: Any, outs: Any) -> Any:
        def add(start: bool) -> Any:
            ib = tir.ir_builder.create()
            result, left, right = (ib.buffer_ptr(it) for it in (outs[0], *ins))
            if start:
                result[0] = 0.0
            with ib.for_range(0, depth, name="q") as q:
                result[0] = result[0] + left[q] * right[q]
            return ib.get()

        return (add(True), None, add(False))[:parts]

    return te.decl_tensor_intrin(
        c.op, function, name=name, default_buffer_params={"offset_factor": 1}
    )


def rows_times_vector(intrin: Any, factor: int) -> tuple[list[Any], te.Schedule]:
    """A matrix times a vector, of which ``intrin`` does parts of rows."""
    a, v = te.placeholder((6, 32), name="A"), te.placeholder((32,), name="V")
    k = te.reduce_axis((0, 32), name="k")
    c = te.compute((6,), lambda i: te.sum(a[i, k] * v[k], axis=k), name="C")
    s = te.create_schedule(c.op)
    io, ii = s[c].split(c.op.axis[0], factor=1)
    ko, ki = s[c].split(k, factor=factor)
    s[c].reorder(io, ko, ii, ki)
    s[c].tensorize(ii, intrin)
    return [a, v, c], s


@pytest.mark.parametrize("factor", [8, 32])
def test_an_update_without_a_reset(factor: int):
    args, s = rows_times_vector(row_times_vector(factor, 3, "dot_without_reset"), factor)
    a, v = np.arange(192, dtype=np.float32).reshape(6, 32), np.ones(32, np.float32)
    c = np.full(6, 77, np.float32)
    kc.build(s, args)(a, v, c)
    np.testing.assert_array_equal(c, a.sum(1))


def test_neither_a_reset_nor_an_update():
    args, s = rows_times_vector(row_times_vector(8, 1, "dot_alone"), 8)
    line = args[-1].op.location.line
    assert refusal(lambda: kc.lower(s, args)) == (
        "error[KC3567]: tensorize: dot_alone restarts the reduction of C\n"
        "   |  for i_o in 6:\n"
        "   |    for k_o in 4:\n"
        f"   |      block C_o    <-- here (from {__file__}:{line})\n"
        "   |        init:\n"
        "   |          block C_init\n"
        "   |        for i_i in 1:\n"
        "   |          for k_i in 8:\n"
        "   |            block C\n"
        "  why: the intrinsic initialises each tile, but the reduction continues outside "
        "the tile\n"
        "  try: declare dot_alone with init and update"
    )


def test_a_call_as_an_element():
    intrin = gemv(4, 4, name="called")
    a, b = te.placeholder((4,), name="A"), te.placeholder((4, 4), name="B")
    assert refusal(lambda: te.compute((4,), lambda i: intrin(a, b), name="C")) == (
        "error[KC2214]: a call of called is used as one element\n"
        "  why: it makes a tile of (4,): the last dimension of a compute, whose function takes the "
        "axes of the others, and returns the call\n"
        "  try: te.compute((n, 4), lambda i: called(...))"
    )


def test_what_tensorize_refuses():
    def lowered(intrin: Any, *, split: bool = False) -> str:
        a, b, c, k = product()
        s = te.create_schedule(c.op)
        outer, inner = s[c].split(c.op.axis[1], factor=16)
        if split:
            ko, ki = s[c].split(k, factor=8)
            s[c].reorder(c.op.axis[0], outer, ko, inner, ki)
        s[c].tensorize(inner, intrin)
        return refusal(lambda: kc.lower(s, [a, b, c])).split("\n")[0]

    assert lowered(gemv(8, 24, name="narrow")) == (
        "error[KC3562]: tensorize: block C_o does not match narrow: loop j_i has 16 "
        "iterations, not 8"
    )
    assert lowered(gemv(16, 8, parts=1, name="no_update"), split=True) == (
        "error[KC3567]: tensorize: no_update restarts the reduction of C"
    )
    assert lowered(gemv(16, 8, strided=False, name="dense"), split=True) == (
        "error[KC3564]: tensorize: B does not have the layout that dense needs"
    )


def test_an_eager_schedule_takes_the_intrinsic_itself():
    x = te.placeholder((4,), name="x")
    y = te.compute((4,), lambda i: x[i] * 2.0, name="y")

    def twice(ins: Any, outs: Any) -> Any:
        return outs[0].vstore(0, ins[0].vload(0, "float32x4") * tir.const(2.0, "float32x4"))

    intrin = te.decl_tensor_intrin(y.op, twice, "twice_of_four")
    a = te.placeholder((16,), name="A")
    b = te.compute((16,), lambda i: a[i] * 2.0, name="B")
    sch = tir.Schedule(te.create_prim_func([a, b]))
    (i,) = sch.get_loops("B")
    outer, inner = sch.split(i, [None, 4])
    sch.tensorize(inner, intrin)
    last = sch.trace.as_python().strip().splitlines()[-1]
    assert last == 'sch.tensorize(block_or_loop=i_i, tensor_intrin="twice_of_four")'
    arrays = [np.arange(16, dtype=np.float32), np.zeros(16, np.float32)]
    kc.build(sch.mod)(*arrays)
    np.testing.assert_array_equal(arrays[1], 2 * arrays[0])
    with pytest.raises(KCError) as caught:
        sch.tensorize(outer, 3)
    assert caught.value.message == (
        "tensorize: tensor_intrin is the name of a tensor intrinsic, or what "
        "te.decl_tensor_intrin gives, not 3"
    )
