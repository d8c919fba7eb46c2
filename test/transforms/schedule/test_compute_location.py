"""Moving and inlining blocks: equal results on random programs; a refusal changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
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
from kc.analysis.dominance import check_dominance
from kc.dialects.tir import BlockOp
from kc.support.diagnostics import ScheduleError
from kc.support.registry import pass_class
from kc.transforms.schedule.base import BlockRef, LoopRef, Primitive

Chooser = Callable[[ModuleOp, Random], Primitive]


def block_of(module: ModuleOp, random: Random) -> BlockOp:
    return random.choice(loop_tree.blocks(loop_tree.functions(module)[0]))


def any_loop(module: ModuleOp, random: Random) -> LoopRef:
    return LoopRef(random.choice(loop_tree.loops(loop_tree.functions(module)[0])))


def moved(name: str) -> Chooser:
    """Mostly a move that makes some sense, sometimes any block and any loop."""

    def choose(module: ModuleOp, random: Random) -> Primitive:
        cls = pass_class(name)
        sensible = list(cls.candidates(site_of(module)))
        block, loop = BlockRef(block_of(module, random)), any_loop(module, random)
        if sensible and random.random() < 0.9:
            candidate = random.choice(sensible)
            block, loop = candidate.block, candidate.loop
        return cls(block, loop, random.random() < 0.3, random.choice((-1, -1, -2, 0, 1)))

    return choose


def with_block(name: str) -> Chooser:
    def choose(module: ModuleOp, random: Random) -> Primitive:
        return pass_class(name)(BlockRef(block_of(module, random)))

    return choose


def decompose(module: ModuleOp, random: Random) -> Primitive:
    cls = pass_class("decompose-reduction")
    sensible = list(cls.candidates(site_of(module)))
    if sensible and random.random() < 0.9:
        return random.choice(sensible)
    return cls(BlockRef(block_of(module, random)), any_loop(module, random))


CHOOSERS: list[Chooser] = [
    moved("compute-at"),
    moved("reverse-compute-at"),
    with_block("compute-inline"),
    with_block("reverse-compute-inline"),
    with_block("compute-root"),
    decompose,
]


@given(seed=st.integers(0, 2**32), symbolic=st.booleans())
@examples(30)
def test_random_schedules(seed: int, symbolic: bool):
    """Any sequence of moves, then compaction at any stage of lowering: the same is computed."""
    random = Random(seed)
    module = random_program(random, 4, symbolic)
    args = arguments(module, random)
    expected = results(module, args)
    random_splits(module, random, random.randint(0, 3))
    for _ in range(5):
        if try_step(module, random.choice(CHOOSERS)(module, random)) is not None:
            assert_same(expected, results(module, args), module)
    passes = ["lower-init-block", "lower-blocks"][: random.randint(0, 2)]
    for name in [*passes, "compact-buffer-allocation"]:
        pass_class(name)().apply(None, module)
    module.verify()
    check_dominance(module)
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
    for name, block, loop in (
        ("compute-at", "B", "i"),
        ("compute-at", "B", "j"),
        ("compute-inline", "B", None),
        ("reverse-compute-at", "C", "i"),
    ):
        module = lowered(CHAIN)
        options = [BlockRef(block)] + ([LoopRef(loop)] if loop else [])
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
    assert [block.name for block in sch.get_consumers(b)] == ["C"]
    assert [block.name for block in sch.get_producers(c)] == ["B"]
    assert sch.get_producers("B") == []
    old = sch.get_loops(b)
    i, j = sch.get_loops(c)
    sch.compute_at(b, i)
    assert [loop.name for loop in sch.get_loops(b)] == ["i", "i_1", "j_1"]
    assert [loop.name for loop in sch.get_loops(c)] == [i.name, j.name]
    with pytest.raises(ScheduleError, match="was removed when block B moved") as caught:
        sch.parallel(old[0])
    assert caught.value.code == "KC3124"
    sch.compute_inline(b)
    with pytest.raises(ScheduleError, match="block B was inlined into block C") as caught:
        sch.get_loops(b)
    assert caught.value.code == "KC3127"
    with pytest.raises(ScheduleError) as caught:
        sch.get_loops(i)  # pyright: ignore[reportArgumentType]
    assert caught.value.code == "KC3126"


def test_methods():
    text = """
    te.func @f(%A: tensor<4x8xi32>) -> tensor<4xi32> {
      %S = te.compute "S" [%s = 4] reduce sum [%k = 8] {
        %a = te.read %A[%s, %k] : tensor<4x8xi32>
        te.yield %a : i32
      } : tensor<4xi32>
      %C = te.compute "C" [%c = 4] {
        %x = te.read %S[%c] : tensor<4xi32>
        te.yield %x : i32
      } : tensor<4xi32>
      %D = te.compute "D" [%d = 4] {
        %x = te.read %C[%d] : tensor<4xi32>
        te.yield %x : i32
      } : tensor<4xi32>
      te.return %D : tensor<4xi32>
    }"""
    sch = kc.tir.Schedule(lowered(text))
    c = sch.get_block("C")
    sch.reverse_compute_inline("D")
    sch.reverse_compute_at(c, sch.get_loops("S")[0], index=-2)
    assert [loop.name for loop in sch.get_loops(c)] == ["s"]
    sch.compute_root("S")
    assert [loop.name for loop in sch.get_loops("S")] == ["s", "k"]
    init = sch.decompose_reduction("S", sch.get_loops("S")[1])
    assert init is not None
    assert [init.name, *(loop.name for loop in sch.get_loops(init))] == ["S_init", "s"]
    a = np.arange(32, dtype=np.int32).reshape(4, 8)
    assert list(results(sch.module, [a, np.zeros(4, np.int32)])[1]) == list(a.sum(1))


def test_legal():
    """``legal`` gives the loops of all consumers, and applying any of them is right."""
    module = lowered(CHAIN)
    choices = list(pass_class("compute-at").legal(site_of(module)))
    assert [(str(choice.block), str(choice.loop)) for choice in choices] == [("B", "i"), ("B", "j")]
    inlines = list(pass_class("compute-inline").legal(site_of(module)))
    assert [str(choice.block) for choice in inlines] == ["B"]


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
        pass_class("compute-at")(BlockRef("B"), LoopRef(loop)).plan(site_of(module))
    assert caught.value.code == "KC3212"


@examples(12)
@given(st.integers(0, 10**9))
def test_digits(seed: int):
    """Blocks that read or write a layout of digits, vectorized or not, at any loop there is."""
    random = Random(seed)
    base, count, width = random.choice((2, 4, 8)), random.randint(1, 3), random.randint(1, 3)
    n = base * count - random.choice((0, 0, 1, base - 1))  # the last tile may be a part
    kind = random.choice(("", " vectorized", " unrolled"))
    flat = f"%v_q floordiv {base}, %v_q mod {base}, %v_y"
    text = f"""
    func.func @f(%A: memref<{n}x{width}xi32>, %C: memref<{n}x{width}xi32> {{kc.role = "out"}}) {{
      %P = tir.alloc "P" : memref<{count}x{base}x{width}xi32>
      tir.for %q in {n}{kind} {{
        tir.for %y in {width} {{
          tir.block "P" (spatial %v_q in {n} = %q, spatial %v_y in {width} = %y) do {{
            %a = tir.load %A[%v_q, %v_y] : memref<{n}x{width}xi32>
            tir.store %a, %P[{flat}] : memref<{count}x{base}x{width}xi32>
          }}
        }}
      }}
      %D = tir.alloc "D" : memref<{count}x{base}x{width}xi32>
      tir.for %o in {count} {{
        tir.for %r in {base} {{
          tir.for %t in {width} {{
            tir.block "D" (spatial %v_o in {count} = %o, spatial %v_r in {base} = %r,
                           spatial %v_t in {width} = %t)
                where ({n - 1} - %o * {base} - %r >= 0) do {{
              %p = tir.load %P[%v_o, %v_r, %v_t] : memref<{count}x{base}x{width}xi32>
              %d = arith.addi %p, %p : i32
              tir.store %d, %D[%v_o, %v_r, %v_t] : memref<{count}x{base}x{width}xi32>
            }}
          }}
        }}
      }}
      tir.for %q in {n}{kind} {{
        tir.for %y in {width} {{
          tir.block "C" (spatial %v_q in {n} = %q, spatial %v_y in {width} = %y) do {{
            %d = tir.load %D[{flat}] : memref<{count}x{base}x{width}xi32>
            tir.store %d, %C[%v_q, %v_y] : memref<{n}x{width}xi32>
          }}
        }}
      }}
      func.return
    }}"""
    module = lowered(text)
    args = [np.arange(n * width, dtype=np.int32).reshape(n, width), np.zeros((n, width), np.int32)]
    for name, block in (("compute-at", "P"), ("reverse-compute-at", "C")):
        depth = random.randrange(3)
        near = next(it for it in loop_tree.blocks(module) if it.label == "D")
        loop = loop_tree.loops_around(near)[depth]
        try_step(module, pass_class(name)(BlockRef(block), LoopRef(loop)))
    assert np.array_equal(results(module, args)[1], 2 * args[0]), text_of(module)
