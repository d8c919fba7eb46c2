"""Lesson 14: kernels for a GPU, compiled to PTX and run on this CPU.

Loops bound to blocks and threads become a kernel. ``target="cuda -arch=sm_90a"`` compiles it to
PTX, and ``kc.gpu.check`` runs it here and checks every access; docs/gpu.md lists the findings.
Neither needs a GPU.
"""

import numpy as np

import kc
from kc import te

TARGET = "cuda -arch=sm_90a"
block_x, thread_x = te.thread_axis("blockIdx.x"), te.thread_axis("threadIdx.x")


def checked(s: te.Schedule, args: list, *arrays: np.ndarray) -> kc.gpu.Report:
    """Build a schedule, run it with checks, and show its cost."""
    module = kc.build(s, args, target=TARGET)
    report = kc.gpu.check(module, *arrays)
    assert report.ok, str(report)
    (kernel,) = kc.gpu.resources(module)
    print(
        f"{kernel.shared} bytes of shared memory, {kernel.barriers} barriers in the code, "
        f"{kernel.registers_text} registers a thread"
    )
    print(report)
    return report


# A sum of vectors, with 256 threads per block. Some threads of the last block have no element.
print("== add")
n = 1000
A, B = te.placeholder((n,), name="A"), te.placeholder((n,), name="B")
C = te.compute((n,), lambda i: A[i] + B[i], name="C")
s = te.create_schedule(C.op)
block, thread = s[C].split(C.op.axis[0], 256)
s[C].bind(block, block_x)
s[C].bind(thread, thread_x)
a, b, c = (np.random.rand(n).astype("float32") for _ in range(3))
checked(s, [A, B, C], a, b, c)
np.testing.assert_array_equal(c, a + b)

# Sums of rows: each block has a row, and its threads combine their parts. 32 threads are one warp
# and exchange values by shuffles; 256 are eight warps, which combine results in shared memory.
A = te.placeholder((8, 1000), name="A")
k = te.reduce_axis((0, 1000), name="k")
S = te.compute((8,), lambda i: te.sum(A[i, k], axis=k), name="S")
for threads in (32, 256):
    print(f"== sums by {threads} threads")
    s = te.create_schedule(S.op)
    _, inner = s[S].split(S.op.reduce_axis[0], threads)
    s[S].bind(S.op.axis[0], block_x)
    s[S].bind(inner, thread_x)
    a, sums = np.random.rand(8, 1000).astype("float32"), np.zeros(8, "float32")
    checked(s, [A, S], a, sums)
    np.testing.assert_allclose(sums, a.sum(1), rtol=1e-5)

# Softmax of rows in one kernel: the maximum and the sum stay in shared memory.
print("== softmax")
rows, columns, threads = 8, 300, 64
A = te.placeholder((rows, columns), name="A")
k, m = te.reduce_axis((0, columns), name="k"), te.reduce_axis((0, columns), name="m")
top = te.compute((rows,), lambda i: te.max(A[i, k], axis=k), name="top")
powers = te.compute((rows, columns), lambda i, j: te.exp(A[i, j] - top[i]), name="powers")
total = te.compute((rows,), lambda i: te.sum(powers[i, m], axis=m), name="total")
P = te.compute((rows, columns), lambda i, j: powers[i, j] / total[i], name="P")
s = te.create_schedule(P.op)
s[P].bind(P.op.axis[0], block_x)
for stage in (total, powers, top):
    s[stage].set_scope("shared")
    s[stage].compute_at(s[P], P.op.axis[0])
for stage, loop in (
    (P, P.op.axis[1]),
    (powers, powers.op.axis[1]),
    (total, total.op.reduce_axis[0]),
    (top, top.op.reduce_axis[0]),
):
    _, inner = s[stage].split(loop, threads)
    s[stage].bind(inner, thread_x)
a, p = np.random.randn(rows, columns).astype("float32"), np.zeros((rows, columns), "float32")
checked(s, [A, P], a, p)
e = np.exp(a - a.max(1, keepdims=True))
np.testing.assert_allclose(p, e / e.sum(1, keepdims=True), rtol=1e-5)

# Columns of a tile: elements 32 words apart are in one bank, so lanes wait for each other.
# storage_align moves rows one word further apart.
print("== transpose")
A = te.placeholder((64, 64), name="A")
T = te.compute((64, 64), lambda i, j: A[j, i], name="T")
for pad in (0, 1):
    s = te.create_schedule(T.op)
    tile = s.cache_read(A, "shared", [T])
    by, ty = s[T].split(T.op.axis[0], 32)
    bx, tx = s[T].split(T.op.axis[1], 32)
    s[T].reorder(by, bx, ty, tx)
    s[tile].compute_at(s[T], bx)
    _, ty = s[T].split(ty, nparts=8)
    row, column = s[tile].op.axis
    _, row = s[tile].split(row, nparts=8)
    ty = s[T].leaf_iter_vars[2]
    s[T].bind(ty, te.thread_axis("threadIdx.y"))
    s[T].bind(tx, thread_x)
    s[T].bind(by, te.thread_axis("blockIdx.y"))
    s[T].bind(bx, block_x)
    s[tile].bind(s[tile].leaf_iter_vars[0], te.thread_axis("threadIdx.y"))
    s[tile].bind(column, thread_x)
    if pad:
        s[tile].storage_align(tile.op.axis[0], 32, 1)
    a, t = np.random.rand(64, 64).astype("float32"), np.zeros((64, 64), "float32")
    report = checked(s, [A, T], a, t)
    np.testing.assert_array_equal(t, a.T)
    conflicts = sum(site.bank_conflicts for site in report.sites)
    print(f"bank conflicts with rows of {32 + pad} words: {conflicts}")
    assert conflicts == (0 if pad else 64 * 64 // 32 * 31)

# Without the barrier a thread may read an element before another thread has written it.
print("== a barrier left out")
kernel = """
module attributes {gpu.container_module} {
  func.func @main(%A: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @m::@reverse blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%A : memref<64xf32>)
    func.return
  }
  gpu.module @m {
    gpu.func @reverse(%A: memref<64xf32>)
        workgroup(%S : memref<64xf32, #gpu.address_space<workgroup>>) kernel {
      %c63 = arith.constant 63 : index
      %t = gpu.thread_id x
      %r = arith.subi %c63, %t : index
      %0 = memref.load %A[%t] : memref<64xf32>
      memref.store %0, %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
      %1 = memref.load %S[%r] : memref<64xf32, #gpu.address_space<workgroup>>
      memref.store %1, %A[%t] : memref<64xf32>
      gpu.return
    }
  }
}
"""
print(kc.gpu.check(kernel, np.zeros(64, "float32")))
