"""``combine-parallel-batch-matmul``: compute batched products of the same matrices as one.

Before, with ``min_num_branches = 2``::

    %0 = graph.nn.batch_matmul(%x, %w) : (tensor<3x4x8xf32>, tensor<3x5x8xf32>) -> ...
    %1 = graph.nn.batch_matmul(%x, %v) : (tensor<3x4x8xf32>, tensor<3x2x8xf32>) -> ...

After::

    %2 = graph.concatenate(%w, %v) <axis = 1> : ...
    %3 = graph.nn.batch_matmul(%x, %2) : (tensor<3x4x8xf32>, tensor<3x7x8xf32>) -> ...
    %0 = graph.strided_slice(%3) <begin = [0], end = [5], axes = [2]> : ...
    %1 = graph.strided_slice(%3) <begin = [5], end = [7], axes = [2]> : ...

Relay's pass of this name. The second matrices differ in the number of columns of the product alone.
Elementwise operators behind all products are combined too. With ``constants_only``, only what
``fold-constant`` concatenates is combined.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass

from kc.dialects.graph.declaration import OperatorOp
from kc.dialects.graph.operators.dense import BatchMatmul
from kc.transforms.graph._building import Builder
from kc.transforms.graph._parallel import Branch, Concatenation
from kc.transforms.graph._rewriting import tensor_of


@dataclass(frozen=True)
class CombineParallelBatchMatmulPass(ModulePass):
    """Merge batched products of the same matrices into one product."""

    name = "combine-parallel-batch-matmul"
    opt_level: ClassVar[int] = 4

    min_num_branches: int = 3
    """The least number of products that are combined."""
    constants_only: bool = False
    """Combine constant matrices alone: those of arguments are concatenated at each call."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        CombineBatchMatmul(self.min_num_branches, self.constants_only).apply(op, self.name)


class CombineBatchMatmul(Concatenation):
    """Batched products with the same attributes."""

    operator = "nn.batch_matmul"

    def kind(self, op: OperatorOp) -> Hashable | None:
        own = op.operator
        weight, result = tensor_of(op.inputs[1]), tensor_of(op.result)
        assert isinstance(own, BatchMatmul)
        if weight is None or result is None or None in weight.shape:
            return None
        if not isinstance(result.shape[2], int):
            return None
        batch, summed = weight.shape[0], weight.shape[2 if own.transpose_b else 1]
        return (batch, summed, weight.dtype, tuple(sorted(own.attributes().items())))

    def result_axis(self, op: OperatorOp) -> int:
        del op
        return 2

    def combined(self, roots: Branch, build: Builder) -> SSAValue:
        own = roots[0].operator
        assert isinstance(own, BatchMatmul)
        weights = [root.inputs[1] for root in roots]
        weight = build("concatenate", *weights, axis=1 if own.transpose_b else 2)
        return build("nn.batch_matmul", roots[0].inputs[0], weight, **own.attributes())
