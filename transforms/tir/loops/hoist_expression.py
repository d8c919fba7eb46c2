"""hoist-expression: loop-invariant conditions and values are computed in front of the loop.

Before::

    tir.for %i in 64 {
      %c = arith.cmpi slt, %n, %m : index
      %v = scf.if %c -> (f32) {
        %a = tir.load %A[%i] : memref<64xf32>
        scf.yield %a : f32
      } else {
        scf.yield %zero : f32
      }
      tir.store %v, %B[%i] : memref<64xf32>
    }

After::

    %c = arith.cmpi slt, %n, %m : index
    scf.if %c {
      tir.for %i in 64 {
        %a = tir.load %A[%i] : memref<64xf32>
        tir.store %a, %B[%i] : memref<64xf32>
      }
    } else {
      tir.for %i in 64 {
        tir.store %zero, %B[%i] : memref<64xf32>
      }
    }

``hoisted_conditionals`` is a sum: 1 for branches without results (the only ones that
``hoist-if-then-else`` moves), 2 for branches with results, 4 for values of type i1, 8 to move all
of these out of thread loops, too. ``hoisted_let_bindings`` is also a sum: 1 for operands of
conditions, 2 or 4 for all values without effects (tir does not distinguish the two). Operations
that can trap, such as a division whose divisor may be 0, are not moved. The size of the copies of
loops is limited as in ``hoist-if-then-else``.

TVM: ``HoistExpression``, ``tir.HoistExpression``.

Requires: blocks were lowered (``lower-blocks``); loops around blocks stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from kc.analysis.loop_tree import functions
from kc.transforms.tir.loops._hoisting import Hoisted, hoist


@dataclass(frozen=True)
class HoistExpressionPass(ModulePass):
    """Move loop-invariant conditions and values in front of the loop."""

    name = "hoist-expression"

    hoisted_conditionals: int = field(
        default=15,
        metadata={
            "help": "a sum of 1 (branches), 2 (with results), 4 (booleans), 8 (past threads)"
        },
    )
    hoisted_let_bindings: int = field(
        default=1, metadata={"help": "a sum of 1 (operands of conditions), 2 and 4 (all values)"}
    )
    max_copied_operations: int = field(
        default=1000,
        metadata={"help": "the most operations that copies of loops may add to a function"},
    )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        hoisted = Hoisted(
            guards=bool(self.hoisted_conditionals & 1),
            choices=bool(self.hoisted_conditionals & 2),
            booleans=bool(self.hoisted_conditionals & 4),
            past_threads=bool(self.hoisted_conditionals & 8),
            operands=bool(self.hoisted_let_bindings & 1),
            values=bool(self.hoisted_let_bindings & 6),
        )
        for function in functions(op):
            hoist(function, hoisted, self.max_copied_operations)
