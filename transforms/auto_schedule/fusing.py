"""fusing: two loops that traverse memory contiguously become one.

Before::

    tir.for %c in 40 { tir.for %y in 7 { tir.for %x in 9 { %B[%c, %y, %x] = f(%A[%c, %y, %x]) } } }

After::

    tir.for %v in 2520 { %B[%v] = f(%A[%v floordiv 63, %v floordiv 9 mod 7, %v mod 9]) }

Rows of 7 or 28 elements are not whole vectors, but in a 1x1 convolution, a normalization or a
pooling over all positions a vector need not end at the end of a row. Two loops are fused if each
access either depends on neither loop or indexes two neighbouring dimensions by them, the second of
which the inner loop covers completely. Buffers of the function lose a dimension
(``transform_layout``); arguments are indexed by the digits of the new variable, which
``merge-dimensions`` merges again after all schedules.

Loops are fused together with the loops of all blocks that share their buffers, or not at all, so
that the loops of a block match those of its readers. A product may be fused alone, because its sums
have a separate buffer.

The rule calls primitives, which check and rewrite; it has no rewrite pattern of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from kc.analysis import loop_tree
from kc.analysis.accesses.regions import buffers_written
from kc.dialects.tir import BlockOp, ForOp, IterType, LoadOp, StoreOp
from kc.transforms.auto_schedule.contraction import is_contraction
from kc.transforms.auto_schedule.digits import merging_map, number_text
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.nests import Access, Nest, extent, is_own, is_untouched
from kc.transforms.auto_schedule.rule import Rule

VECTORS = 4
"""The most vector registers that tiles and elementwise loops fill: rows that are multiples of this
number of vectors have no remainder.
"""

LONG = 16
"""The factor by which a row must be longer than these vectors so that its remainder costs
little.
"""

Dimension = tuple[SSAValue, int]
"""A dimension of a buffer that can be merged with the next dimension."""


@dataclass(eq=False)
class Pair:
    """Two loops of a block that can be fused."""

    nest: Nest
    number: int
    """The position of the outer loop among the loops of the nest."""
    inner: ForOp
    dimensions: list[Dimension] = field(default_factory=list)
    """The dimensions of the function's buffers that the two loops index."""
    following: Pair | None = None
    """The pair whose outer loop is the inner loop of this pair."""

    @property
    def row(self) -> int:
        """The iterations of the inner loop and of the loops fused with it."""
        return extent(self.inner) * (1 if self.following is None else self.following.row)

    @property
    def along(self) -> ForOp:
        """The innermost of the fused loops."""
        return self.inner if self.following is None else self.following.along


class FuseContiguous(Rule):
    """Fuse loops that traverse memory contiguously."""

    name = "fusing"
    prepares = True

    def apply(self, draft: Draft, block: str) -> bool:
        nests = [draft.nest(block.label) for block in draft.blocks() if is_untouched(block)]
        pairs = [pair for nest in nests if nest.is_plain for pair in _pairs(nest)]
        outer = {pair.nest.loops[pair.number]: pair for pair in pairs}
        for pair in pairs:
            pair.following = outer.get(pair.inner)
        if not any(_pays(draft, pair) for pair in pairs):
            return False
        chosen = _chosen(draft, pairs)
        if not chosen:
            return False
        _perform(draft, chosen)
        return True


def _pairs(nest: Nest) -> Iterator[Pair]:
    """The pairs of neighbouring loops of a nest that can be fused."""
    loops = [loop for loop in nest.loops if loop.static_extent != 1]
    accesses = list(_accesses(nest))
    for outer, inner in zip(loops, loops[1:], strict=False):
        if None in (outer.static_extent, inner.static_extent):
            continue
        kinds = nest.kinds[outer]
        if kinds != nest.kinds[inner] or kinds not in ({IterType.SPATIAL}, {IterType.REDUCE}):
            continue
        if any(_is_a_value(nest, loop) for loop in (outer, inner)):
            continue
        pair = Pair(nest, nest.loops.index(outer), inner)
        for access in accesses:
            dims = _dimensions(nest, access, outer, inner)
            if dims is None:
                break
            if dims and is_own(access.buffer):
                pair.dimensions.append((access.buffer, dims[0]))
        else:
            yield pair


def _accesses(nest: Nest) -> Iterator[Access]:
    """The stores and loads of a block. A reduction loads its previous result from the element that
    it stores.
    """
    yield from nest.stores
    yield from nest.loads


def _is_a_value(nest: Nest, loop: ForOp) -> bool:
    """True if the block computes with the number of the iteration, as a mask does. After fusion,
    recovering this number would take a division.
    """
    number = nest.loops.index(loop)
    variable = nest.block.body.block.args[number]
    return any(not isinstance(use.operation, LoadOp | StoreOp) for use in variable.uses)


def _dimensions(nest: Nest, access: Access, outer: ForOp, inner: ForOp) -> list[int] | None:
    """The dimension indexed by ``outer``, which precedes the dimension indexed by ``inner``, as a
    list. An empty list if the access depends on neither loop, or has both in one dimension already;
    None if the loops cannot be fused for this access.
    """
    exprs = nest.indices(access)
    used = [n for n, expr in enumerate(exprs) if nest.depends_on(expr, (outer, inner))]
    if not used:
        return []
    if len(used) == 1 and access.affine:
        is_joined = access.stride(outer) == access.stride(inner) * extent(inner)
        return [] if is_joined else None
    at = used[0]
    if used != [at, at + 1] or shape_of(access.buffer)[at + 1] != inner.static_extent:
        return None
    if nest.loop_of(exprs[at]) is not outer or nest.loop_of(exprs[at + 1]) is not inner:
        return None
    return [at]


def _pays(draft: Draft, pair: Pair) -> bool:
    """True if vectors run along the inner loop in rows that are not a whole number of vectors, or
    if the loops become rows of a product's tiles.
    """
    nest, along = pair.nest, pair.along
    accesses = nest.loads if along in nest.reduce else [*nest.stores, *nest.loads]
    strides = [access.stride(along) for access in accesses]
    if not (1 in strides and all(stride in (0, 1) for stride in strides)):
        return _is_of_product(draft, pair)
    whole = VECTORS * draft.machine.lanes(nest.bits)
    return pair.row % whole != 0 and pair.row < LONG * whole


def _is_of_product(draft: Draft, pair: Pair) -> bool:
    """True if the loops are rows or columns of a product, so that an operand does not depend on
    them.
    """
    nest, inner = pair.nest, pair.inner
    return (
        inner in nest.spatial
        and not all(load.stride(inner) for load in nest.loads)
        and is_contraction(nest, draft.machine)
    )


def _chosen(draft: Draft, pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs that are fused. Pairs that share a dimension are fused together or not at all."""
    mixed = _mixed(pairs)
    alone = [
        pair for pair in pairs if mixed.isdisjoint(pair.dimensions) or _is_of_product(draft, pair)
    ]
    mixed = _mixed(alone)
    chosen: list[Pair] = []
    for group in _groups(alone, mixed):
        if any(_pays(draft, pair) for pair in group):
            chosen += group
    return chosen


def _mixed(pairs: Sequence[Pair]) -> set[Dimension]:
    """The dimensions that some block indexes in another way than by a pair of loops."""
    blocks: dict[Dimension, set[BlockOp]] = {}
    for pair in pairs:
        for dimension in pair.dimensions:
            blocks.setdefault(dimension, set()).add(pair.nest.block)
    return {
        (buffer, at)
        for (buffer, at), fused in blocks.items()
        if any(_block_of(use.operation) not in fused for use in buffer.uses)
    }


def _block_of(op: Operation) -> BlockOp | None:
    """The block around a load or a store."""
    if not isinstance(op, LoadOp | StoreOp):
        return None
    return next(
        (enclosing for enclosing in loop_tree.path_to(op) if isinstance(enclosing, BlockOp)), None
    )


def _groups(pairs: Sequence[Pair], mixed: set[Dimension]) -> Iterator[list[Pair]]:
    """The pairs in groups that are connected by dimensions of buffers."""
    users: dict[Dimension, list[Pair]] = {}
    for pair in pairs:
        for dimension in pair.dimensions:
            if dimension not in mixed:
                users.setdefault(dimension, []).append(pair)
    grouped: set[Pair] = set()
    for first in pairs:
        group, pending = [], [first]
        while pending:
            pair = pending.pop()
            if pair in grouped:
                continue
            grouped.add(pair)
            group.append(pair)
            for dimension in pair.dimensions:
                pending += users.get(dimension, ())
        if group:
            yield group


def _perform(draft: Draft, chosen: Sequence[Pair]) -> None:
    """Fuse the chosen loops. Raises ScheduleError if a primitive is refused."""
    mixed = _mixed(chosen)
    joined: dict[SSAValue, set[int]] = {}
    for pair in chosen:
        for buffer, at in pair.dimensions:
            if (buffer, at) not in mixed:
                joined.setdefault(buffer, set()).add(at)
    layouts = [
        (_writer(buffer), merging_map(shape_of(buffer), dims)) for buffer, dims in joined.items()
    ]
    numbers: dict[str, set[int]] = {}
    for pair in chosen:
        numbers.setdefault(pair.nest.name, set()).add(pair.number)
    maps = {name: _loop_map(draft.nest(name), fused) for name, fused in numbers.items()}
    for (name, number), layout in layouts:
        draft.transform_layout(draft.block(name), ("write", number), layout)
    for name, map_ in maps.items():
        draft.transform_block_layout(draft.block(name), map_)


def _writer(buffer: SSAValue) -> tuple[str, int]:
    """A block that writes a buffer, and the position of the buffer among those that it writes."""
    block = next(
        block
        for use in buffer.uses
        if isinstance(use.operation, StoreOp) and (block := _block_of(use.operation)) is not None
    )
    return block.label, list(buffers_written(block)).index(buffer)


def shape_of(buffer: SSAValue) -> Sequence[int]:
    """The sizes of a buffer."""
    assert isinstance(buffer.type, MemRefType)
    return buffer.type.get_shape()


def _loop_map(nest: Nest, fused: set[int]) -> str:
    """The map of a block's variables that fuses loops; ``fused`` has the number of the outer loop
    of each pair. Loops of one iteration between them are dropped.
    """
    names = [f"d{n}" for n in range(len(nest.loops))]
    sizes = [extent(loop) for loop in nest.loops]
    positions = [n for n, loop in enumerate(nest.loops) if loop.static_extent != 1]
    if not any(nest.loops[n] in nest.reduce for n in positions) and nest.reduce:
        positions = sorted((*positions, nest.loops.index(nest.reduce[0])))
    results: list[str] = []
    group: list[int] = []
    for n in positions:
        group.append(n)
        if n not in fused:
            results.append(number_text(names, sizes, group))
            group = []
    return f"({', '.join(names)})->({', '.join(results)})"
