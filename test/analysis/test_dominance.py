"""kc.analysis.dominance: what it accepts, what it refuses and how it says so, and how long."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import pytest
from interpreter_support import parse
from xdsl.dialects import arith, func
from xdsl.dialects import test as test_dialect
from xdsl.ir import Block, Region, SSAValue

from kc.analysis.dominance import check_dominance, dominator_tree
from kc.dialects.tir import ForOp
from kc.support.diagnostics import ParseError

HEADER = "error[KC1201]: "


def message(text: str) -> str:
    """The whole diagnostic for a module."""
    with pytest.raises(ParseError) as raised:
        check_dominance(parse(text, verify=False))
    return str(raised.value)


def test_nested_regions_see_outer_values():
    check_dominance(
        parse("""
        func.func @f(%A: memref<8xf32>, %n: index) {
          %c = arith.constant 1.0 : f32
          tir.for %i in %n {
            tir.block "B" (spatial %v in 8 = %i) where (%i < 8) do {
              %x = tir.load %A[%v] : memref<8xf32>
              %y = arith.addf %x, %c : f32
              tir.store %y, %A[%v] : memref<8xf32>
            }
          }
          func.return
        }""")
    )


def test_use_before_definition():
    assert (
        message("""
func.func @f(%x: f32) {
  %s = arith.addf %x, %p : f32
  %p = arith.mulf %x, %x : f32
  func.return
}""")
        == HEADER
        + """arith.addf: %p is used before it is defined
  --> k.mlir:3:3
   |  operand 1 of arith.addf is %p
   |  %p is defined by arith.mulf at k.mlir:4:3
  why: arith.mulf comes later in the same block"""
    )


TWO_LOOPS = """
func.func @f(%A: memref<8xf32>, %x: f32) {
  tir.for %i in 8 {
    %y = tir.load %A[%i] : memref<8xf32>
  }
  tir.for %j in 8 {
    tir.store %x, %A[%j] : memref<8xf32>
  }
  func.return
}"""


def rewired(operand: int, pick: Callable[[ForOp], SSAValue]) -> str:
    """The diagnostic when the store of the second loop uses a value of the first one."""
    module = parse(TWO_LOOPS)
    first, second = (op for op in module.walk() if isinstance(op, ForOp))
    store = second.body.block.first_op
    assert store is not None
    store.operands[operand] = pick(first)
    with pytest.raises(ParseError) as raised:
        check_dominance(module)
    return str(raised.value)


def test_use_outside_the_defining_loop():
    def loaded(loop: ForOp) -> SSAValue:
        load = loop.body.block.first_op
        assert load is not None
        return load.results[0]

    assert (
        rewired(0, loaded)
        == HEADER
        + """tir.store: %y is used outside the region that defines it
  --> k.mlir:7:5
   |  operand 0 of tir.store is %y
   |  %y is defined by tir.load at k.mlir:4:5
  why: it is defined inside tir.for "i", which does not enclose the use"""
    )


def test_loop_variable_outside_its_loop():
    text = rewired(2, lambda loop: loop.var)
    assert text.startswith(HEADER + "tir.store: %i is used outside the region that defines it")
    assert '%i is argument 0 of tir.for "i" at k.mlir:3:3' in text


def test_result_in_its_own_region():
    text = message("""
func.func @f(%c: i1, %x: f32) {
  %r = scf.if %c -> (f32) {
    %s = arith.addf %r, %x : f32
    scf.yield %s : f32
  } else {
    scf.yield %x : f32
  }
  func.return
}""")
    assert text.startswith(HEADER + "arith.addf: %r is used by the op that defines it")
    assert "why: the results of scf.if exist only after it" in text


def test_isolated_region():
    module = parse("""
    func.func @outer(%x: f32) {
      func.return
    }
    func.func @inner(%y: f32) {
      %s = arith.addf %y, %y : f32
      func.return
    }""")
    outer, inner = module.body.ops
    assert isinstance(outer, func.FuncOp)
    assert isinstance(inner, func.FuncOp)
    add = inner.body.block.first_op
    assert add is not None
    inner.detach()
    last = outer.body.block.last_op
    assert last is not None
    outer.body.block.insert_op_before(inner, last)
    add.operands[1] = outer.body.block.args[0]
    with pytest.raises(ParseError) as raised:
        check_dominance(module)
    text = str(raised.value)
    assert text.startswith(HEADER + "arith.addf: %x is used across the boundary of an isolated op")
    assert "why: func.func @inner is isolated from above: it may use only its own values" in text
    # The same from within: an isolated root cannot use what is outside of it either.
    with pytest.raises(ParseError, match="isolated"):
        check_dominance(inner)


def test_removed_definition():
    module = parse("""
    func.func @f(%x: f32) {
      %p = arith.mulf %x, %x : f32
      %s = arith.addf %x, %p : f32
      func.return
    }""")
    product = next(op for op in module.walk() if isinstance(op, arith.MulfOp))
    product.detach()
    with pytest.raises(ParseError) as raised:
        check_dominance(module)
    text = str(raised.value)
    assert text.startswith(HEADER + "arith.addf: %p is used after its definition was removed")
    assert "why: arith.mulf is not part of this program" in text


def test_values_from_outside_the_checked_op():
    module = parse("""
    func.func @f(%A: memref<8xf32>, %x: f32) {
      tir.for %i in 8 {
        tir.store %x, %A[%i] : memref<8xf32>
      }
      %y = arith.addf %x, %x : f32
      func.return
    }""")
    function = module.body.ops.first
    assert isinstance(function, func.FuncOp)
    loop = function.body.block.first_op
    assert loop is not None
    check_dominance(loop)
    addition = loop.next_op
    assert addition is not None
    store = loop.regions[0].block.first_op
    assert store is not None
    store.operands[0] = addition.results[0]
    with pytest.raises(ParseError, match=r"tir.store: %y is used before it is defined"):
        check_dominance(loop)


CFG = """
func.func @f(%c: i1, %x: f32) -> f32 {{
  cf.cond_br %c, ^left, ^right
^left:
  %a = arith.addf %x, %x : f32
  cf.br ^join
^right:
  {right}
  cf.br ^join
^join:
  func.return {joined} : f32
}}"""


def test_branches():
    check_dominance(parse(CFG.format(right="%b = arith.mulf %x, %x : f32", joined="%x")))
    text = message(CFG.format(right="", joined="%a"))
    assert text.startswith(
        HEADER + "func.return: %a is used where its definition does not reach\n  --> k.mlir:11:3"
    )
    assert "why: arith.addf is in block 1, and control can reach block 3 without passing it" in text
    text = message(CFG.format(right="%b = arith.mulf %a, %x : f32", joined="%x"))
    assert "control can reach block 2 without passing it" in text


def test_blocks_in_any_textual_order():
    check_dominance(
        parse("""
        func.func @f(%c: i1, %x: f32) -> f32 {
          cf.br ^first
        ^last:
          func.return %a : f32
        ^first:
          %a = arith.addf %x, %x : f32
          cf.cond_br %c, ^first, ^last
        }""")
    )


def test_unreachable_blocks():
    # As in MLIR: what cannot run is not checked, but what it defines reaches nowhere.
    check_dominance(
        parse("""
        func.func @f(%x: f32) -> f32 {
          func.return %x : f32
        ^never:
          %b = arith.addf %a, %x : f32
          %a = arith.addf %x, %x : f32
          cf.br ^never
        }""")
    )
    text = message("""
    func.func @f(%x: f32) -> f32 {
      cf.br ^end
    ^never:
      %a = arith.addf %x, %x : f32
      cf.br ^end
    ^end:
      func.return %a : f32
    }""")
    assert "control can reach block 2 without passing it" in text


def graph(edges: dict[int, list[int]], count: int) -> tuple[Region, list[Block]]:
    """A region of ``count`` blocks with the given edges."""
    blocks = [Block() for _ in range(count)]
    for n, block in enumerate(blocks):
        block.add_op(test_dialect.TestTermOp(successors=[blocks[m] for m in edges.get(n, [])]))
    return Region(blocks), blocks


def test_dominator_tree_against_its_definition():
    """Block a dominates b when b cannot be reached without a, for many random graphs."""
    choose = random.Random(7)
    for count in range(1, 12):
        for _ in range(20):
            edges = {
                n: [choose.randrange(count) for _ in range(choose.randrange(3))]
                for n in range(count)
            }
            region, blocks = graph(edges, count)
            tree = dominator_tree(region)
            dominated = {
                parent: {child for child in _below(tree, blocks[parent])} for parent in range(count)
            }
            reachable = _reach(edges, None)
            assert set(tree) == {blocks[n] for n in reachable}
            for a in reachable:
                without = _reach(edges, a)
                expected = {blocks[b] for b in reachable if b == a or b not in without}
                assert dominated[a] == expected


def _reach(edges: dict[int, list[int]], removed: int | None) -> set[int]:
    reached: set[int] = set()
    stack = [] if removed == 0 else [0]
    while stack:
        n = stack.pop()
        if n not in reached:
            reached.add(n)
            stack.extend(m for m in edges.get(n, []) if m != removed)
    return reached


def _below(tree: dict[Block, list[Block]], block: Block) -> set[Block]:
    below = {block}
    for child in tree.get(block, ()):
        below |= _below(tree, child)
    return below


def test_deep_nests_need_no_recursion():
    loop = ForOp("i0", 2)
    for n in range(1, 2000):
        outer = ForOp(f"i{n}", 2)
        outer.body.block.add_op(loop)
        loop = outer
    check_dominance(loop)


@pytest.mark.slow
def test_linear_in_the_number_of_ops():
    def seconds(count: int) -> float:
        block = Block()
        value = arith.ConstantOp.from_int_and_width(1, 32)
        block.add_op(value)
        for _ in range(count):
            value = arith.AddiOp(value, value)
            block.add_op(value)
        function = func.FuncOp("f", ([], []), Region(block))
        start = time.perf_counter()
        check_dominance(function)
        return time.perf_counter() - start

    assert seconds(50_000) < 3
