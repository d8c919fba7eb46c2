"""``to-basic-block-normal-form``: put each value into the innermost block that has all its uses.

Before::

    %0 = graph.log(%x) : ...
    %1 = graph.if %c -> ... { graph.yield %0 } else { graph.yield %x }

After::

    %1 = graph.if %c -> ... {
      %0 = graph.log(%x) : ...
      graph.yield %0
    } else { graph.yield %x }

Relay's pass of this name. A value that two branches use stays before them, so it is computed once;
one that a single branch uses is computed where that branch is taken. Impure operations stay, and
nothing goes into bodies of loops and of functions, which may run many times. Bindings
(``graph.let``) are dissolved: in SSA a value has a scope without a name.

A value moves when all its uses have, so blocks are walked from their ends; this is no rewrite
pattern.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from kc.transforms.graph._purity import Purity
from kc.transforms.graph._scopes import dissolve_bindings, open_functions, sink
from kc.transforms.graph._symbols import functions_of


@dataclass(frozen=True)
class ToBasicBlockNormalFormPass(ModulePass):
    """Move each value of a graph into the innermost block that contains all its uses."""

    name = "to-basic-block-normal-form"
    opt_level: ClassVar[int] = 1

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        purity = Purity(functions_of(op))
        for function in open_functions(op):
            dissolve_bindings(function)
            sink(function.body.block, purity)
