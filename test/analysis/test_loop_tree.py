"""Effects of operations, and the display of loop trees."""

from __future__ import annotations

import pytest
from interpreter_support import parse
from xdsl.dialects import test as test_dialect
from xdsl.dialects.builtin import f32
from xdsl.dialects.llvm import LLVMPointerType

from kc.analysis import loop_tree
from kc.dialects.llvm.call import CallIntrinsicOp
from kc.support.ir_text import parse_module
from kc.support.registry import context


@pytest.mark.parametrize(
    ("types", "effects"),
    [
        ([f32, f32], False),
        ([LLVMPointerType()], True),
        ([LLVMPointerType(), f32], True),
        ([f32, LLVMPointerType()], True),
    ],
)
def test_an_intrinsic_reaches_memory_through_pointers(types: list, effects: bool):
    operands = test_dialect.TestOp(result_types=types).results
    call = CallIntrinsicOp("llvm.some.name", operands, [f32])
    assert loop_tree.has_effects(call) is effects
    assert loop_tree.touches_memory(call) is effects


def test_an_intrinsic_without_a_result_has_an_effect():
    assert loop_tree.has_effects(
        CallIntrinsicOp("llvm.some.name", test_dialect.TestOp(result_types=[f32]).results)
    )


def test_an_operation_that_nobody_knows_may_do_anything():
    """Also with a result, or as what seems to be the end of a block."""
    module = parse_module(
        '%x = "a.b"() : () -> f32\n"c.d"() : () -> ()', "k.mlir", context(allow_unregistered=True)
    )
    assert [loop_tree.touches_memory(op) for op in module.ops] == [True, True]


def test_what_is_in_blocks_is_shown_where_it_is_loops_or_blocks():
    module = parse("""
    func.func @f(%A: memref<8xf32>, %x: f32) {
      tir.for %i in 2 {
        tir.block "tile" (spatial %v in 2 = %i, reduce %r in 1 = 0) init {
          tir.for %j in 4 {
            tir.block "zero" (spatial %w in 8 = %v * 4 + %j) do {
              tir.store %x, %A[%w] : memref<8xf32>
            }
          }
        } do {
          tir.for %j in 4 {
            tir.store %x, %A[%v * 4 + %j] : memref<8xf32>
          }
        }
      }
      func.return
    }""")
    assert loop_tree.render(loop_tree.functions(module)) == [
        "for i in 2:",
        "  block tile",
        "    init:",
        "      for j in 4:",
        "        block zero",
        "    for j in 4:",
        "      store to A",
    ]
