"""Lesson 21: a matrix product by tensor cores, with copies ahead to swizzled shared memory.

Halves are multiplied and summed in float32. A block holds a tile of C in the registers of its
warps, and copies parts of A and B to shared memory. From there ``ldmatrix`` loads fragments, tiles
that the lanes of a warp hold together, for ``mma.sync``. The operations of a warp are tensor
intrinsics, so kc checks that each step computes the product.

Eight rows that ``ldmatrix`` reads at one column are in the same banks of shared memory, so lanes
wait for each other. Moving the rows further apart avoids this, and so does a swizzle, which takes
no memory.
"""

import numpy as np

import kc
from kc import te, tir


def product(m: int, n: int, depth: int) -> list[te.Tensor]:
    A = te.placeholder((m, depth), "float16", name="A")
    B = te.placeholder((depth, n), "float16", name="B")
    k = te.reduce_axis((0, depth), name="k")
    C = te.compute(
        (m, n),
        lambda i, j: te.sum(A[i, k].astype("float32") * B[k, j].astype("float32"), axis=k),
        name="C",
    )
    return [A, B, C]


def swizzle(halves: int):
    """Another order of the 16-byte pieces in each of the rows that share banks."""
    pieces = min(halves // 8, 8)
    rows = 8 // pieces  # in 128 bytes, which cover all banks once
    return lambda i, j: [i, (j // 8 ^ i // rows % pieces) * 8 + j % 8]


def schedule(
    args: list[te.Tensor],
    block: tuple[int, int, int],
    warp: tuple[int, int],
    *,
    arch: str = "sm_80",
    apart: bool = False,
    swizzled: bool = False,
    ahead: bool = False,
) -> tir.Schedule:
    """A block has a tile of C and ``block[2]`` columns of A at a time; a warp has a part of it.

    ``apart``: rows are 16 bytes further apart. ``swizzled``: rows are swizzled instead.
    ``ahead``: tiles are copied two steps before their use, asynchronously.
    """
    sch = tir.Schedule(te.create_prim_func(args), target=f"cuda -arch={arch}")
    C = sch.get_block("C")
    i, j, k = sch.get_loops(C)
    by, wy, io, i = sch.split(i, [None, block[0] // warp[0], warp[0] // 16, 16])
    bx, wx, jo, j = sch.split(j, [None, block[1] // warp[1], warp[1] // 8, 8])
    ko, kk, k = sch.split(k, [None, block[2] // 16, 16])
    sch.reorder(by, bx, wy, wx, ko, kk, io, jo, i, j, k)
    bind(sch, (by, bx, wy, wx), "blockIdx.y blockIdx.x threadIdx.z threadIdx.y")
    sums = sch.cache_write(C, 0, "m16n8k16.matrixC")
    sch.reverse_compute_at(sums, wx)
    for operand, name, tile in ((0, "A", (16, 16)), (1, "B", (16, 8))):
        shared = sch.cache_read(C, operand, "shared")
        held = sch.cache_read(C, operand, f"m16n8k16.matrix{name}")
        sch.compute_at(held, kk)
        sch.compute_at(shared, ko)
        if swizzled:
            sch.transform_layout(shared, 0, swizzle(block[2] if name == "A" else block[1]))
        if apart:
            sch.storage_align(shared, 0, axis=0, factor=16, offset=8)
        tensorize(sch, held, tile, f"mma_load_m16n8k16_f16_{name.lower()}_shared")
        # All threads copy, each eight halves at a time.
        copied = sch.fuse(*sch.get_loops(shared)[-2:])
        sizes = [None, block[0] // warp[0], block[1] // warp[1], 32, 8]
        _, wy, wx, lane, eight = sch.split(copied, sizes)
        bind(sch, (wy, wx, lane), "threadIdx.z threadIdx.y threadIdx.x")
        sch.vectorize(eight)
    sch.decompose_reduction(C, ko)
    sch.tensorize(sch.get_loops("C_init")[-2], "mma_fill_m16n8k16_f32")
    sch.tensorize(i, "mma_sync_m16n8k16_f16f16f32")
    tensorize(sch, sums, (16, 8), "mma_store_m16n8k16_f32_global")
    if ahead:
        sch.annotate(ko, "software_pipeline_stage", [0, 0, 2])
        sch.annotate(ko, "software_pipeline_async_stages", [0])
    return sch


def bind(sch: tir.Schedule, loops, names: str) -> None:
    for loop, name in zip(loops, names.split(), strict=True):
        sch.bind(loop, name)


def tensorize(sch: tir.Schedule, block: tir.BlockRV, tile: tuple[int, int], intrinsic: str) -> None:
    rows, columns = sch.get_loops(block)[-2:]
    io, i = sch.split(rows, [None, tile[0]])
    jo, j = sch.split(columns, [None, tile[1]])
    sch.reorder(io, jo, i, j)
    sch.tensorize(i, intrinsic)


M, N, K = 128, 128, 64
LADDER = {
    "rows of 64 and 128 bytes": {},
    "rows further apart": {"apart": True},
    "swizzled": {"swizzled": True},
    "copies ahead": {"swizzled": True, "ahead": True},
}
a, b = (np.random.rand(*shape).astype("float16") for shape in ((M, K), (K, N)))
heads = ("shared", "barriers", "wavefronts", "conflicts")
print(" " * 26 + "".join(f"{head:>12}" for head in heads))
conflicts = {}
for name, options in LADDER.items():
    sch = schedule(product(M, N, K), (64, 64, 32), (32, 32), **options)
    module = kc.build(sch, target="cuda -arch=sm_80")
    c = np.zeros((M, N), "float32")
    report = kc.gpu.check(module, a, b, c)
    assert not report.findings, str(report)
    np.testing.assert_allclose(c, a.astype("float32") @ b.astype("float32"), rtol=1e-4)
    (kernel,) = kc.gpu.resources(module)
    conflicts[name] = report.bank_conflicts
    numbers = (kernel.shared, kernel.barriers, report.wavefronts, report.bank_conflicts)
    print(f"{name:26}" + "".join(f"{number:>12}" for number in numbers))
assert conflicts["rows of 64 and 128 bytes"] > 0
assert conflicts["swizzled"] == conflicts["copies ahead"] == 0

# At full size, for two architectures: a block of eight warps has 128 x 128 elements of C.
for arch in ("sm_80", "sm_90a"):
    sch = schedule(
        product(4096, 4096, 4096), (128, 128, 64), (64, 32), arch=arch, swizzled=True, ahead=True
    )
    (kernel,) = kc.gpu.resources(kc.build(sch, target=f"cuda -arch={arch}"))
    print(f"4096 x 4096 x 4096 for {arch}: {kernel.registers_text} registers of {kernel.most}")
    assert not kernel.spilled
