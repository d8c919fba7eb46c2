"""``lazy-gradient-init``: leave out arithmetic with zeros and ones.

Before::

    %0 = graph.zeros_like(%x) : ...
    %1 = graph.add(%0, %y) : ...
    %2 = graph.ones_like(%y) : ...
    %3 = graph.multiply(%1, %2) : ...

After::

    %3 = %y

Relay's pass of this name, which follows a gradient: there each tensor becomes a cell that is zero,
one, or a tensor, so that zeros are made where a tensor is needed. Here types tell the same before
anything runs, and the types of values stay. The product of zeros with a value is zeros, as
with Relay's cells, also where the value is infinite or NaN.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.dialects.graph.declaration import OperatorOp
from kc.dialects.graph.values import ConstantOp, LetOp
from kc.transforms.graph._building import Builder
from kc.transforms.graph._rewriting import is_operator, rewrite, tensor_of

MOST_ELEMENTS = 4096
"""Constants of more elements are not looked through."""


@dataclass(frozen=True)
class LazyGradientInitPass(ModulePass):
    """Remove arithmetic with tensors of zeros and ones."""

    name = "lazy-gradient-init"
    opt_level: ClassVar[int] = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        rewrite(op, self.name, [SumWithZeros(), ProductWithNumbers(), OfZeros()])


def filled_with(value: SSAValue) -> float | None:
    """The number that all elements of a value are, 0 or 1; None if that is not known."""
    op = value.owner
    while isinstance(op, LetOp):
        op = op.value.owner
    if is_operator(op, "zeros", "zeros_like"):
        return 0
    if is_operator(op, "ones", "ones_like"):
        return 1
    if isinstance(op, OperatorOp) and op.OPERATOR.name in _FORWARDING:
        return filled_with(op.inputs[0])
    if is_operator(op, "full", "full_like"):
        assert isinstance(op, OperatorOp)
        return filled_with(op.inputs[-1])
    if isinstance(op, ConstantOp) and not op.is_elided and 0 < op.array.size <= MOST_ELEMENTS:
        for number in (0, 1):
            if (op.array == number).all():
                return number
    return None


_FORWARDING = (
    "broadcast_to",
    "broadcast_to_like",
    "copy",
    "expand_dims",
    "reshape",
    "reshape_like",
    "reverse",
    "squeeze",
    "strided_slice",
    "transpose",
)
"""The operators that move elements and make no new ones."""


class SumWithZeros(RewritePattern):
    """``x + 0`` and ``x - 0`` are ``x``, ``0 - x`` is ``-x``, where ``x`` has the result's type."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: OperatorOp, rewriter: PatternRewriter, /) -> None:
        if not is_operator(op, "add", "subtract"):
            return
        left, right = op.inputs
        if filled_with(right) == 0 and left.type == op.result.type:
            rewriter.replace(op, [], [left])
        elif filled_with(left) == 0 and right.type == op.result.type:
            if op.OPERATOR.name == "add":
                rewriter.replace(op, [], [right])
            else:
                rewriter.replace(op, [], [Builder(op, rewriter)("negative", right)])


class ProductWithNumbers(RewritePattern):
    """``x * 1`` and ``x / 1`` are ``x``; ``x * 0`` is zeros, and so is ``0 / x``."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: OperatorOp, rewriter: PatternRewriter, /) -> None:
        if not is_operator(op, "multiply", "divide"):
            return
        left, right = op.inputs
        is_product = op.OPERATOR.name == "multiply"
        if filled_with(right) == 1 and left.type == op.result.type:
            rewriter.replace(op, [], [left])
        elif is_product and filled_with(left) == 1 and right.type == op.result.type:
            rewriter.replace(op, [], [right])
        elif filled_with(left) == 0 or (is_product and filled_with(right) == 0):
            _put_zeros(op, rewriter)


class OfZeros(RewritePattern):
    """Operators whose result is 0 for operands of 0 become zeros: sums, ``negative``, products."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: OperatorOp, rewriter: PatternRewriter, /) -> None:
        if is_operator(op, "sum", "mean", "negative", "collapse_sum_to", "collapse_sum_like"):
            is_zero = filled_with(op.inputs[0]) == 0
        elif is_operator(op, "where"):
            is_zero = all(filled_with(value) == 0 for value in op.inputs[1:])
        elif is_operator(op, "nn.dense", "nn.matmul", "nn.batch_matmul"):
            is_zero = any(filled_with(value) == 0 for value in op.inputs)
        else:
            return
        if is_zero:
            _put_zeros(op, rewriter)


def _put_zeros(op: OperatorOp, rewriter: PatternRewriter) -> None:
    """Replace a tensor of a static shape by zeros."""
    spec = tensor_of(op.result)
    if spec is not None and spec.is_static:
        at = Builder(op, rewriter)
        rewriter.replace(op, [], [at("zeros", shape=spec.shape, dtype=spec.dtype)])
