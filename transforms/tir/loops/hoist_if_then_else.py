"""hoist-if-then-else: branches whose conditions do not change in a loop go around it.

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

Of ``%i < %n, %j < %m`` the first condition goes. Where the loop does something else too, there are
two loops afterwards, one for each case; such copies may have ``max_copied_operations`` operations
in a function, so that code does not double with each condition. ``tir.if`` and ``scf.if`` without
values are moved, out of all loops but those of threads, unless ``support_block_scope_hosting``, and
those in virtual threads that exchange values. Loops around blocks stay as they are.

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
    """Move branches whose conditions do not change in a loop around it."""

    name = "hoist-if-then-else"

    support_block_scope_hosting: bool = field(
        default=False, metadata={"help": "also out of loops of blocks and threads of a GPU"}
    )
    max_copied_operations: int = field(
        default=1000, metadata={"help": "the size of the copies of loops in a function"}
    )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        hoisted = Hoisted(past_threads=self.support_block_scope_hosting)
        for function in functions(op):
            hoist(function, hoisted, self.max_copied_operations)
