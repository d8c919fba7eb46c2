"""Transposed convolutions: convolutions for the places modulo the strides, in tiles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kc
from kc import te, topi
from kc.dialects.tir import BlockOp, IfOp, StoreOp
from kc.target import Target

ZEN4 = Target("llvm -mcpu=znver4 -num-cores=1")

CASES = {
    "stride 1": ((2, 5, 9, 11), (5, 3, 4, 4), (1, 1), 1, (0, 0), 1),
    "stride 1 to many channels": ((1, 17, 7, 7), (17, 37, 3, 3), (1, 1), 0, (0, 0), 1),
    "taps are a multiple of the stride": ((1, 9, 8, 13), (9, 21, 4, 4), (2, 2), 1, (1, 0), 1),
    "phases of two numbers of taps": ((2, 11, 8, 9), (11, 17, 3, 3), (2, 2), 0, (0, 1), 1),
    "two strides": ((1, 12, 6, 12), (12, 19, 3, 2), (3, 1), (1, 1), (2, 0), 1),
    "groups": ((1, 24, 7, 9), (24, 9, 3, 3), (2, 1), 1, (0, 0), 2),
    "groups, stride 1": ((1, 24, 6, 8), (24, 9, 3, 3), (1, 1), 1, (0, 0), 2),
    "stride beyond the taps": ((1, 6, 7, 5), (6, 18, 2, 2), (3, 3), 0, (0, 0), 1),
}


def tensors_of(name: str, batch: Any = None) -> list[Any]:
    shape, weights, steps, pad, more, groups = CASES[name]
    X = te.placeholder((shape[0] if batch is None else batch, *shape[1:]), name="X")
    F = te.placeholder(weights, name="F")
    if groups == 1:
        result = topi.nn.conv2d_transpose_nchw(X, F, steps, pad, "float32", more)
    else:
        result = topi.nn.group_conv2d_transpose_nchw(X, F, steps, pad, "float32", more, groups)
    return [X, F, result]


def expected(x: np.ndarray, f: np.ndarray, name: str) -> np.ndarray:
    """Each element adds its products with the taps to the results from its place on."""
    _, _, steps, pad, more, groups = CASES[name]
    heads = (pad, pad) if isinstance(pad, int) else pad
    n, channels, *size = x.shape
    taps, width = f.shape[2:], f.shape[1]
    whole = [(s - 1) * t + k + e for s, t, k, e in zip(size, steps, taps, more, strict=True)]
    sums = np.zeros((n, width * groups, *whole))
    each = channels // groups
    for g in range(groups):
        inputs, weights = (at[..., g * each : (g + 1) * each, :, :] for at in (x, f.swapaxes(0, 1)))
        for p, q in np.ndindex(*taps):
            part = np.einsum("ncyx,oc->noyx", inputs.astype("float64"), weights[:, :, p, q])
            rows = slice(p, p + (size[0] - 1) * steps[0] + 1, steps[0])
            columns = slice(q, q + (size[1] - 1) * steps[1] + 1, steps[1])
            sums[:, g * width : (g + 1) * width, rows, columns] += part
    return sums[:, :, heads[0] : whole[0] - heads[0], heads[1] : whole[1] - heads[1]]


def data(name: str) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(len(name))
    shape, weights, *_ = CASES[name]
    return (
        rng.standard_normal(shape).astype("float32"),
        rng.standard_normal(weights).astype("float32"),
    )


@pytest.mark.parametrize("name", CASES)
def test_results(name: str):
    x, f = data(name)
    result = kc.build(tensors_of(name))(x, f)
    np.testing.assert_allclose(result, expected(x, f, name), rtol=1e-4, atol=1e-4)


def test_results_of_a_batch_that_a_call_says():
    name = "phases of two numbers of taps"
    x, f = data(name)
    function = kc.build(tensors_of(name, te.var("n")))
    result = np.empty(expected(x, f, name).shape, "float32")
    function(x, f, result)
    np.testing.assert_allclose(result, expected(x, f, name), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", [name for name in CASES if name != "stride beyond the taps"])
def test_each_convolution_has_tiles_without_conditions(name: str):
    """Sums are in local memory, in vectors; no product asks whether there is such a tap."""
    chosen = kc.auto_schedule(tensors_of(name), target=ZEN4)
    blocks = [op for op in chosen.mod.op.walk() if isinstance(op, BlockOp) and op.is_reduction]
    assert blocks
    for block in blocks:
        assert not any(isinstance(op, IfOp) or op.name == "scf.if" for op in block.walk())
        (written,) = {op.buffer for op in block.walk() if isinstance(op, StoreOp)}
        assert "local" in str(written.type), block.label
