"""A block and the loops that only it is in as part of a new one: variables, predicate, init."""

from __future__ import annotations

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstraintExpr, AffineConstraintKind, AffineExpr

from kc.analysis import loop_tree
from kc.analysis.captures import captured_values
from kc.analysis.index_facts import determined, forced_to_zero
from kc.analysis.index_values import substitute
from kc.analysis.simplify_affine import simplify_constraints
from kc.dialects.affine_assembly import ZERO
from kc.dialects.tir import BlockOp, ForOp, IterType, LoadOp, StoreOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.known_values import is_available
from kc.transforms.schedule._blocks import describe
from kc.transforms.schedule.base import Site
from kc.transforms.schedule.tensor._blockized import InitPlan, OuterVariable, Part
from kc.transforms.schedule.tensor._subspace import Division, Subspace, outer_extent, stand_in
from kc.transforms.tir._empty_reductions import may_not_begin


def divide(site: Site, space: Subspace) -> list[Division]:
    """The variables of a block, divided; or a refusal (KC3552)."""
    found: list[Division] = []
    for name, expr in zip(space.block.names, space.exprs, strict=True):
        division = space.divide(expr)
        if division is None:
            loop = space.root
            label = loop.label if isinstance(loop, ForOp | BlockOp) else ""
            raise site.refuse(
                "KC3552",
                f"blockize: the variable {name} of block {space.block.label} does not divide at "
                f"{label}",
                at=loop,
                mark={loop: "here", space.block: f"{name} is bound to loops inside and outside"},
                why=space.reach(expr),
            )
        found.append(division)
    return found


def outer_variable(
    kind: IterType, name: str, extent: int | SSAValue, division: Division
) -> OuterVariable:
    size = outer_extent(extent, division)
    if size is None:
        assert isinstance(extent, SSAValue)
        size = (extent, division.factor)
    binding = ZERO if division.outer is None else division.outer
    return OuterVariable(kind, f"{name}_o", size, binding)


def part_of(
    site: Site, space: Subspace, divisions: list[Division], positions: list[int | None]
) -> tuple[Part, list[AffineConstraintExpr]]:
    """What becomes of a block, and the conditions that the new block gets from it."""
    block, index = space.block, space.index
    conditions = space.conditions()
    inner: list[tuple[AffineConstraintExpr, dict[int, int]]] = []
    outer: list[AffineConstraintExpr] = []
    for one in conditions or []:
        side, made, added = space.condition_side(one, divisions)
        if side == "outer":
            outer.append(made)
        elif side == "inner":
            inner.append((made, added))
        if side == "mixed" or any(positions[n] is None for n in added):
            loop = space.root
            raise site.refuse(
                "KC3553",
                f"blockize: the predicate of block {block.label} does not divide at {loop.label}",  # pyright: ignore[reportAttributeAccessIssue]
                at=loop,
                why="a condition is about loops inside and outside, and not about the block's "
                "variables",
            )
    if conditions is None:
        raise site.refuse(
            "KC3553",
            f"blockize: the predicate of block {block.label} never holds",
            at=block,
            why="no iteration runs the block",
        )
    for one in space.domain_guards(divisions):
        if one not in outer:
            outer.append(one)
    replaced: dict[SSAValue, int] = {}
    for value in space.loose_uses():
        n = stand_in(value, divisions, index)
        position = None if n is None else positions[n]
        if position is None:
            name = value.name_hint or "a value"
            raise site.refuse(
                "KC3554",
                f"blockize: {name} is used in "
                + (describe(space.root) if isinstance(space.root, ForOp) else "the block"),
                at=space.root,
                why=f"no variable of the new block is {name}",
            )
        replaced[value] = position
    for extent in block.extents:
        if isinstance(extent, SSAValue) and not is_available(extent, space.root):
            raise site.refuse(
                "KC3554",
                f"blockize: the extent {extent.name_hint or 'of a variable'} is computed in "
                f"{describe(space.root)}",
                at=space.root,
                why="the new block has an extent made of it",
            )
    return Part(space, divisions, positions, inner, replaced), outer


def plan_init(site: Site, part: Part) -> InitPlan:
    """How the init runs for a whole tile, or a refusal (KC3555)."""
    space, index = part.space, part.space.index
    block, inside = space.block, space.inside

    pairs = zip(block.types, part.divisions, strict=True)
    divided = any(kind is IterType.REDUCE and one.outer is not None for kind, one in pairs)

    def refuse(why: str) -> ScheduleError:
        return site.refuse(
            "KC3555",
            f"blockize: the init of block {block.label} cannot be that of the tile",
            at=block,
            mark={space.root: "the tile", block: "here"},
            why=why,
            hints=[] if divided else ["preserve-unit-iters=false"],
        )

    reduced: list[AffineExpr] = []
    kept: list[AffineExpr] = []
    for kind, division in zip(block.types, part.divisions, strict=True):
        if division.inner is not None:
            (reduced if kind is IterType.REDUCE else kept).append(division.inner)
    driving = {value for expr in reduced for value in space.roots(expr)}
    zero = forced_to_zero(reduced, index)
    at_zero = {n: ZERO for n, value in enumerate(index.roots) if value in zero}
    if not driving <= zero or any(
        index.simplify(substitute(expr, at_zero)) != ZERO for expr in reduced
    ):
        raise refuse("the start of the reduction is not where its loops in the tile start")
    loops = [one for one in inside if one.var not in zero and one.static_extent != 1]
    short = [one for one in inside if one not in loops and may_not_begin(block, one)]
    if short:
        raise refuse(f"loop {short[0].label} may have no iteration")
    if not {one.var for one in loops} <= determined(kept, index):
        raise refuse("an iteration of the tile initialises what another one has summed up")
    used = {one for expr in kept for one in space.roots(expr)}
    used |= {one.dynamic_extent for one in loops if one.dynamic_extent is not None}
    variables = {one.var for one in inside}
    if any(
        loop_tree.defined_inside(one, space.root) and one not in variables
        for one in (*used, *captured_values(block.init.block))
    ):
        raise refuse("it needs a value that is computed in the tile")
    read = {op.buffer for op in block.init.walk() if isinstance(op, LoadOp)}
    written = {
        op.buffer
        for region in (block.init, block.body)
        for op in region.walk()
        if isinstance(op, StoreOp)
    }
    if read & written:
        raise refuse("it reads what the block writes")
    zeros = {
        n: ZERO
        for n, value in enumerate(index.roots)
        if value in zero or (value in variables and value not in {one.var for one in loops})
    }
    reduce_args = {n for n, kind in enumerate(block.types) if kind is IterType.REDUCE}
    conditions: list[tuple[AffineConstraintExpr, dict[int, int]]] = []
    sizes = [
        index.expr(extent)
        for kind, _, extent in block.iters
        if kind is IterType.REDUCE and isinstance(extent, SSAValue)
    ]
    for one, added in part.conditions:
        lhs = index.simplify(substitute(one.lhs, zeros))
        rest = {n: times for n, times in added.items() if n not in reduce_args}
        made = AffineConstraintExpr(one.kind, lhs, one.rhs)
        is_bound = one.kind is AffineConstraintKind.ge and not rest
        if is_bound and any(index.simplify(lhs - one.rhs - size + 1) == ZERO for size in sizes):
            continue  # a reduction over nothing is initialised
        if not rest:
            simple = simplify_constraints([made], index.ranges)
            if simple is None:
                raise refuse("the predicate leaves out the start of the reduction")
            conditions += [(two, {}) for two in simple]
        else:
            conditions.append((made, rest))
    return InitPlan(loops, zeros, conditions)
