"""The resources that kernels take of a GPU are part of the cost of a schedule, and of its
report.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import kc
from kc import te
from kc.support.diagnostics import Diagnostic, diagnostic_handler
from kc.target import Target

TARGET = Target("cuda -arch=sm_80")


def rows() -> kc.tir.Schedule:
    """A schedule of sums of 64 rows, each by 128 threads."""
    A = te.placeholder((64, 1000), name="A")
    k = te.reduce_axis((0, 1000), name="k")
    B = te.compute((64,), lambda i: te.sum(A[i, k], axis=k), name="B")
    return kc.tir.Schedule(te.create_prim_func([A, B]), target=TARGET)


def test_kernels_are_counted_once_there_are_any(tmp_path: Path):
    sch = rows()
    assert sch.cost().kernels == ()
    i, k = sch.get_loops(sch.get_block("B"))
    _, thread = sch.split(k, [None, 128])
    sch.bind(i, "blockIdx.x")
    sch.bind(thread, "threadIdx.x")
    (kernel,) = sch.cost().kernels
    # Four warps: each has a word in shared memory, which all read behind one barrier.
    assert (kernel.threads, kernel.shared, kernel.barriers, kernel.local) == (128, 16, 1, 0)
    line = next(line for line in sch.cost().lines() if line.startswith("kernel"))
    assert line == f"kernel       {kernel}"
    page = tmp_path / "report.html"
    sch.report(str(page))
    text = page.read_text()
    assert text.count(f"<th>{kernel.name}: barriers</th><td>1</td>") == 1
    assert (
        text.count(f"<th>{kernel.name}: divergent-barrier</th><td>proven: all threads reach ") == 1
    )
    assert f"<th>{kernel.name}: shared memory</th><td>16 B</td>" in text
    assert f"<td>about {kernel.registers} of 255</td>" in text


def test_dynamic_memory_is_counted():
    text = """
    func.func @turned(%A: memref<4x128x128xf32>, %B: memref<4x128x128xf32>) {
      tir.for %b in 4 thread "blockIdx.x" {
        %S = tir.alloc "S" : memref<128x128xf32, "shared">
        tir.for %t in 128 thread "threadIdx.x" {
          tir.for %j in 128 {
            %0 = tir.load %A[%b, %t, %j] : memref<4x128x128xf32>
            tir.store %0, %S[%t, %j] : memref<128x128xf32, "shared">
          }
        }
        tir.for %t in 128 thread "threadIdx.x" {
          tir.for %j in 128 {
            %0 = tir.load %S[%j, %t] : memref<128x128xf32, "shared">
            tir.store %0, %B[%b, %t, %j] : memref<4x128x128xf32>
          }
        }
      }
      func.return
    }
    """
    sch = kc.tir.Schedule(kc.IRModule.parse(text), target=TARGET)
    (kernel,) = sch.cost().kernels
    assert (kernel.shared, kernel.dynamic) == (0, 65536)


def tile_of_a_thread(size: int) -> tuple[Any, list[Any]]:
    """A product whose threads have ``size`` x ``size`` results each, in loops."""
    n = 16 * size
    A, B = te.placeholder((n, n), name="A"), te.placeholder((n, n), name="B")
    k = te.reduce_axis((0, n), name="k")
    C = te.compute((n, n), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
    s = te.create_schedule(C.op)
    local = s.cache_write(C, "local")
    ty, i = s[C].split(C.op.axis[0], size)
    tx, j = s[C].split(C.op.axis[1], size)
    s[C].reorder(ty, tx, i, j)
    s[C].bind(ty, te.thread_axis("threadIdx.y"))
    s[C].bind(tx, te.thread_axis("threadIdx.x"))
    s[local].compute_at(s[C], tx)
    s[local].reorder(k, *s[local].op.axis)
    return s, [A, B, C]


@pytest.mark.parametrize("size", [4, 16])
def test_results_that_are_in_no_registers(size: int):
    said: list[Diagnostic] = []
    s, args = tile_of_a_thread(size)
    with diagnostic_handler(said.append):
        module = kc.build(s, args, target=TARGET)
    ptx = module.imported_modules[0].get_source()
    if size == 4:
        assert said == []
        return
    (warning,) = said
    lines = warning.render().splitlines()
    assert lines[0] == (
        "warning[KC4366]: kernel main_kernel keeps values in local memory instead of registers"
    )
    assert lines[1].startswith(f"  --> {__file__}:")
    size_in_text = int(ptx.split("__local_depot0[")[1].split("]")[0])
    assert size_in_text >= 4 * 16 * 16
    assert lines[2:] == [
        f"   |  arrays with indices that are computed: {size_in_text} bytes of a thread",
        "  why: local memory is a part of global memory, hundreds of times slower than registers",
        "  try: unroll the loops over them, or make their tile smaller",
    ]
    shown: list[Diagnostic] = []
    with diagnostic_handler(shown.append):
        kc.tir.Schedule(kc.lower(s, args), target=TARGET).cost()
    assert [diagnostic.render() for diagnostic in shown] == [warning.render()]
