"""Computes of whole types: every bit pattern, of every number format, next to exact arithmetic.

The other families keep to small integers, of which no operation rounds or wraps. Here the arrays
hold NaN, infinities, zeros of both signs, subnormal numbers and the ends of each type, and a tree
of operations computes with them; what comes out is compared bit by bit (docs/numerics.md), but for
which NaN it is. Integers are computed by Python, floats by numpy in the format that the operation
has, and conversions are rounded from the exact value. Nothing is contracted.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

import ml_dtypes
import numpy as np
from families import Fixed
from formulas import TE

from kc import te
from kc.expr.reducers import reduction

FLOATS = ("float32", "float32", "float64", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2")
INTS = ("int8", "int16", "int32", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
NUMPY = {
    name: np.dtype(getattr(ml_dtypes, name))
    for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2")
} | {name: np.dtype(name) for name in {*FLOATS[:4], *INTS, "bool"} - {"bfloat16"}}
SIZES = (1, 2, 3, 7, 8, 16, 17, 31, 40)
DEPTH = 4
GARBAGE = 0x77
OPTIONS = "-contract=0"


def is_float(dtype: str) -> bool:
    """True if the type has fractions."""
    return dtype.startswith(("float", "bfloat"))


def width(dtype: str) -> int:
    """The bits of an element."""
    return 8 * NUMPY[dtype].itemsize


def wrapped(value: int, dtype: str) -> int:
    """An integer as its type holds it."""
    value &= (1 << width(dtype)) - 1
    return value - (1 << width(dtype)) if dtype[0] == "i" and value >> width(dtype) - 1 else value


def rounded(value: Any, dtype: str) -> Any:
    """A number, exactly known, to the nearest of a format; ties to even."""
    kind = NUMPY[dtype].type
    if isinstance(value, float) and (math.isnan(value) or math.isinf(value)):
        return kind(value)
    exact = Fraction(value)
    if not exact:
        return kind(value)  # of either sign
    info = ml_dtypes.finfo(NUMPY[dtype])
    low, digits = int(info.minexp), int(info.nmant)
    size = abs(exact)
    power = max(size.numerator.bit_length() - size.denominator.bit_length() - 1, low)
    while size >= Fraction(2) ** (power + 1):
        power += 1
    unit = Fraction(2) ** (power - digits)
    nearest = round(size / unit) * unit
    if nearest > Fraction(float(info.max)):
        return kind(math.nan if dtype == "float8_e4m3fn" else math.copysign(math.inf, exact))
    return kind(math.copysign(float(nearest), exact))


def arrays_of(numbers: np.random.Generator, dtype: str, shape: Sequence[int]) -> np.ndarray:
    """Elements of a type: of any bits, at its ends, and small numbers."""
    count = math.prod(shape)
    if dtype == "bool":
        return numbers.integers(0, 2, count).astype(bool).reshape(shape)
    raw = numbers.integers(0, 256, count * NUMPY[dtype].itemsize, dtype=np.uint8)
    values = raw.view(NUMPY[dtype]).copy()
    small = numbers.integers(-9, 10, count)
    if is_float(dtype):
        info = ml_dtypes.finfo(NUMPY[dtype])
        tiny = float(info.smallest_subnormal)
        ends = [0.0, -0.0, math.nan, 1.0, -1.0, 0.5, float(info.max), -float(info.max), tiny]
        ends += [-tiny, float(info.tiny), 1 + float(info.eps), 2.5, -2.5, 1.5]
        if dtype != "float8_e4m3fn":
            ends += [math.inf, -math.inf]
        small = small / 2
    else:
        top = (1 << width(dtype)) - 1
        ends = [wrapped(n, dtype) for n in (0, 1, top, top >> 1, (top >> 1) + 1, top - 1, 2)]
        small = small.astype(np.int64)
    for n in range(count):
        way = numbers.integers(0, 3)
        if way == 1:
            values[n] = np.asarray(ends, NUMPY[dtype])[numbers.integers(0, len(ends))]
        elif way == 2:
            values[n] = small[n] if is_float(dtype) else wrapped(int(small[n]), dtype)
    if dtype in ("float16", "bfloat16"):  # C's code has them in floats: NaN are quiet
        values.view(np.uint16)[values != values] |= 0x200 if dtype == "float16" else 0x40
    return values.reshape(shape)


@dataclass(frozen=True)
class Tree:
    """An expression: of te for the indices of an element, and of numpy for a place."""

    dtype: str
    expr: Callable[[tuple[Any, ...]], Any]
    value: Callable[[tuple[int, ...]], Any]
    text: str
    raw: bool = False
    """True if the value is an element of an argument, whose bits are all known, even for a NaN."""
    constant: bool = False
    """True for a constant: its conversion to a type without its value is refused (KC2003)."""


def _in_float(dtype: str, operation: Callable[..., Any]) -> Callable[..., Any]:
    """An operation of a format: of float32, rounded, where it is narrower."""
    kind = NUMPY[dtype].type
    if width(dtype) >= 32:
        return lambda *operands: kind(operation(*operands))
    return lambda *operands: rounded(float(operation(*map(np.float32, operands))), dtype)


def _in_int(dtype: str, operation: Callable[..., int]) -> Callable[..., Any]:
    kind = NUMPY[dtype].type
    return lambda *operands: kind(wrapped(operation(*map(int, operands)), dtype))


def _smaller(a: Any, b: Any, sign: int = 1) -> Any:
    """The minimum (maximum for -1): NaN if one is, and -0 is less than 0."""
    if a != a or b != b:
        return a if a != a else b
    if a == b:
        return a if bool(np.signbit(a)) == (sign > 0) else b
    return a if (a < b) == (sign > 0) else b


def _shifted(value: int, by: int, bits: int) -> int:
    return value << by if 0 <= by < bits else 0


def _shifted_right(value: int, by: int, bits: int) -> int:
    return value >> (by if 0 <= by < bits else bits)


def _truncated(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) if b else 0


FLOAT_BINARY: dict[str, tuple[Any, Any]] = {
    "+": (lambda a, b: a + b, np.add),
    "-": (lambda a, b: a - b, np.subtract),
    "*": (lambda a, b: a * b, np.multiply),
    "/": (lambda a, b: a / b, np.divide),
    "max": (te.max, lambda a, b: _smaller(a, b, -1)),
    "min": (te.min, _smaller),
    "copysign": (
        lambda a, b: te.copysign(a, te.Select(te.isnan(b), a, b)),
        lambda a, b: np.copysign(a, a if b != b else b),  # the sign of a NaN is any
    ),
    "fmod": (te.fmod, np.fmod),
}
FLOAT_UNARY: dict[str, tuple[Any, Any]] = {
    "neg": (lambda a: -a, np.negative),
    "abs": (te.abs, np.abs),
    "sqrt": (te.sqrt, np.sqrt),
    "floor": (te.floor, np.floor),
    "ceil": (te.ceil, np.ceil),
    "trunc": (te.trunc, np.trunc),
    "round": (te.round, np.rint),
    "nearbyint": (te.nearbyint, np.rint),
}
INT_BINARY: dict[str, tuple[Any, Any]] = {
    "+": (lambda a, b: a + b, lambda a, b, n: a + b),
    "-": (lambda a, b: a - b, lambda a, b, n: a - b),
    "*": (lambda a, b: a * b, lambda a, b, n: a * b),
    "//": (lambda a, b: a // b, lambda a, b, n: a // b if b else 0),
    "%": (lambda a, b: a % b, lambda a, b, n: a % b if b else 0),
    "truncdiv": (te.truncdiv, lambda a, b, n: _truncated(a, b)),
    "truncmod": (te.truncmod, lambda a, b, n: a - _truncated(a, b) * b if b else 0),
    "ceildiv": (te.ceildiv, lambda a, b, n: -(-a // b) if b else 0),
    "&": (lambda a, b: a & b, lambda a, b, n: a & b),
    "|": (lambda a, b: a | b, lambda a, b, n: a | b),
    "^": (lambda a, b: a ^ b, lambda a, b, n: a ^ b),
    "<<": (lambda a, b: a << b, _shifted),
    ">>": (lambda a, b: a >> b, _shifted_right),
    "max": (te.max, lambda a, b, n: max(a, b)),
    "min": (te.min, lambda a, b, n: min(a, b)),
}
INT_UNARY: dict[str, tuple[Any, Any]] = {
    "neg": (lambda a: -a, lambda a, n: -a),
    "abs": (te.abs, lambda a, n: abs(a)),
    "not": (lambda a: ~a, lambda a, n: ~a),
    "popcount": (te.popcount, lambda a, n: (a & ((1 << n) - 1)).bit_count()),
    "clz": (te.clz, lambda a, n: n - (a & ((1 << n) - 1)).bit_length()),
}
COMPARISONS: dict[str, tuple[Any, Any]] = {
    "<": (lambda a, b: a < b, lambda a, b: a < b),
    "<=": (lambda a, b: a <= b, lambda a, b: a <= b),
    ">": (lambda a, b: a > b, lambda a, b: a > b),
    ">=": (lambda a, b: a >= b, lambda a, b: a >= b),
    "equal": (lambda a, b: a.equal(b), lambda a, b: a == b),
    "different": (lambda a, b: ~a.equal(b), lambda a, b: a != b),
}
REDUCTIONS: dict[str, Callable[[int, int], int]] = {
    "sum": lambda a, b: a + b,
    "prod": lambda a, b: a * b,
    "min": min,
    "max": max,
}
QUESTIONS: dict[str, tuple[Any, Any]] = {
    "isnan": (te.isnan, np.isnan),
    "isinf": (te.isinf, np.isinf),
    "isfinite": (te.isfinite, np.isfinite),
}


def _number(value: Any) -> Any:
    """An operand of a comparison: Python's integers mix, and every narrow float is a float."""
    return int(value) if isinstance(value, np.integer | np.bool_) else float(value)


class Values:
    """A program while it is drawn."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.texts: list[str] = []
        self.reduced: list[tuple[te.Tensor, np.ndarray, bool]] = []
        self.numbers = np.random.default_rng(random.randrange(1 << 30))
        self.shape = tuple(random.choice(SIZES) for _ in range(random.choice((1, 1, 2))))
        if len(self.shape) == 2 and math.prod(self.shape) > 400:
            self.shape = self.shape[0], 3
        self.tensors: list[tuple[te.Tensor, np.ndarray, bool]] = []
        for _ in range(random.randint(1, 3)):
            self.argument(self.dtype())

    def dtype(self, kinds: Sequence[str] = (*FLOATS, *INTS)) -> str:
        """A type of elements."""
        return self.random.choice(kinds)

    def argument(self, dtype: str) -> tuple[te.Tensor, np.ndarray, bool]:
        """A new argument."""
        tensor = te.placeholder(self.shape, dtype, f"A{len(self.tensors)}")
        self.tensors.append((tensor, arrays_of(self.numbers, dtype, self.shape), True))
        return self.tensors[-1]

    def element(self, dtype: str) -> Tree:
        """An element of a tensor of a type: at the place of the result, or another one."""
        fitting = [known for known in self.tensors if known[0].dtype == dtype]
        tensor, array, raw = self.random.choice(fitting) if fitting else self.argument(dtype)
        turned = [self.random.random() < 0.15 for _ in self.shape]

        def at(indices: Sequence[Any]) -> tuple[Any, ...]:
            places = zip(indices, self.shape, turned, strict=True)
            return tuple(size - 1 - index if turn else index for index, size, turn in places)

        return Tree(
            dtype, lambda i: tensor[at(i)], lambda i: array[at(i)], f"{tensor.name}{turned}", raw
        )

    def constant(self, dtype: str) -> Tree:
        """A number."""
        value = arrays_of(self.numbers, dtype, (1,))[0]
        if is_float(dtype) and not np.isfinite(value):
            value = NUMPY[dtype].type(1)
        number = _number(value)
        return Tree(
            dtype, lambda _: te.const(number, dtype), lambda _: value, repr(number), constant=True
        )

    def tree(self, dtype: str, depth: int) -> Tree:
        """An expression of a type."""
        if dtype == "bool":
            return self.condition(depth)
        if depth <= 0 or self.random.random() < 0.1:
            return self.constant(dtype) if self.random.random() < 0.2 else self.element(dtype)
        drawn = self.random.random()
        if drawn < 0.12:
            return self.choice(dtype, depth)
        if drawn < 0.35:
            return self.conversion(dtype, depth)
        if is_float(dtype):
            table = FLOAT_BINARY if drawn < 0.8 else FLOAT_UNARY
            name = self.random.choice(list(table))
            expr, operation = table[name]
            return self.node(name, dtype, expr, _in_float(dtype, operation),
                             self.operands(dtype, depth, table is FLOAT_BINARY))  # fmt: skip
        table = INT_BINARY if drawn < 0.85 else INT_UNARY
        name = self.random.choice(list(table))
        expr, of_ints = table[name]
        bits = width(dtype)
        operands = self.operands(dtype, depth, table is INT_BINARY)
        if name == "clz":
            counted = self.node(
                name, "int32", expr, _in_int("int32", lambda a: of_ints(a, bits)), operands
            )
            return counted if dtype == "int32" else self.converted(counted, dtype)
        if name in ("neg", "abs", "not") and dtype[0] == "u" and name != "not":
            return self.tree(dtype, depth - 1)
        operation = _in_int(dtype, lambda *values: of_ints(*values, bits))
        return self.node(name, dtype, expr, operation, operands)

    def operands(self, dtype: str, depth: int, two: bool) -> list[Tree]:
        """Operands of an operation."""
        return [self.tree(dtype, depth - 1) for _ in range(1 + two)]

    def node(
        self,
        name: str,
        dtype: str,
        expr: Callable[..., Any],
        operation: Callable[..., Any],
        operands: Sequence[Tree],
    ) -> Tree:
        """An operation on operands."""
        return Tree(
            dtype,
            lambda i: expr(*(operand.expr(i) for operand in operands)),
            lambda i: operation(*(operand.value(i) for operand in operands)),
            f"{name}<{dtype}>({', '.join(operand.text for operand in operands)})",
        )

    def condition(self, depth: int) -> Tree:
        """A comparison, a question about a float, or some of these together."""
        drawn = self.random.random()
        if depth > 1 and drawn < 0.25:
            a, b = self.condition(depth - 1), self.condition(depth - 1)
            name = self.random.choice(("both", "either", "negated"))
            if name == "negated":
                return self.node(name, "bool", TE[name], lambda a: not a, [a])
            together = (lambda a, b: a and b) if name == "both" else (lambda a, b: a or b)
            return self.node(name, "bool", TE[name], together, [a, b])
        if drawn < 0.4:
            name = self.random.choice(list(QUESTIONS))
            expr, question = QUESTIONS[name]
            operand = self.tree(self.dtype(FLOATS), depth - 1)
            return self.node(name, "bool", expr, lambda a: bool(question(a)), [operand])
        name = self.random.choice(list(COMPARISONS))
        expr, compare = COMPARISONS[name]
        operands = self.operands(self.dtype(), depth, True)
        return self.node(name, "bool", expr, lambda a, b: compare(_number(a), _number(b)), operands)

    def choice(self, dtype: str, depth: int) -> Tree:
        """One of two values."""
        condition = self.condition(depth - 1)
        then, otherwise = self.operands(dtype, depth, True)
        select = self.random.choice((te.if_then_else, te.Select))
        return Tree(
            dtype,
            lambda i: select(condition.expr(i), then.expr(i), otherwise.expr(i)),
            lambda i: (then if condition.value(i) else otherwise).value(i),
            f"select({condition.text}, {then.text}, {otherwise.text})",
        )

    def conversion(self, dtype: str, depth: int) -> Tree:
        """A value of another type, converted, or its bits."""
        source = self.dtype((*FLOATS, *INTS, "bool"))
        if source != "bool" and width(source) == width(dtype) and self.random.random() < 0.5:
            element = self.element(source)
            if element.raw:
                kind = NUMPY[dtype]
                return Tree(
                    dtype,
                    lambda i: te.reinterpret(dtype, element.expr(i)),
                    lambda i: np.asarray(element.value(i)).view(kind)[()],
                    f"bits<{dtype}>({element.text})",
                )
        value = self.tree(source, depth - 1)
        return self.converted(self.element(source) if value.constant else value, dtype)

    def converted(self, value: Tree, dtype: str) -> Tree:
        """A value converted; a float to an integer only where it fits."""
        kind = NUMPY[dtype].type
        text = f"{dtype}({value.text})"
        if is_float(dtype):
            return Tree(
                dtype,
                lambda i: value.expr(i).astype(dtype),
                lambda i: rounded(_number(value.value(i)), dtype),
                text,
            )
        if not is_float(value.dtype):
            return Tree(
                dtype,
                lambda i: value.expr(i).astype(dtype),
                lambda i: kind(wrapped(int(value.value(i)), dtype)),
                text,
            )
        most = min(float(1 << width(dtype) - 2), float(ml_dtypes.finfo(NUMPY[value.dtype]).max))
        low = 0.0 if dtype[0] == "u" else -most

        def expr(indices: tuple[Any, ...]) -> Any:
            given = value.expr(indices)
            below, above = te.const(low, value.dtype), te.const(most, value.dtype)
            inside = te.all(given >= below, given <= above)
            return te.Select(inside, given, te.const(1.0, value.dtype)).astype(dtype)

        def number(indices: tuple[int, ...]) -> Any:
            given = float(value.value(indices))
            return kind(int(given)) if low <= given <= most else kind(1)

        return Tree(dtype, expr, number, f"{text} where it fits")

    def stage(self, name: str) -> None:
        """A compute of a random expression."""
        dtype = self.dtype((*FLOATS, *INTS, "bool"))
        tree = self.tree(dtype, self.random.randint(1, DEPTH))
        tensor = te.compute(self.shape, lambda *axes: tree.expr(axes), name=name)
        array = np.empty(self.shape, NUMPY[dtype])
        for place in np.ndindex(*self.shape):
            array[place] = tree.value(place)
        self.texts.append(f"{name} = {tree.text}")
        self.tensors.append((tensor, array, False))

    def reduction(self, name: str) -> None:
        """A reduction over the last axis, which no order of the terms changes."""
        dtype = self.dtype()
        tree = self.tree(dtype, self.random.randint(1, DEPTH))
        kind = self.random.choice(("min", "max") if is_float(dtype) else list(REDUCTIONS))
        k = te.reduce_axis((0, self.shape[-1]), "k")
        rows = self.shape[:-1] or (1,)

        def place(axes: Sequence[Any], term: Any) -> tuple[Any, ...]:
            return (*axes[: len(self.shape) - 1], term)

        tensor = te.compute(
            rows, lambda *axes: reduction(kind)(tree.expr(place(axes, k)), axis=k), name=name
        )
        combine: Callable[..., Any] = (
            _in_int(dtype, REDUCTIONS[kind])
            if not is_float(dtype)
            else lambda a, b: _smaller(a, b, 1 if kind == "min" else -1)
        )
        array = np.empty(rows, NUMPY[dtype])
        for row in np.ndindex(*rows):
            terms = (tree.value(place(row, term)) for term in range(self.shape[-1]))
            array[row] = functools.reduce(combine, terms)
        self.texts.append(f"{name} = {kind} of {tree.text}")
        self.reduced.append((tensor, array, False))


def draw(random: Random, keep: int | None) -> Fixed:
    """A program of up to three computes, or of its first ``keep``."""
    with np.errstate(all="ignore"):
        program = Values(random)
        count = random.randint(1, 3)
        for n in range(min(count, keep or count)):
            (program.stage if random.random() < 0.7 else program.reduction)(f"C{n}")
    stages = [known for known in program.tensors if not known[2]]
    between = [known for known in stages[:-1] if random.random() < 0.5]
    results = [*between, *stages[-1:], *program.reduced]
    given = [known for known in program.tensors if known[2]]
    arrays: list[Any] = [array for _, array, _ in given]
    expected: dict[int, np.ndarray] = {}
    for _, array, _ in results:
        expected[len(arrays)] = array
        garbage = np.full(array.nbytes, 1 if array.dtype == bool else GARBAGE, np.uint8)
        arrays.append(garbage.view(array.dtype).reshape(array.shape))
    module = te.create_prim_func([tensor for tensor, _, _ in (*given, *results)])
    source = "\n".join(program.texts)
    return Fixed(module, arrays, expected, source=source, options=OPTIONS, signed=True)
