"""Schedules of scans: equal results, and no row that is read before it is computed."""

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

import kc
from kc import tir
from kc.analysis import loop_tree
from kc.support.diagnostics import ScheduleError
from kc.support.registry import pass_class
from kc.transforms.schedule.base import BlockRef, LoopRef

# A state of 4 elements: a product with a matrix, then something pointwise, from a start.
PROGRAM = """
te.func @f(%W: tensor<4x4xi64>, %X: tensor<6x4xi64>) -> tensor<6x4xi64> {
  %F = te.compute "F" [%z = 1, %i = 4] {
    %x = te.read %X[0, %i] : tensor<6x4xi64>
    te.yield %x : i64
  } : tensor<1x4xi64>
  %Y = te.compute "Y" [%t = 6, %i = 4] {
    %x = te.read %X[%t, 3 - %i] : tensor<6x4xi64>
    %y = arith.addi %x, %x : i64
    te.yield %y : i64
  } : tensor<6x4xi64>
  %S = te.scan "S" [%t = 6] (%s: tensor<6x4xi64> = %F: tensor<1x4xi64>) {
    %P = te.compute "P" [%i = 4] reduce sum [%k = 4] {
      %w = te.read %W[%i, %k] : tensor<4x4xi64>
      %p = te.read %s[%t - 1, %k] : tensor<6x4xi64>
      %q = arith.muli %w, %p : i64
      te.yield %q : i64
    } : tensor<4xi64>
    %U = te.compute "U" [%i = 4] {
      %p = te.read %P[%i] : tensor<4xi64>
      %y = te.read %Y[%t, %i] : tensor<6x4xi64>
      %u = arith.subi %y, %p : i64
      te.yield %u : i64
    } : tensor<4xi64>
    te.yield %U : tensor<4xi64>
  }
  %R = te.compute "R" [%t = 6, %i = 4] {
    %s = te.read %S[%t, %i] : tensor<6x4xi64>
    %r = arith.addi %s, %s : i64
    te.yield %r : i64
  } : tensor<6x4xi64>
  te.return %R : tensor<6x4xi64>
}
"""


def arguments(seed: int) -> tuple[list[Any], np.ndarray]:
    """Arguments, and what the result is."""
    generator = np.random.default_rng(seed)
    w, x = generator.integers(-2, 3, (4, 4)), generator.integers(-9, 9, (6, 4))
    rows = [x[0]]
    for t in range(1, 6):
        rows.append(2 * x[t, ::-1] - w @ rows[-1])
    return [w, x, np.zeros((6, 4), np.int64)], 2 * np.array(rows)


MOVES = (
    *("compute-at", "compute-at", "reverse-compute-at", "compute-root", "compute-inline"),
    *("reverse-compute-inline", "rfactor", "cache-write", "cache-read", "decompose-reduction"),
    *("parallel", "vectorize", "set-scope"),
)


def random_step(module: ModuleOp, random: Random) -> Any:
    """A primitive at a random place."""
    kind = random.choice(MOVES)
    candidates = list(pass_class(kind).candidates(site_of(module)))
    if candidates:
        return random.choice(candidates)
    if kind in ("parallel", "vectorize"):
        return pass_class(kind)(LoopRef(random.choice(loop_tree.loops(module))))
    return None


def check(seed: int, native: bool = False) -> Counter[str]:
    """Schedule the program; which primitives were done."""
    random = Random(seed)
    module = lowered(PROGRAM)
    args, expected = arguments(seed)
    wanted = [*args[:2], expected]
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
    missing = {"compute-at", "rfactor", "parallel", "cache-read"}
    for seed in range(40):
        missing -= set(check(seed))
        if not missing:
            return
    raise AssertionError(f"never done: {missing}")


@pytest.mark.parametrize(
    ("primitive", "block", "loop", "code"),
    [
        ("parallel", None, "t", "KC3041"),
        ("compute-root", "P", None, "KC3207"),
        ("compute-at", "U", "i", "KC3205"),
    ],
)
def test_refused(primitive: str, block: str | None, loop: str | None, code: str):
    """Rows are computed one after another, each from the one before."""
    module = lowered(PROGRAM)
    (time,) = [candidate for candidate in loop_tree.loops(module) if candidate.static_extent == 5]
    target = time if loop == "t" else loop
    refs: list[Any] = [BlockRef(block)] if block is not None else []
    refs += [LoopRef(target)] if target is not None else []
    with pytest.raises(ScheduleError) as caught:
        pass_class(primitive)(*refs).apply(site_of(module))
    assert caught.value.code == code, str(caught.value)


STEPS = """
func.func @steps(%A: memref<4x?xf32> {kc.shape = affine_map<()[s0] -> (4, s0)>},
                 %S: memref<8x4xf32>) attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %t in 7 {
    tir.for %i in 4 {
      tir.for %k in 2 {
        tir.for %l in %n {
          tir.block "S" (opaque %v_t in 8 = %t + 1, spatial %v_i in 4 = %i, reduce %v_k in 2 = %k,
                         reduce %v_l in %n = %l) init {
            %zero = arith.constant 0.0 : f32
            tir.store %zero, %S[%v_t, %v_i] : memref<8x4xf32>
          } do {
            %a = tir.load %A[%v_i, %v_l] : memref<4x?xf32>
            %s = tir.load %S[%v_t, %v_i] : memref<8x4xf32>
            %sum = arith.addf %s, %a : f32
            tir.store %sum, %S[%v_t, %v_i] : memref<8x4xf32>
          }
        }
      }
    }
  }
  func.return
}
"""


@pytest.mark.parametrize(
    ("name", "arguments", "loops"),
    [("fuse", (), "i and k"), ("skew", (1,), "i and k")],
)
def test_elements_of_a_step_are_counted(name: str, arguments: tuple[int, ...], loops: str):
    """If n is 0, each step writes initial values, which the build does in loops of its own."""
    sch = tir.Schedule(kc.IRModule.parse(STEPS))
    _, i, k, l = sch.get_loops("S")  # noqa: E741
    before = str(sch.mod)
    with pytest.raises(ScheduleError) as refused:
        getattr(sch, name)(i, k, *arguments)
    told = str(refused.value).splitlines()
    assert told[0] == f"error[KC3036]: {name}: the reduction over l of S may be empty"
    assert told[2:] == [
        "   |  for t in 7:",
        "   |    for i in 4:    <-- here (from <string>:6:5)",
        "   |      for k in 2:",
        "   |        for l in n:",
        "   |          block S",
        "  why: S then stores the initial values of each step, and "
        f"{loops} would no longer count elements alone",
        "  try: keep loops over elements separate from loops of this reduction",
    ]
    assert str(sch.mod) == before
    sch.fuse(k, l)
    kernel = kc.build(sch.mod)
    for n in (0, 3):
        steps = np.full((8, 4), -1, "float32")
        kernel(np.ones((4, n), "float32"), steps)
        np.testing.assert_array_equal(steps[1:], np.full((7, 4), 2 * n))
