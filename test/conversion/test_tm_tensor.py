"""torch-mlir's tm_tensor, and linalg.softmax, compute what numpy does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kc
from kc.analysis.interpreter import run
from kc.support.diagnostics import KCError

RANDOM = np.random.default_rng(3)
X = RANDOM.integers(-5, 6, (3, 6)).astype("f4")
ROWS = RANDOM.standard_normal((2, 3, 4)).astype("f4")


def function(arguments: str, results: str, body: str) -> str:
    """A function of tensors."""
    return f"func.func @main({arguments}) -> ({results}) {{\n{body}\n}}"


def softmax(x: np.ndarray, axis: int) -> np.ndarray:
    powers = np.exp(x - x.max(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


def attention(q: np.ndarray, k: np.ndarray, v: np.ndarray, mask: Any = None) -> np.ndarray:
    weights = q @ k.swapaxes(-1, -2) / np.float32(np.sqrt(q.shape[-1]))
    if mask is not None:
        weights = (
            np.where(mask, weights, np.float32(-np.inf)) if mask.dtype == bool else weights + mask
        )
    return softmax(weights, -1) @ v


def scattered(x: np.ndarray, new: np.ndarray, at: np.ndarray) -> np.ndarray:
    result = x.copy()
    for update, (place,) in zip(new, at, strict=True):
        if 0 <= place < len(result):
            result[place] += update
    return result


SCAN = """
  %t = tm_tensor.scan dimension(1) inclusive({inclusive})
    ins(%x : tensor<{n}x6xf32>) outs(%e, %acc : tensor<{n}x6xf32>, tensor<{n}xf32>) {{
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tm_tensor.yield %s : f32
  }} -> tensor<{n}x6xf32>, tensor<{n}xf32>
"""


def scan(inclusive: bool) -> str:
    text = SCAN.format(inclusive=str(inclusive).lower(), n=3).replace("%t =", "%t:2 =")
    return function(
        "%x: tensor<3x6xf32>",
        "tensor<3x6xf32>, tensor<3xf32>",
        "%z = arith.constant 0.0 : f32\n%e = tensor.empty() : tensor<3x6xf32>\n"
        "%f = tensor.empty() : tensor<3xf32>\n"
        "%acc = linalg.fill ins(%z : f32) outs(%f : tensor<3xf32>) -> tensor<3xf32>\n"
        f"{text}\nreturn %t#0, %t#1 : tensor<3x6xf32>, tensor<3xf32>",
    )


SCATTER = function(
    "%x: tensor<?x4xf32>, %new: tensor<?x4xf32>, %at: tensor<?x1xi64>",
    "tensor<?x4xf32>",
    """
  %t = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false)
    ins(%new, %at : tensor<?x4xf32>, tensor<?x1xi64>) outs(%x : tensor<?x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %b, %a : f32
    tm_tensor.yield %s : f32
  } -> tensor<?x4xf32>
  return %t : tensor<?x4xf32>""",
)
PUT = function(
    "%x: tensor<4x3xi32>, %new: tensor<3xi32>, %at: tensor<3x2xi32>",
    "tensor<4x3xi32>",
    """
  %t = tm_tensor.scatter unique_indices(true)
    ins(%new, %at : tensor<3xi32>, tensor<3x2xi32>) outs(%x : tensor<4x3xi32>) {
  ^bb0(%a: i32, %b: i32):
    tm_tensor.yield %a : i32
  } -> tensor<4x3xi32>
  return %t : tensor<4x3xi32>""",
)
SORT = function(
    "%x: tensor<3x6xf32>",
    "tensor<3x6xf32>, tensor<3x6xi64>",
    """
  %e = tensor.empty() : tensor<3x6xi64>
  %i = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel"]} outs(%e : tensor<3x6xi64>) {
  ^bb0(%out: i64):
    %n = linalg.index 1 : index
    %m = arith.index_cast %n : index to i64
    linalg.yield %m : i64
  } -> tensor<3x6xi64>
  %t:2 = tm_tensor.sort dimension(1) outs(%x, %i : tensor<3x6xf32>, tensor<3x6xi64>) {
  ^bb0(%a: f32, %b: f32, %c: i64, %d: i64):
    %o = arith.cmpf oge, %a, %b : f32
    tm_tensor.yield %o : i1
  } -> tensor<3x6xf32>, tensor<3x6xi64>
  return %t#0, %t#1 : tensor<3x6xf32>, tensor<3x6xi64>""",
)
TOPK = function(
    "%x: tensor<3x6xf32>",
    "tensor<3x4xf32>, tensor<3x4xi64>",
    """
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<3x4xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<3x4xf32>) -> tensor<3x4xf32>
  %i = tensor.empty() : tensor<3x4xi64>
  %t:2 = tm_tensor.topk dimension(1) ins(%x : tensor<3x6xf32>)
    outs(%f, %i : tensor<3x4xf32>, tensor<3x4xi64>) {
  ^bb0(%a: f32, %b: f32):
    %o = arith.cmpf ogt, %a, %b : f32
    tm_tensor.yield %o : i1
  } -> tensor<3x4xf32>, tensor<3x4xi64>
  return %t#0, %t#1 : tensor<3x4xf32>, tensor<3x4xi64>""",
)


def attends(mask: str) -> str:
    given = f", %m: tensor<2x3x5x{mask}>" if mask else ""
    operand, type_ = (", %m", f", tensor<2x3x5x{mask}>") if mask else ("", "")
    shapes = ("2x3x5x4", "2x3x5x4", "2x3x5x6", "2x3x5x6")
    q, k, v, o = (f"tensor<{shape}xf32>" for shape in shapes)
    return function(
        f"%q: {q}, %k: {k}, %v: {v}{given}",
        o,
        f"%e = tensor.empty() : {o}\n%r = tm_tensor.attention ins(%q, %k, %v{operand} : {q}, {k}, "
        f"{v}{type_}) outs(%e : {o}) -> {o}\nreturn %r : {o}",
    )


Q, K, V = (RANDOM.standard_normal((2, 3, 5, n)).astype("f4") for n in (4, 4, 6))
BIAS = RANDOM.standard_normal((2, 3, 5, 5)).astype("f4")
SEEN = np.broadcast_to(np.tri(5, dtype=bool), (2, 3, 5, 5)).copy()
ORDER = np.argsort(-X, 1, kind="stable")

CASES: dict[str, tuple[str, list[np.ndarray], Callable[..., list[np.ndarray]]]] = {
    "softmax": (
        function(
            "%x: tensor<2x?x4xf32>",
            "tensor<2x?x4xf32>",
            "%c = arith.constant 1 : index\n%n = tensor.dim %x, %c : tensor<2x?x4xf32>\n"
            "%e = tensor.empty(%n) : tensor<2x?x4xf32>\n"
            "%r = linalg.softmax dimension(1) ins(%x : tensor<2x?x4xf32>) outs(%e : "
            "tensor<2x?x4xf32>) -> tensor<2x?x4xf32>\nreturn %r : tensor<2x?x4xf32>",
        ),
        [ROWS],
        lambda x: [softmax(x, 1)],
    ),
    "attention": (attends(""), [Q, K, V], lambda *args: [attention(*args)]),
    "attention_biased": (attends("5xf32"), [Q, K, V, BIAS], lambda *args: [attention(*args)]),
    "attention_masked": (attends("5xi1"), [Q, K, V, SEEN], lambda *args: [attention(*args)]),
    "scan": (scan(True), [X], lambda x: [x.cumsum(1), x.sum(1)]),
    "scan_exclusive": (
        scan(False),
        [X],
        lambda x: [np.pad(x.cumsum(1)[:, :-1], ((0, 0), (1, 0))), x[:, :-1].sum(1)],
    ),
    "scatter": (
        SCATTER,
        [X[:, :4].copy(), X[:, 2:].copy() + 1, np.array([[2], [0], [2]])],
        lambda *args: [scattered(*args)],
    ),
    "scatter_outside": (
        SCATTER,
        [X[:, :4].copy(), X[:, 2:].copy() + 1, np.array([[-1], [3], [1]])],
        lambda *args: [scattered(*args)],
    ),
    "scatter_elements": (
        PUT,
        [
            np.zeros((4, 3), "i4"),
            np.array([7, 8, 9], "i4"),
            np.array([[0, 2], [3, 1], [1, 1]], "i4"),
        ],
        lambda x, new, at: [np.array([[0, 0, 7], [0, 9, 0], [0, 0, 0], [0, 8, 0]], "i4")],
    ),
    "sort": (SORT, [X], lambda x: [np.take_along_axis(x, ORDER, 1), ORDER]),
    "topk": (TOPK, [X], lambda x: [np.take_along_axis(x, ORDER, 1)[:, :4], ORDER[:, :4]]),
}


@pytest.mark.parametrize("name", CASES)
def test_numbers(name: str):
    text, arrays, expected = CASES[name]
    module = kc.IRModule.parse(text)
    assert str(kc.IRModule.parse(str(module))) == str(module)
    results = kc.build(module)(*(array.copy() for array in arrays))
    results = results if isinstance(results, tuple | list) else [results]
    outs = [np.zeros_like(np.asarray(wanted)) for wanted in expected(*arrays)]
    run(kc.lower(module).op, "main", [*(array.copy() for array in arrays), *outs])
    for given in (results, outs):
        for result, wanted in zip(given, expected(*arrays), strict=True):
            np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-6)


def test_softmax_in_memory():
    text = (
        "func.func @main(%x: memref<3x6xf32>, %y: memref<3x6xf32>) {\n"
        "linalg.softmax dimension(0) ins(%x : memref<3x6xf32>) outs(%y : memref<3x6xf32>)\n"
        "return\n}"
    )
    y = np.zeros_like(X)
    kc.build(kc.IRModule.parse(text))(X, y)
    np.testing.assert_allclose(y, softmax(X, 0), rtol=1e-5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            SCATTER.replace("?x1xi64", "?x2xi64"),
            "tm_tensor.scatter: [0] must be 2 different dimensions of 2",
        ),
        (
            SORT.replace("dimension(1)", "dimension(2)"),
            "tm_tensor.sort: dimension 2 is out of range for rank 2",
        ),
        (
            scan(True).replace("^bb0(%a: f32, %b: f32)", "^bb0(%a: f32, %b: f32, %c: f32)"),
            "tm_tensor.scan: the body is one block that takes f32, f32",
        ),
        (
            attends("5xi8"),
            "tm_tensor.attention: all elements are of f32",
        ),
        (
            CASES["softmax"][0].replace("dimension(1)", "dimension(3)"),
            "linalg.softmax: dimension 3 is one of both, of 3",
        ),
    ],
)
def test_what_is_no_op(text: str, message: str):
    with pytest.raises(KCError) as raised:
        kc.IRModule.parse(text)
    assert raised.value.message == message


def test_copies_between_memrefs_without_a_rank_are_refused():
    text = (
        "func.func @main(%a: memref<4xf32>, %b: memref<*xf32>) {\n"
        "memref.copy %a, %b : memref<4xf32> to memref<*xf32>\nreturn\n}"
    )
    with pytest.raises(KCError, match=r"memref<\*xf32>"):
        kc.tir.Schedule(kc.IRModule.parse(text))
