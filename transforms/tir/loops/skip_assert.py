"""skip-assert: assertions of programs are not checked.

Before::

    tir.if (%0 == 1) {
      tir.call_extern packed "kc.assertion_failed"("program.py:6:9: n is small") : ()
    }

After: nothing. Operations that only the condition used are removed as well.

The caller is then responsible for the asserted conditions: an index whose bounds an assertion
guaranteed may access any memory.

TVM: ``SkipAssert``, enabled by ``tir.disable_assert``.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.transforms.dead_code_elimination import region_dce

from kc.dialects.tir import CallExternOp
from kc.support.global_functions import ASSERTION_FAILED


class EraseAssertion(RewritePattern):
    """Erase a call that reports a failure. Its branch is then empty and dead code."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: CallExternOp, rewriter: PatternRewriter, /) -> None:
        if op.packed and op.label == ASSERTION_FAILED:
            rewriter.erase(op)


@dataclass(frozen=True)
class SkipAssertPass(ModulePass):
    """Leave out the assertions of programs."""

    name = "skip-assert"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        walker = PatternRewriteWalker(EraseAssertion(), apply_recursively=False)
        if walker.rewrite_module(op):
            region_dce(op.body)
