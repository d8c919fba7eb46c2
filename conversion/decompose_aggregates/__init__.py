"""decompose-aggregates: split ops that stand for several loops into ops of one loop each.

Before::

    %y = linalg.softmax dimension(1) ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> ...

After::

    %m = linalg.generic {...}  // the largest of a row
    %p = linalg.generic {...}  // exp(x - m)
    %s = linalg.generic {...}  // the sum of a row
    %y = linalg.generic {...}  // p / s

Attention becomes products and a softmax. Scans, scatters, sorts and top-k become loops of ``scf``
over copies of the tensors that they change. A scatter writes nothing outside its tensor.
``tensor.gather`` becomes a ``tensor.generate``, and Winograd's transforms products with matrices.
``raise-to-tir`` runs this pass itself.

Legal set: no op of ``tm_tensor``, no ``linalg.softmax``, ``linalg.winograd_*``, ``tensor.gather``
and ``tensor.scatter``. Patterns that plugins add to
``decompose-aggregates`` come before these. (MLIR: ``AggregatedOpInterface``; torch-mlir:
``tm-tensor-to-loops``.)
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import GreedyRewritePatternApplier, PatternRewriteWalker
from xdsl.rewriter import Rewriter

from kc.support.registry import load_patterns


@dataclass(frozen=True)
class DecomposeAggregatesPass(ModulePass):
    """Decompose the ops of tm_tensor, softmax, gathers, scatters and Winograd's transforms."""

    name = "decompose-aggregates"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        converted = {
            function: without_aggregates(function)
            for function in op.body.ops
            if isinstance(function, func.FuncOp)
        }
        for function, new in converted.items():
            if new is not function:
                Rewriter.replace_op(function, new, [])


def without_aggregates(function: func.FuncOp) -> func.FuncOp:
    """A copy of a function with such ops decomposed; the function itself without any."""
    if not any(_is_aggregate(inner) for inner in function.walk()):
        return function
    # Most programs have none.
    from kc.conversion.decompose_aggregates.patterns import PATTERNS

    copy = function.clone()
    copy.location = function.location
    added = [make() for make in load_patterns(DecomposeAggregatesPass.name)]
    patterns = [*added, *(pattern() for pattern in PATTERNS)]
    for region in copy.regions:
        PatternRewriteWalker(GreedyRewritePatternApplier(patterns)).rewrite_region(region)
    return copy


def _is_aggregate(op: Operation) -> bool:
    return op.name in _OTHERS or op.name.startswith(("tm_tensor.", "linalg.winograd_"))


_OTHERS = ("linalg.softmax", "tensor.gather", "tensor.scatter")
