"""Functions of several blocks: what a module tells of itself does not need one block."""

from __future__ import annotations

from typing import Any

import kc.ir
from kc import tir

TEXT = """
func.func @main(%n: index, %A: memref<?xi32>) {
  %zero = arith.constant 0 : index
  %seven = arith.constant 7 : i32
  %positive = arith.cmpi slt, %zero, %n : index
  cf.cond_br %positive, ^bb1, ^bb2
^bb1:
  memref.store %seven, %A[%zero] : memref<?xi32>
  cf.br ^bb2
^bb2:
  func.return
}
"""


def test_two_are_compared():
    first, second = kc.IRModule.parse(TEXT), kc.IRModule.parse(TEXT)
    assert kc.ir.structural_equal(first, second)
    assert kc.ir.structural_hash(first) == kc.ir.structural_hash(second)
    turned = kc.IRModule.parse(TEXT.replace("^bb1, ^bb2", "^bb2, ^bb1"))
    assert not kc.ir.structural_equal(first, turned)


def test_parameters_body_and_cost():
    module = kc.IRModule.parse(TEXT)
    function: Any = module["main"]
    assert [str(parameter) for parameter in function.params] == ["n", "A"]
    assert len(function.body.blocks) == 3
    assert "main" in str(tir.Schedule(module).report())
