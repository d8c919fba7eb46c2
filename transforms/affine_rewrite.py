"""Replacement of an index value by an affine expression in all of its uses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from xdsl.dialects.builtin import AffineMapAttr, AffineSetAttr, DenseArrayBase, i32
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSet,
)
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis.affine.simplify_affine import simplify
from kc.dialects.tir import ApplyOp, BlockOp, IfOp, LoadOp, PrefetchOp, StoreOp
from kc.support.index_numbers import GREATEST, LEAST

Operands = Sequence[SSAValue]
_Space = TypeVar("_Space", AffineMap, AffineSet)


def _exprs(space: AffineMap | AffineSet) -> list[AffineExpr]:
    if isinstance(space, AffineMap):
        return list(space.results)
    return [constraint.lhs for constraint in space.constraints]


def _rebuild(space: _Space, count: int, exprs: Sequence[AffineExpr]) -> _Space:
    if isinstance(space, AffineMap):
        return AffineMap(count, 0, tuple(exprs))
    return AffineSet(
        count,
        0,
        tuple(
            AffineConstraintExpr(old.kind, expr, old.rhs, canonicalize=False)
            for old, expr in zip(space.constraints, exprs, strict=True)
        ),
    )


def compact(space: _Space, operands: Operands) -> tuple[_Space, list[SSAValue]]:
    """``space`` in normal form over its distinct, used operands, in order of first use."""
    distinct: list[SSAValue] = []
    position: dict[SSAValue, int] = {}
    dims = []
    for operand in operands:
        if operand not in position:
            position[operand] = len(distinct)
            distinct.append(operand)
        dims.append(AffineExpr.dimension(position[operand]))
    exprs = [simplify(expr.replace_dims_and_symbols(dims, []), ()) for expr in _exprs(space)]
    used: dict[int, int] = {}
    for expr in exprs:
        for part in expr.dfs():
            if isinstance(part, AffineDimExpr):
                used.setdefault(part.position, len(used))
    final = [AffineExpr.dimension(used.get(n, 0)) for n in range(len(distinct))]
    exprs = [expr.replace_dims_and_symbols(final, []) for expr in exprs]
    return _rebuild(space, len(used), exprs), [distinct[n] for n in used]


def compose(
    space: _Space, operands: Operands, old: SSAValue, expr: AffineExpr, new: Operands
) -> tuple[_Space, list[SSAValue]]:
    """``space`` with operand ``old`` replaced by ``expr`` over ``new``."""
    count = len(operands)
    shifted = expr.replace_dims_and_symbols(
        [AffineExpr.dimension(count + n) for n in range(len(new))], []
    )
    dims = [
        shifted if operand is old else AffineExpr.dimension(n) for n, operand in enumerate(operands)
    ]
    exprs = [result.replace_dims_and_symbols(dims, []) for result in _exprs(space)]
    return compact(_rebuild(space, count + len(new), exprs), [*operands, *new])


def set_block_spaces(
    block: BlockOp,
    bindings: tuple[AffineMap, Operands] | None = None,
    predicate: tuple[AffineSet, Operands] | None = None,
    extents: Operands | None = None,
) -> None:
    """Change the bindings, the predicate or the dynamic extents of a block in place."""
    extents = list(block.dynamic_extents) if extents is None else list(extents)
    map_, map_operands = bindings or (block.bindings.data, list(block.binding_operands))
    set_, set_operands = predicate or (block.predicate.data, list(block.predicate_operands))
    block.operands = [*extents, *map_operands, *set_operands]
    block.properties["bindings"] = AffineMapAttr(map_)
    block.properties["predicate"] = AffineSetAttr(set_)
    block.properties["operandSegmentSizes"] = DenseArrayBase.from_list(
        i32, [len(extents), len(map_operands), len(set_operands)]
    )


def fits_around(value: SSAValue, most: int) -> bool:
    """True if an expression whose constants and coefficients have a magnitude of at most ``most``
    may replace an index: the numbers in the affine maps and sets that use the index stay within 64
    bits.
    """
    spaces = {
        attribute.data
        for use in value.uses
        for attribute in use.operation.properties.values()
        if isinstance(attribute, AffineMapAttr | AffineSetAttr)
    }
    return all(_fits(space, most) for space in spaces)


def _fits(space: AffineMap | AffineSet, most: int) -> bool:
    exprs = _exprs(space)
    if (most + 1) * max(map(_magnitude, exprs), default=1) <= GREATEST:
        return True
    for sign in (1, -1):
        dims = [AffineExpr.dimension(n) * most + sign * most for n in range(space.num_dims)]
        composed = [expr.replace_dims_and_symbols(dims, []) for expr in exprs]
        if not all(fits_index(simplify(expr, ())) for expr in composed):
            return False
    return True


def _magnitude(expr: AffineExpr) -> int:
    """A bound on the factor by which ``expr`` scales the magnitude of its operands; ``GREATEST`` if
    the expression contains a division.
    """
    numbers = [1]
    for part in expr.dfs():
        if isinstance(part, AffineConstantExpr):
            numbers.append(abs(part.value))
        elif isinstance(part, AffineBinaryOpExpr) and part.kind in _DIVISIONS:
            return GREATEST
    return sum(numbers)


_DIVISIONS = (AffineBinaryOpKind.FloorDiv, AffineBinaryOpKind.CeilDiv, AffineBinaryOpKind.Mod)


def fits_index(expr: AffineExpr) -> bool:
    """True if each number in ``expr`` fits in 64 bits."""
    numbers = (part.value for part in expr.dfs() if isinstance(part, AffineConstantExpr))
    return all(LEAST <= number <= GREATEST for number in numbers)


def replace_with_expr(old: SSAValue, expr: AffineExpr, new: Operands, point: InsertPoint) -> None:
    """Replace every use of the index ``old`` by ``expr`` over ``new``.

    Affine maps and sets absorb the expression; other uses share one ``tir.apply`` at ``point``.
    ``old`` may also be an element of ``new`` (a loop variable that keeps its place), and the
    operations that compute ``new`` may use ``old``.
    """
    makers = {value.owner for value in new}
    users = [op for op in dict.fromkeys(use.operation for use in old.uses) if op not in makers]
    applied: SSAValue | None = None
    for op in users:
        if isinstance(op, BlockOp):
            _replace_in_block(op, old, expr, new)
        elif isinstance(op, LoadOp | StoreOp | PrefetchOp):
            fixed = len(op.operands) - len(op.operands_of_map)
            map_, operands = compose(op.indices.data, op.operands_of_map, old, expr, new)
            op.operands = [*list(op.operands)[:fixed], *operands]
            op.properties["indices"] = AffineMapAttr(map_)
        elif isinstance(op, ApplyOp):
            map_, operands = compose(op.map.data, op.operands_of_map, old, expr, new)
            op.operands = operands
            op.properties["map"] = AffineMapAttr(map_)
        elif isinstance(op, IfOp):
            set_, operands = compose(op.condition.data, op.operands_of_set, old, expr, new)
            op.operands = operands
            op.properties["condition"] = AffineSetAttr(set_)
        if any(operand is old for n, operand in enumerate(op.operands) if not _in_affine(op, n)):
            if applied is None:
                apply = ApplyOp(expr, new)
                apply.location = op.location
                Rewriter.insert_op(apply, point)
                applied = apply.result
            op.operands = [
                applied if operand is old and not _in_affine(op, n) else operand
                for n, operand in enumerate(op.operands)
            ]


def _in_affine(op: Operation, index: int) -> bool:
    """True if operand ``index`` belongs to an affine map or set of ``op``."""
    if isinstance(op, BlockOp):
        return index >= len(op.dynamic_extents)
    if isinstance(op, LoadOp | StoreOp | PrefetchOp):
        return index >= len(op.operands) - len(op.operands_of_map)
    return isinstance(op, ApplyOp | IfOp)


def _replace_in_block(block: BlockOp, old: SSAValue, expr: AffineExpr, new: Operands) -> None:
    bindings, predicate = list(block.binding_operands), list(block.predicate_operands)
    set_block_spaces(
        block,
        compose(block.bindings.data, bindings, old, expr, new) if old in bindings else None,
        compose(block.predicate.data, predicate, old, expr, new) if old in predicate else None,
    )


def add_predicate(block: BlockOp, constraint: AffineConstraintExpr, operands: Operands) -> None:
    """Conjoin ``constraint`` over ``operands`` to the predicate of ``block``."""
    count = len(block.predicate_operands)
    shifted = AffineConstraintExpr(
        constraint.kind,
        constraint.lhs.replace_dims_and_symbols(
            [AffineExpr.dimension(count + n) for n in range(len(operands))], []
        ),
        constraint.rhs,
        canonicalize=False,
    )
    both = AffineSet(count + len(operands), 0, (*block.predicate.data.constraints, shifted))
    set_block_spaces(block, predicate=compact(both, [*block.predicate_operands, *operands]))
