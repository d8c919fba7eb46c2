"""dot-product: products of narrow numbers by instructions that sum several products at once.

x86's ``vpdpbusd`` and AArch64's ``sdot``, ``udot`` and ``usdot`` add four products of bytes to each
of the 32-bit sums in a register; x86's ``vpmaddwd`` and ``vpdpwssd`` add two products of 16-bit
numbers. The operand of the columns is packed so that a register of it is contiguous, with the
numbers of a sum side by side; a tile of sums stays in registers::

    for columns in tiles (parallel):
      pack a panel of the operand of the columns
      for rows in tiles: for further terms: for terms in fours:
        for rows of the tile, for columns of the tile (unrolled): instruction
      result = epilogue(sums)

Convolutions are computed in the same way: the rows are positions along an image, the terms its
channels, or the elements of a window that are neighbours in memory. Partial tiles are padded with
zeros (``pad_einsum``); a row whose terms are not contiguous is transposed.

``vpdpbusd`` multiplies unsigned bytes of one operand by signed bytes of the other. If both operands
are signed or both are unsigned, one of them is offset by 128 (``offset_operand``), and the excess
is subtracted from the sums at the end. ``vpdpbssd`` and ``vpdpbuud`` need no offset.

AArch64's ``smmla``, ``ummla``, ``usmmla`` and ``bfmmla`` multiply two rows of each operand: a
register has the sums of two rows and two columns, which are finally rearranged into rows.

Sums of integers are the same in any order. ``vdpbf16ps`` adds two products of bf16 to each of the
f32 sums in a register, as AArch64's ``bfdot`` does, but treats subnormal numbers as zero. It is
used in a version of the loops that runs only if no such numbers occur (``version_loops``,
:mod:`kc.transforms.auto_schedule.versions`).

The rates of the core (:mod:`kc.support.rates`) decide whether an instruction is used, which one,
and for which tile: on Sapphire Rapids ``vdpbf16ps`` has half the throughput of multiply-adds of
f32, on Zen 5 twice the throughput.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue

from kc.dialects.tir import DYNAMIC, ForOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.auto_schedule import pointwise
from kc.transforms.auto_schedule.checked_packing import look_while_packing
from kc.transforms.auto_schedule.contraction import (
    columns_last,
    contraction_behind,
    finish_sums,
    writer_of,
)
from kc.transforms.auto_schedule.digits import number_text
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.machine import Machine
from kc.transforms.auto_schedule.nests import (
    Access,
    Nest,
    extent,
    is_constant,
    is_own,
    is_untouched,
    iterations,
    loop_of_dimension,
    readers,
)
from kc.transforms.auto_schedule.reduction import Reduce
from kc.transforms.auto_schedule.rule import Rule
from kc.transforms.intrinsics.square_product_names import SIZE, SQUARE_PRODUCTS
from kc.transforms.intrinsics.transpose_names import transpose_intrins, transpose_name

REUSE = 4
"""The number of rows from which packing the operand of the columns is faster."""

PACKING, SCATTERED = 0.2, 0.5
"""The cycles to pack an element of the columns' operand: for contiguous columns, and for others."""

COPY, TURN, TURN_SUM = 1 / 16, 0.7, 0.4
"""The cycles to copy an element of the rows' operand in its layout, to transpose an element, and to
transpose a sum.
"""

OFFSET = 1 / 8
"""The cycles to add an element of the columns' operand to the offset of the sums."""

BETWEEN = 8
"""The cycles between two reductions: sums are set to 0 and stored, and the loops start."""

PASS = 20
"""The cycles of a pass over an operand in addition to those of its elements."""


@dataclass(frozen=True)
class Instruction:
    """A tensor intrinsic that adds several products to each of the 32-bit sums of a register."""

    intrinsic: str
    feature: str
    """The required feature of the CPU."""
    rate: str
    """The name of the instruction in the rates of cores."""
    lanes: int
    """The number of sums in a register."""
    element: str
    """The type of the operands' elements."""
    extended: tuple[str, str]
    """The extensions of the operands of the rows and of the columns."""
    step: int = 4
    """The number of products that are added to a sum at once."""
    exponent: int | None = None
    """The exponent of the smallest magnitude of operands for which the instruction is correct; None
    if it is correct for all.
    """
    widened: int = 0
    """The cycles to widen an element of the rows, which all registers of columns share."""
    rows: int = 1
    """The number of rows whose sums are in one register."""

    def multiply_adds(self, machine: Machine) -> float:
        """The products per cycle; 0 if the registers of the instruction are wider than the
        target's.
        """
        sums = self.rows * self.lanes
        if 32 * sums > machine.vector_bits:
            return 0
        return min(machine.multiply_adds(self.rate), machine.rates.pipes * sums * self.step)


UNSIGNED, SIGNED, FLOAT = "arith.extui", "arith.extsi", "arith.extf"
_OTHER_SIGN = {UNSIGNED: SIGNED, SIGNED: UNSIGNED}
_NAMES = {UNSIGNED: "u8", SIGNED: "i8"}


def _by_words(intrinsic: str, feature: str, lanes: int) -> tuple[Instruction, ...]:
    """``vpmaddwd`` for bytes of any signedness, which are extended to 16 bits in registers."""
    return tuple(
        Instruction(
            f"{intrinsic}_{_NAMES[rows]}{_NAMES[columns]}",
            feature,
            "vpmaddwd",
            lanes,
            "i8",
            (rows, columns),
            step=2,
            widened=1,
        )
        for rows in _NAMES
        for columns in _NAMES
    )


INSTRUCTIONS = (
    Instruction("avx512_vnni_dot_16x4", "avx512vnni", "vpdpbusd", 16, "i8", (UNSIGNED, SIGNED)),
    Instruction(
        "avx512_vnni_dot_16x4_i8u8", "avx512vnni", "vpdpbusd", 16, "i8", (SIGNED, UNSIGNED)
    ),
    Instruction("avx_vnni_dot_8x4", "avxvnni", "vpdpbusd", 8, "i8", (UNSIGNED, SIGNED)),
    Instruction("avx_vnni_dot_8x4_i8u8", "avxvnni", "vpdpbusd", 8, "i8", (SIGNED, UNSIGNED)),
    *(
        Instruction(f"{name}_{_NAMES[sign] * 2}", feature, "vpdpbusd", lanes, "i8", (sign, sign))
        for name, feature, lanes in (
            ("avx10_dot_16x4", "avx10.2", 16),
            ("avx_vnni_int8_dot_8x4", "avxvnniint8", 8),
        )
        for sign in _NAMES
    ),
    *_by_words("avx512_madd_dot_16x2", "avx512bw", 16),
    *_by_words("avx2_madd_dot_8x2", "avx2", 8),
    *(
        Instruction(f"{name}_i16", feature, rate, lanes, "i16", (SIGNED, SIGNED), step=2)
        for name, feature, rate, lanes in (
            ("avx512_vnni_dot_16x2", "avx512vnni", "vpdpwssd", 16),
            ("avx_vnni_dot_8x2", "avxvnni", "vpdpwssd", 8),
            ("avx512_madd_dot_16x2", "avx512bw", "vpmaddwd", 16),
            ("avx2_madd_dot_8x2", "avx2", "vpmaddwd", 8),
        )
    ),
    Instruction("neon_sdot_4x4", "dotprod", "sdot", 4, "i8", (SIGNED, SIGNED)),
    Instruction("neon_udot_4x4", "dotprod", "sdot", 4, "i8", (UNSIGNED, UNSIGNED)),
    Instruction("neon_usdot_4x4", "i8mm", "usdot", 4, "i8", (UNSIGNED, SIGNED)),
    # Products and sums are multiples of 2^-124, so none is subnormal.
    *(
        Instruction(name, feature, rate, lanes, "bf16", (FLOAT, FLOAT), step=2, exponent=-55)
        for name, feature, rate, lanes in (
            ("avx512_bf16_dot_16x2", "avx512bf16", "vdpbf16ps", 16),
            ("neon_bfdot_4x2", "bf16", "bfdot", 4),
        )
    ),
    *(
        Instruction(
            name,
            square.feature,
            "smmla" if square.element == "i8" else "bfmmla",
            SIZE,
            square.element,
            square.extensions,
            step=square.step,
            exponent=None if square.element == "i8" else -55,
            rows=SIZE,
        )
        for name, square in SQUARE_PRODUCTS.items()
    ),
)


@dataclass(frozen=True)
class Product:
    """A product of matrices of narrow numbers, or a convolution, and the instruction for it."""

    instruction: Instruction
    rows: ForOp
    columns: ForOp
    terms: ForOp
    """The reduction loop of which an instruction adds several products."""
    row_operand: Access
    operand: Access
    """The packed operand: the load that depends on the columns."""
    height: int
    """The number of rows of a tile."""
    vectors: int
    """The number of column registers of a tile."""
    offsets: bool
    """True if the operand of the rows is offset by 128, to match the signedness of the
    instruction.
    """
    cycles: float

    @property
    def sizes(self) -> dict[ForOp, int]:
        """The multiples to which the extents of loops are padded."""
        width = self.vectors * self.instruction.lanes
        return {self.rows: self.height, self.columns: width, self.terms: self.instruction.step}

    @property
    def padded(self) -> list[ForOp]:
        """The loops whose extents are not multiples of :attr:`sizes`."""
        return [loop for loop, size in self.sizes.items() if not _is_multiple(loop, size)]


class DotProduct(Rule):
    """Multiply matrices of bytes, and of bf16 without small magnitudes, by such instructions."""

    name = "dot-product"

    def apply(self, draft: Draft, block: str) -> bool:
        nest = draft.nest(block)
        producer = None if nest.block.is_reduction else contraction_behind(nest)
        if producer is not None:
            nest = Nest(producer)
        product = product_of(draft, nest)
        if product is None:
            return False
        least = product.instruction.exponent
        if least is not None and draft.versions.get(nest.name) != least:
            return False
        _perform(draft, nest, product, block if producer is not None else None)
        return True


# The choice -----------------------------------------------------------------------------------


def product_of(draft: Draft, nest: Nest) -> Product | None:
    """The block as a product, with the fastest instruction; None if no instruction of the target is
    faster than multiply-adds of f32 or of 32-bit integers, or if the block is not a product.
    """
    if not nest.is_plain or nest.reduction is None or not is_untouched(nest.block):
        return None
    if len(nest.stores) != 1 or len(nest.loads) != 2 or not nest.block.has_init:
        return None
    if nest.stores[0].bits != 32 or not nest.stores[0].regular:
        return None
    ways = [way for load in nest.loads for way in _ways(draft, nest, load)]
    # Among products of equal cost, choose the one whose rows are closest together in memory.
    best = min(
        ways, key=lambda product: (product.cycles, -nest.loops.index(product.rows)), default=None
    )
    if best is None:
        return None
    return best if best.cycles < _plain_cycles(draft.machine, nest, best) else None


def _plain_cycles(machine: Machine, nest: Nest, product: Product) -> float:
    """The cycles with multiply-adds of f32, or of 32-bit integers, after extending all numbers."""
    is_float = FLOAT in product.instruction.extended
    rate = machine.multiply_adds("fma.f32" if is_float else "mul.i32")
    turned = 0 if any(product.operand.stride(loop) == 1 for loop in nest.spatial) else TURN
    return iterations(nest.loops) / rate + turned * _elements(nest, product.operand)


def _ways(draft: Draft, nest: Nest, operand: Access) -> Iterator[Product]:
    """The possible products with ``operand`` as the operand of the columns."""
    (row_operand,) = (load for load in nest.loads if load is not operand)
    if not _is_plain(nest, operand):
        return
    own = _loops_moving(nest, row_operand, operand)
    across = _loops_moving(nest, operand, row_operand)
    terms = [loop for loop in nest.reduce if row_operand.stride(loop) and operand.stride(loop)]
    row_loops = loop_of_dimension(nest, row_operand)
    extensions = (_extension(row_operand), _extension(operand))
    elements = {element_of(load.buffer) for load in nest.loads}
    for instruction, offsets in _usable(draft, elements, extensions):
        for along in terms:
            if along not in row_loops and row_operand.stride(along) != 1:
                continue
            for rows in own:
                for columns in across:
                    yield from _tiles(
                        draft,
                        nest,
                        (rows, columns, along),
                        (row_operand, operand),
                        instruction,
                        offsets,
                    )


def _loops_moving(nest: Nest, load: Access, unmoved: Access) -> list[ForOp]:
    """The spatial loops whose variables change the address of ``load``, but not of ``unmoved``."""
    return [loop for loop in nest.spatial if load.stride(loop) and not unmoved.stride(loop)]


def _usable(
    draft: Draft, elements: set[str], extensions: tuple[str | None, str | None]
) -> Iterator[tuple[Instruction, bool]]:
    """The instructions of the target for operands with ``elements`` and ``extensions``, each with
    True if the rows' operand must be offset for it.
    """
    for instruction in INSTRUCTIONS:
        rows, columns = extensions
        if elements != {instruction.element} or columns != instruction.extended[1]:
            continue
        if not draft.session.target.has_feature(instruction.feature):
            continue
        if not instruction.multiply_adds(draft.machine):
            continue
        if rows == instruction.extended[0]:
            yield instruction, False
        elif rows is not None and _OTHER_SIGN.get(rows) == instruction.extended[0]:
            yield instruction, True


def _tiles(
    draft: Draft,
    nest: Nest,
    loops: tuple[ForOp, ForOp, ForOp],
    loads: tuple[Access, Access],
    instruction: Instruction,
    offsets: bool,
) -> Iterator[Product]:
    """The tiles of ``loops`` (rows, columns, terms) that fit into registers, with their cycles."""
    rows, columns, terms = loops
    row_operand, operand = loads
    machine, store = draft.machine, nest.stores[0]
    count, step, lanes = extent(rows), instruction.step, instruction.lanes
    if count < REUSE:
        return
    # Only dimensions indexed by loops or sums of loops are padded, not digits of a loop.
    is_written_plainly = _is_plain(nest, store)
    is_padded = is_written_plainly and _may_grow(nest, row_operand)
    if not is_padded and not _is_multiple(terms, step):
        return
    if store.stride(columns) != 1 and columns not in loop_of_dimension(nest, store):
        return
    packing = PACKING if operand.stride(columns) == 1 else SCATTERED
    once = PASS + _elements(nest, operand) * (packing + (OFFSET if offsets else 0))
    is_turned = row_operand.stride(terms) != 1
    copy = PASS + _elements(nest, row_operand) * (TURN if is_turned else COPY)
    copies = is_turned or offsets or not _is_multiple(terms, step)
    if not _is_multiple(terms, step):
        once += PASS + _elements(nest, operand) * COPY
    if is_constant(operand.buffer):  # a constant is packed at build time
        once = 0
    if is_constant(row_operand.buffer):
        copy = 0
    if store.stride(columns) != 1:
        once += iterations(nest.spatial) * TURN_SUM
    further = iterations(loop for loop in nest.spatial if loop not in (rows, columns))
    further_terms = iterations(loop for loop in nest.reduce if loop is not terms)
    steps = math.ceil(extent(terms) / step) * further_terms
    for vectors in (1, 2, 4):
        if vectors > 1 and (vectors - 1) * lanes >= extent(columns):
            continue
        if not is_written_plainly and not _is_multiple(columns, vectors * lanes):
            continue
        if not is_written_plainly and instruction.rows > 1:
            continue
        wide = math.ceil(extent(columns) / (vectors * lanes))
        if vectors * lanes % instruction.rows**2:
            continue  # the lanes of a tile must consist of whole squares of sums
        for height in range(instruction.rows, count + instruction.rows, instruction.rows):
            registers = height // instruction.rows * vectors
            if registers + vectors + 1 + instruction.widened > machine.registers:
                break
            if not is_padded and not _is_multiple(rows, height):
                continue
            tall = math.ceil(count / height)
            work = height * vectors * lanes * step / instruction.multiply_adds(machine)
            # Count the shuffles that widen or interleave the rows before they are multiplied.
            work += instruction.widened * (height + vectors) / machine.rates.shuffles
            work += (instruction.rows - 1) * (height / 2 + vectors) / machine.rates.shuffles
            fetched = (height + vectors) / machine.loads_per_cycle
            term = max(work, fetched, machine.fma_latency)
            ends = BETWEEN + registers * (1 if instruction.rows == 1 else 2)
            cycles = tall * wide * further * (steps * term + ends)
            yield Product(
                instruction,
                rows,
                columns,
                terms,
                row_operand,
                operand,
                height,
                vectors,
                offsets,
                cycles + (once + copy if copies or not _is_multiple(rows, height) else once),
            )


def _is_plain(nest: Nest, access: Access) -> bool:
    """True if each index is the variable of a loop, or its dimension has one element."""
    type_ = access.buffer.type
    assert isinstance(type_, MemRefType)
    loops = loop_of_dimension(nest, access)
    return all(loop or size == 1 for loop, size in zip(loops, type_.get_shape(), strict=True))


def _may_grow(nest: Nest, access: Access) -> bool:
    """True if ``pad_einsum`` can extend the loops that move a load."""
    if _is_plain(nest, access):
        return True
    return access.affine and all(loop.static_extent is not None for loop in access.strides)


def _is_multiple(loop: ForOp, size: int) -> bool:
    return loop.static_extent is not None and loop.static_extent % size == 0


def _elements(nest: Nest, load: Access) -> int:
    """The number of distinct elements that are loaded."""
    type_ = load.buffer.type
    assert isinstance(type_, MemRefType)
    shape, moved = type_.get_shape(), iterations(loop for loop in nest.loops if load.stride(loop))
    return moved if DYNAMIC in shape else min(moved, math.prod(shape))


def element_of(buffer: SSAValue) -> str:
    """The type of a buffer's elements, as text."""
    type_ = buffer.type
    assert isinstance(type_, MemRefType)
    return str(type_.element_type)


def _extension(load: Access) -> str | None:
    """The operation that extends the loaded value, if this is the only use of the value; else
    None.
    """
    users = [use.operation.name for use in load.op.results[0].uses]
    return users[0] if len(users) == 1 else None


# The schedule ---------------------------------------------------------------------------------


def _perform(draft: Draft, nest: Nest, product: Product, epilogue: str | None) -> None:
    """Schedule the product and ``epilogue``, the block that uses its results.

    Raises ScheduleError if a primitive is refused.
    """
    block, instruction = nest.name, product.instruction
    lanes, step = instruction.lanes, instruction.step
    at = {loop: nest.loops.index(loop) for loop in (product.rows, product.columns, product.terms)}
    at_rows, at_columns, at_terms = at.values()
    groups = _further_loops(nest, product)
    order = [[nest.loops.index(loop) for loop in group] for group in groups]
    row_number, number = map(nest.loads.index, (product.row_operand, product.operand))
    is_fixed = is_constant(product.operand.buffer)
    turned = None
    if nest.stores[0].stride(product.columns) != 1:
        turned = columns_last(nest, product.columns)
    is_turned = product.row_operand.stride(product.terms) != 1

    labels = {block.label for block in draft.blocks()}
    ends: list[Any] = []
    """The blocks that finish the sums, in order."""
    copies: set[str] = set()
    padded = product.padded
    if padded:
        sizes = [product.sizes[loop] if loop in padded else 1 for loop in nest.loops]
        pads = draft.pad_einsum(draft.block(block), sizes)
        if padded != [product.terms]:
            ends.append(pads.pop())
        copies = {draft.session.block(handle).label for handle in pads}
        for copy in copies:
            _inline_source(draft, copy)
    if is_turned or product.offsets:
        source = _source(draft, block, row_number)
        if source is None:
            source = _copy_of(draft, block, row_number, copies)
            copies.add(source)
        if is_turned:
            dims = loop_of_dimension(draft.nest(block), draft.nest(block).loads[row_number])
            where = dims.index(draft.nest(block).loops[at_terms])
            names = [f"d{n}" for n in range(len(dims))]
            last = [*names[:where], *names[where + 1 :], names[where]]
            layout = f"({', '.join(names)})->({', '.join(last)})"
            draft.transform_layout(draft.block(source), ("write", 0), layout)
    offset = None
    if product.offsets:
        inner = draft.nest(block)
        buffer = inner.read_number(inner.loads[row_number].buffer)
        offset, result = draft.offset_operand(draft.block(block), buffer)
        ends.insert(0, result)
    # Columns are padded with zeros before the shuffles, which need whole registers.
    is_contiguous = product.operand.stride(product.columns) == 1
    pack = _copy_of(draft, block, number, set() if is_contiguous else copies)
    copies.discard(pack)
    dims = loop_of_dimension(draft.nest(block), draft.nest(block).loads[number])
    loops_now = draft.nest(block).loops
    pack_columns, pack_terms = (dims.index(loops_now[n]) for n in (at_columns, at_terms))
    # The squares combine neighbouring columns within one tile.
    packed = lanes if instruction.rows == 1 else product.vectors * lanes
    parts = (pack_columns, packed), (pack_terms, step)
    _pack_layout(draft, pack, len(dims), *parts)

    if epilogue is not None:
        ends.append(draft.block(epilogue))
    for end in ends[:-1]:
        draft.compute_inline(end)
    inner = draft.nest(block)
    dims = loop_of_dimension(inner, inner.stores[0])
    handles = list(draft.loops(block).values())
    squares = [SIZE] if instruction.rows == SIZE else []
    tall, row, *pair = draft.split(
        handles[at_rows], [None, product.height // instruction.rows, *squares]
    )
    broad, register, lane = draft.split(handles[at_columns], [None, product.vectors, lanes])
    steps, term = draft.split(handles[at_terms], [None, step])
    shared, of_columns, of_rows, reduce = ([handles[n] for n in group] for group in order)
    outside = [*shared, broad, *of_columns, *of_rows, tall]
    draft.put_in_order([*outside, *reduce, steps, row, register, *pair, lane, term])
    if ends:
        # An existing epilogue keeps its name.
        draft.set_scope(draft.block(block), 0, "local")
        end = draft.block(epilogue) if epilogue is not None else ends[-1]
    else:
        end = draft.cache_write(draft.block(block), 0, "local")
    summed = block
    places = (
        (dims.index(inner.loops[at_rows]), dims.index(inner.loops[at_columns])) if pair else (0, 0)
    )
    if pair:
        summed = _in_squares(draft, block, outside[-1], places)
    finish_sums(draft, summed, end, outside, turned, 0)
    if pair:
        _rows_of_squares(draft, summed, len(outside), places)
    # A panel is packed inside the loop and stays in L2, unless batches share the whole operand or
    # it is a constant that all calls share.
    in_panels = len(outside) == 2 and not is_fixed
    in_panels = in_panels and draft.attempt("compute_at", draft.block(pack), broad, True)
    draft.run_in_parallel(block, len(outside) - 1)
    draft.unroll(row)
    draft.unroll(register)
    init = draft.decompose_reduction(draft.block(block), [*reduce, steps][0])
    zeros = list(draft.loops(draft.session.block(init).label).values())
    draft.vectorize(draft.fuse(*zeros[-2:]) if pair else zeros[-1])
    _schedule_pack(draft, pack, len(dims), *parts, instruction.element, in_panels)
    for name in copies:
        draft.run_in_parallel(pointwise.schedule(draft, name, 0), 1)
    if offset is not None:
        name = draft.session.block(offset).label
        _fuse_terms(draft, name)
        Reduce().apply(draft, name)
    draft.tensorize([*pair, lane][0], instruction.intrinsic)
    draft.settled.update({block} | {inner_block.label for inner_block in draft.blocks()} - labels)
    if epilogue is not None:
        draft.settled.add(epilogue)


def _in_squares(draft: Draft, block: str, loop: Any, at: tuple[int, int]) -> str:
    """Store the sums of two rows and two columns (dimensions ``at``) side by side, and copy them to
    separate rows in ``loop``. Returns the name of the copying block.
    """
    copy = draft.cache_write(draft.block(block), 0, "local")
    draft.reverse_compute_at(copy, loop)
    sums = draft.nest(block).stores[0].buffer
    type_ = sums.type
    assert isinstance(type_, MemRefType)
    names = [f"d{n}" for n in range(type_.get_num_dims())]
    row, column = (names[dim] for dim in at)
    results = [name for name in names if name not in (row, column)]
    results += [f"{row} floordiv {SIZE}", f"{column} floordiv {SIZE}"]
    results.append(f"({row} mod {SIZE}) * {SIZE} + {column} mod {SIZE}")
    layout = f"({', '.join(names)})->({', '.join(results)})"
    draft.transform_layout(draft.block(block), ("write", 0), layout)
    return draft.session.block(copy).label


def _rows_of_squares(draft: Draft, copy: str, outer: int, at: tuple[int, int]) -> None:
    """Copy two neighbouring squares at a time, by shuffles."""
    loops = draft.loops(copy, outer)
    own = [handle for loop, handle in loops.items() if loop.static_extent != 1]
    element = element_of(draft.nest(copy).stores[0].buffer)
    row, column = own if at[0] < at[1] else own[::-1]
    rows, row = draft.split(row, [None, SIZE])
    columns, column = draft.split(column, [None, SIZE * SIZE])
    draft.put_in_order([rows, columns, row, column])
    draft.unroll(rows)
    draft.unroll(columns)
    draft.tensorize(row, f"rows_of_squares_{element}_2x4")


def _fuse_terms(draft: Draft, block: str) -> None:
    """Fuse the loops over the terms of a sum that together traverse a row of memory."""
    nest = draft.nest(block)
    (load,) = nest.loads
    step = 1
    for loop in reversed(nest.reduce):
        if load.stride(loop) != step or loop.static_extent is None:
            return
        step *= loop.static_extent
    first = len(nest.loops) - len(nest.reduce)
    if len(nest.reduce) > 1 and nest.loops[first:] == nest.reduce:
        names = [f"d{n}" for n in range(len(nest.loops))]
        group = range(first, len(names))
        term = number_text(names, [extent(loop) for loop in nest.loops], group)
        layout = f"({', '.join(names)})->({', '.join([*names[:first], term])})"
        draft.attempt("transform_block_layout", draft.block(block), layout)


def _further_loops(nest: Nest, product: Product) -> Sequence[list[ForOp]]:
    """The spatial loops that move both operands or none, that move only the columns' operand, and
    that move only the rows' operand; and the other reduction loops.
    """
    shared, of_columns, of_rows = [], [], []
    for loop in nest.spatial:
        if loop in (product.rows, product.columns):
            continue
        in_rows, in_columns = (
            bool(access.stride(loop)) for access in (product.row_operand, product.operand)
        )
        group = shared if in_rows == in_columns else of_rows if in_rows else of_columns
        group.append(loop)
    return shared, of_columns, of_rows, [loop for loop in nest.reduce if loop is not product.terms]


def _source(draft: Draft, block: str, number: int) -> str | None:
    """The block that writes the whole buffer which load ``number`` of ``block`` reads, if no other
    block accesses the buffer; else None.
    """
    load = draft.nest(block).loads[number]
    if not is_own(load.buffer) or readers(load.buffer) != [draft.nest(block).block]:
        return None
    writers = {
        writer for use in load.buffer.uses if (writer := writer_of(use.operation)) is not None
    }
    if len(writers) != 1 or next(iter(writers)).is_reduction:
        return None
    return next(iter(writers)).label


def _inline_source(draft: Draft, copy: str) -> None:
    """Inline the source of a zero-padded copy into the copy, if no other block reads the source."""
    source = _source(draft, copy, 0)
    if source is not None:
        draft.attempt("compute_inline", draft.block(source))


def _copy_of(draft: Draft, block: str, number: int, copies: set[str]) -> str:
    """The block that copies the buffer which load ``number`` reads: one of ``copies``, or a new
    block.
    """
    source = _source(draft, block, number)
    if source is not None and source in copies:
        return source
    handle = draft.block(block)
    read = draft.nest(block).read_number(draft.nest(block).loads[number].buffer)
    # A second version of the loops reads the unpacked operand.
    copy = draft.cache_read(handle, read, "global", [handle])
    return draft.session.block(copy).label


def _pack_layout(
    draft: Draft, pack: str, rank: int, columns: tuple[int, int], terms: tuple[int, int]
) -> None:
    """Make ``pack`` write registers of columns, with the terms of an instruction side by side."""
    names = [f"d{n}" for n in range(rank)]
    results = [name for n, name in enumerate(names) if n not in (columns[0], terms[0])]
    for part in ("floordiv", "mod"):
        results += [f"{names[dim]} {part} {size}" for dim, size in (columns, terms)]
    layout = f"({', '.join(names)})->({', '.join(results)})"
    draft.transform_layout(draft.block(pack), ("write", 0), layout)


def _schedule_pack(
    draft: Draft,
    pack: str,
    rank: int,
    columns: tuple[int, int],
    terms: tuple[int, int],
    element: str,
    in_panels: bool,
) -> None:
    """Pack a register at a time, by shuffles if the columns are contiguous."""
    loops = list(draft.loops(pack).values())[-rank:]
    if len(loops) < rank:
        raise ScheduleError("KC3604", "the packed operand does not have one loop per dimension")
    outer, inner = draft.split(loops[columns[0]], [None, columns[1]])
    steps, term = draft.split(loops[terms[0]], [None, terms[1]])
    batches = [loop for n, loop in enumerate(loops) if n not in (columns[0], terms[0])]
    draft.put_in_order([*batches, outer, steps, inner, term])
    if not in_panels:
        at, sizes = (columns[0], terms[0]), (columns[1], terms[1])
        is_checked = look_while_packing(draft, pack, at, sizes)
        draft.run_in_parallel(pack, 1 if is_checked else len(batches) + 1)
        inner, term = list(draft.loops(pack).values())[-2:]
    shape = element, terms[1], columns[1]
    is_known = transpose_name(*shape) in transpose_intrins()
    if not is_known or not draft.attempt("tensorize", inner, transpose_name(*shape)):
        draft.vectorize(draft.fuse(inner, term))
