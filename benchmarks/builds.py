"""The time of builds: from a tensor expression to a function to call, without the compile cache.

    python -m benchmarks.builds [NAME ...] [--topi] [--cpu] [--repeat=3]

Measures the rows of benchmarks/cpu.py, and the example of each operator of kc.topi, with the
schedules that kc chooses, for one core. The times are processor times in ms: the best of several
builds after an uncounted one, all in one process. ``--topi`` and ``--cpu`` measure one of the two;
NAMEs are parts of names.
"""

# ruff: noqa: E402 -- how many threads there are is read when kc is imported

from __future__ import annotations

import os

os.environ["KC_NUM_THREADS"] = "1"
os.environ.pop("KC_CACHE_DIR", None)

import argparse
import gc
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks" / "peers")]
LIMITS = (60, 75, 100)
"""The limits, in ms, above which builds are counted."""


def rows_of_cpu(wanted: Callable[[str], bool]) -> dict[str, Callable[[], Any]]:
    """The functions that create the tensors of each row of benchmarks/cpu.py."""
    from cpu_rows import ROWS

    return {name: row.make().tensors for name, row in ROWS.items() if wanted(name)}


def operators(wanted: Callable[[str], bool]) -> dict[str, Callable[[], Any]]:
    """The functions that create the tensors of each operator's example."""
    from kc.topi.table import whole_table
    from kc.topi.write_docs import example_tensors

    def make(example: str) -> Callable[[], Any]:
        return lambda: [tensor for tensors in example_tensors(example) for tensor in tensors]

    table = whole_table()
    return {name: make(row.example) for name, row in table.items() if row.example and wanted(name)}


def seconds(make: Callable[[], Any], repeat: int) -> float:
    """The best processor time of several builds after a first one."""
    import kc

    times = []
    for _ in range(repeat + 1):
        gc.collect()
        started = time.process_time()
        kc.build(make())
        times.append(time.process_time() - started)
    return min(times[1:])


def main(argv: Sequence[str] | None = None) -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.builds", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="parts of names")
    parser.add_argument("--topi", action="store_true", help="the operators of kc.topi alone")
    parser.add_argument("--cpu", action="store_true", help="the rows of benchmarks/cpu.py alone")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args(argv)

    def wanted(name: str) -> bool:
        return not options.names or any(part in name for part in options.names)

    for title, programs, left_out in (
        ("rows of benchmarks/cpu.py", rows_of_cpu, options.topi and not options.cpu),
        ("operators of kc.topi", operators, options.cpu and not options.topi),
    ):
        if left_out:
            continue
        times: dict[str, float] = {}
        for name, make in programs(wanted).items():
            times[name] = seconds(make, options.repeat) * 1e3
            print(f"{name:<44}{times[name]:8.1f}", flush=True)
        if times:
            above = (f"{sum(it > n for it in times.values())} above {n} ms" for n in LIMITS)
            print(f"{len(times)} {title}: median {statistics.median(times.values()):.1f} ms, "
                  f"{', '.join(above)}")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
