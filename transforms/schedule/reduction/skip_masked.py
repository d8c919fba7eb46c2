"""skip_masked: iterations with masked terms, or with results that are never read, are left out.

Before, ``skip-masked block=T loop=j``::

    tir.for %i in 64 {
      tir.for %j in 64 {
        tir.block "X" ... do { %X[%v_i, %v_j] = select(%v_j <= %v_i, %S[%v_i, %v_j], 0) }
    tir.for %i in 64 {
      tir.for %j in 64 {
        tir.block "T" (spatial %v_i in 64 = %i, reduce %v_j in 64 = %j)
            init { ... } do { %T[%v_i] += %X[%v_i, %v_j] }

After::

    tir.for %i in 64 {
      %size = tir.apply min(%i + 1, 64)          # at least one iteration
      tir.for %j in %size {
        tir.block "T" (spatial %v_i in 64 = %i, reduce %v_j in 64 = %j) ...

In a reduction, the masked terms are neutral under a condition on indices: zeros in a sum, -inf in a
maximum, ``exp(-inf - maximum)``, and products with these. In a block that computes elements of a
buffer, they are elements that no block reads, as after ``skip_masked`` of all readers. Conditions
are affine (causal masks, windows); a bound may be a number that the program loads, such as the
length of a sequence. The new range of the loop is the smallest that contains all other iterations;
it is the same for each iteration of the loop ``at`` around it (default: the next loop). Inner loops
enter with their bounds, not with single iterations.

A row whose terms are all masked retains one term: the maximum of such a row is -inf, its powers are
NaN by definition, and a single NaN suffices for the sums to be NaN.

Zero times infinity, or NaN, is NaN. If masked terms are products, a new block therefore examines
the other factor before the loops (``V_largest``); if the factor has an element that is not finite,
all iterations run.

*Legal when*

1. KC3630: the loop is around the block, and ``at`` is around the loop.
2. KC3010, KC3011: the loop is serial and carries no annotation.
3. KC3631: some iterations have provably neutral terms, or elements that are not read, under
   conditions in which the loop's variable has a constant factor.
4. KC3632: other effects in the loop only serve the block in the same iteration.

PyTorch (``is_causal``) and FlashAttention leave out such blocks of keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IntegerAttr, IntegerType, MemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis import loop_tree
from kc.analysis.accesses.regions import BoundIndexValues, loads_of, stores_to
from kc.analysis.loop_tree import buffer_name
from kc.analysis.reductions.masked_terms import Condition, MaskedTerms, TermReader
from kc.dialects.affine_assembly import from_terms, linear_terms
from kc.dialects.tir import INDEX, AllocOp, BlockOp, ForOp, IterType, LoadOp, StoreOp
from kc.transforms.affine_rewrite import replace_with_expr
from kc.transforms.known_values import is_available
from kc.transforms.schedule._buffers import FreshNames
from kc.transforms.schedule._copies import new_alloc
from kc.transforms.schedule._float_bits import FRACTION_BITS
from kc.transforms.schedule._magnitudes import reduce_magnitudes
from kc.transforms.schedule._nests import loop_around
from kc.transforms.schedule._sizes import size_value, sizes_of
from kc.transforms.schedule.base import (
    BlockRef,
    Gives,
    LoopRef,
    Primitive,
    Rewritten,
    Site,
    require_serial,
)
from kc.transforms.schedule.reduction._bounds_at import (
    BoundsAt,
    Builder,
    Element,
    Extreme,
    Sum,
    Value,
    combined,
    constant,
    total,
)

ONE = AffineExpr.dimension(0)


@dataclass(frozen=True)
class Range:
    """The remaining iterations: from the maximum of ``starts`` to before the minimum of
    ``ends``.
    """

    starts: tuple[Value, ...]
    ends: tuple[Value, ...]
    finite: tuple[SSAValue, ...] = ()
    """The buffers whose elements must be finite."""


@dataclass(frozen=True)
class Plan:
    """The loop, its new range, and the place where the range is computed."""

    loop: ForOp
    place: Operation
    range: Range


@dataclass(frozen=True)
class SkipMasked(Primitive):
    """Leave out iterations of a loop with masked terms, or with results that are never read."""

    name: ClassVar[str] = "skip-masked"
    verb = "was shortened to"
    gives: ClassVar[Gives] = "loop"

    block: BlockRef = field(metadata={"help": "the block"})
    loop: LoopRef = field(metadata={"help": "its loop, some of whose iterations are left out"})
    at: LoopRef | None = field(
        default=None, metadata={"help": "the loop that computes the range once per iteration"}
    )

    def check(self, site: Site) -> Plan:
        block = site.resolve_block(self.block)
        loop = _around(site, self.loop, block)
        require_serial(site, loop)
        around = loop_tree.loops_around(loop)
        at = around[-1] if around else None
        if self.at is not None:
            at = _around(site, self.at, block)
            if at not in around:
                raise site.refuse(
                    "KC3630",
                    f"loop {at.label} is not around loop {loop.label}",
                    at=block,
                    mark={at: "the loop at", loop: "the loop"},
                    why="the range of a loop is computed outside the loop",
                    hints=[f"at={outer.label}" for outer in around],
                )
        self._require_alone(site, block, loop)
        top = _child_of(site.function if at is None else at, loop)
        left = _range(block, loop, top)
        if isinstance(left, str):
            raise site.refuse(
                "KC3631",
                f"no iteration of loop {loop.label} of block {block.label} can be proven to change "
                "nothing",
                at=block,
                mark={loop: "the loop", block: "the block"},
                why=left,
                hints=["use a mask that selects -inf or 0 by a comparison of indices"],
            )
        return Plan(loop, top, left)

    def _require_alone(self, site: Site, block: BlockOp, loop: ForOp) -> None:
        own = {op.buffer for op in block.body.walk() if isinstance(op, StoreOp)}
        index = BoundIndexValues()
        for op in loop.walk():
            why = None
            if isinstance(op, StoreOp) and op.buffer in own:
                writer = op.parent_op()
                while writer is not None and not isinstance(writer, BlockOp):
                    writer = writer.parent_op()
                if writer is not block:
                    why = f"another block also writes {buffer_name(op.buffer)} there"
            elif isinstance(op, StoreOp):
                if not _stays_in_iteration(op.buffer, loop, index):
                    why = f"it stores to {buffer_name(op.buffer)}, which is used elsewhere"
            elif not isinstance(op, LoadOp | ForOp | BlockOp) and not op.regions:
                if loop_tree.touches_memory(op):
                    why = f"it contains {op.name}"
            if why is not None:
                raise site.refuse(
                    "KC3632",
                    f"iterations of loop {loop.label} have effects beyond block {block.label}",
                    at=op,
                    mark={loop: "the loop", block: "the block", op: "here"},
                    why=why,
                )

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for block in loop_tree.blocks(site.function):
            if TermReader().terms_of(block) is not None:
                for loop in loop_tree.loops_around(block):
                    if IterType.REDUCE in loop_tree.iter_types(loop, block):
                        yield cls(BlockRef(block), LoopRef(loop))

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        loop, extent = plan.loop, plan.loop.extent_value
        builder = Builder(plan.place)
        count: Value = constant(extent) if isinstance(extent, int) else extent
        checks: list[BlockOp] = []
        parts: list[Value] = []
        for buffer in plan.range.finite:
            block, all_of_it = _all_if_not_finite(site, buffer, extent, plan.place, loop)
            checks.append(block)
            parts.append(all_of_it)
        last = total(ONE - 1, (count,))
        start: Value = constant(0)
        if plan.range.starts:
            begin = combined("min", (combined("max", plan.range.starts), last))
            for part in parts:
                begin = total(ONE - AffineExpr.dimension(1), (begin, part))
            start = combined("max", (begin, constant(0)))
        beyond = combined("min", plan.range.ends or (count,))
        beyond = combined("max", (beyond, total(ONE + 1, (start,)), *parts))
        end = combined("min", (beyond, count))
        if plan.range.starts:
            end = total(ONE - AffineExpr.dimension(1), (end, start))
        size = builder.value(end)
        size.name_hint = f"{loop.label}_size"
        body = loop.detach_region(loop.body)
        variable = body.block.args[0]
        if plan.range.starts:
            first = builder.value(start)
            shifted = ONE + AffineExpr.dimension(1)
            at = InsertPoint.at_start(body.block)
            replace_with_expr(variable, shifted, [variable, first], at)
        new = ForOp(loop.label, size, body)
        variable.name_hint = loop.label
        new.attributes.update(loop.attributes)
        new.location = loop.location
        Rewriter.replace_op(loop, new, [])
        return Rewritten((new,), {loop: (new,)}, blocks=tuple(checks))


def _child_of(parent: Operation, op: Operation) -> Operation:
    """The operation in ``parent`` that is or contains ``op``."""
    return next(ancestor for ancestor in loop_tree.path_to(op) if ancestor.parent_op() is parent)


def _around(site: Site, ref: LoopRef, block: BlockOp) -> ForOp:
    return loop_around(site, ref, block, "iterations of a loop of the block are left out")


def _stays_in_iteration(buffer: SSAValue, loop: ForOp, index: BoundIndexValues) -> bool:
    """True if elements of a buffer are stored and loaded only within the same iteration of
    ``loop``.

    Either the loop contains the alloc, or each iteration has a separate part of a dimension.
    """
    if loop_tree.defined_inside(buffer, loop):
        return True
    if not isinstance(buffer.owner, AllocOp):
        return False
    accesses = [use.operation for use in buffer.uses]
    if not all(
        isinstance(op, LoadOp | StoreOp) and loop_tree.is_inside(op, loop) for op in accesses
    ):
        return False
    variable = index.expr(loop.var)
    places = [
        [index.compose(expr, op.operands_of_map) for expr in op.indices.data.results]
        for op in accesses
        if isinstance(op, LoadOp | StoreOp)
    ]
    return any(
        len({_part(index, expr, variable) for expr in exprs}) == 1
        and _part(index, exprs[0], variable) is not None
        for exprs in zip(*places, strict=True)
    )


def _part(index: BoundIndexValues, expr: AffineExpr, variable: AffineExpr) -> object | None:
    """The size of an iteration's part of a dimension, and the rest of its position; None if parts
    may overlap.
    """
    terms, number = linear_terms(expr)
    factor = terms.pop(variable, 0)
    position = variable.position if isinstance(variable, AffineDimExpr) else -1
    if factor < 1 or any(position in atom.used_dims() for atom in terms):
        return None
    low, high = index.bounds(from_terms(terms, number))
    return factor if low is not None and high is not None and 0 <= low <= high < factor else None


# The range ------------------------------------------------------------------------------------


def _range(block: BlockOp, loop: ForOp, place: Operation) -> Range | str:
    """The new range of a loop, or the reason why iterations cannot be skipped."""
    if block.is_reduction and IterType.REDUCE in loop_tree.iter_types(loop, block):
        return _range_of_terms(block, loop, place)
    return _range_of_elements(block, loop, place)


def _range_of_terms(block: BlockOp, loop: ForOp, place: Operation) -> Range | str:
    reader = TermReader()
    terms = reader.terms_of(block)
    if terms is None:
        return "its terms are not masked by conditions of indices"
    conditions = [(condition, None) for condition in terms.conditions]
    # The init runs in the first iteration.
    return _solved(reader, conditions, loop, place, terms, may_start=not block.has_init)


def _range_of_elements(block: BlockOp, loop: ForOp, place: Operation) -> Range | str:
    stores = [op for op in block.body.walk() if isinstance(op, StoreOp)]
    if block.is_reduction or len(stores) != 1:
        return "it neither reduces over the loop nor computes elements of one buffer"
    (store,) = stores
    buffer = store.buffer
    if not isinstance(buffer.owner, AllocOp) or stores_to(buffer) != [store]:
        return f"{buffer_name(buffer)} may be read outside the function, or is also written"
    loads = loads_of(buffer)
    if len(loads) + 1 != len(list(buffer.uses)):
        return f"{buffer_name(buffer)} has uses other than loads"
    home = place.parent
    for load in loads:
        if not any(op.parent is home for op in loop_tree.path_to(load)):
            return f"{buffer_name(buffer)} is also read outside the loops around"
    reader = TermReader()
    bounds = BoundsAt(reader, place)
    conditions: list[tuple[Condition, Value | None]] = []
    for dim, expr in enumerate(store.indices.data.results):
        at = reader.index.compose(expr, store.operands_of_map)
        reads = [
            reader.index.compose(load.indices.data.results[dim], load.operands_of_map)
            for load in loads
        ]
        highest = [bounds.most(expr_read) for expr_read in reads]
        lowest = [bounds.most(expr_read, least=True) for expr_read in reads]
        if not reads or None in highest or None in lowest:
            continue
        most = combined("max", [bound for bound in highest if bound is not None])
        least = combined("min", [bound for bound in lowest if bound is not None])
        conditions += [(Condition(at * -1), most), (Condition(at), total(ONE * -1, (least,)))]
    return _solved(reader, conditions, loop, place, None, may_start=True)


def _solved(
    reader: TermReader,
    conditions: Sequence[tuple[Condition, Value | None]],
    loop: ForOp,
    place: Operation,
    terms: MaskedTerms | None,
    *,
    may_start: bool,
) -> Range | str:
    """The iterations in which the conditions may hold. Each condition is on the sum of an
    expression and a value.
    """
    bounds = BoundsAt(reader, place)
    variable = reader.index.expr(loop.var)
    starts: list[Value] = []
    ends: list[Value] = []
    for condition, extra in conditions:
        parts, number = linear_terms(reader.index.simplify(condition.expr))
        factor = parts.pop(variable, 0)
        rest = bounds.most(from_terms(parts, number))
        wide = [_wraps(bounds.most(expr), bits) for expr, bits in condition.narrow]
        if rest is None or factor == 0 or None in wide:
            continue
        operands = [operand for operand in (rest, extra, *wide) if operand is not None]
        dims = [AffineExpr.dimension(n) for n in range(len(operands))]
        whole = sum(dims[1:], start=dims[0])
        if factor < 0:  # factor * loop + rest >= 0
            ends.append(total(whole // -factor + 1, operands))
        elif may_start:
            starts.append(total((whole // factor) * -1, operands))
    extent = loop.static_extent
    starts = [start for start in starts if _varies(start) or (_number(start) or 0) > 0]
    ends = [
        end for end in ends if _varies(end) or (extent is not None and (_number(end) or 0) < extent)
    ]
    if not starts and not ends:
        return "no condition leaves out iterations of this loop in each iteration around it"
    finite = tuple(terms.finite) if terms is not None else ()
    return Range(tuple(starts), tuple(ends), finite)


def _wraps(most: Value | None, bits: int) -> Value | None:
    """0 if the bound ``most`` fits a signed integer of ``bits`` bits, otherwise a larger value."""
    if most is None:
        return None
    return total(ONE // (1 << (bits - 1)) * (1 << (bits + 8)), (most,))


def _number(value: Value) -> int | None:
    """The constant value of a description; None if it depends on other values."""
    if isinstance(value, Sum):
        operands = [_number(operand) for operand in value.operands]
        numbers = [operand for operand in operands if operand is not None]
        return value.expr.eval(numbers, []) if len(numbers) == len(operands) else None
    if isinstance(value, Extreme):
        parts = [_number(part) for part in value.parts]
        numbers = [part for part in parts if part is not None]
        pick = min if value.kind == "min" else max
        return pick(numbers) if len(numbers) == len(parts) else None
    return None


def _varies(value: Value) -> bool:
    """True if a description depends on a loop or on a loaded value."""
    if isinstance(value, Sum):
        return any(map(_varies, value.operands))
    if isinstance(value, Extreme):
        return any(map(_varies, value.parts))
    if isinstance(value, Element):
        return True
    owner = value.owner
    if isinstance(owner, Operation):
        return isinstance(owner, LoadOp) or any(map(_varies, owner.operands))
    return isinstance(owner.parent_op(), ForOp)


# Finite factors -----------------------------------------------------------------------------


def _all_if_not_finite(
    site: Site, buffer: SSAValue, extent: int | SSAValue, place: Operation, loop: ForOp
) -> tuple[BlockOp, SSAValue]:
    """The block that examines a buffer, and a value: ``extent`` if an element is not finite,
    otherwise 0.
    """
    type_ = buffer.type
    assert isinstance(type_, MemRefType)
    element = type_.element_type
    assert isinstance(element, AnyFloat)
    bits = IntegerType(element.bitwidth)
    top = site.nest_of(loop)
    assert top is not None
    extents = [size_value(site, size, top) for size in sizes_of(site, buffer)]
    name = FreshNames(site).take(f"{buffer_name(buffer)}_largest")
    alloc = new_alloc(name, MemRefType(bits, []), [], loop)
    nest = reduce_magnitudes(site, name, buffer, alloc.buffer, extents, loop, "largest")
    alloc.buffer.name_hint = name
    home = top.parent
    assert home is not None
    home.insert_ops_before([alloc, nest.top], top)
    load = LoadOp(alloc.buffer, AffineMap(0, 0, ()), [])
    infinity = arith.ConstantOp(IntegerAttr(_bits_of_infinity(element), bits))
    is_more = arith.CmpiOp(load.result, infinity.result, "sge")
    zero = arith.ConstantOp(IntegerAttr(0, INDEX))
    ops: list[Operation] = [load, infinity, is_more, zero]
    if isinstance(extent, int):
        ops.append(whole := arith.ConstantOp(IntegerAttr(extent, INDEX)))
        extent = whole.result
    chosen = arith.SelectOp(is_more.result, extent, zero.result)
    # Outside all loops if possible, so that all ranges share it.
    anchor = (
        top if is_available(extent, top) or isinstance(extent.owner, arith.ConstantOp) else place
    )
    around = anchor.parent
    assert around is not None
    for op in (*ops, chosen):
        op.location = loop.location
        around.insert_op_before(op, anchor)
    return nest.block, chosen.result


def _bits_of_infinity(type_: AnyFloat) -> int:
    """The bit pattern of infinity as an integer. NaN has larger patterns, finite magnitudes have
    smaller ones.
    """
    fraction = FRACTION_BITS[type(type_)]
    return ((1 << (type_.bitwidth - 1 - fraction)) - 1) << fraction
