"""Facts about affine maps on boxes, against enumeration."""

from __future__ import annotations

import itertools
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.ir.affine import AffineConstraintKind, AffineExpr

from kc.analysis.affine import affine_relations
from kc.analysis.affine.affine_relations import (
    Box,
    Collision,
    collision,
    extent,
    hull,
    inverse,
    missed,
    outside,
    unreached,
    with_remainders,
)
from kc.analysis.trust import Undecided

D = [AffineExpr.dimension(n) for n in range(6)]


def const(*values: int) -> tuple[AffineExpr, ...]:
    return tuple(AffineExpr.constant(value) for value in values)


def random_map(random: Random) -> tuple[list[int], list[AffineExpr]]:
    """A box and a map of splits, fusions, permutations, and now and then something odd."""
    sizes = [random.randint(1, 7) for _ in range(random.randint(1, 3))]
    exprs = [(D[n], size) for n, size in enumerate(sizes)]
    for _ in range(random.randint(0, 3)):
        n = random.randrange(len(exprs))
        expr, size = exprs[n]
        kind = random.choice(("split", "split", "fuse", "swap", "reverse", "stretch", "drop"))
        if kind == "split":
            by = random.randint(1, 4)
            exprs[n : n + 1] = [(expr // by, -(-size // by)), (expr % by, by)]
        elif kind == "fuse" and n + 1 < len(exprs):
            inner, width = exprs[n + 1]
            exprs[n : n + 2] = [(expr * width + inner, size * width)]
        elif kind == "swap":
            random.shuffle(exprs)
        elif kind == "reverse":
            exprs[n] = (AffineExpr.constant(size - 1) - expr, size)
        elif kind == "stretch" and random.random() < 0.3:
            exprs[n] = (expr * 2 + 1, size * 2)
        elif kind == "drop" and random.random() < 0.3:
            exprs[n] = (expr // 2, -(-size // 2))
    return sizes, [expr for expr, _ in exprs]


@given(seed=st.integers(0, 2**32))
def test_against_enumeration(seed: int):
    sizes, exprs = random_map(Random(seed))
    box = Box(const(*sizes))
    points = list(itertools.product(*map(range, sizes)))
    image = [tuple(expr.eval(point, ()) for expr in exprs) for point in points]
    clash = collision(exprs, box)
    if len(set(image)) < len(image):
        assert isinstance(clash, Collision)
        assert clash.first != clash.second
        assert image[points.index(clash.first)] == image[points.index(clash.second)] == clash.place
    else:
        assert clash is None
        back = inverse(exprs, box)
        assert back is not None
        for point, place in zip(points, image, strict=True):
            assert tuple(expr.eval(place, ()) for expr in back) == point
    tops = [extent(expr, box) for expr in exprs]
    assert [top.eval((), ()) for top in tops] == [
        max(column) + 1 for column in zip(*image, strict=True)
    ]
    assert outside(exprs, box, tops) is None
    shape = [top.eval((), ()) for top in tops]
    rest = set(itertools.product(*map(range, shape))) - set(image)
    hole = missed(exprs, box, tops)
    assert hole == ((min(rest), ()) if rest else None)
    pieces = unreached(exprs, box, tops)
    assert pieces is not None
    seen: list[tuple[int, ...]] = []
    for piece in pieces:
        ranges = hull(piece, tops, 0)
        here = [point for point in itertools.product(*map(range, shape)) if _holds(piece, point)]
        assert [(min(column), max(column)) for column in zip(*here, strict=True)] == ranges
        seen += here
    assert len(seen) == len(set(seen))  # the pieces are disjoint
    assert set(seen) == rest


def _holds(conditions, point) -> bool:
    return all(
        constraint.lhs.eval(point, ()) == 0
        if constraint.kind is AffineConstraintKind.eq
        else constraint.lhs.eval(point, ()) >= 0
        for constraint in conditions
    )


@given(seed=st.integers(0, 2**32))
def test_extents_of_sums_of_digits(seed: int):
    """Quotients and remainders of the same dimension are not the largest at the same place."""
    random = Random(seed)
    sizes = [random.randint(1, 9) for _ in range(2)]
    expr = AffineExpr.constant(random.randint(0, 3))
    for _ in range(random.randint(1, 3)):
        digit, by = random.choice(D[:2]), random.randint(1, 5)
        digit = random.choice((digit, digit // by, digit % by, digit.ceil_div(by)))
        expr = expr + digit * random.randint(-3, 3)
    largest = max(expr.eval(point, ()) for point in itertools.product(*map(range, sizes)))
    assert extent(expr, Box(const(*sizes))) == AffineExpr.constant(largest + 1)


@pytest.mark.parametrize("n", range(10))
def test_symbolic_split(n: int):
    box = Box((D[0],), 1)
    exprs = [D[0] // 4, D[0] % 4]
    assert collision(exprs, box) is None
    sizes = [extent(expr, box) for expr in exprs]
    assert [str(size) for size in sizes] == ["(d0 ceildiv 4)", "4"]
    assert outside(exprs, box, sizes) is None
    back = inverse(exprs, box)
    assert back is not None
    assert [expr.eval((i // 4, i % 4, n), ()) for expr in back for i in range(n)] == list(range(n))
    pieces = unreached(exprs, box, sizes)
    assert pieces is not None
    missed = [
        (a, b)
        for a in range(-(-n // 4))
        for b in range(4)
        if any(_holds(piece, (a, b, n)) for piece in pieces)
    ]
    assert missed == [(a, b) for a in range(-(-n // 4)) for b in range(4) if a * 4 + b >= n]


def test_symbolic_collision_tells_the_size():
    clash = collision([D[0] // 2], Box((D[0],), 1))
    assert isinstance(clash, Collision)
    assert (clash.first, clash.second, clash.parameters) == ((0,), (1,), (2,))


def test_a_function_of_the_results():
    box = Box(const(6, 4))
    assert collision([D[0]], box, retained=[D[0] // 2]) is None
    assert isinstance(collision([D[0] // 2], box, retained=[D[0]]), Collision)


def test_negative_places():
    assert outside([D[0] - 1], Box(const(3))) == ((0,), ())
    assert outside([D[0]], Box(const(3))) is None


def test_remainders():
    assert str(with_remainders(D[0] - (D[0] // 8) * 8)) == "(d0 mod 8)"
    shifted = (D[0] + 1) - ((D[0] + 1) // 3) * 3 + D[1]
    assert with_remainders(shifted).eval((7, 5), ()) == 8 % 3 + 5


@pytest.mark.parametrize("n", range(5))
def test_a_size_of_nothing_is_not_negative(n: int):
    """The largest of 2 d is 2 n - 2, and there is none for n = 0."""
    size = extent(D[0] * 2, Box((D[0],), 1)).eval((n,), ())
    assert size >= max(2 * n - 1, 0)


def test_a_question_that_is_too_large_has_no_answer(monkeypatch: pytest.MonkeyPatch):
    undecided = Undecided("too large")
    monkeypatch.setattr(affine_relations, "first_point", lambda *question: undecided)
    box = Box(const(4))
    assert collision([D[0]], box) is undecided
    assert outside([D[0]], box, const(4)) is undecided
    assert missed([D[0]], box, const(4)) is undecided
