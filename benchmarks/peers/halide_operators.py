"""The ten operators in Halide, with the schedules of te_operators.py: the outer dimensions fused
and in parallel, the innermost one in vectors; Halide's dimensions are in the opposite order.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import halide as hl  # pyright: ignore[reportMissingImports]
import numpy as np

WIDTH = 16
X, Y, Z, N = (hl.Var(name) for name in "xyzn")
XI, YI, F = hl.Var("xi"), hl.Var("yi"), hl.Var("f")


def _input(name: str, rank: int) -> hl.ImageParam:
    return hl.ImageParam(hl.Float(32), rank, name)


def _pure(stage: hl.Func, *outer: hl.Var) -> None:
    """Parallelize over ``outer`` and vectorize over X, where the stage is computed."""
    fused = outer[0]
    for var in outer[1:]:
        stage.fuse(fused, var, fused)
    stage.vectorize(X, WIDTH).parallel(fused)


def add():
    a, b, c = _input("A", 1), _input("B", 1), hl.Func("C")
    c[X] = a[X] + b[X]
    c.split(X, Y, XI, WIDTH).vectorize(XI).parallel(Y)
    return [a, b], c


def gelu():
    x, y = _input("X", 2), hl.Func("Y")
    v = x[X, Y]
    y[X, Y] = 0.5 * v * (1.0 + hl.tanh(hl.f32(0.7978845608) * (v + hl.f32(0.044715) * v * v * v)))
    _pure(y, Y)
    return [x], y


def transpose():
    x, y = _input("X", 2), hl.Func("Y")
    y[X, Y] = x[Y, X]
    _pure(y, Y)
    return [x], y


def _row_sum(name: str, term: Callable, extent: int) -> hl.Func:
    k, total = hl.RDom([(0, extent)]), hl.Func(name)
    total[Y] = 0.0
    total[Y] += term(k.x)
    total.compute_root().update().parallel(Y)
    return total


def sum_rows():
    x = _input("X", 2)
    k, y = hl.RDom([(0, 1024)]), hl.Func("Y")
    y[Y] = 0.0
    y[Y] += x[k.x, Y]
    y.update().parallel(Y)
    return [x], y


def softmax():
    x = _input("X", 2)
    k, top = hl.RDom([(0, 1024)]), hl.Func("TOP")
    top[Y] = x[0, Y]
    top[Y] = hl.max(top[Y], x[k.x, Y])
    top.compute_root().update().parallel(Y)
    e, y = hl.Func("E"), hl.Func("Y")
    e[X, Y] = hl.exp(x[X, Y] - top[Y])
    e.compute_root()
    _pure(e, Y)
    total = _row_sum("TOTAL", lambda k: e[k, Y], 1024)
    y[X, Y] = e[X, Y] / total[Y]
    _pure(y, Y)
    return [x], y


def layer_norm():
    x, g, b = _input("X", 2), _input("G", 1), _input("B", 1)
    mean = _row_sum("MEAN", lambda k: x[k, Y] * hl.f32(1.0 / 768), 768)
    square = _row_sum(
        "SQUARE", lambda k: (x[k, Y] - mean[Y]) * (x[k, Y] - mean[Y]) * hl.f32(1.0 / 768), 768
    )
    y = hl.Func("Y")
    y[X, Y] = (x[X, Y] - mean[Y]) / hl.sqrt(square[Y] + hl.f32(1e-5)) * g[X] + b[X]
    _pure(y, Y)
    return [x, g, b], y


def matmul():
    a, b = _input("A", 2), _input("B", 2)
    k, p, c = hl.RDom([(0, 1024)]), hl.Func("P"), hl.Func("C")
    p[X, Y] = 0.0
    p[X, Y] += a[k.x, Y] * b[X, k.x]
    c[X, Y] = p[X, Y]
    c.tile(X, Y, XI, YI, 32, 8).reorder(XI, YI, Y, X).vectorize(XI).unroll(YI).parallel(X)
    p.compute_at(c, Y).vectorize(X).unroll(Y)
    p.update().reorder(X, Y, k.x).vectorize(X).unroll(Y)
    return [a, b], c


def conv2d():
    x, w = _input("X", 4), _input("W", 4)
    pad, y = hl.Func("PAD"), hl.Func("Y")
    inside = (Y >= 1) & (Y < 57) & (Z >= 1) & (Z < 57)
    at = x[X, hl.clamp(Y - 1, 0, 55), hl.clamp(Z - 1, 0, 55), N]
    pad[X, Y, Z, N] = hl.select(inside, at, 0.0)
    pad.compute_root()
    _pure(pad, Y, Z, N)
    k = hl.RDom([(0, 64), (0, 3), (0, 3)])
    y[X, Y, Z, N] = 0.0
    y[X, Y, Z, N] += pad[k.x, Y + k.y, Z + k.z, N] * w[X, k.x, k.y, k.z]
    y.vectorize(X, WIDTH)
    y.update().split(X, F, XI, WIDTH).reorder(XI, k.x, k.y, k.z, F, Y, Z, N).vectorize(XI)
    y.update().fuse(Y, Z, Y).fuse(Y, N, Y).parallel(Y)
    return [x, w], y


def depthwise_conv2d():
    x, w, y = _input("X", 4), _input("W", 3), hl.Func("Y")
    k = hl.RDom([(0, 3), (0, 3)])
    y[X, Y, Z, N] = 0.0
    y[X, Y, Z, N] += x[X, Y + k.x, Z + k.y, N] * w[X, k.x, k.y]
    y.vectorize(X, WIDTH)
    y.update().split(X, F, XI, WIDTH).reorder(XI, k.x, k.y, F, Y, Z, N).vectorize(XI)
    y.update().fuse(Y, Z, Y).fuse(Y, N, Y).parallel(Y)
    return [x, w], y


def max_pool2d():
    x, y = _input("X", 4), hl.Func("Y")
    k = hl.RDom([(0, 2), (0, 2)])
    y[X, Y, Z, N] = hl.Float(32).min()
    y[X, Y, Z, N] = hl.max(y[X, Y, Z, N], x[X, 2 * Y + k.x, 2 * Z + k.y, N])
    y.vectorize(X, WIDTH)
    y.update().split(X, F, XI, WIDTH).reorder(XI, k.x, k.y, F, Y, Z, N).vectorize(XI)
    y.update().fuse(Y, Z, Y).fuse(Y, N, Y).parallel(Y)
    return [x], y


@cache
def _target() -> hl.Target:
    return hl.get_jit_target_from_environment()


def build(name: str) -> Callable[..., tuple[Callable[[], None], Callable[[], np.ndarray]]]:
    """Build an algorithm; a function of arrays that returns a call and a function that reads the
    result.
    """
    inputs, output = globals()[name]()
    function = output.compile_to_callable(inputs, _target())

    def prepare(*arrays: np.ndarray) -> tuple[Callable[[], None], Callable[[], np.ndarray]]:
        buffers = [hl.Buffer(array) for array in arrays]  # of the same memory
        return lambda: function(*buffers), lambda: arrays[-1]

    return prepare
