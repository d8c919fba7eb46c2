"""Many mutants of textual IR, in this process: a diagnostic or a module comes of each, or it is
printed here.

``make fuzz-texts SEED=1 COUNT=1000``
"""

from __future__ import annotations

import sys
import traceback
from collections import Counter
from pathlib import Path
from random import Random

TESTS = Path(__file__).parents[1]
sys.path[:0] = [str(TESTS / folder) for folder in ("", "fuzz", "te")]

from cases import Outcome  # noqa: E402
from texts import run  # noqa: E402


def failure(seed: int, *, native: bool = True) -> tuple[str, Outcome]:
    """The failure of a mutant, empty if there was none, and the outcome."""
    outcome = Outcome()
    try:
        run(Random(f"mutant {seed}"), None, native, outcome)
    except Exception:
        return traceback.format_exc(limit=-6), outcome
    return "", outcome


def main(seed: int, count: int) -> int:
    """Try mutants; the number of those that fail otherwise than by a diagnostic."""
    done: Counter[str] = Counter()
    for n in range(seed, seed + count):
        error, outcome = failure(n)
        done.update(outcome.checks)
        if error:
            done["failed"] += 1
            print(f"mutant {n}, {outcome.stage}:\n{outcome.source}\n{error}", flush=True)
        if (n + 1 - seed) % 100 == 0 or n + 1 == seed + count:
            numbers = ", ".join(f"{name} {number}" for name, number in done.items())
            print(f"{n + 1 - seed} mutants: {numbers}", flush=True)
    return done["failed"]


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])) > 0)
