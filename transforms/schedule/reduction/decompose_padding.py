"""decompose_padding: a padding block becomes two blocks: one fills, the other copies the interior.

Before, ``decompose-padding block=P loop=i``::

    tir.for %i in 140 {
      tir.block "P" (spatial %v_i in 140 = %i) do {
        %in = (%v_i >= 6 and %v_i < 134), computed by arith
        %p = scf.if %in { %A[%v_i - 6] } else { 0 }
        tir.store %p, %P[%v_i]

After::

    tir.for %i_pad in 140 {
      tir.block "P_pad" (spatial %v_i in 140 = %i_pad) do { tir.store 0, %P[%v_i] }
    }
    tir.for %i in 128 {
      tir.block "P" (spatial %v_i in 140 = %i + 6) do { tir.store %A[%v_i - 6], %P[%v_i] }
    }

The condition may be an ``scf.if`` with two values or an ``arith.select``, and either value may be
the constant. The new block precedes the loop, in a copy of the loops from there on, including their
kinds. Loops of the old block that conditions bound shrink to the interior; the remaining conditions
become its predicate.

*Legal when*

1. KC3200: the block computes each element of one buffer independently.
2. KC3612: it stores a constant where an affine condition on its variables does not hold.
3. KC3602: the loop is around the block.
4. KC3603: the buffer exists before the loop.
5. KC3303, KC3613: no other operation in the loop uses an element before the block stores it.
6. KC3618: the condition and the index of the store do not depend on data that is loaded in the
   loop.

A condition that always holds gets a warning (KC3614): there are no elements to fill.

TVM: ``decompose_padding``; ``can_decompose_padding`` tells if it is legal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, StringAttr, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import (
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineSet,
)
from xdsl.rewriter import InsertPoint

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import Space
from kc.analysis.accesses.regions import BoundIndexValues, loads_of, stores_to
from kc.analysis.affine.conditions import conjunction
from kc.analysis.affine.index_values import dimensions
from kc.analysis.affine.simplify_affine import simplify_constraints
from kc.analysis.loop_tree import buffer_name
from kc.dialects.affine_assembly import ZERO, from_terms, linear_terms
from kc.dialects.tir import DYNAMIC, ApplyOp, BlockOp, ForOp, IfOp, LoadOp, StoreOp
from kc.support.diagnostics import ScheduleError, warn
from kc.support.locations import location_of
from kc.transforms.affine_rewrite import compact, replace_with_expr, set_block_spaces
from kc.transforms.known_values import is_available
from kc.transforms.schedule._blocks import Definition, describe, own_loops, require_definition
from kc.transforms.schedule._buffers import fresh_name, require_plain_uses
from kc.transforms.schedule._copies import loops_shared, same_element
from kc.transforms.schedule._nests import loop_around
from kc.transforms.schedule.base import (
    CALL_SITE,
    BlockRef,
    Gives,
    LoopRef,
    Primitive,
    Rewritten,
    Site,
)


@dataclass(frozen=True)
class Plan:
    """The padding, and the loop before which the fill goes."""

    block: BlockOp
    loop: ForOp
    padding: Padding


@dataclass(frozen=True)
class DecomposePadding(Primitive):
    """Split a padding block into a block that fills and a block that copies the interior."""

    name: ClassVar[str] = "decompose-padding"
    gives: ClassVar[Gives] = "block"

    block: BlockRef = field(metadata={"help": "the block that pads"})
    loop: LoopRef = field(metadata={"help": "the loop before which the fill goes"})

    def check(self, site: Site) -> Plan:
        block = site.resolve_block(self.block)
        definition = require_definition(site, block)
        padding = padding_of(definition)
        if isinstance(padding, str):
            raise site.refuse(
                "KC3612",
                f"block {block.label} does not pad",
                at=block,
                why=padding,
            )
        why = "the fill goes before a loop of the block"
        loop = loop_around(site, self.loop, block, why)
        require_plain_uses(site, block, definition.buffer)
        refusal = _objection(site, definition, loop)
        if refusal is not None:
            refusal.hints = tuple(
                f"loop={outer.label}"
                for outer in loop_tree.loops_around(block)
                if _objection(site, definition, outer) is None
            )
            raise refusal
        return Plan(block, loop, padding)

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for block in loop_tree.blocks(site.function):
            stores = [op for op in block.body.walk() if isinstance(op, StoreOp)]
            if any(isinstance(store.value.owner, scf.IfOp | arith.SelectOp) for store in stores):
                for loop in loop_tree.loops_around(block):
                    yield cls(BlockRef(block), LoopRef(loop))

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        if not plan.padding.conditions:
            warn(
                "KC3614",
                f"decompose_padding: block {plan.block.label} pads nothing",
                location=CALL_SITE.get() or location_of(plan.block),
                why="its condition always holds, so the whole fill is overwritten",
            )
        filled, loops = _fill(site, plan)
        _copy(plan)
        return Rewritten(loops, blocks=(filled,))


def can_decompose_padding(site: Site, block: BlockRef, loop: LoopRef) -> bool:
    """True if ``decompose_padding`` of ``block`` at ``loop`` is legal."""
    try:
        DecomposePadding(block, loop).plan(site)
    except ScheduleError:
        return False
    return True


def _objection(site: Site, definition: Definition, loop: ForOp) -> ScheduleError | None:
    """The refusal of a fill before ``loop``; None if it is legal."""
    return _unknown(site, definition, loop) or _used_before(site, definition, loop)


def _unknown(site: Site, definition: Definition, loop: ForOp) -> ScheduleError | None:
    """The refusal of a buffer, condition or index that is not available before the loop; None if
    all are.
    """
    block = definition.block
    name = buffer_name(definition.buffer)
    if not is_available(definition.buffer, loop):
        return site.refuse(
            "KC3603",
            f"{name} of block {block.label} does not exist yet before loop {loop.label}",
            at=block,
            mark={loop: "the loop", block: "the block"},
            why=f"{name} is allocated further inside",
        )
    for op in loop_tree.path_to(definition.store):
        if op is loop:
            break
        data: Operation | None = op
        if isinstance(op, ForOp | IfOp | BlockOp | StoreOp):
            operands = op.operands_of_map if isinstance(op, StoreOp) else op.operands
            data = next(filter(None, (_data_of(operand, loop) for operand in operands)), None)
        if data is not None:
            return site.refuse(
                "KC3618",
                f"the stores of block {block.label} depend on data in loop {loop.label}",
                at=block,
                mark={loop: "the loop", block: f"depends on {data.name}"},
                why="the fill comes before the loop, where the data may be different",
            )
    return None


def _data_of(value: SSAValue, loop: ForOp) -> Operation | None:
    """An operation in ``loop`` other than arithmetic from which ``value`` is computed; None if
    there is none.
    """
    owner = value.owner
    if not isinstance(owner, Operation) or not loop_tree.is_inside(owner, loop):
        return None
    if loop_tree.has_effects(owner):
        return owner
    sources = (_data_of(operand, loop) for operand in owner.operands)
    return next((source for source in sources if source is not None), None)


def _used_before(site: Site, definition: Definition, loop: ForOp) -> ScheduleError | None:
    """The refusal of another use of an element in the loop before the block stores it; None if
    there is none.
    """
    buffer, block = definition.buffer, definition.block
    name = buffer_name(buffer)
    for access in [*loads_of(buffer), *stores_to(buffer)]:
        if loop_tree.is_inside(access, block) or not loop_tree.is_inside(access, loop):
            continue
        space = Space()
        store = space.instance(definition.store)
        home = loop.parent
        assert home is not None
        use = space.instance(access, loops_shared(home, store, buffer))
        same = same_element(space, definition.store, store, access, use)
        witness = space.find([store, use], [*same, space.may_precede(use, store)])
        if witness is None:
            continue
        unit = definition.unit(access)
        verb = "reads" if isinstance(access, LoadOp) else "writes"
        return site.refuse(
            "KC3613",
            f"{describe(unit)} {verb} {name} between loop {loop.label} and block {block.label}",
            at=unit,
            mark={loop: "the loop", unit: f"{verb} {name}", block: "the block"},
            why=witness.undecided
            or f"{describe(unit)}{use.at(witness)} {verb} an element "
            f"that the block stores{store.at(witness)}",
        )
    return None


# Building -------------------------------------------------------------------------------------


def _fill(site: Site, plan: Plan) -> tuple[BlockOp, tuple[ForOp, ...]]:
    """A copy of the loop, with a block that only stores the constant."""
    block, loop = plan.block, plan.loop
    copy = loop.clone()
    twins: dict[Operation, Operation] = {}
    for old, new in zip(loop.walk(), copy.walk(), strict=True):
        new.location = old.location
        twins[old] = new
    around = [inner for inner in loop_tree.loops_around(block) if loop_tree.is_inside(inner, loop)]
    names = site.fresh_names([f"{inner.label}_pad" for inner in around], loop, [])
    loops: list[ForOp] = []
    for name, inner in zip(names, around, strict=True):
        twin = twins[inner]
        assert isinstance(twin, ForOp)
        twin.properties["loop_name"] = StringAttr(name)
        twin.var.name_hint = name
        loops.append(twin)
    filled, store = twins[block], twins[plan.padding.store]
    assert isinstance(filled, BlockOp)
    assert isinstance(store, StoreOp)
    filled.properties["block_name"] = StringAttr(fresh_name(site, f"{block.label}_pad"))
    constant = plan.padding.constant.clone()
    constant.location = plan.padding.constant.location
    filled.body.block.insert_op_before(constant, store)
    store.operands[0] = constant.result
    _keep_only(copy, [constant, store])
    home = loop.parent
    assert home is not None
    home.insert_op_before(copy, loop)
    return filled, tuple(loops)


def _keep_only(root: Operation, chosen: list[Operation]) -> None:
    """Erase all operations in ``root`` except ``chosen``, the operations around them and their
    operands.
    """
    keep: dict[Operation, None] = {}
    for op in chosen:
        parent: Operation | None = op
        while parent is not None and parent is not root:
            keep[parent] = None
            parent = parent.parent_op()
    for block in [body for op in (*keep, root) for region in op.regions for body in region.blocks]:
        for op in reversed(list(block.ops)):
            if op not in keep and not any(result.first_use for result in op.results):
                op.detach()
                op.erase(safe_erase=False)


def _copy(plan: Plan) -> None:
    """Restrict the block, and its own loops if possible, to the iterations where the conditions
    hold.
    """
    block, padding = plan.block, plan.padding
    index = padding.index
    inside = [loop for loop in own_loops(block) if loop_tree.is_inside(loop, plan.loop)]
    rest = list(padding.conditions)
    shrunk: list[tuple[ForOp, Range]] = []
    for loop in [loop for loop in inside if loop.axis is None]:
        bounds = _range_of(loop, inside, rest, index)
        if bounds is not None:
            shrunk.append((loop, bounds))
            rest = [condition for condition in rest if condition not in bounds.conditions]
    extra, operands = index.to_set(rest)
    old = block.predicate.data
    count = old.num_dims
    dims = [AffineExpr.dimension(count + n) for n in range(len(operands))]
    moved = [
        AffineConstraintExpr(
            constraint.kind,
            constraint.lhs.replace_dims_and_symbols(dims, []),
            constraint.rhs,
            canonicalize=False,
        )
        for constraint in extra.constraints
    ]
    both = AffineSet(count + len(operands), 0, (*old.constraints, *moved))
    predicate = compact(both, [*block.predicate_operands, *operands])
    set_block_spaces(block, predicate=predicate)  # pyright: ignore[reportArgumentType]
    padding.build_value()
    for loop, bounds in shrunk:
        bounds.apply(loop, index)


@dataclass(frozen=True)
class Range:
    """The iterations ``low <= i < low + extent`` of a loop, and the conditions that imply them."""

    low: int
    extent: int | AffineExpr
    conditions: list[AffineConstraintExpr]

    def apply(self, loop: ForOp, index: BoundIndexValues) -> None:
        """Make ``loop`` count these iterations from 0."""
        if isinstance(self.extent, int):
            loop.operands = []
            size = self.extent
        else:
            map_, operands = index.to_map([self.extent])
            value = operands[0]
            if not isinstance(map_.results[0], AffineDimExpr):
                apply = ApplyOp(map_.results[0], operands)
                apply.location = loop.location
                home = loop.parent
                assert home is not None
                home.insert_op_before(apply, loop)
                value = apply.result
            loop.operands = [value]
            size = DYNAMIC
        loop.properties["extent"] = IntegerAttr(size, i64)
        if self.low:
            shifted = AffineExpr.dimension(0) + self.low
            start = InsertPoint.at_start(loop.body.block)
            replace_with_expr(loop.var, shifted, [loop.var], start)


def _range_of(
    loop: ForOp,
    inside: Sequence[ForOp],
    conditions: Sequence[AffineConstraintExpr],
    index: BoundIndexValues,
) -> Range | None:
    """The iterations of ``loop`` under those ``conditions`` that bound only this loop; None if no
    condition does.
    """
    extent = loop.extent_value
    size = AffineExpr.constant(extent) if isinstance(extent, int) else index.expr(extent)
    low, end = ZERO, size
    used: list[AffineConstraintExpr] = []
    this = index.expr(loop.var)
    for constraint in conditions:
        if constraint.kind is not AffineConstraintKind.ge:
            continue
        terms, constant = linear_terms(constraint.lhs)
        factor = terms.pop(this, 0)
        rest = from_terms(terms, constant)
        if abs(factor) != 1 or not _is_fixed(rest, loop, inside, index):
            continue
        if factor == 1:
            larger = _larger(low, index.simplify(ZERO - rest), index)
            if larger is not None:
                low = larger
                used.append(constraint)
        else:
            larger = _larger(ZERO - end, index.simplify(ZERO - rest - 1), index)
            if larger is not None:
                end = index.simplify(ZERO - larger)
                used.append(constraint)
    if not used or not isinstance(low, AffineConstantExpr):
        return None
    left = index.simplify(end - low)
    if isinstance(left, AffineConstantExpr):
        return Range(low.value, max(left.value, 0), used)
    return Range(low.value, left, used) if index.is_natural(left) else None


def _larger(first: AffineExpr, second: AffineExpr, index: BoundIndexValues) -> AffineExpr | None:
    """The larger of two expressions; None if the order is unknown."""
    if index.is_natural(index.simplify(first - second)):
        return first
    return second if index.is_natural(index.simplify(second - first)) else None


def _is_fixed(
    expr: AffineExpr, loop: ForOp, inside: Sequence[ForOp], index: BoundIndexValues
) -> bool:
    """True if ``expr`` is available before ``loop``, and no other loop of the block changes it."""
    variables = {loop.var for loop in inside}
    roots = [index.roots[dim] for dim in dimensions(expr)]
    return all(
        root is not None and root not in variables and is_available(root, loop) for root in roots
    )


# Blocks that copy and pad ---------------------------------------------------------------------


@dataclass(frozen=True)
class Padding:
    """The stored value: ``value`` where ``conditions`` hold, otherwise ``constant``."""

    store: StoreOp
    choice: Operation
    """The operation that selects the value."""
    constant: arith.ConstantOp
    value: SSAValue
    holds: bool
    """The value of the condition of ``choice`` for which ``value`` is selected."""
    index: BoundIndexValues
    conditions: list[AffineConstraintExpr]
    """The conditions over the roots of ``index``."""

    def build_value(self) -> None:
        """Store ``value`` unconditionally, and erase unused operations."""
        choice = self.choice
        home = choice.parent
        assert home is not None
        if isinstance(choice, scf.IfOp):
            branch = (choice.true_region if self.holds else choice.false_region).block
            chosen = list(branch.last_op.operands)  # pyright: ignore[reportOptionalMemberAccess]
            if any(loop_tree.defined_inside(value, choice) for value in chosen):
                for op in [op for op in branch.ops if not isinstance(op, scf.YieldOp)]:
                    op.detach()
                    home.insert_op_before(op, choice)
        else:
            chosen = [self.value]
        for result, value in zip(choice.results, chosen, strict=True):
            result.replace_all_uses_with(value)
        choice.detach()
        choice.erase(safe_erase=False)
        erase_unused(home)


def erase_unused(block: Block) -> None:
    """Erase the operations of ``block`` without used results."""
    for op in reversed(list(block.ops)):
        if not loop_tree.has_effects(op) and not any(result.first_use for result in op.results):
            op.detach()
            op.erase()


def padding_of(definition: Definition) -> Padding | str:
    """The padding that the block of ``definition`` computes, or the reason why the block is no
    padding.
    """
    store, block = definition.store, definition.block
    if block.is_reduction:
        return "it is a reduction"
    choice = store.value.owner
    if isinstance(choice, scf.IfOp):
        yielded = [
            region.block.last_op.operands[choice.results.index(store.value)]  # pyright: ignore
            for region in (choice.true_region, choice.false_region)
        ]
        condition = choice.cond
    elif isinstance(choice, arith.SelectOp):
        condition, *yielded = choice.operands
    else:
        return "no condition selects the stored value"
    constants = [isinstance(operand.owner, arith.ConstantOp) for operand in yielded]
    if not any(constants):
        return "neither of the selected values is a constant"
    holds = not constants[0] if constants[0] is not constants[1] else True
    value, fill = yielded if holds else yielded[::-1]
    constant = fill.owner
    assert isinstance(constant, arith.ConstantOp)
    index = BoundIndexValues()
    conditions = conjunction(condition, index, holds=holds)
    roots = [
        index.roots[dim] for constraint in conditions or () for dim in dimensions(constraint.lhs)
    ]
    if conditions is None or any(
        root is None or loop_tree.defined_inside(root, block) for root in roots
    ):
        return "its condition is not a conjunction of affine bounds of its variables"
    simple = simplify_constraints(conditions, index.ranges)
    conditions = conditions if simple is None else simple
    return Padding(store, choice, constant, value, holds, index, conditions)
