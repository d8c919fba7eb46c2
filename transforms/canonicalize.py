"""The pass ``canonicalize``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnknownLoc
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriterListener,
    PatternRewriteWalker,
    RewritePattern,
)
from xdsl.traits import HasCanonicalizationPatternsTrait
from xdsl.transforms.dead_code_elimination import region_dce

from kc.support.patterns import PatternSet
from kc.support.registry import load_patterns
from kc.transforms.canonicalization_patterns import arith


@dataclass(frozen=True)
class CanonicalizePass(ModulePass):
    """Simplify operations to a fixpoint, and remove unused ones.

    ::

        tir.for %k in 1 {                        tir.store %v, %A[%i * 2 + 1] : memref<64xf32>
          %a = tir.apply (%i * 2)
          tir.if (%k < 4) {
            tir.store %v, %A[%a + 1 + %k]   ->
          }
        }

    Applies the patterns that operations declare (those of ``tir`` in
    ``transforms/canonicalization_patterns/tir.py``, of ``te`` and of xDSL's dialects), folds
    constants, and applies the patterns that plugins add under ``canonicalize``. Loops of threads,
    annotated loops, and loops that begin a reduction over nothing stay.
    """

    name = "canonicalize"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        pattern = _Located(ctx)
        walker = PatternRewriteWalker(
            pattern,
            post_walk_func=region_dce,
            listener=PatternRewriterListener(operation_insertion_handler=[pattern.locate]),
        )
        walker.rewrite_module(op)


class _Located(RewritePattern):
    """Fold an operation, or else apply the first pattern that matches. A new operation gets the
    location of the operation that it replaces. (xDSL's rewriter leaves new operations without a
    location.)
    """

    def __init__(self, ctx: Context) -> None:
        self._folds = GreedyRewritePatternApplier([], ctx=ctx, folding_enabled=True)
        added = [make() for make in load_patterns("canonicalize")]
        self._more = PatternSet([*arith.PATTERNS, *added])
        self._current: Operation | None = None

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        self._current = op
        self._folds.match_and_rewrite(op, rewriter)
        for pattern in (*_declared(type(op)).of(op), *self._more.of(op)):
            if rewriter.has_done_action:
                return
            pattern.match_and_rewrite(op, rewriter)

    def locate(self, op: Operation) -> None:
        """Give a new operation its source location."""
        if self._current is not None and isinstance(op.location, UnknownLoc):
            op.location = self._current.location


@cache
def _declared(op: type[Operation]) -> PatternSet:
    """The patterns that the traits of an operation declare."""
    traits = (
        op.get_traits_of_type(HasCanonicalizationPatternsTrait) if hasattr(op, "traits") else ()
    )
    return PatternSet(pattern for trait in traits for pattern in trait.get_patterns(op))
