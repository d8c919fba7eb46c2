"""digits: a loop whose variable is split into two digits becomes two loops.

If a matrix is stored in panels of 32 columns, a product reads ``B[j floordiv 32, k, j mod 32]``.
With two loops, over panels and over the columns of a panel, the same elements are ``B[p, k, c]``:
each loop moves the load by a constant, and the subsequent rules recognize the panel as a tile. The
same applies to elementwise operations that repeat the columns of a row, ``B[i, j mod 63]``
(``topi.tile``), whose vectors would otherwise wrap around from the end of the row to its beginning.

Like other rules, this rule calls a primitive, which checks and rewrites, and has no rewrite
pattern.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineExpr

from kc.analysis.affine.merged_dimensions import groups_of
from kc.dialects.affine_assembly import linear_terms
from kc.dialects.tir import ForOp
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.nests import Access, Nest, is_untouched
from kc.transforms.auto_schedule.rule import Rule
from kc.transforms.trace.handles import BlockRV

NARROWEST = 4
"""The least number of repeated columns for which a row becomes a separate vector loop."""


class Digits(Rule):
    """Split a loop in two if a contiguous load divides the loop's variable by a constant."""

    name = "digits"
    downward = True

    def apply(self, draft: Draft, block: str) -> bool:
        nest = draft.nest(block)
        if not nest.is_plain or not is_untouched(nest.block):
            return False
        if nest.reduction is None and nest.block.is_reduction:
            return False
        lanes = draft.machine.lanes(nest.bits)
        for load in nest.loads:
            for loop, size in _digits(nest, load):
                extent = loop.static_extent
                if extent is None or size >= extent or extent % size:
                    continue
                if size % lanes == 0 if nest.block.is_reduction else size >= NARROWEST:
                    draft.transform_block_layout(
                        draft.block(block), digits_of(len(nest.loops), nest.loops.index(loop), size)
                    )
                    return True
        return False


def digits_of(rank: int, at: int, size: int) -> str:
    """The map of ``rank`` indices that splits index ``at`` into two digits."""
    indices = [f"d{n}" for n in range(rank)]
    digits = [f"d{at} floordiv {size}", f"d{at} mod {size}"]
    return f"({', '.join(indices)})->({', '.join([*indices[:at], *digits, *indices[at + 1 :]])})"


def merging_map(shape: Sequence[int], joined: Iterable[int]) -> str:
    """The map of indices that merges each of the ``joined`` dimensions with the next dimension."""
    names = [f"d{n}" for n in range(len(shape))]
    results = [number_text(names, shape, group) for group in groups_of(len(shape), set(joined))]
    return f"({', '.join(names)})->({', '.join(results)})"


def number_text(names: Sequence[str], sizes: Sequence[int], group: Sequence[int]) -> str:
    """The expression of the number whose digits are variables with ``sizes``."""
    number = names[group[0]]
    for n in group[1:]:
        number = f"({number})" if " " in number else number
        number = f"{number} * {sizes[n]} + {names[n]}"
    return number


def joined_dimensions(nest: Nest, access: Access) -> list[int]:
    """The dimensions whose index forms the digits of one number together with the index of the next
    dimension.
    """
    return [dim for dims, _ in nest.merged_indices(access) for dim in dims[:-1]]


def merge_dimensions(
    draft: Draft, writer: BlockRV, copy: BlockRV, shape: Sequence[int], joined: Iterable[int]
) -> None:
    """Merge each of the ``joined`` dimensions with the next one, both in a buffer of ``shape``,
    which the block ``writer`` writes, and in the loops of the block ``copy``, which traverses the
    whole buffer.
    """
    map_ = merging_map(shape, joined)
    draft.transform_layout(writer, ("write", 0), map_)
    draft.transform_block_layout(copy, map_)


def _digits(nest: Nest, load: Access) -> Iterator[tuple[ForOp, int]]:
    """The loops whose variables are read as ``v mod size`` along the last dimension, and by a
    reduction as ``v floordiv size`` in another dimension, with the sizes.
    """
    if not (indices := nest.indices(load)):
        return
    *outer, last = indices
    quotients = {
        (atom.lhs, atom.rhs) for expr in outer for atom in _atoms(expr, AffineBinaryOpKind.FloorDiv)
    }
    for atom in _atoms(last, AffineBinaryOpKind.Mod):
        loop = nest.loop_of(atom.lhs)
        if (
            loop is not None
            and isinstance(atom.rhs, AffineConstantExpr)
            and ((atom.lhs, atom.rhs) in quotients) is nest.block.is_reduction
        ):
            yield loop, atom.rhs.value


def _atoms(expr: AffineExpr, kind: AffineBinaryOpKind) -> Iterator[AffineBinaryOpExpr]:
    terms, _ = linear_terms(expr)
    for atom in terms:
        if isinstance(atom, AffineBinaryOpExpr) and atom.kind == kind:
            yield atom
