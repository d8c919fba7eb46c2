"""Loops, conditions and accesses of affine, scf and memref as those of tir."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import affine, arith, memref, scf
from xdsl.dialects.builtin import AnyFloat, IntegerAttr, IntegerType, MemRefType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSet,
)
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.analysis.dependence import accesses_memory_of
from kc.conversion.driver import ConversionPattern
from kc.conversion.raise_to_tir.function import FunctionRaiser
from kc.conversion.raise_to_tir.nests import Extent
from kc.conversion.raise_to_tir.structured import identity
from kc.dialects import tir
from kc.dialects.affine import MaxOp
from kc.dialects.affine_assembly import ZERO, at_least_zero
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of

_LETTERS = "ijklmnpq"


def without_symbols(space: AffineMap) -> list[AffineExpr]:
    """The results of a map, its symbols being dimensions after the others."""
    symbols = [AffineDimExpr(space.num_dims + n) for n in range(space.num_symbols)]
    dims = [AffineDimExpr(n) for n in range(space.num_dims)]
    return [expr.replace_dims_and_symbols(dims, symbols) for expr in space.results]


def _bound(
    raiser: FunctionRaiser,
    exprs: Sequence[AffineExpr],
    operands: Sequence[SSAValue],
    extreme: type[arith.MinSIOp] | type[arith.MaxSIOp],
    op: Operation,
) -> Extent:
    """The smallest or the largest of several expressions."""
    values = [raiser.extent(operand) for operand in operands]
    extremum = raiser.apply(exprs[0], values, op)
    for expr in exprs[1:]:
        candidate = raiser.apply(expr, values, op)
        if isinstance(extremum, int) and isinstance(candidate, int):
            extremum = (
                min(extremum, candidate) if extreme is arith.MinSIOp else max(extremum, candidate)
            )
            continue
        both = raiser.index_value(extremum, op), raiser.index_value(candidate, op)
        extremum = raiser.emit(extreme(*both), op).results[0]
    return extremum


def _loop(
    raiser: FunctionRaiser,
    op: Operation,
    old: SSAValue,
    low: Extent,
    high: Extent,
    step: int,
    fill: Callable[[], None],
    kind: tir.ForKind = tir.ForKind.SERIAL,
) -> None:
    """A loop from 0 in steps of 1; ``old`` is then ``low + step * variable``."""
    a, b = AffineDimExpr(0), AffineDimExpr(1)
    span = raiser.apply(b - a, [low, high], op)
    extent = raiser.apply((a + (step - 1)) // step, [span], op) if step != 1 else span
    if isinstance(extent, int):
        extent = max(extent, 0)
    loop = tir.ForOp(_name(op, old), extent, kind=kind)
    raiser.emit(loop, op)

    def body() -> None:
        variable = raiser.apply(a + b * step, [low, loop.var], op)
        assert isinstance(variable, SSAValue)
        if variable is not loop.var:
            variable.name_hint = old.name_hint
            raiser.variables[loop] = variable
        raiser.values[old] = variable
        fill()

    raiser.into(loop.body.block, body)


def _name(op: Operation, old: SSAValue) -> str:
    if old.name_hint is not None and tir.is_name(old.name_hint):
        return old.name_hint
    depth, parent = 0, op.parent_op()
    while parent is not None:
        depth += isinstance(parent, affine.ForOp | affine.ParallelOp | scf.ForOp | scf.ParallelOp)
        parent = parent.parent_op()
    return _LETTERS[depth] if depth < len(_LETTERS) else f"i{depth}"


def _carried(
    raiser: FunctionRaiser,
    op: Operation,
    inits: Sequence[SSAValue],
    carried: Sequence[SSAValue],
    run: Callable[[Callable[[Block], None]], None],
) -> None:
    """A loop with values that go from iteration to iteration: each is in a buffer.

    ``run`` makes the loop; it is given what fills the body.
    """
    places = [_place(raiser, op, n, init) for n, init in enumerate(inits)]
    for init, (buffer, at) in zip(inits, places, strict=True):
        raiser.emit(tir.StoreOp(raiser.value(init), buffer, identity(len(at)), at), op)

    def body(source: Block) -> None:
        for arg, (buffer, at) in zip(carried, places, strict=True):
            load = raiser.emit(tir.LoadOp(buffer, identity(len(at)), at), op)
            raiser.values[arg] = load.results[0]
        end = source.last_op
        for inner_op in source.ops:
            if inner_op is not end:
                raiser.convert_op(inner_op)
        assert end is not None
        if isinstance(end, affine.YieldOp | scf.YieldOp):
            for value, (buffer, at) in zip(end.operands, places, strict=True):
                store = tir.StoreOp(raiser.value(value), buffer, identity(len(at)), at)
                raiser.emit(store, end)
        elif not isinstance(end, scf.ReduceOp):
            raiser.convert_op(end)

    run(body)
    for result, (buffer, at) in zip(op.results, places, strict=True):
        if result.first_use is not None:
            load = raiser.emit(tir.LoadOp(buffer, identity(len(at)), at), op)
            raiser.values[result] = load.results[0]


def _place(
    raiser: FunctionRaiser, op: Operation, n: int, init: SSAValue
) -> tuple[SSAValue, list[SSAValue]]:
    """Where a carried value is: in the element that it is stored to afterwards, if only that is
    done with it, else in a buffer of its own."""
    result = op.results[n]
    uses = list(result.uses)
    store = uses[0].operation if len(uses) == 1 else None
    if isinstance(store, affine.StoreOp | memref.StoreOp) and store.value is result:
        between: list[Operation] = []
        following = op.next_op
        while following is not None and following is not store:
            between.append(following)
            following = following.next_op
        place = (store.memref, *store.indices)
        if (
            following is store
            and not any(value.owner in between for value in place)
            and not any(inner.regions for inner in between)
            and not any(accesses_memory_of(inner, store.memref) for inner in (op, *between))
        ):
            raiser.skipped.add(store)
            space = without_symbols(store.map.data) if isinstance(store, affine.StoreOp) else None
            operands = [raiser.value(index) for index in store.indices]
            if space is not None:
                values = [raiser.extent(index) for index in store.indices]
                operands = [
                    raiser.index_value(raiser.apply(expr, values, store), store) for expr in space
                ]
            return raiser.value(store.memref), operands
    sizes: list[Extent] = []
    name = result.name_hint or "carried"
    return raiser.alloc(name, MemRefType(init.type, []), sizes, op), []


def _can_carry(values: Sequence[SSAValue]) -> bool:
    return all(isinstance(value.type, AnyFloat | IntegerType) for value in values)


class RaiseAffineFor(ConversionPattern[FunctionRaiser]):
    """``affine.for``."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: affine.ForOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        if not _can_carry(op.inits):
            raise _refused(op, "it carries a value that is neither an integer nor a float")
        low = _bound(
            raiser, without_symbols(op.lowerBoundMap.data), op.lowerBoundOperands, arith.MaxSIOp, op
        )
        high = _bound(
            raiser, without_symbols(op.upperBoundMap.data), op.upperBoundOperands, arith.MinSIOp, op
        )
        block = op.body.blocks[0]
        _carried(
            raiser,
            op,
            op.inits,
            block.args[1:],
            lambda fill: _loop(
                raiser, op, block.args[0], low, high, op.step.value.data, lambda: fill(block)
            ),
        )


class RaiseScfFor(ConversionPattern[FunctionRaiser]):
    """``scf.for``; with a step that is no positive constant it stays, its body being raised."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        step = raiser.extent(op.step)
        block = op.body.block
        if not isinstance(step, int) or step < 1 or op.lb.type != tir.INDEX:
            return
        if not _can_carry(op.iter_args):
            return
        low, high = raiser.extent(op.lb), raiser.extent(op.ub)
        _carried(
            raiser,
            op,
            op.iter_args,
            block.args[1:],
            lambda fill: _loop(raiser, op, block.args[0], low, high, step, lambda: fill(block)),
        )


def _nest(
    raiser: FunctionRaiser,
    op: Operation,
    block: Block,
    bounds: Sequence[tuple[Extent, Extent, int]],
) -> None:
    """Loops of which the outermost is parallel."""

    def level(n: int, fill: Callable[[Block], None]) -> None:
        if n == len(bounds):
            fill(block)
            return
        low, high, step = bounds[n]
        kind = tir.ForKind.SERIAL if n else tir.ForKind.PARALLEL
        _loop(raiser, op, block.args[n], low, high, step, lambda: level(n + 1, fill), kind)

    _carried(raiser, op, (), (), lambda fill: level(0, fill))


class RaiseScfParallel(ConversionPattern[FunctionRaiser]):
    """``scf.parallel``; one that reduces stays, its body being raised."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ParallelOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        steps = [raiser.extent(step) for step in op.step]
        known = [step for step in steps if isinstance(step, int) and step > 0]
        if op.initVals or len(known) != len(steps):
            return
        lows, highs = (
            [raiser.extent(bound) for bound in values] for values in (op.lowerBound, op.upperBound)
        )
        _nest(raiser, op, op.body.block, list(zip(lows, highs, known, strict=True)))


class RaiseAffineParallel(ConversionPattern[FunctionRaiser]):
    """``affine.parallel``."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: affine.ParallelOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        if op.res:
            raise _refused(op, "it reduces over parallel iterations")
        split = op.lowerBoundsMap.data.num_dims + op.lowerBoundsMap.data.num_symbols
        ends: list[list[Extent]] = []
        for space, groups, operands, extreme in (
            (op.lowerBoundsMap, op.lowerBoundsGroups, op.map_operands[:split], arith.MaxSIOp),
            (op.upperBoundsMap, op.upperBoundsGroups, op.map_operands[split:], arith.MinSIOp),
        ):
            exprs = without_symbols(space.data)
            bounds: list[Extent] = []
            for count in groups.get_values():
                part, exprs = exprs[: int(count)], exprs[int(count) :]
                bounds.append(_bound(raiser, part, operands, extreme, op))
            ends.append(bounds)
        steps = [step.value.data for step in op.steps]
        _nest(raiser, op, op.body.block, list(zip(*ends, steps, strict=True)))


def _refused(op: Operation, why: str) -> CodegenError:
    return CodegenError(
        "KC4555",
        f"raise-to-tir: this {op.name} is not a loop of tir",
        location=location_of(op),
        why=why,
        hints=["store the value to a memref<index> or memref<f32> in the loop"],
    )


def _regions(raiser: FunctionRaiser, op: Operation) -> list[Region]:
    """The regions of a condition, raised; terminators without operands are dropped."""
    regions: list[Region] = []
    for region in op.regions:
        new = Region()
        for block in region.blocks:
            new.add_block(inner := Block())

            def fill(block: Block = block) -> None:
                for inner_op in block.ops:
                    if not isinstance(inner_op, affine.YieldOp | scf.YieldOp):
                        raiser.convert_op(inner_op)
                    elif op.results:
                        values = [raiser.value(value) for value in inner_op.operands]
                        raiser.emit(scf.YieldOp(*values), inner_op)

            raiser.into(inner, fill)
        regions.append(new)
    return regions


_PREDICATES = {AffineConstraintKind.eq: "eq", AffineConstraintKind.le: "sle"}


class RaiseAffineIf(ConversionPattern[FunctionRaiser]):
    """``affine.if``; with results it is an ``scf.if`` on the value of its condition."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: affine.IfOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        space = op.condition.data
        operands = [raiser.value(arg) for arg in op.args]
        symbols = [AffineDimExpr(space.num_dims + n) for n in range(space.num_symbols)]
        dims = [AffineDimExpr(n) for n in range(space.num_dims)]
        exprs = [
            (
                constraint.kind,
                (constraint.lhs - constraint.rhs).replace_dims_and_symbols(dims, symbols),
            )
            for constraint in space.constraints
        ]
        if not op.res:
            constraints = [
                at_least_zero(-expr if kind is AffineConstraintKind.le else expr)
                if kind is not AffineConstraintKind.eq
                else AffineConstraintExpr(kind, expr, ZERO)
                for kind, expr in exprs
            ]
            _if(raiser, op, constraints, operands)
            return
        truth: SSAValue | None = None
        for kind, expr in exprs:
            value = raiser.index_value(raiser.apply(expr, operands, op), op)
            zero = raiser.index_value(0, op)
            predicate = _PREDICATES.get(kind, "sge")
            test = raiser.emit(arith.CmpiOp(value, zero, predicate), op).results[0]
            truth = test if truth is None else raiser.emit(arith.AndIOp(truth, test), op).results[0]
        if truth is None:
            truth = raiser.emit(arith.ConstantOp(IntegerAttr(1, IntegerType(1))), op).results[0]
        _scf_if(raiser, op, truth)


def _if(
    raiser: FunctionRaiser,
    op: Operation,
    constraints: Sequence[AffineConstraintExpr],
    operands: Sequence[SSAValue],
) -> None:
    then, otherwise = (*_regions(raiser, op), Region())[:2]
    condition = AffineSet(len(operands), 0, tuple(constraints))
    guard = tir.IfOp(condition, operands, then, otherwise)
    guard.location = op.location
    raiser.add(guard)


def _scf_if(raiser: FunctionRaiser, op: Operation, truth: SSAValue) -> None:
    then, otherwise = _regions(raiser, op)
    for region in (then, otherwise):
        if not op.results and region.blocks:
            region.block.add_op(end := scf.YieldOp())
            end.location = op.location
    new = scf.IfOp(truth, [result.type for result in op.results], then, otherwise)
    new.location = op.location
    for old, result in zip(op.results, new.results, strict=True):
        result.name_hint = old.name_hint
        raiser.values[old] = result
    raiser.add(new)


class RaiseScfIf(ConversionPattern[FunctionRaiser]):
    """``scf.if``: a ``tir.if`` where the condition is one on indices."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        operands: list[SSAValue] = []
        constraints = _constraints(raiser, op.cond, operands)
        if constraints is None or op.results:
            _scf_if(raiser, op, raiser.value(op.cond))
        else:
            _if(raiser, op, constraints, operands)


def _constraints(
    raiser: FunctionRaiser, condition: SSAValue, operands: list[SSAValue]
) -> list[AffineConstraintExpr] | None:
    """A condition as affine constraints over ``operands``, which grow."""
    owner = condition.owner
    if isinstance(owner, arith.AndIOp):
        parts = [_constraints(raiser, side, operands) for side in owner.operands]
        known = [part for part in parts if part is not None]
        return [*known[0], *known[1]] if len(known) == 2 else None
    if not isinstance(owner, arith.CmpiOp) or owner.lhs.type != tir.INDEX:
        return None

    def expr(old: SSAValue) -> AffineExpr:
        size = raiser.extent(old)
        if isinstance(size, int):
            return AffineExpr.constant(size)
        if size not in operands:
            operands.append(size)
        return AffineDimExpr(operands.index(size))

    lhs, rhs = expr(owner.lhs), expr(owner.rhs)
    match owner.predicate.value.data:
        case 0:
            return [AffineConstraintExpr(AffineConstraintKind.eq, lhs - rhs, ZERO)]
        case 2:
            return [at_least_zero(rhs - lhs - 1)]
        case 3:
            return [at_least_zero(rhs - lhs)]
        case 4:
            return [at_least_zero(lhs - rhs - 1)]
        case 5:
            return [at_least_zero(lhs - rhs)]
        case _:
            return None


class RaiseAffineLoad(ConversionPattern[FunctionRaiser]):
    """``affine.load``."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: affine.LoadOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        exprs, operands = (
            without_symbols(op.map.data),
            [raiser.value(index) for index in op.indices],
        )
        space = AffineMap(len(operands), 0, tuple(exprs))
        _loaded(raiser, op, tir.LoadOp(raiser.value(op.memref), space, operands))


class RaiseMemrefLoad(ConversionPattern[FunctionRaiser]):
    """``memref.load``."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref.LoadOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        at = [raiser.value(index) for index in op.indices]
        _loaded(raiser, op, tir.LoadOp(raiser.value(op.memref), identity(len(at)), at))


def _loaded(raiser: FunctionRaiser, op: Operation, load: tir.LoadOp) -> None:
    load.result.name_hint = op.results[0].name_hint
    raiser.values[op.results[0]] = raiser.emit(load, op).results[0]


class RaiseAffineStore(ConversionPattern[FunctionRaiser]):
    """``affine.store``."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: affine.StoreOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        if op in raiser.skipped:
            rewriter.erase(op)
            return
        exprs, operands = (
            without_symbols(op.map.data),
            [raiser.value(index) for index in op.indices],
        )
        space = AffineMap(len(operands), 0, tuple(exprs))
        raiser.emit(
            tir.StoreOp(raiser.value(op.value), raiser.value(op.memref), space, operands), op
        )


class RaiseMemrefStore(ConversionPattern[FunctionRaiser]):
    """``memref.store``."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref.StoreOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        if op in raiser.skipped:
            rewriter.erase(op)
            return
        at = [raiser.value(index) for index in op.indices]
        store = tir.StoreOp(raiser.value(op.value), raiser.value(op.memref), identity(len(at)), at)
        raiser.emit(store, op)


class RaiseAffineApply(ConversionPattern[FunctionRaiser]):
    """``affine.apply``."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: affine.ApplyOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        (expr,) = without_symbols(op.map.data)
        value = raiser.apply(expr, [raiser.extent(operand) for operand in op.operands], op)
        raiser.values[op.result] = raiser.index_value(value, op)


class RaiseAffineMin(ConversionPattern[FunctionRaiser]):
    """``affine.min``."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: affine.MinOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        extremum = _bound(raiser, without_symbols(op.map.data), op.arguments, arith.MinSIOp, op)
        raiser.values[op.result] = raiser.index_value(extremum, op)


class RaiseAffineMax(ConversionPattern[FunctionRaiser]):
    """``affine.max``."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MaxOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        extremum = _bound(raiser, without_symbols(op.map.data), op.arguments, arith.MaxSIOp, op)
        raiser.values[op.result] = raiser.index_value(extremum, op)


PATTERNS: tuple[type[RewritePattern], ...] = (
    RaiseAffineFor,
    RaiseScfFor,
    RaiseScfParallel,
    RaiseAffineParallel,
    RaiseAffineIf,
    RaiseScfIf,
    RaiseAffineLoad,
    RaiseMemrefLoad,
    RaiseAffineStore,
    RaiseMemrefStore,
    RaiseAffineApply,
    RaiseAffineMin,
    RaiseAffineMax,
)
