"""hoist-if-then-else: branches with loop-invariant conditions move outside of the loop.

Before::

    tir.for %i in 64 {
      tir.for %j in 32 {
        tir.if (%i < %n) {
          tir.store %x, %C[%i, %j] : memref<64x32xf32>
        }
      }
    }

After::

    tir.for %i in 64 {
      tir.if (%i < %n) {
        tir.for %j in 32 {
          tir.store %x, %C[%i, %j] : memref<64x32xf32>
        }
      }
    }

Of the conditions ``%i < %n, %j < %m`` only the first one moves. A loop that contains other
statements becomes two loops, one for each outcome. Such copies have at most
``max_copied_operations`` operations in a function, so that the code does not double with each
condition. ``tir.if`` and ``scf.if`` without results are moved. They stay in thread loops, unless
``support_block_scope_hosting`` is set, and in virtual threads that exchange values. Loops around
blocks are unchanged.

TVM: ``HoistIfThenElse``, ``tir.HoistIfThenElse``.

Requires: blocks were lowered (``lower-blocks``).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from kc.analysis.loop_tree import functions
from kc.transforms.tir.loops._hoisting import Hoisted, hoist


@dataclass(frozen=True)
class HoistIfThenElsePass(ModulePass):
    """Move branches with loop-invariant conditions outside of the loop."""

    name = "hoist-if-then-else"

    support_block_scope_hosting: bool = field(
        default=False,
        metadata={"help": "also move branches out of loops over blocks and threads of a GPU"},
    )
    max_copied_operations: int = field(
        default=1000,
        metadata={"help": "the most operations that copies of loops may add to a function"},
    )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        hoisted = Hoisted(past_threads=self.support_block_scope_hosting)
        for function in functions(op):
            hoist(function, hoisted, self.max_copied_operations)
