"""gpu-warpgroups: products of matrices by four warps together (``wgmma``), on sm_90a.

The rule takes the products of :mod:`kc.transforms.auto_schedule.gpu.tensor_cores`, and products of
bytes whose second matrix is stored by columns. The warps read the operands from shared memory
without loading them into registers. A and B are copied there in swizzled rows of up to 128 bytes,
and some steps ahead if there are enough steps. If the rows of an array begin at multiples of 16
bytes, the copy unit copies it (``tma_load``), started by additional warps
(``software_pipeline_warp_specialize``); otherwise all threads copy it (``cp.async``). A block has
one or two groups of four warps, each with 64 rows of C.

An elementwise epilogue (a bias, relu, gelu, a cast to f16) is computed with the sums in registers,
if nothing else reads the sums. Four lanes hold eight neighbours of a row, which are a sector of
memory in float32, but half a sector in f16. Results in f16 therefore go to shared memory, in rows
of up to 128 bytes, and from there as boxes to their array (``tma_store``), if shared memory has
room.

If there are more tiles than multiprocessors, there are as many blocks as multiprocessors, and each
block computes several tiles one after the other. Copies for the next tile proceed while a tile is
stored. Tiles are computed in strips: some tiles below each other, and then the tiles beside them,
so that rows and columns are still in the cache when they are needed again. If tiles need more bytes
per clock than the cache delivers to a multiprocessor, two blocks below each other form a cluster,
and each copies half of B for both (``cluster_dim``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute

from kc.dialects.nvgpu import MAX_RANK
from kc.dialects.tir.views import strides_of
from kc.support.nvidia import architecture_of
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.gpu.contraction import Sides, sides_of
from kc.transforms.auto_schedule.gpu.rule import GpuRule
from kc.transforms.auto_schedule.gpu.tensor_cores import (
    STAGES,
    M,
    N,
    are_matrices,
    are_tiles,
    depth_of,
    depths_of,
    gather_of,
    is_tight,
    lanes_of,
    pad,
    product_before,
    size_of,
    swizzle,
    tensorize,
    type_name,
)
from kc.transforms.auto_schedule.gpu.threads import GRID, NVIDIA, copy_together, fused
from kc.transforms.auto_schedule.nests import Access, Nest, extent, is_own, is_untouched, iterations
from kc.transforms.intrinsics.tensor_copy_names import ELEMENT_BYTES
from kc.transforms.intrinsics.tensor_core_names import tensor_core_intrins
from kc.transforms.schedule._index_map import IndexMap
from kc.transforms.trace.handles import BlockRV, LoopRV

ROWS = 64
"""The rows of C that four warps hold."""

LANES = 128
"""The number of threads of four warps."""

ROW_BYTES = 128
"""The widest row of shared memory that products read."""

STEP_BYTES = 32
"""The bytes of a row that an instruction multiplies."""

COLUMNS = (256, 192, 128, 96, 64, 32, 16, 8)
"""The possible numbers of columns of C in a block."""

SHARED = 160 * 1024
"""The bytes of shared memory that the tiles of A and B may take."""

SECTOR = 32
"""The bytes of global memory that are written as a unit."""

CLUSTER = 2
"""The number of blocks of a cluster: with two, a multiprocessor waits for at most one other."""

L2_BYTES = 32
"""The bytes per clock that the L2 cache delivers to a multiprocessor of an H100: about 5.5 TB/s for
all.
"""

PRODUCTS_PER_CLOCK = 4096
"""The products per clock of a multiprocessor of an H100, times the bytes of their factors (NVIDIA,
"H100 tensor core GPU architecture": 989 TFLOP/s of f16).
"""

NEIGHBOURS = 8
"""The number of adjacent elements of a row that lanes store at a time."""

VERSIONS = 6
"""The number of versions of the tiles, if specialized warps copy them and shared memory
suffices.
"""

RINGS = 2 * 1024
"""The bytes of shared memory reserved for mbarriers and for the alignment of tiles."""

STRIP = 8
"""The number of tiles below each other that are computed before the tiles beside them."""

HALF = 2
"""The bytes of the elements that ``stmatrix`` stores to shared memory, in 16 rows of 16 columns."""

BOXES = (16, 32, 64, 128, 192, 256)
"""The numbers of columns of f16 that fill a row of 32, 64 or 128 bytes, or several rows of 128."""

_PRODUCTS = (
    ("f16", "f32"),
    ("f16", "f16"),
    ("bf16", "f32"),
    ("s8", "s32"),
    ("e4m3", "f32"),
    ("e5m2", "f32"),
)


@dataclass(frozen=True)
class WarpgroupTiling:
    """The product, and the tile of a block."""

    sides: Sides
    types: tuple[str, str]
    """The types of A and B, and of C, by the names of PTX."""
    size: int
    """The bytes of an element of A and B."""
    trans: bool
    """True if B is stored by columns."""
    groups: int
    """The number of groups of four warps in a block."""
    columns: int
    depth: int
    boxes: bool
    """True if the copy unit copies A and B to shared memory."""
    lanes: tuple[int, int]
    """The numbers of elements of A and of B that a thread copies at a time if the copy unit does
    not.
    """

    @property
    def block(self) -> tuple[int, int, int]:
        """The numbers of rows, columns and terms of a step."""
        return self.groups * ROWS, self.columns, self.depth

    @property
    def panel(self) -> int:
        """The number of columns in a row of shared memory, for a B that is stored by rows."""
        return min(self.columns, ROW_BYTES // self.size)

    @property
    def bytes(self) -> int:
        """The bytes of the tiles of A and B in shared memory."""
        return (self.groups * ROWS + self.columns) * self.depth * self.size

    @property
    def bytes_per_clock(self) -> float:
        """The bytes of A and B that tensor cores need per clock."""
        products = self.groups * ROWS * self.columns * self.depth
        return self.bytes * PRODUCTS_PER_CLOCK / (products * self.size)

    @property
    def instruction(self) -> str:
        """The fragment of C as it appears in the names of intrinsics."""
        return f"m{ROWS}n{self.columns}k{STEP_BYTES // self.size}"


class GpuWarpgroups(GpuRule):
    """Multiply matrices in shared memory by four warps together."""

    name = "gpu-warpgroups"
    kinds = NVIDIA

    def schedule(self, draft: Draft, block: str) -> bool:
        if architecture_of(draft.session.target).name != "sm_90a":
            return False
        product = _product_before(draft, block)
        nest = draft.nest(product or block)
        if not nest.block.is_reduction or not is_untouched(nest.block) or len(nest.reduce) != 1:
            return False
        after = block if product else None
        is_cropped, is_whole, tiling = False, True, None
        for is_whole in (True, False):
            for sides in sides_of(nest):
                gathered = any(
                    gather_of(draft, operand) is not None or not (is_whole or operand.affine)
                    for operand in sides.operands
                )
                tiling = warpgroup_tiling_of(nest, sides, whole=is_whole, gathered=gathered)
                if tiling is not None:
                    break
            if tiling is not None:
                break
        if tiling is None:
            return False
        if is_whole:
            gathers = (gather_of(draft, operand) for operand in tiling.sides.operands)
            copies = tuple(None if gather is None else gather.name for gather in gathers)
        else:
            padded = pad(draft, nest, tiling.sides, tiling.block, after)
            tiling, after = replace(tiling, sides=padded.sides), padded.after
            copies, is_cropped = padded.copies, padded.is_cropped
        by_lanes = is_cropped or (after is not None and len(nest.spatial) > len("ij"))
        multiply_by_warpgroups(draft, nest.name, tiling, after, copies, by_lanes=by_lanes)
        draft.settled.add(nest.name)
        draft.settled.add(block)
        return True


def _product_before(draft: Draft, block: str) -> str | None:
    """The product that precedes the elementwise block ``block``. None if there is no such product,
    if the block stores another type than f16, bf16 or f32, or if it stores the results in another
    order than the product stores the sums.
    """
    product = product_before(draft, block)
    if product is None:
        return None
    after, nest = draft.nest(block), draft.nest(product)
    (store,) = after.stores
    is_held = type_name(store.buffer.type) in ("f16", "bf16", "f32")
    is_alike = store.affine and all(
        store.stride(mine) == nest.stores[0].stride(its)
        for mine, its in zip(after.spatial, nest.spatial, strict=True)
    )
    return product if is_held and is_alike else None


def warpgroup_tiling_of(
    nest: Nest, sides: Sides, *, whole: bool = True, gathered: bool = False
) -> WarpgroupTiling | None:
    """The tile of a block; None if four warps cannot multiply the product. The sizes are padded
    unless ``whole`` tiles are required. With ``gathered``, threads copy the operands.
    """
    a, b = sides.operands
    (terms,) = nest.reduce
    store = nest.stores[0]
    if not are_matrices(sides, terms, store):
        return None
    element, total = type_name(a.buffer.type), type_name(store.buffer.type)
    if element is None or total is None or (element, total) not in _PRODUCTS:
        return None
    trans = b.stride(terms) == 1
    if element != type_name(b.buffer.type) or a.stride(terms) != 1:
        return None
    if store.stride(sides.columns) != 1 or not (trans or b.stride(sides.columns) == 1):
        return None
    size = size_of(a.buffer.type)
    if size == 1 and not trans:
        return None
    loops = (sides.rows, sides.columns, terms)
    m, n, k = map(extent, loops)
    if whole and any(loop.static_extent is None for loop in loops):
        return None
    further = iterations(loop for loop in nest.spatial if loop not in (sides.rows, sides.columns))
    boxes = (
        not gathered
        and all(has_boxes(operand.buffer.type, size) for operand in (a, b))
        and (whole or not (is_own(a.buffer) or is_own(b.buffer)))
    )
    lanes = (lanes_of(a, terms, size), lanes_of(b, terms if trans else sides.columns, size))
    choices = [
        WarpgroupTiling(sides, (element, total), size, trans, groups, columns, depth, boxes, lanes)
        for depth in depths_of(k, size, whole=whole)
        for groups in (2, 1)
        for columns in COLUMNS
        if are_tiles((m, n, k), (ROWS * groups, columns, depth), (ROWS, M, N), whole=whole)
    ]
    return max(
        (tiling for tiling in choices if _fits(tiling)),
        default=None,
        key=lambda tile: (
            is_tight(k, tile.depth),
            min(-(-m // (ROWS * tile.groups)) * -(-n // tile.columns) * further, GRID),
            tile.groups * tile.columns,
            tile.groups,
            tile.depth,
        ),
    )


def _fits(tiling: WarpgroupTiling) -> bool:
    """True if ``wgmma`` can read rows of B of this size, the tiles fit in shared memory, and all
    threads copy the same number of elements.
    """
    columns, depth, groups = tiling.columns, tiling.depth, tiling.groups
    row = tiling.panel * tiling.size
    if not tiling.trans and (row not in (32, 64, 128) or columns % tiling.panel):
        return False
    together = groups * LANES * (16 // tiling.size)
    return tiling.bytes * STAGES <= SHARED and (tiling.boxes or columns * depth % together == 0)


def has_boxes(type_: Attribute, size: int) -> bool:
    """True if a tensor map can describe an array: its rows begin at multiples of 16 bytes."""
    assert isinstance(type_, MemRefType)
    *outer, last = strides_of(type_)
    return (
        len(outer) < MAX_RANK
        and last == 1
        and all(stride is not None and stride * size % 16 == 0 for stride in outer)
    )


def _copy_boxes(draft: Draft, copy: str, tiling: WarpgroupTiling, *, is_b: bool) -> None:
    """Copy the tile of A or B by the copy unit, panel by panel."""
    if is_b and not tiling.trans:
        height, width = tiling.depth, tiling.columns
    else:
        height, width = tiling.columns if is_b else ROWS * tiling.groups, tiling.depth
    copy_panels(draft, copy, height, width, "load", tiling.types[0])


def copy_panels(
    draft: Draft, copy: str, height: int, columns: int, role: str, element: str
) -> None:
    """Copy a tile by the copy unit, in panels whose rows have at most 128 bytes."""
    *_, rows, row = draft.loops(copy).values()
    width = min(columns, ROW_BYTES // ELEMENT_BYTES[element])
    if columns > width:
        panel, row = draft.split(row, [None, width])
        draft.reorder(panel, rows, row)
    draft.tensorize(rows, f"tma_{role}_{height}x{width}_{element}_shared")


def lay_out(draft: Draft, writer: BlockRV, rank: int, columns: int, size: int) -> None:
    """Lay out a tile in shared memory in swizzled rows of at most 128 bytes."""
    width = min(columns, ROW_BYTES // size)
    if columns > width:
        draft.transform_layout(writer, 0, _panels(rank, width))
        rank += 1
    draft.transform_layout(writer, 0, swizzle(rank, width, size))


def _panels(rank: int, width: int) -> IndexMap:
    """Split the rows of a tile into consecutive panels of a number of columns."""

    def map_(*index: Any) -> list[Any]:
        *outer, i, j = index
        return [*outer, j // width, i, j % width]

    return IndexMap.from_func(map_, ndim=rank)


def multiply_by_warpgroups(
    draft: Draft,
    block: str,
    tiling: WarpgroupTiling,
    after: str | None,
    copies: Sequence[str | None] = (None, None),
    *,
    by_lanes: bool,
) -> None:
    """Tile a product. ``after``, a block that reads the sums element by element in the same loops,
    runs on the sums in registers. Lanes store the results (``by_lanes``) if some results of a tile
    do not exist or lie in another order. ``copies`` are the blocks that copy A and B to shared
    memory; None for an operand without such a block.
    """
    sides = tiling.sides
    nest = draft.nest(block)
    handles = draft.loops(block)
    if after is not None:  # its loops are tiled, and the product moves into them
        handles |= dict(zip(nest.spatial, draft.loops(after).values(), strict=True))
    batch = [handles[loop] for loop in nest.spatial if loop not in (sides.rows, sides.columns)]
    numbers = [nest.read_number(access.buffer) for access in sides.operands]
    ranks = [len(access.op.indices.data.results) for access in sides.operands]
    (terms,) = nest.reduce
    stored = draft.nest(after).stores[0] if after is not None else nest.stores[0]
    has_store = not by_lanes and _has_store(draft, tiling, stored)
    steps = extent(terms) // tiling.depth
    element, total = tiling.types
    is_specialized = tiling.boxes and steps >= STAGES
    waves = _waves(tiling, nest) if is_specialized else 1
    down = _strip(extent(sides.rows) // (tiling.groups * ROWS))
    by, group, i = draft.split(handles[sides.rows], [None, tiling.groups, ROWS])
    bx, j = draft.split(handles[sides.columns], [None, tiling.columns])
    depths = [None, tiling.depth]
    parts = draft.split(handles[terms], depths) if after is None else None
    inner = [i, j] if parts is None else [parts[0], i, j, parts[1]]
    if waves > 1:
        strip, by = draft.split(by, [None, down])
        draft.reorder(*batch, strip, bx, by, group, *inner)
        place, blocks = draft.split(fused(draft, [*batch, strip, bx, by]), [waves, None])
        draft.reorder(blocks, place)
        draft.bind(blocks, "blockIdx.x")
        _cluster(draft, tiling, blocks, down)
    else:
        draft.reorder(*batch, by, bx, group, *inner)
        if batch:
            draft.bind(fused(draft, batch), "blockIdx.z")
        draft.bind(by, "blockIdx.y")
        draft.bind(bx, "blockIdx.x")
        if is_specialized:
            _cluster(draft, tiling, by, extent(sides.rows) // (tiling.groups * ROWS))
        place = bx
    draft.bind(group, "threadIdx.y")
    fragments = f"{tiling.instruction}.matrixC"
    result = type_name(stored.buffer.type)
    rank = len(stored.op.indices.data.results)
    if after is not None:
        draft.set_scope(draft.block(block), 0, fragments)
    boxes = draft.cache_write(draft.block(after or block), 0, "shared") if has_store else None
    store = f"wgmma_store_{tiling.instruction}_{result}_global"
    sums = None
    if after is None or (store in tensor_core_intrins() and not by_lanes):
        sums = draft.cache_write(draft.block(after or block), 0, fragments)
        draft.reverse_compute_at(sums, group)
    if boxes is not None and sums is not None:
        draft.reverse_compute_at(boxes, place)
        lay_out(draft, sums, rank, tiling.columns, size_of(stored.buffer.type))
    if parts is None:
        draft.compute_at(draft.block(block), group)
        *_, i, j, inmost = draft.loops(block).values()
        parts = draft.split(inmost, depths)
        draft.reorder(parts[0], i, j, parts[1])
    ko = parts[0]
    for number, rank, lanes, copy in zip(numbers, ranks, tiling.lanes, copies, strict=True):
        is_b = number is numbers[1]
        if copy is None:
            shared = draft.cache_read(draft.block(block), number, "shared")
        else:
            shared = draft.block(copy)
            draft.set_scope(shared, 0, "shared")
        draft.compute_at(shared, ko)
        width = tiling.columns if is_b and not tiling.trans else tiling.depth
        lay_out(draft, shared, rank, width, tiling.size)
        name = draft.session.block(shared).label
        if tiling.boxes:
            _copy_boxes(draft, name, tiling, is_b=is_b)
        else:
            copy_together(draft, name, depth_of(draft, shared, ko), (tiling.groups, LANES), lanes)
        draft.settled.add(name)
    zeros = draft.decompose_reduction(draft.block(block), ko)
    draft.tensorize(
        _inner(draft, draft.session.block(zeros).label), f"wgmma_fill_{tiling.instruction}_{total}"
    )
    count = tiling.depth * tiling.size // STEP_BYTES
    times = f"x{count}" if count > 1 else ""
    suffix = "_trans" if tiling.trans else ""
    draft.tensorize(i, f"wgmma_sync_{tiling.instruction}{times}_{element}{element}{total}{suffix}")
    if boxes is not None:
        store = f"wgmma_stmatrix_{tiling.instruction}_{result}_shared"
        name = draft.session.block(boxes).label
        copy_panels(draft, name, tiling.groups * ROWS, tiling.columns, "store", str(result))
        draft.settled.add(name)
    if sums is not None:
        tensorize(draft, sums, (ROWS, tiling.columns), store)
    if steps >= STAGES:
        taken = _result_bytes(tiling) if boxes is not None else 0
        versions = _versions(draft, tiling, steps, taken) if is_specialized else STAGES
        draft.annotate(ko, "software_pipeline_stage", [0, 0, versions - 1])
        draft.annotate(ko, "software_pipeline_async_stages", [0])
        if is_specialized:
            draft.annotate(ko, "software_pipeline_warp_specialize", True)


def _waves(tiling: WarpgroupTiling, nest: Nest) -> int:
    """The number of tiles per block with which all blocks run at the same time and have equally
    many tiles; 1 if no such number exists.
    """
    if any(loop.static_extent is None for loop in nest.spatial):
        return 1
    tiles = iterations(nest.spatial) // (tiling.groups * ROWS * tiling.columns)
    waves = -(-tiles // GRID)
    return waves if tiles % waves == 0 else 1


def _cluster(draft: Draft, tiling: WarpgroupTiling, blocks: LoopRV, down: int) -> None:
    """Let two blocks with tiles below each other share the copy of B if the cache is too slow for
    each to copy all of it. ``down`` consecutive tiles lie below each other.
    """
    count = draft.session.loop(blocks).static_extent
    if tiling.bytes_per_clock > L2_BYTES and down % CLUSTER == 0 and (count or 1) % CLUSTER == 0:
        draft.annotate(blocks, "cluster_dim", CLUSTER)


def _strip(tiles: int) -> int:
    """The number of tiles below each other that form a strip."""
    return next(count for count in range(STRIP, 0, -1) if tiles % count == 0)


def _room(draft: Draft) -> int:
    """The bytes of shared memory that are available for tiles."""
    return draft.session.target.limits["max_shared_memory_per_block"] - RINGS


def _versions(draft: Draft, tiling: WarpgroupTiling, steps: int, taken: int) -> int:
    """The number of versions of the tiles in shared memory, beside ``taken`` bytes."""
    return max(min((_room(draft) - taken) // tiling.bytes, VERSIONS, steps), STAGES)


def _result_bytes(tiling: WarpgroupTiling) -> int:
    """The bytes of the f16 results that a block stores."""
    return tiling.groups * ROWS * tiling.columns * HALF


def _has_store(draft: Draft, tiling: WarpgroupTiling, store: Access) -> bool:
    """True if the copy unit stores the result. Lanes would write parts of sectors, a tensor map can
    describe the array, and shared memory has room for the result beside tiles that are copied
    ahead.
    """
    size = size_of(store.buffer.type)
    return (
        NEIGHBOURS * size < SECTOR
        and size == HALF
        and tiling.columns in BOXES
        and tiling.size == HALF
        and store.affine
        and has_boxes(store.buffer.type, size)
        and tiling.bytes * STAGES + _result_bytes(tiling) <= _room(draft)
    )


def _inner(draft: Draft, block: str) -> Any:
    """The second innermost loop of a block: the rows of a tile."""
    return list(draft.loops(block).values())[-2]
