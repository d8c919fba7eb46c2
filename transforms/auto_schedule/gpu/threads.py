"""What the rules for GPUs share: loops become blocks and threads, and threads copy together."""

from __future__ import annotations

from collections.abc import Sequence

from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.nests import Nest, iterations
from kc.transforms.trace.handles import LoopRV

KINDS = ("cuda", "cuda-emu")
"""The kinds of targets that these rules are for."""

WARP = 32
THREADS = 256
"""Threads of a block where nothing says otherwise: eight warps, so that some compute while others
wait, and a multiprocessor has several such blocks."""

GRID = 128
"""Blocks from which on a GPU is busy: about as many as it has multiprocessors (108 to 148)."""


def power_of_two(number: int) -> int:
    """The least power of two that is at least ``number``."""
    return 1 << max(number - 1, 0).bit_length()


def threads_for(count: int, most: int = THREADS) -> int:
    """Whole warps for ``count`` elements."""
    return max(WARP, min(most, power_of_two(count)))


def fused(draft: Draft, loops: Sequence[LoopRV]) -> LoopRV:
    """One loop of several that follow one another."""
    return draft.fuse(*loops) if len(loops) > 1 else loops[0]


def outer_loop(draft: Draft, block: str) -> LoopRV:
    """The spatial loops of a block as one, outermost; a loop of one iteration if there are none."""
    nest = draft.nest(block)
    handles = draft.loops(block)
    spatial = [handles[loop] for loop in _by_stores(nest)]
    if not spatial:
        inner = handles[nest.loops[0]] if nest.loops else draft.block(block)
        return draft.add_unit_loop(inner)
    draft.put_in_order([*spatial, *(handles[loop] for loop in nest.reduce)])
    return fused(draft, spatial)


def _by_stores(nest: Nest) -> list:
    """The spatial loops, the one along which results are contiguous innermost."""
    stores = nest.stores
    if not stores or not all(store.regular for store in stores):
        return nest.spatial
    return sorted(nest.spatial, key=lambda loop: -abs(stores[0].stride(loop)))


def element_each(draft: Draft, block: str, lanes: int = 1) -> None:
    """A thread has one result of a block, or ``lanes`` that follow one another."""
    count = iterations(draft.nest(block).spatial)
    loop = outer_loop(draft, block)
    threads = threads_for(-(-count // lanes))
    blocks, thread, *vector = draft.split(loop, [None, threads, *([lanes] if lanes > 1 else [])])
    draft.bind(blocks, "blockIdx.x")
    draft.bind(thread, "threadIdx.x")
    for part in vector:
        draft.vectorize(part)


def copy_together(
    draft: Draft, copy: str, outer: int, shape: Sequence[int], lanes: int = 1
) -> None:
    """All threads of a block copy: ``shape`` of them along z, y and x, ``lanes`` elements each."""
    loops = list(draft.loops(copy).values())[outer:]
    sizes = [None, *shape, *([lanes] if lanes > 1 else [])]
    parts = draft.split(fused(draft, loops), sizes)
    for loop, axis in zip(parts[1:], "zyx"[-len(shape) :], strict=False):
        draft.bind(loop, f"threadIdx.{axis}")
    if lanes > 1:
        draft.vectorize(parts[-1])
