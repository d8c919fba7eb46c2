"""lower-affine: convert loops, conditions and accesses of affine to ops of scf, memref and arith.

Before::

    affine.for %i = max affine_map<(d0) -> (d0, 1)>(%n) to 8 {
      %a = affine.load %A[%i mod 4] : memref<4xf32>

After::

    %0 = arith.maxsi %n, %c1 : index
    scf.for %i = %0 to %c8 step %c1 {
      %1 = arith.remsi %i, %c4 : index
      %2 = arith.addi %1, %c4 : index
      %3 = arith.cmpi slt, %1, %c0 : index
      %4 = arith.select %3, %2, %1 : index
      %a = memref.load %A[%4] : memref<4xf32>

As in affine maps, the remainder of a negative number is not negative, and quotients are rounded
down (``floordiv``) or up (``ceildiv``). Reductions of ``affine.parallel``, and ops that compute
several indices, are refused (KC4255) with the module unchanged; ``raise-to-tir`` supports them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import affine, arith, memref, scf, vector
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp
from xdsl.ir import Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis.loop_tree import preorder
from kc.dialects.affine import MaxOp
from kc.dialects.arith import CmpiOp, SelectOp
from kc.dialects.scf import ForOp, ParallelOp, ReduceOp
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of

_BINARY: dict[AffineBinaryOpKind, Callable[[SSAValue, SSAValue], Operation]] = {
    AffineBinaryOpKind.Add: arith.AddiOp,
    AffineBinaryOpKind.Mul: arith.MuliOp,
    AffineBinaryOpKind.FloorDiv: arith.FloorDivSIOp,
    AffineBinaryOpKind.CeilDiv: arith.CeilDivSIOp,
}
_COMPARISON = {
    AffineConstraintKind.ge: "sge",
    AffineConstraintKind.le: "sle",
    AffineConstraintKind.eq: "eq",
}


@dataclass(frozen=True)
class LowerAffinePass(ModulePass):
    """Lower affine to scf, memref and arith."""

    name = "lower-affine"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        ops = [nested for nested in preorder(op) if nested.name.startswith("affine.")]
        for nested in ops:
            _require_lowered(nested)
        # Reversed, so that the terminator of a loop is lowered before the loop.
        for nested in reversed(ops):
            _LOWERINGS[_class_of(nested)](nested)


def _require_lowered(op: Operation) -> None:
    is_reduction = isinstance(op, affine.ParallelOp) and bool(op.res)
    if not is_reduction and _class_of(op) in _LOWERINGS:
        return
    what = f"a reduction of {op.name}" if is_reduction else op.name
    raise CodegenError(
        "KC4255",
        f"lower-affine: {what} has no counterpart in scf",
        location=location_of(op),
        hints=["--raise-to-tir takes it"],
    )


def _class_of(op: Operation) -> type[Operation]:
    """The class of an op in xDSL, or in kc if xDSL has none."""
    return next((kind for kind in _LOWERINGS if isinstance(op, kind)), type(op))


class _Builder:
    """Inserts ops before the op that is lowered."""

    def __init__(self, op: Operation) -> None:
        self.op = op

    def add(self, new: Operation) -> Operation:
        """Insert ``new``, and return it."""
        new.location = self.op.location
        Rewriter.insert_op(new, InsertPoint.before(self.op))
        return new

    def constant(self, value: int) -> SSAValue:
        """A constant index."""
        return self.add(arith.ConstantOp(IntegerAttr(value, IndexType()))).results[0]

    def value(self, expr: AffineExpr, operands: Sequence[SSAValue], dims: int) -> SSAValue:
        """The value of an expression over ``dims`` dimensions and symbols, which are ``operands``
        in order.
        """
        if isinstance(expr, AffineConstantExpr):
            return self.constant(expr.value)
        if isinstance(expr, AffineDimExpr):
            return operands[expr.position]
        if isinstance(expr, AffineSymExpr):
            return operands[dims + expr.position]
        assert isinstance(expr, AffineBinaryOpExpr)
        left, right = (self.value(side, operands, dims) for side in (expr.lhs, expr.rhs))
        if expr.kind is not AffineBinaryOpKind.Mod:
            return self.add(_BINARY[expr.kind](left, right)).results[0]
        rest = self.add(arith.RemSIOp(left, right)).results[0]
        positive = self.add(arith.AddiOp(rest, right)).results[0]
        is_negative = self.add(CmpiOp(rest, self.constant(0), "slt")).results[0]
        return self.add(SelectOp(is_negative, positive, rest)).results[0]

    def values(self, space: AffineMap, operands: Sequence[SSAValue]) -> list[SSAValue]:
        """The values of the results of a map."""
        return [self.value(expr, operands, space.num_dims) for expr in space.results]

    def extreme(self, values: Sequence[SSAValue], *, largest: bool) -> SSAValue:
        """The maximum or minimum of values."""
        best, *rest = values
        for value in rest:
            kind = arith.MaxSIOp if largest else arith.MinSIOp
            best = self.add(kind(best, value)).results[0]
        return best

    def condition(self, constraint: AffineConstraintExpr, op: affine.IfOp) -> SSAValue:
        """The truth value of a constraint."""
        dims = op.condition.data.num_dims
        left, right = (self.value(expr, op.args, dims) for expr in (constraint.lhs, constraint.rhs))
        return self.add(CmpiOp(left, right, _COMPARISON[constraint.kind])).results[0]


def _replace(op: Operation, values: Sequence[SSAValue]) -> None:
    for old, new in zip(op.results, values, strict=True):
        new.name_hint = new.name_hint or old.name_hint
        old.replace_all_uses_with(new)
    op.detach()
    op.erase()


def _moved(region: Region) -> Region:
    """The blocks of a region, moved to a new region."""
    new = Region()
    region.move_blocks(new)
    return new


def _lower_for(op: Operation) -> None:
    assert isinstance(op, affine.ForOp)
    build = _Builder(op)
    low = build.values(op.lowerBoundMap.data, op.lowerBoundOperands)
    high = build.values(op.upperBoundMap.data, op.upperBoundOperands)
    start, end = build.extreme(low, largest=True), build.extreme(high, largest=False)
    step = build.constant(op.step.value.data)
    _replace(op, build.add(ForOp(start, end, step, list(op.inits), _moved(op.body))).results)


def _lower_parallel(op: Operation) -> None:
    assert isinstance(op, affine.ParallelOp)
    build = _Builder(op)
    low, high = op.lowerBoundsMap.data, op.upperBoundsMap.data
    split = low.num_dims + low.num_symbols
    bounds: list[list[SSAValue]] = []  # the starts and the ends of loops
    for space, operands, groups, is_low in (
        (low, op.map_operands[:split], op.lowerBoundsGroups, True),
        (high, op.map_operands[split:], op.upperBoundsGroups, False),
    ):
        values = build.values(space, operands)
        sizes = [int(size) for size in groups.get_values()]
        starts = [sum(sizes[:n]) for n in range(len(sizes))]
        bounds.append(
            [
                build.extreme(values[at : at + size], largest=is_low)
                for at, size in zip(starts, sizes, strict=True)
            ]
        )
    steps = [build.constant(step.value.data) for step in op.steps]
    body = _moved(op.body)
    end = body.block.last_op
    assert end is not None
    end.detach()
    end.erase()
    done = ReduceOp()
    done.location = op.location
    body.block.add_op(done)
    first, last = bounds
    build.add(ParallelOp(first, last, steps, body))
    _replace(op, [])


def _lower_if(op: Operation) -> None:
    assert isinstance(op, affine.IfOp)
    build = _Builder(op)
    holds: SSAValue | None = None
    for constraint in op.condition.data.constraints:
        part = build.condition(constraint, op)
        holds = part if holds is None else build.add(arith.AndIOp(holds, part)).results[0]
    if holds is None:
        holds = build.add(arith.ConstantOp(IntegerAttr(1, 1))).results[0]
    types = [result.type for result in op.res]
    then, otherwise = _moved(op.then_region), _moved(op.else_region)
    _replace(op, build.add(scf.IfOp(holds, types, then, otherwise)).results)


def _lower_yield(op: Operation) -> None:
    _Builder(op).add(scf.YieldOp(*op.operands))
    _replace(op, [])


def _lower_apply(op: Operation) -> None:
    assert isinstance(op, affine.ApplyOp)
    _replace(op, _Builder(op).values(op.map.data, op.mapOperands))


def _lower_extreme(op: Operation) -> None:
    assert isinstance(op, affine.MinOp | MaxOp)
    build = _Builder(op)
    values = build.values(op.map.data, op.arguments)
    _replace(op, [build.extreme(values, largest=isinstance(op, MaxOp))])


def _lower_load(op: Operation) -> None:
    assert isinstance(op, affine.LoadOp)
    build = _Builder(op)
    indices = build.values(op.map.data, op.indices)
    _replace(op, build.add(memref.LoadOp.get(op.memref, indices)).results)


def _lower_store(op: Operation) -> None:
    assert isinstance(op, affine.StoreOp)
    build = _Builder(op)
    indices = build.values(op.map.data, op.indices)
    build.add(memref.StoreOp.get(op.value, op.memref, indices))
    _replace(op, [])


def _lower_vector_load(op: Operation) -> None:
    assert isinstance(op, affine.VectorLoadOp)
    build = _Builder(op)
    indices = build.values(op.map.data, op.indices)
    new = vector.LoadOp(op.memref, indices, op.result.type)
    _replace(op, build.add(new).results)


def _lower_vector_store(op: Operation) -> None:
    assert isinstance(op, affine.VectorStoreOp)
    build = _Builder(op)
    indices = build.values(op.map.data, op.indices)
    build.add(vector.StoreOp(op.value, op.memref, indices))
    _replace(op, [])


_LOWERINGS: dict[type[Operation], Callable[[Operation], None]] = {
    affine.ForOp: _lower_for,
    affine.ParallelOp: _lower_parallel,
    affine.IfOp: _lower_if,
    affine.YieldOp: _lower_yield,
    affine.ApplyOp: _lower_apply,
    affine.MinOp: _lower_extreme,
    MaxOp: _lower_extreme,
    affine.LoadOp: _lower_load,
    affine.StoreOp: _lower_store,
    affine.VectorLoadOp: _lower_vector_load,
    affine.VectorStoreOp: _lower_vector_store,
}
