"""Type relations that several families share."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from kc.dialects.float_types import FLOAT_TYPES
from kc.dialects.graph.declaration import RelationError
from kc.dialects.graph.sizes import MaybeSize, SizeExpr
from kc.dialects.graph.types import ELEMENT_TYPES, TensorSpec

Size = int | SizeExpr
"""A size in an attribute."""

FLOATS = tuple(FLOAT_TYPES)
BOOL = ("bool",)
INTEGERS = tuple(dtype for dtype in ELEMENT_TYPES if dtype not in (*FLOATS, *BOOL))
NUMBERS = (*FLOATS, *INTEGERS)
ANY = (*NUMBERS, *BOOL)
WORDS = ("float32", "float64", "float16", "bfloat16")
"""The floats that models are computed in."""

_KINDS: dict[tuple[str, ...], str] = {
    FLOATS: "floats",
    INTEGERS: "integers",
    NUMBERS: "numbers",
    (*INTEGERS, *BOOL): "integers or booleans",
}


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


def require_dtype(operand: TensorSpec, dtypes: tuple[str, ...], name: str) -> None:
    """Require one of some element types. Raises RelationError."""
    if operand.dtype not in dtypes:
        kinds = _KINDS.get(dtypes) or " or ".join(dtypes)
        raise RelationError(f"{name} is {operand}, but its elements must be {kinds}")


def checked_dtype(dtype: str, dtypes: Collection[str] = ANY, name: str = "dtype") -> str:
    """An element type of an attribute. Raises RelationError for one that there is not."""
    if dtype not in dtypes:
        raise RelationError(f"{name} is {dtype!r}, but must be one of {', '.join(dtypes)}")
    return dtype


def checked_sizes(sizes: Sequence[Size], name: str = "shape") -> tuple[Size, ...]:
    """The sizes of an attribute. Raises RelationError for a negative one."""
    for size in sizes:
        if isinstance(size, int) and size < 0:
            raise RelationError(f"{name} has the size {size}, but sizes are at least 0")
    return tuple(sizes)


def require_word(word: str, words: Sequence[str], name: str) -> None:
    """Require that an attribute is one of some words. Raises RelationError."""
    if word not in words:
        raise RelationError(f"{name} is {word!r}, but must be one of {', '.join(words)}")


def normal_axes(axes: Sequence[int], rank: int, name: str = "axis") -> tuple[int, ...]:
    """Axes from 0, in their order. Raises RelationError for one that is repeated, or not there."""
    result: list[int] = []
    for axis in axes:
        place = normal_axis(axis, rank, name)
        if place in result:
            raise RelationError(f"{name} names dimension {place} twice: {tuple(axes)}")
        result.append(place)
    return tuple(result)


def joined(left: MaybeSize, right: MaybeSize, what: str) -> MaybeSize:
    """The size that two sizes are, which must be equal. Raises RelationError for two numbers that
    differ."""
    require_same(left, right, what)
    if left is None or (isinstance(right, int) and not isinstance(left, int)):
        return right
    return left
