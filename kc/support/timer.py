"""The timing report of ``--mlir-timing``."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

_WIDTH = 79


class Timer:
    """Wall-clock time by section, in the order of first use."""

    def __init__(self) -> None:
        self.sections: list[tuple[str, float]] = []
        self._started = time.perf_counter()

    @contextlib.contextmanager
    def section(self, name: str) -> Iterator[None]:
        """Measure the time of the block, also if it fails."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.sections.append((name, time.perf_counter() - started))

    def report(self) -> str:
        """The report in the layout of mlir-opt."""
        total = time.perf_counter() - self._started
        named = sum(seconds for _, seconds in self.sections)
        rows = [*self.sections, ("Rest", max(total - named, 0.0)), ("Total", total)]
        rule = f"===-{'-' * (_WIDTH - 8)}-==="
        lines = [
            rule,
            "... Execution time report ...".center(_WIDTH).rstrip(),
            rule,
            f"  Total Execution Time: {total:.4f} seconds",
            "",
            "  ----Wall Time----  ----Name----",
        ]
        for name, seconds in rows:
            lines.append(f"  {seconds:8.4f} ({100 * seconds / total:5.1f}%)  {name}")
        return "\n".join(lines)
