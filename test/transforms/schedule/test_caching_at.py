"""read_at and write_at: equal results on random programs, by the interpreter and natively."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from overwriting_programs import Updates, update_arguments
from property_tests import examples
from random_programs import (
    arguments,
    assert_both_happen,
    assert_same,
    native_results,
    parse,
    random_program,
    random_splits,
    results,
    site_of,
    text_of,
    try_step,
)
from xdsl.dialects.builtin import ModuleOp

from kc.analysis import loop_tree
from kc.dialects.tir import AllocOp
from kc.support.diagnostics import ScheduleError
from kc.support.registry import pass_class
from kc.transforms.schedule._buffers import BufferRef
from kc.transforms.schedule.base import BlockRef, LoopRef, Primitive

NAMES = ["read-at", "write-at"]


def choose(name: str, module: ModuleOp, random: Random) -> Primitive | None:
    """A choice of options, legal or not."""
    choices = list(pass_class(name).candidates(site_of(module)))
    return random.choice(choices) if choices else None


@pytest.mark.parametrize("name", NAMES)
@given(seed=st.integers(0, 2**32), symbolic=st.booleans())
@examples(40)
def test_random_programs(name: str, seed: int, symbolic: bool):
    random = Random(seed)
    module = random_program(random, 4, symbolic)
    args = arguments(module, random)
    expected = results(module, args)
    random_splits(module, random, random.randint(0, 4))
    for _ in range(3):
        step = choose(name, module, random)
        if step is not None and try_step(module, step) is not None:
            assert_same(expected, results(module, args), module)


@pytest.mark.parametrize("name", NAMES)
@given(seed=st.integers(0, 2**32))
@examples(40)
def test_programs_that_overwrite(name: str, seed: int):
    """Every buffer is read and written by several blocks, at elements that overlap or do not."""
    random = Random(seed)
    module = parse(Updates(random).text())
    expected = results(module, update_arguments())
    for _ in range(3):
        step = choose(name, module, random)
        if step is not None and try_step(module, step) is not None:
            assert_same(expected, results(module, update_arguments()), module)


@pytest.mark.sweep
@given(seed=st.integers(0, 2**32), symbolic=st.booleans())
@examples(15)
def test_natively(seed: int, symbolic: bool):
    random = Random(seed)
    module = random_program(random, 4, symbolic)
    args = arguments(module, random)
    expected = results(module, args)
    random_splits(module, random, random.randint(0, 4))
    done = 0
    for name in random.choices([*NAMES, "cache-read", "cache-write", "cache-inplace"], k=4):
        step = choose(name, module, random)
        done += step is not None and try_step(module, step) is not None
    if done:
        assert_same(expected, native_results(module, args), module)


def test_both_happen():
    """The property tests do not pass because everything is refused, or nothing."""

    def outcomes(name: str) -> Iterator[bool]:
        for random in map(Random, range(60)):
            module = parse(Updates(random).text())
            step = choose(name, module, random)
            if step is not None:
                yield try_step(module, step) is not None

    for name in NAMES:
        assert_both_happen(outcomes(name), done=10, refused=5)


PROGRAM = """
func.func @f(%A: memref<8xi32>, %C: memref<8xi32>) {
  tir.for %i in 2 {
    tir.for %j in 4 {
      tir.block "C" (spatial %v in 8 = %i * 4 + %j) do {
        %x = tir.load %A[%v] : memref<8xi32>
        tir.store %x, %C[%v] : memref<8xi32>
      }
    }
  }
  tir.for %k in 8 {
    tir.block "D" (spatial %v in 8 = %k) do {
      %x = tir.load %C[%v] : memref<8xi32>
      tir.store %x, %C[%v] : memref<8xi32>
    }
  }
  func.return
}"""


@pytest.mark.parametrize("name", NAMES)
def test_a_loop_around_another_block(name: str):
    module = parse(PROGRAM)
    before = text_of(module)
    stranger = loop_tree.loops(module)[2]
    with pytest.raises(ScheduleError) as caught:
        pass_class(name)(LoopRef(stranger), BlockRef("C"), BufferRef(0)).apply(site_of(module))
    assert caught.value.code == "KC3602"
    assert caught.value.message == f"{name.replace('-', '_')}: loop k is not around block C"
    assert caught.value.hints == ("loop=i", "loop=j")
    assert text_of(module) == before


def test_a_copy_belongs_to_an_iteration():
    """The copy of an iteration has what the iteration uses, no more, once it is compacted."""
    module = parse(PROGRAM)
    pass_class("read-at")(LoopRef("i"), BlockRef("C"), BufferRef("A")).apply(site_of(module))
    pass_class("compact-buffer-allocation")().apply(None, module)
    allocs = [op for op in module.walk() if isinstance(op, AllocOp)]
    assert [str(alloc.buffer.type) for alloc in allocs] == ["memref<4xi32>"]


def test_legal():
    """Each loop around the block is offered, and what is offered is legal."""
    module = parse(PROGRAM)
    choices = [
        (str(choice.loop), str(choice.block), str(choice.buffer))
        for choice in pass_class("read-at").legal(site_of(module))
        if choice.scope == "local"
    ]
    assert choices == [("i", "C", "A"), ("j", "C", "A"), ("k", "D", "C")]
