"""One process of one system: the time of its import and of its builds, as a line of JSON.

python benchmarks/peers/builds.py kc|tvm|halide BUILDS FOLDER

The results of the ten operators are left in FOLDER, so that they can be compared.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent


def kc_system() -> Callable[[str], Callable]:
    """From te to callable with kc, for this machine."""
    sys.path.insert(0, str(HERE.parent.parent))
    import te_operators

    import kc
    from kc import te

    def build(name: str) -> Callable:
        arguments, ranks = te_operators.OPERATORS[name](te)
        sch = kc.tir.Schedule(te.create_prim_func(arguments))
        blocks = {block: sch.get_block(block) for block in ranks}
        te_operators.schedule(name, sch, blocks, ranks)  # pyright: ignore[reportArgumentType]
        return kc.build(sch.mod)

    return build


def tvm_system() -> Callable[[str], Callable]:
    """From te to callable with TVM, for this machine."""
    import te_operators
    import tvm  # pyright: ignore[reportMissingImports]
    from tvm import te  # pyright: ignore[reportMissingImports]

    target = tvm.target.Target({"kind": "llvm", "mcpu": tvm.target.codegen.llvm_get_system_cpu()})

    def build(name: str) -> Callable:
        arguments, ranks = te_operators.OPERATORS[name](te)
        sch = tvm.s_tir.Schedule(tvm.IRModule({"main": te.create_prim_func(arguments)}))
        blocks = {block: sch.get_sblock(block) for block in ranks}
        te_operators.schedule(name, sch, blocks, ranks)
        function = tvm.compile(sch.mod, target=target)["main"]

        def call(*arrays) -> None:
            tensors = [tvm.runtime.tensor(array) for array in arrays]
            function(*tensors)
            arrays[-1][...] = tensors[-1].numpy()

        return call

    return build


def halide_system() -> Callable[[str], Callable]:
    """From Halide's algorithm to callable, for this machine."""
    import halide_operators

    return halide_operators.build


SYSTEMS = {"kc": kc_system, "tvm": tvm_system, "halide": halide_system}


def main() -> int:
    """Print the times, in seconds."""
    system, builds, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    sys.path.insert(0, str(HERE))
    started = time.perf_counter()
    build = SYSTEMS[system]()
    times: dict[str, list[float]] = {}
    imported = time.perf_counter() - started
    import numpy as np
    from references import arrays

    build("add")  # what the first build of a process pays for is not an operator's time
    first = time.perf_counter() - started
    for name, operands in arrays().items():
        times[name] = []
        function = None
        for _ in range(builds):
            started = time.perf_counter()
            function = build(name)
            times[name].append(time.perf_counter() - started)
        assert function is not None
        function(*operands)
        np.save(folder / f"{name}.npy", operands[-1])
    print(json.dumps({"import": imported, "first": first, "builds": times}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
