"""LLVM intrinsics that tensor intrinsics call through ``llvm.call_intrinsic``.

Other implementations can be registered on an interpreter, as for any op.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import Float32Type, Float64Type, IntegerType, VectorType
from xdsl.interpreter import InterpreterFunctions, register_impls

from kc.analysis.interpreter.engine import KernelInterpreter, Run, prepared
from kc.analysis.interpreter.errors import UninterpretableError
from kc.analysis.interpreter.values import Poison, wrapper
from kc.dialects.llvm.call import CallIntrinsicOp

_TYPES = re.compile(r"(\.(v\d+)?(i|u|f|bf)\d+)+$")
"""The type suffix of an intrinsic's name, such as ``.v4i32.v16i8``."""

Numbers = Sequence[int]
Keep = Callable[[Any], Any]
"""Converts a number to the type of a lane; integers wrap to their width, signed."""
Implementation = Callable[[Keep], Run]
"""Maker of the function that runs an intrinsic, from the conversion of result lanes."""


def _groups(compute: Callable[..., Any], *sizes: int) -> Implementation:
    """The implementation that computes lane ``n`` of the result from group ``n`` of each operand.
    ``sizes`` are the lanes per group.
    """

    def places(n: int) -> list[slice]:
        return [slice(n * size, n * size + size) for size in sizes]

    return _lanes(compute, places, lambda operands: len(operands[0]) // sizes[0])


def _lanes(
    compute: Callable[..., Any],
    places: Callable[[int], Sequence[slice]],
    count: Callable[[Sequence[np.ndarray]], int],
) -> Implementation:
    """The implementation that computes lane ``n`` of ``count`` from the lanes ``places(n)`` of the
    operands.
    """

    def prepare(keep: Keep) -> Run:
        def lane(n: int, operands: Sequence[np.ndarray]) -> Any:
            parts = [operand[place] for operand, place in zip(operands, places(n), strict=True)]
            values = (value for part in parts for value in part)
            poison = next((value for value in values if isinstance(value, Poison)), None)
            return keep(compute(*parts)) if poison is None else poison

        def run(*operands: np.ndarray) -> np.ndarray:
            lanes = np.empty(count(operands), object)
            lanes[:] = [lane(n, operands) for n in range(len(lanes))]
            return lanes

        return run

    return prepare


def _joined(implementation: Implementation) -> Implementation:
    """The implementation that applies ``implementation`` to the concatenated lanes of all
    operands.
    """

    def prepare(keep: Keep) -> Run:
        run = implementation(keep)
        return lambda *operands: run(np.concatenate(operands))

    return prepare


def _unsigned(values: Numbers, bits: int) -> Numbers:
    return [value & ((1 << bits) - 1) for value in values]


def _dot(a: Numbers, b: Numbers) -> int:
    return sum(x * y for x, y in zip(a, b, strict=True))


def _more_products(total: Numbers, a: Numbers, b: Numbers) -> int:
    """The accumulator lane plus the sum of products."""
    return total[0] + _dot(a, b)


def _bytes(a_signed: bool, b_signed: bool) -> Callable[[Numbers, Numbers, Numbers], int]:
    """The accumulator lane plus the sum of products of bytes."""

    def compute(total: Numbers, a: Numbers, b: Numbers) -> int:
        a = a if a_signed else _unsigned(a, 8)
        return total[0] + _dot(a, b if b_signed else _unsigned(b, 8))

    return compute


def _narrow_products(total: Sequence[Any], a: Sequence[Any], b: Sequence[Any]) -> np.float32:
    """An accumulator lane of f32 plus products of bfloat16 or half, added from the last to the
    first and rounded to f32 after each.

    Subnormal numbers count as 0. The sums of ``bfdot`` may differ from these in the last place.
    """
    result = _normal(total[0])
    for x, y in zip(a[::-1], b[::-1], strict=True):
        product = float(_normal(np.float32(x))) * float(_normal(np.float32(y)))
        result = _normal(np.float32(float(result) + product))
    return result


def _normal(value: np.float32) -> np.float32:
    """``value``, with subnormal numbers flushed to a zero of the same sign."""
    return (
        value if not abs(value) < np.finfo(np.float32).tiny else np.copysign(np.float32(0), value)
    )


def _rows_of(size: int) -> Callable[[int], list[slice]]:
    """The slices that lane ``n`` of a 2x2 product reads: the accumulator lane, and a row of
    ``size`` elements of each matrix.
    """

    def places(n: int) -> list[slice]:
        parts = [slice(size * half, size * half + size) for half in divmod(n, 2)]
        return [slice(n, n + 1), *parts]

    return places


def _product_of_matrices(a_signed: bool, b_signed: bool) -> Implementation:
    return _lanes(_bytes(a_signed, b_signed), _rows_of(8), lambda operands: len(operands[0]))


def _times_power_of_2(value: Sequence[Any], exponent: Numbers) -> Any:
    """An f32 times a power of 2, rounded once."""
    with np.errstate(all="ignore"):
        return np.ldexp(np.float32(value[0]), max(min(int(exponent[0]), 1000), -1000))


def _exponent(value: np.float32) -> np.float32:
    """The exponent of an f32 as a float; infinite for 0 and infinities."""
    if not np.isfinite(value) or value == 0:
        return np.float32(-np.inf) if value == 0 else np.abs(value)
    return np.float32(np.frexp(value)[1] - 1)


def _fraction(value: np.float32) -> np.float32:
    """The mantissa of an f32, scaled to at least 0.75 and below 1.5; NaN for negative numbers."""
    if value < 0 or np.isnan(value):
        return np.float32(np.nan)
    if value == 0 or np.isinf(value):
        return np.copysign(np.float32(1), value)
    fraction = np.frexp(value)[0]
    return fraction if fraction >= 0.75 else 2 * fraction


def _scaled(value: np.floating, power: np.floating) -> np.floating:
    """A float times 2 to the floor of ``power``, rounded once."""
    with np.errstate(all="ignore"):
        if not np.isfinite(power):
            return value * (power if np.isnan(power) else type(value)(np.exp2(power)))
        return np.ldexp(value, int(np.clip(np.floor(power), -10_000, 10_000)))


def _of_first(compute: Callable[[np.float32], np.float32], *immediates: int) -> Implementation:
    """The implementation that applies ``compute`` to the lanes of the first operand. The other
    operands must be ``immediates``, the lanes of masked-out results, a full mask, and the number of
    the current rounding mode.
    """
    return _masked(compute, 1, *immediates)


def _masked(
    compute: Callable[..., Any], count: int, *immediates: int, rounds: bool = True
) -> Implementation:
    """The implementation that applies ``compute`` to the lanes of the first ``count`` operands,
    like :func:`_of_first`. ``rounds``: the intrinsic has a rounding mode.
    """
    last = (-1, 4) if rounds else (-1,)

    def prepare(keep: Keep) -> Run:
        def run(*operands: Any) -> np.ndarray:
            vectors = operands[:count]
            trailing = list(operands[count:])
            del trailing[len(immediates)]
            if tuple(trailing) != (*immediates, *last):
                numbers = ", ".join(f"immediate {number}" for number in (*immediates, *last[1:]))
                raise UninterpretableError(
                    None, f"the interpreter knows this intrinsic for all lanes with {numbers} alone"
                )
            result = np.empty(len(vectors[0]), object)
            result[:] = [
                next((value for value in lane if isinstance(value, Poison)), None)
                or keep(compute(*lane))
                for lane in zip(*vectors, strict=True)
            ]
            return result

        return run

    return prepare


def _inverse(x: np.floating[Any]) -> np.floating[Any]:
    """The reciprocal of ``x``. Processors return approximations that agree in the first 14
    digits.
    """
    with np.errstate(divide="ignore"):
        return type(x)(1) / x


def _saturated(a: Numbers, b: Numbers) -> int:
    """The sum of two products of unsigned by signed bytes, saturated to 16 bits."""
    return min(max(_dot(_unsigned(a, 8), b), -(1 << 15)), (1 << 15) - 1)


_PAIRS = _groups(sum, 2)
_MORE_PAIRS = _groups(lambda total, pair: total[0] + sum(pair), 1, 2)

INTRINSICS: dict[str, Implementation] = {
    "llvm.ldexp": _groups(_times_power_of_2, 1, 1),
    "llvm.x86.avx512.vpdpbusd.128": _groups(_bytes(False, True), 1, 4, 4),
    "llvm.x86.avx512.vpdpbusd.256": _groups(_bytes(False, True), 1, 4, 4),
    "llvm.x86.avx512.vpdpbusd.512": _groups(_bytes(False, True), 1, 4, 4),
    **dict.fromkeys(
        ("llvm.x86.avx2.vpdpbssd.256", "llvm.x86.avx10.vpdpbssd.512"),
        _groups(_bytes(True, True), 1, 4, 4),
    ),
    **dict.fromkeys(
        ("llvm.x86.avx2.vpdpbuud.256", "llvm.x86.avx10.vpdpbuud.512"),
        _groups(_bytes(False, False), 1, 4, 4),
    ),
    "llvm.x86.avx512.vpdpwssd.256": _groups(_more_products, 1, 2, 2),
    "llvm.x86.avx512.vpdpwssd.512": _groups(_more_products, 1, 2, 2),
    "llvm.x86.avx512bf16.dpbf16ps.512": _groups(_narrow_products, 1, 2, 2),
    "llvm.x86.avx10.vdpphps.512": _groups(_narrow_products, 1, 2, 2),
    "llvm.x86.avx512.mask.getexp.ps.512": _of_first(_exponent),
    "llvm.x86.avx512.mask.getmant.ps.512": _of_first(_fraction, 0b1011),
    "llvm.x86.avx512.mask.scalef.ps.512": _masked(_scaled, 2),
    "llvm.x86.avx512.mask.scalef.pd.512": _masked(_scaled, 2),
    "llvm.x86.avx512.rcp14.ps.512": _masked(_inverse, 1, rounds=False),
    "llvm.x86.avx512.rcp14.pd.512": _masked(_inverse, 1, rounds=False),
    "llvm.x86.ssse3.pmadd.ub.sw.128": _groups(_saturated, 2, 2),
    "llvm.x86.avx2.pmadd.ub.sw": _groups(_saturated, 2, 2),
    "llvm.x86.avx512.pmaddubs.w.512": _groups(_saturated, 2, 2),
    "llvm.x86.sse2.pmadd.wd": _groups(_dot, 2, 2),
    "llvm.x86.avx2.pmadd.wd": _groups(_dot, 2, 2),
    "llvm.x86.avx512.pmaddw.d.512": _groups(_dot, 2, 2),
    "llvm.aarch64.neon.sdot": _groups(_bytes(True, True), 1, 4, 4),
    "llvm.aarch64.neon.udot": _groups(_bytes(False, False), 1, 4, 4),
    "llvm.aarch64.neon.usdot": _groups(_bytes(False, True), 1, 4, 4),
    "llvm.aarch64.neon.bfdot": _groups(_narrow_products, 1, 2, 2),
    "llvm.aarch64.neon.bfmmla": _lanes(
        _narrow_products, _rows_of(4), lambda operands: len(operands[0])
    ),
    "llvm.aarch64.neon.smmla": _product_of_matrices(True, True),
    "llvm.aarch64.neon.ummla": _product_of_matrices(False, False),
    "llvm.aarch64.neon.usmmla": _product_of_matrices(False, True),
    "llvm.aarch64.neon.smull": _groups(_dot, 1, 1),
    "llvm.aarch64.neon.saddlp": _PAIRS,
    "llvm.aarch64.neon.addp": _joined(_PAIRS),
    "llvm.arm.neon.vpaddls": _PAIRS,
    "llvm.arm.neon.vpadals": _MORE_PAIRS,
    "llvm.arm.neon.vpadd": _joined(_PAIRS),
}
"""Implementations by name without types."""


def _same(value: Any) -> Any:
    return value


@register_impls
class LlvmIntrinsicFunctions(InterpreterFunctions):
    """``llvm.call_intrinsic``."""

    @prepared(CallIntrinsicOp)
    def call_intrinsic(self, interpreter: KernelInterpreter, op: CallIntrinsicOp) -> Run:
        name = op.intrin.data
        intrinsic = INTRINSICS.get(_TYPES.sub("", name))
        type_ = op.results[0].type if op.results else None
        element = type_.element_type if isinstance(type_, VectorType) else None
        if intrinsic is None or not isinstance(element, IntegerType | Float32Type | Float64Type):
            raise UninterpretableError(op, f"the interpreter does not know {name}")
        return intrinsic(wrapper(element.width.data) if isinstance(element, IntegerType) else _same)
