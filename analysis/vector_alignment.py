"""What the address of a vector in the memory of a GPU is known to be a multiple of.

Memory of a GPU begins at multiples of :data:`DEVICE_ALIGNMENT`, and where a vector is follows from
the factors of its indices.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineExpr

from kc.dialects.affine_assembly import linear_terms

DEVICE_ALIGNMENT = 16
"""Of each buffer of a GPU, in bytes: its widest vector."""


def divisor(expr: AffineExpr) -> int:
    """What all values of an index are multiples of; 0 for one that is always 0."""
    terms, common = linear_terms(expr)
    for atom, factor in terms.items():
        own = 1
        if isinstance(atom, AffineBinaryOpExpr) and atom.kind is AffineBinaryOpKind.Mod:
            own = math.gcd(divisor(atom.lhs), divisor(atom.rhs))
        common = math.gcd(common, factor * own)
    return common


def known_alignment(steps: Iterable[int], size: int) -> int:
    """What an address is a multiple of, in bytes, at most :data:`DEVICE_ALIGNMENT`.

    ``steps`` are the numbers of elements that each index moves it by multiples of, 0 where it does
    not move; an element has ``size`` bytes.
    """
    return math.gcd(DEVICE_ALIGNMENT, *(step * size for step in steps))
