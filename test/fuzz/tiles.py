"""Tiles: what a random tensor intrinsic computes.

Loops over a few labels, and in them a term of elements whose indices are these labels, perhaps
reduced. What a tile computes is written once, for tensor expressions and for numbers.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from worlds import Unsuitable, World

from kc import te

TYPES = (
    *(("int32", "int32"), ("float32", "float32"), ("float32", "float32"), ("int8", "int32")),
    *(("uint8", "int32"), ("int16", "int32"), ("float16", "float32"), ("int8", "int8")),
    *(("int64", "int64"), ("float64", "float64"), ("uint8", "uint8"), ("int8", "float32")),
)
TERMS = {1: ("copy", "double", "copy"), 2: ("mul", "mul", "add", "sub"), 3: ("fma", "mul")}
NARROWER = {"int32": "int16", "int16": "int8", "float64": "float32", "float32": "float16"}
COMBINERS = ("sum", "sum", "sum", "max", "min", "prod")


@dataclass(frozen=True)
class Operand:
    """A tensor that a tile reads, at its labels; ``step`` apart along the last one."""

    name: str
    labels: str
    dtype: str
    step: int = 1

    def shape(self, sizes: dict[str, int]) -> list[int]:
        """Its extents, where labels have ``sizes``."""
        shape = [sizes[label] for label in self.labels]
        if shape and self.step > 1:
            shape[-1] = max(0, (shape[-1] - 1) * self.step + 1)
        return shape

    def place(self, at: dict[str, Any]) -> tuple[Any, ...]:
        """Its index, at values of the labels."""
        place = [at[label] for label in self.labels]
        if place and self.step > 1:
            place[-1] = place[-1] * self.step
        return tuple(place)


@dataclass(frozen=True)
class Tile:
    """The computation of an intrinsic."""

    sizes: dict[str, int]
    out: str
    """The labels of the result."""
    reduced: str
    operands: tuple[Operand, ...]
    dtype: str
    term: str
    combiner: str

    @property
    def labels(self) -> str:
        """All labels, as its loops are nested."""
        return self.out + self.reduced

    def value(self, on: World, read: Callable[[Operand], Any]) -> Any:
        """The term, of expressions or of numbers: those that ``read`` gives, converted."""
        values = [
            read(operand) if operand.dtype == self.dtype else on.cast(read(operand), self.dtype)
            for operand in self.operands
        ]
        return self.term_of(values, apply)

    def term_of(self, values: Sequence[Any], op: Callable[[str, Any, Any], Any]) -> Any:
        """The term of ``values``, where ``op`` does one operation."""
        first = values[0]
        if self.term == "copy":
            return first
        if self.term == "double":
            return op("sum", first, first)
        if self.term == "sub":
            return op("sub", first, values[1])
        if self.term == "fma":
            return op("sum", op("prod", first, values[1]), values[2])
        for value in values[1:]:
            first = op("prod" if self.term == "mul" else "sum", first, value)
        return first


ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "sum": operator.add,
    "sub": operator.sub,
    "prod": operator.mul,
}


def apply(name: str, a: Any, b: Any) -> Any:
    """One operation of a term, on expressions or numbers."""
    return ARITHMETIC[name](a, b)


def draw_tile(random: Random) -> Tile:
    """A tile of up to five labels and three operands. Raises Unsuitable."""
    out = random.choice(("i", "i", "ij", "ij", "ij", "", "ijl"))
    reduced = random.choice(("", "k", "k", "k", "kp")) if out else "k"
    most = (1, 2, 2, 3, 4) if len(out + reduced) > 2 else (1, 2, 3, 4, 4, 8)
    sizes = {label: random.choice(most) for label in out + reduced}
    given, dtype = random.choice(TYPES)
    count = random.choice((1, 2, 2, 2, 3))
    term = random.choice(TERMS[count])
    operands: list[Operand] = []
    for n in range(count):
        labels = [label for label in out + reduced if random.random() < 0.65]
        if n == 0 and reduced:
            labels = list(dict.fromkeys([*labels, *reduced]))
        if random.random() < 0.3:
            random.shuffle(labels)
        else:
            labels.sort(key=(out + reduced).index)
        step = 2 if labels and random.random() < 0.08 else 1
        operands.append(Operand("ABD"[n], "".join(labels), given, step))
    if not any(operand.labels for operand in operands):
        raise Unsuitable
    combiner = random.choice(COMBINERS) if reduced else ""
    return Tile(sizes, out, reduced, tuple(operands), dtype, term, combiner)


def mutated(random: Random, tile: Tile) -> Tile:
    """Almost the same."""
    n = random.randrange(len(tile.operands))
    operand = tile.operands[n]
    kind = random.choice(("transposed", "step", "term", "combiner", "type", "labels", "swapped"))

    def with_operand(**changes: Any) -> Tile:
        operands = list(tile.operands)
        operands[n] = replace(operand, **changes)
        return replace(tile, operands=tuple(operands))

    if kind == "transposed":
        return with_operand(labels=operand.labels[::-1])
    if kind == "step" and operand.labels:
        return with_operand(step=3 - operand.step)
    if kind == "term":
        return replace(tile, term=random.choice(TERMS[len(tile.operands)]))
    if kind == "combiner" and tile.combiner:
        return replace(tile, combiner=random.choice(COMBINERS))
    if kind == "type" and operand.dtype in NARROWER:
        return with_operand(dtype=NARROWER[operand.dtype])
    if kind == "labels" and len(operand.labels) > 1:
        left = operand.labels[1:]
        if n or all(label in left for label in tile.reduced):
            return with_operand(labels=left)
    if kind == "swapped" and len(tile.out) > 1:
        return replace(tile, out=tile.out[::-1])
    return tile


def vector_label(tile: Tile) -> str | None:
    """The last label of the result, if its elements are neighbours wherever it occurs."""
    if not tile.out or tile.sizes[tile.out[-1]] < 2:
        return None
    label = tile.out[-1]
    fits = all(
        label not in operand.labels or (operand.labels[-1] == label and operand.step == 1)
        for operand in tile.operands
    )
    return label if fits else None


def reduced_label(tile: Tile) -> str | None:
    """A reduced label along which all operands have neighbours."""
    for label in tile.reduced:
        if tile.sizes[label] > 1 and all(
            operand.labels[-1:] == label and operand.step == 1 for operand in tile.operands
        ):
            return label
    return None


def start_value(tile: Tile) -> Any:
    """The initial value of a reduction, as an expression."""
    if not tile.combiner:
        return None
    if tile.combiner in ("sum", "prod"):
        return te.const(int(tile.combiner == "prod"), tile.dtype)
    if tile.dtype.startswith("float"):
        return te.const(float("inf") if tile.combiner == "min" else float("-inf"), tile.dtype)
    return te.max_value(tile.dtype) if tile.combiner == "min" else te.min_value(tile.dtype)
