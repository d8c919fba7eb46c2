"""Lesson 5: a convolution: padding, and producers computed where they are needed.

The padding is a tensor of its own, with a condition on its indices. The schedule decides whether it
is stored as a whole, in strips, or not at all.
"""

import numpy as np

import kc
from kc import te

channels, size, filters, kernel = 8, 28, 16, 3
pad = kernel // 2
A = te.placeholder((channels, size, size), name="A")
W = te.placeholder((filters, channels, kernel, kernel), name="W")
padded = te.compute(
    (channels, size + 2 * pad, size + 2 * pad),
    lambda c, y, x: te.if_then_else(
        te.all(y >= pad, y < size + pad, x >= pad, x < size + pad),
        A[c, y - pad, x - pad],
        te.const(0, "float32"),
    ),
    name="padded",
)
rc = te.reduce_axis((0, channels), name="rc")
ry = te.reduce_axis((0, kernel), name="ry")
rx = te.reduce_axis((0, kernel), name="rx")
C = te.compute(
    (filters, size, size),
    lambda f, y, x: te.sum(padded[rc, y + ry, x + rx] * W[f, rc, ry, rx], axis=[rc, ry, rx]),
    name="C",
)

a = np.random.rand(channels, size, size).astype(np.float32)
w = np.random.rand(filters, channels, kernel, kernel).astype(np.float32)
around = np.pad(a, ((0, 0), (pad, pad), (pad, pad)))
windows = np.lib.stride_tricks.sliding_window_view(around, (kernel, kernel), axis=(1, 2))
expected = np.einsum("cyxij,fcij->fyx", windows, w)


def check(title: str, schedule: te.Schedule) -> None:
    """Show the loops, compile, compare with numpy."""
    print(f"\n== {title}")
    kc.tir.Schedule(kc.lower(schedule, [A, W, C])).show()
    c = np.empty((filters, size, size), np.float32)
    kc.build(schedule, [A, W, C])(a, w, c)
    np.testing.assert_allclose(c, expected, rtol=1e-4)


# The whole padded input is stored first.
s = te.create_schedule(C.op)
check("stored", s)

# Never stored: the condition is evaluated wherever the convolution reads.
s = te.create_schedule(C.op)
s[padded].compute_inline()
check("inlined", s)

# In strips, by each thread for itself: four rows of the output need six padded rows.
s = te.create_schedule(C.op)
f, y, x = s[C].op.axis
outer, inner = s[C].split(y, factor=4)
s[C].reorder(outer, f, inner, s[C].op.reduce_axis[0], *s[C].op.reduce_axis[1:], x)
s[padded].compute_at(s[C], outer)
s[C].parallel(outer)
s[C].vectorize(x)
check("in strips", s)
