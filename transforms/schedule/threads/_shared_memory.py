"""The shared memory that the kernels of an unfinished schedule will use."""

from __future__ import annotations

import math
from collections.abc import Iterator

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue

from kc.analysis import loop_tree
from kc.analysis.accesses.regions import BoundIndexValues, Interval, box
from kc.analysis.cost import size_text
from kc.analysis.gpu.shared_memory import buffer_bytes
from kc.analysis.loop_tree import all_loops_around, buffer_name, memory_scope
from kc.dialects.tir import DYNAMIC, AllocOp, ForOp, LoadOp, StoreOp
from kc.support.diagnostics import warn
from kc.support.target import Target
from kc.transforms.schedule.base import CALL_SITE
from kc.transforms.schedule.threads._threads import thread_limits

PRIMITIVES = frozenset(
    {
        "bind",
        "cache-read",
        "cache-write",
        "compute-at",
        "read-at",
        "reverse-compute-at",
        "set-scope",
        "write-at",
    }
)
"""The primitives that increase the shared memory of a kernel, or create a kernel."""


def shared_sizes(function: func.FuncOp) -> dict[SSAValue, int]:
    """The shared buffers that are computed in a kernel, with their future sizes in bytes.

    The size is that of the part that all threads sharing the buffer access. Buffers that are
    computed outside kernels are left out, since their place may change. Sizes that are not
    constants are refused elsewhere (KC3441).
    """
    sizes: dict[SSAValue, int] = {}
    for op in function.walk():
        if isinstance(op, AllocOp) and memory_scope(op.buffer).startswith("shared"):
            size = _size(op.buffer)
            if size is not None:
                sizes[op.buffer] = size
    return sizes


def part_in_kernel(buffer: SSAValue, index: BoundIndexValues) -> list[Interval] | None:
    """The part of a buffer that all threads sharing it access, over the roots of ``index``; None
    outside kernels.
    """
    accesses = [use.operation for use in buffer.uses if isinstance(use.operation, LoadOp | StoreOp)]
    around = [list(all_loops_around(op)) for op in accesses]
    common = (
        [loop for loop in around[0] if all(loop in loops for loops in around)] if around else []
    )
    if not any(loop.axis is not None for loop in common):
        return None
    return box(accesses, common[-1].body.block, index, memory_scope(buffer)) or []


def _size(buffer: SSAValue) -> int | None:
    part = part_in_kernel(buffer, BoundIndexValues())
    if part is None:
        return None
    assert isinstance(buffer.type, MemRefType)
    shape = buffer.type.get_shape()
    sizes = [
        extent if interval.size is None else interval.size
        for interval, extent in zip(part, shape, strict=True)
    ]
    if DYNAMIC in sizes:
        return None
    whole = max(math.prod(shape), 1)
    return math.prod(sizes) * (buffer_bytes(buffer) // whole) if DYNAMIC not in shape else None


def warn_of_shared_memory(
    primitive: str, function: func.FuncOp, target: Target, before: dict[SSAValue, int]
) -> None:
    """Warn (KC3445) if a primitive has raised the shared memory of kernels above the limit."""
    sizes = shared_sizes(function)
    name, limits = thread_limits(target)
    limit = limits["max_shared_memory_per_block"]
    total = sum(sizes.values())
    if total <= limit or total <= sum(before.values()):
        return
    width = max(len(buffer_name(buffer)) for buffer in sizes)
    table = sorted(sizes.items(), key=lambda entry: -entry[1])
    warn(
        "KC3445",
        f"{primitive}: a block of @{function.sym_name.data} would use "
        f"{size_text(total)} of shared memory, {name} allows {size_text(limit)}",
        location=CALL_SITE.get(),
        facts=[f"{buffer_name(buffer):<{width}}  {size_text(size):>10}" for buffer, size in table],
        why="a build of the present schedule is refused (KC3440)",
        hints=list(_hints(table)),
    )


def _hints(table: list[tuple[SSAValue, int]]) -> Iterator[str]:
    yield "split the loops of a block's tile by smaller factors"
    buffer, _ = table[0]
    loop = _inner_loop(buffer)
    if loop is not None:
        yield f"compute_at {buffer_name(buffer)} at {loop.label}, inside the loops of the tile"


def _inner_loop(buffer: SSAValue) -> ForOp | None:
    """The outermost loop without a thread axis that contains all loads and no store of a buffer;
    None if no loop does.
    """
    loads = [use.operation for use in buffer.uses if isinstance(use.operation, LoadOp)]
    stores = [use.operation for use in buffer.uses if isinstance(use.operation, StoreOp)]
    if not loads:
        return None
    for loop in all_loops_around(loads[0]):
        if loop.axis is None and all(loop_tree.is_inside(load, loop) for load in loads):
            if not any(loop_tree.is_inside(store, loop) for store in stores):
                return loop
    return None
