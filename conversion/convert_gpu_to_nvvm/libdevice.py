"""Functions left to libdevice, NVIDIA's device library.

``expand-math`` leaves them for targets with ``-libs=libdevice``; :mod:`kc.codegen.ptx` links
kernels with the library.
"""

from __future__ import annotations

from xdsl.dialects import math
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion.convert_to_llvm.function import LlvmPattern
from kc.conversion.convert_to_llvm.math import call_library
from kc.conversion.convert_to_llvm.types import require_wide
from kc.support.libdevice import PREFIX

_NAMES = {"math.powf": "pow"}
"""The names of functions that differ from the name of the operation."""


class CallLibdevice(LlvmPattern):
    """A call of the library's function; narrower floats are computed in f32, vectors lane by lane.

    ::

        %b = math.exp %a : f32    ->    %b = llvm.call @__nv_expf(%a) : (f32) -> f32
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: math.AcosOp
        | math.AcoshOp
        | math.AsinOp
        | math.AsinhOp
        | math.AtanOp
        | math.Atan2Op
        | math.AtanhOp
        | math.CbrtOp
        | math.CosOp
        | math.CoshOp
        | math.ErfOp
        | math.ExpOp
        | math.Exp2Op
        | math.ExpM1Op
        | math.LogOp
        | math.Log10Op
        | math.Log1pOp
        | math.Log2Op
        | math.PowFOp
        | math.RsqrtOp
        | math.SinOp
        | math.SinhOp
        | math.TanOp
        | math.TanhOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        require_wide(op)
        name = _NAMES.get(op.name, op.name.removeprefix("math."))
        call_library(self.conversion, op, f"{PREFIX}{name}")


PATTERNS: tuple[type[RewritePattern], ...] = (CallLibdevice,)
