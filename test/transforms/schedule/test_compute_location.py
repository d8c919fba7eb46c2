"""Moving and inlining blocks: equal results on random programs, and nothing changed by a refusal."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_programs import (
    arguments,
    assert_same,
    lowered,
    random_program,
    random_splits,
    results,
    site_of,
    text_of,
    try_step,
)
from xdsl.dialects.builtin import ModuleOp

import kc
from kc.analysis import loop_tree
from kc.dialects.tir import BlockOp
from kc.support.diagnostics import ScheduleError
from kc.support.registry import pass_class
from kc.transforms.schedule.base import BlockRef, LoopRef, Primitive

Chooser = Callable[[ModuleOp, Random], Primitive]


def block_of(module: ModuleOp, random: Random) -> BlockOp:
    return random.choice(loop_tree.blocks(loop_tree.functions(module)[0]))


def any_loop(module: ModuleOp, random: Random) -> LoopRef:
    return LoopRef(random.choice(loop_tree.loops(loop_tree.functions(module)[0])))


def compute_at(module: ModuleOp, random: Random) -> Primitive:
    cls = pass_class("compute-at")
    legal = list(cls.candidates(site_of(module)))
    unit_loops, index = random.random() < 0.3, random.choice((-1, -1, -2, 0, 1))
    if legal and random.random() < 0.9:
        one = random.choice(legal)
        return cls(one.block, one.loop, unit_loops, index)
    return cls(BlockRef(block_of(module, random)), any_loop(module, random), unit_loops, index)


def compute_inline(module: ModuleOp, random: Random) -> Primitive:
    return pass_class("compute-inline")(BlockRef(block_of(module, random)))


CHOOSERS: dict[str, Chooser] = {"compute_at": compute_at, "compute_inline": compute_inline}


@pytest.mark.parametrize("name", CHOOSERS)
@given(seed=st.integers(0, 2**32), symbolic=st.booleans())
def test_one_primitive(name: str, seed: int, symbolic: bool):
    random = Random(seed)
    check(random, symbolic, [CHOOSERS[name]] * 3)


@given(seed=st.integers(0, 2**32), symbolic=st.booleans())
def test_all_primitives(seed: int, symbolic: bool):
    random = Random(seed)
    check(random, symbolic, random.choices(list(CHOOSERS.values()), k=6))


def check(random: Random, symbolic: bool, choosers: list[Chooser]) -> None:
    """The program computes the same after each step; a refused step changes nothing."""
    module = random_program(random, 4, symbolic)
    args = arguments(module, random)
    expected = results(module, args)
    random_splits(module, random, random.randint(0, 3))
    for choose in choosers:
        if try_step(module, choose(module, random)) is not None:
            assert_same(expected, results(module, args), module)


CHAIN = """
te.func @f(%A: tensor<16x8xi32>) -> tensor<14x8xi32> {
  %B = te.compute "B" [%i = 16, %j = 8] {
    %a = te.read %A[%i, %j] : tensor<16x8xi32>
    %b = arith.addi %a, %a : i32
    te.yield %b : i32
  } : tensor<16x8xi32>
  %C = te.compute "C" [%i = 14, %j = 8] {
    %x = te.read %B[%i, %j] : tensor<16x8xi32>
    %y = te.read %B[%i + 2, %j] : tensor<16x8xi32>
    %c = arith.muli %x, %y : i32
    te.yield %c : i32
  } : tensor<14x8xi32>
  te.return %C : tensor<14x8xi32>
}
"""


def test_values():
    """Against numpy, not against the program itself before."""
    a = np.random.default_rng(0).integers(-9, 9, (16, 8)).astype(np.int32)
    for name, loop in (("compute-at", "i"), ("compute-at", "j"), ("compute-inline", None)):
        module = lowered(CHAIN)
        options = [BlockRef("B")] + ([LoopRef(loop)] if loop else [])
        pass_class(name)(*options).apply(site_of(module))
        out = results(module, [a, np.zeros((14, 8), np.int32)])[1]
        np.testing.assert_array_equal(out, (a * 2)[:14] * (a * 2)[2:])


def test_a_parallel_consumer_stays_legal():
    """The buffer is private to an iteration, so the loop around producer and consumer is free."""
    sch = kc.tir.Schedule(lowered(CHAIN))
    i, _ = sch.get_loops("C")
    sch.compute_at(sch.get_block("B"), i)
    sch.parallel(i)
    assert "tir.for %i in 14 parallel" in text_of(sch.module)


def test_handles():
    sch = kc.tir.Schedule(lowered(CHAIN))
    b, c = sch.get_block("B"), sch.get_block("C")
    assert [one.name for one in sch.get_consumers(b)] == ["C"]
    assert [one.name for one in sch.get_producers(c)] == ["B"]
    assert sch.get_producers("B") == []
    old = sch.get_loops(b)
    i, j = sch.get_loops(c)
    sch.compute_at(b, i)
    assert [one.name for one in sch.get_loops(b)] == ["i", "i_1", "j_1"]
    assert [one.name for one in sch.get_loops(c)] == [i.name, j.name]
    with pytest.raises(ScheduleError, match="went when block B moved") as caught:
        sch.parallel(old[0])
    assert caught.value.code == "KC3124"
    sch.compute_inline(b)
    with pytest.raises(ScheduleError, match="block B was inlined into block C") as caught:
        sch.get_loops(b)
    assert caught.value.code == "KC3127"
    with pytest.raises(ScheduleError) as caught:
        sch.get_loops(i)  # pyright: ignore[reportArgumentType]
    assert caught.value.code == "KC3126"


def test_legal():
    """``legal`` gives the loops of all consumers, and applying any of them is right."""
    module = lowered(CHAIN)
    found = list(pass_class("compute-at").legal(site_of(module)))
    assert [(str(one.block), str(one.loop)) for one in found] == [("B", "i"), ("B", "j")]
    inlines = list(pass_class("compute-inline").legal(site_of(module)))
    assert [str(one.block) for one in inlines] == ["B"]


def test_another_scope():
    text = """
    func.func @f(%A: memref<8xi32>, %C: memref<8xi32>) {
      %B = tir.alloc "B" : memref<8xi32>
      tir.for %b in 8 {
        tir.block "B" (spatial %v_b in 8 = %b) do {
          %a = tir.load %A[%v_b] : memref<8xi32>
          tir.store %a, %B[%v_b] : memref<8xi32>
        }
      }
      tir.block "outer" (opaque %u in 1 = 0) do {
        tir.for %i in 8 {
          %x = tir.load %B[%i] : memref<8xi32>
          tir.store %x, %C[%i] : memref<8xi32>
        }
      }
      func.return
    }"""
    module = lowered(text)
    loop = loop_tree.loops(loop_tree.functions(module)[0])[1]
    with pytest.raises(ScheduleError) as caught:
        pass_class("compute-at")(BlockRef("B"), LoopRef(loop)).check(site_of(module))
    assert caught.value.code == "KC3212"
