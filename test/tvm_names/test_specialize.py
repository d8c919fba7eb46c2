"""``PrimFunc.specialize``: values for sizes and scalars make the function that is written with
them."""

# pyright: basic, reportGeneralTypeIssues=false, reportUndefinedVariable=false
# pyright: reportInvalidTypeForm=false, reportIndexIssue=false, reportOperatorIssue=false
# pyright: reportAttributeAccessIssue=false, reportCallIssue=false, reportArgumentType=false

from typing import Any

import pytest

import kc
from kc import te, tir
from kc.script import tir as T


@T.prim_func
def scaled(a: T.handle, b: T.handle, n: T.int32, f: T.float32):
    m = T.int32()
    A = T.match_buffer(a, (m, n), "float32")
    B = T.match_buffer(b, (m, n * 4), "float32")
    for i, j in T.grid(m, n):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj * 4] = A[vi, vj] * f + T.Cast("float32", n)


@T.prim_func
def of_numbers(A: T.Buffer((8, 16), "float32"), B: T.Buffer((8, 64), "float32"), f: T.float32):
    for i, j in T.grid(8, 16):
        with T.block("B"):
            vi, vj = T.axis.remap("SS", [i, j])
            B[vi, vj * 4] = A[vi, vj] * f + T.Cast("float32", T.int32(16))


def test_a_buffer_says_sizes():
    marked = scaled.with_attr("tir.kind", "test")
    special = marked.specialize({marked.params[1]: tir.decl_buffer((8, 64))})
    assert [param.name for param in special.params] == ["A", "B", "f"]
    assert special.attrs["tir.kind"] == "test"
    kc.ir.assert_structural_equal(special.without_attr("tir.kind"), _named(of_numbers))
    _, _, n, f = scaled.params
    half = scaled.specialize({n: 16, f: 0.5})
    assert [param.name for param in half.params] == ["A", "B"]
    assert half.buffer_map[half.params[1]].shape[1] == 64


def _named(function: Any) -> Any:
    return function.with_attr("global_symbol", "scaled")


def test_a_size_by_another_one():
    _, _, n, _ = scaled.params
    x = te.var("x")
    special = scaled.specialize({n: x * 8})
    assert "dimension 1 of A is x * 8" in special.script("tvmscript")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            lambda a, b, n, f: {a: 3},
            "error[KC2134]: specialize: scaled: A, (m, n) float32, is given 3\n"
            "  why: the value must be a buffer of the same rank and type\n"
            '  try: tir.decl_buffer((128, 128), "float32")',
        ),
        (
            lambda a, b, n, f: {b: tir.decl_buffer((8, 63))},
            "error[KC2134]: specialize: scaled: B, (m, n * 4), is given (8, 63)\n"
            "  why: constant sizes cannot change, and a symbolic size has one value",
        ),
        (
            lambda a, b, n, f: {te.var("q"): 3},
            "error[KC2134]: specialize: scaled: q is not one of its parameters\n"
            "  why: the parameters are A, B, n, f\n"
            "  try: each key must be one of f.params",
        ),
        (
            lambda a, b, n, f: {a: tir.decl_buffer((8, 8)), n: 9},
            "error[KC2134]: specialize: scaled: n is given 8 and 9\n  why: a size has one value",
        ),
        (
            lambda a, b, n, f: {f: 2},
            "error[KC2134]: specialize: scaled: f, float32, is given 2\n"
            "  why: the value of a scalar must be a number",
        ),
    ],
)
def test_refusals(values: Any, message: str):
    with pytest.raises(kc.KCError) as caught:
        scaled.specialize(values(*scaled.params))
    lines = str(caught.value).split("\n")
    assert "\n".join(line for line in lines if "-->" not in line and "^" not in line) == message


def test_maps_that_leave_gaps():
    index_map = tir.IndexMap.from_func(lambda i: [i // 4, i % 4])
    assert str(index_map.final_indices) == "[i // 4, i % 4]"
    back, padding = index_map.non_surjective_inverse([14])
    assert str(back) == "(x0, x1)->(x0 * 4 + x1)"
    assert str(padding) == "((x0 * 4) + x1) - 14 >= 0"
    back, padding = index_map.non_surjective_inverse([16])
    assert (str(back), str(padding)) == ("(x0, x1)->(x0 * 4 + x1)", "0")


def test_gaps_that_are_too_hard_to_find(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("kc.tvm.index_map.unreached", lambda *_: None)
    index_map = tir.IndexMap.from_func(lambda i: [i // 4, i % 4])
    with pytest.raises(kc.KCError) as caught:
        index_map.non_surjective_inverse([14])
    lines = str(caught.value).split("\n")
    assert "\n".join(line for line in lines if "-->" not in line) == (
        "error[KC3500]: non_surjective_inverse: kc cannot determine where "
        "(i)->(i floordiv 4, i mod 4) leaves gaps\n"
        "  why: the question is too large to decide exactly\n"
        "  try: a map with fewer floor divisions and remainders"
    )
