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

A loop of up to four native vectors is one vector; a longer loop becomes a loop over the widest
vectors that divide it, or over native vectors. The remainder (7 of 31 iterations, or the unknown
rest of a symbolic extent) is one vector under a mask. If the machine has no masks for the elements,
the last whole vector overlaps earlier iterations, provided that the loop loads from no buffer to
which it stores; otherwise vectors of half the lanes, a quarter, and so on, follow.

If the vector code requires that a guard hold in all lanes, or that indices not wrap around within a
vector, and neither is proven, both forms are generated and a ``tir.if`` chooses. The code for a
guard that fails in some lanes is again masked, or uses narrower vectors. If masked code consists of
several native vectors, and the guard holds at most in the first of them, only this vector is
computed. A branch that only some lanes take runs under a mask: for ``%x = scf.if %c -> (f32)``,
which loads if ``%c`` holds and is 0 otherwise::

    %x = vector.maskedload %A[%i, %j], %c, %zero : memref<64x100xf32>, vector<8xi1>, vector<8xf32>

Inactive lanes access no memory and only divide by 1; a branch on a condition that is equal in all
lanes stays a branch.

A loop that cannot be vectorized (for example, because an iteration has a private buffer) runs
serially, with warning KC4211; so does a loop around another vectorized loop (KC4212).

Requires: no blocks (``lower-blocks``); the iterations of a vectorized loop are independent, which
the primitive ``vectorize`` checks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import FixedBitwidthType, IntegerAttr, MemRefType, ModuleOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
)
from xdsl.passes import ModulePass

from kc.analysis.affine.index_values import IndexValues
from kc.analysis.affine.simplify_affine import simplify_constraints
from kc.analysis.loop_tree import functions, has_effects, preorder
from kc.analysis.module_copy import copy_operation
from kc.dialects.affine_assembly import at_least_zero
from kc.dialects.tir import (
    INDEX,
    ApplyOp,
    BlockOp,
    ForKind,
    ForKindAttr,
    ForOp,
    IfOp,
    LoadOp,
    StoreOp,
)
from kc.support.diagnostics import CodegenError, warn
from kc.support.locations import location_of
from kc.support.target import target_of
from kc.transforms.tir.vectorize._vector_branches import CannotVectorizeError, Masking
from kc.transforms.tir.vectorize._vector_chunk import Chunk
from kc.transforms.tir.vectorize._vector_rest import (
    LARGEST_BODY,
    LARGEST_CODE,
    NARROWEST_BITS,
    first_lanes,
    is_repeatable,
)

MAX_VECTORS = 4
"""The most native vectors in one vector of the code."""

LONG = 4
"""The number of widest vectors from which a loop is split into widest vectors, and native vectors
for its remainder. The operations of a wide vector overlap while others wait for their operands.
"""


@dataclass(frozen=True)
class VectorizeLoopPass(ModulePass):
    """Turn vectorized loops into code on vectors."""

    name = "vectorize-loop"

    vector_bits: int | None = None
    """The width of a native vector in bits; by default the target's."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = target_of(op)
        bits = target.vector_bits if self.vector_bits is None else self.vector_bits
        shuffles = target.kind == "llvm"
        # A refusal (KC4201, KC4205) leaves the module as it was: all code is made before a loop is
        # replaced. No vectorized loop is in another one that is replaced.
        steps: list[_Step] = []
        try:
            for function in functions(op):
                lowering = _Lowering(bits, shuffles)
                loops, inside = _vectorized_loops(function)
                for loop in reversed(loops):
                    if loop in inside:
                        why = f"the loop {inside[loop].label} inside it is vectorized"
                        steps.append(_Step(lowering, loop, serial=("KC4212", why, loop)))
                    else:
                        steps.append(lowering.step(loop))
        except CodegenError:
            for step in steps:
                _drop(step.code or ())
            raise
        for step in steps:
            step.take()


def _vectorized_loops(function: Operation) -> tuple[list[ForOp], dict[ForOp, ForOp]]:
    """The vectorized loops in program order, and an inner vectorized loop for each outer one.

    Raises CodegenError KC4201 if a block is left.
    """
    loops: list[ForOp] = []
    inside: dict[ForOp, ForOp] = {}
    for op in preorder(function):
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
    """The division of ``extent`` iterations: pairs of a vector width in lanes (1: scalar) and a
    count.

    ``native`` is the number of lanes of a native vector, a power of two.
    """
    widest = MAX_VECTORS * native
    parts: list[tuple[int, int]] = []
    if native > 1 and extent >= LONG * widest and extent % widest:
        parts.append((widest, extent // widest))
        extent %= widest
    if extent <= widest and extent & (extent - 1) == 0:
        return [*parts, (extent, 1)]
    width = widest
    while width >= native:
        if extent % width == 0 and width > 1:
            return [*parts, (width, extent // width)]
        width //= 2
    width = min(native, 1 << (extent.bit_length() - 1))
    if width == 1:
        return [(1, extent)]
    rest = extent % width
    if extent >= native or not parts:
        parts.append((width, extent // width))
    else:
        rest = extent
    if rest:
        whole = rest > 1 and rest & (rest - 1) == 0
        parts.append((rest, 1) if whole else (1, rest))
    return parts


@dataclass(frozen=True)
class _Step:
    """The lowering of a vectorized loop: ``code`` replaces the loop. Without code, the loop becomes
    serial.
    """

    lowering: _Lowering
    loop: ForOp
    code: Sequence[Operation] | None = None
    serial: tuple[str, str, Operation] | None = None
    """The code, the reason and the place of the warning that the loop runs serially."""

    def take(self) -> None:
        if self.code is not None:
            self.lowering.replace(self.loop, self.code)
        elif self.serial is not None:
            run_serially(self.loop, *self.serial)
        else:
            self.loop.kind = ForKindAttr(ForKind.SERIAL)


def _drop(ops: Iterable[Operation]) -> None:
    """Drop the operands of operations that are not in a block."""
    for op in ops:
        if op.parent is None:
            op.drop_all_references()


class _Lowering:
    """The vectorization of the loops of one function."""

    def __init__(self, vector_bits: int, shuffles: bool) -> None:
        self.vector_bits = vector_bits
        self.shuffles = shuffles
        self.element_bits = 8
        """The width of the elements of the current loop."""
        self.has_masks = False
        """True if the machine has masked accesses to the elements of the current loop."""
        self.native = 1
        """The number of elements of the current loop in a native vector."""
        self.index = IndexValues()
        self.new_operations: list[Operation] = []
        """The operations created for the current loop. They are discarded if the loop stays."""
        self.room = 0
        """The number of operations that may still be added for lanes under conditions."""

    def step(self, loop: ForOp) -> _Step:
        """The vector code for ``loop``, or the reason why it runs serially. ``loop`` itself is
        unchanged.

        Raises CodegenError KC4205, without a change, if all lanes store to one element.
        """
        extent = loop.extent_value
        if isinstance(extent, SSAValue):
            extent = self.index.constant(extent)
        if self.vector_bits == 0 or (extent is not None and extent < 2):
            return _Step(self, loop)
        native = self._enter(loop)
        try:
            if extent is None:
                ops = self._unknown_extent(loop, native)
            else:
                ops = self._known_extent(loop, extent, native)
        except CannotVectorizeError as error:
            self._discard()
            return _Step(self, loop, serial=("KC4211", error.reason, error.op))
        except CodegenError:
            self._discard()
            raise
        return _Step(self, loop, ops)

    def replace(self, loop: ForOp, ops: Sequence[Operation]) -> None:
        """Replace the loop of a step by its code."""
        self.room = LARGEST_CODE
        self._replace(loop, ops)

    def _discard(self) -> None:
        """Discard all operations created for the current loop."""
        _drop(self.new_operations)
        self.new_operations = []

    def _enter(self, loop: ForOp) -> int:
        """Begin with ``loop``. Returns the number of lanes of a native vector."""
        self.new_operations = []
        widths = _element_widths(loop)
        self.element_bits = max(8, *widths)
        # Registers of more than 128 bits have masks (AVX, SVE, RVV); x86 has masks for elements of
        # fewer than 32 bits only with 512 bits.
        self.has_masks = self.vector_bits >= 512 or (self.vector_bits > 128 and min(widths) >= 32)
        lanes = max(1, self.vector_bits // self.element_bits)
        self.native = 1 << (lanes.bit_length() - 1)
        return self.native

    def _replace(self, loop: ForOp, ops: Sequence[Operation]) -> None:
        block = loop.parent
        assert block is not None
        block.insert_ops_before(ops, loop)
        loop.detach()
        loop.erase(safe_erase=False)
        # Loops over the first lanes of a vector are needed where the machine has no masks.
        lanes = [
            inner
            for op in ops
            for inner in op.walk()
            if isinstance(inner, ForOp) and inner.kind.data is ForKind.VECTORIZED
        ]
        self.room -= sum(1 for op in ops for _ in op.walk())
        for inner in lanes:
            if self.room <= 0:
                inner.kind = ForKindAttr(ForKind.SERIAL)
                continue
            self._enter(inner)
            extent = inner.extent_value
            count = (
                AffineExpr.constant(extent) if isinstance(extent, int) else self.index.expr(extent)
            )
            try:
                narrower = self._narrower(inner, count, AffineExpr.constant(0), conditional=True)
            except CannotVectorizeError:
                self._discard()
                inner.kind = ForKindAttr(ForKind.SERIAL)
            else:
                self._replace(inner, narrower)

    # Extents

    def _known_extent(self, loop: ForOp, extent: int, native: int) -> list[Operation]:
        """All iterations of a loop with a constant extent."""
        parts = pieces(extent, native)
        scalars = parts[-1][1] if parts[-1][0] == 1 else 0
        if native == 1 or scalars < 2 or _size(loop) > LARGEST_BODY:
            return self._pieces(loop, parts, 0)
        rest = extent % native
        if self.has_masks:
            partial = self._partial(loop, 1 << (rest - 1).bit_length(), rest, extent - rest)
            if partial is not None:
                whole = [(width, count) for width, count in parts if width >= native]
                return self._pieces(loop, whole, 0) + partial
        *vectors, (_, rest) = parts
        ops = self._pieces(loop, vectors, 0)
        width = 1 << (rest - 1).bit_length()
        if width <= extent - rest and is_repeatable(loop):
            return ops + self._chunk(loop, width, AffineExpr.constant(extent - width))
        count, start = AffineExpr.constant(rest), AffineExpr.constant(extent - rest)
        return ops + self._narrower(loop, count, start)

    def _pieces(self, loop: ForOp, parts: Sequence[tuple[int, int]], start: int) -> list[Operation]:
        ops: list[Operation] = []
        for width, count in parts:
            if count:
                ops += self._piece(loop, width, count, start)
            start += width * count
        return ops

    def _unknown_extent(self, loop: ForOp, native: int) -> list[Operation]:
        """All iterations of a loop whose extent is known only at run time. A negative extent means
        no iterations.
        """
        extent = loop.extent_value
        assert isinstance(extent, SSAValue)
        ops: list[Operation] = []
        if not self.index.is_natural(self.index.expr(extent)):
            at_least_0 = [[AffineExpr.dimension(0)], [AffineExpr.constant(0)]]
            natural = ApplyOp.of_groups("max", at_least_0, [extent])
            ops.append(natural)
            self.new_operations += ops
            extent = natural.result
        count = self.index.expr(extent)
        _, most = self.index.bounds(count)
        while native > 1 and most is not None and most < native:
            native //= 2
        if native == 1 or _size(loop) > LARGEST_BODY:
            return [*ops, self._iterations(loop, extent, AffineExpr.constant(0))]
        vectors = self._vector_loop(loop, self._computed(count // native, ops))
        base = self.index.simplify(self.index.expr(vectors.var) * native)
        vectors.body.block.add_ops(self._chunk(loop, native, base))
        ops.append(vectors)
        rest = self._computed(count % native, ops)
        left = self.index.expr(rest)
        first = self.index.simplify(count - count % native)
        last: list[Operation] | None = None
        if self.has_masks:
            start = self._computed(first, starts := [])
            last = self._partial(loop, native, rest, start)
            if start.first_use:
                ops += starts
            else:
                for op in reversed(starts):
                    self.new_operations.remove(op)
                    op.erase()
        if last is None:
            last = self._narrower(loop, left, first)
            if is_repeatable(loop):
                again = self._chunk(loop, native, self.index.simplify(count - native))
                last = self._choose(count - native, again, last)
        ops += self._choose(left - 1, last)
        return ops

    def _narrower(
        self, loop: ForOp, count: AffineExpr, start: AffineExpr, *, conditional: bool = False
    ) -> list[Operation]:
        """Code for ``count`` (at least 0) iterations from ``start`` on: vectors of at most the
        native width, each half as wide as the previous vector, and a serial loop for the rest.
        """
        _, most = self.index.bounds(count)
        width = self.native
        while width > 1 and most is not None and most < width:
            width //= 2
        narrowest = max(2, NARROWEST_BITS // self.element_bits)
        ops: list[Operation] = []
        rest = self.index.simplify(count)
        if _size(loop) > LARGEST_BODY:
            width = 1
        if width >= narrowest and (most is None or most >= 2 * width):
            vectors = self._vector_loop(loop, self._computed(count // width, ops))
            base = self.index.simplify(start + self.index.expr(vectors.var) * width)
            vectors.body.block.add_ops(self._chunk(loop, width, base, conditional=conditional))
            ops.append(vectors)
            rest = self.index.simplify(count % width)
            width //= 2
        while width >= narrowest:
            base = self.index.simplify(start + count - rest)
            chunk = self._chunk(loop, width, base, conditional=conditional)
            ops += self._choose(rest - width, chunk)
            rest = self.index.simplify(count % width)
            width //= 2
        if rest != AffineExpr.constant(0):
            number = rest.value if isinstance(rest, AffineConstantExpr) else None
            value = self._computed(rest, ops) if number is None else number
            ops.append(self._iterations(loop, value, self.index.simplify(start + count - rest)))
        return ops

    # Vectors

    def _masking(self, **options: bool) -> Masking:
        return Masking(self.has_masks, self.element_bits, shuffles=self.shuffles, **options)

    def _piece(self, loop: ForOp, width: int, count: int, start: int) -> list[Operation]:
        """``width * count`` iterations from ``start`` on, in ``count`` vectors of ``width``
        lanes.
        """
        first = AffineExpr.constant(start)
        if width == 1:
            return [self._iterations(loop, count, first)]
        if count == 1:
            return self._chunk(loop, width, first)
        small = count <= MAX_VECTORS and not any(
            isinstance(op, ForOp) for op in loop.body.block.walk()
        )
        chunks = self._vector_loop(loop, count, ForKind.UNROLLED if small else ForKind.SERIAL)
        base = self.index.simplify(first + self.index.expr(chunks.var) * width)
        chunks.body.block.add_ops(self._chunk(loop, width, base))
        return [chunks]

    def _vector_loop(
        self, loop: ForOp, count: int | SSAValue, kind: ForKind = ForKind.SERIAL
    ) -> ForOp:
        """An empty loop over ``count`` vectors."""
        annotations = loop.annotations.data if loop.annotations is not None else None
        vectors = ForOp(f"{loop.label}_v", count, kind=kind, annotations=annotations)
        vectors.location = loop.location
        self.new_operations.append(vectors)
        return vectors

    def _chunk(
        self, loop: ForOp, width: int, base: AffineExpr, *, conditional: bool = False
    ) -> list[Operation]:
        """The iterations of one vector, from ``base`` on.

        ``conditional``: the iterations are the lanes of another vector for which a condition holds.
        """
        masking = self._masking(conditional=conditional)
        chunk = Chunk(loop, width, base, self.index, masking)
        if not chunk.values.assumptions:
            ops = chunk.take()
            self.new_operations += ops
            return ops
        condition, operands = self.index.to_set(list(chunk.values.assumptions))
        misses = len(chunk.values.assumptions) == 1
        otherwise = self._without_assumptions(loop, width, base, misses=misses)
        if otherwise is not None and misses:
            (assumption,) = chunk.values.assumptions
            otherwise = self._short(loop, width, base, assumption, otherwise)
        if otherwise is None:
            otherwise = [self._iterations(loop, width, base)]
        choice = IfOp(condition, operands, Region(chunk.code), Region(Block(otherwise)))
        choice.location = loop.location
        self.new_operations += [*chunk.prologue, choice]
        return [*chunk.prologue, choice]

    def _without_assumptions(
        self, loop: ForOp, width: int, base: AffineExpr, *, misses: bool
    ) -> list[Operation] | None:
        """The iterations of one vector, from ``base`` on, without the assumption that a guard holds
        in all lanes. None if this needs a loop over the lanes.
        """
        if _size(loop) > LARGEST_BODY:
            return None
        masking = self._masking(assumes=False, misses=misses)
        try:
            chunk = Chunk(loop, width, base, self.index, masking)
        except CannotVectorizeError:
            return None
        if chunk.values.assumptions or chunk.branches.scalar_lanes:
            chunk.discard()
            return None
        return chunk.take()

    def _short(
        self,
        loop: ForOp,
        width: int,
        base: AffineExpr,
        assumption: AffineConstraintExpr,
        masked: list[Operation],
    ) -> list[Operation]:
        """Masked code for several native vectors, with a shortcut that computes only the first
        vector if a guard fails in all others. Short rows are frequent.

        ``assumption`` states that the guard holds in all lanes.
        """
        native = self.native
        if not self.has_masks or native < 2 or width < 2 * native or not _is_guarded(loop):
            return masked
        chunk = Chunk(loop, native, base, self.index, self._masking())
        assumptions = list(chunk.values.assumptions)
        chunk.discard()
        if len(assumptions) != 1 or {assumption.kind, assumptions[0].kind} != {
            AffineConstraintKind.ge
        }:
            return masked
        # The change of the guard from lane to lane: it must hold in all lanes before the last lane
        # in which it holds.
        of_all, of_first = assumption.lhs - assumption.rhs, assumptions[0].lhs - assumptions[0].rhs
        moved = self.index.simplify(of_all - of_first)
        if not isinstance(moved, AffineConstantExpr) or moved.value >= 0:
            return masked
        step, rest = divmod(moved.value, width - native)
        if rest:
            return masked
        first = self._without_assumptions(loop, native, base, misses=False)
        if first is None:
            return masked
        return self._choose(of_first + step, masked, first)

    def _partial(
        self, loop: ForOp, width: int, count: int | SSAValue, start: int | SSAValue
    ) -> list[Operation] | None:
        """``count`` iterations from ``start`` on, as the first lanes of one masked vector. None if
        masks cannot express them.
        """
        block = loop.parent
        assert block is not None
        lanes = first_lanes(loop, width, count, start)
        block.insert_op_before(lanes, loop)
        masking = self._masking()
        try:
            chunk = Chunk(lanes, width, AffineExpr.constant(0), self.index, masking)
        except CannotVectorizeError:
            return None
        finally:
            lanes.detach()
            lanes.erase()
        if chunk.values.assumptions or chunk.branches.scalar_lanes or chunk.branches.counted_lanes:
            chunk.discard()
            return None
        return chunk.take()

    # Code around them

    def _computed(self, expr: AffineExpr, ops: list[Operation]) -> SSAValue:
        """``expr`` as a value; new operations are appended to ``ops``."""
        expr = self.index.simplify(expr)
        if isinstance(expr, AffineDimExpr):
            value = self.index.roots[expr.position]
            assert value is not None
            return value
        affine_map, operands = self.index.to_map([expr])
        op = (
            arith.ConstantOp(IntegerAttr(expr.value, INDEX))
            if isinstance(expr, AffineConstantExpr)
            else ApplyOp(affine_map.results[0], operands)
        )
        ops.append(op)
        self.new_operations.append(op)
        return op.results[0]

    def _choose(
        self, expr: AffineExpr, then: list[Operation], orelse: Sequence[Operation] = ()
    ) -> list[Operation]:
        """Operations that run ``then`` if ``expr`` is at least 0, else ``orelse``."""
        conditions = simplify_constraints(
            [at_least_zero(self.index.simplify(expr))], self.index.ranges
        )
        if not conditions:
            for op in orelse if conditions is not None else then:
                op.drop_all_references()
            return then if conditions is not None else list(orelse)
        condition, operands = self.index.to_set(conditions)
        otherwise = Region(Block(orelse)) if orelse else None
        return [IfOp(condition, operands, Region(Block(then)), otherwise)]

    def _iterations(self, loop: ForOp, count: int | SSAValue, start: AffineExpr) -> Operation:
        """``count`` iterations from ``start`` on, as a serial loop."""
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
        serial.body.block.add_ops(copy_operation(op, values) for op in list(loop.body.block.ops))
        return serial


def _is_guarded(loop: ForOp) -> bool:
    """True if all effects of an iteration are under the only condition in the loop."""
    effects = [op for op in loop.body.block.ops if has_effects(op)]
    guards = [op for op in loop.body.block.walk() if isinstance(op, IfOp)]
    if effects != guards or len(guards) != 1:
        return False
    return not any(block.ops for block in guards[0].orelse.blocks)


def _size(loop: ForOp) -> int:
    """The number of operations in ``loop``."""
    return sum(1 for _ in loop.body.block.walk())


def _element_widths(loop: ForOp) -> list[int]:
    """The widths in bits of the elements that the loop loads or stores; 8 if it has no accesses."""
    widths = []
    for op in loop.body.block.walk():
        if isinstance(op, LoadOp | StoreOp):
            assert isinstance(op.buffer.type, MemRefType)
            element = op.buffer.type.element_type
            widths.append(element.bitwidth if isinstance(element, FixedBitwidthType) else 64)
    return widths or [8]


def element_bits(loop: ForOp) -> int:
    """The width in bits of the widest element that the loop loads or stores; at least 8."""
    return max(8, *_element_widths(loop))
