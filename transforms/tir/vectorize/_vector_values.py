"""The values of a loop's body when its iterations are the lanes of vectors.

A value is *uniform* if it is equal in all lanes; it stays a scalar. A value that differs from lane
to lane is represented as an affine function of the lane (an index), as a scalar for each lane, or
as a vector. Representations are converted on demand.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    VectorType,
)
from xdsl.dialects.vector import BroadcastOp, ExtractOp, InsertOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineDimExpr,
    AffineExpr,
)

from kc.analysis.affine.index_values import IndexValues, dimensions, substitute
from kc.analysis.affine.simplify_affine import simplify_constraint
from kc.dialects.affine_assembly import at_least_zero, linear_terms
from kc.dialects.arith import vector_of
from kc.dialects.tir import INDEX, ApplyOp


@dataclass(frozen=True)
class Linear:
    """The function ``base + stride * lane``, valid if all conditions in ``assumptions`` hold.
    ``base`` does not depend on the lane.
    """

    base: AffineExpr
    stride: int
    assumptions: tuple[AffineConstraintExpr, ...] = ()


@dataclass
class Scope:
    """A block under construction, with a memo of the values emitted in it."""

    block: Block
    memo: dict[object, SSAValue] = field(default_factory=dict)


class LaneValues:
    """The values of the body of a loop for ``width`` of its iterations.

    New code is appended to the innermost of :attr:`scopes`. Values of the old code (parameters
    called ``old``) are looked up; expressions are over the roots of ``index``, among which the
    dimension :attr:`lane` is the number of the lane.
    """

    def __init__(self, width: int, index: IndexValues, source: Operation) -> None:
        self.width = width
        self.index = index
        self.loop = source
        self.source = source
        """The op from which new ops are derived."""
        self.scopes = [Scope(Block())]
        self.assumptions: dict[AffineConstraintExpr, None] = {}
        """The assumptions about values from outside the loop."""
        self.lane_expr = index.dimension(None, (0, width - 1))
        (self.lane,) = dimensions(self.lane_expr)
        self._exprs: dict[SSAValue, AffineExpr] = {}
        self._lists: dict[SSAValue, list[SSAValue]] = {}
        self._vectors: dict[SSAValue, SSAValue] = {}
        self._scalars: dict[SSAValue, SSAValue] = {}
        self._constants: dict[SSAValue, arith.ConstantOp] = {}
        self._inner: set[SSAValue] = set()

    # Making code

    def emit(self, op: Operation) -> Operation:
        """Append ``op``."""
        op.location = self.source.location
        self.scopes[-1].block.add_op(op)
        self._inner.update(op.results)
        for region in op.regions:
            for block in region.blocks:
                self._inner.update(block.args)
        return op

    def once(self, key: object, make: Callable[[], SSAValue]) -> SSAValue:
        """The value of ``make()``, or an earlier value of ``key`` that is visible in the current
        scope.
        """
        for scope in reversed(self.scopes):
            if key in scope.memo:
                return scope.memo[key]
        value = self.scopes[-1].memo[key] = make()
        return value

    def apply(self, expr: AffineExpr) -> SSAValue:
        """The uniform ``expr`` as a value."""

        def make() -> SSAValue:
            if isinstance(expr, AffineConstantExpr):
                return self.emit(arith.ConstantOp(IntegerAttr(expr.value, INDEX))).results[0]
            affine_map, operands = self.index.to_map([expr])
            return self.emit(ApplyOp(affine_map.results[0], operands)).results[0]

        if isinstance(expr, AffineDimExpr):
            value = self.index.roots[expr.position]
            assert value is not None
            return value
        return self.once(("apply", expr), make)

    def clamped(self, expr: AffineExpr, low: int | None, high: int | None) -> SSAValue:
        """The uniform ``expr`` as a value clamped to the range from ``low`` to ``high``."""
        affine_map, operands = self.index.to_map([expr])
        groups = [list(affine_map.results)]
        if high is not None:
            groups[0].append(AffineExpr.constant(high))
        if low is not None:
            groups.append([AffineExpr.constant(low)])
        if low is None and high is None:
            return self.apply(expr)
        return self.emit(ApplyOp.of_groups("max", groups, operands)).results[0]

    # How old values are known

    def _forget(self, old: SSAValue) -> None:
        """Forget the representations of ``old``: code that is emitted twice may define ``old`` in
        another form the second time.
        """
        tables = self._exprs, self._constants, self._scalars, self._vectors, self._lists
        for table in tables:
            table.pop(old, None)

    def define_expr(self, old: SSAValue, expr: AffineExpr) -> None:
        """Define ``old`` as the index ``expr``."""
        self._forget(old)
        self._exprs[old] = expr

    def define_scalar(self, old: SSAValue, new: SSAValue) -> None:
        """Define ``old`` as a scalar that is equal in all lanes."""
        self._forget(old)
        self._scalars[old] = new
        if new.name_hint is None:
            new.name_hint = old.name_hint

    def define_constant(self, op: arith.ConstantOp) -> None:
        """Define the result of ``op`` as a constant, which is emitted on demand."""
        value = op.value
        if isinstance(value, IntegerAttr) and op.result.type == INDEX:
            self._exprs[op.result] = AffineExpr.constant(value.value.data)
        else:
            self._constants[op.result] = op

    def constant(self, old: SSAValue) -> Attribute | None:
        """The constant value of ``old``; None if ``old`` is not constant, or is a constant
        index.
        """
        op = self._constants.get(old)
        return op.value if op is not None else None

    def define_vector(self, old: SSAValue, new: SSAValue) -> None:
        """Define ``old`` as the lanes of the vector ``new``."""
        self._forget(old)
        self._vectors[old] = new
        new.name_hint = old.name_hint

    def define_lanes(self, old: SSAValue, new: Sequence[SSAValue]) -> None:
        """Define ``old`` as ``new[n]`` in lane n."""
        self._forget(old)
        self._lists[old] = list(new)

    def has_lane(self, expr: AffineExpr) -> bool:
        """True if ``expr`` differs from lane to lane."""
        return self.lane in dimensions(expr)

    def is_varying(self, old: SSAValue) -> bool:
        """True if ``old`` differs from lane to lane."""
        if old in self._exprs:
            return self.has_lane(self._exprs[old])
        return old in self._vectors or old in self._lists

    def expr(self, old: SSAValue) -> AffineExpr | None:
        """The affine expression of the index ``old``; None if ``old`` is not affine."""
        if old in self._exprs:
            return self._exprs[old]
        if old in self._vectors or old in self._lists:
            return None
        return self.index.expr(self._scalars.get(old, old))

    def exprs(
        self, exprs: Sequence[AffineExpr], operands: Sequence[SSAValue]
    ) -> list[AffineExpr] | None:
        """``exprs`` over the old values ``operands``; None if an operand is not affine."""
        dims = [self.expr(operand) for operand in operands]
        static = [dim for dim in dims if dim is not None]
        if len(static) != len(dims):
            return None
        return [self.index.simplify(expr.replace_dims_and_symbols(static, ())) for expr in exprs]

    # Conversions

    def scalar(self, old: SSAValue) -> SSAValue:
        """The uniform ``old`` as a scalar."""
        if old in self._exprs:
            return self.apply(self._exprs[old])
        if old in self._constants:
            constant = self._constants[old]
            return self.once(("constant", constant), lambda: self.emit(constant.clone()).results[0])
        return self._scalars.get(old, old)

    def lanes(self, old: SSAValue) -> list[SSAValue]:
        """``old`` as a scalar for each lane."""
        if not self.is_varying(old):
            return [self.scalar(old)] * self.width
        if old in self._lists:
            return self._lists[old]
        if old in self._exprs:
            expr = self._exprs[old]
            return [self.apply(self.at_lane(expr, n)) for n in range(self.width)]
        source = self._vectors[old]
        return [
            self.once(
                ("lane", source, n),
                lambda n=n: self.emit(ExtractOp(source, [n], old.type)).results[0],
            )
            for n in range(self.width)
        ]

    def vector(self, old: SSAValue) -> SSAValue:
        """``old`` as a vector."""
        if old in self._vectors:
            return self._vectors[old]
        if old in self._constants:
            value = self._constants[old].value
            assert isinstance(value, IntegerAttr | FloatAttr)
            return self.dense(old.type, [value.value.data])
        if old in self._lists:
            values = self._lists[old]
            return self.once(("gather", *values), lambda: self._gather(old.type, values))
        if self.is_varying(old):
            return self.index_vector(self._exprs[old])
        scalar = self.scalar(old)
        type_ = self.vector_type(old.type)
        return self.once(
            ("splat", scalar), lambda: self.emit(BroadcastOp(scalar, type_)).results[0]
        )

    def vector_type(self, element: Attribute) -> VectorType:
        """The type of a vector with a lane of type ``element`` for each iteration."""
        return vector_of(element, self.width)

    def index_vector(self, expr: AffineExpr) -> SSAValue:
        """The index ``expr`` as a vector."""
        return self.once(("index", expr), lambda: self._make_index_vector(expr))

    def _make_index_vector(self, expr: AffineExpr) -> SSAValue:
        linear = self.linear(expr)
        if linear is None or linear.assumptions:
            lanes = range(self.width)
            return self._gather(INDEX, [self.apply(self.at_lane(expr, n)) for n in lanes])
        steps = [linear.stride * n for n in range(self.width)]
        if isinstance(linear.base, AffineConstantExpr):
            return self.dense(INDEX, [linear.base.value + step for step in steps])
        base, type_ = self.apply(linear.base), self.vector_type(INDEX)
        splat = self.once(("splat", base), lambda: self.emit(BroadcastOp(base, type_)).results[0])
        return self.emit(arith.AddiOp(splat, self.dense(INDEX, steps))).results[0]

    def _gather(self, element: Attribute, values: Sequence[SSAValue]) -> SSAValue:
        """A vector with the elements ``values``."""
        zero = 0.0 if isinstance(element, AnyFloat) else 0
        vector = self.dense(element, [zero])
        for n, value in enumerate(values):
            vector = self.emit(InsertOp(value, vector, [n])).results[0]
        return vector

    def dense(self, element: Attribute, values: Sequence[int | float]) -> SSAValue:
        """A constant vector; a single value is repeated in all lanes."""
        type_: Any = self.vector_type(element)
        attr = DenseIntOrFPElementsAttr.from_list(type_, values)
        return self.once(attr, lambda: self.emit(arith.ConstantOp(attr)).results[0])

    # Expressions of the lane

    def at_lane(self, expr: AffineExpr, lane: int) -> AffineExpr:
        """``expr`` in lane ``lane``."""
        return self.index.simplify(substitute(expr, {self.lane: AffineExpr.constant(lane)}))

    def linear(self, expr: AffineExpr) -> Linear | None:
        """``expr`` as a linear function of the lane; None if it is not linear.

        Quotients and remainders are assumed not to wrap around between the first and the last lane,
        if this can be checked before the loop's body; the check is added to ``assumptions``.
        """
        terms, constant = linear_terms(expr)
        base, stride = AffineExpr.constant(constant), 0
        assumptions: list[AffineConstraintExpr] = []
        for atom, factor in terms.items():
            if not self.has_lane(atom):
                base += atom * factor
                continue
            if atom == self.lane_expr:
                stride += factor
                continue
            part = self._linear_atom(atom)
            if part is None:
                return None
            base += part.base * factor
            stride += part.stride * factor
            assumptions += part.assumptions
        return Linear(self.index.simplify(base), stride, tuple(dict.fromkeys(assumptions)))

    def _linear_atom(self, atom: AffineExpr) -> Linear | None:
        """A quotient or remainder that depends on the lane, as a linear function; None if it is not
        linear.
        """
        assert isinstance(atom, AffineBinaryOpExpr)
        if not isinstance(atom.rhs, AffineConstantExpr):
            return None
        divisor = atom.rhs.value
        inner = self.linear(atom.lhs)
        if inner is None or abs(inner.stride) * (self.width - 1) >= divisor:
            return None
        first = self.index.simplify(inner.base % divisor)
        assumptions = [*inner.assumptions]
        if inner.stride:
            check = simplify_constraint(
                self.in_range(first, inner.stride, divisor), self.index.ranges
            )
            if check is False or (check is not True and not self.is_outside(first)):
                return None
            if check is not True:
                assumptions.append(check)
        if atom.kind is AffineBinaryOpKind.Mod:
            return Linear(first, inner.stride, tuple(assumptions))
        return Linear(self.index.simplify(inner.base // divisor), 0, tuple(assumptions))

    def in_range(
        self, first: AffineExpr, stride: int, size: int | AffineExpr
    ) -> AffineConstraintExpr:
        """The condition that ``first + stride * lane`` is in [0, size) in the last lane, too."""
        last = first + stride * (self.width - 1)
        return at_least_zero(last if stride < 0 else last * -1 + size - 1)

    def is_outside(self, expr: AffineExpr) -> bool:
        """True if ``expr`` can be computed before the loop's body."""
        values = [self.index.roots[dim] for dim in dimensions(expr)]
        return all(value is not None and value not in self._inner for value in values)

    def assume(self, constraints: Sequence[AffineConstraintExpr]) -> None:
        """Assume ``constraints``, conditions on values from outside, in the whole chunk."""
        self.assumptions.update(dict.fromkeys(constraints))
