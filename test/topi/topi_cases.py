"""Shared by the tests of topi: calls as text, their arrays, and how results are compared."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import kc
from kc import te, topi
from kc.analysis.interpreter import run
from kc.topi.table import whole_table

TABLE = whole_table()

EPSILON = {
    "float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8,
    "float8_e4m3fn": 2.0**-4, "float8_e5m2": 2.0**-3,
}  # fmt: skip


@dataclass
class Program:
    """A call with its placeholders, an array for each, and its results."""

    inputs: list[te.Tensor]
    arrays: list[np.ndarray]
    outputs: list[te.Tensor]

    @property
    def computed(self) -> list[te.Tensor]:
        return [tensor for tensor in self.outputs if tensor not in self.inputs]

    @property
    def args(self) -> list[te.Tensor]:
        return [*self.inputs, *self.computed]

    def interpreted(self) -> list[np.ndarray]:
        """The results as the interpreter computes them, which checks every access."""
        operations = list(dict.fromkeys(tensor.op for tensor in self.computed))
        module = kc.lower(te.create_schedule(operations), self.args)
        return self._run(lambda *arrays: run(module.op, "main", list(arrays)))

    def native(self, build: Callable[..., Any] = kc.build) -> list[np.ndarray]:
        """The results of machine code with the default schedule."""
        return self._run(build(self.args))

    def _run(self, call: Callable[..., Any]) -> list[np.ndarray]:
        sizes: dict[Any, int] = {}
        for tensor, array in zip(self.inputs, self.arrays, strict=True):
            sizes.update(zip(tensor.shape, array.shape, strict=True))
        results = [
            np.zeros([size_of(dim, sizes) for dim in tensor.shape], np_dtype(tensor.dtype))
            for tensor in self.computed
        ]
        call(*[array.copy() for array in self.arrays], *results)
        computed = iter(results)
        return [
            self.arrays[self.inputs.index(tensor)] if tensor in self.inputs else next(computed)
            for tensor in self.outputs
        ]


def size_of(dim: Any, sizes: dict[Any, int]) -> int:
    """The value of a dimension."""
    if isinstance(dim, int):
        return dim
    if dim in sizes:
        return sizes[dim]
    if hasattr(dim, "value"):
        return int(dim.value)
    left, right = size_of(dim.lhs, sizes), size_of(dim.rhs, sizes)
    operations: dict[str, Callable[[int, int], int]] = {
        "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
        "floordiv": lambda a, b: a // b, "floormod": lambda a, b: a % b, "max": max, "min": min,
    }  # fmt: skip
    return operations[dim.op](left, right)


def np_dtype(dtype: str) -> Any:
    """numpy's type of a name."""
    if dtype in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):
        import ml_dtypes

        return getattr(ml_dtypes, dtype)
    return dtype


def drawn(generator: np.random.Generator, shape: Sequence[int], dtype: str) -> np.ndarray:
    """Small numbers of a type, which are exact in all of them."""
    if dtype == "bool":
        return generator.integers(0, 2, shape).astype(bool)
    if dtype.startswith("uint"):
        return generator.integers(0, 9, shape).astype(dtype)
    if dtype.startswith("int"):
        return generator.integers(-4, 5, shape).astype(dtype)
    return np.asarray(generator.integers(-16, 17, shape) / 8).astype(np_dtype(dtype))


@dataclass
class Maker:
    """``T(2, 3, dtype=...)`` makes a placeholder; ``of``: its values, a size may be a name."""

    seed: int = 0
    inputs: list[te.Tensor] = field(default_factory=list)
    arrays: list[np.ndarray] = field(default_factory=list)
    sizes: dict[str, tuple[Any, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.generator = np.random.default_rng(self.seed)

    def __call__(self, *shape: Any, dtype: str = "float32", of: Any = None) -> te.Tensor:
        dims, numbers = [], []
        for size in shape:
            if isinstance(size, str):  # "n=5": known at the call
                name, _, number = size.partition("=")
                self.sizes.setdefault(name, (te.var(name), int(number or 0)))
                dims.append(self.sizes[name][0])
                numbers.append(self.sizes[name][1])
            else:
                dims.append(size)
                numbers.append(size)
        tensor = te.placeholder(tuple(dims), dtype, f"A{len(self.inputs)}")
        if of is None:
            array = np.asarray(drawn(self.generator, numbers, dtype))
        else:
            array = np.array(of).astype(np_dtype(dtype)).reshape(numbers)
        self.inputs.append(tensor)
        self.arrays.append(array)
        return tensor


def program(call: str, seed: int = 0, maker: Maker | None = None) -> Program:
    """The program of a call of topi."""
    maker = maker or Maker(seed)
    names = {name: getattr(topi, name) for name in topi.__all__}
    outputs = eval(call, {**names, "T": maker, "math": math, "te": te, "np": np, "topi": topi})
    several = isinstance(outputs, list | tuple)
    return Program(maker.inputs, maker.arrays, list(outputs) if several else [outputs])


@dataclass(frozen=True)
class Case:
    """A call, and what it gives by numpy from float64 arrays."""

    name: str
    call: str
    reference: Callable[..., Any]
    roundings: float
    """The most roundings of a result; errors are counted in the largest result."""


CASES: list[Case] = []


def case(name: str, reference: Callable[..., Any], call: str = "", roundings: float = 4) -> None:
    """A case of an operator; of its example in the table where no call is given."""
    CASES.append(Case(name, call or TABLE[name].example, reference, roundings))


def wide(array: np.ndarray) -> np.ndarray:
    """Floats as float64, so that a reference does not round."""
    return array.astype("float64") if array.dtype.kind in "fV" else array


def compare(result: np.ndarray, expected: Any, roundings: float, what: str) -> None:
    """Integers exactly, floats within so many halves of a unit in the last place."""
    expected = np.asarray(expected)
    assert result.shape == expected.shape, f"{what}: {result.shape}, not {expected.shape}"
    name = str(result.dtype)
    if name not in EPSILON:
        np.testing.assert_array_equal(result, expected.astype(result.dtype), what)
        return
    got, want = result.astype("float64"), expected.astype("float64")
    finite = np.abs(want[np.isfinite(want)])
    scale = max(1.0, float(finite.max())) if finite.size else 1.0
    np.testing.assert_allclose(
        got, want, rtol=0, atol=roundings * EPSILON[name] * scale, err_msg=what
    )


def check(given: Case, results: Sequence[np.ndarray], arrays: Sequence[np.ndarray]) -> None:
    """Compare the results of a case with its reference."""
    expected = given.reference(*map(wide, arrays))
    wanted = list(expected) if isinstance(expected, list | tuple) else [expected]
    assert len(results) == len(wanted)
    for n, (result, want) in enumerate(zip(results, wanted, strict=True)):
        compare(result, want, given.roundings, f"result {n} of {given.call}")
