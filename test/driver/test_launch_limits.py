"""Sizes that a call alone knows: a launch beyond the limits of the GPU is refused there."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kc
from kc import te
from kc.support.diagnostics import CallError


@pytest.fixture(scope="module")
def rows() -> kc.runtime.Module:
    """Rows are blocks of blockIdx.y, by eights; columns threads."""
    n, m = te.var("n"), te.var("m")
    A = te.placeholder((n, m), name="A")
    B = te.compute((n, m), lambda i, j: A[i, j] + 1.0, name="B")
    s = te.create_schedule(B.op)
    block, row = s[B].split(B.op.axis[0], 8)
    axes = ("blockIdx.y", "threadIdx.y", "threadIdx.x")
    for loop, axis in zip((block, row, B.op.axis[1]), axes, strict=True):
        s[B].bind(loop, te.thread_axis(axis))
    return kc.build(s, [A, B], target="cuda-emu", name="rows")


@pytest.mark.parametrize("shape", [(9, 128), (524_280, 1), (0, 4)])
def test_what_fits_is_launched(rows: Any, shape: tuple[int, int]):
    a, b = np.ones(shape, "float32"), np.zeros(shape, "float32")
    rows(a, b)
    assert (b == 2).all()


def refusal(rows: Any, shape: tuple[int, int]) -> str:
    a = np.ones(shape, "float32")
    with pytest.raises(CallError) as caught:
        rows(a, a.copy())
    return str(caught.value)


def test_too_many_blocks(rows: Any):
    assert refusal(rows, (524_281, 1)) == (
        "error[KC5132]: rows: the sizes of its arguments do not fit: 65535 >= (n + 7) floordiv 8 "
        "does not hold\n"
        "   |  n is 524281, from argument 1 'A'\n"
        "  why: cuda-emu allows at most 65535 blocks along blockIdx.y"
    )


def test_too_many_threads_together(rows: Any):
    assert refusal(rows, (1, 129)) == (
        "error[KC5132]: rows: the sizes of its arguments do not fit: 1024 >= 8 * m does not hold\n"
        "   |  m is 129, from argument 1 'A'\n"
        "  why: cuda-emu allows at most 1024 threads in a block"
    )


LAUNCH = """
func.func @main(%A: memref<?xf32>, %y: index, %bytes: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %A, %c0 : memref<?xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %y, %gz = %c1)
      threads(%tx, %ty, %tz) in (%sx = %n, %sy = %y, %sz = %c1) dynamic_shared_memory_size %bytes {
    %x = arith.constant 1.0 : f32
    memref.store %x, %A[%tx] : memref<?xf32>
    gpu.terminator
  }
  func.return
}
"""


def test_launches_in_text_are_checked_where_they_are_made():
    module: Any = kc.build(kc.IRModule.parse(LAUNCH), target="cuda-emu")
    a = np.zeros(1024, "float32")
    module(a, 1, 49_152)
    assert (a == 1).all()
    for size, y, bytes_, said in (
        (1025, 1, 0, "blockDim.x = 1,025, must be 1 to 1,024"),
        (0, 1, 0, "blockDim.x = 0, must be 1 to 1,024"),
        (4, 70_000, 0, "gridDim.y = 70,000, must be 0 to 65,535"),
        (1024, 2, 0, "threads of a block = 2,048, must be 0 to 1,024"),
        (4, 1, 49_153, "bytes of dynamic shared memory = 49,153, must be 0 to 49,152"),
    ):
        a = np.zeros(size, "float32")
        with pytest.raises(CallError) as caught:
            module(a, y, bytes_)
        assert str(caught.value) == (
            f"error[KC6035]: main: a launch has {said}\n"
            "  why: the sizes of a launch are computed from the sizes of the arguments"
        )
        assert not a.any()


def test_too_many_threads_along_an_axis(rows: Any):
    assert refusal(rows, (1, 1025)) == (
        "error[KC5132]: rows: the sizes of its arguments do not fit: 1024 >= m does not hold\n"
        "   |  m is 1025, from argument 1 'A'\n"
        "  why: cuda-emu allows at most 1024 threads along threadIdx.x"
    )
