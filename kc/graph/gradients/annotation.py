"""The gradients of marks on values."""

from __future__ import annotations

from typing import Any

from xdsl.ir import SSAValue

from kc.dialects.graph.declaration import OperatorOp
from kc.graph.gradients import Emitter, Gradients, gradient


@gradient("annotation.stop_fusion", "annotation.checkpoint", "annotation.cast_hint", "on_device")
def mark(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """The head."""
    return [head]


@gradient("device_copy")
def device_copy(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """The head, copied back."""
    operator: Any = op.operator
    return [
        at(
            "device_copy",
            head,
            src_device=operator.dst_device,
            dst_device=operator.src_device,
        )
    ]
