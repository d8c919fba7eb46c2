"""Walks over the operations of a schedule, as TVM's ``topi.utils``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kc.te.schedule import Schedule
from kc.te.tensor import ComputeOp, Operation
from kc.topi.tag import is_broadcast


def traverse_inline(s: Schedule, final_op: Operation, callback: Callable[[Operation], Any]) -> None:
    """Call ``callback`` with each operation that ``final_op`` is computed from, producers first.

    Elementwise operations and broadcasts that are no outputs are computed where they are read.
    """
    visited: set[Operation] = set()

    def traverse(op: Operation) -> None:
        if op in visited:
            return
        visited.add(op)
        if is_broadcast(op.tag) and op not in s.outputs:
            s[op].compute_inline()
        for tensor in op.input_tensors:
            if isinstance(tensor.op, ComputeOp):
                traverse(tensor.op)
        callback(op)

    traverse(final_op)


__all__ = ["traverse_inline"]
