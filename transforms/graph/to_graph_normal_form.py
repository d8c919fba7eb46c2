"""``to-graph-normal-form``: use values for the variables that they are bound to.

Before::

    %0 = graph.log(%x) : ...
    %v = graph.let "v" = %0 : ...
    %1 = graph.add(%v, %v) : ...

After::

    %0 = graph.log(%x) : ...
    %1 = graph.add(%0, %0) : ...

Relay's pass of this name: chains of ``let`` become a graph of dataflow. Each operation stays in
its block, so a value is computed as often as before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from kc.transforms.graph._scopes import dissolve_bindings, open_functions


@dataclass(frozen=True)
class ToGraphNormalFormPass(ModulePass):
    """Replace bound variables of graphs by their values."""

    name = "to-graph-normal-form"
    opt_level: ClassVar[int] = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        for function in open_functions(op):
            dissolve_bindings(function)
