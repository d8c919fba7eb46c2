"""Tensor computes whose elements are Python text, which is evaluated twice.

Once the names in it are functions and tensors of te: that makes the compute. Once they are
functions and arrays of numpy: that is the reference. ``branch`` and ``select`` take their two
values as functions, so that the reference evaluates the one that is chosen, as the meaning is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from random import Random
from typing import Any

import numpy as np

from kc import te
from kc.expr.reducers import reduction

TE: dict[str, Any] = {
    "te": te,
    "branch": lambda condition, a, b: te.if_then_else(condition, a(), b()),
    "select": lambda condition, a, b: te.Select(condition, a(), b()),
    "both": te.all,
    "either": te.any,
    "negated": lambda condition: ~condition,
    "larger": te.max,
    "smaller": te.min,
    "number": te.const,
    "cast": lambda value, dtype: (value + 0).astype(dtype),
    "reduce_sum": te.sum,
    "reduce_prod": reduction("prod"),
    "reduce_max": te.max,
    "reduce_min": te.min,
    "clamped": lambda value: te.max(te.min(value, 1.0), -1.0),
}
NUMPY: dict[str, Any] = {
    "branch": lambda condition, a, b: a() if condition else b(),
    "select": lambda condition, a, b: a() if condition else b(),
    "both": lambda a, b: a and b,
    "either": lambda a, b: a or b,
    "negated": lambda condition: not condition,
    "larger": np.maximum,
    "smaller": np.minimum,
    "number": lambda value, dtype: np.dtype(dtype).type(value),
    "cast": lambda value, dtype: np.asarray(value).astype(dtype)[()],
    "clamped": lambda value: np.maximum(np.minimum(value, 1), -1),
    "combine_sum": np.add,
    "combine_prod": np.multiply,
    "combine_max": np.maximum,
    "combine_min": np.minimum,
}
NEUTRAL = {"sum": 0, "prod": 1, "times": 1}
"""The identities of reducers; the other reducers start from the first term."""


@dataclass(frozen=True)
class Dim:
    """A size: its value, and the symbol that it is written as."""

    size: int
    symbol: str = ""

    @property
    def text(self) -> str:
        """The size in a formula."""
        return self.symbol or str(self.size)


@dataclass(frozen=True)
class Axis:
    """An axis and its extent."""

    name: str
    dim: Dim


@dataclass(frozen=True)
class Array:
    """An array that a formula can read: an input, a compute or a state.

    ``rows`` are the first indices and their conditions, if the first index is not free, as in the
    states of a scan.
    """

    name: str
    dtype: str
    dims: tuple[Dim, ...]
    rows: tuple[tuple[str, str], ...] = ()

    @property
    def source(self) -> str:
        """The statement that makes its placeholder."""
        shape = shape_text(self.dims)
        return f"{self.name} = te.placeholder({shape}, {self.dtype!r}, {self.name!r})"


def shape_text(dims: Sequence[Dim]) -> str:
    """A shape as Python writes it."""
    return f"({''.join(f'{dim.text}, ' for dim in dims)})"


@dataclass(frozen=True)
class Compute:
    """A compute of one formula, which may be reduced."""

    name: str
    axes: tuple[Axis, ...]
    formula: str
    dtype: str
    combiner: str = ""
    reduces: tuple[Axis, ...] = ()
    where: str = ""
    """The condition of the terms that count."""
    start: str = ""
    """The start value of the reduction, if it is not the identity."""

    @property
    def array(self) -> Array:
        """Its result, for other formulas."""
        return Array(self.name, self.dtype, tuple(axis.dim for axis in self.axes))

    @property
    def sources(self) -> list[str]:
        """The statements that make it."""
        lines = [
            f"{axis.name} = te.reduce_axis((0, {axis.dim.text}), {axis.name!r})"
            for axis in self.reduces
        ]
        body = self.formula
        if self.combiner:
            more = f", where={self.where}" if self.where else ""
            more += f", init={self.start}" if self.start else ""
            names = ", ".join(axis.name for axis in self.reduces)
            body = f"reduce_{self.combiner}({body}, axis=[{names}]{more})"
        names = ", ".join(axis.name for axis in self.axes)
        shape = shape_text([axis.dim for axis in self.axes])
        return [
            *lines,
            f"{self.name} = te.compute({shape}, lambda {names}: {body}, name={self.name!r})",
        ]

    def evaluate(self, env: Mapping[str, Any], fixed: Mapping[str, int], into: np.ndarray) -> None:
        """Write the elements to ``into``: those where the axes in ``fixed`` have these values.

        ``env`` has the arrays and sizes; its functions come before those of :data:`NUMPY`.
        """
        known = {**NUMPY, **env, **fixed}
        combine: Any = known.get(f"combine_{self.combiner}")
        formula = compile(self.formula, self.name, "eval")
        where = compile(self.where or "True", self.name, "eval")
        start = eval(self.start, known) if self.start else None
        if start is None and self.combiner in NEUTRAL:
            start = np.dtype(self.dtype).type(NEUTRAL[self.combiner])
        free = [axis for axis in self.axes if axis.name not in fixed]
        for at in product(*(range(axis.dim.size) for axis in free)):
            known.update(zip((axis.name for axis in free), at, strict=True))
            value = start
            for over in product(*(range(axis.dim.size) for axis in self.reduces)):
                known.update(zip((axis.name for axis in self.reduces), over, strict=True))
                if not eval(where, known):
                    continue
                term = eval(formula, known)
                value = term if value is None else combine(value, term)
            into[tuple(known[axis.name] for axis in self.axes)] = value


@dataclass
class Writer:
    """Writes formulas over ``axes`` that read ``arrays``, all of them of ``dtype``."""

    random: Random
    dtype: str
    axes: Sequence[Axis]
    arrays: Sequence[Array]
    indices: Sequence[Array] = ()
    """Vectors of int32 whose elements are never negative."""
    unread: list[Array] = field(default_factory=list)
    """The arrays that are to be read first."""

    def formula(self, depth: int) -> str:
        """An expression."""
        if depth == 0:
            return self._leaf()
        a, b = self.formula(depth - 1), self.formula(self.random.randrange(depth))
        if self.random.random() < 0.35:
            how = self.random.choice(("branch", "select"))
            return f"{how}({self.condition()}, lambda: {a}, lambda: {b})"
        return self.random.choice(self.operations(a, b))

    def operations(self, a: str, b: str) -> list[str]:
        """The operations on ``a`` and ``b``."""
        extremes = [f"larger({a}, {b})", f"smaller({a}, {b})"]
        if not self.dtype.startswith("float"):
            return [*(f"({a} {sign} {b})" for sign in "+-*"), *extremes]
        return [
            f"({a} + {b})",
            f"({a} - {b})",
            *extremes,
            f"clamped({a})",
            f"clamped({a}) * clamped({b})",
            f"{a} * number(0.5, {self.dtype!r})",
        ]

    def condition(self) -> str:
        """A condition of axes, and now and then of data."""
        if self.random.random() < 0.25:
            joined = self.random.choice(("both", "either"))
            return f"{joined}({self._comparison()}, {self._comparison()})"
        return self._comparison()

    def _comparison(self) -> str:
        if self.indices and self.random.random() < 0.3:
            data = self.random.choice(self.indices)
            place = self._place(data.dims[0])
            if place is not None and not place[1]:
                return f"{data.name}[{place[0]}] {self.random.choice(('<', '>='))} 2"
        axis = self.random.choice(self.axes)
        sign = self.random.choice(("<", "<=", ">", ">=", "==", "!="))
        several = [candidate for candidate in self.axes if candidate is not axis]
        if several and self.random.random() < 0.25:
            return f"{axis.name} {sign} {self.random.choice(several).name}"
        if self.random.random() < 0.3:
            return f"{axis.name} % 2 {self.random.choice(('==', '!='))} 0"
        return f"{axis.name} {sign} {self.random.randint(0, max(axis.dim.size, 1))}"

    def _leaf(self) -> str:
        pick = self.random.random()
        if pick < 0.08:
            value = self.random.choice((1, 2, 3))
            return f"number({value}, {self.dtype!r})"
        if pick < 0.16 and self.axes:
            return f"cast({self.random.choice(self.axes).name}, {self.dtype!r})"
        return self.read()

    def read(self) -> str:
        """An element of an array; where its indices may be outside, under a condition."""
        order = self.random.sample(list(self.arrays), len(self.arrays))
        order.sort(key=lambda array: array not in self.unread)
        for array in order:
            places = self._places_in(array)
            if places is not None:
                break
        else:
            return f"number(1, {self.dtype!r})"
        if array in self.unread:
            self.unread.remove(array)
        words, conditions = places
        element = f"{array.name}[{', '.join(words)}]"
        if not conditions:
            return element
        condition = conditions[0]
        for clause in conditions[1:]:
            condition = f"both({condition}, {clause})"
        how = self.random.choice(("branch", "branch", "select"))
        instead = self._leaf() if self.random.random() < 0.4 else f"number(3, {self.dtype!r})"
        if self.random.random() < 0.3:
            return f"{how}({_negated(condition)}, lambda: {instead}, lambda: {element})"
        return f"{how}({condition}, lambda: {element}, lambda: {instead})"

    def _places_in(self, array: Array) -> tuple[list[str], list[str]] | None:
        """Indices of an element, and the conditions under which they are inside."""
        words: list[str] = []
        conditions: list[str] = []
        if array.rows:
            row, condition = self.random.choice(array.rows)
            words.append(row)
            conditions += [condition] if condition else []
        for dim in array.dims[len(words) :]:
            place = self._place(dim)
            if place is None:
                return None
            words.append(place[0])
            conditions += place[1]
        return words, conditions

    def _place(self, dim: Dim) -> tuple[str, list[str]] | None:
        """An index into a dimension, and the conditions under which it is inside."""
        choices = list(self._places(dim))
        plain = [choice for choice in choices if choice[0].isidentifier()]
        if plain and self.random.random() < 0.5:
            return self.random.choice(plain)
        return self.random.choice(choices) if choices else None

    def _places(self, dim: Dim) -> Iterator[tuple[str, list[str]]]:
        for axis in self.axes:
            name, extent = axis.name, axis.dim
            shift = self.random.randint(1, 3)
            if extent == dim:
                yield name, []
                yield f"{dim.text} - 1 - {name}", []
                yield f"{name} - {shift}", [f"{name} >= {shift}"]
                yield f"{name} + {shift}", [f"{name} + {shift} < {dim.text}"]
            if dim.symbol:
                continue
            if dim.size:
                yield f"{name} % {dim.size}", []
                yield f"({name} + {shift}) % {dim.size}", []
            if extent.symbol:
                yield name, [f"{name} < {dim.size}"]
                continue
            if extent.size < dim.size:
                yield name, []
                yield f"{name} + {self.random.randint(1, dim.size - extent.size)}", []
            if extent.size and (extent.size - 1) // 2 < dim.size:
                yield f"{name} // 2", []
            if extent.size > dim.size:
                yield name, [f"{name} < {dim.size}"]
            for with_axis in self.axes:
                if with_axis is not axis and not with_axis.dim.symbol:
                    place = f"{name} + {with_axis.name}"
                    inside = extent.size + with_axis.dim.size - 1 <= dim.size
                    yield place, [] if inside else [f"{place} < {dim.size}"]
        if dim.size and not dim.symbol:
            yield str(self.random.randrange(dim.size)), []
            for data in self.indices:
                for axis in self.axes:
                    if data.dims == (axis.dim,):
                        yield f"{data.name}[{axis.name}] % {dim.size}", []


def _negated(condition: str) -> str:
    """The opposite of a condition that is a comparison, or of both of two."""
    for sign, opposite in ((" >= ", " < "), (" < ", " >= ")):
        if not condition.startswith("both") and sign in condition:
            return condition.replace(sign, opposite)
    return f"negated({condition})"
