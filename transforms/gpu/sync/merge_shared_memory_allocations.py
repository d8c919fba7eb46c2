"""merge-shared-memory-allocations: buffers with disjoint live ranges share the memory of a block.

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

This applies to the dynamic memory of a block: the buffers of scope ``shared.dyn``, and all shared
buffers of a kernel if they exceed the 48 KiB of static memory, which makes them dynamic. Static
buffers, of scope ``shared``, share memory if that saves 1 KiB or more: shared memory may need
barriers, and a GPU allocates memory to blocks in coarse units. ``convert-tir-to-gpu`` places
buffers by the attribute, and ``thread-sync`` orders the accesses of buffers that share memory.
:mod:`kc.analysis.gpu.shared_memory` computes the live ranges.

Requires: kernels have one loop for each axis (``unify-thread-binding``). Raises CodegenError KC3440
for more memory than the target has.

TVM: ``MergeSharedMemoryAllocations``, of static memory with ``tir.merge_static_smem``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp, i64
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass

from kc.analysis import loop_tree
from kc.analysis.gpu.shared_memory import (
    OFFSET,
    STATIC_SHARED_BYTES,
    arrange,
    buffer_bytes,
    rounded,
    share_memory,
)
from kc.analysis.loop_tree import memory_scope
from kc.dialects.tir import AllocOp, ForOp
from kc.support.target import target_of
from kc.transforms.gpu.binding.unify_thread_binding import kernel_roots, launch_loops
from kc.transforms.gpu.binding.verify_gpu_code import gpu_target, require_shared_memory

LEAST_SAVING = 1024
"""The fewest bytes saved for which static buffers share memory."""


@dataclass(frozen=True)
class MergeSharedMemoryAllocationsPass(ModulePass):
    """Place buffers with disjoint live ranges at the same offset in the memory of a block."""

    name = "merge-shared-memory-allocations"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        target = gpu_target(target_of(op))
        plans: list[tuple[AllocOp, int]] = []
        for function in loop_tree.functions(op):
            for root in kernel_roots(function):
                inner = launch_loops(root)[-1]
                dynamic = dynamic_allocs(inner)
                offsets, _ = arrange([alloc.buffer for alloc in dynamic], inner.body.block)
                if offsets:
                    shared = [alloc.buffer for alloc in shared_allocs(inner)]
                    require_shared_memory(function, root, shared, inner.body.block, target)
                static = [alloc for alloc in shared_allocs(inner) if alloc not in dynamic]
                offsets |= _static_offsets(static, inner.body.block)
                plans += [
                    (alloc, offsets[alloc.buffer])
                    for alloc in (*dynamic, *static)
                    if alloc.buffer in offsets
                ]
        for alloc, offset in plans:
            alloc.attributes[OFFSET] = IntegerAttr(offset, i64)


def _static_offsets(allocs: Sequence[AllocOp], body: Block) -> dict[SSAValue, int]:
    """The offsets of the static buffers that share memory."""
    buffers = [alloc.buffer for alloc in allocs if buffer_bytes(alloc.buffer) >= LEAST_SAVING]
    offsets, _ = arrange(buffers, body)
    sharing = [
        buffer
        for buffer in buffers
        if any(share_memory(offsets, buffer, near) for near in buffers if near is not buffer)
    ]
    offsets, total = arrange(sharing, body)
    saved = sum(rounded(buffer_bytes(buffer)) for buffer in sharing) - total
    return offsets if saved >= LEAST_SAVING else {}


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
    """The buffers in the dynamic memory of a block: because of their scope, or because the static
    memory is too small.
    """
    allocs = shared_allocs(inner)
    static = [alloc.buffer for alloc in allocs if memory_scope(alloc.buffer) == "shared"]
    if sum(map(buffer_bytes, static)) > STATIC_SHARED_BYTES:
        return allocs
    return [alloc for alloc in allocs if memory_scope(alloc.buffer) == "shared.dyn"]
