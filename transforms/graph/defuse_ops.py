"""``defuse-ops``: dissolve the groups that ``fuse-ops`` makes.

Before::

    %0 = graph.call @fused_exp_negative(%x) : ...

    graph.func private @fused_exp_negative(%p0: ...) -> ... attributes {primitive}

After::

    %0 = graph.exp(%x) : ...
    %1 = graph.negative(%0) : ...

Relay's pass of this name, the inverse of ``fuse-ops``: the operators and their operands are those
of before; only scalar constants stay copies, one for each use, and the borders that
``annotation.stop_fusion`` drew are gone. A group that another compiler gets stays, as does one
that is used as a value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from kc.dialects.graph.functions import CallOp
from kc.transforms.graph._symbols import functions_of, symbols_in
from kc.transforms.graph.inline import inline_call


@dataclass(frozen=True)
class DefuseOpsPass(ModulePass):
    """Dissolve the groups of operators that ``fuse-ops`` makes."""

    name = "defuse-ops"
    opt_level: ClassVar[int] = 0

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        groups = {
            name: function
            for name, function in functions_of(op).items()
            if "primitive" in function.attributes and "compiler" not in function.attributes
        }
        for call in [each for each in op.walk() if isinstance(each, CallOp)]:
            group = groups.get(call.callee.string_value())
            if group is not None:
                inline_call(call, group)
        used = {symbol for function in functions_of(op).values() for symbol in symbols_in(function)}
        for name, group in groups.items():
            if name not in used:
                group.detach()
                group.erase(safe_erase=False)
