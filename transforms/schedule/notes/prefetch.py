"""prefetch: the elements that a block will read some iterations later are brought into the cache.

Before, ``prefetch block=C buffer=A loop=i offset=2``::

    tir.for %i in 64 {
      tir.for %j in 32 {
        tir.block "C" (spatial %v_i in 64 = %i, spatial %v_j in 32 = %j) do { reads %A[%v_i, %v_j] }

After::

    tir.for %i in 64 {
      tir.for %p1 in 2 {
        tir.prefetch %A[%i + 2, %p1 * 16] : memref<64x32xf32>
      }
      tir.for %j in 32 {
        tir.block "C" ...

The prefetched elements are those that the block reads in one iteration of the loop, moved ahead by
the offset; one element per cache line (of 64 bytes) is prefetched. A prefetch neither reads nor
writes and never fails, so the last iterations may name elements outside the buffer.

*Legal when*

1. KC3300: the block reads the buffer.
2. KC3480: the loop is around the block. KC3481: neither the loop nor a loop around it is
   vectorized.
3. KC3482: the offset is at least 0 and less than 2^31.
4. KC3485: the buffer is not allocated in the loop.
5. KC3483: an iteration reads a box that moves with the loop.

An offset of 0 gets a warning (KC3484). So does a parallel loop, whose next iteration may run on
another core.

TVM: ``prefetch`` of TE. Halide: ``prefetch``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

from xdsl.dialects.builtin import FixedBitwidthType, MemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis import loop_tree
from kc.analysis.accesses.regions import buffers_read, buffers_written, loads_of
from kc.analysis.affine.index_values import dimensions, substitute
from kc.analysis.loop_tree import buffer_name
from kc.dialects.tir import ApplyOp, ForKind, ForOp, PrefetchOp
from kc.support.diagnostics import ScheduleError, warn
from kc.support.locations import location_of
from kc.transforms.schedule._buffers import BufferRef, find_buffer
from kc.transforms.schedule._copies import Part, part_of
from kc.transforms.schedule._sizes import size_value
from kc.transforms.schedule.base import (
    CALL_SITE,
    BlockRef,
    LoopRef,
    Primitive,
    Rewritten,
    Site,
)

LINE = 64
"""The size of a cache line in bytes."""


@dataclass(frozen=True)
class Plan:
    """The loop, the box that an iteration reads, and the loop's dimension in the bases of
    the box.
    """

    loop: ForOp
    part: Part
    dimension: int


@dataclass(frozen=True)
class Prefetch(Primitive):
    """Prefetch the elements that a block will read into the cache."""

    name: ClassVar[str] = "prefetch"

    block: BlockRef = field(metadata={"help": "the block that reads the buffer"})
    buffer: BufferRef = field(
        metadata={"help": "the buffer: its name, or its position among the read buffers"}
    )
    loop: LoopRef = field(metadata={"help": "the loop in which to prefetch ahead"})
    offset: int = field(default=1, metadata={"help": "the number of iterations ahead"})

    def check(self, site: Site) -> Plan:
        try:
            return self._check(site)
        except ScheduleError as error:
            if error.code == "KC3483":
                error.hints = tuple(_moving(site, self))
            raise

    def _check(self, site: Site) -> Plan:
        block = site.resolve_block(self.block)
        buffer = find_buffer(site, block, self.buffer, "reads")
        loop = Site(site.function, site.target, self.block).resolve_loop(self.loop)
        if not loop_tree.is_inside(block, loop):
            raise site.refuse(
                "KC3480",
                f"loop {loop.label} is not around block {block.label}",
                at=block,
                mark={block: "the block", loop: "the loop"},
                beside=[loop],
                why="a block can only prefetch in a loop that contains it",
                hints=[f"loop={outer.label}" for outer in loop_tree.loops_around(block)[:3]],
            )
        for outer in [*loop_tree.loops_around(loop), loop]:
            if outer.kind.data is ForKind.VECTORIZED:
                raise site.refuse(
                    "KC3481",
                    f"loop {outer.label} is vectorized",
                    at=loop,
                    mark={loop: "the loop", outer: "vectorized"},
                    why="the lanes of a vector are one access, so there is no next iteration",
                    hints=["prefetch in a loop around it"],
                )
        if not 0 <= self.offset < 2**31:
            raise site.refuse(
                "KC3482",
                f"offset {self.offset} for loop {loop.label}",
                at=loop,
                why="the offset must be 0 to 2^31 - 1 iterations",
                hints=["offset=1"],
            )
        name = buffer_name(buffer)
        if loop_tree.defined_inside(buffer, loop):
            raise site.refuse(
                "KC3485",
                f"{name} is allocated in loop {loop.label}",
                at=loop,
                mark={loop: "the loop", block: f"reads {name}"},
                why="each iteration has its own buffer, without the data of the next iteration",
                hints=[f"prefetch the inputs of the block that writes {name}"],
            )
        loads = [load for load in loads_of(buffer) if loop_tree.is_inside(load, block)]
        part = part_of(site, loads, loop.body.block)
        root = part.index.expr(loop.var)
        assert isinstance(root, AffineDimExpr)
        moves = any(root.position in dimensions(interval.base) for interval in part.intervals)
        if not moves:
            raise site.refuse(
                "KC3483",
                f"block {block.label} reads elements of {name} that do not depend on {loop.label}",
                at=block,
                mark={loop: "the loop", block: f"reads {name}"},
                why="its indices are not affine in the loop, or each iteration reads the same "
                "elements",
            )
        return Plan(loop, part, root.position)

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for block in loop_tree.blocks(site.function):
            written = buffers_written(block)
            for buffer in buffers_read(block):
                for loop in loop_tree.loops_around(block):
                    if buffer not in written:
                        yield cls(BlockRef(block), BufferRef(buffer), LoopRef(loop))

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        loop, part, index = plan.loop, plan.part, plan.part.index
        self._warn(plan)
        ahead = {plan.dimension: AffineExpr.dimension(plan.dimension) + self.offset}
        exprs: list[AffineExpr] = []
        loops: list[ForOp] = []
        for n, (interval, size) in enumerate(zip(part.intervals, part.sizes, strict=True)):
            step = _elements_of_line(part.buffer) if n == len(part.sizes) - 1 else 1
            extent = size_value(site, size, loop) if interval.size is None else interval.size
            extent = _steps(extent, step, loop)
            expr = substitute(interval.base, ahead)
            if extent != 1:
                (name,) = site.fresh_names([f"p{n}"], loop, [])
                new_loop = ForOp(name, extent)
                new_loop.location = loop.location
                loops.append(new_loop)
                expr = expr + index.expr(new_loop.var) * step
            exprs.append(index.simplify(expr))
        top: Operation = PrefetchOp(part.buffer, *index.to_map(exprs))
        top.location = loop.location
        for new_loop in reversed(loops):
            new_loop.body.block.add_op(top)
            top = new_loop
        Rewriter.insert_op(top, InsertPoint.at_start(loop.body.block))
        return Rewritten()

    def _warn(self, plan: Plan) -> None:
        loop = plan.loop
        if self.offset == 0:
            why = "it is read immediately afterwards"
        elif loop.kind.data is ForKind.PARALLEL:
            why = "the next iterations of a parallel loop may run on other cores"
        else:
            return
        warn(
            "KC3484",
            f"prefetch: prefetching {self.offset} ahead in loop {loop.label} is of little use",
            location=CALL_SITE.get() or location_of(loop),
            why=why,
            hints=["offset=1"] if self.offset == 0 else ["prefetch in a serial loop"],
        )


def _elements_of_line(buffer: SSAValue) -> int:
    """The number of elements of ``buffer`` in a cache line."""
    assert isinstance(buffer.type, MemRefType)
    element = buffer.type.element_type
    bits = element.bitwidth if isinstance(element, FixedBitwidthType) else 64
    return max(1, LINE * 8 // max(bits, 8))


def _steps(extent: int | SSAValue, step: int, loop: ForOp) -> int | SSAValue:
    """The number of steps through ``extent`` elements."""
    if step == 1:
        return extent
    if isinstance(extent, int):
        return -(-extent // step)
    count = ApplyOp(AffineExpr.dimension(0).ceil_div(step), [extent])
    count.location = loop.location
    Rewriter.insert_op(count, InsertPoint.before(loop))
    return count.result


def _moving(site: Site, request: Prefetch) -> list[str]:
    """The hints for loops around the block in which the prefetch is legal."""
    block = site.resolve_block(request.block)
    options: list[str] = []
    for loop in loop_tree.loops_around(block):
        try:
            replace(request, loop=LoopRef(loop))._check(site)
        except ScheduleError:
            continue
        options.append(f"loop={loop.label}")
    return options
