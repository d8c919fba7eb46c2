"""PolyBench's 30 kernels: kc with its default schedules, compared with clang -O3 on the C code.

    python -m benchmarks.polybench [KERNEL ...] [--rounds=7] [--clang=clang-22] [--as-written]
                                   [--fast-math]

kc reads the affine loops of examples/polybench, with larger sizes. clang compiles polybench.c with
``-O3 -march=native``; with ``--fast-math`` it may also vectorize sums, as a chosen schedule does.
Both use one thread. They take turns, on inputs that are copied anew for each call to addresses
aligned to 64 bytes. (With numpy's alignment of 16, each 64-byte vector may cross a cache line.) The
ratio is clang's median time divided by kc's. ``--as-written`` keeps the loops unchanged.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("KC_NUM_THREADS", "1")

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / part) for part in (".", "benchmarks", "test/polybench")]
FOLDER = ROOT / "examples" / "polybench"
SHORTEST = 2e-3
"""The minimum time of a measurement in seconds; calls of short kernels are repeated."""

SIZES: dict[str, dict[str, int]] = {
    "adi": {"n": 200, "tsteps": 10},
    "atax": {"m": 1000, "n": 1200},
    "bicg": {"m": 1000, "n": 1200},
    "cholesky": {"n": 400},
    "correlation": {"m": 240, "n": 260},
    "covariance": {"m": 240, "n": 260},
    "deriche": {"w": 720, "h": 480},
    "doitgen": {"nr": 50, "nq": 40, "np": 60},
    "durbin": {"n": 400},
    "fdtd_2d": {"nx": 200, "ny": 240, "tsteps": 20},
    "floyd_warshall": {"n": 250},
    "gemm": {"ni": 200, "nj": 220, "nk": 240},
    "gemver": {"n": 1000},
    "gesummv": {"n": 1000},
    "gramschmidt": {"m": 240, "n": 200},
    "heat_3d": {"n": 40, "tsteps": 10},
    "jacobi_1d": {"n": 4000, "tsteps": 100},
    "jacobi_2d": {"n": 250, "tsteps": 20},
    "lu": {"n": 400},
    "ludcmp": {"n": 400},
    "mvt": {"n": 1000},
    "nussinov": {"n": 300},
    "seidel_2d": {"n": 250, "tsteps": 10},
    "symm": {"m": 200, "n": 240},
    "syr2k": {"m": 200, "n": 240},
    "syrk": {"m": 200, "n": 240},
    "three_mm": {"ni": 180, "nj": 190, "nk": 200, "nl": 210, "nm": 220},
    "trisolv": {"n": 1000},
    "trmm": {"m": 200, "n": 240},
    "two_mm": {"ni": 180, "nj": 190, "nk": 210, "nl": 220},
}
"""The sizes used here, for which kernels take some milliseconds."""


def sizes_of(text: str) -> dict[str, int]:
    """The sizes of a kernel in examples/polybench."""
    sizes = re.findall(r"%(\w+) = arith\.constant (\d+) : index", text)
    return {name: int(size) for name, size in sizes}


def resized(kernel: str, sizes: dict[str, int]) -> str:
    """The text of a kernel with other sizes. The sizes in the file are distinct."""
    text = (FOLDER / f"{kernel}.mlir").read_text(encoding="utf-8")
    new = {str(size): str(sizes[name]) for name, size in sizes_of(text).items()}
    shape = r"(?<=[<x])\d+(?=x)"
    text = re.sub(shape, lambda size: new[size.group()], text)
    return re.sub(r"(?<=arith\.constant )\d+(?= : index)", lambda size: new[size.group()], text)


def compiled_c(kernel: str, clang: str, flags: list[str], folder: str) -> Callable[..., None]:
    """The C function, compiled by clang."""
    library = f"{folder}/{kernel}.so"
    macros = [f"-D{name.upper()}={size}" for name, size in SIZES[kernel].items()]
    source = str(ROOT / "benchmarks" / "polybench.c")
    command = [clang, "-O3", "-march=native", *flags, "-shared", "-fPIC", "-std=c17"]
    command += [f"-DKERNEL_{kernel}", *macros, source, "-o", library, "-lm"]
    subprocess.run(command, check=True)
    function = getattr(ctypes.CDLL(library), kernel)

    def call(*values: Any) -> None:
        function(
            *(
                ctypes.c_double(value)
                if isinstance(value, float)
                else value.ctypes.data_as(ctypes.c_void_p)
                for value in values
            )
        )

    return call


def seconds(call: Callable[..., None], values: list[Any], count: int) -> float:
    """The time of a call, averaged over ``count`` calls on the same arrays, which are copied
    first.
    """
    copies = [
        [_aligned(value) if isinstance(value, np.ndarray) else value for value in values]
        for _ in range(count)
    ]
    started = time.process_time()
    for copy in copies:
        call(*copy)
    return (time.process_time() - started) / count


def _aligned(array: np.ndarray) -> np.ndarray:
    memory = np.empty(array.nbytes + 64, np.uint8)
    start = -memory.ctypes.data % 64
    copy = memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kernels", nargs="*", default=sorted(SIZES))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--clang", default="clang-22" if shutil.which("clang-22") else "clang")
    parser.add_argument("--as-written", action="store_true", help="choose no schedules")
    parser.add_argument("--fast-math", action="store_true", help="clang with -ffast-math")
    options = parser.parse_args()
    import test_polybench

    import kc

    flags = ["-ffast-math"] if options.fast_math else []
    ratios: list[float] = []
    print(f"| {'kernel':14} |    kc ms | clang ms | clang / kc |")
    print("| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        for kernel in options.kernels:
            text = resized(kernel, SIZES[kernel])
            values = test_polybench.arguments(kernel, text)
            mod = kc.IRModule.parse(text)
            ours = kc.build(mod if options.as_written else kc.auto_schedule(mod).mod)
            theirs = compiled_c(kernel, options.clang, flags, folder)
            calls: dict[str, Callable[..., None]] = {"kc": ours, "clang": theirs}
            for call in calls.values():
                seconds(call, values, 1)  # the first call is slower
            least = min(seconds(call, values, 1) for call in calls.values())
            # The same for both: the first of the calls finds its arrays where they were copied to.
            count = max(1, min(50, round(SHORTEST / max(least, 1e-6))))
            times: dict[str, list[float]] = {name: [] for name in calls}
            for _ in range(options.rounds):
                for name, call in calls.items():
                    times[name].append(seconds(call, values, count))
            middle = {name: statistics.median(taken) * 1e3 for name, taken in times.items()}
            ratios.append(middle["clang"] / middle["kc"])
            print(
                f"| {kernel:14} | {middle['kc']:8.3f} | {middle['clang']:8.3f} "
                f"| {ratios[-1]:10.2f} |",
                flush=True,
            )
    print(f"geometric mean of {len(ratios)}: {statistics.geometric_mean(ratios):.2f}")


if __name__ == "__main__":
    main()
