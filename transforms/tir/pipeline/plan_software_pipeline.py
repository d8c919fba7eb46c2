"""plan-software-pipeline: group the operations of each statement of a pipelined loop.

Before::

    tir.for %k in 64 annotations {software_pipeline_stage = [0, 1]} {
      tir.for %i in 8 { tir.block "A_local" ... }
      tir.for %i in 8 { tir.for %r in 8 { tir.block "C" ... init ... } }
    }

After::

    tir.for %k in 64 annotations {software_pipeline_stage = [0, 1]} {
      tir.for %statement in 1 annotations {software_pipeline_statement} {
        tir.for %i in 8 { tir.block "A_local" ... }
      }
      tir.for %statement in 1 annotations {software_pipeline_statement} {
        tir.for %i in 8 { tir.for %r in 8 { tir.block "C" ... init ... } }
      }
    }

The annotations of a pipeline number the statements that the loop has at the end of the schedule.
Later passes move initial values in front of reductions, and the combination of lanes behind them. A
loop of one iteration around each statement groups these parts with the statement.
``inject-software-pipeline`` dissolves that loop.

A pipelined loop counts as three statements of a pipelined loop around it: its prologue, its steady
state and its epilogue.

*Legal when*

1. KC4231: the loop is serial, or unrolled.
2. KC4230: the annotations have an entry for each statement.
3. KC4232: stages are integers from 0 up, orders a permutation, asynchronous stages are stages.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from kc.analysis import loop_tree
from kc.dialects.tir import ForOp
from kc.transforms.tir.pipeline._pipeline_notes import (
    STATEMENT,
    Notes,
    is_grouped,
    is_pipelined,
    name_of,
    read_notes,
    statements,
)

PARTS = ("the prologue of", "the steady state of", "the epilogue of")


@dataclass(frozen=True)
class PlanSoftwarePipelinePass(ModulePass):
    """Group the operations of each statement of a pipelined loop."""

    name = "plan-software-pipeline"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        pipelined = [
            loop
            for function in loop_tree.functions(op)
            for loop in loop_tree.loops(function)
            if is_pipelined(loop)
        ]
        for loop in pipelined:
            self.read(loop)
        for loop in pipelined:
            for statement in statements(loop):
                is_used = any(result.first_use is not None for result in statement.results)
                if not is_used and not is_pipelined(statement) and not is_grouped(statement):
                    group([statement], statement)

    def read(self, loop: ForOp) -> Notes:
        """The annotations of a loop in which no pipeline has been injected yet."""
        names: list[str] = []
        for statement in statements(loop):
            if (
                isinstance(statement, ForOp)
                and is_pipelined(statement)
                and self.read(statement).depth
            ):
                names += [f"{part} loop {statement.label}" for part in PARTS]
            else:
                names.append(name_of(statement))
        return read_notes(loop, names, self.name)


def group(ops: Sequence[Operation], place: Operation) -> ForOp:
    """A loop of one iteration around ``ops``, inserted before ``place``."""
    unit = ForOp("statement", 1, annotations={STATEMENT: UnitAttr()})
    unit.location = place.location
    home = place.parent
    assert home is not None
    home.insert_op_before(unit, place)
    for op in ops:
        op.detach()
    unit.body.block.add_ops(ops)
    return unit
