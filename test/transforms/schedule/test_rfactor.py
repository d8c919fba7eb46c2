"""rfactor: equal results on random reductions, by the interpreter and natively."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from random_programs import (
    assert_both_happen,
    assert_same,
    compute_sizes_inside,
    lowered,
    random_splits,
    results,
    site_of,
    text_of,
    try_step,
)
from xdsl.dialects.builtin import ModuleOp

import kc
from kc.analysis import loop_tree
from kc.support.registry import pass_class
from kc.transforms.schedule.base import LoopRef, Primitive

COMBINERS = {
    "sum": np.add,
    "prod": np.multiply,
    "min": np.minimum,
    "max": np.maximum,
}


def reduction(
    combiner: str, shape: tuple[int, ...], reduce: int, *, symbolic: tuple[int, ...] = ()
) -> str:
    """A reduction of the last ``reduce`` dimensions of A, of which ``symbolic`` are sizes."""
    axes = "ijklm"[: len(shape)]
    kept = len(shape) - reduce
    sizes = [f"%s{n}" if n in symbolic else str(size) for n, size in enumerate(shape)]
    dims = ["?" if n in symbolic else str(size) for n, size in enumerate(shape)]
    symbols = ", ".join(f"s{n}" for n in symbolic)
    listed = ", ".join(f'"s{n}"' for n in symbolic)
    bounds = [f"%{axis} = {size}" for axis, size in zip(axes, sizes, strict=True)]
    given = f"tensor<{'x'.join(dims)}xi32>"
    out = f"tensor<{''.join(f'{dim}x' for dim in dims[:kept])}i32>"
    place = ", ".join(f"%{axis}" for axis in axes)
    attr = f"kc.shape = affine_map<()[{symbols}] -> ({', '.join(sizes).replace('%', '')})>"
    return (
        f"te.func @f(%A: {given}{f' {{{attr}}}' if symbolic else ''}) -> {out} "
        f"attributes {{kc.symbols = [{listed}]}} {{\n"
        + "".join(f'  %s{n} = te.symbol "s{n}"\n' for n in symbolic)
        + f'  %C = te.compute "C" [{", ".join(bounds[:kept])}] reduce {combiner} '
        f"[{', '.join(bounds[kept:])}] {{\n"
        f"    %a = te.read %A[{place}] : {given}\n    te.yield %a : i32\n  }} : {out}\n"
        f"  te.return %C : {out}\n}}\n"
    )


def factoring(module: ModuleOp, random: Random) -> Primitive:
    candidates = list(pass_class("rfactor").candidates(site_of(module)))
    loop = LoopRef(random.choice(loop_tree.loops(module)))
    if candidates and random.random() < 0.9:
        loop = random.choice(candidates).loop
    return pass_class("rfactor")(loop, random.randint(-3, 2))


def random_reduction(random: Random, symbolic: bool) -> tuple[ModuleOp, list[Any], np.ndarray]:
    """A reduction, arguments for it, and what numpy makes of them."""
    shape = tuple(random.randint(1, 7) for _ in range(random.randint(2, 4)))
    reduce = random.randint(1, len(shape) - 1)
    combiner = random.choice(list(COMBINERS))
    dims = tuple(n for n in range(len(shape)) if symbolic and random.random() < 0.6)
    module = lowered(reduction(combiner, shape, reduce, symbolic=dims))
    compute_sizes_inside(module, random)
    a = np.random.default_rng(random.randrange(2**32)).integers(-9, 9, shape).astype(np.int32)
    axes = tuple(range(len(shape) - reduce, len(shape)))
    expected = COMBINERS[combiner].reduce(a, axis=axes, dtype=np.int32)
    return module, [a, np.zeros(expected.shape, np.int32)], expected


@given(seed=st.integers(0, 2**32), symbolic=st.booleans())
@examples(50)
def test_random_reductions(seed: int, symbolic: bool):
    random = Random(seed)
    module, args, expected = random_reduction(random, symbolic)
    random_splits(module, random, random.randint(0, 5))
    for _ in range(3):
        if try_step(module, factoring(module, random)) is not None:
            assert_same([args[0], expected], results(module, args), module)
    assert_same([args[0], expected], results(module, args), module)


def test_random_reductions_are_factored():
    """The property test does not pass because everything is refused."""

    def is_done(seed: int) -> bool:
        random = Random(seed)
        module, _, _ = random_reduction(random, symbolic=seed % 2 == 0)
        random_splits(module, random, 2)
        return try_step(module, factoring(module, random)) is not None

    assert_both_happen(map(is_done, range(60)), done=25)


@pytest.mark.parametrize("n", [0, 1, 4, 6])
@pytest.mark.parametrize("schedule", ["k_o", "k", "spatial"])
def test_natively(n: int, schedule: str):
    """Symbolic sizes, zero among them, compiled."""
    sch = kc.tir.Schedule(lowered(reduction("max", (3, 6), 1, symbolic=(1,))))
    i, j = sch.get_loops("C")
    if schedule == "k_o":
        j, _ = sch.split(j, [None, 4])
    elif schedule == "spatial":
        sch.split(i, [None, 2])
    partial = sch.rfactor(j, 1)
    assert partial.name == "C_rf"
    sch.parallel(sch.get_loops(partial)[0])
    a = np.random.default_rng(n).integers(-9, 9, (3, n)).astype(np.int32)
    out = np.zeros(3, np.int32)
    kc.build(sch.mod)["f"](a, out)
    np.testing.assert_array_equal(out, a.max(axis=1, initial=-(2**31)))


BIASED = """
func.func @f(%A: memref<4x10xi32> {kc.role = "in"}, %B: memref<4xi32> {kc.role = "in"},
             %C: memref<4xi32> {kc.role = "out"}) {
  tir.for %i in 4 {
    tir.for %k_o in 5 {
      tir.for %k_i in 3 {
        tir.block "C" (spatial %v_i in 4 = %i, reduce %v_k in 10 = %k_o * 3 + %k_i)
            where (%k_o * 3 + %k_i < 10) init {
          %b = tir.load %B[%v_i] : memref<4xi32>
          tir.store %b, %C[%v_i] : memref<4xi32>
        } do {
          %c = tir.load %C[%v_i] : memref<4xi32>
          %a = tir.load %A[%v_i, %v_k] : memref<4x10xi32>
          %d = arith.addi %a, %c : i32
          tir.store %d, %C[%v_i] : memref<4xi32>
        }
      }
    }
  }
  func.return
}
"""


@pytest.mark.parametrize("loop", ["k_o", "k_i"])
def test_an_init_of_its_own(loop: str):
    """The start of the sum is added once; iterations that the predicate leaves out, never."""
    module = lowered(BIASED)
    pass_class("rfactor")(LoopRef(loop)).apply(site_of(module))
    generator = np.random.default_rng(0)
    a = generator.integers(-9, 9, (4, 10)).astype(np.int32)
    b = generator.integers(-9, 9, 4).astype(np.int32)
    np.testing.assert_array_equal(
        results(module, [a, b, np.zeros(4, np.int32)])[2], a.sum(axis=1) + b
    )


def test_twice():
    """The partial results can be reduced in two steps."""
    sch = kc.tir.Schedule(lowered(reduction("sum", (2, 12), 1)))
    _, j = sch.get_loops("C")
    k0, k1, _ = sch.split(j, [2, 3, 2])
    first = sch.rfactor(k1)
    again = sch.rfactor(k0)
    assert (first.name, again.name) == ("C_rf", "C_rf_rf")
    a = np.arange(24, dtype=np.int32).reshape(2, 12)
    out = results(sch.module, [a, np.zeros(2, np.int32)])[1]
    np.testing.assert_array_equal(out, a.sum(axis=1))


def test_handles():
    """The handle of the block is on the final reduction, those of its loops on the partial ones."""
    sch = kc.tir.Schedule(lowered(reduction("sum", (2, 12), 1)))
    block = sch.get_block("C")
    i, j = sch.get_loops(block)
    partial = sch.rfactor(j)
    sch.parallel(i)
    assert [producer.name for producer in sch.get_producers(block)] == ["C_rf"]
    assert [loop.name for loop in sch.get_loops(block)] == ["i", "j"]
    assert "parallel" in text_of(sch.module).partition('"C_rf" (')[0]
    assert [loop.name for loop in sch.get_loops(partial)] == ["i", "j"]


def test_legal():
    module = lowered(reduction("sum", (2, 12), 1))
    assert [str(choice.loop) for choice in pass_class("rfactor").legal(site_of(module))] == ["j"]


def test_a_fused_loop_that_drives_one_kind():
    """A loop whose range says that it does not drive the reduction is a loop of the elements."""
    sch = kc.tir.Schedule(lowered(reduction("min", (2, 7, 3), 2)))
    i, j, k = sch.get_loops("C")
    sch.reorder(j, i)
    outer, _ = sch.split(sch.fuse(j, i), [None, 2])
    sch.rfactor(k)
    assert [loop.name for loop in sch.get_loops("C")] == ["j_i_fused_i", "k"]
    a = np.arange(42, dtype=np.int32).reshape(2, 7, 3)[::-1].copy()
    out = results(sch.module, [a, np.zeros(2, np.int32)])[1]
    np.testing.assert_array_equal(out, a.min(axis=(1, 2)))
    assert outer.name == "j_i_fused_o"
