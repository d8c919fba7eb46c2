"""Helpers of the rules for GPUs. They bind loops to blocks and threads, and distribute copies over
threads.
"""

from __future__ import annotations

from collections.abc import Sequence

from kc.dialects.tir import ForOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.nests import Nest, iterations
from kc.transforms.trace.handles import LoopRV

NVIDIA = ("cuda", "cuda-emu")
"""The kinds of targets that have NVIDIA's tensor cores."""
KINDS = (*NVIDIA, "opencl", "metal", "rocm")
"""The kinds of targets to which these rules apply."""

WARP = 32
THREADS = 256
"""The default number of threads of a block: eight warps, so that some compute while others wait,
and a multiprocessor has several such blocks.
"""

AXES = "xyz"
"""The axes of a grid of blocks."""

GRID = 128
"""The number of blocks that occupies a GPU: about its number of multiprocessors (108 to 148)."""


def power_of_two(number: int) -> int:
    """The least power of two that is at least ``number``."""
    return 1 << max(number - 1, 0).bit_length()


def threads_for(count: int, most: int = THREADS) -> int:
    """The number of threads in whole warps for ``count`` elements."""
    return max(WARP, min(most, power_of_two(count)))


def fused(draft: Draft, loops: Sequence[LoopRV]) -> LoopRV:
    """Fuse consecutive loops into one."""
    return draft.fuse(*loops) if len(loops) > 1 else loops[0]


def spatial_loops(draft: Draft, block: str) -> list[LoopRV]:
    """The spatial loops of a block, outermost first; the loop along which results are contiguous is
    the last. A loop of one iteration if the block has no spatial loop.
    """
    nest = draft.nest(block)
    handles = draft.loops(block)
    spatial = [handles[loop] for loop in _by_stores(nest)]
    if not spatial:
        inner = handles[nest.loops[0]] if nest.loops else draft.block(block)
        return [draft.add_unit_loop(inner)]
    draft.put_in_order([*spatial, *(handles[loop] for loop in nest.reduce)])
    return spatial


def _by_stores(nest: Nest) -> list[ForOp]:
    stores = nest.stores
    if not stores or not all(store.regular for store in stores):
        return nest.spatial
    return sorted(nest.spatial, key=lambda loop: -abs(stores[0].stride(loop)))


def as_few(draft: Draft, loops: Sequence[LoopRV]) -> list[LoopRV]:
    """Fuse consecutive loops, except where an inner loop has a symbolic extent: quotients by a
    symbolic extent would not be affine.
    """
    if all(draft.session.loop(loop).static_extent is not None for loop in loops[1:]):
        return [fused(draft, loops)]
    return list(loops)


def to_blocks(draft: Draft, loops: Sequence[LoopRV]) -> LoopRV:
    """Bind consecutive loops to blocks, and return the innermost one. Raises ScheduleError if there
    are more loops than axes of a grid.
    """
    parts = as_few(draft, loops)
    if len(parts) > len(AXES):
        raise ScheduleError("KC3040", f"{len(parts)} loops exceed the {len(AXES)} axes of a grid")
    for loop, axis in zip(reversed(parts), AXES, strict=False):
        draft.bind(loop, f"blockIdx.{axis}")
    return parts[-1]


def element_each(draft: Draft, block: str, lanes: int = 1) -> None:
    """Bind a result of a block, or ``lanes`` consecutive results, to each thread."""
    count = iterations(draft.nest(block).spatial)
    *outer, loop = as_few(draft, spatial_loops(draft, block))
    threads = threads_for(-(-count // lanes))
    blocks, thread, *vector = draft.split(loop, [None, threads, *([lanes] if lanes > 1 else [])])
    # A grid has three axes; each thread runs the remaining loops.
    grid, rest = [*outer[-2:], blocks], outer[:-2]
    if rest:
        draft.reorder(*grid, thread, *rest)
    for part, axis in zip(reversed(grid), AXES, strict=False):
        draft.bind(part, f"blockIdx.{axis}")
    draft.bind(thread, "threadIdx.x")
    for part in vector:
        draft.vectorize(part)


def copy_together(
    draft: Draft, copy: str, outer: int, shape: Sequence[int], lanes: int = 1
) -> None:
    """Copy by all threads of a block, ``lanes`` elements each. ``shape`` gives the numbers of
    threads along z, y and x.
    """
    loops = list(draft.loops(copy).values())[outer:]
    sizes = [None, *shape, *([lanes] if lanes > 1 else [])]
    parts = draft.split(fused(draft, loops), sizes)
    for loop, axis in zip(parts[1:], "zyx"[-len(shape) :], strict=False):
        draft.bind(loop, f"threadIdx.{axis}")
    if lanes > 1:
        draft.vectorize(parts[-1])
