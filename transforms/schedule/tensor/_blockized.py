"""The new block of blockize: its plan and its construction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstraintExpr, AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis import loop_tree
from kc.analysis.accesses.dependence import carried_conflict
from kc.analysis.affine.index_facts import determined, forced_to_zero
from kc.analysis.affine.index_values import IndexValues, substitute
from kc.analysis.affine.isl_sets import first_point
from kc.analysis.affine.simplify_affine import simplify_constraints
from kc.analysis.affine.terms import Term, all_of, condition_of, dim, term_of
from kc.analysis.captures import captured_values
from kc.dialects.affine_assembly import ZERO
from kc.dialects.tir import INDEX, ApplyOp, BlockOp, ForOp, IterType, LoadOp, StoreOp
from kc.dialects.tir.threads import LANE_AXES
from kc.support.diagnostics import ScheduleError
from kc.transforms.affine_rewrite import set_block_spaces
from kc.transforms.known_values import is_available
from kc.transforms.schedule._blocks import describe
from kc.transforms.schedule.base import Site
from kc.transforms.schedule.tensor._subspace import Division, Subspace, outer_extent, stand_in
from kc.transforms.tir.blocks._empty_reductions import may_not_begin


@dataclass
class OuterVariable:
    """A variable of the new block."""

    kind: IterType
    name: str
    extent: int | tuple[SSAValue, int] | SSAValue
    """The extent; ``(size, factor)`` stands for ``size ceildiv factor``."""
    binding: AffineExpr
    """The binding over the roots of the index values."""


@dataclass
class InitPlan:
    """The loops of a tile's init, and its conditions."""

    loops: list[ForOp]
    zeros: dict[int, AffineExpr]
    conditions: list[tuple[AffineConstraintExpr, dict[int, int]]]


@dataclass
class Part:
    """A block that moves into the new block, with its loops."""

    space: Subspace
    divisions: list[Division]
    positions: list[int | None]
    """For each variable of the block, the position of the variable of the new block that is its
    outer part.
    """
    conditions: list[tuple[AffineConstraintExpr, dict[int, int]]]
    """The inner predicate: conditions, each with the variables of the new block that are added to
    it, times a factor.
    """
    replaced: dict[SSAValue, int]
    """The values from outside that the block's body uses, with the equal variables of the new
    block.
    """
    init: InitPlan | None = None


@dataclass
class Plan:
    """The plan for the new block of blockize."""

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
    for variable in plan.variables:
        extent = variable.extent
        if isinstance(extent, tuple):
            size, factor = extent
            apply = ApplyOp(AffineExpr.dimension(0).ceil_div(factor), [size])
            apply.location = first.location
            apply.result.name_hint = f"{variable.name}_size"
            Rewriter.insert_op(apply, InsertPoint.before(last))
            extent = apply.result
        iters.append((variable.kind, variable.name, extent))
    map_, operands = index.to_map([variable.binding for variable in plan.variables])
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
    """The bindings of the inner block over the variables ``args`` of the new block."""
    index = part.space.index
    bindings: list[AffineExpr] = []
    for division, position in zip(part.divisions, part.positions, strict=True):
        expr = ZERO if division.inner is None else substitute(division.inner, zeros)
        if division.outer is not None:
            whole = division.outer if position is None else index.expr(args[position])
            expr = whole * division.factor + expr
        bindings.append(index.simplify(expr))
    return bindings


def _conditions(
    part: Part,
    conditions: Sequence[tuple[AffineConstraintExpr, dict[int, int]]],
    args: Sequence[BlockArgument],
) -> list[AffineConstraintExpr]:
    index = part.space.index
    moved: list[AffineConstraintExpr] = []
    for constraint, added in conditions:
        lhs: AffineExpr = ZERO
        for n, times in added.items():
            position = part.positions[n]
            assert position is not None
            lhs = lhs + index.expr(args[position]) * times
        lhs = lhs + constraint.lhs
        moved.append(AffineConstraintExpr(constraint.kind, index.simplify(lhs), constraint.rhs))
    return moved


def _build_init(plan: Plan, part: Part, init: InitPlan, outer: BlockOp) -> None:
    """Build the init of the new block: loops around a block with the init of an inner block."""
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
    spatial = [n for n, kind in enumerate(block.types) if kind is not IterType.REDUCE]
    bindings = _bind(part, args, substituted)
    map_, operands = index.to_map([bindings[n] for n in spatial])
    moved = [
        (
            AffineConstraintExpr(
                constraint.kind, substitute(constraint.lhs, substituted), constraint.rhs
            ),
            added,
        )
        for constraint, added in init.conditions
    ]
    set_, set_operands = index.to_set(_conditions(part, moved, args))
    body = block.init.detach_block(block.init.block)
    for n in reversed(range(len(block.types))):
        if n not in spatial:
            body.erase_arg(body.args[n])
    init_block = BlockOp(
        plan.init_name,
        [block.iters[n] for n in spatial],
        map_,
        operands,
        Region(body),
        None,
        set_,
        set_operands,
    )
    init_block.location = block.location
    home.add_op(init_block)
    values: dict[SSAValue, SSAValue] = {
        value: args[position] for value, position in part.replaced.items()
    }
    values.update({old.var: new.var for old, new in zip(init.loops, loops, strict=True)})
    _replace_uses(init_block, values, skip=init_block)
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
    """Move the loops and the block into the new block, and rewrite them over its variables."""
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


# Several blocks side by side ------------------------------------------------------------------


def neighbours(site: Site, blocks: Sequence[BlockOp]) -> list[ForOp | BlockOp]:
    """The adjacent loops or blocks that each contain one of ``blocks``. Refuses (KC3556) blocks
    that are not adjacent.
    """
    chains = [_bodies(block) for block in dict.fromkeys(blocks)]
    common = [body for body in chains[0] if all(body in chain for chain in chains)]
    home = common[0]
    tops: set[Operation] = set()
    for block in blocks:
        top: Operation = block
        while top.parent is not home:
            parent = top.parent_op()
            assert parent is not None
            top = parent
        tops.add(top)
    work = [op for op in home.ops if loop_tree.has_work(op)]
    places = sorted(work.index(top) for top in tops)
    if places != list(range(places[0], places[0] + len(places))):
        between = next(n for n in range(places[0], places[-1]) if n not in places)
        raise site.refuse(
            "KC3556",
            "the blocks are not neighbours",
            at=work[places[0]],
            mark={
                work[between]: "in between",
                **{top: "here" for top in tops},
            },
            why=f"{describe(work[between])} comes between them",
        )
    holders: list[ForOp | BlockOp] = []
    chosen = set(blocks)
    for n in places:
        top = work[n]
        inner = [block for block in loop_tree.blocks(top) if block in chosen]
        if not isinstance(top, ForOp | BlockOp) or len(inner) > 1:
            raise site.refuse(
                "KC3556",
                f"{describe(top)} does not contain exactly one of the blocks",
                at=top,
                why="each block includes the loops that contain only that block",
            )
        holders.append(top)
    return holders


def _bodies(op: Operation) -> list[Block]:
    """The bodies around ``op``, innermost first."""
    bodies: list[Block] = []
    block = op.parent
    while block is not None:
        bodies.append(block)
        parent = block.parent_op()
        block = parent.parent if parent is not None else None
    return bodies


def same_variables(own: Sequence[OuterVariable], theirs: Sequence[OuterVariable]) -> bool:
    def keys(variables: Sequence[OuterVariable]) -> list[tuple[str, str, int]]:
        return sorted(
            (str(variable.binding), variable.kind.value, hash(variable.extent))
            for variable in variables
        )

    return keys(own) == keys(theirs)


def in_order_of(
    positions: Sequence[int | None],
    own: Sequence[OuterVariable],
    variables: Sequence[OuterVariable],
) -> list[int | None]:
    """``positions`` in ``own``, as positions in ``variables``."""
    place = {variable.binding: n for n, variable in enumerate(variables)}
    return [None if n is None else place[own[n].binding] for n in positions]


def keys_of(conditions: Sequence[AffineConstraintExpr]) -> set[str]:
    return {str(constraint) for constraint in conditions}


def listed(variables: Sequence[OuterVariable]) -> str:
    names = [variable.name.removesuffix("_o").removeprefix("v_") for variable in variables]
    return f"has {', '.join(names)} outside" if names else "has none outside"


def weaken(variables: Sequence[OuterVariable], top: Operation, index: IndexValues) -> None:
    """Make variables opaque if their instances depend on each other across several blocks."""
    for loop in loop_tree.loops_around(top):
        driven = [
            variable for variable in variables if index.expr(loop.var) in _atoms(variable.binding)
        ]
        if driven and carried_conflict(loop) is not None:
            for variable in driven:
                variable.kind = IterType.OPAQUE


def _atoms(expr: AffineExpr) -> list[AffineExpr]:
    return list(expr.dfs())


# One block and its loops ----------------------------------------------------------------------


def divide(site: Site, space: Subspace) -> list[Division]:
    """The divided variables of a block. Refuses (KC3552) a variable that does not divide."""
    divisions: list[Division] = []
    for name, expr in zip(space.block.names, space.exprs, strict=True):
        division = space.divide(expr)
        if division is None:
            loop = space.root
            label = loop.label if isinstance(loop, ForOp | BlockOp) else ""
            raise site.refuse(
                "KC3552",
                f"the variable {name} of block {space.block.label} does not divide at {label}",
                at=loop,
                mark={loop: "here", space.block: f"{name} is bound to loops inside and outside"},
                why=space.reach(expr),
            )
        divisions.append(division)
    return divisions


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
    """The plan for a block, and its conditions on the new block. Refuses KC3553 and KC3554."""
    block, index = space.block, space.index
    conditions = space.conditions()
    inner: list[tuple[AffineConstraintExpr, dict[int, int]]] = []
    outer: list[AffineConstraintExpr] = []
    for constraint in conditions or []:
        side, rest, added = space.condition_side(constraint, divisions)
        if side == "outer":
            outer.append(rest)
        elif side == "inner":
            inner.append((rest, added))
        if side == "mixed" or any(positions[n] is None for n in added):
            loop = space.root
            raise site.refuse(
                "KC3553",
                f"the predicate of block {block.label} does not divide at {loop.label}",  # pyright: ignore[reportAttributeAccessIssue]
                at=loop,
                why="a condition depends on loops both inside and outside, and not on the block's "
                "variables",
            )
    if conditions is None:
        raise site.refuse(
            "KC3553",
            f"the predicate of block {block.label} never holds",
            at=block,
            why="no iteration runs the block",
        )
    for guard in space.domain_guards(divisions):
        if guard not in outer:
            outer.append(guard)
    _require_threads_together(site, space, outer)
    replaced: dict[SSAValue, int] = {}
    for value in space.loose_uses():
        n = stand_in(value, divisions, index)
        position = None if n is None else positions[n]
        if position is None:
            name = value.name_hint or "a value"
            raise site.refuse(
                "KC3554",
                f"{name} is used in "
                + (describe(space.root) if isinstance(space.root, ForOp) else "the block"),
                at=space.root,
                why=f"{name} is not a variable of the new block",
            )
        replaced[value] = position
    for extent in block.extents:
        if isinstance(extent, SSAValue) and not is_available(extent, space.root):
            raise site.refuse(
                "KC3554",
                f"the extent {extent.name_hint or 'of a variable'} is computed in "
                f"{describe(space.root)}",
                at=space.root,
                why="an extent of the new block is computed from it",
            )
    return Part(space, divisions, positions, inner, replaced), outer


def _require_threads_together(
    site: Site, space: Subspace, conditions: list[AffineConstraintExpr]
) -> None:
    """Refuse (KC3553) an outer condition on threads if loops over threads of the same block are
    inside.

    Threads that fail the condition do not run their iterations inside, and the other threads would
    wait for them forever.
    """
    block = space.block
    inner = next((loop for loop in space.inside if loop.axis in LANE_AXES), None)
    if inner is None:
        return
    for around in loop_tree.all_loops_around(space.root):
        if around.axis not in LANE_AXES:
            continue
        varying = loop_tree.derived_values(around.var)
        if any(varying.intersection(space.roots(condition.lhs)) for condition in conditions):
            raise site.refuse(
                "KC3553",
                f"the predicate of block {block.label} does not divide at {describe(space.root)}",
                at=space.root,
                mark={around: f"{around.axis}", inner: f"{inner.axis}"},
                why=f"a condition on {around.label} would keep threads away from {inner.label}, "
                "where they wait for each other",
                hints=[f"leave {inner.label} unbound"],
            )


def plan_init(site: Site, part: Part) -> InitPlan:
    """The plan for the init of a whole tile. Refuses (KC3555) an init that cannot become the init
    of a tile.
    """
    space, index = part.space, part.space.index
    block, inside = space.block, space.inside

    pairs = zip(block.types, part.divisions, strict=True)
    divided = any(
        kind is IterType.REDUCE and division.outer is not None for kind, division in pairs
    )

    def refuse(why: str) -> ScheduleError:
        return site.refuse(
            "KC3555",
            f"the init of block {block.label} cannot become the init of the tile",
            at=block,
            mark={space.root: "the tile", block: "here"},
            why=why,
            hints=[] if divided else ["preserve-unit-iters=false"],
        )

    reduced: list[AffineExpr] = []
    spatial: list[AffineExpr] = []
    for kind, division in zip(block.types, part.divisions, strict=True):
        if division.inner is not None:
            (reduced if kind is IterType.REDUCE else spatial).append(division.inner)
    driving = {value for expr in reduced for value in space.roots(expr)}
    zero = forced_to_zero(reduced, index)
    at_zero = {n: ZERO for n, value in enumerate(index.roots) if value in zero}
    # A value from outside, such as the number of earlier terms, need not be 0.
    starts = driving <= zero and driving <= {loop.var for loop in inside}
    if not starts or any(index.simplify(substitute(expr, at_zero)) != ZERO for expr in reduced):
        raise refuse("the reduction does not start where its loops in the tile start")
    loops = [loop for loop in inside if loop.var not in zero and loop.static_extent != 1]
    short = [loop for loop in inside if loop not in loops and may_not_begin(block, loop)]
    if short:
        raise refuse(f"loop {short[0].label} may have no iteration")
    if not {loop.var for loop in loops} <= determined(spatial, index):
        raise refuse("an iteration of the tile initialises what another one has accumulated")
    used = {value for expr in spatial for value in space.roots(expr)}
    used |= {loop.dynamic_extent for loop in loops if loop.dynamic_extent is not None}
    variables = {loop.var for loop in inside}
    if any(
        loop_tree.defined_inside(value, space.root) and value not in variables
        for value in (*used, *captured_values(block.init.block))
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
        raise refuse("it reads a buffer that the block writes")
    zeros = {
        n: ZERO
        for n, value in enumerate(index.roots)
        if value in zero or (value in variables and value not in {loop.var for loop in loops})
    }
    reduce_args = {n for n, kind in enumerate(block.types) if kind is IterType.REDUCE}
    conditions: list[tuple[AffineConstraintExpr, dict[int, int]]] = []
    sizes = [
        index.expr(extent) if isinstance(extent, SSAValue) else AffineExpr.constant(extent)
        for kind, _, extent in block.iters
        if kind is IterType.REDUCE
    ]
    lows = [index.bounds(size)[0] for size in sizes]
    may_be_empty = any(low is None or low < 1 for low in lows)
    for constraint, added in part.conditions:
        lhs = index.simplify(substitute(constraint.lhs, zeros))
        rest = {n: times for n, times in added.items() if n not in reduce_args}
        condition = AffineConstraintExpr(constraint.kind, lhs, constraint.rhs)
        of_terms = bool(reduce_args.intersection(added)) or any(
            index.roots[n] in driving for n in constraint.lhs.used_dims()
        )
        if of_terms and may_be_empty:
            # An empty reduction is still initialised.
            if not rest and _follows(condition, [size - 1 for size in sizes], index):
                continue
            if rest or simplify_constraints([condition], index.ranges) != []:
                raise refuse("it runs for an empty reduction, regardless of the predicate")
        if not rest:
            simple = simplify_constraints([condition], index.ranges)
            if simple is None:
                raise refuse("the predicate leaves out the start of the reduction")
            conditions += [(bound, {}) for bound in simple]
        else:
            conditions.append((condition, rest))
    return InitPlan(loops, zeros, conditions)


def _follows(
    condition: AffineConstraintExpr, naturals: Sequence[AffineExpr], index: IndexValues
) -> bool:
    """True if ``condition`` holds whenever all of ``naturals`` are at least 0."""
    names = [f"r{n}" for n in range(len(index.roots))]
    unknown: list[str] = []

    def root(n: int) -> Term:
        return dim(names[n])

    def opaque() -> Term:
        unknown.append(f"x{len(unknown)}")
        return dim(unknown[-1])

    facts = [term_of(expr, root, opaque) >= 0 for expr in naturals]
    for n, (low, high) in enumerate(index.ranges):
        facts += [root(n) >= low] if low is not None else []
        facts += [root(n) <= high] if high is not None else []
    fails = ~condition_of(condition, root, opaque)
    return first_point(all_of([*facts, fails]), [*names, *unknown]) is None
