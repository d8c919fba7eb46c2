"""Lesson 24: a grouped matrix product by tensor cores: each row belongs to an expert.

A mixture of experts sends each row to one of several matrices. Rows are sorted by expert, in tiles
of 16 with one expert each. Each tile is multiplied by one matrix, whose number the kernel reads. A
stage of the program selects the matrix, and the schedule makes this stage the copy to shared
memory: only parts of matrices that are multiplied are copied.
"""

import numpy as np

import kc
from kc import te

ARCH = "cuda -arch=sm_80"
COLUMNS, DEPTH = 64, 32  # of a block, and terms at a time
WARPS = 2
MMA = "mma_{}_m16n8k16_{}"


def grouped(tiles: int, experts: int, depth: int, columns: int) -> list[te.Tensor]:
    A = te.placeholder((tiles, 16, depth), "float16", name="A")
    expert = te.placeholder((tiles,), "int32", name="expert")
    B = te.placeholder((experts, depth, columns), "float16", name="B")
    own = te.compute((tiles, depth, columns), lambda t, k, j: B[expert[t], k, j], name="own")
    k = te.reduce_axis((0, depth), name="k")
    C = te.compute(
        (tiles, 16, columns),
        lambda t, i, j: te.sum(
            A[t, i, k].astype("float32") * own[t, k, j].astype("float32"), axis=k
        ),
        name="C",
    )
    return [A, expert, B, C]


def bind(stage: te.Stage, loops, names: str) -> None:
    for loop, name in zip(loops, names.split(), strict=True):
        stage.bind(loop, te.thread_axis(name))


def schedule(args: list[te.Tensor]) -> te.Schedule:
    A, _, _, C = args
    own = next(tensor for tensor in C.op.input_tensors if tensor is not A)
    s = te.create_schedule(C.op)
    s[own].set_scope("shared")
    rows = s.cache_read(A, "shared", [C])
    held = [
        s.cache_read(tensor, f"m16n8k16.matrix{letter}", [C])
        for tensor, letter in ((rows, "A"), (own, "B"))
    ]
    sums = s.cache_write(C, "m16n8k16.matrixC")
    tile, i, j = s[C].op.axis
    bx, j = s[C].split(j, COLUMNS)
    warp, j = s[C].split(j, nparts=WARPS)
    jo, j = s[C].split(j, 8)
    s[C].reorder(tile, bx, warp, jo, i, j)
    bind(s[C], (tile, bx, warp), "blockIdx.y blockIdx.x threadIdx.y")
    s[C].tensorize(i, MMA.format("store", "f32_global"))

    s[sums].compute_at(s[C], warp)
    _, i, j = s[sums].op.axis
    kk, k = s[sums].split(s[sums].op.reduce_axis[0], 16)
    ko, kk = s[sums].split(kk, DEPTH // 16)
    jo, j = s[sums].split(j, 8)
    s[sums].reorder(ko, kk, jo, i, j, k)
    s[sums].tensorize(i, MMA.format("sync", "f16f16f32"))
    for tensor, letter, size in zip(held, "ab", (16, 8), strict=True):
        s[tensor].compute_at(s[sums], kk)
        _, row, column = s[tensor].op.axis
        outer, column = s[tensor].split(column, size)
        s[tensor].reorder(outer, row, column)
        s[tensor].tensorize(row, MMA.format("load", f"f16_{letter}_shared"))
    for tensor in (rows, own):
        s[tensor].compute_at(s[sums], ko)
        s[tensor].storage_align(tensor.op.axis[1], 16, 8)
        rest, eight = s[tensor].split(s[tensor].fuse(*tensor.op.axis), 8)
        rest, lane = s[tensor].split(rest, 32)
        _, warp = s[tensor].split(rest, WARPS)
        bind(s[tensor], (warp, lane), "threadIdx.y threadIdx.x")
        s[tensor].vectorize(eight)
    return s


tiles, experts, depth, columns = 6, 4, 64, 128
args = grouped(tiles, experts, depth, columns)
with kc.target.Target(ARCH):
    module = kc.build(schedule(args), args, target=ARCH)
a = np.random.rand(tiles, 16, depth).astype("float16")
b = np.random.rand(experts, depth, columns).astype("float16")
expert = np.array([0, 0, 1, 3, 3, 3], "int32")  # nothing is sent to expert 2
c = np.zeros((tiles, 16, columns), "float32")
report = kc.gpu.check(module, a, expert, b, c)
assert not report.findings, str(report)
np.testing.assert_allclose(c, a.astype("float32") @ b[expert].astype("float32"), rtol=1e-4)
print(report)

# 8 experts of 4096 x 14336, as large models have them, and 4,096 rows.
args = grouped(256, 8, 4096, 14336)
with kc.target.Target(ARCH):
    (kernel,) = kc.gpu.resources(kc.build(schedule(args), args, target=ARCH))
print(f"4096 rows, 8 experts of 4096 x 14336: {kernel}")
assert not kernel.spilled
