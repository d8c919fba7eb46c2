"""Every operation on every element type, against numpy, in machine code and in the interpreter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kc
from kc import te
from kc.analysis.interpreter import run
from kc.expr.dtypes import DTYPES, FLOATS, INTS, UINTS

ml_dtypes = pytest.importorskip("ml_dtypes")

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
Reference = Callable[[np.ndarray, np.ndarray], np.ndarray]


def numpy_type(dtype: str) -> np.dtype:
    return np.dtype(getattr(ml_dtypes, dtype, None) or dtype)


def samples(dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of numbers: small ones and the limits."""
    if dtype == "bool":
        values = np.array([False, True])
    elif dtype in FLOATS:
        top = ml_dtypes.finfo(numpy_type(dtype)).max
        values = np.array([0, -0.0, 1, -1, 0.5, 3, -7, 100, top, -top, np.inf, np.nan])
        values = values.astype(numpy_type(dtype))
    else:
        info = np.iinfo(dtype)
        given = {0, 1, 2, 3, 7, 100, info.max, info.max - 1, info.min, info.max // 3}
        given |= {-1, -2, -7} if info.min < 0 else set()
        values = np.array(sorted(given), dtype)
    a, b = np.meshgrid(values, values)
    return a.reshape(-1).copy(), b.reshape(-1).copy()


def truncdiv(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The quotient towards zero, of which numpy has none; 0 of 0, and the lowest by -1 wraps."""
    pairs = zip(a.tolist(), b.tolist(), strict=True)
    quotients = [
        0 if not y else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1) for x, y in pairs
    ]
    return np.array([quotient & (1 << 64) - 1 for quotient in quotients], np.uint64).astype(a.dtype)


def truncmod(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.fmod(a, b)


ARITHMETIC: dict[str, tuple[Callable[..., Any], Reference]] = {
    "add": (lambda a, b: a + b, np.add),
    "sub": (lambda a, b: a - b, np.subtract),
    "mul": (lambda a, b: a * b, np.multiply),
    "neg": (lambda a, b: -a, lambda a, b: np.negative(a)),
    "abs": (lambda a, b: te.abs(a), lambda a, b: np.abs(a)),
}
COMPARISONS: dict[str, tuple[Callable[..., Any], Reference]] = {
    "lt": (lambda a, b: a < b, np.less),
    "le": (lambda a, b: a <= b, np.less_equal),
    "gt": (lambda a, b: a > b, np.greater),
    "ge": (lambda a, b: a >= b, np.greater_equal),
    "eq": (lambda a, b: a.equal(b), np.equal),
    "ne": (lambda a, b: a != b, np.not_equal),
}
EXTREMES: dict[str, tuple[Callable[..., Any], Reference]] = {
    "min": (lambda a, b: te.min(a, b), np.minimum),
    "max": (lambda a, b: te.max(a, b), np.maximum),
}
INTEGERS: dict[str, tuple[Callable[..., Any], Reference]] = {
    "floordiv": (lambda a, b: a // b, np.floor_divide),
    "floormod": (lambda a, b: a % b, np.remainder),
    "truncdiv": (te.truncdiv, truncdiv),
    "truncmod": (te.truncmod, truncmod),
    "shl": (lambda a, b: a << b, np.left_shift),
    "shr": (lambda a, b: a >> b, np.right_shift),
}
BITS: dict[str, tuple[Callable[..., Any], Reference]] = {
    "and": (lambda a, b: a & b, np.bitwise_and),
    "or": (lambda a, b: a | b, np.bitwise_or),
    "xor": (lambda a, b: a ^ b, np.bitwise_xor),
    "not": (lambda a, b: ~a, lambda a, b: np.invert(a)),
}


def operations(dtype: str) -> dict[str, tuple[Callable[..., Any], Reference]]:
    cases = {**COMPARISONS, **EXTREMES}
    if dtype in FLOATS:
        return {**cases, **ARITHMETIC, "div": (lambda a, b: a / b, np.divide)}
    cases |= BITS
    return cases if dtype == "bool" else {**cases, **ARITHMETIC, **INTEGERS}


def compute(
    a: np.ndarray, b: np.ndarray, functions: dict[str, Callable[..., Any]]
) -> dict[str, np.ndarray]:
    """The results of the functions; the interpreter and machine code agree."""
    size = len(a)
    A, B = (te.placeholder((size,), a.dtype.name, name) for name in "AB")
    outputs = te.compute(
        (size,), lambda i: tuple(function(A[i], B[i]) for function in functions.values()), "out"
    )
    s = te.create_schedule(outputs[0].op)
    results, again = (
        [np.zeros(size, numpy_type(output.dtype)) for output in outputs] for _ in range(2)
    )
    mod = kc.lower(s, [A, B, *outputs])
    kc.build(mod, target="llvm")(a, b, *results)
    run(mod.op, "main", [a, b, *again])
    for name, result, expected in zip(functions, results, again, strict=True):
        check(name, result, expected)
    return dict(zip(functions, results, strict=True))


def check(name: str, actual: np.ndarray, expected: np.ndarray) -> None:
    assert actual.dtype == expected.dtype, name
    if actual.dtype.name in FLOATS:
        actual, expected = actual.astype(np.float64), expected.astype(np.float64)
    np.testing.assert_array_equal(actual, expected, name)


@pytest.mark.parametrize("dtype", DTYPES)
def test_operations(dtype: str) -> None:
    a, b = samples(dtype)
    wanted = operations(dtype)
    results = compute(a, b, {name: function for name, (function, _) in wanted.items()})
    # numpy computes narrow floats as float32, and rounds.
    x, y = (
        operand.astype(np.float32) if dtype.startswith(("b", "float8")) else operand
        for operand in (a, b)
    )
    x, y = (a, b) if dtype == "bool" else (x, y)
    for name, (_, reference) in wanted.items():
        check(name, results[name], reference(x, y).astype(results[name].dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_conversions(dtype: str) -> None:
    a, b = samples(dtype)
    if dtype in FLOATS:  # what does not fit an integer is undefined
        a = np.array([0, 1, 2, 3, 7, 0.5, 1.75, 100, 448], numpy_type(dtype)) % 128
        b = a
    targets = [target for target in DTYPES if target != dtype]
    results = compute(
        a, b, {target: lambda x, y, target=target: x.astype(target) for target in targets}
    )
    for target in targets:
        wide = a.astype(np.float32) if dtype.startswith(("bf", "float8")) else a
        if target in INTS or target in UINTS or target == "bool" or target == "float64":
            check(target, results[target], wide.astype(target))
        elif dtype in INTS or dtype in UINTS:
            # Integers by way of float64, in which the samples but for the last digits are exact.
            check(target, results[target], _rounded(a, target))
        else:
            check(target, results[target], wide.astype(numpy_type(target)))


def _rounded(values: np.ndarray, dtype: str) -> np.ndarray:
    """Integers as floats, rounded once."""
    if dtype == "float32":
        return values.astype(np.float32)
    from kc.support.float_formats import NARROW_FLOATS

    form = NARROW_FLOATS[dtype]
    # All bits that any narrow format can see, and one for the others.
    exact = [
        value if abs(value) < 1 << 50 else (value >> 14 | 1) << 14 for value in values.tolist()
    ]
    return np.array([form.round(float(value)) for value in exact]).astype(numpy_type(dtype))
