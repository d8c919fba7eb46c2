"""One definition for each operation: all spellings give it, in everything that executes kernels.

A row of a table is an operation: its spellings, and a reference that follows from the definition in
docs/numerics.md, in exact rational numbers and Python's integers. All spellings of a row are the
same value of the IR. A program with one of each as outputs, over all pairs of special values, is
interpreted, compiled for this machine (also in vectors), compiled from C and from OpenCL C, and run
as a kernel of the emulator.

Not compared, as they have no definition: ``arith.shli`` and the like by the width or more, and
``arith.fptosi`` of what does not fit, written as such in IR, and ``tosa``'s shifts by the width or
more and ``intdiv`` by 0. MLIR and TOSA leave them open; the interpreter reports them.
"""

# Scripts have words of their own.
# ruff: noqa: F821
# pyright: reportUndefinedVariable=false

from __future__ import annotations

import itertools
import math
import operator
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import kc
from kc import te, tir, topi
from kc.analysis.interpreter import run
from kc.dialects.tir import StoreOp
from kc.frontend.torch.operators import OPERATORS, Output
from kc.runtime import opencl
from kc.script import from_source

EXECUTORS = ("interpreter", "llvm", "vectors", "c", "opencl", "cuda-emu")
FLOATS = ("float64", "float32", "float16", "bfloat16", "float8_e5m2", "float8_e4m3fn")
INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")

SPECIAL = (
    0.0, -0.0, 1.0, -1.0, 0.1, -0.1, 0.3, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, -7.0, math.inf, -math.inf,
    math.nan,
)  # fmt: skip


def numpy_type(dtype: str) -> np.dtype:
    return np.dtype(getattr(ml_dtypes, dtype, dtype))


def floats(dtype: str) -> np.ndarray:
    """Special values, the limits of the type, and its smallest numbers."""
    kind = numpy_type(dtype)
    info = ml_dtypes.finfo(kind)
    more = [info.max, info.min, info.smallest_subnormal, -info.smallest_normal]
    return np.array([*SPECIAL, *map(float, more)], np.float64).astype(kind)


def integers(dtype: str) -> np.ndarray:
    info = np.iinfo(dtype)
    width = info.bits
    some = {0, 1, 2, 3, 7, width - 1, width, info.min, info.max, info.max - 1}
    some |= {-1, -2, -7, 1 - width, -width} if info.min else set()
    return np.array(sorted(some), dtype)


def pairs(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    a, b = np.meshgrid(values, values)
    return a.ravel().copy(), b.ravel().copy()


# The definitions ------------------------------------------------------------------------------


def rounded(value: Any, dtype: str) -> float:
    """A number, rounded once; of a narrow type by way of float32, which is innocuous here."""
    with np.errstate(over="ignore"):
        near = np.float64(value)
        return float(near if dtype == "float64" else near.astype("f4").astype(numpy_type(dtype)))


def is_number(*values: float) -> bool:
    return all(map(math.isfinite, values))


def exact_rest(a: float, b: float) -> float:
    """C's fmod: a - trunc(a / b) * b, exactly."""
    if not math.isfinite(a) or math.isnan(b) or b == 0:
        return math.nan
    if math.isinf(b):
        return a
    quotient = Fraction(a) / Fraction(b)
    return math.copysign(float(abs(Fraction(a) - int(quotient) * Fraction(b))), a)


def floor_mod(a: float, b: float, dtype: str) -> float:
    rest = exact_rest(a, b)
    if math.isnan(rest):
        return rest
    if rest == 0:
        return math.copysign(0.0, b)
    return rounded(rest + b, dtype) if (rest < 0) != (b < 0) else rest


def quotient(a: float, b: float, dtype: str) -> float:
    """IEEE 754's quotient in a type."""
    if not is_number(a, b) or b == 0:
        with np.errstate(all="ignore"):
            return float(np.float64(a) / np.float64(b))
    try:
        near = float(Fraction(a) / Fraction(b))
    except OverflowError:
        near = math.inf
    near = math.copysign(near, math.copysign(1, a) * math.copysign(1, b))
    return rounded(near, dtype)


def floor_divide(a: float, b: float, dtype: str) -> float:
    """The exact quotient rounded down, as far as numpy's digits reach; beyond, what numpy gives."""
    wide = dtype if dtype == "float64" else "float32"
    if is_number(a, b) and b != 0:
        down = math.floor(Fraction(a) / Fraction(b))
        if down and abs(down) < 1 << 20:
            return rounded(down, dtype)
    with np.errstate(all="ignore"):
        return rounded(np.floor_divide(np.dtype(wide).type(a), np.dtype(wide).type(b)), dtype)


def to_zero(value: float) -> float:
    return math.copysign(float(int(value)), value) if math.isfinite(value) else value


def extreme(a: float, b: float, choose: Callable[..., float]) -> float:
    """NaN where either is NaN; -0 is less than 0."""
    if math.isnan(a) or math.isnan(b):
        return math.nan
    return choose((a, b), key=lambda it: (it, math.copysign(1, it)))


def nearest_even(a: float, b: float, dtype: str) -> float:
    return math.copysign(float(round(Fraction(a))), a) if math.isfinite(a) else a


def sign(a: float, b: float, dtype: str) -> float:
    return a if math.isnan(a) else float((a > 0) - (a < 0))


Reference = Callable[[float, float, str], float]
Spelling = Callable[[Any, Any], Any]

OF_FLOATS: dict[str, tuple[Reference, list[Spelling]]] = {
    "floordiv": (
        floor_divide,
        [
            operator.floordiv, te.floordiv, te.indexdiv, tir.floordiv, tir.indexdiv, tir.FloorDiv,
            topi.floor_divide, np.floor_divide,
        ],
    ),
    "floormod": (
        floor_mod,
        [
            operator.mod, te.floormod, te.indexmod, tir.floormod, tir.indexmod, tir.FloorMod,
            topi.floor_mod, np.remainder,
        ],
    ),
    "truncdiv": (
        lambda a, b, dtype: to_zero(quotient(a, b, dtype)),
        [te.truncdiv, tir.truncdiv, topi.trunc_divide],
    ),
    "truncmod": (
        lambda a, b, dtype: exact_rest(a, b),
        [te.truncmod, te.fmod, tir.truncmod, tir.fmod, tir.Mod, topi.mod, topi.trunc_mod],
    ),
    "div": (quotient, [operator.truediv, te.div, tir.div, tir.Div, topi.divide]),
    "max": (
        lambda a, b, dtype: extreme(a, b, max),
        [te.max, tir.max, tir.Max, topi.maximum],
    ),
    "min": (
        lambda a, b, dtype: extreme(a, b, min),
        [te.min, tir.min, tir.Min, topi.minimum],
    ),
    "round": (
        nearest_even,
        [lambda a, b: te.round(a), lambda a, b: te.nearbyint(a), lambda a, b: tir.round(a)],
    ),
    "trunc": (
        lambda a, b, dtype: to_zero(a),
        [lambda a, b: te.trunc(a), lambda a, b: tir.trunc(a)],
    ),
}  # fmt: skip


def wrapped(value: int, dtype: str) -> int:
    info = np.iinfo(dtype)
    return (value - info.min) % (1 << info.bits) + info.min


def distance(b: int, dtype: str) -> int:
    """By how many places a shift moves: a negative number is a large one without a sign."""
    return min(b % (1 << np.iinfo(dtype).bits), 200)


def integer_power(a: int, b: int, dtype: str) -> int:
    if b >= 0:
        return wrapped(pow(a, b, 1 << 64), dtype)
    return {1: 1, -1: 1 if b % 2 == 0 else -1}.get(a, 0)


def toward_zero(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1) if b else 0


IntegerReference = Callable[[int, int, str], int]

OF_INTEGERS: dict[str, tuple[IntegerReference, list[Spelling]]] = {
    "floordiv": (
        lambda a, b, dtype: wrapped(a // b, dtype) if b else 0, OF_FLOATS["floordiv"][1]
    ),
    "floormod": (lambda a, b, dtype: a % b if b else 0, OF_FLOATS["floormod"][1]),
    "truncdiv": (
        lambda a, b, dtype: wrapped(toward_zero(a, b), dtype),
        [*OF_FLOATS["truncdiv"][1], te.div, tir.div, tir.Div, topi.divide]
    ),
    "truncmod": (
        lambda a, b, dtype: a - toward_zero(a, b) * b if b else 0,
        [te.truncmod, tir.truncmod, tir.Mod, topi.mod, topi.trunc_mod],
    ),
    "shl": (
        lambda a, b, dtype: wrapped(a << distance(b, dtype), dtype),
        [
            operator.lshift, te.shift_left, tir.shift_left, topi.left_shift, np.left_shift,
        ],
    ),
    "shr": (
        lambda a, b, dtype: a >> distance(b, dtype),
        [
            operator.rshift, te.shift_right, tir.shift_right, topi.right_shift, np.right_shift,
        ],
    ),
    "max": (lambda a, b, dtype: max(a, b), OF_FLOATS["max"][1]),
    "min": (lambda a, b, dtype: min(a, b), OF_FLOATS["min"][1]),
}  # fmt: skip
POWERS: dict[str, tuple[IntegerReference, list[Spelling]]] = {
    "power": (
        integer_power,
        [operator.pow, te.power, te.pow, tir.power, tir.pow, topi.power, np.power],
    )
}


# What executes them ---------------------------------------------------------------------------


def execute(executor: str, mod: kc.IRModule, arrays: Sequence[np.ndarray]) -> None:
    """Run a module of one loop for each block."""
    if executor == "interpreter":
        run(mod.op, "main", list(arrays))
        return
    if executor == "opencl" and opencl.find_device() is None:
        pytest.skip("there is no device of OpenCL")
    sch = tir.Schedule(mod)
    for block in sch.get_child_blocks(sch.get_block("root")):
        (loop,) = sch.get_loops(block)
        if executor in ("opencl", "cuda-emu"):
            outer, inner = sch.split(loop, [None, 128])
            sch.bind(outer, "blockIdx.x")
            sch.bind(inner, "threadIdx.x")
        elif executor == "vectors":
            sch.vectorize(sch.split(loop, [None, 16])[1])
    target = "llvm" if executor == "vectors" else executor
    kc.build(sch.mod, target=target)(*arrays)


def differences(actual: np.ndarray, expected: np.ndarray) -> list[int]:
    """The positions of results that differ; NaN equals NaN, and zeros have signs."""
    a, b = actual, expected
    if not np.issubdtype(a.dtype, np.integer) and a.dtype != bool:
        a, b = a.astype("f8"), b.astype("f8")
        same = np.where(np.isnan(b), np.isnan(a), (a == b) & (np.signbit(a) == np.signbit(b)))
    else:
        same = a == b
    return np.flatnonzero(~same).tolist()


Case = tuple[str, Any, np.ndarray]
"""A name, a tensor, and its expected value."""


def compare(executor: str, inputs: Sequence[tuple[Any, np.ndarray]], cases: Sequence[Case]) -> None:
    """Build one program of all cases, and compare each."""
    outputs = [tensor for _, tensor, _ in cases]
    schedule = te.create_schedule(list(dict.fromkeys(tensor.op for tensor in outputs)))
    mod = kc.lower(schedule, [*(tensor for tensor, _ in inputs), *outputs])
    results = [np.full(want.shape, 1, want.dtype) for _, _, want in cases]
    execute(executor, mod, [*(array for _, array in inputs), *results])
    for (name, _, want), result in zip(cases, results, strict=True):
        for n in differences(result, want):
            given = [array[n] for _, array in inputs if array.size == want.size]
            raise AssertionError(f"{name} of {given}: {result[n]}, not {want[n]}")


def computed(tag: str, size: int, functions: Sequence[Callable[[Any], Any]]) -> list[Any]:
    """A tensor for each function of the axis, all of one block."""
    results = te.compute((size,), lambda i: tuple(f(i) for f in functions), name=tag)
    return list(results) if isinstance(results, list | tuple) else [results]


Table = dict[str, tuple[Callable[..., Any], list[Spelling]]]


def program(table: Table, dtypes: Sequence[str]) -> tuple[list[Any], list[Case]]:
    """The inputs and the cases of one spelling of each operation, for pairs of each type."""
    inputs, cases = [], []
    for dtype in dtypes:
        a, b = pairs((floats if dtype in FLOATS else integers)(dtype))
        A, B = (te.placeholder(a.shape, dtype, f"{name}_{dtype}") for name in "AB")
        inputs += [(A, a), (B, b)]
        plain = [(it.astype("f8") if dtype in FLOATS else it).tolist() for it in (a, b)]
        functions, wanted = [], []
        for reference, (spelling, *_) in table.values():
            values = [reference(x, y, dtype) for x, y in zip(*plain, strict=True)]
            functions.append(lambda i, f=spelling, A=A, B=B: f(A[i], B[i]))
            kind = "f8" if dtype in FLOATS else a.dtype
            wanted.append(np.array(values, kind).astype(a.dtype))
        names = [f"{name} of {dtype}" for name in table]
        cases += zip(names, computed(f"C_{dtype}", a.size, functions), wanted, strict=True)
    return inputs, cases


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("dtypes", [FLOATS[:2], FLOATS[2:4], FLOATS[4:]], ids=["32", "16", "8"])
def test_floats(executor: str, dtypes: tuple[str, ...]):
    compare(executor, *program(OF_FLOATS, dtypes))


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("dtypes", [INTEGERS[:4], INTEGERS[4:]], ids=["short", "long"])
def test_integers(executor: str, dtypes: tuple[str, ...]):
    compare(executor, *program(OF_INTEGERS, dtypes))


@pytest.mark.parametrize("executor", EXECUTORS)
def test_powers_of_integers(executor: str):
    compare(executor, *program(POWERS, ("int8", "uint16")))


@pytest.mark.parametrize("dtype", ["float32", "float16", "float8_e4m3fn", "int8", "uint64"])
def test_all_spellings_are_one_value(dtype: str):
    """They are found to be alike where the IR is made, so everything after that sees one."""
    A, B = (te.placeholder((4,), dtype, name) for name in "AB")
    rows = OF_FLOATS if dtype in FLOATS else {**OF_INTEGERS, **POWERS}
    for name, (_, spellings) in rows.items():
        outputs = computed("C", 4, [lambda i, f=f: f(A[i], B[i]) for f in spellings])
        mod = kc.lower(te.create_schedule(outputs[0].op), [A, B, *outputs])
        stored = [op.value for op in mod.op.walk() if isinstance(op, StoreOp)]
        assert len(stored) == len(spellings)
        for spelling, value in zip(spellings, stored, strict=True):
            assert value is stored[0], f"{name} of {dtype}: {spelling!r} is another one\n{mod}"


def torch_rule(name: str, **options: Any) -> Spelling:
    """The translation of an operator by kc.from_torch; torch itself is not called."""
    return lambda a, b: OPERATORS[f"aten.{name}"](a, b, node=Output(a.shape, a.dtype), **options)


OF_TENSORS: dict[str, list[Spelling]] = {
    "floordiv": [
        operator.floordiv, te.floordiv, topi.floor_divide, torch_rule("floor_divide.default"),
        torch_rule("div.Tensor_mode", rounding_mode="floor"),
    ],
    "floormod": [
        operator.mod, te.floormod, topi.floor_mod, torch_rule("remainder.Tensor"),
    ],
    "truncdiv": [topi.trunc_divide],
    "truncdiv of torch": [torch_rule("div.Tensor_mode", rounding_mode="trunc")],
    "truncmod": [topi.mod, topi.trunc_mod, torch_rule("fmod.Tensor")],
    "max": [topi.maximum, torch_rule("maximum.default")],
    "min": [topi.minimum, torch_rule("minimum.default")],
    "shl": [operator.lshift, topi.left_shift, torch_rule("__lshift__.Tensor")],
    "shr": [operator.rshift, topi.right_shift, torch_rule("bitwise_right_shift.Tensor")],
    "power": [operator.pow, topi.power, torch_rule("pow.Tensor_Tensor")],
    "round": [lambda a, b: topi.round(a), lambda a, b: OPERATORS["aten.round.default"](
        a, node=Output(a.shape, a.dtype))],
}  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "int8", "uint32"])
def test_tensors(dtype: str):
    a, b = pairs((floats if dtype in FLOATS else integers)(dtype))
    A, B = (te.placeholder(a.shape, dtype, name) for name in "AB")
    plain = [(it.astype("f8") if dtype in FLOATS else it).tolist() for it in (a, b)]
    rows: Table = {**OF_FLOATS} if dtype in FLOATS else {**OF_INTEGERS, **POWERS}
    rows["truncdiv of torch"] = rows["truncdiv"]
    if dtype == "bfloat16":  # which torch's operators compute in float32
        rows["truncdiv of torch"] = (lambda a, b, _: to_zero(quotient(a, b, "float32")), [])
    cases: list[Case] = []
    for name in [name for name in OF_TENSORS if name in rows]:
        reference, _ = rows[name]
        values = [reference(x, y, dtype) for x, y in zip(*plain, strict=True)]
        want = np.array(values, "f8" if dtype in FLOATS else dtype).astype(a.dtype)
        cases += [(f"{name} {f!r}", f(A, B), want) for f in OF_TENSORS[name]]
    compare("interpreter", [(A, a), (B, b)], cases)


def test_signs():
    """topi's, and torch's, which is 0 of NaN."""
    for dtype in ("float32", "float16"):
        x = floats(dtype)
        X = te.placeholder(x.shape, dtype, name="X")
        numbers = x.astype("f8").tolist()
        signs = np.array([v if math.isnan(v) else float((v > 0) - (v < 0)) for v in numbers])
        rule = OPERATORS["aten.sign.default"](X, node=Output(X.shape, dtype))
        cases: list[Case] = [
            ("topi", topi.sign(X), signs.astype(x.dtype)),
            ("torch", rule, np.nan_to_num(signs).astype(x.dtype)),
        ]
        compare("llvm", [(X, x)], cases)


TEXTS: dict[str, list[str]] = {
    "floordiv": ["a // b", "T.floordiv(a, b)", "T.FloorDiv(a, b)", "T.indexdiv(a, b)"],
    "floormod": ["a % b", "T.floormod(a, b)", "T.FloorMod(a, b)", "T.indexmod(a, b)"],
    "truncdiv": ["T.truncdiv(a, b)"],
    "truncmod": ["T.truncmod(a, b)", "T.Mod(a, b)"],
    "div": ["a / b", "T.div(a, b)", "T.Div(a, b)"],
    "max": ["T.max(a, b)", "T.Max(a, b)"],
    "min": ["T.min(a, b)", "T.Min(a, b)"],
    "round": ["T.round(a)", "T.nearbyint(a)"],
    "trunc": ["T.trunc(a)"],
    "shl": ["a << b", "T.shift_left(a, b)"],
    "shr": ["a >> b", "T.shift_right(a, b)"],
    "power": ["a ** b", "T.power(a, b)", "T.pow(a, b)"],
}
OF_INTEGERS_ONLY = {"truncdiv": ["T.div(a, b)", "T.Div(a, b)"]}


@pytest.mark.parametrize("executor", ["interpreter", "llvm", "c"])
@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_tvmscript(executor: str, dtype: str):
    is_float = dtype in FLOATS
    a, b = pairs((floats if is_float else integers)(dtype))
    plain = [(it.astype("f8") if is_float else it).tolist() for it in (a, b)]
    rows: Table = OF_FLOATS if is_float else {**OF_INTEGERS, **POWERS}
    lines, wanted, texts = [], [], []
    for name in [name for name in TEXTS if name in rows]:
        values = [rows[name][0](x, y, dtype) for x, y in zip(*plain, strict=True)]
        want = np.array(values, "f8" if is_float else dtype).astype(dtype)
        for text in TEXTS[name] + ([] if is_float else OF_INTEGERS_ONLY.get(name, [])):
            n = len(texts)
            lines += [
                f"    for i in range({a.size}):",
                f'        with T.block("B{n}"):',
                f"            v = T.axis.spatial({a.size}, i)",
                f"            O{n}[v] = {text}",
            ]
            texts.append(text)
            wanted.append(want)
    outs = [f"O{n}" for n in range(len(texts))]
    params = ", ".join(f'{name}: T.Buffer(({a.size},), "{dtype}")' for name in ("A", "B", *outs))
    body = "\n".join(lines)
    for name in "ab":
        body = re.sub(rf"\b{name}\b", f"{name.upper()}[v]", body)
    mod = from_source(f"@T.prim_func\ndef main({params}):\n{body}\n")
    results = [np.full(a.size, 1, dtype) for _ in texts]
    execute(executor, mod, [a, b, *results])
    for text, want, result in zip(texts, wanted, results, strict=True):
        for n in differences(result, want):
            raise AssertionError(f"{text} of {a[n]}, {b[n]}: {result[n]}, not {want[n]}")


def whole(value: float, dtype: str) -> int:
    info = np.iinfo(dtype)
    if math.isnan(value):
        return 0
    return info.min if value < info.min else info.max if value > info.max else int(value)


def casts_of(dtype: str) -> np.ndarray:
    """Special values, and the numbers around the limits of all types of integers."""
    limits = [
        sign * (2.0**width + step)
        for width, sign in itertools.product((7, 8, 15, 16, 31, 32, 63, 64), (1, -1))
        for step in (-1, -0.5, 0, 0.5, 1)
    ]
    with np.errstate(over="ignore"):
        edges = np.array(limits, "f8").astype("f4" if dtype != "float64" else "f8")
        edges = edges.astype(numpy_type(dtype))
    return np.concatenate([floats(dtype), edges])


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("dtypes", [FLOATS[:2], FLOATS[2:4], FLOATS[4:]], ids=["32", "16", "8"])
def test_casts_to_integers(executor: str, dtypes: tuple[str, ...]):
    """Truncated; the limit that it is beyond; 0 of NaN. A bool is whether it is not 0."""
    inputs, cases = [], []
    for dtype in dtypes:
        x = casts_of(dtype)
        X = te.placeholder(x.shape, dtype, f"X_{dtype}")
        inputs.append((X, x))
        numbers = x.astype("f8").tolist()
        names = [f"{dtype} as {target}" for target in (*INTEGERS, "bool")]
        wanted = [np.array([whole(number, to) for number in numbers], to) for to in INTEGERS]
        wanted.append(np.array([number != 0 for number in numbers]))
        functions = [lambda i, X=X, to=to: X[i].astype(to) for to in (*INTEGERS, "bool")]
        cases += zip(names, computed(f"C_{dtype}", x.size, functions), wanted, strict=True)
    compare(executor, inputs, cases)


def test_casts_test_only_what_the_value_needs():
    """A clamped value is not clamped again, and an integer's is not asked whether it is NaN."""
    X, N = te.placeholder((9,), name="X"), te.placeholder((9,), "int16", name="N")

    def tests_of(make: Callable[[Any], Any]) -> int:
        out = te.compute((9,), make, name="C")
        text = str(kc.lower(te.create_schedule(out.op), [X, N, out]))
        return text.count("arith.cmpf")

    def clamped(i: Any, low: float, high: float) -> Any:
        return te.max(te.min(te.round(X[i]), high), low)

    assert tests_of(lambda i: X[i].astype("int8")) == 3
    assert tests_of(lambda i: clamped(i, -128.0, 127.0).astype("int8")) == 1  # NaN alone
    assert tests_of(lambda i: clamped(i, -129.0, 127.0).astype("int8")) == 2
    assert tests_of(lambda i: N[i].astype("float32").astype("int32")) == 0
    assert tests_of(lambda i: N[i].astype("float32").astype("uint32")) == 1

    def without_nan(value: Any) -> Any:
        return te.Select(te.isnan(value), te.const(0.0), value)

    assert tests_of(lambda i: without_nan(X[i]).astype("int32")) == 1 + 2


def test_constants_are_cast_as_values_are():
    values = [1e10, -1e10, math.nan, 3.9, -3.9]
    constants = [te.const(value) for value in values]
    outputs = [te.compute((1,), lambda i, c=c: c.astype("int32"), "C") for c in constants]
    mod = kc.lower(te.create_schedule([out.op for out in outputs]), outputs)
    results = [np.zeros(1, np.int32) for _ in values]
    run(mod.op, "main", results)
    assert [int(result[0]) for result in results] == [2**31 - 1, -(2**31), 0, 3, -3]


def test_what_flows_to_the_divisor_of_a_remainder():
    """Minus the quotient: of 1 by 0.1 in float32 it is 9, though ``a / b`` is rounded to 10."""
    a, b = np.array([1, -1, 5.5, -5.5], "f4"), np.array([0.1, 0.1, 2, 2], "f4")
    A, B = te.placeholder(a.shape, name="A"), te.placeholder(b.shape, name="B")
    functions: list[tuple[Spelling, list[int]]] = [
        (te.floormod, [9, -10, 2, -3]),
        (te.truncmod, [9, -9, 2, -2]),
    ]
    for function, quotients in functions:
        (C,) = computed("C", a.size, [lambda i, f=function: f(A[i], B[i])])
        ones = te.compute(a.shape, lambda i: te.const(1.0), name="ones")
        dA, dB = te.gradient(C, [A, B], ones)
        mod = kc.lower(te.create_schedule([dA.op, dB.op]), [A, B, dA, dB])
        results = [np.zeros(4, "f4"), np.zeros(4, "f4")]
        run(mod.op, "main", [a, b, *results])
        np.testing.assert_array_equal(results[0], np.ones(4))
        np.testing.assert_array_equal(results[1], -np.array(quotients))


@kc.script
def quotients(a, b):
    q = output_tensor(a.shape, a.dtype)
    r = output_tensor(a.shape, a.dtype)
    t = output_tensor(a.shape, a.dtype)
    s = output_tensor(a.shape, a.dtype)
    f = output_tensor(a.shape, a.dtype)
    m = output_tensor(a.shape, a.dtype)
    for i in range(a.shape[0]):
        q[i] = a[i] // b[i]
        r[i] = a[i] % b[i]
        t[i] = truncdiv(a[i], b[i])
        s[i] = truncmod(a[i], b[i])
        f[i] = floordiv(a[i], b[i])
        m[i] = floormod(a[i], b[i])
    return q, r, t, s, f, m


@kc.script
def extremes_and_powers(a, b):
    x = output_tensor(a.shape, a.dtype)
    n = output_tensor(a.shape, a.dtype)
    p = output_tensor(a.shape, a.dtype)
    for i in range(a.shape[0]):
        x[i] = max(a[i], b[i])
        n[i] = min(a[i], b[i])
        p[i] = a[i] ** b[i] if a.dtype == "int8" else round(a[i])
    return x, n, p


@pytest.mark.parametrize("dtype", ["float32", "int8"])
def test_scripts(dtype: str):
    """As kernels, and where Python executes them with numpy's numbers."""
    is_float = dtype in FLOATS
    a, b = pairs((floats if is_float else integers)(dtype))
    A, B = (te.placeholder(a.shape, dtype, name) for name in "AB")
    plain = [(it.astype("f8") if is_float else it).tolist() for it in (a, b)]
    rows: Table = OF_FLOATS if is_float else {**OF_INTEGERS, **POWERS}
    of_quotients = ["floordiv", "floormod", "truncdiv", "truncmod", "floordiv", "floormod"]
    last = "round" if is_float else "power"
    for script, names in ((quotients, of_quotients), (extremes_and_powers, ["max", "min", last])):
        wanted = [
            np.array([rows[name][0](x, y, dtype) for x, y in zip(*plain, strict=True)]).astype(
                dtype
            )
            for name in names
        ]
        compare(
            "interpreter", [(A, a), (B, b)], list(zip(names, script(A, B), wanted, strict=True))
        )
        if script is quotients:
            with np.errstate(all="ignore"):
                executed = script(a, b)
            for name, result, want in zip(names, executed, wanted, strict=True):
                for n in differences(result, want):
                    raise AssertionError(f"{name} of {a[n]}, {b[n]}: {result[n]}, not {want[n]}")


def remainders(dtype: str, divisor: float | None = None) -> tuple[Any, Any, list[Any]]:
    """Numbers of all magnitudes, divisors, and the tensors of these and of the remainders."""
    size = 512
    random = np.random.default_rng(0)
    raw = random.integers(0, 256, (2, size * np.dtype(dtype).itemsize), dtype=np.uint8)
    a, b = (row.view(dtype) for row in raw)
    a[:100], b[:50] = random.normal(size=100), 0.1
    specials = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0], dtype)
    a[100:149], b[100:149] = np.repeat(specials, 7), np.tile(specials, 7)
    if divisor is not None:
        b[:] = divisor
    A, B = (te.placeholder((size,), dtype, name) for name in "AB")
    by = (lambda i: B[i]) if divisor is None else (lambda _: te.const(divisor, dtype))
    return a, b, [A, B, te.compute((size,), lambda i: te.fmod(A[i], by(i)), name="C")]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_remainders_on_cpus_are_exact_and_call_no_library(dtype: str):
    """As vectors and one by one; powers of two, too, which LLVM divides by."""
    for divisor in (None, 3.0, 4.0, 0.25):
        a, b, tensors = remainders(dtype, divisor)
        for built in (
            kc.build(tensors, target="llvm -mcpu=haswell"),
            kc.build(te.create_schedule(tensors[2].op), tensors),
        ):
            result = np.zeros(len(a), dtype)
            built(a, b, result)
            with np.errstate(all="ignore"):
                assert not differences(result, np.fmod(a, b))
            assert "fmod" not in built.get_source("asm")


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_remainders_in_kernels(dtype: str):
    """A kernel divides itself: of any numbers, whose quotients have up to 2,098 digits, exactly."""
    a, b, (A, B, C) = remainders(dtype)
    s = te.create_schedule(C.op)
    threads, pair = s[C].split(C.op.axis[0], 2)
    blocks, threads = s[C].split(threads, 64)
    s[C].bind(blocks, te.thread_axis("blockIdx.x"))
    s[C].bind(threads, te.thread_axis("threadIdx.x"))
    s[C].vectorize(pair)
    result = np.zeros(len(a), dtype)
    kc.build(s, [A, B, C], target="cuda-emu")(a, b, result)
    with np.errstate(all="ignore"):
        assert not differences(result, np.fmod(a, b))
    if dtype == "float32":  # LLVM's code for PTX has one rounded quotient
        ptx = kc.build(s, [A, B, C], target="cuda -arch=sm_80").imported_modules[0].get_source()
        assert "bra" in ptx
        assert "cvt.rzi" not in ptx
