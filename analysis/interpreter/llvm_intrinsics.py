"""The intrinsics of LLVM that ``llvm.call_intrinsic`` names, as far as tensor intrinsics use them.

Other implementations can be registered on an interpreter, as for any op.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.interpreter import InterpreterFunctions, register_impls

from kc.analysis.interpreter.engine import KernelInterpreter, Run, prepared
from kc.analysis.interpreter.errors import ExecutionError
from kc.analysis.interpreter.values import Poison, splat, wrapper
from kc.dialects.llvm_call import CallIntrinsicOp

_WRAP = wrapper(32)


def _dot_of_fours(a_mask: int, b_mask: int) -> Run:
    """Each lane plus the sum of four products of bytes; a mask of 0xFF makes bytes unsigned."""

    def run(total: np.ndarray, a: np.ndarray, b: np.ndarray) -> np.ndarray:
        result = splat(total.shape, 0)
        for lane in range(len(total)):
            fours = slice(4 * lane, 4 * lane + 4)
            values = [total[lane], *a[fours], *b[fours]]
            poison = next((one for one in values if isinstance(one, Poison)), None)
            if poison is not None:
                result[lane] = poison
                continue
            pairs = zip(a[fours], b[fours], strict=True)
            products = (_byte(x, a_mask) * _byte(y, b_mask) for x, y in pairs)
            result[lane] = _WRAP(total[lane] + sum(products))
        return result

    return run


def _byte(value: int, mask: int) -> int:
    return value & mask if mask else value


INTRINSICS: dict[str, Callable[..., Any]] = {
    "llvm.x86.avx512.vpdpbusd.512": _dot_of_fours(0xFF, 0),
    "llvm.aarch64.neon.sdot.v4i32.v16i8": _dot_of_fours(0, 0),
    "llvm.aarch64.neon.udot.v4i32.v16i8": _dot_of_fours(0xFF, 0xFF),
}
"""Name -> what it computes."""


@register_impls
class LlvmIntrinsicFunctions(InterpreterFunctions):
    """``llvm.call_intrinsic``."""

    @prepared(CallIntrinsicOp)
    def call_intrinsic(self, interpreter: KernelInterpreter, op: CallIntrinsicOp) -> Run:
        found = INTRINSICS.get(op.intrin.data)
        if found is None:
            raise ExecutionError(op, f"the interpreter does not know {op.intrin.data}")
        return found
