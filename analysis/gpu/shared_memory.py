"""Placement of buffers in the shared memory of a block: buffers that are not live together overlap.

A buffer is live from its first to its last access in the block of operations that allocates it: its
contents do not survive an iteration of a loop around the allocation. An access inside a loop, a
branch or a tir block counts as an access by the whole op.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import FixedBitwidthType, IntegerAttr, MemRefType
from xdsl.ir import Block, Operation, SSAValue

from kc.dialects.tir import AllocOp, LoadOp, StoreOp

ALIGNMENT = 16
"""The alignment of each buffer in shared memory, in bytes: a vector of 128 bits."""

SWIZZLED_ALIGNMENT = 1024
"""The alignment of a buffer with swizzled elements: the GPU's permutation of address bits repeats
after eight rows of 128 bytes.
"""

STATIC_SHARED_BYTES = 48 * 1024
"""The most shared memory that a CUDA kernel may have without requesting it (CUDA C++ Programming
Guide).
"""

SWIZZLE = "tir.swizzle"
"""The attribute of an allocation that describes the placement of its elements: see
``swizzle-storage``.
"""

BEGINS_AT = "tir.alignment"
"""The attribute of an allocation with a larger alignment than :data:`ALIGNMENT` bytes."""

OFFSET = "tir.shared_offset"
"""The attribute of an allocation with its offset in the memory of a block, in bytes."""


def buffer_bytes(buffer: SSAValue) -> int:
    """The size of a buffer of constant shape, in bytes."""
    assert isinstance(buffer.type, MemRefType)
    return bytes_of(buffer.type)


def bytes_of(type_: MemRefType) -> int:
    """The size of an array of constant shape, in bytes."""
    element = type_.element_type
    bits = element.bitwidth if isinstance(element, FixedBitwidthType) else 64
    return math.prod(type_.get_shape()) * ((bits + 7) // 8)


def rounded(size: int) -> int:
    """``size`` rounded up to a multiple of :data:`ALIGNMENT`."""
    return -(-size // ALIGNMENT) * ALIGNMENT


def alignment_of(buffer: SSAValue) -> int:
    """The alignment of a buffer in the memory of a block, in bytes."""
    op = buffer.owner
    attributes = op.attributes if isinstance(op, AllocOp) else {}
    attr = attributes.get(BEGINS_AT)
    if isinstance(attr, IntegerAttr):
        return attr.value.data
    large = SWIZZLE in attributes and buffer_bytes(buffer) >= SWIZZLED_ALIGNMENT
    return SWIZZLED_ALIGNMENT if large else ALIGNMENT


def aligned(offset: int, buffer: SSAValue) -> int:
    """The first offset from ``offset`` on that has the alignment of ``buffer``."""
    alignment = alignment_of(buffer)
    return -(-offset // alignment) * alignment


def arrange(buffers: Sequence[SSAValue], body: Block) -> tuple[dict[SSAValue, int], int]:
    """The offset in bytes of each buffer of a kernel with this body, and the total size.

    Buffers are placed by decreasing size, each at the lowest offset that overlaps no buffer live at
    the same time (first fit).
    """
    lives = _Lives(body)
    sizes = {buffer: rounded(buffer_bytes(buffer)) for buffer in buffers}
    offsets: dict[SSAValue, int] = {}
    for buffer in sorted(buffers, key=lambda buffer: -sizes[buffer]):
        taken = sorted(
            (offset, offset + sizes[placed])
            for placed, offset in offsets.items()
            if lives.overlap(buffer, placed)
        )
        start = 0
        for first, end in taken:
            if first - start >= sizes[buffer]:
                break
            start = aligned(max(start, end), buffer)
        offsets[buffer] = start
    total = max((offsets[buffer] + sizes[buffer] for buffer in buffers), default=0)
    return offsets, total


def share_memory(offsets: Mapping[SSAValue, int], first: SSAValue, second: SSAValue) -> bool:
    """True if two buffers overlap at these offsets."""
    if first not in offsets or second not in offsets:
        return False
    start, other_start = offsets[first], offsets[second]
    return start < other_start + buffer_bytes(second) and other_start < start + buffer_bytes(first)


class _Lives:
    """The live ranges of the buffers of a kernel."""

    def __init__(self, body: Block) -> None:
        self.body = body
        self._numbers: dict[Block, dict[Operation, int]] = {}
        self._homes: dict[SSAValue, Block] = {}

    def overlap(self, first: SSAValue, second: SSAValue) -> bool:
        """True if two buffers are live at the same time."""
        block = self._common(self._home(first), self._home(second))
        start, end = self._interval(first, block)
        other_start, other_end = self._interval(second, block)
        return start <= other_end and other_start <= end

    def _home(self, buffer: SSAValue) -> Block:
        """The block that contains the allocation, or the body of the kernel if the allocation is
        outside.
        """
        home = self._homes.get(buffer)
        if home is None:
            owner = buffer.owner
            home = owner.parent if isinstance(owner, Operation) else owner
            if home is None or self.body not in self._around(home):
                home = self.body
            self._homes[buffer] = home
        return home

    def _around(self, block: Block) -> list[Block]:
        """``block`` and the blocks around it, from the inside out."""
        blocks = [block]
        parent = block.parent_op()
        while parent is not None and parent.parent is not None:
            blocks.append(parent.parent)
            parent = parent.parent_op()
        return blocks

    def _common(self, first: Block, second: Block) -> Block:
        around = set(self._around(first))
        return next(block for block in self._around(second) if block in around)

    def _interval(self, buffer: SSAValue, block: Block) -> tuple[int, int]:
        """The positions in ``block`` of the first and the last operation with an access."""
        home = self._home(buffer)
        if home is not block:
            parent = home.parent_op()
            assert parent is not None
            number = self._number(parent, block)
            assert number is not None
            return number, number
        numbers: list[int] = []
        for use in buffer.uses:
            number = self._number(use.operation, block)
            if number is None:
                continue
            if not isinstance(use.operation, LoadOp | StoreOp):
                # the buffer may have another name from here on
                return 0, len(self._numbered(block))
            numbers.append(number)
        return (min(numbers), max(numbers)) if numbers else (0, len(self._numbered(block)))

    def _numbered(self, block: Block) -> dict[Operation, int]:
        numbers = self._numbers.get(block)
        if numbers is None:
            numbers = self._numbers[block] = {op: n for n, op in enumerate(block.ops)}
        return numbers

    def _number(self, op: Operation, block: Block) -> int | None:
        """The position of the operation of ``block`` that contains ``op``; None if ``block`` does
        not contain it.
        """
        numbers = self._numbered(block)
        current: Operation | None = op
        while current is not None:
            if current in numbers:
                return numbers[current]
            current = current.parent_op()
        return None
