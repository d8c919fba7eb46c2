"""set_axis_separator: groups of a buffer's dimensions form the axes of physical memory.

Before, ``set-axis-separator block=B buffer=B axis-separators=2``::

    %B = tir.alloc "B" : memref<4x8x16xf32>

After::

    %B = tir.alloc "B" {tir.axis_separators = array<i64: 2>} : memref<4x8x16xf32>

Most memory has one axis, into which all dimensions are flattened; some memory has several (a
texture has rows and columns). A separator ``n`` precedes dimension ``n``: dimensions between
separators are flattened together, here 0 and 1 into one axis, and 2 is the other axis. The
separators are an attribute of the buffer (``kc.axis_separators`` at an argument) for the lowering
to such memory; flat memory ignores them, and results do not depend on them. New separators replace
old ones; an empty list removes them. ``transform_layout`` with ``axis_separator`` in its map does
both at once.

``transform_layout`` with ``axis_separator`` in its map does both at once.

*Legal when*

1. KC3300, KC3303: the block uses the buffer, which the function allocates or has as an argument.
2. KC3515: separators stand between dimensions of the buffer, in increasing order and without
   repeats.

TVM: ``set_axis_separator``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue

from kc.analysis import loop_tree
from kc.analysis.accesses.regions import buffers_read, buffers_written
from kc.transforms.schedule._buffers import BufferRef, find_buffer, require_noted
from kc.transforms.schedule.base import BlockRef, Primitive, Rewritten, Site
from kc.transforms.schedule.layout._buffer_notes import (
    SEPARATORS,
    require_separators,
    separators_attr,
    set_buffer_attribute,
)


@dataclass(frozen=True)
class SetAxisSeparator(Primitive):
    """Group dimensions of a buffer into axes of physical memory."""

    name: ClassVar[str] = "set-axis-separator"

    block: BlockRef = field(metadata={"help": "a block that uses the buffer"})
    buffer: BufferRef = field(
        metadata={"help": "the buffer: its name, or read:N, write:N or N for the N-th written"}
    )
    axis_separators: tuple[int, ...] = field(
        default=(), metadata={"help": "the dimensions that start an axis, except the first"}
    )

    def check(self, site: Site) -> SSAValue:
        block = site.resolve_block(self.block)
        buffer = find_buffer(site, block, self.buffer, "uses")
        require_noted(site, block, buffer)
        assert isinstance(buffer.type, MemRefType)
        rank = buffer.type.get_num_dims()
        require_separators(site, block, buffer, self.axis_separators, rank)
        return buffer

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for block in loop_tree.blocks(site.function):
            for buffer in dict.fromkeys([*buffers_written(block), *buffers_read(block)]):
                assert isinstance(buffer.type, MemRefType)
                for n in range(1, buffer.type.get_num_dims()):
                    yield cls(BlockRef(block), BufferRef(buffer), (n,))

    def rewrite(self, site: Site, plan: SSAValue) -> Rewritten:
        value = separators_attr(self.axis_separators)
        set_buffer_attribute(site.function, plan, SEPARATORS, value)
        return Rewritten()
