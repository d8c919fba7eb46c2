"""blockize, and what becomes of blocks in blocks: equal results on random programs."""

from __future__ import annotations

import itertools
from random import Random
from typing import Any

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
from kc import te, tir
from kc.analysis import loop_tree
from kc.analysis.interpreter import run
from kc.dialects.tir import BlockOp
from kc.support.registry import pass_class
from kc.transforms.schedule.base import BlockRef, LoopRef, Primitive

AFTER = (
    "split", "reorder", "fuse", "parallel", "vectorize", "unroll", "decompose-reduction",
    "compute-at", "compute-inline", "reverse-compute-at", "cache-read", "cache-write", "rfactor",
    "blockize",
)  # fmt: skip
"""The primitives tried on a function with blocks in blocks."""


def blockize(module: ModuleOp, random: Random) -> Primitive:
    """A random loop, or two random blocks."""
    loops, blocks = loop_tree.loops(module), loop_tree.blocks(module)
    unit = random.random() < 0.7
    if random.random() < 0.2:
        chosen = random.sample(blocks, min(2, len(blocks)))
        return pass_class("blockize")(None, tuple(BlockRef(block) for block in chosen), unit)
    return pass_class("blockize")(LoopRef(random.choice(loops)), (), unit)


def another(module: ModuleOp, random: Random) -> Primitive | None:
    """A random primitive, from what it proposes itself."""
    cls = pass_class(random.choice(AFTER))
    choices = list(cls.candidates(site_of(module)))
    return random.choice(choices) if choices else None


def nested_blocks(module: ModuleOp) -> list[BlockOp]:
    """The blocks that hold another block."""
    return [block for block in loop_tree.blocks(module) if len(loop_tree.blocks(block)) > 1]


def lower(module: ModuleOp, *passes: str) -> None:
    for name in passes:
        pass_class(name)().apply(None, module)
        module.verify()


@given(seed=st.integers(0, 2**32), symbolic=st.booleans())
@examples(40)
def test_random_programs(seed: int, symbolic: bool):
    random = Random(seed)
    module = random_program(random, 3, symbolic)
    args = arguments(module, random)
    expected = results(module, args)
    random_splits(module, random, random.randint(0, 5))
    for _ in range(random.randint(1, 3)):
        try_step(module, blockize(module, random))
    assert_same(expected, results(module, args), module)
    for _ in range(3):
        step = another(module, random)
        if step is not None and try_step(module, step) is not None:
            assert_same(expected, results(module, args), module)
    lower(module, "lower-init-block", "compact-buffer-allocation", "lower-blocks")
    assert_same(expected, results(module, args), module)


def test_random_programs_are_blockized():
    """The property test does not pass because everything is refused."""
    done = after = 0
    for seed in range(60):
        random = Random(seed)
        module = random_program(random, 3, symbolic=seed % 2 == 0)
        random_splits(module, random, 3)
        if try_step(module, blockize(module, random)) is None:
            continue
        done += 1
        step = another(module, random)
        after += step is not None and try_step(module, step) is not None
        if done >= 25 and after >= 8:
            return
    raise AssertionError(f"{done} are blockized, {after} of them take another step")


@pytest.mark.parametrize("seed", range(6))
def test_natively(seed: int):
    random = Random(seed)
    module = random_program(random, 3)
    args = arguments(module, random)
    expected = results(module, args)
    random_splits(module, random, 4)
    while not nested_blocks(module):
        try_step(module, blockize(module, random))
    step = another(module, random)
    if step is not None:
        try_step(module, step)
    kc.build(kc.IRModule(module), target="llvm")(*args)
    for wanted, actual in zip(expected, args, strict=True):
        assert np.array_equal(wanted, actual), text_of(module)


MATMUL = """
te.func @f(%A: tensor<10x12xi32>, %B: tensor<12x6xi32>) -> tensor<10x6xi32> {
  %C = te.compute "C" [%i = 10, %j = 6] reduce sum [%k = 12] {
    %a = te.read %A[%i, %k] : tensor<10x12xi32>
    %b = te.read %B[%k, %j] : tensor<12x6xi32>
    %p = arith.muli %a, %b : i32
    te.yield %p : i32
  } : tensor<10x6xi32>
  te.return %C : tensor<10x6xi32>
}
"""


def tiled_matmul() -> ModuleOp:
    """A product of matrices as a block of tiles, the last of which are not full."""
    module = lowered(MATMUL)
    site = site_of(module)
    for name in ("i", "j", "k"):
        pass_class("split")(LoopRef(name), (None, 4)).apply(site)
    order = ("i_o", "j_o", "k_o", "i_i", "j_i", "k_i")
    pass_class("reorder")(tuple(LoopRef(loop) for loop in order)).apply(site)
    pass_class("blockize")(LoopRef("i_i")).apply(site)
    return module


@pytest.mark.parametrize(
    "steps",
    [
        [("decompose-reduction", BlockRef("C_o"), LoopRef("k_o"))],
        [("parallel", LoopRef("i_o"))],
        [("reorder", (LoopRef("k_o"), LoopRef("i_o")))],
        [("vectorize", LoopRef("j_i"))],
        [("reorder", (LoopRef("k_i"), LoopRef("j_i"))), ("unroll", LoopRef("k_i"))],
        [("split", LoopRef("j_i"), (None, 2)), ("fuse", (LoopRef("i_o"), LoopRef("j_o")))],
        [("blockize", LoopRef("j_i")), ("blockize", LoopRef("j_o"))],
    ],
)
def test_what_follows_on_tiles(steps: list[tuple[Any, ...]]):
    module = tiled_matmul()
    site = site_of(module)
    for name, *options in steps:
        pass_class(name)(*options).apply(site)
        module.verify()
    generator = np.random.default_rng(0)
    a = generator.integers(-9, 9, (10, 12)).astype(np.int32)
    b = generator.integers(-9, 9, (12, 6)).astype(np.int32)
    expected = [a, b, a @ b]
    assert_same(expected, results(module, [a, b, np.zeros((10, 6), np.int32)]), module)
    c = np.zeros((10, 6), np.int32)
    kc.build(kc.IRModule(module), target="llvm")(a, b, c)
    assert np.array_equal(c, a @ b), text_of(module)


@pytest.mark.parametrize("at", [0, 1, 2])
@pytest.mark.parametrize("preserve_unit_iters", [True, False])
def test_a_divided_reduction_over_nothing_is_initialised(at: int, preserve_unit_iters: bool):
    """Also where its tile is all of the reduction, which the tile's own init knows nothing of."""
    n = te.var("n")
    A = te.placeholder((6, n), name="A")
    k = te.reduce_axis((0, n), "k")
    C = te.compute((6,), lambda i: te.sum(A[i, k], axis=k), name="C")
    sch = tir.Schedule(kc.lower(te.create_schedule(C.op), [A, C], name="main"))
    sch.split(sch.get_loops("C")[1], factors=[None, 4])
    sch.blockize(sch.get_loops("C")[at], preserve_unit_iters=preserve_unit_iters)
    calls = (lambda *arrays: run(sch.mod.op, "main", list(arrays)), kc.build(sch.mod))
    for size, call in itertools.product([0, 1, 8, 11], calls):
        a = np.arange(6 * size, dtype=np.float32).reshape(6, size)
        c = np.full(6, 7, np.float32)
        call(a, c)
        assert (c == a.sum(axis=1)).all()


@pytest.mark.parametrize("size", [0, 1, 5, 12])
def test_a_condition_on_terms_of_which_there_may_be_none(size: int):
    """The init is executed where the reduction is empty, whatever its predicate says of terms."""
    n = te.var("n")
    a = te.placeholder((4, n), "int32", name="A")
    k = te.reduce_axis((0, n), "k")
    total = te.compute((4,), lambda i: te.sum(a[i, k], axis=k), name="B")
    sch = tir.Schedule(kc.lower(te.create_schedule(total.op), [a, total], name="main"))
    sch.split(sch.get_loops("B")[1], [None, 3])
    _, outer, inner = sch.get_loops("B")
    sch.tile(outer, inner, 4, 3)
    sch.blockize(sch.get_loops("B")[1])
    given = np.arange(4 * size, dtype="int32").reshape(4, size)
    arrays = [given, np.full(4, 99, "int32")]
    run(sch.mod.op, "main", arrays)
    assert arrays[1].tolist() == given.sum(axis=1).tolist()
