"""Estimated registers and shared memory of kernels, compared with the assembler's numbers.

    python benchmarks/ptx_resources.py [ARCH] [SET]

For each kernel: the threads of a block, the registers by ``kc.analysis.gpu.ptx_resources`` and by
``ptxas -v``, the difference in percent, static shared memory by both, and the bytes that ptxas
spills; at the end, how many estimates are near. ARCH is ``sm_80`` where nothing is said. SET is

- ``kernels``, those below (if nothing is said);
- ``lessons``, those that the lessons in examples/lessons build;
- ``defaults``, the schedules that kc makes for programs without one;
- ``schedules:SEED``, 40 random schedules of threads of the tests in test/gpu;
- ``programs:SEED``, 50 random programs of the family ``kernels`` in test/fuzz.

Needs ptxas on the PATH; no GPU.
"""

from __future__ import annotations

import contextlib
import io
import re
import runpy
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import count, islice
from pathlib import Path
from random import Random
from typing import Any

from emulator import add, axis, product, row_sums

import kc
from kc import te
from kc.analysis.gpu.ptx_registers import GRANULE
from kc.analysis.gpu.ptx_resources import KernelResources, estimated_resources
from kc.analysis.loop_tree import loops
from kc.support.diagnostics import KCError, diagnostic_handler


def tiled_product(
    n: int, tile: int, depth: int, *, vectors: bool = False, ahead: bool = False
) -> tuple[Any, list[Any]]:
    """A product by 256 threads in tiles of ``tile`` x ``tile`` per block, with ``depth`` steps at a
    time.

    ``vectors``: copy four numbers at a time to shared memory; ``ahead``: copy while the previous
    ones are used.
    """
    A, B = te.placeholder((n, n), name="A"), te.placeholder((n, n), name="B")
    k = te.reduce_axis((0, n), name="k")
    C = te.compute((n, n), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
    s = te.create_schedule(C.op)
    shared = [s.cache_read(tensor, "shared", [C]) for tensor in (A, B)]
    local = s.cache_write(C, "local")
    by, i = s[C].split(C.op.axis[0], tile)
    bx, j = s[C].split(C.op.axis[1], tile)
    ty, i = s[C].split(i, nparts=16)
    tx, j = s[C].split(j, nparts=16)
    s[C].reorder(by, bx, ty, tx, i, j)
    names = ("blockIdx.y", "blockIdx.x", "threadIdx.y", "threadIdx.x")
    for loop, name in zip((by, bx, ty, tx), names, strict=True):
        s[C].bind(loop, axis(name))
    s[local].compute_at(s[C], tx)
    i, j = s[local].op.axis
    ko, ki = s[local].split(s[local].op.reduce_axis[0], depth)
    s[local].reorder(ko, ki, i, j)
    s[local].unroll(ki)
    for stage in shared:
        s[stage].compute_at(s[local], ko)
        part = s[stage].fuse(*s[stage].op.axis)
        if vectors:
            part, lane = s[stage].split(part, 4)
            s[stage].vectorize(lane)
        _, part = s[stage].split(part, 256)
        ty, tx = s[stage].split(part, 16)
        s[stage].bind(ty, axis("threadIdx.y"))
        s[stage].bind(tx, axis("threadIdx.x"))
        if ahead:
            s[stage].double_buffer()
    return s, [A, B, C]


def elementwise(function: Any, dtype: str = "float32", lanes: int = 1) -> tuple[Any, list[Any]]:
    """A function of each element, by 256 threads."""
    A = te.placeholder((1 << 16,), dtype=dtype, name="A")
    B = te.compute(A.shape, lambda i: function(A[i]), name="B")
    s = te.create_schedule(B.op)
    loop = B.op.axis[0]
    if lanes > 1:
        loop, lane = s[B].split(loop, lanes)
        s[B].vectorize(lane)
    block, thread = s[B].split(loop, 256)
    s[B].bind(block, axis("blockIdx.x"))
    s[B].bind(thread, axis("threadIdx.x"))
    return s, [A, B]


def layer_norm(n: int, m: int, threads: int) -> tuple[Any, list[Any]]:
    """A layer norm: two reductions across the threads of a block."""
    A = te.placeholder((n, m), name="A")
    k, r = te.reduce_axis((0, m), name="k"), te.reduce_axis((0, m), name="r")
    M = te.compute((n,), lambda i: te.sum(A[i, k], axis=k), name="M")
    V = te.compute(
        (n,), lambda i: te.sum((A[i, r] - M[i] / m) * (A[i, r] - M[i] / m), axis=r), name="V"
    )
    B = te.compute((n, m), lambda i, j: (A[i, j] - M[i] / m) * te.rsqrt(V[i] / m + 1e-5), name="B")
    s = te.create_schedule(B.op)
    row = B.op.axis[0]
    _, thread = s[B].split(B.op.axis[1], threads)
    s[B].bind(row, axis("blockIdx.x"))
    s[B].bind(thread, axis("threadIdx.x"))
    for stage in (M, V):
        s[stage].set_scope("shared")
    for stage in (V, M):
        s[stage].compute_at(s[B], row)
        _, thread = s[stage].split(stage.op.reduce_axis[0], threads)
        s[stage].bind(thread, axis("threadIdx.x"))
    return s, [A, B]


def from_emulator(case: tuple[list[Any], Any, Any, int]) -> tuple[Any, list[Any]]:
    """A case of benchmarks/emulator.py."""
    return case[1], case[0]


KERNELS = {
    "sum of vectors": lambda: from_emulator(add(1 << 20)),
    "sums of rows": lambda: from_emulator(row_sums(1024)),
    "gelu": lambda: elementwise(lambda x: x * 0.5 * (1.0 + te.erf(x * 0.7071))),
    "exp, vectors of 4": lambda: elementwise(te.exp, lanes=4),
    "exp of float64": lambda: elementwise(te.exp, "float64"),
    "layer norm": lambda: layer_norm(64, 1024, 128),
    "product 256, rolled": lambda: from_emulator(product(256)),
    "product, tile 32 x 32": lambda: tiled_product(256, 32, 8),
    "product, tile 64 x 64": lambda: tiled_product(256, 64, 16),
    "... vectors": lambda: tiled_product(256, 64, 16, vectors=True),
    "... copies ahead": lambda: tiled_product(256, 64, 16, vectors=True, ahead=True),
    "product, tile 128 x 128": lambda: tiled_product(256, 128, 8),
    "... vectors, ahead": lambda: tiled_product(256, 128, 8, vectors=True, ahead=True),
}


def assembled(ptx: str, arch: str) -> dict[str, tuple[int, int, int]]:
    """Registers, bytes of static shared memory and spilled bytes of each kernel, by ptxas."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "kernels.ptx")
        source.write_text(ptx)
        command = ["ptxas", "-v", f"-arch={arch}", str(source), "-o", str(Path(folder, "cubin"))]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    kernels = {}
    for part in said.split("Compiling entry function '")[1:]:
        registers = re.search(r"Used (\d+) registers", part)
        shared = re.search(r"(\d+) bytes smem", part)
        spilled = re.search(r"(\d+) bytes spill stores", part)
        kernels[part.partition("'")[0]] = (
            int(registers[1]) if registers else 0,
            int(shared[1]) if shared else 0,
            int(spilled[1]) if spilled else 0,
        )
    return kernels


# Sets of kernels: the name and the program of each, for one architecture --------------------------

ROOT = Path(__file__).resolve().parents[1]


def from_below(_: str) -> Iterator[tuple[str, kc.IRModule]]:
    """The kernels defined in this file."""
    for name, make in KERNELS.items():
        s, args = make()
        yield name, kc.lower(s, args)


def from_lessons(_: str) -> Iterator[tuple[str, kc.IRModule]]:
    """The kernels that the lessons about GPUs build."""
    build = kc.build
    for lesson in sorted((ROOT / "examples" / "lessons").glob("*gpu*.py")):
        modules: list[kc.IRModule] = []

        def built(s: Any, args: Any = None, *rest: Any, **options: Any) -> Any:
            if str(options.get("target", "")).startswith("cuda"):
                loops = getattr(s, "mod", s) if args is None else kc.lower(s, args)
                modules.append(loops)  # noqa: B023
            return build(s, args, *rest, **options)

        kc.build = built
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                runpy.run_path(str(lesson), run_name="__main__")
        finally:
            kc.build = build
        for number, module in enumerate(modules):
            yield f"{lesson.stem[:2]}, {number}", module


def from_rules(_: str) -> Iterator[tuple[str, kc.IRModule]]:
    """Default schedules of the rows of benchmarks/cpu.py."""
    sys.path.append(str(ROOT / "benchmarks" / "peers"))
    import cpu_rows as rows  # noqa: PLC0415

    programs: dict[str, Callable[[], Any]] = {
        "product": rows.product(512, 512, 512),
        "flat product": rows.product(3, 2000, 1300),
        "batched": rows.product(170, 180, 210, batch=3),
        "gelu": rows.product(330, 200, 400, act="gelu"),
        "softmax": rows.softmax(512, 1000),
        "layernorm": rows.layernorm(512, 900),
        "attention": rows.attention(400, 64),
        "sum of rows": rows.reduction("sum", 1300, 1000, 1),
        "sum of columns": rows.reduction("sum", 1010, 430, 0),
        "max of rows": rows.reduction("max", 300, 7000, 1),
        "transpose": rows.copy_like("transpose", (1024, 1000)),
        "cast": rows.copy_like("cast", (900, 1000)),
        "exp": rows.pointwise("exp", (1100, 370)),
        "convolution": rows.convolution(2, 16, 19, 32, 3, 1),
        "strided": rows.convolution(1, 3, 40, 18, 7, 3, 2),
        "depthwise": rows.convolution(1, 6, 19, 6, 3, 1, depthwise=True),
    }
    for name, make in programs.items():
        yield name, kc.auto_schedule(make().tensors(), target="cuda -arch=sm_80").mod


def from_schedules(seed: str) -> Iterator[tuple[str, kc.IRModule]]:
    """Random schedules with threads."""
    sys.path.append(str(ROOT / "test" / "gpu"))
    from thread_schedules import cases  # noqa: PLC0415

    drawn = (case.module for case in cases(int(seed)) if not isinstance(case, KCError))
    yield from islice(_kernels_of(drawn), 40)


def from_programs(seed: str) -> Iterator[tuple[str, kc.IRModule]]:
    """Random programs, scheduled at random for a GPU."""
    sys.path += [str(ROOT / "test" / folder) for folder in ("", "fuzz", "te")]
    from families import FAMILIES  # noqa: PLC0415

    family = FAMILIES["kernels"]

    def drawn() -> Iterator[kc.IRModule]:
        for number in count(int(seed) * 1000):
            sch = kc.tir.Schedule(family.draw(Random(f"program {number}"), None).module)
            for line in family.own(Random(f"calls {number}"), sch):
                with contextlib.suppress(KCError):
                    exec(line, {"sch": sch})
            if any(loop.axis for loop in loops(sch.mod.op)):
                yield sch.mod

    yield from islice(_kernels_of(drawn()), 50)


def _kernels_of(modules: Iterator[kc.IRModule]) -> Iterator[tuple[str, kc.IRModule]]:
    """The kernels that can be compiled for every GPU, by index."""
    number = 0
    for module in modules:
        with contextlib.suppress(KCError):
            kc.build(module, target="cuda -arch=sm_75")
            yield str(number), module
            number += 1


SETS = {
    "kernels": from_below,
    "lessons": from_lessons,
    "defaults": from_rules,
    "schedules": from_schedules,
    "programs": from_programs,
}


def compared(
    modules: Iterator[tuple[str, kc.IRModule]], arch: str
) -> Iterator[tuple[str, KernelResources, tuple[int, int, int]]]:
    """Each kernel with its estimate and the numbers of ptxas."""
    for name, module in modules:
        try:
            ptx = kc.build(module, target=f"cuda -arch={arch}").imported_modules[0].get_source()
        except KCError as refusal:
            print(f"{name}: {refusal.code}")
            continue
        numbers = assembled(ptx, arch)
        for kernel in estimated_resources(ptx):
            yield name, kernel, numbers[kernel.name]


def main() -> None:
    """Print the table."""
    arch, chosen = (*sys.argv[1:], *("sm_80", "kernels")[len(sys.argv) - 1 :])
    if shutil.which("ptxas") is None:
        sys.exit("ptxas is not on the PATH")
    kind, _, seed = chosen.partition(":")
    print(f"{'':26}threads  registers  ptxas     off   shared  ptxas  spilled")
    pairs: list[tuple[int, int]] = []
    with diagnostic_handler(lambda _: None):
        for name, kernel, (registers, shared, spilled) in compared(SETS[kind](seed), arch):
            pairs.append((kernel.registers, registers))
            print(
                f"{name:26}{kernel.threads or '?':>7}{kernel.registers:>11}{registers:>7}"
                f"{kernel.registers / registers - 1:>8.0%}{kernel.shared:>9}{shared:>7}{spilled:>9}"
            )
    print(f"\n{arch}, {chosen}: {near(pairs)}")


def near(pairs: list[tuple[int, int]]) -> str:
    """The differences between estimates and the assembler's numbers, each with its estimate before
    it.
    """
    off = [estimate / registers - 1 for estimate, registers in pairs]
    within = sum(abs(part) <= 0.15 for part in off)
    or_two = sum(
        abs(part) <= 0.15 or abs(estimate - registers) <= 2
        for part, (estimate, registers) in zip(off, pairs, strict=True)
    )
    steps = sum(
        -(-estimate // GRANULE) == -(-registers // GRANULE) for estimate, registers in pairs
    )
    mean = sum(map(abs, off)) / len(off)
    return (
        f"{len(pairs)} kernels, {within} within 15 %, {or_two} within 15 % or 2 registers, {steps} "
        f"with the same step of {GRANULE}; mean {mean:.0%}, extremes {min(off):.0%}, {max(off):.0%}"
    )


if __name__ == "__main__":
    main()
