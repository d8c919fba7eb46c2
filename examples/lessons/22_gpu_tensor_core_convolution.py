"""Lesson 22: tensor cores for a batch of products, and for a convolution of 256 images.

``wmma`` multiplies tiles of 16 x 16 halves. A convolution with images and channels in tiles of 16
is a sum of such products, one for each point of the window and each tile of channels:

    C[n, y, x, o, nn, oo] += A[n, y + dy, x + dx, i, nn, ii] * W[dy, dx, i, o, ii, oo]

Both schedules are TE's: stages are computed in each other's loops, and tensor intrinsics replace
the innermost loops.
"""

import numpy as np

import kc
from kc import te

ARCH = "cuda -arch=sm_80"
WMMA = "wmma_{}_16x16x16_{}"


def bind(stage: te.Stage, loops, names: str) -> None:
    for loop, name in zip(loops, names.split(), strict=True):
        stage.bind(loop, te.thread_axis(name))


def copy(s: te.Schedule, shared: te.Tensor, at: te.Stage, loop, warps: tuple[int, int]) -> None:
    """Copy to shared memory where ``loop`` is, by all threads, eight halves at a time."""
    stage = s[shared]
    stage.compute_at(at, loop)
    rest, eight = stage.split(stage.fuse(*stage.op.axis), 8)
    rest, lane = stage.split(rest, 32)
    rest, wx = stage.split(rest, warps[1])
    _, wy = stage.split(rest, warps[0])
    bind(stage, (wy, wx, lane), "threadIdx.z threadIdx.y threadIdx.x")
    stage.vectorize(eight)


# Products -------------------------------------------------------------------------------------


def products(count: int, m: int, n: int, depth: int) -> list[te.Tensor]:
    """C = A * B for ``count`` pairs of matrices; B is stored by columns."""
    A = te.placeholder((count, m, depth), "float16", name="A")
    B = te.placeholder((count, n, depth), "float16", name="B")
    k = te.reduce_axis((0, depth), name="k")

    def element(b, i, j):
        return te.sum(A[b, i, k].astype("float32") * B[b, j, k].astype("float32"), axis=k)

    return [A, B, te.compute((count, m, n), element, name="C")]


def schedule_products(
    args: list[te.Tensor], warps: tuple[int, int], tiles: tuple[int, int], depth: int
) -> te.Schedule:
    """A block has ``warps`` x ``tiles`` tiles of a C, and ``depth`` columns at a time."""
    A, B, C = args
    s = te.create_schedule(C.op)
    shared = [s.cache_read(tensor, "shared", [C]) for tensor in (A, B)]
    held = [
        s.cache_read(tensor, f"wmma.matrix_{letter}", [C])
        for tensor, letter in zip(shared, "ab", strict=True)
    ]
    sums = s.cache_write(C, "wmma.accumulator")
    b, i, j = s[C].op.axis
    i, ii = s[C].split(i, 16)
    j, jj = s[C].split(j, 16)
    i, it = s[C].split(i, tiles[0])
    by, wy = s[C].split(i, warps[0])
    j, jt = s[C].split(j, tiles[1])
    bx, wx = s[C].split(j, warps[1])
    s[C].reorder(b, by, bx, wy, wx, it, jt, ii, jj)
    bind(s[C], (b, by, bx, wy, wx), "blockIdx.z blockIdx.y blockIdx.x threadIdx.z threadIdx.y")
    s[C].tensorize(ii, WMMA.format("store", "f32_global"))

    s[sums].compute_at(s[C], wx)
    _, i, j = s[sums].op.axis
    it, i = s[sums].split(i, 16)
    jt, j = s[sums].split(j, 16)
    kk, k = s[sums].split(s[sums].op.reduce_axis[0], 16)
    ko, kk = s[sums].split(kk, depth // 16)
    s[sums].reorder(ko, kk, it, jt, i, j, k)
    s[sums].tensorize(i, WMMA.format("sync", "f16f16f32_trans"))
    for tensor, name in zip(held, ("f16_a_shared", "f16_b_trans_shared"), strict=True):
        s[tensor].compute_at(s[sums], kk)
        _, i, k = s[tensor].op.axis
        io, i = s[tensor].split(i, 16)
        ko_, k = s[tensor].split(k, 16)
        s[tensor].reorder(io, ko_, i, k)
        s[tensor].tensorize(i, WMMA.format("load", name))
    for tensor in shared:
        copy(s, tensor, s[sums], ko, warps)
        s[tensor].storage_align(tensor.op.axis[1], 16, 8)
    return s


count, m, n, depth = 2, 64, 64, 64
args = products(count, m, n, depth)
with kc.target.Target(ARCH):
    module = kc.build(schedule_products(args, (2, 2), (1, 1), 32), args, target=ARCH)
a = np.random.rand(count, m, depth).astype("float16")
b = np.random.rand(count, n, depth).astype("float16")
c = np.zeros((count, m, n), "float32")
report = kc.gpu.check(module, a, b, c)
assert not report.findings, str(report)
expected = np.einsum("bik,bjk->bij", a.astype("float32"), b.astype("float32"))
np.testing.assert_allclose(c, expected, rtol=1e-4)
(kernel,) = kc.gpu.resources(module)
print(f"{count} products of {m} x {depth} by {depth} x {n}: {kernel}")

# Convolution ----------------------------------------------------------------------------------


def convolution(images: int, size: int, inputs: int, outputs: int) -> list[te.Tensor]:
    """A window of 3 x 3, and zeros around the images. Images and channels are counted in 16s."""
    A = te.placeholder((images, size, size, inputs, 16, 16), "float16", name="A")
    W = te.placeholder((3, 3, inputs, outputs, 16, 16), "float16", name="W")
    padded = te.compute(
        (images, size + 2, size + 2, inputs, 16, 16),
        lambda n, y, x, i, nn, ii: te.if_then_else(
            te.all(y >= 1, y - 1 < size, x >= 1, x - 1 < size),
            A[n, y - 1, x - 1, i, nn, ii],
            te.const(0, "float16"),
        ),
        name="padded",
    )
    i, ii = te.reduce_axis((0, inputs), name="i"), te.reduce_axis((0, 16), name="ii")
    dy, dx = te.reduce_axis((0, 3), name="dy"), te.reduce_axis((0, 3), name="dx")

    def element(n, y, x, o, nn, oo):
        image = padded[n, y + dy, x + dx, i, nn, ii].astype("float32")
        return te.sum(image * W[dy, dx, i, o, ii, oo].astype("float32"), axis=[i, dy, dx, ii])

    return [A, W, te.compute((images, size, size, outputs, 16, 16), element, name="C")]


def schedule_convolution(
    args: list[te.Tensor], warps: tuple[int, int], tiles: tuple[int, int], chunk: int
) -> te.Schedule:
    """A block has a point of ``warps`` x ``tiles`` tiles of images and of channels; ``chunk`` tiles
    of channels of the input are in shared memory at a time."""
    A, W, C = args
    padded = next(tensor for tensor in C.op.input_tensors if tensor is not W)
    s = te.create_schedule(C.op)
    s[padded].compute_inline()
    shared = [s.cache_read(tensor, "shared", [C]) for tensor in (padded, W)]
    held = [
        s.cache_read(tensor, f"wmma.matrix_{letter}", [C])
        for tensor, letter in zip(shared, "ab", strict=True)
    ]
    sums = s.cache_write(C, "wmma.accumulator")
    n, y, x, o, nn, oo = s[C].op.axis
    point = s[C].fuse(y, x)
    n, nt = s[C].split(n, tiles[0])
    by, wy = s[C].split(n, warps[0])
    o, ot = s[C].split(o, tiles[1])
    bx, wx = s[C].split(o, warps[1])
    s[C].reorder(point, by, bx, wy, wx, nt, ot, nn, oo)
    bind(s[C], (point, by, bx, wy, wx), "blockIdx.z blockIdx.y blockIdx.x threadIdx.z threadIdx.y")
    s[C].tensorize(nn, WMMA.format("store", "f32_global"))

    s[sums].compute_at(s[C], wx)
    n, y, x, o, nn, oo = s[sums].op.axis
    i, dy, dx, ii = s[sums].op.reduce_axis
    io, it = s[sums].split(i, chunk)
    s[sums].reorder(io, dy, dx, it, n, y, x, o, nn, oo, ii)
    s[sums].tensorize(nn, WMMA.format("sync", "f16f16f32"))
    for tensor, name in zip(held, ("f16_a_shared", "f16_b_shared"), strict=True):
        s[tensor].compute_at(s[sums], it)
        s[tensor].tensorize(tensor.op.axis[4], WMMA.format("load", name))
    for tensor in shared:
        copy(s, tensor, s[sums], dx, warps)
    return s


# 256 images of 14 x 14 with 256 channels, to 512 channels.
args = convolution(16, 14, 16, 32)
with kc.target.Target(ARCH):
    whole = kc.build(schedule_convolution(args, (2, 4), (4, 2), 2), args, target=ARCH)
ptx = whole.imported_modules[0].get_source()
(kernel,) = kc.gpu.resources(whole)
print(f"256 x 14 x 14 x 256 -> 512: {ptx.count('wmma.mma.sync')} products of tiles in the code")
print(kernel)
assert not kernel.spilled

images, size, inputs, outputs = 4, 2, 2, 4
args = convolution(images, size, inputs, outputs)
with kc.target.Target(ARCH):
    module = kc.build(schedule_convolution(args, (2, 2), (1, 1), 2), args, target=ARCH)
a = np.random.rand(images, size, size, inputs, 16, 16).astype("float16")
w = np.random.rand(3, 3, inputs, outputs, 16, 16).astype("float16")
c = np.zeros((images, size, size, outputs, 16, 16), "float32")
report = kc.gpu.check(module, a, w, c)
assert not report.findings, str(report)
padded = np.pad(a.astype("float32"), ((0, 0), (1, 1), (1, 1)) + ((0, 0),) * 3)
windows = ((w[y, x], padded[:, y : y + size, x : x + size]) for y in range(3) for x in range(3))
expected = sum(np.einsum("iosp,nyxims->nyxomp", weights, part) for weights, part in windows)
np.testing.assert_allclose(c, expected, rtol=1e-3)
print(f"{images * 16} x {size} x {size} x {inputs * 16} -> {outputs * 16}, on this CPU:")
print(report)
