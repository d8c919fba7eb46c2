"""The block that blockize makes: what it is made of, and the rewrite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstraintExpr, AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis.index_values import IndexValues, substitute
from kc.dialects.affine_assembly import ZERO
from kc.dialects.tir import INDEX, ApplyOp, BlockOp, ForOp, IterType
from kc.transforms.affine_rewrite import set_block_spaces
from kc.transforms.schedule.tensor._subspace import Division, Subspace


@dataclass
class OuterVariable:
    """A variable of the new block."""

    kind: IterType
    name: str
    extent: int | tuple[SSAValue, int] | SSAValue
    """Also ``(size, factor)``: ``size ceildiv factor``."""
    binding: AffineExpr
    """Over the roots of the index values."""


@dataclass
class InitPlan:
    """The loops that the init of a tile runs, and where it does."""

    loops: list[ForOp]
    zeros: dict[int, AffineExpr]
    conditions: list[tuple[AffineConstraintExpr, dict[int, int]]]


@dataclass
class Part:
    """A block that goes into the new one, with its loops."""

    space: Subspace
    divisions: list[Division]
    positions: list[int | None]
    """For each of its variables, the variable of the new block that has its outer part."""
    conditions: list[tuple[AffineConstraintExpr, dict[int, int]]]
    """Its predicate: a condition on what is inside, and the variables of the new block, times a
    factor, that are added to it."""
    replaced: dict[SSAValue, int]
    """What its body uses from outside, and the variables of the new block that are equal."""
    init: InitPlan | None = None


@dataclass
class Plan:
    """The new block."""

    name: str
    init_name: str
    index: IndexValues
    variables: list[OuterVariable]
    predicate: list[AffineConstraintExpr]
    parts: list[Part]
    init_loops: list[str] = field(default_factory=list)


def build(plan: Plan) -> BlockOp:
    index = plan.index
    last = plan.parts[-1].space.root
    first = plan.parts[0].space.block
    iters: list[tuple[IterType, str, int | SSAValue]] = []
    for one in plan.variables:
        extent = one.extent
        if isinstance(extent, tuple):
            size, factor = extent
            apply = ApplyOp(AffineExpr.dimension(0).ceil_div(factor), [size])
            apply.location = first.location
            apply.result.name_hint = f"{one.name}_size"
            Rewriter.insert_op(apply, InsertPoint.before(last))
            extent = apply.result
        iters.append((one.kind, one.name, extent))
    map_, operands = index.to_map([one.binding for one in plan.variables])
    set_, set_operands = index.to_set(plan.predicate)
    init = None
    if any(part.init is not None for part in plan.parts):
        init = _region(iters)
    outer = BlockOp(plan.name, iters, map_, operands, _region(iters), init, set_, set_operands)
    outer.location = first.location
    Rewriter.insert_op(outer, InsertPoint.before(last))
    for part in plan.parts:
        if part.init is not None:
            _build_init(plan, part, part.init, outer)
        _move(part, outer)
    return outer


def _region(iters: Sequence[tuple[IterType, str, int | SSAValue]]) -> Region:
    region = Region(Block(arg_types=[INDEX] * len(iters)))
    for arg, (_, name, _) in zip(region.block.args, iters, strict=True):
        arg.name_hint = name
    return region


def _bind(
    part: Part, args: Sequence[BlockArgument], zeros: dict[int, AffineExpr]
) -> list[AffineExpr]:
    """The bindings of the inner block over the variables ``args`` of the new one."""
    index = part.space.index
    found: list[AffineExpr] = []
    for division, position in zip(part.divisions, part.positions, strict=True):
        expr = ZERO if division.inner is None else substitute(division.inner, zeros)
        if division.outer is not None:
            whole = division.outer if position is None else index.expr(args[position])
            expr = whole * division.factor + expr
        found.append(index.simplify(expr))
    return found


def _conditions(
    part: Part,
    conditions: Sequence[tuple[AffineConstraintExpr, dict[int, int]]],
    args: Sequence[BlockArgument],
) -> list[AffineConstraintExpr]:
    index = part.space.index
    found: list[AffineConstraintExpr] = []
    for one, added in conditions:
        lhs: AffineExpr = ZERO
        for n, times in added.items():
            position = part.positions[n]
            assert position is not None
            lhs = lhs + index.expr(args[position]) * times
        lhs = lhs + one.lhs
        found.append(AffineConstraintExpr(one.kind, index.simplify(lhs), one.rhs))
    return found


def _build_init(plan: Plan, part: Part, init: InitPlan, outer: BlockOp) -> None:
    """The init of the new block: loops around a block that does what the init of one does."""
    block, index = part.space.block, part.space.index
    args = outer.init.block.args
    home = outer.init.block
    loops: list[ForOp] = []
    substituted = dict(init.zeros)
    for name, loop in zip(plan.init_loops, init.loops, strict=True):
        copy = ForOp(
            name,
            loop.extent_value,
            kind=loop.kind.data,
            annotations=loop.annotations.data if loop.annotations else None,
            axis=loop.axis,
        )
        copy.location = loop.location
        home.add_op(copy)
        home = copy.body.block
        loops.append(copy)
    numbers = {value: n for n, value in enumerate(index.roots) if value is not None}
    for old, new in zip(init.loops, loops, strict=True):
        substituted[numbers[old.var]] = index.expr(new.var)
    kept = [n for n, kind in enumerate(block.types) if kind is not IterType.REDUCE]
    bindings = _bind(part, args, substituted)
    map_, operands = index.to_map([bindings[n] for n in kept])
    moved = [
        (AffineConstraintExpr(one.kind, substitute(one.lhs, substituted), one.rhs), added)
        for one, added in init.conditions
    ]
    set_, set_operands = index.to_set(_conditions(part, moved, args))
    body = block.init.detach_block(block.init.block)
    for n in reversed(range(len(block.types))):
        if n not in kept:
            body.erase_arg(body.args[n])
    made = BlockOp(
        plan.init_name,
        [block.iters[n] for n in kept],
        map_,
        operands,
        Region(body),
        None,
        set_,
        set_operands,
    )
    made.location = block.location
    home.add_op(made)
    values: dict[SSAValue, SSAValue] = {
        value: args[position] for value, position in part.replaced.items()
    }
    values.update({old.var: new.var for old, new in zip(init.loops, loops, strict=True)})
    _replace_uses(made, values, skip=made)
    for loop in loops:
        extent = loop.dynamic_extent
        if extent is not None and extent in values:
            loop.operands = [values[extent]]


def _replace_uses(
    root: Operation, values: dict[SSAValue, SSAValue], skip: BlockOp | None = None
) -> None:
    for op in root.walk():
        if op is skip:
            continue
        for n, operand in enumerate(op.operands):
            if operand in values:
                op.operands[n] = values[operand]


def _move(part: Part, outer: BlockOp) -> None:
    """Put the loops and the block into the new one, in terms of its variables."""
    block, index = part.space.block, part.space.index
    args = outer.body.block.args
    bindings = _bind(part, args, {})
    predicate = _conditions(part, part.conditions, args)
    set_block_spaces(block, index.to_map(bindings), index.to_set(predicate))
    values: dict[SSAValue, SSAValue] = {
        value: args[position] for value, position in part.replaced.items()
    }
    _replace_uses(part.space.root, values)
    part.space.root.detach()
    outer.body.block.add_op(part.space.root)
