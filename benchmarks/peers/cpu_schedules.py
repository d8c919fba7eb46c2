"""Hand-written schedules for rows of ``benchmarks/cpu.py``: the fastest known.

A schedule receives the arguments of the function in te; it may also be another expression with the
same results. For rows without an entry, no schedule that was tried is faster than kc's own choice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kc import te, tir, topi

Scheduler = Callable[[list[Any]], Any]


def _schedule(tensors: Sequence[Any]) -> tir.Schedule:
    from kc.target import Target

    with Target.host_cpu():
        return tir.Schedule(te.create_prim_func(list(tensors)))


def _finish(sch: tir.Schedule, out: Any, at: Any) -> None:
    """Compute the consumers of a tile of sums after the tile, row by row."""
    sch.reverse_compute_at(out, at)
    row, column = sch.get_loops(out)[-2:]
    sch.vectorize(column)
    sch.unroll(row)


def product(rows: int = 8, columns: int = 32, *, last: str = "C") -> Scheduler:
    """A tile of sums in registers. A panel of the second matrix is packed where it is used, and the
    consumer of the product (``last``) is computed in the tile.
    """

    def scheduled(tensors: list[Any]) -> tir.Schedule:
        sch = _schedule(tensors)
        c = sch.get_block("C")
        panel = sch.cache_read(c, 1, "global")
        i, j, k = sch.get_loops(c)[-3:]
        i_o, i_i = sch.split(i, [None, rows])
        j_o, j_i = sch.split(j, [None, columns])
        sch.reorder(j_o, i_o, k, i_i, j_i)
        if last == "C":
            out = sch.cache_write(c, 0, "local")
        else:
            out = sch.get_block(last)
            sch.set_scope(c, 0, "local")
        _finish(sch, out, i_o)
        sch.compute_at(panel, j_o)
        sch.vectorize(sch.get_loops(panel)[-1])
        sch.unroll(i_i)
        sch.vectorize(j_i)
        sch.decompose_reduction(c, k)
        return sch

    return scheduled


def packed_product(rows: int = 8, columns: int = 32) -> Scheduler:
    """The second matrix is already packed in panels, so nothing is copied."""

    def scheduled(tensors: list[Any]) -> tir.Schedule:
        sch = _schedule(tensors)
        c = sch.get_block("C")
        i, j, k = sch.get_loops(c)
        i_o, i_i = sch.split(i, [None, rows])
        j_o, j_i = sch.split(j, [None, columns])
        sch.reorder(j_o, i_o, k, i_i, j_i)
        out = sch.cache_write(c, 0, "local")
        _finish(sch, out, i_o)
        sch.unroll(i_i)
        sch.vectorize(j_i)
        sch.decompose_reduction(c, k)
        return sch

    return scheduled


def rows_of(
    last: str, sums: Sequence[str], stages: Sequence[str] = (), width: int = 64
) -> Scheduler:
    """Compute all stages of a row before the next row. ``sums``: reductions of a row, in lanes;
    ``stages``: stages with an element for each element of the row, from the last to the first.
    """

    def scheduled(tensors: list[Any]) -> tir.Schedule:
        sch = _schedule(tensors)
        row, column = sch.get_loops(last)
        _, lanes = sch.split(column, [None, width])
        sch.vectorize(lanes)
        for name in stages:
            sch.compute_at(name, row)
            loop = sch.get_loops(name)[-1]
            if name in sums:
                sch.vectorize(loop)
            elif len(sch.get_loops(name)) > 1:
                _, lanes = sch.split(loop, [None, width])
                sch.vectorize(lanes)
        return sch

    return scheduled


def pointwise(width: int = 64) -> Scheduler:
    """Vectorize along the rows, with several registers per vector."""

    def scheduled(tensors: list[Any]) -> tir.Schedule:
        sch = _schedule(tensors)
        _, lanes = sch.split(sch.get_loops("O")[-1], [None, width])
        sch.vectorize(lanes)
        return sch

    return scheduled


def winograd(tensors: list[Any]) -> list[Any]:
    """A convolution of 3 x 3 as products of transformed tiles of 4 x 4, which have a quarter of its
    multiplications, with the schedule that kc chooses for them."""
    data, weights, _ = tensors
    return [data, weights, topi.nn.conv2d_winograd_nchw(data, weights, 1, 1, 1)]


def dot_product(intrinsic: str, step: int, rows: int = 8, registers: int = 2) -> Scheduler:
    """Products of narrow numbers: an instruction adds ``step`` products to each of 16 sums. The
    second matrix is packed for it.
    """

    def scheduled(tensors: list[Any]) -> tir.Schedule:
        sch = _schedule(tensors)
        c = sch.get_block("C")
        packed = sch.cache_read(c, 1, "global")
        sch.transform_layout(
            packed, ("write", 0), lambda k, j: (j // 16, k // step, j % 16, k % step)
        )
        i, j, k = sch.get_loops(c)
        i_o, i_i = sch.split(i, [None, rows])
        j_o, j_m, j_i = sch.split(j, [None, registers, 16])
        k_o, k_i = sch.split(k, [None, step])
        sch.reorder(j_o, i_o, k_o, i_i, j_m, j_i, k_i)
        out = sch.cache_write(c, 0, "local")
        _finish(sch, out, i_o)
        sch.unroll(i_i)
        sch.unroll(j_m)
        sch.decompose_reduction(c, k_o)
        sch.tensorize(j_i, intrinsic)
        sch.compute_at(packed, j_o)
        k, j = sch.get_loops(packed)[-2:]
        k_o, k_i = sch.split(k, [None, step])
        j_o, j_i = sch.split(j, [None, 16])
        sch.reorder(j_o, k_o, k_i, j_i)
        sch.vectorize(j_i)
        sch.unroll(k_i)
        return sch

    return scheduled


SCHEDULES: dict[str, Scheduler] = {
    **{f"gemm {n}": product() for n in (128, 512, 1024, 2048)},
    "gemm 32x1024x4096 packed": packed_product(),
    **{f"dense+{name} 128x768x3072": product(last="E") for name in ("relu", "gelu")},
    "softmax 1024^2": rows_of("O", ["total", "top"], ["total", "power", "top"]),
    "log_softmax 1024^2": rows_of("O", ["total", "top"], ["total", "top"]),
    "layernorm 1024^2": rows_of("O", ["square", "total"], ["scale", "square", "mean", "total"]),
    **{f"{name} 1M": pointwise() for name in ("gelu", "tanh", "exp", "log", "erf", "sin")},
    "conv 1x64x56x56 3x3": winograd,
    "conv 8x256x14x14 to 512": winograd,
    "gemm bf16 1024": dot_product("avx512_bf16_dot_16x2", 2, rows=4, registers=4),
    "gemm u8 x i8 1024": dot_product("avx512_vnni_dot_16x4", 4, rows=8, registers=2),
}
"""The schedules by name of the row."""
