"""Layouts of tensors by letters, as ``tvm.tir.layout("NCHW16c")``, and the maps between two
layouts.

A capital letter is a dimension. A small letter is the position within a block of that dimension,
and the block size precedes the letter: in NCHW16c an element of channel 35 is in block 2, at
position 3.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, overload

from kc.expr.constructors import as_expr
from kc.support.diagnostics import TEError, counted
from kc.support.locations import caller_location

__all__ = ["BijectiveLayout", "Layout", "bijective_layout", "layout"]


class Layout:
    """A layout by its letters. Raises TEError KC2182 for an invalid layout."""

    def __init__(self, name: str) -> None:
        parts = re.findall(r"(\d*)([A-Za-z])", name)
        self.name = name
        self.axes = {letter: int(number or 0) for number, letter in parts}
        """The letters in order, each with the size of its block; 0 for capital letters."""
        whole = "".join(number + letter for number, letter in parts) == name
        sized = all(
            letter.islower() == bool(size) and letter.upper() in self.axes
            for letter, size in self.axes.items()
        )
        if not (whole and sized and len(self.axes) == len(parts)):
            raise TEError(
                "KC2182",
                f"the layout {name!r}",
                location=caller_location(),
                why="each letter must occur once; a small letter needs a size before it, and its "
                "capital letter",
                hints=["NCHW", "NCHW16c"],
            )

    def __len__(self) -> int:
        return len(self.axes)

    def __contains__(self, axis: str) -> bool:
        return axis in self.axes

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        return list(self.axes)[index]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f'Layout("{self.name}")'

    def index_of(self, axis: str) -> int:
        """The position of a letter; -1 if the layout lacks the letter."""
        return list(self.axes).index(axis) if axis in self.axes else -1

    def factor_of(self, axis: str) -> int:
        """The size of the block of a letter, capital or small; -1 if the dimension has none."""
        return self.axes.get(axis.lower(), 0) or -1


class BijectiveLayout:
    """The places of elements of one layout in another, and shapes, in both directions.

    Raises TEError KC2182 for layouts of different dimensions, KC2183 for another number of indices.
    """

    def __repr__(self) -> str:
        return f"BijectiveLayout({self.src_layout.name}->{self.dst_layout.name})"

    def __init__(self, src_layout: Layout, dst_layout: Layout) -> None:
        self.src_layout, self.dst_layout = src_layout, dst_layout
        orders = [
            {name for name in part.axes if name.isupper()} for part in (src_layout, dst_layout)
        ]
        if orders[0] != orders[1]:
            raise TEError(
                "KC2182",
                f"bijective_layout: {src_layout.name} and {dst_layout.name}",
                location=caller_location(),
                why="both layouts must name the same dimensions",
            )

    def forward_index(self, index: Sequence[Any]) -> list[Any]:
        """The destination index of the element at the source index ``index``."""
        return _place(self.src_layout, self.dst_layout, index)

    def backward_index(self, index: Sequence[Any]) -> list[Any]:
        """The source index of the element at the destination index ``index``."""
        return _place(self.dst_layout, self.src_layout, index)

    def forward_shape(self, shape: Sequence[Any]) -> list[Any]:
        """The shape of the destination; a partial block counts as a whole block."""
        return _shape(self.src_layout, self.dst_layout, shape)

    def backward_shape(self, shape: Sequence[Any]) -> list[Any]:
        """The source shape that corresponds to a destination shape."""
        return _shape(self.dst_layout, self.src_layout, shape)


def _wholes(source: Layout, coordinates: Sequence[Any], *, sizes: bool) -> dict[str, Any]:
    """The index in each dimension of ``source``, keyed by the capital letter of the dimension; with
    ``sizes``, the extent. The index in a split dimension combines the index of the block and the
    index inside the block.
    """
    if len(coordinates) != len(source):
        raise TEError(
            "KC2183",
            f"{source.name} receives "
            + (
                counted(len(coordinates), "size")
                if sizes
                else counted(len(coordinates), "index", "indices")
            ),
            location=caller_location(),
            why=f"it has {counted(len(source), 'letter')}",
        )
    values = {
        axis: value if isinstance(value, int) else as_expr(value)
        for axis, value in zip(source.axes, coordinates, strict=True)
    }
    wholes: dict[str, Any] = {}
    for axis, value in values.items():
        if axis.isupper():
            block = source.axes.get(axis.lower(), 0)
            rest = 0 if sizes or not block else values[axis.lower()]
            scaled = value * block if block else value
            wholes[axis] = scaled if isinstance(rest, int) and rest == 0 else scaled + rest
    return wholes


def _place(source: Layout, target: Layout, index: Sequence[Any]) -> list[Any]:
    wholes = _wholes(source, index, sizes=False)
    place: list[Any] = []
    for axis, block in target.axes.items():
        whole, size = wholes[axis.upper()], block or target.axes.get(axis.lower(), 0)
        place.append(whole % size if block else whole // size if size else whole)
    return place


def _shape(source: Layout, target: Layout, shape: Sequence[Any]) -> list[Any]:
    wholes = _wholes(source, shape, sizes=True)
    sizes: list[Any] = []
    for axis, block in target.axes.items():
        whole, size = wholes[axis.upper()], target.axes.get(axis.lower(), 0)
        sizes.append(block or ((whole + (size - 1)) // size if size else whole))
    return sizes


def layout(layout_str: str) -> Layout:
    """The layout that text names: "NCHW", "NCHW16c"."""
    return Layout(layout_str)


def bijective_layout(src_layout: str | Layout, dst_layout: str | Layout) -> BijectiveLayout:
    """The map between two layouts of the same dimensions."""
    source, target = (
        layout if isinstance(layout, Layout) else Layout(layout)
        for layout in (src_layout, dst_layout)
    )
    return BijectiveLayout(source, target)
