"""Loops and branches inside a vectorized loop: guards, branches with results, and code under
masks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, math, scf
from xdsl.dialects.builtin import i1
from xdsl.dialects.vector import ExtractOp, MaskedLoadOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineExpr,
)

from kc.analysis.affine.index_values import dimensions, substitute
from kc.analysis.affine.simplify_affine import simplify_constraints
from kc.analysis.captures import captured_values
from kc.dialects.affine_assembly import ZERO, at_least_zero
from kc.dialects.arith import SelectOp
from kc.dialects.tir import (
    ApplyOp,
    ForKind,
    ForOp,
    IfOp,
    LinearizeOp,
    LoadOp,
    PrefetchOp,
    StoreOp,
)
from kc.transforms.tir.vectorize._vector_masks import Masks
from kc.transforms.tir.vectorize._vector_values import LaneValues, Scope

SMALL = 4
"""The most ops without effects in a branch that is duplicated rather than put under a mask."""

_ACCESSES = (LoadOp, StoreOp)
_CONTROL = (ForOp, IfOp, scf.IfOp)
_MASKABLE = (*_ACCESSES, *_CONTROL, ApplyOp, LinearizeOp, PrefetchOp, scf.YieldOp)


class CannotVectorizeError(Exception):
    """The loop must run iteration by iteration; ``op`` is the operation that prevents
    vectorization.
    """

    def __init__(self, reason: str, op: Operation) -> None:
        super().__init__(reason)
        self.reason = reason
        self.op = op


@dataclass(frozen=True)
class Masking:
    """The options for code under masks."""

    guards: bool
    """True if the bodies of guards that hold only in some lanes are masked; otherwise they run lane
    by lane.
    """

    element_bits: int
    """The width of the data's elements in bits."""

    assumes: bool = True
    """True if a guard is assumed to hold in all lanes, provided that this can be checked before the
    loop.
    """

    misses: bool = False
    """True if the assumable guards do not hold in some lane."""

    conditional: bool = False
    """True if the loop is in a branch that may be taken by few lanes of another loop."""

    shuffles: bool = False
    """True if shuffles may select lanes from longer vectors, as on CPUs."""


class Branches:
    """The vector code of the loops and branches inside ``loop``, whose iterations are the lanes of
    ``values``.

    ``rewrite`` emits vector code for the ops of a loop or branch, at the end of the innermost
    scope.
    """

    def __init__(
        self,
        loop: ForOp,
        values: LaneValues,
        masks: Masks,
        masking: Masking,
        rewrite: Callable[[Iterable[Operation]], None],
    ) -> None:
        self.loop = loop
        self.values = values
        self.masks = masks
        self.masking = masking
        self.rewrite = rewrite
        self.sweeps = False
        """True if the code may contain unused conditions."""
        self.scalar_lanes = False
        """True if the code contains scalar loops over the lanes."""
        self.counted_lanes = False
        """True if the code contains loops over the first lanes, which must be vectorized."""

    def _block(self, block: Block, ops: Iterable[Operation]) -> None:
        """Emit vector code for ``ops`` into ``block``, which is already part of the code."""
        source = self.values.source
        self.values.scopes.append(Scope(block))
        self.rewrite(ops)
        self.values.scopes.pop()
        self.values.source = source

    def inner_loop(self, op: ForOp) -> None:
        """Copy a loop inside the vectorized loop. All lanes run all of its iterations.

        Raises CannotVectorizeError if its extent differs from lane to lane.
        """
        extent = op.extent_value
        if not isinstance(extent, int):
            if self.values.is_varying(extent):
                raise CannotVectorizeError(
                    f"the extent of {op.label} differs from lane to lane", op
                )
            extent = self.values.scalar(extent)
        annotations = op.annotations.data if op.annotations is not None else None
        new = ForOp(op.label, extent, kind=op.kind.data, annotations=annotations, axis=op.axis)
        self.values.emit(new)
        self.values.define_scalar(op.var, new.var)
        self._block(new.body.block, op.body.block.ops)

    # Guards

    def guard(self, op: IfOp) -> None:
        """Emit code for a ``tir.if``."""
        constraints = op.condition.data.constraints
        exprs = self.values.exprs(
            [constraint.lhs for constraint in constraints], op.operands_of_set
        )
        if exprs is None:
            self._lane_by_lane(op)
            return
        conditions = simplify_constraints(
            [
                AffineConstraintExpr(old.kind, expr, ZERO)
                for old, expr in zip(constraints, exprs, strict=True)
            ],
            self.values.index.ranges,
        )
        if conditions is None:
            for block in op.orelse.blocks:
                self.rewrite(block.ops)
            return
        uniform = [condition for condition in conditions if not self.values.has_lane(condition.lhs)]
        varying = [condition for condition in conditions if self.values.has_lane(condition.lhs)]
        if not varying:
            self._guarded(op, uniform)
            return
        checks = self._in_all_lanes(varying) if self.masks.mask is None else None
        if checks is None:
            self._in_some_lanes(op, uniform, varying)
        elif not all(self.values.is_outside(check.lhs) for check in checks):
            new = self._if_op(uniform + checks)
            self._block(new.then.block, op.then.block.ops)
            orelse = Block()
            new.orelse.add_block(orelse)
            self.values.scopes.append(Scope(orelse))
            self._in_some_lanes(op, uniform, varying)
            self.values.scopes.pop()
        elif checks and not self.masking.assumes:
            self._in_some_lanes(op, uniform, varying)
        else:
            self.values.assume(checks)
            self._guarded(op, uniform)

    def _guarded(self, op: IfOp, conditions: list[AffineConstraintExpr]) -> None:
        """Emit ``op`` under conditions that have equal values in all lanes."""
        if not conditions:
            self.rewrite(op.then.block.ops)
            return
        new = self._if_op(conditions)
        self._block(new.then.block, op.then.block.ops)
        for block in op.orelse.blocks:
            orelse = Block()
            new.orelse.add_block(orelse)
            self._block(orelse, block.ops)

    def _in_some_lanes(
        self, op: IfOp, uniform: list[AffineConstraintExpr], varying: list[AffineConstraintExpr]
    ) -> None:
        """Emit ``op`` if its condition may differ between lanes: under a mask, or lane by lane."""
        if self.masks.mask is None and not (_is_maskable(op) and self._gains_from_masks(op)):
            if not self._in_first_lanes(op, uniform, varying):
                self._lane_by_lane(op)
            return
        if not uniform:
            self._under_mask(op, self.masks.lanes_where(varying))
            return
        new = self._if_op(uniform)
        self.values.scopes.append(Scope(new.then.block))
        self._under_mask(op, self.masks.lanes_where(varying))
        self.values.scopes.pop()
        for block in op.orelse.blocks:
            orelse = Block()
            new.orelse.add_block(orelse)
            self._block(orelse, block.ops)

    def _in_first_lanes(
        self, op: IfOp, uniform: list[AffineConstraintExpr], varying: list[AffineConstraintExpr]
    ) -> bool:
        """Emit ``op`` as a vectorized loop over the first lanes, if its condition holds exactly for
        these. Returns False, and emits nothing, for other conditions.
        """
        if len(varying) != 1 or any(block.ops for block in op.orelse.blocks):
            return False
        linear = self.values.linear(varying[0].lhs)
        inside = [value for value in captured_values(op) if self.values.is_varying(value)]
        exprs = {value: self.values.expr(value) for value in inside}
        if (
            varying[0].kind is not AffineConstraintKind.ge
            or linear is None
            or linear.assumptions
            or linear.stride != -1
            or None in exprs.values()
        ):
            return False
        self.counted_lanes = True
        if uniform:
            new = self._if_op(uniform)
            self.values.scopes.append(Scope(new.then.block))
        most = self.values.width - (1 if self.masking.misses else 0)
        count: SSAValue | int = self._clamped(linear.base + 1, most)
        values = {
            old: self.values.scalar(old)
            for old in captured_values(op.then.block)
            if old not in exprs
        }
        lanes = ForOp(f"{self.loop.label}_lane", count, kind=ForKind.VECTORIZED)
        self.values.emit(lanes)
        number = self.values.index.expr(lanes.var)
        self.values.scopes.append(Scope(lanes.body.block))
        for old, expr in exprs.items():
            assert expr is not None
            at = self.values.index.simplify(substitute(expr, {self.values.lane: number}))
            values[old] = self.values.apply(at)
        for inner in op.then.block.ops:
            self.values.emit(inner.clone(values))
        for _ in range(2 if uniform else 1):
            self.values.scopes.pop()
        return True

    def _clamped(self, count: AffineExpr, most: int) -> int | SSAValue:
        """``count``, limited to the range from 0 to ``most``."""
        count = self.values.index.simplify(count)
        if isinstance(count, AffineConstantExpr):
            return max(0, min(count.value, most))
        low, high = self.values.index.bounds(count)
        at_most = None if high is not None and high <= most else most
        return self.values.clamped(count, None if low is not None and low >= 0 else 0, at_most)

    def _gains_from_masks(self, op: IfOp) -> bool:
        """True if ``op`` is faster under a mask than as a loop over the lanes.

        A value that is stored under a mask and soon loaded again cannot be forwarded from the CPU's
        store buffer. But a thread-private array whose rows are stored as a whole stays in
        registers.
        """
        loaded = {inner.buffer for inner in op.walk() if isinstance(inner, LoadOp)}
        accumulated = [
            inner for inner in op.walk() if isinstance(inner, StoreOp) and inner.buffer in loaded
        ]
        if any(map(self._is_soon_loaded, accumulated)):
            return all(self.masks.is_own(store.buffer) for store in accumulated)
        return self.masking.guards

    def _is_soon_loaded(self, store: StoreOp) -> bool:
        """True if a loop returns to the element of ``store``, as the element's index does not
        depend on the loop.
        """
        place = self.values.exprs(store.indices.data.results, store.operands_of_map)
        if place is None:
            return True
        used = {position for expr in place for position in dimensions(expr)}
        parent = store.parent_op()
        while parent is not None:
            if isinstance(parent, ForOp) and parent is not self.loop and parent.static_extent != 1:
                number = self.values.expr(parent.var)
                if number is None or used.isdisjoint(dimensions(number)):
                    return True
            parent = parent.parent_op()
        return False

    def _if_op(self, conditions: list[AffineConstraintExpr]) -> IfOp:
        set_, operands = self.values.index.to_set(conditions)
        new = IfOp(set_, operands, Region(Block()))
        self.values.emit(new)
        return new

    def _in_all_lanes(
        self, conditions: list[AffineConstraintExpr]
    ) -> list[AffineConstraintExpr] | None:
        """Uniform conditions under which ``conditions`` hold in all lanes; None if they cannot be
        derived.

        A linear function has its minimum in the first or in the last lane.
        """
        minima: list[AffineConstraintExpr] = []
        for condition in conditions:
            linear = self.values.linear(condition.lhs)
            if linear is None or condition.kind is not AffineConstraintKind.ge:
                return None
            lowest = linear.base + min(0, linear.stride * (self.values.width - 1))
            minima += [*linear.assumptions, at_least_zero(lowest)]
        return simplify_constraints(minima, self.values.index.ranges)

    # Branches

    def branch(self, op: scf.IfOp) -> None:
        """Emit code for an ``scf.if``, which may have results."""
        self.sweeps = True
        if not self.values.is_varying(op.cond):
            self._uniform_branch(op)
        elif _is_maskable(op):
            self._masked_branch(op)
        elif op.results:
            raise CannotVectorizeError("lanes take different branches, which it cannot mask", op)
        else:
            self._lane_by_lane(op)

    def _uniform_branch(self, op: scf.IfOp) -> None:
        """Emit an ``scf.if`` for a condition that is equal in all lanes."""
        sides: list[tuple[Scope, Sequence[SSAValue]]] = []
        for region in (op.true_region, op.false_region):
            ops, yielded = _parts(region)
            scope = Scope(Block())
            self.values.scopes.append(scope)
            self.rewrite(ops)
            self.values.scopes.pop()
            sides.append((scope, yielded))
        self.values.source = op
        varying = [
            any(map(self.values.is_varying, values))
            for values in zip(*(yielded for _, yielded in sides), strict=True)
        ]
        for scope, yielded in sides:
            self.values.scopes.append(scope)
            values = [
                self.values.vector(value) if lanes else self.values.scalar(value)
                for value, lanes in zip(yielded, varying, strict=True)
            ]
            self.values.emit(scf.YieldOp(*values))
            self.values.scopes.pop()
        condition = self.values.scalar(op.cond)
        self._define(op, self._if(condition, [scope for scope, _ in sides]))

    def _masked_branch(self, op: scf.IfOp) -> None:
        """Emit an ``scf.if`` for a condition that differs between lanes. Its conjuncts that are
        equal in all lanes become a branch around the masked code.
        """
        uniform, varying = self._conjuncts(op.cond)
        ops, yielded = _parts(op.false_region)
        if not uniform or len(ops) > SMALL or not all(map(_is_light, ops)):
            self._define(op, self._under_mask(op, self.values.vector(op.cond)))
            return
        condition = self.values.scalar(uniform[0])
        for conjunct in uniform[1:]:
            condition = self.values.emit(
                arith.AndIOp(condition, self.values.scalar(conjunct))
            ).results[0]
        then, orelse = Scope(Block()), Scope(Block())
        self.values.scopes.append(then)
        mask = self.values.vector(varying[0])
        for conjunct in varying[1:]:
            mask = self.masks.both(mask, self.values.vector(conjunct))
        self.values.emit(scf.YieldOp(*self._under_mask(op, mask)))
        self.values.scopes[-1] = orelse
        self.rewrite(ops)
        self.values.source = op
        self.values.emit(scf.YieldOp(*map(self.values.vector, yielded)))
        self.values.scopes.pop()
        self._define(op, self._if(condition, [then, orelse]))

    def _conjuncts(self, condition: SSAValue) -> tuple[list[SSAValue], list[SSAValue]]:
        """The conjuncts of ``condition`` that are equal in all lanes, and the conjuncts that
        vary.
        """
        uniform: list[SSAValue] = []
        varying: list[SSAValue] = []
        work = [condition]
        while work:
            conjunct = work.pop()
            if not self.values.is_varying(conjunct):
                uniform.append(conjunct)
            elif isinstance(conjunct.owner, arith.AndIOp):
                work += conjunct.owner.operands
            else:
                varying.append(conjunct)
        return uniform, varying

    def _if(self, condition: SSAValue, sides: Sequence[Scope]) -> Sequence[SSAValue]:
        """The results of an ``scf.if`` with two blocks, each of which ends with a yield."""
        then, orelse = (scope.block for scope in sides)
        end = then.last_op
        assert end is not None
        is_needed = end.operands or orelse.first_op is not orelse.last_op
        types = [operand.type for operand in end.operands]
        otherwise = Region(orelse) if is_needed else None
        return self.values.emit(scf.IfOp(condition, types, Region(then), otherwise)).results

    def _define(self, op: scf.IfOp, values: Sequence[SSAValue]) -> None:
        """Define the results of ``op`` by ``values``: vectors, or scalars for results that are
        equal in all lanes.
        """
        for old, new in zip(op.results, values, strict=True):
            define = (
                self.values.define_scalar if new.type == old.type else self.values.define_vector
            )
            define(old, new)

    def _under_mask(self, op: IfOp | scf.IfOp, condition: SSAValue) -> list[SSAValue]:
        """Emit both branches of ``op``, each under the mask of the lanes that take it. Returns the
        results of ``op`` as vectors.
        """
        values: list[list[SSAValue]] = []
        for n, region in enumerate(op.regions):
            ops, yielded = _parts(region)
            if not ops and not yielded:
                continue
            with self.masks.under(self.masks.but(condition) if n else condition):
                if any(isinstance(inner, ForOp) for inner in region.walk()) and not yielded:
                    self._if_any(ops)
                else:
                    self.rewrite(ops)
                self.values.source = op
                values.append([self.values.vector(value) for value in yielded])
        if not op.results:
            return []
        return [self._select(condition, *pair) for pair in zip(*values, strict=True)]

    def _select(self, mask: SSAValue, value: SSAValue, fallback: SSAValue) -> SSAValue:
        """``value`` in the lanes of ``mask``, ``fallback`` in the other lanes."""
        load = value.owner
        if isinstance(load, MaskedLoadOp) and load.mask is mask and load.pass_thru is fallback:
            return value
        return self.values.emit(SelectOp(mask, value, fallback)).results[0]

    def _if_any(self, ops: Sequence[Operation]) -> None:
        """Emit ``ops``, which are expensive, under the condition that a lane is active."""
        condition, block = self.masks.any_lane(), Block()
        self._block(block, ops)
        block.add_op(end := scf.YieldOp())
        end.location = self.values.source.location
        self.values.emit(scf.IfOp(condition, [], Region(block)))

    def _lane_by_lane(self, op: Operation) -> None:
        """Emit a serial loop over the lanes around the scalar ``op``."""
        self.scalar_lanes = True
        values: dict[SSAValue, SSAValue] = {}
        varying = []
        for old in captured_values(op):
            if self.values.is_varying(old):
                varying.append(old)
                if self.values.expr(old) is None:
                    self.values.vector(old)
            else:
                values[old] = self.values.scalar(old)
        lane = ForOp(f"{self.loop.label}_lane", self.values.width)
        self.values.emit(lane)
        self.values.scopes.append(Scope(lane.body.block))
        number = self.values.index.expr(lane.var)
        for old in varying:
            expr = self.values.expr(old)
            if expr is not None:
                expr = self.values.index.simplify(substitute(expr, {self.values.lane: number}))
                values[old] = self.values.apply(expr)
            else:
                extract = ExtractOp(self.values.vector(old), [lane.var], old.type)
                values[old] = self.values.emit(extract).results[0]
        if self.masks.mask is None:
            self.values.emit(op.clone(values))
        else:
            active = self.values.emit(ExtractOp(self.masks.mask, [lane.var], i1)).results[0]
            self.masks.in_scalar_branch(active, lambda: self.values.emit(op.clone(values)) and None)
        self.values.scopes.pop()


def _parts(region: Region) -> tuple[list[Operation], Sequence[SSAValue]]:
    """The ops of a branch without its terminator, and the yielded values."""
    ops = [op for block in region.blocks for op in block.ops]
    if ops and isinstance(ops[-1], scf.YieldOp):
        return ops[:-1], ops[-1].operands
    return ops, ()


def _is_light(op: Operation) -> bool:
    return not op.regions and not isinstance(op, _ACCESSES)


def _is_maskable(op: Operation) -> bool:
    """True if all ops in ``op`` can run under a mask."""
    return all(
        inner is op
        or isinstance(inner, _MASKABLE)
        or (
            not inner.regions
            and inner.name.startswith(("arith.", "math."))
            and not isinstance(inner, math.IPowIOp)  # divides for some exponents
        )
        for inner in op.walk()
    )
