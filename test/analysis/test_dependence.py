"""Dependences against an exhaustive search over all pairs of instances, and by hand.

The search below knows nothing of isl or of the analysis: it lists what each instance of a small
nest accesses, in order, and looks for two that an answer would have to name.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from interpreter_support import parse

from kc.analysis import loop_tree
from kc.analysis.dependence import Conflict, carried_conflict, reorder_conflict
from kc.dialects.tir import ForOp

Point = tuple[int, ...]
Index = Callable[[Point], int]

# The search ------------------------------------------------------------------------------------


@dataclass
class Instance:
    """One execution of a statement: where, what it accesses, and whether it is an update."""

    point: Point
    accesses: list[tuple[str, Point, bool]]
    update_of: str | None = None
    """The block whose reduction this is a step of: such steps commute."""


def conflicts(a: Instance, b: Instance) -> Iterator[tuple[str, Point]]:
    """The elements that both access and one of them writes."""
    for buffer, element, writes in a.accesses:
        for other, place, also in b.accesses:
            if buffer == other and element == place and (writes or also):
                yield buffer, element


def reversed_pairs(
    instances: Sequence[Instance], first: int, order: Sequence[int]
) -> list[tuple[Instance, Instance]]:
    """Pairs whose order changes when the loops from ``first`` on run in ``order``."""
    found = []
    for a, b in itertools.combinations(instances, 2):
        if a.point[:first] != b.point[:first]:
            continue
        if a.update_of is not None and a.update_of == b.update_of:
            continue
        s, t = a.point[first : first + len(order)], b.point[first : first + len(order)]
        if s < t and [t[n] for n in order] < [s[n] for n in order] and any(conflicts(a, b)):
            found.append((a, b))
    return found


def carried_pairs(instances: Sequence[Instance], loop: int) -> list[tuple[Instance, Instance]]:
    """Pairs in different iterations of a loop that conflict."""
    return [
        (a, b)
        for a, b in itertools.combinations(instances, 2)
        if a.point[:loop] == b.point[:loop] and a.point[loop] != b.point[loop]
        if any(conflicts(a, b))
    ]


# Random nests ----------------------------------------------------------------------------------

LABELS = "ijk"


@dataclass
class Nest:
    """Statements in a perfect nest, as text and as a list of instances."""

    extents: list[int]
    sizes: list[str | None]
    """The symbol that stands for an extent, or None."""
    lines: list[str] = field(default_factory=list)
    statements: list[Callable[[Point], list[Instance]]] = field(default_factory=list)

    def text(self) -> str:
        names = [one for one in self.sizes if one is not None]
        symbols = "".join(f'%{one} = tir.symbol "{one}"\n' for one in dict.fromkeys(names))
        head, tail = "", ""
        for label, extent, size in zip(LABELS, self.extents, self.sizes, strict=False):
            head += f"tir.for %{label} in {extent if size is None else '%' + size} {{\n"
            tail += "}\n"
        return (
            "func.func @f(%A: memref<99xf32>, %B: memref<99x99xf32>, %x: f32) "
            f"attributes {{kc.symbols = {list(dict.fromkeys(names))}}} {{\n".replace("'", '"')
            + f"{symbols}{head}{''.join(self.lines)}{tail}func.return\n}}"
        )

    def instances(self, extents: Sequence[int]) -> list[Instance]:
        points = itertools.product(*(range(one) for one in extents))
        return [one for point in points for made in self.statements for one in made(point)]

    def concrete(self) -> Iterator[list[int]]:
        """The extents for every choice of the symbols from 0 to 3."""
        names = list(dict.fromkeys(one for one in self.sizes if one is not None))
        for values in itertools.product(range(4), repeat=len(names)):
            given_ = dict(zip(names, values, strict=True))
            yield [
                extent if size is None else given_[size]
                for extent, size in zip(self.extents, self.sizes, strict=True)
            ]


class Draw:
    """Draws a nest."""

    def __init__(self, random: Random, symbolic: bool) -> None:
        self.random = random
        depth = random.choice((2, 2, 3))
        self.nest = Nest(
            [random.randint(1, 4) for _ in range(depth)],
            [
                random.choice("nm") if symbolic and random.random() < 0.7 else None
                for _ in range(depth)
            ],
        )
        for _ in range(random.choice((1, 1, 2, 3))):
            random.choice((self._access, self._access, self._block, self._reduction))()

    def _affine(self) -> tuple[str, Index]:
        """An index from 0 to 98 (coefficients of up to 2, a division or remainder at times)."""
        factors = [self.random.choice((0, 0, 1, 1, -1, 2)) for _ in self.nest.extents]
        constant = self.random.randint(0, 2)
        terms = [
            f"%{label} * {factor}" for label, factor in zip(LABELS, factors, strict=False) if factor
        ]
        text = " + ".join([*terms, str(constant + 24)])

        def value(point: Point) -> int:
            return sum(f * p for f, p in zip(factors, point, strict=True)) + constant + 24

        kind = self.random.choice(("", "", "", "floordiv", "mod"))
        by = self.random.randint(2, 3)
        if kind == "floordiv":
            return f"({text}) floordiv {by}", lambda point: value(point) // by
        if kind == "mod":
            return f"({text}) mod {by}", lambda point: value(point) % by
        return text, value

    def _place(self) -> tuple[str, str, str, list[Index]]:
        buffer = self.random.choice("AB")
        made = [self._affine() for _ in range("AB".index(buffer) + 1)]
        type_ = "memref<99xf32>" if buffer == "A" else "memref<99x99xf32>"
        return buffer, ", ".join(one[0] for one in made), type_, [one[1] for one in made]

    def _access(self) -> None:
        """A load or store, at times under a condition or in its else."""
        buffer, text, type_, indices = self._place()
        writes = self.random.random() < 0.6
        op = f"tir.store %x, %{buffer}[{text}]" if writes else f"tir.load %{buffer}[{text}]"
        result = "" if writes else f"%r{len(self.nest.lines)} = "
        line = f"{result}{op} : {type_}\n"
        guard = None
        if self.random.random() < 0.3:
            condition, guard = self._affine()
            limit = self.random.randint(23, 28)
            holds = self.random.random() < 0.5
            inside = f"{{\n{line}}}" if holds else f"{{\n}} else {{\n{line}}}"
            line = f"tir.if ({condition} < {limit}) {inside}\n"
        self.nest.lines.append(line)

        def run(point: Point) -> list[Instance]:
            if guard is not None and (guard(point) < limit) != holds:
                return []
            return [Instance(point, [(buffer, tuple(one(point) for one in indices), writes)])]

        self.nest.statements.append(run)

    def _block(self) -> None:
        """A block over all loops in some order that reads one place and writes another."""
        depth = len(self.nest.extents)
        order = self.random.sample(range(depth), depth)
        read, read_text, read_type, read_at = self._place()
        write, write_text, write_type, write_at = self._place()
        iters = ", ".join(f"opaque %v_{LABELS[n]} in {self._size(n)} = %{LABELS[n]}" for n in order)
        name = f"block{len(self.nest.lines)}"
        for n in range(depth):
            read_text = read_text.replace(f"%{LABELS[n]}", f"%v_{LABELS[n]}")
            write_text = write_text.replace(f"%{LABELS[n]}", f"%v_{LABELS[n]}")
        self.nest.lines.append(
            f'tir.block "{name}" ({iters}) do {{\n'
            f"  %r = tir.load %{read}[{read_text}] : {read_type}\n"
            f"  tir.store %r, %{write}[{write_text}] : {write_type}\n}}\n"
        )
        self.nest.statements.append(
            lambda point: [
                Instance(
                    point,
                    [
                        (read, tuple(one(point) for one in read_at), False),
                        (write, tuple(one(point) for one in write_at), True),
                    ],
                )
            ]
        )

    def _size(self, loop: int) -> str:
        size = self.nest.sizes[loop]
        return str(self.nest.extents[loop]) if size is None else f"%{size}"

    def _reduction(self) -> None:
        """A sum whose variables are parts of one fused index, so that init is anywhere."""
        if any(self.nest.sizes):
            return self._access()
        by = self.random.randint(1, 4)
        strides = [1] * len(self.nest.extents)
        for n in range(len(strides) - 1, 0, -1):
            strides[n - 1] = strides[n] * self.nest.extents[n]
        total = strides[0] * self.nest.extents[0]
        limit = self.random.choice((total, total, max(total - 2, 1)))
        fused = " + ".join(
            f"%{label} * {stride}" for label, stride in zip(LABELS, strides, strict=False)
        )
        spatial, reduce = f"({fused}) floordiv {by}", f"({fused}) mod {by}"
        swap = self.random.random() < 0.3
        if swap:
            spatial, reduce = reduce, spatial
        most = -(-total // by)
        iters = (
            f"spatial %v in {by if swap else most} = {spatial}, "
            f"reduce %w in {most if swap else by} = {reduce}"
        )
        name = f"sum{len(self.nest.lines)}"
        self.nest.lines.append(
            f'tir.block "{name}" ({iters}) where ({fused} < {limit}) init {{\n'
            "  tir.store %x, %A[%v] : memref<99xf32>\n} do {\n"
            "  %old = tir.load %A[%v] : memref<99xf32>\n"
            "  %new = arith.addf %old, %x : f32\n"
            "  tir.store %new, %A[%v] : memref<99xf32>\n}\n"
        )

        def run(point: Point) -> list[Instance]:
            index = sum(s * p for s, p in zip(strides, point, strict=True))
            v, w = divmod(index, by)
            if swap:
                v, w = w, v
            if index >= limit:
                return []
            update = Instance(point, [("A", (v,), False), ("A", (v,), True)], name)
            return [Instance(point, [("A", (v,), True)]), update] if w == 0 else [update]

        self.nest.statements.append(run)


def loops_of(text: str) -> list[ForOp]:
    return loop_tree.loops(parse(text))


def check_witness(conflict: Conflict, nest: Nest, pairs: dict[Point, list], text: str) -> None:
    """The two iterations that a decided conflict names do conflict, for the sizes it names."""
    named = [conflict.parameters.get(one) if one else None for one in nest.sizes]
    for extents, found in pairs.items():
        if any(size is not None and size != extents[n] for n, size in enumerate(named)):
            continue
        for a, b in found:
            inner = len(conflict.source_point)
            ends = {(a.point[-inner:], b.point[-inner:]), (b.point[-inner:], a.point[-inner:])}
            s, t = tuple(conflict.source_point.values()), tuple(conflict.sink_point.values())
            if (s, t) in ends and any(one[1] == conflict.element for one in conflicts(a, b)):
                return
    sizes_searched = all(size is None or size < 4 for size in named)
    assert not sizes_searched, f"{conflict.explain()}\nis not so in\n{text}"


def compare(conflict: Conflict | None, nest: Nest, pairs: dict[Point, list], text: str) -> None:
    """The answer is exact: these nests are affine."""
    if conflict is None:
        wrong = [one for found in pairs.values() for one in found]
        assert not wrong, f"{wrong[0]}\nwas not found in\n{text}"
        return
    assert conflict.undecided is None
    check_witness(conflict, nest, pairs, text)
    if not any(nest.sizes):
        assert any(pairs.values()), f"{conflict.explain()}\nis not so in\n{text}"


SEEDS = st.integers(0, 2**32 - 1)


@pytest.mark.parametrize("symbolic", [False, True], ids=["constant", "symbolic"])
@given(SEEDS)
def test_reorder_agrees_with_the_search(symbolic: bool, seed: int):
    random = Random(seed)
    nest = Draw(random, symbolic).nest
    text = nest.text()
    loops = loops_of(text)
    first = random.randrange(len(loops) - 1)
    order = list(range(len(loops) - first))
    random.shuffle(order)
    chain = loops[first:]
    conflict = reorder_conflict(chain, [chain[n] for n in order])
    pairs = {
        tuple(extents): reversed_pairs(nest.instances(extents), first, order)
        for extents in nest.concrete()
    }
    compare(conflict, nest, pairs, text)


@pytest.mark.parametrize("symbolic", [False, True], ids=["constant", "symbolic"])
@given(SEEDS)
def test_carried_agrees_with_the_search(symbolic: bool, seed: int):
    random = Random(seed)
    nest = Draw(random, symbolic).nest
    text = nest.text()
    loop = random.randrange(len(nest.extents))
    conflict = carried_conflict(loops_of(text)[loop])
    pairs = {
        tuple(extents): carried_pairs(nest.instances(extents), loop) for extents in nest.concrete()
    }
    compare(conflict, nest, pairs, text)
