"""lower-affine: what loops, conditions and accesses compute, by Python's arithmetic."""

from __future__ import annotations

import numpy as np
import pytest

import kc
from kc.analysis.interpreter import run
from kc.support.diagnostics import KCError
from kc.support.registry import context, get_pass

PROGRAM = """
func.func @f(%n: index, %A: memref<9xi32>, %B: memref<9x9xi32>, %V: memref<8xi32>) {
  affine.for %i = max affine_map<(d0) -> (d0, 1)>(%n) to min affine_map<(d0) -> (d0 + 6, 8)>(%n) {
    affine.for %j = affine_map<(d0)[s0] -> (d0 - s0)>(%i)[%n] to 9 step 2 {
      %a = affine.load %A[(%i - 7) mod 4 + symbol(%n)] : memref<9xi32>
      %q = affine.apply affine_map<(d0, d1)[s0] -> ((d0 - d1 * 3) floordiv 2 + s0)>(%i, %j)[%n]
      %c = affine.apply affine_map<(d0, d1) -> ((d0 - d1 * 3) ceildiv 4)>(%i, %j)
      %l = affine.min affine_map<(d0, d1) -> (d0 * 2, d1 + 3)>(%i, %j)
      %h = affine.max affine_map<(d0)[s0] -> (d0, s0)>(%j)[%n]
      %qi = arith.index_cast %q : index to i32
      %ci = arith.index_cast %c : index to i32
      %li = arith.index_cast %l : index to i32
      %hi = arith.index_cast %h : index to i32
      %c100 = arith.constant 100 : i32
      %0 = arith.muli %qi, %c100 : i32
      %1 = arith.addi %0, %ci : i32
      %2 = arith.muli %1, %c100 : i32
      %3 = arith.addi %2, %li : i32
      %4 = arith.addi %3, %hi : i32
      %5 = arith.addi %4, %a : i32
      %6 = affine.if affine_set<(d0, d1) : (d0 - d1 >= 0, d0 mod 2 == 0)>(%i, %j) -> i32 {
        affine.yield %5 : i32
      } else {
        %7 = arith.muli %5, %c100 : i32
        affine.yield %7 : i32
      }
      affine.store %6, %B[%i, %j] : memref<9x9xi32>
    }
  }
  affine.parallel (%i, %j) = (max(%n, 1), 0) to (min(9, %n + 4), 3) step (2, 1) {
    affine.if affine_set<(d0) : (d0 - 3 >= 0)>(%i) {
      %c5 = arith.constant 5 : i32
      affine.store %c5, %B[%i - 1, %j] : memref<9x9xi32>
    }
  }
  %s0 = arith.constant 0 : i32
  %s = affine.for %i = 0 to 9 iter_args(%t = %s0) -> (i32) {
    %a = affine.load %A[%i] : memref<9xi32>
    %u = arith.addi %t, %a : i32
    affine.yield %u : i32
  }
  affine.store %s, %A[symbol(%n) * 0] : memref<9xi32>
  %v = affine.vector_load %V[%n mod 4] : memref<8xi32>, vector<4xi32>
  affine.vector_store %v, %V[4 - %n mod 4] : memref<8xi32>, vector<4xi32>
  return
}
"""


def expected(n: int, a: np.ndarray, b: np.ndarray, v: np.ndarray) -> None:
    """The program in Python."""
    for i in range(max(n, 1), min(n + 6, 8)):
        for j in range(i - n, 9, 2):
            q, c = (i - 3 * j) // 2 + n, -(-(i - 3 * j) // 4)
            value = (q * 100 + c) * 100 + min(2 * i, j + 3) + max(j, n) + a[(i - 7) % 4 + n]
            b[i, j] = value if i >= j and i % 2 == 0 else value * 100
    for i in range(max(n, 1), min(9, n + 4), 2):
        for j in range(3):
            if i >= 3:
                b[i - 1, j] = 5
    a[0] = a.sum()
    v[4 - n % 4 : 8 - n % 4] = v[n % 4 : n % 4 + 4].copy()


def lowered(text: str) -> kc.IRModule:
    module = kc.IRModule.parse(text)
    get_pass("lower-affine").apply(context(), module.op)
    module.op.verify()
    return kc.IRModule.parse(str(module))


@pytest.mark.parametrize("n", [0, 1, 3])
def test_the_numbers(n: int):
    module = lowered(PROGRAM)
    assert "affine." not in str(module)
    a, v = np.arange(9, dtype=np.int32) * 7 - 20, np.arange(8, dtype=np.int32)
    b = np.zeros((9, 9), np.int32)
    wanted = [a.copy(), b.copy(), v.copy()]
    expected(n, *wanted)
    run(module.op, "f", [n, a, b, v])
    for got, right in zip((a, b, v), wanted, strict=True):
        np.testing.assert_array_equal(got, right)


@pytest.mark.parametrize(
    ("body", "what"),
    [
        ("%0:2 = affine.delinearize_index %n into (3, 4) : index, index", "delinearize_index"),
        (
            '%0 = affine.parallel (%i) = (0) to (4) reduce ("addi") -> (i32) {\n'
            "%c1 = arith.constant 1 : i32\naffine.yield %c1 : i32\n}",
            "a reduction of affine.parallel",
        ),
    ],
)
def test_what_has_no_form_in_scf(body: str, what: str):
    """The module stays as it was, with what comes before."""
    text = f"""func.func @f(%n: index) {{
  %x = affine.apply affine_map<(d0) -> (d0 + 1)>(%n)
  {body}
  return
}}"""
    module = kc.IRModule.parse(text)
    before = str(module)
    with pytest.raises(KCError, match=what) as refusal:
        get_pass("lower-affine").apply(context(), module.op)
    assert refusal.value.code == "KC4255"
    assert str(module) == before
