"""force-narrow-index-to-int32: every index is computed in 32 bits, or the module is refused.

Before::

    scf.for %i = %c0 to %c420 step %c1 {
      %q = arith.divui %i, %c7 : index
      %x = memref.load %A[%q] : memref<60xf32>

After::

    scf.for %i = %0 to %1 step %2 : i32 {
      %q = arith.divui %i, %3 : i32
      %4 = arith.index_cast %q : i32 to index
      %x = memref.load %A[%4] : memref<60xf32>

The pass ``narrow-data-type`` leaves indices that may need more bits unchanged; this pass refuses
them. The type ``index`` remains only for the operands of accesses: the distance of an element from
the beginning of an array of more than 2**31 elements is computed when accesses become addresses.
Integers that are data keep their type. TVM: ``ForceNarrowIndexToInt32``.

TVM: ``ForceNarrowIndexToInt32``.

Requires: loops of scf and operations of arith (after ``convert-tir-to-scf``).

Raises CodegenError KC4247 for an index that does not provably fit, and then leaves the module
unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IndexType, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.passes import ModulePass

from kc.analysis.affine.integer_ranges import INDEX_BITS, IntegerRanges, Range, fits, signed
from kc.dialects.gpu import GPUFuncOp
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of
from kc.transforms.narrow_data_type import NARROWED, counted, narrow

BITS = 32


@dataclass(frozen=True)
class ForceNarrowIndexToInt32Pass(ModulePass):
    """Compute every index in 32 bits; refuse a module with an index that may need more."""

    name = "force-narrow-index-to-int32"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        functions = [
            function for function in op.walk() if isinstance(function, func.FuncOp | GPUFuncOp)
        ]
        for function in functions:
            _require_narrow(function)
        for function in functions:
            narrow(function, BITS)


def _require_narrow(function: Operation) -> None:
    ranges = IntegerRanges()
    for op in function.walk():
        if isinstance(op, scf.ForOp):
            if isinstance(op.lb.type, IndexType):
                name = op.body.block.args[0].name_hint
                what = "the loop" if name is None else f"the loop {name}"
                _require(op, f"{what} counts", counted(op, ranges))
        elif isinstance(op, scf.ParallelOp):
            for variable in op.body.block.args[: len(op.lowerBound)]:
                _require(op, "the parallel loop counts", ranges[variable])
        elif op.name in NARROWED or isinstance(op, arith.IndexCastOp):
            for value in (*op.operands, *op.results):
                if isinstance(value.type, IndexType):
                    _require(op, f"{_called(value, op)} is", ranges[value])


def _called(value: SSAValue, op: Operation) -> str:
    name = f" {value.name_hint}" if value.name_hint else ""
    role = "result" if value in op.results else "operand"
    return f"the {role}{name} of {op.name}"


def _require(op: Operation, what: str, range_: Range) -> None:
    if fits(range_, BITS):
        return
    low, high = (
        f"between {range_[0]}" if range_[0] > signed(INDEX_BITS)[0] else "any number",
        f" and {range_[1]}" if range_[1] < signed(INDEX_BITS)[1] - 1 else "",
    )
    if low == "any number":
        interval = low if not high else f"at most {range_[1]}"
    else:
        interval = f"{low}{high}" if high else f"at least {range_[0]}"
    raise CodegenError(
        "KC4247",
        f"force-narrow-index-to-int32: {what} {interval}",
        location=location_of(op),
        why=f"32 bits hold numbers between {signed(BITS)[0]} and {signed(BITS)[1]}",
        hints=["give sizes as constants, or run --narrow-data-type, which leaves such indices"],
    )
