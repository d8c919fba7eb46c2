"""The intrinsics of LLVM that tensor intrinsics call by ``llvm.call_intrinsic``.

Other implementations can be registered on an interpreter, as for any op.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import IntegerType, VectorType
from xdsl.interpreter import InterpreterFunctions, register_impls

from kc.analysis.interpreter.engine import KernelInterpreter, Run, prepared
from kc.analysis.interpreter.errors import UninterpretableError
from kc.analysis.interpreter.values import Poison, wrapper
from kc.dialects.llvm.call import CallIntrinsicOp

_TYPES = re.compile(r"(\.(v\d+)?[iu]\d+)+$")
"""The types at the end of the name of an intrinsic: ``.v4i32.v16i8``."""

Numbers = Sequence[int]
Implementation = Callable[[int], Run]
"""The function that runs an intrinsic, by the width of a lane of its result. Numbers are signed."""


def _groups(compute: Callable[..., int], *sizes: int) -> Implementation:
    """Lane ``n`` of the result is computed from group ``n`` of each operand: so many lanes."""

    def places(n: int) -> list[slice]:
        return [slice(n * size, n * size + size) for size in sizes]

    return _lanes(compute, places, lambda operands: len(operands[0]) // sizes[0])


def _lanes(
    compute: Callable[..., int],
    places: Callable[[int], Sequence[slice]],
    count: Callable[[Sequence[np.ndarray]], int],
) -> Implementation:
    """Lane ``n`` of ``count`` is computed from the ``places`` of the operands for it."""

    def prepare(width: int) -> Run:
        wrap = wrapper(width)

        def lane(n: int, operands: Sequence[np.ndarray]) -> Any:
            parts = [operand[place] for operand, place in zip(operands, places(n), strict=True)]
            values = (value for part in parts for value in part)
            poison = next((value for value in values if isinstance(value, Poison)), None)
            return wrap(compute(*parts)) if poison is None else poison

        def run(*operands: np.ndarray) -> np.ndarray:
            lanes = np.empty(count(operands), object)
            lanes[:] = [lane(n, operands) for n in range(len(lanes))]
            return lanes

        return run

    return prepare


def _joined(implementation: Implementation) -> Implementation:
    """On the lanes of all operands, one after the other."""

    def prepare(width: int) -> Run:
        run = implementation(width)
        return lambda *operands: run(np.concatenate(operands))

    return prepare


def _unsigned(values: Numbers, bits: int) -> Numbers:
    return [value & ((1 << bits) - 1) for value in values]


def _dot(a: Numbers, b: Numbers) -> int:
    return sum(x * y for x, y in zip(a, b, strict=True))


def _bytes(a_signed: bool, b_signed: bool) -> Callable[[Numbers, Numbers, Numbers], int]:
    """A lane plus the sum of products of bytes."""

    def compute(total: Numbers, a: Numbers, b: Numbers) -> int:
        a = a if a_signed else _unsigned(a, 8)
        return total[0] + _dot(a, b if b_signed else _unsigned(b, 8))

    return compute


def _rows_of_eight(n: int) -> list[slice]:
    """The rows of the two matrices whose product is lane ``n`` of 2x2."""
    row, column = divmod(n, 2)
    return [slice(n, n + 1), slice(8 * row, 8 * row + 8), slice(8 * column, 8 * column + 8)]


def _product_of_matrices(a_signed: bool, b_signed: bool) -> Implementation:
    return _lanes(_bytes(a_signed, b_signed), _rows_of_eight, lambda operands: len(operands[0]))


def _saturated(a: Numbers, b: Numbers) -> int:
    """Two products of unsigned by signed bytes, in 16 bits."""
    return min(max(_dot(_unsigned(a, 8), b), -(1 << 15)), (1 << 15) - 1)


_PAIRS = _groups(sum, 2)
_MORE_PAIRS = _groups(lambda total, pair: total[0] + sum(pair), 1, 2)

INTRINSICS: dict[str, Implementation] = {
    "llvm.x86.avx512.vpdpbusd.128": _groups(_bytes(False, True), 1, 4, 4),
    "llvm.x86.avx512.vpdpbusd.256": _groups(_bytes(False, True), 1, 4, 4),
    "llvm.x86.avx512.vpdpbusd.512": _groups(_bytes(False, True), 1, 4, 4),
    "llvm.x86.ssse3.pmadd.ub.sw.128": _groups(_saturated, 2, 2),
    "llvm.x86.avx2.pmadd.ub.sw": _groups(_saturated, 2, 2),
    "llvm.x86.avx512.pmaddubs.w.512": _groups(_saturated, 2, 2),
    "llvm.x86.sse2.pmadd.wd": _groups(_dot, 2, 2),
    "llvm.x86.avx2.pmadd.wd": _groups(_dot, 2, 2),
    "llvm.x86.avx512.pmaddw.d.512": _groups(_dot, 2, 2),
    "llvm.aarch64.neon.sdot": _groups(_bytes(True, True), 1, 4, 4),
    "llvm.aarch64.neon.udot": _groups(_bytes(False, False), 1, 4, 4),
    "llvm.aarch64.neon.usdot": _groups(_bytes(False, True), 1, 4, 4),
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
"""Name without types -> what runs it."""


@register_impls
class LlvmIntrinsicFunctions(InterpreterFunctions):
    """``llvm.call_intrinsic``."""

    @prepared(CallIntrinsicOp)
    def call_intrinsic(self, interpreter: KernelInterpreter, op: CallIntrinsicOp) -> Run:
        name = op.intrin.data
        intrinsic = INTRINSICS.get(_TYPES.sub("", name))
        type_ = op.results[0].type if op.results else None
        element = type_.element_type if isinstance(type_, VectorType) else None
        if intrinsic is None or not isinstance(element, IntegerType):
            raise UninterpretableError(op, f"the interpreter does not know {name}")
        return intrinsic(element.width.data)
