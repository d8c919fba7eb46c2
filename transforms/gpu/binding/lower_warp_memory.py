"""lower-warp-memory: the memory of a row of threads becomes part of the memory of its block.

Before::

    tir.for %y in 4 thread "threadIdx.y" {
      tir.for %x in 32 thread "threadIdx.x" {
        %W = tir.alloc "W" : memref<32xf32, "warp">
        tir.store %a, %W[%x] : memref<32xf32, "warp">
        %b = tir.load %W[31 - %x] : memref<32xf32, "warp">
        ...

After::

    tir.for %y in 4 thread "threadIdx.y" {
      tir.for %x in 32 thread "threadIdx.x" {
        %W = tir.alloc "W" : memref<4x32xf32, "shared">
        tir.store %a, %W[%y, %x] : memref<4x32xf32, "shared">
        %b = tir.load %W[%y, 31 - %x] : memref<4x32xf32, "shared">
        ...

Threads along ``threadIdx.x`` share it (``kc.dialects.tir.threads``), so there is one copy for each
value of the other thread indices. The primitives refuse reads of what another warp has written.

Requires: the loops of threads are one nest (``unify-thread-binding``), with none of virtual threads
left (``inject-virtual-thread``).

Raises CodegenError KC4226, with the module unchanged, where the number of rows is not constant, and
for memory that anything but loads and stores uses.

TVM: ``LowerWarpMemory``, which keeps each lane's part in its registers and reads that of others by
shuffles: that needs indices of a form that not all programs have, and this does not.
"""

from __future__ import annotations

import math

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir.affine import AffineExpr
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis import loop_tree
from kc.analysis.loop_tree import memory_scope
from kc.dialects.tir import AllocOp, ForOp, LoadOp, StoreOp
from kc.dialects.tir.threads import LANE_AXES
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of
from kc.transforms.gpu.binding.unify_thread_binding import kernel_roots, launch_loops
from kc.transforms.tir.storage._leading_dimension import copies_of, select_copy

_SHARED = StringAttr("shared")


class LowerWarpMemoryPass(ModulePass):
    """Place the memory of warps in that of blocks."""

    name = "lower-warp-memory"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        plans: list[tuple[AllocOp, list[ForOp]]] = []
        for function in loop_tree.functions(op):
            for root in kernel_roots(function):
                rows = [loop for loop in launch_loops(root) if loop.axis in LANE_AXES[1:]]
                for alloc in root.walk():
                    if isinstance(alloc, AllocOp) and memory_scope(alloc.buffer) == "warp":
                        _require_supported(alloc, rows)
                        plans.append((alloc, rows))
        for alloc, rows in plans:
            _lower(alloc, rows)


def _require_supported(alloc: AllocOp, rows: list[ForOp]) -> None:
    for use in alloc.buffer.uses:
        if not isinstance(use.operation, LoadOp | StoreOp):
            raise CodegenError(
                "KC4226",
                f"lower-warp-memory: {alloc.label} is used by {use.operation.name}",
                location=location_of(use.operation),
                why="memory of warps is loaded and stored alone",
                hints=[f'give {alloc.label} the scope "shared" or "local"'],
            )
    for loop in rows:
        if loop.static_extent is None:
            raise CodegenError(
                "KC4226",
                f"lower-warp-memory: the size of {alloc.label} is not constant",
                location=location_of(alloc),
                why=f"each of the threads of loop {loop.label}, whose number is not constant, has "
                "its own",
                hints=[f"split {loop.label} by a constant factor, and bind that part"],
            )


def _lower(alloc: AllocOp, rows: list[ForOp]) -> None:
    """One copy for each row, in the order of their numbers: the innermost loop varies fastest."""
    extents = [loop.static_extent or 1 for loop in rows]
    number = AffineExpr.constant(0)
    for n, extent in enumerate(extents):
        number = number * extent + AffineExpr.dimension(n)
    new = copies_of(alloc, math.prod(extents), _SHARED)
    for use in list(alloc.buffer.uses):
        assert isinstance(use.operation, LoadOp | StoreOp)
        select_copy(use.operation, number, [loop.var for loop in rows])
    Rewriter.insert_op(new, InsertPoint.before(alloc))
    new.buffer.name_hint = alloc.buffer.name_hint
    alloc.buffer.replace_all_uses_with(new.buffer)
    alloc.detach()
    alloc.erase()
