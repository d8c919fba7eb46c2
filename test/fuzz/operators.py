"""Random operators with their results in numpy: what default schedules have rules for.

Contractions (plain, transposed, batched, of integers and of mixed types, with an epilogue),
convolutions (padded, strided, grouped, depthwise), poolings, reductions over any axes, argmax,
softmax and its like, products of products, prefix stencils, transposes, gathers and chains of
elementwise stages. Sizes are seldom multiples of anything, and sometimes symbolic.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import numpy as np
from families import Fixed

from kc import te, topi
from kc.expr.constructors import Var

NARROW = (("int8", "int8", "int32"), ("uint8", "int8", "int32"), ("float16", "float16", "float32"))
"""The types of two factors, and that of the sum of their products."""
DTYPES = ("float32", "float32", "float32", "float64", "int32", "int64", "float16")


class Operator:
    """Tensors and arrays of one program while it is made."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.numbers = np.random.default_rng(random.randrange(1 << 30))
        self.args: list[Any] = []
        self.given: list[Any] = []
        self.symbols: dict[str, int] = {}
        self.symbolic = random.random() < 0.2
        self._vars: dict[str, Var] = {}

    def chance(self, p: float) -> bool:
        return self.random.random() < p

    def size(self, most: int) -> int:
        """A size: small, or of any remainder by the widths of vectors."""
        return self.random.choice((1, 2, 3, self.random.randint(1, most), most, most))

    def dims(self, *sizes: int) -> list[Any]:
        """Sizes as shapes have them: numbers, sometimes symbols."""
        shape: list[Any] = []
        for size in sizes:
            name = f"n{size}"
            if self.symbolic and self.chance(0.7):
                self.symbols[name] = size
                shape.append(self._vars.setdefault(name, te.size_var(name)))
            else:
                shape.append(size)
        return shape

    def input(self, name: str, shape: Sequence[Any], dtype: str) -> tuple[te.Tensor, np.ndarray]:
        """An input and its values: small, so that sums of integers are exact."""
        sizes = [self.symbols[dim.name] if isinstance(dim, Var) else dim for dim in shape]
        if dtype.startswith(("int", "uint")):
            low = 0 if dtype.startswith("uint") else -9
            array = self.numbers.integers(low, 10, sizes).astype(dtype)
        else:
            array = self.numbers.standard_normal(sizes).astype(dtype)
        tensor = te.placeholder(tuple(shape), dtype, name=name)
        self.args.append(tensor)
        self.given.append(array)
        return tensor, array

    def done(self, outputs: Sequence[tuple[te.Tensor, np.ndarray]], terms: int = 1) -> Fixed:
        """The program: floats may differ by the rounding of sums of so many ``terms``."""
        used = {dim.name for arg in self.args for dim in arg.shape if isinstance(dim, Var)}
        assert used >= {
            dim.name for tensor, _ in outputs for dim in tensor.shape if isinstance(dim, Var)
        }
        expected: dict[int, np.ndarray] = {}
        unit = 0.0
        for tensor, value in outputs:
            value = np.asarray(value).astype(tensor.dtype)
            expected[len(self.args)] = value
            self.args.append(tensor)
            self.given.append(np.zeros_like(value))
            if value.dtype.kind == "f":
                unit = max(unit, float(np.finfo(value.dtype).eps))
        module = te.create_prim_func(self.args)
        tolerance = 8 * unit * (4 + terms)
        return Fixed(module, self.given, expected, symbols=self.symbols, tolerance=tolerance)


def draw(random: Random, keep: int | None = None) -> Fixed:
    """A program of a random kind, which is one part."""
    del keep
    return random.choice(KINDS)(Operator(random))


def _wide(array: np.ndarray) -> np.ndarray:
    return array.astype("float64") if array.dtype.kind == "f" else array.astype("int64")


def contraction(o: Operator) -> Fixed:
    """A product of matrices: transposed or not, batched or not, widened or not."""
    dtype = o.random.choice(DTYPES)
    left_type, right_type, wide = dtype, dtype, dtype
    m, n, k = o.size(40), o.size(70), o.size(50)
    if o.chance(0.4):
        left_type, right_type, wide = o.random.choice(NARROW)
        if wide == "int32" and o.chance(0.5):  # whole tiles of dot products
            m, n, k = 4 * (m // 4 + 1), 16 * (n // 16 + 1), 4 * (k // 4 + 1)
    rows, columns, terms = o.dims(m, n, k)
    batch = o.size(4) if o.chance(0.3) else None
    turned_a, turned_b = o.chance(0.3), o.chance(0.4)
    lead = () if batch is None else (batch,)
    A, a = o.input("A", [*lead, *((terms, rows) if turned_a else (rows, terms))], left_type)
    B, b = o.input("B", [*lead, *((columns, terms) if turned_b else (terms, columns))], right_type)
    axis = te.reduce_axis((0, terms), name="k")

    def term(*at: Any) -> Any:
        *z, i, j = at
        left = A(*z, axis, i) if turned_a else A(*z, i, axis)
        right = B(*z, j, axis) if turned_b else B(*z, axis, j)
        return te.sum(left.astype(wide) * right.astype(wide), axis=axis)

    C = te.compute((*lead, rows, columns), term, name="C")
    value = np.matmul(
        _wide(a.swapaxes(-1, -2) if turned_a else a), _wide(b.swapaxes(-1, -2) if turned_b else b)
    )
    if o.chance(0.4):
        D, d = o.input("D", [columns], wide)
        E = te.compute(
            (*lead, rows, columns),
            lambda *at: te.max(C(*at) + D[at[-1]], te.const(0, wide)),
            name="E",
        )
        return o.done([(E, np.maximum(value + _wide(d), 0))], k)
    if o.chance(0.2):
        E = te.compute((*lead, rows, columns), lambda *at: C(*at) * te.const(2, wide), name="E")
        return o.done([(C, value), (E, value * 2)], k)
    return o.done([(C, value)], k)


def chained(o: Operator) -> Fixed:
    """Two products one behind the other."""
    n = [o.size(30) for _ in range(4)]
    d = o.dims(*n)
    (A, a), (B, b) = o.input("A", [d[0], d[1]], "float32"), o.input("B", [d[1], d[2]], "float32")
    F, f = o.input("F", [d[2], d[3]], "float32")
    r, q = te.reduce_axis((0, d[1]), name="r"), te.reduce_axis((0, d[2]), name="q")
    C = te.compute((d[0], d[2]), lambda i, j: te.sum(A[i, r] * B[r, j], axis=r), name="C")
    G = te.compute((d[0], d[3]), lambda i, j: te.sum(C[i, q] * F[q, j], axis=q), name="G")
    value = _wide(a) @ _wide(b) @ _wide(f)
    return o.done([(G, value)], 8 * n[1] * n[2])


def convolution(o: Operator) -> Fixed:
    """NCHW, padded, strided; plain or depthwise."""
    dtype = o.random.choice(("float32", "float32", "float64", "int32"))
    n, ci, co = o.size(2), o.size(5), o.size(20)
    h, w = o.random.randint(3, 20), o.random.randint(3, 20)
    taps = o.random.choice((1, 2, 3))
    pad = o.random.choice((0, 0, 1)) if taps > 1 else 0
    step = o.random.choice((1, 1, 2))
    depthwise = o.chance(0.3)
    X, x = o.input("X", [n, ci, h, w], dtype)
    W, weights = o.input("W", [ci if depthwise else co, 1 if depthwise else ci, taps, taps], dtype)
    source, padded = X, np.pad(_wide(x), ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    if pad:
        source = te.compute(
            (n, ci, h + 2 * pad, w + 2 * pad),
            lambda b, c, y, z: te.if_then_else(
                te.all(y >= pad, y < h + pad, z >= pad, z < w + pad),
                X[b, c, y - pad, z - pad],
                te.const(0, dtype),
            ),
            name="P",
        )
    oh, ow = (h + 2 * pad - taps) // step + 1, (w + 2 * pad - taps) // step + 1
    a, b = te.reduce_axis((0, taps), name="a"), te.reduce_axis((0, taps), name="b")
    r = te.reduce_axis((0, ci), name="r")

    def term(z: Any, q: Any, y: Any, v: Any) -> Any:
        at = (y * step + a, v * step + b)
        if depthwise:
            return te.sum(source[(z, q, *at)] * W[q, 0, a, b], axis=[a, b])
        return te.sum(source[(z, r, *at)] * W[q, r, a, b], axis=[r, a, b])

    C = te.compute((n, ci if depthwise else co, oh, ow), term, name="C")
    value = np.zeros((n, ci if depthwise else co, oh, ow), padded.dtype)
    for i in range(taps):
        for j in range(taps):
            window = padded[:, :, i : i + step * oh : step, j : j + step * ow : step]
            window = window[:, :, :oh, :ow]
            if depthwise:
                value += window * _wide(weights)[None, :, 0, i, j, None, None]
            else:
                value += np.einsum("zryv,qr->zqyv", window, _wide(weights)[:, :, i, j])
    if o.chance(0.3):
        E = te.compute(value.shape, lambda *at: te.max(C(*at), te.const(0, dtype)), name="E")
        return o.done([(E, np.maximum(value, 0))], ci * taps * taps)
    return o.done([(C, value)], ci * taps * taps)


def pooling(o: Operator) -> Fixed:
    """The largest, or the sum, of each window."""
    n, h, w = o.size(6), o.random.randint(4, 30), o.random.randint(4, 60)
    taps, step = o.random.choice((2, 3)), o.random.choice((1, 2))
    X, x = o.input("X", [n, h, w], "float32")
    oh, ow = (h - taps) // step + 1, (w - taps) // step + 1
    a, b = te.reduce_axis((0, taps), name="a"), te.reduce_axis((0, taps), name="b")
    largest = o.chance(0.5)
    reducer = te.max if largest else te.sum
    P = te.compute(
        (n, oh, ow),
        lambda z, y, v: reducer(X[z, y * step + a, v * step + b], axis=[a, b]),
        name="P",
    )
    windows = np.lib.stride_tricks.sliding_window_view(_wide(x), (taps, taps), axis=(1, 2))
    windows = windows[:, ::step, ::step][:, :oh, :ow]
    value = windows.max((-1, -2)) if largest else windows.sum((-1, -2))
    return o.done([(P, value)], taps * taps)


def reductions(o: Operator) -> Fixed:
    """A sum, product, maximum or minimum over any axes."""
    dtype = o.random.choice(DTYPES)
    rank = o.random.randint(1, 3)
    sizes = [o.size((200, 60, 20)[rank - 1]) for _ in range(rank)]
    dims = o.dims(*sizes)
    X, x = o.input("X", dims, dtype)
    kind = o.random.choice(("sum", "max", "min"))
    over = sorted(o.random.sample(range(rank), o.random.randint(1, rank)))
    axes = {n: te.reduce_axis((0, dims[n]), name=f"r{n}") for n in over}
    kept = [n for n in range(rank) if n not in over]
    shape = tuple(dims[n] for n in kept) or (1,)

    def body(*at: Any) -> Any:
        places = dict(zip(kept, at, strict=False))
        index = tuple(axes[n] if n in axes else places[n] for n in range(rank))
        return getattr(te, kind)(X[index], axis=[axes[n] for n in over])

    R = te.compute(shape, body, name="R")
    value = getattr(_wide(x), kind)(axis=tuple(over)).reshape([sizes[n] for n in kept] or [1])
    count = int(np.prod([sizes[n] for n in over]))
    if kind == "sum" and o.chance(0.4):
        M = te.compute(shape, lambda *at: R(*at) * te.const(3, dtype), name="M")
        return o.done([(M, value * 3)], count)
    return o.done([(R, value)], count)


def argmax(o: Operator) -> Fixed:
    """The place of the largest element of each row or column, and the element."""
    m, n = o.size(20), o.size(60)
    rows, columns = o.dims(m, n)
    X, x = o.input("X", [rows, columns], "float32")
    down = o.chance(0.4)
    r = te.reduce_axis((0, rows if down else columns), name="r")
    better = te.comm_reducer(
        lambda p, q: (
            te.if_then_else(te.any(p[1] > q[1], te.all(p[1] == q[1], p[0] < q[0])), p[0], q[0]),
            te.if_then_else(te.any(p[1] > q[1], te.all(p[1] == q[1], p[0] < q[0])), p[1], q[1]),
        ),
        lambda t0, t1: (te.const(1 << 30, t0), te.min_value(t1)),
        name="argmax",
    )
    places, values = te.compute(
        (columns if down else rows,),
        lambda i: better((r.var.astype("int32"), X[r, i] if down else X[i, r]), axis=r),
        name="best",
    )
    axis = 0 if down else 1
    return o.done([(places, x.argmax(axis).astype("int32")), (values, x.max(axis))])


def rowwise(o: Operator) -> Fixed:
    """Softmax, its logarithm, or a normalization of rows."""
    m, n = o.size(20), o.size(70)
    rows, columns = o.dims(m, n)
    X, x = o.input("X", [rows, columns], "float32")
    r, q = te.reduce_axis((0, columns), name="r"), te.reduce_axis((0, columns), name="q")
    kind, value = o.random.choice(("softmax", "log_softmax", "norm")), _wide(x)
    if kind == "norm":
        total = te.compute((rows,), lambda i: te.sum(X[i, r], axis=r), name="total")
        mean = te.compute((rows,), lambda i: total[i] / columns, name="mean")
        square = te.compute(
            (rows,), lambda i: te.sum((X[i, q] - mean[i]) * (X[i, q] - mean[i]), axis=q), name="sq"
        )
        Out = te.compute(
            (rows, columns),
            lambda i, j: (X[i, j] - mean[i]) / te.sqrt(square[i] / columns + te.const(0.1)),
            name="O",
        )
        away = value - value.mean(1, keepdims=True)
        return o.done([(Out, away / np.sqrt((away**2).mean(1, keepdims=True) + 0.1))], 8 * n)
    largest = te.compute((rows,), lambda i: te.max(X[i, r], axis=r), name="largest")
    shifted = value - value.max(1, keepdims=True)
    if kind == "log_softmax":
        total = te.compute(
            (rows,), lambda i: te.sum(te.exp(X[i, q] - largest[i]), axis=q), name="total"
        )
        Out = te.compute(
            (rows, columns), lambda i, j: X[i, j] - largest[i] - te.log(total[i]), name="O"
        )
        return o.done([(Out, shifted - np.log(np.exp(shifted).sum(1, keepdims=True)))], 8 * n)
    power = te.compute((rows, columns), lambda i, j: te.exp(X[i, j] - largest[i]), name="power")
    total = te.compute((rows,), lambda i: te.sum(power[i, q], axis=q), name="total")
    Out = te.compute((rows, columns), lambda i, j: power[i, j] / total[i], name="O")
    return o.done([(Out, np.exp(shifted) / np.exp(shifted).sum(1, keepdims=True))], 8 * n)


def attention(o: Operator) -> Fixed:
    """Scores, their softmax, and the weighted sum of values."""
    m, n, d = o.size(20), o.size(30), o.size(12)
    Q, q = o.input("Q", [m, d], "float32")
    K, k = o.input("K", [n, d], "float32")
    V, v = o.input("V", [n, d], "float32")
    t = [te.reduce_axis((0, size), name=f"t{size}_{i}") for i, size in enumerate((d, n, n, n))]
    S = te.compute((m, n), lambda i, j: te.sum(Q[i, t[0]] * K[j, t[0]], axis=t[0]), name="S")
    largest = te.compute((m,), lambda i: te.max(S[i, t[1]], axis=t[1]), name="largest")
    P = te.compute((m, n), lambda i, j: te.exp(S[i, j] - largest[i]), name="P")
    total = te.compute((m,), lambda i: te.sum(P[i, t[2]], axis=t[2]), name="total")
    Y = te.compute((m, d), lambda i, j: te.sum(P[i, t[3]] * V[t[3], j], axis=t[3]), name="Y")
    Out = te.compute((m, d), lambda i, j: Y[i, j] / total[i], name="O")
    scores = _wide(q) @ _wide(k).T
    power = np.exp(scores - scores.max(1, keepdims=True))
    return o.done([(Out, power / power.sum(1, keepdims=True) @ _wide(v))], 32 * (n + d))


def products_of_rows(o: Operator) -> Fixed:
    """Two products with something row by row between them, of sizes that blocks of rows are for."""
    dtype = o.random.choice(("float32", "float32", "float64"))
    each, groups = o.random.choice(((1, 1), (1, 2), (2, 2), (3, 1)))
    m, n = o.random.choice((32, 45, 48, 64, 96, 97)), o.random.randint(17, 70)
    d, e = o.random.randint(17, 40), o.size(40)
    heads = groups * each
    Q, q = o.input("Q", [heads, m, d], dtype)
    K, k = o.input("K", [groups, n, d] if o.chance(0.6) else [groups, d, n], dtype)
    V, v = o.input("V", [groups, n, e], dtype)
    is_turned = k.shape != (groups, d, n)
    t, u = te.reduce_axis((0, d), name="t"), te.reduce_axis((0, n), name="u")

    def key(h: Any, j: Any) -> Any:
        return K[h // each, j, t] if is_turned else K[h // each, t, j]

    S = te.compute((heads, m, n), lambda h, i, j: te.sum(Q[h, i, t] * key(h, j), axis=t), name="S")
    at = [np.repeat(_wide(x), each, axis=0) for x in (k.swapaxes(1, 2) if is_turned else k, v)]
    scores = _wide(q) @ at[0]
    between = o.random.choice(("softmax", "softmax", "relu", "norm", "nothing"))
    P, weights = S, scores
    if between == "softmax":
        P = topi.nn.softmax(S)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
    elif between == "relu":
        P, weights = topi.nn.relu(S), np.maximum(scores, 0)
    elif between == "norm":
        r = te.reduce_axis((0, n), name="r")
        total = te.compute((heads, m), lambda h, i: te.sum(te.abs(S[h, i, r]), axis=r), name="T")
        P = te.compute(S.shape, lambda h, i, j: S[h, i, j] / (total[h, i] + 1), name="P")
        weights = scores / (np.abs(scores).sum(-1, keepdims=True) + 1)
    Y = te.compute(
        (heads, m, e), lambda h, i, j: te.sum(P[h, i, u] * V[h // each, u, j], axis=u), name="Y"
    )
    value = weights @ at[1]
    if o.chance(0.4):
        X, x = o.input("X", [e], dtype)
        Y, value = te.compute(Y.shape, lambda h, i, j: Y[h, i, j] + X[j], name="Z"), value + x
    return o.done([(Y, value)], 40 * (n + d))


def stencil(o: Operator) -> Fixed:
    """Sums of neighbours, once or twice."""
    h, w = o.random.randint(5, 40), o.random.randint(5, 60)
    X, x = o.input("X", [h, w], "float32")
    B = te.compute((h, w - 2), lambda i, j: X[i, j] + X[i, j + 1] + X[i, j + 2], name="B")
    V = te.compute((h - 2, w - 2), lambda i, j: B[i, j] + B[i + 1, j] + B[i + 2, j], name="V")
    value = _wide(x)
    value = value[:, :-2] + value[:, 1:-1] + value[:, 2:]
    value = value[:-2] + value[1:-1] + value[2:]
    return o.done([(V, value)], 9)


def transposes(o: Operator) -> Fixed:
    """A permutation of dimensions, sometimes with an operation on it."""
    dtype = o.random.choice(DTYPES)
    rank = o.random.randint(2, 4)
    sizes = [o.size((70, 70, 30, 10)[rank - 1]) for _ in range(rank)]
    dims = o.dims(*sizes)
    order = o.random.sample(range(rank), rank)
    X, x = o.input("X", dims, dtype)
    factor = o.random.choice((1, 2))

    def body(*at: Any) -> Any:
        index: list[Any] = [None] * rank
        for place, axis in zip(at, order, strict=True):
            index[axis] = place
        value = X[tuple(index)]
        return value * te.const(factor, dtype) if factor > 1 else value

    T = te.compute(tuple(dims[n] for n in order), body, name="T")
    return o.done([(T, x.transpose(order) * np.array(factor, dtype))])


def gather(o: Operator) -> Fixed:
    """Rows, or elements, at places that another input gives."""
    m, n, count = o.size(30), o.size(40), o.size(50)
    X, x = o.input("X", [m, n], "float32")
    places = te.placeholder((count,), "int32", name="places")
    index = o.numbers.integers(0, m, count).astype("int32")
    o.args.append(places)
    o.given.append(index)
    G = te.compute((count, n), lambda i, j: X[places[i], j], name="G")
    return o.done([(G, x[index])])


def elementwise(o: Operator) -> Fixed:
    """A chain of stages, with a broadcast, that several later stages may read."""
    m, n = o.size(30), o.size(100)
    rows, columns = o.dims(m, n)
    (X, x), (Y, y) = o.input("X", [rows, columns], "float32"), o.input("Y", [columns], "float32")
    stages = [(X, _wide(x))]
    for number in range(o.random.randint(1, 5)):
        left_stage, right_stage = o.random.choice(stages), o.random.choice(stages)
        kind = o.random.choice(("add", "bias", "tanh", "relu"))
        left, right = left_stage[0], right_stage[0]
        if kind == "add":
            build, value = _sum(left, right), left_stage[1] * 0.5 + right_stage[1]
        elif kind == "bias":
            build, value = _biased(left, Y), left_stage[1] + _wide(y)
        elif kind == "tanh":
            build, value = _tanh(left), np.tanh(left_stage[1])
        else:
            build, value = _positive(left), np.maximum(left_stage[1], 0)
        stages.append((te.compute((rows, columns), build, name=f"S{number}"), value))
    return o.done([stages[-1]], 60)


def _sum(a: te.Tensor, b: te.Tensor) -> Callable[..., Any]:
    return lambda i, j: a[i, j] * te.const(0.5) + b[i, j]


def _biased(a: te.Tensor, b: te.Tensor) -> Callable[..., Any]:
    return lambda i, j: a[i, j] + b[j]


def _tanh(a: te.Tensor) -> Callable[..., Any]:
    return lambda i, j: te.tanh(a[i, j])


def _positive(a: te.Tensor) -> Callable[..., Any]:
    return lambda i, j: te.max(a[i, j], te.const(0.0))


KINDS = (
    *(contraction, contraction, contraction, convolution, convolution, rowwise, rowwise),
    *(chained, pooling, reductions, reductions, argmax, attention, products_of_rows, stencil),
    *(transposes, transposes, gather, elementwise),
)
