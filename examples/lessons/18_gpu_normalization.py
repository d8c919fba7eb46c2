"""Lesson 18: softmax and layer normalization on a GPU, one kernel each.

A block handles a row. Values of the whole row, such as its maximum or sum, stay in shared memory;
the threads of the block then scale their elements. Normalization needs a mean and a variance. The
second version computes both in one pass over the row, as a reduction of two values.
"""

import numpy as np

import kc
from kc import te

ROWS, COLUMNS, THREADS = 8, 512, 128
block_x, thread_x = te.thread_axis("blockIdx.x"), te.thread_axis("threadIdx.x")


def run(name: str, s: te.Schedule, args: list[te.Tensor], *arrays: np.ndarray) -> kc.gpu.Report:
    """Build a schedule, run it with checks, and print a line with its cost."""
    module = kc.build(s, args, target="cuda -arch=sm_80")
    report = kc.gpu.check(module, *arrays)
    assert report.ok, str(report)
    (kernel,) = kc.gpu.resources(module)
    numbers = (
        kernel.shared,
        kernel.barriers,
        kernel.shuffles,
        report.sectors,
        report.wavefronts,
        report.bank_conflicts,
        kernel.registers,
    )
    print(f"{name:28}" + "".join(f"{number:>11}" for number in numbers))
    return report


def share(s: te.Schedule, output: te.Tensor, *stages: te.Tensor) -> te.Schedule:
    """A block for each row, threads for its elements; stages hold values of the row."""
    s[output].bind(output.op.axis[0], block_x)
    for stage in reversed(stages):
        s[stage].set_scope("shared")
        s[stage].compute_at(s[output], output.op.axis[0])
    for stage in (*stages, output):
        loop = (stage.op.reduce_axis or stage.op.axis[1:])[0]
        _, thread = s[stage].split(loop, THREADS)
        s[stage].bind(thread, thread_x)
    return s


def reduction(name: str):
    return te.reduce_axis((0, COLUMNS), name=name)


heads = ("shared", "barriers", "shuffles", "sectors", "wavefronts", "conflicts", "registers")
print(" " * 28 + "".join(f"{head:>11}" for head in heads))
A = te.placeholder((ROWS, COLUMNS), name="A")
a = np.random.randn(ROWS, COLUMNS).astype("float32")
out = np.zeros_like(a)

# Softmax: no power overflows, because the maximum of the row becomes exp(0).
k, m = reduction("k"), reduction("m")
top = te.compute((ROWS,), lambda i: te.max(A[i, k], axis=k), name="top")
powers = te.compute((ROWS, COLUMNS), lambda i, j: te.exp(A[i, j] - top[i]), name="powers")
total = te.compute((ROWS,), lambda i: te.sum(powers[i, m], axis=m), name="total")
P = te.compute((ROWS, COLUMNS), lambda i, j: powers[i, j] / total[i], name="P")
s = share(te.create_schedule(P.op), P, top, powers, total)
softmax = run("softmax", s, [A, P], a * 50, out)
e = np.exp(a * 50 - (a * 50).max(1, keepdims=True))
np.testing.assert_allclose(out, e / e.sum(1, keepdims=True), rtol=1e-4, atol=1e-30)

# Alternatively the powers are computed twice: less shared memory, one more exp per element.
s = te.create_schedule(P.op)
s[powers].compute_inline()
run("softmax, powers twice", share(s, P, top, total), [A, P], a * 50, out)
np.testing.assert_allclose(out, e / e.sum(1, keepdims=True), rtol=1e-4, atol=1e-30)

# Layer normalization, with a weight and a bias for each column.
G, H = te.placeholder((COLUMNS,), name="G"), te.placeholder((COLUMNS,), name="H")
g, h = (np.random.rand(COLUMNS).astype("float32") for _ in range(2))
expected = (a - a.mean(1, keepdims=True)) / np.sqrt(a.var(1, keepdims=True) + 1e-5) * g + h

k, m = reduction("k"), reduction("m")
mean = te.compute((ROWS,), lambda i: te.sum(A[i, k] / COLUMNS, axis=k), name="mean")
away = te.compute((ROWS, COLUMNS), lambda i, j: A[i, j] - mean[i], name="away")
variance = te.compute(
    (ROWS,), lambda i: te.sum(away[i, m] * away[i, m] / COLUMNS, axis=m), name="variance"
)
N = te.compute(
    (ROWS, COLUMNS),
    lambda i, j: away[i, j] * te.rsqrt(variance[i] + 1e-5) * G[j] + H[j],
    name="N",
)
s = share(te.create_schedule(N.op), N, mean, away, variance)
two_passes = run("layer normalization", s, [A, G, H, N], a, g, h, out)
np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-5)

# One pass: count, mean and sum of squares around the mean of two parts combine to those of the
# whole (Welford, Chan).
welford = te.comm_reducer(
    lambda x, y: (
        x[0] + y[0],
        te.if_then_else(
            x[0] + y[0] > 0.0, (x[0] * x[1] + y[0] * y[1]) / te.max(x[0] + y[0], 1.0), 0.0
        ),
        x[2] + y[2] + (y[1] - x[1]) * (y[1] - x[1]) * x[0] * y[0] / te.max(x[0] + y[0], 1.0),
    ),
    lambda count, mean, squares: (
        te.const(0, count),
        te.const(0, mean),
        te.const(0, squares),
    ),
    name="welford",
)
k = reduction("k")
counts, means, squares = te.compute(
    (ROWS,), lambda i: welford((te.const(1.0), A[i, k], te.const(0.0)), axis=k), name="moments"
)
N = te.compute(
    (ROWS, COLUMNS),
    lambda i, j: (A[i, j] - means[i]) * te.rsqrt(squares[i] / COLUMNS + 1e-5) * G[j] + H[j],
    name="N",
)
s = share(te.create_schedule(N.op), N, counts)
one_pass = run("layer normalization, welford", s, [A, G, H, N], a, g, h, out)
np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-5)

# One pass needs no row in shared memory and fewer barriers, and reads A equally often.
assert one_pass.barriers < two_passes.barriers
assert one_pass.wavefronts < two_passes.wavefronts
assert one_pass.sectors == two_passes.sectors
