"""The integer ops of ``arith``: exact Python integers, wrapped to their width after each op."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.interpreter import InterpreterFunctions
from xdsl.ir import Operation

from kc.analysis.interpreter.elementwise import Scalar, elementwise_functions
from kc.analysis.interpreter.errors import ExecutionError
from kc.analysis.interpreter.values import Poison, int_width, wrapper
from kc.dialects.arith import IndexCastUIOp

Binary = Callable[[int, int], int]
Reading = Callable[[int], Callable[[int], int]]
"""Maker of the function that reads a value of a width: :func:`signed` or :func:`unsigned`."""


def signed(width: int) -> Callable[[int], int]:
    """The signed reading of a value: the value itself, except that a true i1 is -1."""
    return operator.neg if width == 1 else operator.pos


def unsigned(width: int) -> Callable[[int], int]:
    """The unsigned reading of a value."""
    mask = (1 << width) - 1
    return lambda value: value & mask


def _read(reading: Callable[[int], int], function: Binary, width: int) -> Binary:
    """``function`` applied to the readings of two values and wrapped, with a fast path for the
    identity reading.
    """
    wrap = wrapper(width)
    if reading is operator.pos:
        return lambda a, b: wrap(function(a, b))
    return lambda a, b: wrap(function(reading(a), reading(b)))


def _width(op: Operation) -> int:
    return int_width(op, op.operands[0].type)


def _modular(function: Binary) -> Callable[[Operation], Scalar]:
    """An op with the same result on signed and unsigned numbers, except for its overflow flags."""

    def make(op: Operation) -> Scalar:
        width = _width(op)
        return _with_flags(op, function, _read(signed(width), function, width))

    return make


def _with_flags(op: Operation, function: Binary, wrapped: Scalar) -> Scalar:
    """``wrapped``, or poison where the exact result violates an overflow flag of ``op``."""
    attr = op.properties.get("overflowFlags")
    flags = attr.data if isinstance(attr, arith.IntegerOverflowAttr) else ()
    width = _width(op)
    half = 1 << (width - 1)
    ranges = {
        arith.IntegerOverflowFlag.NSW: (signed(width), -half, half),
        arith.IntegerOverflowFlag.NUW: (unsigned(width), 0, 2 * half),
    }
    checks = [(flag.value, *range_) for flag, range_ in ranges.items() if flag in flags]
    if not checks:
        return wrapped

    def checked(a: int, b: int) -> Any:
        for flag, read, low, high in checks:
            if not low <= function(read(a), read(b)) < high:
                return Poison(op, f"{read(a)} and {read(b)} overflow i{width} in spite of {flag}")
        return wrapped(a, b)

    return checked


def _shift(reading: Reading, function: Binary) -> Callable[[Operation], Scalar]:
    """A shift; poison if the amount is the width or more."""

    def make(op: Operation) -> Scalar:
        width = _width(op)
        read, amount_of, wrap = reading(width), unsigned(width), wrapper(width)
        within = _with_flags(op, function, lambda a, b: wrap(function(read(a), b)))

        def shift(a: int, b: int) -> Any:
            amount = amount_of(b)
            if amount >= width:
                return Poison(op, f"a shift of i{width} by {amount}")
            return within(a, amount)

        return shift

    return make


def _signed_op(function: Binary) -> Callable[[Operation], Scalar]:
    return lambda op: _read(signed(_width(op)), function, _width(op))


def _unsigned_op(function: Binary) -> Callable[[Operation], Scalar]:
    return lambda op: _read(unsigned(_width(op)), function, _width(op))


def _division(reading: Reading, function: Binary) -> Callable[[Operation], Scalar]:
    """A division; a zero divisor or an overflowing quotient is undefined behaviour, raised at
    once.
    """

    def make(op: Operation) -> Scalar:
        width = _width(op)
        read, wrap = reading(width), wrapper(width)
        least = -(1 << (width - 1))

        def divide(a: int, b: int) -> int:
            x, y = read(a), read(b)
            if y == 0:
                raise ExecutionError(op, f"division of {x} by zero")
            if y == -1 and x == least:
                raise ExecutionError(op, f"the quotient {x} / -1 overflows i{width}")
            return wrap(function(x, y))

        return divide

    return make


def truncated_division(a: int, b: int) -> int:
    """``a / b`` rounded towards zero."""
    quotient = abs(a) // abs(b)
    return -quotient if (a ^ b) < 0 else quotient


def _compare(op: Operation) -> Scalar:
    predicate = op.properties["predicate"]
    assert isinstance(predicate, IntegerAttr)
    name = arith.CMPI_COMPARISON_OPERATIONS[predicate.value.data]
    width = _width(op)
    compare = {
        "eq": operator.eq,
        "ne": operator.ne,
        "lt": operator.lt,
        "le": operator.le,
        "gt": operator.gt,
        "ge": operator.ge,
    }[name[-2:]]
    read = unsigned(width) if name.startswith("u") else signed(width)
    if read is operator.pos:
        return compare
    return lambda a, b: compare(read(a), read(b))


def _cast(reading: Reading) -> Callable[[Operation], Scalar]:
    """A change of width."""

    def make(op: Operation) -> Scalar:
        read, wrap = reading(_width(op)), wrapper(int_width(op, op.results[0].type))
        return lambda a: wrap(read(a))

    return make


def _extended(reading: Reading, function: Binary) -> Callable[[Operation], Scalar]:
    """A product of twice the width, as its low and high half."""

    def make(op: Operation) -> Scalar:
        width = _width(op)
        read, wrap = reading(width), wrapper(width)

        def extended(a: int, b: int) -> tuple[int, int]:
            exact = function(read(a), read(b))
            return wrap(exact), wrap(exact >> width)

        return extended

    return make


def _add_extended(op: Operation) -> Scalar:
    width = _width(op)
    read, wrap = unsigned(width), wrapper(width)

    def add(a: int, b: int) -> tuple[int, bool]:
        exact = read(a) + read(b)
        return wrap(exact), exact >> width != 0

    return add


INTEGER_OPS: dict[type[Operation], Callable[[Operation], Scalar]] = {
    arith.AddiOp: _modular(operator.add),
    arith.SubiOp: _modular(operator.sub),
    arith.MuliOp: _modular(operator.mul),
    arith.AndIOp: _modular(operator.and_),
    arith.OrIOp: _modular(operator.or_),
    arith.XOrIOp: _modular(operator.xor),
    arith.MinSIOp: _signed_op(min),
    arith.MaxSIOp: _signed_op(max),
    arith.MinUIOp: _unsigned_op(min),
    arith.MaxUIOp: _unsigned_op(max),
    arith.DivSIOp: _division(signed, truncated_division),
    arith.FloorDivSIOp: _division(signed, operator.floordiv),
    arith.CeilDivSIOp: _division(signed, lambda a, b: -(-a // b)),
    arith.RemSIOp: _division(signed, lambda a, b: a - b * truncated_division(a, b)),
    arith.DivUIOp: _division(unsigned, operator.floordiv),
    arith.CeilDivUIOp: _division(unsigned, lambda a, b: -(-a // b)),
    arith.RemUIOp: _division(unsigned, operator.mod),
    arith.ShLIOp: _shift(signed, operator.lshift),
    arith.ShRSIOp: _shift(signed, operator.rshift),
    arith.ShRUIOp: _shift(unsigned, operator.rshift),
    arith.CmpiOp: _compare,
    arith.IndexCastOp: _cast(signed),
    IndexCastUIOp: _cast(unsigned),
    arith.ExtSIOp: _cast(signed),
    arith.ExtUIOp: _cast(unsigned),
    arith.TruncIOp: _cast(unsigned),
    arith.AddUIExtendedOp: _add_extended,
    arith.MulUIExtendedOp: _extended(unsigned, operator.mul),
    arith.MulSIExtendedOp: _extended(signed, operator.mul),
}
"""Builders of the scalar function of each op."""


def integer_functions() -> InterpreterFunctions:
    """The implementations of the integer ops."""
    return elementwise_functions("ArithIntegerFunctions", INTEGER_OPS)
