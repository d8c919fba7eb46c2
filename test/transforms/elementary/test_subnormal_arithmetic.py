"""The arithmetic that functions become has no subnormal operands and results, whatever the argument
is: on many processors each is an assist of the microcode, some 150 cycles a vector."""

from __future__ import annotations

import math
import re

import float_flags
import numpy as np
import pytest
from property_tests import sliced
from recorded_arithmetic import record
from ulp_errors import FUNCTIONS

import kc
from kc import te

HOST = str(kc.target.Target.host_cpu())
ONE_THREAD = re.sub(r"-num-cores=\d+", "-num-cores=1", HOST)
AVX2 = "llvm -mcpu=haswell"

pytestmark = pytest.mark.skipif("x86_64" not in HOST, reason="the kernels are for x86-64")


def arguments(dtype: str) -> np.ndarray:
    """Two numbers of each decade (of float64 each third one), of both signs, what is no number, and
    a grid where exponentials are subnormal and 0."""
    info = np.finfo(dtype)
    least, most = int(math.log10(info.smallest_subnormal)), int(math.log10(info.max))
    decades = 10.0 ** np.arange(least, most + 1, 1 if dtype == "float32" else 3, dtype="longdouble")
    ends = [np.inf, np.nan, 0.0, 1.0, float(info.tiny), 2 * float(info.tiny)]
    positive = np.concatenate([decades, 3 * decades[:-1], ends])
    end = 120 if dtype == "float32" else 800
    numbers = np.concatenate([positive, -positive, np.linspace(-end, end, 401)]).astype(dtype)
    return np.resize(numbers, -(-len(numbers) // 16) * 16)


SIGMOID = """
    %one = arith.constant dense<1.0> : {v}
    %zero_ = arith.constant dense<0.0> : {v}
    %abs = math.absf %x : {v}
    %neg = arith.negf %abs : {v}
    %p = math.exp %neg : {v}
    %below = arith.cmpf olt, %x, %zero_ : {v}
    %above = arith.select %below, %p, %one : vector<16xi1>, {v}
    %sum = arith.addf %one, %p : {v}
    %s = arith.divf %above, %sum : {v}
"""
SHARE = """
    %root = arith.constant dense<0.7071067811865476> : {v}
    %one = arith.constant dense<1.0> : {v}
    %half = arith.constant dense<0.5> : {v}
    %scaled = arith.mulf %x, %root : {v}
    %e = math.erf %scaled : {v}
    %sum = arith.addf %e, %one : {v}
    %s = arith.mulf %sum, %half : {v}
"""
PRODUCT = "    %z = arith.mulf %x, %s : {v}"

COMPOSED = {
    "sigmoid": SIGMOID.replace("%s =", "%z ="),
    "silu": SIGMOID + PRODUCT,
    "normal share": SHARE.replace("%s =", "%z ="),
    "gelu": SHARE + PRODUCT,
}


@pytest.mark.parametrize(
    ("name", "dtype", "target"),
    [
        *((name, "float32", HOST) for name in (*FUNCTIONS, *COMPOSED)),
        *sliced(((name, "float64", HOST) for name in (*FUNCTIONS, *COMPOSED)), 4),
        *sliced(((name, "float32", AVX2) for name in (*FUNCTIONS, *COMPOSED)), 4),
    ],
)
def test_no_calculation_has_a_subnormal_number(name: str, dtype: str, target: str):
    if name == "sqrt":
        pytest.skip("an instruction of its own")
    x = arguments(dtype)
    type_ = f"vector<16x{'f32' if dtype == 'float32' else 'f64'}>"
    if name in COMPOSED:
        recorded = record(COMPOSED[name].format(v=type_), dtype, target, x)
        # %x * sqrt(1/2) is not a part of the function, and is left where erf is.
        assert not any(op == "math.erf" for op, _ in recorded.values)
    else:
        two = FUNCTIONS[name].arguments == 2
        operands = "%x, %y" if two else "%x"
        columns = (x, np.random.default_rng(0).permutation(x)) if two else (x,)
        recorded = record(f"    %z = math.{name} {operands} : {type_}", dtype, target, *columns)
    bad = recorded.subnormal()
    if name == "atan2":  # whose quotient is the result where that is small
        bad &= np.abs(recorded.result) >= np.finfo(dtype).tiny
    assert len(recorded.values) > 5
    np.testing.assert_array_equal(x[bad], [])


TE_FUNCTIONS = {
    **{
        name: getattr(te, name)
        for name in (
            *(
                "exp",
                "exp2",
                "expm1",
                "log",
                "log2",
                "log10",
                "log1p",
                "rsqrt",
                "cbrt",
                "tanh",
                "sinh",
            ),
            *(
                "cosh",
                "asinh",
                "acosh",
                "atanh",
                "erf",
                "sin",
                "cos",
                "tan",
                "asin",
                "acos",
                "atan",
            ),
        )
        if hasattr(te, name)
    },
    "power": lambda x: te.power(x, x),
    "sigmoid": te.sigmoid,
    "silu": lambda x: x * te.sigmoid(x),
    "gelu": lambda x: x * ((te.erf(x * math.sqrt(0.5)) + 1.0) * 0.5),
    "gelu by tanh": lambda x: (
        x
        * te.sigmoid(
            (x * x * (2 * math.sqrt(2 / math.pi) * 0.044715) + 2 * math.sqrt(2 / math.pi)) * x
        )
    ),
}
"""The functions of te."""

_EXTERNAL = ("gelu by tanh",)
"""The operands of which are products of x."""


@pytest.mark.skipif(not float_flags.IS_X86, reason="the flags are those of x86")
@pytest.mark.parametrize("name", TE_FUNCTIONS)
def test_the_code_underflows_nowhere(name: str):
    """LLVM has left what keeps subnormal numbers out: for no number is the result of an instruction
    one, and for no normal number an operand."""
    x = arguments("float32")
    if name in _EXTERNAL:
        x = x[~(np.abs(x) < 1e-10) | (x == 0)]
    x = np.resize(x, -(-len(x) // 64) * 64)
    a = te.placeholder(x.shape, "float32", name="A")
    b = te.compute(x.shape, lambda i: TE_FUNCTIONS[name](a[i]), name="B")
    kernel, out = (
        kc.build([a, b], target=ONE_THREAD),
        np.empty_like(x),
    )
    number = [np.full_like(x, value) for value in np.unique(x)]
    underflows = [
        float(column[0])
        for column in number
        if float_flags.noted(lambda column=column: kernel(column, out)) & float_flags.UNDERFLOW
    ]
    assert underflows == []
    denormal = [
        float(column[0])
        for column in number
        if not 0 < abs(column[0]) < np.finfo("float32").tiny
        and float_flags.noted(lambda column=column: kernel(column, out)) & float_flags.DENORMAL
    ]
    assert denormal == []
