"""Parallel loops: ``scf.parallel``, ``affine.parallel`` and ``scf.forall``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from math import inf, nan

from xdsl.dialects import affine, arith, scf
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
)
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion.driver import ConversionPattern
from kc.conversion.raise_to_tir.function import FunctionRaiser
from kc.conversion.raise_to_tir.loops import (
    carried,
    loop,
    refused,
    steps,
    without_symbols,
)
from kc.conversion.raise_to_tir.nests import Extent
from kc.conversion.raise_to_tir.shared_tensors import end_sharing, share
from kc.conversion.raise_to_tir.structured import identity
from kc.dialects import tir
from kc.dialects.affine import ParallelOp
from kc.dialects.scf import ForallOp


def _nest(
    raiser: FunctionRaiser,
    op: Operation,
    block: Block,
    bounds: Sequence[tuple[Extent, Extent, Extent]],
) -> None:
    """Build nested loops with a parallel outermost one."""

    def level(n: int, fill: Callable[[Block], None]) -> None:
        if n == len(bounds):
            fill(block)
            return
        low, high, step = bounds[n]
        kind = tir.ForKind.SERIAL if n else tir.ForKind.PARALLEL
        loop(raiser, op, block.args[n], low, high, step, lambda: level(n + 1, fill), kind)

    carried(raiser, op, (), (), lambda fill: level(0, fill))


class RaiseScfParallel(ConversionPattern[FunctionRaiser]):
    """``scf.parallel``. A reduction runs in sequential order, which is one of the permitted orders.

    Requires constant steps of at least 1 (KC4555); a loop with other steps stays.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ParallelOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        extents = steps(raiser, op, op.step)
        static_steps = [step for step in extents if isinstance(step, int)]
        if len(static_steps) != len(extents):
            return
        lows, highs = (
            [raiser.extent(bound) for bound in values] for values in (op.lowerBound, op.upperBound)
        )
        bounds = list(zip(lows, highs, static_steps, strict=True))
        end = op.body.block.last_op
        assert isinstance(end, scf.ReduceOp)

        def combine(n: int, old: SSAValue, value: SSAValue) -> SSAValue:
            block = end.reductions[n].block
            raiser.values[block.args[0]], raiser.values[block.args[1]] = old, value
            last = block.last_op
            assert last is not None
            for inner_op in block.ops:
                if inner_op is not last:
                    raiser.convert_op(inner_op)
            return raiser.value(last.operands[0])

        if op.initVals:
            starts = [raiser.value(value) for value in op.initVals]
            _reduction(raiser, op, op.body.block, bounds, starts, combine)
        else:
            _nest(raiser, op, op.body.block, bounds)


class RaiseAffineParallel(ConversionPattern[FunctionRaiser]):
    """``affine.parallel``.

    Requires reductions by an op that combines two values: KC4555.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: affine.ParallelOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        split = op.lowerBoundsMap.data.num_dims + op.lowerBoundsMap.data.num_symbols

        def side(
            kind: tir.ExtremeKind,
            exprs: Sequence[AffineExpr],
            counts: Iterable[int],
            operands: Sequence[SSAValue],
        ) -> list[Extent]:
            values, parts = raiser.extents(operands), iter(exprs)
            return [
                raiser.extreme(kind, list(islice(parts, count)), values, op) for count in counts
            ]

        lows, highs = map(without_symbols, (op.lowerBoundsMap.data, op.upperBoundsMap.data))
        ends = (
            side("max", lows, map(int, op.lowerBoundsGroups.get_values()), op.map_operands[:split]),
            side(
                "min", highs, map(int, op.upperBoundsGroups.get_values()), op.map_operands[split:]
            ),
        )
        steps = [step.value.data for step in op.steps]
        bounds = list(zip(*ends, steps, strict=True))
        if not op.res:
            _nest(raiser, op, op.body.block, bounds)
            return
        assert isinstance(op, ParallelOp)
        combiners = [_COMBINERS.get(kind) for kind in op.kinds]
        if any(combiner is None for combiner in combiners):
            raise refused(
                op,
                f"{', '.join(op.kinds)}: a reduction combines two values by an op",
                f"one of {', '.join(sorted(_COMBINERS))}",
            )
        starts = [
            _neutral(raiser, op, kind, result.type)
            for kind, result in zip(op.kinds, op.res, strict=True)
        ]

        def combine(n: int, old: SSAValue, value: SSAValue) -> SSAValue:
            combiner = combiners[n]
            assert combiner is not None
            return raiser.emit(combiner(old, value), op).results[0]

        _reduction(raiser, op, op.body.block, bounds, starts, combine)


_COMBINERS: dict[str, Callable[[SSAValue, SSAValue], Operation]] = {
    "addf": arith.AddfOp,
    "addi": arith.AddiOp,
    "andi": arith.AndIOp,
    "maximumf": arith.MaximumfOp,
    "maxnumf": arith.MaxnumfOp,
    "maxs": arith.MaxSIOp,
    "maxu": arith.MaxUIOp,
    "minimumf": arith.MinimumfOp,
    "minnumf": arith.MinnumfOp,
    "mins": arith.MinSIOp,
    "minu": arith.MinUIOp,
    "mulf": arith.MulfOp,
    "muli": arith.MuliOp,
    "ori": arith.OrIOp,
    "xori": arith.XOrIOp,
}


def _neutral(raiser: FunctionRaiser, op: Operation, kind: str, type_: Attribute) -> SSAValue:
    """The neutral element of a reduction."""
    if isinstance(type_, AnyFloat):
        value = {"addf": -0.0, "mulf": 1.0}.get(kind, inf if "min" in kind else -inf)
        attr: Attribute = FloatAttr(nan if kind in ("maxnumf", "minnumf") else value, type_)
    else:
        assert isinstance(type_, IntegerType | IndexType)
        width = type_.width.data if isinstance(type_, IntegerType) else 64
        lowest, ones = 1 << (width - 1), (1 << width) - 1
        bits = {"muli": 1, "andi": ones, "minu": ones, "mins": lowest - 1, "maxs": lowest}
        bits_of_kind = bits.get(kind, 0)
        attr = IntegerAttr(
            bits_of_kind - (1 << width) if width > 1 and bits_of_kind >= lowest else bits_of_kind,
            type_,
        )
    return raiser.emit(arith.ConstantOp(attr), op).results[0]  # pyright: ignore


def _reduction(
    raiser: FunctionRaiser,
    op: Operation,
    block: Block,
    bounds: Sequence[tuple[Extent, Extent, int]],
    starts: Sequence[SSAValue],
    combine: Callable[[int, SSAValue, SSAValue], SSAValue],
) -> None:
    """Build serial loops; each iteration combines a value into every result."""
    places = [
        raiser.alloc(result.name_hint or "reduced", MemRefType(result.type, []), [], op)
        for result in op.results
    ]
    for start, place in zip(starts, places, strict=True):
        raiser.emit(tir.StoreOp(start, place, identity(0), []), op)

    def level(n: int) -> None:
        if n < len(bounds):
            low, high, step = bounds[n]
            loop(raiser, op, block.args[n], low, high, step, lambda: level(n + 1))
            return
        end = block.last_op
        assert end is not None
        for inner_op in block.ops:
            if inner_op is not end:
                raiser.convert_op(inner_op)
        for m, (value, place) in enumerate(zip(end.operands, places, strict=True)):
            old = raiser.emit(tir.LoadOp(place, identity(0), []), end).results[0]
            new = combine(m, old, raiser.value(value))
            raiser.emit(tir.StoreOp(new, place, identity(0), []), end)

    level(0)
    for result, place in zip(op.results, places, strict=True):
        load = raiser.emit(tir.LoadOp(place, identity(0), []), op)
        raiser.values[result] = load.results[0]


class RaiseForall(ConversionPattern[FunctionRaiser]):
    """``scf.forall``: parallel loops that write parts of shared buffers.

    ``mapping`` is a hint that ``bind`` may follow; loops stay loops. Requires steps of at least 1
    (KC4555, or the call checks them).
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ForallOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        block, bounds = op.body.block, []
        for low, high, step in op.bounds():
            low, high, step = (
                bound if isinstance(bound, int) else raiser.extent(bound)
                for bound in (low, high, step)
            )
            if isinstance(step, int) and step < 1:
                raise refused(op, f"its step is {step}", "a step of at least 1")
            raiser.requirements.at_least(step, 1, op, "has a step of at least 1")
            bounds.append((low, high, step))
        args = block.args[op.rank :]
        shared = share(raiser, op, args)
        _nest(raiser, op, block, bounds)
        end_sharing(raiser, op, args, shared)


PATTERNS: tuple[type[RewritePattern], ...] = (
    RaiseScfParallel,
    RaiseAffineParallel,
    RaiseForall,
)
