"""``tir.combine`` replaced by the ops of its combiner."""

from __future__ import annotations

from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from kc.dialects.tir import CombineOp


def inline_combine(op: CombineOp) -> Operation | None:
    """Replace ``op`` by the ops of its combiner; return the next op of the block after the
    replacement.
    """
    following = op.next_op
    ops, results = op.inlined()
    for inlined in ops:
        inlined.location = op.location
    Rewriter.replace_op(op, ops, results)
    return ops[0] if ops else following
