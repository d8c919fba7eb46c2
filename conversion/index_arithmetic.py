"""Affine index expressions as ``arith`` ops on values of type index.

Each op is inserted in the outermost scope in which its operands are available, so loop-invariant
code is computed once, before the loop, for all its uses. Nothing moves out of a parallel body,
because the body becomes a function.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.arith import IntegerOverflowAttr
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
)

from kc.analysis.affine.index_values import IndexValues
from kc.dialects.affine_assembly import from_terms, linear_terms
from kc.dialects.arith import CmpiOp, SelectOp
from kc.dialects.tir import INDEX, ExtremeKind
from kc.support.diagnostics import InternalError

_OVERFLOWING = frozenset({arith.AddiOp, arith.SubiOp, arith.MuliOp})
_NO_OVERFLOW_FLAGS: dict[str, Attribute] = {"overflowFlags": IntegerOverflowAttr("none")}


@dataclass(eq=False)
class Scope:
    """A block that is being converted."""

    block: Block
    depth: int
    limit: int
    """The depth of the function or parallel body, from which nothing moves out."""
    at: Operation | None = None
    """The op being converted; new ops are inserted before it."""
    head: Operation | None = None
    """The last op that was inserted at the start of the block."""
    values: dict[object, SSAValue] = field(default_factory=dict)


class IndexArithmetic:
    """Builds the values of expressions over the roots of ``index``, at the insertion point."""

    def __init__(self, index: IndexValues) -> None:
        self.index = index
        self.scopes: list[Scope] = []
        self._scope_of: dict[Block, Scope] = {}

    # The place

    def enter(self, block: Block, *, is_limit: bool = False) -> None:
        """Enter ``block``, which is in a region of the current op."""
        depth = len(self.scopes)
        limit = depth if is_limit or not self.scopes else self.scopes[-1].limit
        scope = Scope(block, depth, limit)
        self.scopes.append(scope)
        self._scope_of[block] = scope

    def leave(self) -> None:
        """Return to the block around the current one."""
        del self._scope_of[self.scopes.pop().block]

    def go_to(self, op: Operation) -> None:
        """Make ``op``, in the current block, the insertion point."""
        self.scopes[-1].at = op

    @property
    def home(self) -> Scope:
        """The scope of the function, or of the parallel body around the insertion point."""
        return self.scopes[self.scopes[-1].limit]

    def scope_of(self, *values: SSAValue) -> Scope:
        """The outermost scope, at most :attr:`home`, in which all of ``values`` are available."""
        depth = self.scopes[-1].limit
        for value in values:
            owner = value.owner
            block = owner if isinstance(owner, Block) else owner.parent
            scope = self._scope_of.get(block) if block is not None else None
            depth = max(depth, scope.depth if scope is not None else self.scopes[-1].depth)
        return self.scopes[depth]

    def insert(self, op: Operation, scope: Scope) -> Operation:
        """Insert ``op`` before the insertion point of ``scope``."""
        place, like = scope.at, self.scopes[-1].at
        assert place is not None
        assert like is not None
        op.location = like.location
        scope.block.insert_op_before(op, place)
        return op

    def insert_at_head(self, op: Operation) -> Operation:
        """Put ``op``, which has no operands, at the start of :attr:`home`."""
        scope = self.home
        first = scope.block.first_op if scope.head is None else scope.head.next_op
        assert first is not None, "a block has a terminator"
        op.location = first.location
        scope.block.insert_op_before(op, first)
        scope.head = op
        return op

    # Values

    def constant(self, value: int) -> SSAValue:
        """A constant index."""
        constants = self.home.values
        if value not in constants:
            op = arith.ConstantOp.create(
                properties={"value": IntegerAttr(value, INDEX)}, result_types=[INDEX]
            )
            constants[value] = self.insert_at_head(op).results[0]
            constants[value].name_hint = f"c{value}" if value >= 0 else None
        return constants[value]

    def value(self, expr: AffineExpr) -> SSAValue:
        """``expr`` as a value."""
        if isinstance(expr, AffineDimExpr):
            root = self.index.roots[expr.position]
            assert root is not None
            return root
        terms, constant = linear_terms(expr)
        parts = [(self._atom(atom), factor) for atom, factor in terms.items()]
        # Outer loops first: their part of the sum is then computed outside of the inner ones.
        parts.sort(key=lambda part: self.scope_of(part[0]).depth)
        total: SSAValue | None = None
        if not parts or parts[0][1] < 0:
            total, constant = self.constant(constant), 0
        for value, factor in parts:
            if total is None:
                total = self._scaled(value, factor)
            elif factor < 0:
                total = self._binary(arith.SubiOp, total, self._scaled(value, -factor))
            else:
                total = self._binary(arith.AddiOp, total, self._scaled(value, factor))
        assert total is not None
        if constant:
            total = self._binary(arith.AddiOp, total, self.constant(constant))
        return total

    def product_sum(self, value: SSAValue, factor: SSAValue, addend: SSAValue) -> SSAValue:
        """``value * factor + addend``."""
        return self._binary(arith.AddiOp, self._binary(arith.MuliOp, value, factor), addend)

    def quotient(self, value: SSAValue, divisor: SSAValue, *, is_natural: bool) -> SSAValue:
        """``value floordiv divisor`` for a positive divisor."""
        if is_natural:
            return self._divide(arith.DivUIOp, value, divisor)
        # -1 - (-1 - value) / divisor for a negative value, as upstream expands floordiv
        minus_one = self.constant(-1)
        negative = self._compare("slt", value, self.constant(0))
        flipped = self._binary(arith.SubiOp, minus_one, value)
        dividend = self._select(negative, flipped, value)
        result = self._divide(arith.DivSIOp, dividend, divisor)
        return self._select(negative, self._binary(arith.SubiOp, minus_one, result), result)

    def remainder(self, value: SSAValue, divisor: SSAValue, *, is_natural: bool) -> SSAValue:
        """``value mod divisor`` for a positive divisor."""
        if is_natural:
            return self._divide(arith.RemUIOp, value, divisor)
        rest = self._divide(arith.RemSIOp, value, divisor)
        negative = self._compare("slt", rest, self.constant(0))
        return self._select(negative, self._binary(arith.AddiOp, rest, divisor), rest)

    def extreme(self, kind: ExtremeKind, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """The smaller or the larger of two values."""
        return self._binary(arith.MinSIOp if kind == "min" else arith.MaxSIOp, lhs, rhs)

    def condition(self, constraint: AffineConstraintExpr) -> SSAValue:
        """``expr >= 0`` or ``expr == 0`` as an i1: positive terms compared with negative ones."""
        terms, constant = linear_terms(constraint.lhs)
        small = {atom: -factor for atom, factor in terms.items() if factor < 0}
        large = {atom: factor for atom, factor in terms.items() if factor > 0}
        if constraint.kind is AffineConstraintKind.eq:
            lhs, rhs = from_terms(large, max(constant, 0)), from_terms(small, max(-constant, 0))
            return self._compare("eq", self.value(lhs), self.value(rhs))
        if small:
            lhs, rhs = from_terms(small, 0), from_terms(large, constant + 1)
            return self._compare("slt", self.value(lhs), self.value(rhs))
        lhs, bound = from_terms(large, 0), AffineConstantExpr(-constant)
        return self._compare("sge", self.value(lhs), self.value(bound))

    def both(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """The conjunction of two conditions."""
        return self._binary(arith.AndIOp, lhs, rhs)

    def _scaled(self, value: SSAValue, factor: int) -> SSAValue:
        if factor == 1:
            return value
        return self._binary(arith.MuliOp, value, self.constant(factor))

    def _atom(self, atom: AffineExpr) -> SSAValue:
        if isinstance(atom, AffineDimExpr):
            return self.value(atom)
        if isinstance(atom, AffineBinaryOpExpr) and isinstance(atom.rhs, AffineConstantExpr):
            value, divisor = self.value(atom.lhs), atom.rhs.value
            is_natural = self.index.is_natural(atom.lhs)
            if divisor > 0 and atom.kind is AffineBinaryOpKind.FloorDiv:
                if not is_natural and divisor & (divisor - 1) == 0:
                    shift = self.constant(divisor.bit_length() - 1)
                    return self._binary(arith.ShRSIOp, value, shift)
                return self.quotient(value, self.constant(divisor), is_natural=is_natural)
            if divisor > 0 and atom.kind is AffineBinaryOpKind.Mod:
                if not is_natural and divisor & (divisor - 1) == 0:
                    return self._binary(arith.AndIOp, value, self.constant(divisor - 1))
                return self.remainder(value, self.constant(divisor), is_natural=is_natural)
        raise InternalError(f"the index expression {atom} is not in simplified form")

    def _binary(self, op_type: type[Any], lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        def make() -> Operation:
            return op_type.create(
                operands=[lhs, rhs],
                result_types=[lhs.type],
                properties=_NO_OVERFLOW_FLAGS if op_type in _OVERFLOWING else {},
            )

        return self._once((op_type, lhs, rhs), (lhs, rhs), make)

    def _divide(self, op_type: type[Any], lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """A division. It stays in place if the divisor may be 0, as guards and loops may exclude
        that case.
        """
        if isinstance(rhs.owner, arith.ConstantOp):
            return self._binary(op_type, lhs, rhs)
        quotients, key = self.scopes[-1].values, (op_type, lhs, rhs)
        if key not in quotients:
            quotients[key] = self.insert(op_type(lhs, rhs), self.scopes[-1]).results[0]
        return quotients[key]

    def _compare(self, predicate: str, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return self._once((predicate, lhs, rhs), (lhs, rhs), lambda: CmpiOp(lhs, rhs, predicate))

    def _select(self, condition: SSAValue, on_true: SSAValue, on_false: SSAValue) -> SSAValue:
        operands = (condition, on_true, on_false)
        return self._once((SelectOp, *operands), operands, lambda: SelectOp(*operands))

    def _once(
        self, key: object, operands: tuple[SSAValue, ...], make: Callable[[], Operation]
    ) -> SSAValue:
        """The result of the op that ``make`` creates, cached by ``key``."""
        scope = self.scope_of(*operands)
        if key not in scope.values:
            scope.values[key] = self.insert(make(), scope).results[0]
        return scope.values[key]
