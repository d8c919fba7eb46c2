"""Find the axes of a scan along which a row depends only on elements of earlier rows with the same
index.
"""

from __future__ import annotations

from kc.expr.constructors import Element, IterVar, walk
from kc.expr.tensor import ComputeOp, Operation, ScanOp


def fixed_axes(scan: ScanOp) -> dict[IterVar, int]:
    """1 for each spatial axis of ``scan`` along which elements are independent, else 0.

    An axis is independent if every dependence of a state's element on earlier states preserves the
    index along the axis, through the axes of the computes of a step; a reduction over it breaks
    this.
    """
    fixed: dict[IterVar, int] = {}
    axes = iter(scan.spatial_axis_)
    states = {state.op: len(state.shape) for state in scan.state_placeholder}
    for update in scan.update:
        for dimension in range(1, len(update.shape)):
            is_fixed = _keeps(update.op, dimension, dimension, states, set(scan.steps), set())
            fixed[next(axes)] = int(is_fixed)
    return fixed


def _keeps(
    op: Operation,
    dimension: int,
    of_state: int,
    states: dict[Operation, int],
    steps: set[Operation],
    seen: set[tuple[Operation, int]],
) -> bool:
    """True if the element of ``op`` at index ``i`` along ``dimension`` reads only elements of the
    states at ``i`` along ``of_state``.
    """
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
