"""``qnn-legalize``: replace quantized operators by those that users have registered for them.

Before, with ``relay.qnn.register_qnn_legalize("qnn.dense", ...)`` of a function that widens the
data of 8 bits to 16::

    %0 = graph.qnn.dense(%x, %w, ...) : (tensor<4x8xsi8>, tensor<5x8xsi8>, ...) -> tensor<4x5xsi32>

After::

    %1 = graph.cast(%x) <dtype = "int16"> : (tensor<4x8xsi8>) -> tensor<4x8xsi16>
    %0 = graph.qnn.dense(%1, %w, ...) : (tensor<4x8xsi16>, tensor<5x8xsi8>, ...) -> tensor<4x5xsi32>

Relay's pass ``relay.qnn.transform.Legalize``, which runs before ``qnn-canonicalize``: the table of
``FTVMQnnLegalize``. :mod:`kc.transforms.graph.legalize` says more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from kc.transforms.graph._rewriting import rewrite_once


@dataclass(frozen=True)
class QnnLegalizePass(ModulePass):
    """Replace quantized operators by the replacements that users have registered."""

    name = "qnn-legalize"
    opt_level: ClassVar[int] = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        rewrite_once(op, self.name, [])
