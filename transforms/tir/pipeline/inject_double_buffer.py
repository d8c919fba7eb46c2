"""inject-double-buffer: a buffer is filled for the next iteration while the current iteration reads
it.

Before::

    tir.for %i in 8 {
      %B = tir.alloc "B" {tir.double_buffer} : memref<16xf32>
      tir.for %j in 16 {
        %a = tir.load %A[%i, %j] : memref<8x16xf32>
        tir.store %a, %B[%j] : memref<16xf32>
      }
      tir.for %j in 16 {
        %b = tir.load %B[%j] : memref<16xf32>
        tir.store %b, %C[%i, %j] : memref<8x16xf32>

After::

    %B = tir.alloc "B" : memref<2x16xf32>
    tir.for %j in 16 {
      %a = tir.load %A[0, %j] : memref<8x16xf32>
      tir.store %a, %B[0, %j] : memref<2x16xf32>
    }
    tir.for %i in 8 {
      tir.if (%i < 7) {
        tir.for %j in 16 {
          %a = tir.load %A[%i + 1, %j] : memref<8x16xf32>
          tir.store %a, %B[(%i + 1) mod 2, %j] : memref<2x16xf32>
        }
      }
      tir.for %j in 16 {
        %b = tir.load %B[%i mod 2, %j] : memref<2x16xf32>
        tir.store %b, %C[%i, %j] : memref<8x16xf32>

The pass applies to the buffers that the primitive ``double_buffer`` marked. If later primitives
made it impossible to fill a buffer one iteration ahead, the buffer stays single, with warning
KC3478.

Requires that no blocks are left (``lower-blocks``), and that buffers have their final place and
size (``compact-buffer-allocation``).

TVM: ``InjectDoubleBuffer``.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ModuleOp,
)
from xdsl.ir import Operation
from xdsl.ir.affine import AffineExpr
from xdsl.passes import ModulePass

from kc.analysis import loop_tree
from kc.dialects.affine_assembly import ZERO
from kc.support.diagnostics import CodegenError, warn
from kc.support.locations import location_of
from kc.transforms.tir.loops._iterations import guarded, iteration_of
from kc.transforms.tir.pipeline._double_buffering import Obstacle, Overlap, plan_overlap
from kc.transforms.tir.storage._leading_dimension import copies_of, select_copy

MARK = "tir.double_buffer"
"""The attribute of a ``tir.alloc`` whose buffer is filled one iteration ahead."""


@dataclass(frozen=True)
class InjectDoubleBufferPass(ModulePass):
    """Fill marked buffers for the next iteration while the current iteration reads them."""

    name = "inject-double-buffer"

    def is_needed(self, module: ModuleOp) -> bool:
        """True if a buffer is marked."""
        return bool(loop_tree.marked_buffers(module, MARK))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in loop_tree.functions(op):
            marked = loop_tree.marked_buffers(function, MARK)
            if marked:
                for block in loop_tree.blocks(function):
                    raise CodegenError(
                        "KC4201",
                        f"inject-double-buffer: block {block.label} is left",
                        location=location_of(block),
                        why="this pass moves iterations of loops, not instances of blocks",
                        hints=["run lower-init-block and lower-blocks first"],
                    )
            for alloc in marked:
                del alloc.attributes[MARK]
                try:
                    overlap = plan_overlap(alloc)
                except Obstacle as obstacle:
                    warn(
                        "KC3478",
                        f"double_buffer of {alloc.label} is not applied: {obstacle.message}",
                        location=location_of(alloc),
                        why=obstacle.why,
                        hints=["apply double_buffer last, when the loops are final"],
                    )
                    continue
                _rewrite(overlap)


def _rewrite(overlap: Overlap) -> None:
    loop = overlap.loop
    _make_double(overlap)
    extent = loop.extent_value
    home = loop.parent
    assert home is not None

    def filling(iteration: AffineExpr) -> list[Operation]:
        return iteration_of(overlap.filling, loop.var, iteration, [loop.var])

    if not isinstance(extent, int):
        has_one = AffineExpr.dimension(0) - 1
        home.insert_op_before(guarded(has_one, [extent], filling(ZERO)), loop)
    elif extent > 0:
        home.insert_ops_before(filling(ZERO), loop)
    if not isinstance(extent, int) or extent > 1:
        if isinstance(extent, int):
            rest, operands = AffineExpr.constant(extent - 2) - AffineExpr.dimension(0), [loop.var]
        else:
            rest = AffineExpr.dimension(1) - AffineExpr.dimension(0) - 2
            operands = [loop.var, extent]
        ahead = guarded(rest, operands, filling(AffineExpr.dimension(0) + 1))
        loop.body.block.insert_op_before(ahead, overlap.fill[-1])
    for op in reversed(overlap.fill):
        op.detach()
        op.erase()
    for op in reversed(overlap.values):
        if all(result.first_use is None for result in op.results):
            op.detach()
            op.erase()


def _make_double(overlap: Overlap) -> None:
    """Allocate a buffer of two halves before the loop. The iteration number selects the half."""
    old, loop = overlap.alloc, overlap.loop
    new = copies_of(old, 2)
    inside = loop_tree.is_inside(old, loop)
    place = loop if inside else old
    home = place.parent
    assert home is not None
    home.insert_op_before(new, place)
    for op in overlap.accesses:
        select_copy(op, AffineExpr.dimension(0) % 2, [loop.var])
    old.buffer.replace_all_uses_with(new.buffer)
    old.detach()
    old.erase()
    overlap.alloc = new
