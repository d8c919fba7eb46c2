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
        "  why: there are so many blocks along blockIdx.y, and cuda-emu allows 65535"
    )


def test_too_many_threads_together(rows: Any):
    assert refusal(rows, (1, 129)) == (
        "error[KC5132]: rows: the sizes of its arguments do not fit: 1024 >= 8 * m does not hold\n"
        "   |  m is 129, from argument 1 'A'\n"
        "  why: a block has so many threads, and cuda-emu allows 1024"
    )


def test_too_many_threads_along_an_axis(rows: Any):
    assert refusal(rows, (1, 1025)) == (
        "error[KC5132]: rows: the sizes of its arguments do not fit: 1024 >= m does not hold\n"
        "   |  m is 1025, from argument 1 'A'\n"
        "  why: there are so many threads along threadIdx.x, and cuda-emu allows 1024"
    )
