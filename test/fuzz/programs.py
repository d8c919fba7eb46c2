"""Random tensor programs with their results in numpy: what the fuzz tests schedule and run.

Integers are exact, wrap-around included. Floats are computed in float64 together with a bound of
the error that any order of evaluation, with or without contraction, may have: each operation adds
half a unit in the last place of what it gives (``UNIT``), a sum of n terms n of them on the sum of
their sizes, and so on (Higham, Accuracy and Stability of Numerical Algorithms, 2002, chapter 3).
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Any

import ml_dtypes  # noqa: F401  from it numpy knows bfloat16
import numpy as np

import kc
from kc import te, tir
from kc.expr.constructors import Expr, Var
from kc.expr.reducers import reduction

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "bfloat16", "float32", "float64")
DTYPES = (*SIGNED, *UNSIGNED, *FLOATS, "bool")

# Half a unit in the last place of 1.0, and what float64, in which bounds are computed, adds.
UNIT = {
    "float16": 2.0**-11,
    "bfloat16": 2.0**-8 + 2.0**-24,  # float32 comes in between
    "float32": 2.0**-24 + 2.0**-53,
    "float64": 2.0**-52,
}
TINY = {"float16": 2.0**-24, "bfloat16": 2.0**-133, "float32": 2.0**-149, "float64": 2.0**-1074}
LARGEST = {"float16": 6.0e4, "bfloat16": 1e38, "float32": 1e38, "float64": 1e300}

COMPUTES = 8
"""A program has so many computes at most."""
MAX_POINTS = 600
"""Iterations of a compute: the interpreter runs them one by one."""


class Unsuitable(Exception):
    """A float program that overflows: its error has no bound."""


@dataclass
class Known:
    """A tensor and what it holds: values (floats in float64) and bounds of their errors."""

    tensor: te.Tensor
    dims: tuple[int | Var, ...]
    value: np.ndarray
    error: np.ndarray

    @property
    def dtype(self) -> str:
        return self.tensor.dtype


@dataclass
class Term:
    """A scalar expression over the axes, and its value in every iteration."""

    build: Callable[[Sequence[Expr]], Expr]
    dtype: str
    value: np.ndarray
    error: np.ndarray | float = 0.0


@dataclass
class Program:
    """A program for a test: tensors and sizes to pass, arrays to pass, results to expect."""

    outputs: list[Known]
    inputs: list[Known]
    args: list[te.Tensor | Var]
    sizes: dict[Var, int] = field(default_factory=dict)
    source: str = ""

    @cached_property
    def module(self) -> kc.IRModule:
        """The program as loops, without a schedule."""
        operations = dict.fromkeys(output.tensor.op for output in self.outputs)
        return kc.lower(te.create_schedule(list(operations)), self.args, name="main")

    @property
    def symbols(self) -> dict[str, int]:
        """The values of its symbolic sizes, by name."""
        return {var.name: size for var, size in self.sizes.items()}

    def arrays(self) -> list[Any]:
        """Fresh arguments: inputs, sizes as numbers, outputs full of garbage."""
        given = {known.tensor: known for known in (*self.inputs, *self.outputs)}
        arrays: list[Any] = []
        for arg in self.args:
            if isinstance(arg, Var):
                arrays.append(self.sizes[arg])
                continue
            known = given[arg]
            array = known.value.astype(known.dtype)
            if known in self.outputs:
                array.reshape(-1).view(np.uint8)[:] = 1 if known.dtype == "bool" else 0x5A
            arrays.append(array)
        return arrays

    def check(self, arrays: Sequence[Any]) -> None:
        """Check that the outputs among ``arrays`` are right, and the inputs unchanged."""
        by_tensor = {known.tensor: known for known in (*self.inputs, *self.outputs)}
        for arg, array in zip(self.args, arrays, strict=True):
            if isinstance(arg, Var):
                continue
            known = by_tensor[arg]
            if known.dtype not in FLOATS or known in self.inputs:
                expected = known.value.astype(known.dtype)
                assert np.array_equal(array, expected), f"{arg.name}: {array} is not {expected}"
                continue
            off = np.abs(array.astype(np.float64) - known.value)
            wrong = ~(off <= known.error)  # NaN is wrong too
            assert not wrong.any(), (
                f"{arg.name}: {array[wrong][:4]} is not {known.value[wrong][:4]} "
                f"within {known.error[wrong][:4]}"
            )


class Generator:
    """Draws one program; ``random`` decides everything."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.numbers = np.random.default_rng(random.randrange(2**32))
        self.tensors: list[Known] = []
        self.sizes: dict[Var, int] = {}
        self.main = random.choice(DTYPES)
        self.symbolic = random.random() < 0.3

    def program(self, computes: int, keep: int | None = None) -> Program:
        """A program of 1 to ``computes`` computes, or of the first ``keep`` of these."""
        inputs = [self._input(n) for n in range(self.random.randint(1, 3))]
        self.tensors += inputs
        computed: list[Known] = []
        count = self.random.randint(1, computes)
        for n in range(count if keep is None else min(keep, count)):
            with np.errstate(all="ignore"):
                if self.random.random() < 0.08 and self.main not in ("bool", "float16", "bfloat16"):
                    these = self._argmax(f"C{n}")
                elif self.random.random() < 0.06:
                    these = [self._extern(f"C{n}")]
                else:
                    these = [self._compute(f"C{n}")]
            computed += these
            self.tensors += these
        outputs = [known for known in computed[:-1] if self.random.random() < 0.3] + computed[-1:]
        needed = _needed([output.tensor for output in outputs])
        used = [known for known in inputs if known.tensor in needed]
        args: list[te.Tensor | Var] = [known.tensor for known in (*used, *outputs)]
        bound = {dim for known in (*used, *outputs) for dim in known.dims if isinstance(dim, Var)}
        args += [size for size in self.sizes if size not in bound]
        if self.random.random() < 0.2:
            self.random.shuffle(args)
        return Program(outputs, used, args, self.sizes)

    # Tensors -------------------------------------------------------------------------------

    def _extent(self) -> int:
        small = (1, 2, 3, 4, 5, 7, 8)
        return (
            self.random.choice((0, 16, 17))
            if self.random.random() < 0.2
            else (self.random.choice(small))
        )

    def _dim(self) -> tuple[int | Var, int]:
        """A dimension, and its size when the program runs."""
        if self.symbolic and self.random.random() < 0.5:
            if self.sizes and self.random.random() < 0.6:
                var = self.random.choice(list(self.sizes))
            else:
                var = te.var(f"n{len(self.sizes)}")
                self.sizes[var] = self._extent()
            return var, self.sizes[var]
        size = self._extent()
        return size, size

    def _input(self, n: int) -> Known:
        rank = self.random.choice((0, 1, 1, 2, 2, 2, 3))
        dims = [self._dim() for _ in range(rank)]
        while math.prod(size for _, size in dims) > MAX_POINTS:
            dims.pop()
        dtype = self.main if self.random.random() < 0.8 else self.random.choice(DTYPES)
        shape = tuple(size for _, size in dims)
        tensor = te.placeholder(tuple(dim for dim, _ in dims), dtype=dtype, name=f"A{n}")
        value = self._numbers(shape, dtype)
        return Known(tensor, tuple(dim for dim, _ in dims), value, np.zeros(shape))

    def _numbers(self, shape: tuple[int, ...], dtype: str) -> np.ndarray:
        if dtype == "bool":
            return self.numbers.integers(0, 2, shape).astype(bool)
        if dtype in FLOATS:
            return self.numbers.uniform(-2, 2, shape).astype(dtype).astype(np.float64)
        info = np.iinfo(dtype)
        return self.numbers.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)

    # Computes ------------------------------------------------------------------------------

    def _compute(self, name: str) -> Known:
        rank = self.random.choice((0, 1, 1, 2, 2, 2, 3))
        dims: list[tuple[int | Var, int]] = []
        shapes = [known for known in self.tensors if len(known.dims) == rank]
        if shapes and self.random.random() < 0.6:
            like = self.random.choice(shapes)
            dims = list(zip(like.dims, like.value.shape, strict=True))
        while len(dims) < rank:
            dims.append(self._dim())
        reduces: list[tuple[int | Var, int]] = []
        if self.random.random() < 0.5:
            # Mostly the dimension of some tensor, so that it can be read along the axis.
            pool = [
                (dim, size)
                for known in self.tensors
                for dim, size in zip(known.dims, known.value.shape, strict=True)
            ]
            for _ in range(self.random.choice((1, 1, 2))):
                fresh = not pool or self.random.random() < 0.2
                reduces.append(self._dim() if fresh else self.random.choice(pool))
        while math.prod(size for _, size in (*dims, *reduces)) > MAX_POINTS:
            (dims if self.random.random() < 0.5 and dims else reduces or dims).pop()
        self.extents = tuple(size for _, size in (*dims, *reduces))
        self.axes_dims = [dim for dim, _ in (*dims, *reduces)]
        self.grid = np.indices(self.extents)
        axes = [te.reduce_axis((0, dim), name=f"k{n}") for n, (dim, _) in enumerate(reduces)]
        combiner = None
        dtype = self.main
        if reduces:
            choices = ("min", "max") if dtype == "bool" else ("sum", "sum", "prod", "min", "max")
            combiner = self.random.choice(choices)
        contraction = len(dims) == 2 and len(reduces) == 1 and self.random.random() < 0.4
        product = self._product(dtype) if contraction else None
        if product is None:
            product = self._to(self._term(self.random.choice((0, 1, 1, 2))), dtype)
        term = product
        shape = tuple(dim for dim, _ in dims)

        def body(*spatial: Expr) -> Expr:
            value = term.build([*spatial, *axes])
            return value if combiner is None else reduction(combiner)(value, axis=axes)

        names = list("ijl"[: len(dims)])
        tensor = te.compute(shape, body, name=name, varargs_names=names)
        value = np.broadcast_to(term.value, self.extents)
        error = np.broadcast_to(np.asarray(term.error, np.float64), self.extents)
        if combiner is not None:
            over = tuple(range(len(dims), len(self.extents)))
            value, error = reduced(combiner, value, error, dtype, over)
        return Known(tensor, shape, np.array(value), np.array(error))

    # Expressions ---------------------------------------------------------------------------

    def _term(self, depth: int) -> Term:
        if depth == 0:
            pick = self.random.random()
            if pick < 0.85:
                return self._read()
            return self._axis() if pick < 0.92 and self.extents else self._constant(self.main)
        a = self._term(depth - 1)
        pick = self.random.random()
        if pick < 0.1:
            return self._to(a, self.random.choice(DTYPES))
        if pick < 0.18 and self.extents:
            return self._padded(a.dtype)
        b = self._to(self._term(self.random.randrange(depth)), a.dtype)
        if pick < 0.2:
            return self._select(a, b)
        return self._binary(a, b)

    def _constant(self, dtype: str) -> Term:
        value: Any
        if dtype == "bool":
            value = self.random.random() < 0.5
        elif dtype in FLOATS:
            value = self.random.choice((0.5, 1.0, -1.5, 2.0))
        else:
            value = self.random.choice((0, 1, 2, 3, 7, -1 if dtype in SIGNED else 5))
        return Term(lambda axes: te.const(value, dtype), dtype, _as(np.asarray(value), dtype))

    def _axis(self) -> Term:
        n = self.random.randrange(len(self.extents))
        return Term(lambda axes: axes[n] + 0, "int32", self.grid[n].astype(np.int32))

    def _read(self) -> Term:
        """An element of a tensor, at affine indices (or at an index that is data)."""
        self.random.shuffle(order := list(range(len(self.tensors))))
        order.sort(key=lambda n: -n if self.random.random() < 0.5 else 0)
        for n in order:
            known = self.tensors[n]
            indices = [
                self._index(*pair) for pair in zip(known.dims, known.value.shape, strict=True)
            ]
            if None in indices:
                continue
            builds = [index[0] for index in indices if index is not None]
            places = [
                np.broadcast_to(index[1], self.extents) for index in indices if index is not None
            ]

            def build(axes: Sequence[Expr], known: Known = known, builds: Any = builds) -> Expr:
                return known.tensor(*(index(axes) for index in builds))

            value, error = known.value[tuple(places)], known.error[tuple(places)]
            if not places:  # a scalar
                value, error = np.full(self.extents, value), np.full(self.extents, error)
            return Term(build, known.dtype, value, error)
        return self._constant(self.main)

    def _index(self, dim: int | Var, size: int) -> tuple[Callable[..., Any], np.ndarray] | None:
        """An index expression into a dimension, and its value in every iteration."""
        candidates: list[tuple[Callable[..., Any], np.ndarray]] = []
        same: list[tuple[Callable[..., Any], np.ndarray]] = []
        for n, extent in enumerate(self.extents):
            grid = self.grid[n]
            if extent <= size:
                known = isinstance(dim, int) or self.axes_dims[n] is dim
                (same if known and extent == size else candidates).append(
                    (lambda x, n=n: x[n], grid)
                )
                candidates.append((lambda x, n=n: dim - 1 - x[n], size - 1 - grid))
                if extent < size:
                    gap = self.random.randint(1, size - extent)
                    candidates.append((lambda x, n=n, gap=gap: x[n] + gap, grid + gap))
            if extent and 2 * (extent - 1) < size:
                candidates.append((lambda x, n=n: x[n] * 2, grid * 2))
            if extent and (extent - 1) // 3 < size:
                candidates.append((lambda x, n=n: x[n] // 3, grid // 3))
            if size and isinstance(dim, int):
                candidates.append((lambda x, n=n: x[n] % dim, grid % size))
            for m in range(n):
                if extent + self.extents[m] - 1 <= size:
                    candidates.append((lambda x, n=n, m=m: x[n] + x[m], grid + self.grid[m]))
        if size:
            place = self.random.randrange(size)
            candidates.append((lambda x: place, np.asarray(place)))
            for data in self.tensors:
                if data.dtype == "uint8" and not data.dims:
                    candidates.append(
                        (lambda x, data=data: data.tensor() % size, data.value.astype(int) % size)
                    )
        if same and (not candidates or self.random.random() < 0.6):
            return self.random.choice(same)
        return self.random.choice(candidates) if candidates else None

    def _to(self, a: Term, dtype: str) -> Term:
        if a.dtype == dtype:
            return a
        if a.dtype in FLOATS and dtype not in FLOATS:
            # Rounding may go either way: the value must be exact. And it must fit.
            limit = 100 if dtype != "bool" else np.inf
            if np.any(a.error) or np.any(np.abs(a.value) > limit):
                return self._constant(dtype)
            if dtype in UNSIGNED and np.any(a.value <= -1):
                return self._constant(dtype)
        value = _as(a.value, dtype)
        error: Any = 0.0
        if dtype in FLOATS:
            exact = a.value.astype(np.float64)
            wide = np.asarray(a.value).astype(np.longdouble)
            error = np.asarray(a.error, np.float64)
            error = error + UNIT[dtype] * (np.abs(exact) + error) + TINY[dtype]
            if dtype == "float64" or not np.any(a.error):
                exact_here = np.array_equal(
                    wide, np.asarray(a.value).astype(dtype).astype(np.longdouble)
                )
                error = 0.0 if exact_here and not np.any(a.error) else error
            value = exact
            _check_size(value, error, dtype)
        return Term(lambda axes: a.build(axes).astype(dtype), dtype, value, error)

    def _select(self, a: Term, b: Term) -> Term:
        left, right = self._read(), self._read()
        right = self._to(right, left.dtype)
        if np.any(left.error) or np.any(right.error):
            return self._binary(a, b)  # the comparison could go either way
        holds = left.value < right.value
        error = np.where(holds, a.error, b.error)
        return Term(
            lambda axes: te.Select(
                left.build(axes) < right.build(axes), a.build(axes), b.build(axes)
            ),
            a.dtype,
            np.where(holds, a.value, b.value),
            error,
        )

    def _product(self, dtype: str) -> Term | None:
        """``A[i, k] * B[k, j]``, or either with its indices the other way round."""
        factors: list[Term] = []
        for axes in ((0, 2), (2, 1)):
            here = axes if self.random.random() < 0.7 else axes[::-1]
            wanted = tuple(self.axes_dims[n] for n in here)
            fits = [
                known
                for known in self.tensors
                if known.dtype == dtype and list(map(_key, known.dims)) == list(map(_key, wanted))
            ]
            if not fits:
                return None
            known = self.random.choice(fits)
            place = tuple(self.grid[n] for n in here)

            def build(x: Sequence[Expr], known: Known = known, here: Any = here) -> Expr:
                return known.tensor(*(x[n] for n in here))

            factors.append(Term(build, dtype, known.value[place], known.error[place]))
        return self._binary(*factors, op="and" if dtype == "bool" else "mul")

    def _padded(self, dtype: str) -> Term:
        """Elements of a tensor shifted along an axis, and a constant where there are none."""
        constant = self._constant(dtype)
        choices = [
            (known, n)
            for known in self.tensors
            for n in range(len(self.extents))
            if len(known.dims) == 1 and known.dtype == dtype and isinstance(known.dims[0], int)
        ]
        if not choices:
            return constant
        known, n = self.random.choice(choices)
        size, shift = known.value.shape[0], self.random.randint(-2, 2)
        if not size:
            return constant
        place = self.grid[n] + shift
        inside = (place >= 0) & (place < size)

        def build(axes: Sequence[Expr]) -> Expr:
            at = axes[n] + shift
            holds = (at >= 0) & (at < size)
            if shift % 2:  # one branch alone is evaluated: the other may be outside
                return te.if_then_else(holds, known.tensor(at), constant.build(axes))
            return te.Select(holds, known.tensor(at % size), constant.build(axes))

        value = np.where(inside, known.value[place % size], constant.value)
        return Term(build, dtype, value, np.where(inside, known.error[place % size], 0.0))

    def _argmax(self, name: str) -> list[Known]:
        """The largest element of each row of a matrix, and where it is (the first such)."""
        rows = [
            known
            for known in self.tensors
            if len(known.dims) == 2 and known.value.shape[1] and not np.any(known.error)
        ]
        rows = [
            known for known in rows if known.dtype in ("int8", "int16", "int32", "int64", "float32")
        ]
        if not rows:
            return [self._compute(name)]
        data = self.random.choice(rows)
        k = te.reduce_axis((0, data.dims[1]), name="k")
        index, value = te.compute(
            data.dims[:1],
            lambda i: ARGMAX((k.var, data.tensor[i, k]), axis=k),
            name=name,
        )
        shape = data.value.shape[:1]
        place = data.value.argmax(axis=1).astype(np.int32)
        indices = [Known(index, data.dims[:1], place, np.zeros(shape))]
        return [*indices, Known(value, data.dims[:1], data.value.max(axis=1), np.zeros(shape))]

    def _extern(self, name: str) -> Known:
        """Running sums along the first dimension of a tensor, by a statement."""
        numbers = [known for known in self.tensors if known.dims and known.dtype != "bool"]
        if not numbers:
            return self._compute(name)
        data = self.random.choice(numbers)

        def statement(ins: Sequence[Any], outs: Sequence[Any]) -> Any:
            ib = tir.ir_builder.create()
            source, target = ib.buffer_ptr(ins[0]), ib.buffer_ptr(outs[0])
            with contextlib.ExitStack() as loops:
                at = [loops.enter_context(ib.for_range(0, dim)) for dim in data.dims]
                target[tuple(at)] = source[tuple(at)]
                with ib.if_scope(at[0] > 0):
                    before = target[(at[0] - 1, *at[1:])]
                    target[tuple(at)] = before + target[tuple(at)]
            return ib.get()

        tensor = te.extern(data.dims, [data.tensor], statement, name=name, dtype=data.dtype)
        value = np.cumsum(data.value, axis=0, dtype=data.value.dtype)
        error = np.zeros(value.shape)
        if data.dtype in FLOATS:
            count = len(value)
            total = np.cumsum(np.abs(data.value) + data.error, axis=0)
            error = np.cumsum(data.error, axis=0) + _of_sum(count, data.dtype) * total
            error = error * (1 + 2.0**-40) + count * TINY[data.dtype]
            _check_size(total, error, data.dtype)
        return Known(tensor, data.dims, value, error)

    def _binary(self, a: Term, b: Term, op: str | None = None) -> Term:
        if op is not None:
            pass
        elif a.dtype == "bool":
            op = self.random.choice(("and", "or", "xor", "min", "max"))
        elif a.dtype in FLOATS:
            op = self.random.choice(("add", "sub", "mul", "mul", "min", "max"))
        else:
            op = self.random.choice(
                ("add", "add", "sub", "mul", "mul", "and", "or", "xor", "min", "max", "floordiv")
                + ("floormod", "truncdiv", "truncmod")
            )

        def build(axes: Sequence[Expr]) -> Expr:
            return BUILD[op](a.build(axes), b.build(axes))

        if a.dtype in FLOATS:
            value, error = float_op(op, a, b)
            _check_size(value, error, a.dtype)
            return Term(build, a.dtype, value, error)
        return Term(build, a.dtype, NUMPY[op](a.value, b.value))


def _better(x: Any, y: Any) -> tuple[Expr, Expr]:
    """The larger of two (place, value), the first in a tie: the same in any order."""
    chosen = (x[1] > y[1]) | ((x[1] == y[1]) & (x[0] <= y[0]))
    return te.Select(chosen, x[0], y[0]), te.Select(chosen, x[1], y[1])


ARGMAX = te.comm_reducer(
    _better,
    lambda index, value: (te.const(2**31 - 1, index), te.min_value(value)),
    name="argmax",
)

BUILD: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "min": te.min,
    "max": te.max,
    "floordiv": te.floordiv,
    "floormod": te.floormod,
    "truncdiv": te.truncdiv,
    "truncmod": te.truncmod,
}


def _truncdiv(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Integer quotient rounded towards zero; 0 where the divisor is 0, as ``//`` has it."""
    down = a // b
    inexact = (a - down * b != 0) & ((a < 0) != (b < 0))
    return np.where(b == 0, down, down + inexact).astype(a.dtype)


NUMPY: dict[str, Callable[[Any, Any], Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "min": np.minimum,
    "max": np.maximum,
    "floordiv": np.floor_divide,
    "floormod": np.remainder,
    "truncdiv": _truncdiv,
    "truncmod": lambda a, b: np.where(b == 0, 0, a - _truncdiv(a, b) * b).astype(a.dtype),
}


def float_op(op: str, a: Any, b: Any) -> tuple[np.ndarray, Any]:
    """The value of an operation on floats, and the bound of its error; ``a`` and ``b`` have those
    of the operands, and a ``dtype``."""
    value = NUMPY[op](a.value, b.value)
    ea, eb = np.asarray(a.error, np.float64), np.asarray(b.error, np.float64)
    if op in ("min", "max"):
        return value, np.maximum(ea, eb)
    carried = ea + eb
    if op == "mul":
        carried = np.abs(a.value) * eb + np.abs(b.value) * ea + ea * eb
    rounded = UNIT[a.dtype] * (np.abs(value) + carried)
    return value, (carried + rounded) * (1 + 2.0**-40) + TINY[a.dtype]


def reduced(
    combiner: str, value: np.ndarray, error: np.ndarray, dtype: str, over: tuple[int, ...]
) -> tuple[Any, Any]:
    """The value of a reduction over some axes, and the bound of its error. Raises Unsuitable where
    floats overflow."""
    count = math.prod(value.shape[n] for n in over)
    if dtype not in FLOATS:
        if combiner in ("sum", "prod"):
            ufunc = np.add if combiner == "sum" else np.multiply
            return _exact(ufunc.reduce(value, axis=over, dtype=dtype))
        ufunc = np.minimum if combiner == "min" else np.maximum
        if dtype == "bool":
            return _exact(ufunc.reduce(value, axis=over, initial=combiner == "min"))
        info = np.iinfo(dtype)
        first = info.max if combiner == "min" else info.min
        return _exact(ufunc.reduce(value, axis=over, initial=np.array(first, dtype)))
    unit, size = UNIT[dtype], np.abs(value) + error
    if combiner == "sum":
        total = size.sum(axis=over)
        bound = error.sum(axis=over) + _of_sum(count, dtype) * total
        _check_size(total, bound, dtype)
        return value.sum(axis=over), bound * (1 + 2.0**-40) + count * TINY[dtype]
    if combiner == "prod":
        # Any partial product is at most the product of all factors above 1.
        _check_size(np.maximum(size, 1).prod(axis=over), 0.0, dtype)
        result = value.prod(axis=over)
        bound = size.prod(axis=over) * (1 + unit) ** count - np.abs(result)
        largest = np.maximum(size, 1).prod(axis=over)
        return result, bound * (1 + 2.0**-40) + count * TINY[dtype] * largest
    ufunc, first = (np.minimum, np.inf) if combiner == "min" else (np.maximum, -np.inf)
    worst = error.max(axis=over, initial=0.0)
    result = ufunc.reduce(value, axis=over, initial=first)
    if not count:
        raise Unsuitable  # infinities: no bound of an error
    return result, worst


def _of_sum(count: int, dtype: str) -> float:
    """The error of a sum of ``count`` terms, relative to the sum of their sizes."""
    worst = count * UNIT[dtype]
    if worst > 0.5:
        raise Unsuitable
    return worst / (1 - worst)


def _exact(value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return value, np.zeros(np.shape(value))


def _check_size(value: Any, error: Any, dtype: str) -> None:
    if np.any(np.abs(value) + error > LARGEST[dtype]):
        raise Unsuitable


def _as(value: np.ndarray, dtype: str) -> np.ndarray:
    return value.astype(np.float64 if dtype in FLOATS else dtype)


def _key(dim: int | Var) -> int | str:
    """The key of a dimension (== on variables makes an expression)."""
    return dim.name if isinstance(dim, Var) else dim


def _needed(tensors: Sequence[te.Tensor]) -> set[te.Tensor]:
    needed: set[te.Tensor] = set()
    pending = list(tensors)
    while pending:
        tensor = pending.pop()
        if tensor not in needed:
            needed.add(tensor)
            pending.extend(tensor.op.input_tensors)
    return needed


def draw(random: Random, keep: int | None = None) -> Program:
    """A program whose results are known."""
    while True:
        with contextlib.suppress(Unsuitable):
            return random_program(random, random.choice((2, 4, COMPUTES)), keep)


def random_program(random: Random, computes: int = 4, keep: int | None = None) -> Program:
    """A random program of up to ``computes`` computes, or the first ``keep`` of them.

    Raises Unsuitable.
    """
    return Generator(random).program(computes, keep)
