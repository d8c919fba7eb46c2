"""storage-rewrite: buffers with disjoint live ranges share memory.

Before::

    %B = tir.alloc "B" : memref<64x48xf32>
    %C = tir.alloc "C" : memref<64x48xf32>
    %D = tir.alloc "D" : memref<64x48xf32>
    %E = tir.alloc "E" : memref<1024xf32>
    ... a nest that writes %B
    ... a nest with %C[%i, %j] = f(%B[%i, %j])
    ... a nest that reads %C, each element several times, and writes %D
    ... a nest that reads %D and writes %E[%k]
    ... a nest that reads %E

After::

    %B = tir.alloc "B" : memref<3072xf32>
    %D = tir.alloc "D" : memref<64x48xf32>
    ... a nest that writes %B
    ... a nest with %B[%i * 48 + %j] = f(%B[%i * 48 + %j])
    ... a nest that reads %B and writes %D
    ... a nest that reads %D and writes %B[%k]
    ... a nest that reads %B

The live range of a buffer is from the first to the last operation with an access, among the
operations of the block that allocates it. Buffers of one block, memory space and element type share
memory if their live ranges are disjoint. Buffers of the same type also share memory if the last
operation that reads one buffer is the first that writes the other, and no element is written before
it is read: B and C above. So a chain of elementwise stages has a single temporary. This is decided
exactly, with parallel iterations in any order; undecided buffers do not share memory.

A buffer reuses, if possible, memory that is still being read, else free memory of the same type,
else the free memory that is nearest in size. Buffers of several shapes become one buffer of a
single dimension. Buffers whose size is not constant share with buffers of the same sizes.

Buffers that fit into registers (2 KiB) are left alone, as a shared array is not promoted to
registers. So are buffers with users other than ``tir.load`` and ``tir.store``, buffers with a
layout or attributes, and the buffers of the threads of a kernel.

Requires nothing, but is meant to run after the passes that move and shrink buffers, and before
vectorization, as lanes are iterations until then. ``tir.disable_storage_rewrite`` of a PassContext
omits it, and so do pipelines with bound checks, which need the shapes of buffers.

TVM: ``StorageRewrite``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import AffineMapAttr, FixedBitwidthType, MemRefType, ModuleOp, NoneAttr
from xdsl.ir import Block, Operation
from xdsl.ir.affine import AffineMap
from xdsl.passes import ModulePass

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import Space
from kc.analysis.affine.terms import equal
from kc.dialects.affine_assembly import ZERO
from kc.dialects.tir import DYNAMIC, AllocOp, ForKind, ForOp, LoadOp, StoreOp
from kc.transforms.affine_rewrite import compact

REGISTER_BYTES = 32 * 64
"""The bytes that the registers of a CPU hold: 32 registers of 512 bits."""

Access = LoadOp | StoreOp


@dataclass(frozen=True)
class StorageRewritePass(ModulePass):
    """Share memory between buffers with disjoint live ranges."""

    name = "storage-rewrite"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        for function in loop_tree.functions(op):
            allocs = [op for op in loop_tree.preorder(function) if type(op) is AllocOp]
            for block in dict.fromkeys(alloc.parent for alloc in allocs):
                assert block is not None
                for memory in _plan([alloc for alloc in allocs if alloc.parent is block], block):
                    memory.share()


@dataclass(frozen=True)
class _Life:
    """The live range of a buffer: the positions in its block of the first and the last operation
    with an access."""

    alloc: AllocOp
    accesses: tuple[Access, ...]
    start: int
    end: int
    first: Operation
    """The operation at position ``start``."""

    @property
    def type(self) -> MemRefType:
        type_ = self.alloc.buffer.type
        assert isinstance(type_, MemRefType)
        return type_

    def is_like(self, second: _Life) -> bool:
        """True if two buffers have the same type and sizes."""
        mine, its = self.alloc.dynamic_sizes, second.alloc.dynamic_sizes
        return self.type == second.type and list(mine) == list(its)

    @property
    def elements(self) -> int | None:
        """The number of elements; None if the size is not constant."""
        shape = self.type.get_shape()
        return None if DYNAMIC in shape else math.prod(shape)


@dataclass
class _Memory:
    """The buffers that share one memory, in the order of their live ranges."""

    lives: list[_Life] = field(default_factory=list)

    @property
    def elements(self) -> int | None:
        sizes = [life.elements for life in self.lives]
        static = [size for size in sizes if size is not None]
        return max(static) if len(static) == len(sizes) else None

    def distance(self, life: _Life) -> tuple[bool, bool, int] | None:
        """The cost of this memory for ``life``, smallest first; None if ``life`` cannot use it."""
        last, first = self.lives[-1], self.lives[0]
        if (last.type.element_type, last.type.memory_space) != (
            life.type.element_type,
            life.type.memory_space,
        ):
            return None
        is_same = first.is_like(life)
        if not is_same and (self.elements is None or life.elements is None):
            return None
        is_free = last.end < life.start
        if not is_free and not (last.is_like(life) and _is_in_place(last, life)):
            return None
        return is_free, not is_same, abs((self.elements or 0) - (life.elements or 0))

    def share(self) -> None:
        """Replace all buffers of this memory by one."""
        if len(self.lives) == 1:
            return
        keeper = self.lives[0].alloc
        if any(life.type != self.lives[0].type for life in self.lives):
            keeper = self._flattened()
        for life in self.lives:
            if life.alloc is not keeper:
                life.alloc.buffer.replace_all_uses_with(keeper.buffer)
                life.alloc.detach()
                life.alloc.erase()

    def _flattened(self) -> AllocOp:
        """A one-dimensional buffer for all buffers of this memory, in front of the first one. All
        accesses are rewritten to it.
        """
        first, elements = self.lives[0], self.elements
        assert elements is not None
        type_ = MemRefType(first.type.element_type, [elements], NoneAttr(), first.type.memory_space)
        flat = AllocOp(first.alloc.label, type_)
        flat.location = first.alloc.location
        home = first.alloc.parent
        assert home is not None
        home.insert_op_before(flat, first.alloc)
        for life in self.lives:
            for access in life.accesses:
                _flatten(access, life.type.get_shape())
        return flat


def _flatten(access: Access, shape: Sequence[int]) -> None:
    """Replace the indices into ``shape`` by the index of the element in row-major order."""
    index = ZERO
    for expr, size in zip(access.indices.data.results, shape, strict=True):
        index = index * size + expr
    operands = list(access.operands_of_map)
    fixed = len(access.operands) - len(operands)
    map_, operands = compact(AffineMap(len(operands), 0, (index,)), operands)
    access.operands = [*list(access.operands)[:fixed], *operands]
    access.indices = AffineMapAttr(map_)


def _plan(allocs: Sequence[AllocOp], block: Block) -> list[_Memory]:
    """The memories of the buffers of a block."""
    memories: list[_Memory] = []
    for life in sorted(_lives(allocs, block), key=lambda life: (life.start, life.end)):
        near = [
            (distance, n)
            for n, memory in enumerate(memories)
            if (distance := memory.distance(life)) is not None
        ]
        if near:
            memories[min(near)[1]].lives.append(life)
        else:
            memories.append(_Memory([life]))
    return memories


def _lives(allocs: Sequence[AllocOp], block: Block) -> Iterator[_Life]:
    """The live ranges of the buffers that may share memory."""
    if any(
        isinstance(around, ForOp) and around.kind.data in (ForKind.THREAD, ForKind.VECTORIZED)
        for alloc in allocs[:1]
        for around in loop_tree.path_to(alloc)
    ):
        return
    order = {op: n for n, op in enumerate(block.ops)}
    for alloc in allocs:
        type_ = alloc.buffer.type
        assert isinstance(type_, MemRefType)
        accesses = [use.operation for use in alloc.buffer.uses]
        plain = [op for op in accesses if isinstance(op, Access)]
        if (
            not plain
            or len(plain) < len(accesses)
            or alloc.attributes
            or not isinstance(type_.layout, NoneAttr)
            or _fits_registers(type_)
        ):
            continue
        users = sorted({_child(op, block) for op in plain}, key=order.__getitem__)
        yield _Life(alloc, tuple(plain), order[users[0]], order[users[-1]], users[0])


def _child(op: Operation, block: Block) -> Operation:
    """The operation of ``block`` that is or contains ``op``."""
    return next(around for around in loop_tree.path_to(op) if around.parent is block)


def _fits_registers(type_: MemRefType) -> bool:
    shape, element = type_.get_shape(), type_.element_type
    bits = element.bitwidth if isinstance(element, FixedBitwidthType) else 64
    return DYNAMIC not in shape and math.prod(shape) * bits <= 8 * REGISTER_BYTES


def _is_in_place(last: _Life, life: _Life) -> bool:
    """True if ``life`` begins at the operation where ``last`` ends, and writes no element before
    ``last`` has read it.
    """
    if last.end != life.start:
        return False
    at = life.first
    reads = [access for access in last.accesses if loop_tree.is_inside(access, at)]
    writes = [
        access
        for access in life.accesses
        if isinstance(access, StoreOp) and loop_tree.is_inside(access, at)
    ]
    return all(isinstance(read, LoadOp) for read in reads) and not any(
        _may_overwrite(write, read, at) for write in writes for read in reads
    )


def _may_overwrite(write: Access, read: Access, at: Operation) -> bool:
    """True if one execution of ``at`` may write an element before it reads it."""
    space = Space(within=at)
    writing = space.instance(write)
    around = loop_tree.all_loops_around(at)
    reading = space.instance(read, {loop: writing.loops[loop] for loop in around})
    same = equal(space.element(write, writing), space.element(read, reading))
    earlier = space.may_precede(writing, reading)
    return space.find([writing, reading], [*same, earlier]) is not None
