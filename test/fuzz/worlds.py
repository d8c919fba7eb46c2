"""Programs that are written once and meant twice: as tensor expressions, and in plain Python.

The body of a stage is a function of a :class:`World` and of its axes. Called with variables it
builds ``te``; called with numbers it computes an element, of numpy's scalars, which have the types
and the wrap-around of the program. All floats are small integers (or infinite), so that no order of
operations rounds, and results are compared exactly.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from random import Random
from typing import Any

import numpy as np
from families import Fixed

import kc
from kc import te
from kc.expr.constructors import Var
from kc.expr.reducers import reduction

LARGEST = {"float16": 2.0**11, "float32": 2.0**24, "float64": 2.0**53}
"""Integers of at most this size are exact, sums of them included."""
MAX_POINTS = 700
"""Iterations of a stage: they run one by one."""


class Unsuitable(Exception):
    """A program that is too large, or whose floats are."""


@dataclass(frozen=True)
class Size:
    """A size: its value, and what ``te`` has for it, which is an expression if it is symbolic."""

    value: int
    expr: Any

    @staticmethod
    def of(size: Size | int) -> Size:
        """A size that is known."""
        return size if isinstance(size, Size) else Size(size, size)

    def __add__(self, number: int) -> Size:
        return self._with(operator.add, number)

    def __sub__(self, number: int) -> Size:
        return self._with(operator.sub, number)

    def __mul__(self, number: int) -> Size:
        return self._with(operator.mul, number)

    def _with(self, operation: Callable[[Any, Any], Any], number: int) -> Size:
        return Size(operation(self.value, number), operation(self.expr, number))


@dataclass
class World:
    """Where the body of a stage is: among tensors and expressions, or arrays and numbers."""

    tensors: Mapping[str, Any]
    symbolic: bool
    lazily: bool = True
    """True if ``where`` is ``if_then_else``, which computes only one side; False for a select."""

    def __getitem__(self, name: str) -> Any:
        return self.tensors[name]

    def size(self, size: Size) -> Any:
        """A size as a part of an index or a condition."""
        return size.expr if self.symbolic else size.value

    def all(self, *conditions: Any) -> Any:
        """The conjunction of conditions."""
        return te.all(*conditions) if self.symbolic else all(conditions)

    def any(self, *conditions: Any) -> Any:
        """The disjunction of conditions."""
        return te.any(*conditions) if self.symbolic else any(conditions)

    def where(self, holds: Any, then: Callable[[], Any], otherwise: Callable[[], Any]) -> Any:
        """One of two values."""
        if self.symbolic:
            return (te.if_then_else if self.lazily else te.Select)(holds, then(), otherwise())
        return then() if holds else otherwise()

    def const(self, value: int, dtype: str) -> Any:
        """A constant."""
        if self.symbolic:
            return te.const(value, dtype)
        return np.float64(value) if dtype.startswith("float") else np.dtype(dtype).type(value)

    def cast(self, value: Any, dtype: str) -> Any:
        """A value converted."""
        if self.symbolic or not dtype.startswith("float"):
            return value.astype(dtype)
        return np.float64(value)

    def combine(self, kind: str, a: Any, b: Any) -> Any:
        """Two values combined as a reduction does it."""
        if kind in ("min", "max") and self.symbolic:
            return (te.min if kind == "min" else te.max)(a, b)
        return COMBINE[kind](a, b)

    def reduce(self, kind: str, sizes: Sequence[Size], term: Callable[..., Any], dtype: str) -> Any:
        """A reduction over axes of ``sizes``; nothing may be done with its result."""
        if self.symbolic:
            axes = [te.reduce_axis((0, size.expr), f"k{n}") for n, size in enumerate(sizes)]
            return reduction(kind)(term(*axes), axis=axes)
        result = _identity(kind, dtype)
        sum_of_sizes, product_of_sizes = 0.0, 1.0
        for at in product(*(range(size.value) for size in sizes)):
            value = term(*at)
            result = COMBINE[kind](result, value)
            if dtype in LARGEST and np.isfinite(value):
                sum_of_sizes += abs(float(value))
                product_of_sizes *= max(1.0, abs(float(value)))
        partial = {"sum": sum_of_sizes, "prod": product_of_sizes}.get(kind, 0.0)
        if partial > LARGEST.get(dtype, np.inf):
            raise Unsuitable
        return result


COMBINE: dict[str, Callable[[Any, Any], Any]] = {
    "sum": operator.add,
    "prod": operator.mul,
    "min": np.minimum,
    "max": np.maximum,
}


def _identity(kind: str, dtype: str) -> Any:
    if dtype in LARGEST:
        return np.float64({"sum": 0, "prod": 1, "min": np.inf, "max": -np.inf}[kind])
    if kind in ("sum", "prod"):
        return np.dtype(dtype).type(kind == "prod")
    info = np.iinfo(dtype)
    return np.dtype(dtype).type(info.max if kind == "min" else info.min)


Body = Callable[..., Any]


@dataclass
class Draft:
    """A program in the making: its inputs, its stages, and what they compute."""

    random: Random
    dtype: str
    symbolic: float = 0.25
    """The probability that a size is symbolic."""
    sizes: dict[Var, int] = field(default_factory=dict)
    tensors: dict[str, te.Tensor] = field(default_factory=dict)
    arrays: dict[str, np.ndarray] = field(default_factory=dict)
    dims: dict[str, tuple[Size, ...]] = field(default_factory=dict)
    inputs: list[str] = field(default_factory=list)
    stages: list[str] = field(default_factory=list)
    infinite: bool = False

    def __post_init__(self) -> None:
        self.numbers = np.random.default_rng(self.random.randrange(2**32))
        self.infinite = self.dtype in LARGEST and self.random.random() < 0.15

    def chance(self, share: float) -> bool:
        """True in ``share`` of the programs."""
        return self.random.random() < share

    def size(self, *values: int) -> Size:
        """One of some sizes, known or symbolic."""
        value = self.random.choice(values)
        if not self.chance(self.symbolic):
            return Size(value, value)
        same = [var for var, size in self.sizes.items() if size == value]
        if same and self.chance(0.5):
            return Size(value, self.random.choice(same))
        var = te.var(f"n{len(self.sizes)}")
        self.sizes[var] = value
        return Size(value, var)

    def input(
        self,
        name: str,
        dims: Sequence[Size],
        dtype: str | None = None,
        below: int | None = None,
    ) -> str:
        """A tensor that is given: small numbers, or indices ``below`` a size."""
        dtype = dtype or self.dtype
        shape = tuple(dim.value for dim in dims)
        low, high = (0, below - 1) if below is not None else (-3, 3)
        if dtype.startswith("u"):
            low = 0
        array = self.numbers.integers(low, high, shape, endpoint=True).astype(dtype)
        if self.infinite and dtype in LARGEST and array.size:
            at = tuple(self.random.randrange(size) for size in shape)
            array[at] = self.random.choice((np.inf, -np.inf))
        self._add(name, te.placeholder(_shape(dims), dtype, name), array, dims)
        self.inputs.append(name)
        return name

    def stage(self, name: str, dims: Sequence[Size], body: Body) -> str:
        """A tensor that is computed: ``body`` is of the world and the axes."""
        shape = tuple(dim.value for dim in dims)
        if any(size < 0 for size in shape) or np.prod(shape) > MAX_POINTS:
            raise Unsuitable
        axes = list("ijlmno"[: len(dims)])
        known = World(self.tensors, symbolic=True, lazily=self.chance(0.7))
        tensor = te.compute(
            _shape(dims), lambda *at: body(known, *at), name=name, varargs_names=axes
        )
        return self.computed(name, tensor, dims, body)

    def computed(self, name: str, tensor: te.Tensor, dims: Sequence[Size], body: Body) -> str:
        """A tensor of the program whose elements, as numbers, are those of ``body``."""
        shape, dtype = tuple(dim.value for dim in dims), tensor.dtype
        computing = World(self._as_computed(), symbolic=False)
        array = np.empty(shape, dtype)
        with np.errstate(all="ignore"):
            for at in product(*map(range, shape)):
                value = body(computing, *at)
                if dtype in LARGEST and np.isfinite(value) and abs(value) > LARGEST[dtype]:
                    raise Unsuitable
                array[at] = value
        self._add(name, tensor, array, dims)
        self.stages.append(name)
        return name

    def _add(self, name: str, tensor: te.Tensor, array: np.ndarray, dims: Sequence[Size]) -> None:
        self.tensors[name], self.arrays[name], self.dims[name] = tensor, array, tuple(dims)

    def _as_computed(self) -> dict[str, np.ndarray]:
        return {
            name: array.astype(np.float64) if str(array.dtype) in LARGEST else array
            for name, array in self.arrays.items()
        }

    def finish(
        self,
        keep: int | None,
        *,
        also: Sequence[str] = (),
        opening: Sequence[str] = (),
        favourites: Sequence[str] = (),
        source: str = "",
    ) -> Fixed:
        """The program of the first ``keep`` stages; the last one is a result, ``also`` others."""
        stages = self.stages[:keep]
        results = [name for name in stages[:-1] if name in also] + stages[-1:]
        needed = _needed([self.tensors[name] for name in results])
        used = [name for name in self.inputs if self.tensors[name] in needed]
        names = [*used, *results]
        args: list[Any] = [self.tensors[name] for name in names]
        bound = {
            size.expr for name in names for size in self.dims[name] if isinstance(size.expr, Var)
        }
        free = [var for var in self.sizes if var not in bound]
        schedule = te.create_schedule([self.tensors[name].op for name in results])
        module = kc.lower(schedule, [*args, *free], name="main")
        given: list[Any] = [self.arrays[name] for name in names]
        for n in range(len(used), len(names)):
            given[n] = np.empty_like(given[n])
            given[n].reshape(-1).view(np.uint8)[:] = 0x5A
        given += [self.sizes[var] for var in free]
        expected = {n: self.arrays[name] for n, name in enumerate(names) if n >= len(used)}
        symbols = {var.name: size for var, size in self.sizes.items()}
        return Fixed(
            module,
            given,
            expected,
            symbols,
            opening=tuple(opening),
            favourites=tuple(favourites),
            source=source,
        )


def _shape(dims: Sequence[Size]) -> tuple[Any, ...]:
    return tuple(dim.expr for dim in dims)


def _needed(tensors: Sequence[te.Tensor]) -> set[te.Tensor]:
    """The inputs of ``tensors``."""
    needed: set[te.Tensor] = set()
    pending = list(tensors)
    while pending:
        tensor = pending.pop()
        if tensor not in needed:
            needed.add(tensor)
            pending += tensor.op.input_tensors
    return needed
