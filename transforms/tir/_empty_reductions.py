"""Reductions over no element: a reduction block then stands for its initial value.

The loops of such a block run no iteration, so an initialisation inside them would be lost.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable

from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineExpr,
    AffineMap,
    AffineSet,
)
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis import loop_tree
from kc.analysis.captures import captured_values
from kc.dialects.tir import BlockOp, ForOp, IfOp, IterType
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of
from kc.transforms.affine_rewrite import compact


def is_empty(block: BlockOp) -> bool:
    """Whether the reduction of ``block`` has no element, whatever the sizes."""
    return 0 in _reduce_extents(block)


def may_not_begin(block: BlockOp, loop: ForOp) -> bool:
    """Whether ``loop`` may have no iteration although the reduction of ``block`` is not over
    nothing: its extent is of something else than the sizes of the reduction."""
    extent = loop.dynamic_extent
    sizes = [one for one in _reduce_extents(block) if not isinstance(one, int)]
    return extent is not None and not origins([extent]) <= origins(sizes)


def origins(values: Iterable[SSAValue]) -> set[SSAValue]:
    """The values that ``values`` are computed from, and that are not computed themselves."""
    found: set[SSAValue] = set()
    seen: set[SSAValue] = set()
    pending = list(values)
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        operands = () if isinstance(value.owner, Block) else value.owner.operands
        pending.extend(operands)
        if not operands:
            found.add(value)
    return found


def fill_instead(block: BlockOp, fresh_name: Callable[[str], str]) -> None:
    """Replace an empty reduction by loops that store its initial value."""
    place, fill = _fill(block, fresh_name)
    Rewriter.insert_op(fill, InsertPoint.before(place))
    Rewriter.erase_op(block)


def fill_if_empty(block: BlockOp, fresh_name: Callable[[str], str]) -> None:
    """Store the initial value before the loops where a size makes the reduction empty."""
    for extent in _reduce_extents(block):
        if isinstance(extent, int):
            continue
        zero = AffineConstraintExpr(
            AffineConstraintKind.eq, AffineExpr.dimension(0), AffineExpr.constant(0)
        )
        place, fill = _fill(block, fresh_name, extent)
        guard = IfOp(AffineSet(1, 0, (zero,)), [extent], Region(Block([fill])))
        guard.location = block.location
        Rewriter.insert_op(guard, InsertPoint.before(place))


def _reduce_extents(block: BlockOp) -> list[int | SSAValue]:
    return [extent for kind, _, extent in block.iters if kind is IterType.REDUCE]


def _outermost(block: BlockOp) -> Operation:
    """The outermost loop around ``block`` in which nothing that its init uses is defined."""
    used = captured_values(block.init.block)
    loops = [
        loop
        for loop in loop_tree.loops_around(block)
        if not any(loop_tree.defined_inside(value, loop) for value in used)
    ]
    return loops[0] if loops else block


def _fill(
    block: BlockOp, fresh_name: Callable[[str], str], extent: SSAValue | None = None
) -> tuple[Operation, Operation]:
    """What stores the initial value, and before what it comes; ``extent`` is known there.

    It stores the elements that the block would: what else is in the buffer is not its own. Where
    no loops count these, as when they are fused with those of the reduction, it stores all.
    """
    place = _start(block) if extent is None else _start(block, extent)
    if place is not None:
        try:
            return place, _fill_at(block, place, fresh_name)
        except CodegenError:
            if extent is not None and loop_tree.defined_inside(extent, _outermost(block)):
                raise  # another extent for each element
    return _outermost(block), _fill_nest(block, fresh_name)


def _start(block: BlockOp, *others: SSAValue) -> Operation | None:
    """The outermost loop of the reduction in which nothing that its init uses is defined, and
    none of ``others``."""
    used = [*captured_values(block.init.block), *block.dynamic_extents, *others]
    carried = False
    for loop in loop_tree.loops_around(block):
        carried = carried or IterType.REDUCE in loop_tree.iter_types(loop, block)
        if carried and not any(loop_tree.defined_inside(value, loop) for value in used):
            return loop
    return None


def _fill_nest(block: BlockOp, fresh_name: Callable[[str], str]) -> Operation:
    """Loops over the spatial domain of ``block`` around a block that does what its init does."""
    iters = [block.iters[n] for n in _spatial(block)]
    loops = [ForOp(name.removeprefix("v_"), extent) for _, name, extent in iters]
    inner: Operation = BlockOp(
        fresh_name(f"{block.label}_init"),
        iters,
        AffineMap.identity(len(loops)),
        [one.var for one in loops],
        _init_of(block),
    )
    inner.location = block.location
    for loop in reversed(loops):
        loop.location = block.location
        loop.body.block.add_op(inner)
        inner = loop
    return inner


def _spatial(block: BlockOp) -> list[int]:
    return [n for n, kind in enumerate(block.types) if kind is IterType.SPATIAL]


def _init_of(block: BlockOp) -> Region:
    """A copy of the init of ``block`` over its spatial variables."""
    spatial = _spatial(block)
    init = block.init.clone()
    for n in reversed(range(len(block.types))):
        if n not in spatial:
            init.block.erase_arg(init.block.args[n])
    return init


def _guards(
    block: BlockOp, place: Operation, known: Container[SSAValue]
) -> list[tuple[IfOp, bool]]:
    """The conditions on the way to ``block`` that ``known`` and what is before ``place`` decide.

    The innermost first, each with whether the block is where it holds.
    """
    found: list[tuple[IfOp, bool]] = []
    op: Operation = block
    while op is not place:
        parent = op.parent_op()
        assert parent is not None
        if isinstance(parent, IfOp) and all(
            one in known or not loop_tree.defined_inside(one, place)
            for one in parent.operands_of_set
        ):
            found.append((parent, op.parent_region() is parent.then))
        op = parent
    return found


def _fill_at(block: BlockOp, place: Operation, fresh_name: Callable[[str], str]) -> Operation:
    """What the init of ``block`` does for the elements that ``place``, which holds it, computes.

    Loops inside ``place`` that count elements are copied. Refuses (KC4213) what is not counted by
    loops.
    """
    spatial = _spatial(block)
    exprs = [block.binding_exprs[n] for n in spatial]
    bindings, operands = compact(
        AffineMap(len(block.binding_operands), 0, tuple(exprs)), block.binding_operands
    )
    around = loop_tree.loops_around(block)
    inside = {one.var: one for one in around if loop_tree.is_inside(one, place)}
    counts = {one for one in inside if IterType.REDUCE in loop_tree.iter_types(inside[one], block)}
    kept = [
        one
        for one in block.predicate.data.constraints
        if not any(block.predicate_operands[dim] in counts for dim in one.lhs.used_dims())
    ]
    predicate, about = compact(
        AffineSet(len(block.predicate_operands), 0, tuple(kept)), block.predicate_operands
    )
    guards = _guards(block, place, set(inside) - counts)
    asked = [one for guard, _ in guards for one in guard.operands_of_set]
    inner = [inside[one] for one in inside if one in {*operands, *about, *asked}]
    given = [one for one in (*operands, *about) if one not in inside]
    given += [one.dynamic_extent for one in inner if one.dynamic_extent is not None]
    if counts & set(operands) or any(loop_tree.defined_inside(one, place) for one in given):
        raise CodegenError(
            "KC4213",
            f"lower-init-block: the elements of {block.label} are not counted by loops of their "
            "own",
            location=location_of(block),
            why="its reduction has another extent for each element; where that is 0, the element "
            "is the initial value",
            hints=["do not fuse loops of elements with loops of this reduction"],
        )
    copies = {one.var: ForOp(one.label, one.extent_value) for one in inner}
    values: dict[SSAValue, SSAValue] = {old: new.var for old, new in copies.items()}
    made: Operation = BlockOp(
        fresh_name(f"{block.label}_init"),
        [block.iters[n] for n in spatial],
        bindings,
        [values.get(one, one) for one in operands],
        _init_of(block),
        predicate=predicate,
        predicate_operands=[values.get(one, one) for one in about],
    )
    made.location = block.location
    for guard, holds in guards:
        fill, other = Region(Block([made])), Region(Block())
        made = IfOp(
            guard.condition.data,
            [values.get(one, one) for one in guard.operands_of_set],
            *((fill,) if holds else (other, fill)),
        )
        made.location = guard.location
    for one in reversed(inner):
        copy = copies[one.var]
        copy.location = one.location
        copy.body.block.add_op(made)
        made = copy
    return made
