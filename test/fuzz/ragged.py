"""Reductions whose extents depend on axes of the element or on data, under random schedules of TE.

A program has a producer, or none, a reduction of it over triangles, bands or rows of data-dependent
length (also empty ones, and both kinds nested in constant ones), and readers of that. Elements are
int32, so that results are equal exactly however terms are ordered. numpy and plain Python compute
them from the definition.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
from families import Fixed
from random_schedules import random_calls

import kc
from kc import te
from kc.support.diagnostics import KCError

CALLS = 12
"""Calls of TE's schedule, at most."""
COMBINERS: dict[str, tuple[Callable[..., Any], Callable[[Any, Any], Any], int]] = {
    "sum": (te.sum, lambda x, y: x + y, 0),
    "max": (te.max, max, -(2**31)),
    "min": (te.min, min, 2**31 - 1),
}

Lengths = Callable[..., Any]
"""An extent of a reduction, of the element's first index: of an axis or of a number."""


class _Drawing:
    def __init__(self, random: Random) -> None:
        self.random = random
        self.numbers = np.random.default_rng(random.randrange(2**32))
        self.rows, self.width = random.randint(1, 7), random.randint(1, 4)
        self.longest = 2 * self.rows + 3
        self.symbols: dict[str, int] = {}
        self.given: list[tuple[te.Tensor, np.ndarray]] = []
        self.source: list[str] = []
        rows = self.rows
        if random.random() < 0.25:
            self.symbols["n"] = self.rows
            rows = te.var("n")
        self.axes = rows
        """The number of rows as programs have it."""

    def input(self, name: str, shape: tuple[Any, ...], value: np.ndarray) -> te.Tensor:
        tensor = te.placeholder(shape, str(value.dtype), name=name)
        self.given.append((tensor, value))
        return tensor

    def lengths(self) -> tuple[str, Lengths, Callable[[int], int]]:
        """The number of terms of a row: as text, of an axis, and of a number."""
        kind = self.random.randrange(8)
        if kind == 0:
            return "i + 1", lambda i: i + 1, lambda i: i + 1
        if kind == 1:
            return "i", lambda i: i, lambda i: i
        if kind == 2:
            return "rows - i", lambda i: self.axes - i, lambda i: self.rows - i
        if kind == 3:
            return "i // 2 + 1", lambda i: te.floordiv(i, 2) + 1, lambda i: i // 2 + 1
        if kind == 4:
            return "2 * i + 1", lambda i: i * 2 + 1, lambda i: 2 * i + 1
        if kind == 5:
            return "min(i + 1, 3)", lambda i: te.min(i + 1, 3), lambda i: min(i + 1, 3)
        name = f"L{len(self.given)}"
        if kind == 6:
            value = self.numbers.integers(0, self.longest, self.rows).astype(np.int32)
            lengths = self.input(name, (self.axes,), value)
            return f"{name}[i]", lambda i: lengths[i], lambda i: int(value[i])
        ends = np.sort(self.numbers.integers(0, self.longest, self.rows + 1)).astype(np.int32)
        starts = self.input(name, (self.axes + 1,), ends)
        return (
            f"{name}[i + 1] - {name}[i]",
            lambda i: starts[i + 1] - starts[i],
            lambda i: int(ends[i + 1] - ends[i]),
        )

    def program(self) -> Fixed:
        random = self.random
        is_wide = random.random() < 0.5
        terms = self.numbers.integers(-9, 10, (self.rows, self.longest)).astype(np.int32)
        factors = self.numbers.integers(-3, 4, (self.longest, self.width)).astype(np.int32)
        a = self.input("A", (self.axes, self.longest), terms)
        b = self.input("B", (self.longest, self.width), factors)
        text, length, number = self.lengths()
        if random.random() < 0.4:
            given, shift = a, random.choice((0, 1))
            a = te.compute(given.shape, lambda i, j: given[i, j] * 2 + shift, name="P")
            terms = terms * 2 + shift
        name = random.choice(tuple(COMBINERS))
        reduce, combine, start = COMBINERS[name]
        inner = random.choice((0, 0, 0, 2))
        init = random.choice((None, None, None, 5))

        def element(i: Any, *j: Any) -> Any:
            r = te.reduce_axis((0, length(i)), name="r")
            term = a[i, r]
            if j:
                term = term * b[r, j[0]]
            axes = [r]
            if inner:
                k = te.reduce_axis((0, inner), name="k")
                term = term + k
                axes = [r, k] if random.random() < 0.5 else [k, r]
            return reduce(term, axis=axes, init=None if init is None else te.const(init, "int32"))

        shape = (self.axes, self.width) if is_wide else (self.axes,)
        y = te.compute(shape, element, name="Y")
        sizes = (self.rows, self.width) if is_wide else (self.rows,)
        value = np.zeros(sizes, np.int32)
        for at in itertools.product(*map(range, sizes)):
            total = start if init is None else init
            for r in range(max(number(at[0]), 0)):
                for k in range(inner or 1):
                    term = int(terms[at[0], r]) * (int(factors[r, at[1]]) if is_wide else 1)
                    total = combine(total, term + (k if inner else 0))
            value[at] = total
        results = [(y, value)]
        if random.random() < 0.7:
            twice = te.compute(shape, lambda *at: y[at] * 2 - 1, name="Z")
            with np.errstate(all="ignore"):
                doubled = (value.astype(np.int64) * 2 - 1).astype(np.int32)
            results = [(twice, doubled)]
            if random.random() < 0.3:
                results.append((y, value))
        self.source += [
            f"rows = {self.axes} ({self.rows}), width = {self.width}, wide = {is_wide}",
            f"Y = {name} over r in {text}, k in {inner}, init {init}",
        ]
        return self.finish(results)

    def finish(self, results: list[tuple[te.Tensor, np.ndarray]]) -> Fixed:
        """The program with a schedule, and its arguments."""
        operations = [tensor.op for tensor, _ in results]
        schedule = te.create_schedule(operations)
        read = {tensor for stage in schedule.stages for tensor in stage.op.input_tensors}
        given = [(tensor, value) for tensor, value in self.given if tensor in read]
        arguments = [tensor for tensor, _ in (*given, *results)]
        module, calls = None, []
        if self.random.random() < 0.8:
            scheduled = te.create_schedule(operations)
            calls = random_calls(scheduled, self.random, self.random.randint(1, CALLS))
            with contextlib.suppress(KCError):
                module = kc.lower(scheduled, arguments, name="main")
        module = module or kc.lower(schedule, arguments, name="main")
        garbage = [np.full_like(value, 0x5A) for _, value in results]
        expected = {n: value for n, (_, value) in enumerate(results, start=len(given))}
        return Fixed(
            module,
            [*(value for _, value in given), *garbage],
            expected,
            self.symbols,
            source="\n".join([*self.source, *calls]),
        )


def draw(random: Random, keep: int | None = None) -> Fixed:
    """A program with one reduction of which every element has its own number of terms."""
    del keep
    drawing = _Drawing(random)
    try:
        return drawing.program()
    except Exception as error:
        error.add_note("\n".join(drawing.source))
        raise
