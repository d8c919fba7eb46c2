"""The kernels of a hybrid script: thread loops that share memory of threads are merged.

::

    shared = allocate((16,), "float32", "shared")       %shared = tir.alloc "shared" : ...
    for i in bind("threadIdx.x", 16):                   tir.for %tx in 16 thread "threadIdx.x" {
        shared[i] = a[i]                             ->   tir.for %i in 16 thread "threadIdx.x" {..}
    for i in bind("threadIdx.x", 16):                     tir.for %i in 16 thread "threadIdx.x" {..}
        c[i] = shared[15 - i]                           }

Memory of a block, warp or thread lives as long as its kernel, so a single kernel must contain all
its uses. A loop inside a loop of the same axis is each thread's own iteration
(:mod:`kc.dialects.tir.threads`). TVM's hybrid script puts the whole function into one kernel; here,
loops that share no such memory stay separate launches, which run in order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from xdsl.ir import Block, Operation, Region, SSAValue

from kc.analysis import loop_tree
from kc.dialects.tir import INDEX, AllocOp, ForKind, ForOp
from kc.dialects.tir.threads import BLOCK_AXES, LANE_AXES
from kc.expr.constructors import IterVar
from kc.tir.stmt import Seq

if TYPE_CHECKING:
    from kc.tir.emit import Emitter


@dataclass(eq=False)
class HybridBody(Seq):
    """The statements of a hybrid script."""

    loops: dict[IterVar, ForOp] = field(default_factory=dict, repr=False)
    """The loops of the kernel by their variables, in program order, outer loops first."""

    of_hybrid = True

    def emit(self, emitter: Emitter) -> None:
        super().emit(emitter)
        self.loops = dict(emitter.loops)
        for op in list(emitter.block.walk()):
            if isinstance(op, AllocOp) and loop_tree.memory_scope(op.buffer) != "global":
                _use_in_one_kernel(op)


def _use_in_one_kernel(alloc: AllocOp) -> None:
    """Put all uses of a memory of threads into one kernel."""
    kernels = {_kernel_of(use.operation) for use in alloc.buffer.uses}
    launched = [kernel for kernel in kernels if kernel is not None]
    if not launched or _kernel_of(alloc) is not None:
        return
    if len(kernels) == 1 and _is_launched_once(launched[0], alloc):
        return
    ops = _uses(alloc)
    threads = next(
        (
            loop
            for op in ops
            for loop in loop_tree.preorder(op)
            if isinstance(loop, ForOp) and _is_real(loop) and _is_known(loop.extent_value, ops[0])
        ),
        None,
    )
    block = alloc.parent
    if threads is None or block is None:
        return  # verify-gpu-code reports that the memory is out of scope
    axis = str(threads.axis)
    body = Region(Block(arg_types=[INDEX]))
    kernel = ForOp(axis[0] + axis[-1], threads.extent_value, body, kind=ForKind.THREAD, axis=axis)
    kernel.location = threads.location
    block.insert_op_before(kernel, ops[0])
    for op in ops:
        op.detach()
        body.block.add_op(op)


def _is_real(loop: ForOp) -> bool:
    return loop.axis in BLOCK_AXES or loop.axis in LANE_AXES


def _kernel_of(op: Operation) -> ForOp | None:
    """The outermost loop of blocks or threads around ``op``."""
    around = loop_tree.all_loops_around(op)
    return next((loop for loop in around if _is_real(loop)), None)


def _is_launched_once(kernel: ForOp, alloc: AllocOp) -> bool:
    """True if a kernel runs exactly once for each execution of ``alloc``."""
    return loop_tree.all_loops_around(kernel) == loop_tree.all_loops_around(alloc)


def _uses(alloc: AllocOp) -> Sequence[Operation]:
    """The siblings of ``alloc`` from its first user to the last that uses it or the users' results.
    Computations and allocations among them are hoisted before the first user if possible.
    """
    block = alloc.parent
    assert block is not None
    users = [block.find_ancestor_op_in_block(use.operation) for use in alloc.buffer.uses]
    ops = list(block.ops)
    first = min(ops.index(user) for user in users if user is not None)
    for op in ops[first + 1 :]:
        is_free = isinstance(op, AllocOp) or not loop_tree.has_work(op)
        if is_free and all(_is_known(value, ops[first]) for value in op.operands):
            op.detach()
            block.insert_op_before(op, ops[first])
    places = {op: n for n, op in enumerate(block.ops)}
    at = places[ops[first]]
    last = max(places[user] for user in users if user is not None)
    ops, first = list(block.ops), at
    while at <= last:
        for result in ops[at].results:
            for use in result.uses:
                user = block.find_ancestor_op_in_block(use.operation)
                assert user is not None
                last = max(last, places[user])
        at += 1
    return ops[first : last + 1]


def _is_known(value: int | SSAValue, op: Operation) -> bool:
    """True if ``value`` is defined before ``op``."""
    if isinstance(value, int):
        return True
    block, owner = op.parent, value.owner
    assert block is not None
    if isinstance(owner, Operation) and owner.parent is block:
        return owner.is_before_in_block(op)
    return owner is block or not block.is_ancestor(owner)
