"""The known alignment of a vector's address in the memory of a GPU.

GPU buffers begin at multiples of :data:`DEVICE_ALIGNMENT`; the offset of a vector in its buffer has
the common factors of its indices.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineExpr

from kc.dialects.affine_assembly import linear_terms

DEVICE_ALIGNMENT = 16
"""The alignment of each GPU buffer in bytes: the alignment of the widest vector."""


def divisor(expr: AffineExpr) -> int:
    """The greatest known divisor of all values of an index; 0 for a constant 0."""
    terms, common = linear_terms(expr)
    for atom, factor in terms.items():
        own = 1
        if isinstance(atom, AffineBinaryOpExpr) and atom.kind is AffineBinaryOpKind.Mod:
            own = math.gcd(divisor(atom.lhs), divisor(atom.rhs))
        common = math.gcd(common, factor * own)
    return common


def known_alignment(steps: Iterable[int], size: int) -> int:
    """The known alignment of an address in bytes, at most :data:`DEVICE_ALIGNMENT`.

    ``steps`` has, for each index, a divisor of the number of elements by which the index moves the
    address, or 0 if the index does not move it. An element has ``size`` bytes.
    """
    return math.gcd(DEVICE_ALIGNMENT, *(step * size for step in steps))
