"""merge-shared-memory-allocations: buffers that are not alive together share the memory of a block.

Before::

    tir.for %t in 64 thread "threadIdx.x" {
      %S = tir.alloc "S" : memref<8192xf32, "shared.dyn">
      ... the accesses of %S ...
      %T = tir.alloc "T" : memref<8192xf32, "shared.dyn">
      ... those of %T ...

After::

    tir.for %t in 64 thread "threadIdx.x" {
      %S = tir.alloc "S" {tir.shared_offset = 0 : i64} : memref<8192xf32, "shared.dyn">
      ...
      %T = tir.alloc "T" {tir.shared_offset = 0 : i64} : memref<8192xf32, "shared.dyn">
      ...

That is done for the dynamic memory of a block: the buffers of scope ``shared.dyn``, and all shared
ones of a kernel where they are more than the 48 KiB that a kernel has without asking, which makes
them dynamic. ``convert-tir-to-gpu`` puts them where the attribute says, and ``thread-sync`` knows
which of them share memory. When a buffer is alive is the business of
:mod:`kc.analysis.shared_memory`.

Requires: kernels have one loop for each axis (``unify-thread-binding``). Raises CodegenError KC3440
for more memory than the target has.

TVM: ``MergeSharedMemoryAllocations``.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp, i64
from xdsl.passes import ModulePass

from kc.analysis import loop_tree
from kc.analysis.loop_tree import memory_scope
from kc.analysis.shared_memory import OFFSET, arrange, buffer_bytes
from kc.dialects.tir import AllocOp, ForOp
from kc.support.target import target_of
from kc.transforms.tir.unify_thread_binding import kernel_roots, launch_loops
from kc.transforms.tir.verify_gpu_code import gpu_target, require_shared_memory

STATIC_SHARED_BYTES = 48 * 1024
"""The most shared memory that a kernel may have without asking for it (CUDA C++
Programming Guide)."""


@dataclass(frozen=True)
class MergeSharedMemoryAllocationsPass(ModulePass):
    """Give the buffers in the dynamic memory of a block their places."""

    name = "merge-shared-memory-allocations"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        target = gpu_target(target_of(op))
        plans: list[tuple[AllocOp, int]] = []
        for function in loop_tree.functions(op):
            for root in kernel_roots(function):
                inner = launch_loops(root)[-1]
                allocs = dynamic_allocs(inner)
                offsets, _ = arrange([alloc.buffer for alloc in allocs], inner.body.block)
                if offsets:
                    shared = [alloc.buffer for alloc in shared_allocs(inner)]
                    require_shared_memory(function, root, shared, inner.body.block, target)
                plans += [(alloc, offsets[alloc.buffer]) for alloc in allocs]
        for alloc, offset in plans:
            alloc.attributes[OFFSET] = IntegerAttr(offset, i64)


def shared_allocs(inner: ForOp) -> list[AllocOp]:
    """The shared buffers of constant size in the innermost loop of a launch."""
    return [
        op
        for op in inner.walk()
        if isinstance(op, AllocOp)
        and memory_scope(op.buffer) in ("shared", "shared.dyn")
        and isinstance(op.buffer.type, MemRefType)
        and not op.dynamic_sizes
    ]


def dynamic_allocs(inner: ForOp) -> list[AllocOp]:
    """Those that are in the dynamic memory of a block: by their scope, or by the size of all."""
    allocs = shared_allocs(inner)
    static = [alloc.buffer for alloc in allocs if memory_scope(alloc.buffer) == "shared"]
    if sum(map(buffer_bytes, static)) > STATIC_SHARED_BYTES:
        return allocs
    return [alloc for alloc in allocs if memory_scope(alloc.buffer) == "shared.dyn"]
