"""Lesson 23: attention in one kernel that never stores the scores in the GPU's memory.

Rows of softmax(Q K^T) V are sums over all keys, weighted by exponentials. A triple describes the
result for some of the keys: the maximum score, the sum of the powers relative to it, and the
weighted sum of values. Two triples combine to that of both sets of keys, as in "FlashAttention"
(Dao et al., 2022). This is a reduction with a combiner of three values, and it is scheduled like a
product: a block handles some rows, and some keys at a time, whose scores it computes into shared
memory.
"""

import ml_dtypes
import numpy as np

import kc
from kc import te, topi

ROWS, KEYS, SIDE = 16, 16, 16  # rows of a block, keys at a time, threads along each side


def attention(heads: int, length: int, size: int) -> list[te.Tensor]:
    """An attention of float16 with sums of float32."""
    Q, K, V = (te.placeholder((heads, length, size), "float16", name=name) for name in "QKV")
    c = te.reduce_axis((0, size), name="c")
    S = te.compute(
        (heads, length, length),
        lambda h, i, j: te.sum(Q[h, i, c].astype("float32") * K[h, j, c].astype("float32"), axis=c),
        name="S",
    )

    def combine(x, y):
        top = te.max(x[0], y[0])
        mine, theirs = te.exp(x[0] - top), te.exp(y[0] - top)
        return top, x[1] * mine + y[1] * theirs, x[2] * mine + y[2] * theirs

    def nothing(top, total, sums):
        return te.min_value(top), te.const(0, total), te.const(0, sums)

    online = te.comm_reducer(combine, nothing, name="online_softmax")
    j = te.reduce_axis((0, length), name="j")
    scale = size**-0.5
    top, total, sums = te.compute(
        (heads, length, size),
        lambda h, i, d: online(
            (S[h, i, j] * scale, te.const(1.0), V[h, j, d].astype("float32")), axis=j
        ),
        name="online",
    )
    R = te.compute(
        (heads, length, size),
        lambda h, i, d: (sums[h, i, d] / total[h, i, d]).astype("float16"),
        name="R",
    )
    return [Q, K, V, R]


def bind(stage: te.Stage, loops, names: str) -> None:
    for loop, name in zip(loops, names.split(), strict=True):
        stage.bind(loop, te.thread_axis(name))


def copy(stage: te.Stage, at: te.Stage, loop) -> None:
    """Copy to shared memory where ``loop`` is, by all threads."""
    stage.compute_at(at, loop)
    rest, tx = stage.split(stage.fuse(*stage.op.axis), SIDE)
    _, ty = stage.split(rest, SIDE)
    bind(stage, (ty, tx), "threadIdx.y threadIdx.x")


def schedule(args: list[te.Tensor]) -> te.Schedule:
    Q, K, V, R = args
    online = R.op.input_tensors[0]
    S = next(tensor for tensor in online.op.input_tensors if tensor is not V)
    s = te.create_schedule(R.op)
    scores = s.cache_write(S, "local")
    keys = s.cache_read(K, "shared", [scores])
    queries = s.cache_read(Q, "shared", [scores])
    values = s.cache_read(V, "shared", [online])

    h, i, d = s[R].op.axis
    block, row = s[R].split(i, ROWS)
    part, d = s[R].split(d, nparts=SIDE)
    s[R].reorder(h, block, row, part, d)
    bind(s[R], (h, block, row, part), "blockIdx.y blockIdx.x threadIdx.y threadIdx.x")

    # Each thread has a row, and some columns of the result: triples in registers.
    s[online].set_scope("local")
    s[online].compute_at(s[R], part)
    jo, j = s[online].split(s[online].op.reduce_axis[0], KEYS)
    s[online].reorder(jo, j, *s[online].op.axis)
    s[online].unroll(s[online].op.axis[2])
    s[R].unroll(d)

    s[S].set_scope("shared")
    s[S].compute_at(s[online], jo)
    _, row, key = s[S].op.axis
    bind(s[S], (row, key), "threadIdx.y threadIdx.x")
    s[scores].compute_at(s[S], key)
    for tensor in (keys, queries):
        s[tensor].storage_align(tensor.op.axis[1], 32, 2)  # a column is in all banks
    copy(s[queries], s[R], block)
    copy(s[keys], s[online], jo)
    copy(s[values], s[online], jo)
    return s


heads, length, size = 2, 32, 32
args = attention(heads, length, size)
module = kc.build(schedule(args), args, target="cuda -arch=sm_80")
q, k, v = (np.random.randn(heads, length, size).astype("float16") for _ in range(3))
o = np.zeros_like(q)
report = kc.gpu.check(module, q, k, v, o)
assert report.ok, str(report)
print(report)

scores = np.einsum("hic,hjc->hij", q.astype("float32"), k.astype("float32")) * size**-0.5
powers = np.exp(scores - scores.max(2, keepdims=True))
expected = np.einsum("hij,hjd->hid", powers / powers.sum(2, keepdims=True), v.astype("float32"))
np.testing.assert_allclose(o, expected, rtol=2e-3, atol=2e-3)
touched = {site.buffer for site in report.sites}
assert touched == {"Q", "K", "V", "R", "Q_shared", "K_shared", "V_shared", "S"}

whole = attention(16, 4096, 128)
(kernel,) = kc.gpu.resources(kc.build(schedule(whole), whole, target="cuda -arch=sm_80"))
print(f"16 heads x 4096 x 128: {kernel}")
assert not kernel.spilled
assert not kernel.local

# Without a schedule kc chooses one. For halves and bfloat16 it keeps one maximum and one sum for
# each row (online_softmax), and a warp multiplies its 16 rows by tensor cores, without shared
# scores.
length, size = 32, 16
Q, K, V = (te.placeholder((1, 1, length, size), "bfloat16", name=name) for name in "QKV")
chosen = kc.auto_schedule([Q, K, V, topi.nn.attention(Q, K, V)], target="cuda-emu -arch=sm_80")
steps = [line.split("(")[0].split(".")[-1] for line in chosen.trace.as_python()]
print(f"chosen: {len(steps)} steps, {steps.count('tensorize')} tensorize, one online_softmax")
assert steps.count("online_softmax") == 1
q, k, v = (np.random.randn(1, 1, length, size).astype(ml_dtypes.bfloat16) for _ in range(3))
o = np.zeros_like(q)
kc.build(chosen, target="cuda-emu -arch=sm_80")(q, k, v, o)
scores = q[0, 0].astype("float32") @ k[0, 0].astype("float32").T * size**-0.5
powers = np.exp(scores - scores.max(1, keepdims=True))
expected = powers / powers.sum(1, keepdims=True) @ v[0, 0].astype("float32")
np.testing.assert_allclose(o[0, 0].astype("float32"), expected, rtol=3e-2, atol=3e-2)
