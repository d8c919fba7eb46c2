"""Lesson 3: reductions, and how to split one.

All iterations of a reduction update one element, so they cannot run in parallel as they are.
``rfactor`` makes part of them spatial: they compute partial results, which a second reduction
combines.
"""

import numpy as np

import kc
from kc import te
from kc.error import ScheduleError

n = 1 << 16
A = te.placeholder((n,), name="A")
k = te.reduce_axis((0, n), name="k")
S = te.compute((), lambda: te.sum(A[k], axis=k), name="S")


def check(schedule: te.Schedule) -> None:
    """Compile, call, compare with numpy."""
    total = kc.build(schedule, [A, S])
    a = np.random.rand(n).astype(np.float32)
    s = np.empty((), np.float32)
    total(a, s)
    np.testing.assert_allclose(s, a.sum(dtype=np.float64), rtol=1e-5)


s = te.create_schedule(S.op)
check(s)

# A reduction cannot run in parallel as it is; kc says why:
try:
    s[S].parallel(s[S].op.reduce_axis[0])
except ScheduleError as error:
    print(error)

# rfactor: the outer half of the split becomes an axis of partial sums.
outer, inner = s[S].split(s[S].op.reduce_axis[0], nparts=16)
partial = s.rfactor(S, outer)
print(kc.lower(s, [A, S]))
check(s)

# The partial sums are an ordinary stage: its axis is spatial, so it can run in parallel.
s[partial].parallel(s[partial].op.axis[0])
print(kc.lower(s, [A, S]))
check(s)

# Several axes, a condition and an initial value: the sum of the upper triangle plus a bias.
m = 64
B = te.placeholder((m, m), name="B")
bias = te.placeholder((), name="bias")
i, j = te.reduce_axis((0, m), name="i"), te.reduce_axis((0, m), name="j")
T = te.compute((), lambda: te.sum(B[i, j], axis=[i, j], where=i <= j, init=bias[()]), name="T")
triangle = kc.build(te.create_schedule(T.op), [B, bias, T])
b, t = np.random.rand(m, m), np.empty((), np.float32)
triangle(b.astype(np.float32), np.array(3, np.float32), t)
np.testing.assert_allclose(t, np.triu(b).sum() + 3, rtol=1e-5)
