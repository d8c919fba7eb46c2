"""Kernels on the CPU with the schedules that kc chooses, beside hand-written ones and peers.

    python -m benchmarks.cpu [ROW ...] [--rounds=7] [--threads=1,2] [--quick] [--write]
                             [--coretype=NAME] [--mattr=-amx-tile]
    python -m benchmarks.cpu [FAMILY ...] --random=SEED [--count=5]

``ROW`` is a family of ``benchmarks/peers/cpu_families.py`` (gemm, conv, softmax, ...), ``table``
for the rows of README.md, or a part of the names of rows; by default, all are measured. A family
takes well under a minute, so a run may be stopped, and continued with the families that remain.
``--random`` draws ``--count`` rows of each family. The same seed gives the same rows.

Each system is a separate process. The processes take turns, a few calls at a time, so other load on
the machine affects all of them. With several threads, waiting processes are stopped, because
threads of some systems spin after their work. The times are the best of all rounds, in ms; for one
thread they are processor times, which exclude waiting for the processor. "best" is kc with the
schedules in ``benchmarks/peers/cpu_schedules.py``, which are for one thread. The first ratio is the
best time of the fastest peer divided by kc's; the second uses the faster of kc's two. The
interquartile range of kc's rounds, relative to their median, follows. Missing peers (numpy, torch,
jax, numba, onnxruntime) are omitted. TVM and Halide are not peers here, because their schedules are
written by hand (``compile_peers.py``). Below the table are the geometric mean of each family, and
the rows with a ratio below 0.5 (drawn rows) or below the minimum of their family.

The first lines state the machine, the systems, and the limits of the machine, measured in the same
way: multiply-adds of f32 vectors, and copying 64 MiB. ``--threads=1,2`` prints a table for each
number of threads, and then the speedup of kc's rows. ``--write`` saves the tables in
benchmarks/results after each family; rows that were not measured keep their values.

``--mattr`` adds features to kc's target. If it disables AMX or parts of AVX-512, oneDNN (in torch)
and XLA (jax) get the same limit, by ``ONEDNN_MAX_CPU_ISA`` and ``XLA_FLAGS``. onnxruntime has no
such switch: its products of bytes are then omitted.

OpenBLAS does not recognise processors that are newer than it, and uses code for an older one. numpy
is therefore measured twice; the second time (only for rows of products) with OPENBLAS_CORETYPE: the
``--coretype``, by default the type with the vectors of the processor.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import json
import math
import multiprocessing
import os
import platform
import signal
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
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
    "ort": "onnxruntime",
}
"""The Python module of each system. best is kc with hand-written schedules; openblas is numpy with
a given core type.
"""
OWN = ("kc", "best")
PRODUCTS = ("gemm", "gemv", "batched", "dense", "attention", "conv", "types f64")
"""The prefixes of the names of rows for which numpy calls OpenBLAS."""
RATIOS = ("ratio", "best_ratio")
SHORTEST = 2e-3
"""The minimum time of a measurement in seconds; short calls are repeated."""
LEAST = 0.5
"""The ratio below which a drawn row counts as a defect."""
LIMITS = {
    "avx512f": ("AVX2", "AVX2"),
    "avx512vnni": ("AVX512_CORE", "AVX512"),
    "avx512bf16": ("AVX512_CORE_VNNI", "AVX512_VNNI"),
    "avx512fp16": ("AVX512_CORE_BF16", "AVX512_BF16"),
    "amx-tile": ("AVX512_CORE_FP16", "AVX512_BF16"),
}
"""The limits of oneDNN and XLA if a feature is switched off, from the lowest on."""
AMX = ("amx-tile", "amx-int8", "amx-bf16", "amx-fp16", "amx-complex")


@dataclass(frozen=True)
class Settings:
    """The settings of all processes."""

    threads: int = 1
    coretype: str = ""
    mattr: tuple[str, ...] = ()
    seed: int | None = None
    """The seed of drawn rows; None for the given rows."""
    count: int = 5

    def rows(self) -> dict[str, Any]:
        """The rows by name, the same in each process."""
        from cpu_families import FAMILIES, given_rows, random_rows
        from cpu_rows import ROWS

        if self.seed is None:
            return ROWS | given_rows()
        return random_rows(list(FAMILIES), self.seed, self.count)

    def limit(self) -> tuple[str, str] | None:
        """The limit of oneDNN and XLA; None if there is no limit."""
        switched_off = {it[1:] for it in self.mattr if it[0] == "-"}
        return next((limit for name, limit in LIMITS.items() if name in switched_off), None)


def features(text: str) -> tuple[str, ...]:
    """The target features of ``--mattr``, without dependent features if the tiles of AMX are
    disabled.
    """
    given = [it for it in text.split(",") if it]
    if f"-{AMX[0]}" in given:
        given += [f"-{it}" for it in AMX if f"-{it}" not in given]
    return tuple(given)


def serve(pipe: Connection, system: str, settings: Settings) -> None:
    """The process of a system: creates rows, and times them on request."""
    _end_with_parent()
    threads = settings.threads
    names = ("KC", "OPENBLAS", "OMP", "MKL", "NUMBA")
    os.environ.update({f"{name}_NUM_THREADS": str(threads) for name in names})
    limit = settings.limit()
    if limit is not None:
        os.environ["ONEDNN_MAX_CPU_ISA"] = limit[0]
        os.environ["XLA_FLAGS"] = f"--xla_cpu_max_isa={limit[1]}"
    if system == "openblas":
        os.environ["OPENBLAS_CORETYPE"] = settings.coretype
    if system == "jax":  # it has a thread for each processor that it may use
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
    call: Any = None
    while True:
        order, argument = pipe.recv()
        if order == "row":
            call = None
            try:
                call, facts = prepare(system, argument, settings)
            except ImportError as error:
                facts = {"missing": str(error)}
            except Exception as error:  # the other rows are measured
                facts = {"failed": f"{type(error).__name__}: {error}".strip().splitlines()[0]}
            pipe.send(facts)
        elif order == "time":
            pipe.send(measure(call, time.process_time if threads == 1 else time.perf_counter))
        else:
            return


def _end_with_parent() -> None:
    """End with the parent process, even while stopped (Linux)."""
    if sys.platform == "linux":
        of_parent_death = 1  # PR_SET_PDEATHSIG
        ctypes.CDLL(None).prctl(of_parent_death, signal.SIGKILL)


def prepare(system: str, name: str, settings: Settings) -> tuple[Any, dict[str, Any]]:
    """The call to time, and its result."""
    import numpy as np

    threads = settings.threads
    if name == "peak":
        return peak() if system == "kc" else (None, {})
    if name == "copy":
        return copy() if system == "kc" else (None, {})
    row = settings.rows()[name].make()
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
        function = kc.build(program, target=_target(settings))
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

    elif system == "ort":
        bytes_by_amx = settings.limit() is not None and any(it.itemsize == 1 for it in given)
        if row.onnx is None or bytes_by_amx:
            return None, facts
        call = onnx_call(row, given, threads)
    else:
        torch: Any = import_module("torch")

        torch.set_num_threads(threads)
        if row.torch is None:
            return None, facts
        tensors = [
            torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
            if array.dtype == "bfloat16"
            else torch.from_numpy(array)
            for array in row.of_torch or given
        ]
        of_torch = row.torch

        def call() -> Any:
            return of_torch(torch, tensors)

    with np.errstate(all="ignore"):
        result = call()
        if system == "torch" and str(result.dtype) == "torch.bfloat16":
            result = result.float()
        facts["result"] = np.array(result)
    return call, facts


def onnx_call(row: Any, inputs: list[Any], threads: int) -> Any:
    """A call of onnxruntime with bound arrays, which avoids copies."""
    import numpy as np

    ort: Any = import_module("onnxruntime")
    onnx: Any = import_module("onnx")
    helper = onnx.helper

    def declared(name: str, shape: Sequence[int], dtype: Any) -> Any:
        number = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        return helper.make_tensor_value_info(name, number, shape)

    graph = helper.make_graph(
        [helper.make_node(name, *ends, **more) for name, *ends, more in row.onnx.nodes],
        "row",
        [declared(f"x{n}", it.shape, it.dtype) for n, it in enumerate(inputs)],
        [declared("y", row.shape, row.dtype)],
        [onnx.numpy_helper.from_array(it, name) for name, it in row.onnx.constants.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    options = ort.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.log_severity_level = 3
    session = ort.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    binding = session.io_binding()
    values = [ort.OrtValue.ortvalue_from_numpy(np.ascontiguousarray(it)) for it in inputs]
    for n, value in enumerate(values):
        binding.bind_ortvalue_input(f"x{n}", value)
    result = ort.OrtValue.ortvalue_from_shape_and_type(row.shape, np.dtype(row.dtype).type)
    binding.bind_ortvalue_output("y", result)

    def call() -> Any:
        session.run_with_iobinding(binding)
        return result

    return call


def _target(settings: Settings) -> Any:
    """The CPU of this machine with the features of ``--mattr``; None without such features."""
    from kc.support.target_host import host_attributes
    from kc.target import Target

    if not settings.mattr:
        return None
    own = host_attributes()
    mattr = [*own.get("mattr", ()), *settings.mattr]
    return Target({"kind": "llvm", **own, "mattr": mattr})


def measure(call: Any, clock: Callable[[], float]) -> float | None:
    """The time of a call in seconds, the best of a few."""
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
    """Measure multiply-adds on f32 vectors in registers, without memory accesses."""
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
    """Measure copying of more memory than the caches hold."""
    import numpy as np

    source, result = np.ones(1 << 24, np.float32), np.empty(1 << 24, np.float32)
    return lambda: np.copyto(result, source), {"bytes": 2.0 * source.nbytes}


class Peer:
    """The process of a system. With several threads it is stopped between requests."""

    def __init__(self, system: str, settings: Settings) -> None:
        context = multiprocessing.get_context("spawn")
        self.system = system
        self.pipe, remote = context.Pipe()
        self.process = context.Process(target=serve, args=(remote, system, settings), daemon=True)
        self.process.start()
        self.stops = settings.threads > 1 and hasattr(signal, "SIGSTOP")
        self.stopped = False

    def ask(self, order: str, argument: str = "") -> Any:
        """Send a request, and wait for the answer."""
        self.go_on()
        self.pipe.send((order, argument))
        answer = self.pipe.recv()
        if self.stops:
            os.kill(self.process.pid or 0, signal.SIGSTOP)
            self.stopped = True
        return answer

    def go_on(self) -> None:
        """Continue the stopped process."""
        if self.stopped:
            os.kill(self.process.pid or 0, signal.SIGCONT)
            self.stopped = False

    def end(self) -> None:
        """End the process."""
        self.go_on()
        with contextlib.suppress(OSError):
            self.pipe.send(("end", ""))
        self.process.join()


def spread(samples: list[float]) -> float:
    """The interquartile range divided by the median; 0 if all samples are equal."""
    if len(samples) < 2:
        return 0.0
    first, middle, third = statistics.quantiles(samples, n=4, method="inclusive")
    return (third - first) / middle


def run_row(name: str, peers: list[Peer], rounds: int) -> dict[str, Any]:
    """The measurements of a row; ``failed`` gives the error of each system that fails."""
    import numpy as np

    facts = {peer.system: peer.ask("row", name) for peer in peers}
    failed = {system: it["failed"] for system, it in facts.items() if "failed" in it}
    results = {system: it["result"] for system, it in facts.items() if "result" in it}
    for system, result in results.items():
        if system != "kc" and "kc" in results:
            tolerance = facts["kc"]["tolerance"] * max(1.0, float(np.abs(result).max()))
            try:
                np.testing.assert_allclose(results["kc"], result, rtol=1e-3, atol=tolerance)
            except AssertionError as error:
                failed[system] = " ".join(str(error).split())[:200]
    if "kc" in failed:
        return {"name": name, "failed": failed, "times": {}}
    times: dict[str, list[float]] = {}
    for turn in range(rounds):
        for peer in peers if turn % 2 == 0 else reversed(peers):
            seconds = peer.ask("time")
            if seconds is not None:
                times.setdefault(peer.system, []).append(seconds)
    row: dict[str, Any] = {"name": name, "build": facts["kc"].get("build")}
    if failed:
        row["failed"] = failed
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
    """Print the tables; 1 if a row failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "rows", nargs="*", metavar="ROW", help="families, or parts of names of rows"
    )
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument(
        "--threads",
        type=lambda text: [int(part) for part in text.split(",")],
        default=[1],
        help="numbers of threads, a table for each",
    )
    parser.add_argument("--random", type=int, metavar="SEED", help="draw rows of each family")
    parser.add_argument("--count", type=int, default=5, help="rows of each family that are drawn")
    parser.add_argument("--quick", action="store_true", help="without the longest rows")
    parser.add_argument("--write", action="store_true", help="keep it in benchmarks/results")
    parser.add_argument("--coretype", help="OPENBLAS_CORETYPE of the second numpy; '' for none")
    parser.add_argument(
        "--mattr", type=features, default=(), help="features of kc's target, and limits of peers"
    )
    options = parser.parse_args()
    if options.write and options.random is not None:
        parser.error("--write keeps the rows that are given; rows of --random are not kept")
    coretype = _coretype() if options.coretype is None else options.coretype
    settings = [
        Settings(threads, coretype, options.mattr, options.random, options.count)
        for threads in options.threads
    ]
    rows = settings[0].rows()
    names = selected(rows, options.rows, options.quick)
    if not names:
        families = ", ".join(dict.fromkeys(it.family for it in rows.values()))
        parser.error(f"no row is named so; the families: {families}")
    tables = {it.threads: table(rows, names, it, options.rounds, options.write) for it in settings}
    first, *more = options.threads
    for threads in more:
        print(f"\n{threads} thread(s) by {first}")
        for fewer, several in zip(tables[first], tables[threads], strict=True):
            if "kc" in fewer["times"] and "kc" in several["times"]:
                gain = fewer["times"]["kc"]["best"] / several["times"]["kc"]["best"]
                print(f"{fewer['name']:<{WIDTH}}{gain:12.2f}")
    return int(any("failed" in row for each in tables.values() for row in each))


WIDTH = 52
"""The width of the names of rows."""


def selected(rows: dict[str, Any], parts: Sequence[str], quick: bool) -> list[str]:
    """The rows of the given families or parts of names; all rows if none are given."""
    families = {it.family for it in rows.values()}
    return [
        name
        for name, goal in rows.items()
        if (
            not parts
            or goal.family in parts
            or any(part in name for part in parts if part not in families)
        )
        and (goal.quick or not quick)
    ]


def table(
    rows: dict[str, Any], names: list[str], settings: Settings, rounds: int, write: bool
) -> list[dict[str, Any]]:
    """Print the table for a number of threads; its rows."""
    threads, coretype = settings.threads, settings.coretype
    systems = [
        system
        for system, module in SYSTEMS.items()
        if find_spec(module) is not None
        and (system != "openblas" or coretype)
        and (system != "ort" or find_spec("onnx") is not None)
    ]
    peers = [Peer(system, settings) for system in systems]
    results = []
    try:
        limits = {}
        for name, key in (("peak", "operations"), ("copy", "bytes")):
            facts = peers[0].ask("row", name)
            limits[name] = facts[key] / min(peers[0].ask("time") for _ in range(rounds))
        mattr = f", {','.join(settings.mattr)}" if settings.mattr else ""
        limit = settings.limit()
        print(
            f"{_model()}, {_cpu()}{mattr}, {threads} thread(s)"
            + (f", oneDNN {limit[0]}, XLA {limit[1]}" if limit else "")
            + (f", openblas for {coretype}" if coretype else "")
        )
        print(
            ", ".join(
                f"{SYSTEMS[it]} {_version(it)}" for it in systems if it not in ("best", "openblas")
            )
        )
        print(
            f"peak {limits['peak'] / 1e9:.1f} GFLOP/s of f32 a thread, "
            f"copy {limits['copy'] / 1e9:.1f} GB/s"
        )
        heads = [f"{system} ms" for system in systems]
        print(
            f"{'':<{WIDTH}}"
            + "".join(f"{head:>12}" for head in heads)
            + "     peer/kc   goal  peer/best   goal  spread   rate"
        )
        for number, name in enumerate(names):
            row = run_row(name, peers, rounds)
            row["family"] = rows[name].family
            results.append(row)
            print(_line(row, rows[name], systems, limits, threads), flush=True)
            at_end = number + 1 == len(names) or rows[names[number + 1]].family != row["family"]
            if write and at_end:
                _write(rows, results, limits, settings)
    finally:
        for peer in peers:
            peer.end()
    _summary(results)
    return results


def _line(
    row: dict[str, Any], goal: Any, systems: list[str], limits: dict[str, float], threads: int
) -> str:
    """A line of the table."""
    name = f"{row['name']:<{WIDTH}}"
    if not row["times"]:
        return f"{name} failed: {row['failed']['kc']}"
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
    wrong = "".join(f"  {system}: {why}" for system, why in row.get("failed", {}).items())
    return (
        f"{name}{text}  {ratio}  {goal.goal:5.2f}  {of_best}  "
        f"{goal.best:5.2f}  {part:6.2f}   {said}{wrong}"
    )


def means(rows: Sequence[dict[str, Any]]) -> dict[str, float]:
    """The geometric mean of the ratios of each family."""
    ratios: dict[str, list[float]] = {}
    for row in rows:
        if row.get("ratio"):
            ratios.setdefault(row["family"], []).append(row["ratio"])
    return {
        family: math.exp(sum(math.log(it) for it in each) / len(each))
        for family, each in ratios.items()
    }


def _summary(rows: Sequence[dict[str, Any]]) -> None:
    """The mean of each family, and the rows that count as defects."""
    from cpu_families import FAMILIES

    print("\ngeometric means of peer/kc")
    for family, mean in means(rows).items():
        ratios = [row["ratio"] for row in rows if row["family"] == family and row.get("ratio")]
        goal = f"{FAMILIES[family].mean:5.2f}" if family in FAMILIES else f"{1.0:5.2f}"
        print(f"{family:<{WIDTH}}{mean:12.2f}  goal {goal}  least {min(ratios):6.2f}")
    low = [row for row in rows if (row.get("ratio") or 1.0) < LEAST]
    print(f"\nrows below {LEAST}: {len(low)} of {len(rows)}")
    for row in sorted(low, key=lambda row: row["ratio"]):
        print(f"{row['name']:<{WIDTH}}{row['ratio']:12.2f}")
    for row in rows:
        for system, why in row.get("failed", {}).items():
            print(f"failed: {row['name']}: {system}: {why}")


def _version(system: str) -> str:
    """The version of a system."""
    return version({"kc": "kc-compiler"}.get(SYSTEMS[system], SYSTEMS[system]))


def _write(
    known_rows: dict[str, Any],
    rows: list[dict[str, Any]],
    limits: dict[str, float],
    settings: Settings,
) -> None:
    threads = settings.threads
    folder = ROOT / "benchmarks" / "results"
    folder.mkdir(exist_ok=True)
    words = "".join(it if it.isalnum() else "-" for it in _cpu().lower()).strip("-")
    words += "".join(f"-no-{it[1:]}" for it in settings.mattr[:1])
    file = folder / f"cpu-{words}-{threads}.json"
    known = json.loads(file.read_text(encoding="utf-8"))["rows"] if file.exists() else []
    by_name = {row["name"]: row for row in (*known, *rows)}
    content: dict[str, Any] = {"cpu": _cpu(), "model": _model(), "threads": threads}
    content["coretype"], content["limits"] = settings.coretype, limits
    content["rows"] = [by_name[name] for name in known_rows if name in by_name]
    file.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(f"written to {file.relative_to(ROOT)}")


def _coretype() -> str:
    """The core type of OpenBLAS for the vectors of this processor; '' if there is none."""
    from kc.support.target import Target

    return {512: "SkylakeX", 256: "Haswell"}.get(Target.host_cpu().vector_bits, "")


def _model() -> str:
    """The name of the processor."""
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
