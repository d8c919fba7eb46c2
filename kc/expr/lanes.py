"""Vector elements, computed lane by lane in scalars.

In the IR a tensor of ``float32x4`` has an additional dimension for the 4 lanes, and its computes
have an additional loop over it, so that every analysis and every schedule applies. Arrays have the
dimension too.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from kc.expr.constructors import Broadcast, CommReducer, Element, Expr, IterVar, Ramp, binary, cast
from kc.expr.dtypes import lanes, scalar
from kc.expr.rewrite import Substitution
from kc.expr.tensor import ComputeOp, Operation


def lane_axis(op: Operation) -> IterVar | None:
    """An axis for the lanes of the result of ``op``. None for scalar elements."""
    count = lanes(op.dtype)
    if count == 1 or not isinstance(op, ComputeOp):
        return None
    taken = {axis.name for axis in (*op.axis, *op.reduce_axis)}
    name = next(
        candidate
        for candidate in ("lane", *(f"lane_{n}" for n in range(1, 99)))
        if candidate not in taken
    )
    return IterVar(name, count, "spatial", 0, op.location)


class Lane(Substitution):
    """Expressions of vectors as expressions of a single lane."""

    def __init__(self, axis: IterVar) -> None:
        super().__init__()
        self._axis = axis
        self._combiners: dict[CommReducer, CommReducer] = {}

    def _copy(self, expr: Expr) -> Expr:
        copy = super()._copy(expr)
        if isinstance(copy, Broadcast):
            return copy.value
        if isinstance(copy, Ramp):
            position = cast(self._axis, scalar(copy.dtype))
            return binary("add", copy.base, binary("mul", position, copy.stride))
        if lanes(copy.dtype) == 1:
            return copy
        changes: dict[str, Any] = {"dtype": scalar(copy.dtype)}
        if isinstance(copy, Element):
            changes["indices"] = (*copy.indices, self._axis)
        combiner = getattr(copy, "combiner", None)
        if isinstance(combiner, CommReducer):
            changes["combiner"] = self._combiner(combiner)
        return dataclasses.replace(copy, **changes)  # pyright: ignore[reportArgumentType]

    def _combiner(self, combiner: CommReducer) -> CommReducer:
        """A combiner of vectors as a combiner of scalars, shared by the results of a reduction."""
        if combiner not in self._combiners:
            parts = {
                name: tuple(self(expr) for expr in getattr(combiner, name))
                for name in ("lhs", "rhs", "result", "identity")
            }
            self._combiners[combiner] = dataclasses.replace(combiner, **parts)  # pyright: ignore
        return self._combiners[combiner]
