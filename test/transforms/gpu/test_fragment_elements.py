"""Elementwise operations after a product, on the registers that hold its sums."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from test_tensor_copies import Copied
from test_warpgroup_products import EMULATOR

import kc
from kc import te, tir

PRODUCT = Copied(trans=True, size=(64, 16, 64), columns=16, depth=16)


def tensors(output: str) -> list[te.Tensor]:
    """D = max(A * B + bias, 0), with B stored by columns."""
    m, n, depth = PRODUCT.size
    A = te.placeholder((m, depth), "float16", name="A")
    B = te.placeholder((n, depth), "float16", name="B")
    bias = te.placeholder((n,), "float32", name="bias")
    k = te.reduce_axis((0, depth), name="k")

    def product(i: Any, j: Any) -> Any:
        return te.sum(A[i, k].astype("float32") * B[j, k].astype("float32"), axis=k)

    C = te.compute((m, n), product, name="C")
    zero = te.const(0, "float32")
    relu = te.compute((m, n), lambda i, j: tir.max(C[i, j] + bias[j], zero).astype(output), "D")
    return [A, B, bias, relu]


def schedule(output: str, *, tensorized: bool = True) -> tir.Schedule:
    """Four warps, whose sums stay where they are; those of D are stored."""
    sch = tir.Schedule(te.create_prim_func(tensors(output)), target=EMULATOR)
    C, D = sch.get_block("C"), sch.get_block("D")
    scope = f"{PRODUCT.spelled}.matrixC"
    sch.set_scope(C, 0, scope)
    i, j = sch.get_loops(D)
    block = sch.add_unit_loop(i)
    sch.bind(block, "blockIdx.x")
    sums = sch.cache_write(D, 0, scope)
    sch.reverse_compute_at(sums, block)
    sch.compute_at(C, block)
    i, j, k = sch.get_loops(C)[-3:]
    ko, k = sch.split(k, [None, PRODUCT.depth])
    sch.reorder(ko, i, j, k)
    for operand in (0, 1):
        PRODUCT._copy(sch, C, operand, ko)
    sch.decompose_reduction(C, ko)
    sch.tensorize(sch.get_loops("C_init")[-2], f"wgmma_fill_{PRODUCT.spelled}_f32")
    sch.tensorize(i, f"wgmma_sync_{PRODUCT.spelled}_f16f16f32_trans")
    if tensorized:
        stored = {"float16": "f16", "float32": "f32"}[output]
        sch.tensorize(sch.get_loops(sums)[-2], f"wgmma_store_{PRODUCT.spelled}_{stored}_global")
    return sch


def values(output: str) -> tuple[list[np.ndarray], np.ndarray]:
    """The arguments, and the result that is exact."""
    m, n, depth = PRODUCT.size
    r = np.random.default_rng(0)
    a, b = (r.integers(-4, 4, shape).astype("float16") for shape in ((m, depth), (n, depth)))
    bias = r.integers(-4, 4, n).astype("float32")
    expected = np.maximum(a.astype("float32") @ b.T.astype("float32") + bias, 0)
    return [a, b, bias], expected.astype(output)


@pytest.mark.parametrize("output", ["float16", pytest.param("float32", marks=pytest.mark.sweep)])
def test_the_result_is_that_of_numpy(output: str):
    """Halves are two in a register."""
    given, expected = values(output)
    result = np.full(expected.shape, np.nan, output)
    report = kc.gpu.check(kc.build(schedule(output), target=EMULATOR), *given, result)
    assert report.ok, str(report)
    np.testing.assert_array_equal(result, expected)


def test_by_default():
    """One kernel, without an array for the sums."""
    given, expected = values("float16")
    sch = kc.auto_schedule(tensors("float16"), target=EMULATOR)
    assert "wgmma_sync" in sch.trace.as_python()
    module = kc.build(sch, target=EMULATOR)
    result = np.full(expected.shape, np.nan, "float16")
    report = kc.gpu.check(module, *given, result)
    assert report.ok, str(report)
    np.testing.assert_array_equal(result, expected)
    assert {site.buffer for site in report.sites if site.memory == "global"} == {"bias", "D"}


@pytest.mark.sweep
def test_elements_that_are_stored_one_by_one():
    """Lanes store the elements that they hold, without an intrinsic."""
    given, expected = values("float16")
    module = kc.build(schedule("float16", tensorized=False), target=EMULATOR)
    result = np.full(expected.shape, np.nan, "float16")
    report = kc.gpu.check(module, *given, result)
    assert report.ok, str(report)
    np.testing.assert_array_equal(result, expected)
