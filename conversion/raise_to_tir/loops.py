"""Loops, conditions and accesses of affine, scf and memref, converted to tir."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from xdsl.dialects import affine, arith, memref, scf, vector
from xdsl.dialects.builtin import (
    AnyFloat,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    TensorType,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSet,
)
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.analysis.accesses.dependence import accesses_memory_of
from kc.conversion.driver import ConversionPattern
from kc.conversion.raise_to_tir.function import FunctionRaiser
from kc.conversion.raise_to_tir.nests import Extent
from kc.conversion.raise_to_tir.shared_tensors import (
    BranchResults,
    pass_on,
    start_carried,
    while_buffers,
    yield_carried,
)
from kc.conversion.raise_to_tir.structured import identity
from kc.conversion.raise_to_tir.tensors import Held
from kc.dialects import tir
from kc.dialects.affine import MaxOp, PrefetchOp
from kc.dialects.affine_assembly import ZERO, at_least_zero
from kc.dialects.affine_maps import replace_operands
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of

_LETTERS = "ijklmnpq"


def without_symbols(space: AffineMap) -> list[AffineExpr]:
    """The results of a map with its symbols converted to additional dimensions."""
    symbols = [AffineDimExpr(space.num_dims + n) for n in range(space.num_symbols)]
    dims = [AffineDimExpr(n) for n in range(space.num_dims)]
    return [replace_operands(expr, dims, symbols) for expr in space.results]


def loop(
    raiser: FunctionRaiser,
    op: Operation,
    old: SSAValue,
    low: Extent,
    high: Extent,
    step: Extent,
    fill: Callable[[], None],
    kind: tir.ForKind = tir.ForKind.SERIAL,
) -> None:
    """Build a loop from 0 in steps of 1; ``old`` becomes ``low + step * variable``.

    A computed step below 1 counts as 1; the call refuses such steps if it can check them.
    """
    a, b, c = (AffineDimExpr(n) for n in range(3))
    span = raiser.apply(b - a, [low, high], op)
    if isinstance(step, int):
        extent = raiser.apply((a + (step - 1)) // step, [span], op) if step != 1 else span
    else:
        least = raiser.index_value(1, op)
        step = raiser.emit(arith.MaxSIOp(step, least), op).results[0]
        count = AffineBinaryOpExpr(AffineBinaryOpKind.CeilDiv, a, b)
        extent = raiser.apply(count, [span, step], op)
    if isinstance(extent, int):
        extent = max(extent, 0)
    loop = tir.ForOp(_name(op, old), extent, kind=kind)
    raiser.emit(loop, op)

    def body() -> None:
        factor = AffineExpr.constant(step) if isinstance(step, int) else c
        distance = AffineBinaryOpExpr(AffineBinaryOpKind.Mul, b, factor)
        variable = raiser.apply(a + distance, [low, loop.var, step], op)
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


def carried(
    raiser: FunctionRaiser,
    op: Operation,
    inits: Sequence[SSAValue],
    carried_values: Sequence[SSAValue],
    run: Callable[[Callable[[Block], None]], None],
) -> None:
    """Build a loop with carried values, each in a buffer.

    ``run`` builds the loop; its argument fills the body.
    """
    is_tensor = [isinstance(init.type, TensorType) for init in inits]
    buffers = {
        n: start_carried(raiser, op, init, carried_values[n], op.results[n])
        for n, init in enumerate(inits)
        if is_tensor[n]
    }
    # All buffers are registered before the initial values are stored.
    for n, buffer in buffers.items():
        raiser.tensors.values[carried_values[n]] = Held(buffer)
    places = {n: _place(raiser, op, n, init) for n, init in enumerate(inits) if not is_tensor[n]}
    for n, (buffer, at) in places.items():
        raiser.store(raiser.value(inits[n]), buffer, identity(len(at)), at, op)

    def body(source: Block) -> None:
        for n, (buffer, at) in places.items():
            raiser.values[carried_values[n]] = raiser.load(buffer, identity(len(at)), at, op)
        end = source.last_op
        for inner_op in source.ops:
            if inner_op is not end:
                raiser.convert_op(inner_op)
        assert end is not None
        if isinstance(end, affine.YieldOp | scf.YieldOp):
            values = [raiser.value(end.operands[n]) for n in places]
            yield_carried(raiser, op, [end.operands[n] for n in buffers], [*buffers.values()])
            for value, (buffer, at) in zip(values, places.values(), strict=True):
                raiser.store(value, buffer, identity(len(at)), at, end)
        elif not isinstance(end, scf.ReduceOp):
            raiser.convert_op(end)

    run(body)
    if buffers:
        raiser.tensors.forget_inside(op)
    for n, buffer in buffers.items():
        raiser.tensors.values[op.results[n]] = Held(buffer)
    for n, (buffer, at) in places.items():
        result = op.results[n]
        if result.first_use is not None:
            raiser.values[result] = raiser.load(buffer, identity(len(at)), at, op)


def _place(
    raiser: FunctionRaiser, op: Operation, n: int, init: SSAValue
) -> tuple[SSAValue, list[SSAValue]]:
    """The location of a carried value: the element to which the result is stored later, if that is
    its only use, else a buffer of its own.
    """
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


_CARRIED = AnyFloat | IndexType | IntegerType | TensorType


def _require_carried(op: Operation, values: Sequence[SSAValue]) -> None:
    """Refuse (KC4555) carried values of types that no buffer can hold."""
    for value in values:
        if not isinstance(value.type, _CARRIED):
            raise refused(
                op,
                f"it carries a {value.type}, which is neither an integer, nor an index, "
                "nor a float, nor a tensor",
                "store the value to a memref<index> or memref<f32> in the loop",
            )


class RaiseAffineFor(ConversionPattern[FunctionRaiser]):
    """``affine.for``.

    Requires a step of at least 1, and carried values that are numbers or tensors: KC4555.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: affine.ForOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        _require_carried(op, op.inits)
        if op.step.value.data < 1:
            raise refused(op, f"its step is {op.step.value.data}", "a step of at least 1")
        lows, highs = map(without_symbols, (op.lowerBoundMap.data, op.upperBoundMap.data))
        low = raiser.extreme("max", lows, raiser.extents(op.lowerBoundOperands), op)
        high = raiser.extreme("min", highs, raiser.extents(op.upperBoundOperands), op)
        block = op.body.blocks[0]
        carried(
            raiser,
            op,
            op.inits,
            block.args[1:],
            lambda fill: loop(
                raiser, op, block.args[0], low, high, op.step.value.data, lambda: fill(block)
            ),
        )


class RaiseScfFor(ConversionPattern[FunctionRaiser]):
    """``scf.for``. Without tensors, the loop stays and only its body is raised if its step is not
    constant, its variable is not an index, or it carries an index or a value that no buffer can
    hold.

    Requires a step of at least 1 (KC4555, or the call checks it). With tensors, it also requires an
    index as its variable and carried values that are numbers or tensors: KC4555.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        (step,) = steps(raiser, op, [op.step])
        block = op.body.block
        if any(isinstance(value.type, TensorType) for value in op.iter_args):
            if op.lb.type != tir.INDEX:
                raise refused(
                    op,
                    f"it carries a tensor and counts in {op.lb.type}",
                    "use a loop variable of type index, and cast it to the type that the body "
                    "needs",
                )
            _require_carried(op, op.iter_args)
        elif (
            not isinstance(step, int)
            or op.lb.type != tir.INDEX
            or not all(isinstance(arg.type, AnyFloat | IntegerType) for arg in op.iter_args)
        ):
            return
        low, high = raiser.extent(op.lb), raiser.extent(op.ub)
        carried(
            raiser,
            op,
            op.iter_args,
            block.args[1:],
            lambda fill: loop(raiser, op, block.args[0], low, high, step, lambda: fill(block)),
        )


def steps(raiser: FunctionRaiser, op: Operation, values: Sequence[SSAValue]) -> list[Extent]:
    """The steps of an ``scf`` loop, which must be at least 1: KC4555, or the call checks them."""
    extents = [raiser.extent(value) for value in values]
    for extent in extents:
        if isinstance(extent, int) and extent < 1:
            raise refused(op, f"its step is {extent}", "a step of at least 1")
        raiser.requirements.at_least(extent, 1, op, "has a step of at least 1")
    return extents


def refused(op: Operation, why: str, hint: str) -> CodegenError:
    """KC4555 for an ``op`` that cannot be a loop of tir; ``hint`` is the alternative."""
    return CodegenError(
        "KC4555",
        f"raise-to-tir: this {op.name} is not a loop of tir",
        location=location_of(op),
        why=why,
        hints=[hint],
    )


def _regions(
    raiser: FunctionRaiser, op: Operation, results: BranchResults | None = None
) -> list[Region]:
    """The regions of a condition, raised; terminators without operands are dropped.

    Tensor results are written to the buffers of ``results``.
    """
    regions: list[Region] = []
    for region in op.regions:
        new = Region()
        for block in region.blocks:
            new.add_block(inner := Block())

            def fill(block: Block = block, inner: Block = inner) -> None:
                for inner_op in block.ops:
                    if not isinstance(inner_op, affine.YieldOp | scf.YieldOp):
                        raiser.convert_op(inner_op)
                    elif op.results:
                        values: Sequence[SSAValue] = inner_op.operands
                        if results is not None:
                            values = results.yielded(inner_op, inner)
                        raiser.emit(scf.YieldOp(*map(raiser.value, values)), inner_op)

            raiser.into(inner, fill)
        regions.append(new)
    return regions


_PREDICATES = {AffineConstraintKind.eq: "eq", AffineConstraintKind.le: "sle"}


class RaiseScfWhile(ConversionPattern[FunctionRaiser]):
    """``scf.while`` with tensors, each of which is in a buffer. Without tensors, the loop stays and
    its regions are raised.

    Requires that each carried tensor has the same size in all iterations: KC4550.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.WhileOp, rewriter: PatternRewriter, /) -> None:
        if not any(isinstance(value.type, TensorType) for value in (*op.operands, *op.results)):
            return
        raiser = self.conversion
        before, after = op.before_region.block, op.after_region.block
        condition, end = before.last_op, after.last_op
        assert isinstance(condition, scf.ConditionOp)
        assert isinstance(end, scf.YieldOp)
        arrivals, results = while_buffers(raiser, op, before.args, condition.operands[1:])
        is_tensor = [isinstance(arg.type, TensorType) for arg in after.args]
        scalars = [n for n, arg in enumerate(before.args) if n not in arrivals]
        scalar_numbers = [n for n, tensor in enumerate(is_tensor) if not tensor]

        def inner(source: Block, numbers: Sequence[int]) -> Block:
            block = Block(arg_types=[source.args[n].type for n in numbers])
            for n, arg in zip(numbers, block.args, strict=True):
                arg.name_hint = source.args[n].name_hint
                raiser.values[source.args[n]] = arg
            return block

        def decide() -> None:
            for inner_op in before.ops:
                if inner_op is not condition:
                    raiser.convert_op(inner_op)
            for n, buffer in results.items():
                pass_on(raiser, op, condition, condition.operands[1:][n], buffer)
            values = [raiser.value(condition.operands[1:][n]) for n in scalar_numbers]
            raiser.emit(scf.ConditionOp(raiser.value(condition.operands[0]), *values), condition)

        def body() -> None:
            for inner_op in after.ops:
                if inner_op is not end:
                    raiser.convert_op(inner_op)
            values = [raiser.value(end.operands[n]) for n in scalars]
            tensors = [end.operands[n] for n in arrivals]
            yield_carried(raiser, op, tensors, [*arrivals.values()])
            raiser.emit(scf.YieldOp(*values), end)

        starts = [raiser.value(op.arguments[n]) for n in scalars]
        blocks = inner(before, scalars), inner(after, scalar_numbers)
        raiser.into(blocks[0], decide)
        raiser.tensors.forget_inside(op)
        for n, buffer in results.items():
            raiser.tensors.values[after.args[n]] = Held(buffer)
        raiser.into(blocks[1], body)
        raiser.tensors.forget_inside(op)
        for n, buffer in results.items():
            raiser.tensors.values[op.results[n]] = Held(buffer)
        loop = scf.WhileOp(
            starts, [op.results[n].type for n in scalar_numbers], *map(Region, blocks)
        )
        loop.location = op.location
        for n, result in zip(scalar_numbers, loop.results, strict=True):
            result.name_hint = op.results[n].name_hint
            raiser.values[op.results[n]] = result
        raiser.add(loop)


class RaiseAffineIf(ConversionPattern[FunctionRaiser]):
    """``affine.if``. With results, it becomes an ``scf.if`` on the value of its condition.

    Requires nothing: a condition that is not affine is computed as a value.
    """

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
                replace_operands(constraint.lhs - constraint.rhs, dims, symbols),
            )
            for constraint in space.constraints
        ]
        if not op.res and all(expr.is_pure_affine() for _, expr in exprs):
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
    _chosen(raiser, op, lambda types, regions: scf.IfOp(truth, types, regions[0], regions[1]))


def _chosen(
    raiser: FunctionRaiser,
    op: Operation,
    make: Callable[[list[Attribute], list[Region]], Operation],
) -> None:
    """A condition of scf for ``op``, without its tensors."""
    results = BranchResults(raiser, op)
    regions = _regions(raiser, op, results)
    for region in regions:
        if not op.results and region.blocks:
            region.block.add_op(end := scf.YieldOp())
            end.location = op.location
    scalars = [result for result in op.results if not isinstance(result.type, TensorType)]
    new = make([result.type for result in scalars], regions)
    new.location = op.location
    for old, result in zip(scalars, new.results, strict=True):
        result.name_hint = old.name_hint
        raiser.values[old] = result
    raiser.add(new)
    results.end()


class RaiseScfIf(ConversionPattern[FunctionRaiser]):
    """``scf.if``: a ``tir.if`` if the condition compares indices.

    Requires nothing: another condition stays an ``scf.if``.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IfOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        operands: list[SSAValue] = []
        constraints = _constraints(raiser, op.cond, operands)
        if constraints is None or op.results:
            _scf_if(raiser, op, raiser.value(op.cond))
        else:
            _if(raiser, op, constraints, operands)


class RaiseIndexSwitch(ConversionPattern[FunctionRaiser]):
    """``scf.index_switch`` with tensors, each of which is in a buffer. Without tensors it stays.

    Requires nothing.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.IndexSwitchOp, rewriter: PatternRewriter, /) -> None:
        if not any(isinstance(result.type, TensorType) for result in op.results):
            return
        arg = self.conversion.value(op.arg)
        _chosen(
            self.conversion,
            op,
            lambda types, regions: scf.IndexSwitchOp(arg, op.cases, regions[0], regions[1:], types),
        )


def _constraints(
    raiser: FunctionRaiser, condition: SSAValue, operands: list[SSAValue]
) -> list[AffineConstraintExpr] | None:
    """A condition as affine constraints over ``operands``, to which operands are appended."""
    owner = condition.owner
    if isinstance(owner, arith.AndIOp):
        parts = [_constraints(raiser, side, operands) for side in owner.operands]
        both = [part for part in parts if part is not None]
        return [*both[0], *both[1]] if len(both) == 2 else None
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


def _place_of(
    raiser: FunctionRaiser, op: Operation, space: AffineMap, indices: Sequence[SSAValue]
) -> tuple[AffineMap, list[SSAValue]]:
    """The map of an access and its operands; for a semi-affine one, computed indices."""
    exprs = without_symbols(space)
    if all(expr.is_pure_affine() for expr in exprs):
        operands = [raiser.value(index) for index in indices]
        return AffineMap(len(operands), 0, tuple(exprs)), operands
    values = [raiser.extent(index) for index in indices]
    at = [raiser.index_value(raiser.apply(expr, values, op), op) for expr in exprs]
    return identity(len(at)), at


class RaiseAffineLoad(ConversionPattern[FunctionRaiser]):
    """``affine.load``.

    Requires nothing: an access outside of the memref is undefined before and after raising.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: affine.LoadOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        space, operands = _place_of(raiser, op, op.map.data, op.indices)
        _loaded(raiser, op, raiser.load(raiser.value(op.memref), space, operands, op))


class RaiseMemrefLoad(ConversionPattern[FunctionRaiser]):
    """``memref.load``.

    Requires nothing: an access outside of the memref is undefined before and after raising.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref.LoadOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        at = [raiser.value(index) for index in op.indices]
        _loaded(raiser, op, raiser.load(raiser.value(op.memref), identity(len(at)), at, op))


def _loaded(raiser: FunctionRaiser, op: Operation, value: SSAValue) -> None:
    value.name_hint = op.results[0].name_hint
    raiser.values[op.results[0]] = value


class RaiseAffineStore(ConversionPattern[FunctionRaiser]):
    """``affine.store``.

    Requires nothing: an access outside of the memref is undefined before and after raising.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: affine.StoreOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        if op in raiser.skipped:
            rewriter.erase(op)
            return
        space, operands = _place_of(raiser, op, op.map.data, op.indices)
        raiser.store(raiser.value(op.value), raiser.value(op.memref), space, operands, op)


class RaiseMemrefStore(ConversionPattern[FunctionRaiser]):
    """``memref.store``.

    Requires nothing: an access outside of the memref is undefined before and after raising.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref.StoreOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        if op in raiser.skipped:
            rewriter.erase(op)
            return
        at = [raiser.value(index) for index in op.indices]
        buffer = raiser.value(op.memref)
        raiser.store(raiser.value(op.value), buffer, identity(len(at)), at, op)


class RaiseAffineVectorAccess(ConversionPattern[FunctionRaiser]):
    """``affine.vector_load`` and ``affine.vector_store`` become the accesses of ``vector``.

    Requires a buffer, not a view of one: KC4552.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: affine.VectorLoadOp | affine.VectorStoreOp, rewriter: PatternRewriter, /
    ) -> None:
        raiser = self.conversion
        buffer = raiser.value(op.memref)
        raiser.require_own_buffer(op)
        values = [raiser.extent(index) for index in op.indices]
        exprs = without_symbols(op.map.data)
        at = [raiser.index_value(raiser.apply(expr, values, op), op) for expr in exprs]
        if isinstance(op, affine.VectorStoreOp):
            raiser.emit(vector.StoreOp(raiser.value(op.value), buffer, at), op)
        else:
            load = raiser.emit(vector.LoadOp(buffer, at, cast(Any, op.result.type)), op)
            _loaded(raiser, op, load.results[0])


class DropAffinePrefetch(ConversionPattern[FunctionRaiser]):
    """``affine.prefetch``, which is removed because it computes nothing.

    Requires nothing.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: PrefetchOp, rewriter: PatternRewriter, /) -> None:
        rewriter.erase(op)


class RaiseAffineApply(ConversionPattern[FunctionRaiser]):
    """``affine.apply``.

    Requires nothing: parts that are not affine are computed by ``arith``.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: affine.ApplyOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        (expr,) = without_symbols(op.map.data)
        value = raiser.apply(expr, [raiser.extent(operand) for operand in op.operands], op)
        raiser.values[op.result] = raiser.index_value(value, op)


class RaiseAffineMin(ConversionPattern[FunctionRaiser]):
    """``affine.min``.

    Requires nothing: parts that are not affine are computed by ``arith``.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: affine.MinOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        exprs, operands = without_symbols(op.map.data), raiser.extents(op.arguments)
        extremum = raiser.extreme("min", exprs, operands, op)
        raiser.values[op.result] = raiser.index_value(extremum, op)


class RaiseAffineMax(ConversionPattern[FunctionRaiser]):
    """``affine.max``.

    Requires nothing: parts that are not affine are computed by ``arith``.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MaxOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        exprs, operands = without_symbols(op.map.data), raiser.extents(op.arguments)
        extremum = raiser.extreme("max", exprs, operands, op)
        raiser.values[op.result] = raiser.index_value(extremum, op)


PATTERNS: tuple[type[RewritePattern], ...] = (
    RaiseAffineFor,
    RaiseScfFor,
    RaiseScfWhile,
    RaiseAffineIf,
    RaiseScfIf,
    RaiseIndexSwitch,
    RaiseAffineLoad,
    RaiseMemrefLoad,
    RaiseAffineStore,
    RaiseMemrefStore,
    RaiseAffineVectorAccess,
    DropAffinePrefetch,
    RaiseAffineApply,
    RaiseAffineMin,
    RaiseAffineMax,
)
