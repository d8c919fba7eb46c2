"""gpu-tensor-cores: products of matrices of halves by tensor cores (``mma.sync`` m16n8k16).

For a product whose sizes are whole fragments: a batch of C[i, j] += A[i, k] * B[k, j], or B[j, k].
A block has a tile of C in the registers of its warps; parts of A and B are copied to swizzled
shared memory, two steps ahead where there are enough (``cp.async``), and taken by ``ldmatrix``.
The tile is the largest that leaves a GPU enough blocks. NVIDIA GPUs from sm_80 on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import MemRefType, bf16, f16, f32, i8, i32
from xdsl.ir import Attribute

from kc.support.nvidia import architecture_of
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.gpu.contraction import Sides, sides_of
from kc.transforms.auto_schedule.gpu.rule import GpuRule
from kc.transforms.auto_schedule.gpu.threads import GRID, WARP, copy_together, fused
from kc.transforms.auto_schedule.nests import Nest, extent, is_untouched, iterations
from kc.transforms.schedule._index_map import IndexMap
from kc.transforms.trace.handles import BlockRV, LoopRV

M, N, K = 16, 8, 16
"""The fragments of an instruction."""

TILES = (128, 64, 32, 16)
"""Rows or columns of C that a block may have."""

DEPTHS = (64, 32, 16)
"""Terms that may be in shared memory at a time."""

STAGES = 3
"""Versions of the tiles in shared memory, where they are copied ahead."""

SHARED = 96 * 1024
"""Bytes of shared memory that a block may take, so that a multiprocessor of sm_80 has one, and one
of sm_90 has two."""


@dataclass(frozen=True)
class Tiling:
    """The product, and the tiles of a block and of a warp."""

    sides: Sides
    types: tuple[str, str]
    """Of A and B, and of C, as PTX calls them."""
    trans: bool
    """Whether B is stored by columns."""
    block: tuple[int, int, int]
    warp: tuple[int, int]

    @property
    def warps(self) -> tuple[int, int]:
        """Down and across."""
        return self.block[0] // self.warp[0], self.block[1] // self.warp[1]


class GpuTensorCores(GpuRule):
    """Multiply matrices of halves by tensor cores."""

    name = "gpu-tensor-cores"

    def schedule(self, draft: Draft, block: str) -> bool:
        nest = draft.nest(block)
        if not nest.block.is_reduction or not is_untouched(nest.block) or len(nest.reduce) != 1:
            return False
        if architecture_of(draft.session.target).number < 80:
            return False
        tiling = next((it for sides in sides_of(nest) if (it := _tiling(nest, sides))), None)
        if tiling is None:
            return False
        _perform(draft, block, tiling)
        draft.settled.add(block)
        return True


_NAMES = {f16: "f16", bf16: "bf16", f32: "f32", i8: "s8", i32: "s32"}


def type_name(type_: Attribute) -> str | None:
    """What PTX calls the elements of an array, if tensor cores multiply or sum them."""
    assert isinstance(type_, MemRefType)
    return _NAMES.get(type_.element_type)


def _tiling(nest: Nest, sides: Sides) -> Tiling | None:
    """The tiles of a product; None for what fragments do not hold."""
    a, b = sides.operands
    (terms,) = nest.reduce
    store = nest.stores[0]
    accesses = (a, b, store)
    if not all(it.regular for it in accesses):
        return None
    element, total = type_name(a.buffer.type), type_name(store.buffer.type)
    if element != type_name(b.buffer.type) or (element, total) not in (
        ("f16", "f32"),
        ("f16", "f16"),
        ("bf16", "f32"),
    ):
        return None
    trans = b.stride(terms) == 1
    if a.stride(terms) != 1 or store.stride(sides.columns) != 1:
        return None
    if not trans and b.stride(sides.columns) != 1:
        return None
    sizes = [it.static_extent for it in (sides.rows, sides.columns, terms)]
    if any(size is None for size in sizes):
        return None
    m, n, k = (size or 0 for size in sizes)
    if m % M or n % M or k % K:
        return None
    further = iterations(it for it in nest.spatial if it not in (sides.rows, sides.columns))
    depth = next(it for it in DEPTHS if k % it == 0)
    choices = [
        (rows, columns)
        for rows in TILES
        for columns in (*TILES, N)
        if m % rows == 0 and n % columns == 0 and _fits(rows, columns, depth)
    ]
    best = max(
        choices,
        default=None,
        key=lambda it: (
            min(m // it[0] * (n // it[1]) * further, GRID),
            it[0] * it[1],
            -abs(it[0] - it[1]),
        ),
    )
    if best is None:
        return None
    rows, columns = best
    tall = 64 if rows * columns > 64 * 64 else 32  # a large tile has eight warps at most
    warp = (min(rows, tall), min(columns, 32))
    assert element is not None
    assert total is not None
    return Tiling(sides, (element, total), trans, (rows, columns, depth), warp)


def _fits(rows: int, columns: int, depth: int) -> bool:
    """Whether the tiles fit in shared memory, and all threads have something to copy."""
    halves = 8
    warps = max(rows // 64, 1) * max(columns // 32, 1)
    return (rows + columns) * depth * 2 * STAGES <= SHARED and (
        min(rows, columns) * depth >= WARP * halves * warps
    )


def swizzle(rank: int, row: int, size: int = 2) -> IndexMap:
    """Pieces of 16 bytes of a row in another order in each of the rows that share banks.

    ``row`` is how many elements of ``size`` bytes it has.
    """
    each = 16 // size
    pieces = min(row // each, 8)
    rows = 8 // pieces

    def map_(*index: Any) -> list[Any]:
        *outer, i, j = index
        return [*outer, i, (j // each ^ i // rows % pieces) * each + j % each]

    return IndexMap.from_func(map_, ndim=rank)


def _perform(draft: Draft, block: str, tiling: Tiling) -> None:
    sides = tiling.sides
    nest = draft.nest(block)
    rows, columns, depth = tiling.block
    warps = tiling.warps
    handles = draft.loops(block)
    batch = [handles[it] for it in nest.spatial if it not in (sides.rows, sides.columns)]
    numbers = [nest.read_number(access.buffer) for access in sides.operands]
    ranks = [len(access.op.indices.data.results) for access in sides.operands]
    splits = {
        sides.rows: [None, warps[0], tiling.warp[0] // M, M],
        sides.columns: [None, warps[1], tiling.warp[1] // N, N],
        nest.reduce[0]: [None, depth // K, K],
    }
    steps = (extent(nest.reduce[0]) or 0) // depth
    by, wy, io, i = draft.split(handles[sides.rows], splits[sides.rows])
    bx, wx, jo, j = draft.split(handles[sides.columns], splits[sides.columns])
    ko, kk, k = draft.split(handles[nest.reduce[0]], splits[nest.reduce[0]])
    draft.reorder(*batch, by, bx, wy, wx, ko, kk, io, jo, i, j, k)
    if batch:
        draft.bind(fused(draft, batch), "blockIdx.z")
    for loop, axis in ((by, "blockIdx.y"), (bx, "blockIdx.x"), (wy, "threadIdx.z")):
        draft.bind(loop, axis)
    draft.bind(wx, "threadIdx.y")
    element, total = tiling.types
    suffix = "_trans" if tiling.trans else ""
    sums = draft.cache_write(draft.block(block), 0, "m16n8k16.matrixC")
    draft.reverse_compute_at(sums, wx)
    tiles = (("A", (M, K), "a"), ("B", (N, K) if tiling.trans else (K, N), f"b{suffix}"))
    for number, rank, (matrix, tile, spelled) in zip(numbers, ranks, tiles, strict=True):
        shared = draft.cache_read(draft.block(block), number, "shared")
        held = draft.cache_read(draft.block(block), number, f"m16n8k16.matrix{matrix}")
        draft.compute_at(held, kk)
        draft.compute_at(shared, ko)
        width = depth if matrix == "A" or tiling.trans else columns
        if width > 8:
            draft.transform_layout(shared, 0, swizzle(rank, width))
        tensorize(draft, held, tile, f"mma_load_m16n8k16_{element}_{spelled}_shared")
        name = draft.session.block(shared).label
        copy_together(draft, name, depth_of(draft, shared, ko), (*warps, WARP), 8)
        draft.settled.add(name)
    zeros = draft.decompose_reduction(draft.block(block), ko)
    zero_loops = list(draft.loops(draft.session.block(zeros).label).values())
    draft.tensorize(zero_loops[-2], f"mma_fill_m16n8k16_{total}")
    draft.tensorize(i, f"mma_sync_m16n8k16_{element}{element}{total}{suffix}")
    tensorize(draft, sums, (M, N), f"mma_store_m16n8k16_{total}_global")
    if steps >= STAGES:
        draft.annotate(ko, "software_pipeline_stage", [0, 0, STAGES - 1])
        draft.annotate(ko, "software_pipeline_async_stages", [0])


def tensorize(draft: Draft, block: BlockRV, tile: tuple[int, int], intrinsic: str) -> None:
    """Let an intrinsic take the tiles of a copy."""
    label = draft.session.block(block).label
    rows, columns = list(draft.loops(label).values())[-2:]
    io, i = draft.split(rows, [None, tile[0]])
    jo, j = draft.split(columns, [None, tile[1]])
    draft.reorder(io, jo, i, j)
    draft.tensorize(i, intrinsic)
    draft.settled.update((label, f"{label}_o"))


def depth_of(draft: Draft, block: BlockRV, loop: LoopRV) -> int:
    """How many loops are around what a block has inside of ``loop``."""
    loops = list(draft.loops(draft.session.block(block).label))
    return loops.index(draft.session.loop(loop)) + 1
