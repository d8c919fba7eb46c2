"""Schedules of programs in which a block makes several tensors: equal results throughout."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from random_programs import (
    assert_same,
    lowered,
    native_results,
    random_splits,
    results,
    site_of,
    try_step,
)
from xdsl.dialects.builtin import ModuleOp

from kc.analysis import loop_tree
from kc.dialects.tir import AllocOp, ForOp
from kc.support.diagnostics import ScheduleError
from kc.support.registry import pass_class
from kc.transforms.schedule.base import BlockRef, LoopRef

# D is read twice, P makes two tensors, M reduces both to three, which Q reads.
PROGRAM = """
te.func @f(%A: tensor<4x6xi64>, %B: tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>) {
  %D = te.compute "D" [%i = 4, %k = 6] {
    %a = te.read %A[%i, %k] : tensor<4x6xi64>
    %d = arith.addi %a, %a : i64
    te.yield %d : i64
  } : tensor<4x6xi64>
  %P, %N = te.compute "P" [%i = 4, %k = 6] {
    %d = te.read %D[%i, %k] : tensor<4x6xi64>
    %b = te.read %B[%i] : tensor<4xi64>
    %p = arith.addi %d, %b : i64
    %n = arith.subi %d, %b : i64
    te.yield %p, %n : i64, i64
  } : tensor<4x6xi64>, tensor<4x6xi64>
  %S, %T, %C = te.compute "M" [%i = 4] reduce "most" [%k = 6] (%a0: i64, %a1: i64, %a2: i64)
      (%b0: i64, %b1: i64, %b2: i64) identity [0 : i64, -1000 : i64, 0 : i64] {
    %x = arith.addi %a0, %b0 : i64
    %y = arith.maxsi %a1, %b1 : i64
    %z = arith.xori %a2, %b2 : i64
    te.yield %x, %y, %z : i64, i64, i64
  } where { te.condition (%k - %i >= 0) } init {
    %b = te.read %B[%i] : tensor<4xi64>
    te.yield %b, %b, %b : i64, i64, i64
  } do {
    %p = te.read %P[%i, %k] : tensor<4x6xi64>
    %n = te.read %N[%i, %k] : tensor<4x6xi64>
    %d = te.read %D[%i, 5 - %k] : tensor<4x6xi64>
    te.yield %p, %n, %d : i64, i64, i64
  } : tensor<4xi64>, tensor<4xi64>, tensor<4xi64>
  %Q = te.compute "Q" [%i = 4] {
    %s = te.read %S[%i] : tensor<4xi64>
    %t = te.read %T[%i] : tensor<4xi64>
    %c = te.read %C[%i] : tensor<4xi64>
    %u = arith.muli %s, %t : i64
    %q = arith.addi %u, %c : i64
    te.yield %q : i64
  } : tensor<4xi64>
  %R = te.compute "R" [%i = 4] {
    %q = te.read %Q[3 - %i] : tensor<4xi64>
    %r = arith.muli %q, %q : i64
    te.yield %r : i64
  } : tensor<4xi64>
  te.return %Q, %R : tensor<4xi64>, tensor<4xi64>
}
"""


def arguments(seed: int) -> tuple[list[Any], list[np.ndarray]]:
    """Arguments, and what the results are."""
    generator = np.random.default_rng(seed)
    a, b = generator.integers(-9, 9, (4, 6)), generator.integers(-9, 9, 4)
    d = a + a
    p, n = d + b[:, None], d - b[:, None]
    taken = np.arange(6)[None, :] >= np.arange(4)[:, None]
    s = b + np.where(taken, p, 0).sum(axis=1)
    t = np.maximum(b, np.where(taken, n, -1000).max(axis=1))
    c = b ^ np.bitwise_xor.reduce(np.where(taken, d[:, ::-1], 0), axis=1)
    q = s * t + c
    return [a, b, np.zeros(4, np.int64), np.zeros(4, np.int64)], [q, q[::-1] ** 2]


MOVES = (
    "compute-at",
    "reverse-compute-at",
    "compute-root",
    "compute-inline",
    "rfactor",
    "cache-write",
    "cache-read",
    "decompose-reduction",
    "parallel",
    "vectorize",
)


def random_step(module: ModuleOp, random: Random) -> Any:
    """A primitive at a random place."""
    kind = random.choice(MOVES)
    candidates = list(pass_class(kind).candidates(site_of(module)))
    if candidates:
        return random.choice(candidates)
    if kind in ("compute-at", "reverse-compute-at"):
        block = BlockRef(random.choice(loop_tree.blocks(module)))
        return pass_class(kind)(block, LoopRef(random.choice(loop_tree.loops(module))))
    return None


def check(seed: int, native: bool = False) -> Counter[str]:
    """Schedule the program; which primitives were done."""
    random = Random(seed)
    module = lowered(PROGRAM)
    args, expected = arguments(seed)
    wanted = [*args[:2], *expected]
    assert_same(wanted, results(module, args), module)
    done: Counter[str] = Counter()
    for _ in range(random.randint(1, 6)):
        if random.random() < 0.3:
            random_splits(module, random, 1)
        step = random_step(module, random)
        if step is not None and try_step(module, step) is not None:
            done[step.name] += 1
            assert_same(wanted, results(module, args), module)
    if native:
        assert_same(wanted, native_results(module, args), module)
    return done


@given(seed=st.integers(0, 2**32))
@examples(40)
def test_random_schedules(seed: int):
    check(seed)


@pytest.mark.parametrize("seed", range(8))
def test_random_schedules_natively(seed: int):
    check(seed, native=True)


def test_schedules_are_not_all_refused():
    missing = {"compute-at", "rfactor", "cache-write", "compute-inline"}
    for seed in range(20):
        missing -= set(check(seed))
        if not missing:
            return
    raise AssertionError(f"never done: {missing}")


def moved(*steps: tuple[str, str, str | None]) -> ModuleOp:
    """The program after some moves of blocks, with equal results."""
    module = lowered(PROGRAM)
    args, expected = arguments(0)
    for primitive, block, loop in steps:
        refs = [BlockRef(block), *([LoopRef(loop)] if loop is not None else [])]
        pass_class(primitive)(*refs).apply(site_of(module))
        module.verify()
        assert_same([*args[:2], *expected], results(module, args), module)
    assert_same([*args[:2], *expected], native_results(module, args), module)
    return module


def nest_of(module: ModuleOp, block: str) -> list[str]:
    (inner,) = [candidate for candidate in loop_tree.blocks(module) if candidate.label == block]
    return [loop.label for loop in loop_tree.loops_around(inner)]


def test_a_block_of_two_tensors_moves_to_its_consumer():
    """Both buffers go along."""
    module = moved(("compute-at", "P", "k"))
    assert nest_of(module, "P") == ["i", "k"]
    allocs = [op for op in module.walk() if isinstance(op, AllocOp)]
    assert [alloc.label for alloc in allocs if isinstance(alloc.parent_op(), ForOp)] == [
        "P_v0",
        "P_v1",
    ]


def test_a_tuple_reduction_moves_to_its_consumer():
    module = moved(("compute-at", "M", "i"), ("compute-at", "P", "k"))
    assert nest_of(module, "M") == ["i", "k"]


def test_all_readers_of_all_tensors_count():
    """One tensor of P is read outside of the loop."""
    text = PROGRAM.replace(
        "%q = te.read %Q[3 - %i] : tensor<4xi64>", "%q = te.read %N[%i, 0] : tensor<4x6xi64>"
    )
    with pytest.raises(ScheduleError, match="block R reads P_v0 and P_v1 outside loop k"):
        pass_class("compute-at")(BlockRef("P"), LoopRef("k")).apply(site_of(lowered(text)))


def test_a_tuple_reduction_moves_to_its_producer():
    """Behind what P computes in one iteration of a loop."""
    module = moved(("compute-inline", "D", None), ("reverse-compute-at", "M", "i"))
    assert nest_of(module, "M") == ["i", "k_1"]
    assert len(nest_of(module, "P")) == 2


def test_at_the_root_again():
    """A block that was moved into a loop can leave it."""
    moved(("compute-at", "M", "i"), ("compute-root", "M", None))
