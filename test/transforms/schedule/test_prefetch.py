"""prefetch: nothing changes for what is computed, by the interpreter and natively."""

from __future__ import annotations

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
    random_program,
    random_splits,
    results,
    site_of,
    text_of,
    try_step,
)
from test_caching import cache_read, cache_write, compute_at
from test_loop_structure import merge, partition
from xdsl.dialects.builtin import ModuleOp

from kc.analysis import loop_tree
from kc.dialects.tir import PrefetchOp
from kc.support.diagnostics import ScheduleError
from kc.support.registry import pass_class
from kc.transforms.schedule._buffers import BufferRef
from kc.transforms.schedule.base import BlockRef, LoopRef, Primitive


def prefetch(module: ModuleOp, random: Random) -> Primitive:
    """A random choice of what is prefetched where."""
    likely = list(pass_class("prefetch").candidates(site_of(module)))
    block = BlockRef(random.choice(loop_tree.blocks(module)))
    loop = LoopRef(random.choice(loop_tree.loops(module)))
    offset = random.choice((0, 1, 1, 2, 5, -1))
    if likely and random.random() < 0.9:
        choice = random.choice(likely)
        return pass_class("prefetch")(choice.block, choice.buffer, choice.loop, offset)
    return pass_class("prefetch")(block, BufferRef(0), loop, offset)


def hints(module: ModuleOp) -> int:
    """The number of prefetches."""
    return sum(isinstance(op, PrefetchOp) for op in module.walk())


@given(seed=st.integers(0, 2**32), symbolic=st.booleans())
@examples(50)
def test_random_programs(seed: int, symbolic: bool):
    """Other steps work with prefetches in between, and keep what is computed."""
    random = Random(seed)
    module = random_program(random, 4, symbolic)
    args = arguments(module, random)
    expected = results(module, args)
    for _ in range(3):
        random_splits(module, random, 1)
        try_step(module, prefetch(module, random))
        step = random.choice((cache_read, cache_write, compute_at, merge, partition))
        try_step(module, step(module, random))
        assert_same(expected, results(module, args), module)
    for name in ("lower-init-block", "compact-buffer-allocation", "lower-blocks"):
        pass_class(name)().apply(None, module)
        module.verify()
    assert_same(expected, results(module, args), module)


@pytest.mark.sweep
@given(seed=st.integers(0, 2**32))
@examples(10)
def test_natively(seed: int):
    random = Random(seed)
    module = random_program(random, 3, symbolic=False)
    args = arguments(module, random)
    expected = results(module, args)
    for _ in range(3):
        random_splits(module, random, 1)
        try_step(module, prefetch(module, random))
    assert_same(expected, native_results(module, args), module)


def test_some_are_legal():
    """The property tests do not pass because everything is refused."""

    def is_done(seed: int) -> bool:
        random = Random(seed)
        module = random_program(random, 4)
        try_step(module, prefetch(module, random))
        return hints(module) > 0

    assert_both_happen(map(is_done, range(40)), done=20)


ROWS = """
te.func @f(%A: tensor<9x40xi32>) -> (tensor<9xi32>, tensor<40xi32>) {
  %B = te.compute "B" [%i = 9] reduce sum [%k = 40] {
    %a = te.read %A[%i, %k] : tensor<9x40xi32>
    te.yield %a : i32
  } : tensor<9xi32>
  %C = te.compute "C" [%j = 40] {
    %a = te.read %A[8, %j] : tensor<9x40xi32>
    te.yield %a : i32
  } : tensor<40xi32>
  te.return %B, %C : tensor<9xi32>, tensor<40xi32>
}
"""


def test_every_line_of_a_row_is_named():
    """One element of each 64 bytes, and no other row."""
    module = lowered(ROWS)
    pass_class("prefetch")(BlockRef("B"), BufferRef("A"), LoopRef("i"), 3).apply(site_of(module))
    (op,) = [op for op in module.walk() if isinstance(op, PrefetchOp)]
    outer, inner = (loop.static_extent or 0 for loop in loop_tree.loops_around(op))
    assert (outer, inner) == (9, 3)
    named = {op.indices.data.eval([i, p], []) for i in range(outer) for p in range(inner)}
    assert named == {(i + 3, 16 * p) for i in range(9) for p in range(3)}
    a = np.arange(360, dtype=np.int32).reshape(9, 40)
    args = [a, np.zeros(9, np.int32), np.zeros(40, np.int32)]
    np.testing.assert_array_equal(native_results(module, args)[1], a.sum(axis=1))


def test_a_loop_of_another_block():
    module = lowered(ROWS)
    before = text_of(module)
    (loop,) = [candidate for candidate in loop_tree.loops(module) if candidate.label == "j"]
    with pytest.raises(ScheduleError) as caught:
        pass_class("prefetch")(BlockRef("B"), BufferRef("A"), LoopRef(loop)).apply(site_of(module))
    assert text_of(module) == before
    assert str(caught.value) == (
        "error[KC3480]: prefetch: loop j is not around block B\n"
        "  --> k.mlir:3:3\n"
        "   |  for i in 9:\n"
        "   |    for k in 40:\n"
        "   |      block B    <-- the block\n"
        "   |  for j in 40:    <-- the loop\n"
        "   |    block C\n"
        "  why: a block can only prefetch in a loop that contains it\n"
        "  try: loop=i\n"
        "  try: loop=k"
    )
