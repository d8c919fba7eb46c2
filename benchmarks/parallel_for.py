"""The cost of a parallel loop, back to back and after idling, compared with libgomp if it is
installed.

There are two bodies. One does nothing: its time is the cost of the call for help. The other ends
when all threads have entered it: its time is the delay until all threads work. Each runtime runs in
a separate process; the time is taken in native code, around the loop.
"""

from __future__ import annotations

import argparse
import ctypes
import ctypes.util
import json
import os
import subprocess
import sys
import time
from typing import Any

import llvmlite.binding as llvm

from kc.runtime import parallel

GAPS = {"none": 0.0, "2 ms": 0.002, "20 ms": 0.02}  # idle time before a loop, in seconds
SAMPLES = {"none": 300, "2 ms": 300, "20 ms": 80}
BURST = 500  # loops in one sample without a gap

# Name -> what is measured and the environment it needs.
RUNTIMES: dict[str, tuple[str, dict[str, str]]] = {
    "kc": ("kc", {}),
    "libgomp": ("gomp", {}),
    "libgomp, pinned": ("gomp", {"OMP_PROC_BIND": "true"}),
}

COMMON = """
declare i32 @clock_gettime(i32, ptr)

define internal i64 @clock() {
  %time = alloca [2 x i64]
  %ok = call i32 @clock_gettime(i32 1, ptr %time)
  %s = load i64, ptr %time
  %ns.at = getelementptr i64, ptr %time, i64 1
  %ns = load i64, ptr %ns.at
  %whole = mul i64 %s, 1000000000
  %sum = add i64 %whole, %ns
  ret i64 %sum
}

; ctx: arrivals so far, threads
define internal void @enter(ptr %ctx) {
entry:
  %old = atomicrmw add ptr %ctx, i64 1 seq_cst
  %threads.at = getelementptr i64, ptr %ctx, i64 1
  %threads = load i64, ptr %threads.at
  %round = udiv i64 %old, %threads
  %round1 = add i64 %round, 1
  %all = mul i64 %round1, %threads
  br label %look
look:
  %here = load atomic i64, ptr %ctx acquire, align 8
  %met = icmp uge i64 %here, %all
  br i1 %met, label %exit, label %look
exit:
  ret void
}

; The time of `times` loops, in ns.
define i64 @measure(ptr %body, ptr %ctx, i64 %times) {
entry:
  %threads.at = getelementptr i64, ptr %ctx, i64 1
  %threads = load i64, ptr %threads.at
  %few = trunc i64 %threads to i32
  %begin = call i64 @clock()
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%i1, %loop]
  LOOP
  %i1 = add i64 %i, 1
  %more = icmp slt i64 %i1, %times
  br i1 %more, label %loop, label %exit
exit:
  %end = call i64 @clock()
  %ns = sub i64 %end, %begin
  ret i64 %ns
}
"""

PARTS = {
    "kc": (
        "call void @kc_parallel_for(ptr %body, ptr %ctx, i64 %threads, i64 1)",
        """
declare void @kc_parallel_for(ptr, ptr, i64, i64)
define void @empty(i64 %begin, i64 %end, ptr %ctx) {
  ret void
}
define void @meet(i64 %begin, i64 %end, ptr %ctx) {
  call void @enter(ptr %ctx)
  ret void
}
""",
    ),
    "gomp": (
        "call void @GOMP_parallel(ptr %body, ptr %ctx, i32 %few, i32 0)",
        """
declare void @GOMP_parallel(ptr, ptr, i32, i32)
define void @empty(ptr %ctx) {
  ret void
}
define void @meet(ptr %ctx) {
  call void @enter(ptr %ctx)
  ret void
}
""",
    ),
}


def measure(kind: str, threads: int) -> dict[str, dict[str, list[float]]]:
    """Times in us, by body and gap, in this process."""
    if kind == "kc":
        symbols = parallel.ensure_pool()
    else:
        library = ctypes.CDLL("libgomp.so.1")
        symbols = {"GOMP_parallel": ctypes.cast(library.GOMP_parallel, ctypes.c_void_p).value or 0}
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
    for name, address in symbols.items():
        llvm.add_symbol(name, address)
    launch, functions = PARTS[kind]
    module = llvm.parse_assembly(COMMON.replace("LOOP", launch) + functions)
    machine = llvm.Target.from_default_triple().create_target_machine(opt=2, jit=True)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    run: Any = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(
        engine.get_function_address("measure")
    )

    times: dict[str, dict[str, list[float]]] = {}
    for body in ("empty", "meet"):
        address = engine.get_function_address(body)
        context = (ctypes.c_int64 * 2)(0, threads)
        run(address, context, BURST)
        times[body] = {}
        for gap, seconds in GAPS.items():
            loops = 1 if seconds else BURST
            taken = times[body][gap] = []
            for _ in range(SAMPLES[gap]):
                if seconds:
                    time.sleep(seconds)
                taken.append(run(address, context, loops) / loops / 1000)
    return times


def row(times: list[float]) -> str:
    times = sorted(times)
    picked = (times[0], times[len(times) // 2], times[len(times) * 9 // 10], times[-1])
    return "".join(f"{value:10.2f}" for value in picked)


def main() -> None:
    parser = argparse.ArgumentParser(description="The cost of a parallel loop.")
    parser.add_argument("--measure", choices=PARTS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    threads = parallel.num_threads()
    if arguments.measure:
        print(json.dumps(measure(arguments.measure, threads)))
        return
    if threads == 1:
        sys.exit("only one thread: nothing to measure (see KC_NUM_THREADS)")

    print(f"{threads} threads, times of one parallel loop in us")
    print(
        f"{'':17}{'body':7}{'idle':7}" + "".join(f"{c:>10}" for c in ("min", "med", "p90", "max"))
    )
    for name, (kind, environment) in RUNTIMES.items():
        if kind == "gomp" and not ctypes.util.find_library("gomp"):
            print(f"{name:17}not here")
            continue
        done = subprocess.run(
            [sys.executable, __file__, "--measure", kind],
            env={**os.environ, "OMP_NUM_THREADS": str(threads), **environment},
            stdout=subprocess.PIPE,
            check=True,
        )
        for body, gaps in json.loads(done.stdout).items():
            for gap, times in gaps.items():
                print(f"{name:17}{body:7}{gap:7}{row(times)}", flush=True)


if __name__ == "__main__":
    main()
