"""A pass with an option."""

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from kc.support.diagnostics import ParseError
from kc.support.locations import location_of
from kc_npu.dialect import BarrierOp

DOT = "func.func @dot(%a: memref<16xf32>, %b: memref<16xf32>, %c: memref<f32>)"


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
