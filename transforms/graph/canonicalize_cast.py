"""``canonicalize-cast``: give each consumer of a widening cast a cast of its own.

Before::

    %0 = graph.cast(%x) <dtype = "float32"> : (tensor<4xsi8>) -> tensor<4xf32>
    %1 = graph.exp(%0) : ...
    %2 = graph.log(%0) : ...

After::

    %0 = graph.cast(%x) <dtype = "float32"> : (tensor<4xsi8>) -> tensor<4xf32>
    %1 = graph.exp(%0) : ...
    %3 = graph.cast(%x) <dtype = "float32"> : (tensor<4xsi8>) -> tensor<4xf32>
    %2 = graph.log(%3) : ...

Relay's pass of this name: the casts are fused into their consumers, so that the narrow values, and
not the wide ones, are stored between kernels. Consumers are elementwise and broadcast operators.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from kc.dialects.graph.declaration import OperatorOp, Pattern
from kc.dialects.graph.types import TensorSpec
from kc.transforms.graph._rewriting import is_operator, rewrite, tensor_of


@dataclass(frozen=True)
class CanonicalizeCastPass(ModulePass):
    """Duplicate each widening cast in a graph for each of its consumers."""

    name = "canonicalize-cast"
    opt_level: ClassVar[int] = 3

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        rewrite(op, self.name, [OneCastEach()])


class OneCastEach(RewritePattern):
    """A widening cast of several consumers is copied for each that it may be fused into. One stays
    for the rest, or for the first."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: OperatorOp, rewriter: PatternRewriter, /) -> None:
        if not is_operator(op, "cast") or not _widens(op):
            return
        block = op.parent_block()
        assert block is not None
        uses = {use.operation for use in op.result.uses}
        users = [each for each in block.walk() if each in uses]
        copied = [each for each in users if _fuses(each)]
        for user in copied if len(copied) < len(users) else copied[1:]:
            copy = op.clone()
            rewriter.insert_op(copy, InsertPoint.before(user))
            for index, operand in enumerate(user.operands):
                if operand is op.result:
                    user.operands[index] = copy.results[0]
            rewriter.handle_operation_modification(user)


def _fuses(user: Operation) -> bool:
    return isinstance(user, OperatorOp) and user.OPERATOR.pattern <= Pattern.BROADCAST


def _widens(op: OperatorOp) -> bool:
    source, target = tensor_of(op.inputs[0]), tensor_of(op.result)
    return source is not None and target is not None and _bits(source) < _bits(target)


def _bits(spec: TensorSpec) -> int:
    element_type = spec.type.element_type
    return int(getattr(element_type, "bitwidth", 0))
