"""Recurrences with their rows in plain Python: te.scan, with stages, branches and TE schedules.

A program has one or two states, whose updates and the stages of whose step read rows before, inputs
and each other: shifted, reversed, fixed and loaded places, in branches, through reductions. Stages
come before the recurrence and after it.
"""

from __future__ import annotations

import contextlib
from random import Random
from typing import Any

import numpy as np
from families import Fixed
from formulas import TE, Array, Axis, Compute, Dim, Writer
from random_schedules import random_calls

import kc
from kc import te
from kc.expr.constructors import Var
from kc.support.diagnostics import KCError

EXACT = ("int32", "int32", "int64", "uint8", "int16")
TOLERANCE = {"float32": 1e-3, "float64": 1e-10}
LARGEST = 1e3
"""Floats that grow beyond are drawn again: the tolerance is absolute, too."""
CALLS = 12
"""Calls of TE's schedule, at most."""
MAX_POINTS = 150
"""Iterations of a compute: Python runs them one by one."""


class _Drawing:
    def __init__(self, random: Random, keep: int | None) -> None:
        self.random, self.keep = random, keep
        self.numbers = np.random.default_rng(random.randrange(2**32))
        self.dtype = random.choice((*EXACT, *TOLERANCE))
        self.values: dict[str, Any] = {}
        """Arrays, and the sizes that are symbols."""
        self.sources: list[str] = []
        self.symbols: dict[str, int] = {}
        self.reduces = 0
        self.given: list[str] = []
        self.starting = random.choice((1, 1, 1, 2, 3))
        rows = self.starting + random.choice((0, 1, 2, 3, 3, 4))
        self.rows = self.dim("m", rows, 0.25)
        self.dims = [self.dim(name, random.randint(1, 5), 0.25) for name in ("n", "p")]
        self.vectors: list[Array] = []
        self.before: list[Array] = []

    def dim(self, name: str, size: int, symbolic: float) -> Dim:
        """A size, perhaps a symbol."""
        if self.random.random() >= symbolic:
            return Dim(size)
        self.symbols[name] = self.values[name] = size
        self.sources.append(f'{name} = te.var("{name}")')
        return Dim(size, name)

    def row(self) -> tuple[Dim, ...]:
        """The dimensions of a row."""
        return tuple(self.random.choice(self.dims) for _ in range(self.random.choice((0, 1, 1, 2))))

    # What there is outside of the recurrence -----------------------------------------------

    def input(self, array: Array) -> Array:
        """A placeholder full of numbers."""
        shape = tuple(dim.size for dim in array.dims)
        if array.dtype.startswith("float"):
            value = self.numbers.uniform(-1, 1, shape)
        else:
            low = 0 if array.dtype.startswith("u") or array in self.vectors else -5
            value = self.numbers.integers(low, 6, shape)
        self.values[array.name] = value.astype(array.dtype)
        self.sources.append(array.source)
        self.given.append(array.name)
        return array

    def inputs(self) -> None:
        """One input for the rows, and perhaps others."""
        self.before.append(self.input(Array("X", self.dtype, (self.rows, *self.row()))))
        if self.random.random() < 0.5:
            dims = (self.random.choice(self.dims), *self.row())
            self.before.append(self.input(Array("Y", self.dtype, dims)))
        if self.random.random() < 0.3:
            self.vectors.append(Array("I", "int32", (self.random.choice(self.dims),)))
            self.input(self.vectors[0])

    def compute(
        self, name: str, axes: tuple[Axis, ...], arrays: list[Array], unread: list[Array]
    ) -> Compute:
        """A compute that reads some of ``arrays``, those of ``unread`` first."""
        points = int(np.prod([axis.dim.size for axis in axes]))
        reduces: tuple[Axis, ...] = ()
        if self.random.random() < 0.35:
            count = self.random.choice((1, 1, 2))
            reduces = tuple(
                Axis(f"k{self.reduces + n}", self.random.choice(self.dims)) for n in range(count)
            )
            self.reduces += count
            if points * np.prod([axis.dim.size for axis in reduces]) > MAX_POINTS:
                reduces = reduces[:1]
        every = (*axes, *reduces)
        writer = Writer(self.random, self.dtype, every, arrays, self.vectors, list(unread))
        formula = writer.formula(self.random.choice((0, 1, 1, 1, 2)))
        for array in writer.unread:
            formula = f"({formula} + {Writer(self.random, self.dtype, every, [array]).read()})"
        if not reduces:
            return Compute(name, axes, formula, self.dtype)
        combiner = self.random.choice(("sum", "sum", "max", "min"))
        where = writer.condition() if self.random.random() < 0.2 else ""
        start = ""
        if where or self.random.random() < 0.15:
            start = f"number(2, {self.dtype!r})"
        return Compute(name, axes, formula, self.dtype, combiner, reduces, where, start)

    def outside(self, compute: Compute) -> Array:
        """A compute that is no part of the step, with all of its elements."""
        shape = tuple(axis.dim.size for axis in compute.axes)
        self.values[compute.name] = np.zeros(shape, self.dtype)
        compute.evaluate(self.values, {}, self.values[compute.name])
        self.sources += compute.sources
        return compute.array

    # The recurrence ------------------------------------------------------------------------

    def recurrence(self) -> list[Array]:
        """The states, after all steps."""
        random = self.random
        time = Axis("t", self.rows)
        rows = [self.row() for _ in range(random.choice((1, 1, 2)))]
        back = [(f"t - {n}", "") for n in range(1, self.starting + 1)] * 2
        far = random.randint(self.starting + 1, self.starting + 2)
        back.append((f"t - {far}", f"t >= {far}"))
        states = [
            Array(f"state{n}", self.dtype, (self.rows, *row), tuple(back))
            for n, row in enumerate(rows)
        ]
        initial: list[str] = []
        for n, row in enumerate(rows):
            first = Dim(self.starting)
            if random.random() < 0.2:
                initial.append(self.input(Array(f"F{n}", self.dtype, (first, *row))).name)
                continue
            axes = (Axis("z", first), *_axes(row))
            start = self.compute(f"F{n}", axes, self.before, random.sample(self.before, 1))
            initial.append(self.outside(start).name)
        self.sources += [state.source for state in states]
        stages: list[Compute] = []
        count = random.choice((0, 1, 1, 1, 2, 3))
        for n in range(count if self.keep is None else min(count, self.keep)):
            step = [*states, *(_in_step(stage) for stage in stages)]
            axes = (time, *_axes(self.row()))
            unread = [random.choice(states)] if random.random() < 0.8 else []
            stages.append(self.compute(f"G{n}", axes, [*self.before, *step], unread))
        updates: list[Compute] = []
        for n, row in enumerate(rows):
            step = [*states, *(_in_step(stage) for stage in stages)]
            unread = [_in_step(stages[-1])] if stages else [states[n]]
            axes = (time, *_axes(row))
            updates.append(self.compute(f"U{n}", axes, [*self.before, *step], unread))
        for compute in (*stages, *updates):
            self.sources += compute.sources
        self.steps(states, initial, stages, updates)
        names = [f"S{n}" for n in range(len(states))]
        initials, news, before = (
            ", ".join(group)
            for group in (
                initial,
                [tensor.name for tensor in updates],
                [tensor.name for tensor in states],
            )
        )
        self.sources.append(
            f"{', '.join(names)} = te.scan([{initials}], [{news}], [{before}], name='S')"
        )
        return [
            Array(name, self.dtype, state.dims) for name, state in zip(names, states, strict=True)
        ]

    def steps(
        self,
        states: list[Array],
        initial: list[str],
        stages: list[Compute],
        updates: list[Compute],
    ) -> None:
        """Compute the rows of the states, one time after the other."""
        for compute in (*stages, *updates):
            self.values[compute.name] = np.zeros(
                [axis.dim.size for axis in compute.axes], self.dtype
            )
        for state, first in zip(states, initial, strict=True):
            value = np.zeros([dim.size for dim in state.dims], self.dtype)
            value[: self.starting] = self.values[first]
            self.values[state.name] = value
        for now in range(self.starting, self.rows.size):
            for compute in (*stages, *updates):
                compute.evaluate(self.values, {"t": now}, self.values[compute.name])
            for state, new in zip(states, updates, strict=True):
                self.values[state.name][now] = self.values[new.name][now]
        for n, state in enumerate(states):
            self.values[f"S{n}"] = self.values[state.name]

    def program(self) -> Fixed:
        """The whole program, with its arguments."""
        random = self.random
        self.inputs()
        if random.random() < 0.3:
            axes = _axes(self.row() or (self.dims[0],))
            if random.random() < 0.5:
                axes = (Axis("t", self.rows), *axes[:1])
            self.before.append(self.outside(self.compute("P", axes, self.before, self.before[-1:])))
        states = self.recurrence()
        outputs = [state.name for state in states]
        if (self.keep is None or self.keep > 3) and random.random() < 0.5:
            axes = _axes(self.row() or (self.dims[0],))
            if random.random() < 0.6:
                axes = (Axis("t", self.rows), *axes[:1])
            after = self.outside(self.compute("Q", axes, [*self.before, *states], states[:1]))
            outputs = [*(outputs if random.random() < 0.4 else []), after.name]
        elif random.random() < 0.2:
            outputs = outputs[:1]
        return self.finish(outputs)

    def finish(self, outputs: list[str]) -> Fixed:
        """The program with a schedule, and its arguments."""
        env = dict(TE)
        exec("\n".join(self.sources), env)
        operations = list(dict.fromkeys(env[name].op for name in outputs))
        schedule = te.create_schedule(operations)
        results = [tensor for op in operations for tensor in op.outputs]
        named = {value: name for name, value in env.items() if isinstance(value, te.Tensor)}
        outputs = [named[tensor] for tensor in results]
        read = {tensor for stage in schedule.stages for tensor in stage.op.input_tensors}
        given = [name for name in self.given if env[name] in read]
        arguments = [env[name] for name in (*given, *outputs)]
        bound = {dim for argument in arguments for dim in argument.shape if isinstance(dim, Var)}
        sizes = [name for name in self.symbols if env[name] not in bound]
        arguments += [env[name] for name in sizes]
        calls: list[str] = []
        module = None
        if self.random.random() < 0.6:
            scheduled = te.create_schedule(operations)
            calls = random_calls(scheduled, self.random, self.random.randint(1, CALLS))
            with contextlib.suppress(KCError):
                module = kc.lower(scheduled, arguments, name="main")
        module = module or kc.lower(schedule, arguments, name="main")
        garbage = [np.full_like(self.values[name], 0x5A) for name in outputs]
        values = [*(self.values[name] for name in given), *garbage]
        expected = {n: self.values[name] for n, name in enumerate(outputs, start=len(given))}
        symbols = {name: size for name, size in self.symbols.items()}
        return Fixed(
            module,
            [*values, *(self.symbols[name] for name in sizes)],
            expected,
            symbols,
            TOLERANCE.get(self.dtype, 0.0),
            "\n".join([*self.sources, *calls]),
        )


def _axes(dims: tuple[Dim, ...]) -> tuple[Axis, ...]:
    return tuple(Axis(name, dim) for name, dim in zip("ij", dims, strict=False))


def _in_step(compute: Compute) -> Array:
    """A stage as the others of its step read it: its row of the same time."""
    array = compute.array
    return Array(array.name, array.dtype, array.dims, (("t", ""),))


def draw(random: Random, keep: int | None = None) -> Fixed:
    """A program with one recurrence; ``keep`` is how many stages its step has, at most."""
    while True:
        drawing = _Drawing(random, keep)
        try:
            with np.errstate(all="ignore"):
                program = drawing.program()
        except Exception as error:
            error.add_note("\n".join(drawing.sources))
            raise
        if all(
            np.abs(value).max(initial=0.0) <= LARGEST
            for value in drawing.values.values()
            if isinstance(value, np.ndarray) and value.dtype.kind == "f"
        ):
            return program
