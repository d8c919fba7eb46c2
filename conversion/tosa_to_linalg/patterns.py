"""The patterns of tosa-to-linalg. Importing this module loads the dialect."""

from __future__ import annotations

from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion.tosa_to_linalg import control, data, elementwise, variables, windows
from kc.dialects.tosa import TosaOp

PATTERNS = (
    *control.PATTERNS,
    *elementwise.PATTERNS,
    *windows.PATTERNS,
    *data.PATTERNS,
    *variables.PATTERNS,
)


class EraseShape(RewritePattern):
    """Erase a ``tosa.const_shape`` without uses."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TosaOp, rewriter: PatternRewriter, /) -> None:
        if op.name == "tosa.const_shape" and not op.outputs[0].uses:
            rewriter.erase(op)
