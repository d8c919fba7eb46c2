"""Index maps: every form is read, text round-trips, and what is not affine is refused."""

from __future__ import annotations

import re
from typing import Any

import pytest
from xdsl.dialects.builtin import AffineMapAttr, StringAttr
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineExpr, AffineMap

from kc.support.diagnostics import InputError, ScheduleError
from kc.support.option_types import from_options, to_options
from kc.support.options import Options
from kc.transforms.schedule._index_map import AXIS_SEPARATOR, IndexMap

QUOTIENT = AffineMap(
    2,
    0,
    (
        AffineBinaryOpExpr(
            AffineBinaryOpKind.FloorDiv, AffineExpr.dimension(0), AffineExpr.dimension(1)
        ),
    ),
)
TILED = "(i, j)->(i floordiv 4, j, i mod 4)"


@pytest.mark.parametrize(
    "value",
    [
        TILED,
        "(i,j)->(i floordiv 4,j,i mod 4)",
        "(i, j) -> (i // 4, j, i % 4)",
        "lambda i, j: (i // 4, j, i % 4)",
        "lambda i,j: [i//4, j, i%4]",
        "affine_map<(i, j) -> (i floordiv 4, j, i mod 4)>",
        lambda i, j: [i // 4, j, i % 4],
        lambda i, j: (i // 4, j, i % 4),
        StringAttr(TILED),
        IndexMap.from_option(TILED),
    ],
)
def test_forms(value):
    assert str(IndexMap.of(value)) == TILED


def test_attributes():
    index_map = IndexMap.of(TILED)
    attr = index_map.attr()
    assert isinstance(attr, AffineMapAttr)
    assert str(IndexMap.of(attr)) == "(d0, d1)->(d0 floordiv 4, d1, d0 mod 4)"
    assert IndexMap.of(AffineMap.identity(2)).is_identity
    split = IndexMap.of(lambda i, j: [i, AXIS_SEPARATOR, j])
    assert split.attr() == StringAttr("(i, j)->(i, axis_separator, j)")
    assert IndexMap.of(split.attr()) == split
    assert not split.is_identity


@pytest.mark.parametrize(
    ("function", "text", "values"),
    [
        (lambda i: 7 - i, "(i)->(i * -1 + 7)", {(3,): [4]}),
        (lambda i: i - 7, "(i)->(i - 7)", {(3,): [-4]}),
        (lambda i, j: [2 * i + j - 1], "(i, j)->(i * 2 + j - 1)", {(3, 4): [9]}),
        (lambda i: [(i + 1) // 4 * 2, -i], "(i)->((i + 1) floordiv 4 * 2, i * -1)", None),
        (lambda i: [i // 6 % 2, 0], "(i)->((i floordiv 6) mod 2, 0)", {(13,): [0, 0]}),
        (lambda: [], "()->()", None),
        (
            lambda i, j, k: [i, IndexMap.AXIS_SEPARATOR, j, k],
            "(i, j, k)->(i, axis_separator, j, k)",
            None,
        ),
    ],
)
def test_functions(function, text, values):
    index_map = IndexMap.of(function)
    assert str(index_map) == text
    assert IndexMap.of(text) == index_map
    for at, expected in (values or {}).items():
        assert index_map.map.eval(at, ()) == tuple(expected)


def test_a_function_of_any_number_of_indices():
    index_map = IndexMap.from_func(lambda *i: [*i[1:], i[0]], ndim=3)
    assert str(index_map) == "(i0, i1, i2)->(i1, i2, i0)"
    with pytest.raises(ScheduleError) as caught:
        IndexMap.of(lambda *i: i)
    assert caught.value.code == "KC3500"
    assert caught.value.message == "the index map takes *i"
    assert caught.value.why == "the number of indices must be known"


def test_names_that_text_cannot_have():
    index_map = IndexMap.of(lambda mod, ü: [mod, ü])
    assert str(index_map) == "(i0, i1)->(i0, i1)"


@pytest.mark.parametrize(
    ("value", "message", "why"),
    [
        (lambda i, j: [i * j], "the index map is not affine", "a product of two indices is not"),
        (lambda i, j: [i // j], "the index map is not affine", "a division by an index"),
        (lambda i: [i % 0], "the index map is not affine", "a division by 0: divisors must be at"),
        (lambda i: None, "the index map returns nothing", "it must return a list of indices"),
        (lambda i: [1.5], "the index map returns float 1.5", "results are sums of indices"),
        (lambda i: [True], "the index map returns bool True", "results are sums of indices"),
        (3, "int is not an index map", "it must be a function of indices, or text"),
        ("(i)->(k)", "'(i)->(k)' is not an index map", "unknown index 'k'"),
        (QUOTIENT, "(d0 floordiv d1) is not affine", "results are"),
        (AffineMap(1, 1, ()), "(d0)[s0] -> () has symbols", "an index map has only dimensions"),
    ],
)
def test_refused(value, message, why):
    with pytest.raises(ScheduleError) as caught:
        IndexMap.of(value)
    assert caught.value.code == "KC3500"
    assert caught.value.message == message
    assert caught.value.why is not None
    assert caught.value.why.startswith(why)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "expected '(', got the end"),
        ("(i", "expected ')', got the end"),
        ("(i, i)->(i)", "there are two indices 'i'"),
        ("(i)->i", "expected '(' before the results, got 'i'"),
        ("(i)->(i i)", "expected ')', got 'i'"),
        ("(i)->(i) j", "expected the end, got 'j'"),
        ("(i)->(i * i)", "a product of two indices is not affine"),
        ("(i)->(i floordiv 0)", "a division by 0: divisors must be at least 1"),
        ("(i)->(i / 2)", "unexpected '/'"),
        ("(mod)->(mod)", "expected the name of an index, got 'mod'"),
        ("(i)->(i + )", "expected an index or a number, got ')'"),
        ("lambda i (i)", "expected ':', got '('"),
    ],
)
def test_text_that_is_refused(text, why):
    with pytest.raises(ValueError, match="^" + why.replace("(", r"\(").replace(")", r"\)")):
        IndexMap.from_option(text)


SWIZZLED = "(i, j)->(i, (j floordiv 8 xor i mod 8) * 8 + j mod 8)"


@pytest.mark.parametrize(
    "value",
    [
        SWIZZLED,
        "lambda i, j: (i, (j // 8 ^ i % 8) * 8 + j % 8)",
        lambda i, j: [i, (j // 8 ^ i % 8) * 8 + j % 8],
        StringAttr(SWIZZLED),
    ],
)
def test_forms_with_xor(value):
    index_map = IndexMap.of(value)
    assert index_map.is_swizzle
    assert index_map.attr() == StringAttr(SWIZZLED)
    assert IndexMap.of(index_map.attr()) == index_map


@pytest.mark.parametrize(
    ("function", "text"),
    [
        (lambda i, j: i ^ j % 8, "(i, j)->(i xor j mod 8)"),
        (lambda i, j: j % 16 // 4 ^ i, "(i, j)->((j mod 16) floordiv 4 xor i)"),
        (lambda i, j: (i + 3) % 4 ^ j % 32, "(i, j)->((i + 3) mod 4 xor j mod 32)"),
        (lambda i, j: 5 ^ (i + j), "(i, j)->(i + j xor 5)"),
        (
            lambda i, j: (i % 2 ^ j % 2) ^ (i // 2),
            "(i, j)->(i mod 2 xor j mod 2 xor i floordiv 2)",
        ),
        (lambda i, j: (i ^ j % 4) * 4 - (j ^ 1), "(i, j)->((j xor 1) * -1 + (i xor j mod 4) * 4)"),
        (lambda i, j: i ^ 0, "(i, j)->(i)"),
    ],
)
def test_xor_is_that_of_numbers(function, text):
    index_map = IndexMap.of(function)
    assert str(index_map) == text
    read = IndexMap.of(text)
    for i in (*range(-5, 40), 2**20 + 3):
        for j in range(-3, 70):
            assert index_map.map.eval([i, j], []) == (function(i, j),)
            assert read.map.eval([i, j], []) == (function(i, j),)


def test_option():
    from dataclasses import dataclass

    @dataclass(frozen=True)
    class Taker:
        index_map: IndexMap

    globals()["IndexMap"] = IndexMap
    taker = from_options(Taker, Options.parse("index-map=(i,j)->(i//4, j, i%4)"), "taker")
    assert str(to_options(taker)) == f"index-map={TILED}"
    assert from_options(Taker, Options.parse(str(to_options(taker))), "taker") == taker
    with pytest.raises(InputError) as caught:
        from_options(Taker, Options.parse("index-map=(i)->(k)"), "taker")
    assert caught.value.message == (
        "taker: option 'index-map' takes an index map (unknown index 'k'), not '(i)->(k)'"
    )


def test_indices_by_name():
    """Names after ``*indices`` are the last indices, as in TVM."""
    tiles: Any = lambda *i, n: [*i, n // 4, n % 4]  # noqa: E731
    rows = IndexMap.from_func(tiles, ndim=3, index_dtype="int64")
    assert str(rows) == "(i0, i1, n)->(i0, i1, n floordiv 4, n mod 4)"
    assert rows.map_indices([1, 2, 7]) == [1, 2, 1, 3]
    order: Any = lambda i0, *i, i1, m: [m, i1, *i, i0]  # noqa: E731
    mixed = IndexMap.from_func(order, ndim=5)
    assert len(set(mixed.names)) == 5
    assert mixed.map_indices([1, 2, 3, 4, 5]) == [5, 4, 2, 3, 1]


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        (lambda *i, n: [*i, n], {}, "the index map takes *i"),
        (lambda **i: [], {"ndim": 2}, "the index map takes **i"),
        (3, {}, "int 3 is not an index map"),
        (lambda i: i, {"index_dtype": "float32"}, "index_dtype is 'float32'"),
    ],
)
def test_what_is_no_index_map(function: Any, options: dict[str, Any], message: str):
    with pytest.raises(ScheduleError, match=rf"KC3500\]: {re.escape(message)}"):
        IndexMap.from_func(function, **options)
