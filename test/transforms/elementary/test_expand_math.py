"""expand-math: each function is as exact as docs/numerics.md says, and has C's values at the
ends."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import mpmath
import numpy as np
import pytest
from ulp_errors import FUNCTIONS, computed, errors, greatest_error, long_double
from xdsl.dialects import arith
from xdsl.dialects.math import FPowIOp
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

import kc
from kc import te
from kc.analysis.interpreter import run
from kc.analysis.interpreter.errors import UninterpretableError
from kc.support import registry
from kc.support.ir_text import parse_module
from kc.support.plugins import Plugin
from kc.transforms import expand_math

HOST = str(kc.target.Target.host_cpu())
PLAIN = "llvm -mcpu=x86-64"
ONCE = ("exp", "log")
"""Within one unit in the last place; the others within two."""

runs_here = pytest.mark.skipif(
    "x86_64" not in HOST, reason="the kernels of this test are for x86-64"
)


def test_every_function_is_measured():
    expanded = {op.name.removeprefix("math.") for op in expand_math.FUNCTIONS}
    assert set(FUNCTIONS) - {"sqrt"} == expanded


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_error_in_units_of_the_last_place(name: str, dtype: str):
    count = 1_000 if FUNCTIONS[name].numpy is None and dtype == "float64" else 50_000
    error, at, number = greatest_error(name, dtype, step=20_011, count=count, target=HOST)
    assert number >= 5_000
    assert error <= (1 if name in ONCE else 2), at


@runs_here
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["exp", "log", "powf", "sin", "tan", "atan2"])
def test_error_without_fused_multiplication_and_addition(name: str, dtype: str):
    error, at, _ = greatest_error(name, dtype, step=400_009, count=6_000, target=PLAIN)
    assert error <= (1 if name in ONCE else 2), at


ENDS = [0.0, 1.0, 0.5, 2.0, 3.0, np.inf, np.nan]


def reference(name: str, *columns: np.ndarray) -> np.ndarray:
    """numpy's results, or Python's, which at these numbers are those of C."""
    function = FUNCTIONS[name].numpy or np.vectorize(math.erf)
    with np.errstate(all="ignore"):
        return np.asarray(function(*columns))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_zeros_infinities_and_nan(name: str, dtype: str):
    """The same as C's, with the sign of zeros."""
    info = np.finfo(dtype)
    ends = [*ENDS, info.max, info.tiny, info.smallest_subnormal]
    ends = [*ends, *(-number for number in ends)]
    two = FUNCTIONS[name].arguments == 2
    pairs = [(a, b) for a in ends for b in ends] if two else [(a, a) for a in ends]
    columns = [np.array(column, dtype) for column in zip(*pairs, strict=True)][: 2 if two else 1]
    result, expected = computed(name, *columns, target=HOST), reference(name, *columns)
    least = 2 * float(info.smallest_subnormal)
    np.testing.assert_allclose(result, expected, rtol=4 * float(info.eps), atol=least)
    zeros = expected == 0
    np.testing.assert_array_equal(np.signbit(result[zeros]), np.signbit(expected[zeros]))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_angles_of_all_sizes(name: str, dtype: str):
    """Large numbers among small ones."""
    x = np.array([0.25, 1e300 if dtype == "float64" else 1e38, 3e5, 1e10], dtype)
    with mpmath.workdps(400):
        expected = [float(FUNCTIONS[name].mpmath(mpmath.mpf(float(number)))) for number in x]
    result = computed(name, x, target=HOST)
    np.testing.assert_allclose(result, expected, rtol=4 * float(np.finfo(dtype).eps))


def angles_near_multiples(dtype: str) -> np.ndarray:
    """Numbers of the type that are nearest to multiples of pi / 2, for each exponent.

    They are continued fractions of 2**k * 2 / pi: their denominators, times 2**k.
    """
    info = np.finfo(dtype)
    digits, numbers = info.nmant + 1, []
    for k in range(-digits, info.maxexp - digits + 1, 1 if dtype == "float32" else 5):
        with mpmath.workprec(info.maxexp + 200):
            rest, before, denominator = mpmath.mpf(2) ** (k + 1) / mpmath.pi, 1, 0
            while True:
                whole = int(mpmath.floor(rest))
                before, denominator = denominator, whole * denominator + before
                if denominator >= 2**digits:
                    break
                rest = 1 / (rest - whole)
        numbers.append(math.ldexp(before, k))
    return np.array(numbers, dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_angles_of_all_exponents_within_two_units(name: str, dtype: str):
    """Also where a sine or cosine is nearly 0."""
    exponents = np.arange(-12, np.finfo(dtype).maxexp, 1 if dtype == "float32" else 5)
    mantissas = np.random.default_rng(3).uniform(1, 2, (3, len(exponents)))
    near = angles_near_multiples(dtype)
    x = np.concatenate([np.ldexp(mantissas.astype(dtype), exponents).ravel(), near, -near])
    with mpmath.workprec(1200):
        exact = [FUNCTIONS[name].mpmath(mpmath.mpf(float(number))) for number in x]
        expected = np.array([long_double(number) for number in exact])
    error = errors(computed(name, x, target=HOST), expected)
    assert error.max() < 2, x[np.argmax(error)]


@runs_here
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("function", [te.sin, te.cos, te.tan])
def test_large_angles_call_no_library(function: Callable[[Any], Any], dtype: str):
    a = te.placeholder((4096,), dtype, name="A")
    b = te.compute((4096,), lambda i: function(a[i]), name="B")
    text = kc.build([a, b], target="llvm -mcpu=x86-64-v3").get_source("asm")
    assert not re.search(r"\bcallq?\b", text)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_halves_are_computed_in_single_precision(dtype: str):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    scalar = np.float16 if dtype == "float16" else ml_dtypes.bfloat16
    a = te.placeholder((64,), dtype, name="A")
    b = te.compute((64,), lambda i: te.tanh(a[i]), name="B")
    s = te.create_schedule(b.op)
    s[b].vectorize(s[b].split(b.op.axis[0], factor=16)[1])
    x = np.linspace(-6, 6, 64).astype(scalar)
    out = np.zeros_like(x)
    kc.build(s, [a, b], HOST)(kc.nd.array(x), out := kc.nd.array(out))
    np.testing.assert_array_equal(out.numpy(), np.tanh(x.astype(np.float32)).astype(scalar))


def _gelu(x: Any) -> Any:
    return x * ((te.erf(x * math.sqrt(0.5)) + 1.0) * 0.5)


@runs_here
@pytest.mark.parametrize("function", [te.exp, te.tanh, te.log, te.erf, te.sigmoid, _gelu])
def test_a_loop_of_scalars_becomes_one_of_vectors(function: Callable[[Any], Any]):
    a = te.placeholder((4096,), "float32", name="A")
    b = te.compute((4096,), lambda i: function(a[i]), name="B")
    text = kc.build(te.create_schedule(b.op), [a, b], "llvm -mcpu=x86-64-v3").get_source("asm")
    assert re.search(r"vfmadd\w+ps\s.*%ymm", text)
    assert not re.search(r"\bcallq?\b", text)


@runs_here
@pytest.mark.parametrize("function", [te.exp, te.sigmoid])
def test_avx512_multiplies_by_powers_of_2(function: Callable[[Any], Any]):
    """One instruction that rounds once, in the place of two products with powers made of bits."""
    a = te.placeholder((4096,), "float32", name="A")
    b = te.compute((4096,), lambda i: function(a[i]), name="B")
    asm = kc.build([a, b], target="llvm -mcpu=x86-64-v4").get_source("asm")
    assert "vscalefps" in asm
    # Where the power of a sigmoid is a normal number, its exponent is added as an integer.
    assert ("vpslld" in asm) is (function is te.sigmoid)
    asm = kc.build([a, b], target="llvm -mcpu=x86-64-v3").get_source("asm")
    assert "vscalefps" not in asm
    assert "vpslld" in asm


LOGARITHMS = [te.log, te.log2, te.log10]


def logarithm(function: Callable[[Any], Any], count: int, target: str) -> kc.Module:
    a = te.placeholder((count,), "float32", name="A")
    b = te.compute((count,), lambda i: function(a[i]), name="B")
    return kc.build([a, b], target=target)


@runs_here
@pytest.mark.parametrize("function", LOGARITHMS)
def test_avx512_takes_exponents_by_instructions(function: Callable[[Any], Any]):
    asm = logarithm(function, 4096, "llvm -mcpu=x86-64-v4").get_source("asm")
    assert "vgetexpps" in asm
    assert "vgetmantps" in asm
    assert "vpsrld" not in asm
    asm = logarithm(function, 4096, "llvm -mcpu=x86-64-v3").get_source("asm")
    assert "vgetexpps" not in asm
    assert "vpsrld" in asm


@pytest.mark.skipif(not kc.target.Target(HOST).has_feature("avx512dq"), reason="needs AVX-512")
@pytest.mark.parametrize("function", LOGARITHMS)
def test_these_exponents_are_those_of_the_bits(function: Callable[[Any], Any]):
    """The same result to the last bit, of numbers with every exponent and of what is none."""
    bits = np.random.default_rng(5).integers(0, 1 << 23, (1 << 9, 1 << 6), "uint32")
    bits |= np.arange(1 << 9, dtype="uint32")[:, None] << 23
    bits[:, 0] &= 0xFF800000  # zeros, infinities and powers of 2
    bits[:, 1] |= 0x007FFFFF
    bits[:, 2] = (bits[:, 2] & 0xFF800000) | 0x00400000  # where the fraction is 3/4 or 3/2
    bits[:, 3] = bits[:, 2] - 1
    bits[126:128, 4:] |= 0x007FFF00  # near 1
    x = bits.view("float32").ravel()
    results = [
        logarithm(function, x.size, f"llvm -mcpu=x86-64-v{version}")(x) for version in (4, 3)
    ]
    np.testing.assert_array_equal(*results)


def test_exponents_in_the_interpreter():
    text = """
    func.func @main(%x: memref<16xf32>, %y: memref<32xf32>) {
      %c0 = arith.constant 0 : index
      %c16 = arith.constant 16 : index
      %zero = arith.constant dense<0.0> : vector<16xf32>
      %all = arith.constant -1 : i16
      %interval = arith.constant 11 : i32
      %rounding = arith.constant 4 : i32
      %v = vector.load %x[%c0] : memref<16xf32>, vector<16xf32>
      %e = llvm.call_intrinsic "llvm.x86.avx512.mask.getexp.ps.512"(%v, %zero, %all, %rounding) : (vector<16xf32>, vector<16xf32>, i16, i32) -> vector<16xf32>
      %m = llvm.call_intrinsic "llvm.x86.avx512.mask.getmant.ps.512"(%v, %interval, %zero, %all, %rounding) : (vector<16xf32>, i32, vector<16xf32>, i16, i32) -> vector<16xf32>
      vector.store %e, %y[%c0] : memref<32xf32>, vector<16xf32>
      vector.store %m, %y[%c16] : memref<32xf32>, vector<16xf32>
      func.return
    }"""  # noqa: E501
    inf, nan = np.inf, np.nan
    x = [0.0, -0.0, inf, -inf, nan, -1, 1, 1.5, 0.75, 2.0**-149, 5 * 2.0**-149, 6, 7, -8, 2, 0.625]
    exponents = [-inf, -inf, inf, inf, nan, 0, 0, 0, -1, -149, -147, 2, 2, 3, 1, -1]
    fractions = [1, -1, 1, nan, nan, nan, 1, 0.75, 0.75, 1, 1.25, 0.75, 0.875, nan, 1, 1.25]
    expected = np.array([*exponents, *fractions], "float32")
    given = np.array(x, "float32")
    module = parse_module(text, "f.mlir", registry.context())
    y = np.zeros(32, "float32")
    run(module, "main", [given, y])
    np.testing.assert_array_equal(y, expected)
    if kc.target.Target(HOST).has_feature("avx512dq"):
        y = np.zeros(32, "float32")
        kc.build(kc.IRModule.parse(text), target=HOST)(given, y)
        np.testing.assert_array_equal(y, expected)


def test_scaling_by_exponents_in_the_interpreter():
    """The products of the instruction: powers are rounded down, subnormal results rounded once."""
    text = """
    func.func @main(%x: memref<8xf64>, %n: memref<8xf64>, %y: memref<8xf64>) {
      %c0 = arith.constant 0 : index
      %zero = arith.constant dense<0.0> : vector<8xf64>
      %all = arith.constant -1 : i8
      %rounding = arith.constant 4 : i32
      %v = vector.load %x[%c0] : memref<8xf64>, vector<8xf64>
      %k = vector.load %n[%c0] : memref<8xf64>, vector<8xf64>
      %r = llvm.call_intrinsic "llvm.x86.avx512.mask.scalef.pd.512"(%v, %k, %zero, %all, %rounding) : (vector<8xf64>, vector<8xf64>, vector<8xf64>, i8, i32) -> vector<8xf64>
      vector.store %r, %y[%c0] : memref<8xf64>, vector<8xf64>
      func.return
    }"""  # noqa: E501
    inf, nan = np.inf, np.nan
    x = np.array([1.5, -1.5, 1.25, 1.9999999, nan, inf, 3.0, 1.0])
    n = np.array([3.0, 2.75, 2000.0, -1074.0, 1.0, -5.0, -inf, nan])
    expected = np.array([12.0, -6.0, inf, 2.0**-1073, nan, inf, 0.0, nan])
    y = np.zeros(8)
    run(parse_module(text, "f.mlir", registry.context()), "main", [x, n, y])
    np.testing.assert_array_equal(y, expected)
    if kc.target.Target(HOST).has_feature("avx512dq"):
        y = np.zeros(8)
        kc.build(kc.IRModule.parse(text), target=HOST)(x, n, y)
        np.testing.assert_array_equal(y, expected)


def test_other_forms_of_exponents_in_the_interpreter():
    text = """
    func.func @main(%x: memref<16xf32>) {
      %c0 = arith.constant 0 : index
      %some = arith.constant 1 : i16
      %rounding = arith.constant 4 : i32
      %v = vector.load %x[%c0] : memref<16xf32>, vector<16xf32>
      %e = llvm.call_intrinsic "llvm.x86.avx512.mask.getexp.ps.512"(%v, %v, %some, %rounding) : (vector<16xf32>, vector<16xf32>, i16, i32) -> vector<16xf32>
      func.return
    }"""  # noqa: E501
    with pytest.raises(UninterpretableError) as caught:
        run(parse_module(text, "f.mlir", registry.context()), "main", [np.zeros(16, "float32")])
    assert caught.value.text == (
        "the interpreter knows this intrinsic for all lanes with immediate 4 alone"
    )


def test_inverses_in_the_interpreter():
    text = """
    func.func @main(%x: memref<16xf32>, %y: memref<16xf32>) {
      %c0 = arith.constant 0 : index
      %all = arith.constant -1 : i16
      %v = vector.load %x[%c0] : memref<16xf32>, vector<16xf32>
      %r = llvm.call_intrinsic "llvm.x86.avx512.rcp14.ps.512"(%v, %v, %all) : (vector<16xf32>, vector<16xf32>, i16) -> vector<16xf32>
      vector.store %r, %y[%c0] : memref<16xf32>, vector<16xf32>
      func.return
    }"""  # noqa: E501
    x, y = np.arange(1, 17, dtype="float32"), np.zeros(16, "float32")
    run(parse_module(text, "f.mlir", registry.context()), "main", [x, y])
    np.testing.assert_allclose(y, 1 / x, rtol=2.0**-14)


def test_powers_of_2_in_the_interpreter():
    """The products of the instruction: subnormal numbers are rounded once."""
    text = """
    func.func @main(%x: memref<6xf32>, %n: memref<6xi32>, %y: memref<6xf32>) {
      %c0 = arith.constant 0 : index
      %v = vector.load %x[%c0] : memref<6xf32>, vector<6xf32>
      %k = vector.load %n[%c0] : memref<6xi32>, vector<6xi32>
      %r = llvm.call_intrinsic "llvm.ldexp.v6f32.v6i32"(%v, %k) : (vector<6xf32>, vector<6xi32>) -> vector<6xf32>
      vector.store %r, %y[%c0] : memref<6xf32>, vector<6xf32>
      func.return
    }"""  # noqa: E501
    x = np.array([1.5, 1.9999999, 1.25, -1.5, np.nan, np.inf], "float32")
    n = np.array([3, -149, 200, -200, 1 << 30, -5], "int32")
    y = np.zeros(6, "float32")
    run(parse_module(text, "f.mlir", registry.context()), "main", [x, n, y])
    np.testing.assert_array_equal(y, np.array([12, 2.0**-148, np.inf, -0.0, np.nan, np.inf], "f4"))
    assert np.signbit(y[3])


@runs_here
def test_sigmoid_is_within_two_units_and_subnormal_before_it_is_0():
    """exp(-x) would be infinite from 88.8 on, where the result is a subnormal number, not 0."""
    x = np.concatenate([np.linspace(-103, 20, 4093), [np.inf, -np.inf, np.nan]]).astype("float32")
    a = te.placeholder(x.shape, "float32", name="A")
    b = te.compute(x.shape, lambda i: te.sigmoid(a[i]), name="B")
    c = te.compute(x.shape, lambda i: a[i] * te.sigmoid(a[i]), name="C")
    y, product = kc.build([a, b, c], target=HOST)(x)
    power = np.exp(-np.abs(x.astype("float64")))
    exact = np.where(x < 0, power, 1.0) / (1 + power)
    assert errors(y[:-3], exact[:-3]).max() < 2
    np.testing.assert_array_equal(y[-3:], [1, 0, np.nan])
    normal = slice(700, -3)  # above -82: 1.5 ulp of a subnormal sigmoid are more of the product
    assert errors(product[normal], x[normal] * exact[normal]).max() < 1.5
    np.testing.assert_array_equal(product[-3:], [np.inf, np.nan, np.nan])
    plain = kc.build([a, b], target=PLAIN)(x)  # without fused multiplication and addition
    assert errors(plain[:-3], exact[:-3]).max() < 2


def _gelu_by_tanh(x: Any) -> Any:
    slope = 2 * math.sqrt(2 / math.pi)
    return x * te.sigmoid((x * x * (slope * 0.044715) + slope) * x)


def _exact_share(x: float) -> mpmath.mpf:
    return mpmath.erfc(-mpmath.mpf(x) / mpmath.sqrt(2)) / 2


def _exact_gelu_by_tanh(x: float) -> mpmath.mpf:
    argument = x + mpmath.mpf("0.044715") * mpmath.mpf(x) ** 3
    return mpmath.mpf(x) / (1 + mpmath.exp(-2 * mpmath.sqrt(2 / mpmath.pi) * argument))


@runs_here
@pytest.mark.parametrize("target", [HOST, PLAIN])
@pytest.mark.parametrize(("dtype", "bound"), [("float32", 2), ("float64", 4)])
def test_gelu_does_not_cancel_below_0(dtype: str, bound: float, target: str):
    """To where the results are subnormal, and 0; so the share of the normal distribution alone."""
    end, generator = (15.0 if dtype == "float32" else 40.0), np.random.default_rng(0)
    x = np.concatenate([generator.uniform(-end, 6, 500), -np.geomspace(1e-30, end, 100)])
    x = np.concatenate([x.astype(dtype), np.array([-np.inf, np.inf, np.nan, -0.0], dtype)])
    a = te.placeholder(x.shape, dtype, name="A")
    half = te.compute(x.shape, lambda i: (te.erf(a[i] * math.sqrt(0.5)) + 1.0) * 0.5, name="S")
    limited = te.compute(x.shape, lambda i: te.Select(a[i] < -50, te.const(-50, dtype), a[i]))
    first = te.compute(x.shape, lambda i: _gelu(limited[i]))
    second = te.compute(x.shape, lambda i: _gelu_by_tanh(limited[i]))
    share, gelu, by_tanh = kc.build([a, half, first, second], target=target)(x)
    functions = (_exact_share, lambda v: v * _exact_share(v), _exact_gelu_by_tanh)
    with mpmath.workdps(40):
        for result, function in zip((share, gelu, by_tanh), functions, strict=True):
            exact = np.array([long_double(function(value)) for value in x[:-4].tolist()])
            assert errors(result[:-4], exact).max() <= bound
    np.testing.assert_array_equal(share[-4:], [0, 1, np.nan, 0.5])
    for result in (gelu, by_tanh):
        np.testing.assert_array_equal(result[-4:], [0, np.inf, np.nan, 0])
        np.testing.assert_array_equal(np.signbit(result[[-4, -1]]), [True, True])


APPROXIMATIONS = [op.name.removeprefix("math.") for op in expand_math.APPROXIMATIONS]


@pytest.mark.parametrize("name", APPROXIMATIONS)
def test_approximations_are_within_four_units(name: str):
    error, at, _ = greatest_error(name, "float32", step=200_003, count=1, target=HOST, flags="afn")
    assert error <= 4, at


@pytest.mark.parametrize("name", APPROXIMATIONS)
def test_approximations_have_the_same_infinities_and_nan(name: str):
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -1.0, 1e30, -1e30], "float32")
    np.testing.assert_allclose(
        computed(name, x, target=HOST, flags="afn"), reference(name, x), rtol=1e-6
    )


def test_sigmoid_is_approximated():
    x = np.concatenate([np.linspace(-86, 20, 4093), [np.inf, -np.inf, np.nan]]).astype("float32")
    a = te.placeholder(x.shape, "float32", name="A")
    b = te.compute(x.shape, lambda i: te.sigmoid(a[i]), name="B")
    y = kc.build([a, b], target=f"{HOST} -fast-math-afn")(x)
    exact = 1 / (1 + np.exp(-x[:-3].astype("float64")))
    assert errors(y[:-3], exact).max() < 4
    np.testing.assert_array_equal(y[-3:], [1, 0, np.nan])


def test_fast_math_does_not_undo_what_is_exact():
    """Operations of the expansion have flags of none: log(1 + f) keeps the digits of small f."""
    x = (1 + np.linspace(1e-6, 1e-3, 64)).astype("float32")
    a = te.placeholder((64,), "float32", name="A")
    b = te.compute((64,), lambda i: te.log(a[i]), name="B")
    s = te.create_schedule(b.op)
    s[b].vectorize(b.op.axis[0])
    out = np.zeros_like(x)
    kc.build(s, [a, b], f"{HOST} -fast-math-reassoc -fast-math-contract")(x, out)
    np.testing.assert_allclose(out, np.log(x.astype("float64")), rtol=1.2e-7)


EXTREMA = {
    "minimum": lambda x, y: te.min(x, y),
    "maximum": lambda x, y: te.max(x, y),
    "minimum with 0": lambda x, y: te.min(x, te.const(0.0, x.dtype)),
    "maximum with 0": lambda x, y: te.max(te.const(0.0, x.dtype), x),
    "minimum with -0": lambda x, y: te.min(x, te.const(-0.0, x.dtype)),
    "maximum with -0": lambda x, y: te.max(x, te.const(-0.0, x.dtype)),
}


def extrema(names: Sequence[str], dtype: str, n: int, target: str) -> Any:
    """The kernel of A and B that gives an array for each name."""
    a, b = te.placeholder((n,), dtype, name="A"), te.placeholder((n,), dtype, name="B")

    def computed(name: str) -> te.Tensor:
        return te.compute((n,), lambda i: EXTREMA[name](a[i], b[i]), name="C")

    results = [computed(name) for name in names]
    s = te.create_schedule([c.op for c in results])
    for c in results:
        s[c].vectorize(s[c].split(c.op.axis[0], factor=8)[1])
    return kc.build(s, [a, b, *results], target)


@pytest.mark.parametrize("target", [HOST, PLAIN])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_extrema_have_numpys_nan_and_order_zeros(dtype: str, target: str):
    if target == PLAIN and "x86_64" not in HOST:
        pytest.skip("this kernel is for x86-64")
    numbers = [0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan]
    pairs = [(a, b) for a in numbers for b in numbers]
    x, second = (np.array(column, dtype) for column in zip(*pairs, strict=True))
    outs = [np.zeros_like(x) for _ in EXTREMA]
    extrema(list(EXTREMA), dtype, len(x), target)(x, second, *outs)
    for name, out in zip(EXTREMA, outs, strict=True):
        y = second
        if name.endswith("0"):
            y = np.full_like(x, -0.0 if name.endswith("-0") else 0.0)
        least = name.startswith("minimum")
        expected = (np.minimum if least else np.maximum)(x, y)
        zeros = (x == 0) & (y == 0)
        negative = np.signbit(x) | np.signbit(y) if least else np.signbit(x) & np.signbit(y)
        expected[zeros] = np.where(negative[zeros], -0.0, 0.0)
        np.testing.assert_array_equal(out, expected, err_msg=name)
        ordered = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(out[ordered]), np.signbit(expected[ordered]), name)


@pytest.mark.parametrize(
    ("name", "target", "instructions"),
    [
        ("minimum", "llvm -mcpu=x86-64-v3", ["vminps", "vminps", "vorps"]),
        ("minimum", "llvm -mcpu=x86-64-v4", ["vminps", "vminps", "vorps"]),
        ("maximum with 0", "llvm -mcpu=x86-64-v3", ["vmaxps", "vaddps"]),
        ("maximum with 0", "llvm -mcpu=x86-64-v4", ["vmaxps", "vaddps"]),
        ("minimum with 0", "llvm -mcpu=x86-64-v3", ["vminps"]),
        ("maximum with -0", "llvm -mcpu=x86-64-v3", ["vmaxps"]),
        ("maximum", "llvm -mtriple=aarch64-linux-gnu", ["fmax", "fmax"]),
        ("maximum with 0", "llvm -mtriple=aarch64-linux-gnu", ["fmax", "fmax"]),
    ],
)
def test_instructions_of_extrema(name: str, target: str, instructions: list[str]):
    text = extrema([name], "float32", 8, target).get_source("asm")
    counted = re.findall(
        r"^\t(v?(?:min|max|or|and|add|cmp\w*|blend\w*)ps|f(?:min|max|add|cm\w+))\s", text, re.M
    )
    assert counted == instructions


class PowerOfTwo(RewritePattern):
    """``math.fpowi %x, 2``    ->    a product."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: FPowIOp, rewriter: PatternRewriter, /) -> None:
        rewriter.replace(op, arith.MulfOp(op.operands[0], op.operands[0]))


def test_plugins_add_patterns():
    text = """
    func.func @f(%x: f32, %n: i32) -> (f32, f32) {
      %0 = math.fpowi %x, %n : f32, i32
      %1 = math.rsqrt %x : f32
      func.return %0, %1 : f32, f32
    }"""
    module = parse_module(text, "f.mlir", registry.context())
    added = registry.Registry()
    added.add(Plugin("p", patterns={"expand-math": [f"{__name__}:PowerOfTwo"]}))
    with registry.using(added):
        registry.get_pass("expand-math").apply(registry.context(), module)
    expanded = str(module)
    assert "arith.mulf %x, %x" in expanded
    assert "arith.divf" in expanded
