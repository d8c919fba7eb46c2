"""What flows to the terms of a reduction, from what flows to its result."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kc.support.diagnostics import TEError
from kc.te.autodiff.rules import times
from kc.te.computes import compute
from kc.te.expr import (
    Binary,
    CommReducer,
    Expr,
    Reduce,
    as_expr,
    cast,
    compare,
    const,
    select,
    walk,
)
from kc.te.relations import dim_of
from kc.te.rewrite import Substitution
from kc.te.tensor import ComputeOp, Tensor, make_axis

_Term = Callable[[Expr, Expr], Expr]

_KNOWN = ("sum", "prod", "min", "max")


@dataclass(frozen=True)
class Terms:
    """How what flows to a result is shared out to the terms that it was made from."""

    combiner: str
    result: Expr
    """The element of the result."""
    counts: tuple[Expr, ...] = ()
    """Of max and min: how many terms are the result. Of prod: how many terms are 0, and the product
    of the others."""

    def scaled(self, g: Expr) -> Expr:
        """The part of ``g``, which flows to the result, that is the same for all terms.

        Of equal terms each gets the same share, so that the shares add up to a subgradient.
        """
        if self.combiner in ("sum", "prod"):
            return g
        return g / cast(self.counts[0], g.dtype)

    def share(self, scaled: Expr, term: Expr) -> Expr:
        """What flows to ``term``."""
        if self.combiner == "sum":
            return scaled
        if self.combiner == "prod":
            zeros, others = self.counts
            nothing = const(0.0, term.dtype)
            of_zero = select(compare("eq", zeros, 1), others, nothing)
            of_other = select(compare("eq", zeros, 0), others / term, nothing)
            return times(scaled, select(compare("eq", term, nothing), of_zero, of_other))
        return select(compare("eq", term, self.result), scaled, 0)


def terms_of(op: ComputeOp, index: int) -> Terms:
    """How output ``index`` of ``op``, a reduction, is made from its terms.

    Raises KC2204 for combiners whose results are not sums, products, minima or maxima.
    """
    reduce = op.bodies[index]
    assert isinstance(reduce, Reduce)
    combiner = _combiner(op, reduce)
    result = op.output(index)(*op.axis)
    counts: tuple[Expr, ...] = ()
    if combiner in ("min", "max"):
        made = _again(
            op, reduce, "sum", lambda one, whole: cast(_equal(one, whole), "int32"), "ties"
        )
        counts = (made(*op.axis),)
    elif combiner == "prod":
        zeros = _again(op, reduce, "sum", lambda one, _: cast(_equal(one, 0), "int32"), "zeros")
        others = _again(op, reduce, "prod", lambda one, _: select(_equal(one, 0), 1, one), "others")
        counts = (zeros(*op.axis), others(*op.axis))
    return Terms(combiner, result, counts)


def _equal(a: Expr, b: Expr | int) -> Expr:
    return compare("eq", a, b)


def _combiner(op: ComputeOp, reduce: Reduce) -> str:
    if isinstance(reduce.combiner, str):
        return reduce.combiner
    own: CommReducer = reduce.combiner
    n = reduce.value_index
    made = own.result[n]
    name = {"add": "sum", "mul": "prod"}.get(getattr(made, "op", ""), getattr(made, "op", ""))
    operands = {own.lhs[n], own.rhs[n]}
    if isinstance(made, Binary) and name in _KNOWN and {made.lhs, made.rhs} == operands:
        return name
    others = {one for m in range(len(own.lhs)) if m != n for one in (own.lhs[m], own.rhs[m])}
    mixed = any(one in others for one in walk(made))
    raise TEError(
        "KC2204",
        f"te.gradient: {op.output(n).name} is a reduction with {own.name}, which has no rule",
        location=reduce.location or op.location,
        why="its values are combined with each other"
        if mixed
        else "what flows to a term is known for sums, products, minima and maxima",
        hints=["compute it by several reductions with te.sum, te.max or te.min"],
    )


def _again(op: ComputeOp, reduce: Reduce, combiner: str, term: _Term, what: str) -> Tensor:
    """The reduction once more, with what ``term`` makes of a term and the result."""
    n = reduce.value_index
    result = op.output(n)

    def body(*axes: Expr) -> Expr:
        at = dict(zip(op.axis, axes, strict=True))
        outer = Substitution(at)  # an extent may be another for each element
        fresh = {
            one: make_axis(
                one.name, dim_of(outer(as_expr(one.extent))), "reduce", op.location, one.start
            )
            for one in op.reduce_axis
        }
        place = Substitution({**at, **fresh})
        whole = result(*axes)
        made = term(place(reduce.values[n]), whole)
        condition = None if reduce.condition is None else place(reduce.condition)
        start = None if reduce.init is None else (term(place(reduce.init[n]), whole),)
        axes_of = tuple(fresh.values())
        return Reduce(combiner, (made,), axes_of, made.dtype, op.location, 0, condition, start)

    names = [one.name for one in op.axis]
    name = f"{result.name}_{what}"
    return compute(op.shape, lambda *axes: body(*axes), name=name, varargs_names=names)
