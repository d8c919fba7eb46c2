"""Tensors that conditions, loops and calls give: numpy's numbers, natively and interpreted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kc
from kc.analysis.interpreter import run
from kc.support.diagnostics import KCError

TEXT = """
func.func @doubled(%a: tensor<4xf32>, %n: i32) -> (tensor<4xf32>, i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.while (%x = %a, %i = %c0) : (tensor<4xf32>, i32) -> (tensor<4xf32>, i32) {
    %c = arith.cmpi slt, %i, %n : i32
    scf.condition(%c) %x, %i : tensor<4xf32>, i32
  } do {
  ^bb0(%x: tensor<4xf32>, %i: i32):
    %y = arith.addf %x, %x : tensor<4xf32>
    %j = arith.addi %i, %c1 : i32
    scf.yield %y, %j : tensor<4xf32>, i32
  }
  return %r#0, %r#1 : tensor<4xf32>, i32
}
// What goes on is in another order than what arrives, computed, and there twice.
func.func @turned(%a: tensor<4xf32>, %b: tensor<4xf32>, %n: i32)
    -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:5 = scf.while (%x = %a, %i = %c0, %y = %b) : (tensor<4xf32>, i32, tensor<4xf32>)
      -> (i32, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %c = arith.cmpi slt, %i, %n : i32
    %z = arith.subf %x, %y : tensor<4xf32>
    scf.condition(%c) %i, %y, %z, %x, %x
      : i32, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  } do {
  ^bb0(%i: i32, %y: tensor<4xf32>, %z: tensor<4xf32>, %x: tensor<4xf32>, %w: tensor<4xf32>):
    %j = arith.addi %i, %c1 : i32
    scf.yield %y, %j, %z : tensor<4xf32>, i32, tensor<4xf32>
  }
  return %r#1, %r#2, %r#3, %r#4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
func.func @squared(%a: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d = tensor.dim %a, %c0 : tensor<?xf32>
  %r:2 = scf.while (%x = %a, %i = %c0) : (tensor<?xf32>, index) -> (tensor<?xf32>, index) {
    %c = arith.cmpi ult, %i, %d : index
    scf.condition(%c) %x, %i : tensor<?xf32>, index
  } do {
  ^bb0(%x: tensor<?xf32>, %i: index):
    %v = tensor.extract %x[%i] : tensor<?xf32>
    %w = arith.mulf %v, %v : f32
    %y = tensor.insert %w into %x[%i] : tensor<?xf32>
    %j = arith.addi %i, %c1 : index
    scf.yield %y, %j : tensor<?xf32>, index
  }
  return %r#0 : tensor<?xf32>
}
func.func @either(%a: tensor<?xf32>, %c: i1) -> tensor<?xf32> {
  %r = scf.if %c -> tensor<?xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %a, %c0 : tensor<?xf32>
    %e = tensor.empty(%n) : tensor<?xf32>
    %t = linalg.exp ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    scf.yield %t : tensor<?xf32>
  } else {
    scf.yield %a : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
func.func @switched(%a: tensor<4xf32>, %k: index) -> (tensor<4xf32>, f32) {
  %one = arith.constant 1.0 : f32
  %two = arith.constant 2.0 : f32
  %r:2 = scf.index_switch %k -> tensor<4xf32>, f32
  case 0 {
    %t = scf.execute_region -> tensor<4xf32> {
      %u = arith.addf %a, %a : tensor<4xf32>
      scf.yield %u : tensor<4xf32>
    }
    scf.yield %t, %two : tensor<4xf32>, f32
  }
  default {
    scf.yield %a, %one : tensor<4xf32>, f32
  }
  return %r#0, %r#1 : tensor<4xf32>, f32
}
func.func @callers(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r:2 = func.call @both(%a) : (tensor<4xf32>) -> (tensor<4xf32>, f32)
  %s:2 = func.call @both(%r#0) : (tensor<4xf32>) -> (tensor<4xf32>, f32)
  %t = tensor.splat %s#1 : tensor<4xf32>
  %u = arith.mulf %s#0, %t : tensor<4xf32>
  return %u : tensor<4xf32>
}
func.func private @both(%a: tensor<4xf32>) -> (tensor<4xf32>, f32) {
  %c3 = arith.constant 3 : index
  %t = func.call @negated(%a) : (tensor<4xf32>) -> tensor<4xf32>
  %x = tensor.extract %a[%c3] : tensor<4xf32>
  return %t, %x : tensor<4xf32>, f32
}
func.func @negated(%a: tensor<4xf32>) -> tensor<4xf32> {
  %t = arith.negf %a : tensor<4xf32>
  return %t : tensor<4xf32>
}
func.func @tosa(%n: tensor<i32>, %v: tensor<4xi32>, %c: tensor<1xi1>) -> tensor<4xi32> {
  %zero = "tosa.const"() <{values = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %r:2 = tosa.while_loop (%i = %zero, %x = %v)
      : (tensor<i32>, tensor<4xi32>) -> (tensor<i32>, tensor<4xi32>) {
    %g = tosa.greater %n, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    tosa.yield %g : tensor<i1>
  } do {
  ^bb0(%j: tensor<i32>, %y: tensor<4xi32>):
    %one = "tosa.const"() <{values = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %k = tosa.add %j, %one : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %z = tosa.add %y, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
    tosa.yield %k, %z : tensor<i32>, tensor<4xi32>
  }
  %s = tosa.cond_if %c (%p = %r#1, %q = %v)
      : tensor<1xi1> (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32> {
  ^bb0(%p: tensor<4xi32>, %q: tensor<4xi32>):
    tosa.yield %p : tensor<4xi32>
  } else {
  ^bb0(%p: tensor<4xi32>, %q: tensor<4xi32>):
    tosa.yield %q : tensor<4xi32>
  }
  return %s : tensor<4xi32>
}
func.func @scoped(%m: memref<24xf32>) -> f32 {
  %c1 = arith.constant 1 : index
  %a = memref.assume_alignment %m, 4 : memref<24xf32>
  %r = memref.reinterpret_cast %a to offset: [2], sizes: [3, 4], strides: [5, 1]
    : memref<24xf32> to memref<3x?xf32, strided<[5, 1], offset: 2>>
  %q = memref.alloca_scope -> f32 {
    %t = memref.alloca() : memref<2xf32>
    %v = memref.load %r[%c1, %c1] : memref<3x?xf32, strided<[5, 1], offset: 2>>
    memref.store %v, %t[%c1] : memref<2xf32>
    %w = memref.load %t[%c1] : memref<2xf32>
    memref.alloca_scope.return %w : f32
  }
  return %q : f32
}
func.func @bits(%m: tensor<8xi1>, %k: tensor<4xi1>, %x: tensor<4xi32>) -> tensor<4xi1> {
  %c0 = arith.constant 0 : index
  %f = arith.constant false
  %z = arith.constant 0 : i32
  %at = vector.transfer_read %x[%c0], %z : tensor<4xi32>, vector<4xi32>
  %mask = vector.transfer_read %k[%c0], %f : tensor<4xi1>, vector<4xi1>
  %g = vector.gather %m[%c0][%at], %mask, %mask
    : tensor<8xi1>, vector<4xi32>, vector<4xi1>, vector<4xi1> into vector<4xi1>
  %b = bufferization.to_buffer %m : tensor<8xi1> to memref<8xi1>
  %h = vector.maskedload %b[%c0], %mask, %g
    : memref<8xi1>, vector<4xi1>, vector<4xi1> into vector<4xi1>
  vector.maskedstore %b[%c0], %g, %h : memref<8xi1>, vector<4xi1>, vector<4xi1>
  %w = vector.load %b[%c0] : memref<8xi1>, vector<4xi1>
  %t = vector.transfer_write %w, %k[%c0] : vector<4xi1>, tensor<4xi1>
  return %t : tensor<4xi1>
}"""
A, B = np.array([1, 2, -3, 4], np.float32), np.array([8, 5, 5, 0], np.float32)
V = np.array([1, -2, 3, 4], np.int32)
M = np.array([0, 0, 1, 1, 0, 1, 0, 0], bool)
K, X = np.array([1, 1, 1, 0], bool), np.array([4, 5, 2, 6], np.int32)
THREE = np.array(3, np.int32)


def turned(a: np.ndarray, b: np.ndarray, n: int) -> list[np.ndarray]:
    for _ in range(n):
        a, b = b, a - b
    return [b, a - b, a, a]


def bits() -> np.ndarray:
    gathered = np.where(K, M[X], K)
    return np.where(gathered, np.where(K, M[:4], gathered), M[:4])


CALLS: list[tuple[str, list[Any], list[Any]]] = [
    ("doubled", [A, 3], [8 * A, THREE]),
    ("doubled", [A, 0], [A, np.array(0, np.int32)]),
    ("turned", [A, B, 0], turned(A, B, 0)),
    ("turned", [A, B, 3], turned(A, B, 3)),
    ("squared", [A], [A * A]),
    ("either", [A, True], [np.exp(A)]),
    ("either", [B, False], [B]),
    ("switched", [A, 0], [2 * A, np.array(2, np.float32)]),
    ("switched", [A, 7], [A, np.array(1, np.float32)]),
    ("callers", [A], [-A * A[3]]),
    ("negated", [A], [-A]),
    ("tosa", [THREE, V, np.array([True])], [8 * V]),
    ("tosa", [THREE, V, np.array([False])], [V]),
    ("scoped", [np.arange(24, dtype=np.float32)], [np.array(8, np.float32)]),
    ("bits", [M, K, X], [bits()]),
]


@pytest.fixture(scope="module")
def module() -> kc.IRModule:
    return kc.IRModule.parse(TEXT, "m.mlir")


@pytest.fixture(scope="module")
def built(module: kc.IRModule) -> Any:
    return kc.build(module)


@pytest.fixture(scope="module")
def raised(module: kc.IRModule) -> kc.IRModule:
    return kc.tir.Schedule(module).mod


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call[0])
def test_regions_give_tensors(
    built: Any, raised: kc.IRModule, call: tuple[str, list[Any], list[Any]]
):
    name, args, expected = call
    results = built[name](*args)
    results = results if isinstance(results, tuple | list) else [results]
    outputs = [np.zeros_like(wanted) for wanted in expected]
    run(raised.op, name, [*args, *outputs])
    for result, output, wanted in zip(results, outputs, expected, strict=True):
        np.testing.assert_allclose(result, wanted, rtol=1e-6)
        np.testing.assert_allclose(output, wanted, rtol=1e-6)


def test_a_private_function_is_gone_where_it_was_called(raised: kc.IRModule):
    assert "both" not in raised.functions
    assert "negated" in raised.functions


REFUSED = [
    pytest.param(
        """func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = func.call @g(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
func.func @g(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = func.call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}""",
        "raise-to-tir: func.call of tensors has no counterpart in tir\n"
        "  --> m.mlir:6:3\n"
        "  why: it is recursive: @f calls @g calls @f\n"
        "  try: pass memrefs, which functions read and write",
        id="recursion",
    ),
    pytest.param(
        """func.func private @f(tensor<4xf32>) -> tensor<4xf32>
func.func @g(%a: tensor<4xf32>) -> tensor<4xf32> {
  %r = func.call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}""",
        "raise-to-tir: func.call of tensors has no counterpart in tir\n"
        "  --> m.mlir:3:3\n"
        "  why: @f has no body, but calls that pass tensors must be inlined\n"
        "  try: pass memrefs, which functions read and write",
        id="declaration",
    ),
    pytest.param(
        """func.func @g(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: i1) -> tensor<?xf32> {
  %r = scf.if %c -> tensor<?xf32> {
    scf.yield %a : tensor<?xf32>
  } else {
    scf.yield %b : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}""",
        "raise-to-tir: scf.if whose branches give tensors of sizes that may differ has no "
        "counterpart in tir\n"
        "  --> m.mlir:2:3\n"
        "  why: both branches write the same buffer, and their sizes may differ\n"
        "  try: give the tensor a static shape",
        id="sizes",
    ),
    pytest.param(
        """func.func @g(%a: tensor<?xf32>, %b: tensor<?xf32>, %c: i1) -> tensor<?xf32> {
  %r = scf.while (%x = %a) : (tensor<?xf32>) -> tensor<?xf32> {
    scf.condition(%c) %b : tensor<?xf32>
  } do {
  ^bb0(%x: tensor<?xf32>):
    scf.yield %x : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}""",
        "raise-to-tir: scf.while that gives a tensor of dynamic size has no counterpart in tir\n"
        "  --> m.mlir:2:3\n"
        "  why: its buffer is made before the condition, which says its size\n"
        "  try: give the tensor a static shape",
        id="while",
    ),
]


@pytest.mark.parametrize(("text", "message"), REFUSED)
def test_what_is_refused(text: str, message: str):
    module = kc.IRModule.parse(text, "m.mlir")
    before = str(module)
    with pytest.raises(KCError) as caught:
        kc.build(module)
    assert str(caught.value) == f"error[KC4550]: {message}"
    assert str(module) == before
