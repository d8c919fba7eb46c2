"""Sets whose points are all tried have the first point that isl finds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kc.analysis.affine.isl_sets import first_point
from kc.analysis.affine.small_domains import TOO_LARGE, first_of_few
from kc.analysis.affine.terms import Condition, Term, all_of, any_of, dim, exists, extreme, number

NAMES, HIDDEN = ("a", "b", "c"), ("x", "y")


def bounds(names: tuple[str, ...], size: int) -> list[Condition]:
    return [dim(name).within(size) for name in names]


@st.composite
def terms(draw: st.DrawFn, names: tuple[str, ...]) -> Term:
    total = number(draw(st.integers(-4, 4)))
    for _ in range(draw(st.integers(1, 3))):
        part = dim(draw(st.sampled_from(names)))
        match draw(st.sampled_from(("plain", "quotient", "rest", "smaller"))):
            case "quotient":
                part = (part + dim(draw(st.sampled_from(names)))) // draw(st.integers(2, 4))
            case "rest":
                part = (part * 3 + 1) % draw(st.integers(2, 4))
            case "smaller":
                part = extreme("min", part, dim(draw(st.sampled_from(names))) + 1)
            case _:
                pass
        total = total + part * draw(st.sampled_from((-2, -1, 1, 2)))
    return total


@st.composite
def comparisons(draw: st.DrawFn, names: tuple[str, ...]) -> Condition:
    term = draw(terms(names))
    match draw(st.sampled_from(("least", "equal", "other"))):
        case "least":
            return term >= 0
        case "equal":
            return term.equals(0)
        case _:
            return term.differs(0)


@st.composite
def conditions(draw: st.DrawFn) -> Condition:
    parts = [draw(comparisons(NAMES)) for _ in range(draw(st.integers(0, 2)))]
    if draw(st.booleans()):
        parts.append(any_of([draw(comparisons(NAMES)), draw(comparisons(NAMES))]))
    if draw(st.booleans()):
        inner = [draw(comparisons((*NAMES, *HIDDEN))) for _ in range(draw(st.integers(1, 2)))]
        same = [dim("x").equals(dim("a") + draw(st.integers(-1, 1)))] if draw(st.booleans()) else []
        hidden = exists(HIDDEN, all_of([*bounds(HIDDEN, 3), *same, *inner]))
        parts.append(hidden if draw(st.booleans()) else ~hidden)
    return all_of([*bounds(NAMES, draw(st.integers(1, 4))), *parts])


@given(conditions())
def test_they_are_those_of_isl(condition: Condition):
    assert first_of_few(condition, NAMES) == first_point(condition, NAMES)


def test_sets_that_are_too_large():
    """Dimensions without bounds, and more points than are tried unless one is another."""
    a, b = dim("a"), dim("b")
    assert first_of_few(a >= 2, ["a"]) == TOO_LARGE
    large = [a.within(2048), b.within(2048)]
    differ = (a % 3).differs(b % 3)
    assert first_of_few(all_of([*large, differ]), ["a", "b"]) == TOO_LARGE
    assert first_of_few(all_of([*large, differ, a.equals(b)]), ["a", "b"]) is None
    last = all_of([*large, (a + b).equals(4094), a.equals(b)])
    assert first_of_few(last, ["a", "b"]) == {"a": 2047, "b": 2047}
    # Dimensions that take no part have their first values.
    assert first_of_few(all_of([*large, (b + 1) % 5 > 3]), ["a", "b"]) == {"a": 0, "b": 3}
    assert first_of_few(all_of([*large, exists(["x"], dim("x") > a)]), ["a", "b"]) == TOO_LARGE
