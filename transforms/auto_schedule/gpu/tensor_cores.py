"""gpu-tensor-cores: products of matrices by tensor cores (``mma.sync``).

The rule takes a batch of C[i, j] += A[i, k] * B[k, j], or B[j, k], of any sizes, including sizes
that are only known at a call. Elements are f16 or bf16 (m16n8k16), s8, or from sm_89 on e4m3 or
e5m2 (m16n8k32). Elements in f32 are rounded to tf32 (m16n8k8) if the target allows it (``-tf32``).

A block has a tile of C in the registers of its warps. Parts of A and B are copied to swizzled
shared memory, two steps ahead if there are enough steps (``cp.async``), and loaded by ``ldmatrix``.
An elementwise epilogue is computed with the sums in registers.

Sizes that are not multiples of the tile are padded (``pad_einsum``): a copy to shared memory has
zeros outside the matrix, and lanes store only the elements of a tile that lie in C. The tile is the
largest that leaves a GPU enough blocks. The rule requires an NVIDIA GPU from sm_80 on.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from xdsl.dialects.builtin import (
    FixedBitwidthType,
    MemRefType,
    bf16,
    f8E4M3FN,
    f8E5M2,
    f16,
    f32,
    i8,
    i32,
)
from xdsl.ir import Attribute

from kc.analysis.accesses.dependence import base_buffer
from kc.dialects.nvvm.mma import ADA
from kc.dialects.tir import AllocOp, ForOp
from kc.dialects.tir.views import strides_of
from kc.support.nvidia import architecture_of
from kc.support.target import Target
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.gpu.contraction import Sides, sides_of
from kc.transforms.auto_schedule.gpu.rule import GpuRule
from kc.transforms.auto_schedule.gpu.threads import GRID, NVIDIA, WARP, copy_together, fused
from kc.transforms.auto_schedule.nests import (
    Access,
    Nest,
    extent,
    is_own,
    is_untouched,
    iterations,
    readers,
)
from kc.transforms.schedule._index_map import IndexMap
from kc.transforms.trace.handles import BlockRV, LoopRV

M, N = 16, 8
"""The fragment of C of an instruction."""

STEP_BYTES = 32
"""The bytes of a row of A that an instruction multiplies."""

TILES = (128, 64, 32, 16)
"""Rows or columns of C that a block may have."""

ROW_BYTES = (128, 64, 32)
"""The possible sizes, in bytes, of the part of a row of A in shared memory."""

STAGES = 3
"""The number of versions of the tiles in shared memory, if ``cp.async`` copies them ahead."""

WORK = 4
"""The upper limit of the computed products, as a multiple of the program's, where sizes are padded
to whole tiles. (Tensor cores compute 8 to 16 times as many per clock as other units.)
"""

PART = 1.5
"""The upper limit of the sums of the tiles, as a multiple of the sums of whole fragments, and of
the terms, as a multiple of the program's.
"""

SHARED = 96 * 1024
"""The bytes of shared memory that a block may take, so that one block fits on a multiprocessor of
sm_80, and two on one of sm_90.
"""


@dataclass(frozen=True)
class Tiling:
    """The product, and the tiles of a block and of a warp."""

    sides: Sides
    types: tuple[str, str]
    """The types of A and B, and of C, by the names of PTX."""
    size: int
    """The bytes of an element of A and B."""
    trans: bool
    """True if B is stored by columns."""
    block: tuple[int, int, int]
    warp: tuple[int, int]
    lanes: tuple[int, int]
    """The numbers of elements of A and of B that a thread copies at a time."""

    @property
    def is_ahead(self) -> bool:
        """True if ``cp.async`` may copy an operand: its pieces have at least 4 bytes."""
        return max(self.lanes) * self.size >= 4

    @property
    def k(self) -> int:
        """The number of terms that an instruction multiplies."""
        return STEP_BYTES // self.size

    @property
    def instruction(self) -> str:
        """The shape of the instruction as it appears in the names of intrinsics."""
        return f"m{M}n{N}k{self.k}"

    @property
    def warps(self) -> tuple[int, int]:
        """The number of warps down and across."""
        return self.block[0] // self.warp[0], self.block[1] // self.warp[1]


class GpuTensorCores(GpuRule):
    """Multiply matrices by tensor cores."""

    name = "gpu-tensor-cores"
    kinds = NVIDIA

    def schedule(self, draft: Draft, block: str) -> bool:
        product = product_before(draft, block)
        nest = draft.nest(product or block)
        if not nest.block.is_reduction or not is_untouched(nest.block) or len(nest.reduce) != 1:
            return False
        target = draft.session.target
        if architecture_of(target).number < 80:
            return False
        after = block if product else None
        tilings = (tiling_of(nest, sides, target) for sides in sides_of(nest))
        tiling = next((candidate for candidate in tilings if candidate is not None), None)
        gathers: list[str] = []
        if tiling is None:
            tilings = (tiling_of(nest, sides, target, whole=False) for sides in sides_of(nest))
            tiling = next((candidate for candidate in tilings if candidate is not None), None)
            if tiling is None:
                return False
            padded = pad(draft, nest, tiling.sides, tiling.block, after)
            tiling, after = replace(tiling, sides=padded.sides), padded.after
            gathers = [name for name in padded.copies if name is not None]
        multiply(draft, nest.name, tiling, after, gathers)
        draft.settled.update((nest.name, block))
        return True


@dataclass(frozen=True)
class Padded:
    """A product whose sizes are padded to whole tiles."""

    sides: Sides
    copies: tuple[str | None, ...]
    """The blocks that copy A and B, with zeros in the padding if there is any; None for an operand
    without such a block.
    """
    after: str | None
    """The block that reads the sums within the program's sizes; None if no such block exists."""
    is_cropped: bool
    """True if some sums lie outside the program's sizes, so that no block reads them."""


def pad(
    draft: Draft,
    nest: Nest,
    sides: Sides,
    tile: tuple[int, int, int],
    after: str | None,
    gathers_made: Collection[str] = (),
) -> Padded:
    """Round the sizes of a product up to multiples of the rows, columns and terms of a tile. The
    block that selects an operand (see :func:`gather_of`) becomes a part of the operand's copy.
    """
    order = (sides.rows, sides.columns, *nest.reduce)
    sizes = dict(zip(order, tile, strict=True))
    is_cropped, *are_padded = (
        any(loop in access.strides and not _is_multiple(loop, sizes[loop]) for loop in order)
        for access in (nest.stores[0], *sides.operands)
    )
    places = [nest.loops.index(loop) for loop in (sides.rows, sides.columns)]
    is_first = nest.loads[0] is sides.operands[0]
    gathers = [_gather_for(draft, nest, operand, gathers_made) for operand in sides.operands]
    blocks = draft.pad_einsum(draft.block(nest.name), [sizes.get(loop, 1) for loop in nest.loops])
    labels = iter([draft.session.block(handle).label for handle in blocks])
    pads = [
        next(labels) if is_padded else None
        for is_padded in (are_padded if is_first else are_padded[::-1])
    ]
    copies = gathers.copy()
    for n, copy in enumerate(pads if is_first else pads[::-1]):
        gather = gathers[n]
        if copy is not None:
            copies[n] = copy
            if gather is not None:
                draft.compute_inline(draft.block(gather))
    if is_cropped and after is not None:
        draft.compute_inline(draft.block(next(labels)))
    elif is_cropped:
        after = next(labels)
    padded = draft.nest(nest.name)
    rows, columns = (padded.loops[place] for place in places)
    sides = next(
        candidate
        for candidate in sides_of(padded)
        if (candidate.rows, candidate.columns) == (rows, columns)
    )
    return Padded(sides, tuple(copies), after, is_cropped)


def _gather_for(draft: Draft, nest: Nest, access: Access, labels: Collection[str]) -> str | None:
    """The block that selects an operand of a product. It is a new block if the product reads the
    operand at indices other than its variables.
    """
    gather = gather_of(draft, access, labels)
    if gather is not None:
        return gather.name
    if access.affine:
        return None
    number = draft.nest(nest.name).read_number(access.buffer)
    block = draft.reindex(draft.block(nest.name), ("read", number))
    # The dimensions of the copy are in the order of the loops; restore the order of the operand.
    loops = [loop for loop in nest.loops if loop in access.strides]
    order = sorted(range(len(loops)), key=lambda n: -access.stride(loops[n]))
    map_ = IndexMap.from_func(lambda *index: [index[n] for n in order], ndim=len(loops))
    draft.transform_layout(block, ("write", 0), map_)
    draft.transform_block_layout(block, map_)
    label = draft.session.block(block).label
    draft.settled.add(label)
    return label


def _is_multiple(loop: ForOp, size: int) -> bool:
    return loop.static_extent is not None and loop.static_extent % size == 0


def product_before(draft: Draft, block: str) -> str | None:
    """The product that precedes an elementwise block; None if there is none. The block has one
    iteration for each sum, in the same loops, and is the only reader of the sums.
    """
    after = draft.nest(block)
    if after.reduce or not after.is_plain or len(after.stores) != 1:
        return None
    if not is_untouched(after.block) or after.name in draft.begun:
        return None
    if any(op.regions for op in after.body_ops):
        return None  # the loops over fragments cannot contain branches
    for access in after.loads:
        if not isinstance(access.buffer.owner, AllocOp):
            continue
        users = {
            inner.label
            for inner in draft.blocks()
            for op in inner.walk()
            if any(base_buffer(value) is access.buffer for value in op.operands)
        }
        makers = [name for name in users - {block} if draft.nest(name).block.is_reduction]
        if len(users) != 2 or len(makers) != 1 or makers[0] in draft.begun | draft.settled:
            continue
        product = draft.nest(makers[0])
        if len(product.stores) == 1 and _is_alike(product, after, access):
            return makers[0]
    return None


def _is_alike(product: Nest, after: Nest, access: Access) -> bool:
    """True if a block has one iteration for each sum of a product, in the same loops."""
    reads = [load for load in after.loads if load.buffer is access.buffer]
    return (
        access.affine
        and len(reads) == 1
        and len(product.spatial) == len(after.spatial)
        and all(
            extent(mine) == extent(its) and access.stride(mine) == product.stores[0].stride(its)
            for mine, its in zip(after.spatial, product.spatial, strict=True)
        )
    )


_NAMES = {
    f16: "f16",
    bf16: "bf16",
    f32: "f32",
    f8E4M3FN: "e4m3",
    f8E5M2: "e5m2",
    i8: "s8",
    i32: "s32",
}
_PRODUCTS = (
    ("f16", "f32"),
    ("f16", "f16"),
    ("bf16", "f32"),
    ("s8", "s32"),
    ("e4m3", "f32"),
    ("e5m2", "f32"),
    ("tf32", "f32"),
)


def type_name(type_: Attribute) -> str | None:
    """The name in PTX of the element type of an array; None if tensor cores have no instruction for
    the type.
    """
    assert isinstance(type_, MemRefType)
    return _NAMES.get(type_.element_type)


def size_of(type_: Attribute) -> int:
    """The bytes of an element of an array."""
    assert isinstance(type_, MemRefType)
    element = type_.element_type
    assert isinstance(element, FixedBitwidthType)
    return element.bitwidth // 8


def is_multiplied(types: tuple[str | None, str | None], target: Target) -> bool:
    """True if ``mma.sync`` multiplies elements of these types on this GPU."""
    if types not in _PRODUCTS:
        return False
    if types[0] in ("e4m3", "e5m2"):
        arch = architecture_of(target)
        return ADA.is_met(arch.number, arch.ptx, arch.is_specific)
    return types[0] != "tf32" or bool(target.attrs.get("tf32"))


def tiling_of(nest: Nest, sides: Sides, target: Target, *, whole: bool = True) -> Tiling | None:
    """The tiles of a product; None if fragments cannot hold it. Unless its tiles must be ``whole``,
    its sizes are padded.
    """
    a, b = sides.operands
    (terms,) = nest.reduce
    store = nest.stores[0]
    if not are_matrices(sides, terms, store):
        return None
    element, total = type_name(a.buffer.type), type_name(store.buffer.type)
    if element != type_name(b.buffer.type):
        return None
    if element == "f32":
        element = "tf32"
    if element is None or total is None or not is_multiplied((element, total), target):
        return None
    size = size_of(a.buffer.type)
    trans = b.stride(terms) == 1
    if a.stride(terms) != 1 or store.stride(sides.columns) != 1:
        return None
    if not trans and b.stride(sides.columns) != 1:
        return None
    loops = (sides.rows, sides.columns, terms)
    m, n, k = map(extent, loops)
    step = STEP_BYTES // size
    if whole and not all(map(_is_multiple, loops, (M, M, step))):
        return None
    further = iterations(loop for loop in nest.spatial if loop not in (sides.rows, sides.columns))
    choices = [
        (rows, columns, depth)
        for depth in depths_of(k, size, whole=whole)
        for rows in TILES
        for columns in (*TILES, N)
        if are_tiles((m, n, k), (rows, columns, depth), (M, N, step), whole=whole)
        and (trans or columns * size % 16 == 0)
        and _fits(rows, columns, depth, size)
    ]
    best = max(
        choices,
        default=None,
        key=lambda tile: (
            is_tight(k, tile[2]),
            min(-(-m // tile[0]) * -(-n // tile[1]) * further, GRID),
            tile[0] * tile[1],
            -abs(tile[0] - tile[1]),
            tile[2],
        ),
    )
    if best is None:
        return None
    rows, columns, depth = best
    tall = 64 if rows * columns > 64 * 64 else 32  # a large tile has eight warps at most
    warp = (min(rows, tall), min(columns, 32))
    lanes = (lanes_of(a, terms, size), lanes_of(b, terms if trans else sides.columns, size))
    return Tiling(sides, (element, total), size, trans, (rows, columns, depth), warp, lanes)


def are_matrices(sides: Sides, terms: ForOp, store: Access) -> bool:
    """True if rows, columns and terms have constant strides in all operands. The index of a matrix
    in a batch may be any function, as for keys that several queries share.
    """
    loops = {sides.rows, sides.columns, terms}
    return store.affine and not any(
        loops & (operand.irregular | operand.divided) for operand in sides.operands
    )


def depths_of(k: int, size: int, *, whole: bool) -> list[int]:
    """The numbers of terms that may be in shared memory at a time, in descending order. With
    ``whole``, only the largest that divides ``k``.
    """
    depths = [row_bytes // size for row_bytes in ROW_BYTES]
    return [depth for depth in depths if k % depth == 0][:1] if whole else depths


def is_tight(k: int, depth: int) -> bool:
    """True if the terms of whole steps exceed the terms of the program only slightly."""
    return _padded(k, depth) <= PART * k


def are_tiles(
    sizes: tuple[int, int, int],
    tile: tuple[int, int, int],
    least: tuple[int, int, int],
    *,
    whole: bool,
) -> bool:
    """True if a product consists of ``whole`` tiles or, otherwise, of at most a little more than
    the ``least`` tiles.
    """
    padded = [_padded(size, by) for size, by in zip(sizes, tile, strict=True)]
    if whole:
        return padded == list(sizes)
    rows, columns, _ = (_padded(size, by) for size, by in zip(sizes, least, strict=True))
    if padded[0] * padded[1] > PART * rows * columns:
        return False
    return math.prod(padded) <= WORK * math.prod(sizes)


def _padded(size: int, tile: int) -> int:
    return -(-size // tile) * tile


def lanes_of(access: Access, along: ForOp, size: int) -> int:
    """The number of adjacent elements along a loop that a thread copies, of 16 bytes at most. They
    begin at a multiple of their size, and all lie inside the array or all outside.
    """
    assert isinstance(access.buffer.type, MemRefType)
    *outer, last = strides_of(access.buffer.type)
    if last != 1 or along.static_extent is None or None in outer:
        return 1
    return math.gcd(16 // size, along.static_extent, *(stride or 0 for stride in outer))


def is_gathered_for_tensor_cores(draft: Draft, gather: Nest) -> bool:
    """True if a block selects parts of an array for a product by tensor cores, so that the block
    becomes the copy to shared memory. Such a product is a grouped product, whose matrices are
    chosen by indices in memory.
    """
    users = [
        reader for reader in readers(gather.stores[0].buffer) or () if reader is not gather.block
    ]
    target = draft.session.target
    if len(users) != 1 or architecture_of(target).number < 80 or not _is_gather(gather):
        return False
    nest = draft.nest(users[0].label)
    return (
        is_untouched(nest.block)
        and len(nest.reduce) == 1
        and any(
            tiling_of(nest, sides, target, whole=whole) is not None
            for sides in sides_of(nest)
            for whole in (True, False)
        )
    )


def is_operand_for_tensor_cores(draft: Draft, nest: Nest) -> bool:
    """True if a block rounds the sums of a product to the operand type of the next product by
    tensor cores. The block then runs once, on the registers of those sums.
    """
    if draft.session.target.kind not in NVIDIA or nest.reduce or len(nest.stores) != 1:
        return False
    users = [reader for reader in readers(nest.stores[0].buffer) or () if reader is not nest.block]
    sums = {
        store.buffer
        for block in draft.blocks()
        if block.is_reduction
        for store in draft.nest(block.label).stores
    }
    is_rounded = any(load.buffer in sums for load in nest.loads)
    return is_rounded and len(users) == 1 and is_for_tensor_cores(draft, draft.nest(users[0].label))


def is_for_tensor_cores(draft: Draft, nest: Nest) -> bool:
    """True if a block is a product that tensor cores multiply on this GPU."""
    target = draft.session.target
    return (
        target.kind in NVIDIA
        and architecture_of(target).number >= 80
        and is_untouched(nest.block)
        and len(nest.reduce) == 1
        and any(tiling_of(nest, sides, target) is not None for sides in sides_of(nest))
    )


def _is_gather(nest: Nest) -> bool:
    return not nest.operations and not nest.reduce and any(not load.affine for load in nest.loads)


def gather_of(draft: Draft, access: Access, labels: Collection[str] = ()) -> Nest | None:
    """The block that selects an operand of a product, if it only gathers elements or is in
    ``labels``; None if there is no such block.
    """
    if not is_own(access.buffer):
        return None
    for block in draft.blocks():
        nest = draft.nest(block.label)
        if [store.buffer for store in nest.stores] == [access.buffer] and is_untouched(block):
            return nest if block.label in labels or _is_gather(nest) else None
    return None


def _fits(rows: int, columns: int, depth: int, size: int) -> bool:
    """True if the tiles fit in shared memory, and each thread has elements to copy."""
    warps = max(rows // 64, 1) * max(columns // 32, 1)
    return (rows + columns) * depth * size * STAGES <= SHARED and (
        min(rows, columns) * depth * size >= WARP * 16 * warps
    )


def swizzle(rank: int, row: int, size: int = 2) -> IndexMap:
    """Permute the 16-byte pieces of each of the rows that share banks. A row has ``row`` elements
    of ``size`` bytes.
    """
    each = 16 // size
    pieces = min(row // each, 8)
    rows = 8 // pieces

    def map_(*index: Any) -> list[Any]:
        *outer, i, j = index
        return [*outer, i, (j // each ^ i // rows % pieces) * each + j % each]

    return IndexMap.from_func(map_, ndim=rank)


def multiply(
    draft: Draft,
    block: str,
    tiling: Tiling,
    after: str | None = None,
    gathers: Collection[str] = (),
) -> None:
    """Tile a product. ``after``, a block that reads the sums element by element in the same loops,
    runs on the sums in registers. ``gathers`` are the blocks that copy operands of ``after`` to
    shared memory.
    """
    sides = tiling.sides
    nest = draft.nest(block)
    rows, columns, depth = tiling.block
    warps = tiling.warps
    handles = draft.loops(block)
    if after is not None:  # its loops are tiled, and the product moves into them
        handles |= dict(zip(nest.spatial, draft.loops(after).values(), strict=True))
    batch = [handles[loop] for loop in nest.spatial if loop not in (sides.rows, sides.columns)]
    numbers = [nest.read_number(access.buffer) for access in sides.operands]
    ranks = [len(access.op.indices.data.results) for access in sides.operands]
    steps = (extent(nest.reduce[0]) or 0) // depth
    tall, wide = tiling.warp
    by, wy, row = draft.split(handles[sides.rows], [None, warps[0], tall])
    bx, wx, column = draft.split(handles[sides.columns], [None, warps[1], wide])
    draft.reorder(*batch, by, bx, wy, wx, row, column)
    if batch:
        draft.bind(fused(draft, batch), "blockIdx.z")
    for loop, axis in ((by, "blockIdx.y"), (bx, "blockIdx.x"), (wy, "threadIdx.z")):
        draft.bind(loop, axis)
    draft.bind(wx, "threadIdx.y")
    element, total = tiling.types
    suffix = "_trans" if tiling.trans else ""
    shape = tiling.instruction
    if after is None:
        terms = handles[nest.reduce[0]]
        sums = draft.cache_write(draft.block(block), 0, f"{shape}.matrixC")
        draft.reverse_compute_at(sums, wx)
        tensorize(draft, sums, (M, N), f"mma_store_{shape}_{total}_global")
    else:
        draft.set_scope(draft.block(block), 0, f"{shape}.matrixC")
        draft.compute_at(draft.block(block), wx)
        *_, row, column, terms = draft.loops(block).values()
        draft.settled.add(after)
    io, i = draft.split(row, [None, M])
    jo, j = draft.split(column, [None, N])
    ko, kk, k = draft.split(terms, [None, depth // tiling.k, tiling.k])
    draft.reorder(ko, kk, io, jo, i, j, k)
    k_by_n = (N, tiling.k) if tiling.trans else (tiling.k, N)
    tiles = (("A", (M, tiling.k), "a"), ("B", k_by_n, f"b{suffix}"))
    for access, number, rank, lanes, (matrix, tile, spelled) in zip(
        sides.operands, numbers, ranks, tiling.lanes, tiles, strict=True
    ):
        gather = gather_of(draft, access, gathers)
        if gather is None:
            shared = draft.cache_read(draft.block(block), number, "shared")
        else:
            shared = draft.block(gather.name)
            draft.set_scope(shared, 0, "shared")
        held = draft.cache_read(draft.block(block), number, f"{shape}.matrix{matrix}")
        draft.compute_at(held, kk)
        draft.compute_at(shared, ko)
        is_along_terms = matrix == "A" or tiling.trans
        width = depth if is_along_terms else columns
        if (nest.reduce[0] if is_along_terms else sides.columns).static_extent is None:
            each = 16 // tiling.size  # no swizzle is known to fit rows of unknown size
            draft.storage_align(shared, 0, rank - 2, 2 * each, each)
        elif width * tiling.size > 16:
            draft.transform_layout(shared, 0, swizzle(rank, width, tiling.size))
        tensorize(draft, held, tile, f"mma_load_{shape}_{element}_{spelled}_shared")
        name = draft.session.block(shared).label
        copy_together(draft, name, depth_of(draft, shared, ko), (*warps, WARP), lanes)
        draft.settled.add(name)
    zeros = draft.decompose_reduction(draft.block(block), ko)
    zero_loops = list(draft.loops(draft.session.block(zeros).label).values())
    draft.tensorize(zero_loops[-2], f"mma_fill_{shape}_{total}")
    draft.tensorize(i, f"mma_sync_{shape}_{element}{element}{total}{suffix}")
    if steps >= STAGES and tiling.is_ahead:
        draft.annotate(ko, "software_pipeline_stage", [0, 0, STAGES - 1])
        draft.annotate(ko, "software_pipeline_async_stages", [0])


def tensorize(draft: Draft, block: BlockRV, tile: tuple[int, int], intrinsic: str) -> None:
    """Replace the tiles of a copy by an intrinsic."""
    label = draft.session.block(block).label
    rows, columns = list(draft.loops(label).values())[-2:]
    io, i = draft.split(rows, [None, tile[0]])
    jo, j = draft.split(columns, [None, tile[1]])
    draft.reorder(io, jo, i, j)
    draft.tensorize(i, intrinsic)
    draft.settled.update((label, f"{label}_o"))


def depth_of(draft: Draft, block: BlockRV, loop: LoopRV) -> int:
    """The number of loops of the block around its body, up to and including ``loop``."""
    loops = list(draft.loops(draft.session.block(block).label))
    return loops.index(draft.session.loop(loop)) + 1
