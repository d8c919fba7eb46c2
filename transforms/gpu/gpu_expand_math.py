"""gpu-expand-math: functions that a C library has become arithmetic, in kernels.

Before::

    gpu.func @k(...) kernel {
      %y = math.exp %x : f32

After::

    gpu.func @k(...) kernel {
      %n = (the nearest whole number of %x / log(2))
      %r = (%x - %n * log(2))
      %y = (1 + %r + %r**2 * a polynomial of %r, times 2 to the power of %n)

A GPU has no C library, and LLVM ends the process on its functions. Those of f16 and bf16 are
computed in f32, vectors lane by lane. ``_elementary.py`` has the functions, and says how exact they
are; what it does not have is left. The emulator computes the same, so that its results are those of
a GPU.

(MLIR: ``math-polynomial-approximation``, ``math-expand-ops``.)
"""

from __future__ import annotations

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    ModuleOp,
    VectorType,
    f32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern
from xdsl.rewriter import InsertPoint

from kc.dialects.gpu import GPUModuleOp
from kc.transforms.gpu._elementary import FUNCTIONS, Real

_NARROW = (Float16Type, BFloat16Type)


class GpuExpandMathPass(ModulePass):
    """Compute functions of a C library by arithmetic in kernels."""

    name = "gpu-expand-math"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        walker = PatternRewriteWalker(ExpandFunction(), apply_recursively=False)
        for home in op.ops:
            if isinstance(home, GPUModuleOp):
                walker.rewrite_region(home.body)


class ExpandFunction(RewritePattern):
    """``%y = math.exp %x : f32``    ->    arithmetic."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        function = FUNCTIONS.get(op.name)
        if function is None:
            return
        type_ = op.results[0].type
        element = type_.element_type if isinstance(type_, VectorType) else type_
        if not isinstance(element, (*_NARROW, Float32Type, Float64Type)):
            return

        def emit(new: Operation) -> None:
            new.location = op.location
            rewriter.insert(new, InsertPoint.before(op))

        wide: Attribute = type_
        if isinstance(element, _NARROW):
            wide = VectorType(f32, type_.shape) if isinstance(type_, VectorType) else f32

        def converted(kind: type[Operation], value: SSAValue, to: Attribute) -> SSAValue:
            if value.type == to:
                return value
            cast = kind(value, to)  # pyright: ignore[reportCallIssue]
            emit(cast)
            return cast.results[0]

        numbers = [Real(converted(arith.ExtFOp, value, wide), emit) for value in op.operands]
        result = converted(arith.TruncFOp, function(*numbers).value, type_)
        result.name_hint = result.name_hint or op.results[0].name_hint
        rewriter.replace(op, [], [result])
