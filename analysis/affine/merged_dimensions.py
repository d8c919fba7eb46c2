"""Dimensions whose indices are digits of one number, and which can be merged into one dimension.

``A[c, v floordiv 9, v mod 9]`` of a buffer of 40 x 7 x 9 is element ``v`` of row ``c`` of a buffer
of 40 x 63. Fused loops and reshaped arrays have such indices.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineExpr,
)

from kc.analysis.affine.index_values import IndexValues

_DIVISIONS = (AffineBinaryOpKind.FloorDiv, AffineBinaryOpKind.CeilDiv, AffineBinaryOpKind.Mod)


def divisions(expr: AffineExpr) -> int:
    """The number of quotients and remainders by constants in an expression."""
    if not isinstance(expr, AffineBinaryOpExpr):
        return 0
    divides = isinstance(expr.rhs, AffineConstantExpr) and expr.kind in _DIVISIONS
    return divides + divisions(expr.lhs) + divisions(expr.rhs)


def mergeable(exprs: Sequence[AffineExpr], shape: Sequence[int], index: IndexValues) -> set[int]:
    """The dimensions that have fewer divisions in their index if merged with the next one.

    ``exprs`` are the indices over the roots of ``index``, ``shape`` the sizes, with negative
    numbers for symbolic ones.
    """
    joined: set[int] = set()
    groups: list[tuple[tuple[int, ...], AffineExpr]] = [
        ((dim,), expr) for dim, expr in enumerate(exprs)
    ]
    at = 0
    while at < len(groups) - 1:
        (dims, high), (inner, low) = groups[at : at + 2]
        pair = dims + inner
        number = None
        if (before := divisions(high) + divisions(low)) and all(shape[dim] >= 0 for dim in pair):
            number = index.simplify(high * math.prod(shape[dim] for dim in inner) + low)
        if number is None or divisions(number) >= before:
            at += 1
            continue
        # A merged number may itself be a digit of another number.
        joined.add(dims[-1])
        groups[at : at + 2] = [(pair, number)]
        at = max(at - 1, 0)
    return joined


def number_of(exprs: Sequence[AffineExpr], shape: Sequence[int], dims: Sequence[int]) -> AffineExpr:
    """The number whose digits are the indices of ``dims``."""
    number = exprs[dims[0]]
    for dim in dims[1:]:
        number = number * shape[dim] + exprs[dim]
    return number


def groups_of(rank: int, joined: Iterable[int]) -> Iterator[tuple[int, ...]]:
    """All dimensions in groups; each dimension of ``joined`` is in one group with the next
    dimension.
    """
    group: list[int] = []
    for dim in range(rank):
        group.append(dim)
        if dim not in joined:
            yield tuple(group)
            group = []


def merged(
    exprs: Sequence[AffineExpr], shape: Sequence[int], index: IndexValues
) -> list[tuple[tuple[int, ...], AffineExpr]]:
    """The dimensions in groups that are digits of one number, each with its index."""
    if not any(map(divisions, exprs)):
        return [((dim,), expr) for dim, expr in enumerate(exprs)]
    joined = mergeable(exprs, shape, index)
    return [
        (group, index.simplify(number_of(exprs, shape, group)))
        for group in groups_of(len(exprs), joined)
    ]
