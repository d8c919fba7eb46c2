"""Loops over the elements of fragments: each lane does those that it holds.

::

    tir.for %i in 64 {
      tir.for %j in 32 {
        %c = tir.load %C[%i, %j] : memref<64x32xf32, "m64n32k16.matrixC">
        %b = tir.load %bias[%j] : memref<32xf32>
        %d = arith.addf %c, %b : f32
        tir.store %d, %D[%i, %j] : memref<64x32xf32, "m64n32k16.matrixC">
      }
    }

What follows a product element by element is done with the registers that hold its sums. All
elements that a lane holds of a tile are known (``FragmentAttr.lane_map``), so the loops become
one copy of their body for each of them. A part of ``lower-fragments``: nests change together with
the buffers that they use, so there is no rewrite pattern.

CUTLASS calls this a fused epilogue.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import MemRefType, VectorType
from xdsl.dialects.vector import ExtractOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.traits import is_side_effect_free

from kc.analysis.index_values import IndexValues, dimensions
from kc.analysis.loop_tree import all_loops_around, path_to
from kc.analysis.vector_alignment import divisor
from kc.dialects import llvm
from kc.dialects.nvvm import ConvertFloatToTF32Op, FragmentAttr
from kc.dialects.tir import ApplyOp, ForKind, ForOp, IfOp, LoadOp, StoreOp
from kc.dialects.tir.threads import LANE_AXES
from kc.dialects.vector import FromElementsOp
from kc.transforms.tir.unify_thread_binding import axes_of

MOST = 512
"""The elements of a lane that there may be a copy of the body for."""

_SERIAL = (ForKind.SERIAL, ForKind.UNROLLED)


@dataclass(frozen=True)
class Held:
    """A buffer of fragments, as its elements are."""

    fragment: FragmentAttr
    positions: tuple[int, int]
    """The dimensions of the buffer that are those of a tile."""
    memory: SSAValue | None = None
    """The registers in its place."""


@dataclass
class Nest:
    """Two loops over elements of tiles."""

    rows: ForOp
    columns: ForOp
    fragment: FragmentAttr
    accesses: list[LoadOp | StoreOp] = field(default_factory=list)
    """Those of buffers of fragments."""

    def lower(self, buffers: Mapping[SSAValue, Held]) -> None:
        """Put copies of the body for the elements of a lane in the place of the loops."""
        (x,) = (loop for loop in all_loops_around(self.rows) if loop.axis == LANE_AXES[0])
        lane = AffineExpr.dimension(0) % self.fragment.lanes
        map_ = self.fragment.lane_map()
        assert map_ is not None
        height, width = self.fragment.tile
        count = self.fragment.words * self.fragment.each
        body = [*self.rows.body.block.ops, *self.columns.body.block.ops]
        body.remove(self.columns)
        home = self.rows.parent
        assert home is not None
        for row in range(0, self.rows.static_extent or 0, height):
            for column in range(0, self.columns.static_extent or 0, width):
                parts: dict[SSAValue, list[SSAValue]] = {}
                for number in range(count):
                    down, right = map_.replace_dims_and_symbols(
                        [lane, AffineExpr.constant(number)], [], 1, 0
                    ).results
                    element = _Element(self, buffers, (row, column), number, parts)
                    home.insert_ops_before(element.copy(body, x.var, down, right), self.rows)
        self.rows.detach()
        self.rows.erase(safe_erase=False)


@dataclass
class _Element:
    """What a lane does for one of its elements of a tile."""

    nest: Nest
    buffers: Mapping[SSAValue, Held]
    begin: tuple[int, int]
    """Where the tile begins."""
    number: int
    parts: dict[SSAValue, list[SSAValue]]
    """What is to be stored in the word that is not complete, by the buffer."""
    ops: list[Operation] = field(default_factory=list)

    def copy(
        self, body: Sequence[Operation], x: SSAValue, down: AffineExpr, right: AffineExpr
    ) -> list[Operation]:
        """The body for this element, in no block."""
        row, column = self.begin
        nest = self.nest
        values: dict[SSAValue, SSAValue] = {
            nest.rows.var: self._emit(ApplyOp(down + row, [x])),
            nest.columns.var: self._emit(ApplyOp(right + column, [x])),
        }
        for op in body:
            if isinstance(op, LoadOp) and op.buffer in self.buffers:
                values[op.result] = self._load(op)
            elif isinstance(op, StoreOp) and op.buffer in self.buffers:
                self._store(op, values.get(op.value, op.value))
            else:
                copy = op.clone(values)
                self.ops.append(copy)
        for op in self.ops:
            op.location = nest.rows.location
        return self.ops

    def _emit(self, op: Operation) -> SSAValue:
        self.ops.append(op)
        return op.results[0]

    def _word(self, op: LoadOp | StoreOp) -> tuple[SSAValue, AffineMap, list[SSAValue], int]:
        """The registers of a buffer, the word of them, and the part of it."""
        held = self.buffers[op.buffer]
        assert held.memory is not None
        index = IndexValues()
        offsets = _offsets(op, self.nest.rows, self.nest.columns, held, index)
        for position, size, begin in zip(
            held.positions, held.fragment.tile, self.begin, strict=True
        ):
            offsets[position] = index.simplify((offsets[position] + begin) // size)
        word, part = divmod(self.number, held.fragment.each)
        map_, operands = index.to_map([*offsets, AffineExpr.constant(word)])
        return held.memory, map_, list(operands), part

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
        self.ops.append(StoreOp(value, memory, map_, operands))


def nest_of(access: LoadOp | StoreOp, buffers: Mapping[SSAValue, Held]) -> Nest | str:
    """The loops over elements that an access to a buffer of fragments is in, or why they are none
    that lanes can do."""
    columns = access.parent_op()
    rows = columns.parent_op() if columns is not None else None
    for loop in (columns, rows):
        if not isinstance(loop, ForOp) or loop.axis is not None or loop.kind.data not in _SERIAL:
            return "it is not in two loops over the rows and the columns of tiles"
    assert isinstance(rows, ForOp)
    assert isinstance(columns, ForOp)
    fragment = buffers[access.buffer].fragment
    nest = Nest(rows, columns, fragment)
    if fragment.lane_map() is None:
        return f"it is open which lane has which element of {fragment}"
    height, width = fragment.tile
    extents = (rows.static_extent or 1, columns.static_extent or 1)
    if extents[0] % height or extents[1] % width:
        return (
            f"the loops have {extents[0]} x {extents[1]} iterations, and tiles {height} x {width}"
        )
    copies = extents[0] * extents[1] // fragment.lanes
    if copies > MOST:
        return f"a lane has {copies} elements, and there may be {MOST}"
    beside = [op for op in rows.body.block.ops if op is not columns]
    body = list(columns.body.block.ops)
    if any(op.regions or not is_side_effect_free(op) for op in beside):
        return f"there is more in loop {rows.label} than loop {columns.label}"
    stored: set[SSAValue] = set()
    for op in body:
        if isinstance(op, LoadOp | StoreOp) and op.buffer in buffers:
            why = _unlike(op, nest, buffers[op.buffer])
            if why is None and isinstance(op, LoadOp) and op.buffer in stored:
                why = "an element is read again behind where it is stored"
            if why is not None:
                return why
            if isinstance(op, StoreOp):
                stored.add(op.buffer)
            nest.accesses.append(op)
        elif isinstance(op, StoreOp):
            return "elements are also stored in other memory"
        elif not isinstance(op, LoadOp) and (op.regions or not is_side_effect_free(op)):
            return f"{op.name} is not done for each element alone"
    around = [op for op in path_to(rows) if isinstance(op, IfOp | ForOp)]
    conditions = [value for op in around if isinstance(op, IfOp) for value in op.operands]
    if any(axis == LANE_AXES[0] for value in conditions for axis in axes_of(value)):
        return "threadIdx.x says whether it is done"
    if not any(isinstance(op, ForOp) and op.axis == LANE_AXES[0] for op in around):
        return "there are no lanes along threadIdx.x"
    return nest


def _unlike(op: LoadOp | StoreOp, nest: Nest, held: Held) -> str | None:
    """Why a lane that has an element of the nest does not have this one; None if it does."""
    own, given = nest.fragment, held.fragment
    if (own.tile, own.lanes, own.lane_map()) != (given.tile, given.lanes, given.lane_map()):
        return f"lanes have other elements of {given} than of {own}"
    index = IndexValues()
    offsets = _offsets(op, nest.rows, nest.columns, held, index)
    own_dims = {
        dim for loop in (nest.rows, nest.columns) for dim in dimensions(index.expr(loop.var))
    }
    if any(own_dims & set(dimensions(offset)) for offset in offsets):
        return "its indices are not those of the loops"
    for position, size in zip(held.positions, given.tile, strict=True):
        if divisor(offsets[position]) % size:
            return "its elements do not begin where a tile does"
    return None


def _offsets(
    op: LoadOp | StoreOp, rows: ForOp, columns: ForOp, held: Held, index: IndexValues
) -> list[AffineExpr]:
    """The indices of an access, without the loops over the rows and the columns."""
    offsets = [index.compose(expr, op.operands_of_map) for expr in op.indices.data.results]
    for position, loop in zip(held.positions, (rows, columns), strict=True):
        offsets[position] = index.simplify(offsets[position] - index.expr(loop.var))
    return offsets
