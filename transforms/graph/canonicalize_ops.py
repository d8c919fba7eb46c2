"""``canonicalize-ops``: write operators that are short for others as these.

Before::

    %0 = graph.nn.bias_add(%x, %b) <axis = 1> : (tensor<1x8x4x4xf32>, tensor<8xf32>) -> ...

After::

    %0 = graph.expand_dims(%b) <axis = 1, num_newaxis = 2> : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %1 = graph.add(%x, %0) : (tensor<1x8x4x4xf32>, tensor<8x1x1xf32>) -> ...

Relay's pass of this name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.dialects.graph.declaration import OperatorOp, call
from kc.transforms.graph._rewriting import is_operator, rewrite, tensor_of


@dataclass(frozen=True)
class CanonicalizeOpsPass(ModulePass):
    """Replace operators of graphs by the simpler operators that define them."""

    name = "canonicalize-ops"
    opt_level: ClassVar[int] = 3

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        rewrite(op, self.name, [BiasAddIsAdd()])


class BiasAddIsAdd(RewritePattern):
    """``bias_add`` is ``expand_dims`` and ``add``; no dimensions are added after the last one."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: OperatorOp, rewriter: PatternRewriter, /) -> None:
        if not is_operator(op, "nn.bias_add"):
            return
        data, bias = op.inputs
        spec = tensor_of(data)
        if spec is None or tensor_of(bias) is None:
            return
        axis = op.operator.attributes().get("axis", 1)
        added = spec.rank - 1 - (axis + spec.rank if axis < 0 else axis)
        new: list[OperatorOp] = []
        if added:
            new.append(call("expand_dims", bias, axis=1, num_newaxis=added))
            bias = new[0].result
        new.append(call("add", data, bias, result_type=op.result.type))
        rewriter.replace(op, new)
