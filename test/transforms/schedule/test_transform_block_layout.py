"""transform_block_layout: equal results on random programs, interpreted and natively."""

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
    parse,
    random_program,
    results,
    site_of,
    try_step,
)
from test_transform_layout import random_map
from xdsl.dialects.builtin import ModuleOp

from kc.analysis import loop_tree
from kc.dialects.tir import BlockOp
from kc.support.registry import pass_class
from kc.transforms.schedule._index_map import IndexMap
from kc.transforms.schedule.base import BlockRef, Primitive


def blocks_of(module: ModuleOp) -> list[BlockOp]:
    return loop_tree.blocks(loop_tree.functions(module)[0])


def chosen(module: ModuleOp, random: Random) -> Primitive:
    """Any map, or one that is offered."""
    block = random.choice(blocks_of(module))
    if random.random() < 0.4:
        sizes = [extent if isinstance(extent, int) else -1 for extent in block.extents]
        return pass_class("transform-block-layout")(BlockRef(block), random_map(random, sizes))
    offered = list(pass_class("transform-block-layout").candidates(site_of(module)))
    return random.choice(offered) if offered else chosen(module, random)


@examples(60)
@given(seed=st.integers(0, 2**32), symbolic=st.booleans())
def test_random_programs(seed: int, symbolic: bool):
    random = Random(seed)
    module = random_program(random, 4, symbolic)
    args = arguments(module, random)
    expected = results(module, args)
    for _ in range(4):
        if try_step(module, chosen(module, random)) is not None:
            assert_same(expected, results(module, args), module)


@pytest.mark.sweep
@examples(15)
@given(seed=st.integers(0, 2**32), symbolic=st.booleans())
def test_natively(seed: int, symbolic: bool):
    random = Random(seed)
    module = random_program(random, 4, symbolic)
    args = arguments(module, random)
    expected = results(module, args)
    if any([try_step(module, chosen(module, random)) for _ in range(4)]):
        assert_same(expected, native_results(module, args), module)


def test_some_are_legal_and_some_are_not():
    """The property tests do not pass because everything is refused."""

    def is_done(seed: int) -> bool:
        random = Random(seed)
        module = random_program(random, 3, seed % 2 == 0)
        return try_step(module, chosen(module, random)) is not None

    assert_both_happen(map(is_done, range(60)), done=15, refused=5)


@given(seed=st.integers(0, 2**32))
def test_blocks_that_depend_on_themselves(seed: int):
    """Opaque blocks that read and write one buffer, for any kinds of variables."""
    random = Random(seed)
    first = f"%i * {random.randint(0, 2)} + %j * {random.randint(0, 2)} + {random.randint(0, 2)}"
    second = f"%i * {random.randint(0, 2)} + %j * {random.randint(0, 2)} + {random.randint(0, 2)}"
    module = parse(
        f"""func.func @f(%A: memref<20xi32> {{kc.role = "in"}}) {{
          tir.for %x in 4 {{
            tir.for %y in 4 {{
              tir.block "S" (opaque %i in 4 = %x, opaque %j in 4 = %y) do {{
                %a = tir.load %A[{first}] : memref<20xi32>
                %b = arith.addi %a, %a : i32
                tir.store %b, %A[{second}] : memref<20xi32>
              }}
            }}
          }}
          func.return
        }}"""
    )
    args = [np.arange(1, 21, dtype=np.int32)]
    expected = results(module, args)
    step = pass_class("transform-block-layout")(BlockRef("S"), random_map(random, [4, 4]))
    if try_step(module, step) is not None:
        assert_same(expected, results(module, args), module)


def test_handles():
    """The new loops are given back, and the old ones are explained."""
    module = lowered(
        """te.func @f(%A: tensor<4x8xi32>) -> tensor<4x8xi32> {
          %B = te.compute "B" [%i = 4, %j = 8] {
            %a = te.read %A[%i, %j] : tensor<4x8xi32>
            te.yield %a : i32
          } : tensor<4x8xi32>
          te.return %B : tensor<4x8xi32>
        }"""
    )
    site = site_of(module)
    done = pass_class("transform-block-layout")(
        BlockRef("B"), IndexMap.of(lambda i, j: [i * 8 + j])
    ).apply(site)
    assert [loop.label for loop in done.loops] == ["ax0"]
    assert {loop.label for loop in done.replaced} == {"i", "j"}
    assert site.past("i") == "i became part of ax0"
