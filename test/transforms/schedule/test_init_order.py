"""Reductions whose reduce variables are not 0 in the first iteration, against plain loops.

``init`` runs where all reduce variables are 0. What was added before is lost; no primitive, no pass
and no target may make anything else of it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from random_programs import assert_same, native_results, parse, results, site_of, try_step
from xdsl.dialects.builtin import ModuleOp

import kc
from kc import tir
from kc.support.diagnostics import ScheduleError
from kc.support.registry import current, pass_class
from kc.transforms.schedule.base import BlockRef, LoopRef

ROWS, LENGTH = 4, 6


@dataclass(frozen=True)
class Binding:
    """The variables of the block in the loops i of ROWS, and k, and which rows it has."""

    text: str
    variables: Callable[[int, int], tuple[int, int]]
    count: int = LENGTH
    """Iterations of k."""


BINDINGS = {
    "rising": Binding("spatial %v in 4 = %i, reduce %r in 6 = %k", lambda i, k: (i, k)),
    "falling": Binding("spatial %v in 4 = %i, reduce %r in 6 = 5 - %k", lambda i, k: (i, 5 - k)),
    "wrapped": Binding(
        "spatial %v in 4 = %i, reduce %r in 6 = (%k + 4) mod 6", lambda i, k: (i, (k + 4) % 6)
    ),
    "shifted": Binding(
        "spatial %v in 4 = %i, reduce %r in 6 = %k + 1", lambda i, k: (i, k + 1), LENGTH - 1
    ),
    "strided": Binding(
        "spatial %v in 4 = %i, reduce %r in 6 = %k * 2", lambda i, k: (i, k * 2), LENGTH // 2
    ),
    "shuffled": Binding(
        "spatial %v in 4 = %i, reduce %r in 6 = (%k floordiv 2) * 2 + 1 - %k mod 2",
        lambda i, k: (i, k // 2 * 2 + 1 - k % 2),
    ),
    "skewed": Binding("spatial %v in 9 = %i + %k, reduce %r in 6 = %k", lambda i, k: (i + k, k)),
    "skewed back": Binding(
        "spatial %v in 9 = %i + 5 - %k, reduce %r in 6 = %k", lambda i, k: (i + 5 - k, k)
    ),
    "fused": Binding(
        "spatial %v in 4 = (%i * 6 + %k) floordiv 6, reduce %r in 6 = (%i * 6 + %k) mod 6",
        lambda i, k: (i, k),
    ),
    "fused, falling": Binding(
        "spatial %v in 4 = (23 - %i * 6 - %k) floordiv 6, "
        "reduce %r in 6 = (23 - %i * 6 - %k) mod 6",
        lambda i, k: divmod(23 - i * 6 - k, 6),
    ),
}


def program(how: str, order: str, *, private: bool = False) -> ModuleOp:
    """S = 3 + the terms of A, and C = 2 S; S is an argument unless it is ``private``."""
    binding = BINDINGS[how]
    loops = {"i": f"tir.for %i in {ROWS} {{", "k": f"tir.for %k in {binding.count} {{"}
    argument = "" if private else '%S: memref<9xi32> {kc.role = "out"}, '
    alloc = '%S = tir.alloc "S" : memref<9xi32>' if private else ""
    used = 9 if "skewed" in how else ROWS
    return parse(f"""
func.func @f(%A: memref<9x6xi32> {{kc.role = "in"}}, {argument}
             %C: memref<9xi32> {{kc.role = "out"}}) {{
  {alloc}
  {loops[order[0]]} {loops[order[1]]}
    tir.block "S" ({binding.text}) init {{
      %z = arith.constant 3 : i32
      tir.store %z, %S[%v] : memref<9xi32>
    }} do {{
      %s = tir.load %S[%v] : memref<9xi32>
      %a = tir.load %A[%v, %r] : memref<9x6xi32>
      %t = arith.addi %s, %a : i32
      tir.store %t, %S[%v] : memref<9xi32>
    }}
  }} }}
  tir.for %j in {used} {{
    tir.block "C" (spatial %v in {used} = %j) do {{
      %s = tir.load %S[%v] : memref<9xi32>
      %t = arith.addi %s, %s : i32
      tir.store %t, %C[%v] : memref<9xi32>
    }}
  }}
  func.return
}}""")


def expected(how: str, order: str, a: np.ndarray, old: np.ndarray) -> tuple[np.ndarray, int]:
    """S as the loops compute it from ``old``, and how many rows of C there are."""
    binding, total = BINDINGS[how], old.copy()
    ranges = {"i": range(ROWS), "k": range(binding.count)}
    for point in itertools.product(*(ranges[label] for label in order)):
        at = dict(zip(order, point, strict=True))
        v, r = binding.variables(at["i"], at["k"])
        if r == 0:
            total[v] = 3
        total[v] += a[v, r]
    return total, 9 if "skewed" in how else ROWS


def checked(
    how: str, order: str, module: ModuleOp, *, private: bool = False, native: bool = False
) -> None:
    """The module gives what the loops give, interpreted and, with ``native``, compiled."""
    generator = np.random.default_rng(1)
    a = generator.integers(-9, 9, (9, 6)).astype(np.int32)
    old = generator.integers(-9, 9, 9).astype(np.int32)
    total, rows = expected(how, order, a, old)
    c = np.zeros(9, np.int32)
    args = [a, c] if private else [a, old, c]
    doubled = np.where(np.arange(9) < rows, total * 2, 0)
    wanted = [a, doubled] if private else [a, total, doubled]
    assert_same(wanted, results(module, args), module)
    if native:
        assert_same(wanted, native_results(module, args), module)


@pytest.mark.parametrize("order", ["ik", "ki"])
@pytest.mark.parametrize("how", BINDINGS)
def test_init_runs_where_it_is_told(how: str, order: str):
    checked(how, order, program(how, order), native=True)


@pytest.mark.parametrize("order", ["ik", "ki"])
@pytest.mark.parametrize("how", BINDINGS)
@pytest.mark.parametrize("loop", ["i", "k"])
def test_decompose_reduction(how: str, order: str, loop: str):
    """It is accepted where the init comes first, or what is before it is of other elements."""
    module = program(how, order)
    done = try_step(module, pass_class("decompose-reduction")(BlockRef("S"), LoopRef(loop)))
    checked(how, order, module)
    if loop == order[0] and how in ("rising", "strided", "fused"):
        assert done is not None


# Whose elements all have an init: what has none adds to what was in memory before.
COMPLETE = [name for name in BINDINGS if name not in ("shifted", "skewed", "skewed back")]


@given(
    seed=st.integers(0, 2**32),
    how=st.sampled_from(COMPLETE),
    order=st.sampled_from(("ik", "ki")),
)
@examples(60)
def test_random_schedules(seed: int, how: str, order: str):
    """Every primitive keeps it, or refuses."""
    random = Random(seed)
    module = program(how, order, private=True)
    names = sorted({*current().primitives} - {"bind", "transform-layout", "unsafe-set-dtype"})
    for _ in range(4):
        cls = pass_class(random.choice(names))
        candidates = list(cls.candidates(site_of(module)))
        if candidates:
            try_step(module, random.choice(candidates))
    checked(how, order, module, private=True, native=seed % 4 == 0)


def refusal(how: str, order: str, step: str, *options: object) -> str:
    with pytest.raises(ScheduleError) as caught:
        pass_class(step)(*options).apply(site_of(program(how, order, private=True)))
    return str(caught.value)


def test_compute_at_refuses_what_it_would_start_anew():
    assert refusal("falling", "ik", "compute-at", BlockRef("S"), LoopRef("j")) == (
        "error[KC3233]: compute_at: block S adds to an element before it is initialised\n"
        "  --> k.mlir:6:5\n"
        "   |  for i in 4:\n"
        "   |    for k in 6:\n"
        "   |      block S    <-- here\n"
        "  why: the update at (i=0, k=0) comes before the init at (i=0, k=5), which overwrites it; "
        "at the new place it would come after the init and count"
    )


def test_decompose_reduction_says_what_comes_before_the_init():
    assert refusal("falling", "ik", "decompose-reduction", BlockRef("S"), LoopRef("k")) == (
        "error[KC3253]: decompose_reduction: the init of block S cannot be proven to do the same "
        "before loop k\n"
        "  --> k.mlir:6:5\n"
        "   |  for i in 4:\n"
        "   |    for k in 6:    <-- the loop\n"
        "   |      block S    <-- here\n"
        "  why: S at (k=0) updates S[0], which S at (k=5) writes (for i = 0)"
    )


NOTHING_TO_REDUCE = """
func.func @main(%A: memref<8x0xi32>, %B: memref<8xi32>, %C: memref<8xi32>) {
  %R = tir.alloc "R" : memref<8xi32>
  tir.for %i in 8 {
    tir.for %k in 0 {
      tir.block "R" (spatial %v in 8 = 7 - %i, reduce %w in 0 = BINDING) init {
        %b = tir.load %B[%v] : memref<8xi32>
        tir.store %b, %R[%v] : memref<8xi32>
      } do {
        %old = tir.load %R[%v] : memref<8xi32>
        %x = tir.load %A[%v, %w] : memref<8x0xi32>
        %new = arith.addi %old, %x : i32
        tir.store %new, %R[%v] : memref<8xi32>
      }
    }
  }
  tir.for %j in 8 {
    tir.block "C" (spatial %v in 8 = %j) do {
      %x = tir.load %R[%v] : memref<8xi32>
      tir.store %x, %C[%v] : memref<8xi32>
    }
  }
  func.return
}
"""


@pytest.mark.parametrize("binding", ["%k", "%k * -1 - 1", "%k + 3"])
def test_a_reduction_over_nothing_stores_its_initial_value(binding: str):
    """A reduction over nothing stores its initial value for every binding of its variable."""
    text = NOTHING_TO_REDUCE.replace("BINDING", binding)
    sch = tir.Schedule(kc.IRModule.parse(text))
    with pytest.raises(ScheduleError) as caught:
        sch.merge(sch.get_loops("R")[0], sch.get_loops("C")[0])
    assert caught.value.code == "KC3455"
    assert caught.value.why == "R at (i=4, k=0) writes R[3], which C at (j=3) reads"
    b, c = np.arange(8, dtype=np.int32), np.zeros(8, np.int32)
    kc.build(sch)(np.zeros((8, 0), np.int32), b, c)
    np.testing.assert_array_equal(c, b)
