"""``legalize``: replace operators by those that users have registered for them.

Before, with ``relay.op.register_legalize("nn.relu", ...)`` of a function that returns
``relay.maximum(data, relay.const(0.0))``::

    %0 = graph.nn.relu(%x) : (tensor<4xf32>) -> tensor<4xf32>

After::

    %1 = graph.constant dense<0.0> : tensor<f32>
    %0 = graph.maximum(%x, %1) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>

Relay's pass of this name: the table of ``FTVMLegalize``. The functions see the target in
``kc.target.Target.current()``. What they return is not legalized again. kc itself has none, as the
schedules of products choose the instructions of a target for all types of elements. Plugins may add
patterns under the name of the pass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from kc.transforms.graph._rewriting import rewrite_once


@dataclass(frozen=True)
class LegalizePass(ModulePass):
    """Replace operators of graphs by the replacements that users have registered."""

    name = "legalize"
    opt_level: ClassVar[int] = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        rewrite_once(op, self.name, [])
