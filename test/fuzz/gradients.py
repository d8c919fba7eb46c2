"""Gradients of random functions of tensors, judged by central differences of numpy's values.

A function is a chain of up to three computes: products, contractions, reductions of all kinds,
functions on ranges where they are smooth, choices by indices and by data, padding, transposed,
broadcast, shifted and loaded reads. Differences are taken of all elements at once: a value is a
vector, one for each of the places to which an element is moved. Where two values that are compared
change their order among these, there is a kink, and another function is drawn.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
from families import Fixed
from formulas import TE, Array, Axis, Compute, Dim, Writer, shape_text
from random_schedules import random_calls

import kc
from kc import te
from kc.support.diagnostics import KCError

STEP = 2e-4
MARGIN = 1e-6
"""Values that are compared differ by more than this, or are the same."""
CURVED = 1e-7
"""Differences of one and of two steps may be so far apart: beyond, they say nothing exact."""
LARGEST = 1e4
TOLERANCE = 1e-6
CALLS = 6
MAX_POINTS = 60
MAX_RESULT = 400
"""Elements of a gradient."""

SMOOTH: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "exp": (te.exp, np.exp),
    "tanh": (te.tanh, np.tanh),
    "sin": (te.sin, np.sin),
    "cos": (te.cos, np.cos),
    "atan": (te.atan, np.arctan),
    "erf": (te.erf, np.vectorize(math.erf, otypes=[float])),
    "sigmoid": (te.sigmoid, lambda x: 1 / (1 + np.exp(-x))),
    "log": (te.log, np.log),
    "log1p": (te.log1p, np.log1p),
    "sqrt": (te.sqrt, np.sqrt),
    "rsqrt": (te.rsqrt, lambda x: 1 / np.sqrt(x)),
}
OF_POSITIVE = ("log", "log1p", "sqrt", "rsqrt")
times = te.comm_reducer(lambda x, y: x * y, lambda t: te.const(1, t), name="times")


class Kink(Exception):
    """The function has no derivative at this place, or none that differences tell."""


def _ordered(a: Any, b: Any) -> Any:
    """``a > b``, which must hold everywhere or nowhere by :data:`MARGIN`; raises :class:`Kink`."""
    off = np.asarray(a - b)
    if off.any() and not ((off > MARGIN).all() or (off < -MARGIN).all()):
        raise Kink
    return off > 0


def _larger(a: Any, b: Any) -> Any:
    return np.where(_ordered(a, b), a, b)


def _smaller(a: Any, b: Any) -> Any:
    return np.where(_ordered(a, b), b, a)


GRADIENT_TE: dict[str, Any] = {
    **TE,
    **{name: pair[0] for name, pair in SMOOTH.items()},
    "power": te.power,
    "size": te.abs,
    "choose": lambda a, b, x, y: te.Select(a > b, x, y),
    "reduce_times": times,
}
VALUES: dict[str, Any] = {
    **{name: pair[1] for name, pair in SMOOTH.items()},
    "power": np.power,
    "larger": _larger,
    "smaller": _smaller,
    "size": lambda a: _larger(a, -a),
    "choose": lambda a, b, x, y: np.where(_ordered(a, b), x, y),
    "combine_max": _larger,
    "combine_min": _smaller,
    "combine_times": np.multiply,
}


class _Smooth(Writer):
    """Formulas of float64 that have derivatives almost everywhere."""

    def operations(self, a: str, b: str) -> list[str]:
        """Sums and products more often than what else there is."""
        square, name = f"(({a}) * ({a}) + 0.5)", self.random.choice(list(SMOOTH))
        function = f"{name}({square})" if name in OF_POSITIVE else f"{name}({a} * 0.5)"
        return [
            *(f"({a} {sign} {b})" for sign in "++-"),
            *[f"{a} * {b}"] * 4,
            *[function] * 4,
            f"{a} / ({b} * {b} + 0.75)",
            f"larger({a}, {b})",
            f"smaller({a}, {b})",
            f"size({a})",
            f"power({square}, {b} * 0.5)",
            f"power({a}, 2.0)",
            f"choose({a}, {b}, {self._leaf()}, {a} * 1.5)",
            f"choose({a}, 0.25, {a} * {a}, {b})",
        ]


class _Drawing:
    def __init__(self, random: Random, keep: int | None) -> None:
        self.random, self.keep = random, keep
        self.numbers = np.random.default_rng(random.randrange(2**32))
        self.symbols: dict[str, int] = {}
        self.sources: list[str] = []
        self.dims = [self.dim(name, random.randint(1, 4)) for name in ("m", "n", "p")]
        self.values: dict[str, np.ndarray] = {}
        self.computes: list[Compute] = []
        self.indices: list[Array] = []
        self.count = 0

    def dim(self, name: str, size: int) -> Dim:
        """A size, perhaps a symbol."""
        if self.random.random() < 0.75:
            return Dim(size)
        self.symbols[name] = size
        self.sources.append(f'{name} = te.var("{name}")')
        return Dim(size, name)

    def inputs(self) -> list[Array]:
        """One to three tensors of numbers."""
        arrays: list[Array] = []
        for n in range(self.random.choice((1, 2, 2, 3))):
            rank = self.random.choice((1, 1, 2, 2, 3))
            dims = tuple(self.random.choice(self.dims) for _ in range(rank))
            while math.prod(dim.size for dim in dims) > 12:
                dims = dims[1:]
            arrays.append(Array(f"X{n}", "float64", dims))
            self.values[f"X{n}"] = self.numbers.uniform(-1.5, 1.5, [dim.size for dim in dims])
            self.sources.append(arrays[-1].source)
        if self.random.random() < 0.2:
            index = Array("I", "int32", (self.random.choice(self.dims),))
            self.values["I"] = self.numbers.integers(0, 6, index.dims[0].size).astype(np.int32)
            self.indices.append(index)
            self.sources.append(index.source)
        return arrays

    def compute(self, name: str, arrays: list[Array], rank: int) -> Compute:
        """A compute that reads some of ``arrays``, and the last of them for sure."""
        random = self.random
        dims = [random.choice(self.dims) for _ in range(rank)]
        axes = tuple(Axis(letter, dim) for letter, dim in zip("ijl", dims, strict=False))
        reduces: tuple[Axis, ...] = ()
        if not rank or random.random() < 0.5:
            chosen = [random.choice(self.dims) for _ in range(random.choice((1, 1, 1, 2)))]
            reduces = tuple(Axis(f"k{n}", dim) for n, dim in enumerate(chosen, start=self.count))
            self.count += len(reduces)
        while math.prod(axis.dim.size for axis in (*axes, *reduces)) > MAX_POINTS:
            axes, reduces = (axes, reduces[1:]) if len(reduces) > 1 else (axes[1:], reduces)
        writer = _Smooth(random, "float64", (*axes, *reduces), arrays, self.indices, arrays[-1:])
        if reduces and random.random() < 0.35:
            formula = f"{writer.read()} * {writer.read()}"
        else:
            formula = writer.formula(random.choice((0, 1, 1, 2, 2, 3)))
        if not reduces:
            return Compute(name, axes, formula, "float64")
        combiner = random.choice(("sum", "sum", "sum", "max", "min", "prod", "times"))
        where = writer.condition() if random.random() < 0.15 else ""
        start = ""
        if random.random() < 0.15 or where and combiner in ("max", "min"):
            start = random.choice(("number(0.25, 'float64')", "number(-2.0, 'float64')"))
        return Compute(name, axes, formula, "float64", combiner, reduces, where, start)

    def moved(self, names: list[str]) -> dict[str, np.ndarray]:
        """The values when each element of ``names`` is moved, one at a time: along a last axis.

        The places of that axis are: where nothing is moved, then for each element one step up, one
        down, two up, two down.
        """
        count = 1 + 4 * sum(self.values[name].size for name in names)
        moved = {
            name: np.repeat(value[..., None], count, axis=-1)
            if value.dtype == np.float64
            else value
            for name, value in self.values.items()
        }
        at = 1
        for name in names:
            for place in np.ndindex(self.values[name].shape):
                moved[name][(*place, slice(at, at + 4))] += np.array([1, -1, 2, -2]) * STEP
                at += 4
        return moved

    def evaluate(self, known: dict[str, np.ndarray]) -> None:
        """Add to ``known`` what the computes give that are not there yet."""
        env = {**VALUES, **self.symbols, **known}
        count = max(value.shape[-1] for value in known.values() if value.dtype == np.float64)
        for compute in self.computes:
            if compute.name not in known:
                shape = [axis.dim.size for axis in compute.axes]
                values = env[compute.name] = known[compute.name] = np.zeros([*shape, count])
                compute.evaluate(env, {}, values)
                if not (np.abs(values) < LARGEST).all():
                    raise Kink

    def jacobians(self, output: str, names: list[str]) -> list[np.ndarray]:
        """The derivatives of ``output`` with respect to each of ``names``."""
        known = self.moved(names)
        self.evaluate(known)
        value = known[output]
        off = value[..., 1:].reshape(*value.shape[:-1], -1, 4)
        once = (off[..., 0] - off[..., 1]) / (2 * STEP)
        twice = (off[..., 2] - off[..., 3]) / (4 * STEP)
        if (np.abs(once - twice) > CURVED * 10 * (1 + np.abs(once))).any():
            raise Kink
        slopes = (4 * once - twice) / 3
        jacobians: list[np.ndarray] = []
        at = 0
        for name in names:
            shape, size = self.values[name].shape, self.values[name].size
            jacobians.append(slopes[..., at : at + size].reshape(*value.shape[:-1], *shape))
            at += size
        return jacobians

    def program(self) -> Fixed:
        """The gradients, as a program with its arguments."""
        random = self.random
        arrays = self.inputs()
        inputs = [array.name for array in arrays]
        count = random.choice((1, 1, 2, 2, 3))
        for n in range(count if self.keep is None else min(count, self.keep)):
            last = n == count - 1
            rank = random.choice((0, 1, 1, 2, 2) if last else (1, 1, 2, 2))
            self.computes.append(self.compute(f"T{n}", arrays, rank))
            self.sources += self.computes[-1].sources
            arrays.append(self.computes[-1].array)
        output = self.computes[-1]
        names = random.sample(inputs, min(len(inputs), random.choice((1, 2))))
        if len(self.computes) > 1 and random.random() < 0.15:
            names = [self.computes[0].name]
            base = {name: value[..., None] for name, value in self.values.items()}
            base.update({index.name: self.values[index.name] for index in self.indices})
            self.evaluate(base)
            self.values[names[0]] = base[names[0]][..., 0]
        slopes = self.jacobians(output.name, names)
        shape = tuple(axis.dim.size for axis in output.axes)
        wanted, words = slopes, f"te.gradient({output.name}, [{', '.join(names)}])"
        if random.random() < 0.75:
            more = (Dim(2),) if random.random() < 0.15 else ()
            dims = (*more, *(axis.dim for axis in output.axes))
            head = self.numbers.uniform(-1, 1, [dim.size for dim in dims])
            self.sources.append(f"H = te.placeholder({shape_text(dims)}, 'float64', 'H')")
            self.values["H"] = head
            words = f"{words[:-1]}, H)"
            wanted = [np.tensordot(head, slope, len(shape)) for slope in slopes]
        if any(value.size > MAX_RESULT or not np.isfinite(value).all() for value in wanted):
            raise Kink
        gradients = [f"D{name}" for name in names]
        self.sources.append(f"{', '.join(gradients)}, = {words}")
        return self.finish(gradients, wanted)

    def finish(self, gradients: list[str], wanted: list[np.ndarray]) -> Fixed:
        """The module of the gradients, with a schedule."""
        env = dict(GRADIENT_TE)
        exec("\n".join(self.sources), env)
        operations = list(dict.fromkeys(env[name].op for name in gradients))
        schedule = te.create_schedule(operations)
        read = {tensor for stage in schedule.stages for tensor in stage.op.input_tensors}
        given = [
            name
            for name in self.values
            if env[name] in read and (isinstance(env[name].op, te.PlaceholderOp))
        ]
        arguments = [env[name] for name in (*given, *gradients)]
        bound = {dim for tensor in arguments for dim in tensor.shape}
        sizes = [name for name in self.symbols if env[name] not in bound]
        arguments += [env[name] for name in sizes]
        calls: list[str] = []
        module = None
        if self.random.random() < 0.3:
            scheduled = te.create_schedule(operations)
            calls = random_calls(scheduled, self.random, self.random.randint(1, CALLS))
            with contextlib.suppress(KCError):
                module = kc.lower(scheduled, arguments, name="main")
        module = module or kc.lower(schedule, arguments, name="main")
        garbage = [np.full(value.shape, 77.0) for value in wanted]
        return Fixed(
            module,
            [
                *(self.values[name] for name in given),
                *garbage,
                *(self.symbols[name] for name in sizes),
            ],
            dict(enumerate(wanted, start=len(given))),
            dict(self.symbols),
            TOLERANCE,
            "\n".join([*self.sources, *calls]),
        )


def draw(random: Random, keep: int | None = None) -> Fixed:
    """The gradients of a function of ``keep`` computes at most."""
    while True:
        drawing = _Drawing(random, keep)
        try:
            with np.errstate(all="ignore"):
                return drawing.program()
        except Kink:
            continue
        except Exception as error:
            error.add_note("\n".join(drawing.sources))
            raise
