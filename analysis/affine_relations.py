"""Exact facts about affine maps on boxes: collisions, inverses, what is not reached, maxima.

A box is ``0 <= d_k < sizes[k]``. Sizes are affine expressions over parameters (symbolic sizes, at
least 0): dimension ``n`` of a size is parameter ``n``. isl decides; an answer that it cannot give
within its budget is None or a reason, never a guess.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineExpr,
)

from kc.analysis.isl import ask, expr_text, first_point
from kc.dialects.affine_assembly import ZERO, from_terms, linear_terms


@dataclass(frozen=True)
class Box:
    """``0 <= d_k < sizes[k]``, the sizes over so many parameters."""

    sizes: tuple[AffineExpr, ...]
    parameters: int = 0

    def text(self, dims: Sequence[str]) -> str:
        """The box as isl constraints on ``dims``."""
        parts = [f"{_parameter(n)} >= 0" for n in range(self.parameters)]
        for dim, size in zip(dims, self.sizes, strict=True):
            parts.append(f"0 <= {dim} < {_text(size, _parameter)}")
        return " and ".join(parts) or "1 = 1"

    @property
    def names(self) -> list[str]:
        """The parameters as isl knows them."""
        return [_parameter(n) for n in range(self.parameters)]

    def set_text(self) -> str:
        """The box as an isl set."""
        dims = _dims("x", len(self.sizes))
        return f"{self._head()}{{ [{', '.join(dims)}] : {self.text(dims)} }}"

    def map_text(self, exprs: Sequence[AffineExpr]) -> str:
        """``exprs`` over the box as an isl map."""
        dims = _dims("x", len(self.sizes))
        results = ", ".join(_text(one, dims.__getitem__) for one in exprs)
        return f"{self._head()}{{ [{', '.join(dims)}] -> [{results}] : {self.text(dims)} }}"

    def _head(self) -> str:
        return f"[{', '.join(self.names)}] -> " if self.parameters else ""


@dataclass(frozen=True)
class Collision:
    """Two points of a box that a map takes to the same place, for these parameters."""

    first: tuple[int, ...]
    second: tuple[int, ...]
    place: tuple[int, ...]
    parameters: tuple[int, ...]


def collision(
    exprs: Sequence[AffineExpr], box: Box, kept: Sequence[AffineExpr] | None = None
) -> Collision | str | None:
    """Two points of ``box`` with equal ``exprs``: None if there are none, a reason if undecided.

    With ``kept``, only points count at which these expressions differ: are they a function of
    ``exprs``?
    """
    rank = len(box.sizes)
    one, two = _dims("x", rank), _dims("y", rank)
    parts = [box.text(one), box.text(two)]
    parts += [f"{_text(expr, one.__getitem__)} = {_text(expr, two.__getitem__)}" for expr in exprs]
    what = [AffineExpr.dimension(n) for n in range(rank)] if kept is None else kept
    apart = [f"{_text(e, one.__getitem__)} != {_text(e, two.__getitem__)}" for e in what]
    parts.append("(" + (" or ".join(apart) or "1 = 0") + ")")
    head = f"[{', '.join(box.names)}] -> "
    text = f"{head}{{ [{', '.join([*one, *two])}] : {' and '.join(parts)} }}"
    found = first_point(text, [*box.names, *one, *two])
    if found is None or isinstance(found, str):
        return found
    point = tuple(found[name] for name in one)
    return Collision(
        point,
        tuple(found[name] for name in two),
        tuple(expr.eval(point, ()) for expr in exprs),
        tuple(found[name] for name in box.names),
    )


def outside(
    exprs: Sequence[AffineExpr], box: Box, sizes: Sequence[AffineExpr] | None = None
) -> tuple[tuple[int, ...], tuple[int, ...]] | str | None:
    """A point of ``box`` (and the parameters) that ``exprs`` take out of the box ``sizes``.

    Without ``sizes``: to a negative place.
    """
    dims = _dims("x", len(box.sizes))
    bad: list[str] = []
    for n, expr in enumerate(exprs):
        text = _text(expr, dims.__getitem__)
        bad.append(f"{text} < 0")
        if sizes is not None:
            bad.append(f"{text} >= {_text(sizes[n], _parameter)}")
    head = f"[{', '.join(box.names)}] -> "
    parts = f"{box.text(dims)} and ({' or '.join(bad) or '1 = 0'})"
    found = first_point(f"{head}{{ [{', '.join(dims)}] : {parts} }}", [*box.names, *dims])
    if found is None or isinstance(found, str):
        return found
    return tuple(found[one] for one in dims), tuple(found[one] for one in box.names)


def missed(
    exprs: Sequence[AffineExpr], box: Box, sizes: Sequence[AffineExpr]
) -> tuple[tuple[int, ...], tuple[int, ...]] | str | None:
    """A point of the box ``sizes`` (and the parameters) that no point of ``box`` is taken to."""
    dims, places = _dims("x", len(box.sizes)), _dims("y", len(exprs))
    same = [
        f"{place} = {_text(expr, dims.__getitem__)}"
        for place, expr in zip(places, exprs, strict=True)
    ]
    reached = " and ".join([box.text(dims), *same])
    if dims:
        reached = f"exists ({', '.join(dims)} : {reached})"
    head = f"[{', '.join(box.names)}] -> "
    whole = Box(tuple(sizes), box.parameters).text(places)
    text = f"{head}{{ [{', '.join(places)}] : {whole} and not ({reached}) }}"
    found = first_point(text, [*box.names, *places])
    if found is None or isinstance(found, str):
        return found
    return tuple(found[one] for one in places), tuple(found[one] for one in box.names)


def inverse(exprs: Sequence[AffineExpr], box: Box) -> tuple[AffineExpr, ...] | None:
    """For an injective map on ``box``: its dimensions as expressions of the results.

    Dimension ``n`` is result ``n``, dimension ``len(exprs) + n`` parameter ``n``. None where the
    inverse is not a single affine map, or the question is too large.
    """
    import islpy as isl

    def question(context: Any) -> tuple[AffineExpr, ...] | None:
        relation = isl.Map.read_from_str(context, box.map_text(exprs)).reverse()
        pieces: list[Any] = []
        isl.PwMultiAff.from_map(relation).coalesce().foreach_piece(
            lambda _, piece: pieces.append(piece)
        )
        if not pieces:  # an empty box: any map is an inverse
            return tuple(ZERO for _ in box.sizes)
        if len(pieces) > 1:
            return None
        return tuple(_of_aff(pieces[0].get_at(n), len(exprs)) for n in range(len(box.sizes)))

    found = ask(question)
    return None if isinstance(found, str) else found


Conditions = tuple[AffineConstraintExpr, ...]


def unreached(
    exprs: Sequence[AffineExpr], box: Box, sizes: Sequence[AffineExpr]
) -> list[Conditions] | None:
    """The part of the box ``sizes`` that no point of ``box`` is taken to, in disjoint pieces.

    Each piece is a conjunction over the results (and then the parameters) inside of the box
    ``sizes``. None if it is too large a question.
    """
    import islpy as isl

    def question(context: Any) -> list[Conditions]:
        image = isl.Map.read_from_str(context, box.map_text(exprs)).range()
        whole = isl.Set.read_from_str(context, Box(tuple(sizes), box.parameters).set_text())
        rest = whole.subtract(image).make_disjoint().coalesce().make_disjoint().compute_divs()
        found: list[Conditions] = []
        for piece in rest.get_basic_sets():
            conditions: list[AffineConstraintExpr] = []
            for one in piece.get_constraints():
                kind = AffineConstraintKind.eq if one.is_equality() else AffineConstraintKind.ge
                expr = _of_aff(one.get_aff(), len(exprs))
                conditions.append(AffineConstraintExpr(kind, expr, ZERO))
            found.append(tuple(conditions))
        return found

    found = ask(question)
    return None if isinstance(found, str) else found


def hull(
    conditions: Conditions, sizes: Sequence[AffineExpr], parameters: int
) -> list[tuple[int, int] | None]:
    """For each dimension of the box ``sizes`` its constant range where ``conditions`` hold."""
    import islpy as isl

    dims = _dims("x", len(sizes))
    names = [*dims, *(_parameter(n) for n in range(parameters))]
    parts = [Box(tuple(sizes), parameters).text(dims)]
    for one in conditions:
        sign = "=" if one.kind is AffineConstraintKind.eq else ">="
        parts.append(f"{_text(one.lhs, names.__getitem__)} {sign} 0")
    head = f"[{', '.join(names[len(dims) :])}] -> "
    text = f"{head}{{ [{', '.join(dims)}] : {' and '.join(parts)} }}"

    def question(context: Any) -> list[tuple[int, int] | None]:
        points = isl.Set.read_from_str(context, text)
        points = points.project_out(isl.dim_type.param, 0, parameters)
        found: list[tuple[int, int] | None] = []
        for n in range(len(dims)):
            low = points.dim_min_val(n)
            high = points.dim_max_val(n)
            finite = low.is_int() and high.is_int()
            found.append((low.to_python(), high.to_python()) if finite else None)
        return found

    found = ask(question)
    return [None] * len(dims) if isinstance(found, str) else found


def extent(expr: AffineExpr, box: Box) -> AffineExpr:
    """One more than the largest value of ``expr`` over ``box``, over the parameters.

    Exact where the box is constant; else an upper bound that is exact for the maps of layouts
    (each dimension monotone) unless it would be negative for an empty box: a size never is.
    """
    import islpy as isl

    if not box.parameters:

        def question(context: Any) -> int | None:
            reached = isl.Map.read_from_str(context, box.map_text([expr])).range()
            largest = reached.dim_max_val(0)
            return largest.to_python() if largest.is_int() else None

        found = ask(question)
        if found is not None and not isinstance(found, str):
            return AffineExpr.constant(found + 1)
        if found is None:  # an empty box
            return _upper(expr, tuple(_at_least_one(one) for one in box.sizes)) + 1
    found = _upper(expr, box.sizes) + 1
    return _tidy(found + _missing(found, box))


def _missing(size: AffineExpr, box: Box) -> int:
    """By how much ``size``, over the parameters of ``box``, may be less than 0."""
    import islpy as isl

    parts = [f"{one} >= 0" for one in box.names]
    parts += [f"{_text(one, _parameter)} >= 0" for one in box.sizes]
    text = f"{{ [{', '.join(box.names)}] -> [{_text(size, _parameter)}] : {' and '.join(parts)} }}"

    def question(context: Any) -> int:
        least = isl.Map.read_from_str(context, text).range().dim_min_val(0)
        return max(-least.to_python(), 0) if least.is_int() else 0

    found = ask(question)
    return 0 if isinstance(found, str) else found


def _at_least_one(size: AffineExpr) -> AffineExpr:
    is_empty = isinstance(size, AffineConstantExpr) and size.value < 1
    return AffineExpr.constant(1) if is_empty else size


def _upper(expr: AffineExpr, sizes: Sequence[AffineExpr]) -> AffineExpr:
    """The largest value of ``expr``, taking each of its parts for itself."""
    terms, constant = linear_terms(expr)
    total: AffineExpr = AffineExpr.constant(constant)
    for atom, factor in terms.items():
        if factor < 0:
            continue  # every atom is at least 0
        total = total + _upper_atom(atom, sizes) * factor
    return total


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
    """``(n - 1) floordiv 4 + 1`` as ``n ceildiv 4``."""
    terms, constant = linear_terms(expr)
    for atom, factor in terms.items():
        if not (isinstance(atom, AffineBinaryOpExpr) and factor == 1 and constant > 0):
            continue
        inner, shift = linear_terms(atom.lhs)
        if atom.kind is AffineBinaryOpKind.FloorDiv and shift < 0:
            rest = {one: count for one, count in terms.items() if one is not atom}
            # (x + s) floordiv b + 1  ==  (x + s + b) floordiv b  ==  (x + s + 1) ceildiv b
            whole = from_terms(inner, shift + 1).ceil_div(atom.rhs)
            return from_terms({**rest, whole: 1}, constant - 1)
    return expr


def _of_aff(aff: Any, results: int) -> AffineExpr:
    """An isl expression as ours: its dimensions first, then the parameters; rounded down."""
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
    """``e - c * (e floordiv c)`` as ``e mod c``."""
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
        if all(terms.get(one) == count * part for one, part in inner.items()):
            rest = {k: v for k, v in terms.items() if k not in inner and k is not atom}
            remainder = atom.lhs % by
            return with_remainders(from_terms({**rest, remainder: count}, constant - count * shift))
    return expr


def _parameter(n: int) -> str:
    return f"p{n}"


def _dims(letter: str, count: int) -> list[str]:
    return [f"{letter}{n}" for n in range(count)]


def _text(expr: AffineExpr, dim: Callable[[int], str]) -> str:
    def opaque() -> str:
        raise AssertionError(f"{expr} is not affine")

    return expr_text(expr, dim, opaque)
