"""Builds and calls of ten operators: kc beside TVM and Halide.

    pip install apache-tvm halide
    python benchmarks/compile_peers.py [ROUNDS] [--peers=PYTHON]

``PYTHON`` is the interpreter that has the peers (default: this one); missing peers are omitted.
Each round starts each system once, in turn, in a separate process. The process imports the system,
builds one operator to absorb the cost of a first build, and then builds each operator twice:
expression, schedule (the same calls in kc and TVM, the nearest in Halide), machine code for this
CPU. "chosen" is kc with its default schedules. The first table has the medians over all rounds, in
ms from the expression to a function; the second has the best calls of these functions, in ms of
processor time on one thread. The results of all systems are compared with numpy's.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

PEERS = Path(__file__).resolve().parent / "peers"
SYSTEMS = {"kc": "kc", "chosen": "kc", "tvm": "tvm", "halide": "halide"}
OWN = ("kc", "chosen")
BUILDS = 2


def has(python: str, package: str) -> bool:
    """True if an interpreter can import a package."""
    command = [
        python,
        "-c",
        f"import importlib.util as u, sys; sys.exit(not u.find_spec({package!r}))",
    ]
    return subprocess.run(command, check=False).returncode == 0


def run(python: str, system: str, expected: dict[str, np.ndarray]) -> dict:
    """The times of one process; its results are compared with ``expected``."""
    with tempfile.TemporaryDirectory() as folder:
        command = [python, str(PEERS / "builds.py"), system, str(BUILDS), folder]
        output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        for name, value in expected.items():
            got = np.load(Path(folder) / f"{name}.npy")
            np.testing.assert_allclose(
                got, value, rtol=2e-3, atol=2e-3, err_msg=f"{system}: {name}"
            )
    return json.loads(output)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("rounds", nargs="?", type=int, default=7)
    parser.add_argument("--peers", default=sys.executable, metavar="PYTHON")
    options = parser.parse_args()
    sys.path.insert(0, str(PEERS))
    from references import expected as of_numpy

    expected = of_numpy()
    pythons: dict[str, str] = dict.fromkeys(OWN, sys.executable)
    for system, package in SYSTEMS.items():
        if system not in OWN and has(options.peers, package):
            pythons[system] = options.peers
        elif system not in OWN:
            print(f"{system} is left out: {options.peers} has no package {package}")
    runs: dict[str, list[dict]] = {system: [] for system in pythons}
    for _ in range(options.rounds):
        for system, python in pythons.items():
            runs[system].append(run(python, system, expected))

    builds = {
        name: {
            it: [t for process in of for t in process["builds"][name]] for it, of in runs.items()
        }
        for name in expected
    }
    builds["import"] = {it: [process["import"] for process in of] for it, of in runs.items()}
    builds["import and first build"] = {
        it: [process["first"] for process in of] for it, of in runs.items()
    }
    calls = {
        name: {it: [process["calls"][name] for process in of] for it, of in runs.items()}
        for name in expected
    }
    table("build, ms", builds, statistics.median, "{:.1f}")
    print()
    table("call, ms", calls, min, "{:.3f}")
    return 0


def table(
    title: str,
    rows: dict[str, dict[str, list[float]]],
    choose: Callable[[list[float]], float],
    form: str,
) -> None:
    """Print a table: the times of each system in ms, and the ratio of kc's times to those of each
    other system.
    """
    systems = list(next(iter(rows.values())))
    peers = [system for system in systems if system not in OWN]
    heads = [*systems, *(f"{own} / {system}" for system in peers for own in OWN)]
    print(f"| {title} | {' | '.join(heads)} |")
    print("|---" * (1 + len(heads)) + "|")
    for name, times in rows.items():
        ms = {system: choose(of) * 1e3 for system, of in times.items()}
        cells = [form.format(value) for value in ms.values()]
        cells += [f"{ms[own] / ms[system]:.2f}" for system in peers for own in OWN]
        print(f"| {name} | {' | '.join(cells)} |")


if __name__ == "__main__":
    sys.exit(main())
