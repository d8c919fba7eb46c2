"""Recurrences in kernels, and reductions of which a loop of one iteration is around the kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kc
from kc import te
from kc.support.diagnostics import CodegenError

TARGET = "cuda-emu -arch=sm_80"


def axis(name: str) -> Any:
    return te.thread_axis(name)


def running_sums(m: Any, n: Any) -> tuple[Any, list[Any]]:
    X = te.placeholder((m, n), name="X")
    state = te.placeholder((m, n), name="S")
    init = te.compute((1, n), lambda _, i: X[0, i], name="init")
    update = te.compute((m, n), lambda t, i: state[t - 1, i] + X[t, i], name="update")
    scan = te.scan(init, update, state, inputs=[X])
    s = te.create_schedule(scan.op)
    for stage in (init, update):
        block, thread = s[stage].split(stage.op.axis[1], factor=32)
        s[stage].bind(block, axis("blockIdx.x"))
        s[stage].bind(thread, axis("threadIdx.x"))
    return s, [X, scan]


@pytest.mark.parametrize("sizes", [None, (8, 50)], ids=["any size", "8 x 50"])
def test_a_scan_by_its_usual_schedule(sizes: tuple[int, int] | None):
    """The first row is computed in its place: there is no copy on the host."""
    s, arrays = running_sums(*(sizes or (te.var("m"), te.var("n"))))
    module = kc.build(s, arrays, target="cuda -arch=sm_80")
    assert module.imported_modules[0].get_source().count(".entry") == 2
    for rows, columns in [sizes] if sizes else [(8, 50), (1, 7), (3, 64)]:
        x = np.random.default_rng(1).random((rows, columns), dtype="float32")
        y = np.zeros_like(x)
        report = kc.gpu.check(module, x, y)
        assert report.ok, str(report)
        np.testing.assert_allclose(y, np.cumsum(x, axis=0), rtol=1e-6)


def sums_of_rows(terms: int) -> tuple[Any, list[Any]]:
    """The outer part of the reduction is around the kernel."""
    A = te.placeholder((16, terms), name="A")
    r = te.reduce_axis((0, terms), name="r")
    B = te.compute((16,), lambda i: te.sum(A[i, r], axis=r), name="B")
    s = te.create_schedule(B.op)
    outer, inner = s[B].split(r, 32)
    s[B].reorder(outer, B.op.axis[0], inner)
    s[B].bind(B.op.axis[0], axis("blockIdx.x"))
    s[B].bind(inner, axis("threadIdx.x"))
    return s, [A, B]


@pytest.mark.parametrize("terms", [32, 20])
def test_one_iteration_around_the_kernel(terms: int):
    s, arrays = sums_of_rows(terms)
    a = np.random.default_rng(2).random((16, terms), dtype="float32")
    b = np.zeros(16, "float32")
    report = kc.gpu.check(kc.build(s, arrays, target=TARGET), a, b)
    assert report.ok, str(report)
    np.testing.assert_allclose(b, a.sum(axis=1), rtol=1e-5)


def test_two_iterations_are_two_launches():
    s, arrays = sums_of_rows(64)
    with pytest.raises(CodegenError) as caught:
        kc.build(s, arrays, target=TARGET)
    assert caught.value.code == "KC4227"
    assert "loop r_o of the reduction surrounds the kernel" in str(caught.value)
