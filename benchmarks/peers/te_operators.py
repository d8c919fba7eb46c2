"""Ten operators as tensor expressions and schedules, for both kc and TVM, with TVM's names.

An operator is a function of ``te`` that returns its arguments and the blocks to schedule, each with
the number of its spatial loops.
"""

from __future__ import annotations

WIDTH = 16


def add(te):
    a, b = te.placeholder((1 << 20,), name="A"), te.placeholder((1 << 20,), name="B")
    c = te.compute((1 << 20,), lambda i: a[i] + b[i], name="C")
    return [a, b, c], {"C": 1}


def gelu(te):
    x = te.placeholder((1024, 1024), name="X")
    y = te.compute(
        (1024, 1024),
        lambda i, j: (
            0.5
            * x[i, j]
            * (1.0 + te.tanh(0.7978845608 * (x[i, j] + 0.044715 * x[i, j] * x[i, j] * x[i, j])))
        ),
        name="Y",
    )
    return [x, y], {"Y": 2}


def transpose(te):
    x = te.placeholder((1024, 512), name="X")
    return [x, te.compute((512, 1024), lambda i, j: x[j, i], name="Y")], {"Y": 2}


def sum_rows(te):
    x = te.placeholder((1024, 1024), name="X")
    k = te.reduce_axis((0, 1024), name="k")
    return [x, te.compute((1024,), lambda i: te.sum(x[i, k], axis=k), name="Y")], {"Y": 1}


def softmax(te):
    n, m = 1024, 1024
    x = te.placeholder((n, m), name="X")
    k, q = te.reduce_axis((0, m), name="k"), te.reduce_axis((0, m), name="q")
    top = te.compute((n,), lambda i: te.max(x[i, k], axis=k), name="TOP")
    e = te.compute((n, m), lambda i, j: te.exp(x[i, j] - top[i]), name="E")
    total = te.compute((n,), lambda i: te.sum(e[i, q], axis=q), name="TOTAL")
    y = te.compute((n, m), lambda i, j: e[i, j] / total[i], name="Y")
    return [x, y], {"TOP": 1, "E": 2, "TOTAL": 1, "Y": 2}


def layer_norm(te):
    n, m = 1024, 768
    x = te.placeholder((n, m), name="X")
    g, b = te.placeholder((m,), name="G"), te.placeholder((m,), name="B")
    k, q = te.reduce_axis((0, m), name="k"), te.reduce_axis((0, m), name="q")
    mean = te.compute((n,), lambda i: te.sum(x[i, k] * (1.0 / m), axis=k), name="MEAN")
    square = te.compute(
        (n,),
        lambda i: te.sum((x[i, q] - mean[i]) * (x[i, q] - mean[i]) * (1.0 / m), axis=q),
        name="SQUARE",
    )
    y = te.compute(
        (n, m),
        lambda i, j: (x[i, j] - mean[i]) / te.sqrt(square[i] + 1e-5) * g[j] + b[j],
        name="Y",
    )
    return [x, g, b, y], {"MEAN": 1, "SQUARE": 1, "Y": 2}


def matmul(te):
    n = 1024
    a, b = te.placeholder((n, n), name="A"), te.placeholder((n, n), name="B")
    k = te.reduce_axis((0, n), name="k")
    c = te.compute((n, n), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), name="C")
    return [a, b, c], {"C": 2}


def conv2d(te):
    size, channels = 56, 64
    x = te.placeholder((1, size, size, channels), name="X")
    w = te.placeholder((3, 3, channels, channels), name="W")
    pad = te.compute(
        (1, size + 2, size + 2, channels),
        lambda n, h, v, c: te.if_then_else(
            te.all(h >= 1, h < size + 1, v >= 1, v < size + 1), x[n, h - 1, v - 1, c], 0.0
        ),
        name="PAD",
    )
    r = te.reduce_axis((0, channels), name="r")
    p, q = te.reduce_axis((0, 3), name="p"), te.reduce_axis((0, 3), name="q")
    y = te.compute(
        (1, size, size, channels),
        lambda n, h, v, c: te.sum(pad[n, h + p, v + q, r] * w[p, q, r, c], axis=[p, q, r]),
        name="Y",
    )
    return [x, w, y], {"PAD": 4, "Y": 4}


def depthwise_conv2d(te):
    size, channels = 56, 256
    x = te.placeholder((1, size + 2, size + 2, channels), name="X")
    w = te.placeholder((3, 3, channels), name="W")
    p, q = te.reduce_axis((0, 3), name="p"), te.reduce_axis((0, 3), name="q")
    y = te.compute(
        (1, size, size, channels),
        lambda n, h, v, c: te.sum(x[n, h + p, v + q, c] * w[p, q, c], axis=[p, q]),
        name="Y",
    )
    return [x, w, y], {"Y": 4}


def max_pool2d(te):
    x = te.placeholder((1, 112, 112, 64), name="X")
    p, q = te.reduce_axis((0, 2), name="p"), te.reduce_axis((0, 2), name="q")
    y = te.compute(
        (1, 56, 56, 64),
        lambda n, h, v, c: te.max(x[n, 2 * h + p, 2 * v + q, c], axis=[p, q]),
        name="Y",
    )
    return [x, y], {"Y": 4}


OPERATORS = {
    operator.__name__: operator
    for operator in (
        add, gelu, transpose, sum_rows, softmax, layer_norm, matmul, conv2d, depthwise_conv2d,
        max_pool2d,
    )
}  # fmt: skip


def tile_matmul(sch, block) -> None:
    """An 8 x 32 register tile; columns of tiles run in parallel."""
    i, j, k = sch.get_loops(block)
    i_o, i_i = sch.split(i, [None, 8])
    j_o, j_i = sch.split(j, [None, 32])
    sch.reorder(j_o, i_o, k, i_i, j_i)
    sch.vectorize(j_i)
    sch.unroll(i_i)
    sch.parallel(j_o)


def schedule(name: str, sch, blocks: dict[str, object], ranks: dict[str, int]) -> None:
    """Parallelize the outer spatial loops; make the last spatial loop innermost and vectorize
    it.
    """
    for block_name, block in blocks.items():
        if name == "matmul":
            tile_matmul(sch, block)
            continue
        loops = list(sch.get_loops(block))
        rank = ranks[block_name]
        spatial, reduced = loops[:rank], loops[rank:]
        if rank > 1 or not reduced:
            outer, inner = sch.split(spatial.pop(), [None, WIDTH])
            if reduced:
                sch.reorder(outer, *reduced, inner)
            sch.vectorize(inner)
            spatial = spatial or [outer]
        sch.parallel(sch.fuse(*spatial) if len(spatial) > 1 else spatial[0])
