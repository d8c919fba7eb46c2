"""Random Python functions of loops, conditions, names and memory, as source text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

SIZE = 6
"""Elements of each buffer along each dimension."""


@dataclass
class Text:
    """Writes one function; ``draw`` chooses."""

    draw: Any
    lines: list[str] = field(default_factory=list)
    loops: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    count: int = 0

    def choose(self, *choices: Any) -> Any:
        return self.draw(st.sampled_from(choices))

    def fresh(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def index(self) -> str:
        """An index that is always inside: mostly affine, now and then loaded."""
        if self.loops and self.choose(True, True, False):
            loop = self.choose(*self.loops)
            return self.choose(loop, loop, f"({loop} + 1) % {SIZE}", f"{SIZE - 1} - {loop}")
        return self.choose("0", f"{SIZE - 1}", "2", "abs(P[1]) % 6")

    def element(self) -> str:
        name = self.choose("A", "B", "M")
        inside = f"{self.index()}, {self.index()}" if name == "M" else self.index()
        return f"{name}[{inside}]"

    def value(self, depth: int = 2) -> str:
        """A small integer: no sum or product of them is too large."""
        kind = self.choose("element", "number", "loop", "sum", "product", "choice", "extreme")
        if depth == 0 or kind == "element":
            return self.element()
        if kind == "number":
            return self.choose(*self.numbers) if self.numbers else self.choose("1", "-3", "7")
        if kind == "loop":
            return self.choose(*self.loops) if self.loops else "4"
        a, b = self.value(depth - 1), self.value(depth - 1)
        if kind == "sum":
            return f"({a} {self.choose('+', '-')} {b})"
        if kind == "product":
            return f"({a} * {b}) % 11"
        if kind == "choice":
            return f"({a} if {self.condition()} else {b})"
        return f"{self.choose('min', 'max')}({a}, {b})"

    def condition(self) -> str:
        sign = self.choose("<", "<=", "==", "!=", ">")
        loop = self.choose(*self.loops) if self.loops else "1"
        comparison = f"{loop} {sign} {self.choose('2', '3', 'P[0]', self.element())}"
        joined = self.choose("", "", " and ", " or ")
        return comparison + (f"{joined}{self.element()} > 0" if joined else "")

    def statements(self, indent: str, depth: int) -> None:
        for _ in range(self.choose(1, 2, 3)):
            self.statement(indent, depth)

    def statement(self, indent: str, depth: int) -> None:
        kinds = ["store", "update", "name"] + (["change"] if self.numbers else [])
        kind = self.choose(*kinds, *(["for", "for", "if"] if depth else []))
        if kind == "for":
            loop = self.fresh("i")
            bounds = self.choose("6", "6", "1, 6", "5, -1, -1", "0, 6, 2", "P[0] % 3, 6", "4")
            self.lines.append(f"{indent}for {loop} in range({bounds}):")
            outer, named = list(self.loops), list(self.numbers)
            self.loops.append(loop)
            self.statements(indent + "    ", depth - 1)
            self.loops, self.numbers = outer, named
        elif kind == "if":
            named = list(self.numbers)
            self.lines.append(f"{indent}if {self.condition()}:")
            self.statements(indent + "    ", depth - 1)
            self.numbers = list(named)
            if self.choose(True, False):
                self.lines.append(f"{indent}else:")
                self.statements(indent + "    ", depth - 1)
                self.numbers = named
        elif kind == "store":
            self.lines.append(f"{indent}{self.element()} = ({self.value()}) % 13")
        elif kind == "update":
            place = self.element()
            self.lines.append(f"{indent}{place} {self.choose('+=', '-=')} ({self.value()}) % 5")
        elif kind == "name":
            name = self.fresh("x")
            self.lines.append(f"{indent}{name} = ({self.value()}) % 17")
            self.numbers.append(name)
        else:
            name = self.choose(*self.numbers)
            self.lines.append(f"{indent}{name} = ({name} + {self.value()}) % 19")


@st.composite
def scripts(draw: Any) -> str:
    """The body of a function of A, B and P (vectors) and M (a matrix) of int32."""
    text = Text(draw)
    text.statements("    ", 3)
    return "\n".join(text.lines)
