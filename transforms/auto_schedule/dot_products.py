"""dot-product: products of matrices of bytes by instructions that sum several products at once.

x86's ``vpdpbusd`` and AArch64's ``sdot``, ``udot`` and ``usdot`` add four products of bytes to each
of the 32-bit sums in a register. The operand of the columns is packed so that a register of it is
contiguous, the four bytes of a sum side by side; a tile of sums is kept in registers::

    for columns in tiles (parallel):
      pack a panel of the operand of the columns
      for rows in tiles: for reduction in fours:
        for rows of the tile, for columns of the tile (unrolled): instruction

The sums of bytes are of integers, so that they are the same in any order. ``vdpbf16ps`` adds two
products of bf16 to each of the f32 sums in a register, but takes subnormal numbers to be zero: it
is used in a version of the loops that runs where there are none (``version_loops``,
:mod:`kc.transforms.auto_schedule.versions`).

Which instruction is used, and whether any is, the rates of the core decide
(:mod:`kc.support.rates`): on Sapphire Rapids ``vdpbf16ps`` does half of what multiply-adds of f32
do, on Zen 5 twice as much.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue

from kc.dialects.tir import ForOp
from kc.support.diagnostics import ScheduleError
from kc.transforms.auto_schedule.contraction import contraction_behind
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.machine import Machine
from kc.transforms.auto_schedule.nests import Access, Nest, is_untouched, loop_of_dimension
from kc.transforms.auto_schedule.pointwise import Pointwise
from kc.transforms.auto_schedule.rule import Rule

REUSE = 4
"""Rows from which on packing the operand of the columns pays."""


@dataclass(frozen=True)
class Instruction:
    """A tensor intrinsic that adds several products to each of the 32-bit sums of a register."""

    intrinsic: str
    feature: str
    """The feature of the CPU that it needs."""
    rate: str
    """Its name in the rates of cores."""
    lanes: int
    """Sums of a register."""
    element: str
    """The type of the operands' elements."""
    extended: tuple[str, str]
    """How the operands of the rows and of the columns are extended."""
    step: int = 4
    """Products that are added to a sum at once."""
    rows: int = 8
    columns: int = 2
    """Rows of a tile, and registers of columns, at most: enough sums to hide the latency."""
    exponent: int | None = None
    """Of the smallest magnitude of operands that it is right for; None: for any."""

    def multiply_adds(self, machine: Machine) -> float:
        """How many it does in a cycle; 0 where its registers are wider than the target's."""
        if 32 * self.lanes > machine.vector_bits:
            return 0
        most = machine.rates.pipes * self.lanes * self.step
        return min(machine.multiply_adds(self.rate), most)


UNSIGNED, SIGNED, FLOAT = "arith.extui", "arith.extsi", "arith.extf"

INSTRUCTIONS = (
    Instruction("avx512_vnni_dot_16x4", "avx512vnni", "vpdpbusd", 16, "i8", (UNSIGNED, SIGNED)),
    Instruction("avx_vnni_dot_8x4", "avxvnni", "vpdpbusd", 8, "i8", (UNSIGNED, SIGNED)),
    Instruction("neon_sdot_4x4", "dotprod", "sdot", 4, "i8", (SIGNED, SIGNED)),
    Instruction("neon_udot_4x4", "dotprod", "sdot", 4, "i8", (UNSIGNED, UNSIGNED)),
    Instruction("neon_usdot_4x4", "i8mm", "usdot", 4, "i8", (UNSIGNED, SIGNED)),
    # Products are multiples of 2^-124, and so are sums: none is subnormal.
    Instruction(
        "avx512_bf16_dot_16x2",
        "avx512bf16",
        "vdpbf16ps",
        16,
        "bf16",
        (FLOAT, FLOAT),
        step=2,
        rows=4,
        columns=4,
        exponent=-55,
    ),
)


@dataclass(frozen=True)
class Product:
    """A product of matrices of narrow numbers, and the instruction for it."""

    instruction: Instruction
    rows: ForOp
    columns: ForOp
    terms: ForOp
    operand: Access
    """What is packed: the load that depends on the columns."""


class DotProduct(Rule):
    """Multiply matrices of bytes, and of bf16 none of which is small, by such instructions."""

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
        _perform(draft, nest, product)
        # What finishes the sums runs behind them: the tile's are stored by the instruction.
        return producer is None or Pointwise().apply(draft, block)


def product_of(draft: Draft, nest: Nest) -> Product | None:
    """What the block is, if it is a product that some instruction of the target computes."""
    if not nest.is_plain or nest.reduction is None or not is_untouched(nest.block):
        return None
    if len(nest.stores) != 1 or len(nest.loads) != 2 or len(nest.reduce) != 1:
        return None
    if nest.stores[0].bits != 32:
        return None
    if not nest.block.has_init or any(loop.static_extent is None for loop in nest.loops):
        return None
    (terms,) = nest.reduce
    store = nest.stores[0]
    for operand in nest.loads:
        (row_operand,) = (load for load in nest.loads if load is not operand)
        columns = [loop for loop in nest.spatial if store.stride(loop) == 1]
        rows = [it for it in nest.spatial if row_operand.stride(it) and not operand.stride(it)]
        if len(columns) != 1 or row_operand.stride(columns[0]) or not operand.stride(columns[0]):
            continue
        if not rows or row_operand.stride(terms) != 1 or extent_of(rows[-1]) < REUSE:
            continue
        if None in loop_of_dimension(nest, operand):
            continue
        extensions = (_extension(row_operand), _extension(operand))
        elements = {element_of(load.buffer) for load in nest.loads}
        for instruction in instructions_for(draft, elements, extensions):
            if extent_of(columns[0]) % instruction.lanes or extent_of(terms) % instruction.step:
                continue
            return Product(instruction, rows[-1], columns[0], terms, operand)
    return None


def instructions_for(
    draft: Draft, elements: set[str], extensions: tuple[str | None, str | None]
) -> list[Instruction]:
    """The instructions of the target for operands of such elements, extended so, the fastest first.

    Those alone that do more in a cycle than what is computed without: multiply-adds of f32, or of
    32-bit integers.
    """
    machine, target = draft.machine, draft.session.target
    plain = machine.multiply_adds("fma.f32" if FLOAT in extensions else "mul.i32")
    usable = [
        it
        for it in INSTRUCTIONS
        if it.extended == extensions
        and elements == {it.element}
        and target.has_feature(it.feature)
        and it.multiply_adds(machine) > plain
    ]
    return sorted(usable, key=lambda it: -it.multiply_adds(machine))


def extent_of(loop: ForOp) -> int:
    """The iterations of a loop that has a constant number of them."""
    assert loop.static_extent is not None
    return loop.static_extent


def element_of(buffer: SSAValue) -> str:
    """The type of a buffer's elements, as text."""
    type_ = buffer.type
    assert isinstance(type_, MemRefType)
    return str(type_.element_type)


def _extension(load: Access) -> str | None:
    """The operation that extends what is loaded, if nothing else is done with it."""
    users = [use.operation.name for use in load.op.results[0].uses]
    return users[0] if len(users) == 1 else None


def _perform(draft: Draft, nest: Nest, product: Product) -> None:
    """Schedule the product. Raises ScheduleError where a primitive is refused."""
    block, instruction = nest.name, product.instruction
    lanes, step = instruction.lanes, instruction.step
    known = {it.label for it in draft.blocks()}
    height = _divisor(extent_of(product.rows), min(instruction.rows, draft.machine.registers // 4))
    if height < REUSE:
        raise ScheduleError("KC3604", "the rows are no multiple of those of a tile")
    dims = loop_of_dimension(nest, product.operand)
    at_columns, at_terms = dims.index(product.columns), dims.index(product.terms)
    handle = draft.block(block)
    pack = draft.cache_read(handle, nest.read_number(product.operand.buffer), "global", [handle])
    names = [f"d{n}" for n in range(len(dims))]
    results = [name for n, name in enumerate(names) if n not in (at_columns, at_terms)]
    for part in ("floordiv", "mod"):
        results.append(f"{names[at_columns]} {part} {lanes}")
        results.append(f"{names[at_terms]} {part} {step}")
    layout = f"({', '.join(names)})->({', '.join(results)})"
    draft.transform_layout(pack, ("write", 0), layout)
    name = draft.session.block(pack).label

    handles = draft.loops(block)
    further = [handles[it] for it in nest.spatial if it not in (product.rows, product.columns)]
    wide = _divisor(extent_of(product.columns) // lanes, instruction.columns)
    tall, row = draft.split(handles[product.rows], [None, height])
    broad, register, lane = draft.split(handles[product.columns], [None, wide, lanes])
    steps, term = draft.split(handles[product.terms], [None, step])
    draft.put_in_order([*further, broad, tall, steps, row, register, lane, term])
    sums = draft.cache_write(draft.block(block), 0, "local")
    draft.reverse_compute_at(sums, tall)
    written = draft.session.block(sums).label
    *_, written_row, written_column = draft.loops(written).values()
    draft.vectorize(written_column)
    draft.unroll(written_row)
    # A panel stays in L2; batches may share the whole operand.
    in_panels = not further and draft.attempt("compute_at", draft.block(name), broad)
    draft.run_in_parallel(block, len(further) + 1)
    draft.unroll(row)
    draft.unroll(register)
    draft.decompose(block, steps)
    for init in {it.label for it in draft.blocks()} - known - {name, written}:
        draft.vectorize(list(draft.loops(init).values())[-1])

    loops = list(draft.loops(name).values())[-len(dims) :]
    outer, inner = draft.split(loops[at_columns], [None, lanes])
    steps, term = draft.split(loops[at_terms], [None, step])
    batches = [loop for n, loop in enumerate(loops) if n not in (at_columns, at_terms)]
    draft.put_in_order([*batches, outer, steps, inner, term])
    draft.vectorize(draft.fuse(inner, term))
    if not in_panels:
        draft.run_in_parallel(name, len(batches) + 1)
    draft.settled.add(name)
    draft.tensorize(lane, instruction.intrinsic)
    draft.settled.update({block} | {it.label for it in draft.blocks()} - known)


def _divisor(number: int, most: int) -> int:
    """The greatest divisor of ``number`` that is at most ``most``."""
    return next(it for it in range(most, 0, -1) if number % it == 0)
