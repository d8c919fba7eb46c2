"""Tuple reductions, conditions, initial values and scans mean the same at every level: as tensor
expressions and as loops in the interpreter, and as native code; numpy says what."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects import builtin, func, memref
from xdsl.dialects.builtin import ModuleOp

import kc
from kc.analysis.dominance import check_dominance
from kc.analysis.interpreter import run
from kc.conversion.convert_te_to_tir import ConvertTeToTirPass
from kc.dialects.arith import ARITH
from kc.dialects.te import TE
from kc.dialects.tir import TIR
from kc.support.locations import LocationParser
from kc.transforms.tir.blocks.lower_init_block import LowerInitBlockPass


def parse(text: str) -> ModuleOp:
    context = Context()
    for dialect in (ARITH, builtin.Builtin, func.Func, memref.MemRef, TE, TIR):
        context.load_dialect(dialect)
    module = LocationParser(context, text, "k.mlir").parse_module()
    module.verify()
    return module


def outputs(text: str, inputs: list[Any]) -> list[list[np.ndarray]]:
    """Results of ``@f``: as tensor expressions, loops, after lower-init-block, and natively."""
    module = parse(text)
    expected = list(run(module, "f", inputs))
    results = [expected]
    ConvertTeToTirPass().apply(Context(), module)
    module.verify()
    check_dominance(module)
    without_init = module.clone()
    LowerInitBlockPass().apply(Context(), without_init)
    check_dominance(without_init)
    levels = [
        lambda args: run(module, "f", args),
        lambda args: run(without_init, "f", args),
        lambda args: kc.build(module)["f"](*args),
    ]
    if any(np.size(input_) == 0 for input_ in inputs):
        levels.pop(0)  # a reduction of nothing is initialised by its lowering
    for call in levels:
        outs = [np.full_like(array, 77) for array in expected]
        call([*inputs, *outs])
        results.append(outs)
    return results


def check(text: str, inputs: list[Any], *expected: Any) -> None:
    for level in outputs(text, inputs):
        for result, wanted in zip(level, expected, strict=True):
            np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-6)


ARGMAX = """
te.func @f(%A: tensor<5x?xf32> {{kc.shape = affine_map<()[s0] -> (5, s0)>}}{more})
    -> (tensor<5xi32>, tensor<5xf32>) attributes {{kc.symbols = ["n"]}} {{
  %n = te.symbol "n"
  %I, %V = te.compute "M" [%i = 5] reduce "argmax" [%k = %n] (%ia: i32, %va: f32)
      (%ib: i32, %vb: f32) identity [-1 : i32, 0xFF800000 : f32] {{
    %c = arith.cmpf oge, %va, %vb : f32
    %x = arith.select %c, %ia, %ib : i32
    %y = arith.select %c, %va, %vb : f32
    te.yield %x, %y : i32, f32
  }} {rest} do {{
    %k32 = arith.index_cast %k : index to i32
    %a = te.read %A[%i, %k] : tensor<5x?xf32>
    te.yield %k32, %a : i32, f32
  }} : tensor<5xi32>, tensor<5xf32>
  te.return %I, %V : tensor<5xi32>, tensor<5xf32>
}}
"""


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.mark.parametrize("n", [1, 7, 16])
def test_argmax(n: int, random: np.random.Generator):
    a = random.standard_normal((5, n)).astype(np.float32)
    check(ARGMAX.format(more="", rest=""), [a], a.argmax(axis=1), a.max(axis=1))


def test_argmax_of_nothing():
    a = np.zeros((5, 0), np.float32)
    check(ARGMAX.format(more="", rest=""), [a], [-1] * 5, [-np.inf] * 5)


def test_argmax_of_some(random: np.random.Generator):
    """Terms that the condition leaves out are not combined."""
    a = random.standard_normal((5, 9)).astype(np.float32)
    taken = random.integers(0, 2, (5, 9)).astype(bool)
    taken[3] = False
    masked = np.where(taken, a, -np.inf)
    indices = np.where(taken.any(axis=1), masked.argmax(axis=1), -1)
    text = ARGMAX.format(
        more=', %T: tensor<5x?xi1> {kc.shape = affine_map<()[s0] -> (5, s0)>, kc.dtype = "bool"}',
        rest="where {\n    %t = te.read %T[%i, %k] : tensor<5x?xi1>\n    te.condition %t\n  }",
    )
    check(text, [a, taken], indices, masked.max(axis=1))


def test_argmax_from_a_start(random: np.random.Generator):
    a = random.standard_normal((5, 9)).astype(np.float32)
    start = random.standard_normal(5).astype(np.float32)
    stays = start >= a.max(axis=1)
    text = ARGMAX.format(
        more=", %S: tensor<5xf32>",
        rest="init {\n    %m = arith.constant -7 : i32\n    %s = te.read %S[%i] : tensor<5xf32>\n"
        "    te.yield %m, %s : i32, f32\n  }",
    )
    indices = np.where(stays, -7, a.argmax(axis=1))
    check(text, [a, start], indices, np.maximum(start, a.max(axis=1)))


SUM = """
te.func @f(%A: tensor<6x8xf32>, %B: tensor<6xf32>) -> tensor<6xf32> {{
  %S = te.compute "S" [%i = 6] reduce {combiner} [%k = 8] {rest} do {{
    %a = te.read %A[%i, {index}] : tensor<6x8xf32>
    te.yield %a : f32
  }} : tensor<6xf32>
  te.return %S : tensor<6xf32>
}}
"""
BIAS = "init {\n    %b = te.read %B[%i] : tensor<6xf32>\n    te.yield %b : f32\n  }"


@pytest.mark.parametrize(
    ("combiner", "reduce"),
    [("sum", np.add), ("prod", np.multiply), ("max", np.maximum), ("min", np.minimum)],
)
def test_initial_value(combiner: str, reduce: Callable[..., Any], random: np.random.Generator):
    a = random.standard_normal((6, 8)).astype(np.float32)
    b = random.standard_normal(6).astype(np.float32)
    text = SUM.format(combiner=combiner, rest=BIAS, index="%k")
    check(text, [a, b], reduce(b, reduce.reduce(a, axis=1)))  # pyright: ignore


def test_condition_keeps_reads_in_bounds(random: np.random.Generator):
    """The row above the diagonal; without the condition, reads would leave A."""
    a = random.standard_normal((6, 8)).astype(np.float32)
    b = np.zeros(6, np.float32)
    rest = "where { te.condition (%i + %k < 8) } " + BIAS
    text = SUM.format(combiner="sum", rest=rest, index="%i + %k")
    check(text, [a, b], np.triu(a).sum(axis=1))


WELFORD = """
te.func @f(%A: tensor<4x33xf64>) -> (tensor<4xf64>, tensor<4xf64>, tensor<4xf64>) {
  %N, %M, %S = te.compute "W" [%i = 4] reduce "welford" [%k = 33]
      (%na: f64, %ma: f64, %sa: f64) (%nb: f64, %mb: f64, %sb: f64)
      identity [0.0 : f64, 0.0 : f64, 0.0 : f64] {
    %n = arith.addf %na, %nb : f64
    %one = arith.constant 1.0 : f64
    %d = arith.maximumf %n, %one : f64
    %delta = arith.subf %mb, %ma : f64
    %part = arith.divf %nb, %d : f64
    %step = arith.mulf %delta, %part : f64
    %m = arith.addf %ma, %step : f64
    %s0 = arith.addf %sa, %sb : f64
    %s1 = arith.mulf %delta, %step : f64
    %s2 = arith.mulf %s1, %na : f64
    %s = arith.addf %s0, %s2 : f64
    te.yield %n, %m, %s : f64, f64, f64
  } do {
    %a = te.read %A[%i, %k] : tensor<4x33xf64>
    %one = arith.constant 1.0 : f64
    %zero = arith.constant 0.0 : f64
    te.yield %one, %a, %zero : f64, f64, f64
  } : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
  te.return %N, %M, %S : tensor<4xf64>, tensor<4xf64>, tensor<4xf64>
}
"""


def test_welford(random: np.random.Generator):
    a = random.standard_normal((4, 33))
    check(WELFORD, [a], [33.0] * 4, a.mean(axis=1), a.var(axis=1) * 33)


SWAP = """
te.func @f(%A: tensor<6xi64>, %B: tensor<6xi64>) -> (tensor<i64>, tensor<i64>) {
  %C, %D = te.compute "C" [] reduce "complex" [%k = 6] (%a: i64, %b: i64) (%c: i64, %d: i64)
      identity [1 : i64, 0 : i64] {
    %ac = arith.muli %a, %c : i64
    %bd = arith.muli %b, %d : i64
    %ad = arith.muli %a, %d : i64
    %bc = arith.muli %b, %c : i64
    %re = arith.subi %ac, %bd : i64
    %im = arith.addi %ad, %bc : i64
    te.yield %re, %im : i64, i64
  } do {
    %a = te.read %A[%k] : tensor<6xi64>
    %b = te.read %B[%k] : tensor<6xi64>
    te.yield %a, %b : i64, i64
  } : tensor<i64>, tensor<i64>
  te.return %C, %D : tensor<i64>, tensor<i64>
}
"""


def test_old_values_are_read_before_any_is_stored(random: np.random.Generator):
    """A product of complex numbers needs both old parts for each new one."""
    a, b = (random.integers(-3, 4, 6) for _ in range(2))
    product = np.prod(a + 1j * b)
    check(SWAP, [a, b], round(product.real), round(product.imag))


PARTS = """
te.func @f(%A: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xi1> {kc.dtype = "bool"}) {
  %P, %Q = te.compute "P" [%i = 3, %j = 4] {
    %a = te.read %A[%i, %j] : tensor<3x4xf32>
    %z = arith.constant 0.0 : f32
    %q = arith.cmpf ogt, %a, %z : f32
    %p = arith.addf %a, %a : f32
    te.yield %p, %q : f32, i1
  } : tensor<3x4xf32>, tensor<3x4xi1>
  te.return %P, %Q : tensor<3x4xf32>, tensor<3x4xi1>
}
"""


def test_tuples_without_a_reduction(random: np.random.Generator):
    a = random.standard_normal((3, 4)).astype(np.float32)
    check(PARTS, [a], a + a, a > 0)


CUMSUM = """
te.func @f(%X: tensor<?x3xf32> {kc.shape = affine_map<()[s0] -> (s0, 3)>}, %F: tensor<1x3xf32>)
    -> tensor<?x3xf32> attributes {kc.symbols = ["m"]} {
  %m = te.symbol "m"
  %S = te.scan "S" [%t = %m] (%s: tensor<?x3xf32> = %F: tensor<1x3xf32>) {
    %U = te.compute "U" [%i = 3] {
      %p = te.read %s[%t - 1, %i] : tensor<?x3xf32>
      %x = te.read %X[%t, %i] : tensor<?x3xf32>
      %u = arith.addf %p, %x : f32
      te.yield %u : f32
    } : tensor<3xf32>
    te.yield %U : tensor<3xf32>
  }
  te.return %S : tensor<?x3xf32>
}
"""


@pytest.mark.parametrize("m", [0, 1, 2, 9])
def test_cumulative_sum(m: int, random: np.random.Generator):
    x = random.standard_normal((m, 3)).astype(np.float32)
    first = random.standard_normal((1, 3)).astype(np.float32)
    rows = np.concatenate([first, x[1:]])[:m]
    check(CUMSUM, [x, first], rows.cumsum(axis=0))


TWO = """
te.func @f(%A: tensor<2xi64>, %B: tensor<2x4xi64>) -> (tensor<10xi64>, tensor<10x4xi64>) {
  %V, %W = te.scan "W" [%t = 10] (%a: tensor<10xi64> = %A: tensor<2xi64>,
      %b: tensor<10x4xi64> = %B: tensor<2x4xi64>) {
    %T = te.compute "T" [%k = 4] {
      %p = te.read %b[%t - 1, %k] : tensor<10x4xi64>
      %q = te.read %a[%t - 2] : tensor<10xi64>
      %r = arith.addi %p, %q : i64
      te.yield %r : i64
    } : tensor<4xi64>
    %U = te.compute "U" [] reduce sum [%k = 4] {
      %p = te.read %T[%k] : tensor<4xi64>
      te.yield %p : i64
    } : tensor<i64>
    %X = te.compute "X" [%i = 4] {
      %u = te.read %U[] : tensor<i64>
      %q = te.read %b[%t - 2, 3 - %i] : tensor<10x4xi64>
      %w = arith.subi %u, %q : i64
      te.yield %w : i64
    } : tensor<4xi64>
    te.yield %U, %X : tensor<i64>, tensor<4xi64>
  }
  te.return %V, %W : tensor<10xi64>, tensor<10x4xi64>
}
"""


def test_two_states(random: np.random.Generator):
    a, b = random.integers(-3, 4, 2), random.integers(-3, 4, (2, 4))
    first, two = [*a], [*b]
    for t in range(2, 10):
        first.append((two[t - 1] + first[t - 2]).sum())
        two.append(first[t] - two[t - 2][::-1])
    check(TWO, [a, b], first, two)


RAGGED = """
te.func @f(%A: tensor<5x9xi64>, %N: tensor<5xi32>) -> tensor<5xi64> {
  %S = te.compute "S" [%i = 5] reduce sum [%k = ?, %j = 2, %l = ?] domain {
    %n = te.read %N[%i] : tensor<5xi32>
    %e = arith.index_cast %n : i32 to index
    te.yield %e, %i : index, index
  } do {
    %a = te.read %A[%i, %k + %j + %l] : tensor<5x9xi64>
    te.yield %a : i64
  } : tensor<5xi64>
  te.return %S : tensor<5xi64>
}
"""


def test_extents_that_depend_on_the_element(random: np.random.Generator):
    """The first element has no term; its value is the identity, once lowering has put it there."""
    a, n = random.integers(-9, 9, (5, 9)), np.array([3, 0, 2, 1, 4], np.int32)
    expected = [
        sum(a[i, k + j + m] for k in range(n[i]) for j in range(2) for m in range(i))
        for i in range(5)
    ]
    *_, tir, native = outputs(RAGGED, [a, n])
    np.testing.assert_array_equal(tir[0], expected)
    np.testing.assert_array_equal(native[0], expected)
    np.testing.assert_array_equal(outputs(RAGGED, [a, n])[0][0], expected)
