"""kc.analysis.module_copy: a copy says what the original does, and shares nothing with it."""

from __future__ import annotations

import pytest
from interpreter_support import parse

from kc.analysis.module_copy import copy_module
from kc.support.ir_text import print_module

NESTED = """
func.func @f(%A: memref<?xf32>) attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %i in %n {
    tir.block "B" (reduce %v in %n = %i) init {
      %zero = arith.constant 0.0 : f32
      tir.store %zero, %A[0] : memref<?xf32>
    } do {
      %x = tir.load %A[%v] : memref<?xf32>
      tir.store %x, %A[0] : memref<?xf32>
    }
  }
  func.return
}
func.func private @g(i32)
"""
BRANCHES = """
func.func @f(%c: i1, %x: i32) -> i32 {
  cf.cond_br %c, ^bb1(%x : i32), ^bb2
^bb2:
  %y = arith.addi %x, %x : i32
  cf.br ^bb1(%y : i32)
^bb1(%z: i32):
  func.return %z : i32
}
"""
USED_ABOVE = """
func.func @f(%x: i32) -> i32 {
  cf.br ^bb2
^bb1:
  %z = arith.addi %y, %x : i32
  func.return %z : i32
^bb2:
  %y = arith.muli %x, %x : i32
  cf.br ^bb1
}
"""


@pytest.mark.parametrize("text", [NESTED, BRANCHES, USED_ABOVE])
def test_a_copy(text: str):
    module = parse(text)
    copy = copy_module(module)
    copy.verify()
    assert print_module(copy) == print_module(module)
    assert print_module(copy, locations=True) == print_module(module, locations=True)
    originals, copies = list(module.walk()), list(copy.walk())
    assert [op.location for op in copies] == [op.location for op in originals]
    assert not set(copies) & set(originals)
    blocks = [block for op in originals for region in op.regions for block in region.blocks]
    values = {value for op in originals for value in op.results}
    values |= {arg for block in blocks for arg in block.args}
    assert not any(operand in values for op in copies for operand in op.operands)
