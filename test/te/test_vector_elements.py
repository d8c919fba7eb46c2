"""Elements that are vectors: ``float32x4``; arrays have a dimension more, of the lanes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kc
from kc import te, tir
from kc.analysis.interpreter import run
from kc.error import TEError


def execute(s: te.Schedule, args: list[Any], *arrays: np.ndarray, target: str = "llvm") -> Any:
    """The result of the kernel for inputs, which the interpreter must give as well."""
    out = args[-1]
    sizes = dict(zip([dim for dim in args[0].shape], arrays[0].shape, strict=False))
    shape = tuple(sizes.get(dim, dim) for dim in out.shape)
    count = int(out.dtype.rpartition("x")[2])
    result = np.zeros((*shape, count), out.dtype.rpartition("x")[0])
    again = np.zeros_like(result)
    kc.build(s, args, target)(*arrays, result)
    run(kc.lower(s, args).op, "main", [*arrays, again])
    np.testing.assert_allclose(result, again, rtol=1e-6)
    return result


def uniform(*shape: int) -> np.ndarray:
    return np.random.default_rng(len(shape)).uniform(-2, 2, shape).astype(np.float32)


@pytest.mark.parametrize("target", ["llvm", "c"])
def test_elementwise_with_scalars_and_ramps(target: str) -> None:
    n = te.var("n")
    A = te.placeholder((n,), "float32x4", "A")
    B = te.placeholder((n,), "float32", "B")
    C = te.compute(
        (n,),
        lambda i: A[i] * B[i] + tir.Ramp(i, 2, 4).astype("float32x4") - tir.Broadcast(1, 4),
        "C",
    )
    assert (A.shape, A.dtype, C.dtype) == ((n,), "float32x4", "float32x4")
    a, b = uniform(10, 4), uniform(10)
    result = execute(te.create_schedule(C.op), [A, B, C], a, b, target=target)
    expected = a * b[:, None] + np.arange(10)[:, None] + 2 * np.arange(4) - 1
    np.testing.assert_allclose(result, expected, rtol=1e-5)


def test_the_loop_over_lanes() -> None:
    A = te.placeholder((10,), "float32x4", "A")
    C = te.compute((10,), lambda i: te.exp(A[i]), "C")
    text = str(kc.lower(te.create_schedule(C.op), [A, C]))
    assert "%A: memref<10x4xf32>" in text
    assert "tir.for %lane in 4 vectorized" in text


FUNCTIONS: dict[str, tuple[Callable[..., Any], Callable[..., np.ndarray]]] = {
    "select": (lambda a, b: te.Select(a > b, a, 0.0), lambda a, b: np.where(a > b, a, 0)),
    "select by a scalar": (
        lambda a, b: te.Select(te.const(1) > 0, a, b),
        lambda a, b: a,
    ),
    "select of scalars": (
        lambda a, b: te.Select(a > b, 1.0, 0.0),
        lambda a, b: (a > b).astype(np.float32),
    ),
    "conditions": (
        lambda a, b: ((a > 0) & ~(b > 0)).astype("float32x4"),
        lambda a, b: ((a > 0) & ~(b > 0)).astype(np.float32),
    ),
    "abs, min and neg": (
        lambda a, b: te.abs(a) - te.min(-b, 1),
        lambda a, b: np.abs(a) - np.minimum(-b, 1),
    ),  # fmt: skip
    "integers": (
        lambda a, b: ((a * 100).astype("int32x4") // 7 % 5 << 2).astype("float32x4"),
        lambda a, b: ((a * np.float32(100)).astype(np.int32) // 7 % 5 << 2).astype(np.float32),
    ),
    "bits": (
        lambda a, b: te.reinterpret("float32", te.reinterpret("int32", a) ^ 1),
        lambda a, b: (a.view(np.int32) ^ 1).view(np.float32),
    ),
    "equality": (
        lambda a, b: (a == a).astype("float32x4") + te.isnan(a).astype("float32x4"),
        lambda a, b: np.ones_like(a),
    ),
    "a limit": (lambda a, b: te.max(a, te.min_value("float32x4")), lambda a, b: a),
    "a narrow type": (
        lambda a, b: a.astype("float16x4").astype("float32x4"),
        lambda a, b: a.astype(np.float16).astype(np.float32),
    ),
}


@pytest.mark.parametrize("case", FUNCTIONS)
def test_functions(case: str) -> None:
    function, reference = FUNCTIONS[case]
    A, B = (te.placeholder((6,), "float32x4", name) for name in "AB")
    C = te.compute((6,), lambda i: function(A[i], B[i]), "C")
    a, b = uniform(6, 4), uniform(4, 6).T.copy()
    result = execute(te.create_schedule(C.op), [A, B, C], a, b)
    np.testing.assert_allclose(result, reference(a, b), rtol=1e-6)


SCHEDULES: dict[str, Callable[[te.Schedule, Any, Any, Any], None]] = {
    "none": lambda s, X, Y, k: None,
    "split": lambda s, X, Y, k: s[Y].reorder(*s[Y].split(k, 3)[::-1], Y.op.axis[0]),
    "vectorize": lambda s, X, Y, k: s[Y].vectorize(s[Y].split(Y.op.axis[0], 4)[1]),
    "parallel": lambda s, X, Y, k: s[Y].parallel(Y.op.axis[0]),
    "cache_read": lambda s, X, Y, k: s[s.cache_read(X, "local", [Y])].compute_at(s[Y], k),
    "unroll": lambda s, X, Y, k: s[Y].unroll(k),
}


@pytest.mark.parametrize("case", SCHEDULES)
def test_reductions_and_schedules(case: str) -> None:
    n = te.var("n")
    X = te.placeholder((n, 9), "int8x16", "X")
    k = te.reduce_axis((0, 9), "k")
    Y = te.compute((n,), lambda i: te.sum(X[i, k].astype("int32x16"), axis=k), "Y")
    Z = te.compute((n,), lambda i: te.max(Y[i], 0), "Z")
    s = te.create_schedule(Z.op)
    SCHEDULES[case](s, X, Y, k)
    x = np.random.default_rng(0).integers(-50, 50, (7, 9, 16)).astype(np.int8)
    result = execute(s, [X, Z], x)
    assert (result == np.maximum(x.astype(np.int32).sum(1), 0)).all()


@pytest.mark.parametrize("primitive", ["rfactor", "cache_write", "compute_at", "compute_inline"])
def test_stages(primitive: str) -> None:
    X = te.placeholder((8, 12), "float32x4", "X")
    W = te.compute((8, 12), lambda i, j: X[i, j] * 2, "W")
    k = te.reduce_axis((0, 12), "k")
    Y = te.compute((8,), lambda i: te.sum(W[i, k], axis=k), "Y")
    s = te.create_schedule(Y.op)
    if primitive == "rfactor":
        s.rfactor(Y, s[Y].split(k, 4)[1])
    elif primitive == "cache_write":
        s[s.cache_write(Y, "local")].compute_at(s[Y], s[Y].split(Y.op.axis[0], 2)[0])
    elif primitive == "compute_at":
        s[W].compute_at(s[Y], Y.op.axis[0])
    else:
        s[W].compute_inline()
    x = uniform(8, 12, 4)
    np.testing.assert_allclose(execute(s, [X, Y], x), 2 * x.sum(1), rtol=1e-4, atol=1e-5)


def test_a_reducer_of_tuples() -> None:
    argmax = te.comm_reducer(
        lambda x, y: (te.Select(x[1] >= y[1], x[0], y[0]), te.max(x[1], y[1])),
        lambda i, v: (te.const(-1, i), te.min_value(v)),
        "argmax",
    )
    X = te.placeholder((5, 12), "float32x4", "X")
    k = te.reduce_axis((0, 12), "k")
    I, V = te.compute((5,), lambda i: argmax((tir.Broadcast(k, 4), X[i, k]), axis=k), "I")  # noqa: E741
    x, index, value = uniform(5, 12, 4), np.zeros((5, 4), np.int32), np.zeros((5, 4), np.float32)
    kc.build(te.create_schedule(I.op), [X, I, V], "llvm")(x, index, value)
    assert (index == x.argmax(1)).all()
    assert (value == x.max(1)).all()


A = te.placeholder((8,), "float32x4", "A")
W = te.placeholder((8,), "float32x8", "W")
S = te.placeholder((8,), "float32", "S")
REFUSED: dict[str, tuple[Callable[[], Any], str, str, list[str]]] = {
    "lanes of operands": (
        lambda: A[0] + W[0],
        "KC2243: float32x4 and float32x8 in one operation",
        "vectors are combined lane by lane, so they must have the same number of lanes",
        [],
    ),
    "a conversion": (
        lambda: A[0].astype("int32"),
        "KC2243: astype: float32x4 to int32",
        "a conversion must keep the number of lanes",
        ['astype("int32x4")'],
    ),
    "a lazy condition": (
        lambda: te.if_then_else(A[0] > 0, A[0], 0.0),
        "KC2243: the condition of if_then_else has 4 lanes",
        "its lanes may differ, but only one branch is taken",
        ["te.Select(condition, a, b) chooses lane by lane"],
    ),
    "values of one compute": (
        lambda: te.compute((8,), lambda i: (A[i], S[i]), "C"),
        "KC2243: the values of compute C have 4 and 1 lanes",
        "they are computed in one loop nest, lane by lane",
        [],
    ),
    "one lane": (
        lambda: te.placeholder((8,), "float32x1"),
        "KC2241: the type float32x1 has 1 lane",
        "a vector must have 2 to 256 lanes",
        [],
    ),
    "many lanes": (
        lambda: tir.Broadcast(1.0, 1000),
        "KC2241: the type float32x1000 has 1000 lanes",
        "a vector must have 2 to 256 lanes",
        [],
    ),
    "a scalar argument": (
        lambda: te.var("x", "float32x4"),
        "KC2242: float32x4 is a vector type, but a scalar type is expected here",
        "elements of te.placeholder and of te.compute may be vectors",
        ['"float32", with a dimension of 4 more'],
    ),
    "a vector of vectors": (
        lambda: tir.Broadcast(A[0], 2),
        "KC2242: float32x4 is a vector type, but a scalar type is expected here",
        "elements of te.placeholder and of te.compute may be vectors",
        ['"float32", with a dimension of 4 more'],
    ),
    "a gradient": (
        lambda: te.gradient(te.compute((8,), lambda i: A[i] * 2, "C"), [A]),
        "KC2242: te.gradient: C has elements of type float32x4",
        "only te.placeholder, te.compute and reductions support vectors",
        ['"float32", with a dimension of 4 more'],
    ),
    "an extern": (
        lambda: te.extern((8,), [A], lambda ins, outs: None, name="E", dtype="float32"),
        "KC2242: extern E: A has elements of type float32x4",
        "only te.placeholder, te.compute and reductions support vectors",
        ['"float32", with a dimension of 4 more'],
    ),
    "an index": (
        lambda: S[tir.Ramp(0, 1, 4)],
        "KC2011: S is indexed with a value of type int32x4",
        "indices must be integers",
        [],
    ),
    "a ramp of floats": (
        lambda: tir.Ramp(0.0, 1.0, 4),
        "KC2006: Ramp of float32 values",
        "a ramp must consist of integers",
        [],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    act, title, why, hints = REFUSED[case]
    with pytest.raises(TEError) as caught:
        act()
    error = caught.value
    assert f"{error.code}: {error.message}" == title
    assert error.why == why
    assert list(error.hints) == hints


@pytest.mark.parametrize("dtype", ["int4", "int1", "uint4", "float8", "float4_e2m1fn", "int24"])
def test_types_that_there_are_not(dtype: str) -> None:
    with pytest.raises(TEError) as caught:
        te.placeholder((8,), dtype)
    assert (caught.value.code, caught.value.message) == (
        "KC2001",
        f"unknown element type '{dtype}'",
    )
