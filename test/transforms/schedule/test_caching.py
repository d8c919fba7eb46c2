"""Copies of buffers: equal results on random programs, and nothing changed by a refusal."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from overwriting_programs import Updates, update_arguments
from property_tests import examples
from random_programs import (
    arguments,
    assert_same,
    lowered,
    parse,
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
from kc.analysis.accesses.regions import buffers_read, buffers_written
from kc.dialects.tir import BlockOp
from kc.support.diagnostics import ScheduleError
from kc.support.registry import pass_class
from kc.transforms.schedule._buffers import BufferRef
from kc.transforms.schedule.base import BlockRef, LoopRef, Primitive

Chooser = Callable[[ModuleOp, Random], Primitive]
SCOPES = ("global", "local", "shared")


def blocks_of(module: ModuleOp) -> list[BlockOp]:
    return loop_tree.blocks(loop_tree.functions(module)[0])


def cache_read(module: ModuleOp, random: Random) -> Primitive:
    block = random.choice(blocks_of(module))
    read = buffers_read(block)
    buffer = random.choice(read) if read and random.random() < 0.9 else random.randint(0, 2)
    consumers = ()
    if random.random() < 0.3:
        chosen = random.choice(blocks_of(module))
        consumers = tuple({BlockRef(consumer) for consumer in (block, chosen)})
    return pass_class("cache-read")(
        BlockRef(block), BufferRef(buffer), random.choice(SCOPES), consumers
    )


def cache_write(module: ModuleOp, random: Random) -> Primitive:
    block = random.choice(blocks_of(module))
    written = buffers_written(block)
    buffer = random.choice(written) if written else 0
    consumers = ()
    if random.random() < 0.4:
        readers = [reader for reader in blocks_of(module) if buffer in buffers_read(reader)]
        count = random.randint(0, min(2, len(readers)))
        consumers = tuple(BlockRef(reader) for reader in random.sample(readers, count))
    return pass_class("cache-write")(
        BlockRef(block), BufferRef(buffer), random.choice(SCOPES), consumers
    )


def compute_at(module: ModuleOp, random: Random) -> Primitive:
    legal = list(pass_class("compute-at").candidates(site_of(module)))
    loop = LoopRef(random.choice(loop_tree.loops(module)))
    return random.choice(legal or [pass_class("compute-at")(BlockRef(blocks_of(module)[0]), loop)])


def cache_inplace(module: ModuleOp, random: Random) -> Primitive:
    block = random.choice(blocks_of(module))
    read = buffers_read(block)
    both = [buffer for buffer in read if buffer in buffers_written(block)] or read
    buffer = random.choice(both) if both else 0
    return pass_class("cache-inplace")(BlockRef(block), BufferRef(buffer), random.choice(SCOPES))


CHOOSERS: dict[str, Chooser] = {
    "cache_read": cache_read,
    "cache_write": cache_write,
    "cache_inplace": cache_inplace,
}


@pytest.mark.parametrize("name", ["cache_read", "cache_write"])
@given(seed=st.integers(0, 2**32), symbolic=st.booleans())
@examples(40)
def test_one_primitive(name: str, seed: int, symbolic: bool):
    check(Random(seed), symbolic, [CHOOSERS[name]] * 3)


@given(seed=st.integers(0, 2**32), symbolic=st.booleans())
@examples(40)
def test_with_blocks_moved(seed: int, symbolic: bool):
    random = Random(seed)
    check(random, symbolic, random.choices([compute_at, cache_read, cache_write], k=6))


def check(random: Random, symbolic: bool, choosers: list[Chooser]) -> None:
    """The program computes the same after each step; a refused step changes nothing."""
    module = random_program(random, 4, symbolic)
    args = arguments(module, random)
    expected = results(module, args)
    random_splits(module, random, random.randint(0, 3))
    for choose in choosers:
        if try_step(module, choose(module, random)) is not None:
            assert_same(expected, results(module, args), module)


def test_random_programs_are_cached():
    """The property tests do not pass because everything is refused."""
    done = {"cache_read": 0, "cache_write": 0}
    for seed in range(30):
        random = Random(seed)
        for name in done:
            module = random_program(random, 3)
            done[name] += try_step(module, CHOOSERS[name](module, random)) is not None
    assert min(done.values()) >= 15, done


@pytest.mark.parametrize("name", CHOOSERS)
@given(seed=st.integers(0, 2**32))
@examples(40)
def test_programs_that_overwrite(name: str, seed: int):
    """Every buffer is read and written by several blocks, at elements that overlap or do not."""
    random = Random(seed)
    module = parse(Updates(random).text())
    args = update_arguments()
    expected = results(module, args)
    for _ in range(3):
        if not any(buffers_written(block) for block in blocks_of(module)):
            return
        if try_step(module, CHOOSERS[name](module, random)) is not None:
            assert_same(expected, results(module, args), module)


def test_overwriting_programs_are_cached_and_refused():
    """Both happen often enough to be tested."""
    for name, choose in CHOOSERS.items():
        done = 0
        for seed in range(20):
            random = Random(seed)
            module = parse(Updates(random).text())
            if any(buffers_written(block) for block in blocks_of(module)):
                done += try_step(module, choose(module, random)) is not None
        assert 4 <= done <= 16, (name, done)


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
    sch = kc.tir.Schedule(lowered(CHAIN))
    assert sch.cache_read("B", 0, "local").name == "A_local"
    assert sch.cache_read("C", "B").name == "B_global"
    assert sch.cache_write("C", 0, "local").name == "C_local"
    assert sch.cache_write(sch.get_block("C"), "C_local", "local").name == "C_local_local"
    out = results(sch.module, [a, np.zeros((14, 8), np.int32)])[1]
    np.testing.assert_array_equal(out, (a * 2)[:14] * (a * 2)[2:])


def test_names_are_new():
    sch = kc.tir.Schedule(lowered(CHAIN))
    names = [sch.cache_read("B", "A").name, sch.cache_read("A_global", "A").name]
    assert names == ["A_global", "A_global_1"]


def test_a_part_is_about_the_blocks_around_it():
    """The cost of a cache does not grow with the rest of the function."""
    computes = ["%P0"]
    lines = []
    for n in range(20):
        lines.append(
            f'%P{n + 1} = te.compute "P{n + 1}" [%i = 8] {{\n'
            f"%x = te.read {computes[-1]}[%i] : tensor<8xi32>\n"
            "te.yield %x : i32\n} : tensor<8xi32>\n"
        )
        computes.append(f"%P{n + 1}")
    module = lowered(
        "te.func @f(%P0: tensor<8xi32>) -> tensor<8xi32> {\n"
        + "".join(lines)
        + "te.return %P20 : tensor<8xi32>\n}\n"
    )
    for name in ("cache-write", "cache-read"):
        plan = pass_class(name)(BlockRef("P10"), BufferRef(0)).plan(site_of(module))
        assert len((plan.fill or plan.flush).index.roots) == 1, name


def test_consumers():
    sch = kc.tir.Schedule(lowered(CHAIN))
    first = sch.cache_read("C", "B", "local", ["C"])
    assert [consumer.name for consumer in sch.get_consumers("B")] == ["B_local"]
    assert [consumer.name for consumer in sch.get_consumers(first)] == ["C"]


def test_consumers_of_what_is_written():
    """One of two readers gets what is not copied yet; the other one what is."""
    sch = kc.tir.Schedule(lowered(TWO_READERS))
    copy = sch.cache_write("B", 0, "local", ["D"])
    assert [consumer.name for consumer in sch.get_consumers("B")] == ["B_local", "D"]
    assert [consumer.name for consumer in sch.get_consumers(copy)] == ["C"]
    a = np.arange(8, dtype=np.int32)
    out = results(sch.module, [a, np.zeros(8, np.int32), np.zeros(8, np.int32)])
    np.testing.assert_array_equal(out[1], a * 2)
    np.testing.assert_array_equal(out[2], a * 2)


TWO_READERS = """
te.func @f(%A: tensor<8xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %B = te.compute "B" [%i = 8] {
    %a = te.read %A[%i] : tensor<8xi32>
    %b = arith.addi %a, %a : i32
    te.yield %b : i32
  } : tensor<8xi32>
  %C = te.compute "C" [%i = 8] {
    %x = te.read %B[%i] : tensor<8xi32>
    te.yield %x : i32
  } : tensor<8xi32>
  %D = te.compute "D" [%i = 8] {
    %x = te.read %B[%i] : tensor<8xi32>
    te.yield %x : i32
  } : tensor<8xi32>
  te.return %C, %D : tensor<8xi32>, tensor<8xi32>
}
"""


def test_a_loop_of_the_copy_can_be_scheduled():
    sch = kc.tir.Schedule(lowered(CHAIN))
    copy = sch.cache_write("C", 0)
    i, j = sch.get_loops(copy)
    sch.parallel(i)
    sch.vectorize(j)
    assert "tir.for %ax0 in 14 parallel" in text_of(sch.module)


def test_legal():
    """The offers of ``legal`` are right, and cover every buffer in every useful scope."""
    module = lowered(CHAIN)
    reads = list(pass_class("cache-read").legal(site_of(module)))
    assert [(str(choice.block), str(choice.buffer), choice.scope) for choice in reads] == [
        ("B", "A", "global"),
        ("B", "A", "local"),
        ("C", "B", "global"),
        ("C", "B", "local"),
    ]
    writes = list(pass_class("cache-write").legal(site_of(module)))
    choices = [(str(choice.block), choice.scope, *map(str, choice.consumers)) for choice in writes]
    assert choices == [
        ("B", "global"),
        ("B", "global", "C"),
        ("B", "local"),
        ("B", "local", "C"),
        ("C", "global"),
        ("C", "local"),
    ]


def test_unknown_scope():
    module = lowered(CHAIN)
    with pytest.raises(ScheduleError) as caught:
        pass_class("cache-read")(BlockRef("B"), BufferRef(0), "locl").plan(site_of(module))
    assert caught.value.code == "KC3301"
    assert "local" in caught.value.hints[0]
