"""Memory private to thread blocks, allocated before the kernel has entered its block axes.

Each block owns a copy from the beginning to the end of the kernel, in all loops of its axis. Code
outside of these loops runs in each block: a store there changes the copies of all blocks.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from kc.analysis.interpreter.values import Buffer

Coordinates = frozenset[tuple[Hashable, int]]
"""A set of blocks: the blocks with a fixed number along each of some axes."""


@dataclass
class BlockMemory:
    """The copies of each buffer that the blocks of a kernel own."""

    copies: dict[Buffer, dict[Coordinates, Buffer]] = field(default_factory=dict, init=False)
    """All copies of each allocated buffer, including the allocated one."""
    blocks: dict[Buffer, Coordinates] = field(default_factory=dict, init=False)
    """The blocks that own a copy."""

    def of_block(self, buffer: Buffer, axis: Hashable, number: int) -> Buffer:
        """The copy of ``buffer`` for the blocks with ``number`` along ``axis``. ``buffer`` itself
        is the copy for all numbers.
        """
        copies = self.copies.setdefault(buffer, {frozenset(): buffer})
        block = self.blocks.setdefault(buffer, frozenset()) | {(axis, number)}
        if block not in copies:
            # Copies that already differ along other axes are divided for all their numbers.
            for around, whole in list(copies.items()):
                if whole.data is None or axis in dict(around):
                    continue
                part = Buffer(whole.data.copy(), whole.name)
                self.blocks[part] = around | {(axis, number)}
                copies[self.blocks[part]] = part
                self.copies[part] = copies
        return copies[block]

    def stored_to(self, buffer: Buffer) -> Iterable[Buffer]:
        """The buffers that a store to ``buffer`` changes: the copies of all its blocks."""
        copies = self.copies.get(buffer)
        if copies is None:
            return (buffer,)
        return [copy for block, copy in copies.items() if block >= self.blocks[buffer]]

    def of_each_block(self, buffer: Buffer) -> Iterable[Buffer]:
        """The copy of each block; empty if ``buffer`` has not been divided."""
        copies = self.copies.get(buffer)
        if copies is None:
            return ()
        most, blocks = max(map(len, copies)), self.blocks[buffer]
        return [copy for block, copy in copies.items() if block > blocks and len(block) == most]
