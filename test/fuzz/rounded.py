"""Floats with bounds of what rounding has changed: numpy's value, and how far from it kc's may be.

The values are computed in float64. The bounds hold for any order of evaluation, with or without
contraction; :mod:`programs` says how they follow from the length of reductions and the number
format. Elementary functions are monotone where they are computed here, or have slopes of at most 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from programs import TINY, UNIT, Unsuitable, float_op, reduced

OF_FUNCTION = 8
"""Half units in the last place that a function may be off: its documentation says at most 2 units,
and the C library's of others are no worse."""


@dataclass(frozen=True)
class Rounded:
    """Values of a tensor of floats, and bounds of their errors, in float64."""

    value: np.ndarray
    error: np.ndarray
    dtype: str

    @classmethod
    def exact(cls, value: Any, dtype: str) -> Self:
        """Values that the format has."""
        value = np.asarray(value, np.float64)
        return cls(value, np.zeros(value.shape), dtype)

    def moved(self, move: Callable[[np.ndarray], np.ndarray]) -> Rounded:
        """The same elements in other places."""
        return Rounded(move(self.value), move(self.error), self.dtype)

    def by(self, op: str, operand: Rounded | float) -> Rounded:
        """``add``, ``sub``, ``mul``, ``min`` or ``max`` of elements."""
        if not isinstance(operand, Rounded):
            # The nearest number of the format stands for a constant.
            value = np.asarray(operand, np.float64)
            operand = Rounded(value, UNIT[self.dtype] * np.abs(value), self.dtype)
        value, error = float_op(op, self, operand)
        return Rounded(value, np.asarray(error), self.dtype)

    def __add__(self, operand: Rounded | float) -> Rounded:
        return self.by("add", operand)

    def __sub__(self, operand: Rounded) -> Rounded:
        return self.by("sub", operand)

    def __mul__(self, operand: Rounded | float) -> Rounded:
        return self.by("mul", operand)

    def reciprocal(self) -> Rounded:
        """1 / x of positive numbers. Raises Unsuitable for those that may be 0."""
        least = self.value - self.error
        if not (least > 0).all():
            raise Unsuitable
        value = 1 / self.value
        return self._of_function(value, 1 / least - value)

    def __truediv__(self, operand: Rounded) -> Rounded:
        return self * operand.reciprocal()

    def reduce(self, kind: str, axes: Sequence[int], keepdims: bool = False) -> Rounded:
        """A ``sum``, ``prod``, ``min``, ``max`` or ``mean``."""
        axes = tuple(axis % self.value.ndim for axis in axes)
        combiner = "sum" if kind == "mean" else kind
        value, error = reduced(combiner, self.value, self.error, self.dtype, axes)
        if keepdims:
            value, error = (np.expand_dims(array, axes) for array in (value, error))
        result = Rounded(np.asarray(value), np.asarray(error), self.dtype)
        if kind != "mean":
            return result
        count = int(np.prod([self.value.shape[axis] for axis in axes]))
        return result / Rounded.exact(count, self.dtype)

    def monotone(self, function: Callable[[np.ndarray], np.ndarray]) -> Rounded:
        """A function that rises."""
        value = function(self.value)
        low, high = function(self.value - self.error), function(self.value + self.error)
        return self._of_function(value, np.maximum(high - value, value - low))

    def sin(self) -> Rounded:
        """The sine, whose slope is at most 1."""
        return self._of_function(np.sin(self.value), self.error)

    def absolute(self) -> Rounded:
        """The size of elements, which is not rounded."""
        return Rounded(np.abs(self.value), self.error, self.dtype)

    def _of_function(self, value: np.ndarray, carried: np.ndarray) -> Rounded:
        own = OF_FUNCTION * UNIT[self.dtype] * (np.abs(value) + carried)
        return Rounded(value, (carried + own) * (1 + 2.0**-40) + TINY[self.dtype], self.dtype)
