"""Type relations that several families share."""

from __future__ import annotations

from collections.abc import Sequence

from kc.dialects.graph.declaration import RelationError
from kc.dialects.graph.sizes import MaybeSize
from kc.dialects.graph.types import TensorSpec


def broadcast_shapes(*shapes: Sequence[MaybeSize]) -> tuple[MaybeSize, ...]:
    """The shape that shapes broadcast to, by numpy's rule.

    A symbolic size beside a number other than 1 is that number; two symbolic sizes must be equal.
    Both are checked at the call. Raises RelationError for sizes that differ.
    """
    rank = max(map(len, shapes))
    padded = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    return tuple(
        _broadcast_sizes(sizes, axis, shapes)
        for axis, sizes in enumerate(zip(*padded, strict=True))
    )


def _broadcast_sizes(
    sizes: Sequence[MaybeSize], axis: int, shapes: Sequence[Sequence[MaybeSize]]
) -> MaybeSize:
    result: MaybeSize = 1
    for size in sizes:
        if size == 1 or size == result:
            continue
        if result == 1:
            result = size
        elif isinstance(size, int) and isinstance(result, int):
            written = " and ".join(f"({', '.join(map(str, shape))})" for shape in shapes)
            raise RelationError(
                f"the shapes {written} do not broadcast: {result} and {size} of dimension {axis} "
                "are different, and none of them is 1"
            )
        elif isinstance(size, int) or result is None:
            result = size
    return result


def same_dtype(operands: Sequence[TensorSpec], names: Sequence[str]) -> str:
    """The dtype that all operands have. Raises RelationError."""
    first = operands[0]
    for operand, name in zip(operands, names, strict=True):
        if operand.dtype != first.dtype:
            raise RelationError(
                f"{names[0]} is {first.dtype} and {name} is {operand.dtype}, but they must have "
                "the same element type"
            )
    return first.dtype


def normal_axis(axis: int, rank: int, name: str = "axis") -> int:
    """An axis from 0, of one that may be negative. Raises RelationError if there is none such."""
    if not -rank <= axis < rank:
        raise RelationError(f"{name} is {axis}, but the operand has {rank} dimensions")
    return axis % rank


def require_rank(operand: TensorSpec, rank: int, name: str) -> None:
    """Require a number of dimensions. Raises RelationError."""
    if operand.rank != rank:
        raise RelationError(f"{name} is {operand}, but must have {rank} dimensions")


def require_same(left: MaybeSize, right: MaybeSize, what: str) -> None:
    """Refuse two numbers that must be the same size. Raises RelationError."""
    if isinstance(left, int) and isinstance(right, int) and left != right:
        raise RelationError(f"{what} are {left} and {right}, but must be equal")
