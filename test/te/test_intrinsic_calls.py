"""Computes that call tensor intrinsics for tiles of their result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kc
from kc import te, tir
from kc.analysis.interpreter import run
from kc.error import KCError

RANDOM = np.random.default_rng(4)


def vadd(n: int, name: str = "vadd") -> Any:
    """``z[i] = x[i] + y[i]`` in one vector."""
    x, y = te.placeholder((n,), name="x"), te.placeholder((n,), name="y")
    z = te.compute((n,), lambda i: x[i] + y[i], name="z")

    def function(ins: Any, outs: Any) -> Any:
        whole = f"float32x{n}"
        return outs[0].vstore(0, ins[0].vload(0, whole) + ins[1].vload(0, whole))

    return te.decl_tensor_intrin(z.op, function, name, default_buffer_params={"offset_factor": n})


def gemm(m: int, n: int, depth: int, parts: int = 3) -> Any:
    """``z[i, j] += x[i, k] * y[j, k]`` of small matrices, rows of ``z`` as vectors."""
    k = te.reduce_axis((0, depth), name="k")
    x, y = te.placeholder((m, depth), name="x"), te.placeholder((n, depth), name="y")
    z = te.compute((m, n), lambda i, j: te.sum(x[i][k] * y[j][k], axis=k), name="z")

    def function(ins: Any, outs: Any) -> Any:
        def part(role: int) -> Any:
            ib = tir.ir_builder.create()
            c = ib.buffer_ptr(outs[0])
            with ib.for_range(0, m, name="i") as i:
                if role < 2:
                    ib.emit(outs[0].vstore([i, 0], tir.const(0.0, f"float32x{n}")))
                if role != 1:
                    with ib.for_range(0, n, name="j") as j, ib.for_range(0, depth, name="r") as r:
                        c[i, j] = c[i, j] + ins[0][i, r] * ins[1][j, r]
            return ib.get()

        return [part(0), part(1), part(2)][:parts]

    return te.decl_tensor_intrin(z.op, function, "vgemm")


def computed(schedule: te.Schedule, args: list[Any], *arrays: np.ndarray) -> str:
    """The loops of a schedule, which run natively and by the interpreter to the same result."""
    module = kc.lower(schedule, args)
    mine = [array.copy() for array in arrays]
    run(module.op, "main", mine)
    kc.build(schedule, args)(*arrays)
    np.testing.assert_allclose(arrays[-1], mine[-1], rtol=1e-6)
    return str(module)


def random(*shape: int) -> np.ndarray:
    return RANDOM.random(shape).astype("float32")


def vector_sum() -> tuple[Any, Any, Any]:
    A, B = te.placeholder((8, 16), name="A"), te.placeholder((8, 16), name="B")
    add = vadd(8)
    return A, B, te.compute((8, 8), lambda i: add(A[i, 0:8], B[i, 8:]), name="C")


def test_a_tile_of_each_row():
    """Parts with and without ends; the other axes are scheduled as any."""
    A, B, C = vector_sum()
    s = te.create_schedule(C.op)
    outer, _ = s[C].split(C.op.axis[0], factor=4)
    s[C].parallel(outer)
    a, b, c = random(8, 16), random(8, 16), random(8, 8)
    text = computed(s, [A, B, C], a, b, c)
    np.testing.assert_array_equal(c, a[:, :8] + b[:, 8:])
    assert text.count("vector<8xf32>") == 4  # two loads, a sum, a store


def test_a_size_that_the_call_tells():
    m = te.size_var("m")
    A, B = te.placeholder((m // 16, 16), name="A"), te.placeholder((m // 16, 16), name="B")
    add = vadd(16)
    C = te.compute((m // 16, 16), lambda i: add(A[i, 0:16], B[i]), name="C")
    s = te.create_schedule(C.op)
    built = kc.build(s, [A, B, C, m])
    a, b, c = random(5, 16), random(5, 16), random(5, 16)
    built(a, b, c, 80)
    np.testing.assert_array_equal(c, a + b)


def test_parts_that_start_anywhere():
    """The start may be any expression, as long as the length is a number."""
    A, B = te.placeholder((40,), name="A"), te.placeholder((4, 3, 8), name="B")
    add = vadd(8)
    C = te.compute((4, 8), lambda i: add(A[i * 8 + 3 : i * 8 + 11], B[i, i % 3]), name="C")
    a, b, c = random(40), random(4, 3, 8), random(4, 8)
    computed(te.create_schedule(C.op), [A, B, C], a, b, c)
    rows = np.arange(4)
    np.testing.assert_array_equal(c, a[3:35].reshape(4, 8) + b[rows, rows % 3])


def test_tiles_that_are_summed():
    """``reduce_axis``: the first of them starts, the others add to it."""
    product = gemm(4, 6, 5)
    A = te.placeholder((2, 4, 4, 5), name="A")
    B = te.placeholder((3, 4, 6, 5), name="B")
    k = te.reduce_axis((0, 4), name="k")
    C = te.compute(
        (2, 3, 4, 6),
        lambda i, j: product(A[i, k, 0:4, 0:5], B[j, k, 0:6, 0:5], reduce_axis=k),
        name="C",
    )
    assert [axis.name for axis in C.op.axis] == ["i", "j", "i_1", "j_1"]
    assert [axis.name for axis in C.op.reduce_axis] == ["k", "k_1"]
    s = te.create_schedule(C.op)
    s[C].reorder(k, C.op.axis[1])
    a, b, c = random(2, 4, 4, 5), random(3, 4, 6, 5), random(2, 3, 4, 6)
    text = computed(s, [A, B, C], a, b, c)
    np.testing.assert_allclose(c, np.einsum("ikxr,jkyr->ijxy", a, b), rtol=1e-5)
    assert 'tir.block "C_o"' in text
    assert "vector<6xf32>" in text


def test_caches_of_what_is_called():
    """A tile is computed into a cache as well, from what was fetched for it."""
    A, B, C = vector_sum()
    s = te.create_schedule(C.op)
    local = s.cache_write(C, "local")
    s[local].compute_at(s[C], C.op.axis[0])
    fetched = s.cache_read(A, "local", [local])
    s[fetched].compute_at(s[local], s[local].op.axis[0])
    a, b, c = random(8, 16), random(8, 16), random(8, 8)
    text = computed(s, [A, B, C], a, b, c)
    np.testing.assert_array_equal(c, a[:, :8] + b[:, 8:])
    assert 'tir.block "C_local_o"' in text


# What is refused -------------------------------------------------------------------------------

ADD = vadd(4, "add_of_four")
A, B = te.placeholder((16, 8), name="A"), te.placeholder((16, 8), name="B")
D = te.placeholder((8,), "int32", name="D")
K = te.reduce_axis((0, 4), name="k")
N = te.var("n")


def of(function: Callable[..., Any], shape: tuple[int, ...] = (16, 4)) -> Callable[[], Any]:
    return lambda: te.compute(shape, function, name="C")


def no_input(n: int, what: str, name: str = "x") -> str:
    return (
        f"error[KC2223]: add_of_four: argument {n} is {what}\n"
        f"  why: the input is {name}, (4,) of float32\n"
        "  try: A[i, 0:4]"
    )


AS_ELEMENT = (
    "error[KC2214]: a call of add_of_four is used as one element\n"
    "  why: it makes a tile of (4,): the last dimension of a compute, whose function takes the "
    "axes of the others, and returns the call\n"
    "  try: te.compute((n, 4), lambda i: add_of_four(...))"
)

REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "all_axes": (
        of(lambda i, j: ADD(B[i, 0], B[i, j])),
        no_input(0, "a value of float32, not a part of a tensor"),
    ),
    "an_element": (of(lambda i: ADD(A[i, 0:4], B[i, 0:4]) + 1), AS_ELEMENT),
    "several": (of(lambda i: (ADD(A[i, 0:4], B[i, 0:4]), ADD(A[i, 0:4], B[i, 4:]))), AS_ELEMENT),
    "without_a_call": (
        of(lambda i: A[i] + 1),
        "error[KC2010]: A has 2 dimensions, indexed with 1\n  why: A has the shape (16, 8)",
    ),
    "a_slice_without_a_call": (
        of(lambda i: A[i, 0:4] + 1),
        "error[KC2173]: A is indexed with a slice\n"
        "  why: the elements of a tensor are named one by one\n"
        "  try: te.compute makes a tensor of a part: ... A[i, j]\n"
        "  try: fewer indices than dimensions are completed later: A[i][j]\n"
        "  try: a tensor intrinsic takes slices: te.compute((n, 4), lambda i: "
        "vadd(A[i, 0:4], ...))",
    ),
    "other_tiles": (
        of(lambda i: ADD(A[i, 0:4], B[i, 0:4]), (16, 8)),
        "error[KC2221]: compute C: add_of_four makes tiles of (4,), the last dimensions of C are "
        "(8,)\n"
        "  why: a tile must have the shape of the dimensions that the function of the compute "
        "does not take",
    ),
    "fewer_arguments": (
        of(lambda i: ADD(A[i, 0:4])),
        "error[KC2222]: add_of_four is called with 1 argument\n"
        "  why: its inputs are x, (4,) of float32 and y, (4,) of float32",
    ),
    "longer_parts": (
        of(lambda i: ADD(A[i, 0:4], B[i, 1:6])),
        no_input(1, "B[i, 1:6], (5,) of float32", "y"),
    ),
    "unknown_length": (
        of(lambda i: ADD(A[i, 0:N], B[i, 0:4])),
        no_input(0, "A[i, 0:n], (?,) of float32"),
    ),
    "steps": (
        of(lambda i: ADD(A[i, 0:8:2], B[i, 0:4])),
        no_input(0, "A[i, 0:8:2], with steps of 2"),
    ),
    "more_indices": (
        of(lambda i: ADD(A[i, 0, 0:4], B[i, 0:4])),
        no_input(0, "A[i, 0, 0:4], of a tensor of 2 dimensions"),
    ),
    "other_elements": (
        of(lambda i: ADD(D[0:4], B[i, 0:4])),
        no_input(0, "D[0:4], (4,) of int32"),
    ),
    "a_number": (of(lambda i: ADD(3, B[i, 0:4])), no_input(0, "3, not a part of a tensor")),
    "an_index_of_a_float": (
        of(lambda i: ADD(A[i, 0.5:4], B[i, 0:4])),
        "error[KC2011]: A is indexed with a value of type float32\n  why: indices must be integers",
    ),
    "nothing_reduced": (
        of(lambda i: ADD(A[i, 0:4], B[i, 0:4], reduce_axis=K)),
        "error[KC2224]: add_of_four is called with reduce_axis=k, but reduces nothing\n"
        "  why: the intrinsic's own reduction combines the tiles",
    ),
    "no_axis": (
        of(lambda i: ADD(A[i, 0:4], B[i, 0:4], reduce_axis=4)),
        "error[KC2224]: add_of_four is called with reduce_axis=4\n"
        "  why: reduce_axis must be a result of te.reduce_axis; tiles are combined over it\n"
        '  try: k = te.reduce_axis((0, n), name="k")',
    ),
}


def said(program: Callable[[], Any]) -> str:
    with pytest.raises(KCError) as refused:
        program()
    lines = str(refused.value).splitlines()
    assert lines.pop(1).startswith(f"  --> {__file__}:")
    return "\n".join(lines)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_said(name: str):
    program, text = REFUSED[name]
    assert said(program) == text


def test_what_lowering_says_is_said_of_the_call():
    """A part that leaves its tensor; an intrinsic that cannot go on with a reduction."""
    C = te.compute((16, 4), lambda i: ADD(A[i, 6:10], B[i, 0:4]), name="C")
    assert said(lambda: kc.lower(te.create_schedule(C.op), [A, B, C])).startswith(
        "error[KC2030]: C reads outside A: index 8 of dimension 1, which has the size 8\n"
    )
    product = gemm(2, 2, 2, parts=1)
    X, k = te.placeholder((4, 2, 2), name="X"), te.reduce_axis((0, 4), name="k")
    S = te.compute((2, 2), lambda: product(X[k, 0:2, 0:2], X[k, 0:2, 0:2], reduce_axis=k), name="S")
    assert said(lambda: kc.lower(te.create_schedule(S.op), [X, S])).startswith(
        "error[KC3567]: tensorize: vgemm"
    )
