"""Kernels whose threads are loops compute what numpy does, and what coroutines do."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import kc
from kc.support.registry import context, get_pass

TARGET = "cuda-emu -arch=sm_80"
SHARED = "memref<96xf32, #gpu.address_space<workgroup>>"


def kernel(body: str, *, threads: tuple[int, int, int] = (96, 1, 1), memory: str = "") -> str:
    """A and B of 2 x 96 numbers, and two blocks of 96 threads."""
    sizes = ", ".join(f"%s{n}" for n in range(3))
    constants = "\n".join(
        f"    %s{n} = arith.constant {size} : index" for n, size in enumerate(threads)
    )
    return f"""module attributes {{gpu.container_module}} {{
  func.func @main(%A: memref<2x96xf32>, %B: memref<2x96xf32>) {{
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
{constants}
    gpu.launch_func @m::@k blocks in (%c2, %c1, %c1) threads in ({sizes})
        args(%A : memref<2x96xf32>, %B : memref<2x96xf32>)
    func.return
  }}
  gpu.module @m {{
    gpu.func @k(%A: memref<2x96xf32>, %B: memref<2x96xf32>) workgroup(%S : {SHARED}) {memory} kernel
    {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c32 = arith.constant 32 : index
      %c95 = arith.constant 95 : index
      %one = arith.constant 1 : i32
      %two = arith.constant 2 : i32
      %eight = arith.constant 8 : i32
      %w = arith.constant 32 : i32
      %w16 = arith.constant 16 : i32
      %b = gpu.block_id x
      %x = gpu.thread_id x
      %y = gpu.thread_id y
      %z = gpu.thread_id z
      %nx = gpu.block_dim x
      %ny = gpu.block_dim y
      %zy = arith.muli %z, %ny : index
      %row = arith.addi %zy, %y : index
      %before = arith.muli %row, %nx : index
      %t = arith.addi %before, %x : index
      %r = arith.subi %c95, %t : index
      %a = memref.load %A[%b, %t] : memref<2x96xf32>
      {body}
      gpu.return
    }}
  }}
}}
"""


def _down(a: np.ndarray, far: int, width: int = 32) -> np.ndarray:
    lanes = np.arange(96)
    return a[:, np.where(lanes % width + far < width, lanes + far, lanes)]


STORE = "memref.store %{}, %B[%b, %t] : memref<2x96xf32>"

VALUES_OF_OTHERS = f"""
      memref.store %a, %S[%t] : {SHARED}
      gpu.barrier
      %0 = memref.load %S[%r] : {SHARED}
      %1 = arith.subf %a, %0 : f32
      {STORE.format("1")}"""

EXCHANGED_IN_A_LOOP = f"""
      %sum, %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%u = %a, %v = %a) -> (f32, f32) {{
        %n, %valid = gpu.shuffle up %u, %one, %w : f32
        %s = arith.addf %v, %n : f32
        scf.yield %s, %u : f32, f32
      }}
      %0 = arith.subf %sum, %last : f32
      {STORE.format("0")}"""

TWICE_THE_SAME = f"""
      %ti = arith.index_cast %t : index to i32
      %p, %v0 = gpu.shuffle down %ti, %one, %w : i32
      %q, %v1 = gpu.shuffle down %ti, %two, %w16 : i32
      %pq = arith.subi %p, %q : i32
      %f = arith.sitofp %pq : i32 to f32
      %0 = arith.addf %f, %a : f32
      {STORE.format("0")}"""

BRANCHES = f"""
      %is_first = arith.cmpi eq, %b, %c0 : index
      %0 = scf.if %is_first -> (f32) {{
        memref.store %a, %S[%t] : {SHARED}
        gpu.barrier
        %1 = memref.load %S[%r] : {SHARED}
        scf.yield %1 : f32
      }} else {{
        %2, %valid = gpu.shuffle xor %a, %eight, %w : f32
        scf.yield %2 : f32
      }}
      %3 = arith.addf %0, %a : f32
      {STORE.format("3")}"""

PRIVATE = f"""
      %V = memref.alloca() : memref<4xf32>
      scf.for %i = %c0 to %c4 step %c1 {{
        memref.store %a, %V[%i] : memref<4xf32>
      }}
      scf.for %i = %c0 to %c4 step %c1 {{
        %0 = memref.load %V[%i] : memref<4xf32>
        memref.store %0, %S[%t] : {SHARED}
        gpu.barrier
        %1 = memref.load %S[%r] : {SHARED}
        %2 = arith.addf %1, %0 : f32
        memref.store %2, %V[%c0] : memref<4xf32>
        gpu.barrier
      }}
      %3 = memref.load %V[%c0] : memref<4xf32>
      {STORE.format("3")}"""

VECTORS = f"""
      %pair = vector.broadcast %a : f32 to vector<4xf32>
      memref.store %a, %S[%t] : {SHARED}
      gpu.barrier
      %0 = memref.load %S[%r] : {SHARED}
      %1 = vector.extract %pair[2] : f32 from vector<4xf32>
      %2 = arith.mulf %0, %1 : f32
      {STORE.format("2")}"""

LANES = f"""
      %lane = gpu.lane_id
      %warp = gpu.subgroup_id : index
      %g = gpu.global_id x
      memref.store %a, %S[%t] : {SHARED}
      gpu.barrier
      %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%s = %a) -> (f32) {{
        %id = gpu.lane_id
        %idi = arith.index_cast %id : index to i32
        %idf = arith.sitofp %idi : i32 to f32
        %n = arith.addf %s, %idf : f32
        scf.yield %n : f32
      }}
      %1 = arith.muli %warp, %c32 : index
      %2 = arith.addi %1, %lane : index
      %3 = memref.load %S[%2] : {SHARED}
      %gi = arith.index_cast %g : index to i32
      %gf = arith.sitofp %gi : i32 to f32
      %4 = arith.addf %0, %3 : f32
      %5 = arith.addf %4, %gf : f32
      {STORE.format("5")}"""


def _loop(a: np.ndarray) -> np.ndarray:
    u, v = a, a
    for _ in range(4):
        u, v = v + u[:, np.where(_T % 32, _T - 1, _T)], u
    return u - v


def _private(a: np.ndarray) -> np.ndarray:
    first = a
    for i in range(4):
        own = first if i == 0 else a
        first = own[:, ::-1] + own
    return first


_T = np.arange(96)
CASES = {
    "values of others": (VALUES_OF_OTHERS, lambda a: a - a[:, ::-1]),
    "exchanged in a loop": (EXCHANGED_IN_A_LOOP, _loop),
    "twice the same": (
        TWICE_THE_SAME,
        lambda a: a + _down(_T[None], 1)[0] - _down(_T[None], 2, 16)[0],
    ),
    "branches": (BRANCHES, lambda a: np.stack([a[0] + a[0, ::-1], a[1] + a[1, _T ^ 8]])),
    "private": (PRIVATE, _private),
    "vectors": (VECTORS, lambda a: a * a[:, ::-1]),
}


@pytest.mark.parametrize("name", CASES)
def test_a_kernel(name: str):
    body, expected = CASES[name]
    check(kernel(body), expected)


def test_a_block_of_three_dimensions():
    body, expected = CASES["exchanged in a loop"]
    check(kernel(body, threads=(8, 4, 3)), expected)


def test_numbers_of_lanes():
    check(kernel(LANES), lambda a: 2 * a + 4 * (_T % 32) + np.stack([_T, _T + 96]))


def check(text: str, expected: Callable[[np.ndarray], np.ndarray]) -> None:
    """The kernel becomes loops, and computes this as such and as coroutines."""
    module = kc.IRModule.parse(text)
    get_pass("gpu-serialize-threads").apply(context(), module.op)
    module.op.verify()
    assert "kc.serial_threads" in str(module)
    assert "gpu.barrier" not in str(module)
    assert "gpu.shuffle" not in str(module)
    a = np.random.default_rng(0).integers(-50, 50, (2, 96)).astype("float32")
    b = np.zeros_like(a)
    kc.build(module, target=TARGET)(a, b)
    np.testing.assert_array_equal(b, expected(a))
    b[:] = 0
    report = kc.gpu.check(text, a, b)
    assert report.ok, str(report)
    np.testing.assert_array_equal(b, expected(a))


def test_barriers_that_come_one_by_one_are_left_to_coroutines():
    """Both halves wait, each at its own barrier: no GPU says what happens; all come to an end."""
    body = f"""
      %few = arith.cmpi ult, %t, %c32 : index
      scf.if %few {{
        gpu.barrier
      }} else {{
        gpu.barrier
      }}
      {STORE.format("a")}"""
    module = kc.IRModule.parse(kernel(body))
    before = str(module)
    get_pass("gpu-serialize-threads").apply(context(), module.op)
    assert str(module) == before
    a = np.random.default_rng(0).standard_normal((2, 96)).astype("float32")
    b = np.zeros_like(a)
    kc.build(module, target=TARGET)(a, b)
    np.testing.assert_array_equal(b, a)


def test_a_launch_of_another_size_than_the_kernel_states():
    """The threads of the launch run, all of them."""
    body, expected = CASES["values of others"]
    text = kernel(body).replace(
        " kernel\n    {", " kernel\n    attributes {known_block_size = array<i32: 32, 1, 1>} {"
    )
    assert "known_block_size" in text
    check(text, expected)
