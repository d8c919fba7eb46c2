"""Layouts of tensors: the letters of their axes, ``NCHW``, ``OIHW``, ``NCHW16c``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kc.dialects.graph.declaration import RelationError
from kc.dialects.graph.sizes import MaybeSize

_LAYOUT = re.compile(r"(?:[A-Z]|[1-9][0-9]*[a-z])+")
_AXIS = re.compile(r"([A-Z])|([1-9][0-9]*)([a-z])")


@dataclass(frozen=True)
class Layout:
    """The axes of a tensor: (letter, block): ``C`` is ("C", 0), ``16c`` the blocks ("c", 16)."""

    text: str
    axes: tuple[tuple[str, int], ...]

    def position(self, letter: str) -> int:
        """The axis of a letter. Raises RelationError if the layout lacks it."""
        for position, (own, _) in enumerate(self.axes):
            if own == letter:
                return position
        raise RelationError(f"the layout {self.text} has no axis {letter}")

    @property
    def is_blocked(self) -> bool:
        """True if an axis is split in blocks."""
        return any(block for _, block in self.axes)

    def size(self, shape: Sequence[MaybeSize], letter: str) -> MaybeSize:
        """The size along a letter, its blocks included."""
        size = shape[self.position(letter)]
        for position, (own, _) in enumerate(self.axes):
            if own == letter.lower() and size is not None:
                block = shape[position]
                size = None if block is None else size * block
        return size

    def shape_of(self, sizes: Mapping[str, MaybeSize]) -> tuple[MaybeSize, ...]:
        """The shape of a tensor with these sizes along the letters, blocks included.

        Raises RelationError for blocks that do not divide a size.
        """
        shape: list[MaybeSize] = []
        for letter, block in self.axes:
            size = block or sizes[letter]
            split = next((b for own, b in self.axes if own == letter.lower()), 0)
            if split and not block and size is not None:
                if isinstance(size, int) and size % split:
                    raise RelationError(
                        f"the size {size} of {letter} is not a multiple of the {split} in "
                        f"{self.text}"
                    )
                size = size // split
            shape.append(size)
        return tuple(shape)

    def permutation(self, target: str) -> tuple[int, ...]:
        """The axes of this layout in the order of the letters of another one without blocks."""
        return tuple(self.position(letter) for letter in target)


def layout_of(text: str, letters: str, what: str) -> Layout:
    """The layout that a text names, which must have each of the letters once.

    Raises RelationError.
    """
    if not _LAYOUT.fullmatch(text):
        raise RelationError(f"{what} is {text!r}, which names no layout")
    axes = tuple((match[1] or match[3], int(match[2] or 0)) for match in _AXIS.finditer(text))
    capitals = [letter for letter, block in axes if not block]
    if sorted(capitals) != sorted(letters):
        raise RelationError(
            f"{what} is {text!r}, but must have each of the axes {', '.join(letters)} once"
        )
    split = [letter for letter, block in axes if block]
    if len(set(split)) != len(split) or any(each.upper() not in capitals for each in split):
        raise RelationError(f"{what} is {text!r}, which splits an axis twice, or one that it lacks")
    return Layout(text, axes)


def spread(values: Sequence[int], count: int, what: str) -> tuple[int, ...]:
    """Numbers for each of ``count`` axes, of which one may stand for all. Raises RelationError."""
    if len(values) == 1:
        return tuple(values) * count
    if len(values) != count:
        raise RelationError(f"{what} has {len(values)} numbers, but there are {count} axes")
    return tuple(values)


def pads_of(padding: Sequence[int], count: int) -> tuple[tuple[int, int], ...]:
    """(before, after) of each axis, of Relay's padding: one number, one an axis, or all heads and
    then all tails. Raises RelationError for another number of them, and for negative ones."""
    if any(pad < 0 for pad in padding):
        raise RelationError(f"padding is {tuple(padding)}, but must not be negative")
    if len(padding) == 2 * count and count > 0:
        return tuple(zip(padding[:count], padding[count:], strict=True))
    return tuple((pad, pad) for pad in spread(padding, count, "padding"))
