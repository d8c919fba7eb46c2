"""Local rewrites of graphs: patterns of a pass, with those that plugins add under its flag."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ModuleOp, UnknownLoc
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriterListener,
    PatternRewriteWalker,
    RewritePattern,
)
from xdsl.transforms.dead_code_elimination import region_dce

from kc.dialects.graph.declaration import OperatorOp
from kc.dialects.graph.types import TensorSpec, spec_of
from kc.support.patterns import PatternSet
from kc.support.registry import load_patterns


def rewrite(module: ModuleOp, flag: str, patterns: Sequence[RewritePattern]) -> None:
    """Apply patterns, and those of plugins for the pass ``flag``, until none applies.

    A new operation gets the location of the one that it replaces. Pure operations that nothing
    uses any more are removed, as an expression of Relay has none.
    """
    located = _Located([*patterns, *(make() for make in load_patterns(flag))])
    PatternRewriteWalker(
        located,
        post_walk_func=region_dce,
        listener=PatternRewriterListener(operation_insertion_handler=[located.locate]),
    ).rewrite_module(module)


def rewrite_once(module: ModuleOp, flag: str, patterns: Sequence[RewritePattern]) -> None:
    """Apply patterns as :func:`rewrite` does, but not to the operations that they make."""
    located = _Located([*(make() for make in load_patterns(flag)), *patterns])
    PatternRewriteWalker(
        located,
        apply_recursively=False,
        post_walk_func=region_dce,
        listener=PatternRewriterListener(operation_insertion_handler=[located.locate]),
    ).rewrite_module(module)


class _Located(RewritePattern):
    def __init__(self, patterns: Sequence[RewritePattern]) -> None:
        self._patterns = PatternSet(patterns)
        self._current: Operation | None = None

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        self._current = op
        for pattern in self._patterns.of(op):
            if rewriter.has_done_action:
                return
            pattern.match_and_rewrite(op, rewriter)

    def locate(self, op: Operation) -> None:
        """Give a new operation its source location."""
        if self._current is not None and isinstance(op.location, UnknownLoc):
            op.location = self._current.location


def is_operator(op: object, *names: str) -> bool:
    """True for an operation of one of these operators."""
    return isinstance(op, OperatorOp) and op.OPERATOR.name in names


def operator_of(value: SSAValue, *names: str) -> OperatorOp | None:
    """The operation that computes a value, if it is of one of these operators."""
    op = value.owner
    return op if isinstance(op, OperatorOp) and op.OPERATOR.name in names else None


def tensor_of(value: SSAValue) -> TensorSpec | None:
    """The shape and the dtype of a value; None if it is no tensor or its type is not known."""
    spec = spec_of(value.type)
    return spec if isinstance(spec, TensorSpec) else None
