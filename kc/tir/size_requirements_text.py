"""The requirements on calls of a function (``kc.requires``) in TVMScript's form.

They are an attribute whose conditions are comparisons of sizes: ``{"condition": n - 8 >= 0,
"unless_empty": [m], "why": ...}``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.ir.affine import AffineConstraintExpr, AffineConstraintKind, AffineExpr

from kc.dialects.affine_assembly import ZERO
from kc.dialects.size_requirements import REQUIRES, SizeRequirement, set_requirements
from kc.dialects.tir import symbol_names
from kc.expr.constructors import Binary, Compare, Expr, Var, as_expr
from kc.expr.indices import Space

_KINDS = {
    "==": AffineConstraintKind.eq,
    ">=": AffineConstraintKind.ge,
    "<=": AffineConstraintKind.le,
}
_SIGNS = {kind: sign for sign, kind in _KINDS.items()}
_COMPARED = {"eq": "==", "ge": ">=", "le": "<="}


def requirements_text(
    requirements: Sequence[SizeRequirement],
    names: Sequence[str],
    text: Callable[[AffineExpr, Sequence[str]], str],
) -> str:
    """The attribute of a function whose sizes have the ``names``. ``text`` prints an expression
    over dimensions with these names.
    """
    listed: list[str] = []
    sizes = [AffineExpr.dimension(n) for n in range(len(names))]

    def of_sizes(expr: AffineExpr) -> str:
        return text(expr.replace_dims_and_symbols([], sizes), names)

    for requirement in requirements:
        products = [
            f"({' * '.join(_operand(of_sizes(factor)) for factor in factors)})"
            for factors in requirement.factors
        ]
        dims = [AffineExpr.dimension(len(names) + n) for n in range(len(products))]

        def over(expr: AffineExpr, dims: Any = dims, products: Any = products) -> str:
            return text(expr.replace_dims_and_symbols(dims, sizes), [*names, *products])

        condition = requirement.condition
        parts = [
            f'"condition": {over(condition.lhs)} {_SIGNS[condition.kind]} {over(condition.rhs)}'
        ]
        if requirement.unless_empty:
            parts.append(f'"unless_empty": [{", ".join(map(of_sizes, requirement.unless_empty))}]')
        parts.append(f'"why": {json.dumps(requirement.why)}')
        listed.append(f"{{{', '.join(parts)}}}")
    return f'"{REQUIRES}": [{", ".join(listed)}]'


def _operand(text: str) -> str:
    return text if text.isidentifier() else f"({text})"


def set_read_requirements(function: Any, listed: Sequence[Mapping[str, Any]]) -> None:
    """Set the requirements of a function that a script declares."""
    names = symbol_names(function)
    requirements = [
        requirement
        for entry in listed
        if isinstance(entry["condition"], Compare)
        for requirement in [_read(entry, names)]
    ]
    set_requirements(function, requirements, len(names))


def _read(entry: Mapping[str, Any], names: Sequence[str]) -> SizeRequirement:
    condition: Compare = entry["condition"]
    space = Space()
    lhs, rhs = space.affine(condition.lhs), space.affine(condition.rhs)
    products: list[tuple[AffineExpr, ...]] = []
    leaves: list[AffineExpr] = []
    for leaf in space.leaves:
        if isinstance(leaf, Var):
            leaves.append(_symbol(leaf, names))
        else:
            leaves.append(AffineExpr.dimension(len(products)))
            products.append(tuple(_over_sizes(part, names) for part in _factors(as_expr(leaf))))
    whole = (lhs - rhs).replace_dims_and_symbols(leaves, [])
    return SizeRequirement(
        AffineConstraintExpr(_KINDS[_COMPARED[condition.op]], whole, ZERO),
        tuple(products),
        tuple(_over_sizes(as_expr(size), names) for size in entry.get("unless_empty", ())),
        str(entry.get("why", "")),
    )


def _symbol(size: Var, names: Sequence[str]) -> AffineExpr:
    return AffineExpr.symbol(list(names).index(size.name))


def _factors(expr: Expr) -> list[Expr]:
    if isinstance(expr, Binary) and expr.op == "mul":
        return [*_factors(expr.lhs), *_factors(expr.rhs)]
    return [expr]


def _over_sizes(expr: Expr, names: Sequence[str]) -> AffineExpr:
    space = Space()
    affine = space.affine(expr)
    sizes = [_symbol(leaf, names) for leaf in space.leaves if isinstance(leaf, Var)]
    return affine.replace_dims_and_symbols(sizes, [])
