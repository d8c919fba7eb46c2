"""Affine loop nests with dependences of every direction, for the primitives that respect them.

Nests of two or three loops, rectangular or triangular, perfect or with statements beside the inner
loop, that read and write two arrays at shifted, skewed, scaled and mirrored indices. What is
expected comes of the same loops in Python. :meth:`Nest.conflicts` enumerates the dependences.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from raised import Raised, from_text
from raised_loops import Loops

SIZE = 16
"""Of each dimension of an array."""

Access = tuple[str, tuple[str, ...]]
"""An array, and indices, in which loops have their names."""


@dataclass(frozen=True)
class Loop:
    """A loop from ``low`` to below ``high``, of which one may be an outer loop's name plus 1."""

    name: str
    low: str
    high: str


@dataclass(frozen=True)
class Statement:
    """``target = 3 * first - second`` in the loops up to ``depth``, before the next or after."""

    target: Access
    first: Access
    second: Access
    depth: int
    is_after: bool


@dataclass(frozen=True)
class Nest:
    """Loops, outermost first, and the statements in them."""

    loops: tuple[Loop, ...]
    statements: tuple[Statement, ...]

    def mlir(self) -> str:
        """The nest as text."""
        return "\n".join(self._lines(0, is_python=False))

    def python(self) -> str:
        """The nest as Python."""
        return "\n".join(self._lines(0, is_python=True))

    def _lines(self, depth: int, *, is_python: bool) -> Iterator[str]:
        loop, pad = self.loops[depth], "  " * depth
        if is_python:
            yield f"{pad}for {loop.name} in range({loop.low}, {loop.high}):"
            yield f"{pad}  pass"
        else:
            low, high = (_bound(text) for text in (loop.low, loop.high))
            yield f"affine.for %{loop.name} = {low} to {high} {{"
        parts: dict[bool, list[str]] = {False: [], True: []}
        for n, statement in enumerate(self.statements):
            if statement.depth == depth:
                lines = _in_python(statement, f"{pad}  ") if is_python else _in_mlir(statement, n)
                parts[statement.is_after] += lines
        yield from parts[False]
        if depth + 1 < len(self.loops):
            yield from self._lines(depth + 1, is_python=is_python)
        yield from parts[True]
        if not is_python:
            yield "}"

    def iterations(self) -> list[tuple[int, ...]]:
        """The iterations of the innermost loop, in order."""
        points: list[tuple[int, ...]] = [()]
        for n, loop in enumerate(self.loops):
            names = [outer.name for outer in self.loops[:n]]
            points = [
                (*point, k)
                for point in points
                for known in [dict(zip(names, point, strict=True))]
                for k in range(eval(loop.low, known), eval(loop.high, known))
            ]
        return points

    def conflicts(self) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
        """The pairs of iterations, the earlier first, that access an element which one of them
        writes; all statements are in the innermost loop."""
        names = [loop.name for loop in self.loops]
        touched: list[tuple[tuple[int, ...], set[Any], set[Any]]] = []
        for point in self.iterations():
            known = dict(zip(names, point, strict=True))
            reads = {_element(it, known) for s in self.statements for it in (s.first, s.second)}
            writes = {_element(s.target, known) for s in self.statements}
            touched.append((point, reads, writes))
        return [
            (first, second)
            for n, (first, reads, writes) in enumerate(touched)
            for second, later_reads, later_writes in touched[n + 1 :]
            if writes & later_writes or writes & later_reads or reads & later_writes
        ]


def _bound(text: str) -> str:
    """A bound as ``affine.for`` writes it."""
    return text if text.isdigit() else f"affine_map<(d0) -> (d0 + 1)>(%{text.partition(' ')[0]})"


def _element(access: Access, known: dict[str, int]) -> tuple[object, ...]:
    array, indices = access
    return array, *(eval(index, dict(known)) for index in indices)


def _place(access: Access, *, is_python: bool) -> str:
    array, indices = access
    text = ", ".join(indices)
    if is_python:
        return f"{array}[{text}]"
    for name in "ijk":
        text = text.replace(name, f"%{name}")
    return f"%{array}[{text}] : {TYPES[array]}"


TYPES = {"A": f"memref<{SIZE}x{SIZE}xi32>", "B": f"memref<{SIZE}xi32>"}


def _in_mlir(statement: Statement, n: int) -> Iterator[str]:
    yield f"%a{n} = affine.load {_place(statement.first, is_python=False)}"
    yield f"%b{n} = affine.load {_place(statement.second, is_python=False)}"
    yield f"%t{n} = arith.muli %a{n}, %c3 : i32"
    yield f"%s{n} = arith.subi %t{n}, %b{n} : i32"
    yield f"affine.store %s{n}, {_place(statement.target, is_python=False)}"


def _in_python(statement: Statement, pad: str) -> Iterator[str]:
    first, second, target = (
        _place(access, is_python=True)
        for access in (statement.first, statement.second, statement.target)
    )
    yield f"{pad}{target} = np.int32(3) * {first} - {second}"


def draw_nest(random: Random, *, perfect: bool = False) -> Nest:
    """A nest; a ``perfect`` one has all statements in its innermost loop."""
    names = "ijk"[: random.choice((2, 2, 3))]
    loops: list[Loop] = []
    for n, name in enumerate(names):
        low, high = "0", str(random.randint(2, 5))
        if n and random.random() < 0.25:
            outer = random.choice(names[:n])
            if random.random() < 0.5:
                high = f"{outer} + 1"
            else:
                low, high = f"{outer} + 1", "6"
        loops.append(Loop(name, low, high))
    statements: list[Statement] = []
    for _ in range(random.choice((1, 1, 2))):
        depth = len(names) - 1
        if not perfect and random.random() < 0.4:
            depth = random.randrange(len(names))
        inside = names[: depth + 1]
        target, first, second = (_draw_access(random, inside) for _ in range(3))
        statements.append(Statement(target, first, second, depth, random.random() < 0.5))
    return Nest(tuple(loops), tuple(statements))


def _draw_access(random: Random, names: str) -> Access:
    array = random.choice("AAB")
    indices: list[str] = []
    for _ in range(2 if array == "A" else 1):
        first, second = random.choice(names), random.choice(names)
        shift = random.choice((1, 2, 2, 2, 3))
        forms = (f"{first} + {shift}",) * 5 + (
            f"{first} + {second} + {shift}",
            f"{first} - {second} + 8",
            f"{first} * 2 + {shift}",
            f"{7 + shift} - {first}",
            str(shift),
        )
        indices.append(random.choice(forms))
    return array, tuple(indices)


def program(nests: list[Nest], numbers: np.random.Generator) -> Loops:
    """A function of nests, and what its arrays hold after a call."""
    given = [
        numbers.integers(-9, 9, shape, endpoint=True).astype(np.int32)
        for shape in ((SIZE, SIZE), (SIZE,))
    ]
    arrays = [array.copy() for array in given]
    python = "\n".join(nest.python() for nest in nests)
    with np.errstate(all="ignore"):
        exec(python, {"np": np, **dict(zip("AB", arrays, strict=True))})
    head = f"func.func @main(%A: {TYPES['A']}, %B: {TYPES['B']}) {{\n%c3 = arith.constant 3 : i32"
    text = "\n".join([head, *(nest.mlir() for nest in nests), "return", "}"])
    return Loops(text, python, given, dict(enumerate(arrays)))


def draw(random: Random, keep: int | None) -> Raised:
    """A program of one nest or two: a family of :mod:`families`."""
    nests = [draw_nest(random) for _ in range(random.choice((1, 1, 2)))][:keep]
    raised = from_text(program(nests, np.random.default_rng(random.randrange(2**32))))
    assert raised is not None
    return raised
