"""Lesson 15: a matrix product for a GPU, from one thread per element to register tiles.

Each step is compiled to PTX and run on this CPU, where its accesses are counted: sectors of 32
bytes of the GPU's memory, wavefronts of shared memory, and wavefronts that wait because lanes use
the same bank. The number of registers per thread is an estimate.
"""

import numpy as np

import kc
from kc import te

N, TILE, THREADS, DEPTH = 128, 64, 16, 16
BLOCKS, LANES = ("blockIdx.y", "blockIdx.x"), ("threadIdx.y", "threadIdx.x")
VIRTUAL = ("vthread.y", "vthread.x")


def expression() -> list[te.Tensor]:
    A, B = te.placeholder((N, N), name="A"), te.placeholder((N, N), name="B")
    k = te.reduce_axis((0, N), name="k")
    return [A, B, te.compute((N, N), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")]


def bind(stage, loops, names):
    for loop, name in zip(loops, names, strict=True):
        stage.bind(loop, te.thread_axis(name))


def naive():
    """One thread for each element, which reads a row of A and a column of B."""
    A, B, C = expression()
    s = te.create_schedule(C.op)
    by, ty = s[C].split(C.op.axis[0], THREADS)
    bx, tx = s[C].split(C.op.axis[1], THREADS)
    s[C].reorder(by, bx, ty, tx)
    bind(s[C], (by, bx, ty, tx), BLOCKS + LANES)
    return s, [A, B, C]


def tiled(*, by_thread=False, virtual=False, apart=False, vectors=False, ahead=False):
    """A block computes a tile of C, with DEPTH columns of A and rows of B in shared memory at
    a time.

    ``by_thread``: each thread has a tile of its own in registers. ``virtual``: that tile is split
    into four, far apart, so that adjacent threads read adjacent elements. ``apart``: rows of A are
    four words further apart. ``vectors``: threads copy four numbers at once. ``ahead``: the next
    part is copied while the current one is used.
    """
    A, B, C = expression()
    s = te.create_schedule(C.op)
    shared = [s.cache_read(tensor, "shared", [C]) for tensor in (A, B)]
    local = s.cache_write(C, "local")
    size = TILE if by_thread else THREADS
    by, i = s[C].split(C.op.axis[0], size)
    bx, j = s[C].split(C.op.axis[1], size)
    s[C].reorder(by, bx, i, j)
    bind(s[C], (by, bx), BLOCKS)
    if virtual:
        vy, i = s[C].split(i, nparts=2)
        vx, j = s[C].split(j, nparts=2)
        s[C].reorder(vy, vx, i, j)
        bind(s[C], (vy, vx), VIRTUAL)
    ty, i = s[C].split(i, nparts=THREADS)
    tx, j = s[C].split(j, nparts=THREADS)
    s[C].reorder(ty, tx, i, j)
    bind(s[C], (ty, tx), LANES)
    s[local].compute_at(s[C], tx)
    i, j = s[local].op.axis
    ko, ki = s[local].split(s[local].op.reduce_axis[0], DEPTH)
    s[local].reorder(ko, ki, i, j)
    for stage in shared:
        s[stage].compute_at(s[local], ko)
        fused = s[stage].fuse(*s[stage].op.axis)
        if vectors:
            fused, four = s[stage].split(fused, 4)
            s[stage].vectorize(four)
        _, part = s[stage].split(fused, THREADS * THREADS)
        bind(s[stage], s[stage].split(part, THREADS), LANES)
        if ahead:
            s[stage].double_buffer()
    if apart:
        s[shared[0]].storage_align(shared[0].op.axis[0], 16, 4)
    return s, [A, B, C]


LADDER = {
    "naive": naive(),
    "tiles in shared memory": tiled(),
    "tiles in registers": tiled(by_thread=True),
    "virtual threads": tiled(by_thread=True, virtual=True),
    "rows further apart": tiled(by_thread=True, virtual=True, apart=True),
    "copies by four": tiled(by_thread=True, virtual=True, apart=True, vectors=True),
    "copies ahead": tiled(by_thread=True, virtual=True, apart=True, vectors=True, ahead=True),
}

a, b = np.random.rand(N, N).astype("float32"), np.random.rand(N, N).astype("float32")
heads = ("shared", "barriers", "sectors", "wavefronts", "conflicts", "registers")
print(" " * 24 + "".join(f"{head:>12}" for head in heads))
reads, conflicts = {}, {}
for name, (s, args) in LADDER.items():
    module = kc.build(s, args, target="cuda -arch=sm_80")
    c = np.zeros((N, N), "float32")
    report = kc.gpu.check(module, a, b, c)
    assert report.ok, str(report)
    np.testing.assert_allclose(c, a @ b, rtol=1e-4)
    (kernel,) = kc.gpu.resources(module)
    reads[name] = sum(site.transactions for site in report.sites if site.buffer in ("A", "B"))
    conflicts[name] = report.bank_conflicts
    numbers = (
        kernel.shared,
        kernel.barriers,
        report.sectors,
        report.wavefronts,
        report.bank_conflicts,
        kernel.registers,
    )
    print(f"{name:24}" + "".join(f"{number:>12}" for number in numbers))

# A tile of 64 x 64 reads each element of A and B twice, one of 16 x 16 eight times.
assert reads["tiles in registers"] == 2 * 2 * N * N * 4 // 32
assert reads["tiles in shared memory"] == 4 * reads["tiles in registers"]
# Adjacent threads read columns four words apart, so four lanes use one bank. With virtual threads
# columns are two words apart, and rows 32 words unless storage_align moves them.
assert conflicts["tiles in registers"] > conflicts["virtual threads"] > 0
