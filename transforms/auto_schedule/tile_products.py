"""tile-product: products of matrices and convolutions by x86's tile registers (AMX).

``tdpbf16ps``, ``tdpbusd`` and similar instructions multiply a tile of A, of up to 16 rows of 64
bytes, by a tile of B, and add the products to a tile of 16 x 16 sums. The sums of two by two tiles
stay in registers over the whole reduction (``amx.tile``), so that each loaded tile of an operand is
used twice::

    pack the operand of the columns                     # words of a column side by side
    for columns in tiles (parallel): for rows in tiles:
      sums = 0                                          # four tile registers
      for reduction in words of 64 bytes:
        a, b = two tiles of each operand                # four tile registers
        sums += a * b
      result = epilogue(sums)

Tiles have the height that divides the rows best: an instruction takes as many cycles as A has rows.
Columns and terms that are not multiples of 16 and of 64 bytes, and sizes that are unknown before
the call, are padded with zeros where the operands are packed. The model counts the cycles of
packing, and of the instructions or of the loads, whichever take longer. If vectors are as fast, the
product is left to the next rules.

``tdpbf16ps`` treats subnormal numbers as zero, as ``vdpbf16ps`` does; see
:mod:`kc.transforms.auto_schedule.versions`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue

from kc.dialects.affine_assembly import linear_terms
from kc.dialects.tir import ForOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.auto_schedule import pointwise
from kc.transforms.auto_schedule.checked_packing import look_while_packing
from kc.transforms.auto_schedule.contraction import (
    columns_last,
    contraction_behind,
    finish_sums,
)
from kc.transforms.auto_schedule.dot_products import product_of
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.machine import Machine
from kc.transforms.auto_schedule.nests import (
    Access,
    Nest,
    extent,
    is_constant,
    is_untouched,
    iterations,
    loop_of_dimension,
)
from kc.transforms.auto_schedule.rule import Rule
from kc.transforms.intrinsics.tile_names import (
    PRODUCTS,
    ROW_BYTES,
    ROWS,
    SCOPE,
    fill_name,
    load_a_name,
    load_b_name,
    pack_columns_name,
    store_name,
    sync_name,
)
from kc.transforms.intrinsics.transpose_names import transpose_name
from kc.transforms.trace.handles import BlockRV, LoopRV

GRIDS = ((2, 2), (1, 3), (3, 1), (1, 2), (2, 1), (1, 1))
"""The possible grids of tiles of sums, down and across. Each row of the grid needs a tile of A, and
each column a tile of B: eight registers at most.
"""

LEAST_ROWS, LEAST_COLUMNS = 4, 8
"""The minimum numbers of rows and columns of a product. Smaller products take the time of reading
one operand, which vectors read as fast.
"""

LINES_PER_CYCLE = 2
"""The number of tile rows that can be loaded from L1 per clock cycle."""

BEGIN = 60
"""The cycles from the first instruction of a reduction to the last result, in addition to the
cycles of the instructions.
"""

ROW_STORE = 2
"""The cycles to store a row of a tile of sums, and to load it again."""

TURN = 4
"""The factor of these cycles if the columns of the sums are not contiguous in the result."""

PACKED_BYTES = 4
"""The number of bytes that packing moves in a cycle."""

EXPONENT = -55
"""The exponent of the smallest magnitude of bf16 operands for which tiles are exact. The products,
and so the sums, are then multiples of 2^-124, so that no sum is subnormal.
"""

_EXTENSIONS = {"arith.extui": "u8", "arith.extsi": "i8"}


@dataclass(frozen=True)
class TileProduct:
    """A product, and the tiles that compute it."""

    rows: ForOp
    columns: ForOp
    terms: ForOp
    a: Access
    """The operand that depends on the rows and not on the columns."""
    b: Access
    types: str
    """A key of :data:`kc.transforms.intrinsics.tile_names.PRODUCTS`."""
    height: int
    """The number of rows of a tile."""
    grid: tuple[int, int]
    """The numbers of tiles of sums down and across."""
    cycles: float

    @property
    def instruction(self) -> str:
        """The instruction that multiplies tiles."""
        return PRODUCTS[self.types][0]

    @property
    def element(self) -> str:
        """The type of the operands' elements."""
        return "i8" if "8" in self.types else self.types

    @property
    def total(self) -> str:
        """The type of the sums."""
        return "i32" if "8" in self.types else "f32"

    @property
    def group(self) -> int:
        """The number of elements in a word."""
        return 4 if "8" in self.types else 2

    @property
    def depth(self) -> int:
        """The number of terms of an instruction."""
        return ROW_BYTES // 4 * self.group

    @property
    def exponent(self) -> int | None:
        """The exponent of the smallest magnitude of operands for which the instruction is exact;
        None if it is exact for all operands.
        """
        return EXPONENT if self.types == "bf16" else None

    @property
    def padding(self) -> tuple[int, int, int]:
        """The numbers of which the rows, the columns and the terms must be multiples."""
        down, across = self.grid
        return down * self.height, across * ROWS, self.depth

    @property
    def padded(self) -> set[ForOp]:
        """The loops whose extents are unknown, or are not multiples of the sizes of a tile."""
        loops = (self.rows, self.columns, self.terms)
        return {
            loop
            for loop, size in zip(loops, self.padding, strict=True)
            if loop.static_extent is None or loop.static_extent % size
        }


class TileProducts(Rule):
    """Multiply matrices of bytes, f16, or bf16 without small elements, by tile registers."""

    name = "tile-product"

    def apply(self, draft: Draft, block: str) -> bool:
        if not draft.session.target.has_feature("amx-tile"):
            return False
        nest = draft.nest(block)
        producer = None if nest.block.is_reduction else contraction_behind(nest)
        if producer is not None:
            nest = Nest(producer)
        product = tile_product_of(draft, nest)
        if product is None:
            return False
        if product.exponent is not None and draft.versions.get(nest.name) != product.exponent:
            return False
        _perform(draft, nest, product, block if producer is not None else None)
        return True


def tile_product_of(draft: Draft, nest: Nest) -> TileProduct | None:
    """The fastest product by tiles for a block; None if the block is no such product, or if vectors
    are faster.
    """
    if not draft.session.target.has_feature("amx-tile"):
        return None
    if not nest.is_plain or nest.reduction is None or not is_untouched(nest.block):
        return None
    if len(nest.stores) != 1 or len(nest.loads) != 2 or not nest.block.has_init:
        return None
    if nest.stores[0].bits != 32:
        return None
    candidates = list(_candidates(draft, nest))
    best = min(
        candidates, key=lambda choice: (choice.cycles, choice.a.stride(choice.rows)), default=None
    )
    if best is None or best.cycles > _vector_cycles(draft, nest):
        return None
    return best


def _candidates(draft: Draft, nest: Nest) -> Iterator[TileProduct]:
    store = nest.stores[0]
    for a, b in (nest.loads, nest.loads[::-1]):
        types = _types_of(a, b)
        if types is None or not draft.session.target.has_feature(PRODUCTS[types][1]):
            continue
        if None in (*loop_of_dimension(nest, b), *loop_of_dimension(nest, store)):
            continue
        for columns in nest.spatial:
            if not b.stride(columns) or a.stride(columns):
                continue
            for rows in nest.spatial:
                if b.stride(rows) or not a.stride(rows) or not a.regular:
                    continue
                for terms in nest.reduce:
                    if b.stride(terms) and a.stride(terms):
                        yield from _tilings(
                            draft.machine, nest, (rows, columns, terms), (a, b), types
                        )


def _dimension(nest: Nest, access: Access, loop: ForOp) -> int | None:
    """The dimension that a loop indexes, if the loop has coefficient 1 in it and occurs in no other
    dimension; None otherwise.
    """
    own: int | None = None
    for dim, expr in enumerate(nest.indices(access)):
        terms, _ = linear_terms(expr)
        factors = {atom: factor for atom, factor in terms.items() if nest.loop_of(atom) is loop}
        if factors and (own is not None or list(factors.values()) != [1]):
            return None
        if factors:
            own = dim
    return None if loop in access.irregular else own


def _tilings(
    machine: Machine,
    nest: Nest,
    loops: tuple[ForOp, ForOp, ForOp],
    operands: tuple[Access, Access],
    types: str,
) -> Iterator[TileProduct]:
    """The possible tilings of a product. Sizes are padded only if each index is the variable of a
    loop.
    """
    rows, columns, terms = loops
    a, b = operands
    pure = None not in (*loop_of_dimension(nest, a), *loop_of_dimension(nest, nest.stores[0]))
    pure = pure and len(nest.reduce) == 1
    m, n, k = (extent(loop) for loop in loops)
    if m < LEAST_ROWS or n < LEAST_COLUMNS:
        return
    for grid in GRIDS:
        down, across = grid
        for height in range(1, min(m, ROWS) + 1):
            product = TileProduct(rows, columns, terms, a, b, types, height, grid, 0.0)
            padded = [
                -(-size // by) * by for size, by in zip((m, n, k), product.padding, strict=True)
            ]
            if not pure and product.padded:
                continue
            if padded[0] >= m + height or padded[1] >= n + ROWS:
                continue  # a smaller grid computes the same result
            cycles = _cycles(machine, nest, product, padded)
            yield TileProduct(rows, columns, terms, a, b, types, height, grid, cycles)


def _cycles(machine: Machine, nest: Nest, product: TileProduct, padded: Sequence[int]) -> float:
    """The cycles of a product by tiles, including those of packing its operands. Constants are
    packed at compile time.
    """
    down, across = product.grid
    m, n, k = padded
    # The rates list one instruction for bytes, because all four have the same throughput.
    rate = machine.multiply_adds("tdpbusd" if "8" in product.types else product.instruction)
    row = ROWS * product.depth / rate if rate else 1
    loads = (down * product.height + across * ROWS) / min(LINES_PER_CYCLE, machine.rates.loads)
    step = max(down * across * product.height * row, loads)
    own = (product.rows, product.columns, product.terms)
    further = iterations(loop for loop in nest.loops if loop not in own)
    reduced = iterations(loop for loop in nest.reduce if loop is not product.terms)
    tiles = m // (down * product.height) * (n // (across * ROWS)) * (further // reduced)
    sums = down * across * product.height * ROW_STORE
    if nest.stores[0].stride(product.columns) != 1:
        sums *= TURN
    cycles = tiles * (BEGIN + sums + reduced * (k // product.depth) * step)
    for operand, is_packed in ((product.a, _is_packed(nest, product)), (product.b, True)):
        if is_packed and not is_constant(operand.buffer):
            size = iterations(loop for loop in nest.loops if operand.stride(loop))
            cycles += size * (operand.bits // 8) / PACKED_BYTES
    return cycles


def _is_packed(nest: Nest, product: TileProduct) -> bool:
    """True if A is copied: its terms are not contiguous, or it is padded."""
    a = product.a
    return (
        a.stride(product.terms) != 1
        or not product.padded.isdisjoint((product.rows, product.terms))
        or not _has_tiles(nest, product)
    )


def _has_tiles(nest: Nest, product: TileProduct) -> bool:
    """True if rows and terms each index a separate dimension of A, element by element."""
    own = {_dimension(nest, product.a, loop) for loop in (product.rows, product.terms)}
    return None not in own and len(own) == 2


def _vector_cycles(draft: Draft, nest: Nest) -> float:
    """The cycles of the product by vectors: dot products, or multiply-adds of f32."""
    dots = product_of(draft, nest)
    if dots is not None:
        return dots.cycles
    return iterations(nest.loops) / draft.machine.multiply_adds("fma.f32")


def _types_of(a: Access, b: Access) -> str | None:
    """The key in ``PRODUCTS`` of the operands' types; None if no instruction multiplies them."""
    elements = [_element_of(load.buffer) for load in (a, b)]
    extensions = [_extension(load) for load in (a, b)]
    if elements == ["i8", "i8"]:
        signs = [_EXTENSIONS.get(extension or "") for extension in extensions]
        return None if None in signs else f"{signs[0]}{signs[1]}"
    if elements[0] != elements[1] or extensions != ["arith.extf", "arith.extf"]:
        return None
    return elements[0] if elements[0] in ("bf16", "f16") else None


def _element_of(buffer: SSAValue) -> str:
    assert isinstance(buffer.type, MemRefType)
    return str(buffer.type.element_type)


def _extension(load: Access) -> str | None:
    """The operation that extends a loaded element; None if the element has several uses."""
    users = [use.operation.name for use in load.op.results[0].uses]
    return users[0] if len(users) == 1 else None


# The schedule ---------------------------------------------------------------------------------


def _perform(draft: Draft, nest: Nest, product: TileProduct, epilogue: str | None) -> None:
    """Schedule the product, and its ``epilogue``, the block that reads its results.

    Raises ScheduleError if a primitive is refused.
    """
    block, height, (down, across) = nest.name, product.height, product.grid
    labels = {block.label for block in draft.blocks()} - {block, epilogue}
    own = (product.rows, product.columns, product.terms)
    places = [nest.loops.index(loop) for loop in own]
    # Padding replaces loops and loads, so they are identified by their positions.
    spatial = [nest.loops.index(loop) for loop in nest.spatial if loop not in own]
    reduced = [nest.loops.index(loop) for loop in nest.reduce if loop not in own]
    is_second, has_tiles = nest.loads[1] is product.a, _has_tiles(nest, product)
    copies, last = _pad(draft, nest, product, epilogue)
    nest = draft.nest(block)
    a, b = nest.loads[::-1] if is_second else nest.loads
    rows, columns, terms = (nest.loops[place] for place in places)
    is_turned = nest.stores[0].stride(columns) != 1
    turned = columns_last(nest, columns) if is_turned else None
    packed_a, padded_b = copies
    if packed_a is None and not has_tiles:
        packed_a = _gathered(draft, nest, a, rows, terms)
    elif packed_a is None and a.stride(terms) != 1:
        packed_a = draft.session.block(_copy(draft, nest, a)).label
        _lay_out(draft, packed_a, _terms_last(nest, a, rows, terms))
    by_rows = b.stride(columns) == 1
    dims_b = loop_of_dimension(nest, b)
    at_b = dims_b.index(columns), dims_b.index(terms)
    packed_b = draft.session.block(_copy(draft, nest, b)).label
    _lay_out(draft, packed_b, _in_groups(nest, b, columns, terms, product))
    nest = draft.nest(block)
    a, b = nest.loads[::-1] if is_second else nest.loads
    number_a, number_b = nest.read_number(a.buffer), nest.read_number(b.buffer)
    is_shifted = None in loop_of_dimension(nest, a)
    rows, columns, terms = (nest.loops[place] for place in places)
    gathered = _by_loops(nest, a, rows, terms)
    loops = list(draft.loops(block).values())
    tall, row_tile, row = draft.split(loops[places[0]], [None, down, height])
    broad, column_tile, column = draft.split(loops[places[1]], [None, across, ROWS])
    steps, term = draft.split(loops[places[2]], [None, product.depth])
    outside = [*(loops[n] for n in spatial), broad, tall]
    inside = [*(loops[n] for n in reduced), steps]
    draft.put_in_order([*outside, *inside, row_tile, column_tile, row, column, term])
    if turned is not None and last is None:
        last = draft.session.block(draft.cache_write(draft.block(block), 0, "local")).label
    joined = draft.run_in_parallel(block, len(outside), symbolic=False)
    if joined > 1:
        outside[:joined] = list(draft.loops(block).values())[:1]
    at = outside[-1]
    sums = draft.cache_write(draft.block(block), 0, SCOPE)
    draft.reverse_compute_at(sums, at)
    stored, space = draft.session.block(sums).label, "global"
    if last is not None:
        space = "local"
        draft.set_scope(sums, 0, space)
        _lay_out(draft, block, turned)
        finish_sums(draft, stored, draft.block(last), outside, turned, 0)
    _tensorize(draft, stored, (height, ROWS), store_name(product.total, height, space))
    for number, shape, name in (
        (number_a, (height, product.depth), load_a_name(product.element, height)),
        (number_b, (ROWS, ROWS, product.group), load_b_name(product.element)),
    ):
        handle = draft.block(block)  # a second version of the block reads the unpacked operand
        if number == number_a and is_shifted:
            held = draft.reindex(handle, ("read", number))
            draft.set_scope(held, 0, SCOPE)
            _lay_out(draft, draft.session.block(held).label, gathered)
        else:
            held = draft.cache_read(handle, number, SCOPE, [handle])
        draft.compute_at(held, steps)
        _tensorize(draft, draft.session.block(held).label, shape, name)
    zeros = draft.decompose_reduction(draft.block(block), inside[0])
    label = draft.session.block(zeros).label
    _tensorize(draft, label, (height, ROWS), fill_name(product.total, height))
    draft.tensorize(row, sync_name(product.types, height))
    if packed_a is not None:
        _copy_in_vectors(draft, packed_a)
    if padded_b is not None:
        _copy_in_vectors(draft, padded_b)
    _pack(draft, packed_b, at_b, product, by_rows=by_rows)
    draft.settled.update(filter(None, (block, epilogue)))
    draft.settled.update({inner_block.label for inner_block in draft.blocks()} - labels)


def _pad(
    draft: Draft, nest: Nest, product: TileProduct, epilogue: str | None
) -> tuple[tuple[str | None, str | None], str | None]:
    """Pad the sizes to whole tiles. Returns the blocks that copy A and B, or None for an operand
    that is not padded, and the last block that reads the sums.
    """
    own = (product.rows, product.columns, product.terms)
    sizes = dict(zip(own, product.padding, strict=True))
    odd = product.padded
    if not odd:
        return (None, None), epilogue
    is_padded = [any(access.stride(loop) for loop in odd) for access in nest.loads]
    is_cropped = any(nest.stores[0].stride(loop) for loop in odd)
    padding = [sizes.get(loop, 1) for loop in nest.loops]
    blocks = draft.pad_einsum(draft.block(nest.name), padding)
    labels = iter([draft.session.block(handle).label for handle in blocks])
    copies = [next(labels) if needs_pad else None for needs_pad in is_padded]
    if nest.loads[0] is not product.a:
        copies.reverse()
    last = epilogue
    if is_cropped:
        crop = next(labels)
        if epilogue is None:
            last = crop
        else:
            draft.compute_inline(draft.block(crop))
    return (copies[0], copies[1]), last


def _copy(draft: Draft, nest: Nest, operand: Access) -> BlockRV:
    """A copy of an operand for this product only; another version of the product reads the operand
    itself.
    """
    handle = draft.block(nest.name)
    return draft.cache_read(handle, nest.read_number(operand.buffer), "global", [handle])


def _gathered(draft: Draft, nest: Nest, operand: Access, rows: ForOp, terms: ForOp) -> str:
    """A copy of A with a dimension for each loop, the rows and the terms last."""
    read = ("read", nest.read_number(operand.buffer))
    layout = _by_loops(nest, operand, rows, terms)
    block = draft.session.block(draft.reindex(draft.block(nest.name), read)).label
    _lay_out(draft, block, layout)
    return block


def _by_loops(nest: Nest, operand: Access, rows: ForOp, terms: ForOp) -> str:
    """The layout of the copy of A by ``reindex``, with the rows and the terms last."""
    loops = [loop for loop in nest.loops if operand.stride(loop)]
    return _with_last(len(loops), loops.index(rows), loops.index(terms))


def _lay_out(draft: Draft, block: str, layout: str | None) -> None:
    if layout is not None:
        draft.transform_layout(draft.block(block), ("write", 0), layout)


def _terms_last(nest: Nest, operand: Access, rows: ForOp, terms: ForOp) -> str:
    """The layout of A with the terms contiguous, and the rows before them."""
    at_rows, at_terms = _dimension(nest, operand, rows), _dimension(nest, operand, terms)
    assert at_rows is not None
    assert at_terms is not None
    return _with_last(len(nest.indices(operand)), at_rows, at_terms)


def _with_last(rank: int, *last: int) -> str:
    names = [f"d{n}" for n in range(rank)]
    results = [name for n, name in enumerate(names) if n not in last]
    return f"({', '.join(names)})->({', '.join([*results, *(names[n] for n in last)])})"


def _in_groups(
    nest: Nest, operand: Access, columns: ForOp, terms: ForOp, product: TileProduct
) -> str:
    """The layout of B: tiles of columns; in a tile, words of terms, then columns, then the terms of
    a word.
    """
    dims = loop_of_dimension(nest, operand)
    names = [f"d{n}" for n in range(len(dims))]
    at_columns, at_terms = dims.index(columns), dims.index(terms)
    column, term, group = names[at_columns], names[at_terms], product.group
    results = [name for n, name in enumerate(names) if n not in (at_columns, at_terms)]
    results += [
        f"{column} floordiv {ROWS}",
        f"{term} floordiv {group}",
        f"{column} mod {ROWS}",
        f"{term} mod {group}",
    ]
    return f"({', '.join(names)})->({', '.join(results)})"


def _copy_in_vectors(draft: Draft, block: str) -> None:
    name = pointwise.schedule(draft, block, 0)
    draft.run_in_parallel(name, 1)
    draft.settled.add(name)


def _pack(
    draft: Draft, block: str, at: tuple[int, int], product: TileProduct, *, by_rows: bool
) -> None:
    """Pack the operand of the columns. Whole contiguous registers are packed by an intrinsic."""
    mark = draft.mark()
    loops = list(draft.loops(block).values())
    further = [loop for n, loop in enumerate(loops) if n not in at]
    columns, column = draft.split(loops[at[0]], [None, ROWS])
    size = product.group if by_rows else product.depth
    words, term = draft.split(loops[at[1]], [None, size])
    draft.put_in_order([*further, columns, words, column, term])
    is_checked = look_while_packing(draft, block, at, (ROWS, size))
    draft.run_in_parallel(block, 1 if is_checked else len(further) + 1)
    by_columns = pack_columns_name(product.element)
    name = transpose_name(product.element, product.group, ROWS) if by_rows else by_columns
    try:
        draft.tensorize(list(draft.loops(block).values())[-2], name)
    except ScheduleError:
        draft.return_to(mark)
        _copy_in_vectors(draft, block)


def _tensorize(draft: Draft, block: str, shape: tuple[int, ...], intrinsic: str) -> None:
    """Replace the tiles of a block by an intrinsic. The last loops of the block iterate over a
    tile.
    """
    loops = draft.loops(block)
    store = draft.nest(block).stores[0]
    inner = sorted(list(loops)[-len(shape) :], key=lambda loop: -store.stride(loop))
    outside: list[LoopRV] = []
    tile: list[LoopRV] = []
    for loop, size in zip(inner, shape, strict=True):
        handle = loops[loop]
        if loop.static_extent != size:
            outer, handle = draft.split(handle, [None, size])
            outside.append(outer)
        tile.append(handle)
    draft.put_in_order([*outside, *tile])
    draft.tensorize(tile[0], intrinsic)
