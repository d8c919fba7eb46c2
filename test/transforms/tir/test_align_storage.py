"""align-storage: the distances are as asked for, and results are the same."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects.builtin import MemRefType, ModuleOp

sys.path.insert(0, str(Path(__file__).parents[1] / "schedule"))

from property_tests import examples
from random_programs import (
    arguments,
    assert_same,
    lowered,
    native_results,
    parse,
    random_program,
    results,
    site_of,
    try_step,
)

from kc.analysis import loop_tree
from kc.analysis.accesses.regions import buffers_written
from kc.analysis.dominance import check_dominance
from kc.dialects.tir import AllocOp
from kc.support.diagnostics import diagnostic_handler
from kc.support.registry import pass_class
from kc.transforms.schedule._buffers import BufferRef
from kc.transforms.schedule.base import BlockRef, LoopRef


def align(module: ModuleOp) -> list[Any]:
    """Run the pass; its warnings."""
    seen: list[Any] = []
    with diagnostic_handler(seen.append):
        pass_class("align-storage")().apply(None, module)
    module.verify()
    check_dominance(module)
    return seen


def strides(alloc: AllocOp) -> list[int]:
    assert isinstance(alloc.buffer.type, MemRefType)
    shape = alloc.buffer.type.get_shape()
    return [math.prod(shape[n + 1 :]) for n in range(len(shape))]


@given(
    shape=st.lists(st.integers(1, 9), min_size=1, max_size=4),
    axis=st.integers(0, 3),
    factor=st.integers(1, 40),
    offset=st.integers(0, 39),
)
def test_distances(shape: list[int], axis: int, factor: int, offset: int):
    """The least distance of the kind asked for that holds what is inside."""
    axis, offset = axis % len(shape), offset % factor
    text = "x".join(map(str, shape))
    module = parse(
        f"""func.func @f(%x: f32) {{
          %B = tir.alloc "B" {{tir.storage_align = [array<i64: {axis}, {factor}, {offset}>]}}
            : memref<{text}xf32>
          tir.store %x, %B[{", ".join(str(extent - 1) for extent in shape)}] : memref<{text}xf32>
          func.return
        }}"""
    )
    assert align(module) == []
    (alloc,) = [op for op in module.walk() if isinstance(op, AllocOp)]
    natural = math.prod(shape[axis + 1 :])
    assert strides(alloc)[axis] == natural + (offset - natural) % factor
    assert not alloc.attributes


@given(n=st.integers(0, 100), factor=st.integers(1, 30), offset=st.integers(0, 29))
def test_sizes_known_at_the_call(n: int, factor: int, offset: int):
    """The size that is computed for a dimension inside of the axis."""
    offset %= factor
    module = parse(
        f"""func.func @f(%x: f32, %n: index) {{
          %B = tir.alloc "B" (%n) {{tir.storage_align = [array<i64: 0, {factor}, {offset}>]}}
            : memref<4x?x3xf32>
          tir.store %x, %B[1, 0, 0] : memref<4x?x3xf32>
          func.return
        }}"""
    )
    served = align(module) == []
    assert served == (offset % math.gcd(factor, 3) == 0)
    (alloc,) = [op for op in module.walk() if isinstance(op, AllocOp)]
    if served:
        size = alloc.dynamic_sizes[0].owner.map.data.eval((n,), ())[0]  # pyright: ignore
        assert size >= n
        assert size * 3 % factor == offset
        assert not any((smaller * 3 - offset) % factor == 0 for smaller in range(n, size))


def random_requests(module: ModuleOp, random: Random) -> int:
    done = 0
    for block in loop_tree.blocks(loop_tree.functions(module)[0]):
        for buffer in buffers_written(block):
            assert isinstance(buffer.type, MemRefType)
            rank = buffer.type.get_num_dims()
            factor = random.choice((1, 2, 4, 8, 5, 16))
            step = pass_class("storage-align")(
                BlockRef(block),
                BufferRef(buffer),
                random.randrange(-rank, rank),
                factor,
                random.randrange(factor),
            )
            done += try_step(module, step) is not None
    return done


@examples(40)
@given(seed=st.integers(0, 2**32), symbolic=st.booleans())
def test_random_programs(seed: int, symbolic: bool):
    random = Random(seed)
    module = random_program(random, 4, symbolic)
    args = arguments(module, random)
    expected = results(module, args)
    random_requests(module, random)
    pass_class("lower-init-block")().apply(None, module)
    pass_class("compact-buffer-allocation")().apply(None, module)
    align(module)
    assert_same(expected, results(module, args), module)


@pytest.mark.sweep
@examples(20)
@given(seed=st.integers(0, 2**32), symbolic=st.booleans())
def test_natively(seed: int, symbolic: bool):
    random = Random(seed)
    module = random_program(random, 4, symbolic)
    args = arguments(module, random)
    expected = results(module, args)
    if random_requests(module, random):
        with diagnostic_handler(lambda _: None):
            assert_same(expected, native_results(module, args), module)


@pytest.mark.parametrize("axis", [0, 1])
def test_with_vectors(axis: int):
    """Vector accesses of what the pass has laid out."""
    module = lowered(
        """te.func @f(%A: tensor<6x32xi32>) -> tensor<6x32xi32> {
          %B = te.compute "B" [%i = 6, %j = 32] {
            %a = te.read %A[%i, %j] : tensor<6x32xi32>
            te.yield %a : i32
          } : tensor<6x32xi32>
          %C = te.compute "C" [%i = 6, %j = 32] {
            %b = te.read %B[5 - %i, %j] : tensor<6x32xi32>
            te.yield %b : i32
          } : tensor<6x32xi32>
          te.return %C : tensor<6x32xi32>
        }"""
    )
    site = site_of(module)
    pass_class("storage-align")(BlockRef("B"), BufferRef("B"), axis, 8, 3).apply(site)
    for block in loop_tree.blocks(site.function):
        loop = loop_tree.loops_around(block)[-1]
        pass_class("vectorize")(LoopRef(loop)).apply(site)
    a = np.arange(6 * 32, dtype=np.int32).reshape(6, 32)
    out = native_results(module, [a, np.zeros_like(a)])[1]
    np.testing.assert_array_equal(out, a[::-1])
