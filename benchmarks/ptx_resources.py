"""Estimated registers and shared memory of kernels beside what the assembler says.

    python benchmarks/ptx_resources.py [ARCH]

For each kernel: the threads of a block, the registers by ``kc.analysis.ptx_resources`` and by
``ptxas -v``, the difference in percent, static shared memory by both, and the bytes that ptxas
spills. ARCH is ``sm_80`` where nothing is said. Needs ptxas on the PATH; no GPU.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from emulator import add, axis, product, row_sums

import kc
from kc import te
from kc.analysis.ptx_resources import KernelResources, resources
from kc.support.diagnostics import diagnostic_handler


def tiled_product(
    n: int, tile: int, depth: int, *, vectors: bool = False, ahead: bool = False
) -> tuple[Any, list[Any]]:
    """A product by 256 threads: tiles of ``tile`` x ``tile`` of a block, ``depth`` steps at a time.

    ``vectors``: copies to shared memory by four numbers; ``ahead``: while the last ones are used.
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
    """One function of each element, by 256 threads."""
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
    """Rows less their mean, by their deviation: two reductions across the threads of a block."""
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


def compared(arch: str) -> Iterator[tuple[str, KernelResources, tuple[int, int, int]]]:
    """Each kernel with its estimate and what ptxas says."""
    for name, make in KERNELS.items():
        s, args = make()
        with diagnostic_handler(lambda _: None):
            module = kc.build(s, args, target=f"cuda -arch={arch}")
        ptx = module.imported_modules[0].get_source()
        numbers = assembled(ptx, arch)
        for kernel in resources(ptx):
            yield name, kernel, numbers[kernel.name]


def main() -> None:
    """Print the table."""
    arch = sys.argv[1] if len(sys.argv) > 1 else "sm_80"
    if shutil.which("ptxas") is None:
        sys.exit("ptxas is not on the PATH")
    print(f"{'':26}threads  registers  ptxas     off   shared  ptxas  spilled")
    for name, kernel, (registers, shared, spilled) in compared(arch):
        off = (kernel.registers - registers) / registers
        print(
            f"{name:26}{kernel.threads:>7}{kernel.registers:>11}{registers:>7}{off:>8.0%}"
            f"{kernel.shared:>9}{shared:>7}{spilled:>9}"
        )


if __name__ == "__main__":
    main()
