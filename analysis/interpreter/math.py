"""The ops of ``math``.

Functions that IEEE 754 defines exactly (sqrt, fma, rounding, ...) are exact. The others are
evaluated in double precision and rounded to the type: within an ulp, and for f16 and f32 nearly
always the nearest value.
"""

from __future__ import annotations

import math as python_math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from xdsl.dialects import math
from xdsl.interpreter import InterpreterFunctions
from xdsl.ir import Operation

from kc.analysis.interpreter.arith_integer import signed, unsigned
from kc.analysis.interpreter.elementwise import Scalar, elementwise_functions
from kc.analysis.interpreter.errors import ExecutionError
from kc.analysis.interpreter.values import (
    float_type,
    int_width,
    round_exactly,
    rounding,
    wrapper,
)
from kc.dialects.math import ErfcOp


def _in_double(function: Callable[..., Any]) -> Callable[[Operation], Scalar]:
    """A function of doubles with its result rounded to the type of the op."""

    def make(op: Operation) -> Scalar:
        round_to = rounding(op, op.results[0].type)
        return lambda *args: round_to(function(*map(np.float64, args)))

    return make


def _in_type(function: Callable[..., Any]) -> Callable[[Operation], Scalar]:
    """A function that numpy evaluates exactly in the type of its arguments."""

    def make(op: Operation) -> Scalar:
        float_type(op, op.results[0].type)
        return function

    return make


def _on_bits(function: Callable[[int, int], int]) -> Callable[[Operation], Scalar]:
    """A function of the unsigned value and its width."""

    def make(op: Operation) -> Scalar:
        width = int_width(op, op.results[0].type)
        read, wrap = unsigned(width), wrapper(width)
        return lambda a: wrap(function(read(a), width))

    return make


def round_half_away(a: Any) -> Any:
    """The nearest whole float; ties away from zero."""
    whole = np.trunc(a)
    # The difference is exact, unlike the sum of `a` and a half.
    return whole + np.copysign(type(a)(1), a) if abs(a - whole) >= 0.5 else whole


def fused_multiply_add(kind: type[np.floating], a: Any, b: Any, c: Any) -> np.floating:
    """``a * b + c`` rounded once."""
    if np.isfinite(a) and np.isfinite(b) and np.isfinite(c):
        exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
        if exact:
            return round_exactly(exact, kind)
    elif np.isfinite(a) and np.isfinite(b):
        return c
    # Infinities, NaN, and the sign of a zero.
    return kind(np.float64(a) * np.float64(b) + np.float64(c))


def _fma(op: Operation) -> Scalar:
    kind = float_type(op, op.results[0].type)
    return lambda a, b, c: fused_multiply_add(kind, a, b, c)


def _absolute(op: Operation) -> Scalar:
    width = int_width(op, op.results[0].type)
    read, wrap = signed(width), wrapper(width)
    return lambda a: wrap(abs(read(a)))


def _integer_power(op: Operation) -> Scalar:
    width = int_width(op, op.results[0].type)
    read, wrap = signed(width), wrapper(width)

    def power(a: int, b: int) -> int:
        base, exponent = read(a), read(b)
        if exponent >= 0:
            return wrap(pow(base, exponent, 1 << width))
        if base == 0:
            raise ExecutionError(op, f"zero to the power {exponent}")
        return wrap(base ** (exponent & 1) if base in (1, -1) else 0)

    return power


def _power(a: Any, b: Any) -> Any:
    """``a ** b``. For the square root of -inf, numpy returns NaN for a scalar but inf for an array
    element.
    """
    return np.power(np.array([a]), np.array([b]))[0]


def _power_of_integer(op: Operation) -> Scalar:
    kind = float_type(op, op.results[0].type)
    read = signed(int_width(op, op.operands[1].type))
    return lambda a, b: kind(np.power(np.float64(a), np.float64(read(b))))


def _reciprocal_root(a: np.float64) -> np.float64:
    return np.float64(1) / np.sqrt(a)


MATH_OPS: dict[type[Operation], Callable[[Operation], Scalar]] = {
    math.AbsFOp: _in_type(np.abs),
    math.CeilOp: _in_type(np.ceil),
    math.FloorOp: _in_type(np.floor),
    math.TruncOp: _in_type(np.trunc),
    math.RoundEvenOp: _in_type(np.rint),
    math.RoundOp: _in_type(round_half_away),
    math.CopySignOp: _in_type(np.copysign),
    math.SqrtOp: _in_type(np.sqrt),
    math.FmaOp: _fma,
    math.AcosOp: _in_double(np.arccos),
    math.AcoshOp: _in_double(np.arccosh),
    math.AsinOp: _in_double(np.arcsin),
    math.AsinhOp: _in_double(np.arcsinh),
    math.AtanOp: _in_double(np.arctan),
    math.AtanhOp: _in_double(np.arctanh),
    math.Atan2Op: _in_double(np.arctan2),
    math.CbrtOp: _in_double(np.cbrt),
    math.CosOp: _in_double(np.cos),
    math.CoshOp: _in_double(np.cosh),
    math.ErfOp: _in_double(python_math.erf),
    ErfcOp: _in_double(python_math.erfc),
    math.ExpOp: _in_double(np.exp),
    math.Exp2Op: _in_double(np.exp2),
    math.ExpM1Op: _in_double(np.expm1),
    math.LogOp: _in_double(np.log),
    math.Log10Op: _in_double(np.log10),
    math.Log1pOp: _in_double(np.log1p),
    math.Log2Op: _in_double(np.log2),
    math.PowFOp: _in_double(_power),
    math.RsqrtOp: _in_double(_reciprocal_root),
    math.SinOp: _in_double(np.sin),
    math.SinhOp: _in_double(np.sinh),
    math.TanOp: _in_double(np.tan),
    math.TanhOp: _in_double(np.tanh),
    math.FPowIOp: _power_of_integer,
    math.IPowIOp: _integer_power,
    math.AbsIOp: _absolute,
    math.CountLeadingZerosOp: _on_bits(lambda bits, width: width - bits.bit_length()),
    math.CountTrailingZerosOp: _on_bits(
        lambda bits, width: (bits & -bits).bit_length() - 1 if bits else width
    ),
    math.CtPopOp: _on_bits(lambda bits, width: bits.bit_count()),
}
"""Builders of the scalar function of each op."""


def math_functions() -> InterpreterFunctions:
    """The implementations of the ops of ``math``."""
    return elementwise_functions("MathFunctions", MATH_OPS)
