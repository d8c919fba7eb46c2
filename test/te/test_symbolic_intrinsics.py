"""Tensor intrinsics of symbolic size, and with scalars: each use gives them values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kc
from kc import te, tir
from kc.analysis.interpreter import run
from kc.error import KCError
from kc.support.global_functions import remove_global_func
from kc.tir.symbolic_intrin import SymbolicIntrin

rng = np.random.default_rng(5)


def floats(*shape: int) -> Any:
    return rng.random(shape, dtype="f4")


def sums(name: str) -> SymbolicIntrin:
    """``z[i] = x[i] + y[i]`` of any size, by a loop."""
    n = te.var("n")
    x, y = te.placeholder((n,), name="x"), te.placeholder((n,), name="y")
    z = te.compute((n,), lambda i: x[i] + y[i], name="z")

    def loop(ins: Any, outs: Any) -> Any:
        ib = tir.ir_builder.create()
        with ib.for_range(0, n, "i") as i:
            ib.buffer_ptr(outs[0])[i] = ib.buffer_ptr(ins[0])[i] + ib.buffer_ptr(ins[1])[i]
        return ib.get()

    return te.decl_tensor_intrin(z.op, loop, name=name, default_buffer_params={"offset_factor": 1})


def test_loops_give_the_size():
    intrin = sums("sum_of_any_size")
    assert isinstance(intrin, SymbolicIntrin)
    assert intrin.buffers[0].shape == intrin.inputs[0].shape
    A, B = te.placeholder((24,), name="A"), te.placeholder((24,), name="B")
    C = te.compute((24,), lambda i: A[i] + B[i], name="C")
    a, b = floats(24), floats(24)
    for size in (4, 8, 4):
        s = te.create_schedule(C.op)
        _, inner = s[C].split(C.op.axis[0], size)
        s[C].tensorize(inner, intrin)
        module, c = kc.lower(s, [A, B, C]), np.zeros(24, "f4")
        assert f"tir.for %i in {size} " in str(module)
        run(module.op, "main", [a, b, c])
        np.testing.assert_array_equal(c, a + b)
    assert len(intrin.declared) == 2


def test_a_call_gives_the_size():
    intrin = sums("sum_in_a_call")
    A, B = te.placeholder((3, 8), name="A"), te.placeholder((3, 8), name="B")
    C = te.compute((3, 8), lambda i: intrin(A[i, 0:8], B[i, 0:8]), name="C")
    a, b, c = floats(3, 8), floats(3, 8), floats(3, 8)
    run(kc.lower(te.create_schedule(C.op), [A, B, C]).op, "main", [a, b, c])
    np.testing.assert_array_equal(c, a + b)


def test_a_reduction_with_rows_any_distance_apart():
    m, n, distance = te.var("m"), te.var("n"), te.var("distance")
    x, w = te.placeholder((n,), name="x"), te.placeholder((m, n), name="w")
    k = te.reduce_axis((0, n), name="k")
    y = te.compute((m,), lambda i: te.sum(x[k] * w[i, k], axis=k), name="y")

    def gemv(ins: Any, outs: Any) -> Any:
        def statements(zero: bool, add: bool) -> Any:
            ib = tir.ir_builder.create()
            out, vector, rows = map(ib.buffer_ptr, (outs[0], *ins))
            with ib.for_range(0, m, "i") as i:
                if zero:
                    out[i] = 0.0
                if add:
                    with ib.for_range(0, n, "k") as j:
                        out[i] = out[i] + vector[j] * rows[i, j]
            return ib.get()

        return statements(True, True), statements(True, False), statements(False, True)

    rows = tir.decl_buffer((m, n), "float32", "W", strides=[distance, 1])
    intrin = te.decl_tensor_intrin(y.op, gemv, name="gemv_of_any_size", binds={w: rows})
    A, B = te.placeholder((4, 16), name="A"), te.placeholder((8, 16), name="B")
    r = te.reduce_axis((0, 16), name="r")
    C = te.compute((4, 8), lambda i, j: te.sum(A[i, r] * B[j, r], axis=r), name="C")
    s = te.create_schedule(C.op)
    i, j = C.op.axis
    jo, ji = s[C].split(j, 4)
    ro, ri = s[C].split(r, 8)
    s[C].reorder(i, jo, ro, ji, ri)
    s[C].tensorize(ji, intrin)
    a, b, c = floats(4, 16), floats(8, 16), floats(4, 8)
    run(kc.lower(s, [A, B, C]).op, "main", [a, b, c])
    np.testing.assert_allclose(c, a @ b.T, rtol=1e-5)


def scaled(name: str) -> SymbolicIntrin:
    """``z[i] = x[i] * v + w`` by a packed function that is given v and w."""
    n, v, w = te.var("n"), te.size_var("v"), te.size_var("w")
    x = te.placeholder((n,), "int32", name="x")
    z = te.compute((n,), lambda i: x[i] * v + w, name="z")
    return te.decl_tensor_intrin(
        z.op,
        lambda ins, outs, scalars: tir.call_packed("test.scaled", ins[0], outs[0], *scalars),
        name=name,
        scalar_params=[v, w],
    )


def test_scalars_are_arguments_of_a_call():
    intrin = scaled("scaled_by_numbers")
    assert [scalar.name for scalar in intrin.scalar_params] == ["v", "w"]
    A = te.placeholder((2, 8), "int32", name="A")
    C = te.compute((2, 8), lambda i: intrin(3, A[i, 0:8], 5), name="C")
    given = []

    def scale(source: Any, target: Any, factor: int, more: int) -> None:
        given.append((factor, more))
        target.copyfrom(source.numpy() * factor + more)

    kc.register_func("test.scaled", scale, override=True)
    a, c = np.arange(16, dtype="i4").reshape(2, 8), np.zeros((2, 8), "i4")
    try:
        kc.build(te.create_schedule(C.op), [A, C])(a, c)
    finally:
        remove_global_func("test.scaled")
    assert (c == a * 3 + 5).all()
    assert given == [(3, 5), (3, 5)]


def test_scalars_that_differ_from_tile_to_tile():
    intrin = scaled("scaled_by_expressions")
    n = te.var("n")
    A = te.placeholder((4, 8), "int32", name="A")
    B = te.placeholder((4,), "int32", name="B")
    C = te.compute((4, 8), lambda i: intrin(i * i + B[i], A[i, 0:8], n), name="C")
    assert [tensor.shape for tensor in C.op.input_tensors] == [(4, 8), (4, 1), (1,)]
    given = []

    def scale(source: Any, target: Any, factor: int, more: int) -> None:
        given.append((factor, more))
        target.copyfrom(source.numpy() * factor + more)

    kc.register_func("test.scaled", scale, override=True)
    a, b, c = np.arange(32, dtype="i4").reshape(4, 8), np.array([5, 6, 7, 8], "i4"), None
    try:
        c = kc.build(te.create_schedule(C.op), [n, A, B, C])(3, a, b)
    finally:
        remove_global_func("test.scaled")
    assert (np.asarray(c) == a * np.array([[5], [7], [11], [17]]) + 3).all()
    assert given == [(5, 3), (7, 3), (11, 3), (17, 3)]


def refusal(make: Any) -> str:
    with pytest.raises(KCError) as caught:
        make()
    lines = str(caught.value).split("\n")
    return "\n".join(line for line in lines if "-->" not in line)


def test_what_has_no_value():
    intrin = scaled("scaled_by_what")
    A = te.placeholder((2, 8), "int32", name="A")
    assert refusal(lambda: te.compute((2, 8), lambda i: intrin(A[i, 0:8]))) == (
        "error[KC2213]: scaled_by_what is called with 0 scalars\n"
        "  why: its scalar parameters are v, w"
    )
    C = te.compute((2, 8), lambda i, j: A[i, j] * 3 + 5, name="C")
    s = te.create_schedule(C.op)
    assert refusal(lambda: s[C].tensorize(C.op.axis[1], intrin)) == (
        "error[KC2213]: scaled_by_what: the size or scalar v has no value here\n"
        "  why: sizes come from loops of constant extents, or from the parts of tensors of a "
        "call; scalars are arguments of a call\n"
        "  try: split the axis by a number\n"
        "  try: scaled_by_what(2, A[i, 0:16])"
    )


def test_a_scalar_that_differs_and_is_not_described():
    x, v = te.placeholder((8,), "int32", name="x"), te.var("v")
    z = te.compute((8,), lambda i: x[i] + 1, name="z")
    intrin = te.decl_tensor_intrin(
        z.op,
        lambda ins, outs, scalars: tir.call_packed("test.add", ins[0], outs[0], *scalars),
        name="added_by_what",
        scalar_params=[v],
    )
    A = te.placeholder((2, 8), "int32", name="A")
    assert refusal(lambda: te.compute((2, 8), lambda i: intrin(i + 1, A[i, 0:8]))) == (
        "error[KC2213]: added_by_what is called with the scalar i + 1\n"
        "  why: v differs from tile to tile, and the description of added_by_what does not "
        "use it\n"
        "  try: a constant\n"
        "  try: use v in the description"
    )
