"""From an expression to a function to call, for ten operators: kc beside TVM and Halide.

    pip install apache-tvm halide
    python benchmarks/compile_peers.py [ROUNDS] [--peers=PYTHON]

``PYTHON`` is the interpreter that has the peers (default: this one); a peer that it lacks is left
out. Every round starts each system once, in turn, in a process of its own, which imports it,
builds one operator for what a first build pays, and then each operator twice: expression, schedule
(the same calls in kc and TVM, the nearest in Halide), machine code for this CPU. Medians over all
rounds, in ms. The results of all systems are compared with numpy's.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

PEERS = Path(__file__).resolve().parent / "peers"
SYSTEMS = {"kc": "kc", "tvm": "tvm", "halide": "halide"}
BUILDS = 2


def has(python: str, package: str) -> bool:
    """Whether an interpreter can import a package."""
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
    pythons = {"kc": sys.executable}
    for system, package in SYSTEMS.items():
        if system != "kc" and has(options.peers, package):
            pythons[system] = options.peers
        elif system != "kc":
            print(f"{system} is left out: {options.peers} has no package {package}")
    runs: dict[str, list[dict]] = {system: [] for system in pythons}
    for _ in range(options.rounds):
        for system, python in pythons.items():
            runs[system].append(run(python, system, expected))

    def row(label: str, values: dict[str, list[float]]) -> None:
        medians = {system: statistics.median(of) * 1e3 for system, of in values.items()}
        cells = "".join(f" {value:.1f} |" for value in medians.values())
        ratios = "".join(
            f" {medians['kc'] / value:.2f} |" for system, value in medians.items() if system != "kc"
        )
        print(f"| {label} |{cells}{ratios}")

    print("| ms |" + "".join(f" {system} |" for system in pythons), end="")
    print("".join(f" kc / {system} |" for system in pythons if system != "kc"))
    print("|---" * (2 * len(pythons)) + "|")
    for name in expected:
        row(
            name,
            {s: [t for process in of for t in process["builds"][name]] for s, of in runs.items()},
        )
    row("import", {s: [process["import"] for process in of] for s, of in runs.items()})
    row(
        "import and first build",
        {s: [process["first"] for process in of] for s, of in runs.items()},
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
