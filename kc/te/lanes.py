"""Elements that are vectors, lane by lane: what is computed of them in scalars.

In the IR a tensor of ``float32x4`` has a dimension more, of the 4 lanes, which its computes run
over with a loop more: every analysis and every schedule then knows them. Arrays have it too.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from kc.te.dtypes import lanes, scalar
from kc.te.expr import Broadcast, CommReducer, Element, Expr, IterVar, Ramp, binary, cast
from kc.te.rewrite import Substitution
from kc.te.tensor import ComputeOp, Operation


def lane_axis(op: Operation) -> IterVar | None:
    """An axis of the lanes of what ``op`` computes; None where elements are scalars."""
    count = lanes(op.dtype)
    if count == 1 or not isinstance(op, ComputeOp):
        return None
    taken = {one.name for one in (*op.axis, *op.reduce_axis)}
    name = next(one for one in ("lane", *(f"lane_{n}" for n in range(1, 99))) if one not in taken)
    return IterVar(name, count, "spatial", 0, op.location)


class Lane(Substitution):
    """Expressions of vectors as those of one of their lanes."""

    def __init__(self, axis: IterVar) -> None:
        super().__init__()
        self._axis = axis
        self._combiners: dict[CommReducer, CommReducer] = {}

    def _copy(self, expr: Expr) -> Expr:
        made = super()._copy(expr)
        if isinstance(made, Broadcast):
            return made.value
        if isinstance(made, Ramp):
            position = cast(self._axis, scalar(made.dtype))
            return binary("add", made.base, binary("mul", position, made.stride))
        if lanes(made.dtype) == 1:
            return made
        changes: dict[str, Any] = {"dtype": scalar(made.dtype)}
        if isinstance(made, Element):
            changes["indices"] = (*made.indices, self._axis)
        combiner = getattr(made, "combiner", None)
        if isinstance(combiner, CommReducer):
            changes["combiner"] = self._combiner(combiner)
        return dataclasses.replace(made, **changes)  # pyright: ignore[reportArgumentType]

    def _combiner(self, combiner: CommReducer) -> CommReducer:
        """A combiner of vectors as one of scalars; the results of one reduction share it."""
        if combiner not in self._combiners:
            parts = {
                name: tuple(self(one) for one in getattr(combiner, name))
                for name in ("lhs", "rhs", "result", "identity")
            }
            self._combiners[combiner] = dataclasses.replace(combiner, **parts)  # pyright: ignore
        return self._combiners[combiner]
