"""``te.create_prim_func``: the loops of tensors, for the eager schedule."""

from __future__ import annotations

from collections.abc import Sequence

from kc.analysis import loop_tree
from kc.dialects.unscheduled import mark_unscheduled
from kc.expr.constructors import Var
from kc.expr.tensor import PlaceholderOp, Tensor
from kc.support.target import Target
from kc.te.lowering import lower_schedule
from kc.te.schedule import create_schedule
from kc.tir.prim_func import PrimFunc


def create_prim_func(
    ops: Sequence[Tensor | Var], index_dtype_override: str | None = None
) -> PrimFunc:
    """The unscheduled loops of tensors, as the function ``main``.

    ``ops`` are its arguments in order: inputs, sizes, and the computed tensors, which are its
    outputs. ``kc.tir.Schedule`` takes the result; ``kc.build`` and ``kc.lower`` choose a schedule
    for it, as for the tensors, because it is marked ``kc.unscheduled``. Indices have 64 bits;
    TVM's ``index_dtype_override`` is ignored. Raises TEError, KC2028 if all tensors are inputs.
    """
    del index_dtype_override
    computed = [
        tensor
        for tensor in ops
        if isinstance(tensor, Tensor) and not isinstance(tensor.op, PlaceholderOp)
    ]
    schedule = create_schedule(computed)
    lowered = lower_schedule(schedule, ops, "main", Target.generic()).tir
    (function,) = loop_tree.functions(lowered)
    mark_unscheduled(function)
    return PrimFunc.of(function)
