"""Lesson 7: the eager schedule: inspect, undo, record and replay every call.

TE's schedule records its calls and is checked as a whole at lowering. ``kc.tir.Schedule`` rewrites
the loops at once. A call that would change the result is refused and changes nothing.
"""

import numpy as np

import kc
from kc import te
from kc.error import ScheduleError
from kc.tir import Schedule, Trace


def product(size: int) -> kc.IRModule:
    """The loops of ``relu(A B)`` for square matrices."""
    a = te.placeholder((size, size), name="A")
    b = te.placeholder((size, size), name="B")
    k = te.reduce_axis((0, size), name="k")
    c = te.compute((size, size), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name="C")
    d = te.compute((size, size), lambda i, j: te.max(c[i, j], te.const(0, "float32")), name="D")
    return kc.lower(te.create_schedule(d.op), [a, b, d])


sch = Schedule(product(64), seed=1)
block = sch.get_block("C")
i, j, k = sch.get_loops(block)
i_o, i_i = sch.split(i, [None, 8])
j_o, j_i = sch.split(j, [None, 16])
sch.reorder(i_o, j_o, k, i_i, j_i)
sch.show()

# D is computed after each tile of C rather than after all of C.
sch.reverse_compute_at("D", j_o)
sch.vectorize(j_i)
sch.show()
print(sch.diff(-1))

# A stale handle reports what became of its loop; a refusal lists legal alternatives.
for wrong in (lambda: sch.unroll(i), lambda: sch.parallel(k), lambda: sch.compute_at("C", k)):
    try:
        wrong()
    except ScheduleError as error:
        print(error, "\n")

sch.undo()  # the vectorize
sch.parallel(i_o)

# Factors can be drawn at random; the trace records them.
factors = sch.sample_perfect_tile(k, n=2, max_innermost_factor=16)
sch.split(k, factors)
print(sch.trace.as_python())
print(sch.trace.as_mlir())

# The trace replays the schedule, here and on another size.
again = Schedule(product(64))
Trace.from_python(sch.trace.as_python()).apply_to(again)
assert str(again.mod) == str(sch.mod)
larger = Schedule(product(128))
sch.trace.apply_to(larger)

for size, schedule in ((64, sch), (128, larger)):
    a, b = (np.random.rand(size, size).astype(np.float32) - 0.5 for _ in range(2))
    d = np.empty((size, size), np.float32)
    kc.build(schedule.mod)(a, b, d)
    np.testing.assert_allclose(d, np.maximum(a @ b, 0), rtol=1e-3, atol=1e-4)
