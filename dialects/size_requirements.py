"""Requirements on the symbolic sizes of a function, which the call checks: ``kc.requires``.

The attribute of a function lists conditions::

    kc.symbols = ["n", "m", "k"],
    kc.requires = [{condition = affine_set<(d0)[s0, s1, s2] : (s2 - d0 == 0)>,
                    factors = [affine_map<()[s0, s1, s2] -> (s0, s1)>],
                    unless_empty = affine_map<()[s0, s1, s2] -> (s0)>,
                    why = "linalg.add takes operands of equal sizes"}]

The symbols are those of ``kc.symbols``; dimension ``n`` is the product of the results of the
``n``-th map of ``factors``. If a size of ``unless_empty`` is 0, nothing is accessed, and the
condition need not hold. The call checks the conditions together with the consistency of array
sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    DictionaryAttr,
    StringAttr,
)
from xdsl.ir import Attribute, Operation
from xdsl.ir.affine import AffineConstraintExpr, AffineExpr, AffineMap, AffineSet

REQUIRES = "kc.requires"


@dataclass(frozen=True)
class SizeRequirement:
    """A condition over products (dimensions) and symbols, with its explanation."""

    condition: AffineConstraintExpr
    factors: tuple[tuple[AffineExpr, ...], ...]
    unless_empty: tuple[AffineExpr, ...]
    why: str

    def attribute(self, symbols: int) -> DictionaryAttr:
        """The attribute for the condition in a function with ``symbols`` symbols."""
        space = AffineSet(len(self.factors), symbols, (self.condition,))
        data: dict[str, Attribute] = {"condition": AffineSetAttr(space)}
        if self.factors:
            data["factors"] = ArrayAttr(
                [AffineMapAttr(AffineMap(0, symbols, exprs)) for exprs in self.factors]
            )
        if self.unless_empty:
            data["unless_empty"] = AffineMapAttr(AffineMap(0, symbols, self.unless_empty))
        data["why"] = StringAttr(self.why)
        return DictionaryAttr(data)


def set_requirements(
    function: Operation, requirements: Sequence[SizeRequirement], symbols: int
) -> None:
    """Record the requirements on the sizes of a function with ``symbols`` symbols."""
    if requirements:
        attributes = [requirement.attribute(symbols) for requirement in requirements]
        function.attributes[REQUIRES] = ArrayAttr(attributes)


def requirements_of(function: Operation) -> list[SizeRequirement]:
    """The requirements on the sizes of a function."""
    listed = function.attributes.get(REQUIRES)
    requirements: list[SizeRequirement] = []
    for attr in listed if isinstance(listed, ArrayAttr) else ():
        assert isinstance(attr, DictionaryAttr)
        condition, unless = attr.data["condition"], attr.data.get("unless_empty")
        factors, why = attr.data.get("factors"), attr.data.get("why")
        assert isinstance(condition, AffineSetAttr)
        products = [
            part.data.results
            for part in (factors if isinstance(factors, ArrayAttr) else ())
            if isinstance(part, AffineMapAttr)
        ]
        requirements += [
            SizeRequirement(
                constraint,
                tuple(products),
                unless.data.results if isinstance(unless, AffineMapAttr) else (),
                why.data if isinstance(why, StringAttr) else "",
            )
            for constraint in condition.data.constraints
        ]
    return requirements
