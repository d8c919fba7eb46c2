"""Measures the errors of the elementwise operators of kc.topi, which their pages show.

    python scripts/topi_ulp_errors.py [OPERATOR ...] [--step=1021]

For functions of one argument, the arguments are every STEP-th bit pattern of float32; the reference
is float64, with formulas that avoid cancellation. For functions of two arguments, they are a
million pairs: random bit patterns, and numbers of moderate size. kc/topi/ulp_errors.json receives
the greatest error of each operator in units in the last place of the exact result, the argument
with this error, and the number of arguments. Entries of operators that are not named stay
unchanged. ``within`` is the greatest error in units in the last place of 1 (float32) if the result
is smaller than 1, else of the result. It suits operators whose formula cancels, like gelu.

For the other operators on floats, the example of the table is run with random float32 numbers, and
as a float64 program with the same numbers: ``of_largest`` is the greatest difference, in units in
the last place of the greatest result.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from ulp_errors import Array, errors

import kc
from kc import te, topi
from kc.topi.table import whole_table

DATA = Path(__file__).resolve().parents[1] / "kc" / "topi" / "ulp_errors.json"
PIECE = 1 << 20


def _each(function: Callable[[float], float]) -> Callable[[Array], Array]:
    return lambda x: np.array([function(value) for value in x.tolist()])


_erfc = _each(math.erfc)


def _softplus(x: Array) -> Array:
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def _sigmoid(x: Array) -> Array:
    small = np.exp(-np.abs(x))
    return np.where(x < 0, small, 1) / (1 + small)


def _elu(x: Array, alpha: float = 1.0) -> Array:
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def _times(x: Array, factor: Array) -> Array:
    """A product that is 0 if a factor is 0: -inf times 0 is a limit."""
    return np.where(factor == 0, np.where(np.isnan(x), x, 0.0), x * factor)


_SCALE, _ALPHA = 1.0507009873554805, 1.6732632423543772
ONE: dict[str, Callable[[Array], Array]] = {
    "acos": np.arccos, "acosh": np.arccosh, "asin": np.arcsin, "asinh": np.arcsinh,
    "atan": np.arctan, "atanh": np.arctanh, "cos": np.cos, "cosh": np.cosh, "sin": np.sin,
    "sinh": np.sinh, "tan": np.tan, "tanh": np.tanh, "exp": np.exp, "log": np.log,
    "log2": np.log2, "log10": np.log10, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x),
    "exp2": np.exp2, "erfc": _erfc, "erf": _each(math.erf), "sigmoid": _sigmoid,
    "fast_exp": np.exp, "fast_tanh": np.tanh,
    "fast_erf": _each(math.erf), "nn.gelu": lambda x: _times(x, _erfc(-x / math.sqrt(2)) / 2),
    "nn.silu": lambda x: _times(x, _sigmoid(x)), "nn.swish": lambda x: _times(x, _sigmoid(x)),
    "nn.hardswish": lambda x: _times(x, np.clip(x + 3, 0, 6) / 6),
    "nn.hardsigmoid": lambda x: np.clip(x * float(np.float32(1 / 6)) + 0.5, 0, 1),
    "nn.softplus": _softplus, "nn.mish": lambda x: _times(x, np.tanh(_softplus(x))),
    "nn.softsign": lambda x: x / (1 + abs(x)),
    "nn.elu": _elu, "nn.selu": lambda x: _SCALE * _elu(x, _ALPHA),
    "nn.celu": lambda x: np.where(x > 0, x, 2 * np.expm1(np.minimum(x, 0) / 2)),
    "nn.leaky_relu": lambda x: np.where(x > 0, x, x * float(np.float32(0.1))),
}  # fmt: skip
TWO: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide,
    "mod": np.fmod, "floor_mod": np.mod, "power": np.power, "atan2": np.arctan2,
}  # fmt: skip
BOUNDS = {"fast_exp": (-87.3, 88.3), "fast_tanh": (-9.0, 9.0), "fast_erf": (-4.0, 4.0)}
"""The bounds within which fast functions approximate; beyond a bound they have its value."""


def _operator(name: str) -> Callable[..., te.Tensor]:
    member = topi
    for part in name.split("."):
        member = getattr(member, part)
    return member  # pyright: ignore[reportReturnType]


def _arguments(name: str, step: int) -> Iterator[tuple[Array, ...]]:
    if name in ONE:
        low, high = BOUNDS.get(name, (-np.inf, np.inf))
        for start in range(0, 1 << 32, PIECE * step):
            bits = np.arange(start, min(start + PIECE * step, 1 << 32), step, dtype=np.uint64)
            x = bits.astype(np.uint32).view(np.float32)
            if name in BOUNDS:
                x = np.where((x >= low) & (x <= high), x, np.float32(0))
            yield (x,)
        return
    generator = np.random.default_rng(0)
    count = 1 << 18
    yield tuple(generator.integers(0, 1 << 32, count, np.uint32).view("f4") for _ in range(2))
    for scale in (1.0, 30.0, 800.0):
        yield tuple(generator.uniform(-scale, scale, count).astype("f4") for _ in range(2))


def greatest_error(name: str, step: int) -> dict[str, object]:
    """The greatest error, the arguments that have it, and the number of arguments."""
    function = {**ONE, **TWO}[name]
    inputs = [te.placeholder((te.var("n"),), "float32", letter) for letter in "AB"]
    inputs = inputs[: 1 if name in ONE else 2]
    if len(inputs) == 2:
        inputs[1] = te.placeholder(inputs[0].shape, "float32", "B")
    more = {"nn.leaky_relu": (0.1,), "nn.celu": (2.0,)}.get(name, ())
    kernel = kc.build([*inputs, _operator(name)(*inputs, *more)])
    worst, place, total, within = -1.0, [0.0], 0, 0.0
    for columns in _arguments(name, step):
        result = np.empty_like(columns[0])
        kernel(*columns, result)
        with np.errstate(all="ignore"):
            expected = function(*(column.astype(np.float64) for column in columns))
        difference = errors(result, expected)
        at = int(np.argmax(difference))
        ordinary = np.isfinite(result) & np.isfinite(expected)
        apart = np.abs(np.where(ordinary, result - np.where(ordinary, expected, 0), 0))
        unit = np.spacing(np.maximum(np.abs(np.where(ordinary, result, 1)), np.float32(1)))
        within = max(within, float((apart / unit).max()))
        total += len(difference)
        if difference[at] > worst:
            worst, place = float(difference[at]), [float(column[at]) for column in columns]
    units = {"units": round(worst, 2), "within": round(within, 2)}
    return {**units, "at": place, "arguments": total}


DRAWS = 20
"""The number of random draws with which an example is run."""


def _example(name: str, wide: bool) -> tuple[list[te.Tensor], list[te.Tensor]]:
    """The program of an example, with float64 for float32 if ``wide``."""
    inputs: list[te.Tensor] = []

    def make(*shape: int, dtype: str = "float32") -> te.Tensor:
        kind = "float64" if wide and dtype == "float32" else dtype
        inputs.append(te.placeholder(shape, kind, "ABCDEFGH"[len(inputs)]))
        return inputs[-1]

    names = {each: getattr(topi, each) for each in topi.__all__}
    result = eval(whole_table()[name].example, {**names, "T": make, "math": math})
    outputs = list(result) if isinstance(result, list | tuple) else [result]
    return inputs, [out for out in outputs if out not in inputs]


def _draw(generator: np.random.Generator, tensor: te.Tensor) -> Array:
    shape = tuple(int(size) for size in tensor.shape)
    if tensor.dtype == "float32":
        return generator.uniform(0.1, 2.0, shape).astype("float32")
    return generator.integers(0, 2, shape).astype(tensor.dtype)


def error_of_example(name: str) -> dict[str, object] | None:
    """The value of ``of_largest``; None if the example has no float32 elements, or no result."""
    inputs, outputs = _example(name, wide=False)
    floats = [n for n, out in enumerate(outputs) if out.dtype == "float32"]
    if not floats or all(tensor.dtype != "float32" for tensor in inputs):
        return None
    kernel = kc.build([*inputs, *outputs])
    wide_inputs, wide_outputs = _example(name, wide=True)
    exact = kc.build([*wide_inputs, *wide_outputs])
    generator, worst = np.random.default_rng(0), 0.0
    for _ in range(DRAWS):
        arrays = [_draw(generator, tensor) for tensor in inputs]
        wide = [a.astype("float64") if a.dtype == np.float32 else a for a in arrays]
        results, expected = (
            given if isinstance(given, tuple | list) else [given]
            for given in (kernel(*arrays), exact(*wide))
        )
        for n in floats:
            result, wanted = np.asarray(results[n]), np.asarray(expected[n])
            ordinary = np.isfinite(result) & np.isfinite(wanted)
            if not ordinary.any():
                continue
            apart = np.abs(result - wanted, where=ordinary, out=np.zeros(wanted.shape))
            largest = np.abs(wanted[ordinary]).max().astype("float32")
            worst = max(worst, float(apart.max() / np.spacing(largest)))
    return {"of_largest": round(worst, 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("operators", nargs="*", metavar="OPERATOR")
    parser.add_argument("--step", type=int, default=1021)
    options = parser.parse_args()
    data = json.loads(DATA.read_text(encoding="utf-8")) if DATA.exists() else {}
    by_example = [name for name in whole_table() if name not in ONE and name not in TWO]
    for name in options.operators or [*ONE, *TWO, *by_example]:
        if name in ONE or name in TWO:
            data[name] = greatest_error(name, options.step)
            print(f"{name:16} {data[name]['units']:8.2f}  at {data[name]['at']}", flush=True)
        elif (measured := error_of_example(name)) is not None:
            data[name] = measured
            print(f"{name:40} {measured['of_largest']:8.2f}", flush=True)
        lines = [f"{json.dumps(key)}: {json.dumps(data[key])}" for key in sorted(data)]
        DATA.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
