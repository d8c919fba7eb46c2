"""storage_align: the distance between elements along a dimension of a buffer is constrained.

Before, ``storage-align block=B buffer=B axis=-2 factor=32 offset=1``::

    %B = tir.alloc "B" : memref<16x32xf32>

After::

    %B = tir.alloc "B" {tir.storage_align = [array<i64: 0, 32, 1>]} : memref<16x32xf32>

The distance in elements between neighbours along the axis must be ``factor * n + offset``: an
offset keeps columns out of the same cache set or memory bank. The request is an attribute of the
buffer (axis, factor, offset), which ``align-storage`` applies; results do not depend on it. A
second request for the same axis replaces the first.

*Legal when*

1. KC3300: the block writes the buffer.
2. KC3320: the function allocates the buffer; the caller decides the layout of arguments.
3. KC3321: the buffer has the axis; -1 is the last.
4. KC3322: the factor is at least 1 (and at most 2**48), and the offset at least 0 and less than
   the factor.
5. KC3509: the buffer has no swizzle (``transform_layout``).

TVM: ``storage_align``. Halide: ``align_storage``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, MemRefType, i64

from kc.analysis import loop_tree
from kc.analysis.accesses.regions import buffers_written
from kc.analysis.loop_tree import buffer_name
from kc.dialects.tir import AllocOp
from kc.transforms.schedule._buffers import BufferRef, find_alloc, find_buffer
from kc.transforms.schedule.base import BlockRef, Primitive, Rewritten, Site
from kc.transforms.schedule.layout._layouts import LIMIT

KEY = "tir.storage_align"
SWIZZLE = "tir.swizzle"


@dataclass(frozen=True)
class Plan:
    """The buffer, and the axis counted from the front."""

    alloc: AllocOp
    axis: int


@dataclass(frozen=True)
class StorageAlign(Primitive):
    """Set the distance between elements along a dimension of a buffer."""

    name: ClassVar[str] = "storage-align"

    block: BlockRef = field(metadata={"help": "the block that writes the buffer"})
    buffer: BufferRef = field(
        metadata={
            "help": "the buffer: its name, or its position among the written buffers",
            "python": "buffer_index",
            "implied": "0",
        }
    )
    axis: int = field(metadata={"help": "the dimension, -1 for the last"})
    factor: int = field(metadata={"help": "the distance is a multiple of this, in elements"})
    offset: int = field(default=0, metadata={"help": "the remainder of the distance, in elements"})

    def check(self, site: Site) -> Plan:
        block = site.resolve_block(self.block)
        buffer = find_buffer(site, block, self.buffer, "writes")
        alloc = find_alloc(site, block, buffer)
        rank = len(alloc.buffer.type.get_shape())  # pyright: ignore[reportAttributeAccessIssue]
        name = buffer_name(buffer)
        if not -rank <= self.axis < rank:
            raise site.refuse(
                "KC3321",
                f"{name} has no axis {self.axis}",
                at=block,
                why=f"it has {rank} dimension{'s' * (rank != 1)}",
                hints=[f"axis={n}" for n in range(rank)],
            )
        if self.factor < 1 or not 0 <= self.offset < self.factor:
            raise site.refuse(
                "KC3322",
                f"factor {self.factor} and offset {self.offset} for {name}",
                at=block,
                why="a distance of factor * n + offset needs factor >= 1 and 0 <= offset < factor",
                hints=[f"factor={self.factor} offset={self.offset % self.factor}"]
                if self.factor >= 1
                else ["factor=1"],
            )
        if self.factor > LIMIT:
            raise site.refuse(
                "KC3322",
                f"factor {self.factor} and offset {self.offset} for {name}",
                at=block,
                why=f"a buffer has at most {LIMIT} elements",
            )
        if SWIZZLE in alloc.attributes:
            raise site.refuse(
                "KC3509",
                f"{name} of block {block.label} has a swizzle",
                at=block,
                why="padding would move elements that the swizzle has put into different banks",
                hints=["use only one of them: each puts rows into different banks"],
            )
        return Plan(alloc, self.axis % rank)

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        """Requests for rows that start in different banks, or at a multiple of 16 elements."""
        for block in loop_tree.blocks(site.function):
            for buffer in buffers_written(block):
                if isinstance(buffer.owner, AllocOp):
                    assert isinstance(buffer.type, MemRefType)
                    for axis in range(-buffer.type.get_num_dims(), -1):
                        yield cls(BlockRef(block), BufferRef(buffer), axis, 32, 8)
                        yield cls(BlockRef(block), BufferRef(buffer), axis, 16)

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        new = DenseArrayBase.from_list(i64, [plan.axis, self.factor, self.offset])
        old = plan.alloc.attributes.get(KEY)
        notes = [
            note
            for note in (old.data if isinstance(old, ArrayAttr) else ())
            if not (isinstance(note, DenseArrayBase) and note.get_values()[0] == plan.axis)
        ]
        plan.alloc.attributes[KEY] = ArrayAttr([*notes, new])
        return Rewritten()
