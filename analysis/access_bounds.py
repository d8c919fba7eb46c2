"""Whether an access of a loop nest leaves its buffer: proven before anything runs."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import MemRefType
from xdsl.dialects.func import FuncOp

from kc.analysis.instances import Instance, Space
from kc.analysis.isl import first_point
from kc.analysis.loop_tree import preorder
from kc.dialects.tir import DYNAMIC, BlockOp, ForOp, LoadOp, StoreOp


@dataclass(frozen=True)
class OutOfBounds:
    """An access that leaves its buffer."""

    access: LoadOp | StoreOp
    dimension: int
    size: int
    point: dict[str, int]
    """The loops around it where it happens, by name."""
    index: int
    """The index there."""


def out_of_bounds(function: FuncOp) -> OutOfBounds | None:
    """The first access that leaves its buffer for sure, if there is one.

    Decided exactly where the size of the dimension is a constant, and the index and what guards
    the access follow from loops of constant extents; other accesses are not judged (the sizes may
    be right at the call).
    """
    for op in preorder(function):
        if isinstance(op, LoadOp | StoreOp):
            found = _check(op)
            if found is not None:
                return found
    return None


def _check(access: LoadOp | StoreOp) -> OutOfBounds | None:
    type_ = access.buffer.type
    assert isinstance(type_, MemRefType)
    sizes = [(n, size) for n, size in enumerate(type_.get_shape()) if size != DYNAMIC]
    if not sizes or _is_never_executed(access):
        return None
    space = Space()
    made = space.place(access)
    element = space.element(access, made)
    if made.opaque or space.parameters:
        return None
    for dimension, size in sizes:
        index = element[dimension]
        point = _outside(made, index, size)
        if point is not None:
            loops = {loop.label: point[dim] for loop, dim in made.loops.items()}
            return OutOfBounds(access, dimension, size, loops, point["index"])
    return None


def _outside(made: Instance, index: str, size: int) -> dict[str, int] | None:
    """Coordinates where ``index`` is not in ``0 <= index < size``, with the index."""
    conditions = [*made.constraints, f"index = {index}", f"(index < 0 or index >= {size})"]
    names = [*made.dims, "index"]
    point = first_point(f"{{ [{', '.join(names)}] : {' and '.join(conditions)} }}", names)
    return point if isinstance(point, dict) else None


def _is_never_executed(access: LoadOp | StoreOp) -> bool:
    """Whether a loop around the access has no iteration."""
    op = access.parent_op()
    while op is not None:
        if isinstance(op, ForOp) and op.static_extent == 0:
            return True
        if isinstance(op, BlockOp) and 0 in op.extents:
            return True
        op = op.parent_op()
    return False
