"""``combine-parallel-dense``: compute layers of the same data as one.

Before, with ``min_num_branches = 2``::

    %0 = graph.nn.dense(%x, %w) : (tensor<4x8xf32>, tensor<5x8xf32>) -> tensor<4x5xf32>
    %1 = graph.nn.dense(%x, %v) : (tensor<4x8xf32>, tensor<5x8xf32>) -> tensor<4x5xf32>

After::

    %2 = graph.expand_dims(%x) <axis = 0> : (tensor<4x8xf32>) -> tensor<1x4x8xf32>
    %3 = graph.stack(%w, %v) : ...
    %4 = graph.nn.batch_matmul(%2, %3) : (tensor<1x4x8xf32>, tensor<2x5x8xf32>) -> ...
    %0 = graph.squeeze(%5) <axis = [0]> : ...      // of %5, the first slice of %4
    %1 = graph.squeeze(%6) <axis = [0]> : ...

After, with ``to_batch = false``::

    %2 = graph.concatenate(%w, %v) : ...
    %3 = graph.nn.dense(%x, %2) : (tensor<4x8xf32>, tensor<10x8xf32>) -> tensor<4x10xf32>
    %0 = graph.strided_slice(%3) <begin = [0], end = [5], axes = [1]> : ...
    %1 = graph.strided_slice(%3) <begin = [5], end = [10], axes = [1]> : ...

Relay's pass of this name. As a batch, the data has two dimensions and the weights have one shape;
otherwise these may differ in the number of outputs. Elementwise operators behind all layers are
combined too. With ``constants_only``, only what ``fold-constant`` joins is combined.
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
from kc.dialects.graph.operators.dense import Dense
from kc.transforms.graph._building import Builder, tensor_spec
from kc.transforms.graph._parallel import Branch, Combination, Concatenation, are_one
from kc.transforms.graph._rewriting import is_operator, tensor_of


@dataclass(frozen=True)
class CombineParallelDensePass(ModulePass):
    """Merge dense layers of the same data into one layer."""

    name = "combine-parallel-dense"
    opt_level: ClassVar[int] = 4

    min_num_branches: int = 3
    """The least number of layers that are combined."""
    to_batch: bool = True
    """Make a product for each layer, of a batch; not one product of all outputs."""
    constants_only: bool = False
    """Combine constant weights alone: those of arguments are joined at each call."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        combination = StackDense if self.to_batch else ConcatenateDense
        combination(self.min_num_branches, self.constants_only).apply(op, self.name)


class ConcatenateDense(Concatenation):
    """Layers with the same type of elements, as one with all of their outputs."""

    operator = "nn.dense"

    def kind(self, op: OperatorOp) -> Hashable | None:
        own = op.operator
        weight = tensor_of(op.inputs[1])
        assert isinstance(own, Dense)
        if weight is None or not all(isinstance(size, int) for size in weight.shape):
            return None
        return (weight.shape[1], weight.dtype, own.out_dtype)

    def result_axis(self, op: OperatorOp) -> int:
        return tensor_spec(op.result).rank - 1

    def combined(self, roots: Branch, build: Builder) -> SSAValue:
        own = roots[0].operator
        assert isinstance(own, Dense)
        weight = build("concatenate", *[root.inputs[1] for root in roots], axis=0)
        return build("nn.dense", roots[0].inputs[0], weight, out_dtype=own.out_dtype)


class StackDense(Combination):
    """Layers with weights of one shape, as a batch of products."""

    operator = "nn.dense"

    def kind(self, op: OperatorOp) -> Hashable | None:
        own = op.operator
        data, weight = tensor_of(op.inputs[0]), tensor_of(op.inputs[1])
        assert isinstance(own, Dense)
        if data is None or weight is None or data.rank != 2 or None in weight.shape:
            return None
        return (weight.shape, weight.dtype, own.out_dtype)

    def combined(self, roots: Branch, build: Builder) -> SSAValue:
        own = roots[0].operator
        assert isinstance(own, Dense)
        data = build("expand_dims", roots[0].inputs[0], axis=0)
        weight = build("stack", *[root.inputs[1] for root in roots], axis=0)
        return build("nn.batch_matmul", data, weight, out_dtype=own.out_dtype)

    def joint(self, branches: list[Branch], level: int, place: int) -> bool:
        values = [branch[level].inputs[place] for branch in branches]
        specs = [tensor_of(value) for value in values]
        first = specs[0]
        if first is None or None in first.shape or any(spec != first for spec in specs):
            return False
        op = branches[0][level]
        return not is_operator(op, "nn.bias_add") or op.operator.attributes().get("axis", 1) in (
            1,
            -1,
        )

    def joined(self, branches: list[Branch], level: int, place: int, build: Builder) -> SSAValue:
        values = [branch[level].inputs[place] for branch in branches]
        if are_one(values):
            return values[0]
        rank = tensor_spec(values[0]).rank
        whole = build("stack", *values, axis=0)
        return whole if rank == 2 else build("expand_dims", whole, axis=1, num_newaxis=2 - rank)

    def applied(self, op: OperatorOp, operands: list[SSAValue], build: Builder) -> SSAValue:
        if is_operator(op, "nn.bias_add"):  # a bias is along the last dimension already
            return build("add", *operands)
        return super().applied(op, operands, build)

    def part(self, branches: list[Branch], index: int, value: SSAValue, build: Builder) -> SSAValue:
        own = build("strided_slice", value, begin=(index,), end=(index + 1,), axes=(0,))
        return build("squeeze", own, axis=(0,))
