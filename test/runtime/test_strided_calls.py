"""Arguments with declared strides: views are passed as they are, and right or refused."""

import platform
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from guarded_arrays import checked_build
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

import kc
from kc import te, tir
from kc.error import KCError

N, M = te.var("n"), te.var("m")


def strides(tensor: te.Tensor, *given: Any) -> tir.Buffer:
    return tir.decl_buffer(tensor.shape, tensor.dtype, strides=given)


def add_one(vectorized: bool, *, dtype: str = "float32", binds: Any = lambda a, b: {}):
    """B = A + 1 of two dimensions, and what is bound."""
    A = te.placeholder((N, M), dtype, name="A")
    B = te.compute((N, M), lambda i, j: A[i, j] + te.const(1, dtype), name="B")
    s = te.create_schedule(B.op)
    if vectorized:
        _, inner = s[B].split(B.op.axis[1], 4)
        s[B].vectorize(inner)
        s[B].parallel(B.op.axis[0])
    return s, [A, B], binds(A, B)


def any_strides(a: te.Tensor, b: te.Tensor):
    return {
        a: strides(a, te.var("a0"), te.var("a1")),
        b: strides(b, te.var("b0"), te.var("b1")),
    }


def rows(a: te.Tensor, b: te.Tensor):
    return {a: strides(a, te.var("a0"), 1), b: strides(b, te.var("b0"), 1)}


def build(plan: Any, *, checked: bool = False) -> kc.runtime.Module:
    s, args, binds = plan
    return (checked_build if checked else kc.build)(s, args, binds=binds)


@pytest.fixture(scope="module", params=["serial", "vectors", "checked"])
def general(request: pytest.FixtureRequest):
    plan = add_one(request.param != "serial", binds=any_strides)
    return build(plan, checked=request.param == "checked")


SLICES = st.builds(
    slice,
    st.integers(-12, 12) | st.none(),
    st.integers(-12, 12) | st.none(),
    st.sampled_from([None, 1, 2, 3, -1, -2]),
)


@examples(60)
@given(st.data())
def test_views_of_any_kind(general: kc.runtime.Module, data: st.DataObject):
    """Slices with steps, reversed, transposed, empty: what is not in a view stays as it is."""
    base = np.arange(11 * 9, dtype=np.float32).reshape(11, 9)
    view = base[data.draw(SLICES), data.draw(SLICES)]
    if data.draw(st.booleans()):
        view = view.T
    out = np.full((30, 33), -1, np.float32)
    step = data.draw(st.sampled_from([1, 2, -2]))
    begin = 28 if step < 0 else 1
    to = out[begin::step, 2::3] if view.shape[0] <= 14 else out[1:, 2::3]
    if data.draw(st.booleans()) and max(view.shape) <= 10:
        to = out[2::3, 3::3].T
    to = to[: view.shape[0], : view.shape[1]]
    expected = out.copy()
    place = np.ndarray(
        to.shape,
        out.dtype,
        expected,
        to.__array_interface__["data"][0] - out.__array_interface__["data"][0],
        to.strides,
    )
    place[...] = view + 1
    general(view, to)
    assert np.array_equal(out, expected)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "float16", "int64", "float64"])
def test_rows_of_wider_arrays_are_vectors(dtype: str):
    f = build(add_one(True, dtype=dtype, binds=rows))
    assert "<4 x " in f.get_source("ll")
    a = np.arange(7 * 40).reshape(7, 40).astype(dtype)
    out = np.zeros((7, 50), dtype)
    for width in (0, 1, 3, 4, 11, 31):
        out[:] = 0
        f(a[:, 5 : 5 + width], out[:, 3 : 3 + width])
        assert np.array_equal(out[:, 3 : 3 + width], a[:, 5 : 5 + width] + a.dtype.type(1))
        assert not out[:, :3].any()
        assert not out[:, 3 + width :].any()


def test_the_program_is_as_it_is_without_strides():
    s, args, binds = add_one(True, binds=rows)
    plain, declared = (str(kc.lower(s, args, binds=given)) for given in ({}, binds))
    assert (
        declared.replace(', kc.strides = ["a0", 1 : i64]', "").replace(
            ', kc.strides = ["b0", 1 : i64]', ""
        )
        == plain
    )


def test_dense_strides_are_no_declaration():
    s, args, _ = add_one(True)
    a = args[0]
    assert str(kc.lower(s, args, binds={a: strides(a, M, 1)})) == str(kc.lower(s, args))


def test_broadcast_inputs():
    """A stride of 0, as numpy's broadcasting gives."""
    f = build(add_one(True, binds=any_strides))
    out = np.zeros((5, 6), np.float32)
    f(np.broadcast_to(np.arange(6, dtype=np.float32), (5, 6)), out)
    assert np.array_equal(out, np.arange(6, dtype=np.float32) + np.ones((5, 1)))
    f(np.broadcast_to(np.float32(3), (5, 6)), out)
    assert (out == 4).all()


def test_views_in_functions_of_statements():
    a = tir.decl_buffer((N, 4), "float32", name="a", strides=[te.var("s"), 2])
    b = tir.decl_buffer((N,), "float32", name="b")
    ib = tir.ir_builder.create()
    A, B = ib.buffer_ptr(a), ib.buffer_ptr(b)
    with ib.for_range(0, N, name="i") as i:
        B[i] = A[i, 3]
    f = kc.build(tir.PrimFunc([a, b], ib.get()))
    base = np.arange(80, dtype=np.float32).reshape(8, 10)
    out = np.zeros(8, np.float32)
    f(base[:, 1:8:2], out)
    assert np.array_equal(out, base[:, 7])


def test_files_take_views(tmp_path: Path):
    f = build(add_one(True, binds=rows))
    header = f.get_header()
    assert "    int64_t A_dim1,\n    int64_t A_stride0,\n" in header
    assert (
        "A: float32[n][m], read, at a multiple of 4 bytes, neighbours a0 and 1 elements" in header
    )
    a = np.arange(50, dtype=np.float32).reshape(5, 10)
    for name in ("k.o", "k.ll", "k.mlir"):
        f.save(tmp_path / name)
        again = kc.runtime.load_module(tmp_path / name)
        assert again["main"].signature == f["main"].signature
        out = np.zeros((5, 12), np.float32)
        again(a[:, 2:7], out[:, 1:6])
        assert np.array_equal(out[:, 1:6], a[:, 2:7] + 1)
        assert out.sum() == (a[:, 2:7] + 1).sum()


def test_a_copy_of_a_view_is_dense():
    """A schedule that copies an argument may do anything with the copy."""
    s, args, binds = add_one(False, binds=rows)
    sch = tir.Schedule(kc.lower(s, args, binds=binds))
    sch.cache_read("B", "A", "global")
    sch.transform_layout("B", ("read", 0), lambda i, j: (j, i))
    f = kc.build(sch.mod)
    a = np.arange(50, dtype=np.float32).reshape(5, 10)
    out = np.zeros((5, 5), np.float32)
    f(a[:, 2:7], out)
    assert np.array_equal(out, a[:, 2:7] + 1)


def message(call: Any) -> str:
    with pytest.raises(KCError) as caught:
        call()
    return "\n".join(line for line in str(caught.value).split("\n") if not line.startswith("  -->"))


BASE = np.zeros((8, 20), np.float32)
IS_A = "   |  expected: A: float32[n, m] with strides [a0, a1]\n"
IS_B = "   |  expected: B: out float32[n, m] with strides [b0, b1]\n"
NOALIAS = (
    "  why: kernels are compiled with noalias: an array that is written may share no byte with "
    "another argument\n  try: pass np.empty_like(B) as B"
)
RECORDS = np.zeros((8, 2), np.dtype([("k", "u1"), ("x", "f4")]))

REFUSALS = {
    "mixed elements": (
        lambda: (BASE[:, :10], BASE[:, 9:19]),
        "error[KC5114]: main: argument 2 'B' is written and overlaps argument 1 'A'\n"
        "   |  B: numpy.ndarray float32[8, 10] with strides of [80, 4] bytes\n"
        "   |  A: numpy.ndarray float32[8, 10] with strides of [80, 4] bytes\n"
        "   |  their elements are mixed, from byte 0 of B and byte 36 of A\n" + NOALIAS,
    ),
    "the same view": (
        lambda: (BASE[:, ::2], BASE[:, ::2]),
        "error[KC5114]: main: argument 2 'B' is written and overlaps argument 1 'A'\n"
        "   |  B: numpy.ndarray float32[8, 10] with strides of [80, 8] bytes\n"
        "   |  A: numpy.ndarray float32[8, 10] with strides of [80, 8] bytes\n"
        "   |  their elements are mixed, from byte 0 of B and byte 0 of A\n" + NOALIAS,
    ),
    "rows that overlap": (
        lambda: (BASE, np.lib.stride_tricks.as_strided(BASE.copy(), (8, 20), (40, 4))),
        "error[KC5275]: main: argument 2 'B' is written and overlaps itself in dimension 0\n"
        "   |  came: numpy.ndarray float32[8, 20] with strides of [40, 4] bytes\n"
        + IS_B
        + "  why: an element that is stored twice has no definite value\n"
        "  try: pass np.empty(B.shape, np.float32) and copy the result back",
    ),
    "elements that two dimensions share": (
        lambda: (
            np.zeros((2, 2), np.float32),
            np.lib.stride_tricks.as_strided(np.zeros(3, np.float32), (2, 2), (4, 4)),
        ),
        "error[KC5275]: main: argument 2 'B' is written and overlaps itself in dimension 1\n"
        "   |  came: numpy.ndarray float32[2, 2] with strides of [4, 4] bytes\n"
        + IS_B
        + "  why: an element that is stored twice has no definite value\n"
        "  try: pass np.empty(B.shape, np.float32) and copy the result back",
    ),
    "fields of records": (
        lambda: (RECORDS["x"], np.zeros((8, 2), np.float32)),
        "error[KC5273]: main: argument 1 'A' has a stride of 10 bytes in dimension 0, "
        "expected a multiple of 4\n"
        "   |  came: numpy.ndarray float32[8, 2] with strides of [10, 5] bytes\n"
        + IS_A
        + "  why: kernels count strides in elements of 4 bytes\n"
        "  try: pass np.ascontiguousarray(A)",
    ),
    "outputs left out": (
        lambda: (BASE,),
        "error[KC5101]: main: 1 argument given, 2 expected\n"
        "   |  the kernel: main(A: float32[n, m] with strides [a0, a1], "
        "B: out float32[n, m] with strides [b0, b1])\n"
        "  why: outputs can be left out only where they are dense, and B has declared strides",
    ),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_refused(general: kc.runtime.Module, case: str):
    args, text = REFUSALS[case]
    assert message(lambda: general(*args())) == text


@pytest.mark.parametrize(
    ("read", "written"),
    [
        (lambda x: x[:, ::2], lambda x: x[:, 1::2]),
        (lambda x: x[:, :10], lambda x: x[:, 10:]),
        (lambda x: x[::2], lambda x: x[1::2]),
        (lambda x: x[::2, ::-1], lambda x: x[::-2]),
        (lambda x: x[:4, :4].T, lambda x: x[4:, 2:6]),
        (lambda x: x[:, 5:5], lambda x: x[:, 3:3]),
    ],
)
def test_views_that_share_no_element_are_taken(general: Any, read: Any, written: Any):
    """Though the memory from the first to the last element of each is mixed."""
    x = np.arange(160, dtype=np.float32).reshape(8, 20)
    expected = read(x) + 1
    general(read(x), written(x))
    assert np.array_equal(written(x), expected)


def test_variables_of_one_name_are_different():
    n = te.var("n")
    f = build(
        add_one(False, binds=lambda a, b: {a: strides(a, te.var("n"), n), b: strides(b, n, 1)})
    )
    assert str(f["main"].signature) == (
        "main(A: float32[n, m] with strides [n_1, n_2], B: out float32[n, m] with strides [n_2, 1])"
    )


def test_inputs_may_be_the_same_memory():
    A = te.placeholder((N, M), name="A")
    B = te.placeholder((N, M), name="B")
    C = te.compute((N, M), lambda i, j: A[i, j] - B[i, j], name="C")
    s = te.create_schedule(C.op)
    f = kc.build(
        s, [A, B, C], binds={tensor: strides(tensor, te.var(), te.var()) for tensor in (A, B)}
    )
    x = np.arange(16, dtype=np.float32).reshape(4, 4)
    out = np.empty((4, 4), np.float32)
    f(x, x.T, out)
    assert np.array_equal(out, x - x.T)
    f(x[::-1], x, out)
    assert np.array_equal(out, x[::-1] - x)


def test_constant_and_equal_strides():
    s = te.var("s")
    f = build(add_one(False, binds=lambda a, b: {a: strides(a, s, 2), b: strides(b, s, 1)}))
    out = np.zeros((8, 20), np.float32)
    f(BASE[:, ::2], out[:, :10])
    assert (out[:, :10] == 1).all()
    f(BASE[:1, ::2], np.zeros((1, 10), np.float32))  # one row has no neighbour
    f(BASE[:, :1], out[:, :1])
    assert message(lambda: f(BASE[:, :10], out[:, :10])) == (
        "error[KC5274]: main: argument 1 'A' has a stride of 1 element in dimension 1, "
        "expected 2\n"
        "   |  came: numpy.ndarray float32[8, 10] with strides of [80, 4] bytes\n"
        "   |  expected: A: float32[n, m] with strides [s, 2]\n"
        "  why: the kernel is compiled for the declared stride\n"
        "  try: declare it as a variable: strides=[..., te.var('s1'), ...]"
    )
    assert message(lambda: f(BASE[:, ::2], np.zeros((8, 10), np.float32))) == (
        "error[KC5276]: main: argument 2 'B' has a stride of 10 elements in dimension 0, "
        "and s is 20\n"
        "   |  came: numpy.ndarray float32[8, 10]\n"
        "   |  expected: B: out float32[n, m] with strides [s, 1]\n"
        "  why: s is the stride of A in dimension 0 too"
    )


def test_a_size_may_be_a_stride():
    f = build(add_one(False, binds=lambda a, b: {a: strides(a, 1, N)}))
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    out = np.zeros((4, 3), np.float32)
    f(x.T, out)
    assert np.array_equal(out, x.T + 1)
    assert "and n is 4" in message(lambda: f(np.zeros((3, 9), np.float32).T[:4], out))


def test_bad_binds():
    s, args, _ = add_one(False)
    a, b = args
    stranger = te.placeholder((N, M), name="Other")
    hint = "  try: binds={A: tir.decl_buffer(A.shape, A.dtype, strides=[te.var(), 1])}"
    wrong = {
        "binds: A is (n, m) float32, and its buffer (4, 4) float32\n"
        "  why: the buffer says how the argument lies in memory, not what it is": {
            a: tir.decl_buffer((4, 4), "float32", strides=[8, 1])
        },
        "binds: B is (n, m) float32, and its buffer (n, m) int32\n"
        "  why: the buffer says how the argument lies in memory, not what it is": {
            b: tir.decl_buffer((N, M), "int32", strides=[8, 1])
        },
        "binds: Other is not among the arguments\n"
        "  why: an argument is seen as the buffer that it is bound to": {
            stranger: strides(stranger, 8, 1)
        },
        "binds: tuple for Tensor\n  why: a tensor is bound to a buffer of tir.decl_buffer": {
            a: (8, 1)
        },
    }
    for text, binds in wrong.items():
        got = message(lambda binds=binds: kc.lower(s, args, binds=binds))
        assert got == f"error[KC4342]: {text}\n{hint}"
    module = kc.lower(s, args)
    assert message(lambda: kc.build(module, binds={a: strides(a, 8, 1)})) == (
        "error[KC4342]: binds: for IRModule\n"
        "  why: binds applies to the arguments of a te schedule; a function already has buffers"
    )


def test_bad_strides():
    a = te.placeholder((N, M), name="A")
    assert message(lambda: strides(a, 1)) == (
        "error[KC2101]: decl_buffer: buffer with 1 strides for 2 dimensions\n"
        "  why: a stride is the distance of neighbours along a dimension\n"
        "  try: leave strides out: a dense buffer has (m, 1)"
    )
    assert message(lambda: strides(a, N * 2, 1)) == (
        "error[KC2101]: decl_buffer: buffer with the strides (n * 2, 1)\n"
        "  why: a stride must be a number, or a variable that is read from the array at the call\n"
        '  try: te.var("stride"), or a number of elements'
    )


def test_other_layouts_are_refused():
    s, args, binds = add_one(False, binds=rows)
    sch = tir.Schedule(kc.lower(s, args, binds=binds))
    got = message(lambda: sch.transform_layout("B", ("read", 0), lambda i, j: (j, i)))
    assert got.split("\n")[0] == "error[KC4341]: transform_layout: A has declared strides"
    assert got.split("\n")[-1] == (
        "  try: use cache_read or cache_write, and change the layout of the copy of A"
    )


def test_the_c_target_takes_dense_arrays():
    s, args, binds = add_one(False, binds=rows)
    assert message(lambda: kc.build(s, args, "c", binds=binds)) == (
        "error[KC4401]: c: C has no array for memref<?x?xf32, strided<[?, 1]>>\n"
        "  why: arrays are dense, of integers of 8, 16, 32 or 64 bits, float, double"
    )


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="features of x86")
def test_a_feature_that_the_host_lacks():
    """It is named when the function is called, before anything runs; a file may be for another."""
    s, args, _ = add_one(True)
    f = kc.build(s, args, "llvm -mcpu=x86-64 -mattr=+amx-tile,+amx-complex")
    out = np.zeros((2, 2), np.float32)
    got = message(lambda: f(out + 1, out))
    assert got.startswith(
        "error[KC6105]: this machine cannot run code for x86_64-unknown-linux-gnu x86-64 "
        "+amx-tile,+amx-complex\n  why: this machine is "
    )
    assert "which lacks" in got
    assert "amx-complex" in got.split("which lacks")[1]
    assert not out.any()


@pytest.mark.parametrize("checked", [False, True], ids=["plain", "checked"])
@pytest.mark.parametrize("element", ["i1", "i32", "f32", "f16"])
def test_vectors_of_an_intrinsic_are_taken_element_by_element(element: str, checked: bool):
    """A vector is of consecutive elements along the last dimension, however far apart they are."""
    kind = {"i1": "bool", "i32": "int32", "f32": "float32", "f16": "float16"}[element]
    dtype = f'kc.dtype = "{kind}"'
    mod = kc.IRModule.parse(
        f"""
        func.func @f(%A: memref<3x8x{element}> {{kc.strides = ["a0", "a1"], {dtype}}},
                     %B: memref<3x8x{element}> {{kc.strides = ["b0", "b1"], {dtype}}}) {{
          tir.for %i in 3 {{
            %v = tir.load %A[%i, 2] : memref<3x8x{element}>, vector<4x{element}>
            tir.store %v, %B[2 - %i, 3] : memref<3x8x{element}>, vector<4x{element}>
          }}
          func.return
        }}"""
    )
    f = (checked_build if checked else kc.build)(mod)
    a = np.arange(24).reshape(3, 8) % 3
    given = np.zeros((3, 16), kind)[:, ::-2]
    given[:] = a
    around = np.zeros((8, 9), kind)
    f(given, around[:, 1:4].T)
    expected = np.zeros((8, 9), kind)
    expected[3:7, 1:4] = a[::-1, 2:6].T
    assert around.tolist() == expected.tolist()
