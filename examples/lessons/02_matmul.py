"""Lesson 2: a matrix product, from three loops to packed, cached and parallel.

Each step changes one thing. After each step the program prints the loops (in TVM's form, which is
shorter than the IR), counts the data fetched into the caches, and compares the result with numpy. A
larger size shows the differences in time: ``python 02_matmul.py 1024``.
"""

import sys

import numpy as np

import kc
from kc import te

SIZE = int(sys.argv[1]) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 128
TILE = 32

A = te.placeholder((SIZE, SIZE), name="A")
B = te.placeholder((SIZE, SIZE), name="B")
k = te.reduce_axis((0, SIZE), name="k")
C = te.compute((SIZE, SIZE), lambda x, y: te.sum(A[x, k] * B[k, y], axis=k), name="C")


def show(title: str, schedule: te.Schedule, product: te.Tensor = C) -> None:
    """Show the loops, count what they move, and compare the result with numpy."""
    args = [A, B, product]
    loops = kc.lower(schedule, args)
    print(f"\n== {title}")
    print(loops.script(style="tvm"))
    print("\n".join(kc.tir.Schedule(loops).cost().lines()))
    kernel = kc.build(schedule, args)
    a, b = (np.random.rand(SIZE, SIZE).astype(np.float32) for _ in range(2))
    c = np.empty((SIZE, SIZE), np.float32)
    kernel(a, b, c)
    np.testing.assert_allclose(c, a @ b, rtol=1e-4)
    timer = kernel.time_evaluator(kernel.entry_name, kc.cpu(0), number=3)
    print(f"time         {timer(a, b, c).mean * 1e3:.3f} ms")


# Three loops as written. B is read down its columns, so each element loads a whole cache line and
# uses none of the rest.
s = te.create_schedule(C.op)
show("default", s)

# Tiles of 32 x 32 fit into the first-level cache and are used 32 times while they are there.
s = te.create_schedule(C.op)
xo, yo, xi, yi = s[C].tile(C.op.axis[0], C.op.axis[1], TILE, TILE)
ko, ki = s[C].split(k, factor=4)
s[C].reorder(xo, yo, ko, ki, xi, yi)
show("blocked", s)

# The innermost loop runs along rows of B and C and handles 32 columns at a time, as vectors.
s[C].vectorize(yi)
show("vectorized", s)

# With xi outside ki, the elements of A are read along their row as well.
s = te.create_schedule(C.op)
xo, yo, xi, yi = s[C].tile(C.op.axis[0], C.op.axis[1], TILE, TILE)
ko, ki = s[C].split(k, factor=4)
s[C].reorder(xo, yo, ko, xi, ki, yi)
s[C].vectorize(yi)
show("permuted", s)

# A tile of B is scattered in memory. Packing makes it contiguous, and the product reads the copy.
packed = te.compute(
    (SIZE // TILE, SIZE, TILE), lambda yo, k, yi: B[k, yo * TILE + yi], name="packed"
)
r = te.reduce_axis((0, SIZE), name="k")
P = te.compute(
    (SIZE, SIZE),
    lambda x, y: te.sum(A[x, r] * packed[y // TILE, r, te.indexmod(y, TILE)], axis=r),
    name="C",
)
s = te.create_schedule(P.op)
xo, yo, xi, yi = s[P].tile(P.op.axis[0], P.op.axis[1], TILE, TILE)
ko, ki = s[P].split(r, factor=4)
s[P].reorder(xo, yo, ko, xi, ki, yi)
s[P].vectorize(yi)
s[packed].vectorize(packed.op.axis[2])
s[packed].parallel(packed.op.axis[0])
show("packed", s, P)

# Writes to C are scattered as well. A contiguous cache holds the sums of a tile and is copied when
# the tile is complete: cache_write makes it a stage, and compute_at places it.
s = te.create_schedule(P.op)
cache = s.cache_write(P, "global")
xo, yo, xi, yi = s[P].tile(P.op.axis[0], P.op.axis[1], TILE, TILE)
s[cache].compute_at(s[P], yo)
xc, yc = s[cache].op.axis
(kc_,) = s[cache].op.reduce_axis
ko, ki = s[cache].split(kc_, factor=4)
s[cache].reorder(ko, xc, ki, yc)
s[cache].vectorize(yc)
s[cache].unroll(ki)
s[packed].vectorize(packed.op.axis[2])
s[packed].parallel(packed.op.axis[0])
show("write-cached", s, P)

# Finally, rows of tiles run on all cores.
s[P].parallel(xo)
show("parallel", s, P)
print("\nwhat this schedule stands for, as primitives on loops:\n")
print(s.to_tir_script())
