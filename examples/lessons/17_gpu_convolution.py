"""Lesson 17: a convolution on a GPU: 256 images of 14 x 14, 256 channels to 512.

The axes have the order height, width, channel, image: adjacent elements belong to different images,
which are all computed alike. A block computes a tile of channels and images at one point of the
result. It loads parts of the input and of the weights into shared memory, eight channels at a time.
From there each thread loads a row and a column of its own tile into registers.

The full convolution is compiled to PTX. A smaller one with the same schedule runs on this CPU and
is compared with numpy.
"""

import re

import numpy as np

import kc
from kc import te

THREADS, CHANNELS = 8, 8  # threads of a block along each dimension; channels at a time


def expression(size: int, images: int, inputs: int, outputs: int) -> list[te.Tensor]:
    """A convolution with windows of 3 x 3, and zeros around the images."""
    A = te.placeholder((size, size, inputs, images), name="A")
    W = te.placeholder((3, 3, inputs, outputs), name="W")
    padded = te.compute(
        (size + 2, size + 2, inputs, images),
        lambda y, x, c, n: te.if_then_else(
            te.all(y >= 1, y - 1 < size, x >= 1, x - 1 < size), A[y - 1, x - 1, c, n], 0.0
        ),
        name="padded",
    )
    c = te.reduce_axis((0, inputs), name="c")
    dy, dx = te.reduce_axis((0, 3), name="dy"), te.reduce_axis((0, 3), name="dx")
    B = te.compute(
        (size, size, outputs, images),
        lambda y, x, f, n: te.sum(padded[y + dy, x + dx, c, n] * W[dy, dx, c, f], axis=[c, dy, dx]),
        name="B",
    )
    return [A, W, B]


def bind(stage: te.Stage, loops, names: str) -> None:
    for loop, name in zip(loops, names.split(), strict=True):
        stage.bind(loop, te.thread_axis(name))


def schedule(B: te.Tensor, tile: int) -> te.Schedule:
    """Tiles of ``tile`` x ``tile`` for each thread."""
    padded, W = B.op.input_tensors
    s = te.create_schedule(B.op)
    s[padded].compute_inline()  # the copy of the input inserts the zeros
    in_shared = [s.cache_read(tensor, "shared", [B]) for tensor in (padded, W)]
    in_registers = [s.cache_read(tensor, "local", [B]) for tensor in in_shared]
    sums = s.cache_write(B, "local")

    y, x, f, n = s[B].op.axis
    point = s[B].fuse(y, x)
    by, f = s[B].split(f, tile * THREADS)
    bx, n = s[B].split(n, tile * THREADS)
    # Virtual threads split the tile of a thread into four, so adjacent threads read adjacent data.
    vy, f = s[B].split(f, nparts=2)
    vx, n = s[B].split(n, nparts=2)
    ty, f = s[B].split(f, nparts=THREADS)
    tx, n = s[B].split(n, nparts=THREADS)
    s[B].reorder(point, by, bx, vy, vx, ty, tx, f, n)
    bind(s[B], (point, by, bx), "blockIdx.z blockIdx.y blockIdx.x")
    bind(s[B], (vy, vx, ty, tx), "vthread.y vthread.x threadIdx.y threadIdx.x")

    s[sums].compute_at(s[B], tx)
    _, _, f, n = s[sums].op.axis
    c, dy, dx = s[sums].op.reduce_axis
    co, ci = s[sums].split(c, CHANNELS)
    s[sums].reorder(co, dy, dx, ci, f, n)
    for stage in in_shared:
        s[stage].compute_at(s[sums], dx)
        y, x, c, last = s[stage].op.axis
        ty, c = s[stage].split(c, nparts=THREADS)
        tx, last = s[stage].split(last, nparts=THREADS)
        last, four = s[stage].split(last, 4)
        s[stage].reorder(ty, tx, y, x, c, last, four)
        bind(s[stage], (ty, tx), "threadIdx.y threadIdx.x")
        s[stage].vectorize(four)
    for stage in in_registers:
        s[stage].compute_at(s[sums], ci)
    return s


A, W, B = expression(14, 256, 256, 512)
whole = kc.build(schedule(B, tile=8), [A, W, B], target="cuda -arch=sm_80")
ptx = whole.imported_modules[0].get_source()
(kernel,) = kc.gpu.resources(whole)
print(f"256 x 14 x 14 x 256 -> 512: {len(ptx.splitlines())} lines of PTX")
print(f"{kernel.shared} bytes of shared memory, {kernel.barriers} barriers in the code")
print(f"loads and stores of 128 bits: {len(re.findall(r'(?:ld|st)[.a-z]*[.]v4', ptx))}")
print(f"{kernel.registers_text} registers a thread")
assert kernel.shared == 2 * CHANNELS * 64 * 4
assert not kernel.spilled

size, images, inputs, outputs = 3, 64, 16, 64
A, W, B = expression(size, images, inputs, outputs)
module = kc.build(schedule(B, tile=4), [A, W, B], target="cuda -arch=sm_80")
a = np.random.rand(size, size, inputs, images).astype("float32")
w = np.random.rand(3, 3, inputs, outputs).astype("float32")
b = np.zeros((size, size, outputs, images), "float32")
report = kc.gpu.check(module, a, w, b)
assert report.ok, str(report)
a = np.pad(a, ((1, 1), (1, 1), (0, 0), (0, 0)))
windows = ((w[y, x], a[y : y + size, x : x + size]) for y in range(3) for x in range(3))
expected = sum(np.einsum("cf,yxcn->yxfn", weights, part) for weights, part in windows)
np.testing.assert_allclose(b, expected, rtol=1e-4)
print(f"{images} x {size} x {size} x {inputs} -> {outputs}, on this CPU:")
print(report)
