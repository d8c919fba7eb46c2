"""Conditions on the sizes of a function, in addition to those of its argument shapes.

Ops on tensors relate sizes: operands agree, windows and slices are in bounds, reshaping keeps the
number of elements. A condition that does not follow from the types becomes a requirement on the
symbols of the function (``kc.requires``), which the call checks. A size that is no function of the
symbols, such as a loaded one, is not checked, just like a loaded index.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

from xdsl.dialects import affine, arith, func, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, ShapedType
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
)

from kc.analysis.affine.index_values import substitute
from kc.analysis.affine.simplify_affine import UNBOUNDED, Bounds, bounds, simplify
from kc.dialects import tir
from kc.dialects.affine_assembly import ZERO, linear_terms
from kc.dialects.size_requirements import SizeRequirement
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of

if TYPE_CHECKING:
    from kc.conversion.raise_to_tir.function import FunctionRaiser
    from kc.conversion.raise_to_tir.nests import Extent

CONDITIONAL = (scf.IfOp, scf.IndexSwitchOp, scf.WhileOp, affine.IfOp)
"""Ops whose regions are executed conditionally, depending on elements and arguments."""

_Factors = tuple[AffineExpr, ...]


class Requirements:
    """The conditions of a function. Expressions are over atoms: symbols, and products."""

    def __init__(self, raiser: FunctionRaiser) -> None:
        self.raiser = raiser
        self._atoms: list[str | _Factors] = []
        self._ranges: list[Bounds] = []
        self._conditions: dict[
            tuple[object, ...], tuple[AffineExpr, list[AffineExpr], str, bool]
        ] = {}

    # Conditions ------------------------------------------------------------------------------

    def equal(
        self, size: Extent | AffineExpr, expected: Extent | AffineExpr, op: Operation, what: str
    ) -> None:
        """Require ``size == expected``; ``what`` explains it for ``op``. KC4556 if it is
        violated.
        """
        self._require(size, expected, op, what, equal=True)

    def at_least(
        self,
        size: Extent | AffineExpr,
        least: Extent | AffineExpr,
        op: Operation,
        what: str,
        unless_empty: Sequence[AffineExpr] = (),
    ) -> None:
        """Require that ``size`` is at least ``least``, or that one of the sizes ``unless_empty`` is
        0.
        """
        self._require(size, least, op, what, unless_empty)

    def natural(self, sizes: Sequence[Extent], op: Operation) -> None:
        """Require sizes of at least 0."""
        for size in sizes:
            self.at_least(size, 0, op, "has sizes that are at least 0")

    def product(self, whole: Extent, parts: Sequence[Extent], op: Operation) -> None:
        """Require that ``whole`` is the product of ``parts``."""
        total: AffineExpr | None = AffineExpr.constant(1)
        for part in parts:
            factor = self.expr(part, op)
            total = None if total is None or factor is None else self._product(total, factor)
        if total is not None:
            self.equal(whole, self._simplify(total), op, "keeps the number of elements")

    def times(self, lhs: Extent, rhs: Extent, op: Operation) -> AffineExpr | None:
        """The product of two sizes; None if either is no function of the symbols."""
        left, right = self.expr(lhs, op), self.expr(rhs, op)
        if left is None or right is None:
            return None
        return self._simplify(self._product(left, right))

    def typed(self, value: SSAValue, sizes: Sequence[Extent], op: Operation) -> None:
        """Require ``sizes`` to equal the static sizes of the type of ``value``."""
        assert isinstance(value.type, ShapedType)
        for size, static_size in zip(sizes, value.type.get_shape(), strict=True):
            if static_size != tir.DYNAMIC:
                self.equal(size, static_size, op, f"gives a {value.type}")

    def _require(
        self,
        size: Extent | AffineExpr,
        bound: Extent | AffineExpr,
        op: Operation,
        what: str,
        unless_empty: Sequence[AffineExpr] = (),
        *,
        equal: bool = False,
    ) -> None:
        if size is bound:
            return
        lhs, rhs = (
            side if isinstance(side, AffineExpr) else self.expr(side, op) for side in (size, bound)
        )
        if lhs is None or rhs is None:
            return
        difference = self._simplify(lhs - rhs)
        low, high = bounds(difference, self._ranges)
        if (low is not None and low >= 0) and (not equal or high == 0):
            return
        counts = [count for count in map(self._simplify, unless_empty) if count != 0]
        if any(isinstance(count, AffineConstantExpr) and count.value <= 0 for count in counts):
            return
        counts = [count for count in counts if not isinstance(count, AffineConstantExpr)]
        if not counts and (high is not None and high < 0 or equal and low is not None and low > 0):
            relation = "is not" if equal else "is less than"
            values = [side if isinstance(side, int) else _text(side) for side in (size, bound)]
            numbers = f": {values[0]} {relation} {values[1]}" if None not in values else ""
            raise CodegenError(
                "KC4556",
                f"raise-to-tir: the sizes of {op.name} do not fit{numbers}",
                location=location_of(op),
                why=f"it {what}",
            )
        if self.is_conditional(op):
            return
        if isinstance(difference, AffineDimExpr) and not equal and not counts:
            # Later questions may assume the requirement.
            self._ranges[difference.position] = (0, None)
        location = location_of(op)
        why = f"{op.name}{f' ({location})' if location is not None else ''} {what}"
        self._conditions.setdefault((difference, equal, *counts), (difference, counts, why, equal))

    @staticmethod
    def is_conditional(op: Operation) -> bool:
        """True if the execution of ``op`` depends on more than sizes."""
        parent = op.parent_op()
        while parent is not None and not isinstance(parent, func.FuncOp):
            if isinstance(parent, CONDITIONAL):
                return True
            parent = parent.parent_op()
        return False

    def listed(self, symbols: Sequence[str]) -> list[SizeRequirement]:
        """The conditions over the symbols of the function."""
        return [
            self._requirement(*requirement, symbols) for requirement in self._conditions.values()
        ]

    def _requirement(
        self,
        difference: AffineExpr,
        counts: Sequence[AffineExpr],
        why: str,
        equal: bool,
        symbols: Sequence[str],
    ) -> SizeRequirement:
        factors: list[_Factors] = []

        def over_symbols(expr: AffineExpr) -> AffineExpr:
            values: dict[int, AffineExpr] = {}
            for dim in sorted(expr.used_dims()):
                atom = self._atoms[dim]
                if isinstance(atom, str):
                    values[dim] = AffineExpr.symbol(symbols.index(atom))
                    continue
                own = tuple(over_symbols(factor) for factor in atom)
                if own not in factors:
                    factors.append(own)
                values[dim] = AffineExpr.dimension(factors.index(own))
            return substitute(expr, values)

        kind = AffineConstraintKind.eq if equal else AffineConstraintKind.ge
        condition = AffineConstraintExpr(kind, over_symbols(difference), ZERO)
        affine_counts = [count for count in counts if self.is_affine(count)]
        return SizeRequirement(
            condition, tuple(factors), tuple(over_symbols(count) for count in affine_counts), why
        )

    # Sizes as expressions --------------------------------------------------------------------

    def is_affine(self, expr: AffineExpr) -> bool:
        """True if ``expr`` contains no product of sizes."""
        return all(isinstance(self._atoms[dim], str) for dim in expr.used_dims())

    def symbol_expr(self, size: Extent, op: Operation) -> AffineExpr | None:
        """A size as an affine function of the symbols; None if it is no such function."""
        expr = self.expr(size, op)
        if expr is None or not self.is_affine(expr):
            return None
        symbols = self.raiser.symbols
        values = {
            dim: AffineExpr.symbol(symbols.index(str(self._atoms[dim]))) for dim in expr.used_dims()
        }
        return substitute(expr, values)

    def over_atoms(self, expr: AffineExpr) -> AffineExpr:
        """An expression over the symbols of the function, over the atoms."""
        symbols = [self._symbol(symbol) for symbol in self.raiser.symbols]
        return self._simplify(expr.replace_dims_and_symbols((), symbols))

    def expr(self, size: Extent, op: Operation) -> AffineExpr | None:
        """A size over the atoms; None if it is no function of the symbols."""
        if isinstance(size, int):
            return AffineExpr.constant(size)
        expr = self._expr(size, op)
        return None if expr is None else self._simplify(expr)

    def _simplify(self, expr: AffineExpr) -> AffineExpr:
        return simplify(expr, self._ranges)

    def _atom(self, key: str | _Factors, range_: Bounds) -> AffineExpr:
        if key not in self._atoms:
            self._atoms.append(key)
            self._ranges.append(range_)
        return AffineExpr.dimension(self._atoms.index(key))

    def _symbol(self, name: str) -> AffineExpr:
        sized = name in self.raiser.sizes_known.sized
        return self._atom(name, (0, None) if sized else UNBOUNDED)

    def _expr(self, value: SSAValue, op: Operation) -> AffineExpr | None:
        owner = value.owner
        if isinstance(owner, Block):
            return self._argument(value)
        if isinstance(owner, tir.SymbolOp):
            return self._symbol(owner.symbol.data)
        if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
            return AffineExpr.constant(owner.value.value.data)
        if isinstance(owner, arith.IndexCastOp | arith.ExtSIOp):
            return self.expr(owner.input, op)
        if isinstance(owner, tir.ApplyOp) and owner.expr is not None:
            parts = [self.expr(operand, op) for operand in owner.operands_of_map]
            dims = [part for part in parts if part is not None]
            return owner.expr.replace_dims_and_symbols(dims, ()) if dims == parts else None
        kind = _BINARY.get(owner.name)
        if kind is None:
            return None
        lhs, rhs = (self.expr(operand, op) for operand in owner.operands)
        if lhs is None or rhs is None:
            return None
        if kind == "add":
            return lhs + rhs
        if kind == "sub":
            return lhs - rhs
        if kind == "mul":
            return self._product(lhs, rhs)
        if not isinstance(rhs, AffineConstantExpr) or rhs.value <= 0:
            return None
        if isinstance(owner, arith.FloorDivSIOp):
            return lhs // rhs.value
        if isinstance(owner, arith.CeilDivSIOp):
            return lhs.ceil_div(rhs.value)
        # These round towards 0, or treat their operands as unsigned.
        self.at_least(lhs, 0, op, "divides sizes that are at least 0")
        if isinstance(owner, arith.CeilDivUIOp):
            return lhs.ceil_div(rhs.value)
        return lhs % rhs.value if kind == "rem" else lhs // rhs.value

    def _argument(self, value: SSAValue) -> AffineExpr | None:
        """The symbol of an integer argument, which it becomes from now on."""
        raiser = self.raiser
        if not isinstance(value, BlockArgument) or value.block is not raiser.entry:
            return None
        if value.type not in (IndexType(), IntegerType(32), IntegerType(64)):
            return None
        if value.index >= len(raiser.source.args):
            return None
        return self._symbol(raiser.scalar_symbol(value.index, value.name_hint))

    def _product(self, lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
        """``lhs * rhs``, multiplied out."""
        total: AffineExpr = AffineExpr.constant(0)
        sides = [
            [(self._factors(atom), factor) for atom, factor in terms.items()]
            + ([((), constant)] if constant else [])
            for terms, constant in (linear_terms(lhs), linear_terms(rhs))
        ]
        for (lhs_atoms, lhs_factor), (rhs_atoms, rhs_factor) in product(*sides):
            parts = tuple(sorted((*lhs_atoms, *rhs_atoms), key=str))
            if not parts:
                total = total + lhs_factor * rhs_factor
                continue
            atom = parts[0]
            if len(parts) > 1:
                low = [bounds(part, self._ranges)[0] for part in parts]
                is_natural = all(least is not None and least >= 0 for least in low)
                atom = self._atom(parts, (0, None) if is_natural else UNBOUNDED)
            total = total + atom * (lhs_factor * rhs_factor)
        return total

    def _factors(self, atom: AffineExpr) -> _Factors:
        if isinstance(atom, AffineDimExpr) and isinstance(self._atoms[atom.position], tuple):
            return self._atoms[atom.position]  # pyright: ignore[reportReturnType]
        return (atom,)

    # Indices ---------------------------------------------------------------------------------

    def index_range(
        self, expr: AffineExpr, extents: Sequence[AffineExpr | None]
    ) -> tuple[AffineExpr | None, AffineExpr | None]:
        """The minimum and maximum of ``expr`` over loops of ``extents``; None if unknown."""
        terms, constant = linear_terms(expr)
        if len(expr.used_dims()) < sum(len(atom.used_dims()) for atom in terms):
            return None, None  # the contribution of one loop may cancel that of another
        low: AffineExpr | None = AffineExpr.constant(constant)
        high: AffineExpr | None = AffineExpr.constant(constant)
        for atom, factor in terms.items():
            ends = self._atom_range(atom, extents)
            if factor < 0:
                ends = ends[::-1]
            low, high = (
                None if total is None or end is None else total + end * factor
                for total, end in zip((low, high), ends, strict=True)
            )
        return low, high

    def _atom_range(
        self, atom: AffineExpr, extents: Sequence[AffineExpr | None]
    ) -> tuple[AffineExpr | None, AffineExpr | None]:
        if isinstance(atom, AffineDimExpr):
            extent = extents[atom.position]
            return AffineExpr.constant(0), None if extent is None else extent - 1
        assert isinstance(atom, AffineBinaryOpExpr)
        by = atom.rhs
        if not isinstance(by, AffineConstantExpr) or by.value <= 0:
            return None, None
        ends = self.index_range(atom.lhs, extents)
        if atom.kind is AffineBinaryOpKind.Mod:
            limits = [self._simplify(end) if end is not None else None for end in ends]
            if all(isinstance(end, AffineConstantExpr) for end in limits):
                first, last = (end.value // by.value for end in limits)  # pyright: ignore
                if first == last:
                    return tuple(end % by.value for end in limits)  # pyright: ignore
            return AffineExpr.constant(0), None
        divide = (
            AffineExpr.ceil_div
            if atom.kind is AffineBinaryOpKind.CeilDiv
            else AffineExpr.__floordiv__
        )
        low, high = (None if end is None else divide(end, by.value) for end in ends)
        return low, high


_BINARY: dict[str, str] = {
    arith.AddiOp.name: "add",
    arith.SubiOp.name: "sub",
    arith.MuliOp.name: "mul",
    arith.DivSIOp.name: "div",
    arith.DivUIOp.name: "div",
    arith.FloorDivSIOp.name: "div",
    arith.CeilDivSIOp.name: "div",
    arith.CeilDivUIOp.name: "div",
    arith.RemSIOp.name: "rem",
    arith.RemUIOp.name: "rem",
}
"""Functions by operation name, as kc's classes extend those of xDSL."""


def _text(size: SSAValue | AffineExpr) -> str | None:
    """A constant size as text; None for other sizes."""
    return str(size.value) if isinstance(size, AffineConstantExpr) else None
