"""Lesson 1: the sum of two vectors, computed in three ways.

A tensor expression says what each element is, not how it is computed. Without a schedule, one loop
computes it. Each call on the schedule changes how it is computed, never the result.
"""

import numpy as np

import kc
from kc import te

# The size is known only when the kernel is called: a variable.
n = te.var("n")
A = te.placeholder((n,), name="A")
B = te.placeholder((n,), name="B")
C = te.compute((n,), lambda i: A[i] + B[i], name="C")


def check(schedule: te.Schedule) -> None:
    """Compile the schedule for this CPU, call it, compare with numpy."""
    add = kc.build(schedule, [A, B, C])
    for size in (0, 1, 1000, 4099):
        a = np.random.rand(size).astype(np.float32)
        b = np.random.rand(size).astype(np.float32)
        c = np.empty(size, np.float32)
        add(a, b, c)
        np.testing.assert_array_equal(c, a + b)


# Serial: the default.
s = te.create_schedule(C.op)
print("serial\n", kc.lower(s, [A, B, C]))
check(s)

# Parallel: the loop is split into chunks, and the chunks run on several threads. The size need not
# be a multiple of the chunk: see the predicate (`where`) on the block.
s = te.create_schedule(C.op)
outer, inner = s[C].split(C.op.axis[0], factor=1024)
s[C].parallel(outer)
print("parallel\n", kc.lower(s, [A, B, C]))
check(s)

# Vectorized: sixteen elements at a time inside each chunk.
inner, lanes = s[C].split(inner, factor=16)
s[C].vectorize(lanes)
print("vectorized\n", kc.lower(s, [A, B, C]))
check(s)
