"""The vector code of one chunk of a loop: as many of its iterations as a vector has lanes.

Ops on uniform values stay scalar, elementwise ops on others become vector ops. Loads and stores
whose last index grows by one from lane to lane take whole vectors; others are done lane by lane.
Inner loops stay loops. A guard that differs from lane to lane is assumed to hold in all of them
when that can be checked before the loop's body; otherwise it is checked in place, and where it
does not hold in all lanes its body runs lane by lane.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import AffineMapAttr, IntegerAttr, MemRefType, NoneAttr
from xdsl.dialects.vector import ExtractOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)
from xdsl.traits import Pure

from kc.analysis.captures import captured_values
from kc.analysis.index_values import IndexValues, substitute
from kc.analysis.simplify_affine import simplify_constraint, simplify_constraints
from kc.dialects.affine_assembly import ZERO, at_least_zero
from kc.dialects.arith import vector_class
from kc.dialects.llvm_call import CallIntrinsicOp
from kc.dialects.tir import (
    INDEX,
    AllocOp,
    ApplyOp,
    DelinearizeOp,
    ForOp,
    IfOp,
    LinearizeOp,
    LoadOp,
    PrefetchOp,
    StoreOp,
)
from kc.dialects.tir_calls import CallExternOp
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of
from kc.transforms.tir._vector_values import LaneValues, Linear, Scope


class CannotVectorizeError(Exception):
    """The loop must run iteration by iteration; ``op`` is the reason."""

    def __init__(self, reason: str, op: Operation) -> None:
        super().__init__(reason)
        self.reason = reason
        self.op = op


class Chunk(LaneValues):
    """Vector code for ``width`` iterations of ``loop``, from iteration ``base`` on.

    ``base`` is over the roots of ``index``. :attr:`prologue` is to be run first, in any case, then
    :attr:`code` where all of :attr:`assumptions` hold. Raises :class:`CannotVectorizeError`, with
    nothing left behind, and CodegenError KC4205 for a store of all lanes to one element.
    """

    def __init__(self, loop: ForOp, width: int, base: AffineExpr, index: IndexValues) -> None:
        super().__init__(width, index, loop)
        self.loop = loop
        self.prologue: list[Operation] = []
        self.code = self.scopes[0].block
        self.define_expr(loop.var, index.simplify(base + self.lane_expr))
        try:
            self._rewrite(loop.body.block.ops)
        except CannotVectorizeError:
            for op in (*self.prologue, *self.code.ops):
                op.drop_all_references()
            raise

    def _rewrite(self, ops: Iterable[Operation]) -> None:
        for op in ops:
            self.source = op
            rewrite = _REWRITES.get(type(op), Chunk._other)
            rewrite(self, op)

    def _block(self, block: Block, ops: Iterable[Operation]) -> None:
        """Vector code for ``ops`` in ``block``, which is part of the code already."""
        source = self.source
        self.scopes.append(Scope(block))
        self._rewrite(ops)
        self.scopes.pop()
        self.source = source

    # Computation

    def _other(self, op: Operation) -> None:
        elementwise = op.name.startswith(("arith.", "math."))
        if op.regions or not (elementwise or op.has_trait(Pure)):
            raise CannotVectorizeError(f"it contains {op.name}", op)
        if isinstance(op, arith.ConstantOp):
            self.define_constant(op)
        elif not any(map(self.is_varying, op.operands)):
            self._uniform(op)
        elif not elementwise:
            raise CannotVectorizeError(f"it contains {op.name}", op)
        elif not self._index_arithmetic(op):
            self._elementwise(op)

    def _uniform(self, op: Operation) -> None:
        new = self.emit(op.clone({one: self.scalar(one) for one in op.operands}))
        for old, result in zip(op.results, new.results, strict=True):
            self.define_scalar(old, result)

    def _index_arithmetic(self, op: Operation) -> bool:
        """Whether ``op`` is affine index arithmetic, which is then kept as an expression."""
        if not isinstance(op, arith.AddiOp | arith.SubiOp | arith.MuliOp):
            return False
        if op.result.type != INDEX:
            return False
        lhs, rhs = self.expr(op.lhs), self.expr(op.rhs)
        if lhs is None or rhs is None:
            return False
        if isinstance(op, arith.MuliOp):
            if not isinstance(lhs, AffineConstantExpr) and not isinstance(rhs, AffineConstantExpr):
                return False
            expr = lhs * rhs
        else:
            expr = lhs + rhs if isinstance(op, arith.AddiOp) else lhs - rhs
        self.define_expr(op.result, self.index.simplify(expr))
        return True

    def _elementwise(self, op: Operation) -> None:
        operands = []
        for n, one in enumerate(op.operands):
            condition = isinstance(op, arith.SelectOp) and n == 0
            stays = condition and not self.is_varying(one)
            operands.append(self.scalar(one) if stays else self.vector(one))
        new = vector_class(type(op)).create(
            operands=operands,
            result_types=[self.vector_type(one.type) for one in op.results],
            properties=op.properties.copy(),
            attributes=op.attributes.copy(),
        )
        self.emit(new)
        for old, result in zip(op.results, new.results, strict=True):
            self.define_vector(old, result)

    def _per_lane(self, op: Operation) -> None:
        """A scalar ``op`` for each lane."""
        operands = {one: self.lanes(one) for one in op.operands}
        made = [
            self.emit(op.clone({one: values[n] for one, values in operands.items()}))
            for n in range(self.width)
        ]
        for n, old in enumerate(op.results):
            self.define_lanes(old, [one.results[n] for one in made])

    def _call(self, op: CallExternOp | CallIntrinsicOp) -> None:
        if has_effects(op):
            name = op.label if isinstance(op, CallExternOp) else op.intrin.data
            raise CannotVectorizeError(f"it calls {name}, which is not pure", op)
        if any(isinstance(one.type, VectorType) for one in (*op.operands, *op.results)):
            raise CannotVectorizeError(f"it contains {op.name} of vectors", op)
        if any(map(self.is_varying, op.operands)):
            self._per_lane(op)
        else:
            self._uniform(op)

    # Indices

    def _apply_op(self, op: ApplyOp) -> None:
        exprs = self.exprs([op.expr], op.operands_of_map)
        if exprs is None:
            self._per_lane(op)
        else:
            self.define_expr(op.result, exprs[0])

    def _linearize(self, op: LinearizeOp) -> None:
        if not any(map(self.is_varying, op.operands)):
            self._uniform(op)
            return
        last = self.expr(op.indices[-1])
        linear = self.linear(last) if last is not None else None
        others = [*op.indices[:-1], *op.sizes]
        if linear is None or linear.given or any(map(self.is_varying, others)):
            self._per_lane(op)
            return
        first = LinearizeOp(
            [*(self.scalar(one) for one in op.indices[:-1]), self.apply(linear.base)],
            [self.scalar(one) for one in op.sizes],
        )
        base = self.index.expr(self.emit(first).results[0])
        self.define_expr(op.result, self.index.simplify(base + self.lane_expr * linear.stride))

    def _delinearize(self, op: DelinearizeOp) -> None:
        if not any(map(self.is_varying, op.operands)):
            self._uniform(op)
            return
        sizes = [self.expr(one) for one in op.sizes]
        whole = self.expr(op.index)
        linear = self.linear(whole) if whole is not None else None
        if linear is None or not self._delinearize_row(op, sizes, linear):
            self._per_lane(op)

    def _delinearize_row(
        self, op: DelinearizeOp, sizes: list[AffineExpr | None], linear: Linear
    ) -> bool:
        """Delinearize the first lane's index, assuming that all lanes are in one row."""
        known = [one for one in sizes if one is not None and self.is_outside(one)]
        if len(known) != len(sizes) or not self.is_outside(linear.base) or linear.stride < 0:
            return False
        if op.parent is not self.loop.body.block:
            return False  # a guard may keep it from dividing by 0
        ops: list[Operation] = []
        index, *values = [_value(one, self.index, ops) for one in (linear.base, *known)]
        first = DelinearizeOp(index, values)
        ops.append(first)
        *outer, start = [self.index.expr(one) for one in first.indices]
        check = simplify_constraint(
            self.in_range(start, linear.stride, known[-1]), self.index.ranges
        )
        if check is False:
            return False
        for one in ops:
            one.location = op.location
        self.prologue += ops
        self.assume(linear.given if check is True else (*linear.given, check))
        for old, expr in zip(op.indices, outer, strict=False):
            self.define_expr(old, expr)
        expr = self.index.simplify(start + self.lane_expr * linear.stride)
        self.define_expr(op.indices[-1], expr)
        return True

    # Memory

    def _load(self, op: LoadOp) -> None:
        place = self.exprs(op.indices.data.results, op.operands_of_map)
        if place is None:
            self._per_lane(op)
            return
        lines = [self.linear(one) for one in place]
        strides = _strides(lines)
        buffer = self.scalar(op.buffer)
        if strides is not None and (not any(strides) or _is_row(op.buffer.type, strides)):
            bases = self._assumed(lines)
            map_, operands = self.index.to_map(bases)
            if any(strides):
                type_ = self.vector_type(op.result.type)
                new = self.emit(LoadOp(buffer, map_, operands, type_))
                self.define_vector(op.result, new.results[0])
            else:
                new = self.emit(LoadOp(buffer, map_, operands))
                self.define_scalar(op.result, new.results[0])
            return
        values = []
        for n in range(self.width):
            map_, operands = self.index.to_map([self.at_lane(one, n) for one in place])
            values.append(self.emit(LoadOp(buffer, map_, operands)).results[0])
        self.define_lanes(op.result, values)

    def _store(self, op: StoreOp) -> None:
        place = self.exprs(op.indices.data.results, op.operands_of_map)
        if place is None:
            self._per_lane(op)
            return
        if not any(map(self.has_lane, place)):
            raise CodegenError(
                "KC4205",
                f"vectorize-loop: all lanes of {self.loop.label} write the same element",
                location=location_of(op),
                why="the lanes of a vector are written at once, so only one value could stay",
                hints=["vectorize a loop whose iterations write different elements"],
            )
        lines = [self.linear(one) for one in place]
        strides = _strides(lines)
        buffer = self.scalar(op.buffer)
        if strides is not None and _is_row(op.buffer.type, strides):
            map_, operands = self.index.to_map(self._assumed(lines))
            self.emit(StoreOp(self.vector(op.value), buffer, map_, operands))
            return
        for n, value in enumerate(self.lanes(op.value)):
            map_, operands = self.index.to_map([self.at_lane(one, n) for one in place])
            self.emit(StoreOp(value, buffer, map_, operands))

    def _prefetch(self, op: PrefetchOp) -> None:
        """For a row of elements that of the first one; a hint that is not affine is left out."""
        place = self.exprs(op.indices.data.results, op.operands_of_map)
        if place is None:
            return
        strides = _strides([self.linear(one) for one in place])
        is_row = strides is not None and _is_row(op.buffer.type, strides)
        lanes = range(self.width) if any(map(self.has_lane, place)) and not is_row else range(1)
        for n in lanes:
            map_, operands = self.index.to_map([self.at_lane(one, n) for one in place])
            self.emit(PrefetchOp(self.scalar(op.buffer), map_, operands))

    def _assumed(self, lines: Iterable[Linear | None]) -> list[AffineExpr]:
        """The indices of the first lane, with what makes them linear assumed."""
        bases = []
        for line in lines:
            assert line is not None
            self.assume(line.given)
            bases.append(line.base)
        return bases

    def _alloc(self, op: AllocOp) -> None:
        raise CannotVectorizeError(f"each iteration has its own buffer {op.label}", op)

    # Control

    def _for(self, op: ForOp) -> None:
        extent = op.extent_value
        if not isinstance(extent, int):
            if self.is_varying(extent):
                raise CannotVectorizeError(
                    f"the extent of {op.label} differs from lane to lane", op
                )
            extent = self.scalar(extent)
        annotations = op.annotations.data if op.annotations is not None else None
        new = ForOp(op.label, extent, kind=op.kind.data, annotations=annotations, axis=op.axis)
        self.emit(new)
        self.define_scalar(op.var, new.var)
        self._block(new.body.block, op.body.block.ops)

    def _if(self, op: IfOp) -> None:
        constraints = op.condition.data.constraints
        exprs = self.exprs([one.lhs for one in constraints], op.operands_of_set)
        if exprs is None:
            self._lane_by_lane(op)
            return
        conditions = simplify_constraints(
            [
                AffineConstraintExpr(old.kind, expr, ZERO)
                for old, expr in zip(constraints, exprs, strict=True)
            ],
            self.index.ranges,
        )
        if conditions is None:
            for block in op.orelse.blocks:
                self._rewrite(block.ops)
            return
        uniform = [one for one in conditions if not self.has_lane(one.lhs)]
        varying = [one for one in conditions if self.has_lane(one.lhs)]
        checks = self._in_all_lanes(varying)
        if checks is None:
            self._lane_by_lane(op)
        elif all(self.is_outside(one.lhs) for one in checks):
            self.assume(checks)
            self._guarded(op, uniform)
        else:
            new = self._if_op(uniform + checks)
            self._block(new.then.block, op.then.block.ops)
            other = Block()
            new.orelse.add_block(other)
            self.scopes.append(Scope(other))
            self._lane_by_lane(op)
            self.scopes.pop()

    def _guarded(self, op: IfOp, conditions: list[AffineConstraintExpr]) -> None:
        """``op`` under conditions that all lanes agree on."""
        if not conditions:
            self._rewrite(op.then.block.ops)
            return
        new = self._if_op(conditions)
        self._block(new.then.block, op.then.block.ops)
        for block in op.orelse.blocks:
            other = Block()
            new.orelse.add_block(other)
            self._block(other, block.ops)

    def _if_op(self, conditions: list[AffineConstraintExpr]) -> IfOp:
        set_, operands = self.index.to_set(conditions)
        new = IfOp(set_, operands, Region(Block()))
        self.emit(new)
        return new

    def _in_all_lanes(
        self, conditions: list[AffineConstraintExpr]
    ) -> list[AffineConstraintExpr] | None:
        """Uniform conditions under which ``conditions`` hold in all lanes; None: not found.

        A linear function has its minimum in the first or in the last lane.
        """
        found: list[AffineConstraintExpr] = []
        for one in conditions:
            linear = self.linear(one.lhs)
            if linear is None or one.kind is not AffineConstraintKind.ge:
                return None
            lowest = linear.base + min(0, linear.stride * (self.width - 1))
            found += [*linear.given, at_least_zero(lowest)]
        return simplify_constraints(found, self.index.ranges)

    def _lane_by_lane(self, op: Operation) -> None:
        """A loop over the lanes around the scalar ``op``."""
        values: dict[SSAValue, SSAValue] = {}
        varying = []
        for old in captured_values(op):
            if self.is_varying(old):
                varying.append(old)
                if self.expr(old) is None:
                    self.vector(old)
            else:
                values[old] = self.scalar(old)
        lane = ForOp(f"{self.loop.label}_lane", self.width)
        self.emit(lane)
        self.scopes.append(Scope(lane.body.block))
        number = self.index.expr(lane.var)
        for old in varying:
            expr = self.expr(old)
            if expr is not None:
                expr = self.index.simplify(substitute(expr, {self.lane: number}))
                values[old] = self.apply(expr)
            else:
                extract = ExtractOp(self.vector(old), [lane.var], old.type)
                values[old] = self.emit(extract).results[0]
        self.emit(op.clone(values))
        self.scopes.pop()


def _value(expr: AffineExpr, index: IndexValues, ops: list[Operation]) -> SSAValue:
    """``expr`` (over the roots) as a value, computed in ``ops`` if it is not there yet."""
    map_, operands = index.to_map([expr])
    (local,) = map_.results
    if isinstance(local, AffineDimExpr):
        return operands[0]
    if isinstance(local, AffineConstantExpr):
        op: Operation = arith.ConstantOp(IntegerAttr(local.value, INDEX))
    else:
        op = ApplyOp(local, operands)
    ops.append(op)
    return op.results[0]


def _strides(lines: list[Linear | None]) -> list[int] | None:
    strides = [line.stride for line in lines if line is not None]
    return strides if len(strides) == len(lines) else None


def _is_row(buffer: Attribute, strides: list[int]) -> bool:
    """Whether steps of ``strides`` are the consecutive elements of a row of ``buffer``."""
    assert isinstance(buffer, MemRefType)
    layout = buffer.layout
    dense = isinstance(layout, NoneAttr) or (
        isinstance(layout, AffineMapAttr) and layout.data == AffineMap.identity(len(strides))
    )
    return dense and strides[-1:] == [1] and not any(strides[:-1])


_REWRITES: dict[type[Operation], Callable[[Chunk, Any], None]] = {
    AllocOp: Chunk._alloc,
    ApplyOp: Chunk._apply_op,
    CallExternOp: Chunk._call,
    CallIntrinsicOp: Chunk._call,
    DelinearizeOp: Chunk._delinearize,
    ForOp: Chunk._for,
    IfOp: Chunk._if,
    LinearizeOp: Chunk._linearize,
    LoadOp: Chunk._load,
    StoreOp: Chunk._store,
    PrefetchOp: Chunk._prefetch,
}
