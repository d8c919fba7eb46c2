"""Schedules of tuple reductions: equal results, by the interpreter and natively."""

from __future__ import annotations

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

import kc
from kc.analysis import loop_tree
from kc.support.registry import pass_class
from kc.transforms.schedule.base import BlockRef, LoopRef

SHAPE = (3, 4, 6)

# Of equal values the one at the lowest place is taken, so that the order does not matter.
COMBINERS = {
    "argmax": """
    %g = arith.cmpi sgt, %a1, %b1 : i64
    %e = arith.cmpi eq, %a1, %b1 : i64
    %l = arith.cmpi ult, %a0, %b0 : i64
    %t = arith.andi %e, %l : i1
    %c = arith.ori %g, %t : i1
    %x = arith.select %c, %a0, %b0 : i64
    %y = arith.maxsi %a1, %b1 : i64
    te.yield %x, %y : i64, i64""",
    "gaussian": """
    %p = arith.muli %a0, %b0 : i64
    %q = arith.muli %a1, %b1 : i64
    %r = arith.muli %a0, %b1 : i64
    %s = arith.muli %a1, %b0 : i64
    %x = arith.subi %p, %q : i64
    %y = arith.addi %r, %s : i64
    te.yield %x, %y : i64, i64""",
}
IDENTITY = {"argmax": (-1, -(2**62)), "gaussian": (1, 0)}


def program(combiner: str, guarded: bool, biased: bool) -> str:
    """A tuple reduction of SHAPE over the last two axes."""
    first, second = IDENTITY[combiner]
    where = "where { te.condition (%i + %j + %k < 8, %k - %i >= 0) }" if guarded else ""
    init = "init {\n    %b = te.read %B[%i] : tensor<3xi64>\n    te.yield %b, %b : i64, i64\n  }"
    return f"""
te.func @f(%A: tensor<3x4x6xi64>, %B: tensor<3xi64>) -> (tensor<3xi64>, tensor<3xi64>) {{
  %X, %Y = te.compute "M" [%i = 3] reduce "{combiner}" [%j = 4, %k = 6] (%a0: i64, %a1: i64)
      (%b0: i64, %b1: i64) identity [{first} : i64, {second} : i64] {{{COMBINERS[combiner]}
  }} {where} {init if biased else ""} do {{
    %p = te.read %A[%i, %j, %k] : tensor<3x4x6xi64>
    %o = arith.index_cast %k : index to i64
    te.yield %o, %p : i64, i64
  }} : tensor<3xi64>, tensor<3xi64>
  te.return %X, %Y : tensor<3xi64>, tensor<3xi64>
}}
"""


def combine(combiner: str, a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    if combiner == "gaussian":
        return a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]
    wins = a[1] > b[1] or (a[1] == b[1] and a[0] % 2**64 < b[0] % 2**64)
    return (a if wins else b)[0], max(a[1], b[1])


def arguments(
    combiner: str, guarded: bool, biased: bool, seed: int
) -> tuple[list[Any], list[np.ndarray]]:
    """Arguments, and what the results are."""
    generator = np.random.default_rng(seed)
    a, b = generator.integers(-3, 4, SHAPE), generator.integers(-2, 3, 3)
    expected = np.zeros((2, 3), np.int64)
    for i in range(3):
        total = (int(b[i]), int(b[i])) if biased else IDENTITY[combiner]
        for j in range(4):
            for k in range(6):
                if not guarded or (i + j + k < 8 and k >= i):
                    total = combine(combiner, total, (k, int(a[i, j, k])))
        expected[:, i] = total
    zeros = [np.zeros(3, np.int64), np.zeros(3, np.int64)]
    return [a, b, *zeros], list(expected)


def random_step(module: ModuleOp, random: Random) -> Any:
    """A primitive on a random loop: most often rfactor."""
    loop = LoopRef(random.choice(loop_tree.loops(module)))
    kind = random.choice(["rfactor", "rfactor", "parallel", "unroll", "vectorize", "decompose"])
    if kind == "decompose":
        blocks = [candidate for candidate in loop_tree.blocks(module) if candidate.has_init]
        block = random.choice(blocks)
        around = loop_tree.loops_around(block)
        return pass_class("decompose-reduction")(BlockRef(block), LoopRef(random.choice(around)))
    if kind == "rfactor":
        candidates = list(pass_class("rfactor").candidates(site_of(module)))
        if candidates:
            loop = random.choice(candidates).loop
        return pass_class("rfactor")(loop, random.randint(-2, 1))
    return pass_class(kind)(loop)


def check(seed: int, native: bool) -> int:
    """Schedule a random tuple reduction; how often something was done."""
    random = Random(seed)
    case = (random.choice(list(COMBINERS)), random.random() < 0.5, random.random() < 0.5)
    module = lowered(program(*case))
    args, expected = arguments(*case, seed)
    wanted = [*args[:2], *expected]
    random_splits(module, random, random.randint(0, 4))
    done = 0
    for _ in range(3):
        if not any(block.has_init for block in loop_tree.blocks(module)):
            break
        if try_step(module, random_step(module, random)) is not None:
            done += 1
            assert_same(wanted, results(module, args), module)
    assert_same(wanted, results(module, args), module)
    if native:
        assert_same(wanted, native_results(module, args), module)
    return done


@given(seed=st.integers(0, 2**32))
@examples(40)
def test_random_schedules(seed: int):
    check(seed, native=False)


@pytest.mark.parametrize("seed", range(12))
def test_random_schedules_natively(seed: int):
    check(seed, native=True)


def test_schedules_are_not_all_refused():
    done = 0
    for seed in range(20):
        done += check(seed, native=False)
        if done >= 15:
            return
    raise AssertionError(f"{done} steps are done")


def test_vectors_of_results():
    """A loop of elements around a tuple reduction becomes vector code."""
    sch = kc.tir.Schedule(lowered(program("argmax", False, False)))
    i, j, k = sch.get_loops("M")
    sch.reorder(j, k, i)
    sch.vectorize(i)
    args, expected = arguments("argmax", False, False, 5)
    kc.build(sch.mod)["f"](*args)
    np.testing.assert_array_equal(args[2:], expected)
