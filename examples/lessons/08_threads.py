"""Lesson 8: threads on a GPU, checked and interpreted on this CPU.

Loops are bound to the blocks and threads of a kernel, and the threads load tiles into shared memory
together. kc checks the schedule: values passed between threads, the number of threads, and the size
of shared memory. The interpreter runs it. Lessons 14 and later compile such kernels.
"""

import numpy as np

import kc
from kc import te
from kc.analysis.interpreter import run
from kc.error import KCError
from kc.support.registry import context, get_pass
from kc.target import Target

SIZE, TILE, THREADS, STEP = 32, 16, 4, 8

A = te.placeholder((SIZE, SIZE), name="A")
B = te.placeholder((SIZE, SIZE), name="B")
k = te.reduce_axis((0, SIZE), name="k")
C = te.compute((SIZE, SIZE), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")

s = te.create_schedule(C.op)
shared = [s.cache_read(source, "shared", [C]) for source in (A, B)]
local = s.cache_write(C, "local")

# A block of threads computes a tile, and each thread a part of it.
i, j = s[C].op.axis
block_y, block_x, y, x = s[C].tile(i, j, TILE, TILE)
thread_y, y = s[C].split(y, nparts=THREADS)
thread_x, x = s[C].split(x, nparts=THREADS)
s[C].reorder(block_y, block_x, thread_y, thread_x, y, x)
s[C].bind(block_y, te.thread_axis("blockIdx.y"))
s[C].bind(block_x, te.thread_axis("blockIdx.x"))
s[C].bind(thread_y, te.thread_axis("threadIdx.y"))
s[C].bind(thread_x, te.thread_axis("threadIdx.x"))

# Each thread sums in its own memory. Together they load the tiles that a step needs.
s[local].compute_at(s[C], thread_x)
(kc_,) = s[local].op.reduce_axis
ko, ki = s[local].split(kc_, factor=STEP)
s[local].reorder(ko, ki, *s[local].op.axis)
for tile in shared:
    s[tile].compute_at(s[local], ko)
    fused = s[tile].fuse(*s[tile].op.axis)
    fused, part = s[tile].split(fused, nparts=THREADS)
    tx, _ = s[tile].split(part, nparts=THREADS)
    s[tile].bind(fused, te.thread_axis("threadIdx.y"))
    s[tile].bind(tx, te.thread_axis("threadIdx.x"))

mod = kc.lower(s, [A, B, C])
print(mod)
a, b = (np.random.rand(SIZE, SIZE).astype(np.float32) for _ in range(2))
c = np.zeros((SIZE, SIZE), np.float32)
run(mod.op, "main", [a, b, c])
np.testing.assert_allclose(c, a @ b, rtol=1e-4)

# Does it fit? Two tiles of 16 x 8 fit on any GPU.
with Target("cuda -arch=sm_80"):
    get_pass("verify-gpu-code").apply(context(), mod.op)

# A build for a CPU is refused, not miscompiled.
try:
    kc.build(mod)
except KCError as error:
    print(error)
