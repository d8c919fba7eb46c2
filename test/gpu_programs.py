"""Scheduled programs for GPUs, with what numpy gives for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator

import kc
from kc import te

BLOCKS = ("blockIdx.x", "blockIdx.y")
LANES = ("threadIdx.x", "threadIdx.y")


@dataclass(frozen=True)
class GpuProgram:
    """A schedule, what it is built of, and a function of arrays to what the outputs should be.

    ``inputs`` makes arrays, with those that the outputs are written to behind them.
    """

    schedule: Any
    args: Sequence[Any]
    inputs: Callable[[Generator], list[np.ndarray]]
    expected: Callable[..., np.ndarray]

    def lowered(self) -> kc.IRModule:
        """The scheduled loops."""
        return kc.lower(self.schedule, self.args)

    def check(self, module: Any, rtol: float = 0.0) -> None:
        """Call a built module, and compare the last array."""
        arrays = self.inputs(np.random.default_rng(0))
        module(*arrays)
        wanted = self.expected(*arrays[:-1])
        if rtol:
            np.testing.assert_allclose(arrays[-1], wanted, rtol=rtol, atol=rtol)
        else:
            np.testing.assert_array_equal(arrays[-1], wanted)


def numbers(random: Generator, shape: Any, dtype: str) -> np.ndarray:
    """Random numbers of any type, also large and negative ones."""
    if np.dtype(dtype).kind in "iu":
        limits = np.iinfo(dtype)
        return random.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    return random.normal(0, 4, shape).astype(dtype)


def add(dtype: str, size: int = 1003) -> GpuProgram:
    """A vector of any length plus one, by vectors of four and a tail."""
    n = te.var("n")
    A, B = (te.placeholder((n,), name=name, dtype=dtype) for name in "AB")
    C = te.compute((n,), lambda i: A[i] + B[i], name="C")
    s = te.create_schedule(C.op)
    block, i = s[C].split(C.op.axis[0], 256)
    thread, four = s[C].split(i, 4)
    s[C].bind(block, te.thread_axis("blockIdx.x"))
    s[C].bind(thread, te.thread_axis("threadIdx.x"))
    s[C].vectorize(four)
    return GpuProgram(
        s,
        [A, B, C],
        lambda random: [
            *(numbers(random, size, dtype) for _ in range(2)), np.zeros(size, dtype),
        ],
        lambda a, b: a + b,
    )  # fmt: skip


def reverse() -> GpuProgram:
    """Each block reverses 64 numbers by way of shared memory."""
    n = 512
    A = te.placeholder((n,), name="A")
    B = te.compute((n,), lambda i: A[i // 64 * 64 + 63 - i % 64] * 2.0, name="B")
    s = te.create_schedule(B.op)
    S = s.cache_read(A, "shared", [B])
    block, thread = s[B].split(B.op.axis[0], 64)
    s[S].compute_at(s[B], block)
    s[B].bind(block, te.thread_axis("blockIdx.x"))
    s[B].bind(thread, te.thread_axis("threadIdx.x"))
    s[S].bind(S.op.axis[0], te.thread_axis("threadIdx.x"))
    return GpuProgram(
        s,
        [A, B],
        lambda random: [numbers(random, n, "float32"), np.zeros(n, "float32")],
        lambda a: 2 * a.reshape(-1, 64)[:, ::-1].ravel(),
    )


def row_sums(threads: int = 128, dtype: str = "float32") -> GpuProgram:
    """The sums of rows, each by the threads of a block."""
    rows, columns = 8, 384
    A = te.placeholder((rows, columns), name="A", dtype=dtype)
    k = te.reduce_axis((0, columns), name="k")
    B = te.compute((rows,), lambda i: te.sum(A[i, k], axis=k), name="B")
    s = te.create_schedule(B.op)
    _, inner = s[B].split(s[B].op.reduce_axis[0], threads)
    s[B].bind(B.op.axis[0], te.thread_axis("blockIdx.x"))
    s[B].bind(inner, te.thread_axis("threadIdx.x"))
    return GpuProgram(
        s,
        [A, B],
        lambda random: [numbers(random, (rows, columns), dtype), np.zeros(rows, dtype)],
        lambda a: a.sum(axis=1, dtype=dtype),
    )


def softmax() -> GpuProgram:
    """The softmax of rows: a maximum, exponentials and a sum, in three kernels."""
    rows, columns = 6, 100
    A = te.placeholder((rows, columns), name="A")
    k, j = (te.reduce_axis((0, columns), name=name) for name in "kj")
    M = te.compute((rows,), lambda i: te.max(A[i, k], axis=k), name="M")
    E = te.compute((rows, columns), lambda i, c: te.exp(A[i, c] - M[i]), name="E")
    S = te.compute((rows,), lambda i: te.sum(E[i, j], axis=j), name="S")
    B = te.compute((rows, columns), lambda i, c: E[i, c] / S[i], name="B")
    s = te.create_schedule(B.op)
    for reduction in (M, S):
        _, inner = s[reduction].split(s[reduction].op.reduce_axis[0], 32)
        s[reduction].bind(reduction.op.axis[0], te.thread_axis("blockIdx.x"))
        s[reduction].bind(inner, te.thread_axis("threadIdx.x"))
    for stage in (E, B):
        block, thread = s[stage].split(s[stage].fuse(*stage.op.axis), 64)
        s[stage].bind(block, te.thread_axis("blockIdx.x"))
        s[stage].bind(thread, te.thread_axis("threadIdx.x"))

    def expected(a: np.ndarray) -> np.ndarray:
        powers = np.exp(a - a.max(axis=1, keepdims=True))
        return powers / powers.sum(axis=1, keepdims=True)

    return GpuProgram(
        s,
        [A, B],
        lambda random: [numbers(random, (rows, columns), "float32") for _ in range(2)],
        expected,
    )


def matmul(n: int = 64, tile: int = 32, threads: int = 8, depth: int = 8) -> GpuProgram:
    """A product of matrices by tiles in shared memory and in registers, copied ahead by four."""
    A, B = te.placeholder((n, n), name="A"), te.placeholder((n, n), name="B")
    k = te.reduce_axis((0, n), name="k")
    C = te.compute((n, n), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
    s = te.create_schedule(C.op)
    shared = [s.cache_read(tensor, "shared", [C]) for tensor in (A, B)]
    local = s.cache_write(C, "local")
    by, i = s[C].split(C.op.axis[0], tile)
    bx, j = s[C].split(C.op.axis[1], tile)
    ty, i = s[C].split(i, nparts=threads)
    tx, j = s[C].split(j, nparts=threads)
    s[C].reorder(by, bx, ty, tx, i, j)
    for loop, axis in zip((bx, by, tx, ty), (*BLOCKS, *LANES), strict=True):
        s[C].bind(loop, te.thread_axis(axis))
    s[local].compute_at(s[C], tx)
    i, j = s[local].op.axis
    ko, ki = s[local].split(s[local].op.reduce_axis[0], depth)
    s[local].reorder(ko, ki, i, j)
    for stage in shared:
        s[stage].compute_at(s[local], ko)
        fused, four = s[stage].split(s[stage].fuse(*s[stage].op.axis), 4)
        s[stage].vectorize(four)
        _, part = s[stage].split(fused, threads * threads)
        ty, tx = s[stage].split(part, threads)
        s[stage].bind(ty, te.thread_axis("threadIdx.y"))
        s[stage].bind(tx, te.thread_axis("threadIdx.x"))
        s[stage].double_buffer()
    return GpuProgram(
        s,
        [A, B, C],
        lambda random: [numbers(random, (n, n), "float32") for _ in range(3)],
        lambda a, b: a @ b,
    )


def elementwise(
    body: Callable[..., Any],
    expected: Callable[..., np.ndarray],
    inputs: Sequence[np.ndarray],
    out: str,
) -> GpuProgram:
    """An expression of numbers, one of each array, by one thread an element."""
    n = len(inputs[0])
    tensors = [
        te.placeholder((n,), name="ABCD"[i], dtype=str(array.dtype))
        for i, array in enumerate(inputs)
    ]
    Z = te.compute((n,), lambda i: body(*(tensor[i] for tensor in tensors)), name="Z")
    s = te.create_schedule(Z.op)
    block, thread = s[Z].split(Z.op.axis[0], 32)
    s[Z].bind(block, te.thread_axis("blockIdx.x"))
    s[Z].bind(thread, te.thread_axis("threadIdx.x"))
    return GpuProgram(
        s,
        [*tensors, Z],
        lambda _: [*(array.copy() for array in inputs), np.zeros(n, out)],
        expected,
    )


VECTORS = """
module attributes {gpu.container_module} {
  func.func @f(%A: memref<64xf32>, %B: memref<64xi8>, %Z: memref<64xf32>) {
    %one = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%one, %one, %one) threads in (%one, %one, %one)
        args(%A : memref<64xf32>, %B : memref<64xi8>, %Z : memref<64xf32>)
    func.return
  }
  gpu.module @m {
    gpu.func @k(%A: memref<64xf32>, %B: memref<64xi8>, %Z: memref<64xf32>) kernel {
      %c0 = arith.constant 0 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c8 = arith.constant 8 : index
      %c13 = arith.constant 13 : index
      %c20 = arith.constant 20 : index
      %c32 = arith.constant 32 : index
      %c40 = arith.constant 40 : index
      %c50 = arith.constant 50 : index
      %c56 = arith.constant 56 : index
      %a = vector.load %A[%c0] {alignment = 16 : i64} : memref<64xf32>, vector<4xf32>
      %b = vector.load %A[%c13] : memref<64xf32>, vector<4xf32>
      %mask = vector.create_mask %c3 : vector<4xi1>
      %rest = arith.constant dense<[7.0, 8.0, 9.0, 10.0]> : vector<4xf32>
      %c = vector.maskedload %A[%c20], %mask, %rest
          : memref<64xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
      %d = vector.fma %a, %b, %c : vector<4xf32>
      vector.store %d, %Z[%c0] : memref<64xf32>, vector<4xf32>
      %low = arith.cmpf olt, %a, %b : vector<4xf32>
      vector.maskedstore %Z[%c4], %low, %d : memref<64xf32>, vector<4xi1>, vector<4xf32>
      %e = vector.shuffle %a, %b [7, 0, 5, 2, 1] : vector<4xf32>, vector<4xf32>
      %two = arith.constant 2.0 : f32
      %s = vector.broadcast %two : f32 to vector<5xf32>
      %t = arith.mulf %e, %s : vector<5xf32>
      vector.store %t, %Z[%c8] : memref<64xf32>, vector<5xf32>
      %x = vector.extract %a[2] : f32 from vector<4xf32>
      %i = vector.insert %x, %b[0] : f32 into vector<4xf32>
      vector.store %i, %Z[%c20] {alignment = 16 : i64} : memref<64xf32>, vector<4xf32>
      %sum = vector.reduction <add>, %a, %two : vector<4xf32> into f32
      %most = vector.reduction <maximumf>, %b : vector<4xf32> into f32
      memref.store %sum, %Z[%c32] : memref<64xf32>
      %c33 = arith.constant 33 : index
      memref.store %most, %Z[%c33] : memref<64xf32>
      %u = vector.load %B[%c0] {alignment = 16 : i64} : memref<64xi8>, vector<16xi8>
      %v = vector.load %B[%c13] : memref<64xi8>, vector<16xi8>
      %w = arith.muli %u, %v : vector<16xi8>
      %less = arith.cmpi ult, %u, %v : vector<16xi8>
      %three = arith.constant dense<3> : vector<16xi8>
      %large = arith.cmpi sgt, %u, %three : vector<16xi8>
      %both = arith.andi %less, %large : vector<16xi1>
      %picked = arith.select %both, %w, %three : vector<16xi1>, vector<16xi8>
      vector.store %picked, %B[%c40] : memref<64xi8>, vector<16xi8>
      %wide = arith.sitofp %picked : vector<16xi8> to vector<16xf32>
      %total = vector.reduction <add>, %wide : vector<16xf32> into f32
      memref.store %total, %Z[%c40] : memref<64xf32>
      %start = arith.constant dense<0.0> : vector<4xf32>
      %all = scf.for %n = %c0 to %c3 step %c3 iter_args(%so_far = %start) -> (vector<4xf32>) {
        %next = arith.addf %so_far, %a : vector<4xf32>
        scf.yield %next : vector<4xf32>
      }
      vector.store %all, %Z[%c50] : memref<64xf32>, vector<4xf32>
      %yes = arith.cmpi slt, %c0, %c3 : index
      %chosen = scf.if %yes -> (vector<4xf32>) {
        scf.yield %b : vector<4xf32>
      } else {
        scf.yield %rest : vector<4xf32>
      }
      vector.store %chosen, %Z[%c56] : memref<64xf32>, vector<4xf32>
      gpu.return
    }
  }
}
"""
"""A kernel with each operation on vectors; A and B are read, B and Z written."""
