"""The adjoints of the terms of a reduction, from the adjoint of its result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from kc.expr.constructors import (
    Binary,
    CommReducer,
    Const,
    Element,
    Expr,
    IfThenElse,
    IterVar,
    Reduce,
    SelectExpr,
    Var,
    all_of,
    any_of,
    as_expr,
    binary,
    cast,
    compare,
    const,
    select,
    walk,
)
from kc.expr.dtypes import is_float
from kc.expr.reducers import identity, known_reducer, reduction
from kc.expr.relations import dim_of
from kc.expr.rewrite import Substitution
from kc.expr.tensor import ComputeOp, Tensor, make_axis
from kc.support.diagnostics import TEError
from kc.te.autodiff.rules import exactly, times
from kc.te.computes import compute

_Term = Callable[[Expr, Expr], Any]
_Reducer = Callable[..., Any]

_KNOWN = ("sum", "prod", "min", "max")


@dataclass(frozen=True)
class Terms:
    """The distribution of a result's adjoint to the terms of a reduction."""

    combiner: str
    facts: tuple[Expr, ...] = ()
    """For prod: the number of zero terms, and the product of the other terms. For max and min: the
    result, the number of terms equal to it, and the position of the first, unless the terms are
    stored.
    """

    def scaled(self, g: Expr) -> Expr:
        """The part of the result's adjoint ``g`` that is the same for all terms.

        Equal terms get equal shares, so that the shares add up to a subgradient.
        """
        if self.combiner in ("sum", "prod"):
            return g
        return g / cast(self.facts[1], g.dtype)

    def share(self, scaled: Expr, term: Expr, place: Expr) -> Expr:
        """The adjoint of ``term``, which is in this place."""
        if self.combiner == "sum":
            return scaled
        if self.combiner == "prod":
            zeros, product = self.facts
            nothing = const(0.0, term.dtype)
            of_zero = select(compare("eq", zeros, 1), product, nothing)
            of_other = select(compare("eq", zeros, 0), product / term, nothing)
            return times(scaled, select(_equal(term, nothing), of_zero, of_other))
        result, count, *first = self.facts
        is_result = _equal(term, result)
        if first:
            is_tie = all_of(compare("gt", count, 1), is_result)
            is_result = any_of(compare("eq", place, first[0]), is_tie)
        return select(is_result, scaled, 0)


def terms_of(op: ComputeOp, index: int) -> Terms:
    """The terms of output ``index`` of ``op``, a reduction.

    If the terms are stored elements, they are compared with the result. Computed terms may differ
    when they are computed again, or differ from the result; then the loops that find the largest
    term also record its position. Raises KC2204 for combiners other than sum, product, minimum and
    maximum.
    """
    reduce = op.bodies[index]
    assert isinstance(reduce, Reduce)
    combiner = _combiner(op, reduce)
    facts: Sequence[Tensor] = ()
    if combiner == "prod":
        facts = [
            *_again(op, reduce, reduction("sum"), lambda term, _: _one_if_equal(term, 0), "zeros"),
            *_again(op, reduce, reduction("prod"), lambda term, _: _other_than_0(term), "others"),
        ]
    elif combiner in ("min", "max") and _are_stored(reduce):
        result = op.output(index)
        whole = result(*op.axis)
        ties = _again(op, reduce, reduction("sum"), lambda t, _: _one_if_equal(t, whole), "ties")
        facts = [result, *ties]
    elif combiner in ("min", "max"):
        unit = const(1, "int32")
        reducer = _first_and_count(combiner, identity(reduce)[reduce.value_index])
        facts = _again(op, reduce, reducer, lambda term, place: (term, unit, place), "first")
    return Terms(combiner, tuple(tensor(*op.axis) for tensor in facts))


def _are_stored(reduce: Reduce) -> bool:
    """True if the terms are elements that are in memory in every schedule, or choices between such
    elements.
    """
    parts = [reduce.values[reduce.value_index]]
    parts += [] if reduce.condition is None else [reduce.condition]
    parts += [] if reduce.init is None else [reduce.init[reduce.value_index]]
    return not any(_is_computed(part) for part in walk(*parts))


def _is_computed(expr: Expr) -> bool:
    """True if an expression computes a float, or reads an element that a schedule may inline."""
    if isinstance(expr, Element):
        op = expr.tensor.op
        return isinstance(op, ComputeOp) and not isinstance(op.bodies[0], Reduce)
    if not is_float(expr.dtype) or isinstance(expr, Var | Const | SelectExpr | IfThenElse):
        return False
    return getattr(expr, "op", "") not in ("max", "min", "abs", "neg")


def place_of(axes: Sequence[IterVar]) -> Expr:
    """A distinct number for each iteration of reduction axes; :data:`START` is none of these
    numbers.
    """
    places = [cast(as_expr(axis), "int64") for axis in axes]
    extents = [cast(as_expr(axis.extent), "int64") for axis in axes]
    place = places[0]
    for next_place, extent in zip(places[1:], extents[1:], strict=True):
        place = place * extent + next_place
    return place


START = const(-(1 << 63), "int64")
"""The place of the initial value of a reduction."""


def _first_and_count(combiner: str, nothing: Const) -> _Reducer:
    """The reducer of (term, count, position) to the largest or smallest term, the number of terms
    equal to it, and the position of the first.
    """
    order = "ge" if combiner == "max" else "le"
    nowhere = const((1 << 63) - 1, "int64")

    def combine(x: Sequence[Expr], y: Sequence[Expr]) -> tuple[Expr, Expr, Expr]:
        is_x, is_y = (exactly(compare(order, *pair)) for pair in ((x[0], y[0]), (y[0], x[0])))
        return (
            binary(combiner, x[0], y[0]),
            select(is_x, x[1], 0) + select(is_y, y[1], 0),
            binary("min", select(is_x, x[2], nowhere), select(is_y, y[2], nowhere)),
        )

    neutral = (nothing, const(0, "int32"), nowhere)
    return known_reducer(combine, lambda *_: neutral, f"{combiner}_first")


def _one_if_equal(a: Expr, b: Expr | int) -> Expr:
    return cast(_equal(a, b), "int32")


def _other_than_0(term: Expr) -> Expr:
    return select(_equal(term, 0), 1, term)


def _equal(a: Expr, b: Expr | int) -> Expr:
    return exactly(compare("eq", a, b))


def _combiner(op: ComputeOp, reduce: Reduce) -> str:
    if isinstance(reduce.combiner, str):
        return reduce.combiner
    own: CommReducer = reduce.combiner
    n = reduce.value_index
    combined = own.result[n]
    name = {"add": "sum", "mul": "prod"}.get(
        getattr(combined, "op", ""), getattr(combined, "op", "")
    )
    operands = {own.lhs[n], own.rhs[n]}
    if isinstance(combined, Binary) and name in _KNOWN and {combined.lhs, combined.rhs} == operands:
        return name
    foreign = {
        operand for m in range(len(own.lhs)) if m != n for operand in (own.lhs[m], own.rhs[m])
    }
    mixed = any(part in foreign for part in walk(combined))
    raise TEError(
        "KC2204",
        f"te.gradient: {op.output(n).name} is a reduction with {own.name}, which has no rule",
        location=reduce.location or op.location,
        why="its results depend on each other"
        if mixed
        else "gradients of terms are known for sums, products, minima and maxima",
        hints=["compute it by several reductions with te.sum, te.max or te.min"],
    )


def _again(
    op: ComputeOp, reduce: Reduce, reducer: _Reducer, term: _Term, what: str
) -> list[Tensor]:
    """A second reduction over the same axes. Its terms are ``term`` of each term of the first and
    its position.
    """
    n = reduce.value_index

    def body(*axes: Expr) -> Any:
        at = dict(zip(op.axis, axes, strict=True))
        outer = Substitution(at)  # an extent may be another for each element
        fresh = {
            axis: make_axis(
                axis.name, dim_of(outer(as_expr(axis.extent))), "reduce", op.location, axis.start
            )
            for axis in op.reduce_axis
        }
        inner = Substitution({**at, **fresh})

        def of(value: Expr, place: Expr) -> Any:
            result = term(value, place)
            return tuple(map(inner, result)) if isinstance(result, tuple) else inner(result)

        condition = None if reduce.condition is None else inner(exactly(reduce.condition))
        return reducer(
            of(reduce.values[n], place_of(op.reduce_axis)),
            axis=[*fresh.values()],
            where=condition,
            init=None if reduce.init is None else of(reduce.init[n], START),
        )

    names = [axis.name for axis in op.axis]
    name = f"{op.output(n).name}_{what}"
    computed = compute(op.shape, lambda *axes: body(*axes), name=name, varargs_names=names)
    return [computed] if isinstance(computed, Tensor) else [*computed]
