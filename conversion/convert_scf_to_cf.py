"""convert-scf-to-cf: loops and conditions of scf as branches between blocks, by xDSL's patterns.

Before::

    scf.if %c {
      memref.store %a, %A[%i] : memref<8xf32>
    }

After::

      cf.cond_br %c, ^bb1, ^bb2
    ^bb1:
      memref.store %a, %A[%i] : memref<8xf32>
      cf.br ^bb2
    ^bb2:

Branches need a region of several blocks, which those of ``tir`` and ``linalg`` are not. A module
with such a loop or condition is refused (KC4253), and stays as it is.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.transforms.convert_scf_to_cf import ConvertScfToCf

from kc.analysis.loop_tree import preorder
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of

LOWERED = (scf.ForOp, scf.IfOp, scf.IndexSwitchOp)
"""Operations that become branches; operations inside them may therefore become branches, too."""
BRANCHING = ("func.func", "llvm.func", "gpu.func", "gpu.launch", "scf.execute_region")
"""Operations that may have a region with several blocks."""

_LOWERED_BY = {
    "tir": "lower loops of tir before, by --convert-tir-to-scf",
    "affine": "lower loops of affine before, by --lower-affine",
}


@dataclass(frozen=True)
class ConvertScfToCfPass(ModulePass):
    """Lower loops and conditions of scf to branches."""

    name = "convert-scf-to-cf"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for nested in preorder(op):
            if isinstance(nested, LOWERED):
                _require_blocks_around(nested)
        ConvertScfToCf().apply(ctx, op)


def _require_blocks_around(op: Operation) -> None:
    around = op.parent_op()
    if around is None or isinstance(around, LOWERED) or around.name in BRANCHING:
        return
    raise CodegenError(
        "KC4253",
        f"convert-scf-to-cf: {op.name} is in {around.name}, which has no branches",
        location=location_of(op),
        why="branches go between the blocks of a region, and that region has one block",
        hints=[_LOWERED_BY.get(around.name.partition(".")[0], f"lower {around.name} before")],
    )
