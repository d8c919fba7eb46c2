"""Kernels on the CPU with the schedules that kc chooses, beside numpy and torch.

    python -m benchmarks.cpu [ROW ...] [--rounds=7] [--threads=1,2] [--quick] [--write]
                             [--coretype=NAME]

Each system is a process of its own; they take turns, a few calls at a time, so that what else the
machine does meets all of them. The times are the best of all rounds, in ms, of
the processor where there is one thread, so that waiting for it does not count; the
ratio is the best time of the fastest peer by kc's, and behind it stands what half of kc's rounds
differ by, as a part of their median. A peer that is not installed is left out. The
first lines are what the machine can do: multiply-adds of f32 in vectors, measured in the same way,
and copying 64 MiB. ``--threads=1,2`` makes a table for each number of threads, and then says how
much faster kc's rows became. ``--write`` keeps the tables in benchmarks/results; rows that were not
measured stay there as they are.

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
SYSTEMS = {"kc": "kc", "numpy": "numpy", "openblas": "numpy", "torch": "torch"}
"""A system, and the module that it is; openblas is numpy with a core type that is given."""
PRODUCTS = ("gemm", "gemv", "batched", "dense", "attention", "conv")
"""What the names of rows begin with in which numpy calls OpenBLAS."""
SHORTEST = 2e-3
"""Seconds that one measurement takes at least: short calls are repeated."""


def serve(pipe: Connection, system: str, threads: int, coretype: str) -> None:
    """A process of one system: makes rows, and times them when it is told to."""
    names = ("KC", "OPENBLAS", "OMP", "MKL")
    os.environ.update({f"{name}_NUM_THREADS": str(threads) for name in names})
    if system == "openblas":
        os.environ["OPENBLAS_CORETYPE"] = coretype
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
    if system == "kc":
        import kc

        started = time.perf_counter()
        function = kc.build(row.tensors())
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
    else:
        torch: Any = import_module("torch")

        torch.set_num_threads(threads)
        if row.torch is None:
            return None, facts
        tensors = [torch.from_numpy(array) for array in row.arrays]
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
        if system != "kc" and "kc" in results:
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
    of_peers = [it["best"] for system, it in row["times"].items() if system != "kc"]
    row["ratio"] = min(of_peers) / row["times"]["kc"]["best"] if of_peers else None
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
            print(f"{fewer['name']:<26}{gain:12.2f}")
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
        f"{'':<26}"
        + "".join(f"{head:>12}" for head in heads)
        + "  best peer / kc  spread  goal   rate"
    )
    rows = []
    for name in names:
        row = run_row(name, peers, rounds)
        rows.append(row)
        cells = [row["times"].get(system) for system in systems]
        text = "".join(f"{it['best'] * 1e3:12.4f}" if it else f"{'-':>12}" for it in cells)
        ratio = f"{row['ratio']:14.2f}" if row["ratio"] else f"{'-':>14}"
        seconds = row["times"]["kc"]["best"]
        if row["operations"]:
            rate = row["operations"] / seconds
            said = f"{rate / 1e9:6.1f} GFLOP/s, {rate / limits['peak'] / threads:.2f} of peak"
        else:
            rate = row["bytes"] / seconds
            said = f"{rate / 1e9:6.1f} GB/s, {rate / limits['copy']:.2f} of a copy's"
        part = row["times"]["kc"]["spread"]
        print(
            f"{name:<26}{text}  {ratio}  {part:6.2f}  {ROWS[name].goal:4.2f}   {said}", flush=True
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
    content = {"cpu": _cpu(), "threads": threads, "coretype": coretype, "limits": limits}
    content["rows"] = [by_name[name] for name in ROWS if name in by_name]
    file.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(f"written to {file.relative_to(ROOT)}")


def _coretype() -> str:
    """The core type of OpenBLAS that has the vectors of this processor; '' for none."""
    from kc.support.target import Target

    return {512: "SkylakeX", 256: "Haswell"}.get(Target.host_cpu().vector_bits, "")


def _cpu() -> str:
    from kc.support.target import Target

    return f"{platform.machine()} {Target.host_cpu().cpu}"


if __name__ == "__main__":
    sys.exit(main())
