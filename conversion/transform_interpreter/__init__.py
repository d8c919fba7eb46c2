"""transform-interpreter: run an MLIR transform script on the linalg ops of the module.

Before::

    %0 = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%c : ...) -> ...

    transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
      %m = transform.structured.match ops{["linalg.matmul"]} in %module : ...
      %t, %l:3 = transform.structured.tile_using_for %m tile_sizes [8, 8, 8] : ...
      transform.yield
    }

After::

    %0 = scf.for %i = %c0 to %c64 step %c8 iter_args(%t = %c) -> (tensor<64x64xf32>) {
      ...
        %3 = linalg.matmul ins(%4, %5 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%6 : ...) -> ...

Named ops of linalg stay named on tiles. The script stays in the module. If a step fails, the module
is unchanged. KC3723: kc does not support a step; KC3724: a step cannot be applied to its
operations.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.transform import NamedSequenceOp
from xdsl.passes import ModulePass

from kc.analysis.loop_tree import preorder
from kc.analysis.module_copy import copy_module, take_contents
from kc.conversion.transform_interpreter.steps import Script
from kc.support.diagnostics import ScheduleError, suggest
from kc.support.locations import location_of


@dataclass(frozen=True)
class TransformInterpreterPass(ModulePass):
    """Run an MLIR transform script that the module contains."""

    name = "transform-interpreter"

    entry_point: str = "__transform_main"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        changed = copy_module(op)
        sequences = {
            sequence.sym_name.data: sequence
            for sequence in preorder(changed)
            if isinstance(sequence, NamedSequenceOp)
        }
        entry = sequences.get(self.entry_point)
        if entry is None:
            raise ScheduleError(
                "KC3720",
                f"transform-interpreter: there is no sequence @{self.entry_point}",
                location=location_of(op),
                hints=suggest(self.entry_point, list(sequences), "the sequences are")
                or ["transform.named_sequence @__transform_main(%module: !transform.any_op)"],
            )
        Script(ctx, changed, sequences).perform(entry, [[changed]] if entry.body.block.args else [])
        take_contents(op, changed)
