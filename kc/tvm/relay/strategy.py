"""``relay.op.strategy``: what turns functions of topi into those that strategies take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kc.expr.tensor import Tensor
from kc.support.target import Target
from kc.tvm.relay.operator_functions import declaration_of


def wrap_topi_schedule(topi_schedule: Callable[[Sequence[Tensor]], Any]) -> Callable[..., Any]:
    """A function of tensors that returns a schedule, as a strategy takes it."""

    def schedule(attrs: Any, outs: Sequence[Tensor], target: Target) -> Any:
        del attrs
        with target:
            return topi_schedule(outs)

    return schedule


def wrap_topi_compute(topi_compute: Callable[..., Any]) -> Callable[..., Any]:
    """A function of the tensors alone, as a strategy takes it."""

    def compute(attrs: Any, inputs: Sequence[Tensor], out_type: Any) -> list[Any]:
        del attrs, out_type
        return [topi_compute(*inputs)]

    return compute


def register_injective_schedule(op_name: str, level: int = 10) -> None:
    """Accepted for TVM's programs: kc's rules schedule every computation that has no schedule.

    Raises GraphError KC2404 for an unknown operator.
    """
    del level
    declaration_of(op_name)
