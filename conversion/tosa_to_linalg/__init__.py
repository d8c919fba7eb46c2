"""tosa-to-linalg: convert the ops of tosa to linalg.generic, and to ops of tensor and arith.

Before::

    %z = "tosa.const"() <{values = dense<0.0> : tensor<1xf32>}> : () -> tensor<1xf32>
    %0 = tosa.reduce_sum %x {axis = 1 : i32} : (tensor<4x3xf32>) -> tensor<4x1xf32>
    %1 = tosa.exp %0 : (tensor<4x1xf32>) -> tensor<4x1xf32>

After::

    %s = linalg.generic {indexing_maps = [(d0, d1) -> (d0, d1), (d0, d1) -> (d0)], ...}
    %0 = tensor.expand_shape %s [[0, 1]] output_shape [4, 1] : ...
    %1 = linalg.generic {...} ins(%0 : ...) outs(...) { ... math.exp ... }

``raise-to-tir`` runs this pass itself and converts its result to loops around blocks. Results
follow the specification in zero points, rounding, saturation of integers, NaN in minima and maxima,
and averages without padding. An index outside the tensor reads or writes nothing.

Legal set: no op of ``tosa``. Batch sizes may be known only at the call; windows and padded or
resized dimensions must be constant. A refusal (KC4557) changes nothing. Patterns that plugins add
to ``tosa-to-linalg`` come before these. (MLIR: ``--tosa-to-linalg-pipeline``.)
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import IntegerType, ModuleOp, Signedness, TensorType
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import GreedyRewritePatternApplier, PatternRewriteWalker
from xdsl.rewriter import Rewriter

from kc.conversion.tosa_to_linalg.emitter import refused
from kc.conversion.tosa_to_linalg.variables import require_sizes_of_variables, variables_as_globals
from kc.support.registry import load_patterns


@dataclass(frozen=True)
class TosaToLinalgPass(ModulePass):
    """Convert tosa to linalg, tensor and arith."""

    name = "tosa-to-linalg"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        require_sizes_of_variables(op)
        converted = {
            function: without_tosa(function)
            for function in op.body.ops
            if isinstance(function, func.FuncOp)
        }
        for function, new in converted.items():
            if new is not function:
                Rewriter.replace_op(function, new, [])
        variables_as_globals(op)


def without_tosa(function: func.FuncOp) -> func.FuncOp:
    """A copy of a function with its ops of tosa converted; the function itself if it has none."""
    if not any(inner.name.startswith("tosa.") for inner in function.walk()):
        return function
    for inner in function.walk():
        if inner.name.startswith("tosa."):
            _require_signless(inner)
    copy = function.clone()
    copy.location = function.location
    _convert(copy)
    return copy


def _require_signless(op: Operation) -> None:
    for value in (*op.operands, *op.results):
        element = value.type.element_type if isinstance(value.type, TensorType) else None
        if isinstance(element, IntegerType) and element.signedness.data is not Signedness.SIGNLESS:
            why = (
                "integers are signless; the attributes input_unsigned and output_unsigned of "
                "tosa.rescale give the sign"
            )
            raise refused(op, f"{why} where they have no sign", f"it has a value of {value.type}")


def _convert(root: Operation) -> None:
    # Most programs have no tosa, whose ops take long to load.
    from kc.conversion.tosa_to_linalg.patterns import PATTERNS, EraseShape

    added = [make() for make in load_patterns(TosaToLinalgPass.name)]
    patterns = [*added, *(pattern() for pattern in PATTERNS)]
    for region in root.regions:
        PatternRewriteWalker(GreedyRewritePatternApplier(patterns)).rewrite_region(region)
        PatternRewriteWalker(EraseShape()).rewrite_region(region)
    for inner in root.walk():
        if inner.name.startswith("tosa."):
            raise refused(inner, "tosa-to-linalg has no pattern for this op")
