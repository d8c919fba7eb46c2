"""Lesson 4: reductions of tuples: argmax, and mean and variance in one pass.

``comm_reducer`` takes a function that combines two tuples, and the identity tuple. The combiner
must be commutative and associative, since reordering and rfactor rely on it; kc tries it on values.
"""

import numpy as np

import kc
from kc import te

rows, columns = 32, 500
A = te.placeholder((rows, columns), name="A")


def pick(left, right):
    """The pair with the larger value; the first one of equals."""
    first = te.any(left[1] > right[1], te.all(left[1] == right[1], left[0] < right[0]))
    return te.Select(first, left[0], right[0]), te.Select(first, left[1], right[1])


def nothing(index_type, value_type):
    """The identity of the reduction: every other pair wins against it."""
    return te.const(2**31 - 1, index_type), te.min_value(value_type)


argmax = te.comm_reducer(pick, nothing, name="argmax")
k = te.reduce_axis((0, columns), name="k")
where, largest = te.compute((rows,), lambda i: argmax((k.var, A[i, k]), axis=k), name="M")

s = te.create_schedule(where.op)
a = np.random.rand(rows, columns).astype(np.float32)
index, value = np.empty(rows, np.int32), np.empty(rows, np.float32)
kc.build(s, [A, where, largest])(a, index, value)
np.testing.assert_array_equal(index, a.argmax(1))
np.testing.assert_array_equal(value, a.max(1))

# rfactor works on tuples as on sums.
outer, inner = s[where].split(s[where].op.reduce_axis[0], factor=25)
s.rfactor(where, outer)
print(kc.lower(s, [A, where, largest]))
kc.build(s, [A, where, largest])(a, index, value)
np.testing.assert_array_equal(index, a.argmax(1))

# Welford's mean and variance: (count, mean, sum of squares around the mean).


def combine(x, y):
    """Two parts of the numbers as one (Chan, Golub and LeVeque 1979)."""
    count = x[0] + y[0]
    safe = te.Select(count > 0, count, te.const(1, "float32"))
    delta = y[1] - x[1]
    return (
        count,
        x[1] + delta * y[0] / safe,
        x[2] + y[2] + delta * delta * x[0] * y[0] / safe,
    )


welford = te.comm_reducer(combine, lambda *types: tuple(te.const(0, type_) for type_ in types))
k = te.reduce_axis((0, columns), name="k")
count, mean, squares = te.compute(
    (rows,),
    lambda i: welford((te.const(1, "float32"), A[i, k], te.const(0, "float32")), axis=k),
    name="W",
)
outputs = [np.empty(rows, np.float32) for _ in range(3)]
kc.build(te.create_schedule(count.op), [A, count, mean, squares])(a, *outputs)
np.testing.assert_allclose(outputs[1], a.mean(1), rtol=1e-5)
np.testing.assert_allclose(outputs[2] / columns, a.var(1), rtol=1e-4)
