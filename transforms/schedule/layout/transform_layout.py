"""transform_layout: the elements of a buffer get other indices.

Before, ``transform-layout block=B buffer=B index_map=(i, j)->(i floordiv 4, j, i mod 4)``::

    %B = tir.alloc "B" : memref<16x8xf32>
    tir.for %i in 16 {
      tir.for %j in 8 {
        tir.block "B" (spatial %v_i in 16 = %i, spatial %v_j in 8 = %j) do {
          tir.store %b, %B[%v_i, %v_j] : memref<16x8xf32>

After::

    %B = tir.alloc "B" : memref<4x8x4xf32>
    tir.for %i in 16 {
      tir.for %j in 8 {
        tir.block "B" (spatial %v_i in 16 = %i, spatial %v_j in 8 = %j) do {
          tir.store %b, %B[%v_i floordiv 4, %v_j, %v_i mod 4] : memref<4x8x4xf32>

All accesses to the buffer change, loops and blocks do not (``transform_block_layout`` rearranges
those). An option names the buffer by its name, by its position among the buffers that the block
writes, or as ``read:0`` and ``write:0`` (in Python ``("read", 0)``).

The new shape is the smallest that contains the results of the map. Elements to which no index is
mapped are padding (14 elements in rows of 4 need 16). They are never read, so they may be undefined
in a buffer of the function; with ``pad_value``, a number or a function of the new index, blocks
after the last writer write them (``B_pad``, with as few conditions and iterations as the padding
needs). The caller sees the padding of an output, so the padding needs a value.

For an argument, the function's signature changes: its type, and ``kc.shape`` where it has one.
Callers pass arrays in the new layout. The caller determines the padding of an array that is only
read.

A map with ``xor`` that keeps the shape of a buffer of the function is a *swizzle*::

    transform-layout block=S buffer=S index_map=(i, j)->(i, j xor (i mod 8) * 8)

The swizzle is an attribute of the buffer (``tir.swizzle``), and ``swizzle-storage`` applies it when
loops and fragments have their final form. Until then accesses have the indices of the program, so
that tiles of the buffer stay tiles for ``tensorize``.

``axis_separator`` between results (in Python ``IndexMap.AXIS_SEPARATOR``) separates the dimensions
of different axes of physical memory: see ``set_axis_separator``.

*Legal when*

1. KC3300, KC3303, KC3504: the block uses the buffer, and only loads and stores of single elements
   (for a swizzled one also views) use it; it has no declared strides.
2. KC3501, KC3503, KC3515: the map takes as many indices as the buffer has dimensions, to indices
   that are at least 0, and separators stand between them. KC3499: its constants fit 64 bits.
3. KC3502: no two elements are mapped to the same place. This is proven for all symbolic sizes;
   ``assume_injective_transform`` replaces a missing proof, never a disproof, and becomes an
   attribute of the buffer (``layout_assumed_injective``).
4. KC3505: an output has no padding, or there is a ``pad_value``; KC3506: a value that elements can
   hold.
5. KC3507, KC3508, KC3510: for an argument, some argument still determines each symbolic size, the
   module does not call the function, and no unnamed size is queried.
6. KC3509: the buffer has no attribute for single dimensions (storage_align, axis separators), and
   no swizzle.

A map that changes nothing (KC3511) and a pad_value without padding to write (KC3512) get a warning.

TVM: ``transform_layout``. Halide: ``reorder_storage``. Exo: ``rearrange_dim``, ``divide_dim``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint

from kc.analysis import loop_tree
from kc.analysis.accesses.regions import buffers_read, buffers_written, stores_to
from kc.analysis.affine.affine_relations import Conditions, hull, unreached
from kc.analysis.affine.index_values import IndexValues, substitute
from kc.analysis.affine.simplify_affine import simplify, simplify_constraints
from kc.analysis.loop_tree import buffer_name
from kc.dialects.affine_assembly import ZERO
from kc.dialects.tir import AllocOp, ApplyOp, BlockOp, LoadOp, StoreOp
from kc.support.diagnostics import warn
from kc.support.locations import location_of
from kc.transforms.affine_rewrite import fits_index
from kc.transforms.schedule._buffers import (
    BufferRef,
    find_buffer,
    fresh_name,
    require_noted,
    require_plain_uses,
)
from kc.transforms.schedule._copies import child_at
from kc.transforms.schedule._index_map import IndexMap
from kc.transforms.schedule._nests import Nest, new_body, new_loops, spatial_iters, wrap
from kc.transforms.schedule._sizes import DimensionSize, Shape, realize_size, size_value, sizes_of
from kc.transforms.schedule.base import CALL_SITE, BlockRef, Primitive, Rewritten, Site
from kc.transforms.schedule.layout._buffer_notes import (
    SEPARATORS,
    buffer_attribute,
    require_separators,
    separators_attr,
    set_buffer_attribute,
)
from kc.transforms.schedule.layout._layouts import (
    Layout,
    apply_layout,
    require_argument_layout,
    require_layout,
    require_movable,
)


@dataclass(frozen=True)
class Plan:
    """The layout, and the pieces of the padding to which a value is written."""

    block: BlockOp
    layout: Layout
    padding: Sequence[Conditions]
    warning: tuple[str, str, str] | None


@dataclass(frozen=True)
class TransformLayout(Primitive):
    """Change the layout of a buffer."""

    name: ClassVar[str] = "transform-layout"

    block: BlockRef = field(metadata={"help": "a block that uses the buffer"})
    buffer: BufferRef = field(
        metadata={
            "help": "the buffer: its name, or read:N, write:N or N for the N-th written",
            "implied": "0",
        }
    )
    index_map: IndexMap = field(
        metadata={
            "help": "the new index of each element: (i, j)->(j, i)",
            "also": {"map": "*"},
        }
    )
    pad_value: PadValue | None = field(
        default=None,
        metadata={"help": "the value of new elements: a number, or (i, j)->(value)"},
    )
    assume_injective_transform: bool = field(
        default=False,
        metadata={"help": "assume that the map is injective where that cannot be proven"},
    )

    def check(self, site: Site) -> Plan:
        block = site.resolve_block(self.block)
        buffer = find_buffer(site, block, self.buffer, "uses")
        require_plain_uses(site, block, buffer, with_views=self._notes_swizzle(buffer))
        require_noted(site, block, buffer)
        require_movable(site, block, buffer)
        self._require_no_notes(site, block, buffer)
        layout = require_layout(
            site,
            block,
            buffer,
            self.index_map,
            self.assume_injective_transform,
        )
        if layout.new.sizes != layout.old.sizes:
            require_plain_uses(site, block, buffer)
        require_separators(
            site,
            block,
            buffer,
            self.index_map.separators,
            len(self.index_map.results),
        )
        require_argument_layout(site, block, layout)
        self._require_numbers(site, block, layout)
        if self._notes_swizzle(buffer) and layout.new.sizes == layout.old.sizes:
            return Plan(block, layout, (), self._warning(layout, ()))
        padding = self._padding(site, block, layout)
        return Plan(block, layout, padding, self._warning(layout, padding))

    def _require_numbers(self, site: Site, block: BlockOp, layout: Layout) -> None:
        """Refuse (KC3499) indices with constants of more than 64 bits."""
        for access in (use.operation for use in layout.buffer.uses):
            if not isinstance(access, LoadOp | StoreOp):
                continue
            indices = list(access.indices.data.results)
            for expr in layout.map.results:
                if fits_index(simplify(expr.replace_dims_and_symbols(indices, []), ())):
                    continue
                raise site.refuse(
                    "KC3499",
                    f"{buffer_name(layout.buffer)} would have indices with constants of more than "
                    "64 bits",
                    at=block,
                    why=f"{self.index_map} multiplies the constants in its present indices",
                )

    def _notes_swizzle(self, buffer: SSAValue) -> bool:
        """True if the map becomes an attribute of the buffer, provided that it preserves the
        shape.
        """
        return isinstance(buffer.owner, AllocOp) and (
            self.index_map.is_swizzle and not self.index_map.separators
        )

    def _require_no_notes(self, site: Site, block: BlockOp, buffer: SSAValue) -> None:
        notes = ["storage_align", "swizzle"]
        if not self.index_map.separators:
            notes.append(SEPARATORS)
        for key in notes:
            if buffer_attribute(site.function, buffer, key) is None:
                continue
            what = "set_axis_separator" if key == SEPARATORS else key
            if key == "swizzle":
                raise site.refuse(
                    "KC3509",
                    f"{buffer_name(buffer)} of block {block.label} has a swizzle",
                    at=block,
                    why="the swizzle refers to the present elements",
                    hints=["use one map for both changes"],
                )
            raise site.refuse(
                "KC3509",
                f"{buffer_name(buffer)} of block {block.label} has {key}",
                at=block,
                why="it refers to dimensions that would no longer exist",
                hints=[f"transform_layout first, then {what}"]
                + (["name the new ones by axis_separator in the map"] if key == SEPARATORS else []),
            )

    def _padding(self, site: Site, block: BlockOp, layout: Layout) -> Sequence[Conditions]:
        """The elements that get ``pad_value``, in pieces."""
        buffer = layout.buffer
        is_output = not isinstance(buffer.owner, AllocOp) and bool(stores_to(buffer))
        if not is_output and (self.pad_value is None or not stores_to(buffer)):
            return ()
        name = buffer_name(buffer)
        pieces = unreached(layout.map.results, layout.old.box, layout.new.sizes)
        if pieces == []:
            return ()
        if self.pad_value is None or pieces is None:
            raise site.refuse(
                "KC3505",
                f"the output {name} would have padding",
                at=block,
                why="the caller sees the whole buffer, and the padding would be undefined"
                if pieces is not None
                else "the padded part is too complex to determine",
                hints=["pad_value=0", f"use a map whose factors divide the sizes of {name}"],
            )
        assert isinstance(buffer.type, MemRefType)
        problem = self.pad_value.problem(buffer.type.element_type, len(layout.new.sizes))
        if problem is not None:
            raise site.refuse(
                "KC3506",
                f"pad_value {self.pad_value} for {name}",
                at=block,
                why=problem,
                hints=["pad_value=0"],
            )
        if any(isinstance(parameter, DimensionSize) for parameter in layout.new.parameters):
            raise site.refuse(
                "KC3510",
                f"a dimension of {name} has no name",
                at=block,
                why="the amount of padding depends on a size that only the old shape determines",
                hints=["give the argument a kc.shape of symbolic sizes"],
            )
        return pieces

    def _warning(
        self, layout: Layout, padding: Sequence[Conditions]
    ) -> tuple[str, str, str] | None:
        name = buffer_name(layout.buffer)
        if layout.map.is_identity:
            why = f"{layout.map} leaves every element of {name} in place"
            return "KC3511", "transform_layout changes nothing", why
        if self.pad_value is not None and not padding:
            why = (
                "every element of the new shape holds one of the old shape"
                if stores_to(layout.buffer)
                else "the function only reads it, so its padding holds what the caller put there"
            )
            return "KC3512", f"transform_layout: nothing of {name} gets the pad_value", why
        return None

    @classmethod
    def indices(cls, site: Site, options: Mapping[str, Any]) -> int:
        block = site.resolve_block(options["block"])
        buffer = find_buffer(site, block, options.get("buffer", BufferRef(0)), "uses")
        assert isinstance(buffer.type, MemRefType)
        return buffer.type.get_num_dims()

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for block in loop_tree.blocks(site.function):
            for buffer in dict.fromkeys([*buffers_written(block), *buffers_read(block)]):
                for map_ in _useful(buffer):
                    yield cls(BlockRef(block), BufferRef(buffer), map_)
                    if buffer in buffers_written(block):
                        yield cls(BlockRef(block), BufferRef(buffer), map_, PadValue(0))

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        if plan.warning is not None:
            code, message, why = plan.warning
            warn(code, message, location=CALL_SITE.get() or location_of(plan.block), why=why)
        buffer = plan.layout.buffer
        if self._notes_swizzle(buffer) and plan.layout.new.sizes == plan.layout.old.sizes:
            set_buffer_attribute(site.function, buffer, "swizzle", plan.layout.map.attr())
            return Rewritten()
        buffer = apply_layout(site, plan.layout, plan.block)
        separators = separators_attr(plan.layout.map.separators)
        set_buffer_attribute(site.function, buffer, SEPARATORS, separators)
        if plan.layout.assumed:
            set_buffer_attribute(site.function, buffer, "layout_assumed_injective", UnitAttr())
        blocks: list[BlockOp] = []
        if plan.padding:
            assert self.pad_value is not None
            blocks = fill_padding(
                site, buffer, plan.layout.new, plan.padding, self.pad_value, plan.block
            )
        return Rewritten(blocks=tuple(blocks))


def _useful(buffer: SSAValue) -> Iterator[IndexMap]:
    """Useful maps: the transposed layout, rows of 4, and one row."""
    assert isinstance(buffer.type, MemRefType)
    shape = buffer.type.get_shape()
    dims = [AffineExpr.dimension(n) for n in range(len(shape))]
    names = tuple(f"i{n}" for n in range(len(shape)))
    if len(shape) > 1:
        yield IndexMap(names, tuple(reversed(dims)))
    if shape:
        yield IndexMap(names, (*dims[:-1], dims[-1] // 4, dims[-1] % 4))
    if len(shape) > 1 and shape[1] > 0:
        yield IndexMap(names, (dims[0] * shape[1] + dims[1], *dims[2:]))


# Padding --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PadValue:
    """The value of padding: a number, or a function of the new index, ``(i, j)->(i + j)``."""

    value: int | float | IndexMap

    @classmethod
    def from_option(cls, text: str) -> Self:
        """The value in the text of an option."""
        if text in ("true", "false"):
            return cls(int(text == "true"))
        for convert in (int, float):
            try:
                return cls(convert(text))
            except ValueError:
                continue
        return cls(IndexMap.from_option(text))

    @classmethod
    def of(cls, value: Any) -> Self:
        """The padding value for a Python value."""
        if isinstance(value, PadValue):
            return cls(value.value)
        number = getattr(value, "value", None)  # of a constant, such as tir.IntImm("int32", 0)
        value = number if isinstance(number, int | float) else value
        if isinstance(value, int | float):
            return cls(value if isinstance(value, float) else int(value))
        return cls.from_option(value) if isinstance(value, str) else cls(IndexMap.of(value))

    def __str__(self) -> str:
        return str(self.value)

    def problem(self, element: Attribute, rank: int) -> str | None:
        """The reason why elements of this type, in a buffer of this rank, cannot have the value;
        None if they can.
        """
        value = self.value
        if isinstance(value, IndexMap):
            if len(value.results) != 1 or len(value.names) != rank:
                return f"a function of the new index maps {rank} to one value"
            fits = isinstance(element, IndexType | AnyFloat) or (
                isinstance(element, IntegerType) and element.width.data > 1
            )
            return None if fits else f"elements are {element}"
        if isinstance(element, AnyFloat):
            return None if _rounds(value, element) else f"elements are {element}: it is too large"
        if isinstance(value, float):
            return f"elements are {element}"
        bits = element.width.data if isinstance(element, IntegerType) else 64
        low, high = -(1 << (bits - 1)), (1 << bits) - 1
        return None if low <= value <= high else f"elements are {element}: {low} to {high}"

    def build(self, element: Attribute, indices: Sequence[SSAValue]) -> list[Operation]:
        """Operations whose last result is the value at ``indices``."""
        value = self.value
        if isinstance(value, IndexMap):
            ops: list[Operation] = [ApplyOp(value.results[0], list(indices))]
            if isinstance(element, IntegerType):
                ops.append(arith.IndexCastOp(ops[-1].results[0], element))
            elif isinstance(element, AnyFloat):
                ops.append(arith.IndexCastOp(ops[-1].results[0], i64))
                ops.append(arith.SIToFPOp(ops[-1].results[0], element))
            return ops
        if isinstance(element, AnyFloat):
            return [arith.ConstantOp(FloatAttr(float(value), element))]
        assert isinstance(value, int)
        assert isinstance(element, IntegerType | IndexType)
        return [arith.ConstantOp(IntegerAttr(value, element))]


def _rounds(value: int | float, element: AnyFloat) -> bool:
    """True if ``value`` rounds to a finite number of the type ``element``, or is not finite."""
    try:
        rounded = FloatAttr(float(value), element).value.data
    except OverflowError:
        return False
    # Narrow formats round larger numbers to infinity or NaN.
    if math.isfinite(value) and not math.isfinite(rounded):
        return False
    return True


def fill_padding(
    site: Site,
    buffer: SSAValue,
    shape: Shape,
    pieces: Sequence[Conditions],
    pad: PadValue,
    like: BlockOp,
) -> list[BlockOp]:
    """Write ``pad`` to the padding: one block for each piece, after all writers of the buffer."""
    home = buffer.owner if isinstance(buffer.owner, Block) else buffer.owner.parent
    assert home is not None
    last = [child_at(home, store) for store in stores_to(buffer)]
    after = next(op for op in reversed(list(home.ops)) if op in last)
    sizes = [size_value(site, size, like) for size in sizes_of(site, buffer)]
    parameters = _parameter_values(site, shape, after, like)
    blocks: list[BlockOp] = []
    for piece in pieces:
        nest = _fill(site, after, buffer, shape, piece, pad, sizes, parameters, like)
        if nest is not None:
            home.insert_op_after(nest.top, after)
            after = nest.top
            blocks.append(nest.block)
    return blocks


def _parameter_values(
    site: Site, shape: Shape, before: Operation, like: Operation
) -> list[SSAValue]:
    values: list[SSAValue] = []
    for n in range(len(shape.parameters)):
        value = realize_size(site, AffineExpr.dimension(n), shape, InsertPoint.before(before), like)
        assert isinstance(value, SSAValue)
        values.append(value)
    return values


def _fill(
    site: Site,
    anchor: Operation,
    buffer: SSAValue,
    shape: Shape,
    piece: Conditions,
    pad: PadValue,
    sizes: Sequence[int | SSAValue],
    parameters: Sequence[SSAValue],
    like: BlockOp,
) -> Nest | None:
    """A nest that writes one piece of the padding; None if the piece is empty."""
    index = IndexValues()
    ranges = hull(piece, shape.sizes, len(shape.parameters))
    lengths = [
        size if bounds is None else bounds[1] - bounds[0] + 1
        for size, bounds in zip(sizes, ranges, strict=True)
    ]
    loops = new_loops(site, lengths, anchor)
    bindings = [
        index.expr(loop.var) + (0 if bounds is None else bounds[0])
        for loop, bounds in zip(loops, ranges, strict=True)
    ]
    values = dict(enumerate([*bindings, *(index.expr(parameter) for parameter in parameters)]))
    conditions = simplify_constraints(
        [
            type(constraint)(constraint.kind, substitute(constraint.lhs, values), ZERO)
            for constraint in piece
        ],
        index.ranges,
    )
    if conditions is None:
        return None
    rank = len(sizes)
    body = new_body(rank)
    assert isinstance(buffer.type, MemRefType)
    ops = pad.build(buffer.type.element_type, body.args)
    ops.append(StoreOp(ops[-1].results[0], buffer, AffineMap.identity(rank), body.args))
    body.add_ops(ops)
    block = BlockOp(
        fresh_name(site, f"{buffer_name(buffer)}_pad"),
        spatial_iters(sizes),
        *index.to_map(bindings),
        Region(body),
        None,
        *index.to_set(conditions),
    )
    return wrap(loops, block, like)
