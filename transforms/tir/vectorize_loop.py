"""vectorize-loop: ``vectorized`` loops become code on vectors.

Before::

    tir.for %j in 100 vectorized {
      %a = tir.load %A[%i, %j] : memref<64x100xf32>
      %b = arith.addf %a, %a : f32
      tir.store %b, %B[%i, %j] : memref<64x100xf32>
    }

After, for vectors of 256 bits::

    tir.for %j_v in 12 {
      %a = tir.load %A[%i, %j_v * 8] : memref<64x100xf32>, vector<8xf32>
      %b = arith.addf %a, %a : vector<8xf32>
      tir.store %b, %B[%i, %j_v * 8] : memref<64x100xf32>, vector<8xf32>
    }
    %a_1 = tir.load %A[%i, 96] : memref<64x100xf32>, vector<4xf32>
    ...

A loop of up to four native vectors is one vector; a longer one becomes a loop over the widest
vectors that divide it, or over native ones with a tail. Where the code needs a guard to hold in all
lanes, or indices not to wrap around within a vector, and neither is known, both forms are generated
and a ``tir.if`` chooses. A branch that lanes take differently runs under a mask: for
``%x = scf.if %c -> (f32)``, which loads where ``%c`` holds and is 0 elsewhere::

    %x = vector.maskedload %A[%i, %j], %c, %zero : memref<64x100xf32>, vector<8xi1>, vector<8xf32>

Inactive lanes access no memory and only divide by 1; a condition that all lanes agree on stays a
branch.

A loop that cannot be vectorized (its extent is not a constant, an iteration has a buffer of its
own, ...) runs serially, with warning KC4211; so does one around another vectorized loop (KC4212).

Requires: no blocks (``lower-blocks``); the iterations of a vectorized loop are independent, which
the primitive ``vectorize`` checks.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import FixedBitwidthType, MemRefType, ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.passes import ModulePass

from kc.analysis.index_values import IndexValues
from kc.analysis.loop_tree import functions
from kc.dialects.tir import ApplyOp, BlockOp, ForKind, ForKindAttr, ForOp, IfOp, LoadOp, StoreOp
from kc.support.diagnostics import CodegenError, warn
from kc.support.locations import location_of
from kc.support.target import target_of
from kc.transforms.tir._vector_branches import CannotVectorizeError, Masking
from kc.transforms.tir._vector_chunk import Chunk

MAX_VECTORS = 4
"""How many native vectors one vector of the code is at most."""


@dataclass(frozen=True)
class VectorizeLoopPass(ModulePass):
    """Turn vectorized loops into code on vectors."""

    name = "vectorize-loop"

    vector_bits: int | None = None
    """Bits of a native vector; by default the target's."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        bits = target_of(op).vector_bits if self.vector_bits is None else self.vector_bits
        for function in functions(op):
            lowering = _Lowering(bits)
            loops, inside = _vectorized_loops(function)
            for loop in reversed(loops):
                if loop in inside:
                    why = f"the loop {inside[loop].label} inside it is vectorized"
                    run_serially(loop, "KC4212", why, loop)
                else:
                    lowering.run(loop)


def _vectorized_loops(function: Operation) -> tuple[list[ForOp], dict[ForOp, ForOp]]:
    """The vectorized loops in program order, and for outer ones an inner one."""
    loops: list[ForOp] = []
    inside: dict[ForOp, ForOp] = {}
    for op in function.walk():
        if isinstance(op, BlockOp):
            raise CodegenError(
                "KC4201",
                f"vectorize-loop: there is a block, {op.label}",
                location=location_of(op),
                why="vector code is made from loops, loads and stores, so blocks must be lowered "
                "first",
                hints=["run lower-init-block and lower-blocks first"],
            )
        if isinstance(op, ForOp) and op.kind.data is ForKind.VECTORIZED:
            loops.append(op)
            parent = op.parent_op()
            while parent is not None:
                if isinstance(parent, ForOp) and parent.kind.data is ForKind.VECTORIZED:
                    inside[parent] = op
                    break
                parent = parent.parent_op()
    return loops, inside


def run_serially(
    loop: ForOp, code: str, why: str, place: Operation, pass_name: str = "vectorize-loop"
) -> None:
    """Make a vectorized loop serial, with a warning at ``place``."""
    loop.kind = ForKindAttr(ForKind.SERIAL)
    warn(
        code,
        f"{pass_name}: the loop {loop.label} is not vectorized and runs serially",
        location=location_of(place) or location_of(loop),
        why=why,
    )


def pieces(extent: int, native: int) -> list[tuple[int, int]]:
    """How ``extent`` iterations are divided: pairs of a vector's lanes (1: scalar) and a count.

    ``native`` is the number of lanes of a native vector, a power of two.
    """
    widest = MAX_VECTORS * native
    if extent <= widest and extent & (extent - 1) == 0:
        return [(extent, 1)]
    width = widest
    while width >= native:
        if extent % width == 0 and width > 1:
            return [(width, extent // width)]
        width //= 2
    width = min(native, 1 << (extent.bit_length() - 1))
    if width == 1:
        return [(1, extent)]
    rest = extent % width
    parts = [(width, extent // width)]
    if rest:
        whole = rest > 1 and rest & (rest - 1) == 0
        parts.append((rest, 1) if whole else (1, rest))
    return parts


class _Lowering:
    """The loops of one function."""

    def __init__(self, vector_bits: int) -> None:
        self.vector_bits = vector_bits
        self.element_bits = 8
        """The width of the elements of the current loop."""
        self.index = IndexValues()

    def run(self, loop: ForOp) -> None:
        """Replace ``loop`` by vector code, or make it serial."""
        extent = loop.static_extent
        if extent is None:
            run_serially(loop, "KC4211", "its extent is not a constant", loop)
            return
        if extent < 2 or self.vector_bits == 0:
            loop.kind = ForKindAttr(ForKind.SERIAL)
            return
        self.element_bits = element_bits(loop)
        lanes = max(1, self.vector_bits // self.element_bits)
        native = 1 << (lanes.bit_length() - 1)
        ops: list[Operation] = []
        start = 0
        try:
            for width, count in pieces(extent, native):
                ops += self._piece(loop, width, count, start)
                start += width * count
        except CannotVectorizeError as error:
            run_serially(loop, "KC4211", error.reason, error.op)
            return
        block = loop.parent
        assert block is not None
        block.insert_ops_before(ops, loop)
        loop.detach()
        loop.erase(safe_erase=False)

    def _piece(self, loop: ForOp, width: int, count: int, start: int) -> list[Operation]:
        """``width * count`` iterations from ``start`` on, in vectors of ``width``."""
        first = AffineExpr.constant(start)
        if width == 1:
            return [self._iterations(loop, count, first)]
        if count == 1:
            return self._chunk(loop, width, first)
        small = count <= MAX_VECTORS and not any(
            isinstance(op, ForOp) for op in loop.body.block.walk()
        )
        annotations = loop.annotations.data if loop.annotations is not None else None
        chunks = ForOp(
            f"{loop.label}_v",
            count,
            kind=ForKind.UNROLLED if small else ForKind.SERIAL,
            annotations=annotations,
        )
        chunks.location = loop.location
        base = self.index.simplify(first + self.index.expr(chunks.var) * width)
        chunks.body.block.add_ops(self._chunk(loop, width, base))
        return [chunks]

    def _chunk(self, loop: ForOp, width: int, base: AffineExpr) -> list[Operation]:
        """The iterations from ``base`` on that one vector holds."""
        masking = Masking(self._has_masks(), self.element_bits)
        chunk = Chunk(loop, width, base, self.index, masking)
        if not chunk.values.assumptions:
            ops = list(chunk.code.ops)
            for op in ops:
                op.detach()
            return [*chunk.prologue, *ops]
        condition, operands = self.index.to_set(list(chunk.values.assumptions))
        # LLVM turns the loop into what is best here: masks gain nothing, and cost much where a sum
        # is accumulated in memory.
        scalar = Region(Block([self._iterations(loop, width, base)]))
        choice = IfOp(condition, operands, Region(chunk.code), scalar)
        choice.location = loop.location
        return [*chunk.prologue, choice]

    def _has_masks(self) -> bool:
        """Whether masked accesses are instructions, and not branches for each lane.

        Registers of more than 128 bits come with masks (AVX, SVE, RVV), on x86 for elements of at
        least 32 bits unless they have 512 bits.
        """
        return self.vector_bits >= 512 or (self.vector_bits > 128 and self.element_bits >= 32)

    def _iterations(self, loop: ForOp, count: int, start: AffineExpr) -> Operation:
        """``count`` iterations from ``start`` on as a serial loop."""
        serial = ForOp(loop.label, count)
        serial.location = loop.location
        value: SSAValue = serial.var
        if start != AffineExpr.constant(0):
            expr = self.index.simplify(start + self.index.expr(value))
            affine_map, operands = self.index.to_map([expr])
            number = ApplyOp(affine_map.results[0], operands)
            number.location = loop.location
            serial.body.block.add_op(number)
            value = number.result
        values: dict[SSAValue, SSAValue] = {loop.var: value}
        serial.body.block.add_ops(op.clone(values) for op in list(loop.body.block.ops))
        return serial


def element_bits(loop: ForOp) -> int:
    """The width of the widest element that the loop loads or stores, in bits."""
    widths = [8]
    for op in loop.body.block.walk():
        if isinstance(op, LoadOp | StoreOp):
            assert isinstance(op.buffer.type, MemRefType)
            element = op.buffer.type.element_type
            widths.append(element.bitwidth if isinstance(element, FixedBitwidthType) else 64)
    return max(widths)
