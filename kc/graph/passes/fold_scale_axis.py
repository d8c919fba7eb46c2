"""``fold-scale-axis``: scale weights, at compile time, instead of data and results.

Before::

    %0 = graph.nn.conv2d(%x, %w) : ...
    %1 = graph.multiply(%0, %s) : ...
    %2 = graph.add(%1, %b) : ...

After::

    %0 = graph.nn.conv2d(%x, %w2) : ...            // a constant: %w times %s
    %2 = graph.add(%0, %b) : ...

Relay's pass of this name: ``backward-fold-scale-axis``, ``forward-fold-scale-axis``, and
``fold-constant``. After ``simplify-inference`` it folds ``batch_norm`` into convolutions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from kc.graph.passes.fold_constant import fold_constants, refused_first
from kc.transforms.graph.backward_fold_scale_axis import BackwardFoldScaleAxisPass
from kc.transforms.graph.forward_fold_scale_axis import ForwardFoldScaleAxisPass


@dataclass(frozen=True)
class FoldScaleAxisPass(ModulePass):
    """Scale weights at compile time instead of scaling data and results at run time."""

    name = "fold-scale-axis"
    opt_level: ClassVar[int] = 3

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        def fold(module: ModuleOp) -> None:
            BackwardFoldScaleAxisPass().apply(ctx, module)
            ForwardFoldScaleAxisPass().apply(ctx, module)
            fold_constants(module)

        refused_first(op, fold)
