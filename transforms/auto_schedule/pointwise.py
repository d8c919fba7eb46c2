"""pointwise: elementwise blocks run in vectors along contiguous memory.

The vector loop is the loop along which most accesses are contiguous or constant. If a load is
contiguous along another loop (a transpose), square tiles, with as many rows as a vector has lanes,
are transposed in registers (``transpose_f32_16x16`` and similar functions). Blocks that do more
than copy, or that have no whole tiles, use local memory, which the vector registers hold.
"""

from __future__ import annotations

import math

from xdsl.dialects.builtin import MemRefType

from kc.analysis import loop_tree
from kc.dialects.tir import ForOp, LoadOp, StoreOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.auto_schedule.digits import joined_dimensions, merge_dimensions
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.machine import SCALAR_COPY
from kc.transforms.auto_schedule.nests import Access, Nest, extent, is_untouched, iterations
from kc.transforms.auto_schedule.rule import Rule
from kc.transforms.intrinsics.transpose_names import SIZES, transpose_name
from kc.transforms.trace.handles import LoopRV

VECTORS = 4
"""The number of vector registers that one iteration of an elementwise loop fills."""


class Pointwise(Rule):
    """Vectorize elementwise blocks, and run them in parallel."""

    name = "pointwise"

    def apply(self, draft: Draft, block: str) -> bool:
        nest = draft.nest(block)
        if nest.block.is_reduction or not nest.is_plain or not nest.loops:
            return False
        if not is_untouched(nest.block) or nest.spatial != nest.loops:
            return False
        work = iterations(nest.loops) * max(1, nest.operations + len(nest.loads))
        chunk(draft, block)
        block = schedule(draft, block, 0, work)
        draft.run_in_parallel(block, len(nest.loops), work)
        draft.settled.add(block)
        return True


def chunk(draft: Draft, block: str) -> None:
    """Split a single long loop in two, so that the outer one can run in parallel."""
    nest = draft.nest(block)
    if len(nest.loops) != 1 or draft.machine.cores == 1:
        return
    (loop,) = nest.loops
    step = VECTORS * draft.machine.lanes(nest.bits)
    size, parts = 64 * step, 16
    if draft.pays_in_parallel(extent(loop) * max(1, nest.operations + len(nest.loads))):
        # Use four parts of whole steps for each core, if there are enough steps.
        parts = 2 * draft.machine.cores
        size = min(size, max(step, extent(loop) // (2 * parts) // step * step))
    if extent(loop) >= parts * size:
        draft.split(draft.loops(block)[loop], [None, size])


def schedule(draft: Draft, block: str, outer: int, work: int | None = None) -> str:
    """Schedule the loops of a block inside its ``outer`` outermost loops, which stay as they are.

    ``work``, in additions, is the work of the loops that may run in parallel. Their independence is
    proved before parts of them become shuffles, which the proof does not support. Returns the name
    of the block, or of the block of whole tiles that replaces it.
    """
    nest = draft.nest(block)
    own = [loop for loop in nest.loops[outer:] if loop in nest.spatial]
    vector = vector_loop(nest, own, draft.machine.lanes(nest.bits))
    if vector is None:
        return block
    turned = _turned(nest, own, vector)
    if turned is not None:
        mark = draft.mark()
        try:
            return _transpose(draft, block, vector, turned, work)
        except ScheduleError:
            draft.return_to(mark)
        nest = draft.nest(block)
        own = [loop for loop in nest.loops[outer:] if loop in nest.spatial]
        vector = vector_loop(nest, own, draft.machine.lanes(nest.bits))
        if vector is None:
            return block
    vectorize(draft, block, vector)
    return block


def vector_loop(nest: Nest, loops: list[ForOp], lanes: int) -> ForOp | None:
    """The best loop for vectors: most accesses are contiguous or constant along it. None if vectors
    do not pay.

    Loads whose index is a quotient or a loaded value are not counted: a gather takes as long as
    single loads, and the other operations are faster in vectors.
    """

    def gain(loop: ForOp) -> float:
        score = 0.0
        for access in (*nest.stores, *nest.loads):
            if loop in access.irregular and access not in nest.stores:
                continue
            stride = access.stride(loop)
            weight = 3 if access in nest.stores else 1
            score += weight * (2 if stride == 1 else 1.5 if stride == 0 else -2)
        # A loop shorter than a vector fills only a part of it.
        return score * min(1.0, extent(loop) / lanes) if score > 0 else score

    best = max(reversed(loops), key=gain, default=None)
    if best is None or extent(best) < 2:
        return None
    return best if gain(best) > 0 or nest.operations >= 10 else None


def vectorize(draft: Draft, block: str, loop: ForOp, *, lanes: int | None = None) -> None:
    """Make ``loop`` the innermost one and vectorize it, in parts if its extent is unknown."""
    nest = draft.nest(block)
    handles = draft.loops(block)
    handle = handles[loop]
    inside = nest.loops[nest.loops.index(loop) + 1 :]
    if inside:
        draft.put_in_order([*(handles[loop] for loop in inside), handle])
    if _is_gather(nest, loop, draft.machine.lanes(nest.bits)):
        return
    if loop.static_extent is None:
        size = (lanes or draft.machine.lanes(nest.bits)) * VECTORS
        _, handle = draft.split(handle, [None, size])
    draft.vectorize(handle)


def _is_gather(nest: Nest, loop: ForOp, lanes: int) -> bool:
    """True if a block copies elements that are scattered along ``loop``. The elements of a vector
    would be loaded one by one, which takes as long as the loop and much more code.
    """
    return all(isinstance(op, _COPY) for op in nest.body_ops) and any(
        load.regular and abs(load.stride(loop)) >= lanes for load in nest.loads
    )


def _turned(nest: Nest, own: list[ForOp], vector: ForOp) -> tuple[ForOp, Access] | None:
    """A loop other than ``vector`` along which a load is contiguous, and the load; None if there is
    no such load.
    """
    for load in nest.loads:
        # If the last dimension has one element, rows cannot be loaded as vectors.
        type_ = load.buffer.type
        has_rows = isinstance(type_, MemRefType) and type_.get_shape()[-1:] != (1,)
        if load.regular and has_rows and load.stride(vector) not in (0, 1):
            for loop in own:
                if loop is not vector and load.stride(loop) == 1:
                    return loop, load
    return None


_COPY = (LoadOp, StoreOp)
"""The operations in a block that copies elements."""


STRIP = 32
"""The number of tiles below each other that are transposed before the tiles beside them. Reads by
columns then take this number of consecutive lines from each page.
"""
INTERLEAVED_ROWS = 8
"""The minimum number of rows for which a part that is dense in the result is transposed in
registers, with a store for each of its columns. LLVM vectorizes a loop over fewer rows with stores
of whole registers.
"""

BAND = 16
"""The number of tiles beside each other that are transposed before the tiles below them. Writes
then fill this number of consecutive lines of each page.
"""


def _beside_first(nest: Nest, load: Access, l3: int) -> bool:
    """True if tiles beside each other are transposed before tiles below each other: both arrays fit
    in half of the last-level cache, or the result exceeds this cache, so that stores bypass the
    caches (``nontemporal-stores``). Between these sizes, pages are read fastest in the order of the
    rows.
    """
    sizes = []
    for op in (nest.stores[0], load):
        type_ = op.buffer.type
        if not isinstance(type_, MemRefType) or not type_.has_static_shape():
            return False
        sizes.append(math.prod(type_.get_shape()) * op.bits // 8)
    return sizes[0] > l3 or sum(sizes) <= l3 // 2


def _in_strips(draft: Draft, tiles: int, first: LoopRV, second: LoopRV, most: int) -> None:
    """Visit up to ``most`` of the ``tiles`` along the first loop before each step along the second
    loop. There is at least one strip for each core.
    """
    most = min(most, tiles // draft.machine.cores)
    strip = max((n for n in range(2, most + 1) if tiles % n == 0), default=1)
    if strip == tiles:
        draft.put_in_order([second, first])
    elif strip > 1 and draft.session.loop(first).static_extent is not None:
        above, below = draft.split(first, [None, strip])
        draft.put_in_order([above, second, below])


def _transpose(
    draft: Draft, block: str, vector: ForOp, turned: tuple[ForOp, Access], work: int | None
) -> str:
    rows, load = turned
    nest = draft.nest(block)
    size = draft.machine.lanes(load.bits)
    element = str(getattr(load.buffer.type, "element_type", None))
    if size in SIZES.get(element, ()) and all(isinstance(op, _COPY) for op in nest.body_ops):
        # A plain copy is transposed in registers, without a buffer between load and store.
        mark = draft.mark()
        at_vector, at_rows = nest.loops.index(vector), nest.loops.index(rows)
        try:
            return _transpose_copy(draft, block, vector, rows, load, element, work)
        except ScheduleError:
            draft.return_to(mark)
            nest = draft.nest(block)
            vector, rows = nest.loops[at_vector], nest.loops[at_rows]
            load = next(load for load in nest.loads if load.stride(rows) == 1)
    if extent(rows) < size or extent(vector) < size:
        raise ScheduleError("KC3040", "the tile is larger than the loops")
    handles = draft.loops(block)
    row_outer, row_inner = draft.split(handles[rows], [None, size])
    outer, inner = draft.split(handles[vector], [None, size])
    draft.put_in_order([*_between(nest, handles, rows, vector), row_outer, outer, row_inner, inner])
    joined = joined_dimensions(nest, load)
    copy = draft.cache_read(draft.block(block), nest.read_number(load.buffer), "local")
    if joined:
        merge_dimensions(draft, copy, copy, load.buffer.type.get_shape(), joined)  # pyright: ignore
    draft.compute_at(copy, outer)
    name = draft.session.block(copy).label
    loops = list(draft.loops(name).values())
    draft.vectorize(loops[-1])
    draft.unroll(loops[-2])
    draft.vectorize(inner)
    draft.unroll(row_inner)
    draft.settled.add(name)
    return block


def _between(nest: Nest, handles: dict[ForOp, LoopRV], rows: ForOp, vector: ForOp) -> list[LoopRV]:
    """The loops inside the outer of two loops, without these two."""
    inside = nest.loops[min(map(nest.loops.index, (rows, vector))) :]
    return [handles[loop] for loop in inside if loop not in (rows, vector)]


def _transpose_copy(
    draft: Draft,
    block: str,
    vector: ForOp,
    rows: ForOp,
    load: Access,
    element: str,
    work: int | None,
) -> str:
    """Transpose a copy in square parts of as many rows and columns as a register has elements, and
    in smaller parts at the ends of both loops.

    Returns the name of the first part. Raises ScheduleError if parts would be too narrow, or if an
    extent is unknown.
    """
    nest = draft.nest(block)
    if rows.static_extent is None or vector.static_extent is None:
        raise ScheduleError("KC3040", "parts of a loop of unknown extent have conditions")
    width = extent(vector)
    if width < INTERLEAVED_ROWS and nest.stores[0].stride(rows) == width:
        raise ScheduleError(
            "KC3040", f"LLVM stores fewer than {INTERLEAVED_ROWS} rows as whole registers"
        )
    size = draft.machine.lanes(load.bits)
    if not _pays(min(size, extent(vector)), min(size, extent(rows))):
        raise ScheduleError("KC3040", "a register would hold too few elements")
    handles = draft.loops(block)
    beside = _beside_first(nest, load, draft.machine.l3)
    draft.put_in_order([*_between(nest, handles, rows, vector), handles[rows], handles[vector]])
    parts = [part for name in _parts(draft, block, size) for part in _parts(draft, name, size)]
    tiles = []
    for name in parts:
        *_, (row, row_inner), (column, inner) = draft.loops(name).items()
        height, width = min(size, extent(row)), min(size, extent(column))
        if not _pays(width, height):
            continue
        outer = []
        if extent(row) > size:
            row_outer, row_inner = draft.split(row_inner, [None, size])
            outer.append(row_outer)
        if extent(column) > size:
            column_outer, inner = draft.split(inner, [None, size])
            outer.append(column_outer)
        draft.put_in_order([*outer, row_inner, inner])
        if len(outer) == 2:
            # Reordering is checked before the tile becomes shuffles, because the check is then
            # cheaper.
            row_outer, column_outer = outer
            if beside:
                _in_strips(draft, extent(column) // size, column_outer, row_outer, BAND)
            else:
                _in_strips(draft, extent(row) // size, row_outer, column_outer, STRIP)
        tiles.append((name, row_inner, transpose_name(element, width, height)))
    if work is not None:
        draft.run_in_parallel(block, len(draft.nest(block).loops) - 2, work)
    first = block
    for name, inner_row, intrinsic in tiles:
        tile = draft.blockize(inner_row)
        draft.tensorize(tile, intrinsic)
        label = draft.session.block(tile).label
        draft.settled.add(label)
        if name == block:
            first = label
    return first


def _parts(draft: Draft, block: str, size: int) -> list[str]:
    """Split the second innermost loop of a block after its last whole tile, and make it the
    innermost loop. Returns the names of the resulting blocks.
    """
    (loop, handle) = list(draft.loops(block).items())[-2]
    whole = extent(loop) // size * size
    names = [block]
    if whole not in (0, extent(loop)):
        _, rest = draft.loop_partition(handle, [whole, None])
        names.append(loop_tree.blocks(draft.session.loop(rest))[0].label)
    for name in names:
        draft.put_in_order([*reversed(list(draft.loops(name).values())[-2:])])
    return names


def _pays(rows: int, columns: int) -> bool:
    """True if transposing part of a tile, ``rows`` registers of ``columns`` elements, takes fewer
    cycles than copying it element by element. About half of the shuffles of a whole register remain
    for a part.
    """
    most = max(rows, columns)
    shuffles = most * math.ceil(math.log2(most)) / 2
    return min(rows, columns) > 1 and rows + columns + shuffles < SCALAR_COPY * rows * columns
