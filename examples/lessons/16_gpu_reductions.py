"""Lesson 16: sums on a GPU, by a thread, a warp, a block, and all blocks.

Rows are summed in five ways, and a single long row in two kernels. Each kernel is compiled to PTX
and run on this CPU, where its accesses are counted: sectors of 32 bytes of the GPU's memory, and
wavefronts of shared memory. The number of registers per thread is an estimate.
"""

import numpy as np

import kc
from kc import te

ROWS, COLUMNS = 64, 1024
block_x = te.thread_axis("blockIdx.x")
thread_x, thread_y = te.thread_axis("threadIdx.x"), te.thread_axis("threadIdx.y")


def run(name: str, s: te.Schedule, args: list[te.Tensor], *arrays: np.ndarray) -> kc.gpu.Report:
    """Build a schedule, run it with checks, and print a line with its cost."""
    module = kc.build(s, args, target="cuda -arch=sm_80")
    report = kc.gpu.check(module, *arrays)
    assert report.ok, str(report)
    kernels = kc.gpu.resources(module)
    numbers = (
        len(kernels),
        sum(kernel.shared for kernel in kernels),
        sum(kernel.barriers for kernel in kernels),
        sum(kernel.shuffles for kernel in kernels),
        report.sectors,
        report.wavefronts,
        report.bank_conflicts,
        max(kernel.registers for kernel in kernels),
    )
    print(f"{name:24}" + "".join(f"{number:>11}" for number in numbers))
    return report


def rows() -> tuple[te.Tensor, te.Tensor]:
    A = te.placeholder((ROWS, COLUMNS), name="A")
    k = te.reduce_axis((0, COLUMNS), name="k")
    return A, te.compute((ROWS,), lambda i: te.sum(A[i, k], axis=k), name="S")


def by_a_thread():
    """A row for each thread: adjacent threads read elements a row apart."""
    A, S = rows()
    s = te.create_schedule(S.op)
    in_registers = s.cache_write(S, "local")
    block, thread = s[S].split(S.op.axis[0], 32)
    s[S].bind(block, block_x)
    s[S].bind(thread, thread_x)
    s[in_registers].compute_at(s[S], thread)
    return s, [A, S]


def by_a_warp():
    """A row for each warp, four rows for each block: the lanes add their sums by shuffles."""
    A, S = rows()
    s = te.create_schedule(S.op)
    block, row = s[S].split(S.op.axis[0], 4)
    _, lane = s[S].split(S.op.reduce_axis[0], 32)
    s[S].bind(block, block_x)
    s[S].bind(row, thread_y)
    s[S].bind(lane, thread_x)
    return s, [A, S]


def by_a_block(threads: int):
    """A row for each block. Whole warps add by shuffles and combine in shared memory; other numbers
    of threads halve their values there repeatedly: a tree."""
    A, S = rows()
    s = te.create_schedule(S.op)
    _, thread = s[S].split(S.op.reduce_axis[0], threads)
    s[S].bind(S.op.axis[0], block_x)
    s[S].bind(thread, thread_x)
    return s, [A, S]


def by_factors():
    """The same, written by hand: partial sums are a stage, and one thread stores."""
    A, S = rows()
    s = te.create_schedule(S.op)
    _, inner = s[S].split(S.op.reduce_axis[0], 128)
    parts = s.rfactor(S, inner)
    (row,), (part,) = s[S].op.axis, s[S].op.reduce_axis
    s[S].bind(row, block_x)
    s[S].bind(part, thread_x)
    s[parts].compute_at(s[S], part)
    s[S].set_store_predicate(thread_x.var.equal(0))
    return s, [A, S]


WAYS = {
    "a thread": by_a_thread(),
    "a warp": by_a_warp(),
    "a block of 256": by_a_block(256),
    "a block of 80, a tree": by_a_block(80),
    "rfactor": by_factors(),
}

heads = ("kernels", "shared", "barriers", "shuffles", "sectors", "wavefronts", "conflicts")
print("a row by" + " " * 16 + "".join(f"{head:>11}" for head in (*heads, "registers")))
a = np.random.rand(ROWS, COLUMNS).astype("float32")
reports = {}
for name, (s, args) in WAYS.items():
    sums = np.zeros(ROWS, "float32")
    reports[name] = run(name, s, args, a, sums)
    np.testing.assert_allclose(sums, a.sum(1), rtol=1e-5)

# Every number is read once, and a sector holds eight of them. A thread with its own row needs a
# sector for each number.
assert reports["a thread"].sectors == ROWS * COLUMNS + ROWS // 8
assert reports["a warp"].sectors == ROWS * COLUMNS // 8 + ROWS
# One warp needs neither shared memory nor barriers.
assert reports["a warp"].wavefronts == reports["a warp"].barriers == 0
assert reports["a block of 80, a tree"].barriers > reports["a block of 256"].barriers > 0

# The sum of all numbers: blocks cannot wait for each other. One kernel stores a number per block in
# the GPU's memory, and a second kernel adds them.
print("all numbers by")
A = te.placeholder((ROWS * COLUMNS,), name="A")
k, m = te.reduce_axis((0, COLUMNS), name="k"), te.reduce_axis((0, ROWS), name="m")
P = te.compute((ROWS,), lambda i: te.sum(A[i * COLUMNS + k], axis=k), name="P")
T = te.compute((1,), lambda i: te.sum(P[m], axis=m), name="T")
s = te.create_schedule(T.op)
_, thread = s[P].split(P.op.reduce_axis[0], 256)
s[P].bind(P.op.axis[0], block_x)
s[P].bind(thread, thread_x)
s[T].bind(T.op.reduce_axis[0], thread_x)
total = np.zeros(1, "float32")
run("two kernels", s, [A, T], a.ravel(), total)
np.testing.assert_allclose(total, a.sum(), rtol=1e-5)
