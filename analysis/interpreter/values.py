"""The interpreter's representation of values.

============================  ===================================================================
IR type                       Python value
============================  ===================================================================
f16, f32, f64                 numpy.float16, numpy.float32, numpy.float64
bf16, f8E4M3FN, f8E5M2        ml_dtypes' scalars, which compute in f32 and round to nearest even
iN, index                     int, in the signed range of the width (index: 64 bits)
i1                            bool
vector                        numpy array of dtype object, whose elements are as above
memref, tensor                :class:`Buffer`
any, undefined                :class:`Poison`
============================  ===================================================================
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import nextafter
from typing import Any, NoReturn

import numpy as np
from xdsl.dialects.builtin import (
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    VectorType,
)
from xdsl.ir import Attribute, Operation

from kc.analysis.interpreter.errors import ExecutionError, PoisonError, UninterpretableError
from kc.support.float_formats import NARROW_FLOATS, NARROW_IR_FLOATS

INDEX_WIDTH = 64

_WIDE: dict[type[Attribute], type[np.floating]] = {
    Float32Type: np.float32,
    Float64Type: np.float64,
}
_INTEGERS = {1: np.bool_, 8: np.int8, 16: np.int16, 32: np.int32, 64: np.int64}


def element_type(type_: Attribute) -> Attribute:
    """The type itself, or the element type of a vector."""
    return type_.element_type if isinstance(type_, VectorType) else type_


def is_float(type_: Attribute) -> bool:
    """True if ``type_`` is a float type that the interpreter supports."""
    return type(type_) in _WIDE or str(type_) in NARROW_IR_FLOATS


def float_type(op: Operation | None, type_: Attribute) -> type[np.floating]:
    """The numpy scalar type of a float type, or of a vector's elements."""
    scalar = element_type(type_)
    kind = _WIDE.get(type(scalar)) or _narrow_type(op, str(scalar))
    if kind is None:
        names = ", ".join([*NARROW_IR_FLOATS, "f32", "f64"])
        raise UninterpretableError(op, f"the type {type_} cannot be interpreted; {names} can")
    return kind


def _narrow_type(op: Operation | None, name: str) -> type[np.floating] | None:
    form = NARROW_IR_FLOATS.get(name)
    if form is None or form.name == "float16":
        return np.float16 if form is not None else None
    try:
        import ml_dtypes
    except ImportError:
        raise UninterpretableError(
            op, f"the type {name} is interpreted with the package ml_dtypes, which is not installed"
        ) from None
    return getattr(ml_dtypes, form.name)


def rounding(op: Operation, type_: Attribute) -> Callable[[Any], Any]:
    """The function that rounds any float to the nearest value of a float type."""
    kind, form = float_type(op, type_), NARROW_IR_FLOATS.get(str(element_type(type_)))
    if form is None or kind is np.float16:
        return kind
    # ml_dtypes rounds doubles to f32 first.
    return lambda value: kind(form.round(float(value)))


def int_width(op: Operation, type_: Attribute) -> int:
    """The width of an integer or index type, or of a vector's elements."""
    scalar = element_type(type_)
    if isinstance(scalar, IntegerType):
        return scalar.width.data
    if isinstance(scalar, IndexType):
        return INDEX_WIDTH
    raise UninterpretableError(op, f"the type {type_} cannot be interpreted as an integer")


def dtype_of(op: Operation | None, type_: Attribute) -> np.dtype:
    """The numpy dtype of elements of a scalar type in memory (i1: one byte)."""
    kind: Any = float_type(op, type_) if is_float(type_) else None
    if kind is None and isinstance(type_, IntegerType):
        kind = _INTEGERS.get(type_.width.data)
    if kind is None and isinstance(type_, IndexType):
        kind = np.int64
    if kind is None:
        raise UninterpretableError(op, f"elements of type {type_} cannot be interpreted")
    return np.dtype(kind)


def wrapper(width: int) -> Callable[[int], int]:
    """The function that wraps any integer to the signed range of ``width`` (i1: to bool)."""
    if width == 1:
        return lambda value: bool(value & 1)
    half, mask = 1 << (width - 1), (1 << width) - 1
    return lambda value: ((value + half) & mask) - half


def round_exactly(value: int | Fraction, kind: type[np.floating]) -> np.floating:
    """The float of type ``kind`` nearest to an exact number, ties to even."""
    try:
        double = float(value)
    except OverflowError:
        return kind(np.inf if value > 0 else -np.inf)
    if kind is not np.float64 and double != value:
        # Rounding twice is wrong at ties: round to odd first (Boldo and Melquiond, 2008).
        if not np.float64(double).view(np.int64) & 1:
            double = nextafter(double, np.inf if value > double else -np.inf)
    form = NARROW_FLOATS.get(kind.__name__)
    return kind(double if form is None else form.round(double))


class Poison:
    """A value that MLIR leaves undefined, such as a shift by more than the width.

    It passes through pure ops; any other use (an index, a condition, a store) raises
    :class:`PoisonError`.
    """

    __slots__ = ("op", "reason")
    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __init__(self, op: Operation, reason: str) -> None:
        self.op = op
        self.reason = reason

    def use(self, *_: object) -> NoReturn:
        """Raise PoisonError for a use of the value."""
        raise PoisonError(self.op, f"{self.reason}: the result is poison, and it is used")

    __bool__ = __int__ = __float__ = __index__ = use
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = use
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = use
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = use


def stored_element(vector: np.ndarray | Poison, lane: Any) -> Any:
    """The element to store. Raises PoisonError if the whole vector is poison."""
    return vector.use() if isinstance(vector, Poison) else vector[lane]


class Buffer:
    """Named memory: a memref, or a tensor. ``data`` is None after deallocation."""

    __slots__ = ("data", "name", "views")

    def __init__(self, data: np.ndarray, name: str) -> None:
        self.data: np.ndarray | None = data
        self.name = name
        self.views: list[Buffer] = []

    def array(self, op: Operation) -> np.ndarray:
        """The elements. Raises ExecutionError after a deallocation."""
        if self.data is None:
            raise ExecutionError(op, f"{self.name} is used after it was deallocated")
        return self.data

    def view(self, data: np.ndarray, name: str | None = None) -> Buffer:
        """A buffer that shares part of this buffer's memory and is freed with it."""
        part = Buffer(data, name or self.name)
        self.views.append(part)
        return part

    def free(self) -> None:
        """Deallocate the buffer and its views."""
        self.data = None
        for view in self.views:
            view.free()


def fresh_array(op: Operation, shape: tuple[int, ...], type_: Attribute) -> np.ndarray:
    """Uninitialised memory: never zeros, but NaN, or bytes of 0xA5 (i1: true)."""
    dtype = dtype_of(op, type_)
    if min(shape, default=0) < 0:
        raise ExecutionError(op, f"a buffer of shape {list(shape)} is allocated")
    if is_float(type_):
        return np.full(shape, np.nan, dtype)
    if dtype.kind == "b":
        return np.full(shape, True)
    return np.full(shape, int.from_bytes(b"\xa5" * dtype.itemsize, "little", signed=True), dtype)


def vector_of(elements: np.ndarray) -> np.ndarray:
    """An array from memory as a vector value."""
    if elements.dtype.kind in "iub":
        return elements.astype(object)
    vector = np.empty(elements.shape, object)
    vector.reshape(-1)[:] = list(elements.reshape(-1))
    return vector


def splat(shape: tuple[int, ...], value: Any) -> np.ndarray:
    """A vector with every element equal to ``value``."""
    vector = np.empty(shape, object)
    vector.fill(value)
    return vector
