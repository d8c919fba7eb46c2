"""Sizes and element types of vectors, and checks of them."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerType,
    VectorType,
    i1,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

BOOLS = VectorType.constr(i1)
"""The type of a mask."""


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """The sizes of a vector; empty for a scalar."""
    return tuple(value.type.get_shape()) if isinstance(value.type, VectorType) else ()


def element_of(value: SSAValue) -> Attribute:
    """The type of the elements of a vector, or of a scalar."""
    return value.type.element_type if isinstance(value.type, VectorType) else value.type


def verify_elements(op: Operation, *values: SSAValue) -> None:
    """Check that all vectors have the same element type."""
    types = [element_of(value) for value in values]
    if any(type_ != types[0] for type_ in types):
        raise VerifyException(f"{op.name}: elements of {types[0]} and of {types[-1]}")


def verify_shape(op: Operation, value: SSAValue, expected: Sequence[int]) -> None:
    """Require that a vector has these sizes; a scalar has none."""
    if list(shape_of(value)) != list(expected):
        sizes = "x".join(map(str, expected)) or "a scalar's"
        raise VerifyException(f"{op.name}: {value.type} is not of the shape {sizes}")


def integers(values: DenseArrayBase[IntegerType]) -> list[int]:
    """The numbers of an array."""
    return [int(value) for value in values.iter_values()]
