"""gpu-approximate-math: compute functions that may be approximated with instructions of NVIDIA's
GPUs.

Before::

    gpu.func @k(...) kernel {
      %y = math.exp %x fastmath<afn> : f32

After::

    gpu.func @k(...) kernel {
      %0 = arith.mulf %x, %log2_e fastmath<afn> : f32
      %y = math.exp2 %0 fastmath<afn> {kc.library} : f32

The flag ``afn`` permits approximating a function (``-fast-math`` or ``-fast-math-afn`` of a target
sets it). A GPU has instructions for powers and logarithms of two, sines, cosines and inverse square
roots of f32, and from sm_75 on for hyperbolic tangents. Other functions are composed of these. The
instructions are accurate to about 22 bits, sines and cosines only for small arguments, hyperbolic
tangents to 11 bits (PTX ISA, ``ex2``, ``lg2``, ``sin``, ``cos``, ``rsqrt``, ``tanh``). Narrower
floats are computed in f32. ``expand-math`` handles f64 and functions without the flag.

``convert-gpu-to-nvvm`` emits the instructions. The emulator calls the C library instead, which is
more accurate.
"""

from __future__ import annotations

import math as python_math
from collections.abc import Callable
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, math
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    Float32Type,
    FloatAttr,
    ModuleOp,
    UnitAttr,
    VectorType,
    f32,
)
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern
from xdsl.rewriter import InsertPoint

from kc.dialects.gpu import GPUModuleOp
from kc.support.nvidia import architecture_of
from kc.support.target import Target, target_of
from kc.transforms.expand_math import LIBRARY, NARROW_FLOATS

LEAST_TANH = 75
"""The first architecture with an instruction for hyperbolic tangents."""


@dataclass(frozen=True)
class GpuApproximateMathPass(ModulePass):
    """Compute functions with the flag afn by instructions of NVIDIA's GPUs, in kernels."""

    name = "gpu-approximate-math"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        target = target_of(op)
        if target.kind not in ("cuda", "cuda-emu"):
            return
        walker = PatternRewriteWalker(Approximate(target), apply_recursively=False)
        for home in op.ops:
            if isinstance(home, GPUModuleOp):
                walker.rewrite_region(home.body)


class _Code:
    """Inserts operations before an operation, with its location and its flags."""

    def __init__(self, op: Operation, rewriter: PatternRewriter, flags: Attribute) -> None:
        self._op, self._rewriter, self._flags = op, rewriter, flags

    def add(self, new: Operation) -> SSAValue:
        new.location = self._op.location
        self._rewriter.insert(new, InsertPoint.before(self._op))
        return new.results[0]

    def arith(self, kind: type[Operation], *values: SSAValue) -> SSAValue:
        return self.add(
            kind.create(
                operands=values,
                result_types=[values[0].type],
                properties={"fastmath": self._flags},
            )
        )

    def machine(self, kind: type[Operation], value: SSAValue) -> SSAValue:
        """The result of a function for which the GPU has an instruction."""
        return self.add(
            kind.create(
                operands=[value],
                result_types=[value.type],
                properties={"fastmath": self._flags},
                attributes={LIBRARY: UnitAttr()},
            )
        )

    def times(self, value: SSAValue, factor: float) -> SSAValue:
        type_ = value.type
        number: Attribute = FloatAttr(factor, f32)
        if isinstance(type_, VectorType):
            number = DenseIntOrFPElementsAttr.from_list(type_, [factor] * type_.element_count())
        constant = self.add(
            arith.ConstantOp.create(result_types=[type_], properties={"value": number})
        )
        return self.arith(arith.MulfOp, value, constant)


Function = Callable[..., SSAValue]


def _same(kind: type[Operation]) -> Function:
    return lambda code, x: code.machine(kind, x)


def _exp(code: _Code, x: SSAValue) -> SSAValue:
    return code.machine(math.Exp2Op, code.times(x, python_math.log2(python_math.e)))


def _log(base: float) -> Function:
    return lambda code, x: code.times(code.machine(math.Log2Op, x), python_math.log(2, base))


def _pow(code: _Code, x: SSAValue, y: SSAValue) -> SSAValue:
    logarithm = code.machine(math.Log2Op, x)
    return code.machine(math.Exp2Op, code.arith(arith.MulfOp, y, logarithm))


def _tan(code: _Code, x: SSAValue) -> SSAValue:
    sine, cosine = code.machine(math.SinOp, x), code.machine(math.CosOp, x)
    return code.arith(arith.DivfOp, sine, cosine)


FUNCTIONS: dict[type[Operation], Function] = {
    math.ExpOp: _exp,
    math.Exp2Op: _same(math.Exp2Op),
    math.LogOp: _log(python_math.e),
    math.Log10Op: _log(10),
    math.Log2Op: _same(math.Log2Op),
    math.CosOp: _same(math.CosOp),
    math.SinOp: _same(math.SinOp),
    math.TanOp: _tan,
    math.RsqrtOp: _same(math.RsqrtOp),
    math.PowFOp: _pow,
    math.TanhOp: _same(math.TanhOp),
}
"""The operations of ``math`` that are approximated, each with its approximation."""


class Approximate(RewritePattern):
    """``%y = math.exp %x fastmath<afn> : f32``    ->    a product and ``math.exp2``"""

    def __init__(self, target: Target) -> None:
        self._has_tanh = architecture_of(target).number >= LEAST_TANH

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        function = FUNCTIONS.get(type(op))
        flags = op.properties.get("fastmath")
        if function is None or LIBRARY in op.attributes or not is_approximate(flags):
            return
        if isinstance(op, math.TanhOp) and not self._has_tanh:
            return
        type_ = op.results[0].type
        element = type_.element_type if isinstance(type_, VectorType) else type_
        if not isinstance(element, (*NARROW_FLOATS, Float32Type)):
            return
        assert flags is not None
        code = _Code(op, rewriter, flags)
        wide = VectorType(f32, type_.shape) if isinstance(type_, VectorType) else f32

        def converted(kind: type[Operation], value: SSAValue, to: Attribute) -> SSAValue:
            return value if value.type == to else code.add(kind(value, to))  # pyright: ignore

        values = [converted(arith.ExtFOp, value, wide) for value in op.operands]
        result = converted(arith.TruncFOp, function(code, *values), type_)
        result.name_hint = result.name_hint or op.results[0].name_hint
        rewriter.replace(op, [], [result])


def is_approximate(flags: Attribute | None) -> bool:
    """True if the flags of a function permit its approximation."""
    return isinstance(flags, FastMathFlagsAttr) and FastMathFlag.APPROX_FUNC in flags.data
