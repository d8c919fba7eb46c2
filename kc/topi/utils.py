"""Walks over the operations of a schedule, as TVM's ``topi.utils``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from kc.expr.tensor import ComputeOp, Operation, check_shape
from kc.support.diagnostics import TEError
from kc.support.locations import caller_location
from kc.te.schedule import Schedule
from kc.topi.tag import is_broadcast


def traverse_inline(s: Schedule, final_op: Operation, callback: Callable[[Operation], Any]) -> None:
    """Call ``callback`` with each operation that ``final_op`` depends on, producers first.

    Elementwise operations and broadcasts that are not outputs are inlined.
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


def get_const_int(expr: Any) -> int:
    """The value of a constant size. Raises TEError KC2012 for a symbolic size."""
    (size,) = check_shape((expr,), "get_const_int", caller_location())
    if not isinstance(size, int):
        raise TEError(
            "KC2012",
            f"get_const_int: {expr!r} is not a number",
            location=caller_location(),
            why="its value is known only when the kernel is called",
        )
    return int(size)


def get_const_tuple(in_tuple: Iterable[Any]) -> tuple[Any, ...]:
    """A shape whose constant sizes are Python numbers; symbolic sizes are unchanged."""
    sizes = check_shape(tuple(in_tuple), "get_const_tuple", caller_location())
    return tuple(int(size) if isinstance(size, int) else size for size in sizes)


__all__ = ["get_const_int", "get_const_tuple", "traverse_inline"]
