"""The computations of :mod:`kc.dialects.graph.operators.annotation`: none."""

from __future__ import annotations

from kc import topi
from kc.dialects.graph.declaration import Operator
from kc.expr.tensor import Tensor
from kc.graph.lowering import lowering

_MARKS = (
    "annotation.stop_fusion",
    "annotation.checkpoint",
    "annotation.bitpack_start",
    "annotation.bitpack_end",
    "annotation.cast_hint",
    "annotation.compiler_begin",
    "annotation.compiler_end",
    "on_device",
    "device_copy",
)


@lowering(*_MARKS, rows=["identity"])
def mark(op: Operator, data: Tensor) -> Tensor:
    """Lower to topi's identity."""
    return topi.identity(data)
