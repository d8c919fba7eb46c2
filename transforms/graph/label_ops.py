"""``label-ops``: label each kernel of a graph with a hash of what it computes.

Before::

    graph.func private @fused_exp(%x: ...) -> ... attributes {primitive}

After::

    graph.func private @fused_exp(%x: ...) -> ... attributes {primitive, hash = "0123456789abcdef"}

Relay's pass of this name: tuning records and profiles of different models know equal kernels by the
label. Names of the function, of arguments and of values are no part of the hash.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass

from kc.dialects.graph.functions import FuncOp
from kc.transforms.graph._symbols import functions_of


@dataclass(frozen=True)
class LabelOpsPass(ModulePass):
    """Label each kernel of a graph with a hash of its computation."""

    name = "label-ops"
    opt_level: ClassVar[int] = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        for function in functions_of(op).values():
            if "primitive" in function.attributes:
                function.attributes["hash"] = StringAttr(_label(function))


def _label(function: FuncOp) -> str:
    copy = function.clone()
    copy.sym_name = StringAttr("f")
    copy.sym_visibility = None
    copy.arg_attrs = None
    copy.attributes.pop("hash", None)
    for block in copy.body.blocks:
        for argument in block.args:
            argument.name_hint = None
    for op in copy.walk():
        for region in op.regions:
            for argument in region.block.args:
                argument.name_hint = None
        for result in op.results:
            result.name_hint = None
    return hashlib.sha256(str(copy).encode()).hexdigest()[:16]
