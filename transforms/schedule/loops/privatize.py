"""privatize: each iteration of a loop gets a private copy of a buffer that it writes before it
reads.

Before, ``privatize block=T loop=i``::

    %T = tir.alloc "T" : memref<8xf32>
    tir.for %i in 16 {
      tir.for %j in 8 {
        tir.block "T" ... { tir.store %a, %T[%v_j] : memref<8xf32> }
      tir.for %k in 8 {
        tir.block "B" ... { %t = tir.load %T[%v_k] : memref<8xf32> ... }

After::

    %T = tir.alloc "T" : memref<16x8xf32>
    tir.for %i in 16 {
      tir.for %j in 8 {
        tir.block "T" ... { tir.store %a, %T[%v_i, %v_j] : memref<16x8xf32> }
      tir.for %k in 8 {
        tir.block "B" ... { %t = tir.load %T[%v_i, %v_k] : memref<16x8xf32> ... }

The buffer gets a new first dimension, over the iterations. No iteration then overwrites an element
that another iteration needs, so the loop may become parallel, be distributed, or be exchanged with
other loops.

*Legal when*

1. KC3010, KC3011: the loop is serial and carries no annotation.
2. KC3300, KC3303, KC3320: the block writes the buffer; the function allocates it, and only loads
   and stores use it.
3. KC3486: it is allocated outside the loop, and all its uses are inside.
4. KC3487: an iteration reads only elements that it has written before.
5. KC3488: no annotation refers to dimensions of the buffer.

Polyhedral compilers: scalar expansion and array expansion, privatization (Tu and Padua 1993). Exo:
``expand_dim``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.dialects.builtin import AffineMapAttr, MemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import Space, Supply
from kc.analysis.accesses.regions import buffers_written, stores_to
from kc.analysis.loop_tree import buffer_name
from kc.dialects.tir import DYNAMIC, AllocOp, BlockOp, ForOp, LoadOp, StoreOp
from kc.transforms.affine_rewrite import compact
from kc.transforms.schedule._blocks import describe, witness_text
from kc.transforms.schedule._buffers import (
    BufferRef,
    find_alloc,
    find_buffer,
    require_plain_uses,
)
from kc.transforms.schedule.base import (
    BlockRef,
    LoopRef,
    Primitive,
    Rewritten,
    Site,
    require_serial,
)


@dataclass(frozen=True)
class Plan:
    """The buffer, and the loop whose iterations get copies."""

    alloc: AllocOp
    loop: ForOp


@dataclass(frozen=True)
class Privatize(Primitive):
    """Give each iteration of a loop a private copy of a buffer."""

    name: ClassVar[str] = "privatize"
    undecidable = True

    block: BlockRef = field(metadata={"help": "a block that writes the buffer"})
    loop: LoopRef = field(metadata={"help": "the loop whose iterations get copies"})
    buffer: BufferRef = field(
        default=BufferRef(0),
        metadata={"help": "the buffer: its name, or its position among the written buffers"},
    )

    def check(self, site: Site) -> Plan:
        block = site.resolve_block(self.block)
        buffer = find_buffer(site, block, self.buffer, "writes")
        loop = Site(site.function, site.target, self.block).resolve_loop(self.loop)
        require_serial(site, loop)
        require_plain_uses(site, block, buffer)
        alloc = find_alloc(site, block, buffer)
        if loop_tree.is_inside(alloc, loop):
            raise site.refuse(
                "KC3486",
                f"{alloc.label} is allocated in {loop.label}",
                at=loop,
                beside=[alloc],
                why="so each iteration already has its own copy",
            )
        for use in buffer.uses:
            user = use.operation
            if not isinstance(user, LoadOp | StoreOp) or not loop_tree.is_inside(user, loop):
                raise site.refuse(
                    "KC3486",
                    f"{_user(user)} uses {alloc.label} outside {loop.label}",
                    at=loop,
                    beside=[user],
                    why=f"outside {loop.label}, no iteration selects a copy",
                )
        notes = [key for key in alloc.attributes if key.startswith("tir.")]
        if notes:
            raise site.refuse(
                "KC3488",
                f"{alloc.label} has {', '.join(notes)}",
                at=loop,
                why="the annotation refers to dimensions, whose numbers change",
                hints=["privatize first"],
            )
        for use in buffer.uses:
            if isinstance(use.operation, LoadOp):
                self._require_written(site, loop, use.operation)
        return Plan(alloc, loop)

    def _require_written(self, site: Site, loop: ForOp, load: LoadOp) -> None:
        """Refuse (KC3487) a load of an element that the same iteration of ``loop`` has not
        written.
        """
        space = Space()
        read = space.instance(load)
        shared = {outer: at for outer, at in read.loops.items() if loop_tree.is_inside(loop, outer)}
        supplies: list[Supply] = []
        for store in stores_to(load.buffer):
            write = space.instance(store, shared)
            supplies.append(Supply(write, space.element(store, write), [space.before(write, read)]))
        witness = space.uncovered(read, space.element(load, read), supplies)
        if witness is None:
            return
        label = buffer_name(load.buffer)
        raise site.refuse(
            "KC3487",
            f"a copy of {label} for each iteration of {loop.label} "
            + ("cannot be proven to keep" if witness.undecided else "changes")
            + " the result",
            at=loop,
            beside=[load],
            why=witness.undecided
            or f"{_user(load)}{read.at(witness)} reads {label}{witness_text(space, witness)}, "
            f"which that iteration of {loop.label} has not written",
        )

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for block in loop_tree.blocks(site.function):
            for buffer in buffers_written(block):
                if isinstance(buffer.owner, AllocOp):
                    for loop in loop_tree.loops_around(block):
                        yield cls(BlockRef(block), LoopRef(loop), BufferRef(buffer))

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        alloc, loop = plan.alloc, plan.loop
        buffer, extent = alloc.buffer, loop.extent_value
        type_ = buffer.type
        assert isinstance(type_, MemRefType)
        size = extent if isinstance(extent, int) else DYNAMIC
        wider = MemRefType(
            type_.element_type, [size, *type_.get_shape()], memory_space=type_.memory_space
        )
        sizes: list[SSAValue] = [] if isinstance(extent, int) else [extent]
        copies = AllocOp(alloc.label, wider, [*sizes, *alloc.dynamic_sizes])
        copies.attributes.update(alloc.attributes)
        copies.location = alloc.location
        accesses = {use.operation for use in buffer.uses}
        Rewriter.insert_op(copies, _place(alloc, loop))
        for op in accesses:
            assert isinstance(op, LoadOp | StoreOp)
            fixed = len(op.operands) - len(op.operands_of_map)
            count = len(op.operands_of_map)
            exprs = (AffineExpr.dimension(count), *op.indices.data.results)
            indices, operands = compact(
                AffineMap(count + 1, 0, exprs), [*op.operands_of_map, _iteration(op, loop)]
            )
            op.operands = [*list(op.operands)[: fixed - 1], copies.buffer, *operands]
            op.properties["indices"] = AffineMapAttr(indices)
        Rewriter.erase_op(alloc)
        return Rewritten()


def _user(access: Operation) -> str:
    """A description of the block around an access, or of the access outside blocks."""
    around = loop_tree.path_to(access)
    return describe(next((op for op in around if isinstance(op, BlockOp)), access))


def _iteration(op: Operation, loop: ForOp) -> SSAValue:
    """The iteration of ``loop`` at ``op``: the loop's variable, or the block variable that is bound
    to the loop's variable.
    """
    body = op.parent
    block = body.parent_op() if body is not None else None
    if isinstance(block, BlockOp) and body is not None and body is block.body.block:
        values = block.binding_operands
        for expr, arg in zip(block.binding_exprs, body.args, strict=True):
            if isinstance(expr, AffineDimExpr) and values[expr.position] is loop.var:
                return arg
    return loop.var


def _place(alloc: AllocOp, loop: ForOp) -> InsertPoint:
    """The place of the new allocation: the old place, or the outermost place where the extent is
    available.
    """
    extent = loop.dynamic_extent
    if extent is None:
        return InsertPoint.before(alloc)
    path = list(loop_tree.path_to(loop))
    outermost = next(op for op in path if op.parent is alloc.parent)
    if not loop_tree.defined_inside(extent, outermost):
        maker = extent.owner
        if not isinstance(maker, Operation) or maker.parent is not alloc.parent:
            return InsertPoint.before(alloc)
        return InsertPoint.before(outermost if alloc.is_before_in_block(maker) else alloc)
    inner = [op for op in path[: path.index(outermost)] if isinstance(op, ForOp)]
    inside = [op for op in inner if not loop_tree.defined_inside(extent, op)]
    return InsertPoint.before(inside[-1])
