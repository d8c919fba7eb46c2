"""gpu-attention: two products and the operations between them in one kernel, without scores in
global memory.

The rule applies to a product whose first factor is computed from another product, row by row, as in
attention: softmax(Q * K) * V, with masks, scales and several heads. A block of the grid has some
rows. The scores of all keys for these rows are in shared memory, in float32, and so are the maximum
and the sum of each row; the weights are computed when they are multiplied, for some keys at a
time::

    for blocks of rows:
      for parts of the keys: scores = Q * K            # shared; tiles of K, too
      maximum, sum of exponentials                     # shared, by the lanes of a warp
      for parts of the keys:
        weights of these keys; copy V                  # shared
        sums += weights * V                            # local: registers
      result = sums

The arithmetic is that of the program: nothing is rescaled. A block has as many rows as fit in
shared memory, since each block reads all of K and V.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

from xdsl.ir import SSAValue

from kc.dialects.tir import ForOp
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.gpu.contraction import sides_of
from kc.transforms.auto_schedule.gpu.rule import GpuRule
from kc.transforms.auto_schedule.gpu.tensor_cores import depth_of, is_for_tensor_cores
from kc.transforms.auto_schedule.gpu.threads import GRID, THREADS, copy_together, fused
from kc.transforms.auto_schedule.nests import (
    Access,
    Nest,
    extent,
    is_own,
    is_untouched,
    iterations,
    loop_of_dimension,
    readers,
)
from kc.transforms.trace.handles import BlockRV, LoopRV

ROWS = (32, 16, 8, 4)
"""The numbers of rows that a block may have."""

EACH = 4
"""The number of rows of a thread. The thread reuses each key or value that it reads for all of
them.
"""

LANES = (128, 64, 32, 16)
"""The number of threads side by side: each has a key, or a column of the result."""

KEYS = 32
"""The number of keys whose weights and values are in shared memory at a time."""

DEPTHS = (32, 16, 8)
"""The number of elements of a key that are in shared memory at a time."""

SUMS = 2 * 1024
"""The bytes of shared memory reserved for the maxima and sums of rows."""


@dataclass(frozen=True)
class Attention:
    """The blocks that a kernel computes, and the loops of its last product."""

    product: Nest
    after: Nest | None
    """The elementwise block after the product; None if there is none."""
    members: tuple[Nest, ...]
    """The blocks that compute the weights, in reverse order: the weights first, the scores last."""
    rows: ForOp
    columns: ForOp
    values: Access

    @property
    def scores(self) -> Nest:
        """The first product."""
        return self.members[-1]

    @property
    def keys(self) -> int:
        """The number of scores of a row."""
        return extent(self.product.reduce[0])

    @property
    def width(self) -> int:
        """The number of columns of the result."""
        return extent(self.columns)

    @property
    def depth(self) -> int:
        """The number of elements of a key in shared memory at a time; 0 if no candidate divides the
        length of a key.
        """
        return next((depth for depth in DEPTHS if extent(self.scores.reduce[0]) % depth == 0), 0)

    @property
    def queries(self) -> Access:
        """The queries: the operand of the scores other than the keys."""
        return next(load for load in self.scores.loads if not load.stride(self.scores.spatial[-1]))

    @property
    def key(self) -> Access:
        """The keys."""
        return next(load for load in self.scores.loads if load is not self.queries)

    def threads(self, rows: int) -> tuple[int, int] | None:
        """The groups of rows and the lanes of each group, for a block of ``rows`` rows; None if no
        number of lanes fits.
        """
        groups = rows // EACH
        lanes = (
            lanes
            for lanes in LANES
            if groups * lanes <= THREADS
            and self.width % lanes == self.keys % lanes == 0
            and rows * KEYS % (groups * lanes) == 0
        )
        best = next(lanes, None)
        return None if best is None else (groups, best)

    def bytes(self, rows: int, lanes: int) -> int:
        """The shared memory of a block."""
        elements = extent(self.scores.reduce[0])
        bits = (
            rows * (self.keys + KEYS) * self.scores.stores[0].bits
            + rows * elements * self.queries.bits
            + lanes * (2 * self.depth) * self.key.bits
            + KEYS * self.width * self.values.bits
        )
        return bits // 8 + SUMS


class GpuAttention(GpuRule):
    """Compute both products of an attention in one kernel."""

    name = "gpu-attention"

    def schedule(self, draft: Draft, block: str) -> bool:
        attention = attention_of(draft, block)
        if attention is not None and _is_chain(draft, attention):
            return False
        if attention is not None:  # exponentials are recomputed instead of stored
            powers = [nest.name for nest in attention.members[1:-1] if not nest.reduce]
            for name in powers:
                draft.compute_inline(draft.block(name))
            attention = attention_of(draft, block) if powers else attention
        tile = None if attention is None else _tile(draft, attention)
        if attention is None or tile is None:
            return False
        _perform(draft, attention, *tile)
        draft.settled.update(nest.name for nest in (attention.product, *attention.members))
        draft.settled.add(block)
        return True


def _is_chain(draft: Draft, attention: Attention) -> bool:
    """True if the attention consists of two products without a row operation between them, and
    tensor cores multiply the second: each product is then a separate kernel.
    """
    has_rows = any(nest.reduce for nest in attention.members[:-1])
    return not has_rows and is_for_tensor_cores(draft, attention.product)


# What is an attention -----------------------------------------------------------------------


def attention_of(draft: Draft, block: str) -> Attention | None:
    """The attention that ends in a block; None if the block ends no attention."""
    nest = draft.nest(block)
    after = None if nest.block.is_reduction else nest
    product = nest if after is None else _product_before(draft, nest)
    if product is None or not _is_free(draft, product) or not _is_product(product):
        return None
    factors = _weights(product)
    if factors is None:
        return None
    weights, values, rows, columns = factors
    members = _members(draft, product, weights.buffer)
    if members is None:
        return None
    attention = Attention(product, after, tuple(members), rows, columns, values)
    loops = (*product.loops, *attention.scores.loops)
    if any(loop.static_extent is None for loop in loops):
        return None
    return attention if attention.depth and attention.keys % KEYS == 0 else None


def _is_free(draft: Draft, nest: Nest) -> bool:
    """True if a rule may schedule a block."""
    name = nest.name
    return (
        nest.is_plain
        and is_untouched(nest.block)
        and len(nest.stores) == 1
        and name not in draft.begun | draft.settled
    )


def _is_product(nest: Nest) -> bool:
    return len(nest.reduce) == 1 and next(sides_of(nest), None) is not None


def _product_before(draft: Draft, after: Nest) -> Nest | None:
    """The product that precedes an elementwise block; None if none does."""
    if after.reduce or not _is_free(draft, after):
        return None
    for load in after.loads:
        if not is_own(load.buffer):
            continue
        users = [reader.label for reader in readers(load.buffer) or ()]
        makers = [name for name in users if name != after.name]
        if len(makers) != 1 or not draft.nest(makers[0]).block.is_reduction:
            continue
        product = draft.nest(makers[0])
        if product.stores[0].buffer is not load.buffer:
            continue  # the product updates another buffer and only reads this one
        loops = dict(
            zip(
                loop_of_dimension(after, load),
                loop_of_dimension(product, product.stores[0]),
                strict=True,
            )
        )
        same = [loops.get(mine) for mine in after.spatial] == list(product.spatial)
        extents = [[loop.static_extent for loop in nest.spatial] for nest in (after, product)]
        if same and extents[0] == extents[1] and len(loops) == len(after.spatial):
            return product
    return None


def _weights(product: Nest) -> tuple[Access, Access, ForOp, ForOp] | None:
    """The weights, the values, and the loops that only the weights and only the values depend
    on.
    """
    for weights, values in (product.loads, product.loads[::-1]):
        if not is_own(weights.buffer) or not weights.affine:
            continue
        rows = [
            loop for loop in product.spatial if weights.stride(loop) and not values.stride(loop)
        ]
        columns = [
            loop for loop in product.spatial if values.stride(loop) and not weights.stride(loop)
        ]
        if rows and len(columns) == 1 and abs(product.stores[0].stride(columns[0])) == 1:
            return weights, values, min(rows, key=weights.stride), columns[0]
    return None


def _members(draft: Draft, product: Nest, weights: SSAValue) -> list[Nest] | None:
    """The blocks that compute the weights, consumers first; None if other blocks read their
    results, or if they do not begin with exactly one product.
    """
    blocks = draft.blocks()
    before = blocks[: blocks.index(product.block)]
    buffers, labels = {weights}, {product.name}
    members: list[Nest] = []
    for block in reversed(before):
        nest = draft.nest(block.label)
        if not buffers & {store.buffer for store in nest.stores}:
            continue
        users = {reader.label for reader in readers(nest.stores[0].buffer) or ()}
        labels.add(nest.name)
        if not _is_free(draft, nest) or not users or users - labels:
            return None
        members.append(nest)
        if not _is_product(nest):
            if len(nest.reduce) > 1:
                return None
            buffers |= {load.buffer for load in nest.loads if is_own(load.buffer)}
    products = [nest for nest in members if _is_product(nest)]
    is_row_by_row = (
        len(members) > 1
        and members[0].stores[0].buffer is weights
        and not members[0].reduce
        and products == [members[-1]]
        and len(members[-1].spatial) == len(product.spatial)
    )
    return members if is_row_by_row else None


def _tile(draft: Draft, attention: Attention) -> tuple[int, tuple[int, int]] | None:
    """The number of rows of a block, and its threads; None if the tile does not fit in shared
    memory.
    """
    height = extent(attention.rows)
    batch = iterations(attention.product.spatial) // height // attention.width
    room = draft.session.target.limits["max_shared_memory_per_block"]
    choices = [
        (rows, threads)
        for rows in ROWS
        if height % rows == 0
        and (threads := attention.threads(rows)) is not None
        and attention.bytes(rows, threads[1]) <= room
    ]
    return max(
        choices,
        default=None,
        key=lambda choice: (min(height // choice[0] * batch, GRID), choice[0]),
    )


# The schedule -------------------------------------------------------------------------------


def _perform(draft: Draft, attention: Attention, rows: int, threads: tuple[int, int]) -> None:
    place = _results(draft, attention, rows, threads)
    groups, lanes = threads
    for member in attention.members[1:-1]:
        block = draft.block(member.name)
        draft.set_scope(block, 0, "shared")
        draft.compute_at(block, place)
        *_, row, terms = draft.loops(member.name).values()
        for loop, count, axis in ((row, groups, "threadIdx.y"), (terms, lanes, "threadIdx.x")):
            _, thread = draft.split(loop, [None, count])
            draft.bind(thread, axis)
    _scores(draft, attention, place, threads)


def _results(draft: Draft, attention: Attention, rows: int, threads: tuple[int, int]) -> LoopRV:
    """Schedule the last product over parts of the keys, with the weights and values of a part in
    shared memory. Return the loop over blocks.
    """
    product, after = attention.product, attention.after
    root = after or product
    name = product.name
    handles = draft.loops(root.name)
    loops = dict(zip(product.spatial, (handles[loop] for loop in root.spatial), strict=True))
    row, column = loops[attention.rows], loops[attention.columns]
    batch = [loop for loop in loops.values() if loop not in (row, column)]
    block, y, i = draft.split(row, [None, threads[0], EACH])
    x, j = draft.split(column, [threads[1], None])
    parts = [] if after else draft.split(handles[product.reduce[0]], [None, KEYS])
    draft.reorder(*batch, block, y, x, *parts, i, j)
    if len(batch) > 2:  # a grid has three axes
        batch = [fused(draft, batch[:-1]), batch[-1]]
    for loop, axis in zip((block, *reversed(batch)), "xyz", strict=False):
        draft.bind(loop, f"blockIdx.{axis}")
    draft.bind(y, "threadIdx.y")
    draft.bind(x, "threadIdx.x")
    if after is None:
        sums = draft.cache_write(draft.block(name), 0, "local")
        draft.reverse_compute_at(sums, x)
        draft.settled.add(draft.session.block(sums).label)
    else:
        draft.set_scope(draft.block(name), 0, "local")
        draft.compute_at(draft.block(name), x)
        *tile, terms = list(draft.loops(name).values())[depth_of(draft, draft.block(name), x) :]
        parts = draft.split(terms, [None, KEYS])
        draft.reorder(*parts, *tile)
    draft.decompose_reduction(draft.block(name), parts[0])
    weights = draft.block(attention.members[0].name)
    draft.set_scope(weights, 0, "shared")
    draft.compute_at(weights, parts[0])
    copy_together(draft, attention.members[0].name, depth_of(draft, weights, parts[0]), threads)
    _copy(draft, name, attention.values, parts[0], threads, KEYS * attention.width)
    return block


def _scores(draft: Draft, attention: Attention, place: LoopRV, threads: tuple[int, int]) -> None:
    """Schedule the first product: a thread has a key for each of its rows."""
    name, (groups, lanes) = attention.scores.name, threads
    draft.set_scope(draft.block(name), 0, "shared")
    draft.compute_at(draft.block(name), place)
    *_, rows, keys, terms = draft.loops(name).values()
    y, i = draft.split(rows, [groups, None])
    part, x = draft.split(keys, [None, lanes])
    ko, k = draft.split(terms, [None, attention.depth])
    draft.reorder(part, y, x, ko, k, i)
    draft.bind(y, "threadIdx.y")
    draft.bind(x, "threadIdx.x")
    sums = draft.cache_write(draft.block(name), 0, "local")
    draft.reverse_compute_at(sums, x)
    draft.settled.add(draft.session.block(sums).label)
    draft.decompose_reduction(draft.block(name), ko)
    keys = _copy(draft, name, attention.key, ko, threads, lanes * attention.depth)
    # Rows are padded so that each begins at a different bank, because lanes read the same element
    # of neighbouring keys.
    rank = len(attention.key.op.indices.data.results)
    draft.storage_align(keys, 0, rank - 2, 32, max(32 // attention.key.bits, 1))
    elements = extent(attention.scores.reduce[0])
    _copy(draft, name, attention.queries, place, threads, groups * EACH * elements)


def _copy(
    draft: Draft,
    block: str,
    access: Access,
    place: LoopRV,
    threads: tuple[int, int],
    count: int,
) -> BlockRV:
    """Copy a buffer that a block reads to shared memory, by all threads, ``count`` elements at a
    time.
    """
    number = draft.nest(block).read_number(access.buffer)
    copy = draft.cache_read(draft.block(block), number, "shared")
    draft.compute_at(copy, place)
    label = draft.session.block(copy).label
    lanes = gcd(max(32 // access.bits, 1), max(count // (threads[0] * threads[1]), 1))
    copy_together(draft, label, depth_of(draft, copy, place), threads, lanes)
    draft.settled.add(label)
    return copy
