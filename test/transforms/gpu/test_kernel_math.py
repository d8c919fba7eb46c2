"""expand-math in kernels: each function is as exact as it says, and has C's values at the ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

import kc
from kc.transforms.expand_math import FUNCTIONS

TWO = ("math.powf", "math.atan2")
ULPS = 2.0
COUNT = 300

KERNEL = """
module attributes {{gpu.container_module}} {{
  func.func @main(%A: memref<{n}x{t}>, %B: memref<{n}x{t}>, %O: memref<{n}x{t}>) {{
    %c1 = arith.constant 1 : index
    %n = arith.constant {n} : index
    gpu.launch_func @m::@k blocks in (%n, %c1, %c1) threads in (%c1, %c1, %c1)
        args(%A : memref<{n}x{t}>, %B : memref<{n}x{t}>, %O : memref<{n}x{t}>)
    func.return
  }}
  gpu.module @m {{
    gpu.func @k(%A: memref<{n}x{t}>, %B: memref<{n}x{t}>, %O: memref<{n}x{t}>) kernel {{
      %i = gpu.block_id x
      %x = memref.load %A[%i] : memref<{n}x{t}>
      %y = memref.load %B[%i] : memref<{n}x{t}>
      %z = {op} {operands} : {t}
      memref.store %z, %O[%i] : memref<{n}x{t}>
      gpu.return
    }}
  }}
}}
"""


@cache
def kernel(op: str, dtype: str) -> Any:
    """A kernel for so many numbers as a call of it has at most."""
    t = {"float16": "f16", "float32": "f32", "float64": "f64"}[dtype]
    operands = "%x, %y" if op in TWO else "%x"
    text = KERNEL.format(op=op, operands=operands, t=t, n=COUNT)
    return kc.build(kc.IRModule.parse(text), target="cuda-emu -arch=sm_80")


def computed(op: str, x: np.ndarray, y: np.ndarray | None = None) -> np.ndarray:
    """The results of a kernel for the numbers."""
    columns = [np.resize(column, COUNT) for column in (x, x if y is None else y)]
    result = np.zeros(COUNT, x.dtype)
    kernel(op, str(x.dtype))(*columns, result)
    return result[: len(x)]


def erf(x: np.ndarray) -> np.ndarray:
    return np.array([math.erf(float(number)) for number in x])


def rsqrt(x: np.ndarray) -> np.ndarray:
    return 1 / np.sqrt(x)


REFERENCES: dict[str, Callable[..., np.ndarray]] = {
    "math.acos": np.arccos,
    "math.acosh": np.arccosh,
    "math.asin": np.arcsin,
    "math.asinh": np.arcsinh,
    "math.atan": np.arctan,
    "math.atan2": np.arctan2,
    "math.atanh": np.arctanh,
    "math.cbrt": np.cbrt,
    "math.cos": np.cos,
    "math.cosh": np.cosh,
    "math.erf": erf,
    "math.exp": np.exp,
    "math.exp2": np.exp2,
    "math.expm1": np.expm1,
    "math.log": np.log,
    "math.log10": np.log10,
    "math.log1p": np.log1p,
    "math.log2": np.log2,
    "math.powf": np.power,
    "math.rsqrt": rsqrt,
    "math.sin": np.sin,
    "math.sinh": np.sinh,
    "math.tan": np.tan,
    "math.tanh": np.tanh,
}
LIMITED = {"math.acos": 1, "math.asin": 1, "math.atanh": 1}
POSITIVE = ("math.log", "math.log2", "math.log10", "math.rsqrt", "math.acosh", "math.powf")


def numbers(op: str, dtype: Any) -> np.ndarray:
    """Numbers of all sizes for which a function has a value."""
    generator = np.random.default_rng(1)
    half = COUNT // 2
    small = generator.standard_normal(half) * np.exp(generator.uniform(-12, 0, half))
    large = generator.uniform(-30, 30, half)
    x = np.concatenate([small, large])
    if op in LIMITED:
        x = np.clip(x, -0.999, 0.999)
    elif op == "math.log1p":
        x = np.maximum(x, -0.999)
    elif op in POSITIVE:
        x = np.abs(x) + (op == "math.acosh")
    return x.astype(dtype)


def test_every_function_has_a_reference():
    assert set(REFERENCES) == {op.name for op in FUNCTIONS}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("op", REFERENCES)
def test_error_in_units_of_the_last_place(op: str, dtype: str):
    x = numbers(op, dtype)
    y = np.random.default_rng(2).uniform(-9, 9, len(x)).astype(dtype)
    result = computed(op, x, y)
    exact = np.float64 if dtype == "float32" or op == "math.erf" else np.longdouble
    arguments = [x.astype(exact), y.astype(exact)][: 2 if op in TWO else 1]
    expected = REFERENCES[op](*arguments)
    info = np.finfo(dtype)
    kept = (np.abs(expected) > info.tiny) & (np.abs(expected) < info.max)
    assert kept.sum() > 200
    x, y, result, expected = (column[kept] for column in (x, y, result, expected))
    unit = np.spacing(np.abs(expected).astype(dtype)).astype(exact)
    errors = np.abs(result.astype(exact) - expected) / unit
    worst = int(np.argmax(errors))
    assert errors[worst] <= ULPS, (x[worst], y[worst], result[worst], expected[worst])


ENDS = [0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 3.0, np.inf, -np.inf, np.nan]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("op", REFERENCES)
def test_zeros_infinities_and_nan(op: str, dtype: str):
    """The same as C's, with the sign of zeros."""
    ends = [*ENDS, np.finfo(dtype).max, np.finfo(dtype).smallest_subnormal]
    pairs = [(a, b) for a in ends for b in ends] if op in TWO else [(a, a) for a in ends]
    x, y = (np.array(column, dtype) for column in zip(*pairs, strict=True))
    result = computed(op, x, y)
    with np.errstate(all="ignore"):
        if op == "math.erf":
            expected = erf(x).astype(dtype)
        else:
            expected = REFERENCES[op](*([x, y] if op in TWO else [x]))
    tolerance = float(8 * np.finfo(dtype).eps)
    least = float(np.finfo(dtype).tiny)
    np.testing.assert_allclose(result, expected, rtol=tolerance, atol=least)
    zeros = expected == 0
    np.testing.assert_array_equal(np.signbit(result[zeros]), np.signbit(expected[zeros]))


def test_halves_are_computed_in_single_precision():
    x = np.linspace(-8, 8, 65).astype("float16")
    result = computed("math.tanh", x)
    np.testing.assert_array_equal(result, np.tanh(x.astype("float32")).astype("float16"))


@pytest.mark.parametrize("op", ["math.exp", "math.log"])
def test_results_near_the_ends_of_the_range(op: str):
    """Subnormal results and arguments are rounded once."""
    if op == "math.exp":
        x = np.linspace(-103.9, -87, 200).astype("float32")
    else:
        x = np.exp2(np.linspace(-149, -120, 200)).astype("float32")
    expected = REFERENCES[op](x.astype("float64"))
    unit = np.spacing(np.abs(expected).astype("float32")).astype("float64")
    assert np.max(np.abs(computed(op, x) - expected) / unit) <= 1.5
