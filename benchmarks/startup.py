"""The time to start: medians of interleaved runs, beside Python and xdsl-opt.

python benchmarks/startup.py [REPEATS]
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = """\
te.func @add(%A: tensor<64xf32>) -> tensor<64xf32> {
  %B = te.compute "B" [%i = 64] {
    %a = te.read %A[%i] : tensor<64xf32>
    %s = arith.addf %a, %a : f32
    te.yield %s : f32
  } : tensor<64xf32>
  te.return %B : tensor<64xf32>
}
"""


BUILD = """\
import kc
from kc import te
A = te.placeholder((64, 64), name="A")
k = te.reduce_axis((0, 64), "k")
kc.build([A, te.compute((64, 64), lambda i, j: te.sum(A[i, k] * A[k, j], axis=k), name="B")])
"""


def commands(file: str) -> dict[str, list[str]]:
    """The commands to measure, by name in the table."""
    kc_opt = [sys.executable, "-m", "kc.tools.kc_opt"]
    xdsl_opt = [sys.executable, "-m", "xdsl.tools.xdsl_opt"]
    return {
        "python -c pass": [sys.executable, "-c", "pass"],
        "import kc": [sys.executable, "-c", "import kc"],
        "import kc, kc.te": [sys.executable, "-c", "import kc; kc.te"],
        "a first kc.build": [sys.executable, "-c", BUILD],
        "kc-opt --help": [*kc_opt, "--help"],
        "kc-opt FILE": [*kc_opt, file],
        "kc-opt FILE --split --vectorize": [*kc_opt, file, "--split", "--vectorize"],
        "xdsl-opt --help": [*xdsl_opt, "--help"],
    }


def main() -> None:
    """Print the table."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    # A user's Python keeps compiled modules; otherwise each start would compile them again.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "add.mlir"
        file.write_text(PROGRAM)
        measured = commands(str(file))
        times: dict[str, list[float]] = {name: [] for name in measured}
        for repeat in range(repeats + 1):
            for name, command in measured.items():
                started = time.perf_counter()
                subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
                if repeat:  # the first round warms the file cache, and writes compiled modules
                    times[name].append(time.perf_counter() - started)
    print(f"median of {repeats}, in ms")
    for name, samples in times.items():
        low, middle = min(samples), statistics.median(samples)
        print(f"  {name:<34}{1000 * middle:8.1f}   (best {1000 * low:.1f})")


if __name__ == "__main__":
    main()
