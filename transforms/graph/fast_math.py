"""``fast-math``: compute exp, tanh, erf and softmax by short polynomials.

Before::

    %0 = graph.exp(%x) : (tensor<4xf32>) -> tensor<4xf32>

After::

    %0 = graph.fast_exp(%x) : (tensor<4xf32>) -> tensor<4xf32>

Relay's pass of this name; the one pass here that changes values, by the bounds that the operators
``fast_exp``, ``fast_tanh``, ``fast_erf`` and ``nn.fast_softmax`` document. Only float32 has these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.dialects.graph.declaration import OperatorOp, call
from kc.transforms.graph._rewriting import rewrite, tensor_of

FAST = {
    "exp": "fast_exp",
    "tanh": "fast_tanh",
    "erf": "fast_erf",
    "nn.softmax": "nn.fast_softmax",
}
"""An operator, and the one that computes it fast."""


@dataclass(frozen=True)
class FastMathPass(ModulePass):
    """Approximate exp, tanh, erf and softmax of graphs by short polynomials."""

    name = "fast-math"
    opt_level: ClassVar[int] = 4

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        rewrite(op, self.name, [ComputeFast()])


class ComputeFast(RewritePattern):
    """An operator of float32 becomes its fast form, with the same attributes."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: OperatorOp, rewriter: PatternRewriter, /) -> None:
        fast = FAST.get(op.OPERATOR.name)
        spec = tensor_of(op.result)
        if fast is None or spec is None or spec.dtype != "float32":
            return
        attributes = op.operator.attributes()
        rewriter.replace(op, call(fast, *op.inputs, result_type=op.result.type, **attributes))
