"""Requantization by a product of integers and a shift, proven equal to the definition in float64.

``qnn.requantize`` of an element ``d`` is, in float64, ``round(x * m) + z`` limited to the type of
the result, where ``x`` is ``d`` less its zero point and ``m`` the quotient of the scales. Here it
is, limited too, ``z`` plus ::

    (min(max(x, low), high) * factor + offset) >> shift

Both are monotonic in ``x``. So they are equal if they are at the two neighbours of each place where
the definition steps; these are few, and all are tried.

The idea of a product with an integer and a shift is gemmlowp's (Jacob et al., 2018); the proof
needs that the factors are known.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

MOST_STEPS = 1 << 21
"""The steps, of all channels together, that are tried at most."""
_BITS = 61
"""Products have at most so many bits, so that sums with offsets stay inside int64."""


@dataclass(frozen=True)
class FixedPoint:
    """The numbers of each channel, as arrays of int64 of one element or one a channel."""

    low: Any
    high: Any
    factor: Any
    offset: Any
    shift: Any


def rounded(value: Any, rounding: str) -> Any:
    """Numbers rounded as ``qnn.requantize`` does."""
    import numpy as np

    if rounding == "TONEVEN":
        return np.rint(value)
    up = np.floor(value + 0.5)
    return up if rounding == "UPWARD" else np.where(value < 0, np.ceil(value - 0.5), up)


def fixed_point(
    ratio: Any, data_limits: tuple[int, int], zero_in: Any, limits: tuple[int, int], zero_out: int,
    rounding: str,
) -> FixedPoint | None:  # fmt: skip
    """The numbers for quotients of scales, an array of float64; None if there are none.

    ``data_limits`` are those of the elements, ``zero_in`` their zero points, an array of the
    quotients' shape; ``limits`` and ``zero_out`` are of the result.
    """
    import numpy as np

    steps = limits[1] - limits[0]
    if steps * ratio.size > MOST_STEPS or not (np.isfinite(ratio) & (ratio > 0)).all():
        return None
    values = np.arange(limits[0] + 1, limits[1] + 1)[None, :] - zero_out
    m = ratio.reshape(-1, 1)
    least = data_limits[0] - zero_in.reshape(-1, 1).astype(np.int64)
    most = data_limits[1] - zero_in.reshape(-1, 1).astype(np.int64)
    above = _first(values.astype(np.float64), m, least, most, rounding)
    if above is None:
        return None
    below = above - 1
    # The lowest possible threshold of the largest result, and the highest of the smallest.
    low = np.maximum(below[:, :1], least)
    high = np.maximum(np.minimum(above[:, -1:], most), low)
    largest = np.maximum(np.maximum(np.abs(low), np.abs(high)), 1).astype(np.float64)
    # Thresholds that all elements reach are represented by the last of them, and thresholds that no
    # element reaches by the first; the remaining ones may be too large for products.
    is_reached, is_start = above <= most, above <= least
    at = is_reached & (~is_start | (np.cumsum(is_start[:, ::-1], 1)[:, ::-1] == 1))
    before = ~is_start & (is_reached | (np.cumsum(~is_reached, 1) == 1))
    values = np.where(at | before, values, 0)
    most_compared = np.maximum(np.abs(values).max(1, keepdims=True), 1)
    shift = np.floor(_BITS - np.log2(np.maximum(largest * m, most_compared))).astype(np.int64)
    shift = np.clip(shift, 1, 61)
    if (m * 2.0**shift * largest > 2.0 ** (_BITS + 1)).any():
        return None
    scaled = values << shift
    steps_at = _Steps(scaled, np.where(at, above, 0), np.where(before, below, 0), at, before)
    half = np.int64(1) << (shift - 1)
    nearest = np.rint(m * 2.0**shift).astype(np.int64)
    factor, offset = nearest, half
    is_solved = np.zeros(half.shape, bool)
    for change in (0, -1, 1, -2, 2):  # a larger factor rounds ties away from 0
        tried = nearest + change
        own, is_possible = steps_at.offset(tried, half)
        is_new = is_possible & ~is_solved & (tried > 0)
        factor = np.where(is_new, tried, factor)
        offset = np.where(is_new, own, offset)
        is_solved |= is_new
    if not is_solved.all():
        return None
    numbers = (low, high, factor, offset, shift)
    return FixedPoint(*(_one_for_all(part.reshape(-1)) for part in numbers))


@dataclass
class _Steps:
    """The places where the result of each channel steps to each of its values."""

    scaled: Any
    """The values, shifted."""
    above: Any
    """The first place of a value."""
    below: Any
    """The place before it."""
    at: Any
    """True where the first place is compared."""
    before: Any
    """True where the place before it is compared."""

    def offset(self, factor: Any, half: Any) -> tuple[Any, Any]:
        """The offsets with a factor, as near to ``half`` as may be; and whether there are any that
        give the right results."""
        import numpy as np

        far = np.int64(1) << 62
        lowest = np.where(self.at, self.scaled - self.above * factor, -far)
        highest = np.where(self.before, self.scaled - self.below * factor, far)
        low, high = lowest.max(1, keepdims=True), highest.min(1, keepdims=True) - 1
        return np.clip(half, low, high), low <= high


def _first(values: Any, m: Any, least: Any, most: Any, rounding: str) -> Any:
    """The first ``x`` from ``least`` to ``most`` whose result is at least each of the values, one
    more than ``most`` if there is none; None if it was not found."""
    import numpy as np

    guess = np.ceil((values - 0.5) / m)
    near = np.clip(guess, least.astype(np.float64), most.astype(np.float64) + 1).astype(np.int64)
    result = np.broadcast_to(most + 1, near.shape).copy()
    for distance in range(2, -3, -1):
        x = np.clip(near + distance, least, most)
        result = np.where(rounded(x * m, rounding) >= values, np.minimum(result, x), result)
    before = result - 1
    is_first = (before < least) | (rounded(before * m, rounding) < values)
    last = np.where(result > most, most, result)
    is_reached = (result > most) | (rounded(last * m, rounding) >= values)
    return result if bool((is_first & is_reached).all()) else None


def apply(plan: FixedPoint, x: Any) -> Any:
    """The result of elements less their zero points, not limited yet."""
    import numpy as np

    product = np.minimum(np.maximum(x, plan.low), plan.high) * plan.factor
    return (product + plan.offset) >> plan.shift


def _one_for_all(numbers: Any) -> Any:
    return numbers[:1] if (numbers == numbers[0]).all() else numbers
