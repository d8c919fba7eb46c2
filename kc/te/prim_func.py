"""``te.create_prim_func``: the loops of tensors, for the eager schedule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kc.support.target import Target
from kc.te.expr import Var
from kc.te.lowering import lower_schedule
from kc.te.schedule import create_schedule
from kc.te.tensor import PlaceholderOp, Tensor

if TYPE_CHECKING:
    from kc.tir.module import IRModule


def create_prim_func(ops: Sequence[Tensor | Var]) -> IRModule:
    """The unscheduled loops of tensors, as the function ``main`` of a module.

    ``ops`` are its arguments in order: inputs, sizes, and the tensors that are computed, which are
    its outputs. ``kc.tir.Schedule`` takes the result. Raises TEError.
    """
    from kc.tir.module import IRModule

    computed = [
        tensor
        for tensor in ops
        if isinstance(tensor, Tensor) and not isinstance(tensor.op, PlaceholderOp)
    ]
    schedule = create_schedule(computed)
    return IRModule(lower_schedule(schedule, ops, "main", Target.generic()).tir)
