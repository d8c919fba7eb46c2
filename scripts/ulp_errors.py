"""Measures the errors of the functions of the pass expand-math.

    python scripts/ulp_errors.py [FUNCTION ...] [--dtype=float32] [--step=4099] [--count=200000]
                                 [--target=llvm] [--exhaustive]

For float32, the arguments are every STEP-th bit pattern (--exhaustive: every pattern, which takes
minutes per function), and the reference is float64. For float64, and for functions of two
arguments, they are COUNT random bit patterns and as many numbers of moderate size. The reference is
then the machine's long double, or mpmath if numpy lacks the function or long double is no longer
than float64. Prints the table of docs/numerics.md: the greatest error in units in the last place,
and its argument.
"""

from __future__ import annotations

import argparse
import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import mpmath
import numpy as np

import kc

LANES = 8
CHUNK = 1 << 16
Array = np.ndarray


@dataclass(frozen=True)
class Function:
    """A function of ``math``: the equivalents in numpy and mpmath, and the number of arguments."""

    numpy: Callable[..., Any] | None
    mpmath: Callable[..., Any]
    arguments: int = 1


def _cbrt(x: Any) -> Any:
    return mpmath.sign(x) * mpmath.cbrt(abs(x))


FUNCTIONS = {
    "exp": Function(np.exp, mpmath.exp),
    "exp2": Function(np.exp2, lambda x: mpmath.mpf(2) ** x),
    "expm1": Function(np.expm1, mpmath.expm1),
    "log": Function(np.log, mpmath.log),
    "log2": Function(np.log2, lambda x: mpmath.log(x, 2)),
    "log10": Function(np.log10, mpmath.log10),
    "log1p": Function(np.log1p, mpmath.log1p),
    "powf": Function(np.power, mpmath.power, 2),
    "sqrt": Function(np.sqrt, mpmath.sqrt),
    "rsqrt": Function(lambda x: 1 / np.sqrt(x), lambda x: 1 / mpmath.sqrt(x)),
    "cbrt": Function(np.cbrt, _cbrt),
    "tanh": Function(np.tanh, mpmath.tanh),
    "sinh": Function(np.sinh, mpmath.sinh),
    "cosh": Function(np.cosh, mpmath.cosh),
    "asinh": Function(np.arcsinh, mpmath.asinh),
    "acosh": Function(np.arccosh, mpmath.acosh),
    "atanh": Function(np.arctanh, mpmath.atanh),
    "erf": Function(None, mpmath.erf),
    "sin": Function(np.sin, mpmath.sin),
    "cos": Function(np.cos, mpmath.cos),
    "tan": Function(np.tan, mpmath.tan),
    "asin": Function(np.arcsin, mpmath.asin),
    "acos": Function(np.arccos, mpmath.acos),
    "atan": Function(np.arctan, mpmath.atan),
    "atan2": Function(np.arctan2, mpmath.atan2, 2),
}

KERNEL = """
func.func @main(%A: {m}, %B: {m}, %O: {m}) {{
  %zero = arith.constant 0 : index
  %lanes = arith.constant {lanes} : index
  %n = arith.constant {n} : index
  scf.for %i = %zero to %n step %lanes {{
    %x = vector.load %A[%i] : {m}, {v}
    %y = vector.load %B[%i] : {m}, {v}
    %z = math.{name} {operands}{flags} : {v}
    vector.store %z, %O[%i] : {m}, {v}
  }}
  func.return
}}
"""


@functools.cache
def kernel(name: str, dtype: str, target: str, flags: str = "", n: int = CHUNK) -> Any:
    """A compiled function of three arrays of ``n`` numbers, the last of which is the result."""
    element = {"float32": "f32", "float64": "f64"}[dtype]
    text = KERNEL.format(
        m=f"memref<{n}x{element}>",
        v=f"vector<{LANES}x{element}>",
        lanes=LANES,
        n=n,
        name=name,
        operands="%x, %y" if FUNCTIONS[name].arguments == 2 else "%x",
        flags=f" fastmath<{flags}>" if flags else "",
    )
    return kc.build(kc.IRModule.parse(text), target=target)


def computed(
    name: str, x: Array, y: Array | None = None, target: str = "llvm", flags: str = ""
) -> Array:
    """The results of the function for arrays of any length."""
    run = kernel(name, str(x.dtype), target, flags)
    y = x if y is None else y
    parts: list[Array] = []
    for start in range(0, len(x), CHUNK):
        rest = len(x[start : start + CHUNK])
        padded = [np.resize(column[start : start + CHUNK], CHUNK) for column in (x, y)]
        result = np.empty(CHUNK, x.dtype)
        run(*padded, result)
        parts.append(result[:rest])
    return np.concatenate(parts)


def exact(name: str, *arguments: Array) -> Array:
    """The results with more digits than the type of the arguments has."""
    function = FUNCTIONS[name]
    long = np.longdouble
    is_single = arguments[0].dtype == np.float32
    with np.errstate(all="ignore"):
        if is_single and name == "erf":
            return np.array([math.erf(x) for x in arguments[0].tolist()])
        if is_single and function.numpy is not None:
            return function.numpy(*(column.astype(np.float64) for column in arguments))
        if np.finfo(long).nmant > 60 and function.numpy is not None:
            return function.numpy(*(column.astype(long) for column in arguments))
    with mpmath.workdps(40):
        rows = zip(*(column.tolist() for column in arguments), strict=True)
        return np.array([long_double(function.mpmath(*row)) for row in rows])


def long_double(value: Any) -> np.longdouble:
    """A number of mpmath in two parts, whose sum is exact to the precision of long double."""
    if isinstance(value, mpmath.mpc):
        return np.longdouble(np.nan)
    first = float(value)
    if not math.isfinite(first):
        return np.longdouble(first)
    return np.longdouble(first) + np.longdouble(float(value - first))


def errors(result: Array, expected: Array) -> Array:
    """The errors of the results in units in the last place; 0 if both are NaN or equal."""
    info = np.finfo(result.dtype)
    limit = 2 * expected.dtype.type(2.0 ** (info.maxexp - 1))  # what infinity stands for
    with np.errstate(all="ignore"):
        low = np.abs(np.clip(expected, -limit, limit)).astype(result.dtype)
        unit = np.spacing(np.minimum(low, info.max)).astype(expected.dtype)
        # At a power of two, the unit is that below it.
        unit = np.where(low > np.abs(expected), np.spacing(np.nextafter(low, 0)), unit)
        clipped = np.clip(result.astype(expected.dtype), -limit, limit)
        difference = np.abs(clipped - np.clip(expected, -limit, limit)) / unit
        same = (np.isnan(result) & np.isnan(expected)) | (result == expected)
    return np.where(same, 0, np.where(np.isnan(difference), np.inf, difference))


def arguments(
    name: str, dtype: str, *, step: int, count: int, seed: int = 0
) -> Iterator[tuple[Array, ...]]:
    """The arguments, as columns, in pieces."""
    size = 1 << 22
    if dtype == "float32" and FUNCTIONS[name].arguments == 1:
        for start in range(0, 1 << 32, size * step):
            stop = min(start + size * step, 1 << 32)
            yield (np.arange(start, stop, step, dtype=np.uint64).astype(np.uint32).view(dtype),)
        return
    generator = np.random.default_rng(seed)
    number = FUNCTIONS[name].arguments
    bits = np.uint32 if dtype == "float32" else np.uint64
    top = np.iinfo(bits).max
    yield tuple(
        generator.integers(0, top, count, bits, endpoint=True).view(dtype) for _ in range(number)
    )
    for scale in (1.0, 30.0, 800.0):
        columns = [generator.uniform(-scale, scale, count).astype(dtype) for _ in range(number)]
        if name == "powf":
            columns[0] = np.abs(columns[0])
        yield tuple(columns)
    near = [1 + generator.normal(0, 0.01, count).astype(dtype) for _ in range(number)]
    if name == "powf":  # results of all sizes
        near = [near[0], (generator.uniform(-700, 700, count) / np.log(near[0])).astype(dtype)]
    yield tuple(near)


def _flushed(numbers: Array) -> Array:
    """The numbers with positive subnormal numbers replaced by zeros."""
    tiny = (numbers > 0) & (numbers < np.finfo(numbers.dtype).tiny)
    return np.where(tiny, 0, numbers).astype(numbers.dtype)


def greatest_error(
    name: str, dtype: str, *, step: int, count: int, target: str = "llvm", flags: str = ""
) -> tuple[float, tuple[float, ...], int]:
    """The greatest error, its argument, and the number of arguments."""
    worst, place, total = -1.0, (), 0
    for columns in arguments(name, dtype, step=step, count=count):
        result = computed(name, *columns, target=target, flags=flags)
        if "afn" in flags:
            counted = map(_flushed, columns) if name.startswith("log") else columns
            expected = exact(name, *counted)
            # Exponentials below 2**-125 are 0; other functions are not near 0 but at 0.
            tiny = (np.abs(expected) < 2.0**-125) & (result == 0)
            difference = np.where(tiny, 0, errors(result, expected))
        else:
            difference = errors(result, exact(name, *columns))
        n = int(np.argmax(difference))
        total += len(difference)
        if difference[n] > worst:
            worst = float(difference[n])
            place = tuple(float(column[n]) for column in columns)
    return worst, place, total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("functions", nargs="*", default=list(FUNCTIONS))
    parser.add_argument("--dtype", choices=["float32", "float64"])
    parser.add_argument("--step", type=int, default=4099)
    parser.add_argument("--count", type=int, default=200_000)
    parser.add_argument("--target", default="llvm")
    parser.add_argument("--flags", default="", help="fast-math flags: afn")
    parser.add_argument("--exhaustive", action="store_true")
    options = parser.parse_args()
    step = 1 if options.exhaustive else options.step
    print(f"| {'function':8} | dtype   | ulp    | at                       | arguments |")
    for name in options.functions:
        for dtype in [options.dtype] if options.dtype else ["float32", "float64"]:
            count = options.count
            if dtype == "float64" and FUNCTIONS[name].numpy is None:
                count //= 20
            worst, place, total = greatest_error(
                name, dtype, step=step, count=count, target=options.target, flags=options.flags
            )
            at = ", ".join(f"{number!r}" for number in place)
            print(f"| {name:8} | {dtype} | {worst:6.3f} | {at:24} | {total:9,} |", flush=True)


if __name__ == "__main__":
    main()
