"""Measuring a kernel's time: repeated runs and their statistics."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from kc.support.diagnostics import CallError


@dataclass(frozen=True)
class BenchmarkResult:
    """Seconds per call: one entry in ``results`` for each repeat, itself a mean."""

    results: tuple[float, ...]

    @property
    def mean(self) -> float:
        return math.fsum(self.results) / len(self.results)

    @property
    def median(self) -> float:
        ordered, middle = sorted(self.results), len(self.results) // 2
        return (ordered[middle] + ordered[~middle]) / 2

    @property
    def min(self) -> float:
        return min(self.results)

    @property
    def max(self) -> float:
        return max(self.results)

    @property
    def std(self) -> float:
        """The standard deviation of the repeats (of the population: 0 for a single one)."""
        squares = math.fsum((x - self.mean) ** 2 for x in self.results)
        return math.sqrt(squares / len(self.results))

    def __str__(self) -> str:
        names = ("mean", "median", "max", "min", "std")
        head = "".join(f"{f'{name} (ms)':^14}" for name in names)
        row = "".join(f"{getattr(self, name) * 1000:^14.4f}" for name in names)
        return f"Execution time summary:\n{head.rstrip()}\n{row.rstrip()}"


@dataclass(frozen=True)
class Repeats:
    """The schedule of a measurement: ``repeat`` times ``number`` calls, after one warm-up call.

    ``number`` grows until a repeat lasts ``min_repeat_ms``. After every ``repeats_to_cooldown``
    repeats there is a pause of ``cooldown_interval_ms``.
    """

    number: int = 10
    repeat: int = 1
    min_repeat_ms: float = 0
    cooldown_interval_ms: float = 0
    repeats_to_cooldown: int = 1

    def __post_init__(self) -> None:
        for name in ("number", "repeat", "repeats_to_cooldown"):
            if getattr(self, name) < 1:
                raise CallError(
                    "KC5130",
                    f"time_evaluator: {name} is {getattr(self, name)}, expected at least 1",
                )

    @staticmethod
    def within(budget: float, call: float, repeat: int = 5) -> Repeats | None:
        """The most repeats, up to ``repeat``, that fit ``budget`` seconds if a call takes ``call``
        seconds, including the warm-up; None if not even one fits.
        """
        allowed = int(budget / max(call, 1e-9)) - 1
        return Repeats(1, min(repeat, allowed), min_repeat_ms=20) if allowed >= 1 else None

    def measure(self, seconds: Callable[[int], float]) -> BenchmarkResult:
        """Measure with ``seconds(number)``, which runs ``number`` calls and returns the time in
        seconds.
        """
        seconds(1)
        number, results = self.number, []
        for done in range(1, self.repeat + 1):
            duration = seconds(number)
            while duration * 1000 < self.min_repeat_ms:
                # As TVM: aim at the duration wanted, but grow by the golden ratio at least.
                calls = self.min_repeat_ms / 1000 / max(duration / number, 1e-9)
                number = int(max(calls + 1, number * 1.618 + 1))
                duration = seconds(number)
            results.append(duration / number)
            if self.cooldown_interval_ms > 0 and done % self.repeats_to_cooldown == 0:
                time.sleep(self.cooldown_interval_ms / 1000)
        return BenchmarkResult(tuple(results))
