"""Random expressions of kernels: elements, names, numbers, choices, conditions."""

from __future__ import annotations

from random import Random

import numpy as np
from formulas import Dim
from script_forms import (
    BUILDER,
    HYBRID,
    SCRIPT,
    Body,
    Loop,
    Memory,
    Text,
    by_form,
    call,
    comparisons,
    joined,
    plain,
)

SIGNED = ("int32", "int64", "int8", "int16")
DTYPES = ("int32", "int32", "int32", "int64", "int8", "uint8", "uint16", "float32", "float64")
LARGEST = 16
"""Floats are stored within this, so that sums and products of them are exact."""


class Expressions:
    """The variables of a kernel so far, and the expressions that can be computed from them."""

    def __init__(self, random: Random, keep: int | None) -> None:
        self.random = random
        self.numbers = np.random.default_rng(random.randrange(2**32))
        self.form = random.choice((SCRIPT, SCRIPT, HYBRID, BUILDER))
        self.dtype = random.choice(DTYPES)
        self.symbols: dict[str, int] = {}
        self.dims = [self.dim(name) for name in ("n", "m")]
        self.buffers: list[Memory] = []
        self.loops: list[Loop] = []
        self.names: list[Text] = []
        self.changing: list[str] = []
        self.count = 0
        self.left = random.choice((3, 5, 8)) if keep is None else 2 * keep
        self.iterations = 1
        self.body = Body()
        self.reads: set[tuple[str, tuple[str, ...]]] = set()

    def dim(self, name: str) -> Dim:
        """A size, perhaps a symbol."""
        size = self.random.randint(1, 6)
        if self.random.random() < 0.7:
            return Dim(size)
        self.symbols[name] = size
        return Dim(size, name)

    def fresh(self, letter: str) -> str:
        """A name that is not there."""
        self.count += 1
        return f"{letter}{self.count}"

    @property
    def is_float(self) -> bool:
        """True if the elements are floats."""
        return self.dtype.startswith("float")

    def place(self, dim: Dim) -> tuple[str, str]:
        """An index, and the condition under which it is inside."""
        places: list[tuple[str, str]] = []
        same: list[tuple[str, str]] = []
        for loop in self.loops:
            name, shift = loop.name, self.random.randint(1, 2)
            if loop.symbol and loop.symbol == dim.symbol:
                same.append((name, ""))
                places.append((f"{dim.text} - 1 - {name}", ""))
                places.append((f"{name} - {shift}", f"{name} >= {shift}"))
            elif not loop.symbol and not dim.symbol and loop.low >= 0 and loop.high < dim.size:
                same.append((name, ""))
                places.append((f"{dim.size - 1} - {name}", ""))
            if dim.symbol:
                places.append((f"{name} + {shift}", f"0 <= {name} + {shift} < {dim.text}"))
                continue
            places.append((f"({name} + {shift}) % {dim.size}", ""))
            places.append((f"{name} + {shift}", f"0 <= {name} + {shift} < {dim.size}"))
            places.append((f"{name} - {shift}", f"0 <= {name} - {shift} < {dim.size}"))
        if not dim.symbol:
            places.append((str(self.random.randrange(dim.size)), ""))
            places.append((f"P[{self.random.randrange(3)}] % {dim.size}", ""))
        else:
            places.append((f"P[{self.random.randrange(3)}] % {dim.text}", ""))
        if same and self.random.random() < 0.65:
            return self.random.choice(same)
        return self.random.choice(places)

    def element(self, buffer: Memory, *, always: bool = False) -> tuple[str, list[str]]:
        """An element, and the conditions under which it is inside; none with ``always``."""
        while True:
            places = [self.place(dim) for dim in buffer.dims]
            conditions = [condition for _, condition in places if condition]
            if not always or not conditions:
                words = tuple(word for word, _ in places)
                self.reads.add((buffer.name, words))
                return f"{buffer.name}[{', '.join(words)}]", conditions

    def readable(self) -> Memory:
        """A buffer whose elements have the type of values."""
        return self.random.choice([buffer for buffer in self.buffers if buffer.dtype == self.dtype])

    def read(self) -> Text:
        """An element, or a number where it would be outside."""
        buffer = self.readable()
        text, conditions = self.element(buffer)
        if not conditions:
            return plain(text)
        return self.choice(self.guard(conditions), plain(text), self.number())

    def guard(self, conditions: list[str]) -> Text:
        """All of ``conditions``, each a comparison of loops."""
        parts = [comparisons(condition) for condition in conditions]
        return by_form(plain(" and ".join(conditions)), joined("te.all(", ", ".join(parts), ")"))

    def choice(self, condition: Text, a: Text, b: Text) -> Text:
        """One of two values."""
        return by_form(
            joined("(", a, " if ", condition, " else ", b, ")"),
            joined("te.if_then_else(", condition, ", ", a, ", ", b, ")"),
        )

    def number(self) -> Text:
        """A constant of the type."""
        value = self.random.choice((0, 1, 2, 3, 7, -1 if self.dtype in SIGNED else 5))
        return plain(f"number({value})")

    def leaf(self) -> Text:
        """A value without operations."""
        pick = self.random.random()
        if pick < 0.1:
            return self.number()
        if pick < 0.2 and self.loops:
            return plain(f"cast({self.random.choice(self.loops).name})")
        if pick < 0.4 and self.names:
            return self.random.choice(self.names)
        if pick < 0.45:
            return plain("s")
        return self.read()

    def value(self, depth: int) -> Text:
        """An expression."""
        if depth == 0:
            return self.leaf()
        a, b = self.value(depth - 1), self.value(self.random.randrange(depth))
        random = self.random
        choices: list[Text] = [
            *(joined("(", a, f" {sign} ", b, ")") for sign in "++-*"),
            joined("(", a, f" {random.choice('+-*')} {random.choice((1, 2, 3))})"),
            self.choice(self.condition(), a, b),
            self.choice(self.condition(), a, b),
            call("min", "te.min", a, b),
            call("max", "te.max", a, b),
            call("mix", "mix", a, b),
        ]
        if self.dtype in SIGNED:
            choices += [joined("(-", a, ")"), call("abs", "te.abs", a)]
        if self.loops and self.dtype == "int32":
            choices.append(joined("(", a, f" + {random.choice(self.loops).name})"))
        if not self.is_float:
            width = int(self.dtype.lstrip("uint"))
            choices += [
                joined("(", a, f" {random.choice(('//', '%'))} ", b, ")"),
                joined("(", a, f" {random.choice(('//', '%'))} {random.choice((1, 2, 3, 5))})"),
                joined("(", a, f" {random.choice('&|^')} ", b, ")"),
                joined(
                    "(", a, f" {random.choice(('<<', '>>'))} {random.choice((0, 1, width - 1))})"
                ),
            ]
        return random.choice(choices)

    def stored(self, depth: int) -> Text:
        """A value to keep: floats stay small."""
        value = self.value(depth)
        if not self.is_float:
            return value
        low = call("min", "te.min", value, plain(f"number({LARGEST})"))
        return call("max", "te.max", low, plain(f"number({-LARGEST})"))

    def condition(self) -> Text:
        """A condition of loops and data; what is on its right is not read in vain."""
        random = self.random
        pick = random.random()
        if pick < 0.15:
            negated = self.condition()
            return by_form(joined("not (", negated, ")"), joined("te_not(", negated, ")"))
        if pick < 0.3:
            a, b = self.comparison(), self.comparison()
            word, name = random.choice((("and", "te.all"), ("or", "te.any")))
            return by_form(joined("(", a, f" {word} ", b, ")"), joined(f"{name}(", a, ", ", b, ")"))
        if pick < 0.45:
            buffer = self.readable()
            text, conditions = self.element(buffer)
            if conditions:
                compared = f"{text} {random.choice(('<', '>'))} number(2)"
                return by_form(
                    joined("(", self.guard(conditions), f" and {compared})"),
                    joined("te.if_then_else(", self.guard(conditions), f", {compared}, te_false)"),
                )
        return self.comparison()

    def comparison(self) -> Text:
        """A comparison."""
        random = self.random
        sign = random.choice(("<", "<=", ">", ">=", "==", "!="))
        if self.loops and random.random() < 0.5:
            loop = random.choice(self.loops)
            if random.random() < 0.2:
                low, high = random.randint(0, 2), random.randint(2, 5)
                text = f"{low} <= {loop.name} < {high}"
                return by_form(plain(f"({text})"), plain(f"te.all({comparisons(text)})"))
            if random.random() < 0.3:
                return plain(f"({loop.name} % 2 == {random.randint(0, 1)})")
            return plain(f"({loop.name} {sign} {random.randint(loop.low, loop.high)})")
        return joined("(", self.leaf(), f" {sign} ", self.leaf(), ")")
