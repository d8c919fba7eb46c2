"""Classification of a warp's memory accesses: coalesced or not, with or without bank conflicts.

The result holds for all thread blocks and all iterations. The value of an index in a thread is a
*pattern*, a number for each thread, plus a multiple of a *unit* that all threads share. For ``b *
64 + t`` the pattern is ``t`` and the unit 64, whatever the block ``b``. The multiple moves all
addresses of a warp by the same distance. Bank conflicts stay the same; sectors also do if the
distance is a multiple of 32 bytes. Comparisons of such values select the active threads, as a list
of possible masks.

The n-th execution of an access by each lane counts as one instruction, as in the emulator. The
verdict is therefore undecided where lanes may skip different iterations, except the last ones of a
loop.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import gcd, prod
from typing import Any, Literal

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, IntegerAttr
from xdsl.ir import Operation, SSAValue

from kc.dialects import gpu

WARP_SIZE = 32
SECTOR, BANKS, WORD = 32, 32, 4
"""Bytes of a sector of global memory; number of banks of shared memory; bytes of a word of a bank.
"""

Verdict = Literal["coalesced", "uncoalesced", "conflict-free", "conflict"]
_VERDICTS: dict[str, tuple[Verdict, Verdict]] = {
    "global": ("coalesced", "uncoalesced"),
    "shared": ("conflict-free", "conflict"),
}
MOST_CHOICES = 2048
"""The most masks of active threads that are tracked."""


@dataclass(frozen=True)
class Pattern:
    """The value ``each + unit * k`` in each thread; the integer ``k`` is unknown but common."""

    each: Any
    unit: int
    trend: int | None
    """Change from one iteration to the next of the surrounding loops: 0 none, 1 never decreasing,
    -1 never increasing, None unknown.
    """

    @property
    def common(self) -> int | None:
        """The common value of all threads; None if the threads have different values."""
        first = int(self.each[0])
        return first if (self.each == first).all() else None


@dataclass(frozen=True)
class _Choices:
    """The possible masks of the threads for which a condition holds."""

    masks: list[Any]
    trend: int | None
    """Change over iterations: 0 none, -1 the condition may become false for good, 1 it may become
    true for good.
    """


class Patterns:
    """Patterns of the values of a kernel, computed in program order.

    ``varying`` holds the values that may differ between the threads of a block; every other value
    is uniform.
    """

    def __init__(self, block: Sequence[int], varying: set[SSAValue]) -> None:
        import numpy as np

        self.np = np
        self.block = list(block)
        self.count = prod(block)
        self.varying = varying
        self._patterns: dict[SSAValue, Pattern] = {}
        self._choices: dict[SSAValue, _Choices] = {}
        self._bounds: dict[SSAValue, tuple[Any, Any]] = {}
        self._moving: set[SSAValue] = set()
        """The values that may differ between the iterations of a loop."""
        self._threads: list[Any] | None = [np.ones(self.count, bool)]
        """The possible masks of active threads; None if unknown."""
        self._loops: list[scf.ForOp] = []
        self._costs: dict[tuple[Any, ...], tuple[int, int, int]] = {}

    # Active threads

    @contextlib.contextmanager
    def branch(self, op: scf.IfOp, *, is_taken: bool) -> Iterator[None]:
        """Restrict the active threads to the threads that enter this branch of ``op``."""
        before = self._threads
        choices = self._choices.get(op.cond)
        if op.cond not in self.varying:
            pass  # uniform: all threads or none
        elif choices is None or not self._is_in_step(choices, is_taken=is_taken):
            self._threads = None
        elif before is not None:
            masks = [mask if is_taken else ~mask for mask in choices.masks]
            self._threads = self._distinct(mine & its for mine in before for its in masks)
        yield
        self._threads = before

    @contextlib.contextmanager
    def loop(self, op: scf.ForOp, *, is_together: bool) -> Iterator[None]:
        """Enter a loop. With ``is_together``, all threads that reach the loop run the same
        iterations.
        """
        variable, before = op.body.block.args[0], self._threads
        low, step = self.pattern(op.lb), self.pattern(op.step)
        if not is_together and not self._is_even(op):
            self._threads = None
        elif low is not None and step is not None and step.common is not None:
            unit = gcd(low.unit, step.common, step.unit)
            trend = 1 if not step.unit and step.common > 0 and low.trend == 0 else None
            self._patterns[variable] = Pattern(low.each, unit, trend)
        self._moving.update(op.body.block.args)
        self._loops.append(op)
        yield
        self._loops.pop()
        self._threads = before

    def _is_in_step(self, choices: _Choices, *, is_taken: bool) -> bool:
        """True if the lanes outside a branch skip the same iterations, or if they skip only the
        last iterations of a loop and all threads meet at a barrier before each further iteration.
        """
        if choices.trend == 0 or not self._loops:
            return True
        if choices.trend != (-1 if is_taken else 1):
            return False
        again = [loop for loop in self._loops if not self._runs_once(loop)]
        return all(
            any(isinstance(op, gpu.BarrierOp) for op in loop.body.block.ops) for loop in again[:-1]
        )

    def _runs_once(self, op: scf.ForOp) -> bool:
        low, high, step = map(self.pattern, (op.lb, op.ub, op.step))
        if low is None or high is None or step is None or low.unit or high.unit or step.unit:
            return False
        return bool((low.each + step.each >= high.each).all())

    @contextlib.contextmanager
    def unknown_threads(self) -> Iterator[None]:
        """Treat the set of active threads as unknown."""
        before, self._threads = self._threads, None
        yield
        self._threads = before

    def _is_even(self, op: scf.ForOp) -> bool:
        """True if all threads run equally many iterations, possibly from different lower bounds."""
        low, high, step = map(self.pattern, (op.lb, op.ub, op.step))
        if low is None or high is None or step is None:
            return False
        size = None if step.unit else step.common
        if low.unit or high.unit or size is None or size <= 0:
            return False
        trips = -((low.each - high.each) // size)
        return bool((trips == trips[0]).all())

    def _distinct(self, masks: Any) -> list[Any] | None:
        distinct: dict[bytes, Any] = {}
        for mask in masks:
            if mask.any():
                distinct[mask.tobytes()] = mask
            if len(distinct) > MOST_CHOICES:
                return None
        return list(distinct.values())

    # Values

    def pattern(self, value: SSAValue) -> Pattern | None:
        """The pattern of an index or an integer; None if unknown."""
        cached = self._patterns.get(value)
        if cached is None and value not in self.varying:
            trend = None if value in self._moving else 0
            cached = Pattern(self.np.zeros(self.count, self.np.int64), 1, trend)
        return cached

    def compute(self, op: Operation, bounds: tuple[Any, Any] | None) -> None:
        """Record the pattern of the op's result. ``bounds`` are the bounds of the result over all
        thread blocks and iterations.
        """
        if any(operand in self._moving for operand in op.operands):
            self._moving.update(op.results)
        if len(op.results) != 1:
            return
        result = op.results[0]
        if bounds is not None:
            self._bounds[result] = bounds
        if isinstance(op, arith.CmpiOp):
            self._compare(op)
            return
        if isinstance(op, arith.AndIOp | arith.OrIOp) and op.lhs in self._choices:
            self._both(op)
            return
        pattern = self._of_operation(op)
        if pattern is not None:
            self._patterns[result] = pattern

    def _of_operation(self, op: Operation) -> Pattern | None:
        np = self.np
        if isinstance(op, arith.ConstantOp):
            if not isinstance(op.value, IntegerAttr):
                return None
            return Pattern(np.full(self.count, op.value.value.data, np.int64), 0, 0)
        if isinstance(op, gpu.ThreadIdOp | gpu.BlockDimOp):
            axis = "xyz".index(op.dimension.data.value)
            size, before = self.block[axis], prod(self.block[:axis])
            each = np.arange(self.count) // before % size
            if isinstance(op, gpu.BlockDimOp):
                each = np.full(self.count, size)
            return Pattern(each.astype(np.int64), 0, 0)
        if isinstance(op, gpu.GlobalIdOp):
            axis = "xyz".index(op.dimension.data.value)
            size, before = self.block[axis], prod(self.block[:axis])
            return Pattern(np.arange(self.count, dtype=np.int64) // before % size, size, 0)
        if isinstance(op, gpu.LaneIdOp):
            return Pattern(np.arange(self.count, dtype=np.int64) % WARP_SIZE, 0, 0)
        if isinstance(op, gpu.SubgroupIdOp):
            return Pattern(np.arange(self.count, dtype=np.int64) // WARP_SIZE, 0, 0)
        patterns = [self.pattern(operand) for operand in op.operands]
        varying = [pattern for pattern in patterns if pattern is not None]
        if not varying or len(varying) < len(patterns):
            return None
        if isinstance(op, arith.IndexCastOp | arith.ExtSIOp):
            return varying[0]
        compute = _ARITHMETIC.get(op.name)
        if compute is None or len(varying) != 2:
            return None
        if op.name in _DIVISIONS and not self._is_natural(op.operands[0]):
            return None
        result = compute(*varying)
        return None if result is None else Pattern(*result, _trend(op, *varying))

    def _is_natural(self, value: SSAValue) -> bool:
        """True if the value is proven non-negative. Signed and unsigned, truncating and flooring
        division then agree.
        """
        bounds, pattern = self._bounds.get(value), self._patterns.get(value)
        if bounds is not None:
            return bool((bounds[0] >= 0).all())
        return pattern is not None and not pattern.unit and bool((pattern.each >= 0).all())

    def _compare(self, op: arith.CmpiOp) -> None:
        left, right = self.pattern(op.lhs), self.pattern(op.rhs)
        predicate = op.predicate.value.data
        if predicate > max(_COMPARISONS) and all(map(self._is_natural, (op.lhs, op.rhs))):
            predicate -= _UNSIGNED
        compare = _COMPARISONS.get(predicate)
        if left is None or right is None or compare is None or op.result not in self.varying:
            return
        each, unit = left.each - right.each, gcd(left.unit, right.unit)
        trend = _trend(op, left, right)
        if trend is not None and predicate in _LESS:
            trend = -trend
        elif trend and predicate not in _GREATER:
            trend = None
        multiples = [0] if not unit else self._multiples(op, each, unit)
        if multiples is None:
            return
        masks = self._distinct_masks(compare(each + unit * k) for k in multiples)
        if masks is not None:
            self._choices[op.result] = _Choices(masks, trend)

    def _multiples(self, op: arith.CmpiOp, each: Any, unit: int) -> Any:
        """The integers ``k`` for which a comparison of ``each + unit * k`` with 0 may give
        different masks; None if they are more than :data:`MOST_CHOICES`.
        """
        first = -int(each.max()) // unit - 1
        last = -int(each.min()) // unit + 1
        left, right = self._bounds_of(op.lhs), self._bounds_of(op.rhs)
        if left is not None and right is not None:
            low, high = left[0] - right[1], left[1] - right[0]
            first = max(first, int((-((each - low) // unit)).max()))
            last = min(last, int(((high - each) // unit).min()))
        return range(first, last + 1) if last - first <= MOST_CHOICES else None

    def _bounds_of(self, value: SSAValue) -> tuple[Any, Any] | None:
        pattern = self._patterns.get(value)
        if pattern is not None and not pattern.unit:
            return pattern.each, pattern.each
        return self._bounds.get(value)

    def _distinct_masks(self, masks: Any) -> list[Any] | None:
        distinct = {mask.tobytes(): mask for mask in masks}
        return list(distinct.values()) if len(distinct) <= MOST_CHOICES else None

    def _both(self, op: arith.AndIOp | arith.OrIOp) -> None:
        left, right = self._choices[op.lhs], self._choices.get(op.rhs)
        if right is None or len(left.masks) * len(right.masks) > MOST_CHOICES:
            return
        is_and = isinstance(op, arith.AndIOp)
        masks = self._distinct_masks(
            mine & its if is_and else mine | its for mine in left.masks for its in right.masks
        )
        if masks is not None:
            self._choices[op.result] = _Choices(masks, _joined(left.trend, right.trend))

    # Verdicts

    def place(self, shape: Sequence[int], indices: Sequence[SSAValue]) -> Pattern | None:
        """The row-major number of an element in a dense array; None if unknown."""
        place = Pattern(self.np.zeros(self.count, self.np.int64), 0, 0)
        for n, index in enumerate(indices):
            pattern = self.pattern(index)
            if pattern is None:
                return None
            size = 0 if set(shape[:n]) <= {1} else shape[n]
            if shape[n] == DYNAMIC_INDEX and size:
                if place.common != 0:
                    return None
                place, size = Pattern(place.each, min(place.unit, 1), 0), 1
            each = place.each * size + pattern.each
            place = Pattern(each, gcd(place.unit * size, pattern.unit), 0)
        return place

    def verdict(self, place: Pattern, width: int, lanes: int, memory: str) -> Verdict | None:
        """The verdict on an access by all active threads of ``lanes`` elements of ``width`` bytes
        each, from element ``place`` on; None if undecided.
        """
        if not self._threads:
            return None
        # Distances by which multiples of the unit move all addresses, modulo the period of the
        # cost.
        cycle, move = (SECTOR if memory == "global" else WORD), place.unit * width
        moves = range(0, cycle, gcd(move, cycle)) if move % cycle else (0,)
        costs = self._steady_costs if len(self._threads) == 1 else self._warp_costs
        good, bad = _VERDICTS[memory]
        verdict: Verdict | None = None
        for needed, least, is_single in costs(place.each * width, moves, width * lanes, memory):
            if needed == least and is_single:
                continue
            here = good if needed == least else bad
            if verdict not in (None, here):
                return None
            verdict = here
        return verdict or good

    def _steady_costs(
        self, places: Any, moves: Sequence[int], bytes_: int, memory: str
    ) -> Iterator[tuple[int, int, bool]]:
        """The total and the minimal transactions of all warps for each distance, if only one mask
        is possible.
        """
        assert self._threads is not None
        (mask,) = self._threads
        for move in moves:
            costs = [
                self._warp_cost(places[warp] + move, warp % WARP_SIZE, bytes_, memory)
                for warp in self._warps(mask)
            ]
            yield sum(cost[0] for cost in costs), sum(cost[1] for cost in costs), False

    def _warp_costs(
        self, places: Any, moves: Sequence[int], bytes_: int, memory: str
    ) -> Iterator[tuple[int, int, bool]]:
        """For each distance, mask and warp: the transactions, the minimal transactions, and True if
        the warp has a single active lane.
        """
        assert self._threads is not None
        seen: set[bytes] = set()
        for mask in self._threads:
            for warp in self._warps(mask):
                key = warp.tobytes()
                if key in seen:
                    continue
                seen.add(key)
                for move in moves:
                    cost = self._warp_cost(places[warp] + move, warp % WARP_SIZE, bytes_, memory)
                    yield cost[0], cost[1], len(warp) == 1

    def _warps(self, mask: Any) -> Iterator[Any]:
        threads = self.np.flatnonzero(mask)
        numbers = threads // WARP_SIZE
        for number in self.np.unique(numbers):
            yield threads[numbers == number]

    def _warp_cost(self, places: Any, lanes: Any, bytes_: int, memory: str) -> tuple[int, int, int]:
        cycle = SECTOR if memory == "global" else BANKS * WORD
        places = places - int(places.min()) // cycle * cycle
        key = (places.tobytes(), lanes.tobytes(), bytes_, memory)
        if key not in self._costs:
            self._costs[key] = warp_cost(places, lanes, bytes_, memory)
        return self._costs[key]


def warp_cost(places: Any, lanes: Any, width: int, memory: str) -> tuple[int, int, int]:
    """Transactions of a warp, the minimum, and its bank conflicts (as counted by ``emulator.c``)
    where ``lanes`` access ``width`` bytes each at ``places``.
    """
    import numpy as np

    def distinct(unit: int, chosen: Any) -> Any:
        parts = np.append(np.arange(0, width, min(unit, width)), width - 1)
        return np.unique((places[chosen, None] + parts) // unit)

    if memory == "global":
        sectors = len(distinct(SECTOR, slice(None)))
        least = -(-len(places) * width // SECTOR)
        return sectors, min(least, sectors), 0
    group = WARP_SIZE if width <= 4 else 16 if width <= 8 else 8
    needed: list[int] = []
    for first in range(0, WARP_SIZE, group):
        words = distinct(WORD, (lanes >= first) & (lanes < first + group))
        if len(words):
            needed.append(int(np.bincount(words % BANKS).max()))
    return sum(needed), len(needed), sum(needed) - len(needed)


def _joined(left: int | None, right: int | None) -> int | None:
    """The trend of a value that increases with both of two values whose trends are ``left`` and
    ``right``.
    """
    if left is None or right is None or left * right < 0:
        return None
    return left or right


def _trend(op: Operation, left: Pattern, right: Pattern) -> int | None:
    """The trend of a result from its operands; a comparison has the trend of their difference."""
    if left.trend == 0 and right.trend == 0:
        return 0
    if op.name == "arith.addi":
        return _joined(left.trend, right.trend)
    if op.name in ("arith.subi", "arith.cmpi"):
        return _joined(left.trend, None if right.trend is None else -right.trend)
    if op.name == "arith.muli" and left.unit == 0 and left.common is not None:
        left, right = right, left
    factor = None if right.unit else right.common
    if op.name == "arith.muli" or op.name in _QUOTIENTS:
        return left.trend if factor is not None and factor >= 0 else None
    return None


def _sum(left: Pattern, right: Pattern) -> tuple[Any, int]:
    return left.each + right.each, gcd(left.unit, right.unit)


def _difference(left: Pattern, right: Pattern) -> tuple[Any, int]:
    return left.each - right.each, gcd(left.unit, right.unit)


def _product(left: Pattern, right: Pattern) -> tuple[Any, int] | None:
    for some, by in ((left, right), (right, left)):
        if not by.unit:
            factor = by.common
            if factor is not None:
                return some.each * factor, some.unit * abs(factor)
            if not some.unit:
                return some.each * by.each, 0
    mine, its = left.common, right.common
    if mine is None or its is None:
        return None
    unit = gcd(mine * right.unit, its * left.unit, left.unit * right.unit)
    return left.each * right.each, unit


def _quotient(left: Pattern, right: Pattern) -> tuple[Any, int] | None:
    divisor = None if right.unit else right.common
    if divisor is None or divisor <= 0:
        return None
    if left.unit % divisor == 0:
        return left.each // divisor, left.unit // divisor
    return None if left.common is None else (left.each * 0, 1)


def _remainder(left: Pattern, right: Pattern) -> tuple[Any, int] | None:
    divisor = None if right.unit else right.common
    if divisor is None or divisor <= 0:
        return None
    if left.unit % divisor == 0:
        return left.each % divisor, 0
    common = left.common
    unit = gcd(left.unit, divisor)
    return None if common is None else (left.each * 0 + common % unit, unit)


_QUOTIENTS = ("arith.divsi", "arith.divui", "arith.floordivsi")
_DIVISIONS = ("arith.divsi", "arith.divui", "arith.remsi", "arith.remui")
_ARITHMETIC: dict[str, Callable[[Pattern, Pattern], tuple[Any, int] | None]] = {
    "arith.addi": _sum,
    "arith.subi": _difference,
    "arith.muli": _product,
    "arith.floordivsi": _quotient,
    "arith.divsi": _quotient,
    "arith.divui": _quotient,
    "arith.remsi": _remainder,
    "arith.remui": _remainder,
}
_COMPARISONS: dict[int, Callable[[Any], Any]] = {
    0: lambda difference: difference == 0,
    1: lambda difference: difference != 0,
    2: lambda difference: difference < 0,
    3: lambda difference: difference <= 0,
    4: lambda difference: difference > 0,
    5: lambda difference: difference >= 0,
}
"""Comparisons with 0, by the number of the predicate. Unsigned predicates follow from ``ult`` on.
"""
_UNSIGNED = 4
_LESS, _GREATER = (2, 3), (4, 5)
