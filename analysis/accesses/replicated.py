"""Buffers whose elements have the same value in every thread that computes them.

If every thread of a block computes the same tile, all of them can share one tile: each element is
written by one iteration of one block, which reads only values that are uniform across the threads.
Thread blocks (``blockIdx``) do not wait for each other, so they may share only elements that are
written once, and no reductions.
"""

from __future__ import annotations

from xdsl.ir import Block, SSAValue

from kc.analysis.accesses.instances import Space, Supply
from kc.analysis.affine.index_facts import determined
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.loop_tree import (
    defined_inside,
    derived_values,
    is_inside,
    iter_types,
    loops,
    loops_around,
    memory_scope,
)
from kc.dialects.tir import AllocOp, BlockOp, ForOp, IterType, LoadOp, StoreOp
from kc.dialects.tir.threads import BLOCK_AXES, is_same_axis, is_shared


def is_replicated(buffer: SSAValue, loop: ForOp, axis: str) -> bool:
    """True if the threads of ``axis``, the iterations of ``loop``, may compute the elements of
    ``buffer``, allocated in the loop, together.

    Some iterations may compute fewer elements than others.
    """
    return _Replication(loop, axis).holds(buffer, frozenset())


class _Replication:
    def __init__(self, loop: ForOp, axis: str) -> None:
        self.loop = loop
        self.axis = axis
        own = [loop, *(inner for inner in loops(loop) if is_same_axis(inner.axis, axis))]
        self.varying = {value for each in own for value in derived_values(each.var)}

    def holds(self, buffer: SSAValue, buffers: frozenset[SSAValue]) -> bool:
        """True if ``buffer`` has equal elements in all threads, under the assumption that the
        buffers in ``buffers`` do.
        """
        users = [use.operation for use in buffer.uses]
        if not all(isinstance(op, LoadOp | StoreOp) for op in users):
            return False
        stores = [op for op in users if isinstance(op, StoreOp)]
        blocks = {store.parent_op() for store in stores}
        (block,) = blocks if len(blocks) == 1 else (None,)
        if not isinstance(block, BlockOp) or any(store.buffer is not buffer for store in stores):
            return False
        if not all(_determines(store, block) for store in stores):
            return False
        if block.is_reduction and not self._is_same_reduction(block):
            return False
        buffers |= {buffer}
        inner = [op for region in block.regions for op in region.walk()]
        used = {value for op in inner for value in op.operands}
        return all(self._is_same(value, block, buffers) for value in used) and all(
            self._has_written(load)
            for load in inner
            if isinstance(load, LoadOp) and load.buffer not in buffers
        )

    def _is_same_reduction(self, block: BlockOp) -> bool:
        return (
            self.axis not in BLOCK_AXES
            and self._reduces_alike(block)
            and self._adds_terms_once(block)
        )

    def _reduces_alike(self, block: BlockOp) -> bool:
        """True if the block runs the same reduce iterations in every iteration of the loop."""
        sizes = [loop.dynamic_extent for loop in loops_around(block)]
        operands = [*block.predicate_operands, *sizes]
        for expr, kind in zip(block.binding_exprs, block.types, strict=True):
            if kind is IterType.REDUCE:
                operands += [block.binding_operands[dim] for dim in expr.used_dims()]
        return not any(operand in self.varying for operand in operands)

    def _adds_terms_once(self, block: BlockOp) -> bool:
        """True if iterations of the loop that reduce to the same element do so at the same time, or
        start from its init. Otherwise an iteration would add terms to an element that already
        includes them.
        """
        kinds = zip(block.binding_exprs, block.types, strict=True)
        results = [expr for expr, kind in kinds if kind is IterType.SPATIAL]
        driving = {block.binding_operands[dim] for expr in results for dim in expr.used_dims()}
        if not driving & self.varying:
            return True
        types = {outer: iter_types(outer, block) for outer in loops_around(block)}
        serial = [outer for outer in types if outer.axis is None and outer.static_extent != 1]
        first = next((n for n, outer in enumerate(serial) if IterType.REDUCE in types[outer]), None)
        return first is None or all(types[outer] == {IterType.REDUCE} for outer in serial[first:])

    def _is_same(self, value: SSAValue, block: BlockOp, buffers: frozenset[SSAValue]) -> bool:
        """True if ``value``, used in ``block``, is the same in all iterations of the loop."""
        if value in buffers or defined_inside(value, block):
            return True
        if not defined_inside(value, self.loop):
            return not self._is_own(value) or self.holds(value, buffers)
        if isinstance(value.owner, AllocOp):
            return self.holds(value, buffers)
        return not isinstance(value.owner, Block) and value.owner.name == "arith.constant"

    def _is_own(self, value: SSAValue) -> bool:
        """True if each thread writes a private copy of the buffer, wherever the buffer is
        allocated.
        """
        if not isinstance(value.owner, AllocOp) or is_shared(memory_scope(value), self.axis):
            return False
        return bool(self._stores(value))

    def _stores(self, buffer: SSAValue) -> list[StoreOp]:
        users = [use.operation for use in buffer.uses]
        return [op for op in users if isinstance(op, StoreOp) and is_inside(op, self.loop)]

    def _has_written(self, load: LoadOp) -> bool:
        """True if each iteration of the loop has itself written the element that it loads from a
        private buffer. Copies of other iterations may hold anything.
        """
        buffer = load.buffer
        is_own = defined_inside(buffer, self.loop) or self._is_own(buffer)
        if not is_own or is_shared(memory_scope(buffer), self.axis):
            return True
        space = Space()
        read = space.instance(load)
        shared = {
            loop: at
            for loop, at in read.loops.items()
            if loop is self.loop or not is_inside(loop, self.loop) or defined_inside(buffer, loop)
        }
        supplies: list[Supply] = []
        for store in self._stores(buffer):
            write = space.instance(store, shared)
            before = space.before(write, read)
            supplies.append(Supply(write, space.element(store, write), [before]))
        return space.uncovered(read, space.element(load, read), supplies) is None


def _determines(store: StoreOp, block: BlockOp) -> bool:
    """True if the written element determines the iteration of the block, except for reduce
    variables.
    """
    index = IndexValues()
    exprs = [index.compose(expr, store.operands_of_map) for expr in store.indices.data.results]
    fixed = determined(exprs, index)
    body = store.parent
    assert body is not None
    return all(
        kind is IterType.REDUCE or extent == 1 or arg in fixed
        for arg, (kind, _, extent) in zip(body.args, block.iters, strict=True)
    )
