"""lower-warp-memory: memory of a row of threads becomes a part of the shared memory of its block.

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

Threads along ``threadIdx.x`` share this memory (``kc.dialects.tir.threads``), so there is one copy
for each value of the other thread indices. The primitives refuse loads of elements that another
warp has written.

Requires: the loops of threads are one nest (``unify-thread-binding``), and no loop of virtual
threads is left (``inject-virtual-thread``).

Raises CodegenError KC4226, with the module unchanged, if the number of rows is not constant or an
operation other than a load or a store uses the memory.

TVM: ``LowerWarpMemory``, which keeps each lane's part in registers and reads the parts of other
lanes by shuffles. That needs indices of a special form; this pass takes any index.
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
    """Place the memory of warps in the shared memory of blocks."""

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
                why="only loads and stores may use the memory of a warp",
                hints=[f'give {alloc.label} the scope "shared" or "local"'],
            )
    for loop in rows:
        if loop.static_extent is None:
            raise CodegenError(
                "KC4226",
                f"lower-warp-memory: the size of {alloc.label} is not constant",
                location=location_of(alloc),
                why=f"each thread of loop {loop.label} has its own copy, and the number of threads "
                "is not constant",
                hints=[f"split {loop.label} by a constant factor, and bind that part"],
            )


def _lower(alloc: AllocOp, rows: list[ForOp]) -> None:
    """Replace an allocation by an allocation with one copy for each row. The innermost loop varies
    fastest.
    """
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
