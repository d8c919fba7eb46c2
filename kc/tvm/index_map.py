"""``tir.IndexMap`` with the methods that give expressions: TVM's ``initial_indices``,
``final_indices`` and ``non_surjective_inverse``."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir.affine import AffineConstraintExpr, AffineConstraintKind, AffineExpr

from kc.analysis.affine.affine_relations import Box, unreached
from kc.analysis.affine.isl_sets import TOO_LARGE
from kc.analysis.affine.simplify_affine import Bounds, bounds, simplify
from kc.expr.constructors import Expr, Var, binary, compare, const
from kc.expr.indices import from_affine
from kc.expr.tensor import var
from kc.support.diagnostics import ScheduleError
from kc.support.locations import caller_location
from kc.transforms.schedule import _index_map


class IndexMap(_index_map.IndexMap):
    """The map from the index of an element to its index in a layout."""

    @property
    def initial_indices(self) -> list[Var]:
        """The indices, as variables of their names."""
        variables = self.__dict__.get("_variables")
        if variables is None:
            variables = [var(name) for name in self.names]
            self.__dict__["_variables"] = variables
        return list(variables)

    @property
    def final_indices(self) -> list[Expr]:
        """The results, over :attr:`initial_indices`."""
        return [from_affine(expr, self.initial_indices.__getitem__) for expr in self.results]

    def inverse(self, shape: Sequence[int]) -> IndexMap:
        """See :meth:`kc.transforms.schedule._index_map.IndexMap.inverse`."""
        return IndexMap.of(super().inverse(shape))

    def non_surjective_inverse(self, shape: Sequence[int]) -> tuple[IndexMap, Expr]:
        """The inverse of the map on a buffer of ``shape``, and a predicate over its
        ``initial_indices`` that is true for padding: indices to which no element is mapped (TVM).

        Raises ScheduleError KC3500 if the inverse is not a single affine map.
        """
        back = self.inverse(shape)
        sizes = tuple(AffineExpr.constant(int(size)) for size in shape)
        whole = [AffineExpr.constant(size) for size in self.map_shape(shape)]
        pieces = unreached(self.results, Box(sizes), whole)
        if pieces is None:
            raise ScheduleError(
                "KC3500",
                f"non_surjective_inverse: kc cannot determine where {self} leaves gaps",
                location=caller_location(),
                why=str(TOO_LARGE),
                hints=["a map with fewer floor divisions and remainders"],
            )
        indices = back.initial_indices
        padding: Expr = const(False, "bool")
        ranges: list[Bounds] = [(0, size - 1) for size in self.map_shape(shape)]
        for n, conditions in enumerate(pieces):
            part = _all(conditions, indices, ranges)
            padding = part if n == 0 else binary("or", padding, part)
        return back, padding


def _all(
    conditions: Sequence[AffineConstraintExpr], indices: Sequence[Var], ranges: Sequence[Bounds]
) -> Expr:
    """The conjunction of ``conditions``, without the conditions that hold in all of ``ranges``."""
    parts: list[Expr] = []
    for condition in conditions:
        op = "eq" if condition.kind is AffineConstraintKind.eq else "ge"
        expr = simplify(condition.lhs - condition.rhs, ranges)
        low, _ = bounds(expr, ranges)
        if op == "ge" and low is not None and low >= 0:
            continue
        value = from_affine(expr, indices.__getitem__)
        parts.append(compare(op, value, const(0, value.dtype)))
    if not parts:
        return const(True, "bool")
    total = parts[0]
    for part in parts[1:]:
        total = binary("and", total, part)
    return total
