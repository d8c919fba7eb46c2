"""Small nests of constant loops, with guards and stores at random, as IR and as plain Python."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np

SIZE = 8
"""Elements of the input, and of the output along each dimension."""


@dataclass
class Nest:
    """A function ``@name`` as IR, and as Python that fills ``C`` from ``A``.

    Mostly the shape of a reduction: two spatial loops, a first value, loops that update it under a
    guard. Each number is a small integer or a product of two of ``A``.
    """

    name: str
    rng: random.Random
    ir: list[str] = field(default_factory=list)
    python: list[str] = field(default_factory=list)
    count: int = 0

    @classmethod
    def draw(cls, seed: int) -> Nest:
        nest = cls(f"f{seed}", random.Random(seed))
        nest.ir.append(f"func.func @{nest.name}(%A: memref<8xf64>, %C: memref<8x8xf64>) {{")
        nest.loop(0, [], [], nest.rng.choice((3, 4, 5, 5)))
        nest.ir += ["  func.return", "}"]
        return nest

    def expected(self, a: np.ndarray) -> np.ndarray:
        """``C`` after plain Python loops; it holds 77 before."""
        c = np.full((SIZE, SIZE), 77.0)
        exec("\n".join(self.python), {"A": a, "C": c})
        return c

    def fresh(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def put(self, depth: int, ir: str, python: str = "") -> None:
        self.ir.append("  " * (depth + 1) + ir)
        if python:
            self.python.append("  " * depth + python)

    def loop(self, depth: int, names: list[str], spatial: list[str], loops: int) -> None:
        """``loops`` loops in each other, the outermost of which is within those of ``names``."""
        rng = self.rng
        name, extent = self.fresh("l"), rng.choice((2, 2, 2, 3, 3, 4))
        self.put(depth, f"tir.for %{name} in {extent} {{", f"for {name} in range({extent}):")
        names = [*names, name]
        if len(spatial) < 2 and loops > rng.choice((1, 2, 3)):
            spatial = [*spatial, name]
        if rng.random() < (0.9 if names == spatial else 0.1):
            self.store(depth + 1, names, spatial, first=True)
        if loops > 1:
            for _ in range(rng.choice((1, 1, 1, 1, 2))):
                self.loop(depth + 1, names, spatial, loops - 1)
        if loops == 1 or rng.random() < 0.1:
            self.store(depth + 1, names, spatial, first=False)
        self.put(depth, "}")

    def store(self, depth: int, names: list[str], spatial: list[str], *, first: bool) -> None:
        """A first value of an element, or an update of it."""
        rng = self.rng
        is_guarded = rng.random() < (0.07 if first else 0.63)
        if is_guarded:
            self.guard(depth, spatial or names)
            depth += 1
        at = [*spatial, "0", "0"][:2]
        element, target = f"%C[{self.index(*at)}] : memref<8x8xf64>", f"C[{', '.join(at)}]"
        value = self.fresh("%v")
        if first:
            number = rng.choice((0, 0, 1, 2))
            self.put(depth, f"{value} = arith.constant {number}.0 : f64", f"{target} = {number}")
        else:
            reads = rng.choices([*names, "0"], k=rng.choice((1, 2, 2)))
            term = self.product(depth, reads)
            old = self.fresh("%c")
            self.put(depth, f"{old} = tir.load {element}")
            python = f"{target} += {' * '.join(f'A[{read}]' for read in reads)}"
            self.put(depth, f"{value} = arith.addf {old}, {term} : f64", python)
        self.put(depth, f"tir.store {value}, {element}")
        if is_guarded:
            self.put(depth - 1, "}")

    def product(self, depth: int, reads: list[str]) -> str:
        factors = [self.fresh("%a") for _ in reads]
        for factor, read in zip(factors, reads, strict=True):
            self.put(depth, f"{factor} = tir.load %A[{self.index(read)}] : memref<8xf64>")
        if len(factors) == 1:
            return factors[0]
        product = self.fresh("%p")
        self.put(depth, f"{product} = arith.mulf {', '.join(factors)} : f64")
        return product

    def guard(self, depth: int, names: list[str]) -> None:
        rng = self.rng
        terms = rng.choice((names[-1:], names[-1:], [rng.choice(names)], names[-2:]))
        comparison, bound = rng.choice(("==", "==", "<", ">=")), rng.choice((0, 0, 1, 2))
        self.put(
            depth,
            f"tir.if ({' + '.join(f'%{term}' for term in terms)} {comparison} {bound}) {{",
            f"if {' + '.join(terms)} {comparison} {bound}:",
        )

    @staticmethod
    def index(*names: str) -> str:
        return ", ".join(name if name.isdigit() else f"%{name}" for name in names)
