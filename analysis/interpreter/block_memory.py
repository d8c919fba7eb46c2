"""Memory that blocks do not share, allocated where a kernel has not yet parted into its blocks.

Each block has it from the beginning to the end of the kernel, in all loops of its axis. What
happens outside of these loops happens in each block: a store changes the memory of all of them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from kc.analysis.interpreter.values import Buffer

Coordinates = frozenset[tuple[Hashable, int]]
"""Axes of blocks, each with a number: all blocks that have these numbers."""


@dataclass
class BlockMemory:
    """The memory that the blocks of a kernel have of each buffer."""

    copies: dict[Buffer, dict[Coordinates, Buffer]] = field(default_factory=dict, init=False)
    """Of each buffer, all that were made of the one that was allocated, which is one of them."""
    blocks: dict[Buffer, Coordinates] = field(default_factory=dict, init=False)
    """The blocks whose memory a buffer is."""

    def of_block(self, buffer: Buffer, axis: Hashable, number: int) -> Buffer:
        """The memory that blocks of this number along ``axis`` have of ``buffer``, which is that of
        blocks of all numbers."""
        copies = self.copies.setdefault(buffer, {frozenset(): buffer})
        block = self.blocks.setdefault(buffer, frozenset()) | {(axis, number)}
        if block not in copies:
            # Memory that has parted along other axes does so for all their numbers.
            for around, whole in list(copies.items()):
                if whole.data is None or axis in dict(around):
                    continue
                part = Buffer(whole.data.copy(), whole.name)
                self.blocks[part] = around | {(axis, number)}
                copies[self.blocks[part]] = part
                self.copies[part] = copies
        return copies[block]

    def stored_to(self, buffer: Buffer) -> Iterable[Buffer]:
        """The buffers that a store to ``buffer`` changes: that of each of its blocks."""
        copies = self.copies.get(buffer)
        if copies is None:
            return (buffer,)
        return [copy for block, copy in copies.items() if block >= self.blocks[buffer]]

    def of_each_block(self, buffer: Buffer) -> Iterable[Buffer]:
        """The memory of each block, nothing if that of ``buffer`` has not parted."""
        copies = self.copies.get(buffer)
        if copies is None:
            return ()
        most, blocks = max(map(len, copies)), self.blocks[buffer]
        return [copy for block, copy in copies.items() if block > blocks and len(block) == most]
