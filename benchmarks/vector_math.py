"""Functions of 1,048,576 numbers: vector arithmetic compared with numpy and the C library.

    python benchmarks/vector_math.py [--dtype=float32] [--decades] [FUNCTION ...]

One thread, vectors of 16 (8 for float64). The table has kc's time in milliseconds. Relative to it,
it has the times of numpy, and of kc without the pass expand-math, which then calls the C library
for each number. The times are medians of interleaved calls. numpy has no erf and no gelu; their row
has Python's formula in numpy with tanh, or no number.

--decades measures 4096 equal numbers, for numbers of every decade and of both signs, zeros,
infinities and NaN, relative to the time for ones. It prints the greatest quotient and its number.
If intermediate or final results are subnormal, many processors take 20 to 90 times as long.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import kc
from kc import te

SIZE = 1 << 20
ROUNDS = 15
Array = np.ndarray


def gelu(x: Any, tanh: Callable[[Any], Any]) -> Any:
    """The gelu, by the hyperbolic tangent."""
    return 0.5 * x * (1.0 + tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x)))


# te's expression, numpy's function, the least and the greatest argument.
ROWS: dict[str, tuple[Callable[[Any], Any], Callable[..., Any] | None, float, float]] = {
    "exp": (te.exp, np.exp, -10, 10),
    "exp2": (te.exp2, np.exp2, -10, 10),
    "log": (te.log, np.log, 0.1, 10),
    "log2": (te.log2, np.log2, 0.1, 10),
    "log10": (te.log10, np.log10, 0.1, 10),
    "log1p": (te.log1p, np.log1p, -0.9, 10),
    "power": (lambda x: te.power(x, x), lambda x: np.power(x, x), 0.1, 10),
    "tanh": (te.tanh, np.tanh, -5, 5),
    "sinh": (te.sinh, np.sinh, -5, 5),
    "cosh": (te.cosh, np.cosh, -5, 5),
    "asinh": (te.asinh, np.arcsinh, -5, 5),
    "erf": (te.erf, None, -3, 3),
    "gelu": (lambda x: gelu(x, te.tanh), lambda x: gelu(x, np.tanh), -5, 5),
    "silu": (lambda x: x * te.sigmoid(x), lambda x: x / (1 + np.exp(-x)), -5, 5),
    "sigmoid": (te.sigmoid, lambda x: 1 / (1 + np.exp(-x)), -5, 5),
    "sin": (te.sin, np.sin, -30, 30),
    "cos": (te.cos, np.cos, -30, 30),
    "tan": (te.tan, np.tan, -30, 30),
    "asin": (te.asin, np.arcsin, -1, 1),
    "acos": (te.acos, np.arccos, -1, 1),
    "atan": (te.atan, np.arctan, -5, 5),
    "rsqrt": (te.rsqrt, lambda x: 1 / np.sqrt(x), 0.1, 10),
}


def kernel(expression: Callable[[Any], Any], dtype: str, lanes: int, size: int = SIZE) -> Any:
    """``B = expression(A)`` on vectors."""
    a = te.placeholder((size,), dtype, name="A")
    b = te.compute((size,), lambda i: expression(a[i]), name="B")
    s = te.create_schedule(b.op)
    if lanes > 1:
        s[b].vectorize(s[b].split(b.op.axis[0], factor=lanes)[1])
    return kc.build(s, [a, b])


def decades(dtype: str) -> Array:
    """A number of each decade, of both signs, and numbers without a decade."""
    info = np.finfo(dtype)
    least, most = int(np.log10(info.smallest_subnormal)), int(np.log10(info.max))
    sizes = np.longdouble(10) ** np.arange(least, most + 1, 1 if dtype == "float32" else 4)
    # Exponentials of some of these are subnormal.
    more = [88, 95, 103, 3.0] if dtype == "float32" else [709, 720, 744, 3.0]
    positive = np.concatenate([sizes, more, [0.0, np.inf, np.nan]])
    return np.concatenate([positive, -positive]).astype(dtype)


def worst_number(expression: Callable[[Any], Any], dtype: str, lanes: int) -> tuple[float, float]:
    """The greatest time for equal numbers, divided by the time for ones, and the number."""
    size, repeats, rounds = 4096, 20, 5
    run = kernel(expression, dtype, lanes, size)
    out = np.empty(size, dtype)

    def seconds(number: float) -> float:
        x = np.full(size, number, dtype)
        best = math.inf
        for _ in range(rounds):
            started = time.perf_counter()
            for _ in range(repeats):
                run(x, out)
            best = min(best, time.perf_counter() - started)
        return best

    unit = min(seconds(1.0) for _ in range(3))
    quotients = [(seconds(number) / unit, float(number)) for number in decades(dtype)]
    return max(quotients)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("functions", nargs="*", default=list(ROWS))
    parser.add_argument("--dtype", default="float32", choices=["float32", "float64"])
    parser.add_argument("--lanes", type=int)
    parser.add_argument("--decades", action="store_true")
    options = parser.parse_args()
    lanes = options.lanes or (16 if options.dtype == "float32" else 8)
    if options.decades:
        for name in options.functions:
            quotient, number = worst_number(ROWS[name][0], options.dtype, lanes)
            print(f"{name:8}{quotient:8.2f} times as long for {number:g}", flush=True)
        return
    generator = np.random.default_rng(0)
    print(f"{'':8}     kc ms   numpy / kc   library / kc")
    for name in options.functions:
        expression, peer, low, high = ROWS[name]
        x = generator.uniform(low, high, SIZE).astype(options.dtype)
        out = np.empty_like(x)
        ours = kernel(expression, options.dtype, lanes)
        with kc.transform.PassContext(disabled_pass=["expand-math"]):
            library = kernel(expression, options.dtype, lanes)
        calls: dict[str, Callable[[], Any]] = {
            "kc": lambda run=ours, x=x, out=out: run(x, out),
            "library": lambda run=library, x=x, out=out: run(x, out),
        }
        if peer is not None:
            # What allocates its result pays for that, too.
            own = {"out": np.empty_like(x)} if isinstance(peer, np.ufunc) else {}
            calls["numpy"] = lambda run=peer, x=x, own=own: run(x, **own)
        times: dict[str, list[float]] = {label: [] for label in calls}
        for _ in range(ROUNDS):
            for label, call in calls.items():
                started = time.perf_counter()
                call()
                times[label].append(time.perf_counter() - started)
        middle = {label: statistics.median(samples) for label, samples in times.items()}
        ours_ms = middle["kc"] * 1e3
        of_numpy = f"{middle['numpy'] / middle['kc']:.2f}" if peer is not None else "-"
        of_library = f"{middle['library'] / middle['kc']:.2f}"
        print(f"{name:8}{ours_ms:10.3f}   {of_numpy:>10}   {of_library:>12}", flush=True)


if __name__ == "__main__":
    main()
