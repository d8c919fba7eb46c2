"""TE schedules for GPUs: threads, memory scopes, and TVM's matmul of its tutorial."""

# Ranges are expressions, here constants.
# pyright: reportAttributeAccessIssue=false

import pytest
from te_checks import check, matmul, nest, refusal, warnings_of

import kc
from kc import te


def gpu_matmul(n: int = 16):
    a = te.placeholder((n, n), name="A")
    b = te.placeholder((n, n), name="B")
    k = te.reduce_axis((0, n), name="k")
    c = te.compute((n, n), lambda i, j: te.sum(a[k, i] * b[k, j], axis=k), name="C")
    s = te.create_schedule(c.op)
    threads, factor = 2, 8
    block_x, block_y = te.thread_axis("blockIdx.x"), te.thread_axis("blockIdx.y")
    thread_x = te.thread_axis((0, threads), "threadIdx.x")
    thread_y = te.thread_axis((0, threads), "threadIdx.y")
    thread_xz = te.thread_axis((0, 2), "vthread", name="vx")
    thread_yz = te.thread_axis((0, 2), "vthread", name="vy")
    cc = s.cache_write(c, "local")
    aa = s.cache_read(a, "shared", [cc])
    bb = s.cache_read(b, "shared", [cc])
    al = s.cache_read(aa, "local", [cc])
    bl = s.cache_read(bb, "local", [cc])
    by, yi = s[c].split(c.op.axis[0], factor=factor)
    bx, xi = s[c].split(c.op.axis[1], factor=factor)
    s[c].bind(by, block_y)
    s[c].bind(bx, block_x)
    s[c].reorder(by, bx, yi, xi)
    tyz, yi = s[c].split(yi, nparts=2)
    ty, yi = s[c].split(yi, nparts=threads)
    txz, xi = s[c].split(xi, nparts=2)
    tx, xi = s[c].split(xi, nparts=threads)
    s[c].reorder(tyz, txz, ty, tx, yi, xi)
    s[c].bind(tyz, thread_yz)
    s[c].bind(txz, thread_xz)
    s[c].bind(ty, thread_y)
    s[c].bind(tx, thread_x)
    s[cc].compute_at(s[c], tx)
    yo, xo = cc.op.axis
    ko, ki = s[cc].split(k, factor=4)
    kt, ki = s[cc].split(ki, factor=1)
    s[cc].reorder(ko, kt, ki, yo, xo)
    s[aa].compute_at(s[cc], ko)
    s[bb].compute_at(s[cc], ko)
    s[cc].unroll(kt)
    s[al].compute_at(s[cc], kt)
    s[bl].compute_at(s[cc], kt)
    for shared in (aa, bb):
        ty, _ = s[shared].split(s[shared].op.axis[0], nparts=threads)
        _, xi = s[shared].split(s[shared].op.axis[1], factor=threads * 4)
        tx, xi = s[shared].split(xi, nparts=threads)
        s[shared].bind(ty, thread_y)
        s[shared].bind(tx, thread_x)
        s[shared].vectorize(xi)
    return a, b, c, s, aa, al


def test_the_tutorial_of_a_matmul():
    a, b, c, s, aa, al = gpu_matmul()
    text = check(s, [a, b, c], lambda x, y: x.T @ y, native=False, target="cuda")
    for snippet in (
        'thread "blockIdx.y"',
        'thread "vthread"',
        'thread "threadIdx.x"',
        'memref<16x16xf32, "shared">',
        'memref<16x16xf32, "local">',
    ):
        assert snippet in text
    with kc.Target("cuda"):
        bounds = te.schedule.InferBound(s)
    # The threads of a block need a tile of A together, each of them a part.
    assert [bounds[axis].extent.value for axis in aa.op.axis] == [4, 8]
    assert [bounds[axis].extent.value for axis in al.op.axis] == [1, 2]


def test_binding_again_replaces_with_a_warning():
    _, _, c, _ = matmul()
    s = te.create_schedule(c.op)
    i, _ = c.op.axis
    s[c].bind(i, te.thread_axis("blockIdx.x"))
    assert warnings_of(lambda: s[c].bind(i, te.thread_axis("threadIdx.x"))) == [
        "KC3142: bind: axis i of C is bound again"
    ]
    assert [record.arguments["thread_axis"] for record in s[c].records] == ["threadIdx.x"]


def test_refused_at_the_call():
    _, _, c, k = matmul()
    s = te.create_schedule(c.op)
    i, _ = c.op.axis
    assert refusal(lambda: te.thread_axis("threadId.x"), __file__) == (
        "error[KC3143]: thread_axis: unknown threads 'threadId.x'\n"
        "  try: did you mean 'threadIdx.x' or 'threadIdx.z' or 'threadIdx.y'?"
    )
    assert refusal(lambda: te.thread_axis((1, 8), "threadIdx.x"), __file__) == (
        "error[KC3143]: thread_axis: threadIdx.x with the domain (1, 8)\n"
        "  why: the threads must be counted from 0, and there must be at least one\n"
        '  try: te.thread_axis((0, 32), "threadIdx.x")\n'
        '  try: te.thread_axis("threadIdx.x")'
    )
    assert refusal(lambda: s[c].bind(i, k), __file__) == (
        "error[KC3144]: bind: k is not an axis of threads\n"
        "  why: te.thread_axis creates axes of threads\n"
        '  try: te.thread_axis("threadIdx.x")'
    )
    assert refusal(lambda: s[c].bind(k, te.thread_axis("blockIdx.x")), __file__) == (
        "error[KC3111]: bind: axis k is a reduction of C\n"
        "  why: all its iterations update one element of C\n"
        "  try: bind a spatial axis: i, j"
    )
    s[c].bind(i, te.thread_axis("threadIdx.x"))
    assert refusal(lambda: s[c].split(i, factor=2), __file__) == (
        "error[KC3106]: split: axis i of C is to be bound to threads\n"
        "  why: an axis must be split, fused and reordered before its kind of execution is set\n"
        "  try: split first, then bind one of the results"
    )


def test_two_numbers_of_threads():
    a, b, c, _ = matmul()
    s = te.create_schedule(c.op)
    s[c].bind(c.op.axis[0], te.thread_axis((0, 64), "threadIdx.x"))
    assert refusal(lambda: nest(s, [a, b, c]), __file__) == (
        "error[KC3145]: bind: loop i has 12 iterations, threadIdx.x has 64\n"
        "   |  for i in 12:    <-- here (from te_checks.py)\n"
        "   |    for j in 10:\n"
        "   |      for k in 7:\n"
        "   |        block C\n"
        "  why: an axis of threads with a domain has that many threads\n"
        "  try: split i by factor=64\n"
        '  try: te.thread_axis("threadIdx.x") takes the loop as it is'
    )


def test_two_extents_of_one_axis_of_threads():
    a, b, c, _ = matmul(1024, 4, 8)
    s = te.create_schedule(c.op)
    block_y = te.thread_axis("blockIdx.y")
    s[c].bind(c.op.axis[0], block_y)
    cache = s.cache_read(a, "shared", [c])
    s[cache].compute_at(s[c], c.op.axis[0])
    s[cache].bind(cache.op.axis[1], block_y)
    text = refusal(lambda: kc.lower(s, [a, b, c], target="cuda"), __file__)
    assert text == (
        "error[KC3403]: bind: ax1 has 8 threads of blockIdx.y, i 1024\n"
        "   |  for i in 1024 blockIdx.y:    <-- 1024 blockIdx.y, bound at test_te_gpu.py\n"
        "   |    alloc A_shared\n"
        "   |    for ax0 in 1:\n"
        "   |      for ax1 in 8:    <-- 8 blockIdx.y (from test_te_gpu.py)\n"
        "   |        block A_shared\n"
        "   |    for j in 4:\n"
        "   |  ... 2 more\n"
        "  why: loops bound to blockIdx.y in one kernel are the same threads, so their extents "
        "must be equal\n  try: split ax1 by factors=?,1024\n"
        "  try: bind ax1 to another axis"
    )


def test_a_copy_for_a_part_of_symbolic_size():
    """It is of the whole dimension, and its threads are not those of the part."""
    n = te.var("n")
    a = te.placeholder((n,), name="A")
    b = te.compute((n,), lambda i: a[i] * 2.0, name="B")
    s = te.create_schedule(b.op)
    shared = s.cache_read(a, "shared", [b])
    block, thread = s[b].split(b.op.axis[0], nparts=4)
    s[shared].compute_at(s[b], block)
    s[b].bind(block, te.thread_axis("blockIdx.x"))
    s[b].bind(thread, te.thread_axis("threadIdx.x"))
    s[shared].bind(shared.op.axis[0], te.thread_axis("threadIdx.x"))
    text = refusal(lambda: kc.lower(s, [a, b], target="cuda"), __file__)
    assert text == (
        "error[KC3403]: bind: ax0 has n threads of threadIdx.x, i_i i_size\n"
        "   |  for i_o in 4 blockIdx.x:\n"
        "   |    alloc A_shared\n"
        "   |    for ax0 in n:    <-- n threadIdx.x (from test_te_gpu.py)\n"
        "   |      block A_shared\n"
        "   |    for i_i in i_size threadIdx.x:    <-- i_size threadIdx.x, bound at "
        "test_te_gpu.py\n"
        "   |      block B\n"
        "  why: loops bound to threadIdx.x in one kernel are the same threads, so their extents "
        "must be equal; compute_at computes the whole dimension for a part of symbolic size\n"
        "  try: split the dimension by a constant factor, and bind the inner loop\n"
        "  try: bind ax0 to another axis"
    )


def test_more_threads_than_a_block_has():
    a, b, c, _ = matmul(1024, 4, 8)
    s = te.create_schedule(c.op)
    i, j = c.op.axis
    s[c].bind(i, te.thread_axis("threadIdx.x"))
    s[c].bind(j, te.thread_axis("threadIdx.y"))
    assert refusal(lambda: kc.lower(s, [a, b, c], target="cuda"), __file__) == (
        "error[KC3404]: bind: 4096 threads in one block, cuda allows 1024\n"
        "   |  for i in 1024 threadIdx.x:    <-- threadIdx.x\n"
        "   |    for j in 4:    <-- threadIdx.y (from te_checks.py)\n"
        "   |      for k in 8:\n"
        "   |        block C\n"
        "  why: the product of threadIdx.{x,y,z} must be <= 1024 on this target"
    )


def test_an_axis_of_another_stage():
    _, _, c, _ = matmul()
    s = te.create_schedule(c.op)
    cache = s.cache_write(c, "local")
    assert refusal(lambda: s[cache].tensorize(c.op.axis[1], "dot_f32_4"), __file__) == (
        "error[KC3105]: tensorize: j is not an axis of C_local\n"
        "  why: j is an axis of C; C_local has the axes i_c, j_c, k\n"
        "  try: s[C] has j"
    )


def test_a_reduction_across_threads():
    a = te.placeholder((4, 32), name="A")
    k = te.reduce_axis((0, 32), name="k")
    b = te.compute((4,), lambda i: te.sum(a[i, k], axis=k), name="B")
    s = te.create_schedule(b.op)
    _, ki = s[b].split(k, factor=8)
    bf = s.rfactor(b, ki)
    tx = te.thread_axis("threadIdx.x")
    s[b].bind(s[b].op.axis[0], te.thread_axis("blockIdx.x"))
    s[b].bind(s[b].op.reduce_axis[0], tx)
    s[bf].compute_at(s[b], s[b].op.reduce_axis[0])
    s[b].set_store_predicate(tx.var.equal(0))
    text = check(s, [a, b], lambda x: x.sum(1), native=False, target="cuda")
    assert '"threadIdx.x == 0"' in text


def test_store_predicates_are_about_threads():
    _, _, c, _ = matmul()
    s = te.create_schedule(c.op)
    assert refusal(lambda: s[c].set_store_predicate(c.op.axis[0] < 3), __file__) == (
        "error[KC3149]: set_store_predicate: the predicate of C is not a condition on threads\n"
        "  why: the predicate selects the threads that store a value: it must consist of "
        "comparisons of axes "
        "of threads with numbers, joined by te.all or &\n"
        "  try: s[C].set_store_predicate(tx.var.equal(0))"
    )


@pytest.mark.parametrize("scope", ["global", "shared", "local", "warp"])
def test_a_tile_that_several_blocks_compute_together(scope: str):
    """Each block computes a part of it, and all of it is read in every block."""
    a = te.placeholder((12, 6), "int32", name="A")
    t = te.compute((12, 6), lambda i, j: a[i, j] * 3, name="T")
    k = te.reduce_axis((0, 6), name="k")
    c = te.compute((12,), lambda i: te.sum(t[i, k], axis=k), name="C")
    s = te.create_schedule(c.op)
    s[t].set_scope(scope)
    cache = s.cache_write(c, "shared")
    s[t].compute_at(s[cache], cache.op.axis[0])
    s[cache].bind(cache.op.axis[0], te.thread_axis("threadIdx.x"))
    s[t].bind(t.op.axis[1], te.thread_axis("blockIdx.x"))
    text = refusal(lambda: kc.lower(s, [a, c]), __file__)
    assert text == (
        "error[KC3408]: bind: block C_shared reads a value that another thread block writes to T\n"
        "   |  for i_c in 12 threadIdx.x:\n"
        "   |    alloc T\n"
        f"   |    for i in {1 if scope == 'local' else 12}:\n"
        "   |      for j in 6:\n"
        "   |        block T    <-- writes T\n"
        "   |    for k in 6:\n"
        "   |      block C_shared    <-- reads T (from test_te_gpu.py)\n"
        "  why: block C_shared is in no loop of blockIdx.x, so it would run in all of these "
        "blocks, which run in any order"
    )


@pytest.mark.parametrize(
    ("scope", "lasts"),
    [("shared", "a thread block"), ("local", "a thread"), ("warp", "a warp")],
)
def test_memory_of_threads_that_is_read_behind_the_kernel(scope: str, lasts: str):
    a = te.placeholder((12, 6), "int32", name="A")
    c = te.compute((12, 6), lambda i, j: a[i, j] * 2, name="C")
    s = te.create_schedule(c.op)
    cache = s.cache_write(c, scope)
    s[cache].bind(cache.op.axis[0], te.thread_axis("threadIdx.x"))
    s[cache].bind(cache.op.axis[1], te.thread_axis("blockIdx.x"))
    assert refusal(lambda: kc.lower(s, [a, c]), __file__) == (
        f"error[KC3416]: lower: block C reads C_{scope}, which block C_{scope} writes in the "
        "kernel\n"
        "   |  for i in 12:\n"
        "   |    for j in 6:\n"
        f"   |      block C    <-- reads C_{scope}\n"
        "   |  for i_c in 12 threadIdx.x:\n"
        "   |    for j_c in 6 blockIdx.x:\n"
        f"   |      block C_{scope}    <-- writes C_{scope}\n"
        f"  why: {scope} memory lasts only as long as {lasts}, and is gone when block C at (i=0, "
        f"j=0) reads C_{scope}[0, 0]\n"
        "  try: compute_at or reverse_compute_at brings both into one kernel\n"
        f"  try: set_scope puts C_{scope} into global memory"
    )
    # What is only unfinished: the loops can still be looked at, one stage after the other.
    bounds = te.schedule.InferBound(s)
    assert [bounds[axis].extent.value for axis in cache.op.axis] == [12, 6]


def test_a_tile_that_the_host_fills():
    a = te.placeholder((12, 6), "int32", name="A")
    c = te.compute((12, 6), lambda i, j: a[i, j] * 2, name="C")
    s = te.create_schedule(c.op)
    cache = s.cache_read(a, "shared", [c])
    s[c].bind(c.op.axis[0], te.thread_axis("blockIdx.x"))
    assert refusal(lambda: kc.lower(s, [a, c]), __file__).split("\n")[0] == (
        "error[KC3416]: lower: block C reads A_shared, which block A_shared writes outside the "
        "kernel"
    )
    s[cache].compute_at(s[c], c.op.axis[0])
    check(s, [a, c], lambda x: x * 2, native=False)


def test_what_a_thread_reads_of_the_memory_of_another_one():
    """Local memory, filled by threads of one axis and read by those of another."""
    a = te.placeholder((8, 8), "int32", name="A")
    t = te.compute((8, 8), lambda i, j: a[i, j] + 1, name="T")
    c = te.compute((8, 8), lambda i, j: t[i, 7 - j], name="C")
    s = te.create_schedule(c.op)
    s[t].set_scope("local")
    s[t].compute_at(s[c], c.op.axis[0])
    s[c].bind(c.op.axis[0], te.thread_axis("blockIdx.x"))
    s[t].bind(t.op.axis[1], te.thread_axis("threadIdx.x"))
    assert refusal(lambda: kc.lower(s, [a, c]), __file__) == (
        "error[KC3408]: lower: block C reads a value that another thread writes to T\n"
        "   |  for i in 8 blockIdx.x:\n"
        "   |    alloc T\n"
        "   |    for i_1 in 1:\n"
        "   |      for j_1 in 8 threadIdx.x:\n"
        "   |        block T    <-- writes T\n"
        "   |    for j in 8:\n"
        "   |      block C    <-- reads T\n"
        "  why: block C is in no loop of threadIdx.x, so it would run in all of these threads, "
        "which do not share local memory\n"
        "  try: in shared memory, all threads of a block see T"
    )
    s[t].set_scope("shared")
    check(s, [a, c], lambda x: x[:, ::-1] + 1, native=False)
