"""The memory that builds leave behind: the resident size of a process that builds 2,000 modules.

    python benchmarks/build_memory.py [BUILDS]

Each module is an expression in one of seven sizes, split, parallel and vectorized. It is built,
called and dropped. The sizes are in MiB: after the first 100 builds (which load everything), and
from there on.
"""

from __future__ import annotations

import ctypes
import gc
import re
import sys
from pathlib import Path

import numpy as np

import kc
from kc import te

WARM_UP = 100
ROWS = 10


def build(number: int) -> None:
    """Build a module, call it, and drop it."""
    n = 64 + number % 7 * 8
    a = te.placeholder((n,), name="A")
    b = te.compute((n,), lambda i: a[i] * float(number % 13) + 1, name="B")
    s = te.create_schedule(b.op)
    outer, inner = s[b].split(b.op.axis[0], factor=8)
    s[b].parallel(outer)
    s[b].vectorize(inner)
    ones, out = np.ones(n, np.float32), np.empty(n, np.float32)
    kc.build(s, [a, b])(ones, out)
    assert (out == number % 13 + 1).all()


def resident() -> float:
    """The resident size of this process, in MiB, without memory that the allocator holds in
    reserve.
    """
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    status = Path("/proc/self/status").read_text()
    size = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert size is not None
    return int(size[1]) / 1024


def main() -> None:
    """Print the table."""
    builds = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    for number in range(WARM_UP):
        build(number)
    start = resident()
    print(f"{WARM_UP:>6} builds  {start:7.1f} MiB")
    for row in range(1, ROWS + 1):
        for number in range(builds * (row - 1) // ROWS, builds * row // ROWS):
            build(number)
        now = resident()
        print(f"{WARM_UP + builds * row // ROWS:>6} builds  {now:7.1f} MiB  {now - start:+6.1f}")


if __name__ == "__main__":
    main()
