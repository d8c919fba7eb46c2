"""loop_partition: one loop becomes several consecutive loops, each over a part of its range.

Before, ``loop-partition block=C loop=i_o factors=?,1``, on the outer loop of a split of 100 by 8::

    tir.for %i_o in 13 {
      tir.for %i_i in 8 {
        tir.block "C" (spatial %v_i in 100 = %i_o * 8 + %i_i) where (%i_o * 8 + %i_i < 100) do {

After::

    tir.for %i_o_0 in 12 {
      tir.for %i_i in 8 {
        tir.block "C" (spatial %v_i in 100 = %i_o_0 * 8 + %i_i) do {
    tir.for %i_o_1 in 1 {
      tir.for %i_i in 8 {
        tir.block "C_1" (spatial %v_i in 100 = %i_o_1 * 8 + %i_i + 96)
            where (%i_o_1 * 8 + %i_i < 4) do {

The factors are the numbers of iterations of the parts, in order. One of them may be open (``?``);
without an open factor, the remainder becomes an additional part at the end. The first part keeps
the blocks; the blocks of the later parts get a number as a suffix. Block variables keep their
extents and values, so the init of a reduction runs only in the part with its first element.
Conditions that always hold in a part are dropped there. With a symbolic extent, the first parts
take as many iterations as the loop has.

*Legal when*

1. KC3010, KC3011: the loop is serial and carries no annotation.
2. KC3460: at least one factor is not open, and at most one is open.
3. KC3461: each constant factor is at least 1. KC3023: symbolic factors are sizes of the function.
   KC3499: the constants in the loop's indices still fit 64 bits.
4. KC3462: the factors leave at least one iteration for the open part or the remainder.

``preserve-unit-iters=false`` replaces the variable of a part of one iteration by 0.

TVM: ``loop_partition``. Halide: ``partition``. Exo: ``cut_loop``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSet,
)
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import Space
from kc.analysis.affine.simplify_affine import simplify
from kc.analysis.module_copy import copy_region
from kc.dialects import tir
from kc.dialects.affine_assembly import ZERO
from kc.dialects.tir import BlockOp, ExtremeKind, ForOp, IfOp, IterType
from kc.transforms.affine_rewrite import compact, replace_with_expr, set_block_spaces
from kc.transforms.schedule._buffers import name_apart
from kc.transforms.schedule._sizes import symbol_value
from kc.transforms.schedule.base import Gives, LoopRef, Primitive, Rewritten, Site, require_serial
from kc.transforms.schedule.loops._chain import size_point, without_unit_variables
from kc.transforms.schedule.loops._factors import (
    LIMIT,
    Factors,
    require_index_numbers,
    require_symbol,
)


@dataclass(frozen=True)
class Plan:
    """The loop, the sizes of all parts (None: open), and the names of the new loops."""

    loop: ForOp
    factors: Factors
    names: list[str]
    fits: bool
    """True if the extent is provably at least the sum of the factors."""


@dataclass(frozen=True)
class LoopPartition(Primitive):
    """Split a loop into consecutive loops."""

    name: ClassVar[str] = "loop-partition"
    verb = "was cut into"
    gives: ClassVar[Gives] = "loops"

    loop: LoopRef = field(metadata={"help": "the loop to cut"})
    factors: Factors = field(
        default=Factors(), metadata={"help": "numbers of iterations, in order; ? is the rest"}
    )
    preserve_unit_iters: bool = field(
        default=True, metadata={"help": "keep variables of loops of one iteration in bindings"}
    )

    def check(self, site: Site) -> Plan:
        loop = site.resolve_loop(self.loop)
        require_serial(site, loop)
        extent = loop.static_extent
        sizes = [factor for factor in self.factors if factor is not None]
        if not sizes or len(self.factors) - len(sizes) > 1:
            raise site.refuse(
                "KC3460",
                f"factors {self.factors or '(none)'} for loop {loop.label}",
                at=loop,
                why="each factor is the size of a part, and at most one is open (?)",
                hints=["factors=?,1"],
            )
        for factor in sizes:
            if isinstance(factor, int) and not 1 <= factor <= LIMIT:
                raise site.refuse(
                    "KC3461",
                    f"factor {factor} for loop {loop.label}",
                    at=loop,
                    why="a factor is a number of iterations, at least 1",
                    hints=["factors=?,1"],
                )
            if isinstance(factor, str):
                require_symbol(site, factor, loop)
        head = sum(factor for factor in sizes if isinstance(factor, int))
        if extent is not None and head >= extent:
            raise site.refuse(
                "KC3462",
                f"the parts {self.factors} of loop {loop.label} leave no remainder",
                at=loop,
                why=f"they have {head} iterations and the loop has {extent}",
                hints=_smaller(self.factors, extent),
            )
        require_index_numbers(site, loop, head)
        factors = self.factors if None in self.factors else Factors((*self.factors, None))
        candidates = [f"{loop.label}_{n}" for n in range(len(factors))]
        names = site.fresh_names(candidates, loop, [loop])
        return Plan(loop, factors, names, _fits(loop, sizes))

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for loop in loop_tree.loops(site.function):
            extent = loop.static_extent
            if extent is None or extent > 1:
                yield cls(LoopRef(loop), Factors((None, 1)))
                yield cls(LoopRef(loop), Factors((1, None)))
            if extent is None or extent > 4:
                yield cls(LoopRef(loop), Factors((2, None, 1)))

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        loop = plan.loop
        parts = _Parts(site, plan)
        bodies = [copy_region(loop.body) for _ in plan.names[1:]]
        name_apart(site, bodies)
        bodies.insert(0, loop.detach_region(loop.body))
        cut: list[ForOp] = []
        for n, (name, body) in enumerate(zip(plan.names, bodies, strict=True)):
            part = ForOp(name, parts.extents[n], body)
            part.attributes.update(loop.attributes)
            part.location = loop.location
            part.var.name_hint = name
            cut.append(part)
            if n:
                expr, operands = parts.index(n, part.var)
                replace_with_expr(part.var, expr, operands, InsertPoint.at_start(body.block))
        Rewriter.replace_op(loop, cut, [])
        for part in cut:
            _simplify_part(part, is_first=part is cut[0])
        if not self.preserve_unit_iters:
            without_unit_variables(cut)
        return Rewritten(tuple(cut), {loop: tuple(cut)})


def _fits(loop: ForOp, sizes: Sequence[int | SSAValue | str]) -> bool:
    """True if the loop provably has at least as many iterations as the parts that are not open."""
    if not all(isinstance(factor, int) for factor in sizes):
        return False
    if loop.static_extent is not None:
        return True
    space = Space()
    place = space.place(loop, for_inits=True)
    head = sum(factor for factor in sizes if isinstance(factor, int))
    return space.find([place], [space.size(loop.extent_value, place) < head]) is None


def _smaller(factors: Factors, extent: int) -> list[str]:
    """Factors that leave a remainder: the first of ``factors``, or half of the loop."""
    fitting: list[int] = []
    for factor in factors:
        if isinstance(factor, int) and sum(fitting) + factor < extent:
            fitting.append(factor)
    if extent < 2:
        return []
    chosen = fitting or [extent // 2]
    return [f"factors={','.join(map(str, chosen))},?"]


class _Parts:
    """The extents and the starts of the parts.

    A part has min(factor, remaining iterations) iterations, which is defined for any extent. The
    open part has the remaining iterations.
    """

    def __init__(self, site: Site, plan: Plan) -> None:
        self.plan = plan
        loop = plan.loop
        self.operands: list[SSAValue] = []
        point = size_point(site, loop, [loop.extent_value, *plan.factors])
        self.before = InsertPoint.before(point)
        extent = self._expr(loop.extent_value)
        sizes = [None if factor is None else self._size(site, factor) for factor in plan.factors]
        total = ZERO
        for size in sizes:
            total = total if size is None else total + size
        self.extents: list[int | SSAValue] = []
        self.starts: list[AffineExpr] = []
        start, passed = ZERO, ZERO
        for n, size in enumerate(sizes):
            self.starts.append(start)
            if size is None:
                rest = extent - total
                length = rest if plan.fits else self._extreme("max", n, [[rest], [ZERO]])
            else:
                length = size
                if not plan.fits and passed == ZERO:
                    length = self._extreme("min", n, [[size], [extent]])
                elif not plan.fits:
                    length = self._extreme("max", n, [[size, extent - passed], [ZERO]])
                passed = passed + size
            self.extents.append(self._value(length, n))
            start = start + (length if size is None else size)

    def index(self, part: int, variable: SSAValue) -> tuple[AffineExpr, list[SSAValue]]:
        """The index of the old loop in a part, over the variable of the part's loop and other
        operands.
        """
        count = len(self.operands)
        whole = AffineMap(count + 1, 0, (AffineExpr.dimension(count) + self.starts[part],))
        space, operands = compact(whole, [*self.operands, variable])
        return space.results[0], operands

    def _expr(self, value: int | SSAValue) -> AffineExpr:
        if isinstance(value, int):
            return AffineExpr.constant(value)
        if value not in self.operands:
            self.operands.append(value)
        return AffineExpr.dimension(self.operands.index(value))

    def _size(self, site: Site, factor: int | SSAValue | str) -> AffineExpr:
        if isinstance(factor, int):
            return AffineExpr.constant(factor)
        if isinstance(factor, str):
            return self._expr(symbol_value(site, factor))
        return self._extreme("max", None, [[self._expr(factor)], [ZERO]])

    def _extreme(
        self, kind: ExtremeKind, part: int | None, groups: Sequence[Sequence[AffineExpr]]
    ) -> AffineExpr:
        exprs = [expr for group in groups for expr in group]
        space, operands = compact(AffineMap(len(self.operands), 0, tuple(exprs)), self.operands)
        compacted = iter(space.results)
        op = tir.ApplyOp.of_groups(kind, [[next(compacted) for _ in g] for g in groups], operands)
        return self._expr(self._insert(op, part))

    def _value(self, expr: AffineExpr, part: int) -> int | SSAValue:
        expr = simplify(expr, ())
        return expr.value if isinstance(expr, AffineConstantExpr) else self._as_value(expr, part)

    def _as_value(self, expr: AffineExpr, part: int) -> SSAValue:
        expr = simplify(expr, ())
        if isinstance(expr, AffineConstantExpr):
            return self._constant(expr.value)
        if isinstance(expr, AffineDimExpr):
            return self.operands[expr.position]
        space, operands = compact(AffineMap(len(self.operands), 0, (expr,)), self.operands)
        return self._insert(tir.ApplyOp(space.results[0], operands), part)

    def _constant(self, value: int) -> SSAValue:
        return self._insert(arith.ConstantOp(IntegerAttr(value, tir.INDEX)))

    def _insert(self, op: Operation, part: int | None = None) -> SSAValue:
        op.location = self.plan.loop.location
        Rewriter.insert_op(op, self.before)
        result = op.results[0]
        if part is not None:
            result.name_hint = f"{self.plan.names[part]}_size"
        return result


# Conditions that are known to hold ------------------------------------------------------------


def _simplify_part(part: ForOp, *, is_first: bool) -> None:
    """Simplify the operations in a part of a loop that depend on its iteration.

    Predicates lose conditions that always hold, reductions lose an init that never runs, and a
    ``tir.if`` with a constant condition is replaced by the branch taken.
    """
    variables = set(loop_tree.derived_values(part.var))
    for op in list(part.walk()):
        if op.parent is None:
            continue  # in a branch that was erased
        if isinstance(op, BlockOp) and not variables.isdisjoint(op.operands):
            drop_known_conditions(op)
            if op.has_init and _never_starts(op, variables, is_first=is_first):
                op.init.detach_block(0).erase()
        elif isinstance(op, IfOp) and not variables.isdisjoint(op.operands_of_set):
            _replace_if_known(op)


def drop_known_conditions(block: BlockOp) -> None:
    """Drop the conditions of a block's predicate that the loops around it imply."""
    operands = list(block.predicate_operands)
    constraints = block.predicate.data.constraints
    remaining = _unknown(block, constraints, operands)
    if len(remaining) < len(constraints):
        rest = AffineSet(len(operands), 0, tuple(remaining))
        set_block_spaces(block, predicate=compact(rest, operands))


def _unknown(
    op: Operation, constraints: Sequence[AffineConstraintExpr], operands: Sequence[SSAValue]
) -> list[AffineConstraintExpr]:
    """The members of ``constraints`` that may not hold at ``op``.

    Returns all of them if ``op`` is never executed, as nothing is known about the lanes of a vector
    there.
    """
    space = Space()
    place = space.place(op, for_inits=True)
    rank = len(operands)
    conditions = [
        space.condition(AffineSet(rank, 0, (constraint,)), operands, place)
        for constraint in constraints
    ]
    unknown = [
        constraint
        for constraint, condition in zip(constraints, conditions, strict=True)
        if space.find([place], [~condition]) is not None
    ]
    if len(unknown) < len(constraints) and space.find([place], []) is None:
        return list(constraints)
    return unknown


def _never_starts(block: BlockOp, variables: Collection[SSAValue], *, is_first: bool) -> bool:
    """True if the init of ``block`` never runs in this part, or only a second time.

    The init of an empty reduction runs in the first part. ``variables`` are the values that depend
    on the part's iteration.
    """
    space = Space()
    if is_first or not _reduces_over(block, variables):
        first = block.init.block.first_op
        assert first is not None
        return space.find([space.instance(first)], []) is None
    body = space.instance(block)
    zeros = [
        body.values[arg].equals(0)
        for arg, kind in zip(block.body.block.args, block.types, strict=True)
        if kind is IterType.REDUCE
    ]
    return space.find([body], zeros) is None


def _reduces_over(block: BlockOp, values: Collection[SSAValue]) -> bool:
    return any(
        kind is IterType.REDUCE
        and any(block.binding_operands[dim] in values for dim in expr.used_dims())
        for kind, expr in zip(block.types, block.binding_exprs, strict=True)
    )


def _replace_if_known(op: IfOp) -> None:
    space = Space()
    place = space.place(op, for_inits=True)
    condition = space.condition(op.condition.data, op.operands_of_set, place)
    always, never = (space.find([place], [case]) is None for case in (~condition, condition))
    if always == never:
        return
    taken: Region = op.then if always else op.orelse
    home = op.parent
    assert home is not None
    for body in taken.blocks:
        for inner in list(body.ops):
            inner.detach()
            home.insert_op_before(inner, op)
    op.detach()
    op.erase(safe_erase=False)
