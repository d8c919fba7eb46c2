"""split: one loop becomes a nest of loops over the same iterations, in the same order.

Before, ``split block=C loop=j factors=?,32``::

    tir.for %j in 100 {
      tir.block "C" (spatial %v_j in 100 = %j) do { ... }
    }

After::

    tir.for %j_o in 4 {
      tir.for %j_i in 32 {
        tir.block "C" (spatial %v_j in 100 = %j_o * 32 + %j_i) where (%j_o * 32 + %j_i < 100) do

*Legal when*

1. KC3010, KC3011: the loop is serial and carries no annotation.
2. KC3020: there is at least one factor, and at most one is open (``?``).
3. KC3021: each constant factor is at least 1 and the product of the factors fits 64 bits. KC3499:
   the constants in the loop's indices fit 64 bits.
4. KC3022: the factors cover the extent: without an open factor, their product is at least the
   extent.
5. KC3497: with ``disable-predication``, the factors provably divide the extent.

KC3025 warns of factors that add so many idle iterations that a call would seem to hang.

A predicate guards an extent that the factors do not divide. Factors may be symbolic (the name of a
size, or an index value); a factor that is not positive at run time counts as 1.
``disable-predication`` refuses splits that need a guard; ``preserve-unit-iters=false`` replaces the
variable of a new loop of one iteration by 0. With ``tighten``, a factor is never larger than the
extent to divide: 32 for a loop of 8 becomes 8.

TVM: ``split`` (``factors``; in TE ``factor`` and ``nparts``). Halide: ``split``. Exo:
``divide_loop``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineSet
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import Space
from kc.analysis.affine.simplify_affine import simplify
from kc.analysis.affine.terms import number
from kc.dialects import tir
from kc.dialects.affine_assembly import at_least_zero, linear_terms
from kc.dialects.tir import BlockOp, ForOp
from kc.support.diagnostics import warn
from kc.transforms.affine_rewrite import replace_with_expr
from kc.transforms.schedule._sizes import symbol_value
from kc.transforms.schedule.base import (
    CALL_SITE,
    Gives,
    LoopRef,
    Primitive,
    Rewritten,
    Site,
    require_serial,
)
from kc.transforms.schedule.loops._chain import size_point, without_unit_variables
from kc.transforms.schedule.loops._factors import (
    LIMIT,
    Factor,
    Factors,
    require_index_numbers,
    require_symbol,
)
from kc.transforms.schedule.loops._guards import guard_body

MOST_IDLE = 2**32
"""The number of idle iterations above which a call spends seconds on them."""


@dataclass(frozen=True)
class Plan:
    """The loop, its factors (None: open) and the names of the new loops."""

    loop: ForOp
    factors: tuple[int | SSAValue | str | None, ...]
    names: tuple[str, ...]
    divides: bool = False
    """True if the product of the factors is provably the extent."""


@dataclass(frozen=True)
class Split(Primitive):
    """Split a loop into a nest of loops by factors."""

    name: ClassVar[str] = "split"
    within_nest: ClassVar[bool] = True
    verb = "was split into"
    gives: ClassVar[Gives] = "loops"
    count = "factors"

    loop: LoopRef = field(metadata={"help": "the loop to split"})
    factors: Factors = field(
        default=Factors(),
        metadata={
            "help": "extents of the new loops, outermost first; ? is inferred",
            "also": {"factor": "?,*", "nparts": "*,?"},
        },
    )
    preserve_unit_iters: bool = field(
        default=True, metadata={"help": "keep variables of loops of one iteration in bindings"}
    )
    disable_predication: bool = field(
        default=False, metadata={"help": "refuse to split where a predicate is needed"}
    )
    names: tuple[str, ...] = field(
        default=(), metadata={"help": "names of the new loops (default: j_o,j_i or j_0,j_1,...)"}
    )
    tighten: bool = field(
        default=False,
        metadata={"help": "reduce a larger factor to the extent to divide"},
    )

    def check(self, site: Site) -> Plan:
        loop = site.resolve_loop(self.loop)
        require_serial(site, loop)
        factors = tuple(self.factors)
        extent = loop.static_extent
        if not factors or factors.count(None) > 1:
            raise site.refuse(
                "KC3020",
                f"factors {self.factors or '(none)'} for loop {loop.label}",
                at=loop,
                why="a split needs at least one factor, and at most one is open (?)",
                hints=["factors=?,8"],
            )
        product = 1
        for factor in factors:
            if isinstance(factor, int):
                if factor < 1:
                    raise site.refuse(
                        "KC3021",
                        f"factor {factor} for loop {loop.label}",
                        at=loop,
                        why="a factor is the extent of a loop, so it must be at least 1",
                        hints=_factor_hints(extent),
                    )
                product *= factor
            elif isinstance(factor, str):
                require_symbol(site, factor, loop)
        if self.tighten and extent:
            factors = tightened(factors, extent)
            product = math.prod(factor for factor in factors if isinstance(factor, int))
        total = product
        if None in factors and extent is not None:
            total *= -(-extent // product)  # the value of the open factor
        if product > LIMIT or total > LIMIT + 1:
            raise site.refuse(
                "KC3021",
                f"the factors {self.factors} of loop {loop.label} multiply to {total}",
                at=loop,
                why=f"the product must fit 64 bits (at most {LIMIT})",
                hints=_factor_hints(extent),
            )
        require_index_numbers(site, loop, product)
        constant = all(isinstance(factor, int) for factor in factors)
        if None not in factors and not (constant and extent is not None and product >= extent):
            extent_text = str(extent) if extent is not None else "symbolic"
            open_one = Factors([None, *(factors[1:] or factors)])
            raise site.refuse(
                "KC3022",
                f"factors {self.factors} do not cover loop {loop.label}",
                at=loop,
                why=f"they give {product} iterations, the extent is {extent_text}"
                if constant
                else f"symbolic factors cannot be proven to cover the extent, {extent_text}",
                hints=[f"leave one open: factors={open_one}"],
            )
        if self.disable_predication and not _divides(loop, factors):
            is_static = extent is not None and all(
                isinstance(factor, int | None) for factor in factors
            )
            raise site.refuse(
                "KC3497",
                f"loop {loop.label} cannot be split by {self.factors} without a predicate",
                at=loop,
                why=f"{extent} iterations are not a multiple of {product}"
                if is_static
                else f"{loop_tree.extent_text(loop.extent_value)} is not known to be a multiple of "
                "the factors",
                hints=_dividing_hints(extent) if is_static else ["disable-predication=false"],
            )
        divides = self.disable_predication
        return Plan(loop, factors, self._names(site, loop), divides)

    def _names(self, site: Site, loop: ForOp) -> tuple[str, ...]:
        count = len(self.factors)
        if self.names:
            taken = {other_loop.label for other_loop in loop_tree.loops(site.outermost(loop))} - {
                loop.label
            }
            clash = [name for name in self.names if name in taken or not tir.is_name(name)]
            if clash or len(self.names) != count or len(set(self.names)) != count:
                raise site.refuse(
                    "KC3024",
                    f"names {','.join(self.names)} for {count} loops",
                    at=loop,
                    why="each new loop needs its own name, an identifier that is not in use",
                )
            return self.names
        ends = ["o", "i"] if count == 2 else [str(n) for n in range(count)]
        names = [f"{loop.label}_{end}" for end in ends]
        return tuple(site.fresh_names(names, loop, [loop]))

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for loop in loop_tree.loops(site.function):
            for factor in (2, 4, 8, 16, 32, 64):
                if loop.static_extent is None or factor < loop.static_extent:
                    yield cls(LoopRef(loop), Factors((None, factor)))

    @classmethod
    def defaults(cls, site: Site) -> Iterator[Self]:
        """The innermost spatial loop of every block, split by the target's vector width."""
        for block in loop_tree.blocks(site.function):
            loops = loop_tree.spatial_loops(block)
            if not loops or loops[-1].kind.data is not tir.ForKind.SERIAL:
                continue
            lanes = site.target.lanes(element_bits(block))
            extent = loops[-1].static_extent
            if extent is None or extent > lanes:
                yield cls(LoopRef(loops[-1]), Factors((None, lanes)))

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        loop = plan.loop
        _warn_of_idle_iterations(loop, plan.factors)
        builder = _Sizes(site, loop, plan.factors)
        body = loop.detach_region(loop.body)
        old = body.block.args[0]
        inner = ForOp(plan.names[-1], builder.sizes[-1], body)
        loops = [
            *(
                ForOp(name, size)
                for name, size in zip(plan.names[:-1], builder.sizes[:-1], strict=True)
            ),
            inner,
        ]
        for new_loop in loops:
            new_loop.location = loop.location
        old.name_hint = plan.names[-1]
        variables = [new_loop.var for new_loop in loops]
        expr, operands = builder.index(variables, InsertPoint.at_start(body.block), loop)
        guard = None if plan.divides else builder.guard(expr)
        replace_with_expr(old, expr, operands, _after_index(body, operands))
        if guard is not None:
            rest, extra = guard
            values = [*operands, *extra]
            guard_body(body.block, AffineSet(len(values), 0, (at_least_zero(rest),)), values)
        for outer, nested in zip(loops, loops[1:], strict=False):
            outer.body.block.add_op(nested)
        Rewriter.replace_op(loop, loops[0], [])
        if not self.preserve_unit_iters:
            without_unit_variables(loops)
        return Rewritten(tuple(loops), {loop: tuple(loops)})


def _warn_of_idle_iterations(loop: ForOp, factors: Sequence[int | SSAValue | str | None]) -> None:
    """Warn (KC3025) if the factors add so many iterations that a call would seem to hang."""
    product = math.prod(factor for factor in factors if isinstance(factor, int))
    extent = loop.static_extent
    if extent is None:
        idle = product - 1  # of the last tile, which has at least one useful iteration
    else:
        idle = (-(-extent // product) * product if None in factors else product) - extent
    if idle <= MOST_IDLE:
        return
    named = Factors([factor if isinstance(factor, int | str) else None for factor in factors])
    warn(
        "KC3025",
        f"split: the factors {named} of loop {loop.label} {'may ' * (extent is None)}add {idle} "
        "iterations",
        location=CALL_SITE.get(),
        why=f"each of them only evaluates the guard: at 1 ns each, {idle / 1e9:.0f} s",
        hints=_factor_hints(extent),
    )


def tightened(factors: Sequence[Factor], extent: int) -> tuple[Factor, ...]:
    """``factors`` with each constant reduced to at most the remaining extent to divide.

    The factors before the open factor divide from the outside in, the factors after it from the
    inside out.
    """
    result = list(factors)
    at = factors.index(None) if None in factors else 0
    rest = extent
    for n in (*range(at), *range(len(factors) - 1, at - (None not in factors), -1)):
        factor = factors[n]
        if isinstance(factor, int):
            result[n] = min(factor, rest)
            rest = -(-rest // min(factor, rest))
    return tuple(result)


def _divides(loop: ForOp, factors: Sequence[int | SSAValue | str | None]) -> bool:
    """True if constant factors provably produce exactly the iterations of ``loop``."""
    product = math.prod(factor for factor in factors if isinstance(factor, int))
    if not all(factor is None or isinstance(factor, int) for factor in factors):
        return False
    space = Space()
    place = space.place(loop, for_inits=True)
    extent = loop.extent_value
    size = number(extent) if isinstance(extent, int) else space.value(extent, place)
    rest = (size % product).differs(0) if None in factors else size.differs(product)
    return space.find([place], [rest]) is None


class _Sizes:
    """The extents of the new loops, and the old index as an expression of the new variables."""

    def __init__(
        self, site: Site, loop: ForOp, factors: Sequence[int | SSAValue | str | None]
    ) -> None:
        self.site = site
        self.loop = loop
        self.extent = loop.extent_value
        self.before = InsertPoint.before(size_point(site, loop, [self.extent, *factors]))
        fixed = [self._fixed(factor) if factor is not None else None for factor in factors]
        rest = [size for size in fixed if size is not None]
        static_factor = math.prod(size for size in rest if isinstance(size, int))
        symbolic = [size for size in rest if not isinstance(size, int)]
        self.covered = self._divides(static_factor, symbolic)
        self.sizes: list[int | SSAValue] = [
            size if size is not None else self._inferred(static_factor, symbolic) for size in fixed
        ]
        if None not in factors:
            self.covered = isinstance(self.extent, int) and static_factor == self.extent

    def _insert(self, op: Operation) -> SSAValue:
        op.location = self.loop.location
        Rewriter.insert_op(op, self.before)
        return op.results[0]

    def _constant(self, value: int) -> SSAValue:
        return self._insert(arith.ConstantOp(IntegerAttr(value, tir.INDEX)))

    def _value(self, size: int | SSAValue) -> SSAValue:
        return self._constant(size) if isinstance(size, int) else size

    def _fixed(self, factor: int | SSAValue | str) -> int | SSAValue:
        if isinstance(factor, int):
            return factor
        if isinstance(factor, str):
            factor = symbol_value(self.site, factor)
        at_least_1 = [[AffineExpr.dimension(0)], [AffineExpr.constant(1)]]
        size = tir.ApplyOp.of_groups("max", at_least_1, [factor])
        following = self.before.insert_before
        # equal factors share one value, since loops of threads are compared
        for use in factor.uses:
            op = use.operation
            if (
                op.parent is self.before.block
                and (following is None or op.is_before_in_block(following))
                and op.is_structurally_equivalent(size)
            ):
                size.erase()
                return op.results[0]
        return self._insert(size)

    def _divides(self, static_factor: int, symbolic: Sequence[SSAValue]) -> bool:
        if symbolic:
            return False
        if isinstance(self.extent, int):
            return self.extent % static_factor == 0
        owner = self.extent.owner
        if isinstance(owner, tir.ApplyOp) and owner.expr is not None:
            terms, constant = linear_terms(owner.expr)
            return all(
                coefficient % static_factor == 0 for coefficient in (*terms.values(), constant)
            )
        return static_factor == 1

    def _inferred(self, static_factor: int, symbolic: Sequence[SSAValue]) -> int | SSAValue:
        """The open factor: ceil(extent / product of the other factors)."""
        if isinstance(self.extent, int) and not symbolic:
            return -(-self.extent // static_factor)
        if not symbolic:
            assert isinstance(self.extent, SSAValue)
            owner = self.extent.owner
            if self.covered and isinstance(owner, tir.ApplyOp) and owner.expr is not None:
                parts = simplify(owner.expr // static_factor, ())
                if isinstance(parts, AffineDimExpr):
                    return owner.operands[parts.position]
                return self._named(tir.ApplyOp(parts, list(owner.operands)))
            return self._named(
                tir.ApplyOp(AffineExpr.dimension(0).ceil_div(static_factor), [self.extent])
            )
        product = self._constant(static_factor)
        for size in symbolic:
            product = self._insert(arith.MuliOp(product, size))
        return self._named(arith.CeilDivSIOp(self._value(self.extent), product))

    def _named(self, op: Operation) -> SSAValue:
        size = self._insert(op)
        size.name_hint = f"{self.loop.label}_size"
        return size

    def index(
        self, variables: Sequence[SSAValue], point: InsertPoint, loop: ForOp
    ) -> tuple[AffineExpr, list[SSAValue]]:
        """The index of the old loop over ``variables``: affine if the inner sizes are constants."""
        if all(isinstance(size, int) for size in self.sizes[1:]):
            expr: AffineExpr = AffineExpr.dimension(0)
            for n, size in enumerate(self.sizes[1:], 1):
                assert isinstance(size, int)
                expr = expr * size + AffineExpr.dimension(n)
            return expr, list(variables)
        linear = tir.LinearizeOp(list(variables), [self._value(size) for size in self.sizes])
        linear.location = loop.location
        linear.result.name_hint = loop.label
        Rewriter.insert_op(linear, point)
        return AffineExpr.dimension(0), [linear.result]

    def guard(self, index: AffineExpr) -> tuple[AffineExpr, list[SSAValue]] | None:
        """``extent - 1 - index`` and its additional operands; None if the factors cover the extent
        exactly.
        """
        if self.covered:
            return None
        if isinstance(self.extent, int):
            return AffineExpr.constant(self.extent - 1) - index, []
        position = 1 + max(index.used_dims(), default=-1)
        return AffineExpr.dimension(position) - 1 - index, [self.extent]


def _after_index(body: Region, operands: Sequence[SSAValue]) -> InsertPoint:
    """The insertion point for index arithmetic on ``operands`` in ``body``."""
    owner = operands[0].owner
    if isinstance(owner, tir.LinearizeOp) and owner.parent is body.block:
        return InsertPoint.after(owner)
    return InsertPoint.at_start(body.block)


def _dividing_hints(extent: int | None) -> list[str]:
    """Divisors of ``extent`` up to 64 as factors, largest first."""
    limit = min(64, (extent or 0) - 1)
    divisors = [n for n in range(limit, 1, -1) if extent is not None and extent % n == 0]
    return [f"factors=?,{n}" for n in divisors[:3]] or ["disable-predication=false"]


def _factor_hints(extent: int | None) -> list[str]:
    if extent is None or extent < 2:
        return ["factors=?,8"]
    divisors = [n for n in (64, 32, 16, 8, 4, 2) if extent % n == 0 and n < extent]
    return [f"factors=?,{n}" for n in divisors[:3]] or [f"factors=?,{min(8, extent)}"]


def element_bits(block: BlockOp) -> int:
    """The width of the widest element that the block stores, in bits; 64 for an index."""
    widths = [8]
    for op in block.body.walk():
        if isinstance(op, tir.StoreOp):
            element = op.buffer.type.element_type  # pyright: ignore[reportAttributeAccessIssue]
            widths.append(getattr(element, "bitwidth", 64))
    return max(widths)
