"""cache_index: equal results, by the interpreter and natively, and against numpy."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from random_programs import (
    SIZES,
    assert_both_happen,
    assert_same,
    native_results,
    parse,
    random_splits,
    results,
    site_of,
    try_step,
)

from kc.analysis.loop_tree import blocks, buffer_name, functions
from kc.dialects.tir import LoadOp
from kc.support.registry import pass_class
from kc.transforms.schedule.base import BlockRef


def program(random: Random, symbolic: bool) -> tuple[str, list[Any]]:
    """A block that reads at indices which are divided, gathered and clamped, and its arguments."""
    n = SIZES["n"] if symbolic else random.randint(1, 7)
    m = random.randint(1, 6)
    size = "%n" if symbolic else str(n)
    row = "?" if symbolic else str(n)
    shape = "{kc.shape = affine_map<()[n, m] -> (%s)>}"
    attrs = shape % "n" if symbolic else ""
    kinds = [
        f"(%v_i * {random.randint(1, 5)} + %v_j) mod 24",
        f"%v_i floordiv 2 + %v_j * {random.randint(1, 2)}",
        f"23 - %v_j * {random.randint(1, 3)}",
        "%g",
        "%g + %v_j",
        "%v_j + 1",
    ]
    lines = []
    total = "%zero"
    for k in range(random.randint(1, 4)):
        lines.append(f"%x{k} = tir.load %A[{random.choice(kinds)}] : memref<24xi32>\n")
        lines.append(f"%y{k} = arith.muli {total}, %three : i32\n")
        lines.append(f"%z{k} = arith.addi %y{k}, %x{k} : i32\n")
        total = f"%z{k}"
    text = f"""
func.func @f(%A: memref<24xi32> {{kc.role = "in"}}, %I: memref<{row}xi32> {attrs},
             %C: memref<{row}x{m}xi32> {shape % f"n, {m}" if symbolic else ""})
    attributes {{kc.symbols = ["n", "m"]}} {{
  {'%n = tir.symbol "n"' if symbolic else ""}
  tir.for %i in {size} {{
    tir.for %j in {m} {{
      tir.block "C" (spatial %v_i in {size} = %i, spatial %v_j in {m} = %j) do {{
        %zero = arith.constant 0 : i32
        %three = arith.constant 3 : i32
        %w = tir.load %I[%v_i] : memref<{row}xi32>
        %g = arith.index_cast %w : i32 to index
        {"".join(lines)}
        tir.store {total}, %C[%v_i, %v_j] : memref<{row}x{m}xi32>
      }}
    }}
  }}
  func.return
}}"""
    generator = np.random.default_rng(random.randrange(2**32))
    a = generator.integers(-9, 9, 24).astype(np.int32)
    i = generator.integers(0, 24 - m, n).astype(np.int32)
    return text, [a, i, np.zeros((n, m), np.int32)]


@given(seed=st.integers(0, 2**32), symbolic=st.booleans())
@examples(60)
def test_random_indices(seed: int, symbolic: bool):
    random = Random(seed)
    text, args = program(random, symbolic)
    module = parse(text)
    expected = results(module, args)
    random_splits(module, random, random.randint(0, 3))
    step = pass_class("cache-index")(BlockRef("C"), "local", random.choice((0, 0, 0, 1)))
    if try_step(module, step) is not None:
        assert_same(expected, results(module, args), module)
        random_splits(module, random, random.randint(0, 3))
        assert_same(expected, results(module, args), module)


@pytest.mark.parametrize("seed", range(6))
def test_natively(seed: int):
    random = Random(seed)
    text, args = program(random, seed % 2 == 0)
    module = parse(text)
    expected = results(module, args)
    try_step(module, pass_class("cache-index")(BlockRef("C")))
    assert_same(expected, native_results(module, args), module)


def test_they_are_taken():
    """The property test does not pass because everything is refused."""

    def is_done(seed: int) -> bool:
        text, _ = program(Random(seed), seed % 2 == 0)
        return try_step(parse(text), pass_class("cache-index")(BlockRef("C"))) is not None

    assert_both_happen(map(is_done, range(20)), done=15)


RESIZE = """
func.func @f(%A: memref<4x6xi32>, %B: memref<8x12xi32>) {
  tir.for %i in 8 {
    tir.for %j in 12 {
      tir.block "B" (spatial %v_i in 8 = %i, spatial %v_j in 12 = %j) do {
        %x = tir.load %A[%v_i floordiv 2, %v_j floordiv 2] : memref<4x6xi32>
        tir.store %x, %B[%v_i, %v_j] : memref<8x12xi32>
      }
    }
  }
  func.return
}"""


def test_values():
    """Against numpy; each index is computed once a row or column, not once an element."""
    module = parse(RESIZE)
    pass_class("cache-index")(BlockRef("B"), "local").apply(site_of(module))
    a = np.arange(24, dtype=np.int32).reshape(4, 6)
    out = results(module, [a, np.zeros((8, 12), np.int32)])[1]
    np.testing.assert_array_equal(out, a.repeat(2, 0).repeat(2, 1))
    by_name = {block.label: block for block in blocks(functions(module)[0])}
    assert {name: block.extents for name, block in by_name.items() if name != "B"} == {
        "index_0": [8],
        "index_1": [12],
    }


def test_names_are_new():
    module = parse(RESIZE.replace('tir.block "B"', 'tir.block "index_0"'))
    done = pass_class("cache-index")(BlockRef("index_0")).apply(site_of(module))
    assert [block.label for block in done.blocks] == ["index_0_1", "index_1"]


GATHER = """
func.func @f(%A: memref<8xi32>, %I: memref<4xindex>, %J: memref<4xindex>, %B: memref<4xindex>) {
  tir.for %i in 4 {
    tir.block "B" (spatial %v in 4 = %i) do {
      %m = tir.load %I[%v] : memref<4xindex>
      %n = tir.load %J[%v] : memref<4xindex>
      %x = tir.load %A[%m + %n] : memref<8xi32>
      tir.store %n, %B[%v] : memref<4xindex>
    }
  }
  func.return
}"""


def test_what_computed_an_index_goes():
    """Unless something else uses it."""
    module = parse(GATHER)
    block = blocks(functions(module)[0])[0]
    pass_class("cache-index")(BlockRef(block)).apply(site_of(module))
    read = [buffer_name(op.buffer) for op in block.walk() if isinstance(op, LoadOp)]
    assert read == ["index_0", "J", "A"]


def test_legal():
    module = parse(RESIZE)
    scopes = [choice.scope for choice in pass_class("cache-index").legal(site_of(module))]
    assert scopes == ["global", "local"]
