"""A pass with an option."""

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from kc.support.diagnostics import ParseError
from kc.support.locations import location_of
from kc_npu.dialect import BarrierOp

DOT = """
func.func @description(%A: memref<16xf32>, %B: memref<16xf32>) {
  tir.for %i in 16 {
    tir.block "B" (spatial %v_i in 16 = %i) do {
      %a = tir.load %A[%v_i] : memref<16xf32>
      %b = arith.addf %a, %a : f32
      tir.store %b, %B[%v_i] : memref<16xf32>
    }
  }
  func.return
}
func.func @implementation(%A: memref<16xf32>, %B: memref<16xf32>) {
  %a = tir.load %A[0] : memref<16xf32>, vector<16xf32>
  %b = arith.addf %a, %a : vector<16xf32>
  tir.store %b, %B[0] : memref<16xf32>, vector<16xf32>
  func.return
}
"""


@dataclass(frozen=True)
class InsertBarriersPass(ModulePass):
    """Start every function with barriers."""

    name = "npu-insert-barriers"

    count: int = field(default=1, metadata={"help": "how many"})

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in op.walk():
            if not isinstance(function, FuncOp):
                continue
            if function.is_declaration:
                raise ParseError(
                    "KC9001",
                    f"npu-insert-barriers: @{function.sym_name.data} has no body",
                    location=location_of(function),
                )
            block = function.body.block
            assert block.first_op is not None
            block.insert_ops_before([BarrierOp() for _ in range(self.count)], block.first_op)
