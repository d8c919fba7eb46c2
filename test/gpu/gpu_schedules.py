"""Schedules for GPUs that tests share."""

from __future__ import annotations

from typing import Any

import numpy as np

from kc import te


def axis(name: str) -> Any:
    return te.thread_axis(name)


def bind(s: Any, tensor: Any, threads: int, block: str = "blockIdx.x") -> None:
    """Bind the first axis of a tensor to blocks of so many threads."""
    outer, inner = s[tensor].split(tensor.op.axis[0], threads)
    s[tensor].bind(outer, axis(block))
    s[tensor].bind(inner, axis("threadIdx.x"))


def add(n: int | None = None, dtype: str = "float32") -> tuple[Any, list[Any]]:
    """C = A + B, of any size by default."""
    size = te.var("n") if n is None else n
    A, B = te.placeholder((size,), dtype, name="A"), te.placeholder((size,), dtype, name="B")
    C = te.compute((size,), lambda i: A[i] + B[i], name="C")
    s = te.create_schedule(C.op)
    bind(s, C, 64)
    return s, [A, B, C]


def two_kernels() -> tuple[Any, list[Any]]:
    """D = 2 (A + B) + x, with the sum in memory of the device that the call allocates."""
    n = te.var("n")
    A, B = te.placeholder((n,), name="A"), te.placeholder((n,), name="B")
    x = te.var("x", "float32")
    C = te.compute((n,), lambda i: A[i] + B[i], name="C")
    D = te.compute((n,), lambda i: 2.0 * C[i] + x, name="D")
    s = te.create_schedule(D.op)
    bind(s, C, 64)
    bind(s, D, 32)
    return s, [A, B, x, D]


def wide_shared() -> tuple[Any, list[Any]]:
    """Each block reverses 20,000 elements by way of 80,000 bytes of shared memory."""
    n, rows = 20_000, 3
    A = te.placeholder((rows, n), name="A")
    B = te.compute((rows, n), lambda i, j: A[i, n - 1 - j], name="B")
    s = te.create_schedule(B.op)
    S = s.cache_read(A, "shared", [B])
    i, j = B.op.axis
    _, lane = s[B].split(j, 128)
    s[S].compute_at(s[B], i)
    s[B].bind(i, axis("blockIdx.x"))
    s[B].bind(lane, axis("threadIdx.x"))
    _, lane = s[S].split(S.op.axis[1], 128)
    s[S].bind(lane, axis("threadIdx.x"))
    return s, [A, B]


def symbolic_shared() -> tuple[Any, list[Any]]:
    """C[i, j] = B[i, m, m] * A[i, m], m = n - 1 - j: each block has a row of A and a matrix of B in
    its memory, 2 * n bytes and 4 * n * n behind them."""
    n, rows = te.var("n"), te.var("rows")
    A = te.placeholder((rows, n), "float16", name="A")
    B = te.placeholder((rows, n, n), name="B")

    def product(i: Any, j: Any) -> Any:
        m = n - 1 - j
        return B[i, m, m] * A[i, m].astype("float32")

    C = te.compute((rows, n), product, name="C")
    s = te.create_schedule(C.op)
    copies = [s.cache_read(tensor, "shared", [C]) for tensor in (A, B)]
    block, column = C.op.axis
    s[C].bind(block, axis("blockIdx.x"))
    s[C].bind(s[C].split(column, 32)[1], axis("threadIdx.x"))
    for copy in copies:
        s[copy].compute_at(s[C], block)
        s[copy].bind(s[copy].split(copy.op.axis[-1], 32)[1], axis("threadIdx.x"))
    return s, [A, B, C]


def random(*shape: int, dtype: str = "float32", seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)
