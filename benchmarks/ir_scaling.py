"""The time of the compiler on large modules: parse, print, verify, and one primitive.

    python benchmarks/ir_scaling.py

Modules of loop nests around blocks with 1,000, 10,000 and 50,000 operations; microseconds per
operation, best of three. A step with linear time has the same number for all sizes.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from kc.analysis.dominance import check_dominance
from kc.support.ir_text import parse_module, print_module, verify_module
from kc.support.registry import context, get_pass

NEST = """
  tir.for %i in 64 {{
    tir.for %j in 64 {{
      tir.block "B{n}" (spatial %v_i in 64 = %i, spatial %v_j in 64 = %j) do {{
        %a = tir.load %A[%v_i, %v_j] : memref<64x64xf32>
        %b = arith.mulf %a, %a : f32
        %c = arith.addf %a, %b : f32
        tir.store %c, %B[%v_i, %v_j] : memref<64x64xf32>
      }}
    }}
  }}"""
OPS_A_NEST = 7


def module_text(ops: int) -> str:
    """A function of approximately ``ops`` operations."""
    nests = "".join(NEST.format(n=n) for n in range(ops // OPS_A_NEST))
    return (
        "func.func @f(%A: memref<64x64xf32>, %B: memref<64x64xf32>) {"
        + nests
        + "\n  func.return\n}"
    )


def best(run: Callable[[], object], repeat: int = 3) -> float:
    """The shortest of several runs, in seconds."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)


def measure(ops: int) -> None:
    """Print one row."""
    text = module_text(ops)
    module = parse_module(text, "scaling.mlir", context())
    rows: dict[str, float] = {
        "parse": best(lambda: parse_module(text, "scaling.mlir", context())),
        "print": best(lambda: print_module(module)),
        "verify": best(lambda: verify_module(module)),
        "dominance": best(lambda: check_dominance(module)),
    }
    split = get_pass("split", "block=B0 loop=j factors=?,8")
    copies = [module.clone() for _ in range(3)]
    rows["split"] = best(lambda: split.apply(context(), copies.pop()))
    cells = "".join(f"{seconds / ops * 1e6:>12.1f}" for seconds in rows.values())
    print(f"{ops:>8,}{cells}   (split: {rows['split'] * 1e3:.1f} ms in all)", flush=True)


def main() -> int:
    """Print the table."""
    names = ("parse", "print", "verify", "dominance", "split")
    print("microseconds an operation")
    print(f"{'ops':>8}" + "".join(f"{name:>12}" for name in names))
    for ops in (1_000, 10_000, 50_000):
        measure(ops)
    return 0


if __name__ == "__main__":
    sys.exit(main())
