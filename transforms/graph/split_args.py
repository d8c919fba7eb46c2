"""``split-args``: bound the number of operands of a concatenation.

Before, with ``max_function_args = 2``::

    %0 = graph.concatenate(%a, %b, %c) : ...

After::

    %0 = graph.concatenate(%a, %b) : ...
    %1 = graph.annotation.stop_fusion(%0) : ...
    %2 = graph.concatenate(%1, %c) : ...

Relay's pass of this name, for targets whose kernels take a limited number of arguments. Nothing is
fused across the parts, which would join their arguments again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.dialects.graph.declaration import OperatorOp, call
from kc.support.diagnostics import GraphError
from kc.transforms.graph._rewriting import is_operator, rewrite, tensor_of


@dataclass(frozen=True)
class SplitArgsPass(ModulePass):
    """Bound the number of operands of a concatenation."""

    name = "split-args"
    opt_level: ClassVar[int] = 1

    max_function_args: int = 0
    """The maximum number of operands of an operator; 0 means no limit."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        if self.max_function_args == 1 or self.max_function_args < 0:
            raise GraphError(
                "KC2460",
                f"split-args: max_function_args is {self.max_function_args}",
                why="a concatenation has at least 2 operands; 0 means no limit",
            )
        if self.max_function_args:
            rewrite(op, self.name, [SplitConcatenate(self.max_function_args)])


class SplitConcatenate(RewritePattern):
    """A concatenation of too many parts is one of concatenations."""

    def __init__(self, most: int) -> None:
        self.most = most

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: OperatorOp, rewriter: PatternRewriter, /) -> None:
        parts = list(op.inputs)
        if not is_operator(op, "concatenate") or len(parts) <= self.most:
            return
        if any(tensor_of(part) is None for part in parts):
            return
        attributes = op.operator.attributes()
        new: list[Operation] = []
        while len(parts) > self.most:
            joined: list[SSAValue] = []
            for start in range(0, len(parts), self.most):
                chunk = parts[start : start + self.most]
                if len(chunk) > 1:
                    new.append(call("concatenate", *chunk, **attributes))
                    new.append(call("annotation.stop_fusion", new[-1].results[0]))
                    chunk = [new[-1].results[0]]
                joined += chunk
            parts = joined
        new.append(call("concatenate", *parts, result_type=op.result.type, **attributes))
        rewriter.replace(op, new)
