"""One reader of index values: dependences, instances and affine expressions read the same."""

from __future__ import annotations

import pytest
from interpreter_support import parse

from kc.analysis import loop_tree
from kc.analysis.accesses.dependence import Scope, carried_conflict
from kc.analysis.accesses.instances import Space
from kc.analysis.affine.index_values import IndexValues
from kc.dialects.tir import LoadOp, StoreOp
from kc.support.target import Target
from kc.transforms.schedule.base import BlockRef, LoopRef, Site
from kc.transforms.schedule.loops.parallel import Parallel
from kc.transforms.schedule.placing.compute_at import ComputeAt


def towards_zero(x: int, y: int) -> int:
    """The quotient of ``arith.divsi``."""
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


READ_BY_ALL = {
    "tir.apply (%i * 2 + 1)": lambda i: i * 2 + 1,
    "arith.addi %i, %c3 : index": lambda i: i + 3,
    "arith.subi %c3, %i : index": lambda i: 3 - i,
    "arith.muli %i, %c3 : index": lambda i: i * 3,
    "arith.muli %c3, %i : index": lambda i: i * 3,
    "arith.muli %m2, %i : index": lambda i: i * -2,
    "arith.divsi %i, %c3 : index": lambda i: i // 3,
    "arith.remsi %i, %c3 : index": lambda i: i % 3,
    "arith.floordivsi %s, %c3 : index": lambda i: (i - 5) // 3,
    "arith.ceildivsi %s, %c3 : index": lambda i: -((5 - i) // 3),
    "arith.floordivsi %s, %m2 : index": lambda i: (5 - i) // 2,
    "tir.linearize [%i, %s] by [%c3, %c5]": lambda i: i * 5 + i - 5,
    "%j, %q = tir.delinearize %i by [%c3, %c5]": lambda i: i // 5,
    "%j, %q = tir.delinearize %i by [%c5, %c1]": lambda i: i,
    "%p, %j = tir.delinearize %i by [%c3, %c5]": lambda i: i % 5,
    "%p, %j, %q = tir.delinearize %i by [%c5, %c3, %c3]": lambda i: i // 3 % 3,
}
"""Code that computes an index of ``%i``, and the function that it is."""

READ_AS_TERMS = {
    "arith.minsi %i, %c3 : index": lambda i: min(i, 3),
    "arith.maxsi %s, %c3 : index": lambda i: max(i - 5, 3),
    "tir.apply min(%i * 2, 7)": lambda i: min(i * 2, 7),
    "tir.apply max(min(%i, 6 - %i), 1)": lambda i: max(min(i, 6 - i), 1),
    "tir.apply min(%s, max(%i, 4), 5)": lambda i: min(i - 5, max(i, 4), 5),
    "arith.divsi %s, %c3 : index": lambda i: towards_zero(i - 5, 3),
    "arith.divsi %s, %m2 : index": lambda i: towards_zero(i - 5, -2),
    "arith.remsi %s, %c3 : index": lambda i: i - 5 - 3 * towards_zero(i - 5, 3),
    "arith.index_cast %narrow : i32 to index": lambda i: i * 3,
}
"""The same, of what no affine expression is."""


def program(computed: str, extent: int = 10) -> loop_tree.func.FuncOp:
    (function,) = loop_tree.functions(
        parse(f"""
        func.func @f(%A: memref<99xf32>, %B: memref<99xf32>) {{
          %c1 = arith.constant 1 : index
          %c3 = arith.constant 3 : index
          %m2 = arith.constant -2 : index
          %c5 = arith.constant 5 : index
          tir.for %i in {extent} {{
            %s = arith.subi %i, %c5 : index
            %int = arith.index_cast %i : index to i32
            %three = arith.constant 3 : i32
            %narrow = arith.muli %int, %three : i32
            {computed if computed.startswith("%") else f"%j = {computed}"}
            %x = tir.load %A[%j] : memref<99xf32>
            tir.store %x, %B[%i] : memref<99xf32>
          }}
          func.return
        }}""")
    )
    return function


@pytest.mark.parametrize("computed", [*READ_BY_ALL, *READ_AS_TERMS])
def test_terms(computed: str):
    """Dependences and instances read an index as the function that it is."""
    expected = {**READ_BY_ALL, **READ_AS_TERMS}[computed]
    function = program(computed)
    (loop,) = loop_tree.loops(function)
    (load,) = [op for op in function.walk() if isinstance(op, LoadOp)]
    space = Space()
    reading = space.instance(load)
    (index,) = space.element(load, reading)
    (name,) = reading.loops[loop].names()
    statement = next(candidate for candidate in Scope(loop).statements if candidate.op is load)
    ((of_dependence,),) = [access.indices for access in statement.accesses]
    for i in range(10):
        assert index.at({name: i}) == expected(i)
        assert of_dependence.at({statement.dims[0]: i}) == expected(i)
    assert not reading.opaque
    assert not statement.opaque


@pytest.mark.parametrize("computed", READ_BY_ALL)
def test_affine_expressions(computed: str):
    """Affine values are read as such where IR is built, too."""
    function = program(computed)
    (loop,) = loop_tree.loops(function)
    (load,) = [op for op in function.walk() if isinstance(op, LoadOp)]
    index = IndexValues()
    assert index.expr(loop.var) == index.expr(loop.var)
    expr = index.compose(load.indices.data.results[0], load.operands_of_map)
    assert index.roots == [loop.var]
    for i in range(10):
        assert expr.eval([i], []) == READ_BY_ALL[computed](i)


def test_a_cast_of_what_may_overflow_is_not_seen_through():
    function = program("arith.index_cast %narrow : i32 to index", extent=2**30)
    (load,) = [op for op in function.walk() if isinstance(op, LoadOp)]
    space = Space()
    reading = space.instance(load)
    space.element(load, reading)
    assert [undecided.reason for undecided in reading.opaque] == ["j is not affine"]


PRODUCER_AND_CONSUMER = """
func.func @f(%A: memref<32xf32>, %C: memref<16xf32>) {
  %c2 = arith.constant 2 : index
  %B = tir.alloc "B" : memref<32xf32>
  tir.for %p in 32 {
    tir.block "B" (spatial %v in 32 = %p) do {
      %a = tir.load %A[%v] : memref<32xf32>
      tir.store %a, %B[%v] : memref<32xf32>
    }
  }
  tir.for %i in 16 {
    %j = arith.muli %i, %c2 : index
    tir.block "C" (spatial %w in 16 = %i, spatial %x in 32 = %j) do {
      %b = tir.load %B[%x] : memref<32xf32>
      tir.store %b, %C[%w] : memref<16xf32>
    }
  }
  func.return
}"""


def test_primitives_agree():
    """A loop over multiples is as good for parallel as for compute_at."""
    module = parse(PRODUCER_AND_CONSUMER)
    (function,) = loop_tree.functions(module)
    site = Site(function, Target.generic())
    Parallel(LoopRef("i")).plan(site)
    ComputeAt(BlockRef("B"), LoopRef("i")).apply(site)
    Parallel(LoopRef("i")).plan(site)


def test_what_overlaps_is_refused_alike():
    """Multiples of 2 that are written two at a time do not overlap, three at a time they do."""
    text = """
    func.func @f(%A: memref<64xf32>, %B: memref<64xf32>) {{
      %c2 = arith.constant 2 : index
      tir.for %i in 8 {{
        %j = arith.muli %i, %c2 : index
        tir.for %k in {count} {{
          %x = tir.load %A[%k] : memref<64xf32>
          tir.store %x, %B[%j + %k] : memref<64xf32>
        }}
      }}
      func.return
    }}"""
    for count, is_parallel in ((2, True), (3, False)):
        (function,) = loop_tree.functions(parse(text.format(count=count)))
        loop = loop_tree.loops(function)[0]
        assert (carried_conflict(loop) is None) is is_parallel
        (store,) = [op for op in function.walk() if isinstance(op, StoreOp)]
        space = Space()
        first, second = space.instance(store), space.instance(store)
        same = [
            x.equals(y)
            for x, y in zip(space.element(store, first), space.element(store, second), strict=True)
        ]
        later = first.loops[loop] < second.loops[loop]
        assert (space.find([first, second], [*same, later]) is None) is is_parallel
