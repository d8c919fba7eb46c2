"""Loops over the elements of fragments: each lane processes the elements that it holds.

::

    tir.for %i in 64 {
      tir.for %j in 32 {
        %c = tir.load %C[%i, %j] : memref<64x32xf32, "m64n32k16.matrixC">
        %b = tir.load %bias[%j] : memref<32xf32>
        %d = arith.addf %c, %b : f32
        tir.store %d, %D[%i, %j] : memref<64x32xf32, "m64n32k16.matrixC">
      }
    }

Elementwise operations after a product work on the registers that hold its sums. The elements of a
tile that a lane holds are known (``FragmentAttr.lane_map``), so the loops become one copy of their
body for each of these elements. The body may load or store a fragment of another kind if the same
lane holds the element: C of ``mma.sync`` can become A of the next product.

The body may also store results to memory, in the order in which a lane holds its elements and with
any indices, as of an image whose positions are the rows of C. A condition on the indices
(``tir.if``) may select the elements: the last tile may extend beyond the last row of its matrix.

Results of combining the rows of C, such as a maximum, are in memory of the scope ``...rowsC``::

    tir.for %i in 16 {
      tir.for %j in 64 {
        %c = tir.load %C[%i, %j] : memref<16x64xf32, "m16n8k16.matrixC">
        %m = tir.load %M[%i] : memref<16xf32, "m16n8k16.rowsC">
        %n = arith.maximumf %m, %c : f32
        tir.store %n, %M[%i] : memref<16xf32, "m16n8k16.rowsC">
      }
    }

Four lanes hold the elements of a row. Each lane combines its own elements, and shuffles combine the
four results. All four lanes hold the final result, so that it can be combined with elements of C
again.

A part of ``lower-fragments``: nests change together with the buffers that they use, so there is no
rewrite pattern. CUTLASS calls such elementwise loops a fused epilogue.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TypeGuard

import numpy as np
import numpy.typing as npt
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import MemRefType, VectorType, i32
from xdsl.dialects.vector import ExtractOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstraintExpr, AffineExpr, AffineMap, AffineSet
from xdsl.traits import is_side_effect_free

from kc.analysis.affine.index_values import IndexValues, dimensions
from kc.analysis.affine.simplify_affine import simplify_constraints
from kc.analysis.gpu.vector_alignment import divisor
from kc.analysis.loop_tree import all_loops_around, memory_scope, path_to
from kc.analysis.reductions.reductions import COMBINERS
from kc.dialects import llvm
from kc.dialects.affine_assembly import ZERO
from kc.dialects.gpu import ShuffleMode, ShuffleOp
from kc.dialects.nvvm import ConvertFloatToTF32Op, FragmentAttr
from kc.dialects.tir import ApplyOp, ForKind, ForOp, IfOp, LoadOp, StoreOp
from kc.dialects.tir.threads import LANE_AXES
from kc.dialects.tir.views import strides_of
from kc.dialects.vector import FromElementsOp
from kc.transforms.gpu.binding.unify_thread_binding import axes_of

MOST = 512
"""The most elements of a lane for which the body is copied."""

_SERIAL = (ForKind.SERIAL, ForKind.UNROLLED)

_WARP = 32

_LANES_OF_ROW = (1, 2)
"""The bits of the lane number that differ between the lanes of one row."""


@dataclass(frozen=True)
class Held:
    """A buffer of fragments, for loops over its elements."""

    fragment: FragmentAttr
    positions: tuple[int, ...]
    """The dimensions of the buffer that a tile spans."""
    memory: SSAValue | None = None
    """The registers that replace the buffer."""


@cache
def _places(fragment: FragmentAttr) -> npt.NDArray[np.int64]:
    """The coordinates of the elements that each lane holds: [number of the element, dimension,
    lane].
    """
    map_ = fragment.lane_map()
    assert map_ is not None
    return np.array(
        [
            np.transpose([map_.eval([lane, number], []) for lane in range(fragment.lanes)])
            for number in range(fragment.words * fragment.each)
        ]
    )


@cache
def _find(
    fragment: FragmentAttr, own: FragmentAttr, number: int, begin: tuple[int, ...]
) -> tuple[tuple[int, ...], int] | None:
    """The position of the elements that lanes hold as ``number`` of the tile of ``own`` at
    ``begin``, in a buffer of ``fragment``: the tile and the number in it. None if the lanes hold
    them at different positions.
    """
    if fragment.lanes != own.lanes:
        return None
    elements = _places(own)[number] + np.array(begin)[:, None]
    elements = elements[: len(fragment.tile)]
    sizes = np.array(fragment.tile)[:, None]
    tiles, rest = elements // sizes, elements % sizes
    if (tiles != tiles[:, :1]).any():
        return None
    for place, there in enumerate(_places(fragment)):
        if (there == rest).all():
            return tuple(int(tile) for tile in tiles[:, 0]), place
    return None


@dataclass
class Nest:
    """Two loops over the elements of tiles, or one loop over the rows of tiles."""

    rows: ForOp
    columns: ForOp | None
    fragment: FragmentAttr
    """The fragment whose elements the lanes iterate over."""
    accesses: list[LoadOp | StoreOp] = field(default_factory=list)
    """The accesses of buffers of fragments."""
    update: StoreOp | None = None
    """The store to the value of a row that combines it with elements of the row; None if there is
    none.
    """

    @property
    def loops(self) -> tuple[ForOp, ...]:
        """The loops, outermost first."""
        return (self.rows,) if self.columns is None else (self.rows, self.columns)

    @property
    def body(self) -> list[Operation]:
        """The operations for one element."""
        ops = list(self.rows.body.block.ops)
        if self.columns is not None:
            ops.remove(self.columns)
            ops += self.columns.body.block.ops
        return ops

    @property
    def tiles(self) -> list[tuple[int, ...]]:
        """The first elements of the tiles that the loops cover."""
        sizes = [
            range(0, loop.static_extent or 0, size)
            for loop, size in zip(self.loops, self.fragment.tile, strict=True)
        ]
        if len(sizes) == 1:
            return [(row,) for row in sizes[0]]
        return [(row, column) for row in sizes[0] for column in sizes[1]]

    def lower(self, buffers: Mapping[SSAValue, Held]) -> None:
        """Replace the loops by copies of the body for the elements of a lane."""
        (x,) = (loop for loop in all_loops_around(self.rows) if loop.axis == LANE_AXES[0])
        lane = AffineExpr.dimension(0) % self.fragment.lanes
        map_ = self.fragment.lane_map()
        assert map_ is not None
        body = self.body
        home = self.rows.parent
        assert home is not None
        combined: dict[tuple[tuple[int, ...], int], SSAValue] = {}
        guard: IfOp | None = None
        before: StoreOp | None = None
        for begin in self.tiles:
            parts: dict[SSAValue, list[SSAValue]] = {}
            for number in range(self.fragment.words * self.fragment.each):
                places = map_.replace_dims_and_symbols(
                    [lane, AffineExpr.constant(number)], [], 1, 0
                ).results
                element = _Element(self, buffers, begin, number, parts, combined)
                ops = element.copy(body, x.var, places)
                if guard is None or not _join(guard, ops):
                    home.insert_ops_before(ops, self.rows)
                    end = ops[-1] if ops else None
                    guard = end if isinstance(end, IfOp) else None
                stored = _last_store(guard.then.block.ops if guard is not None else ops)
                if before is not None and stored is not None and _store_both(before, stored):
                    stored = None
                before = stored
        if self.update is not None:
            for (tile, number), value in combined.items():
                row = _Row(self, buffers, tile, number)
                home.insert_ops_before(row.store(value), self.rows)
        self.rows.detach()
        self.rows.erase(safe_erase=False)


def _join(guard: IfOp, ops: Sequence[Operation]) -> bool:
    """Merge operations under the same condition into ``guard``, so that neighbours can be stored
    together. Returns False, without a change, if ``ops`` have another form.
    """
    if not ops or not isinstance(ops[-1], IfOp) or not all(map(is_side_effect_free, ops[:-1])):
        return False
    further = ops[-1]
    if further.condition != guard.condition or list(further.operands) != list(guard.operands):
        return False
    home = guard.parent
    assert home is not None
    home.insert_ops_before(ops[:-1], guard)
    for op in list(further.then.block.ops):
        op.detach()
        guard.then.block.add_op(op)
    further.erase()
    return True


def _last_store(ops: Iterable[Operation]) -> StoreOp | None:
    """The last operation of ``ops`` if it stores a scalar to memory other than fragments; else
    None.
    """
    *_, op = (None, *ops)
    if not isinstance(op, StoreOp) or memory_scope(op.buffer) == "local":
        return None
    return None if isinstance(op.value.type, VectorType) else op


def _store_both(first: StoreOp, second: StoreOp) -> bool:
    """Merge the stores of two neighbours, the first at an even index, into a vector store. Returns
    False if the two stores are not of this form. Operations between them do not read the stored
    elements.
    """
    type_ = first.buffer.type
    assert isinstance(type_, MemRefType)
    if first.parent is not second.parent or first.buffer is not second.buffer:
        return False
    index = IndexValues()
    places, following = (
        [index.compose(expr, op.operands_of_map) for expr in op.indices.data.results]
        for op in (first, second)
    )
    steps = [index.simplify(there - here) for here, there in zip(places, following, strict=True)]
    if steps != [AffineExpr.constant(n) for n in [*[0] * (len(steps) - 1), 1]]:
        return False
    *outer, last = strides_of(type_)
    numbers = [stride or 1 for stride in outer]
    if last != 1 or any(
        divisor(place) * stride % 2 for place, stride in zip(places, [*numbers, 1], strict=True)
    ):
        return False
    type_ = VectorType(type_.element_type, [2])
    both = FromElementsOp.build(operands=[[first.value, second.value]], result_types=[type_])
    map_, operands = index.to_map(places)
    home = second.parent
    assert home is not None
    ops = [both, StoreOp(both.results[0], first.buffer, map_, operands)]
    for op in ops:
        op.location = second.location
    home.insert_ops_before(ops, second)
    for op in (first, second):
        op.detach()
        op.erase()
    return True


@dataclass
class _Element:
    """The code of a lane for one of its elements of a tile."""

    nest: Nest
    buffers: Mapping[SSAValue, Held]
    begin: tuple[int, ...]
    """The first element of the tile."""
    number: int
    parts: dict[SSAValue, list[SSAValue]]
    """The values for the incomplete word of each buffer."""
    combined: dict[tuple[tuple[int, ...], int], SSAValue]
    """The combination of the elements of each row so far, by the number of the row's value."""
    ops: list[Operation] = field(default_factory=list)

    def copy(
        self, body: Sequence[Operation], x: SSAValue, places: Sequence[AffineExpr]
    ) -> list[Operation]:
        """The body for this element. The operations are not in a block."""
        nest = self.nest
        values: dict[SSAValue, SSAValue] = {
            loop.var: self._emit(ApplyOp(place + first, [x]))
            for loop, place, first in zip(nest.loops, places, self.begin, strict=True)
        }
        update = nest.update
        step = None if update is None else update.value.owner
        for op in body:
            if op is update:
                continue
            if op is step and update is not None:
                self._combine(op, update, values)
            elif isinstance(op, LoadOp) and op.buffer in self.buffers:
                if update is None or op.buffer is not update.buffer:
                    values[op.result] = self._load(op)
            elif isinstance(op, StoreOp) and op.buffer in self.buffers:
                self._store(op, values.get(op.value, op.value))
            elif isinstance(op, IfOp):
                self._guard(op, values)
            else:
                copy = op.clone(values)
                self.ops.append(copy)
        for op in self.ops:
            op.location = nest.rows.location
        return self.ops

    def _guard(self, op: IfOp, values: dict[SSAValue, SSAValue]) -> None:
        """Emit the guarded operations for this element."""
        around, self.ops = self.ops, []
        for inner in op.then.block.ops:
            if isinstance(inner, LoadOp) and inner.buffer in self.buffers:
                values[inner.result] = self._load(inner)
            elif isinstance(inner, IfOp):
                self._guard(inner, values)
            else:
                self.ops.append(inner.clone(values))
        for inner in self.ops:
            inner.location = self.nest.rows.location
        index = IndexValues()
        operands = [values.get(value, value) for value in op.operands_of_set]
        conditions = simplify_constraints(
            [
                AffineConstraintExpr(old.kind, index.compose(old.lhs - old.rhs, operands), ZERO)
                for old in op.condition.data.constraints
            ],
            index.ranges,
        )
        if conditions == []:
            around += self.ops
        elif conditions is not None:
            map_, operands = index.to_map([condition.lhs for condition in conditions])
            constraints = tuple(
                AffineConstraintExpr(condition.kind, expr, ZERO)
                for condition, expr in zip(conditions, map_.results, strict=True)
            )
            space = AffineSet(map_.num_dims, 0, constraints)
            around.append(IfOp(space, operands, Region(Block(self.ops))))
        else:
            for inner in reversed(self.ops):
                inner.erase()
        self.ops = around

    def _emit(self, op: Operation) -> SSAValue:
        self.ops.append(op)
        return op.results[0]

    def _combine(self, step: Operation, update: StoreOp, values: dict[SSAValue, SSAValue]) -> None:
        """Combine the term of this element with the terms of the row so far."""
        place = _find(
            self.buffers[update.buffer].fragment, self.nest.fragment, self.number, self.begin
        )
        assert place is not None
        term = term_of(step, update)
        value = values.get(term, term)
        if place in self.combined:
            value = self._emit(_again(step, self.combined[place], value))
        self.combined[place] = value

    def _word(self, op: LoadOp | StoreOp) -> tuple[SSAValue, AffineMap, list[SSAValue], int]:
        """The registers of a buffer, the map and operands of the word, and the part of the word."""
        held = self.buffers[op.buffer]
        place = _find(held.fragment, self.nest.fragment, self.number, self.begin)
        assert place is not None
        tile, number = place
        memory, map_, operands = _register(self.nest, op, held, tile, number)
        return memory, map_, operands, number % held.fragment.each

    def _packed_type(self, op: LoadOp | StoreOp) -> VectorType:
        type_ = op.buffer.type
        assert isinstance(type_, MemRefType)
        return VectorType(type_.element_type, [self.buffers[op.buffer].fragment.each])

    def _load(self, op: LoadOp) -> SSAValue:
        memory, map_, operands, part = self._word(op)
        word = self._emit(LoadOp(memory, map_, operands))
        if self.buffers[op.buffer].fragment.each == 1:
            type_ = op.result.type
            return word if word.type == type_ else self._emit(llvm.BitcastOp(word, type_))
        packed = self._emit(llvm.BitcastOp(word, self._packed_type(op)))
        type_ = self._packed_type(op).element_type
        return self._emit(ExtractOp(packed, [part], type_))

    def _store(self, op: StoreOp, value: SSAValue) -> None:
        memory, map_, operands, _ = self._word(op)
        fragment = self.buffers[op.buffer].fragment
        if fragment.each > 1:
            parts = self.parts.setdefault(op.buffer, [])
            parts.append(value)
            if len(parts) < fragment.each:
                return
            packed = self._emit(
                FromElementsOp.build(operands=[list(parts)], result_types=[self._packed_type(op)])
            )
            parts.clear()
            value = self._emit(llvm.BitcastOp(packed, fragment.word_type))
        elif fragment.element == "tf32":
            value = self._emit(ConvertFloatToTF32Op(value, "rna"))
        elif value.type != fragment.word_type:
            value = self._emit(llvm.BitcastOp(value, fragment.word_type))
        self.ops.append(StoreOp(value, memory, map_, operands))


@dataclass
class _Row:
    """The code of the lanes that hold a row, after each lane has combined its elements."""

    nest: Nest
    buffers: Mapping[SSAValue, Held]
    tile: tuple[int, ...]
    number: int
    ops: list[Operation] = field(default_factory=list)

    def _emit(self, op: Operation) -> SSAValue:
        self.ops.append(op)
        return op.results[0]

    def store(self, value: SSAValue) -> list[Operation]:
        """Combine the values of the lanes, then combine the result with the row's old value."""
        update = self.nest.update
        assert update is not None
        step = update.value.owner
        assert isinstance(step, Operation)
        width = self._emit(ConstantOp.from_int_and_width(_WARP, i32))
        for bit in _LANES_OF_ROW:
            distance = self._emit(ConstantOp.from_int_and_width(bit, i32))
            theirs = self._emit(ShuffleOp(ShuffleMode.XOR, value, distance, width))
            value = self._emit(_again(step, value, theirs))
        held = self.buffers[update.buffer]
        place = _register(self.nest, update, held, self.tile, self.number)
        memory, map_, operands = place
        before = self._emit(LoadOp(memory, map_, operands))
        if before.type != value.type:
            before = self._emit(llvm.BitcastOp(before, value.type))
        value = self._emit(_again(step, before, value))
        if value.type != held.fragment.word_type:
            value = self._emit(llvm.BitcastOp(value, held.fragment.word_type))
        self.ops.append(StoreOp(value, memory, map_, operands))
        for op in self.ops:
            op.location = self.nest.rows.location
        return self.ops


def _again(step: Operation, lhs: SSAValue, rhs: SSAValue) -> Operation:
    """A copy of the step of a reduction with the operands ``lhs`` and ``rhs``."""
    return step.clone(dict(zip(step.operands, (lhs, rhs), strict=True)))


def term_of(step: Operation, update: StoreOp) -> SSAValue:
    """The term that a step combines with the value of a row."""
    lhs, rhs = step.operands
    is_left = isinstance(lhs.owner, LoadOp) and lhs.owner.buffer is update.buffer
    return rhs if is_left else lhs


def _register(
    nest: Nest, op: LoadOp | StoreOp, held: Held, tile: tuple[int, ...], number: int
) -> tuple[SSAValue, AffineMap, list[SSAValue]]:
    """The registers of a buffer, and the word that contains an element of a tile of the nest."""
    assert held.memory is not None
    index = IndexValues()
    offsets = _offsets(op, nest, held, index)
    for position, size, at in zip(held.positions, held.fragment.tile, tile, strict=True):
        offsets[position] = index.simplify(offsets[position]) // size + at
        offsets[position] = index.simplify(offsets[position])
    word = AffineExpr.constant(number // held.fragment.each)
    map_, operands = index.to_map([*offsets, word])
    return held.memory, map_, list(operands)


def nest_of(access: LoadOp | StoreOp, buffers: Mapping[SSAValue, Held]) -> Nest | str:
    """The loops over elements around an access to a buffer of fragments, or the reason why lanes
    cannot execute them."""
    loops = _loops(access, buffers)
    if loops is None:
        return "it is not in two loops over the rows and the columns of tiles"
    rows, columns = loops
    nest = Nest(rows, columns, buffers[access.buffer].fragment)
    body = nest.body
    if any(isinstance(op, ForOp) for op in body):
        return f"loop {rows.label} contains more than loop {columns.label if columns else ''}"
    own = [op for op in _guarded(body) if isinstance(op, LoadOp | StoreOp) and op.buffer in buffers]
    chosen = _chosen(own, buffers)
    nest.fragment = buffers[chosen.buffer].fragment
    for op in own:
        if buffers[op.buffer].fragment.lane_map() is None:
            return (
                f"the lanes that hold the elements of {buffers[op.buffer].fragment} are not "
                "specified"
            )
    if len(nest.fragment.tile) != len(nest.loops):
        return "its values of rows do not match the rows of a tile"
    tile = nest.fragment.tile
    extents = [loop.static_extent or 1 for loop in nest.loops]
    if any(count % size for count, size in zip(extents, tile, strict=True)):
        sizes = " x ".join(map(str, extents))
        return (
            f"the loops have {sizes} iterations, no multiples of a tile of "
            f"{' x '.join(map(str, tile))}"
        )
    copies = len(nest.tiles) * nest.fragment.words * nest.fragment.each
    if copies > MOST:
        return f"a lane has {copies} elements, and at most {MOST} are supported"
    beside = [op for op in rows.body.block.ops if op is not columns and columns is not None]
    if any(op.regions or not (isinstance(op, LoadOp) or is_side_effect_free(op)) for op in beside):
        return f"loop {rows.label} contains more than loop {columns.label if columns else ''}"
    why = _require_body(nest, body, buffers)
    if why is not None:
        return why
    around = [op for op in path_to(rows) if isinstance(op, IfOp | ForOp)]
    conditions = [value for op in around if isinstance(op, IfOp) for value in op.operands]
    if any(axis == LANE_AXES[0] for value in conditions for axis in axes_of(value)):
        return "its execution depends on threadIdx.x"
    if not any(isinstance(op, ForOp) and op.axis == LANE_AXES[0] for op in around):
        return "no loop around it is bound to threadIdx.x"
    return nest


def _loops(
    access: LoadOp | StoreOp, buffers: Mapping[SSAValue, Held]
) -> tuple[ForOp, ForOp | None] | None:
    """The loops over the rows and over the columns of tiles around an access; None if the access is
    not in such loops.
    """
    inner = access.parent_op()
    while isinstance(inner, IfOp):
        inner = inner.parent_op()
    if not _is_serial(inner):
        return None
    if buffers[access.buffer].fragment.is_rows:
        index = IndexValues()
        exprs = [
            index.compose(expr, access.operands_of_map) for expr in access.indices.data.results
        ]
        used = {index.roots[dim] for expr in exprs for dim in dimensions(expr)}
        if inner.var in used:
            further = [op for op in inner.body.block.ops if isinstance(op, ForOp)]
            columns = further[0] if further else None
            return (inner, columns) if columns is None or _is_serial(columns) else None
    outer = inner.parent_op()
    return (outer, inner) if _is_serial(outer) else None


def _is_serial(op: Operation | None) -> TypeGuard[ForOp]:
    return isinstance(op, ForOp) and op.axis is None and op.kind.data in _SERIAL


def _chosen(
    accesses: Sequence[LoadOp | StoreOp], buffers: Mapping[SSAValue, Held]
) -> LoadOp | StoreOp:
    """The access whose elements the lanes iterate over: preferably an access of a tile rather than
    of values of rows, then a store, so that words are complete.
    """

    def rank(op: LoadOp | StoreOp) -> tuple[bool, bool]:
        return not buffers[op.buffer].fragment.is_rows, isinstance(op, StoreOp)

    return max(accesses, key=rank)


def _require_body(
    nest: Nest, body: Sequence[Operation], buffers: Mapping[SSAValue, Held]
) -> str | None:
    """The reason why a lane cannot execute the body for its elements; None if it can."""
    stored: set[SSAValue] = set()
    for op in body:
        if isinstance(op, LoadOp | StoreOp) and op.buffer in buffers:
            why = _unlike(op, nest, buffers[op.buffer])
            if why is None and isinstance(op, LoadOp) and op.buffer in stored:
                why = "an element is loaded again after it is stored"
            if why is not None:
                return why
            if isinstance(op, StoreOp):
                stored.add(op.buffer)
                if buffers[op.buffer].fragment.is_rows and nest.columns is not None:
                    why = _require_update(nest, op, body)
                    if why is not None:
                        return why
                    nest.update = op
            nest.accesses.append(op)
        elif isinstance(op, StoreOp):
            why = _unlike_memory(op, nest, body)
            if why is not None:
                return why
        elif isinstance(op, IfOp):
            why = _require_guarded(op, nest, buffers)
            if why is not None:
                return why
        elif not isinstance(op, LoadOp) and (op.regions or not is_side_effect_free(op)):
            return f"{op.name} is not an elementwise operation"
    if nest.update is not None and len(stored) > 1:
        return "elements of a row are combined beside other stores"
    return None


def _guarded(ops: Iterable[Operation]) -> Iterator[Operation]:
    """The operations in ``ops``, including operations under conditions."""
    for op in ops:
        yield op
        if isinstance(op, IfOp):
            yield from _guarded(op.then.block.ops)


def _require_guarded(guard: IfOp, nest: Nest, buffers: Mapping[SSAValue, Held]) -> str | None:
    """The reason why a lane cannot execute a body that stores only some of its elements, to memory;
    None if it can."""
    if guard.orelse.blocks:
        return "the condition of elements has an else branch"
    body = list(guard.then.block.ops)
    for op in body:
        if isinstance(op, StoreOp) and op.buffer in buffers:
            return "a condition stores only some elements of a tile of fragments"
        why = _require_body(nest, [op], buffers)
        if why is None and isinstance(op, StoreOp):
            why = _unlike_memory(op, nest, body)
        if why is not None:
            return why
    return None


def _unlike_memory(store: StoreOp, nest: Nest, body: Sequence[Operation]) -> str | None:
    """The reason why lanes cannot store their elements to memory other than fragments. None if they
    can: each element belongs to one lane, and the nest does not load from that memory.
    """
    if memory_scope(store.buffer) not in ("global", "shared", "shared.dyn"):
        return "elements are also stored to memory of threads"
    if nest.fragment.is_rows:
        return "values of rows are also stored to other memory, and several lanes hold each value"
    if any(isinstance(op, LoadOp) and op.buffer is store.buffer for op in body):
        return "elements are stored to memory that the loops also load from"
    return None


def _require_update(nest: Nest, store: StoreOp, body: Sequence[Operation]) -> str | None:
    """The reason why a store to the value of a row does not combine the elements of the row; None
    if it does: ``M[i] = M[i] op x`` with an operation that is independent of the order.
    """
    step = store.value.owner
    loads = [op for op in body if isinstance(op, LoadOp) and op.buffer is store.buffer]
    if (
        not isinstance(step, COMBINERS)
        or step not in body
        or len(loads) != 1
        or list(step.operands).count(loads[0].result) != 1
        or not loads[0].result.has_one_use()
        or not step.results[0].has_one_use()
        or loads[0].indices != store.indices
        or list(loads[0].operands_of_map) != list(store.operands_of_map)
    ):
        return "a value of a row is stored for each element, and not combined with the elements"
    if nest.fragment.is_rows:
        return "no element of a tile is combined"
    return None


def _unlike(op: LoadOp | StoreOp, nest: Nest, held: Held) -> str | None:
    """The reason why a lane that holds an element of the nest does not also hold the accessed
    element; None if it does.
    """
    own, fragment = nest.fragment, held.fragment
    each = (
        fragment.each if isinstance(op, StoreOp) else 1
    )  # words are stored when they are complete
    for number in range(own.words * own.each):
        places = [_find(fragment, own, number, begin) for begin in nest.tiles]
        if any(place is None or place[1] % each != number % each for place in places):
            return f"a lane holds different elements of {fragment} than of {own}"
    index = IndexValues()
    offsets = _offsets(op, nest, held, index)
    own_dims = {dim for loop in nest.loops for dim in dimensions(index.expr(loop.var))}
    if any(own_dims & set(dimensions(offset)) for offset in offsets):
        return "its indices are not the variables of the loops"
    for position, size in zip(held.positions, fragment.tile, strict=True):
        if divisor(offsets[position]) % size:
            return "its elements do not begin at the first element of a tile"
    return None


def _offsets(op: LoadOp | StoreOp, nest: Nest, held: Held, index: IndexValues) -> list[AffineExpr]:
    """The indices of an access, without the variables of the loops over the rows and the
    columns."""
    offsets = [index.compose(expr, op.operands_of_map) for expr in op.indices.data.results]
    for position, loop in zip(held.positions, nest.loops, strict=False):
        offsets[position] = index.simplify(offsets[position] - index.expr(loop.var))
    return offsets
