"""bfloat16, float16 and the floats of 8 bits: every number, against ml_dtypes and numpy.

An operation on a narrow type is that of float32, rounded once to nearest, ties to even.
"""

from __future__ import annotations

import gc
import re
import shutil
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import kc
from kc import te
from kc.analysis.interpreter import run
from kc.error import CallError, TEError
from kc.runtime import load_module
from kc.support.float_formats import NARROW_FLOATS

ml_dtypes = pytest.importorskip("ml_dtypes")

TYPES = list(NARROW_FLOATS)
# With instructions for float16 and without; a CPU has them or the code is not run.
TARGETS = ["llvm", "llvm -mcpu=x86-64-v3"]

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def numbers(dtype: str) -> np.ndarray:
    """All numbers of a type, by their codes."""
    bits = NARROW_FLOATS[dtype].bits
    return np.arange(1 << bits).astype(f"uint{bits}").view(numpy_type(dtype))


def numpy_type(dtype: str) -> np.dtype:
    return np.dtype(getattr(ml_dtypes, dtype, None) or dtype)


def compute(
    function: Callable[..., Sequence[Any]],
    *arrays: np.ndarray,
    target: str | None = "llvm",
    lanes: int = 16,
) -> list[np.ndarray]:
    """The results of ``function`` of elements; by the interpreter if there is no target."""
    size = len(arrays[0])
    inputs = [te.placeholder((size,), array.dtype.name, f"A{n}") for n, array in enumerate(arrays)]
    count = len(function(*(tensor[0] for tensor in inputs)))

    def output(n: int) -> Any:
        return te.compute(
            (size,), lambda i: function(*(tensor[i] for tensor in inputs))[n], f"B{n}"
        )

    outputs = [output(n) for n in range(count)]
    s = te.create_schedule([output.op for output in outputs])
    if target is not None and size % lanes == 0 and target != "c":
        for tensor in outputs:
            s[tensor].vectorize(s[tensor].split(tensor.op.axis[0], lanes)[1])
    results = [np.zeros(size, numpy_type(output.dtype)) for output in outputs]
    if target is None:
        run(kc.lower(s, [*inputs, *outputs]).op, "main", [*arrays, *results])
    else:
        try:
            kc.build(s, [*inputs, *outputs], target)(*arrays, *results)
        except kc.error.TargetError as error:
            pytest.skip(error.message)
    return results


def check(actual: np.ndarray, expected: np.ndarray) -> None:
    """The same numbers, signs of zeros included, and NaN in the same places."""
    assert actual.dtype == expected.dtype
    a, b = actual.astype(np.float64), expected.astype(np.float64)
    same = (a == b) & (np.signbit(a) == np.signbit(b)) | (np.isnan(a) & np.isnan(b))
    wrong = np.flatnonzero(~same)
    assert not len(wrong), f"{len(wrong)} differ: {a[wrong[:4]]}, not {b[wrong[:4]]}"


def around_ties(dtype: str) -> np.ndarray:
    """Numbers, the middles between them, and the floats next to those, as float64."""
    values = numbers(dtype).astype(np.float64)
    values = np.unique(values[np.isfinite(values)])
    middles = (values[1:] + values[:-1]) / 2
    tiny = [np.nextafter(middles, side) for side in (np.inf, -np.inf)]
    special = [np.inf, -np.inf, np.nan, 1e300, -1e300, 1e-300, 464, 465, 65519, 65520, 3.4e38]
    return np.concatenate([values, middles, *tiny, special])


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", TYPES)
def test_functions_of_every_number(dtype: str, target: str) -> None:
    x = numbers(dtype)
    wide = x.astype(np.float32)
    results = compute(
        lambda a: (a.astype("float32"), a.astype("float64"), -a, te.abs(a), te.sqrt(a), te.exp(a)),
        x,
        target=target,
    )
    expected = [wide, x.astype(np.float64), -x, np.abs(x), np.sqrt(wide).astype(x.dtype)]
    for result, wanted in zip(results, expected, strict=False):
        check(result, wanted)
    # exp is that of float32, within an ulp of it: seldom another number.
    exact = np.exp(x.astype(np.float64))
    near = [(exact * scale).astype(np.float32).astype(x.dtype) for scale in (1 - 2e-7, 1, 1 + 2e-7)]
    codes = [array.view(f"uint{8 * x.itemsize}") for array in near]
    own = results[5].view(codes[0].dtype)
    fine = np.any([own == code for code in codes], axis=0)
    assert np.all(fine | np.isnan(exact))
    assert np.isnan(results[5][np.isnan(exact)].astype(np.float32)).all()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", TYPES)
def test_arithmetic_with_special_values(dtype: str, target: str) -> None:
    every = numbers(dtype)
    special = np.array([0, -0.0, 1, 3, 0.1, -1e-3, 448, 1e38, 1e-40, np.inf, np.nan])
    special = special.astype(np.float32).astype(every.dtype)
    x, y = np.tile(every, len(special)), np.repeat(special, len(every))
    a, b = x.astype(np.float32), y.astype(np.float32)
    results = compute(
        lambda p, q: (p + q, p - q, p * q, p / q, te.max(p, q), p * q + p), x, y, target=target
    )
    product = (a * b).astype(x.dtype).astype(np.float32)
    expected = [a + b, a - b, a * b, a / b, np.maximum(a, b), product + a]
    for result, wanted in zip(results, expected, strict=True):
        if result is results[4]:
            wanted = np.where(a == b, np.where(np.signbit(a), b, a), wanted)  # -0 < +0
        check(result, wanted.astype(x.dtype))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dtype", TYPES)
def test_rounding_to_nearest_even(dtype: str, target: str) -> None:
    ties = around_ties(dtype)
    short = ties.astype(np.float32)
    short = np.concatenate([short, np.nextafter(short, np.float32(np.inf))])
    (rounded,) = compute(lambda a: (a.astype(dtype),), short, target=target, lanes=1)
    check(rounded, short.astype(rounded.dtype))
    # numpy's conversion from float64 goes by float32, which rounds twice.
    ties = ties[:: max(1, len(ties) // 20_000)].copy()
    (rounded,) = compute(lambda a: (a.astype(dtype),), ties, target=target, lanes=1)
    round_to = NARROW_FLOATS[dtype].round
    check(rounded, np.array([round_to(tie) for tie in ties]).astype(rounded.dtype))


@pytest.mark.parametrize("dtype", TYPES)
def test_conversions_of_integers(dtype: str) -> None:
    powers = 1 << np.arange(62, dtype=np.int64)
    halves = powers[10:] + powers[:-10] // 8
    wide = np.concatenate([np.arange(-3000, 3000), powers, halves, halves + 1, -halves - 1])
    form = NARROW_FLOATS[dtype]
    for source in ("int64", "uint64", "int32", "int16", "uint8"):
        values = wide.astype(source)
        (rounded,) = compute(lambda a: (a.astype(dtype),), values, lanes=1)
        # A float64 holds all but the last bits, which only say that there is more.
        exact = [
            value if abs(value) < 1 << 53 else (value >> 9 | 1) << 9 for value in values.tolist()
        ]
        sticky = [
            value if abs(value) < 1 << 53 or not value % 512 else coarse
            for value, coarse in zip(values.tolist(), exact, strict=True)
        ]
        check(
            rounded, np.array([form.round(float(value)) for value in sticky]).astype(rounded.dtype)
        )
    whole = numbers(dtype)
    whole = whole[np.abs(whole.astype(np.float32)) < 2**31]
    (rounded,) = compute(lambda a: (a.astype("int32"),), whole, lanes=1)
    assert (rounded == whole.astype(np.float32).astype(np.int32)).all()


@pytest.mark.parametrize("where", ["interpreter", "c"])
@pytest.mark.parametrize("dtype", TYPES)
def test_the_interpreter_and_c_agree(dtype: str, where: str) -> None:
    if where == "c" and shutil.which("cc") is None:
        pytest.skip("no C compiler")
    every = numbers(dtype)
    x = np.concatenate([every[:: max(1, len(every) // 250)], every[-3:]])
    y = x[::-1].copy()
    a, b = x.astype(np.float32), y.astype(np.float32)

    def function(p: Any, q: Any) -> Sequence[Any]:
        return p * q + p, -p, te.if_then_else(p < q, p, te.const(1.5, dtype)), p.astype("float64")

    results = compute(function, x, y, target=None if where == "interpreter" else "c")
    product = (a * b).astype(x.dtype).astype(np.float32)
    expected = [product + a, -a, np.where(a < b, a, np.float32(1.5))]
    for result, wanted in zip(results, expected, strict=False):
        check(result, wanted.astype(x.dtype))
    check(results[3], x.astype(np.float64))


def reduce_rows(x: np.ndarray, reducer: Callable[..., Any], target: str = "llvm") -> np.ndarray:
    n, m = x.shape
    A = te.placeholder((n, m), x.dtype.name, "A")
    k = te.reduce_axis((0, m), "k")
    B = te.compute((n,), lambda i: reducer(A[i, k], k), "B")
    s = te.create_schedule(B.op)
    out = np.zeros(n, numpy_type(B.dtype))
    kc.build(s, [A, B], target)(x, out)
    check(interpreted(kc.lower(s, [A, B]).op, x, out), out)
    return out


def interpreted(module: Any, x: np.ndarray, out: np.ndarray) -> np.ndarray:
    again = np.zeros_like(out)
    run(module, "main", [x, again])
    return again


@pytest.mark.parametrize("dtype", TYPES)
def test_sums_are_kept_in_the_type_of_the_terms(dtype: str) -> None:
    x = np.random.default_rng(0).uniform(0, 2, (3, 40)).astype(numpy_type(dtype))
    total = np.zeros(3, x.dtype)
    for column in x.T:
        total = (total.astype(np.float32) + column.astype(np.float32)).astype(x.dtype)
    check(reduce_rows(x, lambda a, k: te.sum(a, k)), total)
    wide = np.zeros(3, np.float32)
    for column in x.T:
        wide += column.astype(np.float32)
    sums = reduce_rows(x, lambda a, k: te.sum(a.astype("float32"), k))
    np.testing.assert_allclose(sums, wide, rtol=1e-6)


@pytest.mark.parametrize("dtype", TYPES)
def test_extremes(dtype: str) -> None:
    form = NARROW_FLOATS[dtype]
    info = ml_dtypes.finfo(numpy_type(dtype))
    assert te.max_value(dtype).value == form.largest == float(info.max)
    assert te.min_value(dtype).value == float(info.min)
    lowest = np.full((2, 3), info.min, numpy_type(dtype))
    check(reduce_rows(lowest, lambda a, k: te.max(a, k)), lowest[:, 0])
    check(reduce_rows(-lowest, lambda a, k: te.min(a, k)), -lowest[:, 0])


def test_constants_are_rounded_once() -> None:
    assert te.const(1.00390625, "bfloat16").value == 1.0  # a tie: to even
    assert te.const(1.01171875, "bfloat16").value == 1.015625
    # Above a tie by less than float32 sees.
    assert te.const(1.00390625 + 2**-40, "bfloat16").value == 1.0078125
    assert te.const(464, "float8_e4m3fn").value == 448
    assert te.const(2**-17, "float8_e5m2").value == 0
    assert np.isnan(te.const(float("nan"), "float8_e4m3fn").value)


@pytest.mark.parametrize(
    ("value", "dtype"),
    [(1e39, "bfloat16"), (465, "float8_e4m3fn"), (float("inf"), "float8_e4m3fn"), (7e4, "float16")],
)
def test_constants_that_are_too_large(value: float, dtype: str) -> None:
    with pytest.raises(TEError) as caught:
        te.const(value, dtype)
    assert caught.value.code == "KC2003"
    assert caught.value.message == f"the constant {value} is not a value of {dtype}"


def test_infinity_where_there_is_none() -> None:
    every = numbers("float8_e4m3fn")
    results = compute(
        lambda a: tuple(f(a).astype("int32") for f in (te.isnan, te.isinf, te.isfinite)), every
    )
    wide = every.astype(np.float32)
    for result, classify in zip(results, (np.isnan, np.isinf, np.isfinite), strict=True):
        assert (result == classify(wide)).all()


def test_types_of_one_width_do_not_mix() -> None:
    A = te.placeholder((4,), "bfloat16", "A")
    B = te.placeholder((4,), "float16", "B")
    with pytest.raises(TEError) as caught:
        te.compute((4,), lambda i: A[i] + B[i])
    error = caught.value
    assert (error.code, error.message) == ("KC2240", "bfloat16 and float16 in one operation")
    assert error.why == "both have 16 bits, and neither can represent all values of the other"
    assert list(error.hints) == ['convert both: x.astype("float32")']
    assert (A[0] + te.const(1, "float8_e5m2")).dtype == "bfloat16"


@pytest.mark.parametrize(("source", "dtype"), [("bfloat16", "float16"), ("float16", "bfloat16"),
                                               ("float8_e5m2", "float8_e4m3fn")])  # fmt: skip
def test_conversions_between_types_of_one_width(source: str, dtype: str) -> None:
    x = numbers(source)
    (converted,) = compute(lambda a: (a.astype(dtype),), x)
    check(converted, x.astype(np.float32).astype(converted.dtype))


def adder(dtype: str, scalar: bool = False) -> Any:
    A = te.placeholder((8,), dtype, "A")
    x = te.var("x", dtype)
    B = te.compute((8,), lambda i: A[i] + (x if scalar else A[i]), "B")
    return kc.build(te.create_schedule(B.op), [A, x, B] if scalar else [A, B], "llvm")


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_arrays_of_bits(dtype: str) -> None:
    form = NARROW_FLOATS[dtype]
    bits = np.full(8, form.encode(1.5), f"uint{form.bits}")
    double = adder(dtype)
    A = kc.nd.array(bits, dtype=dtype)
    B = kc.nd.empty((8,), dtype)
    double(A, B)
    assert (A.dtype, B.dtype) == (dtype, dtype)
    assert B.numpy().astype(np.float32).tolist() == [3.0] * 8
    again = kc.nd.array(np.full(8, 1.5), dtype=dtype)
    assert double(again).numpy().tobytes() == B.numpy().tobytes()
    if dtype == "bfloat16":  # as TVM keeps it
        double(bits, B)
        assert B.numpy().astype(np.float32).tolist() == [3.0] * 8
        return
    with pytest.raises(CallError) as caught:
        double(bits, B)
    assert str(caught.value) == (
        f"error[KC5106]: main: argument 1 'A' has dtype uint{form.bits}, expected {dtype}\n"
        f"   |  came: numpy.ndarray uint{form.bits}[8]\n"
        f"   |  expected: A: {dtype}[8]\n"
        f'  try: pass kc.nd.array(A, dtype="{dtype}"), which takes them as bits'
    )


def test_arrays_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    from kc.runtime import array

    double = adder("bfloat16")
    monkeypatch.setattr(array, "numpy_dtype", lambda name: None if "b" in name else np.dtype(name))
    A = kc.nd.array(np.full(8, 0x3FC0, np.uint16), dtype="bfloat16")
    B = kc.nd.empty((8,), "bfloat16")
    double(A, B)
    assert B.dtype == "bfloat16"
    assert B.numpy().tolist() == [0x4040] * 8
    assert kc.nd.array(B).numpy().tolist() == [0x4040] * 8
    with pytest.raises(CallError) as caught:
        kc.nd.array(np.ones(8, np.float32), dtype="bfloat16")
    assert str(caught.value) == (
        "error[KC5260]: values of float32 cannot be converted to bfloat16\n"
        "  why: numpy supports bfloat16 through the package ml_dtypes, which is not "
        "installed\n"
        "  try: pip install ml_dtypes\n"
        "  try: give the bits, as an array of uint16"
    )
    with pytest.raises(CallError, match="KC5260.*values of bfloat16 cannot be converted"):
        kc.nd.empty((8,), "float32").copyfrom(B)


@pytest.mark.parametrize("dtype", TYPES)
def test_scalar_arguments(dtype: str) -> None:
    f = adder(dtype, scalar=True)
    A, B = np.full(8, 2, numpy_type(dtype)), np.zeros(8, numpy_type(dtype))
    f(A, 0.3, B)
    expected = (np.float32(2) + np.float32(0.3).astype(A.dtype).astype(np.float32)).astype(A.dtype)
    assert (B == expected).all()
    with pytest.raises(CallError, match="KC5119"):
        f(A, 1e39, B)


class Producer:
    """An array that another library shares."""

    def __init__(self, array: Any) -> None:
        self._array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._array.__dlpack_device__()


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_arrays_by_dlpack(dtype: str) -> None:
    array = kc.nd.array(np.arange(8).astype(numpy_type(dtype)))
    shared = kc.nd.from_dlpack(Producer(array))
    assert shared.dtype == dtype
    assert np.shares_memory(np.asarray(shared), np.asarray(array))
    assert (shared.numpy() == array.numpy()).all()
    out = kc.nd.empty((8,), dtype)
    adder(dtype)(Producer(array), Producer(out))
    assert out.numpy().astype(np.float32).tolist() == [0, 2, 4, 6, 8, 10, 12, 14]
    alive, view = weakref.ref(array._array), np.asarray(shared)
    del array, shared
    gc.collect()
    assert alive() is not None
    assert view.astype(np.float32).tolist() == [0, 1, 2, 3, 4, 5, 6, 7]
    del view
    gc.collect()
    assert alive() is None


ARM = "llvm -mtriple=aarch64-linux-gnu -mcpu="


@pytest.mark.parametrize(
    ("dtype", "target", "pattern"),
    [
        ("bfloat16", f"{ARM}neoverse-n2", r"\bbfcvtn"),
        ("bfloat16", f"{ARM}cortex-a72", r"\bfadd\s+v\d+\.4s"),
        ("float16", f"{ARM}cortex-a76", r"\bfadd\s+v\d+\.8h"),
        ("float16", f"{ARM}cortex-a72", r"\bfcvtn"),
        ("float16", "llvm -mcpu=sapphirerapids", r"\bvaddph"),
        ("float16", "llvm -mcpu=x86-64-v3", r"\bvcvtps2ph"),
        ("bfloat16", "llvm -mcpu=sapphirerapids", r"\bvaddps"),
        ("float8_e5m2", "llvm -mtriple=riscv64-linux-gnu", r"__addsf3|\bfadd"),
    ],
)
def test_instructions_of_cpus(dtype: str, target: str, pattern: str) -> None:
    A, B = (te.placeholder((64,), dtype, name) for name in "AB")
    C = te.compute((64,), lambda i: A[i] + B[i], "C")
    s = te.create_schedule(C.op)
    s[C].vectorize(s[C].split(C.op.axis[0], 8)[1])
    text = kc.build(s, [A, B, C], target).get_source("asm")
    assert re.search(pattern, text)
    # It takes subnormal numbers to be zero; and no narrow float leaves its registers for a library.
    assert "vcvtneps2bf16" not in text
    assert not re.search(r"__(trunc|extend)", text)


def test_files_of_libraries(tmp_path: Any) -> None:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    path = tmp_path / "add.so"
    adder("bfloat16").export_library(path)
    A = np.arange(8).astype(ml_dtypes.bfloat16)
    B = np.zeros_like(A)
    load_module(path)(A, B)
    assert (B == A + A).all()


def test_the_header_says_what_a_number_is() -> None:
    text = adder("float8_e5m2").get_header()
    assert "const uint8_t *KC_RESTRICT A" in text
    assert "A: float8_e5m2[8], read" in text


def test_the_interpreter_needs_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    A = te.placeholder((8,), "bfloat16", "A")
    B = te.compute((8,), lambda i: A[i] + A[i], "B")
    module = kc.lower(te.create_schedule(B.op), [A, B]).op
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with pytest.raises(Exception, match="the type bf16 is interpreted with the package ml_dtypes"):
        run(module, "main", [np.zeros(8, np.uint16), np.zeros(8, np.uint16)])
