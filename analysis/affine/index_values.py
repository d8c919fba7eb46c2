"""Index values of a function as affine expressions over roots: loop variables and opaque values.

One numbering of dimensions serves the whole function, so that expressions from different ops can
be combined, compared and simplified by the ranges of their roots. The operations that
:mod:`kc.analysis.affine.index_reader` knows are folded; every other value of type index is a root.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSet,
)

from kc.analysis.affine.array_sizes import is_array_size, sized_symbols
from kc.analysis.affine.index_reader import IndexReader, extreme_of
from kc.analysis.affine.simplify_affine import (
    UNBOUNDED,
    Bounds,
    bounds,
    bounds_of_sum,
    compose,
    simplify,
    simplify_constraints,
)
from kc.dialects.gpu import LaunchOp
from kc.dialects.tir import (
    INDEX,
    ApplyOp,
    BlockOp,
    DelinearizeOp,
    ExtremeKind,
    ForOp,
    LinearizeOp,
)


class IndexValues(IndexReader[AffineExpr]):
    """The affine view of the index values of one function; :attr:`roots` are its dimensions."""

    def __init__(self) -> None:
        self.roots: list[SSAValue | None] = []
        self.ranges: list[Bounds] = []
        self._exprs: dict[SSAValue, AffineExpr] = {}

    def dimension(self, value: SSAValue | None, range_: Bounds) -> AffineExpr:
        """Add a root for ``value``, or a root without a value; return its dimension."""
        expr = AffineExpr.dimension(len(self.roots))
        self.roots.append(value)
        self.ranges.append(range_)
        if value is not None:
            self._exprs[value] = expr
        return expr

    def define(self, value: SSAValue, expr: AffineExpr) -> None:
        """Define ``value`` as ``expr`` over the roots."""
        self._exprs[value] = expr

    def expr(self, value: SSAValue) -> AffineExpr:
        """``value`` as a simplified expression over the roots."""
        expr = self._exprs.get(value)
        if expr is None:
            expr = self._affine(value)
            if expr is None:
                return self.dimension(value, self._range(value))
            self._exprs[value] = expr
        return expr

    def constant(self, value: SSAValue) -> int | None:
        """The number if ``value`` is constant, else None."""
        expr = self.expr(value)
        return expr.value if isinstance(expr, AffineConstantExpr) else None

    def simplify(self, expr: AffineExpr) -> AffineExpr:
        """``expr`` (over the roots), simplified."""
        return simplify(expr, self.ranges)

    def bounds(self, expr: AffineExpr) -> Bounds:
        """Bounds of ``expr`` (over the roots)."""
        return bounds(expr, self.ranges)

    def bounds_of_sum(self, terms: dict[AffineExpr, int], constant: int) -> Bounds:
        """Bounds of a sum of terms over the roots, each with its factor, and a constant."""
        return bounds_of_sum(terms, constant, self.ranges)

    def is_natural(self, expr: AffineExpr) -> bool:
        """True if ``expr`` (over the roots) is proven to be at least 0."""
        low, _ = self.bounds(expr)
        return low is not None and low >= 0

    def compose(self, expr: AffineExpr, operands: Sequence[SSAValue]) -> AffineExpr:
        """``expr`` over ``operands``, as an expression over the roots, simplified."""
        if isinstance(expr, AffineDimExpr):
            return self.expr(operands[expr.position])
        dims = [self.expr(operand) for operand in operands]
        return compose(expr, dims, self.ranges)

    def conditions(
        self, condition: AffineSet, operands: Sequence[SSAValue]
    ) -> list[AffineConstraintExpr] | None:
        """``condition`` over the roots without redundant constraints; None if it never holds."""
        dims = [self.expr(operand) for operand in operands]
        return simplify_constraints(
            [
                AffineConstraintExpr(
                    constraint.kind,
                    constraint.lhs.replace_dims_and_symbols(dims, ()),
                    constraint.rhs,
                )
                for constraint in condition.constraints
            ],
            self.ranges,
        )

    def to_map(self, exprs: Sequence[AffineExpr]) -> tuple[AffineMap, list[SSAValue]]:
        """``exprs`` over the roots as a map and its operands, the roots in use."""
        position, operands = self._used(exprs)
        local = tuple(substitute(expr, position) for expr in exprs)
        return AffineMap(len(operands), 0, local), operands

    def to_set(
        self, constraints: Sequence[AffineConstraintExpr]
    ) -> tuple[AffineSet, list[SSAValue]]:
        """A conjunction over the roots as a set and its operands, the roots in use."""
        position, operands = self._used([constraint.lhs for constraint in constraints])
        local = tuple(
            AffineConstraintExpr(
                constraint.kind,
                substitute(constraint.lhs, position),
                constraint.rhs,
                canonicalize=False,
            )
            for constraint in constraints
        )
        return AffineSet(len(operands), 0, local), operands

    def _used(self, exprs: Sequence[AffineExpr]) -> tuple[dict[int, AffineExpr], list[SSAValue]]:
        position: dict[int, AffineExpr] = {}
        operands: list[SSAValue] = []
        for expr in exprs:
            for dim in dimensions(expr):
                if dim not in position:
                    value = self.roots[dim]
                    assert value is not None, "a dimension without a value cannot be an operand"
                    position[dim] = AffineExpr.dimension(len(operands))
                    operands.append(value)
        return position, operands

    def _affine(self, value: SSAValue) -> AffineExpr | None:
        expr = self.computed(value)
        return None if expr is None else self.simplify(expr)

    read = expr

    def _number(self, value: int) -> AffineExpr:
        return AffineExpr.constant(value)

    def _known(self, form: AffineExpr) -> int | None:
        return form.value if isinstance(form, AffineConstantExpr) else None

    def _applied(self, expr: AffineExpr, operands: Sequence[SSAValue]) -> AffineExpr:
        return self.compose(expr, operands)

    def _towards_zero(self, value: SSAValue, divisor: int) -> AffineExpr | None:
        dividend = self.expr(value)
        if divisor < 0 or not self.is_natural(dividend):
            return None
        return dividend // divisor

    def _range(self, value: SSAValue) -> Bounds:
        owner = value.owner
        if isinstance(owner, Block):
            return self._argument_range(owner.parent_op(), value)
        if isinstance(owner, DelinearizeOp):
            return (0, None) if self.is_natural(self.expr(owner.index)) else UNBOUNDED
        # The result of tir.linearize is at least 0 by its contract.
        if isinstance(owner, LinearizeOp) or is_array_size(value):
            return 0, None
        if isinstance(owner, arith.MinSIOp | arith.MaxSIOp):
            lhs, rhs = (self.bounds(self.expr(operand)) for operand in owner.operands)
            return _extreme_range(extreme_of(owner), lhs, rhs)
        if isinstance(owner, ApplyOp):
            exprs = [self.compose(expr, owner.operands) for expr in owner.map.data.results]
            return owner.combined([self.bounds(expr) for expr in exprs], _extreme_range)
        if isinstance(owner, arith.MuliOp):
            (low, _), (other_low, _) = (self.bounds(self.expr(value)) for value in owner.operands)
            if low is None or other_low is None or min(low, other_low) < 0:
                return UNBOUNDED
            return low * other_low, None
        return UNBOUNDED

    def _scf_range(self, loop: scf.ForOp | scf.ParallelOp, value: SSAValue) -> Bounds:
        """The range of a loop variable from the constant bounds of its loop."""
        n = value.index  # pyright: ignore[reportAttributeAccessIssue]
        if isinstance(loop, scf.ForOp):
            starts, ends = [loop.lb], [loop.ub]
        else:
            starts, ends = list(loop.lowerBound), list(loop.upperBound)
        if n >= len(starts) or value.type != INDEX:
            return UNBOUNDED
        low, high = self.constant(starts[n]), self.constant(ends[n])
        if low is None or high is None or high <= low:
            return UNBOUNDED
        return low, high - 1

    def _launch_range(self, launch: LaunchOp, value: SSAValue) -> Bounds:
        """The range of a block or thread number, or of the size of the grid or block."""
        n = value.index  # pyright: ignore[reportAttributeAccessIssue]
        if n >= 12:
            return UNBOUNDED
        size = self.constant((*launch.grid, *launch.block)[n % 6])
        if n >= 6:
            return (size, size) if size is not None else (1, None)
        return 0, size - 1 if size is not None else None

    def _argument_range(self, parent: Operation | None, value: SSAValue) -> Bounds:
        extent: int | SSAValue | None = None
        if isinstance(parent, ForOp):
            extent = parent.extent_value
        elif isinstance(parent, BlockOp):
            extent = parent.extent_of(value.index)  # pyright: ignore[reportAttributeAccessIssue]
        elif isinstance(parent, scf.ForOp | scf.ParallelOp):
            return self._scf_range(parent, value)
        elif isinstance(parent, func.FuncOp) and parent.arg_attrs is not None:
            index = value.index  # pyright: ignore[reportAttributeAccessIssue]
            symbol = parent.arg_attrs.data[index].data.get("kc.symbol")
            is_size = isinstance(symbol, StringAttr) and symbol.data in sized_symbols(parent)
            return (0, None) if is_size else UNBOUNDED
        elif isinstance(parent, LaunchOp):
            return self._launch_range(parent, value)
        if extent is None:
            return UNBOUNDED
        if isinstance(extent, int):
            return 0, extent - 1 if extent > 0 else None
        # A loop that may be empty must not be treated as a loop with one iteration, its variable 0.
        _, high = self.bounds(self.expr(extent))
        return 0, high - 1 if high is not None and high > 1 else None


def _extreme_range(kind: ExtremeKind, lhs: Bounds, rhs: Bounds) -> Bounds:
    """The range of the minimum or maximum of two values with the ranges ``lhs`` and ``rhs``."""
    (low, high), (other_low, other_high) = lhs, rhs
    if kind == "min":
        lows = None if low is None or other_low is None else min(low, other_low)
        return lows, min((bound for bound in (high, other_high) if bound is not None), default=None)
    highs = None if high is None or other_high is None else max(high, other_high)
    return max((bound for bound in (low, other_low) if bound is not None), default=None), highs


def dimensions(expr: AffineExpr) -> list[int]:
    """The dimensions that ``expr`` uses, in order of first use."""
    if isinstance(expr, AffineDimExpr):
        return [expr.position]
    positions = (part.position for part in expr.dfs() if isinstance(part, AffineDimExpr))
    return list(dict.fromkeys(positions))


def substitute(expr: AffineExpr, values: Mapping[int, AffineExpr]) -> AffineExpr:
    """``expr`` with the dimensions in ``values`` replaced, without simplification."""
    if isinstance(expr, AffineDimExpr):
        return values.get(expr.position, expr)
    if isinstance(expr, AffineBinaryOpExpr):
        lhs, rhs = substitute(expr.lhs, values), substitute(expr.rhs, values)
        return AffineBinaryOpExpr(expr.kind, lhs, rhs)
    return expr
