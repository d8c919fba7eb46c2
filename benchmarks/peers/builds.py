"""One process of one system: the times of its import, builds and calls, as a line of JSON.

python benchmarks/peers/builds.py kc|chosen|tvm|halide BUILDS FOLDER

``chosen`` is kc with its default schedules. The results of the ten operators are written to FOLDER
for comparison.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
CALLS = 20
SECONDS = 0.2
"""The limits of the number and the time of calls of a function; the best call counts."""

Call = Callable[[], Any]
Build = Callable[[str], Callable[..., tuple[Call, Callable[[], Any]]]]
"""By the name of an operator, a function of numpy's arrays (the last one for the result) that
returns a call and a function that reads the result.
"""


def kc_system(chosen: bool = False) -> Build:
    """Builds with kc for this machine, from te to a callable."""
    sys.path.insert(0, str(HERE.parent.parent))
    import te_operators

    import kc
    from kc import te

    def build(name: str) -> Callable[..., tuple[Call, Callable[[], Any]]]:
        arguments, ranks = te_operators.OPERATORS[name](te)
        if chosen:
            function = kc.build(arguments)
        else:
            sch = kc.tir.Schedule(te.create_prim_func(arguments))
            blocks = {block: sch.get_block(block) for block in ranks}
            te_operators.schedule(name, sch, blocks, ranks)  # pyright: ignore[reportArgumentType]
            function = kc.build(sch.mod)
        return lambda *arrays: (lambda: function(*arrays), lambda: arrays[-1])

    return build


def tvm_system() -> Build:
    """Builds with TVM for this machine, from te to a callable."""
    import te_operators
    import tvm  # pyright: ignore[reportMissingImports]
    from tvm import te  # pyright: ignore[reportMissingImports]

    target = tvm.target.Target({"kind": "llvm", "mcpu": tvm.target.codegen.llvm_get_system_cpu()})

    def build(name: str) -> Callable[..., tuple[Call, Callable[[], Any]]]:
        arguments, ranks = te_operators.OPERATORS[name](te)
        sch = tvm.s_tir.Schedule(tvm.IRModule({"main": te.create_prim_func(arguments)}))
        blocks = {block: sch.get_sblock(block) for block in ranks}
        te_operators.schedule(name, sch, blocks, ranks)
        function = tvm.compile(sch.mod, target=target)["main"]

        def prepare(*arrays: Any) -> tuple[Call, Callable[[], Any]]:
            tensors = [tvm.runtime.tensor(array) for array in arrays]
            return lambda: function(*tensors), tensors[-1].numpy

        return prepare

    return build


def halide_system() -> Build:
    """Builds with Halide for this machine, from the algorithm to a callable."""
    import halide_operators

    return halide_operators.build


SYSTEMS: dict[str, Callable[[], Build]] = {
    "kc": kc_system,
    "chosen": lambda: kc_system(chosen=True),
    "tvm": tvm_system,
    "halide": halide_system,
}


def best_of(call: Call) -> float:
    """The processor time in seconds of the best call."""
    best, began = float("inf"), time.process_time()
    for _ in range(CALLS):
        started = time.process_time()
        call()
        ended = time.process_time()
        best = min(best, ended - started)
        if ended - began > SECONDS:
            break
    return best


def main() -> int:
    """Print the times, in seconds."""
    system, builds, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    os.environ.update({f"{name}_NUM_THREADS": "1" for name in ("KC", "TVM", "HL", "OMP")})
    sys.path.insert(0, str(HERE))
    started = time.perf_counter()
    build = SYSTEMS[system]()
    times: dict[str, list[float]] = {}
    calls: dict[str, float] = {}
    imported = time.perf_counter() - started
    import numpy as np
    from references import arrays

    build("add")  # what the first build of a process pays for is not an operator's time
    first = time.perf_counter() - started
    for name, operands in arrays().items():
        times[name] = []
        prepare = None
        for _ in range(builds):
            started = time.perf_counter()
            prepare = build(name)
            times[name].append(time.perf_counter() - started)
        assert prepare is not None
        call, result = prepare(*operands)
        call()
        calls[name] = best_of(call)
        np.save(folder / f"{name}.npy", result())
    print(json.dumps({"import": imported, "first": first, "builds": times, "calls": calls}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
