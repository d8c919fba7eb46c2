"""Along which axes of a scan a row needs only elements of the same index of the rows before."""

from __future__ import annotations

from kc.expr.constructors import Element, IterVar, walk
from kc.expr.tensor import ComputeOp, Operation, ScanOp


def fixed_axes(scan: ScanOp) -> dict[IterVar, int]:
    """1 for each axis of ``scan`` beside time along which elements are independent, else 0.

    An axis is one when every way from the element of a state to those of the states before keeps
    the index: by the axes of the computes of a step, none of which may be reduced over.
    """
    fixed: dict[IterVar, int] = {}
    axes = iter(scan.spatial_axis_)
    states = {state.op: len(state.shape) for state in scan.state_placeholder}
    for update in scan.update:
        for dimension in range(1, len(update.shape)):
            kept = _keeps(update.op, dimension, dimension, states, set(scan.steps), set())
            fixed[next(axes)] = int(kept)
    return fixed


def _keeps(
    op: Operation,
    dimension: int,
    of_state: int,
    states: dict[Operation, int],
    steps: set[Operation],
    seen: set[tuple[Operation, int]],
) -> bool:
    """Whether the elements of ``op`` at index ``i`` along ``dimension`` need of the states only
    those at ``i`` along the dimension ``of_state``."""
    if (op, dimension) in seen:
        return True
    seen.add((op, dimension))
    if not isinstance(op, ComputeOp):
        return False
    axis = op.axis[dimension]
    for part in walk(*op.bodies):
        if not isinstance(part, Element) or part.tensor.op not in (*states, *steps):
            continue
        at = [n for n, index in enumerate(part.indices) if index is axis]
        source = part.tensor.op
        if source in states:
            if of_state not in at:
                return False
        elif not any(_keeps(source, n, of_state, states, steps, seen) for n in at):
            return False
    return True
