"""Range-based simplification of affine expressions, against enumeration of all points."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineExpr,
)

from kc.analysis.affine.simplify_affine import (
    bounds,
    compose,
    decide,
    simplify,
    simplify_constraint,
    simplify_constraints,
)

d0, d1, d2 = (AffineExpr.dimension(n) for n in range(3))
constant = AffineExpr.constant

ranges_strategy = st.lists(
    st.tuples(st.integers(-9, 9), st.integers(0, 7)).map(lambda pair: (pair[0], pair[0] + pair[1])),
    min_size=3,
    max_size=3,
)


def _binary(children):
    sizes = st.sampled_from([1, 2, 3, 4, 6, 8, 12, 16])
    factors = st.integers(-8, 16)
    return st.one_of(
        st.tuples(children, children).map(lambda pair: pair[0] + pair[1]),
        st.tuples(children, children).map(lambda pair: pair[0] - pair[1]),
        st.tuples(children, factors).map(lambda pair: pair[0] * pair[1]),
        st.tuples(children, sizes).map(lambda pair: pair[0] // pair[1]),
        st.tuples(children, sizes).map(lambda pair: pair[0] % pair[1]),
        st.tuples(children, sizes).map(lambda pair: pair[0].ceil_div(pair[1])),
        # what fusing and splitting makes: x floordiv c * c + x mod c
        st.tuples(children, sizes).map(
            lambda pair: pair[0] // pair[1] * pair[1] + pair[0] % pair[1]
        ),
    )


exprs = st.recursive(
    st.one_of(st.sampled_from([d0, d1, d2]), st.integers(-20, 20).map(constant)),
    _binary,
    max_leaves=8,
)


def points(ranges):
    return itertools.product(*(range(low, high + 1) for low, high in ranges))


def size(expr):
    return sum(isinstance(part, AffineBinaryOpExpr) for part in expr.dfs())


@given(exprs, ranges_strategy)
def test_simplified_is_equal_and_bounded_everywhere(expr, ranges):
    simple = simplify(expr, ranges)
    low, high = bounds(expr, ranges)
    assert low is not None
    assert high is not None
    for point in points(ranges):
        value = expr.eval(point, [])
        assert simple.eval(point, []) == value
        assert low <= value <= high


@given(exprs, ranges_strategy)
def test_unbounded_dimensions_are_not_assumed_to_be_small(expr, ranges):
    simple = simplify(expr, [(0, None)])
    low, high = bounds(expr, [(0, None)])
    for point in points([(0, 9), *ranges[1:]]):
        value = expr.eval(point, [])
        assert simple.eval(point, []) == value
        assert low is None or low <= value
        assert high is None or high >= value


@given(exprs, ranges_strategy)
def test_simplifying_twice_changes_nothing(expr, ranges):
    once = simplify(expr, ranges)
    assert size(simplify(once, ranges)) <= size(once)


@given(exprs, ranges_strategy, st.sampled_from(list(AffineConstraintKind)))
def test_conditions(expr, ranges, kind):
    constraint = AffineConstraintExpr(kind, expr, constant(0))
    holds = {
        AffineConstraintKind.ge: lambda value: value >= 0,
        AffineConstraintKind.le: lambda value: value <= 0,
        AffineConstraintKind.eq: lambda value: value == 0,
    }
    truth = [holds[kind](expr.eval(point, [])) for point in points(ranges)]
    known = decide(constraint, ranges)
    if known is not None:
        assert all(truth) if known else not any(truth)
    simple = simplify_constraint(constraint, ranges)
    for point, expected in zip(points(ranges), truth, strict=True):
        if isinstance(simple, bool):
            assert simple == expected
        else:
            assert holds[simple.kind](simple.lhs.eval(point, [])) == expected


@pytest.mark.parametrize(
    ("expr", "ranges", "expected"),
    [
        ((d0 * 32 + d1) // 32, [(0, None), (0, 31)], "d0"),
        ((d0 * 32 + d1) % 32, [(0, None), (0, 31)], "d1"),
        ((d0 * 32 + d1) // 32, [(0, None), (0, 32)], "d0 + d1 floordiv 32"),
        ((d0 * 32 + d1 + 64) // 32, [(None, None), (0, 31)], "d0 + 2"),
        ((d0 * 8 + d1) // 4, [(0, None), (0, 3)], "d0 * 2"),
        ((d0 * 4 + d1) // 8, [(0, None), (0, 3)], "d0 floordiv 2"),
        ((d0 * 4 + d1) % 8, [(0, None), (0, 3)], "(d0 mod 2) * 4 + d1"),
        (d0 // 4 // 8, [], "d0 floordiv 32"),
        ((d0 // 4 + 3) // 8, [], "(d0 + 12) floordiv 32"),
        (d0 // 2**31 // 2**31, [], f"d0 floordiv {2**62}"),
        (d0 // 2**31 // 2**32, [], f"(d0 floordiv {2**31}) floordiv {2**32}"),
        ((d0 // 64 + 2**62 - 1) // 2**62, [], f"(d0 floordiv 64 + {2**62 - 1}) floordiv {2**62}"),
        (d0 % 32 % 8, [], "d0 mod 8"),
        (d0 // 7 * 7 + d0 % 7, [], "d0"),
        ((d0 // 28) * 28 + (d0 // 4 % 7) * 4 + d0 % 4, [], "d0"),
        # the dimension of a fused loop: the remainder loses its `mod 49`, as 28 divides 49 * 16
        (
            (d0 % 49 * 16 + d1) // 28 * 28 + (d0 % 49 * 16 + d1) % 28,
            [(0, 146), (0, 15)],
            "(d0 mod 49) * 16 + d1",
        ),
        (d0 // 28 * 28 + (d0 + 1) % 28, [(0, 99)], "(d0 floordiv 28) * 28 + (d0 + 1) mod 28"),
        (d0 % 8, [(8, 15)], "d0 - 8"),
        (d0 - d0, [], "0"),
        (d0 + 1, [(4, 4)], "5"),
        ((d0 * 6) // 4, [], "d0 + d0 floordiv 2"),
        (d0.ceil_div(8), [(1, 8)], "1"),
    ],
)
def test_forms(expr, ranges, expected):
    from kc.dialects.affine_assembly import affine_text

    assert affine_text(simplify(expr, ranges), lambda n: f"d{n}") == expected


def test_a_conjunction_loses_what_always_holds_and_repetitions():
    def at_least_zero(expr):
        return AffineConstraintExpr(AffineConstraintKind.ge, expr, constant(0))

    ranges = [(0, 7), (0, None)]
    open_one = at_least_zero(d1 * 4 - d0 * 4 + 3)
    kept = simplify_constraints([at_least_zero(d0), open_one, at_least_zero(d1 - d0)], ranges)
    assert kept is not None
    assert [simplify(constraint.lhs - (d1 - d0), []) for constraint in kept] == [constant(0)]
    assert simplify_constraints([open_one, at_least_zero(d0 - 8)], ranges) is None


@given(
    st.lists(st.integers(2, 60), min_size=2, max_size=4),
    st.lists(st.integers(1, 130), min_size=1, max_size=2),
    st.integers(0, 300),
)
def test_the_digits_of_a_sum_are_that_sum(shape, parts, start):
    """A loop over all of an array, cut in parts, has a digit of its number as each index."""
    total = math.prod(shape)
    number = constant(start)
    ranges = [(0, max(1, total // math.prod(parts)))] + [(0, part - 1) for part in parts]
    for n in range(len(ranges)):
        number = number + AffineExpr.dimension(n) * math.prod(parts[n:])
    whole = AffineExpr.constant(0)
    for n, size in enumerate(shape):
        digit = compose(d0 // math.prod(shape[n + 1 :]), [number], ranges)
        if n:
            digit = compose((d0 // math.prod(shape[n + 1 :])) % size, [number], ranges)
        whole = whole * size + digit
    assert simplify(whole - number, ranges) == constant(0)
