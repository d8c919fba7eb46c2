"""``dead-code-elimination``: remove values that nothing uses.

Before::

    %0 = graph.exp(%x) : ...
    %1 = graph.log(%x) : ...
    graph.return %1

After::

    %1 = graph.log(%x) : ...
    graph.return %1

Relay's pass of this name. Random numbers, and calls of functions that may draw some, stay unless
``ignore_impurity`` is set; so do writes of references. With ``inline_once``, a binding
(``graph.let``) whose variable has one use is dissolved.

Whether a value is used is known when all that follows it is, so blocks are walked from their ends;
this is no rewrite pattern.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block
from xdsl.passes import ModulePass
from xdsl.traits import IsTerminator

from kc.dialects.graph.values import LetOp
from kc.transforms.graph._purity import Purity
from kc.transforms.graph._symbols import functions_of


@dataclass(frozen=True)
class DeadCodeEliminationPass(ModulePass):
    """Remove unused values of graphs."""

    name = "dead-code-elimination"
    opt_level: ClassVar[int] = 1

    inline_once: bool = False
    """Dissolve bindings whose variable has one use."""
    ignore_impurity: bool = False
    """Remove random numbers and calls of impure functions too."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        functions = functions_of(op)
        purity = Purity(functions)
        for function in functions.values():
            self._visit(function.body.block, purity)

    def _visit(self, block: Block, purity: Purity) -> None:
        for op in reversed(list(block.ops)):
            is_used = any(result.first_use is not None for result in op.results)
            if op.has_trait(IsTerminator):
                continue
            if not is_used and (self.ignore_impurity or purity.is_removable(op)):
                op.detach()
                op.erase()
                continue
            for region in op.regions:
                self._visit(region.block, purity)
            if self.inline_once and isinstance(op, LetOp) and op.result.has_one_use():
                op.result.replace_all_uses_with(op.value)
                op.detach()
                op.erase()
