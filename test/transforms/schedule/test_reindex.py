"""reindex and its relatives: equal results on random programs, interpreted and natively."""

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
    assert_both_happen,
    assert_same,
    lowered,
    native_results,
    parse,
    random_program,
    random_splits,
    results,
    site_of,
    text_of,
    try_step,
)
from test_caching import Updates
from test_transform_layout import random_map
from xdsl.dialects.builtin import ModuleOp

from kc.analysis import loop_tree
from kc.analysis.accesses.regions import buffers_read, buffers_written
from kc.dialects.tir import BlockOp
from kc.support.registry import pass_class
from kc.transforms.schedule._buffers import BufferRef
from kc.transforms.schedule._index_map import IndexMap
from kc.transforms.schedule.base import BlockRef, LoopRef, Primitive

Chooser = Callable[[ModuleOp, Random], Primitive]


def blocks_of(module: ModuleOp) -> list[BlockOp]:
    return loop_tree.blocks(loop_tree.functions(module)[0])


def reindex(module: ModuleOp, random: Random) -> Primitive:
    block = random.choice(blocks_of(module))
    used = [*buffers_read(block), *buffers_written(block)]
    buffer = BufferRef(random.choice(used)) if used else BufferRef(0)
    if random.random() < 0.3:
        buffer = BufferRef(random.randint(0, 1), random.choice(("read", "write")))
    return pass_class("reindex")(BlockRef(block), buffer)


def _cache(name: str, module: ModuleOp, random: Random) -> Primitive:
    cls = pass_class(name)
    offered = list(cls.candidates(site_of(module)))
    if not offered:
        return cls(BlockRef(blocks_of(module)[0]), BufferRef(0), "global", IndexMap((), ()))
    step = random.choice(offered)
    if random.random() < 0.5:
        return step
    block = step.block.target
    sizes = [extent if isinstance(extent, int) else -1 for extent in block.extents]
    return cls(step.block, step.buffer, step.scope, random_map(random, sizes))


def reindex_cache_read(module: ModuleOp, random: Random) -> Primitive:
    return _cache("reindex-cache-read", module, random)


def reindex_cache_write(module: ModuleOp, random: Random) -> Primitive:
    return _cache("reindex-cache-write", module, random)


CHOOSERS: dict[str, Chooser] = {
    "reindex": reindex,
    "reindex_cache_read": reindex_cache_read,
    "reindex_cache_write": reindex_cache_write,
}


def compute_at(module: ModuleOp, random: Random) -> Primitive:
    legal = list(pass_class("compute-at").candidates(site_of(module)))
    loop = LoopRef(random.choice(loop_tree.loops(module)))
    return random.choice(legal or [pass_class("compute-at")(BlockRef(blocks_of(module)[0]), loop)])


@pytest.mark.parametrize("name", CHOOSERS)
@examples(40)
@given(seed=st.integers(0, 2**32), symbolic=st.booleans())
def test_random_programs(name: str, seed: int, symbolic: bool):
    check(Random(seed), symbolic, [CHOOSERS[name]] * 3)


@examples(30)
@given(seed=st.integers(0, 2**32), symbolic=st.booleans())
def test_with_blocks_moved(seed: int, symbolic: bool):
    random = Random(seed)
    check(random, symbolic, random.choices([compute_at, *CHOOSERS.values()], k=5))


def check(random: Random, symbolic: bool, choosers: list[Chooser]) -> None:
    """The program computes the same after each step; a refused step changes nothing."""
    module = random_program(random, 4, symbolic)
    args = arguments(module, random)
    expected = results(module, args)
    random_splits(module, random, random.randint(0, 3))
    for choose in choosers:
        if try_step(module, choose(module, random)) is not None:
            assert_same(expected, results(module, args), module)


@pytest.mark.sweep
@examples(15)
@given(seed=st.integers(0, 2**32), symbolic=st.booleans())
def test_natively(seed: int, symbolic: bool):
    random = Random(seed)
    module = random_program(random, 4, symbolic)
    args = arguments(module, random)
    expected = results(module, args)
    random_splits(module, random, random.randint(0, 2))
    choosers = random.choices(list(CHOOSERS.values()), k=4)
    if any([try_step(module, choose(module, random)) for choose in choosers]):
        assert_same(expected, native_results(module, args), module)


@pytest.mark.parametrize("name", CHOOSERS)
@examples(40)
@given(seed=st.integers(0, 2**32))
def test_programs_that_overwrite(name: str, seed: int):
    """Every buffer is read and written by several blocks, at elements that overlap or do not."""
    random = Random(seed)
    module = parse(Updates(random).text())
    args = [np.arange(n * 10, n * 10 + 8, dtype=np.int32) for n in range(3)]
    expected = results(module, args)
    for _ in range(3):
        if not any(buffers_written(block) for block in blocks_of(module)):
            return
        if try_step(module, CHOOSERS[name](module, random)) is not None:
            assert_same(expected, results(module, args), module)


def test_both_happen():
    """The property tests do not pass because everything is refused."""
    for choose in CHOOSERS.values():

        def is_done(seed: int, choose: Chooser = choose) -> bool:
            random = Random(seed)
            module = random_program(random, 3, seed % 2 == 0)
            return try_step(module, choose(module, random)) is not None

        assert_both_happen(map(is_done, range(60)), done=15, refused=1)


CONV = """
te.func @f(%X: tensor<16xi32>, %K: tensor<3xi32>) -> tensor<14xi32> {
  %C = te.compute "C" [%i = 14] reduce sum [%k = 3] {
    %x = te.read %X[%i + %k] : tensor<16xi32>
    %w = te.read %K[%k] : tensor<3xi32>
    %c = arith.muli %x, %w : i32
    te.yield %c : i32
  } : tensor<14xi32>
  te.return %C : tensor<14xi32>
}
"""


@pytest.mark.parametrize("run", [results, native_results])
def test_values(run: Callable[..., list[np.ndarray]]):
    """Against numpy: a convolution whose input is unrolled, and whose result is in tiles."""
    module = lowered(CONV)
    site = site_of(module)
    done = pass_class("reindex")(BlockRef("C"), BufferRef.of(("read", 0))).apply(site)
    assert [block.label for block in done.blocks] == ["X_reindex"]
    tiles = IndexMap.of(lambda i, k: [i % 4, i // 4])
    step = pass_class("reindex-cache-write")(BlockRef("C"), BufferRef("C"), "local", tiles)
    assert [block.label for block in step.apply(site).blocks] == ["C_local"]
    assert 'tir.alloc "C_local" : memref<4x4xi32, "local">' in text_of(module)
    x, k = np.arange(16, dtype=np.int32), np.array([1, -2, 3], np.int32)
    out = run(module, [x, k, np.zeros(14, np.int32)])[2]
    np.testing.assert_array_equal(out, np.correlate(x, k))
