"""The time to replay a trace of 50 calls, to undo a call, and to write and read the forms of a
trace.

    python benchmarks/trace_replay.py

Modules of 2, 20 and 100 blocks, of which the trace schedules two; milliseconds, best of five. The
replay touches only the scheduled blocks, so its time does not grow with the module. Undo and copy
clone the module, so theirs does.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from kc import tir
from kc.support.ir_text import parse_module
from kc.support.registry import context
from kc.tir import Trace

FUNCTION = """
func.func @f{n}(%A: memref<64x64xf32>, %C: memref<64x64xf32>) {{
  %zero = arith.constant 0.0 : f32
  %T = tir.alloc "T" : memref<64x64xf32>
  tir.for %x in 64 {{
    tir.for %y in 64 {{
      tir.block "T" (spatial %v_x in 64 = %x, spatial %v_y in 64 = %y) do {{
        %0 = tir.load %A[%v_x, %v_y] : memref<64x64xf32>
        %1 = arith.mulf %0, %0 : f32
        tir.store %1, %T[%v_x, %v_y] : memref<64x64xf32>
      }}
    }}
  }}
  tir.for %i in 64 {{
    tir.for %j in 64 {{
      tir.for %k in 64 {{
        tir.block "C" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j,
                       reduce %v_k in 64 = %k) init {{
          tir.store %zero, %C[%v_i, %v_j] : memref<64x64xf32>
        }} do {{
          %0 = tir.load %A[%v_i, %v_k] : memref<64x64xf32>
          %1 = tir.load %T[%v_k, %v_j] : memref<64x64xf32>
          %2 = arith.mulf %0, %1 : f32
          %3 = tir.load %C[%v_i, %v_j] : memref<64x64xf32>
          %4 = arith.addf %3, %2 : f32
          tir.store %4, %C[%v_i, %v_j] : memref<64x64xf32>
        }}
      }}
    }}
  }}
  func.return
}}
"""
CALLS = 50


def scheduled(sch: tir.Schedule) -> tir.Schedule:
    """``CALLS`` calls: a tiled matmul with its producer moved inside, and notes."""
    block = sch.get_block("C", "f0")
    i, j, k = sch.get_loops(block)
    i_o, i_i = sch.split(i, [None, 8])
    j_o, j_i = sch.split(j, sch.sample_perfect_tile(j, 2, decision=[8, 8]))
    k_o, k_i = sch.split(k, [None, 8])
    sch.reorder(i_o, j_o, k_o, i_i, k_i, j_i)
    sch.compute_at(sch.get_block("T", "f0"), i_o)
    sch.parallel(i_o)
    sch.vectorize(j_i)
    for n in range(CALLS - len(sch.trace)):
        sch.annotate(j_o, f"note_{n}", n)
    return sch


def best(run: Callable[[], object], repeat: int = 5) -> float:
    """The shortest of several runs, in milliseconds."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


def measure(functions: int) -> dict[str, float]:
    """Milliseconds by operation."""
    text = "".join(FUNCTION.format(n=n) for n in range(functions))
    module = parse_module(text, "replay.mlir", context())
    sch = scheduled(tir.Schedule(module))
    trace = sch.trace
    fresh = [tir.Schedule(module) for _ in range(5)]
    again = [tir.Schedule(module) for _ in range(5)]
    python, ir, data = trace.as_python(), trace.as_mlir(), trace.as_json()
    return {
        "schedule": best(lambda: scheduled(fresh.pop())),
        "replay": best(lambda: trace.apply_to(again.pop())),
        "undo": best(sch.undo),
        "copy": best(sch.copy),
        "to python": best(trace.as_python),
        "from python": best(lambda: Trace.from_python(python)),
        "to mlir": best(trace.as_mlir),
        "from mlir": best(lambda: Trace.from_mlir(ir)),
        "from json": best(lambda: Trace.from_json(data)),
    }


def main() -> None:
    """Measure and print."""
    results = {2 * n: measure(n) for n in (1, 10, 50)}
    print(f"{CALLS} calls, ms" + "".join(f"{n:>8} blocks" for n in results))
    for what in next(iter(results.values())):
        print(f"{what:<14}" + "".join(f"{times[what]:>15.2f}" for times in results.values()))


if __name__ == "__main__":
    main()
