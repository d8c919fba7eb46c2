"""Kernels on the CPU with the schedules that kc chooses, beside hand-written ones and peers.

    python -m benchmarks.cpu [ROW ...] [--rounds=7] [--threads=1,2] [--quick] [--write]
                             [--coretype=NAME]

Each system is a process of its own; they take turns, a few calls at a time, so that what else the
machine does meets all of them. The times are the best of all rounds, in ms, of the processor where
there is one thread, so that waiting for it does not count. "best" is kc with the schedules in
``benchmarks/peers/cpu_schedules.py``, which are for one thread. The first ratio is the best time of
the fastest peer by kc's, the second by the faster one of kc's; behind them stands what half of kc's
rounds differ by, as a part of their median. A peer that is not installed (numpy, torch, jax, numba)
is left out. TVM and Halide are no peers here: they have the schedules that one writes for them
(``compile_peers.py``).

The first lines are what the machine can do: multiply-adds of f32 in vectors, measured in the same
way, and copying 64 MiB. ``--threads=1,2`` makes a table for each number of threads, and then says
how much faster kc's rows became. ``--write`` keeps the tables in benchmarks/results; rows that were
not measured stay there as they are.

OpenBLAS takes a processor that is newer than itself for an older one. So numpy is there twice, the
second time (rows of products alone) with OPENBLAS_CORETYPE: the ``--coretype``, by default
the one for the vectors that the processor has.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks" / "peers")]
SYSTEMS = {
    "kc": "kc",
    "best": "kc",
    "numpy": "numpy",
    "openblas": "numpy",
    "torch": "torch",
    "jax": "jax",
    "numba": "numba",
}
"""A system, and the module that it is; best is kc with schedules that are written by hand, openblas
numpy with a core type that is given."""
OWN = ("kc", "best")
PRODUCTS = ("gemm", "gemv", "batched", "dense", "attention", "conv")
"""What the names of rows begin with in which numpy calls OpenBLAS."""
RATIOS = ("ratio", "best_ratio")
SHORTEST = 2e-3
"""Seconds that one measurement takes at least: short calls are repeated."""


def serve(pipe: Connection, system: str, threads: int, coretype: str) -> None:
    """A process of one system: makes rows, and times them when it is told to."""
    names = ("KC", "OPENBLAS", "OMP", "MKL")
    os.environ.update({f"{name}_NUM_THREADS": str(threads) for name in names})
    if system == "openblas":
        os.environ["OPENBLAS_CORETYPE"] = coretype
    if system == "jax":  # it has a thread for each processor that it may use
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
    call: Any = None
    while True:
        order, argument = pipe.recv()
        if order == "row":
            call = None
            try:
                call, facts = prepare(system, argument, threads)
            except ImportError as error:
                facts = {"missing": str(error)}
            pipe.send(facts)
        elif order == "time":
            pipe.send(measure(call, time.process_time if threads == 1 else time.perf_counter))
        else:
            return


def prepare(system: str, name: str, threads: int) -> tuple[Any, dict[str, Any]]:
    """The call to time, and what it gave."""
    import numpy as np
    from cpu_rows import ROWS

    if name == "peak":
        return peak() if system == "kc" else (None, {})
    if name == "copy":
        return copy() if system == "kc" else (None, {})
    row = ROWS[name].make()
    facts: dict[str, Any] = {
        "operations": row.operations,
        "bytes": row.bytes,
        "tolerance": row.tolerance,
    }
    given = row.of_peers or row.arrays
    if system in OWN:
        from cpu_schedules import SCHEDULES

        import kc

        if system == "best" and (threads > 1 or name not in SCHEDULES):
            return None, facts  # none of its loops is parallel
        program = row.tensors() if system == "kc" else SCHEDULES[name](row.tensors())
        started = time.perf_counter()
        function = kc.build(program)
        facts["build"] = time.perf_counter() - started
        # As kc returns them: at a multiple of 64 bytes, as torch's are, and numpy's are not.
        outputs = [np.from_dlpack(kc.nd.empty(row.shape, row.dtype))]
        if name.startswith("argmax"):
            outputs.append(np.from_dlpack(kc.nd.empty(row.shape, "float32")))
        arguments = [*row.arrays, *outputs]

        def call() -> Any:
            function(*arguments)
            return outputs[0]

    elif system in ("numpy", "openblas"):
        if row.numpy is None or (system == "openblas" and not name.startswith(PRODUCTS)):
            return None, facts
        call = row.numpy
    elif system == "jax":
        jax: Any = import_module("jax")

        if row.jax is None:
            return None, facts
        of_jax, inputs = row.jax, [jax.numpy.asarray(array) for array in given]
        compiled = jax.jit(lambda *at: of_jax(jax, list(at)))

        def call() -> Any:
            return compiled(*inputs).block_until_ready()

    elif system == "numba":
        numba: Any = import_module("numba")

        if row.numba is None or threads > 1:  # none of its loops is parallel
            return None, facts
        loops, result = numba.njit(fastmath=True)(row.numba), np.empty(row.shape, row.dtype)

        def call() -> Any:
            loops(*given, result)
            return result

    else:
        torch: Any = import_module("torch")

        torch.set_num_threads(threads)
        if row.torch is None:
            return None, facts
        tensors = [
            torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
            if array.dtype == "bfloat16"
            else torch.from_numpy(array)
            for array in given
        ]
        of_torch = row.torch

        def call() -> Any:
            return of_torch(torch, tensors)

    with np.errstate(all="ignore"):
        facts["result"] = np.array(call())
    return call, facts


def measure(call: Any, clock: Callable[[], float]) -> float | None:
    """Seconds a call, the best of a few."""
    if call is None:
        return None
    best, began, count = float("inf"), clock(), 1
    while True:
        started = clock()
        for _ in range(count):
            call()
        taken = clock() - started
        best = min(best, taken / count)
        if taken < SHORTEST / 4:
            count *= 2
        elif clock() - began > 4 * SHORTEST:
            return best


def peak() -> tuple[Any, dict[str, Any]]:
    """Multiply-adds on vectors of f32 that need nothing but registers."""
    import ctypes

    from kc.codegen.native import jit
    from kc.support.target import Target

    target = Target.host_cpu()
    lanes, sums, count = target.lanes(32), 12 if target.vector_bits < 512 else 24, 100_000
    vector = f"<{lanes} x float>"
    phis = "".join(
        f"  %s{n} = phi {vector} [ zeroinitializer, %entry ], [ %t{n}, %loop ]\n"
        for n in range(sums)
    )
    steps = "".join(
        f"  %t{n} = call {vector} @llvm.fma.v{lanes}f32({vector} %x, {vector} %x, {vector} %s{n})\n"
        for n in range(sums)
    )
    stores = "".join(
        f"  %p{n} = getelementptr {vector}, ptr %a, i64 {n + 1}\n"
        f"  store {vector} %t{n}, ptr %p{n}, align 4\n"
        for n in range(sums)
    )
    text = f"""target triple = "{target.triple}"
declare {vector} @llvm.fma.v{lanes}f32({vector}, {vector}, {vector})
define void @peak(ptr %a) {{
entry:
  %x = load {vector}, ptr %a, align 4
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
{phis}{steps}  %j = add i64 %i, 1
  %c = icmp ult i64 %j, {count}
  br i1 %c, label %loop, label %end
end:
{stores}  ret void
}}
"""
    engine = jit(text, cpu=target.cpu, features=",".join(target.mattr))
    function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(engine.address("peak"))
    import numpy as np

    array = np.zeros(lanes * (sums + 1), np.float32)

    def call() -> Any:
        function(array.ctypes.data)
        return engine  # stays alive with the call

    call()
    return call, {"operations": 2.0 * lanes * sums * count}


def copy() -> tuple[Any, dict[str, Any]]:
    """Copying more than the caches hold."""
    import numpy as np

    source, result = np.ones(1 << 24, np.float32), np.empty(1 << 24, np.float32)
    return lambda: np.copyto(result, source), {"bytes": 2.0 * source.nbytes}


class Peer:
    """The process of a system."""

    def __init__(self, system: str, threads: int, coretype: str) -> None:
        context = multiprocessing.get_context("spawn")
        self.system = system
        self.pipe, remote = context.Pipe()
        self.process = context.Process(
            target=serve, args=(remote, system, threads, coretype), daemon=True
        )
        self.process.start()

    def ask(self, order: str, argument: str = "") -> Any:
        """Give an order, and wait for the answer."""
        self.pipe.send((order, argument))
        return self.pipe.recv()


def spread(samples: list[float]) -> float:
    """The distance of the quartiles by the median: 0 where all samples are equal."""
    if len(samples) < 2:
        return 0.0
    first, middle, third = statistics.quantiles(samples, n=4, method="inclusive")
    return (third - first) / middle


def run_row(name: str, peers: list[Peer], rounds: int) -> dict[str, Any]:
    """The measurements of one row."""
    import numpy as np

    facts = {peer.system: peer.ask("row", name) for peer in peers}
    results = {system: it["result"] for system, it in facts.items() if "result" in it}
    for system, result in results.items():
        if system != "kc":
            tolerance = facts["kc"]["tolerance"] * max(1.0, float(np.abs(result).max()))
            np.testing.assert_allclose(
                results["kc"], result, rtol=1e-3, atol=tolerance, err_msg=f"{name}: {system}"
            )
    times: dict[str, list[float]] = {}
    for turn in range(rounds):
        for peer in peers if turn % 2 == 0 else reversed(peers):
            seconds = peer.ask("time")
            if seconds is not None:
                times.setdefault(peer.system, []).append(seconds)
    row: dict[str, Any] = {"name": name, "build": facts["kc"].get("build")}
    row |= {key: facts["kc"].get(key, 0) for key in ("operations", "bytes")}
    row["times"] = {
        system: {
            "best": min(samples),
            "median": statistics.median(samples),
            "spread": spread(samples),
        }
        for system, samples in times.items()
    }
    best = {system: it["best"] for system, it in row["times"].items()}
    of_peers = [seconds for system, seconds in best.items() if system not in OWN]
    row["ratio"] = min(of_peers) / best["kc"] if of_peers else None
    row["best_ratio"] = (
        min(of_peers) / min(best["kc"], best.get("best", best["kc"])) if of_peers else None
    )
    return row


def main() -> int:
    """Print the table."""
    from cpu_rows import ROWS

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("rows", nargs="*", metavar="ROW", help="parts of names of rows")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument(
        "--threads",
        type=lambda text: [int(part) for part in text.split(",")],
        default=[1],
        help="numbers of threads, a table for each",
    )
    parser.add_argument("--quick", action="store_true", help="without the longest rows")
    parser.add_argument("--write", action="store_true", help="keep it in benchmarks/results")
    parser.add_argument("--coretype", help="OPENBLAS_CORETYPE of the second numpy; '' for none")
    options = parser.parse_args()
    wanted = [
        name
        for name, goal in ROWS.items()
        if (not options.rows or any(part in name for part in options.rows))
        and (goal.quick or not options.quick)
    ]
    coretype = _coretype() if options.coretype is None else options.coretype
    tables = {
        threads: table(wanted, threads, options.rounds, coretype, options.write)
        for threads in options.threads
    }
    first, *more = options.threads
    for threads in more:
        print(f"\n{threads} thread(s) by {first}")
        for fewer, several in zip(tables[first], tables[threads], strict=True):
            gain = fewer["times"]["kc"]["best"] / several["times"]["kc"]["best"]
            print(f"{fewer['name']:<28}{gain:12.2f}")
    return 0


def table(
    names: list[str], threads: int, rounds: int, coretype: str, write: bool
) -> list[dict[str, Any]]:
    """Print the table for a number of threads; its rows."""
    from cpu_rows import ROWS

    systems = [
        system
        for system, module in SYSTEMS.items()
        if find_spec(module) is not None and (system != "openblas" or coretype)
    ]
    peers = [Peer(system, threads, coretype) for system in systems]
    limits = {}
    for name, key in (("peak", "operations"), ("copy", "bytes")):
        facts = peers[0].ask("row", name)
        limits[name] = facts[key] / min(peers[0].ask("time") for _ in range(rounds))
    print(f"{_cpu()}, {threads} thread(s)" + (f", openblas for {coretype}" if coretype else ""))
    print(
        f"peak {limits['peak'] / 1e9:.1f} GFLOP/s of f32 a thread, "
        f"copy {limits['copy'] / 1e9:.1f} GB/s"
    )
    heads = [f"{system} ms" for system in systems]
    print(
        f"{'':<28}"
        + "".join(f"{head:>12}" for head in heads)
        + "     peer/kc   goal  peer/best   goal  spread   rate"
    )
    rows = []
    for name in names:
        row = run_row(name, peers, rounds)
        rows.append(row)
        cells = [row["times"].get(system) for system in systems]
        text = "".join(f"{it['best'] * 1e3:12.4f}" if it else f"{'-':>12}" for it in cells)
        ratio, of_best = (f"{row[key]:9.2f}" if row[key] else f"{'-':>9}" for key in RATIOS)
        seconds = row["times"]["kc"]["best"]
        if row["operations"]:
            rate = row["operations"] / seconds
            said = f"{rate / 1e9:6.1f} GFLOP/s, {rate / limits['peak'] / threads:.2f} of peak"
        else:
            rate = row["bytes"] / seconds
            said = f"{rate / 1e9:6.1f} GB/s, {rate / limits['copy']:.2f} of a copy's"
        part = row["times"]["kc"]["spread"]
        print(
            f"{name:<28}{text}  {ratio}  {ROWS[name].goal:5.2f}  {of_best}  "
            f"{ROWS[name].best:5.2f}  {part:6.2f}   {said}",
            flush=True,
        )
    for peer in peers:
        peer.pipe.send(("end", ""))
        peer.process.join()
    if write:
        _write(rows, limits, threads, coretype)
    return rows


def _write(
    rows: list[dict[str, Any]], limits: dict[str, float], threads: int, coretype: str
) -> None:
    from cpu_rows import ROWS

    folder = ROOT / "benchmarks" / "results"
    folder.mkdir(exist_ok=True)
    words = "".join(it if it.isalnum() else "-" for it in _cpu().lower()).strip("-")
    file = folder / f"cpu-{words}-{threads}.json"
    known = json.loads(file.read_text(encoding="utf-8"))["rows"] if file.exists() else []
    by_name = {row["name"]: row for row in (*known, *rows)}
    content = {"cpu": _cpu(), "model": _model(), "threads": threads, "coretype": coretype}
    content["limits"] = limits
    content["rows"] = [by_name[name] for name in ROWS if name in by_name]
    file.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(f"written to {file.relative_to(ROOT)}")


def _coretype() -> str:
    """The core type of OpenBLAS that has the vectors of this processor; '' for none."""
    from kc.support.target import Target

    return {512: "SkylakeX", 256: "Haswell"}.get(Target.host_cpu().vector_bits, "")


def _model() -> str:
    """What the processor calls itself."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    return next((it.partition(":")[2].strip() for it in lines if it.startswith("model name")), "")


def _cpu() -> str:
    from kc.support.target import Target

    return f"{platform.machine()} {Target.host_cpu().cpu}"


if __name__ == "__main__":
    sys.exit(main())
