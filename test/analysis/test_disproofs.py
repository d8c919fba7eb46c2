"""Cheap disproofs: what they prove is so; common questions do not need isl."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from property_tests import examples

from kc.analysis.affine import isl_sets
from kc.analysis.affine.disproofs import is_never
from kc.analysis.affine.isl_sets import ask, first_point, set_of
from kc.analysis.affine.terms import (
    ALWAYS,
    NEVER,
    All,
    Any,
    Compare,
    Condition,
    Exists,
    Term,
    all_of,
    any_of,
    dim,
    equal,
    exists,
    extreme,
    lexicographic,
    number,
)

NAMES: tuple[str, ...] = ("a", "b", "c")
BOUND = ("x", "y")
FACTORS = (1, 1, 1, -1, -1, 2, 3, 4, -2, -4, 8)


@st.composite
def terms(draw: st.DrawFn, names: tuple[str, ...] = NAMES, depth: int = 0) -> Term:
    total = number(draw(st.integers(-4, 4)))
    for name in draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True)):
        total += dim(name) * draw(st.sampled_from(FACTORS))
    kind = draw(st.sampled_from(["sum", "sum", "quotient", "extreme"])) if depth < 2 else "sum"
    if kind == "quotient":
        total += draw(terms(names, depth + 1)) // draw(st.sampled_from([2, 3, 4]))
    elif kind == "extreme":
        parts = draw(terms(names, 2)), draw(terms(names, 2))
        total += extreme(draw(st.sampled_from(["min", "max"])), *parts)
    return total


@st.composite
def conditions(draw: st.DrawFn, names: tuple[str, ...] = NAMES, depth: int = 0) -> Condition:
    kinds = ["=", "=", ">=", "<", "!="] + (["any", "all", "absent"] if depth < 2 else [])
    kind = draw(st.sampled_from(kinds))
    if kind in ("any", "all"):
        parts = draw(st.lists(conditions(names, depth + 1), min_size=1, max_size=3))
        return any_of(parts) if kind == "any" else all_of(parts)
    if kind == "absent":
        inner = (*names, *BOUND)
        body = [dim(name).within(draw(st.integers(1, 9))) for name in BOUND]
        body += [draw(terms(inner)).equals(draw(terms(inner)))]
        return ~exists(BOUND, all_of(body))
    lhs, rhs = draw(terms(names)), draw(terms(names))
    return {
        "=": lhs.equals,
        ">=": lhs.__ge__,
        "<": lhs.__lt__,
        "!=": lhs.differs,
    }[kind](rhs)


def holds(condition: Condition, point: dict[str, int]) -> bool:
    """A condition at a point, values of bound dimensions searched where their domain is."""
    if isinstance(condition, Compare):
        value = condition.term.at(point)
        return {"=": value == 0, ">=": value >= 0, "!=": value != 0}[condition.sign]
    if isinstance(condition, All):
        return all(holds(part, point) for part in condition.parts)
    if isinstance(condition, Any):
        return any(holds(part, point) for part in condition.parts)
    assert isinstance(condition, Exists)
    exists = any(
        holds(condition.body, {**point, **dict(zip(condition.dims, values, strict=True))})
        for values in itertools.product(range(9), repeat=len(condition.dims))
    )
    return exists is condition.holds


@pytest.mark.slow
@examples(300)
@given(
    st.lists(conditions(), min_size=1, max_size=4),
    st.lists(st.integers(1, 6), min_size=3, max_size=3),
)
@example([dim("a").equals(dim("b") * 4 + dim("c")), dim("a").differs(dim("b") * 4)], [6, 2, 1])
def test_what_is_refuted_never_holds(parts: list[Condition], sizes: list[int]):
    box = [dim(name).within(size) for name, size in zip(NAMES, sizes, strict=True)]
    question = all_of([*box, *parts])
    if not is_never(question):
        return
    for values in itertools.product(*map(range, sizes)):
        point = dict(zip(NAMES, values, strict=True))
        assert not holds(question, point), point


@examples(100)
@given(st.lists(conditions(), min_size=1, max_size=3))
def test_isl_agrees(parts: list[Condition]):
    """isl reads a condition as it is meant, without bounds, too."""
    question = all_of(parts)
    empty = ask(lambda context: set_of(context, question, NAMES).is_empty())
    assume(isinstance(empty, bool))
    assert empty or not is_never(question)


@examples(100)
@given(conditions())
def test_negation(condition: Condition):
    for values in itertools.product(range(-2, 3), repeat=3):
        point = dict(zip(NAMES, values, strict=True))
        assert holds(~condition, point) is not holds(condition, point)


@examples(200)
@given(terms(), st.integers(1, 5), st.lists(st.integers(-9, 9), min_size=3, max_size=3))
def test_arithmetic_of_terms(term: Term, divisor: int, values: list[int]):
    point = dict(zip(NAMES, values, strict=True))
    value = term.at(point)
    assert (term // divisor).at(point) == value // divisor
    assert (term % divisor).at(point) == value % divisor
    assert (3 - term * -2).at(point) == 3 + value * 2
    replaced = term.where({"a": dim("b") * 2 - 1})
    assert replaced.at(point) == term.at({**point, "a": point["b"] * 2 - 1})


def split(outer: str, inner: str, factor: int) -> Term:
    return dim(outer) * factor + dim(inner)


def tiles(**sizes: int) -> list[Condition]:
    return [dim(name).within(size) for name, size in sizes.items()]


S, T = split("so", "si", 10), split("to", "ti", 10)
BOTH = tiles(so=3, si=10, to=3, ti=10)
COVER = [dim("e").within(30), dim("e").equals(S), *BOTH[:2]]
FUSED = tiles(f=30, g=30)
PARTS = [dim("f") // 10, dim("f") % 10], [dim("g") // 10, dim("g") % 10]

DISPROVED: dict[str, list[Condition]] = {
    "tiles do not meet": [*BOTH, S.equals(T), dim("so") < dim("to")],
    "nor do equal strides": [*BOTH, equal([S * 4], [T * 4])[0], dim("si").differs(dim("ti"))],
    "even and odd": [(dim("a") * 2).equals(dim("b") * 2 + 1)],
    "the order of tiles": [
        *BOTH,
        S.equals(T),
        lexicographic([dim("so"), dim("si")], [dim("to"), dim("ti")]),
    ],
    "a tile is in its domain": [*BOTH[:2], any_of([S < 0, S >= 30])],
    "a guarded tail": [*tiles(o=4, i=32), split("o", "i", 32) < 100, split("o", "i", 32) >= 100],
    "digits tell a number": [*FUSED, *equal(*PARTS), dim("f").differs(dim("g"))],
    "a box is covered by tiles": [
        dim("e").within(30),
        ~exists(["to", "ti"], all_of([*BOTH[2:], dim("e").equals(T)])),
    ],
    "tiles are covered by tiles": [
        *COVER,
        ~exists(["to", "ti"], all_of([*BOTH[2:], dim("e").equals(T)])),
    ],
    "a window is covered by the box around it": [
        *tiles(y=30, k=3),
        dim("e").equals(dim("y") + dim("k")),
        ~exists(
            ["p"],
            all_of(
                [
                    dim("p").within(32),
                    dim("p") >= dim("y"),
                    dim("p") < dim("y") + 3,
                    dim("e").equals(dim("p")),
                ]
            ),
        ),
    ],
    "a part in a block": [
        *tiles(o=4, p=4),
        dim("v") >= dim("o") * 8,
        dim("v") < dim("o") * 8 + 8,
        dim("v") >= dim("p") * 8,
        dim("v") < dim("p") * 8 + 8,
        dim("o").differs(dim("p")),
    ],
    "a bound is a value": [
        *tiles(y=10),
        ~exists(["p"], all_of([dim("p").within(13), dim("p") >= dim("y") + 1])),
    ],
    "the smaller one is not larger": [extreme("min", dim("a"), dim("b")) > dim("b")],
}


@pytest.mark.parametrize("name", DISPROVED)
def test_common_questions(name: str, monkeypatch: pytest.MonkeyPatch):
    """The questions of schedules are answered without isl."""
    question = all_of(DISPROVED[name])
    names = sorted(set(question.names()))
    assert ask(lambda context: set_of(context, question, names).is_empty()) is True
    monkeypatch.setattr(isl_sets, "ask", _unasked)
    assert first_point(question, names) is None


def _unasked(question: Callable[..., object]) -> object:
    raise AssertionError(f"isl was asked {question}")


def test_answers_are_remembered(monkeypatch: pytest.MonkeyPatch):
    question = all_of([dim("a") >= 3, dim("a") < 7, (dim("a") % 3).equals(2)])
    point = first_point(question, ["a"])
    assert isinstance(point, dict)
    assert point == {"a": 5}
    point["a"] = 8  # the caller's own
    monkeypatch.setattr(isl_sets, "ask", _unasked)
    assert first_point(question, ["a"]) == {"a": 5}


def test_trivial_conditions():
    assert all_of([]) == ALWAYS
    assert any_of([]) == NEVER
    assert ~ALWAYS == NEVER
    assert dim("a").equals(dim("a")) == ALWAYS
    assert (dim("a") * 2 < dim("a") * 2) == NEVER
    assert first_point(NEVER, ["a"]) is None
    assert not is_never(ALWAYS)
