"""``combine-parallel-conv2d``: compute convolutions of the same data as one.

Before, with ``min_num_branches = 2``::

    %0 = graph.nn.conv2d(%x, %w) : (tensor<1x4x5x5xf32>, tensor<8x4x1x1xf32>) -> ...
    %1 = graph.nn.relu(%0) : ...
    %2 = graph.nn.conv2d(%x, %v) : (tensor<1x4x5x5xf32>, tensor<2x4x1x1xf32>) -> ...
    %3 = graph.nn.relu(%2) : ...

After::

    %4 = graph.concatenate(%w, %v) : ...
    %5 = graph.nn.conv2d(%x, %4) : (tensor<1x4x5x5xf32>, tensor<10x4x1x1xf32>) -> ...
    %6 = graph.nn.relu(%5) : ...
    %1 = graph.strided_slice(%6) <begin = [0], end = [8], axes = [1]> : ...
    %3 = graph.strided_slice(%6) <begin = [8], end = [10], axes = [1]> : ...

Relay's pass of this name. The convolutions have the same attributes, one group, and weights that
differ in the number of outputs alone. Elementwise operators behind all of them are combined too,
with their operands concatenated along the channels. With ``constants_only``, only what
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
from kc.dialects.graph.operators.convolution import Conv2D
from kc.transforms.graph._building import Builder
from kc.transforms.graph._parallel import Branch, Concatenation
from kc.transforms.graph._rewriting import tensor_of


@dataclass(frozen=True)
class CombineParallelConv2dPass(ModulePass):
    """Merge convolutions of the same data into one convolution."""

    name = "combine-parallel-conv2d"
    opt_level: ClassVar[int] = 4

    min_num_branches: int = 3
    """The least number of convolutions that are combined."""
    constants_only: bool = False
    """Combine constant weights alone: those of arguments are concatenated at each call."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        CombineConv2D(self.min_num_branches, self.constants_only).apply(op, self.name)


class CombineConv2D(Concatenation):
    """Convolutions of one group, with the same attributes."""

    operator = "nn.conv2d"

    def kind(self, op: OperatorOp) -> Hashable | None:
        own = op.operator
        weight = tensor_of(op.inputs[1])
        assert isinstance(own, Conv2D)
        layouts = (own.data_axes, own.weight_axes, own.result_axes)
        if own.groups != 1 or weight is None or any(layout.is_blocked for layout in layouts):
            return None
        if not all(isinstance(size, int) for size in weight.shape):
            return None
        shape = {letter: own.weight_axes.size(weight.shape, letter) for letter in "IHW"}
        attributes = {**own.attributes(), "channels": None, "kernel_size": None}
        return (tuple(shape.items()), weight.dtype, tuple(sorted(attributes.items())))

    def result_axis(self, op: OperatorOp) -> int:
        own = op.operator
        assert isinstance(own, Conv2D)
        return own.result_axes.position("C")

    def combined(self, roots: Branch, build: Builder) -> SSAValue:
        own = roots[0].operator
        assert isinstance(own, Conv2D)
        weights = [root.inputs[1] for root in roots]
        weight = build("concatenate", *weights, axis=own.weight_axes.position("O"))
        attributes = own.attributes()
        attributes.pop("channels", None)
        return build("nn.conv2d", roots[0].inputs[0], weight, **attributes)
