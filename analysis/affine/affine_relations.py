"""Exact facts about affine maps on boxes: collisions, inverses, unreached points, maxima.

A box is ``0 <= d_k < sizes[k]``. Sizes are affine expressions over parameters (symbolic sizes, at
least 0): dimension ``n`` of a size is parameter ``n``. isl decides. If it exceeds its budget, the
answer is None or a reason, never a guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
)

from kc.analysis.affine.isl_sets import ask, first_point, map_of, set_of
from kc.analysis.affine.terms import (
    Condition,
    Term,
    all_of,
    any_of,
    condition_of,
    dim,
    equal,
    exists,
    term_of,
)
from kc.analysis.trust import Undecided
from kc.dialects.affine_assembly import ZERO, from_terms, linear_terms


@dataclass(frozen=True)
class Box:
    """The points ``0 <= d_k < sizes[k]``. The sizes are expressions over ``parameters``
    parameters.
    """

    sizes: tuple[AffineExpr, ...]
    parameters: int = 0

    def holds(self, point: Sequence[Term]) -> Condition:
        """The condition that ``point`` is in the box."""
        parts = [term >= 0 for term in self.parameter_terms]
        for index, size in zip(point, self.sizes, strict=True):
            parts.append(index.within(term_of(size, self.parameter_terms.__getitem__)))
        return all_of(parts)

    @property
    def names(self) -> list[str]:
        """The names of the parameters in isl."""
        return [f"p{n}" for n in range(self.parameters)]

    @property
    def parameter_terms(self) -> list[Term]:
        """The parameters as terms."""
        return list(map(dim, self.names))

    def as_set(self, context: Any) -> Any:
        """The box as an isl set."""
        names = _names("x", len(self.sizes))
        return set_of(context, self.holds(list(map(dim, names))), names, self.names)

    def mapped(self, context: Any, exprs: Sequence[AffineExpr]) -> Any:
        """``exprs`` over the box as an isl map."""
        names = _names("x", len(self.sizes))
        point = list(map(dim, names))
        return map_of(context, _at(exprs, point), self.holds(point), names, self.names)


@dataclass(frozen=True)
class Collision:
    """Two points of a box with the same image under a map, and the values of the parameters."""

    first: tuple[int, ...]
    second: tuple[int, ...]
    place: tuple[int, ...]
    parameters: tuple[int, ...]


def collision(
    exprs: Sequence[AffineExpr], box: Box, retained: Sequence[AffineExpr] | None = None
) -> Collision | Undecided | None:
    """Two points of ``box`` with equal ``exprs``; None if no two points have equal values, a reason
    if undecided.

    With ``retained``, the two points must differ in these expressions. No collision then means that
    ``retained`` is a function of ``exprs``.
    """
    rank = len(box.sizes)
    first, second = _names("x", rank), _names("y", rank)
    at_first, at_second = list(map(dim, first)), list(map(dim, second))
    lhs = at_first if retained is None else _at(retained, at_first)
    rhs = at_second if retained is None else _at(retained, at_second)
    apart = [x.differs(y) for x, y in zip(lhs, rhs, strict=True)]
    same = equal(_at(exprs, at_first), _at(exprs, at_second))
    clash = all_of([box.holds(at_first), box.holds(at_second), *same, any_of(apart)])
    witness = first_point(clash, [*first, *second], box.names)
    if witness is None or isinstance(witness, Undecided):
        return witness
    point = tuple(witness[name] for name in first)
    return Collision(
        point,
        tuple(witness[name] for name in second),
        tuple(expr.eval(point, ()) for expr in exprs),
        tuple(witness[name] for name in box.names),
    )


def outside(
    exprs: Sequence[AffineExpr], box: Box, sizes: Sequence[AffineExpr] | None = None
) -> tuple[tuple[int, ...], tuple[int, ...]] | Undecided | None:
    """A point of ``box`` whose image under ``exprs`` lies outside the box ``sizes``, with the
    values of the parameters.

    Without ``sizes``, a point whose image has a negative coordinate.
    """
    names = _names("x", len(box.sizes))
    point = list(map(dim, names))
    beyond: list[Condition] = []
    for n, index in enumerate(_at(exprs, point)):
        beyond.append(index < 0)
        if sizes is not None:
            beyond.append(index >= term_of(sizes[n], box.parameter_terms.__getitem__))
    witness = first_point(all_of([box.holds(point), any_of(beyond)]), names, box.names)
    if witness is None or isinstance(witness, Undecided):
        return witness
    return tuple(witness[name] for name in names), tuple(witness[name] for name in box.names)


def missed(
    exprs: Sequence[AffineExpr], box: Box, sizes: Sequence[AffineExpr]
) -> tuple[tuple[int, ...], tuple[int, ...]] | Undecided | None:
    """A point of the box ``sizes`` that is the image of no point of ``box`` under ``exprs``, with
    the values of the parameters.
    """
    dims, places = _names("x", len(box.sizes)), _names("y", len(exprs))
    point, place = list(map(dim, dims)), list(map(dim, places))
    reached = exists(dims, all_of([box.holds(point), *equal(place, _at(exprs, point))]))
    whole = Box(tuple(sizes), box.parameters).holds(place)
    witness = first_point(all_of([whole, ~reached]), places, box.names)
    if witness is None or isinstance(witness, Undecided):
        return witness
    return tuple(witness[name] for name in places), tuple(witness[name] for name in box.names)


def inverse(exprs: Sequence[AffineExpr], box: Box) -> tuple[AffineExpr, ...] | None:
    """The inverse of a map that is injective on ``box``: each dimension as an expression of the
    results.

    Dimension ``n`` is result ``n``, dimension ``len(exprs) + n`` parameter ``n``. None if the
    inverse is not a single affine map, or if isl exceeds its budget.
    """
    import islpy as isl

    digits = _digits(exprs, box)
    if digits is not None:
        return digits

    def question(context: Any) -> tuple[AffineExpr, ...] | None:
        relation = box.mapped(context, exprs).reverse()
        pieces: list[Any] = []
        isl.PwMultiAff.from_map(relation).coalesce().foreach_piece(
            lambda _, piece: pieces.append(piece)
        )
        if not pieces:  # an empty box: any map is an inverse
            return tuple(ZERO for _ in box.sizes)
        if len(pieces) > 1:
            return None
        return tuple(_of_aff(pieces[0].get_at(n), len(exprs)) for n in range(len(box.sizes)))

    answer = ask(question)
    return None if isinstance(answer, Undecided) else answer


def _digits(exprs: Sequence[AffineExpr], box: Box) -> tuple[AffineExpr, ...] | None:
    """The inverse of a mixed-radix number such as ``(i * 8 + j) * 4 + k``, digit by digit: ``r
    floordiv 32``, ``r floordiv 4 mod 8`` and ``r mod 4``. This form shows which digits are
    contiguous.
    """
    sizes = [size.value if isinstance(size, AffineConstantExpr) else 0 for size in box.sizes]
    back = {n: ZERO for n, size in enumerate(sizes) if size == 1}
    for number, expr in enumerate(exprs):
        terms, constant = linear_terms(expr)
        dims = {
            atom.position if isinstance(atom, AffineDimExpr) else -1: terms[atom] for atom in terms
        }
        parts = sorted((factor, position) for position, factor in dims.items())
        parts = [part for part in parts if not 0 <= part[1] < len(sizes) or sizes[part[1]] != 1]
        result, worth = AffineExpr.dimension(number), 1
        for factor, position in parts:
            if constant or position in back or not 0 <= position < len(sizes) or factor != worth:
                return None
            digit = result if worth == 1 else result // worth
            worth *= sizes[position]
            back[position] = digit if (factor, position) == parts[-1] else digit % sizes[position]
    if 0 in sizes or len(back) < len(sizes):
        return None
    return tuple(back[n] for n in range(len(sizes)))


Conditions = tuple[AffineConstraintExpr, ...]


def unreached(
    exprs: Sequence[AffineExpr], box: Box, sizes: Sequence[AffineExpr]
) -> list[Conditions] | None:
    """The part of the box ``sizes`` that is not in the image of ``box`` under ``exprs``, in
    disjoint pieces.

    Each piece is a conjunction over the results and then the parameters, to be read inside the box
    ``sizes``. None if isl exceeds its budget.
    """

    def question(context: Any) -> list[Conditions]:
        image = box.mapped(context, exprs).range()
        whole = Box(tuple(sizes), box.parameters).as_set(context)
        rest = whole.subtract(image).make_disjoint().coalesce().make_disjoint()
        return _pieces(rest, len(exprs))

    pieces = ask(question)
    return None if isinstance(pieces, Undecided) else pieces


def parameters_where(
    condition: Condition,
    names: Sequence[str],
    parameters: Sequence[str],
    context_condition: Condition,
) -> list[Conditions] | None:
    """The values of ``parameters`` for which ``condition`` holds at some point of ``names``.

    The result is a union of pieces. Each piece is a conjunction over the parameters, without
    constraints that follow from ``context_condition``. None if isl exceeds its budget.
    """

    def question(context: Any) -> list[Conditions]:
        values = set_of(context, condition, names, parameters).params().coalesce()
        return _pieces(
            values.gist_params(set_of(context, context_condition, (), parameters).params()), 0
        )

    pieces = ask(question)
    return None if isinstance(pieces, Undecided) else pieces


def _pieces(points: Any, dimensions: int) -> list[Conditions]:
    """The conjunctions whose union is an isl set, over its dimensions and then its parameters."""
    pieces: list[Conditions] = []
    for piece in points.compute_divs().get_basic_sets():
        conditions: list[AffineConstraintExpr] = []
        for constraint in piece.get_constraints():
            kind = AffineConstraintKind.eq if constraint.is_equality() else AffineConstraintKind.ge
            expr = _of_aff(constraint.get_aff(), dimensions)
            conditions.append(AffineConstraintExpr(kind, expr, ZERO))
        pieces.append(tuple(conditions))
    return pieces


def hull(
    conditions: Conditions, sizes: Sequence[AffineExpr], parameters: int
) -> list[tuple[int, int] | None]:
    """The constant range of each dimension of the box ``sizes`` where ``conditions`` hold; None if
    unbounded.
    """
    import islpy as isl

    dims = _names("x", len(sizes))
    box = Box(tuple(sizes), parameters)
    point = list(map(dim, dims))
    terms = [*point, *box.parameter_terms]
    parts = [box.holds(point)]
    parts += [condition_of(condition, terms.__getitem__) for condition in conditions]

    def question(context: Any) -> list[tuple[int, int] | None]:
        points = set_of(context, all_of(parts), dims, box.names)
        points = points.project_out(isl.dim_type.param, 0, parameters)
        ranges: list[tuple[int, int] | None] = []
        for n in range(len(dims)):
            low = points.dim_min_val(n)
            high = points.dim_max_val(n)
            finite = low.is_int() and high.is_int()
            ranges.append((low.to_python(), high.to_python()) if finite else None)
        return ranges

    ranges = ask(question)
    return [None] * len(dims) if isinstance(ranges, Undecided) else ranges


def extent(expr: AffineExpr, box: Box) -> AffineExpr:
    """The smallest size that contains all values of ``expr`` over ``box``: its maximum plus 1, over
    the parameters.

    The size is exact for a constant box. Otherwise it is an upper bound, which is exact for the
    maps of layouts (monotone in each dimension). For an empty box it is at least 0, as a size is
    never negative.
    """

    if _attains_upper(expr, box):
        return _upper(expr, box.sizes) + 1
    if not box.parameters:

        def question(context: Any) -> int | None:
            reached = box.mapped(context, [expr]).range()
            largest = reached.dim_max_val(0)
            return largest.to_python() if largest.is_int() else None

        answer = ask(question)
        if answer is not None and not isinstance(answer, Undecided):
            return AffineExpr.constant(answer + 1)
        if answer is None:  # an empty box
            return _upper(expr, tuple(_at_least_one(size) for size in box.sizes)) + 1
    upper = _upper(expr, box.sizes) + 1
    return _tidy(upper + _missing(upper, box))


def _missing(size: AffineExpr, box: Box) -> int:
    """The largest amount by which ``size``, over the parameters of ``box``, may lie below 0."""
    parts = [term >= 0 for term in box.parameter_terms]
    parts += [term_of(size, box.parameter_terms.__getitem__) >= 0 for size in box.sizes]
    term = term_of(size, box.parameter_terms.__getitem__)

    def question(context: Any) -> int:
        least = map_of(context, [term], all_of(parts), box.names).range().dim_min_val(0)
        return max(-least.to_python(), 0) if least.is_int() else 0

    shortfall = ask(question)
    return 0 if isinstance(shortfall, Undecided) else shortfall


def _at_least_one(size: AffineExpr) -> AffineExpr:
    is_empty = isinstance(size, AffineConstantExpr) and size.value < 1
    return AffineExpr.constant(1) if is_empty else size


def _upper(expr: AffineExpr, sizes: Sequence[AffineExpr]) -> AffineExpr:
    """The sum of the maxima of the terms of ``expr``, an upper bound of its maximum."""
    terms, constant = linear_terms(expr)
    total: AffineExpr = AffineExpr.constant(constant)
    for atom, factor in terms.items():
        if factor < 0:
            continue  # every atom is at least 0
        total = total + _upper_atom(atom, sizes) * factor
    return total


def _attains_upper(expr: AffineExpr, box: Box) -> bool:
    """True if ``expr`` is known to attain the bound :func:`_upper`: each term is a dimension, or a
    quotient or remainder of a dimension, and no two terms share a dimension.
    """
    if not all(isinstance(size, AffineConstantExpr) and size.value >= 1 for size in box.sizes):
        return False
    dims: list[AffineExpr] = []
    for atom in linear_terms(expr)[0]:
        is_divided = isinstance(atom, AffineBinaryOpExpr)
        dims.append(atom.lhs if is_divided else atom)  # pyright: ignore
    return all(isinstance(expr, AffineDimExpr) for expr in dims) and len(set(dims)) == len(dims)


def _upper_atom(atom: AffineExpr, sizes: Sequence[AffineExpr]) -> AffineExpr:
    if isinstance(atom, AffineBinaryOpExpr):
        top = _upper(atom.lhs, sizes)
        by = atom.rhs
        assert isinstance(by, AffineConstantExpr)
        if atom.kind is AffineBinaryOpKind.FloorDiv:
            return top // by.value
        if atom.kind is AffineBinaryOpKind.CeilDiv:
            return top.ceil_div(by.value)
        small = isinstance(top, AffineConstantExpr) and top.value < by.value
        return top if small else AffineExpr.constant(by.value - 1)
    return sizes[atom.position] - 1  # pyright: ignore[reportAttributeAccessIssue]


def _tidy(expr: AffineExpr) -> AffineExpr:
    """Rewrite ``(n - 1) floordiv 4 + 1`` as ``n ceildiv 4``."""
    terms, constant = linear_terms(expr)
    for atom, factor in terms.items():
        if not (isinstance(atom, AffineBinaryOpExpr) and factor == 1 and constant > 0):
            continue
        inner, shift = linear_terms(atom.lhs)
        if atom.kind is AffineBinaryOpKind.FloorDiv and shift < 0:
            rest = {a: count for a, count in terms.items() if a is not atom}
            # (x + s) floordiv b + 1  ==  (x + s + b) floordiv b  ==  (x + s + 1) ceildiv b
            whole = from_terms(inner, shift + 1).ceil_div(atom.rhs)
            return from_terms({**rest, whole: 1}, constant - 1)
    return expr


def _of_aff(aff: Any, results: int) -> AffineExpr:
    """An isl expression as an affine expression over the dimensions and then the parameters,
    rounded down.
    """
    import islpy as isl

    scale = aff.get_denominator_val().to_python()
    terms: dict[AffineExpr, int] = {}

    def add(atom: AffineExpr, value: Any) -> None:
        factor = int(value.mul(aff.get_denominator_val()).to_python())
        if factor:
            terms[atom] = terms.get(atom, 0) + factor

    for n in range(aff.dim(isl.dim_type.in_)):
        add(AffineExpr.dimension(n), aff.get_coefficient_val(isl.dim_type.in_, n))
    for n in range(aff.dim(isl.dim_type.param)):
        add(AffineExpr.dimension(results + n), aff.get_coefficient_val(isl.dim_type.param, n))
    for n in range(aff.dim(isl.dim_type.div)):
        value = aff.get_coefficient_val(isl.dim_type.div, n)
        if not value.is_zero():
            add(_of_aff(aff.get_div(n), results), value)
    constant = int(aff.get_constant_val().mul(aff.get_denominator_val()).to_python())
    whole = from_terms(terms, constant)
    return with_remainders(whole) if scale == 1 else whole // scale


def with_remainders(expr: AffineExpr) -> AffineExpr:
    """Rewrite ``e - c * (e floordiv c)`` as ``e mod c``."""
    terms, constant = linear_terms(expr)
    for atom, factor in list(terms.items()):
        if not (isinstance(atom, AffineBinaryOpExpr) and atom.kind is AffineBinaryOpKind.FloorDiv):
            continue
        assert isinstance(atom.rhs, AffineConstantExpr)
        by = atom.rhs.value
        if factor % by or atom not in terms:
            continue
        count = -(factor // by)
        inner, shift = linear_terms(atom.lhs)
        if all(terms.get(a) == count * part for a, part in inner.items()):
            rest = {k: v for k, v in terms.items() if k not in inner and k is not atom}
            remainder = atom.lhs % by
            return with_remainders(from_terms({**rest, remainder: count}, constant - count * shift))
    return expr


def _names(letter: str, count: int) -> list[str]:
    return [f"{letter}{n}" for n in range(count)]


def _at(exprs: Sequence[AffineExpr], point: Sequence[Term]) -> list[Term]:
    """The values of ``exprs`` at ``point``, as terms."""
    return [term_of(expr, point.__getitem__) for expr in exprs]
