"""The cost of a call: a kernel over three tiny float32 arrays, in ns.

The kernel is hand-written LLVM IR, the same for all rows; numpy adds the same arrays. The rows are
measured in turn, many times; each shows the median of its repeats.
"""

from __future__ import annotations

import argparse
import ctypes
import statistics
import time
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numpy as np

import kc
from kc.runtime import ArgSpec, CompiledFunction, Module, Signature

SIZE = 16
NUMBER = 10_000

ADD = """
define void @add(ptr noalias %a, i64 %an, ptr noalias %b, i64 %bn, ptr noalias %c, i64 %cn) {
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %pa = getelementptr float, ptr %a, i64 %i
  %pb = getelementptr float, ptr %b, i64 %i
  %pc = getelementptr float, ptr %c, i64 %i
  %x = load float, ptr %pa
  %y = load float, ptr %pb
  %sum = fadd float %x, %y
  store float %sum, ptr %pc
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %cn
  br i1 %more, label %loop, label %done
done:
  ret void
}
"""


class Code:
    """LLVM IR compiled in this process."""

    def __init__(self, text: str) -> None:
        machine = llvm.Target.from_default_triple().create_target_machine(opt=2)
        module = llvm.parse_assembly(text)
        options = llvm.create_pipeline_tuning_options(speed_level=2)
        builder = llvm.create_pass_builder(machine, options)
        builder.getModulePassManager().run(module, builder)
        self.engine = llvm.create_mcjit_compiler(module, machine)
        self.engine.finalize_object()

    def address(self, name: str) -> int:
        return self.engine.get_function_address(name)


def jit(text: str, symbols: dict[str, int]) -> Code:
    assert not symbols
    return Code(text)


def nanoseconds(call: Callable[..., Any], args: tuple[Any, ...]) -> float:
    """The time of a call, including the loop around it."""
    match args:
        case ():
            begin = time.perf_counter_ns()
            for _ in range(NUMBER):
                call()
        case (a, b, c):
            begin = time.perf_counter_ns()
            for _ in range(NUMBER):
                call(a, b, c)
        case _:
            raise ValueError(args)
    return (time.perf_counter_ns() - begin) / NUMBER


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=15)
    repeat = parser.parse_args().repeat
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()

    kernel = Code(ADD)
    array = ("array", "float32", ("n",))
    signature = Signature(
        "add",
        (ArgSpec("A", *array), ArgSpec("B", *array), ArgSpec("C", *array, role="out")),
        ("n",),
    )
    address = kernel.address("add")
    add = CompiledFunction(signature, address, jit, kernel)
    module = Module({"add": add}, "add")
    rng = np.random.default_rng(0)
    a, b = (rng.random(SIZE, dtype=np.float32) for _ in range(2))
    c = np.empty_like(a)
    nd = tuple(kc.nd.array(x) for x in (a, b, c))
    foreign = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p, ctypes.c_int64] * 3)(address)
    pointers = [ctypes.c_void_p(x.ctypes.data) for x in (a, b, c)]
    size = ctypes.c_int64(SIZE)

    def bare_ctypes(pa: Any, pb: Any, pc: Any) -> None:
        foreign(pa, size, pb, size, pc, size)

    def nothing() -> None: ...

    rows: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
        "prepared call": (add.prepare(a, b, c), ()),
        "call, numpy arrays": (add, (a, b, c)),
        "call of the module": (module, (a, b, c)),
        "call, kc.nd arrays": (add, nd),
        "call, complete check in Python": (add, tuple(x.view(np.memmap) for x in (a, b, c))),
        "bare ctypes call, no checks": (bare_ctypes, tuple(pointers)),
        "numpy add(a, b, c)": (np.add, (a, b, c)),
        "Python function, empty": (nothing, ()),
    }
    times: dict[str, list[float]] = {name: [] for name in rows}
    for _ in range(repeat):
        for name, (call, args) in rows.items():
            times[name].append(nanoseconds(call, args))
    print(f"{'ns per call':32}{'median':>9}{'min':>9}")
    for name, values in times.items():
        print(f"{name:32}{statistics.median(values):9.1f}{min(values):9.1f}")
    inside = module.time_evaluator("add", number=NUMBER, repeat=repeat)(a, b, c)
    print(f"{'the kernel alone':32}{inside.median * 1e9:9.1f}{inside.min * 1e9:9.1f}")


if __name__ == "__main__":
    main()
