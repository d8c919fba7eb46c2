"""Random programs of loops and blocks in which each block may read and write each buffer."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np


def update_arguments() -> list[Any]:
    """Arrays for the arguments of these programs."""
    return [np.arange(n * 10, n * 10 + 8, dtype=np.int32) for n in range(3)]


@dataclass
class Updates:
    """A random function of loops and blocks that read and write the same few buffers."""

    random: Random
    lines: list[str] = field(default_factory=list)
    blocks: int = 0

    def text(self) -> str:
        for _ in range(self.random.randint(1, 3)):
            self._statement([])
        arguments = ", ".join(f'%{name}: memref<8xi32> {{kc.role = "in"}}' for name in "ABC")
        return f"func.func @f({arguments}) {{\n{''.join(self.lines)}  func.return\n}}\n"

    def _statement(self, around: list[tuple[str, int]]) -> None:
        if len(around) < 2 and self.random.random() < (0.5 if around else 0.9):
            name, extent = f"i{len(self.lines)}", self.random.choice((2, 3, 4, 8))
            self.lines.append(f"tir.for %{name} in {extent} {{\n")
            for _ in range(self.random.choice((1, 2, 2, 3))):
                self._statement([*around, (name, extent)])
            self.lines.append("}\n")
        else:
            self._block(around)

    def _block(self, around: list[tuple[str, int]]) -> None:
        number = self.blocks = self.blocks + 1
        iters = ", ".join(f"opaque %v_{name} in {extent} = %{name}" for name, extent in around)
        guard = ""
        if around and self.random.random() < 0.3:
            guard = f" where (%{around[-1][0]} < {self.random.randint(1, around[-1][1])})"
        body = [f'tir.block "S{number}" ({iters}){guard} do {{\n']
        body.append(f"%c{number} = arith.constant {self.random.randint(1, 5)} : i32\n")
        value = f"%c{number}"
        for n in range(self.random.randint(1, 4)):
            buffer, index = self.random.choice("ABC"), self._index(around)
            if self.random.random() < 0.5:
                at = f"%{buffer}[{index}] : memref<8xi32>"
                body.append(f"%x{number}_{n} = tir.load {at}\n")
                body.append(f"%y{number}_{n} = arith.addi {value}, %x{number}_{n} : i32\n")
                value = f"%y{number}_{n}"
            else:
                body.append(f"tir.store {value}, %{buffer}[{index}] : memref<8xi32>\n")
        self.lines += [*body, "}\n"]

    def _index(self, around: list[tuple[str, int]]) -> str:
        if not around or self.random.random() < 0.15:
            return str(self.random.randrange(8))
        name, extent = self.random.choice(around)
        low = 8 - extent
        kinds = [f"%v_{name} + {self.random.randint(0, low)}", f"7 - %v_{name}"]
        if extent <= 4:
            kinds.append(f"%v_{name} * 2 + {self.random.randint(0, 1)}")
        return self.random.choice(kinds)
